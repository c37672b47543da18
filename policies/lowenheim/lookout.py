"""How Lowenheim's bots read the map: contact, the nearest intruders, threats (rule ledger, section 7.1)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, State
from simlab.games.lowenheim.board import able, in_reach, is_ordinary
from simlab.games.lowenheim.state import CG, DIRECTIONS, FAR, PLACES, M

NOWHERE = np.int64(-1)
NEAR = 3  # path distance at which intruders threaten a place, and defenders next to its main hex count against them


@kernel
def home(cards: Cards, seat: int) -> int:
    """Main hex of a faction's home base; places have the same numbers as seats."""
    return np.int64(cards.main[seat])


@kernel
def in_contact(state: State, cards: Cards, h: int) -> bool:
    """Whether an intruder is in a hex or can attack the hex from where it is."""
    if state.their_heads[h] > 0:
        return True
    for way in range(DIRECTIONS):
        there = np.int64(cards.beside[h, way])
        if there >= 0 and state.their_heads[there] > 0 and in_reach(state, cards, h, np.int64(way)):
            return True
    return False


@kernel
def nearest_intruders(state: State, cards: Cards, h: int, reach: int) -> int:
    """NI(h, reach): the hex of the nearest intruders by path, NOWHERE for none; ties: larger group, then lower id."""
    best = NOWHERE
    nearest = min(np.int64(reach), FAR - 1)
    most = np.int64(0)
    for there in range(cards.n_hexes):
        if state.their_heads[there] == 0:
            continue
        distance = np.int64(cards.path[state.config, h, there])
        if distance < nearest or (distance == nearest and np.int64(state.theirs[there]) > most):
            best = np.int64(there)
            nearest = distance
            most = np.int64(state.theirs[there])
    return best


@kernel
def nearest_by_air(state: State, cards: Cards, h: int, reach: int) -> int:
    """Like `nearest_intruders`, by hex distance."""
    best = NOWHERE
    nearest = np.int64(reach)
    most = np.int64(0)
    for there in range(cards.n_hexes):
        if state.their_heads[there] == 0:
            continue
        distance = np.int64(cards.flight[h, there])
        if distance < nearest or (distance == nearest and np.int64(state.theirs[there]) > most):
            best = np.int64(there)
            nearest = distance
            most = np.int64(state.theirs[there])
    return best


@kernel
def threat(state: State, cards: Cards, place: int) -> int:
    """Size of the intruders within NEAR of a place's main hex, minus the size of the defenders in or next to it, by
    path.
    """
    main = np.int64(cards.main[place])
    danger = np.int64(0)
    for h in range(cards.n_hexes):  # paths are symmetric, and this order reads a single row of the table
        distance = np.int64(cards.path[state.config, main, h])
        danger += np.int64(state.theirs[h]) * np.int64(distance <= NEAR)
        danger -= np.int64(state.ours[h]) * np.int64(distance <= 1)
    return danger


@kernel
def most_threatened(state: State, cards: Cards, h: int, reach: int) -> int:
    """Main hex of the place with the highest positive threat within reach of a hex; NOWHERE for none."""
    best = NOWHERE
    highest = np.int64(0)
    for place in range(PLACES):
        main = np.int64(cards.main[place])
        if np.int64(cards.path[state.config, h, main]) <= reach:
            danger = threat(state, cards, np.int64(place))
            if danger > highest:
                highest = danger
                best = main
    return best


@kernel
def worst_place(state: State, cards: Cards) -> int:
    """Main hex of the place with the highest threat, positive or not."""
    best = np.int64(0)
    highest = threat(state, cards, best)
    for place in range(1, PLACES):
        danger = threat(state, cards, np.int64(place))
        if danger > highest:
            best, highest = np.int64(place), danger
    return np.int64(cards.main[best])


@kernel
def able_in_contact(state: State, cards: Cards, seat: int) -> int:
    """Able roster figures of a faction that are in contact."""
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if able(state, np.int64(f)) and in_contact(state, cards, np.int64(state.hex[f])):
            n += 1
    return n


@kernel
def ordinary_on_map(state: State, cards: Cards, seat: int) -> int:
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        n += np.int64(state.hex[f] >= 0 and is_ordinary(cards, np.int64(f)))
    return n


@kernel
def has_gate_guard(state: State, seat: int, first: int, last: int) -> bool:
    """Whether a group of the City Guard holds one of figures 6 to 9, whose post is the Main Gate."""
    if seat != CG:
        return False
    for at in range(first, last):
        if 6 <= np.int64(state.queue[at]) <= 9:
            return True
    return False


@kernel
def gate(cards: Cards) -> int:
    return np.int64(cards.main[M])
