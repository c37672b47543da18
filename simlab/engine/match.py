"""A match: a game with its knobs, cards and bots, ready to be played in bulk or one decision at a time."""

from __future__ import annotations

import hashlib
import json
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from simlab.engine import jit, loop, outcome, streams
from simlab.engine.counts import Sized, counts_of, counts_type, hooks, scratch_type
from simlab.engine.explain import explain_compile_error
from simlab.engine.outcome import NOBODY, SHARED
from simlab.errors import BotFault, GameTooLong, Tampering, UserMistake, nearest
from simlab.game import (
    FORCED,
    MAX_TRAITS,
    Description,
    Game,
    KnobValue,
    State,
    stream_numbers,
)
from simlab.registry import Bot, game_package, load_bot, with_table

Array = np.ndarray[Any, Any]
Progress = Callable[[str, int, int], None]

TRAITS = np.dtype([("values", np.float64, (MAX_TRAITS,))])  #: a bot's traits as the loop reads them
_SEARCHED_GAMES = 2_000  # games stepped through to find who wrote to knobs, cards or traits
_SLICE_SECONDS = 0.25  # how long one call of the compiled loop should take: what Ctrl-C waits for


class Tally:
    """Exact counts over games; tallies of disjoint games add up.

    Attributes:
        games: number of games.
        counts: name -> array, as the files of simlab.engine.counts declare them; `tally.fired` is counts["fired"].
        metrics: name -> (values, counts), int64 and ascending: exact histograms, `score_<seat>` among them.
    """

    def __init__(
        self, games: int, counts: Mapping[str, Array], metrics: Mapping[str, tuple[Array, Array]] | None = None
    ) -> None:
        self.games = games
        self.counts = dict(counts)
        self.metrics = dict(metrics or {})

    def __getattr__(self, name: str) -> Array:
        counts = self.__dict__.get("counts", {})
        if name not in counts:
            raise AttributeError(f"nothing named '{name}' was counted")
        array: Array = counts[name]
        return array

    @classmethod
    def empty(cls, game: Game) -> Tally:
        """A tally of no games."""
        return cls(0, {name: np.zeros(count.shape(game), count.kind) for name, count in counts_of(game).items()})

    def __add__(self, other: Tally) -> Tally:
        counts = {}
        for name in self.counts.keys() | other.counts.keys():
            mine, theirs = self.counts.get(name), other.counts.get(name)
            if mine is None or theirs is None or mine.shape != theirs.shape:
                raise UserMistake(f"these results cannot be added up: {name} differs in shape.")
            counts[name] = mine + theirs
        metrics = dict(self.metrics)
        for name, (values, games) in other.metrics.items():
            metrics[name] = _add_histograms(metrics.get(name), (values, games))
        return Tally(self.games + other.games, counts, metrics)

    def add_rows(self, game: Game, rows: Array) -> None:
        """Adds the rows' numbers (what the loop counts itself is not in the rows)."""
        if rows.size == 0:
            return
        self.games += rows.size
        columns = {m.name: rows[m.name] for m in game.metrics}
        if game.has_scores:
            columns |= {f"score_{seat}": rows["score"][:, i] for i, seat in enumerate(game.seats)}
        columns["decisions"] = rows["decisions"]
        for name, column in columns.items():
            self.metrics[name] = _add_histograms(self.metrics.get(name), _histogram(column))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, sparse, and the same bytes for the same counts."""
        sparse = {}
        for name, array in sorted(self.counts.items()):
            places = np.flatnonzero(array)
            sparse[name] = {
                "shape": list(array.shape),
                "at": places.tolist(),
                "count": array.ravel()[places].tolist(),
            }
        metrics = {n: {"value": v.tolist(), "count": c.tolist()} for n, (v, c) in sorted(self.metrics.items())}
        return {"games": self.games, "counts": sparse, "metrics": metrics}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], game: Sized) -> Tally:
        """The tally that to_dict wrote.

        Args:
            game: the game, or the names that the folder keeps of it: they say what should be there.
        Raises:
            UserMistake: not of that form; shapes and places are checked before memory is taken.
        """
        try:
            counts = {}
            for name, count in counts_of(game).items():
                entry = data["counts"][name]
                shape = tuple(int(n) for n in entry["shape"])
                if shape != count.shape(game):
                    raise ValueError(f"{name} is not of the game that manifest.json names")
                at = np.asarray(entry["at"], dtype=np.int64)
                numbers = np.asarray(entry["count"], dtype=count.kind)
                array = np.zeros(shape, count.kind)
                if at.shape != numbers.shape or (at.size and not 0 <= at.min() <= at.max() < array.size):
                    raise ValueError(f"{name} counts outside its shape")
                array.reshape(-1)[at] = numbers
                counts[name] = array
            metrics = {
                str(name): (np.asarray(h["value"], dtype=np.int64), np.asarray(h["count"], dtype=np.int64))
                for name, h in data["metrics"].items()
            }
            return cls(int(data["games"]), counts, metrics)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as fault:
            raise UserMistake(f"these counts are damaged or not simlab's: {fault}") from None


def _histogram(column: Array) -> tuple[Array, Array]:
    low = int(column.min())
    if int(column.max()) - low > 1_000_000:
        values, counts = np.unique(column, return_counts=True)
        return values.astype(np.int64), counts.astype(np.int64)
    counts = np.bincount(column - low)
    values = np.flatnonzero(counts)
    return values + low, counts[values]


def _add_histograms(old: tuple[Array, Array] | None, new: tuple[Array, Array]) -> tuple[Array, Array]:
    if old is None:
        return new
    values = np.union1d(old[0], new[0])
    counts = np.zeros(values.size, np.int64)
    for some_values, some_counts in (old, new):
        counts[np.searchsorted(values, some_values)] += some_counts
    return values, counts


@dataclass
class Batch:
    """Played games: rows (structured array of Game.row_type) and their tally."""

    rows: Array
    tally: Tally


class Match:
    """A game with knobs, cards and bots.

    Args:
        game: the game.
        knobs: values that differ from the defaults.
        tables: component tables swapped for a file.
        bots: seat -> bot as text; every seat.
    Raises:
        UserMistake: anything of it unknown, out of range, contradictory or missing.
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
        self.table_rows = game.read_tables(self.table_files)
        self.knobs_resolved: dict[str, KnobValue] = game.resolve_knobs(knobs, self.table_rows)
        self.knobs_set = dict(knobs or {})
        self.table_rows = game.blanked(self.table_rows, self.knobs_resolved)
        self.cards = np.ascontiguousarray(game.pack_cards(self.table_rows))
        self.knobs = game.pack_knobs(self.knobs_resolved)
        for seat in bots:
            if seat not in game.seats:
                raise UserMistake(f"{game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}")
        missing = [seat for seat in game.seats if seat not in bots]
        if missing:
            raise UserMistake(f"no bot for {', '.join(missing)}. Give one, as in --bot {missing[0]}=random")
        self.bots: tuple[Bot, ...] = tuple(load_bot(game, seat, bots[seat]) for seat in game.seats)
        self.traits = np.array([bot.traits for bot in self.bots])
        self._sources = jit.source_files((game_package(game),), (game.folder,))
        self._bot_sources = [jit.source_files((bot.policy.module,)) for bot in self.bots]
        self._compiled = _Compiled(self)

    @property
    def rules_digest(self) -> str:
        """Digest of the game's code and tables; the same for the same rules."""
        return jit.digest_files(self._sources, streams.VERSION)[:32]

    @property
    def key(self) -> str:
        """Digest of all that decides how a game goes, but for its seed and index."""
        parts = {
            "rules": self.rules_digest,
            "game": with_table(self.game.slug, len(self.game.seats) if self.game.players[1] else None),
            "knobs": self.knobs_resolved,
            "tables": self.table_rows,
            "bots": [
                [bot.policy.name, bot.traits.tolist(), jit.digest_files(files)]
                for bot, files in zip(self.bots, self._bot_sources, strict=True)
            ],
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    def compile(self, progress: Progress | None = None) -> None:
        """Compiles what bulk play needs, or loads it from the cache.

        Args:
            progress: called with (what, done, total) before each part; not at all when everything is in the cache.
        Raises:
            UserMistake: a bot or the game does not compile; the message says which and where.
        """
        self._compiled.bulk(progress)

    def blank_state(self, seed: int) -> Array:
        """A blank state that carries the seed, shape (1,)."""
        if not 0 <= seed < 1 << 63:
            raise UserMistake(f"seed = {seed} is not allowed: a seed is a whole number in 0..2^63-1.")
        blank = np.zeros(1, self.game.state)
        blank["stream_key"] = (seed & 0xFFFFFFFF, seed >> 32)
        blank["stream_seats"] = len(self.game.seats)
        return blank

    def play(
        self,
        seed: int,
        first: int,
        count: int,
        progress: Array | None = None,
        counting: bool = True,
        each_slice: Callable[[int], None] | None = None,
        start: State | None = None,
        epochs: Mapping[str, int] | None = None,
    ) -> Batch:
        """Plays games first .. first+count-1; other threads run meanwhile.

        Args:
            seed: the experiment's seed, 0..2^63-1.
            progress: int64 (4,), may be a memory map: index of the game being played, 0, where in it (`whereabouts`
                reads that), games done.
            counting: False leaves rules, actions and tracks uncounted (for the benchmark).
            each_slice: called with the number of games done, several times a second.
            start: a position of a game (Stepper.state); its futures first .. first+count-1 are played instead, each
                with luck of its own from here on. The tally then counts what came after, and rules from the start.
            epochs: stream -> number in 1..2^24-1: such a stream gets other luck, the rest keep theirs. Streams are
                the game's own, and `bot_<seat>`.
        Raises:
            BotFault: a bot raised or returned an illegal action; GameTooLong: a game hit its cap; Tampering: a bot
                changed what it may only read.
        """
        if first < 0 or count < 0 or first + count >= 1 << 63:
            raise UserMistake(f"games {first}..{first + count}: a game's index is in 0..2^63-1.")
        game = self.game
        self.compile()
        play_games, policies = self._compiled.play(counting)
        counts, scratch = _records(1, counts_type(game)), _records(1, scratch_type(game))
        traits = _view(self.traits.view(TRAITS).reshape(-1))
        rows = _records(count, game.row_type)
        work, blank = _records(1, game.state), _view(self._beginning(seed, start, epochs or {}))
        words = work.view(np.ndarray).view(np.uint32)
        kept, guard = np.zeros_like(words), self._compiled.guard()
        rules = self._rules_in_memory()
        marks = np.zeros(4, np.int64) if progress is None else progress
        marks[:] = (first, 0, 0, 0)
        done, step = 0, min(count, 512)
        while done < count:
            step = min(step, count - done)
            began = time.perf_counter()
            fault: Exception | None = None
            status = loop.FINE
            try:
                status = play_games(
                    work, words, kept, guard, blank, _view(self.knobs), _view(self.cards), policies, traits,
                    first + done, step, int(start is not None), rows[done : done + step], marks, counts, scratch,
                )  # fmt: skip
            except Exception as raised:  # noqa: BLE001 - a bot's or a game's own error: told with game, seat and seed
                fault = raised
            if self._rules_in_memory() != rules:
                raise self._rules_written(seed, first + done, int(marks[0]), rules)
            if status == loop.CHANGED:
                raise self._state_written(seed, int(marks[0]), kept.view(game.state)[0], work[0])
            if fault is not None or status != loop.FINE:
                raise self._fault(seed, int(marks[0]), status, int(marks[1]), work[0], fault) from fault
            done += step
            if each_slice:
                each_slice(done)
            step = max(1, min(4 * step, int(step * _SLICE_SECONDS / max(time.perf_counter() - began, 1e-6))))
        self._check_winners(seed, rows)
        tally = Tally(0, {name: counts[name][0] for name in counts.dtype.names or ()})
        tally.add_rows(game, rows)
        return Batch(rows, tally)

    @cached_property
    def _winner_of(self) -> Array:
        """What `winner` has to be for each set of winners, int8 (2^seats,): the only one, SHARED or NOBODY."""
        lone = np.full(1 << len(self.game.seats), SHARED, np.int8)
        lone[0] = NOBODY
        for seat in range(len(self.game.seats)):
            lone[1 << seat] = seat
        return lone

    def _check_winners(self, seed: int, rows: Array) -> None:
        """Refuses rows that contradict themselves: every figure is made of them.

        Raises:
            BotFault: names the first such game and the fields.
        """
        game, sets = self.game, rows["winners"]
        wrong = self._winner_of[np.minimum(sets, self._winner_of.size - 1)] != rows["winner"]
        wrong |= sets >= self._winner_of.size
        wrong |= (rows["ending"] < 0) | (rows["ending"] >= len(game.endings)) | (rows["turns"] < 0)
        if not wrong.any():
            return
        row = rows[np.flatnonzero(wrong)[0]]
        index, winner, winners, ending = (int(row[name]) for name in ("game", "winner", "winners", "ending"))
        if not 0 <= ending < len(game.endings):
            why = f"ending = {ending}, and endings are numbered 0..{len(game.endings) - 1}"
        elif int(row["turns"]) < 0:
            why = f"turns = {int(row['turns'])}"
        else:
            why = (
                f"winner = {winner} and winners = {winners:#b}. `winners` has a bit for each seat that wins, of "
                f"0..{len(game.seats) - 1}; `winner` is the only one, {SHARED} if several win, {NOBODY} if nobody does"
            )
        raise BotFault(
            f"{game.slug}: outcome fills a row that cannot be, in game {index} of seed {seed}: {why}."
            f"\nReplay it: {self.replay_command(seed, index)}",
            game=game.slug, index=index, seed=seed,
        )  # fmt: skip

    def _beginning(self, seed: int, start: State | None, epochs: Mapping[str, int]) -> Array:
        blank = self.blank_state(seed)
        if start is not None:
            blank[0] = np.asarray(start).astype(self.game.state)
        numbers = _all_streams(self.game)
        for name, epoch in epochs.items():
            if name not in numbers:
                raise UserMistake(f"{self.game.slug} has no stream '{name}'. {nearest(name, numbers)}")
            blank["stream_epoch"][0, numbers[name]] = epoch
        return blank

    def part_name(self, state: State) -> str:
        """What the part just played belongs to (Game.part_name)."""
        return self.game.part_name(state, self.knobs.view(np.recarray)[0], self.cards.view(np.recarray)[0])

    def replay_command(self, seed: int, index: int) -> str:
        """The shell command that replays one game of this match."""
        words = ["simlab", "replay", game_text(self.game), "--seed", str(seed), "--game", str(index)]
        for bot in self.bots:
            words += ["--bot", f"{bot.seat}={bot.text}"]
        for name, value in self.knobs_set.items():
            words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        for name, path in self.table_files.items():
            words += ["--cards", f"{name}={path}"]
        return shlex.join(words)

    def _rules_in_memory(self) -> tuple[bytes, bytes, bytes]:
        """Knobs, cards and traits, which stay as they are while games are played."""
        return self.knobs.tobytes(), self.cards.tobytes(), self.traits.tobytes()

    def _written(self, rules: tuple[bytes, bytes, bytes]) -> str:
        """What of knobs, cards and traits is not as it was, in words; it is put right again."""
        written = ""
        arrays = {"its traits": self.traits, "the cards": self.cards, "the knobs": self.knobs}
        for (name, array), data in zip(arrays.items(), reversed(rules), strict=True):
            if array.tobytes() != data:
                written = name
                array.view(np.ndarray).view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)
        return written

    def _rules_written(self, seed: int, first: int, last: int, rules: tuple[bytes, bytes, bytes]) -> Tampering:
        """The fault of whoever wrote to knobs, cards or traits in one of these games; they are put right again."""
        what = self._written(rules)
        for index in range(first, min(last + 1, first + _SEARCHED_GAMES)):
            stepper = Stepper(self, seed, index)
            while not stepper.over and stepper.decisions < self.game.max_decisions:
                position = stepper.copy().state
                try:
                    stepper.apply(stepper.policy_action())
                except Exception:  # noqa: BLE001 - what it wrote comes first
                    position = stepper.copy().state
                if self._rules_in_memory() != rules:
                    why = f"changed {self._written(rules)}, which it may only read"
                    return self._tampering(seed, index, position, why)
        why = f"a bot or the game changed {what}, which it may only read"
        return Tampering(
            f"{why} (games {first} to {last} of seed {seed}). None of its figures holds.",
            game=self.game.slug, index=first, seed=seed,
        )  # fmt: skip

    def _state_written(self, seed: int, index: int, before: State, after: State) -> Tampering:
        fields = [name for name in self.game.state.names or () if not np.array_equal(before[name], after[name])]
        named = "; ".join(_change(name, before[name], after[name]) for name in fields[:4])
        return self._tampering(seed, index, before, f"changed the state, which it may only read: {named}")

    def _tampering(self, seed: int, index: int, position: State, why: str) -> Tampering:
        bot = self.bots[int(position["seat"])]
        return Tampering(
            f"bot '{bot.text}' {why} ({self._where(seed, index, position)}). None of its figures holds.\n"
            f"Replay it: {self.replay_command(seed, index)}",
            game=self.game.slug, index=index, seed=seed, seat=bot.seat, bot=bot.text,
        )  # fmt: skip

    def _where(self, seed: int, index: int, state: State) -> str:
        decision = self.game.decisions[int(state["decision"])]
        seat = self.bots[int(state["seat"])].seat
        return f"game {index} of seed {seed}, turn {int(state['turn'])}, {seat}, {decision.id} {decision.name}"

    def _fault(
        self, seed: int, index: int, status: int, action: int, state: State, raised: Exception | None
    ) -> BotFault:
        bot = self.bots[int(state["seat"])]
        where = self._where(seed, index, state)
        kind = GameTooLong if status == loop.CAPPED else BotFault
        taken: int | None = None
        if raised is not None:
            why = f"bot '{bot.text}' or the game raised {type(raised).__name__}: {raised}"
        elif status == loop.ILLEGAL:
            taken = action
            legal = ", ".join(str(a) for a in state["legal"][: int(state["n_legal"])])
            why = f"bot '{bot.text}' returned action {action}, which is not legal. Legal: {legal}"
        elif status == loop.STUCK:
            why = f"{self.game.slug} offers no legal action, but the game is not over: a fault of the game"
        else:
            why = f"the game did not end within {self.game.max_decisions} decisions"
        return kind(
            f"{why} ({where}).\nReplay it: {self.replay_command(seed, index)}",
            game=self.game.slug, index=index, seed=seed, seat=bot.seat, bot=bot.text, action=taken,
        )  # fmt: skip


