"""How fast the lab is, measured on this machine: what `simlab dev bench` prints.

The yardstick is an equal program in C (bench/<game>.c): same records, same random streams, same rule counters, same
bots. It is built where a compiler exists, shown to play the same games bit for bit, and timed in turn with the compiled
loop. Records and rule numbers reach it through a header written here, so that the two cannot drift apart unseen.

Rates of one thread count processor time, so that other work on the machine hardly shows; two threads and start-up count
wall time, since waiting is what they are about.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import InputError, RunFailed, nearest
from simlab.game import MAX_TRAITS, Game, stream_numbers

if TYPE_CHECKING:
    from rich.console import Console

    from simlab.engine.match import Match

Array = np.ndarray[Any, Any]
Say = Callable[[str], None]

PARTS = ("twin", "loop", "threads", "streams", "start_up", "edit", "run", "search")  #: what run_bench can measure
CHECKED_GAMES = 20_000  #: games of each pair whose every row and rule count is compared with the C program's
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
# (-ffp-contract=off: a fused multiply-add rounds once where the lab rounds twice)

_TWINS = Path(__file__).parent.parent / "bench"
_C_TYPES = {
    "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t",
    "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t",
    "f8": "double", "b1": "bool",
}  # fmt: skip


# --- The C program ------------------------------------------------------------


def twin_source(slug: str) -> Path | None:
    """The C program of a game, or None: most games have none, and an installed wheel brings none."""
    path = _TWINS / f"{slug}.c"
    return path if path.is_file() else None


def find_compiler() -> str | None:
    """A C compiler: $CC, else cc, gcc or clang; None if there is none."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    return None


def why_no_twin(slug: str) -> str:
    """Why the C program of a game cannot be measured here; empty if it can."""
    if twin_source(slug) is None:
        return f"no C program of {slug} here (bench/{slug}.c of the source tree is not part of a wheel)"
    if find_compiler() is None:
        return "no C compiler found (cc, gcc, clang or $CC)"
    return ""


def layout_header(game: Game) -> str:
    """The records, stream numbers, rule numbers and bounds of a game as a C header.

    Offsets and sizes are asserted, so a compiler that lays a record out in another way refuses to build.
    """
    numbers = stream_numbers(len(game.seats), game.streams)
    lines = ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>", ""]
    for name, kind in (
        ("State", game.state), ("Knobs", game.knob_type), ("Cards", game.cards), ("Row", game.row_type),
    ):  # fmt: skip
        lines += _c_record(name, kind)
    lines.append("enum { " + ", ".join(f"STREAM_{n.upper()} = {i}" for n, i in numbers.items()) + " };")
    rules = [rule.id.replace("-", "_") for rule in game.rules]
    lines.append("enum { " + ", ".join([*rules, "RULES"]) + " };")
    lines.append(
        f"enum {{ SEATS = {len(game.seats)}, MAX_DECISIONS = {game.max_decisions}, MAX_TRAITS = {MAX_TRAITS} }};"
    )
    lines.append("#define ROW_FIELDS(row) " + ", ".join(f"(row).{name}" for name in _checked_fields(game)))
    return "\n".join(lines) + "\n"


def _c_record(name: str, kind: np.dtype[np.void]) -> list[str]:
    fields, asserts = [], [f'_Static_assert(sizeof({name}) == {kind.itemsize}, "{name}");']
    places: Mapping[str, Any] = kind.fields or {}
    for field_name in kind.names or ():
        column, offset = places[field_name][:2]
        shape = "".join(f"[{n}]" for n in column.shape)
        fields.append(f"    {_C_TYPES[column.base.str[1:]]} {field_name}{shape};")
        asserts.append(f'_Static_assert(offsetof({name}, {field_name}) == {offset}, "{name}.{field_name}");')
    return ["typedef struct {", *fields, f"}} {name};", *asserts, ""]


def _checked_fields(game: Game) -> list[str]:
    """What the checksum reads of a row: all whole-number columns but the seat mask, which the winner implies."""
    return ["game", "winner", "ending", "turns", "decisions", *(metric.name for metric in game.metrics)]


