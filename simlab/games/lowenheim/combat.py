"""Combat: targets, one attack, area attacks, and steps 5 and 7 (LW-CMB)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.cards import spend

# The target of an attack.
ENEMIES, BRETONNIANS, DEFENDERS_ALL, INTRUDERS_ALL, OF_ROSTER = (np.int64(n) for n in range(5))  # OF_ROSTER + seat
NO_TARGET = np.int64(-1)
OWN_HEX = np.int64(6)  # a direction


# --- Targets --------------------------------------------------------------------


@kernel
def is_meant(state: State, cards: Cards, f: int, t: int, group: int) -> bool:
    """Whether figure f may attack figure t at all (LW-CMB-17, LW-HOS, LW-WLF)."""
    if group == ENEMIES:
        return b.is_ours(state, f) != b.is_ours(state, t)
    if group >= OF_ROSTER:
        return t < s.ROSTER and np.int64(cards.owner[t]) == group - OF_ROSTER
    if t == f:
        return False
    if group == INTRUDERS_ALL:
        return not b.is_ours(state, t)
    if not b.is_ours(state, t):
        return False
    return (b.faction_of(cards, t) == s.BR) == (group == BRETONNIANS)


@kernel
def best_in(state: State, knobs: Knobs, cards: Cards, f: int, h: int, group: int, capped: bool) -> int:
    """LW-CMB-11: the hex's first target by (Toughness, wounds, Fight, id), -1 for none.

    Args:
        capped: whether to leave out targets that have reached their limit of attackers (LW-CMB-05).
    """
    best = NO_TARGET
    least = np.int64(0)
    t = np.int64(state.head[h])
    while t >= 0:
        full = state.attackers[t] >= knobs.attackers_per_target and np.int64(state.attacker[t]) != f
        if not (capped and full) and is_meant(state, cards, f, t, group):
            key = b.toughness_of(state, cards, t) * 16 + np.int64(state.wounds[t])
            key = key * 32 + b.fight_of(state, knobs, cards, t)
            if best < 0 or key < least:
                best = t
                least = key
        t = np.int64(state.next[t])
    return best


@kernel
def find_target(state: State, knobs: Knobs, cards: Cards, f: int, focus: int, group: int, capped: bool) -> int:
    """LW-CMB-11: the next target, as 8 * figure + direction, or -1. Order: the focus, the own hex, directions 0 to
    5.
    """
    h = np.int64(state.hex[f])
    if focus >= 0:
        t = target_at(state, knobs, cards, f, h, focus, group, capped)
        if t >= 0:
            return t * 8 + focus
    t = target_at(state, knobs, cards, f, h, OWN_HEX, group, capped)
    if t >= 0:
        return t * 8 + OWN_HEX
    for way in range(s.DIRECTIONS):
        t = target_at(state, knobs, cards, f, h, np.int64(way), group, capped)
        if t >= 0:
            return t * 8 + way
    return NO_TARGET


@kernel
def target_at(state: State, knobs: Knobs, cards: Cards, f: int, h: int, way: int, group: int, capped: bool) -> int:
    """LW-CMB-04: the first target in the figure's own hex or across a side."""
    there = hex_at(state, cards, f, h, way, group)
    return NO_TARGET if there < 0 else best_in(state, knobs, cards, f, there, group, capped)


@kernel
def hex_at(state: State, cards: Cards, f: int, h: int, way: int, group: int) -> int:
    """The figure's own hex or the hex across a side; -1 if no target can be there."""
    there = h
    if way != OWN_HEX:
        there = np.int64(cards.beside[h, way])
        if there < 0 or state.head[there] < 0 or not b.in_reach(state, cards, h, way):
            return np.int64(-1)
    if group == ENEMIES:
        heads = state.their_heads[there] if b.is_ours(state, f) else state.our_heads[there]
        if heads == 0:
            return np.int64(-1)
    return there


@kernel
def may_hit(state: State, knobs: Knobs, cards: Cards, f: int, h: int, way: int, group: int, capped: bool) -> bool:
    """Whether `target_at` finds a target; it is faster, because it does not determine which one."""
    there = hex_at(state, cards, f, h, way, group)
    t = np.int64(-1) if there < 0 else np.int64(state.head[there])
    while t >= 0:
        full = state.attackers[t] >= knobs.attackers_per_target and np.int64(state.attacker[t]) != f
        if not (capped and full) and is_meant(state, cards, f, t, group):
            return True
        t = np.int64(state.next[t])
    return False


