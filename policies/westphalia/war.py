"""The targets of bots of Westphalia, and the provinces that they take (phases 4 and 5)."""

from __future__ import annotations

import numpy as np

from policies.westphalia.measures import (
    NEVER,
    T,
    bare_allies,
    beside,
    claims_on,
    highest_other,
    is_open,
    plain_beside,
    power,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Traits
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import hex_faith, is_elector, least_times, size_of
from simlab.games.westphalia.sets import holds, lowest
from simlab.games.westphalia.treaty import vassals

LATE = np.int64(4)  # from this round on towns are worth taking for the final count

# --- Unaligned principalities -------------------------------------------------------------


@kernel
def prize(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, pr: int, vassals: int) -> float:
    """Gain of a war on a single principality: provinces next to the bot's own, claims of allies, or a vassal."""
    power_ = s.FIRST_PRINCIPALITY + pr
    low, high = beside(state, cards, me)
    most = min(plain_beside(state, power_, low, high), np.int64(knobs.conquer_plain_max))
    value = float(most + claims_on(state, cards, knobs, me, power_))
    size = size_of(state, pr)
    if size <= knobs.vassalize_max_size:
        as_vassal = 0.0
        if is_elector(state, pr) and traits[T.electors] > 0:
            as_vassal = 3.0 * size
        elif vassals:
            as_vassal = 0.9 * size
        value = max(value, as_vassal)
    return value


@kernel
def best_prize(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, vassals: int) -> int:
    """The unaligned principality most worth a war, within the bot's power and the Gold that it will spend."""
    best = s.NOBODY
    most = 0.99
    mine = power(state, knobs, me)
    means = mine + min(np.int64(state.gold[me]), np.int64(traits[T.gold]))
    prs = np.int64(state.on_map) & ~np.int64(state.named)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.ally[pr] >= 0:
            continue
        if means < least_times(knobs.unaligned_ratio, size_of(state, pr) + np.int64(state.named_size)):
            continue
        value = prize(state, knobs, cards, traits, me, pr, vassals)
        if value > most:
            best, most = pr, value
    return best


@kernel
def next_target(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int) -> int:
    """The best prize. After the first target, names further ones only while two provinces are not yet in reach."""
    if state.named == 0:
        best = best_prize(state, knobs, cards, traits, me, np.int64(1))
        if best >= 0:
            return best
        return s.NO_TARGET if is_open(state, s.NO_TARGET) else np.int64(state.legal[0])
    if reach_of_named(state, cards, me) < knobs.conquer_plain_max and not vassal_named(state, knobs, traits):
        best = best_prize(state, knobs, cards, traits, me, np.int64(0))
        if best >= 0:
            return best
    return s.NO_TARGET


@kernel
def reach_of_named(state: State, cards: Cards, me: int) -> int:
    low, high = beside(state, cards, me)
    count = np.int64(0)
    prs = np.int64(state.named)
    while prs:
        count += plain_beside(state, s.FIRST_PRINCIPALITY + lowest(prs), low, high)
        prs &= prs - 1
    return count


@kernel
def vassal_named(state: State, knobs: Knobs, traits: Traits) -> bool:
    """Whether an Elector that is wanted as a vassal has been named, so more targets would gain nothing."""
    prs = np.int64(state.named)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if is_elector(state, pr) and traits[T.electors] > 0 and size_of(state, pr) <= knobs.vassalize_max_size:
            return True
    return False


# --- Players --------------------------------------------------------------------------------


@kernel
def weak_player(state: State, knobs: Knobs, cards: Cards, me: int, ratio: float) -> int:
    """The weakest player who can be attacked, has something to lose and is weaker by a ratio; ties: the one with more
    provinces next door."""
    best = s.NOBODY
    least = np.int64(1_000)
    most = np.int64(-1)
    if ratio >= NEVER:
        return best
    mine = power(state, knobs, me)
    low, high = beside(state, cards, me)
    for player in range(state.players):
        if player == me or state.declared_on[player]:
            continue
        theirs = power(state, knobs, np.int64(player))
        if theirs > least or mine < ratio * theirs or not has_something(state, np.int64(player)):
            continue
        near = plain_beside(state, np.int64(player), low, high)
        if theirs < least or near > most:
            best, least, most = np.int64(player), theirs, near
    return best


@kernel
def has_something(state: State, player: int) -> bool:
    """WP-PCE-22: a Foreign Power without allies and provinces yields nothing."""
    if state.extent[player] > 0:
        return True
    prs = np.int64(state.on_map)
    while prs:
        if state.ally[lowest(prs)] == player:
            return True
        prs &= prs - 1
    return False


@kernel
def declaration(
    state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, crusade: bool, players_first: bool
) -> int:
    """A Religious War if it is wanted; a prize next door; a weak player; a vassal; or none."""
    if crusade and is_open(state, s.RELIGIOUS):
        return s.RELIGIOUS
    unaligned = is_open(state, s.ON_UNALIGNED)
    prey = weak_player(state, knobs, cards, me, traits[T.war]) >= 0 and is_open(state, s.ON_PLAYER)
    if prey and players_first:
        return s.ON_PLAYER
    if unaligned and best_prize(state, knobs, cards, traits, me, np.int64(0)) >= 0:
        return s.ON_UNALIGNED
    if prey:
        return s.ON_PLAYER
    if unaligned and best_prize(state, knobs, cards, traits, me, np.int64(1)) >= 0:
        return s.ON_UNALIGNED
    return s.NO_WAR


@kernel
def victim(state: State, knobs: Knobs, cards: Cards, me: int) -> int:
    """The target of an attack: the weakest available player."""
    best = weak_player(state, knobs, cards, me, 0.0)
    if best >= 0 and is_open(state, best):
        return best
    return np.int64(state.legal[0])


@kernel
def crusade_target(state: State) -> int:
    """Electors first, then the largest, then the lowest ID."""
    best = np.int64(state.legal[0])
    most = np.int64(-1)
    for n in range(state.n_legal):
        pr = np.int64(state.legal[n])
        value = 10 * np.int64(is_elector(state, pr)) + size_of(state, pr)
        if value > most:
            best, most = pr, value
    return best


# --- Peace ----------------------------------------------------------------------------------


@kernel
def peace_option(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int) -> int:
    """The option that is worth most, in provinces."""
    option, most = s.NOTHING, 0.0
    if is_open(state, s.CONQUER):
        value = conquest_value(state, knobs, me)
        if value > most:
            option, most = s.CONQUER, value
    if is_open(state, s.VASSALIZE):
        value = best_vassal(state, knobs, traits, me)[1]
        if value > most:
            option, most = s.VASSALIZE, value
    if is_open(state, s.LIBERATE) and most < 1.0:
        option = s.LIBERATE
    return option


@kernel
def conquest_value(state: State, knobs: Knobs, me: int) -> float:
    """Value of a conquest: plain provinces next door, more distant ones at a price in allies, or a town."""
    near = np.int64(0)
    far = np.int64(0)
    town = 0.0
    late = state.turn >= LATE
    for player in range(state.players):
        if (state.enemy_players >> player) & 1:
            n, f = plain_of(state, np.int64(player), me)
            near += n
            far += f
            for word in range(2):
                towns = np.int64(state.land[player, word]) & np.int64(state.town[word])
                if towns:
                    town = max(town, 1.0 + (1.0 if late else 0.0))
    prs = np.int64(state.enemy_prs)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        n, f = plain_of(state, s.FIRST_PRINCIPALITY + pr, me)
        near += n
        far += f
        if size_of(state, pr) == 1 and not is_elector(state, pr) and state.marker[pr] != s.UPRIGHT:
            town = max(town, 1.0 + (1.0 if late else 0.0))
    most = np.int64(knobs.conquer_plain_max)
    loss = far_price(state, knobs, me)
    value = float(min(near, most))
    if far > 0 and near < most:
        value = max(value, min(near + far, most) - loss)
    return max(value, town - loss)


@kernel
def far_price(state: State, knobs: Knobs, me: int) -> float:
    """WP-PCE-10: the cost, in provinces, of losing one point on every principality."""
    return 0.0 if state.treaty == s.WITH_LEAGUE else 0.5 * bare_allies(state, knobs, me)


@kernel
def plain_of(state: State, power_: int, me: int) -> tuple[int, int]:
    """Plain provinces of an enemy: those next to the winner's starting provinces, and all others."""
    near = plain_beside(state, power_, np.int64(state.adjacent[me, 0]), np.int64(state.adjacent[me, 1]))
    everywhere = ~np.int64(0)
    return near, plain_beside(state, power_, everywhere, everywhere) - near


@kernel
def best_vassal(state: State, knobs: Knobs, traits: Traits, me: int) -> tuple[int, float]:
    """The principality to vassalize, by size, rank and the influence of others that goes with it."""
    best = s.NOBODY
    most = 0.0
    options = vassals(state, knobs)
    prs = options & ((np.int64(1) << s.ROSTER) - 1)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        value = float(size_of(state, pr))
        if is_elector(state, pr) and traits[T.electors] > 0:
            value *= 3.0
        value += 0.5 * highest_other(state, pr, me)
        if value > most:
            best, most = pr, value
    for player in range(state.players):
        if (options >> (s.ROSTER + player)) & 1 and float(state.extent[player]) + 0.5 > most:
            best, most = s.ROSTER + np.int64(player), float(state.extent[player]) + 0.5
    return best, most


@kernel
def conquest(state: State, knobs: Knobs, me: int) -> int:
    """Prefers hexes next door, then its own faith, then the lowest hex; towns late in the game or if there is nothing
    else."""
    best = np.int64(state.legal[0])
    most = -1_000.0
    price = 0.1 if state.took_far else 0.1 + far_price(state, knobs, me)
    for n in range(state.n_legal):
        hex_ = np.int64(state.legal[n])
        if hex_ == s.NO_HEX:
            value = 0.0
        else:
            value = 1.0
            if not holds(state.adjacent[me], hex_):
                value -= 0.9 if state.took == 0 else price
            town = holds(state.town, hex_) or holds(state.capital, hex_)
            if town:
                value += 0.6 if state.turn >= LATE else -0.4
            if hex_faith(state, hex_) == state.faith[me]:
                value += 0.3
            owner = np.int64(state.hex_owner[hex_])
            if owner >= s.FIRST_PRINCIPALITY and state.di[owner - s.FIRST_PRINCIPALITY, me] > 0:
                value -= 0.5  # WP-PCE-17: the bot's influence there would be lost
        if value > most:
            best, most = hex_, value
    return best


@kernel
def claim_of_ally(state: State, knobs: Knobs, me: int) -> int:
    """The first province, if the bot's influence still covers the ally after it grows; else none.

    The treaty's cost for distant provinces and towns (WP-PCE-10) has not been paid yet at this point.
    """
    pr = np.int64(state.at[state.depth - 1])
    price = np.int64(0)
    if state.treaty != s.WITH_LEAGUE:
        price = state.took_far * np.int64(knobs.loss_nonadjacent) + state.took_town * np.int64(knobs.loss_town)
    if state.di[pr, me] - price <= size_of(state, pr):
        return s.NO_HEX if is_open(state, s.NO_HEX) else np.int64(state.legal[0])
    best = np.int64(state.legal[0])
    for n in range(state.n_legal):
        hex_ = np.int64(state.legal[n])
        if hex_ != s.NO_HEX and hex_faith(state, hex_) == state.faith[me]:
            return hex_
    return best


@kernel
def gives_way(state: State, knobs: Knobs, me: int) -> bool:
    """WP-WAR-05: whether to abandon the principality, as the bot does if the declarer is at least as strong."""
    declarer = np.int64(state.at[state.depth - 1])
    return power(state, knobs, me) <= power(state, knobs, declarer)
