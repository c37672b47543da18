"""Analyses after a run, on Simple Siege and on a game that is nothing but chance."""

from __future__ import annotations

import html
import json
import re
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.setup import IN_PLAY
from simlab.questions import Question, questions
from simlab.questions.after_run import study
from simlab.questions.luck.analysis import BOTS, CHANCE, kinds_of_luck, luck_of
from simlab.questions.notable_games import analysis as notable_games
from simlab.registry import load_game
from simlab.report.html import render
from simlab.runs import runner
from simlab.runs.open_experiment import new_experiment
from simlab.runs.results import load

BOTS_OF = {"besieger": "rusher", "besieged": "mason"}


@pytest.fixture(scope="module")
def match() -> Match:
    return Match(load_game("simple_siege"), bots=BOTS_OF)


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory):
    experiment = new_experiment("simple_siege", bots={seat: [bot] for seat, bot in BOTS_OF.items()}, games=2000, seed=3)
    folder = tmp_path_factory.mktemp("studies") / "run"
    results = runner.run(experiment, folder)
    assert study(results, experiment)
    return load(folder), experiment


def test_each_stream_is_of_one_kind(match: Match) -> None:
    kinds = kinds_of_luck(match.game)
    assert sorted(name for streams in kinds.values() for name in streams) == sorted(
        [*match.game.streams, IN_PLAY, "bot_besieger", "bot_besieged"]
    )


def test_bots_that_draw_nothing_have_no_luck(match: Match) -> None:
    shares = luck_of(match, 1, 400).of()
    none = shares[BOTS].total
    assert (none.value, none.low) == (0, 0)
    assert none.high < 0.1, "what none of 400 games leaves possible of a win in twenty"
    assert shares[CHANCE].total.low > 0.2, "cards are drawn, and dice rolled, in play"


def test_notable_games_match_their_rows(studied, match: Match) -> None:
    results, _ = studied
    notable = {one.kind: one for one in Question("notable_games").of_run(results).games}
    assert set(notable) == {"longest", "most typical", "biggest upset", "largest swing"}, "no scores: none is closest"
    rows = results.games
    assert rows["turns"][notable["longest"].game] == rows["turns"].max()
    common = rows["ending"].value_counts(sort=True)["ending"][0]
    assert rows["ending"][notable["most typical"].game] == common
    for one in notable.values():
        assert one.replay == match.replay_command(3, one.game)


def test_all_that_a_study_writes_is_read_again(studied, tmp_path: Path) -> None:
    line_ups = new_experiment(
        "simple_siege", bots={"besieger": ["rusher", "random"], "besieged": ["mason"]}, games=300, seed=3
    )
    several = runner.run(line_ups, tmp_path / "several")
    assert study(several, line_ups)
    for results in (studied[0], load(several.folder)):
        written = json.loads((results.folder / "studies.json").read_text())["players"]["2"]
        asked = [question for question in questions() if hasattr(question.module("analysis"), "after_run")]
        assert {"course", "luck", "notable_games", "playing_time"} <= {question.name for question in asked}
        for question in asked:
            answer = question.of_run(results)
            assert (answer.to_json() if answer else None) == written.get(question.name)
    assert load(several.folder).studies["luck"]["skill"][0]["field"] == 2


def test_the_page_shows_each_study_and_the_command_that_makes_it(studied, match: Match) -> None:
    results, _ = studied
    page = render(results)
    for name, command in {"course": "course", "luck": "luck", "playing-time": "time"}.items():
        section = page.split(f'<section id="{name}">')[1].split("</section>")[0]
        assert html.escape(f"simlab analyze {command} simple_siege --bot") in section, name
    charts = re.findall(r"<figure.*?</figure>", page, re.S)
    assert all("data-games" in chart or "Made by <code>" in chart for chart in charts)
    luck = results.studies["luck"]["luck"][0]
    assert luck["again"] == f"{match.command('analyze luck')} --seed 3 --games {luck['games']}"
    assert results.studies["playing_time"]["games"] == 200


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts are timed by POSIX signals")
def test_an_interrupt_does_not_wait_for_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("simple_siege", bots={seat: [bot] for seat, bot in BOTS_OF.items()}, games=10, seed=3)
    results, waiting = runner.run(experiment, tmp_path / "run"), threading.Event()
    monkeypatch.setattr(notable_games, "after_run", lambda run: waiting.wait(60))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 3)
        with pytest.raises(KeyboardInterrupt):
            study(results, experiment)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        waiting.set()
    assert time.monotonic() - began < 20
    assert not study(load(results.folder), experiment), "an attempt that did not finish is not repeated"


def test_a_fault_of_a_question_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("simple_siege", bots={seat: [bot] for seat, bot in BOTS_OF.items()}, games=10, seed=3)
    results = runner.run(experiment, tmp_path / "run")
    monkeypatch.setattr(notable_games, "after_run", lambda run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        study(results, experiment)


def test_a_study_is_made_once_and_only_of_whole_runs(studied, tmp_path: Path) -> None:
    results, experiment = studied
    before = (results.folder / "studies.json").read_bytes()
    assert study(results, experiment)
    assert (results.folder / "studies.json").read_bytes() == before
    # An attempt that never came to its end is not repeated.
    (results.folder / "studies.json").write_bytes(before.replace(b'"done": true', b'"done": false'))
    assert not study(results, experiment)
    (results.folder / "studies.json").write_bytes(before)
    fresh = load(results.folder)
    fresh.status = "interrupted"
    (results.folder / "studies.json").unlink()
    assert not study(fresh, experiment)


def test_the_most_typical_game_is_the_nearest_to_the_medians() -> None:
    import polars as pl

    draw = np.random.default_rng(4)
    table = np.column_stack([draw.integers(0, 9, 300), draw.normal(0, 50, 300).astype(int), np.full(300, 7)])
    frame = pl.DataFrame({"a": table[:, 0], "b": table[:, 1], "same": table[:, 2]}).with_columns(
        pl.Series("game", np.arange(300)),
        pl.Series("winner", np.where(draw.random(300) < 0.7, "x", "y")),
        pl.lit("end").alias("ending"),
    )
    away = np.abs(table - np.median(table, axis=0))[:, :2] / table.std(axis=0)[:2]
    distance = np.where(frame["winner"].to_numpy() == "x", away.mean(axis=1), np.inf)
    game, far = notable_games._most_typical(frame, ["a", "b", "same"])
    assert game == int(distance.argmin())
    assert far == pytest.approx(distance.min())
    assert notable_games._most_typical(frame, ["same"])[1] == 0
