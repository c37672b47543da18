"""Decks of one's own per seat, cards taken out of a deck, and what a redraw may call."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.author.build import label
from simlab.author.same import compare
from simlab.bot_registry import find_bots
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.registry import load_game
from simlab.testing import ConformanceError, check_policy

BUILDER = '''
from simlab.author import NONE, Deck, Game, OwnDecks, bot, choice, per_seat, trait


class Heap(Game):
    """Each seat plays the cards of its own deck."""

    players = 2
    deck = Deck(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"])
    own = OwnDecks(deck)
    points = per_seat()
    lay = choice(deck, "pass")

    def play(self):
        """H-1: five cards each."""
        self.deck.take(3)
        self.own.gain(0, 3)
        self.deck.shuffle()
        for seat in self.seats:
            while self.own.size(seat) < 5:
                self.own.gain(seat, self.deck.draw())
            for _ in range(2):
                self.own.draw(seat)
        while True:
            self.take_turn(self.ask(self.lay))
            if self.turn == 14:
                self.end("time")
            self.turn += 1
            self.seat = self.next_seat()

    def may_lay(self, card):
        return card == "pass" or self.own.has(self.seat, card)

    def take_turn(self, card):
        """H-2: a card scores its number and leaves the deck; a new hand is drawn."""
        state, knobs, cards = 1, 2, 3
        score = self.score(self.seat)
        if card != "pass":
            self.own.remove(self.seat, card)
            self.points[self.seat] += card + (state + knobs + cards + score) % 2
            if self.turn % 3 == 0:
                self.own.gain(self.seat, self.deck.draw())
        self.own.discard_hand(self.seat)
        for _ in range(2):
            self.own.draw(self.seat)

    def score(self, seat):
        return self.points[seat]


@bot(Heap)
def honest(game):
    """Plays the highest card of its hand."""
    cards, below, traits, best = 1, 2, 3, -1
    for card in game.own.of(game.seat):
        best = max(best, card * cards)
    return best if best * below * traits >= 0 else "pass"


@bot(Heap)
def peeker(game, pile=trait(0, 0, 1, "1 to look at its draw pile instead of the next hand")):
    """Passes if the next seat holds its best card, or if an even card lies on its own draw pile."""
    top = max((card for card in game.own.owned(game.next_seat())), default=-1)
    left = game.own.left[game.seat]
    if pile == 0 and top >= 0 and game.own.has(game.next_seat(), top):
        return "pass"
    if pile == 1 and left > 0 and game.own.order[game.seat, left - 1] % 2 == 0:
        return "pass"
    return min(option for option in game.options)


@bot(Heap)
def gambler(game):
    """Plays any card of its hand."""
    pick = game.below(game.option_count)
    for option in game.options:
        if pick == 0:
            return option
        pick -= 1
    return "pass"
'''


def written(folder: Path, *changes: tuple[str, str]) -> str:
    text = BUILDER
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "heap.py").write_text(text)
    return str(folder / "heap.py")


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("heap"))


def match(path: str) -> Match:
    game = load_game(path)
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


#: Its local variables are called as methods and as the lab's own names, which the lab renames.
def test_own_decks_are_the_same_plain_and_compiled(heap: str) -> None:
    assert compare(match(heap), 1, 30) == 30 * 14


def test_cards_are_never_lost_or_doubled(heap: str) -> None:
    owner = load_game(heap).owner
    for seed in range(20):
        game = owner(seed=seed)
        assert game.own.owns(0, 3)
        while not game.over:
            seen = [*game.deck.order[: game.deck.left]]
            for seat in game.seats:
                own = game.own
                owned = list(own.owned(seat))
                pile = [own.order[seat, place] for place in range(own.left[seat])]
                hand = list(own.of(seat))
                assert sorted(pile + hand + [c for c in owned if own.where[seat, c] == own.DISCARDED]) == owned
                assert (len(hand), len(owned)) == (own.count(seat), own.size(seat))
                seen += owned
            assert len(seen) == len(set(seen))
            game.take(game.legal()[seed % len(game.legal())])


def test_a_plain_bot_draws_the_numbers_of_the_compiled_one(heap: str) -> None:
    game = load_game(heap)
    rows = Match(game, bots=dict.fromkeys(game.seats, "gambler")).play(3, 0, 20).rows
    gambler = find_bots(game)["gambler"]
    plain = [game.owner(seed=3, game=index).play_with([gambler, gambler]) for index in range(20)]
    assert [[g.score_of(0), g.score_of(1)] for g in plain] == rows["score"].tolist()


def test_a_redraw_keeps_the_own_hand_and_draws_the_rest_again(heap: str) -> None:
    stepper = Stepper(match(heap), 1, 0)
    stepper.apply(stepper.legal()[0])
    seat = 1
    start = stepper.state
    hand, discarded = (start.own_where[seat] == 2).copy(), (start.own_where == 3).copy()
    owned, counts = (start.own_where > 0).copy(), start.own_counts.copy()
    hands, piles = set(), set()
    for _ in range(60):
        stepper.redraw(seat)
        state = stepper.state
        assert ((state.own_where[seat] == 2) == hand).all()
        assert ((state.own_where == 3) == discarded).all()
        assert ((state.own_where > 0) == owned).all()
        assert ((state.own_where == 2).sum(axis=1) == counts).all()
        for owner in range(2):
            pile = state.own_order[owner, : state.own_left[owner]].tolist()
            assert sorted(pile) == [c for c in range(10) if state.own_where[owner, c] == 1]
            assert (state.own_order[owner, state.own_left[owner] :] == -1).all()
            piles.add((owner, tuple(pile)))
        hands.add((state.own_where[0] == 2).tobytes())
    assert len(hands) > 1
    assert len({pile for owner, pile in piles if owner == seat}) > 1


@pytest.mark.parametrize("pile", [0, 1])
def test_a_bot_that_peeks_at_a_deck_is_found(heap: str, pile: int) -> None:
    game = load_game(heap)
    with pytest.raises((ConformanceError, BotFault), match=r"peek|hidden|see"):
        check_policy(game, "ann", f"peeker:pile={pile}", games=20)


def test_a_bot_that_looks_at_its_own_hand_is_not(heap: str) -> None:
    check_policy(load_game(heap), "ann", "honest", games=20)


def test_a_description_hides_hands_and_piles(heap: str) -> None:
    stepper = Stepper(match(heap), 1, 0)
    assert isinstance(stepper.describe(0)["ann's hand"], tuple)
    assert stepper.describe(1)["ann's hand"] == "2 cards"
    assert stepper.describe(1)["ann's draw pile"] == "3 cards"


@pytest.mark.parametrize("helper", ["self.points[seat] += self.below(2)", "self.own.shuffle(seat)"])
def test_a_redraw_may_not_draw_the_game_s_own_numbers(tmp_path: Path, helper: str) -> None:
    extra = f"    def redraw(self, seat):\n        self.mix(seat)\n\n    def mix(self, seat):\n        {helper}\n\n"
    with pytest.raises(InputError, match=r"heap.py, line \d+: redraw\(\) calls mix\(\), which draws"):
        load_game(written(tmp_path, ("    def score(", f"{extra}    def score(")))


def test_legal_options_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    game = load_game(written(tmp_path, ('"bee"', '"ant"'), ('"cat"', '"ant"'))).owner()
    for card in range(10):
        game.own.where[0, card] = game.own.IN_HAND if card < 4 else 0
    assert [label(game, card) for card in (0, 2, 3)] == ["lay ant (1)", "lay ant (3)", "lay dog"]
    game.own.where[0, 0] = game.own.where[0, 1] = 0
    assert label(game, 2) == "lay ant"


def test_a_field_may_not_be_called_as_a_method_of_every_game(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'options' is a name that every game has. Give it another name"):
        load_game(written(tmp_path, ("points = per_seat()", "points = per_seat()\n    options = per_seat()")))