def checksum(game: Game, rows: Array) -> int:
    """The number that the C program prints: a game's fields stirred one by one, the games summed modulo 2^64."""
    mixed = np.zeros(rows.size, np.uint64)
    for name in _checked_fields(game):
        mixed = (mixed ^ rows[name].astype(np.int64).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return int(mixed.sum(dtype=np.uint64))


@dataclass
class TwinRun:
    """What one run of the C program gave.

    Attributes:
        seconds: processor time of the loop alone.
        rows, fired: every row, and how often each rule fired; None unless asked for.
    """

    games: int
    checksum: int
    seconds: float
    rows: Array | None = None
    fired: Array | None = None


class Twin:
    """The C program of a game, built into a folder.

    Raises:
        InputError: there is no program or no compiler (why_no_twin says which).
        RunFailed: it does not build.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        source, compiler = twin_source(game.slug), find_compiler()
        if source is None or compiler is None:
            raise InputError(why_no_twin(game.slug))
        self.game, self.folder, self.compiler = game, folder, compiler
        self.program = folder / game.slug
        (folder / "layout.h").write_text(layout_header(game), encoding="utf-8")
        built = subprocess.run(
            [compiler, *FLAGS, "-I", str(folder), str(source), "-o", str(self.program)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if built.returncode != 0:
            raise RunFailed(f"{source} does not build with {compiler}:\n{built.stderr[-2000:]}")

    def pairs(self) -> list[dict[str, str]]:
        """The bots that it knows, in the pairs worth measuring: seat -> bot."""
        lines = self._run("pairs").splitlines()
        return [dict(zip(self.game.seats, line.split(), strict=True)) for line in lines]

    def play(self, match: Match, seed: int, first: int, count: int, keep: bool = False) -> TwinRun:
        """Plays games first .. first+count-1 of a match.

        Args:
            keep: also bring back all rows and rule counts (the loop is a little slower then).
        Raises:
            RunFailed: it has no such bot, or a game cannot go on.
        """
        data = self.folder / "match.bin"
        data.write_bytes(
            match.knobs.tobytes() + match.cards.tobytes() + match.traits[:, :MAX_TRAITS].astype(np.float64).tobytes()
        )
        kept = self.folder / "rows.bin"
        words = [str(data), *(bot.policy.name for bot in match.bots), str(seed), str(first), str(count)]
        answer = self._run(*words, *([str(kept)] if keep else [])).split()
        run = TwinRun(int(answer[0]), int(answer[1]), float(answer[2]))
        if keep:
            run.rows = np.fromfile(kept, self.game.row_type, count)
            run.fired = np.fromfile(kept, np.uint64, offset=count * self.game.row_type.itemsize)
            kept.unlink()
        return run

    def _run(self, *words: str) -> str:
        done = subprocess.run([str(self.program), *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(f"the C program of {self.game.slug} failed: {done.stderr.strip()}")
        return done.stdout


def compare_with_twin(match: Match, twin: Twin, seed: int, first: int, count: int) -> list[str]:
    """Plays the same games both ways.

    Returns:
        The columns in which any game differs, and `fired` if a rule fired another number of times; empty: identical.
    """
    batch = match.play(seed, first, count)
    other = twin.play(match, seed, first, count, keep=True)
    if other.rows is None or other.fired is None:
        raise RunFailed("the C program brought no rows back")
    differing = [
        name for name in other.rows.dtype.names or () if not np.array_equal(batch.rows[name], other.rows[name])
    ]
    if not np.array_equal(batch.tally.fired, other.fired):
        differing.append("fired")
    return differing


# --- The compiled loop --------------------------------------------------------


@dataclass
class _Clocked:
    """The compiled loop with a clock around each call: the rate of the loop alone, as the C program times its own."""

    match: Match
    seconds: float = 0.0
    loops: dict[bool, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.match.compile()
        entry = self.match.compiled.play

        def play(counting: bool) -> tuple[Callable[..., Any], Any]:
            if counting not in self.loops:
                self.loops[counting] = entry(counting)
            loop, policies = self.loops[counting]

            def clocked(*arguments: Any) -> Any:
                began = time.thread_time()
                try:
                    return loop(*arguments)
                finally:
                    self.seconds += time.thread_time() - began

            return clocked, policies

        self.match.compiled.play = play  # type: ignore[method-assign]

    def play(self, seed: int, first: int, count: int, counting: bool = False) -> tuple[float, Any]:
        """Processor seconds of the loop, and the batch."""
        self.seconds = 0.0
        batch = self.match.play(seed, first, count, counting=counting)
        return self.seconds, batch


def _bare(match: Match, seed: int) -> _Clocked:
    """A match whose bare loop is compiled and leaves rules, actions and tracks uncounted."""
    clocked = _Clocked(match)
    _, batch = clocked.play(seed, 0, 200)
    if batch.tally.fired.any() or batch.tally.chosen.any():
        raise RunFailed("the bare loop counts rules or actions: the counting loop was compiled in its place.")
    return clocked


_COMPILE = """
import json, sys
from simlab.benchmark import _bare
from simlab.engine.match import Match
from simlab.registry import load_game
game, knobs, pairs = json.loads(sys.argv[1])
for bots in pairs:
    _bare(Match(load_game(game), knobs=knobs, bots=bots), 1)
"""


def _compile_elsewhere(game: str, knobs: Mapping[str, object] | None, pairs: Sequence[Mapping[str, str]]) -> None:
    """Fills the cache from another process. Code that this process compiled itself lies scattered over the memory, a
    piece a kernel, and plays up to a fifth slower than the same code loaded in one piece, as every later start has it.
    """
    given = json.dumps([game, dict(knobs or {}), [dict(bots) for bots in pairs]])
    done = subprocess.run(
        [sys.executable, "-c", _COMPILE, given], capture_output=True, text=True, check=False, env=_environment()
    )
    if done.returncode != 0:
        raise RunFailed(f"the lab does not start in a new process:\n{done.stderr[-2000:]}")


def _environment() -> dict[str, str]:
    """For another process that is to find the same modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(part or ".") for part in sys.path)}


