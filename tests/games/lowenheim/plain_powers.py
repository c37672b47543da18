"""Temple, food, fire, barricades, magic, secrets, the end and the scores, by rule."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.games.lowenheim import ending, orders, rules
from simlab.games.lowenheim.board import (
    able,
    commander_hex,
    fight_of,
    leave_map,
    move_of,
    rages,
    replace_leader,
    suffer,
    toughness_of,
)
from simlab.games.lowenheim.cards import is_secret, may_press, pressing
from simlab.games.lowenheim.combat import raging_attacks
from simlab.games.lowenheim.state import (
    ALAVANDREL,
    ALTAR_9,
    BEES,
    BOX_9,
    BR,
    BURNT,
    BUSY,
    CA,
    CREW,
    D_BATTLE_MAGIC,
    D_BOX,
    D_BRUNHILDE,
    D_BUILD,
    D_DISCHARGE,
    D_FEED,
    D_MAGIC,
    D_ORDER,
    D_POWER,
    D_PRESS,
    D_QUEEN,
    D_QUENCH,
    D_REGAIN,
    D_RITE,
    D_ROB,
    D_STARVE,
    D_VICTIM,
    D_WEAR,
    D_WOLF,
    DEAD,
    EL,
    ESCAPED,
    GATE_END,
    HOLD_END,
    IN_9,
    JEAN_JACQUES,
    LOST,
    MASK,
    NO_MOVE,
    OUT_9,
    OUTNUMBERED_END,
    PG,
    PLACES_END,
    RAGING,
    SIGIS,
    STARVED,
    TELEPORTER,
    TEMPLE,
    WEN,
    WZ,
)
from simlab.games.lowenheim.upkeep import (
    ask_wolf,
    burning,
    discharging,
    feeding,
    may_build,
    regaining,
)
from simlab.games.lowenheim.wizards import break_controls, casting, may_cast, using_box, wearing
from tests.games.lowenheim.plain_battle import barricade, way
from tests.games.lowenheim.scene import begun, scene

Z = np.int64


# --- Temple and food --------------------------------------------------------------


def test_LW_TMP_01_LW_TMP_03_LW_TMP_05_a_healing_card_each() -> None:
    city = scene().hand("CG", H=2).hand("PG", H=1)
    for f in (1, 2, 10):
        city.state.status[f] = TEMPLE
    city.put("H1", 46, 47, 48, 49, 50)
    assert not discharging(*city.records) and city.state.decision == D_DISCHARGE and city.legal() == [0, 4, 5]
    city.act(5)
    assert city.hex_of(1) == "H1" and city.state.wounds[1] == 1 and city.cards_of("CG") == "H"
    discharging(*city.records)
    city.act(4)
    assert city.hex_of(10) == "H2" and city.fired("LW-TMP-01") == 2 and city.fired("LW-TMP-03") == 2
    assert discharging(*city.records), "no card left, and the Palace Guard has nobody there"
    play = begun()
    play.state.stage = 29
    rules.last_steps(*play.records, Z(29))
    assert play.fired("LW-TMP-05") == 1


def test_LW_TMP_04_worked_example_14() -> None:
    """E14: Alavandrel's Move stays 1; on 1 a character is dead."""
    city = scene().hand("EL", H=2)
    city.state.status[ALAVANDREL] = TEMPLE
    city.ask("EL", D_DISCHARGE)
    city.roll("temple", 2)
    city.act(1)
    assert city.hex_of(27) == "H1" and city.state.wounds[27] == 3 and move_of(*city.records, ALAVANDREL) == 1
    leave_map(city.state, city.cards, ALAVANDREL, TEMPLE)
    city.ask("EL", D_DISCHARGE)
    city.roll("temple", 1)
    city.act(1)
    assert city.state.status[27] == DEAD and city.cards_of("EL") == "" and city.fired("LW-TMP-04") == 2


def test_LW_FOD_01_LW_CRD_06_worked_example_17() -> None:
    """E17: with an intruder outside the gate alone, a Blank is Food."""
    city = scene().put("A1", 1).hand("CG", B=2)
    city.skaven("163")
    city.state.at = 0
    assert not feeding(*city.records) and city.legal() == [0, 2]
    city.act(2)
    assert city.cards_of("CG") == "B" and city.hex_of(1) == "A1"
    assert feeding(*city.records) and city.fired("LW-FOD-01") == 1
    nobody = scene()
    assert feeding(*nobody.records), "nobody on the map: nothing is due"
    twice = scene(food_due=2).put("A1", 1).hand("CG", F=2)
    for _ in range(2):
        assert not feeding(*twice.records)
        twice.act(1)
    assert feeding(*twice.records) and twice.state.fed == 2


def test_LW_FOD_02_the_owner_chooses_and_characters_come_last() -> None:
    city = scene().put("A1", 0, 1, 2, 10).put("A2", 3)
    city.ask("CG", D_FEED)
    city.act(0)
    assert city.state.decision == D_STARVE and city.state.queue[:3].tolist() == [10, 1, 3] and city.legal() == [0, 1, 2]
    city.act(1)
    assert city.state.status[1] == STARVED and city.fired("LW-FOD-02") == 1
    last = scene().put("A1", 0)
    last.ask("CG", D_FEED)
    last.act(0).act(0)
    assert last.state.status[0] == STARVED
    chance = scene(starve_pick="random").put("A1", 0, 1, 2).roll("loss", 2)
    chance.ask("CG", D_FEED)
    chance.act(0)
    assert chance.state.status[2] == STARVED


