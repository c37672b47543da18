"""`simlab plan`: the games a pilot asks for, against what so many games then achieve."""

import math

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.outcome import figures_of
from simlab.errors import InputError
from simlab.questions.comparison import family_size
from simlab.questions.plan.analysis import Request, plan_pairs, sample_size
from simlab.questions.plan.words import blocks
from simlab.registry import load_game
from simlab.stats.bounded_mean import mean_bounds
from tests.cli.forms import hold_to_form

BOTS = {"besieger": "rusher", "besieged": "mason"}


def shown(answer):
    """The cells of its table by row, and its sentences."""
    table, *sentences = blocks(answer)
    return table.values, " ".join(sentence.text for sentence in sentences)


@pytest.fixture(scope="module")
def match():
    return Match(load_game("simple_siege"), bots=BOTS)


@pytest.fixture(scope="module")
def tweak():
    return Match(load_game("simple_siege"), bots=BOTS, knobs={"walls_start": 6})


def test_so_many_games_have_the_precision(match):
    answer = sample_size(Request(match=match, precision=0.02, pilot=1_000))
    assert [need.what for need in answer.needs] == ["besieger_win", "besieged_win"]
    figures = figures_of(match.game)
    for need in answer.needs:
        reading = figures[need.what].interval(match.play(9, 0, need.games).tally)
        assert (reading.high - reading.low) / 2 == pytest.approx(0.02, rel=0.25)
    assert answer.needs[0].seconds > 0
    assert "pilot of 1,000 games" in shown(answer)[1]
    hold_to_form(answer.to_json())


def test_common_seeds_save_games_and_the_pair_has_its_precision(match, tweak):
    answer = sample_size(Request(match=match, change=tweak, detect=0.03, precision=0.02, pilot=1_000,
                                 statistics=["besieger_win"]))  # fmt: skip
    _, width, alone, paired = answer.needs
    assert (alone.goal, paired.goal) == ("detect 3 points", "detect 3 points")
    assert paired.games_each < alone.games_each
    assert alone.games == 2 * alone.games_each
    assert f"{alone.games_each / paired.games_each:.1f} times fewer games" in paired.note
    assert answer.family == family_size([match.game])  # what `simlab diff` judges together
    assert f"{answer.family} intervals judged together" in shown(answer)[1]
    assert width.goal == "change ± 2 points"
    a, b = (m.play(5, 0, width.games_each).rows["winner"] == 0 for m in (match, tweak))
    low, high = figures_of(match.game)["besieger_win"].change(a, b, 1 - 0.05 / answer.family)
    assert (high - low) / 2 == pytest.approx(0.02, rel=0.3)


@pytest.mark.parametrize("family", [1, 45, 327])
@pytest.mark.parametrize("name", ["besieger_win", "turns_mean"])
def test_a_change_is_detected_with_the_planned_power_by_the_intervals_of_diff(match, name, family):
    """Planned for one interval, a change was detected in 20 to 40 % of comparisons of 45 to 327 intervals."""
    figure, level = figures_of(match.game)[name], 1 - 0.05 / family
    generator = np.random.default_rng(family)
    if name == "besieger_win":
        kinds, chances = np.array([(0, 0), (1, 1), (0, 1), (1, 0)]), [0.5, 0.2, 0.165, 0.135]
    else:
        kinds, chances = np.array([(9, 9), (9, 10), (12, 10), (9, 8)]), [0.5, 0.3, 0.05, 0.15]
    a, b = kinds[np.repeat(np.arange(4), (20_000 * np.array(chances)).round().astype(int))].T.astype(float)
    games, _ = plan_pairs(figure, a, b, float((b - a).mean()), level, 0.8)
    runs, seen = 400, 0
    for counts in generator.multinomial(games, chances, size=runs):
        before, after = kinds[np.repeat(np.arange(4), counts)].T
        if name == "besieger_win":
            before, after = before > 0, after > 0
        seen += figure.change(before, after, level)[0] > 0
    assert seen / runs == pytest.approx(0.8, abs=0.05 + 2 * math.sqrt(0.8 * 0.2 / runs))


