"""Stays Catholic: reforms from within, gains dice from Saints, and wins back the Empire."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import answer, answers_in_kind, faith_is_stronger, joins, vote_for
from policies.westphalia.faith import best_target
from policies.westphalia.measures import temper
from policies.westphalia.war import declaration
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.roles import is_saved, rank_value

T = trait_names(**temper(gold=0))
LATE = np.int64(4)
CRUSADING = np.int64(3)  # from this round on


@policy("westphalia", traits=T)
def counter_reformer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Never converts; uses Trent, Good Works and dice for the Catholic cause."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if state.faith[me] == s.PROTESTANT else s.STAY
    if kind == s.D_TOKEN:
        return s.TRENT
    if kind == s.D_PATRONAGE:
        return patronage(state, me)
    if kind == s.D_GESTURE:
        return answers_in_kind(state, me)
    if kind == s.D_DIE:
        return best_target(state, knobs, traits, me, 2.0 if is_saved(state, me) else 0.0)
    if kind == s.D_DECLARE:
        crusade = (
            state.role[me] == s.WORKS and state.turn >= CRUSADING and faith_is_stronger(state, knobs, s.CATHOLIC, 1.2)
        )
        return declaration(state, knobs, cards, traits, me, crusade, False)
    if kind == s.D_LEAGUE:
        if state.faith[me] == s.CATHOLIC and not faith_is_stronger(state, knobs, s.PROTESTANT, 2.0):
            return joins(state, s.CATHOLIC_LEAGUE)
        return s.DECLINE
    if kind == s.D_VOTE and state.role[me] != s.WORKS:
        return vote_for(state, knobs, cards, me, most_works(state, knobs, me))
    return answer(state, knobs, cards, traits)


@kernel
def patronage(state: State, me: int) -> int:
    """Spends nothing while dice have few targets, later half of its Gold, and at the end all of it."""
    gold = np.int64(state.gold[me])
    if state.reformation == 0:
        return np.int64(0)
    return gold if state.turn >= LATE else gold // 2


@kernel
def most_works(state: State, knobs: Knobs, me: int) -> int:
    """The Catholic with the most Good Works; itself if tied."""
    best, most = me, rank_value(state, knobs, me)
    for player in range(state.players):
        if state.faith[player] == s.CATHOLIC:
            works = rank_value(state, knobs, np.int64(player))
            if works > most:
                best, most = np.int64(player), works
    return best
