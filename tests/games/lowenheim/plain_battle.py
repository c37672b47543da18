"""Intruders, movement and combat (LW-ENM, LW-MOV, LW-CMB), by rule."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.lowenheim.board import move_of, overrun
from simlab.games.lowenheim.combat import (
    ENEMIES,
    NO_TARGET,
    OF_ROSTER,
    all_attacks,
    area_attack,
    attack,
    begin_combat,
    enemy_combat,
    fighting,
    find_target,
    has_any,
    is_free,
    refused,
    supported,
    wake,
)
from simlab.games.lowenheim.ending import losses
from simlab.games.lowenheim.intruders import activate, aim_of, arrive, open_house, place_troop
from simlab.games.lowenheim.march import fly, march, may_pass
from simlab.games.lowenheim.orders import form_groups, next_group
from simlab.games.lowenheim.state import (
    BURNT,
    COMBAT_STREAM,
    D_COUNT,
    D_FIGHT,
    D_ORDER,
    DONE,
    ENEMY_COMBAT,
    INTRUDER_COMBAT_STREAM,
    MAGIC_STREAM,
    RAGING,
    RESERVE,
    TEMPLE,
    WZ,
)
from simlab.games.lowenheim.upkeep import destroyable, intruders_break
from simlab.registry import load_game
from tests.games.lowenheim.scene import begun, scene

Z = np.int64
OWN = Z(6)


def way(city, start: str, end: str) -> np.int64:
    """Direction from a hex to a neighbour."""
    return Z(city.cards.beside[city.at(start)].tolist().index(int(city.at(end))))


def barricade(city, start: str, end: str, fresh: bool = False) -> None:
    there = way(city, start, end)
    for h, w in ((city.at(start), there), (city.at(end), (there + 3) % 6)):
        city.state.barricade[h] |= 1 << int(w)
        if fresh:
            city.state.fresh[h] |= 1 << int(w)
    city.state.pieces -= 1


def go(city, f: int, target: str, allowance: int | None = None) -> tuple[str, int]:
    """A march; returns where it ends, and what is left."""
    allowance = int(move_of(*city.records, Z(f))) if allowance is None else allowance
    left = march(*city.records, Z(f), city.at(target), Z(allowance))
    return city.hex_of(f), int(left)


# --- Intruders --------------------------------------------------------------------


def test_LW_ENM_01_LW_ENM_03_LW_ENM_04_LW_ENM_12_worked_example_13() -> None:
    """E13: the first troop, out of house 24, aims at the Main Gate."""
    city = begun(plan=0)
    for _f in (6, 7, 8, 9):  # the City Guard's plan 1
        city.state.plans[0] = 1
    city.state.ogres_pending = 1
    city.roll("arrival", 5, 4, 3, 2, 2, 4, 2)
    arrive(*city.records)
    heads = {name: int(city.state.their_heads[city.at(name)]) for name in ("166", "150", "167", "182")}
    assert heads == {"166": 6, "150": 6, "167": 3, "182": 0} and city.state.their_number == 15
    assert int(city.state.kind[81]) != int(city.state.kind[82]) and city.hex_of(81) == "166"
    assert set(city.state.aim[:15].tolist()) == {7} and city.state.ogres_pending == 0
    for rule in ("LW-ENM-01", "LW-ENM-03", "LW-ENM-04", "LW-ENM-12"):
        assert city.fired(rule) == 1


def test_LW_ENM_02_LW_FIR_06_a_burnt_house_is_buried() -> None:
    city = scene()
    city.state.fire[city.cards.house_fire[35]] = BURNT
    assert open_house(city.state, city.cards, Z(35)) == 0, "66 wraps to 11"
    city.state.fire[:] = BURNT
    assert open_house(city.state, city.cards, Z(3)) == -1 and city.fired("LW-ENM-02") == 37


def test_LW_ENM_03_what_finds_no_room_does_not_come() -> None:
    city = scene(intruder_cap=60)
    place_troop(*city.records, Z(3), Z(7), Z(0), Z(70))
    assert city.state.their_number == 60 and (city.state.theirs <= 6).all()
    assert not any(city.state.their_heads[h] and city.cards.enclosed[h] for h in range(int(city.cards.n_hexes)))


def test_LW_ENM_04_nearest_second_and_named_places() -> None:
    city = scene()
    assert aim_of(city.state, city.cards, Z(9), Z(0)) == 7  # house 24: the Main Gate is 3 away
    assert aim_of(city.state, city.cards, Z(9), Z(1)) == 0
    assert aim_of(city.state, city.cards, Z(9), Z(3 + 4)) == 4


def test_LW_ENM_05_a_stunned_figure_is_skipped_and_one_in_contact_stays() -> None:
    city = scene().put("131", 1)
    rat, other = city.skaven("131", 2)
    city.state.stun[other] = 1
    for f in (rat, other):
        activate(*city.records, f)
    assert city.hex_of(rat) == city.hex_of(other) == "131" and city.fired("LW-ENM-05") == 2


def test_LW_ENM_06_a_held_aim_is_left_for_the_nearest_place() -> None:
    city = scene()
    city.skaven("M1", 3)
    rat = city.skaven("166")[0]
    city.state.aim[rat - 81] = 7
    activate(*city.records, rat)
    assert city.state.aim[rat - 81] == 0 and city.fired("LW-ENM-06") == 1
    city.state.config = 0  # both bridges down: the Castle is out of reach
    city.state.aim[rat - 81] = 2
    activate(*city.records, rat)
    assert city.state.aim[rat - 81] == 0


def test_LW_ENM_07_a_defender_next_to_it_lures_it() -> None:
    city = scene().put("134", 1)
    rat = city.skaven("133")[0]
    city.state.aim[rat - 81] = 0
    activate(*city.records, rat)
    assert city.hex_of(rat) == "134" and city.fired("LW-ENM-07") == 1
    city = scene(lure=0).put("134", 1)
    rat = city.skaven("133")[0]
    city.state.aim[rat - 81] = 0
    activate(*city.records, rat)
    assert city.hex_of(rat) != "134"


def test_LW_ENM_08_a_gate_is_a_barricade_for_intruders() -> None:
    city = scene()
    rat = city.skaven("163")[0]
    assert go(city, rat, "A2", 2) == ("A2", 0)
    far = city.skaven("164" if city.cards.number_of[164] >= 0 else "147")[0]
    assert go(city, far, "A2", 2) == ("163", 1), "not with a move spent"
    open_gates = scene(gate_mode="open")
    rat = open_gates.skaven("163")[0]
    assert go(open_gates, rat, "A1", 2) == ("A1", 0)


def test_LW_ENM_09_every_able_intruder_attacks_a_rat_ogre_twice() -> None:
    city = scene().put("131", 0)
    ogre = city.skaven("132", ogre=True)[0]
    city.skaven("130")
    city.state.stage = ENEMY_COMBAT
    city.roll("intruder_combat", 1, 6, 1, 6, 1, 6)
    enemy_combat(*city.records)
    assert city.dice_left == 0 and city.fired("LW-ENM-09") == 2 and int(ogre) == 81


def test_LW_ENM_10_intruders_break_older_barricades() -> None:
    city = scene()
    barricade(city, "131", "132")
    barricade(city, "133", "134", fresh=True)
    city.skaven("131")
    city.skaven("133")
    intruders_break(city.state, city.cards)
    assert city.state.barricade[city.at("131")] == 0 and city.state.barricade[city.at("133")] != 0
    assert city.fired("LW-ENM-10") == 1 and city.state.returning == 1
    guarded = scene().put("132", 1)
    barricade(guarded, "131", "132")
    guarded.skaven("131")
    intruders_break(guarded.state, guarded.cards)
    assert guarded.state.barricade[guarded.at("131")] != 0


def test_LW_ENM_11_intruders_break_the_statue() -> None:
    city = scene().put("M2", 1)
    city.skaven("M2")
    losses(city.state, city.cards)
    assert city.state.statue == 0
    city = scene()
    city.skaven("M2")
    losses(city.state, city.cards)
    assert city.state.statue == 2 and city.fired("LW-ENM-11") == 1


@pytest.mark.parametrize("knob", ["skaven_fight_mod", "skaven_str_mod"])
def test_LW_ENM_12_strength_of_the_intruders_may_be_tuned(knob: str) -> None:
    from simlab.games.lowenheim.board import fight_of, strength_of

    plain, hard = scene(), scene(**{knob: 2})
    rats = [city.skaven("131")[0] for city in (plain, hard)]
    of = fight_of if knob == "skaven_fight_mod" else strength_of
    assert of(*hard.records, rats[1]) == of(*plain.records, rats[0]) + 2


def test_LW_ENM_13_no_orcs() -> None:
    names = {bytes(name).rstrip(b"\0").decode() for name in scene().cards.kind_name}
    assert not any("orc" in name.lower() for name in names)


# --- Movement ---------------------------------------------------------------------


def test_LW_MOV_01_moves_of_table_2_2() -> None:
    city = scene()
    moves = {f: int(move_of(*city.records, Z(f))) for f in (0, 1, 10, 27, 36, 61, 63, 75, 79)}
    assert moves == {0: 2, 1: 2, 10: 3, 27: 1, 36: 2, 61: 4, 63: 3, 75: 1, 79: 1}
    assert move_of(*scene(alavandrel_move=2).records, Z(27)) == 2


def test_LW_MOV_02_groups_by_hex_and_class_fixed_beforehand() -> None:
    city = scene().put("A1", 0, 1, 2, 10).put("A2", 3)
    city.state.ctrl[17], city.state.marks[17], city.state.reserve_active = 0, RESERVE, 1
    form_groups(city.state, city.cards, Z(0))
    assert city.state.queue[: city.state.queue_len].tolist() == [0, 10, 1, 2, 3]
    assert not next_group(city.state, city.cards, Z(0))
    n = int(city.cards.n_hexes)
    assert city.state.decision == D_ORDER and city.legal() == list(range(n + 1))
    city.act(n)
    next_group(city.state, city.cards, Z(0))
    city.act(n)
    next_group(city.state, city.cards, Z(0))
    city.act(int(city.at("A3")))
    assert city.state.decision == D_COUNT and city.legal() == [1, 2]
    city.act(1)
    assert city.hex_of(1) == "A3" and city.hex_of(2) == "A1"
    assert not next_group(city.state, city.cards, Z(0)), "the rest gets one more order"
    city.act(n)
    assert not next_group(city.state, city.cards, Z(0)) and city.state.queue[city.state.group_at] == 3


def test_LW_MOV_03_worked_example_10() -> None:
    """E10: three steps from the crossroads towards the Main Gate."""
    city = scene().put("136", 10)
    assert go(city, 10, "M1") == ("166", 0) and city.fired("LW-MOV-03") == 1
    alone = scene().put("136", 10)
    alone.state.config = 0
    assert go(alone, 10, "C1") == ("136", 3), "no path: it holds"


def test_LW_MOV_04_size_6_in_a_hex_and_crossing_a_full_one() -> None:
    city = scene().put("133", 10, 11, 12).put("132", 13).put("131", 1, 2)
    city.state.masks[:] = 63
    assert go(city, 13, "134") == ("134", 1), "through the full hex"
    assert go(city, 1, "133") == ("132", 1), "a full target is not entered"
    assert city.fired("LW-MOV-04") >= 2


def test_LW_MOV_05_LW_MOV_06_worked_example_11() -> None:
    """E11: one against one stops; it leaves on 1 and 2."""
    city = scene().put("52", 1)
    city.skaven("53")
    assert go(city, 1, "54") == ("53", 0) and city.fired("LW-MOV-05") == 1
    city.roll("march", 3)
    assert go(city, 1, "54") == ("53", 0)
    city.roll("march", 2)
    assert go(city, 1, "54") == ("54", 1) and city.fired("LW-MOV-06") == 2


def test_LW_MOV_05_worked_example_12_and_heads() -> None:
    """E12: cavalry is two against one."""
    city = scene().put("52", 10)
    city.skaven("53")
    assert go(city, 10, "55") == ("55", 0)
    heads = scene(outnumber_by="heads").put("52", 10)
    heads.skaven("53")
    assert go(heads, 10, "55") == ("53", 0)


def test_LW_MOV_07_passing_through_other_factions() -> None:
    for mask, die, end in ((1, 0, "54"), (0, 2, "54"), (0, 1, "53")):
        city = scene().put("52", 1).put("53", 17, 18)
        city.state.masks[1] = mask  # bit 0: CG may pass
        if die:
            city.roll("march", die)
        assert go(city, 1, "54")[0] == end and city.dice_left == 0
        assert city.fired("LW-MOV-07") == 1
    assert may_pass(*scene(permission_mode="always").put("53", 17).records, Z(1), scene().at("53"))
    never = scene(permission_mode="never").put("53", 17, 18).roll("march", 1)
    assert not may_pass(*never.records, Z(1), never.at("53"))


def test_LW_MOV_08_LW_BAR_05_a_barricade_takes_the_whole_move() -> None:
    city = scene().put("131", 1, 10)
    barricade(city, "131", "132")
    assert go(city, 1, "134") == ("132", 0) and city.fired("LW-BAR-05") == 1
    city.roll("march", 4)
    assert go(city, 10, "134") == ("131", 0)
    city.roll("march", 3)
    assert go(city, 10, "134") == ("132", 0) and city.fired("LW-MOV-08") == 3
    moved = scene().put("130", 1)
    barricade(moved, "131", "132")
    assert go(moved, 1, "133", 3)[0] in ("131", "115"), "not with a move spent"
    gun = scene().put("131", 79)
    barricade(gun, "131", "132")
    assert go(gun, 79, "132") == ("131", 1)


def test_LW_MOV_09_gates_cost_defenders_nothing_and_walls_bar_the_way() -> None:
    city = scene().put("A2", 1)
    assert go(city, 1, "163") == ("163", 1) and city.fired("LW-MOV-09") == 1
    assert city.cards.path[3, city.at("A4"), city.at("131")] > 1, "a wall between neighbours"
    assert city.cards.number_of[148] < 0 and city.cards.number_of[113] < 0 and city.cards.number_of[0] < 0


def test_LW_MOV_10_flyers_go_over_everything() -> None:
    city = scene().put("D1", 62)
    barricade(city, "G1", "59")
    fly(*city.records, Z(62), city.at("58"), Z(4))
    assert city.hex_of(62) == "58" and city.fired("LW-MOV-10") == 1
    city.skaven("58")
    city.roll("march", 5)
    fly(*city.records, Z(62), city.at("D1"), Z(4))
    assert city.hex_of(62) == "58"


def test_LW_MOV_11_who_cannot_move_gets_no_order() -> None:
    city = scene().put("A1", 0, 1, 2, 3)
    city.state.stun[1], city.state.marks[2] = 1, DONE
    form_groups(city.state, city.cards, Z(0))
    assert city.state.queue[: city.state.queue_len].tolist() == [0, 3] and city.fired("LW-MOV-11") == 2


# --- Combat -----------------------------------------------------------------------


def hit(city, f: int, t: int, start: str, end: str, *dice: int) -> None:
    city.roll("combat", *dice)
    attack(*city.records, Z(f), Z(t), way(city, start, end) if start != end else OWN, COMBAT_STREAM)
    assert city.dice_left == 0


def test_LW_CMB_01_LW_CMB_02_free_with_the_commander_else_a_card() -> None:
    city = scene().put("131", 0, 1).put("134", 2).hand("CG", A=1)
    city.skaven("132")
    city.skaven("133")
    assert is_free(city.state, city.cards, Z(0), city.at("131")) and not is_free(
        city.state, city.cards, Z(0), city.at("134")
    )
    city.state.step = 0
    assert not fighting(*city.records, Z(0)) and city.state.target == city.at("131")
    city.act(1)
    assert city.cards_of("CG") == "A" and city.fired("LW-CMB-02") == 1
    assert not fighting(*city.records, Z(0)) and city.state.target == city.at("134")
    city.act(1)
    assert city.cards_of("CG") == "" and city.fired("LW-CMB-01") == 2
    city.state.ctrl[0] = WZ
    assert not is_free(city.state, city.cards, Z(0), city.at("131"))


def test_LW_CMB_03_LW_CMB_04_hexes_with_a_target_in_reach() -> None:
    city = scene().put("A4", 0)  # a wall between A4 and 131
    city.skaven("131")
    city.state.step = 0
    assert fighting(*city.records, Z(0))
    city = scene().put("132", 0)
    city.skaven("131")
    city.skaven("132")
    city.state.step = 0
    assert not fighting(*city.records, Z(0)) and city.state.decision == D_FIGHT
    assert city.legal() == [0, 1, 2, 3 + int(way(city, "132", "131"))] and city.fired("LW-CMB-03") == 1
    city.act(2)
    assert city.fired("LW-CMB-04") >= 1
    wet = scene().put("132", 0)
    wet.skaven("131")
    wet.state.wet[wet.at("132")] = 63
    assert find_target(*wet.records, Z(0), NO_TARGET, ENEMIES, True) < 0


def test_LW_CMB_05_two_attackers_a_target() -> None:
    city = scene().put("131", 1, 2, 3)
    rat = city.skaven("132")[0]
    begin_combat(city.state)
    for f in (1, 2):
        city.roll("combat", 1, 6)
        all_attacks(*city.records, Z(f), NO_TARGET, ENEMIES, COMBAT_STREAM)
    assert city.state.attackers[rat] == 2 and refused(*city.records, Z(3))
    many = scene(attackers_per_target=6).put("131", 3)
    other = many.skaven("132")[0]
    many.state.attackers[other] = 2
    assert not refused(*many.records, Z(3))


def test_LW_CMB_06_LW_CMB_09_LW_CMB_10_LW_CMB_12_LW_CMB_15_worked_examples_5_to_8() -> None:
    """E5: a hit, a wound, out. E6: equal is a miss. E7: a natural 6. E8: against another 6 the totals decide."""
    city = scene().put("131", 1)
    rat = city.skaven("132")[0]
    hit(city, 1, rat, "131", "132", 4, 3, 4, 4)
    assert city.state.hex[rat] < 0 and city.fired("LW-CMB-10") == 2 and city.fired("LW-CMB-15") == 1
    rat = city.skaven("132")[0]
    hit(city, 1, rat, "131", "132", 3, 3)
    assert city.hex_of(rat) == "132" and city.fired("LW-CMB-12") == 2
    ogre = city.put("G1", 37).skaven("59", ogre=True)[0]
    hit(city, 37, ogre, "G1", "59", 6, 5, 6, 2)
    assert city.state.stun[ogre] == 1 and city.fired("LW-CMB-13") == 1
    walled = scene().put("131", 1)
    barricade(walled, "131", "132")
    rat = walled.skaven("132")[0]
    walled.roll("combat", 6, 6)
    attack(*walled.records, rat, Z(1), way(walled, "132", "131"), COMBAT_STREAM)
    assert walled.dice_left == 0 and walled.fired("LW-CMB-07") == 1


def test_LW_CMB_07_inside_a_gate() -> None:
    city = scene().put("A2", 1)
    rat = city.skaven("163")[0]
    city.roll("combat", 5, 4)
    attack(*city.records, rat, Z(1), way(city, "163", "A2"), COMBAT_STREAM)
    assert city.dice_left == 0 and city.fired("LW-CMB-07") == 1
    hit(city, 1, rat, "A2", "163", 5, 4, 1)
    assert city.fired("LW-CMB-07") == 1, "only for who is inside"


def test_LW_CMB_08_worked_example_9() -> None:
    """E9: two others in the hex are worth a point."""
    city = scene().put("100", 1, 2, 3)
    rat = city.skaven("101")[0]
    hit(city, 1, rat, "100", "101", 3, 3, 4, 5)
    assert city.state.hex[rat] < 0 and city.fired("LW-CMB-08") == 1
    mixed = scene(support_same_faction=True).put("100", 1, 2, 17)
    assert supported(*mixed.records, Z(1)) == 0 and supported(*scene().put("100", 1, 2, 17).records, Z(1)) == 1


def test_LW_CMB_11_the_weakest_target_first_and_the_next_when_it_falls() -> None:
    city = scene().put("131", 40)  # a musketeer: two attacks
    ogre = city.skaven("131", ogre=True)[0]
    rat = city.skaven("131")[0]
    city.skaven("132")
    assert find_target(*city.records, Z(40), NO_TARGET, ENEMIES, True) == rat * 8 + 6
    city.roll("combat", 6, 1, 6, 6, 1, 6)
    all_attacks(*city.records, Z(40), NO_TARGET, ENEMIES, COMBAT_STREAM)
    assert city.dice_left == 0 and city.state.hex[rat] < 0 and city.state.attackers[ogre] == 1
    focus = way(city, "131", "132")
    assert find_target(*city.records, Z(40), focus, ENEMIES, True) & 7 == focus and city.fired("LW-CMB-11") == 1


def test_LW_CMB_13_stuns_last_one_own_activation() -> None:
    city = scene().put("131", 1)
    rat = city.skaven("131")[0]
    city.state.stage = ENEMY_COMBAT
    city.roll("combat", 6, 1, 6, 2)
    attack(*city.records, rat, Z(1), OWN, COMBAT_STREAM)
    assert city.state.stun[1] == 1
    wake(city.state, True)
    assert city.state.stun[1] == 0
    city.state.in_combat = 1
    city.state.stage = 0
    hit(city, 1, rat, "131", "131", 6, 1, 6, 3)
    assert city.state.stun[rat] == 1
    later = scene(stun_defender_next_turn=True).put("131", 1)
    rat = later.skaven("131")[0]
    later.state.stage = ENEMY_COMBAT
    later.roll("combat", 6, 1, 6, 2)
    attack(*later.records, rat, Z(1), OWN, COMBAT_STREAM)
    assert later.state.stun[1] == 2


def test_LW_CMB_14_ranged_attacks_pick_anew_and_spare_friends() -> None:
    city = scene().put("59", 36)
    rats = city.skaven("59", 2)
    city.roll("magic", 2, 6, 4, 6, 4)
    area_attack(*city.records, city.at("59"), Z(6), Z(3), WZ, MAGIC_STREAM)
    assert city.dice_left == 0 and all(city.state.hex[r] < 0 for r in rats) and city.fired("LW-CMB-14") == 1
    friends = scene(area_hits_friends=True).put("59", 1)
    friends.roll("magic", 6, 4)
    area_attack(*friends.records, friends.at("59"), Z(1), Z(3), WZ, MAGIC_STREAM)
    assert friends.state.status[1] == TEMPLE


def test_LW_CMB_16_lines_of_sight_of_the_ledger() -> None:
    city = scene()
    sees = {(29, 58): 1, (29, 60): 0, (135, 167): 0, (51, 56): 1, (70, 102): 1, (100, 133): 1}
    assert {(a, b): int(city.cards.sees[city.at(a), city.at(b)]) for a, b in sees} == sees
    n = int(city.cards.n_hexes)
    seen, far = city.cards.sees[:n, :n], city.cards.flight[:n, :n]
    assert [int(seen[far == d].sum()) for d in range(1, 6)] == [338, 402, 380, 336, 322]


def test_LW_CMB_17_defenders_do_not_attack_defenders() -> None:
    city = scene().put("131", 1, 28, 46)
    rat = city.skaven("131")[0]
    city.state.ctrl[rat] = WZ
    for f in (1, 28, 46):
        assert find_target(*city.records, Z(f), NO_TARGET, ENEMIES, True) < 0
    assert INTRUDER_COMBAT_STREAM != COMBAT_STREAM


# --- The map ----------------------------------------------------------------------


def test_the_map_keeps_the_ledgers_checks() -> None:
    city = scene()
    n = int(city.cards.n_hexes)
    side = city.cards.side[3, :n]
    assert n == 107 and [int((side == kind).sum()) // 2 for kind in (1, 3, 2)] == [163, 37, 6]
    path = city.cards.path

    def distances(config: int, *pairs: str) -> list[int]:
        return [int(path[config, city.at(f"{p[0]}1"), city.at(f"{p[1]}1")]) for p in pairs]

    assert distances(3, "AB", "AC", "AD", "AE", "AF", "AH", "AM") == [11, 14, 18, 10, 17, 15, 10]
    assert distances(3, "BC", "BE", "CD", "CH", "DH", "FH", "CM", "HM") == [10, 5, 8, 5, 4, 3, 15, 12]
    assert distances(2, "AB", "AC", "AH", "BM", "CM") == [25, 19, 15, 22, 16]
    assert distances(1, "DM", "FM", "HM", "AF") == [19, 19, 16, 18]
    assert distances(63, "AC", "BC", "BD", "EC") == [13, 8, 13, 9] and distances(0, "AC", "AM") == [99, 10]
    assert not overrun(city.state, city.cards, Z(0))


def test_a_raging_werewolf_breaks_no_barricade_for_bretonnia() -> None:
    city = scene()
    city.put("100", 39)
    barricade(city, "100", "83")
    assert destroyable(city.state, city.cards, Z(4), Z(0)) >= 0
    city.state.marks[39] |= RAGING
    assert destroyable(city.state, city.cards, Z(4), Z(0)) == -1


def test_whether_there_is_a_target_agrees_with_the_search_for_the_best_one() -> None:
    """LW-CMB-04, LW-CMB-05: all figures on the map in positions of a random game, every group, with and without the
    limit of attackers.
    """
    game = load_game("lowenheim")
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    found = {True: 0, False: 0}
    stepper = Stepper(match, 5, 0)
    while not stepper.over:
        if stepper.decisions % 50 == 0:
            records = (stepper.state, *(array.view(np.recarray)[0] for array in (match.knobs, match.cards)))
            for f in map(np.int64, np.flatnonzero(np.asarray(stepper.state.hex) >= 0)):
                for group in range(int(OF_ROSTER) + len(game.seats)):
                    for capped in (True, False):
                        best = find_target(*records, f, NO_TARGET, np.int64(group), capped)
                        assert has_any(*records, f, np.int64(group), capped) == (best >= 0)
                        found[bool(best >= 0)] += 1
        stepper.apply(stepper.policy_action())
    assert min(found.values()) > 300
