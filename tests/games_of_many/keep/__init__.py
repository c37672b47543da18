"""Keep: a warlord strikes at one gate a turn; each defender guards a gate of their own, or rests behind it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer, redraw_below
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

MOST, LAST = 5, 30
SEATS = ("warlord", "ann", "bob", "cat", "dan")
REST, GUARD = range(2)
STORMED, BROKEN, RELIEVED = range(3)
RULE = rule_index(Path(__file__).with_name("ledger.toml"))
K_1_1, K_2_1, K_2_2, K_2_3, K_2_4, K_3_1, K_3_2, K_3_3 = (
    RULE[f"K_{n}"] for n in ("1.1", "2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.3")
)
CARDS = np.dtype([("none", np.int64)], align=True)


def record(players: int) -> np.dtype[np.void]:
    return state_type(
        [
            ("host", np.int16),  # K-1.1: the warlord's strength
            ("gate", np.int16, (players,)),  # K-1.1: strength of each defender's gate; 0 for the warlord
            ("target", np.int8),  # K-2.1: seat whose gate is struck at, hidden until all have chosen
            ("guards", np.int8, (players,)),  # K-2.2
            ("ending", np.int8),
        ],
        seats=players,
        streams=("fight",),
        max_actions=MOST,
        rules=len(RULE),
    )


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-1.1: the host has its strength for each defender, each gate its own."""
    count_rule(state, K_1_1)
    state.host = knobs.host * (state.gate.size - 1)
    for seat in range(1, state.gate.size):
        state.gate[seat] = knobs.gate
    state.turn = 1


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """K-2.1, K-2.2: the warlord names a gate, a defender rests or guards."""
    if state.seat == 0:
        for seat in range(1, state.gate.size):
            offer(state, seat)
    else:
        offer(state, REST)
        offer(state, GUARD)


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """K-2: all choose in secret, then the blow falls."""
    if state.seat == 0:
        count_rule(state, K_2_1)
        state.target = action
    else:
        count_rule(state, K_2_2)
        state.guards[state.seat] = action
    if state.seat + 1 < state.gate.size:
        state.seat += 1
        state.decision = 1
        return
    strike(state, knobs)


@kernel
def strike(state: State, knobs: Knobs) -> None:
    """K-2.3, K-2.4: a guarded gate costs the host, an unguarded one falls lower; who rested elsewhere may mend."""
    target = np.int64(state.target)
    if state.guards[target] == GUARD:
        count_rule(state, K_2_3)
        state.host -= 1
    else:
        count_rule(state, K_2_4)
        state.gate[target] -= 1
    for seat in range(1, state.gate.size):
        if seat != target and state.guards[seat] == REST and state.gate[seat] < knobs.gate:
            state.gate[seat] += below(state, np.int64(state.stream_seats) + 1, 2)
    if state.gate[target] == 0:
        finish(state, STORMED)
    elif state.host == 0:
        finish(state, BROKEN)
    elif state.turn == LAST:
        finish(state, RELIEVED)
    else:
        state.turn += 1
        state.seat = 0
        state.decision = 0


@kernel
def finish(state: State, ending: int) -> None:
    """K-3.1, K-3.2, K-3.3."""
    if ending == STORMED:
        count_rule(state, K_3_1)
    elif ending == BROKEN:
        count_rule(state, K_3_2)
    else:
        count_rule(state, K_3_3)
    state.ending = ending
    state.over = True


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    everyone = (1 << state.gate.size) - 1
    row.winner = 0 if state.ending == STORMED else -2
    row.winners = 1 if state.ending == STORMED else everyone - 1
    row.ending = state.ending
    row.turns = state.turn
    row.host_left = state.host


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: np.ndarray) -> None:
    values[0] = state.host


@kernel
def determinize(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """What has been chosen in this turn by others is hidden."""
    if state.seat == 0:
        return
    if seat != 0:
        state.target = 1 + redraw_below(state, state.gate.size - 1)
    for other in range(1, np.int64(state.seat)):
        if other != seat:
            state.guards[other] = redraw_below(state, 2)


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    if int(state.seat) == 0:
        return f"strike at {SEATS[action]}'s gate"
    return "guard" if action == GUARD else "rest"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    seen: Description = {"host": str(int(state.host))}
    return seen | {f"{SEATS[i]}'s gate": str(int(n)) for i, n in enumerate(state.gate) if i}


def pack_cards(tables: Tables) -> np.ndarray:
    return np.zeros(1, CARDS)


def game(players: int = 4) -> Game:
    seats = SEATS[:players]
    return Game(
        slug="keep", title="Keep", summary="One warlord against many defenders.", folder=Path(__file__).parent,
        players=(3, MOST), seats=seats,
        sides=(Side("warlord", seats[:1], "wins"), Side("defenders", seats[1:], "win")),
        endings=("stormed", "broken", "relieved"), streams=("fight",),
        decisions=(Decision("D-1", "gate to strike at", secret=True),
            Decision("D-2", "watch", ("rest", "guard"), True)),
        metrics=(Metric("host_left", "strength of the host at the end", low=0, high=100),),
        tracks=(Track("host", 0, 40, "strength of the host"),),
        state=record(players), cards=CARDS, tables=(), pack_cards=pack_cards, initial_state=initial_state,
        legal_actions=legal_actions, apply_action=apply_action, determinize=determinize, outcome=outcome,
        track_values=track_values, action_label=action_label, describe=describe, max_decisions=LAST * players + 1,
        max_turns=LAST,
    )  # fmt: skip
