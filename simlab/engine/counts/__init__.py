"""Counts of the play loop. A statistic is one file of this folder: add a file here, and it is counted, added up over
shards, checked when it is read and shown in the report (docs/add-a-statistic.md).

A statistic declares

    NEEDS        a field of Game without which the game has no such statistic; left out if all games have it
    counts()     the arrays that are added up over games: [Count("fired", ("rules",)), ...]
    scratch(sizes) memory within a game or a batch, fields as for np.dtype; zeros before the first game

and any of three functions, compiled into the loop (`counts` and `scratch` are records of all statistics together):

    at_turn(counts, scratch, state, knobs, cards)          when the turn number has changed, before the decision
    at_decision(counts, scratch, state, action)            a legal action, before it is carried out
    at_end(counts, scratch, state, knobs, cards, row)      the game is over, its row is filled

`scratch.game` is the game's index + 1, `scratch.track_now` the game's tracks at the start of this turn. The functions
see the game's `item_uses`, `hex_values`, `HEX_HAPPENS`, `SIDES`, `TRACK_LOW` and `LEAD` instead of their own globals
of these names. The report of the statistic is plain Python: `table(counts, names)` returns a Table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import numpy as np

from simlab.spec.contract import GameSpec

Array = np.ndarray[Any, Any]
HOOKS = ("at_turn", "at_decision", "at_end")


@dataclass(frozen=True)
class Count:
    """An array that is added up over games.

    Attributes:
        narrow: whether the loop counts in 32 bits, so more of a large array fits into the processor's cache. Match adds
            these counts to the 64-bit sums after each quarter of a second of play.
    """

    name: str
    axes: tuple[str | int, ...]  #: the size of each axis: a name in `sizes`, or a number
    signed: bool = False  #: int64 instead of uint64
    narrow: bool = False

    @property
    def kind(self) -> type[np.int64 | np.uint64]:
        return np.int64 if self.signed else np.uint64

    def shape(self, game: GameSpec) -> tuple[int, ...]:
        known = sizes(game)
        return tuple(axis if isinstance(axis, int) else known[axis] for axis in self.axes)


def sizes(game: Any) -> dict[str, int]:
    """The length of each axis of the counts, from a Game or from its names in a folder of results."""
    seats = len(game.seats)
    return {
        "rules": max(len(game.rules), 1),
        "seats": seats,
        "sides": len(game.sides) or seats,
        "winners": seats + 2,  # shared, nobody, then each seat
        "together": seats + 1,  # number of winners
        "endings": len(game.endings),
        "kinds": len(game.decisions),
        "actions": game.max_actions,
        "turns": game.max_turns + 1,
        "tracks": len(game.tracks),
        "values": -(-_widest_track(game) // track_step(game)),
        "uses": game.n_uses * seats,
        "items": game.n_items,
        "hexes": game.n_hexes,
        "hex_marks": len(game.hex_marks),
        "categories": len(game.seat_categories),
        "categorised": max((len(c.values) for c in game.seat_categories), default=0),
    }


_MOST_OF_TRACKS, _ROOM_OF_TRACKS = 10_000_000, 2_000_000  # numbers that count tracks: at most, and if in steps


def _widest_track(game: Any) -> int:
    return max((track.high - track.low + 1 for track in game.tracks), default=1)


def track_step(game: Any) -> int:
    """How many neighbouring values of a track are counted together: 1 unless wide tracks of a long game, such as scores
    in the thousands over a thousand turns, would take hundreds of megabytes.
    """
    counted, widest = (game.max_turns + 1) * len(game.tracks), _widest_track(game)
    return 1 if counted * widest <= _MOST_OF_TRACKS else -(-widest // max(_ROOM_OF_TRACKS // counted, 10))


@dataclass(frozen=True)
class Share:
    """A share of games, as counts; the report adds the interval.

    Attributes:
        worth: effective number of independent games, if `total` counts the seats of a game; None: `total`.
        fair: the expected share if the property makes no difference; None if there is none. The report marks
            the lines that differ significantly from it.
    """

    count: float
    total: float
    worth: float | None = None
    fair: float | None = None


@dataclass(frozen=True)
class Histogram:
    """Number of games by value, values int64 and ascending; the report shows mean and quantiles with intervals."""

    values: Array
    counts: Array
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """A statistic in the report: one line per entry, with a name and the counts."""

    title: str
    help: str
    lines: tuple[tuple[str, Share | Histogram], ...]


@lru_cache(maxsize=1)
def statistics() -> tuple[ModuleType, ...]:
    """Every file of this folder, by name."""
    return tuple(
        import_module(f"{__name__}.{name}") for name in sorted(module.name for module in iter_modules(__path__))
    )


def statistics_of(game: GameSpec) -> list[ModuleType]:
    """The statistics that a game has."""
    return [
        module
        for module in statistics()
        if getattr(game, getattr(module, "NEEDS", "seats"))
        and all(math.prod(count.shape(game)) for count in module.counts())
    ]


@dataclass(frozen=True)
class Layout:
    """What is counted for a game: shapes, the record in the loop, fields of scratch."""

    counts: dict[str, Count]
    shapes: dict[str, tuple[int, ...]]
    type: np.dtype[np.void]
    scratch: tuple[tuple[Any, ...], ...]


def layout(game: GameSpec) -> Layout:
    """The layout of a game's counts; cached."""
    if "layout" not in game.derived:
        counts = {count.name: count for statistic in statistics_of(game) for count in statistic.counts()}
        shapes = {name: count.shape(game) for name, count in counts.items()}
        fields = [(name, np.uint32 if c.narrow else c.kind, shapes[name]) for name, c in counts.items()]
        kept = [statistic.scratch(sizes(game)) for statistic in statistics_of(game) if hasattr(statistic, "scratch")]
        scratch = tuple(field for fields in kept for field in fields)
        game.derived["layout"] = Layout(counts, shapes, np.dtype(fields, align=True), scratch)
    found: Layout = game.derived["layout"]
    return found


