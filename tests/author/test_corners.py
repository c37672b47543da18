"""Corners of Python in an author's rules: each plays in compiled code as in plain Python, or the lab reports it.

The corners are data: tests/author/corners/*.toml. Each has a name and a `code`, the body of a method of a game that
returns a number; `a` (-4..4) and `b` (1..5) are its arguments. Further keys:

- expects: `same` (by default): compiled and plain play give the same number, or both raise an error. `plain`: the
  method is not compiled, a warning names its line, and the game still plays as in plain Python. `refused`: the game
  does not load, and the message names the line. `checked`: compiled play may raise an error that names the line
  instead of going on with a wrong number; where it raises none, the number is the same.
- methods, before: further methods of the class; code of the file before the class. fields: declarations of the class.
- says: words of the message. line: text of the line that the message names; by default any line of the corner.
- file: corners of one file are compiled together; a corner whose names would disturb the others has a file of its own.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import textwrap
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from simlab.author.kernels import program_of
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import BotFault, InputError
from simlab.registry import load_game

FOLDER = Path(__file__).parent / "corners"
GROUP = 12  #: corners in one method
KEPT = frozenset({"_", "_sum", "_best", "_int", "_state", "sum", "min", "abs", "twice"})  #: names that matter
GAMES = 3  #: games in which each corner is played, with other values of a and b

HEAD = '''"""Corners of Python."""

from simlab.author import ALL, NONE, Deck, Game, Hand, choice, flag, grid, knob, number, numbers, per_seat

LIMIT = 7
SIZES = (4, 9, 2)
PAIRS = ((1, 2), (3, 4), (5, 6))
WORDS = ("red", "green")


def twice(n):
    return 2 * n


def share(points, parts=2):
    return points // parts

'''
CLASS = '''

class Corners(Game):
    """Each option is a corner."""

    players = (2, 3)
    tie = knob("share", ("share", "first", "none"), "who wins a tie")
    mercy = knob(True, "whether a bust costs nothing")
    goal = knob(6, 2, 12, "points")
    scale = knob(1.5, 0.5, 3.0, "a factor")
    deck = Deck(6)
    hand = Hand(deck)
    n = number()
    lit = flag()
    v = numbers(5)
    w = numbers(5)
    lamps = numbers(3, False)
    board = grid(2, 3)
    p = per_seat(score=(0, 100))
    q = per_seat(each=2)
    out = numbers({count})
    bonus = 4
    go = choice({count}, "one", "two")
{fields}
    def play(self):
        self.deck.shuffle()
        self.hand.deal(2)
        for place in (0, 1, 2, 3, 4):
            self.v[place] = self.below(9)
            self.w[place] = place
        self.lit = self.below(2) == 1
        self.lamps[1] = True
        while True:
            self.take_turn(self.ask(self.go))
            self.turn += 1

    def take_turn(self, option):
        """C-1: a corner is played."""
        a, b = self.below(9) - 4, self.below(5) + 1
        if option < {count}:
            self.group_0(option, a, b)
        if self.turn > 30:
            self.end("late", 0)

'''


@dataclass(frozen=True)
class Corner:
    """A corner of Python (see above)."""

    name: str
    code: str
    expects: str = "same"
    methods: str = ""
    before: str = ""
    fields: str = ""
    says: str = ""
    line: str = ""
    file: str = "main"


def _corners() -> list[Corner]:
    files = sorted(FOLDER.glob("*.toml"))
    return [Corner(**entry) for path in files for entry in tomllib.loads(path.read_text())["corner"]]


CORNERS = _corners()
REFUSED = [corner for corner in CORNERS if corner.expects == "refused"]
PLAYED = [corner for corner in CORNERS if corner.expects != "refused"]


def _indented(text: str, by: int) -> str:
    return textwrap.indent(text.strip("\n") + "\n", " " * by)


def source(corners: list[Corner]) -> str:
    """The file of a game whose options are corners. Those that are compiled share methods, which compile faster."""
    text = HEAD + "\n".join(corner.before for corner in corners)
    fields = "".join(_indented(one.fields, 4) for one in corners if one.fields)
    text += CLASS.format(count=max(len(corners), 1), fields=fields)
    for first in range(0, max(len(corners), 1), GROUP):
        text += f"    def group_{first // GROUP}(self, option, a, b):\n"
        text += (
            f"        if option >= {first + GROUP}:\n            self.group_{first // GROUP + 1}(option, a, b)\n"
            if (first + GROUP < len(corners))
            else ""
        )
        text += "        else:\n" if first + GROUP < len(corners) else "        if option >= 0:\n"
        text += f"            self.out[option] = self.among_{first // GROUP}(option, a, b)\n\n"
        text += f"    def among_{first // GROUP}(self, option, a, b):\n"
        for number in range(first, min(first + GROUP, len(corners))):
            corner, alone = corners[number], corners[number].expects in ("plain", "refused")
            text += f"        if option == {number}:  # {corner.name}\n"
            code = f"return self.corner_{number}(a, b)" if alone else _apart(corner.code, number)
            text += _indented(code, 12)
        text += "        return 0\n\n"
    for number, corner in enumerate(corners):
        if corner.expects in ("plain", "refused"):
            text += f"    def corner_{number}(self, a, b):  # {corner.name}\n{_indented(corner.code, 8)}\n"
        text += f"{_indented(corner.methods, 4)}\n" if corner.methods else ""
    return text


def _apart(code: str, number: int) -> str:
    """The code with a number behind its local variables, so that it can share a method with other corners."""
    lines = code.strip("\n").splitlines()
    names = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    for node in sorted(names, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if node.id in own and node.id not in KEPT:
            line, end = lines[node.lineno - 1], node.col_offset + len(node.id)
            lines[node.lineno - 1] = f"{line[:end]}_{number}{line[end:]}"
    return "\n".join(lines)


@cache
def _played(folder: Path, file: str) -> tuple[Any, dict[str, int], str, str]:
    """The game of a file: its match, each corner's option, its text, and what was printed when it was loaded."""
    corners = [corner for corner in PLAYED if corner.file == file]
    path = folder / f"{file}.py"
    path.write_text(source(corners))
    with contextlib.redirect_stderr(io.StringIO()) as said:
        game = load_game(str(path))
        match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    return match, {corner.name: number for number, corner in enumerate(corners)}, path.read_text(), said.getvalue()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corners")