@kernel
def has_any(state: State, knobs: Knobs, cards: Cards, f: int, group: int, capped: bool) -> bool:
    """Whether `find_target` finds a target."""
    h = np.int64(state.hex[f])
    if may_hit(state, knobs, cards, f, h, OWN_HEX, group, capped):
        return True
    ours = b.is_ours(state, f)
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.beside[h, way])
        if there < 0 or (group == ENEMIES and (state.their_heads[there] if ours else state.our_heads[there]) == 0):
            continue  # most hexes: without the call
        if may_hit(state, knobs, cards, f, h, np.int64(way), group, capped):
            return True
    return False


# --- One attack -----------------------------------------------------------------


@kernel
def supported(state: State, knobs: Knobs, cards: Cards, f: int) -> int:
    """LW-CMB-08: the bonus for two or more friends in the figure's hex."""
    h = np.int64(state.hex[f])
    ours = b.is_ours(state, f)
    friends = np.int64(state.our_heads[h]) if ours else np.int64(state.their_heads[h])
    if knobs.support_same_faction and ours:
        friends = np.int64(0)
        mine = b.faction_of(cards, f)
        at = np.int64(state.head[h])
        while at >= 0:
            if b.is_ours(state, at) and b.faction_of(cards, at) == mine:
                friends += 1
            at = np.int64(state.next[at])
    if friends < 3:
        return np.int64(0)
    count_rule(state, rule.LW_CMB_08)
    return np.int64(knobs.support_bonus)


@kernel
def sheltered(state: State, knobs: Knobs, cards: Cards, f: int, t: int, way: int) -> int:
    """LW-CMB-07: the bonus of a target across a barricade, or inside an intact gate."""
    if way == OWN_HEX:
        return np.int64(0)
    h = np.int64(state.hex[f])
    behind = (np.int64(state.barricade[h]) >> way) & 1 == 1
    gate = np.int64(cards.side[state.config, h, way]) == s.GATE and knobs.gate_mode == 0
    if behind or (gate and cards.enclosed[state.hex[t]] > 0):
        count_rule(state, rule.LW_CMB_07)
        return np.int64(knobs.barricade_bonus)
    return np.int64(0)


@kernel
def attack(state: State, knobs: Knobs, cards: Cards, f: int, t: int, way: int, stream: int) -> None:
    """LW-CMB-06 to LW-CMB-10, LW-CMB-12, LW-CMB-15: one close attack."""
    count_rule(state, rule.LW_CMB_04)
    count_rule(state, rule.LW_CMB_06)
    count_rule(state, rule.LW_CMB_12)
    count_rule(state, rule.LW_CMB_15)
    if np.int64(state.attacker[t]) != f:
        state.attackers[t] += 1
        state.attacker[t] = f
    seat = np.int64(state.ctrl[f])
    if seat == s.SKAVEN_SIDE:
        state.count[s.N_INTRUDER_ATTACKS] += 1
    else:
        b.add(state, s.N_ATTACKS, seat)
    mine = b.fight_of(state, knobs, cards, f) + supported(state, knobs, cards, f)
    yours = b.fight_of(state, knobs, cards, t) + supported(state, knobs, cards, t)
    yours += sheltered(state, knobs, cards, f, t, way)
    die = b.d6(state, stream)
    other = b.d6(state, stream)
    if mine + die <= yours + other and not (die == 6 and other != 6):
        return
    if wounds_target(state, knobs, cards, b.strength_of(state, knobs, cards, f), t, stream, seat):
        if seat == s.SKAVEN_SIDE:
            state.count[s.N_INTRUDER_WOUNDS] += 1
        else:
            b.add(state, s.N_WOUNDS, seat)


@kernel
def wounds_target(state: State, knobs: Knobs, cards: Cards, strength: int, t: int, stream: int, seat: int) -> bool:
    """LW-CMB-09, LW-CMB-10: the roll to wound, then its effect; returns whether a wound was suffered."""
    count_rule(state, rule.LW_CMB_09)
    die = b.d6(state, stream)
    if strength + die <= b.toughness_of(state, cards, t) and die != 6:
        return False
    effect = b.d6(state, stream)
    count_rule(state, rule.LW_CMB_10)
    if effect >= knobs.wound_min:
        return b.suffer(state, cards, t, stream, seat if seat < s.SKAVEN_SIDE else np.int64(-1))
    if effect >= knobs.stun_min:
        stun(state, knobs, cards, t)
    return False


