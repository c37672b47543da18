"""The entry points of a game and its bots: the functions that Python calls, compiled on first use."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simlab import compiler
from simlab.bot_registry import Bot
from simlab.compiler import parallel
from simlab.compiler.digest import Digests, NoDigest
from simlab.engine import component_counts, custom_metrics, loop, outcome, restricted_play
from simlab.engine.counts import hooks, layout, scratch_type, track_step
from simlab.engine.explain import explain_compile_error
from simlab.engine.sources import source_files
from simlab.errors import InputError
from simlab.game import MAX_TRAITS, Array, Game
from simlab.spec.record import MOST_TURNS

_FUNCTIONS = ("initial_state", "legal_actions", "apply_action", "determinize", "outcome", "track_values")
_real = functools.lru_cache(maxsize=4096)(os.path.realpath)
Progress = Callable[[str, int, int], None]


def room_for(game: Game, bots: Sequence[Bot]) -> int:
    """How many numbers the loop reserves for the traits of each bot; a learned player needs more, for its weights."""
    room = MAX_TRAITS * (1 + len(game.seats))
    most = max((bot.traits.size for bot in bots), default=0)
    return room if most <= room else 1 << (most - 1).bit_length()  # a power of two, because each size is compiled


def scratch_of(game: Game) -> np.dtype[np.void]:
    """The record in which statistics and custom metrics accumulate while games are played."""
    return scratch_type(game, custom_metrics.scratch_fields(game.own, len(game.seats), game.row_type))


def view(array: Array) -> Array:
    """The records in the form that the code needs: plain for compiled code, with attributes for plain Python."""
    return array if compiler.compiling() else array.view(np.recarray)


def records(count: int, kind: np.dtype[np.void]) -> Array:
    return view(np.zeros(count, kind))


@functools.cache
def guard(function: Callable[..., Any]) -> Callable[..., Any]:
    """`loop.guard` or `loop.keep_positions`, compiled: the same for every game."""
    if not compiler.compiling():
        return function
    from numba import int64, types, uint32

    words = types.Array(uint32, 1, "C")
    return compiler.compile_entry(function, int64(words, words, int64, int64, int64))


class EntryPoints:
    """Entry points of a game and its bots: compiled on first use, cached on disk and shared by all matches."""

    _lock = threading.RLock()

    def __init__(
        self, game: Game, bots: Sequence[Bot], sources: Sequence[Path], bot_sources: Sequence[Sequence[Path]]
    ) -> None:
        self.game, self.bots = game, bots
        self._sources, self._bot_sources = sources, bot_sources
        #: A bot's traits as the loop reads them: its own, then those of the bots of which it consists.
        self.traits_type = np.dtype([("values", np.float64, (room_for(game, bots),))])
        metric_files = dict.fromkeys(path for one in game.own for path in one.sources)
        self._files = [*sources, *(path for path in metric_files if path not in sources)]
        self.ready: tuple[Callable[..., Any], tuple[Callable[..., Any], ...]] | None = None

    @property
    def _types(self) -> dict[str, Any]:
        """The signatures of the entry points, made once for all matches of a game."""
        shared, key = self._shared(self.game), ("signatures", self.traits_type.itemsize)
        if key not in shared:
            shared[key] = self._signatures()
        signatures: dict[str, Any] = shared[key]
        return signatures

    def _signatures(self) -> dict[str, Any]:
        from numba import float32, float64, from_dtype, int8, int32, int64, types, uint32

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
        records = [types.Array(from_dtype(kind), 1, "C") for kind in (layout(game).type, scratch_of(game))]
        guard = int64(words, words, int64, int64, int64)
        all_traits = types.Array(from_dtype(self.traits_type), 1, "C")
        play = int64(
            arrays[0], words, words, types.FunctionType(guard), *arrays[1:], bots, all_traits,
            int64, int64, int64, types.Array(row, 1, "C"), longs, *records,
        )  # fmt: skip
        step = types.void(*arrays, types.Array(row, 1, "C"), values, int64, int64)
        plain = types.void(state, knobs, cards)
        floats = [types.Array(float64, n, "C") for n in (1, 2, 3)]
        tables = types.void(
            *arrays, bots, all_traits, int64, floats[1], values, types.Array(int32, 2, "C"), floats[2], floats[1],
            types.Array(int64, 3, "C"), types.Array(int8, 1, "C"),
        )  # fmt: skip
        return {
            "table": tables, "ask": int64(bot, *arrays, all_traits, int64, int64),
            "bot": int64(state, knobs, cards, traits), "play": play, "guard": guard, "step": step, "plain": plain,
            "deal": types.void(*arrays, int64, int64),
            "with_int": types.void(state, knobs, cards, int64),
            "with_row": types.void(state, knobs, cards, row),
            "with_values": types.void(state, knobs, cards, values),
            "overruled": int64(state, knobs, int64),
            "considers": int64(state, knobs, cards, traits, floats[1]),
            "self_play": int64(
                *arrays, traits, int64, int64, int64, types.boolean, float64, float64, int64, arrays[0], longs,
                floats[1],
            ),
            "weigh": types.void(arrays[0], *arrays[2:], traits, types.boolean, floats[2], longs),
            "try_actions": types.void(arrays[0], *arrays[2:], traits, floats[2]),
            "perceive_all": types.void(arrays[0], *arrays[2:], traits, types.Array(float32, 2, "C")),
        }  # fmt: skip

    @property
    def foreign(self) -> list[str]:
        """Digests of functions that are not in the game's sources, as after `replace(game, outcome=mine)`."""
        shared = self._shared(self.game)
        if "foreign" not in shared:  # computed once for a game, because a class takes as long as three matches
            shared["foreign"] = self._foreign()
        marks: list[str] = shared["foreign"]
        return marks

    def _foreign(self) -> list[str]:
        own = {_real(path) for path in self._sources}
        marks = []
        for name in _FUNCTIONS:
            function = getattr(self.game, name)
            code = getattr(function, "py_func", function).__code__
            if _real(code.co_filename) not in own:
                try:
                    marks.append(f"{name} {Digests().of(function).hex()}")
                except NoDigest:
                    # A class is known by its sources; its methods in plain Python are known by addresses, which change.
                    marks.append(f"{name} {'in plain Python' if self.game.is_class else uuid.uuid4().hex}")
        return marks

    def _kernels(self) -> dict[str, Any]:
        game = self.game
        kernels = {name: getattr(game, name) for name in _FUNCTIONS} | {
            "play_part": game.play_part or game.apply_action,
            "reshuffle": game.reshuffle or loop.no_reshuffle,
            "legal_actions": restricted_play.offering(game),
        }
        places = {track.name: i for i, track in enumerate(game.tracks)}
        own: dict[str, Any] = {
            "TRACK_LOW": np.array([track.low for track in game.tracks] or [0], np.int32),
            "TRACK_STEP": track_step(game),
            "SIDES": np.array(outcome.side_masks(game), np.int64),
            "SIDE_ENDINGS": np.array(outcome.ending_masks(game), np.int64),
            "LEAD": np.array([places[name] for name in game.lead], np.int64),
        }
        if game.items:
            own["item_uses"] = game.items.kernel
        if game.hex_map:
            own["hex_values"] = game.hex_map.kernel
            own["HEX_HAPPENS"] = np.array([mark.happens for mark in game.hex_map.marks], np.bool_)
        return kernels | dict(hooks(game, own, custom_metrics.calls(game.own, game.seats)))

    def _bound(self, function: Callable[..., Any], **names: object) -> Callable[..., Any]:
        game = self.game
        assert game.state.fields is not None
        begins = {name.upper(): game.state.fields[name][1] // 4 for name in ("stream_at", "stream_words")}
        bounds = {"MAX_DECISIONS": game.max_decisions, "KINDS": len(game.decisions), "MEASURED": bool(game.own)}
        bounds["MAX_TURNS"] = game.max_turns if game.is_class else MOST_TURNS  # other games may end a turn later
        return compiler.specialise(function, **self._kernels(), **begins, **bounds, **names)

    def _entry(self, function: Callable[..., Any], signature: str, files: Sequence[Path] = ()) -> Callable[..., Any]:
        kind = self._types[signature] if compiler.compiling() else None
        return compiler.compile_entry(function, kind, files or self._files)

    def _shared(self, game: Game) -> dict[object, Any]:
        """Entry points, and their signatures, that are made once for all matches of a game."""
        shared: dict[object, Any] = game.derived.setdefault("entry points", {})
        return shared

    def _bot(self, bot: Bot, files: Sequence[Path], kind: str = "bot") -> Callable[..., Any]:
        function = bot.policy.function if kind == "bot" else bot.considers
        assert function is not None
        shared, sources = self._shared(self.game.plain or self.game), [*files, *self._sources]
        with self._lock, self._explaining(f"bot '{bot.text}' ({bot.policy.module})", files):
            if (kind, function) not in shared:
                shared[kind, function] = self._entry(function, kind, sources)
            entry: Callable[..., Any] = shared[kind, function]
            return entry

    @contextlib.contextmanager
    def _explaining(
        self, what: str, files: Sequence[Path] = (), fields: Mapping[str, Sequence[str]] | None = None
    ) -> Iterator[None]:
        """Turns compiler errors into an InputError that names the place."""
        try:
            yield
        except InputError:
            raise
        except Exception as fault:  # in addition to its own errors the compiler raises KeyError and others
            game = self.game
            records = {"state": game.state, "knobs": game.knob_type, "cards": game.cards, "row": game.row_type}
            names = {name: record.names or () for name, record in records.items()} | dict(fields or {})
            raise explain_compile_error(fault, what, [*files, *self._sources], names) from fault

    @functools.cached_property
    def _play(self) -> Callable[..., Any]:
        return self._bound(loop.play_games, COUNTING=True)

    def _of_game(self, label: str, make: Callable[[], Callable[..., Any]], signature: str) -> Callable[..., Any]:
        shared, key = self._shared(self.game), (label, self.traits_type.itemsize)
        with self._lock, self._explaining(self.game.slug):
            if key not in shared:
                shared[key] = self._entry(make(), signature)
            entry: Callable[..., Any] = shared[key]
            return entry

    def bulk(self, progress: Progress | None, game_text: str) -> None:
        """Compiles what bulk play needs; a second process gets the game as a user writes it."""
        with self._lock:
            if self.ready:
                return
            with compiler.session(self._files, progress), second_process([self], game_text):
                if compiler.compiling() and not self._game_known():
                    for kernel, kinds in self._parts():
                        with self._explaining(f"{self.game.slug}: {getattr(kernel, '__name__', '')}"):
                            kernel.compile(kinds)
                    self._compile_metrics()
                play = compiler.direct(self._of_game("play", lambda: self._play, "play"))
                self.ready = (play, self.players)

    def _parts(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """The game's functions that the loop calls, the longest to compile first, with their argument types."""
        kinds = self._types
        parts = [
            ("apply_action", "with_int"), ("initial_state", "plain"), ("legal_actions", "plain"),
            ("outcome", "with_row"), ("track_values", "with_values"),
        ]  # fmt: skip
        functions = [(getattr(self.game, name), kinds[kind].args) for name, kind in parts]
        return [(function, types) for function, types in functions if hasattr(function, "compile")]

    def _hooks(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """What the loop calls at each turn, decision and end, with argument types."""
        from numba import from_dtype, int64

        state, knobs, cards, row = self._types["with_row"].args
        counts, scratch = (from_dtype(kind) for kind in (layout(self.game).type, scratch_of(self.game)))
        passed = {
            "at_end": (counts, scratch, state, knobs, cards, row), "at_turn": (counts, scratch, state, knobs, cards),
            "at_decision": (counts, scratch, state, knobs, cards, int64), "legal_actions": (state, knobs, cards),
        }  # fmt: skip
        kernels = self._kernels()
        return [(kernels[name], kinds) for name, kinds in passed.items() if hasattr(kernels[name], "compile")]

    def _compile_metrics(self) -> None:
        """Compiles the custom metrics one by one, so an error can be reported with its metric."""
        from numba import from_dtype, int64

        state, knobs, cards, row = self._types["with_row"].args
        passed = {"on_turn": (), "on_decision": (int64,), "at_end": (row,)}
        for metric in self.game.own:
            memory = () if metric.memory is None else (from_dtype(metric.memory.dtype),)
            fields = {} if metric.memory is None else {"self": metric.memory.dtype.names or ()}
            seat = (int64,) if metric.by_seat else ()
            for hook, kernel in custom_metrics.compiled_hooks(metric).items():
                arguments = (*memory, state, knobs, cards, *passed[hook], *seat)
                with self._explaining(f"metric '{metric.text}'", metric.sources, fields):
                    kernel.compile(arguments)
                if hook == "at_end":
                    custom_metrics.check_answer(metric, kernel.overloads[arguments].signature.return_type)

    def known_types(self) -> dict[str, Any]:
        """Types by the annotations and names of arguments."""
        from numba import boolean, float64, int64

        state, knobs, cards, row = self._types["with_row"].args
        named = {"state": state, "knobs": knobs, "cards": cards, "row": row}
        return named | {
            "State": state, "Knobs": knobs, "Cards": cards, "Row": row, "int": int64, "float": float64, "bool": boolean,
        }  # fmt: skip

    def _game_known(self) -> bool:
        made = ("play", self.traits_type.itemsize) in self._shared(self.game)
        return made or compiler.is_compiled(self._play, self._types["play"], self._files)

    def new_bots(self) -> list[tuple[Callable[..., Any], list[Path], None]]:
        """The bots that have not been compiled, as work for simlab.compiler.parallel."""
        shared, new = self._shared(self.game.plain or self.game), []
        for bot, files in zip(self.bots, self._bot_sources, strict=True):
            function, sources = bot.policy.function, [*files, *self._sources]
            if ("bot", function) not in shared and not compiler.is_compiled(function, self._types["bot"], sources):
                new.append((function, sources, None))
        return new

    def new_rules(self) -> list[tuple[Callable[..., Any], list[Path], tuple[Any, ...]]]:
        """What the loop calls, then the game's functions in reverse order of `bulk`; empty if all are compiled."""
        if self._game_known():
            return []
        return [
            (function, list(self._sources), kinds) for function, kinds in [*self._hooks(), *reversed(self._parts())]
        ]

    @property
    def known(self) -> bool:
        """Whether everything that bulk play needs is already compiled."""
        return self.ready is not None or not compiler.compiling() or (self._game_known() and not self.new_bots())

    def play(self, counting: bool) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]:
        assert self.ready is not None
        if counting:
            return self.ready
        bare = self._of_game("bare", lambda: self._bound(loop.play_games, COUNTING=False), "play")
        return bare, self.ready[1]

    @functools.cached_property
    def step(self) -> Callable[..., Any]:
        """The function that does one task of a game in progress; cached, because many steppers may share a match."""
        return self._of_game("step", lambda: self._bound(loop.step_game), "step")

    @functools.cached_property
    def deal(self) -> Callable[..., Any]:
        """The function that fills positions to play on from (loop.deal)."""
        return self._of_game("deal", lambda: self._bound(loop.deal), "deal")

    @functools.cached_property
    def overruled(self) -> Callable[..., Any]:
        """A bot's choice under a ban (simlab.engine.restricted_play)."""
        return self._entry(restricted_play.overruled, "overruled")

    def tables(self) -> Callable[..., Any]:
        """The loop that counts components and decisions (simlab.engine.component_counts)."""
        game = self.game
        names: dict[str, Any] = self._kernels() | {
            "SEATS": len(game.seats),
            "COMPONENTS": len(game.components.kinds) if game.components else 0,
            "MAX_DECISIONS": game.max_decisions,
            "SECRET": np.array([decision.secret for decision in game.decisions], np.bool_),
            "CONTINUES": np.array([[b.id in d.continues for b in game.decisions] for d in game.decisions], np.bool_),
            "component_values": game.components.kernel if game.components else game.track_values,
        }
        helpers = (compiler.specialise(helper, **names) for helper in (component_counts.count, component_counts.settle))
        names |= {helper.__name__: compiler.small_kernel(helper) for helper in helpers}
        return self._entry(compiler.specialise(component_counts.play_tables, **names), "table")

    def asking(self) -> Callable[..., Any]:
        """The loop that times one bot (simlab.engine.component_counts)."""
        return self._entry(component_counts.ask_bot, "ask")

    def considers(self, seat: int) -> Callable[..., Any] | None:
        """The search of a seat's bot (simlab.engine.search); None for a bot that does not look ahead."""
        bot = self.bots[seat]
        return self._bot(bot, self._bot_sources[seat], "considers") if bot.considers else None

    def learning(self, bots: Sequence[Bot], own: tuple[int, ...] = ()) -> tuple[Callable[..., Any], ...]:
        """The loops in which players learn (simlab.engine.learning.kernels): self_play, try_actions, perceive_all.

        Args:
            bots: the bot of each seat in the loops, not those of this match. own: where the traits of the learned
                player begin among those of each bot; empty if there are no learned players.
        """
        from simlab.engine.learning import training_loops

        files = [*self._sources, *(file for bot in bots for file in source_files(bot.modules, bot.files))]
        policies, sizes = [bot.policy for bot in bots], tuple(bot.read.size for bot in bots)
        loops = training_loops(self.game, policies, sizes, own)
        return tuple(self._entry(loop, loop.__name__, files) for loop in loops)

    def weighing(self) -> Callable[..., Any]:
        """The loop that plays on after each option of a position (simlab.engine.search) with this match's bots."""
        from simlab.engine.search import weighing_loop

        files = [*self._sources, *(file for some in self._bot_sources for file in some)]
        players, sizes = tuple(bot.policy for bot in self.bots), tuple(bot.read.size for bot in self.bots)
        return self._entry(weighing_loop(self.game, players, sizes), "weigh", files)

    @functools.cached_property
    def players(self) -> tuple[Callable[..., Any], ...]:
        """The bots, by seat."""
        return tuple(self._bot(bot, files) for bot, files in zip(self.bots, self._bot_sources, strict=True))


# --- A second process -------------------------------------------------------------


@contextlib.contextmanager
def second_process(many: Sequence[EntryPoints], game_text: str) -> Iterator[None]:
    """A context in which a second process compiles, from the end, what bulk play of a game needs, if that is worth it.

    The block is one session of the compiler, so code digested to find what is missing is not digested again. A session
    holds the compiler's lock. Code that needs both locks takes that of the entry points first.
    """
    with EntryPoints._lock, compiler.session():
        work = _from_the_end(many) if compiler.compiling() else []
        if not work or not parallel.is_worth_it(work, many[0].known_types()):
            yield
            return
        seen: set[tuple[str, str]] = set()
        line_ups = []
        for one in many:
            bots = {bot.seat: bot.text for bot in one.bots}
            if not seen.issuperset(bots.items()):
                seen.update(bots.items())
                line_ups.append(bots)
        with parallel.helped("simlab.engine.compile_helper", game_text, json.dumps(line_ups)):
            yield


def _from_the_end(many: Sequence[EntryPoints]) -> list[Any]:
    """The bots, the last first, then the game's own functions."""
    return [work for one in reversed(many) for work in reversed(one.new_bots())] + many[0].new_rules()


def compile_from_the_end(many: Sequence[EntryPoints], progress: Progress) -> None:
    """The work of the second process. It ignores errors, because `bulk` meets and explains them."""
    with compiler.session(step=progress):
        parallel.compile_from_the_end(_from_the_end(many), many[0].known_types(), progress)
        for one in reversed(many):
            with contextlib.suppress(Exception):
                _ = one.players
