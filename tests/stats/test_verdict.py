"""The balance contract: verdicts, sentences, and the number of games that would decide."""

import math

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.game import Metric
from simlab.stats.figure import Figures
from simlab.stats.verdict import BROKEN, MET, UNDECIDED, band, digits_for, judge, overall
from tests.stats.counted import Counted

SEATS, ENDINGS = ("besieger", "besieged"), ("assault", "surrender", "abandon")


def tally(wins=(50, 50), nobody=0, shared=0, lengths=None, **metrics):
    """Counts of games in which the first seat wins by assault and the second by abandon."""
    games = sum(wins) + nobody + shared
    lengths = {turns: round(games * share) for turns, share in (lengths or {10: 1.0}).items()}
    return Counted(wins, nobody, shared, [games - wins[1], 0, wins[1]], lengths, metrics)


MEASURES = {
    "turns": Metric("turns", "length in turns", "turns", low=0, high=40),
    "walls": Metric("walls", "", low=0, high=12),
    "hunger": Metric("hunger", "", never=0, low=1, high=20),
    "phase": Metric("phase", "", codes={0: "none", 4: "siege_phase"}),
    "raids": Metric("raids", "", low=0),
}
FIGURES = Figures(SEATS, ENDINGS, MEASURES)
THREE = Figures(("a", "b", "c"), ("end",), {})


def line(name, wanted, counts, level=0.95):
    return judge({name: wanted}, [("", counts)], FIGURES, level)[0].lines[0]


@pytest.mark.parametrize(
    ("wins", "verdict"),
    [((5_000, 5_000), MET), ((6_000, 4_000), BROKEN), ((520, 480), UNDECIDED), ((1, 1), UNDECIDED)],
)
def test_a_win_rate_against_its_band(wins, verdict):
    found = line("besieger_win", {"target": 0.5, "margin": 0.03}, tally(wins))
    assert found.verdict == verdict
    assert found.estimate == wins[0] / sum(wins)
    assert (found.more_games is not None) == (verdict == UNDECIDED)


def test_sentences_say_figure_interval_band_and_verdict():
    met = line("besieger_win", {"target": 0.5, "margin": 0.03}, tally((50_100, 49_900)))
    assert met.sentence == "wins of the besieger: 50.1 % (49.6 to 50.6 %); wanted 47 to 53 %: met."
    broken = line("turns_mean", {"max": 9}, tally((5_000, 5_000)))
    figure = "mean length in turns: 10.000 turns (9.993 to 10.021 turns)"
    assert broken.sentence == f"{figure}; wanted at most 9 turns: broken."
    unsure = line("draw_rate", {"max": 0.05}, tally((480, 470), nobody=50))
    assert "inconclusive" in unsure.sentence


def test_the_games_asked_for_decide_as_often_as_promised():
    """Four times in five, if the true rate is what it looks like."""
    generator = np.random.default_rng(11)
    first = line("besieger_win", {"max": 0.55}, tally((1060, 940)))
    assert first.verdict == UNDECIDED
    games = 2000 + first.more_games
    decided = 0
    for wins in generator.binomial(games, 0.53, size=400):
        decided += line("besieger_win", {"max": 0.55}, tally((int(wins), int(games - wins)))).verdict == MET
    assert 0.75 < decided / 400 < 0.95


@pytest.mark.parametrize(
    ("name", "wanted", "counts", "verdict"),
    [
        ("besieged_win", {"min": 0.4, "max": 0.6}, tally((5_000, 5_000)), MET),
        ("draw_rate", {"max": 0.01}, tally((4_000, 4_000), nobody=1_000, shared=1_000), BROKEN),
        ("draw_rate", {"max": 0.05}, tally((5_000, 4_990), shared=10), MET),
        ("seat_gap", {"max": 0.05}, tally((5_050, 4_950)), MET),
        ("seat_gap", {"max": 0.02}, tally((5_500, 4_500)), BROKEN),
        ("seat_gap", {"max": 0.02}, tally((510, 490)), UNDECIDED),
        ("turns_p50", {"max": 10}, tally((500, 500)), MET),
        ("turns_p90", {"max": 14}, tally((500, 500), lengths={10: 0.7, 20: 0.3}), BROKEN),
        ("turns_p90", {"max": 14}, tally((500, 500), lengths={10: 0.9, 20: 0.1}), UNDECIDED),
        ("turns_p5", {"min": 4}, tally((500, 500)), MET),
        ("ending_assault", {"min": 0.4}, tally((5_000, 5_000)), MET),
        ("ending_surrender", {"min": 0.01}, tally((5_000, 5_000)), BROKEN),
        ("walls_mean", {"min": 2, "max": 4}, tally(walls={2: 4000, 4: 4000}), MET),
        ("walls_mean", {"max": 1}, tally(walls={2: 4000, 4: 4000}), BROKEN),
        ("walls_mean", {"min": 3}, tally(walls={2: 40, 4: 41}), UNDECIDED),
    ],
)
def test_each_figure_that_a_contract_may_name(name, wanted, counts, verdict):
    assert line(name, wanted, counts).verdict == verdict
    assert name in FIGURES


def test_more_games_are_asked_for_in_each_kind_of_line():
    for name, wanted, counts in [
        ("seat_gap", {"max": 0.02}, tally((505, 495))),
        ("turns_p90", {"max": 14}, tally((500, 500), lengths={10: 0.91, 20: 0.09})),
        ("walls_mean", {"min": 3}, tally(walls={2: 40, 4: 46})),
    ]:
        found = line(name, wanted, counts)
        assert found.verdict == UNDECIDED
        assert found.more_games >= 10


