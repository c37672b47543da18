"""Draws that a test or a scenario gives: a record holds them until the game makes them."""

from __future__ import annotations

from simlab.errors import InputError
from simlab.game import LOADED, State
from simlab.spec.record import FORCED


def force(state: State, name: str, stream: int, value: int) -> None:
    """Adds the next draw of a stream.

    Args:
        name: of the draw, for messages. stream: its number, or -1 - number for a result that the component itself
            understands (streams.given). value: a number in -32,768..32,767.
    """
    if state.forced_n >= LOADED:
        raise InputError(f"{name}: no draw can be forced where dice are weighted. Leave the luck knobs out.")
    if state.forced_n >= FORCED:
        raise InputError(f"at most {FORCED} draws can be forced in one game.")
    state.forced_stream[state.forced_n] = stream
    state.forced_value[state.forced_n] = value
    state.forced_n += 1
