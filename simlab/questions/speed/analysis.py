"""Measures the lab on this machine, part by part; each measurement is compared with another measurement of the same
run. Rates of one thread are measured in processor time, which other work on the machine hardly affects. Two threads and
start-up are measured in wall time, because waiting counts there.
"""

from __future__ import annotations

import contextlib
import platform
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.compiler.parallel import processors
from simlab.errors import InputError, nearest
from simlab.present.answer import Answer
from simlab.questions.speed import c_program, edits, search_cost
from simlab.questions.speed.timing import (
    Bench,
    Line,
    Say,
    against_first,
    bare_loop,
    everybody,
    named,
    played_anew,
    timed_process,
)

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.game import Game


class Speed(Answer, form="bench", version=3, source="simlab dev bench"):
    """The measurements.

    Attributes:
        games: game -> games per repetition. machine: the machine that was measured.
        left_out: "game, part" -> why it could not be measured here.
    """

    games: dict[str, int]
    repetitions: int
    seed: int
    machine: str
    lines: tuple[Line, ...]
    left_out: dict[str, str]


@dataclass(frozen=True)
class Plan:
    """The parts of a game to measure.

    Attributes:
        games: number of games per repetition. parts: the parts to measure, from PARTS. bots: line-ups; by default those
            of the C program, or else random bots and the first bots.
    """

    game: str
    games: int
    parts: Sequence[str]
    bots: Sequence[Mapping[str, str]] = ()


#: Games of a repetition: about a second.
_GAMES = {
    "simple_siege": 200_000, "mighty_fortress": 50_000, "montsegur": 20_000, "westphalia": 4_000, "lowenheim": 1_500,
}  # fmt: skip


def usual_games(game: str) -> int:
    return _GAMES.get(game, _GAMES["simple_siege"])


def everything() -> list[Plan]:
    """The times that users wait for, over the five large games: `make bench`."""
    from simlab.registry import load_game

    table = ("condottiere", "kaiser", "reformer", "counter_reformer", "politique", "condottiere")
    mixed = dict(zip(load_game("westphalia").seats, table, strict=True))
    return [
        Plan("simple_siege", _GAMES["simple_siege"], ("twin", "loop", "run", "start_up", "search", "demo")),
        Plan("mighty_fortress", _GAMES["mighty_fortress"], ("twin", "loop", "first_games")),
        Plan("montsegur", _GAMES["montsegur"], ("loop", "first_games")),
        Plan("westphalia", _GAMES["westphalia"], ("loop", "first_games"), (everybody("westphalia", "random"), mixed)),
        Plan("lowenheim", _GAMES["lowenheim"], ("loop", "first_games"),
             (everybody("lowenheim", "random"), everybody("lowenheim", "marshal"))),
    ]  # fmt: skip


def measure_speed(
    plans: Sequence[Plan],
    *,
    repetitions: int = 5,
    knobs: Mapping[str, object] | None = None,
    say: Say = lambda text: None,
) -> Speed:
    """Measures the lab on this machine.

    Raises:
        InputError: unknown game or part, or numbers below 1.
        RunFailed: the C program does not build or plays other games than the lab.
    """
    from simlab.registry import load_game

    for plan in plans:
        for part in plan.parts:
            if part not in PARTS:
                raise InputError(f"bench has no part '{part}'. {nearest(part, PARTS)}")
        if plan.games < 1 or repetitions < 1:
            raise InputError(f"games = {plan.games}, repetitions = {repetitions}: both must be at least 1.")
    lines: list[Line] = []
    left_out: dict[str, str] = {}
    for plan in plans:
        game = load_game(plan.game)
        with tempfile.TemporaryDirectory(prefix="simlab-bench-") as temporary:
            folder = Path(temporary)
            pairs = [dict(bots) for bots in plan.bots] or _usual_pairs(game, folder)
            bench = Bench(game, plan.game, knobs or {}, pairs, plan.games, repetitions, SEED, folder, say)
            for part in plan.parts or PARTS:
                try:
                    where = {"game": game.slug, "part": part}
                    lines += [line.model_copy(update=where) for line in PARTS[part](bench)]
                except c_program.NotHere as why:
                    left_out[f"{game.slug}, {part}"] = str(why)
    games = {plan.game: plan.games for plan in plans}
    return Speed(
        games=games, repetitions=repetitions, seed=SEED, machine=_machine(), lines=tuple(lines), left_out=left_out
    )


