"""Plain and compiled play of a class, in step: a rule or a bot that plays differently when compiled gives no result.

The author wrote plain Python, and the lab plays compiled code. Games are played both ways, with the same random numbers
and the same options, and after every decision all fields are compared. At random, a game seldom gets to the rules that
only good play reaches, so the bots of the match play most of these games, and must choose the same options themselves.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import Any, Self, TypeVar

import numpy as np

from simlab.author.base import Game
from simlab.author.build import ClassBot, ClassGame, describe, label
from simlab.author.chance import Stream, open_record
from simlab.author.fields import Option
from simlab.author.shelf import Component, Deck
from simlab.bot_registry import Bot
from simlab.engine import deadline, loop
from simlab.engine.restricted_play import allowed
from simlab.engine.setup import Setup
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.game import Array, Description

T = TypeVar("T")

_LONGEST = 2_000  # decisions of a run's game that are compared; the rest of a longer game is not
_ENOUGH, _MOST = 200, 8  # decisions of a shard that are compared at least, and games, if fewer have as many decisions
_EVERY = 1 << 16  # of a large shard's games, one in so many: it costs as much as a hundredth of them
_LOOK = 0.2  # seconds between two looks at a call of the author's code
_EVERY_SEARCHED = 100  # the same if a bot looks ahead: its choice costs far more than the comparison

#: The error of a compiled rule that checks its numbers (simlab.author.checked): why, and the line.
_REFUSED = re.compile(r"raised ValueError: (.*?)[.,:]? Line (\d+)")

_CAUSES = (
    "Random numbers that are not from self.roll() and self.below(), numbers above 2,147,483,647, fractions in a field, "
    "variables that are not fields, or a may_ method that changes the game can be the cause. If it is none of these, "
    "it is a defect of simlab: please report it with the game."
)
_CAUSES_OF_BOT = (
    "Random numbers that are not from game.below(), numbers of more than 64 bits, or variables outside the bot that "
    "change can be the cause. If it is none of these, it is a defect of simlab: please report it with the bot."
)


def compare(
    match: Setup,
    seed: int,
    games: int | Iterable[int],
    components: bool = False,
    bots: bool = False,
    enough: int | None = None,
    longest: int = 1 << 62,
    marks: Array | None = None,
    limit: float = 0.0,
) -> int:
    """Plays games with the match's knobs and tables, in plain Python and compiled, and compares them.

    Args:
        games: the number of games, or their indices.
        components: whether the components are checked after each decision: no card is in two places, and no number is
            below 0.
        bots: whether the match's bots choose, and those of a game's class must choose the same in plain Python.
            Otherwise options are chosen at random.
        enough: number of decisions after which no further game begins; None: no limit. longest: number of decisions
            after which the rest of a game is not compared.
        marks: int64, as `progress` of Match.play, kept up to date.
        limit: seconds after which a rule in plain Python that does not return is an error; 0: no limit.
    Returns:
        number of decisions compared.
    Raises:
        InputError: plain and compiled play differ, a rule raises an exception, or a component is in an impossible
            state; the message names the file, the game, the decision and the difference. With `bots`, a game that
            fails in the same way compiled is left to bulk play.
    """
    done = 0
    with contextlib.suppress(_Endless), _Watch(limit) if limit else contextlib.nullcontext() as watch:
        for index in range(games) if isinstance(games, int) else games:
            if enough is not None and done >= enough:
                break
            pair = _Pair(match, seed, index, components, bots, marks, watch=watch)
            done += pair.play(min(longest, match.game.max_decisions))
    return done


def compare_some(
    match: Setup, seed: int, first: int, count: int, skip: Collection[int] = (), marks: Array | None = None,
    limit: float = 0.0,
) -> int:  # fmt: skip
    """Compares some of the games first .. first+count-1 of a run: as many as cost about a hundredth of these games.

    The match's bots play, and at random game 0. Which games are compared depends on nothing but the arguments.

    Args:
        skip: games that are left out. marks, limit: as for `compare`.
    Returns, raises: as `compare`.
    """
    games = range(first, first + count)

    def compared(some: Iterable[int], bots: bool = True, enough: int | None = None) -> int:
        kept = [game for game in dict.fromkeys(some) if game not in skip]
        return compare(match, seed, kept, bots=bots, enough=enough, longest=_LONGEST, marks=marks, limit=limit)

    decisions = compared([0], bots=False) if 0 in games else 0
    if any(bot.looks_ahead for bot in match.bots):
        return decisions + compared(games[-first % _EVERY_SEARCHED :: _EVERY_SEARCHED])
    decisions += compared((first + number * count // _MOST for number in range(_MOST if count else 0)), enough=_ENOUGH)
    return decisions + compared(games[_EVERY // 2 :: _EVERY])


def place_of_fault(match: Setup, seed: int, index: int) -> str:
    """File, line and text of the exception with which a game of the match's bots ends in plain Python; "" for none."""
    pair = None
    try:
        pair = _Pair(match, seed, index, bots=True, forgiving=False)
        pair.play(match.game.max_decisions)
    except (InputError, BotFault):
        return pair.fault if pair else ""
    return ""


