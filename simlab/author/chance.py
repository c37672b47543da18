"""Random draws in plain Python from the streams of a record (simlab.engine.streams), the same as in compiled play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from simlab.author.runtime import shuffle_deck
from simlab.engine import streams
from simlab.errors import InputError
from simlab.game import LOADED, state_type
from simlab.spec.record import MOST_SEATS, MOST_STREAMS, stream_word

#: A record without fields that suits any number of seats, so kernels are compiled only once for it.
_RECORD: Final = state_type(
    [], seats=MOST_SEATS, streams=["chance"] * (MOST_STREAMS - MOST_SEATS - 1), max_actions=1, rules=1
)


def open_record(seed: int, game: int) -> Any:
    """A record with the random streams of a game, which have no names yet (`name_streams`)."""
    record = np.zeros(1, _RECORD).view(np.recarray)[0]
    record.stream_key = seed & 0xFFFFFFFF, seed >> 32
    streams.open_streams(record, game)
    return record


def name_streams(record: Any, first: int, names: Sequence[str]) -> None:
    """Gives names to the streams of a record, from number `first` on."""
    record.stream_name[first : first + len(names)] = [stream_word(name) for name in names]


def warm_up() -> None:
    """Compiles the draws, or loads them: a game in plain Python would wait for it in its first rule."""
    stream = Stream(open_record(0, 0), 0)
    stream.below(2)
    stream.shuffle([0, 1], 2)


class Stream:
    """One random stream of a record.

    Args:
        redraws: whether the stream is used to redraw hidden information. name: for messages.
    """

    def __init__(self, record: Any, number: int, redraws: bool = False, name: str = "") -> None:
        self.record, self.number, self.redraws, self.name = record, number, redraws, name

    def below(self, n: int) -> int:
        """A random whole number in 0..n-1."""
        if self.record["forced_n"] > 0:
            self._check_forced(n)
        return int(streams.below(self.record, self.number, n))

    def given(self) -> int | None:
        """The next result that a test or a scenario gives (streams.given)."""
        found = int(streams.given(self.record, self.number)) if self.record["forced_n"] > 0 else int(streams.NOT_GIVEN)
        return None if found == int(streams.NOT_GIVEN) else found

    def _check_forced(self, n: int) -> None:
        """Raises InputError if the next forced draw of the stream has no such outcome."""
        if self.record.forced_n < LOADED:
            next_draws = self.record.forced_value[: self.record.forced_n]
            own = next_draws[self.record.forced_stream[: self.record.forced_n] == self.number]
            if own.size and own[0] >= n:
                raise InputError(f"draws: {self.name}: the given result is number {own[0] + 1} of {n} possible ones.")

    def shuffle(self, cards: list[int], n: int) -> None:
        """Shuffles the first n cards."""
        order = np.array(cards[:n], np.int32)
        if self.redraws:
            streams.redraw_order(self.record, order)
        else:
            shuffle_deck(self.record, self.number, order)
        cards[:n] = order.tolist()
