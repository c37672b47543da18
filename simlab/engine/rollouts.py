"""The futures of a position: one game step by step, and any of its positions played on many times by compiled code.

The play loop plays on (`play_games` with `branching`): the same bots, the record as it is, and separate random draws
for each future. Arrays are made once for all positions, since a call of the loop costs far less than making them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.engine import deadline, loop
from simlab.engine.counts import counts_type, scratch_type
from simlab.engine.entry_points import records, view
from simlab.engine.explain import raised
from simlab.engine.match import Match
from simlab.errors import BotFault

Array = np.ndarray[Any, Any]
CUT_OFF = -1  #: `ending` of a truncated future
FIRST = loop.CHECKED_FIRST + 24  #: number of the first future; in those before it the loop looks for tampering


class Rollouts:
    """Positions of a match's games, and their futures.

    Args:
        seed: of the games. most: futures of one position at a time.
    """

    def __init__(self, match: Match, seed: int, most: int) -> None:
        match = match.without_metrics()  # they would begin in the middle of a game
        match.compile()
        self.match, self.seed = match, seed
        game = match.game
        self._play, self._policies = match.compiled.play(True)
        self._bots = match.compiled.players()
        self._step = match.compiled.step()
        self._guard = match.compiled.guard()
        self._knobs, self._cards = view(match.knobs), view(match.cards)
        self._traits = view(match.traits.view(match.compiled.traits_type).reshape(-1))
        self._counts, self._scratch = records(1, counts_type(game)), records(1, scratch_type(game))
        self._work, self._start = records(1, game.state), records(1, game.state)
        self._words = self._work.view(np.ndarray).view(np.uint32)
        self._kept = np.zeros_like(self._words)
        self._rows = records(most, game.row_type)
        self._marks = np.zeros(4, np.int64)
        self._blank = view(match.blank_state(seed))
        self._one_row = records(1, game.row_type)
        self._values = np.zeros(len(game.tracks), np.int32)

    def positions(self, index: int) -> Iterator[Array]:
        """Plays one game and stops before each of its decisions.

        Yields:
            the record, State[1], with the legal actions in it; the game continues in it, so copy it to keep it.
        """
        position = records(1, self.match.game.state)
        self.step(position, loop.SET_UP, index)
        while not position["over"][0]:
            self.step(position, loop.LEGAL)
            yield position
            state = position[0]
            seat = int(state["seat"])
            try:
                with deadline.Call(lambda: self._asked(index, seat)):  # noqa: B023 - called while the bot is asked
                    action = self._bots[seat](state, self._knobs[0], self._cards[0], self.match.traits[seat])
            except Exception as fault:  # any error of a bot is a fault of the bot
                who, where = self._asked(index, seat)
                raise BotFault(f"{who} {raised(fault)} ({where}).", game=self.match.game.slug) from fault
            self.step(position, loop.APPLY, int(action))

    def step(self, position: Array, what: int, argument: int = 0) -> None:
        """One step of the game in a record, as in simlab.engine.loop.step_game."""
        with deadline.Call(lambda: (f"{self.match.game.slug}'s rules", f"a game of seed {self.seed}")):
            try:
                self._step(position, self._blank, self._knobs, self._cards, self._one_row, self._values, what, argument)
            except Exception as fault:  # any error of a rule is a fault of the game
                game = self.match.game
                raise BotFault(f"{game.slug}'s rules {raised(fault)} (seed {self.seed}).", game=game.slug) from fault

    def _asked(self, index: int, seat: int) -> tuple[str, str]:
        """Who is asked, and where, for the watchdog of hanging calls."""
        bot = self.match.bots[seat]
        return f"bot '{bot.text}' ({bot.seat})", f"game {index} of seed {self.seed}"

    def row(self, position: Array) -> Array:
        """The row of a game that is over, Row[1]."""
        self._one_row[0] = records(1, self.match.game.row_type)[0]
        self.step(position, loop.ROW)
        return self._one_row

    def tracks(self, position: Array) -> Array:
        """The tracks at the start of each turn (Game.tracks), int32 (tracks,)."""
        self.step(position, loop.TRACKS)
        return self._values.copy()

    def after(self, position: Array, action: int) -> Array:
        """A copy of the position after an action."""
        copy = position.copy()
        self.step(copy, loop.APPLY, action)
        return copy

    def as_seen_by(self, position: Array, seat: int, deal: int) -> Array:
        """A copy in which everything that a seat cannot see is dealt again; the same number, the same deal."""
        copy = position.copy()
        self.step(copy, loop.BRANCH, deal)
        self.step(copy, loop.REDRAW, seat)
        return copy

    def of(self, position: Array, count: int, first: int = 0) -> Array:
        """Plays a position on, by its futures number first .. first+count-1.

        The same number gives the same random draws, whatever was decided before: actions share common random numbers.

        Args:
            position: State[1], not over. count: at most the `most` of the constructor.
        Returns:
            Row[count], valid until the next call; `ending` is CUT_OFF for a truncated future.
        Raises:
            BotFault: a bot failed, as Match.play. RuntimeError: a defect of the lab's.
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
                        self._policies, self._traits, FIRST + first + done, count - done, 1, rows[done:], self._marks,
                        self._counts, self._scratch,
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
            self._scratch = records(1, scratch_type(self.match.game))  # memory of the game that was left
            done += 1
        return rows
