"""Sobol's indices: SALib's where there is no noise, Ishigami's known ones where there is."""

import numpy as np
import pytest
from SALib.analyze import sobol as analyze
from SALib.sample import sobol as sample
from SALib.test_functions import Ishigami

from simlab.stats.sensitivity import sobol_indices

PROBLEM = {"num_vars": 3, "names": ["a", "b", "c"], "bounds": [[-np.pi, np.pi]] * 3}
FIRST, TOTAL = [0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]  # Ishigami and Homma (1990)


def ishigami(points, seed=1):
    return Ishigami.evaluate(sample.sample(PROBLEM, points, calc_second_order=False, seed=seed))


def played(y, noise, blocks=20, seed=0, shared=0.0):
    """Block means with noise of the whole cell's mean given as a share of the variance of y."""
    generator = np.random.default_rng(seed)
    sd = np.sqrt(noise * y.var() * blocks)
    common = generator.normal(0, sd, (1, blocks))
    own = generator.normal(0, sd, (y.size, blocks))
    return y[:, None] + np.sqrt(shared) * common + np.sqrt(1 - shared) * own


def test_without_noise_the_indices_are_salibs():
    y = ishigami(256)
    mine = sobol_indices(np.column_stack([y, y]), 3)
    theirs = analyze.analyze(PROBLEM, y, calc_second_order=False, num_resamples=200, seed=1)
    assert mine.plain_first == pytest.approx(theirs["S1"])
    assert mine.plain_total == pytest.approx(theirs["ST"])
    assert mine.first == pytest.approx(theirs["S1"], rel=0.01, abs=0.002)  # n or n - 1 in the variance
    assert mine.total == pytest.approx(theirs["ST"], rel=0.01, abs=0.002)
    half = (mine.first_ends[:, 1] - mine.first_ends[:, 0]) / 2
    assert half == pytest.approx(theirs["S1_conf"], rel=0.3)
    assert mine.noise == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("shared", [0.0, 0.5], ids=["separate luck", "shared luck"])
def test_noise_is_taken_out(shared):
    y = ishigami(1024)
    found = sobol_indices(played(y, 1.0, shared=shared), 3)
    # As much noise as signal: the plain total indices are far off, the corrected ones are right.
    assert found.noise / found.variance == pytest.approx(1 - shared, rel=0.1)
    assert found.plain_total[1] > 0.55
    assert found.first == pytest.approx(FIRST, abs=0.1)
    assert found.total == pytest.approx(TOTAL, abs=0.07)
    assert found.order == [0, 1, 2]


def test_intervals_cover():
    hits = np.zeros(6)
    for seed in range(60):
        found = sobol_indices(played(ishigami(128, seed), 0.3, seed=seed), 3, draws=100, seed=seed)
        ends = np.vstack([found.first_ends, found.total_ends])
        truth = np.array(FIRST + TOTAL)
        hits += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert hits.mean() / 60 >= 0.93
    assert hits.min() / 60 >= 0.85


def test_a_knob_that_does_nothing_has_no_share_and_pure_luck_has_no_indices():
    y = ishigami(256)
    inert = np.insert(y.reshape(-1, 5), 4, y.reshape(-1, 5)[:, 0], axis=1).ravel()  # a fourth knob, never read
    found = sobol_indices(played(inert, 0.2), 4)
    assert found.total_ends[3, 0] <= 0 <= found.total_ends[3, 1]
    assert found.total[3] == pytest.approx(0, abs=0.1)
    nothing = sobol_indices(played(np.zeros(50) + 0.5, 0.0), 3)
    assert np.isnan(nothing.first).all()
    with pytest.raises(ValueError, match="blocks"):
        sobol_indices(np.zeros((7, 4)), 3)
