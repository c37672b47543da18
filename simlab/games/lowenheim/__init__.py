"""Siege of Lowenheim: six factions, one city, the ratmen inside the walls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, HexMap, HexMark, Items, KnobValue, Side, Track
from simlab.games.lowenheim import ending, hidden, labels, rolls, row, rules
from simlab.games.lowenheim.pieces import COMPONENTS
from simlab.games.lowenheim.state import (
    ENDINGS,
    HEXES_MAX,
    ITEMS,
    MAX_DECISIONS,
    MAX_TURNS,
    PLACE_NAMES,
    SEATS,
    STATE,
    STREAMS,
    TYPE_LETTERS,
    USES,
)
from simlab.games.lowenheim.tables import CARDS, TABLES, item_names, map_hexes, pack_cards


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """LW-CMB-10: settings that contradict each other."""
    faults = []
    if int(knobs["stun_min"]) > int(knobs["wound_min"]):
        faults.append(
            f"stun_min = {knobs['stun_min']} is above wound_min = {knobs['wound_min']}: a stun is the lesser effect "
            "(LW-CMB-10)."
        )
    return faults


GAME = Game(
    slug="lowenheim",
    title="Siege of Lowenheim",
    summary="Six factions with aims of their own hold one city against ratmen that come up inside the walls.",
    folder=Path(__file__).parent,
    seats=SEATS,
    article="",
    sides=(Side("city", SEATS, "holds", endings=("hold",)),),
    endings=ENDINGS,
    streams=STREAMS,
    dice=(
        Die("arrival", "arrival", 6, "who comes, where and with what aim"),
        Die("march", ("intruder_march", "march"), 6, "breaking free and blocked ways"),
        Die("combat", ("intruder_combat", "combat"), 6, "combat"),
        Die("magic", "magic", 6, "magic"),
        Die("teleporter", "magic", "teleporter_die", "the end of the Teleporter"),
        Die("mine", "mine", 6, "mines that go off"),
        Die("fire", "fire", 6, "fire that spreads and goes out"),
        Die("temple", "temple", 6, "the temple"),
        Die("temper", "temper", 6, "temper"),
        Die(
            "d6",
            (
                "arrival",
                "intruder_march",
                "march",
                "intruder_combat",
                "combat",
                "magic",
                "mine",
                "fire",
                "temple",
                "temper",
            ),
            6,
            "every six-sided die",
        ),
        Die("actions", ("deal", "draw"), 0, "the action cards", cards=TYPE_LETTERS),
        Die("events", "event_deck", 0, "the events", cards="events"),
        Die("commands", "command_deck", 0, "the commands", cards="commands"),
    ),
    items=Items(ITEMS, item_names, USES, ending.item_uses),
    hex_map=HexMap(
        HEXES_MAX,
        map_hexes,
        (
            HexMark("overrun", "overrun (more intruders than defenders, by size)"),
            HexMark("figures_down", "figures of the factions that went down", happens=True),
            HexMark("intruders_out", "intruders taken out", happens=True),
        ),
        ending.hex_values,
        labels.hex_contents,
        labels.LEGEND,
    ),
    decisions=(
        Decision("LW-D01", "deployment plan", ("home", "detachment"), secret=True),
        Decision("LW-D02", "who may pass"),
        Decision("LW-D03", "vote for the leader", ("CG", "PG"), secret=True),
        Decision("LW-D04", "wearer of the Mask", ("nobody", "Severus", "Minerva", "Amon")),
        Decision(
            "LW-D05",
            "discard",
            ("stop", "Attack", "Peasants", "Food", "Water", "Healing", "Blank"),
            continues=("LW-D05",),
        ),
        Decision("LW-D06", "delegate", ("first character", "second", "third", "mounted", "foot")),
        Decision("LW-D07", "pay for the Box", ("no", "pay")),
        Decision("LW-D08", "who begins", SEATS),
        Decision(
            "LW-D09",
            "magic before movement",
            (
                "nothing",
                "Healing",
                "Wall of Water",
                "Fireball",
                "Lightning Bolt",
                "Fast Food",
                "Mind Control",
                "Steal Resources",
                "Insect Swarm",
                "Treefolk",
                "Altar",
                "Teleporter out",
                "Teleporter in",
                "take the Box",
            ),
        ),
        Decision("LW-D10", "target of magic", continues=("LW-D09", "LW-D10", "LW-D11", "LW-D12", "LW-D20")),
        Decision("LW-D11", "victim of Mind Control", continues=("LW-D09", "LW-D10")),
        Decision("LW-D12", "strength of Fast Food or Morale", continues=("LW-D09", "LW-D10", "LW-D20")),
        Decision(
            "LW-D13", "direction of magic", ("E", "NE", "NW", "W", "SW", "SE"), continues=("LW-D09", "LW-D10", "LW-D20")
        ),
        Decision("LW-D14", "whom to rob", SEATS, continues=("LW-D09", "LW-D20")),
        Decision("LW-D15", "the Queen", ("stays", "escort")),
        Decision("LW-D16", "rite of the Silver Hair", ("no", "rite")),
        Decision("LW-D17", "order of a group"),
        Decision("LW-D18", "how many of the group", continues=("LW-D17",)),
        Decision("LW-D19", "Lady Brunhilde", ("without", "with"), continues=("LW-D17", "LW-D18")),
        Decision(
            "LW-D20",
            "magic before combat",
            (
                "nothing",
                "Healing",
                "Wall of Water",
                "Fireball",
                "Lightning Bolt",
                "Morale",
                "Steal Resources",
                "Insect Swarm",
                "Treefolk",
            ),
        ),
        Decision("LW-D21", "target of a cannon"),
        Decision("LW-D22", "fight", ("none", "auto", "own hex", "E", "NE", "NW", "W", "SW", "SE")),
        Decision("LW-D23", "partner of an offer"),
        Decision("LW-D24", "card to give", continues=("LW-D23",)),
        Decision("LW-D25", "card wanted", continues=("LW-D24",)),
        Decision("LW-D26", "answer to an offer", ("decline", "accept")),
        Decision("LW-D27", "pressure"),
        Decision("LW-D28", "answer to pressure"),
        Decision("LW-D29", "make a secret public", ("keep", "public")),
        Decision("LW-D30", "card above the limit", continues=("LW-D30",)),
        Decision(
            "LW-D31",
            "discharge",
            ("stop", "commander", "second wizard", "third wizard", "mounted", "foot"),
            continues=("LW-D31",),
        ),
        Decision("LW-D32", "food", ("lose a figure", "Food", "Blank")),
        Decision("LW-D33", "who starves", continues=("LW-D33",)),
        Decision("LW-D34", "who comes back", ("stop", "mounted", "foot", "character"), continues=("LW-D34",)),
        Decision("LW-D35", "card for the wolf", ("none", "Food", "Peasants")),
        Decision("LW-D36", "Water on a fire"),
        Decision("LW-D37", "barricades", continues=("LW-D37",)),
        Decision("LW-D38", "cards for a demand", continues=("LW-D38",)),
        Decision("LW-D39", "figures for the mobile reserve", continues=("LW-D39",)),
        Decision("LW-D40", "crew for a cannon", continues=("LW-D40",)),
    ),
    metrics=row.METRICS,
    tracks=(
        Track("defenders", 0, 150, "defender size on the map"),
        Track("intruders", 0, 150, "intruder size on the map"),
        *(Track(f"place_{p.lower()}", -60, 60, f"defender size less intruder size in place {p}") for p in PLACE_NAMES),
        Track("temple", 0, 61, "roster figures in the Temple"),
        Track("starved", 0, 61, "roster figures starved"),
        Track("fires", 0, 20, "burning hexes"),
        *(Track(f"points_{seat.lower()}", -60, 80, f"score of {seat} if the city held now") for seat in SEATS),
    ),
    lead=tuple(f"points_{seat.lower()}" for seat in SEATS),
    components=COMPONENTS,
    state=STATE,
    cards=CARDS,
    tables=TABLES,
    pack_cards=pack_cards,
    initial_state=rules.initial_state,
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    play_part=rules.play_part,
    part_name=labels.part_name,
    asides=labels.asides,
    rolls=rolls.rolls,
    determinize=hidden.determinize,
    reshuffle=hidden.reshuffle,
    outcome=row.outcome,
    track_values=ending.track_values,
    action_label=labels.action_label,
    describe=labels.describe,
    check_knobs=check_knobs,
    max_decisions=MAX_DECISIONS,
    max_turns=MAX_TURNS,
    has_scores=True,
    score_range=(-30, 40),
)
