"""The rows of the games for the report, which reads each file once, column by column.

Rows are ordered by cell, then by the number of the game. If every cell has all of its games (nearly always), a column
is a table (cells, games), and sums over its columns measure the correlation of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from simlab.engine import outcome
from simlab.engine.payoff import Payoff
from simlab.errors import InputError
from simlab.present.estimate import LEVEL, Estimate, share_of
from simlab.stats.cluster_robust import clustered_ratio
from simlab.stats.intervals import Floats, Mean

MOST = 5_000_000  #: largest number of rows that is read
_TOGETHER = 1_000_000  # rows up to which all columns are read at once, and kept


class Rows:
    """A column of the rows of some cells, shape (rows,).

    `shape` is (cells, games) if each cell has the same number of games and none is missing, else None.
    """

    def __init__(self, values: Any, game: Any, cell: Any, shape: tuple[int, int] | None = None) -> None:
        self.values, self.shape = values, shape
        self._game, self._cell = game, cell  # with a shape: only the numbers of the cells, and no games

    @cached_property
    def game(self) -> Any:
        """Number of each row's game in its cell."""
        return self._game if self.shape is None else np.tile(np.arange(self.shape[1]), self.shape[0])

    @cached_property
    def cell(self) -> Any:
        """Place of each row's cell in the view."""
        return self._cell if self.shape is None else np.repeat(self._cell, self.shape[1])

    @cached_property
    def _cells(self) -> int:
        return len(np.unique(self._cell))

    def mean(self, numbers: Any, level: float = LEVEL) -> Mean:
        """Mean of a number of each row."""
        return self.ratio(numbers, np.ones(len(self.values)), level)

    def ratio(self, top: Any, bottom: Any, level: float = LEVEL) -> Mean:
        """Sum of one number of each row over the sum of another: simlab.stats.cluster_robust.clustered_ratio."""
        if self.shape is not None:  # all cells have the same games: the sums of each game over the cells suffice
            top, bottom = (np.reshape(numbers, self.shape).sum(axis=0) for numbers in (top, bottom))
            return clustered_ratio(top, bottom, np.arange(top.size), np.zeros(top.size), level)
        return clustered_ratio(top, bottom, self.game, self.cell, level)

    def among(self, numbers: Any, counts: Any, rate: bool = False, level: float = LEVEL) -> Estimate:
        """Mean of a number over the rows that count.

        Args:
            rate: whether the number is a share. It then gets Wilson's interval for as many independent games as have
                the same variance: at most one per row, and rows / cells if cells that may be correlated show no spread.
        """
        mean = self.ratio(np.where(counts, numbers, 0), counts, level)
        if not rate:
            return Estimate(mean.value, mean.low, mean.high, False)
        rows, cells, share = float(counts.sum()), self._cells, mean.value
        worth = rows if cells == 1 else rows / cells
        if cells > 1 and mean.se > 0 and 0 < share < 1:
            worth = min(share * (1 - share) / mean.se**2, rows)
        return share_of(share * worth, worth, level)


Column = (
    str | Payoff
)  #: by its name `winner`, `winners`, `ending` or that of a number, or the value of a game to a seat


class Games:
    """The rows of a view's cells."""

    def __init__(self, scan: Any, keys: Sequence[str], seats: Sequence[str], endings: Sequence[str]) -> None:
        self._scan, self._keys, self._seats, self._endings = scan, keys, seats, endings
        self.names = frozenset(scan.collect_schema().names())  #: of the columns

    @classmethod
    def of(cls, results: Any, keys: Sequence[str], seats: Sequence[str], endings: Sequence[str]) -> Games | None:
        """The rows of cells by their keys; None if only counts were kept."""
        import polars as pl

        try:
            scan = results.scan()
        except InputError:  # only counts were kept
            return None
        if {cell.key for cell in results.cells} - {*keys}:
            scan = scan.filter(pl.col("cell").cast(pl.String).is_in([*keys]))
        games = cls(scan, keys, seats, endings)
        return games if {"game", "cell", "winner", "ending"} <= games.names and games.cell.size else None

    @cached_property
    def _columns(self) -> dict[Column, Any]:
        """Columns by name: all columns if there are few rows, else only those that nearly every answer needs.

        `winner` and `ending` are places, or codes of simlab.engine.outcome; `winners` are the seats as bits.
        """
        import polars as pl

        codes = {
            "winner": {seat: place for place, seat in enumerate(self._seats)} | {"shared": outcome.SHARED},
            "ending": {name: place for place, name in enumerate(self._endings)},
            "cell": {key: place for place, key in enumerate(self._keys)},
        }
        texts = [
            pl.col(name).cast(pl.String).replace_strict(known, default=outcome.NOBODY, return_dtype=pl.Int32)
            for name, known in codes.items()
        ]
        rows = self._scan.select(pl.len()).collect().item()
        numbers = [name for name, kind in self._scan.collect_schema().items() if kind.is_numeric()]
        if rows > _TOGETHER:
            numbers = [name for name in numbers if name in ("game", "turns", "winners")]
        table = self._scan.select(*texts, *numbers).collect()
        columns: dict[Column, Any] = {name: table[name].to_numpy() for name in table.columns}
        if "winners" not in columns:
            columns["winners"] = outcome.winners_from(columns["winner"], len(self._seats))
        return columns

    @property
    def game(self) -> Any:
        """Number of each row's game."""
        return self._columns["game"]

    @property
    def cell(self) -> Any:
        """Place of each row's cell in the view."""
        return self._columns["cell"]

    @cached_property
    def shape(self) -> tuple[int, int] | None:
        cells = len(self._keys)
        games, left = divmod(self.cell.size, cells)
        whole = not left and np.array_equal(self.cell, np.repeat(np.arange(cells), games))
        return (cells, games) if whole and np.array_equal(self.game, np.tile(np.arange(games), cells)) else None

    def values(self, column: Column) -> Any:
        """A column of the rows; None if there is no such column."""
        columns = self._columns
        if isinstance(column, Payoff) and column not in columns:
            columns[column] = column.values({"winners": columns["winners"], "ending": columns["ending"]})
        elif column not in columns and column in self.names:
            return self._scan.select(column).collect()[column].to_numpy()
        return columns.get(column)

    def rows(self, column: Column, places: Sequence[int] | None = None) -> Rows | None:
        """A column of the cells at these places in the view, ascending, or of all; None if it is not there."""
        values = self.values(column)
        if values is None:
            return None
        every = places is None or len(places) == len(self._keys)
        if self.shape is not None:
            chosen = np.arange(len(self._keys)) if every else np.asarray(places)
            part = values if every else np.reshape(values, self.shape)[chosen].ravel()
            return Rows(part, None, chosen, (chosen.size, self.shape[1]))
        if every:
            return Rows(values, self.game, self.cell)
        chosen = np.zeros(len(self._keys), bool)
        chosen[list(places or ())] = True
        mask = chosen[self.cell]
        return Rows(values[mask], self.game[mask], self.cell[mask])

    def by_game(self, values: Any, least: int) -> Floats:
        """A number of each row as a table (games, cells), for those of the first `least` games that all cells have."""
        if self.shape is not None:
            return np.ascontiguousarray(np.reshape(values, self.shape).T[:least], dtype=np.float64)
        both = self.game < least
        table = np.full((least, len(self._keys)), np.nan)
        table[self.game[both], self.cell[both]] = values[both]
        return np.asarray(table[~np.isnan(table).any(axis=1)], np.float64)