class _ComponentFault(Exception):
    """A component is in a state that no game can reach."""


class _FailsBoth(Exception):
    """A rule fails in plain and compiled play."""


class _Endless(BaseException):
    """A rule does not return. No Exception, so that an author's `except` does not catch it."""


class _EndlessRule(InputError):
    """The error for it."""


class _Watch:
    """A thread that raises _Endless in the thread that made it, if a call of the author's code lasts too long."""

    def __init__(self, limit: float) -> None:
        self.limit, self.calls, self.inside = limit, 0, False
        self._thread, self._done = threading.get_ident(), threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, name="simlab-compare", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _run(self) -> None:
        seen, since = -1, (time.monotonic(), time.process_time())
        while not self._done.wait(min(_LOOK, self.limit / 4)):
            now = time.monotonic(), time.process_time()
            if self.calls != seen or not self.inside:
                seen, since = self.calls, now
            elif min(now[0] - since[0], now[1] - since[1]) > self.limit:  # waiting for the processor does not count
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(_Endless))
                return


class _Pair:
    """One game, compiled and plain.

    Args:
        forgiving: whether a game of the bots that fails both ways is no error.
    Attributes:
        fault: place and text of an exception that the author's code raised.
    """

    def __init__(
        self, match: Setup, seed: int, index: int, components: bool = False, bots: bool = False,
        marks: Array | None = None, forgiving: bool = True, watch: _Watch | None = None,
    ) -> None:  # fmt: skip
        assert isinstance(match.game, ClassGame)
        self.match, self.class_game, self.seed, self.index = match, match.game, seed, index
        self.components, self.bots, self.marks, self.forgiving = components, bots, marks, bots and forgiving
        self.last, self.fault, self.decisions, self.watch = "the set-up", "", 0, watch
        self._note(0, loop.CARRIED_OUT)
        self._chance = Stream(open_record(seed, index), 0)
        self._banned = bool(match.knobs["ban_any"][0])
        self._plain_bots = [_in_plain_python(bot, values) for bot, values in zip(match.bots, match.traits, strict=True)]
        self.game: Game = self._asked(self._set_up)
        self.stepper = Stepper(match, seed, index)
        self._numbers = {name: number for number, name in enumerate(self.game.blueprint().choices)}
        self._fields = list(self._paired_fields())

    def _set_up(self) -> Game:
        owner, match = self.class_game.owner, self.match
        record, blank = open_record(self.seed, self.index), match.blank_state(self.seed)[0]
        for name in ("forced_n", "forced_value"):  # dice or decks may be loaded
            record[name] = blank[name]
        knobs = {name: match.knobs_resolved[name] for name in owner.blueprint().knobs}
        return owner(len(match.game.seats), knobs=knobs, tables=match.table_rows, record=record)

    def _paired_fields(self) -> Iterator[tuple[str, Array, Any, str]]:
        """Each field: its name, its numbers in the record, and the object and attribute that hold it in Python."""
        work = self.stepper.record.view(np.ndarray)
        for name, part, attribute, field in self.game.blueprint().places(self.game):
            if name != "ending":  # a text in a plain game, a number in the record
                yield name, work[name].reshape(-1) if field.shape else work[name].reshape(()), part, attribute
        yield "turn", work["turn"].reshape(()), self.game, "turn"

    def play(self, longest: int) -> int:
        """Plays to the end, or for `longest` decisions; returns the number of decisions compared."""
        try:
            while True:
                self._same("over", self.stepper.over, bool(self.game.over))
                if not self.stepper.over:
                    self._same("seat", int(self.stepper.state.seat), int(self.game.seat))
                self._compare_fields()
                if self.stepper.over:
                    self._compare_row()
                    return self.decisions
                if self.decisions >= longest:
                    return self.decisions
                self._decide()
        except _FailsBoth:  # bulk play reports it, or leaves the game out
            return self.decisions
        except BotFault:
            if self.forgiving:
                return self.decisions
            raise

    # --- One decision

    def _decide(self) -> None:
        kind = self._asked(lambda: self._numbers[self.game.decision.name])
        self._same("decision", int(self.stepper.state.decision), kind)
        legal, options = self.stepper.legal(), self._asked(self.game.legal)
        allow = [int(option) for option in options]
        if self._banned:
            allow = self._allowed(kind, allow)
        self._same("legal", legal, allow)
        if self.bots:
            self._note(self.game.seat, loop.ASKED)
            action = self._bot_choice(options)
        else:
            action = legal[self._chance.below(len(legal))]
        chosen = next(option for option in options if int(option) == action)
        last = f"{self.match.game.seats[self.game.seat]}: {self._named(chosen)}"
        self._note(self.game.seat, loop.CARRIED_OUT)
        try:
            self._asked(lambda: self._take(chosen))
        except _EndlessRule:
            raise
        except InputError:
            if self.forgiving and _fails(self.stepper, action):
                raise _FailsBoth from None
            raise
        self.last = last
        try:
            self.stepper.carry_out(action)
        except BotFault as fault:
            why = str(fault).partition("\n")[0]
            refused = _REFUSED.search(why)
            if refused:  # a number that compiled rules cannot hold, unlike Python
                raise self._refused(*refused.groups()) from fault
            raise self._differs("the end of the decision", why, "no error") from fault
        self.decisions += 1
        self.stepper.decisions += 1

    def _take(self, chosen: Option) -> None:
        decision = self.game.decision
        self.game.answer_with(chosen)
        why = self._component_fault() if self.components else ""
        if why:
            raise _ComponentFault(f"{where_written(self.class_game, self._numbers[decision.name])}: {why}")

    def _allowed(self, kind: int, options: list[int]) -> list[int]:
        """The options that are not banned."""
        state = {name: getattr(part, attribute) for name, _, part, attribute in self._fields}
        state |= {"decision": kind, "seat": self.game.seat}
        return allowed(self.class_game, state, self.match.knobs[0], options)

    def _bot_choice(self, options: list[Option]) -> int:
        """The choice of the bot to act; of a bot of the game's class, compared with its choice in plain Python."""
        seat = int(self.game.seat)
        chooses = None if self._banned else self._plain_bots[seat]
        record, state = self.game._record, self.stepper.record[0]
        if chooses is not None:
            for name in ("stream_at", "stream_epoch", "stream_words"):  # other bots of the seat may have drawn, too
                record[name][seat] = state[name][seat]
        fault: InputError | None = None
        try:
            answer = self._plain_choice(chooses, options) if chooses is not None else None
        except _EndlessRule:
            raise
        except InputError as error:
            fault = error
        try:
            action = self.stepper.bot_choice()
        except BotFault:
            if self.forgiving:
                raise _FailsBoth from None
            action = -1
        if fault is not None:
            raise fault
        if chooses is not None:
            self._compare_choice(seat, answer, options, action)
        if action < 0 or action not in [int(option) for option in options]:
            raise _FailsBoth  # an illegal action of a bot, which bulk play reports
        return action

    def _plain_choice(self, chooses: Callable[[Game], Any], options: list[Option]) -> Any:
        game = self.game
        game._draws = "bot"
        vars(game)["legal"] = lambda: options  # a bot asks again and again, and a rule may take long
        try:
            return self._asked(lambda: chooses(game))
        finally:
            game._draws = "game"
            del vars(game)["legal"]

    def _compare_choice(self, seat: int, answer: Any, options: list[Option], action: int) -> None:
        bot, game = self.match.bots[seat], self.game
        choice = next((option for option in options if option == answer), None)
        if choice is None or int(choice) != action:
            compiled = next((self._quoted(option) for option in options if int(option) == action), f"option {action}")
            plain = repr(answer) if choice is None else self._quoted(choice)
            raise self._bot_differs(bot, f"compiled it chooses {compiled}, and in plain Python {plain}")
        drawn, mine = int(game._record.stream_at[seat]), int(self.stepper.state.stream_at[seat])
        if drawn != mine:
            raise self._bot_differs(bot, f"compiled it has drawn {mine} random numbers, and in plain Python {drawn}")

    # --- Comparisons

    def _same(self, what: str, compiled: Any, plain: Any) -> None:
        if compiled != plain:
            raise self._differs(what, compiled, plain)

    def _compare_fields(self) -> None:
        for name, numbers, part, attribute in self._fields:
            mine, other = numbers.tolist(), getattr(part, attribute)
            if isinstance(other, np.ndarray | tuple):
                other = np.ravel(other).tolist()
            if mine != other:
                raise self._differs(name, mine, other)

    def _compare_row(self) -> None:
        game, row = self.game, self.stepper.row()
        winners = self._asked(lambda: sum(1 << seat for seat in game.winners()))
        self._same("winners", row["winners"], winners)
        self._same("ending", row["ending"], self._asked(lambda: self.class_game.endings.index(game.ending)))
        self._same("turns", row["turns"], game.turn)
        if self.class_game.has_scores:
            scores = self._asked(lambda: [game.score(seat) for seat in game.seats])  # type: ignore[attr-defined]
            self._same("score", row["score"], scores)
        self._compare_measures(row)

    def _compare_measures(self, row: dict[str, Any]) -> None:
        """The metrics and tracks that methods compute; those of fields are compared as fields."""
        game, computed = self.game, [one for one in self.game.blueprint().measures if one.line]
        tracks = self.stepper.tracks() if any(one.kind == "track" for one in computed) else {}
        for one in computed:
            shown = row if one.kind == "metric" else tracks
            for seat, column in enumerate(one.columns(game.seat_names)):
                self._same(column, shown[column], self._asked(functools.partial(one.of_game, game, seat)))

    def _component_fault(self) -> str:
        parts: list[Component] = [getattr(self.game, name) for name in self.game.blueprint().components]
        places: dict[tuple[str, int], str] = {}
        for part in parts:
            deck: Any = part if isinstance(part, Deck) else getattr(part, "deck", None)
            for place, cards in part.cards_by_place().items():
                for card in cards:
                    other = places.setdefault((deck.called, card), place)
                    if other != place or cards.count(card) > 1:
                        return f"the card {deck.labels[card]} is in {other} and again in {place}"
        return next((part.fault() for part in parts if part.fault()), "")

    # --- Faults

    def _differs(self, what: str, compiled: Any, plain: Any) -> InputError:
        if isinstance(compiled, list) and isinstance(plain, list) and len(compiled) == len(plain):
            place = next(n for n, (one, two) in enumerate(zip(compiled, plain, strict=True)) if one != two)
            what, compiled, plain = f"{what}[{place}]", compiled[place], plain[place]
        return InputError(
            f"{self.class_game.file}: compiled and plain play differ in {self._where}: {what}: compiled {compiled}, "
            f"plain {plain}. No result of this game can be trusted. {_CAUSES}\nReplay it: {self._replay}"
        )

    def _refused(self, why: str, line: str) -> InputError:
        return InputError(f"{self.class_game.file}, line {line}: {why} ({self._where}).\nReplay it: {self._replay}")

    def _bot_differs(self, bot: Bot, why: str) -> InputError:
        code = _code_of(bot)
        return InputError(
            f"{code.co_filename}, line {code.co_firstlineno}: bot '{bot.text}' ({bot.seat}) plays differently when "
            f"compiled, in {self._where}: {why}. No result of this bot can be trusted. {_CAUSES_OF_BOT}\n"
            f"Replay it: {self._replay}"
        )

    def _asked(self, question: Callable[[], T]) -> T:
        """Calls the author's code; an exception is reported with its line."""
        try:
            with deadline.Call(self._at_work):
                if self.watch is None:
                    return question()
                self.watch.calls, self.watch.inside = self.watch.calls + 1, True
                try:
                    return question()
                finally:
                    self.watch.inside = False
        except InputError:
            raise
        except _Endless as fault:
            assert self.watch is not None
            self.fault = f"{self._line_of(fault)}: in plain Python, it did not end within {self.watch.limit:g} seconds"
            why = f"{self.fault} ({self._where}). If it only needs more time, allow it with --timeout SECONDS."
            raise _EndlessRule(f"{why}\nReplay it: {self._replay}") from None
        except Exception as fault:
            self.fault = self._in_words(fault)
            raise InputError(f"{self.fault} ({self._where}).\n{self._position}Replay it: {self._replay}") from fault

    def _at_work(self) -> tuple[str, str]:
        """The code that is running and its place, for the watchdog of hanging calls."""
        where = f"game {self.index} of seed {self.seed}, decision {self.decisions + 1}"
        return f"{self.class_game.slug}, in plain Python,", where

    def _in_words(self, fault: Exception) -> str:
        """Place and text of an exception."""
        why = " ".join(map(str, fault.args))  # a compiled rule raises its numbers as further arguments
        if isinstance(fault, _ComponentFault):
            return why
        text, frame = f"{type(fault).__name__}: {why}", self._frame_of(fault)
        if frame is None:
            return text
        code = f" in `{frame.line}`" if isinstance(fault, IndexError) and frame.line else ""
        return f"{frame.filename}, line {frame.lineno}: {text}{code}"

    def _line_of(self, fault: BaseException) -> str:
        frame = self._frame_of(fault)
        return str(self.class_game.file) if frame is None else f"{frame.filename}, line {frame.lineno}"

    def _frame_of(self, fault: BaseException) -> FrameSummary | None:
        """The last call in the author's files."""
        files = {str(self.class_game.file), *(_code_of(bot).co_filename for bot in self.match.bots if _code_of(bot))}
        frames = [frame for frame in extract_tb(fault.__traceback__) if str(Path(frame.filename).resolve()) in files]
        return frames[-1] if frames else None

    @property
    def _position(self) -> str:
        """The position in words; empty if it cannot be described in the middle of a rule."""
        with contextlib.suppress(Exception):
            return f"Position: {in_words(describe(self.game, None))}\n"
        return ""

    @property
    def _where(self) -> str:
        return f"game {self.index} of seed {self.seed}, decision {self.decisions + 1}, after '{self.last}'"

    @property
    def _replay(self) -> str:
        return self.match.replay_command(self.seed, self.index)

    def _quoted(self, option: Option) -> str:
        return f"'{label(self.game, int(option))}'"

    def _named(self, option: Option) -> str:
        """An option in words. It costs much less than its label, which numbers options of the same name."""
        decision = self.game.decision
        if option < decision.counted:
            return str(getattr(self.game, decision.component.called).label_of(int(option)))
        return option.name or f"{decision.name.replace('_', ' ')} {int(option)}"

    def _note(self, seat: int, what: int) -> None:
        """Keeps the marks up to date, which the watchdog reads."""
        if self.marks is not None:
            self.marks[0] = self.index
            self.marks[2] = (self.decisions << loop.TURN_BITS) | (seat << loop.SEAT_BITS) | what


