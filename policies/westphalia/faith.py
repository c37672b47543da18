"""Worth of a Faith die by place, for bots of Westphalia (phase 2.3)."""

from __future__ import annotations

import numpy as np

from policies.westphalia.measures import T
from simlab.compiler import kernel
from simlab.game import Knobs, State, Traits
from simlab.games.westphalia.board import hex_faith, is_elector, size_of
from simlab.games.westphalia.sets import holds
from simlab.games.westphalia.state import FIRST_PRINCIPALITY, NO_FLAME, PLAYERS


@kernel
def best_target(state: State, knobs: Knobs, traits: Traits, me: int, flames: float) -> int:
    """The target of the next die; ties to the lowest hex.

    Args:
        flames: worth of a new flame on a principality of the other faith, for a Religious War (WP-WAR-12).
    """
    best = np.int64(state.legal[0])
    most = -1.0
    for n in range(state.n_legal):
        hex_ = np.int64(state.legal[n])
        owner = np.int64(state.hex_owner[hex_])
        if owner >= PLAYERS:
            value = on_principality(state, traits, me, owner - FIRST_PRINCIPALITY, flames)
        else:
            value = on_province(state, knobs, traits, me, hex_, owner)
        if value > most:
            best, most = hex_, value
    return best


@kernel
def on_principality(state: State, traits: Traits, me: int, pr: int, flames: float) -> float:
    """Worth of a die on a principality: its provinces per die still needed to convert or keep it; little if the dice
    are not enough.
    """
    faith = np.int64(state.faith[me])
    left = np.int64(state.dice[me])
    size = size_of(state, pr)
    value = float(size)
    if is_elector(state, pr):
        value *= 1.0 + 0.25 * traits[T.electors]
    value *= traits[T.zeal]
    mine = np.int64(state.pr_dice[pr, faith])
    theirs = np.int64(state.pr_dice[pr, 1 - faith])
    if state.pr_faith[pr] != faith:
        needed = size + theirs - mine
        flame = flames if theirs > 0 and state.marker[pr] == NO_FLAME else 0.0
        if needed <= 0:
            return 0.15 * traits[T.zeal]  # one more die, in case one of the other faith undoes it
        if needed <= left:
            return value / needed + flame
        return 0.1 + flame
    if theirs == 0:
        return 0.01
    to_keep = theirs - size + 1  # dice that must be removed to keep it from converting
    if to_keep <= 0:
        return 0.2 * traits[T.zeal]
    return value / to_keep if to_keep <= left else 0.05


@kernel
def on_province(state: State, knobs: Knobs, traits: Traits, me: int, hex_: int, owner: int) -> float:
    """WP-FTH-13: dice of the owner's faith cancel others two for one; own provinces count in full."""
    faith = np.int64(state.faith[me])
    owners = np.int64(state.faith[owner])
    left = np.int64(state.dice[me])
    own = np.int64(state.hex_dice[hex_, owners])
    other = np.int64(state.hex_dice[hex_, 1 - owners])
    cancels = np.int64(knobs.own_die_cancels)
    town = holds(state.town, hex_)
    weight = 1.0 + 2.0 * town if owner == me else traits[T.zeal]
    if holds(state.capital, hex_):
        if owners == faith:
            if other <= cancels * own:
                return 0.0
            loss = min(np.int64(knobs.capital_loss_gold), np.int64(state.gold[owner]))
            return 0.75 * loss if owner == me else 0.05
        if other > cancels * own:
            return 0.0
        needed = cancels * own + 1 - other
        return 0.3 / needed if needed <= left and state.gold[owner] > 1 else 0.02
    orthodox = hex_faith(state, hex_) == owners
    if owners == faith:
        if other > cancels * own:
            needed = (other - cancels * own + cancels - 1) // cancels
        elif orthodox or own > 0:
            return 0.0  # as it should be, or about to turn back
        else:
            needed = np.int64(1)
        return weight / needed if needed <= left else 0.05
    if other > cancels * own or (not orthodox and own == 0):
        return 0.0
    needed = cancels * own + 1 - other
    if needed > left:
        return 0.02
    return (weight + (1.0 if town and orthodox else 0.0)) / needed
