"""`simlab plan`: what a pilot says of the games that an answer takes, against the answers that so many games give."""

import pytest

from simlab.engine.match import Match
from simlab.engine.outcome import figures_of
from simlab.errors import UserMistake
from simlab.registry import load_game
from simlab.studies.needed import Asked, games_needed
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
    assert "times fewer games" in paired.note
    width = next(n for n in needed.needs if "the change to" in n.wanted)
    a, b = (m.play(5, 0, width.games).rows["winner"] == 0 for m in (match, tweak))
    change = figures_of(match.game)["besieger_win"].paired(a, b)
    assert (change.high - change.low) / 2 == pytest.approx(0.02, rel=0.3)


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
