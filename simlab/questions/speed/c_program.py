"""The same game in C, with which the compiled loop is compared (bench/<game>.c).

It has the same records, random streams, rule counters and bots. It is built if there is a compiler, compared game by
game, and timed alternately with the compiled loop. This module writes a header with the records and rule numbers for
the C program, so an outdated C program does not build.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import InputError, RunFailed
from simlab.game import MAX_TRAITS, Array, Game, stream_numbers
from simlab.questions.speed.timing import Bench, Line, named, ran

if TYPE_CHECKING:
    from simlab.engine.match import Match


CHECKED_GAMES = 20_000  #: games of each pair in which every row and rule count is compared
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
# (-ffp-contract=off: a fused multiply-add rounds once where the lab rounds twice)

_SOURCES = Path(__file__).parents[3] / "bench"
_C_TYPES = {
    "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t",
    "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t",
    "f8": "double", "b1": "bool",
}  # fmt: skip


class NotHere(InputError):
    """A part that cannot be measured here; the message gives the reason."""


def measure(bench: Bench) -> Iterator[Line]:
    """Games per second of the compiled loop against the C program, after a proof that both play the same games.

    Raises:
        NotHere: the game has no C program, there is no compiler, or the program does not have these bots. RunFailed:
            the two play different games.
    """
    bench.say("building the C program")
    program = CProgram(bench.game, bench.folder)
    known = program.pairs()
    for loop in bench.loops:
        match, who = loop.match, named(loop.match)
        if {bot.seat: bot.text for bot in match.bots} not in known:
            raise NotHere(f"the C program of {bench.game.slug} has no {who}")
        bench.say(f"C against compiled loop: {who}")
        differing = differences(match, program, bench.seed, 0, CHECKED_GAMES)
        if differing:
            raise RunFailed(f"C program and lab play {who} differently: {', '.join(differing)}.")
        ours, theirs = [], []
        for _ in range(bench.repetitions):
            known_sum, seconds = program.play(match, bench.seed, 0, bench.games)
            spent, batch = loop.play(bench.seed, 0, bench.games)
            theirs.append(seconds)
            ours.append(spent)
        if checksum(match.game, batch.rows) != known_sum:
            raise RunFailed(f"C program and lab play {who} differently: checksums differ.")
        ratio = statistics.median(theirs) / statistics.median(ours)
        yield Line(what="bare loop", bots=who, value=bench.games / statistics.median(ours), unit="games/s",
                   compared_with="C, bit for bit the same games", ratio=ratio)  # fmt: skip


def find_compiler() -> str | None:
    """A C compiler: $CC, else cc, gcc or clang; None if there is none."""
    names = filter(None, (os.environ.get("CC"), "cc", "gcc", "clang"))
    return next(filter(None, map(shutil.which, names)), None)


def layout_header(game: Game) -> str:
    """The records, stream numbers, rule numbers and bounds of a game as a C header.

    Offsets and sizes are asserted, so a compiler that lays out a record differently fails to build it.
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
    """The bytes of a row in the checksum: all integer columns except the seat mask, which the winner implies."""
    return ["game", "winner", "ending", "turns", "decisions", *(metric.name for metric in game.metrics)]


def checksum(game: Game, rows: Array) -> int:
    """The number that the C program prints: a game's fields mixed one by one, the games summed modulo 2^64."""
    mixed = np.zeros(rows.size, np.uint64)
    for name in _checked_fields(game):
        mixed = (mixed ^ rows[name].astype(np.int64).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return int(mixed.sum(dtype=np.uint64))


class CProgram:
    """The C program of a game, built into a folder.

    Raises:
        NotHere: there is no program or no compiler.
        RunFailed: it does not build.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        source, compiler = _SOURCES / f"{game.slug}.c", find_compiler()
        if not source.is_file():  # most games have no program, and an installed wheel has none
            raise NotHere(
                f"no C program of {game.slug} here (bench/{game.slug}.c of the source tree is not part of a wheel)"
            )
        if compiler is None:
            raise NotHere("no C compiler found (cc, gcc, clang or $CC)")
        self.game, self.folder, self.program = game, folder, folder / game.slug
        (folder / "layout.h").write_text(layout_header(game), encoding="utf-8")
        built = ran(compiler, *FLAGS, "-I", str(folder), str(source), "-o", str(self.program))
        if built.returncode != 0:
            raise RunFailed(f"{source} does not build with {compiler}:\n{built.stderr[-2000:]}")

    def pairs(self) -> list[dict[str, str]]:
        """The bots that the program implements, in the pairs worth measuring: seat -> bot."""
        lines = self._run("pairs").splitlines()
        return [dict(zip(self.game.seats, line.split(), strict=True)) for line in lines]

    def play(self, match: Match, seed: int, first: int, count: int, keep: Path | None = None) -> tuple[int, float]:
        """Plays games first .. first+count-1 of a match. Returns the checksum, and processor seconds of the loop alone.

        Args:
            keep: file for all rows and rule counts (the loop is a little slower then).
        Raises:
            RunFailed: the program has no such bot, or a game cannot continue.
        """
        data = self.folder / "match.bin"
        data.write_bytes(
            match.knobs.tobytes() + match.cards.tobytes() + match.traits[:, :MAX_TRAITS].astype(np.float64).tobytes()
        )
        words = [str(data), *(bot.policy.name for bot in match.bots), str(seed), str(first), str(count)]
        answer = self._run(*words, *([str(keep)] if keep else [])).split()
        return int(answer[1]), float(answer[2])

    def _run(self, *words: str) -> str:
        done = ran(str(self.program), *words)
        if done.returncode != 0:
            raise RunFailed(f"the C program of {self.game.slug} failed: {done.stderr.strip()}")
        return done.stdout


def differences(match: Match, program: CProgram, seed: int, first: int, count: int) -> list[str]:
    """Plays the same games both ways. Returns the columns in which any game differs, and `fired` if a rule fired a
    different number of times.
    """
    batch, kept = match.play(seed, first, count), program.folder / "rows.bin"
    program.play(match, seed, first, count, kept)
    rows = np.fromfile(kept, match.game.row_type, count)
    fired = np.fromfile(kept, np.uint64, offset=rows.nbytes)
    kept.unlink()
    differing = [name for name in rows.dtype.names or () if not np.array_equal(batch.rows[name], rows[name])]
    return differing if np.array_equal(batch.tally.fired, fired) else [*differing, "fired"]
