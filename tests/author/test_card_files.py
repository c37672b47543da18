"""Card tables as designers keep them: each file of tests/cases is read right, or refused with file, line and column.

The right value and its source are in the README.md of each folder. Here the games are played in plain Python.
"""

from __future__ import annotations

import importlib.util
import linecache
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from simlab.author import Game
from simlab.author.column_uses import uses_of
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game

CASES = Path(__file__).parents[1] / "cases"
GOOD = (Fraction(3, 8), Fraction(18, 8))  #: chance of a card worth 3 or more, mean value


def class_of(file: Path) -> Any:
    """The game's class of a file, imported again."""
    spec = importlib.util.spec_from_file_location(f"case_{abs(hash(file))}", file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(one for one in vars(module).values() if isinstance(one, type) and Game in one.__mro__[1:])


def game_with(folder: Path, table: Path, game: str = "draw.py") -> Any:
    """The class of a case's game, with a table as its own cards.csv."""
    shutil.copy(table.parent / game, folder / game)
    shutil.copy(table, folder / "cards.csv")
    return class_of(folder / game)


def chances(game: Any) -> tuple[Fraction, Fraction]:
    """Chance of a card worth 3 or more and the mean value, over the cards of a plain game's deck."""
    values = [game.deck.value[card] for card in range(game.deck.size)]
    return Fraction(sum(value >= 3 for value in values), len(values)), Fraction(sum(values), len(values))


#: Table -> its right value as the game's own table, or the message that refuses it.
OWN: dict[str, tuple[Fraction, Fraction] | str] = {
    "csv_as_designers_keep_it/cards.csv": GOOD,
    "csv_as_designers_keep_it/capitals.csv": GOOD,
    "csv_as_designers_keep_it/percent.csv": GOOD,
    "csv_as_designers_keep_it/pipe.csv": GOOD,
    "csv_as_designers_keep_it/spaces_in_header.csv": GOOD,
    "csv_as_designers_keep_it/trailing_columns.csv": GOOD,
    "csv_as_designers_keep_it/utf16.csv": GOOD,
    "csv_as_designers_keep_it/quantity.csv": (Fraction(2, 4), Fraction(11, 4)),
    "csv_as_designers_keep_it/blank_value.csv": "line 2, value: is blank, but line 20 of draw.py uses value",
    "csv_as_designers_keep_it/cp1252.csv": "line 4: is not UTF-8 text. Save it as CSV (UTF-8)",
    "csv_as_designers_keep_it/title_row.csv": "line 2: 3 cells, but line 1 names 1 columns. Line 1 must",
    "csv_as_designers_keep_it/total_row.csv": "line 6, value: is blank, but line 20 of draw.py uses value",
    "csv_copies/float_copies.csv": GOOD,
    "csv_copies/floats.csv": GOOD,
    "csv_copies/blank_copies.csv": "line 3, copies: is blank",
    "csv_copies/huge_copies.csv": "line 3, copies: '20000000' is not a whole number in 0..10,000",
    "csv_copies/negative_copies.csv": "line 3, copies: '-2' is not a whole number in 0..10,000",
    "csv_copies/word_copies.csv": "line 3, copies: 'two' is not a whole number",
    "csv_odd_numbers/circled.csv": "line 2, value: '①' is not a whole number",
    "csv_odd_numbers/footnote.csv": "line 3, value: '2²' is not a whole number",
    "csv_odd_numbers/fullwidth.csv": GOOD,
    "csv_odd_numbers/large.csv": "line 5, value: '5000000000' is not a whole number in -1,000,000..1,000,000",
    "csv_odd_numbers/plusminus.csv": "line 2, value: '+-1' is not a whole number",
    "csv_odd_numbers/typographic_minus.csv": (Fraction(3, 8), Fraction(12, 8)),
    "card_text_edited/cards.csv": GOOD,
    "csv_sep_line/sep_comma.csv": GOOD,
    "csv_sep_line/sep_semicolon.csv": GOOD,
    "one_row_per_copy/cards.csv": GOOD,
    "one_row_per_copy/one_row_per_copy.csv": GOOD,
}
#: The same with --cards, for a game with name, value and copies (and text) of its own.
SWAPPED: dict[str, tuple[Fraction, Fraction] | str] = {
    "csv_as_designers_keep_it/capitals.csv": GOOD,
    "csv_as_designers_keep_it/pipe.csv": GOOD,
    "csv_as_designers_keep_it/trailing_columns.csv": GOOD,
    "csv_as_designers_keep_it/utf16.csv": GOOD,
    "csv_as_designers_keep_it/percent.csv": "line 1: unknown column 'share'. Known: copies, name, value",
    "csv_as_designers_keep_it/quantity.csv": "line 1: unknown column 'Quantity'. Call it 'copies'",
    "csv_as_designers_keep_it/blank_value.csv": "line 2, value: is blank. Use a whole number",
    "csv_as_designers_keep_it/cp1252.csv": "line 4: is not UTF-8 text",
    "csv_as_designers_keep_it/title_row.csv": "line 2: 3 cells, but line 1 names 1 columns",
    "csv_as_designers_keep_it/total_row.csv": "line 6, value: is blank",
    "csv_copies/float_copies.csv": GOOD,
    "csv_copies/floats.csv": GOOD,
    "csv_copies/blank_copies.csv": "line 3, copies: is blank",
    "csv_copies/huge_copies.csv": "line 3, copies: '20000000' is not allowed",
    "csv_copies/negative_copies.csv": "line 3, copies: '-2' is not allowed",
    "csv_copies/word_copies.csv": "line 3, copies: 'two' is not allowed",
    "csv_odd_numbers/circled.csv": "line 2, value: '①' is not allowed",
    "csv_odd_numbers/footnote.csv": "line 3, value: '2²' is not allowed",
    "csv_odd_numbers/fullwidth.csv": GOOD,
    "csv_odd_numbers/plusminus.csv": "line 2, value: '+-1' is not allowed",
    "csv_odd_numbers/typographic_minus.csv": (Fraction(3, 8), Fraction(12, 8)),
    "card_text_edited/text_edited.csv": GOOD,
    "card_text_edited/text_removed.csv": GOOD,
    "card_text_edited/card_added.csv": (Fraction(5, 10), Fraction(26, 10)),
    "csv_sep_line/sep_comma.csv": GOOD,
    "csv_sep_line/sep_semicolon.csv": GOOD,
    "one_row_per_copy/one_row_per_copy.csv": GOOD,
}


@pytest.mark.parametrize("table", OWN)
def test_a_game_reads_its_own_table_as_designers_keep_it(table: str, tmp_path: Path) -> None:
    right, owner = OWN[table], game_with(tmp_path, CASES / table)
    if isinstance(right, str):
        with pytest.raises(InputError) as mistake:
            owner()
        assert f"{tmp_path / 'cards.csv'}, {right}" in str(mistake.value)
        return
    assert chances(owner()) == right
    won = sum(0 in owner(seed=3, game=index).play_with().winners() for index in range(100)) / 100
    assert abs(won - float(right[0])) < 0.225  # 4.5 standard errors


@pytest.mark.parametrize("table", SWAPPED)
def test_a_table_of_a_designer_replaces_the_games_own(table: str) -> None:
    file, right = CASES / table, SWAPPED[table]
    game: Any = load_game(str(file.parent / "draw.py"))
    if isinstance(right, str):
        with pytest.raises(InputError) as mistake:
            game.read_tables({"cards": file})
        assert f"{file}, {right}" in str(mistake.value)
        return
    assert chances(game.owner(tables=game.read_tables({"cards": file}))) == right


def test_a_column_that_may_count_copies_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {})
    game_with(tmp_path, CASES / "csv_as_designers_keep_it/quantity.csv")()
    warning = "cards.csv: each row is one card. If the column 'quantity' counts the copies, call it 'copies'"
    assert warning in capsys.readouterr().err