def default_pairs(game: Game) -> list[dict[str, str]]:
    """Random play, and the first bot of each seat that is not random."""
    from simlab.registry import bots_for

    pairs = [dict.fromkeys(game.seats, "random")]
    others = {seat: [name for name in sorted(bots_for(game, seat)) if name != "random"] for seat in game.seats}
    if all(others.values()):
        pairs.append({seat: names[0] for seat, names in others.items()})
    return pairs


# --- What is measured ---------------------------------------------------------


def run_bench(
    game: str = "simple_siege",
    games: int = 200_000,
    *,
    repetitions: int = 5,
    seed: int = 1,
    parts: Sequence[str] = PARTS,
    knobs: Mapping[str, object] | None = None,
    bots: Mapping[str, str] | None = None,
    say: Say | None = None,
) -> dict[str, Any]:
    """Measures the lab on this machine.

    Args:
        game: slug, or path of a game's folder.
        games: games of each repetition.
        repetitions: how often each rate is taken; contenders take turns, and the median counts.
        seed: the games' seed.
        parts: which of PARTS to measure.
        knobs: values that differ from the defaults.
        bots: seat -> bot, the one pair to measure; by default those that the C program knows, or `default_pairs`.
        say: told what is being measured.
    Returns:
        JSON-able figures by part; a part that cannot be measured here holds `left_out`, the reason. Rates are games or
        draws a second.
    Raises:
        InputError: unknown game or part, or numbers below 1.
        RunFailed: the C program does not build or plays other games than the lab.
    """
    from simlab.engine.match import Match
    from simlab.registry import load_game

    for part in parts:
        if part not in PARTS:
            raise InputError(f"bench has no part '{part}'. {nearest(part, PARTS)}")
    if games < 1 or repetitions < 1:
        raise InputError(f"games = {games}, repetitions = {repetitions}: both must be at least 1.")
    tell: Say = say or (lambda text: None)
    loaded = load_game(game)
    result: dict[str, Any] = {
        "game": loaded.slug, "games": games, "repetitions": repetitions, "seed": seed, "knobs": dict(knobs or {}),
        "machine": machine(),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="simlab-bench-") as temporary:
        folder = Path(temporary)
        why = why_no_twin(loaded.slug)
        if "twin" in parts and not why:
            tell("building the C program")
        twin = None if why or "twin" not in parts else Twin(loaded, folder)
        if twin and bots and dict(bots) not in twin.pairs():
            twin, why = None, f"the C program of {loaded.slug} has no {_named(bots)}"
        pairs = [dict(bots)] if bots else twin.pairs() if twin else default_pairs(loaded)
        matches = [Match(loaded, knobs=knobs, bots=bots) for bots in pairs]
        loops: list[_Clocked] = []
        if twin or {"loop", "threads", "run"} & set(parts):
            tell("compiling")
            _compile_elsewhere(game, knobs, pairs)
            loops = [_bare(match, seed) for match in matches]
        if "twin" in parts:
            result["twin"] = {"left_out": why} if twin is None else _twin(loops, twin, seed, games, repetitions, tell)
        if "loop" in parts:
            result["loop"] = _loops(loops, seed, games, repetitions, tell)
        if "threads" in parts:
            result["threads"] = _threads(Match(loaded, knobs=knobs, bots=pairs[0]), seed, games, repetitions, tell)
        if "streams" in parts:
            result["streams"] = _streams(matches[0], seed, repetitions, tell)
        if "start_up" in parts:
            result["start_up"] = _start_up(game, pairs[0], folder, tell)
        if "edit" in parts:
            result["edit"] = _edit(loaded, game, knobs, pairs, folder, tell)
        if "run" in parts:
            result["run"] = _whole_run(game, knobs, loops[0], seed, games, repetitions, folder, tell)
        if "search" in parts:
            from simlab import benchmark_search

            result["search"] = benchmark_search.measure(loaded, knobs, pairs[0], seed, repetitions, _Clocked, tell)
    return result


