"""Positions that are set up: fields and the next draws, in plain Python, compiled and in scenario files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.author.base import Game
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.registry import load_game
from simlab.runs.scenario import ScenarioBroken, load_scenario

QUARRY = '''
from simlab.author import Bag, Deck, Dice, Game, Hand, OwnDecks, Track, choice, flag, grid, knob, number, per_seat


class Quarry(Game):
    """Dig for rubies until the roof comes down."""

    players = (2, 4)
    size = knob(9, 1, 9, "pieces in a cart")
    bag = Bag(["ruby", "coal", "cave_in"], [2, 3, 2])
    deck = Deck(["pick", "lamp", "rope", "lamp"])
    own = OwnDecks(deck)
    hand = Hand(deck)
    cubes = Dice(2)
    depth = Track(9)
    cart = number(low=0, high=9)
    rubies = per_seat(score=(0, 30))
    tool = number(names=deck)
    kit = number()
    pips = number()
    luck = number()
    lit = flag()
    props = grid(2, 3)
    act = choice("dig", "haul", "throw")

    def play(self):
        """Q-1: the set-up."""
        self.deck.shuffle()
        self.tool = self.deck.draw()
        for seat in self.seats:
            self.own.gain(seat, 0)
            self.own.gain(seat, 2)
            self.own.gain(seat, 3)
        self.hand.add(0, self.deck.draw())
        self.cart = 2
        while self.turn < 9:
            self.step()
        self.end("night")

    def step(self):
        """Q-2: a cave-in loses the cart."""
        act = self.ask(self.act)
        if act == "dig" and self.deck.left == 1:
            self.tool = self.deck.draw()
        elif act == "dig":
            piece = self.bag.draw()
            if piece == 2:
                self.cart = 0
                self.seat = self.next_seat()
            else:
                self.cart += 1
        elif act == "haul":
            self.rubies[self.seat] += self.cart
            self.seat = self.next_seat()
            self.turn += 1
        else:
            self.pips = self.roll(6)
            self.luck = self.below(10)
            self.cubes.roll_all()
            self.kit = self.own.draw(self.seat)

    def may_act(self, option):
        return option != 2 or self.lit
'''


@pytest.fixture(scope="module")
def quarry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("quarry") / "quarry.py"
    path.write_text(QUARRY)
    return path


@lru_cache
def _match(path: Path, players: int) -> Match:
    game = load_game(str(path), players)
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


class Table:
    """A game of Quarry in plain Python or compiled."""

    def __init__(self, path: Path, way: str, players: int = 2, **given: Any) -> None:
        fields = {name: value for name, value in given.items() if name != "draws"}
        self.game: Any
        if way == "plain":
            owner: type[Game] = _match(path, players).game.owner  # type: ignore[attr-defined]
            self.game = owner(players, **given)
        else:
            self.game = Stepper(_match(path, players), 1, draws=given.get("draws"), fields=fields)
        self.take = self.game.take

    def __getattr__(self, name: str) -> Any:
        state = self.game if isinstance(self.game, Game) else self.game.state
        part, _, attribute = name.partition("_")
        if attribute and isinstance(self.game, Game):
            state, name = getattr(state, part), attribute
        value = np.ravel(getattr(state, name)).tolist()
        return value if np.ndim(getattr(state, name)) else value[0]

    def legal(self) -> list[int]:
        return [int(option) for option in self.game.legal()]


both = pytest.mark.parametrize("way", ["plain", "compiled"])


@both
def test_a_second_cave_in_loses_the_cart(quarry: Path, way: str) -> None:
    game = Table(quarry, way, 3, cart=5, draws={"bag": ["ruby", "cave_in", "cave_in"]})
    game.take("dig")
    assert (game.cart, game.seat) == (6, 0)
    game.take("dig", "haul", "dig")
    assert (game.cart, game.seat, game.rubies) == (0, 0, [0, 0, 0])
    assert game.bag_counts == [1, 3, 0]


@both
@pytest.mark.parametrize("card", ["rope", 1, "lamp", 3])
def test_a_given_card_is_drawn_in_the_set_up(quarry: Path, way: str, card: int | str) -> None:
    game = Table(quarry, way, draws={"deck": [card]})
    assert game.tool == card or ["pick", "lamp", "rope", "lamp"][game.tool] == card
    left = game.deck_order[: game.deck_left]
    assert sorted([*left, game.tool, *np.flatnonzero(game.hand_held).tolist()]) == [0, 1, 2, 3]


@both
def test_given_rolls_come_before_random_ones(quarry: Path, way: str) -> None:
    given = {"dice": [6, 1], "chance": [0, 9], "cubes": [2, 5], "own[1]": ["rope"]}
    game = Table(quarry, way, lit=True, seat="bob", draws=given)
    game.take("throw")
    assert (game.pips, game.luck, game.cubes_shown, game.kit) == (6, 0, [2, 5], 2)
    game.take("throw")
    assert (game.pips, game.luck) == (1, 9)
    assert game.kit in (0, 3)


@both
def test_given_draws_leave_the_others_as_they_are(quarry: Path, way: str) -> None:
    one, other = (Table(quarry, way, lit=True, draws=draws) for draws in ({}, {"bag": ["ruby"]}))
    for game in (one, other):
        game.take("throw", "dig")
    assert (one.pips, one.luck, one.cubes_shown, one.kit) == (other.pips, other.luck, other.cubes_shown, other.kit)


@both
def test_fields_win_over_the_set_up_and_the_first_question_is_about_them(quarry: Path, way: str) -> None:
    assert Table(quarry, way).legal() == [0, 1]
    game = Table(
        quarry, way, cart=4, lit=True, rubies={"bob": 7}, seat=1, turn=8, tool="rope", props={(1, 2): 5},
        depth=[3, 4], cubes=[1, 6], bag={"coal": 0},
    )  # fmt: skip
    assert (game.cart, game.rubies, game.turn, game.tool, game.props) == (4, [0, 7], 8, 2, [0, 0, 0, 0, 0, 5])
    assert (game.depth_spaces, game.cubes_shown, game.bag_counts, game.bag_left) == ([3, 4], [1, 6], [2, 0, 2], 4)
    assert game.legal() == [0, 1, 2]
    game.take("haul")
    assert (bool(game.over), game.rubies) == (True, [0, 11])


@both
def test_cards_of_decks_and_hands_are_set(quarry: Path, way: str) -> None:
    game = Table(quarry, way, draws={"deck": ["rope", "pick"]}, hand={"bob": ["lamp"], 0: []}, deck=["pick"])
    assert (game.deck_left, game.deck_order[0], game.hand_counts) == (1, 0, [0, 1])
    assert sum(game.hand_held[4:]) == 1
    game.take("dig")
    assert (game.tool, game.deck_left) == (0, 0)


REFUSED = {
    "an unknown field": ({"kart": 1}, "Quarry has no field 'kart'. Did you mean 'cart'?"),
    "a knob": ({"size": 3}, "size is a knob of Quarry. Give it as one: knobs={'size': 3}."),
    "the ending": ({"ending": 1}, "Quarry has no field 'ending'."),
    "a value out of range": ({"cart": 10}, "cart = 10: it is in 0..9."),
    "a score out of range": ({"rubies": [0, 31]}, "rubies = 31: it is in 0..30."),
    "a turn that is too late": ({"turn": 0}, "turn = 0: it is in 1..1000."),
    "a text": ({"cart": "full"}, "cart = 'full': it is a whole number."),
    "a fraction": ({"cart": 1.5}, "cart = 1.5: it is a whole number."),
    "a flag that is a number": ({"lit": 1}, "lit = 1: it is True or False."),
    "an unknown name": ({"tool": "lamb"}, "tool has no 'lamb'. Did you mean 'lamp'?"),
    "too few values": ({"rubies": [1]}, "rubies = [1]: it has 2 values. Write all, or some by place: {0: 3}."),
    "one value for all": ({"rubies": 1}, "rubies = 1: it has 2 values."),
    "an unknown place": ({"rubies": {2: 1}}, "rubies: there is no place 2. Places are 0 to 1."),
    "an unknown seat": ({"rubies": {"bop": 1}}, "rubies: there is no place 'bop'. Did you mean 'bob'?"),
    "a place of a board": ({"props": {1: 1}}, "props: 1 is not a place: write 2 numbers"),
    "a seat that does not play": ({"seat": 2}, "seat: there is no place 2."),
    "an unknown deck": ({"draws": {"dack": [0]}}, "draws: Quarry draws nothing from 'dack'. Did you mean 'deck'?"),
    "an unknown card": ({"draws": {"deck": ["lamb"]}}, "draws: deck has no 'lamb'. Did you mean 'lamp'?"),
    "a card's number": ({"draws": {"deck": [4]}}, "draws: deck = 4: write a name, or a number in 0..3."),
    "a face 0": ({"draws": {"dice": [0]}}, "draws: dice = 0: write whole numbers of at least 1."),
    "a card that is out": ({"draws": {"deck": ["rope"]}, "deck": ["rope"]}, "'rope' is not in the deck. Left: 1"),
    "a hand without seats": ({"hand": ["rope"]}, "hand = ['rope']: write the cards of seats: {0: [5, 7]}."),
    "no list of cards": ({"hand": {0: "rope"}}, "the deck = 'rope': write a list of cards."),
    "no list": ({"draws": {"deck": "lamp"}}, "draws: deck = 'lamp': write a list of results: {'deck': [2, 1]}."),
    "too many draws": ({"draws": {"dice": [1] * 49}}, "at most 48 draws can be forced in one game."),
}


@both
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_set_up_is_refused(quarry: Path, way: str, name: str) -> None:
    given, why = REFUSED[name]
    with pytest.raises(InputError) as refused:
        Table(quarry, way, **given)
    assert why in str(refused.value)


@both
@pytest.mark.parametrize(
    ("given", "options", "why"),
    [
        ({"bag": ["cave_in"] * 3}, ["dig"] * 3, "'cave_in' is not in the bag. Left: 2 ruby, 3 coal."),
        ({"bag": [2] * 3}, ["dig"] * 3, "'cave_in' is not in the bag. Left: 2 ruby, 3 coal."),
        ({"own[0]": ["lamp", "lamp"]}, ["throw"] * 2, "'lamp' is not in ann's draw pile. Left: 1 pick, 1 rope."),
    ],
)
def test_an_impossible_draw_says_what_is_left(
    quarry: Path, way: str, given: dict[str, list[int | str]], options: list[str], why: str
) -> None:
    game = Table(quarry, way, lit=True, seat=0, draws=given)
    game.take(*options[1:])
    with pytest.raises(InputError) as fault:
        game.take(options[0])
    assert why in str(fault.value)


def test_a_face_that_a_die_does_not_have_is_refused(quarry: Path) -> None:
    with pytest.raises(InputError, match="draws: dice: the given result is number 7 of 6 possible ones"):
        Table(quarry, "plain", lit=True, draws={"dice": [7]}).take("throw")
    with pytest.raises(BotFault, match="a forced draw is outside its range"):
        Table(quarry, "compiled", lit=True, draws={"dice": [7]}).take("throw")


@both
def test_an_option_that_is_not_legal_or_comes_too_late_is_refused(quarry: Path, way: str) -> None:
    game = Table(quarry, way, turn=8)
    with pytest.raises(
        InputError, match=r"throw.* is not legal. Legal: dig, haul|'throw' is none of the legal actions"
    ):
        game.take("throw")
    game.take("haul")
    with pytest.raises(InputError, match="the game is over"):
        game.take("dig")


SCENARIO = """
[scenario]
game = "./quarry.py"

