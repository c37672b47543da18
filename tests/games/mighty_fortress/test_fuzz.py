"""Random rules, seeds and bots with every array access checked (fuzz_games.py), in a process of its own."""

from __future__ import annotations

import pytest

from simlab import compiler
from tests.games.fuzz import CHECKED, fuzz

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="started once, in processes of their own")


@pytest.mark.long
def test_random_games_keep_their_dice_and_their_bounds() -> None:
    fuzz("mighty_fortress", 40, CHECKED, passed=3)


@pytest.mark.long
def test_many_random_games_keep_their_dice_and_their_bounds() -> None:
    fuzz("mighty_fortress", 20_000, CHECKED, passed=3)
