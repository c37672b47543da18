"""A closed pool in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.engine.payoff import verb
from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.present.estimate import bare, plain
from simlab.present.text import text
from simlab.questions.pool.analysis import Member, Pool, Try
from simlab.words import listed

METHOD = (
    "Best play, and the gains of the best answers to it, are judged in {games:,} games of each line-up ({fewer} "
    "for bots that look ahead), which were not used to choose bots. The intervals of a table hold together. "
    "Shares are those of the estimated win rates, without an interval. Better answers may exist."
)


def blocks(answer: Pool) -> Iterator[Block]:
    yield from (Paragraph(one, "lead") for one in sentences(answer))
    yield Table(
        [one for one in answer.members if one.share > 0],
        (
            *attributes("seat", "bot", "kind"),
            Column[Member]("share", lambda one: bare(one.share, True)),
            Column[Member]("value to the seat", lambda one: answer.values[one.seat]),
        ),
        title=f"Best play of {plain(answer.game)}",
        note=METHOD.format(games=answer.games, fewer=f"{2 * answer.searched:,}"),
    )
    yield Table(
        answer.tries,
        (
            *attributes("round", "seat", "best answer=bot", "kind", "gain"),
            Column[Try]("joins", lambda one: "yes" if one.joins else "no"),
        ),
        title="Answers that were tried",
        note="A bot joins if its gain is significant in games that were not used to choose it.",
    )


_TRIED = {"tuned": "a tuned bot", "looks ahead": "bots that look ahead", "learned": "a player that learns"}


def _answer(answer: Pool, gap: Try) -> str:
    """The best answer of the last round, or how far the search for one went."""
    if gap.gain.low > 0:
        if gap.new:
            return f"the best answer found gains {text(gap.gain)}"
        return f"{plain(gap.bot)}, a bot of the pool, gains {text(gap.gain)}, so more --games may change best play"
    tried = listed([_TRIED[kind] for kind in answer.outside.get(gap.seat, ())])
    if not tried:
        return (
            "no answer outside the pool was tried, so better ones may exist: name a bot with traits, or raise "
            "--iterations or --minutes"
        )
    if gap.new and gap.gain.value > 0:
        return f"the best answer found gains {text(gap.gain)}, which is not significant"
    gains = f", the most promising gains {text(gap.gain)}" if gap.new else ""
    return f"no better answer was found: {tried} did no better{gains}"


def sentences(answer: Pool) -> Iterator[str]:
    """The verdict: who wins how much in best play, and how much the best answers still gain."""
    what = verb(answer.by_score)
    for seat, value in answer.values.items():
        gap = next((one for one in answer.gaps if one.seat == seat), None)
        line = f"{plain(seat)} {what} {text(value)} in best play of the pool"
        yield f"{line}{'' if gap is None else f'; {_answer(answer, gap)}'}."
    if not answer.closed:
        yield (
            f"The pool is still open: round {answer.rounds} found a better answer. More --rounds may change best play."
        )
    if answer.circle:
        yield f"Best answers cycle through {answer.line_ups} line-ups, which all have equal weight."
