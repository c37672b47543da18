"""The oracle itself: random streams, worked examples W-01..W-13, chances P-01..P-09, and random games."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import sqrt

import pytest

from tests.games.simple_siege_class import exact
from tests.games.simple_siege_class import reference as ref
from tests.games.simple_siege_class.reference import BESIEGED, BESIEGER, Game


def deck_text(game: Game, player: int) -> str:
    """Top first."""
    return " ".join(ref.card_to_text(card) for card in reversed(game.deck[player]))


def pile_text(game: Game, player: int) -> str:
    """Bottom first."""
    return " ".join(ref.card_to_text(card) for card in game.pile[player])


def without_fate(game: Game) -> Game:
    """Leave Fate out, for examples that end with the Besieged's action."""
    game.fate_phase = lambda: None  # type: ignore[method-assign]
    return game


def play(game: Game, *actions: int) -> Game:
    for action in actions:
        game.apply(action)
    return game


# --- Random streams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_known_answers(counter, key, words):
    def numbers(text):
        return tuple(int(word, 16) for word in text.split())

    assert ref.philox(numbers(counter), numbers(key)) == numbers(words)


def test_stream_names_seed_game_number_and_block():
    stream = ref.Stream(seed=0x299F31D0A4093822, game=0x0370734413198A2E, number=6)
    words = [stream.word() for _ in range(5)]
    key = (0xA4093822, 0x299F31D0)
    assert tuple(words[:4]) == ref.philox((0, 6, 0x13198A2E, 0x03707344), key)
    assert words[4] == ref.philox((1, 6, 0x13198A2E, 0x03707344), key)[0]


def test_epoch_sits_above_the_stream_number():
    stream = ref.Stream(seed=1, game=2, number=5, epoch=3)
    assert stream.word() == ref.philox((0, 5 + 3 * 256, 2, 0), (1, 0))[0]


class FixedWords(ref.Stream):
    """A stream of given words."""

    def __init__(self, words):
        super().__init__(0, 0, 0)
        self.words = words

    def word(self):
        return self.words.pop(0)


def test_below_takes_the_high_half_of_the_product():
    assert FixedWords([0x80000001]).below(10) == 5


def test_below_rejects_the_words_that_would_bias():
    # 2^32 mod 3 = 1, so exactly one word, whose product has a low half below 1, is turned away: word 0.
    stream = FixedWords([0, 0xFFFFFFFF, 7])
    assert stream.below(3) == 2
    assert stream.words == [7]


def test_below_keeps_a_small_low_half_that_does_not_bias():
    # 2^32 mod 6 = 4: of the low halves below 6 only those below 4 are turned away. 6 * 0x55555556 has 4.
    assert FixedWords([0x55555556]).below(6) == 2
    assert FixedWords([0xAAAAAAAB, 0x55555556]).below(6) == 2  # 6 * 0xAAAAAAAB has 2
    assert FixedWords([0]).below(4) == 0  # 2^32 mod 4 = 0: nothing is turned away


def test_below_one_uses_a_word():
    stream = ref.Stream(0, 0, 0)
    assert stream.below(1) == 0
    assert stream.words_used == 1


# --- Worked examples of the ledger --------------------------------------------------------------------------


def test_W_01_bombard_the_walls_undefended():
    game = Game.scenario(decks=("7S 2H 3C", "4D 4H"))
    play(game, ref.BOMBARD_WALLS, 0)
    assert game.walls == 4
    assert (deck_text(game, BESIEGER), pile_text(game, BESIEGER)) == ("2H 3C", "7S")
    assert (deck_text(game, BESIEGED), pile_text(game, BESIEGED)) == ("4D 4H", "")
    assert (game.seat, game.decision) == (BESIEGED, ref.BESIEGED_ACTION)


def test_W_02_a_tie_fails():
    game = play(Game.scenario(decks=("5H 2H", "4D")), ref.BOMBARD_WALLS, 0)
    assert game.walls == 5
    assert pile_text(game, BESIEGER) == "5H"


