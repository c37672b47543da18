"""One position of Lowenheim in plain Python, so that a test shows one rule.

    city = scene()
    city.put("52", 1)
    city.skaven("53")
    city.roll("march", 3)
    assert march(*city.records, 1, city.at("54"), 2) == 0

A scene is the city of setup without a figure on the map, hands empty, turn 1. Figures and dice are numbered as in the
ledger: dice from 1. The functions are the game's own kernels, so the process runs with NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from simlab.engine.match import Match
from simlab.engine.setup import streams_of
from simlab.engine.streams import open_streams
from simlab.game import Game
from simlab.games.lowenheim import rules
from simlab.games.lowenheim.board import put
from simlab.games.lowenheim.state import FIRST_INTRUDER, K_OGRE, K_SKAVEN, SEATS, SKAVEN_SIDE, TYPE_LETTERS
from simlab.registry import load_game

GAME: Game = load_game("lowenheim")
RULES = tuple(rule.id for rule in GAME.rules)
STREAMS = streams_of(GAME)


@cache
def _match(knobs: tuple[tuple[str, Any], ...]) -> Match:
    return Match(GAME, knobs=dict(knobs), bots=dict.fromkeys(SEATS, "random"))


class Scene:
    """A position; `records` are the state, the knobs and the cards, as the game's functions take them."""

    def __init__(self, **knobs: Any) -> None:
        match = _match(tuple(sorted(knobs.items())))
        self._work = match.blank_state(1).view(np.recarray)
        self.state = self._work[0]
        self.knobs, self.cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
        open_streams(self.state, 0)
        rules.set_up_board(*self.records)
        rules.set_up_tokens(self.state, self.cards)
        self.state.turn, self.state.decision = 1, -1
        self.state.pieces = self.knobs.barricade_pool
        self.state.fired[:] = 0

    @property
    def records(self) -> tuple[Any, Any, Any]:
        return self.state, self.knobs, self.cards

    def at(self, name: str | int) -> np.int64:
        """The number of a passable hex by its name or id."""
        names = [bytes(cell).rstrip(b"\0").decode() for cell in self.cards.hex_name[: int(self.cards.n_hexes)]]
        return np.int64(names.index(str(name)) if str(name) in names else self.cards.number_of[int(name)])

    def hex_of(self, figure: int) -> str:
        h = int(self.state.hex[figure])
        return "" if h < 0 else bytes(self.cards.hex_name[h]).rstrip(b"\0").decode()

    def hex_of_number(self, h: int) -> str:
        return bytes(self.cards.hex_name[h]).rstrip(b"\0").decode()

    def put_until_full(self, name: str) -> None:
        """Fills all neighbours of a hex with the lowest foot figures that are off the map."""
        spare = [f for f in (*range(46, 61), *range(28, 36), *range(17, 22)) if self.state.hex[f] < 0]
        for h in self.cards.beside[self.at(name)]:
            while h >= 0 and int(self.state.ours[h]) < 6:
                self.put(self.hex_of_number(int(h)), spare.pop())

    def put(self, name: str | int, *figures: int) -> Scene:
        """Defenders on a hex, with full wounds."""
        for f in figures:
            self.state.status[f] = 0
            self.state.wounds[f] = self.cards.wounds[self.state.kind[f]]
            put(self.state, self.cards, np.int64(f), self.at(name))
        return self

    def skaven(self, name: str | int, number: int = 1, ogre: bool = False) -> list[np.int64]:
        """Intruders on a hex, the lowest free ids; returns these."""
        ids = []
        for _ in range(number):
            f = next(f for f in range(int(FIRST_INTRUDER), 181) if self.state.hex[f] < 0)
            self.state.kind[f] = K_OGRE if ogre else K_SKAVEN
            self.state.ctrl[f] = SKAVEN_SIDE
            self.put(name, f)
            ids.append(np.int64(f))
        return ids

    def hand(self, seat: str, **cards: int) -> Scene:
        """A hand by type, as A=2, F=1."""
        place = SEATS.index(seat)
        for kind, letter in enumerate(TYPE_LETTERS):
            self.state.hand[place, kind] = cards.get(letter, 0)
        self.state.held[place] = sum(cards.values())
        return self

    def cards_of(self, seat: str) -> str:
        """A hand as `AAF`."""
        counts = self.state.hand[SEATS.index(seat)]
        return "".join(letter * int(n) for letter, n in zip(TYPE_LETTERS, counts, strict=True))

    def roll(self, stream: str, *dice: int) -> Scene:
        """Loads the next dice of a stream."""
        for die in dice:
            self.state.forced_stream[self.state.forced_n] = STREAMS[stream]
            self.state.forced_value[self.state.forced_n] = die - 1
            self.state.forced_n += 1
        return self

    @property
    def dice_left(self) -> int:
        return int(self.state.forced_n)

    def ask(self, seat: str, decision: int, **fields: Any) -> list[int]:
        """Puts a decision before a faction; returns the legal actions."""
        self.state.seat, self.state.decision = SEATS.index(seat), decision
        for name, value in fields.items():
            setattr(self.state, name, value)
        return self.legal()

    def legal(self) -> list[int]:
        self.state.n_legal = 0
        rules.legal_actions(*self.records)
        return [int(a) for a in self.state.legal[: int(self.state.n_legal)]]

    def act(self, action: int) -> Scene:
        """Carries a decision out, and nothing that comes after it."""
        assert action in self.legal(), (action, self.legal())
        rules.carry_out(*self.records, np.int64(action))
        return self

    def fired(self, rule: str) -> int:
        return int(self.state.fired[RULES.index(rule)])


def scene(**knobs: Any) -> Scene:
    """A city of setup without a figure on the map."""
    return Scene(**knobs)


def begun(plan: int = 0, seed: int = 1, **knobs: Any) -> Scene:
    """A city with its figures in place by a deployment plan, hands dealt, at the start of turn 1."""
    city = Scene(**knobs)
    from simlab.games.lowenheim.cards import set_up_cards
    from simlab.games.lowenheim.events import set_up_decks

    set_up_cards(city.state, city.knobs)
    set_up_decks(city.state, city.cards)
    for seat in range(6):
        city.state.plans[seat] = plan
    rules.deploy(*city.records)
    return city
