"""Win chances by branched futures, against chances that are worked out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.course.analysis import Sides, Watcher, courses_of, play
from simlab.registry import load_game
from simlab.stats.course import calibration, off_bins
from tests.cli.forms import hold_to_form

TOYS = Path(__file__).parent.parent / "search"
LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)


@pytest.fixture(scope="module")
def squares() -> Match:
    return Match(load_game(str(TOYS / "tic_tac_toe")), bots={"cross": "random", "nought": "random"})


@cache
def exact(cross: int, nought: int) -> tuple[float, float]:
    """Chances of both to be among the winners of tic-tac-toe at random, by dynamic programming."""
    for winner, marks in enumerate((cross, nought)):
        if any(marks & line == line for line in LINES):
            return (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    free = [1 << square for square in range(9) if not (cross | nought) >> square & 1]
    if not free:
        return 1.0, 1.0  # both share it
    first = len(free) % 2 == 1
    after = [exact(cross | one, nought) if first else exact(cross, nought | one) for one in free]
    return sum(p for p, _ in after) / len(free), sum(p for _, p in after) / len(free)


def test_chances_are_those_of_dynamic_programming(squares: Match) -> None:
    """Each of some hundred positions lies within what its number of futures allows, and all together do."""
    watcher = Watcher(squares, 3, 400)
    gaps = []
    for game in range(12):
        for position in watcher._plays.positions(game):
            cross, nought = (int(marks) for marks in position["marks"][0])
            truth = np.array(exact(cross, nought))
            halves = watcher.chances(position)
            error = np.sqrt(np.maximum(truth * (1 - truth), 1e-9) / 400)
            gaps.append(((halves[0] + halves[1]) / 2 - truth) / error)
    assert len(gaps) > 80
    assert np.abs(gaps).max() < 4.5
    assert (np.square(gaps)[np.abs(gaps) > 0]).mean() < 1.5


def test_a_course_ends_with_the_result_and_its_chances_hold(squares: Match) -> None:
    courses, watcher = courses_of(squares, 5, range(400), 8)
    rows = squares.play(5, 0, 400).rows
    assert np.array_equal([one.won for one in courses], Sides.of(squares.game).won(rows))
    assert [len(one.turns) for one in courses] == rows["turns"].tolist()
    assert watcher.played == 8 * rows["turns"].sum()
    assert off_bins(calibration(courses)) == []


def test_a_seats_own_view_knows_no_hidden_card() -> None:
    """Kuhn poker at random: who holds the king's rival wins by 9/16, whatever the other has; a watcher sees which."""
    match = Match(load_game("kuhn_poker"), bots={"first": "random", "second": "random"})
    own, whole = Watcher(match, 1, 400, seen_by=0), Watcher(match, 1, 400)
    seen, known = set(), set()
    for game in range(24):
        position = own._plays.positions(game)[0]
        card, other = (int(c) for c in position["card"][0][:2])
        if card == 1:
            mine = sum(half[0] for half in own.chances(position)) / 2
            assert mine == pytest.approx(9 / 16, abs=4 * np.sqrt(1 / 4 / 400) + 4 * 0.3125 / np.sqrt(24))
            seen.add(other)
            known.add(round(sum(half[0] for half in whole.chances(position)) / 2, 1))
    assert seen == {0, 2}
    assert {0.2, 0.3} & known
    assert {0.8, 0.9} & known


def test_the_same_seed_gives_the_same_study_and_its_budget_is_said(squares: Match) -> None:
    budget: list[str] = []
    one = play(squares, 2, 12, 10, notify=budget.append)
    assert one == play(squares, 2, 12, 10)
    hold_to_form(one.to_json())
    turns = squares.play(2, 0, 12).rows["turns"].sum()
    assert one.futures_played == 10 * turns
    assert f"about {10 * turns:,} games" in budget[0]
    assert one.lines[0].chances[0][-1] in (0, 1)


@pytest.mark.parametrize(("games", "futures"), [(1, 10), (20_000, 10), (10, 3), (10, 7), (10, 20_000)])
def test_what_is_out_of_bounds_is_refused(squares: Match, games: int, futures: int) -> None:
    with pytest.raises(InputError, match="--"):
        play(squares, 1, games, futures)


def test_an_unknown_seat_is_named(squares: Match) -> None:
    with pytest.raises(InputError, match="no seat 'crosses'"):
        play(squares, 1, 4, 4, seen_by="crosses")


STRICT = """
import simlab

@simlab.metric("turns, by a memory that starts at 1000", low=1000)
class long_turns:
    seen = 1000

    def on_turn(self, state, knobs, cards):
        self.seen += 1

    def at_end(self, state, knobs, cards, row):
        return self.seen
"""


def test_futures_know_nothing_of_own_metrics(squares: Match, tmp_path: Path) -> None:
    """A metric that a future cannot fill, since it begins in the middle of a game, changes no course and ends none."""
    (tmp_path / "strict.py").write_text(STRICT)
    game = load_game(f"{TOYS / 'tic_tac_toe'}:metric={tmp_path / 'strict.py'}:long_turns")
    measured = Match(game, bots={"cross": "random", "nought": "random"})
    assert measured.play(5, 0, 4).rows["long_turns"].min() > 1000
    plain, _ = courses_of(squares, 5, range(4), 8)
    same, _ = courses_of(measured, 5, range(4), 8)
    assert [one.first.tolist() for one in same] == [one.first.tolist() for one in plain]
