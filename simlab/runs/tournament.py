"""Match-ups of a tournament: every bot in each seat that it can take, all of them or a random sample."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.game import Game

BUDGETS = (0, 10, 30, 100, 300, 1000)  #: iterations of the rungs of a ladder; 0: the playout bot
_TRIES = 40  # attempts to draw a match-up that is not in the sample yet


def drawn_match_ups(bots: Sequence[int], number: int, seed: int) -> list[tuple[int, ...]]:
    """A sorted random sample of match-ups (a bot's place per seat), in which a seat's bots play about equally often.

    Args:
        bots: number of bots of each seat. number: match-ups to draw, at most as many as exist.
        seed: the experiment's; the same seed draws the same match-ups.
    """
    every = math.prod(bots)
    if not 1 <= number <= every:
        raise ValueError(f"{number} match-ups of {every}")
    generator = np.random.default_rng([seed, 20])
    played = [np.zeros(count, np.int64) for count in bots]
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < number:
        for attempt in range(_TRIES):
            # In each seat one of those that played least; any bot if that keeps repeating line-ups.
            least = [
                np.flatnonzero(times == times.min()) if attempt < _TRIES // 2 else range(times.size) for times in played
            ]
            profile = tuple(int(generator.choice(some)) for some in least)
            if profile not in drawn:
                break
        else:
            left = (p for p in itertools.product(*map(range, bots)) if p not in drawn)
            profile = next(left)
        drawn.add(profile)
        for times, bot in zip(played, profile, strict=True):
            times[bot] += 1
    return sorted(drawn)


def ladder(bots: Sequence[int]) -> list[tuple[int, ...]]:
    """Match-ups of a ladder: for every rung, all seats on it, and one seat on it with all others on the rung below.

    Args:
        bots: number of bots of each seat, equal for all seats; a seat's bots are ordered weakest first.
    """
    seats = len(bots)
    played = [(step,) * seats for step in range(bots[0])]
    for step in range(1, bots[0] if seats > 1 else 1):
        played += [tuple(step - (other != seat) for other in range(seats)) for seat in range(seats)]
    return played


def rungs(game: Game, playout: str, kind: str = "lookahead", budgets: Sequence[int] = BUDGETS) -> dict[str, list[str]]:
    """The bots of each seat for a ladder of searches: the playout bot itself, then more and more iterations.

    Args:
        playout: the playout bots, as in `--bot SEAT=lookahead:playout=...`; they are the first rung.
        kind: lookahead or ismcts, optionally with traits other than iterations and playout, as `ismcts:known=1`.
        budgets: iterations per decision, ascending; 0: the playout bot.
    Raises:
        InputError: the budgets do not ascend, or a bot is unknown.
    """
    from simlab.bot_registry import load_bot
    from simlab.engine.search import searching_bots

    if len(budgets) < 2 or list(budgets) != sorted(set(budgets)) or budgets[0] < 0:
        raise InputError(f"budgets {', '.join(map(str, budgets))}: a ladder ascends, as 0,10,30,100.")
    if kind.partition(":")[0] not in searching_bots():
        raise InputError(f"'{kind}' does not look ahead. Take {' or '.join(searching_bots())}.")
    playouts = load_bot(game, game.seats[0], f"{kind}:playout=({playout})").parts
    return {
        seat: [f"{kind}:iterations={budget}:playout=({playout})" if budget else bot.text for budget in budgets]
        for seat, bot in zip(game.seats, playouts, strict=True)
    }


def round_robin(
    game: Game,
    bots: Sequence[str] | str,
    others: Collection[str] = (),
    where: Callable[[str], str] = lambda text: text,
) -> dict[str, list[str]]:
    """The bots of each seat for a round robin: each bot in every seat that it can take.

    Args:
        bots: bots with their traits; `*` for all. others: seats whose bots are named elsewhere. where: bot's text ->
            text to load instead, such as the absolute path of its file.
    Raises:
        InputError: a bot can take no seat, or none of the bots can take a seat.
    """
    from simlab.bot_registry import bots_for, seats_for

    seats: dict[str, list[str]] = {seat: [] for seat in game.seats if seat not in others}
    for text in [bots] if isinstance(bots, str) else bots:
        able = seats if text == "*" else seats_for(game, where(text))
        for seat, named in seats.items():
            listed = sorted(bots_for(game, seat)) if text == "*" else [text] if seat in able else []
            named += [name for name in listed if name not in named]
    empty = [seat for seat, texts in seats.items() if not texts]
    if empty:
        known = ", ".join(sorted(bots_for(game, empty[0])))
        raise InputError(f"none of the bots can take the seat {empty[0]}. Add one of: {known}.")
    return seats
