"""Bots for A Mighty Fortress Is Our God (rule ledger, section 7).

A bot is a list of steps. At each action it takes the first step in its list that has something to do; if none has, it
ends the phase. The bots share their manners: how they pick dice and answer smaller decisions. No bot puts Black dice to
work, and none uses hidden information.

Numbers of the rules come from knobs and cards. A bot's own valuations are traits, or constants in capitals next to the
step that uses them; those of the first five bots come from the ledger.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy
from simlab.games.mighty_fortress import effects as fx
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress import tracks as tr
from simlab.games.mighty_fortress.actions import (
    can_activate,
    can_advance,
    can_dispatch,
    can_pay_city,
    convert_power,
    dice_of,
    fold,
    is_open,
    negotiate_price,
    payable_dice,
    reach,
    resistance,
    taken_spaces,
)
from simlab.games.mighty_fortress.dice import bit, coloured_available, exhausted_mask, lowest_place

EVERY_SPACE = np.array([7, 15])  # of the council, by the knob council_free_spaces
PRINTED_SPACES = s.ACTIVATE - s.EXECUTE_ELDER  # council spaces with adjacent action numbers; the fourth's are separate
E01, E02, E03, E04, E05, E06, E07, E08, E09, E10, E11, E12 = s.numbers(0, 12)  # Elders by their place in the table
QUEUE = np.int64((1 << s.SLOTS) - 1)  # a mask of all slots

# --- Which die ----------------------------------------------------------------

(
    HIGHEST, LOWEST, MOST_MATERIALS, YELLOW_FIRST, TO_EXECUTE, RED_FIRST, PURPLE_FIRST, YELLOW_SECOND,
    BLUE_FIRST, FILL,
    TO_LOSE, TO_STARVE,
) = s.numbers(0, 12)  # fmt: skip


def _rank(manner: int, die: int) -> int:
    """The rank that a manner gives to a die; the die with the highest rank is taken."""
    if die == s.ALL_CLASSES:
        return -100_000  # to stop
    exhausted = die >= 36
    colour, pip = (die - 36, 0) if exhausted else (die // 6, die % 6 + 1)
    usual = (0, 1, 2, 4, 3, 9)[colour]  # White, Yellow, Red, Purple, Blue, with Black last
    work = -100 * pip - usual - (50_000 if colour == s.BLACK else 0)
    if manner == HIGHEST:
        return 100 * pip - usual - (50_000 if colour == s.BLACK else 0)
    if manner == MOST_MATERIALS:
        bonus = (0, 100, 0, -200, 70, -50_000)[colour]
        return 100 * pip + bonus - usual
    if manner == YELLOW_FIRST:
        return work + 1_000 * (colour == s.YELLOW)
    if manner == TO_EXECUTE:
        return -1_000 * (1, 2, 3, 5, 4, 0)[colour] - pip
    if manner == RED_FIRST:
        return work + 1_000 * (colour == s.RED)
    if manner == PURPLE_FIRST:
        return work + 1_000 * (colour == s.PURPLE)
    if manner == YELLOW_SECOND:
        return work + 2_000 * (colour == s.PURPLE) + 1_000 * (colour == s.YELLOW)
    if manner == BLUE_FIRST:
        return -1_000 * usual - pip + 50_000 * (colour == s.BLUE)
    if manner == FILL:
        return -1_000 * usual - pip
    if manner == TO_LOSE:
        return 20_000 * exhausted - 1_000 * usual - pip + (15_000 if exhausted and colour == s.BLACK else 0)
    if manner == TO_STARVE:
        return 20_000 * exhausted - 100 * pip - usual
    return work


_RANK = np.array([[_rank(manner, die) for die in range(s.ALL_CLASSES + 1)] for manner in range(12)], np.int64)
#: the same with the inverted option in the lowest six bits, so the largest number is the first of the best
_LIKED = 64 * _RANK + 63 - np.arange(s.ALL_CLASSES + 1)
LEAST_LIKED = np.int64(_LIKED.min() - 1)
_LOWEST_PIP = np.array([0] + [(m & -m).bit_length() for m in range(1, 64)], np.int64)
_HIGHEST_PIP = np.array([m.bit_length() for m in range(64)], np.int64)

_WORTH_OF = {
    "convert_power": 3.0, "upkeep": 2.0, "draw": 2.0, "ration": 1.5, "raid_food": 1.0, "deconstruct": 0.8,
    "reach": 0.8,
    "negotiate_influence": 0.8, "patrol": 0.7, "counter_battery_cost": 0.7, "negotiate_cost": 0.6,
    "dispatch_power": 0.6,
    "assault": 0.5, "hold": 0.5, "raid_roll": 0.3, "requirement": 0.3, "execute_bonus": 0.3,
    "black_grace": 0.2,
}  # fmt: skip
ONCE_WORTH = 0.4  # an ability that is carried out once, at the moment of conversion
RATING_VP = 0.3  # worth in VP of a point of siege rating that leaves the Queue
DIE_VP = 0.3  # worth of a die in VP if points come first
SEAT_VP = 1  # score of an Elder in the council at the end (MF-SCO-03)
FULL_STORES = 36  # no Ration from this Food on: most of it would not fit (MF-GEN-01)
_ABILITY_WORTH = np.array([_WORTH_OF[name] for name in s.ABILITIES])


@kernel
def best_of(options: int, manner: int) -> int:
    """The option that a manner likes best; the first among equals."""
    best = LEAST_LIKED
    while options != 0:
        best = max(best, _LIKED[np.uint64(manner), np.uint64(lowest_place(options))])
        options &= options - 1
    return 63 - (best & 63)


@small_kernel
def lowest_pip(dice: int) -> int:
    """The lowest pip among coloured dice."""
    return _LOWEST_PIP[fold(dice & s.COLOURED)]


@small_kernel
def highest_pip(dice: int) -> int:
    """The highest pip among coloured dice."""
    return _HIGHEST_PIP[fold(dice & s.COLOURED)]


# --- What an effect is worth --------------------------------------------------

USUAL, OF_APOSTLE, OF_PURGER, OF_HANGMAN = s.numbers(0, 4)  # whose weights
LITTLE_FOOD, MUCH_FOOD = 12, 25  # about a turn's bill; enough for two turns
FEW_MATERIALS = 6  # two Counter-Batteries or a seat
HIGH_UNREST = 6  # one below the level that raises Pressure: from here on Black dice are executed for Unrest
GRAVE_UNREST = 5  # from this level on a point of Unrest counts double
SUPPORT_WORTH, CASUALTY_WORTH, RECOVERY_WORTH, REQUIREMENT_WORTH = 1.5, -0.5, 0.3, -0.3


def _weight(what: int, whose: int, grade: int) -> float:
    """Worth of one point of a track or resource; `grade` is its current level."""
    usual = {
        tr.FOOD: (0.5, 0.3, 0.05), tr.MATERIALS: (0.35, 0.1, 0.1), tr.LUXURIES: (0.5,) * 3, tr.PIETY: (0.6,) * 3,
        tr.INFLUENCE: (0.6,) * 3, tr.COHESION: (1.2,) * 3, tr.DEFENSE: (1.0, 0.0, 0.0), tr.ENTRENCHMENT: (-0.8,) * 3,
        tr.BOMBARDMENT: (-0.5,) * 3, tr.CONSUMPTION: (-2.5,) * 3, tr.UNREST: (-0.6, -1.2, -1.2),
        tr.PRESSURE: (-0.6,) * 3,
    }  # fmt: skip
    other = {
        (tr.PIETY, OF_APOSTLE): 1.0, (tr.COHESION, OF_APOSTLE): 2.0, (tr.INFLUENCE, OF_APOSTLE): 1.0,
        (tr.INFLUENCE, OF_PURGER): 1.0, (tr.PRESSURE, OF_PURGER): 0.2,
        (tr.PIETY, OF_HANGMAN): 1.0, (tr.INFLUENCE, OF_HANGMAN): 1.0, (tr.LUXURIES, OF_HANGMAN): 1.0,
        (tr.PRESSURE, OF_HANGMAN): 0.2,
    }  # fmt: skip
    return other.get((what, whose), usual.get(what, (1.0,) * 3)[grade])


_WEIGHTS = np.array([[[_weight(what, whose, g) for g in range(3)] for whose in range(4)] for what in range(16)])


@small_kernel
def weight(state: State, what: int, whose: int) -> float:
    """Current worth of one point of a track or resource."""
    grade = np.int64(what == tr.FOOD) * (np.int64(state.food >= LITTLE_FOOD) + np.int64(state.food >= MUCH_FOOD))
    grade += np.int64(what == tr.MATERIALS) & np.int64(state.materials >= FEW_MATERIALS)
    grade += np.int64(what == tr.DEFENSE) & np.int64(state.defense >= tr.FIVE)
    grade += np.int64(what == tr.UNREST) & np.int64(state.unrest >= GRAVE_UNREST)
    return _WEIGHTS[np.uint64(what), np.uint64(whose), np.uint64(grade)]


@kernel
def straight_value(state: State, knobs: Knobs, cards: Cards, start: int, whose: int) -> float:
    """Worth of an effect's program from a step on, if each of its questions gets the second answer."""
    total = 0.0
    at = start
    while True:
        op = np.int64(cards.code[at, 0])
        n = np.int64(cards.code[at, 2])
        if op == fx.END:
            return total
        if op == fx.GAIN:
            total += n * weight(state, np.int64(cards.code[at, 1]), whose)
        elif op == fx.REWARD_FOOD:
            total += max(n + knobs.food_reward_shift, 0) * weight(state, tr.FOOD, whose)
        elif op == fx.SUPPORT_UP:
            total += SUPPORT_WORTH
        elif op == fx.SUPPORT_DOWN:
            total -= SUPPORT_WORTH
        elif op == fx.CASUALTY_OP:
            total += CASUALTY_WORTH * n
        elif op == fx.RECOVER_OP:
            total += RECOVERY_WORTH * n
        elif op == fx.REQUIREMENT_OP:
            total += REQUIREMENT_WORTH * n
        at = np.int64(cards.code[at, 3]) if op == fx.JUMP or op == fx.PAY_OP or op == fx.CHOOSE_OP else at + 1


