"""Imperial Power, influence, alliances and the phase of diplomacy (ledger 3.3, 3.4 and 3.11)."""

from __future__ import annotations

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import NAMES, Table, plain_only, scene

plain_only()


def losing(table: Table, **lost: int) -> Table:
    """A treaty in which a beaten ally loses so many provinces; then all alliances are looked at."""
    for name, number in lost.items():
        table.state.lost[NAMES.index(name)] = number
    table.state.ally_t0[:] = table.state.ally
    return table.enter("S_LOSSES", treaty=names.WITH_PLAYER, victor=4, beaten=1)


# --- Imperial Power -------------------------------------------------------------------


def test_WP_IP_02_a_principality_is_as_strong_as_large() -> None:
    table = scene(5).set(gold={"red": 0}).enter("S_DECLARE").act(names.ON_UNALIGNED)
    assert set(table.options()) == {name for name in NAMES if table.on_map(name) and table.size(name) == 1}


def test_WP_IP_03_no_bonus_for_emperor_electors_and_towns() -> None:
    table = scene(5).di("Trier", red=1).move("4/0", "red", "town")
    assert table.ip("red") == 5
    bonus = scene(5, ip_emperor_bonus=3, ip_elector_ally_bonus=2, ip_town_bonus=1).di("Trier", red=1)
    assert bonus.move("4/0", "red", "town").ip("red") == 5 + 3 + 2 + 1


@pytest.mark.parametrize(
    ("schedule", "values"), [("r2345", [2, 2, 4, 6, 10]), ("r1234", [2, 4, 6, 10, 10])]
)  # fmt: skip
def test_WP_IP_04_a_home_outside_by_round(schedule: str, values: list[int]) -> None:
    found = [
        scene(5, turn=turn, home_ip_schedule=schedule).set(fp_edge={"red": 0}).ip("red") - 3 for turn in range(1, 6)
    ]
    assert found == values


def test_WP_IP_05_temporary_power_is_for_one_declaration() -> None:
    table = scene(5).set(gold={"red": 1}).enter("S_DECLARE").act(names.ON_UNALIGNED).do("Luxembourg")
    if table.decision == "D18":
        table.do("stop")
    assert table.get("gold", "red") == 0 and table.fired["WP-IP-05"] == 1 and table.ip("red") == 3


# --- Alliances ------------------------------------------------------------------------


def test_WP_ALY_01_placed_influence_stays() -> None:
    table = scene(5).set(di_stored={"red": 1}, di_out={"red": 1}).di("Hesse", red=2)
    table.set(di_out={"red": 3}).enter("S_DIPLOMACY").act(names.PLACE_DI).do("Trier")
    assert (table.di_of("Hesse", "red"), table.di_of("Trier", "red")) == (2, 1) and table.fired["WP-ALY-01"] == 1


@pytest.mark.parametrize(("switch", "ally"), [("standing", None), ("formation_only", "red")])
def test_WP_ALY_04_the_size_must_be_met_throughout(switch: str, ally: str | None) -> None:
    table = losing(scene(5, alliance_requirement=switch).di("Hesse", red=2, ally="red"))
    assert table.ally("Hesse") == ally and table.fired["WP-ALY-04"] == (ally is None)


def test_WP_ALY_05_ties_by_loss_go_by_initiative() -> None:
    table = scene(5).order("blue", "green", "red", "yellow", "black").di("Hesse", red=5, green=4, blue=4, ally="red")
    losing(table, Hesse=2)
    assert table.ally("Hesse") == "blue"


def test_WP_ALY_06_all_losses_first() -> None:
    table = scene(5).di("Hesse", red=4, blue=3, ally="red").di("Baden", red=3, ally="red")
    for name in ("Hesse", "Baden"):
        table.state.ally_whole_war[NAMES.index(name)] = 1
    table.enter("S_POSTWAR")
    assert (table.ally("Hesse"), table.ally("Baden")) == ("red", None) and table.fired["WP-ALY-06"] >= 1


def test_WP_ALY_07_an_ally_gives_power_and_a_vote_but_no_gold() -> None:
    table = scene(5).di("Bohemia", green=4)
    assert (table.ip("green"), table.ip("red")) == (7, 3)
    table.enter("S_FIRST_ELECTION", phase=6)
    assert (table.seat, table.decision) == ("green", "D08")
    assert scene(5).di("Bohemia", green=4).enter("S_CONVERT").act(*[0] * 5).get("gold", "green") == 2


