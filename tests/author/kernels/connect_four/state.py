"""Connect Four: the record of one game. Every field says what it is, and which rule it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import Tables, rule_index, state_type

SLUG = "connect_four"
TITLE = "Connect Four"

SEATS = ("first", "second")

LINE, FULL = range(2)
ENDINGS = ("line", "full")
KINDS = ("none", "upright", "falling", "level", "rising")  # how a line lies

STREAMS = ("none",)  # there is no chance in the game
MOST_COLUMNS, MOST_ROWS = 8, 6
MOST_CELLS = MOST_COLUMNS * MOST_ROWS

STATE = state_type(
    [
        ("discs", np.int64, (2,)),  # C-2.1: a bit a disc, by seat; a column has one bit more than it has cells, so
        ("height", np.int8, (MOST_COLUMNS,)),  # that no line runs over its top into the next
        ("line_kind", np.int8),  # C-3.1: as KINDS
        ("winner", np.int8),
    ],
    seats=len(SEATS),
    streams=STREAMS,
    max_actions=MOST_COLUMNS,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)

CARDS = np.dtype([("none", np.int64)], align=True)  # this game has no component tables


def pack_cards(tables: Tables) -> np.ndarray[Any, Any]:
    """The record of the component tables, shape (1,)."""
    return np.zeros(1, CARDS)