def _fails(stepper: Stepper, action: int) -> bool:
    """Whether a decision fails in compiled play."""
    try:
        stepper.carry_out(action)
    except BotFault:
        return True
    return False


def _code_of(bot: Bot) -> Any:
    """The code of a bot of a game's class; None for another bot."""
    return bot.policy.function_in_python.__code__ if isinstance(bot.policy, ClassBot) else None


def _in_plain_python(bot: Bot, traits: Array) -> Callable[[Game], Any] | None:
    """A bot of a game's class as a function of the game; None if there is nothing to compare.

    Args:
        traits: float64, the traits that it plays with: those of its name, or others that a search tries.
    """
    policy = bot.policy
    if bot.parts or not isinstance(policy, ClassBot) or not policy.is_compiled:
        return None
    function = policy.function_in_python
    given = zip(policy.traits.items(), traits.tolist(), strict=False)
    values = {name: int(value) if trait.whole else value for (name, trait), value in given}
    return lambda game: function(game, **values)


def where_written(game: Any, decision: int) -> str:
    """File and line of the methods of a decision."""
    choice = list(game.owner.blueprint().choices.values())[decision]
    methods = [getattr(game.owner, f"may_{choice.name}", None), game.owner.play]
    lines = [f"line {method.__code__.co_firstlineno} ({method.__name__})" for method in methods if method]
    return f"{game.file}, {' and '.join(lines)}"


def in_words(position: Description) -> str:
    """A position in one line."""
    texts = {name: text if isinstance(text, str) else ", ".join(text) for name, text in position.items()}
    return "; ".join(f"{name}: {text}" for name, text in texts.items())
