"""Exact counts over games, which batches add up and JSON stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simlab.engine import outcome
from simlab.engine.counts import layout
from simlab.errors import InputError
from simlab.game import Array, Game
from simlab.spec.contract import GameSpec


class Tally:
    """Exact counts over games; tallies of disjoint games add up.

    Attributes:
        games: number of games.
        counts: name -> array, as the files of simlab.engine.counts declare them; `tally.fired` is counts["fired"].
        metrics: name -> (values, counts), ascending: exact histograms, `score_<seat>` among them, and for each value of
            a category the share of its seats that win (outcome.seat_share). Counts and values are int64; values of
            shares and of a metric with decimals are float64.
    """

    def __init__(
        self, games: int, counts: Mapping[str, Array], metrics: Mapping[str, tuple[Array, Array]] | None = None
    ) -> None:
        self.games = games
        self.counts = dict(counts)
        self.metrics = dict(metrics or {})

    def __getattr__(self, name: str) -> Array:
        counts = self.__dict__.get("counts", {})
        if name not in counts:
            raise AttributeError(f"nothing named '{name}' was counted")
        array: Array = counts[name]
        return array

    # Who won (simlab.stats.figure.Counts and more).

    @property
    def wins(self) -> Array:
        """Games that each seat won, alone or with others: int64 (seats,)."""
        return np.asarray(np.asarray(self.won_with, np.int64).sum(axis=1))

    @property
    def alone(self) -> Array:
        """Games that each seat won alone: int64 (seats,)."""
        return np.asarray(np.asarray(self.won_with, np.int64)[:, 1])

    @property
    def credits(self) -> Array:
        """Each seat's part of the wins, with shared wins in parts: float (seats,)."""
        table = np.asarray(self.won_with, np.float64)
        return table[:, 1:] @ (1 / np.arange(1, table.shape[1]))

    @property
    def side_wins(self) -> Array:
        """Games that each side won: int64 (sides,)."""
        return np.asarray(self.counts["side_won"], np.int64)

    @property
    def shared(self) -> int:
        """Games that several seats won."""
        return int(np.asarray(self.outcomes[outcome.SHARED + 2]).sum())

    @property
    def nobody(self) -> int:
        """Games that nobody won."""
        return int(np.asarray(self.outcomes[outcome.NOBODY + 2]).sum())

    @property
    def fair_share(self) -> float:
        """Win rate of each seat if all won equally often: the mean number of winners over the number of seats."""
        return float(self.wins.sum()) / (self.wins.size * self.games) if self.games else 0.0

    @property
    def endings(self) -> Array:
        """Games by ending: int64 (endings,)."""
        return np.asarray(self.outcomes.sum(axis=(0, 2)), np.int64)

    def histogram(self, name: str) -> tuple[Array, Array]:
        """(values, games of each) of a number by its name, `turns` for the length; empty if it was not counted."""
        if name == "turns" and name not in self.metrics:
            return np.arange(self.outcomes.shape[2]), np.asarray(self.outcomes.sum(axis=(0, 1)), np.int64)
        return self.metrics.get(name, (np.zeros(0, np.int64), np.zeros(0, np.int64)))

    @classmethod
    def empty(cls, game: Game) -> Tally:
        """A tally without games."""
        known = layout(game)
        return cls(0, {name: np.zeros(known.shapes[name], count.kind) for name, count in known.counts.items()})

    def __add__(self, other: Tally) -> Tally:
        counts = {}
        for name in self.counts.keys() | other.counts.keys():
            mine, theirs = self.counts.get(name), other.counts.get(name)
            if mine is None or theirs is None or mine.shape != theirs.shape:
                raise InputError(f"these results cannot be added up: {name} differs in shape.")
            counts[name] = mine + theirs
        metrics = dict(self.metrics)
        for name, (values, games) in other.metrics.items():
            metrics[name] = add_histograms(metrics.get(name), (values, games))
        return Tally(self.games + other.games, counts, metrics)

    def add_rows(self, game: Game, rows: Array) -> None:
        """Adds the numbers in the rows (the loop's own counts are not in the rows)."""
        if rows.size == 0:
            return
        self.games += rows.size
        places = outcome.seat_share_places(game)
        columns = {name: outcome.seat_share(rows, len(game.seats), *place) for name, place in places.items()}
        columns |= {m.name: rows[m.name] for m in game.metrics}
        if game.has_scores:
            columns |= outcome.score_columns(rows, game.seats)
        columns["decisions"] = rows["decisions"]
        for name, column in columns.items():
            # In one piece: with the strides of a row, each read of a column touches the memory of all rows.
            mine = _histogram(np.ascontiguousarray(column))
            self.metrics[name] = add_histograms(self.metrics.get(name), mine)

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON-able data: sparse, and the same bytes for the same counts."""
        sparse = {}
        for name, array in sorted(self.counts.items()):
            places = np.flatnonzero(array)
            sparse[name] = {
                "shape": list(array.shape),
                "at": places.tolist(),
                "count": array.ravel()[places].tolist(),
            }
        metrics = {n: {"value": v.tolist(), "count": c.tolist()} for n, (v, c) in sorted(self.metrics.items())}
        return {"games": self.games, "counts": sparse, "metrics": metrics}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], game: GameSpec) -> Tally:
        """The tally that to_dict wrote.

        Args:
            game: the game, or its names in the folder: they declare the expected counts.
        Raises:
            InputError: the data have the wrong form; shapes and indices are checked before memory is allocated.
        """
        try:
            counts = {}
            for name, count in layout(game).counts.items():
                entry = data["counts"][name]
                shape = tuple(int(n) for n in entry["shape"])
                if shape != count.shape(game):
                    raise ValueError(f"{name} is not of the game that manifest.json names")
                at = np.asarray(entry["at"], dtype=np.int64)
                numbers = np.asarray(entry["count"], dtype=count.kind)
                array = np.zeros(shape, count.kind)
                if at.shape != numbers.shape or (at.size and not 0 <= at.min() <= at.max() < array.size):
                    raise ValueError(f"{name} counts outside its shape")
                array.reshape(-1)[at] = numbers
                counts[name] = array
            metrics = {
                str(name): (_values(h["value"]), np.asarray(h["count"], dtype=np.int64))
                for name, h in data["metrics"].items()
            }
            return cls(int(data["games"]), counts, metrics)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as fault:
            raise InputError(f"these counts are damaged or not simlab's: {fault}") from None


def _values(listed: Any) -> Array:
    """The values of a histogram from JSON: integers or floats."""
    values = np.asarray(listed)
    if values.size and values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise ValueError("a value is not finite")
        return np.asarray(values, np.float64)
    return np.asarray(listed, dtype=np.int64)


def _histogram(column: Array) -> tuple[Array, Array]:
    low = column.min()
    if column.dtype.kind == "f" or int(column.max()) - int(low) > 1_000_000:
        values, counts = np.unique(column, return_counts=True)
        return values if column.dtype.kind == "f" else values.astype(np.int64), counts.astype(np.int64)
    low = int(low)
    counts = np.bincount(column - low)
    values = np.flatnonzero(counts)
    return values + low, counts[values]


def add_histograms(old: tuple[Array, Array] | None, new: tuple[Array, Array]) -> tuple[Array, Array]:
    """The sum of two histograms, (values, counts); None stands for no games."""
    if old is None:
        return new
    values = np.union1d(old[0], new[0])
    counts = np.zeros(values.size, np.int64)
    for some_values, some_counts in (old, new):
        counts[np.searchsorted(values, some_values)] += some_counts
    return values, counts
