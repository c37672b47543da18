"""The Action Phase: the available actions, and their effects (ledger 3.8 to 3.13)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import below, count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import dice as d
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress import tracks as tr
from simlab.games.mighty_fortress.queue import is_city, join_tableau, leave_tableau, take_from_queue

PURSE_BITS = 0x8080808080  # the highest bit of each of five bytes

#: slots for which a die with one of these pips (bit = pip - 1) is high enough; a Red one in a Raid (MF-DIE-04)
SLOTS_OF_PIPS = np.array([(1 << pips.bit_length()) - 1 for pips in range(64)], np.int64)
SLOTS_OF_RED = np.array([(2 << pips.bit_length()) - 1 & 63 if pips else 0 for pips in range(64)], np.int64)

# --- Available actions --------------------------------------------------------


@small_kernel
def offer_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-D-01: ending the phase, and every action that can be completed, in ascending order.

    The available actions are a mask that is built with few branches. Which actions are available is close to random,
    and a mispredicted branch costs the processor more than a test.
    """
    mask = np.int64(state.avail_mask)
    can_execute = casualty_for_card(state) != 0
    seated = taken_spaces(state)
    open_actions = d.bit(s.END_PHASE)
    if can_execute:
        open_actions |= (seated & 7) << s.EXECUTE_ELDER
    ready = np.int64(0)
    if mask != 0:
        ready = ready_elders(state, knobs, cards, seated)
        open_actions |= once_a_turn(state, knobs, mask)
        open_actions |= np.int64(state.unrest > 0) << s.EXECUTE_FOR_UNREST
        open_actions |= np.int64(state.pressure > 0) << s.EXECUTE_FOR_PRESSURE
        open_actions |= (ready & 7) << s.ACTIVATE
        open_actions |= open_seats(state, cards) << s.SEAT
        open_actions |= open_in_queue(state, knobs, cards, mask)
        open_actions |= open_advances(state, knobs, cards) << s.ADVANCE
    state.legal_mask = open_actions
    n = offer_all(state, open_actions, np.int64(0), np.int64(0))
    if can_execute:
        n = offer_all(state, np.int64(state.tableau), s.EXECUTE_OUTSIDER, n)
    if seated & 8:
        n = offer_all(state, np.int64(can_execute) | (ready >> 3) << 1, s.EXECUTE_FIFTH, n)
    state.n_legal = n


@small_kernel
def offer_all(state: State, places: int, first: int, n: int) -> int:
    """Offers the actions `first` + place. n: number of legal actions before. Returns their number afterwards."""
    while places != 0:
        state.legal[np.uint64(n)] = first + d.lowest_place(places)
        places &= places - 1
        n += 1
    return n


@small_kernel
def is_open(state: State, action: int) -> bool:
    """Whether an action below EXECUTE_OUTSIDER is legal in the pending MF-D-01."""
    return np.int64(state.legal_mask) >> action & 1 == 1


@small_kernel
def taken_spaces(state: State) -> int:
    """The council spaces in which an Elder sits."""
    seated = np.int64(0)
    for space in range(s.SPACES):
        seated |= np.int64(state.space[space] != s.EMPTY) << space
    return seated


@small_kernel
def once_a_turn(state: State, knobs: Knobs, mask: int) -> int:
    """MF-ACT-03: actions that have not been taken yet this turn."""
    found = np.int64(not state.ration_used) << s.RATION | np.int64(not state.patrol_used) << s.PATROL
    found |= np.int64(not state.deconstruct_used) << s.DECONSTRUCT
    if not state.counter_used:
        trenches = counter_dice(state, knobs.counter_entrenchment_cost, mask) != 0
        found |= np.int64(trenches & (state.entrenchment > 0)) << s.COUNTER_ENTRENCHMENT
        guns = counter_dice(state, knobs.counter_bombardment_cost, mask) != 0
        found |= np.int64(guns & (state.bombardment > 0)) << s.COUNTER_BOMBARDMENT
    return found


@small_kernel
def ready_elders(state: State, knobs: Knobs, cards: Cards, seated: int) -> int:
    """The council spaces whose Elder can be activated."""
    ready = np.int64(0)
    while seated != 0:
        space = d.lowest_place(seated)
        seated &= seated - 1
        ready |= np.int64(can_activate(state, knobs, cards, space)) << space
    return ready


@small_kernel
def casualty_for_card(state: State) -> int:
    """MF-EXC-01, MF-DIE-11: classes of dice that can pay for an Execute (Card): in play and not Black."""
    return (np.int64(state.avail_mask) & s.COLOURED) | d.exhausted_mask(state, tr.FIVE)


