"""Lowenheim's hidden information: a redraw of what a faction cannot see (LW-CRD-04, LW-BLK-01)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import redraw_below, redraw_order, reshuffle_cards
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import is_gone


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Redeals the deck and the other hands, reshuffles both event decks, and hides the Box and unrevealed votes and
    plans.

    A card that the seat has seen in another hand (because it gave it or was offered it) stays there. Hand sizes, the
    discard pile and the cards implied by the current decision are known to all.
    """
    deal_anew(state, seat)
    redraw_order(state, state.event_deck[state.event_at : cards.n_events])
    redraw_order(state, state.command_deck[state.command_at : cards.n_commands])
    if state.decision == s.D_PLAN:
        for other in range(s.FACTIONS):
            if other != seat:
                state.plans[other] = redraw_below(state, 2) if other < state.seat else 0
    if state.decision == s.D_VOTE:
        for other in range(s.FACTIONS):
            if other != seat:
                state.votes[other] = redraw_below(state, 2)
    if seat != s.WZ and not state.artefact_public[s.BOX] and state.decision != s.D_BOX:
        move_box(state)
    for item in range(state.item_use.size):
        state.item_use[item] = 0


@kernel
def reshuffle(state: State, knobs: Knobs, cards: Cards, unseen: bool) -> None:
    """Both event decks, whose order nobody has seen."""
    reshuffle_cards(state, s.EVENT_STREAM, state.event_deck[state.event_at : cards.n_events])
    reshuffle_cards(state, s.COMMAND_STREAM, state.command_deck[state.command_at : cards.n_commands])


@kernel
def deal_anew(state: State, seat: int) -> None:
    """Pools the deck and the other hands; each hand gets its known cards back, then random cards."""
    heap = np.zeros(6, np.int64)
    for kind in range(s.TYPES):
        heap[kind] = np.int64(state.deck[kind])
        for other in range(s.FACTIONS):
            if other != seat:
                heap[kind] += np.int64(state.hand[other, kind])
    for other in range(s.FACTIONS):
        if other == seat:
            continue
        left = np.int64(state.held[other])
        for kind in range(s.TYPES):
            known = np.int64(state.known[seat, other, kind])
            sure = min(left, max(known, needed(state, np.int64(other), np.int64(kind))))
            state.hand[other, kind] = sure
            heap[kind] -= sure
            left -= sure
    total = np.int64(0)
    for kind in range(s.TYPES):
        total += heap[kind]
    for other in range(s.FACTIONS):
        if other == seat:
            continue
        missing = np.int64(state.held[other])
        for kind in range(s.TYPES):
            missing -= np.int64(state.hand[other, kind])
        for _ in range(missing):
            drawn = redraw_below(state, total)
            kind = 0
            while drawn >= heap[kind]:
                drawn -= heap[kind]
                kind += 1
            heap[kind] -= 1
            total -= 1
            state.hand[other, kind] += 1
    for kind in range(s.TYPES):
        state.deck[kind] = heap[kind]
    for viewer in range(s.FACTIONS):  # other viewers' knowledge of hands is private
        if viewer != seat:
            for owner in range(s.FACTIONS):
                for kind in range(s.TYPES):
                    state.known[viewer, owner, kind] = 0


@kernel
def needed(state: State, owner: int, kind: int) -> int:
    """Cards of a type that a hand must hold for the current decision to be possible."""
    if state.decision == s.D_ANSWER:
        if owner == state.at and kind == state.give:
            return np.int64(1)
        if owner == state.partner and kind == np.int64(state.want) - 1:
            return np.int64(1)
    if state.decision == s.D_POWER and owner == s.WZ:
        return np.int64(kind == (s.FOOD if np.int64(state.spell) == s.FAST_FOOD else s.PEASANTS))
    return np.int64(0)


@kernel
def move_box(state: State) -> None:
    """The Box is in the tower or with any wizard that could have taken it. If the tower is lost, the Box is lost or
    carried.
    """
    in_reach = np.int64(state.artefact_lost[0]) == 0  # everything in the tower is lost at the same time
    places = np.int64(1)
    for wizard in range(s.WIZARDS):
        places += bearer(state, np.int64(wizard))
    skip = redraw_below(state, places)
    at = np.int64(-1)
    for wizard in range(s.WIZARDS):
        skip -= bearer(state, np.int64(wizard))
        if skip < 0:
            at = np.int64(wizard)
            break
    if at >= 0:
        state.box_at = at + 1
        state.artefact_lost[s.BOX] = 0
    else:
        state.box_at = s.IN_TOWER if in_reach else s.NO_BOX
        state.artefact_lost[s.BOX] = 0 if in_reach else 1


@kernel
def bearer(state: State, wizard: int) -> int:
    could = (np.int64(state.box_could) >> wizard) & 1
    return np.int64(0) if is_gone(state, s.SEVERUS + wizard) else could
