"""Montségur's seven actions (MS-ATK, MS-REI, MS-RED, MS-INT, MS-BOO, MS-ESC, MS-CON)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import board as b
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.fate import begin_check, perfect_escapes


@kernel
def take_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """MS-ACT-04: all points go into one action."""
    count_rule(state, rule.MS_ACT_04)
    side, points = np.int64(state.active), np.int64(state.cp)
    if action == s.ATTACK:
        begin_attack(state, knobs, cards, side, points, s.ZERO, s.ZERO, s.ALL_LOCATIONS)
    elif action == s.REINFORCE:
        count_rule(state, rule.MS_REI_01)
        reinforce(state, knobs, cards, side, points, s.ZERO)
    elif action == s.REDEPLOY:
        begin_redeploy(state, cards, side, points)
    elif action == s.SCOUT:
        gather_intelligence(state, knobs, side, points)
    elif action == s.BOOST:
        boost(state, knobs, cards, side, points)
    elif action == s.ESCAPE:
        try_escape(state, knobs, cards, points)
    else:
        prepare_consolamentum(state, knobs, points)


@kernel
def action_options(state: State, knobs: Knobs, cards: Cards) -> int:
    """MS-ACT-06: mask of the actions on which the points in play can be spent."""
    side = np.int64(state.active)
    mask = np.int64(1) << s.REINFORCE | 1 << s.SCOUT | 1 << s.BOOST
    own = b.controlled(state, side)
    free = s.ALL_LOCATIONS & ~b.controlled(state, 1 - side)
    here = b.centre(side)
    bases = own & b.reach(state, cards, side, here, free)
    if not state.no_attack and state.soldiers[side, here] > 0 and b.beside_any(state, cards, side, bases) & ~own:
        mask |= 1 << s.ATTACK
    if state.cp >= 2 and (not b.single(bases) or may_redeploy(state, cards, side)):
        mask |= 1 << s.REDEPLOY
    if side == s.CAT:
        if state.montsegur > 0:
            mask |= 1 << s.ESCAPE
        if state.cp >= knobs.aspire_cost:
            mask |= np.int64(1) << 6
    return mask


# --- Attack a location --------------------------------------------------------------


@kernel
def begin_attack(
    state: State, knobs: Knobs, cards: Cards, side: int, points: int, less: int, bare: int, at: int
) -> None:
    """MS-ATK-01 to MS-ATK-03: the attacker chooses base and target. A single way is taken without a decision, except in
    an event, which may be declined (MS-EVT-08).
    """
    if state.no_attack or state.soldiers[side, b.centre(side)] == 0:
        return
    edges = b.attack_edges(state, cards, side, at)
    if edges == 0:
        return
    state.actor = side
    state.attack_cp = points
    state.attack_less = less
    state.attack_bare = bare
    state.attack_at = at
    if b.single(edges) and not state.in_event:
        choose_edge(state, knobs, cards, b.lowest(edges))
    else:
        b.ask(state, side, s.D_EDGE)


@kernel
def edge_options(state: State, cards: Cards) -> int:
    edges = b.attack_edges(state, cards, np.int64(state.actor), np.int64(state.attack_at))
    if state.in_event:
        edges |= np.int64(1) << s.DECLINE_ATTACK
    return edges


@kernel
def choose_edge(state: State, knobs: Knobs, cards: Cards, edge: int) -> None:
    """Takes the chosen edge; then the attacker chooses the force."""
    if edge == s.DECLINE_ATTACK:
        count_rule(state, rule.MS_EVT_08)
        return
    count_rule(state, rule.MS_ATK_02)
    count_rule(state, rule.MS_ATK_03)
    state.attack_edge = edge
    if most_force(state, knobs, cards) == 1:
        attack(state, knobs, cards, s.ONE)
    else:
        b.ask(state, np.int64(state.actor), s.D_FORCE)


@kernel
def most_force(state: State, knobs: Knobs, cards: Cards) -> int:
    """MS-ATK-01, MS-ATK-08: the largest force that may be sent."""
    side, edge = np.int64(state.actor), np.int64(state.attack_edge)
    most = min(np.int64(state.attack_cp), np.int64(state.soldiers[side, b.centre(side)]), s.MAX_FORCE)
    if knobs.surplus_conquerors == 1:
        place = cards.edge_to[edge]
        defenders = state.soldiers[1 - side, place] - b.flanking(state, knobs, cards, side, edge)
        bonus = b.bonus_met(state, knobs, cards, side, edge, np.int64(state.attack_less), np.int64(state.attack_bare))
        most = min(most, b.room(state, place) + bonus + defenders)
    return max(most, 1)


@kernel
def attack(state: State, knobs: Knobs, cards: Cards, force: int) -> None:
    """MS-ATK-04, MS-ATK-05: flanking, defence bonus, one-for-one losses; then the remaining attackers take the
    place."""
    side, edge = np.int64(state.actor), np.int64(state.attack_edge)
    enemy, place = 1 - side, cards.edge_to[edge]
    count_rule(state, rule.MS_ATK_01)
    count_rule(state, rule.MS_ATK_10)
    count_rule(state, rule.MS_PTH_01)
    count_rule(state, rule.MS_PTH_02)
    state.count[s.N_ATTACKS + side] += 1
    bonus = min(
        force,
        b.bonus_met(state, knobs, cards, side, edge, np.int64(state.attack_less), np.int64(state.attack_bare)),
    )
    count_attack_rules(state, knobs, cards, side, edge)
    drawn_off = b.flanking(state, knobs, cards, side, edge)
    state.soldiers[enemy, place] -= drawn_off
    fallen = min(force - bonus, np.int64(state.soldiers[enemy, place]))
    state.soldiers[enemy, place] -= fallen
    state.battlefield[enemy] += drawn_off + fallen
    state.soldiers[side, b.centre(side)] -= force
    state.battlefield[side] += bonus + fallen
    left = force - bonus - fallen
    if left == 0:
        count_rule(state, rule.MS_ATK_07)
    else:
        conquer(state, knobs, side, place, left)


@kernel
def conquer(state: State, knobs: Knobs, side: int, place: int, left: int) -> None:
    """MS-ATK-08, MS-ATK-09: survivors move in, up to the room available."""
    inside = min(left, b.room(state, place))
    if inside < left:
        count_rule(state, rule.MS_ATK_08)
        if knobs.surplus_conquerors != 2:
            state.soldiers[side, b.centre(side)] += left - inside
    state.count[s.N_TAKEN + side] += 1
    if place == b.centre(1 - side):
        count_rule(state, rule.MS_ATK_09)
    b.enter(state, side, place, inside)


@kernel
def count_attack_rules(state: State, knobs: Knobs, cards: Cards, side: int, edge: int) -> None:
    """Counts the rules that apply to an attack, before any soldier moves."""
    enemy, place = 1 - side, cards.edge_to[edge]
    defenders = np.int64(state.soldiers[enemy, place])
    drawn_off = b.flanking(state, knobs, cards, side, edge)
    if drawn_off > 0:
        count_rule(state, rule.MS_FLK_01)
        if drawn_off == defenders:
            count_rule(state, rule.MS_FLK_02)
    if defenders > 0:
        count_rule(state, rule.MS_LOC_01)
        count_rule(state, rule.MS_ATK_05)
        count_rule(state, rule.MS_DEF_01)
        count_rule(state, rule.MS_DEF_02)
    elif place == b.centre(enemy):
        count_rule(state, rule.MS_LOC_02)
        count_rule(state, rule.MS_ATK_06)
    else:
        count_rule(state, rule.MS_LOC_03)
        count_rule(state, rule.MS_ATK_04)
    if state.trebuchets > 0 and defenders > 0:
        if cards.edge_trebuchet[edge]:
            count_rule(state, rule.MS_TRB_01)
            if state.trebuchets * knobs.trebuchet_power > state.bonus[edge]:
                count_rule(state, rule.MS_TRB_02)
            if state.soldiers[s.CRU, s.CRE] == 0:
                count_rule(state, rule.MS_TRB_04)
        else:
            count_rule(state, rule.MS_TRB_03)
    if cards.edge_open[edge] != 1:
        count_rule(state, rule.MS_PTH_03)


# --- Call for reinforcements --------------------------------------------------------


@kernel
def reinforce(state: State, knobs: Knobs, cards: Cards, side: int, points: int, less: int) -> None:
    """MS-REI-02, MS-REI-03: reinforcement points become soldiers in the command centre."""
    count_rule(state, rule.MS_GEN_03)
    points = max(0, points + state.reinf_mod[side])
    if side == s.CRU:
        count_rule(state, rule.MS_REI_02)
        arrived = points
    else:
        count_rule(state, rule.MS_REI_03)
        count_rule(state, rule.MS_REI_06)
        arrived = sneak_through(knobs, points, max(0, b.on_the_path(state, cards) - less))
        if arrived < points:
            count_rule(state, rule.MS_REI_04)
            count_rule(state, rule.MS_REI_05)
            count_rule(state, rule.MS_MAP_03)
    state.count[s.N_REINFORCED + side] += arrived
    b.enter(state, side, b.centre(side), arrived)


@small_kernel
def sneak_through(knobs: Knobs, points: int, crusaders: int) -> int:
    """MS-REI-04: the number of soldiers that get past this many Crusaders."""
    lost = (crusaders + knobs.sneak_divisor - 1) // knobs.sneak_divisor
    return max(0, points - lost)


# --- Redeploy soldiers --------------------------------------------------------------


@small_kernel
def may_redeploy(state: State, cards: Cards, side: int) -> bool:
    """MS-RED-01: two controlled locations that an unblocked path joins."""
    return first_picks(state, cards, side) != 0


@kernel
def first_picks(state: State, cards: Cards, side: int) -> int:
    """Mask of the controlled locations that are joined to a controlled location with a higher number."""
    own = b.controlled(state, side)
    free = s.ALL_LOCATIONS & ~b.controlled(state, 1 - side)
    mask = np.int64(0)
    left = own
    while left:
        region = own & b.reach(state, cards, side, b.lowest(left), free)
        left &= ~region
        mask |= region & (b.up_to_highest(region) >> 1)
    return mask


@kernel
def begin_redeploy(state: State, cards: Cards, side: int, points: int) -> None:
    """The side picks locations in ascending order, then sets the strength of each; an event may be declined."""
    if not may_redeploy(state, cards, side):
        return
    count_rule(state, rule.MS_RED_01)
    count_rule(state, rule.MS_RED_04)
    count_rule(state, rule.MS_RED_05)
    state.actor = side
    state.redeploy_cp = points
    state.picks = 0
    next_pick(state, cards)


@kernel
def picks_made(state: State) -> int:
    number = 0
    for place in range(s.LOCATIONS):
        number += (np.int64(state.picks) >> place) & 1
    return number


@kernel
def pick_options(state: State, cards: Cards) -> int:
    """Mask of the locations that may be picked next, plus the option to stop."""
    side = np.int64(state.actor)
    picks = np.int64(state.picks)
    if picks == 0:
        mask = first_picks(state, cards, side)
        if state.in_event:
            mask |= np.int64(1) << s.STOP_PICKING
        return mask
    mask = b.controlled(state, side) & b.joined(state, cards, side, b.lowest(picks)) & ~b.up_to_highest(picks)
    if picks & (picks - 1):
        mask |= np.int64(1) << s.STOP_PICKING
    return mask


@kernel
def next_pick(state: State, cards: Cards) -> None:
    """Asks for the next location; ends when no points or no locations are left."""
    while picks_made(state) < state.redeploy_cp:
        mask = pick_options(state, cards)
        if not b.single(mask):
            b.ask(state, np.int64(state.actor), s.D_REDEP_PICK)
            return
        if mask >> s.STOP_PICKING:
            break
        state.picks |= mask
    begin_spreading(state)


@kernel
def pick_location(state: State, cards: Cards, place: int) -> None:
    if place == s.STOP_PICKING:
        if state.picks == 0:
            count_rule(state, rule.MS_EVT_08)
        else:
            begin_spreading(state)
        return
    state.picks |= np.int64(1) << place
    next_pick(state, cards)


@kernel
def begin_spreading(state: State) -> None:
    """MS-RED-02: the soldiers of the chosen locations are redistributed."""
    count_rule(state, rule.MS_RED_02)
    side = np.int64(state.actor)
    state.to_place = 0
    state.placed = 0
    for place in range(s.LOCATIONS):
        if (np.int64(state.picks) >> place) & 1:
            state.to_place += state.soldiers[side, place]
    next_strength(state)


@small_kernel
def unsettled(state: State) -> int:
    """Mask of the chosen locations whose strength is not yet set."""
    return np.int64(state.picks) & ~np.int64(state.placed)


@kernel
def next_to_settle(state: State) -> int:
    """The next location to set: in ascending order, the side's own command centre last."""
    mask = unsettled(state)
    own = np.int64(1) << b.centre(np.int64(state.actor))
    return b.lowest(mask & ~own) if mask & ~own else b.lowest(mask)


