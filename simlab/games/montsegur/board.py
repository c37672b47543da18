"""Montségur's board: tracks and surrender, control, paths, defence bonuses, routes to the outside."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import trailing_zeros
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s

NO_LIMIT = 999  # room in a command centre


@small_kernel
def ask(state: State, side: int, decision: int) -> None:
    """Asks a side for a decision."""
    state.seat = side
    state.decision = decision


@small_kernel
def single(mask: int) -> bool:
    """Whether a mask holds exactly one bit."""
    return mask != 0 and mask & (mask - 1) == 0


@small_kernel
def lowest(mask: int) -> int:
    """Position of the lowest bit of a mask that has one."""
    return trailing_zeros(mask)


# --- Tracks and surrender -------------------------------------------------------


@kernel
def surrender(state: State, side: int, ending: int) -> None:
    """MS-END-01, MS-END-02: a side surrenders at once; only the first surrender counts."""
    if state.surrendered != s.NOBODY:
        return
    if ending == s.FOOD_OUT or ending == s.FAITH_LOST:
        count_rule(state, rule.MS_END_02)
    else:
        count_rule(state, rule.MS_END_01)
    state.surrendered = side
    state.ending = ending
    state.end_turn = state.turn


@kernel
def moved(state: State, knobs: Knobs, now: int, by: int) -> int:
    """MS-GEN-04, MS-GEN-05: the value of a track after a change."""
    count_rule(state, rule.MS_GEN_07)
    if now + by > knobs.track_max:
        count_rule(state, rule.MS_GEN_04)
        return max(np.int64(knobs.track_max), now)
    if now + by <= 0:
        count_rule(state, rule.MS_GEN_05)
        return 0
    return now + by


@kernel
def change_morale(state: State, knobs: Knobs, side: int, by: int) -> None:
    state.morale[side] = moved(state, knobs, np.int64(state.morale[side]), by)
    if state.morale[side] == 0:
        surrender(state, side, s.CAT_MORALE if side == s.CAT else s.CRU_MORALE)


@kernel
def change_food(state: State, knobs: Knobs, by: int) -> None:
    state.food = moved(state, knobs, np.int64(state.food), by)
    if state.food == 0:
        surrender(state, s.CAT, s.FOOD_OUT)


@kernel
def change_faith(state: State, knobs: Knobs, by: int) -> None:
    """Changes Faith; a fall to 0 after a surrender is not handled here (MS-END-06)."""
    state.faith = moved(state, knobs, np.int64(state.faith), by)
    if state.faith == 0:
        surrender(state, s.CAT, s.FAITH_LOST)


@small_kernel
def gain_markers(state: State, side: int, number: int) -> None:
    count_rule(state, rule.MS_GEN_03)
    state.markers[side] += number
    state.count[s.N_GAINED + side] += number


# --- Control (MS-LOC) -------------------------------------------------------------


@small_kernel
def centre(side: int) -> int:
    """A side's command centre."""
    return s.MC if side == s.CAT else s.CC


@kernel
def controlled(state: State, side: int) -> int:
    """MS-LOC-01 to MS-LOC-03: mask of the locations that a side controls."""
    mask = np.int64(0)
    for place in range(s.LOCATIONS):
        mask |= np.int64(state.soldiers[side, place] > 0) << place
    own = centre(side)
    return mask | np.int64(state.soldiers[1 - side, own] == 0) << own


@small_kernel
def room(state: State, place: int) -> int:
    """MS-MAP-02: how many soldiers a location can hold."""
    if place == s.MC or place == s.CC:
        return NO_LIMIT
    return np.int64(state.capacity[place])


# --- Paths (MS-PTH) ---------------------------------------------------------------


@small_kernel
def joined(state: State, cards: Cards, side: int, start: int) -> int:
    """MS-PTH-02: mask of the locations to which a side has an unblocked path from `start`, including `start`."""
    return reach(state, cards, side, start, s.ALL_LOCATIONS & ~controlled(state, 1 - side))


@small_kernel
def reach(state: State, cards: Cards, side: int, start: int, free: int) -> int:
    """Like `joined`, but takes the mask of the locations that the enemy does not control.

    MS-PTH-03: a side can use the Caves only after an event has opened them to it.
    """
    return np.int64(cards.region[np.uint32(state.caves[side]), np.uint32(start), np.uint32(free)])


