"""Set-up and general rules (ledger 3.1, 3.2), and worked example W-05."""

from __future__ import annotations

import pytest

from tests.games.mighty_fortress.table import GAME, fresh, match_of, scene


def test_MF_SET_01_the_siege_lasts_14_turns() -> None:
    table = fresh()
    assert (table.turn, table.fired["MF-SET-01"]) == (1, 1)
    rows = match_of({}, "warden").play(1, 0, 200).rows
    assert int(rows["turns"].max()) == 14
    assert int(match_of({"turn_limit": 8}, "warden").play(1, 0, 200).rows["turns"].max()) == 8


def test_MF_SET_02_W_05_start_values() -> None:
    table = fresh(quiet=True)
    assert (table.defense, table.cohesion, table.requirement, table.consumption, table.food) == (
        2,
        2,
        1,
        1,
        20,
    )
    for name in (
        "entrenchment", "bombardment", "unrest", "pressure", "piety", "influence", "materials", "luxuries",
        "vp",
    ):  # fmt: skip
        assert getattr(table, name) == 0
    assert table.fired["MF-SET-02"] == 1
    other = fresh(quiet=True, defense_start=4, cohesion_start=0, consumption_start=3, food_start=30)
    assert (other.defense, other.cohesion, other.consumption, other.food) == (4, 0, 3, 30)


def test_MF_SET_03_dice_in_bag_and_pool() -> None:
    table = fresh(quiet=True)
    in_play = sum(int(n) for n in table.state.avail_of)
    assert (in_play, table.bag_count + in_play, table.black_pool) == (7, 31, 12)
    assert table.fired["MF-SET-03"] == 1
    few = fresh(
        quiet=True,
        dice_white=0,
        dice_yellow=0,
        dice_red=0,
        dice_blue=0,
        dice_purple=3,
        dice_black=2,
        base_draw=3,
    )
    assert (few.bag_count, few.available.count("P"), few.black_pool) == (0, 3, 2)


def test_MF_SET_04_six_cards_from_the_deck_with_its_cities() -> None:
    table = fresh()
    assert None not in table.queue
    assert len(set(table.queue)) == 6
    assert table.deck_left == 38
    assert table.fired["MF-SET-04"] == 1
    without = fresh(cities_in_deck=0)
    assert without.deck_left == 30


def test_MF_SET_05_siege_strength_counts_on_turn_1() -> None:
    for game in range(10):
        table = fresh(game=game, quiet=True)
        rating = {str(r["name"]): int(r["rating"]) for r in GAME.read_tables()["outsiders"]}
        assert table.siege_strength == min(5, sum(rating.get(str(name), 0) for name in table.queue))
        assert table.fired["MF-SET-05"] == 1


def test_MF_SET_06_the_card_of_turn_1_is_set_apart() -> None:
    table = fresh()
    assert table.fired["MF-SET-06"] == 1
    assert table.stepper.describe()["Fate"] == "Death of the Prophet: unrest +1; pressure +1; piety +1"
    assert 0 not in [int(c) for c in table.state.fate[: table.fate_left]]
    assert table.fate_left == 24


def test_MF_SET_07_all_elders_are_open_and_jan_sits() -> None:
    table = scene(dice="R1 B1 Y1 W1 P1", piety=10, influence=10, materials=20, luxuries=20)
    assert len([o for o in table.options() if o.startswith("seat ")]) == 12
    assert fresh().stepper.describe()["council"] == ("King Jan",)
    assert fresh().fired["MF-SET-07"] == 1


def test_MF_GEN_01_tracks_stop_at_their_ends() -> None:
    table = scene(dice="W6 W6", food=38, consumption=0).act("Ration & Scrounge")
    assert table.food == 40
    assert table.fired["MF-GEN-01"] == 1
    for knob, name in (("food_max", "food"), ("materials_max", "materials"), ("luxuries_max", "luxuries")):
        table = scene(dice="P6 P6", **{knob: 20, name: 20, "consumption": 0})
        table.act("Ration & Scrounge" if name == "food" else "Deconstruction")
        assert getattr(table, name) == 20


def test_MF_GEN_02_a_trigger_comes_before_the_next_part(effect) -> None:  # type: ignore[no-untyped-def]
    table = effect("unrest +1; defense +3", unrest=9, defense=0, strength=0, dice="W1").roll("assault", 3)
    table.act("activate Tester")
    assert table.ending == "breach_unrest"  # Defense was still 0
    assert table.fired["MF-GEN-02"] == 1


def test_MF_GEN_03_what_cannot_be_paid_cannot_be_chosen() -> None:
    table = scene(dice="W6 W6", queue=[None, None, "Brewers' Guild"], materials=1)
    assert "Negotiate Brewers' Guild (slot 3)" not in table.options()
    table = scene(dice="W6 W6", queue=[None, None, "Brewers' Guild"], materials=2)
    table.act("Negotiate Brewers' Guild (slot 3)")
    assert table.materials == 0
    assert table.fired["MF-GEN-03"] == 1


def test_MF_GEN_04_a_breach_ends_the_game_on_the_spot() -> None:
    table = scene(dice="K1 W1", queue=["Brewers' Guild"], unrest=9, defense=0).roll("assault", 1)
    table.act("Negotiate Brewers' Guild (slot 1)", "with Black 1")
    assert table.over
    assert (table.ending, table.food, table.fired["MF-GEN-04"]) == ("breach_unrest", 20, 1)


def test_MF_GEN_05_only_decks_and_luck_to_come_are_hidden() -> None:
    table = fresh()
    assert table.fired["MF-GEN-05"] == 1
    seen = table.stepper.describe(0)
    other = table.stepper.copy()
    other.redraw(0)
    assert other.describe(0) == seen == table.stepper.describe(None)
    futures = set()
    for _ in range(20):
        other = table.stepper.copy()
        table.stepper.redraw(0)
        other = table.stepper.copy()
        while int(other.state.turn) == 1:
            other.apply(other.legal()[0])
        futures.add(str(other.describe()["Fate"]))
    assert len(futures) > 3


def test_MF_GEN_06_once_a_turn_comes_back_with_the_next() -> None:
    table = scene(dice="W4")
    table.act("Ration & Scrounge")
    assert table.turn == 3
    assert "Ration & Scrounge" in table.options()
    assert table.fired["MF-GEN-06"] == 1


@pytest.mark.parametrize(
    ("knobs", "complaint"),
    [
        ({"breach_max": 6, "repel_max": 5}, "must rise"),
        ({"food_start": 30, "food_max": 20}, "exceeds food_max"),
    ],
)
def test_knobs_that_contradict_each_other_are_refused(knobs: dict[str, int], complaint: str) -> None:
    with pytest.raises(Exception, match=complaint):
        GAME.resolve_knobs(knobs)
