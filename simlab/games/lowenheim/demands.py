"""Step 9e: demands, repairs, the mobile reserve, cannon crews, the demon's upkeep (LW-CMD)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.cards import blanks_for, drop, pay_with_blanks
from simlab.games.lowenheim.events import random_mine, remove_random, to_court

MOST_AT_ONCE = 6  # LW-D38


# --- Demands --------------------------------------------------------------------


@kernel
def demanding(state: State, knobs: Knobs, cards: Cards, last: int) -> bool:
    """LW-CMD-02: at = demand, step = faction; asks the next faction, and settles each demand when all six have been
    asked.

    Returns whether all demands before `last` are settled.
    """
    while state.at < last:
        demand = np.int64(state.at)
        if demand == s.DUE_DEMON and state.step == 0:
            demand_upkeep(state)
        if state.due[demand] == 0 and state.step == 0:
            state.at += 1
            continue
        while state.step < s.FACTIONS and state.due[demand] > 0:
            seat = np.int64(state.step)
            state.step += 1
            if most_handed_in(state, cards, seat, demand) > 0:
                b.ask(state, seat, s.D_HAND_IN)
                return False
        count_rule(state, rule.LW_CMD_02)
        settle(state, knobs, cards, demand)
        state.at += 1
        state.step = 0
    return True


@kernel
def most_handed_in(state: State, cards: Cards, seat: int, demand: int) -> int:
    kind = np.int64(s.DEMAND_TYPE[demand])
    held = np.int64(state.hand[seat, kind])
    if kind == s.FOOD or kind == s.WATER:
        held += blanks_for(state, cards, seat)
    return min(held, np.int64(state.due[demand]))


@kernel
def offer_cards(state: State, cards: Cards) -> None:
    """LW-D38."""
    most = most_handed_in(state, cards, np.int64(state.seat), np.int64(state.at))
    for n in range(min(np.int64(MOST_AT_ONCE), most) + 1):
        offer(state, n)


@kernel
def hand_in(state: State, n: int) -> None:
    """LW-CMD-02: hands in cards, which are spent even if the demand is not met; the reserve's cards are kept apart
    (LW-CMD-13).
    """
    seat = np.int64(state.seat)
    demand = np.int64(state.at)
    kind = np.int64(s.DEMAND_TYPE[demand])
    state.due[demand] -= n
    state.count[s.N_HANDED + seat] += n
    if demand == s.DUE_RESERVE:
        for _ in range(n):
            count_rule(state, rule.LW_CMD_13)
            drop(state, seat, kind)
            state.reserve_pool += 1
        return
    pay_with_blanks(state, seat, kind, n)


@kernel
def settle(state: State, knobs: Knobs, cards: Cards, demand: int) -> None:
    """Settles a demand when all factions have been asked."""
    short = np.int64(state.due[demand])
    state.count[s.N_MET if short == 0 else s.N_MISSED] += 1
    if demand == s.DUE_J or demand == s.DUE_K:
        if short == 0:
            state.config = np.int64(state.config) | (1 if demand == s.DUE_J else 2)
    elif demand == s.DUE_MINE:
        if short > 0 and state.turn >= state.mine_deadline:
            count_rule(state, rule.LW_CMD_03)
            random_mine(state, cards)
            state.due[s.DUE_MINE] = 0
    elif demand == s.DUE_WELLS or demand == s.DUE_WATER or demand == s.DUE_FOOD:
        if demand == s.DUE_WELLS:
            count_rule(state, rule.LW_CMD_04)
        elif demand == s.DUE_WATER:
            count_rule(state, rule.LW_CMD_05)
        else:
            count_rule(state, rule.LW_CMD_06)
        characters = demand == s.DUE_FOOD and knobs.food_command_hits_characters == 1
        for _ in range(short):
            remove_random(state, cards, characters)
        state.due[demand] = 0
    elif demand == s.DUE_RESERVE:
        if short == 0:
            count_rule(state, rule.LW_CMD_12)
            state.reserve_active = 1
            state.count[s.N_RESERVE_TURN] = state.turn
    elif demand == s.DUE_DEMON:
        count_rule(state, rule.LW_WIZ_20)
        if short > 0:
            b.leave_map(state, cards, s.DEMON, s.OUT)
        state.due[s.DUE_DEMON] = 0


@kernel
def demand_upkeep(state: State) -> None:
    """LW-WIZ-20: the demon's upkeep, which rises by one card each turn."""
    if state.hex[s.DEMON] >= 0:
        state.demon_turns += 1
        state.due[s.DUE_DEMON] = state.demon_turns
        state.count[s.N_DEMON_TURNS] += 1


