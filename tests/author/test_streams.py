"""Random numbers of a class depend on the name of the deck, bag or die alone, whatever else is in the class."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from simlab.author.base import Game
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.streams import philox
from simlab.errors import InputError
from simlab.registry import load_game

FAIR = '''
from simlab.author import Bag, Deck, Dice, Game, Map, OwnDecks, choice, knob, number, numbers

KINDS = ["red", "blue", "green"]


class Fair(Game):
    """Each turn draws something of everything."""

    players = (2, 4)
    deck = Deck(20)
    bag = Bag(KINDS, [9, 9, 9])
    own = OwnDecks(deck)
    card = number()
    piece = number()
    pips = number()
    chance_of_ten = number()
    own_cards = numbers(4)
    on = choice("on")

    def play(self):
        """F-1: ten turns."""
        self.deck.shuffle()
        for seat in self.seats:
            for card in range(10):
                self.own.gain(seat, card)
        while self.turn < 10:
            self.card = self.deck.draw()
            self.piece = self.bag.draw()
            self.pips = self.roll(6)
            self.chance_of_ten = self.below(10)
            for seat in self.seats:
                self.own_cards[seat] = self.own.draw(seat)
            self.ask(self.on, 0)
            self.turn += 1
        self.end("done", 0)
'''


def fair(folder: Path, *changes: tuple[str, str]) -> Path:
    """The game with pieces of its text changed."""
    text = FAIR
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / "fair.py"
    path.write_text(text)
    return path


def deals(path: Path, players: int = 2) -> list[list[int]]:
    """Everything that the first ten turns of a game draw."""
    game = _owner(path)(players, seed=3, game=8)
    drawn = []
    while not game.over:
        drawn.append([game.card, game.piece, game.pips, game.chance_of_ten, *game.own_cards[:2]])
        game.take("on")
    return drawn


def _owner(path: Path) -> type[Game]:
    game = load_game(str(path))
    return game.owner  # type: ignore[attr-defined,no-any-return]


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    return deals(fair(tmp_path_factory.mktemp("fair")))


#: What is changed: players, and pieces of the text with their replacements.
CHANGES = {
    "a comment": (2, [("    def play", "    # self.below(9), self.roll(6)\n    def play")]),
    "a further deck": (2, [("    card = ", "    more = Deck(9)\n    card = ")]),
    "a bag before all others": (2, [("    deck = ", "    more = Bag(['red'], [2])\n    deck = ")]),
    "further decks of each seat": (2, [("    own = ", "    mine = OwnDecks(deck)\n    own = ")]),
    "dice that are rolled": (
        2,
        [
            ("    own = ", "    cubes = Dice(3)\n    own = "),
            ("        while", "        self.cubes.roll_all()\n        while"),
        ],
    ),
    "a roll that never happens": (
        2,
        [("        while", "        if self.turn > 1:\n            self.roll(8)\n        while")],
    ),
    "a further field": (2, [("    card = ", "    last = number()\n    card = ")]),
    "another order": (
        2,
        [("    bag = Bag(KINDS, [9, 9, 9])\n", ""), ("    deck = ", "    bag = Bag(KINDS, [9, 9, 9])\n    deck = ")],
    ),
    "a further seat": (3, []),
    "two further seats and more decks": (4, [("    own = ", "    mine = OwnDecks(deck)\n    own = ")]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_elsewhere_re_deals_nothing(tmp_path: Path, unchanged: list[list[int]], name: str) -> None:
    players, changes = CHANGES[name]
    assert deals(fair(tmp_path, *changes), players) == unchanged


def test_another_name_is_another_deal(tmp_path: Path, unchanged: list[list[int]]) -> None:
    path = fair(tmp_path)
    path.write_text(FAIR.replace("deck", "pack"))
    renamed = deals(path)
    assert [turn[0] for turn in renamed] != [turn[0] for turn in unchanged]
    assert [turn[1:] for turn in renamed] == [turn[1:] for turn in unchanged]


def test_a_roll_is_made_of_seed_game_and_name(unchanged: list[list[int]]) -> None:
    """Lemire's product of the first words: counter (block, 255, game, hash of the name) and key (seed, 0)."""
    words: list[int] = []
    for block in range(3):
        four = np.zeros(4, np.uint32)
        counter = (block, 255, 8, zlib.crc32(b"dice"))
        philox(*map(np.uint64, (*counter, 3, 0)), four)
        words += four.tolist()
    assert [turn[2] for turn in unchanged] == [(word * 6 >> 32) + 1 for word in words[: len(unchanged)]]


def test_compiled_play_draws_the_same(tmp_path: Path) -> None:
    game = load_game(str(fair(tmp_path, ("    own = ", "    mine = OwnDecks(deck)\n    own = "))), 3)
    assert game.streams == (
        "dice",
        "chance",
        "deck",
        "bag",
        *(f"{own}[{n}]" for n in range(3) for own in ("mine", "own")),
    )
    assert compare(Match(game, bots=dict.fromkeys(game.seats, "random")), 3, range(8, 10)) == 18


def test_two_names_with_the_same_numbers_are_refused(tmp_path: Path) -> None:
    path = fair(tmp_path, ("    own = ", "    plumless = Deck(3)\n    buckeroo = Deck(3)\n    own = "))
    with pytest.raises(InputError, match="plumless and buckeroo would get the same random numbers"):
        load_game(str(path))