@kernel
def value(state: State, knobs: Knobs, cards: Cards, start: int, whose: int) -> float:
    """Worth of a program: the better half of a `choose`; a `pay` only if it is worth its price."""
    total = 0.0
    at = start
    while True:
        op = np.int64(cards.code[at, 0])
        if op == fx.GAIN:
            total += np.int64(cards.code[at, 2]) * weight(state, np.int64(cards.code[at, 1]), whose)
        elif op == fx.REWARD_FOOD:
            total += max(np.int64(cards.code[at, 2]) + knobs.food_reward_shift, 0) * weight(state, tr.FOOD, whose)
        else:
            break
        at += 1
    if op == fx.END:
        return total
    total = straight_value(state, knobs, cards, start, whose)
    if op == fx.CHOOSE_OP or op == fx.PAY_OP:
        other = straight_value(state, knobs, cards, at, whose)
        first = first_half(state, knobs, cards, at, whose)
        if first > other:
            total += first - other
    return total


@kernel
def first_half(state: State, knobs: Knobs, cards: Cards, asked: int, whose: int) -> float:
    """Worth of a question's first half and its consequences, minus the price."""
    worth = straight_value(state, knobs, cards, asked + 1, whose)
    if np.int64(cards.code[asked, 0]) == fx.PAY_OP:
        worth -= np.int64(cards.code[asked, 2]) * weight(state, np.int64(cards.code[asked, 1]), whose)
    return worth


# --- Shared answers -----------------------------------------------------------


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, whose: int) -> int:
    """Answers all decisions except the action itself."""
    kind = np.int64(state.decision)
    options = np.int64(state.options)
    if kind == s.DIE:
        return best_of(options, TO_EXECUTE) if state.about == s.ABOUT_PURGE else die_for_action(state, knobs, options)
    if kind == s.COMMIT:
        return die_to_commit(state, options)
    if kind == s.CASUALTY:
        return best_of(options, TO_LOSE)
    if kind == s.UNFED:
        return best_of(options, TO_STARVE) if state.unfed_due > 0 else np.int64(s.ALL_CLASSES)
    if kind == s.CHOICE:
        return half_to_choose(state, knobs, cards, whose)
    if kind == s.PICK:
        if state.about == s.ABOUT_CITY:
            return strongest_city(state, options)
        return colour_to_recover(options)
    if kind == s.HOLD:
        return best_of(options & s.COLOURED, HIGHEST)
    return lowest_place(options)


