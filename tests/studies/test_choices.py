"""Which choices matter: planted stakes (gates.py), and a plain-Python count of futures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.present.estimate import Difference
from simlab.questions.choices.analysis import ChoicesAnswer, answer, gains, weigh
from simlab.questions.choices.words import blocks
from simlab.registry import load_game

GATES = str(Path(__file__).with_name("gates.py"))


def gates() -> Match:
    game = load_game(GATES)
    return Match(game, bots=dict.fromkeys(game.seats, "careless"))


@cache
def answers() -> list[ChoicesAnswer]:
    return [answer(gates(), seed, 300, 32, 2) for seed in range(20)]


@pytest.mark.long
def test_a_choice_between_equals_is_found_to_be_none() -> None:
    for one in answers():
        for kind in one.kinds:
            if kind.decision == "idle":
                assert kind.same.value == 1.0 and kind.over_random.value == 0.0 and kind.by_chance.value == 0.0
    said = " ".join(getattr(block, "text", "") for block in blocks(answer(gates(), 1, 4_000, 32, 2)))
    told = said.split("Random choices do as well as the bot:")[1].split(".")[0]
    assert "idle (ann), idle (bob)" in told and "plain" not in told


@pytest.mark.long
def test_what_is_always_best_is_named_and_nothing_is_gained_over_it() -> None:
    for one in answers():
        for kind in one.kinds:
            if kind.decision == "plain":
                assert kind.always == "gold" and kind.over_random.low > 0
                assert kind.thrown_away.value <= 0.001  # the bot takes it
                assert kind.if_always is not None and kind.if_always.value == 0.0 > kind.by_chance.high


@pytest.mark.long
def test_what_a_careless_bot_throws_away_is_found() -> None:
    """It answers `odd` in every turn; ann acts in odd turns, bob in even ones. So ann loses nothing, and bob a lot."""
    thrown: dict[str, list[float]] = {"ann": [], "bob": []}
    for one in answers():
        for kind in one.kinds:
            if kind.decision == "read":
                thrown[kind.seat].append(kind.thrown_away.low)
                if kind.seat == "bob":
                    assert kind.thrown_away.value > 0.03
    low = {seat: float(np.mean(of)) for seat, of in thrown.items()}
    assert max(low.values()) > 0 >= min(low.values())


def test_luck_makes_no_option_look_good() -> None:
    """Options of pure noise: the best by one half of the futures is worth no more than others by the other half."""
    draw = np.random.default_rng(4)
    values = draw.normal(size=(20_000, 6, 2))
    gain = gains(values, lambda _, judges: np.nanmean(judges, axis=1))
    assert abs(gain.mean()) < 4 * gain.std() / np.sqrt(gain.size)
    values[:, 2] += 3
    gain = gains(values, lambda _, judges: np.nanmean(judges, axis=1))
    assert gain.mean() == pytest.approx(3 * 5 / 6, abs=0.2)


def test_what_is_cheap_once_and_ruins_the_game_is_not_called_harmless() -> None:
    """Pig: to roll once more costs little, as the bot holds next time; never to hold loses nearly every game."""
    game = load_game("pig")
    found = answer(Match(game, bots={game.seats[0]: "racer", game.seats[1]: "racer"}), 1, 400, 32, 2)
    for kind in found.kinds:
        assert kind.over_random.value < 0.03
        assert kind.by_chance.high < -0.2
        assert kind.always != "roll" or (kind.if_always is not None and kind.if_always.high < -0.2)
    said = " ".join(getattr(block, "text", "") for block in blocks(found))
    assert "as well as the bot" not in said


def test_values_are_those_of_futures_played_one_by_one() -> None:
    """The last choice of a game of Gates: what each option is worth follows from the die alone."""
    match = gates()
    made = weigh(match, 3, 400, 256, 2, lambda text: None)
    read = [decision.name for decision in match.game.decisions].index("read")
    last = (made.positions["turn"] == 8) & (made.positions["decision"] == read)
    assert last.sum() > 5
    for i in np.flatnonzero(last):
        seat = int(made.positions["seat"][i])
        mine, theirs = (int(made.positions["points"][i][s]) for s in (seat, 1 - seat))
        for place, option in enumerate(("even", "odd")):
            total = mine + (2 if (option == "even") == (8 % 2 == 0) else 0)
            exact = np.mean([(total + pip > theirs) + 0.5 * (total + pip == theirs) for pip in range(10)])
            assert made.values[i, place].mean() == pytest.approx(exact, abs=4 * 0.5 / 16)


def test_choices_of_a_game_are_counted() -> None:
    match = gates()
    decisions = match.play(3, 0, 10).rows["decisions"]
    made = weigh(match, 3, 300, 4, 1, lambda text: None)
    assert (decisions == made.choices).all()  # each decision of Gates has two options
    assert set(made.usual) == {0, 1}


def test_a_bot_that_looks_ahead_is_refused() -> None:
    game = load_game("pig")
    bots = {game.seats[0]: "lookahead:iterations=10:playout=random", game.seats[1]: "random"}
    with pytest.raises(InputError, match="too slow to play thousands of futures"):
        weigh(Match(game, bots=bots), 1, 20, 4, 1, lambda text: None)


def test_a_bot_that_does_worse_than_random_choices_is_named() -> None:
    made = answers()[0]
    worse = made.kinds[0].model_copy(update={"by_chance": Difference(0.4, 0.3, 0.5)})
    said = " ".join(getattr(block, "text", "") for block in blocks(made.model_copy(update={"kinds": (worse,)})))
    assert "Random choices do better than the bot: " in said and "as well as the bot" not in said
