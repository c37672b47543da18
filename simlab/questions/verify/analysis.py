"""Stored games played again, and compared column by column.

The rows of a run depend only on its seed, rules and bots. If a game differs when it is played again, the rules, a bot
or the compiler has changed, or the disk is faulty.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.tally import Tally
from simlab.errors import GameTruncated, InputError
from simlab.game import Array
from simlab.present.answer import Answer, Part
from simlab.runs.alarms import alarm, odd_shards, repeats_in
from simlab.runs.events import ProgressCount, no_progress
from simlab.runs.store import Shard, collected, label_columns, row_schema, rows_to_frame
from simlab.runs.stored_games import match_of
from simlab.runs.truncation import play_parting

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
    work = []
    for cell in results.cells:
        wanted = len(cell.shards) if results.has_rows else math.ceil(share * len(cell.shards))
        picked = np.unique(np.linspace(0, len(cell.shards) - 1, wanted).astype(int))
        work += [(cell, cell.shards[place]) for place in picked]
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


def _sample(key: str, shard: Shard, share: float, left_out: Sequence[int]) -> Array:
    """The games of a shard to play again, in order: blocks drawn from the shard's name, so the same each time."""
    games = np.arange(shard.first, shard.last + 1)
    if share < 1:
        blocks = -(-shard.size // _BLOCK)
        generator = np.random.default_rng(int(hashlib.sha256(f"{key} {shard.name}".encode()).hexdigest()[:16], 16))
        wanted = min(max(math.ceil(share * shard.size / _BLOCK), 1), blocks)
        games = games[np.isin((games - shard.first) // _BLOCK, generator.choice(blocks, size=wanted, replace=False))]
    return np.setdiff1d(games, left_out)


def _runs(games: Array) -> list[tuple[int, int]]:
    """(first, count) of the consecutive games among some games, which are in order."""
    runs = np.split(games, np.flatnonzero(np.diff(games) > 1) + 1)
    return [(int(run[0]), run.size) for run in runs if run.size]


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

    def _endless(self, games: Sequence[int]) -> list[DifferentGame]:
        none = f"none within {self.match.game.max_decisions:,} decisions"
        return [self._different(game, {"end": ("reached", none)}) for game in games]

    def rows_again(self, share: float) -> tuple[int, list[DifferentGame]]:
        """Plays games of a shard with rows again: (games played, the games that differ)."""
        played, different = 0, list[DifferentGame]()
        left_out = self.results._store.sidecar(self.cell.key, self.shard).left_out
        games = _sample(self.cell.key, self.shard, share, left_out)
        for at in range(0, games.size, MOST_AT_A_TIME):
            runs = _runs(games[at : at + MOST_AT_A_TIME])
            parted = [play_parting(self.match, self.results.seed, *run, _give_up) for run in runs]
            count, wrong = self._compared(np.concatenate([rows for rows, _ in parted]))
            endless = [game for _, truncated in parted for game in truncated]
            played += count + len(endless)
            different += [*wrong, *self._endless(endless)]
        return played, different

    def _compared(self, games: Array) -> tuple[int, list[DifferentGame]]:
        """Compares games played now with the stored ones: (games that are stored, the games that differ)."""
        import polars as pl

        results, cell, shard = self.results, self.cell, self.shard
        names_now = results._stored if len(results.sizes) > 1 else self.match.game
        now = rows_to_frame(games, names_now, cell.key, cell.bots)
        kept = results._store.scan_shard(cell.key, shard, results._stored).filter(
            pl.col("game").is_between(now["game"].min(), now["game"].max())
        )
        both = collected(kept, results._store.shard_path(cell.key, shard)).join(
            now, on="game", how="inner", suffix=" now", maintain_order="left"
        )
        stored = row_schema(results._stored)
        names = [name for name in stored if name in now.columns and name not in label_columns(cell.bots)]
        lost = [name for name in stored if name not in now.columns]
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
        for first, count in _runs(_sample(self.cell.key, self.shard, 1, done.left_out)):
            try:
                total = total + self.match.play(self.results.seed, first, count).tally
            except GameTruncated as fault:
                return done.games, self._endless([fault.index])
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
