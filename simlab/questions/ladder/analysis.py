"""The skill ladder: win rates when all seats are equally strong, and the gain of one seat from a step up."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simlab.engine.payoff import Payoff
from simlab.errors import InputError
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, estimate_of, plain
from simlab.runs.cell_pools import Cell, Pool
from simlab.runs.drill_down import all_games
from simlab.runs.view import View, view_of
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each
from simlab.stats.luck import decided_by_skill

SEARCHING = {"lookahead", "ismcts"}  #: bots that look ahead


class Rung(Part):
    """All seats with bots of one strength.

    Attributes:
        name: such as `100 iterations`. win_rate: win rate of each side; the intervals hold for all rungs together.
        fair_share: the mean win rate of the sides. favourite: the side that is significantly above it, if there is
            exactly one.
        score: mean score of each seat; empty for a game without scores.
    """

    name: str
    games: int
    win_rate: dict[str, Rate]
    fair_share: float
    favourite: str = ""
    score: dict[str, Number]
    games_link: GamesLink | None = None


class Step(Part):
    """One seat a rung higher than the others.

    Attributes:
        share: the stronger bot's share of the wins, averaged over the seats; a shared win is split. elo: the same in
            Elo points. Both intervals hold for all steps together. They make no assumption about the correlation of the
            seats' games: they are as wide as for full correlation.
        decided_by_skill: the share of games decided by skill, if an even draw decides the others.
        by_seat: the share in each seat.
        searches: whether a bot of the upper rung looks ahead.
        side_points: change of the win rate of each side of several seats when one seat steps up, in percentage points,
            on the same seeds.
    """

    stronger: str
    others: str
    share: Rate
    elo: Number
    decided_by_skill: Rate
    by_seat: dict[str, Rate]
    searches: bool = False
    side_points: dict[str, Number]
    games_link: GamesLink | None = None


class Change(Part):
    """A side whose win rate differs significantly between two rungs. points: difference on the same seeds; the interval
    holds for all sides and pairs of rungs together.
    """

    side: str
    before: str
    after: str
    points: Number


class Ladder(Answer, form="ladder", version=2):
    """Answer of `simlab report FOLDER --section ladder`.

    Attributes:
        together: for a game with one side, the words for its win, `the village holds`; else "". united: whether its
            seats have no wins of their own: a seat's share of the wins, and its Elo points, then mean nothing.
        best: the rung with the best bots. If all seats win together, it is the rung that wins most; else the highest
            rung that no lower rung significantly beats. None without rungs.
        changes: significant changes between rungs, the greatest first.
    """

    title: str = ""
    together: str = ""
    united: bool = False
    rungs: tuple[Rung, ...] = ()
    steps: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    best: str | None = None

    @property
    def best_rung(self) -> Rung:
        return next(rung for rung in self.rungs if rung.name == self.best)


def is_ladder(view: View) -> bool:
    """Whether the results are those of a ladder, at one setting."""
    return bool(dict(view.config.get("tournament") or {}).get("ladder")) and not view.varied


def of_run(results: Any) -> Ladder:
    """Statistics of the results of a ladder; empty for other results."""
    view = view_of(results)
    return climb(view) if is_ladder(view) else Ladder()


def climb(results: Any) -> Ladder:
    """Statistics of the results of a ladder. Raises InputError if the run is not a ladder, or varies knobs."""
    view = view_of(results)
    if not is_ladder(view):
        raise InputError(f"{view.name} is not a ladder of bots. `simlab compare GAME --ladder` plays one.")
    texts = {seat: [plain(bot, 200) for bot in view.config["bots"][seat]] for seat in view.raw_seats}
    names = [_name(texts, step) for step in range(len(next(iter(texts.values()))))]
    played = {
        tuple(texts[seat].index(cell.bots[seat]) for seat in view.raw_seats): view.pool(cell.label, [cell])
        for cell in view.cells
        if cell.games
    }
    seats = len(view.raw_seats)
    alike = [(name, pool) for step, name in enumerate(names) if (pool := played.get((step,) * seats)) is not None]
    level = level_of_each(LEVEL, len(names) * len(view.sides))
    rungs = tuple(_rung(view, name, pool, level) for name, pool in alike)
    steps = tuple(_steps(view, texts, names, played)) if seats > 1 else ()
    name, _, wins = view.sides[0]
    return Ladder(
        title=view.title, together=f"{view.the_side(name)} {wins}" if len(view.sides) == 1 else "", rungs=rungs,
        united=len(view.sides) == 1 < seats and all(view.all.wins == view.all.wins.max()),
        steps=steps, changes=tuple(_significant_changes(view, alike)), best=_best(rungs, steps),
    )  # fmt: skip


def _best(rungs: Sequence[Rung], steps: Sequence[Step]) -> str | None:
    if rungs and len(rungs[0].win_rate) == 1:
        return max(rungs, key=lambda rung: next(iter(rung.win_rate.values())).value).name
    best, gained = len(rungs) - 1, 0.0
    for below in reversed(range(len(rungs) - 1 if len(steps) == len(rungs) - 1 else 0)):
        elo_ = steps[below].elo
        gained += min(max(elo_.value, -2_000.0), 2_000.0)
        if elo_.high < 0 and gained < 0:
            best, gained = below, 0.0
    return rungs[best].name if rungs else None


def _rung(view: View, name: str, pool: Pool, level: float) -> Rung:
    rates = {side: pool.side_rate(place, level) for place, (side, _, _) in enumerate(view.sides)}
    fair = sum(rate.value for rate in rates.values()) / len(rates)
    ahead = [side for side, rate in rates.items() if rate.low > fair]
    scores = zip(view.seats, view.raw_seats, strict=True) if view.has_scores else ()
    return Rung(
        name=name, games=pool.games, win_rate=rates, fair_share=fair,
        favourite=ahead[0] if len(rates) > 1 and len(ahead) == 1 else "",
        score={seat: pool.mean(score_name(raw), level) for seat, raw in scores}, games_link=all_games(view, pool),
    )  # fmt: skip


def _steps(
    view: View, texts: Mapping[str, Sequence[str]], names: Sequence[str], played: Mapping[tuple[int, ...], Pool]
) -> Iterator[Step]:
    seats = len(view.raw_seats)
    level = level_of_each(LEVEL, len(names) - 1)
    for upper in range(1, len(names)):
        ahead = [
            pool for seat in range(seats) if (pool := played.get(tuple(upper - (o != seat) for o in range(seats))))
        ]
        if len(ahead) < seats:
            continue
        shares = [pool.value(Payoff.share(view.names, seat), level) for seat, pool in enumerate(ahead)]
        value, low, high = (sum(getattr(share, end) for share in shares) / seats for end in ("value", "low", "high"))
        cells = [cell for pool in ahead for cell in pool.cells]
        below = played.get((upper - 1,) * seats)
        points = {} if below is None else {
            view.sides[side][0]: _difference(view, side, below.cells, cells, level) for side, _ in view.joint_sides
        }  # fmt: skip
        yield Step(
            stronger=names[upper], others=names[upper - 1], share=Estimate(value, low, high),
            elo=estimate_of((elo(end, seats) for end in (value, low, high)), rate=False),
            decided_by_skill=estimate_of(decided_by_skill(end, seats) for end in (value, low, high)),
            by_seat=dict(zip(view.seats, shares, strict=True)), side_points=points,
            searches=any(searches_ahead(texts[seat][upper]) for seat in view.raw_seats),
            games_link=all_games(view, view.pool("", cells)),
        )  # fmt: skip


def _significant_changes(view: View, rungs: Sequence[tuple[str, Pool]]) -> list[Change]:
    """The sides whose win rate differs significantly between two rungs, on the same seeds."""
    pairs = list(itertools.combinations(rungs, 2))
    sides = range(1 if view.mirrored else len(view.sides))
    level = level_of_each(LEVEL, len(pairs) * len(sides))
    found = []
    for side in sides:
        for (before, one), (after, two) in pairs:
            points = _difference(view, side, one.cells, two.cells, level)
            if points.low > 0 or points.high < 0:
                who = view.the_side(view.sides[side][0])
                found.append(Change(side=who, before=before, after=after, points=points))
    return sorted(found, key=lambda change: -abs(change.points.value))


def _difference(view: View, side: int, before: Sequence[Cell], after: Sequence[Cell], level: float) -> Estimate:
    """Difference of a side's win rate between cells, in points: game by game if the rows are known."""
    paired = view.paired(view.side_payoff(side).alone, before, after, level, 1.0)
    if paired is not None:
        return estimate_of(paired.ends, 100, False)
    one, two = (view.pool("", cells).side_rate(side, 1 - (1 - level) / 2) for cells in (before, after))
    return estimate_of((two.value - one.value, two.low - one.high, two.high - one.low), 100, False)


def searches_ahead(bot: str) -> bool:
    """Whether a bot looks ahead, by its text."""
    return re.split(r"[:=]", bot, maxsplit=1)[0] in SEARCHING


def _name(texts: Mapping[str, Sequence[str]], step: int) -> str:
    """The name of a rung: its iterations, or its bots."""
    bots = list(dict.fromkeys(bots[step] for bots in texts.values()))
    budgets = {match[1] if (match := re.search(r"\biterations=(\d+)", bot)) else "" for bot in bots}
    if len(budgets) > 1 or "" in budgets:
        return " v ".join(bots)
    number = budgets.pop()
    return f"{int(number):,} iteration{'s' * (number != '1')}"


def elo(share: float, seats: int) -> float:
    """Elo points by which one bot is stronger than its equal opponents, from its share of the wins."""
    if share <= 0.0 or share >= 1.0:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share * (seats - 1) / (1 - share))
