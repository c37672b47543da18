"""The worked examples of the ledger, section 9: the rulebook prints none."""

from __future__ import annotations

import pytest

from simlab.games.westphalia import state as names
from tests.games.westphalia.table import (
    NAMES,
    PLACE_NAMES,
    Table,
    match_of,
    plain_only,
    scene,
    seat_of,
)

plain_only()

from simlab.engine.match import Stepper  # noqa: E402 - nothing is needed where the module is skipped


def test_EX_01_opening_power() -> None:
    """WP-IP-01, WP-SET-02."""
    table = scene()
    assert [table.ip(seat) for seat in ("red", "blue", "white")] == [3, 3, 3]


@pytest.mark.parametrize(
    ("hexes", "legal"),
    [("5/2 6/2 5/3", True), ("5/2 6/2 5/1", True), ("4/2 5/2 6/2", False), ("5/2 6/2 8/2", False)],
)
def test_EX_02_shapes(hexes: str, legal: bool) -> None:
    """WP-SET-04."""
    table = Table(Stepper(match_of(6, {"setup_mode": "placed", "setup_order": "held"}), seed=1))
    first, second, third = hexes.split()
    table.do(first)
    fits = second in table.options()
    if fits:
        table.do(second)
        fits = third in table.options()
    assert fits is legal


def test_EX_03_initiative() -> None:
    """WP-RND-02."""
    table = scene(5, turn=2, emperor="green", upheaval_early=0, upheaval_late=0)
    for seat, ally, influence in (("red", "Bohemia", 4), ("blue", "Saxony", 2), ("yellow", "The Palatinate", 2)):
        table.di(ally, **{seat: influence})
    table.di("Brandenburg", green=3).di("Austria", green=3)
    table.di("Baden", black=3).di("Cologne", black=1).di("Liege", black=1)
    assert [table.ip(seat) for seat in ("red", "blue", "green", "yellow", "black")] == [7, 5, 9, 5, 8]
    table.enter("S_ROUND")
    assert table.state.initiative[:5].tolist() == [2, 3, 1, 0, 4]
    assert table.fired["WP-RND-02"] == table.fired["WP-RND-03"] == table.fired["WP-RND-04"] == 1


def test_EX_04_upheaval_of_round_1() -> None:
    """WP-UPH-02, WP-UPH-03, WP-UPH-06."""
    table = scene(5, turn=0).force("upheaval", 0, 12, 11, 6, 8).enter("S_ROUND")
    turned = [NAMES[pr] for pr in range(20) if table.state.pr_faith[pr]]
    assert turned == ["Trier", "Austria", "Hesse", "Lorraine", "Savoy"]
    provinces = set().union(*(table.land(name) for name in turned))
    assert table.protestant - provinces == {"3/5", "3/4", "2/2"} and len(table.protestant) == 16
    assert "2/5" not in table.protestant
    assert not table.state.gold[:5].any() and not table.state.marker.any()
    assert table.fired["WP-UPH-03"] == 1


def six_in_round_1() -> Table:
    return scene(6, turn=1)


def test_EX_05_first_conversions() -> None:
    """WP-CNV-01 to WP-CNV-06, WP-INC-01. A to F are red to white."""
    table = six_in_round_1().enter("S_CONVERT")
    for seat, choice in zip(("red", "blue", "green", "yellow", "black", "white"), (0, 1, 0, 1, 1, 0), strict=True):
        assert (table.seat, table.decision) == (seat, "D09")
        assert not table.state.faith[:6].any()  # nothing is shown before all have chosen
        table.act(choice)
    assert [table.role(seat) for seat in ("blue", "yellow", "black")] == ["FA", "FA", "hell"]
    assert int(table.state.fa_free) == 0
    homes = {PLACE_NAMES[int(table.state.home[seat_of(seat)])] for seat in ("blue", "yellow", "black")}
    assert homes == table.protestant
    assert table.state.gold[:6].tolist() == [2, 5, 2, 5, 5, 2]
    assert table.state.monastery[:6].tolist() == [1, 0, 1, 0, 0, 1]
    assert table.fired["WP-CNV-05"] == 3