def test_LW_FOD_03_a_fed_faction_brings_back_three() -> None:
    city = scene().put("A1", 0).hand("CG", F=1, B=3)
    for f in (1, 2, 3, 4, 10):
        city.state.status[f] = STARVED
    city.state.starved_now[4] = 1
    city.state.at, city.state.fed = 0, 1
    for option in (1, 2, 2):
        assert not regaining(*city.records) and city.state.decision == D_REGAIN
        city.act(option)
    assert regaining(*city.records) and city.hex_of(10) == "A1" and city.cards_of("CG") == "B"
    city.state.back = 0
    city.skaven("A6")
    assert regaining(*city.records) and city.fired("LW-FOD-03") == 3


# --- Fire and barricades ----------------------------------------------------------


def alight(city, name: str, fire: int = 1) -> int:
    k = int(city.cards.fire_of[city.at(name)])
    city.state.fire[k] = fire
    city.state.fires += 1
    return k


def burn_on(city) -> None:
    city.state.at = city.state.step = city.state.step2 = city.state.anybody = 0
    while not burning(*city.records):
        city.act(city.legal()[-1])


def test_LW_FIR_01_LW_FIR_02_worked_example_16() -> None:
    """E16: a die of 4 and two cards put the tower's fire out."""
    city = scene().put("D1", 36).put("G4", 27).hand("WZ", W=1).hand("EL", W=1).roll("fire", 4)
    k = alight(city, "D1")
    city.state.at = 0
    assert not burning(*city.records) and city.state.decision == D_QUENCH and city.legal() == [0, 1]
    burn_on(city)
    assert city.state.fire[k] == 0 and city.state.fires == 0 and city.fired("LW-FIR-02") == 1
    assert city.cards_of("WZ") == city.cards_of("EL") == "" and city.fired("LW-FIR-01") >= 1


def test_LW_FIR_03_worked_example_15() -> None:
    """E15: nobody near; burnt on the fourth turn."""
    city = scene()
    k = alight(city, "A1")
    for counter in (1, 2, 3):
        city.roll("fire", 2)
        burn_on(city)
        assert city.state.fire[k] == 1 + counter
    burn_on(city)
    assert city.state.fire[k] == BURNT and city.fired("LW-FIR-03") == 4 and city.state.fires == 0


def test_LW_FIR_04_LW_FIR_05_fire_spreads_on_a_1() -> None:
    city = scene().put("A1", 1)
    k = alight(city, "A1")
    city.roll("fire", 1, 1, 1)  # the attempt, the spread, which neighbour
    burn_on(city)
    assert city.state.fires == 2 and (city.state.fire == 1).sum() == 1 and city.state.fire[k] == 2
    assert city.hex_of(1) == "A1" and city.fired("LW-FIR-04") == 1 and city.fired("LW-FIR-05") == 1
    each = scene(fire_spread_mode="each")
    k = alight(each, "A1")
    around = [int(n) for n in each.cards.fire_next[k] if n >= 0]
    each.roll("fire", *[1 for _ in around])
    burn_on(each)
    assert each.state.fires == 1 + len(around)


def test_LW_FIR_06_LW_FIR_07_what_burns_down_is_lost() -> None:
    tower, castle, embassy = scene(), scene(), scene()
    tower.state.box_at = 2
    for city, name in ((tower, "D1"), (castle, "C1"), (embassy, "F1")):
        alight(city, name, 4)
        burn_on(city)
        assert city.fired("LW-FIR-07") == 1
    assert tower.state.artefact_lost.tolist() == [1, 0, 1, 1]
    assert castle.state.queen == castle.state.brunhilde == castle.at("C2") and embassy.state.hair == 2
    house = scene()
    k = int(house.cards.house_fire[0])
    house.state.fire[k], house.state.fires = 4, 1
    burn_on(house)
    assert house.state.fire[k] == BURNT and house.fired("LW-FIR-06") == 1


def test_LW_BAR_01_LW_BAR_02_a_commander_builds_on_its_sides() -> None:
    city = scene().put("131", 0).hand("CG", P=2)
    options = city.ask("CG", D_BUILD)
    sides = [int(city.cards.side[3, city.at("131"), w]) for w in range(6)]
    assert options == [0, *(w + 1 for w in range(6) if sides[w] in (1, 2))] and 3 in sides
    city.act(options[1])
    assert city.cards_of("CG") == "P" and city.state.pieces == 23 and options[1] not in city.ask("CG", D_BUILD)
    city.state.stun[0] = 1
    assert len(city.ask("CG", D_BUILD)) > 1, "stunned does not matter"
    city.state.ctrl[0] = WZ
    assert city.ask("CG", D_BUILD) == [0] and city.fired("LW-BAR-01") == 1 and city.fired("LW-BAR-02") == 1
    empty = scene(barricade_cost=2).put("131", 0).hand("CG", P=1)
    assert not may_build(*empty.records, Z(0), Z(0))


