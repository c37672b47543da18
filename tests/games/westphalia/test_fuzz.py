"""Random rules, tables and bots as plain Python, where a wrong index raises; many with every index checked."""

from __future__ import annotations

import pytest

from simlab import compiler
from tests.games.fuzz import CHECKED, PLAIN, fuzz

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="started once, in processes of their own")


def test_random_games_stay_accounted_for() -> None:
    fuzz("westphalia", 3, PLAIN | {"SIMLAB_FUZZ_EVERY": "16"})


@pytest.mark.long
def test_many_random_games_stay_accounted_for() -> None:
    fuzz("westphalia", 1_000, CHECKED | {"SIMLAB_FUZZ_EVERY": "1"})