@small_kernel
def die_for_action(state: State, knobs: Knobs, options: int) -> int:
    """The die that an action gets; Black ones only if no other is possible."""
    action = np.int64(state.doing)
    if action == s.RATION:
        return best_of(options, HIGHEST)
    if action == s.PATROL:
        strong = options & s.COLOURED & s.AT_LEAST[knobs.patrol_strong_pip]
        room = state.defense <= tr.FIVE - 2  # for both points that a strong pip gives (MF-PAT-01)
        return best_of(strong if room and strong != 0 else options, LOWEST)
    if action == s.DECONSTRUCT:
        return best_of(options, MOST_MATERIALS)
    if action == s.COUNTER_ENTRENCHMENT or action == s.COUNTER_BOMBARDMENT:
        return best_of(options, YELLOW_FIRST)
    if action == s.EXECUTE_FOR_UNREST or action == s.EXECUTE_FOR_PRESSURE:
        return best_of(options, TO_EXECUTE)
    if s.NEGOTIATE <= action < s.RAID:
        saves = not state.yellow_used and negotiate_price(state, action - s.NEGOTIATE) > 0
        return best_of(options, YELLOW_SECOND if saves else PURPLE_FIRST)
    if s.RAID <= action < s.MOVE:
        return best_of(options, RED_FIRST)
    return best_of(options, LOWEST)


@small_kernel
def die_to_commit(state: State, options: int) -> int:
    """Convert: a Blue lead die, else the lowest pip that serves its slot; Dispatch: a Purple die first. Then a
    Blue one while its bonus is free, and the rest by colour and low pip."""
    if state.doing < s.ADVANCE:
        if state.power == 0:
            return best_of(options, BLUE_FIRST if dice_of(options, s.BLUE) != 0 else LOWEST)
    elif state.power_purple > 0:
        return best_of(options, FILL)
    elif dice_of(options, s.PURPLE) != 0:
        return lowest_place(dice_of(options, s.PURPLE))
    return best_of(options, FILL if state.blue_used or state.power_blue else BLUE_FIRST)


@small_kernel
def half_to_choose(state: State, knobs: Knobs, cards: Cards, whose: int) -> int:
    """Chooses the better half, tag or track."""
    if state.about == s.ABOUT_PURGE_TRACK:
        for_pressure = whose != OF_HANGMAN and state.pressure > 0 and state.unrest < HIGH_UNREST
        return 1 if for_pressure or state.unrest == 0 else 0
    if state.about == s.ABOUT_TAG:
        card = np.int64(state.doing) - s.EXECUTE_OUTSIDER
        first = value(state, knobs, cards, cards.tag_program[cards.tag[card, 0]], whose)
        return 1 if value(state, knobs, cards, cards.tag_program[cards.tag[card, 1]], whose) > first else 0
    asked = np.int64(state.pc) - 1
    second = straight_value(state, knobs, cards, np.int64(cards.code[asked, 3]), whose)
    first = first_half(state, knobs, cards, asked, whose)
    if state.about == s.ABOUT_PAY:
        return 0 if first > second else 1
    return 0 if first >= second else 1


@kernel
def strongest_city(state: State, options: int) -> int:
    """The city with the highest Support among the options."""
    best = np.int64(-1)
    while options != 0:
        city = lowest_place(options)
        options &= options - 1
        if best < 0 or state.support[city] > state.support[best]:
            best = city
    return best


@kernel
def colour_to_recover(options: int) -> int:
    """The first available of Blue, Purple, Red, Yellow, White."""
    for colour in (s.BLUE, s.PURPLE, s.RED, s.YELLOW):
        if options & bit(colour):
            return np.int64(colour)
    return lowest_place(options)


# --- Steps: each gives an action, or -1 when it has nothing to do -------------

NO_DICE = np.int64(0)


@small_kernel
def mine(state: State) -> int:
    """The dice that are put to work: Available and not Black."""
    return np.int64(state.avail_mask) & s.COLOURED


@small_kernel
def purge(state: State, kept: int) -> int:
    """Executes all Black dice except `kept` of them: for Pressure while Unrest is low, else for Unrest."""
    if state.avail_of[s.BLACK] <= kept:
        return -1
    if state.pressure > 0 and state.unrest < HIGH_UNREST:
        return s.EXECUTE_FOR_PRESSURE
    if state.unrest > 0:
        return s.EXECUTE_FOR_UNREST
    return -1


@small_kernel
def ration(state: State, knobs: Knobs, dice: int) -> int:
    """Ration with the highest pip, if it yields anything and there is room for it."""
    if state.ration_used or state.food >= min(FULL_STORES, knobs.food_max):
        return -1
    return s.RATION if highest_pip(dice) - state.consumption + state.ability[s.RATION_AB] >= 1 else -1


@small_kernel
def patrol(state: State, target: float) -> int:
    return s.PATROL if not state.patrol_used and state.defense < target else -1


@small_kernel
def deconstruct(state: State, target: float) -> int:
    return s.DECONSTRUCT if not state.deconstruct_used and state.materials < target else -1


@small_kernel
def counter(state: State, least: float) -> int:
    """Counter-Battery on Entrenchment when that is at least `least`."""
    return s.COUNTER_ENTRENCHMENT if is_open(state, s.COUNTER_ENTRENCHMENT) and state.entrenchment >= least else -1


@small_kernel
def counter_guns(state: State) -> int:
    """Counter-Battery on Bombardment when one more would trigger an Assault Check (MF-TRK-08)."""
    return s.COUNTER_BOMBARDMENT if is_open(state, s.COUNTER_BOMBARDMENT) and state.bombardment == tr.FIVE - 1 else -1


FOR_FOOD, FOR_STRENGTH, FOR_CALM, FOR_ANYTHING = s.numbers(0, 4)

# Worth of a card in the Queue for an aim, in the points of `value`.
FOOD_WORTH, LEAST_FOOD = 0.6, 2  # a card with less Food does not help against hunger
CALM_WORTH = 1.2  # for each point of Unrest removed
RATING_WORTH, REWARD_SHARE = 1.2, 0.3  # weakening the enemy counts most, the reward less
RATING_BONUS, CITY_BONUS = 0.4, 0.1  # extra worth of taking any card out of the Queue

