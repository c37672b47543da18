"""Montségur: the record of one game, the decisions and the names of its numbers (ledger sections 2, 4 and 6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import rule_index, state_type, stream_numbers


def numbers(first: int, count: int) -> list[Any]:
    """Constants for kernels, as NumPy integers: Numba recompiles a function for every literal argument."""
    return [np.int64(first + i) for i in range(count)]


CAT, CRU = numbers(0, 2)
SEATS = ("cathar", "crusader")
NOBODY, BOTH_SIDES = np.int64(-1), np.int64(2)
ZERO, ONE = numbers(0, 2)

# Endings: the side that surrenders, and why (MS-END-01 to MS-END-03).
NO_END, CAT_MORALE, FOOD_OUT, FAITH_LOST, NO_PERFECTS, CASTLE_LOST, TIME_UP, CRU_MORALE, CAMP_LOST = numbers(0, 9)
ENDINGS = (
    "none", "cathar_morale", "food", "faith", "no_perfects", "castle", "time", "crusader_morale", "camp",
)  # fmt: skip

# Random streams. Each side's checks have a stream of their own, so one more boost by one side leaves the
# other's draws unchanged; both draw from the same bag.
STREAMS = (
    "summer_deck", "winter_deck", "initiative", "fate_cathar", "fate_crusader",
    "discard_cathar", "discard_crusader",
)  # fmt: skip
_NUMBER = stream_numbers(len(SEATS), STREAMS)
SUMMER_DECK_STREAM = np.int64(_NUMBER["summer_deck"])
WINTER_DECK_STREAM = np.int64(_NUMBER["winter_deck"])
INITIATIVE_STREAM = np.int64(_NUMBER["initiative"])
FATE_STREAM = np.int64(_NUMBER["fate_cathar"])  # the Crusaders' is the next one
DISCARD_STREAM = np.int64(_NUMBER["discard_cathar"])  # likewise

# Locations (MS-MAP-01), in the order of locations.csv.
LOCATIONS, PATHS, EDGES = 11, 16, 32
CODES = ("MC", "WW", "EW", "CRE", "RDT", "CC", "WP", "NP", "SP", "SE", "NE")
MC, WW, EW, CRE, RDT, CC, WP, NP, SP, SE, NE = numbers(0, LOCATIONS)
ALL_LOCATIONS = np.int64((1 << LOCATIONS) - 1)

# Cards: 99 printed; one place is left for a designer's own card.
CARDS_MAX, HAND_MAX, STACK_MAX = 100, 13, 10
SUMMER, WINTER = 0, 1
WINTER_TURN, RESHUFFLE_TURN = 5, 8  # MS-INI-02, MS-INI-06
ASIDE, DECK, HAND, _, STACK, _, DISCARD, RESOLVED, IN_PLAY, OUT, FACE_DOWN = numbers(0, 11)
# A card is in one zone: HAND and STACK + side, FACE_DOWN for a discarded card that nobody saw (MS-INI-03).
ZONE, BATCH = np.int64(15), np.int64(4)  # a card's place: its zone and, in the higher bits, the deck that it came from

# Tokens (MS-FAT-01): six numbers, the dove, the cross.
TOKENS, NUMBERS = 8, 6
DOVE, CROSS = numbers(6, 2)
FULL_BAG = np.int64(255)

# Kinds of decision, in the ledger's order.
(
    D_INIT, D_PLAY, D_PREEMPT, D_ACTION, D_EDGE, D_FORCE, D_REDEP_PICK, D_REDEP_SET, D_REDRAW, D_TRIGGER,
    D_ESCAPE_OPT, D_STRIKE, D_RING, D_STRATEGY, D_DESERT,
) = numbers(0, 15)  # fmt: skip
NO_DECISION = np.int64(-1)

PLAY_CP, PLAY_COMMANDER, PLAY_PASS = np.int64(HAND_MAX), np.int64(2 * HAND_MAX), np.int64(2 * HAND_MAX + 1)
ATTACK, REINFORCE, REDEPLOY, SCOUT, BOOST, ESCAPE, CONSOLE = numbers(0, 7)
DECLINE_ATTACK, STOP_PICKING = np.int64(EDGES), np.int64(LOCATIONS)
NO_CARD = np.int64(-1)  # the commander is in play
MAX_FORCE = np.int64(6)

# Stages of play, one after the other; `advance` in rules.py goes from stage to stage.
(
    TURN_START, PLAY, ACTION, AFTER_ACTION, EVENT, NEXT_PLAY, STRATEGY_CAT, STRATEGY_CRU, STRATEGY_REST, FAITH,
    ATTRITION, DESERT_CAT, DESERT_CRU, TURN_END, FATE_OF_PERFECTS, FINAL_CHECKS, COUNT_VP,
) = numbers(0, 17)  # fmt: skip

# Checks (MS-FAT-09).
LEADERSHIP, ESCAPING, REPENTANCE, LAST_REPENTANCE = numbers(0, 4)

# Uses of a card in a game, bits of card_use; each + side.
HELD, _, AS_EVENT, _, FOR_POINTS, _, TRIGGERED, _, PREEMPTED, _, STACKED, _, DISCARDED = numbers(0, 13)
USES = ("held", "event", "points", "triggered", "preempted", "stacked", "discarded")

# Counters of a game for its row; counters per side are adjacent: + side.
(
    N_MORALE_UPKEEP, _, N_MORALE_EVENTS, _, N_HUNGER, N_BOOST_TRIED, _, N_BOOST_MADE, _, N_ESCAPE_TRIED,
    N_ESCAPE_MADE, N_ATTACKS, _, N_TAKEN, _, N_BURIED, _, N_CREST_CHANGES, N_CREST_TURNS, N_GAINED, _, N_DECAYED, _,
    N_TRIGGERS, _, N_PREEMPTS, _, N_REDRAWS, _, N_STARTS, N_DOUBLES, _, N_COMMANDER_TURN, _, N_COMMANDER_ACTION, _,
    N_COMMANDER_USES, _, N_CREST_4, N_PLAYS, N_REDEPLOYS, _, N_REINFORCED, _, N_SCOUTS, _, N_CONSOLED, N_LAST_PLAYER,
    N_DESERTED, _, N_EVENTS, _, N_REPENT_TRIED, N_REPENT_MADE, N_LAST_CREST,
) = numbers(0, 55)  # fmt: skip
COUNTERS = 55

MAX_TURNS = 10
MAX_DECISIONS = 4_000  # 3,186 at the most extreme knob values (ledger 6)
LOG = 12  # plays that the record of a turn holds
LOG_ACTIONS = 7
LOG_EVENT, LOG_PASS, LOG_TRIGGERED, LOG_PREEMPTED = np.int64(7), np.int64(8), np.int64(16), np.int64(32)

STATE = state_type(
    [
        ("stage", np.int8),
        ("activity", np.int8),  # 1 in the activity phases: decides what follows a surrender (MS-END-05)
        ("aftermath", np.int8),  # 1 once a surrender has been taken up
        ("phase", np.int8),  # 0..activity_phases-1
        ("second", np.int8),  # 0 first, 1 second play of the phase
        ("start_player", np.int8),
        ("active", np.int8),  # side whose play it is
        # the play and the event being resolved
        ("card", np.int8),  # card in play, NO_CARD for the commander
        ("cp", np.int8),
        ("in_event", np.int8),
        ("preempted", np.int8),
        ("event_player", np.int8),  # P of the effect vocabulary
        ("actor", np.int8),  # side that attacks or redeploys
        ("op_at", np.int16),  # next op of the event's program
        ("op_now", np.int16),  # the op being resolved
        ("attack_cp", np.int8),
        ("attack_less", np.int8),  # subtracted from the defence bonus
        ("attack_bare", np.int8),  # 1: no defence bonus
        ("attack_edge", np.int8),
        ("attack_at", np.int16),  # mask of locations that may be attacked
        ("redeploy_cp", np.int8),
        ("placing", np.int8),  # location whose strength is asked for
        ("picks", np.int16),  # mask of chosen locations
        ("to_place", np.int16),  # soldiers of a Redeploy not yet spread
        ("placed", np.int16),  # mask of chosen locations settled
        ("strength", np.uint8, (LOCATIONS,)),  # new strengths, carried out when all are settled
        ("ring_left", np.int8),
        ("check", np.int8),
        ("check_side", np.int8),
        ("check_base", np.int16),  # number to which the token is added
        ("check_limit", np.int16),  # the total must exceed it
        ("redraws", np.int8),  # in this check
        # the board
        ("soldiers", np.int16, (2, LOCATIONS)),
        ("battlefield", np.int16, (2,)),
        ("scouts", np.int16, (2,)),
        ("markers", np.int16, (2,)),
        ("commander", np.int8, (2,)),  # 1 active, 0 exhausted
        ("morale", np.int8, (2,)),
        ("faith", np.int8),
        ("food", np.int8),
        ("montsegur", np.int16),
        ("aspiring", np.int16),
        ("captured", np.int16),
        ("escaped", np.int16),
        ("burned", np.int16),
        ("repenting", np.int16),
        ("trebuchets", np.int8),
        ("caves", np.int8, (2,)),
        ("capacity", np.int8, (LOCATIONS,)),  # under the knobs
        ("bonus", np.int8, (EDGES,)),  # defence bonus against each edge, before trebuchets
        # lasting effects (MS-EVT-04)
        ("grail", np.int8),
        ("broken_line", np.int8),
        ("line_domino", np.int8),  # 1 once the domino of a broken line has fallen
        ("walls_mended", np.int8),
        ("lead", np.int8, (2,)),
        ("escape_mod", np.int8),
        ("path_less", np.int8),
        ("reinf_mod", np.int8, (2,)),
        ("no_attack", np.int8),
        # tokens
        ("bag", np.uint8),  # mask; the Trail of Fate holds the others
        ("token", np.int8),  # drawn last
        ("token_value", np.int8, (2, NUMBERS)),  # under the knobs
        # cards
        ("place", np.uint8, (CARDS_MAX,)),
        ("deck", np.int8, (CARDS_MAX,)),  # a set: which card is on top is settled when it is drawn
        ("deck_len", np.int8),
        ("deck_batch", np.int8),
        ("deck_stream", np.int8),
        ("hand", np.int8, (2, HAND_MAX)),  # ascending
        ("hand_len", np.int8, (2,)),
        ("stack", np.int8, (2, STACK_MAX)),
        ("stack_len", np.int8, (2,)),
        # the end
        ("surrendered", np.int8),  # NOBODY, CAT or CRU
        ("ending", np.int8),
        ("end_turn", np.int8),  # turns_max + 1: outlasted the siege
        ("winner", np.int8),
        ("majority", np.int8),  # side that gets the strategy points; NOBODY when equal
        # for the row, the card report and the record of this turn's plays
        ("count", np.uint8, (COUNTERS,)),
        ("card_use", np.uint16, (CARDS_MAX,)),
        ("standing", np.int8, (3,)),  # after turns 2, 4 and 6
        ("log_card", np.int8, (LOG,)),
        ("log_how", np.int8, (LOG,)),
        ("log_len", np.int8),
    ],
    seats=len(SEATS),
    streams=STREAMS,
    max_actions=33,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)
