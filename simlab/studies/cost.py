"""What a run would take, before it begins: games, time, disk, and the smallest change that it can see."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import won
from simlab.errors import UserMistake

if TYPE_CHECKING:
    from simlab.engine.match import Batch
    from simlab.experiments.cells import Cell
    from simlab.experiments.experiment import Experiment

SAMPLE_CELLS = 6  #: cells of which a sample is played
_SECONDS, _LEAST, _MOST = 0.2, 200, 4_000  # of play and games of each sample


@dataclass(frozen=True)
class Plan:
    """What a run would take.

    Attributes:
        cells: rows of the experiment's table; games: to be played in all, those that are there too.
        done: games of them that are finished in the folder already.
        per_second: games a second of one worker, measured on a sample; workers: how many would play.
        seconds: of play for what is left; None where nothing could be measured.
        disk: bytes of rows and counts when all is done.
        rows: whether a row a game is kept.
        family: changes that the results will judge together, so that one false alarm in twenty is all there is.
        change: smallest change of the first seat's win rate between two cells that such a run shows four
            times in five, judged with all of its family, were their luck separate; near the win rate of the sample.
        paired: the same on shared seeds, as far as the sample tells; None where it does not.
        most: whether `games` is the most that a [stop] allows.
        folder: where the results would lie.
    """

    cells: int
    games: int
    done: int
    per_second: float
    workers: int
    seconds: float
    disk: int
    rows: bool
    family: int
    change: float
    paired: float | None
    most: bool
    folder: str

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return {"plan": asdict(self)}

    @property
    def text(self) -> str:
        """For people."""
        left = self.games - self.done
        there = f", of which {self.done:,} are there already" if self.done else ""
        upto = "up to " if self.most else ""
        team = f"{self.workers} worker{'s' if self.workers > 1 else ''}"
        kept = "a row a game" if self.rows else "counts only, no row a game"
        paired = f", {_points(self.paired)} on the same seeds (as the sample has it)" if self.paired is not None else ""
        if left == 0:
            return (
                f"All {self.games:,} games of {self.cells:,} cells are in {self.folder} already: nothing is left to "
                "play. Without --plan the run prints its results."
            )
        lines = {
            "Cells": f"{self.cells:,}",
            "Games": f"{upto}{self.games:,}{there}",
            "Time": f"about {span(self.seconds)} for {upto}{left:,} games: {self.per_second:,.0f} a second of each of "
            f"{team}; what had to be compiled is compiled by now",
            "Disk": f"about {_bytes(self.disk)} in {self.folder} ({kept})",
            "Reach": f"between two cells, changes of the win rate from about {_points(self.change)} on with separate "
            f"luck{paired}; seen four times in five"
            f"{f', though {self.family:,} changes are judged together' if self.family > 1 else ''}",
        }
        table = [f"{name:<6} {text}" for name, text in lines.items()]
        return "\n".join([*table, "Only a sample was played and nothing was written; without --plan the run begins."])


def _points(change: float) -> str:
    return f"{100 * change:.{1 if change >= 0.001 else 2}f} points"


def span(seconds: float) -> str:
    """A time for people: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:.1f} h"


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1_000 or unit == "GB":
            return f"{size:,.{0 if unit in ('B', 'kB') else 1}f} {unit}"
        size /= 1_000
    raise AssertionError


