"""Maps, routes and pieces of the shelf."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.author import Map, Routes
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game
from simlab.testing import check_map

GRAPH = {"mill": ["inn", "ford"], "inn": ["ford"], "ford": ["keep"], "keep": []}
GAME = '''
from simlab.author import NONE, Deck, Game, Map, Pieces, Routes, choice, number, numbers, per_seat


class March(Game):
    """Walk about."""

    players = (2, 3)
    land = Map({land})
    routes = Routes(land)
    men = Pieces(land, each=3)
    deck = Deck(["red", "red", "blue"])
    camp = number(2, names=land)
    last = per_seat(NONE, names=land)
    visits = numbers(land)
    walk = choice(routes, "rest")
    draw = choice(deck)

    def play(self):
        """M-1: all men lie on the first region."""
        for seat in self.seats:
            for _ in range(3):
                self.men.place(seat, 0)
        while True:
            self.march(self.ask(self.walk))
            if self.turn == 20:
                self.end("time")
            self.turn += 1
            self.seat = self.next_seat()
            card = self.ask(self.draw)
            """M-3: a card is named."""
            if card < 2 and self.land.adjacent(self.camp, 0) and self.men.supply[self.seat] > 0:
                self.men.place(self.seat, self.camp)

    def may_walk(self, option):
        return option == "rest" or self.men[self.seat, self.routes.start(option)] > 0

    def march(self, option):
        """M-2: a man walks."""
        if option != "rest":
            self.men.move(self.seat, self.routes.start(option), self.routes.end(option))
            self.last[self.seat] = self.routes.end(option)
            self.visits[self.routes.end(option)] += self.land.degree(self.routes.end(option))
        self.camp = self.land.random_neighbour(self.camp)
        if self.men[self.seat, self.camp] > 0 and self.men.rank(self.seat, self.camp) == 1:
            self.men.remove(self.seat, self.camp)

    def score(self, seat):
        return sum(self.men.tied(seat, region) for region in range(self.land.size)) + self.men.on_map(seat)
'''


def march(folder: Path, land: object, players: int = 2) -> Match:
    (folder / "march.py").write_text(GAME.replace("{land}", repr(land)))
    game = load_game(str(folder / "march.py"), players)
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


def neighbours(land: Map, name: str) -> list[str]:
    region = land.labels.index(name)
    return [land.labels[land.neighbour(region, n)] for n in range(land.degree(region))]


def test_neighbours_of_a_graph_hold_both_ways() -> None:
    land = Map(GRAPH)
    assert neighbours(land, "ford") == ["mill", "inn", "keep"]
    assert neighbours(land, "keep") == ["ford"]
    assert (land.adjacent(3, 2), land.adjacent(3, 0), land.hexes) == (True, False, [])
    assert Routes(land).labels == [
        "mill to inn", "mill to ford", "inn to mill", "inn to ford", "ford to mill", "ford to inn", "ford to keep",
        "keep to ford",
    ]  # fmt: skip


def test_rows_of_hexes_touch_as_they_lie() -> None:
    land = Map([". a b", "c d e", ". f ."])
    assert neighbours(land, "d") == ["a", "b", "c", "e", "f"]
    assert neighbours(land, "c") == ["a", "d", "f"]
    assert neighbours(land, "e") == ["b", "d"]


@pytest.mark.parametrize(
    ("land", "why"),
    [
        (
            {"mill": ["in"], "inn": []},
            "the neighbours of 'mill' contain 'in', which is not a region. Did you mean 'inn'?",
        ),
        ({"mill": ["mill"]}, "the neighbours of 'mill' contain itself"),
        (["a b a"], "'a' names two regions"),
        (["a . b"], "no region has a neighbour"),
    ],
)
def test_maps_that_cannot_be_are_refused(land: object, why: str) -> None:
    with pytest.raises(InputError) as refused:
        Map(land)
    assert why in str(refused.value)


@pytest.mark.parametrize("players", [2, 3])
def test_plain_and_compiled_games_are_the_same(tmp_path: Path, players: int) -> None:
    assert compare(march(tmp_path, GRAPH, players), 1, 40) > 1000


def test_names_replace_numbers_and_like_cards_are_told_apart(tmp_path: Path) -> None:
    stepper = Stepper(march(tmp_path, GRAPH), 1, 0)
    assert stepper.describe(0)["camp"] == "ford"
    assert stepper.describe(0)["ann's last"] == "none"
    assert stepper.describe(0)["mill"] == "3 ann, 3 bob"
    assert stepper.labels([0, 8]) == ["walk mill to inn", "rest"]
    stepper.apply(0)
    assert stepper.describe(0)["ann's last"] == "inn"
    assert stepper.describe(0)["inn's visits"] == "2" and stepper.describe(0)["mill's visits"] == "0"
    assert stepper.labels([0, 1, 2]) == ["draw red (1)", "draw red (2)", "draw blue"]


def test_a_map_of_hexes_is_drawn_with_the_leader_of_each(tmp_path: Path) -> None:
    match = march(tmp_path, [". a b", "c d e"])
    assert "5 hexes" in check_map(match.game, {"hex_games": np.zeros(3), "hex_sums": np.zeros((3, 2, 5))})
    stepper = Stepper(match, 1, 0)
    stepper.apply(0)
    state, knobs, cards = stepper.state, match.knobs, match.cards
    contents = match.game.hex_map.contents(state, knobs[0], cards[0], None)
    assert (contents[0].text, contents[0].owner, contents[0].help) == ("5", "bob", "2 ann, 3 bob")
    assert (contents[1].owner, set(contents)) == ("ann", {0, 1})
    values = np.zeros((2, 5), np.int32)
    match.game.hex_map.kernel(state, knobs[0], cards[0], values)
    assert values.tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]


def test_a_map_without_hexes_is_not_drawn(tmp_path: Path) -> None:
    assert march(tmp_path, GRAPH).game.hex_map is None
