"""The skill ladder: what each step of a ladder of bots gains on the last, and how the balance changes with skill."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import UserMistake
from simlab.present.blocks import GamesLink
from simlab.present.chart import Draw, chart
from simlab.present.estimate import LEVEL, Estimate, ends_of, estimate_of, plain
from simlab.results.drill_down import all_games
from simlab.results.pool import Cell, Pool
from simlab.results.view import View
from simlab.stats.bounded import mean_bounds
from simlab.stats.figure import score_name
from simlab.stats.skill import decided_by_skill

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


SEARCHING = {"lookahead", "ismcts"}  #: bots that look ahead


@dataclass(frozen=True)
class Rung:
    """All seats with bots of one strength.

    Attributes:
        name: `100 iterations`. rates: win rate of each side; the intervals hold for all rungs together.
        fair: win rate of each side if all won equally often. favourite: the side above its fair share for certain.
        scores: mean score of each seat; empty for a game without scores. games_behind: the link to its games.
    """

    name: str
    games: int
    rates: tuple[Estimate, ...]
    fair: tuple[float, ...]
    favourite: str
    scores: tuple[Estimate, ...]
    games_behind: GamesLink | None = None


@dataclass(frozen=True)
class Step:
    """One seat a rung higher than the others.

    Attributes:
        share: what the stronger bot has of the wins, shared ones in parts, over all seats alike; 1 / seats is no gain.
        elo: the same in Elo points. Both intervals hold for all steps together, whatever luck the seats' games share:
            they are as wide as if all seats erred together.
        searches: whether a bot of the upper rung looks ahead.
        sides: by how much each side of several seats wins more often than where nobody steps up, in points on the same
            seeds; empty without such sides or without rows.
        decided: the share as a mixture: part of the games that skill decides, where even luck decides the others.
        by_seat: the share in each seat. games_behind: the link to the games.
    """

    lower: str
    upper: str
    share: Estimate
    elo: Estimate
    decided: Estimate
    by_seat: tuple[Estimate, ...]
    searches: bool = False
    sides: tuple[Estimate, ...] = ()
    games_behind: GamesLink | None = None


@dataclass(frozen=True)
class Change:
    """A side that wins significantly more or less often in one rung than in an earlier one.

    Attributes:
        points: how much more often, on the same seeds; the interval holds for all sides and pairs of rungs together.
    """

    side: str
    before: str
    after: str
    points: Estimate


@dataclass(frozen=True)
class Ladder:
    """A ladder that was played.

    Attributes:
        changes: between rungs, the greatest first.
        joint: names of the sides of several seats.
    """

    sides: tuple[str, ...]
    rungs: tuple[Rung, ...]
    steps: tuple[Step, ...]
    changes: tuple[Change, ...] = ()
    joint: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What it says: who is favoured at which strength, and how far each step goes."""
        together = len(self.sides) == 1
        return [
            *([] if together else [_favourites(self.rungs)]),
            *([_changes(self.changes)] if len(self.rungs) > 1 else []),
            *([_depth(self.steps, together)] if self.steps else []),
            *_for_the_side(self.steps, self.joint),
        ]

    @property
    def best(self) -> Rung:
        """The rung with the best bots: where all win together the one that wins most, else the highest one that a
        lower one does not significantly beat."""
        if len(self.sides) == 1:
            return max(self.rungs, key=lambda rung: rung.rates[0].value)
        if len(self.steps) != len(self.rungs) - 1:
            return self.rungs[-1]
        place, gained = len(self.rungs) - 1, 0.0
        for below in range(len(self.steps) - 1, -1, -1):
            step = self.steps[below]
            gained += min(max(step.elo.value, -2_000.0), 2_000.0)
            if step.elo.high < 0 and gained < 0:
                place, gained = below, 0.0
        return self.rungs[place]


def is_ladder(view: View) -> bool:
    """Whether the results are those of a ladder."""
    return bool(dict(view.config.get("tournament") or {}).get("ladder"))


