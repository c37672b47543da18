"""The small known games: contract, ledger and fingerprint of each, lightly; and what is known of them exactly."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isclose

import numpy as np
import pytest
from scipy import stats

from simlab.bot_registry import find_bots
from simlab.engine.match import Match
from simlab.engine.outcome import won
from simlab.engine.stepper import Stepper
from simlab.games.pig import optimal
from simlab.registry import load_game
from simlab.testing import check_game, check_policy
from tests.box import SMALL
from tests.games.small.pig_losses import losses
from tests.search.kuhn import HANDS, Play, average_play, exploitability, payoff, value

#: Knobs that bring the rules up which the printed game does not have, or hardly ever.
OTHERWISE: dict[str, dict[str, int | bool]] = {
    "pig": {"die_sides": 2, "goal": 100},
    "connect_four": {"middle_barred": True, "line": 6},
}


def played(slug: str, games: int, knobs: dict[str, int | bool] | None = None, **bots: str) -> np.ndarray:
    game = load_game(slug)
    return Match(game, knobs=knobs, bots={seat: bots.get(seat, "random") for seat in game.seats}).play(1, 0, games).rows


@pytest.mark.long
@pytest.mark.parametrize("slug", SMALL)
def test_its_bots_keep_the_contract_and_do_not_peek(slug: str) -> None:
    game = load_game(slug)
    for number, bot in enumerate(find_bots(game)):
        check_policy(game, game.seats[number % len(game.seats)], bot, games=2)


@pytest.mark.parametrize("slug", SMALL)
def test_it_keeps_the_contract(slug: str) -> None:
    assert check_game(load_game(slug), games=4, knobs=OTHERWISE.get(slug))


@pytest.mark.long  # each number of players is compiled
@pytest.mark.parametrize("slug", SMALL)
def test_it_keeps_the_contract_and_each_of_its_rules_fires(slug: str) -> None:
    game = load_game(slug)
    assert all(rule.text for rule in game.rules)
    fired = np.zeros(len(game.rules))
    for players in sorted(set(game.players)):  # the fewest and the most: each number is compiled
        table = load_game(slug, players or None)
        assert check_game(table, games=4, knobs=OTHERWISE.get(slug))
        reckless = "hold_at:points=100" if slug == "pig" else "random"  # who never holds never ends the game
        for knobs, bot in ((None, "random"), (OTHERWISE.get(slug), reckless)):
            tally = Match(table, knobs=knobs, bots=dict.fromkeys(table.seats, bot)).play(1, 0, 400).tally
            fired += np.asarray(tally.fired).reshape(-1, len(game.rules)).sum(axis=0)
    assert [rule.id for rule, count in zip(game.rules, fired, strict=True) if count == 0] == []


# --- Pig: Neller and Presser (2004) -------------------------------------------


def test_pig_is_worth_0_5306_to_who_begins() -> None:
    """And the table that the bot plays from is what value iteration finds, but where both choices are as good."""
    chances, gain = optimal.best_play()
    assert isclose(chances[100, 100], 0.530593, abs_tol=5e-7)
    holds = np.unpackbits(optimal.read_table())[: gain.size].reshape(gain.shape).astype(bool)
    assert (np.abs(gain[holds != (gain > 0)]) < 1e-9).all()
    assert not holds[100, 100, :21].any() and holds[100, 100, 21]  # it holds at 21 first


def test_best_play_of_pig_wins_as_often_as_it_is_worth() -> None:
    wins = won(played("pig", 40_000, first="optimal", second="optimal"), 0)
    assert abs(wins.mean() - 0.530593) < 4.5 * 0.5 / np.sqrt(40_000)
    best = won(played("pig", 40_000, first="optimal", second="hold_at"), 0).mean()
    assert best > 0.530593 + 0.01, "holding at 20 is not best play"


def test_choices_lose_what_win_rates_differ_by() -> None:
    """Best play loses nothing, and `racer` about half a point: in 2,000 games 0.51 (±0.06) as first."""
    assert losses("optimal", 0, 10).max() < 1e-9
    lost = 100 * losses("racer", 0, 150)
    error = lost.std() / np.sqrt(150)
    assert 0.2 < lost.mean() < 0.8
    wins = [100 * won(played("pig", 40_000, first=bot, second="optimal"), 0) for bot in ("optimal", "racer")]
    apart = wins[0].astype(float) - wins[1]
    assert abs(apart.mean() - lost.mean()) < 4.5 * np.hypot(error, apart.std() / 200)


def test_holding_at_20_brings_what_it_should() -> None:
    """The first turn of 400 games: nothing in 62.5 %, else 20 to 25, 8.14 points on average."""
    law = optimal.law_of_a_turn(20)
    assert sum(law.values()) == 1
    assert isclose(law[0], 0.6245, abs_tol=5e-5) and isclose(sum(n * p for n, p in law.items()), 8.1418, abs_tol=5e-5)
    game = load_game("pig")
    match = Match(game, bots=dict.fromkeys(game.seats, "hold_at"))
    seen = dict.fromkeys(law, 0)
    for number in range(400):
        stepper = Stepper(match, 7, number)
        while stepper.seat == "first":
            stepper.apply(stepper.policy_action())
        seen[int(stepper.state.points[0])] += 1
    expected = [float(400 * chance) for chance in law.values()]
    assert stats.chisquare(list(seen.values()), expected).pvalue > 1e-4


# --- Kuhn poker: Kuhn (1950) --------------------------------------------------


def solution(bluff: Fraction) -> Play:
    """The equilibrium with this chance of a bluff, by card and actions so far."""
    third, none, sure = Fraction(1, 3), Fraction(0), Fraction(1)
    play: Play = {(0, ()): bluff, (1, ()): none, (2, ()): 3 * bluff}
    play |= {(0, (0, 1)): none, (1, (0, 1)): bluff + third, (2, (0, 1)): sure}
    play |= {(0, (0,)): third, (1, (0,)): none, (2, (0,)): sure}
    return play | {(0, (1,)): none, (1, (1,)): third, (2, (1,)): sure}


@pytest.mark.parametrize("bluff", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_every_equilibrium_of_kuhn_poker_is_worth_minus_an_18th_to_the_first(bluff: Fraction) -> None:
    assert value(solution(bluff)) == Fraction(-1, 18)
    assert exploitability(solution(bluff)) == 0


def test_the_equilibrium_bot_plays_the_solution() -> None:
    samples = 60
    for point, chance in average_play("equilibrium:bluff=0.2", samples).items():
        expected = float(solution(Fraction(1, 5))[point])
        assert abs(float(chance) - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / samples), point
    scores = played("kuhn_poker", 400_000, first="equilibrium", second="equilibrium")["score"][:, 0]
    assert abs(scores.mean() + 1 / 18) < 4.5 * scores.std() / np.sqrt(scores.size)


def test_the_kernel_pays_what_the_tree_of_kuhn_poker_says() -> None:
    game = load_game("kuhn_poker")
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    for hand in HANDS:
        for actions in ((0, 0), (1, 0), (1, 1), (0, 1, 0), (0, 1, 1)):
            stepper = Stepper(match)
            stepper.state.card[0], stepper.state.card[1] = hand
            for action in actions:
                stepper.apply(action)
            assert stepper.row()["score"][0] == payoff(hand, actions)


# --- Connect Four -------------------------------------------------------------


def test_connect_four_has_as_many_positions_by_ply_as_are_known() -> None:
    """1, 7, 49, 238, 1120, 4263, ...: OEIS A212693."""
    game = load_game("connect_four")
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    now = {b"": Stepper(match)}
    counts = [1]
    for _ in range(5):
        after: dict[bytes, Stepper] = {}
        for stepper in now.values():
            for column in stepper.legal():
                child = stepper.copy()
                child.apply(column)
                after.setdefault(child.state.board.tobytes(), child)
        now = after
        counts.append(len(now))
    assert counts == [1, 7, 49, 238, 1120, 4263]


# --- Tricks -------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 5])
def test_with_one_card_each_who_leads_takes_the_trick_as_often_as_counted(players: int) -> None:
    """Its card takes it unless one of the others holds a higher one of its suit, or a trump where it is none."""
    others = players - 1
    chance = Fraction(0)
    for card in range(52):
        for turned in range(52):
            if card == turned:
                continue
            better = sum(1 for rank in range(card % 13 + 1, 13) if card // 13 * 13 + rank != turned)
            if card // 13 != turned // 13:
                better += 12
            chance += Fraction(comb(50 - better, others), comb(50, others) * 52 * 51)
    rules = {"hand_size": 1, "deals": 1, "exact_bonus": 0}
    game = load_game(f"tricks:players={players}")
    rows = Match(game, knobs=rules, bots=dict.fromkeys(game.seats, "random")).play(1, 0, 40_000).rows
    expected = float(chance) / 2  # bob leads, and bids one trick every other time: then it scores a point
    error = np.sqrt(expected * (1 - expected) / 40_000)
    assert abs((rows["score"][:, 1] == 1).mean() - expected) < 4.5 * error