[start]
fields = { cart = 5, lit = true, rubies = { bob = 3 } }
draws = { deck = ["rope"] }
expect = { tool = 2, cart = 5 }

[[step]]
do = "dig"
draws = { bag = ["cave_in"] }
expect = { cart = 0, seat = 1 }

[[step]]
do = "throw"
seat = "bob"
draws = { dice = [4] }
expect = { pips = 4, "bob's rubies" = "3" }
"""


def test_a_scenario_sets_up_a_position(quarry: Path) -> None:
    def played(text: str) -> None:
        path = quarry.with_name("dig.toml")
        path.write_text(text)
        scenario = load_scenario(path)
        stepper = scenario.stepper()
        for move in scenario.moves(stepper):
            stepper.apply(move.action)

    played(SCENARIO)
    with pytest.raises(ScenarioBroken, match="cart is"):
        played(SCENARIO.replace("{ cart = 0, seat", "{ cart = 1, seat"))
    with pytest.raises(InputError, match=r"\[start\]: Quarry has no field 'kart'. Did you mean 'cart'"):
        played(SCENARIO.replace("{ cart = 5, lit", "{ kart = 5, lit"))
    with pytest.raises(InputError, match=r"step 1 \(dig\), draws: draws: bag has no 'cave'. Did you mean 'cave_in'"):
        played(SCENARIO.replace('"cave_in"', '"cave"'))
    with pytest.raises(InputError, match="loaded, but never drawn: dice 5, bag ruby"):
        played(SCENARIO.replace("{ dice = [4] }", '{ dice = [4, 5], bag = ["ruby"] }'))
    with pytest.raises(
        InputError, match="mighty_fortress: fields can be set only in games that are written as classes"
    ):
        played('[scenario]\ngame = "mighty_fortress"\n[start]\nfields = { walls = 3 }\n')
