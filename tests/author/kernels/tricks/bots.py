"""Bots for Tricks: one that counts its high cards, one that takes nothing, one that takes all it can."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

from .rules import beats, taking_seat, trump_suit
from .state import BID, PACK, RANKS, SLUG

_KING, _ACE = RANKS - 2, RANKS - 1


@kernel
def expected_tricks(state: State, knobs: Knobs, ace: float, king: float, trump: float) -> float:
    """How many tricks the hand of the seat to act should take: chances of its aces, kings and trumps, added up."""
    trumps = trump_suit(state, knobs)
    hand = np.int64(state.hand[state.seat])
    total = 0.0
    for card in range(PACK):
        if hand >> card & 1:
            rank = card % RANKS
            if card // RANKS == trumps:
                total += trump + (1 - trump) * rank / _ACE
            elif rank == _ACE:
                total += ace
            elif rank == _KING:
                total += king
    return total


@kernel
def nearest_bid(state: State, wanted: float) -> int:
    """The legal bid nearest to a number of tricks."""
    best = np.int64(state.legal[0])
    for i in range(state.n_legal):
        bid = np.int64(state.legal[i])
        if abs(bid - wanted) < abs(best - wanted):
            best = bid
    return best


@kernel
def would_take(state: State, knobs: Knobs, card: int) -> bool:
    """Whether a card takes the trick as it lies now; whoever leads takes it so far."""
    trumps = trump_suit(state, knobs)
    taker = taking_seat(state, trumps)
    return taker < 0 or beats(card, np.int64(state.table[taker]), trumps)


@kernel
def play_for(state: State, knobs: Knobs, takes: bool) -> int:
    """A card to take the trick with, the cheapest that does; or else not to take it with, the dearest that does not.

    Where no card does what is wanted: the cheapest of all. Who leads to take it leads its dearest, else its cheapest.
    """
    leads = state.seat == state.leader
    best, best_worth = np.int64(state.legal[0]), np.int64(-1000)
    for i in range(state.n_legal):
        card = np.int64(state.legal[i])
        worth = card % RANKS + (RANKS if card // RANKS == trump_suit(state, knobs) else 0)
        if leads:
            worth = worth if takes else -worth
        elif would_take(state, knobs, card) != takes:
            worth = -100 - worth
        elif takes:
            worth = -worth
        if worth > best_worth:
            best, best_worth = card, worth
    return best


COUNTER = trait_names(
    ace=Trait(0.8, 0.0, 1.0, "tricks that it expects of a plain ace"),
    king=Trait(0.4, 0.0, 1.0, "tricks that it expects of a plain king"),
    trump=Trait(0.3, 0.0, 1.0, "tricks that it expects of the lowest trump; the ace of trumps is one"),
)


@policy(SLUG, traits=COUNTER)
def counter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Bids what its high cards and trumps should take; takes tricks cheaply until it has them, then ducks."""
    if state.decision == BID:
        return nearest_bid(
            state, expected_tricks(state, knobs, traits[COUNTER.ace], traits[COUNTER.king], traits[COUNTER.trump])
        )
    return play_for(state, knobs, bool(state.taken[state.seat] < state.bid[state.seat]))


@policy(SLUG)
def ducker(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Bids as little as it may, and ducks whenever it has that."""
    if state.decision == BID:
        return np.int64(state.legal[0])
    return play_for(state, knobs, bool(state.taken[state.seat] < state.bid[state.seat]))


@policy(SLUG)
def grabber(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Bids as the counter does, and takes every trick that it can, whatever it bid."""
    if state.decision == BID:
        return nearest_bid(state, expected_tricks(state, knobs, 0.8, 0.4, 0.3))
    return play_for(state, knobs, True)
