"""Montségur's events: carries out a card's program, op by op, up to the next decision that one asks (MS-EVT)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import rule
from simlab.games.montsegur.actions import (
    begin_attack,
    begin_redeploy,
    boost,
    reinforce,
)
from simlab.games.montsegur.board import (
    ask,
    centre,
    change_faith,
    change_food,
    change_morale,
    controlled,
    enter,
    gain_markers,
    lowest,
    single,
)
from simlab.games.montsegur.deck import (
    EFFECT_MINUS,
    EFFECT_PLUS,
    alteration,
    card_program,
    discard_random,
    draw_command,
    put_away,
)
from simlab.games.montsegur.effects import (
    ALL,
    ASPIRING_AT_LEAST,
    AT_MOST_TREBUCHETS,
    CAPTURED_AT_LEAST,
    CTRL,
    END,
    IF,
    JUMP,
    MONTSEGUR_AT_LEAST,
    OP_A,
    OP_ADV,
    OP_ADV_STEAL,
    OP_ASPIRE,
    OP_ATTACK,
    OP_B,
    OP_BF_KILL,
    OP_BF_RECOVER,
    OP_BOOST,
    OP_BROKEN_LINE,
    OP_C,
    OP_CAPTURE,
    OP_CAT_MORALE,
    OP_CAVES,
    OP_CODE,
    OP_CONVERT,
    OP_CRU_MORALE,
    OP_DISCARD,
    OP_DRAW,
    OP_ESCAPE,
    OP_ESCAPE_MOD,
    OP_EW_PLUS,
    OP_FAITH,
    OP_FOOD,
    OP_GRAIL,
    OP_KIND,
    OP_LEAD,
    OP_MUSTER,
    OP_N,
    OP_NO_ATTACK,
    OP_PATH_LESS,
    OP_READY,
    OP_REDEPLOY,
    OP_REINF,
    OP_REINF_MOD,
    OP_REPENT,
    OP_RESCUE,
    OP_RING,
    OP_ROUT,
    OP_SCOUT,
    OP_SCOUT_LOSS,
    OP_STRIKE,
    OP_TREBUCHET,
    OP_WHO,
    ROLE_BOTH,
    ROLE_CAT,
    ROLE_O,
    ROLE_P,
    TREBUCHETS_AT_LEAST,
)
from simlab.games.montsegur.fate import begin_check
from simlab.games.montsegur.state import (
    CAT,
    CRE,
    CRU,
    D_ESCAPE_OPT,
    D_RING,
    D_STRIKE,
    EDGES,
    EW,
    LOCATIONS,
    MAX_FORCE,
    N_EVENTS,
    N_MORALE_EVENTS,
    N_REPENT_TRIED,
    NEXT_PLAY,
    NO_DECISION,
    NOBODY,
    ONE,
    REPENTANCE,
)


@kernel
def begin_event(state: State, knobs: Knobs, cards: Cards, player: int) -> None:
    """The text of the card in play is resolved for `player`."""
    state.in_event = 1
    state.event_player = player
    state.op_at = card_program(knobs, cards, np.int64(state.card))
    state.count[N_EVENTS + player] += 1
    count_rule(state, rule.MS_EVT_05)
    if cards.switch[state.card]:
        count_rule(state, rule.MS_GEN_06)
    if cards.op[state.op_at, OP_CODE] != END and cards.op[state.op_at + 1, OP_CODE] != END:
        count_rule(state, rule.MS_EVT_07)


@kernel
def run_event(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-EVT-07: op after op, until one asks for a decision, a side surrenders, or the card is done."""
    while state.decision == NO_DECISION and state.surrendered == NOBODY:
        at = np.int64(state.op_at)
        code = np.int64(cards.op[at, OP_CODE])
        if code == END:
            put_away(state, np.int64(state.card), ONE)
            state.in_event = 0
            state.stage = NEXT_PLAY
            return
        state.op_now = at
        state.op_at = at + 1
        if code == JUMP:
            state.op_at = cards.op[at, OP_B]
        elif code == IF:
            if not holds(state, cards, at):
                count_rule(state, rule.MS_EVT_06)
                state.op_at = cards.op[at, OP_B]
        elif code <= OP_TREBUCHET:
            track_op(state, knobs, code, number(state, knobs, cards, np.int64(state.card), at))
        elif code <= OP_BOOST:
            faith_op(state, knobs, cards, code, at)
        elif code <= OP_REDEPLOY:
            soldier_op(state, knobs, cards, code, at)
        elif code <= OP_DISCARD:
            headquarters_op(state, knobs, cards, code, at)
        else:
            lasting_op(state, knobs, cards, code, at)


# --- Reading an op ------------------------------------------------------------------


