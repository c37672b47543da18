"""What --plan promises."""

from types import SimpleNamespace

import pytest

from simlab.questions.run_plan.analysis import Plan, judged_together


def experiment(bots, points=1, match_ups=None):
    seats = {f"seat{i}": ["bot"] * count for i, count in enumerate(bots)}
    return SimpleNamespace(bots=seats, match_ups=match_ups, rows=({},) * points)


@pytest.mark.parametrize(
    ("asked", "family"),
    [
        (experiment((1, 1)), 1),
        (experiment((1, 1), points=67), 66),  # one change at a time: each against the base
        (experiment((3, 4)), 4 * 3 + 3 * 6),  # a seat's bot changes, the other's stays: pairs of rows and of columns
        (experiment((2, 2, 2)), 3 * 4),
        (experiment((3, 4), match_ups=2), 5),  # a drawn part has fewer steps than all
    ],
)
def test_the_family_is_what_the_results_judge_together(asked, family):
    assert judged_together(asked) == family


def test_a_finished_folder_has_nothing_left_to_play():
    made = {
        "cells": 3, "games": 600, "per_second": 1e5, "workers": 1, "seconds": 0.0, "disk": 10, "rows": True,
        "family": 2, "change": 0.1, "paired": None, "at_most": False, "folder": "results/walls",
    }  # fmt: skip
    text = str(Plan(done=600, **made))
    assert text.startswith("All 600 games of 3 cells are in results/walls already: nothing is left to play.")
    assert "Time" not in text
    assert "of which 599 are in results/walls already" in str(Plan(done=599, **made))
