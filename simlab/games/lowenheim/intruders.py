"""The intruders: arrival, aims, activation (LW-ENM). They take no decisions; their dice have streams of their own."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import d6, has_room, is_down, is_ours, put
from simlab.games.lowenheim.march import march

NEAREST, SECOND, AGAIN, NAMED = (np.int64(n) for n in range(4))  # of the table aims; NAMED + place
FARTHEST_START = 6  # LW-ENM-03


@kernel
def enemy_movement(state: State, knobs: Knobs, cards: Cards) -> None:
    """Step 4: a troop arrives on its turns, then the intruders act one by one (LW-ENM-01 to LW-ENM-08)."""
    first = np.int64(knobs.first_troop_turn)
    turn = np.int64(state.turn)
    if turn >= first and (turn - first) % np.int64(knobs.troop_interval) == 0:
        arrive(state, knobs, cards)
    for at in range(s.FIRST_INTRUDER, s.FIGURES):
        f = np.int64(at)
        if state.hex[f] >= 0 and not is_ours(state, f):
            activate(state, knobs, cards, f)


# --- Arrival --------------------------------------------------------------------


@kernel
def arrive(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-ENM-01: rolls the troop, the house (two dice) and the aim (one or two); adds an ogre for each pending card."""
    count_rule(state, rule.LW_ENM_01)
    count_rule(state, rule.LW_ENM_12)
    skaven = np.int64(0)
    for _ in range(knobs.troop_dice):
        skaven += d6(state, s.ARRIVAL_STREAM)
    tens = d6(state, s.ARRIVAL_STREAM)
    units = d6(state, s.ARRIVAL_STREAM)
    aim = np.int64(cards.aim_first[d6(state, s.ARRIVAL_STREAM) - 1])
    if aim == AGAIN:
        aim = np.int64(cards.aim_second[d6(state, s.ARRIVAL_STREAM) - 1])
    ogres = np.int64(state.ogres_pending)
    if ogres > 0:
        count_rule(state, rule.LW_EVT_07)
    state.ogres_pending = 0
    house = open_house(state, cards, (tens - 1) * 6 + units - 1)
    if house < 0:
        state.count[s.N_NOT_PLACED] += ogres + skaven
        return
    place_troop(state, knobs, cards, house, aim_of(state, cards, house, aim), ogres, skaven)


@kernel
def open_house(state: State, cards: Cards, house: int) -> int:
    """LW-ENM-02: the house or, if it has burnt down, the next one that has not; -1 if all houses have burnt down."""
    at = house
    for _ in range(s.HOUSES):
        if np.int64(state.fire[cards.house_fire[at]]) != s.BURNT:
            return at
        count_rule(state, rule.LW_ENM_02)
        count_rule(state, rule.LW_FIR_06)
        at = (at + 1) % s.HOUSES
    return s.NOBODY


@kernel
def from_house(state: State, cards: Cards, house: int, h: int) -> int:
    """LW-ENM-03: distance of a hex from a house; the house's mouths are at distance 1."""
    best = s.FAR
    for at in range(cards.mouth_len[house]):
        mouth = np.int64(cards.mouth[house, at])
        if is_down(state, cards, mouth):
            continue
        there = np.int64(cards.path[state.config, mouth, h]) + 1
        if there < best:
            best = there
    return best


@kernel
def aim_of(state: State, cards: Cards, house: int, aim: int) -> int:
    """LW-ENM-04: the nearest place, the second nearest, or a named one."""
    count_rule(state, rule.LW_ENM_04)
    if aim >= NAMED:
        return aim - NAMED
    first = np.int64(0)
    for place in range(1, s.PLACES):
        if from_house(state, cards, house, cards.main[place]) < from_house(state, cards, house, cards.main[first]):
            first = np.int64(place)
    if aim == NEAREST:
        return first
    second = np.int64(1 if first == 0 else 0)
    for place in range(s.PLACES):
        distance = from_house(state, cards, house, cards.main[place])
        if place != first and distance < from_house(state, cards, house, cards.main[second]):
            second = np.int64(place)
    return second