@kernel
def can_activate(state: State, knobs: Knobs, cards: Cards, space: int) -> bool:
    """MF-ELD-01, MF-ELD-02: the Elder is seated and unused this turn, and its price can be paid; a purge needs a Black
    die to execute."""
    elder = np.int64(state.space[space])
    if elder == s.EMPTY or (knobs.elder_activation_limit == 0 and state.activated & d.bit(elder)):
        return False
    if cards.elder_pays[elder] >= 0 and tr.read_track(state, cards.elder_pays[elder]) < cards.elder_price[elder]:
        return False
    if cards.elder_purges[elder]:
        if state.avail_of[s.BLACK] == 0 or (state.unrest == 0 and state.pressure == 0):
            return False
        return state.avail_of[s.BLACK] > 1 or (state.avail_mask & s.COLOURED) != 0
    return True


@small_kernel
def open_seats(state: State, cards: Cards) -> int:
    """MF-SEA-01: open Elders whose die is available and whose cost can be paid."""
    purse = packed_purse(state)
    colours = np.int64(0)
    for colour in range(5):
        colours |= np.int64(state.avail_of[colour] > 0) << colour
    found = np.int64(0)
    for elder in range(s.MAX_ELDERS):
        there = np.int64(state.elder_state[elder] == s.OPEN) & colours >> cards.elder_die[elder]
        found |= (there & np.int64(covers(purse, cards.elder_packed[elder]))) << elder
    return found & ((1 << cards.n_elders) - 1)


@small_kernel
def packed_purse(state: State) -> int:
    """Food, Materials, Luxuries, Piety and Influence, one byte each with its highest bit set; all values are below
    128.
    """
    low = np.int64(state.food) | np.int64(state.materials) << 8 | np.int64(state.luxuries) << 16
    return low | np.int64(state.piety) << 24 | np.int64(state.influence) << 32 | PURSE_BITS


@small_kernel
def covers(purse: int, price: int) -> bool:
    """Whether a packed purse holds at least a packed price in each resource, so that no byte borrows from the next."""
    return (purse - price) & PURSE_BITS == PURSE_BITS


@small_kernel
def reach(state: State) -> int:
    """MF-TRK-02: the farthest slot for Raid and Dispatch."""
    return 6 - state.entrenchment


@small_kernel
def far_reach(state: State) -> int:
    """MF-TRK-02 with the ability `reach`: the farthest slot for Convert and Negotiate."""
    return max(min(6, 6 - state.entrenchment + state.ability[s.REACH_AB]), 0)


@small_kernel
def fold(dice: int) -> int:
    """The union of the six-class groups of the five colours."""
    return (dice | (dice >> 6) | (dice >> 12) | (dice >> 18) | (dice >> 24)) & s.PIPS


@small_kernel
def first_slots(number: int) -> int:
    """A mask of the first `number` slots, 0 to 6."""
    return (1 << max(min(number, s.SLOTS), 0)) - 1


@small_kernel
def open_in_queue(state: State, knobs: Knobs, cards: Cards, mask: int) -> int:
    """Convert, Negotiate, Raid and Dispatch from the Queue, all slots at once: a mask of actions."""
    strength = d.coloured_available(state) + convert_power(state)
    strength += np.int64((not state.blue_used) & (state.avail_of[s.BLUE] > 0))
    outsiders = np.int64(0)
    cities = np.int64(0)
    weak = np.int64(0)
    for slot in range(s.SLOTS):
        card = np.int64(state.queue[slot])
        cities |= np.int64(card >= s.CITY) << slot
        outsiders |= np.int64((card >= 0) & (card < s.CITY)) << slot
        weak |= np.int64(strength >= resistance(knobs, cards, card)) << slot
    far = first_slots(far_reach(state))
    near = first_slots(reach(state))
    coloured = SLOTS_OF_PIPS[fold(mask & s.COLOURED)]
    fitting = coloured | SLOTS_OF_PIPS[mask >> (6 * s.BLACK)]
    raiding = fitting | SLOTS_OF_RED[dice_of(mask, s.RED) >> (6 * s.RED)]
    reduction = state.ability[s.NEGOTIATE_COST_AB] if state.negotiates == 0 else np.int64(0)
    purse = np.int64(state.materials) - reduction
    payable = first_slots(purse + 1)
    if not state.yellow_used:
        payable |= first_slots(purse + 2) & SLOTS_OF_PIPS[dice_of(mask, s.YELLOW) >> (6 * s.YELLOW)]
    willing = outsiders | cities if knobs.city_negotiable == 1 else outsiders
    found = (outsiders & far & coloured & weak) << s.CONVERT
    found |= (willing & far & fitting & payable) << s.NEGOTIATE
    found |= (willing & near & raiding) << s.RAID
    movable = cities & near & coloured
    while movable != 0:
        slot = d.lowest_place(movable)
        movable &= movable - 1
        city = np.int64(state.queue[slot]) - s.CITY
        found |= np.int64(can_dispatch(state, knobs) and can_pay_city(state, cards, city)) << (s.MOVE + slot)
    return found


