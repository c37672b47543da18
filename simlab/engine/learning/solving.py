"""Exact play of small games for two: each seat's strategy in every position, with probabilities where it must mix.

The games of many seeds are expanded in full, each decision with all of its actions, and identical games are counted
together. Counterfactual regret minimization then finds strategies against which no answer gains much. The gain of the
best answer is computed, not estimated, on the same games.

Source: Tammelin (2014), Solving large imperfect information games using CFR+.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine.learning import kernels
from simlab.engine.learning.fields import leaves
from simlab.engine.learning.player import Tables
from simlab.engine.match import Match
from simlab.engine.payoff import Payoff
from simlab.engine.rollouts import Rollouts
from simlab.errors import InputError

Array = np.ndarray[Any, Any]
SEEDS = 30_000  #: number of games whose set-ups are counted
MOST_NODES, DEEPEST = 50_000, 200  #: limits: different positions of all games, and decisions of a game
_ALIKE = 8  # games from the same set-up after which the set-up is assumed to decide all random draws
_LOOKED = 50  # games that show what a seat sees


@dataclass(frozen=True)
class Node:
    """A decision, or the end of a game, which has no children; `values` then holds each seat's value."""

    place: int = -1  #: number of the information set
    children: tuple[Node, ...] = ()
    values: tuple[float, ...] = ()


@dataclass
class Place:
    """An information set: positions that a seat cannot distinguish. regrets, total: float64 (actions,)."""

    seat: int
    key: int
    regrets: Array
    total: Array

    def mix(self) -> Array:
        """The current strategy: probabilities in proportion to the regrets."""
        return _chances(self.regrets)

    def average(self) -> Array:
        """The average strategy, which converges."""
        return _chances(self.total)


def _chances(weights: Array) -> Array:
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


