"""Pools and tracks from the shelf; who used which card or place, and how many pieces a game needs at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.questions.playing_time.analysis import Pace, watch
from simlab.registry import load_game

GAME = '''
from simlab.author import Bag, Deck, Game, OwnDecks, Places, Pool, Row, Tableau, Track, choice, per_seat

WOOD, COINS = range(2)


class Yard(Game):
    """Fetch wood, buy ships, and sail."""

    players = (2, 3)
    ships = Deck(["cog", "cog", "hulk", "cog", "knarr", "hulk", "cog", "knarr"])
    row = Row(ships, 2)
    built = Tableau(ships)
    crew = Deck(6)
    own = OwnDecks(crew)
    yards = Places(["saw", "dock"], room=2)
    goods = Pool(["wood", "coins"], [5, 40])
    luck = Bag(["sun", "rain"], [2, 1])
    fame = Track(6, start=1)
    best = per_seat()
    send = choice(yards)
    buy = choice(row, "nothing")

    def play(self):
        """Y-1: coins for all, and a sailor."""
        self.ships.shuffle()
        self.row.refill()
        for seat in self.seats:
            self.goods.gain(seat, COINS, 4)
            self.own.gain(seat, self.crew.draw())
        while self.turn <= 8 * len(self.seats):
            self.take_turn()
            self.finish_turn()
            self.turn += 1
            self.seat = self.next_seat()
        self.end("time")

    def take_turn(self):
        """Y-2: wood, or a ship."""
        place = self.ask(self.send)
        self.yards.send(self.seat, place)
        if place == 0:
            self.goods.gain(self.seat, WOOD, 2)
            self.fame.move(self.seat, 1 if self.luck.draw() == 0 else -2)
            self.own.gain(self.seat, self.crew.draw())
        else:
            self.order(self.ask(self.buy))

    def may_send(self, place):
        return self.yards.free(place)

    def may_buy(self, option):
        return option == "nothing" or self.row[option] >= 0 and self.goods.can_pay(self.seat, WOOD, 1)

    def order(self, option):
        """Y-3: a ship costs a wood and a coin."""
        if option != "nothing":
            self.built.add(self.seat, self.row.take(option))
            self.goods.pay(self.seat, WOOD, 1)
            self.goods.give(self.seat, self.next_seat(), COINS, 1)
            self.row.refill()

    def finish_turn(self):
        """Y-4: eight turns each."""
        self.best[self.seat] = max(sum(self.goods[seat, kind] for kind in range(2)) for seat in self.seats)
        if not any(self.yards.free(place) for place in range(2)):
            self.yards.clear()

    def score(self, seat):
        return self.built.count(seat) + self.fame[seat] + 10 * self.fame.rank(seat) + self.goods.total(seat)
'''


@pytest.fixture
def match(tmp_path: Path) -> Match:
    (tmp_path / "yard.py").write_text(GAME)
    game = load_game(str(tmp_path / "yard.py"), 3)
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


def test_pools_and_tracks_are_the_same_plain_and_compiled(match: Match) -> None:
    assert compare(match, 1, 20) > 400


def test_a_pool_gives_what_is_left_and_a_track_stops_at_its_ends(match: Match) -> None:
    game = match.game.owner(2)
    assert [game.goods.gain(0, 0, 4), game.goods.gain(1, 0, 4)] == [4, 1]
    game.goods.pay(0, 0, 3)
    game.goods.give(0, 1, 0, 1)
    assert (game.goods.supply[0], game.goods.total(0), game.goods.total(1)) == (3, 4, 6)
    assert [game.fame.move(0, 9), game.fame.move(1, -9), game.fame.move(0, -1)] == [5, -1, -1]
    assert (game.fame[0], game.fame.at_end(0), game.fame.rank(1), game.fame.furthest()) == (5, False, 2, 5)
    assert game.goods.words(None)["supply of goods"] == "3 wood, 32 coins"
    assert game.fame.words(0) == {"fame track": "ann 5, bob 0"}


def test_each_card_and_place_is_followed_and_cards_of_one_name_are_one(match: Match) -> None:
    """Against the choices of the same games, counted decision by decision."""
    games, game, seats = 40, match.game, 3
    items = game.items
    names = items.names(game.own_tables)
    used = np.zeros((len(items.uses) * seats, items.count), int)
    for index in range(games):
        stepper = Stepper(match, 1, index)
        seen: set[tuple[str, int, str]] = set()
        while not stepper.over:
            action, seat, row = stepper.policy_action(), int(stepper.state.seat), stepper.state.row_slots.copy()
            kind = stepper.decision.name
            if kind == "send":
                seen.add(("send", seat, ("saw", "dock")[action]))
            elif action < 2:
                seen.add(("buy", seat, game.owner.ships.labels[int(row[action])]))
            stepper.apply(action)
        labels = game.owner.ships.labels
        seen |= {("built", s, labels[c]) for s, c in zip(*np.nonzero(stepper.state.built_held), strict=True)}
        seen |= {("own", s, str(c)) for s, c in zip(*np.nonzero(stepper.state.own_where), strict=True)}
        for use, seat, name in seen | {("used", seat, name) for _, seat, name in seen}:
            place = next(n for n, (_, known) in enumerate(names) if known == name)
            used[items.uses.index(use) * seats + seat, place] += 1
    counts = match.play(1, 0, games).tally.counts
    assert np.array_equal(counts["item_games"], used)
    assert sorted(name for kind, name in names if kind == "ships") == ["cog", "hulk", "knarr"]
    assert used.sum() > 500


def test_pieces_in_use_are_counted(match: Match) -> None:
    """The most of a game, against the positions of the same games."""
    game = match.game
    peaks = watch(match, 1, 20, Pace()).peaks
    kinds = [kind.help for kind in game.components.kinds]
    wood, ships = kinds.index("wood of all players"), kinds.index("cards out of the ships")
    assert [game.components.kinds[n].printed for n in (wood, ships)] == [5, 8]
    for index in range(20):
        stepper = Stepper(match, 1, index)
        most = [0, 0, 0]
        while True:
            state = stepper.state
            now = int(state.goods_held[:, 0].sum()), 8 - int(state.ships_left), int(state.fame_spaces.max())
            most = [max(pair) for pair in zip(most, now, strict=True)]
            if stepper.over:
                break
            stepper.apply(stepper.policy_action())
        assert most == peaks[index][[wood, ships, kinds.index("highest space used on the fame track")]].tolist()
    assert peaks[:, wood].max() == 5


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("self.row.take(option)", "self.row[option]", r"line \d+ \(play\): the card \w+ is in the row and"),
        (
            " and self.goods.can_pay(self.seat, WOOD, 1)",
            "",
            r"line \d+: ValueError: goods\.held holds 0 to 40, and was set to -1",
        ),
        ("self.fame.move(", "self.own.left[self.seat] += 1\n            self.fame.move(", "deck counts"),
    ],
)  # fmt: skip
def test_the_check_finds_cards_in_two_places_and_goods_that_nobody_has(
    match: Match, tmp_path: Path, old: str, new: str, why: str
) -> None:
    (tmp_path / "broken.py").write_text(GAME.replace(old, new, 1))
    game = load_game(str(tmp_path / "broken.py"), 3)
    broken = Match(game, bots=dict.fromkeys(game.seats, "random"))
    compare(match, 1, 5, components=True)
    with pytest.raises(InputError, match=why) as found:
        compare(broken, 1, 20, components=True)
    assert "Position: " in str(found.value)
    assert "Replay it: simlab replay" in str(found.value)
