"""Rules in a space of settings: a region that was planted is found as it is, and judged boxes hold on other points."""

import itertools

import numpy as np
import pytest

from simlab.stats.subgroup_discovery import find_boxes

ORDERED = [True] * 6 + [False] * 2


def space(points, seed):
    rng = np.random.default_rng(seed)
    whole = [rng.integers(1, 9, points) for _ in range(4)]
    return [*whole, rng.random(points), rng.random(points), rng.integers(0, 3, points), rng.integers(0, 2, points)]


def test_a_planted_region_is_found_with_its_two_knobs():
    columns = space(250, 1)
    (box,) = find_boxes(columns, ORDERED, (columns[0] <= 4) & (columns[3] >= 3))
    assert box.limits == {0: (1, 4), 3: (3, 8)}
    assert (box.density, box.coverage, box.reached) == (1, 1, True)


def test_an_option_and_an_end_of_a_real_number():
    columns = space(400, 2)
    boxes = find_boxes(columns, ORDERED, ((columns[0] <= 4) & (columns[6] == 1)) | (columns[4] > 0.8))
    assert [sorted(box.limits) for box in boxes] == [[4], [0, 6]]
    assert boxes[0].limits[4][0] == pytest.approx(0.8, abs=0.02)
    assert boxes[1].limits == {6: frozenset({1}), 0: (1, 4)}
    assert sum(box.coverage for box in boxes) >= 1


def test_a_shorter_rule_is_taken_that_does_nearly_as_well():
    """A second knob that takes the last thirtieth away is not worth its word."""
    columns = space(900, 3)
    (box,) = find_boxes(columns, ORDERED, (columns[0] <= 4) & (columns[5] < 0.97))
    assert list(box.limits) == [0]
    assert box.density == pytest.approx(0.97, abs=0.02)


@pytest.mark.parametrize("worth", [0.5, 0.7, 0.9])
def test_the_box_of_one_knob_is_the_best_there_is(worth):
    """Against all intervals, one by one."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 12, 80), rng.random(80) * (rng.random(80) < 0.9)
        sums = {
            (low, high): float((y - worth)[(x >= low) & (x <= high)].sum())
            for low, high in itertools.combinations_with_replacement(sorted(set(x.tolist())), 2)
            if ((x >= low) & (x <= high)).sum() >= 1
        }
        boxes = find_boxes([x], [True], y, worth, fewest=1, most_boxes=1)
        best = max(sums.values())
        if boxes and boxes[0].reached:
            inside = boxes[0].inside([x])
            assert float((y - worth)[inside].sum()) == pytest.approx(best)
        else:
            assert best <= 0 or y.mean() >= worth


def test_every_box_is_as_dense_as_was_asked_and_has_points_enough():
    for seed in range(10):
        columns = space(200, seed)
        rng = np.random.default_rng([seed, 1])
        chance = 1 / (1 + np.exp((columns[0] - 4.5) * 1.2 + (columns[4] - 0.5) * 3))
        labels = rng.random(200) < chance
        for box in find_boxes(columns, ORDERED, labels, 0.75, fewest=15):
            inside = box.inside(columns)
            assert inside.sum() >= 15 or not box.reached
            assert len(box.limits) <= 3
            if box.reached:
                assert labels[inside].mean() >= 0.6  # of those after the first, less what others took


def test_nothing_to_find_where_it_holds_everywhere_or_nowhere():
    columns = space(100, 5)
    assert find_boxes(columns, ORDERED, np.ones(100)) == []
    assert find_boxes(columns, ORDERED, np.zeros(100)) == []