def whereabouts(mark: int) -> tuple[int, int, bool] | None:
    """What `progress[2]` of Match.play says: (decisions taken, seat, whether its bot is being asked).

    None while the game is being set up.
    """
    if mark == 0:
        return None
    seat = (mark >> loop.SEAT_BITS) & ((1 << (loop.TURN_BITS - loop.SEAT_BITS)) - 1)
    return mark >> loop.TURN_BITS, seat, mark & 3 == loop.ASKED


def _change(name: str, before: Any, after: Any) -> str:
    """What became of one field of a record: of an array its first place that differs."""
    old, new = np.asarray(before), np.asarray(after)
    if old.shape == ():
        return f"{name} from {old} to {new}"
    place = tuple(int(i) for i in np.argwhere(old != new)[0])
    return f"{name}[{', '.join(map(str, place))}] from {old[place]} to {new[place]}"


def game_text(game: Game) -> str:
    """What a user writes for the game: its slug, or the path of a folder of their own, with the size of the table."""
    name = str(game.folder) if game_package(game).startswith("simlab_game_") else game.slug
    return with_table(name, len(game.seats) if game.players[1] else None)


def _view(array: Array) -> Array:
    """Compiled code takes plain records; plain Python needs those with attributes."""
    return array if jit.compiling() else array.view(np.recarray)


