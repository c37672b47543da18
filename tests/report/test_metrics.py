"""Metrics by their kind: the report averages no codes."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from simlab.game import Metric
from simlab.questions.endings.analysis import _parts
from simlab.questions.metrics.analysis import of_run
from simlab.questions.metrics.words import table
from simlab.report import figures
from simlab.runs.rows import Rows
from simlab.runs.view import View
from tests.report import fake

CODES = {"codes": {str(n): f"phase_{n}" for n in range(11)}}


def run(rows, never=1, **stated):
    """Two cells whose metric walls_end, 0 to 10, is of a kind; `cards` has 1 for never, or another value."""
    results = fake.results(games=600, knobs={"walls": [3, 4]}, rows=rows)
    results.manifest = deepcopy(results.manifest)
    metrics = results.manifest["names"]["metrics"]
    metrics[0] |= stated
    metrics[2] |= {"never": never, "low": never + 1}
    return View(results)


@pytest.mark.parametrize("rows", [False, True])
def test_a_category_is_shown_as_shares_with_intervals(rows):
    view = run(rows, **CODES)
    values, counts = view.all.metric("walls_end")
    shown = view.all.figures_of(view.measures["walls_end"])
    assert [figure.name for figure in shown] == [f"walls end: phase {value}" for value in values]
    for figure, count in zip(shown, counts, strict=True):
        assert figure.estimate.rate
        assert figure.estimate.value == pytest.approx(count / counts.sum())
        assert 0 <= figure.estimate.low < figure.estimate.value < figure.estimate.high <= 1
        assert figure.histogram is None
    labels = [tick.get_text() for tick in figures.metric(view, "walls_end").get_yticklabels()]
    assert labels == [f"phase {value}" for value in values]


@pytest.mark.parametrize("rows", [False, True])
def test_a_number_if_it_happened_is_a_share_and_the_mean_of_those(rows):
    view = run(rows)
    values, counts = view.all.metric("cards")
    share, mean = view.all.figures_of(view.measures["cards"])
    assert share.estimate.value == pytest.approx(1 - counts[values == 1].sum() / counts.sum())
    some = values > 1
    assert mean.estimate.value == pytest.approx(np.average(values[some], weights=counts[some]))
    assert mean.estimate.low < mean.estimate.value < mean.estimate.high
    assert (mean.name, share.name) == ("cards, where it happened", "cards: share of games")


@pytest.mark.parametrize("never", [-1, 1])
def test_a_number_if_it_happened_has_one_line_with_its_share(never):
    """`cards` is never negative; with -1 as the value for "none", it has a value in all games."""
    view, some = run(True, never), never > 0
    (line,) = [line for line in of_run(view).metrics if line.metric == "cards"]
    shown = table([line])
    share, mean = view.all.figures_of(view.measures["cards"])
    assert (line.name, line.estimate) == ("cards", mean.estimate)
    assert line.happened == (share.estimate if some else None)
    assert ("games that have it" in str(shown.values[0][1])) == some


def test_the_page_has_no_mean_of_a_category():
    view = run(True, **CODES)
    lines = {line.name: line for line in of_run(view).metrics}
    assert "walls end" not in lines
    assert lines["walls end: phase 5"].estimate.text.endswith(" %")
    assert lines["walls end: phase 5"].quantiles == ()
    assert "always" in lines


def test_by_ending_a_category_is_a_share_and_never_does_not_count():
    """Of four games, three ended in this way: hunger in turn 8 and 12, and never; the fourth had it in turn 2."""
    here, values = np.array([True, True, True, False]), np.array([8, 0, 12, 2])
    hunger = Metric("hunger", "", never=0)
    (_, happened, among, rate), (_, turn, some, number) = _parts(hunger, "hunger", values, here)
    assert (rate, number) == (True, False)
    assert happened[among].mean() == 2 / 3
    assert turn[some].mean() == 10
    phase = Metric("phase", "", codes={8: "siege", 2: "fate"})
    parts = {name: counted[among].mean() for name, counted, among, _ in _parts(phase, "phase", values, here)}
    assert parts == {"phase: siege": 1 / 3, "phase: fate": 0}


@pytest.mark.parametrize("rows", [False, True])
def test_complementary_shares_have_one_width(rows):
    """What one seat does not win the other does; what is not one code is the other."""
    results = fake.results(games=600, knobs={"walls": [3, 4]}, rows=rows, shared=rows, chance=lambda *_: 0.3)
    results.manifest = deepcopy(results.manifest)
    view = View(results)
    one, other = view.all.win_rate(0), view.all.win_rate(1)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)
    cards = Metric("cards", "", never=1)
    share = view.all.figures_of(cards)[0].estimate
    missing = view.all._share_where("cards", 1, True)
    assert (share.low, share.high) == pytest.approx((1 - missing.high, 1 - missing.low), abs=1e-9)


@pytest.mark.parametrize(("shared", "chance", "narrow"), [(0.2, 0.15, True), (1.0, 0.01, False), (0.5, 0.01, False)])
def test_a_mean_over_cells_covers_and_is_narrow_where_many_games_differ(monkeypatch, shared, chance, narrow):
    """12 cells of 200 games: a value of 0 to 255 that is 2 or 4 in some games, which the cells share in part."""
    pool = View(fake.results(games=10, knobs={"walls": list(range(12))})).all
    generator = np.random.default_rng(1)
    monkeypatch.setitem(pool._view.measures, "cards", Metric("cards", "", low=0, high=255))
    covered, widths = 0, []
    for _ in range(200):
        common, own = generator.random(200) < chance, generator.random((12, 200)) < chance
        values = np.where(generator.random((12, 200)) < shared, common, own) * generator.choice([2, 4], 200)
        rows = Rows(values.ravel(), None, np.arange(12), (12, 200))
        monkeypatch.setattr(type(pool), "_rows", lambda *_, rows=rows: rows)
        mean = pool.mean_of(np.unique(values, return_counts=True), "cards")
        covered += mean.low <= 3 * chance <= mean.high
        widths.append(mean.high - mean.low)
    assert covered >= 182  # 95 % of 200, less three standard errors
    assert (np.median(widths) < 1) == narrow
