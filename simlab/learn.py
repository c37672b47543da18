"""Games for learners: every game as a PettingZoo environment.

    from simlab.learn import environment

    env = environment("simple_siege", bots={"besieged": "warden"})
    env.reset(seed=1)
    for seat in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else env.action_space(seat).sample(observation["action_mask"]))

It needs PettingZoo (`pip install 'simlab[learn]'`) and passes its `api_test`. An agent is a seat; those that a bot
plays are not agents. The order of play is the game's own (AEC: one agent acts at a time; secret choices are made one
after the other, and other seats' observations do not contain them).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from simlab.engine.match import Match
from simlab.engine.payoff import Payoff
from simlab.engine.stepper import Stepper
from simlab.errors import GameTruncated, InputError, nearest
from simlab.registry import load_game

_HEADER = ("forced_", "stream_", "frame_")  # random draws, which would reveal the future, and where the rules wait
_APART = ("fired", "legal", "n_legal")  # counts for the report, and the mask
REWARDS = ("win", "score")


class SeatsEnv(AECEnv):  # type: ignore[misc]  # gymnasium and pettingzoo have no types that mypy could check
    """A game, seat by seat.

    Args:
        game: slug of a game, or path of a game's folder.
        bots: seat -> bot that plays it; the seats left out are the agents.
        knobs: values that differ from the printed game. cards: component table -> CSV file that replaces it.
        players: number of players, for a game with several player counts.
        seed: used if `reset` gets no seed; each reset plays the next game of the seed.
        reward: the reward when the game ends. `win`: the seat's share of the win (simlab.engine.payoff); `score`: its
            score. All other rewards are 0.
    Raises:
        InputError: bad input, or no seat is left for an agent.

    An observation is a dict. `observation` holds the fields of the game's record as float32 (n,), in the order of
    `fields`. `action_mask` is int8 (max_actions,), all 0 for a seat that is not to act. Information hidden from the
    seat is redrawn (Game.determinize): the observation has possible values that reveal nothing about the true ones.
    """

    metadata = {"render_modes": ["ansi"], "name": "simlab", "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        game: str | Path,
        *,
        bots: Mapping[str, str] | None = None,
        knobs: Mapping[str, object] | None = None,
        cards: Mapping[str, str | Path] | None = None,
        players: int | None = None,
        seed: int = 1,
        reward: str = "win",
    ) -> None:
        super().__init__()
        self._game = played = load_game(str(game), players)
        bots = bots or {}
        if reward not in REWARDS:
            raise InputError(f"there is no reward '{reward}'. {nearest(reward, REWARDS)}")
        if reward == "score" and not played.has_scores:
            raise InputError(f'{played.slug} has no scores: reward = "win" alone is possible.')
        tables = {name: Path(path) for name, path in (cards or {}).items()}
        self._match = Match(played, bots=dict.fromkeys(played.seats, "random") | dict(bots), knobs=knobs, tables=tables)
        self.possible_agents = [seat for seat in played.seats if seat not in bots]
        if not self.possible_agents:
            raise InputError("every seat has a bot. Leave out the seat that learns.")
        self.metadata = SeatsEnv.metadata | {"name": f"simlab_{played.slug}"}
        self.render_mode = "ansi"
        self._reward, self._seed, self._index = reward, seed, -1
        self.fields = [name for name in played.state.names or () if name not in _APART and not name.startswith(_HEADER)]
        ends = [_ends(played.state[name]) for name in self.fields]
        seen = spaces.Box(np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends]))
        mask = spaces.Box(0, 1, (played.max_actions,), np.int8)
        self.observation_spaces = {
            seat: spaces.Dict({"observation": seen, "action_mask": mask}) for seat in self.possible_agents
        }
        self.action_spaces = {seat: spaces.Discrete(played.max_actions) for seat in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Sets up the next game; with a seed, that seed's first game."""
        if seed is not None:
            self._seed, self._index = seed, -1
        self._index += 1
        self._stepper = Stepper(self._match, self._seed, self._index)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: int | None) -> None:
        """Carries out the choice of the seat to act. Bots then play until an agent is to act again.

        Raises:
            InputError: the action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._go_on(-1 if action is None else int(action))
        self._accumulate_rewards()

    def _go_on(self, action: int | None = None) -> None:
        stepper = self._stepper
        try:
            if action is not None:
                stepper.apply(action)
            while not stepper.over and stepper.seat not in self.possible_agents:
                stepper.apply(stepper.policy_action())
        except GameTruncated:
            self.truncations = dict.fromkeys(self.agents, True)
        if not stepper.over:
            self.agent_selection = stepper.seat if stepper.seat in self.agents else self.agents[0]
            return
        row = {name: np.array([value]) for name, value in stepper.row().items()}
        self.terminations = dict.fromkeys(self.agents, True)
        for agent in self.agents:
            payoff = Payoff.of_seat(self._game, self._game.seats.index(agent), self._reward == "score")
            self.rewards[agent] = float(payoff.values(row)[0])

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        stepper = self._stepper
        mask = np.zeros(self._game.max_actions, np.int8)
        if not stepper.over and stepper.seat == agent:
            mask[stepper.legal()] = 1
        seen = stepper.copy()
        if not seen.over:
            seen.redraw(self._game.seats.index(agent))
        values = [np.asarray(seen.state[name]).ravel().astype(np.float32) for name in self.fields]
        return {"observation": np.concatenate(values), "action_mask": mask}

    def render(self) -> str:
        """The position in words, as the seat to act sees it."""
        seat = self._game.seats.index(self.agent_selection)
        return "\n".join(f"{what}: {how}" for what, how in self._stepper.describe(seat).items())

    def close(self) -> None:
        """Does nothing: there are no resources to release."""


environment = SeatsEnv  #: called like a function, as PettingZoo's own environments are


def _ends(kind: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    size, base = int(np.prod(kind.shape, dtype=int)), kind.base
    if base.kind in "iu":
        low, high = float(np.iinfo(base).min), float(np.iinfo(base).max)
    else:
        low, high = (0.0, 1.0) if base.kind == "b" else (-np.inf, np.inf)
    return np.full(size, low, np.float32), np.full(size, high, np.float32)
