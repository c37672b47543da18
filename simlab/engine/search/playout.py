"""Plays on from a copied position, and computes the value of the end to each seat.

`simlab.engine.search.bound` fills in the names of the game and its bots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.streams import branch
from simlab.game import LOADED

legal_actions = apply_action = determinize = outcome = track_values = choose = others = bot = ranks = worth = unbound
STATE = ROW = np.dtype(np.int64)
SEATS = 1
VALUED = False  #: whether the playout bots are learned players, which value positions
TAKES = 0  #: seats, as bits, that `bot` of this link plays
STARTS = STOPS = np.zeros(0, np.int64)  #: bounds of the traits of each seat's playout bot in the array
OWN = np.zeros(0, np.int64)  #: where the traits begin that value a position for the seat
ALONE = False  #: whether only the value to the seat that searches matters
DRAWN = 0.0  #: value of a game that nobody wins
LEAD = np.zeros(0, np.int64)  #: track of each seat that decides who leads; empty if a game defines none
N_TRACKS = 1
LONGEST = 0  #: number of decisions after which a playout that does not end is given up


def choose_link(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The choice of the playout bot of the seat to act: this link's bot, or one further down the chain."""
    seat = np.int64(state.seat)
    if (TAKES >> seat) & 1:
        return bot(state, knobs, cards, traits[STARTS[seat] : STOPS[seat]])
    return others(state, knobs, cards, traits)


def choose_last(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The end of the chain."""
    seat = np.int64(state.seat)
    return bot(state, knobs, cards, traits[STARTS[seat] : STOPS[seat]])


def rank(state: Any, knobs: Any, cards: Any, traits: Any, outputs: Any) -> bool:
    """The value that the seat's playout bot assigns to each legal action; False if it assigns none."""
    seat = np.int64(state.seat)
    return ranks(state, knobs, cards, traits[STARTS[seat] : STOPS[seat]], outputs)


def no_rank(state: Any, knobs: Any, cards: Any, traits: Any, outputs: Any) -> bool:
    """Stands in for `rank` if playout bots do not value actions."""
    return False


def no_worth(state: Any, knobs: Any, cards: Any, traits: Any) -> float:
    """Stands in for the value of a position if playout bots cannot give one."""
    return 0.0


def prefer(state: Any, knobs: Any, cards: Any, traits: Any, actions: Any, order: Any, wanted: int) -> None:
    """Moves the playout bot's next choices to the front: what it chooses if its earlier choices are not offered.

    Args:
        state: a position in which the bot is to act; its legal actions are the same afterwards. actions: float64 (n,),
            the legal actions. order: int64 (n,), their places, with the bot's first choice at the front. wanted: how
            many choices to find; a bot with fixed rules may have fewer.
    """
    n = np.int64(state.n_legal)
    for k in range(1, wanted):
        for a in range(k, n):
            state.legal[a - k] = np.int64(actions[order[a]])
        state.n_legal = n - k
        choice = np.int64(choose(state, knobs, cards, traits))
        found = False
        for a in range(k, n):
            if np.int64(actions[order[a]]) == choice:
                order[k], order[a] = order[a], order[k]
                found = True
                break
        if not found:
            break
    for a in range(n):
        state.legal[a] = np.int64(actions[a])
    state.n_legal = n


def imagine(future: Any, state: Any, knobs: Any, cards: Any, seat: int, number: int) -> None:
    """Turns `future` into one of the possible games of a seat: new random draws, and hidden information dealt again.

    Args:
        future: State[1]. state: a position in which the seat is to act. number: the same number gives the same future.
    """
    future[0] = state
    copy = future[0]
    if copy.forced_n < LOADED:
        copy.forced_n = 0  # a seat does not know of forced draws; weighted dice are public
    branch(copy, seat, number)
    determinize(copy, knobs, cards, seat)


def play_on(state: Any, knobs: Any, cards: Any, traits: Any, most: int) -> None:
    """Plays on with the playout bots, to the end of the game or up to a number of decisions.

    Raises:
        ValueError: a playout bot takes an action that is not legal.
    """
    for _ in range(most):
        if state.over:
            return
        state.n_legal = 0
        legal_actions(state, knobs, cards)
        if state.n_legal == 0:
            return
        action = np.int64(state.legal[0])
        if state.n_legal > 1:
            action = np.int64(choose(state, knobs, cards, traits))
            offered = False
            for a in range(state.n_legal):
                offered |= state.legal[a] == action
            if not offered:
                raise ValueError("a playout bot took an action that is not legal")
        apply_action(state, knobs, cards, action)


def appraise(
    state: Any, knobs: Any, cards: Any, traits: Any, seat: int, rows: Any, tracks: Any, by_score: bool, values: Any
) -> None:
    """Fills float64 (SEATS,): the value of a played-out position to each seat.

    If learned players play the playouts, they play an unfinished position on to the seat's next choice and judge it
    there, because they learned to judge such positions.
    """
    if VALUED:
        for _ in range(LONGEST):
            if state.over:
                break
            state.n_legal = 0
            legal_actions(state, knobs, cards)
            if state.n_legal == 0 or (state.seat == seat and state.n_legal > 1):
                break
            action = np.int64(state.legal[0])
            if state.n_legal > 1:
                action = np.int64(choose(state, knobs, cards, traits))
            apply_action(state, knobs, cards, action)
        if not state.over:
            for one in range(SEATS):
                if not ALONE or one == seat:
                    values[one] = worth(state, knobs, cards, traits[OWN[one] : STOPS[one]])
            return
    judge(state, knobs, cards, rows, tracks, by_score, values)


def judge(state: Any, knobs: Any, cards: Any, rows: Any, tracks: Any, by_score: bool, values: Any) -> None:
    """Value of a position to each seat: its share of the win (simlab.engine.payoff), or its score.

    A position that is not over is judged by the tracks that decide who leads (`appraise` asks learned players first).

    Args:
        rows: Row[2], the second one blank. tracks: int32 (N_TRACKS,), room for them. values: float64 (SEATS,), filled.
    """
    values[:] = 0.0
    if state.over:
        rows[0] = rows[1]
        row = rows[0]
        outcome(state, knobs, cards, row)
        if by_score:
            for seat in range(SEATS):
                values[seat] = row.score[seat]
            return
        share(np.int64(row.winners), values)
        return
    if LEAD.size == 0:
        return
    track_values(state, knobs, cards, tracks)
    if by_score:
        for seat in range(SEATS):
            values[seat] = tracks[LEAD[seat]]
        return
    highest = tracks[LEAD[0]]
    for seat in range(1, SEATS):
        highest = max(highest, tracks[LEAD[seat]])
    leaders = 0
    for seat in range(SEATS):
        leaders |= np.int64(tracks[LEAD[seat]] == highest) << seat
    share(leaders, values)


def share(winners: int, values: Any) -> None:
    """1/k for each of k winners; DRAWN for each seat if nobody wins."""
    k = 0
    for seat in range(SEATS):
        k += (winners >> seat) & 1
    for seat in range(SEATS):
        if (winners >> seat) & 1:
            values[seat] = 1.0 / k
        elif k == 0:
            values[seat] = DRAWN


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