# Cost of taking it: the die, the risk of a casualty, Materials.
RAID_RED_COST, RAID_COST = 0.4, 0.65  # a Red die is seldom lost (MF-DIE-04)
NEGOTIATE_COST, MATERIAL_COST = 0.3, 0.25
PURPLE_BONUS = 0.5  # its Influence (MF-DIE-07)
PIP_COST = 0.02  # between two dice, prefers the lower pip
NO_DIE = -1.0  # below the minimum worth of any target


@small_kernel
def card_score(state: State, knobs: Knobs, cards: Cards, card: int, aim: int, whose: int) -> float:
    """Worth of a card in the Queue for an aim: the ledger's score of a target."""
    if aim == FOR_FOOD:
        food = cards.reward_gain[card, tr.FOOD] + knobs.food_reward_shift
        return FOOD_WORTH * food if food >= LEAST_FOOD and cards.reward_gain[card, tr.FOOD] > 0 else 0.0
    if aim == FOR_CALM:
        return -CALM_WORTH * cards.reward_gain[card, tr.UNREST]
    rating = cards.rating[card]
    if aim == FOR_STRENGTH:
        if rating == 0:
            return 0.0
        return RATING_WORTH * rating + REWARD_SHARE * value(state, knobs, cards, cards.reward[card], whose)
    bonus = CITY_BONUS if card >= s.CITY else RATING_BONUS * rating
    return bonus + value(state, knobs, cards, cards.reward[card], whose)


@kernel
def target(state: State, knobs: Knobs, cards: Cards, dice: int, aim: int, whose: int) -> int:
    """The Raid or Negotiate that pays best for an aim, after dice, Materials and risk."""
    negotiable = np.int64(state.legal_mask) >> s.NEGOTIATE & QUEUE
    raidable = np.int64(state.legal_mask) >> s.RAID & QUEUE
    left = negotiable | raidable
    best = np.int64(-1)
    best_worth = 0.0
    while left != 0:
        slot = lowest_place(left)
        left &= left - 1
        score = card_score(state, knobs, cards, np.int64(state.queue[slot]), aim, whose)
        if score <= 0.0 or score + PURPLE_BONUS - NEGOTIATE_COST <= best_worth:  # not the best with any die
            continue
        if raidable >> slot & 1:
            worth = raid_worth(dice, slot, score)
            if worth > best_worth:
                best_worth = worth
                best = np.int64(s.RAID + slot)
        if negotiable >> slot & 1:
            worth = negotiate_worth(state, dice, slot, score)
            if worth > best_worth:
                best_worth = worth
                best = np.int64(s.NEGOTIATE + slot)
    return best


@small_kernel
def raid_worth(dice: int, slot: int, score: float) -> float:
    """Worth of a Raid with a Red die, or with the lowest die that fits; below 0 if none fits."""
    red = dice_of(dice, s.RED) & s.AT_LEAST[slot]
    if red != 0:
        return score - RAID_RED_COST - PIP_COST * lowest_pip(red)
    fitting = dice & s.AT_LEAST[slot + 1]
    return score - RAID_COST - PIP_COST * lowest_pip(fitting) if fitting != 0 else NO_DIE


@kernel
def negotiate_worth(state: State, dice: int, slot: int, score: float) -> float:
    """Worth of a Negotiate with a Purple die, or with the cheapest die that fits; below 0 if none fits."""
    price = negotiate_price(state, slot)
    fitting = dice & s.AT_LEAST[slot + 1]
    if fitting == 0:
        return NO_DIE
    payable = payable_dice(state, price, fitting)
    if payable == 0:
        return NO_DIE
    worth = score - NEGOTIATE_COST
    purple = dice_of(payable, s.PURPLE)
    if purple != 0:
        return worth + PURPLE_BONUS - MATERIAL_COST * price - PIP_COST * lowest_pip(purple)
    if price > 0 and not state.yellow_used:
        yellow = dice_of(payable, s.YELLOW)
        if yellow != 0:
            return worth - MATERIAL_COST * (price - 1) - PIP_COST * lowest_pip(yellow)
    return worth - MATERIAL_COST * price - PIP_COST * lowest_pip(payable)


@small_kernel
def feed(state: State, knobs: Knobs, cards: Cards, dice: int, least: float, whose: int) -> int:
    """Takes Food from the Queue while there is less than `least`."""
    return target(state, knobs, cards, dice, FOR_FOOD, whose) if state.food < least else -1


@small_kernel
def weaken(state: State, knobs: Knobs, cards: Cards, dice: int, whose: int) -> int:
    """Removes cards with a siege rating while Siege Strength is at or above Defense."""
    if state.siege_strength <= state.defense - 1:
        return -1
    return target(state, knobs, cards, dice, FOR_STRENGTH, whose)


@small_kernel
def calm(state: State, knobs: Knobs, cards: Cards, dice: int, least: float, whose: int) -> int:
    """From `least` Unrest on: takes a card that lowers it, else executes a die."""
    if state.unrest < max(least, 1.0):
        return -1
    action = target(state, knobs, cards, dice, FOR_CALM, whose)
    return action if action >= 0 else s.EXECUTE_FOR_UNREST


@small_kernel
def seat(state: State, knobs: Knobs, first: int, second: int, third: int) -> int:
    """The first Elder of the list that can be seated in a free space."""
    if taken_spaces(state) & EVERY_SPACE[knobs.council_free_spaces] == EVERY_SPACE[knobs.council_free_spaces]:
        return -1
    for elder in (first, second, third):
        if is_open(state, s.SEAT + elder):
            return s.SEAT + elder
    return -1


@small_kernel
def elders(state: State, knobs: Knobs, cards: Cards, food: float, cohesion: int, whose: int) -> int:
    """The first seated Elder whose ability is of use now."""
    for space in range(s.SPACES):
        elder = np.int64(state.space[space])
        if elder == s.EMPTY or state.activated & bit(elder) or not can_activate(state, knobs, cards, space):
            continue
        if cards.elder_purges[elder] or of_use(state, knobs, cards, elder, food, cohesion, whose):
            return activate(space)
    return -1


