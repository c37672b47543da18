"""Lines that the lists of several Crusader bots share."""

from __future__ import annotations

import numpy as np

from policies.montsegur.lookout import CRUSADER_MORALE, CRUSADER_SOLDIERS, event_plan
from policies.montsegur.measures import NONE, Memo
from policies.montsegur.plans import action_plan, spend
from policies.montsegur.redeploy import gap
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur.board import joined
from simlab.games.montsegur.state import BOOST, CC, CRU, NE, REINFORCE, SE, SP, WP

ANY_NUMBER = np.int64(99)  # more than the number of soldiers anywhere
RAISING_POINTS = np.int64(3)  # of Reinforcements: a middling card
RALLY_POINTS = np.int64(4)  # of a Boost: it gains one point or nothing, so it should be likely to succeed


@kernel
def ring_gaps(state: State, cards: Cards, below: int) -> tuple[int, int]:
    """How many of the four ways out are held, joined to the camp, and short of both target and `below`; and their total
    gap.
    """
    near = joined(state, cards, CRU, CC)
    places = 0
    total = 0
    for place in (WP, SP, SE, NE):
        held = np.int64(state.soldiers[CRU, place])
        if 0 < held < below and (near >> place) & 1 and gap(state, CRU, place) > 0:
            places += 1
            total += gap(state, CRU, place)
    return places, total


@kernel
def raise_soldiers(state: State, knobs: Knobs, cards: Cards, memo: Memo, style: int) -> int:
    plan = event_plan(state, knobs, cards, memo, CRU, CRUSADER_SOLDIERS, 0.0, style)
    if plan != NONE:
        return plan
    slot = spend(state, knobs, cards, memo, CRU, RAISING_POINTS)
    return action_plan(state, knobs, cards, memo, CRU, slot, REINFORCE)


@kernel
def raise_morale(state: State, knobs: Knobs, cards: Cards, memo: Memo, style: int) -> int:
    plan = event_plan(state, knobs, cards, memo, CRU, CRUSADER_MORALE, 0.0, style)
    if plan != NONE:
        return plan
    slot = spend(state, knobs, cards, memo, CRU, RALLY_POINTS)
    return action_plan(state, knobs, cards, memo, CRU, slot, BOOST)
