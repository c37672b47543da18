"""Line-ups reached by best answers: each seat in turn takes the bot that does best with the others."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simlab.bot_registry import bots_for
from simlab.compiler.parallel import processors
from simlab.engine.conduct import check_bots
from simlab.engine.match import Batch, Match
from simlab.engine.payoff import Payoff, seeks_score
from simlab.errors import BotFault
from simlab.game import Array, Game
from simlab.spec import bans
from simlab.spec.card_tables import Tables

CHOSEN = 4  #: one game in this number selects the bots; the others judge them
EQUAL = 0.999  #: level at which the games that select the bots must show that a bot is worse than the best
FIRST_JUDGED = 1 << 41  #: first of the games that judge
MOST_ROUNDS = 6  #: most rounds of best answers; after these, the current bots of the other seats are used

Field = Sequence[Mapping[str, str]]  # line-ups, a bot of each seat


@dataclass
class Lab:
    """Plays and caches the games in which bots of a seat are compared."""

    game: Game
    bots: Mapping[str, Sequence[str]]  #: seat -> bots that it may choose among
    seed: int
    games: int
    workers: int = 1  #: how many threads play
    knobs: Mapping[str, object] = dataclasses.field(default_factory=dict)  #: knobs and tables: as for a Match
    tables: Mapping[str, Path] = dataclasses.field(default_factory=dict)
    first: int = FIRST_JUDGED  #: first of the games for judging
    _matches: dict[str, Match] = dataclasses.field(default_factory=dict)
    _making: Any = dataclasses.field(default_factory=threading.Lock)

    @property
    def rows(self) -> Tables:
        """The card tables of these games."""
        return self.game.read_tables(self.tables)

    @property
    def by_score(self) -> bool:
        return seeks_score(self.game)

    def payoff(self, seat: str) -> Payoff:
        return Payoff.of_seat(self.game, self.game.seats.index(seat))

    def play(
        self,
        field: Field,
        seat: str,
        bot: str,
        knobs: Mapping[str, str],
        judging: bool,
        part: tuple[int, int] | None = None,
        rows: Tables | None = None,
    ) -> Batch:
        """Plays a seat's bot with each line-up of a field, in equal numbers of games, to select a bot or to judge it.

        Args:
            part: first and last (not included) of these games; by default all. rows: card tables to play with.
        """
        first, count = (self.first, self.games) if judging else (0, max(self.games // CHOSEN, 20))
        ends = np.linspace(0, count, len(field) + 1).astype(int)
        inside = np.clip(ends, *(part or (0, count)))
        return Batch.joined(self.game, [
            self._match({**line_up, seat: bot}, knobs, rows).play(self.seed, first + int(start), int(stop - start))
            for line_up, start, stop in zip(field, inside, inside[1:], strict=False)
            if start < stop
        ])  # fmt: skip

    def _match(self, bots: Mapping[str, str], knobs: Mapping[str, str], rows: Tables | None = None) -> Match:
        key = repr(sorted(bots.items()))
        with self._making:
            if key not in self._matches:
                made = Match(self.game, knobs=self.knobs, tables=self.tables, bots=bots)
                check_bots(made, self.seed)
                made.compile()
                self._matches[key] = made
        match = self._matches[key]
        return match.with_knobs(together(match.knobs_set, knobs), rows) if knobs or rows else match

    def value(self, played: Batch, seat: str) -> Array:
        """Value of each game to a seat."""
        return self.payoff(seat).values(played.rows)

    def score(self, played: Batch, seat: str) -> Array:
        """The seat's score in each game, or its share of the win if there are no scores."""
        return replace(self.payoff(seat), by_score=self.game.has_scores).values(played.rows)

    def best(self, field: Field, seat: str, knobs: Mapping[str, str], rows: Tables | None = None) -> str:
        """The seat's bot that does best in a field. Raises BotFault if no bot of the seat plays to the end."""
        return self.contenders(field, seat, knobs, rows)[0]

    def contenders(
        self, field: Field, seat: str, knobs: Mapping[str, str], rows: Tables | None = None
    ) -> tuple[str, ...]:
        """The seat's bot that does best in a field, then those that the same games do not show to be worse.

        Raises:
            BotFault: no bot of the seat plays to the end.
        """
        if len(self.bots[seat]) == 1:
            return (self.bots[seat][0],)
        found, fault = {}, None
        for bot in self.bots[seat]:
            try:
                found[bot] = self.value(self.play(field, seat, bot, knobs, False, rows=rows), seat)
            except BotFault as caught:
                fault = caught
        if not found and fault is not None:
            raise fault
        best = max(found, key=lambda bot: float(found[bot].mean()))
        payoff = self.payoff(seat)
        rest = (bot for bot in found if bot != best and payoff.paired(found[best], found[bot], EQUAL).high >= 0)
        return (best, *rest)

    def field(self) -> Field:
        """The line-ups to which best answers lead: each seat takes its best bot in turn, until line-ups repeat."""
        chosen = {seat: bots[0] for seat, bots in self.bots.items()}
        passed: list[dict[str, str]] = []
        for _ in range(MOST_ROUNDS):
            for seat in self.game.seats:
                chosen = {**chosen, seat: self.best([chosen], seat, {})}
                if chosen in passed[:-1] and chosen != passed[-1]:
                    return passed[passed.index(chosen) :]
                passed.append(chosen)
            if all(one == chosen for one in passed[-len(self.game.seats) :]):
                break
        return passed[-1:]


def together(*several: Mapping[str, Any]) -> dict[str, Any]:
    """Combines knobs: bans and blanked cards add up, and for any other knob the last value applies."""
    joined: dict[str, Any] = {}
    for knobs in several:
        for name, value in knobs.items():
            adds = name in joined and (name == bans.NAME or name.startswith(("blank_", "cards_")))
            joined[name] = f"{joined[name]}+{value}" if adds else value
    return joined


def lab_of(chosen: Any, games: int, workers: int | None = None, given: bool = True) -> Lab:
    """The lab of a command: the bots that it names, and all listed bots of seats for which it names none.

    Args:
        chosen: the game and options of a command (simlab.runs.open_experiment.Variant).
        given: whether to use the bots that the command names; if not, all listed bots of all seats.
    """
    game, named = chosen.game, chosen.named if given else {}
    field = chosen.field if named else {}
    listed = {seat: sorted(bots_for(game, seat), key="random".__eq__) for seat in game.seats}  # random play last
    bots = {seat: field[seat] if seat in named or "*" in named else listed[seat] for seat in game.seats}
    return Lab(game, bots, chosen.seed, max(games, 2), workers or processors(), chosen.knobs, chosen.tables)


def strong_bots(chosen: Any, notify: Callable[[str], None], games: int = 400) -> dict[str, str]:
    """A listed bot for each seat, each a best answer to the others, if best answers converge. chosen: as `lab_of`."""
    notify("Choosing the bots.")
    return dict(lab_of(chosen, games, given=False).field()[-1])
