"""The skill ladder finds what was planted: strength that grows, and a favourite that changes."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab import api
from simlab.errors import UserMistake
from simlab.experiments.cells import cells
from simlab.experiments.load import new_experiment
from simlab.experiments.tournament import ladder, rungs
from simlab.present.estimate import Estimate
from simlab.registry import load_game
from simlab.report.balance import opening, verdict
from simlab.report.ladder import Rung, _depth, _favourites, climb, elo, summary, terminal, top_rung
from simlab.report.tables import to_text
from simlab.results.view import View
from tests.cli.forms import hold_to_form
from tests.report import fake


def test_only_neighbours_meet() -> None:
    assert ladder([["a", "b", "c"]] * 2) == [(0, 0), (1, 1), (2, 2), (1, 0), (0, 1), (2, 1), (1, 2)]
    assert len(ladder([["a", "b"]] * 5)) == 2 + 5
    assert ladder([["a", "b"]]) == [(0,), (1,)]


def test_elo_of_a_share_is_that_of_one_bot_against_its_equals() -> None:
    """Bradley-Terry and Luce: at P seats a bot of strength g wins g / (g + P - 1) against bots of strength 1."""
    for seats in (2, 3, 6):
        for strength in (0.5, 1.0, 4.0):
            share = strength / (strength + seats - 1)
            assert math.isclose(elo(share, seats), 400 * math.log10(strength), abs_tol=1e-9)
    assert elo(1.0, 2) == math.inf and elo(0.0, 2) == -math.inf


def test_connect_four_is_deep_and_each_step_is_stronger(tmp_path: Path) -> None:
    results = api.ladder("connect_four", "random", "ismcts", (0, 20, 200), 60, 5, out=tmp_path, workers=1)
    climbed = climb(View(results))
    assert [rung.name for rung in climbed.rungs] == ["random", "20 iterations", "200 iterations"]
    assert all(step.elo.low > 100 for step in climbed.steps) and len(climbed.steps) == 2
    assert "200 iterations" in climbed.sentences[2] and "significantly stronger" in climbed.sentences[2]
    hold_to_form({"verdict": verdict(View(results)).to_dict(), **results.summary(), **summary(View(results))}, "ladder")
    said = summary(View(results))["ladder"]
    assert [step["stronger"] for step in said["steps"]] == ["20 iterations", "200 iterations"]
    assert said["steps"][0]["by_seat"]["first"]["estimate"] > 0.8
    step = said["steps"][0]
    assert step["decided_by_skill"]["estimate"] == pytest.approx(2 * step["share"]["estimate"] - 1)
    assert len(terminal(View(results))) == 2  # tables; the sentences stand above them
    opened = to_text(*opening(View(results)))
    assert opened.startswith("With the best bots of this ladder in all seats (200 iterations)")
    assert "significantly stronger" in opened


def rung(name: str, favourite: str) -> Rung:
    even = Estimate(0.5, 0.4, 0.6)
    return Rung(name, 100, (even, even), (0.5, 0.5), favourite, ())


def test_the_favourite_that_changes_is_named_with_the_strength() -> None:
    changing = [rung("random", "wall"), rung("10 iterations", "wall"), rung("30 iterations", "ram")]
    assert _favourites(changing) == (
        "The favourite changes with the bots, over the fair share of 50 %: wall in random, 10 iterations; ram in "
        "30 iterations."
    )
    same = "The favourite is the same at every strength: wall, over the fair share of 50 %."
    assert _favourites(changing[:2]) == same
    assert _favourites([rung("random", "")]) == "No side is significantly above the fair share of 50 % in any rung."


def test_a_favourite_in_one_rung_and_none_in_the_next_is_no_change() -> None:
    text = _favourites([rung("random", "wall"), rung("10 iterations", "")])
    assert text == (
        "Significantly favoured, over the fair share of 50 %: wall in random; in 10 iterations these games show no "
        "favourite."
    )


def played(seed: int, rungs: int, chance: Any, seats: tuple[str, ...] = ("besieger", "besieged")) -> View:
    """A ladder of made-up bots, each rung `chance` for the first seat."""
    bots = {seat: [f"bot{i}" for i in range(rungs)] for seat in seats}
    results = fake.results(seats=seats, bots=bots, games=200, rows=True, chance=chance, seed=seed)
    results.cells = [
        cell for cell in results.cells if np.ptp([int(bot[3:]) for bot in cell.bots.values()]) < 2
    ]  # neighbours meet
    assert results.rows is not None
    results.rows = results.rows.filter(results.rows["cell"].is_in([cell.key for cell in results.cells]))
    results.experiment |= {"tournament": {"ladder": True}, "bots": bots}
    return View(results)


def test_six_equal_rungs_are_rarely_said_to_differ() -> None:
    """ "The favourite changes at ..." was claimed in nearly all such runs: some rungs are significant, some not."""
    runs, false = 25, 0
    for seed in range(runs):
        climbed = climb(played(seed, 6, lambda *_: 0.59))
        text = " ".join(climbed.sentences)
        false += "changes with" in text or "points" in text or "significantly stronger:" in text or "weaker" in text
    assert false <= runs * 0.05 + 2 * math.sqrt(runs * 0.05 * 0.95)


def test_a_balance_that_moves_with_strength_is_found() -> None:
    climbed = climb(played(1, 3, lambda a, b, _: 0.5 + 0.15 * min(a, b)))
    assert climbed.changes[0].before == "bot0 v bot0" or climbed.changes[0].before == "bot0"
    assert climbed.changes[0].points.value == pytest.approx(30, abs=10)
    assert "rises by" in climbed.sentences[1]


def test_the_headline_takes_the_best_rung_and_asks_more_thought_only_of_those_who_think() -> None:
    """The upper rung loses to the lower one: its bots are not the best, and do not look ahead."""
    view = played(1, 2, lambda a, b, _: 0.5 + 0.3 * (b - a))
    assert climb(view).best.name == "bot0"
    headline, sentences = top_rung(view)
    assert headline.startswith("With the best bots of this ladder in all seats (bot0) they win: ")
    assert "Significantly weaker than the rung below: bot1." in sentences
    assert "More thought" not in " ".join(sentences)
    step = replace(climb(view).steps[0], searches=True)
    assert _depth([step], together=False).endswith("More thought must not play worse.")


def test_mistakes_are_named() -> None:
    game = load_game("simple_siege")
    with pytest.raises(UserMistake, match="a ladder ascends"):
        rungs(game, "random", budgets=[10, 10])
    with pytest.raises(UserMistake, match="does not look ahead"):
        rungs(game, "random", "rusher")
    bots = {"besieger": ["random", "rusher"], "besieged": ["random"]}
    with pytest.raises(UserMistake, match="as many bots as the others"):
        new_experiment("simple_siege", (), (), bots, 10, tournament={"ladder": True})
    bots = {"besieger": ["random", "rusher"], "besieged": ["random", "mason"]}
    with pytest.raises(UserMistake, match="names its match-ups itself"):
        new_experiment("simple_siege", (), (), bots, 10, tournament={"ladder": True, "match_ups": 2})


def test_its_file_gives_the_same_ladder(tmp_path: Path) -> None:
    bots = rungs(load_game("simple_siege"), "stormer+warden", budgets=[0, 10, 30])
    experiment = new_experiment("simple_siege", (), (), bots, 10, tournament={"ladder": True})
    (tmp_path / "ladder.toml").write_text(experiment.to_toml())
    from simlab.experiments.load import load_experiment

    again = load_experiment(tmp_path / "ladder.toml")
    assert [cell.label for cell in cells(again)] == [cell.label for cell in cells(experiment)] and len(
        cells(again)
    ) == 7


def test_a_ladder_of_one_seat_that_wins_alike_has_no_best_rung() -> None:
    bots = {"player": ["plain", "deep"]}
    results = fake.results(seats=("player",), bots=bots, games=200, draw=0.5, scores=True)
    results.experiment |= {"tournament": {"ladder": True}, "bots": bots}
    headline, sentences = top_rung(View(results))
    assert headline.startswith("In which rung the player wins most often these games do not show: plain ")
    assert "and scores " in headline
    assert sentences == ["No side wins significantly more or less often in one rung than in another."]