@kernel
def stun(state: State, knobs: Knobs, cards: Cards, t: int) -> None:
    """LW-CMB-13: until the end of the figure's next own combat step; a second stun does not add up."""
    count_rule(state, rule.LW_CMB_13)
    turns = np.int64(1)
    enemy_step = np.int64(state.stage) == s.ENEMY_COMBAT
    if b.is_ours(state, t):
        if state.in_combat or (enemy_step and knobs.stun_defender_next_turn):
            turns = np.int64(2)
        b.add(state, s.N_STUNNED, b.faction_of(cards, t))
    elif enemy_step:
        turns = np.int64(2)
    if state.stun[t] < turns:
        state.stun[t] = turns


@kernel
def all_attacks(state: State, knobs: Knobs, cards: Cards, f: int, focus: int, group: int, stream: int) -> None:
    """LW-CMB-11: carries out a figure's attacks; the target is picked again for each."""
    count_rule(state, rule.LW_CMB_11)
    for _ in range(cards.shots[state.kind[f]]):
        found = find_target(state, knobs, cards, f, focus, group, True)
        if found < 0:
            break
        attack(state, knobs, cards, f, found >> 3, found & 7, stream)


@kernel
def refused(state: State, knobs: Knobs, cards: Cards, f: int) -> bool:
    """LW-CMB-05: whether there are enemies in reach, but all have reached their limit of attackers."""
    if has_any(state, knobs, cards, f, ENEMIES, True):
        return False
    return has_any(state, knobs, cards, f, ENEMIES, False)


@kernel
def begin_combat(state: State) -> None:
    """LW-CMB-05: resets the attack counts for a new combat step."""
    for f in range(s.FIGURES):
        state.attackers[f] = 0
        state.attacker[f] = -1


@kernel
def wake(state: State, ours: bool) -> None:
    """LW-CMB-13: at the end of a side's combat step, its figures' stuns drop by one."""
    for f in range(s.FIGURES):
        if state.stun[f] > 0 and b.is_ours(state, f) == ours:
            state.stun[f] -= 1


@kernel
def area_attack(
    state: State, knobs: Knobs, cards: Cards, h: int, n: int, strength: int, seat: int, stream: int
) -> None:
    """LW-CMB-14: n attacks without a roll to hit; a figure of the hex is picked again for each."""
    count_rule(state, rule.LW_CMB_14)
    counter = s.N_SPELL_KILLS if stream == s.MAGIC_STREAM else s.N_CANNON_KILLS
    before = np.int64(state.their_number)
    for _ in range(n):
        targets = np.int64(state.their_heads[h])
        if knobs.area_hits_friends:
            targets += np.int64(state.our_heads[h])
        if targets == 0:
            break
        skip = b.pick(state, stream, targets)
        t = np.int64(state.head[h])
        while skip > 0 or not (knobs.area_hits_friends or not b.is_ours(state, t)):
            if knobs.area_hits_friends or not b.is_ours(state, t):
                skip -= 1
            t = np.int64(state.next[t])
        wounds_target(state, knobs, cards, strength, t, stream, seat)
    state.count[counter] += before - np.int64(state.their_number)


# --- Step 5 ---------------------------------------------------------------------


