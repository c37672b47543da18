"""Movement: the march hex by hex, flight, the tests on the way (LW-MOV-03 to LW-MOV-10)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s


@kernel
def march(state: State, knobs: Knobs, cards: Cards, f: int, target: int, allowance: int) -> int:
    """LW-MOV-03: a figure moves towards a hex as far as it can; returns its unspent movement."""
    count_rule(state, rule.LW_MOV_03)
    stream = s.MARCH_STREAM if b.is_ours(state, f) else s.INTRUDER_MARCH_STREAM
    left = allowance
    before = np.int64(state.hex[f])
    through = False  # is passing through a full hex
    while left > 0 and np.int64(state.hex[f]) != target:
        here = np.int64(state.hex[f])
        way = next_way(state, knobs, cards, f, here, target, left, left == allowance, through)
        if way < 0:
            break
        if left < allowance and b.is_ours(state, f) and not may_pass(state, knobs, cards, f, here):
            left = np.int64(0)
            break
        if not breaks_free(state, knobs, f, here, stream):
            left = np.int64(0)
            break
        there = np.int64(cards.beside[here, way])
        barrier = is_barrier(state, knobs, cards, f, here, way)
        if (np.int64(state.barricade[here]) >> way) & 1:
            count_rule(state, rule.LW_BAR_05)
        elif not barrier and np.int64(cards.side[state.config, here, way]) == s.GATE:
            count_rule(state, rule.LW_MOV_09)
        if barrier and not jumps(state, cards, f, stream):
            left = np.int64(0)
            break
        through = not b.has_room(state, knobs, cards, f, there)
        b.bring(state, cards, f, there)
        before = here
        left = np.int64(0) if barrier else left - 1
        if stops(state, knobs, f, there):
            count_rule(state, rule.LW_MOV_05)
            left = np.int64(0)
    if through:
        b.bring(state, cards, f, before)
    return left


@kernel
def next_way(
    state: State, knobs: Knobs, cards: Cards, f: int, here: int, target: int, left: int, unspent: bool, through: bool
) -> int:
    """LW-MOV-03 (a) to (d): the direction of the next step, -1 for none."""
    nearer = np.int64(cards.path[state.config, here, target]) - 1
    if nearer + 1 >= s.FAR:
        return np.int64(-1)
    for barriers in range(2):
        if barriers == 1 and not unspent:
            break
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[here, way])
            if there < 0 or np.int64(cards.path[state.config, there, target]) != nearer:
                continue
            if not is_way(state, cards, here, way) or is_barrier(state, knobs, cards, f, here, way) != (barriers == 1):
                continue
            if barriers == 1 and np.int64(state.kind[f]) == s.K_CANNON:
                continue
            if b.has_room(state, knobs, cards, f, there):
                return np.int64(way)
            count_rule(state, rule.LW_MOV_04)
            if barriers == 1 or through or left < 2 or there == target or enemies(state, f, there) > 0:
                continue
            if leads_on(state, knobs, cards, f, there, target):
                return np.int64(way)
    return np.int64(-1)


@kernel
def leads_on(state: State, knobs: Knobs, cards: Cards, f: int, here: int, target: int) -> bool:
    """Whether a full hex can be crossed: behind one of its plain sides, a hex nearer to the target has room."""
    nearer = np.int64(cards.path[state.config, here, target]) - 1
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.beside[here, way])
        if there < 0 or np.int64(cards.path[state.config, there, target]) != nearer:
            continue
        plain = is_way(state, cards, here, way) and not is_barrier(state, knobs, cards, f, here, way)
        if plain and b.has_room(state, knobs, cards, f, there):
            return True
    return False


@small_kernel
def is_way(state: State, cards: Cards, h: int, way: int) -> bool:
    """LW-MOV-09: whether a side is open or a gate, and no water wall closes it."""
    side = np.int64(cards.side[state.config, h, way])
    return (side == s.OPEN or side == s.GATE) and (np.int64(state.wet[h]) >> way) & 1 == 0


@kernel
def is_barrier(state: State, knobs: Knobs, cards: Cards, f: int, h: int, way: int) -> bool:
    """LW-BAR-05, LW-ENM-08: whether a side has a barricade or, for intruders, an intact gate."""
    if (np.int64(state.barricade[h]) >> way) & 1:
        return True
    gate = np.int64(cards.side[state.config, h, way]) == s.GATE
    return gate and knobs.gate_mode == 0 and not b.is_ours(state, f)


@small_kernel
def enemies(state: State, f: int, h: int) -> int:
    """Number of enemy figures in a hex."""
    return np.int64(state.their_heads[h]) if b.is_ours(state, f) else np.int64(state.our_heads[h])


@kernel
def outnumbers(state: State, knobs: Knobs, f: int, h: int) -> bool:
    """Whether a figure's side, itself included, is at least twice the enemies in its hex (LW-MOV-05, LW-MOV-06)."""
    if knobs.outnumber_by == 0:
        ours, theirs = np.int64(state.ours[h]), np.int64(state.theirs[h])
    else:
        ours, theirs = np.int64(state.our_heads[h]), np.int64(state.their_heads[h])
    if b.is_ours(state, f):
        return ours >= 2 * theirs
    return theirs >= 2 * ours


