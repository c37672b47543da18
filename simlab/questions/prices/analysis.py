"""Prices: the cost at which an option or card is worth nothing to a seat. Each option or card with a cost is played at
several costs, with it and without it, in the same games. At the cost at which its worth falls to zero, it costs exactly
what it is worth. For each cost, with and without it, the seat plays its best bot.

Source: restricted play (simlab.questions.worth); where a curve meets zero, Fieller's intervals (simlab.stats.sweep).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from simlab.errors import InputError, nearest
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Difference, Estimate, finite
from simlab.questions.best_answers import Field, Lab, together
from simlab.questions.fixes.parameters import Cell, with_cells
from simlab.questions.worth.analysis import cards_of, option_of
from simlab.spec import bans
from simlab.spec.card_tables import Tables
from simlab.stats.paired import paired_difference
from simlab.stats.sweep import crossings, places_of_target

COLUMNS = ("cost", "price")  #: of card tables, that are prices
GAMES = 2_000  #: for each cost
#: Factors of the printed cost that are played, in addition to one more and one less.
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
FEW = 10  #: least number of differing games; with fewer, the worth counts as zero

PriceVerdict = Literal["too cheap", "too dear", "fits", "no price found"]


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
    """A price list. games: number for each cost. bots: seat -> bots that were tried."""

    game: str
    seed: int
    games: int
    by_score: bool
    bots: dict[str, tuple[str, ...]]
    things: tuple[ThingPrice, ...]


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


def priced(game: Game, rows: Tables, offered: Array, named: Mapping[str, str]) -> list[PricedItem]:
    """The things that have a cost.

    Args:
        offered: by seat, kind of decision and action, how often it could be taken.
        named: thing -> knob that is its cost.
    Raises:
        InputError: there are none, or the game does not have the option, card or knob.
    """
    found = []
    for schema in game.tables:
        columns = {column.name: column for column in schema.columns if column.kind == "int"}
        column = next((columns[name] for name in COLUMNS if name in columns), None)
        if column is None:
            continue
        for row in rows[schema.name]:
            names = {bans.word(str(row.get("name", row[schema.key]))), bans.word(str(row[schema.key]))}
            removal = _removal(game, rows, names, offered)
            printed = int(row[column.name])
            if removal and printed > 0:
                cell = (schema.name, str(row[schema.key]), column.name)
                costs = _costs(printed, max(column.low, 0), column.high)
                name = str(row.get("name", row[schema.key]))
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
    return found


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
    things = priced(lab.game, rows, np.sum(base, axis=0), named or {})
    level = 1 - 0.05 / len(things)
    tasks = [(thing, cost) for thing in things for cost in thing.costs]
    notify(f"Playing {len(things)} cards or options, each at several costs: {len(tasks)} settings.")
    with ThreadPoolExecutor(lab.workers) as pool:
        played = pool.map(lambda task: _gaps(lab, field, task[0].removal, *task[0].at(lab.game, task[1], rows)), tasks)
        found = [_price(thing, list(islice(played, len(thing.costs))), level, not lab.by_score) for thing in things]
        notify("Playing with all proposed prices at once.")
        knobs: dict[str, str] = {}
        listed = rows
        for thing, price in zip(things, found, strict=True):
            more, listed = thing.at(lab.game, price.proposed, listed)
            knobs |= more
        held_out = dataclasses.replace(lab, seed=lab.seed + 1)
        checks = list(pool.map(lambda thing: _gaps(held_out, field, thing.removal, knobs, listed), things))
    return PricesAnswer(
        game=lab.game.slug, seed=lab.seed, games=lab.games, by_score=lab.by_score,
        bots={seat: tuple(of) for seat, of in lab.bots.items()},
        things=tuple(
            price.model_copy(update={"check": _number(gap, level, not lab.by_score)})
            for price, gap in zip(found, checks, strict=True)
        ),
    )  # fmt: skip


def _gaps(
    lab: Lab, field: Field, removal: Mapping[str, Mapping[str, str]], knobs: Mapping[str, str], rows: Tables
) -> Array:
    """For each game, the value with an option or card minus that without it, averaged over its seats."""

    def value(seat: str, played: Mapping[str, str]) -> Array:
        bot = lab.best(field, seat, played, rows)
        return lab.value(lab.play(field, seat, bot, played, True, rows=rows), seat)

    parts = [value(seat, knobs) - value(seat, together(knobs, gone)) for seat, gone in removal.items()]
    return np.asarray(np.mean(parts, axis=0))


def _number(gap: Array, level: float, share: bool) -> Estimate:
    change = paired_difference(np.zeros(gap.size), gap, level)
    return Difference(*change.ends, share)


def _price(thing: PricedItem, gaps: Sequence[Array], level: float, share: bool) -> ThingPrice:
    """The price of a thing: the cost at which its worth falls to zero."""
    used = [place for place, gap in enumerate(gaps, 1) if np.count_nonzero(gap) >= FEW]
    active = max(used, default=0)  # from here on nobody takes it
    beyond = thing.costs[active] if 0 < active < len(gaps) else None
    means = np.mean(gaps, axis=1)
    place: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: PriceVerdict = "no price found"
    if active > 1:
        costs, covariance = thing.costs[:active], np.cov(gaps[:active]) / gaps[0].size
        falls = [one.at for one in crossings(costs, means[:active], covariance, 0.0, level) if not one.rising]
        place = min(falls, key=lambda at: abs(at - thing.printed), default=None)
        pieces = places_of_target(costs, means[:active], covariance, 0.0, level)
        if not pieces and place is not None:
            low = high = place  # no game differs there
        elif not pieces and means[0] > 0:
            low, high = costs[-1], beyond
        elif not pieces:
            high = costs[0]
        else:
            low, high = finite(pieces[0][0]), pieces[-1][1] if math.isfinite(pieces[-1][1]) else beyond
        if low is not None and low > thing.printed:
            verdict = "too cheap"
        elif high is not None and high < thing.printed:
            verdict = "too dear"
        elif low is not None or high is not None:
            verdict = "fits"
    proposed = thing.printed
    if verdict in ("too cheap", "too dear"):
        known = [end for end in (low, high) if end is not None]
        proposed = round(place if place is not None else sum(known) / len(known))
    worth = tuple(_number(gap, level, share) for gap in gaps)
    return ThingPrice(
        thing=thing.name, where=thing.where, seats=tuple(thing.removal), printed=thing.printed, costs=thing.costs,
        worth=worth, price=place, low=low, high=high, verdict=verdict, proposed=proposed, check=worth[0],
    )  # fmt: skip
