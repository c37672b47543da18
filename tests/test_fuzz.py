"""Random knobs, player counts, bots and traits: no bot is illegal, no number leaves its range."""

from __future__ import annotations

import os

import numpy as np
import pytest

from simlab.bot_registry import load_bot
from simlab.engine.stepper import Stepper
from simlab.registry import find_games, load_game
from tests.random_settings import drawn_bot, drawn_knobs, fuzz

SECONDS = float(os.environ.get("SIMLAB_FUZZ_SECONDS", "60"))


@pytest.mark.long
@pytest.mark.parametrize("slug", ["connect_four", "kuhn_poker", "pig", "simple_siege"])
def test_bots_are_legal_at_random_settings(slug: str) -> None:
    found = fuzz(slug, 3, seconds=60, settings=6)
    assert found.settings == 6 and found.games > 0
    assert not found.breaches, found


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 1200)
@pytest.mark.parametrize("slug", sorted(find_games()))
def test_every_game_for_a_while(slug: str) -> None:
    """SIMLAB_FUZZ_SECONDS=3600 pytest -m long -o faulthandler_timeout=0 tests/test_fuzz.py"""
    found = fuzz(slug, 1, seconds=SECONDS)
    assert not found.breaches, found


@pytest.mark.parametrize("slug", ["simple_siege", "mighty_fortress", "montsegur", "westphalia", "lowenheim", "tricks"])
def test_drawn_settings_are_allowed(slug: str) -> None:
    game, draw = load_game(slug), np.random.default_rng(1)
    loaded: set[str] = set()
    for _ in range(100):
        knobs = drawn_knobs(game, draw)
        loaded |= knobs.keys() & game.knobs.luck.keys()
        assert all(game.knobs[name].parse(value) is not None for name, value in knobs.items())
        for seat in game.seats:
            load_bot(game, seat, drawn_bot(game, seat, draw))
    assert loaded == game.knobs.luck.keys()


def test_a_track_outside_its_range_is_a_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stepper, "tracks", lambda self: {track.name: track.high + 1 for track in self.game.tracks})
    found = fuzz("simple_siege", 1, seconds=60, settings=3)
    assert len(found.breaches) == 1, found
    assert "outside" in found.breaches[0] and "simlab replay simple_siege" in found.breaches[0]
