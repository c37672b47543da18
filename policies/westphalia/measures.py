"""Measures of all bots of Westphalia: traits, power, alliances and adjacency.

Nothing here counts rules or changes the state: `power` is the game's Imperial Power without its counters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, trait_names
from simlab.games.westphalia import board as b
from simlab.games.westphalia.roles import is_saved
from simlab.games.westphalia.sets import around, bits, lowest
from simlab.games.westphalia.state import FIRST_PRINCIPALITY, NOBODY, PLAYERS, RELIGIOUS, WORD

NEVER = 9.0  #: a ratio of power that no war reaches


def temper(**changed: float) -> dict[str, Trait]:
    """The traits of every bot, in one order; `changed` are a bot's own defaults."""
    table: dict[str, tuple[float, float, float, str]] = {
        "electors": (2.0, 0.0, 9.0, "worth of an Elector as an ally, in provinces (WP-ELE-01)"),
        "faith": (1.0, 0.0, 9.0, "how much more an ally of the own faith is worth, in provinces"),
        "zeal": (1.0, 0.0, 3.0, "worth of another player's province that turns to the own faith, in own provinces"),
        "spare": (1, 0, 4, "influence kept above what an allied Elector needs (WP-PWD-01)"),
        "war": (NEVER, 0.5, NEVER, "attacks a player if its Imperial Power is this many times his; 9: never"),
        "gold": (1, 0, 9, "most Gold paid for temporary Imperial Power (WP-IP-05)"),
        "cards": (1, 0, 9, "most Gold kept out of cards before a battle of about equal forces (WP-DOC-06)"),
    }
    return {
        name: Trait(changed.get(name, default), low, high, help_) for name, (default, low, high, help_) in table.items()
    }


T: Any = trait_names(**temper())

# --- Options --------------------------------------------------------------------------


@small_kernel
def is_open(state: State, action: int) -> bool:
    """Whether an action is among the options of the current decision."""
    word = action // WORD
    return (np.int64(state.options[word]) >> (action - word * WORD)) & 1 != 0


@small_kernel
def first_option(state: State) -> int:
    return np.int64(state.legal[0])


# --- Power ----------------------------------------------------------------------------


@kernel
def power(state: State, knobs: Knobs, player: int) -> int:
    total = b.power_in_empire(state, knobs, player)
    if b.is_foreign(state, player):
        total += b.home_worth(state, knobs)
    return total


@kernel
def power_of_faith(state: State, knobs: Knobs, faith: int) -> int:
    """Imperial Power of all players of a faith together."""
    total = np.int64(0)
    for player in range(state.players):
        if state.faith[player] == faith:
            total += power(state, knobs, np.int64(player))
    return total


@kernel
def strongest(state: State, knobs: Knobs, faith: int, saved_only: int) -> int:
    """The player of a faith with the most Imperial Power; NOBODY if there is none."""
    best = NOBODY
    most = np.int64(-1)
    for player in range(state.players):
        if state.faith[player] == faith and (saved_only == 0 or is_saved(state, np.int64(player))):
            worth = power(state, knobs, np.int64(player))
            if worth > most:
                best, most = np.int64(player), worth
    return best


@kernel
def strongest_other(state: State, me: int) -> int:
    """The other player with the most own and allied provinces; NOBODY while no other player has an ally."""
    allied = np.int64(0)  # a byte each: 96 hexes at most
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.ally[pr] >= 0:
            allied += b.size_of(state, pr) << (8 * np.int64(state.ally[pr]))
    best = NOBODY
    most = np.int64(3)
    for player in range(state.players):
        provinces = np.int64(state.extent[player]) + ((allied >> (8 * player)) & 127)
        if player != me and provinces > most:
            best, most = np.int64(player), provinces
    return best


@kernel
def weakest(state: State, knobs: Knobs) -> int:
    best = np.int64(0)
    least = np.int64(1_000)
    for player in range(state.players):
        worth = power(state, knobs, np.int64(player))
        if worth < least:
            best, least = np.int64(player), worth
    return best


