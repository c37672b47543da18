"""Montségur's events: carries out a card's program, op by op, up to the next decision (MS-EVT)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import board as b
from simlab.games.montsegur import effects as fx
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.actions import (
    begin_attack,
    begin_redeploy,
    boost,
    reinforce,
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
from simlab.games.montsegur.fate import begin_check


@kernel
def begin_event(state: State, knobs: Knobs, cards: Cards, player: int) -> None:
    """Resolves the text of the card in play for `player`."""
    state.in_event = 1
    state.event_player = player
    state.op_at = card_program(knobs, cards, np.int64(state.card))
    state.count[s.N_EVENTS + player] += 1
    count_rule(state, rule.MS_EVT_05)
    if cards.switch[state.card]:
        count_rule(state, rule.MS_GEN_06)
    if cards.op[state.op_at, fx.OP_CODE] != fx.END and cards.op[state.op_at + 1, fx.OP_CODE] != fx.END:
        count_rule(state, rule.MS_EVT_07)


@kernel
def run_event(state: State, knobs: Knobs, cards: Cards) -> None:
    """MS-EVT-07: runs ops until one asks for a decision, a side surrenders, or the card is done."""
    while state.decision == s.NO_DECISION and state.surrendered == s.NOBODY:
        at = np.int64(state.op_at)
        code = np.int64(cards.op[at, fx.OP_CODE])
        if code == fx.END:
            put_away(state, np.int64(state.card), s.ONE)
            state.in_event = 0
            state.stage = s.NEXT_PLAY
            return
        state.op_now = at
        state.op_at = at + 1
        if code == fx.JUMP:
            state.op_at = cards.op[at, fx.OP_B]
        elif code == fx.IF:
            if not holds(state, cards, at):
                count_rule(state, rule.MS_EVT_06)
                state.op_at = cards.op[at, fx.OP_B]
        elif code <= fx.OP_TREBUCHET:
            track_op(state, knobs, code, number(state, knobs, cards, np.int64(state.card), at))
        elif code <= fx.OP_BOOST:
            faith_op(state, knobs, cards, code, at)
        elif code <= fx.OP_REDEPLOY:
            soldier_op(state, knobs, cards, code, at)
        elif code <= fx.OP_DISCARD:
            headquarters_op(state, knobs, cards, code, at)
        else:
            lasting_op(state, knobs, cards, code, at)


# --- Reading an op ------------------------------------------------------------------


@small_kernel
def number(state: State, knobs: Knobs, cards: Cards, card: int, at: int) -> int:
    """The number of an op of a card's program; the knob `alteration` may change it by 1."""
    n = np.int64(cards.op[at, fx.OP_N])
    if knobs.altered_card != 0 and n != 0:
        change = alteration(knobs, cards, card)
        sign = 1 if n > 0 else -1
        if change == EFFECT_PLUS:
            n += sign
        elif change == EFFECT_MINUS:
            n -= sign
    if cards.op[at, fx.OP_KIND] == fx.AT_MOST_TREBUCHETS:
        sign = 1 if n > 0 else -1
        n = sign * min(abs(n), np.int64(state.trebuchets))
    return n


@small_kernel
def role_side(player: int, role: int) -> int:
    """MS-EVT-05: the side that an op names."""
    if role == fx.ROLE_P:
        return player
    if role == fx.ROLE_O:
        return 1 - player
    return s.CAT if role == fx.ROLE_CAT else s.CRU


@kernel
def holds(state: State, cards: Cards, at: int) -> bool:
    """Whether the condition of an `if` holds now (MS-TRG-03)."""
    kind = cards.op[at, fx.OP_KIND]
    least = cards.op[at, fx.OP_N]
    if kind == fx.CTRL:
        side = s.CAT if cards.op[at, fx.OP_WHO] == fx.ROLE_CAT else s.CRU
        return (b.controlled(state, side) >> np.int64(cards.op[at, fx.OP_A])) & 1 == 1
    if kind == fx.TREBUCHETS_AT_LEAST:
        return state.trebuchets >= least
    if kind == fx.CAPTURED_AT_LEAST:
        return state.captured >= least
    if kind == fx.MONTSEGUR_AT_LEAST:
        return state.montsegur >= least
    if kind == fx.ASPIRING_AT_LEAST:
        return state.aspiring >= least
    return state.escaped >= least


# --- Tracks, trebuchets ---------------------------------------------------------------