@kernel
def least_strength(state: State, place: int) -> int:
    """Number of soldiers that do not fit into the remaining locations."""
    later = 0
    others = unsettled(state) & ~(np.int64(1) << place)
    for other in range(s.LOCATIONS):
        if (others >> other) & 1:
            later += b.room(state, other)
    return max(0, np.int64(state.to_place) - later)


@small_kernel
def most_strength(state: State, place: int) -> int:
    return min(b.room(state, place), np.int64(state.to_place))


@kernel
def next_strength(state: State) -> None:
    """Asks for the next strength if there is a choice; the last location gets the rest."""
    while True:
        place = next_to_settle(state)
        if b.single(unsettled(state)):
            settle(state, place, np.int64(state.to_place))
            carry_out_redeploy(state)
            return
        low, high = least_strength(state, place), most_strength(state, place)
        if low < high:
            state.placing = place
            b.ask(state, np.int64(state.actor), s.D_REDEP_SET)
            return
        settle(state, place, low)


@small_kernel
def settle(state: State, place: int, number: int) -> None:
    state.strength[place] = number
    state.to_place -= number
    state.placed |= np.int64(1) << place


@kernel
def set_strength(state: State, number: int) -> None:
    settle(state, np.int64(state.placing), number)
    next_strength(state)


