"""Event and command cards (steps 2 and 3): their immediate effects (LW-EVT, LW-CMD)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer, shuffle
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s

COURT = 7


# --- Decks ----------------------------------------------------------------------


@kernel
def set_up_decks(state: State, cards: Cards) -> None:
    """LW-SET-05: sets up both decks face down; they are never reshuffled."""
    count_rule(state, rule.LW_SET_05)
    for at in range(cards.n_events):
        state.event_deck[at] = at
    shuffle(state, s.EVENT_STREAM, state.event_deck[: cards.n_events])
    for at in range(cards.n_commands):
        state.command_deck[at] = at
    shuffle(state, s.COMMAND_STREAM, state.command_deck[: cards.n_commands])


# --- Step 2: events -------------------------------------------------------------


@kernel
def draw_event(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-EVT-01: one card is drawn, carried out and set aside."""
    state.event_drawn = -1
    if state.event_at >= cards.n_events:
        count_rule(state, rule.LW_TRN_06)
        return
    count_rule(state, rule.LW_EVT_01)
    card = np.int64(state.event_deck[state.event_at])
    state.event_at += 1
    state.event_drawn = card
    for seat in range(s.FACTIONS):
        b.use_item(state, card, np.int64(seat))
    kind = np.int64(cards.event[card])
    arg = np.int64(cards.event_arg[card])
    if kind == s.EV_FIRE:
        count_rule(state, rule.LW_EVT_02)
        if np.int64(cards.fire_on[arg]) == np.int64(cards.grounds[0]):
            count_rule(state, rule.LW_EVT_03)
        start_fire(state, arg)
    elif kind == s.EV_BRIDGE:
        bridge_down(state, knobs, cards, arg)
    elif kind == s.EV_MINE:
        mine(state, cards, arg)
    elif kind == s.EV_OGRE:
        count_rule(state, rule.LW_EVT_07)
        state.ogres_pending += 1
    elif kind == s.EV_STATUE:
        count_rule(state, rule.LW_EVT_08)
        if np.int64(state.statue) == s.STATUE_WHOLE:
            state.statue = s.STATUE_SHATTERED


@kernel
def start_fire(state: State, k: int) -> None:
    """LW-EVT-02: a hex that neither burns nor is burnt starts burning."""
    if state.fire[k] == 0:
        state.fire[k] = 1
        state.fires += 1


@kernel
def bridge_down(state: State, knobs: Knobs, cards: Cards, which: int) -> None:
    """LW-EVT-04: an intact bridge goes down and needs repair; a bridge that is down stays down."""
    count_rule(state, rule.LW_EVT_04)
    if (np.int64(state.config) >> which) & 1 == 0:
        return
    h = np.int64(cards.bridge[which])
    clear_sides(state, cards, h)
    state.config = np.int64(state.config) & ~(1 << which)
    if which == 0:
        state.due[s.DUE_J] = knobs.bridge_cost_stone
    else:
        state.due[s.DUE_K] = knobs.bridge_cost_foot
    f = np.int64(state.head[h])
    while f >= 0:
        count_rule(state, rule.LW_EVT_05)
        after = np.int64(state.next[f])
        flee(state, knobs, cards, f, h)
        f = after
    if state.queen == h or state.brunhilde == h:
        flee_tokens(state, cards, h)


@kernel
def flee(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> None:
    """LW-EVT-05: a figure flees to the first neighbour with room and no enemy, else to the first with room, else off
    the map.
    """
    for careful in range(2):
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[h, way])
            if there < 0 or b.is_down(state, cards, there) or not b.has_room(state, knobs, cards, f, there):
                continue
            foes = state.their_heads[there] if b.is_ours(state, f) else state.our_heads[there]
            if careful == 1 or foes == 0:
                b.bring(state, cards, f, there)
                return
    b.lose_figure(state, cards, f)


@kernel
def flee_tokens(state: State, cards: Cards, h: int) -> None:
    """A token left on a bridge goes to its first neighbour."""
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.beside[h, way])
        if there >= 0 and not b.is_down(state, cards, there):
            if state.queen == h:
                state.queen = there
            if state.brunhilde == h:
                state.brunhilde = there
            return


@kernel
def clear_sides(state: State, cards: Cards, h: int) -> None:
    """Barricades and water walls that touch a hex vanish (LW-EVT-05)."""
    clear_barricades(state, cards, h)
    for at in range(s.WATER_WALLS):
        if state.wall_last[at] == 0:
            continue
        here = np.int64(state.wall_hex[at])
        way = np.int64(state.wall_dir[at])
        if here == h or np.int64(cards.beside[here, way]) == h:
            state.wall_last[at] = 0
    wet_sides(state, cards)


