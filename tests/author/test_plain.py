"""Methods that cannot be compiled run in plain Python, within compiled games."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simlab
from simlab.author.same import compare
from simlab.author.translate import Program
from simlab.bot_registry import find_bots
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.registry import load_game
from simlab.testing import ConformanceError, check_game, check_policy

MARKET = '''
from simlab.author import NONE, Deck, Game, Hand, bot, choice, knob, number, per_seat, trait


class Market(Game):
    """Sell goods; the price of a kind falls with every sale."""

    players = (2, 3)
    rounds = knob(6, 2, 12, "rounds")
    scale = knob(1.5, 0.5, 3.0, "what prices are multiplied with")
    deck = Deck("goods.csv")
    hand = Hand(deck)
    coins = per_seat()
    sold = number(metric="goods sold", low=0)
    prices = {"red": 5, "blue": 4, "gold": 7}
    sell = choice(deck, "wait")

    def play(self):
        self.deal()
        while self.turn <= self.rounds:
            for self.seat in self.seats:
                self.take_turn(self.ask(self.sell))
            self.turn += 1
        """M-4: after the rounds, most coins win."""
        self.end("rounds")

    def deal(self):
        """M-1: two cards each."""
        self.log = []
        self.deck.shuffle()
        self.hand.deal(2)

    def may_sell(self, option):
        return option == "wait" or self.hand.has(self.seat, option)

    def take_turn(self, option):
        """M-2: a card is sold."""
        if option != "wait":
            self.sell_card(option)

    def sell_card(self, card):
        """M-3: the price falls by one."""
        kind = self.deck.kind[card]
        self.hand.remove(self.seat, card)
        self.coins[self.seat] += int(self.prices[kind] * self.scale)
        self.prices[kind] = max(1, self.prices[kind] - 1)
        self.log.append((self.seat, kind))
        self.sold += 1
        if self.below(3) == 0:
            self.restock()

    def restock(self):
        """M-3.1: now and then a card is drawn."""
        self.hand.add(self.seat, self.deck.draw())

    def score(self, seat):
        return self.coins[seat]


@bot(Market)
def seller(game, floor=trait(3, 0, 9, "the least price that it sells at")):
    """Sells its dearest card."""
    prices = {card: game.prices[game.deck.kind[card]] for card in game.options if card != "wait"}
    dear = [card for card, price in prices.items() if price >= floor]
    return max(dear, key=prices.get) if dear and game.below(10) > 0 else "wait"


@bot(Market)
def peeker(game):
    """Sells if the other hand holds a red card."""
    held = [game.deck.kind[card] for card in game.hand.of(1 - game.seat)]
    return min(int(option) for option in game.options) if "red" in held else "wait"
'''
GOODS = "name,kind\n" + "".join(f"{kind}{n},{kind}\n" for n in range(4) for kind in ("red", "blue", "gold"))


DUEL = '''
from simlab.author import Game, bot, choice


class Duel(Game):
    """Throw, and answer."""

    players = 2
    throw = choice(range(1, 4))
    answer = choice(range(4))

    def play(self):
        """D-1: the answer may not exceed the throw; who gives as much wins."""
        thrown = self.ask(self.throw, 0)
        self.end("met", 1 if self.ask(self.answer, 1, thrown) == thrown else 0)

    def may_answer(self, option, most):
        return option <= most


@bot(Duel)
def highest(game):
    """Takes the highest option; a set is not compiled."""
    return max({int(option) for option in game.options})
'''


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("market")
    (folder / "goods.csv").write_text(GOODS)
    (folder / "market.py").write_text(MARKET)
    return str(folder / "market.py")


def match(path: str, bot: str = "random", **knobs: object) -> Match:
    game = load_game(path)
    return Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, bot))


def test_only_what_cannot_be_compiled_is_plain(market: str) -> None:
    owner = load_game(market).owner
    assert set(Program(owner.blueprint()).plain) == {"game__deal", "game__sell_card"}


@pytest.mark.parametrize("knobs", [{}, {"scale": 2.5, "rounds": 9}])
def test_its_games_are_those_of_plain_python(market: str, knobs: dict[str, object]) -> None:
    assert compare(match(market, **knobs), 1, 30) > 300


def test_prints_of_a_game_are_no_part_of_an_answer(market: str, tmp_path: Path) -> None:
    code = (
        Path(market)
        .read_text()
        .replace("        self.sold += 1", '        print("sold", card)\n        self.sold += 1')
    )
    (tmp_path / "market.py").write_text(f'{code}\nprint("imported")\n')
    (tmp_path / "goods.csv").write_text(GOODS)
    for line in ("compare ./market.py --bot *=random -n 20 --workers 2 --json", "replay ./market.py --json"):
        words = [sys.executable, "-m", "simlab", *line.split()]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["schema"]
        assert "imported" in done.stderr and "sold" in done.stderr


TEXTS = [
    ("self.sold += 1", "self.sold += 1 if self.deck.kind[card] == kind else 0"),
    ("kind = self.deck.kind[card]", "kind = self.kind_of(card)"),
    (
        "            self.sell_card(option)\n",
        "            self.sell_card(option)\n        for kind in KINDS:\n            self.bump(kind)\n",
    ),
]
MORE = """
    def kind_of(self, card):
        return self.deck.kind[card]

    def bump(self, kind):
        if kind == "red" and self.sold > 0:
            self.coins[0] += sum(1 for card in self.hand.of(0) if self.deck.kind[card] == kind)

    def score(self, seat):"""


@pytest.mark.parametrize("changes", [TEXTS[:1], TEXTS[1:2], TEXTS])
def test_texts_of_card_tables_mean_the_same_in_plain_and_compiled_games(
    tmp_path: Path, changes: list[tuple[str, str]]
) -> None:
    """A text of a column is a number when compiled; where it leaves the comparison, the method is not compiled."""
    text = MARKET.replace("\n\nclass Market", '\n\nKINDS = ("red", "blue", "gold")\n\n\nclass Market')
    text = text.replace("\n    def score(self, seat):", MORE)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "goods.csv").write_text(GOODS)
    (tmp_path / "market.py").write_text(text)
    assert compare(match(str(tmp_path / "market.py")), 1, 10) > 100


def test_the_same_column_of_two_cards_is_compared_when_compiled(tmp_path: Path) -> None:
    text = MARKET.replace("self.sold += 1\n", "self.sold += self.deck.kind[card] == self.deck.kind[0]\n")
    text = text.replace("self.log = []", "pass").replace("self.log.append((self.seat, kind))", "pass")
    text = text.replace("kind = self.deck.kind[card]", "kind = card % 3").replace(
        '{"red": 5, "blue": 4, "gold": 7}', "NONE"
    )
    text = text.replace("    prices = NONE", "    prices = numbers(3, 5)").replace(
        "number, per_seat", "number, numbers, per_seat"
    )
    (tmp_path / "goods.csv").write_text(GOODS)
    (tmp_path / "market.py").write_text(text.partition("@bot(Market)")[0])
    path = str(tmp_path / "market.py")
    assert Program(load_game(path).owner.blueprint()).plain == {}
    assert compare(match(path), 1, 10) > 100


def test_rules_are_counted_once(market: str) -> None:
    played = match(market).play(1, 0, 100)
    fired = dict(zip((rule.id for rule in load_game(market).rules), played.tally.fired.reshape(-1), strict=True))
    assert fired["M-1"] == 100
    assert fired["M-3"] == played.rows["sold"].sum() > 0
    assert 0 < fired["M-3.1"] < fired["M-3"] < fired["M-2"]
    assert fired["M-4"] == 100


def test_a_rule_counts_where_its_text_is_in_plain_python_too(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text(GOODS)
    text = MARKET.replace(
        "            self.restock()", '            """M-5: after a sale in three."""\n            self.restock()'
    )
    (tmp_path / "market.py").write_text(text)
    own = match(str(tmp_path / "market.py"))
    played = own.play(1, 0, 100)
    assert "game__sell_card" in Program(own.game.owner.blueprint()).plain
    fired = dict(zip((rule.id for rule in own.game.rules), played.tally.fired.reshape(-1), strict=True))
    assert 0 < fired["M-5"] == fired["M-3.1"] < fired["M-3"]


def test_the_same_games_in_other_processes(market: str, tmp_path: Path) -> None:
    ways = ("threads", "loky")
    one, two = (
        simlab.run(market, bots={"*": "seller"}, games=60, backend=way, out=tmp_path / way).games for way in ways
    )
    assert one.equals(two)
    assert one["sold"].max() > 2


def test_a_plain_bot_sees_only_what_its_seat_sees(market: str) -> None:
    game = load_game(market)
    check_policy(game, "ann", "seller", games=4)
    with pytest.raises((ConformanceError, BotFault), match=r"peek|hidden|see"):
        check_policy(game, "ann", "peeker", games=30)


BY_FUNCTIONS = """