@small_kernel
def activate(space: int) -> int:
    """The action that activates the Elder in a space, counted from 0."""
    return s.ACTIVATE + space if space < PRINTED_SPACES else s.ACTIVATE_FIFTH


FOOD_AHEAD = 5  # an Elder gives Food up to this much above the bot's food target: the dice to come eat too
GUNS_NEAR, TRENCHES_NEAR = 3, 1  # levels of Bombardment and Entrenchment at which it uses an Elder against them
ENOUGH_COHESION = np.int64(4)  # the stores cannot feed more dice than this (MF-DRW-01)
LEAST_ELDER = 0.25  # worth of an ability below which its die does better elsewhere


@small_kernel
def of_use(state: State, knobs: Knobs, cards: Cards, elder: int, food: float, cohesion: int, whose: int) -> bool:
    """Whether an Elder's ability is worth its die. It is not if everything that it changes is already full or empty."""
    start = cards.elder_program[elder]
    at = start
    moves = False
    while np.int64(cards.code[at, 0]) == fx.GAIN:
        what, n = np.int64(cards.code[at, 1]), np.int64(cards.code[at, 2])
        moves = moves or is_wanted(state, knobs, what, n, food, cohesion)
        at += 1
    if np.int64(cards.code[at, 0]) == fx.END and not moves:
        return False
    return elder_worth(state, knobs, cards, elder, whose) > LEAST_ELDER


@small_kernel
def is_wanted(state: State, knobs: Knobs, what: int, n: int, food: float, cohesion: int) -> bool:
    """Whether a change of a track or resource by n is useful now."""
    if what == tr.FOOD:
        return n > 0 and state.food < food + FOOD_AHEAD
    if what == tr.COHESION:
        return n > 0 and state.cohesion < cohesion
    if what == tr.DEFENSE:
        return n > 0 and state.defense < tr.FIVE
    if what == tr.BOMBARDMENT:
        return n < 0 and state.bombardment >= GUNS_NEAR
    if what == tr.ENTRENCHMENT:
        return n < 0 and state.entrenchment >= TRENCHES_NEAR
    if what == tr.UNREST:
        return n < 0 and state.unrest > 0
    if what == tr.PRESSURE:
        return n < 0 and state.pressure > 0
    if what == tr.PIETY:
        return n > 0 and state.piety < tr.TEN
    if what == tr.INFLUENCE:
        return n > 0 and state.influence < tr.TEN
    if what == tr.LUXURIES:
        return n > 0 and state.luxuries < knobs.luxuries_max
    return True


@small_kernel
def elder_worth(state: State, knobs: Knobs, cards: Cards, elder: int, whose: int) -> float:
    """Worth of an ability minus its price."""
    worth = straight_value(state, knobs, cards, cards.elder_program[elder], whose)
    if cards.elder_pays[elder] >= 0:
        worth -= cards.elder_price[elder] * weight(state, cards.elder_pays[elder], whose)
    return worth


@small_kernel
def dice_for(state: State, knobs: Knobs, cards: Cards, card: int) -> int:
    """Number of dice that a Convert would take."""
    need = resistance(knobs, cards, card) - convert_power(state)
    if not state.blue_used and state.avail_of[s.BLUE] > 0:
        need -= 1
    return max(need, 1)


@small_kernel
def convert(state: State, knobs: Knobs, cards: Cards, least: float) -> int:
    """Converts the Outsider worth most per die, if that is at least `least`: VP, ability for the turns left, siege
    rating.
    """
    share = (knobs.turn_limit - state.turn) / knobs.turn_limit
    best = np.int64(-1)
    best_score = least
    left = np.int64(state.legal_mask) >> s.CONVERT & QUEUE
    while left != 0:
        slot = lowest_place(left)
        left &= left - 1
        card = np.int64(state.queue[slot])
        need = dice_for(state, knobs, cards, card)
        score = (cards.vp[card] + ability_worth(cards, card) * share + RATING_VP * cards.rating[card]) / need
        if score >= best_score:
            best_score = score
            best = np.int64(s.CONVERT + slot)
    return best


@small_kernel
def ability_worth(cards: Cards, card: int) -> float:
    """Worth of a Convert ability over a whole game."""
    ability = cards.ability[card]
    if ability < 0:
        return ONCE_WORTH if cards.once[card] != 0 else 0.0
    return _ABILITY_WORTH[ability] * abs(cards.ability_n[card])


@kernel
def convert_big(state: State, knobs: Knobs, cards: Cards, least: float) -> int:
    """Converts the Outsider with the most VP minus the worth of its dice, among those with at least `least` VP; ties:
    higher slot.
    """
    best = np.int64(-1)
    best_score = 0.0
    left = np.int64(state.legal_mask) >> s.CONVERT & QUEUE
    while left != 0:
        slot = lowest_place(left)
        left &= left - 1
        card = np.int64(state.queue[slot])
        score = cards.vp[card] - DIE_VP * dice_for(state, knobs, cards, card)
        if cards.vp[card] >= least and (best < 0 or score >= best_score):
            best_score = score
            best = np.int64(s.CONVERT + slot)
    return best


@small_kernel
def spend(state: State, least: float) -> int:
    """Executes a Black die for Unrest from `least` on. Pressure stays: it brings the next ones (MF-DRW-02), and a
    Black die that nobody puts to work harms nobody (MF-TRA-02)."""
    return s.EXECUTE_FOR_UNREST if state.avail_of[s.BLACK] > 0 and state.unrest >= max(least, 1.0) else -1


@kernel
def seat_to_hang(state: State, knobs: Knobs, cards: Cards) -> int:
    """The open Elder who is worth most VP when executed, if a space is free and the cost can be paid."""
    if taken_spaces(state) & EVERY_SPACE[knobs.council_free_spaces] == EVERY_SPACE[knobs.council_free_spaces]:
        return -1
    best = np.int64(-1)
    most = np.int64(0)
    for elder in range(cards.n_elders):
        if is_open(state, s.SEAT + elder) and cards.elder_vp[elder] > most:
            most = np.int64(cards.elder_vp[elder])
            best = np.int64(s.SEAT + elder)
    return best


