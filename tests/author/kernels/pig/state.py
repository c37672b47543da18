"""Pig: the record of one game. Every field says what it is, and which rule it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import Tables, rule_index, state_type, stream_numbers

SLUG = "pig"
TITLE = "Pig"

FIRST, SECOND = 0, 1
SEATS = ("first", "second")

GOAL, EXHAUSTION = range(2)
ENDINGS = ("goal", "exhaustion")

STREAMS = ("die",)  # each purpose of chance has a stream of its own
DIE = stream_numbers(len(SEATS), STREAMS)["die"]

ROLL, HOLD = range(2)  # P-D-1
LAST_TURN = 400  # P-3.2

STATE = state_type(
    [
        ("score", np.int16, (2,)),  # P-3.1: points held, by seat
        ("at_stake", np.int16),  # P-2.1: points of this turn, not yet held
        ("busts", np.int16),  # P-2.2: turns lost
        ("winner", np.int8),
        ("ending", np.int8),
    ],
    seats=len(SEATS),
    streams=STREAMS,
    max_actions=2,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)

CARDS = np.dtype([("none", np.int64)], align=True)  # this game has no component tables


def pack_cards(tables: Tables) -> np.ndarray[Any, Any]:
    """The record of the component tables, shape (1,)."""
    return np.zeros(1, CARDS)