def test_LW_BAR_03_LW_BAR_04_an_older_barricade_is_destroyed() -> None:
    city = scene().put("132", 17)
    barricade(city, "131", "132")
    barricade(city, "132", "133", fresh=True)
    assert city.ask("PG", D_BUILD) == [0, 7] and city.ask("CG", D_BUILD) == [0]
    city.ask("PG", D_BUILD)
    city.act(7)
    assert city.state.barricade[city.at("131")] == 0 and city.state.pieces == 22 and city.state.returning == 1
    ending.timers(city.state, city.cards)
    assert city.state.pieces == 23 and city.fired("LW-BAR-03") == 1 and city.fired("LW-BAR-04") == 1


# --- Wizards ----------------------------------------------------------------------


def cast(city, wizard: int, option: int, *answers: int, battle: bool = False) -> None:
    """A wizard's choice, and the answers to what it asks."""
    city.state.stage_magic = int(battle)
    city.ask("WZ", D_BATTLE_MAGIC if battle else D_MAGIC, wizard=wizard, at=wizard)
    city.act(option)
    for answer in answers:
        city.act(answer)


def test_LW_WIZ_01_LW_WIZ_02_one_spell_a_wizard_and_turn() -> None:
    city = scene().put("D1", 36, 37, 38).hand("WZ", H=2)
    city.state.wounds[36] = 1
    city.state.stun[38] = 1
    city.state.at = 0
    assert not casting(city.state, city.cards, D_MAGIC) and city.state.wizard == 0
    cast(city, 0, 1, int(city.at("D1")))
    assert not casting(city.state, city.cards, D_MAGIC) and city.state.wizard == 1
    city.state.at = 2
    assert casting(city.state, city.cards, D_MAGIC), "stunned"
    city.state.at, city.state.stage_magic = 0, 1
    casting(city.state, city.cards, D_BATTLE_MAGIC)
    assert city.state.wizard == 1 and city.fired("LW-WIZ-01") == 1 and city.fired("LW-WIZ-02") == 1


def test_LW_WIZ_03_LW_WIZ_07_any_cards_are_those_of_which_most_are_left() -> None:
    city = scene().put("D1", 36).hand("WZ", A=4, P=2, F=2)
    city.skaven("59")
    cast(city, 0, 4, int(city.at("59")))
    assert city.cards_of("WZ") == "APFF" and city.fired("LW-WIZ-03") == 1 and city.fired("LW-WIZ-07") == 1


def test_LW_WIZ_04_healing() -> None:
    city = scene().put("D1", 36).put("G1", 27).hand("WZ", H=1)
    city.state.wounds[27] = 2
    city.ask("WZ", D_MAGIC, wizard=0)
    city.put("G4", 45)
    leave_map(city.state, city.cards, Z(27), TEMPLE)
    city.put("G4", 27)
    city.state.wounds[27] = 2
    cast(city, 0, 1, int(city.at("G4")))
    assert city.state.wounds[27] == 3 and city.fired("LW-WIZ-04") == 1
    assert not may_cast(*city.records, Z(0), Z(0))


def test_LW_WIZ_05_a_wall_of_water_closes_two_sides_for_three_turns() -> None:
    city = scene().put("131", 36, 1).hand("WZ", W=2, P=1)
    d = int(way(city, "131", "132"))
    cast(city, 0, 2, d)
    from tests.games.lowenheim.plain_battle import go

    assert go(city, 1, "132", 1) == ("131", 1) and city.fired("LW-WIZ-05") == 1
    for turn, wet in ((1, True), (2, True), (3, False)):
        city.state.turn = turn
        ending.timers(city.state, city.cards)
        assert bool(city.state.wet.any()) is wet, turn


def test_LW_WIZ_06_a_fireball() -> None:
    city = scene().put("59", 36).hand("WZ", A=2)
    rat = city.skaven("59")[0]
    city.roll("magic", 6, 4)
    cast(city, 0, 3, int(city.at("59")))
    assert city.state.hex[rat] < 0 and city.dice_left == 0 and city.fired("LW-WIZ-06") == 1


def test_LW_WIZ_08_worked_example_1() -> None:
    """E1: Fast Food with x = 2."""
    city = scene().put("59", 36, 1, 2).hand("WZ", F=3, P=3)
    cast(city, 0, 5)
    assert city.state.decision == D_POWER and city.legal() == [1, 2]
    city.act(2)
    assert city.cards_of("WZ") == "PPP" and [int(move_of(*city.records, Z(f))) for f in (36, 1, 2)] == [4, 4, 4]
    assert city.fired("LW-WIZ-08") == 1


def test_LW_WIZ_09_morale() -> None:
    city = scene().put("59", 36, 1).hand("WZ", P=3)
    cast(city, 0, 5, 2, battle=True)
    assert fight_of(*city.records, Z(1)) == 6 and city.cards_of("WZ") == "" and city.fired("LW-WIZ-09") == 1


