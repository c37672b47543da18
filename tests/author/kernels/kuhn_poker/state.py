"""Kuhn poker: the record of one game. Every field says what it is, and which rule it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import Tables, rule_index, state_type, stream_numbers

SLUG = "kuhn_poker"
TITLE = "Kuhn poker"

SEATS = ("first", "second")

FOLD, SHOWDOWN = range(2)
ENDINGS = ("fold", "showdown")

STREAMS = ("deal",)  # each purpose of chance has a stream of its own
DEAL = stream_numbers(len(SEATS), STREAMS)["deal"]

PASS, BET = range(2)  # K-D-1
MOST_STAKE = 8  # the highest ante and the highest bet together

STATE = state_type(
    [
        ("card", np.int8, (2,)),  # K-1.2: 0 the jack, 1 the queen, 2 the king; more where the deck has more
        ("bets", np.int8, (2,)),  # K-1.1, K-2.1: chips put in, by seat
        ("passes", np.int8),  # K-2.1: how often somebody passed
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
