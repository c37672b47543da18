"""Set-up, turn order, cards, trades, events and commands (LW-SET, LW-TRN, LW-CRD, LW-TRD, LW-EVT, LW-CMD), by rule."""

from __future__ import annotations

from collections import Counter

import numpy as np

from simlab.games.lowenheim import rules
from simlab.games.lowenheim.board import able, in_reach, move_of, pick
from simlab.games.lowenheim.cards import blanks_for, draw_card, limit, refill
from simlab.games.lowenheim.combat import may_pay, may_shoot, pay_fight
from simlab.games.lowenheim.demands import (
    calling_reserve,
    count_paid,
    demanding,
    give_reserve,
    man,
    may_be_given,
    place_cannon,
)
from simlab.games.lowenheim.events import confer, conferring, draw_command, draw_event, remove_random
from simlab.games.lowenheim.hidden import determinize
from simlab.games.lowenheim.labels import describe
from simlab.games.lowenheim.state import (
    BURNT,
    CALLED,
    CONFERRING,
    D_ANSWER,
    D_CONFER,
    D_CREW,
    D_CUT,
    D_DISCARD,
    D_HAND_IN,
    D_MASKS,
    D_PARTNER,
    D_PLAN,
    D_RESERVE,
    D_START,
    D_VOTE,
    D_WANT,
    DEMANDS,
    DRAW_STREAM,
    DUE_CANNON_1A,
    DUE_DEMON,
    DUE_FOOD,
    DUE_HOSPITAL,
    DUE_J,
    DUE_K,
    DUE_MINE,
    DUE_RESERVE,
    DUE_WATER,
    DUE_WELLS,
    EL,
    LOSS_STREAM,
    LOST,
    MANNED,
    PAID,
    PLACED,
    RESERVE,
    SEATS,
    STARTING,
    TEMPLE,
    WZ,
)
from tests.games.lowenheim.scene import GAME, RULES, begun, scene

Z = np.int64


# --- Set-up -----------------------------------------------------------------------


def test_LW_SET_01_six_factions_in_the_order_of_the_rulebook() -> None:
    assert GAME.seats == SEATS == ("CG", "PG", "EL", "WZ", "BR", "CA")


def test_LW_SET_02_61_figures_of_size_72_five_musketeers() -> None:
    city = begun()
    assert (city.state.hex[:61] >= 0).all() and (city.state.hex[61:] < 0).all()
    assert int(city.state.our_size) == 72 and Counter(city.cards.owner[:61].tolist()) == {
        0: 16,
        1: 11,
        2: 9,
        3: 3,
        4: 6,
        5: 16,
    }
    fewer = begun(n_br_foot=3, n_cg_mounted=0)
    assert [f for f in range(61) if fewer.state.hex[f] < 0] == [10, 11, 12, 13, 14, 15, 43, 44]


def test_LW_SET_03_plans_are_chosen_in_turn_and_revealed_together() -> None:
    city = scene()
    city.state.stage = 0
    for seat in SEATS:
        rules.ask_plans(*city.records)
        assert (SEATS[city.state.seat], int(city.state.decision)) == (seat, D_PLAN) and city.legal() == [0, 1]
        assert (city.state.hex < 0).all()
        city.act(1)
    rules.ask_plans(*city.records)
    assert city.hex_of(6) == "M1" and city.hex_of(12) == "136" and city.hex_of(42) == "J" and city.hex_of(56) == "H3"
    home = scene(deploy_mode="all_0")
    rules.ask_plans(*home.records)
    assert home.hex_of(6) == "A2" and home.fired("LW-SET-03") == 1


def test_LW_SET_04_LW_CRD_03_six_cards_each_of_102() -> None:
    city = begun()
    assert (city.state.held == 6).all() and int(city.state.deck_len) == 102 - 36
    assert (city.state.deck + city.state.hand.sum(axis=0)).tolist() == [20, 20, 22, 10, 10, 20]
    poor = scene()
    poor.state.deck[:] = [0, 0, 3, 0, 0, 0]
    poor.state.deck_len = 3
    draw_card(poor.state, Z(0), DRAW_STREAM)
    assert poor.cards_of("CG") == "F" and poor.fired("LW-CRD-03") == 1


