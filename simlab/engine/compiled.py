"""The entry points of a game and its bots, compiled when first needed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from simlab.engine import beside, jit, kept, loop, outcome, own_metric, streams, table
from simlab.engine.content import Contents, NoDigest
from simlab.engine.counts import counts_type, hooks, scratch_type
from simlab.engine.explain import explain_compile_error
from simlab.errors import UserMistake
from simlab.game import MAX_TRAITS, Game
from simlab.registry import Bot, game_package

_FUNCTIONS = ("initial_state", "legal_actions", "apply_action", "determinize", "outcome", "track_values")
Array = np.ndarray[Any, Any]
Progress = Callable[[str, int, int], None]


def traits_type(game: Game) -> np.dtype[np.void]:
    """A bot's traits as the loop reads them: its own, then those of each seat's bot in its playouts, if it searches."""
    return np.dtype([("values", np.float64, (MAX_TRAITS * (1 + len(game.seats)),))])


def scratch_of(game: Game) -> np.dtype[np.void]:
    """The record of what statistics and own metrics remember while games are played."""
    return scratch_type(game, own_metric.scratch_fields(game.own, len(game.seats), game.row_type))


def view(array: Array) -> Array:
    """Compiled code takes plain records; plain Python needs those with attributes."""
    return array if jit.compiling() else array.view(np.recarray)


def records(count: int, kind: np.dtype[np.void]) -> Array:
    return view(np.zeros(count, kind))


def _label(bot: Bot, kind: str) -> str:
    """Name of an entry point of a bot; that of a bot made of others is as long as they are many."""
    name = f"{bot.policy.module}-{bot.policy.name}"
    if bot.parts:
        name = f"{bot.policy.module}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return f"{kind}-{name}"


class Compiled:
    """Entry points of a game and its bots: made when first needed, kept on disk, shared by all matches of a process."""

    _made: ClassVar[dict[tuple[str, str], Callable[..., Any]]] = {}
    _lock = threading.Lock()

    def __init__(
        self, game: Game, bots: Sequence[Bot], sources: Sequence[Path], bot_sources: Sequence[Sequence[Path]]
    ) -> None:
        self.game, self.bots = game, bots
        self._sources, self._bot_sources = sources, bot_sources
        self.ready: tuple[Callable[..., Any], tuple[Callable[..., Any], ...]] | None = None

    def _types(self) -> dict[str, Any]:
        from numba import float64, from_dtype, int8, int32, int64, types, uint32

        game = self.game
        state, knobs = from_dtype(game.state), from_dtype(game.knob_type)
        cards, row = from_dtype(game.cards), from_dtype(game.row_type)
        traits = types.Array(float64, 1, "C")
        bot = types.FunctionType(int64(state, knobs, cards, traits))
        longs = types.Array(int64, 1, "C")
        words = types.Array(uint32, 1, "C")
        values = types.Array(int32, 1, "C")
        arrays = [types.Array(t, 1, "C") for t in (state, state, knobs, cards)]
        bots = types.UniTuple(bot, len(game.seats))  # type: ignore[no-untyped-call]
        records = [types.Array(from_dtype(kind), 1, "C") for kind in (counts_type(game), scratch_of(game))]
        guard = int64(words, words, int64, int64, int64)
        play = int64(
            arrays[0], words, words, types.FunctionType(guard), *arrays[1:], bots,
            types.Array(from_dtype(traits_type(game)), 1, "C"),
            int64, int64, int64, types.Array(row, 1, "C"), longs, *records,
        )  # fmt: skip
        step = types.void(*arrays, types.Array(row, 1, "C"), values, int64, int64)
        plain = types.void(state, knobs, cards)
        floats = [types.Array(float64, n, "C") for n in (1, 2, 3)]
        tables = types.void(
            *arrays, bots, types.Array(from_dtype(traits_type(game)), 1, "C"), int64, floats[1], values,
            types.Array(int32, 2, "C"), floats[2], floats[1], types.Array(int64, 3, "C"), types.Array(int8, 1, "C"),
        )  # fmt: skip
        ask = int64(
            bot, arrays[0], *arrays[1:], types.Array(from_dtype(traits_type(game)), 1, "C"), int64, int64
        )  # fmt: skip
        return {
            "table": tables, "ask": ask,
            "bot": int64(state, knobs, cards, traits), "play": play, "guard": guard, "step": step, "plain": plain,
            "with_int": types.void(state, knobs, cards, int64),
            "with_row": types.void(state, knobs, cards, row),
            "with_values": types.void(state, knobs, cards, values),
            "considers": int64(state, knobs, cards, traits, types.Array(float64, 2, "C")),
        }  # fmt: skip

    def _folder(self, files: Sequence[Path], name: str) -> Path:
        # The package's name too: compiled code names the modules it came from, and a copied game has others.
        seats = f"{len(self.game.seats)} seats"
        bounds = f"{self.game.max_decisions} decisions"
        parts = (jit.toolchain(), streams.VERSION, game_package(self.game), seats, bounds, *self.foreign)
        digest = jit.digest_files(files, *parts)[:24]
        return kept.cache_root() / "kernels" / f"{name}-{digest}"

    @functools.cached_property
    def foreign(self) -> list[str]:
        """What stands for the game's functions that are not from its sources, as a `replace(game, outcome=mine)` has.

        Without it such a game would be kept under the game's own name, and be played in its place from then on.
        """
        own = {os.path.realpath(path) for path in self._sources}
        marks = []
        for name in _FUNCTIONS:
            function = getattr(self.game, name)
            code = getattr(function, "py_func", function).__code__
            if os.path.realpath(code.co_filename) not in own:
                try:
                    marks.append(f"{name} {Contents().of(function).hex()}")
                except NoDigest:
                    marks.append(f"{name} {uuid.uuid4().hex}")  # nobody finds it again
        return marks

    def _game_folder(self) -> Path:
        if not self.game.own:
            return self._folder(self._sources, self.game.slug)
        own = " ".join(f"{one.module} {one.name} {one.digest}" for one in self.game.own)
        measured = hashlib.sha256(own.encode()).hexdigest()
        return self._folder([*self._sources, *self._measure_files], f"{self.game.slug}-{measured[:16]}")

    @property
    def _measure_files(self) -> list[Path]:
        """The files that the designer's own metrics come from."""
        return [path for one in self.game.own for path in one.sources if path not in self._sources]

    def _kernels(self) -> dict[str, Any]:
        game = self.game
        kernels = {name: getattr(game, name) for name in _FUNCTIONS} | {
            "play_part": game.play_part or game.apply_action
        }
        places = {track.name: i for i, track in enumerate(game.tracks)}
        own: dict[str, Any] = {
            "TRACK_LOW": np.array([track.low for track in game.tracks] or [0], np.int32),
            "SIDES": np.array(outcome.side_masks(game), np.int64),
            "SIDE_ENDINGS": np.array(outcome.ending_masks(game), np.int64),
            "LEAD": np.array([places[name] for name in game.lead], np.int64),
        }
        if game.items:
            own["item_uses"] = game.items.kernel
        if game.hex_map:
            own["hex_values"] = game.hex_map.kernel
            own["HEX_HAPPENS"] = np.array([mark.happens for mark in game.hex_map.marks], np.bool_)
        return kernels | dict(hooks(game, own, own_metric.calls(game.own, game.seats)))

    def _bound(self, function: Callable[..., Any], **names: object) -> Callable[..., Any]:
        game = self.game
        assert game.state.fields is not None
        begins = {name.upper(): game.state.fields[name][1] // 4 for name in ("stream_at", "stream_words")}
        bounds = {"MAX_DECISIONS": game.max_decisions, "KINDS": len(game.decisions), "MEASURED": bool(game.own)}
        return jit.specialise(function, **self._kernels(), **begins, **bounds, **names)

    def _entry(
        self,
        function: Callable[..., Any],
        signature: str,
        folder: Path,
        label: str,
        files: Sequence[Path] = (),
        progress: Progress | None = None,
    ) -> Callable[..., Any]:
        key = (str(folder), label)
        if key not in self._made:
            kind = self._types()[signature] if jit.compiling() else None
            self._made[key] = jit.compile_entry(function, kind, folder, label, files, progress)
        return self._made[key]

    def _bot_place(self, bot: Bot, files: Sequence[Path], kind: str = "bot") -> tuple[Path, str]:
        folder = self._folder([*files, *self._sources], f"{self.game.slug}-bots")
        return folder, _label(bot, kind)

    def _bot(self, bot: Bot, files: Sequence[Path], progress: Progress | None = None) -> Callable[..., Any]:
        return self._of_bot(bot.policy.function, "bot", bot, files, progress)

    def _of_bot(
        self, function: Callable[..., Any], kind: str, bot: Bot, files: Sequence[Path], progress: Progress | None = None
    ) -> Callable[..., Any]:
        folder, label = self._bot_place(bot, files, kind)
        try:
            return self._entry(function, kind, folder, label, [*files, *self._sources], progress)
        except UserMistake:
            raise
        except Exception as fault:  # the compiler lets KeyError and others through besides errors of its own
            raise self._explained(fault, f"bot '{bot.text}' ({bot.policy.module})", files) from fault

    def _explained(
        self, fault: Exception, what: str, files: Sequence[Path] = (), more: Mapping[str, Sequence[str]] | None = None
    ) -> UserMistake:
        game = self.game
        records = {"state": game.state, "knobs": game.knob_type, "cards": game.cards, "row": game.row_type}
        fields = {name: record.names or () for name, record in records.items()}
        return explain_compile_error(fault, what, [*files, *self._sources], {**fields, **(more or {})})

    def _loop(self, counting: bool, progress: Progress | None = None) -> Callable[..., Any]:
        label = "play" if counting else "play-bare"
        function = self._bound(loop.play_games, COUNTING=counting)
        files = [*self._sources, *self._measure_files]
        return self._entry(function, "play", self._game_folder(), label, files, progress)

    def bulk(self, progress: Progress | None, game_text: str) -> None:
        """Compiles what bulk play needs.

        Args:
            game_text: what a user writes for the game, for a second process.
        """
        with self._lock:
            if self.ready:
                return
            with contextlib.ExitStack() as until_done:
                if jit.compiling() and beside.processors() > 1 and self._much_to_do():
                    until_done.enter_context(beside.helped(game_text, {bot.seat: bot.text for bot in self.bots}))
                if jit.compiling() and not self._game_known():
                    with jit.session(self._sources, progress):
                        for part in self._parts():
                            self._compile_part(*part)
                        self._compile_measures()
                play = self._loop(True, progress)
                self.ready = (play, self._all_bots(progress))

    def _all_bots(self, progress: Progress | None = None) -> tuple[Callable[..., Any], ...]:
        pairs = zip(self.bots, self._bot_sources, strict=True)
        return tuple(self._bot(bot, files, progress) for bot, files in pairs)

    def _parts(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """The game's functions that the loop calls, and their arguments, what takes longest first."""
        kinds = self._types()
        kernels = self._kernels()
        parts = [
            ("apply_action", "with_int"), ("initial_state", "plain"), ("legal_actions", "plain"),
            ("outcome", "with_row"), ("track_values", "with_values"),
        ]  # fmt: skip
        return [(kernels[name], kinds[kind].args) for name, kind in parts if hasattr(kernels[name], "compile")]

    def _compile_part(self, function: Any, arguments: tuple[Any, ...]) -> None:
        try:
            function.compile(arguments)
        except UserMistake:
            raise
        except Exception as fault:  # the compiler lets KeyError and others through besides errors of its own
            name = getattr(function, "__name__", "")
            raise self._explained(fault, f"{self.game.slug}: {name}") from fault

    def _compile_measures(self) -> None:
        """Compiles the designer's own metrics, so that a fault of one is told as its own."""
        from numba import from_dtype, int64

        state, knobs, cards, row = self._types()["with_row"].args
        handed = {"on_turn": (), "on_decision": (int64,), "at_end": (row,)}
        for one in self.game.own:
            memory = () if one.memory is None else (from_dtype(one.memory.dtype),)
            seat = (int64,) if one.by_seat else ()
            for hook, kernel in own_metric.compiled_hooks(one).items():
                arguments = (*memory, state, knobs, cards, *handed[hook], *seat)
                try:
                    kernel.compile(arguments)
                except UserMistake:
                    raise
                except Exception as fault:  # as above
                    fields = {"self": one.memory.dtype.names or ()} if one.memory is not None else {}
                    raise self._explained(fault, f"metric '{one.text}'", one.sources, fields) from fault
                if hook == "at_end":
                    own_metric.check_answer(one, kernel.overloads[arguments].signature.return_type)

    def _known_types(self) -> dict[str, Any]:
        """What annotations and names of arguments mean."""
        from numba import boolean, float64, int64

        state, knobs, cards, row = self._types()["with_row"].args
        named = {"state": state, "knobs": knobs, "cards": cards, "row": row}
        return named | {
            "State": state, "Knobs": knobs, "Cards": cards, "Row": row, "int": int64, "float": float64, "bool": boolean,
        }  # fmt: skip

    def _likely(self, function: Callable[..., Any]) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that a function calls, with the arguments that they are likely to get, from the end."""
        contents = Contents()
        try:
            contents.of(function)
        except NoDigest:
            return []
        known = self._known_types()
        kernels = [one for one in beside.from_the_end(function, contents.calls) if hasattr(one, "compile")]
        pairs = [(one, beside.likely_types(one, known)) for one in kernels]
        return [(one, kinds) for one, kinds in pairs if kinds is not None]

    def _game_known(self) -> bool:
        return jit.is_compiled(self._game_folder(), "play")

    def _new_code(self) -> list[tuple[Callable[..., Any], list[Path]]]:
        """The game and those bots that were not compiled for these sources: (function, sources)."""
        new = [] if self._game_known() else [(self.game.apply_action, list(self._sources))]
        for bot, files in zip(self.bots, self._bot_sources, strict=True):
            if not jit.is_compiled(*self._bot_place(bot, files)):
                new.append((bot.policy.function, [*files, *self._sources]))
        return new

    @property
    def known(self) -> bool:
        """Whether all that bulk play needs was compiled before, or needs no compiling."""
        return self.ready is not None or not jit.compiling() or not self._new_code()

    def _much_to_do(self) -> bool:
        """Whether enough kernels are to be compiled to be worth a second process."""
        missing: set[int] = set()
        for function, sources in self._new_code():
            with jit.session(sources):
                for kernel, kinds in self._likely(function):
                    if id(kernel) not in missing and not kernel.is_kept(kinds):
                        missing.add(id(kernel))
                    if len(missing) >= beside.WORTH_IT:
                        return True
        return False

    def from_the_end(self, progress: Progress) -> None:
        """Compiles all that bulk play needs, in another order than `bulk`, as far as that can be said beforehand.

        A fault is left to `bulk`, which explains it.
        """
        for function, sources in reversed(self._new_code()):
            with jit.session(sources, progress):
                for kernel, kinds in self._likely(function):
                    with contextlib.suppress(Exception):
                        kernel.compile(kinds)
        with contextlib.suppress(Exception):
            self._all_bots(progress)
        with jit.session(self._sources, progress):
            for kernel, kinds in reversed(self._parts()):
                with contextlib.suppress(Exception):
                    kernel.compile(kinds)

    def play(self, counting: bool) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]:
        assert self.ready is not None
        return (self.ready[0] if counting else self._loop(False)), self.ready[1]

    def guard(self) -> Callable[..., Any]:
        """The comparison of the record around a bot's answer, the same for every game."""
        with self._lock:
            digest = jit.digest_files(jit.source_files(()), jit.toolchain(), streams.VERSION)[:24]
            return self._entry(loop.guard, "guard", kept.cache_root() / "kernels" / f"guard-{digest}", "guard")

    def step(self) -> Callable[..., Any]:
        with self._lock:
            try:
                return self._entry(self._bound(loop.step_game), "step", self._game_folder(), "step", self._sources)
            except UserMistake:
                raise
            except Exception as fault:  # as above
                raise self._explained(fault, self.game.slug) from fault

    def tables(self) -> Callable[..., Any]:
        """The loop that watches the table (simlab.engine.table)."""
        game = self.game
        names: dict[str, Any] = self._kernels() | {
            "SEATS": len(game.seats),
            "COMPONENTS": len(game.components.kinds) if game.components else 0,
            "MAX_DECISIONS": game.max_decisions,
            "SECRET": np.array([decision.secret for decision in game.decisions], np.bool_),
            "CONTINUES": np.array([[b.id in d.continues for b in game.decisions] for d in game.decisions], np.bool_),
            "component_values": game.components.kernel if game.components else game.track_values,
        }
        names |= {f.__name__: jit.small_kernel(jit.specialise(f, **names)) for f in (table.count, table.settle)}
        with self._lock:
            function = jit.specialise(table.play_tables, **names)
            return self._entry(function, "table", self._game_folder(), "table", self._sources)

    def asking(self) -> Callable[..., Any]:
        """The loop that asks one bot over and over, to time it (simlab.engine.table)."""
        with self._lock:
            return self._entry(table.ask_bot, "ask", self._game_folder(), "ask", self._sources)

    def considers(self, seat: int) -> Callable[..., Any] | None:
        """How the bot of a seat comes to its choice (simlab.engine.search); None for one that does not look ahead."""
        bot = self.bots[seat]
        if bot.considers is None:
            return None
        with self._lock:
            return self._of_bot(bot.considers, "considers", bot, self._bot_sources[seat])

    def players(self) -> tuple[Callable[..., Any], ...]:
        with self._lock:
            return self._all_bots()
