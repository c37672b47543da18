"""Army and conquest: spends Gold on cards and wages war on any player who is not stronger, the Emperor first."""

from __future__ import annotations

import numpy as np

from policies.westphalia.answers import answer, stronger_league
from policies.westphalia.measures import power, temper
from policies.westphalia.war import declaration, weak_player
from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Traits, policy, trait_names
from simlab.games.westphalia import state as s
from simlab.games.westphalia.doctrines import executable, opponent_of
from simlab.games.westphalia.hands import hand_size

T = trait_names(**temper(electors=0, faith=0, zeal=0.3, war=1.0, gold=3, cards=0))
DEFENSIVE, INNOVATIVE = np.int64(1), np.int64(6)  # places of two Doctrines in their table


@policy("westphalia", traits=T)
def condottiere(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Attacks every round, takes land, spends its Gold on cards."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_CONVERT:
        return s.CONVERT if state.turn == 1 and bot_below(state, np.int64(2)) else s.STAY
    if kind == s.D_DECLARE:
        return declaration(state, knobs, cards, traits, me, False, True)
    if kind == s.D_VICTIM:
        return prey(state, knobs, cards, traits, me)
    if kind == s.D_DOCTRINE:
        wanted = favourite(state, knobs, cards, me)
        if wanted != s.NO_DOCTRINE:
            return wanted
    if kind == s.D_LEAGUE:
        return stronger_league(state, knobs, me, 0.5)
    return answer(state, knobs, cards, traits)


@kernel
def prey(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int) -> int:
    """The target of a war: the Emperor if he is not stronger, otherwise the weakest player."""
    emperor = np.int64(state.emperor)
    open_ = (state.options[0] >> emperor) & 1 != 0
    if open_ and power(state, knobs, me) >= traits[T.war] * power(state, knobs, emperor):
        return emperor
    best = weak_player(state, knobs, cards, me, 0.0)
    if best != s.NOBODY and (state.options[0] >> best) & 1:
        return best
    return np.int64(state.legal[0])


@kernel
def favourite(state: State, knobs: Knobs, cards: Cards, me: int) -> int:
    """Muskets once they are rifles; Pikemen against a larger hand."""
    if state.turn >= knobs.rifling_from_round and ready(state, cards, me, INNOVATIVE):
        return INNOVATIVE
    enemy = opponent_of(state, me)
    if enemy >= 0 and hand_size(state, enemy) > hand_size(state, me) and ready(state, cards, me, DEFENSIVE):
        return DEFENSIVE
    return s.NO_DOCTRINE


@kernel
def ready(state: State, cards: Cards, me: int, doctrine: int) -> bool:
    return state.doctrine[me, doctrine] > 0 and executable(state, cards, me, doctrine)
