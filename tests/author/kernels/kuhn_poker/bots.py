"""Bots for Kuhn poker: every equilibrium there is, an honest player and one who cannot be driven out."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

from .state import BET, PASS, SLUG

_FINE = 1 << 30  # parts that a chance is measured in


@kernel
def facing_a_bet(state: State) -> bool:
    """Whether the seat to act has to call or fold."""
    return bool(state.bets[1 - state.seat] > state.bets[state.seat])


@kernel
def bets_with_chance(state: State, chance: float) -> int:
    """BET with a chance, else PASS, by a draw of the bot's own."""
    return BET if bot_below(state, _FINE) < chance * _FINE else PASS


EQUILIBRIUM = trait_names(bluff=Trait(0.2, 0.0, 1 / 3, "how often the first seat bets with the jack"))


@policy(SLUG, traits=EQUILIBRIUM)
def equilibrium(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Cannot be beaten on average: Kuhn's solutions, a family with one number, for any ante and bet up to two antes.

    The first seat bets the jack with chance `bluff`, the king with three times that, never the queen, and calls with
    the queen with chance `bluff` + 1/3. The second bluffs with the jack and calls with the queen one time in three.
    With other stakes the thirds are bet / (2 ante + bet), and the calls (2 ante - bet) / (2 ante + bet). With more
    than three cards it takes all between the lowest and the highest for queens, and is no solution.
    """
    pot, bet = 2.0 * knobs.ante, 1.0 * knobs.bet
    card, low, high = state.card[state.seat], 0, knobs.ranks - 1
    most = bet / (pot + bet)  # chance of the most bluffs that the king's bets can cover
    bluff = min(traits[EQUILIBRIUM.bluff], most)
    calls = max((pot - bet) / (pot + bet), 0.0)
    if facing_a_bet(state):
        if card == low:
            return PASS
        if card == high:
            return BET
        return bets_with_chance(state, calls + bluff if state.seat == 0 else calls)
    if state.seat == 0:
        if card == low:
            return bets_with_chance(state, bluff)
        return bets_with_chance(state, bluff / most) if card == high else PASS
    if card == low:
        return bets_with_chance(state, most)
    return BET if card == high else PASS


@policy(SLUG)
def honest(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Never bluffs: bets and calls with the highest card alone."""
    return BET if state.card[state.seat] == knobs.ranks - 1 else PASS


CALLER = trait_names(opens=Trait(0.5, 0.0, 1.0, "how often it bets where nobody has"))


@policy(SLUG, traits=CALLER)
def caller(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Calls with everything but the lowest card, and bets blindly."""
    if facing_a_bet(state):
        return BET if state.card[state.seat] > 0 else PASS
    return bets_with_chance(state, np.float64(traits[CALLER.opens]))
