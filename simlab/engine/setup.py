"""A game with its knobs, cards and bots: everything that determines its games, except seed and index."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from simlab import shell
from simlab.bot_registry import Bot, load_bot
from simlab.compiler.dependencies import digest_files
from simlab.engine import entry_points, streams
from simlab.engine.entry_points import EntryPoints, Progress, room_for
from simlab.engine.loaded_draws import load_dice, pack_weights
from simlab.engine.sources import source_files
from simlab.errors import InputError, nearest
from simlab.game import Array, Game, KnobValue, State, stream_numbers
from simlab.registry import game_package
from simlab.spec.card_tables import Tables
from simlab.spec.record import stream_word
from simlab.spec.refs import GameRef

IN_PLAY = "chance in play"  #: in `epochs` of Match.play, all that chance decides after the set-up


class Setup:
    """A game with knobs, cards and bots.

    Args:
        game: the game.
        knobs: values that differ from the defaults.
        tables: component tables replaced by a file.
        bots: seat -> bot as text; every seat.
    Raises:
        InputError: one of these values is unknown, out of range, contradictory or missing.
    """

    def __init__(
        self,
        game: Game,
        *,
        knobs: Mapping[str, object] | None = None,
        tables: Mapping[str, Path] | None = None,
        bots: Mapping[str, str],
    ) -> None:
        self.game = game
        self.table_files = {name: Path(path) for name, path in (tables or {}).items()}
        self._take_knobs(knobs or {}, game.read_tables(self.table_files))
        for seat in bots:
            if seat not in game.seats:
                raise InputError(f"{game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}")
        missing = [seat for seat in game.seats if seat not in bots]
        if missing:
            raise InputError(f"no bot for {', '.join(missing)}. Give one, as in --bot {missing[0]}=random")
        self.bots: tuple[Bot, ...] = tuple(load_bot(game, seat, bots[seat]) for seat in game.seats)
        self.traits = np.zeros((len(self.bots), room_for(game, self.bots)))
        for row, bot in zip(self.traits, self.bots, strict=True):
            row[: bot.traits.size] = bot.traits
        self._sources = source_files((game_package(game),), game.sources)
        self._bot_sources = [source_files(bot.modules, bot.files) for bot in self.bots]
        self.compiled = EntryPoints(game, self.bots, self._sources, self._bot_sources)
        self._proved = False

    def _take_knobs(self, knobs: Mapping[str, object], rows: Tables) -> None:
        self._rows = rows
        self.knobs_resolved: dict[str, KnobValue] = self.game.resolve_knobs(knobs, rows)
        self.knobs_set = dict(knobs)
        before, self.table_rows = vars(self).get("table_rows"), self.game.blanked(rows, self.knobs_resolved)
        if self.table_rows != before:
            self.cards = np.ascontiguousarray(self.game.pack(self.table_rows, self.table_files))
        self.knobs = self.game.pack_knobs(self.knobs_resolved, self.table_rows)
        self.weights = pack_weights(self.game, self.knobs_resolved, self.table_rows)

    def knob_value(self, name: str) -> KnobValue:
        """The value of a knob; for a luck knob that is not set, its default."""
        value = self.knobs_resolved.get(name)
        return self.game.knobs[name].default if value is None else value

    def with_knobs(self, knobs: Mapping[str, object], rows: Tables | None = None) -> Self:
        """A copy with other knobs; bots and compiled code are shared, so it costs little.

        Args:
            rows: card tables to play with; by default those of this setup. Replay commands do not include these tables.
        Raises:
            InputError: a knob that is not allowed, or contradictory ones.
        """
        other = copy.copy(self)
        other._take_knobs(knobs, self._rows if rows is None else dict(rows))
        return other

    def with_bots(self, bots: Mapping[str, str]) -> Self:
        """The same rules with other bots, one for every seat."""
        return type(self)(self.game, knobs=self.knobs_set, tables=self.table_files, bots=bots)

    def without_metrics(self) -> Self:
        """The same games without the designer's own metrics, for futures, which metrics must not count."""
        if self.game.plain is None:
            return self
        other = copy.copy(self)
        other.game = self.game.plain
        other.compiled = EntryPoints(other.game, self.bots, self._sources, self._bot_sources)
        return other

    @property
    def rules_digest(self) -> str:
        """Digest of the game's code and tables; the same for the same rules."""
        return digest_files(self._sources, streams.VERSION, *self.compiled.foreign)[:32]

    @property
    def key(self) -> str:
        """Digest of everything that determines a game, except its seed and index."""
        parts = {
            "rules": self.rules_digest,
            "game": str(GameRef(self.game.slug, player_count(self.game))),
            "knobs": self.knobs_resolved,
            "tables": self.table_rows,
            "bots": [
                [bot.policy.name, bot.traits.tolist(), digest_files(files)]
                for bot, files in zip(self.bots, self._bot_sources, strict=True)
            ],
        }
        if self.game.own:
            parts["metrics"] = [[one.name, one.digest] for one in self.game.own]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    def compile(self, progress: Progress | None = None) -> None:
        """Compiles what bulk play needs, or loads it from the cache.

        Args:
            progress: called with (what, done, total) before each part; not at all when everything is in the cache.
        Raises:
            InputError: a bot or the game does not compile; the message names it and the place.
        """
        self.compiled.bulk(progress, game_text(self.game))

    def blank_state(self, seed: int) -> Array:
        """A blank state that carries the seed, shape (1,)."""
        if not 0 <= seed < 1 << 63:
            raise InputError(f"seed = {seed} is not allowed: a seed is a whole number in 0..2^63-1.")
        blank = np.zeros(1, self.game.state)
        blank["stream_key"] = (seed & 0xFFFFFFFF, seed >> 32)
        blank["stream_seats"] = len(self.game.seats)
        if self.game.prepare is not None:
            self.game.prepare(*(record.view(np.recarray)[0] for record in (blank, self.knobs, self.cards)))
        if self.game.is_class:
            blank["stream_name"][0, len(self.game.seats) + 1 :] = [stream_word(name) for name in self.game.streams]
        load_dice(blank, self.weights)
        return blank

    def beginning(self, seed: int, start: State | None, epochs: Mapping[str, int]) -> Array:
        blank = self.blank_state(seed)
        if start is not None:
            blank[0] = np.asarray(start).astype(self.game.state)
            load_dice(blank, self.weights)  # the position may hold the address of another match or process
        numbers = {**streams_of(self.game), IN_PLAY: len(self.game.seats)}
        for name, epoch in epochs.items():
            if name not in numbers:
                raise InputError(f"{self.game.slug} has no stream '{name}'. {nearest(name, numbers)}")
            blank["stream_epoch"][0, numbers[name]] = epoch
        return blank

    def part_name(self, state: State) -> str:
        """The phase of the part just played (Game.part_name)."""
        return self.game.part_name(state, self.knobs.view(np.recarray)[0], self.cards.view(np.recarray)[0])

    def replay_command(self, seed: int, index: int) -> str:
        """The shell command that replays one game of this match."""
        return self.command("replay", "--seed", str(seed), "--game", str(index))

    def command(self, name: str, *options: str, bots: Mapping[str, Sequence[str]] | None = None) -> str:
        """A shell command of the lab about this match, or, with `bots`, about several bots of each seat."""
        words = ["simlab", *name.split(), game_text(self.game.plain or self.game), *options]
        for bot in self.bots:
            words += ["--bot", f"{bot.seat}={','.join(bots[bot.seat]) if bots else bot.text}"]
        for knob, value in self.knobs_set.items():
            words += ["--set", f"{knob}={str(value).lower() if isinstance(value, bool) else value}"]
        for table, path in self.table_files.items():
            words += ["--cards", f"{table}={path}"]
        return shell.join(words)


def compiled_together(setups: Sequence[Setup]) -> contextlib.AbstractContextManager[None]:
    """A context for compiling several setups of one game, in this order: a second process begins with the last."""
    return entry_points.second_process([one.compiled for one in setups], game_text(setups[0].game))


def game_text(game: Game) -> str:
    """The game in the form that load_game accepts: slug or path of a folder, number of players, and custom metrics."""
    return str(GameRef(game.reference, player_count(game)).measured(one.text for one in game.own))


def player_count(game: Game) -> int | None:
    """Player count of a game that allows several; None for a game that allows only one."""
    return len(game.seats) if game.players[1] else None


def streams_of(game: Game) -> dict[str, int]:
    """Number of every stream by name: the game's own, and `bot_<seat>`."""
    return {f"bot_{seat}": i for i, seat in enumerate(game.seats)} | stream_numbers(len(game.seats), game.streams)
