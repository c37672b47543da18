"""Sobol's indices: SALib's where there is no noise, Ishigami's known ones where there is."""

import numpy as np
import pytest
from SALib.analyze import sobol as analyze
from SALib.sample import sobol as sample
from SALib.test_functions import Ishigami

from simlab.questions.sensitivity.analysis import shares_within
from simlab.stats.sensitivity import FEWEST, REPLICATES, sobol_indices

PROBLEM = {"num_vars": 3, "names": ["a", "b", "c"], "bounds": [[-np.pi, np.pi]] * 3}
FIRST, TOTAL = [0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]  # Ishigami and Homma (1990)


def ishigami(points, seed=1):
    """Ishigami's function at the points of the lab's design: sequences one after the other, each scrambled apart."""
    seeds = np.random.SeedSequence(seed).generate_state(REPLICATES)
    each = [sample.sample(PROBLEM, points // REPLICATES, calc_second_order=False, seed=int(one)) for one in seeds]
    return Ishigami.evaluate(np.concatenate(each))


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
    assert mine.first[:, 0] == pytest.approx(theirs["S1"], rel=0.01, abs=0.002)  # n or n - 1 in the variance
    assert mine.total[:, 0] == pytest.approx(theirs["ST"], rel=0.01, abs=0.002)
    assert mine.noise == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("shared", [0.0, 0.5], ids=["separate luck", "shared luck"])
def test_noise_is_taken_out(shared):
    found = [sobol_indices(played(ishigami(512, seed), 1.0, seed=seed, shared=shared), 3) for seed in range(16)]
    # As much noise as signal: the plain total indices are far off, the corrected ones are right.
    assert np.mean([f.noise / f.variance for f in found]) == pytest.approx(1 - shared, rel=0.1)
    assert min(f.plain_total[1] for f in found) > 0.5
    assert np.mean([f.first[:, 0] for f in found], axis=0) == pytest.approx(FIRST, abs=0.07)
    assert np.mean([f.total[:, 0] for f in found], axis=0) == pytest.approx(TOTAL, abs=0.07)
    assert found[0].order == [0, 1, 2]


def won(y, games, seed, blocks=20):
    """Win rates by block of games that share half of their luck: the function as a chance to win."""
    generator = np.random.default_rng(seed)
    chance = 0.5 + y / 40
    luck = np.where(generator.random((1, games)) < 0.5, generator.random((1, games)), generator.random((y.size, games)))
    return (luck < chance[:, None]).reshape(y.size, blocks, -1).mean(axis=2)


@pytest.mark.parametrize(("points", "games"), [(64, 200), (128, 400)])
def test_intervals_cover_and_are_as_wide_as_the_indices_scatter(points, games):
    from scipy.stats import t

    runs, truth = 150, np.array(FIRST + TOTAL)
    found = [sobol_indices(won(ishigami(points, seed), games, seed), 3) for seed in range(runs)]
    value = np.array([np.r_[f.first[:, 0], f.total[:, 0]] for f in found])
    ends = np.array([np.vstack([f.first, f.total])[:, 1:] for f in found])
    hits = (ends[:, :, 0] <= truth) & (truth <= ends[:, :, 1])
    assert hits.mean() >= 0.925
    assert hits.mean(axis=0).min() >= 0.85
    half = np.median(ends[:, :, 1] - ends[:, :, 0], axis=0) / 2
    assert half / t.ppf(0.975, REPLICATES - 1) == pytest.approx(value.std(axis=0), rel=0.3)


#: Models of knobs with few values, as functions of the values; their indices follow from all settings.
FEW_VALUES = {
    "additive": (lambda a, b: a + b, (5, 3)),
    "multiplicative": (lambda a, b: (a + 0.5) * (b - 0.7), (5, 3)),
    "an inert knob": (lambda a, b, c: 0.25 * a + b + 0 * c, (4, 2, 3)),
    "many settings": (lambda a, b, c, d: (a + 1) * (b + 1) * (c + 3) + d, (5, 5, 5, 5)),
}


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("points", [64, 128])
@pytest.mark.parametrize("name", FEW_VALUES)
def test_intervals_cover_where_settings_come_several_times(name, points, noise):
    """All sequences share the noise of a setting that each of them draws; intervals that ignored it covered 47 %."""
    model, levels = FEW_VALUES[name]
    knobs, runs = len(levels), 100
    table = model(*np.meshgrid(*(np.arange(float(n)) for n in levels), indexing="ij"))
    others = [tuple(other for other in range(knobs) if other != knob) for knob in range(knobs)]
    truth = [table.mean(axis=rest).var() / table.var() for rest in others]
    truth += [table.var(axis=knob).mean() / table.var() for knob in range(knobs)]
    problem = {"num_vars": knobs, "names": list("abcd")[:knobs], "bounds": [[0, 1]] * knobs}
    hits = []
    for seed in range(runs):
        seeds = np.random.SeedSequence(seed).generate_state(REPLICATES)
        drawn = [sample.sample(problem, points // REPLICATES, calc_second_order=False, seed=int(s)) for s in seeds]
        cell = np.ravel_multi_index((np.concatenate(drawn) * levels).astype(int).T, levels)
        found = sobol_indices(played(table.ravel(), noise, seed=seed, shared=0.5)[cell], knobs)
        ends = np.vstack([found.first, found.total])[:, 1:]
        hits.append((ends[:, 0] <= np.array(truth) + 1e-9) & (np.array(truth) - 1e-9 <= ends[:, 1]))
    assert np.mean(hits) >= 0.91
    assert np.mean(hits, axis=0).min() >= 0.85


@pytest.mark.parametrize("points", [8, 32, FEWEST + 4])
def test_too_few_points_are_refused(points):
    with pytest.raises(ValueError, match="base points"):
        sobol_indices(np.zeros((points * 5, 4)), 3)


def test_a_knob_that_does_nothing_has_no_share_and_pure_luck_has_no_indices():
    y = ishigami(256)
    inert = np.insert(y.reshape(-1, 5), 4, y.reshape(-1, 5)[:, 0], axis=1).ravel()  # a fourth knob, never read
    found = sobol_indices(played(inert, 0.2), 4)
    assert found.total[3, 1] <= 0 <= found.total[3, 2]
    assert found.total[3, 0] == pytest.approx(0, abs=0.1)
    nothing = sobol_indices(played(np.zeros(FEWEST * 5) + 0.5, 0.0), 3)
    assert np.isnan(nothing.first).all()
    with pytest.raises(ValueError, match="blocks"):
        sobol_indices(np.zeros((7, 4)), 3)


def test_an_interval_beyond_the_edge_is_not_shown_as_exact():
    alone, together = shares_within(
        np.array([[0.9, 0.6, 1.2], [-0.2, -0.3, -0.1]]), np.array([[1.3, 1.1, 1.5], [0, 0, 0.2]])
    )
    assert together.tolist() == [[1, 0.6, 1], [0, 0, 0.2]]
    assert alone.tolist() == [[0.9, 0.6, 1], [0, 0, 0.2]]