def dearest(game, cards):
    return max(cards, key=lambda card: game.prices[game.deck.kind[card]])


def patient(game, chance):
    return game.below(10) < chance


@bot(Market)
def by_function(game):
    '''Sells its dearest card, most of the time.'''
    cards = [card for card in game.options if card != "wait"]
    return dearest(game, cards) if cards and not patient(game, 3) else "wait"


@bot(Market)
def chancer(game):
    '''Waits now and then.'''
    if patient(game, 3):
        return "wait"
    for card in game.options:
        return card
    return "wait"
"""


def test_a_bot_is_plain_if_a_function_that_it_calls_is(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text(GOODS)
    (tmp_path / "market.py").write_text(MARKET + BY_FUNCTIONS)
    game = load_game(str(tmp_path / "market.py"))
    rows = Match(game, bots={"ann": "by_function", "bob": "chancer"}).play(1, 0, 10).rows
    assert (rows["sold"] > 0).all()


def test_a_plain_bot_sees_the_further_numbers_of_a_question(tmp_path: Path) -> None:
    file = tmp_path / "duel.py"
    file.write_text(DUEL)
    assert not find_bots(load_game(str(file)))["highest"].is_compiled
    duel = match(str(file), "highest")
    assert compare(duel, 1, 5) == 10
    assert (duel.play(1, 0, 5).rows["winner"] == 1).all()


def test_the_check_and_bots_that_look_ahead_take_such_a_game(market: str) -> None:
    assert check_game(load_game(market), games=3)
    game = load_game(market)
    ahead = Match(game, bots={"ann": "lookahead:iterations=40", "bob": "random"}).play(1, 0, 80).rows
    plain = match(market).play(1, 0, 60).rows
    assert ahead["score"][:, 0].mean() > plain["score"][:, 0].mean() + 1


def test_a_copied_position_keeps_its_collections(market: str) -> None:
    stepper = Stepper(match(market, rounds=8), 3, 0)
    child = stepper.copy()
    while child.legal()[0] < 12 and not child.over:
        child.apply(child.legal()[0])
    again = stepper.copy()
    again.apply(again.legal()[0])
    stepper.apply(stepper.legal()[0])
    assert np.array_equal(again.state.coins, stepper.state.coins)


def test_an_error_names_the_line_and_the_game(market: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "goods.csv").write_text(GOODS)
    path = tmp_path / "market.py"
    path.write_text(MARKET.replace("self.prices[kind] - 1)", "self.prices[kind + '?'] - 1)"))
    line = path.read_text().partition("kind + '?'")[0].count("\n") + 1
    with pytest.raises(InputError, match=rf"line {line}: KeyError.*game \d of seed 1"):
        match(str(path)).play(1, 0, 20)
    stepper = Stepper(match(str(path)), 1, 0)
    with pytest.raises(BotFault, match="sell_card"):
        stepper.apply(stepper.legal()[0])
    assert f"line {line}: KeyError" in capfd.readouterr().err
