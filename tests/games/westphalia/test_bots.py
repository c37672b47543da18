"""The bots of the ledger's section 7: what they do, and the figures that a sound game has (7.3 and 7.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simlab import compiler
from simlab.bot_registry import find_bots
from simlab.games.westphalia import state as names
from tests.games.westphalia.table import GAME, NAMES, Table, match_of, scene

FIELD = ("reformer", "counter_reformer", "politique", "kaiser", "condottiere", "counter_reformer")
BOTS = ("reformer", "counter_reformer", "politique", "kaiser", "condottiere", "exile")
compiled = pytest.mark.skipif(not compiler.compiling(), reason="many games: compiled only")
plain = pytest.mark.skipif(compiler.compiling(), reason="one decision: plain Python does")


def share(rows: Any, seat: int = 0) -> float:
    """A seat's share of the wins; k winners have 1/k each."""
    return float((((rows["winners"] >> seat) & 1) / rows["winners_number"]).mean())


def mean(rows: Any, name: str) -> float:
    return float(rows[name].astype(float).mean())


def endings(rows: Any) -> list[float]:
    return [float((rows["ending"] == n).mean()) for n in range(3)]


def test_all_bots_are_there() -> None:
    assert set(find_bots(GAME)) == {*BOTS, "drifter", "random"}


@compiled
@pytest.mark.sample("condottiere")
@pytest.mark.parametrize("bot", BOTS)
def test_each_bot_beats_random_play_by_far(bot: str) -> None:
    rows = match_of(6, {}, bot, *["drifter"] * 5).play(7, 0, 400).rows
    assert share(rows) > 0.4  # 1/6 is a fair share


@compiled
def test_a_seat_is_a_seat() -> None:
    rows = match_of(6, {}, "drifter").play(7, 0, 3_000).rows
    assert all(abs(share(rows, seat) - 1 / 6) < 0.035 for seat in range(6))
    assert 0.65 < endings(rows)[2] < 0.85  # about three quarters end at the Peace of Westphalia
    assert 2.5 < mean(rows, "eliminated") < 5 and 0.8 < mean(rows, "left") < 1.6
    assert 4 < rows["clashes"].sum() / (rows["battles"].sum() + rows["league_battles"].sum()) < 6


@compiled
def test_princes_who_want_different_things() -> None:
    rows = match_of(6, {}, *FIELD).play(7, 0, 1_500).rows
    assert min(endings(rows)) > 0.12  # all three endings are common
    assert 0.9 < mean(rows, "league_wars") < 1.6 and 5 < mean(rows, "wars_players") < 8
    assert mean(rows, "white_peace") < 0.1 and 7 < rows["clashes"].sum() / rows["battles"].sum() < 14
    power = [rows[f"power_{n}"][rows[f"power_{n}"] >= 0].mean() / 10 for n in range(1, 5)]
    assert power == sorted(power) and 6 < power[0] < 8 and 9.5 < power[2] < 12
    protestant = [rows[f"protestant_{n}"].mean() / 72 for n in (1, 2, 3, 4)]
    assert 0.2 < protestant[0] < 0.3 and all(0.5 < part < 0.7 for part in protestant[1:])


@pytest.mark.long
@compiled
def test_of_one_mind_nothing_stands_in_the_way() -> None:
    assert endings(match_of(6, {}, "reformer").play(7, 0, 200).rows)[1] > 0.98
    rows = match_of(6, {}, "counter_reformer").play(7, 0, 400).rows
    assert endings(rows)[0] > 0.98
    assert 0.32 < mean(rows, "protestant_2") / 72 < 0.42  # WP-UPH-02, WP-UPH-03, WP-FTH-09 at work
    late = match_of(6, {"ottoman_crescents": 6}, "counter_reformer").play(7, 0, 400).rows
    assert 0.47 < mean(late, "protestant_2") / 72 < 0.57


@pytest.mark.long
@compiled
def test_seven_electors_are_hard_to_win() -> None:
    five = endings(match_of(5, {}, "drifter").play(7, 0, 600).rows)[2]
    assert five > 0.9


