"""Westphalia's map and powers: provinces that change hands or faith, new principalities, and Imperial Power."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.sets import around, bit_of, bits, drop, first_hex, holds, lowest, put, word_of
from simlab.games.westphalia.state import OFF_MAP, ROSTER, WORD

# --- Hexes ----------------------------------------------------------------------


@small_kernel
def hex_faith(state: State, hex_: int) -> int:
    return np.int64(holds(state.protestant, hex_))


@small_kernel
def set_faith(state: State, hex_: int, faith: int) -> None:
    if faith == s.PROTESTANT:
        put(state.protestant, hex_)
    else:
        drop(state.protestant, hex_)


@small_kernel
def of_faith(state: State, word: int, faith: int) -> int:
    """One word of a faith's set of hexes; hexes off the map count as Catholic."""
    protestant = np.int64(state.protestant[word])
    return protestant if faith == s.PROTESTANT else ~protestant & ((np.int64(1) << WORD) - 1)


@kernel
def give_hex(state: State, hex_: int, power: int) -> None:
    """Gives a hex to another owner, as a plain province."""
    old = np.int64(state.hex_owner[hex_])
    if old >= 0:
        drop(state.land[old], hex_)
        state.extent[old] -= 1
        if state.home[old] == hex_:
            state.home[old] = -1
    drop(state.town, hex_)
    drop(state.capital, hex_)
    state.hex_owner[hex_] = power
    put(state.land[power], hex_)
    state.extent[power] += 1


@small_kernel
def make_capital(state: State, power: int, hex_: int) -> None:
    state.home[power] = hex_
    put(state.capital, hex_)
    drop(state.town, hex_)


@small_kernel
def towns_of(state: State, player: int) -> int:
    """WP-MAP-05: the number of a player's town-provinces; his capital does not count."""
    return bits(state.land[player, 0] & state.town[0]) + bits(state.land[player, 1] & state.town[1])


@small_kernel
def is_foreign(state: State, player: int) -> bool:
    return state.fp_edge[player] >= 0


@small_kernel
def plain_word(state: State, power: int, word: int) -> int:
    """One word of a power's set of plain provinces."""
    return state.land[power, word] & ~state.town[word] & ~state.capital[word]


@kernel
def plain_stock(state: State, knobs: Knobs, player: int) -> int:
    """WP-GEN-08, WP-BND-01: plain hexes left in a player's set."""
    used = bits(plain_word(state, player, 0)) + bits(plain_word(state, player, 1))
    return max(np.int64(knobs.player_plain_hexes) - used, np.int64(0))


@kernel
def town_stock(state: State, knobs: Knobs, player: int) -> int:
    return max(np.int64(knobs.player_town_hexes) - towns_of(state, player), np.int64(0))


@kernel
def next_to_power(state: State, cards: Cards, power: int) -> tuple[int, int]:
    """WP-MAP-03, WP-FP-04: the hexes next to those of a power; a Foreign Power's home is next to its whole edge."""
    low, high = around(cards.beside, np.int64(state.land[power, 0]), np.int64(state.land[power, 1]))
    size = np.int64(state.map_size)
    if power < s.PLAYERS and state.fp_edge[power] >= 0:
        count_rule(state, rule.WP_FP_04)
        low |= cards.edge[size, state.fp_edge[power], 0]
        high |= cards.edge[size, state.fp_edge[power], 1]
    return low & cards.on_map[size, 0], high & cards.on_map[size, 1]


# --- Principalities -----------------------------------------------------------------


@small_kernel
def on_map(state: State, pr: int) -> bool:
    return (state.on_map >> pr) & 1 != 0


@small_kernel
def is_elector(state: State, pr: int) -> bool:
    return (state.electors >> pr) & 1 != 0


@small_kernel
def size_of(state: State, pr: int) -> int:
    return np.int64(state.extent[s.FIRST_PRINCIPALITY + pr])


@kernel
def in_box(state: State, knobs: Knobs) -> int:
    """How many principalities the box holds (WP-PRI-02)."""
    return np.int64(knobs.roster_size) - bits(np.int64(state.on_map))