def test_LW_SET_05_LW_TRN_06_decks_are_shuffled_once_and_run_out() -> None:
    city = begun()
    assert sorted(city.state.event_deck[:17].tolist()) == list(range(17))
    assert sorted(city.state.command_deck[:9].tolist()) == list(range(9))
    city.state.event_at, city.state.command_at, city.state.turn = 17, 9, 2
    draw_event(*city.records)
    assert not draw_command(*city.records)
    assert city.fired("LW-TRN-06") == 2 and city.state.event_drawn == -1 == city.state.command_drawn


def test_LW_SET_06_masks_name_the_other_factions() -> None:
    city = scene()
    assert city.ask("EL", D_MASKS) == list(range(32))
    city.act(0b10001)  # the first and the last of the others
    assert int(city.state.masks[EL]) == 0b100001


def test_LW_SET_07_LW_SET_08_LW_SET_09_LW_LED_01_the_game_begins_with_a_vote() -> None:
    city = scene()
    rules.initial_state(*city.records)
    seen = []
    while city.state.turn == 1 and city.state.decision != 4:
        kind = int(city.state.decision)
        seen.append(kind)
        rules.apply_action(*city.records, Z({D_PLAN: 0, D_MASKS: 31, D_VOTE: 1}.get(kind, 0)))
    assert Counter(seen) == {int(D_PLAN): 6, int(D_MASKS): 6, int(D_VOTE): 6, 3: 1}
    assert SEATS[city.state.leader] == "PG"
    s = city.state
    assert city.hex_of(36) == "D1" and s.queen == s.brunhilde == city.at("C1") and s.config == 3 and s.pieces == 24
    assert not s.fire.any() and not s.artefact_public.any() and int(s.turn) == 1 and s.their_number == 0
    for rule in ("LW-SET-07", "LW-SET-08", "LW-SET-09", "LW-LED-01"):
        assert city.fired(rule) == 1, rule


# --- Turn order -------------------------------------------------------------------


def test_LW_TRN_01_LW_TRN_05_steps_come_in_order_and_the_leader_names_who_begins() -> None:
    city = begun()
    city.state.stage = STARTING
    rules.advance(*city.records)
    assert city.state.decision == D_START and city.legal() == [0, 1, 2, 3, 4, 5]
    rules.apply_action(*city.records, Z(4))
    assert int(city.state.first_seat) == 4
    while SEATS[city.state.seat] == "WZ" and int(city.state.decision) == 8:
        rules.apply_action(*city.records, Z(0))
    orders = []
    while int(city.state.decision) in (14, 15, 16, 17, 18):
        if int(city.state.seat) not in orders:
            orders.append(int(city.state.seat))
        rules.apply_action(*city.records, Z(0 if int(city.state.decision) != 16 else city.cards.n_hexes))
    assert orders == [4, 5, 0, 1, 2, 3] and city.fired("LW-TRN-05") == 1


def test_LW_TRN_02_flags_of_the_turn_are_cleared() -> None:
    city = scene().put("A1", 0)
    city.state.marks[0], city.state.more_move[0], city.state.mask_worn = 1 | CONFERRING, 2, 1
    rules.begin_turn(city.state, city.cards)
    assert int(city.state.marks[0]) == CONFERRING and city.state.more_move[0] == 0 and city.state.mask_worn == 0
    assert city.fired("LW-TRN-02") == 1


def test_LW_TRN_03_LW_TRN_04_LW_CMD_01_commands_on_even_turns() -> None:
    for parity, turns in (("even", [2, 4]), ("odd", [1, 3])):
        city = begun(command_parity=parity)
        drawn = []
        for turn in (1, 2, 3, 4):
            city.state.turn = turn
            draw_command(*city.records)
            if city.state.command_drawn >= 0:
                drawn.append(turn)
        assert drawn == turns and city.fired("LW-CMD-01") == 2 and city.fired("LW-TRN-04") == 2


