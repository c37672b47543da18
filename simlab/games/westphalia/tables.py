"""Westphalia's components as data, packed into one record: the map, the roster, opening positions, cards and dice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from simlab.errors import InputError, unknown_word
from simlab.game import Array, Column, Tables, TableSchema, write_text
from simlab.games.westphalia import state as s

MAPS = s.PLAYERS - s.LEAST_PLAYERS + 1
SHAPES = 800  #: the most clovers and C's (WP-SET-04)
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
OUTWARD = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1))  # of each edge, in the order of ledger 2.2
KIND_LETTERS = ("M", "P", "C")
EFFECTS = ("nothing", "rifle", "stop", "charge")
NO_EFFECT, RIFLE, STOP, CHARGE = (np.int64(n) for n in range(len(EFFECTS)))
IDLE, SWAP, AMBUSH = (np.int64(n) for n in range(3))  # kinds of a Doctrine
ANY = s.KINDS  # place of `any` in a swap
NAME = 40

_BYTES = np.uint8
CARDS = np.dtype(
    [
        ("on_map", np.int64, (MAPS, 2)),  # hexes of each nested map
        ("beside", np.int64, (s.HEXES, 2)),  # neighbours of a hex on the largest map
        ("edge", np.int64, (MAPS, s.EDGES, 2)),
        ("map_hexes", np.int64, (MAPS,)),
        ("hex_q", np.int64, (s.HEXES,)),
        ("hex_r", np.int64, (s.HEXES,)),
        ("n_trios", np.int64),
        ("trio", np.int64, (SHAPES, 2)),  # hexes of each clover and C of the largest map
        ("n_electors", np.int64),
        ("elector", np.int64, (s.ROSTER,)),
        ("elector_size", np.int64, (s.ROSTER,)),
        # opening positions by players: hexes of each power, its capital
        ("start", np.int64, (MAPS, s.POWERS, 2)),
        ("start_home", np.int64, (MAPS, s.POWERS)),
        # by players (WP-END-02 and table 2.8)
        ("provinces", np.int64, (MAPS,)),
        ("electors", np.int64, (MAPS,)),
        ("saved", np.int64, (MAPS,)),
        ("upheaval_early", np.int64, (MAPS,)),
        ("upheaval_late", np.int64, (MAPS,)),
        ("role_dice", np.int64, (4,)),
        ("role_copies", np.int64, (4,)),
        ("card_copies", np.int64, (s.KINDS,)),
        ("beats", np.int64, (s.KINDS,)),
        ("effect", np.int64, (s.KINDS,)),
        ("doctrine_copies", np.int64, (s.DOCTRINES,)),
        ("doctrine_kind", np.int64, (s.DOCTRINES,)),
        ("gives", np.int64, (s.DOCTRINES, s.KINDS + 1)),  # last column: any kind
        ("takes", np.int64, (s.DOCTRINES, s.KINDS + 1)),
        ("faith_sides", np.int64),
        ("ottoman_sides", np.int64),
        ("pr_name", _BYTES, (s.ROSTER, NAME)),
        ("role_name", _BYTES, (4, NAME)),
        ("card_name", _BYTES, (s.KINDS, NAME)),
        ("doctrine_name", _BYTES, (s.DOCTRINES, NAME)),
        ("doctrine_text", _BYTES, (s.DOCTRINES, 60)),
    ],
    align=True,
)
SCALE = (
    "province", "allied_province", "town", "elector_ally", "emperor", "home_1", "home_2", "home_3", "home_4", "home_5",
    "final_town",
)  # fmt: skip
_SIZES = tuple(str(n) for n in range(s.LEAST_PLAYERS, s.PLAYERS + 1))
_SEATS = tuple(f"S{n}" for n in range(s.PLAYERS))

TABLES = (
    TableSchema(
        "hexes",
        (Column("id"), Column("q", "int", 0, 30), Column("r", "int", 0, 30), Column("players", "int", 5, 8)),
        key="id",
        rows=(s.HEXES, s.HEXES),
    ),
    TableSchema(
        "roster",
        (Column("id", "int", 0, s.ROSTER - 1), Column("name"), Column("elector", options=("yes", "no")),
         Column("size", "int", 0, 4)),
        key="id",
        rows=(s.ROSTER, s.ROSTER),
    ),
    TableSchema(
        "positions",
        (Column("id"), Column("players", "int", 5, 8),
         Column("power", options=(*_SEATS, *(str(n) for n in range(s.ROSTER)))), Column("hexes")),
        key="id",
        rows=(26, MAPS * s.POWERS),
    ),
    TableSchema(
        "victory",
        (Column("players", options=_SIZES), Column("provinces", "int", 1, s.HEXES),
         Column("electors", "int", 1, s.ELECTORS),
         Column("saved", "int", 1, 4), Column("upheaval_early", "int", 0, 12), Column("upheaval_late", "int", 0, 12)),
        key="players",
        rows=(MAPS, MAPS),
    ),
    TableSchema(
        "roles",
        (Column("id", options=("sin", "hell", "alone", "works")), Column("name"), Column("faith", options=s.FAITHS),
         Column("copies", "int", 1, 8), Column("dice", "int", 0, 6)),
        key="id",
        rows=(4, 4),
        blank={"dice": 0},
    ),
    TableSchema(
        "military",
        (Column("id", options=KIND_LETTERS), Column("name"), Column("copies", "int", 4, 20),
         Column("beats", options=KIND_LETTERS), Column("effect", options=EFFECTS)),
        key="id",
        rows=(s.KINDS, s.KINDS),
        blank={"effect": "nothing"},
    ),
    TableSchema(
        "doctrines",
        (Column("id"), Column("name"), Column("copies", "int", 0, 24), Column("effect")),
        key="id",
        rows=(s.DOCTRINES, s.DOCTRINES),
        blank={"effect": "nothing"},
    ),
    TableSchema("scale", (Column("id", options=SCALE), Column("value", "int", 0, 12)), key="id", rows=(11, 11)),
    TableSchema(
        "dice",
        (Column("id", options=("faith", "ottoman")), Column("sides", "int", 6, 6), Column("marked", "int", 0, 6)),
        key="id",
        rows=(2, 2),
    ),
)  # fmt: skip


def pack_cards(tables: Tables) -> Array:
    """The component tables as one record, array of shape (1,) of CARDS.

    Raises:
        InputError: a map without six edges, an opening position that does not fill its map, or an effect outside the
            vocabulary; names table and row.
    """
    cards = np.zeros(1, CARDS)
    record = cards.view(np.recarray)[0]
    places = _pack_map(record, tables)
    _pack_roster(record, tables)
    _pack_positions(record, tables, places)
    for at, row in enumerate(sorted(tables["victory"], key=lambda row: str(row["players"]))):
        for name in ("provinces", "electors", "saved", "upheaval_early", "upheaval_late"):
            record[name][at] = row[name]
    for at, name in enumerate(("sin", "hell", "alone", "works")):
        row = _row(tables, "roles", name)
        record.role_dice[at], record.role_copies[at] = row["dice"], row["copies"]
        write_text(record.role_name[at], str(row["name"]))
    _pack_military(record, tables)
    _pack_doctrines(record, tables)
    record.faith_sides = _row(tables, "dice", "faith")["sides"]
    record.ottoman_sides = _row(tables, "dice", "ottoman")["sides"]
    return cards


def _row(tables: Tables, table: str, key: str) -> dict[str, str | int]:
    return next(row for row in tables[table] if row["id"] == key)


def words_of(hexes: Iterable[int]) -> tuple[int, int]:
    """A set of hexes as two words of WORD bits."""
    words = [0, 0]
    for number in hexes:
        words[number // s.WORD] |= 1 << number % s.WORD
    return words[0], words[1]


def _pack_map(record: Any, tables: Tables) -> dict[tuple[int, int], int]:
    """WP-MAP-01, WP-MAP-03, WP-SET-04: nested maps, neighbours, edges, clovers and C's."""
    rows = tables["hexes"]
    places = {(int(row["q"]), int(row["r"])): at for at, row in enumerate(rows)}
    if len(places) != s.HEXES:
        raise InputError("table hexes: two hexes stand at the same place.")
    for (q, r), at in places.items():
        record.hex_q[at], record.hex_r[at] = q, r
        record.beside[at] = words_of(places[q + dq, r + dr] for dq, dr in DIRECTIONS if (q + dq, r + dr) in places)
    for size in range(MAPS):
        here = {place: at for place, at in places.items() if int(rows[at]["players"]) <= s.LEAST_PLAYERS + size}
        if len(here) != 12 * (s.LEAST_PLAYERS + size):
            raise InputError(
                f"table hexes: {len(here)} hexes for {s.LEAST_PLAYERS + size} players. "
                "A map has 12 for each (WP-MAP-01)."
            )
        record.on_map[size] = words_of(here.values())
        record.map_hexes[size] = len(here)
        for edge, (along_q, along_r) in enumerate(OUTWARD):
            far = max(along_q * q + along_r * r for q, r in here)
            record.edge[size, edge] = words_of(at for (q, r), at in here.items() if along_q * q + along_r * r == far)
    shapes = set()
    for q, r in places:
        for way in range(6):
            for turn in (1, 2):
                arms = [DIRECTIONS[way], DIRECTIONS[(way + turn) % 6]]
                hexes = [(q, r), *((q + dq, r + dr) for dq, dr in arms)]
                if all(hex_ in places for hex_ in hexes):
                    shapes.add(frozenset(places[hex_] for hex_ in hexes))
    ordered = sorted(sorted(shape) for shape in shapes)
    if len(ordered) > SHAPES:
        raise InputError("table hexes: too many shapes.")
    record.n_trios = len(ordered)
    for number, shape in enumerate(ordered):
        record.trio[number] = words_of(shape)
    return places


