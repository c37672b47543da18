"""The Wizards' Council: spells, artefacts, Mind Control (LW-WIZ)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import below, count_rule, offer, one_of
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.cards import gain, spend, spend_some
from simlab.games.lowenheim.combat import area_attack
from simlab.games.lowenheim.events import wet_sides

NON_BLANK = 5  # types that are not Blanks
_NB_ORDER = np.array([1, 2, 3, 4, 0], np.int64)  # P, F, W, H, A (LW-WIZ-03)


# --- Costs ----------------------------------------------------------------------


@kernel
def can_pay(state: State, cards: Cards, spell: int) -> bool:
    """Whether the hand holds the named cards and enough other non-blank ones."""
    rest = np.int64(0)
    for kind in range(NON_BLANK):
        left = np.int64(state.hand[s.WZ, kind]) - np.int64(cards.cost[spell, kind])
        if left < 0:
            return False
        rest += left
    return rest >= np.int64(cards.cost[spell, s.BLANK])


@kernel
def pay(state: State, cards: Cards, spell: int) -> None:
    for kind in range(NON_BLANK):
        spend_some(state, s.WZ, np.int64(kind), np.int64(cards.cost[spell, kind]))
    pay_any(state, np.int64(cards.cost[spell, s.BLANK]))
    state.count[s.N_SPELLS] += 1
    b.use_item(state, s.ITEM_SPELL + spell, s.WZ)


@kernel
def pay_any(state: State, n: int) -> None:
    """LW-WIZ-03: pays non-blank cards of the type with the most left; ties in the order P, F, W, H, A."""
    for _ in range(n):
        count_rule(state, rule.LW_WIZ_03)
        best = np.int64(s.PEASANTS)
        for at in range(NON_BLANK):
            kind = np.int64(_NB_ORDER[at])
            if state.hand[s.WZ, kind] > state.hand[s.WZ, best]:
                best = kind
        spend(state, s.WZ, best)


# --- Step 1: the Mask -----------------------------------------------------------


@kernel
def in_tower(state: State, cards: Cards, wizard: int) -> bool:
    """Whether a wizard is able and in the tower."""
    f = s.SEVERUS + wizard
    return b.able(state, f) and np.int64(state.ctrl[f]) == s.WZ and np.int64(state.hex[f]) == np.int64(cards.main[s.D])


@kernel
def wearing(state: State, cards: Cards) -> None:
    """LW-WIZ-17: asks which wizard wears the Mask, if any can."""
    if state.artefact_lost[s.MASK]:
        return
    for wizard in range(s.WIZARDS):
        if in_tower(state, cards, np.int64(wizard)):
            b.ask(state, s.WZ, s.D_WEAR)
            return


@kernel
def offer_mask(state: State, cards: Cards) -> None:
    offer(state, 0)
    for wizard in range(s.WIZARDS):
        if in_tower(state, cards, np.int64(wizard)):
            offer(state, wizard + 1)


@kernel
def wear(state: State, action: int) -> None:
    if action == 0:
        return
    count_rule(state, rule.LW_WIZ_17)
    b.set_mark(state, s.SEVERUS + action - 1, s.BUSY)
    state.mask_worn = 1
    go_public(state, s.MASK)


@kernel
def go_public(state: State, artefact: int) -> None:
    """LW-WIZ-16."""
    count_rule(state, rule.LW_WIZ_16)
    state.artefact_public[artefact] = 1
    state.revealed[s.S_ARTEFACTS] = np.int64(state.revealed[s.S_ARTEFACTS]) & ~(1 << artefact)
    state.count[s.N_ARTEFACTS] += 1
    b.use_item(state, s.ITEM_ARTEFACT + artefact, s.WZ)


# --- Step 3: the Box ------------------------------------------------------------


@kernel
def using_box(state: State) -> None:
    """LW-WIZ-18: asks whether to pay for the Box."""
    at = np.int64(state.box_at)
    if at == s.IN_TOWER or at == s.NO_BOX or state.artefact_lost[s.BOX]:
        return
    f = s.SEVERUS + at - 1
    if state.hex[f] < 0 or b.marked(state, f, s.BUSY):
        return
    non_blank = np.int64(0)
    for kind in range(NON_BLANK):
        non_blank += np.int64(state.hand[s.WZ, kind])
    if non_blank >= 2:
        b.ask(state, s.WZ, s.D_BOX)


@kernel
def use_box(state: State, yes: int) -> None:
    if not yes:
        return
    count_rule(state, rule.LW_WIZ_18)
    pay_any(state, np.int64(2))
    state.box_used = 1
    go_public(state, s.BOX)


# --- Permission to cast ---------------------------------------------------------


@kernel
def may_act(state: State, wizard: int) -> bool:
    """LW-WIZ-01: whether a wizard is able and under WZ, and has neither cast nor used the Box this turn."""
    f = s.SEVERUS + wizard
    if (np.int64(state.cast) >> wizard) & 1 or not b.able(state, f) or np.int64(state.ctrl[f]) != s.WZ:
        return False
    return not (state.box_used and np.int64(state.box_at) == wizard + 1)


@kernel
def casting(state: State, cards: Cards, decision: int) -> bool:
    """LW-WIZ-02: asks the next wizard that may act; returns whether none is left."""
    while state.at < s.WIZARDS:
        wizard = np.int64(state.at)
        if decision == s.D_MAGIC and not state.artefact_lost[s.MASK] and in_tower(state, cards, wizard):
            state.box_could = np.int64(state.box_could) | (1 << wizard)
        if may_act(state, wizard):
            state.wizard = wizard
            b.ask(state, s.WZ, decision)
            return False
        state.at += 1
    return True


@kernel
def offer_magic(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-D09: offers to do nothing, the spells, the Altar, the Teleporter (out and in) and the Box."""
    wizard = np.int64(state.wizard)
    offer(state, 0)
    for option in range(1, 6):
        spell = np.int64(option) - 1
        if may_cast(state, knobs, cards, spell, wizard):
            offer(state, option)
    for option in range(6, 10):
        spell = np.int64(option)
        if may_cast(state, knobs, cards, spell, wizard):
            offer(state, option)
    if not in_tower(state, cards, wizard):
        return
    tower = np.int64(cards.main[s.D])
    if not state.artefact_lost[s.ALTAR] and state.hex[s.DEMON] < 0 and state.ours[tower] < knobs.stack_limit:
        offer(state, s.ALTAR_9)
    if not state.artefact_lost[s.TELEPORTER] and state.their_heads[tower] == 0:
        if travellers(state, knobs, cards, wizard, tower) and has_target(state, knobs, cards, s.OUT_9, wizard):
            offer(state, s.OUT_9)
        if has_target(state, knobs, cards, s.IN_9, wizard):
            offer(state, s.IN_9)
    if np.int64(state.box_at) == s.IN_TOWER and not state.artefact_lost[s.BOX]:
        offer(state, s.BOX_9)


