"""The Peace of Westphalia, for 5 to 8 players: faith against power in the Holy Roman Empire, 1510 to 1660."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, Hex, HexMap, HexMark, Items, KnobValue, Metric, SeatCategory, Tables, Track
from simlab.games.westphalia import ending, hidden, labels, rules, story
from simlab.games.westphalia.pieces import COMPONENTS
from simlab.games.westphalia.state import (
    ENDINGS,
    HEXES,
    LEAST_PLAYERS,
    MAX_DECISIONS,
    PLAYERS,
    ROUNDS,
    SEATS,
    STATE,
    STREAMS,
)
from simlab.games.westphalia.tables import CARDS, KIND_LETTERS, TABLES, pack_cards

_COUNT = {"low": 0, "high": 32_000}
_GATES = {
    -1: "not_tested", 0: "won", 1: "provinces", 2: "electors", 3: "provinces_electors", 4: "emperor",
    5: "provinces_emperor", 6: "electors_emperor", 7: "all_three", 8: "nobody_saved",
}  # fmt: skip
_KINDS = ("Musketeers", "Pikemen", "Cavalry")
_WOULD_WIN = int(ending.WOULD_WIN)
_START_PLACES = tuple(f"s{n}" for n in range(PLAYERS))
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """Settings that contradict each other."""
    faults = []
    if int(knobs["roster_size"]) < 33 and knobs["setup_mode"] == "standard" and int(knobs["roster_size"]) < 28:
        faults.append("roster_size is too small for the opening positions (WP-SET-13).")
    if 3 * int(knobs["cards_per_kind"]) and 3 * int(knobs["cards_per_kind"]) < 2 * int(knobs["max_cards"]):
        faults.append(
            f"cards_per_kind = {knobs['cards_per_kind']} gives a deck that two hands of max_cards = "
            f"{knobs['max_cards']} would exhaust (WP-BAT-03)."
        )
    return faults


def _counts(*pairs: tuple[str, str, str]) -> tuple[Metric, ...]:
    return tuple(Metric(name, text, unit, **_COUNT) for name, text, unit in pairs)


def _metrics(seats: int) -> tuple[Metric, ...]:
    provinces = {"low": 0, "high": 96}
    yes_no = {0: "no", 1: "yes"}
    return (
        Metric("winners_number", "players who share the win", "players", low=1, high=4),
        Metric("tied", "players tied at the Peace of Westphalia", "players", never=0, low=2, high=seats),
        Metric("emperor_won", "whether the last Emperor is among the winners", codes=yes_no),
        Metric("first_emperor_won", "whether the Emperor of the set-up is among the winners", codes=yes_no),
        Metric("first_player_won", "whether the First Player of the Setup Order is among the winners", codes=yes_no),
        Metric("last_emperors_faith", "faith of the last Emperor", codes={0: "catholic", 1: "protestant"}),
        Metric("gate_catholic_4", "tests that a Catholic victory failed in the last round but one", codes=_GATES),
        Metric("gate_protestant_4", "tests that a Protestant victory failed in the last round but one", codes=_GATES),
        Metric("gate_catholic_5", "tests that a Catholic victory failed in the last round", codes=_GATES),
        Metric("gate_protestant_5", "tests that a Protestant victory failed in the last round", codes=_GATES),
        Metric("protestant_end", "Protestant provinces at the end", "provinces", **provinces),
        Metric("electors_protestant", "Protestant Electors at the end", "Electors", low=0, high=7),
        *(
            Metric(f"protestant_{n}", f"Protestant provinces after the upheaval of round {n}", "provinces",
                   never=-1, **provinces)
            for n in range(1, 6)
        ),
        *(
            Metric(f"power_{n}", f"mean Imperial Power of the players in the Empire at the end of round {n}",
                   "tenths of an IP", never=-1, low=0, high=2_000)
            for n in range(1, 6)
        ),
        Metric("catholics_end", "Catholic players at the end", "players", low=0, high=seats),
        Metric("foreign_end", "Foreign Powers at the end", "players", low=0, high=seats),
        Metric("foreign_winners", "Foreign Powers among the winners", "players", low=0, high=4),
        Metric(
            "reformation", "when the Catholic Reformation began",
            codes={0: "never", **{n: f"council_in_round_{n}" for n in range(1, ROUNDS + 1)}, 10: "lepanto"},
        ),
        *_counts(
            ("turned_early", "principalities turned by the cards of rounds 1 and 2", "principalities"),
            ("turned_late", "principalities turned by the cards of later rounds", "principalities"),
            ("conversions", "conversions of players", "conversions"),
            ("returns", "returns of players to Catholicism", "conversions"),
            ("cards_handed_on", "Saved by Faith Alone cards handed on", "cards"),
            ("dice", "Faith dice rolled", "dice"),
            ("successes", "successes", "dice"),
            ("dice_on_principalities", "dice placed on principalities", "dice"),
            ("dice_on_players", "dice placed on provinces of other players", "dice"),
            ("dice_on_own", "dice placed on own provinces", "dice"),
            ("dice_lost", "dice without a legal target", "dice"),
            ("turned_principalities", "principalities converted by dice", "principalities"),
            ("turned_provinces", "provinces of players converted by dice", "provinces"),
            ("flames", "flames set", "flames"),
            ("patronage", "Gold spent on dice", "Gold"),
            ("gold_lost", "Gold lost with towns and capitals", "Gold"),
            ("thumbs", "thumbs shown", "gestures"),
            ("guns", "guns shown", "gestures"),
            ("gesture_di", "influence gained in the Diplomacy Game", "DI"),
            ("bought_di", "Gold turned into influence in phase 3", "Gold"),
            ("released", "vassals released", "principalities"),
            ("given", "provinces given away", "provinces"),
            ("alliances", "times that a player became an ally", "alliances"),
            ("wars_unaligned", "declarations on unaligned principalities", "wars"),
            ("wars_players", "wars between players", "wars"),
            ("wars_religious", "declarations of a Religious War", "declarations"),
            ("temporary_ip", "Gold paid for temporary Imperial Power", "Gold"),
            ("wars_automatic", "wars between players won without cards", "wars"),
            ("battles", "battles of two players", "battles"),
            ("attacker_wins", "wars between players won by the attacker", "wars"),
            ("white_peace", "battles that ended in White Peace", "battles"),
            ("wars_off", "wars called off", "wars"),
            ("clashes", "clashes, those of Religious Wars too", "clashes"),
            ("cards_bought", "military cards bought", "cards"),
            ("doctrines_played", "Doctrines played", "cards"),
            ("doctrines_executed", "Doctrines executed", "cards"),
            ("reinforcements", "calls for reinforcements", "calls"),
            ("conquered", "provinces conquered by winners themselves", "provinces"),
            ("towns_taken", "towns and capitals among them", "provinces"),
            ("vassals", "powers vassalized", "powers"),
            ("liberated", "principalities liberated", "principalities"),
            ("claims", "provinces taken by allies", "provinces"),
            ("league_wars", "Religious Wars", "wars"),
            ("league_battles", "Religious Wars with a battle", "wars"),
            ("targets_turned", "Target Principalities converted", "principalities"),
            ("league_members", "members of Leagues, all Religious Wars together", "players"),
            ("declined", "players who joined no League", "players"),
            ("electors_replaced", "Electors replaced", "Electors"),
            ("eliminated", "players eliminated", "players"),
            ("left", "players who left of their own will", "players"),
            ("postwar_di", "influence lost to Post-War Diplomacy", "DI"),
            ("war_di", "influence lost by conquest and defeat", "DI"),
            ("new_emperors", "times that another player was elected", "elections"),
            *(
                (f"{name.lower()}_{when}", f"{name} played in rounds {rounds}", "cards")
                for when, rounds in (("early", "1 to 3"), ("late", "4 and later"))
                for name in _KINDS
            ),
        ),
    )  # fmt: skip


def item_names(tables: Tables) -> list[tuple[str, str]]:
    """(kind, name) of the items that the report tracks, in the order of ending.item_uses."""
    return [
        *(("Doctrine", str(row["name"])) for row in tables["doctrines"]),
        ("Emperor", "Emperor of the set-up"),
        *(("Emperor", f"Emperor elected in round {n}") for n in range(1, 6)),
        *(("ally at the end", str(row["name"])) for row in tables["roster"]),
    ]


def _hexes(tables: Tables, players: int) -> list[Hex]:
    """The map for this number of players; hex numbers are those of the table, whatever the number of players."""
    return [
        Hex(int(row["q"]), int(row["r"]), str(row["id"]), number, str(row["id"]))
        for number, row in enumerate(tables["hexes"])
        if int(row["players"]) <= players
    ]


def _decisions() -> tuple[Decision, ...]:
    names = labels.OPTIONS
    rows = (
        ("D01", "capital", ()), ("D02", "second hex", ()), ("D03", "third hex", ()), ("D04", "Elector to place", ()),
        ("D05", "hex of an Elector", ()), ("D06", "hex of a principality", ()), ("D07", "first influence", ()),
        ("D08", "vote of an Elector", SEATS), ("D09", "conversion", names[8], True),
        ("D10", "Council token", names[9], True),
        ("D11", "Church Patronage", (), True), ("D12", "die to place", ()), ("D13", "gesture", names[12], True),
        ("D14", "diplomatic action", names[13]), ("D15", "principality", ()), ("D16", "province", ()),
        ("D17", "declaration", names[16]), ("D18", "target", ()), ("D19", "defence", names[18]),
        ("D20", "player to attack", SEATS), ("D21", "target of a Religious War", ()), ("D22", "Doctrine", ()),
        ("D23", "execution of a Doctrine", names[22]), ("D24", "card to swap", labels.KIND_NAMES, True),
        ("D25", "card of an ambush", labels.KIND_NAMES, True), ("D26", "card to buy", names[25], True),
        ("D27", "card of a clash", names[26], True), ("D28", "infantry to give up", names[27]),
        ("D29", "kind to name", names[28]), ("D30", "reinforcement", names[29]), ("D31", "peace option", names[30]),
        ("D32", "conquest", ()), ("D33", "vassal", ()), ("D34", "liberation", ()), ("D35", "claim of an ally", ()),
        ("D36", "League", names[35]), ("D37", "rank of an Elector", ()), ("D38", "assent", names[37], True),
        ("D39", "leaving the Empire", names[38]), ("D40", "province to give away", ()),
        ("D40b", "who gets it", ()), ("D41", "edge of the home", names[41]), ("D42", "imperial influence", ()),
        ("D43", "winner of a tie", SEATS),
    )  # fmt: skip
    # Dice, influence, votes and cards are placed one by one; a target follows the actions on it.
    continues = {
        "D02": ("D01",), "D03": ("D02",), "D05": ("D04",), "D07": ("D07",), "D08": ("D08",), "D12": ("D12",),
        "D15": ("D14", "D15", "D16"), "D16": ("D14",), "D18": ("D17", "D18"), "D20": ("D17",), "D21": ("D17",),
        "D23": ("D22",), "D24": ("D23", "D24"), "D25": ("D23", "D25"), "D28": ("D28",), "D32": ("D31", "D32"),
        "D33": ("D31",), "D34": ("D31",), "D35": ("D35",), "D40b": ("D40",), "D41": ("D39",), "D42": ("D42",),
    }  # fmt: skip
    return tuple(
        Decision(row[0], row[1], row[2], secret=len(row) > 3, continues=continues.get(row[0], ())) for row in rows
    )


def _seat_categories(players: int) -> tuple[SeatCategory, ...]:
    """The categories that ending.seat_categories writes, in its order."""
    return (
        SeatCategory("start_place", "start place of the standard position", ("none", *_START_PLACES[:players])),
        SeatCategory("setup_order", "place in the Setup Order", _PLACES[:players]),
        SeatCategory(
            "role", "Religion Role card at the end",
            ("mortal_sin", "predestined_to_hell", "saved_by_faith_alone", "saved_by_faith_and_works"),
        ),
        SeatCategory("first_emperor", "whether elected in the set-up", ("no", "yes")),
        SeatCategory("foreign_power", "whether a Foreign Power at the end", ("no", "yes")),
    )  # fmt: skip


def game(players: int = 6) -> Game:
    """The game for this number of players, 5 to 8."""
    seats = SEATS[:players]
    return Game(
        slug="westphalia",
        title="The Peace of Westphalia",
        summary="5 to 8 princes of the Holy Roman Empire: two team victories of faith race a victory of power.",
        folder=Path(__file__).parent,
        article="",
        players=(LEAST_PLAYERS, PLAYERS),
        seats=seats,
        endings=ENDINGS,
        streams=STREAMS,
        dice=(
            Die("faith", tuple(f"faith_{seat}" for seat in SEATS), 6, "the dice of faith of all"),
            Die("ottoman", "ottoman", 6, "the Ottoman die"),
            Die("doctrines", "doctrines", 0, "the doctrines", cards="doctrines"),
            Die("cards", "cards", 0, "the military cards", cards=KIND_LETTERS),
        ),
        items=Items(ending.ITEMS, item_names, ("had", "executed", "won a battle with"), ending.item_uses),
        hex_map=HexMap(
            HEXES,
            lambda tables: _hexes(tables, players),
            (HexMark("players_land", "land of the players"), HexMark("protestant", "Protestant land")),
            ending.hex_values,
            labels.hex_contents,
            labels.LEGEND,
        ),
        seat_categories=_seat_categories(players),
        decisions=_decisions(),
        metrics=_metrics(players),
        tracks=(
            *(Track(f"ip_{seat}", 0, 120, f"Imperial Power of {seat}") for seat in seats),
            Track("protestant", 0, 96, "Protestant provinces"),
            Track("protestant_electors", 0, 7, "Protestant Electors"),
            Track("catholic_players", 0, 8, "Catholic players"),
            Track("protestant_emperor", 0, 1, "whether the Emperor is Protestant"),
            Track("reformation", 0, 1, "whether the Catholic Reformation has begun"),
            *(
                Track(
                    f"ahead_{seat}",
                    0,
                    2 * _WOULD_WIN - 1,
                    f"final Imperial Power of {seat}, plus {_WOULD_WIN} while both its faith and its card would win",
                )
                for seat in seats
            ),
        ),
        lead=tuple(f"ahead_{seat}" for seat in seats),
        default_bot="drifter",
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
        determinize=hidden.determinize,
        outcome=ending.outcome,
        track_values=ending.track_values,
        action_label=labels.action_label,
        describe=labels.describe,
        asides=story.asides,
        check_knobs=check_knobs,
        max_decisions=MAX_DECISIONS,
        max_turns=ROUNDS,
        turn_name="round",
        has_scores=True,
        score_range=(0, None),
    )
