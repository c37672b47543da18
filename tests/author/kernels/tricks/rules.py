"""Tricks, in the order of its rules: 1 the deal, 2 bidding and play, 3 scoring and the end.

A rule is a few lines, named by its ID. All of it is compiled: plain loops, numbers and arrays, no Python objects.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, draw_from_set, offer, redraw_below
from simlab.game import Cards, Description, Knobs, Row, State

from . import rule
from .state import ALONE, BID, CARD, PACK, RANK_NAMES, RANKS, SEATS, SHARED, SUIT_NAMES, SUITS

ONE = np.int64(1)
WHOLE_PACK = (ONE << np.int64(PACK)) - ONE
ONE_SUIT = (ONE << np.int64(RANKS)) - ONE

# --- Sets of cards ------------------------------------------------------------


@kernel
def size_of(cards: int) -> int:
    """How many cards a set holds."""
    count = 0
    while cards:
        cards &= cards - ONE
        count += 1
    return count


@kernel
def nth_card(cards: int, n: int) -> int:
    """The card that n others of a set lie below."""
    for card in range(PACK):
        if cards >> card & ONE:
            if n == 0:
                return card
            n -= 1
    raise ValueError("the set has no such card")


@kernel
def of_suit(cards: int, suit: int) -> int:
    """The cards of a set that are of a suit."""
    return cards & (ONE_SUIT << (suit * RANKS))


# --- 1 The deal ---------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """T-1.1: the first seat deals."""
    count_rule(state, rule.T_1_1)
    state.turn = 1
    deal(state, knobs)


@kernel
def deal(state: State, knobs: Knobs) -> None:
    """T-1.2, T-1.3, T-1.4: hands, then the card that is turned up."""
    count_rule(state, rule.T_1_2)
    state.dealt = knobs.hand
    if knobs.shrinking and state.deal_no > 0:
        count_rule(state, rule.T_1_3)
        state.dealt = knobs.hand - state.deal_no
    stream = np.int64(state.stream_seats) + 1  # the only stream of chance
    left, count = WHOLE_PACK, PACK
    for seat in range(state.hand.shape[0]):
        state.hand[seat] = 0
        for _ in range(state.dealt):
            card = nth_card(left, draw_from_set(state, stream, left, count))
            state.hand[seat] |= ONE << card
            left &= ~(ONE << card)
            count -= 1
        state.table[seat] = -1
        state.lacks[seat] = 0
        state.bid[seat] = -1
        state.taken[seat] = 0
    state.turned = nth_card(left, draw_from_set(state, stream, left, count))
    if knobs.trumps:
        count_rule(state, rule.T_1_4)
    state.played = 0
    state.leader = (state.dealer + 1) % state.hand.shape[0]
    state.seat = state.leader
    state.decision = BID


@kernel
def trump_suit(state: State, knobs: Knobs) -> int:
    """T-1.4: the suit of trumps, -1 for none."""
    return np.int64(state.turned) // RANKS if knobs.trumps else -1


# --- 2 Bidding and play -------------------------------------------------------


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """T-2.1, T-2.2: the bids; T-2.3, T-2.4: the cards."""
    if state.decision == BID:
        barred = barred_bid(state, knobs)
        for bid in range(state.dealt + 1):
            if bid != barred:
                offer(state, bid)
        return
    playable = playable_cards(state)
    for card in range(PACK):
        if playable >> card & ONE:
            offer(state, card)


@kernel
def barred_bid(state: State, knobs: Knobs) -> int:
    """T-2.2: what the seat to act may not bid, -1 for nothing."""
    if not knobs.hook or state.seat != state.dealer:
        return -1
    others = 0
    for seat in range(state.bid.shape[0]):
        if seat != state.dealer:
            others += state.bid[seat]
    return state.dealt - others


@kernel
def playable_cards(state: State) -> int:
    """T-2.4: the cards of the suit led, or all of the hand."""
    hand = np.int64(state.hand[state.seat])
    if state.seat == state.leader:
        return hand
    following = of_suit(hand, np.int64(state.table[state.leader]) // RANKS)
    return following if following else hand


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """T-2: a bid or a card; the last of a round ends it."""
    if state.decision == BID:
        bid(state, knobs, action)
    else:
        play(state, knobs, action)


@kernel
def bid(state: State, knobs: Knobs, tricks: int) -> None:
    """T-2.1, T-2.2: what the seat will take."""
    count_rule(state, rule.T_2_1)
    if barred_bid(state, knobs) >= 0:
        count_rule(state, rule.T_2_2)
    state.bid[state.seat] = tricks
    state.tricks_bid += tricks
    if state.seat == state.dealer:
        state.decision = CARD
    state.seat = (state.seat + 1) % state.hand.shape[0]


@kernel
def play(state: State, knobs: Knobs, card: int) -> None:
    """T-2.3, T-2.4: a card goes on the table; who does not follow suit is out of it."""
    seat = np.int64(state.seat)
    if seat == state.leader:
        count_rule(state, rule.T_2_3)
    else:
        led = np.int64(state.table[state.leader]) // RANKS
        if card // RANKS != led:
            count_rule(state, rule.T_2_4)
            state.lacks[seat] |= np.int8(1) << np.int8(led)
    state.table[seat] = card
    state.hand[seat] &= ~(ONE << card)
    state.played |= ONE << card
    state.seat = (seat + 1) % state.hand.shape[0]
    if state.seat == state.leader:
        end_trick(state, knobs)


@kernel
def beats(card: int, other: int, trump: int) -> bool:
    """T-2.5: whether a card played after another takes the trick from it."""
    if card // RANKS == other // RANKS:
        return card > other
    return card // RANKS == trump


@kernel
def taking_seat(state: State, trump: int) -> int:
    """T-2.5: who takes the trick as it lies; -1 before the lead."""
    best = -1
    for place in range(state.table.shape[0]):
        seat = (np.int64(state.leader) + place) % state.table.shape[0]
        card = np.int64(state.table[seat])
        if card >= 0 and (best < 0 or beats(card, np.int64(state.table[best]), trump)):
            best = seat
    return best


@kernel
def end_trick(state: State, knobs: Knobs) -> None:
    """T-2.5: the trick is taken, and its taker leads the next."""
    count_rule(state, rule.T_2_5)
    taker = taking_seat(state, trump_suit(state, knobs))
    state.taken[taker] += 1
    for seat in range(state.table.shape[0]):
        state.table[seat] = -1
    state.leader = taker
    state.seat = taker
    if state.hand[taker] == 0:
        score(state, knobs)
    else:
        state.turn += 1


# --- 3 Scoring and the end ----------------------------------------------------


@kernel
def score(state: State, knobs: Knobs) -> None:
    """T-3.1: bids that were met score; then the next deal, or the end."""
    count_rule(state, rule.T_3_1)
    for seat in range(state.hand.shape[0]):
        off = abs(np.int64(state.taken[seat]) - np.int64(state.bid[seat]))
        if off == 0:
            state.bids_met += 1
            state.score[seat] += knobs.exact_bonus + knobs.trick_points * np.int64(state.taken[seat])
        else:
            state.score[seat] -= knobs.miss_penalty * off
    state.deal_no += 1
    if state.deal_no == knobs.deals:
        finish(state)
        return
    state.turn += 1
    state.dealer = (state.dealer + 1) % state.hand.shape[0]
    deal(state, knobs)


@kernel
def finish(state: State) -> None:
    """T-3.2: the most points win, or share the win."""
    count_rule(state, rule.T_3_2)
    best = state.score[0]
    for seat in range(state.score.shape[0]):
        best = max(best, state.score[seat])
    for seat in range(state.score.shape[0]):
        if state.score[seat] == best:
            state.winners |= ONE << seat
    state.over = True


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game."""
    row.winners = state.winners
    row.winner = -2
    for seat in range(state.score.shape[0]):
        row.score[seat] = state.score[seat]
        if state.winners == ONE << seat:
            row.winner = seat
    row.sharing = size_of(np.int64(state.winners))
    row.ending = ALONE if row.sharing == 1 else SHARED
    row.turns = state.turn
    row.bids_met = state.bids_met
    row.tricks_bid = state.tricks_bid


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    """The points of all."""
    for seat in range(state.score.shape[0]):
        values[seat] = state.score[seat]