def climb(view: View) -> Ladder:
    """What the results of a ladder say.

    Raises:
        UserMistake: they are of no ladder, or varied.
    """
    if not is_ladder(view) or view.varied:
        raise UserMistake(f"{view.name}: is no ladder of bots. `simlab compare GAME --ladder` plays one.")
    texts = {seat: [plain(bot, 200) for bot in view.config["bots"][seat]] for seat in view.raw_seats}
    names = [_name(texts, step) for step in range(len(next(iter(texts.values()))))]
    played = {
        tuple(texts[seat].index(cell.bots[seat]) for seat in view.raw_seats): view.pool(cell.label, [cell])
        for cell in view.cells
        if cell.games
    }
    seats = len(view.raw_seats)
    alike = [played.get((step,) * seats) for step in range(len(names))]
    strict = 1 - (1 - LEVEL) / max(len(names) * len(view.sides), 1)
    rungs = [_rung(view, name, pool, strict) for name, pool in zip(names, alike, strict=True) if pool is not None]
    steps = []
    every_step = 1 - (1 - LEVEL) / max(len(names) - 1, 1)
    for upper in range(1, len(names) if seats > 1 else 0):
        ahead = [played.get(tuple(upper - (o != seat) for o in range(seats))) for seat in range(seats)]
        if all(pool is not None for pool in ahead):
            shares = tuple(pool.credit(seat, every_step) for seat, pool in enumerate(ahead) if pool is not None)
            step = _step(names[upper - 1], names[upper], shares)
            cells = [cell for pool in ahead if pool is not None for cell in pool.cells]
            searches = any(searches_ahead(texts[seat][upper]) for seat in view.raw_seats)
            there = alike[upper - 1]
            sides = () if there is None else _side_changes(view, there.cells, cells, every_step)
            games = all_games(view, view.pool("", cells))
            steps.append(replace(step, games_behind=games, searches=searches, sides=sides))
    return Ladder(
        tuple(name for name, _, _ in view.sides),
        tuple(rungs),
        tuple(steps),
        tuple(_significant_changes(view, [(n, p) for n, p in zip(names, alike, strict=True) if p is not None])),
        tuple(view.sides[place][0] for place, _ in view.joint_sides),
    )


def _significant_changes(view: View, rungs: Sequence[tuple[str, Pool]]) -> list[Change]:
    """The sides that win significantly more or less often in one rung than in an earlier one."""
    pairs = list(itertools.combinations(range(len(rungs)), 2))
    sides = range(1 if view.mirrored else len(view.sides))
    level = 1 - (1 - LEVEL) / max(len(pairs) * len(sides), 1)
    found = []
    for side in sides:
        for one, two in pairs:
            points = _difference(view, side, rungs[one][1].cells, rungs[two][1].cells, level)
            if points.low > 0 or points.high < 0:
                found.append(Change(view.the_side(view.sides[side][0]), rungs[one][0], rungs[two][0], points))
    return sorted(found, key=lambda change: -abs(change.points.value))


def _side_changes(view: View, before: Sequence[Cell], after: Sequence[Cell], level: float) -> tuple[Estimate, ...]:
    return tuple(_difference(view, side, before, after, level) for side, _ in view.joint_sides)


def _difference(view: View, side: int, before: Sequence[Cell], after: Sequence[Cell], level: float) -> Estimate:
    """By how many points a side wins more often in some cells than in others: game by game where the rows are known."""
    rows = view.by_game(view.side_column(side))
    if rows is None:
        rates = [view.pool("", cells).side_rate(side, 1 - (1 - level) / 2) for cells in (before, after)]
        ends = (rates[1].value - rates[0].value, rates[1].low - rates[0].high, rates[1].high - rates[0].low)
        return estimate_of(ends, 100, False)
    place = {id(cell): i for i, cell in enumerate(view.cells)}
    one, two = (rows[:, [place[id(cell)] for cell in cells]].mean(axis=1) for cells in (before, after))
    values, counts = np.unique(np.round(two - one, 9), return_counts=True)
    low, high = mean_bounds(values, counts, -1, 1, level)
    return estimate_of((float((two - one).mean()), low, high), 100, False)


def searches_ahead(bot: str) -> bool:
    """Whether a bot looks ahead, by its text."""
    return re.split(r"[:=]", bot, maxsplit=1)[0] in SEARCHING


def _name(texts: dict[str, list[str]], step: int) -> str:
    """What a rung is called: its iterations, or its bots."""
    bots = list(dict.fromkeys(bots[step] for bots in texts.values()))
    budgets = {match[1] if (match := re.search(r"\biterations=(\d+)", bot)) else "" for bot in bots}
    if len(budgets) > 1 or "" in budgets:
        return " v ".join(bots)
    number = budgets.pop()
    return f"{int(number):,} iteration{'s' * (number != '1')}"