def test_a_mean_rests_on_its_stated_range():
    """All of 3,000 games had no raid: that says nothing of a game in 10,000 with any number of them."""
    unbounded = line("raids_mean", {"max": 0.1}, tally(raids={0: 3_000}))
    assert (unbounded.verdict, unbounded.more_games, unbounded.high) == (UNDECIDED, None, math.inf)
    assert "the game states no high for raids" in unbounded.sentence
    assert "ask for a quantile, as raids_p90" in unbounded.sentence
    assert line("raids_mean", {"min": 1}, tally(raids={2: 1_500, 3: 1_500})).verdict == MET
    with pytest.raises(InputError, match=r"walls_mean: numbers from 0 to 13 leave the range 0\.\.12 that the game"):
        line("walls_mean", {"min": 1}, tally(walls={0: 1, 13: 1}))


def test_a_number_if_it_happened_is_a_share_and_the_mean_of_those():
    """Hunger comes early, in few games: an average with 0 for never would call it earlier than it is."""
    hungry = tally(hunger={0: 90_000, 8: 5_000, 12: 5_000})
    assert line("hunger_share", {"max": 0.12}, hungry).verdict == MET
    assert line("hunger_share", {"max": 0.12}, hungry).estimate == 0.1
    assert line("hunger_mean", {"min": 9}, hungry).verdict == MET
    assert line("hunger_mean", {"min": 9}, hungry).estimate == 10
    assert line("hunger_p50", {"min": 8, "max": 8}, hungry).estimate == 8


def test_a_category_has_shares_and_no_mean():
    fallen = tally(phase={0: 9_000, 4: 1_000})
    found = line("phase_is_siege_phase", {"max": 0.15}, fallen)
    assert (found.verdict, found.estimate) == (MET, 0.1)
    assert found.sentence.startswith("games with phase siege phase: 10.0 % (")
    assert line("phase_is_none", {"min": 0.5}, tally(phase={4: 1_000})).verdict == BROKEN
    for name in ("phase_mean", "phase_p90"):
        with pytest.raises(InputError, match=r"phase is a category.*Ask for a share: phase_is_none, phase_is_siege"):
            line(name, {"max": 1}, fallen)


def test_at_the_very_edge_no_number_is_promised():
    found = line("besieger_win", {"max": 0.5}, tally((500, 500)))
    assert found.more_games is None
    assert "no number of games" in found.sentence


def test_three_seats_have_a_gap_too():
    counts = Counted([1200, 1000, 800])
    found = judge({"seat_gap": {"max": 0.05}}, [("", counts)], THREE)[0].lines[0]
    assert found.estimate == pytest.approx(400 / 3000)
    assert found.low < found.estimate < found.high
    assert found.verdict == BROKEN


def test_seats_that_win_together_have_a_gap_too():
    counts = Counted([480, 0, 0], shared=520, wins=np.array([480, 520, 520]))  # one against two who win together
    found = judge({"seat_gap": {"max": 0.3}}, [("", counts)], THREE)[0].lines[0]
    assert found.estimate == pytest.approx(0.04)
    assert found.low <= 0.04 <= found.high < 0.2
    assert found.verdict == MET


def test_the_gaps_interval_covers():
    """Three equal seats have no gap, and the interval says that none is possible."""
    generator, hits = np.random.default_rng(2), 0
    for wins in generator.multinomial(300, [1 / 3] * 3, size=60):
        counts = Counted(wins)
        found = judge({"seat_gap": {"max": 0.01}}, [("", counts)], THREE)[0].lines[0]
        hits += found.low <= 0
    assert hits >= 56  # of 60: at a coverage of 80 % one run in 170 would pass


def test_many_cells_share_the_level_and_one_that_breaks_breaks_all():
    cells = [(f"walls {n}", tally((5_000 + n, 5_000 - n))) for n in (0, 20, 900)]
    clause = judge({"besieger_win": {"target": 0.5, "margin": 0.03}}, cells, FIGURES)[0]
    assert clause.verdict == BROKEN
    assert sorted(line.verdict for line in clause.lines) == [BROKEN, MET, MET]
    assert "met in 2, broken in 1, of 3 cells" in clause.sentence
    alone = line("besieger_win", {"target": 0.5, "margin": 0.03}, cells[0][1])
    assert clause.lines[0].high > alone.high
    assert overall([clause]) == BROKEN
    assert overall([]) == MET
    all_met = judge({"besieger_win": {"min": 0.4}}, cells, FIGURES)[0]
    assert "met in all 3 cells" in all_met.sentence


def test_no_games_are_no_verdict():
    found = line("besieger_win", {"min": 0.5}, tally((0, 0)))
    assert found.verdict == UNDECIDED
    assert math.isnan(found.estimate)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"targt": 0.5, "margin": 0.1}, "Did you mean 'target'"),
        ({"target": 0.5}, "give {target, margin}"),
        ({}, "give {target, margin}"),
        ({"target": 0.5, "max": 0.6}, "give {target, margin}"),
        ({"target": 0.5, "margin": 0}, "leaves no room"),
        ({"min": 0.6, "max": 0.4}, "is above"),
        ({"max": "high"}, "is not a number"),
        ({"max": True}, "is not a number"),
    ],
)
def test_a_band_that_is_none_is_refused(wanted, says):
    with pytest.raises(InputError, match=says):
        band("turns_p90", wanted)


def test_an_unknown_figure_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="Did you mean 'besieger_win'"):
        line("besiger_win", {"max": 1}, tally())


def test_digits_fit_the_interval():
    assert [digits_for(w) for w in (30, 6, 3, 0.6, 0.4, 0.04, 0, math.inf)] == [0, 0, 1, 1, 2, 3, 2, 2]