def _records(count: int, kind: np.dtype[np.void]) -> Array:
    return _view(np.zeros(count, kind))


class _Compiled:
    """A match's compiled entry points, made when first needed, kept on disk and shared by all matches of a process."""

    _made: ClassVar[dict[tuple[str, str], Callable[..., Any]]] = {}
    _lock = threading.Lock()

    def __init__(self, match: Match) -> None:
        self.match = match
        self.ready: tuple[Callable[..., Any], tuple[Callable[..., Any], ...]] | None = None

    def _types(self) -> dict[str, Any]:
        from numba import float64, from_dtype, int32, int64, types, uint32

        game = self.match.game
        state, knobs = from_dtype(game.state), from_dtype(game.knob_type)
        cards, row = from_dtype(game.cards), from_dtype(game.row_type)
        traits = types.Array(float64, 1, "C")
        bot = types.FunctionType(int64(state, knobs, cards, traits))
        longs = types.Array(int64, 1, "C")
        words = types.Array(uint32, 1, "C")
        values = types.Array(int32, 1, "C")
        arrays = [types.Array(t, 1, "C") for t in (state, state, knobs, cards)]
        bots = types.UniTuple(bot, len(game.seats))  # type: ignore[no-untyped-call]
        records = [types.Array(from_dtype(kind), 1, "C") for kind in (counts_type(game), scratch_type(game))]
        guard = int64(words, words, int64, int64, int64)
        play = int64(
            arrays[0], words, words, types.FunctionType(guard), *arrays[1:], bots,
            types.Array(from_dtype(TRAITS), 1, "C"),
            int64, int64, int64, types.Array(row, 1, "C"), longs, *records,
        )  # fmt: skip
        step = types.void(*arrays, types.Array(row, 1, "C"), values, int64, int64)
        plain = types.void(state, knobs, cards)
        return {
            "bot": int64(state, knobs, cards, traits), "play": play, "guard": guard, "step": step, "plain": plain,
            "with_int": types.void(state, knobs, cards, int64),
            "with_row": types.void(state, knobs, cards, row),
            "with_values": types.void(state, knobs, cards, values),
        }  # fmt: skip

    def _folder(self, files: Sequence[Path], name: str) -> Path:
        # The package's name too: compiled code names the modules it came from, and a copied game has others.
        seats = f"{len(self.match.game.seats)} seats"
        digest = jit.digest_files(files, jit.toolchain(), streams.VERSION, game_package(self.match.game), seats)[:24]
        return jit.cache_root() / "kernels" / f"{name}-{digest}"

    def _game_folder(self) -> Path:
        return self._folder(self.match._sources, self.match.game.slug)

    def _kernels(self) -> dict[str, Any]:
        game = self.match.game
        names = ("initial_state", "legal_actions", "apply_action", "determinize", "outcome", "track_values")
        kernels = {name: getattr(game, name) for name in names} | {"play_part": game.play_part or game.apply_action}
        places = {track.name: i for i, track in enumerate(game.tracks)}
        own: dict[str, Any] = {
            "TRACK_LOW": np.array([track.low for track in game.tracks] or [0], np.int32),
            "SIDES": np.array(outcome.side_masks(game), np.int64),
            "LEAD": np.array([places[name] for name in game.lead], np.int64),
        }
        if game.items:
            own["item_uses"] = game.items.kernel
        return kernels | dict(hooks(game, own))

    def _bound(self, function: Callable[..., Any], **names: object) -> Callable[..., Any]:
        game = self.match.game
        assert game.state.fields is not None
        begins = {name.upper(): game.state.fields[name][1] // 4 for name in ("stream_at", "stream_words")}
        return jit.specialise(function, **self._kernels(), **begins, MAX_DECISIONS=game.max_decisions, **names)

    def _entry(self, function: Callable[..., Any], signature: str, folder: Path, label: str) -> Callable[..., Any]:
        key = (str(folder), label)
        if key not in self._made:
            kind = self._types()[signature] if jit.compiling() else None
            self._made[key] = jit.compile_entry(function, kind, folder, label)
        return self._made[key]

    def _bot(self, bot: Bot, files: Sequence[Path]) -> Callable[..., Any]:
        game = self.match.game
        folder = self._folder([*files, *self.match._sources], f"{game.slug}-bots")
        try:
            return self._entry(bot.policy.function, "bot", folder, f"bot-{bot.policy.module}-{bot.policy.name}")
        except UserMistake:
            raise
        except Exception as fault:  # the compiler lets KeyError and others through besides errors of its own
            raise self._explained(fault, f"bot '{bot.text}' ({bot.policy.module})", files) from fault

    def _explained(self, fault: Exception, what: str, files: Sequence[Path] = ()) -> UserMistake:
        game = self.match.game
        records = {"state": game.state, "knobs": game.knob_type, "cards": game.cards, "row": game.row_type}
        fields = {name: record.names or () for name, record in records.items()}
        return explain_compile_error(fault, what, [*files, *self.match._sources], fields)

    def _loop(self, counting: bool) -> Callable[..., Any]:
        label = "play" if counting else "play-bare"
        return self._entry(self._bound(loop.play_games, COUNTING=counting), "play", self._game_folder(), label)

    def bulk(self, progress: Progress | None) -> None:
        with self._lock:
            if self.ready:
                return
            if jit.compiling() and not jit.is_compiled(self._game_folder(), "play"):
                self._warm_up(progress)
            parts = list(zip(self.match.bots, self.match._bot_sources, strict=True))
            bots = []
            for done, (bot, files) in enumerate(parts):
                if progress and jit.compiling() and not self._bot_known(bot, files):
                    progress(f"bot {bot.policy.name}", done, len(parts))
                bots.append(self._bot(bot, files))
            self.ready = (self._loop(True), tuple(bots))

    def _bot_known(self, bot: Bot, files: Sequence[Path]) -> bool:
        folder = self._folder([*files, *self.match._sources], f"{self.match.game.slug}-bots")
        return jit.is_compiled(folder, f"bot-{bot.policy.module}-{bot.policy.name}")

    def _warm_up(self, progress: Progress | None) -> None:
        """Compiles the game part by part, so that a person sees how far it is; the loop then finds the parts made."""
        kinds = self._types()
        kernels = self._kernels()
        parts = [
            ("set-up", kernels["initial_state"], "plain"),
            ("actions", kernels["apply_action"], "with_int"),
            ("legal actions", kernels["legal_actions"], "plain"),
            ("results", kernels["outcome"], "with_row"),
            ("tracks", kernels["track_values"], "with_values"),
        ]
        for done, (what, function, kind) in enumerate(parts):
            if progress:
                progress(what, done, len(parts) + 1)
            if hasattr(function, "compile"):
                try:
                    function.compile(kinds[kind].args)
                except UserMistake:
                    raise
                except Exception as fault:  # as above
                    name = getattr(function, "__name__", what)
                    raise self._explained(fault, f"{self.match.game.slug}: {name}") from fault
        if progress:
            progress("play loop", len(parts), len(parts) + 1)

    def play(self, counting: bool) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]:
        assert self.ready is not None
        return (self.ready[0] if counting else self._loop(False)), self.ready[1]

    def guard(self) -> Callable[..., Any]:
        """The comparison of the record around a bot's answer, the same for every game."""
        with self._lock:
            digest = jit.digest_files(jit.source_files(()), jit.toolchain(), streams.VERSION)[:24]
            return self._entry(loop.guard, "guard", jit.cache_root() / "kernels" / f"guard-{digest}", "guard")

    def step(self) -> Callable[..., Any]:
        with self._lock:
            try:
                return self._entry(self._bound(loop.step_game), "step", self._game_folder(), "step")
            except UserMistake:
                raise
            except Exception as fault:  # as above
                raise self._explained(fault, self.match.game.slug) from fault

    def bots(self) -> tuple[Callable[..., Any], ...]:
        with self._lock:
            pairs = zip(self.match.bots, self.match._bot_sources, strict=True)
            return tuple(self._bot(bot, files) for bot, files in pairs)


