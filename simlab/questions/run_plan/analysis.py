"""Games, time, disk space and the smallest detectable change of a run, before it begins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simlab.engine.outcome import won
from simlab.errors import InputError
from simlab.game import Array
from simlab.present.answer import Answer
from simlab.runs.cells import cells
from simlab.runs.files import to_json
from simlab.runs.output_folder import identity_of, place_of
from simlab.runs.schedule import Schedule
from simlab.runs.store import Folder, cut, rows_to_parquet
from simlab.runs.truncation import ended_in_all, play_pilot
from simlab.runs.worker_pool import processors
from simlab.spec.experiment import Experiment
from simlab.stats.intervals import smallest_change
from simlab.stats.paired import paired_difference

SAMPLE_CELLS = 6  #: cells whose games are sampled
_SECONDS, _LEAST, _MOST = 0.2, 200, 4_000  # of play, and games, of each sample


class Plan(Answer, form="run-plan", version=2, source="simlab run, sweep and compare --plan"):
    """Answer of `simlab run`, `sweep` and `compare` with `--plan`.

    Attributes:
        games: number of games of the whole run, in all `cells`. done: number of games that are already in the folder.
            at_most: whether a [stop] rule may end the run with fewer games.
        per_second: games per second of one worker, measured on a sample. workers: number of workers that would play.
        seconds: time for the remaining games. disk: bytes of rows and counts in the complete folder. rows: whether the
            run keeps one row per game.
        family: number of changes that the results judge together.
        change: smallest change of the first seat's win rate between two cells that is detected with 80 % power and
            independent seeds, adjusted for the family.
        paired: the same with common random numbers, estimated from the sample; None if unknown.
        folder: folder of the results.
    """

    cells: int
    games: int
    done: int
    at_most: bool
    per_second: float
    workers: int
    seconds: float
    disk: int
    rows: bool
    family: int
    change: float
    paired: float | None
    folder: str


def plan(experiment: Experiment, out: Path | str | None = None, workers: int | None = None) -> Plan:
    """Plans a run of the experiment. Plays a sample of a few cells, and writes nothing.

    Arguments and errors are those of `simlab.runs.runner.run`. BotFault: a bot failed in the sample.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} is not allowed: use 1 or more.")
    table = cells(experiment)
    schedule = Schedule(experiment, table)
    rows, shards = schedule.rows, {run.key: cut(run.cell.games, run.size) for run in schedule.by_key.values()}
    identity = identity_of(experiment.name, experiment.seed, schedule.match)
    folder = Folder(Path(out) if out is not None else place_of(experiment, shards, identity)[0])
    games = sum(shard.size for some in shards.values() for shard in some)
    missing = folder.missing_shards(shards, rows)
    left = sum(shard.size for _, shard in missing)
    places = dict.fromkeys(int(i) for i in np.linspace(0, len(table) - 1, min(SAMPLE_CELLS, len(table))).round())
    samples = [play_pilot(table[place].match(), experiment.seed, _LEAST, _MOST, _SECONDS) for place in places]
    each = float(np.mean([seconds for _, _, seconds in samples]))
    first, tally, _ = samples[0]
    stored = len(to_json(tally.to_dict())) * sum(map(len, shards.values()))
    if rows:
        sample_rows = rows_to_parquet(first, schedule.match.game, "0" * 16, table[0].bot_labels)
        stored += round(len(sample_rows) / len(first) * games)
    at_once = workers or (1 if schedule.small else processors())
    rate = float(np.mean([np.mean(won(rows, 0)) for rows, _, _ in samples]))
    family = judged_together(experiment)
    near = min(max(rate, 0.05), 0.95)
    change = smallest_change(near, experiment.games, family=family)
    factor = _factor([rows for rows, _, _ in samples])
    paired = None if factor is None else smallest_change(near, experiment.games, family=family, factor=factor)
    if paired is not None and factor is not None and factor >= 1:
        paired = min(paired, change)  # pairing never loses precision
    return Plan(
        cells=len(table), games=games, done=games - left, at_most=experiment.stop is not None, per_second=1 / each,
        workers=at_once, seconds=left * each / at_once, disk=stored, rows=rows, family=family, change=change,
        paired=paired, folder=str(folder.path),
    )  # fmt: skip


def judged_together(experiment: Experiment) -> int:
    """Number of changes between two cells that the results of an experiment judge together.

    With several bots, these are all changes of the bot in one seat; with several settings, each setting against the
    first; with one cell, one comparison with another run.
    """
    bots = [len(experiment.bots[seat]) for seat in experiment.bots]
    match_ups = experiment.match_ups or math.prod(bots)
    # From each match-up there is a step to every other bot of each seat; two match-ups share a step.
    steps = min(match_ups, math.prod(bots)) * sum(count - 1 for count in bots) // 2
    return max(len(experiment.rows) - 1, steps, 1)


def _factor(samples: Sequence[Array]) -> float | None:
    """Variance reduction by common random numbers between two cells, the median of the sample's pairs."""
    pairs = ([won(rows, 0).astype(np.float64) for rows in ended_in_all(*two)] for two in itertools.pairwise(samples))
    factors = [factor for a, b in pairs if math.isfinite(factor := paired_difference(a, b).factor)]
    return max(float(np.median(factors)), 0.5) if factors else None
