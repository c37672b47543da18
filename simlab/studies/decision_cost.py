"""What a decision costs each bot of a run: microseconds of this machine's processor, and decisions a game.

Measured apart from the games, after the run: each bot is asked a few hundred positions of its own games over and over
by a small compiled loop, and the time of the same loop without asking is taken off. So the play loop holds no clock.
The times stand in manifest.json beside the machine that took them; they are no result, and nothing compares them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simlab.engine import deadline
from simlab.engine.compiled import records, traits_type, view
from simlab.engine.futures import Futures
from simlab.engine.match import Match
from simlab.runs.store import Folder

if TYPE_CHECKING:
    from simlab.experiments.experiment import Experiment
    from simlab.runs.results import Results

POSITIONS, GAMES = 256, 12  #: of a bot, at most
TIMED = 5  #: measurements, of which the middle one counts
ENOUGH, LONG = 0.01, 1.0  #: seconds of one measurement, and after which no more positions are collected
MOST_BOTS = 64  #: bots by seat that are timed


def decision_cost(match: Match, seat: int, seed: int) -> dict[str, Any]:
    """What a decision costs the bot of a seat, in positions of its own games.

    Args:
        seed: of the games 0, 1, ... that the positions come from.
    Returns:
        JSON-able: `microseconds` a decision with a choice, the middle of five measurements, `low` and `high` the least
        and the most of them; `decisions` with a choice a game; `games` and `positions` that it rests on.
    """
    plays = Futures(match, seed, 1)
    match = plays.match  # compiled, and measured by nothing of the designer's own
    kept: list[Any] = []
    decisions = games = 0
    began = time.perf_counter()
    for game in range(GAMES):
        for position in plays.positions(game):
            if int(position["seat"][0]) == seat and int(position["n_legal"][0]) > 1:
                decisions += 1
                if len(kept) < POSITIONS:
                    kept.append(position.copy())
        games += 1
        if time.perf_counter() - began > LONG:
            break
    about = {"decisions": decisions / games, "games": games}
    if not kept:
        return {"microseconds": None, "low": None, "high": None, "positions": 0, **about}
    ask = match.compiled.asking()
    policy = match.compiled.play(True)[1][seat]
    traits = view(match.traits.view(traits_type(match.game)).reshape(-1)[seat : seat + 1])
    work = records(1, match.game.state)

    def taken(positions: Any, rounds: int, asking: int) -> float:
        bot = match.bots[seat]
        began = time.thread_time()
        with deadline.Call(lambda: (f"bot '{bot.text}' ({bot.seat})", "while its decisions were timed")):
            ask(policy, positions, work, view(match.knobs), view(match.cards), traits, rounds, asking)
        return time.thread_time() - began

    one = max(taken(_joined(kept[:2], match), 1, 1) / 2, 1e-8)
    positions = _joined(kept[: max(min(len(kept), int(LONG / TIMED / one)), 2)], match)
    rounds = 1
    while taken(positions, rounds, 1) < ENOUGH:
        rounds *= 4
    asked = rounds * positions.size
    times = sorted(
        max(taken(positions, rounds, 1) - taken(positions, rounds, 0), 0.0) / asked * 1e6 for _ in range(TIMED)
    )
    middle, size = times[TIMED // 2], int(positions.size)
    return {"microseconds": middle, "low": times[0], "high": times[-1], "positions": size, **about}


def _joined(positions: list[Any], match: Match) -> Any:
    joined = records(len(positions), match.game.state)
    for place, position in enumerate(positions):
        joined[place] = position[0]
    return joined


def measure(results: Results, experiment: Experiment, tell: Callable[[str], None] | None = None) -> bool:
    """Adds `decision_cost` to the manifest of a complete run, unless it is there.

    Returns:
        whether the manifest was written.
    """
    from simlab.experiments.cells import cells

    if results.partial or results.failed or "decision_cost" in results.manifest or len(results.sizes) > 1:
        return False
    folder = Folder(results.folder)
    timed: dict[tuple[str, str], dict[str, Any]] = {}
    for cell in cells(experiment):
        wanted = [(seat, bot) for seat, bot in cell.bot_labels.items() if (seat, bot) not in timed]
        if not wanted or len(timed) >= MOST_BOTS:
            continue
        if tell and not timed:
            tell("timing the bots' decisions")
        match = cell.match()
        for seat, bot in wanted:
            cost = decision_cost(match, match.game.seats.index(seat), results.seed)
            timed[seat, bot] = {"seat": seat, "bot": bot, **cost}
    folder.write_json("manifest.json", {**results.manifest, "decision_cost": list(timed.values())})
    return True
