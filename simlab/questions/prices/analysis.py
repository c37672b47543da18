"""Prices: the cost at which an option or card is worth nothing to a seat. Each option or card with a cost is played at
several costs, with it and without it, in the same games. At the cost at which its worth falls to zero, it costs exactly
what it is worth. For each cost, with and without it, the seat plays its best bot.

The costs that cannot be ruled out are those at which the interval of the worth contains zero; between two costs that
were played, its ends are interpolated, which makes it rather too wide. The verdict on a printed cost is therefore that
of the worth at this cost. A price that is right alone may be wrong next to the others, so the prices are then adjusted
to each other, one after the other.

Source: restricted play (simlab.questions.worth).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from simlab.errors import InputError, nearest
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Difference, Estimate
from simlab.questions.best_answers import Field, Lab, together
from simlab.questions.fixes.parameters import Cell, with_cells
from simlab.questions.worth.analysis import cards_of, option_of
from simlab.spec import bans
from simlab.spec.card_tables import Tables
from simlab.stats.paired import paired_difference

COLUMNS = ("cost", "price")  #: of card tables, that are prices
GAMES = 2_000  #: for each cost
#: Factors of the printed cost that are played, in addition to one more and one less.
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
FEW = 10  #: least number of differing games; with fewer, an option or card counts as hardly taken
ROUNDS = 3  #: most times that all prices are adjusted to each other

PriceVerdict = Literal["too cheap", "too dear", "fits", "inconclusive", "hardly taken", "no price found"]


class ThingPrice(Part):
    """What an option or card should cost.

    Attributes:
        where: `table.column[row]`, or the knob of its cost. seats: the seats that can have it.
        worth: for each of `costs`, the value with it minus the value without it, in points of the win rate or of the
            score, averaged over the seats; the 95 % intervals hold for all options and cards together, at each cost.
        price: cost at which the worth falls to zero; None if that does not happen between the costs that were played.
            low, high: range of costs at which the worth may be zero, for all options and cards together (95 %); None if
            the range extends beyond the costs played. If it is worth something at every cost at which it is taken,
            these are the last such cost and the first cost at which it is not taken.
        verdict: too cheap, too dear: the worth at the printed cost is above zero, or below. inconclusive: no cost that
            was played is ruled out. hardly taken: not taken at the printed cost.
        proposed: cost in the proposed list. check: worth if everything has its proposed cost, in other games.
    """

    thing: str
    where: str
    seats: tuple[str, ...]
    printed: int
    costs: tuple[int, ...]
    worth: tuple[Number, ...]
    price: float | None
    low: float | None
    high: float | None
    verdict: PriceVerdict
    proposed: int
    check: Number


class PricesAnswer(Answer, form="prices", source="simlab analyze prices GAME"):
    """A price list.

    Attributes:
        games: number for each cost. bots: seat -> bots that were tried. rounds: how often prices were adjusted to each
            other. left_out: rows of card tables that have no price, and why.
    """

    game: str
    seed: int
    games: int
    by_score: bool
    bots: dict[str, tuple[str, ...]]
    things: tuple[ThingPrice, ...]
    rounds: int = 0
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class PricedItem:
    """An option or card with a cost."""

    name: str
    removal: Mapping[str, Mapping[str, str]]  #: seat -> knobs that take it away
    printed: int
    costs: tuple[int, ...]
    cell: Cell | None = None
    knob: str = ""  #: instead of a cell

    @property
    def where(self) -> str:
        return self.knob if self.cell is None else f"{self.cell[0]}.{self.cell[2]}[{self.cell[1]}]"

    def at(self, game: Game, cost: int, rows: Tables) -> tuple[dict[str, str], Tables]:
        """Knobs and card tables with this cost."""
        return ({self.knob: str(cost)}, rows) if self.cell is None else ({}, with_cells(rows, {self.cell: cost}, game))


PricedList = tuple[PricedItem, Mapping[str, int]]  #: an option or card, and the costs of all by `where`


def priced(
    game: Game, rows: Tables, offered: Array, named: Mapping[str, str]
) -> tuple[list[PricedItem], tuple[str, ...]]:
    """The things that have a cost, and the rows of tables with costs that cannot be priced, with the reason.

    Args:
        offered: by seat, kind of decision and action, how often it could be taken.
        named: thing -> knob that is its cost.
    Raises:
        InputError: there are none, or the game does not have the option, card or knob.
    """
    found, left_out = [], []
    for schema in game.tables:
        columns = {column.name: column for column in schema.columns if column.kind == "int"}
        column = next((columns[name] for name in COLUMNS if name in columns), None)
        if column is None:
            continue
        for row in schema.distinct(rows[schema.name]):
            names = {bans.word(str(row.get("name", row[schema.key]))), bans.word(str(row[schema.key]))}
            removal = _removal(game, rows, names, offered)
            printed, name = int(row[column.name]), str(row.get("name", row[schema.key]))
            if printed <= 0:
                left_out.append(f"{name} ({column.name} {printed})")
            elif not removal:
                left_out.append(f"{name} (no seat was offered it, or no option has its name)")
            else:
                cell = (schema.name, str(row[schema.key]), column.name)
                costs = _costs(printed, max(column.low, 0), column.high)
                found.append(PricedItem(name, removal, printed, costs, cell=cell))
    for thing, knob in named.items():
        if knob not in game.knobs:
            raise InputError(f"--cost {thing}={knob}: {game.slug} has no knob '{knob}'. {nearest(knob, game.knobs)}")
        banned = [(game.seats[seat], thing) for one in bans.read_ban(game, thing) for seat in one.seats]
        of_seat = {seat: {bans.NAME: f"{seat}:{what.rpartition(':')[2]}"} for seat, what in banned}
        printed, known = int(game.knobs[knob].default), game.knobs[knob]
        costs = _costs(printed, math.ceil(known.low), math.floor(known.high))
        found.append(PricedItem(thing.rpartition(":")[2], of_seat, printed, costs, knob=knob))
    if not found:
        raise InputError(
            f"{game.slug}: no card or option that can be taken away has a cost: no column `cost` or `price` of a card "
            "table. Name a thing and the knob of its cost: --cost assault=assault_entry_cost."
        )
    return found, tuple(left_out)


def _removal(game: Game, rows: Tables, names: set[str], offered: Array) -> dict[str, dict[str, str]]:
    """Seat -> knobs that ban the card of a market row, or the options whose names end, with one of the names."""
    found = {}
    for number, seat in enumerate(game.seats):
        meets = offered[number].sum(axis=1) > 0
        cards = [
            thing for thing in cards_of(game, seat, rows) if bans.NAME in thing.knobs and bans.word(thing.name) in names
        ]
        options = [
            option_of(game, seat, name, kind, actions)
            for kind in range(len(game.decisions))
            for name, actions in bans.names_of(game, kind, rows).items()
            if offered[number, kind, list(actions)].any() and any(bans.word(name).endswith(f"-{one}") for one in names)
        ]
        if meets.any() and (cards or options):
            found[seat] = together(*(thing.knobs for thing in cards or options))
    return found


def _costs(printed: int, low: int, high: int) -> tuple[int, ...]:
    around = {round(printed * factor) for factor in FACTORS} | {printed - 1, printed + 1}
    return tuple(sorted(cost for cost in around if low <= cost <= high))


def answer(
    lab: Lab, named: Mapping[str, str] | None = None, notify: Callable[[str], None] = lambda text: None
) -> PricesAnswer:
    """A price list. named: thing -> knob that is its cost.

    Raises:
        InputError: nothing has a cost.
    """
    notify("Choosing the bots.")
    field = lab.field()
    base = [lab.play(field, seat, lab.best(field, seat, {}), {}, False).tally.offered for seat in lab.game.seats]
    rows = lab.rows
    things, left_out = priced(lab.game, rows, np.sum(base, axis=0), named or {})
    level = 1 - 0.05 / len(things)
    tasks = [(thing, cost) for thing in things for cost in thing.costs]
    notify(f"Playing {len(things)} cards or options, each at several costs: {len(tasks)} settings.")
    with ThreadPoolExecutor(lab.workers) as pool:
        played = pool.map(lambda task: _gaps(lab, field, task[0].removal, *task[0].at(lab.game, task[1], rows)), tasks)
        found = [_price(thing, list(islice(played, len(thing.costs))), level, not lab.by_score) for thing in things]
        costs = {thing.where: price.proposed for thing, price in zip(things, found, strict=True)}

        def play(lab: Lab, lists: Iterable[PricedList]) -> list[Array]:
            settings = [(thing.removal, *_listed(lab.game, things, costs, rows)) for thing, costs in lists]
            return list(pool.map(lambda setting: _gaps(lab, field, *setting), settings))

        changed = any(costs[thing.where] != thing.printed for thing in things)
        rounds = _adjust(things, costs, level, lambda lists: play(lab, lists), notify) if changed else 0
        notify("Playing with all proposed prices at once, in other games.")
        held_out = dataclasses.replace(lab, seed=lab.seed + 1)
        checks = play(held_out, [(thing, costs) for thing in things])
    return PricesAnswer(
        game=lab.game.slug, seed=lab.seed, games=lab.games, by_score=lab.by_score,
        bots={seat: tuple(of) for seat, of in lab.bots.items()},
        things=tuple(
            price.model_copy(update={
                "check": _number(gap, level, not lab.by_score), "proposed": costs[thing.where],
            })
            for thing, price, gap in zip(things, found, checks, strict=True)
        ),
        rounds=rounds, left_out=left_out,
    )  # fmt: skip


def _adjust(
    things: Sequence[PricedItem],
    costs: dict[str, int],
    level: float,
    play: Callable[[Iterable[PricedList]], list[Array]],
    notify: Callable[[str], None],
) -> int:
    """Changes the costs of a list until no worth is significantly different from zero next to the others.

    Args:
        costs: by `where`. play: the worth of things in each game, each with a list of costs.
    Returns:
        how many times prices were adjusted to each other, at most ROUNDS.
    """
    for made in range(ROUNDS):
        gaps = play([(thing, costs) for thing in things])
        off = [thing for thing, gap in zip(things, gaps, strict=True) if _is_off(gap, level)]
        notify(f"With all proposed prices at once, {len(off)} of {len(things)} are off.")
        before = dict(costs)
        for thing in off:  # one after the other, each next to the prices that were just changed
            at_each = play([(thing, {**costs, thing.where: cost}) for cost in thing.costs])
            costs[thing.where] = _cost_of(thing, at_each, costs[thing.where])
        if costs == before:
            return made
    return ROUNDS


def _listed(
    game: Game, things: Sequence[PricedItem], costs: Mapping[str, int], rows: Tables
) -> tuple[dict[str, str], Tables]:
    """Knobs and card tables of a price list. costs: by `where`."""
    knobs: dict[str, str] = {}
    for thing in things:
        more, rows = thing.at(game, costs[thing.where], rows)
        knobs |= more
    return knobs, rows


def _is_off(gap: Array, level: float) -> bool:
    """Whether the worth at a cost is significantly different from zero."""
    worth = _number(gap, level, False)
    return worth.low > 0 or worth.high < 0


def _cost_of(thing: PricedItem, gaps: Sequence[Array], cost: int) -> int:
    """The whole cost nearest to the one at which the worth falls to zero; `cost`, that of now, if it never does."""
    means = np.mean(gaps, axis=1)
    falls = falls_to_zero(thing.costs, means)
    if falls:
        nearest_fall: float = min(falls, key=lambda at: abs(at - cost))
        return round(nearest_fall)
    return thing.costs[0] if means[0] < 0 else cost


def _gaps(
    lab: Lab, field: Field, removal: Mapping[str, Mapping[str, str]], knobs: Mapping[str, str], rows: Tables
) -> Array:
    """For each game, the value with an option or card minus that without it, averaged over its seats."""

    def value(seat: str, played: Mapping[str, str]) -> Array:
        # Of the bots that the selecting games do not tell apart, the one that does best in these games.
        bots = lab.contenders(field, seat, played, rows)
        values = [lab.value(lab.play(field, seat, bot, played, True, rows=rows), seat) for bot in bots]
        return max(values, key=lambda one: float(one.mean()))

    parts = [value(seat, knobs) - value(seat, together(knobs, gone)) for seat, gone in removal.items()]
    return np.asarray(np.mean(parts, axis=0))


def _number(gap: Array, level: float, share: bool) -> Estimate:
    change = paired_difference(np.zeros(gap.size), gap, level)
    return Difference(*change.ends, share)


def falls_to_zero(costs: Sequence[int], means: Array) -> list[float]:
    """The costs at which straight lines between the mean worths fall to zero or below."""
    return [
        costs[i] + (costs[i + 1] - costs[i]) * float(means[i] / (means[i] - means[i + 1]))
        for i in range(len(costs) - 1)
        if means[i] > 0 >= means[i + 1]
    ]


def not_ruled_out(costs: Sequence[int], worth: Sequence[Estimate]) -> list[tuple[float, float]]:
    """Stretches of costs at which the interval of the worth contains zero, its ends interpolated between these costs.

    If the worth is a straight line between two costs, the interpolated interval covers it at least as often as the
    intervals at these costs do.
    """
    pieces: list[tuple[float, float]] = []
    for i in range(len(costs) - 1):
        # Where the low end is at most 0, and where the high end is at least 0, with t from 0 to 1 between the costs.
        ends = [_at_most_zero(worth[i].low, worth[i + 1].low), _at_most_zero(-worth[i].high, -worth[i + 1].high)]
        first, last = max(low for low, _ in ends), min(high for _, high in ends)
        if first > last:
            continue
        left, right = (costs[i] + (costs[i + 1] - costs[i]) * t for t in (first, last))
        if pieces and left <= pieces[-1][1] + 1e-9:
            pieces[-1] = (pieces[-1][0], right)
        else:
            pieces.append((left, right))
    return pieces


def _at_most_zero(start: float, end: float) -> tuple[float, float]:
    """The part of 0..1 in which a straight line is at most 0; (1, 0) if there is none."""
    if start > 0 and end > 0:
        return 1.0, 0.0
    if start <= 0 and end <= 0:
        return 0.0, 1.0
    zero = start / (start - end)
    return (0.0, zero) if start <= 0 else (zero, 1.0)


def _price(thing: PricedItem, gaps: Sequence[Array], level: float, share: bool) -> ThingPrice:
    """The price of a thing: the cost at which its worth falls to zero."""
    worth = tuple(_number(gap, level, share) for gap in gaps)
    used = [place for place, gap in enumerate(gaps, 1) if np.count_nonzero(gap) >= FEW]
    active = max(used, default=0)  # from here on nobody takes it
    costs, printed = thing.costs[:active], thing.costs.index(thing.printed)
    beyond = thing.costs[active] if 0 < active < len(gaps) else None
    low: float | None = None
    high: float | None = None
    falls: list[float] = []
    verdict: PriceVerdict = "no price found"
    if active > 1:
        falls = falls_to_zero(costs, np.mean(gaps[:active], axis=1))
        pieces = not_ruled_out(costs, worth[:active])
        ends = [end for piece in pieces for end in piece]
        if printed >= active:
            verdict = "hardly taken"
        elif worth[printed].low > 0:
            verdict, ends = "too cheap", [end for end in ends if end >= thing.printed]
            low = min(ends, default=costs[-1])
        elif worth[printed].high < 0:
            verdict, ends = "too dear", [end for end in ends if end <= thing.printed]
        else:
            verdict = "fits"
        if ends:
            low = min(ends) if min(ends) > costs[0] else None
            high = max(ends) if max(ends) < costs[-1] else beyond
        elif verdict == "too dear":
            high = costs[0]
        elif verdict != "fits":
            low, high = costs[-1], beyond
        if verdict == "fits" and low is None and high is None:
            verdict = "inconclusive"
    reach = (-math.inf if low is None else low, math.inf if high is None else high)
    inside = [at for at in falls if reach[0] <= at <= reach[1]]
    place = min(inside, key=lambda at: abs(at - thing.printed), default=None)
    proposed = thing.printed
    if verdict in ("too cheap", "too dear"):
        known = [end for end in (low, high) if end is not None]
        proposed = round(place if place is not None else sum(known) / len(known)) if known else thing.printed
    return ThingPrice(
        thing=thing.name, where=thing.where, seats=tuple(thing.removal), printed=thing.printed, costs=thing.costs,
        worth=worth, price=place, low=low, high=high, verdict=verdict, proposed=proposed, check=worth[0],
    )  # fmt: skip