def machine() -> dict[str, str | int | None]:
    """What the figures hold for."""
    import numba

    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def _named(bots: Mapping[str, str]) -> str:
    return " / ".join(bots.values())


def _bots(match: Match) -> dict[str, str]:
    return {bot.seat: bot.text for bot in match.bots}


def _twin(loops: Sequence[_Clocked], twin: Twin, seed: int, games: int, repetitions: int, tell: Say) -> dict[str, Any]:
    pairs = []
    for clocked in loops:
        match = clocked.match
        tell(f"C against compiled loop: {_named(_bots(match))}")
        differing = compare_with_twin(match, twin, seed, 0, CHECKED_GAMES)
        if differing:
            raise RunFailed(f"C program and lab play {_named(_bots(match))} differently: {', '.join(differing)}.")
        ours, theirs, batch, other = [], [], None, None
        for _ in range(repetitions):
            other = twin.play(match, seed, 0, games)
            theirs.append(other.seconds)
            spent, batch = clocked.play(seed, 0, games)
            ours.append(spent)
        if batch is None or other is None or checksum(match.game, batch.rows) != other.checksum:
            raise RunFailed(f"C program and lab play {_named(_bots(match))} differently: checksums differ.")
        pairs.append(
            {
                "bots": _bots(match), "identical_rows": CHECKED_GAMES, "identical_checksum": f"{other.checksum:016x}",
                "c": games / statistics.median(theirs), "simlab": games / statistics.median(ours),
                "ratio": statistics.median(theirs) / statistics.median(ours),
                "ratios": [c / own for c, own in zip(theirs, ours, strict=True)],
            }
        )  # fmt: skip
    version = subprocess.run([twin.compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return {
        "compiler": (version.splitlines() or [twin.compiler])[0],
        "flags": " ".join(FLAGS),
        "pairs": pairs,
    }


def _loops(loops: Sequence[_Clocked], seed: int, games: int, repetitions: int, tell: Say) -> list[dict[str, Any]]:
    table = []
    for clocked in loops:
        tell(f"bare and counting loop: {_named(_bots(clocked.match))}")
        bare, counting, batch = [], [], None
        clocked.play(seed, 0, min(games, 1000), counting=True)
        for _ in range(repetitions):
            spent, batch = clocked.play(seed, 0, games)
            bare.append(spent)
            counting.append(clocked.play(seed, 0, games, counting=True)[0])
        decisions = float(batch.rows["decisions"].mean()) if batch is not None else 0.0
        rate = games / statistics.median(bare)
        table.append(
            {
                "bots": _bots(clocked.match), "bare": rate, "counting": games / statistics.median(counting),
                "decisions_a_game": decisions, "decisions": rate * decisions, "ns_a_decision": 1e9 / (rate * decisions),
            }
        )  # fmt: skip
    return table


def _wall(match: Match, seed: int, games: int, threads: int) -> tuple[float, float]:
    """Wall and processor seconds of `threads` threads that play `games` games each, none of them the same."""
    with ThreadPoolExecutor(threads) as pool:
        began, spent = time.perf_counter(), time.process_time()
        for done in [pool.submit(match.play, seed, number * games, games) for number in range(threads)]:
            done.result()
        return time.perf_counter() - began, time.process_time() - spent


def _threads(match: Match, seed: int, games: int, repetitions: int, tell: Say) -> dict[str, Any]:
    tell("one thread and two")
    match.compile()
    match.play(seed, 0, min(games, 1000))
    one, two = [], []
    for _ in range(repetitions):
        one.append(_wall(match, seed, games, 1))
        two.append(_wall(match, seed, games, 2))
    first, second = (statistics.median(wall for wall, _ in times) for times in (one, two))
    return {
        "bots": _bots(match), "one": games / first, "two": 2 * games / second, "scaling": 2 * first / second,
        "busy_one": statistics.median(spent / wall for wall, spent in one),
        "busy_two": statistics.median(spent / wall for wall, spent in two),
    }  # fmt: skip


def _streams(match: Match, seed: int, repetitions: int, tell: Say) -> dict[str, Any]:
    tell("random streams")
    from simlab import compiler
    from simlab.engine import streams
    from simlab.engine.entry_points import view

    below = streams.below

    def many(work: Any, stream: int, n: int, count: int) -> int:
        state = work[0]
        total = 0
        for _ in range(count):
            total += below(state, stream, n)
        return total

    draw = compiler.kernel(many)
    stream = len(match.game.seats)
    work, count = view(match.blank_state(seed)), 10_000_000 if compiler.compiling() else 10_000
    draw(work, stream, 6, 10)
    spent = []
    for _ in range(repetitions):
        began = time.thread_time()
        draw(work, stream, 6, count)
        spent.append(time.thread_time() - began)
    seconds = statistics.median(spent)
    return {"draws": count / seconds, "ns_a_draw": 1e9 * seconds / count}


_START_UP = ("import", "compile", "play_1000_games", "whole_process", "processor")
_START = """
import sys, time
began = time.perf_counter()
import json
from simlab.engine.match import Match
from simlab.registry import load_game
match = Match(load_game(sys.argv[1]), bots=json.loads(sys.argv[2]))
imported = time.perf_counter()
match.compile()
ready = time.perf_counter()
match.play(1, 0, 1000)
print(imported - began, ready - imported, time.perf_counter() - ready)
"""


def _start_up(game: str, bots: Mapping[str, str], folder: Path, tell: Say) -> dict[str, Any]:
    """A process that compiles and plays 1,000 games, one that finds it compiled, and the same from the shell."""
    figures = {}
    environment = {**_environment(), "SIMLAB_CACHE": str(folder / "cache")}
    started = [sys.executable, "-c", _START, game, json.dumps(dict(bots))]
    look = [sys.executable, "-m", "simlab", "sweep", game, "-n", "1000", "--quiet", "--out", str(folder / "look")]
    look += [word for seat, bot in bots.items() for word in ("--bot", f"{seat}={bot}")]
    for state, command in (("cold", started), ("warm", started), ("warm, shell", look)):
        tell(f"start-up, {state}")
        before, began = _children_seconds(), time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        whole, spent = time.perf_counter() - began, _children_seconds() - before
        if done.returncode != 0:
            raise RunFailed(f"the lab does not start in a new process:\n{done.stderr[-2000:]}")
        names = ("import", "compile", "play_1000_games")
        parts = zip(names, map(float, done.stdout.split()), strict=True) if command is started else ()
        figures[state] = {**dict(parts), "whole_process": whole, "processor": spent}
    return figures


def _children_seconds() -> float:
    """Processor time of all processes that this one has started and that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def _edit(
    loaded: Game, game: str, knobs: Mapping[str, object] | None, pairs: Sequence[Mapping[str, str]], folder: Path,
    tell: Say,
) -> Any:  # fmt: skip
    from simlab import benchmark_edit, compiler

    if not compiler.compiling():
        return {"left_out": "nothing is compiled (NUMBA_DISABLE_JIT)"}
    copy = folder / "copy"
    copy.mkdir()
    return benchmark_edit.measure(loaded, game, knobs or {}, pairs, copy, tell)


def _whole_run(
    game: str,
    knobs: Mapping[str, object] | None,
    clocked: _Clocked,
    seed: int,
    games: int,
    repetitions: int,
    folder: Path,
    tell: Say,
) -> dict[str, Any]:
    """`run` by one thread, storing and counting included, against the bare loop: processor time.

    What a run costs besides its games (reading the experiment, manifest, summary) is taken from runs of one game.
    """
    from simlab.runs import runner
    from simlab.runs.open_experiment import new_experiment

    bots = _bots(clocked.match)
    tell(f"a whole run: {_named(bots)}")
    bare: list[float] = []
    spent: dict[int, list[float]] = {1: [], games: []}
    for number in range(repetitions):
        bare.append(clocked.play(seed, 0, games)[0])
        for size, times in spent.items():
            experiment = new_experiment(game, knobs or {}, bots=bots, games=size, seed=seed, name="bench")
            began = time.process_time()
            runner.run(experiment, folder / f"run-{number}-{size}", workers=1, backend="threads")
            times.append(time.process_time() - began)
    whole, start = (statistics.median(spent[size]) for size in (games, 1))
    rate, loop = games / whole, games / statistics.median(bare)
    return {"bots": bots, "run": rate, "bare": loop, "share": rate / loop, "seconds_besides_games": start}


# --- For a person -------------------------------------------------------------


def print_bench(figures: Mapping[str, Any], console: Console | None = None) -> None:
    """What run_bench found, as tables.

    Args:
        figures: the dict that run_bench returned.
        console: where to; by default standard output.
    """
    from rich.console import Console
    from rich.table import Table

    out = console or Console()
    where = figures["machine"]
    out.print(f"{figures['game']}, {figures['games']:,} games a repetition, median of {figures['repetitions']}")
    out.print(f"{where['processor']}, {where['cores']} cores, Python {where['python']}, Numba {where['numba']}")

    def show(part: str, title: str, head: Sequence[str], rows: Callable[[Any], Iterable[Sequence[str]]]) -> None:
        found = figures.get(part)
        if isinstance(found, dict) and "left_out" in found:
            out.print(f"{title}: left out, {found['left_out']}.")
        elif found:
            table = Table(*head, title=title, title_justify="left")
            for column in table.columns[1:]:
                column.justify = "right"
            for row in rows(found):
                table.add_row(*row)
            out.print(table)

    def rate(value: float) -> str:
        return f"{value:,.0f}"

    show(
        "twin",
        "Against C, one core, games a second",
        ("bots", "C", "simlab", "simlab / C", "identical rows"),
        lambda found: (
            (_named(p["bots"]), rate(p["c"]), rate(p["simlab"]), f"{p['ratio']:.2f}", rate(p["identical_rows"]))
            for p in found["pairs"]
        ),
    )
    show(
        "loop",
        "Compiled loop, one core, games a second",
        ("bots", "bare", "counting", "ns a decision"),
        lambda found: (
            (_named(p["bots"]), rate(p["bare"]), rate(p["counting"]), rate(p["ns_a_decision"])) for p in found
        ),
    )
    show(
        "threads",
        "Threads, games a second",
        ("bots", "one", "two", "scaling", "processors that two kept busy"),
        lambda t: [(_named(t["bots"]), rate(t["one"]), rate(t["two"]), f"{t['scaling']:.2f}", f"{t['busy_two']:.2f}")],
    )
    show(
        "run",
        "A whole run, stored and counted, one core, games a second",
        ("bots", "run", "bare loop", "run / bare"),
        lambda r: [(_named(r["bots"]), rate(r["run"]), rate(r["bare"]), f"{r['share']:.2f}")],
    )
    show(
        "streams",
        "Random streams",
        ("one draw of a die", "draws a second"),
        lambda s: [(f"{s['ns_a_draw']:.1f} ns", rate(s["draws"]))],
    )
    show(
        "start_up",
        "Start-up, seconds",
        ("", "import", "compile", "1,000 games", "whole process", "processor"),
        lambda found: (
            (state, *(f"{t[name]:.2f}" if name in t else "" for name in _START_UP)) for state, t in found.items()
        ),
    )
    show(
        "edit",
        "From an edit to its answer, seconds",
        ("", "whole process", "processor", "functions compiled", "games"),
        lambda found: (
            (e["edit"], f"{e['seconds']:.2f}", f"{e['processor_seconds']:.2f}", str(e["compiled"]), str(e["games"]))
            for e in found
        ),
    )
