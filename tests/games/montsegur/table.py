"""Sets a table: one position of Montségur, in the rulebook's words, so that a test shows one rule.

    table = scene("crusader", hand=["S19"])
    table.points("S19", "Attack").edge("SP", "CRE").force(3)
    assert table.crusaders["CRE"] == 1 and table.fired["MS-ATK-05"] == 1

A scene is the start position in turn 1, both commanders active, hands empty but for what is named; soldiers that are
named replace those of their side at these locations. Tokens: F1..F6, dove, cross. Rules count from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simlab import compiler
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import Game
from simlab.games.montsegur import state as names
from simlab.games.montsegur.labels import ACTIONS
from simlab.games.montsegur.state import (
    ASIDE,
    BATCH,
    CAT,
    CODES,
    D_DESERT,
    D_EDGE,
    D_FORCE,
    D_INIT,
    D_PLAY,
    DECK,
    DISCARD,
    EDGES,
    FACE_DOWN,
    HAND,
    LOCATIONS,
    PLAY_COMMANDER,
    PLAY_CP,
    RESOLVED,
    SEATS,
    STACK,
    ZONE,
)
from simlab.registry import load_game

GAME: Game = load_game("montsegur")
RULES = tuple(rule.id for rule in GAME.rules)
TABLES = GAME.read_tables()
CARD_IDS = [str(row["id"]) for row in TABLES["commands"]]
TOKENS = ("F1", "F2", "F3", "F4", "F5", "F6", "dove", "cross")
DRAWERS = ("fate_cathar", "fate_crusader", "initiative")
DECISIONS = {decision.id: number for number, decision in enumerate(GAME.decisions)}


@cache
def _match(knobs: tuple[tuple[str, Any], ...], bots: tuple[str, str], tables: tuple[tuple[str, Path], ...]) -> Match:
    return Match(GAME, knobs=dict(knobs), bots=dict(zip(SEATS, bots, strict=True)), tables=dict(tables))


def match_of(
    knobs: Mapping[str, Any] | None = None,
    cathar: str = "random",
    crusader: str = "random",
    tables: Mapping[str, Path] | None = None,
) -> Match:
    """A match, made once for the same knobs, bots and tables."""
    return _match(tuple(sorted((knobs or {}).items())), (cathar, crusader), tuple(sorted((tables or {}).items())))


def edge(start: str, end: str) -> int:
    """Number of the edge between two locations."""
    for at, row in enumerate(TABLES["paths"]):
        if (row["a"], row["b"]) == (start, end):
            return 2 * at
        if (row["b"], row["a"]) == (start, end):
            return 2 * at + 1
    raise AssertionError(f"no path joins {start} and {end}")


def records(match: Match) -> tuple[Any, Any]:
    """Knobs and cards as a kernel called from Python takes them."""
    if compiler.compiling():
        return match.knobs[0], match.cards[0]
    return match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]


class Table:
    """A game at a position; acts in the rulebook's words, reads back what lies on the board."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper

    # --- what lies on the table ---

    @property
    def state(self) -> Any:
        return self.stepper.state

    def plain_state(self) -> Any:
        """The record as a kernel called from Python takes it."""
        return self.stepper._work.view(np.ndarray).view(GAME.state)[0] if compiler.compiling() else self.state

    def _soldiers(self, side: int) -> dict[str, int]:
        return {code: int(n) for code, n in zip(CODES, self.state.soldiers[side], strict=True) if n}

    @property
    def cathars(self) -> dict[str, int]:
        return self._soldiers(0)

    @property
    def crusaders(self) -> dict[str, int]:
        return self._soldiers(1)

    @property
    def battlefield(self) -> tuple[int, int]:
        return int(self.state.battlefield[0]), int(self.state.battlefield[1])

    @property
    def markers(self) -> tuple[int, int]:
        return int(self.state.markers[0]), int(self.state.markers[1])

    @property
    def scouts(self) -> tuple[int, int]:
        return int(self.state.scouts[0]), int(self.state.scouts[1])

    @property
    def morale(self) -> tuple[int, int]:
        return int(self.state.morale[0]), int(self.state.morale[1])

    @property
    def perfects(self) -> dict[str, int]:
        kinds = ("montsegur", "aspiring", "captured", "escaped", "burned", "repenting")
        return {kind: int(self.state[kind]) for kind in kinds if self.state[kind]}

    @property
    def trail(self) -> list[str]:
        return [name for at, name in enumerate(TOKENS) if not int(self.state.bag) >> at & 1]

    def cards(self, zone: int) -> list[str]:
        return [name for at, name in enumerate(CARD_IDS) if int(self.state.place[at]) & ZONE == zone]

    def hand(self, side: int) -> list[str]:
        return [CARD_IDS[int(c)] for c in self.state.hand[side, : int(self.state.hand_len[side])]]

    @property
    def discarded(self) -> list[str]:
        return self.cards(DISCARD)

    @property
    def resolved(self) -> list[str]:
        return self.cards(RESOLVED)

    @property
    def fired(self) -> Counter[str]:
        return Counter({rule: int(n) for rule, n in zip(RULES, self.state.fired, strict=True) if n})

    # --- how play stands ---

    @property
    def seat(self) -> str:
        return self.stepper.seat

    @property
    def decision(self) -> str:
        return str(self.stepper.decision.id)

    @property
    def over(self) -> bool:
        return self.stepper.over

    @property
    def ending(self) -> str:
        return GAME.endings[int(self.state.ending)]

    @property
    def points(self) -> tuple[int, int]:
        score = self.stepper.row()["score"]
        return int(score[0]), int(score[1])

    @property
    def winner(self) -> str:
        return SEATS[int(self.state.winner)]

    def legal(self) -> list[int]:
        return self.stepper.legal()

    # --- play ---

    def act(self, *actions: int) -> Table:
        for action in actions:
            self.stepper.apply(action)
        return self

    def event(self, card: str) -> Table:
        return self.act(self.hand(int(self.state.seat)).index(card))

    def spend(self, card: str, action: str = "") -> Table:
        """A card for its points; no preempting; then the action."""
        self.act(PLAY_CP + self.hand(int(self.state.seat)).index(card))
        if action and self.decision == "D_PREEMPT":
            self.act(0)
        return self.act(ACTIONS.index(action)) if action else self

    def command(self, action: str) -> Table:
        return self.act(PLAY_COMMANDER, ACTIONS.index(action))

    def edge(self, start: str, end: str) -> Table:
        assert self.decision == "D_EDGE", self.decision
        return self.act(edge(start, end))

    def force(self, number: int) -> Table:
        assert self.decision == "D_FORCE", self.decision
        return self.act(number - 1)

    def attack(self, start: str, end: str, number: int) -> Table:
        """Base, target and force, as far as they are asked."""
        if self.decision == "D_EDGE":
            self.edge(start, end)
        if self.decision == "D_FORCE":
            self.force(number)
        return self

    def redeploy(self, **strengths: int) -> Table:
        """Picks the locations named, in their order; then sets the strengths asked for."""
        for code in sorted(strengths, key=CODES.index):
            if self.decision == "D_REDEP_PICK":
                self.act(CODES.index(code))
        if self.decision == "D_REDEP_PICK" and LOCATIONS in self.legal():
            self.act(LOCATIONS)
        while self.decision == "D_REDEP_SET":
            self.act(strengths[CODES[int(self.state.placing)]])
        return self

    def token(self, name: str, drawer: str = "fate_cathar", after: Sequence[str] = ()) -> Table:
        """Loads the next token; `after`: those drawn before it in the same step."""
        bag = [at for at in range(8) if int(self.state.bag) >> at & 1 and TOKENS[at] not in after]
        if set(after) & {"dove", "cross"}:
            bag = list(range(8))
        self.stepper.force(drawer, bag.index(TOKENS.index(name)))
        return self

    def copy(self) -> Table:
        return Table(self.stepper.copy())

    def quiet(self) -> Table:
        """Answers with the first option until it is a side's play again, or over."""
        while not self.over and self.decision != "D_PLAY":
            self.act(self.legal()[0])
        return self

    def enter(self, stage: int) -> Table:
        """Goes on from a stage of play."""
        self.state.decision = D_INIT
        self.state.stage = stage
        return self.act(0)

    def upkeep(self) -> Table:
        """Hands emptied, straight into upkeep: on to its first question, the next turn's initiative or the end."""
        for side in range(2):
            clear_hand(self.state, side)
        return self.enter(names.STRATEGY_CAT)


