"""Alarms of a finished run.

If a shard is unlike the others of its cell, its worker may have played other rules. If games of a cell repeat more
often than chance allows, the cell's intervals cannot be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import winner_words
from simlab.runs.store import collected, label_columns
from simlab.stats.outlier_counts import Odd, find_odd, length_cuts
from simlab.stats.repetition import Repeat, find_repeats

if TYPE_CHECKING:
    from simlab.engine.tally import Tally
    from simlab.runs.results import CellResult, Results
    from simlab.runs.store import Shard

MOST_CELLS, MOST_GAMES = 1_000, 200_000  #: number of cells, and of games per cell, that are searched for repeats
MOST_SHARDS = 20_000  #: most shards of a run that are tested
_PARTS = 10  # number of classes into which lengths, scores and metrics are cut


@dataclass(frozen=True)
class OddShard:
    """A shard that is unlike the rest of its cell."""

    cell: str
    shard: Shard
    what: str  #: the outcome that is more or less frequent in the shard, in words
    odd: Odd
    of: int  #: number of shards of its cell

    @property
    def sentence(self) -> str:
        one = self.odd
        other = " With two shards, either may be the outlier." if self.of == 2 else ""
        return (
            f"OUTLIER SHARD, {self.cell}, games {self.shard.first} to {self.shard.last}: "
            f"{self.what} {one.seen:,} times, "
            f"but {one.expected:,.0f} expected from its share of the games ({one.residual:+.1f} standard errors); "
            f"chance alone does this in one run of {1 / max(one.chance, 1e-15):,.0f}.{other} Play these games again: "
            "simlab verify with --sample all."
        )

    def to_dict(self) -> dict[str, Any]:
        one = self.odd
        return {
            "cell": self.cell, "shard": list(self.shard), "what": self.what, "seen": one.seen, "games": one.games,
            "expected": one.expected, "residual": one.residual, "chance": one.chance,
        }  # fmt: skip


def odd_shards(results: Results, most: int = MOST_SHARDS) -> list[OddShard]:
    """Shards whose winners, endings, lengths or metrics differ from the rest of their cell beyond chance.

    Failed and truncated games are left out of all counts. Cells with one shard, and shards over `most`, are not tested.
    """
    cells = [cell for cell in results.cells if len(cell.shards) > 1]
    tables = []
    for cell in cells:
        if most < len(cell.shards):
            break
        most -= len(cell.shards)
        tallies = [results._merge(cell.key, (shard,))[0] for shard in cell.shards]
        events = list(_events(cell, tallies))
        counts = np.array([column for _, column in events], np.int64).T
        tables.append((cell, [words for words, _ in events], counts, np.array([tally.games for tally in tallies])))
    looks = sum(counts.size for *_, counts, _ in tables)
    return [
        OddShard(cell.label, cell.shards[odd.piece], words[odd.event], odd, len(games))
        for cell, words, counts, games in tables
        for odd in find_odd(counts, games, looks)
    ]


def _events(cell: CellResult, tallies: list[Tally]) -> Iterator[tuple[str, list[int]]]:
    """(description of an outcome, number of games with it in each shard), for each outcome that is tested."""
    names = cell.names
    seats = winner_words(names)
    for place in range(len(names.seats) + 2):
        who = seats[place - 2]
        for ending, how in enumerate(names.endings):
            column = [int(tally.outcomes[place, ending].sum()) for tally in tallies]
            if any(column):
                yield f"'{who}' wins by '{how}'" if place > 1 else f"'{who}' by '{how}'", column
    numbers = {"turns", *(name for tally in tallies for name in tally.metrics)}
    for name in sorted(numbers):
        each = [tally.histogram(name) for tally in tallies]
        values = np.unique(np.concatenate([have for have, _ in each]))
        table = np.zeros((len(tallies), values.size), np.int64)
        for row, (have, games) in zip(table, each, strict=True):
            row[np.searchsorted(values, have)] = games
        for cut in length_cuts(table.sum(axis=0), _PARTS):
            yield f"{name} of {values[cut]:g} or less", table[:, : cut + 1].sum(axis=1).tolist()


def repeats_in(results: Results, most_cells: int = MOST_CELLS, most_games: int = MOST_GAMES) -> dict[str, Repeat]:
    """Cells whose games repeat more often than chance allows: label -> evidence. Empty if no rows were kept."""
    signs = {}
    for cell in results.cells[: most_cells if results.has_rows else 0]:
        codes, left = [], most_games  # a number for the result of each game
        for shard in cell.shards:
            if left > 0:
                kept = results._store.scan_shard(cell.key, shard, results._stored).head(left)
                frame = collected(kept, results._store.shard_path(cell.key, shard))
                codes.append(frame.drop(label_columns(cell.bots)).hash_rows(seed=1).to_numpy())
                left -= shard.size
        if repeats := find_repeats(np.concatenate(codes)):
            signs[cell.label] = repeats[0]
    return signs


def alarm(cell: str, repeat: Repeat) -> str:
    return f"ALARM, {cell}: {repeat.sentence}. Its games may not be independent: do not trust its intervals."
