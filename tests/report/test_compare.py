"""Bots compared: what is said of made-up tournaments whose truth is known."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from simlab.present.terminal import renderables
from simlab.questions.bots import match_ups, words
from simlab.questions.bots.analysis import of_run
from simlab.questions.bots.bot_field import in_field
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.report import html
from simlab.runs.tournament import drawn_match_ups
from simlab.runs.view import View
from tests.printed import to_text
from tests.report import fake

RPS = np.array([[0.5, 0.2, 0.8], [0.8, 0.5, 0.2], [0.2, 0.8, 0.5]])


def tournament(table, games=3_000, shared=True, names=("rock", "paper", "scissors"), knobs=None):
    rows, columns = np.shape(table)
    bots = {"besieger": list(names[:rows]), "besieged": list(names[:columns])}
    return fake.results(
        bots=bots, games=games, rows=True, shared=shared, knobs=knobs, chance=lambda a, b, _: float(table[a][b])
    )


def printed(view):
    return to_text(*renderables(words.blocks(of_run(view))), width=200)


def test_rock_paper_scissors_is_found_and_best_play_mixes():
    view = View(tournament(RPS, shared=False))
    found = of_run(view)
    text = " ".join(map(words.cycle_sentence, found.circles))
    assert "Rock, paper, scissors over both seats, 3 bots" in text
    assert "rock beats scissors" in text
    assert "A best-response cycle: against " in text
    best = found.best_play
    assert [one.share.value for one in best.mix["besieger"]] == pytest.approx([1 / 3] * 3, abs=0.06)
    assert best.value.low < 0.5 < best.value.high
    assert [one.mass.value for one in found.alpha_rank["besieger"]] == pytest.approx([1 / 3] * 3, abs=0.15)
    assert found.balance.swapped == "pairings"  # the bots differ, the seats do not
    assert found.balance.leader is None
    assert found.on_circle >= 6


def test_a_finding_that_holds_and_no_cycle():
    view = View(tournament([[0.7, 0.62, 0.66], [0.68, 0.6, 0.64]]))
    answer = of_run(view)
    assert answer.balance.stamp == "holds"
    assert "The besieger is significantly favoured in 6 of 6 match-ups" in words.balance_sentence(answer)
    assert words.no_cycle_sentence(answer).startswith("No best-response cycle")
    assert [one.share.value for one in answer.best_play.mix["besieger"]] == pytest.approx([1, 0])
    assert "the besieged plays paper;" in words.best_play_sentence(answer)
    assert [match.favoured for match in answer.match_ups] == ["besieger"] * 6


def test_shared_luck_makes_differences_of_bots_surer():
    table = [[0.52, 0.5], [0.5, 0.48]]
    alone, together = (of_run(View(tournament(table, shared=s))) for s in (False, True))
    assert alone.shared_luck_measured
    assert together.shared_luck_measured
    assert together.replies == 4
    assert alone.replies < 4


def test_without_rows_match_ups_count_as_independent():
    results = tournament(RPS)
    results.rows = None
    found = of_run(View(results))
    assert not found.shared_luck_measured
    assert "Match-ups therefore count as independent here" in html.render(results)


def test_the_section_the_terminal_and_json_agree():
    results = tournament(RPS, shared=False)
    view = View(results)
    page, text, data = html.render(results), printed(view), of_run(view).to_json()
    sentence = f"Balance (inconclusive): {words.balance_sentence(of_run(view))}"
    assert sentence in page
    assert sentence[:60] in " ".join(text.split())
    assert len(data["match_ups"]) == 9
    for match in data["match_ups"]:
        for rate in match["win_rate"].values():
            assert rate["low"] <= rate["estimate"] <= rate["high"]
    assert sum(line["share"]["estimate"] for line in data["best_play"]["mix"]["besieger"]) == pytest.approx(1)
    assert sum(line["mass"]["estimate"] for line in data["alpha_rank"]["besieged"]) == pytest.approx(1, abs=2e-3)
    assert data["circles"]


def test_intervals_of_the_match_ups_hold_together():
    """All nine of a table at once, in 95 % of made-up tournaments or more."""
    generator, hits, games = np.random.default_rng(1), 0, np.full(9, 150.0)
    for _ in range(1_000):
        wins = generator.binomial(150, RPS.ravel())
        found = match_ups.rates_together(np.column_stack([wins, 150 - wins]), games, games)
        hits += all(rates[0].low <= p <= rates[0].high for rates, p in zip(found, RPS.ravel(), strict=True))
    assert hits >= 940  # 950 and more are expected; two standard errors are 14


def test_knobs_are_averaged_and_it_says_so():
    view = View(tournament(RPS, games=400, knobs={"walls": [3, 4]}))
    found = of_run(view)
    assert [match.games for match in found.match_ups] == [800] * 9
    assert "all settings together" in words.balance_sentence(of_run(view))


def test_three_seats_have_strengths_and_no_matrix():
    bots = {"red": ["r1", "r2"], "green": ["g1"], "blue": ["b1", "b2"]}
    results = fake.results(seats=tuple(bots), bots=bots, games=2_000, rows=True, chance=lambda a, b, _: 0.3 + 0.2 * a)
    view = View(results)
    found = of_run(view)
    assert [one.bot for one in found.strengths["red"]] == ["r2", "r1"]
    assert found.best_play is None
    assert "strongest first" in printed(view)
    page = html.render(results)
    assert "Luce" in page
    assert "Share of the wins by bot" in page


def four_seats(seed, games=300):
    """Three bots in four alike seats; each bot has luck of its own in each seat, the same in all match-ups. In a tenth
    of the games the two best share the win, in a twentieth nobody wins."""
    seats, bots = ("north", "east", "south", "west"), ["ann", "bob", "cy"]
    who = np.array(list(np.ndindex(2, 2, 3, 2)))
    results = fake.results(
        seats=seats, bots={seat: bots[: 3 if seat == "south" else 2] for seat in seats}, games=games, rows=True
    )
    luck = np.random.default_rng(seed).gumbel(size=(games, 4, 3))
    drawn = luck[:, np.arange(4)[None, :], who] + np.array([0.0, 0.5, 0.0])[who]
    order = np.argsort(-drawn, axis=2)
    kind = np.random.default_rng(seed + 10_000).random(games)[:, None]
    bits = np.where(kind < 0.05, 0, 1 << order[:, :, 0])
    bits = np.where(kind > 0.9, bits | 1 << order[:, :, 1], bits)
    winner = np.where(kind < 0.05, 1, np.where(kind > 0.9, 0, 2 + order[:, :, 0]))  # as the counts have it
    credit = (bits[:, :, None] >> np.arange(4) & 1) / np.maximum(np.bitwise_count(bits), 1)[:, :, None]
    columns = {"winner": [], "winners": []}
    for place, cell in enumerate(results.cells):
        cell.tally.outcomes[:] = 0
        np.add.at(cell.tally.outcomes, (winner[:, place], 1, 5), np.uint64(1))
        cell.tally.won_with[:] = 0
        games_of, seat = np.nonzero(credit[:, place])
        np.add.at(cell.tally.won_with, (seat, np.bitwise_count(bits[games_of, place])), np.uint64(1))
        columns["winner"].append(np.array(["shared", "nobody", *seats])[winner[:, place]])
        columns["winners"].append(bits[:, place].astype(np.uint16))
    results.rows = results.rows.with_columns(**{name: np.concatenate(all_) for name, all_ in columns.items()})
    return View(results), credit, who


def test_bots_in_a_field_of_four_seats_share_wins_in_parts():
    view, credit, who = four_seats(1)
    lines = {line.bot: line for line in in_field(view)}
    assert list(lines) == ["bob", *sorted(["ann", "cy"], key=lambda bot: -lines[bot].share.value)]
    for bot, name in enumerate(["ann", "bob", "cy"]):
        mine = who == bot
        each = [credit[:, mine[:, seat], seat].mean() for seat in range(4) if mine[:, seat].any()]
        assert lines[name].share.value == pytest.approx(np.mean(each))  # each seat that it took counts alike
        by_seat = lines[name].by_seat.values()
        assert [rate is None for rate in by_seat] == [not mine[:, seat].any() for seat in range(4)]
        for other, beside in enumerate(["ann", "bob", "cy"]):
            met = [credit[:, m, s].mean() for m, s in np.argwhere(mine) if other in np.delete(who[m], s)]
            rate = lines[name].beside[beside]
            assert rate is None if not met else rate.value == pytest.approx(np.mean(met))
    total = sum(rate.value for rate in (view.all.value(view.payoff(seat)) for seat in range(4)))
    assert total == pytest.approx((credit.sum(axis=2) > 0).mean())
    found = of_run(view)
    rates = found.match_ups[0].win_rate.values()
    assert sum(rate.value for rate in rates) == pytest.approx(credit[:, 0].sum(axis=1).mean())
    text = printed(view)
    assert "Share of the wins by bot" in text
    assert "when the column's bot is in another seat" in " ".join(text.split())
    data = of_run(view).to_json()
    assert data["field"][0]["bot"] == "bob"
    assert data["strengths"]["north"][0]["bot"] == "bob"


def test_bots_in_a_field_scatter_over_seeds_as_their_intervals_say():
    values, halves = [], []
    for seed in range(25):
        lines = {line.bot: line.share for line in in_field(four_seats(seed, 150)[0])}
        values.append([lines[bot].value for bot in ("ann", "bob", "cy")])
        halves.append([(lines[bot].high - lines[bot].low) / 2 for bot in ("ann", "bob", "cy")])
    assert np.mean(halves, axis=0) / norm.ppf(1 - 0.025 / 3) == pytest.approx(np.std(values, axis=0), rel=0.35)


def test_a_bot_that_never_won_is_told_by_its_upper_end():
    view = View(tournament([[0.5, 0.6], [0.0, 0.0]], games=300, shared=False, names=("rock", "paper")))
    elo = of_run(view).to_json()["ranking"]["besieger"][1]["elo"]
    assert (elo["estimate"], elo["low"]) == (None, None)
    assert -900 < elo["high"] < -500
    assert "below −" in printed(view)


def test_a_solo_game_is_compared_by_wins_and_score():
    bots = {"player": ["brave", "timid", "twin"]}
    results = fake.results(seats=("player",), bots=bots, games=2_000, rows=True)
    view = View(results)
    # One seat always wins in the made-up games: give the bots their own records.
    for cell, rate in zip(view.cells, (0.6, 0.4, 0.59), strict=True):
        won = np.random.default_rng(4).random(2_000) < rate
        cell.nobody, cell.wins = int((~won).sum()), np.array([int(won.sum())])
        cell.tally.won_with[0, 1] = won.sum()
    view.__dict__["_paired"] = None
    lines = of_run(view).solo
    assert [line.bot for line in lines] == ["brave", "twin", "timid"]
    assert [line.sure for line in lines] == [False, False, True]
    assert lines[2].points_behind.value == pytest.approx(20, abs=3)
    assert "but not significantly more than twin" in words.solo_sentence(of_run(view).solo)
    assert of_run(view).balance is None
    assert math.isfinite(of_run(view).to_json()["solo"][1]["points_behind"]["low"])


def test_hostile_names_stay_text(hostile):
    page = html.render(hostile)
    assert "<script" not in page
    of_run(hostile).to_json()


# --- seats that all have the same bots


def symmetric(seed, seat=0.0, games=400, bots=6, shared=False):
    """Bots of different strength in a game of two alike seats, but for what the first is worth."""
    strength = np.linspace(-1, 1, bots)

    def chance(a, b, _):
        return float(np.clip(1 / (1 + np.exp(strength[b] - strength[a])) + seat, 0.01, 0.99))

    names = [f"bot{i}" for i in range(bots)]
    return View(
        fake.results(
            seats=("ann", "bob"), bots={"ann": names, "bob": names}, games=games, rows=True, seed=seed, chance=chance,
            shared=shared,
        )
    )  # fmt: skip


def test_bots_are_not_taken_for_seats():
    """Of alike seats none is called favoured, whatever the bots are worth: half of the 36 match-ups were."""
    runs, false = 20, 0
    for seed in range(runs):
        view = symmetric(seed, games=100)
        found = of_run(view).balance
        assert found.swapped == "pairings"
        assert found.total == 21  # 6 x 6 match-ups: 15 pairs both ways round, 6 of a bot with itself
        false += found.leader is not None
    assert false <= 0.05 * runs + 2 * np.sqrt(runs * 0.05 * 0.95)
    assert "21 pairings of bots, each in both seats" in words.balance_sentence(of_run(view))


def test_match_ups_on_the_same_seeds_are_not_independent_if_their_correlation_is_unknown():
    """60 games are too few to measure it. If all 9 match-ups are the same games, their average is worth 60 games; as if
    independent, its interval missed in half of the runs.
    """
    runs, called, missed = 30, 0, 0
    bots = {seat: ["one", "two", "three"] for seat in ("ann", "bob")}
    for seed in range(runs):
        view = View(
            fake.results(
                seats=("ann", "bob"), bots=bots, games=60, seed=seed, shared=True, rows=True, chance=lambda *_: 0.5
            )
        )
        found, _ = match_ups.balance(view, match_ups.Profiles.of(view), None)
        called += found.leader is not None
        missed += not found.mean.low <= 0.5 <= found.mean.high
    assert max(called, missed) <= 0.05 * runs + 2 * np.sqrt(runs * 0.05 * 0.95)


def test_a_seat_that_is_better_is_found_whatever_the_bots():
    view = symmetric(1, seat=0.12, games=2_000)
    found = of_run(view).balance
    assert (found.leader, found.favoured["bob"]) == ("ann", 0)
    assert found.favoured["ann"] >= 15
    assert found.mean.value == pytest.approx(0.62, abs=0.02)
    assert found.mean.low < 0.62 < found.mean.high


def test_of_drawn_line_ups_no_seat_is_favoured_by_the_bots_that_it_got():
    """Four alike seats, twelve bots of which half are far better, 40 drawn line-ups."""
    generator, runs, false, strength = np.random.default_rng(5), 200, 0, np.repeat([0.0, 3.0], 6)
    for run in range(runs):
        line_ups = np.array(drawn_match_ups([12] * 4, 40, run))
        won = (generator.gumbel(size=(200, 40, 4)) + strength[line_ups]).argmax(axis=2)
        rows = [(won == seat).astype(float) for seat in range(4)]
        shares = [seat.mean(axis=0) for seat in rows]
        covariances = [np.cov(seat, rowvar=False) / 200 for seat in rows]
        found = match_ups._over_drawn(shares, covariances, np.ones(40, bool), 0.02)
        false += found.leader is not None
    assert false <= 0.05 * runs + 2 * np.sqrt(runs * 0.05 * 0.95)


def test_one_cell_of_different_bots_says_that_the_bots_may_be_the_cause():
    results = fake.results(
        seats=("ann", "bob"), bots={"ann": ["good"], "bob": ["bad"]}, games=500, chance=lambda *_: 0.8
    )
    assert "different bots" not in " ".join(headline_of(View(results)).verdict.findings)  # nothing known of other bots
    results.studies = {"bots": [{"cell": "", "untried": {"ann": ["bad"], "bob": ["good"]}}]}
    assert any(text.startswith("The seats have different bots") for text in headline_of(View(results)).verdict.findings)
