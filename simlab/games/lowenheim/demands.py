"""Step 9e: demands, repairs, the mobile reserve, cannon crews, the demon's upkeep (LW-CMD)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim.board import (
    ask,
    has_room,
    intruders_in,
    is_controlled,
    is_ordinary,
    leave_map,
    marked,
    pick,
    put,
    set_mark,
)
from simlab.games.lowenheim.cards import blanks_for, drop, pay_with_blanks
from simlab.games.lowenheim.events import random_mine, remove_random, to_court
from simlab.games.lowenheim.state import (
    CALLED,
    CANNONS,
    CAPTAIN,
    CG,
    CONFERRING,
    CREW,
    CREW_SIZE,
    D_CREW,
    D_HAND_IN,
    D_RESERVE,
    DEMAND_TYPE,
    DEMON,
    DUE_CANNON_1A,
    DUE_CANNON_1P,
    DUE_CANNON_2A,
    DUE_CANNON_2P,
    DUE_DEMON,
    DUE_FOOD,
    DUE_J,
    DUE_K,
    DUE_MINE,
    DUE_RESERVE,
    DUE_WATER,
    DUE_WELLS,
    EL,
    FACTIONS,
    FAR,
    FIRST_CANNON,
    FOOD,
    FOOT,
    IN_PLAY,
    LOSS_STREAM,
    MANNED,
    N_DEMON_TURNS,
    N_HANDED,
    N_MET,
    N_MISSED,
    N_RESERVE_TURN,
    NOBODY,
    OFF,
    OUT,
    PAID,
    PLACED,
    RESERVE,
    ROSTER,
    WATER,
    A,
)

MOST_AT_ONCE = 6  # LW-D38


# --- Demands --------------------------------------------------------------------


@kernel
def demanding(state: State, knobs: Knobs, cards: Cards, last: int) -> bool:
    """LW-CMD-02: at = demand, step = faction; asks the next one, and settles each demand when all six have been asked.

    Returns whether all demands before `last` are settled.
    """
    while state.at < last:
        demand = np.int64(state.at)
        if demand == DUE_DEMON and state.step == 0:
            demand_upkeep(state)
        if state.due[demand] == 0 and state.step == 0:
            state.at += 1
            continue
        while state.step < FACTIONS and state.due[demand] > 0:
            seat = np.int64(state.step)
            state.step += 1
            if most_handed_in(state, cards, seat, demand) > 0:
                ask(state, seat, D_HAND_IN)
                return False
        count_rule(state, rule.LW_CMD_02)
        settle(state, knobs, cards, demand)
        state.at += 1
        state.step = 0
    return True


@kernel
def most_handed_in(state: State, cards: Cards, seat: int, demand: int) -> int:
    kind = np.int64(DEMAND_TYPE[demand])
    held = np.int64(state.hand[seat, kind])
    if kind == FOOD or kind == WATER:
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
    """LW-CMD-02: spent even if the demand is not met; the reserve's cards are kept apart (LW-CMD-13)."""
    seat = np.int64(state.seat)
    demand = np.int64(state.at)
    kind = np.int64(DEMAND_TYPE[demand])
    state.due[demand] -= n
    state.count[N_HANDED + seat] += n
    if demand == DUE_RESERVE:
        for _ in range(n):
            count_rule(state, rule.LW_CMD_13)
            drop(state, seat, kind)
            state.reserve_pool += 1
        return
    pay_with_blanks(state, seat, kind, n)


@kernel
def settle(state: State, knobs: Knobs, cards: Cards, demand: int) -> None:
    """What comes of a demand when all have been asked."""
    short = np.int64(state.due[demand])
    state.count[N_MET if short == 0 else N_MISSED] += 1
    if demand == DUE_J or demand == DUE_K:
        if short == 0:
            state.config = np.int64(state.config) | (1 if demand == DUE_J else 2)
    elif demand == DUE_MINE:
        if short > 0 and state.turn >= state.mine_deadline:
            count_rule(state, rule.LW_CMD_03)
            random_mine(state, cards)
            state.due[DUE_MINE] = 0
    elif demand == DUE_WELLS or demand == DUE_WATER or demand == DUE_FOOD:
        if demand == DUE_WELLS:
            count_rule(state, rule.LW_CMD_04)
        elif demand == DUE_WATER:
            count_rule(state, rule.LW_CMD_05)
        else:
            count_rule(state, rule.LW_CMD_06)
        characters = demand == DUE_FOOD and knobs.food_command_hits_characters == 1
        for _ in range(short):
            remove_random(state, cards, characters)
        state.due[demand] = 0
    elif demand == DUE_RESERVE:
        if short == 0:
            count_rule(state, rule.LW_CMD_12)
            state.reserve_active = 1
            state.count[N_RESERVE_TURN] = state.turn
    elif demand == DUE_DEMON:
        count_rule(state, rule.LW_WIZ_20)
        if short > 0:
            leave_map(state, cards, DEMON, OUT)
        state.due[DUE_DEMON] = 0


@kernel
def demand_upkeep(state: State) -> None:
    """LW-WIZ-20: one more card each turn."""
    if state.hex[DEMON] >= 0:
        state.demon_turns += 1
        state.due[DUE_DEMON] = state.demon_turns
        state.count[N_DEMON_TURNS] += 1


# --- The mobile reserve ---------------------------------------------------------


@kernel
def may_be_given(state: State, cards: Cards, f: int) -> bool:
    """LW-CMD-11, LW-CMD-14: ordinary figures on the map, not conferring, controlled or in the reserve."""
    if state.hex[f] < 0 or not is_ordinary(cards, f):
        return False
    return not (marked(state, f, CONFERRING | RESERVE) or is_controlled(state, cards, f))