@small_kernel
def open_advances(state: State, knobs: Knobs, cards: Cards) -> int:
    """MF-DSP-02: cities on the Support Track that can be advanced."""
    if state.on_track == 0 or not can_dispatch(state, knobs):
        return np.int64(0)
    found = np.int64(0)
    for city in range(cards.n_cities):
        found |= np.int64(can_advance(state, knobs, cards, city)) << city
    return found


@small_kernel
def can_dispatch(state: State, knobs: Knobs) -> bool:
    """MF-DSP-05: a Dispatch costs 1 Cohesion, unless a herald is sent."""
    return state.cohesion > 0 or state.herald or knobs.dispatch_at_zero_cohesion == 1


@kernel
def can_advance(state: State, knobs: Knobs, cards: Cards, city: int) -> bool:
    """MF-DSP-02, MF-DSP-03, MF-DSP-04: the city is on the track below the goal, has not been a target this turn, and
    there is enough Power."""
    if state.support[city] == s.OFF_TRACK or state.support[city] >= knobs.support_goal:
        return False
    if state.city_targeted & d.bit(city):
        return False
    dice = d.coloured_available(state)
    if dice == 0:
        return False
    bonus = 0
    if state.avail_of[s.PURPLE] > 0:
        bonus = purple_bonus(knobs, np.int64(state.avail_of[s.PURPLE]))
    elif state.avail_of[s.BLUE] > 0 and not state.blue_used:
        bonus = 1
    return dice + bonus + dispatch_power(state) >= resistance(knobs, cards, s.CITY + city)


@small_kernel
def can_pay_city(state: State, cards: Cards, city: int) -> bool:
    """MF-DSP-01: the Food and Materials of a city."""
    return state.food >= cards.city_food[city] and state.materials >= cards.city_materials[city]


@small_kernel
def resistance(knobs: Knobs, cards: Cards, card: int) -> int:
    """Printed resistance and the knob `resistance_shift`; at least 1."""
    return max(cards.resistance[card] + knobs.resistance_shift, 1)


@small_kernel
def convert_power(state: State) -> int:
    """MF-CNV-02: `convert_power` counts in the first Convert of the turn."""
    return np.int64(state.ability[s.CONVERT_POWER_AB]) if state.converts == 0 else 0


@small_kernel
def dispatch_power(state: State) -> int:
    """MF-DSP-03: `dispatch_power` counts in the first advance of the turn; the herald adds 1."""
    power = np.int64(state.ability[s.DISPATCH_POWER_AB]) if state.advances == 0 else 0
    return power + 1 if state.herald else power


@small_kernel
def purple_bonus(knobs: Knobs, number: int) -> int:
    """MF-DIE-08: Purple dice give +1 in total, or +1 each under `purple_dispatch_stack`."""
    return number if knobs.purple_dispatch_stack else 1


# --- Which dice an action takes -----------------------------------------------


@small_kernel
def dice_of(mask: int, colour: int) -> int:
    """The classes of one colour."""
    return mask & (s.PIPS << (6 * colour))


@small_kernel
def counter_price(state: State, printed: int) -> int:
    """MF-CTB-03: Counter-Battery's price in Materials before the Yellow discount."""
    return max(printed + state.ability[s.COUNTER_COST_AB] + state.counter_cost_turn, 0)


@small_kernel
def counter_dice(state: State, printed: int, mask: int) -> int:
    """Classes of dice with which Counter-Battery can be paid."""
    return payable_dice(state, counter_price(state, printed), mask)


@small_kernel
def payable_dice(state: State, price: int, mask: int) -> int:
    """MF-DIE-06: all dice if the full price can be paid; only Yellow dice if their discount is needed."""
    if state.materials >= price:
        return mask
    if state.materials == price - 1 and not state.yellow_used:
        return dice_of(mask, s.YELLOW)
    return 0