def plan(experiment: Experiment, out: Path | str | None = None, workers: int | None = None) -> Plan:
    """What a run of the experiment would take; plays a sample of a few cells, writes nothing.

    Args:
        out, workers: as `simlab.runs.runner.run`.
    Raises:
        UserMistake: bad input. BotFault: a bot failed in the sample.
    """
    from simlab.experiments.cells import cell_key, cells
    from simlab.runs.manifest import identity_of, processors
    from simlab.runs.place import place_of
    from simlab.runs.schedule import shard_size
    from simlab.runs.store import Folder, cut, rows_to_parquet, to_json
    from simlab.stats.intervals import smallest_change

    if workers is not None and workers < 1:
        raise UserMistake(f"workers = {workers} is not allowed: use 1 or more.")
    table = cells(experiment)
    rows, size = shard_size(experiment, sum(cell.games for cell in table))
    shards = {}
    for cell in table:
        shards[cell_key(cell.match().key, experiment.seed)] = cut(cell.games, size)
    identity = identity_of(experiment.name, experiment.seed, table[0].match())
    folder = Folder(Path(out) if out is not None else place_of(experiment, shards, identity)[0])
    games = sum(shard.size for some in shards.values() for shard in some)
    missing = folder.missing_shards(shards, rows)
    left = sum(shard.size for _, shard in missing)
    samples, seconds = _samples(table, experiment.seed)
    each = float(np.mean(seconds))
    first = samples[0]
    stored = len(to_json(first.tally.to_dict())) * sum(map(len, shards.values()))
    if rows:
        sample_rows = rows_to_parquet(first.rows, table[0].match().game, "0" * 16, table[0].bot_labels)
        stored += round(len(sample_rows) / len(first.rows) * games)
    small = workers is None and sum(cell.games for cell in table) <= experiment.shard_games
    at_once = workers or (1 if small else processors())
    rate = float(np.mean([np.mean(won(batch.rows, 0)) for batch in samples]))
    family = judged_together(experiment)
    near = min(max(rate, 0.05), 0.95)
    change = smallest_change(near, experiment.games, family=family)
    factor = _factor(samples)
    paired = None if factor is None else smallest_change(near, experiment.games, family=family, factor=factor)
    if paired is not None and factor is not None and factor >= 1:
        paired = min(paired, change)  # the pairs never tell less than the two rates by themselves
    return Plan(
        cells=len(table),
        games=games,
        done=games - left,
        per_second=1 / each,
        workers=at_once,
        seconds=left * each / at_once,
        disk=stored,
        rows=rows,
        family=family,
        change=change,
        paired=paired,
        most=experiment.stop is not None,
        folder=str(folder.path),
    )


def judged_together(experiment: Experiment) -> int:
    """How many changes between two cells the results of an experiment judge together.

    Bots compared: every step from one bot to another in one seat, the others held. Knobs: each point against the
    first. One cell: one, against another run.
    """
    bots = [len(experiment.bots[seat]) for seat in experiment.bots]
    match_ups = experiment.match_ups or math.prod(bots)
    # Each match-up is left for as many others as its seats have other bots; two match-ups share a step.
    steps = min(match_ups, math.prod(bots)) * sum(count - 1 for count in bots) // 2
    return max(len(experiment.rows) - 1, steps, 1)


def _samples(table: Sequence[Cell], seed: int) -> tuple[list[Batch], list[float]]:
    """Games of some cells spread over the table, and seconds a game of each."""
    places = dict.fromkeys(int(i) for i in np.linspace(0, len(table) - 1, min(SAMPLE_CELLS, len(table))).round())
    batches, seconds = [], []
    for place in places:
        match = table[place].match()
        match.play(seed, 0, 1)  # compiles, or loads what is compiled
        count = _LEAST
        while True:
            began = time.perf_counter()
            batch = match.play(seed, 0, count)
            took = time.perf_counter() - began
            if took >= _SECONDS or count >= _MOST:
                break
            count = min(_MOST, max(2 * count, int(count * _SECONDS / max(took, 1e-6))))
        batches.append(batch)
        seconds.append(took / count)
    return batches, seconds


def _factor(samples: Sequence[Batch]) -> float | None:
    """How many times the games shared seeds are worth between two cells, the median of the sample's pairs."""
    from simlab.stats.paired import paired_difference

    factors = []
    for one, two in itertools.pairwise(samples):
        n = min(len(one.rows), len(two.rows))
        before, after = (won(batch.rows[:n], 0).astype(np.float64) for batch in (one, two))
        factor = paired_difference(before, after).factor
        if math.isfinite(factor):
            factors.append(factor)
    return max(float(np.median(factors)), 0.5) if factors else None