def scratch_type(game: GameSpec, own: Sequence[tuple[Any, ...]] = ()) -> np.dtype[np.void]:
    """The record in which the statistics, and a designer's `own` metrics, keep data between turns and games."""
    track_now = ("track_now", np.int32, (max(len(game.tracks), 1),))
    return np.dtype([("game", np.int64), track_now, *layout(game).scratch, *own], align=True)


# --- The loop's calls -----------------------------------------------------------


def _nothing(*arguments: Any) -> None:
    """Stands in for a call that no statistic uses."""


FIRST = REST = _nothing


def _at_turn(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any) -> None:
    FIRST(counts, scratch, state, knobs, cards)
    REST(counts, scratch, state, knobs, cards)


def _at_decision(counts: Any, scratch: Any, state: Any, action: int) -> None:
    FIRST(counts, scratch, state, action)
    REST(counts, scratch, state, action)


def _at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    FIRST(counts, scratch, state, knobs, cards, row)
    REST(counts, scratch, state, knobs, cards, row)


_CHAINS: dict[str, Callable[..., Any]] = {"at_turn": _at_turn, "at_decision": _at_decision, "at_end": _at_end}


def _of_statistics(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, action: int) -> None:
    FIRST(counts, scratch, state, action)


def _of_all(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, action: int) -> None:
    FIRST(counts, scratch, state, knobs, cards, action)
    REST(counts, scratch, state, knobs, cards, action)


def hooks(
    game: GameSpec, kernels: Mapping[str, object], measures: Mapping[str, Sequence[Callable[..., Any]]]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The three calls of the play loop: each calls every statistic in turn, then the designer's own metrics.

    Args:
        kernels: the game's own, by name.
        measures: calls of a designer's own metrics (simlab.engine.custom_metrics.calls), by hook.
    """
    from simlab import compiler

    bound: list[dict[str, Callable[..., Any]]] = []
    for statistic in statistics_of(game):
        own: dict[str, Callable[..., Any]] = {}  # each may call those before it
        for hook in HOOKS:
            if hasattr(statistic, hook):
                function = compiler.specialise(getattr(statistic, hook), **kernels, **own)
                own[hook] = compiler.small_kernel(function)
        bound.append(own)
    for hook, chain in _CHAINS.items():
        made: Callable[..., Any] | None = None
        for own in reversed(bound):
            if hook in own and made is None:
                made = own[hook]
            elif hook in own:
                made = compiler.small_kernel(compiler.specialise(chain, FIRST=own[hook], REST=made))
        last = made or compiler.small_kernel(_nothing)
        if hook == "at_decision":
            last = compiler.small_kernel(compiler.specialise(_of_statistics, FIRST=last))
        for call in measures.get(hook, ()):
            both = _of_all if hook == "at_decision" else chain
            last = compiler.small_kernel(compiler.specialise(both, FIRST=last, REST=call))
        yield hook, last
