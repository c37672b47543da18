"""Steps 9a to 9d: Temple, food, the wolf card, fires, barricades."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import board as b
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.cards import blanks_for, pay_with_blanks, spend, spend_some
from simlab.games.lowenheim.events import remove_barricade, start_fire

MOST_BACK = 3  # LW-FOD-03
MOST_BUILDS = 4  # LW-BAR-01
LISTED = 8  # barricades that LW-D37 lists
ARTEFACTS_IN_TOWER = 4


# --- 9a: the Temple -------------------------------------------------------------


@kernel
def temple_open(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-TMP-02, LW-EVT-03, LW-CMD-07, LW-FIR-07: whether figures may be discharged."""
    if state.due[s.DUE_HOSPITAL] > 0:
        return False
    for at in range(3):
        if state.their_heads[cards.grounds[at]] > 0:
            return False
    k = np.int64(cards.fire_of[cards.grounds[0]])
    if k >= 0 and state.fire[k] != 0:
        return np.int64(state.fire[k]) == s.BURNT and not knobs.temple_burnt_blocks
    return True


@kernel
def discharging(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-TMP-01: asks the next faction that can discharge a figure; returns whether none is left."""
    while state.at < s.FACTIONS:
        seat = np.int64(state.at)
        if state.step == 0 and patients(state, knobs, cards, seat, np.int64(1)) != 0:
            if not temple_open(state, knobs, cards):
                count_rule(state, rule.LW_TMP_02)
                if state.due[s.DUE_HOSPITAL] > 0:
                    count_rule(state, rule.LW_CMD_07)
            elif state.hand[seat, s.HEALING] > 0 and patients(state, knobs, cards, seat, np.int64(0)) != 0:
                b.ask(state, seat, s.D_DISCHARGE)
                return False
        state.at += 1
        state.step = 0
    return True


@kernel
def patient_class(cards: Cards, seat: int, f: int) -> int:
    """LW-D31: 1 commander, 2 and 3 the other wizards, 4 mounted, 5 foot."""
    cls = np.int64(cards.cls[f])
    if cls == s.MOUNTED:
        return np.int64(4)
    return np.int64(5) if cls == s.FOOT else f - np.int64(cards.first[seat]) + 1


@kernel
def patients(state: State, knobs: Knobs, cards: Cards, seat: int, any_room: int) -> int:
    """Classes, as bits, of which a faction has a figure in the Temple and room for it in the grounds."""
    classes = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if np.int64(state.status[f]) == s.TEMPLE and (
            any_room or room_in_grounds(state, knobs, cards, np.int64(f)) >= 0
        ):
            classes |= 1 << patient_class(cards, seat, np.int64(f))
    return classes


@kernel
def room_in_grounds(state: State, knobs: Knobs, cards: Cards, f: int) -> int:
    """LW-TMP-03: the first of H1, H2 and H3 with room; OFF for none."""
    for at in range(3):
        h = np.int64(cards.grounds[at])
        if b.has_room(state, knobs, cards, f, h):
            return h
    return s.OFF


@kernel
def offer_patients(state: State, knobs: Knobs, cards: Cards) -> None:
    classes = patients(state, knobs, cards, np.int64(state.seat), np.int64(0))
    offer(state, 0)
    for option in range(1, 6):
        if (classes >> option) & 1:
            offer(state, option)


@kernel
def discharge(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    """LW-TMP-01, LW-TMP-03: pays a Healing card; the lowest id of the class returns with full wounds."""
    if option == 0:
        state.step = 1
        return
    seat = np.int64(state.seat)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if np.int64(state.status[f]) == s.TEMPLE and patient_class(cards, seat, np.int64(f)) == option:
            count_rule(state, rule.LW_TMP_01)
            spend(state, seat, s.HEALING)
            if cards.character[f] >= 0 and not recovers(state, cards, np.int64(f)):
                return
            count_rule(state, rule.LW_TMP_03)
            b.add(state, s.N_DISCHARGED, seat)
            come_back(state, cards, np.int64(f), room_in_grounds(state, knobs, cards, np.int64(f)))
            return


@kernel
def come_back(state: State, cards: Cards, f: int, h: int) -> None:
    """A roster figure returns, unstunned, with full wounds, to its own faction."""
    state.status[f] = s.IN_PLAY
    state.wounds[f] = cards.wounds[cards.kind[f]]
    b.put(state, cards, f, h)


@kernel
def recovers(state: State, cards: Cards, f: int) -> bool:
    """LW-TMP-04: a character's roll; returns whether it lives."""
    count_rule(state, rule.LW_TMP_04)
    die = b.d6(state, s.TEMPLE_STREAM)
    if die == 1:
        b.add(state, s.N_DIED, np.int64(cards.owner[f]))
        b.leave_map(state, cards, f, s.DEAD)
        return False
    if die < 6:
        state.loss[cards.character[f], die - 2] += 1
    return True


# --- 9b: food -------------------------------------------------------------------


@kernel
def feeding(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-FOD-01: asks for the next card due; at = faction, step = cards requested, fed = cards paid.

    Returns whether the current faction is done and may bring figures back.
    """
    seat = np.int64(state.at)
    if seat == s.WZ:
        count_rule(state, rule.LW_WIZ_23)
        return True
    if state.step >= knobs.food_due or b.roster_on_map(state, cards, seat) == 0:
        return True
    count_rule(state, rule.LW_FOD_01)
    state.step += 1
    b.ask(state, seat, s.D_FEED)
    return False


@kernel
def offer_food(state: State, cards: Cards) -> None:
    seat = np.int64(state.seat)
    offer(state, 0)
    if state.hand[seat, s.FOOD] > 0:
        offer(state, 1)
    if blanks_for(state, cards, seat) > 0:
        offer(state, 2)


@kernel
def feed(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    seat = np.int64(state.seat)
    if action == 1:
        spend(state, seat, s.FOOD)
        state.fed += 1
    elif action == 2:
        pay_blank(state, seat)
        state.fed += 1
    else:
        b.add(state, s.N_UNFED, seat)
        if knobs.starve_pick == 1:
            starve_random(state, cards, seat)
        else:
            form_starving(state, cards, seat)
            b.ask(state, seat, s.D_STARVE)


@kernel
def pay_blank(state: State, seat: int) -> None:
    """LW-CRD-06."""
    count_rule(state, rule.LW_CRD_06)
    b.use_item(state, s.ITEM_POWER, seat)
    spend(state, seat, s.BLANK)


@kernel
def form_starving(state: State, cards: Cards, seat: int) -> None:
    """LW-FOD-02, LW-D33: offers the lowest id of each (hex, class) group, in order; characters only if nobody else is
    left.
    """
    ordinary = False
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if state.hex[f] >= 0 and cards.character[f] < 0:
            ordinary = True
    state.queue_len = 0
    for at in range(cards.first[seat], cards.last[seat] + 1):
        f = np.int64(at)
        if state.hex[f] < 0 or (ordinary and cards.character[f] >= 0):
            continue
        key = starving_key(state, cards, f)
        place = np.int64(state.queue_len)
        while place > 0 and starving_key(state, cards, np.int64(state.queue[place - 1])) > key:
            place -= 1
        if place > 0 and starving_key(state, cards, np.int64(state.queue[place - 1])) == key:
            continue
        for moved in range(state.queue_len, place, -1):
            state.queue[moved] = state.queue[moved - 1]
        state.queue[place] = f
        state.queue_len += 1


@kernel
def starving_key(state: State, cards: Cards, f: int) -> int:
    """Groups by hex and printed class, whoever commands the figure."""
    cls = np.int64(cards.cls[f])
    return (np.int64(state.hex[f]) * 4 + cls) * 256 + (f if cls == s.CHARACTER else np.int64(0))


@kernel
def starve(state: State, cards: Cards, f: int) -> None:
    """LW-FOD-02: the figure goes to the starved pool."""
    count_rule(state, rule.LW_FOD_02)
    b.add(state, s.N_STARVED, np.int64(cards.owner[f]))
    state.starved_now[f] = 1
    b.leave_map(state, cards, f, s.STARVED)


@kernel
def starve_random(state: State, cards: Cards, seat: int) -> None:
    """LW-FOD-02 with starve_pick = random: any figure, but characters only if there is nobody else."""
    for characters in range(2):
        n = np.int64(0)
        for f in range(cards.first[seat], cards.last[seat] + 1):
            n += np.int64(state.hex[f] >= 0 and (cards.character[f] >= 0) == (characters == 1))
        if n == 0:
            continue
        skip = b.pick(state, s.LOSS_STREAM, n)
        for f in range(cards.first[seat], cards.last[seat] + 1):
            if state.hex[f] >= 0 and (cards.character[f] >= 0) == (characters == 1):
                if skip == 0:
                    starve(state, cards, np.int64(f))
                    return
                skip -= 1


@kernel
def regaining(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-FOD-03: asks a fed faction which figures it brings back; returns whether it is done."""
    seat = np.int64(state.at)
    if seat == s.WZ or knobs.food_due == 0 or state.fed < knobs.food_due or state.back >= MOST_BACK:
        return True
    if state.hand[seat, s.FOOD] == 0 and blanks_for(state, cards, seat) == 0:
        return True
    if returning_classes(state, knobs, cards, seat) == 0:
        return True
    b.ask(state, seat, s.D_REGAIN)
    return False


@kernel
def home_room(state: State, knobs: Knobs, cards: Cards, seat: int, f: int) -> int:
    """LW-FOD-03: the first home-base hex with room; OFF if there is none or an intruder is in the base."""
    if b.intruders_in(state, cards, seat):  # a faction's home base is the place with the faction's number
        return s.OFF
    for at in range(cards.place_len[seat]):
        h = np.int64(cards.place[seat, at])
        if b.has_room(state, knobs, cards, f, h):
            return h
    return s.OFF


@kernel
def back_class(cards: Cards, f: int) -> int:
    """LW-D34: 1 mounted, 2 foot, 3 character."""
    cls = np.int64(cards.cls[f])
    if cls == s.MOUNTED:
        return np.int64(1)
    return np.int64(2) if cls == s.FOOT else np.int64(3)


@kernel
def returning_classes(state: State, knobs: Knobs, cards: Cards, seat: int) -> int:
    classes = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        starved = np.int64(state.status[f]) == s.STARVED and not state.starved_now[f]
        if starved and home_room(state, knobs, cards, seat, np.int64(f)) >= 0:
            classes |= 1 << back_class(cards, np.int64(f))
    return classes


@kernel
def offer_returns(state: State, knobs: Knobs, cards: Cards) -> None:
    classes = returning_classes(state, knobs, cards, np.int64(state.seat))
    offer(state, 0)
    for option in range(1, 4):
        if (classes >> option) & 1:
            offer(state, option)


@kernel
def regain(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    if option == 0:
        state.back = MOST_BACK
        return
    count_rule(state, rule.LW_FOD_03)
    seat = np.int64(state.seat)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        if (
            np.int64(state.status[f]) == s.STARVED
            and not state.starved_now[f]
            and back_class(cards, np.int64(f)) == option
        ):
            if state.hand[seat, s.FOOD] > 0:
                spend(state, seat, s.FOOD)
            else:
                pay_blank(state, seat)
            b.add(state, s.N_REGAINED, seat)
            come_back(state, cards, np.int64(f), home_room(state, knobs, cards, seat, np.int64(f)))
            state.back += 1
            return


@kernel
def ask_wolf(state: State) -> None:
    """LW-WLF-01: due while Jean-Jacques is on the map in human form."""
    if state.hex[s.JEAN_JACQUES] >= 0 and state.wolf_until == 0:
        count_rule(state, rule.LW_WLF_01)
        b.ask(state, s.BR, s.D_WOLF)


@kernel
def offer_wolf(state: State) -> None:
    offer(state, 0)
    if state.hand[s.BR, s.FOOD] > 0:
        offer(state, 1)
    if state.hand[s.BR, s.PEASANTS] > 0:
        offer(state, 2)


@kernel
def wolf_card(state: State, knobs: Knobs, action: int) -> None:
    """LW-WLF-02: without a card he becomes a werewolf for the next turns."""
    if action == 1:
        spend(state, s.BR, s.FOOD)
    elif action == 2:
        spend(state, s.BR, s.PEASANTS)
    else:
        count_rule(state, rule.LW_WLF_02)
        state.wolf_until = np.int64(state.turn) + np.int64(knobs.wolf_turns)
        state.wolf_public = 1
        state.kind[s.JEAN_JACQUES] = s.K_WEREWOLF
        state.count[s.N_WOLF] += 1
        b.use_item(state, s.ITEM_POWER + s.P_WOLF, s.BR)


# --- 9c: fires ------------------------------------------------------------------


@kernel
def burning(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-FIR-01, LW-FIR-02: at = flammable hex, step = faction, step2 = cards handed in, spell = whether somebody is
    near.

    Asks for Water; returns whether all fires have been handled.
    """
    if state.fires == 0:
        return True
    while state.at < cards.n_flammable:
        k = np.int64(state.at)
        if not is_alight(state, k):
            state.at += 1
            continue
        if state.step == 0:
            count_rule(state, rule.LW_FIR_01)
        while state.step < s.FACTIONS:
            seat = np.int64(state.step)
            state.step += 1
            if stands_near(state, cards, k, seat):
                state.anybody = 1
                if state.hand[seat, s.WATER] + blanks_for(state, cards, seat) > 0:
                    b.ask(state, seat, s.D_QUENCH)
                    return False
        burn(state, knobs, cards, k)
        state.at += 1
        state.step = 0
        state.step2 = 0
        state.anybody = 0
    for k in range(cards.n_flammable):
        if np.int64(state.fire[k]) == NEW_FIRE:
            state.fire[k] = 1
    return True


NEW_FIRE = np.int64(50)  # a fire that started in this step: not handled in it (LW-FIR-01)


@kernel
def is_alight(state: State, k: int) -> bool:
    fire = np.int64(state.fire[k])
    return 0 < fire < NEW_FIRE


@kernel
def stands_near(state: State, cards: Cards, k: int, seat: int) -> bool:
    """LW-FIR-02: whether a faction has a figure in the burning hex or next to it, regardless of walls."""
    for at in range(cards.fire_near_len[k]):
        f = np.int64(state.head[cards.fire_near[k, at]])
        while f >= 0:
            if b.is_ours(state, f) and b.faction_of(cards, f) == seat:
                return True
            f = np.int64(state.next[f])
    return False


@kernel
def offer_water(state: State, cards: Cards) -> None:
    seat = np.int64(state.seat)
    most = np.int64(state.hand[seat, s.WATER]) + blanks_for(state, cards, seat)
    for n in range(min(most, np.int64(6)) + 1):
        offer(state, n)


@kernel
def quench(state: State, n: int) -> None:
    seat = np.int64(state.seat)
    pay_with_blanks(state, seat, s.WATER, n)
    state.step2 += n
    state.count[s.N_QUENCHED + seat] += n


@kernel
def burn(state: State, knobs: Knobs, cards: Cards, k: int) -> None:
    """LW-FIR-02 to LW-FIR-05: the attempt, then another turn of burning, then the spread."""
    if state.anybody:
        count_rule(state, rule.LW_FIR_02)
        if b.d6(state, s.FIRE_STREAM) + np.int64(state.step2) >= knobs.fire_out_target:
            state.fire[k] = 0
            state.fires -= 1
            return
    count_rule(state, rule.LW_FIR_03)
    count_rule(state, rule.LW_FIR_05)
    state.fire[k] += 1
    if np.int64(state.fire[k]) - 1 >= knobs.burn_turns:
        state.fire[k] = s.BURNT
        state.fires -= 1
        state.count[s.N_BURNT] += 1
        burn_down(state, cards, k)
        return
    count_rule(state, rule.LW_FIR_04)
    spread(state, knobs, cards, k)


@kernel
def spread(state: State, knobs: Knobs, cards: Cards, k: int) -> None:
    """LW-FIR-04: one die for the hex, or one for each neighbour."""
    if knobs.fire_spread_mode == 1:
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.fire_next[k, way])
            if there >= 0 and state.fire[there] == 0 and b.d6(state, s.FIRE_STREAM) == 1:
                catch_fire(state, there)
        return
    if b.d6(state, s.FIRE_STREAM) != 1:
        return
    n = np.int64(0)
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.fire_next[k, way])
        n += np.int64(there >= 0 and state.fire[there] == 0)
    if n == 0:
        return
    skip = b.pick(state, s.FIRE_STREAM, n)
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.fire_next[k, way])
        if there >= 0 and state.fire[there] == 0:
            if skip == 0:
                catch_fire(state, there)
                return
            skip -= 1


@kernel
def catch_fire(state: State, k: int) -> None:
    start_fire(state, k)
    state.fire[k] = NEW_FIRE


@kernel
def burn_down(state: State, cards: Cards, k: int) -> None:
    """LW-FIR-06, LW-FIR-07: applies the losses when a building has burnt down."""
    h = np.int64(cards.fire_on[k])
    if h < 0:
        count_rule(state, rule.LW_FIR_06)
        return
    if h == np.int64(cards.main[s.H]):
        count_rule(state, rule.LW_FIR_07)
    elif h == np.int64(cards.main[s.D]):
        count_rule(state, rule.LW_FIR_07)
        lose_artefacts(state)
    elif h == np.int64(cards.main[s.F]):
        count_rule(state, rule.LW_FIR_07)
        if np.int64(state.hair) == s.HAIR_HIDDEN:
            state.hair = s.HAIR_LOST
    elif h == np.int64(cards.main[s.C]):
        count_rule(state, rule.LW_FIR_07)
        if np.int64(state.queen) == h and not state.queen_escorted:
            state.queen = cards.court[0]
        if np.int64(state.brunhilde) == h and not state.brunhilde_with:
            state.brunhilde = cards.court[0]


@kernel
def lose_artefacts(state: State) -> None:
    """LW-FIR-07, LW-END-05: items in the tower are lost; a carried Box stays."""
    for artefact in range(ARTEFACTS_IN_TOWER):
        if artefact == s.BOX and np.int64(state.box_at) != s.IN_TOWER:
            continue
        state.artefact_lost[artefact] = 1


# --- 9d: barricades -------------------------------------------------------------


@kernel
def intruders_break(state: State, cards: Cards) -> None:
    """LW-ENM-10: destroys older barricades with an intruder on one side and no defender on either."""
    for at in range(s.HEXES_MAX):
        if state.barricade[at] == 0:
            continue
        h = np.int64(at)
        for way in range(s.DIRECTIONS):
            if not is_old(state, h, np.int64(way)):
                continue
            there = np.int64(cards.beside[h, way])
            if state.their_heads[h] + state.their_heads[there] > 0 and state.our_heads[h] + state.our_heads[there] == 0:
                count_rule(state, rule.LW_ENM_10)
                remove_barricade(state, cards, h, np.int64(way))
                state.count[s.N_BROKEN] += 1


@kernel
def is_old(state: State, h: int, way: int) -> bool:
    """Whether a barricade was built in an earlier turn."""
    return ((np.int64(state.barricade[h]) & ~np.int64(state.fresh[h])) >> way) & 1 == 1


@kernel
def builder_hex(state: State, cards: Cards, seat: int) -> int:
    """LW-BAR-02: the commander's hex, unless conferring, controlled or raging; OFF for none."""
    if b.marked(state, np.int64(cards.commander[seat]), s.CONFERRING):
        return s.OFF
    return b.commander_hex(state, cards, seat)


@kernel
def may_build(state: State, knobs: Knobs, cards: Cards, seat: int, way: int) -> bool:
    """LW-BAR-01."""
    h = builder_hex(state, cards, seat)
    if h < 0 or state.pieces == 0 or state.hand[seat, s.PEASANTS] < knobs.barricade_cost:
        return False
    side = np.int64(cards.side[state.config, h, way])
    return (side == s.OPEN or side == s.GATE) and (np.int64(state.barricade[h]) >> way) & 1 == 0


@kernel
def destroyable(state: State, cards: Cards, seat: int, index: int) -> int:
    """LW-BAR-03: the index-th older barricade beside a figure that the faction commands, as 8 h + way; or -1."""
    seen = np.int64(0)
    for at in range(cards.n_hexes):
        if state.barricade[at] == 0:
            continue
        h = np.int64(at)
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[h, way])
            if there < h or not is_old(state, h, np.int64(way)):
                continue
            if commands_in(state, seat, h) or commands_in(state, seat, there):
                if seen == index:
                    return h * 8 + way
                seen += 1
    return s.NOBODY


@kernel
def destroyables(state: State, cards: Cards, seat: int) -> int:
    """How many barricades `destroyable` finds, at most LISTED."""
    seen = np.int64(0)
    for h in range(cards.n_hexes):
        old = np.int64(state.barricade[h]) & ~np.int64(state.fresh[h])
        if old == 0:
            continue
        mine = commands_in(state, seat, np.int64(h))
        for way in range(s.DIRECTIONS):
            there = np.int64(cards.beside[h, way])
            if there >= h and (old >> way) & 1 == 1 and (mine or commands_in(state, seat, there)):
                seen += 1
                if seen == LISTED:
                    return seen
    return seen


@kernel
def commands_in(state: State, seat: int, h: int) -> bool:
    f = np.int64(state.head[h])
    while f >= 0:
        if np.int64(state.ctrl[f]) == seat and not b.rages(state, f):
            return True
        f = np.int64(state.next[f])
    return False


@kernel
def building(state: State, knobs: Knobs, cards: Cards) -> bool:
    """LW-BAR-01: asks for at most four choices per faction; returns whether all factions have made theirs."""
    while state.at < s.FACTIONS:
        if state.step < MOST_BUILDS:
            b.ask(state, np.int64(state.at), s.D_BUILD)
            return False
        state.at += 1
        state.step = 0
    return True


@kernel
def offer_builds(state: State, knobs: Knobs, cards: Cards) -> None:
    seat = np.int64(state.seat)
    offer(state, 0)
    for way in range(s.DIRECTIONS):
        if may_build(state, knobs, cards, seat, np.int64(way)):
            offer(state, way + 1)
    if state.pieces + state.returning == knobs.barricade_pool:  # there is none
        return
    for index in range(destroyables(state, cards, seat)):
        offer(state, index + 7)


@kernel
def build(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    seat = np.int64(state.seat)
    if action == 0:
        state.step = MOST_BUILDS
        return
    state.step += 1
    if action >= 7:
        count_rule(state, rule.LW_BAR_03)
        side = destroyable(state, cards, seat, np.int64(action) - 7)
        remove_barricade(state, cards, side >> 3, side & 7)
        return
    count_rule(state, rule.LW_BAR_01)
    count_rule(state, rule.LW_BAR_02)
    spend_some(state, seat, s.PEASANTS, np.int64(knobs.barricade_cost))
    h = builder_hex(state, cards, seat)
    way = np.int64(action) - 1
    there = np.int64(cards.beside[h, way])
    back = (way + 3) % 6
    state.barricade[h] = np.int64(state.barricade[h]) | (1 << way)
    state.fresh[h] = np.int64(state.fresh[h]) | (1 << way)
    state.barricade[there] = np.int64(state.barricade[there]) | (1 << back)
    state.fresh[there] = np.int64(state.fresh[there]) | (1 << back)
    state.pieces -= 1
    b.add(state, s.N_BUILT, seat)