def clear_hand(state: Any, side: int) -> None:
    """Hand cards go back into the deck."""
    for at in range(int(state.hand_len[side])):
        card = int(state.hand[side, at])
        state.deck[int(state.deck_len)] = card
        state.deck_len += 1
        state.place[card] = DECK | int(state.deck_batch) << BATCH
    state.hand_len[side] = 0


def take_from_deck(state: Any, card: int) -> None:
    deck = [int(c) for c in state.deck[: int(state.deck_len)] if int(c) != card]
    state.deck[: len(deck)] = deck
    state.deck_len = len(deck)


def give(state: Any, side: int, *ids: str) -> None:
    """Puts cards into a hand, from wherever they are."""
    hand = sorted([int(c) for c in state.hand[side, : int(state.hand_len[side])]] + [CARD_IDS.index(i) for i in ids])
    for name in ids:
        card = CARD_IDS.index(name)
        take_from_deck(state, card)
        batch = int(state.place[card]) >> BATCH if int(state.place[card]) & ZONE != ASIDE else 1
        state.place[card] = HAND + side | batch << BATCH
    state.hand[side, : len(hand)] = hand
    state.hand_len[side] = len(hand)


def stack(state: Any, side: int, *ids: str) -> None:
    for name in ids:
        card = CARD_IDS.index(name)
        take_from_deck(state, card)
        state.place[card] = STACK + side
        state.stack[side, int(state.stack_len[side])] = card
        state.stack_len[side] += 1


