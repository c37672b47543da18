"""Aims to be first saved by faith alone, with a Protestant map and a Protestant Emperor."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import (
    answer,
    faith_is_stronger,
    joins,
    partner_of,
    vote_for,
    vote_for_faith,
    vote_for_self,
)
from policies.westphalia.faith import best_target
from policies.westphalia.measures import temper
from policies.westphalia.war import declaration
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.roles import is_saved

T = trait_names(**temper())
EARLY = np.int64(3)  # rounds with the better dice
THREE_ELECTORS = np.int64(3)


@policy("westphalia", traits=T)
def reformer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Converts in round 1 and never returns; dice and votes for the Protestant cause."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if state.faith[me] == s.CATHOLIC and (state.turn == 1 or state.fa_free > 0) else s.STAY
    if kind == s.D_PATRONAGE:
        gold = np.int64(state.gold[me])
        return max(gold - 1, np.int64(0)) if state.turn <= EARLY else gold
    if kind == s.D_GESTURE:
        return s.THUMB if state.gesture_any[partner_of(state, me)] == s.THUMB else s.GUN
    if kind == s.D_DIE:
        return best_target(state, knobs, traits, me, 2.0 if is_saved(state, me) else 0.0)
    if kind == s.D_DECLARE:
        crusade = state.role[me] == s.ALONE and faith_is_stronger(state, knobs, s.PROTESTANT, 1.0)
        return declaration(state, knobs, cards, traits, me, crusade, False)
    if kind == s.D_LEAGUE:
        return evangelical(state, knobs, me)
    if kind == s.D_VOTE and not (state.role[me] == s.ALONE and vote_for_self(state, me, THREE_ELECTORS)):
        return vote_for(state, knobs, cards, me, vote_for_faith(state, knobs, me, np.int64(0)))
    return answer(state, knobs, cards, traits)


@kernel
def evangelical(state: State, knobs: Knobs, me: int) -> int:
    """Joins the Evangelical League if saved, or while that side is the stronger one."""
    if state.role[me] == s.ALONE:
        return joins(state, s.EVANGELICAL_LEAGUE)
    if state.faith[me] == s.PROTESTANT and faith_is_stronger(state, knobs, s.PROTESTANT, 1.0):
        return joins(state, s.EVANGELICAL_LEAGUE)
    return s.DECLINE
