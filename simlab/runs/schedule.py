"""The work of a run: its cells, and the planned, waiting and finished shards of each cell.

Shards depend only on the experiment and on the counts of finished shards, not on the workers. A cell has all its
shards from the start, unless the experiment asks for a precision or a judge looks at the counts. In that case it gets
more shards at each look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simlab.errors import InputError
from simlab.runs.store import Folder, Shard, check_number, cut
from simlab.runs.worker import MATCHES_LOCK, remember

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.tally import Tally
    from simlab.game import Game
    from simlab.runs.cells import Cell
    from simlab.spec.experiment import Experiment

COUNTED_SHARD = 20  #: factor of the games of a shard if only counts are kept
FINGERPRINT = "fingerprint"  #: key and purpose of work whose outcomes make the run's fingerprint, with seed 0
FINGERPRINT_GAMES, FINGERPRINT_SHARE = 1_000, 20  #: most games of a fingerprint; it takes one in 20 of the first cell's
FIRST_LOOK = 1_000  #: games per cell before the judge's first look
GROWTH = 1.5  #: factor by which the games of a cell that is still open grow at each look

SEARCHED_SHARD = 50  #: games of a shard whose bots look ahead
_PIECES = 8  # shards into which the games between two looks are cut, so that several workers have some
_LEAST_PIECE = 1_000  # games of such a shard

Work = tuple[str, Shard]  #: key of the cell, and a shard of its games
Judge = Callable[[Mapping[str, "Tally"]], Iterable[str]]  #: cell key -> counts so far; keys of the cells to continue


@dataclass
class CellRun:
    """One cell of the table during a run."""

    cell: Cell
    game: Game
    key: str
    match_key: str
    shards: list[Shard]  #: planned so far
    planned: int  #: number of their games
    size: int  #: games per shard
    done: set[Shard] = field(default_factory=set)  #: finished shards
    games: int = 0  #: games played in them
    wins: tuple[int, ...] = ()  #: games that each seat won
    cut_off: int = 0  #: truncated games, which are not in the counts


class Schedule:
    """The shards of a run: planned, waiting, done.

    Args:
        judge: decides from the counts which cells continue; without it, the experiment's precision decides, if stated.
    Raises:
        InputError: nothing to play, or more shards than a folder can hold.
    """

    def __init__(self, experiment: Experiment, cells: Sequence[Cell], judge: Judge | None = None) -> None:
        if not cells:
            raise InputError(f"{experiment.name}: there is nothing to play.")
        self.seed, self.judge = experiment.seed, judge
        self.precision = experiment.stop.precision if experiment.stop and judge is None else 0.0
        most = sum(cell.games for cell in cells)
        self.rows = most <= experiment.row_limit  #: whether there is a row per game
        size = min(experiment.shard_games, experiment.games) if experiment.stop else experiment.shard_games
        self.size = size if self.rows else size * COUNTED_SHARD  #: games per shard
        if not experiment.stop:
            check_number(most, self.size)
        self._first_look, self._in_one_shard = experiment.games, most <= experiment.shard_games
        matches = [cell.match() for cell in cells]
        self.match = matches[0]
        self.cells = [self._cell_run(cell, match) for cell, match in zip(cells, matches, strict=True)]
        self.by_key: dict[str, CellRun] = {}  #: the first of several cells with the same games, which plays them
        for run in self.cells:
            self.by_key.setdefault(run.key, run)
        self.planned = sum(run.planned for run in self.by_key.values())
        self.done = 0  #: games in finished shards
        self.waiting: dict[Work, None] = {}  #: work of the current look that is neither stored nor given up, in order
        self._counted: dict[str, tuple[set[Shard], Tally]] = {}  # key -> shards that the judge has seen, and their sum

    def _cell_run(self, cell: Cell, match: Match) -> CellRun:
        from simlab.runs.cells import cell_key

        with MATCHES_LOCK:
            remember(match, match.key)
        games, size = cell.games, self.size
        if any(bot.looks_ahead for bot in match.bots):  # such games take long, and all workers need work
            size = min(size, SEARCHED_SHARD)
        if self.judge is not None:
            games = min(games, FIRST_LOOK)
            shards = self._pieces(0, games, size)
        else:
            if self.precision:  # the first look comes after whole shards
                games = min(games, -(-self._first_look // size) * size)
            shards = cut(games, size)
        return CellRun(cell, match.game, cell_key(match.key, self.seed), match.key, shards, games, size)

    def continue_as_stored(self, folder: Folder) -> None:
        """Keeps the larger shards of a folder that was written by a version without smaller shards for searches."""
        for run in self.by_key.values():
            if run.size < self.size and self.judge is None:
                large = cut(run.planned, self.size)
                if any(folder.finished(run.key, shard, self.rows) for shard in large):
                    run.shards, run.size = large, self.size

    @property
    def small(self) -> bool:
        """Whether one process is enough: few games, and no bot looks ahead."""
        return self._in_one_shard and all(run.size == self.size for run in self.cells)

    @property
    def tables(self) -> list[Game]:
        """The game at each player count, the largest last, for a run with several; else empty."""
        sizes = {len(run.game.seats): run.game for run in self.cells}
        return [sizes[size] for size in sorted(sizes)] if len(sizes) > 1 else []

    def label(self, key: str) -> str:
        return self.by_key[key].cell.label

    def first_plan(self) -> list[Work]:
        """The shards of the first look; all shards if there is neither a judge nor a precision."""
        return [(run.key, shard) for run in self.by_key.values() for shard in run.shards]

    def wait_for(self, work: Iterable[Work], closed: Container[str], fingerprint: bool) -> None:
        """Adds the work of a look to the waiting list, except for closed cells, and the fingerprint if still needed."""
        self.waiting = dict.fromkeys((key, shard) for key, shard in work if key not in closed)
        if fingerprint:  # last, so that a bot's fault shows first in a game of the user's own seed
            count = min(FINGERPRINT_GAMES, -(-self.cells[0].cell.games // FINGERPRINT_SHARE))
            self.waiting[FINGERPRINT, Shard(0, count - 1)] = None

    # --- finished work

    def add(self, key: str, shard: Shard, games: int, wins: Sequence[int], cut_off: int) -> None:
        """Counts a finished shard, once."""
        run = self.by_key[key]
        if shard not in run.done:
            run.done.add(shard)
            run.games += games
            run.cut_off += cut_off
            run.wins = tuple(a + b for a, b in zip(run.wins or [0] * len(wins), wins, strict=True))
            self.done += games + cut_off

    def unfinished(self, folder: Folder, work: Iterable[Work]) -> list[Work]:
        """The part of this work that is not finished; shards in the folder count as finished."""
        from simlab.engine.tally import Tally

        left = []
        for key, shard in work:
            stored = folder.finished(key, shard, self.rows) or folder.take_back(key, shard, self.rows)
            if stored is None or stored.faults:  # games that failed are tried again in another start
                left.append((key, shard))
            else:
                wins = Tally.from_dict(stored.tally, self.by_key[key].game).wins
                self.add(key, shard, stored.games, [int(n) for n in wins], len(stored.cut_off))
        return left

    def strike_stored(self, folder: Folder) -> None:
        """Removes work from the list that was finished but whose report was lost."""
        there = [work for work in self.waiting if folder.has(f"cells/{work[0]}/{work[1].name}.json")]
        for work in {*there} - {*self.unfinished(folder, there)}:
            del self.waiting[work]

    # --- next work

    def next_look(self, folder: Folder, closed: Container[str] = ()) -> list[Work]:
        """The next shards of the cells that the judge or [stop] keeps open and that are not `closed`."""
        open_cells = self._open_cells(folder, closed)
        work: list[Work] = []
        for run in self.by_key.values():
            games = self._games_wanted(run) if self.precision else run.planned
            if run.key in open_cells:
                games = min(math.ceil(run.planned * GROWTH), run.cell.games)
            if games > run.planned and run.key not in closed:
                size = run.size
                more = self._pieces(run.planned, games, size) if self.judge else cut(games, size)[len(run.shards) :]
                self.planned += games - run.planned
                run.planned = games
                run.shards += more
                work += [(run.key, shard) for shard in more]
        return work

    def _open_cells(self, folder: Folder, closed: Container[str]) -> set[str]:
        """Keys of the cells for which the judge wants more games."""
        from simlab.engine.tally import Tally

        if self.judge is None:
            return set()
        for key, run in self.by_key.items():
            if key in closed:
                continue
            seen, total = self._counted.get(key) or (set(), Tally.empty(run.game))
            for shard in sorted(run.done - seen):
                total = total + Tally.from_dict(folder.sidecar(key, shard).tally, run.game)
            self._counted[key] = (set(run.done), total)
        return set(self.judge({key: total for key, (_, total) in self._counted.items()}))

    def _pieces(self, first: int, end: int, most: int) -> list[Shard]:
        """Games first .. end-1 in shards of at most `most` games, with enough shards to keep several workers busy."""
        size = min(max(math.ceil((end - first) / _PIECES), _LEAST_PIECE), most)
        return [Shard(at, min(at + size, end) - 1) for at in range(first, end, size)]

    def _games_wanted(self, run: CellRun) -> int:
        """Number of games that the cell should have at the next look; unchanged if it is precise enough."""
        from simlab.stats.precision import games_wanted

        if run.games == 0 or run.planned >= run.cell.games:
            return run.planned
        wanted = games_wanted(run.wins, run.games, self.precision, run.size)
        return run.planned if wanted <= run.games else min(max(wanted, run.planned + run.size), run.cell.games)