def scene(
    to_play: str = "cathar",
    *,
    hand: Sequence[str] = (),
    other: Sequence[str] = (),
    cathars: Mapping[str, int] | None = None,
    crusaders: Mapping[str, int] | None = None,
    bots: tuple[str, str] = ("random", "random"),
    tables: Mapping[str, Path] | None = None,
    set_: Mapping[str, Any] | None = None,
    phase: int = 0,
    second: bool = False,
    **knobs: Any,
) -> Table:
    """A position in turn 1, at a side's play.

    Args:
        to_play: whose play it is. hand, other: card IDs of that side and of the other.
        cathars, crusaders: soldiers by location; 0 clears one. A location given to a side is cleared of the other.
        set_: fields of the state, a pair by side as a tuple.
        phase, second: how far the turn is.
        knobs: knobs and switches that differ from the default.
    """
    stepper = Stepper(match_of(knobs, *bots, tables=tables), seed=1)
    state = stepper.state
    side = SEATS.index(to_play)
    for owner in range(2):
        clear_hand(state, owner)
    state.bag = names.FULL_BAG
    give(state, side, *hand)
    give(state, 1 - side, *other)
    for owner, soldiers in ((0, cathars or {}), (1, crusaders or {})):
        for code, number in soldiers.items():
            state.soldiers[owner, CODES.index(code)] = number
            if number:
                state.soldiers[1 - owner, CODES.index(code)] = 0
    for name, value in (set_ or {}).items():
        if isinstance(value, tuple):
            for owner in range(2):
                state[name][owner] = value[owner]
        else:
            state[name] = value
    state.decision = D_PLAY
    state.seat = state.active = side
    state.stage = names.PLAY
    state.start_player = 1 - side if second else side
    state.second = int(second)
    state.phase = phase
    state.activity = 1
    state.count[names.N_LAST_CREST] = 1 if state.soldiers[0, 3] else 2 if state.soldiers[1, 3] else 0
    state.fired[:] = 0
    return Table(stepper)


def play_out(table: Table, seed: int = 0) -> Table:
    """Random play to the end."""
    luck = np.random.default_rng(seed)
    while not table.over:
        table.act(int(luck.choice(table.legal())))
    return table


__all__ = [
    "CARD_IDS", "CAT", "DECISIONS", "DRAWERS", "D_DESERT", "D_EDGE", "D_FORCE", "EDGES", "FACE_DOWN", "GAME", "RULES",
    "TABLES", "Table", "clear_hand", "edge", "give", "match_of", "play_out", "records", "scene", "stack",
]  # fmt: skip
