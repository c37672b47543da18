"""What the report says where several seats can win together, and where each seat has a bot of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simlab.present.terminal import renderables
from simlab.questions.endings.analysis import of_run
from simlab.questions.win_rates.analysis import of_run as win_rates_of
from simlab.questions.win_rates.words import shared_wins
from simlab.report import summary
from simlab.runs.rows import Rows
from simlab.runs.view import View
from tests import printed as tables
from tests.report import fake

SEATS = ("red", "green", "blue")


@pytest.fixture(scope="module")
def view() -> View:
    bots = dict(zip(SEATS, (["reformer"], ["kaiser"], ["exile"]), strict=True))
    return View(fake.results(seats=SEATS, bots=bots, draw=0.3, games=2000, rows=True))


def test_tables_name_the_bot_beside_the_seat(view: View) -> None:
    assert view.labels == ["red (reformer)", "green (kaiser)", "blue (exile)"]
    assert "green (kaiser)" in tables.to_text(*renderables(summary.win_rates(view)), width=200)
    same = View(fake.results(seats=SEATS))
    assert same.labels == list(SEATS)  # one bot in all seats tells no seat from another


def test_the_shares_of_the_wins_add_up_to_the_games_that_somebody_won(view: View) -> None:
    (line,) = win_rates_of(view).lines
    assert sum(share.value for share in line.shares.values()) == pytest.approx(1 - view.all.nobody / view.games)
    wins = sum(view.all.win_rate(seat).value for seat in range(3))
    assert wins > 1  # shared wins count for each winner there
    assert "Share of the wins" in tables.to_text(*renderables(summary.win_rates(view)))
    assert "Share of the wins" not in tables.to_text(*renderables(summary.win_rates(View(fake.results(seats=SEATS)))))


def test_who_wins_by_which_ending(view: View) -> None:
    """Only shared games and lost ones end by the first two endings of these games; the others have one winner."""
    wins = {one.ending: list(one.wins.values()) for one in of_run(view).endings}
    for ending in ("surrender", "abandon"):
        assert sum(rate.value for rate in wins[ending]) == pytest.approx(1)
    assert len({rate.value for rate in wins["none"]}) == 1  # all seats win together there, or none does
    assert list(of_run(view).endings[0].wins) == view.labels


@pytest.mark.parametrize(("rate", "rows"), [(0.05, 21), (0.5, 21), (0.02, 60)])
def test_shares_of_few_games_are_covered(rate: float, rows: int) -> None:
    """95 % intervals of a share among few games of one cell: 4,000 samples, whose standard error is 0.35 points."""
    generator = np.random.default_rng(5)
    seen = generator.binomial(rows, rate, 4_000)
    held = 0
    for count, times in zip(*np.unique(seen, return_counts=True), strict=True):
        won = np.arange(rows) < count
        share = Rows(won, None, np.zeros(1), (1, rows)).among(won, np.ones(rows), rate=True)
        held += int(times) * (share.low <= rate <= share.high)
    assert held / seen.size > 0.91


def test_seats_that_win_together_are_counted_out() -> None:
    shared = View(fake.results(seats=SEATS, draw=0.3, games=2000))
    sentence = shared_wins(win_rates_of(shared))
    wins, decided = (int(number.replace(",", "")) for number in re.findall(r"[\d,]+(?= wins| games)", sentence))
    assert wins == int(shared.all.wins.sum()) > decided == shared.games - shared.all.nobody
    assert sentence in " ".join(tables.to_text(*renderables(summary.win_rates(shared)), width=200).split())
    assert shared_wins(win_rates_of(View(fake.results(seats=("red", "green"))))) == ""


def test_the_terminal_shows_all_endings() -> None:
    view = View(fake.results(seats=SEATS, draw=0.3, games=4000))
    text = tables.to_text(*renderables(summary.win_rates(view)), width=400)
    seen = [name for name, games in zip(view.endings, view.all.endings, strict=True) if games]
    assert len(seen) == 4
    assert all(f"by {name}" in text for name in seen)


def test_games_that_several_win_and_that_nobody_wins_are_measured_apart() -> None:
    run = fake.results(knobs={"walls": [3, 4]}, draw=0.4, rows=True, games=2_000)
    pool, games = View(run).all, View(run).rows
    assert games is not None
    for word, code in (("shared", -2), ("nobody", -1)):
        rows = games.rows("winner")
        assert rows is not None
        measured, shown = rows.mean(rows.values == code), pool.undecided(word)
        assert shown.value == pytest.approx(measured.value)
        assert shown.half == pytest.approx(1.96 * measured.se, rel=0.05)
