"""Marks on each hex of the map, by turn (Game.hex_map)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.counts import Count

NEEDS = "n_hexes"


def counts() -> list[Count]:
    """Games, and sums of the marks over games.

    hex_games: games that reached the end of a turn.
    hex_sums: by turn, the number of games in which a mark is set at the end of the turn, or how often its event
    happened in the turn. hex_squares: squares of each game's sum over its turns.
    """
    return [
        Count("hex_games", ("turns",)),
        Count("hex_sums", ("turns", "hex_marks", "hexes"), True),
        Count("hex_squares", ("hex_marks", "hexes"), True),
    ]


def scratch(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    """The current turn + 1, and for each mark on each hex: its value now, before this turn, and this game's sum."""
    shape = (sizes["hex_marks"], sizes["hexes"])
    return [
        ("hex_turn", np.int64),
        ("hex_now", np.int32, shape),
        ("hex_before", np.int32, shape),
        ("hex_total", np.int64, shape),
    ]


hex_values = unbound
HEX_HAPPENS = np.zeros(1, np.bool_)  #: by mark; replaced by the game's own


def at_turn(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any) -> None:
    now = scratch.hex_now
    if scratch.hex_turn > 0:
        turn = min(scratch.hex_turn - 1, np.int64(counts.hex_games.shape[0] - 1))
        for mark in range(now.shape[0]):
            for h in range(now.shape[1]):
                now[mark, h] = 0
        hex_values(state, knobs, cards, now)
        before, total, sums = scratch.hex_before, scratch.hex_total, counts.hex_sums
        counts.hex_games[turn] += np.uint64(1)
        for mark in range(now.shape[0]):
            for h in range(now.shape[1]):
                value = np.int64(now[mark, h])
                if HEX_HAPPENS[mark]:
                    value -= np.int64(before[mark, h])
                    before[mark, h] = now[mark, h]
                if value != 0:
                    sums[turn, mark, h] += value
                    total[mark, h] += value
    scratch.hex_turn = np.int64(state.turn) + 1


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    at_turn(counts, scratch, state, knobs, cards)
    before, total, squares = scratch.hex_before, scratch.hex_total, counts.hex_squares
    for mark in range(before.shape[0]):
        for h in range(before.shape[1]):
            if total[mark, h] != 0:
                squares[mark, h] += total[mark, h] * total[mark, h]
            total[mark, h] = 0
            before[mark, h] = 0
    scratch.hex_turn = 0
