"""Rules in docstrings: their texts, status, places in the rulebook and knobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.errors import InputError
from simlab.questions.info import analysis
from simlab.registry import load_game
from simlab.spec.ledger import Rule, read_about

GAME = '''
from simlab.author import Game, choice, knob


class Race(Game):
    """Go or stay."""

    goal = knob(3, 1, 9, "steps that win")
    ace_value = knob(False, "the Ace is 11")
    act = choice("go", "stay")

    def play(self):
        """R-1 (p. 2; goal): the first to go as many steps as the
        goal wins.

        R-2 (ruling, silent; ace_value,
        goal): the rulebook gives the Ace no value.
        It is 1. R-3 (abstracted): no piece is moved.
        """
        while self.turn < self.goal:
            self.step()
        self.end("goal", 0)

    def step(self):
        """R-4: a step."""
        if self.ask(self.act) == "go":
            """R-5 (exact, Set Up, l.14; Moves, l.3): it counts."""
            self.turn += 1
            """R-4 (ruling): (of one turn)."""
'''


def race(folder: Path, *changes: tuple[str, str]) -> str:
    text = GAME
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "race.py").write_text(text)
    return str(folder / "race.py")


def test_a_rule_has_a_status_a_place_and_knobs(tmp_path: Path) -> None:
    assert load_game(race(tmp_path)).rules == (
        Rule("R-1", "the first to go as many steps as the goal wins.", "p. 2", "exact", ("goal",)),
        Rule("R-2", "the rulebook gives the Ace no value. It is 1.", "silent", "ruling", ("ace_value", "goal")),
        Rule("R-3", "no piece is moved.", "race.py, line 12, play", "abstracted"),
        Rule("R-4", "a step.", "race.py, line 24, step", "ruling"),
        Rule("R-5", "it counts.", "Set Up, l.14; Moves, l.3", "exact"),
    )


def test_a_knob_names_the_rules_that_read_it(tmp_path: Path) -> None:
    game = load_game(race(tmp_path))
    assert {name: knob.rules for name, knob in game.knobs.items()} == {"goal": ("R-1", "R-2"), "ace_value": ("R-2",)}
    lines = {line.knob: line for line in analysis.knobs(game).knobs}
    assert lines["goal"].rules == ("R-1", "R-2")
    assert [rule.status for rule in analysis.rules(game).rules] == ["exact", "ruling", "abstracted", "ruling", "exact"]
    with pytest.raises(InputError, match=r"goal = 12 is not allowed: goal takes 1..9 \(R-1, R-2\)"):
        game.knobs["goal"].parse(12)


REFUSED = {
    "an unknown knob": (
        ("p. 2; goal", "p. 2; gaol"),
        r"race.py, line 13, rule R-1: there is no knob 'gaol'. Did you mean 'goal'\?",
    ),
    "one on a later line": (
        ("ace_value,\n        goal", "ace_value,\n        mercy"),
        "line 16, rule R-2: there is no knob 'mercy'",
    ),
    "a misspelt status": (
        ("(ruling, silent", "(rulling, silent"),
        "line 16, rule R-2: status is exact, ruling or abstracted, not 'rulling'",
    ),
    "two statuses": (
        ("R-5 (exact", "R-2 (exact"),
        r"line 27, rule R-2: says \(exact.*\), and elsewhere \(ruling, silent; ace_value, goal\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_rule_can_say_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    change, why = REFUSED[name]
    with pytest.raises(InputError, match=why):
        load_game(race(tmp_path, change))


@pytest.mark.parametrize(
    ("about", "parts"),
    [
        ("", ("", "", ())), ("exact", ("exact", "", ())), ("ruling, p. 2", ("ruling", "p. 2", ())),
        ("p. 2, left column", ("", "p. 2, left column", ())), ("; goal", ("", "", ("goal",))),
        ("ruling; goal, walls", ("ruling", "", ("goal", "walls"))),
        ("Set Up, l.14; goal", ("", "Set Up, l.14", ("goal",))),
        ("ruling; p. 2; p. 3; walls", ("ruling", "p. 2; p. 3", ("walls",))),
    ],
)  # fmt: skip
def test_every_part_is_optional(about: str, parts: tuple[str, str, tuple[str, ...]]) -> None:
    assert read_about(about, ["goal", "walls"], "here") == parts
