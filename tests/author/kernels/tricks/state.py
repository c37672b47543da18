"""Tricks: the record of one game. Every field says what it is, and which rule it belongs to.

A card is a number, suit * 13 + rank, the ace being the highest of the thirteen ranks; a set of cards is the bits of
one whole number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import Tables, rule_index, state_type

SLUG = "tricks"
TITLE = "Tricks"

MOST_SEATS = 5
SEATS = ("ann", "bob", "cat", "dan", "eve")

ALONE, SHARED = range(2)
ENDINGS = ("alone", "shared")

STREAMS = ("deal",)  # each purpose of chance has a stream of its own

BID, CARD = range(2)  # T-D-1, T-D-2
SUITS, RANKS = 4, 13
PACK = SUITS * RANKS
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUIT_NAMES = ("♣", "♦", "♥", "♠")
CARD_NAMES = tuple(rank + suit for suit in "CDHS" for rank in RANK_NAMES)  #: as one types them: 10H
MOST_HAND, MOST_DEALS = 10, 10
MOST_SCORE = MOST_DEALS * (20 + 5 * MOST_HAND)


def record(players: int) -> np.dtype[np.void]:
    """The record of one game at a table of `players`."""
    return state_type(
        [
            ("hand", np.int64, (players,)),  # T-1.2: a set of cards
            ("played", np.int64),  # T-2.3: cards played in this deal
            ("table", np.int8, (players,)),  # T-2.3: card of the running trick, -1 none
            ("lacks", np.int8, (players,)),  # T-2.4: a bit for each suit that a seat is known to be out of
            ("bid", np.int8, (players,)),  # T-2.1: -1 not yet
            ("taken", np.int8, (players,)),  # T-2.5: tricks of this deal
            ("score", np.int16, (players,)),  # T-3.1
            ("deal_no", np.int8),  # from 0
            ("dealt", np.int8),  # T-1.3: cards dealt to each in this deal
            ("dealer", np.int8),  # T-1.1
            ("leader", np.int8),  # T-2.3: who led the running trick
            ("turned", np.int8),  # T-1.4: the card turned up
            ("winners", np.int64),  # T-3.2: a bit a seat
            ("bids_met", np.int16),  # for the row
            ("tricks_bid", np.int16),
        ],
        seats=players,
        streams=STREAMS,
        max_actions=PACK,
        rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
    )


CARDS = np.dtype([("none", np.int64)], align=True)  # an ordinary pack: there are no component tables


def pack_cards(tables: Tables) -> np.ndarray[Any, Any]:
    """The record of the component tables, shape (1,)."""
    return np.zeros(1, CARDS)
