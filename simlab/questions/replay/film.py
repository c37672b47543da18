"""A game as a film: its positions in order, each with the move that led to it and the next decision.

    film = Film(match, seed=1, index=3)
    for frame in film:
        print(frame.number, frame.label, *frame.changes())
    other = film.branch(12, action)  # the same game up to frame 12, then another choice there

A game is a function of its seed and index, so a film is played while it is watched: each frame when it is first
requested. Frame 0 is the set-up. Each decision makes a frame, and so does each phase between it and the next decision
(Game.part_name).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simlab.engine.match import Match
from simlab.engine.setup import Setup, streams_of
from simlab.engine.stepper import Consideration, Stepper
from simlab.errors import InputError, RunFailed
from simlab.game import Array, Decision, Description, Game, HexContent
from simlab.present.estimate import Estimate, share_of
from simlab.questions.replay.position import changes
from simlab.spec.ledger import Rule

FUTURES = 100  #: of a position; half width of the interval at 50 %: 10 points


class Choice(NamedTuple):
    """The next step.

    Attributes:
        comment: remark of a scenario. instead: the bot's choice, if a person chose.
    """

    action: int
    comment: str = ""
    instead: int | None = None


class PendingDecision(NamedTuple):
    """A pending decision: its seat and its options.

    Attributes:
        place: number of the seat. actions, labels: the legal actions and their labels.
    """

    seat: str
    place: int
    decision: Decision
    actions: tuple[int, ...]
    labels: tuple[str, ...]


class Move(NamedTuple):
    """A decision that was made.

    Attributes:
        turn: turn of the decision. label: label of the action. comment: as in Choice. instead: label of the bot's
            choice if a person chose, else "".
    """

    turn: int
    seat: str
    place: int
    decision: Decision
    action: int
    label: str
    comment: str
    instead: str


@dataclass(eq=False)
class Frame:
    """One position of a game, and the move that led to it from the previous one.

    Attributes:
        number: counts from 0, the set-up.
        at: the game at this position; to play on, use a copy.
        before: the previous frame; None for the set-up.
        move: the decision that led here; None for the set-up and for a phase that nobody decides.
        part: name of the phase; "" if the game does not name phases.
        asides: checks and their results, in the game's words (Game.narration).
        rolls: each roll of the dice, in the game's words (Game.rolls).
    """

    number: int
    at: Stepper
    before: Frame | None = None
    move: Move | None = None
    part: str = ""
    asides: tuple[str, ...] = ()
    last: bool = True  #: whether a decision or the end follows, instead of a further phase
    rolls: tuple[str, ...] = ()
    _seen: dict[int | None, Description] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        return self.at.game

    @property
    def turn(self) -> int:
        return int(self.at.state.turn)

    @property
    def over(self) -> bool:
        return self.at.over

    @property
    def label(self) -> str:
        """The move that led here, in one line."""
        if self.move:
            return self.game.move_text(self.move.seat, self.move.decision, self.move.label)
        return self.part if self.before else "set-up"

    def label_for(self, seat: int | None) -> str:
        """`label`, reduced to what a seat learns."""
        return f"{self.move.seat}: decides in secret" if self.move and self.hidden_from(seat) else self.label

    @property
    def heading(self) -> str:
        """The rules under way, if a decision is pending here and the game names them."""
        return self.game.under_way(self.at.state) if self.open else ""

    @property
    def open(self) -> bool:
        """Whether a decision is pending here. At the end, and before a phase, no decision is."""
        return self.last and not self.over

    @cached_property
    def asked(self) -> PendingDecision | None:
        """The decision to be made here; None if there is none."""
        if not self.open:
            return None
        at = self.at.copy()
        actions = tuple(at.legal())
        return PendingDecision(at.seat, int(at.state.seat), at.decision, actions, tuple(at.labels(actions)))

    def position(self, seat: int | None = None) -> Description:
        """The position in the game's words, as a seat sees it; None sees all."""
        if seat not in self._seen:
            self._seen[seat] = self.at.describe(seat)
        return self._seen[seat]

    def changes(self, seat: int | None = None) -> list[tuple[str, str]]:
        """Changes from the previous frame: (name, `5 -> 4`); nothing for the set-up."""
        return list(changes(self.before.position(seat), self.position(seat))) if self.before else []

    @property
    def fired(self) -> list[tuple[Rule, int]]:
        """The rules that fired since the previous frame, and how often."""
        new = self._since("fired")[: len(self.game.rules)]
        return [(rule, int(n)) for rule, n in zip(self.game.rules, new, strict=True) if n > 0]

    @property
    def luck(self) -> list[tuple[str, int]]:
        """The random streams that were used since the previous frame, and the number of words drawn from each."""
        drawn, numbers = self._since("stream_at"), streams_of(self.game)
        return [(name, int(drawn[numbers[name]])) for name in self.game.streams if drawn[numbers[name]] > 0]

    def _since(self, name: str) -> Array:
        """The growth of a counter of the state since the previous frame."""
        now, before = (np.asarray(one.at.state[name], np.int64) if one else 0 for one in (self, self.before))
        return np.asarray(now - before)

    def considered(self) -> list[Consideration]:
        """How the bot to act evaluates its options; [] if it does not look ahead. Takes as long as the bot's choice."""
        return self.at.copy().considered() if self.open else []

    def hidden_from(self, seat: int | None) -> bool:
        """Whether the choice is hidden from a seat, which learns only that it was made."""
        return seat is not None and self.move is not None and self.move.decision.secret and self.move.place != seat

    def row(self) -> dict[str, Any]:
        return self.at.copy().row()


