"""A bot of The Peace of Westphalia as the sixth beside five listed ones, in each seat in turn.

python -m tests.engine.sixth_seat 12000 learned condottiere exile
python -m tests.engine.sixth_seat 900 lookahead:iterations=60:playout=FIELD

FIELD is replaced by the bots of all seats, with condottiere as the sixth: the search knows how the others play.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from simlab.engine.match import Match
from simlab.engine.payoff import Payoff
from simlab.registry import load_game

FIVE = ("condottiere", "counter_reformer", "exile", "kaiser", "politique")
FIRST = 1 << 41  # games that no training used


def shares(bot: str, games: int) -> npt.NDArray[np.float64]:
    """The bot's share of the win in each game. games: of all six seats together."""
    game = load_game("westphalia")
    seats, found = list(game.seats), []
    for place, seat in enumerate(seats):
        order = seats[place:] + seats[:place]
        field = "+".join(map("=".join, zip(order, ("condottiere", *FIVE), strict=True)))
        line_up = dict(zip(order, (bot.replace("FIELD", field), *FIVE), strict=True))
        rows = Match(game, bots=line_up).play(11, FIRST, games // len(seats)).rows
        found.append(Payoff.of_seat(game, seats.index(seat)).values(rows))
    return np.concatenate(found)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        values = shares(name, int(sys.argv[1]))
        for what, found in (("of the wins", values), ("of the games won, alone or with others", values > 0)):
            error = 1.96 * found.std() / np.sqrt(len(found))
            print(f"{name}: {100 * found.mean():.1f} % {what} (±{100 * error:.1f})", flush=True)
