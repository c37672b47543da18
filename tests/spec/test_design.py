"""Ranges, points and cells."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.errors import InputError
from simlab.runs import cells as cells_module
from simlab.runs.cells import cells
from simlab.runs.open_experiment import new_experiment
from simlab.spec import design
from simlab.spec.design import Axis, points, read_axis, read_range
from simlab.spec.experiment import Experiment
from simlab.spec.knobs import ChoiceKnob, DecimalKnob, NumberKnob, SwitchKnob, WholeKnob
from tests.spec.orchard import OWN_BOT, TREES, write_orchard

WALLS = WholeKnob("walls", 5, -2, 12, unit="points", rules=("X-01",), help="walls")
SHARE = DecimalKnob("share", 0.5, 0.0, 2.0, help="a share")
JOKERS = SwitchKnob("jokers", True, help="jokers")
READING = ChoiceKnob("reading", "lose", options=("lose", "stop", "H+D"), rules=("X-02",), help="a ruling")


# --- ranges -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("knob", "text", "values"),
    [
        (WALLS, "3..7", [3, 4, 5, 6, 7]),
        (WALLS, "3..9:2", [3, 5, 7, 9]),
        (WALLS, "3..8:2", [3, 5, 7]),
        (WALLS, " 3 .. 5 ", [3, 4, 5]),
        (WALLS, "2,4,8", [2, 4, 8]),
        (WALLS, "1,4..6,9", [1, 4, 5, 6, 9]),
        (WALLS, "-2..1", [-2, -1, 0, 1]),
        (WALLS, "6", [6]),
        (WALLS, "6..6", [6]),
        (WALLS, "*", list(range(-2, 13))),
        (SHARE, "0.2..0.6:0.1", [0.2, 0.3, 0.4, 0.5, 0.6]),
        (SHARE, "0..2:5e-1", [0.0, 0.5, 1.0, 1.5, 2.0]),
        (SHARE, "0.25,1", [0.25, 1.0]),
        (JOKERS, "*", [False, True]),
        (JOKERS, "true", [True]),
        (JOKERS, "no,yes", [False, True]),
        (READING, "*", ["lose", "stop", "H+D"]),
        (READING, "H+D,lose", ["H+D", "lose"]),
        (READING, "stop", ["stop"]),
    ],
)
def test_a_range_gives_these_values(knob, text, values):
    found = read_range(knob, text, "--vary")
    assert list(found) == values
    assert [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize(
    ("knob", "text", "told"),
    [
        (WALLS, "7..3", "runs downwards. Write 3..7"),
        (WALLS, "3..99", "walls takes -2..12 points (X-01)"),
        (WALLS, "3..7:0", "a step is a whole number above 0"),
        (WALLS, "3..7:-1", "a step is a whole number above 0"),
        (WALLS, "3..7:0.5", "a step is a whole number above 0"),
        (WALLS, "3...7", "is not a range. Write one such as -2..12"),
        (WALLS, "3..", "is not a range"),
        (WALLS, "..", "is not a range"),
        (WALLS, "3,,5", "has an empty place"),
        (WALLS, "", "has an empty place"),
        (WALLS, "many", "walls takes -2..12"),
        (WALLS, "3.5", "walls takes -2..12"),
        (WALLS, "2.5..4", "walls takes -2..12"),
        (WALLS, "nan..4", "is not a range"),
        (SHARE, "0..1", "needs a step. Write 0..1:0.25"),
        (SHARE, "*", "is endless. Write a range such as 0..2:0.5"),
        (SHARE, "0..1:1e-9", "an experiment has 100,000 cells at most. Take a longer step."),
        (SHARE, "0..1:1e-99", "a step is a number above 0"),
        (SHARE, "nan", "share takes 0..2"),
        (SHARE, ",".join(["0..1:0.0001"] * 20), "values or more"),
        (JOKERS, "0..1", "jokers takes true or false"),
        (READING, "lost", "reading takes one of lose, stop, H+D (X-02)"),
        (READING, "lose..stop", "reading takes one of lose, stop"),
    ],
)
def test_a_range_that_is_wrong_says_what_is_right(knob, text, told):
    with pytest.raises(InputError) as fault:
        read_range(knob, text, "walls.toml [vary]")
    assert told in str(fault.value)
    assert str(fault.value).startswith("walls.toml [vary]: ")
    assert knob.name in str(fault.value)


@given(low=st.integers(-2, 12), high=st.integers(-2, 12), step=st.integers(1, 20))
def test_a_whole_range_is_what_python_counts(low, high, step):
    if low > high:
        low, high = high, low
    assert list(read_range(WALLS, f"{low}..{high}:{step}", "")) == list(range(low, high + 1, step))
    table = read_axis(WALLS, {"low": low, "high": high, "step": step}, "")
    assert list(table.values) == list(range(low, high + 1, step))


@given(st.text(max_size=30))
def test_any_text_is_a_range_or_a_mistake(text):
    for knob in (WALLS, SHARE, JOKERS, READING):
        try:
            found = read_range(knob, text, "--vary")
        except InputError:
            continue
        assert found
        assert all(knob.parse(value) == value for value in found)


@pytest.mark.parametrize(
    ("knob", "given", "values"),
    [
        (WALLS, [3, 5], (3, 5)),
        (WALLS, ["3", 5.0], (3, 5)),
        (WALLS, "3..4", (3, 4)),
        (WALLS, {"grid": [4, 2]}, (4, 2)),
        (WALLS, {"low": 2, "high": 4}, (2, 3, 4)),
        (SHARE, {"low": 0, "high": 1, "step": 0.5}, (0.0, 0.5, 1.0)),
        (JOKERS, [True], (True,)),
        (READING, ["stop"], ("stop",)),
    ],
)
def test_what_stands_in_vary(knob, given, values):
    assert read_axis(knob, given, "[vary]").values == values


@pytest.mark.parametrize(
    ("knob", "given", "told"),
    [
        (WALLS, [], "walls = [] is empty"),
        (WALLS, {"grid": []}, "walls = [] is empty"),
        (WALLS, 5, "A single value belongs in [knobs]"),
        (JOKERS, True, "jokers = true is not allowed"),
        (WALLS, [3, 3], "walls takes 3 twice"),
        (WALLS, "3,2..4", "walls takes 3 twice"),
        (WALLS, [3, 99], "walls takes -2..12"),
        (WALLS, [[3]], "walls takes -2..12"),
        (WALLS, {"gird": [3]}, "unknown key 'gird'. Did you mean 'grid'?"),
        (WALLS, {"grid": [3], "low": 1}, "use grid alone"),
        (WALLS, {"grid": "3..5"}, "grid takes a list"),
        (WALLS, {"low": 3}, "'high' is missing"),
        (WALLS, {"high": 3}, "'low' is missing"),
        (WALLS, {"low": 5, "high": 3}, "runs downwards"),
        (WALLS, {"low": 3, "high": 5, "step": True}, "a step is a whole number above 0"),
        (WALLS, {"low": 3, "high": 5, "step": [1]}, "a step is a whole number above 0"),
        (SHARE, {"low": 0, "high": 1}, "needs a step"),
        (SHARE, {"low": 0, "high": 1, "step": float("nan")}, "a step is a number above 0"),
        (JOKERS, {"low": 0, "high": 1}, "has no low and high"),
        (READING, {"low": "lose", "high": "stop"}, "has no low and high"),
        (WALLS, [3] * 100_001, "100,001 values or more"),
    ],
)
def test_what_cannot_stand_in_vary(knob, given, told):
    with pytest.raises(InputError) as fault:
        read_axis(knob, given, "walls.toml [vary]")
    assert told in str(fault.value)


# --- points -------------------------------------------------------------------


def axes(*given, method="grid"):
    return [read_axis(knob, values, "[vary]", method) for knob, values in given]


def test_a_grid_is_all_combinations_the_last_knob_fastest():
    found = points(axes((WALLS, "3..4"), (READING, "lose,stop")), "grid", 0, 1, "[vary]")
    assert found == (
        {"walls": 3, "reading": "lose"},
        {"walls": 3, "reading": "stop"},
        {"walls": 4, "reading": "lose"},
        {"walls": 4, "reading": "stop"},
    )


def test_a_grid_of_too_many_points_is_refused_before_it_is_made():
    big = Axis(WALLS, tuple(range(1000)))
    with pytest.raises(InputError, match=r"1000 x 1000 x 1000 = 1,000,000,000 points; .* 100,000 cells at most"):
        points([big, big, big], "grid", 0, 1, "[vary]")


def test_a_list_is_row_by_row_and_values_may_come_again():
    found = points(axes((WALLS, [3, 3, 4]), (JOKERS, [True, False, True]), method="list"), "list", 0, 1, "[vary]")
    assert [tuple(p.values()) for p in found] == [(3, True), (3, False), (4, True)]


def test_lists_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="lists of equal length, but walls has 3, jokers has 2"):
        points(axes((WALLS, [3, 4, 5]), (JOKERS, [True, False]), method="list"), "list", 0, 1, "[vary]")


def test_a_row_twice_in_lists_is_refused():
    with pytest.raises(InputError, match=r"the point walls=3, jokers=true twice"):
        points(axes((WALLS, [3, 4, 3]), (JOKERS, [True, True, True]), method="list"), "list", 0, 1, "[vary]")


@pytest.mark.parametrize("method", ["lhs", "sobol"])
def test_drawn_points_are_the_same_for_the_same_seed(method):
    some = axes((SHARE, "0..2"), (WALLS, "1..8"), method=method)
    first, again, other = (points(some, method, 16, seed, "[vary]") for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert points(some, method, 16, 2**63 - 1, "[vary]")


@pytest.mark.parametrize("method", ["lhs", "sobol"])
def test_drawn_points_fill_the_bins_of_each_knob_evenly(method):
    some = axes((SHARE, {"low": 0.5, "high": 1.5}), (WALLS, "1..8"), (READING, ["lose", "stop"]), method=method)
    found = points(some, method, 64, 1, "[vary]")
    assert len(found) == 64
    assert [sum(p["walls"] == w for p in found) for w in range(1, 9)] == [8] * 8
    assert sum(p["reading"] == "lose" for p in found) == 32
    shares = sorted(p["share"] for p in found)
    # one in each 64th: what makes the hypercube Latin, and what a Sobol sequence of 64 has too
    assert [int((share - 0.5) * 64) for share in shares] == list(range(64))


def test_drawn_points_that_fall_together_count_once():
    found = points(axes((JOKERS, "*"), method="lhs"), "lhs", 50, 1, "[vary]")
    assert sorted(p["jokers"] for p in found) == [False, True]


def test_a_drawn_float_stays_in_its_range():
    third = Axis(SHARE, (), 1 / 3, 1 / 3 + 1e-9)
    for share in (0.0, 0.5, 1 - 2**-53):
        assert third.low <= third.at(share) <= third.high


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 30))
def test_equal_bins(share, n):
    assert Axis(WALLS, tuple(range(n))).at(share) == min(int(share * n), n - 1)


# --- cells --------------------------------------------------------------------


@pytest.fixture
def orchard(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_orchard(tmp_path)


def an_experiment(**changes) -> Experiment:
    bots = {"picker": ["climber", "random"], "crow": "thief"}
    return new_experiment("./orchard", **{"bots": bots, "games": 10, **changes})


@pytest.mark.usefixtures("orchard")
def test_cells_are_match_ups_crossed_with_points():
    found = cells(an_experiment(vary=["baskets=4..5"], overrides=["wind=true"]))
    assert [c.label for c in found] == [
        "climber v thief, baskets=4",
        "climber v thief, baskets=5",
        "random v thief, baskets=4",
        "random v thief, baskets=5",
    ]
    assert [c.index for c in found] == [0, 1, 2, 3]
    assert found[1].varied == {"baskets": 5}
    assert found[1].knobs == {
        "baskets": 5, "ladder": 9, "ripeness": 0.5, "wind": True, "weather": "calm", "apples": 3,
    }  # fmt: skip
    assert found[2].bots == {"picker": "random", "crow": "thief"}
    assert found[0].games == 10


@pytest.mark.usefixtures("orchard")
def test_a_cell_without_varied_knobs_is_named_after_its_bots():
    assert [c.label for c in cells(an_experiment())] == ["climber v thief", "random v thief"]


@pytest.mark.usefixtures("orchard")
def test_a_switch_reads_as_in_a_shell():
    assert cells(an_experiment(vary=["wind=*"]))[0].label == "climber v thief, wind=false"


def test_keys_tell_cells_apart_and_nothing_else(orchard):
    some = cells(an_experiment(vary=["baskets=3..6"]))
    keys = [c.key(1) for c in some]
    assert len(set(keys)) == len(keys) == 8
    assert all(len(key) == 16 and int(key, 16) >= 0 for key in keys)
    assert [c.key(1) for c in cells(an_experiment(vary=["baskets=3..6"], games=99))] == keys
    assert some[0].key(2) != keys[0]
    # a sweep that grows keeps its cells; a knob set to its default changes nothing
    grown = cells(an_experiment(vary=["baskets=3..7"], overrides=["wind=false"]))
    assert set(keys) < {c.key(1) for c in grown}


def test_keys_of_a_swapped_table_and_of_other_traits(orchard):
    plain = cells(an_experiment())[0].key(1)
    other = orchard.parent / "more.csv"
    other.write_text(TREES.replace("apple,3", "apple,4"))
    assert cells(an_experiment(cards={"trees": other}))[0].key(1) != plain
    other.write_text(TREES)  # the same rows in another file
    assert cells(an_experiment(cards={"trees": other}))[0].key(1) == plain
    assert cells(an_experiment(bots={"picker": "climber:reach=3", "crow": "thief"}))[0].key(1) != plain
    assert cells(an_experiment(bots={"picker": "climber:reach=2", "crow": "thief"}))[0].key(1) == plain


def test_a_cell_travels_to_another_process_and_folder(orchard, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN_BOT)
    one = cells(an_experiment(bots={"picker": "./own.py:patient:patience=2", "crow": "thief"}))[0]
    monkeypatch.chdir("/")
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.key(1) == one.key(1)
    assert again.bots["picker"] == f"{tmp_path}/own.py:patient:patience=2"
    assert again.bot_labels["picker"] == "./own.py:patient:patience=2"
    assert again.label == "./own.py:patient:patience=2 v thief"
    assert Path(again.game) == orchard


@pytest.mark.usefixtures("orchard")
def test_the_match_is_given_only_what_differs_from_the_defaults():
    one = cells(an_experiment(vary=["baskets=4..5"], overrides=["wind=true"]))[0]
    match = one.match()
    assert match.knobs_set == {"wind": True, "baskets": 4}
    assert match.knobs_resolved == one.knobs


@pytest.mark.usefixtures("orchard")
def test_too_many_cells_are_refused(monkeypatch):
    some = an_experiment(vary=["baskets=3..9"])
    monkeypatch.setattr(cells_module, "MAX_CELLS", 13)
    with pytest.raises(InputError, match=r"2 x 1 bots at 7 points make 14 cells; .* 13 at most"):
        cells(some)


@pytest.mark.usefixtures("orchard")
def test_labels_are_unlike_each_other():
    some = cells(an_experiment(vary=["method=lhs", "points=40", "ripeness=0..1", "baskets=*", "weather=*"]))
    assert len({c.label for c in some}) == len(some) == 80


@pytest.mark.usefixtures("orchard")
def test_two_experiments_on_the_same_seed_share_the_cells_they_have_in_common():
    few = {c.key(1) for c in cells(an_experiment(vary={"baskets": [3, 4], "wind": [True, False]}))}
    more = {c.key(1) for c in cells(an_experiment(vary={"wind": [False, True], "baskets": [4, 5, 3]}))}
    assert few < more
    for one, other in itertools.combinations(sorted(more), 2):
        assert one != other


# --- one change at a time, Sobol's indices, drawn match-ups ---------------------


def test_neighbours_stay_within_the_knob():
    assert WALLS.near(5, 1) == [4, 6]
    assert WALLS.near(12, 2) == [11, 10]
    assert SHARE.near(0.5, 1) == [0.3, 0.7]
    assert JOKERS.near(True, 3) == [False]
    assert READING.near("stop", 1) == ["lose", "H+D"]


def test_one_at_a_time_departs_from_the_base():
    axes = [Axis(WALLS, (4, 5, 6)), Axis(JOKERS, (True, False))]
    found = points(axes, "one_at_a_time", 0, 1, "x", {"walls": 5, "jokers": True, "share": 0.5})
    assert found == (
        {"walls": 5, "jokers": True}, {"walls": 4, "jokers": True}, {"walls": 6, "jokers": True},
        {"walls": 5, "jokers": False},
    )  # fmt: skip


def test_saltelli_draws_each_knob_from_its_own_values_each_alike():
    axes = [Axis(WALLS, (3, 4, 5, 6)), Axis(JOKERS, (False, True)), Axis(SHARE, (), 0.0, 2.0)]
    drawn = design.saltelli(axes, 64, 7)
    assert len(drawn) == 64 * 5
    first = [row[0] for row in drawn[::5]]
    assert {first.count(value) for value in (3, 4, 5, 6)} == {16}
    assert all(isinstance(row[0], int) and isinstance(row[1], bool) for row in drawn)
    a, *mixed, b = drawn[:5]
    for knob, row in enumerate(mixed):  # A with one knob of B
        assert [row[i] == (b if i == knob else a)[i] for i in range(3)] == [True] * 3
    assert drawn == design.saltelli(axes, 64, 7) != design.saltelli(axes, 64, 8)


def test_trajectories_move_each_knob_once_by_half_its_levels():
    few, many = Axis(WALLS, tuple(range(3, 8))), Axis(WALLS, tuple(range(-2, 13)))
    axes = [few, many, Axis(JOKERS, (False, True)), Axis(SHARE, (), 0.0, 2.0), Axis(READING, READING.options)]
    walks = design.trajectories(axes, 8, 7)
    assert len(walks) == 8 * 6
    jumps = [{(5, 3), (6, 4), (7, 5)}, None, {(True, False)}, {(1.33333, 0.0), (2.0, 0.666667)}, None]
    for first in range(0, len(walks), 6):
        moved = []
        for before, after in itertools.pairwise(walks[first : first + 6]):
            (knob,) = [i for i in range(5) if before[i] != after[i]]
            moved.append(knob)
            if jumps[knob]:
                assert tuple(sorted((before[knob], after[knob]), reverse=True)) in jumps[knob]
            assert [type(v) for v in after] == [int, int, bool, float, str]
        assert sorted(moved) == [0, 1, 2, 3, 4]
    for knob, (low, high) in enumerate([(3, 7), (-2, 12), (False, True), (0.0, 2.0)]):
        assert (min(row[knob] for row in walks), max(row[knob] for row in walks)) == (low, high)
    assert walks == design.trajectories(axes, 8, 7) != design.trajectories(axes, 8, 8)


def test_even_the_fewest_trajectories_reach_both_ends():
    from simlab.stats.screening import FEWEST

    for count in range(2, 16):
        for seed in range(5):
            values = [row[0] for row in design.trajectories([Axis(WALLS, tuple(range(count)))], FEWEST, seed)]
            assert (min(values), max(values)) == (0, count - 1)


@pytest.mark.parametrize(("bots", "number"), [((6, 5), 12), ((9, 8), 30), ((3, 2, 4), 10), ((2, 2), 4), ((1, 1), 1)])
def test_drawn_match_ups_are_balanced(bots, number):
    from simlab.runs.tournament import drawn_match_ups

    found = drawn_match_ups(bots, number, 3)
    assert len(set(found)) == number
    assert found == sorted(found) == drawn_match_ups(bots, number, 3)
    for seat, count in enumerate(bots):
        times = [sum(profile[seat] == bot for profile in found) for bot in range(count)]
        assert max(times) - min(times) <= 2


class EvenKnob(NumberKnob):
    """A kind of knob that the lab does not have: even whole numbers."""

    kind = "even"

    @property
    def example(self) -> str:
        return f"{self.low:g},{self.high:g}"

    def every(self) -> range:
        return range(int(self.low), int(self.high) + 1, 2)

    def step(self, parts: int) -> float:
        return 2.0

    def of(self, number: float) -> int:
        return 2 * int(number // 2)


def test_a_new_kind_of_knob_is_one_class() -> None:
    knob = EvenKnob("pairs", 4, 0, 8, unit="cards", help="cards dealt in pairs")
    assert read_axis(knob, "*", "[vary]").values == (0, 2, 4, 6, 8)
    assert read_axis(knob, "2..6:2", "[vary]").values == (2, 4, 6)
    assert knob.near(4, 2) == [2, 6, 0, 8] and knob.parse("6") == 6
    with pytest.raises(InputError, match=r"\[knobs\]: pairs = 5 is not allowed: pairs takes 0\.\.8 cards\."):
        knob.parse(5, "[knobs]")
    assert knob.schema()["type"] == "integer"
