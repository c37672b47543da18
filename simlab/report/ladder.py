"""The skill ladder: what each step of a ladder of bots gains on the last, and how the balance changes with skill."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import UserMistake
from simlab.report.behind import Behind, all_games
from simlab.report.chart import Draw, chart
from simlab.report.estimate import LEVEL, Estimate, ends_of, plain
from simlab.report.pool import Pool
from simlab.report.view import View
from simlab.stats.figure import score_name
from simlab.stats.skill import decided_by_skill

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


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
    games_behind: Behind | None = None


@dataclass(frozen=True)
class Step:
    """One seat a rung higher than the others.

    Attributes:
        share: what the stronger bot has of the wins, shared ones in parts, over all seats alike; 1 / seats is no gain.
        elo: the same in Elo points. Both intervals hold whatever luck the seats' games share: they are as wide as if
            all seats erred together.
        decided: the share as a mixture: part of the games that skill decides, where even luck decides the others.
        by_seat: the share in each seat. games_behind: the link to the games.
    """

    lower: str
    upper: str
    share: Estimate
    elo: Estimate
    decided: Estimate
    by_seat: tuple[Estimate, ...]
    games_behind: Behind | None = None


@dataclass(frozen=True)
class Ladder:
    """A ladder that was played."""

    sides: tuple[str, ...]
    rungs: tuple[Rung, ...]
    steps: tuple[Step, ...]

    @property
    def sentences(self) -> list[str]:
        """What it says: who is favoured at which strength, and how far each step goes."""
        return [_favourites(self.rungs), *([_depth(self.steps)] if self.steps else [])]


def is_ladder(view: View) -> bool:
    """Whether the results are those of a ladder."""
    return bool(dict(view.config.get("tournament") or {}).get("ladder"))


def climb(view: View) -> Ladder:
    """What the results of a ladder say.

    Raises:
        UserMistake: they are of no ladder, or varied.
    """
    if not is_ladder(view) or view.varied:
        raise UserMistake(f"{view.name}: is no ladder of bots. `simlab ladder GAME` plays one.")
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
    for upper in range(1, len(names) if seats > 1 else 0):
        ahead = [played.get(tuple(upper - (o != seat) for o in range(seats))) for seat in range(seats)]
        if all(pool is not None for pool in ahead):
            shares = tuple(pool.credit(seat) for seat, pool in enumerate(ahead) if pool is not None)
            step = _step(names[upper - 1], names[upper], shares)
            cells = [cell for pool in ahead if pool is not None for cell in pool.cells]
            steps.append(replace(step, games_behind=all_games(view, view.pool("", cells))))
    return Ladder(tuple(name for name, _, _ in view.sides), tuple(rungs), tuple(steps))


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
    if all(len(rung.rates) < 2 for rung in rungs):
        return "One side: nobody is favoured over anybody."
    runs: list[tuple[str, str]] = []  # favourite, and the rung from which on
    for rung in rungs:
        if not runs or rung.favourite != runs[-1][0]:
            runs.append((rung.favourite, rung.name))
    if len(runs) == 1:
        who = runs[0][0]
        share = f"the fair share of {100 * rungs[0].fair[0]:.0f} %"
        same = f"The favourite is the same at every strength: {who}, over {share}."
        return same if who else f"No side is above {share} for certain."
    parts = [f"{who or 'nobody for certain'} from {name} on" for who, name in runs]
    return f"The favourite changes at {runs[1][1]}: {'; '.join(parts)}."


def _depth(steps: Sequence[Step]) -> str:
    sure = [step for step in steps if step.elo.low > 0]
    worse = [step.upper for step in steps if step.elo.high < 0]
    if worse:
        return f"Weaker than the rung below, for certain: {', '.join(worse)}. More thought must not play worse."
    if not sure:
        return "No step is stronger than the last for certain: there is little to find, or more games are needed."
    last = sure[-1]
    return f"The last step that is stronger for certain: {last.upper}, {last.elo.text} Elo over {last.lower}."


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
    top = ladder.rungs[-1]
    rates = ", ".join(f"{side} {rate.full}" for side, rate in zip(ladder.sides, top.rates, strict=True))
    favoured = f"; {view.the_side(top.favourite)} is favoured for certain" if top.favourite else ""
    return f"With the best bots of this ladder in all seats ({top.name}) they win: {rates}{favoured}.", ladder.sentences


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

    from simlab.report import drawing

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

    from simlab.report import drawing

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
        gains = "What one seat gains by a step up while the others stay below; 95 % intervals, filled where certain."
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
                }
                for step in ladder.steps
            ],
            "sentences": ladder.sentences,
        }
    }  # fmt: skip
