"""The behaviour of a bot, and the difference between two bots: their choices in the same positions, whether or not they
matter. Two bots may win equally often but play quite differently, or differ only in one choice that decides the game. A
bot has a fingerprint, its choices in fixed positions, and two bots have a distance: the share of positions in which
they choose differently. Only positions with more than one legal action count.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.present.answer import Part, Rate
from simlab.present.estimate import Estimate
from simlab.stats.cluster_robust import as_share, clustered_ratio


@dataclass(frozen=True)
class Habit:
    """A bot's most frequent choice in one kind of decision. share: share of the positions in which it makes it."""

    decision: str
    positions: int
    action: str
    share: float


@dataclass(frozen=True)
class Fingerprint:
    """A bot's choices in fixed positions of games played at random. digest: equal for bots whose choices are all equal.
    habits: one for each kind of decision, the most frequent first.
    """

    bot: str
    seat: str
    digest: str
    positions: int
    habits: tuple[Habit, ...]


class DistanceLine(Part):
    """How often two bots choose differently in the same positions.

    Attributes:
        differ: share of the positions, with an interval over games. positions: number of positions. by_decision: name
            of a decision -> (positions, number of these with different choices).
    """

    seat: str
    one: str
    other: str
    differ: Rate
    positions: int
    by_decision: dict[str, tuple[int, int]]


def fingerprint(match: Match, seat: str, bot: str, games: int = 20, seed: int = 1) -> Fingerprint:
    """Asks a bot in every position that a seat meets in games played at random, by the rules of a match.

    Raises:
        InputError: no such bot, or the seat has no choice in these games.
    """
    everybody = dict.fromkeys(match.game.seats, "random")
    guest = Stepper(match.with_bots({**everybody, seat: bot}), seed, 0)
    digest = hashlib.sha256()
    taken: dict[str, Counter[int]] = {}
    labels: dict[tuple[str, int], str] = {}
    for index, position in _positions([match.with_bots(everybody)], seat, games, seed):
        action = _asked(guest, position)
        digest.update(f"{index}/{position.decisions}/{action};".encode())
        taken.setdefault(position.decision.name, Counter())[action] += 1
        labels.setdefault((position.decision.name, action), guest.label(action))
    habits = []
    for decision, counts in sorted(taken.items(), key=lambda item: -item[1].total()):
        action, times = counts.most_common(1)[0]
        habits.append(Habit(decision, counts.total(), labels[decision, action], times / counts.total()))
    total = sum(habit.positions for habit in habits)
    return Fingerprint(bot, seat, digest.hexdigest()[:8], total, tuple(habits))


def distance(match: Match, seat: str, one: str, other: str, games: int = 20, seed: int = 1) -> DistanceLine:
    """Plays games with each of two bots, and asks the other one for its choice in every position of their seat.

    Both bots draw the same numbers from their streams, so a bot that plays at random has no distance from itself.

    Args:
        match: gives the rules and the bots of the other seats. games: number played with each of the two bots.
    Raises:
        InputError: no such bot, or the seat has no choice in these games.
    """
    field = {bot.seat: bot.text for bot in match.bots}
    matches = [match.with_bots({**field, seat: bot}) for bot in (one, other)]
    guests = [Stepper(stranger, seed, 0) for stranger in matches]
    asked, different = np.zeros(games), np.zeros(games)
    kinds: dict[str, list[int]] = {}
    for index, position in _positions(matches, seat, games, seed):
        first, second = (_asked(guest, position) for guest in guests)
        asked[index] += 1
        different[index] += first != second
        counts = kinds.setdefault(position.decision.name, [0, 0])
        counts[0] += 1
        counts[1] += first != second
    share = as_share(clustered_ratio(different, asked, np.arange(games), np.zeros(games)))
    return DistanceLine(
        seat=seat, one=one, other=other, differ=Estimate(share.value, share.low, share.high),
        positions=int(asked.sum()), by_decision={name: (n, k) for name, (n, k) in kinds.items()},
    )  # fmt: skip


def _positions(leaders: Sequence[Match], seat: str, games: int, seed: int) -> Iterator[tuple[int, Stepper]]:
    """The positions in which a seat has a choice, in games of each of some matches; before each the number of its game.

    Raises:
        InputError: there are none.
    """
    met = False
    for leader, index in product(leaders, range(games)):
        for position in Stepper(leader, seed, index).positions():
            if position.seat == seat and len(position.legal()) > 1:
                met = True
                yield index, position
    if not met:
        raise InputError(
            f"{seat} has no choice in these games of {leaders[0].game.slug}. Play more of them, or take another seat."
        )


def _asked(guest: Stepper, position: Stepper) -> int:
    guest.move_to(position)
    return guest.policy_action()
