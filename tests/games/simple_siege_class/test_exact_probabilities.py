"""The ledger's chances P-01 to P-09, which exact.py works out as fractions, against games played in bulk.

Bots that follow a script bring about the event once a game, then wait. A deck that some cards have left is as
good as a fresh one to the cards that come next, as long as nobody chose which ones left; so the event may come
in a later turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.match import Batch, Match
from tests.games.simple_siege_class import exact
from tests.games.simple_siege_class.table import GAME, RULES, fresh

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="millions of games: compiled only")

GAMES = 200_000
BOT = '''
from simlab.author import bot, trait
from tests.games.simple_siege_class.game import Siege

ABOUT = "number of the action in that turn; -1 waits"

@bot(Siege)
def script(
    game, turn1=trait(-1, -1, 14, ABOUT), turn2=trait(-1, -1, 14, ABOUT), turn3=trait(-1, -1, 14, ABOUT),
    turn4=trait(-1, -1, 14, ABOUT), turn5=trait(-1, -1, 14, ABOUT), throw=trait(1, 1, 5, "cards"),
    draw=trait(0, 0, 3, "cards"),
):
    """Acts turn by turn as written, then discards a card a turn."""
    if game.decision == game.assault_size:
        return throw
    if game.decision == game.defence:
        return min(draw, game.option_count - 1)
    action = -1
    if game.turn == 1:
        action = turn1
    elif game.turn == 2:
        action = turn2
    elif game.turn == 3:
        action = turn3
    elif game.turn == 4:
        action = turn4
    elif game.turn == 5:
        action = turn5
    if action >= 0:
        return action
    return 9 if game.decision == game.besieger_action else 0

@bot(Siege, seats=("besieger",))
def fate_watcher(game):
    """Waits; in turn 6 the action tells how many Fate cards lie face up."""
    if game.decision == game.besieger_action and game.turn == 6:
        if game.turned_up.count == 0:
            return "Resupply"
        return "Bombard (Enemy)" if game.turned_up.count == 2 else "Bombard (Walls)"
    return "Besiege" if game.decision == game.besieger_action else 0
'''

# Numbers of the actions of both sides.
WAIT, BOMBARD_WALLS, STORM, RESUPPLY, MINE, TOWER, LADDERS, CAMP_1 = 9, 11, 13, 14, 0, 1, 2, 6
SALLY_ENEMY = 4


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots") / "scripted.py"
    path.write_text(BOT)
    return path


def script(bots: Path, *actions: int, throw: int = 1, draw: int = 0) -> str:
    turns = "".join(f":turn{turn}={action}" for turn, action in enumerate(actions, 1))
    return f"{bots}:script{turns}:throw={throw}:draw={draw}"


def play(besieger: str, besieged: str, knobs: Mapping[str, Any] | None = None, fate: Path | None = None) -> Batch:
    tables = {} if fate is None else {"fate": fate}
    match = Match(GAME, knobs=knobs, tables=tables, bots={"besieger": besieger, "besieged": besieged})
    return match.play(20_000, 0, GAMES)


def agree(hits: int, chance: Fraction, trials: int = GAMES) -> None:
    p = float(chance)
    z = (hits - trials * p) / sqrt(trials * p * (1 - p))
    assert abs(z) < 4, f"{hits} of {trials}, {hits / trials:.6f} where {p:.6f} is exact: z = {z:.1f}"


def mean_agrees(values: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], mean: Fraction) -> None:
    trials = int(counts.sum())
    average = float((values * counts).sum()) / trials
    variance = float(((values - average) ** 2 * counts).sum()) / (trials - 1)
    z = (average - float(mean)) / sqrt(variance / trials)
    assert abs(z) < 4, f"mean {average:.5f} where {float(mean):.5f} is exact: z = {z:.1f}"


@pytest.mark.parametrize(("draw", "chance"), [(0, exact.p_01()), (1, exact.p_02())])
def test_P_01_and_P_02_bombard(bots: Path, draw: int, chance: Fraction) -> None:
    assert chance in (Fraction(1, 2), Fraction(1, 10))
    batch = play(script(bots, BOMBARD_WALLS), script(bots, draw=draw))
    agree(int(batch.rows["bombards_won"].sum()), chance)


def test_P_03_assault_one_against_one(bots: Path) -> None:
    assert exact.p_03() == Fraction(7, 25)
    batch = play(script(bots, MINE, STORM, throw=1), script(bots, draw=1))
    agree(int((batch.rows["ending"] == GAME.endings.index("assault")).sum()), exact.p_03())


def test_P_04_assault_three_against_three(bots: Path) -> None:
    assert exact.p_04() == Fraction(169657, 321100)
    batch = play(script(bots, MINE, TOWER, LADDERS, STORM, throw=3), script(bots, draw=3))
    agree(int((batch.rows["ending"] == GAME.endings.index("assault")).sum()), exact.p_04())


@pytest.mark.parametrize(("besieger", "chance"), [(WAIT, exact.p_05()[0]), (CAMP_1, exact.p_05()[1])])
def test_P_05_sally(bots: Path, besieger: int, chance: Fraction) -> None:
    assert chance in (Fraction(9, 20), Fraction(21, 100))
    batch = play(script(bots, besieger, draw=1), script(bots, SALLY_ENEMY), {"mod_camp1": 3})
    agree(int(batch.rows["sallies_won"].sum()), chance)


def test_P_06_length_of_a_fate_cycle(bots: Path) -> None:
    """At the start of turn 6, 0, 1 or 2 of the five Fate cards came after a first cycle of 5, 4 or 3."""
    assert exact.p_06() == (Fraction(5, 26), Fraction(1215, 286))
    batch = play(f"{bots}:fate_watcher", "waiter")
    counts = batch.tally.chosen[0, 0, [12, 11, 14]].astype(np.int64)
    assert counts.sum() == GAMES
    agree(int(counts[0]), exact.p_06()[0])
    mean_agrees(np.array([3, 4, 5]), counts, exact.p_06()[1])


FATE_HEAD = "id,name,colour,copies,effect,joker,source\n"


def test_P_07_cards_that_the_red_joker_takes(bots: Path, tmp_path: Path) -> None:
    assert exact.p_07() == (Fraction(41, 21), Fraction(1, 2), Fraction(10, 39))
    fate = tmp_path / "fate.csv"  # a Fate deck that is always the red Joker
    fate.write_text(FATE_HEAD + "red_joker,Red Joker,red,1,mill_until besieged red,no,reconstructed\n")
    batch = play("waiter", "waiter", fate=fate)
    left = batch.tally.tracks[2, [t.name for t in GAME.tracks].index("cards_besieged")].astype(np.int64)
    taken = 39 - np.arange(left.size)  # the Besieged spent one card on the action
    assert left.sum() == GAMES
    mean_agrees(taken, left, exact.p_07()[0])
    for number in (1, 2):
        agree(int(left[taken == number].sum()), exact.p_07()[number])


def test_P_08_cards_that_resupply_brings_back(bots: Path, tmp_path: Path) -> None:
    assert exact.p_08() == (Fraction(37, 78), Fraction(3, 4))
    fate = tmp_path / "fate.csv"  # a Fate that leaves the Besieger alone
    fate.write_text(FATE_HEAD + "red_court,Red court card,red,6,mill besieged 1,no,reconstructed\n")
    batch = play(script(bots, WAIT, WAIT, WAIT, WAIT, RESUPPLY), "waiter", fate=fate)
    mean_agrees(batch.rows["recovered"], np.ones(GAMES, np.int64), exact.p_08()[0])
    agree(GAMES - int(batch.tally.fired_games[RULES.index("SS-RES-03")]), exact.p_08()[1])


def test_P_09_waiter_against_waiter() -> None:
    assert round(float(exact.p_09()), 7) == 0.4818151
    agree(int((play("waiter", "waiter").rows["winner"] == 0).sum()), exact.p_09())


def test_every_card_is_as_likely_on_every_place_of_a_fresh_deck() -> None:
    """The top 10 places of both decks over 400 games; chi square of about 390 degrees of freedom."""
    games, places = 400, 10
    counts = np.zeros((2, places, 40), np.int64)
    for game in range(games):
        state = fresh(seed=7, game=game).state
        for side in range(2):
            counts[side, np.arange(places), state.decks_order[side, 40 - places :]] += 1
    expected = games / 40
    for side in range(2):
        chi_square = float(((counts[side] - expected) ** 2 / expected).sum())
        assert abs(chi_square - 390) < 5 * sqrt(2 * 390)
