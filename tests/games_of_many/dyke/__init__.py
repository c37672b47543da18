"""Dyke: a village against the sea. All stand or fall together; who carried most has the most honour."""

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
    Side,
    State,
    Tables,
    Track,
    rule_index,
    state_type,
)

MOST, ROUNDS = 5, 8
SEATS = ("ann", "bob", "cat", "dan", "eve")
BAG, DIG = range(2)
RULE = rule_index(Path(__file__).with_name("ledger.toml"))
D_1_1, D_2_1, D_2_2, D_2_3, D_3_1, D_3_2 = (RULE[f"D_{n}"] for n in ("1.1", "2.1", "2.2", "2.3", "3.1", "3.2"))
CARDS = np.dtype([("none", np.int64)], align=True)


def record(players: int) -> np.dtype[np.void]:
    return state_type(
        [
            ("honour", np.int16, (players,)),  # D-2.1, D-2.2
            ("dyke", np.int16),
            ("sea", np.int16),
            ("held", np.bool_),
        ],
        seats=players,
        streams=("digging", "sea"),
        max_actions=2,
        rules=len(RULE),
    )


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """D-1.1: the dyke stands above the sea by its start height."""
    count_rule(state, D_1_1)
    state.dyke = knobs.dyke_start
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """D-2.1, D-2.2: carry a bag or dig."""
    offer(state, BAG)
    offer(state, DIG)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """D-2: a bag is sure, digging is a gamble; after the last seat the sea rises."""
    if action == BAG:
        count_rule(state, D_2_1)
        gain = 1
    else:
        count_rule(state, D_2_2)
        gain = 2 if below(state, np.int64(state.stream_seats) + 1, 6) >= 3 else 0
    state.dyke += gain
    state.honour[state.seat] += gain
    if state.seat + 1 < state.honour.size:
        state.seat += 1
        return
    rise(state, knobs)


@kernel
def rise(state: State, knobs: Knobs) -> None:
    """D-2.3, D-3.1, D-3.2: the sea rises by 0 to 2 for each; over the dyke all are lost, after round 8 saved."""
    count_rule(state, D_2_3)
    for _ in range(state.honour.size):
        state.sea += below(state, np.int64(state.stream_seats) + 2, 3)
    state.sea += knobs.storm
    if state.sea > state.dyke:
        count_rule(state, D_3_1)
        state.over = True
    elif state.turn == ROUNDS:
        count_rule(state, D_3_2)
        state.held = True
        state.over = True
    else:
        state.turn += 1
        state.seat = 0


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    players = state.honour.size
    row.winners = (1 << players) - 1 if state.held else 0
    row.winner = -1 if not state.held else -2 if players > 1 else 0
    row.ending = 0 if state.held else 1
    row.turns = state.turn
    for seat in range(players):
        row.score[seat] = state.honour[seat]
    row.height = state.dyke - state.sea


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    values[0] = state.dyke - state.sea


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Nothing is hidden."""


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    return "carry a bag" if action == BAG else "dig"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    seen: Description = {"dyke": str(int(state.dyke)), "sea": str(int(state.sea))}
    return seen | {f"{SEATS[i]}'s honour": str(int(n)) for i, n in enumerate(state.honour)}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


def game(players: int = 3) -> Game:
    seats = SEATS[:players]
    return Game(
        slug="dyke", title="Dyke", summary="A village against the sea.", folder=Path(__file__).parent,
        article="",
        players=(2, MOST), seats=seats, sides=(Side("village", seats, "holds"),), endings=("held", "flooded"),
        streams=("digging", "sea"), decisions=(Decision("D-1", "work", ("carry a bag", "dig")),),
        metrics=(Metric("height", "dyke above the sea at the end", "feet", low=-40, high=100),),
        tracks=(Track("above", -10, 40, "dyke above the sea"),),
        state=record(players), cards=CARDS, tables=(), pack_cards=pack_cards, initial_state=initial_state,
        legal_actions=legal_actions, apply_action=apply_action, determinize=determinize, outcome=outcome,
        track_values=track_values, action_label=action_label, describe=describe, max_decisions=ROUNDS * players + 1,
        max_turns=ROUNDS, has_scores=True, score_range=(0, 2 * ROUNDS), turn_name="round",
    )  # fmt: skip
