"""A test is named after its rule and sets only what the rule is about. Run: python -m pytest test_rules.py"""

from __future__ import annotations

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

GAME = load_game("tricks")
BID, CARD = 0, 1
SUITS, RANKS = "CDHS", "23456789TJQKA"


def card(name: str) -> int:
    """The number of a card: `AH` is the ace of hearts."""
    return SUITS.index(name[1]) * 13 + RANKS.index(name[0])


def cards(names: str) -> int:
    """A set of cards."""
    return sum(1 << card(name) for name in names.split())


def new_game(**knobs: int) -> Stepper:
    return Stepper(Match(GAME, knobs=knobs, bots=dict.fromkeys(GAME.seats, "random")))


def dealt(*hands: str, bids: tuple[int, ...] = (), turned: str = "2S", **knobs: int) -> Stepper:
    """A game in which the four hold these cards: ann deals, bob bids and leads first."""
    game = new_game(hand=len(hands[0].split()), deals=1, **knobs)
    for seat, names in enumerate(hands):
        game.state.hand[seat] = cards(names)
    game.state.turned = card(turned)
    for bid in bids:
        game.apply(bid)
    return game


def play(game: Stepper, names: str) -> None:
    for name in names.split():
        game.apply(card(name))


def bid_all(game: Stepper) -> None:
    while game.state.decision == BID:
        game.apply(game.legal()[0])


def test_T_1_1_the_first_seat_deals_and_the_next_after_it() -> None:
    game = new_game(hand=2, deals=2)
    assert game.state.dealer == 0 and game.seat == "bob"
    while game.state.deal_no == 0:
        game.apply(game.legal()[0])
    assert game.state.dealer == 1 and game.seat == "cat"


def test_T_1_2_T_1_3_hands_are_dealt_and_shrink() -> None:
    game = new_game(hand=3, deals=2)
    held = [int(hand) for hand in game.state.hand]
    assert [hand.bit_count() for hand in held] == [3] * 4
    assert sum(held).bit_count() == 12, "no card twice"
    while game.state.deal_no == 0:
        game.apply(game.legal()[0])
    assert [int(hand).bit_count() for hand in game.state.hand] == [2] * 4
    even = new_game(hand=3, deals=2, shrinking=False)
    while even.state.deal_no == 0:
        even.apply(even.legal()[0])
    assert [int(hand).bit_count() for hand in even.state.hand] == [3] * 4


def test_T_1_4_the_suit_turned_up_is_trumps() -> None:
    for trumps, taker in ((True, 2), (False, 1)):
        game = dealt("2C", "AC", "2H", "3C", bids=(1, 0, 0, 1), turned="KH", trumps=trumps)
        assert game.state.decision == CARD
        play(game, "AC 2H 3C 2C")
        assert game.state.taken[taker] == 1


def test_T_2_1_each_bids_once_from_the_dealers_left_on() -> None:
    game = new_game(hand=3, deals=1)
    seats = []
    while game.state.decision == BID:
        assert game.seat == "ann" or game.legal() == [0, 1, 2, 3]
        seats.append(game.seat)
        game.apply(game.legal()[0])
    assert seats == ["bob", "cat", "dan", "ann"] and game.seat == "bob"


def test_T_2_2_the_dealer_may_not_make_the_bids_add_up() -> None:
    assert dealt(*["2C 3C 4C"] * 4, bids=(1, 0, 1)).legal() == [0, 2, 3]
    assert dealt(*["2C 3C 4C"] * 4, bids=(3, 3, 1)).legal() == [0, 1, 2, 3]
    assert dealt(*["2C 3C 4C"] * 4, bids=(1, 0, 1), hook=False).legal() == [0, 1, 2, 3]


def test_T_2_3_who_takes_a_trick_leads_the_next() -> None:
    game = dealt("2C 2D", "3C 3D", "AC 4D", "5C 5D")
    bid_all(game)
    assert game.seat == "bob" and game.legal() == sorted([card("3C"), card("3D")])
    play(game, "3C AC 5C 2C")
    assert game.seat == "cat"


def test_T_2_4_the_suit_led_is_followed_by_who_can() -> None:
    game = dealt("2C 2D", "3C 3D", "AH 4D", "5C 5D")
    bid_all(game)
    play(game, "3C")
    assert game.legal() == sorted([card("AH"), card("4D")])
    play(game, "4D")
    assert game.legal() == [card("5C")]
    assert int(game.state.lacks[2]) == 1, "cat is known to be out of clubs"


def test_T_2_4_a_redraw_gives_nobody_a_suit_that_it_is_out_of() -> None:
    game = dealt("2C 2D", "3C 3D", "AH 4D", "5C 5D")
    bid_all(game)
    play(game, "3C 4D")
    clubs = sum(1 << rank for rank in range(13))
    for _ in range(20):
        game.redraw(3)
        assert not int(game.state.hand[2]) & clubs
        assert [int(hand).bit_count() for hand in game.state.hand] == [2, 1, 1, 2]


def test_T_2_5_the_highest_trump_takes_the_trick_or_the_highest_of_the_suit_led() -> None:
    for hands, taker in ((("2C", "3C", "KC", "5C"), 2), (("2C", "3C", "KD", "5C"), 3), (("4S", "AC", "3S", "5C"), 0)):
        game = dealt(*hands)
        bid_all(game)
        play(game, f"{hands[1]} {hands[2]} {hands[3]} {hands[0]}")
        assert game.state.taken.tolist().index(1) == taker


def test_T_3_1_a_bid_that_was_met_scores() -> None:
    game = dealt("2C", "3C", "KC", "5C", bids=(1, 1, 0, 0), hook=False, miss_penalty=2)
    play(game, "3C KC 5C 2C")
    assert list(game.row()["score"]) == [10, -2, 11, 10]


def test_T_3_2_the_most_points_win_or_share() -> None:
    alone = dealt("2C", "3C", "KC", "5C", bids=(1, 1, 0, 0), hook=False)
    play(alone, "3C KC 5C 2C")
    assert (alone.row()["winner"], alone.row()["winners"]) == (2, 1 << 2)
    shared = dealt("2C", "3C", "KC", "5C", bids=(1, 0, 0, 0), hook=False)
    play(shared, "3C KC 5C 2C")
    ann_and_dan = 1 << 0 | 1 << 3
    assert (shared.row()["winner"], shared.row()["winners"], shared.row()["ending"]) == (-2, ann_and_dan, 1)
