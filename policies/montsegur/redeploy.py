"""The Redeploy plan: how many soldiers each location should have."""

from __future__ import annotations

import numpy as np

from policies.montsegur.measures import NONE, STORM
from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, State
from simlab.games.montsegur.actions import unsettled
from simlab.games.montsegur.board import centre, controlled, joined, lowest
from simlab.games.montsegur.state import CAT, CRE, CRU, EW, LOCATIONS, NE, NP, RDT, SE, SP, STOP_PICKING, WP, WW

PAIR = np.int64(2)  # points that the smallest Redeploy takes: one for each location (MS-RED-01)
# How many soldiers a side wants in a location.
FULL_RING = 5  # in each way out: the Cathars can hardly slip past this many
THIN = 1  # enough to control it: the eastern ways once the Crest, which they cross, is strong
STRONG_CREST = 3
CAVES_GUARD = 4  # in the north, where the Caves come out
WALL_GUARD = 2
AHEAD_OF_ALL = 100  # wider than any gap


@small_kernel
def target(state: State, side: int, place: int) -> int:
    """How many soldiers a side wants in a location."""
    if side == CRU:
        if place == WP or place == SP or place == SE or place == NE:
            return THIN if place != WP and state.soldiers[CRU, CRE] >= STRONG_CREST else FULL_RING
        if place == NP:
            return CAVES_GUARD if state.caves[CAT] else THIN
        return STRONG_CREST if place == CRE else 0
    if place == WW or place == EW or place == CRE:
        return WALL_GUARD
    return THIN if place == RDT else 0


@small_kernel
def gap(state: State, side: int, place: int) -> int:
    return max(0, target(state, side, place) - np.int64(state.soldiers[side, place]))


@kernel
def reinforceable(state: State, cards: Cards, side: int) -> int:
    """Mask of the controlled locations that are joined to the side's command centre, without the centre."""
    own = controlled(state, side) & joined(state, cards, side, centre(side))
    return own & ~(np.int64(1) << centre(side))


@kernel
def has_plan(state: State, cards: Cards, side: int) -> bool:
    if state.soldiers[side, centre(side)] == 0:
        return False
    left = reinforceable(state, cards, side)
    while left:
        if gap(state, side, lowest(left)) > 0:
            return True
        left &= left - 1
    return False


@kernel
def planned_picks(state: State, cards: Cards, side: int, points: int, style: int) -> int:
    """Mask: the command centre and the locations with the largest gaps; STORM puts the Crest first."""
    left = reinforceable(state, cards, side)
    picks = np.int64(1) << centre(side)
    for _ in range(points - 1):
        best, widest = NONE, 0
        for place in range(LOCATIONS):
            if (left >> place) & 1:
                width = gap(state, side, place)
                if style == STORM and place == CRE and width > 0:
                    width += AHEAD_OF_ALL
                if width > widest:
                    best, widest = place, width
        if best == NONE:
            break
        picks |= np.int64(1) << best
        left &= ~(np.int64(1) << best)
    return picks


@kernel
def answer_pick(state: State, cards: Cards, side: int, style: int) -> int:
    if not has_plan(state, cards, side):
        return STOP_PICKING if state.in_event and state.picks == 0 else np.int64(state.legal[0])
    left = planned_picks(state, cards, side, np.int64(state.redeploy_cp), style) & ~np.int64(state.picks)
    if left:
        pick = lowest(left)
        for i in range(state.n_legal):
            if state.legal[i] == pick:
                return pick
    return np.int64(state.legal[state.n_legal - 1])


@kernel
def answer_strength(state: State, side: int) -> int:
    place = np.int64(state.placing)
    later = 0
    others = unsettled(state) & ~(np.int64(1) << place) & ~(np.int64(1) << centre(side))
    while others:
        later += np.int64(state.soldiers[side, lowest(others)])
        others &= others - 1
    wanted = min(target(state, side, place), np.int64(state.to_place) - later)
    return min(max(wanted, np.int64(state.legal[0])), np.int64(state.legal[state.n_legal - 1]))
