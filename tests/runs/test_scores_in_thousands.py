"""Scores in the thousands, over the thousand turns that a class allows unless it says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

import simlab
from simlab.engine.counts import track_step
from simlab.errors import InputError
from simlab.game import Track
from simlab.questions.tracks.analysis import of_run
from simlab.registry import find_games, load_game

BANK = Path(__file__).parents[1] / "cases" / "scores_in_thousands" / "bank.py"


def test_a_game_with_scores_up_to_twenty_thousand_gives_results(tmp_path: Path) -> None:
    """Ten throws of a die times 300 each. 20 dice decide: seats tie in 4.2 % of the games, the mean is 10,500."""
    played = simlab.run(str(BANK), games=4_000, out=tmp_path / "bank")
    (cell,) = played.cells
    values, games = cell.tally.histogram("score_ann")
    assert games @ values / 4_000 == pytest.approx(10_500, abs=4 * 1_620 / 4_000**0.5)
    assert cell.wins["shared"] / 4_000 == pytest.approx(0.042, abs=0.013)
    assert (cell.wins["ann"] - cell.wins["shared"]) / 4_000 == pytest.approx(0.479, abs=0.032)
    track = of_run(played).tracks[0]
    median = track.quantiles[track.turns.index(20)][2]
    assert median == pytest.approx(10_500, rel=0.03)  # at the start of turn 20, ann has thrown ten times


def test_tracks_are_counted_value_by_value_unless_they_would_take_too_much_memory() -> None:
    for slug in find_games():
        assert track_step(load_game(slug)) == 1
    bank = load_game(str(BANK))
    step = track_step(bank)
    assert 1 < step <= 25  # of 20,000
    wide = [Track("points", 0, 1_000_000_000)]
    long = type("Spec", (), {"tracks": wide, "max_turns": 32_767})
    assert (1_000_000_001 // track_step(long)) * 32_768 < 5_000_000


def test_a_deck_has_as_many_cards_as_can_be_redrawn() -> None:
    from simlab.author import Deck

    assert Deck(10_000).size == 10_000
    for size in (0, 10_001, 10_000_000):
        with pytest.raises(InputError, match=f"Deck\\({size:,}\\): a deck has 1 to 10,000 cards"):
            Deck(size)
