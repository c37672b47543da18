"""Who won. Only this module interprets the `winners` of a row; only simlab.engine.tally interprets counts of winners.

A row holds the set of winners as bits. A seat wins a game when it is in the set, alone or with others; the win rates of
a game add up to the mean number of winners. The value of a game to a seat is simlab.engine.payoff.

`winner` is the lone winner's number, or SHARED or NOBODY: `Match.play` refuses rows in which it contradicts `winners`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from simlab.stats.figure import Figures

Array = np.ndarray[Any, Any]
SHARED, NOBODY = -2, -1  #: `winner` of a row when several seats win, and when none does


# --- From rows ------------------------------------------------------------------


def won(rows: Mapping[str, Array] | Array, seat: int) -> Array:
    """Whether a seat is among the winners of each game: bool (games,). Rows: columns by name, or rows themselves."""
    return np.asarray((np.asarray(rows["winners"]).astype(np.int64) >> seat) & 1, np.bool_)


def all_won(rows: Mapping[str, Array] | Array, seats: int) -> Array:
    """`won` of every seat: bool (games, seats)."""
    return np.stack([won(rows, seat) for seat in range(seats)], axis=1)


def winners_from(winner: Array, seats: int) -> Array:
    """`winners` of rows of one or two seats, which have no such column, from `winner`: int64, same shape."""
    alone = np.int64(1) << np.maximum(winner, 0).astype(np.int64)
    return np.where(winner >= 0, alone, np.where(winner == SHARED, (1 << seats) - 1, 0))


def winner_words(names: Any) -> tuple[str, ...]:
    """The name of each value of `winner`: seats at 0, 1, ...; `shared` at -2 and `nobody` at -1."""
    return (*names.seats, "shared", "nobody")


def winners_text(names: Any, winners: int) -> str:
    """Who won, from the winners' bits: a seat, a side, "ann and bob" or "nobody"; "shared" if both of two seats won."""
    won_by = [seat for place, seat in enumerate(names.seats) if winners >> place & 1]
    if len(won_by) < 2:
        return won_by[0] if won_by else "nobody"
    for (name, places, _), mask in zip(sides_of(names), side_masks(names), strict=True):
        if mask == winners and len(places) > 1:
            return name
    return "shared" if len(names.seats) == 2 else " and ".join(won_by)


def winner_codes(names: Any) -> dict[str, int]:
    """Name -> value of `winner`."""
    return {seat: place for place, seat in enumerate(names.seats)} | {"shared": SHARED, "nobody": NOBODY}


def won_column(seats: Sequence[str], seat: int) -> pl.Expr:
    """A column of stored rows (simlab.runs.store.row_schema): whether a seat is among the winners."""
    import polars as pl

    if len(seats) > 2:
        return (pl.col("winners") // (1 << seat)) % 2 == 1
    return pl.col("winner").cast(pl.String).is_in([seats[seat], "shared"])


def score_columns(rows: Mapping[str, Array] | Array, seats: Sequence[str]) -> dict[str, Array]:
    """The score of each seat, shape (games,), by the name of its figure (simlab.stats.figure.score_name)."""
    from simlab.stats.figure import score_name

    return {score_name(seat): np.asarray(rows["score"])[:, place] for place, seat in enumerate(seats)}


def seat_share(rows: Mapping[str, Array] | Array, seats: int, place: int, value: int) -> Array:
    """Of the seats that have a value of a category in a game, the share that win it: float (games,), -1 if none has it.

    Args:
        place, value: positions in Game.seat_categories and in its values.
    """
    held = np.asarray(rows["category"])[:, place] == value
    number = held.sum(axis=1)
    return np.where(number > 0, (held & all_won(rows, seats)).sum(axis=1) / np.maximum(number, 1), -1.0)


def seat_share_places(names: Any) -> dict[str, tuple[int, int]]:
    """Name of a figure -> (place of its category, place of its value), for the figures of seats with a role or a start
    place (simlab.stats.figure.SeatShare). A metric of the same name comes first.
    """
    from simlab.stats.figure import category_win_name

    places = {
        category_win_name(category.name, word): (place, value)
        for place, category in enumerate(getattr(names, "seat_categories", ()))
        for value, word in enumerate(category.values)
    }
    own = {metric.name for metric in names.metrics}
    return {name: place for name, place in places.items() if name not in own}


class GameRows:
    """Games one by one, as the figures read them (simlab.stats.figure.Rows).

    Args:
        rows: columns by name. A score is in a column with its seat's name, or all scores are in one, `score`. The share
            of the seats with a role that win is in a column of its own, or follows from `category`.
    """

    def __init__(self, rows: Mapping[str, Array] | Array, names: Any) -> None:
        from simlab.stats.figure import score_name

        self.rows = rows
        self._there = frozenset(rows.dtype.names or () if isinstance(rows, np.ndarray) else rows)
        self._scores = {score_name(seat): place for place, seat in enumerate(names.seats)}
        for metric in names.metrics:
            self._scores.pop(metric.name, None)
        self._seats, self._shares = len(names.seats), seat_share_places(names)

    def __contains__(self, column: str) -> bool:
        """Whether a figure can read a column of this name."""
        if column in self._shares and column not in self._there:
            return "category" in self._there
        return (column if column not in self._scores or column in self._there else "score") in self._there

    def won(self, seat: int) -> Array:
        return won(self.rows, seat)

    def shared(self) -> Array:
        return np.asarray(self.rows["winner"] == SHARED)

    def nobody(self) -> Array:
        return np.asarray(self.rows["winner"] == NOBODY)

    def column(self, name: str) -> Array:
        if name in self._there:
            column = np.asarray(self.rows[name])
            return column if column.dtype.kind == "f" else np.asarray(column, np.int64)
        if name in self._shares:
            return seat_share(self.rows, self._seats, *self._shares[name])
        return np.asarray(self.rows["score"], np.int64)[:, self._scores[name]]


# --- Sides ----------------------------------------------------------------------


def sides_of(names: Any) -> list[tuple[str, tuple[int, ...], str]]:
    """(name, numbers of its seats, its verb when it wins) of each side; by default each seat is its own side."""
    if not names.sides:
        return [(seat, (place,), "wins") for place, seat in enumerate(names.seats)]
    places = {seat: place for place, seat in enumerate(names.seats)}
    return [(side.name, tuple(places[seat] for seat in side.seats), side.wins) for side in names.sides]


def side_masks(names: Any) -> list[int]:
    """The seats of each side as bits."""
    return [sum(1 << place for place in places) for _, places, _ in sides_of(names)]


def side_endings(names: Any) -> list[tuple[int, ...]]:
    """The places of the endings in which each side can win: all of them, unless the side names its own."""
    every = tuple(range(len(names.endings)))
    if not names.sides:
        return [every for _ in names.seats]
    return [tuple(names.endings.index(name) for name in side.endings) or every for side in names.sides]


def ending_masks(names: Any) -> list[int]:
    """`side_endings` as bits."""
    return [sum(1 << place for place in places) for places in side_endings(names)]


def figures_of(names: Any) -> Figures:
    """All figures of a game, or of its names in a results folder."""
    from simlab.stats.figure import Figures

    return Figures(
        names.seats, names.endings, names.measures, sides_of(names), names.article, names.slug, side_endings(names),
        getattr(names, "seat_categories", ()),
    )  # fmt: skip
