"""Montségur's hidden information: a redraw of what a seat cannot see (MS-INF-03)."""

from __future__ import annotations

import numpy as np

from simlab.engine.jit import kernel
from simlab.engine.streams import redraw_below
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur.state import (
    BATCH,
    CARDS_MAX,
    DECK,
    FACE_DOWN,
    HAND,
    STACK,
    ZONE,
)


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Deals the other hand, the other stack, the deck and the cards face down anew, each place out of the deck that
    its card came from.

    Which deck (summer, winter, a reshuffled pile) a hidden card came from is known to all by counting: every other card
    of that deal was shown when it was played or discarded. So cards change places with cards of the same deck alone.
    """
    hide_from_use(state, seat)
    sort_places(state, cards, seat)
    for first in range(cards.n_cards):
        if hidden_from(state, first, seat):
            swap_places(state, first, nth_alike(state, cards, first, seat))
    rebuild(state, cards, 1 - seat)


@kernel
def hidden_from(state: State, card: int, seat: int) -> bool:
    zone = np.int64(state.place[card]) & ZONE
    return zone == DECK or zone == FACE_DOWN or zone == HAND + 1 - seat or zone == STACK + 1 - seat


@kernel
def sort_places(state: State, cards: Cards, seat: int) -> None:
    """Sorts the places of the hidden cards of each deck, so that the new deal does not depend on the old one."""
    for one in range(cards.n_cards):
        if hidden_from(state, one, seat):
            for other in range(one + 1, cards.n_cards):
                alike = np.int64(state.place[other]) >> BATCH == np.int64(state.place[one]) >> BATCH
                if alike and state.place[other] < state.place[one] and hidden_from(state, other, seat):
                    swap_places(state, one, other)


@kernel
def nth_alike(state: State, cards: Cards, first: int, seat: int) -> int:
    """A card, drawn among `first` and those after it that are hidden and of its deck (a Fisher-Yates step)."""
    batch = np.int64(state.place[first]) >> BATCH
    alike = 0
    for card in range(first, cards.n_cards):
        if np.int64(state.place[card]) >> BATCH == batch and hidden_from(state, card, seat):
            alike += 1
    skip = redraw_below(state, alike)
    card = first
    while True:
        if np.int64(state.place[card]) >> BATCH == batch and hidden_from(state, card, seat):
            if skip == 0:
                return card
            skip -= 1
        card += 1


@kernel
def swap_places(state: State, one: int, other: int) -> None:
    place = state.place[one]
    state.place[one] = state.place[other]
    state.place[other] = place


@kernel
def hide_from_use(state: State, seat: int) -> None:
    """The card report says nothing of what only the other side knows; a redrawn game begins it anew."""
    for card in range(CARDS_MAX):
        state.card_use[card] = 0


@kernel
def rebuild(state: State, cards: Cards, other: int) -> None:
    """Hand, stack and deck lists as the places now say; the other stack keeps no order."""
    hand = 0
    stack = 0
    deck = 0
    for card in range(cards.n_cards):
        zone = np.int64(state.place[card]) & ZONE
        if zone == DECK:
            state.deck[deck] = card
            deck += 1
        elif zone == HAND + other:
            state.hand[other, hand] = card
            hand += 1
        elif zone == STACK + other:
            state.stack[other, stack] = card
            stack += 1
