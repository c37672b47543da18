"""The Outsider Queue and its deck, the Fate deck and the tableau: the places of the cards.

A deck is a set whose order is not fixed in advance: a draw from the deck's own stream picks one of the cards that are
left. This is equivalent to a shuffle, costs less, and leaves nothing for a bot to peek at.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, draw_card
from simlab.game import Cards, State
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress.dice import bit
from simlab.games.mighty_fortress.tracks import measure_strength, refresh_requirement


@small_kernel
def draw_outsider(state: State) -> int:
    """MF-CLN-04: a card of the deck or, if that is empty, of the shuffled discard pile; EMPTY if both are empty."""
    if state.deck_left == 0:
        if state.discard_len == 0:
            return s.EMPTY
        count_rule(state, rule.MF_CLN_04)
        for i in range(state.discard_len):
            card = state.discard[i]
            state.deck[i] = card
            state.card_place[card] = s.IN_DECK
        state.deck_left = state.discard_len
        state.discard_len = 0
    place = draw_card(state, s.OUTSIDER_DECK_STREAM, state.deck[: state.deck_left])
    state.deck_left -= 1
    card = state.deck[place]
    state.deck[place] = state.deck[state.deck_left]
    return np.int64(card)


@kernel
def refill_queue(state: State, cards: Cards) -> None:
    """MF-CLN-03: the cards slide towards slot 1 and keep their order, then the free slots are filled from left to
    right."""
    kept = 0
    for slot in range(s.SLOTS):
        card = state.queue[slot]
        if card >= 0:
            state.queue[slot] = s.EMPTY
            state.queue[kept] = card
            kept += 1
    for slot in range(kept, s.SLOTS):
        card = draw_outsider(state)
        state.queue[slot] = card
        if card >= 0:
            state.card_place[card] = s.IN_QUEUE
    measure_strength(state, cards)


@kernel
def take_from_queue(state: State, cards: Cards, slot: int, place: int) -> int:
    """MF-ACT-04: takes a card out; the slot stays empty until Cleanup. Returns the card."""
    count_rule(state, rule.MF_ACT_04)
    card = np.int64(state.queue[slot])
    state.queue[slot] = s.EMPTY
    state.card_place[card] = place
    if place == s.DISCARDED:
        state.discard[state.discard_len] = card
        state.discard_len += 1
    measure_strength(state, cards)
    return card


@small_kernel
def is_city(card: int) -> bool:
    return card >= s.CITY


@small_kernel
def join_tableau(state: State, cards: Cards, card: int) -> None:
    """MF-CNV-03: the Outsider's ability takes effect at once."""
    state.tableau |= bit(card)
    state.card_place[card] = s.IN_TABLEAU
    change_ability(state, cards, card, s.ONE)


@small_kernel
def leave_tableau(state: State, cards: Cards, card: int) -> None:
    """MF-EXC-04: the Outsider's ability ends, and the card is out of the game."""
    state.tableau &= ~bit(card)
    state.card_place[card] = s.REMOVED
    change_ability(state, cards, card, -s.ONE)


@kernel
def change_ability(state: State, cards: Cards, card: int, sign: int) -> None:
    ability = cards.ability[card]
    if ability >= 0:
        state.ability[ability] += sign * cards.ability_n[card]
        refresh_requirement(state)


@small_kernel
def draw_fate(state: State, cards: Cards) -> int:
    """MF-FAT-01: draws the card set apart on turn 1, later one of the others; when all are drawn, all are shuffled
    again.
    """
    if state.turn == 1:
        return np.int64(cards.first_fate)
    if state.fate_left == 0:
        state.fate_left = cards.n_fate - 1
    place = draw_card(state, s.FATE_DECK_STREAM, state.fate[: state.fate_left])
    state.fate_left -= 1
    card = state.fate[place]
    state.fate[place] = state.fate[state.fate_left]
    state.fate[state.fate_left] = card
    return np.int64(card)
