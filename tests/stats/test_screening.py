"""Elementary effects: SALib's where there is no noise, known ones where there is."""

import numpy as np
import pytest
from SALib.analyze import morris as analyze

from simlab.spec.design import Axis, trajectories
from simlab.spec.knobs import WholeKnob
from simlab.stats.screening import elementary_effects

LEVELS = (0, 1, 2, 3)
AXES = [Axis(WholeKnob(name, 0, 0, 3), LEVELS) for name in "abc"]


def walks(number, seed=1):
    """Points of the lab's trajectories in [0, 1], and what moves by how much."""
    points = np.array(trajectories(AXES, number, seed), np.float64) / 3
    rises = np.diff(points.reshape(number, 4, 3), axis=1)
    moved = np.abs(rises).argmax(axis=2)
    return points, moved, np.take_along_axis(rises, moved[..., None], axis=2)[..., 0]


def curved(x):
    """a does 0.3 anywhere, b as much as c says, c what b says."""
    return 0.3 * x[:, 0] + 0.2 * (x[:, 1] - 0.5) * (x[:, 2] - 0.5)


def test_without_noise_the_measures_are_salibs():
    points, moved, steps = walks(12)
    y = curved(points)
    mine = elementary_effects(np.column_stack([y, y]), moved, steps)
    problem = {"num_vars": 3, "names": ["a", "b", "c"], "bounds": [[0, 1]] * 3}
    theirs = analyze.analyze(problem, points, y, num_levels=4, num_resamples=2)
    for ours, name in ((mine.size[:, 0], "mu_star"), (mine.mean[:, 0], "mu"), (mine.spread, "sigma")):
        assert ours == pytest.approx(np.asarray(theirs[name], float), abs=1e-12)
    assert mine.noise == pytest.approx(0)


def test_a_straight_line_has_its_slopes_and_no_spread():
    points, moved, steps = walks(4)
    y = points @ [0.3, -0.2, 0.0]
    one = elementary_effects(np.column_stack([y, y, y]), moved, steps)
    assert one.size[:, 0] == pytest.approx([0.3, 0.2, 0.0], abs=1e-12)
    assert one.mean[:, 0] == pytest.approx([0.3, -0.2, 0.0], abs=1e-12)
    assert one.spread == pytest.approx([0, 0, 0], abs=1e-12)
    assert one.order == [0, 1, 2]


def noisy(seed, walks_=10, blocks=20, sd=0.03, shared=0.5):
    """The curved function with noise of a cell's mean, half of it shared by all cells."""
    points, moved, steps = walks(walks_, seed)
    rng = np.random.default_rng([seed, 1])
    y = curved(points)
    luck = np.sqrt(shared) * rng.normal(size=(1, blocks)) * np.sign(points[:, :1] - 0.5)
    luck = luck + np.sqrt(1 - shared) * rng.normal(size=(len(y), blocks))
    return elementary_effects(y[:, None] + sd * np.sqrt(blocks) * luck, moved, steps)


def test_luck_is_taken_out_and_intervals_cover():
    truth_size, truth_mean = 0.3, (0.3, 0.0, 0.0)
    runs = [noisy(seed) for seed in range(400)]
    clean = [noisy(seed, sd=0.0) for seed in range(400)]
    size = np.mean([r.size[:, 0] for r in runs], axis=0)
    exact = np.mean([r.size[:, 0] for r in clean], axis=0)
    assert size[0] == pytest.approx(truth_size, abs=0.005)
    # Where an effect is about as great as its luck, some signs are judged wrongly: up to half of the luck is lost.
    assert (exact - size).max() < 0.48 * np.mean([r.noise for r in runs])
    assert (size - exact).max() < 0.003
    spread = np.sqrt(np.mean([r.spread**2 for r in runs], axis=0))
    assert spread == pytest.approx(np.sqrt(np.mean([r.plain_spread**2 for r in clean], axis=0)), abs=0.02)
    inside = np.mean([[lo <= t <= hi for t, (lo, hi) in zip(truth_mean, r.mean[:, 1:], strict=True)] for r in runs])
    sizes = np.mean([[lo <= t <= hi for t, (lo, hi) in zip(exact, r.size[:, 1:], strict=True)] for r in runs])
    assert min(inside, sizes) > 0.96  # 98.3 % each, so that all three hold in 95 of 100


def test_an_effect_as_great_as_its_luck_lies_in_its_interval_however_many_trajectories():
    """A hundred trajectories know the mean well, and the part that the signs cost is then most of the error: 45 %."""
    effects = np.array([1.0, 0.3, 0.0])
    covered, doing = [], 0
    for seed in range(120):
        rng = np.random.default_rng([seed, 3])
        moved = np.array([rng.permutation(3) for _ in range(100)])
        steps = rng.choice([-1.0, 1.0], (100, 3)) * 2 / 3
        y = np.zeros((100, 4, 20))
        y[:, 1:] = np.cumsum(effects[moved] * steps, axis=1)[..., None]
        luck = effects[0] * (2 / 3) / np.sqrt(2) * np.sqrt(20)  # of an effect as much as the first effect
        one = elementary_effects((y + rng.normal(0, luck, y.shape)).reshape(400, 20), moved, steps)
        covered.append((one.size[:, 1] <= effects) & (effects <= one.size[:, 2]))
        doing += one.size[2, 1] > 0
    assert np.mean(covered, axis=0).min() > 0.96
    assert doing <= 6


def test_knobs_that_do_nothing_are_not_named():
    """Pure luck: the plain size is far above nothing, the corrected one is nothing on average."""
    named, sizes, plain = 0, [], []
    for seed in range(400):
        _, moved, steps = walks(8, seed)
        rng = np.random.default_rng([seed, 2])
        one = elementary_effects(rng.normal(0.5, 0.1, (8 * 4, 20)), moved, steps)
        named += bool((one.size[:, 1] > 0).any())
        sizes.append(one.size[:, 0].mean())
        plain.append(one.plain_size.mean())
    assert named <= 400 * 0.05
    assert abs(np.mean(sizes)) < 0.1 * np.mean(plain)


@pytest.mark.parametrize(
    ("blocks", "moved", "steps", "text"),
    [
        (np.zeros((6, 4)), [[0], [0], [0]], [[1], [1], [1]], "3 trajectories"),
        (np.zeros((7, 4)), [[0]] * 4, [[1]] * 4, "blocks"),
        (np.zeros((8, 1)), [[0]] * 4, [[1]] * 4, "blocks"),
        (np.zeros((8, 2)), [[1]] * 4, [[1]] * 4, "each knob moves once"),
        (np.zeros((8, 2)), [[0]] * 4, [[0]] * 4, "each knob moves once"),
        (np.zeros((8, 2)), [[0]] * 4, [[1]] * 3, "shape"),
    ],
)
def test_what_is_no_design_is_refused(blocks, moved, steps, text):
    with pytest.raises(ValueError, match=text):
        elementary_effects(blocks, moved, steps)
