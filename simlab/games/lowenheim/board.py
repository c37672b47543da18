"""Lowenheim's board: dice, figures on hexes, their values and abilities, and where figures go that leave the map."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import below, count_rule, one_of
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s

SIX = np.int64(6)


# --- Dice and questions ---------------------------------------------------------


@small_kernel
def d6(state: State, stream: int) -> int:
    """LW-TRN-07: one die, 1..6."""
    return below(state, stream, SIX) + 1


@kernel
def pick(state: State, stream: int, n: int) -> int:
    """LW-TRN-07: a uniform pick among n options; with one option nothing is drawn."""
    count_rule(state, rule.LW_TRN_07)
    if n <= 1:
        return np.int64(0)
    return one_of(state, stream, n)


@small_kernel
def ask(state: State, seat: int, decision: int) -> None:
    """Asks a faction for a decision."""
    state.seat = seat
    state.decision = decision


@small_kernel
def use_item(state: State, item: int, seat: int) -> None:
    state.item_use[item] = np.int64(state.item_use[item]) | (np.int64(1) << np.int64(seat))


@small_kernel
def add(state: State, counter: int, seat: int) -> None:
    state.count[counter + seat] += 1


# --- Who is who -----------------------------------------------------------------


@small_kernel
def is_ours(state: State, f: int) -> bool:
    """Whether a figure is on the defenders' side, as controlled intruders are (LW-CMB-17)."""
    return np.int64(state.ctrl[f]) != s.SKAVEN_SIDE


@small_kernel
def faction_of(cards: Cards, f: int) -> int:
    """LW-MOV-07: the faction that owns a defender, even if another faction commands it."""
    if f < s.FIRST_INTRUDER:
        return np.int64(cards.owner[f])
    return np.int64(s.WZ)


@small_kernel
def is_controlled(state: State, cards: Cards, f: int) -> bool:
    """LW-WIZ-11: whether a figure is under Mind Control."""
    return np.int64(state.ctrl[f]) == s.WZ and np.int64(cards.owner[f]) != s.WZ


@small_kernel
def marked(state: State, f: int, mark: int) -> bool:
    return np.int64(state.marks[f]) & mark != 0


@small_kernel
def set_mark(state: State, f: int, mark: int) -> None:
    state.marks[f] = np.int64(state.marks[f]) | mark


@small_kernel
def clear_mark(state: State, f: int, mark: int) -> None:
    state.marks[f] = np.int64(state.marks[f]) & ~mark


@small_kernel
def on_map(state: State, f: int) -> bool:
    return np.int64(state.hex[f]) >= 0


@kernel
def able(state: State, f: int) -> bool:
    """Whether a figure is on the map and not stunned, busy, conferring, done or in an inactive reserve (LW-CMD-09,
    LW-CMD-12)."""
    if state.hex[f] < 0 or state.stun[f] > 0:
        return False
    marks = np.int64(state.marks[f])
    if marks & (s.BUSY | s.DONE | s.CONFERRING):
        return False
    return not (marks & s.RESERVE and not state.reserve_active)


@small_kernel
def rages(state: State, f: int) -> bool:
    """LW-WLF-04: whether a figure rages; Mind Control suspends the rage."""
    return np.int64(state.marks[f]) & s.RAGING != 0 and np.int64(state.ctrl[f]) != s.WZ


@small_kernel
def is_ordinary(cards: Cards, f: int) -> bool:
    """A roster figure that is not a character."""
    return f < s.ROSTER and np.int64(cards.character[f]) < 0


@kernel
def commander_hex(state: State, cards: Cards, seat: int) -> int:
    """LW-CMB-02: the hex where a faction may fight free of charge; OFF for none."""
    f = np.int64(cards.commander[seat])
    if state.hex[f] < 0 or np.int64(state.ctrl[f]) != seat or rages(state, f):
        return s.OFF
    return np.int64(state.hex[f])


# --- Stat lines (LW-TMP-04: no loss takes a value below 1) ----------------------


@kernel
def move_of(state: State, knobs: Knobs, cards: Cards, f: int) -> int:
    """LW-MOV-01: hexes that a figure may move, including Fast Food."""
    value = np.int64(cards.move[state.kind[f]])
    if f == s.ALAVANDREL and value < knobs.alavandrel_move:
        value = np.int64(knobs.alavandrel_move)
    character = np.int64(cards.character[f])
    if character >= 0:
        value = max(np.int64(1), value - np.int64(state.loss[character, s.LOSS_MOVE]))
    return value + np.int64(state.more_move[f])