def _rung(view: View, name: str, pool: Pool, level: float) -> Rung:
    rates = tuple(pool.side_rate(side, level) for side in range(len(view.sides)))
    fair = (sum(rate.value for rate in rates) / len(rates),) * len(rates)
    ahead = [side for (side, _, _), rate, share in zip(view.sides, rates, fair, strict=True) if rate.low > share]
    scores: tuple[Estimate, ...] = ()
    if view.has_scores:
        scores = tuple(pool.mean(score_name(seat)) for seat in view.raw_seats)
    return Rung(
        name,
        pool.games,
        rates,
        fair,
        ahead[0] if len(view.sides) > 1 and len(ahead) == 1 else "",
        scores,
        all_games(view, pool),
    )


def elo(share: float, seats: int) -> float:
    """Elo points by which one bot is stronger than the others at its table, out of its share of the wins."""
    if share <= 0.0 or share >= 1.0:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share * (seats - 1) / (1 - share))


def _step(lower: str, upper: str, shares: Sequence[Estimate]) -> Step:
    seats = len(shares)
    value, low, high = (sum(getattr(share, end) for share in shares) / seats for end in ("value", "low", "high"))
    points = Estimate(elo(value, seats), elo(low, seats), elo(high, seats), rate=False)
    middle, least, most = (decided_by_skill(end, seats) for end in (value, low, high))
    return Step(lower, upper, Estimate(value, low, high), points, Estimate(middle, least, most), tuple(shares))


def _favourites(rungs: Sequence[Rung]) -> str:
    """Who is favoured in which rungs. Significant in one rung and not in another is no change."""
    if all(len(rung.rates) < 2 for rung in rungs):
        return "One side: nobody is favoured over anybody."
    where: dict[str, list[str]] = {}
    for rung in rungs:
        where.setdefault(rung.favourite, []).append(rung.name)
    open_ = where.pop("", [])
    share = f"the fair share of {100 * rungs[0].fair[0]:.0f} %"
    if not where:
        return f"No side is significantly above {share} in any rung."
    if len(where) == 1 and not open_:
        return f"The favourite is the same at every strength: {next(iter(where))}, over {share}."
    parts = [f"{who} in {', '.join(names)}" for who, names in where.items()]
    rest = f"; in {', '.join(open_)} these games show no favourite" if open_ else ""
    changes = "The favourite changes with the bots" if len(where) > 1 else "Significantly favoured"
    return f"{changes}, over {share}: {'; '.join(parts)}{rest}."


def _changes(changes: Sequence[Change]) -> str:
    """The greatest significant change between two rungs."""
    if not changes:
        return "No side wins significantly more or less often in one rung than in another."
    most = changes[0]
    way = "rises" if most.points.value > 0 else "falls"
    size = abs(most.points.value)
    low, high = sorted((abs(most.points.low), abs(most.points.high)))
    return (
        f"The win rate of {most.side} {way} by {size:.1f} points ({low:.1f} to {high:.1f}) from {most.before} to "
        f"{most.after}, on the same seeds."
    )


def _depth(steps: Sequence[Step], together: bool) -> str:
    """How far the steps go. In a game in which all win together a share of the wins is a seat's own."""
    own = ", by a seat's own wins" if together else ""
    sure = [step for step in steps if step.elo.low > 0]
    worse = [step for step in steps if step.elo.high < 0]
    if worse:
        must = " More thought must not play worse." if all(step.searches for step in worse) and not together else ""
        return f"Significantly weaker than the rung below{own}: {', '.join(step.upper for step in worse)}.{must}"
    if not sure:
        return (
            f"No step is significantly stronger than the last{own}: there is little to find, or more games are needed."
        )
    last = sure[-1]
    return f"The last step that is significantly stronger{own}: {last.upper}, {last.elo.text} Elo over {last.lower}."


def _for_the_side(steps: Sequence[Step], joint: Sequence[str]) -> list[str]:
    """What one seat that steps up is worth to each side of several seats."""
    sentences = []
    for step in steps:
        for name, points in zip(joint, step.sides, strict=False):
            sure = "" if points.low > 0 or points.high < 0 else ", not significantly"
            sentences.append(
                f"Where one seat plays {step.upper} and the others {step.lower}, the win rate of the {name} changes by "
                f"{points.value:+.1f} points ({points.low:+.1f} to {points.high:+.1f}){sure}."
            )
    return sentences


