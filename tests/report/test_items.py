"""The cards one by one: shares, differences, dead cards and those that play themselves."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import UserMistake
from simlab.registry import load_game
from simlab.report import figures, items
from simlab.report.counted import counted
from simlab.results.view import View
from tests.cli.forms import hold_to_form
from tests.report.fake import results


@pytest.fixture
def report() -> items.ItemReport:
    return items.reports(View(results(games=4000)))[0]


def test_cards_that_never_came_up_are_named(report: items.ItemReport) -> None:
    assert report.never_had == ["Castle"]
    assert sorted(report.table) == [0, 1]


def test_a_card_that_is_had_and_never_used_is_dead(report: items.ItemReport) -> None:
    assert report.dead(1) == ["Bridge"]
    assert report.certain(1) == []


def test_a_use_that_no_item_of_the_kind_has_is_not_shown() -> None:
    source = results(games=400)
    source.cells[0].tally.counts["item_games"][0, 2] = 40  # the Castle was had, and winter knows no events
    report = items.reports(View(source))[0]
    assert report.shown(report.table[2][0]) is not None and report.shown(report.table[2][1]) is None
    assert report.shown(report.table[1][1]) is not None  # the Bridge might have been one, as the Ambush was
    assert report.dead(1) == ["Bridge"]


def test_shares_are_of_the_games_in_which_the_seat_had_the_card(report: items.ItemReport) -> None:
    held, event = report.table[0]
    assert held.rate.value == pytest.approx(0.5)
    assert event.rate.value == pytest.approx(event.games / held.games)


def test_the_difference_is_that_of_games_with_and_without_the_use(report: items.ItemReport) -> None:
    event = report.table[0][1]
    wins, games = int(report.pool.cells[0].alone[0]), report.pool.games
    without = (wins - event.games) / (games - event.games)
    assert event.gap.value == pytest.approx(100 * (1 - without))
    assert event.gap.low > 0
    assert report.strongest[0].item == 0
    assert report.strongest[0].use == 1


def test_cells_that_share_luck_widen_the_intervals() -> None:
    one = items.reports(View(results(games=2000)))[0]
    several = items.reports(View(results(games=1000, knobs={"walls": [4, 5]})))[0]
    assert several.pool.games == one.pool.games
    narrow, wide = one.table[0][1].gap, several.table[0][1].gap
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_the_difference_of_scores_is_welchs() -> None:
    from scipy.stats import ttest_ind

    generator = np.random.default_rng(1)
    scores, used = generator.integers(0, 30, 900), generator.random(900) < 0.4
    source = results(games=900, seats=("player",), bots={"player": ["calm"]})
    source.manifest["names"]["has_scores"] = True
    tally = source.cells[0].tally
    tally.metrics["score_player"] = np.unique(scores, return_counts=True)
    tally.item_games[1, 0], tally.item_score[1, 0] = used.sum(), scores[used].sum()
    tally.item_wins[1, 0] = used.sum()
    tally.item_squares[1, 0] = (scores[used] ** 2).sum()
    found = items.reports(View(source))[0].table[0][1].score
    exact = ttest_ind(scores[used], scores[~used], equal_var=False).confidence_interval(0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=0.02)


def test_the_figure_draws_a_line_for_each_of_the_strongest(report: items.ItemReport) -> None:
    ax = figures.items(report)
    assert next(text.get_text() for text in ax.get_yticklabels()) == "Ambush: event"


@pytest.mark.parametrize("scores", [False, True])
def test_a_program_reads_the_same(scores: bool) -> None:
    source = results(games=400, scores=scores)
    source.sizes = (2,)
    answer = counted(source, "items")
    hold_to_form(answer, "items-counted")
    report = items.reports(View(source))[0]
    lines = [one for one in answer["items"] if one["seat"] == "besieger"]
    assert [one["games"] for one in lines] == [
        use.games for uses in report.table.values() for use in uses if report.shown(use)
    ]
    event = report.table[0][1]
    assert lines[1]["gap_points"]["estimate"] == pytest.approx(event.gap.value)
    assert (lines[1]["gap_score"] is not None) == scores
    assert answer["never_had"]["besieger"] == ["Castle"]
    source.sizes = (3, 4)
    with pytest.raises(UserMistake, match="several numbers of players"):
        counted(source, "items")


def test_numbers_without_an_item_are_left_out_of_reports(report: items.ItemReport) -> None:
    """Lowenheim's record has room for more event and command cards than the box has."""
    report.names = [("", name) if name == "Castle" else (kind, name) for kind, name in report.names]
    assert report.never_had == []
    game = load_game("lowenheim")
    assert game.items
    names = game.items.names(Match(game, bots=dict.fromkeys(game.seats, "random")).table_rows)
    padded = [kind for kind, name in names if "no card" in name]
    assert padded and not any(padded)


@pytest.mark.parametrize("games", [1, 2])
def test_one_or_two_lucky_games_are_not_a_difference(games: int) -> None:
    source = results(games=400)
    tally = source.cells[0].tally
    tally.counts["item_games"][0, 2] = games
    tally.counts["item_wins"][0, 2] = games
    report = items.reports(View(source))[0]
    assert all(one.item != 2 for one in report.strongest)
    gap = report.table[2][0].gap
    assert gap.low < 0 < gap.high