@pytest.mark.parametrize("cell", ["", "n/a", "-", "three"])
def test_a_column_compared_with_a_number_holds_numbers(cell: str, tmp_path: Path) -> None:
    """`value[card] == 3` is never true of a text: 0 % where 25 % is right."""
    equal = CASES / "csv_as_designers_keep_it" / "equal"
    for line in (2, 3):
        text = (equal / "cards.csv").read_text(encoding="utf-8").splitlines()
        values = ["name,value,copies", "pebble,1,3", *text[2:]]
        values[line - 1] = values[line - 1].replace(",1,", f",{cell},").replace(",2,", f",{cell},", 1)
        (tmp_path / "table.csv").write_text("\n".join(values), encoding="utf-8")
        folder = tmp_path / str(line)
        folder.mkdir()
        shutil.copy(equal / "draw.py", folder)
        shutil.copy(tmp_path / "table.csv", folder / "cards.csv")
        with pytest.raises(InputError, match=rf"cards.csv, line {line}, value: .*line 18 of draw.py uses value as a"):
            class_of(folder / "draw.py")()


def test_numbers_in_the_first_column_compare_as_numbers() -> None:
    """6 nimmt!: each of three seats has the lowest of ten cards in a third of the games, and 1.3 heads on average."""
    owner = class_of(CASES / "numbered_cards" / "nimmt.py")
    games = [owner(seed=2, game=index).play_with() for index in range(1_500)]
    assert owner().deck.labels == [str(number) for number in range(1, 11)]
    for game in games[:200]:
        numbers = [game.laid[seat] + 1 for seat in range(3)]
        assert game.low == min(numbers), "10 is higher than 2"
    assert all(abs(sum(g.heads[seat] > 0 for g in games) / 1_500 - 1 / 3) < 0.055 for seat in range(3))
    assert abs(sum(sum(g.heads) for g in games) / 4_500 - 1.3) < 0.08


