"""Lowenheim's components as data: map, troops, cards, prices, spells, deployment and aims, packed into one record."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np

from simlab.errors import InputError, unknown_word
from simlab.game import Array, Column, Hex, Tables, TableSchema, write_text
from simlab.games.lowenheim import state as st

TERRAINS = (
    "wall", "street", "house", "canal", "bridge", "barracks", "jousting_grounds", "castle", "tower", "gardens",
    "bretonnian_embassy", "cathay_embassy", "temple", "tomb", "tree", "ghetto", "main_gate",
)  # fmt: skip
LETTERS = dict(zip(TERRAINS, "#.h~=ABCDGEFHTILM", strict=True))
IMPASSABLE = ("wall", "house", "canal")
BARS_SIGHT = ("wall", "house")
ENCLOSURES = {
    "barracks": 1, "jousting_grounds": 2, "castle": 3, "tower": 4, "gardens": 4, "bretonnian_embassy": 5,
    "cathay_embassy": 6,
}  # fmt: skip
OF_PLACE = {
    "barracks": 0, "jousting_grounds": 1, "castle": 2, "tower": 3, "gardens": 3, "bretonnian_embassy": 4,
    "cathay_embassy": 5, "temple": 6, "tomb": 6, "main_gate": 7,
}  # fmt: skip
AREAS = {
    "street": "", "tower": "Tower and Gardens", "gardens": "Tower and Gardens", "tree": "Wise Tree",
    "bretonnian_embassy": "Bretonnian embassy", "cathay_embassy": "Cathay embassy",
}  # fmt: skip
WAYS = ("E", "NE", "NW", "W", "SW", "SE")
_STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))  # of q and r, in the order of WAYS
NEEDED = (
    "A1", "B1", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "D1", "E1", "F1", "F2", "F3", "H1", "H2", "H3", "M1", "M2",
    "T", "J", "K",
)  # fmt: skip
CANAL_ROW = 7
SIGHT = 8  # the longest range of any shot
PLACE_HEXES, NEAR_HEXES = 16, 48
AIMS = ("nearest", "second", "again", *st.PLACE_NAMES)
NAME = 52
_EFFECTS = {"nothing": 0, "fire": 1, "bridge": 2, "mine": 3, "ogre": 4, "statue": 5}
COMMAND_EFFECTS = (
    "nothing", "counter_mine", "wells", "water", "hospital", "reserve", "food", "conference", "cannon",
)  # fmt: skip
PRICES = (
    "bridge_stone", "bridge_foot", "counter_mine", "wells", "water", "hospital", "food", "reserve_attack",
    "cannon_attack", "cannon_peasants", "barricade", "food_due",
)  # fmt: skip
SPELL_IDS = (
    "healing", "wall_of_water", "fireball", "lightning", "fast_food", "morale", "mind_control", "steal", "bees",
    "treefolk",
)  # fmt: skip
# Figures by id: kind, first, last, class (0 character, 1 mounted, 2 foot, 3 special), faction (6: none).
LAYOUT = (
    ("captain", 0, 0, 0, 0), ("cg_foot", 1, 9, 2, 0), ("cg_mounted", 10, 15, 1, 0), ("sigis", 16, 16, 0, 1),
    ("pg_foot", 17, 21, 2, 1), ("pg_mounted", 22, 26, 1, 1), ("alavandrel", 27, 27, 0, 2), ("el_foot", 28, 35, 2, 2),
    ("severus", 36, 36, 0, 3), ("minerva", 37, 37, 0, 3), ("amon", 38, 38, 0, 3), ("jean_jacques", 39, 39, 0, 4),
    ("br_foot", 40, 44, 2, 4), ("wen", 45, 45, 0, 5), ("ca_foot", 46, 60, 2, 5), ("air_spirit", 61, 61, 3, 5),
    ("demon", 62, 62, 3, 3), ("bee", 63, 74, 3, 3), ("ent", 75, 78, 3, 3), ("cannon", 79, 80, 3, 0),
    ("skaven", 81, 180, 3, 6),
)  # fmt: skip
# Knob with the number of a kind (LW-SET-02), in the order in which set-up asks.
ROSTER_KNOBS = ("cg_foot", "cg_mounted", "pg_foot", "pg_mounted", "el_foot", "br_foot", "ca_foot")

_BYTES, _INT = np.uint8, np.int64
CARDS = np.dtype(
    [
        # map
        ("n_hexes", _INT),
        ("hex_id", _INT, (st.HEXES_MAX,)),
        ("number_of", _INT, (st.GRID,)),  # of a hex id; -1 impassable
        ("beside", np.int8, (st.HEXES_MAX, 6)),  # neighbour by direction, whatever is between; -1 impassable
        ("side", np.uint8, (st.CONFIGS, st.HEXES_MAX, 6)),
        ("path", np.uint8, (st.CONFIGS, st.HEXES_MAX, st.HEXES_MAX)),
        ("flight", np.uint8, (st.HEXES_MAX, st.HEXES_MAX)),  # hex distance
        ("sees", np.uint8, (st.HEXES_MAX, st.HEXES_MAX)),
        ("enclosed", np.uint8, (st.HEXES_MAX,)),
        ("poor", np.uint8, (st.HEXES_MAX,)),
        ("place_of", np.int8, (st.HEXES_MAX,)),
        ("main", _INT, (st.PLACES,)),
        ("place_len", _INT, (st.PLACES,)),
        ("place", np.int8, (st.PLACES, PLACE_HEXES)),  # main hex first, then ascending
        ("near_len", _INT, (st.PLACES,)),
        ("near", np.int8, (st.PLACES, NEAR_HEXES)),  # the place's hexes and those next to them
        ("court", np.int8, (7,)),  # where conferences and reserves gather
        ("grounds", np.int8, (3,)),  # H1, H2, H3
        ("gate_court", _INT),  # M2
        ("tomb", _INT),
        ("cathay_rooms", np.int8, (3,)),  # F1, F3, F2
        ("bridge", _INT, (2,)),
        ("site", _INT, (4,)),
        ("mouth_len", _INT, (st.HOUSES,)),
        ("mouth", np.int8, (st.HOUSES, st.MOUTHS)),
        ("house_fire", np.int8, (st.HOUSES,)),
        ("house_hex", _INT, (st.HOUSES,)),
        # hexes that can burn
        ("n_flammable", _INT),
        ("fire_hex", _INT, (st.FLAMMABLE_MAX,)),
        ("fire_on", np.int8, (st.FLAMMABLE_MAX,)),  # passable hex, or -1
        ("fire_next", np.int8, (st.FLAMMABLE_MAX, 6)),  # flammable neighbour, or -1
        ("fire_near_len", _INT, (st.FLAMMABLE_MAX,)),
        ("fire_near", np.int8, (st.FLAMMABLE_MAX, 7)),  # passable hexes in it and next to it
        ("fire_of", np.int8, (st.HEXES_MAX,)),
        # troops by kind, and figures
        *[(n, np.int8, (len(st.KINDS),)) for n in ("move", "fight", "shots", "strength", "tough", "wounds", "bulk")],
        ("kind", np.int8, (st.FIGURES,)),
        ("owner", np.int8, (st.FIGURES,)),
        ("cls", np.int8, (st.FIGURES,)),
        ("character", np.int8, (st.FIGURES,)),  # 0..7, or -1
        ("commander", _INT, (6,)),
        ("first", _INT, (6,)),  # roster of a faction: first and last figure
        ("last", _INT, (6,)),
        ("plan", np.int8, (2, st.ROSTER)),
        # cards, prices, spells, aims
        ("n_events", _INT),
        ("event", _INT, (st.EVENTS_MAX,)),
        ("event_arg", _INT, (st.EVENTS_MAX,)),
        ("n_commands", _INT),
        ("command", _INT, (st.COMMANDS_MAX,)),
        ("cost", np.int8, (st.SPELLS, st.TYPES)),  # the last column: any non-blank cards
        ("range", _INT, (st.SPELLS,)),
        ("spell_strength", _INT, (st.SPELLS,)),
        ("aim_first", _INT, (6,)),
        ("aim_second", _INT, (6,)),
        # words
        ("terrain", _BYTES, (st.GRID,)),
        ("hex_name", _BYTES, (st.HEXES_MAX, 8)),
        ("action_name", _BYTES, (st.TYPES, NAME)),
        ("event_name", _BYTES, (st.EVENTS_MAX, NAME)),
        ("command_name", _BYTES, (st.COMMANDS_MAX, NAME)),
        ("spell_name", _BYTES, (st.SPELLS, NAME)),
        ("kind_name", _BYTES, (len(st.KINDS), NAME)),
    ],
    align=True,
)
_FACTIONS = (*st.SEATS, "none")
_YES = ("yes", "no")

TABLES = (
    TableSchema(
        "map",
        (
            Column("hex", "int", 0, st.GRID - 1),
            Column("column", "int", 0, st.COLUMNS - 1),
            Column("row", "int", 0, 12),
            Column("terrain", options=TERRAINS),
            Column("code"),
            Column("gate", options=("none", *WAYS)),
            Column("flammable", options=_YES),
            Column("mine", options=_YES),
            Column("house", "int", 0, 66),
        ),
        key="hex",
        rows=(st.GRID, st.GRID),
    ),
    TableSchema(
        "troops",
        (
            Column("id", options=st.KINDS),
            Column("name"),
            Column("faction", options=_FACTIONS),
            Column("number", "int", 0, 100),
            Column("move", "int", 1, 6),
            Column("fight", "int", 1, 9),
            Column("attacks", "int", 0, 6),
            Column("strength", "int", 1, 9),
            Column("toughness", "int", 1, 12),
            Column("wounds", "int", 1, 9),
            Column("size", "int", 1, 2),
        ),
        key="id",
        rows=(len(st.KINDS), len(st.KINDS)),
    ),
    TableSchema(
        "actions",
        (Column("id", options=st.TYPE_LETTERS), Column("name"), Column("number", "int", 5, 35)),
        key="id",
        rows=(st.TYPES, st.TYPES),
    ),
    TableSchema(
        "events",
        (Column("id"), Column("name"), Column("effect")),
        key="id",
        rows=(1, st.EVENTS_MAX),
        blank={"effect": "nothing"},
    ),
    TableSchema(
        "commands",
        (Column("id"), Column("name"), Column("effect", options=COMMAND_EFFECTS)),
        key="id",
        rows=(1, st.COMMANDS_MAX),
        blank={"effect": "nothing"},
    ),
    TableSchema("prices", (Column("id", options=PRICES), Column("cards", "int", 0, 8)), "id", (len(PRICES),) * 2),
    TableSchema(
        "spells",
        (
            Column("id", options=SPELL_IDS),
            Column("name"),
            *(Column(name, "int", 0, 4) for name in ("attack", "peasants", "food", "water", "healing", "non_blank")),
            Column("range", "int", 0, SIGHT),
            Column("attacks", "int", 0, 10),
            Column("strength", "int", 0, 9),
        ),
        key="id",
        rows=(st.SPELLS, st.SPELLS),
    ),
    TableSchema(
        "deployment",
        (
            Column("id"),
            Column("faction", options=st.SEATS),
            Column("plan", "int", 0, 1),
            Column("first", "int", 0, st.ROSTER - 1),
            Column("last", "int", 0, st.ROSTER - 1),
            Column("hex"),
        ),
        key="id",
        rows=(2, 2 * st.ROSTER),
    ),
    TableSchema("aims", (Column("id"), Column("aim", options=AIMS)), "id", (12, 12)),
)


def pack_cards(tables: Tables) -> Array:
    """The component tables as one record, array of shape (1,) of CARDS.

    Raises:
        InputError: a map without one of the named hexes or houses, an effect outside the vocabulary, a deployment that
            leaves a figure out.
    """
    cards = np.zeros(1, CARDS)
    record = cards.view(np.recarray)[0]
    names = _pack_map(record, tables)
    _pack_troops(record, tables)
    _pack_decks(record, tables, names)
    _pack_deployment(record, tables, names)
    return cards


def map_hexes(tables: Tables) -> list[Hex]:
    """The city for Game.hex_map: passable hexes numbered as in the record; walls, houses and canal are only drawn."""
    hexes: list[Hex] = []
    number = 0
    for row in sorted(tables["map"], key=lambda row: int(row["hex"])):
        q, r = _axial(int(row["hex"]))
        terrain, code = str(row["terrain"]), str(row["code"])
        if terrain in IMPASSABLE:
            name, label = (f"house {row['house']}", f"h{row['house']}") if row["house"] else (terrain, "")
            hexes.append(Hex(q, r, name, label=label, ground="water" if terrain == "canal" else "blocked"))
            continue
        label = code[:1] if code[1:] in ("", "1") else ""
        area = AREAS.get(terrain, terrain.replace("_", " "))
        hexes.append(Hex(q, r, code or f"hex {row['hex']}", number, label, area))
        number += 1
    return hexes


def _axial(hex_id: int) -> tuple[int, int]:
    row, column = divmod(hex_id, st.COLUMNS)
    return column - row // 2, row


def _hex_at(q: int, r: int) -> int:
    column = q + r // 2
    return r * st.COLUMNS + column if 0 <= column < st.COLUMNS and 0 <= r < st.GRID // st.COLUMNS else -1


def neighbour(hex_id: int, way: int) -> int:
    """The neighbour of a hex in a direction, -1 off the sheet."""
    q, r = _axial(hex_id)
    return _hex_at(q + _STEPS[way][0], r + _STEPS[way][1])


def hex_distance(one: int, other: int) -> int:
    (q1, r1), (q2, r2) = _axial(one), _axial(other)
    dq, dr = q1 - q2, r1 - r2
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def _pack_map(record: Any, tables: Tables) -> dict[str, int]:
    rows = sorted(tables["map"], key=lambda row: int(row["hex"]))
    terrain = [str(row["terrain"]) for row in rows]
    for row in rows:
        if divmod(int(row["hex"]), st.COLUMNS) != (row["row"], row["column"]):
            raise InputError(f"table map, hex {row['hex']}: is in column {int(row['hex']) % st.COLUMNS} and row "
                              f"{int(row['hex']) // st.COLUMNS}.")  # fmt: skip
        record.terrain[int(row["hex"])] = TERRAINS.index(str(row["terrain"]))
    passable = [h for h in range(st.GRID) if terrain[h] not in IMPASSABLE]
    if len(passable) > st.HEXES_MAX:
        raise InputError(f"table map: {len(passable)} passable hexes. At most {st.HEXES_MAX}.")
    record.n_hexes = len(passable)
    record.number_of[:] = -1
    number = {h: n for n, h in enumerate(passable)}
    names: dict[str, int] = {}
    for h, n in number.items():
        record.hex_id[n], record.number_of[h] = h, n
        names[str(h)] = n
        name = str(rows[h]["code"])
        write_text(record.hex_name[n], name or str(h))
        if name:
            if name in names:
                raise InputError(f"table map: two hexes are called {name}.")
            names[name] = n
        record.enclosed[n] = ENCLOSURES.get(terrain[h], 0)
        record.poor[n] = h // st.COLUMNS > CANAL_ROW
        record.place_of[n] = OF_PLACE.get(terrain[h], -1)
    for name in NEEDED:
        if name not in names:
            raise InputError(f"table map: no passable hex is called {name}. The rules need {', '.join(NEEDED)}.")
    _pack_named(record, rows, number, names)
    _pack_sides(record, rows, number)
    _pack_ways(record, rows, terrain, passable)
    _pack_houses(record, rows, terrain, number)
    return names


def _pack_named(record: Any, rows: Any, number: dict[int, int], names: dict[str, int]) -> None:
    ids, place_of = list(number), record.place_of[: len(number)].tolist()
    for place, letter in enumerate(st.PLACE_NAMES):
        main = names[f"{letter}1"]
        record.main[place] = main
        hexes = [n for n, its in enumerate(place_of) if its == place]
        if main not in hexes or len(hexes) > PLACE_HEXES:
            raise InputError(f"table map: place {letter} holds {letter}1 and at most {PLACE_HEXES} hexes in all.")
        hexes = [main, *(n for n in hexes if n != main)]
        record.place_len[place] = len(hexes)
        record.place[place, : len(hexes)] = hexes
        near = [n for n, h in enumerate(ids) if any(hex_distance(h, ids[m]) <= 1 for m in hexes)]
        if len(near) > NEAR_HEXES:
            raise InputError(f"table map: {len(near)} hexes in and next to place {letter}. At most {NEAR_HEXES}.")
        record.near_len[place] = len(near)
        record.near[place, : len(near)] = near
    record.court[:] = [names[name] for name in ("C2", "C1", "C6", "C3", "C4", "C5", "C7")]
    record.grounds[:] = [names[name] for name in ("H1", "H2", "H3")]
    record.cathay_rooms[:] = [names[name] for name in ("F1", "F3", "F2")]
    record.gate_court, record.tomb = names["M2"], names["T"]
    record.bridge[:] = (names["J"], names["K"])
    sites = [number[int(row["hex"])] for row in rows if row["mine"] == "yes" and int(row["hex"]) in number]
    if len(sites) != 4:
        raise InputError(f"table map: {len(sites)} passable mine sites. There are four.")
    by_name = sorted(sites, key=lambda n: bytes(record.hex_name[n]))
    record.site[:] = by_name


def _pack_sides(record: Any, rows: Any, number: dict[int, int]) -> None:
    """The kind of each side on each map: bridges up (bits 0 and 1), sites breached (bits 2 to 5)."""
    beside, enclosed = record.beside, record.enclosed.tolist()
    beside[:] = -1
    whole = np.zeros((st.HEXES_MAX, 6), np.uint8)
    for h, n in number.items():
        for way in range(6):
            other = number.get(neighbour(h, way), -1)
            beside[n, way] = other
            if other >= 0:
                whole[n, way] = st.OPEN if enclosed[n] == enclosed[other] else st.WALL
    for h, n in number.items():
        if rows[h]["gate"] != "none":
            way = WAYS.index(str(rows[h]["gate"]))
            other = int(beside[n, way])
            if other < 0 or whole[n, way] != st.WALL:
                raise InputError(f"table map, hex {h}: a gate must be in a wall between two passable hexes.")
            whole[n, way] = whole[other, (way + 3) % 6] = st.GATE
    sides = record.side
    for config in range(st.CONFIGS):
        side = sides[config]
        side[:] = whole
        for site in range(4):
            if config >> (2 + site) & 1:
                _set_around(beside, side, int(record.site[site]), st.OPEN)
        for bridge in range(2):
            if not config >> bridge & 1:
                _set_around(beside, side, int(record.bridge[bridge]), st.NO_SIDE)


def _set_around(beside: Any, side: Any, n: int, kind: int) -> None:
    for way in range(6):
        other = int(beside[n, way])
        if other >= 0 and side[n, way] != st.NO_SIDE:
            side[n, way] = side[other, (way + 3) % 6] = kind


_WAYS: dict[bytes, Any] = {}  # cached for the last map packed: computing paths takes 0.1 to 0.2 s


def _pack_ways(record: Any, rows: Any, terrain: list[str], passable: list[int]) -> None:
    key = record.side.tobytes() + record.terrain.tobytes()
    if key not in _WAYS:
        _WAYS.clear()
        flight = np.zeros((st.HEXES_MAX, st.HEXES_MAX), np.uint8)
        sees = np.zeros((st.HEXES_MAX, st.HEXES_MAX), np.uint8)
        _pack_sight(flight, sees, rows, terrain, passable)
        _WAYS[key] = (_all_paths(record), flight, sees)
    record.path[:], record.flight[:], record.sees[:] = _WAYS[key]


def _all_paths(record: Any) -> Any:
    """Number of steps over open and gate sides between all pairs of hexes, on each of the 64 maps; 99 means no way."""
    n = int(record.n_hexes)
    paths = np.full((st.CONFIGS, st.HEXES_MAX, st.HEXES_MAX), 99, np.uint8)
    for config in range(st.CONFIGS):
        ways = []
        for way in range(6):
            other = record.beside[:n, way].astype(np.int64)
            side = record.side[config, :n, way]
            free = (other >= 0) & ((side == st.OPEN) | (side == st.GATE))
            ways.append((np.flatnonzero(free), other[free]))
        distance = np.full((n, n), 99, np.uint8)
        np.fill_diagonal(distance, 0)
        while True:
            before = distance.copy()
            for here, there in ways:
                distance[here] = np.minimum(distance[here], before[there] + 1)
            if np.array_equal(distance, before):
                break
        distance[distance > 99] = 99
        paths[config, :n, :n] = distance
    return paths


def _pack_sight(flight: Any, sees: Any, rows: Any, terrain: list[str], passable: list[int]) -> None:
    """LW-CMB-16: hexes on the straight line; both ends are shifted slightly, so it never runs along a side."""
    walled = [ENCLOSURES.get(name, 0) for name in terrain]
    gates = set()
    for row in rows:
        if row["gate"] != "none":
            h = int(row["hex"])
            other = neighbour(h, WAYS.index(str(row["gate"])))
            gates |= {(h, other), (other, h)}
    for a, one in enumerate(passable):
        for b, other in enumerate(passable):
            distance = hex_distance(one, other)
            flight[a, b] = distance
            if distance <= SIGHT:
                line = _line(one, other, distance)
                open_ground = all(terrain[h] not in BARS_SIGHT for h in line[1:-1])
                no_wall = all(
                    walled[x] == walled[y] or (x, y) in gates or terrain[x] in IMPASSABLE or terrain[y] in IMPASSABLE
                    for x, y in pairwise(line)
                )
                sees[a, b] = open_ground and no_wall


def _line(one: int, other: int, distance: int) -> list[int]:
    (q1, r1), (q2, r2) = _axial(one), _axial(other)
    a = (q1 + 1e-6, r1 + 2e-6)
    b = (q2 + 1e-6, r2 + 2e-6)
    line = []
    for step in range(distance + 1):
        t = step / distance if distance else 0.0
        q, r = a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t
        line.append(_hex_at(*_rounded(q, r)))
    return line


def _rounded(q: float, r: float) -> tuple[int, int]:
    s = -q - r
    rq, rr, rs = round(q), round(r), round(s)
    dq, dr, ds = abs(rq - q), abs(rr - r), abs(rs - s)
    if dq > dr and dq > ds:
        rq = -rr - rs
    elif dr > ds:
        rr = -rq - rs
    return rq, rr


def _pack_houses(record: Any, rows: Any, terrain: list[str], number: dict[int, int]) -> None:
    burning = [int(row["hex"]) for row in rows if row["flammable"] == "yes"]
    if len(burning) > st.FLAMMABLE_MAX:
        raise InputError(f"table map: {len(burning)} flammable hexes. At most {st.FLAMMABLE_MAX}.")
    record.n_flammable = len(burning)
    record.fire_of[:] = -1
    record.fire_next[:] = -1
    place = {h: k for k, h in enumerate(burning)}
    for h, k in place.items():
        record.fire_hex[k], record.fire_on[k] = h, number.get(h, -1)
        if h in number:
            record.fire_of[number[h]] = k
        around = [neighbour(h, way) for way in range(6)]
        record.fire_next[k] = [place.get(other, -1) for other in around]
        near = [number[other] for other in (h, *around) if other in number]
        record.fire_near_len[k] = len(near)
        record.fire_near[k, : len(near)] = near
    numbers = [10 * tens + units for tens in range(1, 7) for units in range(1, 7)]
    houses = {int(row["house"]): int(row["hex"]) for row in rows if row["house"]}
    if sorted(houses) != numbers or any(terrain[h] != "house" or h not in place for h in houses.values()):
        raise InputError("table map: the house numbers 11 to 66 must be on 36 flammable houses, each once.")
    for at, which in enumerate(numbers):
        h = houses[which]
        mouths = [number[o] for o in sorted(neighbour(h, way) for way in range(6)) if o in number]
        mouths = [n for n in mouths if not record.enclosed[n]]
        record.mouth_len[at], record.house_fire[at], record.house_hex[at] = len(mouths), place[h], h
        record.mouth[at, : len(mouths)] = mouths


def _pack_troops(record: Any, tables: Tables) -> None:
    by_id = {str(row["id"]): row for row in tables["troops"]}
    columns = {"move": "move", "fight": "fight", "shots": "attacks", "strength": "strength", "tough": "toughness",
               "wounds": "wounds", "bulk": "size"}  # fmt: skip
    for kind, name in enumerate(st.KINDS):
        for field, column in columns.items():
            record[field][kind] = by_id[name][column]
        write_text(record.kind_name[kind], str(by_id[name]["name"]))
    if by_id["cannon"]["wounds"] != 2:
        raise InputError("table troops, cannon, wounds: a cannon has a wound for each of its crew of 2.")
    record.character[:] = -1
    characters = 0
    for name, first, last, cls, owner in LAYOUT:
        if not 0 <= int(by_id[name]["number"]) <= last - first + 1:
            raise InputError(f"table troops, {name}, number: at most {last - first + 1} figures.")
        record.kind[first : last + 1] = st.KINDS.index(name)
        record.cls[first : last + 1] = cls
        record.owner[first : last + 1] = owner
        if cls == 0:
            record.character[first] = characters
            characters += 1
    if characters != st.CHARACTERS:
        raise AssertionError("the layout of figures names 8 characters")
    record.commander[:] = (0, 16, 27, 36, 39, 45)
    record.first[:] = (0, 16, 27, 36, 39, 45)
    record.last[:] = (15, 26, 35, 38, 44, st.ROSTER - 1)


def _pack_decks(record: Any, tables: Tables, names: dict[str, int]) -> None:
    record.n_events = len(tables["events"])
    sites = {int(n): at for at, n in enumerate(record.site)}
    for at, row in enumerate(tables["events"]):
        where, text = f"table events, {row['id']}, effect", str(row["effect"])
        match = re.fullmatch(r"([a-z]+)(?:\(([A-Z]\d?)\))?", text)
        if not match or match[1] not in _EFFECTS:
            hint = unknown_word(text.partition("(")[0], _EFFECTS)
            raise InputError(
                f"{where}: '{text[:80]}' is not known. {hint}{' ' * bool(hint)}Effects: nothing, fire(H1), bridge(J), "
                "mine(A4), ogre, statue."
            )
        kind, name = _EFFECTS[match[1]], match[2] or ""
        record.event[at] = kind
        if match[1] == "fire":
            if name not in names or record.fire_of[names[name]] < 0:
                raise InputError(f"{where}: {name or 'nothing'} is not a flammable hex that is passable.")
            record.event_arg[at] = record.fire_of[names[name]]
        elif match[1] == "bridge":
            if name not in ("J", "K"):
                raise InputError(f"{where}: the bridges are J and K.")
            record.event_arg[at] = ("J", "K").index(name)
        elif match[1] == "mine":
            if names.get(name, -1) not in sites:
                raise InputError(f"{where}: {name or 'nothing'} is not a mine site of the map.")
            record.event_arg[at] = sites[names[name]]
        write_text(record.event_name[at], f"{row['id']} {row['name']}")
    record.n_commands = len(tables["commands"])
    for at, row in enumerate(tables["commands"]):
        record.command[at] = COMMAND_EFFECTS.index(str(row["effect"]))
        write_text(record.command_name[at], f"{row['id']} {row['name']}")
    if [row["effect"] for row in tables["commands"]].count("cannon") > 2:
        raise InputError("table commands: at most two cannons.")
    by_id = {str(row["id"]): row for row in tables["actions"]}
    for at, name in enumerate(st.TYPE_LETTERS):
        write_text(record.action_name[at], str(by_id[name]["name"]))
    by_id = {str(row["id"]): row for row in tables["spells"]}
    for at, name in enumerate(SPELL_IDS):
        row = by_id[name]
        costs = ("attack", "peasants", "food", "water", "healing", "non_blank")
        record.cost[at] = [int(row[column]) for column in costs]
        record.range[at], record.spell_strength[at] = row["range"], row["strength"]
        write_text(record.spell_name[at], str(row["name"]))
    aims = {str(row["id"]): AIMS.index(str(row["aim"])) for row in tables["aims"]}
    for die in range(6):
        for which, field in (("first", record.aim_first), ("second", record.aim_second)):
            key = f"{which} {die + 1}"
            if key not in aims or (which == "second" and aims[key] == 2):
                raise InputError(f"table aims: a row '{key}' with an aim, the second one not 'again'.")
            field[die] = aims[key]


def _pack_deployment(record: Any, tables: Tables, names: dict[str, int]) -> None:
    record.plan[:] = -1
    for row in tables["deployment"]:
        where = f"table deployment, {row['id']}"
        if str(row["hex"]) not in names:
            raise InputError(f"{where}, hex: '{row['hex']}' is not a passable hex.")
        for figure in range(int(row["first"]), int(row["last"]) + 1):
            if st.SEATS[int(record.owner[figure])] != row["faction"]:
                raise InputError(f"{where}: figure {figure} is not of {row['faction']}.")
            record.plan[int(row["plan"]), figure] = names[str(row["hex"])]
    for plan in range(2):
        load = np.zeros(st.HEXES_MAX, np.int64)
        for figure in range(st.ROSTER):
            if record.plan[plan, figure] < 0:
                raise InputError(f"table deployment: plan {plan} leaves figure {figure} out.")
            load[record.plan[plan, figure]] += record.bulk[record.kind[figure]]
        if load.max() > 6:
            full = int(record.hex_id[int(load.argmax())])
            raise InputError(f"table deployment: plan {plan} puts size {load.max()} into hex {full}. At most 6.")
    assert st.DEFENDERS <= st.FIGURES


def item_names(tables: Tables) -> list[tuple[str, str]]:
    """(kind, name) of the items that the lab tracks: event and command cards, spells, artefacts, powers."""
    events = [("event", f"{row['id']} {row['name']}") for row in tables["events"]]
    commands = [("command", f"{row['id']} {row['name']}") for row in tables["commands"]]
    by_id = {str(row["id"]): str(row["name"]) for row in tables["spells"]}
    events += [("", f"(no card {n})") for n in range(len(events), st.EVENTS_MAX)]
    commands += [("", f"(no card {n})") for n in range(len(commands), st.COMMANDS_MAX)]
    return [
        *events, *commands, *(("spell", by_id[name]) for name in SPELL_IDS),
        ("artefact", "Mask of Nyarlathotep"), ("artefact", "Box of Thousand Pleasures"),
        ("artefact", "Altar of the Damned"), ("artefact", "Teleporter of the Outer Planes"),
        ("power", "Sweet water well"), ("power", "Escape tunnel"), ("power", "Lycanthropy"), ("power", "Silver Hair"),
    ]  # fmt: skip