@kernel
def track_op(state: State, knobs: Knobs, code: int, n: int) -> None:
    if code == fx.OP_CAT_MORALE or code == fx.OP_CRU_MORALE:
        side = s.CAT if code == fx.OP_CAT_MORALE else s.CRU
        if n < 0:
            state.count[s.N_MORALE_EVENTS + side] += min(-n, np.int64(state.morale[side]))
        if n != 0:
            b.change_morale(state, knobs, side, n)
        else:
            count_rule(state, rule.MS_EVT_06)
    elif code == fx.OP_FOOD:
        b.change_food(state, knobs, n)
    elif code == fx.OP_FAITH:
        b.change_faith(state, knobs, n)
    elif code == fx.OP_TREBUCHET:
        state.trebuchets = min(max(0, state.trebuchets + n), 9)


# --- Faith and perfects -----------------------------------------------------------------


@kernel
def faith_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    if code == fx.OP_ASPIRE:
        state.aspiring += n
    elif code == fx.OP_CAPTURE:
        moved = min(n, np.int64(state.montsegur))
        state.montsegur -= moved
        state.captured += moved
    elif code == fx.OP_RESCUE:
        moved = min(n, np.int64(state.captured))
        state.captured -= moved
        state.montsegur += moved
    elif code == fx.OP_CONVERT:
        moved = min(n, np.int64(state.captured))
        state.captured -= moved
        state.repenting += moved
    elif code == fx.OP_ESCAPE:
        if state.montsegur > 0:
            b.ask(state, s.CAT, s.D_ESCAPE_OPT)
        else:
            count_rule(state, rule.MS_EVT_06)
    elif code == fx.OP_REPENT:
        state.count[s.N_REPENT_TRIED] += 1
        begin_check(state, knobs, cards, s.REPENTANCE, s.CRU, np.int64(knobs.repent_base), np.int64(state.faith))
    elif code == fx.OP_BOOST:
        side = role_side(np.int64(state.event_player), np.int64(cards.op[at, fx.OP_WHO]))
        boost(state, knobs, cards, side, n)


# --- Soldiers -------------------------------------------------------------------------------


@kernel
def soldier_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    role = np.int64(cards.op[at, fx.OP_WHO])
    side = role_side(np.int64(state.event_player), role)
    a = np.int64(cards.op[at, fx.OP_A])
    if code == fx.OP_REINF:
        count_rule(state, rule.MS_REI_07)
        reinforce(state, knobs, cards, side, n, a)
    elif code == fx.OP_MUSTER:
        count_rule(state, rule.MS_REI_07)
        count_rule(state, rule.MS_GEN_03)
        b.enter(state, side, b.centre(side), n)
    elif code == fx.OP_RING:
        state.ring_left = n
        next_in_ring(state, cards)
    elif code == fx.OP_BF_KILL:
        state.battlefield[side] -= min(n, np.int64(state.battlefield[side]))
    elif code == fx.OP_BF_RECOVER:
        most = 999 if n >= fx.ALL - 1 else n
        if role == fx.ROLE_BOTH:
            recover(state, s.CAT, most)
            recover(state, s.CRU, most)
        else:
            recover(state, side, most)
    elif code == fx.OP_STRIKE or code == fx.OP_ROUT:
        begin_strike(state, knobs, cards, at, side)
    elif code == fx.OP_ATTACK:
        force = min(n, s.MAX_FORCE)
        if force > 0:
            begin_attack(
                state, knobs, cards, side, force, a,
                np.int64(cards.op[at, fx.OP_B]), np.int64(cards.op[at, fx.OP_C]),
            )  # fmt: skip
    elif code == fx.OP_REDEPLOY and n >= 2:
        begin_redeploy(state, cards, side, n)


@kernel
def recover(state: State, side: int, most: int) -> None:
    """Moves soldiers from the Battlefield back to their command centre."""
    back = min(most, np.int64(state.battlefield[side]))
    state.battlefield[side] -= back
    b.enter(state, side, b.centre(side), back)


@kernel
def ring_options(state: State, cards: Cards) -> int:
    """Mask of the perimeter locations that hold a Crusader and have room for one more."""
    mask = np.int64(0)
    for place in range(s.LOCATIONS):
        held = np.int64(state.soldiers[s.CRU, place])
        if (cards.perimeter >> place) & 1 and 0 < held < state.capacity[place]:
            mask |= np.int64(1) << place
    return mask


@kernel
def next_in_ring(state: State, cards: Cards) -> None:
    """The effect `ring`: asks for one soldier at a time, as long as there is room."""
    while state.ring_left > 0:
        mask = ring_options(state, cards)
        if mask == 0:
            return
        if not b.single(mask):
            b.ask(state, s.CRU, s.D_RING)
            return
        place_in_ring(state, b.lowest(mask))


