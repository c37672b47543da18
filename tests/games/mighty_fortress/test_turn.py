"""The phases of a turn but for the actions (ledger 3.5 to 3.7, 3.14, 3.15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.mighty_fortress.table import Table, fresh, match_of, scene

SEATED = ["Divara"]


def fate_of(tmp_path: Path, text: str) -> dict[str, Path]:
    path = tmp_path / "fate.csv"
    path.write_text(
        f'id,name,first,effect,source\nQ1,First,yes,nothing,reconstructed\nQ2,Test,no,"{text}",reconstructed\n'
    )
    return {"fate": path}


def decrees_of(tmp_path: Path, text: str) -> dict[str, Path]:
    path = tmp_path / "decrees.csv"
    rows = "".join(f'{n},Test,"{text}",reconstructed\n' for n in range(1, 13))
    path.write_text("roll,name,effect,source\n" + rows)
    return {"decrees": path}


# --- Fate ---------------------------------------------------------------------


def test_MF_TRN_01_a_turn_has_its_order() -> None:
    table = scene(exhausted="W", unrest=7, turn=8, council=SEATED, defense=5).end()
    assert (table.turn, table.fired["MF-TRN-01"]) == (9, 1)
    position = table.stepper.describe()
    assert (position["turn"], position["phase"]) == ("9 of 14", "Action Phase")
    assert table.pressure == 1  # Siege Phase before the draw
    assert table.black_drawn == 1  # draw after it


def test_MF_FAT_01_turn_1_has_its_card_and_no_card_comes_twice() -> None:
    match = match_of({"turn_limit": 20}, "warden")
    for game in range(5):
        from simlab.engine.stepper import Stepper

        stepper = Stepper(match, 3, game)
        seen = {1: int(stepper.state.fate_drawn)}
        assert seen[1] == 0
        while not stepper.over:
            stepper.apply(stepper.policy_action())
            seen[int(stepper.state.turn)] = int(stepper.state.fate_drawn)
        assert len(set(seen.values())) == len(seen)
        assert int(stepper.state.fired[[r.id for r in match.game.rules].index("MF-FAT-01")]) == len(seen)


def test_MF_FAT_02_fate_takes_last_turns_dice(tmp_path: Path) -> None:
    table = scene(dice="W3", exhausted="RR", tables=fate_of(tmp_path, "casualty 1")).end().act("hold White 3")
    assert table.options() == ["lose White 3", "lose Red Exhausted"]
    table.act("lose Red Exhausted")
    assert (table.colours("lost"), table.fired["MF-FAT-02"]) == ("R", 1)


def test_MF_FAT_03_assaults_of_fate_are_resolved_at_once(tmp_path: Path) -> None:
    table = scene(exhausted="W", council=SEATED, defense=1, tables=fate_of(tmp_path, "assault_check +3; food -9"))
    table.roll("assault", 1)
    table.state.deck_left = 0  # the Queue stays empty: 1 + 0 - 0 + 3 = 4, repelled
    table.end()
    assert (table.assault_total, table.over, table.fired["MF-FAT-03"]) == (4, False, 1)
    assert int(table.state.assaults[4]) == 1


# --- Food Upkeep --------------------------------------------------------------


def test_MF_UPK_01_no_upkeep_on_turn_1() -> None:
    table = fresh(quiet=True)
    assert (table.food, table.fired["MF-UPK-01"], table.fired["MF-UPK-02"]) == (20, 1, 0)


def test_MF_UPK_02_the_bill_counts_coloured_dice_and_consumption() -> None:
    table = scene(exhausted="WWWKK", dice="R2", consumption=2, food=20, drawn=0).end().act("hold no more")
    assert (table.food, table.bill, table.fired["MF-UPK-02"]) == (20 - 3 - 1 - 2, 6, 1)
    fewer = scene(exhausted="WWW", consumption=2, tableau=["Refugee Families", "Fishwives"]).end()
    assert fewer.bill == 3
    eaten = scene(exhausted="WWWKK", consumption=2, drawn=0, council=SEATED, black_dice_eat=True).end()
    assert eaten.bill == 3 + 2 + 2


def test_MF_UPK_03_paying_is_compulsory() -> None:
    table = scene(exhausted="WWW", council=SEATED).end()
    assert (table.decision, table.food, table.fired["MF-UPK-03"]) == ("MF-D-01", 16, 1)
    free = scene(exhausted="WWR", council=SEATED, voluntary_starvation=True).end()
    assert free.decision == "MF-D-05"
    free.act("leave Red Exhausted unfed", "feed the rest")
    assert (free.food, free.consumption, free.unrest, free.colours("exhausted")) == (17, 2, 1, "R")


@pytest.mark.parametrize(
    ("levy_first", "food", "unfed", "left"),
    [(True, 4, 2, 0), (False, 4, 0, 0), (True, 1, 4, 0), (False, 2, 2, 0)],
)
def test_MF_UPK_04_who_is_fed_first(levy_first: bool, food: int, unfed: int, left: int) -> None:
    table = scene(exhausted="WWWW", consumption=2, food=food, council=SEATED, hunger_levy_first=levy_first).end()
    assert (table.unfed, table.food, table.fired["MF-UPK-04"]) == (unfed, left, 1)


def test_MF_UPK_05_the_player_names_the_unfed() -> None:
    table = scene(dice="B6", exhausted="WR", consumption=1, food=3).end().act("hold Blue 6")
    assert table.options() == [
        "leave Blue 6 unfed",
        "leave White Exhausted unfed",
        "leave Red Exhausted unfed",
    ]
    table.act("leave Red Exhausted unfed")
    assert (table.colours("exhausted"), table.fired["MF-UPK-05"]) == ("R", 1)


def test_MF_UPK_06_fed_dice_go_unfed_dice_stay() -> None:
    table = scene(dice="B6 Y2", exhausted="W", consumption=1, food=3, bag="WWWWWWWWWWWW", dice_white=15)
    table.end().act("hold Blue 6", "leave Blue 6 unfed")
    assert table.colours("exhausted") == "B"  # no longer Held
    assert "B6" not in table.available
    kept = scene(dice="B6 Y2", exhausted="W", bag="WWWWWWWWWWWW", dice_white=15).end().act("hold Blue 6")
    assert "B6" in kept.available
    assert (kept.colours("exhausted"), kept.bag_count) == ("", 12 + 2 - 7)
    assert kept.fired["MF-UPK-06"] == 1


def test_MF_UPK_07_each_unfed_die_adds_consumption_and_unrest() -> None:
    table = scene(exhausted="WWWW", consumption=1, food=2, council=SEATED).end()
    assert (table.consumption, table.unrest, table.fired["MF-UPK-07"]) == (4, 3, 1)
    assert table.cohesion == 1  # MF-TRK-04


# --- Dice Draw, Requirement, Decree -------------------------------------------


def test_MF_DRW_01_short_bag_gives_all_it_has() -> None:
    table = scene(exhausted="W", bag="RRY", council=SEATED).end()
    assert sum(int(n) for n in table.state.avail_of) == 4
    assert (table.bag_count, table.fired["MF-DRW-01"]) == (0, 1)
    more = scene(exhausted="W", tableau=["Dutch Pilgrims"]).end()
    assert sum(int(n) for n in more.state.avail_of) == 8


def test_MF_DRW_02_black_dice_by_pressure_as_many_as_there_are() -> None:
    table = scene(exhausted="W", pressure=3, council=SEATED).end()
    assert (int(table.state.avail_of[5]), table.black_pool, table.fired["MF-DRW-02"]) == (3, 9, 1)
    few = scene(exhausted="W", pressure=3, dice_black=1, council=SEATED).end()
    assert (few.black_drawn, few.black_pool) == (1, 0)


def test_MF_DRW_03_held_dice_keep_their_pip() -> None:
    table = scene(dice="P6", bag="WWWWWWWWW", dice_white=15).end().act("hold Purple 6")
    assert "P6" in table.available
    assert (table.held, table.fired["MF-DRW-03"]) == ("", 1)
    rolled = scene(dice="P6", bag="WWWWWWWWW", dice_white=15, held_reroll=True).end().roll("pips", 2)
    rolled.act("hold Purple 6")
    assert "P2" in rolled.available


@pytest.mark.parametrize(
    ("pressure", "tableau", "pool", "requirement"),
    [
        (0, (), 12, 1),
        (2, (), 12, 1),
        (5, (), 12, 4),
        (5, ("Camp Provost",), 12, 3),
        (5, (), 2, 2),
        (1, ("Camp Provost",), 12, 1),
    ],
)
def test_MF_REQ_01_pressure_less_1_modified_and_capped(
    pressure: int, tableau: tuple[str, ...], pool: int, requirement: int
) -> None:
    table = scene(exhausted="W", pressure=pressure, tableau=tableau, council=SEATED, dice_black=pool, defense=5).end()
    assert (table.requirement, table.fired["MF-REQ-01"]) == (requirement, 1)


def test_MF_REQ_01_a_fate_card_changes_it_for_the_turn(tmp_path: Path) -> None:
    tables = fate_of(tmp_path, "requirement_mod +1")
    table = scene(exhausted="W", pressure=3, council=SEATED, defense=5, tables=tables).end()
    assert table.requirement == 3


def test_MF_DEC_01_the_decree_is_rolled_and_carried_out() -> None:
    table = Table(scene(exhausted="W", council=SEATED).stepper).roll("decree", 9).end()
    assert (table.decree, table.fired["MF-DEC-01"]) == (9, 1)


def test_MF_DEC_02_assaults_of_a_decree_are_immediate(tmp_path: Path) -> None:
    tables = decrees_of(tmp_path, "unrest +2; defense +1")
    table = scene(exhausted="W", council=SEATED, unrest=8, defense=1, strength=0, tables=tables)
    table.state.deck_left = 0
    table.roll("assault", 3).end()
    assert (table.ending, table.stepper.row()["breach_phase"]) == ("breach_unrest", 4)
    assert table.fired["MF-DEC-02"] == 1


# --- Siege Phase --------------------------------------------------------------


def test_MF_SIE_01_defense_falls() -> None:
    table = scene(dice="W1", defense=3).end()
    assert (table.defense, table.fired["MF-SIE-01"]) == (2, 1)
    assert scene(dice="W1", defense=3, defense_decay=2).end().defense == 1


def test_MF_SIE_02_entrenchment_rises() -> None:
    table = scene(dice="W1").end()
    assert (table.entrenchment, table.fired["MF-SIE-02"]) == (1, 1)
    assert scene(dice="W1", entrenchment_rise=2).end().entrenchment == 2


def test_MF_SIE_03_bombardment_rises() -> None:
    table = scene(dice="W1").end()
    assert (table.bombardment, table.fired["MF-SIE-03"]) == (1, 1)
    assert scene(dice="W1", bombardment_rise=0).end().bombardment == 0


@pytest.mark.parametrize(("turn", "rises"), [(8, 0), (9, 1), (11, 1), (12, 0)])
def test_MF_SIE_04_winter(turn: int, rises: int) -> None:
    table = scene(dice="W1", turn=turn).end()
    assert (table.consumption, table.fired["MF-SIE-04"]) == (1 + rises, rises)
    assert scene(dice="W1", turn=turn, winter_first=1, winter_last=20, winter_consumption=2).end().consumption == 3


def test_MF_SIE_05_unrest_raises_pressure_for_the_next_turn() -> None:
    table = scene(dice="W1 K1", unrest=7, defense=5, pressure=1).end()
    assert (table.pressure, table.requirement, table.fired["MF-SIE-05"]) == (2, 1, 1)


# --- Traitor Check ------------------------------------------------------------


def test_MF_TRA_01_W_03_no_traitors_no_check() -> None:
    table = scene(dice="W1", drawn=0).end()
    assert (table.fired["MF-TRA-01"], table.fired["MF-TRA-02"], table.fired["MF-TRA-03"]) == (1, 0, 0)


def test_MF_TRA_02_unused_and_executed_traitors_count_lost_ones_do_not() -> None:
    table = scene(dice="K1 K2 W1", pressure=3).act("Execute a die for Pressure", "with Black 1").end()
    assert (table.requirement, table.fired["MF-TRA-02"]) == (2, 1)
    lost = scene(dice="K1 W1", pressure=3, drawn=2, requirement=2).end()
    assert lost.fired["MF-TRA-03"] == 1


def test_MF_TRA_03_failure_raises_both_tracks_then_an_assault_if_strong() -> None:
    table = scene(dice="W1", exhausted="K", defense=1, strength=2).roll("assault", 7).end()
    assert (table.bombardment, table.unrest, int(table.state.assaults[3])) == (2, 1, 1)
    assert (table.traitor_failures, table.fired["MF-TRA-03"]) == (1, 1)
    strong = scene(dice="W1", exhausted="K", defense=3, strength=2).end()
    assert (strong.bombardment, strong.unrest, int(strong.state.assaults.sum())) == (2, 1, 0)


# --- Cleanup ------------------------------------------------------------------


def test_MF_CLN_01_black_dice_go_back_to_the_pool() -> None:
    table = scene(dice="K1 K1 W1", exhausted="K", requirement=1).end()
    assert (table.black_pool, int(table.state.exhausted[5]), table.available) == (12, 0, "W1")
    assert table.fired["MF-CLN-01"] == 1


@pytest.mark.parametrize(
    ("cohesion", "tableau", "limit"), [(3, (), 1), (4, (), 2), (0, (), 1), (4, ("Crossbow Guild",), 3)]
)
def test_MF_CLN_02_held_dice(cohesion: int, tableau: tuple[str, ...], limit: int) -> None:
    table = scene(dice="W1 W2 W3 W4 K6", cohesion=cohesion, tableau=tableau).end()
    for n in range(limit):
        assert table.decision == "MF-D-09"
        assert "hold no more" in table.options()
        assert not [o for o in table.options() if "Black" in o]
        table.act(f"hold White {n + 1}")
    assert table.decision != "MF-D-09"
    assert table.fired["MF-CLN-02"] == limit


def test_MF_CLN_03_the_queue_slides_and_is_filled() -> None:
    table = scene(exhausted="W", queue=[None, "Fishwives", None, "Soest"], council=SEATED, deck=["Sappers", "Northon"])
    table.end()
    assert table.queue[:2] == ["Fishwives", "Soest"]
    assert sorted(str(n) for n in table.queue[2:4]) == ["Northon", "Sappers"]
    assert table.queue[4:] == [None, None]
    assert table.siege_strength == 1
    assert table.fired["MF-CLN-03"] == 1


def test_MF_CLN_04_the_discards_become_the_deck() -> None:
    table = scene(exhausted="W", council=SEATED, deck=["Sappers"], discard=["Northon", "Fishwives"]).end()
    assert sorted(str(n) for n in table.queue if n) == ["Fishwives", "Northon", "Sappers"]
    assert (table.deck_left, table.discard_len, table.fired["MF-CLN-04"]) == (0, 0, 1)


def test_MF_CLN_05_the_next_turn_or_the_end() -> None:
    table = scene(exhausted="W", council=SEATED, turn=13).end()
    assert (table.turn, table.over, table.fired["MF-CLN-05"]) == (14, False, 1)
    last = scene(exhausted="W", council=SEATED, turn=14, defense=1).end()
    assert (last.turn, last.over) == (14, True)
