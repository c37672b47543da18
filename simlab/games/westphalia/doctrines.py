"""Military Doctrines and bought cards, before the first clash (ledger 3.14)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.flow import ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.hands import (
    gain_openly,
    gain_unseen,
    hand_size,
    kinds_held,
    look_at,
    lose_openly,
    lose_unseen,
)
from simlab.games.westphalia.tables import AMBUSH, ANY, SWAP

_ALL = np.int64((1 << s.KINDS) - 1)


@kernel
def muster_next(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-DOC-01, WP-DOC-09: one after the other, the fighters play a Doctrine, decide whether to execute it, and buy
    cards.
    """
    at = place_in(state)
    if at == 3 * np.int64(state.fighters):
        go(state, s.S_FIRST_ZERO)
        return
    player = np.int64(state.fighter[at // 3])
    move_on(state)
    if state.routed[player]:
        return  # decided by force alone before anybody played a Doctrine (WP-REL-10, alternative reading)
    if at % 3 == 0:
        count_order(state)
        count_rule(state, rule.WP_DOC_09)
        options = np.int64(1) << s.NO_DOCTRINE
        for kind in range(s.DOCTRINES):
            if state.doctrine[player, kind] > 0:
                options |= np.int64(1) << kind
        ask_few(state, player, s.D_DOCTRINE, options)
    elif at % 3 == 1:
        if state.played[player] >= 0 and executable(state, cards, player, np.int64(state.played[player])):
            ask_few(state, player, s.D_EXECUTE, np.int64(3))
    else:
        state.seat = player
        call(state, s.S_BUY)


@kernel
def play_doctrine(state: State, kind: int) -> None:
    """WP-DOC-01, WP-DOC-02: the card is used up for this round, executed or not."""
    player = np.int64(state.seat)
    if kind == s.NO_DOCTRINE:
        return
    count_rule(state, rule.WP_DOC_01)
    count_rule(state, rule.WP_DOC_02)
    state.doctrine[player, kind] -= 1
    state.doctrine_played[kind] += 1
    state.played[player] = kind
    tally(state, s.N_DOCTRINES, np.int64(1))


@kernel
def executable(state: State, cards: Cards, player: int, doctrine: int) -> bool:
    """WP-DOC-03 to WP-DOC-05: whether the hand holds the cards to give up; Guerilla also needs an opponent."""
    kind = np.int64(cards.doctrine_kind[doctrine])
    if kind == SWAP:
        needed = np.int64(0)
        for each in range(s.KINDS):
            if state.hand[player, each] < cards.gives[doctrine, each]:
                return False
            needed += cards.gives[doctrine, each]
        return hand_size(state, player) >= needed + cards.gives[doctrine, ANY]
    if kind == AMBUSH:
        return opponent_of(state, player) >= 0 and hand_size(state, player) >= 2
    return False


@kernel
def opponent_of(state: State, player: int) -> int:
    for slot in range(s.DUELS):
        for side in range(2):
            if state.slot[slot, side] == player:
                return np.int64(state.slot[slot, 1 - side])
    return s.NOBODY


@kernel
def answer_execute(state: State, knobs: Knobs, cards: Cards, yes: int) -> None:
    if not yes:
        return
    player = np.int64(state.seat)
    doctrine = np.int64(state.played[player])
    state.doctrine_at = doctrine
    state.executed[player] = 1
    state.doctrine_use[doctrine, 1] |= np.int64(1) << player
    tally(state, s.N_EXECUTED, np.int64(1))
    if cards.doctrine_kind[doctrine] == SWAP:
        count_rule(state, rule.WP_DOC_03)
        give_exactly(state, cards, player, doctrine)
        state.give_left = cards.gives[doctrine, ANY]
        state.take_left = cards.takes[doctrine, ANY]
    else:
        count_rule(state, rule.WP_DOC_05)
        state.give_left = ambush_cost(state, knobs, hand_size(state, player))
        state.take_left = 0
    call(state, s.S_EXECUTE)


@kernel
def ambush_cost(state: State, knobs: Knobs, held: int) -> int:
    """WP-DOC-05: two cards, or three with a large hand, but no more than the hand holds."""
    cost = np.int64(2)
    if held >= knobs.guerilla_threshold:
        cost = np.int64(3)
    return min(cost, held)


@kernel
def give_exactly(state: State, cards: Cards, player: int, doctrine: int) -> None:
    """WP-DOC-03, WP-DOC-07: gives up cards of the named kinds, visible to all."""
    count_rule(state, rule.WP_DOC_07)
    for kind in range(s.KINDS):
        for _ in range(cards.gives[doctrine, kind]):
            lose_openly(state, player, np.int64(kind))
    for kind in range(s.KINDS):
        for _ in range(cards.takes[doctrine, kind]):
            gain_openly(state, player, np.int64(kind))


@kernel
def carry_on(state: State, knobs: Knobs, cards: Cards) -> None:
    """Asks for the remaining choices of the Doctrine."""
    doctrine = np.int64(state.doctrine_at)
    player = np.int64(state.seat)
    ambush = cards.doctrine_kind[doctrine] == AMBUSH
    if state.give_left > 0:
        ask_few(state, player, s.D_AMBUSH if ambush else s.D_SWAP, kinds_held(state, player))
        return
    if state.take_left > 0:
        if ambush:
            held = kinds_held(state, opponent_of(state, player))
            if held:
                ask_few(state, player, s.D_AMBUSH, held)
                return
        else:
            ask_few(state, player, s.D_SWAP, _ALL)
            return
    done(state)


@kernel
def swap_card(state: State, kind: int) -> None:
    """WP-DOC-04: swaps a card of any kind, unseen by the others."""
    player = np.int64(state.seat)
    if state.give_left > 0:
        count_rule(state, rule.WP_DOC_04)
        lose_unseen(state, player, kind)
        state.give_left -= 1
    else:
        gain_unseen(state, player, kind)
        state.take_left -= 1


@kernel
def ambush(state: State, knobs: Knobs, kind: int) -> None:
    """WP-DOC-05: pays own cards to see the enemy's hand, then removes one or two cards from it."""
    player = np.int64(state.seat)
    enemy = opponent_of(state, player)
    if state.give_left > 0:
        lose_unseen(state, player, kind)
        state.give_left -= 1
        if state.give_left == 0:
            look_at(state, player, enemy)
            held = hand_size(state, enemy)
            state.take_left = min(np.int64(2) if held >= knobs.guerilla_threshold else np.int64(1), held)
        return
    lose_openly(state, enemy, kind)
    state.take_left -= 1


# --- Buying -----------------------------------------------------------------------------


@kernel
def ask_purchase(state: State, knobs: Knobs) -> None:
    """WP-DOC-06, WP-DOC-08: a card costs 1 Gold; the buyer picks its kind, unseen by the others."""
    player = np.int64(state.seat)
    if state.gold[player] == 0 or hand_size(state, player) >= 100:
        done(state)
        return
    ask_few(state, player, s.D_BUY, _ALL | np.int64(1) << s.NO_CARD)


@kernel
def buy(state: State, kind: int) -> None:
    player = np.int64(state.seat)
    if kind == s.NO_CARD:
        done(state)
        return
    count_rule(state, rule.WP_DOC_06)
    count_rule(state, rule.WP_DOC_08)
    state.gold[player] -= 1
    gain_unseen(state, player, kind)
    tally(state, s.N_CARDS_BOUGHT, np.int64(1))