@small_kernel
def negotiate_price(state: State, slot: int) -> int:
    """MF-NEG-01: slot number minus 1; `negotiate_cost` counts in the first Negotiate of the turn. Here `slot` starts at
    0.
    """
    if state.negotiates == 0:
        return max(slot + state.ability[s.NEGOTIATE_COST_AB], 0)
    return slot


@small_kernel
def negotiate_dice(state: State, slot: int, fitting: int) -> int:
    """Classes of dice that can be used to negotiate with a card in this slot."""
    return payable_dice(state, negotiate_price(state, slot), fitting)


@small_kernel
def raid_dice(mask: int, slot: int) -> int:
    """MF-RAI-01, MF-DIE-04: the pip must be at least the slot number; a Red die may be one lower."""
    return (mask & s.AT_LEAST[slot + 1]) | (dice_of(mask, s.RED) & s.AT_LEAST[slot])


# --- Beginning an action ------------------------------------------------------


@small_kernel
def next_action(state: State) -> None:
    """MF-ACT-01: the player acts as long as there are dice; an Execute (Card) can also be paid with an
    Exhausted die."""
    dice = state.avail_mask != 0
    if not dice and (state.tableau != 0 or anyone_seated(state)):
        dice = casualty_for_card(state) != 0
    if dice:
        d.ask(state, s.ACTION, s.ABOUT_ACTION, np.int64(0))
    else:
        state.step = s.SIEGE_STEP


@small_kernel
def anyone_seated(state: State) -> bool:
    return taken_spaces(state) != 0


@small_kernel
def begin_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """MF-D-01: the chosen action, and the dice that it can take."""
    if action == s.END_PHASE:
        state.step = s.SIEGE_STEP
        return
    count_rule(state, rule.MF_ACT_01)
    count_rule(state, rule.MF_GEN_03)
    state.doing = action
    state.actions_taken += 1
    mask = np.int64(state.avail_mask)
    if action >= s.EXECUTE_OUTSIDER and action != s.ACTIVATE_FIFTH:
        d.ask(state, s.CASUALTY, s.ABOUT_CARD_COST, casualty_for_card(state))
    elif s.ADVANCE <= action < s.EXECUTE_OUTSIDER:
        begin_commit(state, mask & s.COLOURED)
    elif action >= s.CONVERT and action != s.ACTIVATE_FIFTH:
        begin_in_queue(state, action, mask)
    elif s.SEAT <= action < s.CONVERT:
        d.ask(state, s.DIE, s.ABOUT_ACTION, dice_of(mask, cards.elder_die[action - s.SEAT]))
    elif action >= s.ACTIVATE:
        elder = np.int64(state.space[space_of(action)])
        if cards.elder_purges[elder] and state.avail_of[s.BLACK] == 1:
            mask &= s.COLOURED
        d.ask(state, s.DIE, s.ABOUT_ACTION, mask)
    elif action >= s.EXECUTE_ELDER:
        d.ask(state, s.CASUALTY, s.ABOUT_CARD_COST, casualty_for_card(state))
    else:
        if action == s.COUNTER_ENTRENCHMENT:
            mask = counter_dice(state, knobs.counter_entrenchment_cost, mask)
        elif action == s.COUNTER_BOMBARDMENT:
            mask = counter_dice(state, knobs.counter_bombardment_cost, mask)
        d.ask(state, s.DIE, s.ABOUT_ACTION, mask)


@small_kernel
def begin_in_queue(state: State, action: int, mask: int) -> None:
    """An action on a card in the Queue: dice with pips for its slot."""
    count_rule(state, rule.MF_TRK_02)
    slot = (action - s.CONVERT) % s.SLOTS
    if is_city(np.int64(state.queue[slot])) and action < s.MOVE:
        count_rule(state, rule.MF_QUE_01)
    if action < s.NEGOTIATE:
        begin_commit(state, mask & s.AT_LEAST[slot + 1] & s.COLOURED)
    elif action < s.RAID:
        d.ask(state, s.DIE, s.ABOUT_ACTION, negotiate_dice(state, slot, mask & s.AT_LEAST[slot + 1]))
    elif action < s.MOVE:
        d.ask(state, s.DIE, s.ABOUT_ACTION, raid_dice(mask, slot))
    else:
        d.ask(state, s.DIE, s.ABOUT_ACTION, mask & s.AT_LEAST[slot + 1] & s.COLOURED)


@kernel
def begin_commit(state: State, options: int) -> None:
    """MF-DIE-02: dice are committed one by one; offers the first die."""
    count_rule(state, rule.MF_DIE_02)
    state.power = 0
    state.power_blue = False
    state.power_purple = 0
    d.ask(state, s.COMMIT, s.ABOUT_ACTION, options)