def test_W_03_penalty_before_the_drawn_cards():
    game = Game.scenario(decks=("4D 6S", "2C 9H AS 10D 3S 8C"), built=(3, 4))
    play(game, ref.BOMBARD_ENEMY, 1)
    assert (pile_text(game, BESIEGED), deck_text(game, BESIEGED)) == ("9H AS 10D 2C", "3S 8C")
    assert (pile_text(game, BESIEGER), deck_text(game, BESIEGER)) == ("4D", "6S")


def test_W_04_the_city_falls():
    game = Game.scenario(decks=("3C 10S 9D 8H 2S", "7C 6D 5S 4H"), walls=6, built=(2,))
    play(game, ref.ASSAULT, 2, 3)
    assert (game.over, game.winner, game.ending) == (True, BESIEGER, "assault")
    assert game.legal() == []


def test_W_05_a_failed_assault():
    game = play(Game.scenario(decks=("3C 9S 2D 8H 7C", "4C 6D 5S")), ref.ASSAULT, 1, 2)
    assert (deck_text(game, BESIEGER), pile_text(game, BESIEGER)) == ("7C", "3C 8H 9S 2D")
    assert (deck_text(game, BESIEGED), pile_text(game, BESIEGED)) == ("5S", "4C 6D")
    assert game.walls == 5


def test_W_06_building_the_mine():
    game = play(Game.scenario(decks=("9C 8D 7H 6S", "2S")), ref.CONSTRUCT + 0)
    assert (deck_text(game, BESIEGER), pile_text(game, BESIEGER)) == ("6S", "9C 8D 7H")
    assert game.built == {0}


def sally_of_W_07() -> Game:
    return without_fate(Game.scenario(decks=("2S 3S 4D", "4H 6C"), built=(0, 6, 7), seat=BESIEGED))


def test_W_07a_sally_destroys_the_mine():
    game = play(sally_of_W_07(), ref.SALLY_EQUIPMENT, 0)
    assert game.legal() == [0, 6]  # Camp Defences I and II are alike
    play(game, 0)
    assert game.built == {6, 7}
    assert pile_text(game, BESIEGED) == "4H"
    assert (deck_text(game, BESIEGER), pile_text(game, BESIEGER)) == ("2S 3S 4D", "")
    assert ref.CONSTRUCT + 0 in game.legal()


def test_W_07b_sally_tie_destroys_nothing():
    game = play(sally_of_W_07(), ref.SALLY_EQUIPMENT, 1)
    assert game.built == {0, 6, 7}
    assert (pile_text(game, BESIEGER), pile_text(game, BESIEGED)) == ("2S", "4H")


def test_W_08_plan():
    game = Game.scenario(decks=("4S 9C 2D 7H 5S 8C", "2S"))
    play(game, ref.BESIEGER_PLAN)
    assert (game.decision, game.legal()) == (ref.PLAN_PICK, [0, 1, 2, 3])
    play(game, 1)
    assert deck_text(game, BESIEGER) == "2D 9C 7H 5S 8C"
    play(game, 2, 0)
    assert (deck_text(game, BESIEGER), pile_text(game, BESIEGER)) == ("2D 5S 9C 7H 8C", "4S")
    assert (game.known_top, game.seat) == ([4, 0], BESIEGED)


def test_W_09_resupply():
    game = Game.scenario(decks=("2H 10S", "2S"), piles=("2S 3H 4C 5D 6S 7D", ""))
    play(game, ref.RESUPPLY)
    assert pile_text(game, BESIEGER) == "2S 3H 5D 7D 2H"
    assert deck_text(game, BESIEGER)[:3] == "10S"
    assert sorted(game.deck[BESIEGER][:2]) == sorted(ref.cards("6S 4C"))
    assert game.batches == [[2], []]


def test_W_10_third_card_of_a_colour_shuffles():
    turned = (ref.RED_COURT, ref.BLACK_COURT, ref.RED_COURT)
    game = Game.scenario(decks=("2S", "9D 8D"), seat=BESIEGED, fate_turned=turned)
    assert (len(game.fate), game.fate_red, game.fate_black) == (11, 2, 1)
    game.stack_fate(ref.RED_COURT)
    game.fate_phase()
    assert (pile_text(game, BESIEGED), deck_text(game, BESIEGED)) == ("9D", "8D")
    assert (len(game.fate), game.fate_red, game.fate_black) == (14, 0, 0)