def _pack_roster(record: Any, tables: Tables) -> None:
    electors = 0
    for row in tables["roster"]:
        number = int(row["id"])
        write_text(record.pr_name[number], str(row["name"]))
        if row["elector"] == "yes":
            if row["size"] == 0:
                raise InputError(f"table roster, {row['name']}, size: an Elector is placed with 1 to 4 provinces.")
            record.elector[number], record.elector_size[number] = 1, row["size"]
            electors += 1
    if electors != s.ELECTORS:
        raise InputError(f"table roster: {electors} Electors. There are {s.ELECTORS} (WP-ELE-01).")
    record.n_electors = electors


def _pack_positions(record: Any, tables: Tables, places: dict[tuple[int, int], int]) -> None:
    """WP-SET-13: the fixed opening positions."""
    record.start_home[:] = s.OFF_MAP
    for size in range(MAPS):
        players = s.LEAST_PLAYERS + size
        owned: set[int] = set()
        powers = set()
        for row in (row for row in tables["positions"] if row["players"] == players):
            at = f"table positions, {row['id']}"
            power = str(row["power"])
            number = int(power[1:]) if power[0] == "S" else s.PLAYERS + int(power)
            hexes = []
            for word in str(row["hexes"]).split():
                if not re.fullmatch(r"\d{1,2}/\d{1,2}", word) or tuple(map(int, word.split("/"))) not in places:
                    raise InputError(f"{at}, hexes: '{word}' is no hex. Write q/r as in table hexes, capital first.")
                q, r = map(int, word.split("/"))
                hexes.append(places[q, r])
            if number in powers or owned & set(hexes) or not 1 <= len(hexes) <= 4:
                raise InputError(f"{at}: each power stands there once, with 1 to 4 hexes that no other has.")
            powers.add(number)
            owned |= set(hexes)
            record.start[size, number] = words_of(hexes)
            record.start_home[size, number] = hexes[0]
        if words_of(owned) != tuple(record.on_map[size]) or not {*range(players)} <= powers:
            raise InputError(
                f"table positions: the position for {players} players does not fill its map, start places S0 to "
                f"S{players - 1} among it (WP-MAP-04)."
            )
        if any(record.elector[n] and s.PLAYERS + n not in powers for n in range(s.ROSTER)):
            raise InputError(f"table positions: the position for {players} players lacks an Elector (WP-SET-06).")