@kernel
def enemy_combat(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-ENM-09: every able intruder attacks; they need no cards and no leader."""
    begin_combat(state)
    for at in range(s.FIRST_INTRUDER, s.FIGURES):
        f = np.int64(at)
        if state.hex[f] < 0 or state.stun[f] > 0 or b.is_ours(state, f):
            continue
        if has_any(state, knobs, cards, f, ENEMIES, True):
            count_rule(state, rule.LW_ENM_09)
            all_attacks(state, knobs, cards, f, NO_TARGET, ENEMIES, s.INTRUDER_COMBAT_STREAM)
        elif refused(state, knobs, cards, f):
            count_rule(state, rule.LW_CMB_05)
    wake(state, False)


# --- Step 7 ---------------------------------------------------------------------


@kernel
def fights_here(state: State, f: int, seat: int) -> bool:
    """Whether an able figure may fight for a faction; cannons only shoot, and a raging werewolf obeys nobody."""
    if np.int64(state.ctrl[f]) != seat or s.FIRST_CANNON <= f < s.DEFENDERS:
        return False
    return b.able(state, f) and not b.rages(state, f)


@kernel
def is_free(state: State, cards: Cards, seat: int, h: int) -> bool:
    """LW-CMB-01: whether a hex is the commander's, or was paid for this turn."""
    if b.commander_hex(state, cards, seat) == h:
        return True
    if seat == s.CG:
        for at in range(s.CANNONS):
            if np.int64(state.paid_hex[at]) == h:
                return True
    return False


@kernel
def pool_helps(state: State, seat: int, h: int) -> bool:
    """LW-CMD-13: whether the Elves may use a card of the reserve pool for a hex, that is, if active reserve figures are
    there."""
    if seat != s.EL or state.reserve_pool == 0 or not state.reserve_active:
        return False
    f = np.int64(state.head[h])
    while f >= 0:
        if b.marked(state, f, s.RESERVE) and np.int64(state.ctrl[f]) == s.EL:
            return True
        f = np.int64(state.next[f])
    return False


@kernel
def may_pay(state: State, seat: int, h: int) -> bool:
    return state.hand[seat, s.ATTACK] > 0 or pool_helps(state, seat, h)


@kernel
def pay_fight(state: State, cards: Cards, seat: int, h: int) -> None:
    """LW-CMB-01: pays one Attack card unless the hex is free or already paid; the reserve pool pays first
    (LW-CMD-13)."""
    count_rule(state, rule.LW_CMB_01)
    if is_free(state, cards, seat, h):
        count_rule(state, rule.LW_CMB_02)
        b.add(state, s.N_FREE, seat)
        return
    b.add(state, s.N_PAID, seat)
    if pool_helps(state, seat, h):
        count_rule(state, rule.LW_CMD_13)
        state.reserve_pool -= 1
        state.pile[s.ATTACK] += 1
        return
    spend(state, seat, s.ATTACK)


@kernel
def has_fight(state: State, knobs: Knobs, cards: Cards, seat: int, h: int) -> bool:
    """LW-CMB-03: whether the faction has an able figure in the hex with a target in reach."""
    f = np.int64(state.head[h])
    while f >= 0:
        if fights_here(state, f, seat) and has_any(state, knobs, cards, f, ENEMIES, True):
            return True
        f = np.int64(state.next[f])
    return False


@kernel
def enemy_beside(state: State, cards: Cards, h: int) -> bool:
    """Whether an intruder is in the hex or next to it: a quick check before the exact one."""
    if state.their_heads[h] > 0:
        return True
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.beside[h, way])
        if there >= 0 and state.their_heads[there] > 0:
            return True
    return False


@kernel
def fighting(state: State, knobs: Knobs, cards: Cards, seat: int) -> bool:
    """LW-CMB-03: asks for the next hex in which a faction can fight; returns whether none is left."""
    h = np.int64(state.step)
    while h < cards.n_hexes:
        if state.our_heads[h] > 0 and enemy_beside(state, cards, h) and has_fight(state, knobs, cards, seat, h):
            if is_free(state, cards, seat, h) or may_pay(state, seat, h):
                count_rule(state, rule.LW_CMB_03)
                state.step = h
                state.target = h
                b.ask(state, seat, s.D_FIGHT)
                return False
            b.add(state, s.N_FORGONE, seat)
        h += 1
    state.step = h
    return True


