"""Which choices matter: planted stakes (gates.py), and a plain-Python count of futures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.present.estimate import Difference
from simlab.questions.choices.analysis import (
    ChoicesAnswer,
    Futures,
    OptionValues,
    answer,
    best_of,
    edges_elsewhere,
    gains,
    gather,
    over_random,
    over_second,
    weigh,
)
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
    gain = gains(values, over_random)
    assert abs(gain.mean()) < 4 * gain.std() / np.sqrt(gain.size)
    values[:, 2] += 3
    gain = gains(values, over_random)
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
    made = weigh(gather(match, 3, 400, 2), 256, 2)
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
    made = weigh(gather(match, 3, 300, 1), 4, 1)
    assert (decisions == made.choices).all()  # each decision of Gates has two options
    assert set(made.usual) == {0, 1}


def test_a_bot_that_looks_ahead_is_refused() -> None:
    game = load_game("pig")
    bots = {game.seats[0]: "lookahead:iterations=10:playout=random", game.seats[1]: "random"}
    with pytest.raises(InputError, match="too slow to play thousands of futures"):
        gather(Match(game, bots=bots), 1, 20, 1)


def test_a_bot_that_does_worse_than_random_choices_is_named() -> None:
    made = answers()[0]
    worse = made.kinds[0].model_copy(update={"by_chance": Difference(0.4, 0.3, 0.5)})
    said = " ".join(getattr(block, "text", "") for block in blocks(made.model_copy(update={"kinds": (worse,)})))
    assert "Random choices do better than the bot: " in said and "as well as the bot" not in said


def futures(chances: tuple[float, ...], positions: int, seed: int) -> np.ndarray:
    """Futures won, (positions, options, parts): all options have the same luck, so that they often tie."""
    luck = np.random.default_rng(seed).random((positions, 1, 64))
    won = (luck < np.array(chances)[:, None]).astype(float)
    return won.reshape(positions, len(chances), 8, 8).mean(axis=3)


def of_values(values: np.ndarray) -> OptionValues:
    n, actions, _ = values.shape
    positions = np.zeros(n, [("legal", np.int64, (actions,))])
    positions["legal"] = np.arange(actions)
    return OptionValues(positions, np.arange(n) // 2, values, np.zeros(n), np.zeros(n), np.ones(n), np.ones((1, 1)))


def test_gains_do_not_depend_on_the_order_in_which_options_are_listed() -> None:
    """Four options that win 60, 56, 50 and 50 % of the futures: a quarter of the ties went to the one listed first."""
    values = futures((0.60, 0.56, 0.50, 0.50), 2_000, 1)
    found = []
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        listed = values[:, order]
        elsewhere = edges_elsewhere(of_values(listed), [np.ones(len(listed), bool)])
        bot = (np.arange(4) == order.index(2)).astype(float)
        found.append([
            gains(listed, over, elsewhere).mean()
            for over in (over_random, over_second(elsewhere), lambda best, by, judges, bot=bot: judges @ bot)
        ])  # fmt: skip
    assert np.allclose(found, found[0])
    assert found[0] == pytest.approx([0.06, 0.04, 0.10], abs=0.005)


def test_options_that_tie_everywhere_share_and_gain_nothing() -> None:
    values = np.repeat(futures((0.5,), 50, 2), 3, axis=1)
    assert (best_of(values.mean(axis=2), np.zeros((50, 3)), np.ones((50, 3), bool)) == 1 / 3).all()
    for over in (over_random, over_second(np.zeros((50, 3)))):
        assert gains(values, over) == pytest.approx(np.zeros(50))


def test_the_option_that_is_better_in_other_games_is_not_found_in_the_positions_own_game() -> None:
    """An option that wins in one game alone says nothing about that game, and something about all others."""
    values = np.full((4, 2, 2), 0.5)
    values[:2, 1] = 1.0  # the first game
    found = edges_elsewhere(of_values(values), [np.ones(4, bool)])
    assert found[:2] == pytest.approx(np.zeros((2, 2)))
    assert found[2:] == pytest.approx(np.tile([-0.25, 0.25], (2, 1)))


def test_choices_per_game_are_counted_and_not_estimated() -> None:
    """Each seat of Gates makes each kind of choice four times in a game, and no more."""
    found = gather(gates(), 3, 60, 2)
    assert found.per_game.tolist() == [[4.0] * 3] * 2


def test_sentences_about_random_choices_do_not_contradict_each_other() -> None:
    """No kind of decision matters cannot be said next to one in which a good or a random choice does better."""

    def said(**changes: object) -> str:
        made = answers()[0]
        none = Difference(0.0, -0.001, 0.001)
        fields = {"over_random": none, "over_second": none, "thrown_away": none, "by_chance": none, "if_always": None}
        kind = made.kinds[0].model_copy(update={**fields, **changes})
        return " ".join(getattr(block, "text", "") for block in blocks(made.model_copy(update={"kinds": (kind,)})))

    matters = "no kind of decision is shown to matter"
    better = Difference(0.045, 0.03, 0.06)
    assert matters in said()
    for name in ("over_random", "thrown_away", "by_chance", "if_always"):
        assert matters not in said(**{name: better}), name
    assert "Random choices do better than the bot" in said(by_chance=better)
    assert "Always taking the same option does better than the bot" in said(
        if_always=better, by_chance=Difference(-0.01, -0.03, 0.01)
    )


def test_too_few_positions_are_refused_before_they_are_played_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names a number of positions that is enough."""
    monkeypatch.setattr(Futures, "values", None)
    with pytest.raises(InputError, match=r"--positions 30: too few.* Use --positions (\d+) or more") as refused:
        answer(gates(), 1, 30, 8, 2)
    enough = int(re.findall(r"Use --positions (\d+)", str(refused.value))[0])
    assert len(gather(gates(), 1, enough, 2).frequent()) == 6
