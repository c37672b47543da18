"""The cards one by one: shares, differences, dead cards and those that are nearly always played."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.questions.items.analysis import Items, ItemUse, of_run
from simlab.registry import load_game
from simlab.report import figures
from simlab.runs.view import View
from simlab.stats.intervals import level_of_each
from tests.cli.forms import hold_to_form
from tests.report.fake import results


@pytest.fixture
def answer() -> Items:
    return of_run(View(results(games=4000)))


def uses(answer: Items, item: str) -> list[ItemUse]:
    """The uses of an item by the besieger, or the player of a solo game."""
    return [one for one in answer.of_seat(next(iter(answer.never_had))) if one.item == item]


def test_cards_that_never_came_up_are_named(answer: Items) -> None:
    assert answer.never_had["besieger"] == ("Castle",)
    assert {one.item for one in answer.of_seat("besieger")} == {"Ambush", "Bridge"}


def test_a_card_that_is_had_and_never_used_is_dead(answer: Items) -> None:
    assert answer.dead("besieger", answer.uses[1]) == ["Bridge"]
    assert answer.frequent("besieger", answer.uses[1]) == []


def test_a_use_that_no_item_of_the_kind_has_is_not_shown() -> None:
    source = results(games=1_000)
    source.cells[0].tally.counts["item_games"][0, 2] = 40  # the Castle was had, and winter knows no events
    answer = of_run(View(source))
    assert [one.use for one in uses(answer, "Castle")] == [answer.uses[0]]
    assert len(uses(answer, "Bridge")) == len(answer.uses)  # it might have been used so, as the Ambush was
    assert answer.dead("besieger", answer.uses[1]) == ["Bridge"]


def test_shares_are_of_the_games_in_which_the_seat_had_the_card(answer: Items) -> None:
    held, event = uses(answer, "Ambush")[:2]
    assert held.rate.value == pytest.approx(0.5)
    assert event.rate.value == pytest.approx(event.games / held.games)


def test_the_difference_is_that_of_games_with_and_without_the_use() -> None:
    view = View(results(games=4000))
    answer = of_run(view)
    event = uses(answer, "Ambush")[1]
    wins, games = int(view.all.cells[0].alone[0]), view.games
    without = (wins - event.games) / (games - event.games)
    assert event.gap_points.value == pytest.approx(100 * (1 - without))
    assert event.gap_points.low > 0
    assert answer.strongest("besieger")[0] == event


def test_cells_that_share_seeds_widen_the_intervals() -> None:
    one, several = of_run(View(results(games=2000))), of_run(View(results(games=1000, knobs={"walls": [4, 5]})))
    assert several.games == one.games
    narrow, wide = (uses(answer, "Ambush")[1].gap_points for answer in (one, several))
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
    answer = of_run(View(source))
    found = uses(answer, "Ambush")[1].gap_score
    strict = level_of_each(0.95, len(answer.items))
    exact = ttest_ind(scores[used], scores[~used], equal_var=False).confidence_interval(strict)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=0.02)


def test_the_chart_has_a_line_for_each_of_the_strongest() -> None:
    ax = figures.items(results(games=4000))
    assert next(text.get_text() for text in ax.get_yticklabels()) == "Ambush: event"


@pytest.mark.parametrize("scores", [False, True])
def test_the_json_keeps_to_its_schema(scores: bool) -> None:
    answer = of_run(results(games=400, scores=scores))
    hold_to_form(answer.to_json())
    assert (uses(answer, "Ambush")[1].gap_score is not None) == scores


def test_numbers_without_an_item_are_left_out_of_reports() -> None:
    """Lowenheim's record has room for more event and command cards than the box has."""
    source = results(games=400)
    names = source.manifest["names"]
    names["items"] = [["", name] if name == "Castle" else [kind, name] for kind, name in names["items"]]
    assert of_run(View(source)).never_had["besieger"] == ()
    game = load_game("lowenheim")
    assert game.items
    padded = [
        kind
        for kind, name in game.items.names(Match(game, bots=dict.fromkeys(game.seats, "random")).table_rows)
        if "no card" in name
    ]
    assert padded and not any(padded)


@pytest.mark.parametrize("games", [1, 2])
def test_one_or_two_lucky_games_are_not_a_difference(games: int) -> None:
    source = results(games=400)
    tally = source.cells[0].tally
    tally.counts["item_games"][0, 2] = games
    tally.counts["item_wins"][0, 2] = games
    answer = of_run(View(source))
    assert all(one.item != "Castle" for one in answer.strongest("besieger"))
    gap = uses(answer, "Castle")[0].gap_points
    assert gap.low < 0 < gap.high


def test_the_interval_of_the_largest_of_forty_equal_differences_covers() -> None:
    """Picked by its own games, it lies too high: an interval of its own covered in a quarter to a half of the runs."""
    generator, runs, named, covered = np.random.default_rng(2), 40, 0, 0
    source = results(games=1_000)
    source.manifest["names"] |= {"items": [["spring", f"card {place}"] for place in range(40)], "n_items": 40}
    tally = source.cells[0].tally
    wins = int(tally.outcomes[2].sum())
    base = wins / 1_000
    for _ in range(runs):
        games = np.zeros((4, 40), np.uint64)
        games[0] = generator.binomial(1_000, 0.1, 40)
        with_it = base + 0.13 * (1 - games[0] / 1_000)  # of the games with the card, if all others add up to the same
        won = np.zeros_like(games)
        won[0] = generator.binomial(games[0].astype(int), with_it)
        tally.counts["item_games"], tally.counts["item_wins"] = games, won
        answer = of_run(View(source))
        top = answer.strongest("besieger")[:1]
        named += len(top)
        covered += any(one.gap_points.low <= 13 <= one.gap_points.high for one in top)
    assert named > 20
    assert covered >= 0.95 * named - 2 * np.sqrt(0.05 * 0.95 * named)


def test_a_card_of_many_is_rarely_said_to_be_hardly_ever_or_nearly_always_used() -> None:
    """Forty cards are used just over 2 %, or just under 75 %, of the games: single intervals named one in most runs."""
    generator, runs, false = np.random.default_rng(3), 60, 0
    source = results(games=4_000)
    source.manifest["names"] |= {"items": [["spring", f"card {place}"] for place in range(80)], "n_items": 80}
    for _ in range(runs):
        games = np.zeros((4, 80), np.uint64)
        games[0] = 4_000
        games[2] = generator.binomial(4_000, np.repeat((0.0201, 0.7499), 40))
        source.cells[0].tally.counts |= {"item_games": games, "item_wins": games // 2}
        answer = of_run(View(source))
        use = answer.uses[1]
        false += bool(answer.dead("besieger", use) or answer.frequent("besieger", use))
    assert false <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)
