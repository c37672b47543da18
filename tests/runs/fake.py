"""A game of a few lines of NumPy for the runner's tests: fast to start, and it kills its worker when asked.

Everything of a game follows from (seed, index). Importable by name, so that worker processes have it too.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from simlab.engine.counts import outcomes
from simlab.engine.match import Batch
from simlab.engine.tally import Tally
from simlab.errors import BotFault, GameTruncated, StateMutationError
from simlab.game import Decision, Game, Metric, Track, state_type

FOLDER = Path(__file__).parent / "toss"
STATE = state_type([("heads", np.int16)], seats=2, streams=("coin",), max_actions=2, rules=2)


def _unused(*arguments: Any) -> Any:
    raise AssertionError("the fake game has no kernels")


GAME = Game(
    slug="toss", title="Toss", summary="A coin decides.", folder=FOLDER, seats=("heads", "tails"),
    endings=("landed", "lost"), streams=("coin",), decisions=(Decision("T-D-01", "Toss", ("toss", "keep")),),
    metrics=(Metric("spins", "turns of the coin in the air"),), tracks=(Track("height", 0, 5),), state=STATE,
    cards=np.dtype([("none", np.int64)]), tables=(), pack_cards=_unused, initial_state=_unused,
    legal_actions=_unused, apply_action=_unused, determinize=_unused, outcome=_unused, track_values=_unused,
    action_label=_unused, describe=_unused, max_decisions=100, max_turns=20,
)  # fmt: skip


def random_words(seed: int, games: np.ndarray) -> np.ndarray:
    """64 random bits a game (splitmix64)."""
    z = games.astype(np.uint64) + np.uint64(seed) * np.uint64(1_000_003)
    with np.errstate(over="ignore"):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            z = (z + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(factor)
            z ^= z >> np.uint64(shift)
    return z


@dataclass
class FakeMatch:
    cell: FakeCell
    game: Game = GAME
    table_rows: dict[str, Any] = field(default_factory=dict)
    bots: tuple[Any, ...] = ()

    @property
    def rules_digest(self) -> str:
        return hashlib.sha256(self.cell.rules.encode()).hexdigest()[:32]

    @property
    def key(self) -> str:
        parts = [self.cell.rules, self.cell.knobs, self.cell.bots]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def compiled(self) -> Any:
        """Nothing to compile."""
        return SimpleNamespace(bots=(), new_bots=list, new_rules=list, known_types=dict)

    def compile(self, progress: Callable[[str, int, int], None] | None = None) -> None:
        if progress:
            progress("play loop", 0, 1)

    def prepare_comparison(self) -> None:
        pass

    def replay_command(self, seed: int, index: int) -> str:
        return f"simlab replay toss --seed {seed} --game {index}"

    def play(
        self,
        seed: int,
        first: int,
        count: int,
        progress: np.ndarray | None = None,
        counting: bool = True,
        each_slice: Callable[[int], None] | None = None,
    ) -> Batch:
        marks = np.zeros(4, np.int64) if progress is None else progress
        marks[:] = (first, 0, 0, 0)
        words = random_words(seed, np.arange(first, first + count))
        rows = np.zeros(count, GAME.row_type)
        rows["game"] = np.arange(first, first + count)
        bias = int(self.cell.knobs.get("bias", 5))
        rows["winner"] = np.where(words % np.uint64(10) < bias, 0, 1)
        rows["winner"][words % np.uint64(97) == 0] = -1
        rows["winners"] = np.where(rows["winner"] >= 0, 1 << rows["winner"].clip(0), 0)
        rows["ending"] = (words >> np.uint64(8)) % np.uint64(2)
        rows["turns"] = 1 + (words >> np.uint64(16)) % np.uint64(GAME.max_turns)
        rows["decisions"] = 2 * rows["turns"]
        rows["spins"] = (words >> np.uint64(24)) % np.uint64(7)
        self._live_through(seed, first, count, marks, each_slice)
        tally = Tally.empty(GAME)
        tally.add_rows(GAME, rows)
        for row in rows.view(np.recarray):
            outcomes.at_end(tally, None, None, None, None, row)
        tally.fired[0] = tally.fired_games[0] = count
        tally.chosen[:, 0, 0] = tally.offered[:, 0, 0] = count
        tally.used_games[:, 0, 0] = count
        return Batch(rows, tally)

    def _live_through(
        self, seed: int, first: int, count: int, marks: np.ndarray, each_slice: Callable[[int], None] | None
    ) -> None:
        """Takes its time, and does what the cell is to do at some games."""
        cell = self.cell
        bad = {
            **dict.fromkeys(cell.kills, "kill"),
            **dict.fromkeys(cell.hangs, "hang"),
            **dict.fromkeys(cell.faults, "fault"),
            **dict.fromkeys(cell.endless, "endless"),
            **dict.fromkeys(cell.cheats, "cheat"),
            **dict.fromkeys(cell.hungry, "hungry"),
        }
        meant = seed in cell.seeds if cell.seeds else seed != 0
        stops = sorted({g for g in bad if first <= g < first + count and meant} | {first + count})
        at = first
        while at < first + count:
            marks[0], marks[3] = at, at - first
            if at == stops[0]:
                stops.pop(0)
                self._misbehave(bad[at], seed, at)
            step = max(1, min(first + count, at + cell.slice, stops[0]) - at)
            time.sleep(cell.slow * step)
            at += step
            if each_slice:
                each_slice(at - first)
        marks[3] = count

    def _misbehave(self, how: str, seed: int, game: int) -> None:
        once = self.cell.once
        if once and (Path(once) / str(game)).exists():
            return
        if once:
            (Path(once) / str(game)).touch()
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        while how == "hang":
            time.sleep(0.05)
        if how == "hungry":
            raise MemoryError
        kind, why = {
            "fault": (BotFault, "bot 'still' returned action 7"),
            "endless": (GameTruncated, "the game did not end within 100 decisions"),
            "cheat": (StateMutationError, "bot 'still' changed the state"),
        }[how]
        raise kind(
            f"{why} (game {game} of seed {seed}).\nReplay it: simlab replay toss",
            game="toss",
            index=game,
            seed=seed,
            seat="heads",
            bot="still",
            action=7,
        )


@dataclass(frozen=True)
class FakeCell:
    """kills, hangs, faults, endless, cheats, hungry: games at which it does that; with `once` (a folder) only the
    first time.

    seeds: those on which it does; none given: all but 0, the fingerprint's.
    """

    label: str = "still v still"
    knobs: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Any] = field(default_factory=dict)
    bots: Mapping[str, str] = field(default_factory=lambda: {"heads": "still", "tails": "still"})
    tables: Mapping[str, Path] = field(default_factory=dict)
    games: int = 1_000
    widest: str = ""
    rules: str = "1"
    slow: float = 0.0  # seconds a game
    slice: int = 10
    kills: tuple[int, ...] = ()
    hangs: tuple[int, ...] = ()
    faults: tuple[int, ...] = ()
    endless: tuple[int, ...] = ()
    cheats: tuple[int, ...] = ()
    hungry: tuple[int, ...] = ()
    once: str = ""
    seeds: tuple[int, ...] = ()

    @property
    def bot_labels(self) -> Mapping[str, str]:
        return self.bots

    def match(self) -> Any:
        return FakeMatch(self)


@dataclass(frozen=True)
class FakeStop:
    precision: float
    max_games: int


@dataclass(frozen=True)
class FakeExperiment:
    name: str = "tosses"
    game: str = "toss"
    game_ref: str = "toss"
    games: int = 1_000
    seed: int = 7
    row_limit: int = 100_000_000
    shard_games: int = 100
    stop: Any = None
    note: str = ""
    mark: str = ""

    def to_toml(self) -> str:
        return f'# {self.note}\n[experiment]\nname = "{self.name}"\ngames = {self.games}\n'

    def resolved(self) -> dict[str, Any]:
        return {"experiment": {"name": self.name, "game": self.game, "games": self.games, "seed": self.seed}}


def two_cells(games: int = 400, **how: Any) -> list[FakeCell]:
    """Two cells; what else is said holds for the second."""
    return [
        FakeCell("bias=5", {"bias": 5}, {"bias": 5}, games=games, slow=how.get("slow", 0.0)),
        FakeCell("bias=6", {"bias": 6}, {"bias": 6}, games=games, **how),
    ]


def data_of(folder: Path) -> dict[str, bytes]:
    """The files of a run that have to be the same however it went."""
    names = ["cells.json", "faults.json", "summary.json", "resolved.json"]
    paths = [folder / name for name in names] + sorted((folder / "cells").rglob("*.*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.exists()}
