"""`simlab plan`: what a pilot says of the games that an answer takes, against the answers that so many games give."""

import math

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.outcome import figures_of
from simlab.errors import UserMistake
from simlab.registry import load_game
from simlab.stats.precision import pairs_to_detect
from simlab.studies.diff import family_size
from simlab.studies.needed import Asked, _reach, games_needed
from tests.cli.forms import hold_to_form

BOTS = {"besieger": "rusher", "besieged": "mason"}


@pytest.fixture(scope="module")
def match():
    return Match(load_game("simple_siege"), bots=BOTS)


@pytest.fixture(scope="module")
def tweak():
    return Match(load_game("simple_siege"), bots=BOTS, knobs={"walls_start": 6})


def test_so_many_games_have_the_precision(match):
    needed = games_needed(Asked(match=match, precision=0.02, pilot=1_000))
    assert [need.what for need in needed.needs] == ["besieger_win", "besieged_win"]
    figures = figures_of(match.game)
    for need in needed.needs:
        reading = figures[need.what].interval(match.play(9, 0, need.games).tally)
        assert (reading.high - reading.low) / 2 == pytest.approx(0.02, rel=0.25)
    assert needed.needs[0].seconds > 0
    assert "pilot of 1,000 games" in needed.lines[0]
    assert needed.to_dict()["needs"][0]["games"] == needed.needs[0].games
    hold_to_form(needed.to_dict(), "plan")


def test_shared_luck_saves_games_and_the_pair_has_its_precision(match, tweak):
    needed = games_needed(Asked(match=match, change=tweak, detect=0.03, precision=0.02, pilot=1_000,
                                figures=["besieger_win"]))  # fmt: skip
    alone, paired = (next(n for n in needed.needs if "change of" in n.wanted and ("luck" in n.what) == same)
                     for same in (False, True))  # fmt: skip
    assert paired.games < alone.games
    assert alone.all_games == 2 * alone.games
    assert f"{alone.games / paired.games:.1f} times fewer games" in paired.note
    assert needed.family == family_size([match.game])  # what `simlab diff` judges together
    assert f"{needed.family} intervals judged together" in needed.lines[1]
    width = next(n for n in needed.needs if "the change to" in n.wanted)
    a, b = (m.play(5, 0, width.games).rows["winner"] == 0 for m in (match, tweak))
    change = figures_of(match.game)["besieger_win"].paired(a, b, 1 - 0.05 / needed.family)
    assert (change.high - change.low) / 2 == pytest.approx(0.02, rel=0.3)


@pytest.mark.parametrize("family", [1, 45, 327])
@pytest.mark.parametrize("name", ["besieger_win", "turns_mean"])
def test_a_change_is_seen_as_often_as_planned_by_the_intervals_of_diff(match, name, family):
    """Planned for one interval, a change was seen in 20 to 40 of 100 comparisons of 45 to 327 intervals."""
    figure, level = figures_of(match.game)[name], 1 - 0.05 / family
    generator = np.random.default_rng(family)
    if name == "besieger_win":
        kinds, chances = np.array([(0, 0), (1, 1), (0, 1), (1, 0)]), [0.5, 0.2, 0.165, 0.135]
    else:
        kinds, chances = np.array([(9, 9), (9, 10), (12, 10), (9, 8)]), [0.5, 0.3, 0.05, 0.15]
    pilot = kinds[np.repeat(np.arange(4), (20_000 * np.array(chances)).round().astype(int))]
    gaps = pilot[:, 1] - pilot[:, 0]
    change = float(gaps.mean())
    a, b = pilot.T.astype(float)
    games = pairs_to_detect(change, _reach(figure, a, b, change, level), float(gaps.std(ddof=1)))
    runs, seen = 400, 0
    for counts in generator.multinomial(games, chances, size=runs):
        before, after = kinds[np.repeat(np.arange(4), counts)].T
        if name == "besieger_win":
            before, after = before > 0, after > 0
        seen += figure.paired(before, after, level).low > 0
    assert seen / runs == pytest.approx(0.8, abs=0.05 + 2 * math.sqrt(0.8 * 0.2 / runs))


def test_the_pilots_luck_is_said_of_the_games_that_a_contract_takes(match):
    """A band whose edge lies within the pilot's interval may take any number of games."""
    near = float(match.play(1, 0, 300).tally.wins[0]) / 300
    (need,) = games_needed(Asked(match=match, contract={"besieger_win": {"min": near - 0.02}}, pilot=300)).needs
    least, most = need.between
    assert least < need.games / 4 and most is None
    assert "or more" in need.row[2] and "no number decides" in need.note
    (far,) = games_needed(Asked(match=match, contract={"besieger_win": {"max": near + 0.045}}, pilot=300)).needs
    least, most = far.between
    assert least < far.games < most


def test_a_change_that_moves_no_game_of_the_pilot_gets_no_number(match):
    same = Match(load_game("simple_siege"), bots=BOTS, knobs={"cost_camp3": 4})  # read under another cost model only
    figures = ["besieger_win", "turns_mean"]
    needed = games_needed(Asked(match=match, change=same, detect=0.02, pilot=300, figures=figures))
    assert needed.needs[1].games is None
    assert "no game of the pilot differs: a change of 1 point or more is unlikely" in needed.needs[1].note
    assert needed.needs[3].note == "no game of the pilot differs: that more than 1 % of the games do is unlikely"
    assert needed.needs[1].row[2] == "no number"


def test_a_contract_is_decided_with_about_so_many_games(match):
    contract = {"besieger_win": {"max": 0.6}, "turns_mean": {"max": 500.0}}
    needed = games_needed(Asked(match=match, contract=contract, pilot=300))
    assert [need.what for need in needed.needs] == ["contract: besieger_win", "contract: turns_mean"]
    for need in needed.needs:
        assert need.games is not None
        assert "as the pilot stands: met" in need.note
    near = float(match.play(1, 0, 300).tally.wins[0]) / 300
    for need in needed.needs:
        least, most = need.between
        assert least <= need.games and (most is None or need.games <= most)
    (edge,) = games_needed(Asked(match=match, contract={"besieger_win": {"min": near}}, pilot=300)).needs
    assert edge.games is None
    (close,) = games_needed(Asked(match=match, contract={"besieger_win": {"min": near - 0.02}}, pilot=300)).needs
    assert close.games > 1_000


def test_what_makes_no_sense_is_refused(match):
    for more, complaint in [
        ({}, "what shall the games tell"),
        ({"precision": 0.0}, "--precision: write a number above 0"),
        ({"precision": 0.1, "pilot": 10}, "so few games say nothing"),
        ({"precision": 0.1, "figures": ["besieger_wins"]}, "Did you mean 'besieger_win'"),
        ({"detect": 0.1, "power": 1.0}, "chances between 0 and 1"),
    ]:
        with pytest.raises(UserMistake, match=complaint):
            games_needed(Asked(match=match, **more))