# --- The mobile reserve ---------------------------------------------------------


@kernel
def may_be_given(state: State, cards: Cards, f: int) -> bool:
    """LW-CMD-11, LW-CMD-14: whether a figure is an ordinary one on the map, and not conferring, controlled or in the
    reserve.
    """
    if state.hex[f] < 0 or not b.is_ordinary(cards, f):
        return False
    return not (b.marked(state, f, s.CONFERRING | s.RESERVE) or b.is_controlled(state, cards, f))


@kernel
def givable(state: State, cards: Cards, seat: int, foot_only: bool) -> int:
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if may_be_given(state, cards, np.int64(f)) and not (foot_only and np.int64(cards.cls[f]) != s.FOOT):
            n += 1
    return n


@kernel
def nearest_given(state: State, cards: Cards, seat: int, goal: int) -> int:
    """The next figure to give, -1 for none: foot before mounted, then nearest to a hex, then lowest id."""
    best = s.NOBODY
    least = np.int64(0)
    for at in range(cards.first[seat], cards.last[seat] + 1):
        f = np.int64(at)
        if not may_be_given(state, cards, f):
            continue
        key = np.int64(cards.path[state.config, state.hex[f], goal])
        if np.int64(cards.cls[f]) != s.FOOT:
            key += s.FAR + 1
        if best < 0 or key < least:
            best = f
            least = key
    return best