@kernel
def new_principality(state: State, knobs: Knobs, hex_: int) -> int:
    """WP-PRI-03: a hex becomes the capital of the principality with the lowest ID in the box; NOBODY if the box is
    empty."""
    free = ~np.int64(state.on_map) & ((np.int64(1) << np.int64(knobs.roster_size)) - 1)
    if free == 0:
        return s.NOBODY
    count_rule(state, rule.WP_PRI_03)
    pr = lowest(free)
    power = s.FIRST_PRINCIPALITY + pr
    state.on_map |= np.int64(1) << pr
    state.pr_faith[pr] = hex_faith(state, hex_)
    state.marker[pr] = s.NO_FLAME
    state.declarer[pr] = -1
    state.ally[pr] = -1
    state.ally_whole_war[pr] = 0
    state.ally_claimed[pr] = 0
    give_hex(state, hex_, power)
    make_capital(state, power, hex_)
    return pr


@kernel
def back_to_box(state: State, pr: int) -> None:
    """WP-PRI-04, WP-PCE-18: a principality without provinces returns to the box; influence on it goes back to the
    supply.
    """
    count_rule(state, rule.WP_PRI_04)
    count_rule(state, rule.WP_PCE_18)
    for player in range(state.players):
        state.di_out[player] -= state.di[pr, player]
        state.di[pr, player] = 0
    state.on_map &= ~(np.int64(1) << pr)
    state.ally[pr] = -1
    state.ally_whole_war[pr] = 0
    state.marker[pr] = s.NO_FLAME
    state.declarer[pr] = -1
    state.home[s.FIRST_PRINCIPALITY + pr] = -1


@kernel
def join_principality(state: State, pr: int, hex_: int) -> None:
    """WP-PRI-05: a hex that a principality takes or receives adopts its faith."""
    count_rule(state, rule.WP_PRI_05)
    give_hex(state, hex_, s.FIRST_PRINCIPALITY + pr)
    set_faith(state, hex_, np.int64(state.pr_faith[pr]))


@kernel
def convert_principality(state: State, pr: int, faith: int) -> None:
    """WP-PRI-01: all its provinces are of one faith."""
    count_rule(state, rule.WP_PRI_01)
    state.pr_faith[pr] = faith
    power = s.FIRST_PRINCIPALITY + pr
    for word in range(2):
        if faith == s.PROTESTANT:
            state.protestant[word] |= state.land[power, word]
        else:
            state.protestant[word] &= ~state.land[power, word]


@kernel
def growing_next_to(state: State, knobs: Knobs, cards: Cards, hex_: int, faith: int) -> int:
    """Principalities of a faith next to a hex that may still grow (WP-PLC-05, WP-FP-07)."""
    found = np.int64(0)
    low = np.int64(cards.beside[hex_, 0])
    high = np.int64(cards.beside[hex_, 1])
    while low or high:
        near = first_hex(low, high)
        if low:
            low &= low - 1
        else:
            high &= high - 1
        pr = np.int64(state.hex_owner[near]) - s.FIRST_PRINCIPALITY
        if pr >= 0 and state.pr_faith[pr] == faith and size_of(state, pr) < knobs.principality_max_size:
            found |= np.int64(1) << pr
    return found


# --- Imperial Power ------------------------------------------------------------------


@kernel
def home_value(state: State, knobs: Knobs) -> int:
    """WP-IP-04, WP-FP-05: the value of a Foreign Power's home in this round."""
    count_rule(state, rule.WP_IP_04)
    count_rule(state, rule.WP_FP_05)
    return home_worth(state, knobs)


@kernel
def home_worth(state: State, knobs: Knobs) -> int:
    """Like `home_value`, but counts no rules, for bots, which must not change the state."""
    now = np.int64(state.turn)
    if knobs.home_ip_schedule == 1:
        now += 1
    if now <= 1:
        return np.int64(knobs.home_ip_1)
    if now == 2:
        return np.int64(knobs.home_ip_2)
    if now == 3:
        return np.int64(knobs.home_ip_3)
    if now == 4:
        return np.int64(knobs.home_ip_4)
    return np.int64(knobs.home_ip_5)