def _pack_military(record: Any, tables: Tables) -> None:
    for at, letter in enumerate(KIND_LETTERS):
        row = _row(tables, "military", letter)
        record.card_copies[at] = row["copies"]
        record.beats[at] = KIND_LETTERS.index(str(row["beats"]))
        record.effect[at] = EFFECTS.index(str(row["effect"]))
        write_text(record.card_name[at], str(row["name"]))
    if sorted(record.beats) != [0, 1, 2] or any(record.beats[at] == at for at in range(s.KINDS)):
        raise InputError("table military, beats: each kind beats another one, and is beaten by the third.")


def _pack_doctrines(record: Any, tables: Tables) -> None:
    for at, row in enumerate(tables["doctrines"]):
        record.doctrine_copies[at] = row["copies"]
        kind, give, take = parse_doctrine(str(row["effect"]), f"table doctrines, {row['id']}, effect")
        record.doctrine_kind[at], record.gives[at], record.takes[at] = kind, give, take
        write_text(record.doctrine_name[at], str(row["name"]))
        write_text(record.doctrine_text[at], str(row["effect"]))
    if record.doctrine_copies.sum() < 3 * s.PLAYERS:
        raise InputError(f"table doctrines: {record.doctrine_copies.sum()} cards. At least {3 * s.PLAYERS} are dealt.")


def parse_doctrine(text: str, where: str) -> tuple[int, list[int], list[int]]:
    """A Doctrine's words: `swap(1 M + 1 C -> 4 P)`, `swap(2 any -> 2 any)`, `ambush`, or `nothing`.

    Returns:
        The Doctrine's kind, and the numbers of M, P, C and `any` given up and taken.
    Raises:
        InputError: the text is not in the vocabulary.
    """
    none = [0] * (s.KINDS + 1)
    if text in ("", "nothing"):
        return int(IDLE), none, none
    if text == "ambush":
        return int(AMBUSH), none, none
    match = re.fullmatch(r"swap\((.+)->(.+)\)", text)
    if match is None:
        hint = unknown_word(text, ("swap", "ambush", "nothing", "any", *KIND_LETTERS))
        raise InputError(
            f"{where}: '{text[:80]}' is not known. {hint}{' ' * bool(hint)}Write swap(1 M + 1 C -> 4 P), ambush, or "
            "nothing."
        )
    return int(SWAP), _cards(match[1], text, where), _cards(match[2], text, where)


def _cards(part: str, text: str, where: str) -> list[int]:
    numbers = [0] * (s.KINDS + 1)
    for word in part.split("+"):
        match = re.fullmatch(r"\s*([1-4])\s*(M|P|C|any)\s*", word)
        if match is None:
            raise InputError(f"{where}: '{text}': cards are written as 2 M, 1 C or 2 any, 1 to 4 of a kind.")
        numbers[(*KIND_LETTERS, "any").index(match[2])] += int(match[1])
    return numbers