def _usual_pairs(game: Game, folder: Path) -> list[dict[str, str]]:
    """The pairs that the C program implements; otherwise random play, and the first non-random bot of each seat."""
    from simlab.bot_registry import bots_for

    with contextlib.suppress(c_program.NotHere):
        return c_program.CProgram(game, folder).pairs()
    others = {seat: [name for name in sorted(bots_for(game, seat)) if name != "random"] for seat in game.seats}
    first = [{seat: names[0] for seat, names in others.items()}] if all(others.values()) else []
    return [dict.fromkeys(game.seats, "random"), *first]


def _machine() -> str:
    import numba

    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    except OSError:
        found = None
    processor = found[1] if found else platform.processor() or platform.machine()
    versions = f"Python {platform.python_version()}, Numba {numba.__version__}, NumPy {np.__version__}"
    return f"{processor}, {processors()} cores, {platform.platform(terse=True)}, {versions}"


# --- The parts ------------------------------------------------------------------

SEED = 1
_COLD = "nothing compiled"
_LATER = 1_000_000  # first game of the loops: the counting one compares the record in all of the first games


def _loops(bench: Bench) -> Iterator[Line]:
    for loop in bench.loops:
        who = named(loop.match)
        bench.say(f"bare and counting loop: {who}")
        loop.play(bench.seed, 0, min(bench.games, 1000), counting=True)
        bare, counting = [], []
        for _ in range(bench.repetitions):
            spent, batch = loop.play(bench.seed, _LATER, bench.games)
            bare.append(spent)
            counting.append(loop.play(bench.seed, _LATER, bench.games, counting=True)[0])
        rate = bench.games / statistics.median(bare)
        counted = bench.games / statistics.median(counting)
        decisions = rate * float(batch.rows["decisions"].mean())
        yield Line(what="bare loop", bots=who, value=rate, unit="games/s")
        yield Line(what="decision", bots=who, value=1e9 / decisions, unit="ns")
        yield Line(what="counting loop", bots=who, value=counted, unit="games/s", compared_with="bare loop",
                   ratio=counted / rate)  # fmt: skip


def _threads(bench: Bench) -> Iterator[Line]:
    bench.say("one thread and two")
    match = bench.loops[0].match
    match.play(bench.seed, 0, min(bench.games, 1000))
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(bench.repetitions):
        for threads, spent in times.items():
            spent.append(_wall(match, bench.seed, bench.games, threads))
    one, two = (n * bench.games / statistics.median(wall for wall, _ in times[n]) for n in (1, 2))
    busy = statistics.median(spent / wall for wall, spent in times[2])
    who = named(match)
    yield Line(what="two threads", bots=who, value=two, unit="games/s", compared_with="one thread", ratio=two / one)
    yield Line(what="processors that two threads kept busy", bots=who, value=busy)


def _wall(match: Match, seed: int, games: int, threads: int) -> tuple[float, float]:
    """Wall and processor seconds of `threads` threads that play `games` different games each."""
    with ThreadPoolExecutor(threads) as pool:
        began, spent = time.perf_counter(), time.process_time()
        for done in [pool.submit(match.play, seed, number * games, games) for number in range(threads)]:
            done.result()
        return time.perf_counter() - began, time.process_time() - spent


def _streams(bench: Bench) -> Iterator[Line]:
    from simlab import compiler
    from simlab.engine import streams
    from simlab.engine.entry_points import view

    bench.say("random streams")
    below = streams.below

    def many(work: Any, stream: int, n: int, count: int) -> int:
        state = work[0]
        total = 0
        for _ in range(count):
            total += below(state, stream, n)
        return total

    draw = compiler.kernel(many)
    work, stream = view(bench.match().blank_state(bench.seed)), len(bench.game.seats)
    count = 10_000_000 if compiler.compiling() else 10_000
    draw(work, stream, 6, 10)

    spent = []
    for _ in range(bench.repetitions):
        began = time.thread_time()
        draw(work, stream, 6, count)
        spent.append(time.thread_time() - began)
    yield Line(what="one draw of a die", value=1e9 * statistics.median(spent) / count, unit="ns")


