"""A metric reads the game and changes nothing: writes and wrong indices are faults, named with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

import simlab
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import MetricFault
from simlab.registry import load_game
from simlab.testing import check_metric

MEASURES = Path(__file__).with_name("meddling_measures.py")


def match_of(*names: str) -> Match:
    game = load_game("pig" + "".join(f":metric={MEASURES}:{name}" for name in names))
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


def line_of(text: str) -> int:
    return MEASURES.read_text().split(text)[0].count("\n") + 1


def test_a_metric_that_writes_to_the_state_stops_the_games_at_its_line() -> None:
    with pytest.raises(MetricFault) as fault:
        match_of("generous").play(1, 0, 300)
    where = f"metric 'generous' ({MEASURES}, line {line_of('state.points[0] += 1')}): writes to the state"
    assert str(fault.value).startswith(where)
    assert "game 0 of seed 1" in str(fault.value)


@pytest.mark.parametrize(("name", "text"), [("generous", "state.points[0] += 1"), ("crowning", "row.winner = 0")])
def test_check_metric_finds_what_writes_to_state_and_row(name: str, text: str) -> None:
    game = load_game(f"pig:metric={MEASURES}:{name}")
    with pytest.raises(MetricFault, match=rf"line {line_of(text)}\): writes to the state, the knobs, the cards or the"):
        check_metric(game, games=3)


def test_a_metric_that_writes_to_the_row_changes_no_game() -> None:
    plain = Match(load_game("pig"), bots=dict.fromkeys(("first", "second"), "random")).play(1, 0, 200).rows
    measured = match_of("crowning").play(1, 0, 200).rows
    for name in plain.dtype.names or ():
        assert (plain[name] == measured[name]).all(), name


@pytest.mark.parametrize("name", ["astray", "led_astray"])
def test_an_index_out_of_range_is_an_error_and_no_crash(name: str) -> None:
    with pytest.raises(MetricFault, match=rf"metric '{name}' .*raised IndexError.* at the end of game 0 of seed 1"):
        match_of(name).play(1, 0, 5)
    with pytest.raises(MetricFault, match=rf"metric '{name}' .*line \d+\): raised IndexError"):
        check_metric(load_game(f"pig:metric={MEASURES}:{name}"), games=2)


def test_a_run_with_such_a_metric_ends_with_its_name(tmp_path: Path) -> None:
    for name in ("generous", "astray"):
        with pytest.raises(simlab.SimlabError, match=f"metric '{name}'"):
            simlab.run(f"pig:metric={MEASURES}:{name}", games=50, out=tmp_path / name, backend="threads")


def test_the_bots_of_a_stepped_game_may_still_be_moved_by_hand() -> None:
    stepper = Stepper(match_of("generous"), 1, 0)
    stepper.state.points[0] = 3
    assert stepper.state.points[0] == 3
