"""Every game as a PettingZoo environment: PettingZoo's own test, rewards, and that nothing hidden is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.learn import SeatsEnv, environment
from simlab.registry import load_game
from tests.box import LARGE

MANY = Path(__file__).parent.parent / "games_of_many"
GAMES = [*LARGE, "tricks", *(str(MANY / name) for name in ("dyke", "harvest", "keep", "last_lamp"))]


def play(env: SeatsEnv, luck: np.random.Generator) -> dict[str, float]:
    """Plays to the end at random; what each agent was given in all."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        legal = np.flatnonzero(observation["action_mask"])
        assert bool(legal.size) != (terminated or truncated)
        env.step(None if terminated or truncated else int(luck.choice(legal)))
    return total


@pytest.mark.sample("simple_siege", "tricks")
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_accepts_every_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(environment(game), num_cycles=30, verbose_progress=False)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_same_seed_is_the_same_game() -> None:
    seed_test(lambda: environment("simple_siege"), num_cycles=40)


def test_who_wins_is_rewarded_and_a_win_is_shared_out() -> None:
    env = environment("simple_siege", seed=4)
    for game in range(5):
        env.reset()
        total = play(env, np.random.default_rng(game))
        assert sorted(total.values()) == [0.0, 1.0]
        assert total[env.possible_agents[env._stepper.row()["winner"]]] == 1.0
    together = environment(MANY / "dyke", players=4)
    sums = set()
    for seed in range(8):
        together.reset(seed=seed)
        sums.add(round(sum(play(together, np.random.default_rng(seed)).values()), 6))
    assert sums == {0.0, 4.0}, "all four win, or nobody does"


def test_scores_may_be_the_reward() -> None:
    env = environment("mighty_fortress", reward="score")
    env.reset(seed=2)
    (total,) = play(env, np.random.default_rng(2)).values()
    assert total == env._stepper.row()["score"][0]


def test_bots_take_the_other_seats() -> None:
    env = environment("simple_siege", bots={"besieged": "warden"}, seed=3)
    assert env.possible_agents == ["besieger"]
    env.reset()
    while env.agents:
        done = env.terminations["besieger"]
        env.step(None if done else stormer(env))
    assert env._stepper.over
    # The same game as the lab plays with this pair of bots.
    match = Match(load_game("simple_siege"), bots={"besieger": "stormer", "besieged": "warden"})
    row = match.play(3, 0, 1).rows[0]
    assert (env._stepper.row()["winner"], env._stepper.row()["turns"]) == (row["winner"], row["turns"])


def stormer(env: SeatsEnv) -> int:
    """What `stormer` would do, asked in another game that stands at the same position."""
    from simlab.engine.stepper import Stepper

    match = Match(load_game("simple_siege"), bots={"besieger": "stormer", "besieged": "warden"})
    asked = Stepper(match, 3, 0)
    asked.move_to(env._stepper)
    return asked.policy_action()


def test_an_observation_does_not_hang_on_what_is_hidden() -> None:
    """Two games alike but for the order of the decks look alike on average, and the luck itself is not shown."""
    env = environment("simple_siege", seed=5)
    env.reset()
    assert not [name for name in env.fields if name.startswith(("stream", "forced"))]
    before = env.observe("besieger")["observation"]
    deck = env._stepper.state.deck
    deck[1, :40] = np.sort(deck[1, :40])  # nobody knows the order yet
    assert np.array_equal(env.observe("besieger")["observation"], before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"reward": "gold"}, "no reward 'gold'"),
        ({"reward": "score"}, "has no scores"),
        ({"bots": {"besieger": "random", "besieged": "random"}}, "every seat has a bot"),
        ({"bots": {"basieger": "random"}}, "no seat 'basieger'"),
    ],
)
def test_a_mistake_is_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        environment("simple_siege", **arguments)
    env = environment("simple_siege")
    env.reset()
    with pytest.raises(InputError, match="not legal"):
        env.step(15)


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "learn.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    exec(code, {})
    assert "walls" in capsys.readouterr().out
