"""A side that names its endings: its seats compared where it wins, and what breaks it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from simlab.game import Metric, Side
from simlab.present.terminal import renderables
from simlab.questions.sides.analysis import SideReport, of_run
from simlab.questions.sides.words import blocks
from simlab.report.html import render
from simlab.runs.names import Names
from tests.printed import to_text
from tests.report.fake import ENDINGS, results

SEATS = ("ann", "bob", "cat")
METRICS = (
    Metric("burnt", "whether the mill has burnt", low=0, high=1),
    Metric("ann_walls", "points for walls, where the town holds", never=-1, low=0, high=9, part_of="ann"),
)


def town(sides: tuple[Side, ...] = (Side("town", SEATS, "holds", endings=("none",)),)) -> Any:
    """400 games: the town holds in 200, where ann wins 150 and bob 50; it falls by assault in turn 5 of 120, the mill
    burnt in each, and by surrender in turn 9 of 80, the mill burnt in half of them. Ann wins alone in 10 of those."""
    made = results(seats=SEATS, games=400, rows=True, scores=True)
    names = made.manifest["names"]
    names["metrics"] = [
        {
            "name": m.name,
            "help": m.help,
            "unit": "",
            "never": m.never,
            "low": m.low,
            "high": m.high,
            "part_of": m.part_of,
        }
        for m in METRICS
    ]
    made.names = Names(
        slug="fake_siege", title="Fake Siege", seats=SEATS, endings=ENDINGS, decisions=(), metrics=METRICS, tracks=(),
        rules=(), max_turns=40, max_actions=6, has_scores=True, sides=sides, article="",
    )  # fmt: skip
    game = np.arange(400)
    holds = game < 200
    wins = np.where(game < 150, "ann", np.where(holds, "bob", np.where(game >= 390, "ann", "nobody")))
    noise = game % 3 - 1
    made.rows = pl.DataFrame(
        {
            "game": game,
            "cell": [made.cells[0].key] * 400,
            "winner": wins,
            "turns": np.where(holds, 10, np.where(game < 320, 5, 9)),
            "ending": np.where(holds, "none", np.where(game < 320, "assault", "surrender")),
            "score_ann": np.where(holds, 12 + noise, 0),
            "score_bob": np.where(holds, 10 - noise, 0),
            "score_cat": np.where(holds, 8, 0),
            "burnt": ((game >= 200) & (game < 360)).astype(int),
            "ann_walls": np.where(holds, game % 2 + 4, -1),
        }
    )
    return made


@pytest.fixture(scope="module")
def report() -> SideReport:
    (one,) = of_run(town()).sides
    return one


@pytest.fixture(scope="module")
def text() -> str:
    return " ".join(to_text(*renderables(blocks(of_run(town())))).split())


def test_only_the_games_that_the_side_wins_count_for_its_seats(report: SideReport) -> None:
    assert (report.games, report.lost) == (200, 200)
    assert [member.wins.value for member in report.members] == [0.75, 0.25, 0]
    assert [round(member.score.value) for member in report.members if member.score] == [12, 10, 8]


def test_a_seat_differs_from_the_average_if_the_interval_excludes_0(report: SideReport, text: str) -> None:
    gaps = [member.gap for member in report.members]
    assert gaps[0].value == pytest.approx(75 - 100 / 3) and gaps[0].low > 0
    assert gaps[1].high < 0 and gaps[2].value == pytest.approx(-100 / 3)
    assert (
        "an average seat wins 33.3 % of these games" in text
        and f"ann {gaps[0].signed} points" in text
        and "cat −33" in text
    )


@pytest.mark.parametrize(("holds", "wins"), [(3, (1, 1, 1)), (12, (1, 1, 1)), (150, (0.02, 0.02, 0.02))])
def test_seats_that_win_alike_are_rarely_said_to_differ(holds: int, wins: tuple[float, ...]) -> None:
    """By intervals without width, seats differed in 72 % of runs in which their side wins three games, in 16 % of those
    with twelve, and in 12 % where they hardly ever win."""
    made, generator, runs, false = town(), np.random.default_rng(1), 120, 0
    rows = made.rows
    for _ in range(runs):
        bits = 1 << generator.integers(0, 3, 400) if wins[0] == 1 else (generator.random((400, 3)) < wins) @ [1, 2, 4]
        made.rows = rows.with_columns(
            ending=np.where(np.arange(400) < holds, "none", "assault"), winners=pl.Series(bits, dtype=pl.Int64)
        )
        vars(made).pop("_view", None)
        (side,) = of_run(made).sides
        false += any(member.gap.low > 0 or member.gap.high < 0 for member in side.members)
    assert false <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)


def test_parts_of_a_score_are_listed_with_the_seat(report: SideReport) -> None:
    assert {name: mean.value for name, mean in report.members[0].parts.items()} == {"ann walls": 4.5}
    assert not report.members[1].parts


def test_losses_by_ending_with_length_and_marks(report: SideReport, text: str) -> None:
    first, second = report.losses
    assert (first.games, first.share.value, first.turns) == (120, 0.6, (5, 5, 5))
    burnt = first.marks["the mill has burnt"]
    assert burnt.value == 1 and burnt.low < 1
    assert next(iter(second.marks.values())).value == 0.5
    assert text.startswith("Lost by assault: 60 %")


def test_the_page_has_the_section() -> None:
    page = render(town())
    assert "The town holds, or not" in page and "ann walls" in page


@pytest.mark.parametrize("sides", [(), (Side("town", SEATS, "holds"),)])
def test_a_side_that_wins_whenever_a_seat_does_has_no_section(sides: tuple[Side, ...]) -> None:
    assert not of_run(town(sides)).sides