@kernel
def hang(state: State, knobs: Knobs, cards: Cards, keep: float, fresh: float) -> int:
    """Executes a seated Elder (MF-EXC-02), the casualty paid with an Exhausted die, which then needs no Food.

    With `keep`, those who purge or bring Food stay until the last turn. Then all Elders worth more than the point for a
    seat are executed, and an Available die pays if there is no Exhausted one. With `fresh`, Available dice always pay.
    """
    last = state.turn >= knobs.turn_limit
    available = mine(state) != 0 and (last or fresh > 0.0)
    if not available and (fresh > 0.0 or exhausted_mask(state, tr.FIVE) == 0):
        return -1
    for space in range(s.SPACES):
        elder = np.int64(state.space[space])
        if elder == s.EMPTY:
            continue
        serves = cards.elder_purges[elder] or np.int64(cards.code[cards.elder_program[elder], 1]) == tr.FOOD
        if (last and cards.elder_vp[elder] > SEAT_VP) or not (last or (keep > 0.0 and serves)):
            return s.EXECUTE_ELDER + space if space < PRINTED_SPACES else s.EXECUTE_FIFTH
    return -1


@kernel
def thin_out(state: State, knobs: Knobs, least: float) -> int:
    """Executes an otherwise useless die for Unrest if the next bill would leave less Food than `least` (MF-UPK-02),
    because a dead die eats nothing."""
    bill = coloured_available(state) + state.consumption + state.ability[s.UPKEEP_AB]
    for colour in range(s.BLACK):
        bill += state.exhausted[colour]
    return s.EXECUTE_FOR_UNREST if state.unrest > 0 and state.food - bill < least else -1


MOVE_RESISTANCE = 5  # a stronger city is seldom advanced: it takes most of a turn's dice
MOVE_FOOD_LEFT = 4  # Food to be kept when a city is moved
LATE = 10  # from this turn on Cohesion can be spent


@kernel
def move(state: State, knobs: Knobs, cards: Cards, dice: int) -> int:
    """Moves the weakest city to the Support Track, while too few are there and Food allows; the herald is kept for
    advances."""
    on_track = 0
    for city in range(s.MAX_CITIES):
        on_track += state.support[city] != s.OFF_TRACK
    if on_track >= knobs.cities_needed or not (state.cohesion >= 1 or knobs.dispatch_at_zero_cohesion == 1):
        return -1
    best = np.int64(-1)
    least = np.int64(MOVE_RESISTANCE + 1)
    for slot in range(reach(state)):
        card = np.int64(state.queue[slot])
        if card < s.CITY or dice & s.AT_LEAST[slot + 1] == 0:
            continue
        need = resistance(knobs, cards, card)
        food = cards.city_food[card - s.CITY]
        if need < least and state.food >= food + MOVE_FOOD_LEFT and can_pay_city(state, cards, card - s.CITY):
            least = need
            best = np.int64(s.MOVE + slot)
    return best


@kernel
def advance(state: State, knobs: Knobs, cards: Cards) -> int:
    """Advances the city with the highest Support that can be advanced; uses the herald first."""
    if not can_dispatch(state, knobs):
        return -1
    best = np.int64(-1)
    nearly = False
    for city in range(cards.n_cities):
        nearly = nearly or state.support[city] == knobs.support_goal - 1
        if can_advance(state, knobs, cards, city) and (best < 0 or state.support[city] > state.support[best]):
            best = np.int64(city)
    if best < 0 or not (state.cohesion >= 2 or nearly or state.turn >= LATE or state.herald):  # keeps 1 for the dice
        return -1
    if not state.herald and coloured_available(state) > resistance(knobs, cards, s.CITY + best):
        for space in range(s.SPACES):
            elder = np.int64(state.space[space])
            if elder == s.EMPTY or state.activated & bit(elder):
                continue
            herald = np.int64(cards.code[cards.elder_program[elder], 0]) == fx.HERALD_OP
            if herald and can_activate(state, knobs, cards, space):
                return activate(space)
    return s.ADVANCE + best


# --- Bots ---------------------------------------------------------------------

_TRAITS = {
    "patrol": (0, 6, "patrols while Defense is below this"),
    "calm": (1, 11, "lowers Unrest from this on, by executions if need be"),
    "food": (0, 99, "takes Food from the Queue while there is less than this"),
    "decon": (0, 21, "deconstructs while there are fewer Materials than this"),
    "counter": (1, 6, "answers Entrenchment from this on with Counter-Battery"),
    "convert": (0, 9, "converts what brings at least this much a die (points, ability, siege rating)"),
    "big": (0, 20, "converts first anybody with at least this many VP"),
}
PATROL_BELOW, CALM_FROM, FOOD_BELOW, DECON_BELOW, COUNTER_FROM, CONVERT_FROM, BIG_FROM = range(len(_TRAITS))


def _traits(**defaults: float) -> dict[str, Trait]:
    """The traits of a bot by name, in the order of their table; the names above are their positions."""
    names = list(_TRAITS)[: len(defaults)]
    if names != list(defaults):
        raise ValueError(f"traits {', '.join(defaults)} must be the first ones of {', '.join(_TRAITS)}")
    return {name: Trait(default, *_TRAITS[name]) for name, default in defaults.items()}


@policy("mighty_fortress", traits=_traits(patrol=5, calm=3, food=38, decon=7, counter=2))
def warden(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Cautious: walls, stores and calm; converts nobody."""
    if state.decision != s.ACTION:
        return answer(state, knobs, cards, USUAL)
    action = purge(state, NO_DICE)
    if action >= 0:
        return action
    dice = mine(state)
    if dice == 0:
        return s.END_PHASE
    action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = deconstruct(state, traits[DECON_BELOW])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], USUAL)
    if action < 0:
        action = weaken(state, knobs, cards, dice, USUAL)
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], USUAL)
    if action < 0:
        action = seat(state, knobs, E07, E10, E04)
    if action < 0:
        action = elders(state, knobs, cards, traits[FOOD_BELOW], ENOUGH_COHESION, USUAL)
    if action < 0:
        action = counter_guns(state)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, USUAL)
    return max(action, s.END_PHASE)


@policy("mighty_fortress", traits=_traits(patrol=4, calm=6, food=16, decon=4, counter=2, convert=0.35))
def builder(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds an engine of converted Outsiders."""
    if state.decision != s.ACTION:
        return answer(state, knobs, cards, USUAL)
    action = purge(state, NO_DICE)
    if action >= 0:
        return action
    dice = mine(state)
    if dice == 0:
        return s.END_PHASE
    action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], USUAL)
    if action < 0:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], USUAL)
    if action < 0:
        action = convert(state, knobs, cards, traits[CONVERT_FROM])
    if action < 0:
        action = deconstruct(state, traits[DECON_BELOW])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0:
        action = weaken(state, knobs, cards, dice, USUAL)
    if action < 0:
        action = seat(state, knobs, E07, E03, E10)
    if action < 0:
        action = elders(state, knobs, cards, traits[FOOD_BELOW], ENOUGH_COHESION, USUAL)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, USUAL)
    return max(action, s.END_PHASE)


