"""The futures of a position: plays a game and keeps its positions, and plays on from any of them many times in compiled
code.

The play loop plays the futures (`loop.FUTURES`): with the same bots and separate random draws for each future. What no
seat has seen, such as the order of a deck, is drawn again for each (Game.reshuffle). The rest of the record stays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine import loop
from simlab.engine.entry_points import records, view
from simlab.engine.match import Match, PlayLoop
from simlab.engine.stepper import Stepper

Array = np.ndarray[Any, Any]
_ROOM = 256  # positions of a game for which there is room at first
CUT_OFF = -1  #: `ending` of a truncated future
FIRST = 1_024  #: number of the first future, because in games with low numbers the loop looks for tampering


class Rollouts:
    """Positions of a match's games with this seed, and their futures, at most `most` per call."""

    def __init__(self, match: Match, seed: int, most: int) -> None:
        match = match.without_metrics()  # they would begin in the middle of a game
        match.compile()
        self.match, self.seed = match, seed
        game = match.game
        self._loop, self._marks = PlayLoop(match), np.zeros(4, np.int64)
        self._start, self._rows = records(1, game.state), records(most, game.row_type)
        self._recorded = records(_ROOM, game.state)
        self._guest = Stepper(match, seed)

    def game(self, index: int) -> Array:
        """A game: its positions before each decision, with the legal actions in them, and at the end.

        Returns:
            State[decisions + 1]; the last one is not over if the game was truncated.
        Raises:
            BotFault: as Match.play.
        """
        blank = view(self.match.blank_state(self.seed))
        while True:
            words = self._recorded.view(np.ndarray).view(np.uint32)
            words[0] = 0
            status, fault = self._played(loop.WATCHED, blank, index, self._rows[:1], words)
            found = int(words[0])
            if status in (loop.FINE, loop.CAPPED):
                return view(np.concatenate([self._recorded[1 : 1 + found], self._loop.work]))
            if found < len(self._recorded):  # the loop did not stop for lack of room
                self.match.play(self.seed, index, 1)
                raise fault or RuntimeError(f"game {index}: the loop stops, and played alone it does not.")
            self._recorded = records(4 * len(self._recorded), self.match.game.state)

    def positions(self, index: int) -> list[Array]:
        """The positions of `game` before each decision, each State[1]."""
        game = self.game(index)
        return [game[place : place + 1] for place in range(len(game) - 1)]

    def _played(
        self, what: int, start: Array, first: int, rows: Array, positions: Array | None = None
    ) -> tuple[int, Exception | None]:
        """The status of the play loop, and the exception that ended it; arguments as of PlayLoop."""
        status, fault = loop.STUCK, None
        try:
            with self.match.watched(self.seed, self._marks):
                status = self._loop(what, start, first, rows, self._marks, positions)
        except Exception as raised:  # noqa: BLE001 - played again by the code that explains it
            fault = raised
        if status != loop.FINE:
            self._loop.clear()
        return status, fault

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
            status, fault = self._played(loop.FUTURES, self._start, FIRST + first + done, rows[done:])
            if status == loop.FINE:
                break
            done = int(self._marks[0]) - FIRST - first
            if status != loop.CAPPED:
                self.match.play(self.seed, FIRST + first + done, 1, start=position[0])
                raise fault or RuntimeError(f"future {first + done}: the loop stops, and played alone it does not.")
            rows[done : done + 1]["ending"] = CUT_OFF
            done += 1
        return rows