def decide(stepper: Stepper) -> int:
    """The choice of the bot to act.

    Raises:
        RunFailed: it raises, or its choice is not legal.
    """
    kind, legal = stepper.decision, stepper.legal()
    bot = stepper.match.bots[int(stepper.state.seat)]
    where = f"game {stepper.index} of seed {stepper.seed}, {bot.seat}, {kind.id} {kind.name}"
    action = stepper.policy_action()
    if action not in legal:
        known = ", ".join(map(str, legal))
        raise RunFailed(f"bot '{bot.text}' returned action {action}, which is not legal. Legal: {known} ({where}).")
    return action


def bots_moves(stepper: Stepper, choices: Mapping[int, int] | None = None) -> Iterator[Choice]:
    """The choices of the bots, one after the other, while the game is played.

    Args:
        choices: number of a decision (from 1) -> action taken instead of the bot's. The bot still chooses, so its later
            random draws are unchanged.
    """
    while not stepper.over:
        own = decide(stepper)
        action = (choices or {}).get(stepper.decisions + 1, own)
        yield Choice(action, "", None if action == own else own)


def _carried_out(frame: Frame, stepper: Stepper, choice: Choice) -> Iterator[Frame]:
    """The frames of one decision: the decision's own frame, and one for each phase that follows."""
    game, match, state = stepper.game, stepper.match, stepper.state
    knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
    legal = stepper.legal()
    if choice.action not in legal:
        known = ", ".join(map(str, legal))
        raise InputError(f"decision {stepper.decisions + 1}: action {choice.action} is not legal. Legal: {known}.")
    move: Move | None = Move(
        int(state.turn), stepper.seat, int(state.seat), stepper.decision, choice.action, stepper.label(choice.action),
        choice.comment, "" if choice.instead is None else stepper.label(choice.instead),
    )  # fmt: skip
    part, last = match.part_name(state), stepper.copy()
    asides: list[str] = []
    rolls: list[str] = []
    action = choice.action
    for name in stepper.apply_in_parts(choice.action):
        if name != part:
            frame = Frame(frame.number + 1, last, frame, move, part, tuple(asides), False, tuple(rolls))
            yield frame
            move, part, asides, rolls = None, name, [], []
        asides += game.narration(last.state, state, action, knobs, cards)
        rolls += game.rolls(last.state, state, action, knobs, cards)
        last, action = stepper.copy(), -1
    yield Frame(frame.number + 1, last, frame, move, part, tuple(asides), True, tuple(rolls))