@policy("mighty_fortress", traits=_traits(patrol=4, calm=6, food=20, decon=4, counter=2, convert=0.25, big=2))
def zealot(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Points first: converts the great Outsiders, whatever they cost."""
    if state.decision != s.ACTION:
        return answer(state, knobs, cards, USUAL)
    action = purge(state, NO_DICE)
    if action >= 0:
        return action
    dice = mine(state)
    if dice == 0:
        return s.END_PHASE
    action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], USUAL)
    if action < 0:
        action = convert_big(state, knobs, cards, traits[BIG_FROM])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0:
        action = convert(state, knobs, cards, traits[CONVERT_FROM])
    if action < 0:
        action = deconstruct(state, traits[DECON_BELOW])
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], USUAL)
    if action < 0:
        action = seat(state, knobs, E07, E02, E03)
    if action < 0:
        action = elders(state, knobs, cards, traits[FOOD_BELOW], tr.FIVE, USUAL)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, USUAL)
    return max(action, s.END_PHASE)


@kernel
def kept_for_purge(state: State, cards: Cards) -> int:
    """Keeps one Black die while a purging Elder is unused and Cohesion is below its maximum."""
    if state.cohesion >= tr.FIVE:
        return 0
    for space in range(s.SPACES):
        elder = np.int64(state.space[space])
        if elder != s.EMPTY and cards.elder_purges[elder] and not state.activated & bit(elder):
            return 1
    return 0


@policy("mighty_fortress", traits=_traits(patrol=5, calm=4, food=16, decon=6, counter=2))
def apostle(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Relief: brings two weak cities to the Support Track and spends Cohesion on them."""
    if state.decision != s.ACTION:
        return answer(state, knobs, cards, OF_APOSTLE)
    dice = mine(state)
    action = purge(state, kept_for_purge(state, cards) if dice != 0 else NO_DICE)
    if action >= 0:
        return action
    if dice == 0:
        return s.END_PHASE
    action = ration(state, knobs, dice)
    if action < 0:
        action = move(state, knobs, cards, dice)
    if action < 0:
        action = seat(state, knobs, E09, E02, E01)
    if action < 0:
        action = advance(state, knobs, cards)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = elders(state, knobs, cards, traits[FOOD_BELOW], tr.FIVE, OF_APOSTLE)
    if action < 0:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], OF_APOSTLE)
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], OF_APOSTLE)
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0:
        action = deconstruct(state, traits[DECON_BELOW])
    if action < 0:
        action = weaken(state, knobs, cards, dice, OF_APOSTLE)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, OF_APOSTLE)
    return max(action, s.END_PHASE)


@policy("mighty_fortress", traits=_traits(patrol=4, calm=6, food=14, decon=4, counter=2, convert=0.35))
def purger(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Terror: seats Knipperdolling and lives by executions."""
    if state.decision != s.ACTION:
        return answer(state, knobs, cards, OF_PURGER)
    dice = mine(state)
    if dice == 0:
        return max(purge(state, NO_DICE), s.END_PHASE)
    action = seat(state, knobs, E01, E08, E05)
    if action < 0:
        action = elders(state, knobs, cards, traits[FOOD_BELOW], ENOUGH_COHESION, OF_PURGER)
    if action < 0:
        action = purge(state, NO_DICE)
    if action < 0:
        action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], OF_PURGER)
    if action < 0:
        action = convert(state, knobs, cards, traits[CONVERT_FROM])
    if action < 0:
        action = deconstruct(state, traits[DECON_BELOW])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], OF_PURGER)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, OF_PURGER)
    return max(action, s.END_PHASE)


@kernel
def spare_dice(
    state: State, knobs: Knobs, cards: Cards, dice: int, decon: float, least: float, thin: float
) -> int:  # fmt: skip
    """How the hangman uses the dice that are left after Food, Defense and Unrest.

    Args:
        dice: options that may work. decon: number of Materials below which it deconstructs, except in the last turn.
            least: worth per die from which a Convert is made. thin: see `thin_out`.
    """
    last = state.turn >= knobs.turn_limit
    action = np.int64(-1) if last else deconstruct(state, decon)
    if action < 0:
        action = seat_to_hang(state, knobs, cards)
    if action < 0:
        action = elders(state, knobs, cards, knobs.food_max - FOOD_AHEAD, ENOUGH_COHESION, OF_HANGMAN)
    if action < 0:
        action = convert(state, knobs, cards, least)
    if action < 0:
        action = counter_guns(state)
    if action < 0:
        action = target(state, knobs, cards, dice, FOR_ANYTHING, OF_HANGMAN)
    if action < 0 and not last:
        action = thin_out(state, knobs, thin)
    return max(action, s.END_PHASE)


HANG_KEEP, SPEND_FROM, THIN_BELOW, PAY_FRESH = range(BIG_FROM, BIG_FROM + 4)  # instead of "big", and after it


@policy(
    "mighty_fortress",
    traits={
        **_traits(patrol=5, calm=6, food=16, decon=6, counter=1, convert=0.25),
        "keep": Trait(1, 0, 1, "1: Elders who purge or bring Food live until the last turn; 0: all are hanged at once"),
        "spend": Trait(3, 1, 11, "executes Black dice for Unrest from this on"),
        "thin": Trait(5, -99, 99, "executes idle dice for Unrest if the next bill leaves less Food than this"),
        "fresh": Trait(0, 0, 1, "1: pays for executed Elders with Available dice, as if Exhausted ones could not"),
    },
)
def hangman(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Seats Elders to execute them, spends Black dice only on Unrest, and converts with the dice that are left."""
    if state.decision != s.ACTION:
        available = np.int64(state.options) & s.COLOURED
        if (
            state.decision == s.CASUALTY
            and state.about == s.ABOUT_CARD_COST
            and traits[PAY_FRESH] > 0.0
            and available != 0
        ):
            return best_of(available, TO_LOSE)
        return answer(state, knobs, cards, OF_HANGMAN)
    action = spend(state, traits[SPEND_FROM])
    if action < 0:
        action = hang(state, knobs, cards, traits[HANG_KEEP], traits[PAY_FRESH])
    if action >= 0:
        return action
    dice = mine(state)
    if dice == 0:
        return s.END_PHASE
    last = state.turn >= knobs.turn_limit  # no further bill, and no further Counter-Battery
    if not last:
        action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0 and not last:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], OF_HANGMAN)
    if action < 0:
        action = weaken(state, knobs, cards, dice, OF_HANGMAN)
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], OF_HANGMAN)
    if action < 0:
        action = spare_dice(state, knobs, cards, dice, traits[DECON_BELOW], traits[CONVERT_FROM], traits[THIN_BELOW])
    return action