@kernel
def offer_fight(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-D22: none, auto, own hex, directions."""
    seat = np.int64(state.seat)
    h = np.int64(state.target)
    ways = np.int64(0)
    f = np.int64(state.head[h])
    while f >= 0:
        if fights_here(state, f, seat):
            if may_hit(state, knobs, cards, f, h, OWN_HEX, ENEMIES, True):
                ways |= 1
            for way in range(s.DIRECTIONS):
                if may_hit(state, knobs, cards, f, h, np.int64(way), ENEMIES, True):
                    ways |= 2 << way
            break  # figures in one hex reach the same targets, and the cap depends only on the target
        f = np.int64(state.next[f])
    offer(state, 0)
    offer(state, 1)
    for option in range(7):
        if (ways >> option) & 1:
            offer(state, option + 2)


@kernel
def fight(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """LW-CMB-11: the faction's figures of a hex attack, Fight descending, id ascending."""
    seat = np.int64(state.seat)
    h = np.int64(state.target)
    state.step += 1
    if action == 0:
        b.add(state, s.N_FORGONE, seat)
        return
    pay_fight(state, cards, seat, h)
    focus = NO_TARGET if action == 1 else (OWN_HEX if action == 2 else np.int64(action) - 3)
    highest = np.int64(0)  # until the first attack no figure's Fight changes
    f = np.int64(state.head[h])
    while f >= 0:
        if fights_here(state, f, seat):
            highest = max(highest, b.fight_of(state, knobs, cards, f))
        f = np.int64(state.next[f])
    for value in range(min(highest, np.int64(20)), 0, -1):
        f = np.int64(state.head[h])
        while f >= 0:
            after = np.int64(state.next[f])
            if fights_here(state, f, seat) and b.fight_of(state, knobs, cards, f) == value:
                if refused(state, knobs, cards, f):
                    count_rule(state, rule.LW_CMB_05)
                    b.add(state, s.N_REFUSED, seat)
                else:
                    all_attacks(state, knobs, cards, f, focus, ENEMIES, s.COMBAT_STREAM)
            f = after


@kernel
def raging_attacks(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-WLF-04: attacks free of charge on Bretonnians, then other defenders, then intruders."""
    f = s.JEAN_JACQUES
    if not b.rages(state, f) or not b.able(state, f):
        return
    count_rule(state, rule.LW_WLF_04)
    count_rule(state, rule.LW_WLF_05)
    for _ in range(cards.shots[state.kind[f]]):
        group = BRETONNIANS
        found = find_target(state, knobs, cards, f, NO_TARGET, group, True)
        while found < 0 and group < INTRUDERS_ALL:
            group += 1
            found = find_target(state, knobs, cards, f, NO_TARGET, group, True)
        if found < 0:
            break
        attack(state, knobs, cards, f, found >> 3, found & 7, s.COMBAT_STREAM)


# --- Cannons --------------------------------------------------------------------


@kernel
def may_shoot(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> bool:
    """LW-CMD-15: whether the hex holds intruders, at distance 1 up to the cannon's range and in line of sight."""
    here = np.int64(state.hex[f])
    distance = np.int64(cards.flight[here, h])
    if state.their_heads[h] == 0 or distance < 1 or distance > knobs.cannon_range:
        return False
    return cards.sees[here, h] == 1


@kernel
def shooting(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-15: asks for the shot of the next cannon with a target; returns whether none is left."""
    while state.step2 < s.CANNONS:
        gun = np.int64(state.step2)
        f = s.FIRST_CANNON + gun
        state.step2 += 1
        if np.int64(state.cannon[gun]) != s.PLACED or not b.able(state, f) or np.int64(state.ctrl[f]) != s.CG:
            continue
        h = np.int64(state.hex[f])
        if state.their_heads[h] > 0 or not (is_free(state, cards, s.CG, h) or may_pay(state, s.CG, h)):
            continue
        for there in range(cards.n_hexes):
            if may_shoot(state, knobs, cards, f, np.int64(there)):
                state.target = f
                b.ask(state, s.CG, s.D_CANNON)
                return False
    return True


@kernel
def offer_shots(state: State, knobs: Knobs, cards: Cards) -> None:
    offer(state, 0)
    for h in range(cards.n_hexes):
        if may_shoot(state, knobs, cards, np.int64(state.target), np.int64(h)):
            offer(state, h + 1)


@kernel
def shoot(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """LW-CMD-15: carries out a shot's ranged attacks."""
    if action == 0:
        return
    count_rule(state, rule.LW_CMD_15)
    count_rule(state, rule.LW_CMB_16)
    f = np.int64(state.target)
    h = np.int64(state.hex[f])
    if not is_free(state, cards, s.CG, h):
        pay_fight(state, cards, s.CG, h)
        state.paid_hex[f - s.FIRST_CANNON] = h
    area_attack(
        state, knobs, cards, np.int64(action) - 1, np.int64(knobs.cannon_shots), np.int64(knobs.cannon_strength), s.CG,
        s.COMBAT_STREAM,
    )  # fmt: skip
