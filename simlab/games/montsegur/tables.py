"""Montségur's components as data: commands.csv, locations.csv, paths.csv, fate.csv, packed into one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.errors import InputError
from simlab.game import Array, Column, Tables, TableSchema, write_text
from simlab.games.montsegur import effects as fx
from simlab.games.montsegur import state as s
from simlab.games.montsegur.words import card_words

OPS_MAX, ROUTES_MAX, NAME, TEXT = 600, 60, 48, 160

SWITCHES = ("none", "truce_scope", "local_sympathizers_mode", "disputatio_capture")
SOLDIER_KNOBS = (
    "none", "mc_soldiers", "ww_soldiers", "ew_soldiers", "cre_soldiers", "rdt_soldiers", "cc_soldiers",
    "perimeter_soldiers",
)  # fmt: skip
CAPACITY_KNOBS = ("none", "cap_inner", "cap_perimeter")
BONUS_KNOBS = (
    "none", "bonus_mc_ww", "bonus_mc_ew", "bonus_ww_wp", "bonus_ew_cre", "bonus_cre_perimeter", "bonus_rdt_ne",
    "bonus_rdt_cre", "bonus_mc_caves", "bonus_cc",
)  # fmt: skip
# Rows that are the defaults of knobs (knobs.toml): a change of the knob is added to every row that names the knob.
_SOLDIERS_FROM = {
    "mc_soldiers": "MC", "ww_soldiers": "WW", "ew_soldiers": "EW", "cre_soldiers": "CRE", "rdt_soldiers": "RDT",
    "cc_soldiers": "CC", "perimeter_soldiers": "WP",
}  # fmt: skip
_CAPACITY_FROM = {"cap_inner": "WW", "cap_perimeter": "WP"}
_BONUS_FROM = {
    "bonus_mc_ww": ("MC-WW", "a"), "bonus_mc_ew": ("MC-EW", "a"), "bonus_ww_wp": ("WW-WP", "a"),
    "bonus_ew_cre": ("EW-CRE", "a"), "bonus_cre_perimeter": ("CRE-SP", "a"), "bonus_rdt_ne": ("RDT-NE", "a"),
    "bonus_rdt_cre": ("CRE-RDT", "b"), "bonus_mc_caves": ("MC-NP", "a"), "bonus_cc": ("CC-WP", "a"),
}  # fmt: skip
NEVER, ALWAYS, CAVES = range(3)
SETS = ("distinct", "outer_double", "inner_double")
KINDS = ("cathar_centre", "inner", "crusader_centre", "perimeter")
SIDES = ("cathar", "crusader", "neutral")
_YES = ("yes", "no")
_SETS = np.arange(1 << s.LOCATIONS)  # every set of locations, as a mask

_BYTES = np.uint8
CARDS = np.dtype(
    [
        ("n_cards", np.int64),
        ("n_summer", np.int64),  # summer cards come first: hands are ordered by card number, summer before winter
        ("cp", np.int64, (s.CARDS_MAX,)),
        ("sym", np.int64, (s.CARDS_MAX,)),
        ("side", np.int64, (s.CARDS_MAX,)),  # 2: neutral
        ("program", np.int64, (s.CARDS_MAX,)),  # first op
        ("switch", np.int64, (s.CARDS_MAX,)),
        ("other_program", np.int64, (s.CARDS_MAX,)),  # under the switch
        ("op", np.int16, (OPS_MAX, fx.OP_WIDTH)),
        ("knob_row", np.int64, (s.CARDS_MAX,)),  # card that an option of `altered_card` names, -1 for none
        ("start", np.int64, (s.LOCATIONS,)),
        ("start_side", np.int64, (s.LOCATIONS,)),
        ("start_knob", np.int64, (s.LOCATIONS,)),
        ("capacity", np.int64, (s.LOCATIONS,)),
        ("capacity_knob", np.int64, (s.LOCATIONS,)),
        ("perimeter", np.int64),  # mask: locations that touch the outside (MS-MAP-03)
        ("edge_from", np.int64, (s.EDGES,)),
        ("edge_to", np.int64, (s.EDGES,)),
        ("edge_open", np.int64, (s.EDGES,)),
        ("edge_bonus", np.int64, (s.EDGES,)),
        ("edge_knob", np.int64, (s.EDGES,)),
        ("edge_trebuchet", np.int64, (s.EDGES,)),
        # indexed by the mask of a set of locations, with Caves closed and open: neighbours, edges out of it and into it
        ("beside", np.int16, (2, 1 << s.LOCATIONS)),
        ("leaving", np.uint32, (2, 1 << s.LOCATIONS)),
        ("entering", np.uint32, (1 << s.LOCATIONS,)),
        # mask of locations reachable from a location through a set of free ones, with Caves closed and open
        ("region", np.int16, (2, s.LOCATIONS, 1 << s.LOCATIONS)),
        ("start_printed", np.int64, (len(SOLDIER_KNOBS),)),  # table value that a knob's default is taken from
        ("capacity_printed", np.int64, (len(CAPACITY_KNOBS),)),
        ("bonus_printed", np.int64, (len(BONUS_KNOBS),)),
        ("n_routes", np.int64),
        ("route", np.int64, (ROUTES_MAX, s.LOCATIONS)),  # locations between the castle and the outside
        ("route_len", np.int64, (ROUTES_MAX,)),
        ("route_caves", np.int64, (ROUTES_MAX,)),
        ("token", np.int64, (len(SETS), 2, s.TOKENS)),
        ("card_id", _BYTES, (s.CARDS_MAX, 8)),
        ("card_name", _BYTES, (s.CARDS_MAX, NAME)),
        ("card_text", _BYTES, (s.CARDS_MAX, TEXT)),
        ("place_name", _BYTES, (s.LOCATIONS, NAME)),
    ],
    align=True,
)

TABLES = (
    TableSchema(
        "commands",
        (
            Column("id"),
            Column("name"),
            Column("season", options=("summer", "winter")),
            Column("side", options=SIDES),
            Column("cp", "int", 1, 6),
            Column("sym", "int", 0, 4),
            Column("effect"),
            Column("switch", options=SWITCHES),
            Column("other_effect"),
        ),
        key="id",
        rows=(40, s.CARDS_MAX),
    ),
    TableSchema(
        "locations",
        (
            Column("id", options=s.CODES),
            Column("name"),
            Column("kind", options=KINDS),
            Column("side", options=SIDES[:2]),
            Column("soldiers", "int", 0, 30),
            Column("soldiers_knob", options=SOLDIER_KNOBS),
            Column("capacity", "int", 0, 8),
            Column("capacity_knob", options=CAPACITY_KNOBS),
            Column("zones"),
        ),
        key="id",
        rows=(s.LOCATIONS, s.LOCATIONS),
    ),
    TableSchema(
        "paths",
        (
            Column("id"),
            Column("a", options=s.CODES),
            Column("b", options=s.CODES),
            Column("open", options=("never", "always", "caves")),
            Column("bonus_into_b", "int", 0, 6),
            Column("knob_into_b", options=BONUS_KNOBS),
            Column("trebuchet_into_b", options=_YES),
            Column("bonus_into_a", "int", 0, 6),
            Column("knob_into_a", options=BONUS_KNOBS),
            Column("trebuchet_into_a", options=_YES),
        ),
        key="id",
        rows=(s.PATHS, s.PATHS),
    ),
    TableSchema(
        "fate",
        (
            Column("id"),
            Column("set", options=SETS),
            Column("kind", options=("number", "dove", "cross")),
            Column("cathar", "int", -9, 9),
            Column("crusader", "int", -9, 9),
        ),
        key="id",
        rows=(len(SETS) * s.TOKENS, len(SETS) * s.TOKENS),
    ),
)


def pack_cards(tables: Tables) -> Array:
    """The component tables as one record, array of shape (1,) of CARDS.

    Raises:
        InputError: an effect outside the vocabulary, a map without a way from the castle to the outside, a set of
            tokens without its dove or cross, or with a token that both sides would win with.
    """
    cards = np.zeros(1, CARDS)
    record = cards.view(np.recarray)[0]
    zones = _pack_locations(record, tables)
    _pack_paths(record, tables)
    _pack_routes(record)
    _pack_tokens(record, tables)
    _pack_commands(record, tables, zones)
    return cards


def _pack_locations(record: Any, tables: Tables) -> dict[str, int]:
    zones = {code: 1 << at for at, code in enumerate(s.CODES)}
    for row in tables["locations"]:
        at = s.CODES.index(str(row["id"]))
        kind = str(row["kind"])
        if (kind == "cathar_centre") != (at == s.MC) or (kind == "crusader_centre") != (at == s.CC):
            raise InputError(f"table locations, {row['id']}, kind: the command centres are MC and CC, no other.")
        record.start[at] = row["soldiers"]
        record.start_side[at] = SIDES.index(str(row["side"]))
        record.start_knob[at] = SOLDIER_KNOBS.index(str(row["soldiers_knob"]))
        record.capacity[at] = row["capacity"]
        record.capacity_knob[at] = CAPACITY_KNOBS.index(str(row["capacity_knob"]))
        for knob, place in _SOLDIERS_FROM.items():
            if place == row["id"]:
                record.start_printed[SOLDIER_KNOBS.index(knob)] = row["soldiers"]
        for knob, place in _CAPACITY_FROM.items():
            if place == row["id"]:
                record.capacity_printed[CAPACITY_KNOBS.index(knob)] = row["capacity"]
        if kind == "perimeter":
            record.perimeter |= 1 << at
        write_text(record.place_name[at], str(row["name"]))
        for zone in str(row["zones"]).split():
            zones[zone] = zones.get(zone, 0) | 1 << at
    if not record.perimeter:
        raise InputError("table locations: no perimeter location. The outside touches at least one.")
    return zones


def _pack_paths(record: Any, tables: Tables) -> None:
    for at, row in enumerate(tables["paths"]):
        a, b = s.CODES.index(str(row["a"])), s.CODES.index(str(row["b"]))
        if a == b:
            raise InputError(f"table paths, {row['id']}: a path joins two locations.")
        way = ("never", "always", "caves").index(str(row["open"]))
        for edge, start, end, into in ((2 * at, a, b, "b"), (2 * at + 1, b, a, "a")):
            record.edge_from[edge], record.edge_to[edge], record.edge_open[edge] = start, end, way
            record.edge_bonus[edge] = row[f"bonus_into_{into}"]
            record.edge_knob[edge] = BONUS_KNOBS.index(str(row[f"knob_into_{into}"]))
            record.edge_trebuchet[edge] = row[f"trebuchet_into_{into}"] == "yes"
            for knob, origin in _BONUS_FROM.items():
                if origin == (row["id"], into):
                    record.bonus_printed[BONUS_KNOBS.index(knob)] = record.edge_bonus[edge]
            record.entering[_SETS >> end & 1 == 1] |= 1 << edge
            for caves in range(2):
                if way == ALWAYS or (way == CAVES and caves):
                    record.beside[caves, _SETS >> start & 1 == 1] |= 1 << end
                    record.leaving[caves, _SETS >> start & 1 == 1] |= 1 << edge
    for caves in range(2):
        reach = np.broadcast_to(1 << np.arange(s.LOCATIONS)[:, None], (s.LOCATIONS, _SETS.size))
        for _ in range(s.LOCATIONS):
            reach = reach | (record.beside[caves][reach] & _SETS)
        record.region[caves] = reach


def _pack_routes(record: Any) -> None:
    """MS-REI-06: the routes from the castle to the outside that no other route makes redundant."""
    pairs: list[tuple[int, tuple[int, ...]]] = []

    def walk(at: int, way: tuple[int, ...], caves: int) -> None:
        if len(pairs) > 5_000:
            raise InputError("table paths: more than 5,000 ways from the castle to the outside.")
        for edge in range(s.EDGES):
            end = int(record.edge_to[edge])
            if record.edge_from[edge] != at or record.edge_open[edge] == NEVER or end == s.MC or end in way:
                continue
            here = caves | int(record.edge_open[edge] == CAVES)
            if record.perimeter >> end & 1:
                pairs.append((here, (*way, end)))
            else:
                walk(end, (*way, end), here)

    walk(s.MC, (), 0)
    kept = [(caves, way) for caves, way in pairs if not any(c <= caves and set(w) < set(way) for c, w in pairs)]
    kept = [entry for at, entry in enumerate(kept) if not any(
        c <= entry[0] and set(w) == set(entry[1]) and (c < entry[0] or before < at)
        for before, (c, w) in enumerate(kept) if before != at
    )]  # fmt: skip
    if not any(caves == 0 for caves, _ in kept):
        raise InputError("table paths: no way from MC to the outside but through the Caves.")
    if len(kept) > ROUTES_MAX:
        raise InputError(f"table paths: {len(kept)} ways from the castle to the outside. At most {ROUTES_MAX}.")
    record.n_routes = len(kept)
    for at, (caves, way) in enumerate(kept):
        record.route_caves[at], record.route_len[at] = caves, len(way)
        record.route[at, : len(way)] = way


def _pack_tokens(record: Any, tables: Tables) -> None:
    for number, name in enumerate(SETS):
        rows = [row for row in tables["fate"] if row["set"] == name]
        kinds = [str(row["kind"]) for row in rows]
        if kinds != ["number"] * s.NUMBERS + ["dove", "cross"]:
            raise InputError(f"table fate, set {name}: it takes {s.NUMBERS} numbers, then the dove, then the cross.")
        for at, row in enumerate(rows[: s.NUMBERS]):
            if row["cathar"] == row["crusader"]:
                raise InputError(f"table fate, {row['id']}: both sides have {row['cathar']}; nobody would win it.")
            record.token[number, 0, at], record.token[number, 1, at] = row["cathar"], row["crusader"]


def _commands(tables: Tables) -> list[dict[str, str | int]]:
    """The cards by number: summer first."""
    return sorted(tables["commands"], key=lambda row: row["season"] == "winter")


def card_numbers(tables: Tables) -> dict[str, int]:
    """The number of each card by its id."""
    return {str(row["id"]): number for number, row in enumerate(_commands(tables))}


def summer_numbers(tables: Tables) -> dict[str, int]:
    """The number of each summer card by its id."""
    return {str(row["id"]): number for number, row in enumerate(_commands(tables)) if row["season"] == "summer"}


def token_numbers(tables: Tables) -> dict[str, int]:
    """The number of each Fate token, the same in every set: the first to the sixth, the dove, the cross."""
    return {**{f"token_{at + 1}": at for at in range(s.NUMBERS)}, "dove": s.NUMBERS, "cross": s.NUMBERS + 1}


def card_names(tables: Tables) -> list[tuple[str, str]]:
    """(season, name) of each card by number."""
    return [(str(row["season"]), str(row["name"])) for row in _commands(tables)]


def _pack_commands(record: Any, tables: Tables, zones: dict[str, int]) -> None:
    rows = _commands(tables)
    seasons = [s.SUMMER if row["season"] == "summer" else s.WINTER for row in rows]
    record.n_cards, record.n_summer = len(rows), seasons.count(s.SUMMER)
    if seasons.count(s.SUMMER) < 20 or seasons.count(s.WINTER) < 20:
        raise InputError("table commands: at least 20 summer and 20 winter cards.")
    size = 1  # op 0 is an END: the program of a blank card
    for at, row in enumerate(rows):
        where = f"table commands, {row['id']}"
        record.cp[at], record.sym[at] = row["cp"], row["sym"]
        record.side[at] = SIDES.index(str(row["side"]))
        if row["side"] == "neutral" and row["sym"]:
            raise InputError(f"{where}, sym: a neutral card shows no symbol of a side. Use 0.")
        record.switch[at] = SWITCHES.index(str(row["switch"]))
        record.program[at] = size
        size = _pack_program(record, size, str(row["effect"]), f"{where}, effect", zones)
        record.other_program[at] = record.program[at]
        if record.switch[at]:
            record.other_program[at] = size
            size = _pack_program(record, size, str(row["other_effect"]), f"{where}, other_effect", zones)
        write_text(record.card_id[at], str(row["id"]))
        write_text(record.card_name[at], str(row["name"]))
        write_text(record.card_text[at], card_words(fx.parse_effect(str(row["effect"]), where, zones)))
    ids = [str(row["id"]) for row in rows]
    for option, name in enumerate(card_options()):
        record.knob_row[option] = ids.index(name) if name in ids else -1


def _pack_program(record: Any, size: int, text: str, where: str, zones: dict[str, int]) -> int:
    ops = fx.parse_effect(text, where, zones)
    if size + len(ops) + 1 > OPS_MAX:
        raise InputError(f"{where}: the effects of all cards have more than {OPS_MAX} steps.")
    for at, op in enumerate(ops):
        record.op[size + at] = op
        if op[0] in (fx.IF, fx.JUMP, fx.OP_REPENT):
            record.op[size + at, fx.OP_B] = size + op[fx.OP_B]
    record.op[size + len(ops), 0] = fx.END
    return size + len(ops) + 1


def card_options() -> tuple[str, ...]:
    """Options of the knob `altered_card`: none, then the printed cards."""
    return ("none", *(f"S{n:02d}" for n in range(1, 55)), *(f"W{n:02d}" for n in range(1, 46)))