def test_LW_TRN_07_a_pick_of_one_draws_nothing() -> None:
    city = scene().roll("loss", 3)
    assert pick(city.state, LOSS_STREAM, Z(1)) == 0 and city.dice_left == 1
    assert pick(city.state, LOSS_STREAM, Z(5)) == 2 and city.dice_left == 0


# --- Cards and trades -------------------------------------------------------------


def test_LW_CRD_01_discard_two_and_refill() -> None:
    city = begun()
    city.hand("CG", A=2, B=4)
    assert city.ask("CG", D_DISCARD, step=0) == [0, 1, 6]
    city.act(6).ask("CG", D_DISCARD)
    city.act(6)
    assert int(city.state.step) == 2 and int(city.state.held[0]) == 4
    refill(city.state, city.knobs, Z(0))
    assert int(city.state.held[0]) == 6
    city.state.mask_worn = 1
    assert limit(city.state, city.knobs, WZ) == 7 and limit(city.state, city.knobs, Z(0)) == 6


def test_LW_CRD_02_an_empty_deck_is_made_of_the_pile() -> None:
    city = scene()
    city.state.deck_len, city.state.pile[4] = 0, 2
    for _ in range(3):
        draw_card(city.state, Z(0), DRAW_STREAM)
    assert city.cards_of("CG") == "HH" and city.state.pile.sum() == 0


def test_LW_CRD_04_hands_are_hidden_and_redrawn() -> None:
    city = begun()
    city.ask("CG", D_DISCARD)
    own, others = city.state.hand[0].copy(), city.state.hand[1:].copy()
    assert "PG's hand" in describe(*city.records, 0) and describe(*city.records, 0)["PG's hand"] == "6 cards"
    determinize(*city.records, Z(0))
    assert (city.state.hand[0] == own).all() and (city.state.hand[1:] != others).any()
    assert (city.state.hand.sum(axis=1) == 6).all()
    assert (city.state.deck + city.state.hand.sum(axis=0)).tolist() == [20, 20, 22, 10, 10, 20]


def test_LW_CRD_05_a_blank_does_nothing() -> None:
    city = scene().hand("PG", B=3).put("B1", 17)
    city.state.due[DUE_FOOD] = 3
    city.ask("PG", D_DISCARD)
    city.act(6)
    assert city.fired("LW-CRD-05") == 1
    assert blanks_for(city.state, city.cards, Z(1)) == 0


def test_LW_CRD_06_the_well_works_while_no_intruder_is_in_the_barracks() -> None:
    city = scene().hand("CG", B=2, F=1)
    city.skaven("163")  # outside the gate
    city.state.due[DUE_WATER], city.state.at = 3, DUE_WATER
    assert city.ask("CG", D_HAND_IN) == [0, 1, 2]
    city.act(2)
    assert city.cards_of("CG") == "F" and city.state.due[DUE_WATER] == 1 and city.fired("LW-CRD-06") == 1
    city.hand("CG", B=2)
    city.skaven("A4")
    assert blanks_for(city.state, city.cards, Z(0)) == 0


def test_LW_CRD_07_a_hand_above_its_limit_is_cut() -> None:
    city = scene().hand("EL", A=3, F=5)
    city.state.at = 2
    from simlab.games.lowenheim.cards import cutting

    assert not cutting(city.state, city.knobs) and city.state.decision == D_CUT
    assert city.legal() == [1, 3]
    city.act(3)
    assert not cutting(city.state, city.knobs)
    city.act(1)
    assert cutting(city.state, city.knobs) and city.cards_of("EL") == "AAFFFF"