def test_W_11_bombard_stopped_by_a_card():
    game = play(Game.scenario(decks=("9S 8S", "6C 7C"), built=(3,)), ref.BOMBARD_ENEMY, 1)
    assert (pile_text(game, BESIEGER), pile_text(game, BESIEGED)) == ("9S", "6C")
    assert deck_text(game, BESIEGED) == "7C"


def test_W_12_red_joker():
    game = Game.scenario(decks=("2S", "5C 2S 9D 3H 7D"))
    game.stack_fate(ref.RED_JOKER)
    game.fate_phase()
    assert (pile_text(game, BESIEGED), deck_text(game, BESIEGED)) == ("5C 2S 9D", "3H 7D")


@pytest.mark.parametrize(
    ("built", "legal"),
    [
        ((), [ref.WAIT, ref.BESIEGED_PLAN, ref.SALLY_ENEMY, ref.RATIONING]),
        ((8,), [ref.WAIT, ref.BESIEGED_PLAN, ref.SALLY_EQUIPMENT, ref.SALLY_ENEMY, ref.RATIONING]),
    ],
)
def test_W_13_last_card(built, legal):
    game = Game.scenario(decks=("2S 3S 4S", "8S"), built=built, seat=BESIEGED)
    assert game.legal() == legal
    game.stack_fate(ref.BLACK_COURT)
    play(game, ref.WAIT)
    assert (game.over, deck_text(game, BESIEGED), pile_text(game, BESIEGER)) == (False, "", "2S")
    assert (game.turn, game.seat) == (2, BESIEGER)
    play(game, ref.BESIEGE)
    assert (game.over, game.winner, game.ending, game.turn) == (True, BESIEGER, "surrender", 2)


# --- Rules the worked examples leave out --------------------------------------------------------------------


def test_SS_SET_02_fresh_game():
    game = Game({}, seed=1, game=1)
    assert [sorted(deck) for deck in game.deck] == [list(range(40)), list(range(40))]
    assert game.deck[BESIEGER] != game.deck[BESIEGED]
    assert sorted(game.fate) == [0] * 6 + [1] * 6 + [2, 3] != game.fate
    assert (game.turn, game.seat, game.decision, game.walls) == (1, BESIEGER, ref.BESIEGER_ACTION, 5)
    assert game.legal() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]  # of three like camps, the first


def test_max_rank_leaves_out_the_higher_cards():
    game = Game({"max_rank": 6}, seed=1, game=1)
    assert sorted(game.deck[BESIEGED]) == [suit * 10 + rank for suit in range(4) for rank in range(6)]


def test_SS_SET_04_two_sets_without_jokers():
    assert sorted(Game({"fate_sets": 2}, 0, 0).fate) == [0] * 12 + [1] * 12 + [2, 2, 3, 3]
    assert sorted(Game({"fate_sets": 2, "fate_jokers": False}, 0, 0).fate) == [0] * 12 + [1] * 12


def test_SS_TRN_04_an_empty_deck_at_the_start_loses():
    game = Game.scenario(decks=("", "2S"))
    assert (game.winner, game.ending, game.legal()) == (BESIEGED, "abandon", [])


def test_SS_DCK_03_cards_of_a_short_penalty_stay_discarded():
    game = play(Game.scenario(decks=("9S 2S", "3S 4S")), ref.BOMBARD_ENEMY, 0)
    assert (game.ending, pile_text(game, BESIEGED), deck_text(game, BESIEGED)) == ("surrender", "3S 4S", "")


def test_SS_DCK_02_switch_discards_what_is_left():
    knobs = {"forced_discard_shortfall": "discard_what_is_left"}
    game = play(Game.scenario(decks=("9S 2S", "3S 4S 5S 6S"), knobs=knobs), ref.BOMBARD_ENEMY, 0)
    assert (game.over, deck_text(game, BESIEGED)) == (False, "6S")
    game = play(Game.scenario(decks=("2S 3S", "10S 9S"), knobs=knobs), ref.ASSAULT, 0, 1)
    assert (game.over, pile_text(game, BESIEGER)) == (False, "2S 3S")
    game = play(Game.scenario(decks=("9S 2S", "3S 4S"), knobs=knobs), ref.BOMBARD_ENEMY, 0)
    assert (game.ending, game.turn) == ("surrender", 1)  # no card to act with


