"""The component tables: the allowed contents of each CSV, and the single record that kernels read.

Outsiders are numbered 0..47 in table order and Nearby Cities from 48 on, so the size of the deck does not change action
numbers.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from simlab.errors import InputError, nearest
from simlab.game import Column, Tables, TableSchema, write_text
from simlab.games.mighty_fortress import effects as fx
from simlab.games.mighty_fortress import state as s

NAME = 40  #: bytes of a name that are kept

CARDS = np.dtype(
    [
        ("n_outsiders", np.int64),
        ("n_cities", np.int64),
        ("n_elders", np.int64),
        ("n_fate", np.int64),
        ("first_fate", np.int64),  # the card set apart for turn 1
        ("rating", np.int64, (s.DECK,)),
        ("resistance", np.int64, (s.DECK,)),
        ("reward", np.int64, (s.DECK,)),  # program
        ("reward_gain", np.int64, (s.DECK, len(fx.TRACKS))),  # tracks that the reward always changes
        ("vp", np.int64, (s.MAX_OUTSIDERS,)),
        ("tag", np.int64, (s.MAX_OUTSIDERS, 2)),  # or -1
        ("ability", np.int64, (s.MAX_OUTSIDERS,)),  # number of the ability, or -1
        ("ability_n", np.int64, (s.MAX_OUTSIDERS,)),
        ("once", np.int64, (s.MAX_OUTSIDERS,)),  # program
        ("city_food", np.int64, (s.MAX_CITIES,)),
        ("city_materials", np.int64, (s.MAX_CITIES,)),
        ("elder_die", np.int64, (s.MAX_ELDERS,)),
        ("elder_cost", np.int64, (s.MAX_ELDERS, len(fx.PRICES))),
        ("elder_packed", np.int64, (s.MAX_ELDERS,)),  # the same, one byte per resource (actions.covers)
        ("elder_program", np.int64, (s.MAX_ELDERS,)),
        ("elder_pays", np.int64, (s.MAX_ELDERS,)),  # resource of the activation's price, or -1
        ("elder_price", np.int64, (s.MAX_ELDERS,)),
        ("elder_purges", np.int64, (s.MAX_ELDERS,)),
        ("elder_vp", np.int64, (s.MAX_ELDERS,)),
        ("fate_program", np.int64, (s.MAX_FATE,)),
        ("decree_program", np.int64, (13,)),  # by roll 1..12
        ("tag_program", np.int64, (s.MAX_TAGS,)),
        ("code", np.int16, (fx.MAX_CODE, 4)),
        ("card_name", np.uint8, (s.DECK, NAME)),
        ("elder_name", np.uint8, (s.MAX_ELDERS, NAME)),
        ("fate_name", np.uint8, (s.MAX_FATE, NAME)),
        ("decree_name", np.uint8, (13, NAME)),
        ("tag_name", np.uint8, (s.MAX_TAGS, NAME)),
    ],
    align=True,
)

TABLES = (
    TableSchema(
        "outsiders",
        (
            Column("id"),
            Column("name"),
            Column("tags"),
            Column("rating", "int", 0, 5),
            Column("resistance", "int", 1, 20),
            Column("vp", "int", -20, 20),
            Column("reward"),
            Column("ability"),
        ),
        key="id",
        rows=(1, s.MAX_OUTSIDERS),
        blank={"rating": 0, "vp": 0, "reward": "nothing", "ability": "none"},
    ),
    TableSchema(
        "cities",
        (
            Column("id"),
            Column("name"),
            Column("resistance", "int", 1, 20),
            Column("food", "int", 0, 40),
            Column("materials", "int", 0, 20),
            Column("rating", "int", 0, 5),
            Column("reward"),
        ),
        key="id",
        rows=(0, s.MAX_CITIES),
        blank={"rating": 0, "reward": "nothing"},
    ),
    TableSchema(
        "elders",
        (
            Column("id"),
            Column("name"),
            Column("die", options=s.COLOURS[:5]),
            Column("cost"),
            Column("ability"),
            Column("vp", "int", -20, 20),
        ),
        key="id",
        rows=(1, s.MAX_ELDERS),
        blank={"ability": "nothing", "vp": 0},
    ),
    TableSchema(
        "fate",
        (Column("id"), Column("name"), Column("first", options=("yes", "no")), Column("effect")),
        key="id",
        rows=(2, s.MAX_FATE),
        blank={"effect": "nothing"},
    ),
    TableSchema(
        "decrees",
        (Column("roll", "int", 1, 12), Column("name"), Column("effect")),
        key="roll",
        rows=(12, 12),
        blank={"effect": "nothing"},
    ),
    TableSchema("tags", (Column("tag"), Column("reward")), key="tag", rows=(1, s.MAX_TAGS)),
)


def outsider_numbers(tables: Tables) -> dict[str, int]:
    """The number of each card of the Outsider deck by its id, including the cities."""
    outsiders = {str(row["id"]): number for number, row in enumerate(tables["outsiders"])}
    return outsiders | {str(row["id"]): int(s.CITY) + number for number, row in enumerate(tables["cities"])}


def pack_cards(tables: Tables) -> np.ndarray[Any, Any]:
    """The component tables as one record, array of shape (1,) of CARDS.

    Raises:
        InputError: an effect, cost, tag or ability outside the vocabulary; names table, row, column and the
        allowed values.
    """
    cards = np.zeros(1, CARDS)
    program = fx.Program()
    tags = [str(row["tag"]) for row in tables["tags"]]
    for number, row in enumerate(tables["tags"]):
        cards["tag_program"][0, number] = program.add(str(row["reward"]), f"table tags, {row['tag']}, reward")
        write_text(cards["tag_name"][0, number], str(row["tag"]))
    for number, row in enumerate(tables["outsiders"]):
        pack_outsider(cards, program, number, row, tags)
    for number, row in enumerate(tables["cities"]):
        pack_in_queue(cards, program, s.CITY + number, row, "cities")
        cards["city_food"][0, number] = row["food"]
        cards["city_materials"][0, number] = row["materials"]
    for number, row in enumerate(tables["elders"]):
        pack_elder(cards, program, number, row)
    first = [number for number, row in enumerate(tables["fate"]) if row["first"] == "yes"]
    if len(first) != 1:
        raise InputError(f"table fate, column first: {len(first)} rows say yes, but only one may: the card of turn 1.")
    for number, row in enumerate(tables["fate"]):
        cards["fate_program"][0, number] = program.add(str(row["effect"]), f"table fate, {row['id']}, effect")
        write_text(cards["fate_name"][0, number], str(row["name"]))
    for row in tables["decrees"]:
        roll = int(row["roll"])
        cards["decree_program"][0, roll] = program.add(str(row["effect"]), f"table decrees, roll {roll}, effect")
        write_text(cards["decree_name"][0, roll], str(row["name"]))
    cards["n_outsiders"] = len(tables["outsiders"])
    cards["n_cities"] = len(tables["cities"])
    cards["n_elders"] = len(tables["elders"])
    cards["n_fate"] = len(tables["fate"])
    cards["first_fate"] = first[0]
    cards["code"][0, : len(program.code)] = program.code
    return cards


def pack_in_queue(
    cards: np.ndarray[Any, Any], program: fx.Program, card: int, row: dict[str, str | int], table: str
) -> None:
    """Common parts of an Outsider and a Nearby City."""
    cards["rating"][0, card] = row["rating"]
    cards["resistance"][0, card] = row["resistance"]
    start = program.add(str(row["reward"]), f"table {table}, {row['id']}, reward", reward=True)
    cards["reward"][0, card] = start
    cards["reward_gain"][0, card] = sure_gains(program.code, start)
    write_text(cards["card_name"][0, card], str(row["name"]))


def pack_outsider(
    cards: np.ndarray[Any, Any], program: fx.Program, number: int, row: dict[str, str | int], tags: list[str]
) -> None:
    """One row of outsiders.csv."""
    pack_in_queue(cards, program, number, row, "outsiders")
    at = f"table outsiders, {row['id']}"
    cards["vp"][0, number] = row["vp"]
    cards["tag"][0, number] = -1
    named = [tag.strip() for tag in str(row["tags"]).split(";") if tag.strip()]
    if len(named) > 2 or len(set(named)) != len(named):
        raise InputError(
            f"{at}, tags: '{row['tags']}' is not allowed. An Outsider has up to two tags, as 'Sword; Noble'."
        )
    for place, tag in enumerate(named):
        if tag not in tags:
            raise InputError(f"{at}, tags: '{tag}' is not in the table tags. {nearest(tag, tags)}")
        cards["tag"][0, number, place] = tags.index(tag)
    ability, amount, once = parse_ability(str(row["ability"]), f"{at}, ability", program)
    cards["ability"][0, number] = ability
    cards["ability_n"][0, number] = amount
    cards["once"][0, number] = once


def parse_ability(text: str, where: str, program: fx.Program) -> tuple[int, int, int]:
    """A Convert ability as (number of the ability or -1, amount, program of a `once`)."""
    words = text.split()
    if words and words[0] == "once":
        return -1, 0, program.add(text.strip()[4:], where)
    if not words or words == ["none"]:
        return -1, 0, 0
    if words == ["black_grace"]:
        return s.BLACK_GRACE_AB, 1, 0
    if words[0] not in s.ABILITIES:
        raise InputError(f"{where}: '{text}' is not known. {nearest(words[0], ('once', 'none', *s.ABILITIES))}")
    if len(words) != 2 or not re.fullmatch(r"[+-]\d{1,2}", words[1]):
        raise InputError(f"{where}: '{text}' is not allowed. Write the ability and a signed number, as 'upkeep -1'.")
    return s.ABILITIES.index(words[0]), int(words[1]), 0


def pack_elder(cards: np.ndarray[Any, Any], program: fx.Program, number: int, row: dict[str, str | int]) -> None:
    """One row of elders.csv. An ability that is a single `pay` without `else` has a price: the Elder is activated only
    if it is paid."""
    at = f"table elders, {row['id']}"
    cards["elder_die"][0, number] = s.COLOURS.index(str(row["die"]))
    for resource, price in parse_cost(str(row["cost"]), f"{at}, cost"):
        cards["elder_cost"][0, number, resource] += price
    if cards["elder_cost"][0, number].max() > 99:
        raise InputError(f"{at}, cost: at most 99 of a resource.")
    cards["elder_packed"][0, number] = sum(
        int(price) << 8 * place for place, price in enumerate(cards["elder_cost"][0, number])
    )
    start = program.add(str(row["ability"]), f"{at}, ability")
    cards["elder_pays"][0, number] = -1
    body = program.code[start:] if start else [program.code[0]]
    if body[0][0] == fx.PAY_OP and program.code[body[0][3]][0] == fx.END:
        cards["elder_pays"][0, number] = body[0][1]
        cards["elder_price"][0, number] = body[0][2]
        start += 1
    cards["elder_program"][0, number] = start
    cards["elder_purges"][0, number] = any(step[0] == fx.PURGE_OP for step in body)
    cards["elder_vp"][0, number] = row["vp"]
    write_text(cards["elder_name"][0, number], str(row["name"]))


def parse_cost(text: str, where: str) -> list[tuple[int, int]]:
    """`luxuries 1, piety 1` as (resource, price) pairs; `nothing` gives no pairs."""
    if text.strip() == "nothing":
        return []
    costs = []
    for part in text.split(","):
        price = re.fullmatch(r"\s*([a-z]+) (\d{1,2})\s*", part)
        if not price or price[1] not in fx.PRICES:
            raise InputError(
                f"{where}: '{part.strip()}' is not allowed. Write 'influence 1, luxuries 2' or 'nothing', "
                f"in {', '.join(fx.PRICES)}."
            )
        costs.append((fx.TRACKS[price[1]], int(price[2])))
    return costs


def sure_gains(code: list[list[int]], start: int) -> list[int]:
    """The changes that a program always makes, by track, which are its steps before the first question."""
    gains = [0] * len(fx.TRACKS)
    for op, what, n, _ in code[start:]:
        if op in (fx.GAIN, fx.REWARD_FOOD):
            gains[what] += n
        elif op != fx.CASUALTY_OP:
            break
    return gains
