"""A closed pool in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.engine.payoff import verb
from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.present.estimate import bare, plain
from simlab.present.text import text
from simlab.questions.pool.analysis import Member, Pool, Try

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


def sentences(answer: Pool) -> Iterator[str]:
    """The verdict: who wins how much in best play, and how much the best answers still gain."""
    what = verb(answer.by_score)
    for seat, value in answer.values.items():
        gap = next((one for one in answer.gaps if one.seat == seat), None)
        line = f"{plain(seat)} {what} {text(value)} in best play of the pool"
        if gap is None:
            yield f"{line}."
        elif not gap.new or gap.gain.value <= 0:
            yield f"{line}; no better answer was found."
        else:
            sure = "" if gap.gain.low > 0 else ", which is not significant"
            yield f"{line}; the best answer found gains {text(gap.gain)}{sure}."
    if not answer.closed:
        yield (
            f"The pool is still open: round {answer.rounds} found a better answer. More --rounds may change best play."
        )
    if answer.circle:
        yield f"Best answers cycle through {answer.line_ups} line-ups, which all have equal weight."
