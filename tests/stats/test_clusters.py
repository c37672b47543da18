"""Pooled figures over cells that share luck by game index: they cover, and are no wider than need be."""

import numpy as np
import pytest

from simlab.runs.rows import Rows
from simlab.stats.cluster_robust import clustered_ratio

CELLS, RUNS = 8, 300


def played(generator, games, shared):
    """How games of cells end (True: the first way) and how long they last; luck partly shared by game index."""
    place = np.repeat(np.arange(CELLS), games)
    game = np.concatenate([np.arange(n) for n in games])
    common, own = generator.random(max(games)), generator.random(place.size)
    luck = np.where(generator.random(place.size) < shared, common[game], own)
    ended = luck < np.linspace(0.05, 0.6, CELLS)[place]
    # Cells differ in length: which cells give the games of an ending moves their mean.
    length = 6 + 3 * place + np.round(4 * luck + generator.random(place.size))
    return place, game, ended, length


def figures(sample):
    place, game, ended, length = sample
    ones = np.ones(place.size)
    return [
        clustered_ratio(ended, ones, game, place),
        clustered_ratio(length, ones, game, place),
        clustered_ratio(np.where(ended, length, 0), ended, game, place),
        clustered_ratio(np.where(ended, 0, length), ~ended, game, place),
    ]


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("games", [[200] * CELLS, [60, 400] * (CELLS // 2)], ids=["alike", "unlike"])
def test_shares_means_and_means_by_ending_cover_and_are_no_wider_than_need_be(games, shared):
    generator = np.random.default_rng(5)
    large = figures(played(generator, [200 * n for n in games], shared))
    truth = np.array([figure.value for figure in large])
    found = [figures(played(generator, games, shared)) for _ in range(RUNS)]
    low, high, se, value = (
        np.array([[getattr(f, k) for f in run] for run in found]) for k in ("low", "high", "se", "value")
    )
    cover = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert (cover >= 0.91).all(), cover
    assert se.mean(axis=0) == pytest.approx(value.std(axis=0), rel=0.15)


def test_one_cell_is_students_interval():
    from scipy.stats import ttest_1samp

    numbers = np.array([3.0, 5, 4, 9, 1, 4])
    mine = clustered_ratio(numbers, np.ones(6), np.arange(6), np.zeros(6, int))
    theirs = ttest_1samp(numbers, 0).confidence_interval()
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high))


def test_too_few_games_have_no_interval():
    nothing = clustered_ratio([0, 0], [0, 0], [0, 1], [0, 0])
    assert np.isnan(nothing.value)
    one = clustered_ratio([3, 0], [1, 0], [0, 1], [0, 0])
    assert (one.value, one.low, one.high) == (3, -np.inf, np.inf)


def test_whole_tables_give_the_same_as_rows() -> None:
    generator = np.random.default_rng(4)
    top, bottom = generator.normal(size=(3, 50)), generator.random((3, 50)) < 0.4
    cell, game = np.divmod(np.arange(150), 50)
    for below in (bottom, np.ones((3, 50))):
        rows = clustered_ratio((top * below).ravel(), below.ravel(), game, cell)
        table = Rows(top, None, np.arange(3), (3, 50)).ratio((top * below).ravel(), below.ravel())
        assert table.count == rows.count
        assert np.allclose([table.value, table.se, table.low], [rows.value, rows.se, rows.low], rtol=1e-12)
