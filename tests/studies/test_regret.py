"""Why did the bot do that: planted regrets (gates.py), in text, as data and on the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from simlab.cli.main import app
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.questions.choices.regret import Regret, Why
from simlab.questions.replay.film import Film
from simlab.questions.replay.page import Reel
from simlab.registry import load_game
from tests.studies.test_choices import GATES, gates


def regrets(match: Match, seed: int, index: int, why: Why) -> list[tuple[str, int, int, Regret]]:
    """(kind of decision, turn, action taken, regret) of each decision of a game."""
    stepper, found = Stepper(match, seed, index), []
    while not stepper.over:
        kind, turn, action = stepper.decision.name, int(stepper.state.turn), stepper.policy_action()
        regret = why(stepper, action)
        assert regret is not None  # each decision of Gates has two options
        found.append((kind, turn, action, regret))
        stepper.apply(action)
    return found


def test_what_is_given_up_is_found_and_nothing_else() -> None:
    """`careless` answers `odd` in even turns, which costs two points; its other choices cost nothing."""
    match = gates()
    why = Why(match, 1, 400)
    blunders = told = 0
    for index in range(12):
        for kind, turn, _, regret in regrets(match, 1, index, why):
            if kind == "read" and turn % 2 == 0:
                blunders += 1
                told += regret.gives_up.low > 0
                assert regret.gives_up.high > 0
            else:
                assert regret.gives_up.low == 0
                assert kind != "idle" or regret.gives_up.high < 0.01
    assert told > 0.5 * blunders


def test_the_interval_covers_what_the_last_choice_gives_up() -> None:
    """In the last turn the worth of both options follows from the die alone."""
    match = gates()
    why, missed, seen = Why(match, 2, 60), 0, 0
    for index in range(100):
        stepper = Stepper(match, 2, index)
        while int(stepper.state.turn) < 8 or stepper.decision.name != "read":
            stepper.apply(stepper.policy_action())
        seat = int(stepper.state.seat)
        mine, theirs = (int(stepper.state.points[s]) for s in (seat, 1 - seat))
        even, odd = (
            np.mean([(mine + more + pip > theirs) + 0.5 * (mine + more + pip == theirs) for pip in range(10)])
            for more in (2, 0)
        )
        found = why(stepper, 1)
        assert found is not None
        seen += 1
        missed += not found.gives_up.low <= even - odd <= found.gives_up.high
    assert seen == 100 and missed <= 11  # 5 %: 12 or more once in 200 times


def test_a_bot_that_looks_ahead_is_played_on_by_its_playout_bot() -> None:
    game = load_game("pig")
    first, second = game.seats
    match = Match(game, bots={first: "lookahead:iterations=20:playout=hold_at", second: "hold_at"})
    stepper = Stepper(match, 1, 0)
    while len(stepper.legal()) < 2:
        stepper.apply(stepper.policy_action())
    regret = Why(match, 1, 50)(stepper, stepper.policy_action())
    assert regret is not None and len(regret.options) == len(stepper.legal())


def test_replay_prints_writes_and_draws_it(tmp_path: Path) -> None:
    words = ["replay", GATES, "--why", "200", "--bot", "*=careless", "-q"]
    text = CliRunner().invoke(app, words)
    assert text.exit_code == 0, text.output
    assert "even is better" in text.output and "(taken)" in text.output
    assert "gold is better" not in text.output and "stone is better" not in text.output
    data = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    moves = [frame["move"] for frame in data["frames"] if frame["move"]]
    for move in moves:
        assert [one["action"] for one in move["worth"]["options"] if one["gain"] is None] == [move["action"]]
    page = tmp_path / "game.html"
    assert CliRunner().invoke(app, [*words, "--html", str(page)]).exit_code == 0
    assert '"worth":' in page.read_text()


def test_the_page_shows_a_seat_its_own_options_alone() -> None:
    match = gates()
    reel = Reel(Film(match, 1, 0), seat=0, worth=Why(match, 1, 4))
    frames = reel.piece()["frames"]
    assert {frame["asks"][0] for frame in frames if frame.get("worth")} == {0}


def test_two_games_side_by_side_have_no_reasons() -> None:
    with pytest.raises(InputError, match="--why"):
        CliRunner().invoke(app, ["replay", "pig", "--why", "4", "--beside", "goal=50"], catch_exceptions=False)
