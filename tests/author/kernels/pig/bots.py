"""Bots for Pig: hold at a number, look at both scores, and play the best there is."""

from __future__ import annotations

import numpy as np

from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.pig.optimal import GOAL, read_table

from .state import HOLD, ROLL, SLUG

_HOLDS = read_table()

HOLD_AT = trait_names(points=Trait(20, 1, 100, "hold once this many points are at stake"))


@policy(SLUG, traits=HOLD_AT)
def hold_at(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Holds once `points` are at stake; at 20 a turn brings most on average."""
    return HOLD if state.at_stake > 0 and state.at_stake >= traits[HOLD_AT.points] else ROLL


RACER = trait_names(
    points=Trait(21, 1, 100, "points at stake to hold at when both are level"),
    pace=Trait(8.0, 1.0, 100.0, "points that the other is ahead by, for one more at stake"),
    rush=Trait(29, 0, 100, "once either needs no more than this, it rolls until it wins"),
)


@policy(SLUG, traits=RACER)
def racer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps pace and ends the race: a rule that a person can remember (Neller and Presser 2010)."""
    own, other = np.int64(state.score[state.seat]), np.int64(state.score[1 - state.seat])
    if state.at_stake == 0 or knobs.goal - max(own, other) <= traits[RACER.rush]:
        return ROLL
    return HOLD if state.at_stake >= traits[RACER.points] + np.rint((other - own) / traits[RACER.pace]) else ROLL


@policy(SLUG)
def optimal(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Plays what value iteration found for the six-sided die that busts on a one, whatever the goal (Neller 2004)."""
    if state.at_stake == 0:
        return ROLL
    own = np.int64(knobs.goal) - np.int64(state.score[state.seat])
    other = np.int64(knobs.goal) - np.int64(state.score[1 - state.seat])
    bit = np.uint64((own * (GOAL + 1) + other) * GOAL + np.int64(state.at_stake))
    return HOLD if (_HOLDS[bit >> np.uint64(3)] >> (np.uint64(7) - (bit & np.uint64(7)))) & np.uint64(1) else ROLL
