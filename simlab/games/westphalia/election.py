"""Imperial elections (ledger 3.19)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import is_foreign
from simlab.games.westphalia.flow import ask_few, call, done, go, move_on, place_in, tally
from simlab.games.westphalia.influence import evaluate, gain_on, gain_stored
from simlab.games.westphalia.sets import lowest


@kernel
def begin_election(state: State) -> None:
    count_rule(state, rule.WP_ELE_01)
    for pr in range(s.ROSTER):
        state.elector_vote[pr] = -1
    call(state, s.S_VOTES)


@kernel
def next_vote(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-ELE-01, WP-ELE-02: each allied Elector's vote, in Initiative Order, then by ascending ID."""
    while place_in(state) < state.players:
        player = np.int64(state.initiative[place_in(state)])
        rest = np.int64(state.electors)
        while rest:
            pr = lowest(rest)
            rest &= rest - 1
            if state.ally[pr] == player and state.elector_vote[pr] < 0:
                count_rule(state, rule.WP_ELE_02)
                ask_few(state, player, s.D_VOTE, (np.int64(1) << np.int64(state.players)) - 1)
                return
        move_on(state)
    elect(state, knobs)
    done(state)


@kernel
def vote(state: State, choice: int) -> None:
    rest = np.int64(state.electors)
    while rest:
        pr = lowest(rest)
        rest &= rest - 1
        if state.ally[pr] == state.seat and state.elector_vote[pr] < 0:
            state.elector_vote[pr] = choice
            return


@kernel
def elect(state: State, knobs: Knobs) -> None:
    """WP-ELE-03 to WP-ELE-05: adds the block votes of the unaligned Electors; then the most votes win."""
    for player in range(state.players):
        state.votes[player] = 0
    unaligned_catholic = np.int64(0)
    unaligned_protestant = np.int64(0)
    rest = np.int64(state.electors)
    while rest:
        pr = lowest(rest)
        rest &= rest - 1
        if state.elector_vote[pr] >= 0:
            state.votes[state.elector_vote[pr]] += 1
        elif state.pr_faith[pr] == s.CATHOLIC:
            unaligned_catholic += 1
        else:
            unaligned_protestant += 1
    for_catholic = most_votes(state, s.CATHOLIC)
    for_protestant = most_votes(state, s.PROTESTANT)
    if unaligned_catholic and for_catholic >= 0:
        count_rule(state, rule.WP_ELE_03)
        state.votes[for_catholic] += unaligned_catholic
    if unaligned_protestant and for_protestant >= 0:
        count_rule(state, rule.WP_ELE_03)
        state.votes[for_protestant] += unaligned_protestant
    count_rule(state, rule.WP_ELE_04)
    count_rule(state, rule.WP_ELE_05)
    crown(state, most_votes(state, s.NOBODY))


@kernel
def most_votes(state: State, faith: int) -> int:
    """The player of a faith (NOBODY: any faith) with the most votes, ties in Initiative Order; NOBODY if there is
    none."""
    best = s.NOBODY
    most = np.int64(-1)
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if (faith < 0 or state.faith[player] == faith) and state.votes[player] > most:
            best, most = player, np.int64(state.votes[player])
    return best


@kernel
def crown(state: State, player: int) -> None:
    if state.emperor >= 0 and state.emperor != player:
        tally(state, s.N_ELECTED_NEW, np.int64(1))
    if is_foreign(state, player):
        count_rule(state, rule.WP_FP_12)
    state.emperor = player
    state.emperor_of[np.int64(state.turn)] = player


@kernel
def after_first_election(state: State, knobs: Knobs) -> None:
    """WP-SET-12: the first Emperor's influence waits for the first round."""
    count_rule(state, rule.WP_SET_12)
    gain_stored(state, knobs, np.int64(state.emperor), np.int64(knobs.emperor_di))
    go(state, s.S_ROUND)


@kernel
def imperial_influence(state: State, knobs: Knobs) -> None:
    """WP-ELE-06: the influence is stored; in the last round it is placed on the map at once."""
    emperor = np.int64(state.emperor)
    if place_in(state) == 0:
        count_rule(state, rule.WP_ELE_06)
    if state.turn < knobs.n_rounds:
        gain_stored(state, knobs, emperor, np.int64(knobs.emperor_di))
    elif place_in(state) < knobs.emperor_di and state.di_out[emperor] < knobs.di_limit:
        ask_few(state, emperor, s.D_IMPERIAL_DI, np.int64(state.on_map) | np.int64(1) << s.NO_TARGET)
        return
    leftover_gold(state, knobs)
    go(state, s.S_ROUND_END)


@kernel
def place_imperial(state: State, knobs: Knobs, pr: int) -> None:
    if pr == s.NO_TARGET:
        state.at[state.depth - 1] = knobs.emperor_di
        return
    gain_on(state, knobs, pr, np.int64(state.seat), np.int64(1))
    evaluate(state, knobs, pr)
    move_on(state)


@kernel
def leftover_gold(state: State, knobs: Knobs) -> None:
    """WP-ELE-07."""
    if knobs.gold_leftover == 1:
        return
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        gold = np.int64(state.gold[player])
        if gold > 0:
            count_rule(state, rule.WP_ELE_07)
            gain_stored(state, knobs, player, gold * np.int64(knobs.di_per_gold))
            state.gold[player] = 0