@small_kernel
def space_of(action: int) -> int:
    """The council space that an Execute or Activate means, from 0."""
    if action >= s.EXECUTE_FIFTH:
        return 3
    return action - s.ACTIVATE if action >= s.ACTIVATE else action - s.EXECUTE_ELDER


@kernel
def use_die(state: State, knobs: Knobs, cards: Cards, die: int) -> None:
    """MF-D-02: takes the die of an action and carries out the action."""
    state.die_used = die
    action = np.int64(state.doing)
    if action == s.RATION:
        ration(state, knobs, die)
    elif action == s.PATROL:
        patrol(state, knobs, die)
    elif action == s.COUNTER_ENTRENCHMENT or action == s.COUNTER_BOMBARDMENT:
        counter_battery(state, knobs, action, die)
    elif action == s.DECONSTRUCT:
        deconstruct(state, knobs, die)
    elif action == s.EXECUTE_FOR_UNREST or action == s.EXECUTE_FOR_PRESSURE:
        execute_die(state, die)
        lower_track(state, knobs, tr.UNREST if action == s.EXECUTE_FOR_UNREST else tr.PRESSURE)
    elif s.SEAT <= action < s.CONVERT:
        seat_elder(state, knobs, cards, action - s.SEAT, die)
    elif s.NEGOTIATE <= action < s.RAID:
        negotiate(state, knobs, cards, action - s.NEGOTIATE, die)
    elif s.RAID <= action < s.MOVE:
        raid(state, knobs, cards, action - s.RAID, die)
    elif s.MOVE <= action < s.ADVANCE:
        move_city(state, knobs, cards, action - s.MOVE, die)
    else:
        activate(state, knobs, cards, space_of(action), die)


# --- Once a turn --------------------------------------------------------------


@kernel
def ration(state: State, knobs: Knobs, die: int) -> None:
    """MF-RAT-01, MF-RAT-02, MF-TRK-03: Food by pip minus Consumption; enough of it also yields a Material."""
    count_rule(state, rule.MF_ACT_03)
    count_rule(state, rule.MF_RAT_01)
    count_rule(state, rule.MF_TRK_03)
    state.ration_used = True
    d.work(state, knobs, die)
    if state.over:
        return
    amount = max(d.pip_of(die) - state.consumption + state.ability[s.RATION_AB], 0)
    tr.gain(state, knobs, tr.FOOD, amount)
    if amount >= knobs.ration_material_at:
        count_rule(state, rule.MF_RAT_02)
        tr.gain(state, knobs, tr.MATERIALS, s.ONE)


@kernel
def patrol(state: State, knobs: Knobs, die: int) -> None:
    """MF-PAT-01: Defense +1, +2 with a strong pip."""
    count_rule(state, rule.MF_ACT_03)
    count_rule(state, rule.MF_PAT_01)
    state.patrol_used = True
    d.work(state, knobs, die)
    if state.over:
        return
    amount = 2 if d.pip_of(die) >= knobs.patrol_strong_pip else 1
    tr.gain(state, knobs, tr.DEFENSE, max(amount + state.ability[s.PATROL_AB], 0))


@kernel
def counter_battery(state: State, knobs: Knobs, action: int, die: int) -> None:
    """MF-CTB-01, MF-CTB-02: Materials for Entrenchment -1 or Bombardment -1."""
    count_rule(state, rule.MF_ACT_03)
    state.counter_used = True
    if action == s.COUNTER_ENTRENCHMENT:
        count_rule(state, rule.MF_CTB_01)
        printed = knobs.counter_entrenchment_cost
    else:
        count_rule(state, rule.MF_CTB_02)
        printed = knobs.counter_bombardment_cost
    price = counter_price(state, printed)
    if price != printed:
        count_rule(state, rule.MF_CTB_03)
    pay_materials(state, price, die)
    d.work(state, knobs, die)
    if not state.over:
        tr.gain(state, knobs, tr.ENTRENCHMENT if action == s.COUNTER_ENTRENCHMENT else tr.BOMBARDMENT, -s.ONE)


@small_kernel
def pay_materials(state: State, price: int, die: int) -> None:
    """MF-DIE-06: pays Materials, 1 fewer with the turn's first Yellow die that can save one."""
    if price > 0 and d.colour_of(die) == s.YELLOW and not state.yellow_used:
        count_rule(state, rule.MF_DIE_06)
        state.yellow_used = True
        price -= 1
    state.materials -= price


