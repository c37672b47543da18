"""A Mighty Fortress Is Our God: the record of a game, numbers of decisions and actions (ledger 2, 4, 6).

Dice of one colour and pip are alike, so dice are counts. An Available die has a class colour * 6 + pip - 1
(0..35), an Exhausted die the class 36 + colour. A set of classes, or of other options, is a bit mask.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import rule_index, state_type, stream_numbers


def numbers(first: int, count: int) -> list[Any]:
    """Constants for kernels, as NumPy integers: Numba recompiles a function for every literal argument."""
    return [np.int64(first + i) for i in range(count)]


SEATS = ("player",)

NONE = 0
BREACH_BOMBARDMENT, BREACH_UNREST, BREACH_TRAITOR, BREACH_CARD = numbers(1, 4)
PYRRHIC, RELIEF = np.int64(5), np.int64(9)  # the first of the four bands of Survival, and of the three of Major Victory
ENDINGS = (
    "none",
    "breach_bombardment", "breach_unrest", "breach_traitor", "breach_card",
    "pyrrhic_failure", "historical_outcome", "defiant_legacy", "and_are_you_a_bishop",
    "relief_achieved", "new_jerusalem_triumphs", "reformation_shatters_europe",
)  # fmt: skip

STREAMS = ("outsider_deck", "fate_deck", "dice_bag", "pips", "black_pips", "decree", "raid", "assault")
_NUMBER = {name: np.int64(n) for name, n in stream_numbers(len(SEATS), STREAMS).items()}
OUTSIDER_DECK_STREAM = _NUMBER["outsider_deck"]
FATE_DECK_STREAM = _NUMBER["fate_deck"]
DICE_BAG_STREAM = _NUMBER["dice_bag"]
PIPS_STREAM = _NUMBER["pips"]
BLACK_PIPS_STREAM = _NUMBER["black_pips"]
DECREE_STREAM = _NUMBER["decree"]
RAID_STREAM = _NUMBER["raid"]
ASSAULT_STREAM = _NUMBER["assault"]

# --- Dice ---------------------------------------------------------------------

WHITE, YELLOW, RED, BLUE, PURPLE, BLACK = numbers(0, 6)
COLOURS = ("White", "Yellow", "Red", "Blue", "Purple", "Black")
CLASSES = 36
EXHAUSTED = 36  # first class of an Exhausted die
ALL_CLASSES = 42
PIPS = 0x3F  # the six classes of one colour
COLOURED = (1 << 30) - 1  # Available dice except for the Black ones
BLACKS = PIPS << (6 * BLACK)
EXHAUSTED_COLOURED = 0x1F << EXHAUSTED


def _pips_from(least: int) -> int:
    return sum(((PIPS << (least - 1)) & PIPS) << (6 * colour) for colour in range(6))


#: classes of Available dice with at least this many pips; none with 7 or more
AT_LEAST = np.array([_pips_from(1)] + [_pips_from(p) for p in range(1, 7)] + [0] * 8, np.int64)

ONE = np.int64(1)

# --- Cards --------------------------------------------------------------------

SLOTS = 6
MAX_OUTSIDERS, MAX_CITIES, MAX_ELDERS, MAX_FATE, MAX_TAGS = 48, 8, 12, 60, 8
CITY = MAX_OUTSIDERS  # card number of the first Nearby City; Outsiders are 0..MAX_OUTSIDERS-1
DECK = MAX_OUTSIDERS + MAX_CITIES
EMPTY = -1  # a slot of the Queue, a space of the council
SPACES = 4  # for Elders; the printed board has 3
OFF_TRACK = -1  # a city that is not on the Support Track

OPEN, SEATED, EXECUTED = numbers(0, 3)  # an Elder

# Where an Outsider card is.
IN_DECK, IN_QUEUE, DISCARDED, REMOVED, IN_TABLEAU, ON_TRACK = numbers(0, 6)

# --- Decisions ----------------------------------------------------------------

ACTION, DIE, COMMIT, CASUALTY, UNFED, CHOICE, PICK, REPLACE, HOLD = numbers(0, 9)  # MF-D-01 to MF-D-09

# MF-D-01. Numbers as in the ledger; beyond its 94, room for more Outsiders and a fifth council space.
END_PHASE, RATION, PATROL, COUNTER_ENTRENCHMENT, COUNTER_BOMBARDMENT, DECONSTRUCT = numbers(0, 6)
EXECUTE_FOR_UNREST, EXECUTE_FOR_PRESSURE = numbers(6, 2)
EXECUTE_ELDER, ACTIVATE = 8, 11  # + space 0..2 (spaces 2 to 4 of the board)
SEAT = 14  # + Elder
CONVERT, NEGOTIATE, RAID, MOVE = 26, 32, 38, 44  # + slot - 1
ADVANCE = 50  # + city
EXECUTE_OUTSIDER = 58  # + Outsider
EXECUTE_FIFTH = EXECUTE_OUTSIDER + MAX_OUTSIDERS
ACTIVATE_FIFTH = EXECUTE_FIFTH + 1
ACTIONS = ACTIVATE_FIFTH + 1

STARVE_NO_MORE = 42  # MF-D-05 under `voluntary_starvation`
STOP_HOLDING = 36  # MF-D-09

BOTH = np.int64(3)  # MF-D-06: both options

# The subject of a pending decision, if its kind does not determine it.
ABOUT_ACTION, ABOUT_PURGE, ABOUT_CASUALTY, ABOUT_CARD_COST = numbers(0, 4)
ABOUT_CHOOSE, ABOUT_PAY, ABOUT_TAG, ABOUT_PURGE_TRACK, ABOUT_CITY, ABOUT_RECOVER = numbers(4, 6)

# --- Steps of a turn: the next step when nothing is pending ------------------

(
    FATE_STEP, UPKEEP_STEP, STARVE_STEP, HUNGER_STEP, DRAW_STEP, DECREE_STEP, ACTION_STEP, NEGOTIATED_STEP,
    RAIDED_STEP,
    SIEGE_STEP, TRAITOR_STEP, CLEANUP_STEP, HOLD_STEP, QUEUE_STEP,
) = numbers(0, 14)  # fmt: skip

(
    FATE_PHASE,
    UPKEEP_PHASE,
    DRAW_PHASE,
    DECREE_PHASE,
    ACTION_PHASE,
    SIEGE_PHASE,
    TRAITOR_PHASE,
    CLEANUP_PHASE,
) = numbers(0, 8)
PHASES = (
    "Fate Phase", "Food Upkeep", "Dice Draw", "Decree Phase", "Action Phase", "Siege Phase", "Traitor Check",
    "Cleanup",
)  # fmt: skip

# Triggers of an Assault Check; the number is also the ending of a Breach.
BY_BOMBARDMENT, BY_UNREST, BY_TRAITOR, BY_CARD = numbers(1, 4)

# Abilities of converted Outsiders (ledger 2.4); `ability` holds the sum of those on the tableau.
ABILITIES = (
    "upkeep", "ration", "draw", "hold", "patrol", "deconstruct", "counter_battery_cost", "raid_roll",
    "raid_food",
    "negotiate_cost", "negotiate_influence", "convert_power", "dispatch_power", "reach", "assault",
    "requirement",
    "black_grace", "execute_bonus",
)  # fmt: skip
(
    UPKEEP_AB, RATION_AB, DRAW_AB, HOLD_AB, PATROL_AB, DECONSTRUCT_AB, COUNTER_COST_AB, RAID_ROLL_AB,
    RAID_FOOD_AB,
    NEGOTIATE_COST_AB, NEGOTIATE_INFLUENCE_AB, CONVERT_POWER_AB, DISPATCH_POWER_AB, REACH_AB, ASSAULT_AB,
    REQUIREMENT_AB, BLACK_GRACE_AB, EXECUTE_BONUS_AB,
) = numbers(0, 18)  # fmt: skip

MAX_TURNS = 20
MAX_DECISIONS = 6_000  # below 200 per turn with the printed dice (ledger 6); knobs allow more dice; at most 20 turns

STATE = state_type(
    [
        # Tracks and resources (ledger 2.2)
        ("siege_strength", np.int16),  # 0..5, of the cards now in the Queue
        ("defense", np.int16),  # 0..5
        ("entrenchment", np.int16),  # 0..5
        ("bombardment", np.int16),  # 0..5, rests at 0..4
        ("consumption", np.int16),  # 0..5
        ("cohesion", np.int16),  # 0..5
        ("unrest", np.int16),  # 0..10
        ("pressure", np.int16),  # 0..5
        ("requirement", np.int16),  # 1..5
        ("piety", np.int16),  # 0..10
        ("influence", np.int16),  # 0..10
        ("food", np.int16),
        ("materials", np.int16),
        ("luxuries", np.int16),
        ("vp", np.int16),  # earned during the game
        ("piety_reached", np.bool_),  # 10 at any time (switch mastery_latched)
        ("influence_reached", np.bool_),
        ("requirement_base", np.int16),  # MF-REQ-01 before modifiers
        ("requirement_mod", np.int16),
        # Dice
        ("avail", np.int8, (CLASSES,)),  # Available dice by class
        ("avail_mask", np.int64),  # classes with at least one die
        ("avail_of", np.int16, (6,)),  # by colour
        ("exhausted", np.int8, (6,)),
        ("held", np.int8, (CLASSES,)),  # of `avail`, marked as Held until the next Dice Draw
        ("held_count", np.int16),
        ("bag", np.int8, (5,)),
        ("bag_count", np.int16),
        ("lost", np.int8, (5,)),
        ("black_pool", np.int16),
        ("black_dead", np.int16),
        ("black_drawn", np.int16),
        ("black_executed_turn", np.int16),
        ("black_fed", np.int16),  # Black dice of the last turn that eat (switch black_dice_eat)
        # Outsiders
        ("queue", np.int8, (SLOTS,)),  # card or EMPTY
        ("deck", np.int8, (DECK,)),  # 0..deck_left-1: a set, whose order is drawn card by card
        ("deck_left", np.int16),
        ("discard", np.int8, (DECK,)),
        ("discard_len", np.int16),
        ("card_place", np.int8, (DECK,)),
        ("tableau", np.int64),  # bit = Outsider
        ("ability", np.int16, (len(ABILITIES),)),
        ("support", np.int8, (MAX_CITIES,)),  # OFF_TRACK, 0..4
        ("on_track", np.int64),  # bit = city
        ("city_targeted", np.int64),  # bit = city, this turn
        # Elders
        ("elder_state", np.int8, (MAX_ELDERS,)),
        ("seated_turn", np.int8, (MAX_ELDERS,)),
        ("space", np.int8, (SPACES,)),  # Elder or EMPTY
        ("activated", np.int64),  # bit = Elder, this turn
        # Fate and decree
        ("fate", np.int8, (MAX_FATE,)),  # 0..fate_left-1 undrawn
        ("fate_left", np.int16),
        ("fate_drawn", np.int16),  # the card of this turn
        ("decree", np.int16),  # 1..12, of this turn
        # Once a turn (MF-GEN-06)
        ("ration_used", np.bool_),
        ("patrol_used", np.bool_),
        ("counter_used", np.bool_),
        ("deconstruct_used", np.bool_),
        ("blue_used", np.bool_),
        ("yellow_used", np.bool_),
        ("converts", np.int16),
        ("negotiates", np.int16),
        ("advances", np.int16),
        ("executes", np.int16),  # Execute (Die)
        ("black_work", np.int16),  # Black dice used outside Execute actions
        ("herald", np.bool_),
        ("counter_cost_turn", np.int16),
        ("raid_roll_turn", np.int16),
        # Current activity
        ("phase", np.int8),
        ("step", np.int8),
        ("asking", np.bool_),  # a decision is pending
        ("about", np.int8),
        ("options", np.int64),  # bit = option of the pending decision, except for MF-D-01
        ("legal_mask", np.int64),  # bit = legal action below EXECUTE_OUTSIDER, of the last MF-D-01
        ("pc", np.int16),  # next instruction of an effect, 0 when none
        ("doing", np.int16),  # action of MF-D-01 being carried out
        ("die_used", np.int8),  # class of the die of that action
        ("power", np.int16),  # committed dice so far
        ("power_blue", np.bool_),  # the Blue bonus counts in this action
        ("power_purple", np.int16),  # Purple dice committed
        ("casualties", np.int16),  # still to be taken
        ("recoveries", np.int16),
        ("bill", np.int16),
        ("unfed", np.int16),  # dice that go unfed in this Upkeep
        ("unfed_due", np.int16),  # still to be named
        ("starving", np.int8, (6,)),  # dice named unfed, by colour; they are also counted as Exhausted
        ("window_assault", np.bool_),  # MF-ASL-06: an Assault Check took place since the Siege Phase began
        ("ending", np.int8),
        # Data for replays
        ("assault_roll", np.int16),  # 0: no Assault Check yet
        ("assault_total", np.int16),
        ("assault_cause", np.int16),
        ("assault_turn", np.int16),
        ("raid_total", np.int16),
        ("raid_rolled", np.int16),
        # for the row of the game
        ("assaults", np.int16, (5,)),  # by trigger
        ("traitor_failures", np.int16),
        ("casualties_taken", np.int16),
        ("recovered", np.int16),
        ("unfed_total", np.int16),
        ("first_hunger", np.int16),  # turn, 0 = never
        ("conversions", np.int16),
        ("negotiations", np.int16),
        ("raids", np.int16),
        ("dispatch_moves", np.int16),
        ("dispatch_advances", np.int16),
        ("executed_dice", np.int16),
        ("executed_black", np.int16),
        ("executed_cards", np.int16),
        ("elders_seated", np.int16),
        ("activations", np.int16),
        ("actions_taken", np.int16),
        ("black_worked", np.int16),
        ("dice_used", np.int16, (6,)),  # by colour
        ("few_targets", np.int16),  # turns that began with fewer than three cards in reach
        ("strength_sum", np.int16),  # Siege Strength at the start of each Action Phase, added up
    ],
    seats=len(SEATS),
    streams=STREAMS,
    max_actions=ACTIONS,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)
