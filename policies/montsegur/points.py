"""What points are worth (A of the ledger): the best action for so many."""

from __future__ import annotations

import numpy as np

from policies.montsegur.attacks import work_out_attacks
from policies.montsegur.measures import CLOSE, FAITHFUL, NEVER, UNKNOWN, Memo, escape_chance, gets_through, lead_chance
from policies.montsegur.redeploy import gap
from simlab.engine.jit import kernel, small_kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur.actions import scouts_bought
from simlab.games.montsegur.board import centre
from simlab.games.montsegur.state import (
    ATTACK,
    BOOST,
    CAT,
    CC,
    CONSOLE,
    CRE,
    CRU,
    ESCAPE,
    EW,
    LOCATIONS,
    MC,
    NE,
    REDEPLOY,
    REINFORCE,
    SCOUT,
    SE,
    SP,
    WP,
    WW,
    ZERO,
)


@kernel
def points_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int, style: int) -> float:
    """A(cp): the best action for so many points; which one is left in the memo."""
    if memo["action"][points] >= 0:
        return memo["worth"][points]
    work_out_attacks(state, knobs, cards, memo, side, style)
    best = memo["score"][points]
    action = ATTACK
    if best <= NEVER:
        action = REINFORCE
    for other in range(REINFORCE, CONSOLE + 1):
        worth = action_worth(state, knobs, cards, memo, side, points, other, style)
        if worth > best + CLOSE:
            best = worth
            action = other
    memo["worth"][points] = best
    memo["action"][points] = action
    return best


@kernel
def action_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int, action: int, style: int
) -> float:
    """Worth of an action other than Attack; NEVER where it cannot be taken."""
    if action == REINFORCE:
        if side == CAT:
            return (0.5 if state.soldiers[CAT, MC] > 4 else 1.2) * gets_through(state, knobs, memo, points, ZERO)
        gained = max(0, points + np.int64(state.reinf_mod[CRU]))
        return (0.3 if state.soldiers[CRU, CC] > 9 else 0.5) * gained
    if action == REDEPLOY:
        if points < 2:
            return NEVER
        if memo["spread"] == UNKNOWN:
            memo["spread"] = spread_room(state, side, memo["near"])
        return redeploy_worth(state, memo, side, points)
    if action == SCOUT:
        return 0.4 if state.scouts[side] >= 3 else 1.3 * scouts_bought(knobs, points)
    if action == BOOST:
        return boost_worth(state, knobs, side, points)
    if side == CRU:
        return NEVER
    if action == ESCAPE:
        if state.montsegur == 0 or style == FAITHFUL:
            return NEVER
        return escape_worth(state, memo, points)
    cubes = points // np.int64(knobs.aspire_cost)
    if cubes == 0:
        return NEVER
    worth = 0.6
    if state.aspiring == 0:
        worth = 4.0 if memo["need"] > 0 else 1.4
    return worth + 0.6 * (cubes - 1)


@kernel
def spread_room(state: State, side: int, near: int) -> float:
    """What a Redeploy could fill (`d`); NEVER without a plan."""
    if state.soldiers[side, centre(side)] == 0:
        return NEVER
    total = 0
    planned = False
    for place in range(LOCATIONS):
        if (near >> place) & 1:
            planned = planned or gap(state, side, place) > 0
            held = np.int64(state.soldiers[side, place])
            if side == CRU:
                if 1 <= held <= 4 and (place == WP or place == SP or place == SE or place == NE):
                    total += min(2, 5 - held)
            elif held == 1 and (place == WW or place == EW or place == CRE):
                total += 1
    return 1.0 * total if planned else NEVER


@small_kernel
def redeploy_worth(state: State, memo: Memo, side: int, points: int) -> float:
    if memo["spread"] == NEVER:
        return NEVER
    if side == CAT:
        return 0.5 * min(memo["spread"], np.float64(state.soldiers[CAT, MC] - 1))
    if state.soldiers[CRU, CRE] >= 2:
        return 0.3
    return 0.5 * min(memo["spread"], np.float64(min(2 * (points - 1), np.int64(state.soldiers[CRU, CC]))))


@small_kernel
def boost_worth(state: State, knobs: Knobs, side: int, points: int) -> float:
    morale = np.int64(state.morale[side])
    if morale >= knobs.track_max:
        return 0.0
    worth = (4.0 if side == CAT else 2.2) * lead_chance(state, knobs, side, points)
    if morale <= 2:
        worth *= 1.3
    if side == CRU and morale - state.morale[CAT] >= 2:
        worth *= 0.4
    return worth


@kernel
def escape_worth(state: State, memo: Memo, points: int) -> float:
    odds = escape_chance(state, memo, points)
    worth = 5.0 * odds - 1.2 * (1.0 - odds)
    if state.escaped == 0:
        worth += 2.8 * odds
    if memo["need"] == 0:
        worth -= 1.5
    if state.montsegur == 1 and state.aspiring == 0:
        worth -= 6.0
    return worth