@kernel
def deconstruct(state: State, knobs: Knobs, die: int) -> None:
    """MF-DCN-01: Materials by pip; Yellow gives one more, Purple also a Luxury."""
    count_rule(state, rule.MF_ACT_03)
    count_rule(state, rule.MF_DCN_01)
    state.deconstruct_used = True
    d.work(state, knobs, die)
    if state.over:
        return
    amount = d.pip_of(die) + state.ability[s.DECONSTRUCT_AB]
    colour = d.colour_of(die)
    if colour == s.YELLOW:
        count_rule(state, rule.MF_DIE_06)
        amount += 1
    tr.gain(state, knobs, tr.MATERIALS, max(amount, 0))
    if colour == s.PURPLE:
        count_rule(state, rule.MF_DIE_07)
        tr.gain(state, knobs, tr.LUXURIES, s.ONE)


# --- Execute ------------------------------------------------------------------


@kernel
def execute_die(state: State, die: int) -> None:
    """MF-EXD-01, MF-EXD-02, MF-DIE-10: an Available die leaves the game."""
    count_rule(state, rule.MF_EXD_01)
    state.executed_dice += 1
    if d.remove_die(state, die) == s.BLACK:
        count_rule(state, rule.MF_EXD_02)
        count_rule(state, rule.MF_DIE_10)
        state.black_executed_turn += 1
        state.executed_black += 1


@kernel
def lower_track(state: State, knobs: Knobs, what: int) -> None:
    """MF-EXD-01, MF-EXD-03: Unrest -1 or Pressure -1; `execute_bonus` in the first Execute (Die) of the
    turn."""
    amount = 1
    if state.executes == 0:
        amount = max(1 + state.ability[s.EXECUTE_BONUS_AB], 0)
    state.executes += 1
    if what == tr.PRESSURE:
        count_rule(state, rule.MF_EXD_03)
    tr.gain_as_said(state, knobs, what, -amount)


@kernel
def execute_card(state: State, knobs: Knobs, cards: Cards, die: int) -> None:
    """MF-EXC-01, MF-DIE-11: the casualty is paid, then the card goes."""
    count_rule(state, rule.MF_EXC_01)
    count_rule(state, rule.MF_DIE_11)
    d.remove_die(state, die)
    state.casualties_taken += 1
    state.executed_cards += 1
    action = np.int64(state.doing)
    if s.EXECUTE_OUTSIDER <= action < s.EXECUTE_FIFTH:
        execute_outsider(state, cards, action - s.EXECUTE_OUTSIDER)
    else:
        execute_elder(state, knobs, cards, space_of(action))


@kernel
def execute_elder(state: State, knobs: Knobs, cards: Cards, space: int) -> None:
    """MF-EXC-02, MF-EXC-03, MF-EXC-05: scores its VP now; it cannot come back, and its space is free."""
    count_rule(state, rule.MF_EXC_02)
    count_rule(state, rule.MF_EXC_03)
    count_rule(state, rule.MF_EXC_05)
    elder = np.int64(state.space[space])
    state.space[space] = s.EMPTY
    state.elder_state[elder] = s.EXECUTED
    tr.gain(state, knobs, tr.VP, cards.elder_vp[elder])


@kernel
def execute_outsider(state: State, cards: Cards, card: int) -> None:
    """MF-EXC-04: the reward of one of the Outsider's tags; with two tags the player chooses."""
    count_rule(state, rule.MF_EXC_04)
    leave_tableau(state, cards, card)
    if cards.tag[card, 0] < 0:
        return
    if cards.tag[card, 1] < 0:
        state.pc = cards.tag_program[cards.tag[card, 0]]
    else:
        d.ask(state, s.CHOICE, s.ABOUT_TAG, s.BOTH)


@small_kernel
def reward_tag(state: State, cards: Cards, option: int) -> None:
    """MF-EXC-04: the tag chosen."""
    state.pc = cards.tag_program[cards.tag[np.int64(state.doing) - s.EXECUTE_OUTSIDER, option]]


# --- Elders -------------------------------------------------------------------


@kernel
def activate(state: State, knobs: Knobs, cards: Cards, space: int, die: int) -> None:
    """MF-ELD-01, MF-ELD-02, MF-ELD-03: pays the Elder's price and die, then its ability is carried out."""
    count_rule(state, rule.MF_ELD_01)
    elder = np.int64(state.space[space])
    if knobs.elder_activation_limit == 0:
        count_rule(state, rule.MF_ELD_02)
    if state.seated_turn[elder] == state.turn:
        count_rule(state, rule.MF_ELD_03)
    state.activated |= d.bit(elder)
    state.activations += 1
    if cards.elder_pays[elder] >= 0:
        tr.gain_as_said(state, knobs, cards.elder_pays[elder], -cards.elder_price[elder])
    d.work(state, knobs, die)
    if not state.over:
        state.pc = cards.elder_program[elder]


