"""Power first: aims for the most Imperial Power at the Peace of Westphalia; faith is only a means."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import (
    answer,
    block_of,
    joins,
    stronger_league,
    vote_for,
)
from policies.westphalia.influence import diplomatic_action, next_point
from policies.westphalia.measures import electors_of_ally, temper, weakest
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import of_faith, orthodox_towns, towns_of
from simlab.games.westphalia.roles import is_saved
from simlab.games.westphalia.sets import bits

T = trait_names(**temper(electors=0, faith=0, zeal=0.2, war=1.5, gold=2, cards=0))
WAR_CHEST = np.int64(2)


@policy("westphalia", traits=T)
def politique(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Sells the Monastery in round 1, buys influence, attacks weaker players."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if state.turn == 1 or towns_would_be_orthodox(state, knobs, me) else s.STAY
    if kind == s.D_DIPLOMACY:
        return diplomatic_action(state, traits, me, WAR_CHEST)
    if kind == s.D_PRINCIPALITY and state.giving < 0:  # what Gold will buy counts too
        to_spend = max(np.int64(state.gold[me]) - WAR_CHEST, np.int64(0))
        return next_point(state, traits, me, np.int64(state.di_stored[me]) + to_spend)
    if kind == s.D_LEAGUE:
        if state.role[me] == s.WORKS:
            return joins(state, s.CATHOLIC_LEAGUE) if stronger_league(state, knobs, me, 0.6) == s.CATHOLIC_LEAGUE else 0
        if state.role[me] == s.ALONE:
            strong = stronger_league(state, knobs, me, 0.6) == s.EVANGELICAL_LEAGUE
            return joins(state, s.EVANGELICAL_LEAGUE) if strong else 0
        return stronger_league(state, knobs, me, 0.6)
    if kind == s.D_VOTE:
        mine = electors_of_ally(state, me) + block_of(state, np.int64(state.faith[me]))
        return vote_for(state, knobs, cards, me, me if mine >= 2 else weakest(state, knobs))
    return answer(state, knobs, cards, traits)


@kernel
def towns_would_be_orthodox(state: State, knobs: Knobs, me: int) -> bool:
    """WP-END-07: in the last round, whether conversion makes more town-provinces orthodox; the saved stay."""
    if state.turn < knobs.n_rounds or is_saved(state, me):
        return False
    other = 1 - np.int64(state.faith[me])
    after = bits(state.land[me, 0] & state.town[0] & of_faith(state, 0, other)) + bits(
        state.land[me, 1] & state.town[1] & of_faith(state, 1, other)
    )
    return after > orthodox_towns(state, me) and towns_of(state, me) > 0