class Film:
    """One game, frame by frame; it is played as its frames are read.

    Args:
        match: a match, whose game `index` of a seed is played; or a stepper at the beginning of its game, or at the
            last of the `known` frames, which is played on.
        choices: number of a decision (from 1) -> action that is taken instead of the bot's choice.
        moves: decisions that replace the bots' choices, as in a scenario; the film ends after the last one.
        known: frames that have been played.
    Raises, while frames are read:
        RunFailed: a bot failed. InputError: a move is not legal. GameTruncated: the game hit its cap of decisions.
    """

    def __init__(
        self, match: Match | Stepper, seed: int = 1, index: int = 0, choices: Mapping[int, int] | None = None,
        moves: Iterator[Choice] | None = None, known: Sequence[Frame] = (),
    ) -> None:  # fmt: skip
        stepper = match if isinstance(match, Stepper) else Stepper(match, seed, index)
        self.match: Setup = stepper.match
        self.seed, self.index, self.choices = stepper.seed, stepper.index, dict(choices or {})
        self.frames = list(known) or [Frame(0, stepper.copy(), part=stepper.match.part_name(stepper.state))]
        self._coming = self._played(stepper, moves or bots_moves(stepper, self.choices))

    def _played(self, stepper: Stepper, moves: Iterator[Choice]) -> Iterator[Frame]:
        frame = self.frames[-1]
        while not stepper.over and (choice := next(moves, None)):
            for frame in _carried_out(frame, stepper, choice):  # noqa: B020 - the last one is where it continues
                yield frame
        late = max(self.choices, default=0)
        if late > stepper.decisions:
            given = f"--choose {late}={self.choices[late]}"
            raise InputError(f"{given}: the game ends after {stepper.decisions} decisions.")

    def __getitem__(self, number: int) -> Frame:
        """A frame by its number; IndexError: the film is shorter."""
        if number < 0:
            raise IndexError("a frame has a number from 0")
        if not self.has(number):
            raise IndexError(f"the film has {len(self.frames)} frames")
        return self.frames[number]

    def has(self, number: int) -> bool:
        """Whether there is a frame of that number; the game is played on if necessary."""
        while len(self.frames) <= number and (frame := next(self._coming, None)):
            self.frames.append(frame)
        return 0 <= number < len(self.frames)

    @property
    def end(self) -> Frame:
        """The last frame; the game is played to its end."""
        return list(self)[-1]

    def __iter__(self) -> Iterator[Frame]:
        return (self[number] for number in itertools.takewhile(self.has, itertools.count()))

    def chosen(self, number: int) -> Move | None:
        """The decision at a frame; None if there is none."""
        return self[number + 1].move if self[number].open and self.has(number + 1) else None

    @property
    def command(self) -> str:
        """The shell command that replays this line of the game."""
        choices = "".join(f" --choose {number}={action}" for number, action in sorted(self.choices.items()))
        return self.match.replay_command(self.seed, self.index) + choices

    def branch(self, number: int, action: int) -> Film:
        """The film with another choice at a frame, and the same random draws; the bots play on.

        Args:
            number: number of a frame with a decision. action: a legal action; the action that was taken gives the same
                game.
        Raises:
            InputError: nothing is decided there, or the action is not legal.
        """
        frame = self[number]
        if frame.asked is None:
            raise InputError(f"frame {number}: nothing is decided there.")
        if action not in frame.asked.actions:
            legal = ", ".join(map(str, frame.asked.actions))
            raise InputError(f"frame {number}: action {action} is not legal. Legal: {legal}.")
        here, stepper = frame.at.decisions + 1, frame.at.copy()
        choices = {n: choice for n, choice in self.choices.items() if n < here} | {here: action}
        return Film(stepper, choices=choices, known=self.frames[: number + 1])

    def chances(self, number: int, futures: int = FUTURES, seat: int | None = None) -> dict[str, Estimate]:
        """How often each side wins from a frame on if the same bots play on with new random draws.

        Args:
            futures: how often the position is played on: 4 or more, even.
            seat: everything hidden from this seat is redrawn; None: only what no seat has seen.
        Returns:
            side -> its share, with Wilson's 95 % interval (a seat without a side is its own side); {} if a phase
            follows, because a game can be played on only from a decision.
        Raises:
            GameTruncated: too many of the futures are truncated. BotFault: a bot failed.
        """
        from simlab.questions.course.analysis import Watcher

        frame = self[number]
        if not (frame.open or frame.over):
            return {}
        assert isinstance(self.match, Match)  # a Setup alone cannot play in bulk
        watcher = Watcher(self.match, self.seed, futures, seat)
        halves = watcher.chances(frame.at.array)
        shares = (halves[0] + halves[1]) / 2
        return {
            name: Estimate(share, share, share) if frame.over else share_of(share * futures, futures)
            for name, share in zip(watcher.sides.names, shares.tolist(), strict=True)
        }

    def of_decision(self, number: int) -> int | None:
        """Number of the frame at which a decision is made; decisions count from 1."""
        return next((f.number for f in self if f.open and f.at.decisions == number - 1), None)


def hex_contents(frame: Frame, seat: int | None = None) -> Mapping[int, HexContent]:
    """The contents of each hex of the map by its number, as a seat sees it; {} for a game without contents."""
    game, match = frame.game, frame.at.match
    if game.hex_map is None or game.hex_map.contents is None:
        return {}
    knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
    return game.hex_map.contents(frame.at.state, knobs, cards, seat)