def test_EX_06_a_return() -> None:
    """WP-CNV-07, WP-CNV-08, WP-CNV-10."""
    table = scene(6, turn=3).faith("blue", "yellow", "black")
    table.set(saints={"red": 1}, gw_die={"red": 2, "green": 4, "white": 1}, role={"red": 3, "green": 3})
    table.enter("S_CONVERT").act(0, 1, 0, 0, 0, 0)
    assert table.role("black") == "FA"
    assert (table.role("blue"), table.get("gw_die", "blue"), table.get("saints", "blue")) == ("sin", 2, 0)
    assert (table.role("red"), table.role("green")) == ("FW", "FW")
    assert table.get("monastery", "blue") == 0
    assert table.fired["WP-CNV-07"] == table.fired["WP-CNV-08"] == 1


@pytest.mark.parametrize(("die", "concludes"), [(3, True), (2, False)])
def test_EX_07_the_council(die: int, concludes: bool) -> None:
    """WP-TRE-01 to WP-TRE-05."""
    table = scene(6, turn=1).faith("white").force("ottoman", die - 1)
    table.set(gold=(1, 1, 1, 1, 1))  # so that patronage is asked before the dice are rolled
    table.enter("S_TOKENS").act(1, 1, 1, 0, 0)
    assert table.state.gw_die[:5].tolist() == [3, 3, 3, 2, 2]  # and two for the Monastery
    assert table.state.di_stored[:5].tolist() == [0, 0, 0, 1, 1]
    assert table.state.saints[:5].tolist() == [2 * concludes] * 5
    assert table.state.gold[:5].tolist() == [1 if concludes else 2] * 5
    assert bool(table.state.reformation) is concludes


def test_EX_08_lepanto() -> None:
    """WP-TRE-06."""
    table = scene(6, turn=2).faith("green", "yellow", "black", "white").set(gw_die={"red": 3})
    table.enter("S_ROUND_END")
    assert (table.get("saints", "red"), table.get("gw_die", "red"), table.role("red")) == (2, 3, "FW")
    assert (table.get("saints", "blue"), table.get("gw_die", "blue"), table.role("blue")) == (2, 0, "FW")
    assert int(table.state.reformation) == 1 and table.fired["WP-TRE-06"] == 1
    table.until("D12")
    assert table.fired["WP-TRE-01"] == 0 and table.fired["WP-FTH-09"] == 0


def test_EX_09_earning_dice() -> None:
    """WP-FTH-01, WP-FTH-02."""

    def rolled(table: Table, gold: int) -> int:
        table.enter("S_EARN")
        while table.decision == "D11":
            table.act(gold if table.seat == "red" else 0)
        return int(table.state.count[names.N_DICE])

    def alone(turn: int) -> Table:
        """Red is the only player who rolls dice."""
        table = scene(6, turn=turn, emperor="red", ora_gw=0).set(reformation=1)
        return table.faith("red")

    assert rolled(alone(2).set(gold={"red": 2}), 2) == 13
    assert rolled(alone(4), 0) == 7
    table = scene(6, turn=3, emperor="blue", ora_gw=0).faith("blue", role="hell").set(monastery={"red": 0})
    table.set(gw_die={"green": 4, "yellow": 4}, saints={"red": 3, "green": 4, "yellow": 4}).enter("S_EARN")
    assert (table.get("dice", "red"), table.get("gold", "red"), table.role("red")) == (3, 1, "sin")
    table.act(1).until("D12")
    assert int(table.state.count[names.N_DICE]) == 3 + 2 + (4 + 2) * 2 + 5 + 2


def test_EX_10_salvation_race() -> None:
    """WP-FTH-04, WP-ROL-01: four crucifixes."""
    table = scene(6, turn=3, emperor="blue", ora_gw=0).faith("blue", "green", "yellow", "black", "white")
    table.set(reformation=1, saints={"red": 1}, gw_die={"red": 3}, monastery={"red": 0})
    table.set(saints={"red": 4}).force("faith_red", 0, 1, 2, 0, 5, 5).enter("S_EARN")
    assert (table.get("saints", "red"), table.get("gw_die", "red")) == (5, 2)  # a Saint more, and a die of 2
    assert table.fired["WP-ROL-01"] == 1


