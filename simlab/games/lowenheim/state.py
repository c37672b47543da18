"""Siege of Lowenheim: the record of one game, the decisions and the names of its numbers (ledger sections 2, 4 and 6).

Only passable hexes are numbered, in ascending hex id, so "lowest id" and "lowest number" agree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import rule_index, state_type, stream_numbers


def numbers(first: int, count: int) -> list[Any]:
    """Constants for kernels, as NumPy integers: Numba recompiles a function for every literal argument."""
    return [np.int64(first + i) for i in range(count)]


SEATS = ("CG", "PG", "EL", "WZ", "BR", "CA")
FACTIONS = 6
CG, PG, EL, WZ, BR, CA = numbers(0, FACTIONS)
SKAVEN_SIDE = np.int64(6)  # controller of an intruder
NOBODY = np.int64(-1)
ZERO, ONE = numbers(0, 2)

NO_END, HOLD_END, GATE_END, PLACES_END, OUTNUMBERED_END = numbers(0, 5)  # index in ENDINGS, plus 1
ENDINGS = ("hold", "gate", "places", "outnumbered")

# Random streams. The intruders have their own, so a change among the defenders leaves their draws unchanged.
STREAMS = (
    "deal", "event_deck", "command_deck", "draw", "arrival", "intruder_march", "intruder_combat", "march", "combat",
    "magic", "mine", "fire", "temple", "loss", "temper",
)  # fmt: skip
_NUMBER = stream_numbers(FACTIONS, STREAMS)
(
    DEAL_STREAM, EVENT_STREAM, COMMAND_STREAM, DRAW_STREAM, ARRIVAL_STREAM, INTRUDER_MARCH_STREAM,
    INTRUDER_COMBAT_STREAM, MARCH_STREAM, COMBAT_STREAM, MAGIC_STREAM, MINE_STREAM, FIRE_STREAM, TEMPLE_STREAM,
    LOSS_STREAM, TEMPER_STREAM,
) = (np.int64(_NUMBER[name]) for name in STREAMS)  # fmt: skip

# Map (ledger 2.1).
GRID, COLUMNS = 208, 16
HEXES_MAX = 126  # passable hexes that a map may have; 107 printed
CONFIGS = 64  # J up, K up, four sites breached
FLAMMABLE_MAX, HOUSES, MOUTHS = 80, 36, 6
PLACES = 8
PLACE_NAMES = ("A", "B", "C", "D", "E", "F", "H", "M")
A, B, C, D, E, F, H, M = numbers(0, PLACES)
NO_SIDE, OPEN, GATE, WALL = numbers(0, 4)
DIRECTIONS = 6
FAR = np.int64(99)  # no path
OFF = np.int64(-1)  # not on the map

# Figures (ledger 2.2).
FIGURES, DEFENDERS, ROSTER, INTRUDERS = 181, 81, 61, 100
FIRST_INTRUDER = np.int64(81)
CAPTAIN, SIGIS, ALAVANDREL, SEVERUS, MINERVA, AMON, JEAN_JACQUES, WEN = (
    np.int64(f) for f in (0, 16, 27, 36, 37, 38, 39, 45)
)
AIR_SPIRIT, DEMON, FIRST_BEE, FIRST_ENT, FIRST_CANNON = (np.int64(f) for f in (61, 62, 63, 75, 79))
BEES, SWARM, ENTS, CANNONS, CREW_SIZE = 12, 3, 4, 2, 2
CHARACTERS = 8
KINDS = (
    "captain", "cg_foot", "cg_mounted", "sigis", "pg_foot", "pg_mounted", "alavandrel", "el_foot", "severus", "minerva",
    "amon", "jean_jacques", "br_foot", "wen", "ca_foot", "air_spirit", "demon", "bee", "ent", "cannon", "skaven",
    "rat_ogre", "werewolf",
)  # fmt: skip
K_SKAVEN, K_OGRE, K_WEREWOLF, K_CANNON = (
    np.int64(KINDS.index(k)) for k in ("skaven", "rat_ogre", "werewolf", "cannon")
)
CHARACTER, MOUNTED, FOOT, SPECIAL = numbers(0, 4)  # classes, in the order of groups
(IN_PLAY, TEMPLE, STARVED, LOST, DEAD, ESCAPED, UNUSED, CREW, OUT) = numbers(0, 9)
# Marks of a figure.
BUSY, DONE, CONFERRING, RESERVE, RAGING, NO_MOVE = (np.int64(1 << i) for i in range(6))
OF_THE_TURN = BUSY | DONE | NO_MOVE

# Losses of a character (LW-TMP-04).
LOSS_MOVE, LOSS_FIGHT, LOSS_STRENGTH, LOSS_TOUGHNESS = numbers(0, 4)

# Action cards (ledger 2.3).
TYPES = 6
ATTACK, PEASANTS, FOOD, WATER, HEALING, BLANK = numbers(0, TYPES)
TYPE_LETTERS = ("A", "P", "F", "W", "H", "B")
DECK_TYPES = ("n_attack", "n_peasants", "n_food", "n_water", "n_healing", "n_blank")  # knobs, in the order of types

# Event and command cards.
EVENTS_MAX, COMMANDS_MAX = 24, 12
EV_NOTHING, EV_FIRE, EV_BRIDGE, EV_MINE, EV_OGRE, EV_STATUE = numbers(0, 6)
(
    CM_NOTHING, CM_COUNTER_MINE, CM_WELLS, CM_WATER, CM_HOSPITAL, CM_RESERVE, CM_FOOD, CM_CONFERENCE, CM_CANNON,
) = numbers(0, 9)  # fmt: skip

# Demands in the order in which they are handled (LW-CMD-02).
DEMANDS = 13
(
    DUE_J, DUE_K, DUE_MINE, DUE_WELLS, DUE_WATER, DUE_HOSPITAL, DUE_FOOD, DUE_RESERVE, DUE_CANNON_1A, DUE_CANNON_1P,
    DUE_CANNON_2A, DUE_CANNON_2P, DUE_DEMON,
) = numbers(0, DEMANDS)  # fmt: skip
DEMAND_TYPE = np.array([1, 1, 1, 1, 3, 4, 2, 0, 0, 1, 0, 1, 1], np.int64)
NO_CANNON, CALLED, PAID, MANNED, PLACED, GONE = numbers(0, 6)  # of a cannon

# Spells and artefacts (ledger 2.6, 2.7).
SPELLS, ARTEFACTS, WIZARDS = 10, 4, 3
(
    HEAL, WALL_OF_WATER, FIREBALL, LIGHTNING, FAST_FOOD, MORALE, MIND_CONTROL, STEAL, INSECTS, TREEFOLK,
) = numbers(0, SPELLS)  # fmt: skip
MASK, BOX, ALTAR, TELEPORTER = numbers(0, ARTEFACTS)
IN_TOWER, NO_BOX = np.int64(0), np.int64(4)  # where the Box is; 1..3 the wizard that carries it
WATER_WALLS, CONTROLLED_MOST = 9, 3
ALTAR_9, OUT_9, IN_9, BOX_9 = (np.int64(n) for n in (10, 11, 12, 13))  # options of LW-D09 after the spells

# Secrets (LW-BLK-01) and pressure: the presser, the owner and the subject.
S_WOLF, S_TUNNEL, S_ARTEFACTS, S_HAIR = numbers(0, 4)
HAIR_HIDDEN, HAIR_USED, HAIR_LOST = numbers(0, 3)
STATUE_WHOLE, STATUE_SHATTERED, STATUE_BROKEN = numbers(0, 3)

# Kinds of decision, in the ledger's order; 0 is LW-D01.
(
    D_PLAN, D_MASKS, D_VOTE, D_WEAR, D_DISCARD, D_CONFER, D_BOX, D_START, D_MAGIC, D_TARGET, D_VICTIM, D_POWER,
    D_DIRECTION, D_ROB, D_QUEEN, D_RITE, D_ORDER, D_COUNT, D_BRUNHILDE, D_BATTLE_MAGIC, D_CANNON, D_FIGHT, D_PARTNER,
    D_GIVE, D_WANT, D_ANSWER, D_PRESS, D_PAY_PRESSURE, D_REVEAL, D_CUT, D_DISCHARGE, D_FEED, D_STARVE, D_REGAIN,
    D_WOLF, D_QUENCH, D_BUILD, D_HAND_IN, D_RESERVE, D_CREW,
) = numbers(0, 40)  # fmt: skip
DECISIONS = 40
NO_DECISION = np.int64(-1)

# Stages, one after the other; `advance` in rules.py goes from stage to stage.
(
    PLANS, MASKS, FIRST_VOTE, TURN_START, WEARING, DISCARDING, EVENT, COMMAND, CONFERENCE, BOX_USE, ENEMY_MOVE,
    ENEMY_COMBAT, STARTING, MAGIC, SLOT, QUEEN, RITE, RITE_DONE, ORDERS, BRUNHILDE, SLOT_END, BATTLE_MAGIC,
    CANNON_SHOTS, FIGHTS,
    FIGHT_SLOT_END, COMBAT_END, OFFERS, PRESSURE, HAND_LIMIT, DISCHARGES, FEEDING, REGAINING, WOLF_CARD, FIRES,
    BREAKING, BUILDING, DEMANDS_DUE, RESERVE_CALL, CREWS, UPKEEP, TURN_END, VOTES, NEXT_TURN,
) = numbers(0, 43)  # fmt: skip

# Counters of a game for its row: N_x + seat for those with one per faction.
_SIX = (
    "temple", "starved", "commanded", "mined", "died", "kills", "attacks", "wounds", "refused", "free_fights",
    "paid_fights", "fights_forgone", "unfed", "regained", "handed_in", "discharged", "quenched", "built", "trades",
    "stunned", "lost_otherwise",
)  # fmt: skip
N_SIX = {name: np.int64(6 * at) for at, name in enumerate(_SIX)}
(
    N_TEMPLE, N_STARVED, N_COMMANDED, N_MINED, N_DIED, N_KILLS, N_ATTACKS, N_WOUNDS, N_REFUSED, N_FREE, N_PAID,
    N_FORGONE, N_UNFED, N_REGAINED, N_HANDED, N_DISCHARGED, N_QUENCHED, N_BUILT, N_TRADES, N_STUNNED, N_OTHERWISE,
) = N_SIX.values()  # fmt: skip
_ONE = (
    "arrived", "not_placed", "intruder_attacks", "intruder_wounds", "crossed", "broken_barricades", "demands_met",
    "demands_missed", "bridge_j_down", "bridge_k_down", "burnt", "rages", "wolf_changes", "elf_outbursts",
    "cathay_outbursts", "hostile_losses", "spell_kills", "saves", "teleports", "demon_turns", "escape_turn",
    "reveals", "presses", "cannon_kills", "conference", "places_4", "places_8", "ratio_8", "first_overrun",
    "leader_changes", "spells", "artefacts", "reserve_turn",
)  # fmt: skip
N_ONE = {name: np.int64(6 * len(_SIX) + at) for at, name in enumerate(_ONE)}
(
    N_ARRIVED, N_NOT_PLACED, N_INTRUDER_ATTACKS, N_INTRUDER_WOUNDS, N_CROSSED, N_BROKEN, N_MET, N_MISSED, N_J_DOWN,
    N_K_DOWN, N_BURNT, N_RAGES, N_WOLF, N_ELF_OUTBURSTS, N_CATHAY_OUTBURSTS, N_HOSTILE, N_SPELL_KILLS, N_SAVES,
    N_TELEPORTS, N_DEMON_TURNS, N_ESCAPE_TURN, N_REVEALS, N_PRESSES, N_CANNON_KILLS, N_CONFERENCE, N_PLACES_4,
    N_PLACES_8, N_RATIO_8, N_FIRST_OVERRUN, N_LEADER_CHANGES, N_SPELLS, N_ARTEFACTS, N_RESERVE_TURN,
) = N_ONE.values()  # fmt: skip
COUNTERS = 6 * len(_SIX) + len(_ONE)

# Items tracked individually: event and command cards, spells, artefacts (simlab.game.Items).
ITEM_COMMAND, ITEM_SPELL = np.int64(EVENTS_MAX), np.int64(EVENTS_MAX + COMMANDS_MAX)
ITEM_ARTEFACT = ITEM_SPELL + SPELLS
ITEM_POWER = ITEM_ARTEFACT + ARTEFACTS
ITEMS = int(ITEM_POWER) + 4
USES = ("used",)
P_WELL, P_TUNNEL, P_WOLF, P_SPIRIT = numbers(0, 4)

MAX_TURNS = 18
MAX_DECISIONS = 20_000
QUEUE = 96

STATE = state_type(
    [
        ("stage", np.int8),
        ("part", np.int8),  # the stage that was carried out last, for replay
        ("at", np.int16),  # how far the stage is: a seat in order, a wizard, a fire
        ("step", np.int16),  # and within that
        ("step2", np.int16),
        ("first_seat", np.int8),  # LW-TRN-05
        # the decision in progress
        ("wizard", np.int8),  # 0..2
        ("spell", np.int8),
        ("target", np.int16),
        ("order", np.int16),  # target of the march order
        ("partner", np.int8),
        ("give", np.int8),
        ("want", np.int8),
        ("pressed", np.int8),  # secret
        ("owner", np.int8),  # of it
        ("offers", np.int8),
        ("anybody", np.int8),  # 1: somebody is near the current fire
        ("stage_magic", np.int8),  # 0 before movement, 1 before combat
        ("in_combat", np.int8),  # 1 in step 7, the combat step of the defenders
        ("paid_hex", np.int8, (CANNONS,)),  # hexes paid for by a cannon's shot in this turn, OFF
        # groups of the faction in step 6: figures in the order of their groups, 0 if it has had its order
        ("queue", np.int16, (QUEUE,)),
        ("queue_len", np.int16),
        ("group_at", np.int16),
        ("group_end", np.int16),
        ("orders_given", np.int8),
        # figures
        ("hex", np.int8, (FIGURES,)),
        ("status", np.int8, (FIGURES,)),
        ("wounds", np.int8, (FIGURES,)),  # left
        ("stun", np.int8, (FIGURES,)),
        ("ctrl", np.int8, (FIGURES,)),  # the faction that commands it
        ("marks", np.uint8, (FIGURES,)),
        ("more_move", np.int8, (FIGURES,)),  # LW-WIZ-08
        ("more_fight", np.int8, (FIGURES,)),  # LW-WIZ-09
        ("attackers", np.int8, (FIGURES,)),  # LW-CMB-05, in this combat step
        ("attacker", np.int16, (FIGURES,)),  # the last of them
        ("next", np.int16, (FIGURES,)),  # figures of a hex, ascending
        ("kind", np.int8, (FIGURES,)),
        ("loss", np.int8, (CHARACTERS, 4)),
        ("aim", np.int8, (INTRUDERS,)),
        ("controlled", np.int16, (CONTROLLED_MOST,)),  # LW-WIZ-10, ascending; -1 free
        ("breaks", np.int8, (CONTROLLED_MOST,)),
        ("conference_until", np.int8),
        # hexes
        ("head", np.int16, (HEXES_MAX,)),
        ("ours", np.int8, (HEXES_MAX,)),  # defender size
        ("our_heads", np.int8, (HEXES_MAX,)),
        ("theirs", np.int8, (HEXES_MAX,)),
        ("their_heads", np.int8, (HEXES_MAX,)),
        ("barricade", np.uint8, (HEXES_MAX,)),  # a bit for each direction
        ("fresh", np.uint8, (HEXES_MAX,)),  # those of them built this turn
        ("wet", np.uint8, (HEXES_MAX,)),  # sides that a Wall of Water closes
        ("config", np.int8),  # bridges up, sites breached
        ("fire", np.int8, (FLAMMABLE_MAX,)),  # 0, 1 + turns burnt, BURNT
        ("fires", np.int8),  # burning now
        ("pieces", np.int8),  # barricade pieces in the pool
        ("returning", np.int8),
        ("wall_hex", np.int8, (WATER_WALLS,)),
        ("wall_dir", np.int8, (WATER_WALLS,)),
        ("wall_last", np.int8, (WATER_WALLS,)),  # 0: free
        ("our_size", np.int16),  # on the whole map
        ("their_size", np.int16),
        ("their_number", np.int16),
        # cards
        ("hand", np.int8, (FACTIONS, TYPES)),
        ("held", np.int8, (FACTIONS,)),
        ("deck", np.int16, (TYPES,)),
        ("deck_len", np.int16),
        ("pile", np.int16, (TYPES,)),
        ("known", np.int8, (FACTIONS, FACTIONS, TYPES)),  # cards of a hand that a faction has seen: viewer, owner, type
        ("event_deck", np.int8, (EVENTS_MAX,)),
        ("event_at", np.int8),
        ("command_deck", np.int8, (COMMANDS_MAX,)),
        ("command_at", np.int8),
        ("event_drawn", np.int8),
        ("command_drawn", np.int8),  # in this turn, or -1
        ("due", np.int8, (DEMANDS,)),
        ("mine_deadline", np.int8),
        ("cannon", np.int8, (CANNONS,)),
        ("crew", np.int16, (CANNONS, CREW_SIZE)),
        ("crew_offer", np.int8, (FACTIONS,)),
        ("crew_given", np.int8),
        ("reserve_called", np.int8),  # this turn's command
        ("reserve_given", np.int8),
        ("reserve_active", np.int8),
        ("reserve_pool", np.int8),
        ("ogres_pending", np.int8),
        # feeding
        ("fed", np.int8),
        ("back", np.int8),
        ("starved_now", np.uint8, (ROSTER,)),  # lost in this turn
        # powers
        ("mask_worn", np.int8),
        ("box_at", np.int8),
        ("box_could", np.int8),  # wizards that could have taken it, as bits
        ("box_used", np.int8),
        ("artefact_public", np.int8, (ARTEFACTS,)),
        ("artefact_lost", np.int8, (ARTEFACTS,)),
        ("demon_turns", np.int8),
        ("teleports", np.int8),
        ("cast", np.int8),  # wizards that have cast or acted this turn, as bits
        ("wolf_until", np.int8),  # last turn as a werewolf; 0: human
        ("wolf_public", np.int8),
        ("hair", np.int8),
        ("hair_public", np.int8),
        ("hair_needed", np.int8),  # at least 2 places overrun before the rite
        ("rite", np.int8),  # declared in this turn
        ("spirit_due", np.int8),
        ("tunnel_public", np.int8),
        ("queen", np.int8),
        ("queen_escorted", np.int8),
        ("queen_captured", np.int8),
        ("brunhilde", np.int8),  # OFF once she has escaped
        ("brunhilde_with", np.int8),
        ("brunhilde_captured", np.int8),
        ("statue", np.int8),
        ("plundered", np.int8),
        ("escaped_with", np.int8),
        ("pressed_on", np.int8, (2, 4)),  # turn of the last pressure, by presser (EL, WZ) and secret
        # made public after a refusal, by secret: the turn, of the artefacts which ones as bits; 0 none
        ("revealed", np.int8, (4,)),
        ("masks", np.int8, (FACTIONS,)),  # bit s: faction s may pass
        ("plans", np.int8, (FACTIONS,)),
        ("votes", np.int8, (FACTIONS,)),
        # leadership and objectives
        ("leader", np.int8),
        ("leader_turns", np.int8, (2,)),
        ("poor_turns", np.int8),
        ("jousting_turns", np.int8),
        ("queen_turns", np.int8),
        ("tower_turns", np.int8),
        ("embassy_turns", np.int8),
        ("secret_turns", np.int8),
        ("cathay_turns", np.int8),
        ("defended", np.int8),  # LW-SCO-04: h
        ("gate_turns", np.int8),
        ("overrun", np.int8),  # places overrun at the end of the last turn
        ("ending", np.int8),
        ("places_lost", np.uint8),  # overrun at the end, as bits
        ("count", np.int16, (COUNTERS,)),
        ("item_use", np.uint8, (ITEMS,)),  # a bit for each seat
        ("losses_in", np.int8, (PLACES + 1,)),  # roster figures that went down, by place; last: elsewhere
        ("fallen_on", np.int16, (HEXES_MAX,)),  # roster figures that went down, by hex
        ("slain_on", np.int16, (HEXES_MAX,)),  # intruders taken out, by hex
    ],
    seats=FACTIONS,
    streams=STREAMS,
    max_actions=HEXES_MAX + 2,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)
BURNT = np.int64(99)