def test_SS_DCK_02_switch_leaves_jokers_alone():
    knobs = {"forced_discard_shortfall": "discard_what_is_left"}
    game = Game.scenario(decks=("2S", "3S 4S"), knobs=knobs, seat=BESIEGED)
    game.stack_fate(ref.RED_JOKER)
    assert play(game, ref.WAIT).ending == "surrender"


@pytest.mark.parametrize("deck", ["3S 4S", "3S"])
def test_SS_FAT_06_switch_stops_the_joker(deck):
    game = Game.scenario(decks=("2S", deck), knobs={"joker_exhaust": "stop"}, seat=BESIEGED)
    game.stack_fate(ref.RED_JOKER)
    play(game, ref.WAIT)
    assert (game.over, deck_text(game, BESIEGED), game.turn) == (False, "", 2)


def test_SS_FAT_06_last_card_fits():
    game = Game.scenario(decks=("2S 3H 4H 5C", "3S 4S"), seat=BESIEGED)
    game.stack_fate(ref.BLACK_JOKER)
    play(game, ref.WAIT)
    assert (game.over, deck_text(game, BESIEGER)) == (False, "3H 4H 5C")
    game = Game.scenario(decks=("3H 5C", "3S 4S"), seat=BESIEGED)
    game.stack_fate(ref.BLACK_JOKER)
    play(game, ref.WAIT)
    assert (game.ending, pile_text(game, BESIEGER), game.turn) == ("abandon", "3H 5C", 2)


def test_SS_TRN_03_fixed_costs_mask():
    assert Game.scenario(decks=("2S", "2S")).legal() == [0, 1, 2, 3, 5, 8, 11, 12]
    assert Game.scenario(decks=("2S 3S", "2S")).legal() == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
    assert 4 in Game.scenario(decks=("2S", "2S"), knobs={"assault_entry_cost": 0}).legal()
    assert 4 not in Game.scenario(decks=("2S 3S 4S", "2S"), knobs={"assault_entry_cost": 3}).legal()


def test_SS_WAL_02_walls_bounds():
    floor = {"walls_floor": 1}
    assert ref.BOMBARD_WALLS not in Game.scenario(decks=("2S", "2S"), walls=0).legal()
    assert ref.BOMBARD_WALLS not in Game.scenario(decks=("2S", "2S"), walls=1, knobs=floor).legal()
    assert ref.REPAIR not in Game.scenario(decks=("2S", "2S 3S"), walls=10, seat=BESIEGED).legal()
    cut = {"repair_gain": 2, "wall_damage": 3}
    game = without_fate(Game.scenario(decks=("2S", "2S 3S"), walls=9, seat=BESIEGED, knobs=cut))
    assert play(game, ref.REPAIR).walls == 10
    assert play(Game.scenario(decks=("9S", "2S"), walls=2, knobs=cut), ref.BOMBARD_WALLS, 0).walls == 0


def test_SS_EQP_02_prices():
    def prices(**knobs):
        game = Game(knobs, 0, 0)
        return [game.price(counter) for counter in range(9)]

    assert prices() == [3, 2, 1, 2, 2, 1, 1, 1, 1]
    assert prices(equipment_cost_model="modifier_plus_1") == [4, 3, 2, 3, 3, 2, 2, 2, 2]
    assert prices(equipment_cost_model="double", mod_mine=4) == [8, 4, 2, 4, 4, 2, 2, 2, 2]
    assert prices(cost_mine=6) == [3, 2, 1, 2, 2, 1, 1, 1, 1]
    assert prices(equipment_cost_model="table", cost_mine=6) == [6, 2, 1, 2, 2, 1, 1, 1, 1]