def test_LW_WIZ_10_LW_WIZ_11_LW_WIZ_12_mind_control() -> None:
    city = scene().put("59", 36, 0, 10, 1).put("A1", 2).hand("WZ", A=3, P=3, F=3, W=3)
    city.skaven("59")
    for _ in range(2):
        cast(city, 0, 6, int(city.at("59")))
        assert city.state.decision == D_VICTIM
        city.act(city.legal()[-1])
    assert city.state.ctrl[0] == WZ and city.state.ctrl[10] == WZ and city.hex_of(0) == "59"
    assert commander_hex(city.state, city.cards, Z(0)) == -1
    cast(city, 0, 6, int(city.at("59")), 1)
    assert city.state.controlled.tolist() == [0, 10, 81] and city.state.their_number == 0
    assert not may_cast(*city.records, Z(6), Z(0)), "three at most"
    for rule in ("LW-WIZ-10", "LW-WIZ-11", "LW-WIZ-12"):
        assert city.fired(rule) == 3


def test_LW_WIZ_13_control_breaks_by_and_by() -> None:
    city = scene().put("59", 36, 1).hand("WZ", A=1, P=1, F=1, W=1)
    cast(city, 0, 6, int(city.at("59")))
    if city.state.decision == D_VICTIM:
        city.act(city.legal()[0])
    for die in (5, 4, 3):
        city.roll("magic", die)
        break_controls(city.state, city.cards)
        assert city.state.ctrl[1] == WZ
    city.roll("magic", 3)
    break_controls(city.state, city.cards)
    assert city.state.ctrl[1] == 0 and city.state.controlled.tolist() == [-1, -1, -1] and city.fired("LW-WIZ-13") == 4


def test_LW_WIZ_14_steal_resources() -> None:
    city = scene().put("59", 36).hand("WZ", A=2).hand("CA", F=4)
    cast(city, 0, 7)
    assert city.state.decision == D_ROB and city.legal() == [5]
    city.act(5)
    assert city.cards_of("WZ") == "FFFF" and city.cards_of("CA") == "" and city.fired("LW-WIZ-14") == 1
    full = scene().put("59", 36).hand("WZ", A=8).hand("CA", F=4)
    assert not may_cast(*full.records, Z(7), Z(0))
    little = scene(steal_max=1).put("59", 36).hand("WZ", A=2).hand("CA", F=4)
    cast(little, 0, 7, 5)
    assert little.cards_of("WZ") == "F"


def test_LW_WIZ_15_bees_and_ents_appear_next_door() -> None:
    city = scene().put("59", 36, 37).hand("WZ", A=3, F=4)
    empty = int(way(city, "59", "58"))
    cast(city, 0, 8, empty)
    assert [city.hex_of(f) for f in (63, 64, 65)] == ["58"] * 3 and int(city.state.marks[63]) == NO_MOVE
    other = next(w for w in range(6) if w in city_legal_directions(city, 9))
    cast(city, 1, 9, other)
    assert city.hex_of(75) and city.fired("LW-WIZ-15") == 2
    for f in range(63, 63 + BEES):
        city.state.hex[f] = 1
    city.hand("WZ", A=1, F=2)
    assert not may_cast(*city.records, Z(8), Z(0)), "no bees left"


def city_legal_directions(city, option: int) -> list[int]:
    from simlab.games.lowenheim.wizards import may_face

    return [w for w in range(6) if may_face(city.state, city.cards, Z(option), Z(1), Z(w))]


def test_LW_WIZ_16_LW_WIZ_17_the_mask() -> None:
    city = scene().put("D1", 36, 37)
    wearing(city.state, city.cards)
    assert city.state.decision == D_WEAR and city.legal() == [0, 1, 2]
    city.act(2)
    assert int(city.state.marks[37]) & BUSY and city.state.mask_worn and city.state.artefact_public[MASK]
    assert not able(city.state, Z(37)) and city.fired("LW-WIZ-16") == 1 and city.fired("LW-WIZ-17") == 1


def test_LW_WIZ_18_the_box_saves_near_its_bearer() -> None:
    city = scene().put("D1", 38, 1).hand("WZ", P=2)
    cast(city, 2, int(BOX_9))
    assert city.state.box_at == 3 and city.state.cast == 0 and not city.state.artefact_public[1]
    using_box(city.state)
    assert city.state.decision == D_BOX
    city.act(1)
    assert city.cards_of("WZ") == "" and city.state.box_used
    city.roll("combat", 5)
    assert not suffer(city.state, city.cards, Z(1), Z(15), Z(-1)) and city.hex_of(1) == "D1"
    city.roll("combat", 4)
    assert suffer(city.state, city.cards, Z(1), Z(15), Z(-1)) and city.state.status[1] == TEMPLE
    leave_map(city.state, city.cards, Z(38), TEMPLE)
    assert city.state.box_at == 3
    leave_map(city.state, city.cards, Z(38), DEAD)
    assert city.state.artefact_lost[1] and city.fired("LW-WIZ-18") >= 3


def test_LW_WIZ_19_the_altar() -> None:
    city = scene().put("D1", 36)
    cast(city, 0, int(ALTAR_9))
    assert city.hex_of(62) == "D1" and int(city.state.marks[36]) & BUSY and int(city.state.marks[62]) & NO_MOVE
    assert city.state.artefact_public[2] and city.fired("LW-WIZ-19") == 1
    city.put("D1", 37)
    assert int(ALTAR_9) not in city.ask("WZ", D_MAGIC, wizard=1), "one demon at a time"


