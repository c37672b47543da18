"""Value of each option of a position, in the same futures, which the bots of a match play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simlab import compiler
from simlab.compiler import unbound
from simlab.engine import search
from simlab.game import Game, Policy

imagine = play_on = judge = apply_action = unbound
choose: Any = unbound
STATE = ROW = np.dtype(np.int64)
SEATS, N_TRACKS, LONGEST = 1, 1, 0


def weigh(positions: Any, knobs_of: Any, cards_of: Any, traits: Any, by_score: bool, values: Any, usual: Any) -> None:
    """Plays on after every legal action of every position, in the same futures. Information hidden from the seat is
    dealt again in each future.

    Args:
        positions: State[n] with their legal actions. knobs_of, cards_of: records as arrays of shape (1,).
        traits: traits of a search, then of each seat's bot.
        values: float64 (n, MAX_ACTIONS, futures), filled at the places of the legal actions: the value to the seat to
            act, its share of the win or its score, in each future.
        usual: int64 (n,), filled: the action of the seat's own bot.
    """
    knobs, cards = knobs_of[0], cards_of[0]
    dealt, future = np.zeros(1, STATE), np.zeros(1, STATE)
    rows, tracks, worth = np.zeros(2, ROW), np.zeros(N_TRACKS, np.int32), np.zeros(SEATS)
    for i in range(positions.size):
        state = positions[i]
        seat, actions = np.int64(state.seat), np.int64(state.n_legal)
        future[0] = positions[i]
        usual[i] = np.int64(choose(future[0], knobs, cards, traits))
        for number in range(values.shape[2]):
            imagine(dealt, state, knobs, cards, seat, number)
            for a in range(actions):
                future[0] = dealt[0]
                apply_action(future[0], knobs, cards, np.int64(state.legal[a]))
                play_on(future[0], knobs, cards, traits, LONGEST)
                judge(future[0], knobs, cards, rows, tracks, by_score, worth)
                values[i, a, number] = worth[seat]


def weighing_loop(game: Game, players: tuple[Policy, ...], sizes: tuple[int, ...]) -> Callable[..., Any]:
    """`weigh` of a game, with the player of each seat that plays on, and how many traits it reads."""
    return compiler.specialise(weigh, **search.with_playouts(game, players, sizes))