@pytest.mark.long
@compiled
def test_the_alliance_requirement_is_looked_at() -> None:
    """Sound result 9: where an alliance holds once formed, allies change more seldom and power is higher."""
    standing = match_of(6, {}, *FIELD).play(7, 0, 500).rows
    formed = match_of(6, {"alliance_requirement": "formation_only"}, *FIELD).play(7, 0, 500).rows
    assert mean(formed, "alliances") < mean(standing, "alliances")
    assert mean(formed, "power_3") > mean(standing, "power_3")


# --- Single answers -----------------------------------------------------------------------


@pytest.fixture
def asked() -> Any:
    def ask(bot: str, table: Table) -> int:
        """What a bot answers at the decision at hand."""
        match = match_of(table.players, {"start_places": "held", "setup_order": "held"}, bot)
        guest = type(table.stepper)(match, seed=1)
        guest.move_to(table.stepper)
        return int(guest.policy_action())

    return ask


@plain
def test_a_second_province_is_not_worth_the_allies_it_costs(asked: Any) -> None:
    table = scene(6).di("Hesse", red=4).di("Bohemia", red=5).enter("S_DECLARE").act(names.ON_UNALIGNED)
    table.do("Wuerttemberg")
    if table.decision == "D18":
        table.do("stop")
    assert asked("reformer", table) == names.CONQUER
    table.act(names.CONQUER)
    assert table.options()[table.legal().index(asked("reformer", table))] == "1/2"  # next door
    table.do("1/2")
    assert "1/3" in table.options()
    assert (
        asked("reformer", table) != names.NO_HEX
    )  # of the own faith, a province is worth a little more than two allies
    table.state.faith[0] = 1 - table.state.faith[0]
    assert asked("reformer", table) == names.NO_HEX  # Post-War Diplomacy takes a point, this would take another
    table.state.ally_claimed[[NAMES.index("Hesse"), NAMES.index("Bohemia")]] = 1
    assert asked("reformer", table) != names.NO_HEX


@plain
def test_an_ally_claims_nothing_where_it_would_be_lost(asked: Any) -> None:
    table = scene(6).di("Hesse", red=4).di("Bohemia", red=5).enter("S_DECLARE").act(names.ON_UNALIGNED)
    table.do("Austria").until("D31", -1).act(names.NOTHING)
    assert table.decision == "D35" and asked("reformer", table) != names.NO_HEX
    table.set(took_far=1)
    assert asked("reformer", table) == names.NO_HEX


@plain
@pytest.mark.parametrize(("ally", "rank"), [("red", names.NO_TARGET), ("blue", NAMES.index("Hesse"))])
def test_an_own_ally_stays_elector(asked: Any, ally: str, rank: int) -> None:
    table = scene(6).faith("red").di("Trier", **{ally: 2}).di("Hesse", red=4).set(league={"red": 2, "blue": 1})
    table.state.elector_fought[:] = 0
    table.state.elector_fought[NAMES.index("Trier")] = names.CATHOLIC_LEAGUE
    table.enter("S_ELECTORATE", beaten_leagues=names.CATHOLIC_LEAGUE)
    assert table.decision == "D37" and asked("kaiser", table) == rank


@plain
def test_politique_buys_influence_only_where_it_wins_or_keeps_an_ally(asked: Any) -> None:
    table = scene(5).set(gold={"red": 5}).enter("S_DIPLOMACY")
    assert (table.seat, table.decision) == ("red", "D14") and asked("politique", table) == names.BUY_DI
    table.act(names.BUY_DI, names.PLACE_DI)
    assert table.size(NAMES[asked("politique", table)]) == 2  # not one of one province, for which a point would do
    full = scene(5).set(gold={"red": 5})
    for name in NAMES:
        if full.on_map(name):
            full.di(name, blue=5)
    assert asked("politique", full.enter("S_DIPLOMACY")) == names.END_TURN


@plain
def test_reformer_converts_in_round_1_and_stays(asked: Any) -> None:
    assert asked("reformer", scene(6, turn=1).enter("S_CONVERT")) == names.CONVERT
    assert asked("reformer", scene(6, turn=2).faith("red").enter("S_CONVERT")) == names.STAY
    assert asked("counter_reformer", scene(6, turn=1).enter("S_CONVERT")) == names.STAY
    assert asked("counter_reformer", scene(6, turn=1).enter("S_TOKENS")) == names.TRENT
    assert asked("politique", scene(6, turn=1).enter("S_TOKENS")) == names.FRENCH