class Solver:
    """The games of a match (its bots do not matter), solved.

    Raises InputError if the game is not for two players, not zero-sum, or too large.
    """

    def __init__(self, match: Match, seed: int) -> None:
        self.match, self.game = match, match.game
        if len(self.game.seats) != 2:
            raise InputError(f"{self.game.slug} is not a game for two: only such games are solved exactly.")
        self.by_score = self.game.has_scores
        self.payoffs = [Payoff.of_seat(self.game, seat, self.by_score) for seat in (0, 1)]
        self._futures = Rollouts(match, seed, 1)
        self._leaves = list(leaves(self.game.state))
        self.seen = [self._seen_by(seat) for seat in (0, 1)]
        self.places: dict[tuple[int, int], int] = {}
        self.sets: list[Place] = []
        self.nodes = 0
        grown = self._grow()
        total = sum(grown.values())
        self.games = [(node, count / total) for node, count in grown.items()]
        self.positions = sum(1 for root, _ in self.games for _ in _all(root))
        sums = {sum(node.values) for root, _ in self.games for node in _all(root) if not node.children}
        if max(sums) - min(sums) > 1e-9:
            raise InputError(f"{self.game.slug}: one seat's gain is not the other's loss: it is not solved exactly.")

    def solve(self, iterations: int) -> None:
        """Improves the strategies a number of times."""
        for number in range(1, iterations + 1):
            for seat in (0, 1):
                mixes = [place.mix() for place in self.sets]
                steps = [np.zeros(len(place.regrets)) for place in self.sets]
                for root, share in self.games:
                    self._regret(root, seat, share, 1.0, mixes, steps, number)
                for place, step in zip(self.sets, steps, strict=True):
                    if place.seat == seat:
                        place.regrets = np.maximum(place.regrets + step, 0)

    def _regret(
        self, node: Node, seat: int, others: float, own: float, mixes: list[Array], steps: list[Array], number: int
    ) -> float:
        if not node.children:
            return node.values[seat]
        place, mix = self.sets[node.place], mixes[node.place]
        if place.seat != seat:
            return sum(
                float(chance) * self._regret(child, seat, others * chance, own, mixes, steps, number)
                for child, chance in zip(node.children, mix, strict=True)
            )
        values = np.array(
            [
                self._regret(child, seat, others, own * chance, mixes, steps, number)
                for child, chance in zip(node.children, mix, strict=True)
            ]
        )
        value = float(values @ mix)
        steps[node.place] += others * (values - value)
        place.total += number * own * mix
        return value

    def value(self, seat: int) -> float:
        """Value of the games to a seat when both play the average strategies."""
        mixes = [place.average() for place in self.sets]
        return sum(share * self._value(root, seat, mixes) for root, share in self.games)

    def _value(self, node: Node, seat: int, mixes: list[Array]) -> float:
        if not node.children:
            return node.values[seat]
        return sum(
            float(chance) * self._value(child, seat, mixes)
            for child, chance in zip(node.children, mixes[node.place], strict=True)
            if chance > 0
        )

    def best_answer(self, seat: int) -> float:
        """Value of the games to a seat that plays the best answer to the other's average strategy."""
        mixes = [place.average() for place in self.sets]
        found: dict[int, list[tuple[int, Node, float]]] = {}

        def visit(node: Node, reach: float, depth: int) -> None:
            if not node.children:
                return
            own = self.sets[node.place].seat == seat
            if own:
                found.setdefault(node.place, []).append((depth, node, reach))
            for child, chance in zip(node.children, mixes[node.place], strict=True):
                visit(child, reach if own else reach * float(chance), depth + 1)

        for root, share in self.games:
            visit(root, share, 0)
        for number, nodes in sorted(found.items(), key=lambda one: -max(depth for depth, *_ in one[1])):
            values = np.zeros(len(mixes[number]))
            for _, node, reach in nodes:
                values += [reach * self._value(child, seat, mixes) for child in node.children]
            mixes[number] = np.eye(len(values))[int(values.argmax())]  # positions treated later use this choice
        return sum(share * self._value(root, seat, mixes) for root, share in self.games)

    def tables(self, about: dict[str, Any]) -> Tables:
        """The average strategies as a player."""
        keys, chances = [], []
        for seat in (0, 1):
            own = sorted((place for place in self.sets if place.seat == seat), key=lambda place: place.key)
            most = max((len(place.total) for place in own), default=1)
            keys.append(np.array([float(place.key) for place in own]))
            rows = [np.pad(np.cumsum(place.average()), (0, most - len(place.total)), mode="edge") for place in own]
            chances.append(np.array(rows).reshape(len(own), most))
        return Tables(self.game, self.seen, keys, chances, about)

    # --- growing

    def _seen_by(self, seat: int) -> Array:
        """The bytes of the record that a seat always sees: they stay when hidden information is dealt again."""
        open_ = np.zeros(self.game.state.itemsize, bool)
        for leaf in self._leaves:
            open_[leaf.place : leaf.place + leaf.size * leaf.type.itemsize] = True
        for index in range(_LOOKED):
            for position in self._futures.positions(index):
                here = _memory(position)
                for deal in range(3):
                    open_ &= here == _memory(self._futures.as_seen_by(position, seat, deal))
        return np.flatnonzero(open_)

    def _grow(self) -> Counter[Node]:
        own = np.concatenate([np.arange(one.place, one.place + one.size * one.type.itemsize) for one in self._leaves])
        grown: Counter[Node] = Counter()
        starts: dict[bytes, list[Node]] = {}
        for index in range(SEEDS):
            position = self._futures.start(index)
            start = _memory(position)[own].tobytes()
            before = starts.setdefault(start, [])
            if len(before) < _ALIKE or any(node != before[0] for node in before[:_ALIKE]):
                before.append(self._node(position))
                grown[before[-1]] += 1
            else:
                grown[before[0]] += 1
        return grown

    def _node(self, position: Array, depth: int = 0) -> Node:
        self.nodes += 1
        if self.nodes > MOST_NODES or depth > DEEPEST:
            raise InputError(
                f"{self.game.slug} is too large to be solved exactly: it has more than {MOST_NODES:,} positions, or "
                f"games of more than {DEEPEST} decisions. simlab optimize player trains a player."
            )
        if position["over"][0]:
            return Node(values=self._values(position))
        legal = self._futures.legal(position)
        if len(legal) == 1:
            return self._node(self._futures.after(position, int(legal[0])), depth + 1)
        seat = int(position["seat"][0])
        key = key_of(_memory(position)[self.seen[seat]])
        place = self.places.setdefault((seat, key), len(self.sets))
        if place == len(self.sets):
            self.sets.append(Place(seat, key, np.zeros(len(legal)), np.zeros(len(legal))))
        after = (self._futures.after(position, int(action)) for action in legal)
        return Node(place, tuple(self._node(one, depth + 1) for one in after))

    def _values(self, position: Array) -> tuple[float, ...]:
        row = self._futures.row(position)
        return tuple(float(payoff.values(row)[0]) for payoff in self.payoffs)


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _memory(position: Array) -> Array:
    return np.ascontiguousarray(position).view(np.ndarray).view(np.uint8).reshape(-1)


def key_of(seen: Array) -> int:
    """The key of an information set from the bytes seen, as in simlab.engine.learning.kernels.by_table."""
    one = two = 0
    for byte in seen.tolist():
        one = (one * 257 + byte + 1) % kernels.PRIME_ONE
        two = (two * 263 + byte + 1) % kernels.PRIME_TWO
    return one * kernels.PRIME_TWO + two
