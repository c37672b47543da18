"""SS-EQP: nine counters, what they cost, what they add, and to what."""

from __future__ import annotations

import pytest

from tests.games.simple_siege_class.game import PACK
from tests.games.simple_siege_class.table import COUNTER_IDS, COUNTER_NAMES, Table, scene

MODIFIERS = dict(zip(COUNTER_NAMES, (3, 2, 1, 2, 2, 1, 1, 1, 1), strict=True))
ASSAULT, BOMBARD, CAMP = COUNTER_NAMES[:3], COUNTER_NAMES[3:6], COUNTER_NAMES[6:]
PRICES = {
    "modifier": (3, 2, 1, 2, 2, 1, 1, 1, 1),
    "modifier_plus_1": (4, 3, 2, 3, 3, 2, 2, 2, 2),
    "double": (6, 4, 2, 4, 4, 2, 2, 2, 2),
    "table": (6, 5, 4, 3, 2, 1, 4, 5, 6),
}
TABLE = {f"cost_{name}": price for name, price in zip(COUNTER_IDS, PRICES["table"], strict=True)}
SPENT = {"SS-BGR-02", "SS-EQP-01", "SS-EQP-02", "SS-EQP-06", "SS-EQP-09"}  # fire with every Construct


def wins(contest: str, value: int, **scenery: object) -> bool:
    """Whether a card of `value` wins: the Besieged's against a 5 in a Sally, the Besieger's against an 8."""
    if contest == "sally":
        table = scene("5C 2H 3H 4H 6H", f"{PACK[value - 1]} 2C 3C", to_act="besieged", **scenery)
        return table.act("Sally (Enemy)", "draw 1 card to defend").size("besieger") == 1
    if contest == "walls":
        table = scene(f"{PACK[value - 1]} 2H", "8C 2C", walls=1, **scenery)
        return table.act("Bombard (Walls)", "draw 1 card to defend").walls == 0
    if contest == "enemy":
        table = scene(f"{PACK[value - 1]} 2H", "8C 2C 3C 4C 6C", walls=1, **scenery)
        return table.act("Bombard (Enemy)", "draw 1 card to defend").size("besieged") == 1
    table = scene(f"2D {PACK[value - 1]} 2H 3H", "8C 2C", walls=1, **scenery)
    return table.act("Assault", "throw 1 card", "draw 1 card to defend").over


def edge_of(contest: str, **scenery: object) -> int:
    """What the counters add for the Besieger: by how much the attacker's lowest winning card moves."""
    lowest = next(value for value in range(1, 11) if wins(contest, value, **scenery))
    return lowest - 6 if contest == "sally" else 10 - lowest  # with no counters 6 beats 5, and 10 beats 8 + 1


@pytest.mark.parametrize("name", COUNTER_NAMES)
def test_SS_EQP_01_construct_mills_the_price_and_puts_the_counter_in_play(name: str) -> None:
    table = scene(besieger="9C 8D 7H 6S 5S", built=[c for c in CAMP if c < name and name in CAMP])
    before = set(table.built)
    table.act(f"Construct {name}")
    price = MODIFIERS[name]
    assert set(table.built) - before == {name}
    assert table.pile("besieger") == " ".join(["9C", "8D", "7H"][:price])  # card by card from the top
    assert table.seat == "besieged"
    assert table.fired["SS-EQP-01"] == 1
    assert table.stepper.copy().state.constructed == 1


@pytest.mark.parametrize("model", PRICES)
def test_SS_EQP_02_the_price_follows_the_model(model: str) -> None:
    knobs = {"equipment_cost_model": model, **(TABLE if model == "table" else {})}
    for name, price in zip(COUNTER_NAMES, PRICES[model], strict=True):
        table = scene(built=[c for c in CAMP if name in CAMP and c != name], **knobs).act(f"Construct {name}")
        assert 40 - table.size("besieger") == price, name
        assert table.fired["SS-EQP-02"] == 1


def test_SS_EQP_02_the_price_follows_the_modifier_in_force() -> None:
    table = scene(mod_tower=4).act("Construct Siege Tower")
    assert table.size("besieger") == 36
    table = scene(mod_tower=4, equipment_cost_model="double").act("Construct Siege Tower")
    assert table.size("besieger") == 32
    table = scene(mod_tower=4, equipment_cost_model="table").act("Construct Siege Tower")
    assert table.size("besieger") == 38


def test_SS_EQP_02_the_cost_knobs_are_read_under_the_table_only() -> None:
    for model, price in (("modifier", 3), ("modifier_plus_1", 4), ("double", 6), ("table", 1)):
        table = scene(cost_mine=1, equipment_cost_model=model).act("Construct Mine")
        assert 40 - table.size("besieger") == price


def test_SS_EQP_03_the_blank_cells_read_3_1_and_1() -> None:
    assert edge_of("assault", built=["Mine"]) == 3
    assert edge_of("walls", built=["Ample Ammunition"]) == 1
    assert edge_of("sally", built=["Camp Defences III"]) == 1
    for name, rest in (("Mine", ()), ("Ample Ammunition", ()), ("Camp Defences III", CAMP[:2])):
        assert scene(built=rest).act(f"Construct {name}").fired["SS-EQP-03"] == 1
    assert scene().act("Construct Siege Tower").fired["SS-EQP-03"] == 0


@pytest.mark.parametrize(("name", "knob"), list(zip(COUNTER_NAMES, COUNTER_IDS, strict=True)))
def test_SS_EQP_03_every_modifier_is_a_knob_and_0_takes_the_counter_out(name: str, knob: str) -> None:
    contest = "assault" if name in ASSAULT else "enemy" if name in BOMBARD else "sally"
    for value in (1, 2):
        assert edge_of(contest, built=[name], **{f"mod_{knob}": value}) == value
    options = scene(built=[c for c in CAMP if name in CAMP and c != name], **{f"mod_{knob}": 0}).options()
    assert f"Construct {name}" not in options