@small_kernel
def number(state: State, knobs: Knobs, cards: Cards, card: int, at: int) -> int:
    """The number of an op of a card's program; the knob `alteration` may move it by 1."""
    n = np.int64(cards.op[at, OP_N])
    if knobs.altered_card != 0 and n != 0:
        change = alteration(knobs, cards, card)
        sign = 1 if n > 0 else -1
        if change == EFFECT_PLUS:
            n += sign
        elif change == EFFECT_MINUS:
            n -= sign
    if cards.op[at, OP_KIND] == AT_MOST_TREBUCHETS:
        sign = 1 if n > 0 else -1
        n = sign * min(abs(n), np.int64(state.trebuchets))
    return n


@small_kernel
def role_side(player: int, role: int) -> int:
    """MS-EVT-05: the side that an op names."""
    if role == ROLE_P:
        return player
    if role == ROLE_O:
        return 1 - player
    return CAT if role == ROLE_CAT else CRU


@kernel
def holds(state: State, cards: Cards, at: int) -> bool:
    """Whether the condition of an `if` holds now (MS-TRG-03)."""
    kind = cards.op[at, OP_KIND]
    least = cards.op[at, OP_N]
    if kind == CTRL:
        side = CAT if cards.op[at, OP_WHO] == ROLE_CAT else CRU
        return (controlled(state, side) >> np.int64(cards.op[at, OP_A])) & 1 == 1
    if kind == TREBUCHETS_AT_LEAST:
        return state.trebuchets >= least
    if kind == CAPTURED_AT_LEAST:
        return state.captured >= least
    if kind == MONTSEGUR_AT_LEAST:
        return state.montsegur >= least
    if kind == ASPIRING_AT_LEAST:
        return state.aspiring >= least
    return state.escaped >= least


# --- Tracks, trebuchets ---------------------------------------------------------------


@kernel
def track_op(state: State, knobs: Knobs, code: int, n: int) -> None:
    if code == OP_CAT_MORALE or code == OP_CRU_MORALE:
        side = CAT if code == OP_CAT_MORALE else CRU
        if n < 0:
            state.count[N_MORALE_EVENTS + side] += min(-n, np.int64(state.morale[side]))
        if n != 0:
            change_morale(state, knobs, side, n)
        else:
            count_rule(state, rule.MS_EVT_06)
    elif code == OP_FOOD:
        change_food(state, knobs, n)
    elif code == OP_FAITH:
        change_faith(state, knobs, n)
    elif code == OP_TREBUCHET:
        state.trebuchets = min(max(0, state.trebuchets + n), 9)


# --- Faith and perfects -----------------------------------------------------------------


@kernel
def faith_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    if code == OP_ASPIRE:
        state.aspiring += n
    elif code == OP_CAPTURE:
        moved = min(n, np.int64(state.montsegur))
        state.montsegur -= moved
        state.captured += moved
    elif code == OP_RESCUE:
        moved = min(n, np.int64(state.captured))
        state.captured -= moved
        state.montsegur += moved
    elif code == OP_CONVERT:
        moved = min(n, np.int64(state.captured))
        state.captured -= moved
        state.repenting += moved
    elif code == OP_ESCAPE:
        if state.montsegur > 0:
            ask(state, CAT, D_ESCAPE_OPT)
        else:
            count_rule(state, rule.MS_EVT_06)
    elif code == OP_REPENT:
        state.count[N_REPENT_TRIED] += 1
        begin_check(state, knobs, cards, REPENTANCE, CRU, np.int64(knobs.repent_base), np.int64(state.faith))
    elif code == OP_BOOST:
        side = role_side(np.int64(state.event_player), np.int64(cards.op[at, OP_WHO]))
        boost(state, knobs, cards, side, n)


# --- Soldiers -------------------------------------------------------------------------------


@kernel
def soldier_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    role = np.int64(cards.op[at, OP_WHO])
    side = role_side(np.int64(state.event_player), role)
    a = np.int64(cards.op[at, OP_A])
    if code == OP_REINF:
        count_rule(state, rule.MS_REI_07)
        reinforce(state, knobs, cards, side, n, a)
    elif code == OP_MUSTER:
        count_rule(state, rule.MS_REI_07)
        count_rule(state, rule.MS_GEN_03)
        enter(state, side, centre(side), n)
    elif code == OP_RING:
        state.ring_left = n
        next_in_ring(state, cards)
    elif code == OP_BF_KILL:
        state.battlefield[side] -= min(n, np.int64(state.battlefield[side]))
    elif code == OP_BF_RECOVER:
        most = 999 if n >= ALL - 1 else n
        if role == ROLE_BOTH:
            recover(state, CAT, most)
            recover(state, CRU, most)
        else:
            recover(state, side, most)
    elif code == OP_STRIKE or code == OP_ROUT:
        begin_strike(state, knobs, cards, at, side)
    elif code == OP_ATTACK:
        force = min(n, MAX_FORCE)
        if force > 0:
            begin_attack(
                state, knobs, cards, side, force, a,
                np.int64(cards.op[at, OP_B]), np.int64(cards.op[at, OP_C]),
            )  # fmt: skip
    elif code == OP_REDEPLOY and n >= 2:
        begin_redeploy(state, cards, side, n)


