"""The course of a game in the report: a fan for each side, sentences, and errors for damaged answers."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.questions.course.analysis import CourseAnswer, Line, Statistic
from simlab.questions.course.words import course, section, sentences, shown
from simlab.report.html import render
from simlab.stats.course import Course, by_turn, calibration, statistics
from tests.report import fake


def answer(sides: int, games: int = 40) -> CourseAnswer:
    """Games in which the chances diverge from turn to turn."""
    draw = np.random.default_rng(sides)
    courses = []
    for game in range(games):
        winner, turns = int(draw.integers(sides)), int(draw.integers(3, 9))
        result = np.eye(sides)[winner]
        pull = np.linspace(0, 0.9, turns)[:, None]
        chances = (1 - pull) / sides + pull * result
        courses.append(Course(game, tuple(range(1, turns + 1)), chances, chances, 100, result))
    first = courses[0]
    line = np.vstack([first.chances, first.won]).T.tolist()
    return CourseAnswer(
        game="x", bots={}, seed=1, cell="a v b", again="simlab analyze course x",
        sides=[f"side {place}" for place in range(sides)],
        turn_name="turn", games=games, requested=games, futures=100, futures_played=0, futures_truncated=0, third=3,
        statistics=[Statistic.of(one) for one in statistics(courses)], calibration=calibration(courses),
        by_turn=by_turn(courses),
        lines=[Line(kind="biggest upset", game=0, turns=[*first.turns, 9], chances=line, replay="x")],
    )  # fmt: skip


@pytest.mark.parametrize(("sides", "panels"), [(2, 1), (3, 3), (8, 8)])
def test_each_side_has_a_fan_and_two_sides_share_one(sides: int, panels: int) -> None:
    made = answer(sides)
    assert len(shown(made)) == panels
    axes = course(made).figure.axes
    assert len(axes) == panels
    for side, panel in enumerate(axes):
        assert panel.lines[0].get_ydata().tolist() == made.by_turn.quantiles[side][2]


def test_the_sentences_state_the_statistics() -> None:
    made = answer(2)
    assert "40 games of a v b" in section(made).blocks[0].caption
    text = " ".join(sentences(made))
    assert "a game is decided (95 % certain)" in text
    assert "more often than in an even race" in text, "the leader of the first turn wins"
    assert "Leaders run away." in text and "--seen-by SEAT" in text


def test_chances_that_do_not_fit_their_turns_are_refused() -> None:
    broken = answer(2).to_json()
    assert CourseAnswer.from_json(broken, "file") == answer(2)
    broken["by_turn"]["mean"][0].append(0.5)
    with pytest.raises(InputError, match="each side at each turn"):
        CourseAnswer.from_json(broken, "file")


def test_the_report_of_a_run_has_its_course() -> None:
    results = fake.results()
    results.studies = {"course": answer(5).to_json()}
    page = render(results)
    assert 'id="course"' in page
    assert "simlab analyze course x" in page
