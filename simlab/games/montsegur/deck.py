"""Montségur's cards: the command deck, hands, stacks and piles (MS-SET-04, MS-INI).

The deck is a set: the top card is drawn from the deck's own stream only when it is needed. This is equivalent to a
shuffle, costs less, and leaves nothing for a bot to peek at.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import below, count_rule, draw_card
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s

AS_PRINTED, BLANK, REMOVED, CP_PLUS, CP_MINUS, SYM_PLUS, SYM_MINUS, EFFECT_PLUS, EFFECT_MINUS = s.numbers(-1, 9)
NEUTRAL = 2


# --- The values of a card under the knobs -----------------------------------------


@small_kernel
def alteration(knobs: Knobs, cards: Cards, card: int) -> int:
    """The effect of the knob `altered_card` on a card; AS_PRINTED for all other cards."""
    if knobs.altered_card != 0 and cards.knob_row[knobs.altered_card] == card:
        return np.int64(knobs.alteration)
    return AS_PRINTED


@small_kernel
def card_cp(knobs: Knobs, cards: Cards, card: int) -> int:
    """Command points of a card, 1..6."""
    points = cards.cp[card]
    change = alteration(knobs, cards, card)
    if change == CP_PLUS:
        points = min(points + 1, 6)
    elif change == CP_MINUS:
        points = max(points - 1, 1)
    return points


@small_kernel
def card_symbols(knobs: Knobs, cards: Cards, card: int, side: int) -> int:
    """MS-VP-08: a side's own symbols on a card."""
    if cards.side[card] != side:
        return 0
    number = cards.sym[card]
    if knobs.symbols_mode == 1:
        number = 1
    elif knobs.symbols_mode == 2:
        number = card_cp(knobs, cards, card)
    change = alteration(knobs, cards, card)
    if change == SYM_PLUS:
        number += 1
    elif change == SYM_MINUS:
        number = max(number - 1, 0)
    return number


@kernel
def card_program(knobs: Knobs, cards: Cards, card: int) -> int:
    """First op of a card's event, under the switches that affect it."""
    if alteration(knobs, cards, card) == BLANK:
        return 0
    switch = cards.switch[card]
    if (
        (switch == 1 and knobs.truce_scope != 0)
        or (switch == 2 and knobs.local_sympathizers_mode != 0)
        or (switch == 3 and knobs.disputatio_capture != 0)
    ):
        return cards.other_program[card]
    return cards.program[card]


# --- Zones ------------------------------------------------------------------------


@small_kernel
def move_card(state: State, card: int, zone: int) -> None:
    """Puts a card into a zone; the record keeps the deck that it came from."""
    state.place[card] = (np.int64(state.place[card]) & ~s.ZONE) | zone


@small_kernel
def zone_of(state: State, card: int) -> int:
    return np.int64(state.place[card]) & s.ZONE


@small_kernel
def use_card(state: State, card: int, use: int, side: int) -> None:
    """For the card report: records that a side used a card in this way."""
    state.card_use[card] = np.int64(state.card_use[card]) | (1 << (use + side))


@small_kernel
def into_hand(state: State, side: int, card: int) -> None:
    above = card
    for at in range(state.hand_len[side]):  # no branch: a card's place is unpredictable
        other = np.int64(state.hand[side, at])
        state.hand[side, at] = min(other, above)
        above = max(other, above)
    state.hand[side, np.uint32(state.hand_len[side])] = above
    state.hand_len[side] += 1
    move_card(state, card, s.HAND + side)
    use_card(state, card, s.HELD, side)


@kernel
def out_of_hand(state: State, side: int, slot: int) -> int:
    """Removes the card in a slot from a hand and returns it."""
    card = np.int64(state.hand[side, slot])
    state.hand_len[side] -= 1
    for at in range(s.HAND_MAX - 1):  # loops over all slots, without a branch, as above
        here, after = state.hand[side, at], state.hand[side, at + 1]
        state.hand[side, at] = after if at >= slot else here
    return card


@small_kernel
def discard_card(state: State, side: int, card: int) -> None:
    """Discards an unplayed card from a hand, face up."""
    count_rule(state, rule.MS_INF_02)
    move_card(state, card, s.DISCARD)
    use_card(state, card, s.DISCARDED, side)


@kernel
def stack_card(state: State, side: int, slot: int) -> None:
    """MS-STR-01: puts a hand card face down on the strategy stack."""
    count_rule(state, rule.MS_STR_01)
    count_rule(state, rule.MS_INF_03)
    card = out_of_hand(state, side, slot)
    move_card(state, card, s.STACK + side)
    use_card(state, card, s.STACKED, side)
    state.stack[side, state.stack_len[side]] = card
    state.stack_len[side] += 1


@kernel
def draw(state: State, stream: int, n: int) -> int:
    """Calls `below` without inlining it: inlined into every caller, it would overflow the processor's instruction
    cache."""
    return below(state, stream, n)


