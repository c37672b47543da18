"""Harvest: everybody takes a card and passes the rest on; the best field wins, and equal fields share the win."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer, redraw_order
from simlab.game import (
    Cards,
    Decision,
    Description,
    Game,
    Knobs,
    Metric,
    Row,
    State,
    Tables,
    Track,
    rule_index,
    state_type,
)

MOST, HAND, RANKS, COPIES = 6, 5, 10, 4
SEATS = ("ann", "bob", "cat", "dan", "eve", "fay")
RULE = rule_index(Path(__file__).with_name("ledger.toml"))
H_1_1, H_2_1, H_2_2, H_3_1, H_3_2, H_3_3 = (RULE[f"H_{n}"] for n in ("1.1", "2.1", "2.2", "3.1", "3.2", "3.3"))
CARDS = np.dtype([("none", np.int64)], align=True)


def record(players: int) -> np.dtype[np.void]:
    return state_type(
        [
            ("deck", np.int8, (RANKS * COPIES,)),  # H-1.1: shuffled; 0 where a card was dealt
            ("hand", np.int8, (players, HAND)),  # ranks 1..10; 0 taken
            ("sown", np.int8, (players, RANKS + 1)),  # H-2.1: cards of each rank
            ("choice", np.int8, (players,)),  # H-2.1: place in the hand, until all have chosen
            ("winners", np.int64),
        ],
        seats=players,
        streams=("deal",),
        max_actions=HAND,
        rules=len(RULE),
    )


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """H-1.1: five cards each, from a deck of ranks 1 to 10, four of each."""
    count_rule(state, H_1_1)
    deal = np.int64(state.stream_seats) + 1
    for i in range(state.deck.size):
        state.deck[i] = 1 + i % RANKS
    for i in range(state.deck.size - 1, 0, -1):
        j = below(state, deal, i + 1)
        state.deck[i], state.deck[j] = state.deck[j], state.deck[i]
    for seat in range(state.hand.shape[0]):
        for place in range(HAND):
            state.hand[seat, place] = state.deck[seat * HAND + place]
            state.deck[seat * HAND + place] = 0
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """H-2.1: any card of the hand; of equal cards the first."""
    for place in range(HAND):
        fresh = state.hand[state.seat, place] > 0
        for before in range(place):
            fresh &= state.hand[state.seat, before] != state.hand[state.seat, place]
        if fresh:
            offer(state, place)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """H-2.1: choose in secret; when all have chosen, the cards are taken and the hands passed on."""
    count_rule(state, H_2_1)
    state.choice[state.seat] = action
    if state.seat + 1 < state.hand.shape[0]:
        state.seat += 1
        return
    take_and_pass(state)
    if state.turn == HAND:
        finish(state, knobs)
        return
    state.turn += 1
    state.seat = 0


@kernel
def take_and_pass(state: State) -> None:
    """H-2.1, H-2.2: all take their card at once, and each hand goes to the left."""
    count_rule(state, H_2_2)
    players = state.hand.shape[0]
    for seat in range(players):
        rank = state.hand[seat, state.choice[seat]]
        state.sown[seat, rank] += 1
        state.hand[seat, state.choice[seat]] = 0
    for place in range(HAND):
        last = state.hand[players - 1, place]
        for seat in range(players - 1, 0, -1):
            state.hand[seat, place] = state.hand[seat - 1, place]
        state.hand[0, place] = last


@kernel
def points(state: State, knobs: Knobs, seat: int) -> int:
    """H-3.1: the ranks of the field; a rank held twice or more counts twice. The first seat may have a head start."""
    total = np.int64(knobs.head_start) if seat == 0 else np.int64(0)
    for rank in range(1, RANKS + 1):
        copies = np.int64(state.sown[seat, rank])
        total += rank * copies * (2 if copies > 1 else 1)
    return total


@kernel
def finish(state: State, knobs: Knobs) -> None:
    """H-3.2, H-3.3: the most points win; who has as many shares the win."""
    count_rule(state, H_3_1)
    count_rule(state, H_3_2)
    best, sharing = np.int64(-1), 0
    for seat in range(state.hand.shape[0]):
        own = points(state, knobs, seat)
        if own > best:
            best, sharing, state.winners = own, 0, 0
        if own == best:
            sharing += 1
            state.winners |= 1 << seat
    if sharing > 1:
        count_rule(state, H_3_3)
    state.over = True


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    row.winners = state.winners
    row.winner = -2
    for seat in range(state.hand.shape[0]):
        row.score[seat] = points(state, knobs, seat)
        if state.winners == 1 << seat:
            row.winner = seat
        row.sharing += (state.winners >> seat) & 1
    row.ending = 0 if row.winner >= 0 else 1
    row.turns = state.turn


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    for seat in range(state.hand.shape[0]):
        values[seat] = points(state, knobs, seat)


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """The hands of the others and the cards that were not dealt are hidden: they are put in a new order."""
    dealt = state.hand.shape[0] * HAND
    hidden = 0  # the place of the dealt cards in the deck is empty: the hidden hands are put there for a while
    for other in range(state.hand.shape[0]):
        for place in range(HAND):
            if other != seat and state.hand[other, place] > 0:
                hidden += 1
                state.deck[dealt - hidden] = state.hand[other, place]
    redraw_order(state, state.deck[dealt - hidden :])
    for other in range(state.hand.shape[0]):
        for place in range(HAND):
            if other != seat and state.hand[other, place] > 0:
                state.hand[other, place] = state.deck[dealt - hidden]
                state.deck[dealt - hidden] = 0
                hidden -= 1


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    return f"take the {int(state.hand[int(state.seat), action])}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    seen: Description = {}
    for number in range(state.hand.shape[0]):
        name = SEATS[number]
        ranks = [rank for rank in range(1, RANKS + 1) for _ in range(int(state.sown[number, rank]))]
        seen[f"{name}'s field"] = " ".join(map(str, ranks)) or "-"
        if seat is None or seat == number:
            seen[f"{name}'s hand"] = " ".join(str(int(c)) for c in state.hand[number] if c) or "-"
    return seen


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


def game(players: int = 4) -> Game:
    seats = SEATS[:players]
    return Game(
        slug="harvest", title="Harvest", summary="Draft a field; equal fields share the win.",
        folder=Path(__file__).parent, article="", players=(3, MOST), seats=seats, endings=("alone", "shared"),
        streams=("deal",),
        decisions=(Decision("D-1", "card to take", secret=True),),
        metrics=(Metric("sharing", "seats that share the win", "seats", low=1, high=MOST),),
        tracks=tuple(Track(f"points_{seat}", 0, 100, f"{seat}'s points") for seat in seats),
        lead=tuple(f"points_{seat}" for seat in seats),
        state=record(players), cards=CARDS, tables=(), pack_cards=pack_cards, initial_state=initial_state,
        legal_actions=legal_actions, apply_action=apply_action, determinize=determinize, outcome=outcome,
        track_values=track_values, action_label=action_label, describe=describe, max_decisions=HAND * players + 1,
        max_turns=HAND, has_scores=True, score_range=(0, None), turn_name="round",
    )  # fmt: skip