def test_LW_TRD_01_an_offer_is_accepted_or_declined_by_itself() -> None:
    city = scene().hand("CG", B=2).hand("BR", F=1)
    city.state.at = 0
    assert city.ask("CG", D_PARTNER) == [0, 1, 2, 3, 4, 5]
    city.act(4).act(6)
    assert SEATS[city.state.partner] == "BR" and city.state.decision == D_WANT and city.legal() == [0, 1, 2, 3, 4, 5]
    city.act(3)
    assert city.state.decision == D_ANSWER and SEATS[city.state.seat] == "BR"
    city.act(1)
    assert city.cards_of("CG") == "FB" and city.cards_of("BR") == "B"
    assert city.state.known[0, 4, 5] == 1 and city.state.known[4, 0, 2] == 1
    city.ask("CG", D_PARTNER)
    city.act(4).act(6).act(1)  # wants an Attack card that BR lacks
    assert city.state.decision == -1


def test_LW_TRD_02_no_gift_to_a_full_hand() -> None:
    city = scene().hand("CG", B=1).hand("EL", A=6)
    city.ask("CG", D_PARTNER)
    city.act(2).act(6)
    assert 0 not in city.legal()
    city.hand("EL", A=5)
    city.act(0)
    assert city.fired("LW-TRD-02") == 1
    city.act(1)
    assert city.cards_of("EL") == "AAAAAB"


def test_LW_TRD_03_the_reserve_pool_is_not_in_hand() -> None:
    city = scene()
    city.state.reserve_pool = 2
    assert city.cards_of("EL") == "" and city.ask("EL", 23) == []


# --- Events -----------------------------------------------------------------------


def draw(city, number: int) -> None:
    """Draws event card EV<number>."""
    city.state.event_deck[0], city.state.event_at = number - 1, 0
    draw_event(*city.records)


def fire_at(city, name: str) -> int:
    return int(city.state.fire[city.cards.fire_of[city.at(name)]])


def test_LW_EVT_01_LW_EVT_02_LW_EVT_03_shells_start_fires_in_main_hexes() -> None:
    for number, name in ((1, "H1"), (5, "A1"), (6, "B1"), (7, "D1"), (8, "E1"), (9, "F1"), (10, "C1")):
        city = scene()
        draw(city, number)
        assert fire_at(city, name) == 1 and city.state.fires == 1 and city.fired("LW-EVT-01") == 1
        draw(city, number)
        assert city.state.fires == 1, "burns already"
        assert city.fired("LW-EVT-02") == 2 and city.fired("LW-EVT-03") == 2 * (name == "H1")
        city.state.fire[city.cards.fire_of[city.at(name)]] = BURNT
        draw(city, number)
        assert fire_at(city, name) == BURNT


def test_LW_EVT_04_a_bridge_goes_down_once() -> None:
    city = scene()
    draw(city, 2)
    assert int(city.state.config) == 2 and city.state.due[DUE_J] == 6
    city.state.due[DUE_J] = 4
    draw(city, 3)
    assert city.state.due[DUE_J] == 4 and city.fired("LW-EVT-04") == 2
    draw(city, 4)
    assert int(city.state.config) == 0 and city.state.due[DUE_K] == 3
    assert city.cards.path[0, city.at("A1"), city.at("C1")] == 99


def test_LW_EVT_05_figures_on_a_bridge_flee() -> None:
    city = scene().put("J", 1, 10)
    city.skaven("100")  # one of the neighbours: avoided
    city.state.barricade[city.at("J")] = 1 << 1
    city.state.barricade[city.cards.beside[city.at("J"), 1]] = 1 << 4
    draw(city, 2)
    assert city.state.hex[1] >= 0 and city.hex_of(1) != "100" and city.hex_of(1) == city.hex_of(10)
    assert city.state.barricade.sum() == 0 and city.state.returning == 1 and city.fired("LW-EVT-05") == 2
    full = scene().put("J", 1)
    full.put_until_full("J")
    draw(full, 2)
    assert full.state.status[1] == TEMPLE