# --- What is hidden -----------------------------------------------------------


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """The hands of the others are hidden, and which cards were not dealt: they are dealt anew out of both.

    Nobody gets a card of a suit that it is known to be out of (T-2.4). Each card is any of those that leave the rest
    of the deal possible; where nobody is out of anything, all deals are equally likely.
    """
    pool = WHOLE_PACK & ~np.int64(state.played) & ~np.int64(state.hand[seat]) & ~(ONE << np.int64(state.turned))
    for other in range(state.hand.shape[0]):
        if other != seat:
            state.hand[other] = 0
    for other in range(state.hand.shape[0]):
        if other == seat:
            continue
        for _ in range(cards_held(state, other)):
            fitting = allowed_cards(pool, np.int64(state.lacks[other]))
            card = nth_card(fitting, redraw_below(state, size_of(fitting)))
            state.hand[other] |= ONE << card
            while not can_be_dealt(state, pool & ~(ONE << card)):
                state.hand[other] &= ~(ONE << card)
                fitting &= ~(ONE << card)
                card = nth_card(fitting, redraw_below(state, size_of(fitting)))
                state.hand[other] |= ONE << card
            pool &= ~(ONE << card)


@kernel
def cards_held(state: State, seat: int) -> int:
    """How many cards a seat holds, as everybody can count: one a trick that is not yet over."""
    if state.decision == BID:
        return np.int64(state.dealt)
    held = np.int64(state.dealt) - (1 if state.table[seat] >= 0 else 0)
    for other in range(state.taken.shape[0]):
        held -= np.int64(state.taken[other])
    return held