def test_LW_WIZ_21_LW_WIZ_22_worked_example_3() -> None:
    """E3: the teleporter dies on the first use with 1, on the second with 2."""
    for dice in ((1,), (2, 2)):
        city = scene().put("D1", 36, 1)
        city.state.masks[0] = 63
        for n, die in enumerate(dice):
            assert not city.state.artefact_lost[TELEPORTER]
            city.roll("magic", die)
            city.state.marks[36] = 0
            cast(city, 0, int(OUT_9 if n == 0 else IN_9), int(city.at("100")))
            assert city.hex_of(1) == ("100" if n == 0 else "D1") and city.hex_of(36) == "D1"
        assert city.state.artefact_lost[TELEPORTER] and city.fired("LW-WIZ-22") == len(dice)
    denied = scene().put("D1", 36, 1)
    assert int(OUT_9) not in denied.ask("WZ", D_MAGIC, wizard=0)
    denied.put("D1", 37)
    assert int(OUT_9) in denied.ask("WZ", D_MAGIC, wizard=0)
    denied.skaven("D1")
    assert int(OUT_9) not in denied.ask("WZ", D_MAGIC, wizard=0) and city.fired("LW-WIZ-21") == 2


def test_LW_WIZ_23_wizards_eat_nothing() -> None:
    city = scene().put("D1", 36)
    city.state.at = WZ
    assert feeding(*city.records) and city.fired("LW-WIZ-23") == 1


# --- Werewolf, Air Spirit, hostility ----------------------------------------------


def test_LW_WLF_01_LW_WLF_02_worked_example_18() -> None:
    """E18: refused on turn 4, a werewolf on turns 5 to 9."""
    city = scene().put("E1", 39).hand("BR", F=1)
    city.state.turn = 4
    ask_wolf(city.state)
    assert city.state.decision == D_WOLF and city.legal() == [0, 1]
    city.act(0)
    assert city.state.wolf_until == 9 and city.state.wolf_public and city.fired("LW-WLF-02") == 1
    for turn in range(5, 10):
        city.state.turn = turn
        city.state.decision = -1
        ask_wolf(city.state)
        assert city.state.decision == -1
        assert (
            int(fight_of(*city.records, JEAN_JACQUES)),
            int(toughness_of(city.state, city.cards, JEAN_JACQUES)),
        ) == (6, 8)
        ending.timers(city.state, city.cards)
    assert fight_of(*city.records, JEAN_JACQUES) == 4
    city.state.turn = 10
    ask_wolf(city.state)
    assert city.state.decision == D_WOLF and city.fired("LW-WLF-01") == 2
    in_temple = scene()
    ask_wolf(in_temple.state)
    assert in_temple.state.decision == -1


def wolf(city, *at: str):
    city.put("100", 39)
    city.state.wolf_until, city.state.kind[39] = 9, 22
    return city


def test_LW_WLF_03_LW_WLF_04_LW_WLF_05_the_wolf_rages_on_a_1() -> None:
    city = wolf(scene().put("102", 40))
    city.roll("temper", 2)
    orders.begin_slot(*city.records, BR)
    assert not rages(city.state, JEAN_JACQUES) and city.hex_of(39) == "100"
    city.roll("temper", 1)
    orders.begin_slot(*city.records, BR)
    assert rages(city.state, JEAN_JACQUES) and city.hex_of(39) == "102", "towards the nearest Bretonnian"
    assert commander_hex(city.state, city.cards, BR) == -1
    city.roll("combat", 6, 1, 6, 4)
    raging_attacks(*city.records)
    assert city.state.status[40] == TEMPLE
    city.state.ctrl[39] = WZ
    assert not rages(city.state, JEAN_JACQUES)
    for rule, times in (("LW-WLF-03", 2), ("LW-WLF-04", 2), ("LW-WLF-05", 3)):
        assert city.fired(rule) == times
    calm = wolf(scene(rage_max=0)).roll("temper", 1)
    orders.begin_slot(*calm.records, BR)
    assert not int(calm.state.marks[39]) & RAGING


def test_LW_AIR_01_LW_AIR_02_the_rite_brings_the_air_spirit() -> None:
    city = scene().put("F1", 45).hand("CA", F=6)
    orders.ask_rite(city.state, city.cards)
    assert city.state.decision == D_RITE
    city.act(1)
    assert not able(city.state, WEN) and city.state.rite
    orders.finish_rite(*city.records)
    assert city.hex_of(61) == "F1" and city.state.hair == 1 and city.state.hair_public
    city.state.decision = -1
    city.state.marks[45] = 0
    orders.ask_rite(city.state, city.cards)
    assert city.state.decision == -1, "once a game"
    gone = scene().put("F1", 45)
    gone.ask("CA", D_RITE)
    gone.act(1)
    leave_map(gone.state, gone.cards, WEN, TEMPLE)
    orders.finish_rite(*gone.records)
    assert gone.state.hair == 0 and gone.state.hex[61] < 0
    assert city.fired("LW-AIR-01") == 2 and city.fired("LW-AIR-02") == 1
    from simlab.games.lowenheim.march import is_flyer

    assert is_flyer(scene(air_spirit_flies=True).knobs, Z(61)) and not is_flyer(scene().knobs, Z(61))


