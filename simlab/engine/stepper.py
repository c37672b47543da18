"""One game, one decision at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simlab import compiler
from simlab.engine import custom_metrics, deadline, loop
from simlab.engine.entry_points import view
from simlab.engine.explain import raised
from simlab.engine.forced_draws import force
from simlab.engine.setup import Setup, streams_of
from simlab.engine.streams import NOT_THERE
from simlab.errors import BotFault, GameTruncated, InputError, MetricFault, nearest
from simlab.game import LOADED, Array, Description, Game, State

#: Functions of a game by the task of loop.step_game, and other code that can be running.
_KERNELS = {
    loop.SET_UP: "initial_state", loop.LEGAL: "legal_actions", loop.APPLY: "apply_action", loop.REDRAW: "determinize",
    loop.ROW: "outcome", loop.TRACKS: "track_values", loop.PART: "play_part", loop.BRANCH: "random streams",
}  # fmt: skip
_BOT, _METRICS = -1, -2
_HOW = "" if not compiler.compiling() else " With NUMBA_DISABLE_JIT=1 the message names the line."


# An action out of bounds is worse than a wrong result: the code that counts and shows actions would access memory
# beyond its lists. So compiled and stepwise play check the bounds.


def fault_of_turn(game: Game, state: State) -> str:
    """Explains why no bot can be asked, because the game has no such seat or kind of decision; empty if all is well."""
    seat, kind = int(state["seat"]), int(state["decision"])
    if not 0 <= seat < len(game.seats):
        return f"seat {seat} is to act, but seats are numbered 0..{len(game.seats) - 1}"
    if not 0 <= kind < len(game.decisions):
        return f"a decision of kind {kind} is pending, but kinds are numbered 0..{len(game.decisions) - 1}"
    return ""


def fault_of_offer(game: Game, legal: Sequence[int], n_legal: int) -> str:
    """Explains why these, state.legal[:n_legal], cannot be the legal actions; empty if they can."""
    most = game.max_actions
    if not 0 <= n_legal <= most:
        return (
            f"legal_actions offers {n_legal} actions, but there is room for max_actions = {most}. "
            "Raise it in state_type, or split the decision."
        )
    if n_legal == 0:
        return "legal_actions offers nothing, but the game is not over."
    for action in legal:
        if not 0 <= action < most:
            return (
                f"action {action} is offered, but actions are numbered 0..{most - 1}, since max_actions = {most}. "
                "Raise it in state_type, or number the actions from 0."
            )
    return ""


def too_long(game: Game, state: State) -> str:
    """Explains why a game was truncated, with the decision that is pending."""
    if int(state["turn"]) > game.max_turns:
        turns = f"{game.max_turns:,} {game.turn_name}s"
        return f"the game did not end within {turns}; raise max_turns if games may be longer"
    why = f"the game did not end within {game.max_decisions:,} decisions"
    if not game.is_class:
        return why
    kind, seat = game.decisions[int(state["decision"])], game.seats[int(state["seat"])]
    return (
        f"{why}; the last was {kind.name} of {seat}, in turn {int(state['turn'])}. A rule that neither asks nor ends "
        "the game leaves the same decision to the same seat"
    )


def legal_of(state: Any) -> list[int]:
    """The legal actions that a record lists."""
    return [int(action) for action in state["legal"][: max(int(state["n_legal"]), 0)]]


class Consideration(NamedTuple):
    """An action as a bot that looks ahead sees it.

    Attributes:
        value: mean value of the playouts to the seat: its share of the win (simlab.engine.payoff), or its score
            if it seeks score; 0.0 for an action that was not tried.
    """

    action: int
    visits: int  #: playouts in which it was tried
    value: float


class Stepper:
    """One game, one decision at a time: for replay, play by hand, and tests.

    Args:
        match: the match.
        seed, game: identify the game; the same game as in a batch.
        forced: stream name -> outcomes of its first draws (loaded dice); values as `below` returns them, from 0.
        draws: as `give`. fields: values of fields, set when the first question is asked (simlab.author.positions).
    """

    def __init__(
        self, match: Setup, seed: int = 0, game: int = 0, forced: Mapping[str, Sequence[int]] | None = None,
        draws: Mapping[str, Sequence[int | str]] | None = None, fields: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.match, self.game = match, match.game
        self._step = match.compiled.step
        self._bots = match.compiled.players
        self._work = np.zeros(1, self.game.state).view(np.recarray)
        self._blank = match.blank_state(seed).view(np.recarray)
        self._rows = np.zeros(1, self.game.row_type).view(np.recarray)
        self._values = np.zeros(len(self.game.tracks), np.int32)
        self.seed, self.index = seed, game
        self.decisions = 0
        self._doing = loop.SET_UP
        self._given: dict[tuple[int, int], str] = {}
        _force(self._blank[0], self.game, forced or {})
        self._give(self._blank[0], draws or {})
        self._own = custom_metrics.Beside(self.game) if self.game.own else None
        self._passed: tuple[Array, Array, list[Array]] | None = None  # knobs, cards, and the views of them
        self._do(loop.SET_UP, game)
        if fields:
            if self.over:
                raise InputError(f"{self.game.slug} ends before the first question: no field can be set.")
            knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
            self.game.set_fields(self.state, knobs, cards, fields)

    def _do(self, what: int, argument: int = 0) -> None:
        knobs, cards = self.match.knobs, self.match.cards
        if self._passed is None or self._passed[0] is not knobs or self._passed[1] is not cards:
            self._passed = knobs, cards, self._arrays()
        self._doing = what
        try:
            with deadline.Call(self._at_work), compiler.strict():
                self._step(*self._passed[2], self._values, what, argument)
        except Exception as fault:  # any error of a rule is a fault of the game
            if self._given and len(fault.args) == 3 and fault.args[0] == NOT_THERE:
                records = self.state, knobs.view(np.recarray)[0], cards.view(np.recarray)[0]
                raise InputError(self.game.why_not_drawn(*records, *map(int, fault.args[1:]))) from None
            raise self._fault(BotFault, f"{self.game.slug}'s {_KERNELS[what]} {raised(fault)}.{_HOW}") from fault

    def _arrays(self) -> list[Array]:
        """What `step_game` takes first. Making these views costs far more than a step, so they are kept."""
        plain: list[Array] = [self._work, self._blank, self.match.knobs, self.match.cards, self._rows]
        if not compiler.compiling():
            return [a.view(np.recarray) for a in plain]
        plain = [a.view(np.ndarray) for a in plain]
        return [a.view(a.dtype.base) if a.dtype.type is np.record else a for a in plain]

    def _at_work(self) -> tuple[str, str]:
        """The code that is running and its place, for the watchdog of hanging calls."""
        where = f"game {self.index} of seed {self.seed}, decision {self.decisions + 1}"
        if self._doing == _BOT:
            bot = self.match.bots[int(self.state.seat)]
            return f"bot '{bot.text}' ({bot.seat})", f"{where}; check it with simlab dev check-bot"
        if self._doing == _METRICS:
            return f"metric {', '.join(one.name for one in self.game.own)}", where
        return f"{self.game.slug}'s {_KERNELS[self._doing]}", where

    @property
    def state(self) -> State:
        """The record of the game. It is a view, so a test can set its fields."""
        return self._work[0]

    @property
    def record(self) -> Array:
        """The record as an array of shape (1,), as bulk play takes it; not a copy: the game continues in it."""
        return view(self._work.view(np.ndarray).view(self.game.state))

    @property
    def array(self) -> Array:
        """A copy of the record as an array of shape (1,), as bulk play takes it."""
        return view(self.record.view(np.ndarray).copy())

    @property
    def over(self) -> bool:
        return bool(self.state.over)

    @property
    def seat(self) -> str:
        """Name of the seat to act.

        Raises:
            BotFault: the game sets a seat that does not exist.
        """
        self._check_turn()
        return self.game.seats[int(self.state.seat)]

    @property
    def decision(self) -> Any:
        """The kind of decision pending (simlab.game.Decision).

        Raises:
            BotFault: the game sets a kind of decision that does not exist.
        """
        self._check_turn()
        return self.game.decisions[int(self.state.decision)]

    def legal(self) -> list[int]:
        """The legal actions; none once the game is over.

        Raises:
            BotFault: the game offers no actions, or actions out of bounds.
        """
        if self.over:
            return []
        self._check_turn()
        self._do(loop.LEGAL)
        legal = legal_of(self.state)
        why = fault_of_offer(self.game, legal, int(self.state.n_legal))
        if why:
            raise self._fault(BotFault, why)
        return legal

    def _check_turn(self) -> None:
        why = fault_of_turn(self.game, self.state)
        if why:
            raise self._fault(BotFault, why)

    def _fault(self, kind: type[BotFault], why: str) -> BotFault:
        where = f"{self.game.slug}, game {self.index} of seed {self.seed}, decision {self.decisions + 1}"
        return kind(f"{where}: {why}", game=self.game.slug, index=self.index, seed=self.seed)

    def label(self, action: int) -> str:
        """Label of an action."""
        return self.labels([action])[0]

    def labels(self, actions: Sequence[int]) -> list[str]:
        """Labels of some actions of the pending decision."""
        return [str(self._in_words("action_label", action)) for action in actions]

    def _in_words(self, function: str, argument: int | None) -> Any:
        """The result of one of the game's functions that return texts."""
        knobs, cards = self.match.knobs.view(np.recarray)[0], self.match.cards.view(np.recarray)[0]
        try:
            return getattr(self.game, function)(self.state, knobs, cards, argument)
        except Exception as fault:  # as above
            raise self._fault(BotFault, f"{self.game.slug}'s {function} {raised(fault)}.") from fault

    def policy_action(self) -> int:
        """The choice of the bot of the seat to act; its random stream advances."""
        self.legal()
        return self.bot_choice()

    def bot_choice(self) -> int:
        """`policy_action` after `legal` was called."""
        seat = int(self.state.seat)
        knobs, cards, state = view(self.match.knobs)[0], view(self.match.cards)[0], self.record[0]
        self._doing = _BOT
        try:
            with deadline.Call(self._at_work), compiler.strict():
                action = int(self._bots[seat](state, knobs, cards, self.match.traits[seat]))
                if self.match.knobs["ban_any"][0]:
                    action = int(self.match.compiled.overruled(state, knobs, action))
                return action
        except Exception as fault:  # any error of a bot is a fault of the bot
            bot = self.match.bots[seat]
            found = self._fault(BotFault, f"bot '{bot.text}' ({bot.seat}) {raised(fault)}.{_HOW}")
            found.seat, found.bot = bot.seat, bot.text
            raise found from fault

    def considered(self) -> list[Consideration]:
        """Evaluations of actions by the bot of the seat to act, the most tried first; [] if it does not look ahead.

        The bot thinks as it does for its next choice (`policy_action`), but its random stream does not advance.
        """
        twin = self.copy()
        actions = twin.legal()
        seat = int(twin.state.seat)
        search = self.match.compiled.considers(seat)
        if search is None:
            return []
        table = np.zeros((len(actions), 3))
        twin._doing = _BOT
        with deadline.Call(twin._at_work):
            search(twin.record[0], view(self.match.knobs)[0], view(self.match.cards)[0], self.match.traits[seat], table)
        rows = [Consideration(int(action), int(visits), float(value)) for action, visits, value in table]
        return sorted(rows, key=lambda row: -row.visits)

    def reason(self) -> str:
        """Why the bot of the seat to act chooses as it does; "" for a bot that is not a list of rules."""
        seat = int(self.state.seat)
        policy = self.match.bots[seat].policy
        if policy.which is None or self.over:
            return ""
        twin = self.copy()
        twin.legal()
        which = getattr(policy.which, "py_func", policy.which)
        knobs, cards = self.match.knobs.view(np.recarray)[0], self.match.cards.view(np.recarray)[0]
        return policy.reasons[int(which(twin.state, knobs, cards, self.match.traits[seat]))]

    def apply(self, action: int) -> None:
        """Carries an action out.

        Raises:
            InputError: the game is over, or the action is not legal. GameTruncated: the game has hit its cap of
                decisions. BotFault: a fault of the game, as for `legal`.
        """
        self._may(action)
        if self._own:
            self._measure(self._own.decision, action)
        self.carry_out(action)
        self._decided()

    def positions(self) -> Iterator[Stepper]:
        """Yields this game at each decision; its bots play in between."""
        while not self.over:
            yield self
            self.apply(self.policy_action())

    def finish(self) -> dict[str, Any]:
        """The row of the game after the bots have played it to its end."""
        for _ in self.positions():
            pass
        return self.row()

    def carry_out(self, action: int) -> None:
        """`apply` without its checks, and without metrics and the cap of decisions."""
        self._do(loop.APPLY, action)

    def _measure(self, hook: Callable[..., Any], *last: Any) -> Any:
        """Calls the metrics with read-only records; MetricFault: with the game and the command that shows it."""
        self._doing = _METRICS
        try:
            with deadline.Call(self._at_work):
                return hook(_locked(self._work), _locked(self.match.knobs), _locked(self.match.cards), *last)
        except MetricFault as fault:
            again = self.match.replay_command(self.seed, self.index)
            text = f"{fault} of game {self.index} of seed {self.seed}.\nThe game: {again}"
            raise MetricFault(text) from fault.__cause__

    def _decided(self) -> None:
        self.decisions += 1
        long = self.game.is_class and int(self.state.turn) > self.game.max_turns
        if long or (self.decisions >= self.game.max_decisions and not self.over):
            raise self._fault(GameTruncated, f"{too_long(self.game, self.state)}.")

    def _may(self, action: int) -> None:
        if self.over:
            raise InputError("the game is over.")
        legal = self.legal()
        if action not in legal:
            raise InputError(f"action {action} is not legal. Legal: {', '.join(map(str, legal))}.")

    def apply_in_parts(self, action: int) -> Iterator[str]:
        """Carries an action out part by part, in the order of play at the table; the result is the same as with apply.

        Yields:
            after each part, the name of its phase (Game.part_name).
        Raises:
            InputError: as apply.
        """
        if self.game.play_part is None:
            self.apply(action)
            yield ""
            return
        self._may(action)
        if self._own:
            self._measure(self._own.decision, action)
        argument = action
        more = True
        while more:
            self._do(loop.PART, argument)
            argument, more = -1, bool(self.state.n_legal)
            if not more:  # counted before the caller looks at the last part
                self._decided()
            yield self.match.part_name(self.state)

    def redraw(self, seat: int) -> None:
        """Redraws everything hidden from a seat (Game.determinize), and gives the streams of chance new numbers."""
        self._do(loop.REDRAW, seat)

    def branch(self, number: int) -> None:
        """Turns this game into one of the futures that the bot to act could simulate (streams.branch)."""
        self._do(loop.BRANCH, number)

    def force(self, stream: str, *values: int) -> None:
        """Loads the next draws of a stream."""
        _force(self.state, self.game, {stream: values})

    def give(self, draws: Mapping[str, Sequence[int | str]]) -> None:
        """Loads the next results of random streams: faces from 1, cards and pieces by name or number; in a game that is
        not written as a class, numbers from 0 as for `force`.
        """
        self._give(self.state, draws)

    def _give(self, state: State, draws: Mapping[str, Sequence[int | str]]) -> None:
        if not self.game.is_class:
            _force(state, self.game, draws)
            return
        for draw in self.game.read_draws(draws, self.match.table_rows):
            force(state, *draw)
            self._given[draw.stream, draw.value] = draw.name

    def undrawn(self) -> list[str]:
        """The loaded draws that were not made yet, in words."""
        state = self.state
        if state.forced_n >= LOADED:  # weighted dice, which stay
            return []
        streams = [*(f"bot_{seat}" for seat in self.game.seats), "redraw", *self.game.streams]
        pairs = zip(state.forced_stream[: state.forced_n], state.forced_value[: state.forced_n], strict=True)
        left = [(int(stream), int(value)) for stream, value in pairs]
        return [self._given.get(draw) or f"{streams[draw[0]]} {draw[1]}" for draw in left]

    def take(self, *options: int | str) -> None:
        """Carries options out, one after the other, each given by its number or label (`action_named`)."""
        for option in options:
            self.apply(self.action_named(option))

    def action_named(self, option: int | str) -> int:
        """The legal action with this number or label, or with this unique beginning of its label.

        Raises:
            InputError: there is none, or several; the message lists the legal actions.
        """
        if self.over:
            raise InputError(f"the game is over: {option} cannot be taken.")
        legal = self.legal()
        labels = {self.label(action): action for action in legal}
        if isinstance(option, int) and option in legal:
            return option
        if isinstance(option, str):
            if option in labels:
                return labels[option]
            fitting = [action for label, action in labels.items() if label.startswith(option)]
            if len(fitting) == 1:
                return fitting[0]
        known = "\n".join(f"  {action:>3}  {label}" for label, action in labels.items())
        raise InputError(
            f"{option!r} is none of the legal actions, or the beginning of several "
            f"({self.seat} is asked for: {self.decision.name}). Write a number, a label or its unique beginning:\n"
            f"{known}"
        )

    def describe(self, seat: int | None = None) -> Description:
        """The position in words, as a seat sees it; with None, everything is shown."""
        found: Description = self._in_words("describe", seat)
        return found

    def tracks(self) -> dict[str, int]:
        """The values of the game's tracks."""
        self._do(loop.TRACKS)
        return {t.name: int(v) for t, v in zip(self.game.tracks, self._values, strict=True)}

    @property
    def rows(self) -> Array:
        """A copy of the row of the finished game, shape (1,), after `row` was called."""
        return self._rows.view(np.ndarray).view(self.game.row_type).copy()

    def row(self) -> dict[str, Any]:
        """The row of the finished game."""
        self._rows[0] = np.zeros(1, self.game.row_type)[0]
        self._do(loop.ROW)
        row = self._rows[0]
        row.game, row.decisions = self.index, self.decisions
        if self._own:
            for name, value in self._measure(self._own.values, _locked(self._rows)).items():
                row[name] = value
        return {name: row[name].tolist() for name in self.game.row_type.names or ()}

    def move_to(self, other: Stepper) -> None:
        """Copies the position of another stepper of the same game into this one, to ask this stepper's bots there."""
        self._work[0] = other._work[0]
        self._own = other._own.copy() if other._own and self.game.own == other.game.own else self._own

    def copy(self) -> Stepper:
        """An independent copy: same position, same future."""
        twin = object.__new__(Stepper)
        twin.__dict__.update(self.__dict__)
        twin._work = self._work.copy()
        twin._own = self._own.copy() if self._own else None
        twin._rows = self._rows.copy()
        twin._values = self._values.copy()
        twin._passed = None
        return twin


def _locked(array: Array) -> Any:
    """The record in an array of length 1, read-only."""
    record = array.view(np.recarray)
    record.flags.writeable = False
    return record[0]


def _force(state: State, game: Game, forced: Mapping[str, Sequence[int | str]]) -> None:
    numbers = streams_of(game)
    for name, values in forced.items():
        if name not in numbers:
            raise InputError(f"{game.slug} has no stream '{name}'. {nearest(name, numbers)}")
        for value in values:
            if not isinstance(value, int) or not 0 <= value < 1 << 15:
                raise InputError(f"{name}: a draw of {value} cannot be forced: an outcome is in 0..32767.")
            force(state, name, numbers[name], value)
