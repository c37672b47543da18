"""Cost of bots that look ahead.

It compares an iteration with a playout. At positions spread over a game, a search of N iterations is timed against N
futures of the same position, played by the same playout bots in the bare loop. It also measures games per second with
such bots in all seats. For a game that OpenSpiel also has, it times OpenSpiel's Monte Carlo tree search in C++, with
the same budget and random playouts. The package `open_spiel` is not part of the lab and is used only here.

All rates count processor time of one thread.
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.questions.speed.timing import Bench, Line, TimedMatch, named

if TYPE_CHECKING:
    from simlab.engine.match import Match

ITERATIONS = 100  #: of a decision
POSITIONS = 6  #: of a game at which a search is timed against playouts
SECONDS = 0.3  #: that a timing takes at least
_THEIR_UCT = 2.0  # of OpenSpiel's search, as in its own examples
_GAMES = 400  # at most, of a rate of games
_THEIRS = ("breakthrough", "connect_four", "othello", "tic_tac_toe")  # games by the name that OpenSpiel gives them


def measure(bench: Bench) -> Iterator[Line]:
    """Times an iteration and games of each kind of search, and OpenSpiel's search if OpenSpiel has the game."""
    from simlab.engine.search import KINDS

    playouts = bench.pairs[0]
    inside, who = "+".join(f"{seat}=({bot})" for seat, bot in playouts.items()), named(playouts)
    rates: dict[str, float] = {}
    for kind in KINDS:
        bench.say(f"{kind}: compiling")
        text = f"{kind}:iterations={ITERATIONS}:playout=({inside})"
        thinking = bench.match(dict.fromkeys(bench.game.seats, text))
        plain, games = TimedMatch(bench.match()), TimedMatch(thinking)
        plain.play(bench.seed, 0, 1)
        games.play(bench.seed, 0, 1)
        bench.say(f"{kind}: an iteration against a playout")
        each = [cost for number in range(bench.repetitions) for cost in _costs(thinking, plain, bench.seed, number)]
        searched, played = map(statistics.mean, zip(*each, strict=True))
        yield Line(what=f"iteration of {kind}", bots=who, value=1e6 * searched, unit="us",
                   compared_with="a playout", ratio=searched / played)  # fmt: skip
        bench.say(f"{kind}: games")

        def play(count: int, games: TimedMatch = games) -> float:
            return games.play(bench.seed, 0, count)[0]

        rates[kind] = 1 / _each(play, SECONDS * bench.repetitions, _GAMES)
        yield Line(what=f"{kind} with {ITERATIONS} iterations", bots=who, value=rates[kind], unit="games/s")
    if bench.game.slug in _THEIRS:
        yield _open_spiel(bench, rates["ismcts"])


def _each(spent: Callable[[int], float], least: float, most: int) -> float:
    """Seconds per item. spent: items -> seconds. least: seconds to measure at least. most: items at most."""
    count, seconds = 1, 0.0
    while seconds < least and count < most:
        count *= 2
        seconds = spent(count)
    return seconds / count


def _costs(thinking: Match, plain: TimedMatch, seed: int, index: int) -> Iterator[tuple[float, float]]:
    """Seconds of an iteration and of a playout, at positions of one game with several legal actions."""
    from simlab.engine.entry_points import view
    from simlab.engine.stepper import Stepper

    game = Stepper(plain.match, seed, index)
    positions = [stepper.copy() for stepper in game.positions() if len(stepper.legal()) > 1]
    knobs, cards = view(thinking.knobs)[0], view(thinking.cards)[0]
    for place in np.unique(np.linspace(0, len(positions) - 1, min(POSITIONS, len(positions))).astype(int)):
        position = positions[int(place)]
        position.legal()
        state, seat = view(np.asarray(position.state).reshape(1).view(np.ndarray))[0], int(position.state.seat)
        bot, traits = thinking.compiled.players[seat], thinking.traits[seat]

        def think(count: int, bot: Any = bot, state: Any = state, traits: Any = traits) -> float:
            began = time.thread_time()
            for _ in range(count):
                bot(state, knobs, cards, traits)
            return time.thread_time() - began

        def play(count: int, state: Any = state) -> float:
            return plain.play(seed, 0, count, start=state)[0]

        yield _each(think, SECONDS / POSITIONS, 200) / ITERATIONS, _each(play, SECONDS / POSITIONS, 1 << 20)


def _open_spiel(bench: Bench, ours: float) -> Line:
    """Games per second of OpenSpiel's search in the same game."""
    what = f"OpenSpiel's tree search with {ITERATIONS} simulations"
    if importlib.util.find_spec("pyspiel") is None:
        return Line(what=f"{what}: not installed here (pip install open_spiel)")
    pyspiel: Any = importlib.import_module("pyspiel")
    bench.say(what)
    loaded = pyspiel.load_game(bench.game.slug)

    def bot(number: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        return pyspiel.MCTSBot(loaded, evaluator, _THEIR_UCT, ITERATIONS, 100, False, number, False)

    def play(count: int) -> float:
        spent = 0.0
        for game in range(count):
            bots = [bot(bench.seed + 2 * game + player) for player in range(loaded.num_players())]
            began = time.thread_time()
            pyspiel.evaluate_bots(loaded.new_initial_state(), bots, bench.seed + game)
            spent += time.thread_time() - began
        return spent

    rate = 1 / _each(play, SECONDS * bench.repetitions, _GAMES)
    return Line(what=what, value=rate, unit="games/s", compared_with="ismcts", ratio=rate / ours)