@pytest.mark.parametrize(("seat", "foe", "rule", "die"), [(EL, CA, "LW-HOS-01", 1), (CA, EL, "LW-HOS-02", 2)])
def test_LW_HOS_01_LW_HOS_02_LW_HOS_03_outbursts(seat: int, foe: int, rule: str, die: int) -> None:
    ours, theirs = (28, 46) if seat == EL else (46, 28)
    city = scene().put("100", ours).put("101", theirs)
    city.roll("temper", die + 1)
    orders.begin_slot(*city.records, seat)
    assert city.fired(rule) == 1 and able(city.state, Z(ours))
    city.roll("temper", die).roll("combat", 6, 1, 6, 4)
    orders.begin_slot(*city.records, seat)
    assert city.state.status[theirs] == TEMPLE and not able(city.state, Z(ours)) and city.dice_left == 0
    away = scene().put("100", ours).put("103", theirs)
    orders.begin_slot(*away.records, seat)
    assert away.fired(rule) == 0 and city.fired("LW-HOS-03") == 2


# --- Tokens, escape, leadership, secrets ------------------------------------------


def test_LW_QUE_01_the_queen_goes_with_alavandrel() -> None:
    city = scene().put("C1", 27)
    orders.ask_queen(city.state)
    assert city.state.decision == D_QUEEN
    city.act(1)
    from simlab.games.lowenheim.board import bring

    bring(city.state, city.cards, ALAVANDREL, city.at("C2"))
    assert city.state.queen == city.at("C2") and city.fired("LW-QUE-01") == 1
    leave_map(city.state, city.cards, ALAVANDREL, TEMPLE)
    assert city.state.queen == city.at("C2") and not city.state.queen_escorted


def test_LW_QUE_02_LW_QUE_03_captures_and_brunhilde() -> None:
    city = scene().put("C1", 16)
    orders.ask_brunhilde(city.state)
    assert city.state.decision == D_BRUNHILDE
    city.act(1)
    from simlab.games.lowenheim.board import bring

    bring(city.state, city.cards, SIGIS, city.at("C3"))
    assert city.state.brunhilde == city.at("C3") and city.state.brunhilde_with
    city.skaven("C1")
    ending.losses(city.state, city.cards)
    assert city.state.queen_captured and not city.state.brunhilde_captured
    leave_map(city.state, city.cards, SIGIS, TEMPLE)
    city.skaven("C3")
    ending.losses(city.state, city.cards)
    assert city.state.brunhilde_captured and city.fired("LW-QUE-02") == 1 and city.fired("LW-QUE-03") == 2


def tunnel(city) -> None:
    """Sigisbiduwald gets the order to run."""
    orders.form_groups(city.state, city.cards, PG)
    orders.next_group(city.state, city.cards, PG)
    assert city.state.decision == D_ORDER
    city.act(int(city.cards.n_hexes) + 1)


def test_LW_ESC_01_out_by_the_tunnel_with_brunhilde() -> None:
    city = scene().put("T", 16)
    city.state.brunhilde_with = 1
    tunnel(city)
    assert city.state.status[16] == ESCAPED and city.state.escaped_with and city.state.brunhilde == -1
    assert city.fired("LW-ESC-01") == 1
    blocked = scene().put("T", 16)
    blocked.skaven("T")
    tunnel(blocked)
    assert blocked.hex_of(16) == "T"


def test_LW_ESC_02_a_public_tunnel_is_watched() -> None:
    city = scene().put("T", 16).put("H1", 46)
    city.state.tunnel_public = 1
    tunnel(city)
    assert city.hex_of(16) == "T" and city.fired("LW-ESC-02") == 1
    alone = scene().put("T", 16, 17)
    alone.state.tunnel_public = 1
    tunnel(alone)
    assert alone.state.status[16] == ESCAPED


def finish(city, turn: int = 15) -> int:
    """The end of a turn; returns the ending."""
    city.state.turn = turn
    ending.end_turn(*city.records)
    return int(city.state.ending)


def score(city, seat: int) -> int:
    return int(ending.final_score(*city.records, Z(seat)))


def test_LW_ESC_03_LW_SCO_03_an_escape_from_a_city_that_holds_is_lynched() -> None:
    city = scene().put("A1", 0)
    leave_map(city.state, city.cards, SIGIS, ESCAPED)
    assert finish(city) == HOLD_END and score(city, PG) == -10 and city.fired("LW-ESC-03") == 1


def test_LW_ESC_04_the_legend_is_a_switch() -> None:
    for legend in (False, True):
        city = scene(knight_eternal_legend=legend).put("B1", 16)
        city.skaven("131", 6)
        assert finish(city, 3) == (0 if legend else OUTNUMBERED_END) and city.fired("LW-ESC-04") == legend


