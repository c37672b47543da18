"""What an author may ask, where, and what the lab says if it cannot be asked there."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from simlab.author.build import build
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.registry import load_game
from tests.author.flow.lowered import run_lowered

HEAD = '''
from simlab.author import *

class Small(Game):
    """A game for a test."""

    players = 3
    deck = Deck(12)
    hand = Hand(deck)
    points = per_seat(score=True)
    plan = per_seat(low=0, high=4, seen_by="owner")
    pick = choice(range(5))
    secret = choice(range(5), secret=True)
    lonely = choice("only", "never", forced=True)

    def may_lonely(self, option):
        return option == "only" or self.points[0] > 3

    def play(self):
'''


def game_of(folder: Path, *body: str) -> Any:
    file = folder / "small.py"
    file.write_text(HEAD + textwrap.indent("\n".join(body), " " * 4))
    return load_game(str(file)).owner  # type: ignore[attr-defined]


def refusal(folder: Path, *body: str) -> str:
    with pytest.raises(InputError) as caught:
        game_of(folder, *body)
    return str(caught.value)


def test_a_method_that_asks_may_not_call_itself(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        "    self.chain(1)",
        "    self.end('over')",
        "def chain(self, left):",
        "    if self.ask(self.pick) > 2:",
        "        self.more(left)",
        "def more(self, left):",
        "    self.chain(left - 1)",
    )
    assert "small.py, line 22" in said
    assert "chain calls more calls chain" in said
    assert "Queue" in said


def test_a_secret_answer_may_not_live_in_a_local_while_another_seat_is_asked(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        "    mine = self.ask(self.secret, 0)",
        "    other = self.ask(self.pick, 1)",
        "    self.points[0] = mine + other",
        "    self.end('over')",
    )
    assert "small.py, line 21: mine holds a secret of one seat" in said
    assert "seen_by='owner'" in said


def test_a_card_of_a_hidden_hand_may_not_live_in_a_local_while_another_seat_is_asked(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        "    for card in self.hand.of(0):",
        "        if self.ask(self.pick, 1) > 2:",
        "            self.points[0] += card",
        "    self.end('over')",
    )
    assert "small.py, line 21: card holds a secret" in said


def test_the_seat_itself_may_be_asked_again(tmp_path: Path) -> None:
    owner = game_of(
        tmp_path,
        "    for card in self.hand.of(self.seat):",
        "        mine = self.ask(self.secret)",
        "        self.points[0] += self.ask(self.pick) + card + mine",
        "    self.end('over')",
    )
    assert owner(seed=1).over


def test_a_local_that_may_have_no_value_is_named(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        "    for step in range(3):",
        "        if step > 1:",
        "            found = step",
        "        self.ask(self.pick)",
        "    self.points[0] = found",
        "    self.end('over')",
    )
    assert "line 24: found may have no value here. Set it before the loop or the condition: found = 0" in said


def test_a_question_in_brackets_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, "    total = sum(self.ask(self.pick) for _ in range(3))", "    self.end('over')")
    assert "line 20: a question inside a loop in brackets. Write a `for` loop" in said


def test_arguments_that_do_not_fit_are_named(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        "    self.duel(1)",
        "    self.end('over')",
        "def duel(self, seat, cards):",
        "    self.ask(self.pick, seat)",
    )
    assert "line 20: self.duel(1) does not fit duel(seat, cards)" in said


def test_play_has_to_end_the_game(tmp_path: Path) -> None:
    owner = game_of(tmp_path, "    if self.ask(self.pick) > 5:", "        self.end('over')")
    game = owner(seed=1)
    with pytest.raises(InputError, match=r"Small.play\(\) has ended, but the game is not over"):
        game.take(0)


@pytest.mark.parametrize("made", [lambda owner: owner, run_lowered])
def test_a_forced_decision_is_asked_only_if_there_is_a_choice(tmp_path: Path, made: Any) -> None:
    owner = game_of(
        tmp_path,
        "    self.points[1] = 1 if self.ask(self.lonely) == 'only' else 2",
        "    self.points[0] = 4",
        "    self.points[2] = 1 if self.ask(self.lonely) == 'only' else 2",
        "    self.end('over')",
    )
    game = made(owner)(seed=1)
    assert [str(option.name) for option in game.legal()] == ["only", "never"]
    game.take("never")
    assert (game.over, list(game.points)) == (True, [4, 1, 2])


def test_a_method_that_asks_and_cannot_be_compiled_plays_the_same_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = game_of(
        tmp_path,
        "    for self.turn in range(1, 4):",
        "        for seat in self.seats:",
        "            if self.act(seat, 2) == 'fight':",
        "                self.points[seat] += 2",
        "    self.end('over')",
        "def act(self, seat, bonus):",
        "    chosen = self.ask(self.fray, seat)",
        "    if chosen == 'hide':",
        "        self.points[seat] += {1: bonus}[1] + self.roll(6)",
        "    return chosen",
        "fray = choice('fight', 'hide', 'flee')",
    )
    game = build(owner, 3)
    assert "act() runs in plain Python" in capsys.readouterr().err
    assert compare(Match(game, bots=dict.fromkeys(game.seats, "random")), seed=2, games=5) == 45