def dice_on(table: Table, **dice: int) -> Table:
    """So many successes each, nobody has placed any; red chooses first."""
    table.set(dice=dict.fromkeys(("red", "blue", "green", "yellow", "black", "white")[: table.players], 0))
    return table.set(dice=dice, targets=(0, 0), reformation=1)


def place(table: Table, where: str, times: int = 1) -> Table:
    for _ in range(times):
        if table.decision == "D12":
            table.do(where)
    return table


@pytest.mark.parametrize(
    ("catholic", "protestant", "converts", "flame"), [(0, 3, True, 0), (1, 3, False, 1), (1, 4, True, 1)]
)
def test_EX_11_dice_on_a_principality(catholic: int, protestant: int, converts: bool, flame: int) -> None:
    """WP-FTH-11, WP-FTH-12."""
    table = scene(5).faith("yellow")  # yellow sits on S3, red on S0; Bavaria (3 provinces) lies between
    table.turn_pr("Savoy").order("red", "yellow", "blue", "green", "black")
    table = dice_on(table, red=catholic, yellow=protestant)
    for hex_ in ("3/1", "2/1", "3/0"):  # a way for red
        table.turn_hex(hex_, 0)
    home = PLACE_NAMES[int(table.state.home[table.power("Bavaria")])]
    table.enter("S_DICE")
    place(table, home, catholic + protestant)
    assert (len(table.land("Bavaria") & table.protestant) == 3) is converts
    assert int(table.state.marker[8]) == flame


def test_EX_12_dice_on_player_provinces() -> None:
    """WP-FTH-13, WP-FTH-15."""
    for protestant, turned in ((2, False), (3, True)):
        table = scene(5).set(gold={"red": 3})
        table.move("5/0", "red", "town")
        at = PLACE_NAMES.index("5/0")
        table.state.hex_dice[at] = (1, protestant)
        if turned:
            table.state.hex_dice[int(table.state.home[0])] = (0, 1)
        dice_on(table).enter("S_DICE")
        assert ("5/0" in table.protestant) is turned
        assert table.get("gold", "red") == (0 if turned else 3)
        assert PLACE_NAMES[int(table.state.home[0])] not in table.protestant


def test_EX_13_reach() -> None:
    """WP-FTH-06, WP-FTH-07."""
    table = scene(5).faith("yellow").turn_pr("Savoy").order("yellow", "red", "blue", "green", "black")
    dice_on(table, yellow=1).enter("S_DICE")
    capitals = {name: PLACE_NAMES[int(table.state.home[table.power(name)])] for name in NAMES[:20]}
    expected = {"2/5", "3/4", "3/5", "2/2", "1/3"}
    expected |= {capitals[name] for name in ("Savoy", "Cologne", "Bavaria", "Brandenburg")}
    assert set(table.options()) == expected


def test_EX_14_diplomacy_ring() -> None:
    """WP-DIP-01, WP-DIP-02."""
    table = scene(5).enter("S_GAME_OF_TWO")
    gestures = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    for (one, other), (mine, theirs) in zip(pairs, gestures, strict=True):
        shown = {one: mine, other: theirs}
        table.act(shown[min(one, other)], shown[max(one, other)])
    assert table.state.di_stored[:5].tolist() == [4, 6, 1, 1, 6]
    assert table.fired["WP-DIP-01"] == 5


def test_EX_15_alliance() -> None:
    """WP-ALY-02, WP-ALY-03, WP-ALY-05."""
    table = scene(6)
    table.set(di_stored={"red": 9, "blue": 9}, di_out={"red": 9, "blue": 9}).order("red", "blue")

    def put(seat: str, number: int) -> None:
        for _ in range(number):
            table.state.seat = seat_of(seat)
            table.enter("S_DIPLOMACY", at=seat_of(seat)).act(1).do("Hesse")

    for seat, number, ally in (("red", 2, None), ("blue", 3, "blue"), ("red", 1, "blue"), ("red", 1, "red")):
        put(seat, number)
        assert table.ally("Hesse") == ally


