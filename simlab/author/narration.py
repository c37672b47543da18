"""The texts of a replay that need plain Python: the sentences of `say()`, and headings with the rules under way.

Compiled play leaves `say()` out. A replay has the record before each decision, whose frames hold the place of each
method that asks. The methods that are cut into blocks continue from there in plain Python, too, so one decision can be
carried out again, in plain Python, from any position.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from simlab.author import plain
from simlab.author.asking import asking_of
from simlab.author.base import Blueprint, Game
from simlab.author.blocks import ANSWER, PLACE, frame_field
from simlab.author.chance import open_record
from simlab.author.sources import rules_in, say_calls, tree_of
from simlab.author.translate import Program
from simlab.errors import InputError

_STREAMS = ("stream_", "forced_")  #: prefixes of the fields of a record that random draws use


def narrate(program: Program, players: int, state: Any, action: int, knobs: Any, cards: Any) -> list[str]:
    """The sentences of `say()` while a decision is carried out.

    Args:
        state, knobs, cards: records, before the decision; they stay as they are. action: the option that is chosen.
    Raises:
        InputError: the rules raise an exception in plain Python; the message names file and line.
    """
    methods = program.game.methods.values()
    if program.asking is None or not any(True for method in methods for _ in say_calls(tree_of(method))):
        return []
    game = plain.plain_of(plain.counted_class(program), players, state, knobs, cards)
    game._record, game._counts_rules, game._narration = _draws_of(state), False, []
    vars(game)[ANSWER] = action
    plain.name_answers(game, program)
    try:
        game.play()
    except Exception as fault:
        files = {method.__code__.co_filename for method in methods}
        lines = [frame for frame in extract_tb(fault.__traceback__) if frame.filename in files]
        at = f"{Path(lines[-1].filename)}, line {lines[-1].lineno}" if lines else str(program.plan.file)
        raise InputError(f"{at}: {type(fault).__name__}: {fault}, while say() is replayed in plain Python.") from fault
    return list(game._narration)


def _draws_of(state: Any) -> Any:
    """A record with the random streams of another, of the type for which draws are compiled once for all games."""
    record = open_record(0, 0)
    for name in record.dtype.names:
        if name.startswith(_STREAMS):
            held = np.asarray(state[name])
            if held.shape:
                record[name][: len(held)] = held
            else:
                record[name] = held
    return record


def under_way(plan: Blueprint, state: Any) -> list[str]:
    """The methods under way below `play` in a position where a decision is pending, from the outside in."""
    asking = asking_of(plan)
    return [] if asking is None else list(_stack(asking.frames, state))[1:]


def _stack(frames: Any, state: Any) -> Iterator[str]:
    method = "play"
    while method:
        yield method
        method = frames[method].calls.get(int(state[frame_field(method, PLACE)]), "")


def heading(plan: Blueprint, state: Any) -> str:
    """The methods under way with the first rule of each: `take_turn (R-2.2) > contest (R-3)`; "" in a game that asks
    in one method only.
    """
    asking = asking_of(plan)
    if asking is None or sum(frame.asks for frame in asking.frames.values()) < 2:
        return ""
    return " > ".join(_titled(plan.owner, name) for name in under_way(plan, state))


def _titled(owner: type[Game], method: str) -> str:
    name = method.rpartition("__")[2]
    rules = rules_in(getattr(getattr(owner, name, None), "__doc__", ""))
    return f"{name} ({rules[0][0]})" if rules else name
