"""The Peace of Westphalia: the record of one game, the decisions and the names of its numbers.

A power is a number: players 0 to 7, then the principalities, 8 + their ID. A hex is its number on the largest map; sets
of hexes are two words of 48 bits; sets of principalities or players are one word.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlab.game import rule_index, state_type, stream_numbers


def numbers(first: int, count: int) -> list[Any]:
    """Constants for kernels, as NumPy integers: Numba recompiles a function for every literal argument."""
    return [np.int64(first + i) for i in range(count)]


LEAST_PLAYERS, PLAYERS = 5, 8
SEATS = ("red", "blue", "green", "yellow", "black", "white", "purple", "orange")
NOBODY = np.int64(-1)
ZERO, ONE, TWO, THREE = numbers(0, 4)

# Map and powers.
HEXES, WORD, EDGES = 96, 48, 6
ROSTER = 40  # IDs of principalities; the knob roster_size is the number in the game
POWERS = PLAYERS + ROSTER
FIRST_PRINCIPALITY = np.int64(PLAYERS)  # the power of principality 0
ELECTORS = 7
OFF_MAP, EMPTY = np.int64(-1), np.int64(-2)

CATHOLIC, PROTESTANT = numbers(0, 2)
FAITHS = ("Catholic", "Protestant")
SIN, HELL, ALONE, WORKS = numbers(0, 4)  # roles
NO_FLAME, LYING, UPRIGHT = numbers(0, 3)
NO_LEAGUE, CATHOLIC_LEAGUE, EVANGELICAL_LEAGUE = numbers(0, 3)
MUSKETEER, PIKEMAN, CAVALRY = numbers(0, 3)
KINDS = 3
DOCTRINES = 8
NO_DOCTRINE = np.int64(DOCTRINES)
DUELS = 4

# Endings.
CATHOLIC_VICTORY, PROTESTANT_VICTORY, PEACE_OF_WESTPHALIA = numbers(0, 3)
ENDINGS = ("catholic_victory", "protestant_victory", "peace_of_westphalia")

# Random streams; the Faith dice of each seat have a stream of their own.
STREAMS = (
    "setup_order", "start_places", "placement", "upheaval", "ottoman", "doctrines", "cards",
    *(f"faith_{seat}" for seat in SEATS),
)  # fmt: skip
_NUMBER = stream_numbers(0, STREAMS)  # after the bots' streams, one per seat
ORDER_STREAM = np.int64(_NUMBER["setup_order"])
PLACES_STREAM = np.int64(_NUMBER["start_places"])
PLACEMENT_STREAM = np.int64(_NUMBER["placement"])
UPHEAVAL_STREAM = np.int64(_NUMBER["upheaval"])
OTTOMAN_STREAM = np.int64(_NUMBER["ottoman"])
DOCTRINE_STREAM = np.int64(_NUMBER["doctrines"])
CARD_STREAM = np.int64(_NUMBER["cards"])
FAITH_STREAM = np.int64(_NUMBER["faith_red"])  # the other seats' follow

# Kinds of decision, in the ledger's order.
(
    D_CAPITAL, D_SECOND, D_THIRD, D_ELECTOR, D_ELECTOR_HEX, D_PLACE, D_FIRST_DI, D_VOTE, D_CONVERT, D_TOKEN,
    D_PATRONAGE, D_DIE, D_GESTURE, D_DIPLOMACY, D_PRINCIPALITY, D_PROVINCE, D_DECLARE, D_TARGET, D_DEFEND, D_VICTIM,
    D_CRUSADE, D_DOCTRINE, D_EXECUTE, D_SWAP, D_AMBUSH, D_BUY, D_CLASH, D_INFANTRY, D_NAME, D_REINFORCE,
    D_PEACE, D_CONQUER, D_VASSAL, D_LIBERATE, D_CLAIM, D_LEAGUE, D_RANK, D_ASSENT, D_LEAVE, D_GIFT,
    D_RECIPIENT, D_EDGE, D_IMPERIAL_DI, D_WINNER,
) = numbers(0, 44)  # fmt: skip
DECISIONS = 44
NO_DECISION = np.int64(-1)

# Actions with a name.
NO_TARGET = np.int64(ROSTER)  # commit, stop, keep: after the principalities
NO_HEX = np.int64(HEXES)  # stop, none: after the hexes
STAY, CONVERT = numbers(0, 2)
FRENCH, TRENT = numbers(0, 2)
THUMB, GUN = numbers(0, 2)
END_TURN, PLACE_DI, BUY_DI, RELEASE, GIVE = numbers(0, 5)
NO_WAR, ON_UNALIGNED, ON_PLAYER, RELIGIOUS = numbers(0, 4)
ABANDON, DEFEND = numbers(0, 2)
NO_CARD = np.int64(KINDS)  # stop: after the kinds
NOTHING, CONQUER, VASSALIZE, LIBERATE = numbers(0, 4)
DECLINE, JOIN_CATHOLIC, JOIN_EVANGELICAL = numbers(0, 3)
STAY_IN_EMPIRE = np.int64(EDGES)

# Steps of play. The stack of the record holds the current step on top and, below it, the steps it interrupts.
(
    S_PLAYER_HEX, S_ELECTOR, S_PRINCIPALITY, S_FIRST_DI, S_FIRST_ELECTION, S_ROUND, S_CONVERT, S_TOKENS, S_EARN,
    S_PATRONAGE, S_DICE, S_GAME_OF_TWO, S_DIPLOMACY, S_DECLARE, S_NAMING, S_DEFENCE, S_BATTLE_PHASE, S_BATTLE,
    S_MUSTER, S_EXECUTE, S_BUY, S_FIRST_ZERO, S_CHOOSE, S_RESOLVE, S_REINFORCE, S_TREATIES, S_TREATY, S_CONQUER,
    S_CLAIMS, S_LOSSES, S_ELIMINATE, S_POSTWAR, S_LEAGUES, S_LEAGUE_WAR, S_ELECTORATE, S_ASSENT, S_LEAGUE_PEACE,
    S_LEAGUE_END, S_FOREIGN, S_GIFTS, S_VOTES, S_IMPERIAL_DI, S_ROUND_END, S_TIE, S_REGROUP,
) = numbers(0, 45)  # fmt: skip
DEPTH = 10  # of the stack

# Phases of a round, for people.
SET_UP, UPHEAVAL, HERESY, DIPLOMACY, WAGE_WAR, RELIGIOUS_WAR, FOREIGN_POWERS, ELECTION = numbers(0, 8)
PHASES = (
    "Setup", "Religious Upheaval", "Combat Heresy", "Engage in Diplomacy", "Wage War", "Religious War",
    "Foreign Powers", "Imperial Election",
)  # fmt: skip

# Kinds of a treaty, and the results of a war.
WITH_UNALIGNED, WITH_PLAYER, WITH_LEAGUE = numbers(0, 3)
WHITE_PEACE, ATTACKER_WON, DEFENDER_WON, OFF, AT_WAR = numbers(0, 5)

# Counters of a game for its row.
(
    N_EARLY_UPHEAVAL, N_LATE_UPHEAVAL, N_CONVERSIONS, N_RETURNS, N_FA_PASSED, N_COUNCIL, N_DICE, N_SUCCESSES,
    N_DICE_ON_PR, N_DICE_ON_PLAYERS, N_DICE_ON_OWN, N_DICE_LOST, N_TURNED_PR, N_TURNED_PROVINCES, N_FLAMES,
    N_PATRONAGE, N_TOWN_GOLD_LOST, N_THUMBS, N_GUNS, N_GESTURE_DI, N_BOUGHT_DI, N_RELEASED, N_GIVEN,
    N_ALLIANCES, N_WARS_UNALIGNED, N_WARS_PLAYERS, N_WARS_RELIGIOUS, N_TEMPORARY_IP, N_AUTOMATIC, N_BATTLES,
    N_ATTACKER_WINS, N_WHITE_PEACE, N_CANCELLED, N_CLASHES, N_CARDS_BOUGHT, N_DOCTRINES, N_EXECUTED, N_CALLS,
    N_CONQUERED, N_TOWNS_TAKEN, N_VASSALS, N_LIBERATED, N_CLAIMS, N_LEAGUE_WARS, N_LEAGUE_BATTLES,
    N_DECLARERS_WON, N_LEAGUERS, N_DECLINED, N_STRIPPED, N_ELIMINATED, N_LEFT, N_POSTWAR_DI, N_WAR_DI, N_ELECTED_NEW,
    N_WAR_EARLY, N_WAR_LATE, N_PLAYED_M, N_PLAYED_P, N_PLAYED_C, N_LATE_M, N_LATE_P, N_LATE_C,
) = numbers(0, 62)  # fmt: skip
COUNTERS = 62
ROUNDS = 7  # the most rounds in a game

MAX_DECISIONS = 40_000

STATE = state_type(
    [
        ("players", np.int8),
        ("map_size", np.int8),  # of the nested maps, 0 for that of 5 players to 3 for that of 8 (WP-MAP-01)
        ("hexes", np.int8),  # of that map
        ("step_at", np.int8, (DEPTH,)),  # the stack of steps
        ("depth", np.int8),
        ("at", np.int8, (DEPTH,)),  # progress of each step: its current player or principality
        ("options", np.int64, (3,)),  # bits of the legal actions of the current decision
        ("phase", np.int8),
        # the map
        ("hex_owner", np.int8, (HEXES,)),  # a power, OFF_MAP or EMPTY
        ("land", np.int64, (POWERS, 2)),  # hexes of each power
        ("extent", np.int8, (POWERS,)),  # their number
        ("protestant", np.int64, (2,)),  # hexes of that faith; the rest is Catholic
        ("town", np.int64, (2,)),  # town-provinces of players (WP-MAP-05)
        ("capital", np.int64, (2,)),  # capitals of all powers
        ("home", np.int8, (POWERS,)),  # capital hex of a power, -1 for none
        # principalities
        ("on_map", np.int64),  # IDs
        ("electors", np.int64),  # IDs
        ("pr_faith", np.int8, (ROSTER,)),
        ("marker", np.int8, (ROSTER,)),  # NO_FLAME, LYING, UPRIGHT: a Target Principality
        ("declarer", np.int8, (ROSTER,)),  # of a Target Principality
        ("di", np.int8, (ROSTER, PLAYERS)),
        ("ally", np.int8, (ROSTER,)),
        ("ally_whole_war", np.int8, (ROSTER,)),  # 1: ally of the same player since the Doctrines were dealt
        ("ally_claimed", np.int8, (ROSTER,)),  # 1: took a province in a treaty of this phase
        # players
        ("faith", np.int8, (PLAYERS,)),
        ("role", np.int8, (PLAYERS,)),
        ("gw_die", np.int8, (PLAYERS,)),
        ("saints", np.int8, (PLAYERS,)),
        ("monastery", np.int8, (PLAYERS,)),
        ("gold", np.int8, (PLAYERS,)),
        ("di_stored", np.int8, (PLAYERS,)),
        ("di_out", np.int8, (PLAYERS,)),  # on the map and stored
        ("fp_edge", np.int8, (PLAYERS,)),  # -1: no Foreign Power
        ("eliminated", np.int8, (PLAYERS,)),  # 1: in this round
        ("fa_free", np.int8),
        ("reformation", np.int8),
        ("emperor", np.int8),
        ("first_player", np.int8),  # in the Setup Order
        ("initiative", np.int8, (PLAYERS,)),  # seats in order; until round 1 the Setup Order
        ("setup_order", np.int8, (PLAYERS,)),
        ("start_place", np.int8, (PLAYERS,)),
        ("pending", np.int8, (PLAYERS,)),  # secret choices until the reveal
        # set-up
        ("picked", np.int8, (4,)),  # hexes picked for the power being placed
        ("n_picked", np.int8),
        ("placing", np.int8),  # principality being placed
        ("to_place", np.int8),  # its hexes
        ("placer", np.int8),  # place in the Setup Order of the next placer
        ("electors_left", np.int64),
        # dice
        ("dice", np.int16, (PLAYERS,)),  # Faith dice earned, then successes left to place
        ("targets", np.int64, (2,)),  # of the player who places (WP-FTH-07)
        ("pr_dice", np.int16, (ROSTER, 2)),
        ("hex_dice", np.int16, (HEXES, 2)),
        # diplomacy
        ("gesture", np.int8, (PLAYERS, PLAYERS)),  # last gesture of one towards another, -1 none
        ("gesture_any", np.int8, (PLAYERS,)),  # last gesture against anybody
        ("giving", np.int8),  # the hex given away, -1 none
        # war
        ("doctrine", np.int8, (PLAYERS, DOCTRINES)),  # cards held
        ("doctrine_played", np.int8, (DOCTRINES,)),  # by anybody, this round
        ("declared_on", np.int8, (PLAYERS,)),
        ("has_declared", np.int8, (PLAYERS,)),  # NO_WAR .. RELIGIOUS
        ("named", np.int64),  # IDs, targets of the declaration under way
        ("named_any", np.int8),
        ("target", np.int8),  # the one just named
        ("named_size", np.int8),
        ("wars", np.int8),
        ("war_attacker", np.int8, (PLAYERS,)),
        ("war_defender", np.int8, (PLAYERS,)),
        ("war_phase", np.int8, (PLAYERS,)),  # 1..3
        ("war_result", np.int8, (PLAYERS,)),
        ("battle_phase", np.int8),
        ("war", np.int8),  # the war whose battle is fought
        ("battles_begun", np.int8),  # of this Battle Phase
        ("white_peace", np.int8, (PLAYERS,)),  # 1: a war of his ended so this round
        ("force", np.int8, (PLAYERS,)),  # Imperial Power at the start of the Battle Phase
        ("adjacent", np.int64, (PLAYERS, 2)),  # hexes next to each player at that time (WP-PCE-10)
        # battle
        ("melee", np.int8),  # 1: a battle of the Leagues
        ("fighter", np.int8, (PLAYERS,)),  # those who fight, in Initiative Order
        ("fighters", np.int8),
        ("slot", np.int8, (DUELS, 2)),  # the duels: seats, -1 nobody
        ("queue", np.int8, (2, PLAYERS)),  # waiting, by League
        ("queue_len", np.int8, (2,)),
        ("deck", np.int8, (PLAYERS, KINDS)),  # cards left in each deck
        ("deck_of", np.int8, (PLAYERS,)),
        ("hand", np.int8, (PLAYERS, KINDS)),
        ("discard", np.int8, (PLAYERS, KINDS)),
        ("reserve", np.int8, (PLAYERS,)),
        ("called", np.int8, (PLAYERS,)),
        ("barred", np.int8, (PLAYERS,)),  # may not play Cavalry
        ("routed", np.int8, (PLAYERS,)),
        ("played", np.int8, (PLAYERS,)),  # Doctrine of this battle, -1 none
        ("executed", np.int8, (PLAYERS,)),
        ("doctrine_at", np.int8),  # the Doctrine being executed
        ("give_left", np.int8),
        ("take_left", np.int8),
        ("name_left", np.int8),  # bits of the kinds that can still be named
        ("losses_left", np.int8),
        ("duel_at", np.int8),
        # public knowledge about a hand (hidden.py)
        ("drawn", np.int8, (PLAYERS, KINDS)),  # cards drawn at the start of the battle
        ("seen", np.int8, (PLAYERS, KINDS)),  # cards that left the unknown part of the hand
        ("shown", np.int8, (PLAYERS, KINDS)),  # cards of the hand that all know
        ("foe_shown", np.int8, (PLAYERS, KINDS)),  # cards of the hand that its peeker knows
        ("peeker", np.int8, (PLAYERS,)),  # the player who looked at the hand, -1 nobody
        ("denied", np.int8, (PLAYERS,)),  # bits of the kinds that the unknown part lacks
        ("bought", np.int8, (PLAYERS,)),  # cards of unknown kind that did not come from the deck in use
        # treaty
        ("treaty", np.int8),  # WITH_UNALIGNED, WITH_PLAYER or WITH_LEAGUE
        ("victor", np.int8),
        ("enemy_prs", np.int64),
        ("enemy_players", np.int64),
        ("beaten", np.int64),  # the losing players when the treaty began
        ("ally_t0", np.int8, (ROSTER,)),
        ("lost", np.int8, (ROSTER,)),
        ("took", np.int8),
        ("took_far", np.int8),
        ("took_town", np.int8),
        # Religious War
        ("league", np.int8, (PLAYERS,)),
        ("beaten_leagues", np.int8),  # bits: 1 Catholic, 2 Evangelical
        ("fought", np.int8),  # 1: there was a battle
        ("elector_fought", np.int8, (ROSTER,)),
        ("proposed", np.int8),
        # election
        ("elector_vote", np.int8, (ROSTER,)),
        ("votes", np.int8, (PLAYERS,)),
        # the end
        ("winners", np.int16),
        ("ending", np.int8),
        ("final_ip", np.int16, (PLAYERS,)),
        ("gates", np.int8, (2, 2)),  # of the last two rounds, by faith: tests that failed, -1 not tested
        # for the row, the report and display
        ("count", np.int16, (COUNTERS,)),
        ("emperor_of", np.int8, (ROUNDS + 1,)),  # elected in the set-up and at the end of each round
        ("protestant_at", np.int8, (ROUNDS + 1,)),  # provinces after phase 1 of each round
        ("ip_at", np.int16, (ROUNDS + 1,)),  # mean Imperial Power of those in the Empire at the end of each round, x 10
        ("doctrine_use", np.int16, (DOCTRINES, 3)),  # bits of the seats: held, executed, and won the battle with it
        ("tie", np.int8),  # players tied at the end, 0 if there was a single best
        ("last_roll", np.int8),  # of the Ottoman die, -1 none
        ("clash", np.int8, (PLAYERS,)),  # kind just played, -1 none
    ],
    seats=PLAYERS,
    streams=STREAMS,
    max_actions=HEXES + 1,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)