def test_EX_16_a_gift() -> None:
    """WP-PLC-05: Saxony (5/0, 4/0) lies next to red's plain hex 6/1? It borders 5/0."""
    table = scene(5).di("Saxony", red=2)
    table.move("5/1", "red").enter("S_DIPLOMACY")
    before = table.ip("red")
    table.act(4).do("5/1").do("Saxony")
    assert (table.size("Saxony"), table.di_of("Saxony", "red"), table.ally("Saxony")) == (3, 3, "red")
    assert table.ip("red") == before


def unaligned_war() -> Table:
    """EX-17: yellow on S3, ally Saxony; it has named Cologne and Luxembourg."""
    table = scene(5).di("Saxony", yellow=2).set(gold={"yellow": 1})
    assert table.ip("yellow") == 5
    table.order("yellow", "red", "blue", "green", "black").enter("S_DECLARE").act(1)
    table.do("Cologne", "Luxembourg")
    return table


def test_EX_17_war_on_unaligned_principalities() -> None:
    """WP-WAR-07, WP-PCE-02, WP-PCE-03, WP-PCE-06, WP-PCE-10, WP-PCE-07."""
    table = unaligned_war()
    if table.decision == "D18":
        table.do("stop")
    assert table.get("gold", "yellow") == 0 and table.decision == "D31"
    other = table.copy()
    table.act(names.CONQUER)
    assert table.fired["WP-PCE-02"] == 1  # the only legal hex, and no second one, were taken unasked
    assert "5/3" in table.land("yellow")
    assert (table.di_of("Saxony", "yellow"), table.ally("Saxony"), table.ip("yellow")) == (1, None, 4)
    other.act(names.VASSALIZE).do("Luxembourg")
    assert (other.ally("Luxembourg"), other.di_of("Luxembourg", "yellow")) == ("yellow", 2)
    assert (other.di_of("Saxony", "yellow"), other.ip("yellow")) == (2, 7)


def test_EX_18_battle_phases() -> None:
    """WP-WAR-10, WP-WAR-11."""
    table = scene(6).enter("S_DECLARE")
    attacks = [
        ("red", "blue"),
        ("green", "yellow"),
        ("blue", "green"),
        ("yellow", "red"),
        ("black", "white"),
        ("white", "black"),
    ]
    order = [attacker for attacker, _ in attacks]
    table = scene(6).order(*order).enter("S_DECLARE")
    for attacker, defender in attacks[:-1]:
        assert table.seat == attacker
        table.act(names.ON_PLAYER)
        if table.decision == "D20":  # not where one alone is left
            table.do(defender)
    assert table.seat == "white"
    table.act(names.ON_PLAYER)  # black alone is left: it is not asked whom
    assert table.state.war_phase[:6].tolist() == [1, 1, 2, 2, 1, 2]
    pairs = list(zip(table.state.war_attacker[:6].tolist(), table.state.war_defender[:6].tolist(), strict=True))
    assert pairs == [(seat_of(a), seat_of(d)) for a, d in attacks]
    assert table.state.declared_on[:6].tolist() == [1] * 6


@pytest.mark.parametrize(
    ("ours", "theirs", "cards", "reserves"),
    [(8, 4, (0, 0), (0, 0)), (7, 4, (7, 4), (0, 0)), (15, 10, (12, 10), (3, 0))],
)
def test_EX_19_automatic_win(ours: int, theirs: int, cards: tuple[int, int], reserves: tuple[int, int]) -> None:
    """WP-BAT-02, WP-BAT-03."""
    table = war(scene(6), ours, theirs)
    if cards == (0, 0):
        assert int(table.state.war_result[0]) == names.ATTACKER_WON and table.decision == "D31"
        return
    assert (sum(table.hand("red")), sum(table.hand("blue"))) == cards
    assert (table.get("reserve", "red"), table.get("reserve", "blue")) == reserves


