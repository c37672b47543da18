"""Plays a game and its second implementation in step, with the same random draws and decisions, and compares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simlab.engine.explain import raised
from simlab.engine.setup import Setup, streams_of
from simlab.engine.stepper import Stepper
from simlab.engine.streams import below, open_streams
from simlab.errors import InputError, RunFailed, nearest


class TwinDiffers(RunFailed):
    """A game and its twin differ, or the twin fails."""

    exit_code = 1


class Chance:
    """The random draws of one game, for its twin: each stream gives the same outcomes in the same order."""

    def __init__(self, match: Setup, seed: int, index: int) -> None:
        self._numbers = streams_of(match.game)
        self._blank = match.blank_state(seed).view(np.recarray)  # keeps the memory of the record
        self._record: Any = self._blank[0]
        open_streams(self._record, index)

    def below(self, stream: str, n: int) -> int:
        """The whole number in 0..n-1 that the game draws from this stream; InputError: no such stream."""
        if stream not in self._numbers:
            raise InputError(f"there is no stream '{stream}'. {nearest(stream, self._numbers)}")
        return int(below(self._record, self._numbers[stream], n))


class Abreast:
    """One game and its twin, which has methods that simlab.twin lists; `said`: number of comparisons, by method."""

    def __init__(self, match: Setup, seed: int, index: int, twin: Callable[[], Any], said: Counter[str]) -> None:
        self.match, self.seed, self.index, self.said = match, seed, index, said
        self.stepper = Stepper(match, seed, index)
        self.last = "the set-up"
        self.twin = self.asked(twin)

    def play(self) -> None:
        """Plays to the end; TwinDiffers: the first difference, with its place and the command that shows it."""
        stepper = self.stepper
        while True:
            self._compare()
            if stepper.over:
                return
            action = self.choice()
            self.last = stepper.game.move_text(stepper.seat, stepper.decision, stepper.label(action))
            self.asked(lambda: self.twin.apply(action))  # noqa: B023 - called at once; first: plain Python fails with a line
            stepper.apply(action)
            self.said["decisions"] += 1

    def choice(self) -> int:
        """The action of the seat's bot, which both implementations take."""
        return self.stepper.policy_action()

    def asked(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except Exception as fault:
            raise self.fault(f"the twin fails: {raised(fault).removeprefix('raised ')}") from fault

    def differs(self, what: str, mine: Any, other: Any) -> Exception:
        return self.fault(f"{what} is {mine} in the game, {other} in the twin")

    def _says(self, name: str) -> Any:
        method = getattr(self.twin, name, None)
        if method is not None and not callable(method):
            raise self.fault(
                f"the twin's `{name}` is {method!r:.40}, but the lab calls the method {name}(). Give the attribute "
                f"another name, as `{name}_`"
            )
        return None if method is None else self.asked(method)

    def _compare(self) -> None:
        stepper = self.stepper
        self._same("over", bool(stepper.over), self._says("over"))
        if not stepper.over:
            self._same("seat", stepper.seat, self._says("seat"))
        self._same_fields("field", self._says("fields"), self.match.game.state.names or (), stepper.state)
        if not stepper.over:  # after the fields, which are more informative
            self._same("legal", stepper.legal(), self._says("legal"))
        else:
            row = stepper.row()
            self._same_fields("column", self._says("row"), tuple(row), row)

    def _same(self, name: str, mine: Any, other: Any) -> None:
        if other is None:
            return
        self.said[name] += 1
        if mine != other:
            raise self.differs(name, mine, other)

    def _same_fields(self, kind: str, other: Mapping[str, Any] | None, known: tuple[str, ...], mine: Any) -> None:
        for name, value in (other or {}).items():
            if name not in known:
                raise self.fault(f"the twin names a {kind} '{name}', which the game does not have")
            self.said[f"{kind} {name}"] += 1
            own, theirs = plain(mine[name]), plain(value)
            if own != theirs:
                raise self.differs(name, own, theirs)

    def fault(self, why: str) -> TwinDiffers:
        """The error for this game, with the place where it appears."""
        knobs = f" (knobs {self.match.knobs_set})" if self.match.knobs_set else ""
        return TwinDiffers(
            f"{self.match.game.slug}, game {self.index} of seed {self.seed}{knobs}, turn "
            f"{int(self.stepper.state.turn)}, decision {self.stepper.decisions}, after {self.last}: {why}. "
            f"Shown by: {self.match.replay_command(self.seed, self.index)}"
        )


def plain(value: Any) -> Any:
    """Converts a field to Python numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, tuple) else value
