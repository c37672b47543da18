"""Step 6: hostility, rage, escort, rite, group orders, the escape tunnel."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.combat import NO_TARGET, OF_ROSTER, all_attacks, begin_combat, has_any
from simlab.games.lowenheim.march import fly, is_flyer, march

COUNTS_MOST = 8  # LW-D18


# --- Hostility and rage ---------------------------------------------------------


@kernel
def begin_slot(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """The part before a faction's orders that needs no decision."""
    if seat == s.EL:
        hostility(state, knobs, cards, s.EL, s.CA, np.int64(knobs.elf_hostility_max))
    elif seat == s.CA:
        hostility(state, knobs, cards, s.CA, s.EL, np.int64(knobs.cathay_hostility_max))
    elif seat == s.BR:
        wolf_slot(state, knobs, cards)


@kernel
def hostility(state: State, knobs: Knobs, cards: Cards, seat: int, foe: int, limit: int) -> None:
    """LW-HOS-01 to LW-HOS-03: the faction rolls one die if one of its able figures has a figure of the other in
    reach."""
    group = OF_ROSTER + foe
    near = False
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if is_hostile(state, np.int64(f), seat) and has_any(state, knobs, cards, np.int64(f), group, False):
            near = True
            break
    if not near:
        return
    count_rule(state, rule.LW_HOS_03)
    if seat == s.EL:
        count_rule(state, rule.LW_HOS_01)
    else:
        count_rule(state, rule.LW_HOS_02)
    if b.d6(state, s.TEMPER_STREAM) > limit:
        return
    state.count[s.N_ELF_OUTBURSTS if seat == s.EL else s.N_CATHAY_OUTBURSTS] += 1
    before = np.int64(state.count[s.N_TEMPLE + foe])
    begin_combat(state)
    for value in range(20, 0, -1):
        for at in range(cards.first[seat], cards.last[seat] + 1):
            f = np.int64(at)
            if not is_hostile(state, f, seat) or b.fight_of(state, knobs, cards, f) != value:
                continue
            if has_any(state, knobs, cards, f, group, False):
                all_attacks(state, knobs, cards, f, NO_TARGET, group, s.COMBAT_STREAM)
                b.set_mark(state, f, s.DONE)
    begin_combat(state)
    state.count[s.N_HOSTILE] += np.int64(state.count[s.N_TEMPLE + foe]) - before


@kernel
def is_hostile(state: State, f: int, seat: int) -> bool:
    """LW-HOS-03: whether a figure is an able roster figure under its own faction's command."""
    return b.able(state, f) and np.int64(state.ctrl[f]) == seat