def war(table: Table, ours: int, theirs: int) -> Table:
    """Red has declared war on blue; their Imperial Power comes of principalities made as large as needed."""
    table.state.wars = 1
    table.state.war_attacker[0], table.state.war_defender[0] = 0, 1
    table.state.war_phase[0], table.state.war_result[0] = 1, names.AT_WAR
    for seat, power in (("red", ours), ("blue", theirs)):
        table.state.extent[seat_of(seat)] = power  # the number alone counts here
    return table.enter("S_BATTLE_PHASE", battle_phase=0)


def test_EX_20_a_short_battle() -> None:
    """WP-BAT-07 to WP-BAT-12."""
    table = scene(6, turn=2).cards("red", 2, 1, 1).cards("blue", 1, 2, 1)
    table.duel("red", "blue").clash(red="M", blue="P")
    assert (table.hand("red"), table.hand("blue")) == ((2, 1, 1), (1, 1, 1))
    table.clash(red="C", blue="M")
    assert int(table.state.war_result[0]) == names.ATTACKER_WON
    assert table.fired["WP-BAT-10"] == 1 and table.fired["WP-BAT-12"] == 1


def test_EX_21_stopped_cavalry() -> None:
    """WP-BAT-08."""
    table = scene(6).cards("red", 1, 2, 0).cards("blue", 0, 0, 3).duel("red", "blue").clash(red="P", blue="C")
    assert int(table.state.war_result[0]) == names.ATTACKER_WON
    table = scene(6).cards("red", 1, 2, 0).cards("blue", 2, 0, 3).duel("red", "blue").clash(red="P", blue="C")
    assert table.hand("blue") == (2, 0, 2) and table.get("barred", "blue") == 1
    table.clash(red="M")  # blue may play M alone: not asked
    assert table.hand("blue") == (1, 0, 2)
    assert table.seat == "blue" and len(table.legal()) == 2  # red holds Pikemen alone


@pytest.mark.parametrize(
    ("hand", "doctrine", "after"),
    [((1, 2, 3), 4, (3, 4, 1)), ((2, 0, 2), 6, None), ((1, 1, 0), 3, (0, 0, 4))],
)
def test_EX_22_doctrines(hand: tuple[int, int, int], doctrine: int, after: tuple[int, int, int] | None) -> None:
    """WP-DOC-03: Tercio, Innovative, Aristocratic."""
    table = scene(6).cards("red", *hand).cards("blue", 2, 2, 2).set(gold={"red": 1})
    table.state.doctrine[0, doctrine] = 1
    table.state.slot[0] = (0, 1)
    table.state.fighter[:2] = (0, 1)
    table.set(fighters=2, melee=0, war=0, wars=1, war_phase=(3,), battle_phase=3).enter("S_MUSTER")
    table.act(doctrine)
    if after is None:
        assert table.decision == "D26"  # straight to the purchase
        return
    assert table.decision == "D23"
    table.act(1)
    assert table.hand("red") == after


def test_EX_23_reinforcement() -> None:
    """WP-BAT-15."""
    table = scene(6).cards("red", 2, 2, 1, pile=(1, 1, 1)).cards("blue", 2, 2, 2)
    table.set(reserve={"red": 3}).duel("red", "blue").clash(red="M", blue="M")
    assert (table.seat, table.decision) == ("red", "D30")
    table.act(0, 0, 2)
    assert table.hand("red", "discard") == (0, 1, 0) and table.hand("red") == (3, 2, 2)
    assert table.get("called", "red") == 1 and table.decision == "D27"
    table.clash(red="M", blue="M")
    assert table.decision == "D27"


