"""A number and its noun agree; line-ups are named as short as they can be."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import simlab
from simlab.words import counted, line_up


def test_one_is_singular() -> None:
    assert [counted(n, "game") for n in (0, 1, 2, 1200)] == ["0 games", "1 game", "2 games", "1,200 games"]
    assert counted(1, "match", "matches") == "1 match"
    assert counted(2, "match", "matches") == "2 matches"


def test_the_bot_of_most_seats_is_named_once() -> None:
    assert line_up({"player": "one"}) == "one"
    assert line_up(dict.fromkeys("ab", "one")) == "one v one"
    assert line_up(dict.fromkeys("abc", "one")) == "one in all seats"
    assert line_up(dict(zip("abcd", ["two", "one", "one", "one"], strict=True))) == "two as a, one elsewhere"
    few = dict(zip("abcdefg", ["one", "two", "one", "three", "two", "one", "one"], strict=True))
    assert line_up(few) == "two as b and e, three as d, one elsewhere"
    assert line_up(dict(zip("abcd", ["one", "two", "one", "two"], strict=True))) == "one v two v one v two"


def test_what_a_command_says_that_it_has_written_agrees_with_its_number() -> None:
    """`1 games` cannot be printed: these messages count with `counted`."""
    folder = Path(simlab.__file__).parent
    for name in (
        "cli/report.py",
        "questions/replay/command.py",
        "questions/verify/words.py",
        "questions/check/words.py",
        "runs/runner.py",
    ):
        tree = ast.parse((folder / name).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                for value, text in zip(node.values, node.values[1:], strict=False):
                    if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                        noun = re.match(r" (games|moves|cells|frames|decisions|pieces|shards)\b", str(text.value))
                        before = ast.unparse(value.value)
                        assert not noun or "total" in before, f"{name}:{node.lineno}: {before}{text.value}"