@kernel
def fight_of(state: State, knobs: Knobs, cards: Cards, f: int) -> int:
    kind = np.int64(state.kind[f])
    value = np.int64(cards.fight[kind])
    character = np.int64(cards.character[f])
    if character >= 0:
        value = max(np.int64(1), value - np.int64(state.loss[character, s.LOSS_FIGHT]))
    elif kind == s.K_SKAVEN or kind == s.K_OGRE:
        value += np.int64(knobs.skaven_fight_mod)
    return value + np.int64(state.more_fight[f])


@kernel
def strength_of(state: State, knobs: Knobs, cards: Cards, f: int) -> int:
    kind = np.int64(state.kind[f])
    value = np.int64(cards.strength[kind])
    character = np.int64(cards.character[f])
    if character >= 0:
        value = max(np.int64(1), value - np.int64(state.loss[character, s.LOSS_STRENGTH]))
    elif kind == s.K_SKAVEN or kind == s.K_OGRE:
        value += np.int64(knobs.skaven_str_mod)
    return value


@kernel
def toughness_of(state: State, cards: Cards, f: int) -> int:
    value = np.int64(cards.tough[state.kind[f]])
    character = np.int64(cards.character[f])
    if character >= 0:
        value = max(np.int64(1), value - np.int64(state.loss[character, s.LOSS_TOUGHNESS]))
    return value


# --- On and off the hexes -------------------------------------------------------


@kernel
def put(state: State, cards: Cards, f: int, h: int) -> None:
    """Places a figure that is off the map; a hex keeps its figures in ascending order. Tokens go with their bearers."""
    state.hex[f] = h
    count_in(state, cards, f, h, np.int64(1))
    before = np.int64(-1)
    at = np.int64(state.head[h])
    while 0 <= at < f:
        before = at
        at = np.int64(state.next[at])
    state.next[f] = at
    if before < 0:
        state.head[h] = f
    else:
        state.next[before] = f
    if f == s.ALAVANDREL:
        if state.queen_escorted:
            state.queen = h
    elif f == s.SIGIS and state.brunhilde_with:
        state.brunhilde = h


@kernel
def take(state: State, cards: Cards, f: int) -> None:
    """Lifts a figure off its hex."""
    h = np.int64(state.hex[f])
    count_in(state, cards, f, h, np.int64(-1))
    at = np.int64(state.head[h])
    if at == f:
        state.head[h] = state.next[f]
    else:
        while np.int64(state.next[at]) != f:
            at = np.int64(state.next[at])
        state.next[at] = state.next[f]
    state.hex[f] = s.OFF


@kernel
def count_in(state: State, cards: Cards, f: int, h: int, sign: int) -> None:
    """Adds a figure to the sizes and heads of a hex and of the map, or subtracts it."""
    size = sign * np.int64(cards.bulk[state.kind[f]])
    if is_ours(state, f):
        state.ours[h] += size
        state.our_heads[h] += sign
        state.our_size += size
    else:
        state.theirs[h] += size
        state.their_heads[h] += sign
        state.their_size += size
        state.their_number += sign


@small_kernel
def bring(state: State, cards: Cards, f: int, h: int) -> None:
    """Moves a figure from one hex to another, in one go."""
    take(state, cards, f)
    put(state, cards, f, h)