@kernel
def recover(state: State, side: int, most: int) -> None:
    """Soldiers from the Battlefield back to their command centre."""
    back = min(most, np.int64(state.battlefield[side]))
    state.battlefield[side] -= back
    enter(state, side, centre(side), back)


@kernel
def ring_options(state: State, cards: Cards) -> int:
    """Mask of the perimeter locations that hold a Crusader and have room for one more."""
    mask = np.int64(0)
    for place in range(LOCATIONS):
        held = np.int64(state.soldiers[CRU, place])
        if (cards.perimeter >> place) & 1 and 0 < held < state.capacity[place]:
            mask |= np.int64(1) << place
    return mask


@kernel
def next_in_ring(state: State, cards: Cards) -> None:
    """The effect `ring`: one soldier after another, as far as there is room."""
    while state.ring_left > 0:
        mask = ring_options(state, cards)
        if mask == 0:
            return
        if not single(mask):
            ask(state, CRU, D_RING)
            return
        place_in_ring(state, lowest(mask))


@small_kernel
def place_in_ring(state: State, place: int) -> None:
    count_rule(state, rule.MS_GEN_03)
    state.soldiers[CRU, place] += 1
    state.ring_left -= 1


@kernel
def strike_options(state: State, cards: Cards) -> int:
    """Mask of the locations of the op's zone that hold soldiers of its victim."""
    at = np.int64(state.op_now)
    victim = role_side(np.int64(state.event_player), np.int64(cards.op[at, OP_WHO]))
    mask = np.int64(0)
    for place in range(LOCATIONS):
        if state.soldiers[victim, place] > 0:
            mask |= np.int64(1) << place
    return mask & np.int64(cards.op[at, OP_A])


@kernel
def begin_strike(state: State, knobs: Knobs, cards: Cards, at: int, victim: int) -> None:
    mask = strike_options(state, cards)
    if mask == 0:
        count_rule(state, rule.MS_EVT_06)
    elif single(mask):
        strike(state, knobs, cards, lowest(mask))
    else:
        ask(state, 1 - victim, D_STRIKE)


@kernel
def strike(state: State, knobs: Knobs, cards: Cards, place: int) -> None:
    """`strike`: soldiers of one location die; `rout`: they go to the Battlefield."""
    at = np.int64(state.op_now)
    victim = role_side(np.int64(state.event_player), np.int64(cards.op[at, OP_WHO]))
    hit = min(number(state, knobs, cards, np.int64(state.card), at), np.int64(state.soldiers[victim, place]))
    state.soldiers[victim, place] -= hit
    if cards.op[at, OP_CODE] == OP_ROUT:
        state.battlefield[victim] += hit
    if place == centre(victim) and state.soldiers[victim, place] == 0:
        count_rule(state, rule.MS_LOC_04)


# --- Scouts, markers, commanders, cards ----------------------------------------------------


@kernel
def headquarters_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    side = role_side(np.int64(state.event_player), np.int64(cards.op[at, OP_WHO]))
    if code == OP_SCOUT:
        state.scouts[side] += n
    elif code == OP_SCOUT_LOSS:
        state.scouts[side] -= min(n, np.int64(state.scouts[side]))
    elif code == OP_ADV:
        gain_markers(state, side, n)
    elif code == OP_ADV_STEAL:
        if state.markers[1 - side] > 0:
            state.markers[1 - side] -= 1
            gain_markers(state, side, ONE)
    elif code == OP_READY:
        count_rule(state, rule.MS_CMD_03)
        state.commander[side] = 1
    elif code == OP_DRAW:
        for _ in range(n):
            draw_command(state, knobs, cards, side)
    elif code == OP_DISCARD:
        for _ in range(n):
            discard_random(state, side)


# --- Effects that last (MS-EVT-04) ----------------------------------------------------------


@kernel
def lasting_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    count_rule(state, rule.MS_EVT_04)
    n = number(state, knobs, cards, np.int64(state.card), at)
    side = role_side(np.int64(state.event_player), np.int64(cards.op[at, OP_WHO]))
    if code == OP_CAVES:
        state.caves[side] = 1
    elif code == OP_LEAD:
        state.lead[side] += n
    elif code == OP_ESCAPE_MOD:
        state.escape_mod += n
    elif code == OP_PATH_LESS:
        state.path_less += n
    elif code == OP_REINF_MOD:
        state.reinf_mod[side] += n
    elif code == OP_NO_ATTACK:
        state.no_attack = 1
    elif code == OP_GRAIL:
        state.grail = 1
    elif code == OP_BROKEN_LINE:
        state.broken_line = 1
    elif code == OP_EW_PLUS:
        mend_walls(state, cards)


@kernel
def mend_walls(state: State, cards: Cards) -> None:
    """The effect `ew_plus`: the Eastern Walls against the Crest, before trebuchets."""
    state.walls_mended = 1
    for edge in range(EDGES):
        if cards.edge_from[edge] == CRE and cards.edge_to[edge] == EW:
            state.bonus[edge] += 1