def test_LW_EVT_06_a_mine_wounds_on_1_to_3_and_breaches() -> None:
    city = scene().put("A4", 1, 2)
    rat = city.skaven("A4")[0]
    city.roll("mine", 3, 4, 1)
    wall = next(w for w in range(6) if city.cards.side[3, city.at("A4"), w] == 3)
    draw(city, 11)
    assert city.state.status[1] == TEMPLE and city.hex_of(2) == "A4" and city.state.hex[rat] < 0
    assert city.state.config == 3 | 4 and in_reach(city.state, city.cards, city.at("A4"), Z(wall))
    assert (
        city.cards.path[7, city.at("A4"), city.at("131")] == 1
        and city.cards.path[63, city.at("A1"), city.at("C1")] == 13
    )
    city.roll("mine", 2)
    draw(city, 11)
    assert city.state.status[2] == TEMPLE and city.fired("LW-EVT-06") == 2


def test_LW_EVT_07_ogres_wait_for_the_next_troop_LW_EVT_08_the_statue_shatters() -> None:
    city = scene()
    draw(city, 15)
    draw(city, 16)
    assert city.state.ogres_pending == 2 and city.fired("LW-EVT-07") == 2
    draw(city, 17)
    assert city.state.statue == 1
    city.state.statue = 2
    draw(city, 17)
    assert city.state.statue == 2 and city.fired("LW-EVT-08") == 2


# --- Commands ---------------------------------------------------------------------


def command(city, number: int) -> bool:
    """Draws command card CM<number>."""
    city.state.command_deck[0], city.state.command_at, city.state.turn = number - 1, 0, 2
    return bool(draw_command(*city.records))


def settle_all(city, last: int = DEMANDS) -> None:
    """Goes through the demands; everybody hands in all it can."""
    city.state.at = city.state.step = 0
    while not demanding(*city.records, Z(last)):
        city.act(city.legal()[-1])


def test_LW_CMD_02_demands_in_order_and_everybody_in_order() -> None:
    city = scene().hand("CG", P=2).hand("BR", P=3, H=1)
    city.state.due[DUE_J], city.state.due[DUE_HOSPITAL] = 6, 3
    asked = []
    city.state.at = city.state.step = 0
    while not demanding(*city.records, Z(DEMANDS)):
        asked.append((SEATS[city.state.seat], int(city.state.at), city.legal()[-1]))
        city.act(city.legal()[-1])
    assert asked == [("CG", DUE_J, 2), ("BR", DUE_J, 3), ("BR", DUE_HOSPITAL, 1)]
    assert city.state.due[DUE_J] == 1 and city.cards_of("BR") == "" and city.state.pile[1] == 5
    city.hand("CA", P=1)
    city.state.config = 2
    settle_all(city)
    assert city.state.config == 3


def test_LW_CMD_03_a_counter_mine_has_three_turns() -> None:
    city = scene()
    command(city, 1)
    assert city.state.due[DUE_MINE] == 6 and city.state.mine_deadline == 4
    for turn in (2, 3):
        city.state.turn = turn
        settle_all(city)
        assert city.state.config == 3
    city.state.turn = 4
    city.roll("mine", 2)
    settle_all(city)
    assert city.state.config == 3 | 8 and city.state.due[DUE_MINE] == 0


def test_LW_CMD_04_LW_CMD_05_LW_CMD_10_a_figure_for_each_card_short() -> None:
    for number, demand, due, kind in ((2, DUE_WELLS, 4, "P"), (3, DUE_WATER, 3, "W")):
        city = scene().put("A1", 0, 1, 2).put("B1", 16, 17).hand("CG", **{kind: due - 1})
        command(city, number)
        assert city.state.due[demand] == due
        city.roll("loss", 3)
        settle_all(city)
        assert city.state.status[17] == LOST and city.state.due[demand] == 0
        assert city.fired("LW-CMD-10") == 1 and city.fired(f"LW-CMD-0{4 if number == 2 else 5}") == 2


