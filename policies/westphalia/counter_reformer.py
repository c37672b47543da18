"""Stays Catholic: reform from within, Saints for dice, and the souls of the Empire won back."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import answer, answers_in_kind, faith_is_stronger, joins
from policies.westphalia.faith import best_target
from policies.westphalia.measures import temper
from policies.westphalia.war import declaration
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia.roles import is_saved, rank_value
from simlab.games.westphalia.state import (
    CATHOLIC,
    CATHOLIC_LEAGUE,
    CONVERT,
    D_CONVERT,
    D_DECLARE,
    D_DIE,
    D_GESTURE,
    D_LEAGUE,
    D_PATRONAGE,
    D_TOKEN,
    D_VOTE,
    DECLINE,
    PROTESTANT,
    STAY,
    TRENT,
    WORKS,
)

T = trait_names(**temper(gold=0))
LATE = np.int64(4)
CRUSADING = np.int64(3)  # from this round on


@policy("westphalia", traits=T)
def counter_reformer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Never converts; Trent, Good Works and dice for the Catholic cause."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == D_CONVERT:
        return CONVERT if state.faith[me] == PROTESTANT else STAY
    if kind == D_TOKEN:
        return TRENT
    if kind == D_PATRONAGE:
        return patronage(state, me)
    if kind == D_GESTURE:
        return answers_in_kind(state, me)
    if kind == D_DIE:
        return best_target(state, knobs, traits, me, 2.0 if is_saved(state, me) else 0.0)
    if kind == D_DECLARE:
        crusade = state.role[me] == WORKS and state.turn >= CRUSADING and faith_is_stronger(state, knobs, CATHOLIC, 1.2)
        return declaration(state, knobs, cards, traits, me, crusade, False)
    if kind == D_LEAGUE:
        if state.faith[me] == CATHOLIC and not faith_is_stronger(state, knobs, PROTESTANT, 2.0):
            return joins(state, CATHOLIC_LEAGUE)
        return DECLINE
    if kind == D_VOTE and state.role[me] != WORKS:
        return most_works(state, knobs, me)
    return answer(state, knobs, cards, traits)


@kernel
def patronage(state: State, me: int) -> int:
    """Nothing while dice have few targets, then half, at the end all."""
    gold = np.int64(state.gold[me])
    if state.reformation == 0:
        return np.int64(0)
    return gold if state.turn >= LATE else gold // 2


@kernel
def most_works(state: State, knobs: Knobs, me: int) -> int:
    """The Catholic with the most Good Works; itself among equals."""
    best, most = me, rank_value(state, knobs, me)
    for player in range(state.players):
        if state.faith[player] == CATHOLIC:
            works = rank_value(state, knobs, np.int64(player))
            if works > most:
                best, most = np.int64(player), works
    return best