def test_LW_LED_01_votes_and_dead_leaders() -> None:
    for palace, leader in ((2, 0), (3, 0), (4, 1)):
        city = scene().put("A1", 0).put("B1", 16)
        city.state.votes[:palace], city.state.at = 1, 6
        assert rules.voting(city.state) and city.state.leader == leader
    city = scene().put("A1", 0).put("B1", 16)
    leave_map(city.state, city.cards, Z(0), DEAD)
    assert city.state.leader == 1
    leave_map(city.state, city.cards, SIGIS, ESCAPED)
    replace_leader(city.state)
    assert city.state.leader == 0 and city.fired("LW-LED-01") == 2


def test_LW_LED_02_the_leader_names_the_first_seat() -> None:
    city = begun()
    city.state.leader = 1
    rules.rare_steps(*city.records, Z(12), Z(0))
    assert int(city.state.seat) == 1 and city.legal() == [0, 1, 2, 3, 4, 5] and city.fired("LW-LED-02") == 1
    assert city.state.leader_turns.tolist() == [0, 1]


def test_LW_BLK_01_LW_BLK_02_LW_BLK_03_pressure() -> None:
    city = scene().hand("BR", B=1).hand("WZ", A=1).hand("CA", F=1).hand("EL", A=5)
    city.state.at = 0
    assert not pressing(city.state, city.knobs) and city.state.decision == D_PRESS and city.legal() == [0, 1, 2, 3]
    city.act(1)
    assert int(city.state.seat) == BR and city.legal() == [0, 6]
    city.act(0).act(1)
    assert city.state.wolf_public and not is_secret(city.state, Z(0)) and city.fired("LW-BLK-03") == 1
    assert not pressing(city.state, city.knobs) and int(city.state.seat) == WZ and city.legal() == [0, 3]
    city.act(3).act(3)
    assert city.cards_of("WZ") == "AF" and city.state.known[CA, WZ, 2] == 1
    for turn, may in ((4, False), (5, True)):
        city.state.turn = turn
        city.hand("CA", F=1)
        assert bool(may_press(city.state, city.knobs, WZ, Z(3))) is may
    assert city.fired("LW-BLK-01") == city.fired("LW-BLK-02") == 2
    off = scene(blackmail=False).hand("BR", B=1)
    assert pressing(off.state, off.knobs)


def test_LW_BLK_03_artefacts_come_out_one_by_one() -> None:
    city = scene().hand("WZ", A=1).hand("EL")
    city.ask("EL", D_PRESS, turn=3)
    city.act(2).act(0).act(1)
    assert city.state.artefact_public.tolist() == [1, 0, 0, 0]


# --- The end and the scores -------------------------------------------------------


def test_LW_END_01_LW_END_05_a_plundered_tower_loses_its_artefacts() -> None:
    city = scene().put("A1", 0)
    city.skaven("D1")
    assert finish(city, 3) == 0 and city.state.plundered and city.state.artefact_lost.tolist() == [1, 1, 1, 1]
    assert city.fired("LW-END-01") == 1 and city.fired("LW-END-05") == 1


def test_LW_END_02_worked_example_19() -> None:
    """E19: the gate has to be held two turns in a row."""
    city = begun()
    city.skaven("M1")
    for turn, guard, counter in ((6, False, 1), (7, True, 0), (8, False, 1), (9, False, 2)):
        if guard:
            city.put("M1", 79)
        result = finish(city, turn)
        if guard:
            leave_map(city.state, city.cards, Z(79), 8)
        assert city.state.gate_turns == counter and result == (GATE_END if turn == 9 else 0)


def test_LW_END_02_places_and_numbers() -> None:
    few = scene().put("A1", 0)
    few.skaven("131", 2)
    assert finish(few, 4) == OUTNUMBERED_END and few.state.over
    three = scene().put("A1", *range(6)).put("A2", *range(6, 10))
    for name in ("H1", "E1", "M1"):
        three.skaven(name, 2)
    assert finish(three, 4) == PLACES_END


def test_LW_END_03_LW_END_04_the_city_holds_after_the_last_turn() -> None:
    city = begun()
    assert finish(city, 14) == 0
    assert finish(city, 15) == HOLD_END and city.fired("LW-END-03") == 1 and city.fired("LW-END-04") == 1
    late = scene().put("A1", 0)
    late.skaven("131", 6)
    assert finish(late, 15) == OUTNUMBERED_END


def held(**fields):
    """A city that has held for 15 turns."""
    city = begun()
    for name, value in fields.items():
        setattr(city.state, name, value)
    city.state.turn, city.state.ending = 15, HOLD_END
    return city


def parts(city, seat: int) -> list[int]:
    return [int(ending.component(city.state, city.cards, Z(seat), Z(which), Z(15))) for which in range(4)]


def test_LW_SCO_01_LW_SCO_02_worked_example_20() -> None:
    """E20: leader on 10 turns, the poor area on 13."""
    city = held(poor_turns=13)
    city.state.leader_turns[0] = 10
    assert parts(city, 0) == [2, 5, 0, 0] and score(city, 0) == 17
    ending.count_scores(city.state)
    assert city.fired("LW-SCO-01") == city.fired("LW-SCO-02") == 1


def test_LW_SCO_03_palace_guard() -> None:
    city = held(jousting_turns=15)
    assert parts(city, PG) == [6, 2, 2, 0]
    city.state.statue, city.state.status[16] = 1, DEAD
    assert parts(city, PG) == [6, 1, 0, 0]
    city.state.statue = 2
    assert parts(city, PG) == [6, -2, 0, 0]


