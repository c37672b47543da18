"""Leaves as a Foreign Power early, and fights from outside for a religious victory."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import answer, edge_of_faith, vote_for, vote_for_faith
from policies.westphalia.faith import best_target
from policies.westphalia.measures import power, strongest, temper
from policies.westphalia.reformer import evangelical
from policies.westphalia.war import declaration
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.roles import is_saved

T = trait_names(**temper(cards=0))
BY_ELECTORS = np.int64(0)
THIRD = np.int64(2)


@policy("westphalia", traits=T)
def exile(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Converts in round 1, leaves in round 2, then wages Religious Wars from outside."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if state.faith[me] == s.CATHOLIC and (state.turn == 1 or state.fa_free > 0) else s.STAY
    if kind == s.D_PATRONAGE:
        return np.int64(state.gold[me]) // 2
    if kind == s.D_DIE:
        return best_target(state, knobs, traits, me, 2.0 if is_saved(state, me) else 0.0)
    if kind == s.D_DECLARE:
        return declaration(state, knobs, cards, traits, me, True, False)
    if kind == s.D_LEAGUE:
        return evangelical(state, knobs, me)
    if kind == s.D_LEAVE:
        leaves = state.turn >= THIRD or power(state, knobs, me) <= 4
        return edge_of_faith(state, cards, me, BY_ELECTORS) if leaves else s.STAY_IN_EMPIRE
    if kind == s.D_VOTE:
        saved = strongest(state, knobs, np.int64(state.faith[me]), np.int64(1))
        choice = saved if saved >= 0 else vote_for_faith(state, knobs, me, np.int64(0))
        return vote_for(state, knobs, cards, me, choice)
    return answer(state, knobs, cards, traits)