def terminal(view: View) -> list[RenderableType]:
    """Tables for a terminal; the sentences stand above them, in the verdict."""

    ladder = climb(view)
    heads = ["all seats with", *(f"{side} wins" for side in ladder.sides)]
    rows = [[rung.name, *(rate.full for rate in rung.rates)] for rung in ladder.rungs]
    if any(rung.scores for rung in ladder.rungs):
        heads += [f"score of {view.the(seat)}" for seat in view.seats]
        rows = [[*row, *(s.full for s in rung.scores)] for row, rung in zip(rows, ladder.rungs, strict=True)]
    shown: list[RenderableType] = [_table(f"{view.title}: all seats equally strong", heads, rows)]
    if ladder.steps:
        heads = [
            "one seat with",
            "the others with",
            "share of the wins",
            "Elo",
            "games that skill decides",
            *(f"as {s}" for s in view.seats),
        ]
        rows = [
            [
                step.upper,
                step.lower,
                step.share.full,
                step.elo.full,
                step.decided.full,
                *(share.text for share in step.by_seat),
            ]
            for step in ladder.steps
        ]
        shown.append(_table("One seat a step stronger than the others", heads, rows, 2))
    return shown


def top_rung(view: View) -> tuple[str, list[str]]:
    """How the game stands among the strongest bots of the ladder, and what the whole ladder says."""
    ladder = climb(view)
    if not ladder.rungs:
        return "No rung of the ladder was played by all seats yet.", []
    top = ladder.best
    if len(ladder.sides) == 1:
        return _most_often(view, ladder), ladder.sentences
    rates = ", ".join(f"{side} {rate.full}" for side, rate in zip(ladder.sides, top.rates, strict=True))
    favoured = f"; {view.the_side(top.favourite)} is significantly favoured" if top.favourite else ""
    stronger = any(step.upper == top.name and step.elo.low > 0 for step in ladder.steps) or top is not ladder.rungs[-1]
    which = "the best bots of this ladder" if stronger else "the bots of the highest rung"
    return f"With {which} in all seats ({top.name}) they win: {rates}{favoured}.", ladder.sentences


def _most_often(view: View, ladder: Ladder) -> str:
    """In which rung all win together most often, or the only seat does; of one seat with scores those too."""
    (name, _, wins), top = view.sides[0], ladder.best
    who = view.the_side(name)
    scored = len(view.seats) == 1 and bool(top.scores)

    def result(rung: Rung) -> str:
        return f"{rung.rates[0].full}{f' and scores {rung.scores[0].full}' if scored else ''}"

    if not ladder.changes:
        every = "; ".join(f"{rung.name} {result(rung)}" for rung in ladder.rungs)
        return f"In which rung {who} {wins} most often these games do not show: {every}."
    rest = "".join(f"; with {rung.name} in {result(rung)}" for rung in ladder.rungs if rung is not top)
    parted = {frozenset((change.before, change.after)) for change in ladder.changes}
    sure = all(frozenset((rung.name, top.name)) in parted for rung in ladder.rungs if rung is not top)
    most = "most often" if sure else "most often, as far as these games show"
    return f"With {top.name} in all seats {who} {wins} {most}: in {result(top)} of the games{rest}."


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> RenderableType:
    from simlab.report import tables

    made = tables.table(title)
    for head in heads[:texts]:
        made.add_column(head, overflow="fold")
    tables.numbers(made, *heads[texts:])
    for row in rows:
        tables.add(made, row)
    return made


