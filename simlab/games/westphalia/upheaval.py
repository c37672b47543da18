"""Phase 1, Religious Upheaval, and the Initiative Order (ledger 3.7)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import convert_principality, imperial_power, is_foreign
from simlab.games.westphalia.flow import tally
from simlab.games.westphalia.roles import refresh_roles
from simlab.games.westphalia.sets import bits, draw, nth_bit

EARLY = np.int64(2)  # until this round, cards only turn principalities Protestant


@kernel
def religious_upheaval(state: State, knobs: Knobs, cards: Cards) -> None:
    """Draws the cards, then makes the Initiative Order."""
    count_rule(state, rule.WP_UPH_01)
    count_rule(state, rule.WP_UPH_06)
    count_rule(state, rule.WP_GEN_10)
    count_rule(state, rule.WP_GEN_14)
    table = np.int64(state.players) - 5
    if state.turn <= EARLY:
        wanted = np.int64(knobs.upheaval_early)
        early_cards(state, cards, np.int64(cards.upheaval_early[table]) if wanted < 0 else wanted)
    else:
        wanted = np.int64(knobs.upheaval_late)
        late_cards(state, knobs, np.int64(cards.upheaval_late[table]) if wanted < 0 else wanted)
    state.protestant_at[state.turn] = bits(np.int64(state.protestant[0])) + bits(np.int64(state.protestant[1]))
    make_initiative(state, knobs)
    count_rule(state, rule.WP_RND_04)
    refresh_roles(state, knobs, cards)


@kernel
def early_cards(state: State, cards: Cards, wanted: int) -> None:
    """WP-UPH-02, WP-UPH-03: cards of Protestant principalities are set aside; provinces next to the capitals turn
    too."""
    count_rule(state, rule.WP_UPH_02)
    deck = np.int64(state.on_map)
    turned_low = np.int64(0)
    turned_high = np.int64(0)
    while wanted > 0 and deck:
        pr = nth_bit(deck, draw(state, s.UPHEAVAL_STREAM, bits(deck)))
        deck &= ~(np.int64(1) << pr)
        if state.pr_faith[pr] == s.CATHOLIC:
            wanted -= 1
            convert_principality(state, pr, s.PROTESTANT)
            tally(state, s.N_EARLY_UPHEAVAL, np.int64(1))
            capital = np.int64(state.home[s.FIRST_PRINCIPALITY + pr])
            turned_low |= cards.beside[capital, 0]
            turned_high |= cards.beside[capital, 1]
    low = np.int64(0)
    high = np.int64(0)
    for player in range(state.players):
        low |= state.land[player, 0]
        high |= state.land[player, 1]
    low &= turned_low & ~np.int64(state.capital[0])
    high &= turned_high & ~np.int64(state.capital[1])
    if low or high:
        count_rule(state, rule.WP_UPH_03)
    state.protestant[0] |= low
    state.protestant[1] |= high


@kernel
def late_cards(state: State, knobs: Knobs, wanted: int) -> None:
    """WP-UPH-04, WP-UPH-05: each principality drawn turns to the other faith; provinces of players stay."""
    count_rule(state, rule.WP_UPH_04)
    count_rule(state, rule.WP_UPH_05)
    deck = np.int64(state.on_map)
    while wanted > 0 and deck:
        pr = nth_bit(deck, draw(state, s.UPHEAVAL_STREAM, bits(deck)))
        deck &= ~(np.int64(1) << pr)
        wanted -= 1
        if state.pr_faith[pr] == s.CATHOLIC or knobs.late_upheaval == 0:
            convert_principality(state, pr, 1 - np.int64(state.pr_faith[pr]))
            tally(state, s.N_LATE_UPHEAVAL, np.int64(1))


@kernel
def make_initiative(state: State, knobs: Knobs) -> None:
    """WP-RND-02, WP-RND-03: the Emperor, then all others by rising Imperial Power, ties clockwise from him."""
    count_rule(state, rule.WP_RND_02)
    count_rule(state, rule.WP_RND_03)
    players = np.int64(state.players)
    emperor = np.int64(state.emperor)
    state.initiative[0] = emperor
    for distance in range(1, players):
        player = (emperor + distance) % players
        power = imperial_power(state, knobs, player)
        state.force[player] = power
        place = distance
        while place > 1 and state.force[state.initiative[place - 1]] > power:
            state.initiative[place] = state.initiative[place - 1]
            place -= 1
        state.initiative[place] = player


@kernel
def mean_power(state: State, knobs: Knobs) -> int:
    """Mean Imperial Power of the players in the Empire, times ten; -1 if all have left."""
    total = np.int64(0)
    counted = np.int64(0)
    for player in range(state.players):
        if not is_foreign(state, player):
            total += imperial_power(state, knobs, player)
            counted += 1
    return 10 * total // counted if counted > 0 else np.int64(-1)