@small_kernel
def spell_of(decision: int, option: int) -> int:
    """LW-D09: 6 to 9 are the spells from Mind Control on, because Morale is only cast before combat. LW-D20: 1 to 4,
    then 5 Morale."""
    if decision == s.D_MAGIC:
        return np.int64(option) - 1 if option <= 5 else np.int64(option)
    if option <= 4:
        return np.int64(option) - 1
    return s.MORALE if option == 5 else np.int64(option) + 1


@kernel
def offer_battle_magic(state: State, knobs: Knobs, cards: Cards) -> None:
    offer(state, 0)
    for option in range(1, 9):
        if may_cast(state, knobs, cards, spell_of(s.D_BATTLE_MAGIC, np.int64(option)), np.int64(state.wizard)):
            offer(state, option)


@kernel
def may_cast(state: State, knobs: Knobs, cards: Cards, spell: int, wizard: int) -> bool:
    """Whether a spell can be paid for and has a target."""
    if not can_pay(state, cards, spell):
        return False
    if spell == s.FAST_FOOD:
        return state.hand[s.WZ, s.FOOD] >= np.int64(cards.cost[spell, s.FOOD]) + 1
    if spell == s.MORALE:
        return state.hand[s.WZ, s.PEASANTS] >= np.int64(cards.cost[spell, s.PEASANTS]) + 1
    if spell == s.WALL_OF_WATER or spell == s.INSECTS or spell == s.TREEFOLK:
        for way in range(s.DIRECTIONS):
            if may_face(state, cards, spell, wizard, np.int64(way)):
                return has_figures(state, spell)
        return False
    if spell == s.STEAL:
        return may_steal(state, knobs, cards)
    if spell == s.MIND_CONTROL and controlled_now(state) >= knobs.mc_cap:
        return False
    return has_target(state, knobs, cards, spell, wizard)


