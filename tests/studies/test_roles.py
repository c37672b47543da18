"""Win rates by role are statistics like any other: in contracts, comparisons, sweeps and the headline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simlab
from simlab.engine.match import Match
from simlab.engine.outcome import GameRows, figures_of
from simlab.engine.tally import Tally
from simlab.questions.comparison import Pair
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.win_rates.analysis import of_run as win_rates_of
from simlab.registry import load_game
from simlab.runs.view import view_of
from simlab.stats.verdict import judge

FILE = str(Path(__file__).with_name("hidden_roles.py"))
BOTS = dict.fromkeys(("ann", "bob", "cat"), "random")


@pytest.fixture(scope="module")
def match() -> Match:
    return Match(load_game(FILE), bots=BOTS)


def test_the_win_rate_of_a_role_is_a_statistic(match: Match) -> None:
    """The wrecker wins half of the games alone, and both healers the other half: each seat wins half of its games."""
    figures, batch = figures_of(match.game), match.play(1, 0, 4_000)
    names = [figure.name for figure in figures.categories]
    assert names == ["role_wrecker_win", "role_healer_win"]
    rows = GameRows(batch.rows, match.game)
    for name, code in zip(names, (0, 1), strict=True):
        figure = figures.find(name, "here")
        won = [(row["winners"] >> list(row["category"][0]).index(code)) & 1 for row in batch.rows]
        assert np.array_equal(figure.read(rows), won)
        for reading in (figure.interval(batch.tally), figure.sequence(batch.tally)):
            assert reading.value == pytest.approx(np.mean(won))
            assert reading.low < 0.5 < reading.high
    assert Tally.from_dict(batch.tally.to_dict(), match.game).to_dict() == batch.tally.to_dict()


def test_a_contract_and_a_comparison_know_roles(match: Match) -> None:
    strong = Match(match.game, knobs={"power": 9}, bots=BOTS)
    before, after = match.play(1, 0, 2_000), strong.play(1, 0, 2_000)
    contract = {"role_wrecker_win": {"max": 0.6}, "ann_win": {"min": 0.2}}
    words = [clause.verdict for clause in judge(contract, [("", after.tally)], figures_of(match.game))]
    assert words == ["broken", "met"]
    pair = Pair(match.game, before.rows, after.rows)
    changes = {one.statistic: one for one in pair.changes(list(pair.figures.values()), 0.95)}
    change = changes["role_wrecker_win"]
    assert change.verdict == "changed"
    assert change.rate
    assert change.difference.low < 0.4 < change.difference.high
    assert change.difference.value == -changes["role_healer_win"].difference.value


def test_a_sweep_of_a_roles_knob_speaks_of_the_role(tmp_path: Path) -> None:
    """The seats are even at every setting; the wrecker wins from 20 to 80 %."""
    run = simlab.run(FILE, BOTS, 600, vary={"power": [2, 5, 8]}, out=tmp_path / "run", workers=1, backend="threads")
    said = headline_of(view_of(run)).verdict
    assert said.headline.startswith("Wins by role as power goes from 2 to 8: wrecker rises from 2")
    assert "healer falls from" in said.headline
    assert "no seat is significantly favoured" in said.headline
    lines = win_rates_of(view_of(run)).lines
    assert [round(line.wins["role wrecker wins"].value, 1) for line in lines] == [0.2, 0.5, 0.8]
    one = simlab.run(FILE, BOTS, 600, knobs={"power": 8}, out=tmp_path / "one", workers=1, backend="threads")
    headline = headline_of(view_of(one)).verdict.headline
    assert headline.startswith("Wins depend on the role: wrecker wins ")
    assert "healer wins 2" in headline
    assert "in all seats" in headline
    assert set(one.cells[0].summary()["metrics"]) == {"decisions"}
    assert one.cells[0].summary()["seat_categories"]["role"]["wrecker"]["low"] > 0.7
