"""A position as it stands in a replay and in play by hand."""

from __future__ import annotations

from simlab.report.position import position


def test_a_map_in_columns_has_a_line_for_each_row() -> None:
    rows = tuple(f"r={r} {'  ' * r}" + " ".join(f"{q:02d}* " for q in range(9)) for r in range(4))
    assert list(position({"map": rows})) == ["map:", *(f"    {row}" for row in rows)]


def test_names_stay_in_one_line_and_things_told_of_do_not() -> None:
    names = tuple(f"name {n}" for n in range(20))
    assert list(position({"hand": names})) == [f"hand: {', '.join(names)}"]
    told = tuple(f"power {n}: ally of red, influence 3" for n in range(4))
    assert list(position({"powers": told}))[:2] == ["powers:", "    power 0: ally of red, influence 3"]