@kernel
def carry_out_redeploy(state: State) -> None:
    """MS-RED-03: a location left empty is no longer controlled."""
    side = np.int64(state.actor)
    state.count[s.N_REDEPLOYS + side] += 1
    for place in range(s.LOCATIONS):
        if (np.int64(state.picks) >> place) & 1:
            if state.strength[place] == 0:
                count_rule(state, rule.MS_RED_03)
                if place == b.centre(side):
                    count_rule(state, rule.MS_LOC_04)
            state.soldiers[side, place] = state.strength[place]
            state.strength[place] = 0


# --- The other actions ----------------------------------------------------------------


@small_kernel
def scouts_bought(knobs: Knobs, points: int) -> int:
    """MS-INT-01: the scouts that an Intelligence action of this many points sends out."""
    if points < knobs.scout_first_cost:
        return 0
    return 1 + (points - knobs.scout_first_cost) // knobs.scout_next_cost


@kernel
def gather_intelligence(state: State, knobs: Knobs, side: int, points: int) -> None:
    """MS-INT-01, MS-INT-02."""
    count_rule(state, rule.MS_INT_01)
    count_rule(state, rule.MS_INT_02)
    count_rule(state, rule.MS_GEN_03)
    number = scouts_bought(knobs, points)
    state.scouts[side] += number
    state.count[s.N_SCOUTS + side] += number


