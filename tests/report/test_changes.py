"""What a knob changes, game by game on the same seeds."""

import numpy as np
import pytest

from simlab.report import balance, tables
from simlab.report.changes import changes, terminal
from simlab.report.html import render
from simlab.results.view import View
from tests.report import fake

BOTS = {"besieger": ["rusher", "gunner"], "besieged": ["mason"]}


def run(**more):
    more = {"knobs": {"walls": [4, 5, 6]}, "chance": lambda i, _, point: 0.9 - 0.1 * point[0], **more}
    return fake.results(bots=BOTS, games=1000, rows=True, **more)


def test_a_shared_luck_shows_the_change_sharply():
    view = View(run(shared=True))
    found = changes(view, "walls")
    assert found.reference == 4
    assert [change.value for change in found.together] == [5, 6]
    for change, points in zip(found.together, (-0.1, -0.2), strict=True):
        assert change.wins.low < points < change.wins.high
        assert change.wins.factor > 2
        assert change.p_value < 1e-6
    assert len(found.single) == 4
    assert {change.where for change in found.single} == {"rusher v mason", "gunner v mason"}
    apart = changes(View(run()), "walls").together[0].wins
    assert apart.factor == pytest.approx(1, abs=0.25)
    assert apart.high - apart.low > 1.3 * (found.together[0].wins.high - found.together[0].wins.low)


def test_no_change_is_seldom_called_one():
    wrong = 0
    for seed in range(40):
        found = changes(View(run(chance=lambda *_: 0.5, seed=seed)), "walls")
        wrong += any(change.p_value <= 0.05 for change in found.single)
    assert wrong <= 6


def test_the_printed_value_is_the_reference_where_it_is_known():
    made = run(shared=True)
    made.manifest["names"]["printed"] = {"walls": 5}  # the folder says it: the game need not be installed
    found = changes(View(made), "walls")
    assert (found.reference, found.printed) == (5, True)
    text = tables.to_text(balance.headline(made))
    assert "Against walls = 5, as printed, on the same seeds" in text
    page = render(made)
    assert "Against walls = 5, as printed, on the same luck" in page
    assert ">printed</text>" in page


def test_other_knobs_stay_equal():
    view = View(run(knobs={"walls": [4, 5], "cost": [1, 2]}, shared=True))
    found = changes(view, "cost")
    assert len(found.single) == 4
    assert found.single[0].where == "rusher v mason, walls = 4"
    assert all(change.wins.changed == 0 for change in found.single)  # cost does nothing, and the luck is the same
    assert np.isinf(found.together[0].wins.factor)


def test_nothing_to_pair():
    assert changes(View(fake.results(bots=BOTS, games=200, knobs={"walls": [4, 5]})), "walls") is None
    sampled = run(knobs={"walls": [4, 5], "cost": [1, 2]})
    sampled.cells = [sampled.cells[0], sampled.cells[3]]  # no two points differ in one knob alone
    assert changes(View(sampled), "walls") is None
    assert terminal(sampled) == []