@kernel
def controlled_now(state: State) -> int:
    n = np.int64(0)
    while n < s.CONTROLLED_MOST and state.controlled[n] >= 0:
        n += 1
    return n


@kernel
def has_figures(state: State, spell: int) -> bool:
    """LW-WIZ-15: whether there are free figures to summon; LW-WIZ-05: whether there is a free wall."""
    if spell == s.INSECTS:
        free = np.int64(0)
        for f in range(s.FIRST_BEE, s.FIRST_BEE + s.BEES):
            free += np.int64(state.hex[f] < 0)
        return free >= s.SWARM
    if spell == s.TREEFOLK:
        for f in range(s.FIRST_ENT, s.FIRST_ENT + s.ENTS):
            if state.hex[f] < 0:
                return True
        return False
    for at in range(s.WATER_WALLS):
        if state.wall_last[at] == 0:
            return True
    return False


@kernel
def may_face(state: State, cards: Cards, spell: int, wizard: int, way: int) -> bool:
    """LW-D13: whether a direction allows a Wall of Water, or a hex where summoned figures can appear."""
    h = np.int64(state.hex[s.SEVERUS + wizard])
    side = np.int64(cards.side[state.config, h, way])
    if spell == s.WALL_OF_WATER:
        return side != s.NO_SIDE or np.int64(cards.side[state.config, h, (way + 1) % 6]) != s.NO_SIDE
    there = np.int64(cards.beside[h, way])
    if there < 0 or side == s.NO_SIDE or side == s.WALL or (np.int64(state.wet[h]) >> way) & 1:
        return False
    return state.head[there] < 0


