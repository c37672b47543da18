"""The course of a game in the report: a fan for each side, sentences, and no damaged study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from simlab.report.course import course, section, sentences, shown
from simlab.results.view import View
from simlab.runs.studied import Studies
from simlab.stats.course import Course, by_turn, calibration, figures
from tests.report import fake


def study(sides: int, games: int = 40) -> dict[str, Any]:
    """Games in which the chances draw apart from turn to turn."""
    draw = np.random.default_rng(sides)
    courses = []
    for game in range(games):
        winner, turns = int(draw.integers(sides)), int(draw.integers(3, 9))
        result = np.eye(sides)[winner]
        pull = np.linspace(0, 0.9, turns)[:, None]
        chances = (1 - pull) / sides + pull * result
        courses.append(Course(game, tuple(range(1, turns + 1)), chances, chances, 100, result))
    names = [f"side {place}" for place in range(sides)]
    first = courses[0]
    line = np.vstack([first.chances, first.won]).T.tolist()
    return {
        "cell": "a v b", "sides": names, "turn_name": "turn", "games": games, "futures": 100,
        "figures": [figure.to_dict() for figure in figures(courses, names)], "calibration": calibration(courses),
        "by_turn": by_turn(courses), "again": "simlab analyze course x",
        "lines": [{"what": "biggest upset", "game": 0, "turns": [*first.turns, 9], "chances": line, "replay": "x"}],
    }  # fmt: skip


@pytest.mark.parametrize(("sides", "panels"), [(2, 1), (3, 3), (8, 8)])
def test_each_side_has_a_fan_and_two_sides_share_one(sides: int, panels: int) -> None:
    made = study(sides)
    assert len(shown(made)) == panels
    axes = course(made).figure.axes
    assert len(axes) == panels
    for side, panel in enumerate(axes):
        assert panel.lines[0].get_ydata().tolist() == made["by_turn"]["quantiles"][side][2]


def test_the_section_says_what_the_figures_say() -> None:
    made = Studies.model_validate({"course": [study(2)]}).model_dump()
    results = fake.results()
    results.studies = made
    view = View(results)
    drawn = section(view, lambda name, ax, caption, **_: {"caption": caption})
    assert drawn is not None
    assert "40 games of a v b" in drawn["figure"]["caption"]
    text = " ".join(sentences(made["course"][0]))
    assert "decided for good" in text
    assert "more than in an even race" in text, "from the first turn on the leader wins"
    assert "The leader runs away." in text


def test_chances_that_do_not_fit_their_turns_are_refused() -> None:
    broken = study(2)
    broken["by_turn"]["mean"][0].append(0.5)
    with pytest.raises(ValidationError, match="each side at each turn"):
        Studies.model_validate({"course": [broken]})


def test_the_report_of_a_run_has_its_course(tmp_path: Path) -> None:
    from simlab.report.html import Report

    results = fake.results()
    results.studies = Studies.model_validate({"course": [study(5)]}).model_dump()
    page = Report(View(results)).html()
    assert 'id="course"' in page
    assert "simlab analyze course x" in page