def _start_up(bench: Bench) -> Iterator[Line]:
    """Times 1,000 games in a process that compiles, in one that finds the compiled code, and from the shell."""
    bench.say("start-up")
    bots, cache = bench.pairs[0], str(bench.folder / "cache")
    command = ["-m", "simlab", "sweep", bench.text, "-n", "1000", "--quiet", "--out", str(bench.folder / "sweep")]
    command += [word for seat, bot in bots.items() for word in ("--bot", f"{seat}={bot}")]
    play = partial(played_anew, bench.text, {}, bots, 1_000, SIMLAB_CACHE=cache)
    walls = [(_COLD, play()[0]), ("compiled", play()[0])]
    walls.append(("compiled, simlab sweep", timed_process(*command, SIMLAB_CACHE=cache)[0]))
    lines = [(f"1,000 games in a new process, {what}", wall) for what, wall in walls]
    return against_first(lines, _COLD, named(bots))


def _whole_run(bench: Bench) -> Iterator[Line]:
    """Processor time of `run` with one thread, storing and counting, compared with the bare loop.

    The cost of a run apart from its games (reading the experiment, manifest, summary) is taken from runs of one game.
    """
    from simlab.runs import runner
    from simlab.runs.open_experiment import new_experiment

    loop = bench.loops[0]
    bench.say(f"a whole run: {named(loop.match)}")
    bare: list[float] = []
    spent: dict[int, list[float]] = {1: [], bench.games: []}
    for number in range(bench.repetitions):
        bare.append(loop.play(bench.seed, 0, bench.games)[0])
        for size, times in spent.items():
            experiment = new_experiment(
                bench.text, bench.knobs, bots=bench.pairs[0], games=size, seed=bench.seed, name="bench"
            )
            began = time.process_time()
            runner.run(experiment, bench.folder / f"run-{number}-{size}", workers=1, backend="threads")
            times.append(time.process_time() - began)
    whole, start = (statistics.median(spent[size]) for size in (bench.games, 1))
    who = named(loop.match)
    yield Line(what="simlab run, stored and counted", bots=who, value=bench.games / whole, unit="games/s",
               compared_with="bare loop", ratio=statistics.median(bare) / whole)  # fmt: skip
    yield Line(what="a run of one game", bots=who, value=start, unit="s")


def _experiment_of(game: Game) -> Path:
    """The game's own experiment, which is not part of a wheel."""
    experiment = Path(__file__).parents[3] / "experiments" / f"{game.slug}_balance.toml"
    if not experiment.is_file():
        raise c_program.NotHere(f"{experiment.name} is not here: this is not a source tree")
    return experiment


def _first_games(bench: Bench) -> Iterator[Line]:
    """Times the first 100 games of the game's own experiment from the shell, with nothing compiled and again."""
    experiment, out = _experiment_of(bench.game), str(bench.folder / "first")
    bench.say(f"{bench.game.slug}: the first 100 games of its experiment")
    words = ("-m", "simlab", "run", str(experiment), "-n", "100", "--quiet", "--force", "--out", out)
    run = partial(timed_process, *words, SIMLAB_CACHE=str(bench.folder / "first-cache"))
    walls = ((f"first 100 games of {experiment.stem}, {what}", run()[0]) for what in (_COLD, "compiled"))
    return against_first(walls, _COLD)


def _demo(bench: Bench) -> Iterator[Line]:
    """Times `make demo` with everything compiled, compared with the bare loops of its games one after the other."""
    from simlab.runs.cells import cells
    from simlab.runs.open_experiment import load_experiment

    experiment = _experiment_of(bench.game)
    words = ("-m", "simlab", "run", str(experiment), "--quiet", "--force", "--out", str(bench.folder / "demo"))
    bench.say("the demo, everything compiled")
    timed_process(*words)
    walls = [timed_process(*words)[0] for _ in range(min(bench.repetitions, 3))]
    wall, games = statistics.median(walls), 0.0
    for cell in cells(load_experiment(experiment)):
        games += bare_loop(cell.match(), bench.seed).play(bench.seed, 0, cell.games)[0]
    yield Line(what="simlab run of its experiment with the report", value=wall, unit="s",
               compared_with="its games alone, on one core", ratio=wall / games)  # fmt: skip


#: Part -> function that measures it.
PARTS: dict[str, Callable[[Bench], Iterator[Line]]] = {
    "twin": c_program.measure,
    "loop": _loops,
    "threads": _threads,
    "streams": _streams,
    "start_up": _start_up,
    "edit": edits.measure,
    "run": _whole_run,
    "search": search_cost.measure,
    "first_games": _first_games,
    "demo": _demo,
}