@kernel
def allowed_cards(cards: int, lacks: int) -> int:
    """The cards of a set that a seat which is out of some suits may hold."""
    for suit in range(SUITS):
        if lacks >> suit & ONE:
            cards &= ~of_suit(cards, suit)
    return cards


@kernel
def can_be_dealt(state: State, pool: int) -> bool:
    """Whether the hands that are not full yet can be filled out of a set of cards.

    Hall's condition: for any of these seats together there are as many cards that one of them may hold as they need.
    """
    players = state.hand.shape[0]
    known = False
    for seat in range(players):
        known |= state.lacks[seat] != 0
    if not known:
        return True
    for group in range(1, 1 << players):
        needed, lacked_by_all = np.int64(0), ONE_SUIT
        for seat in range(players):
            if group >> seat & 1:
                needed += cards_held(state, seat) - size_of(np.int64(state.hand[seat]))
                lacked_by_all &= np.int64(state.lacks[seat])
        if needed > size_of(allowed_cards(pool, lacked_by_all)):
            return False
    return True


# --- In words (plain Python, not compiled) ------------------------------------


def card_name(card: int) -> str:
    """A card as a person writes it: 10♥."""
    return RANK_NAMES[card % RANKS] + SUIT_NAMES[card // RANKS]


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    return f"bid {action}" if state.decision == BID else card_name(action)


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all."""
    trumps = SUIT_NAMES[int(state.turned) // RANKS] if knobs.trumps else "none"
    seen: Description = {"turned up": card_name(int(state.turned)), "trumps": trumps}
    on_table = [f"{SEATS[s]} {card_name(int(card))}" for s, card in enumerate(state.table) if card >= 0]
    seen["on the table"] = ", ".join(on_table) or "-"
    for number in range(state.hand.shape[0]):
        name = SEATS[number]
        if seat is None or seat == number:
            cards_of = [card_name(card) for card in range(PACK) if int(state.hand[number]) >> card & 1]
            seen[f"{name}'s hand"] = " ".join(cards_of) or "-"
        bid = int(state.bid[number])
        seen[f"{name}'s tricks"] = f"{int(state.taken[number])} of {bid}" if bid >= 0 else "no bid yet"
        seen[f"{name}'s points"] = str(int(state.score[number]))
    return seen
