"""Worth of points (A of the ledger): the best action for a number of points."""

from __future__ import annotations

import numpy as np

from policies.montsegur import prices
from policies.montsegur.attacks import work_out_attacks
from policies.montsegur.measures import CLOSE, FAITHFUL, NEVER, UNKNOWN, Memo, escape_chance, gets_through, lead_chance
from policies.montsegur.redeploy import FULL_RING, PAIR, gap
from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import state as s
from simlab.games.montsegur.actions import scouts_bought
from simlab.games.montsegur.board import centre

MOST_SPREAD = 2  # the most soldiers per location that count towards the worth of a Redeploy


@kernel
def points_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int, style: int) -> float:
    """A(cp): the best action for this number of points, which is stored in the memo."""
    if memo["action"][points] >= 0:
        return memo["worth"][points]
    work_out_attacks(state, knobs, cards, memo, side, style)
    best = memo["score"][points]
    action = s.ATTACK
    if best <= NEVER:
        action = s.REINFORCE
    for other in range(s.REINFORCE, s.CONSOLE + 1):
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
    """Worth of an action other than Attack; NEVER if it cannot be taken."""
    if action == s.REINFORCE:
        if side == s.CAT:
            many = state.soldiers[s.CAT, s.MC] > prices.CATHARS_ENOUGH
            each = prices.REINFORCED_CATHAR_TOO_MANY if many else prices.REINFORCED_CATHAR
            return each * gets_through(state, knobs, memo, points, s.ZERO)
        gained = max(0, points + np.int64(state.reinf_mod[s.CRU]))
        many = state.soldiers[s.CRU, s.CC] > prices.CRUSADERS_ENOUGH
        return (prices.REINFORCED_CRUSADER_TOO_MANY if many else prices.REINFORCED_CRUSADER) * gained
    if action == s.REDEPLOY:
        if points < PAIR:
            return NEVER
        if memo["spread"] == UNKNOWN:
            memo["spread"] = spread_room(state, side, memo["near"])
        return redeploy_worth(state, memo, side, points)
    if action == s.SCOUT:
        if state.scouts[side] >= prices.SCOUTS_ENOUGH:
            return prices.SCOUTED_ENOUGH
        return prices.SCOUTED * scouts_bought(knobs, points)
    if action == s.BOOST:
        return boost_worth(state, knobs, side, points)
    if side == s.CRU:
        return NEVER
    if action == s.ESCAPE:
        if state.montsegur == 0 or style == FAITHFUL:
            return NEVER
        return escape_worth(state, memo, points)
    cubes = points // np.int64(knobs.aspire_cost)
    if cubes == 0:
        return NEVER
    worth = prices.CONSOLED_MORE
    if state.aspiring == 0:
        worth = prices.CONSOLED_IN_NEED if memo["need"] > 0 else prices.CONSOLED
    return worth + prices.CONSOLED_MORE * (cubes - 1)


@kernel
def spread_room(state: State, side: int, near: int) -> float:
    """Gaps that a Redeploy could fill (`d`); NEVER without a plan."""
    if state.soldiers[side, centre(side)] == 0:
        return NEVER
    total = 0
    planned = False
    for place in range(s.LOCATIONS):
        if (near >> place) & 1:
            planned = planned or gap(state, side, place) > 0
            held = np.int64(state.soldiers[side, place])
            if side == s.CRU:
                if 1 <= held < FULL_RING and (place == s.WP or place == s.SP or place == s.SE or place == s.NE):
                    total += min(MOST_SPREAD, FULL_RING - held)
            elif held == 1 and (place == s.WW or place == s.EW or place == s.CRE):
                total += 1
    return 1.0 * total if planned else NEVER


@small_kernel
def redeploy_worth(state: State, memo: Memo, side: int, points: int) -> float:
    if memo["spread"] == NEVER:
        return NEVER
    if side == s.CAT:
        return prices.SPREAD * min(memo["spread"], np.float64(state.soldiers[s.CAT, s.MC] - 1))
    if state.soldiers[s.CRU, s.CRE] >= prices.CREST_HELD:
        return prices.SPREAD_AFTER_THE_CREST
    most = min(MOST_SPREAD * (points - 1), np.int64(state.soldiers[s.CRU, s.CC]))
    return prices.SPREAD * min(memo["spread"], np.float64(most))


@small_kernel
def boost_worth(state: State, knobs: Knobs, side: int, points: int) -> float:
    morale = np.int64(state.morale[side])
    if morale >= knobs.track_max:
        return 0.0
    worth = (prices.CATHAR_BOOST if side == s.CAT else prices.CRUSADER_BOOST) * lead_chance(state, knobs, side, points)
    if morale <= prices.LOW_MORALE:
        worth *= prices.BOOST_WHEN_LOW
    if side == s.CRU and morale - state.morale[s.CAT] >= prices.MORALE_AHEAD:
        worth *= prices.BOOST_WHEN_AHEAD
    return worth


@kernel
def escape_worth(state: State, memo: Memo, points: int) -> float:
    odds = escape_chance(state, memo, points)
    worth = prices.ESCAPE_MADE * odds - prices.ESCAPE_FAILED * (1.0 - odds)
    if state.escaped == 0:
        worth += prices.FIRST_ESCAPE * odds
    if memo["need"] == 0:
        worth -= prices.FAITH_AT_STAKE
    if state.montsegur == 1 and state.aspiring == 0:
        worth -= prices.LAST_PERFECT
    return worth
