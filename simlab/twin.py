"""The kit for a second implementation of a game: a plain-Python twin of the compiled rules.

The twin is written from the rulebook alone. It gets the same luck and the same decisions, and after each of them the
lab compares it with the game: the seat to act, the legal actions, the fields that it returns, and at
the end the row. Methods that it lacks are not compared, so you can write it rule by rule:

    class Twin:
        def __init__(self, knobs, chance): ...    # knobs by name; chance.below("die", 6) is 0..5
        def seat(self): return "first"            # the seat to act; None: not compared
        def legal(self): return [0, 1]            # legal actions, in order; None: not compared
        def apply(self, action): ...              # one decision, and everything that follows
        def over(self): return False              # None: not compared
        def fields(self): return {"turn": 1}      # name of a field of the record -> its value
        def row(self): return {"winner": 0}       # at the end: column of the row -> its value

A missing method is not compared.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simlab.engine.match import Match
from simlab.engine.setup import streams_of
from simlab.engine.stepper import Stepper
from simlab.engine.streams import below, open_streams
from simlab.errors import InputError, RunFailed, nearest
from simlab.game import Game, Knob, KnobValue


class TwinDiffers(RunFailed):
    """A game and its twin differ, or the twin fails."""

    exit_code = 1


class Chance:
    """The luck of one game, for its twin: the same outcomes in the same order, purpose by purpose."""

    def __init__(self, match: Match, seed: int, index: int) -> None:
        self._numbers = streams_of(match.game)
        self._blank = match.blank_state(seed).view(np.recarray)  # keeps the memory of the record
        self._record: Any = self._blank[0]
        open_streams(self._record, index)

    def below(self, stream: str, n: int) -> int:
        """A whole number in 0..n-1 of a purpose of chance, as the game draws it.

        Raises:
            InputError: the game has no such purpose.
        """
        if stream not in self._numbers:
            raise InputError(f"there is no stream '{stream}'. {nearest(stream, self._numbers)}")
        return int(below(self._record, self._numbers[stream], n))


def check_twin(
    game: Game,
    twin: Callable[[dict[str, KnobValue], Chance], Any],
    *,
    games: int = 20,
    seed: int = 1,
    knobs: Mapping[str, KnobValue] | None = None,
    vary: bool = True,
    bots: Mapping[str, str] | None = None,
) -> list[str]:
    """Plays games with their twin in parallel, and stops at the first difference.

    Args:
        twin: the class, or a function, of the knobs by name and the luck: see the module's docstring.
        games: number of games. vary: whether every second game is played under other knobs, drawn at random, of those
            that `knobs` leaves open.
        bots: seat -> bot; random play without.
    Returns:
        One sentence per comparison, and the methods that the twin lacks.
    Raises:
        TwinDiffers: the first difference, with knobs, seed, game, turn, decision and the command that shows the game.
    """
    said: Counter[str] = Counter()
    played = {seat: (bots or {}).get(seat, "random") for seat in game.seats}
    for index in range(games):
        other = random_knobs(game, random.Random(f"{seed} {index}"), knobs) if vary and index % 2 else dict(knobs or {})
        _Abreast(Match(game, knobs=other, bots=played), seed, index, twin, said).play()
    fields = sorted(name.removeprefix("field ") for name in said if name.startswith("field "))
    columns = sorted(name.removeprefix("column ") for name in said if name.startswith("column "))
    whole = [name for name in _WHOLE if said[name]]
    done = [
        f"{games} games and {said['decisions']:,} decisions compared, every second game with other knobs"
        if vary
        else f"{games} games and {said['decisions']:,} decisions compared",
        f"alike: {', '.join([*whole, *fields, *columns]) or 'nothing'}",
    ]
    own = [name for name in game.state.names or () if not name.startswith(_HEADER)]
    left = [*(name for name in _WHOLE if name not in whole), *(name for name in own if name not in fields)]
    if left:
        done.append(f"the twin does not say yet: {', '.join(left)}")
    return done


_WHOLE = ("seat", "legal", "over")
_HEADER = ("stream_", "forced_", "legal", "n_legal", "fired", "over", "seat", "decision")


def random_knobs(game: Game, luck: random.Random, knobs: Mapping[str, KnobValue] | None = None) -> dict[str, KnobValue]:
    """The knobs given, and about half of the others at values drawn from their range, so that all fit together."""
    for _ in range(1_000):
        drawn = dict(knobs or {})
        for name, knob in game.knobs.items():
            if name not in drawn and not knob.blanks and luck.random() < 0.5:
                drawn[name] = _drawn(knob, luck)
        if not game.faults_of({**game.resolve_knobs(), **drawn}):
            return drawn
    return dict(knobs or {})


def _drawn(knob: Knob, luck: random.Random) -> KnobValue:
    if knob.kind == "int":
        return luck.randint(int(knob.low), int(knob.high))
    if knob.kind == "float":
        return luck.uniform(knob.low, knob.high)
    return luck.choice(knob.options or (False, True))


class _Abreast:
    """One game and its twin."""

    def __init__(self, match: Match, seed: int, index: int, twin: Any, said: Counter[str]) -> None:
        self.match, self.seed, self.index, self.said = match, seed, index, said
        self.stepper = Stepper(match, seed, index)
        self.last = "the set-up"
        chance = Chance(match, seed, index)
        self.twin = self._asked(lambda: twin(dict(match.knobs_resolved), chance))

    def play(self) -> None:
        stepper = self.stepper
        while True:
            self._compare()
            if stepper.over:
                return
            action = stepper.policy_action()
            self.last = f"{stepper.seat}: {stepper.label(action)}"
            stepper.apply(action)
            self._asked(lambda: self.twin.apply(action))  # noqa: B023 - called at once
            self.said["decisions"] += 1

    def _asked(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except Exception as fault:
            raise self._fault(f"the twin fails: {type(fault).__name__}: {fault}") from fault

    def _says(self, name: str) -> Any:
        method = getattr(self.twin, name, None)
        if method is not None and not callable(method):
            raise self._fault(
                f"the twin's `{name}` is {method!r:.40}, but the lab calls the method {name}(). Give the attribute "
                f"another name, as `{name}_`"
            )
        return None if method is None else self._asked(method)

    def _compare(self) -> None:
        stepper = self.stepper
        self._same("over", bool(stepper.over), self._says("over"))
        if not stepper.over:
            self._same("seat", stepper.seat, self._says("seat"))
        self._same_fields("field", self._says("fields"), self.match.game.state.names or (), stepper.state)
        if not stepper.over:  # after the fields, whose errors say more
            self._same("legal", stepper.legal(), self._says("legal"))
        else:
            row = stepper.row()
            self._same_fields("column", self._says("row"), tuple(row), row)

    def _same(self, name: str, mine: Any, other: Any) -> None:
        if other is None:
            return
        self.said[name] += 1
        if mine != other:
            raise self._fault(f"{name} is {mine} in the game, {other} in the twin")

    def _same_fields(self, kind: str, other: Mapping[str, Any] | None, known: tuple[str, ...], mine: Any) -> None:
        for name, value in (other or {}).items():
            if name not in known:
                raise self._fault(f"the twin names a {kind} '{name}', which the game does not have")
            self.said[f"{kind} {name}"] += 1
            own, told = plain(mine[name]), plain(value)
            if own != told:
                raise self._fault(f"{name} is {own} in the game, {told} in the twin")

    def _fault(self, why: str) -> TwinDiffers:
        knobs = f" (knobs {self.match.knobs_set})" if self.match.knobs_set else ""
        return TwinDiffers(
            f"{self.match.game.slug}, game {self.index} of seed {self.seed}{knobs}, turn "
            f"{int(self.stepper.state.turn)}, decision {self.stepper.decisions}, after {self.last}: {why}. "
            f"Shown by: {self.match.replay_command(self.seed, self.index)}"
        )


def plain(value: Any) -> Any:
    """A field as numbers and lists of Python."""
    return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, tuple) else value
