"""Random draws in plain Python from the streams of a record (simlab.engine.streams), the same as in compiled play."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from simlab.author.runtime import shuffle_deck
from simlab.engine import streams
from simlab.game import state_type
from simlab.spec.record import MOST_SEATS

#: A record without fields that suits any number of seats, so kernels are compiled only once for it.
_RECORD: Final = state_type([], seats=MOST_SEATS, streams=["chance"] * 64, max_actions=1, rules=1)


def open_record(seed: int, game: int) -> Any:
    """A record with the random streams of a game."""
    record = np.zeros(1, _RECORD).view(np.recarray)[0]
    record.stream_key = seed & 0xFFFFFFFF, seed >> 32
    streams.open_streams(record, game)
    return record


def warm_up() -> None:
    """Compiles the draws, or loads them: a game in plain Python would wait for it in its first rule."""
    stream = Stream(open_record(0, 0), 0)
    stream.below(2)
    stream.shuffle([0, 1], 2)


class Stream:
    """One random stream of a record.

    Args:
        redraws: whether the stream is used to redraw hidden information.
    """

    def __init__(self, record: Any, number: int, redraws: bool = False) -> None:
        self.record, self.number, self.redraws = record, number, redraws

    def below(self, n: int) -> int:
        """A random whole number in 0..n-1."""
        return int(streams.below(self.record, self.number, n))

    def shuffle(self, cards: list[int], n: int) -> None:
        """Shuffles the first n cards."""
        order = np.array(cards[:n], np.int32)
        if self.redraws:
            streams.redraw_order(self.record, order)
        else:
            shuffle_deck(self.record, self.number, order)
        cards[:n] = order.tolist()
