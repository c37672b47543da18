"""Bots made of others: the shares that were written, from the seat's own stream, in text, in files and in searches."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.bot_registry import load_bot, seats_for
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.questions.info.bot_behaviour import distance, fingerprint
from simlab.registry import load_game
from simlab.spec.draft import read_bot_options
from simlab.spec.refs import BotRef
from simlab.testing import check_policy

KUHN = load_game("kuhn_poker")
RANDOM = Match(KUHN, bots=dict.fromkeys(KUHN.seats, "random"))
TWO_BOTS = '''
from simlab.game import Trait, policy, trait_names

T = trait_names(action=Trait(0, 0, 1, "what it always does"))


@policy(traits=T)
def fixed(state, knobs, cards, traits):
    """Always the same of the two actions."""
    return state.legal[int(traits[T.action])]
'''


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("bots") / "fixed.py"
    file.write_text(TWO_BOTS, encoding="utf-8")
    return f"{file}:fixed"


def first_choices(bot: str, games: int) -> np.ndarray:
    match = Match(KUHN, bots={"first": bot, "second": "random"})
    return np.array([Stepper(match, 5, game).policy_action() for game in range(games)])


def test_each_bot_is_asked_as_often_as_its_share_says(fixed: str) -> None:
    """Of 2,000 choices the share may lie four standard errors off; the traits of each part are its own."""
    bets = first_choices(f"mix({fixed}:action=1:0.3,{fixed}:action=0:0.7)", 2_000).mean()
    assert abs(bets - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 2_000)
    astray = first_choices(f"noisy({fixed}:0.2)", 2_000).mean()
    assert abs(astray - 0.1) < 4 * np.sqrt(0.1 * 0.9 / 2_000)
    assert first_choices(f"noisy({fixed}:action=1:0)", 200).all()


def test_the_first_bot_plays_its_turns_and_the_next_from_then_on(fixed: str) -> None:
    match = Match(KUHN, bots={"first": f"opening({fixed}:action=0:2,{fixed}:action=1)", "second": "random"})
    stepper = Stepper(match, 1, 0)
    stepper.state.turn = 2
    assert stepper.policy_action() == 0
    stepper.state.turn = 3
    assert stepper.policy_action() == 1


def test_a_mixed_bot_plays_the_same_games_in_any_order_and_sees_nothing_hidden(fixed: str) -> None:
    bots = {"first": f"mix({fixed}:0.5,noisy({fixed}:action=1:0.3):0.5)", "second": f"noisy({fixed}:0.5)"}
    match = Match(KUHN, bots=bots)
    whole = match.play(4, 0, 60).rows
    parts = [match.play(4, first, 20).rows for first in (40, 0, 20)]
    assert (np.concatenate([parts[1], parts[2], parts[0]]) == whole).all()
    check_policy(KUHN, "first", bots["first"], games=5)


def test_a_mixed_bot_plays_on_in_a_search_and_a_search_in_a_mixed_bot(fixed: str) -> None:
    """Against a bot that always bets, the search over it knows that the jack folds; the mix asks it every time."""
    search = f"lookahead:iterations=200:score=1:playout=(first=random+second=noisy({fixed}:action=1:0.05))"
    match = Match(KUHN, bots={"first": f"noisy({search}:0)", "second": "random"})
    stepper = Stepper(match, 7, 0)
    stepper.state.card[:] = (0, 1)
    stepper.apply(0)
    stepper.apply(1)
    assert stepper.policy_action() == 0
    with pytest.raises(InputError, match="looks ahead itself"):
        load_bot(KUHN, "first", f"ismcts:playout=mix({search}:0.5,random:0.5)")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mix(random:0.8)", "shares that add up to 1"),
        ("mix(random:0.8,random:0.1)", "shares that add up to 1"),
        ("mix(random:0.8", "parentheses do not match"),
        ("noisy(random)", "share of random choices"),
        ("noisy(random:1.5)", "share of random choices"),
        ("opening(random,random)", "last turn of the game"),
        ("opening(random:4,random:2)", "last turn of the game"),
        ("opening(random:4,random:2,random)", "last turn of the game"),
        ("noisy(nobody:0.1)", "no bot 'nobody'"),
    ],
)
def test_a_wrong_mixture_is_refused_with_how_to_write_it(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load_bot(KUHN, "first", text)


def test_lists_of_bots_are_parted_outside_of_brackets() -> None:
    assert read_bot_options(["a=mix(x:0.5,y:0.5),z"]) == {"a": ["mix(x:0.5,y:0.5)", "z"]}
    assert (
        str(BotRef.parse("mix(./a.py:x:0.5, b/a.py:0.5)").with_files(lambda file: f"/{file}"))
        == "mix(/./a.py:x:0.5,/b/a.py:0.5)"
    )
    siege = load_game("simple_siege")
    assert seats_for(siege, "noisy(stormer:0.1)") == ["besieger"]


def test_bots_that_differ_everywhere_nowhere_and_now_and_then(fixed: str) -> None:
    other = f"{fixed}:action=1"
    assert distance(RANDOM, "first", fixed, other, games=10).differ.value == 1
    alike = distance(RANDOM, "first", "random", "random", games=10).differ
    assert (alike.value, alike.low) == (0, 0) and 0.2 < alike.high < 0.4, "10 games leave some room"
    noisy = distance(RANDOM, "first", fixed, f"noisy({fixed}:0.4)", games=200)
    assert noisy.differ.low < 0.2 < noisy.differ.high and noisy.differ.high - noisy.differ.low < 0.15
    assert sum(n for n, _ in noisy.by_decision.values()) == noisy.positions

    one, same, unlike = (fingerprint(RANDOM, "first", bot) for bot in (fixed, f"noisy({fixed}:0)", other))
    assert one.digest == same.digest != unlike.digest
    assert one.habits[0].share == 1 and one.habits[0].action != unlike.habits[0].action
