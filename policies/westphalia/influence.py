"""Where bots of Westphalia put their influence: they keep allies, then win the ally worth most for its price."""

from __future__ import annotations

import numpy as np

from policies.westphalia.measures import T, highest_other, slack, strongest_other, worth
from simlab.compiler import kernel
from simlab.game import Knobs, State, Traits
from simlab.games.westphalia.board import is_elector, size_of
from simlab.games.westphalia.influence import needed_for
from simlab.games.westphalia.sets import lowest
from simlab.games.westphalia.state import BUY_DI, END_TURN, NO_TARGET, NOBODY, PLACE_DI


@kernel
def next_point(state: State, traits: Traits, me: int, points: int) -> int:
    """The principality that gets the next of several points: where it is useful, else where it does least harm."""
    useful, other = places_for_point(state, traits, me, points)
    return useful if useful >= 0 else other


@kernel
def places_for_point(state: State, traits: Traits, me: int, points: int) -> tuple[int, int]:
    """Where the next of several points is useful (NOBODY: nowhere), and where it goes if it must be placed.

    A point is useful if it keeps an ally through Post-War Diplomacy, the best ally first; then if it goes towards the
    affordable alliance with the most worth for its price, this point included. The strongest rival's loss counts half.
    Otherwise the most barely held ally gets it, or the cheapest alliance.
    """
    rival = strongest_other(state, me)
    keep, buy, brace, near = NOBODY, NOBODY, NOBODY, NOBODY
    most_kept, most_bought = -1.0, -1.0
    least_slack, least_price = np.int64(1_000), np.int64(1_000)
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        mine = np.int64(state.di[pr, me])
        others = highest_other(state, pr, me)
        if state.ally[pr] == me:
            above = mine - max(size_of(state, pr), others)  # its slack
            if above < (traits[T.spare] if is_elector(state, pr) else 1.0):
                value = worth(state, traits, pr, me)
                if value > most_kept:
                    keep, most_kept = pr, value
            if above < least_slack:
                brace, least_slack = pr, above
            continue
        price = max(max(size_of(state, pr), others + 1) - mine, np.int64(0))  # as in needed_for
        if price <= points:
            value = worth(state, traits, pr, me)
            if state.ally[pr] == rival and rival >= 0:
                value += 0.5 * size_of(state, pr)
            value /= price + 1 if price < points else 2 * price
            if value > most_bought:
                buy, most_bought = pr, value
        if price < least_price:
            near, least_price = pr, price
    return keep if keep >= 0 else buy, brace if brace >= 0 else near


@kernel
def diplomatic_action(state: State, traits: Traits, me: int, gold_kept: int) -> int:
    """Places stored influence; buys more for an ally that would be lost or where it is useful, and keeps some Gold."""
    if state.di_stored[me] > 0:
        return PLACE_DI
    if state.gold[me] == 0 or (state.options[0] >> BUY_DI) & 1 == 0:
        return END_TURN
    to_spend = np.int64(state.gold[me]) - gold_kept
    if to_spend > 0 and places_for_point(state, traits, me, to_spend)[0] >= 0:
        return BUY_DI
    return BUY_DI if holds_barely(state, me) else END_TURN


@kernel
def holds_barely(state: State, me: int) -> bool:
    """Whether Post-War Diplomacy would take an ally."""
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.ally[pr] == me and slack(state, pr, me) <= 0:
            return True
    return False


@kernel
def imperial_point(state: State, knobs: Knobs, traits: Traits, me: int) -> int:
    """WP-ELE-06 in the last round: a place for a point that wins an alliance, alone or with the remaining points; else
    none.
    """
    left = np.int64(knobs.emperor_di) - np.int64(state.at[state.depth - 1])
    best = NO_TARGET
    most = 0.0
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        price = needed_for(state, pr, me)
        if 0 < price <= left:
            value = worth(state, traits, pr, me) / price
            if value > most:
                best, most = pr, value
    return best
