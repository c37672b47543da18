"""Random rules, seeds and bots with every array access checked (fuzz_games.py), in a process of its own."""

from __future__ import annotations

import pytest

from simlab import compiler
from tests.games.fuzz import CHECKED, fuzz

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="started once, in processes of their own")


@pytest.mark.long
def test_random_games_keep_their_cards_and_their_bounds() -> None:
    fuzz("simple_siege_class", 300, CHECKED, passed=3)


@pytest.mark.long
def test_many_random_games_keep_their_cards_and_their_bounds() -> None:
    fuzz("simple_siege_class", 20_000, CHECKED, passed=3)