@plain
def test_gestures(asked: Any) -> None:
    table = scene(6).enter("S_GAME_OF_TWO")
    assert asked("politique", table) == names.GUN
    assert asked("counter_reformer", table) == names.THUMB
    table.state.gesture[1, 0] = names.GUN
    assert asked("counter_reformer", table) == names.GUN


@plain
def test_allies_are_kept_before_others_are_won(asked: Any) -> None:
    table = scene(6).di("Hesse", red=3).set(di_stored={"red": 4}, di_out={"red": 7}).enter("S_DIPLOMACY")
    assert asked("politique", table) == names.PLACE_DI
    table.act(names.PLACE_DI)
    assert NAMES[asked("politique", table)] == "Hesse"
    table.do("Hesse").act(names.PLACE_DI)
    assert NAMES[asked("politique", table)] != "Hesse"


@plain
def test_a_die_goes_where_it_turns_something(asked: Any) -> None:
    table = scene(6).faith("red").set(dice={"red": 1}, targets=(0, 0), reformation=1).enter("S_DICE")
    at = asked("reformer", table)
    owner = int(table.state.hex_owner[at])
    assert owner < 8 or int(table.state.extent[owner]) == 1


@plain
def test_an_easy_prize_is_taken(asked: Any) -> None:
    table = scene(6).di("Bohemia", red=4).enter("S_DECLARE")
    assert asked("reformer", table) == names.ON_UNALIGNED
    table.act(names.ON_UNALIGNED)
    target = NAMES[asked("reformer", table)]
    assert table.size(target) <= 3 and table.ally(target) is None


@plain
def test_the_weak_are_attacked_by_those_who_like_war(asked: Any) -> None:
    table = scene(6).di("Bohemia", red=4).di("Hesse", red=3)
    for name in NAMES[:23]:
        if table.ally(name) is None:
            table.di(name, white=table.size(name))
    table.enter("S_DECLARE")
    assert asked("condottiere", table) == asked("politique", table) == names.ON_PLAYER
    assert asked("reformer", table) == names.NO_WAR


@plain
def test_cards_of_a_clash_are_mixed(asked: Any) -> None:
    table = scene(6).cards("red", 3, 3, 3).cards("blue", 3, 3, 3).duel("red", "blue")
    counts = np.zeros(3, int)
    match = match_of(6, {"start_places": "held", "setup_order": "held"}, "politique")
    guest = type(table.stepper)(match, seed=1)
    guest.move_to(table.stepper)
    for _ in range(60):
        counts[int(guest.policy_action())] += 1
    assert (counts > 3).sum() >= 2


@plain
@pytest.mark.parametrize("bot", ["reformer", "counter_reformer", "politique", "kaiser", "condottiere", "exile"])
@pytest.mark.parametrize(
    ("turn", "red", "for_catholics"), [(4, names.WORKS, True), (4, names.SIN, False), (5, names.SIN, False)]
)  # fmt: skip
def test_a_vote_that_decides_a_victory_goes_to_whom_it_serves(
    asked: Any, bot: str, turn: int, red: int, for_catholics: bool
) -> None:
    """WP-END-02: all is Catholic but green, who is Protestant; white is saved. Red has the only allied Elector."""
    table = scene(6, turn=turn, phase=6).di("Bohemia", red=5).faith("green")
    table.set(reformation=1, role={"red": red, "white": names.WORKS}).enter("S_VOTES")
    assert (table.seat, table.decision) == ("red", "D08")
    voted = table.options()[table.legal().index(asked(bot, table))]
    assert (voted != "green") == for_catholics


@plain
def test_before_the_last_two_elections_everybody_votes_in_its_own_way(asked: Any) -> None:
    table = scene(6, turn=3, phase=6).di("Bohemia", red=5).faith("green")
    table.set(reformation=1, role={"red": names.SIN, "white": names.WORKS}).enter("S_VOTES")
    assert table.options()[table.legal().index(asked("kaiser", table))] == "red"
