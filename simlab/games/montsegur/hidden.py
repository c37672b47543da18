"""Montségur's hidden information: a redraw of what a seat cannot see (MS-INF-03)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import redraw_below
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import state as s

BATCHES = 16  #: the number of decks that a card's place can tell apart


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Redeals the other hand, the other stack, the deck and the face-down cards; each place gets a card from the same
    deck as before.

    Both sides know by counting which deck (summer, winter, a reshuffled pile) a hidden card came from: every other card
    of that deal was shown when it was played or discarded. So cards change places only with cards of the same deck.
    """
    hide_from_use(state, seat)
    hidden = np.empty(s.CARDS_MAX, np.int16)  # the hidden cards, grouped by deck, in ascending order
    begins = np.zeros(BATCHES + 1, np.int64)
    sort_places(state, cards, seat, hidden, begins)
    at = begins[:BATCHES].copy()
    for card in range(cards.n_cards):
        if hidden_from(state, card, seat):
            batch = np.int64(state.place[card]) >> s.BATCH
            other = hidden[at[batch] + redraw_below(state, begins[batch + 1] - at[batch])]  # a Fisher-Yates step
            swap_places(state, card, other)
            at[batch] += 1
    rebuild(state, cards, 1 - seat)


@kernel
def hidden_from(state: State, card: int, seat: int) -> bool:
    zone = np.int64(state.place[card]) & s.ZONE
    return zone == s.DECK or zone == s.FACE_DOWN or zone == s.HAND + 1 - seat or zone == s.STACK + 1 - seat


@kernel
def sort_places(state: State, cards: Cards, seat: int, hidden: np.ndarray, begins: np.ndarray) -> None:
    """Sorts the places of the hidden cards of each deck, to make the new deal independent of the old one.

    Args:
        hidden: int16 (CARDS_MAX,), filled here. begins: int64 (BATCHES + 1,), zeros; filled with each deck's start.
    """
    zones = np.zeros((BATCHES, s.ZONE + 1), np.int64)  # cards of each deck in each zone
    for card in range(cards.n_cards):
        if hidden_from(state, card, seat):
            place = np.int64(state.place[card])
            zones[place >> s.BATCH, place & s.ZONE] += 1
            begins[(place >> s.BATCH) + 1] += 1
    for batch in range(BATCHES):
        begins[batch + 1] += begins[batch]
    at = begins[:BATCHES].copy()
    for card in range(cards.n_cards):
        if hidden_from(state, card, seat):
            batch = np.int64(state.place[card]) >> s.BATCH
            hidden[at[batch]] = card
            at[batch] += 1
    for batch in range(BATCHES):
        at_card = begins[batch]
        for zone in range(s.ZONE + 1):
            for _ in range(zones[batch, zone]):
                state.place[hidden[at_card]] = (batch << s.BATCH) | zone
                at_card += 1


@kernel
def swap_places(state: State, one: int, other: int) -> None:
    place = state.place[one]
    state.place[one] = state.place[other]
    state.place[other] = place


@kernel
def hide_from_use(state: State, seat: int) -> None:
    """Clears the card report, which may reveal what only the other side knows; a redrawn game starts a new one."""
    for card in range(s.CARDS_MAX):
        state.card_use[card] = 0


@kernel
def rebuild(state: State, cards: Cards, other: int) -> None:
    """Rebuilds hand, stack and deck lists from the cards' places; the order of the other stack is lost."""
    hand = 0
    stack = 0
    deck = 0
    for card in range(cards.n_cards):
        zone = np.int64(state.place[card]) & s.ZONE
        if zone == s.DECK:
            state.deck[deck] = card
            deck += 1
        elif zone == s.HAND + other:
            state.hand[other, hand] = card
            hand += 1
        elif zone == s.STACK + other:
            state.stack[other, stack] = card
            stack += 1
