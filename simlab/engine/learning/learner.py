"""Policy iteration: players that start from random play and get better by playing positions on.

A round: the players play against each other and against earlier ones, with some random choices; in some of their
positions each action is tried in the same futures, all played on by the players as they are; each seat's net is trained
on what the actions were worth; and it takes the old one's place if it does better in games of other seeds.

What is known to fail: a net that judges positions by the outcomes of noisy games, and gains over a fixed bot, which
makes waiting look free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simlab.engine.entry_points import records, view
from simlab.engine.learning.inputs import inputs_of, look, read
from simlab.engine.learning.kernels import COLUMNS, KIND, PLACE
from simlab.engine.learning.player import Net, Player
from simlab.engine.learning.training import Examples, fit
from simlab.engine.match import Match
from simlab.engine.search.traits import ACTION, VALUE, VISITS, L

Array = np.ndarray[Any, Any]
_CHUNK = 16  # positions or games of one compiled call, so that Ctrl-C is heard
_KEPT = 4  # rounds whose examples are trained on
_POOL = 8  # earlier players that are met
_LINE_UPS = 3  # with earlier players, besides the players as they are
_GATE = 500  # games of each line-up, by which it is decided whether a new net stays
GROWTH, _MOST = 1.4, 8.0  # of a round; how many times the size of the first one it gets in all
_NOISE = 0.15  # share of random choices while positions are gathered


@dataclass(frozen=True)
class Settings:
    """How a player is trained.

    Attributes:
        positions: of the first round, over all seats. futures: played for each. Both grow by GROWTH after a round in
            which no net got better: the better the players, the smaller the gains that are left to be found.
        hidden: width of the hidden layer, a multiple of four.
        epochs: of training in a round, at most. shuffled: train on values dealt out to other positions, as a control.
    """

    positions: int = 2_000
    futures: int = 96
    hidden: int = 32
    epochs: int = 60
    shuffled: bool = False


@dataclass(frozen=True)
class Round:
    """What a round did.

    Attributes:
        number: from 1. games, futures: played so far. seconds: since the start.
        gains: of each seat's new net over its old one. kept: seats whose new net stays.
        together: value to each seat when all seats are learned; alone: when all the others choose at random.
    """

    number: int
    games: int
    futures: int
    seconds: float
    gains: tuple[float, ...]
    kept: tuple[bool, ...]
    together: tuple[float, ...]
    alone: tuple[float, ...]


class _Teacher:
    """Listed bots: as they are, and with random choices."""

    def __init__(self, match: Match, bots: Mapping[str, str]) -> None:
        def made(form: str) -> Match:
            texts = {seat: form.format(bot) for seat, bot in bots.items()}
            return Match(match.game, knobs=match.knobs_set, tables=match.table_files, bots=texts)

        self._matches = made("{}"), made(f"noisy({{}}:{_NOISE})")

    def loops(self, noise: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """self_play and try_actions of these bots."""
        return self._matches[noise > 0].compiled.learning()

    def traits(self, noise: float) -> list[Array]:
        """The traits of each seat's bot."""
        return [bot.read for bot in self._matches[noise > 0].bots]


