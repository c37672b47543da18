"""The state record of a game, and the types that kernels get."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

State: TypeAlias = Any  #: one game: a record of Game.state
Knobs: TypeAlias = Any  #: the numbers a designer tweaks: a record of Game.knob_type
Cards: TypeAlias = Any  #: the component tables: a record of Game.cards
Row: TypeAlias = Any  #: the row of a finished game: a record of Game.row_type
Traits: TypeAlias = Any  #: a bot's named numbers, float64 (MAX_TRAITS,)
Array: TypeAlias = np.ndarray[Any, Any]
Kernel: TypeAlias = Callable[..., Any]
Description: TypeAlias = dict[str, str | tuple[str, ...]]
MOST_SEATS = 16  #: most seats of a game: a row holds the winners as 16 bits
MOST_ACTIONS = 1 << 15  #: most actions of a game: the list of legal actions holds signed 16-bit numbers
MOST_TURNS = (1 << 15) - 1  #: longest game: a record holds the turn as a signed 16-bit number
MOST_STREAMS = 127  #: most random streams of a game, the bots' among them
FORCED = 48  #: draws that a test or a scenario can force in one game
LOADED = 1 << 16  #: forced_n of a match with weighted dice or decks (simlab.engine.loaded_draws): no draw is forced


def state_type(
    fields: Sequence[tuple[Any, ...]],
    *,
    seats: int,
    streams: Sequence[str],
    max_actions: int,
    rules: int,
) -> np.dtype[np.void]:
    """The record of one game: the lab's own header, then the game's fields.

    Args:
        fields: the game's fields as for `np.dtype`; names are the rulebook's words.
        seats: number of seats.
        streams: the game's random streams, one for each purpose (bots and redraws have additional ones).
        max_actions: bound of the action numbers: an action is in 0..max_actions-1.
        rules: number of rules in the ledger.
    Returns:
        An aligned structured dtype. The header: `seat` (to act), `decision` (kind pending), `turn`, `over`, `legal`
        and `n_legal` (the legal actions), `fired` (how often each rule fired in this game, below 65,536), and the
        `stream_` and `forced_` fields of simlab.engine.streams.
    """
    n_streams = seats + 1 + len(streams)
    if n_streams > MOST_STREAMS:
        raise ValueError(f"a game has at most {MOST_STREAMS} random streams, the bots' among them")
    header = [
        ("stream_key", np.uint32, (2,)),
        ("stream_game", np.uint32, (2,)),
        ("stream_seats", np.int32),
        ("stream_name", np.uint32, (n_streams,)),
        ("stream_epoch", np.uint32, (n_streams,)),
        ("stream_at", np.uint32, (n_streams,)),
        ("stream_words", np.uint32, (n_streams, 16)),
        ("forced_n", np.int32),
        ("forced_stream", np.int8, (FORCED,)),
        ("forced_value", np.int16, (FORCED,)),
        ("fired", np.uint16, (max(rules, 1),)),
        ("n_legal", np.int32),
        ("legal", np.int16, (max_actions,)),
        ("turn", np.int16),
        ("decision", np.int8),
        ("seat", np.int8),
        ("over", np.bool_),
    ]
    taken = {name for name, *_ in header} | set(dir(np.recarray))
    for name, *_ in fields:
        if name in taken:
            raise ValueError(f"a game cannot name a field of its state {name!r}: the lab or NumPy uses that name")
    return np.dtype(header + list(fields), align=True)


def stream_word(name: str) -> int:
    """The number, 1..2^32-1, by which a named stream differs from others; the same in every version and game."""
    return zlib.crc32(name.encode()) or 1


def stream_numbers(seats: int, streams: Sequence[str]) -> dict[str, int]:
    """Number of each stream: first the bots' streams, then the redraw of hidden information, then the game's own."""
    return {name: seats + 1 + i for i, name in enumerate(streams)}


def write_text(cell: Array, text: str) -> None:
    """Writes a text, cut to fit, into an empty field of a record of cards, uint8 (bytes,), so labels can show the names
    of a replaced table.
    """
    data = text.encode()[: cell.size].decode(errors="ignore").encode()
    cell[: len(data)] = list(data)


def read_text(cell: Array) -> str:
    return bytes(cell).rstrip(b"\0").decode()