class Stepper:
    """One game, one decision at a time: for replay, play by hand, and tests.

    Args:
        match: the match.
        seed, game: which game; the same one as in a batch.
        forced: stream name -> outcomes of its first draws (loaded dice); values as `below` returns them, from 0.
    """

    def __init__(
        self, match: Match, seed: int = 0, game: int = 0, forced: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self.match, self.game = match, match.game
        self._step = match._compiled.step()
        self._bots = match._compiled.bots()
        self._work = np.zeros(1, self.game.state).view(np.recarray)
        self._blank = match.blank_state(seed).view(np.recarray)
        self._rows = np.zeros(1, self.game.row_type).view(np.recarray)
        self._values = np.zeros(len(self.game.tracks), np.int32)
        self.seed, self.index = seed, game
        self.decisions = 0
        _force(self._blank[0], self.game, forced or {})
        self._do(loop.SET_UP, game)

    def _do(self, what: int, argument: int = 0) -> None:
        plain: list[Array] = [self._work, self._blank, self.match.knobs, self.match.cards, self._rows]
        if jit.compiling():
            plain = [a.view(np.ndarray) for a in plain]
            plain = [a.view(a.dtype.base) if a.dtype.type is np.record else a for a in plain]
        else:
            plain = [a.view(np.recarray) for a in plain]
        self._step(*plain, self._values, what, argument)

    @property
    def state(self) -> State:
        """The record of the game; a view, so that a test can set its fields."""
        return self._work[0]

    @property
    def over(self) -> bool:
        return bool(self.state.over)

    @property
    def seat(self) -> str:
        """Name of the seat to act."""
        return self.game.seats[int(self.state.seat)]

    @property
    def decision(self) -> Any:
        """The kind of decision pending (simlab.game.Decision)."""
        return self.game.decisions[int(self.state.decision)]

    def legal(self) -> list[int]:
        """The legal actions."""
        self._do(loop.LEGAL)
        return [int(a) for a in self.state.legal[: int(self.state.n_legal)]]

    def label(self, action: int) -> str:
        """What a person calls an action."""
        knobs, cards = self.match.knobs.view(np.recarray)[0], self.match.cards.view(np.recarray)[0]
        return self.game.action_label(self.state, knobs, cards, action)

    def policy_action(self) -> int:
        """What the bot of the seat to act chooses; its random stream moves on."""
        self.legal()
        seat = int(self.state.seat)
        work = self._work
        knobs, cards = _view(self.match.knobs)[0], _view(self.match.cards)[0]
        state = work.view(np.ndarray).view(self.game.state)[0] if jit.compiling() else work[0]
        return int(self._bots[seat](state, knobs, cards, self.match.traits[seat]))

    def apply(self, action: int) -> None:
        """Carries an action out.

        Raises:
            UserMistake: the game is over, or the action is not legal.
        """
        self._may(action)
        self._do(loop.APPLY, action)
        self.decisions += 1

    def _may(self, action: int) -> None:
        if self.over:
            raise UserMistake("the game is over.")
        legal = self.legal()
        if action not in legal:
            raise UserMistake(f"action {action} is not legal. Legal: {', '.join(map(str, legal))}.")

    def apply_in_parts(self, action: int) -> Iterator[str]:
        """Carries an action out part by part, as a person would tell it; where it leads is the same as with apply.

        Yields:
            after each part, the name of what it belongs to (Game.part_name).
        Raises:
            UserMistake: as apply.
        """
        if self.game.play_part is None:
            self.apply(action)
            yield ""
            return
        self._may(action)
        argument = action
        more = True
        while more:
            self._do(loop.PART, argument)
            argument, more = -1, bool(self.state.n_legal)
            yield self.match.part_name(self.state)
        self.decisions += 1

    def redraw(self, seat: int) -> None:
        """Redraws what a seat cannot see (Game.determinize) and gives chance a new future."""
        self._do(loop.REDRAW, seat)

    def branch(self, number: int) -> None:
        """Makes this one of the futures that the bot to act can look into (streams.branch)."""
        self._do(loop.BRANCH, number)

    def force(self, stream: str, *values: int) -> None:
        """Loads the next draws of a stream."""
        _force(self.state, self.game, {stream: values})

    def describe(self, seat: int | None = None) -> Description:
        """The position in words, as a seat sees it; None sees all."""
        knobs, cards = self.match.knobs.view(np.recarray)[0], self.match.cards.view(np.recarray)[0]
        return self.game.describe(self.state, knobs, cards, seat)

    def tracks(self) -> dict[str, int]:
        """The values of the game's tracks."""
        self._do(loop.TRACKS)
        return {t.name: int(v) for t, v in zip(self.game.tracks, self._values, strict=True)}

    def row(self) -> dict[str, Any]:
        """The row of the finished game."""
        self._rows[0] = np.zeros(1, self.game.row_type)[0]
        self._do(loop.ROW)
        row = self._rows[0]
        row.game, row.decisions = self.index, self.decisions
        return {name: row[name].tolist() for name in self.game.row_type.names or ()}

    def move_to(self, other: Stepper) -> None:
        """Puts this game into the position of another one of the same game: what would my bots do there?"""
        self._work[0] = other._work[0]

    def copy(self) -> Stepper:
        """An independent copy: same position, same future."""
        twin = object.__new__(Stepper)
        twin.__dict__.update(self.__dict__)
        twin._work = self._work.copy()
        twin._rows = self._rows.copy()
        twin._values = self._values.copy()
        return twin


def _all_streams(game: Game) -> dict[str, int]:
    return {f"bot_{seat}": i for i, seat in enumerate(game.seats)} | stream_numbers(len(game.seats), game.streams)


def _force(state: State, game: Game, forced: Mapping[str, Sequence[int]]) -> None:
    numbers = _all_streams(game)
    for name, values in forced.items():
        if name not in numbers:
            raise UserMistake(f"{game.slug} has no stream '{name}'. {nearest(name, numbers)}")
        for value in values:
            if not 0 <= value < 1 << 15:
                raise UserMistake(f"{name}: a draw of {value} cannot be forced: an outcome is in 0..32767.")
            if state.forced_n >= FORCED:
                raise UserMistake(f"at most {FORCED} draws can be forced in one game.")
            state.forced_stream[state.forced_n] = numbers[name]
            state.forced_value[state.forced_n] = value
            state.forced_n += 1
