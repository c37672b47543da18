"""Stored games played again, and compared column by column.

The rows of a run depend only on its seed, rules and bots. If a game differs when it is played again, the rules, a bot
or the compiler has changed, or the disk is faulty.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.tally import Tally
from simlab.errors import GameTruncated, InputError
from simlab.present.answer import Answer, Part
from simlab.runs.alarms import alarm, odd_shards, repeats_in
from simlab.runs.events import ProgressCount, no_progress
from simlab.runs.store import Shard, collected, label_columns, rows_to_frame
from simlab.runs.stored_games import match_of
from simlab.runs.truncation import play_parting
from simlab.runs.worker import stretches

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.results import CellResult, Results

MOST_LISTED = 20  #: games that differ
MOST_AT_A_TIME = 200_000  #: games played again at a time
MOST_TRUNCATED = 20  #: number of stored games that are now truncated after which the rest is not played
_BLOCK = 20  # consecutive games in a sample


class DifferentGame(Part):
    """A stored game that differs when it is played again.

    Attributes:
        columns: column -> (stored value, current value); for a shard with only counts, the counts' names.
        replay: command that shows the game.
    """

    cell: str
    game: int
    columns: dict[str, tuple[Any, Any]]
    replay: str


class Verification(Answer, form="verify", version=2, source="simlab verify FOLDER"):
    """Stored games played again.

    Attributes:
        stored, played: number of games in the folder, and number that were played again. differ: number of the played
            games that differ. examples: the first games that differ.
        same_rules: whether code, tables and bots are byte for byte those that played the run.
        repeats: cell -> games that repeat more often than chance allows.
        odd_shards: shards whose outcome counts differ from the rest of their cell beyond chance.
        alarms: the same as sentences.
        gap: missing parts of the run, as a sentence. lost: whether the missing parts existed once.
    """

    folder: str
    stored: int
    played: int
    differ: int
    same_rules: bool
    exit_status: int
    partial: bool
    lost: bool
    gap: str
    examples: tuple[DifferentGame, ...]
    repeats: dict[str, dict[str, Any]]
    odd_shards: tuple[dict[str, Any], ...]
    alarms: tuple[str, ...]


class FingerprintCheck(Answer, form="fingerprint", version=2, source="simlab verify GAME"):
    """A game compared with its fingerprint.

    Attributes:
        games: number of games in both. differ: number of these with a different result.
        variants: variants that differ, name -> (games that differ, games).
        columns: metrics and scores that changed.
        new, gone: variants only in the game, and only in the fingerprint, because knobs or their ranges changed.
    """

    game: str
    games: int
    differ: int
    same: bool
    exit_status: int
    variants: dict[str, tuple[int, int]]
    columns: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]


class WrittenFingerprint(Answer, form="fingerprint-written", source="simlab verify GAME --write"):
    """A fingerprint that was written."""

    fingerprint: str
    games: int
    variants: int


def verify(
    results: Results, share: float = 0.01, notify: ProgressCount = no_progress, allowed: Collection[Path] = ()
) -> Verification:
    """Plays a share of the stored games again.

    The sample is the same each time; it consists of blocks of consecutive games, spread over all shards. If only counts
    are stored, whole shards are played.

    Args:
        share: share of each shard, in (0, 1]; at least one block per shard is played.
        notify: called with (shards played, shards to play, label of the cell).
        allowed: as for match_of.
    Raises:
        InputError: a bad share, or the results cannot be played here.
    """
    if not 0 < share <= 1:
        raise InputError(f"--sample {share:g}: write a share above 0 and up to 1, as 1% or 0.01.")
    stored = sum(cell.games for cell in results.cells)
    work = [(cell, shard) for cell in results.cells for shard in cell.shards]
    if not results.has_rows:
        work = _some_shards(results.cells, share)
    played = differ = 0
    same = True
    examples: list[DifferentGame] = []
    match: Match | None = None
    for at, (cell, shard) in enumerate(work):
        if at == 0 or work[at - 1][0] is not cell:
            match, as_it_was = match_of(results, cell, allowed)
            same &= as_it_was
        assert match is not None
        notify(at, len(work), cell.label)
        piece = _Piece(results, cell, shard, match)
        count, wrong = piece.rows_again(share) if results.has_rows else piece.counts_again()
        played += count
        differ += len(wrong) if results.has_rows else (count if wrong else 0)
        examples += wrong[: MOST_LISTED - len(examples)]
    notify(len(work), len(work), "")
    repeats, odd = repeats_in(results), odd_shards(results)
    alarms = [alarm(cell, repeat) for cell, repeat in repeats.items()]
    alarms += [one.sentence for one in odd[:MOST_LISTED]]
    if len(odd) > MOST_LISTED:
        alarms.append(f"{len(odd) - MOST_LISTED:,} more shards are outliers.")
    return Verification(
        folder=str(results.folder), stored=stored, played=played, differ=differ, same_rules=same,
        exit_status=5 if differ or alarms or results.lost else 0, partial=bool(results.gap), lost=results.lost,
        gap=results.gap, examples=tuple(examples),
        repeats={cell: dict(repeat.__dict__) for cell, repeat in repeats.items()},
        odd_shards=tuple(one.to_dict() for one in odd), alarms=tuple(alarms),
    )  # fmt: skip


def _some_shards(cells: Sequence[CellResult], share: float) -> list[tuple[CellResult, Shard]]:
    chosen = []
    for cell in cells:
        number = max(math.ceil(share * len(cell.shards)), 1)
        picked = np.unique(np.linspace(0, len(cell.shards) - 1, number).astype(int))
        chosen += [(cell, cell.shards[i]) for i in picked]
    return chosen


def _blocks(key: str, shard: Shard, share: float) -> Iterator[tuple[int, int]]:
    """(first, count) of the games of a shard to play, in order."""
    if share == 1:
        yield shard.first, shard.size
        return
    blocks = -(-shard.size // _BLOCK)
    # Drawn from the shard's name: spread, and the same each time.
    generator = np.random.default_rng(int(hashlib.sha256(f"{key} {shard.name}".encode()).hexdigest()[:16], 16))
    wanted = min(max(math.ceil(share * shard.size / _BLOCK), 1), blocks)
    for block in sorted(generator.choice(blocks, size=wanted, replace=False)):
        first = shard.first + int(block) * _BLOCK
        yield first, min(_BLOCK, shard.last + 1 - first)


@dataclass(frozen=True)
class _Piece:
    """A shard of a run, and the match that plays its games again."""

    results: Results
    cell: CellResult
    shard: Shard
    match: Match

    def _different(self, game: int, columns: dict[str, tuple[Any, Any]], label: str = "") -> DifferentGame:
        replay = self.match.replay_command(self.results.seed, game)
        return DifferentGame(cell=label or self.cell.label, game=game, columns=columns, replay=replay)

    def _endless(self, game: int) -> DifferentGame:
        return self._different(game, {"end": ("reached", f"none within {self.match.game.max_decisions:,} decisions")})

    def rows_again(self, share: float) -> tuple[int, list[DifferentGame]]:
        """Plays games of a shard with rows again: (games played, the games that differ)."""
        played, different = 0, list[DifferentGame]()
        left_out = self.results._store.sidecar(self.cell.key, self.shard).left_out
        stored = (
            piece
            for first, count in _blocks(self.cell.key, self.shard, share)
            for piece in stretches(Shard(first, first + count - 1), left_out, count)
        )
        for blocks in _some_at_a_time(stored):
            parted = [play_parting(self.match, self.results.seed, *block, _give_up) for block in blocks]
            games = np.concatenate([rows for rows, _ in parted])
            if games.size:
                number, wrong = self._compared(games)
                played += number
                different += wrong
            endless = [game for _, truncated in parted for game in truncated]
            different += map(self._endless, endless)
            played += len(endless)
        return played, different

    def _compared(self, games: np.ndarray[Any, Any]) -> tuple[int, list[DifferentGame]]:
        """Compares games played now with the stored ones: (games that are stored, the games that differ)."""
        import polars as pl

        results, cell, shard = self.results, self.cell, self.shard
        names_now = results._stored if len(results.sizes) > 1 else self.match.game
        now = rows_to_frame(games, names_now, cell.key, cell.bots)
        kept = results._store.scan_shard(cell.key, shard, results._stored).filter(
            pl.col("game").is_between(int(games["game"][0]), int(games["game"][-1]))
        )
        stored = collected(kept, results._store.shard_path(cell.key, shard))
        both = stored.join(now, on="game", how="inner", suffix=" now", maintain_order="left")
        names = [name for name in stored.columns if name in now.columns and name not in label_columns(cell.bots)]
        lost = [name for name in stored.columns if name not in now.columns]
        wrong = pl.any_horizontal(*(pl.col(n).cast(pl.String) != pl.col(f"{n} now").cast(pl.String) for n in names))
        different = []
        for row in both.filter(wrong | pl.lit(bool(lost))).iter_rows(named=True):
            columns = {n: (row[n], row[f"{n} now"]) for n in names if str(row[n]) != str(row[f"{n} now"])}
            columns |= {name: (row[name], "no longer a column") for name in lost}
            different.append(self._different(int(row["game"]), columns))
        return both.height, different

    def counts_again(self) -> tuple[int, list[DifferentGame]]:
        """Plays a shard with only counts again: (games played, the counts that differ)."""
        done, total = self.results._store.sidecar(self.cell.key, self.shard), Tally.empty(self.match.game)
        for first, count in stretches(self.shard, done.left_out, self.shard.size):
            try:
                total = total + self.match.play(self.results.seed, first, count).tally
            except GameTruncated as fault:
                return done.games, [self._endless(fault.index)]
        now, then = (
            {**counts.get("counts", {}), **{name: counts.get(name) for name in ("games", "metrics")}}
            for counts in (total.to_dict(), done.tally)
        )
        moved = {n: ("the stored counts", "others") for n in now if now[n] != then.get(n)}
        label = f"{self.cell.label}, games {self.shard.first} to {self.shard.last}"
        return done.games, [self._different(self.shard.first, moved, label)] if moved else []


def _give_up(truncated: int, fault: GameTruncated) -> None:
    """Raises an error if so many stored games are now truncated that playing the rest is pointless."""
    if truncated >= MOST_TRUNCATED:
        raise fault.reworded(f"{truncated} stored games are truncated now, the last one: {fault}") from fault


def _some_at_a_time(blocks: Iterator[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Groups blocks of (first, count) into lists whose games fit in memory."""
    some: list[tuple[int, int]] = []
    for first, count in blocks:
        for at in range(first, first + count, MOST_AT_A_TIME):
            some.append((at, min(MOST_AT_A_TIME, first + count - at)))
            if sum(size for _, size in some) >= MOST_AT_A_TIME:
                yield some
                some = []
    if some:
        yield some
