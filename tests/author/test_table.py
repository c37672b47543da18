"""Dice, tableaus, drafts and boards of squares from the shelf, plain and compiled."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy import stats

from simlab.author import Map, squares
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

GAME = '''
from simlab.author import NONE, Deck, Dice, Game, Hand, Map, Pieces, Tableau, choice, number, per_seat, squares


class Draft(Game):
    """Keep a die or a card, and pass the hand on."""

    players = (2, 4)
    deck = Deck(24)
    hand = Hand(deck)
    built = Tableau(deck)
    dice = Dice(3, sides=6)
    board = Map(squares(3, 3))
    men = Pieces(board, each=9)
    points = per_seat()
    pick = choice(deck)
    keep = choice(dice)

    def play(self):
        """R-1: three cards each, and three dice."""
        self.deck.shuffle()
        self.hand.deal(3)
        self.dice.roll_all()
        for self.turn in (1, 2, 3):
            for self.seat in self.seats:
                """R-2: a card is built; when all have built, the hands go to the left."""
                card = self.ask(self.pick)
                self.hand.remove(self.seat, card)
                self.built.add(self.seat, card)
                self.score_die(self.ask(self.keep))
            self.hand.pass_left()
        self.end("built")

    def may_pick(self, card):
        return self.hand.has(self.seat, card)

    def score_die(self, die):
        """R-3: a die scores and is rolled again; a man goes on the board."""
        self.points[self.seat] += self.dice[die] + self.dice.how_many(6) + self.dice.total() % 2
        self.dice.roll(die)
        self.men.place(self.seat, (self.turn + die) % self.board.size)

    def score(self, seat):
        return self.points[seat]
'''


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("draft") / "draft.py"
    file.write_text(GAME)
    return str(file)


def match(path: str, players: int, **knobs: str) -> Match:
    game = load_game(path, players)
    return Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random"))


@pytest.mark.parametrize("players", [2, 4])
def test_plain_and_compiled_games_are_the_same(draft: str, players: int) -> None:
    assert compare(match(draft, players), 1, 20) == 20 * players * 3 * 2


def test_hands_go_to_the_left_and_tableaus_lie_open(draft: str) -> None:
    stepper = Stepper(match(draft, 3), 1, 0)
    kept = []
    for _ in range(3):
        stepper.apply(stepper.legal()[0])
        kept.append(stepper.state.hand_held.copy() > 0)
        stepper.apply(0)
    now = stepper.state.hand_held > 0
    assert [(now[(seat + 1) % 3] == kept[2][seat]).all() for seat in range(3)] == [True] * 3
    assert stepper.state.hand_counts.tolist() == [2, 2, 2]
    assert isinstance(stepper.describe(1)["ann's built"], tuple)
    assert stepper.describe(1)["ann's hand"] == "2 cards"


def test_dice_are_fair_and_can_be_loaded(draft: str) -> None:
    """Chi-square of 3,000 dice; false alarm 1 in 10,000; the seed is fixed."""
    fair, loaded = match(draft, 2), match(draft, 2, die_dice="6x5")
    for one, chances in ((fair, [1 / 6] * 6), (loaded, [0.1] * 5 + [0.5])):
        seen = Counter(int(n) for index in range(1_000) for n in Stepper(one, 1, index).state.dice_shown)
        assert stats.chisquare([seen[n] for n in range(1, 7)], [3_000 * p for p in chances]).pvalue > 1e-4


def test_a_board_of_squares_has_its_neighbours() -> None:
    board = Map(squares(3, 3))
    degrees = {name: board.degree(number) for number, name in enumerate(board.labels)}
    assert board.labels[:4] == ["a1", "b1", "c1", "a2"]
    assert (degrees["a1"], degrees["b1"], degrees["b2"]) == (2, 3, 4)
    diagonal = Map(squares(3, 3, diagonal=True))
    assert [diagonal.degree(diagonal.labels.index(name)) for name in ("a1", "b1", "b2")] == [3, 5, 8]