def test_EX_24_a_treaty() -> None:
    """WP-PCE-10, 11, 14, 16, 19, 20: see the helper for who is who."""
    table = treaty_of_24()
    assert (table.decision, table.seat) == ("D31", "red")
    table.act(names.CONQUER).do("7/0")
    assert table.decision == "D35" and table.fired["WP-PCE-14"] == 0
    table.do("9/2").do("8/0")
    assert [table.size(name) for name in ("Saxony", "Bohemia", "Mainz", "Lorraine")] == [3, 4, 2, 2]
    assert [table.di_of(name, "red") for name in ("Saxony", "Bohemia", "Mainz")] == [2, 3, 0]
    assert table.di_of("Lorraine", "blue") == 2
    assert [table.ally(name) for name in ("Saxony", "Bohemia", "Mainz", "Lorraine")] == [None, None, None, "blue"]
    assert "7/0" in table.towns & table.land("red")
    assert {"WP-PCE-10", "WP-PCE-11", "WP-PCE-14", "WP-PCE-16", "WP-PCE-19", "WP-PCE-20"} <= set(table.fired)


def treaty_of_24() -> Table:
    """P = 5. Winner red (S0: 6/0 6/1 7/0); loser blue (capital 10/0, plain 9/1 and 8/0, town 7/0 taken from red).

    X Saxony (2, here 9/0 and 5/0), Y Bohemia (4), Z Mainz (1: 11/0 moved to 10/2), Q Lorraine (9/3 9/2 10/3).
    """
    table = scene(5)
    table.move("7/0", "blue", "town").move("10/1", "Wuerttemberg").move("8/0", "blue")
    table.move("9/0", "Saxony").move("4/0", "red")
    table.move("10/2", "Mainz", "capital").move("11/0", "Wuerttemberg")
    table.di("Saxony", red=3).di("Bohemia", red=4).di("Mainz", red=1).di("Lorraine", blue=3)
    table.set(treaty=names.WITH_PLAYER, victor=0, enemy_players=2, enemy_prs=1 << NAMES.index("Lorraine"))
    table.state.adjacent[0] = ((1 << 48) - 1, (1 << 48) - 1)
    return table.enter("S_TREATY")


def test_EX_25_post_war() -> None:
    """WP-PWD-01, WP-PWD-03."""
    table = scene(5).di("Hesse", red=4).di("Baden", red=3).di("Savoy", red=3)
    for name, whole, claimed in (("Hesse", 1, 0), ("Baden", 1, 1), ("Savoy", 0, 0)):
        table.state.ally_whole_war[NAMES.index(name)] = whole
        table.state.ally_claimed[NAMES.index(name)] = claimed
    table.enter("S_POSTWAR")
    assert [table.di_of(name, "red") for name in ("Hesse", "Baden", "Savoy")] == [3, 3, 3]
    assert table.ally("Hesse") == "red" and table.fired["WP-PWD-01"] == 1


def test_EX_26_leagues_form() -> None:
    """WP-REL-02 to WP-REL-08. A to F are red to white; A (FA) declared on Hesse."""
    table = scene(6, turn=3, emperor="black").faith("red", "white").faith("green", role="hell")
    table.state.role[seat_of("black")] = names.WORKS
    table.di("Hesse", blue=4, yellow=2, red=2, black=1)
    hesse = NAMES.index("Hesse")
    table.state.marker[hesse], table.state.declarer[hesse] = names.UPRIGHT, 0
    table.set(has_declared={"red": names.RELIGIOUS}, league={"red": names.EVANGELICAL_LEAGUE})
    table.order("black", "red", "blue", "green", "yellow", "white").enter("S_LEAGUES")
    assert table.di_of("Hesse", "red") == 1
    assert (table.seat, table.legal()) == ("black", [0, 1])
    table.act(1)
    assert (table.seat, table.legal()) == ("blue", [0, 1, 2])
    table.act(0)
    assert table.di_of("Hesse", "blue") == 0 and table.ally("Hesse") is None
    table.act(2, 1, 0)
    assert table.di_of("Hesse", "yellow") == 3 and table.ally("Hesse") == "yellow"
    assert table.state.league[:6].tolist() == [2, 0, 2, 1, 1, 0]
    assert int(table.state.fought) == 1


