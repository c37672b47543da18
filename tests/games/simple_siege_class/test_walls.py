"""SS-WAL: what the City Walls count for, and how high and low they go."""

from __future__ import annotations

import pytest

from simlab.errors import InputError
from tests.games.simple_siege_class.table import match_of, scene


@pytest.mark.parametrize("defence", ["draw no card", "draw 1 card to defend"])
@pytest.mark.parametrize("action", ["Bombard (Walls)", "Bombard (Enemy)", "Assault"])
def test_SS_WAL_01_walls_stand_with_the_besieged_against_bombard_and_assault(action: str, defence: str) -> None:
    drawn = 0 if defence == "draw no card" else 2
    for value, wins in ((7 + drawn, False), (8 + drawn, True)):
        entry = "3C " if action == "Assault" else ""
        table = scene(besieger=f"{entry}{value}S 2H 3H", besieged="2C 5D 6D 7D 8D", walls=7).act(action)
        if action == "Assault":
            table.act("throw 1 card")
        table.act(defence)
        won = {
            "Bombard (Walls)": table.walls == 6,
            "Bombard (Enemy)": table.size("besieged") == (5 if drawn == 0 else 4) - 3,
            "Assault": table.result == ("besieger", "assault"),
        }[action]
        assert won is wins
        assert table.fired["SS-WAL-01"] == 1


def test_SS_WAL_01_walls_play_no_part_in_a_sally() -> None:
    table = scene(besieger="2S 3S 4S 5S 6S", besieged="3H 4H", walls=10, to_act="besieged")
    table.act("Sally (Enemy)", "draw 1 card to defend")  # 3 > 2
    assert table.size("besieger") == 1
    assert table.fired["SS-WAL-01"] == 0


def test_SS_WAL_02_at_the_top_there_is_no_repair() -> None:
    table = scene(besieger="7S 6S", walls=9, to_act="besieged").act("Repair and Strengthen")
    assert table.walls == 10
    assert table.fired["SS-WAL-02"] == 0  # one step up to the top needs no cutting
    table.act("Besiege")
    assert "Repair and Strengthen" not in table.options()
    assert table.fired["SS-WAL-02"] == 1


def test_SS_WAL_02_at_the_bottom_there_is_no_bombard_walls() -> None:
    table = scene(besieger="7S 6S", walls=1).act("Bombard (Walls)", "draw no card")
    assert table.walls == 0
    assert table.fired["SS-WAL-02"] == 0
    table.act("Besieged")
    assert "Bombard (Walls)" not in table.options()
    assert "Bombard (Enemy)" in table.options()
    assert table.fired["SS-WAL-02"] == 1


@pytest.mark.parametrize("top", [6, 9, 12])
def test_SS_WAL_02_walls_max_moves_the_top(top: int) -> None:
    assert "Repair and Strengthen" in scene(walls=top - 1, to_act="besieged", walls_max=top).options()
    assert "Repair and Strengthen" not in scene(walls=top, to_act="besieged", walls_max=top).options()


def test_SS_WAL_02_walls_floor_moves_the_bottom() -> None:
    assert "Bombard (Walls)" not in scene(walls=1, walls_floor=1).options()
    assert "Bombard (Walls)" in scene(walls=1, walls_floor=0).options()
    table = scene(besieger="10S 6S", walls=2, walls_floor=1, wall_damage=3).act("Bombard (Walls)", "draw no card")
    assert table.walls == 1


@pytest.mark.parametrize(("walls", "damage", "after", "cut"), [(5, 2, 3, 0), (2, 2, 0, 0), (2, 3, 0, 1), (1, 2, 0, 1)])
def test_SS_WAL_02_damage_is_cut_at_the_bottom(walls: int, damage: int, after: int, cut: int) -> None:
    table = scene(besieger="10S 6S", walls=walls, wall_damage=damage).act("Bombard (Walls)", "draw no card")
    assert table.walls == after
    assert table.fired["SS-WAL-02"] == cut


@pytest.mark.parametrize(("walls", "after", "cut"), [(7, 9, 0), (8, 10, 0), (9, 10, 1)])
def test_SS_WAL_02_repair_is_cut_at_the_top(walls: int, after: int, cut: int) -> None:
    table = scene(besieger="7S 6S", walls=walls, to_act="besieged", repair_gain=2).act("Repair and Strengthen")
    assert table.walls == after
    assert table.fired["SS-WAL-02"] == cut


@pytest.mark.parametrize(
    ("floor", "start", "top", "fits"), [(0, 1, 6, True), (1, 1, 6, True), (0, 6, 6, True), (0, 7, 6, False)]
)
def test_SS_WAL_02_the_start_lies_between_bottom_and_top(floor: int, start: int, top: int, fits: bool) -> None:
    knobs = {"walls_floor": floor, "walls_start": start, "walls_max": top}
    if fits:
        match_of(knobs)
        return
    with pytest.raises(InputError, match="SS-WAL-02"):
        match_of(knobs)


def test_SS_WAL_03_a_city_without_walls_fights_on() -> None:
    table = scene(besieger="7S 6S 5S", walls=1).act("Bombard (Walls)", "draw no card")
    assert table.walls == 0
    assert table.result is None
    table.act("Besieged")
    assert (table.result, table.turn, table.seat) == (None, 2, "besieger")
    assert table.fired["SS-WAL-03"] == 1
    table.act("Bombard (Enemy)", "draw no card", "Besieged")
    assert table.result is None
    assert table.fired["SS-WAL-03"] == 2  # every turn that begins so