def test_SS_EQP_03_modifier_zero_is_out_of_the_game():
    legal = Game({"mod_tower": 0, "mod_camp1": 0, "equipment_cost_model": "table"}, 0, 0).legal()
    assert legal == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13]


def test_like_camps_need_the_same_modifier_and_price():
    legal = Game({"equipment_cost_model": "table", "cost_camp2": 2}, 0, 0).legal()
    assert legal[-2:] == [12, 13]
    legal = Game({"mod_camp3": 2}, 0, 0).legal()
    assert legal[-2:] == [12, 14]
    assert Game.scenario(decks=("2S", "2S"), built=(6,)).legal()[-1] == 13


def test_SS_CON_05_switch_gives_up_static_strength():
    knobs = {"static_defence_when_declining": False}
    assert play(Game.scenario(decks=("AS 2S", "2S"), knobs=knobs), ref.BOMBARD_WALLS, 0).walls == 4
    game = play(Game.scenario(decks=("5S 2S", "AS 2S"), knobs=knobs), ref.BOMBARD_WALLS, 1)
    assert game.walls == 5
    game = play(Game.scenario(decks=("AS 2S", "2S"), knobs=knobs), ref.ASSAULT, 0, 0)
    assert game.ending == "assault"


def test_SS_CON_02_defence_limited_by_the_deck():
    game = play(Game.scenario(decks=("AS 2S 3S 4S 5S", "2S 3S")), ref.ASSAULT)
    assert game.legal() == [0, 1, 2]
    assert play(game, 2).legal() == [0, 1, 2]
    game = play(Game.scenario(decks=("AS 2S", "2S")), ref.BOMBARD_ENEMY)
    assert (game.aside, game.legal()) == ([[0], []], [0, 1])
    game = play(Game.scenario(decks=("AS", "2S 3S"), seat=BESIEGED), ref.SALLY_ENEMY)
    assert (game.decision, game.seat, game.legal()) == (ref.DEFEND_CAMP, BESIEGER, [0, 1])


def test_SS_BGR_10_failed_assault_with_an_empty_deck_is_lost():
    game = play(Game.scenario(decks=("2S 3S", "10S 9S")), ref.ASSAULT, 0, 1)
    assert (game.winner, game.ending) == (BESIEGED, "abandon")
    assert game.aside == [ref.cards("3S"), ref.cards("10S")]


def test_SS_BGD_06_sally_penalty():
    game = without_fate(Game.scenario(decks=("2S 3S 4S 5S 6S", "9S 8S"), built=(6, 7, 8), seat=BESIEGED))
    play(game, ref.SALLY_ENEMY, 1)
    assert (pile_text(game, BESIEGER), deck_text(game, BESIEGER)) == ("3S 4S 5S 2S", "6S")


def test_SS_END_04_own_empty_deck_first_but_the_other_fails_first():
    game = play(Game.scenario(decks=("2S", "9S"), seat=BESIEGED), ref.SALLY_ENEMY, 0)
    assert (game.winner, game.ending) == (BESIEGED, "abandon")


def test_SS_PLN_02_short_deck():
    game = play(Game.scenario(decks=("9S 2S 3S", "2S")), ref.BESIEGER_PLAN)
    assert (game.legal(), game.known_top) == ([0, 1], [2, 0])
    game = play(Game.scenario(decks=("9S", "2S")), ref.BESIEGER_PLAN)
    assert (game.over, game.seat, game.known_top) == (False, BESIEGED, [0, 0])
    game = play(Game.scenario(decks=("9S 2S 3S", "2S"), knobs={"plan_short_deck": "lose"}), ref.BESIEGER_PLAN)
    assert (game.ending, deck_text(game, BESIEGER)) == ("abandon", "2S 3S")


def test_SS_PLN_04_known_prefix():
    game = Game.scenario(decks=("3S 4S AS 2S 5S 6S 7S", "2S 3S 4S 5S"))
    without_fate(game)
    play(game, ref.BESIEGER_PLAN, 0, 0, ref.WAIT)
    assert game.known_top == [3, 0]
    play(game, ref.BESIEGE, ref.WAIT)  # 4S
    assert game.known_top == [2, 0]
    play(game, ref.BESIEGER_PLAN)  # AS: one card is looked at, and it was known
    assert game.known_top == [1, 0]


