"""How much a bot of Pig gives away: what its choices lose of the chance to win against best play.

python -m tests.games.small.pig_losses 2000 racer lookahead:iterations=400:caution=3:playout=racer

By the performance difference lemma (Kakade and Langford 2002) the losses of a game add up, on average, to the
difference between the bot's win rate and that of best play. They vary far less than who wins.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.pig.optimal import GOAL, best_play
from simlab.registry import load_game

FIRST = 1 << 41  # games that no training used
HOLD = 1


def losses(bot: str, seat: int, games: int) -> npt.NDArray[np.float64]:
    """What a bot's choices lose in each game against best play. seat: 0 begins."""
    game, (_, gain) = load_game("pig"), best_play()
    bots = {name: bot if place == seat else "optimal" for place, name in enumerate(game.seats)}
    match, found = Match(game, bots=bots), np.zeros(games)
    for number in range(games):
        position = Stepper(match, 11, FIRST + number)
        while not position.over:
            action, state = position.policy_action(), position.state
            if state.seat == seat and state.at_stake > 0:
                better = gain[GOAL - state.points[seat], GOAL - state.points[1 - seat], state.at_stake]
                found[number] += max(better if action != HOLD else -better, 0.0)
            position.apply(action)
    return found


if __name__ == "__main__":
    for name in sys.argv[2:]:
        for seat, place in enumerate(("first", "second")):
            lost = losses(name, seat, int(sys.argv[1]))
            error = 1.96 * lost.std() / np.sqrt(len(lost))
            print(f"{name} as {place}: {100 * lost.mean():.2f} points (±{100 * error:.2f}) below best play", flush=True)