@kernel
def discard_random(state: State, side: int) -> None:
    """The effect `discard`: one card of a hand, chosen uniformly at random."""
    if state.hand_len[side] > 0:
        slot = draw(state, s.DISCARD_STREAM + side, np.int64(state.hand_len[side]))
        discard_card(state, side, out_of_hand(state, side, slot))


# --- The deck ---------------------------------------------------------------------


@kernel
def set_up_deck(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-SET-04: the summer cards form the deck, the winter cards are set aside."""
    count_rule(state, rule.MS_SET_04)
    for card in range(cards.n_cards):
        state.place[card] = s.ASIDE
        if alteration(knobs, cards, card) == REMOVED:
            state.place[card] = s.OUT
    state.deck_stream = s.SUMMER_DECK_STREAM
    bring_season(state, np.int64(0), cards.n_summer)


@kernel
def bring_season(state: State, first: int, after: int) -> None:
    """Puts the cards of a season that are still in the game into the deck."""
    place = s.DECK | np.int64(state.deck_batch) << s.BATCH
    at = np.int64(state.deck_len)
    for card in range(first, after):
        if state.place[card] == s.ASIDE:
            state.deck[np.uint32(at)] = card
            state.place[card] = place
            at += 1
    state.deck_len = at


@kernel
def into_deck(state: State, card: int) -> None:
    state.deck[state.deck_len] = card
    state.deck_len += 1
    state.place[card] = s.DECK | (np.int64(state.deck_batch) << s.BATCH)


@small_kernel
def new_batch(state: State) -> None:
    """Starts a new deck, whose cards are distinguished from those of earlier decks."""
    state.deck_batch = min(np.int64(state.deck_batch) + 1, 15)


@kernel
def draw_command(state: State, knobs: Knobs, cards: Cards, side: int) -> None:
    """Draws one card from the deck into a hand, if there is one (MS-INI-06 to MS-INI-08)."""
    if state.hand_len[side] >= s.HAND_MAX:
        return
    if state.deck_len == 0:
        if state.turn < s.RESHUFFLE_TURN:
            count_rule(state, rule.MS_INI_07)
            if knobs.deck_empty_early == 0:
                return
        reshuffle(state, cards)
        if state.deck_len == 0:
            count_rule(state, rule.MS_INI_08)
            return
    left = np.int64(state.deck_len)
    at = draw_card(state, np.int64(state.deck_stream), state.deck[:left])
    card = np.int64(state.deck[at])
    state.deck[at] = state.deck[left - 1]
    state.deck_len = left - 1
    into_hand(state, side, card)


@kernel
def reshuffle(state: State, cards: Cards) -> None:
    """MS-INI-06: the discard pile becomes the new deck."""
    count_rule(state, rule.MS_INI_06)
    new_batch(state)
    for card in range(cards.n_cards):
        zone = zone_of(state, card)
        if zone == s.DISCARD or zone == s.FACE_DOWN:
            into_deck(state, card)


@kernel
def deal(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-INI-01 to MS-INI-04: deals new cards, one at a time, to the Cathars first."""
    count_rule(state, rule.MS_INI_04)
    if state.turn == s.WINTER_TURN:
        deal_last_summer(state, knobs, cards)
        bring_winter(state, cards)
    else:
        count_rule(state, rule.MS_INI_01)
    for _ in range(knobs.hand_size):
        for side in range(2):
            if state.hand_len[side] < knobs.hand_size:
                draw_command(state, knobs, cards, side)


@kernel
def deal_last_summer(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-INI-02, MS-INI-03: deals the remaining summer cards equally; the rest goes face down on the discard pile."""
    count_rule(state, rule.MS_INI_02)
    each = min(np.int64(state.deck_len) // 2, np.int64(knobs.hand_size))
    for _ in range(each):
        draw_command(state, knobs, cards, s.ZERO)
        draw_command(state, knobs, cards, s.ONE)
    if state.deck_len > 0:
        count_rule(state, rule.MS_INI_03)
        if knobs.odd_summer_card == 0:
            for at in range(state.deck_len):
                state.place[state.deck[at]] = s.FACE_DOWN
            state.deck_len = 0


@kernel
def bring_winter(state: State, cards: Cards) -> None:
    """MS-INI-02: the winter cards become the new deck; under `into_winter`, so do the leftover summer cards."""
    new_batch(state)
    state.deck_stream = s.WINTER_DECK_STREAM
    for at in range(state.deck_len):
        state.place[state.deck[at]] = s.DECK | (np.int64(state.deck_batch) << s.BATCH)
    bring_season(state, cards.n_summer, cards.n_cards)


@small_kernel
def put_away(state: State, card: int, resolved: int) -> None:
    """MS-EVT-01, MS-TRG-02: a resolved card leaves the game; an unresolved card is discarded."""
    if resolved:
        count_rule(state, rule.MS_EVT_03)
        move_card(state, card, s.RESOLVED)
    else:
        move_card(state, card, s.DISCARD)