@kernel
def calling_reserve(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-11: step2 = faction; asks the next faction, then drafts the missing figures; returns whether it is
    done.
    """
    while state.step2 < s.FACTIONS:
        seat = np.int64(state.step2)
        state.step2 += 1
        if state.reserve_given < knobs.reserve_figures and givable(state, cards, seat, False) > 0:
            b.ask(state, seat, s.D_RESERVE)
            return False
    while state.reserve_given < knobs.reserve_figures:
        f = drafted(state, cards)
        if f < 0:
            break
        to_reserve(state, knobs, cards, f)
    state.reserve_called = 0
    state.step2 = 0
    return True


@kernel
def offer_reserve(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-D39."""
    left = np.int64(knobs.reserve_figures) - np.int64(state.reserve_given)
    for n in range(min(left, givable(state, cards, np.int64(state.seat), False)) + 1):
        offer(state, n)


@kernel
def give_reserve(state: State, knobs: Knobs, cards: Cards, n: int) -> None:
    seat = np.int64(state.seat)
    for _ in range(n):
        to_reserve(state, knobs, cards, nearest_given(state, cards, seat, np.int64(cards.court[0])))


@kernel
def drafted(state: State, cards: Cards) -> int:
    """LW-CMD-11: a uniform pick among all figures that could be given."""
    n = np.int64(0)
    for f in range(s.ROSTER):
        n += np.int64(may_be_given(state, cards, np.int64(f)))
    if n == 0:
        return s.NOBODY
    skip = b.pick(state, s.LOSS_STREAM, n)
    for f in range(s.ROSTER):
        if may_be_given(state, cards, np.int64(f)):
            if skip == 0:
                return np.int64(f)
            skip -= 1
    return s.NOBODY


@kernel
def to_reserve(state: State, knobs: Knobs, cards: Cards, f: int) -> None:
    """LW-CMD-11, LW-CMD-12: moves a figure to the inner courtyard, under the Elves' command."""
    count_rule(state, rule.LW_CMD_11)
    state.reserve_given += 1
    to_court(state, knobs, cards, f)
    b.set_mark(state, f, s.RESERVE)
    state.ctrl[f] = s.EL


# --- Cannons --------------------------------------------------------------------


@kernel
def count_paid(state: State) -> None:
    """LW-CMD-14: once all its cards are handed in, a cannon waits for its crew."""
    if np.int64(state.cannon[0]) == s.CALLED and state.due[s.DUE_CANNON_1A] == 0 and state.due[s.DUE_CANNON_1P] == 0:
        state.cannon[0] = s.PAID
    if np.int64(state.cannon[1]) == s.CALLED and state.due[s.DUE_CANNON_2A] == 0 and state.due[s.DUE_CANNON_2P] == 0:
        state.cannon[1] = s.PAID


@kernel
def manning(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-14: step = cannon, step2 = faction; asks for crew, then places the cannon; returns whether both are
    done."""
    while state.step < s.CANNONS:
        gun = np.int64(state.step)
        if np.int64(state.cannon[gun]) == s.PAID:
            if state.step2 == 0:
                state.crew_given = 0
                for seat in range(s.FACTIONS):
                    state.crew_offer[seat] = 0
            while state.step2 < s.FACTIONS:
                seat = np.int64(state.step2)
                state.step2 += 1
                if state.crew_given < s.CREW_SIZE and givable(state, cards, seat, True) > 0:
                    b.ask(state, seat, s.D_CREW)
                    return False
            if state.crew_given == s.CREW_SIZE:
                man(state, cards, gun)
        if np.int64(state.cannon[gun]) == s.MANNED:
            place_cannon(state, knobs, cards, gun)
        state.step += 1
        state.step2 = 0
    return True


@kernel
def offer_crew(state: State, cards: Cards) -> None:
    """LW-D40."""
    left = np.int64(s.CREW_SIZE) - np.int64(state.crew_given)
    for n in range(min(left, givable(state, cards, np.int64(state.seat), True)) + 1):
        offer(state, n)


@kernel
def offer_men(state: State, n: int) -> None:
    state.crew_offer[state.seat] = n
    state.crew_given += n


@kernel
def man(state: State, cards: Cards, gun: int) -> None:
    """LW-CMD-14: the nearest foot figures of the factions that offered leave the map as crew."""
    count_rule(state, rule.LW_CMD_14)
    at = np.int64(0)
    for seat in range(s.FACTIONS):
        for _ in range(state.crew_offer[seat]):
            f = nearest_given(state, cards, np.int64(seat), np.int64(cards.main[s.A]))
            b.leave_map(state, cards, f, s.CREW)
            state.crew[gun, at] = f
            at += 1
    state.cannon[gun] = s.MANNED


@kernel
def place_cannon(state: State, knobs: Knobs, cards: Cards, gun: int) -> None:
    """LW-CMD-14: places a cannon in A1, else in the first hex of A with room, else in the Captain's hex; not while
    intruders are in A.
    """
    if b.intruders_in(state, cards, s.A):
        return
    f = s.FIRST_CANNON + gun
    h = s.OFF
    for at in range(cards.place_len[s.A]):
        if b.has_room(state, knobs, cards, f, np.int64(cards.place[s.A, at])):
            h = np.int64(cards.place[s.A, at])
            break
    if h < 0 and state.hex[s.CAPTAIN] >= 0 and b.has_room(state, knobs, cards, f, np.int64(state.hex[s.CAPTAIN])):
        h = np.int64(state.hex[s.CAPTAIN])
    if h < 0:
        return
    state.status[f] = s.IN_PLAY
    state.wounds[f] = cards.wounds[state.kind[f]]
    state.ctrl[f] = s.CG
    b.put(state, cards, f, h)
    state.cannon[gun] = s.PLACED