@small_kernel
def allied_value(state: State, knobs: Knobs, pr: int) -> int:
    """The Imperial Power that an ally gains from a principality (WP-IP-02)."""
    return size_of(state, pr) * np.int64(knobs.ip_per_allied_province) + (
        np.int64(knobs.ip_elector_ally_bonus) if is_elector(state, pr) else np.int64(0)
    )


@small_kernel
def orthodox_towns(state: State, player: int) -> int:
    """WP-GEN-03: a player's town-provinces of his own faith."""
    faith = np.int64(state.faith[player])
    return bits(state.land[player, 0] & state.town[0] & of_faith(state, 0, faith)) + bits(
        state.land[player, 1] & state.town[1] & of_faith(state, 1, faith)
    )


@kernel
def power_in_empire(state: State, knobs: Knobs, player: int) -> int:
    """Imperial Power without a Foreign Power's home: own provinces and allies (WP-IP-01)."""
    allied = np.int64(0)
    for pr in range(ROSTER):  # several at a time; a principality in the box has no provinces
        allied += np.int64(state.extent[s.FIRST_PRINCIPALITY + pr]) * np.int64(state.ally[pr] == player)
    total = np.int64(state.extent[player]) * np.int64(knobs.ip_per_province)
    total += allied * np.int64(knobs.ip_per_allied_province)
    if knobs.ip_elector_ally_bonus:
        electors = np.int64(state.electors)
        while electors:
            total += np.int64(knobs.ip_elector_ally_bonus) * np.int64(state.ally[lowest(electors)] == player)
            electors &= electors - 1
    if knobs.ip_town_bonus:
        total += np.int64(knobs.ip_town_bonus) * orthodox_towns(state, player)
    if knobs.ip_emperor_bonus and state.emperor == player:
        total += np.int64(knobs.ip_emperor_bonus)
    return total


@kernel
def imperial_power(state: State, knobs: Knobs, player: int) -> int:
    """WP-IP-01, WP-IP-03: computed from the current map, never stored."""
    count_rule(state, rule.WP_IP_01)
    if state.emperor == player:
        count_rule(state, rule.WP_IP_03)
    total = power_in_empire(state, knobs, player)
    if is_foreign(state, player):
        total += home_value(state, knobs)
    return total


@small_kernel
def least_times(ratio: float, power: int) -> int:
    """The smallest whole number that is at least `ratio` times another: 2.2 times 5 is 11, although 2.2 * 5 > 11 in
    floats.
    """
    return np.int64(np.ceil(ratio * power - 1e-9))


@small_kernel
def outweighs(power: int, other: int, knobs: Knobs) -> bool:
    """WP-BAT-02: whether a power is so much larger that no cards are needed; a player with no power outweighs
    nobody."""
    return power > 0 and power >= least_times(knobs.auto_win_ratio, other)


@kernel
def saved_places(state: State, knobs: Knobs, cards: Cards) -> int:
    """K: the number of players of a faith who can be saved."""
    if knobs.saved_places > 0:
        return np.int64(knobs.saved_places)
    return np.int64(cards.saved[np.int64(state.players) - 5])


__all__ = [
    "OFF_MAP",
    "ROSTER",
    "WORD",
    "allied_value",
    "back_to_box",
    "bit_of",
    "convert_principality",
    "give_hex",
    "growing_next_to",
    "hex_faith",
    "home_value",
    "home_worth",
    "imperial_power",
    "in_box",
    "is_elector",
    "is_foreign",
    "join_principality",
    "least_times",
    "make_capital",
    "new_principality",
    "next_to_power",
    "of_faith",
    "on_map",
    "orthodox_towns",
    "outweighs",
    "plain_stock",
    "plain_word",
    "power_in_empire",
    "saved_places",
    "set_faith",
    "size_of",
    "town_stock",
    "towns_of",
    "word_of",
]  # fmt: skip
