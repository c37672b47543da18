"""The skill ladder finds what was planted: strength that grows, and a favourite that changes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab import api
from simlab.errors import InputError
from simlab.present.blocks import Table
from simlab.present.estimate import Estimate
from simlab.present.terminal import renderables
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.ladder.analysis import Rung, climb, elo
from simlab.questions.ladder.words import blocks, depth, favourites, headline, sentences
from simlab.questions.run_results.analysis import of
from simlab.registry import load_game
from simlab.runs.cells import cells
from simlab.runs.open_experiment import new_experiment
from simlab.runs.tournament import ladder as neighbours
from simlab.runs.tournament import rungs
from simlab.runs.view import View
from tests.cli.forms import hold_to_form
from tests.printed import to_text
from tests.report import fake


def test_only_neighbours_meet() -> None:
    assert neighbours([3] * 2) == [(0, 0), (1, 1), (2, 2), (1, 0), (0, 1), (2, 1), (1, 2)]
    assert len(neighbours([2] * 5)) == 2 + 5
    assert neighbours([2]) == [(0,), (1,)]


def test_elo_of_a_share_is_that_of_one_bot_against_its_equals() -> None:
    """Bradley-Terry and Luce: at P seats a bot of strength g wins g / (g + P - 1) against bots of strength 1."""
    for seats in (2, 3, 6):
        for strength in (0.5, 1.0, 4.0):
            share = strength / (strength + seats - 1)
            assert math.isclose(elo(share, seats), 400 * math.log10(strength), abs_tol=1e-9)
    assert elo(1.0, 2) == math.inf and elo(0.0, 2) == -math.inf


@pytest.mark.long
def test_connect_four_is_deep_and_each_step_is_stronger(tmp_path: Path) -> None:
    results = api.ladder("connect_four", "random", "ismcts", (0, 20, 200), 60, 5, out=tmp_path, workers=1)
    climbed = climb(View(results))
    assert [rung.name for rung in climbed.rungs] == ["random", "20 iterations", "200 iterations"]
    assert all(step.elo.low > 100 for step in climbed.steps) and len(climbed.steps) == 2
    assert "200 iterations" in sentences(climbed)[2] and "significantly stronger" in sentences(climbed)[2]
    answer = of(results).to_json()
    hold_to_form(answer)
    said = answer["ladder"]
    assert [step["stronger"] for step in said["steps"]] == ["20 iterations", "200 iterations"]
    assert said["steps"][0]["by_seat"]["first"]["estimate"] > 0.8
    step = said["steps"][0]
    assert step["decided_by_skill"]["estimate"] == pytest.approx(2 * step["share"]["estimate"] - 1)
    assert sum(isinstance(block, Table) for block in blocks(climbed)) == 2
    opened = to_text(*renderables(headline_of(View(results)).to_blocks()))
    assert opened.startswith("With the best bots of this ladder in all seats (200 iterations)")
    assert "significantly stronger" in opened


def rung(name: str, favourite: str) -> Rung:
    even = Estimate(0.5, 0.4, 0.6)
    return Rung(
        name=name, games=100, win_rate={"ram": even, "wall": even}, fair_share=0.5, favourite=favourite, score={}
    )


def test_the_favourite_that_changes_is_named_with_the_strength() -> None:
    changing = [rung("random", "wall"), rung("10 iterations", "wall"), rung("30 iterations", "ram")]
    assert favourites(changing) == (
        "The favourite changes with the bots, over the fair share of 50 %: wall in random, 10 iterations; ram in "
        "30 iterations."
    )
    same = "The favourite is the same at every strength: wall, over the fair share of 50 %."
    assert favourites(changing[:2]) == same
    assert favourites([rung("random", "")]) == "No side is significantly above the fair share of 50 % in any rung."


def test_a_favourite_in_one_rung_and_none_in_the_next_is_not_a_change() -> None:
    text = favourites([rung("random", "wall"), rung("10 iterations", "")])
    assert text == (
        "Significantly favoured, over the fair share of 50 %: wall in random; inconclusive in 10 iterations."
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


def test_six_equal_rungs_rarely_differ_significantly() -> None:
    """ "The favourite changes at ..." was claimed in nearly all such runs: some rungs are significant, some not."""
    runs, false = 25, 0
    for seed in range(runs):
        climbed = climb(played(seed, 6, lambda *_: 0.59))
        text = " ".join(sentences(climbed))
        false += "changes with" in text or "points" in text or "significantly stronger:" in text or "weaker" in text
    assert false <= runs * 0.05 + 2 * math.sqrt(runs * 0.05 * 0.95)


def test_a_balance_that_moves_with_strength_is_found() -> None:
    climbed = climb(played(1, 3, lambda a, b, _: 0.5 + 0.15 * min(a, b)))
    assert climbed.changes[0].before == "bot0 v bot0" or climbed.changes[0].before == "bot0"
    assert climbed.changes[0].points.value == pytest.approx(30, abs=10)
    assert "changes by +" in sentences(climbed)[1]


def test_the_headline_takes_the_best_rung_and_only_search_should_not_play_worse() -> None:
    """The upper rung loses to the lower one: its bots are not the best, and do not look ahead."""
    view = played(1, 2, lambda a, b, _: 0.5 + 0.3 * (b - a))
    assert climb(view).best == "bot0"
    ladder = climb(view)
    assert headline(ladder).startswith("With the best bots of this ladder in all seats (bot0), the win rates are: ")
    assert "Significantly weaker than the rung below: bot1." in sentences(ladder)
    step = ladder.steps[0].model_copy(update={"searches": True})
    assert depth([step], together=False).endswith("More search should not play worse.")


def test_partners_have_no_elo() -> None:
    """Seats that win only together: what a step gains is a matter of their side."""
    ladder = climb(played(1, 2, lambda a, b, _: 0.5 + 0.3 * (a - b)))
    assert "Elo" in " ".join(sentences(ladder)) + to_text(*renderables(blocks(ladder)))
    partners = ladder.model_copy(update={"together": "the town holds", "united": True})
    said = " ".join(sentences(partners)) + to_text(*renderables(blocks(partners)))
    assert "Elo" not in said and "town holds" in said and "stronger" not in said


def test_mistakes_are_named() -> None:
    game = load_game("simple_siege")
    with pytest.raises(InputError, match="a ladder ascends"):
        rungs(game, "random", budgets=[10, 10])
    with pytest.raises(InputError, match="does not look ahead"):
        rungs(game, "random", "rusher")
    bots = {"besieger": ["random", "rusher"], "besieged": ["random"]}
    with pytest.raises(InputError, match="as many bots as the others"):
        new_experiment("simple_siege", bots=bots, games=10, tournament={"ladder": True})
    bots = {"besieger": ["random", "rusher"], "besieged": ["random", "mason"]}
    with pytest.raises(InputError, match="names its match-ups itself"):
        new_experiment("simple_siege", bots=bots, games=10, tournament={"ladder": True, "match_ups": 2})


def test_its_file_gives_the_same_ladder(tmp_path: Path) -> None:
    bots = rungs(load_game("simple_siege"), "stormer+warden", budgets=[0, 10, 30])
    experiment = new_experiment("simple_siege", bots=bots, games=10, tournament={"ladder": True})
    (tmp_path / "ladder.toml").write_text(experiment.to_toml())
    from simlab.runs.open_experiment import load_experiment

    again = load_experiment(tmp_path / "ladder.toml")
    assert [cell.label for cell in cells(again)] == [cell.label for cell in cells(experiment)] and len(
        cells(again)
    ) == 7


def test_a_ladder_of_one_seat_that_wins_alike_has_no_best_rung() -> None:
    bots = {"player": ["plain", "deep"]}
    results = fake.results(seats=("player",), bots=bots, games=200, draw=0.5, scores=True)
    results.experiment |= {"tournament": {"ladder": True}, "bots": bots}
    made = climb(results)
    assert headline(made).startswith("These games do not show in which rung the player wins most often: plain ")
    assert "and scores " in headline(made)
    assert sentences(made) == ["No side's win rate differs significantly between rungs."]