@chart
def balance_curve(ladder: Ladder, ax: Axes | None = None) -> Axes:
    """Win rate of each side by rung, all seats equally strong, with intervals; broken line: an equal share."""

    from simlab.present import drawing

    ax = drawing.axes(ax, 3.2)
    places = range(len(ladder.rungs))
    for side, name in enumerate(ladder.sides):
        rates = [rung.rates[side] for rung in ladder.rungs]
        color = drawing.seat_color(side)
        shift = 0.06 * (side - (len(ladder.sides) - 1) / 2)  # so that whiskers do not hide each other
        ends = [[rate.value - rate.low for rate in rates], [rate.high - rate.value for rate in rates]]
        ax.errorbar(
            [place + shift for place in places], [rate.value for rate in rates], yerr=np.maximum(ends, 0), fmt="o-",
            markersize=5, capsize=3, color=color, label=drawing.label(name),
        )  # fmt: skip
    if len(ladder.sides) > 1:
        fair = [rung.fair[0] for rung in ladder.rungs]
        ax.plot(list(places), fair, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        drawing.legend_below(ax)
    ax.set_xticks(list(places), [drawing.label(rung.name, 16) for rung in ladder.rungs])
    ax.set_ylim(0, 1)
    drawing.percent(ax, "y")
    ax.set_ylabel("share of the games won")
    return ax


@chart
def elo_steps(steps: Sequence[Step], ax: Axes | None = None) -> Axes:
    """What each step gains on the last, in Elo points with intervals; filled where it is certain."""

    from simlab.present import drawing

    ax = drawing.axes(ax, 0.9 + 0.32 * len(steps))
    known = [end for step in steps for end in (step.elo.low, step.elo.value, step.elo.high) if math.isfinite(end)]
    least, most = min([0.0, *known]) - 40, max([0.0, *known]) + 40
    for row, step in enumerate(steps):
        one = step.elo
        sure = one.low > 0 or one.high < 0
        color = drawing.seat_color(0 if one.value > 0 else 1) if sure else drawing.MUTED
        ax.plot([max(one.low, least), min(one.high, most)], [row, row], color=color, linewidth=1.4)
        if math.isfinite(one.value):
            ax.plot([one.value], [row], "o", markersize=5, color=color, markerfacecolor=color if sure else "none")
    ax.axvline(0, color=drawing.MUTED, linewidth=1)
    ax.set_xlim(least, most)
    ax.set_yticks(range(len(steps)), [drawing.label(f"{step.upper} over {step.lower}", 44) for step in steps])
    ax.set_ylim(len(steps) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("Elo points gained")
    return ax


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """What the page shows of a ladder; None for other results."""
    if not is_ladder(view) or view.varied:
        return None
    ladder = climb(view)
    if not ladder.rungs:
        return None
    caption = (
        "How often each side wins where all seats are equally strong, from the weakest rung to the strongest; the "
        "whiskers hold for all rungs together (95 %)"
    )
    shares = ", the broken line is an equal share." if len(ladder.sides) > 1 else "."
    figures = [draw("ladder_balance", balance_curve(ladder), caption + shares)]
    if ladder.steps:
        gains = (
            "What one seat gains by a step up while the others stay below, by its share of the wins; the whiskers hold "
            "for all steps together (95 %), filled where significant."
        )
        figures.append(draw("ladder_steps", elo_steps(ladder.steps), gains))
    scored = list(view.seats) if any(rung.scores for rung in ladder.rungs) else []
    return {
        "figures": figures, "sides": ladder.sides, "scored": scored,
        "rungs": ladder.rungs, "steps": ladder.steps,
    }  # fmt: skip


def summary(view: View) -> dict[str, Any]:
    """The same for --json."""
    ladder = climb(view)

    return {
        "ladder": {
            "rungs": [
                {
                    "name": rung.name, "games": rung.games, "favourite": rung.favourite or None,
                    "win_rate": {s: ends_of(rate) for s, rate in zip(ladder.sides, rung.rates, strict=True)},
                    "fair_share": dict(zip(ladder.sides, rung.fair, strict=True)),
                    "score": {s: ends_of(mean) for s, mean in zip(view.raw_seats, rung.scores, strict=False)},
                }
                for rung in ladder.rungs
            ],
            "steps": [
                {
                    "stronger": step.upper, "others": step.lower,
                    "share": ends_of(step.share), "elo": ends_of(step.elo), "decided_by_skill": ends_of(step.decided),
                    "by_seat": {s: ends_of(share) for s, share in zip(view.raw_seats, step.by_seat, strict=True)},
                    "side_points": {s: ends_of(points) for s, points in zip(ladder.joint, step.sides, strict=False)},
                }
                for step in ladder.steps
            ],
            "best": ladder.best.name if ladder.rungs else None,
            "changes": [
                {"side": one.side, "from": one.before, "to": one.after, "points": ends_of(one.points)}
                for one in ladder.changes
            ],
            "sentences": ladder.sentences,
        }
    }  # fmt: skip