@kernel
def clear_barricades(state: State, cards: Cards, h: int) -> None:
    """Removes a hex's barricades; the pieces return to the pool at the end of the turn (LW-BAR-04)."""
    for way in range(s.DIRECTIONS):
        if (np.int64(state.barricade[h]) >> way) & 1:
            remove_barricade(state, cards, h, np.int64(way))


@kernel
def remove_barricade(state: State, cards: Cards, h: int, way: int) -> None:
    count_rule(state, rule.LW_BAR_04)
    there = np.int64(cards.beside[h, way])
    back = (way + 3) % 6
    state.barricade[h] = np.int64(state.barricade[h]) & ~(1 << way)
    state.fresh[h] = np.int64(state.fresh[h]) & ~(1 << way)
    state.barricade[there] = np.int64(state.barricade[there]) & ~(1 << back)
    state.fresh[there] = np.int64(state.fresh[there]) & ~(1 << back)
    state.returning += 1


@kernel
def wet_sides(state: State, cards: Cards) -> None:
    """Recomputes the sides closed by Walls of Water from their list."""
    for h in range(s.HEXES_MAX):
        state.wet[h] = 0
    for at in range(s.WATER_WALLS):
        if state.wall_last[at] > 0:
            h = np.int64(state.wall_hex[at])
            for turned in range(2):
                way = (np.int64(state.wall_dir[at]) + turned) % 6
                there = np.int64(cards.beside[h, way])
                if there >= 0:
                    state.wet[h] = np.int64(state.wet[h]) | (1 << way)
                    state.wet[there] = np.int64(state.wet[there]) | (1 << ((way + 3) % 6))


@kernel
def mine(state: State, cards: Cards, site: int) -> None:
    """LW-EVT-06: endangers all figures in the hex, then breaches the site."""
    count_rule(state, rule.LW_EVT_06)
    h = np.int64(cards.site[site])
    f = np.int64(state.head[h])
    while f >= 0:
        after = np.int64(state.next[f])
        if b.d6(state, s.MINE_STREAM) <= 3 and b.suffer(state, cards, f, s.MINE_STREAM, s.NOBODY) and f < s.ROSTER:
            b.add(state, s.N_MINED, np.int64(cards.owner[f]))
        f = after
    if (np.int64(state.config) >> (2 + site)) & 1 == 0:
        state.config = np.int64(state.config) | (1 << (2 + site))
        clear_barricades(state, cards, h)


# --- Step 3: commands -----------------------------------------------------------


