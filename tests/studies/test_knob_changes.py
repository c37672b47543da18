"""Changes by the values of a knob, game by game on the same seeds."""

import pytest

from simlab.present.terminal import renderables
from simlab.questions.knob_changes.analysis import knob_changes, of_run
from simlab.report import summary
from simlab.report.html import render
from simlab.runs.view import View
from tests import printed as tables
from tests.report import fake

BOTS = {"besieger": ["rusher", "gunner"], "besieged": ["mason"]}


def run(**more):
    more = {"knobs": {"walls": [4, 5, 6]}, "chance": lambda i, _, point: 0.9 - 0.1 * point[0], **more}
    return fake.results(bots=BOTS, games=1000, rows=True, **more)


def test_common_random_numbers_sharpen_the_change():
    found = knob_changes(View(run(shared=True)), "walls")
    assert found.reference == 4
    assert [change.value for change in found.together] == [5, 6]
    for change, points in zip(found.together, (-0.1, -0.2), strict=True):
        assert change.win_rate.low < points < change.win_rate.high
        assert change.variance_reduction > 2
        assert change.p_value < 1e-6 and change.verdict == "changed"
    assert len(found.single) == 4
    assert {change.match_up for change in found.single} == {"rusher v mason", "gunner v mason"}
    apart = knob_changes(View(run()), "walls").together[0]
    assert apart.variance_reduction == pytest.approx(1, abs=0.25)
    shared = found.together[0].win_rate
    assert apart.win_rate.high - apart.win_rate.low > 1.3 * (shared.high - shared.low)


@pytest.mark.parametrize("shared", [False, True])
def test_the_games_flipped_are_those_of_the_match_ups(shared):
    """Not the game indices with a flip in some match-up, which are many more."""
    found = knob_changes(View(run(knobs={"walls": [4, 5], "cost": [1, 2]}, shared=shared)), "walls")
    flips = [change.flipped.value for change in found.single]
    assert len(flips) == 4 and min(flips) > 0
    pooled = found.together[0].flipped
    assert pooled.value == pytest.approx(sum(flips) / 4)
    assert pooled.low < pooled.value < pooled.high
    narrow = found.single[0].flipped.high - found.single[0].flipped.low
    assert (pooled.high - pooled.low < 0.7 * narrow) != shared  # the same seeds four times say no more than once


def test_a_false_change_is_rare():
    wrong = 0
    for seed in range(40):
        found = knob_changes(View(run(chance=lambda *_: 0.5, seed=seed)), "walls")
        wrong += any(change.verdict == "changed" for change in found.single)
    assert wrong <= 6


def test_the_printed_value_is_the_reference():
    made = run(shared=True)
    made.manifest["names"]["printed"] = {"walls": 5}  # from the folder: the game need not be installed
    found = knob_changes(View(made), "walls")
    assert (found.reference, found.printed) == (5, True)
    assert "Against walls = 5, as printed, on the same seeds" in tables.to_text(*renderables(summary.headline(made)))
    page = render(made)
    assert "Against walls = 5, as printed, on the same seeds" in page
    assert ">printed</text>" in page


def test_other_knobs_stay_equal():
    view = View(run(knobs={"walls": [4, 5], "cost": [1, 2]}, shared=True))
    found = knob_changes(view, "cost")
    assert len(found.single) == 4
    assert found.single[0].match_up == "rusher v mason, walls = 4"
    assert {change.verdict for change in found.single} == {"identical"}  # cost does nothing, and the seeds are the same
    assert found.together[0].variance_reduction is None


def test_nothing_to_pair():
    assert knob_changes(View(fake.results(bots=BOTS, games=200, knobs={"walls": [4, 5]})), "walls") is None
    sampled = run(knobs={"walls": [4, 5], "cost": [1, 2]})
    sampled.cells = [sampled.cells[0], sampled.cells[3]]  # no two points differ in one knob alone
    assert of_run(sampled) is None


def test_flipped_games_are_averaged_over_the_match_ups():
    found = knob_changes(View(run()), "walls")
    for change in found.together:
        each = [one.flipped.value for one in found.single if one.value == change.value]
        assert change.flipped.value == pytest.approx(sum(each) / 2) and min(each) > 0
