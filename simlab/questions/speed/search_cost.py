"""Cost of bots that look ahead.

It compares an iteration with a playout. At positions spread over a game, a search of N iterations is timed against N
futures of the same position, played by the same playout bots in the bare loop. It also measures games per second with
such bots in all seats. For a game that OpenSpiel also has, it times OpenSpiel's Monte Carlo tree search in C++, with
the same budget and random playouts. The package `open_spiel` is not part of the lab and is used only here.

All rates count processor time of one thread.
"""

from __future__ import annotations

import functools
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
_GAMES = 400  # at most, of a rate
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
        times = [_iteration(thinking, plain, bench.seed, number) for number in range(bench.repetitions)]
        searched, played = (sum(column) for column in zip(*times, strict=True))
        yield Line(what=f"iteration of {kind}", bots=who, value=1e6 * searched / bench.repetitions, unit="us",
                   compared_with="a playout", ratio=searched / played)  # fmt: skip
        bench.say(f"{kind}: games")
        count, spent = 1, 0.0
        while spent < SECONDS * bench.repetitions and count < _GAMES:
            count *= 2
            spent, _ = games.play(bench.seed, 0, count)
        rates[kind] = count / spent
        yield Line(what=f"{kind} with {ITERATIONS} iterations", bots=who, value=rates[kind], unit="games/s")
    if bench.game.slug in _THEIRS:
        yield _open_spiel(bench, rates["ismcts"])


def _iteration(thinking: Match, plain: Any, seed: int, index: int) -> tuple[float, float]:
    """Seconds of an iteration and of a playout, means over positions of one game with several legal actions."""
    from simlab.engine.entry_points import view
    from simlab.engine.stepper import Stepper

    game = Stepper(plain.match, seed, index)
    positions = [stepper.copy() for stepper in game.positions() if len(stepper.legal()) > 1]
    if not positions:
        return 0.0, 0.0
    bots = thinking.compiled.players
    knobs, cards = view(thinking.knobs)[0], view(thinking.cards)[0]
    searched, played = [], []
    for place in np.unique(np.linspace(0, len(positions) - 1, min(POSITIONS, len(positions))).astype(int)):
        position = positions[int(place)]
        position.legal()
        work = view(np.asarray(position.state).reshape(1).view(np.ndarray))
        seat = int(position.state.seat)
        state, traits = work[0], thinking.traits[seat]

        def think(bot: Any = bots[seat], state: Any = state, traits: Any = traits) -> float:
            began = time.thread_time()
            bot(state, knobs, cards, traits)
            return time.thread_time() - began

        def play(futures: int, start: Any = work[0]) -> float:
            plain.seconds = 0.0
            plain.match.play(seed, 0, futures, counting=False, start=start)
            return float(plain.seconds)

        searched.append(_usual(think) / ITERATIONS)
        # A call of the loop takes long to begin: many futures in one call make that negligible.
        many = ITERATIONS * max(1, round(SECONDS / POSITIONS / max(play(ITERATIONS), 1e-6)))
        played.append(_usual(functools.partial(play, many)) / many)
    return statistics.mean(searched), statistics.mean(played)


def _usual(once: Callable[[], float]) -> float:
    """The median of several runs."""
    runs, began = [once()], time.thread_time()
    while len(runs) < 3 or (time.thread_time() - began < SECONDS / POSITIONS and len(runs) < 200):
        runs.append(once())
    return statistics.median(runs)


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

    spent, games = 0.0, 0
    while spent < SECONDS * bench.repetitions and games < _GAMES:
        state = loaded.new_initial_state()
        bots = [bot(bench.seed + 2 * games + player) for player in range(loaded.num_players())]
        began = time.thread_time()
        pyspiel.evaluate_bots(state, bots, bench.seed + games)
        spent += time.thread_time() - began
        games += 1
    rate = games / spent
    return Line(what=what, value=rate, unit="games/s", compared_with="ismcts", ratio=rate / ours)