@kernel
def givable(state: State, cards: Cards, seat: int, foot_only: bool) -> int:
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if may_be_given(state, cards, np.int64(f)) and not (foot_only and np.int64(cards.cls[f]) != FOOT):
            n += 1
    return n


@kernel
def nearest_given(state: State, cards: Cards, seat: int, goal: int) -> int:
    """Foot before mounted, the nearest to a hex first, ties lowest id; -1 for none."""
    best = NOBODY
    least = np.int64(0)
    for at in range(cards.first[seat], cards.last[seat] + 1):
        f = np.int64(at)
        if not may_be_given(state, cards, f):
            continue
        key = np.int64(cards.path[state.config, state.hex[f], goal])
        if np.int64(cards.cls[f]) != FOOT:
            key += FAR + 1
        if best < 0 or key < least:
            best = f
            least = key
    return best


@kernel
def calling_reserve(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-11: step2 = faction; asks the next one, then drafts who is missing; returns whether it is done."""
    while state.step2 < FACTIONS:
        seat = np.int64(state.step2)
        state.step2 += 1
        if state.reserve_given < knobs.reserve_figures and givable(state, cards, seat, False) > 0:
            ask(state, seat, D_RESERVE)
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
    """LW-CMD-11: a uniform pick among all that could be given."""
    n = np.int64(0)
    for f in range(ROSTER):
        n += np.int64(may_be_given(state, cards, np.int64(f)))
    if n == 0:
        return NOBODY
    skip = pick(state, LOSS_STREAM, n)
    for f in range(ROSTER):
        if may_be_given(state, cards, np.int64(f)):
            if skip == 0:
                return np.int64(f)
            skip -= 1
    return NOBODY


@kernel
def to_reserve(state: State, knobs: Knobs, cards: Cards, f: int) -> None:
    """LW-CMD-11, LW-CMD-12: moved to the inner courtyard, under the Elves."""
    count_rule(state, rule.LW_CMD_11)
    state.reserve_given += 1
    to_court(state, knobs, cards, f)
    set_mark(state, f, RESERVE)
    state.ctrl[f] = EL


# --- Cannons --------------------------------------------------------------------


@kernel
def count_paid(state: State) -> None:
    """LW-CMD-14: a cannon whose cards are all in waits for its crew."""
    if np.int64(state.cannon[0]) == CALLED and state.due[DUE_CANNON_1A] == 0 and state.due[DUE_CANNON_1P] == 0:
        state.cannon[0] = PAID
    if np.int64(state.cannon[1]) == CALLED and state.due[DUE_CANNON_2A] == 0 and state.due[DUE_CANNON_2P] == 0:
        state.cannon[1] = PAID


@kernel
def manning(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-14: step = cannon, step2 = faction; asks for crew, then places; returns whether both are done."""
    while state.step < CANNONS:
        gun = np.int64(state.step)
        if np.int64(state.cannon[gun]) == PAID:
            if state.step2 == 0:
                state.crew_given = 0
                for seat in range(FACTIONS):
                    state.crew_offer[seat] = 0
            while state.step2 < FACTIONS:
                seat = np.int64(state.step2)
                state.step2 += 1
                if state.crew_given < CREW_SIZE and givable(state, cards, seat, True) > 0:
                    ask(state, seat, D_CREW)
                    return False
            if state.crew_given == CREW_SIZE:
                man(state, cards, gun)
        if np.int64(state.cannon[gun]) == MANNED:
            place_cannon(state, knobs, cards, gun)
        state.step += 1
        state.step2 = 0
    return True


@kernel
def offer_crew(state: State, cards: Cards) -> None:
    """LW-D40."""
    left = np.int64(CREW_SIZE) - np.int64(state.crew_given)
    for n in range(min(left, givable(state, cards, np.int64(state.seat), True)) + 1):
        offer(state, n)


@kernel
def offer_men(state: State, n: int) -> None:
    state.crew_offer[state.seat] = n
    state.crew_given += n


@kernel
def man(state: State, cards: Cards, gun: int) -> None:
    """LW-CMD-14: the nearest foot figures of those who offered leave the map as crew."""
    count_rule(state, rule.LW_CMD_14)
    at = np.int64(0)
    for seat in range(FACTIONS):
        for _ in range(state.crew_offer[seat]):
            f = nearest_given(state, cards, np.int64(seat), np.int64(cards.main[A]))
            leave_map(state, cards, f, CREW)
            state.crew[gun, at] = f
            at += 1
    state.cannon[gun] = MANNED


@kernel
def place_cannon(state: State, knobs: Knobs, cards: Cards, gun: int) -> None:
    """LW-CMD-14: A1, else the first hex of A with room, else the Captain's; not while intruders stand in A."""
    if intruders_in(state, cards, A):
        return
    f = FIRST_CANNON + gun
    h = OFF
    for at in range(cards.place_len[A]):
        if has_room(state, knobs, cards, f, np.int64(cards.place[A, at])):
            h = np.int64(cards.place[A, at])
            break
    if h < 0 and state.hex[CAPTAIN] >= 0 and has_room(state, knobs, cards, f, np.int64(state.hex[CAPTAIN])):
        h = np.int64(state.hex[CAPTAIN])
    if h < 0:
        return
    state.status[f] = IN_PLAY
    state.wounds[f] = cards.wounds[state.kind[f]]
    state.ctrl[f] = CG
    put(state, cards, f, h)
    state.cannon[gun] = PLACED
