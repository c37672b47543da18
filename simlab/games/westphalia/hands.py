"""Hands of military cards, and the public knowledge about them.

All players know a hand's size, the cards that came back to it or were taken openly (`shown`), and the kinds that its
unknown part lacks (`denied`). A player who looked at the hand with Guerilla (`peeker`) knows more (`foe_shown`). Known
numbers of each kind are lower bounds: a card that leaves openly lowers the number of its kind by one, and a card that
leaves unseen lowers the number of every kind by one.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import draw_kind
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia.state import CARD_STREAM, CAVALRY, KINDS, MUSKETEER, NOBODY, PIKEMAN


@small_kernel
def hand_size(state: State, player: int) -> int:
    return (
        np.int64(state.hand[player, MUSKETEER])
        + np.int64(state.hand[player, PIKEMAN])
        + np.int64(state.hand[player, CAVALRY])
    )


@small_kernel
def pile_size(state: State, player: int) -> int:
    return (
        np.int64(state.discard[player, MUSKETEER])
        + np.int64(state.discard[player, PIKEMAN])
        + np.int64(state.discard[player, CAVALRY])
    )


@kernel
def kinds_held(state: State, player: int) -> int:
    """Bits of the kinds in a hand."""
    found = np.int64(0)
    for kind in range(KINDS):
        if state.hand[player, kind] > 0:
            found |= np.int64(1) << kind
    return found


@kernel
def empty_hand(state: State, player: int) -> None:
    """Before and after a battle: clears the hand and everything known about it."""
    for kind in range(KINDS):
        state.hand[player, kind] = 0
        state.discard[player, kind] = 0
        state.drawn[player, kind] = 0
        state.seen[player, kind] = 0
        state.shown[player, kind] = 0
        state.foe_shown[player, kind] = 0
        state.deck[player, kind] = 0
    state.reserve[player] = 0
    state.called[player] = 0
    state.barred[player] = 0
    state.routed[player] = 0
    state.played[player] = -1
    state.executed[player] = 0
    state.peeker[player] = NOBODY
    state.denied[player] = 0
    state.bought[player] = 0
    state.clash[player] = -1
    state.pending[player] = -1


@kernel
def fill_deck(state: State, knobs: Knobs, cards: Cards, deck: int) -> None:
    for kind in range(KINDS):
        copies = np.int64(knobs.cards_per_kind)
        state.deck[deck, kind] = copies if copies > 0 else cards.card_copies[kind]


@kernel
def draw_cards(state: State, player: int, number: int) -> None:
    """WP-BAT-03, WP-BAT-04: draws at random from a player's deck, at most as many cards as the deck holds."""
    deck = np.int64(state.deck_of[player])
    for _ in range(number):
        left = np.int64(0)
        for kind in range(KINDS):
            left += state.deck[deck, kind]
        if left == 0:
            return
        card = draw_kind(state, np.int64(state.stream_seats) + CARD_STREAM, state.deck[deck], left)
        for kind in range(KINDS):
            if card < state.deck[deck, kind]:
                state.deck[deck, kind] -= 1
                state.hand[player, kind] += 1
                state.drawn[player, kind] += 1
                break
            card -= np.int64(state.deck[deck, kind])


# --- Cards that come and go -------------------------------------------------------------


@kernel
def gain_openly(state: State, player: int, kind: int) -> None:
    state.hand[player, kind] += 1
    state.shown[player, kind] += 1
    state.foe_shown[player, kind] += 1


@kernel
def gain_unseen(state: State, player: int, kind: int) -> None:
    """A hand gains a card that is not from the deck in use and whose kind only its owner knows."""
    state.hand[player, kind] += 1
    state.bought[player] += 1
    state.denied[player] = 0


@kernel
def lose_openly(state: State, player: int, kind: int) -> None:
    state.hand[player, kind] -= 1
    if state.shown[player, kind] > 0:
        state.shown[player, kind] -= 1
    else:
        state.seen[player, kind] += 1
    if state.foe_shown[player, kind] > 0:
        state.foe_shown[player, kind] -= 1


@kernel
def lose_unseen(state: State, player: int, kind: int) -> None:
    """A hand loses a card whose kind only its owner knows."""
    state.hand[player, kind] -= 1
    for each in range(KINDS):
        state.shown[player, each] = max(np.int64(state.shown[player, each]) - 1, np.int64(0))
        state.foe_shown[player, each] = max(np.int64(state.foe_shown[player, each]) - 1, np.int64(0))


@kernel
def look_at(state: State, viewer: int, player: int) -> None:
    """WP-DOC-05: a player looks at another's hand."""
    state.peeker[player] = viewer
    for kind in range(KINDS):
        state.foe_shown[player, kind] = state.hand[player, kind]


@kernel
def deny(state: State, player: int, kind: int) -> None:
    """WP-BAT-09: a player declares that he has no card of a kind."""
    state.denied[player] = np.int64(state.denied[player]) | np.int64(1) << kind
