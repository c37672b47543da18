"""The skill ladder in sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes, entries, linked
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.ladder.analysis import Change, Ladder, Rung, Step

TITLE = "The skill ladder"
CHAPTER, RANK = "Who wins", 10

NOTE = "Win rates of equally strong seats: the 95 % intervals hold for all rungs together."
STEPS = (
    " A step's share: wins of the "
    "stronger bot, averaged over the seats; a win that several seats share is split. Its intervals hold for all steps "
    "together, however the seats' games are correlated. Games decided by skill: the share of the games that the "
    "stronger bot always wins, if an even draw decides the others. It is 0 % in a coin toss, and 52 % between two "
    "players who are 200 Elo points apart (one class in chess)."
)


def headline(ladder: Ladder) -> str:
    """Who wins among the best bots of the ladder."""
    if not ladder.rungs:
        return "No rung of the ladder has been played in all seats yet."
    top = ladder.best_rung
    if ladder.together:
        return _most_often(ladder)
    rates = ", ".join(f"{side} {rate.full}" for side, rate in top.win_rate.items())
    favoured = f"; {top.favourite} is significantly favoured" if top.favourite else ""
    stronger = any(step.stronger == top.name and step.elo.low > 0 for step in ladder.steps)
    which = "the best bots of this ladder" if stronger or top is not ladder.rungs[-1] else "the bots of the top rung"
    return f"With {which} in all seats ({top.name}), the win rates are: {rates}{favoured}."


def sentences(ladder: Ladder) -> list[str]:
    """Who is favoured at which strength, and how much each step gains."""
    several = len(ladder.rungs) > 1
    return [
        *([] if ladder.together or not ladder.rungs else [favourites(ladder.rungs)]),
        *([_change(ladder.changes)] if several else []),
        *([depth(ladder.steps, bool(ladder.together))] if ladder.steps and not ladder.united else []),
        *_for_the_side(ladder.steps),
    ]


def blocks(ladder: Ladder) -> Iterator[Block]:
    """Charts and tables; the sentences are in the report's headline."""
    if not ladder.rungs:
        return
    fair = "" if ladder.together else "; the dashed line is a fair share"
    yield Chart(
        "ladder_balance", lambda: balance_curve(ladder.rungs),
        f"Win rate of each side when all seats are equally strong, from the weakest rung to the strongest{fair}. The "
        "95 % intervals hold for all rungs together.",
    )  # fmt: skip
    columns = [
        *attributes("all seats with=name"),
        linked("games"),
        *entries(
            "win_rate",
            {side: ladder.together.removeprefix("the ") or f"{side} wins" for side in ladder.rungs[0].win_rate},
        ),
        *entries("score", {seat: f"score of {seat}" for seat in ladder.rungs[0].score}),
    ]
    if not ladder.together:
        columns.append(Column[Rung]("significantly favoured", lambda rung: rung.favourite or None))
    yield Table(ladder.rungs, columns, title=f"{ladder.title}: all seats equally strong")
    shown = ladder.steps and not ladder.united
    if shown:
        yield Chart(
            "ladder_steps", lambda: elo_steps(ladder.steps),
            "Gain of one seat from a step up while the others stay one rung below, from its share of the wins. The "
            "95 % intervals hold for all steps together; filled: significant.",
        )  # fmt: skip
        yield Table(
            ladder.steps,
            (
                linked("one seat with=stronger"),
                *attributes("the others with=others", "share of the wins=share", "Elo=elo"),
                *attributes("games decided by skill=decided_by_skill"),
                *entries("by_seat", {seat: f"as {seat}" for seat in ladder.steps[0].by_seat}),
            ),
            title="One seat a step stronger than the others",
        )
    yield Paragraph(NOTE + STEPS * bool(shown), "note")


def favourites(rungs: Sequence[Rung]) -> str:
    """Which side is favoured in which rungs. Significance in one rung but not in another is not a change."""
    where: dict[str, list[str]] = {}
    for rung in rungs:
        where.setdefault(rung.favourite, []).append(rung.name)
    inconclusive = where.pop("", [])
    share = f"the fair share of {100 * rungs[0].fair_share:.0f} %"
    if not where:
        return f"No side is significantly above {share} in any rung."
    if len(where) == 1 and not inconclusive:
        return f"The favourite is the same at every strength: {next(iter(where))}, over {share}."
    parts = [f"{who} in {', '.join(names)}" for who, names in where.items()]
    rest = f"; inconclusive in {', '.join(inconclusive)}" if inconclusive else ""
    changes = "The favourite changes with the bots" if len(where) > 1 else "Significantly favoured"
    return f"{changes}, over {share}: {'; '.join(parts)}{rest}."