RULES = """
from simlab.author import Deck, Game, choice, number


class Look(Game):
    players = 1
    deck = Deck("cards.csv")
    found = number()
    look = choice("look")

    def play(self):
        self.ask(self.look)
        card = self.deck.draw()
        {rule}
        self.end("looked")
"""


def look(folder: Path, table: str, rule: str) -> Any:
    (folder / "cards.csv").write_text(table, encoding="utf-8")
    (folder / "look.py").write_text(RULES.format(rule=rule), encoding="utf-8")
    return class_of(folder / "look.py")


@pytest.mark.parametrize(
    ("rule", "right"),
    [
        ("self.found = self.deck.rank[card]", [7, 8]),
        ("self.found += 2 * self.deck.rank[card]", [7, 8]),
        ("rank = self.deck.rank[card]\n        if rank >= 8:\n            self.found = 1", [7, 8]),
        ("self.found = 1 if self.deck.rank[card] == '8' else 0", ["7", "8"]),
        ("self.found = ('7', '8').index(self.deck.rank[card])", ["7", "8"]),
        ("self.shown = f'{self.deck.rank[card]}'", ["7", "8"]),
        ("self.found = self.worth(self.deck.rank[card])", [7, 8]),
        ("self.found = 1", ["7", "8"]),
    ],
)
def test_rules_decide_whether_the_first_column_holds_numbers_or_texts(
    rule: str, right: list[Any], tmp_path: Path
) -> None:
    assert look(tmp_path, "rank,name\n7,seven\n8,eight\n", rule)().deck.rank == right


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.found = self.deck.rank[card]", "'J' is not a whole number.*line 14 of look.py uses rank as a number"),
        ("self.found = self.worth(self.deck.rank[card])", "'J' is not a whole.*other cells of rank are numbers"),
        ("self.found = 1 if self.deck.rank[card] == 'J' else 0", ""),
        ("self.found = 1 if self.deck.rank[card] == self.deck.rank[0] else 0", ""),
    ],
)
def test_a_column_of_numbers_and_texts_is_never_guessed(rule: str, why: str, tmp_path: Path) -> None:
    owner = look(tmp_path, "name,rank\nseven,7\neight,8\njack,J\n", rule)
    if why:
        with pytest.raises(InputError, match=f"cards.csv, line 4, rank: {why}"):
            owner()
    else:
        assert owner().deck.rank == ["7", "8", "J"]


def test_labels_that_no_rule_reads_stay_as_they_are_written(tmp_path: Path) -> None:
    assert (
        look(tmp_path, "number,value\n007,1\n008,2\n", "self.found = self.deck.value[card]")().deck.labels[0] == "007"
    )


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (
            "name,value\npebble,1\nshell,2\npebble,3\n",
            "line 4: duplicate name 'pebble', which line 2 has too, with value 1",
        ),
        ("name,value\npebble,1\nshell,2\nTotal,3\n", "line 4, value: 3 is the sum of the column"),
        ("name,value,Value\npebble,1,1\n", "line 1: 'value' cannot be a column: it is there twice"),
        ("name,,value\npebble,x,1\n", "line 2: 'x' is in column 2, which line 1 does not name"),
        ("name,2nd\npebble,1\n", "line 1: '2nd' cannot be a column"),
        ("name;value\npebble;10.000\n", "line 2, value: '10.000' can be read as 10 and as 10000"),
    ],
)
def test_a_doubtful_table_is_refused_with_its_line(table: str, why: str, tmp_path: Path) -> None:
    owner = look(tmp_path, table, "self.found = self.deck.value[card]")

    def read() -> None:
        owner()
        load_game(str(tmp_path / "look.py")).read_tables()

    with pytest.raises(InputError) as mistake:
        read()
    assert why in str(mistake.value)


