"""Aims to be Emperor, with Electors as allies, the first turn, winning ties, and the larger faith."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import answer, edge_of_faith, joins, partner_of
from policies.westphalia.measures import (
    electors_of_faith,
    power,
    power_of_faith,
    rank_of,
    saved_in,
    temper,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import saved_places
from simlab.games.westphalia.roles import is_saved

T = trait_names(**temper(electors=4, faith=0, spare=2, zeal=1))
LAST_CALL = np.int64(4)  # the round in which a saved Kaiser without power leaves


@policy("westphalia", traits=T)
def kaiser(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Courts Electors, votes for itself, and converts to the faith that has more of them."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if larger_faith_is_open(state, knobs, cards, me) else s.STAY
    if kind == s.D_TOKEN:
        return s.TRENT if state.emperor == me else s.FRENCH
    if kind == s.D_PATRONAGE:
        return np.int64(state.gold[me]) // 2
    if kind == s.D_GESTURE:
        return s.GUN if is_strongest(state, knobs, partner_of(state, me)) else s.THUMB
    if kind == s.D_LEAGUE:
        return imperial_league(state, knobs, me)
    if kind == s.D_LEAVE:
        leaves = state.turn == LAST_CALL and is_saved(state, me) and rank_of(state, knobs, me) >= 2
        return edge_of_faith(state, cards, me, s.NOBODY) if leaves else s.STAY_IN_EMPIRE
    return answer(state, knobs, cards, traits)


@kernel
def larger_faith_is_open(state: State, knobs: Knobs, cards: Cards, me: int) -> bool:
    """From round 2 on: whether the other faith has two more Electors, and a saved place is free or there is none to
    lose."""
    if state.turn < 2:
        return False
    other = 1 - np.int64(state.faith[me])
    if electors_of_faith(state, other) < electors_of_faith(state, 1 - other) + 2:
        return False
    if not is_saved(state, me):
        return True
    if other == s.PROTESTANT:
        return state.fa_free > 0
    return saved_in(state, s.CATHOLIC) < saved_places(state, knobs, cards)


@kernel
def is_strongest(state: State, knobs: Knobs, player: int) -> bool:
    for other in range(state.players):
        if other != state.seat and power(state, knobs, np.int64(other)) > power(state, knobs, player):
            return False
    return True


@kernel
def imperial_league(state: State, knobs: Knobs, me: int) -> int:
    """As Emperor, joins the League of its faith if that has half of all power."""
    if state.emperor != me:
        return s.DECLINE
    faith = np.int64(state.faith[me])
    if power_of_faith(state, knobs, faith) < power_of_faith(state, knobs, 1 - faith):
        return s.DECLINE
    return joins(state, s.CATHOLIC_LEAGUE if faith == s.CATHOLIC else s.EVANGELICAL_LEAGUE)
