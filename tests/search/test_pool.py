"""A pool that closes: best answers join if they gain, and only then."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.engine.payoff import Payoff
from simlab.errors import InputError
from simlab.questions.best_answers import Lab
from simlab.questions.pool.analysis import Effort, Pool, PoolSearch
from simlab.questions.pool.words import sentences
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

DICE = '''"""Two seats choose a die each: the higher throw wins."""

from simlab.author import ALL, Game, bot, choice, knob, per_seat, trait


class Dice(Game):
    """Choose one of three dice. The dice of the same kind have the same chances, but other throws."""

    players = 2
    seat_names = ("one", "two")
    edge = knob(0, 0, 3, "added to throws of the third die")
    thrown = per_seat()
    throw = choice("left", "right", "third")

    def play(self):
        """D-1: the seat throws the die that it chooses; the higher throw wins."""
        for seat in self.seats:
            option, pips = self.ask(self.throw, seat), self.roll(6)
            if option == "left":
                self.thrown[seat] = pips
            elif option == "right":
                self.thrown[seat] = 7 - pips
            else:
                self.thrown[seat] = pips % 6 + 1 + self.edge
        if self.thrown[0] > self.thrown[1]:
            self.end("thrown", 0)
        if self.thrown[1] > self.thrown[0]:
            self.end("thrown", 1)
        self.end("thrown", ALL)


@bot(Dice)
def lefty(game):
    """Takes the left die."""
    return 0


@bot(Dice)
def righty(game):
    """Takes the right die."""
    return 1


@bot(Dice)
def thirdly(game):
    """Takes the third die."""
    return 2


@bot(Dice)
def fixed(game, k=trait(1, 0, 2, "number of the die that it takes")):
    """Takes the die with this number."""
    return int(k)
'''


HANDS = '''"""Rock, paper, scissors."""

from simlab.author import ALL, Game, bot, choice, number, per_seat


class Hands(Game):
    """Both choose a hand; nobody looks."""

    players = 2
    seat_names = ("one", "two")
    shown = per_seat()
    luck = number()
    show = choice("rock", "paper", "scissors")

    def play(self):
        """H-1: paper beats rock, scissors beat paper, rock beats scissors."""
        self.luck = self.roll(6)
        self.ask_all(self.show, self.seats, into=self.shown)
        if self.shown[0] == self.shown[1]:
            self.end("shown", ALL)
        if (self.shown[0] - self.shown[1]) % 3 == 1:
            self.end("shown", 0)
        self.end("shown", 1)


@bot(Hands)
def rock(game):
    """Rock."""
    return 0


@bot(Hands)
def paper(game):
    """Paper."""
    return 1


@bot(Hands)
def scissors(game):
    """Scissors."""
    return 2
'''


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("dice") / "dice.py"
    file.write_text(DICE)
    return load_game(str(file))


def close(game: Any, bots: list[str], answer: str, seed: int = 1, edge: int = 0, **effort: int) -> Pool:
    """The pool that these bots and an answer, which somebody learns, lead to."""
    knobs = {"edge": edge} if edge else {}
    how = {"games": 500, "rounds": 3, "iterations": 0, "tune": 0, **effort}
    lab = Lab(game, dict.fromkeys(game.seats, bots), seed, how["games"], 2, knobs)
    return PoolSearch(lab, Effort(**how), lambda seat, bots, number: answer, lambda text: None).answer()


def test_a_better_answer_joins_and_closes_the_pool(dice: Any) -> None:
    pool = close(dice, ["lefty"], "thirdly", edge=2)
    assert pool.closed
    assert pool.rounds == 2
    assert [(one.round, one.seat, one.bot, one.joins) for one in pool.tries[:2]] == [
        (1, "one", "thirdly", True), (1, "two", "thirdly", True),
    ]  # fmt: skip
    assert [(one.bot, one.kind, one.joined, one.share) for one in pool.members] == [("thirdly", "learned", 1, 1.0)] * 2
    # The exact gain of +2 over an equal die: of 36 throws, 6 are ties before; the value goes from 1/2 to 26/36 + 2/36.
    gain = 26 / 36 + 4 / 72 - 1 / 2
    assert pool.tries[0].gain.low < gain < pool.tries[0].gain.high
    assert all(value.low < 0.5 < value.high for value in pool.values.values())
    assert next(iter(sentences(pool))).endswith(
        "in best play of the pool; no better answer was found: a player that learns did no better."
    )


def test_two_rivals_mix_where_each_bot_has_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "hands.py"
    file.write_text(HANDS)
    pool = close(load_game(str(file)), ["rock", "paper", "scissors"], "rock", games=40)
    assert [(one.bot, one.share) for one in pool.members if one.seat == "one"] == [
        (bot, pytest.approx(1 / 3)) for bot in ("rock", "paper", "scissors")
    ]
    assert (pool.closed, pool.rounds, pool.line_ups) == (True, 1, 9)
    assert all(value.value == pytest.approx(0.5) for value in pool.values.values())
    grown = close(load_game(str(file)), ["rock"], "paper", games=40, rounds=1)
    assert [one.bot for one in grown.members if one.share > 0.5] == ["paper", "paper"]


@pytest.mark.long
def test_an_answer_that_is_no_better_seldom_joins(dice: Any) -> None:
    """One seat in twenty rounds at most: 40 rounds of two seats, in which other dice have the same chances."""
    joined = sum(any(one.joins for one in close(dice, ["lefty"], "righty", seed, rounds=1).tries) for seed in range(40))
    assert joined <= 5


def test_a_pool_that_rounds_do_not_close_says_so(dice: Any) -> None:
    pool = close(dice, ["lefty"], "thirdly", edge=2, rounds=1)
    assert not pool.closed
    assert pool.gaps == ()
    assert list(sentences(pool))[-1].startswith("The pool is still open: round 1 found a better answer.")


@pytest.mark.long
def test_more_seats_take_their_best_bots_in_turn() -> None:
    game = load_game("harbour:players=3")
    listed = {seat: ["random", "builder"] for seat in game.seats}
    lab = Lab(game, listed, 1, 200, 2)
    pool = PoolSearch(lab, Effort(200, 2, 0, 20, 0), None, lambda text: None).answer()
    assert {one.bot for one in pool.members} == {"builder"}
    assert sum(value.value for value in pool.values.values()) == pytest.approx(1)


@pytest.mark.long
def test_the_command_looks_for_all_kinds_of_answers(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    from simlab.cli.main import main

    monkeypatch.chdir(tmp_path)
    words = "optimize pool pig --bot *=hold_at --rounds 1 -n 60 --screen 10 --iterations 4 --tune 1000 --minutes 0.001"
    with pytest.raises(SystemExit) as done:
        main([*words.split(), "--json"])
    assert done.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    hold_to_form(answer)
    assert (tmp_path / "pig_pool" / "first_1.npz").exists()
    assert len(answer["tries"]) == 2


def test_a_bot_that_is_named_with_a_trait_is_tuned(dice: Any) -> None:
    """`fixed:k=0` takes the left die; the third has +2. It was never tuned, and "no better answer was found" stood at a
    gap of 28 points.
    """
    lab = Lab(dice, {seat: ["fixed:k=0"] for seat in dice.seats}, 1, 500, 2, {"edge": 2})
    pool = PoolSearch(lab, Effort(500, 2, 0, 0, 2_000), None, lambda text: None).answer()
    assert {(one.bot, one.kind, one.share) for one in pool.members} == {("fixed:k=2", "tuned", 1.0)}
    assert all(kinds == ("tuned",) for kinds in pool.outside.values())


def test_what_was_tried_is_said_where_no_better_answer_is_found(dice: Any) -> None:
    pool = close(dice, ["lefty"], "lefty", rounds=1)
    assert "no better answer was found: a player that learns did no better" in next(iter(sentences(pool)))
    nothing = pool.model_copy(update={"outside": dict.fromkeys(pool.outside, ())})
    assert all("no answer outside the pool was tried" in one for one in list(sentences(nothing))[:2])
    gap = pool.gaps[0]
    clear = gap.model_copy(update={"gain": replace(gap.gain, value=0.1, low=0.05, high=0.15)})
    inside = pool.model_copy(update={"gaps": (clear, *pool.gaps[1:])})
    assert "no better answer" not in next(iter(sentences(inside)))  # beside a significant gain
    assert "lefty, a bot of the pool, gains +10 points (+5 to +15)" in next(iter(sentences(inside)))


def test_the_shares_of_a_mix_may_add_up_to_a_little_more_than_1() -> None:
    """Shares of two mixes multiply to 1.0000000000000002: the value of a game then "lies outside 0..1", and the search
    was lost.
    """
    payoff = Payoff(0, ())
    whole = np.full(200, np.sum(np.outer([0.1, 0.2, 0.7], [0.3, 0.3, 0.4]).ravel()[::-1]) + 2.3e-16)
    assert whole[0] > 1
    assert payoff.mean(whole).value == 1
    assert payoff.gain(np.zeros(200), whole).value == 1


def test_bots_that_all_look_ahead_are_refused(dice: Any) -> None:
    with pytest.raises(InputError, match=r"one: every bot looks ahead.*--bot one=BOT"):
        close(dice, ["lookahead:iterations=2"], "lefty")