def test_EX_27_the_queue() -> None:
    """WP-REL-12, WP-REL-18, WP-REL-19, WP-REL-26. E, D of the Catholic League are blue and green; A is red."""
    table = scene(6, turn=2).faith("red").order("blue", "green", "red", "yellow", "black", "white")
    hesse = NAMES.index("Hesse")
    table.state.marker[hesse], table.state.declarer[hesse] = names.UPRIGHT, 0
    table.set(league={"red": 2, "blue": 1, "green": 1}, has_declared={"red": names.RELIGIOUS})
    table.enter("S_LEAGUE_WAR")
    table.cards("red", 0, 3, 1).cards("blue", 0, 0, 2).cards("green", 2, 2, 2)
    assert table.state.slot[0].tolist() == [1, 0] and int(table.state.queue_len[0]) == 1
    for seat in ("red", "blue", "green"):
        table.state.shown[seat_of(seat)] = 0
    table.until("D27").clash(blue="C", red="P")
    if table.decision == "D30":
        table.act(3)
    assert table.state.slot[0].tolist() == [2, 0] and table.hand("red") == (0, 3, 1)
    assert table.fired["WP-REL-14"] == 1 and table.fired["WP-REL-18"] == 1
    table.cards("red", 0, 0, 2)
    table.clash(red="C", green="P")
    assert int(table.state.beaten_leagues) == names.EVANGELICAL_LEAGUE
    assert table.fired["WP-REL-19"] == 1 and table.seat == "blue" and table.decision in ("D31", "D37")


def test_EX_28_becoming_a_foreign_power() -> None:
    """WP-FP-03 to WP-FP-11."""
    table = scene(5, turn=2)
    # X is red: 6/0 6/1 7/0 and three more of Bohemia's, one of them a town-province
    table.move("8/0", "red", "town").move("5/0", "red").move("4/0", "red")
    table.move("9/0", "Hesse")
    table.di("Hesse", ally="red", red=3).di("Baden", ally="red", red=2)
    assert table.size("red") == 6
    table.order("red", "blue", "green", "yellow", "black").enter("S_FOREIGN").act(0)
    while table.decision in ("D40", "D40b"):
        table.act(table.legal()[0])
    assert table.get("fp_edge", "red") == 0 and table.size("red") == 0
    assert table.get("di_stored", "red") == 4
    new = [name for name in NAMES if table.on_map(name) and table.ally(name) == "red"]
    assert len(new) == 1 and table.size(new[0]) == 4 and table.di_of(new[0], "red") == 4
    assert table.ip("red") == 2 + 4
    assert {"WP-FP-03", "WP-FP-06", "WP-FP-09", "WP-FP-10", "WP-FP-11"} <= set(table.fired)


def test_EX_29_eliminated() -> None:
    """WP-FP-14."""
    table = scene(5, turn=3).di("Hesse", blue=3).di("Baden", blue=2).set(gold={"blue": 2}, beaten=2)
    for place_ in sorted(table.land("blue")):
        table.move(place_, "red")
    table.enter("S_ELIMINATE")
    assert (table.seat, table.decision, len(table.legal())) == ("blue", "D41", 6)
    table.act(2)
    assert (table.get("gold", "blue"), table.get("di_stored", "blue"), table.get("fp_edge", "blue")) == (0, 2, 2)
    assert not table.di_on("Hesse") and table.ip("blue") == 4
    assert table.fired["WP-FP-14"] == table.fired["WP-PCE-21"] == 1


def test_EX_30_election() -> None:
    """WP-ELE-01 to WP-ELE-04."""
    table = scene(5, emperor="black").faith("blue", "yellow")
    table.di("Trier", blue=1).di("Mainz", blue=1).di("Bohemia", green=4).di("Saxony", yellow=2)
    table.turn_pr("Saxony", "The Palatinate", "Brandenburg")
    table.enter("S_FIRST_ELECTION", phase=6)
    for seat, choice in (("blue", "blue"), ("blue", "blue"), ("green", "green"), ("yellow", "yellow")):
        assert table.seat == seat
        table.do(choice)
    assert table.state.votes[:5].tolist() == [0, 4, 2, 1, 0]
    assert int(table.state.emperor) == seat_of("blue")
    assert table.fired["WP-ELE-03"] == 2


