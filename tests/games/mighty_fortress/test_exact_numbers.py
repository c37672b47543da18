"""The exact numbers of the ledger's section 9.3: counted where all cases can be asked, else played.

A simulated share lies within five standard errors of the exact one, or the test fails.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.stepper import Stepper
from tests.games.mighty_fortress.table import PRINTED, QUIET, match_of, scene

GAMES = 4000


@cache
def starts() -> list[dict[str, Any]]:
    """Queue and dice at the first decision of many games, without effects of Fate and decree."""
    if not compiler.compiling():
        pytest.skip("thousands of games: compiled only")
    match, found = match_of(tables=QUIET), []
    for game in range(GAMES):
        s = Stepper(match, 77, game).state
        dice = [d for d in range(30) for _ in range(int(s.avail[d]))]
        found.append({"queue": s.queue.tolist(), "strength": int(s.siege_strength), "dice": dice})
    return found


def close(values: list[float], exact: float) -> None:
    spread = float(np.std(values)) / sqrt(len(values))
    assert abs(float(np.mean(values)) - exact) < 5 * max(spread, 1e-4)


@pytest.mark.parametrize(("difference", "twelfths"), [(-2, 5), (-1, 4), (0, 3), (1, 2), (2, 1), (3, 0)])
def test_P_01_chance_of_a_breach(difference: int, twelfths: int) -> None:
    breaches = 0
    for roll in range(1, 13):
        table = scene(dice="K1 W1 W1", unrest=9, defense=max(difference, 0), strength=max(-difference, 0))
        table.roll("assault", roll).act("Deconstruction", "with Black 1")
        breaches += table.over
    assert breaches == twelfths


@pytest.mark.parametrize(("die", "decree", "twelfths"), [("W1", 0, 4), ("R1", 0, 3), ("R1", 2, 1)])
def test_P_02_chance_of_a_casualty_in_a_raid(die: str, decree: int, twelfths: int) -> None:
    hit = 0
    for roll in range(1, 13):
        table = scene(dice=f"{die} {die}", queue=["Fishwives"])
        table.state.raid_roll_turn = decree
        table.roll("raid", roll).act("Raid Fishwives (slot 1)")
        hit += table.decision == "MF-D-04"
    assert hit == twelfths


def test_P_03_no_city_in_the_first_queue() -> None:
    exact = Fraction(comb(36, 6), comb(44, 6))
    assert exact == Fraction(6324, 22919)
    close([float(all(c < 48 for c in start["queue"])) for start in starts()], float(exact))


def ratings() -> list[int]:
    return [int(row["rating"]) for row in PRINTED["outsiders"]] + [0] * 8


def test_P_04_mean_siege_strength_of_the_first_queue() -> None:
    assert Fraction(6 * sum(ratings()), 44) == Fraction(81, 22)
    counts = [ratings().count(n) for n in range(3)]
    total = Fraction(0)
    for twos in range(min(counts[2], 6) + 1):
        for ones in range(min(counts[1], 6 - twos) + 1):
            ways = comb(counts[2], twos) * comb(counts[1], ones) * comb(counts[0], 6 - twos - ones)
            total += Fraction(min(5, 2 * twos + ones) * ways, comb(44, 6))
    assert total == Fraction(321349, 91676)
    close([float(start["strength"]) for start in starts()], float(total))


def test_P_05_full_siege_strength_in_the_first_queue() -> None:
    close([float(start["strength"] == 5) for start in starts()], 13449 / 45838)


def test_P_06_no_blue_die_among_the_first_seven() -> None:
    assert Fraction(comb(26, 7), comb(31, 7)) == Fraction(2024, 8091)
    close([float(all(d // 6 != 3 for d in start["dice"])) for start in starts()], 2024 / 8091)


def test_P_07_mean_of_the_highest_pip_among_seven() -> None:
    exact = sum(Fraction(pip * (pip**7 - (pip - 1) ** 7), 6**7) for pip in range(1, 7))
    assert exact == Fraction(527597, 93312)
    close([float(max(d % 6 + 1 for d in start["dice"])) for start in starts()], float(exact))


def test_P_08_a_fate_card_in_a_game_of_14_turns() -> None:
    if not compiler.compiling():
        pytest.skip("hundreds of games: compiled only")
    match, seen = match_of({}, "warden"), []
    for game in range(150):
        stepper = Stepper(match, 5, game)
        cards = set()
        while not stepper.over:
            cards.add(int(stepper.state.fate_drawn))
            stepper.apply(stepper.policy_action())
        if int(stepper.state.turn) == 14 and int(stepper.state.ending) >= 5:
            assert len(cards) == 14
            seen += [float(card in cards) for card in (4, 20, 24)]
    close(seen, 13 / 24)


def test_the_pairs_of_cards_come_equally_often() -> None:
    """Lazy drawing is a shuffle: every pair of cards shares the first Queue as often as every other."""
    pairs = np.zeros((56, 56))
    for start in starts():
        for a, b in combinations(sorted(start["queue"]), 2):
            pairs[a, b] += 1
    shares = pairs[pairs > 0] / GAMES
    exact = comb(6, 2) / comb(44, 2)
    assert len(shares) == comb(44, 2)
    assert abs(shares - exact).max() < 5.5 * sqrt(exact / GAMES)