@kernel
def draw_command(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-CMD-01, LW-TRN-03, LW-TRN-04; returns whether a conference is called."""
    state.command_drawn = -1
    if (np.int64(state.turn) + knobs.command_parity) % 2 != 0:
        return False
    count_rule(state, rule.LW_TRN_03)
    if state.command_at >= cards.n_commands:
        count_rule(state, rule.LW_TRN_06)
        return False
    count_rule(state, rule.LW_CMD_01)
    count_rule(state, rule.LW_TRN_04)
    card = np.int64(state.command_deck[state.command_at])
    state.command_at += 1
    state.command_drawn = card
    for seat in range(s.FACTIONS):
        b.use_item(state, s.ITEM_COMMAND + card, np.int64(seat))
    return carry_out_command(state, knobs, np.int64(cards.command[card]))


@kernel
def carry_out_command(state: State, knobs: Knobs, kind: int) -> bool:
    if kind == s.CM_COUNTER_MINE:
        count_rule(state, rule.LW_CMD_03)
        state.due[s.DUE_MINE] = knobs.counter_mine_cost
        state.mine_deadline = np.int64(state.turn) + np.int64(knobs.counter_mine_turns) - 1
    elif kind == s.CM_WELLS:
        count_rule(state, rule.LW_CMD_04)
        state.due[s.DUE_WELLS] = knobs.wells_cost
    elif kind == s.CM_WATER:
        count_rule(state, rule.LW_CMD_05)
        state.due[s.DUE_WATER] = knobs.water_cost
    elif kind == s.CM_HOSPITAL:
        count_rule(state, rule.LW_CMD_07)
        state.due[s.DUE_HOSPITAL] = knobs.hospital_cost
    elif kind == s.CM_RESERVE:
        count_rule(state, rule.LW_CMD_12)
        state.reserve_called = 1
        state.due[s.DUE_RESERVE] = knobs.reserve_attack
        if knobs.reserve_attack == 0:
            state.reserve_active = 1
    elif kind == s.CM_FOOD:
        count_rule(state, rule.LW_CMD_06)
        state.due[s.DUE_FOOD] = knobs.food_cost
    elif kind == s.CM_CONFERENCE:
        count_rule(state, rule.LW_CMD_08)
        count_rule(state, rule.LW_CMD_09)
        state.conference_until = np.int64(state.turn) + np.int64(knobs.conference_turns) - 1
        state.count[s.N_CONFERENCE] = state.turn
        return True
    elif kind == s.CM_CANNON:
        count_rule(state, rule.LW_CMD_14)
        gun = 0 if np.int64(state.cannon[0]) == s.NO_CANNON else 1
        state.cannon[gun] = s.CALLED
        state.due[s.DUE_CANNON_1A if gun == 0 else s.DUE_CANNON_2A] = knobs.cannon_attack
        state.due[s.DUE_CANNON_1P if gun == 0 else s.DUE_CANNON_2P] = knobs.cannon_peasants
    return False


@kernel
def conferring(state: State) -> bool:
    """LW-CMD-08: asks the next faction for its delegate; returns whether all have been asked."""
    if state.at >= s.FACTIONS:
        return True
    b.ask(state, np.int64(state.at), s.D_CONFER)
    state.at += 1
    return False


@kernel
def class_of(cards: Cards, seat: int, f: int) -> int:
    """LW-D06: 0 to 2 the characters, 3 mounted, 4 foot."""
    cls = np.int64(cards.cls[f])
    if cls == s.MOUNTED:
        return np.int64(3)
    return np.int64(4) if cls == s.FOOT else f - np.int64(cards.first[seat])


@kernel
def offer_delegates(state: State, cards: Cards, seat: int) -> None:
    """Classes with a figure on the map; a faction without one has a single option, which sends nobody."""
    classes = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if state.hex[f] >= 0:
            classes |= 1 << class_of(cards, seat, np.int64(f))
    for option in range(5):
        if (classes >> option) & 1:
            offer(state, option)
    if classes == 0:
        offer(state, 0)


@kernel
def confer(state: State, knobs: Knobs, cards: Cards, cls: int) -> None:
    """LW-CMD-08: the figure of the class that is nearest to the inner courtyard is placed there."""
    seat = np.int64(state.seat)
    best = s.NOBODY
    nearest = s.FAR + 1
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if state.hex[f] >= 0 and class_of(cards, seat, np.int64(f)) == cls:
            distance = np.int64(cards.path[state.config, state.hex[f], cards.court[0]])
            if distance < nearest:
                best = np.int64(f)
                nearest = distance
    if best >= 0:
        to_court(state, knobs, cards, best)
        b.set_mark(state, best, s.CONFERRING)


@kernel
def to_court(state: State, knobs: Knobs, cards: Cards, f: int) -> None:
    """LW-CMD-08: moves a figure to C2, else C1, C6, C3, C4, C5, C7; if none has room, it stays where it is."""
    for at in range(COURT):
        h = np.int64(cards.court[at])
        if np.int64(state.hex[f]) == h:
            return
        if b.has_room(state, knobs, cards, f, h):
            b.bring(state, cards, f, h)
            return


# --- Losses by command ----------------------------------------------------------


@kernel
def remove_random(state: State, cards: Cards, characters: bool) -> None:
    """LW-CMD-10: removes a random roster figure (not a character) from the map for good."""
    count_rule(state, rule.LW_CMD_10)
    n = np.int64(0)
    for f in range(s.ROSTER):
        if state.hex[f] >= 0 and (characters or np.int64(cards.character[f]) < 0):
            n += 1
    if n == 0:
        return
    skip = b.pick(state, s.LOSS_STREAM, n)
    for f in range(s.ROSTER):
        if state.hex[f] >= 0 and (characters or np.int64(cards.character[f]) < 0):
            if skip == 0:
                b.add(state, s.N_COMMANDED, np.int64(cards.owner[f]))
                b.leave_map(state, cards, np.int64(f), s.LOST)
                return
            skip -= 1


@kernel
def random_mine(state: State, cards: Cards) -> None:
    """LW-CMD-03: a random site that is not yet breached."""
    n = np.int64(0)
    for site in range(4):
        n += 1 - ((np.int64(state.config) >> (2 + site)) & 1)
    if n == 0:
        return
    skip = b.pick(state, s.MINE_STREAM, n)
    for site in range(4):
        if (np.int64(state.config) >> (2 + site)) & 1 == 0:
            if skip == 0:
                mine(state, cards, np.int64(site))
                return
            skip -= 1
