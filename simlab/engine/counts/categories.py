"""How often the seats of each role, start place or other category win (Game.seat_categories)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from simlab.engine.counts import Array, Count, Share, Table
from simlab.spec.contract import GameSpec
from simlab.words import listed

NEEDS = "seat_categories"


def counts() -> list[Count]:
    """Seats and winners of each value of each category.

    category_seats: seats that had it; category_wins: those that won. A game may have several seats with the same value,
    and their results in a game are correlated, so products within a game are also counted: category_pairs (seats by
    seats), category_both (seats by winners), category_win_pairs (winners by winners).
    """
    axes = ("categories", "categorised")
    names = ("category_seats", "category_wins", "category_pairs", "category_both", "category_win_pairs")
    return [Count(name, axes) for name in names]


def at_end(counts: Any, scratch: Any, state: Any, knobs: Any, cards: Any, row: Any) -> None:
    winners = np.int64(row.winners)
    for c in range(counts.category_seats.shape[0]):
        for value in range(counts.category_seats.shape[1]):
            seats, wins = np.int64(0), np.int64(0)
            for seat in range(row.category.shape[1]):
                if row.category[c, seat] == value:
                    seats += 1
                    wins += winners >> seat & 1
            counts.category_seats[c, value] += np.uint64(seats)
            counts.category_wins[c, value] += np.uint64(wins)
            counts.category_pairs[c, value] += np.uint64(seats * seats)
            counts.category_both[c, value] += np.uint64(seats * wins)
            counts.category_win_pairs[c, value] += np.uint64(wins * wins)


def table(counts: Mapping[str, Array], names: GameSpec) -> Table:
    """The win rate of the seats with each value that came up; an average seat wins the fair share."""
    categories = names.seat_categories
    lines = tuple(
        (f"{_words(category)}: {_words(value)} wins", share)
        for category, value, share in shares(counts, names)
        if share.total
    )
    fair = 100 * (lines[0][1].fair or 0.0) if lines else 0.0
    about = "; ".join(f"{_words(category.name)}: {category.help}" for category in categories)
    return Table(
        f"Wins by {listed([_words(category.name) for category in categories])}",
        f"Share of the seats with this value that won their game. An average seat wins {fair:.1f} %: the fair share. "
        f"If the bots differ, the value of a seat may also depend on its bot. {about}.",
        lines,
    )


def shares(counts: Mapping[str, Array], names: GameSpec) -> Iterator[tuple[str, str, Share]]:
    """(category, value, the share of the seats of that value that win), for each value of each category."""
    for place, category in enumerate(names.seat_categories):
        seats, wins = (float(counts[name][place].sum()) for name in ("category_seats", "category_wins"))
        for value, word in enumerate(category.values):
            yield category.name, word, share_of(counts, place, value, wins / max(seats, 1.0))


def share_of(counts: Mapping[str, Array], place: int, value: int, fair: float) -> Share:
    """Of the seats with a value, the share that win, with its effective number of independent games.

    The variance is that of a ratio of sums over games (Cochran, Sampling Techniques, 3rd ed., 6.4): the sum over games
    of (winners - rate x seats)^2, over the square of all seats.
    """
    seats, wins, pairs, both, win_pairs = (
        float(counts[name][place, value])
        for name in ("category_seats", "category_wins", "category_pairs", "category_both", "category_win_pairs")
    )
    rate = wins / seats if seats else 0.0
    squares = win_pairs - 2 * rate * both + rate * rate * pairs
    worth = rate * (1 - rate) * seats * seats / squares if squares > 0 else seats * seats / max(pairs, 1.0)
    return Share(wins, seats, worth, fair)


def _words(name: str) -> str:
    return name.replace("_", " ")
