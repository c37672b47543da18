"""The ledger's random baseline: uniform, except for choices that could be repeated endlessly."""

from __future__ import annotations

import numpy as np

from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Traits, policy
from simlab.games.westphalia import state as s


@policy("westphalia")
def drifter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Random; ends a turn, a purchase or a call half the time, and leaves the Empire one time in ten."""
    kind = np.int64(state.decision)
    options = np.int64(state.n_legal)
    if kind == s.D_LEAVE:
        if bot_below(state, np.int64(10)):
            return s.STAY_IN_EMPIRE
        return np.int64(state.legal[bot_below(state, options - 1)])
    last = s.NO_CARD
    if kind == s.D_DIPLOMACY:
        last = s.END_TURN
    if kind == s.D_BUY or kind == s.D_REINFORCE or kind == s.D_DIPLOMACY:
        place = np.int64(-1)
        for n in range(options):
            if state.legal[n] == last:
                place = np.int64(n)
        if place >= 0:
            if options == 1 or bot_below(state, np.int64(2)):
                return last
            n = bot_below(state, options - 1)
            return np.int64(state.legal[n + (1 if n >= place else 0)])
    return np.int64(state.legal[bot_below(state, options)])