@kernel
def boost(state: State, knobs: Knobs, cards: Cards, side: int, points: int) -> None:
    """MS-BOO-01: a Leadership Check."""
    count_rule(state, rule.MS_BOO_01)
    state.count[s.N_BOOST_TRIED + side] += 1
    base = points + np.int64(state.lead[side])
    begin_check(state, knobs, cards, s.LEADERSHIP, side, base, np.int64(knobs.leadership_threshold))


@kernel
def try_escape(state: State, knobs: Knobs, cards: Cards, points: int) -> None:
    """MS-ESC-01 to MS-ESC-03: the escape succeeds if no Crusader is on the way, otherwise it takes an Escape Check."""
    count_rule(state, rule.MS_ESC_01)
    count_rule(state, rule.MS_REI_06)
    if state.montsegur == 1:
        count_rule(state, rule.MS_ESC_05)
    state.count[s.N_ESCAPE_TRIED] += 1
    crusaders = b.on_the_path(state, cards)
    if crusaders == 0:
        count_rule(state, rule.MS_ESC_02)
        perfect_escapes(state)
    else:
        count_rule(state, rule.MS_ESC_03)
        begin_check(state, knobs, cards, s.ESCAPING, s.CAT, points + np.int64(state.escape_mod), crusaders)


@kernel
def prepare_consolamentum(state: State, knobs: Knobs, points: int) -> None:
    """MS-CON-01, MS-GEN-08: points that buy nothing are lost."""
    count_rule(state, rule.MS_CON_01)
    number = points // knobs.aspire_cost
    if number * knobs.aspire_cost < points:
        count_rule(state, rule.MS_GEN_08)
    state.aspiring += number
    state.count[s.N_CONSOLED] += number


@small_kernel
def crest_owner(state: State) -> int:
    """The side that holds the Crest; -1 for nobody."""
    if state.soldiers[s.CAT, s.CRE] > 0:
        return s.CAT
    if state.soldiers[s.CRU, s.CRE] > 0:
        return s.CRU
    return -1