@small_kernel
def place_in_ring(state: State, place: int) -> None:
    count_rule(state, rule.MS_GEN_03)
    state.soldiers[s.CRU, place] += 1
    state.ring_left -= 1


@kernel
def strike_options(state: State, cards: Cards) -> int:
    """Mask of the locations of the op's zone that hold soldiers of its victim."""
    at = np.int64(state.op_now)
    victim = role_side(np.int64(state.event_player), np.int64(cards.op[at, fx.OP_WHO]))
    mask = np.int64(0)
    for place in range(s.LOCATIONS):
        if state.soldiers[victim, place] > 0:
            mask |= np.int64(1) << place
    return mask & np.int64(cards.op[at, fx.OP_A])


@kernel
def begin_strike(state: State, knobs: Knobs, cards: Cards, at: int, victim: int) -> None:
    mask = strike_options(state, cards)
    if mask == 0:
        count_rule(state, rule.MS_EVT_06)
    elif b.single(mask):
        strike(state, knobs, cards, b.lowest(mask))
    else:
        b.ask(state, 1 - victim, s.D_STRIKE)


@kernel
def strike(state: State, knobs: Knobs, cards: Cards, place: int) -> None:
    """`strike`: soldiers of one location die; `rout`: they go to the Battlefield."""
    at = np.int64(state.op_now)
    victim = role_side(np.int64(state.event_player), np.int64(cards.op[at, fx.OP_WHO]))
    hit = min(number(state, knobs, cards, np.int64(state.card), at), np.int64(state.soldiers[victim, place]))
    state.soldiers[victim, place] -= hit
    if cards.op[at, fx.OP_CODE] == fx.OP_ROUT:
        state.battlefield[victim] += hit
    if place == b.centre(victim) and state.soldiers[victim, place] == 0:
        count_rule(state, rule.MS_LOC_04)


# --- Scouts, markers, commanders, cards ----------------------------------------------------


@kernel
def headquarters_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    n = number(state, knobs, cards, np.int64(state.card), at)
    side = role_side(np.int64(state.event_player), np.int64(cards.op[at, fx.OP_WHO]))
    if code == fx.OP_SCOUT:
        state.scouts[side] += n
    elif code == fx.OP_SCOUT_LOSS:
        state.scouts[side] -= min(n, np.int64(state.scouts[side]))
    elif code == fx.OP_ADV:
        b.gain_markers(state, side, n)
    elif code == fx.OP_ADV_STEAL:
        if state.markers[1 - side] > 0:
            state.markers[1 - side] -= 1
            b.gain_markers(state, side, s.ONE)
    elif code == fx.OP_READY:
        count_rule(state, rule.MS_CMD_03)
        state.commander[side] = 1
    elif code == fx.OP_DRAW:
        for _ in range(n):
            draw_command(state, knobs, cards, side)
    elif code == fx.OP_DISCARD:
        for _ in range(n):
            discard_random(state, side)


# --- Effects that last (MS-EVT-04) ----------------------------------------------------------


@kernel
def lasting_op(state: State, knobs: Knobs, cards: Cards, code: int, at: int) -> None:
    count_rule(state, rule.MS_EVT_04)
    n = number(state, knobs, cards, np.int64(state.card), at)
    side = role_side(np.int64(state.event_player), np.int64(cards.op[at, fx.OP_WHO]))
    if code == fx.OP_CAVES:
        state.caves[side] = 1
    elif code == fx.OP_LEAD:
        state.lead[side] += n
    elif code == fx.OP_ESCAPE_MOD:
        state.escape_mod += n
    elif code == fx.OP_PATH_LESS:
        state.path_less += n
    elif code == fx.OP_REINF_MOD:
        state.reinf_mod[side] += n
    elif code == fx.OP_NO_ATTACK:
        state.no_attack = 1
    elif code == fx.OP_GRAIL:
        state.grail = 1
    elif code == fx.OP_BROKEN_LINE:
        state.broken_line = 1
    elif code == fx.OP_EW_PLUS:
        mend_walls(state, cards)


@kernel
def mend_walls(state: State, cards: Cards) -> None:
    """The effect `ew_plus`: raises the bonus of the Eastern Walls against the Crest, before trebuchets."""
    state.walls_mended = 1
    for edge in range(s.EDGES):
        if cards.edge_from[edge] == s.CRE and cards.edge_to[edge] == s.EW:
            state.bonus[edge] += 1