@kernel
def wolf_slot(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-WLF-03, LW-WLF-04: the werewolf may begin to rage; while raging, he moves on his own."""
    f = s.JEAN_JACQUES
    if state.wolf_until == 0 or state.hex[f] < 0:
        return
    count_rule(state, rule.LW_WLF_05)
    if not b.marked(state, f, s.RAGING):
        count_rule(state, rule.LW_WLF_03)
        if b.d6(state, s.TEMPER_STREAM) <= knobs.rage_max:
            b.set_mark(state, f, s.RAGING)
            state.count[s.N_RAGES] += 1
    if not b.rages(state, f) or not b.able(state, f):
        return
    count_rule(state, rule.LW_WLF_04)
    target = raging_goal(state, cards)
    if target >= 0:
        march(state, knobs, cards, f, target, b.move_of(state, knobs, cards, f))


@kernel
def raging_goal(state: State, cards: Cards) -> int:
    """LW-WLF-04: the nearest Bretonnian, else the nearest other defender, else the nearest intruder."""
    here = np.int64(state.hex[s.JEAN_JACQUES])
    for group in range(3):
        best = s.NOBODY
        nearest = s.FAR
        for h in range(cards.n_hexes):
            if np.int64(cards.path[state.config, here, h]) < nearest and has_prey(state, cards, np.int64(h), group):
                best = np.int64(h)
                nearest = np.int64(cards.path[state.config, here, h])
        if best >= 0:
            return best
    return s.NOBODY


@kernel
def has_prey(state: State, cards: Cards, h: int, group: int) -> bool:
    f = np.int64(state.head[h])
    while f >= 0:
        if f != s.JEAN_JACQUES:
            if group == 2:
                if not b.is_ours(state, f):
                    return True
            elif b.is_ours(state, f) and (b.faction_of(cards, f) == s.BR) == (group == 0):
                return True
        f = np.int64(state.next[f])
    return False


# --- Escort and rite ------------------------------------------------------------


@kernel
def ask_queen(state: State) -> None:
    """LW-QUE-01."""
    f = s.ALAVANDREL
    if state.queen_captured or not b.able(state, f) or np.int64(state.ctrl[f]) != s.EL:
        return
    if state.queen_escorted or state.queen == state.hex[f]:
        b.ask(state, s.EL, s.D_QUEEN)


@kernel
def escort(state: State, yes: int) -> None:
    count_rule(state, rule.LW_QUE_01)
    state.queen_escorted = yes


@kernel
def ask_rite(state: State, cards: Cards) -> None:
    """LW-AIR-01."""
    f = s.WEN
    if np.int64(state.hair) != s.HAIR_HIDDEN or not b.able(state, f) or np.int64(state.ctrl[f]) != s.CA:
        return
    if state.hex[f] == cards.cathay_rooms[0] and not hair_burnt(state, cards):
        b.ask(state, s.CA, s.D_RITE)


@kernel
def hair_burnt(state: State, cards: Cards) -> bool:
    k = np.int64(cards.fire_of[cards.cathay_rooms[0]])
    return k >= 0 and np.int64(state.fire[k]) == s.BURNT


@kernel
def declare_rite(state: State, yes: int) -> None:
    if not yes:
        return
    count_rule(state, rule.LW_AIR_01)
    b.set_mark(state, s.WEN, s.BUSY)
    state.rite = 1
    state.hair_needed = np.int64(state.overrun >= 2)


@kernel
def finish_rite(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-AIR-01: at the end of step 7 the Air Spirit appears in F1, else F3, else F2, as soon as there is room."""
    if state.rite and np.int64(state.hair) == s.HAIR_HIDDEN and state.hex[s.WEN] == cards.cathay_rooms[0]:
        count_rule(state, rule.LW_AIR_01)
        state.hair = s.HAIR_USED
        state.hair_public = 1
        state.spirit_due = 1
        b.use_item(state, s.ITEM_POWER + s.P_SPIRIT, s.CA)
    state.rite = 0
    if not state.spirit_due:
        return
    for at in range(3):
        h = np.int64(cards.cathay_rooms[at])
        if np.int64(state.ours[h]) + np.int64(cards.bulk[state.kind[s.AIR_SPIRIT]]) <= knobs.stack_limit:
            count_rule(state, rule.LW_AIR_02)
            state.status[s.AIR_SPIRIT] = s.IN_PLAY
            state.wounds[s.AIR_SPIRIT] = cards.wounds[state.kind[s.AIR_SPIRIT]]
            b.put(state, cards, s.AIR_SPIRIT, h)
            state.spirit_due = 0
            return


# --- Groups ---------------------------------------------------------------------


@kernel
def rank(state: State, cards: Cards, f: int) -> int:
    """LW-MOV-02: class of a figure in its commander's order: characters, mounted, foot, special."""
    if b.is_controlled(state, cards, f):
        return s.SPECIAL
    return np.int64(cards.cls[f])


@kernel
def group_key(state: State, cards: Cards, f: int) -> int:
    """Groups are ordered by (hex, class); each character is its own group."""
    cls = rank(state, cards, f)
    alone = f if cls == s.CHARACTER else np.int64(0)
    return (np.int64(state.hex[f]) * 4 + cls) * 256 + alone


@kernel
def form_groups(state: State, cards: Cards, seat: int) -> None:
    """LW-MOV-02: fixes the groups at the start of the orders; figures are ordered by hex, class and id."""
    count_rule(state, rule.LW_MOV_02)
    state.queue_len = 0
    state.group_at = 0
    state.group_end = 0
    for f in range(s.DEFENDERS):
        if np.int64(state.ctrl[f]) == seat and state.hex[f] >= 0:
            enqueue(state, cards, np.int64(f))
    for slot in range(s.CONTROLLED_MOST):
        f = np.int64(state.controlled[slot])
        if f >= s.DEFENDERS and np.int64(state.ctrl[f]) == seat:
            enqueue(state, cards, np.int64(f))


@kernel
def enqueue(state: State, cards: Cards, f: int) -> None:
    if b.marked(state, f, s.NO_MOVE) or b.rages(state, f) or state.queue_len >= s.QUEUE:
        return
    if not b.able(state, f):
        count_rule(state, rule.LW_MOV_11)
        return
    key = group_key(state, cards, f)
    at = np.int64(state.queue_len)
    while at > 0 and group_key(state, cards, np.int64(state.queue[at - 1])) > key:
        state.queue[at] = state.queue[at - 1]
        at -= 1
    state.queue[at] = f
    state.queue_len += 1


@kernel
def next_group(state: State, cards: Cards, seat: int) -> bool:
    """Asks for the order of the next group; returns whether none is left."""
    if state.group_at >= state.group_end:
        at = np.int64(state.group_end)
        if at >= state.queue_len:
            return True
        key = group_key(state, cards, np.int64(state.queue[at]))
        state.group_at = at
        while at < state.queue_len and group_key(state, cards, np.int64(state.queue[at])) == key:
            at += 1
        state.group_end = at
        state.orders_given = 0
    b.ask(state, seat, s.D_ORDER)
    return False


@kernel
def offer_orders(state: State, cards: Cards) -> None:
    """LW-D17: offers any hex, hold and, for Sigisbiduwald, the tunnel."""
    n = np.int64(cards.n_hexes)
    for h in range(n + 1):
        state.legal[np.uint32(h)] = h
    state.n_legal = n + 1
    if np.int64(state.queue[state.group_at]) == s.SIGIS and np.int64(state.seat) == s.PG:
        offer(state, n + 1)


@kernel
def give_order(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    n = np.int64(cards.n_hexes)
    if action == n:
        state.group_at = state.group_end
        return
    count_rule(state, rule.LW_MOV_01)
    state.order = action
    heads = np.int64(state.group_end) - np.int64(state.group_at)
    if heads >= 2:
        b.ask(state, np.int64(state.seat), s.D_COUNT)
        return
    send(state, knobs, cards, heads)


@kernel
def offer_counts(state: State) -> None:
    """LW-D18."""
    for n in range(1, min(COUNTS_MOST, np.int64(state.group_end) - np.int64(state.group_at)) + 1):
        offer(state, n)


@kernel
def send(state: State, knobs: Knobs, cards: Cards, n: int) -> None:
    """LW-MOV-02: the n lowest ids of the group march; the others get one more order."""
    target = np.int64(state.order)
    first = np.int64(state.group_at)
    for at in range(first, first + n):
        f = np.int64(state.queue[at])
        if state.hex[f] < 0:
            continue
        allowance = b.move_of(state, knobs, cards, f)
        if target > cards.n_hexes:
            run_for_tunnel(state, knobs, cards, allowance)
        elif is_flyer(knobs, f):
            fly(state, knobs, cards, f, target, allowance)
        else:
            march(state, knobs, cards, f, target, allowance)
    state.orders_given += 1
    state.group_at = first + n
    if state.orders_given >= 2:
        state.group_at = state.group_end


# --- The tunnel and Brunhilde ---------------------------------------------------


@kernel
def run_for_tunnel(state: State, knobs: Knobs, cards: Cards, allowance: int) -> None:
    """LW-ESC-01, LW-ESC-02."""
    tomb = np.int64(cards.tomb)
    left = march(state, knobs, cards, s.SIGIS, tomb, allowance)
    if state.hex[s.SIGIS] != tomb or left < 1 or state.their_heads[tomb] > 0:
        return
    if state.tunnel_public and watched(state, cards, tomb):
        count_rule(state, rule.LW_ESC_02)
        return
    count_rule(state, rule.LW_ESC_01)
    b.use_item(state, s.ITEM_POWER + s.P_TUNNEL, s.PG)
    state.tunnel_public = 1
    state.escaped_with = state.brunhilde_with
    if state.brunhilde_with:
        state.brunhilde = -1
    state.count[s.N_ESCAPE_TURN] = state.turn
    b.leave_map(state, cards, s.SIGIS, s.ESCAPED)
    b.replace_leader(state)


@kernel
def watched(state: State, cards: Cards, tomb: int) -> bool:
    """LW-ESC-02: whether a figure of another faction is in the tomb's hex or next to it."""
    for h in range(cards.n_hexes):
        if np.int64(cards.flight[tomb, h]) > 1:
            continue
        f = np.int64(state.head[h])
        while f >= 0:
            if b.is_ours(state, f) and b.faction_of(cards, f) != s.PG:
                return True
            f = np.int64(state.next[f])
    return False


@kernel
def ask_brunhilde(state: State) -> None:
    """LW-QUE-03."""
    if state.hex[s.SIGIS] < 0 or state.brunhilde_captured or np.int64(state.ctrl[s.SIGIS]) != s.PG:
        return
    if state.brunhilde_with or state.brunhilde == state.hex[s.SIGIS]:
        b.ask(state, s.PG, s.D_BRUNHILDE)


@kernel
def take_brunhilde(state: State, yes: int) -> None:
    count_rule(state, rule.LW_QUE_03)
    state.brunhilde_with = yes


@kernel
def places_overrun(state: State, cards: Cards) -> int:
    n = np.int64(0)
    for place in range(s.PLACES):
        n += np.int64(b.overrun(state, cards, np.int64(place)))
    return n
