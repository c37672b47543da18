"""Diplomatic Influence and alliances (ledger 3.4)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia.board import size_of
from simlab.games.westphalia.flow import tally
from simlab.games.westphalia.sets import lowest
from simlab.games.westphalia.state import N_ALLIANCES, NOBODY, PLAYERS


@small_kernel
def room_for(state: State, knobs: Knobs, player: int, wanted: int) -> int:
    """WP-GEN-08, WP-BND-03: how much of a gain a player's cubes allow."""
    room = np.int64(knobs.di_limit) - np.int64(state.di_out[player])
    if wanted > room:
        count_rule(state, rule.WP_GEN_08)
        count_rule(state, rule.WP_BND_03)
        return max(room, np.int64(0))
    return wanted


@kernel
def gain_stored(state: State, knobs: Knobs, player: int, wanted: int) -> None:
    gained = room_for(state, knobs, player, wanted)
    state.di_stored[player] += gained
    state.di_out[player] += gained


@kernel
def gain_on(state: State, knobs: Knobs, pr: int, player: int, wanted: int) -> None:
    gained = room_for(state, knobs, player, wanted)
    state.di[pr, player] += gained
    state.di_out[player] += gained


@kernel
def lose_on(state: State, pr: int, player: int, wanted: int) -> int:
    """WP-GEN-09: a player loses at most the influence that he has on the principality. Returns the loss."""
    lost = np.int64(state.di[pr, player])
    if lost < wanted:
        count_rule(state, rule.WP_GEN_09)
    lost = min(lost, wanted)
    state.di[pr, player] -= lost
    state.di_out[player] -= lost
    return lost


@kernel
def lose_all_on(state: State, pr: int, player: int) -> None:
    state.di_out[player] -= state.di[pr, player]
    state.di[pr, player] = 0


@kernel
def evaluate(state: State, knobs: Knobs, pr: int) -> None:
    """WP-ALY-05: determines a principality's ally."""
    count_rule(state, rule.WP_ALY_05)
    old = np.int64(state.ally[pr])
    most = np.int64(0)
    for player in range(PLAYERS):
        most = max(most, np.int64(state.di[pr, player]))
    enough = most >= size_of(state, pr) and most > 0
    new = NOBODY
    if old >= 0 and knobs.alliance_requirement == 1 and state.di[pr, old] > 0:
        new = old  # only a player with more influence, and enough of it, displaces the ally
        if enough and most > state.di[pr, old]:
            new = first_with(state, pr, most)
    elif enough:
        if old >= 0 and state.di[pr, old] == most:
            new = old
            count_rule(state, rule.WP_ALY_03)
        else:
            new = first_with(state, pr, most)
    elif old >= 0:
        count_rule(state, rule.WP_ALY_04)
    if new != old:
        if new >= 0:
            count_rule(state, rule.WP_ALY_02)
            count_rule(state, rule.WP_ALY_07)
            tally(state, N_ALLIANCES, np.int64(1))
        state.ally[pr] = new
        state.ally_whole_war[pr] = 0


@kernel
def first_with(state: State, pr: int, most: int) -> int:
    """The first player in Initiative Order with this much influence."""
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.di[pr, player] == most:
            return player
    return NOBODY


@kernel
def evaluate_all(state: State, knobs: Knobs) -> None:
    """WP-ALY-06: evaluates all alliances at once, after all losses."""
    count_rule(state, rule.WP_ALY_06)
    prs = np.int64(state.on_map)
    while prs:
        evaluate(state, knobs, lowest(prs))
        prs &= prs - 1


@kernel
def needed_for(state: State, pr: int, player: int) -> int:
    """WP-ALY-08: the smallest gain after which a player is the ally; 0 if he already is."""
    if state.ally[pr] == player:
        return np.int64(0)
    most = np.int64(0)
    for other in range(PLAYERS):  # seats not in the game have none
        if other != player:
            most = max(most, np.int64(state.di[pr, other]) + 1)
    return max(max(most, size_of(state, pr)) - np.int64(state.di[pr, player]), np.int64(0))


@kernel
def become_ally(state: State, knobs: Knobs, pr: int, player: int) -> None:
    """WP-ALY-08: gives a player enough influence to be the ally."""
    count_rule(state, rule.WP_ALY_08)
    gain_on(state, knobs, pr, player, needed_for(state, pr, player))
    evaluate(state, knobs, pr)


@kernel
def make_ally(state: State, knobs: Knobs, pr: int, player: int) -> None:
    """WP-PCE-08: a vassal's master is its ally at once; then WP-ALY-05 decides whether his influence is enough."""
    if state.ally[pr] != player:
        count_rule(state, rule.WP_ALY_07)
        tally(state, N_ALLIANCES, np.int64(1))
        state.ally[pr] = player
        state.ally_whole_war[pr] = 0
    evaluate(state, knobs, pr)


@kernel
def clear_influence(state: State, player: int) -> None:
    """All of a player's influence on the map goes back to his supply."""
    prs = np.int64(state.on_map)
    while prs:
        lose_all_on(state, lowest(prs), player)
        prs &= prs - 1
