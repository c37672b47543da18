"""Flat Monte Carlo: each action is tried in the same futures, the worse half is dropped, and the rest is tried in more
futures.

Source: Karnin, Koren, Somekh (2013), Almost optimal exploration in multi-armed bandits (sequential halving). Our
additions: all actions use common random numbers, and the playout bot's action stays to the end, so each action is
compared with it in pairs. With few playouts, fewer actions are tried, so that each gets several playouts. These are
the actions that the playout bot prefers: by its ranks if it is a learned player, else by what it chooses if its earlier
choices are not offered.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.search.traits import ACTION, VALUE, VISITS, L
from simlab.engine.streams import bot_below

imagine = play_on = appraise = choose = prefer = apply_action = rank = unbound
STATE = ROW = np.dtype(np.int64)
SEATS, N_TRACKS, LONGEST = 1, 1, 0
EXPLORING = False  #: whether only half of the actions that are tried are those that the playout bot prefers

FEWEST = 3  #: least number of playouts for each action tried
LUCK = 1 << 30  #: number of futures, at a random one of which a search begins


def rounds_of(arms: int) -> int:
    """Number of rounds in which `arms` actions are halved until the last two have been compared."""
    rounds = 1
    while arms > 2:
        arms = (arms + 1) // 2
        rounds += 1
    return rounds


def arms_for(budget: int, actions: int) -> int:
    """The number of actions that this number of playouts can try, at least two."""
    arms = min(2, actions)
    while arms < actions and (arms + 1) * rounds_of(arms + 1) * FEWEST <= budget:
        arms += 1
    return arms


def search(state: Any, knobs: Any, cards: Any, traits: Any, table: Any) -> int:
    """The action to take.

    Args:
        state: with the legal actions filled in; only the stream of the seat's bot moves.
        traits: the search's own, then those of each seat's playout bot.
        table: float64 (legal actions, 3), filled: action, playouts (0 if not tried), mean value to the seat.
    """
    actions = np.int64(state.n_legal)
    seat = np.int64(state.seat)
    for a in range(actions):
        table[a, ACTION] = state.legal[a]
    if actions == 1:
        return np.int64(state.legal[0])
    usual = np.int64(choose(state, knobs, cards, traits))
    budget = int(traits[L.iterations])
    by_score = traits[L.score] != 0.0
    depth = np.int64(traits[L.depth])
    most = depth if depth > 0 else LONGEST
    luck = bot_below(state, LUCK)

    order = np.empty(actions, np.int64)  # places in the table: the playout bot's action first, the others shuffled
    for a in range(actions):
        order[a] = a
    for a in range(actions):
        if table[a, ACTION] == usual:
            order[0], order[a] = order[a], order[0]
            break
    arms = arms_for(budget, actions)
    outputs = np.zeros(actions)
    if rank(state, knobs, cards, traits, outputs):
        for a in range(1, arms):  # the actions that the playout bot ranks highest
            for b in range(a + 1, actions):
                if outputs[order[b]] > outputs[order[a]]:
                    order[a], order[b] = order[b], order[a]
    else:
        for a in range(1, arms):
            b = a + bot_below(state, actions - a)
            order[a], order[b] = order[b], order[a]
        if arms < actions:
            prefer(state, knobs, cards, traits, table[:, ACTION], order, (arms + 1) // 2 if EXPLORING else arms)

    dealt = np.zeros(1, STATE)
    future = np.zeros(1, STATE)
    rows = np.zeros(2, ROW)
    tracks = np.zeros(N_TRACKS, np.int32)
    values = np.zeros(SEATS)
    better = np.zeros(actions)  # sum of its gains over the playout bot's action
    squares = np.zeros(actions)
    a_round = budget // rounds_of(arms)
    number = 0
    left = arms
    while True:
        for _ in range(max(1, a_round // left)):
            base = 0.0
            imagine(dealt, state, knobs, cards, seat, luck + number)
            for i in range(left):
                place = order[i]
                future[0] = dealt[0]
                apply_action(future[0], knobs, cards, np.int64(table[place, ACTION]))
                play_on(future[0], knobs, cards, traits, most)
                appraise(future[0], knobs, cards, traits, seat, rows, tracks, by_score, values)
                value = values[seat]
                if i == 0:
                    base = value
                table[place, VISITS] += 1.0
                table[place, VALUE] += value
                gain = value - base
                better[place] += gain
                squares[place] += gain * gain  # `** 2` would compile a loop over the bits of the 2
            number += 1
        for i in range(2, left):  # the best first, after the playout bot's
            place = order[i]
            j = i
            while j > 1 and better[order[j - 1]] / table[order[j - 1], VISITS] < better[place] / table[place, VISITS]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = place
        if left == 2:
            break
        left = (left + 1) // 2
    for a in range(actions):
        if table[a, VISITS] > 0.0:
            table[a, VALUE] /= table[a, VISITS]
    best = order[1]
    # Both sums are of pairs with common random numbers; for wins and losses this is McNemar's statistic.
    sure = better[best] > 0.0 and better[best] >= traits[L.caution] * math.sqrt(squares[best])
    return np.int64(table[best, ACTION]) if sure else usual