@small_kernel
def stops(state: State, knobs: Knobs, f: int, h: int) -> bool:
    """LW-MOV-05: a figure that enters a hex with enemies stops, unless they are outnumbered 2:1."""
    return enemies(state, f, h) > 0 and not outnumbers(state, knobs, f, h)


@kernel
def breaks_free(state: State, knobs: Knobs, f: int, h: int, stream: int) -> bool:
    """LW-MOV-06: whether a figure can leave a hex that holds enemies."""
    if enemies(state, f, h) == 0:
        return True
    count_rule(state, rule.LW_MOV_06)
    return outnumbers(state, knobs, f, h) or b.d6(state, stream) <= knobs.break_free_max


@kernel
def may_pass(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> bool:
    """LW-MOV-07: whether a figure may continue through other factions' troops in a hex that it entered this turn."""
    mover = b.faction_of(cards, f)
    others = False
    blocking = np.int64(0)
    at = np.int64(state.head[h])
    while at >= 0:
        if at != f and b.is_ours(state, at):
            owner = b.faction_of(cards, at)
            if owner != mover:
                others = True
                if not b.permits(state, knobs, owner, mover):
                    blocking += np.int64(cards.bulk[state.kind[at]])
        at = np.int64(state.next[at])
    if others:
        count_rule(state, rule.LW_MOV_07)
    return blocking == 0 or b.d6(state, s.MARCH_STREAM) >= blocking


@kernel
def jumps(state: State, cards: Cards, f: int, stream: int) -> bool:
    """LW-MOV-08: infantry crosses a barricade, cavalry only on a roll of 1 to 3; the attempt costs the whole
    movement.
    """
    count_rule(state, rule.LW_MOV_08)
    if np.int64(cards.bulk[state.kind[f]]) == 2 and b.d6(state, stream) > 3:
        return False
    state.count[s.N_CROSSED] += 1
    return True


@small_kernel
def is_flyer(knobs: Knobs, f: int) -> bool:
    """LW-MOV-10: bees and the demon fly; so does the Air Spirit under a switch (LW-AIR-02)."""
    return s.DEMON <= f < s.FIRST_ENT or (f == s.AIR_SPIRIT and knobs.air_spirit_flies)


@kernel
def fly(state: State, knobs: Knobs, cards: Cards, f: int, target: int, allowance: int) -> None:
    """LW-MOV-10: flies to the hex within its Move that has room and is nearest to the target, by hex distance."""
    count_rule(state, rule.LW_MOV_10)
    here = np.int64(state.hex[f])
    best = here
    nearest = np.int64(cards.flight[here, target])
    for h in range(cards.n_hexes):
        if np.int64(cards.flight[here, h]) > allowance or np.int64(cards.flight[h, target]) >= nearest:
            continue
        if not b.is_down(state, cards, h) and b.has_room(state, knobs, cards, f, h):
            best = np.int64(h)
            nearest = np.int64(cards.flight[h, target])
    if best != here and breaks_free(state, knobs, f, here, s.MARCH_STREAM):
        b.bring(state, cards, f, best)