@pytest.mark.parametrize("contest", ["assault", "walls", "enemy", "sally"])
@pytest.mark.parametrize("name", COUNTER_NAMES)
def test_SS_EQP_04_a_counter_helps_in_its_own_contest_alone(name: str, contest: str) -> None:
    group = {"assault": ASSAULT, "walls": BOMBARD, "enemy": BOMBARD, "sally": CAMP}[contest]
    assert edge_of(contest, built=[name]) == (MODIFIERS[name] if name in group else 0)


def attacked(built: tuple[str, ...]) -> Table:
    return scene("9S 2H", "5C 2C", walls=1, built=built).act("Bombard (Walls)", "draw no card")


def test_SS_EQP_04_counts_contests_in_which_a_group_adds() -> None:
    assert attacked(("Ample Ammunition",)).fired["SS-EQP-04"] == 1  # and needs no engine
    assert attacked(("Mine", "Camp Defences I")).fired["SS-EQP-04"] == 0


def test_SS_EQP_05_the_counters_of_a_group_add_up() -> None:
    for contest, group, total in (
        ("assault", ASSAULT, 6),
        ("walls", BOMBARD, 5),
        ("enemy", BOMBARD, 5),
        ("sally", CAMP, 3),
    ):
        assert edge_of(contest, built=group) == total
        assert edge_of(contest, built=COUNTER_NAMES) == total
    assert edge_of("assault", built=ASSAULT[1:]) == 3
    assert attacked(BOMBARD).fired["SS-EQP-05"] == 1
    assert attacked(BOMBARD[:1]).fired["SS-EQP-05"] == 0


def test_SS_EQP_06_a_standing_counter_is_not_for_sale() -> None:
    for name in COUNTER_NAMES:
        others = [c for c in CAMP if name in CAMP and c != name]
        assert f"Construct {name}" in scene(built=others).options()
        assert f"Construct {name}" not in scene(built=[*others, name]).options()
    assert not [name for name in scene(built=COUNTER_NAMES).options() if name.startswith("Construct")]
    assert scene().act("Construct Mine").fired["SS-EQP-06"] == 1


def test_SS_EQP_07_a_destroyed_counter_can_be_built_again_and_again() -> None:
    table = scene(besieged="10S 9S 8S 2H")
    for times in (1, 2, 3):
        before = table.size("besieger")
        table.act("Construct Mine")
        assert before - table.size("besieger") == 3  # for the same price
        table.act("Sally (Siege Equipment)", "draw no card", "destroy Mine")
        assert table.built == []
        assert "Construct Mine" in table.options()
        assert table.fired["SS-EQP-07"] == times


def test_SS_EQP_08_counters_do_not_wear_out() -> None:
    table = scene("10S 9S 8S 7S 2H", walls=9, built=["Trebuchet"])
    for walls in (8, 7, 6):
        table.act("Bombard (Walls)", "draw no card", "Besieged")
        assert (table.walls, table.built) == (walls, ["Trebuchet"])
    assert table.fired["SS-EQP-08"] == 3


def test_SS_EQP_09_one_construct_buys_one_counter() -> None:
    for option in scene().options():
        if option.startswith("Construct"):
            table = scene().act(option)
            assert len(table.built) == 1
            assert table.seat == "besieged"
            assert table.fired["SS-EQP-09"] == 1


def test_SS_EQP_10_the_last_cards_may_pay_for_a_counter() -> None:
    table = scene("9C 8D 7H", "4D 5D").act("Construct Mine")
    assert table.size("besieger") == 0
    assert (table.built, table.result, table.seat) == (["Mine"], None, "besieged")
    assert table.fired["SS-EQP-10"] == 1
    assert scene("9C 8D 7H 6S", "4D 5D").act("Construct Mine").fired["SS-EQP-10"] == 0


def test_like_camp_defences_are_offered_once() -> None:
    def camps(**scenery: object) -> list[str]:
        return [name.removeprefix("Construct ") for name in scene(**scenery).options() if "Camp" in name]

    assert camps() == ["Camp Defences I"]
    assert camps(built=CAMP[:1]) == ["Camp Defences II"]
    assert camps(built=CAMP[1:2]) == ["Camp Defences I"]
    assert camps(mod_camp2=2) == ["Camp Defences I", "Camp Defences II"]  # I and III are alike
    assert camps(equipment_cost_model="table", cost_camp1=2) == ["Camp Defences I", "Camp Defences II"]
    assert camps(equipment_cost_model="table", mod_camp2=2) == ["Camp Defences I", "Camp Defences II"]
    assert camps(mod_camp1=2, mod_camp2=3) == [*CAMP]


def test_like_camp_defences_are_destroyed_lowest_first() -> None:
    def victims(built: tuple[str, ...], **knobs: object) -> list[str]:
        table = scene(besieged="9S 8S", built=built, to_act="besieged", **knobs)
        return table.act("Sally (Siege Equipment)", "draw no card").options()

    assert victims(CAMP) == ["destroy Camp Defences I"]
    assert victims(CAMP[1:]) == ["destroy Camp Defences II"]
    assert victims(CAMP, mod_camp2=2) == ["destroy Camp Defences I", "destroy Camp Defences II"]
    assert victims(("Mine", *CAMP)) == ["destroy Mine", "destroy Camp Defences I"]


def test_construct_fires_its_rules_and_no_others() -> None:
    fired = scene("9C 8D 7H", "4D 5D 6D").act("Construct Siege Tower").fired
    assert set(fired) == SPENT | {"SS-TRN-02", "SS-DCK-01"}
