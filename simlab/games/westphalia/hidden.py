"""Westphalia's hidden information: a redraw of what a seat cannot see (WP-GEN-07, WP-BAT-05).

Choices that are not yet shown, other players' Doctrine cards and their hands of military cards are hidden. A hand is
redrawn from the cards that its deck can still hold, consistently with everything shown of it (hands.py). Upheaval cards
and dice are drawn only when needed, so they need no redraw.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import redraw_below
from simlab.game import Array, Cards, Knobs, State
from simlab.games.westphalia import state as s
from simlab.games.westphalia.hands import hand_size, kinds_held


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Redeals the others' cards and redraws their secret choices."""
    seat = np.int64(seat)
    redraw_doctrines(state, cards, seat)
    pool = np.zeros((s.PLAYERS, s.KINDS), np.int64)
    count_pools(state, knobs, cards, seat, pool)
    for player in range(state.players):
        if player != seat and hand_size(state, player) > 0:
            redraw_hand(state, seat, np.int64(player), pool)
    redraw_choices(state, seat)
    if knobs.election_open == 1 and state.step_at[state.depth - 1] == s.S_VOTES:
        redraw_votes(state, seat)


# --- Doctrines ----------------------------------------------------------------------------


@kernel
def redraw_doctrines(state: State, cards: Cards, seat: int) -> None:
    """Deals hidden hands from the cards that are neither face up nor in the seat's own hand."""
    left = np.zeros(s.DOCTRINES, np.int64)
    total = np.int64(0)
    for kind in range(s.DOCTRINES):
        left[kind] = cards.doctrine_copies[kind] - state.doctrine[seat, kind] - state.doctrine_played[kind]
        total += left[kind]
        state.doctrine_use[kind, 0] = np.int64(state.doctrine_use[kind, 0]) & np.int64(1) << seat
    for player in range(state.players):
        if player == seat:
            continue
        held = np.int64(0)
        for kind in range(s.DOCTRINES):
            held += state.doctrine[player, kind]
            state.doctrine[player, kind] = 0
        for _ in range(held):
            card = redraw_below(state, total)
            total -= 1
            for kind in range(s.DOCTRINES):
                if card < left[kind]:
                    left[kind] -= 1
                    state.doctrine[player, kind] += 1
                    break
                card -= left[kind]


# --- Hands --------------------------------------------------------------------------------


@kernel
def count_pools(state: State, knobs: Knobs, cards: Cards, seat: int, pool: Array) -> None:
    """The cards that each deck can have dealt to hidden hands: its cards, minus the cards known to have come from
    it.
    """
    for deck in range(s.PLAYERS):
        for kind in range(s.KINDS):
            copies = np.int64(knobs.cards_per_kind)
            pool[deck, kind] = copies if copies > 0 else cards.card_copies[kind]
    for player in range(state.players):
        deck = np.int64(state.deck_of[player])
        for kind in range(s.KINDS):
            known = state.drawn[player, kind] if player == seat else state.seen[player, kind]
            pool[deck, kind] = max(pool[deck, kind] - known, 0)


@kernel
def redraw_hand(state: State, seat: int, player: int, pool: Array) -> None:
    """Keeps the cards that the seat knows; draws the others from the kinds that they can be."""
    deck = np.int64(state.deck_of[player])
    looked = state.peeker[player] == seat
    unknown = hand_size(state, player)
    for kind in range(s.KINDS):
        known = np.int64(state.foe_shown[player, kind] if looked else state.shown[player, kind])
        state.hand[player, kind] = known
        state.drawn[player, kind] = state.seen[player, kind]
        unknown -= known
    bought = np.int64(state.bought[player])
    for _ in range(unknown):
        total = np.int64(0)
        for kind in range(s.KINDS):
            total += weight(state, player, pool, deck, np.int64(kind), bought)
        card = redraw_below(state, total) if total > 0 else np.int64(0)
        for kind in range(s.KINDS):
            here = weight(state, player, pool, deck, np.int64(kind), bought)
            if card < here or (total == 0 and not (state.denied[player] >> kind) & 1) or kind == s.KINDS - 1:
                state.hand[player, kind] += 1
                state.drawn[player, kind] += 1
                if pool[deck, kind] > 0:
                    pool[deck, kind] -= 1
                elif bought > 0:
                    bought -= 1
                break
            card -= here
    if not looked:
        for kind in range(s.KINDS):
            state.foe_shown[player, kind] = state.hand[player, kind]
    if state.decision == s.D_INFANTRY and state.seat == player:
        infantry = np.int64(state.hand[player, s.MUSKETEER]) + np.int64(state.hand[player, s.PIKEMAN])
        while infantry < state.losses_left:  # the player did not rout, so the hand holds them
            state.hand[player, s.CAVALRY] -= 1
            state.hand[player, s.PIKEMAN] += 1
            infantry += 1
    refresh_options(state, player)


@kernel
def weight(state: State, player: int, pool: Array, deck: int, kind: int, bought: int) -> int:
    """How many cards of a kind, from the deck or bought, the unknown part of a hand can hold."""
    if (state.denied[player] >> kind) & 1:
        return np.int64(0)
    return pool[deck, kind] + bought


@kernel
def refresh_options(state: State, player: int) -> None:
    """Recomputes the options of another seat's decision about its hand, from the redrawn hand."""
    if state.seat != player:
        return
    held = kinds_held(state, player)
    if state.decision == s.D_CLASH:
        state.options[0] = playable(state, player)
    elif state.decision == s.D_INFANTRY:
        state.options[0] = held & 3
    elif (state.decision == s.D_SWAP or state.decision == s.D_AMBUSH) and state.give_left > 0:
        state.options[0] = held


@kernel
def playable(state: State, player: int) -> int:
    held = kinds_held(state, player)
    if state.barred[player] and held != np.int64(1) << s.CAVALRY:
        held &= ~(np.int64(1) << s.CAVALRY)
    return held


# --- Secret choices -----------------------------------------------------------------------


@kernel
def redraw_choices(state: State, seat: int) -> None:
    """Redraws the choices that others have made but not yet shown."""
    step = np.int64(state.step_at[state.depth - 1])
    for player in range(state.players):
        if player == seat or state.pending[player] < 0:
            continue
        if step == s.S_PATRONAGE:
            state.pending[player] = redraw_below(state, np.int64(state.gold[player]) + 1)
        elif step == s.S_CHOOSE:
            options = playable(state, np.int64(player))
            kind = redraw_below(state, np.int64(s.KINDS))
            while not (options >> kind) & 1:
                kind = (kind + 1) % s.KINDS
            state.pending[player] = kind
        else:
            state.pending[player] = redraw_below(state, np.int64(2))


@kernel
def redraw_votes(state: State, seat: int) -> None:
    """WP-ELE-02 under its switch: redraws the votes of others, which are not shown before the end."""
    for pr in range(s.ROSTER):
        if state.elector_vote[pr] >= 0 and state.ally[pr] != seat:
            state.elector_vote[pr] = redraw_below(state, np.int64(state.players))
