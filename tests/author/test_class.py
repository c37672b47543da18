"""What a class may hold and what is refused: each message names file, line and what to write instead."""

from __future__ import annotations

import contextlib
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from simlab.author.fields import Grid
from simlab.author.kernels import program_of
from simlab.author.same import compare
from simlab.author.shelf import Deck
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.questions.replay.film import Film
from simlab.registry import load_game
from simlab.testing import ConformanceError, check_game, check_policy

COINS = '''
from simlab.author import Game, choice, knob, per_seat


class Coins(Game):
    """Toss coins."""

    players = (2, 3)
    score_range = (0, 50)
    goal = knob(3, 1, 9, "heads that win")
    heads = per_seat()
    toss = choice("toss", "pass")

    def play(self):
        """C-1: the first seat begins."""
        while True:
            self.take_turn(self.ask(self.toss))
            self.turn += 1
            self.seat = self.next_seat()

    def take_turn(self, option):
        """C-2: heads count."""
        if option == "toss":
            self.heads[self.seat] += self.below(2)
        if self.heads[self.seat] == self.goal:
            self.end("heads", self.seat)
        elif self.turn == 60:
            self.end("tired")

    def score(self, seat):
        return self.heads[seat]


LISTED = [1, 2]
_MOST = 1
'''


def written(folder: Path, *changes: tuple[str, str], name: str = "coins.py") -> str:
    """The path of the game with pieces of its text changed."""
    text = COINS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / name).write_text(textwrap.dedent(text))
    return str(folder / name)


def match(path: str, players: int | None = None, **knobs: object) -> Match:
    game = load_game(path, players)
    return Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random"))


WRONG = [
    ("self.below(2)", "self.bellow(2)", "the game has no method 'bellow'"),
    ("+= self.below(2)", "+= self.coins", "the game has no 'coins'"),
    ('option == "toss"', 'option == "tos"', "unknown option 'tos'. Did you mean 'toss'?"),
    ("self.goal:", "self.goal: self.goal = 5\n        if self.turn == 1:", "goal is a knob"),
    ("self.ask(self.toss)", "self.ask(self.tos)", "ask() takes a decision: self.ask(self.toss, seat)"),
    ("return self.heads[seat]", "return 1 if self.ending == 'haeds' else 0", "the game has no ending 'haeds'. Did you"),
    ('self.end("tired")', "self.end(self.turn)", "end() takes the name of an ending"),
    ("+= self.below(2)", "+= helper(2)", "helper() is not a function of this file"),
    ("+= self.below(2)", "+= optoin == 1", "the name 'optoin' is not defined. Did you mean 'option'?"),
]
NOT_COMPILED = [
    ("+= self.below(2)", "+= len({1: 2})", "a dict"),
    ("+= self.below(2)", "+= len([n for n in range(3)])", "a list"),
    ("+= self.below(2)", "+= 1; print(self.turn)", "print()"),
    ('self.end("tired")', 'self.heads[0] = "a"', "the text 'a' cannot be used here"),
    ("self.heads[self.seat] += self.below(2)", "with self: pass", "with"),
    ("+= self.below(2)", "+= len(LISTED)", "'LISTED': it is a list, not a number or a tuple"),
    ("+= self.below(2)", "+= _MOST", "'_MOST': its name begins with '_'"),
]


@pytest.mark.parametrize(("old", "new", "why"), WRONG, ids=[why for *_, why in WRONG])
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        load_game(written(tmp_path, (old, new)))
    changed = (tmp_path / "coins.py").read_text().partition(new)[0].count("\n") + 1
    assert f"coins.py, line {changed}: " in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize(("old", "new", "why"), NOT_COMPILED, ids=[why for *_, why in NOT_COMPILED])
def test_what_cannot_be_compiled_is_named_with_its_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], old: str, new: str, why: str
) -> None:
    path = written(tmp_path, (old, new), ('self.end("heads", self.seat)', 'self.end("heads", self.seat)'))
    load_game(path)
    said = capfd.readouterr().err
    changed = (tmp_path / "coins.py").read_text().partition(new)[0].count("\n") + 1
    assert f"coins.py, line {changed}: " in said and why in said and "take_turn() runs in plain Python" in said


