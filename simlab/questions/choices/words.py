"""The stakes of choices, in sentences, tables and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, estimate_of, plain
from simlab.present.text import text
from simlab.questions.choices.analysis import ChoiceKind, ChoicesAnswer
from simlab.words import first_of

NAMED = 4  #: kinds of decisions in a sentence
NOTE = (
    "Gains are {unit} for one choice, after which the bots play on. The {futures} futures of an option, the same for "
    "all options, are split into parts; each part measures the option that the others select. Where options tie, the "
    "one that is better in other games is selected. Over random: gain over a random option. Over second: gain over the "
    "second-best option. Given away: gain over the option that the seat's bot takes; below 0 if the bot knows better "
    "than these few futures. Gains that {futures} futures cannot show are missing, so they are rather too low. Same: "
    "positions in which all options led to the same results. Intervals hold for all kinds of decisions together (95 %)."
)


def blocks(answer: ChoicesAnswer) -> Iterator[Block]:
    yield Paragraph(" ".join(_sentences(answer)), "lead")
    if answer.kinds:
        yield from _tables(answer)
    caption = "Gain of choosing by futures over a random option, per choice, by turn; 95 % intervals."
    yield Chart("stakes", partial(stakes, answer), caption, games=(), made_by=answer.source)
    if answer.rare:
        more = f" About {answer.enough:,} positions (--positions) would show them." if answer.enough else ""
        yield Paragraph(f"Too rare to measure: {', '.join(map(plain, answer.rare))}.{more}", "note")
    bots = ", ".join(f"{plain(seat)}: {plain(bot)}" for seat, bot in answer.bots.items())
    yield Paragraph(
        f"{answer.positions:,} positions from games of these bots ({bots}), which also play the futures. Other players "
        "reach other positions and use their gains differently.",
        "note",
    )


def _tables(answer: ChoicesAnswer) -> Iterator[Block]:
    yield Table(
        answer.most(),
        (
            *attributes("seat", "decision"),
            Column[ChoiceKind]("per game", lambda one: round(one.per_game, 2)),
            Column[ChoiceKind]("options", lambda one: round(one.options, 1)),
            *attributes("over random=over_random", "over second=over_second", "given away=thrown_away", "same"),
        ),
        title=f"Stakes of the choices in {plain(answer.game)}",
        note=NOTE.format(unit="scores" if answer.by_score else "points of the win rate", futures=answer.futures),
    )
    yield Table(
        answer.most(),
        (
            *attributes("seat", "decision", "if random=by_chance"),
            Column[ChoiceKind]("always", lambda one: one.always or "–"),
            *attributes("if always=if_always"),
        ),
        title="If the bot does not decide",
        note=f"If random: change for the seat if all these decisions are random, in {answer.games:,} games with the "
        "same seeds. Always: the option that is best on average. If always: change if this option is taken whenever "
        "it is legal.",
    )


def _sentences(answer: ChoicesAnswer) -> Iterator[str]:
    kinds = answer.most()
    big = [one for one in kinds if one.by_chance.high < -answer.little]
    better = [one for one in kinds if one.by_chance.low > answer.little]
    if big:
        named = "; ".join(f"{_name(answer, one)} {text(one.by_chance)}" for one in big[:NAMED])
        yield f"Most depends on these decisions (change for the seat if they are random): {named}."
    elif not any(gain.low > answer.little for one in kinds for gain in _gains(one)):
        yield (
            "With these bots, no kind of decision is shown to matter: no way to decide changes the results by "
            f"significantly more than {_limit(answer)}."
        )
    elif not better:
        limit = _limit(answer)
        yield f"In no kind of decision are these bots shown to do better than random choices by {limit} or more."
    if better:
        named = "; ".join(f"{_name(answer, one)} {text(one.by_chance)}" for one in better[:NAMED])
        yield f"Random choices do better than the bot: {named}."
    idle = [one for one in kinds if -answer.little < one.by_chance.low <= answer.little]
    if idle:
        yield f"Random choices do as well as the bot: {first_of([_name(answer, one) for one in idle], NAMED)}."
    always = [
        (one, one.if_always.low > answer.little)
        for one in kinds
        if one not in (*better, *idle) and one.if_always and one.if_always.low > -answer.little
    ]
    for well, how in ((True, "does better than"), (False, "does as well as")):
        these = [f"{_name(answer, one)}: {plain(one.always)}" for one, is_better in always if is_better == well]
        if these:
            yield f"Always taking the same option {how} the bot: {'; '.join(these[:NAMED])}."
    thrown = [one for one in kinds if one.thrown_away.low > answer.little]
    if thrown:
        thrown.sort(key=lambda one: -one.per_game * one.thrown_away.value)
        named = "; ".join(f"{_name(answer, one)} {text(one.thrown_away)}" for one in thrown[:NAMED])
        yield f"The bots give most away, per choice, in: {named}."


def _gains(one: ChoiceKind) -> Iterator[Estimate]:
    """Gains over the bot, or over random choices, each of which shows that the decision matters."""
    yield from (one.over_random, one.thrown_away, one.by_chance)
    if one.if_always:
        yield one.if_always


def _limit(answer: ChoicesAnswer) -> str:
    return f"{answer.little:.2g}" if answer.by_score else f"{100 * answer.little:.1f} points"


def _name(answer: ChoicesAnswer, one: ChoiceKind) -> str:
    return plain(one.decision) if len(answer.bots) == 1 else f"{plain(one.decision)} ({plain(one.seat)})"


@chart
def stakes(answer: ChoicesAnswer, ax: Axes | None = None) -> Axes:
    """Stakes of a choice, turn by turn."""
    ax = drawing.axes(ax, 2.6)
    if not answer.turns:
        return drawing.note(ax, "too few positions")
    scale, gains = 1.0 if answer.by_score else 100.0, [one.over_random for one in answer.turns]
    scaled = [estimate_of((gain.value, gain.low, gain.high), scale) for gain in gains]
    drawing.whiskers(ax, range(len(gains)), scaled, drawing.seat_color(0), size=5, cap=0)
    names = [str(one.first) if one.first == one.last else f"{one.first}–{one.last}" for one in answer.turns]
    ax.set_xticks(range(len(names)), names)
    ax.axhline(0, color=drawing.MUTED, lw=1)
    ax.set_xlabel("turn")
    ax.set_ylabel("gain, score" if answer.by_score else "gain, points")
    return ax