def test_LW_CMD_06_food_is_short() -> None:
    for hits, lost in ((False, 1), (True, 0)):
        city = scene(food_command_hits_characters=hits, food_cost=1).put("A1", 0, 1)
        command(city, 6)
        city.roll("loss", 1)
        settle_all(city)
        assert city.state.status[lost] == LOST and city.state.due[DUE_FOOD] == 0
    nobody = scene().put("A1", 0)
    remove_random(nobody.state, nobody.cards, False)
    assert nobody.hex_of(0) == "A1"


def test_LW_CMD_07_LW_TMP_02_an_unpaid_hospital_discharges_nobody() -> None:
    from simlab.games.lowenheim.upkeep import discharging, temple_open

    city = scene().hand("CG", H=4)
    city.state.status[1] = TEMPLE
    command(city, 4)
    assert not temple_open(*city.records) and discharging(*city.records)
    assert city.fired("LW-CMD-07") == 2 and city.fired("LW-TMP-02") == 1
    settle_all(city)
    assert city.state.due[DUE_HOSPITAL] == 0 and temple_open(*city.records)
    city.skaven("H3")
    assert not temple_open(*city.records)
    burning = scene()
    draw(burning, 1)
    assert not temple_open(*burning.records)
    for blocks in (True, False):
        burnt = scene(temple_burnt_blocks=blocks)
        burnt.state.fire[burnt.cards.fire_of[burnt.at("H1")]] = BURNT
        assert bool(temple_open(*burnt.records)) is not blocks


def test_LW_CMD_08_LW_CMD_09_the_conference_holds_one_figure_of_each_faction() -> None:
    city = begun()
    assert command(city, 7)
    city.state.at = 0
    options = []
    while not conferring(city.state):
        options.append(city.legal())
        city.act(city.legal()[-1])
    assert options == [[0, 3, 4], [0, 3, 4], [0, 4], [0, 1, 2], [0, 4], [0, 4]]
    sent = [f for f in range(61) if int(city.state.marks[f]) & CONFERRING]
    assert sent == [6, 17, 28, 38, 40, 51] and city.hex_of(28) == "C2" and city.hex_of(6) == "C2"
    assert not able(city.state, Z(6)) and int(city.state.conference_until) == 4
    from simlab.games.lowenheim.ending import timers

    city.state.turn = 4
    timers(city.state, city.cards)
    assert able(city.state, Z(6)) and city.fired("LW-CMD-09") == 1
    full = scene().put("C2", 10, 11, 12).put("A1", 1)
    full.ask("CG", D_CONFER)
    confer(*full.records, Z(4))
    assert full.hex_of(1) == "C1"


def test_LW_CMD_11_LW_CMD_12_the_mobile_reserve_is_given_then_drafted() -> None:
    city = begun()
    command(city, 5)
    city.state.step2 = 0
    given = []
    while not calling_reserve(*city.records):
        given.append((SEATS[city.state.seat], city.legal()))
        city.act(2 if SEATS[city.state.seat] == "PG" else 0)
    assert given[1] == ("PG", [0, 1, 2, 3, 4]) and given[2] == ("EL", [0, 1, 2])
    men = [f for f in range(61) if int(city.state.marks[f]) & RESERVE]
    assert len(men) == 4 and {17, 18} <= set(men) and (city.state.ctrl[men] == EL).all()
    assert city.hex_of(17) == "C2" and not able(city.state, Z(17)) and not may_be_given(city.state, city.cards, Z(17))
    assert city.fired("LW-CMD-11") == 4
    for seat in SEATS:
        city.hand(seat)
    city.hand("CA", A=3)
    settle_all(city)
    assert city.state.reserve_active and able(city.state, Z(17)) and city.fired("LW-CMD-12") == 2
    assert city.cards_of("CA") == "A" and city.state.pile[0] == 0 and city.state.reserve_pool == 2
    city.ask("PG", D_RESERVE, reserve_given=3)
    give_reserve(*city.records, Z(1))
    assert city.state.ctrl[19] == EL