def test_SS_PLN_05_ace_asks_for_no_order():
    game = play(Game.scenario(decks=("AS 2S 3S", "2S")), ref.BESIEGER_PLAN)
    assert (game.known_top, game.seat) == ([1, 0], BESIEGED)


def test_SS_SET_03_ace_worth_eleven():
    knobs = {"ace_value": 11}
    assert play(Game.scenario(decks=("AS 2S", "5S 2S"), knobs=knobs), ref.BOMBARD_WALLS, 1).walls == 4
    fresh = Game(knobs, 3, 3)
    assert fresh.worth(ref.card_from_text("AH")) == 11


@pytest.mark.parametrize(
    ("order", "after"),
    [
        (ref.KEEP, "7S 3H 9D 3C 7H 10S 2S 9H"),
        (ref.ASCENDING, "2S 3H 3C 7S 7H 9D 9H 10S"),
        (ref.DESCENDING, "10S 9D 9H 7S 7H 3H 3C 2S"),
        (ref.STORM_STACK, "2S 10S 9D 9H 3H 3C 7S 7H"),
        (ref.HEARTS_FIRST, "9H 7H 3H 2S 3C 7S 9D 10S"),
    ],
)
def test_plan_menu(order, after):
    game = Game.scenario(decks=("8S 7S 3H 9D 3C 7H 10S 2S 9H 4S", "2S"), knobs={"plan_mode": "menu"})
    play(game, ref.BESIEGER_PLAN)
    assert (game.decision, game.legal()) == (ref.PLAN_MENU, [0, 1, 2, 3, 4])
    play(game, order)
    assert (deck_text(game, BESIEGER), game.seat) == (after + " 4S", BESIEGED)


def test_SS_RES_01_other_suits():
    decks, piles = ("2D 10S", "2S"), ("2S 3S 4S", "")
    assert pile_text(play(Game.scenario(decks, piles), ref.RESUPPLY), BESIEGER) == "2S 3S 4S 2D"
    game = play(Game.scenario(decks, piles, knobs={"resupply_suits": "H+D"}), ref.RESUPPLY)
    assert pile_text(game, BESIEGER) == "2S 2D"


def test_SS_RES_02_window():
    decks, piles = ("3H 10S", "2S"), ("2S 8H 4C 5D 6S 7D", "")
    game = play(Game.scenario(decks, piles, knobs={"resupply_reading": "window"}), ref.RESUPPLY)
    assert (pile_text(game, BESIEGER), game.batches[BESIEGER]) == ("2S 8H 4C 5D 7D 3H", [1])


def test_SS_RES_05_nothing_to_take_makes_no_batch():
    game = play(Game.scenario(decks=("3H 10S", "2S")), ref.RESUPPLY)
    assert (game.batches, game.over) == ([[], []], False)


def test_batches_keep_their_place_until_the_deck_reaches_them():
    game = Game.scenario(decks=("2H 3H 9C", "2S 3S 4S 5S"), piles=("2S 3S 4S 5S 6S", ""))
    without_fate(game)
    play(game, ref.RESUPPLY, ref.WAIT, ref.RESUPPLY)  # takes 6S 5S, then 4S 3S 2S
    deck = game.deck[BESIEGER]
    assert (set(deck[:3]), set(deck[3:5]), deck[5:]) == ({1, 2, 3}, {4, 5}, ref.cards("9C"))
    assert game.batches[BESIEGER] == [2, 3]
    play(game, ref.WAIT, ref.BESIEGE)  # 9C
    assert game.batches[BESIEGER] == [2, 3]
    play(game, ref.WAIT, ref.BESIEGE)  # the first batch is the main part now
    assert game.batches[BESIEGER] == [3]
    assert game.pile[BESIEGER][-1] in ref.cards("6S 5S")


