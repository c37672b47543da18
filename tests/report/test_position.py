"""A position as it stands in a replay and in play by hand."""

from __future__ import annotations

from simlab.questions.replay.position import changes, position


def test_a_map_in_columns_has_a_line_for_each_row() -> None:
    rows = tuple(f"r={r} {'  ' * r}" + " ".join(f"{q:02d}* " for q in range(9)) for r in range(4))
    assert list(position({"map": rows})) == ["map:", *(f"    {row}" for row in rows)]


def test_names_stay_in_one_line_and_things_told_of_do_not() -> None:
    names = tuple(f"name {n}" for n in range(20))
    assert list(position({"hand": names})) == [f"hand: {', '.join(names)}"]
    printed = tuple(f"power {n}: ally of red, influence 3" for n in range(4))
    assert list(position({"powers": printed}))[:2] == ["powers:", "    power 0: ally of red, influence 3"]


def test_of_texts_with_many_parts_in_common_only_the_others_are_told() -> None:
    before = {"Savoy": "size 3, Catholic; red 1", "red": "Catholic, Gold 0, Saints 1"}
    after = {"Savoy": "size 3, Catholic, flame; red 1, blue 1", "red": "Protestant, Gold 3"}
    printed = dict(changes(before, after))
    assert printed["Savoy"] == "+flame, +blue 1"
    assert printed["red"] == "Gold 0 -> 3, +Protestant, -Catholic, -Saints 1"


def test_a_drawn_map_and_what_stays_empty_are_no_changes() -> None:
    before = {"map": ("r=0    A   B", "r=1    A   B", "r=2    A   B")}
    after = {"map": ("r=0    A   C", "r=1    A   B", "r=2    A   B"), "dice": ()}
    assert list(changes(before, after)) == []


def test_a_card_is_replaced_by_another_as_a_whole_even_if_their_effects_have_parts_in_common() -> None:
    before = {"Fate": "Slaughter of the Horses: food +5; unrest +2"}
    after = {"Fate": "Famine: if consumption >= 3 {casualty 1; unrest +2} else {food -3; unrest +1}"}
    assert dict(changes(before, after))["Fate"] == f"{before['Fate']} -> {after['Fate']}"