def _plain(match: Any, option: int, index: int) -> dict[str, Any] | Exception:
    try:
        game = match.game.owner(2, seed=1, game=index)
        game.take(option)
    except Exception as fault:  # noqa: BLE001 - an error is a result
        return fault
    return {
        name: list(value) if isinstance(value, list) else value
        for name, value in game.blueprint().values_of(game).items()
    }


def _compiled(match: Any, option: int, index: int) -> dict[str, Any] | Exception:
    try:
        stepper = Stepper(match, 1, index)
        stepper.apply(option)
    except (BotFault, InputError) as fault:
        return fault
    fields = match.game.owner.blueprint().every_field
    return {
        name: stepper.state[name].ravel().tolist() if field.shape else stepper.state[name].item()
        for name, field in fields.items()
    }


@pytest.mark.parametrize("corner", PLAYED, ids=[corner.name for corner in PLAYED])
def test_a_corner_plays_as_in_plain_python_or_is_named(corner: Corner, folder: Path) -> None:
    match, options, text, said = _played(folder, corner.file)
    option = options[corner.name]
    program = program_of(match.game.owner)
    own = {
        f"game__corner_{option}",
        f"game__among_{option // GROUP}",
        *(f"game__{name}" for name in re.findall(r"def (\w+)", corner.methods)),
    }
    plain = {name: why for name, (_, _, why) in program.plain.items() if name in own}
    assert bool(plain) == (corner.expects == "plain"), plain
    if plain:
        why = plain.get(f"game__corner_{option}", next(iter(plain.values())))
        assert corner.says in why and why in said
        assert _line_in(why, text) in _own_lines(corner, text), why
    for index in range(GAMES):
        expected, found = _plain(match, option, index), _compiled(match, option, index)
        if isinstance(found, Exception):
            assert isinstance(expected, Exception) or corner.expects == "checked", found
            if corner.expects == "checked":
                assert _line_in(str(found), text) in _own_lines(corner, text), found
        else:
            assert not isinstance(expected, Exception), expected
            assert found == {**expected, "ending": found["ending"]}
    if corner.expects == "checked":
        assert any(isinstance(_compiled(match, option, index), Exception) for index in range(GAMES))


@pytest.mark.parametrize("corner", REFUSED, ids=[corner.name for corner in REFUSED])
def test_a_corner_is_refused_with_its_line(corner: Corner, tmp_path: Path) -> None:
    path = tmp_path / "corner.py"
    path.write_text(source([corner]))
    with pytest.raises(InputError) as caught, contextlib.redirect_stderr(io.StringIO()):
        load_game(str(path))
    said = str(caught.value)
    assert corner.says in said and "corner.py, line " in said and "simlab.author" not in said
    assert len(said) < 400, said
    assert _line_in(said, path.read_text()) in _own_lines(corner, path.read_text()), said


def _line_in(said: str, text: str) -> str:
    """The line of the file that a message names."""
    found = re.findall(r"[Ll]ine',? (\d+)|[Ll]ine (\d+)", said)
    assert found, said
    return text.splitlines()[int(found[0][0] or found[0][1]) - 1].strip()


def _own_lines(corner: Corner, text: str) -> set[str]:
    numbered = [one for one in PLAYED if one.file == corner.file]
    codes = [corner.code] if corner not in numbered else [corner.code, _apart(corner.code, numbered.index(corner))]
    lines = "\n".join([*codes, corner.methods, corner.before, corner.fields]).splitlines()
    if corner.line:
        lines = [corner.line]
    head = [line for line in text.splitlines() if line.endswith(f"# {corner.name}")]
    return {line.strip() for line in [*lines, *head] if line.strip()}


def test_every_corner_is_counted() -> None:
    kinds = Counter(corner.expects for corner in CORNERS)
    assert set(kinds) <= {"same", "plain", "refused", "checked"}
    assert len({corner.name for corner in CORNERS}) == len(CORNERS) >= 207
