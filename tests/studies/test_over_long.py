"""A game that goes on for too long is left out on every side of a comparison, and stops nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Batch, Match
from simlab.errors import GameTruncated
from simlab.questions.after_run import study
from simlab.questions.check.baseline import write_baseline
from simlab.questions.diff.analysis import diff_experiments
from simlab.questions.luck.analysis import LuckAnswer, luck_of
from simlab.questions.verify.analysis import verify
from simlab.registry import load_game
from simlab.runs import runner
from simlab.runs.open_experiment import new_experiment
from simlab.runs.results import load
from simlab.runs.truncation import ended_in_all, play_ended
from tests.cli.forms import hold_to_form

BOTS = {"besieger": "rusher", "besieged": "mason"}
GAMES = 200


@pytest.fixture
def capped(monkeypatch: pytest.MonkeyPatch) -> int:
    """A cap on decisions that some games in a hundred hit; returned."""
    whole = Match.play
    rows = Match(load_game("simple_siege"), bots=BOTS).play(5, 0, GAMES).rows
    cap = int(np.quantile(rows["decisions"], 0.98))

    def play(self: Match, seed: int, first: int, count: int, **how: object) -> Batch:
        batch = whole(self, seed, first, count, **how)
        too_long = batch.rows["game"][batch.rows["decisions"] > cap]
        if too_long.size:
            raise GameTruncated("the game did not end\nReplay it: simlab replay", index=int(too_long[0]), seed=seed)
        return batch

    monkeypatch.setattr(Match, "play", play)
    return cap


def siege(**knobs: object):
    return new_experiment("simple_siege", knobs, bots=BOTS, games=GAMES, seed=5)


def all_rows(**knobs: object) -> np.ndarray:
    match = Match(load_game("simple_siege"), knobs=knobs, bots=BOTS)
    return np.concatenate([match.play(5, 0, GAMES).rows])


def test_the_games_that_end_are_those_that_end_without_a_cap(request: pytest.FixtureRequest) -> None:
    whole = all_rows()
    cap = request.getfixturevalue("capped")
    ended = play_ended(Match(load_game("simple_siege"), bots=BOTS), 5, GAMES)
    assert 0 < ended.size < GAMES
    assert np.array_equal(ended, whole[whole["decisions"] <= cap])


def test_too_many_are_refused_with_a_game_to_replay(capped: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simlab.runs.truncation.MOST_CUT_OFF", 0.001)
    with pytest.raises(GameTruncated, match=r"at least 1 of 200 games went on for too long(.|\n)*simlab replay"):
        play_ended(Match(load_game("simple_siege"), bots=BOTS), 5, GAMES)


def test_sides_keep_the_games_that_ended_on_each() -> None:
    sides = [np.array([(game,) for game in games], [("game", np.int64)]) for games in ([0, 1, 3], [1, 2, 3], [0, 1, 3])]
    assert [side["game"].tolist() for side in ended_in_all(*sides)] == [[1, 3]] * 3


def test_diff_compares_the_games_that_ended_on_both_sides(request: pytest.FixtureRequest) -> None:
    before, after = all_rows(), all_rows(walls_start=4)
    cap = request.getfixturevalue("capped")
    ended = (before["decisions"] <= cap) & (after["decisions"] <= cap)
    answer = diff_experiments(siege(), siege(walls_start=4), look=6)
    both = answer.together
    assert both.games == ended.sum() < GAMES
    assert both.truncated == ((before["decisions"] > cap).sum(), (after["decisions"] > cap).sum())
    assert both.flipped.count == (before["winner"] != after["winner"])[ended].sum()
    flipped = set(np.flatnonzero((before["winner"] != after["winner"]) & ended).tolist())
    assert {one.game for one in (*answer.notable_games, *answer.divergences)} <= flipped
    assert "Truncated games are left out on both sides" in str(answer)


def test_several_cells_are_pooled_over_the_games_that_ended_in_all(capped: int) -> None:
    varied = {"bots": {**BOTS, "besieged": ["mason", "random"]}, "games": GAMES, "seed": 5}
    base, tweak = (new_experiment("simple_siege", knobs, **varied) for knobs in ({}, {"walls_start": 4}))
    answer = diff_experiments(base, tweak, look=2)
    assert answer.together.games % 2 == 0
    assert answer.together.games <= 2 * min(cell.games for cell in answer.cells) < 2 * GAMES


def test_luck_is_of_the_games_that_end_under_every_kind_of_luck(capped: int) -> None:
    luck = luck_of(Match(load_game("simple_siege"), bots=BOTS), 5, GAMES)
    assert 0 < luck.truncated < GAMES
    hold_to_form(LuckAnswer(game="siege", bots={}, luck=luck).to_json())
    assert luck.games + luck.truncated == GAMES


def test_a_run_with_such_games_has_its_studies(capped: int, tmp_path: Path) -> None:
    results = runner.run(siege(), tmp_path / "run", workers=1, backend="threads")
    assert results.cut_off
    assert study(results, siege())
    studies = load(tmp_path / "run").studies
    assert studies["luck"]["luck"][0]["truncated"] > 0
    assert {one["kind"] for one in studies["notable_games"]["games"]} >= {"longest", "most typical", "largest swing"}


def test_a_study_without_enough_games_that_end_is_left_out(
    capped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = runner.run(siege(), tmp_path / "run", workers=1, backend="threads")
    monkeypatch.setattr("simlab.runs.truncation.MOST_CUT_OFF", 0.0)
    assert study(results, siege())
    assert load(tmp_path / "run").studies["luck"]["luck"] == []


def test_verify_names_stored_games_that_have_no_end_any_more(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    results = runner.run(siege(), tmp_path / "run", workers=1, backend="threads")
    cap = request.getfixturevalue("capped")
    endless = set(np.flatnonzero(results.games["decisions"].to_numpy() > cap).tolist())
    verified = verify(results, share=1)
    assert (verified.played, verified.differ, verified.exit_status) == (GAMES, len(endless), 5)
    assert {one.game for one in verified.examples} == endless
    assert "end was reached, is none within" in str(verified)


def test_a_baseline_says_which_game_has_no_end(capped: int, tmp_path: Path) -> None:
    with pytest.raises(GameTruncated, match=r"rusher v mason: in a baseline all games must end, and game \d+ was"):
        write_baseline(siege(), tmp_path / "baseline")
