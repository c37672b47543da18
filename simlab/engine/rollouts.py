"""The futures of a position: plays one game step by step, and plays on from any of its positions many times in compiled
code.

The play loop plays the futures (`play_games` with `branching`): with the same bots, the record unchanged, and separate
random draws for each future. Arrays are made only once for all positions, because making them costs far more than a
call of the loop.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine import loop
from simlab.engine.counts import layout, scratch_type
from simlab.engine.entry_points import records, view
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper

Array = np.ndarray[Any, Any]
_ROOM, _MOST = 256, 20_000  # positions of a game that are kept in memory, at first and at most
CUT_OFF = -1  #: `ending` of a truncated future
FIRST = 1_024  #: number of the first future; in the first ones the loop looks for tampering


class Rollouts:
    """Positions of a match's games with this seed, and their futures, at most `most` of one position at a time."""

    def __init__(self, match: Match, seed: int, most: int) -> None:
        match = match.without_metrics()  # they would begin in the middle of a game
        match.compile()
        self.match, self.seed = match, seed
        game = match.game
        self._play, self._policies = match.compiled.play(True)
        self._guard, self._keep = match.compiled.guard(), match.compiled.guard(loop.keep_positions)
        self._knobs, self._cards = view(match.knobs), view(match.cards)
        self._traits = view(match.traits.view(match.compiled.traits_type).reshape(-1))
        self._counts, self._scratch = records(1, layout(game).type), records(1, scratch_type(game))
        self._work, self._start = records(1, game.state), records(1, game.state)
        self._words = self._work.view(np.ndarray).view(np.uint32)
        self._kept = np.zeros_like(self._words)
        self._rows = records(most, game.row_type)
        self._marks = np.zeros(4, np.int64)
        self._recorded = records(_ROOM, game.state)
        self._guest = Stepper(match, seed)

    def positions(self, index: int) -> Iterator[Array]:
        """The positions of one game, before each of its decisions; for a truncated game, those up to the cut.

        Yields:
            the record, State[1], with the legal actions in it; the game continues in it, so copy it to keep it. After
            the last one it holds the end of the game.
        Raises:
            BotFault: as Match.play.
        """
        found = self._record(index)
        if found < 0:
            yield from self._step_by_step(index)
            return
        kept, record, end = self._recorded[1 : 1 + found].copy(), records(1, self.match.game.state), self._work.copy()
        for place in range(found):
            record[0] = kept[place]
            yield record
        record[0] = end[0]

    def _step_by_step(self, index: int) -> Iterator[Array]:
        stepper = Stepper(self.match, self.seed, index)
        while not stepper.over:
            stepper.legal()
            yield stepper.record
            stepper.carry_out(stepper.policy_action())

    def _record(self, index: int) -> int:
        """Plays a game and keeps its positions after the first record of `_recorded`.

        Returns:
            how many; -1: the game cannot continue, or there are too many.
        """
        blank = view(self.match.blank_state(self.seed))
        while True:
            words = self._recorded.view(np.ndarray).view(np.uint32)
            words[0] = 0
            status = loop.STUCK
            with self.match.watched(self.seed, self._marks), contextlib.suppress(Exception):
                status = self._play(
                    self._work, self._words, words, self._keep, blank, self._knobs, self._cards, self._policies,
                    self._traits, index, 1, loop.WATCHED, self._rows[:1], self._marks, self._counts, self._scratch,
                )  # fmt: skip
            found = int(words[0])
            if status != loop.FINE:
                self._scratch = records(1, scratch_type(self.match.game))  # clears the memory of the abandoned game
            if status in (loop.FINE, loop.CAPPED):
                return found
            if found < len(self._recorded) or found > _MOST:
                return -1
            self._recorded = records(4 * len(self._recorded), self.match.game.state)

    def _at(self, position: Array) -> Stepper:
        self._guest.record[0] = position[0]
        return self._guest

    def start(self, index: int) -> Array:
        """The position after the set-up of a game, State[1]."""
        return Stepper(self.match, self.seed, index).array

    def legal(self, position: Array) -> list[int]:
        """The legal actions, which the position then holds."""
        guest = self._at(position)
        actions = guest.legal()
        position[0] = guest.record[0]
        return actions

    def row(self, position: Array) -> Array:
        """The row of a finished game, Row[1]."""
        guest = self._at(position)
        guest.row()
        return guest.rows

    def tracks(self, position: Array) -> Array:
        """The numbers that are followed turn by turn (Game.tracks), int32 (tracks,)."""
        return np.array(list(self._at(position).tracks().values()), np.int32)

    def after(self, position: Array, action: int) -> Array:
        """A copy of the position after an action."""
        guest = self._at(position)
        guest.carry_out(action)
        return guest.array

    def as_seen_by(self, position: Array, seat: int, deal: int) -> Array:
        """A copy in which everything that a seat cannot see is dealt again; the same number gives the same deal."""
        guest = self._at(position)
        guest.branch(deal)
        guest.redraw(seat)
        return guest.array

    def of(self, position: Array, count: int, first: int = 0) -> Array:
        """Plays the futures number first .. first+count-1 of a position.

        The same number gives the same random draws, whatever was decided before, so actions are compared with common
        random numbers.

        Args:
            position: State[1], not over. count: at most the `most` of the constructor.
        Returns:
            Row[count], valid until the next call; `ending` is CUT_OFF for a truncated future.
        Raises:
            BotFault: a bot failed, as Match.play. RuntimeError: a defect of the lab.
        """
        rows = self._rows[:count]
        self._start[0] = position[0]
        done = 0
        while done < count:
            fault: Exception | None = None
            try:
                with self.match.watched(self.seed, self._marks):
                    status = self._play(
                        self._work, self._words, self._kept, self._guard, self._start, self._knobs, self._cards,
                        self._policies, self._traits, FIRST + first + done, count - done, loop.FUTURES,
                        rows[done:], self._marks, self._counts, self._scratch,
                    )  # fmt: skip
            except Exception as raised:  # noqa: BLE001 - the same again, by the way that explains it
                status, fault = loop.STUCK, raised
            if status == loop.FINE:
                break
            done = int(self._marks[0]) - FIRST - first
            if status != loop.CAPPED:
                self.match.play(self.seed, FIRST + first + done, 1, start=position[0])
                raise fault or RuntimeError(f"future {first + done}: the loop stops, and played alone it does not.")
            rows[done : done + 1]["ending"] = CUT_OFF
            self._scratch = records(1, scratch_type(self.match.game))  # clears the memory of the abandoned game
            done += 1
        return rows
