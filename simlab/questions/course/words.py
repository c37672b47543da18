"""The course of a game in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simlab.present.blocks import Block, Chart, Column, Command, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, plain
from simlab.present.text import text
from simlab.questions.course.analysis import LOST, SHIFT, CourseAnswer, Statistic
from simlab.stats.course import FALSE, Bin, below, off_bins
from simlab.words import line_up

CHAPTER, RANK = "How games go", 20
MOST_SIDES = 8  #: that have a chart each

LABELS = {
    "behind": "{turn}s at whose start the eventual winner was significantly behind",
    "came_from_behind": "games whose winner was significantly behind at some {turn}",
    "drama": "drama: root of the winner's deficit, mean over the {turn}s in which it was significantly behind (0 to 1)",
    "lowest": "lowest win chance of the eventual winner",
    "lead_changes": "significant changes of the lead per game",
    "decided_turn": "{turn} after which a game is decided (all win chances stay within 5 points of the result)",
    "after_decided": "{turn}s played after the game is decided",
    "open_to_the_end": "games still open at the start of their last {turn}",
    "uncertainty": "uncertainty: variance of who wins, mean over the game relative to its start",
    "comebacks": "sides that seemed to fall below {below} and still won",
    "comeback_chance": "their chance at that moment, from other futures",
    "leader_wins": "leaders at the start of {turn} {third}, after a third of a game, that win",
    "leader_start": "chance of these leaders at the start of the game",
    "leader_race": "chance of these leaders in an even race",
    "runaway": "runaway: wins of these leaders above an even race, in points",
    "kingmaker_decisions": "decisions of a side with a win chance below {lost} that shift another side's chance by "
    "significantly more than {shift} points",
    "kingmaker_shift": "shift of another side's chance by such a side's decision, in points",
}
METHOD = (
    "At the start of each {turn} the same bots play on from the position {futures} times with new random draws; the "
    "share that a side wins is its win chance. These are the chances for {observer}. Each game is a cluster: the 95 % "
    "intervals reflect how games differ. A side is significantly behind if another's chance is higher by more than "
    "sampling noise. The even race starts with the same chances, but a lead gives no further advantage."
)
OBSERVER = (
    "an observer at the table who sees what the players see between them, such as all hands, but neither the order of "
    "face-down decks nor future random draws"
)
CALIBRATION = (
    "In each position, one half of the futures decides in which row a side counts. Predicted: the mean chance in "
    "the other half. Won: how often that side won."
)


def blocks(answer: CourseAnswer) -> Iterator[Block]:
    """The answer of `simlab analyze course`."""
    yield from _lead(answer)
    yield from _details(answer)
    if answer.games < answer.requested:
        left = answer.requested - answer.games
        yield Paragraph(f"{left:,} games are left out: they, or too many of their futures, were truncated.", "warning")


def section(answer: CourseAnswer) -> Section:
    """The section of a report."""
    details = Section("course-table", "The course of a game: all statistics", tuple(_details(answer)), folded=True)
    return Section("course", "The course of a game", (*_lead(answer), details))


def _lead(answer: CourseAnswer) -> Iterator[Block]:
    turn, of = plain(answer.turn_name), f" of {plain(answer.cell)}" if answer.cell else ""
    single = " Broken lines: single games." if answer.lines else ""
    yield Chart(
        "course", lambda: course(answer),
        f"Win chance at the start of each {turn} in {answer.games} games{of}: median (line), middle half (dark band) "
        f"and 90 % of the games (light band). A finished game counts with its result.{single}",
        games=(), made_by=plain(answer.again, 600), wide=len(shown(answer)) > 2,
    )  # fmt: skip
    for sentence in sentences(answer):
        yield Paragraph(sentence)
    for line in answer.lines:
        yield Command(plain(line.kind).capitalize(), plain(line.replay, 600))


def _details(answer: CourseAnswer) -> Iterator[Block]:
    turn = plain(answer.turn_name)
    bots = plain(answer.cell or line_up(answer.bots))
    names = {
        "turn": turn, "third": answer.third, "below": f"{100 * below(len(answer.sides)):.0f} %",
        "lost": f"{100 * LOST:.0f} %", "shift": f"{100 * SHIFT:.0f}",
    }  # fmt: skip
    observer = f"{plain(answer.seen_by)}, with everything hidden from it dealt again" if answer.seen_by else OBSERVER
    yield Table(
        answer.statistics,
        (
            Column[Statistic]("statistic", lambda one: LABELS.get(one.name, plain(one.name)).format(**names)),
            *attributes("value=estimate", "games"),
        ),
        title=f"{bots}: {answer.games:,} games",
        note=METHOD.format(turn=turn, futures=f"{answer.futures:,}", observer=observer),
    )
    turns, by_turn = answer.by_turn.turns, answer.by_turn
    yield Table(
        range(0, len(turns), -(-len(turns) // 10)),
        (
            Column[int](turn, lambda place: turns[place]),
            *(_chances(answer, side) for side in range(len(answer.sides))),
            Column[int]("still open", lambda place: f"{100 * by_turn.open[place]:.0f} %"),
        ),
        title=f"Win chances at the start of some {turn}s: mean (and range of 90 % of the games)",
        note="Still open: variance of who wins, relative to the start (noise may lift it above 100 %). A finished game "
        "counts with its result.",
    )
    if answer.calibration:
        yield Paragraph(calibration_sentence(answer.calibration))
        yield Table(
            answer.calibration,
            (
                Column[Bin]("chance", lambda one: f"{100 * one.low:.0f} to {100 * one.high:.0f} %"),
                Column[Bin]("predicted", lambda one: f"{100 * one.predicted:.0f} %"),
                Column[Bin]("won", lambda one: f"{100 * one.won:.0f} %"),
                Column[Bin]("won minus predicted, in points", _gap),
                *attributes("games"),
            ),
            title="Predicted chances compared with results",
            note=CALIBRATION,
        )


def _chances(answer: CourseAnswer, side: int) -> Column[int]:
    mean, fan = answer.by_turn.mean[side], answer.by_turn.quantiles[side]
    return Column(plain(answer.sides[side]), lambda place: Estimate(mean[place], fan[0][place], fan[-1][place]))


def _gap(one: Bin) -> Estimate | None:
    if one.gap_low is None or one.gap_high is None:
        return None
    return Estimate(100 * one.gap, 100 * one.gap_low, 100 * one.gap_high, rate=False)


def sentences(answer: CourseAnswer) -> Iterator[str]:
    """The main statistics with their intervals."""
    known = {one.name: one.estimate for one in answer.statistics}
    value = {name: estimate.full for name, estimate in known.items()}
    turn = plain(answer.turn_name)
    if {"decided_turn", "after_decided", "open_to_the_end"} <= known.keys():
        yield (
            f"On average a game is decided (95 % certain) after {turn} {value['decided_turn']}; "
            f"{value['after_decided']} of its {turn}s come after that. {value['open_to_the_end']} of the games stay "
            f"open until their last {turn}."
        )
    if {"behind", "came_from_behind"} <= known.keys():
        yield (
            f"The eventual winner was significantly behind in {value['behind']} of the {turn}s, and at some {turn} in "
            f"{value['came_from_behind']} of the games. Between sides with equal chances, noise of the futures alone "
            f"gives about {100 * FALSE / 2:g} % of the {turn}s and up to {100 * FALSE:g} % of the games."
        )
    if {"leader_wins", "leader_race", "runaway"} <= known.keys():
        more = known["runaway"]
        verdict = "more" if more.low > 0 else "less" if more.high < 0 else "not detectably more or less"
        yield (
            f"The side that leads after a third of a game wins {value['leader_wins']} of the games, {verdict} often "
            f"than in an even race ({known['leader_race'].text}), in which a lead gives no further advantage."
            + (" Leaders run away." if more.low > 0 else "")
        )
        if more.low > 0 and not answer.seen_by:
            yield (
                "This lead is that of an observer who sees the hands of all players. If the game hides them, compare "
                "the chances that a player can see: --seen-by SEAT."
            )
    if "kingmaker_decisions" in known:
        yield (
            f"Kingmaking: when a side with a win chance below {100 * LOST:.0f} % decides, "
            f"{value['kingmaker_decisions']} of the sampled decisions shift another side's chance by significantly "
            f"more than {100 * SHIFT:.0f} points."
        )


def calibration_sentence(bins: list[Bin]) -> str:
    """Whether predicted chances match results."""
    judged = sum(one.gap_p_value is not None for one in bins)
    if not judged:
        return "Too few games to compare predicted chances with results."
    off = off_bins(bins)
    if not off:
        return f"In the {judged} bins with enough games, results do not differ detectably from predicted chances."
    named = ", ".join(f"{text(100 * one.predicted)} % predicted, {text(100 * one.won)} % won" for one in off)
    return (
        f"Results differ significantly from predicted chances in {len(off)} of {judged} bins ({named}). Bots "
        "that look ahead without random draws of their own can cause this."
    )


def shown(answer: CourseAnswer) -> range:
    """The sides that are drawn; if the chances of two sides add up to 1, only the first."""
    means = np.array(answer.by_turn.mean)
    mirrored = len(means) == 2 and bool(np.allclose(means.sum(axis=0), 1, atol=1e-6))
    return range(1 if mirrored else min(len(means), MOST_SIDES))


@chart
def course(answer: CourseAnswer, ax: Axes | None = None) -> Axes:
    """Win chance of each side by turn: median, middle half and 90 % of the games; some games as lines."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    sides = shown(answer)
    columns = 1 if len(sides) == 1 else 2
    rows = -(-len(sides) // columns)
    if ax is None:
        figure = Figure(figsize=(drawing.WIDTH, 3.0 if len(sides) == 1 else 0.5 + 1.9 * rows), layout="constrained")
        panels = [figure.add_subplot(rows, columns, place + 1, axes_class=drawing.Chart) for place in range(len(sides))]
    else:
        panels = [ax, *(ax.inset_axes((0, -1.2 * place, 1, 1)) for place in range(1, len(sides)))]
    turns = answer.by_turn.turns
    for panel, side in zip(panels, sides, strict=True):
        low, early, middle, late, high = answer.by_turn.quantiles[side]
        color = drawing.seat_color(side, answer.sides[side])
        panel.fill_between(turns, low, high, color=color, alpha=0.15, lw=0, step="mid")
        panel.fill_between(turns, early, late, color=color, alpha=0.3, lw=0, step="mid")
        panel.plot(turns, middle, color=color, drawstyle="steps-mid")
        for line, dashes in zip(answer.lines, ("--", ":"), strict=False):
            label = drawing.label(f"{line.kind}, game {line.game}")
            panel.plot(line.turns, line.chances[side], dashes, color=drawing.INK, lw=1.1, label=label)
        panel.set_ylim(-0.03, 1.03)
        panel.set_xlim(turns[0] - 0.5, turns[-1] + 0.5)
        drawing.percent(panel, "y")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=7))
        panel.set_title(drawing.label(answer.sides[side], 26))
    for panel in panels[-columns:]:
        panel.set_xlabel(drawing.label(f"at the start of {answer.turn_name}", 40))
    if answer.lines:
        panels[0].legend(fontsize=7.5, loc="best")
    return panels[0]
