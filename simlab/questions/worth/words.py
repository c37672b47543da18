"""The worth of options and cards in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from simlab.engine.payoff import unit
from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import plain
from simlab.present.text import text
from simlab.questions.best_answers import CHOSEN
from simlab.questions.worth.analysis import PairWorth, ThingWorth, WorthAnswer

SHOWN = 20  #: things in a chart
NAMED = 3  #: things in a sentence
FEW_ROWS = 3  #: with this number of things that change nothing, they are listed in a sentence instead of rows
TOLD = 0.005  #: share of the decisions from which a table shows how often a ban was not kept, or chance decided
CAUSE = (
    "Worth: value with the option or card minus value without it, in the same {games:,} games. Each time the seat "
    "plays its best bot; where {chosen:,} other games do not show which bot is the best, all that may be are played, "
    "and the interval holds whichever it is. Intervals hold for all options of all seats together, and for all cards "
    "(95 %)."
)
SUBSETS = (
    "Worth: value with the option or card minus value without it, in {games:,} games without random subsets of them. "
    "Each is missing in {missing:.0f} % of the games, so this is its worth while the same share of the others is "
    "missing. "
    "The bot stays the same. Intervals hold for all options of all seats together, and for all cards (95 %)."
)
SHARE = (
    "Share of the wins: a win that several seats share counts in equal parts, unless they win as one side; a draw of "
    "two counts 1/2 for each. Points are percentage points of this share, not points of the score."
)
USED = (
    "When used: win rate in the games in which the seat took it, minus the win rate in the others. It does not "
    "measure worth: an option that a seat takes when it is ahead looks strong."
)


def blocks(answer: WorthAnswer) -> Iterator[Block]:
    for seat in answer.base:
        if answer.of_seat(seat):
            yield Paragraph(" ".join(_sentences(answer, seat)), "lead")
    for number, seat in enumerate(answer.base):
        things = answer.of_seat(seat)
        if not things:
            continue
        same = [one for one in things if _changes_nothing(one)]
        if len(same) < FEW_ROWS:
            same = []
        if len(same) < len(things):
            yield _table(answer, seat, [one for one in things if one not in same])
        if same:
            names = ", ".join(plain(one.thing) for one in same)
            yield Paragraph(f"No game differs without these ({text(same[0].worth)} each): {names}.", "note")
        caption = f"{plain(seat)}: the worth of options and cards, highest first; intervals as in the table."
        yield Chart(f"worth_{number}", partial(worths, answer, seat), caption, games=(), made_by=answer.source)
        if any(pair.seat == seat for pair in answer.pairs):
            caption = f"{plain(seat)}: joint effect of two options beyond the sum of each alone, in {_measure(answer)}."
            yield _pairs(answer, seat)
            yield Chart(f"pairs_{number}", partial(pairs, answer, seat), caption, games=(), made_by=answer.source)
        if answer.unused.get(seat):
            yield Paragraph(f"{plain(seat)} hardly ever takes: {', '.join(answer.unused[seat])}.", "note")
    yield Paragraph(_bots_met(answer), "note")
    if not answer.by_score:
        yield Paragraph(SHARE, "note")
    for problem in answer.problems:
        yield Paragraph(f"Not measured: {problem}", "warning")


def _bots_met(answer: WorthAnswer) -> str:
    tried = "; ".join(f"{plain(seat)}: {', '.join(map(plain, of))}" for seat, of in answer.bots.items())
    met = "; ".join(f"{plain(seat)}: {', '.join(map(plain, of))}" for seat, of in answer.field.items())
    met = f" The other seats play {met}, the result of repeated best answers." if len(answer.field) > 1 else ""
    return (
        f"These results are for these bots, best first ({tried}). An option that none of them uses well seems to be "
        f"worth less than it is.{met}"
    )


def _sentences(answer: WorthAnswer, seat: str) -> Iterator[str]:
    things, name = answer.of_seat(seat), plain(seat)
    value = text(answer.base[seat])
    yield f"{name} scores {value}." if answer.by_score else f"{name} has {value} of the wins."
    strong = [one for one in things if one.worth.low > 0]
    traps = [one for one in reversed(things) if one.worth.high < 0]
    if strong:
        named = ", ".join(f"{plain(one.thing)} {text(one.worth)}" for one in strong[:NAMED])
        yield f"Most valuable: {named}."
    else:
        yield f"None of {len(things)} options and cards has a significant worth."
    if traps:
        named = ", ".join(f"{plain(one.thing)} {text(one.worth)}" for one in traps[:NAMED])
        why = {one.kind == "card" for one in traps[:NAMED]}
        reasons = [
            others for card, others in ((True, "others profit more"), (False, "its bots misuse it")) if card in why
        ]
        yield f"It does significantly better without {named} ({', or '.join(reasons)})."
    for one in [one for one in things if one.misleads][:NAMED]:
        assert one.when_used is not None
        assert one.used is not None
        yield (
            f"{plain(one.thing)} looks stronger than it is: {text(one.when_used)} in the games in which it is used "
            f"({one.used.text} of all), but it is worth {text(one.worth)} in all games."
        )
    made = [pair for pair in answer.pairs if pair.seat == seat]
    clear = sorted((pair for pair in made if pair.verdict == "changed"), key=lambda pair: -abs(pair.synergy.value))
    for pair in clear[:NAMED]:
        how = "partners" if pair.synergy.value > 0 else "rivals"
        yield f"{plain(pair.one)} and {plain(pair.other)} are {how} ({text(pair.synergy)})."
    if made and not clear:
        yield f"No pair does significantly more or less together than apart ({len(made)} pairs)."


def _table(answer: WorthAnswer, seat: str, things: list[ThingWorth]) -> Table[ThingWorth]:
    used, scored = any(one.when_used for one in things), any(one.score for one in things)
    stayed, overruled = any(one.stayed >= TOLD for one in things), any(one.chance >= TOLD for one in things)
    columns = [
        *attributes("option or card=thing"),
        Column[ThingWorth]("used", lambda one: one.used.text if one.used else "–"),
        *attributes("worth", "verdict", "when used=when_used" if used else "", "score" if scored else ""),
        *attributes("length without it=length", "bot without it=bot" if len(answer.bots[seat]) > 1 else ""),
    ]
    if stayed:
        columns.append(Column[ThingWorth]("stayed", lambda one: f"{100 * one.stayed:.1f} %"))
    if overruled:
        columns.append(Column[ThingWorth]("by chance", lambda one: f"{100 * one.chance:.1f} %"))
    note = CAUSE.format(games=answer.games, chosen=max(answer.games // CHOSEN, 20))
    if answer.missing:
        note = SUBSETS.format(games=answer.games, missing=100 * answer.missing)
    if used:
        note += f" {USED}"
    if stayed:
        note += " Stayed: share of the seat's decisions in which nothing else was legal, so the banned option stayed."
    if overruled:
        note += (
            " By chance: share of its decisions that were made at random because its bot chose the banned option. An "
            "option with a large share is worth less to a bot that knows about the ban: add a bot that looks ahead."
        )
    return Table(things, tuple(columns), title=f"Worth of options and cards to {plain(seat)}", note=note)


def _changes_nothing(one: ThingWorth) -> bool:
    """Whether no game had another result, score or length without it."""
    return one.verdict == "identical" and one.length.value == 0 and (one.score is None or one.score.value == 0)


def _measure(answer: WorthAnswer) -> str:
    return unit(answer.has_scores)


def _pairs(answer: WorthAnswer, seat: str) -> Table[PairWorth]:
    rows = sorted((pair for pair in answer.pairs if pair.seat == seat), key=lambda pair: -abs(pair.synergy.value))
    held_out = "" if answer.missing else "These games were not used to rank the options. "
    return Table(
        rows,
        (*attributes("one", "other", "together=synergy", "verdict"),),
        title=f"Partners and rivals of {plain(seat)}",
        note=f"Together: {_measure(answer)} with both plus with neither, minus the sum of each alone. Above 0 the two "
        f"are partners. Below 0 they are rivals, because each makes up for the loss of the other. {held_out}Intervals "
        "hold for all pairs together (95 %).",
    )


@chart
def worths(answer: WorthAnswer, seat: str, ax: Axes | None = None) -> Axes:
    """Worth of options and cards to a seat, highest first."""
    shown = answer.of_seat(seat)[:SHOWN]
    names, color = [one.thing for one in shown], drawing.seat_color(list(answer.base).index(seat), seat)
    ax = drawing.effects(ax, names, [one.worth for one in shown], color=color)
    ax.set_xlabel(f"worth, {unit(answer.by_score)}")
    return ax


@chart
def pairs(answer: WorthAnswer, seat: str, ax: Axes | None = None) -> Axes:
    """Joint effects of pairs of a seat's options, as tiles."""
    from matplotlib.colors import Normalize

    made = [pair for pair in answer.pairs if pair.seat == seat]
    names = list(dict.fromkeys(name for pair in made for name in (pair.one, pair.other)))
    table = np.full((len(names), len(names)), np.nan)
    scale = 1.0 if answer.has_scores else 100.0
    labels = [["" for _ in names] for _ in names]
    for pair in made:
        i, j = names.index(pair.one), names.index(pair.other)
        table[i, j] = table[j, i] = scale * pair.synergy.value
        labels[i][j] = labels[j][i] = f"{scale * pair.synergy.value:+.1f}".replace("-", "−")
    across = [drawing.label(name, 22) for name in names]
    ax = drawing.axes(ax, 0.8 + 0.3 * len(names) + 0.075 * max(map(len, across)), max(0.5 * len(names) + 1.9, 5.0))
    most = float(np.nanmax(np.abs(table))) or 1.0
    drawing.heat(ax, table, labels, drawing.versus(), Normalize(-most, most))
    drawing.name_tiles(ax, [drawing.label(name, 26) for name in names], across, above=True, tilted=True)
    return ax