def test_EX_31_victory_tests() -> None:
    """WP-END-01, WP-END-02."""

    def at_end(players: int, turn: int, provinces: int, electors: int) -> Table:
        table = scene(players, turn=turn, emperor="red").faith("red", "blue")
        for pr in range(electors):
            table.turn_pr(NAMES[pr])
        for pr in range(7, 40):
            name = NAMES[pr]
            if table.on_map(name) and len(table.protestant) + table.size(name) <= provinces:
                table.turn_pr(name)
        for seat in ("green", "yellow", "black"):
            for place_ in sorted(table.land(seat)):
                if len(table.protestant) < provinces and PLACE_NAMES.index(place_) != table.state.home[seat_of(seat)]:
                    table.turn_hex(place_)
        assert len(table.protestant) == provinces
        return table.enter("S_ROUND_END", reformation=1)

    won = at_end(6, 4, 37, 6)
    assert won.over and won.winners == ["red", "blue"] and int(won.state.ending) == names.PROTESTANT_VICTORY
    assert not at_end(6, 4, 36, 6).over
    assert not at_end(7, 4, 60, 6).over
    early = at_end(6, 3, 40, 6)
    assert not early.over and early.fired["WP-END-02"] == 0


def test_EX_32_westphalia() -> None:
    """WP-END-06 to WP-END-08: p0 to p2 are red, blue and green."""
    table = scene(5, turn=5, emperor="yellow")
    table.move("5/0", "red", "town").move("4/0", "red", "town").turn_hex("4/0").move("8/0", "red")
    table.di("Bavaria", red=3).di("Baden", red=0)
    table.move("5/1", "Trier")  # Bavaria keeps 2
    table.di("Trier", red=2)
    table.di("Wuerttemberg", green=3).di("Lorraine", green=3).di("Bohemia", green=4)
    for place_ in ("6/0",):
        assert place_ in table.land("red")
    reds = table.size("red") + table.size("Bavaria") + table.size("Trier") + 2
    greens = table.size("green") + 3 + 3 + 4
    extra = reds - greens
    assert extra in (-2, -1, 0, 1, 2, -3)
    table.enter("S_ROUND_END", reformation=1)
    assert table.over or table.decision == "D43"
    final = {seat: int(table.state.final_ip[seat_of(seat)]) for seat in ("red", "green")}
    if table.over:
        assert final == {"red": reds, "green": greens}
    else:
        assert (table.seat, set(table.options())) == ("yellow", {"red", "green"})


def test_EX_34_one_card_each() -> None:
    """WP-BAT-13, exact: of 36 x 35 pairs of cards a third less one each are of a kind."""
    deck = [kind for kind in range(3) for _ in range(12)]
    pairs = [(a, b) for at, a in enumerate(deck) for other, b in enumerate(deck) if at != other]
    alike = sum(a == b for a, b in pairs)
    assert alike * 35 == len(pairs) * 11
    beats = {0: 1, 1: 2, 2: 0}
    assert sum(beats[a] == b for a, b in pairs) * 35 == len(pairs) * 12
    for mine in range(3):
        for theirs in range(3):
            hands = {n: [0, 0, 0] for n in (0, 1)}
            hands[0][mine] = hands[1][theirs] = 1
            table = scene(6).cards("red", *hands[0]).cards("blue", *hands[1]).duel("red", "blue")
            result = int(table.state.war_result[0])
            if mine == theirs:
                assert result == names.WHITE_PEACE
            else:
                assert result == (names.ATTACKER_WON if beats[mine] == theirs else names.DEFENDER_WON)


def test_EX_35_reinforced_defence_of_a_heretical_province() -> None:
    """WP-FTH-13."""
    for catholic, turned in ((2, True), (3, False)):
        table = scene(5).faith("red")
        at = PLACE_NAMES.index("6/1")
        table.state.hex_dice[at] = (catholic, 1)
        dice_on(table).enter("S_DICE")
        assert ("6/1" in table.protestant) is turned