def test_LW_SCO_04_elves() -> None:
    city = held(queen_turns=15, queen_captured=1, defended=5)
    for f in range(46, 54):
        leave_map(city.state, city.cards, Z(f), STARVED)
    assert parts(city, EL) == [5, -5, 3, 2]
    crew = held()
    for f in range(46, 50):
        leave_map(crew.state, crew.cards, Z(f), CREW)
    assert parts(crew, EL)[3] == 0
    saved = scene().put("131", 1).put("132", 28)
    rat = saved.skaven("133")[0]
    saved.put("132", 2)
    from simlab.games.lowenheim.board import go_down

    go_down(saved.state, saved.cards, rat, EL)
    assert saved.state.defended == 1 and saved.fired("LW-SCO-04") == 1


def test_LW_SCO_05_wizards() -> None:
    city = held(tower_turns=15)
    city.state.artefact_public[0], city.state.artefact_lost[1] = 1, 1
    assert parts(city, WZ) == [3, 2, 2, 0]
    city.state.plundered = 1
    assert parts(city, WZ)[:2] == [0, 0]


def test_LW_SCO_06_bretonnians() -> None:
    city = held(embassy_turns=15, secret_turns=14)
    assert parts(city, BR) == [6, 3, 4, 0]
    city.state.fire[city.cards.fire_of[city.at("E1")]] = BURNT
    assert parts(city, BR)[1] == 0 and score(city, BR) == 20


def test_LW_SCO_07_cathay() -> None:
    city = held(cathay_turns=15)
    assert parts(city, CA) == [5, 1, 0, 2]
    for f in range(28, 36):
        leave_map(city.state, city.cards, Z(f), LOST)
    assert parts(city, CA)[2] == 2
    for hair, public, needed, points in ((0, 1, 0, 1), (1, 1, 1, 1), (1, 1, 0, 0), (2, 0, 0, 0)):
        city.state.hair, city.state.hair_public, city.state.hair_needed = hair, public, needed
        assert parts(city, CA)[3] == points


def test_LW_SCO_08_LW_SCO_09_a_fallen_city_and_who_wins() -> None:
    city = held(poor_turns=15, jousting_turns=15)
    assert int(ending.winners_of(*city.records)) == 1 << PG
    city.state.ending = GATE_END
    assert [score(city, seat) for seat in range(6)] == [0] * 6 and int(ending.winners_of(*city.records)) == 0
    for with_her, points, winners in ((1, 15, 1 << PG), (0, 8, 0)):
        city.state.status[16], city.state.escaped_with = ESCAPED, with_her
        assert score(city, PG) == points and int(ending.winners_of(*city.records)) == winners
    ending.count_scores(city.state)
    assert city.fired("LW-SCO-08") == 1 and city.fired("LW-SCO-09") == 1
    assert int(ending.lone(Z(0))) == -1 and int(ending.lone(Z(6))) == -2 and int(ending.lone(Z(4))) == 2


# --- Kingmakers -----------------------------------------------------------------


def test_a_vote_that_decides_who_wins_is_told() -> None:
    """CG led all 15 turns; had PG led the last five, it would have had 2 points for that instead of 4."""
    city = held(poor_turns=15)
    city.state.leader_turns[0] = 15
    assert int(ending.winners_of(*city.records)) == 1
    city.state.embassy_turns, city.state.secret_turns = 15, 0
    assert score(city, 0) == 20
    assert score(city, BR) == 19
    assert int(ending.winners_by_other_vote(*city.records)) == 1 << BR
    assert city.state.leader_turns[0] == 15
    city.state.embassy_turns = 10
    assert int(ending.winners_by_other_vote(*city.records)) == 1


def test_a_secret_made_public_that_decides_who_wins_is_told() -> None:
    """BR's wolf was made public in turn 6, after five turns as a secret."""
    city = held(poor_turns=15, embassy_turns=10, secret_turns=5, wolf_public=1)
    city.state.leader_turns[0] = 13
    assert (score(city, 0), score(city, BR)) == (19, 18)
    assert int(ending.winners_without_reveals(*city.records)) == 1  # an open change made it public, no refusal
    city.state.revealed[0] = 6
    assert int(ending.winners_without_reveals(*city.records)) == 1 << BR
    assert (city.state.secret_turns, city.state.wolf_public) == (5, 1)


def test_artefacts_made_public_after_a_refusal_are_told_from_those_used() -> None:
    city = held(poor_turns=15, tower_turns=15)
    city.state.artefact_public[:] = [1, 1, 0, 0]
    assert (score(city, 0), score(city, WZ)) == (16, 17)
    city.state.leader_turns[0] = 15
    assert (score(city, 0), int(ending.winners_of(*city.records))) == (20, 1)
    city.state.leader_turns[0] = 9
    city.state.revealed[2] = 1
    assert (score(city, 0), score(city, WZ)) == (18, 17)
    assert int(ending.winners_without_reveals(*city.records)) == 1 | 1 << WZ
    assert city.state.artefact_public[:2].tolist() == [1, 1]
