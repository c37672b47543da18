"""Simple Siege: the record of one game, the decisions, and the component tables (ledger sections 2, 4 and 6)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from simlab.errors import InputError, unknown_word
from simlab.game import Column, Tables, TableSchema, rule_index, state_type, stream_numbers, write_text


def numbers(first: int, count: int) -> list[Any]:
    """Constants for kernels, as NumPy integers: Numba recompiles a function for every literal argument."""
    return [np.int64(first + i) for i in range(count)]


BESIEGER, BESIEGED = numbers(0, 2)
SEATS = ("besieger", "besieged")

NONE, ASSAULT, SURRENDER, ABANDON = numbers(-1, 4)
ENDINGS = ("assault", "surrender", "abandon")

STREAMS = ("set_up", "besieger_deck", "besieged_deck", "fate")
_NUMBER = stream_numbers(len(SEATS), STREAMS)
BESIEGER_DECK_STREAM = _NUMBER["besieger_deck"]  # the Besieged's deck is the next one
FATE_STREAM = _NUMBER["fate"]

SPADES, HEARTS, DIAMONDS, CLUBS = numbers(0, 4)  # a card is suit * 10 + value - 1
DECK, FATE, COUNTERS, FATE_KINDS, FATE_STEPS = 40, 80, 9, 12, 4
NAME = 40  # bytes stored of a name

# Kinds of decision, in the ledger's order; PLAN_MENU is SS-D-04 under plan_mode = menu.
(
    BESIEGER_ACTS,
    ASSAULT_SIZE,
    BESIEGED_DEFENDS,
    PLAN_PICK,
    BESIEGED_ACTS,
    BESIEGER_DEFENDS,
    DESTROY,
    PLAN_MENU,
) = range(8)

# SS-D-01
BESIEGE, BGR_PLAN, BOMBARD_WALLS, BOMBARD_ENEMY, STORM, RESUPPLY, CONSTRUCT = numbers(0, 7)
# SS-D-05
WAIT, REPAIR, BGD_PLAN, SALLY_EQUIPMENT, SALLY_ENEMY, RATIONING = numbers(0, 6)

MINE, TOWER, LADDERS, TREBUCHET, CATAPULT, AMMUNITION, CAMP_1, CAMP_2, CAMP_3 = numbers(0, 9)
ASSAULT_GROUP, BOMBARD_GROUP, CAMP_GROUP = numbers(0, 3)
COUNTER_IDS = ("mine", "tower", "ladders", "trebuchet", "catapult", "ammunition", "camp1", "camp2", "camp3")

RED, BLACK = 0, 1
MILL, MILL_UNTIL = 1, 2  # steps of a fate card's effect

MAX_TURNS = 172  # deck + values of the triggers + 1 with ace_value = 11 and resupply_suits = H+D: 171 (ledger 6)
MAX_DECISIONS = 4_000  # at most about 22 per turn (ledger 6)

STATE = state_type(
    [
        ("deck", np.int8, (2, DECK)),  # card ids, bottom first: batches, then the main part (SS-DCK-01)
        ("deck_len", np.int16, (2,)),
        ("main_low", np.int16, (2,)),  # where the main part begins: the batches below hold this many cards
        (
            "ordered",
            np.int16,
            (2,),
        ),  # top cards whose place is fixed; the others are a set until one is taken
        ("known_top", np.int16, (2,)),  # top cards whose order the owner knows (SS-PLN-04)
        ("batch_len", np.int8, (2, 20)),  # cards put back together, nearest to the top first (SS-RES-04)
        ("batches", np.int8, (2,)),
        ("pile", np.int8, (2, DECK)),  # bottom first (SS-SET-08)
        ("pile_len", np.int16, (2,)),
        ("aside", np.int8, (2, 5)),  # cards of the contest, in the order drawn (SS-DCK-07)
        ("aside_len", np.int8, (2,)),
        ("walls", np.int16),
        ("built", np.int8, (COUNTERS,)),  # 0 or 1 (SS-EQP-06)
        ("modifier", np.int16, (COUNTERS,)),  # in force under the knobs
        ("price", np.int16, (COUNTERS,)),  # SS-EQP-02
        ("dearest", np.int16),  # highest of the prices
        ("fate", np.int8, (FATE,)),  # kinds; 0..fate_left-1 not yet turned up
        ("fate_len", np.int16),
        ("fate_left", np.int16),
        ("fate_seen", np.int8, (2,)),  # red and black since the last shuffle (SS-FAT-08)
        ("contest", np.int8),  # action that is, or was last, contested
        ("attacker", np.int8),  # whose action that is; -1 before the first
        ("attack_score", np.int16),  # -1 until all is revealed
        ("defence_score", np.int16),
        ("plan_cards", np.int8),  # cards looked at
        ("plan_placed", np.int8),
        ("fate_card", np.int8),  # kind turned up last; -1 none yet
        ("fate_phase", np.int8),  # 0 no, 1 a court card, 2 a Joker is being resolved
        ("winner", np.int8),
        ("ending", np.int8),
        # for the row of the game
        ("assaults", np.int16),
        ("bombards_won", np.int16),
        ("sallies_won", np.int16),
        ("constructed", np.int16),
        ("destroyed", np.int16),
        ("repairs", np.int16),
        ("recovered", np.int16),
    ],
    seats=len(SEATS),
    streams=STREAMS,
    max_actions=16,
    rules=len(rule_index(Path(__file__).with_name("ledger.toml"))),
)

CARDS = np.dtype(
    [
        ("group", np.int64, (COUNTERS,)),
        ("fate_kinds", np.int64),
        ("fate_copies", np.int64, (FATE_KINDS,)),
        ("fate_colour", np.int64, (FATE_KINDS,)),
        ("fate_joker", np.int64, (FATE_KINDS,)),
        (
            "fate_steps",
            np.int64,
            (FATE_KINDS, FATE_STEPS, 3),
        ),  # (MILL, victim, n) or (MILL_UNTIL, victim, colour)
        ("counter_name", np.uint8, (COUNTERS, NAME)),
        ("fate_name", np.uint8, (FATE_KINDS, NAME)),
    ],
    align=True,
)

TABLES = (
    TableSchema(
        "counters",
        (
            Column("id", options=COUNTER_IDS),
            Column("name"),
            Column("group", options=("assault", "bombard", "camp")),
            Column("modifier", "int", 0, 4),
            Column("cost", "int", 1, 6),
            Column("cost_source", options=("rulebook", "reconstructed")),
        ),
        key="id",
        rows=(COUNTERS, COUNTERS),
    ),
    TableSchema(
        "fate",
        (
            Column("id"),
            Column("name"),
            Column("colour", options=("red", "black")),
            Column("copies", "int", 0, 20),
            Column("joker", options=("yes", "no")),
            Column("effect"),
        ),
        key="id",
        rows=(1, FATE_KINDS),
    ),
)


def pack_cards(tables: Tables) -> np.ndarray[Any, Any]:
    """The component tables as one record, array of shape (1,) of CARDS.

    Raises:
        InputError: an effect outside the vocabulary, or a fate deck too small or too large.
    """
    cards = np.zeros(1, CARDS)
    for row in tables["counters"]:
        group = ("assault", "bombard", "camp").index(str(row["group"]))
        counter = COUNTER_IDS.index(str(row["id"]))
        cards["group"][0, counter] = group
        write_text(cards["counter_name"][0, counter], str(row["name"]))
    total = 0
    for kind, row in enumerate(tables["fate"]):
        cards["fate_copies"][0, kind] = row["copies"]
        cards["fate_colour"][0, kind] = RED if row["colour"] == "red" else BLACK
        cards["fate_joker"][0, kind] = row["joker"] == "yes"
        write_text(cards["fate_name"][0, kind], str(row["name"]))
        steps = parse_effect(str(row["effect"]), f"table fate, {row['id']}, effect")
        cards["fate_steps"][0, kind, : len(steps)] = steps
        total += int(row["copies"])
    cards["fate_kinds"] = len(tables["fate"])
    if not 1 <= total <= FATE // 2:
        raise InputError(f"table fate: {total} cards in all. A fate deck has 1 to {FATE // 2} cards (one set).")
    if all(row["joker"] == "yes" for row in tables["fate"] if row["copies"]):
        raise InputError("table fate: only Jokers. With fate_jokers = false no card would be left: add one.")
    return cards


def parse_effect(text: str, where: str) -> list[tuple[int, int, int]]:
    """A fate card's words as steps: `mill besieged 1`, `mill besieger until black`, several joined by `;`."""
    steps = []
    for part in text.split(";"):
        words = re.fullmatch(r"\s*mill (besieger|besieged) (?:(\d{1,2})|until (red|black))\s*", part)
        if not words or words[2] == "0":
            hint = unknown_word(part, ("mill", *SEATS, "until", "red", "black"))
            raise InputError(
                f"{where}: '{part.strip()[:80]}' is not known. {hint}{' ' * bool(hint)}Write 'mill besieged 1' or "
                "'mill besieger until black', several joined by ';'."
            )
        victim = SEATS.index(words[1])
        if words[2]:
            steps.append((MILL, victim, int(words[2])))
        else:
            steps.append((MILL_UNTIL, victim, RED if words[3] == "red" else BLACK))
    if len(steps) > FATE_STEPS:
        raise InputError(f"{where}: {len(steps)} steps. At most {FATE_STEPS}.")
    return steps