class Learner:
    """The players in training.

    Args:
        match: the game with its knobs; its bots do not matter.
        workers: threads that play. The players are the same for any number.
        start: players to go on with.
        teacher: seat -> bot: on the play of these bots the first round improves; none: on random play.
    """

    def __init__(
        self,
        match: Match,
        seed: int,
        settings: Settings,
        workers: int,
        start: Player | None = None,
        teacher: Mapping[str, str] | None = None,
    ) -> None:
        self.match, self.seed, self.settings, self.workers = match, seed, settings, workers
        game = self.game = match.game
        seen = look(match, seed)
        inputs = max(map(inputs_of, seen.readings))
        most = max(map(len, seen.readings))
        # Outputs to spare are for actions that random play did not reach.
        self._spare = len(seen.pairs)
        outputs = np.full(len(game.decisions) * game.max_actions, -1)
        outputs[seen.pairs] = np.arange(len(seen.pairs))
        room = len(seen.pairs) + max(len(seen.pairs) // 4, 4)
        self.nets = []
        for seat, readings in enumerate(seen.readings):
            padded = np.zeros((most, COLUMNS))  # a reading of nothing: its weights stay as they are
            padded[:, PLACE : KIND + 1] = 0, 1
            padded[: len(readings)] = readings
            net = Net.blank(padded, inputs, outputs, settings.hidden, seed + seat)
            last = np.vstack([net.last, np.zeros((room - len(net.last), settings.hidden))])
            self.nets.append(replace(net, last=last, level=np.zeros(room)))
        self.choices = seen.choices
        self._growth = 1.0
        self.pool: list[list[Net]] = [list(self.nets)]
        self._before: dict[str, Any] = start.about if start else {}
        if start:
            self.nets = list(start.nets)
            self._spare = 1 + max(int(net.outputs.max()) for net in start.nets)
            self.pool.append(list(self.nets))
        self.examples: list[list[Examples]] = [[] for _ in game.seats]
        self.rounds: list[Round] = []
        self.games, self.futures = (int(self._before.get(name, 0)) for name in ("games", "futures"))
        self._began = time.monotonic() - 60 * float(self._before.get("minutes", 0))
        self.by_score = len(game.seats) == 1 and game.has_scores
        self._loops = match.compiled.learning(self.nets[0].traits().size)
        self._teacher = _Teacher(match, teacher) if teacher and not start else None
        self._knobs, self._cards = view(match.knobs), view(match.cards)

    # --- one round

    def round(self) -> Round:
        """Plays and trains once."""
        number = int(self._before.get("rounds", 0)) + len(self.rounds) + 1
        draw = np.random.default_rng((self.seed, number))
        quota = max(int(self.settings.positions * self._growth / len(self.nets)), 1)
        teacher = self._teacher if number == 1 else None
        for seat in range(len(self.nets)):
            found: list[Examples] = []
            others = [self._others(seat, draw) for _ in range(_LINE_UPS)]
            for players in (self.nets, *others):
                line_up = teacher or players
                part = max(quota // (1 + len(others)), 1)
                positions = self._positions(line_up, seat, part, int(draw.integers(1 << 40)))
                tables = self._values_of(positions, line_up)
                found.append(self._examples(seat, positions, tables, draw))
            self.examples[seat] = [*self.examples[seat][1 - _KEPT :], Examples.joined(found)]
        gains, kept = [], []
        better = list(self.nets)
        for seat, old in enumerate(self.nets):
            new = fit(old, Examples.joined(self.examples[seat]), self.settings.epochs, self.seed + number)
            gain, sure = self._gain(seat, new, draw)
            sure |= teacher is not None  # among players that choose at random a good one need not gain
            gains.append(gain)
            kept.append(sure)
            if sure:
                better[seat] = new
        self.nets = better
        if not any(kept):
            self._growth = min(self._growth * GROWTH, _MOST)
        if any(kept):
            self.pool = [self.pool[0], *self.pool[1:][1 - _POOL :], list(better)]
        first = self.pool[0]
        together = self.value(self.nets, 400, number)
        alone = [
            self.value([self.nets[s] if s == seat else first[s] for s in range(len(first))], 400, number)[seat]
            for seat in range(len(first))
        ]
        finished = Round(
            number, self.games, self.futures, time.monotonic() - self._began, tuple(gains), tuple(kept),
            tuple(together), tuple(alone),
        )  # fmt: skip
        self.rounds.append(finished)
        return finished

    def player(self) -> Player:
        """The players as they are."""
        about = {"seed": self.seed, "knobs": self.match.knobs_resolved, **self._before}
        if self.rounds:
            last = self.rounds[-1]
            about |= {"rounds": last.number, "games": last.games, "futures": last.futures, "minutes": last.seconds / 60}
        return Player(self.game, self.nets, about)

    def value(self, line_up: Sequence[Net], games: int, number: int) -> Array:
        """What games of a line-up are worth to each seat, on average."""
        values, _ = self._games(line_up, games, self.seed + 2, number * games)
        return np.asarray(values.mean(axis=0))

    # --- its parts

    def _others(self, seat: int, draw: np.random.Generator) -> list[Net]:
        """A seat's player among earlier ones of the other seats."""
        return [
            net if place == seat or draw.random() < 0.3 else self.pool[int(draw.integers(len(self.pool)))][place]
            for place, net in enumerate(self.nets)
        ]

    def _traits(self, line_up: Sequence[Net] | _Teacher, noise: float = 0.0) -> Array:
        own = np.zeros(len(L._declared))
        own[L.iterations], own[L.score] = int(self.settings.futures * min(self._growth, 4)), self.by_score
        if isinstance(line_up, _Teacher):
            return np.concatenate([own, *line_up.traits(noise)])
        nets = [replace(net, noise=max(net.noise, noise)) if noise else net for net in line_up]
        return np.concatenate([own, *(net.traits() for net in nets)])

    def _games(
        self,
        line_up: Sequence[Net] | _Teacher,
        count: int,
        seed: int,
        first: int,
        share: float = 0.0,
        noise: float = 0.0,
    ) -> tuple[Array, Array]:
        """Plays games: values (count, seats), and the positions kept."""
        traits, blank = self._traits(line_up, noise), view(self.match.blank_state(seed))
        size = 4 * _CHUNK
        starts = range(0, count, size)
        self_play = (line_up if isinstance(line_up, _Teacher) else self).loops(noise)[0]

        def play(start: int) -> tuple[Array, Array]:
            n = min(size, count - start)
            values = np.zeros((n, len(self.nets)))
            kept = records(int(share * self.choices * n * 4) + 8 if share else 0, self.game.state)
            found = self_play(
                records(1, self.game.state), blank, self._knobs, self._cards, traits, first + start, n,
                self.by_score, share, kept, values,
            )  # fmt: skip
            return values, kept[:found]

        with ThreadPoolExecutor(self.workers) as pool:
            done = list(pool.map(play, starts))
        self.games += count
        return np.concatenate([values for values, _ in done]), np.concatenate([kept for _, kept in done])

    def loops(self, noise: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """self_play and try_actions of learned players; noise is one of their traits."""
        return self._loops

    def _positions(self, line_up: Sequence[Net] | _Teacher, seat: int, wanted: int, first: int) -> Array:
        """Positions in which a seat has a choice."""
        games = max(wanted // 4, 50)
        found: list[Array] = []
        share = min(1.0, 2 * wanted * len(self.nets) / max(games * self.choices, 1))
        for batch in range(8):
            kept = self._games(line_up, games, self.seed, first + batch * games, share, _NOISE)[1]
            found.append(kept[kept["seat"] == seat])
            if sum(map(len, found)) >= wanted:
                break
        together = np.concatenate(found)
        order = np.random.default_rng((self.seed, first)).permutation(len(together))
        return together[np.sort(order[:wanted])]

    def _values_of(self, positions: Array, line_up: Sequence[Net] | _Teacher) -> Array:
        """The search's table of each position: (positions, max_actions, 3)."""
        tables = np.zeros((len(positions), self.game.max_actions, 3))
        traits = self._traits(line_up)
        try_actions = (line_up if isinstance(line_up, _Teacher) else self).loops(0.0)[1]

        def work(start: int) -> None:
            part = slice(start, start + _CHUNK)
            try_actions(view(positions[part]), self._knobs, self._cards, traits, tables[part])

        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(work, range(0, len(positions), _CHUNK)))
        self.futures += int(tables[:, :, VISITS].sum())
        return tables

    def _examples(self, seat: int, positions: Array, tables: Array, draw: np.random.Generator) -> Examples:
        net = self.nets[seat]
        actions = tables[:, :, ACTION].astype(np.int64)
        visits, values = tables[:, :, VISITS], tables[:, :, VALUE]
        legal = np.arange(actions.shape[1]) < positions["n_legal"][:, None]
        pairs = positions["decision"].astype(np.int64)[:, None] * self.game.max_actions + actions
        for pair in np.unique(pairs[legal]):
            if net.outputs[pair] < 0 and self._spare < len(net.last):
                net.outputs[pair] = self._spare  # shared by all nets
                self._spare += 1
        if self.settings.shuffled:
            values, visits = values.copy(), visits.copy()
            for row in range(len(values)):
                tried = np.flatnonzero(visits[row] > 0)
                values[row, tried] = values[row, draw.permutation(tried)]
        inputs = read(self.match, net.readings, len(net.first), positions)
        return Examples.of(inputs, net.outputs[pairs], values, visits, legal)

    def _gain(self, seat: int, new: Net, draw: np.random.Generator) -> tuple[float, bool]:
        """How much better a new net does than the old one, in the same games of other seeds; and whether surely."""
        gains = []
        for line_up in (self.nets, *(self._others(seat, draw) for _ in range(_LINE_UPS))):
            first = int(draw.integers(1 << 40))
            other = [new if place == seat else net for place, net in enumerate(line_up)]
            before, after = (self._games(nets, _GATE, self.seed + 1, first)[0] for nets in (line_up, other))
            gains.append(after[:, seat] - before[:, seat])
        together = np.concatenate(gains)
        error = float(together.std()) / np.sqrt(len(together))
        return float(together.mean()), bool(together.mean() > error)