@pytest.mark.parametrize(
    ("shares", "expected"),
    [({"blue": 1}, 3), ({"blue": 3, "green": 2}, 3), ({"green": 3, "blue": 1}, 4), ({"green": 5}, 6)],
)
def test_WP_ALY_08_influence_sufficient_to_become_ally(shares: dict[str, int], expected: int) -> None:
    table = scene(6, turn=3).faith("red").di("Hesse", **shares)
    hesse = NAMES.index("Hesse")
    table.state.marker[hesse], table.state.declarer[hesse] = names.UPRIGHT, 0
    table.set(has_declared={"red": names.RELIGIOUS}, league={"red": names.EVANGELICAL_LEAGUE})
    table.enter("S_LEAGUES")
    while table.decision == "D36":
        table.act(1 if table.seat == "blue" else 2 if table.seat == "green" and 2 in table.legal() else 0)
    assert table.di_of("Hesse", "blue") == expected and table.ally("Hesse") == "blue"


def test_WP_ALY_09_stored_influence_must_be_placed() -> None:
    table = scene(5).set(di_stored={"red": 2}, di_out={"red": 2}, gold={"red": 1}).enter("S_DIPLOMACY")
    assert names.END_TURN not in table.legal()
    table.act(names.PLACE_DI).act(0).act(names.PLACE_DI).act(0)
    assert names.END_TURN in table.legal()
    table.act(names.END_TURN)
    assert table.fired["WP-ALY-09"] == 1 and table.get("di_stored", "red") == 0


# --- Diplomacy ------------------------------------------------------------------------


def test_WP_DIP_03_two_games_with_two_partners() -> None:
    table = scene(6).enter("S_GAME_OF_TWO")
    pairs = []
    while table.decision == "D13":
        one = table.seat
        table.act(0)
        pairs.append({one, table.seat})
        table.act(1)
    assert len(pairs) == 6 and all(sum(seat in pair for pair in pairs) == 2 for seat in ("red", "blue", "white"))
    assert table.fired["WP-DIP-03"] == 6


def test_WP_PLC_01_WP_PLC_02_WP_PLC_03_a_turn_of_diplomacy() -> None:
    table = scene(5).turn_pr("Mainz").di("Mainz", blue=1).set(gold={"red": 2}).enter("S_DIPLOMACY")
    assert table.seat == "red" and names.PLACE_DI not in table.legal()
    table.act(names.BUY_DI)
    assert (table.get("gold", "red"), table.get("di_stored", "red")) == (1, 1)
    table.act(names.PLACE_DI).do("Mainz")  # of the other faith, allied to another
    assert table.di_on("Mainz") == {"red": 1, "blue": 1} and table.ally("Mainz") == "blue"
    table.act(names.END_TURN)
    assert {"WP-PLC-01", "WP-PLC-02", "WP-PLC-03"} <= set(table.fired)


def test_WP_PLC_04_a_vassal_keeps_its_faith() -> None:
    table = scene(5).move("4/0", "red", "town").turn_hex("4/0").enter("S_DIPLOMACY").act(names.RELEASE)
    new = NAMES[20]
    assert table.land(new) == {"4/0"} <= table.protestant and table.ally(new) == "red"
    assert table.ip("red") == 4 and table.fired["WP-PLC-04"] == 1


def test_WP_PLC_05_what_may_be_given_to_whom() -> None:
    table = scene(5).turn_pr("Bohemia").set(gold={"red": 1}).enter("S_DIPLOMACY").act(names.GIVE)
    assert set(table.options()) <= {"6/1", "7/0"}  # neither town nor capital
    options = {place: set(table.copy().do(place).options()) for place in table.options()}
    assert all("Bohemia" not in found and "Austria" not in found for found in options.values())
    none = scene(5, principality_max_size=3).turn_pr(*[name for name in NAMES[:20] if name != "Bavaria"])
    none.set(gold={"red": 1}).enter("S_DIPLOMACY")
    assert names.GIVE not in none.legal()  # Bavaria has three provinces, all others are of the other faith


def test_WP_PLC_06_a_gift_may_make_an_ally() -> None:
    table = scene(5).di("Saxony", blue=2).move("5/1", "red").enter("S_DIPLOMACY").act(names.GIVE)
    table.do("5/1")
    if table.decision == "D15":
        table.do("Saxony")
    assert table.fired["WP-PLC-06"] == 1
    assert (table.size("Saxony"), table.ally("Saxony"), table.di_of("Saxony", "red")) == (3, None, 1)


def test_WP_PLC_07_without_principalities_influence_is_lost() -> None:
    table = scene(5).set(di_stored={"red": 2}, di_out={"red": 2})
    table.state.on_map = 0
    table.enter("S_DIPLOMACY")
    assert table.get("di_stored", "red") == table.get("di_out", "red") == 0 and table.fired["WP-PLC-07"] == 1