def test_plan_dissolves_the_batch_it_reaches():
    game = Game.scenario(decks=("2H 4H 9D", "2S 3S"), piles=("2S 3S 4S 5S 6S", ""))
    without_fate(game)
    play(game, ref.RESUPPLY, ref.WAIT)
    assert game.batches[BESIEGER] == [2]
    play(game, ref.BESIEGER_PLAN)
    assert (game.batches[BESIEGER], game.known_top[BESIEGER]) == ([], 3)
    assert game.deck[BESIEGER][-1] == ref.card_from_text("9D")


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="wals_start"):
        Game({"wals_start": 5}, 0, 0)
    with pytest.raises(ValueError, match="plan_mode"):
        Game({"plan_mode": "short"}, 0, 0)
    with pytest.raises(ValueError, match="SS-WAL-02"):
        Game({"walls_start": 9, "walls_max": 8}, 0, 0)
    with pytest.raises(ValueError, match="allows"):
        Game({}, 0, 0).apply(15)
    with pytest.raises(ValueError, match="twice"):
        Game.scenario(decks=("2S 2S", "3S"))


# --- Exact chances ------------------------------------------------------------------------------------------


def test_P_01_to_P_08_are_those_of_the_ledger():
    assert exact.p_01() == Fraction(1, 2)
    assert exact.p_02() == Fraction(1, 10)
    assert exact.p_03() == Fraction(7, 25)
    assert exact.p_04() == Fraction(169657, 321100)
    assert exact.p_05() == (Fraction(9, 20), Fraction(21, 100))
    assert exact.p_06() == (Fraction(5, 26), Fraction(1215, 286))
    assert exact.p_07() == (Fraction(41, 21), Fraction(1, 2), Fraction(10, 39))
    assert exact.p_08() == (Fraction(37, 78), Fraction(3, 4))


def test_P_09_is_that_of_the_ledger():
    assert round(float(exact.p_09()), 7) == 0.4818151


@pytest.mark.parametrize(("red", "black"), [(1, 1), (2, 2), (3, 3), (4, 2), (2, 4)])
def test_P_09_argument_against_plain_recursion(red, black):
    assert exact.waiting_chance(red, black) == exact.waiting_chance_card_by_card(red, black)


def agrees(hits: int, tries: int, chance: Fraction) -> bool:
    """Within four standard errors; the seeds are fixed, so a test passes always or never."""
    expected = float(chance)
    return abs(hits / tries - expected) < 4 * sqrt(expected * (1 - expected) / tries)


def test_P_02_and_P_03_on_the_reference():
    walls_hit = city_falls = 0
    for number in range(1500):
        walls_hit += play(Game({}, 21, number), ref.BOMBARD_WALLS, 1).walls == 4
        game = Game({}, 22, number)
        game.built = {0}
        city_falls += play(game, ref.ASSAULT, 0, 1).over
    assert agrees(walls_hit, 1500, exact.p_02())
    assert agrees(city_falls, 1500, exact.p_03())


def test_P_08_on_the_reference():
    returned = []
    for number in range(1500):
        game = Game({}, 23, number)
        for _ in range(4):
            game.mill(BESIEGER, 1)
        play(game, ref.RESUPPLY)
        returned.append(sum(game.batches[BESIEGER]))
    mean, deviation = float(exact.p_08()[0]), 1.0
    assert abs(sum(returned) / 1500 - mean) < 4 * deviation / sqrt(1500)


def test_P_09_on_the_reference():
    wins = 0
    for number in range(600):
        game = Game({}, 24, number)
        while not game.over:
            game.apply(0)
        wins += game.winner == BESIEGER
    assert agrees(wins, 600, exact.p_09())


# --- Random games -------------------------------------------------------------------------------------------

NUMBER_KNOBS = {
    "walls_start": (1, 10),
    "walls_max": (6, 12),
    "walls_floor": (0, 1),
    "bombard_penalty": (1, 6),
    "sally_penalty": (1, 6),
    "wall_damage": (1, 3),
    "repair_cost": (1, 4),
    "repair_gain": (1, 2),
    "assault_entry_cost": (0, 3),
    "assault_fail_cost": (0, 4),
    "assault_max_cards": (1, 5),
    "fate_reset_count": (2, 6),
    "max_rank": (6, 10),
    **{f"mod_{name}": (0, 4) for name in ref.COUNTERS},
    **{f"cost_{name}": (1, 6) for name in ref.COUNTERS},
}