@kernel
def seat_elder(state: State, knobs: Knobs, cards: Cards, elder: int, die: int) -> None:
    """MF-SEA-01, MF-SEA-02, MF-SEA-03: pays die and cost, then takes a free council space or replaces a seated
    Elder."""
    count_rule(state, rule.MF_SEA_01)
    state.food -= cards.elder_cost[elder, 0]
    state.materials -= cards.elder_cost[elder, 1]
    state.luxuries -= cards.elder_cost[elder, 2]
    state.piety -= cards.elder_cost[elder, 3]
    state.influence -= cards.elder_cost[elder, 4]
    d.work(state, knobs, die)
    count_rule(state, rule.MF_SEA_03)
    spaces = 3 + knobs.council_free_spaces
    for space in range(spaces):
        if state.space[space] == s.EMPTY:
            sit_down(state, elder, space)
            return
    d.ask(state, s.REPLACE, s.ABOUT_ACTION, (1 << spaces) - 1)


@kernel
def replace_elder(state: State, space: int) -> None:
    """MF-SEA-02: the replaced Elder goes back to the open Elders."""
    count_rule(state, rule.MF_SEA_02)
    state.elder_state[state.space[space]] = s.OPEN
    sit_down(state, np.int64(state.doing) - s.SEAT, space)


@kernel
def sit_down(state: State, elder: int, space: int) -> None:
    state.space[space] = elder
    state.elder_state[elder] = s.SEATED
    state.seated_turn[elder] = state.turn
    state.elders_seated += 1


# --- Convert, Negotiate, Raid -------------------------------------------------


@small_kernel
def commit(state: State, knobs: Knobs, cards: Cards, die: int) -> None:
    """MF-D-03: commits one more die; with enough Power the action is carried out, else the next die is asked for."""
    d.exhaust(state, die)
    colour = d.colour_of(die)
    state.dice_used[colour] += 1
    if colour == 0:
        count_rule(state, rule.MF_DIE_03)
    state.power += 1
    state.power_blue = state.power_blue or colour == s.BLUE
    state.power_purple += colour == s.PURPLE
    action = np.int64(state.doing)
    if action < s.NEGOTIATE:
        if committed_to_convert(state) >= resistance(knobs, cards, np.int64(state.queue[action - s.CONVERT])):
            convert(state, cards, action - s.CONVERT)
            return
    elif committed_to_dispatch(state, knobs) >= resistance(knobs, cards, s.CITY + action - s.ADVANCE):
        advance_city(state, knobs, action - s.ADVANCE)
        return
    d.ask(state, s.COMMIT, s.ABOUT_ACTION, np.int64(state.avail_mask) & s.COLOURED)


@small_kernel
def committed_to_convert(state: State) -> int:
    """MF-CNV-02, MF-DIE-05: the sum of the dice, the Blue bonus and `convert_power`."""
    power = state.power + convert_power(state)
    return power + 1 if state.power_blue and not state.blue_used else power


@small_kernel
def committed_to_dispatch(state: State, knobs: Knobs) -> int:
    """MF-DSP-03, MF-DIE-07, MF-DIE-08: the sum of the dice, one colour bonus, `dispatch_power` and the herald."""
    power = state.power + dispatch_power(state)
    if state.power_purple > 0:
        return power + purple_bonus(knobs, np.int64(state.power_purple))
    return power + 1 if state.power_blue and not state.blue_used else power


@kernel
def convert(state: State, cards: Cards, slot: int) -> None:
    """MF-CNV-01, MF-CNV-03: the card goes to the tableau; a `once` ability is carried out now."""
    count_rule(state, rule.MF_CNV_01)
    count_rule(state, rule.MF_CNV_03)
    if state.power_blue and not state.blue_used:
        count_rule(state, rule.MF_DIE_05)
        count_rule(state, rule.MF_CNV_02)
        state.blue_used = True
    elif convert_power(state) != 0:
        count_rule(state, rule.MF_CNV_02)
    state.converts += 1
    state.conversions += 1
    card = take_from_queue(state, cards, slot, s.IN_TABLEAU)
    join_tableau(state, cards, card)
    state.pc = cards.once[card]


