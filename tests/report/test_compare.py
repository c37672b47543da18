"""Bots compared: what is said of made-up tournaments whose truth is known."""

import math

import numpy as np
import pytest

from simlab.report import compare, html
from simlab.report.tables import to_text
from simlab.report.view import View
from tests.report import fake

RPS = np.array([[0.5, 0.2, 0.8], [0.8, 0.5, 0.2], [0.2, 0.8, 0.5]])


def tournament(table, games=3_000, shared=True, names=("rock", "paper", "scissors"), knobs=None):
    rows, columns = np.shape(table)
    bots = {"besieger": list(names[:rows]), "besieged": list(names[:columns])}
    return fake.results(
        bots=bots, games=games, rows=True, shared=shared, knobs=knobs, chance=lambda a, b, _: float(table[a][b])
    )


def test_rock_paper_scissors_is_told_and_best_play_mixes():
    view = View(tournament(RPS, shared=False))
    found = compare.study(view)
    told = " ".join(compare.circle_sentences(view, found))
    assert "Rock, paper, scissors over both seats, 3 bots" in told
    assert "rock beats scissors" in told
    assert "A circle of better replies: against " in told
    assert found.best.mix_a == pytest.approx([1 / 3] * 3, abs=0.06)
    assert found.best.low < 0.5 < found.best.high
    assert found.survivors.mass[0] == pytest.approx([1 / 3] * 3, abs=0.15)
    assert found.dependence.stamp == "fragile"
    assert found.on_circle >= 6


def test_a_finding_that_holds_and_no_circle():
    view = View(tournament([[0.7, 0.62, 0.66], [0.68, 0.6, 0.64]]))
    found = compare.study(view)
    assert found.dependence.stamp == "holds"
    assert "The besieger is favoured for certain in 6 of 6 match-ups" in compare.balance_sentence(view, found)
    assert compare.circles_sentence(found).startswith("No circle")
    assert found.best.mix_a == pytest.approx([1, 0])
    assert "the besieged sends paper 100 %" in compare.best_sentence(view, found)
    assert [match.call for match in found.match_ups] == [0] * 6


def test_shared_luck_makes_differences_of_bots_surer():
    table = [[0.52, 0.5], [0.5, 0.48]]
    alone, together = (compare.study(View(tournament(table, shared=s))) for s in (False, True))
    assert alone.measured
    assert together.measured
    assert together.replies == 4
    assert alone.replies < 4


def test_without_rows_match_ups_count_as_independent():
    results = tournament(RPS)
    results.rows = None
    found = compare.study(View(results))
    assert not found.measured
    assert "match-ups count as independent here" in html.render(results)


def test_the_section_the_terminal_and_json_agree():
    results = tournament(RPS, shared=False)
    view = View(results)
    page, text, data = html.render(results), to_text(*compare.terminal(view), width=200), compare.summary(view)
    sentence = data["balance"]["sentence"]
    assert sentence in page
    assert "fragile</span>" in page
    assert " ".join(sentence.split())[:60] in " ".join(text.split())
    assert len(data["match_ups"]) == 9
    for match in data["match_ups"]:
        for rate in match["win_rate"].values():
            assert rate["low"] <= rate["estimate"] <= rate["high"]
    assert sum(line["share"] for line in data["best_play"]["mix"]["besieger"]) == pytest.approx(1)
    assert sum(line["mass"] for line in data["alpha_rank"]["besieged"]) == pytest.approx(1)
    assert data["circles"]


def test_intervals_of_the_match_ups_hold_together():
    """All nine of a table at once, in 95 % of made-up tournaments or more."""
    generator, hits, games = np.random.default_rng(1), 0, np.full(9, 150.0)
    for _ in range(1_000):
        wins = generator.binomial(150, RPS.ravel())
        found = compare._match_ups(["abc", "abc"], (3, 3), np.column_stack([wins, 150 - wins]), games, games, [0] * 9)
        hits += all(m.rates[0].low <= p <= m.rates[0].high for m, p in zip(found, RPS.ravel(), strict=True))
    assert hits >= 940  # 950 and more are expected; two standard errors are 14


def test_knobs_are_averaged_and_it_says_so():
    view = View(tournament(RPS, games=400, knobs={"walls": [3, 4]}))
    found = compare.study(view)
    assert [match.games for match in found.match_ups] == [800] * 9
    assert "all settings of the knobs taken together" in compare.balance_sentence(view, found)


def test_three_seats_have_strengths_and_no_matrix():
    bots = {"red": ["r1", "r2"], "green": ["g1"], "blue": ["b1", "b2"]}
    results = fake.results(seats=tuple(bots), bots=bots, games=2_000, rows=True, chance=lambda a, b, _: 0.3 + 0.2 * a)
    view = View(results)
    found = compare.study(view)
    assert found.strengths.order(0) == [1, 0]
    assert found.best is None
    assert "strongest first" in to_text(*compare.terminal(view))
    assert "Luce" in html.render(results)


def test_a_solo_game_is_compared_by_wins_and_score():
    bots = {"player": ["brave", "timid", "twin"]}
    results = fake.results(seats=("player",), bots=bots, games=2_000, rows=True)
    view = View(results)
    # One seat always wins in the made-up games: give the bots their own records.
    for cell, rate in zip(view.cells, (0.6, 0.4, 0.59), strict=True):
        won = np.random.default_rng(4).random(2_000) < rate
        cell.by_winner = np.array([0, int((~won).sum()), int(won.sum())])
    view.__dict__["_rows"] = None
    lines = compare.solo(view)
    assert [line.bot for line in lines] == ["brave", "twin", "timid"]
    assert [line.sure for line in lines] == [False, False, True]
    assert lines[2].behind.value == pytest.approx(20, abs=3)
    assert "but twin may be as good" in compare.solo_sentence(lines)
    assert compare.study(view) is None
    assert math.isfinite(compare.summary(view)["solo"][1]["points_behind"]["low"])


def test_hostile_names_stay_text(hostile):
    page = html.render(hostile)
    assert "<script" not in page
    compare.summary(View(hostile))