def test_copies_in_a_table_of_one_row_per_copy_are_refused_with_the_remedy(tmp_path: Path) -> None:
    look(tmp_path, "name,value\npebble,1\npebble,1\n", "self.found = self.deck.value[card]")
    (tmp_path / "swapped.csv").write_text("name,value,copies\npebble,1,2\n")
    game = load_game(str(tmp_path / "look.py"))
    assert game.tables[0].distinct(game.read_tables()["cards"]) == [{"name": "pebble", "value": 1}]
    with pytest.raises(InputError, match=r"unknown column 'copies'. The game's own table has one row for each copy"):
        game.read_tables({"cards": tmp_path / "swapped.csv"})


@pytest.mark.parametrize(("column", "why"), [("wxyz", "Columns: name, value"), ("vale", "Did you mean 'value'")])
def test_a_mistyped_column_is_answered_with_columns(column: str, why: str, tmp_path: Path) -> None:
    look(tmp_path, "name,value\npebble,1\n", f"self.found = self.deck.{column}[card]")
    with pytest.raises(InputError, match=f"no .*'{column}'. {why}"):
        load_game(str(tmp_path / "look.py"))


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ('choice("roll", "hold", "roll")', "line 7: choice of go: 'roll' is named twice"),
        ("choice(places)", "line 7: choice of go: places has 'inn' twice"),
    ],
)
def test_an_option_named_twice_is_refused(declared: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "from simlab.author import Game, Places, choice\n\n\nclass Twice(Game):\n    players = 1\n"
        '    places = Places(["inn", "mill", "inn"])\n'
        f"    go = {declared}\n\n    def play(self):\n        self.ask(self.go)\n        self.end('gone', 0)\n"
    )
    with pytest.raises(InputError) as mistake:
        class_of(tmp_path / "twice.py")()
    assert f"{tmp_path / 'twice.py'}, {why}" in str(mistake.value)


@pytest.mark.parametrize("players", [5, 10])
def test_ten_players_need_no_names(players: int) -> None:
    """One player of n is voted out by lot: the village wins if it was the wolf, in 1 of n games."""
    owner = class_of(CASES / "ten_players" / "ten.py")
    games = [owner(players, seed=4, game=index).play_with() for index in range(1_000)]
    village = sum(game.role[game.winners()[0]] == 0 for game in games) / 1_000
    assert abs(village - 1 / players) < 4.5 * (1 / players * (1 - 1 / players) / 1_000) ** 0.5
    assert len({*owner(players).seat_names}) == players


def test_more_players_than_a_game_can_have_are_refused(tmp_path: Path) -> None:
    text = (CASES / "ten_players" / "ten.py").read_text(encoding="utf-8").replace("(5, 10)", "(5, 17)")
    (tmp_path / "ten.py").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="17 players; a game of simlab has 16 at most"):
        class_of(tmp_path / "ten.py")(17)


@pytest.mark.parametrize(
    ("case", "seen", "right"),
    [
        ("deck_bottom_and_discards/natural.py", lambda game: game.bottom_again, 0.5),
        ("deck_bottom_and_discards/undocumented.py", lambda game: game.bottom_again, 0.5),
        ("deck_bottom_and_discards/epidemic.py", lambda game: game.bottom_again, 0.5),
        ("deck_topdeck/topdeck.py", lambda game: game.again, 1.0),
        ("tiles_of_unequal_size/shapes.py", lambda game: game.board[0, 0], 1 / 12),
        ("tiles_of_unequal_size/same_length.py", lambda game: game.board[0, 0], 1 / 12),
        ("tiles_of_unequal_size/shapes.py", lambda game: game.ways / 64, 36 / 64),
    ],
)
def test_decks_and_shapes_give_the_right_value(case: str, seen: Callable[[Any], float], right: float) -> None:
    owner = class_of(CASES / case)
    games = 800
    mean = sum(seen(owner(seed=6, game=index).play_with()) for index in range(games)) / games
    assert abs(mean - right) <= 4.5 * (right * (1 - right) / games) ** 0.5