@kernel
def rank_of(state: State, knobs: Knobs, me: int) -> int:
    """Number of players with more Imperial Power."""
    mine = power(state, knobs, me)
    above = np.int64(0)
    for player in range(state.players):
        above += power(state, knobs, np.int64(player)) > mine
    return above


@kernel
def electors_of_faith(state: State, faith: int) -> int:
    count = np.int64(0)
    prs = np.int64(state.electors)
    while prs:
        count += state.pr_faith[lowest(prs)] == faith
        prs &= prs - 1
    return count


@kernel
def electors_of_ally(state: State, player: int) -> int:
    """Electors allied to a player; for NOBODY, the unaligned Electors."""
    count = np.int64(0)
    prs = np.int64(state.electors)
    while prs:
        count += state.ally[lowest(prs)] == player
        prs &= prs - 1
    return count


@kernel
def saved_in(state: State, faith: int) -> int:
    count = np.int64(0)
    for player in range(state.players):
        count += state.faith[player] == faith and is_saved(state, np.int64(player))
    return count


# --- Alliances --------------------------------------------------------------------------


@kernel
def highest_other(state: State, pr: int, me: int) -> int:
    most = np.int64(0)
    for player in range(PLAYERS):  # seats not in the game have none
        if player != me:
            most = max(most, np.int64(state.di[pr, player]))
    return most


@kernel
def slack(state: State, pr: int, me: int) -> int:
    """Influence of an ally above the alliance's requirement."""
    return np.int64(state.di[pr, me]) - max(b.size_of(state, pr), highest_other(state, pr, me))


@kernel
def worth(state: State, traits: Traits, pr: int, me: int) -> float:
    """Worth of an alliance, in provinces."""
    value = float(b.size_of(state, pr))
    if b.is_elector(state, pr):
        value += traits[T.electors]
    if state.pr_faith[pr] == state.faith[me]:
        value += traits[T.faith]
    return value


@small_kernel
def postwar_to_come(state: State, knobs: Knobs, pr: int, me: int) -> int:
    """WP-PWD-01: influence that Post-War Diplomacy will take from an ally of this round's wars."""
    exempt = state.has_declared[me] == RELIGIOUS or state.ally_whole_war[pr] == 0 or state.ally_claimed[pr] != 0
    return np.int64(0) if exempt else np.int64(knobs.postwar_loss)


@kernel
def bare_allies(state: State, knobs: Knobs, me: int) -> int:
    """Allied principalities that a player would lose in Post-War Diplomacy if he had one point less on them."""
    count = np.int64(0)
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        count += state.ally[pr] == me and slack(state, pr, me) == postwar_to_come(state, knobs, pr, me)
    return count


# --- The map ---------------------------------------------------------------------------


@kernel
def beside(state: State, cards: Cards, power_: int) -> tuple[int, int]:
    """Hexes next to those of a power; a Foreign Power's home is next to its edge (WP-FP-04)."""
    low, high = around(cards.beside, np.int64(state.land[power_, 0]), np.int64(state.land[power_, 1]))
    if power_ < PLAYERS and state.fp_edge[power_] >= 0:
        size = np.int64(state.map_size)
        low |= cards.edge[size, state.fp_edge[power_], 0]
        high |= cards.edge[size, state.fp_edge[power_], 1]
    return low, high


@kernel
def plain_beside(state: State, power_: int, low: int, high: int) -> int:
    """How many plain provinces of a power are among some hexes."""
    return bits(b.plain_word(state, power_, np.int64(0)) & low) + bits(b.plain_word(state, power_, np.int64(1)) & high)


@kernel
def claims_on(state: State, cards: Cards, knobs: Knobs, me: int, victim: int) -> int:
    """The bot's allies that could take a province of a power and would remain its allies although they grow."""
    count = np.int64(0)
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        mine = FIRST_PRINCIPALITY + pr
        if state.ally[pr] != me or mine == victim or state.extent[mine] >= knobs.principality_max_size:
            continue
        if state.di[pr, me] <= state.extent[mine]:
            continue
        low, high = beside(state, cards, mine)
        count += plain_beside(state, victim, low, high) > 0
    return count