def test_LW_CMD_13_the_reserve_pool_pays_first() -> None:
    city = scene().put("C2", 17).hand("EL", A=1)
    city.state.marks[17], city.state.ctrl[17] = RESERVE, EL
    city.state.reserve_active, city.state.reserve_pool = 1, 1
    assert may_pay(city.state, EL, city.at("C2"))
    pay_fight(city.state, city.cards, EL, city.at("C2"))
    assert city.state.reserve_pool == 0 and city.cards_of("EL") == "A" and city.state.pile[0] == 1
    pay_fight(city.state, city.cards, EL, city.at("C2"))
    assert city.cards_of("EL") == "" and city.fired("LW-CMD-13") == 1
    at_once = scene(reserve_attack=0)
    command(at_once, 5)
    assert at_once.state.reserve_active


def test_LW_CMD_14_a_cannon_takes_four_cards_and_two_men() -> None:
    city = begun().hand("CG", A=2, P=2)
    command(city, 8)
    assert city.state.cannon[0] == CALLED and city.state.due[DUE_CANNON_1A] == 2
    settle_all(city)
    count_paid(city.state)
    assert city.state.cannon[0] == PAID
    city.state.step = city.state.step2 = 0
    from simlab.games.lowenheim.demands import manning

    assert not manning(*city.records) and city.state.decision == D_CREW and city.legal() == [0, 1, 2]
    city.act(2)
    assert manning(*city.records) and city.state.cannon[0] == PLACED
    assert city.state.crew[0].tolist() == [1, 2] and city.state.status[1] == 7 and city.hex_of(79) == "A1"
    other = begun()
    other.state.crew_offer[5] = 2
    man(other.state, other.cards, Z(1))
    other.skaven("A4")
    place_cannon(*other.records, Z(1))
    assert other.state.cannon[1] == MANNED and other.state.hex[80] < 0


def test_LW_CMD_15_a_cannon_shoots_and_loses_its_crew() -> None:
    from simlab.games.lowenheim.board import suffer
    from simlab.games.lowenheim.combat import shoot, shooting

    city = scene().put("135", 79).put("135", 0)
    city.state.cannon[0], city.state.crew[0] = PLACED, (1, 2)
    rats = city.skaven("133", 3)
    assert may_shoot(*city.records, Z(79), city.at("133")) and not may_shoot(*city.records, Z(79), city.at("135"))
    assert not shooting(*city.records) and city.legal() == [0, int(city.at("133")) + 1]
    city.roll("combat", 1, 6, 6, 1, 6, 5, 6, 4)
    shoot(*city.records, city.at("133") + 1)
    assert sum(city.state.hex[r] >= 0 for r in rats) == 0 and city.fired("LW-CMB-16") == 1
    assert move_of(*city.records, Z(79)) == 1
    suffer(city.state, city.cards, Z(79), Z(10), Z(-1))
    assert city.state.status[1] == TEMPLE and city.hex_of(79) == "135"
    suffer(city.state, city.cards, Z(79), Z(10), Z(-1))
    assert city.state.status[2] == TEMPLE and city.state.hex[79] < 0 and city.fired("LW-CMD-15") == 3


def test_LW_WIZ_20_upkeep_grows_turn_by_turn() -> None:
    city = scene().put("D1", 62).hand("CG", P=5)
    for due in (1, 2):
        city.state.at, city.state.step = DUE_DEMON, 0
        assert not demanding(*city.records, Z(DEMANDS)) and city.state.due[DUE_DEMON] == due
        city.act(due)
        assert demanding(*city.records, Z(DEMANDS))
    city.state.at, city.state.step = DUE_DEMON, 0
    assert not demanding(*city.records, Z(DEMANDS))
    city.act(2)  # of three
    demanding(*city.records, Z(DEMANDS))
    assert city.state.hex[62] < 0 and city.cards_of("CG") == "" and city.fired("LW-WIZ-20") == 3


def test_a_test_stands_for_each_demand() -> None:
    assert len(RULES) == 169 and DUE_RESERVE == 7