@small_kernel
def spare_black(state: State, work: float, least: float, reckless: float) -> int:
    """Black dice that may work, as options. Unrest must be at most `work`, and at least `least` more dice must be
    Available or executed than the Traitor Check requires (MF-TRA-02). At an Unrest of at most `reckless` the check may
    fail if Defense is above Siege Strength, because it then brings no Assault Check (MF-TRA-03).
    """
    black = np.int64(state.avail_mask) & ~s.COLOURED
    left = state.avail_of[s.BLACK] + state.black_executed_turn - state.requirement
    may_fail = state.unrest <= reckless and state.siege_strength < state.defense
    return black if state.unrest <= work and (left >= least or may_fail) else np.int64(0)


@kernel
def hang_in_time(state: State, knobs: Knobs, cards: Cards, purge: float, food: float) -> int:
    """Executes a seated Elder, as `hang` does without its traits, and useful Elders before the end, after their
    activation: those who purge in the last `purge` + 1 turns, those who bring Food in the last `food` + 1. Others take
        their spaces.
    """
    left = knobs.turn_limit - state.turn
    if exhausted_mask(state, tr.FIVE) == 0 and (mine(state) == 0 or left > 0):
        return -1
    for space in range(s.SPACES):
        elder = np.int64(state.space[space])
        if elder == s.EMPTY:
            continue
        until = -1.0
        if cards.elder_purges[elder]:
            until = purge
        elif np.int64(cards.code[cards.elder_program[elder], 1]) == tr.FOOD:
            until = food
        done = until < 0.0 or (left <= until and state.activated & bit(elder) != 0)
        if (cards.elder_vp[elder] > SEAT_VP) if left <= 0 else done:
            return s.EXECUTE_ELDER + space if space < PRINTED_SPACES else s.EXECUTE_FIFTH
    return -1


TASK_EAGER, TASK_SPEND, TASK_THIN, WORK_TO, WORK_SPARE, RECKLESS_TO, PURGE_UNTIL, FOOD_UNTIL = range(
    BIG_FROM, BIG_FROM + 8
)


@policy(
    "mighty_fortress",
    traits={
        **_traits(patrol=4, calm=11, food=16, decon=6, counter=1, convert=0.36),
        "eager": Trait(1, 0, 9, "converts what brings at least this much a die before all else but Food and Defense"),
        "spend": Trait(8, 1, 11, "executes Black dice for Unrest from this on"),
        "thin": Trait(5, -99, 99, "executes idle dice for Unrest if the next bill leaves less Food than this"),
        "work": Trait(3, -1, 10, "puts Black dice to work up to this Unrest"),
        "spare": Trait(1, 0, 5, "as long as this many are more than the Traitor Check asks for"),
        "reckless": Trait(0, -1, 10, "lets the Traitor Check fail up to this Unrest, if no Assault Check follows"),
        "purge": Trait(1, 0, 14, "turns before the last in which an Elder who purges is executed after use"),
        "stores": Trait(2, 0, 14, "turns before the last in which an Elder who brings Food is executed after use"),
    },
)
def taskmaster(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """The hangman's heir: puts Black dice to work while Unrest is low, and executes useful Elders too, late enough."""
    black = spare_black(state, traits[WORK_TO], traits[WORK_SPARE], traits[RECKLESS_TO])
    if state.decision != s.ACTION:
        doing = np.int64(state.doing)
        labour = np.int64(state.options) & black
        executes = doing == s.EXECUTE_FOR_UNREST or doing == s.EXECUTE_FOR_PRESSURE
        if state.decision == s.DIE and state.about != s.ABOUT_PURGE and labour != 0 and not executes:
            return best_of(labour, HIGHEST if doing == s.RATION or doing == s.DECONSTRUCT else LOWEST)
        return answer(state, knobs, cards, OF_HANGMAN)
    action = spend(state, traits[TASK_SPEND])
    if action < 0:
        action = hang_in_time(state, knobs, cards, traits[PURGE_UNTIL], traits[FOOD_UNTIL])
    if action >= 0:
        return action
    dice = mine(state) | black
    if dice == 0:
        return s.END_PHASE
    last = state.turn >= knobs.turn_limit
    if not last:
        action = ration(state, knobs, dice)
    if action < 0:
        action = patrol(state, traits[PATROL_BELOW])
    if action < 0:
        action = convert(state, knobs, cards, traits[TASK_EAGER])
    if action < 0:
        action = counter(state, traits[COUNTER_FROM])
    if action < 0 and not last:
        action = feed(state, knobs, cards, dice, traits[FOOD_BELOW], OF_HANGMAN)
    if action < 0:
        action = weaken(state, knobs, cards, dice, OF_HANGMAN)
    if action < 0:
        action = calm(state, knobs, cards, dice, traits[CALM_FROM], OF_HANGMAN)
    if action < 0:
        action = spare_dice(state, knobs, cards, dice, traits[DECON_BELOW], traits[CONVERT_FROM], traits[TASK_THIN])
    return action