@small_kernel
def up_to_highest(mask: int) -> int:
    """Mask of the locations up to the highest one of a mask."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    return mask | mask >> 8


@kernel
def least_crusaders(state: State, cards: Cards) -> int:
    """MS-REI-06: Crusaders on the Cathars' best route between castle and outside, before `path_less`."""
    best = NO_LIMIT
    for route in range(cards.n_routes):
        if not cards.route_caves[route] or state.caves[s.CAT]:
            number = np.int64(0)
            for step in range(cards.route_len[route]):
                number += state.soldiers[s.CRU, cards.route[route, step]]
            best = min(best, number)
    return best


@small_kernel
def on_the_path(state: State, cards: Cards) -> int:
    """Like `least_crusaders`, minus the effect of Hidden Paths."""
    return max(0, least_crusaders(state, cards) - np.int64(state.path_less))


# --- Defence (MS-DEF, MS-TRB, MS-FLK) ---------------------------------------------


@small_kernel
def defence_bonus(state: State, knobs: Knobs, cards: Cards, edge: int) -> int:
    """MS-DEF-01, MS-TRB-01 to MS-TRB-04: defence bonus of the location that an edge leads into."""
    bonus = np.int64(state.bonus[edge])
    in_force = not knobs.trebuchet_needs_crest or state.soldiers[s.CRU, s.CRE] > 0
    if cards.edge_trebuchet[edge] and state.trebuchets > 0 and in_force:
        bonus = max(0, bonus - state.trebuchets * knobs.trebuchet_power)
    return bonus


@small_kernel
def flanking(state: State, knobs: Knobs, cards: Cards, side: int, edge: int) -> int:
    """MS-FLK-01: Crusaders that a Cathar attack on the Crest first draws into the Battlefield."""
    if side == s.CAT and cards.edge_to[edge] == s.CRE and state.soldiers[s.CAT, s.RDT] > 0:
        return min(np.int64(knobs.flank_soldiers), np.int64(state.soldiers[s.CRU, s.CRE]))
    return 0


@kernel
def bonus_met(state: State, knobs: Knobs, cards: Cards, side: int, edge: int, less: int, bare: int) -> int:
    """MS-ATK-04 to MS-ATK-06, MS-FLK-02: number of attackers lost to the defence bonus, for any size of the force."""
    place = cards.edge_to[edge]
    enemy = 1 - side
    defenders = np.int64(state.soldiers[enemy, place])
    if place != centre(enemy):
        if defenders == 0:
            return 0
        if defenders == flanking(state, knobs, cards, side, edge) and knobs.flank_then_bonus == 0:
            return 0
    if bare:
        return 0
    return max(0, defence_bonus(state, knobs, cards, edge) - less)


@kernel
def attack_edges(state: State, cards: Cards, side: int, at: int) -> int:
    """MS-ATK-02, MS-ATK-03: mask of the edges over which a side may attack one of the locations in `at`."""
    own = controlled(state, side)
    enemy = controlled(state, 1 - side)
    return edges_between(
        state, cards, side, own & reach(state, cards, side, centre(side), s.ALL_LOCATIONS & ~enemy), at & ~own
    )


@small_kernel
def beside_any(state: State, cards: Cards, side: int, places: int) -> int:
    """Mask of the locations that are joined to a location of a set by an edge open to a side."""
    return np.int64(cards.beside[np.uint32(state.caves[side]), np.uint32(places)])


@small_kernel
def edges_between(state: State, cards: Cards, side: int, bases: int, targets: int) -> int:
    """Mask of the edges open to a side that lead from one set of locations into another."""
    leaving = np.int64(cards.leaving[np.uint32(state.caves[side]), np.uint32(bases)])
    return leaving & np.int64(cards.entering[np.uint32(targets)])


@kernel
def enter(state: State, side: int, place: int, number: int) -> None:
    """Moves soldiers into a location; MS-LOC-05: entering the enemy's command centre ends the game."""
    state.soldiers[side, place] += number
    if place == centre(1 - side) and number > 0:
        count_rule(state, rule.MS_LOC_05)
        surrender(state, 1 - side, s.CASTLE_LOST if side == s.CRU else s.CAMP_LOST)