def test_a_card_in_play_is_not_shuffled_into_the_draw_pile() -> None:
    """With `always play`: card 0 is in the hand, five of six cards, in 5/6 of the games; exactly one card is drawn."""
    owner = class_of(CASES / "deck_topdeck" / "inplay.py")

    def always(game: Any) -> str:
        return "play" if game.can("play") else "pass"

    games = [owner(seed=6, game=index).play_with([always]) for index in range(800)]
    assert {game.drawn for game in games} == {0, 1} and {game.size_at_end for game in games} == {6}
    assert abs(sum(game.drawn for game in games) / 800 - 5 / 6) < 0.06


EVERYTHING = '''
from simlab.author import NONE, Deck, Game, OwnDecks, Pile, choice, number

NEAR = ((1, 2), (0,), (0, 1, 3), (2,))
SHAPES = (((0, 0), (0, 1)), ((0, 0), (1, 0), (1, 1)))


class Everything(Game):
    """Numbered cards with a text, decks from both ends, rows of different lengths."""

    players = 1
    deck = Deck("cards.csv")
    pile = Pile(deck)
    own = OwnDecks(deck)
    total = number(metric="a sum", low=0, high=100000)
    go = choice(4)

    def play(self):
        """E-1: the deck is shuffled."""
        self.deck.shuffle()
        option = self.ask(self.go)
        """E-2: a little of everything."""
        first, last = self.deck.draw(), self.deck.draw_bottom()
        if self.deck.number[first] < self.deck.number[last]:
            self.total += 1000 * self.deck.number[last]
        if self.deck.text[first] == self.deck.text[last]:
            self.total += 7
        self.pile.add(first)
        self.pile.add(last)
        self.pile.add(self.deck.draw())
        self.pile.shuffle()
        self.deck.put_under(self.pile.take())
        if self.deck.bottom() == first:
            self.total += 100
        self.own.gain_on_top(0, self.pile.take())
        self.own.gain(0, self.pile.take())
        card = self.own.draw(0)
        self.own.draw(0)
        self.own.topdeck(0, card)
        if self.own.draw(0) != card:
            self.total += 50000
        for near in NEAR[option]:
            self.total += near
        for down, right in SHAPES[option % 2]:
            self.total += 2 * down + right
        self.total += len(NEAR[option]) + NEAR[option][0]
        self.end("done", 0)
'''


def test_decks_texts_and_rows_of_different_lengths_are_the_same_plain_and_compiled(tmp_path: Path) -> None:
    """The table in play has wordings that the game's own lacks, two of them equal."""
    rows = [(number, f"text {number % 3}") for number in range(2, 13)]
    (tmp_path / "cards.csv").write_text("number,text\n" + "".join(f"{n},{text}\n" for n, text in rows))
    edited = "Number;Text\n" + "".join(f"{n};{'new' if n % 2 else text}\n" for n, text in rows)
    (tmp_path / "edited.csv").write_text(edited + "20;another\n")
    (tmp_path / "everything.py").write_text(
        EVERYTHING.replace("self.deck.text[first] == self.deck.text[last]", "False")
    )
    (tmp_path / "read.py").write_text(EVERYTHING)
    reader = load_game(str(tmp_path / "read.py"))
    with pytest.raises(InputError, match="line 3, text: 'new' is not allowed"):  # a rule compares the texts
        reader.read_tables({"cards": tmp_path / "edited.csv"})
    game = load_game(str(tmp_path / "everything.py"))
    match = Match(game, tables={"cards": tmp_path / "edited.csv"}, bots={"ann": "random"})
    assert compare(match, 1, 40) == 40
    codes = match.cards["deck_text"][0, :12].tolist()
    assert codes[1] == codes[3] != codes[11], "equal wordings are equal, others are not"


def test_a_class_typed_into_a_notebook_reads_numbers_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    text = RULES.format(rule="self.found = self.deck.value[card]")
    name = "<ipython-input-7>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    monkeypatch.setattr("simlab.author.column_uses._file_of", lambda _: name)
    found = uses_of(type("Look", (Game,), {}), Game, ["deck"], ["found"])
    assert found["deck"].numbers == {"value": f"line 14 of {name}"} and found["deck"].reads("text")