def random_knobs(chooser: random.Random) -> dict[str, object]:
    knobs: dict[str, object] = {name: chooser.randint(*ends) for name, ends in NUMBER_KNOBS.items()}
    knobs.update({name: chooser.choice(options) for name, options in ref.CHOICES.items()})
    knobs["walls_start"] = min(knobs["walls_start"], knobs["walls_max"])
    return knobs


def turn_limit(game: Game) -> int:
    """Section 6: cards, what the triggers can bring back, and one turn to fail in."""
    full = game.number_cards()
    suits = (ref.HEARTS, ref.DIAMONDS) if game.knobs["resupply_suits"] == "H+D" else (ref.HEARTS,)
    return len(full) + sum(game.worth(card) for card in full if ref.suit_of(card) in suits) + 1


def check_position(game: Game) -> None:
    for player in (BESIEGER, BESIEGED):
        owned = game.deck[player] + game.pile[player] + game.aside[player]
        assert sorted(owned) == game.number_cards()
        assert game.known_top[player] + sum(game.batches[player]) <= len(game.deck[player])
        assert all(size > 0 for size in game.batches[player])
    assert game.knobs["walls_floor"] <= game.walls <= game.knobs["walls_max"]
    assert all(game.modifier(counter) > 0 for counter in game.built)
    assert len(game.turned_up) == game.fate_red + game.fate_black
    assert sorted(game.fate + game.turned_up) == sorted(game.fate_cards())
    assert game.turn <= turn_limit(game)
    if game.over:
        assert game.legal() == [] and game.decision is None
        assert game.winner == {"assault": 0, "surrender": 0, "abandon": 1}[game.ending]
    else:
        assert game.legal() == sorted(set(game.legal())) != []
        assert max(game.fate_red, game.fate_black) < game.knobs["fate_reset_count"]
        asked_besieged = game.decision in (ref.DEFEND_CITY, ref.BESIEGED_ACTION, ref.DESTROY)
        if game.decision not in (ref.PLAN_PICK, ref.PLAN_MENU):
            assert game.seat == (BESIEGED if asked_besieged else BESIEGER)


def random_game(knobs: dict[str, object], seed: int, number: int) -> Game:
    game = Game(knobs, seed, number)
    check_position(game)
    while not game.over:
        legal = game.legal()
        game.apply(legal[game.bot_below(game.seat, len(legal))])
        check_position(game)
    return game


def test_random_games_with_the_printed_rules():
    endings = Counter(random_game({}, 31, number).ending for number in range(200))
    assert set(endings) == {"assault", "surrender", "abandon"}
    besieger_share = (endings["assault"] + endings["surrender"]) / 200
    assert 0.44 < besieger_share < 0.74  # section 7: about 0.59


@pytest.mark.parametrize("block", range(10))
def test_random_games_with_random_knobs(block):
    chooser = random.Random(block)
    for number in range(40):
        random_game(random_knobs(chooser), block, number)


def test_recycling_games_stay_within_the_turn_limit():
    """Both sides only put cards back: the longest games, with many batches."""
    knobs = {"resupply_suits": "H+D", "ace_value": 11, "joker_exhaust": "stop"}
    longest = 0
    for number in range(60):
        game = Game(knobs, 33, number)
        while not game.over:
            game.apply(ref.RESUPPLY if game.seat == BESIEGER else ref.RATIONING)
            check_position(game)
        longest = max(longest, game.turn)
    assert longest > 30


def test_same_seed_and_game_play_the_same():
    one, two = random_game({}, 7, 3), random_game({}, 7, 3)
    assert (one.pile, one.fate, one.turn, one.ending) == (two.pile, two.fate, two.turn, two.ending)
    assert random_game({}, 7, 4).pile != one.pile


def test_a_bots_draws_leave_the_cards_alone():
    quiet, busy = Game({}, 9, 9), Game({}, 9, 9)
    while not quiet.over:
        busy.bot_below(busy.seat, 6)
        quiet.apply(0)
        busy.apply(0)
    assert (quiet.pile, quiet.fate) == (busy.pile, busy.fate)