@pytest.mark.parametrize(
    ("bots", "knob", "value"),
    [
        (BOTS, "assault_entry_cost", 2),
        ({"besieger": "rusher", "besieged": "warden"}, "sally_penalty", 4),  # changes 1 game in 120
        ({"besieger": "random", "besieged": "random"}, "wall_damage", 2),  # 1 in 40, with a long tail
    ],
)
def test_a_mean_is_detected_with_the_planned_power_whatever_the_pilot_was(bots, knob, value):
    """Pilots of 2,000 games each, and 50 runs planned by each; without the tail the power was 62 % of the planned 80 %.

    The observed power is 81 to 92 %, averaged over the pilots.
    """
    game, level = load_game("simple_siege"), 1 - 0.05 / 45
    figure, generator = figures_of(game)["turns_mean"], np.random.default_rng(1)
    a, b = (
        Match(game, bots=bots, knobs=k).play(77, 0, 60_000).rows["turns"].astype(float) for k in ({}, {knob: value})
    )
    (before, after), counts = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    gaps, place = np.unique(after - before, return_inverse=True)
    change, powers = float((b - a).mean()), []
    for _ in range(20):
        pilot = generator.integers(0, a.size, 2_000)
        games, (low, high) = plan_pairs(figure, a[pilot], b[pilot], abs(change), level, 0.8)
        assert low <= games <= high
        drawn = generator.multinomial(games, counts / counts.sum(), size=50)
        by_gap = np.zeros((50, gaps.size))
        np.add.at(by_gap.T, place, drawn.T)
        most = np.array([figure.most_change(np.repeat(before, n), np.repeat(after, n), level) for n in drawn])
        ends = np.concatenate([mean_bounds(gaps, by_gap[most == m], -m, m, level) for m in np.unique(most)])
        powers.append(np.mean(ends[:, 0] > 0 if change > 0 else ends[:, 1] < 0))
    assert 0.76 <= np.mean(powers) <= 0.95


def test_the_pilots_error_is_shown_with_the_games_of_a_contract(match):
    """A band whose edge lies within the pilot's interval may take any number of games."""
    near = float(match.play(1, 0, 300).tally.wins[0]) / 300
    answer = sample_size(Request(match=match, contract={"besieger_win": {"min": near - 0.02}}, pilot=300))
    (need,) = answer.needs
    assert need.games_each_low < need.games / 4
    assert need.games_each_high is None
    assert "or more" in shown(answer)[0][0][2]
    assert "no number decides" in need.note
    (far,) = sample_size(Request(match=match, contract={"besieger_win": {"max": near + 0.045}}, pilot=300)).needs
    assert far.games_each_low < far.games < far.games_each_high


def test_a_change_that_moves_no_game_of_the_pilot_gets_no_number(match):
    same = Match(load_game("simple_siege"), bots=BOTS, knobs={"cost_camp3": 4})  # read under another cost model only
    names = ["besieger_win", "turns_mean"]
    answer = sample_size(Request(match=match, change=same, detect=0.02, pilot=300, statistics=names))
    assert answer.needs[1].games is None
    assert "no game of the pilot differs: a change of 1 point or more is unlikely" in answer.needs[1].note
    assert answer.needs[3].note == "no game of the pilot differs: more than 1 % of games that do are unlikely"
    assert shown(answer)[0][1][2] == "no number"


def test_a_contract_is_decided_with_about_so_many_games(match):
    contract = {"besieger_win": {"max": 0.6}, "turns_mean": {"max": 500.0}}
    answer = sample_size(Request(match=match, contract=contract, pilot=300))
    assert [need.what for need in answer.needs] == ["contract: besieger_win", "contract: turns_mean"]
    for need in answer.needs:
        assert need.games is not None
        assert "in the pilot: met" in need.note
        assert need.games_each_low <= need.games
        assert need.games_each_high is None or need.games <= need.games_each_high
    near = float(match.play(1, 0, 300).tally.wins[0]) / 300
    (edge,) = sample_size(Request(match=match, contract={"besieger_win": {"min": near}}, pilot=300)).needs
    assert edge.games is None
    (close,) = sample_size(Request(match=match, contract={"besieger_win": {"min": near - 0.02}}, pilot=300)).needs
    assert close.games > 1_000


def test_requests_without_a_sensible_goal_are_refused(match):
    for more, complaint in [
        ({}, "no goal"),
        ({"precision": 0.0}, "--precision: write a number above 0"),
        ({"precision": 0.1, "pilot": 10}, "too few games"),
        ({"precision": 0.1, "statistics": ["besieger_wins"]}, "Did you mean 'besieger_win'"),
        ({"detect": 0.1, "power": 1.0}, "chances between 0 and 1"),
    ]:
        with pytest.raises(InputError, match=complaint):
            sample_size(Request(match=match, **more))
