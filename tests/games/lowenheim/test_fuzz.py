"""Random rules, tables and bots as plain Python, where a wrong index raises; many with every index checked."""

from __future__ import annotations

import pytest

from simlab import compiler
from tests.games.fuzz import CHECKED, PLAIN, fuzz

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="started once, in processes of their own")


def test_random_games_stay_accounted_for() -> None:
    fuzz("lowenheim", 3, PLAIN)


@pytest.mark.long
def test_many_random_games_stay_accounted_for() -> None:
    fuzz("lowenheim", 300, CHECKED)