@kernel
def may_steal(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-WIZ-14: whether WZ may steal: not if they would hold 6 or more cards after paying."""
    if np.int64(state.held[s.WZ]) - price(cards, s.STEAL) >= knobs.hand_size:
        return False
    for seat in range(s.FACTIONS):
        if seat != s.WZ and state.held[seat] > 0:
            return True
    return False


@kernel
def price(cards: Cards, spell: int) -> int:
    total = np.int64(0)
    for kind in range(s.TYPES):
        total += np.int64(cards.cost[spell, kind])
    return total


@kernel
def has_target(state: State, knobs: Knobs, cards: Cards, spell: int, wizard: int) -> bool:
    """Whether `is_target` holds for any hex; for most spells it checks only the few possible hexes."""
    here = np.int64(state.hex[s.SEVERUS + wizard])
    if spell == s.HEAL:
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[here, way])
            if there >= 0 and hurt_in(state, cards, there) >= 0:
                return True
        return hurt_in(state, cards, here) >= 0
    if spell == s.FIREBALL or spell == s.LIGHTNING:
        reach = np.int64(cards.range[spell])
        for h in range(cards.n_hexes):
            if state.their_heads[h] > 0 and cards.sees[here, h] == 1 and np.int64(cards.flight[here, h]) <= reach:
                return True
        return False
    if spell == s.MIND_CONTROL:
        reach = np.int64(cards.range[spell])
        for h in range(cards.n_hexes):
            if np.int64(cards.flight[here, h]) <= reach and kinds_in(state, cards, np.int64(h)) != 0:
                return True
        return False
    for h in range(cards.n_hexes):
        if is_target(state, knobs, cards, spell, wizard, np.int64(h)):
            return True
    return False


@kernel
def is_target(state: State, knobs: Knobs, cards: Cards, spell: int, wizard: int, h: int) -> bool:
    """LW-D10: whether a spell or the Teleporter may be directed at a hex."""
    here = np.int64(state.hex[s.SEVERUS + wizard])
    if spell == s.OUT_9:
        return state.head[h] < 0 and not b.is_down(state, cards, h)
    if state.head[h] < 0:
        return False
    if spell == s.IN_9:
        return h != here and travellers(state, knobs, cards, wizard, h)
    distance = np.int64(cards.flight[here, h])
    if spell == s.HEAL:
        return distance <= 1 and hurt_in(state, cards, h) >= 0
    if distance > np.int64(cards.range[spell]):
        return False
    if spell == s.MIND_CONTROL:
        return kinds_in(state, cards, h) != 0
    return state.their_heads[h] > 0 and cards.sees[here, h] == 1


@kernel
def hurt_in(state: State, cards: Cards, h: int) -> int:
    """LW-WIZ-04: the wounded character with the lowest id in a hex, -1 for none."""
    f = np.int64(state.head[h])
    while 0 <= f < s.ROSTER:
        if cards.character[f] >= 0 and state.wounds[f] < cards.wounds[cards.kind[f]]:
            return f
        f = np.int64(state.next[f])
    return s.NOBODY


# --- Casting --------------------------------------------------------------------


@kernel
def choose_magic(state: State, cards: Cards, action: int) -> None:
    """LW-D09 and LW-D20: the cost is paid at once; then targets are asked for."""
    wizard = np.int64(state.wizard)
    decision = s.D_MAGIC if np.int64(state.stage_magic) == 0 else s.D_BATTLE_MAGIC
    if action == 0:
        state.at += 1
        return
    if decision == s.D_MAGIC and action == s.BOX_9:
        count_rule(state, rule.LW_WIZ_18)
        state.box_at = wizard + 1
        return  # asked again
    state.at += 1
    state.cast = np.int64(state.cast) | (1 << wizard)
    if decision == s.D_MAGIC and action >= s.ALTAR_9:
        b.set_mark(state, s.SEVERUS + wizard, s.BUSY)
        if action == s.ALTAR_9:
            summon_demon(state, cards)
            return
        go_public(state, s.TELEPORTER)
        state.spell = action
        b.ask(state, s.WZ, s.D_TARGET)
        return
    count_rule(state, rule.LW_WIZ_01)
    count_rule(state, rule.LW_WIZ_02)
    spell = spell_of(decision, action)
    state.spell = spell
    pay(state, cards, spell)
    if spell == s.FAST_FOOD or spell == s.MORALE:
        b.ask(state, s.WZ, s.D_POWER)
    elif spell == s.STEAL:
        b.ask(state, s.WZ, s.D_ROB)
    elif spell == s.WALL_OF_WATER or spell == s.INSECTS or spell == s.TREEFOLK:
        b.ask(state, s.WZ, s.D_DIRECTION)
    else:
        b.ask(state, s.WZ, s.D_TARGET)


@kernel
def offer_targets(state: State, knobs: Knobs, cards: Cards) -> None:
    for h in range(cards.n_hexes):
        if is_target(state, knobs, cards, np.int64(state.spell), np.int64(state.wizard), np.int64(h)):
            offer(state, h)


@kernel
def offer_directions(state: State, cards: Cards) -> None:
    for way in range(s.DIRECTIONS):
        if may_face(state, cards, np.int64(state.spell), np.int64(state.wizard), np.int64(way)):
            offer(state, way)


@kernel
def offer_powers(state: State) -> None:
    """LW-D12: offers x of Fast Food or Morale, from 1 to 6, up to the number of cards left."""
    kind = s.FOOD if np.int64(state.spell) == s.FAST_FOOD else s.PEASANTS
    for x in range(1, min(6, np.int64(state.hand[s.WZ, kind])) + 1):
        offer(state, x)


@kernel
def offer_victims(state: State) -> None:
    """LW-D14."""
    for seat in range(s.FACTIONS):
        if seat != s.WZ and state.held[seat] > 0:
            offer(state, seat)


@kernel
def aim_magic(state: State, knobs: Knobs, cards: Cards, h: int) -> None:
    """LW-D10: carries out the action directed at a hex."""
    spell = np.int64(state.spell)
    if spell == s.HEAL:
        count_rule(state, rule.LW_WIZ_04)
        f = hurt_in(state, cards, h)
        state.wounds[f] += 1
    elif spell == s.FIREBALL:
        count_rule(state, rule.LW_WIZ_06)
        count_rule(state, rule.LW_CMB_16)
        shots = np.int64(knobs.fireball_attacks)
        area_attack(state, knobs, cards, h, shots, np.int64(cards.spell_strength[spell]), s.WZ, s.MAGIC_STREAM)
    elif spell == s.LIGHTNING:
        count_rule(state, rule.LW_WIZ_07)
        count_rule(state, rule.LW_CMB_16)
        shots = np.int64(knobs.lightning_attacks)
        area_attack(state, knobs, cards, h, shots, np.int64(cards.spell_strength[spell]), s.WZ, s.MAGIC_STREAM)
    elif spell == s.MIND_CONTROL:
        state.target = h
        b.ask(state, s.WZ, s.D_VICTIM)
    else:
        teleport(state, knobs, cards, h)


@kernel
def strengthen(state: State, x: int) -> None:
    """LW-WIZ-08, LW-WIZ-09: strengthens all defenders in the caster's hex."""
    spell = np.int64(state.spell)
    spend_some(state, s.WZ, s.FOOD if spell == s.FAST_FOOD else s.PEASANTS, x)
    f = np.int64(state.head[state.hex[s.SEVERUS + np.int64(state.wizard)]])
    while f >= 0:
        if b.is_ours(state, f):
            if spell == s.FAST_FOOD:
                state.more_move[f] += x
            else:
                state.more_fight[f] += x
        f = np.int64(state.next[f])
    if spell == s.FAST_FOOD:
        count_rule(state, rule.LW_WIZ_08)
    else:
        count_rule(state, rule.LW_WIZ_09)


@kernel
def face(state: State, knobs: Knobs, cards: Cards, way: int) -> None:
    """LW-WIZ-05, LW-WIZ-15."""
    spell = np.int64(state.spell)
    h = np.int64(state.hex[s.SEVERUS + np.int64(state.wizard)])
    if spell == s.WALL_OF_WATER:
        count_rule(state, rule.LW_WIZ_05)
        for at in range(s.WATER_WALLS):
            if state.wall_last[at] == 0:
                state.wall_hex[at] = h
                state.wall_dir[at] = way
                state.wall_last[at] = np.int64(state.turn) + np.int64(knobs.water_wall_turns) - 1
                break
        wet_sides(state, cards)
        return
    count_rule(state, rule.LW_WIZ_15)
    there = np.int64(cards.beside[h, way])
    if spell == s.TREEFOLK:
        summon(state, cards, s.FIRST_ENT, s.ENTS, np.int64(1), there)
    else:
        summon(state, cards, s.FIRST_BEE, s.BEES, np.int64(s.SWARM), there)


@kernel
def summon(state: State, cards: Cards, first: int, most: int, n: int, h: int) -> None:
    """Places free figures, lowest ids first; they cannot move this turn."""
    for at in range(first, first + most):
        f = np.int64(at)
        if n > 0 and state.hex[f] < 0:
            state.status[f] = s.IN_PLAY
            state.wounds[f] = cards.wounds[state.kind[f]]
            state.stun[f] = 0
            state.marks[f] = s.NO_MOVE
            state.ctrl[f] = s.WZ
            b.put(state, cards, f, h)
            n -= 1


@kernel
def rob(state: State, knobs: Knobs, victim: int) -> None:
    """LW-WIZ-14: takes random cards until WZ holds 6 or the victim has none."""
    count_rule(state, rule.LW_WIZ_14)
    taken = np.int64(0)
    while taken < knobs.steal_max and state.held[victim] > 0 and state.held[s.WZ] < knobs.hand_size:
        left = one_of(state, s.MAGIC_STREAM, np.int64(state.held[victim]))
        kind = np.int64(0)
        while left >= np.int64(state.hand[victim, kind]):
            left -= np.int64(state.hand[victim, kind])
            kind += 1
        state.hand[victim, kind] -= 1
        state.held[victim] -= 1
        gain(state, s.WZ, kind)
        state.known[victim, s.WZ, kind] += 1
        taken += 1
    for viewer in range(s.FACTIONS):  # cards a viewer knew in this hand may be gone; the Wizards saw what they took
        for kind_seen in range(s.TYPES):
            if viewer == s.WZ:
                kept = min(np.int64(state.known[s.WZ, victim, kind_seen]), np.int64(state.hand[victim, kind_seen]))
            else:
                kept = max(np.int64(0), np.int64(state.known[viewer, victim, kind_seen]) - taken)
            state.known[viewer, victim, kind_seen] = kept


# --- Artefacts ------------------------------------------------------------------


@kernel
def summon_demon(state: State, cards: Cards) -> None:
    """LW-WIZ-19."""
    count_rule(state, rule.LW_WIZ_19)
    go_public(state, s.ALTAR)
    summon(state, cards, s.DEMON, np.int64(1), np.int64(1), np.int64(cards.main[s.D]))
    state.demon_turns = 0


@kernel
def travels(state: State, knobs: Knobs, cards: Cards, operator: int, f: int) -> bool:
    """LW-WIZ-21: whether a figure goes through the Teleporter."""
    if f == operator or not b.is_ours(state, f) or b.marked(state, f, s.CONFERRING):
        return False
    if b.marked(state, f, s.RESERVE) and not state.reserve_active:
        return False
    owner = b.faction_of(cards, f)
    return owner == s.WZ or b.permits(state, knobs, owner, s.WZ)


@kernel
def travellers(state: State, knobs: Knobs, cards: Cards, wizard: int, h: int) -> bool:
    """Whether at least one figure of a hex would travel: out of the tower, or into it with room there."""
    operator = s.SEVERUS + wizard
    tower = np.int64(cards.main[s.D])
    f = np.int64(state.head[h])
    while f >= 0:
        if travels(state, knobs, cards, operator, f) and (h == tower or b.has_room(state, knobs, cards, f, tower)):
            return True
        f = np.int64(state.next[f])
    return False


@kernel
def teleport(state: State, knobs: Knobs, cards: Cards, h: int) -> None:
    """LW-WIZ-21: moves figures from the tower to a hex, or from a hex into the tower; LW-WIZ-22: the Teleporter may
    break."""
    count_rule(state, rule.LW_WIZ_21)
    tower = np.int64(cards.main[s.D])
    out = np.int64(state.spell) == s.OUT_9
    start = tower if out else h
    end = h if out else tower
    operator = s.SEVERUS + np.int64(state.wizard)
    f = np.int64(state.head[start])
    while f >= 0:
        after = np.int64(state.next[f])
        if travels(state, knobs, cards, operator, f) and b.has_room(state, knobs, cards, f, end):
            b.bring(state, cards, f, end)
            b.set_mark(state, f, s.NO_MOVE)
        f = after
    count_rule(state, rule.LW_WIZ_22)
    state.count[s.N_TELEPORTS] += 1
    state.teleports += 1
    if below(state, s.MAGIC_STREAM, np.int64(knobs.teleporter_die)) + 1 <= state.teleports:
        state.artefact_lost[s.TELEPORTER] = 1


# --- Mind Control ---------------------------------------------------------------


@kernel
def kind_of_victim(state: State, cards: Cards, f: int) -> int:
    """LW-D11: 0 Rat Ogre, 1 skaven, 2 to 7 ordinary figure, 8 to 13 character of a seat; -1: cannot be controlled."""
    if f >= s.FIRST_INTRUDER:
        if b.is_ours(state, f):
            return s.NOBODY
        return np.int64(0) if np.int64(state.kind[f]) == s.K_OGRE else np.int64(1)
    if f >= s.ROSTER or np.int64(cards.owner[f]) == s.WZ or b.is_controlled(state, cards, f):
        return s.NOBODY
    seat = np.int64(cards.owner[f])
    return seat + 2 if cards.character[f] < 0 else seat + 8


@kernel
def kinds_in(state: State, cards: Cards, h: int) -> int:
    """The kinds of LW-D11 in a hex, as bits."""
    kinds = np.int64(0)
    f = np.int64(state.head[h])
    while f >= 0:
        kind = kind_of_victim(state, cards, f)
        if kind >= 0:
            kinds |= np.int64(1) << kind
        f = np.int64(state.next[f])
    return kinds


@kernel
def offer_kinds(state: State, cards: Cards) -> None:
    kinds = kinds_in(state, cards, np.int64(state.target))
    for option in range(14):
        if (kinds >> option) & 1:
            offer(state, option)


@kernel
def control(state: State, cards: Cards, option: int) -> None:
    """LW-WIZ-10 to LW-WIZ-12: the lowest id of the kind, mounted before foot."""
    best = s.NOBODY
    f = np.int64(state.head[state.target])
    while f >= 0:
        if kind_of_victim(state, cards, f) == option:
            mounted = np.int64(cards.cls[f]) == s.MOUNTED
            if best < 0 or (mounted and np.int64(cards.cls[best]) != s.MOUNTED):
                best = f
        f = np.int64(state.next[f])
    if best < 0:
        return
    count_rule(state, rule.LW_WIZ_10)
    count_rule(state, rule.LW_WIZ_11)
    count_rule(state, rule.LW_WIZ_12)
    change_control(state, cards, best, s.WZ)
    at = controlled_now(state)
    while at > 0 and np.int64(state.controlled[at - 1]) > best:
        state.controlled[at] = state.controlled[at - 1]
        state.breaks[at] = state.breaks[at - 1]
        at -= 1
    state.controlled[at] = best
    state.breaks[at] = 0


@kernel
def change_control(state: State, cards: Cards, f: int, seat: int) -> None:
    """A figure obeys another; it does not move, and its side's sizes follow."""
    h = np.int64(state.hex[f])
    b.count_in(state, cards, f, h, np.int64(-1))
    state.ctrl[f] = seat
    b.count_in(state, cards, f, h, np.int64(1))


@kernel
def break_controls(state: State, cards: Cards) -> None:
    """LW-TRN-02, LW-WIZ-13: each controlled figure rolls to break free, which gets easier by 1 every turn."""
    slot = np.int64(0)
    while slot < s.CONTROLLED_MOST and state.controlled[slot] >= 0:
        count_rule(state, rule.LW_WIZ_13)
        f = np.int64(state.controlled[slot])
        if b.d6(state, s.MAGIC_STREAM) + np.int64(state.breaks[slot]) < 6:
            state.breaks[slot] += 1
            slot += 1
            continue
        b.free_slot(state, slot)
        if f >= s.FIRST_INTRUDER:
            change_control(state, cards, f, s.SKAVEN_SIDE)
        elif b.marked(state, f, s.RESERVE):
            change_control(state, cards, f, s.EL)
        else:
            change_control(state, cards, f, np.int64(cards.owner[f]))
