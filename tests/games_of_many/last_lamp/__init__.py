"""Last lamp: blow out the lamps of the others. Who has none left is out; the last with a burning lamp wins."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer
from simlab.game import (
    Cards,
    Decision,
    Description,
    Game,
    Knobs,
    Metric,
    Row,
    SeatCategory,
    State,
    Tables,
    Track,
    rule_index,
    state_type,
)

MOST, LAST = 6, 400
SEATS = ("ann", "bob", "cat", "dan", "eve", "fay")
ORDER = ("first", "second", "third", "fourth", "fifth", "sixth")
RULE = rule_index(Path(__file__).with_name("ledger.toml"))
L_1_1, L_1_2, L_2_1, L_2_2, L_3_1, L_3_2 = (RULE[f"L_{n}"] for n in ("1.1", "1.2", "2.1", "2.2", "3.1", "3.2"))
CARDS = np.dtype([("none", np.int64)], align=True)


def record(players: int) -> np.dtype[np.void]:
    return state_type(
        [
            ("lamps", np.int8, (players,)),  # L-1.1
            ("first", np.int8),  # L-1.2: the seat that begins
            ("first_out", np.int16),  # turn in which the first was out
        ],
        seats=players,
        streams=("breath", "lot"),
        max_actions=MOST,
        rules=len(RULE),
    )


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """L-1.1, L-1.2: everybody has the same number of lamps; who begins is drawn by lot."""
    count_rule(state, L_1_1)
    for seat in range(state.lamps.size):
        state.lamps[seat] = knobs.lamps
    if knobs.drawn:
        count_rule(state, L_1_2)
        state.first = below(state, np.int64(state.stream_seats) + 2, state.lamps.size)
    state.seat = state.first
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """L-2.1: blow at anybody else who has a lamp left."""
    for seat in range(state.lamps.size):
        if seat != state.seat and state.lamps[seat] > 0:
            offer(state, seat)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """L-2.1, L-2.2: a breath that is strong enough puts a lamp out; then it is the turn of the next who is in."""
    count_rule(state, L_2_1)
    if below(state, np.int64(state.stream_seats) + 1, 6) + 1 >= knobs.breath:
        state.lamps[action] -= 1
        if state.lamps[action] == 0:
            count_rule(state, L_2_2)
            if state.first_out == 0:
                state.first_out = state.turn
    left = 0
    for seat in range(state.lamps.size):
        left += state.lamps[seat] > 0
    if left == 1:
        count_rule(state, L_3_1)
        state.over = True
    elif state.turn == LAST:
        count_rule(state, L_3_2)
        state.over = True
    else:
        state.turn += 1
        state.seat = (state.seat + 1) % state.lamps.size
        while state.lamps[state.seat] == 0:
            state.seat = (state.seat + 1) % state.lamps.size


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    left, last = 0, 0
    for seat in range(state.lamps.size):
        row.score[seat] = state.lamps[seat]
        row.category[0, seat] = (seat - state.first) % state.lamps.size
        if state.lamps[seat] > 0:
            left += 1
            last = seat
    row.winner = last if left == 1 else -1
    row.winners = 1 << last if left == 1 else 0
    row.ending = 0 if left == 1 else 1
    row.turns = state.turn
    row.first_out = state.first_out


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    for seat in range(state.lamps.size):
        values[seat] = state.lamps[seat]


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Nothing is hidden."""


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    return f"blow at {SEATS[action]}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    return {f"{SEATS[i]}'s lamps": str(int(n)) for i, n in enumerate(state.lamps)}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


def game(players: int = 4) -> Game:
    seats = SEATS[:players]
    return Game(
        slug="last_lamp", title="Last lamp", summary="The last one whose lamps burn wins.",
        folder=Path(__file__).parent,
        article="",
        players=(3, MOST), seats=seats, endings=("last_one", "dawn"), streams=("breath", "lot"),
        decisions=(Decision("D-1", "whom to blow at"),),
        metrics=(Metric("first_out", "turn in which the first was out", "turns", low=1, high=LAST, never=0),),
        tracks=tuple(Track(f"lamps_{seat}", 0, 9, f"{seat}'s lamps") for seat in seats),
        seat_categories=(SeatCategory("order", "place in the order of play", ORDER[:players]),),
        lead=tuple(f"lamps_{seat}" for seat in seats),
        state=record(players), cards=CARDS, tables=(), pack_cards=pack_cards, initial_state=initial_state,
        legal_actions=legal_actions, apply_action=apply_action, determinize=determinize, outcome=outcome,
        track_values=track_values, action_label=action_label, describe=describe, max_decisions=LAST + 1,
        max_turns=LAST, has_scores=True, score_range=(0, 9),
    )  # fmt: skip