@kernel
def negotiate(state: State, knobs: Knobs, cards: Cards, slot: int, die: int) -> None:
    """MF-NEG-01: pays Materials by slot and starts the reward; then the card is discarded."""
    count_rule(state, rule.MF_NEG_01)
    pay_materials(state, negotiate_price(state, slot), die)
    state.negotiates += 1
    state.negotiations += 1
    d.work(state, knobs, die)
    if state.over:
        return
    bonus = 0
    if d.colour_of(die) == s.PURPLE:
        count_rule(state, rule.MF_DIE_07)
        bonus = 1
    if state.negotiates == 1:
        bonus += state.ability[s.NEGOTIATE_INFLUENCE_AB]
    if bonus != 0:
        tr.gain(state, knobs, tr.INFLUENCE, bonus)
    state.pc = cards.reward[state.queue[slot]]
    state.step = s.NEGOTIATED_STEP


@small_kernel
def discard_card(state: State, cards: Cards) -> None:
    """MF-NEG-01: the card is discarded after the reward."""
    take_from_queue(state, cards, np.int64(state.doing) - s.NEGOTIATE, s.DISCARDED)
    state.step = s.ACTION_STEP


@kernel
def raid(state: State, knobs: Knobs, cards: Cards, slot: int, die: int) -> None:
    """MF-RAI-01: the reward comes first."""
    count_rule(state, rule.MF_RAI_01)
    state.raids += 1
    d.work(state, knobs, die)
    if state.over:
        return
    if state.ability[s.RAID_FOOD_AB] != 0:
        tr.gain(state, knobs, tr.FOOD, np.int64(state.ability[s.RAID_FOOD_AB]))
    state.pc = cards.reward[state.queue[slot]]
    state.step = s.RAIDED_STEP


@kernel
def roll_for_raid(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-RAI-01, MF-RAI-02, MF-DIE-04: the card is removed; a low roll costs a casualty, which may be the raiding
    die."""
    take_from_queue(state, cards, np.int64(state.doing) - s.RAID, s.REMOVED)
    state.step = s.ACTION_STEP
    roll = 1 + below(state, s.RAID_STREAM, tr.TWELVE)
    total = roll + state.ability[s.RAID_ROLL_AB] + state.raid_roll_turn
    if d.colour_of(np.int64(state.die_used)) == s.RED:
        count_rule(state, rule.MF_DIE_04)
        total += 1
    state.raid_rolled = roll
    state.raid_total = total
    if total <= knobs.raid_casualty_max:
        count_rule(state, rule.MF_RAI_02)
        state.casualties = 1


# --- Dispatch -----------------------------------------------------------------


@kernel
def pay_cohesion(state: State, knobs: Knobs, city: int) -> None:
    """MF-DSP-04, MF-DSP-05: marks the city as a target; pays 1 Cohesion, or sends the herald."""
    count_rule(state, rule.MF_DSP_04)
    state.city_targeted |= d.bit(city)
    if state.herald:
        state.herald = False
    else:
        count_rule(state, rule.MF_DSP_05)
        tr.gain(state, knobs, tr.COHESION, -s.ONE)


@kernel
def move_city(state: State, knobs: Knobs, cards: Cards, slot: int, die: int) -> None:
    """MF-DSP-01: a city goes from the Queue to the Support Track."""
    count_rule(state, rule.MF_DSP_01)
    city = take_from_queue(state, cards, slot, s.ON_TRACK) - s.CITY
    state.food -= cards.city_food[city]
    state.materials -= cards.city_materials[city]
    pay_cohesion(state, knobs, city)
    d.work(state, knobs, die)
    state.dispatch_moves += 1
    state.support[city] = knobs.support_start
    state.on_track |= d.bit(city)
    tr.check_relief(state, knobs)


@kernel
def advance_city(state: State, knobs: Knobs, city: int) -> None:
    """MF-DSP-02, MF-DSP-03, MF-DIE-08: Support +1, exactly."""
    count_rule(state, rule.MF_DSP_02)
    count_rule(state, rule.MF_DSP_03)
    if state.power_purple > 0:
        count_rule(state, rule.MF_DIE_07)
        if state.power_blue or state.power_purple > 1:
            count_rule(state, rule.MF_DIE_08)
    elif state.power_blue and not state.blue_used:
        count_rule(state, rule.MF_DIE_05)
        state.blue_used = True
    state.advances += 1
    state.dispatch_advances += 1
    pay_cohesion(state, knobs, city)
    state.support[city] += 1
    tr.check_relief(state, knobs)