def _change(changes: Sequence[Change]) -> str:
    """The greatest significant difference between two rungs."""
    if not changes:
        return "No side's win rate differs significantly between rungs."
    most = changes[0]
    return (
        f"The win rate of {most.side} changes by {most.points.signed} points from {most.before} to {most.after}, on "
        "the same seeds."
    )


def depth(steps: Sequence[Step], together: bool) -> str:
    """How far up the ladder steps gain. In a game in which all win together, a seat's own wins count."""
    own = ", by a seat's own wins" if together else ""
    stronger = [step for step in steps if step.elo.low > 0]
    weaker = [step for step in steps if step.elo.high < 0]
    if weaker:
        search = all(step.searches for step in weaker) and not together
        fault = " More search should not play worse." if search else ""
        return f"Significantly weaker than the rung below{own}: {', '.join(step.stronger for step in weaker)}.{fault}"
    if not stronger:
        return (
            f"No rung is significantly stronger than the rung below{own}: there is little to gain, or more games are "
            "needed."
        )
    last = stronger[-1]
    return (
        f"The last rung that is significantly stronger{own}: {last.stronger}, {last.elo.full} Elo over {last.others}."
    )


def _for_the_side(steps: Sequence[Step]) -> Iterator[str]:
    """Value of a step up of one seat to each side of several seats."""
    for step in steps:
        for name, points in step.side_points.items():
            significant = "" if points.low > 0 or points.high < 0 else ", not significantly"
            yield (
                f"When one seat plays {step.stronger} and the others {step.others}, the win rate of the {name} changes "
                f"by {points.signed} points{significant}."
            )


def _most_often(ladder: Ladder) -> str:
    """The rung in which all seats together, or the only seat, win most often."""
    top, wins = ladder.best_rung, ladder.together

    def result(rung: Rung) -> str:
        (rate,) = rung.win_rate.values()
        scores = list(rung.score.values())
        return f"{rate.full}{f' and scores {scores[0].full}' if len(scores) == 1 else ''}"

    if not ladder.changes:
        every = "; ".join(f"{rung.name} {result(rung)}" for rung in ladder.rungs)
        return f"These games do not show in which rung {wins} most often: {every}."
    others = [rung for rung in ladder.rungs if rung is not top]
    rest = "".join(f"; with {rung.name} in {result(rung)}" for rung in others)
    different = {frozenset((change.before, change.after)) for change in ladder.changes}
    significant = all(frozenset((rung.name, top.name)) in different for rung in others)
    most = "most often" if significant else "most often, though not significantly more than with all other rungs"
    return f"With {top.name} in all seats {wins} {most}: in {result(top)} of the games{rest}."


@chart
def balance_curve(rungs: Sequence[Rung], ax: Axes | None = None) -> Axes:
    """Win rate of each side by rung, all seats equally strong; dashed: a fair share."""
    ax = drawing.axes(ax, 3.2)
    sides = list(rungs[0].win_rate)
    places = np.arange(len(rungs))
    for place, side in enumerate(sides):
        rates = [rung.win_rate[side] for rung in rungs]
        shift = 0.06 * (place - (len(sides) - 1) / 2)  # whiskers do not hide each other
        drawing.whiskers(ax, places + shift, rates, drawing.seat_color(place, side), side, line="o-", size=5, cap=3)
    if len(sides) > 1:
        fair = [rung.fair_share for rung in rungs]
        ax.plot(places, fair, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        drawing.legend_below(ax)
    ax.set_xticks(places, [drawing.label(rung.name, 16) for rung in rungs])
    ax.set_ylim(0, 1)
    drawing.percent(ax, "y")
    ax.set_ylabel("share of the games won")
    return ax


@chart
def elo_steps(steps: Sequence[Step], ax: Axes | None = None) -> Axes:
    """Gain of each step over the previous one, in Elo points; filled: significant."""
    known = [end for step in steps for end in (step.elo.low, step.elo.value, step.elo.high) if math.isfinite(end)]
    least, most = min([0.0, *known]) - 40, max([0.0, *known]) + 40
    names, sizes = [f"{step.stronger} over {step.others}" for step in steps], [step.elo for step in steps]
    sure = [one.low > 0 or one.high < 0 for one in sizes]
    ax = drawing.effects(ax, names, [one.within(least, most) for one in sizes], sure, limit=44)
    ax.set_xlim(least, most)
    ax.set_xlabel("Elo points gained")
    return ax