@kernel
def has_room(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> bool:
    """LW-MOV-04."""
    size = np.int64(cards.bulk[state.kind[f]])
    there = np.int64(state.ours[h]) if is_ours(state, f) else np.int64(state.theirs[h])
    return there + size <= knobs.stack_limit


@small_kernel
def is_down(state: State, cards: Cards, h: int) -> bool:
    """Whether a hex is a broken bridge."""
    up = np.int64(state.config)
    return (h == cards.bridge[0] and up & 1 == 0) or (h == cards.bridge[1] and up & 2 == 0)


@small_kernel
def in_reach(state: State, cards: Cards, h: int, way: int) -> bool:
    """LW-CMB-04: whether close combat is possible across a side: open, gate or barricaded, and no water wall."""
    side = np.int64(cards.side[state.config, h, way])
    return (side == s.OPEN or side == s.GATE) and (np.int64(state.wet[h]) >> way) & 1 == 0


@kernel
def leave_map(state: State, cards: Cards, f: int, status: int) -> None:
    """A figure leaves the map: control, reserve, conference and wolf form end; the tokens stay (LW-QUE-01, 03)."""
    if state.hex[f] >= 0:
        take(state, cards, f)
    state.status[f] = status
    state.stun[f] = 0
    state.marks[f] = 0
    state.more_move[f] = 0
    state.more_fight[f] = 0
    for slot in range(s.CONTROLLED_MOST):
        if np.int64(state.controlled[slot]) == f:
            count_rule(state, rule.LW_WIZ_13)
            free_slot(state, slot)
            break
    state.ctrl[f] = cards.owner[f]
    if f == s.ALAVANDREL:
        state.queen_escorted = 0
    elif f == s.SIGIS:
        state.brunhilde_with = 0
    elif f == s.JEAN_JACQUES:
        state.wolf_until = 0
        state.kind[f] = cards.kind[f]
    if status == s.DEAD or status == s.LOST:
        lose_for_good(state, f)


@kernel
def free_slot(state: State, slot: int) -> None:
    """LW-WIZ-10: frees a slot; the other controlled figures stay at the front, in ascending order."""
    for at in range(slot, s.CONTROLLED_MOST - 1):
        state.controlled[at] = state.controlled[at + 1]
        state.breaks[at] = state.breaks[at + 1]
    state.controlled[s.CONTROLLED_MOST - 1] = -1
    state.breaks[s.CONTROLLED_MOST - 1] = 0


@kernel
def lose_for_good(state: State, f: int) -> None:
    """LW-WIZ-18: the Box is lost with its bearer. LW-LED-01: a dead leader is replaced."""
    if s.SEVERUS <= f < s.SEVERUS + s.WIZARDS and np.int64(state.box_at) == f - s.SEVERUS + 1:
        state.box_at = s.NO_BOX
        state.artefact_lost[s.BOX] = 1
    replace_leader(state)


@small_kernel
def is_gone(state: State, f: int) -> bool:
    """Lost, dead, escaped, or not in this game at all."""
    status = np.int64(state.status[f])
    return s.LOST <= status <= s.UNUSED


@kernel
def replace_leader(state: State) -> None:
    """LW-LED-01: a dead or escaped commander cannot lead while the other lives; with both gone CG leads."""
    captain_gone = is_gone(state, np.int64(0))
    sigis_gone = is_gone(state, s.SIGIS)
    leader = np.int64(state.leader)
    if leader == s.CG and captain_gone and not sigis_gone:
        leader = np.int64(s.PG)
    elif leader == s.PG and sigis_gone:
        leader = np.int64(s.CG)
    if leader != np.int64(state.leader):
        count_rule(state, rule.LW_LED_01)
        state.leader = leader
        state.count[s.N_LEADER_CHANGES] += 1


# --- Wounds ---------------------------------------------------------------------


@kernel
def box_covers(state: State, cards: Cards, f: int) -> bool:
    """LW-WIZ-18: whether the Box, in use this turn, saves this defender."""
    if not state.box_used or not is_ours(state, f):
        return False
    bearer = s.SEVERUS + np.int64(state.box_at) - 1
    if np.int64(state.box_at) == s.IN_TOWER or np.int64(state.box_at) == s.NO_BOX or state.hex[bearer] < 0:
        return False
    return np.int64(cards.flight[state.hex[bearer], state.hex[f]]) <= 1


@kernel
def suffer(state: State, cards: Cards, f: int, stream: int, seat: int) -> bool:
    """One wound, which the Box may save; returns whether it was suffered.

    Args:
        seat: faction that made the attack, -1 for none.
    """
    if box_covers(state, cards, f):
        count_rule(state, rule.LW_WIZ_18)
        if d6(state, stream) >= 5:
            state.count[s.N_SAVES] += 1
            return False
    state.wounds[f] -= 1
    if s.FIRST_CANNON <= f < s.DEFENDERS:
        lose_crew(state, cards, f)
    elif state.wounds[f] <= 0:
        go_down(state, cards, f, seat)
    return True


@kernel
def lose_crew(state: State, cards: Cards, f: int) -> None:
    """LW-CMD-15: each wound of a cannon sends one of its crew to the Temple; the second wound removes the gun."""
    count_rule(state, rule.LW_CMD_15)
    gun = f - s.FIRST_CANNON
    lowest = np.int64(-1)
    for at in range(s.CREW_SIZE):
        man = np.int64(state.crew[gun, at])
        if man >= 0 and (lowest < 0 or man < np.int64(state.crew[gun, lowest])):
            lowest = np.int64(at)
    if lowest >= 0:
        man = np.int64(state.crew[gun, lowest])
        state.status[man] = s.TEMPLE
        state.crew[gun, lowest] = -1
        add(state, s.N_TEMPLE, np.int64(cards.owner[man]))
    if state.wounds[f] <= 0:
        leave_map(state, cards, f, s.OUT)
        state.cannon[gun] = s.GONE


@kernel
def go_down(state: State, cards: Cards, f: int, seat: int) -> None:
    """LW-CMB-10: at 0 wounds, roster figures go to the Temple and others are out."""
    count_rule(state, rule.LW_CMB_10)
    h = np.int64(state.hex[f])
    if f < s.ROSTER:
        add(state, s.N_TEMPLE, np.int64(cards.owner[f]))
        place = np.int64(cards.place_of[h])
        state.losses_in[place if place >= 0 else np.int64(s.PLACES)] += 1
        state.fallen_on[h] += 1
        leave_map(state, cards, f, s.TEMPLE)
        return
    if f >= s.FIRST_INTRUDER and not is_ours(state, f) and seat >= 0:
        state.slain_on[h] += 1
        add(state, s.N_KILLS, seat)
        if seat == s.EL and guarded(state, cards, h):
            count_rule(state, rule.LW_SCO_04)
            state.defended += 1
    leave_map(state, cards, f, s.OUT)


@kernel
def guarded(state: State, cards: Cards, h: int) -> bool:
    """LW-SCO-04: whether a roster figure of the City Guard is in the hex or next to it."""
    for f in range(cards.first[s.CG], cards.last[s.CG] + 1):
        if state.hex[f] >= 0 and np.int64(cards.flight[state.hex[f], h]) <= 1:
            return True
    return False


@kernel
def lose_figure(state: State, cards: Cards, f: int) -> None:
    """Removes a figure that finds no room (LW-EVT-05): roster figures go to the Temple, others are out."""
    if f < s.ROSTER:
        add(state, s.N_OTHERWISE, np.int64(cards.owner[f]))
        leave_map(state, cards, f, s.TEMPLE)
    else:
        leave_map(state, cards, f, s.OUT)


# --- Places ---------------------------------------------------------------------


@kernel
def intruders_in(state: State, cards: Cards, place: int) -> bool:
    """Whether an intruder is in a hex of a place; controlled ones do not count."""
    for at in range(cards.place_len[place]):
        if state.their_heads[cards.place[place, at]] > 0:
            return True
    return False


@kernel
def intruders_near(state: State, cards: Cards, place: int) -> bool:
    """Whether an intruder is in a hex of a place or next to one (LW-SCO-03)."""
    for at in range(cards.near_len[place]):
        if state.their_heads[cards.near[place, at]] > 0:
            return True
    return False


@kernel
def overrun(state: State, cards: Cards, place: int) -> bool:
    """LW-END-02: whether the place's hexes hold more intruder size than defender size."""
    theirs = np.int64(0)
    ours = np.int64(0)
    for at in range(cards.place_len[place]):
        theirs += np.int64(state.theirs[cards.place[place, at]])
        ours += np.int64(state.ours[cards.place[place, at]])
    return theirs > ours


@kernel
def well_works(state: State, cards: Cards) -> bool:
    """LW-CRD-06: whether the well works: no intruder is in any hex of the Barracks."""
    return not intruders_in(state, cards, np.int64(0))


@small_kernel
def permits(state: State, knobs: Knobs, owner: int, mover: int) -> bool:
    """LW-SET-06: whether a faction lets another pass through its troops."""
    if owner == mover or knobs.permission_mode == 1:
        return True
    if knobs.permission_mode == 2:
        return False
    return (np.int64(state.masks[owner]) >> mover) & 1 == 1


@kernel
def roster_on_map(state: State, cards: Cards, seat: int) -> int:
    """Roster figures of a faction on the map."""
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if state.hex[f] >= 0:
            n += 1
    return n
