"""Effects of cards in words, rosters, what is prepared once, and knobs whose defaults stand in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game

RAID = '''"""Raid: cards whose effects are words."""

from simlab.author import Deck, Game, Roster, choice, flag, knob, number, per_seat, word


class Raid(Game):
    """Turn cards up until one has all the gold."""

    players = 2
    gates = Roster("gates.csv", open=flag(), toll=number(low=0, high=9))
    toll_of_north = knob(gates.cell("north", "toll"), 0, 9, "toll of the north gate")
    deck = Deck("events.csv")
    gold = per_seat(10, low=0, high=99)
    enter = choice(gates, "stay")
    least = number(low=0, high=9)

    def prepare(self):
        tolls = dict(zip(self.gates.labels, self.gates.price))
        tolls["north"] = self.toll_of_north
        for gate, name in enumerate(self.gates.labels):
            self.gates.toll[gate] = tolls[name]
        self.least = min(self.gates.toll)

    def play(self):
        self.deck.shuffle()
        while self.turn < 9:
            card = self.deck.draw()
            self.carry_out(self.deck.effect[card])
            self.turn += 1
        self.end("dusk", 0)

    @word
    def pay(self, seat, coins):
        """R-1: a side pays, as far as it can."""
        self.gold[seat] = max(0, self.gold[seat] - coins)

    @word(gate=gates)
    def open_gate(self, gate):
        """R-2: a gate opens, and the other side may go through it."""
        self.gates.open[gate] = True
        if self.ask(self.enter, 1) != "stay":
            self.pay(1, self.gates.toll[gate])

    def may_enter(self, option):
        return option == "stay" or self.gates.open[option]
'''
EVENTS = """name,copies,effect
tax,4,pay ann 2; pay bob 1
north wind,3,open_gate north
both,3,open_gate south; pay ann 1
quiet,2,
"""
GATES = "name,price,toll\nnorth,1,3\nsouth,2,2\n"


@pytest.fixture
def raid(tmp_path: Path) -> Path:
    (tmp_path / "events.csv").write_text(EVENTS)
    (tmp_path / "gates.csv").write_text(GATES)
    (tmp_path / "raid.py").write_text(RAID)
    return tmp_path / "raid.py"


def test_compiled_and_plain_games_carry_out_the_same_effects(raid: Path) -> None:
    match = Match(load_game(str(raid)), bots={"ann": "random", "bob": "random"})
    assert compare(match, 1, 40) > 40
    rows = match.play(1, 0, 40).rows
    assert (rows["winner"] == 0).all()
    fired = Stepper(match, 1, 0)
    while not fired.over:
        fired.apply(fired.legal()[0])
    assert int(fired.state.fired[0]) > 0 and int(fired.state.fired[1]) > 0


def test_effects_are_played_in_the_order_of_the_cell(raid: Path) -> None:
    owner = load_game(str(raid)).owner
    game = owner(seed=3, draws={"deck": ["tax", "tax", "both"]})
    assert list(game.gold) == [6, 8]
    game.take("south")
    assert game.gold[0] <= 5 and game.gates.open[1]


def test_fields_are_prepared_once_under_the_knobs(raid: Path) -> None:
    game = load_game(str(raid))
    assert game.knobs["toll_of_north"].default == 3
    for toll in (3, 7):
        match = Match(game, knobs={"toll_of_north": toll}, bots={"ann": "random", "bob": "random"})
        record = match.blank_state(1)
        assert record["gates_toll"][0].tolist() == [toll, 2] and int(record["least"][0]) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pay bob 1", "pey bob 1", r"events.csv, effect, tax: 'pey' is not a word of the game. Did you mean 'pay'"),
        ("pay bob 1", "pay bob", r"events.csv, effect, tax: 'pay bob': write 'pay <seat> <coins>'"),
        ("pay bob 1", "pay bub 1", r"events.csv, effect, tax: seat 'bub' is not known. Did you mean 'bob'"),
        ("pay bob 1", "pay bob x", r"events.csv, effect, tax: coins 'x' is not a whole number in 0..1,000"),
        ("open_gate north", "open_gate nord", r"events.csv, effect, north wind: gate 'nord' is not known"),
    ],
)
def test_a_wrong_effect_is_named_with_its_cell(raid: Path, old: str, new: str, message: str) -> None:
    file = raid.with_name("events.csv")
    file.write_text(EVENTS.replace(old, new))
    with pytest.raises(InputError, match=message):
        load_game(str(raid))


def test_a_designers_table_is_read_with_the_same_words(raid: Path) -> None:
    game = load_game(str(raid))
    mine = raid.with_name("mine.csv")
    mine.write_text("name,copies,effect\ntax,9,pay ann 5; pay bob 5\n")
    match = Match(game, bots={"ann": "random", "bob": "random"}, tables={"events": mine})
    stepper = Stepper(match, 1, 0)
    assert stepper.over and stepper.state.gold.tolist() == [0, 0]
    mine.write_text("name,copies,effect\ntax,9,pay ann many\n")
    with pytest.raises(InputError, match="coins 'many' is not a whole number"):
        Match(game, bots={"ann": "random", "bob": "random"}, tables={"events": mine})


def test_the_rows_of_a_roster_keep_their_names(raid: Path) -> None:
    game = load_game(str(raid))
    mine = raid.with_name("mine.csv")
    mine.write_text("name,price,toll\nsouth,2,5\nnorth,1,4\n")
    match = Match(game, bots={"ann": "random", "bob": "random"}, tables={"gates": mine})
    assert match.blank_state(1)["gates_toll"][0].tolist() == [4, 2], "the knob takes its default from the table in play"
    mine.write_text("name,price,toll\nsouth,2,5\n")
    with pytest.raises(InputError, match="gates"):
        Match(game, bots={"ann": "random", "bob": "random"}, tables={"gates": mine})


def test_a_range_of_options_that_does_not_begin_at_0(tmp_path: Path) -> None:
    file = tmp_path / "throw.py"
    file.write_text(
        '"""Throw."""\n\nfrom simlab.author import Game, choice\n\n\nclass Throw(Game):\n    """Throw once."""\n\n'
        "    players = 2\n    stones = choice(range(2, 5))\n\n    def play(self):\n"
        '        thrown = self.ask(self.stones, 0)\n        self.end("thrown", 0 if thrown == 4 else 1)\n'
    )
    stepper = Stepper(Match(load_game(str(file)), bots={"ann": "random", "bob": "random"}), 1, 0)
    assert stepper.legal() == [2, 3, 4] == [int(option) for option in load_game(str(file)).owner().legal()]
