"""The skill ladder: what each step of a ladder of bots gains on the last, and how the balance changes with skill."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.errors import UserMistake
from simlab.report.estimate import LEVEL, Estimate, plain
from simlab.report.pool import Pool
from simlab.report.view import View
from simlab.stats.figure import score_name

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Rung:
    """All seats with bots of one strength.

    Attributes:
        name: `100 iterations`. rates: win rate of each side; the intervals hold for all rungs together.
        fair: win rate of each side if all won equally often. favourite: the side above its fair share for certain.
        scores: mean score of each seat; empty for a game without scores.
    """

    name: str
    games: int
    rates: tuple[Estimate, ...]
    fair: tuple[float, ...]
    favourite: str
    scores: tuple[Estimate, ...]


@dataclass(frozen=True)
class Step:
    """One seat a rung higher than the others.

    Attributes:
        share: what the stronger bot has of the wins, shared ones in parts, over all seats alike; 1 / seats is no gain.
        elo: the same in Elo points. Both intervals hold whatever luck the seats' games share: they are as wide as if
            all seats erred together.
        by_seat: the share in each seat.
    """

    lower: str
    upper: str
    share: Estimate
    elo: Estimate
    by_seat: tuple[Estimate, ...]


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
            steps.append(_step(names[upper - 1], names[upper], shares))
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
    return Rung(name, pool.games, rates, fair, ahead[0] if len(view.sides) > 1 and len(ahead) == 1 else "", scores)


def elo(share: float, seats: int) -> float:
    """Elo points by which one bot is stronger than the others at its table, out of its share of the wins."""
    if share <= 0.0 or share >= 1.0:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share * (seats - 1) / (1 - share))


def _step(lower: str, upper: str, shares: Sequence[Estimate]) -> Step:
    seats = len(shares)
    value, low, high = (sum(getattr(share, end) for share in shares) / seats for end in ("value", "low", "high"))
    points = Estimate(elo(value, seats), elo(low, seats), elo(high, seats), rate=False)
    return Step(lower, upper, Estimate(value, low, high), points, tuple(shares))


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
        return f"{who} is favoured over {share} at every strength." if who else f"No side is above {share} for certain."
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
    """Tables and sentences for a terminal."""
    from simlab.report import tables

    ladder = climb(view)
    heads = ["all seats with", *(f"{side} wins" for side in ladder.sides)]
    rows = [[rung.name, *(rate.full for rate in rung.rates)] for rung in ladder.rungs]
    if any(rung.scores for rung in ladder.rungs):
        heads += [f"score of {view.the(seat)}" for seat in view.seats]
        rows = [[*row, *(s.full for s in rung.scores)] for row, rung in zip(rows, ladder.rungs, strict=True)]
    shown: list[RenderableType] = [_table(f"{view.title}: all seats equally strong", heads, rows)]
    if ladder.steps:
        heads = ["one seat with", "the others with", "share of the wins", "Elo", *(f"as {s}" for s in view.seats)]
        rows = [
            [step.upper, step.lower, step.share.full, step.elo.full, *(share.text for share in step.by_seat)]
            for step in ladder.steps
        ]
        shown.append(_table("One seat a step stronger than the others", heads, rows, 2))
    return [*shown, *(tables.typed(sentence) for sentence in ladder.sentences)]


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> RenderableType:
    from simlab.report import tables

    made = tables.table(title)
    for head in heads[:texts]:
        made.add_column(head, overflow="fold")
    tables.numbers(made, *heads[texts:])
    for row in rows:
        tables.add(made, row)
    return made


def summary(view: View) -> dict[str, Any]:
    """The same for --json."""
    ladder = climb(view)

    def ends(estimate: Estimate) -> dict[str, float | None]:
        numbers = {"estimate": estimate.value, "low": estimate.low, "high": estimate.high}
        return {name: number if math.isfinite(number) else None for name, number in numbers.items()}

    return {
        "ladder": {
            "rungs": [
                {
                    "name": rung.name, "games": rung.games, "favourite": rung.favourite or None,
                    "win_rate": {s: ends(rate) for s, rate in zip(ladder.sides, rung.rates, strict=True)},
                    "fair_share": dict(zip(ladder.sides, rung.fair, strict=True)),
                    "score": {s: ends(mean) for s, mean in zip(view.raw_seats, rung.scores, strict=False)},
                }
                for rung in ladder.rungs
            ],
            "steps": [
                {
                    "stronger": step.upper, "others": step.lower, "share": ends(step.share), "elo": ends(step.elo),
                    "by_seat": {s: ends(share) for s, share in zip(view.raw_seats, step.by_seat, strict=True)},
                }
                for step in ladder.steps
            ],
            "sentences": ladder.sentences,
        }
    }  # fmt: skip