def test_a_board_that_is_passed_on_whole_is_not_compiled(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In compiled code it would be a list of rows, in plain Python its numbers."""
    board = ("heads = per_seat()", "heads = per_seat()\n    board = grid(2, 3)")
    whole = ("+= self.below(2)", "+= max(n for n, _ in enumerate(self.board))")
    load_game(written(tmp_path, ("import Game", "import Game, grid"), board, whole))
    assert "the lab cannot compile a board that is passed on whole" in capfd.readouterr().err


def test_a_square_off_the_board_is_an_error_and_negative_ones_count_from_the_end() -> None:
    board = Grid(np.zeros((2, 3), int))
    board[-1, -2] = 5
    assert board[1, 1] == 5 and list(board) == [0, 0, 0, 0, 5, 0] and (len(board), board.count(0)) == (6, 5)
    for place in ((0, 3), (2, 0), (0, -4), (-3, 0)):
        with pytest.raises(IndexError, match=r"is not on a board of 2 rows and 3 columns"):
            board[place] = 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("heads = per_seat()", "heads = per_seat()\n    seat = per_seat()", "'seat'"),
        ("heads = per_seat()", "heads = per_seat()\n    seats = ('one', 'two')", "seat_names gives the seats names"),
        ("heads = per_seat()", "heads = per_seat()\n    turn = 3", "'turn' is a name that every game has"),
        ('knob(3, 1, 9, "heads that win")', 'knob(3, 5, 9, "heads that win")', "write knob(20, 10, 40, 'help')"),
        ('choice("toss", "pass")', "choice()", "name the options"),
        ("def play(self):", "def plays(self):", "needs a method play(self)"),
        ("heads = per_seat()", 'heads = per_seat(seen_by="owner")', "the hidden field heads needs its range"),
    ],
)
def test_declarations_that_cannot_be_used_are_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        load_game(written(tmp_path, (old, new)))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            'toss = choice("toss", "pass")',
            '@choice("toss", "pass")\n    def toss(self, option): pass',
            "line 12: a decision is not a method. Declare it, toss = choice(...), and ask in play()",
        ),
        ("def play(self):", "def setup(self):", "line 14: Coins needs a method play(self): the whole game"),
        (
            "def score(self, seat):",
            "def setup(self): pass\n\n    def score(self, seat):",
            "line 30: nothing calls setup(). Call it where play() begins",
        ),
    ],
)
def test_rules_that_do_not_begin_in_play_are_refused_with_what_to_write(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    with pytest.raises(InputError) as caught:
        load_game(written(tmp_path, (old, new)))
    assert f"coins.py, {why}" in str(caught.value)


def test_play_may_call_a_method_setup(tmp_path: Path) -> None:
    setup = "def setup(self):\n        self.heads[0] = 1\n\n    def score(self, seat):"
    path = written(tmp_path, ("while True:", "self.setup()\n        while True:"), ("def score(self, seat):", setup))
    assert Stepper(match(path), 1, 0).state.heads.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("players = (2, 3)", "players = 0", "players = 0: write a whole number, or (fewest, most)"),
        ("players = (2, 3)", "players = (3, 2)", "players = (3, 2): write"),
        ("players = (2, 3)", "players = 'two'", "players = 'two': write"),
        ("players = (2, 3)", "max_turns = 'x'", "max_turns = 'x': write a whole number in 1..32,767"),
        ("players = (2, 3)", "max_decisions = 0", "max_decisions = 0: write"),
        ("players = (2, 3)", "seat_names = ('ann', 'ann')", "seat_names has the same name twice: ann, ann"),
        ("players = (2, 3)", "seat_names = ('a=b', 'c')", "seat_names: 'a=b': write a text without"),
        ("heads = per_seat()", "heads = per_seat(each=-1)", "heads has -1 numbers"),
        ("heads = per_seat()", "heads = per_seat(each=10**8)", "heads has 100000000 numbers: a field has 1 to 100,000"),
    ],
)
def test_sizes_of_which_no_game_can_be_made_are_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        load_game(written(tmp_path, (old, new)))
    assert "coins.py: " in str(caught.value) and why in str(caught.value)


@pytest.mark.sample(0)
@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("print(); return 'yes'", "coins.py, may_toss(): InputError: may_toss() returns 'yes'"),
        (
            "print(); self.heads[0] = 'many'; return True",
            "coins.py, may_toss(): InputError: the field heads was set to",
        ),
        ("import sys; sys.exit(3)", "coins.py, line 31: SystemExit: 3"),
    ],
)
def test_an_error_in_plain_python_is_named_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], new: str, why: str
) -> None:
    path = written(
        tmp_path,
        ("    def score(self, seat):", f"    def may_toss(self, option):\n        {new}\n\n    def score(self, seat):"),
    )
    with contextlib.suppress(Exception, SystemExit):
        match(path).play(1, 0, 1)
    said = capfd.readouterr().err
    assert why in said and "Traceback" not in said


def test_a_game_without_rule_ids_plays_and_the_check_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, ("C-1: ", ""), ("C-2: ", ""))
    film = Film(match(path), 1, 0)
    assert all(frame.fired == [] for frame in film)
    with pytest.raises(ConformanceError, match="no docstring begins with a rule's ID, as 'R-1: text'"):
        check_game(load_game(path), games=1)


@pytest.mark.parametrize("rule", ["R1", "R5a", "R-5.1", "AB12.3b", "MS-RED-02"])
def test_rule_ids_come_in_several_forms(tmp_path: Path, rule: str) -> None:
    assert load_game(written(tmp_path, ("C-2: ", f"{rule}: "))).rules[-1].id == rule


def test_a_game_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ('self.end("heads", self.seat)', "pass"), ('self.end("tired")', "pass"))
    with pytest.raises(InputError, match="Coins never ends"):
        load_game(path)


@pytest.mark.sample(0)
@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("self.heads[self.seat] += 3_000_000_000", r"line 24: the number does not fit into its field"),
        ("self.heads[self.seat] += 0.5", r"line 24: self.heads holds whole numbers, and a fraction is assigned"),
    ],
)
def test_numbers_that_a_field_cannot_hold_give_no_result(tmp_path: Path, new: str, why: str) -> None:
    path = written(tmp_path, ("self.heads[self.seat] += self.below(2)", new))
    with pytest.raises(InputError, match=why):
        match(path).play(1, 0, 10)


@pytest.mark.sample(0)
@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("self.heads[9] += 1", "IndexError"),
        (
            "self.heads[0] += self.below(self.turn - 4)",
            r"ValueError: a random draw needs 1 to .*, and was asked for (-\d|0)",
        ),
        ("self.end('heads', 7)", "ValueError: .* takes a seat, NONE or ALL as the winner, not 7"),
        ("self.end('heads', -7)", "ValueError: .* takes a seat, NONE or ALL as the winner, not -7"),
    ],
)
def test_an_error_in_a_rule_is_reported_with_its_line(tmp_path: Path, new: str, why: str) -> None:
    path = written(tmp_path, ("self.heads[self.seat] += self.below(2)", new))
    with pytest.raises((InputError, BotFault), match=rf"coins.py, line 24: {why}.*game \d of seed 1, ") as caught:
        match(path).play(1, 0, 10)
    assert "simlab replay" in str(caught.value)


def test_rules_are_counted_where_they_take_effect(tmp_path: Path) -> None:
    may = '''
    def may_toss(self, option):
        """C-3: you may pass from the third turn on."""
        return option == "toss" or self.turn > 2

    def take_turn(self, option):'''
    path = written(tmp_path, ("    def take_turn(self, option):", may.lstrip("\n")))
    game = load_game(path)
    assert [rule.id for rule in game.rules] == ["C-1", "C-3", "C-2"]
    assert game.rules[1].text == "you may pass from the third turn on."
    stepper = Stepper(match(path), 1, 0)
    for _ in range(4):
        stepper.apply(0)
    assert stepper.state.fired.tolist() == [1, 2, 4]  # C-3 refused an option twice


def test_a_rule_that_two_docstrings_describe_keeps_both_texts(tmp_path: Path) -> None:
    first, second = load_game(written(tmp_path)).rules
    (both,) = load_game(written(tmp_path, ("C-2: ", "C-1: "), name="twice.py")).rules
    assert both.id == "C-1"
    assert both.text == f"{first.text} {second.text}"


@pytest.mark.sample(0)
@pytest.mark.parametrize("name", ["read", "fields", "describe", "leader", "listed", "constants"])
def test_a_decision_may_have_any_name(tmp_path: Path, name: str) -> None:
    """Names that the shelf's own components use for plain Python are free in a game."""
    path = written(tmp_path, ("toss = choice", f"{name} = choice"), ("self.ask(self.toss)", f"self.ask(self.{name})"))
    match(path).play(1, 0, 20)


def test_every_player_count_has_fields_of_its_size(tmp_path: Path) -> None:
    path = written(tmp_path)
    for players in (2, 3):
        assert match(path, players).play(1, 0, 50).rows["score"].shape == (50, players)
    with pytest.raises(InputError, match="is played by 2 to 3, not by 4"):
        load_game(path, 4)


MECHANISMS = '''
from simlab.author import NONE, Bag, Deck, Game, Hand, Pile, Places, Row
from simlab.author import bot, choice, flag, grid, knob, number, per_seat


class Stall(Game):
    """A bit of everything on the shelf."""

    players = (2, 3)
    tie = knob("share", ("share", "first"), "who wins a tie")
    open = flag()
    secret = per_seat(NONE, low=0, high=4, seen_by="owner")
    stock = per_seat(each=2)
    board = grid(2, 3, start=NONE)
    deck = Deck("cards.csv")
    hand = Hand(deck)
    market = Row(deck, 3)
    discard = Pile(deck)
    bag = Bag(["red", "blue"], [3, 2])
    places = Places(["mill", "inn"], room=2)
    drawn = number(NONE)
    hide = choice(5)
    lay = choice(deck, "pass")

    def play(self):
        """S-1: all is dealt."""
        self.deck.shuffle()
        self.hand.deal(2)
        self.market.refill()
        for self.seat in self.seats:
            self.secret[self.seat] = self.ask(self.hide)
            """S-2: each picks a number in secret."""
            self.open = not self.open
            self.drawn = self.bag.draw()
            if self.drawn != NONE:
                self.stock[self.seat, self.drawn] += 1
        while self.turn <= 12:
            for self.seat in self.seats:
                self.take_turn(self.ask(self.lay))
                if self.deck.left == 0 and self.discard.count > 0:
                    self.discard.return_to_deck()
                    self.deck.shuffle()
                self.turn += 1
        self.end("time")

    def may_lay(self, card):
        return card == "pass" or self.hand.has(self.seat, card)

    def take_turn(self, card):
        """S-3: a card, or nothing."""
        if card != "pass":
            self.hand.remove(self.seat, card)
            self.discard.add(card)
            self.board[self.seat % 2, self.turn % 3] = self.deck.value[card]
            if self.deck.kind[card] == "gold":
                self.stock[self.seat, 0] += self.deck.value[card]
            self.hand.add(self.seat, self.market.take(self.turn % 3))
            self.market.slide()
            self.market.refill()
        if self.places.free(0):
            self.places.send(self.seat, 0)
        elif self.places.free(1):
            self.places.send(self.seat, 1)
        else:
            self.places.clear()
            self.drawn = sum(self.board) + self.board.count(NONE) * len(self.board) + max(self.board) - min(self.board)
            for value in self.board:
                self.drawn = 2 * self.drawn + value
            self.drawn += self.board[1, -1] - 3 * self.board[-1, -2]
            self.board.fill(self.turn % 2)

    def score(self, seat):
        return self.stock[seat, 0] + max(self.deck.value[c] for c in self.hand.of(seat)) if self.hand.count(seat) else 0

    def wins(self, seat):
        best = max(self.score(s) for s in self.seats)
        if self.tie == "first":
            return self.score(seat) == best and not any(self.score(s) == best for s in range(seat))
        return self.score(seat) == best


@bot(Stall)
def honest(game):
    """Plays its highest card."""
    if game.decision == game.hide:
        return game.below(5)
    best, worth = 0, -1
    for card in game.hand.of(game.seat):
        if game.deck.value[card] > worth:
            best, worth = card, game.deck.value[card]
    return best if worth >= 0 else "pass"


@bot(Stall)
def peeker(game):
    """Reads what the next seat has picked."""
    if game.decision == game.hide:
        return max(game.secret[game.next_seat()], 0)
    return "pass"


@bot(Stall)
def card_peeker(game):
    """Plays a card if the next seat holds card 0."""
    if game.decision == game.hide:
        return 0
    if game.hand.has(game.next_seat(), 0):
        return "pass"
    for option in game.options:
        return option
    return 0
'''
CARDS = "name,kind,value,copies\nbread,food,1,3\nring,gold,4,2\nbar,gold,6,1\nfish,food,2,3\n"


@pytest.fixture
def stall(tmp_path: Path) -> str:
    (tmp_path / "stall.py").write_text(MECHANISMS)
    (tmp_path / "cards.csv").write_text(CARDS)
    return str(tmp_path / "stall.py")


@pytest.mark.parametrize("knobs", [{}, {"tie": "first"}])
@pytest.mark.parametrize("players", [2, 3])
def test_every_component_is_the_same_plain_and_compiled(stall: str, players: int, knobs: dict[str, object]) -> None:
    assert compare(match(stall, players, **knobs), 1, 30) > 400


def test_a_table_is_swapped_in_both_forms(stall: str, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("name,kind,value,copies\nbread,food,3,2\nring,gold,1,4\nbar,gold,9,4\nfish,food,2,6\n")
    game = load_game(stall)
    swapped = Match(game, tables={"cards": other}, bots=dict.fromkeys(game.seats, "random"))
    assert compare(swapped, 1, 10) > 100
    assert int(swapped.cards["deck_size"][0]) == 16
    assert swapped.play(1, 0, 200).rows["score"].max() > match(stall).play(1, 0, 200).rows["score"].max()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name,kind\ncafé,food\n".encode("latin-1"), "is not UTF-8 text"), (b'name,kind\n"a" b,food\n', "is not CSV"),
        (b"name,kind\na\n", "line 2: 1 cells"), (b"name,kind\n", "each further line is a card"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_named(stall: str, tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / "cards.csv").write_bytes(text)
    with pytest.raises(InputError, match=rf"cards\.csv.*{why}"):
        load_game(stall)


def test_a_heavy_card_comes_early_and_copies_are_weighted_one_by_one(stall: str) -> None:
    game = load_game(stall)
    assert game.dice[0].numbers(game, game.own_tables) == {
        "bread_1": 0, "bread_2": 1, "bread_3": 2, "ring_1": 3, "ring_2": 4, "bar": 5, "fish_1": 6, "fish_2": 7,
        "fish_3": 8,
    }  # fmt: skip

    def dealt(weights: str) -> int:
        weighted = Match(game, knobs={"cards_deck": weights}, bots=dict.fromkeys(game.seats, "random"))
        return sum(bool(Stepper(weighted, 1, index).state.hand_held[0, 5]) for index in range(300))

    assert dealt("bar:0.1") < dealt("fair") - 30
    assert dealt("bar:20") > dealt("fair") + 100


def test_a_redraw_keeps_what_a_seat_sees_and_shuffles_the_rest(stall: str) -> None:
    stepper = Stepper(match(stall), 1, 0)
    for _ in range(4):
        stepper.apply(stepper.legal()[0])
    before = {name: np.array(stepper.state[name]) for name in stepper.game.state.names}
    seen = {name: set() for name in ("deck_order", "secret", "hand_held")}
    for _ in range(40):
        stepper.redraw(0)
        state = stepper.state
        for name in ("market_slots", "discard_order", "stock", "board", "deck_left", "hand_counts"):
            assert np.array_equal(state[name], before[name]), name
        assert np.array_equal(state.hand_held[0], before["hand_held"][0])
        assert state.secret[0] == before["secret"][0]
        size = int(stepper.match.cards["deck_size"][0])
        held = [c for seat in range(2) for c in range(size) if state.hand_held[seat, c]]
        table = [int(c) for c in state.market_slots if c >= 0] + [int(c) for c in state.discard_order if c >= 0]
        deck = state.deck_order[: int(state.deck_left)].tolist()
        assert sorted(held + table[: 3 + int(state.discard_count)] + deck) == list(range(size))
        for name, values in seen.items():
            values.add(state[name].tobytes())
    assert min(len(values) for values in seen.values()) >= 4


@pytest.mark.parametrize(("name", "seat"), [("peeker", "bob"), ("card_peeker", "ann")])
def test_a_bot_that_peeks_is_found(stall: str, name: str, seat: str) -> None:
    from simlab.errors import BotFault
    from simlab.testing import ConformanceError

    game = load_game(stall)
    with pytest.raises((ConformanceError, BotFault), match=r"peek|hidden|see"):
        check_policy(game, seat, name, games=30)
    check_policy(game, seat, "honest", games=30)


def test_a_description_hides_what_a_seat_does_not_see(stall: str) -> None:
    stepper = Stepper(match(stall), 1, 0)
    stepper.apply(3)
    assert stepper.describe(0)["ann's secret"] == "3"
    assert stepper.describe(1)["ann's secret"] == "hidden"
    assert stepper.describe(1)["ann's hand"] == "2 cards"
    assert isinstance(stepper.describe(0)["ann's hand"], tuple)
    assert stepper.labels([4])[0] == "hide 4"
    stepper.apply(0)
    assert stepper.labels([0])[0].startswith("lay ")
    assert stepper.labels([stepper.game.max_actions - 1])[0] == "pass"


def test_draws_in_plain_python_are_those_of_compiled_play() -> None:
    """The streams of a plain game's record, against those of the game's own, at every bound that a game may use."""
    from simlab.author.chance import Stream, open_record
    from simlab.engine import streams

    game = load_game("pig")
    blank = Match(game, bots=dict.fromkeys(game.seats, "random")).blank_state(7)
    state = np.zeros(1, game.state).view(np.recarray)[0]
    for name in ("stream_key", "stream_seats"):
        state[name] = blank[name][0]
    streams.open_streams(state, 12345)
    stream = Stream(open_record(7, 12345), 3)
    for n in [*range(1, 60), 1000, 2**31 - 1, 3 * 2**30]:
        assert int(streams.below(state, 3, n)) == stream.below(n)


def test_compiled_code_depends_on_the_lab_s_translator() -> None:
    """A changed translator must not meet code that the old one has made."""
    for name in ("harbour", "pig"):
        game = load_game(name)
        sources = Match(game, bots=dict.fromkeys(game.seats, "random"))._sources
        assert {"build.py", "translate.py", "shelf.py"} <= {path.name for path in sources}


def test_a_game_may_ask_how_it_ended(tmp_path: Path) -> None:
    """All win together, or nobody; before the end, no ending holds."""
    path = written(
        tmp_path,
        ("score(self", "wins(self"),
        ("return self.heads[seat]", "return self.ending == 'tired'"),
        ('self.end("heads", self.seat)', 'self.end("heads")'),
        ("self.turn == 60", "self.turn == 6 and self.ending != 'heads'"),
    )
    own = match(path, 2)
    assert not program_of(own.game.owner).plain
    assert compare(own, 1, 20) > 60
    rows = own.play(1, 0, 100).rows
    endings = np.array(own.game.endings)[rows["ending"]]
    assert set(rows["winners"][endings == "tired"].tolist()) == {3}
    assert set(rows["winners"][endings == "heads"].tolist()) == {0}


def test_sums_may_be_nested(tmp_path: Path) -> None:
    most = "max(sum(self.heads[one] for one in self.seats if one != two) for two in self.seats)"
    path = written(tmp_path, ("return self.heads[seat]", f"return self.heads[seat] + {most}"))
    assert not program_of(load_game(path).owner).plain
    assert compare(match(path), 1, 5) > 5


def test_a_local_name_may_be_that_of_a_method(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        ("self.heads[self.seat] += self.below(2)", "worth = self.worth(1)\n            self.heads[self.seat] += worth"),
        ("    def score(self", "    def worth(self, most):\n        return self.below(most + 1)\n\n    def score(self"),
    )
    assert compare(match(path), 1, 5) > 5


# --- What makes a class short ---------------------------------------------------------


def test_a_rule_counts_where_its_text_is(tmp_path: Path) -> None:
    tired = '"""C-3: after 60 turns the game ends."""\n            self.end("tired")'
    path = written(tmp_path, ('self.end("tired")', tired), ("self.turn == 60", "self.turn == 4"))
    own = match(path, 2)
    assert {rule.id: rule.text for rule in own.game.rules}["C-3"] == "after 60 turns the game ends."
    assert compare(own, 1, 10) > 10
    played = own.play(1, 0, 300)
    fired = dict(zip((rule.id for rule in own.game.rules), played.tally.fired.reshape(-1).tolist(), strict=True))
    assert 0 < fired["C-3"] == (played.rows["ending"] == own.game.endings.index("tired")).sum() < fired["C-2"]


@pytest.mark.parametrize(("winner", "won"), [("NONE", 0), ("ALL", 0b111), ("2", 0b100)])
def test_a_game_may_end_with_no_winner_or_with_all(winner: str, won: int, tmp_path: Path) -> None:
    """The scores do not decide then, though there are scores."""
    path = written(
        tmp_path,
        ("import Game", "import ALL, NONE, Game"),
        ('self.end("tired")', f'self.end("tired", {winner})'),
        ('self.end("heads", self.seat)', f'self.end("heads", {winner})'),
    )
    own = match(path, 3)
    assert compare(own, 1, 20) > 20
    assert set(own.play(1, 0, 50).rows["winners"].tolist()) == {won}


def test_a_field_may_be_the_score(tmp_path: Path) -> None:
    method = ("\n    def score(self, seat):\n        return self.heads[seat]\n", "")
    field = ("heads = per_seat()", "heads = per_seat(score=(0, 50))")
    short = match(written(tmp_path, method, field, ("    score_range = (0, 50)\n", "")), 2)
    long = match(written(tmp_path, name="long.py"), 2)
    assert short.game.has_scores
    assert [track.high for track in short.game.tracks] == [50, 50]
    assert compare(short, 1, 10) > 10
    assert short.play(1, 0, 200).rows.tobytes() == long.play(1, 0, 200).rows.tobytes()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("heads = per_seat()", "heads = per_seat(score=True)"), "has a method score(), and heads is declared"),
        (("heads = per_seat()", "heads = per_seat(each=2, score=True)"), "score needs one number per seat"),
    ],
)
def test_scores_that_contradict_each_other_are_refused(change: tuple[str, str], why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        load_game(written(tmp_path, change))


def test_a_tie_break_decides_between_equal_scores(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        (
            "return self.heads[seat]",
            "return self.heads[seat] // 2\n\n    def tie_break(self, seat):\n        return -seat",
        ),
        ('self.end("heads", self.seat)', 'self.end("heads")'),
    )
    own = match(path, 3)
    assert compare(own, 1, 20) > 20
    rows = own.play(1, 0, 200).rows
    best = rows["score"].max(axis=1, keepdims=True) == rows["score"]
    assert (best.sum(axis=1) > 1).any()
    assert (rows["winners"] == 1 << best.argmax(axis=1)).all()


KINDS = ("class Coins", 'KINDS = ("silk", "spice")\n\n\nclass Coins')
WITH_DECK = ("    heads = per_seat()", '    heads = per_seat()\n    deck = Deck("goods.csv")')
PLACE = (
    "self.heads[self.seat] += self.below(2)",
    "self.heads[self.seat] += KINDS.index(self.deck.kind[self.below(4)])",
)


def test_a_text_of_a_table_is_a_number_by_its_place_in_a_tuple(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text("name,kind\na,spice\nb,silk\nc,spice\nd,silk\n")
    changes = (KINDS, WITH_DECK, PLACE, ("import Game", "import Deck, Game"))
    own = match(written(tmp_path, *changes), 2)
    assert not program_of(own.game.owner).plain
    assert compare(own, 1, 20) > 20
    assert own.play(1, 0, 100).rows["score"].max() == 3
    fixed = (PLACE[0], PLACE[1].replace("self.deck.kind[self.below(4)]", '"silk"'))
    own = match(written(tmp_path, KINDS, WITH_DECK, fixed, ("import Game", "import Deck, Game"), name="fixed.py"), 2)
    assert not program_of(own.game.owner).plain and compare(own, 1, 20) > 20
    (tmp_path / "goods.csv").write_text("name,kind\na,spice\nb,silk\nc,salt\nd,silk\n")
    with pytest.raises(InputError, match=r"coins.py, line \d+: column kind of goods.csv has 'salt', which KINDS lacks"):
        load_game(written(tmp_path, *changes, name="other_coins.py"))


@pytest.mark.parametrize(("seen_by", "redrawn"), [("owner", [1]), ("nobody", [0, 1])])
def test_hidden_lists_are_redrawn_in_their_range_where_something_lies(
    tmp_path: Path, seen_by: str, redrawn: list[int]
) -> None:
    cup = f'cup = per_seat(each=3, low=4, high=6, seen_by="{seen_by}")\n    heads = per_seat()'
    dice = "".join(f"self.cup[{place}] = 5\n        " for place in ("0, 1", "1, 0", "1, 2"))
    path = written(tmp_path, ("heads = per_seat()", cup), ("while True:", f"{dice}while True:"))
    stepper = Stepper(match(path, 2), 1, 0)
    drawn = np.zeros((40, 2, 3), np.int64)
    for number in range(40):
        stepper.redraw(0)
        drawn[number] = stepper.state.cup
    assert np.array_equal(np.nonzero(drawn.any(axis=0)), ([0, 1, 1], [1, 0, 2]))
    for seat, place in ((0, 1), (1, 0), (1, 2)):
        assert set(drawn[:, seat, place].tolist()) == ({4, 5, 6} if seat in redrawn else {5})


def test_a_bot_without_a_docstring_is_named_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, ("import Game,", "import Game, bot,"))
    with open(path, "a") as file:
        file.write("\n\n@bot(Coins)\ndef silent(game):\n    return 0\n")
    with pytest.raises(InputError, match=r"coins.py, line \d+: bot silent needs a docstring"):
        load_game(path)


def test_hidden_lists_and_rows_are_shown_to_those_who_may_see_them(tmp_path: Path) -> None:
    hidden = 'marks = per_seat(3, each=2, seen_by="owner")\n    row = numbers(2, 4, seen_by="nobody")\n'
    path = written(
        tmp_path,
        ("import Game,", "import Game, numbers,"),
        ("heads = per_seat()", f"{hidden}    heads = per_seat()"),
        ("    def score(", "    def redraw(self, seat):\n        self.row[0] = 4\n\n    def score("),
    )
    stepper = Stepper(match(path), 1, 0)
    first, second = stepper.game.seats[:2]
    everything, own = stepper.describe(None), stepper.describe(0)
    assert everything["row"] == "4 4" and own["row"] == "hidden"
    assert everything[f"{second}'s marks"] == own[f"{first}'s marks"] == "3 3"
    assert own[f"{second}'s marks"] == "hidden"


def test_a_redraw_cannot_roll_the_dice_of_the_game(tmp_path: Path) -> None:
    redraw = "    def redraw(self, seat):\n        self.heads[seat] = self.roll(6)\n\n    def score("
    with pytest.raises(InputError, match=r"coins\.py, line 31: redraw\(\) calls roll\(\), which draws the game's own"):
        load_game(written(tmp_path, ("    def score(", redraw)))


TOGETHER = (
    "    def score(self, seat):\n        return self.heads[seat]",
    "    def wins(self, seat):\n        return {}",
)


def sides(path: str, players: int) -> list[tuple[str, tuple[str, ...], str]]:
    return [(side.name, side.seats, side.wins) for side in load_game(f"{path}:players={players}").sides]


def test_players_who_win_together_are_a_side(tmp_path: Path) -> None:
    old, new = TOGETHER
    one = written(tmp_path, ("    score_range = (0, 50)\n", ""), (old, new.format('self.ending == "heads"')))
    assert sides(one, 3) == [("players", ("ann", "bob", "cat"), "win")]
    each = written(
        tmp_path, ("    score_range = (0, 50)\n", ""), (old, new.format("self.heads[seat] > 1")), name="each.py"
    )
    assert sides(each, 3) == []


def test_teams_are_sides_of_the_seats_that_play(tmp_path: Path) -> None:
    named = '    score_range = (0, 50)\n    teams = {"red team wins": [0, 2], "blue wins": [1]}\n'
    path = written(tmp_path, ("    score_range = (0, 50)\n", named))
    assert sides(path, 2) == [("red team", ("ann",), "wins"), ("blue", ("bob",), "wins")]
    assert sides(path, 3) == [("red team", ("ann", "cat"), "wins"), ("blue", ("bob",), "wins")]
    path = written(tmp_path, ("    score_range = (0, 50)\n", named.replace("[0, 2]", "[0]")), name="gap.py")
    with pytest.raises(InputError, match="with 3 players, put each seat into one team"):
        load_game(f"{path}:players=3")


def test_a_word_for_each_seat_is_a_category_of_the_results(tmp_path: Path) -> None:
    role = '    heads = per_seat()\n    role = per_seat(names=("thief", "guard"), metric="role dealt")\n'
    dealt = '        """C-1: the first seat begins."""\n        self.role[1] = 1\n'
    path = written(tmp_path, ("    heads = per_seat()\n", role), ('        """C-1: the first seat begins."""\n', dealt))
    game = load_game(f"{path}:players=2")
    assert [(one.name, one.help, one.values) for one in game.seat_categories] == [
        ("role", "role dealt", ("thief", "guard"))
    ]
    assert "role" not in [metric.name for metric in game.metrics]
    rows = match(path, 2).play(1, 0, 20).rows
    assert rows["category"].tolist() == [[[0, 1]]] * 20
    path = written(
        tmp_path, ("    heads = per_seat()\n", '    heads = per_seat(each=2, metric="heads")\n'), name="many.py"
    )
    with pytest.raises(InputError, match="heads has several numbers, and a metric or track is one"):
        load_game(path)


@pytest.mark.parametrize("teams", ['"reds win"', '{"reds": ALL}', '{"reds win": 0}', '{"reds win": "ab"}'])
def test_teams_that_cannot_be_are_refused(tmp_path: Path, teams: str) -> None:
    named = f"    score_range = (0, 50)\n    teams = {teams}\n"
    path = written(tmp_path, ("    score_range = (0, 50)\n", named), ("import Game", "import ALL, Game"))
    with pytest.raises(InputError, match=r"coins.py: teams = .*: write names with verbs"):
        load_game(path)


def test_no_card_is_not_the_last_card(tmp_path: Path) -> None:
    """Compiled, the place before the first card lies outside the table; plain Python would read the last card."""
    (tmp_path / "goods.csv").write_text("name,worth\na,1\nb,2\n")
    place = (PLACE[0], "self.heads[self.seat] += self.deck.worth[self.deck.draw()]")
    own = match(written(tmp_path, WITH_DECK, place, ("import Game", "import Deck, Game")), 2)
    with pytest.raises(InputError, match="NONE, is not in the card table"):
        compare(own, 1, 20)


def test_an_ending_is_compared_with_its_name(tmp_path: Path) -> None:
    old = "        elif self.turn == 60:"
    with pytest.raises(InputError, match=r"compare self.ending with an ending in quotes; self.over is"):
        load_game(written(tmp_path, (old, "        elif self.turn == 60 or self.ending == 1:")))


def test_one_card_is_not_called_cards(stall: str) -> None:
    game = load_game(stall).owner(2)
    deck = next(part for part in vars(game).values() if isinstance(part, Deck))
    deck.left = 1
    assert deck.words(None) == {deck.called: "1 card"}