@kernel
def place_troop(state: State, knobs: Knobs, cards: Cards, house: int, aim: int, ogres: int, skaven: int) -> None:
    """LW-ENM-03: places the troop in hexes outside the enclosures without a defender: nearest hexes first, ogres
    first."""
    count_rule(state, rule.LW_ENM_03)
    left = ogres + skaven
    number = s.FIRST_INTRUDER
    for distance in range(1, FARTHEST_START + 1):
        for h in range(cards.n_hexes):
            if left == 0:
                return
            if cards.enclosed[h] or state.our_heads[h] > 0 or is_down(state, cards, np.int64(h)):
                continue
            if from_house(state, cards, house, np.int64(h)) != distance:
                continue
            while left > 0:
                while number < s.FIGURES and (state.hex[number] >= 0):
                    number += 1
                if number >= s.FIGURES or on_sheet(state) >= knobs.intruder_cap:
                    break
                state.kind[number] = s.K_OGRE if left > skaven else s.K_SKAVEN
                state.ctrl[number] = s.SKAVEN_SIDE
                if not has_room(state, knobs, cards, number, np.int64(h)):
                    break
                come(state, cards, number, np.int64(h), aim)
                left -= 1
    state.count[s.N_NOT_PLACED] += left


@kernel
def on_sheet(state: State) -> int:
    """Number of intruders on the map, including controlled ones."""
    n = np.int64(state.their_number)
    for slot in range(state.controlled.size):
        if np.int64(state.controlled[slot]) >= s.FIRST_INTRUDER:
            n += 1
    return n


@kernel
def come(state: State, cards: Cards, f: int, h: int, aim: int) -> None:
    state.status[f] = 0
    state.wounds[f] = cards.wounds[state.kind[f]]
    state.stun[f] = 0
    state.marks[f] = 0
    state.aim[f - s.FIRST_INTRUDER] = aim
    put(state, cards, f, h)
    state.count[s.N_ARRIVED] += 1


# --- Activation -----------------------------------------------------------------


@kernel
def activate(state: State, knobs: Knobs, cards: Cards, f: int) -> None:
    """LW-ENM-05 to LW-ENM-08."""
    count_rule(state, rule.LW_ENM_05)
    if state.stun[f] > 0:
        count_rule(state, rule.LW_MOV_11)
        return
    h = np.int64(state.hex[f])
    if state.our_heads[h] > 0:
        return
    new_aim(state, knobs, cards, f, h)
    goal = lured_to(state, knobs, cards, h)
    if goal < 0:
        goal = np.int64(cards.main[state.aim[f - s.FIRST_INTRUDER]])
    count_rule(state, rule.LW_ENM_07)
    if goal != h:
        count_rule(state, rule.LW_ENM_08)
        march(state, knobs, cards, f, goal, np.int64(cards.move[state.kind[f]]))


@kernel
def new_aim(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> None:
    """LW-ENM-06: if enough other intruders hold the aim, or it cannot be reached, aims at the nearest place not
    held.
    """
    main = np.int64(cards.main[state.aim[f - s.FIRST_INTRUDER]])
    if h == main:
        return
    unreachable = np.int64(cards.path[state.config, h, main]) >= s.FAR
    if not unreachable and (state.our_heads[main] > 0 or state.their_heads[main] < knobs.garrison):
        return
    best = s.NOBODY
    nearest = s.FAR
    for place in range(s.PLACES):
        there = np.int64(cards.main[place])
        held = state.their_heads[there] > 0 and state.our_heads[there] == 0
        if not held and np.int64(cards.path[state.config, h, there]) < nearest:
            best = np.int64(place)
            nearest = np.int64(cards.path[state.config, h, there])
    if best >= 0:
        count_rule(state, rule.LW_ENM_06)
        state.aim[f - s.FIRST_INTRUDER] = best


@kernel
def lured_to(state: State, knobs: Knobs, cards: Cards, h: int) -> int:
    """LW-ENM-07: the nearest hex with a defender within the lure, ties lowest id; -1 for none."""
    best = s.NOBODY
    if knobs.lure == 1:
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[h, way])
            if there < 0 or state.our_heads[there] == 0 or (best >= 0 and there > best):
                continue
            if np.int64(cards.path[state.config, h, there]) == 1:
                best = there
        return best
    nearest = np.int64(knobs.lure) + 1
    for there in range(cards.n_hexes):
        if state.our_heads[there] > 0 and np.int64(cards.path[state.config, h, there]) < nearest:
            best = np.int64(there)
            nearest = np.int64(cards.path[state.config, h, there])
    return best
