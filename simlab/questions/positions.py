"""Positions with a choice, from games of a match's bots."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from simlab.engine.entry_points import records, view
from simlab.engine.match import Match
from simlab.engine.payoff import seeks_score
from simlab.engine.search.traits import L
from simlab.errors import InputError
from simlab.game import Array

CHUNK = 8  #: most positions or games of one compiled call, so that Ctrl-C takes effect
_FIRST = 12  # games in which choices are counted
_ROOM = 20_000  # positions that these may hold


class Sampler:
    """Keeps a random share of the positions with a choice.

    Attributes:
        traits: traits of the loops that play on from a position, then traits of the bots.
    Raises:
        InputError: a bot looks ahead, or the game has no choices.
    """

    def __init__(self, match: Match, seed: int) -> None:
        for bot in match.bots:
            if bot.looks_ahead:
                raise InputError(
                    f"bot '{bot.text}' looks ahead: too slow to play thousands of futures. Name a listed bot."
                )
        match.compile()
        self.match = match
        self.by_score = seeks_score(match.game)
        own = np.zeros(len(L._declared))
        own[L.score] = self.by_score
        self.traits = np.concatenate([own, *(bot.read for bot in match.bots)])
        self.knobs, self.cards, self.blank = view(match.knobs), view(match.cards), view(match.blank_state(seed))

    @cached_property
    def _self_play(self) -> Callable[..., int]:
        return self.match.compiled.learning(self.match.bots)[0]

    def sample(self, first: int, count: int, share: float, room: int) -> Array:
        """The positions of some games, State[n], at most `room`, each kept with a chance of `share`."""
        kept = records(room, self.match.game.state)
        values, sources = np.zeros((count, len(self.match.game.seats))), np.zeros(room, np.int64)
        found = self._self_play(
            records(1, self.match.game.state), self.blank, self.knobs, self.cards, self.traits, first, count,
            self.match.game.max_decisions, self.by_score, share, 0.0, 0, kept, sources, values,
        )  # fmt: skip
        return np.asarray(kept)[:found]

    def choices(self) -> float:
        """Positions with a choice per game, from a few games."""
        probe = self.sample(1 << 42, _FIRST, 1.0, _ROOM)
        if not len(probe):
            slug = self.match.game.slug
            raise InputError(f"{slug}: there is never more than one legal option, so no choice to examine.")
        return len(probe) / (np.unique(probe["stream_game"][:, 0]).size if len(probe) == _ROOM else _FIRST)

    def positions(self, first: int, games: int, share: float, choices: float, workers: int) -> Array:
        """The positions of games from number `first` on."""
        room = int(4 * share * choices * CHUNK) + 64
        starts = range(0, games, CHUNK)
        with ThreadPoolExecutor(workers) as pool:
            parts = pool.map(lambda s: self.sample(first + s, min(CHUNK, games - s), share, room), starts)
            return np.concatenate(list(parts))

    def counted(self, seed: int, games: int, share: float, choices: float, workers: int) -> tuple[Array, Array]:
        """A random share of the positions of the first games, and how many there are of each seat and kind of decision.

        All positions of these games are counted, kept or not: (State[n], int64 (seats, kinds)).
        """
        shape = len(self.match.game.seats), max(len(self.match.game.decisions), 1)

        def part(start: int) -> tuple[Array, Array]:
            size = min(CHUNK, games - start)
            room = int(2 * choices * size) + 64
            while len(found := self.sample(start, size, 1.0, room)) == room:
                room *= 2
            counts = np.zeros(shape, np.int64)
            np.add.at(counts, (found["seat"].astype(int), found["decision"].astype(int)), 1)
            return found[np.random.default_rng([seed, start]).random(len(found)) < share], counts

        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(part, range(0, games, CHUNK)))
        return np.concatenate([found for found, _ in parts]), np.sum([counts for _, counts in parts], axis=0)


def games_of(positions: Array) -> Array:
    """The index of each position's game, int64 (positions,)."""
    index = positions["stream_game"]
    return np.asarray(index[:, 0].astype(np.int64) | index[:, 1].astype(np.int64) << 32)
