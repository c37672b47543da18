"""simlab optimize pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from simlab.cli.options import AnswerOutput, VariantArgument, Variation, WorkersOption, count, number_option, positive
from simlab.cli.terminal import Answer, Progress


def pool(
    game: VariantArgument,
    variation: Variation,
    output: AnswerOutput,
    rounds: Annotated[int, number_option(parser=positive, help="Rounds of answers.")] = 4,
    games: Annotated[int, number_option("--games", "-n", parser=count, help="Games of each line-up.")] = 2_000,
    iterations: Annotated[int, number_option(min=0, help="Playouts per decision of a search; 0: none.")] = 60,
    searched: Annotated[
        int, number_option("--screen", parser=count, help="Games in which each search is tried.")
    ] = 200,
    tune: Annotated[int, number_option(min=0, help="Games for tuning a bot; 0: no tuning.")] = 10_000,
    minutes: Annotated[
        float, typer.Option(metavar="M", min=0, help="Minutes to train a player in each round; 0: train none.")
    ] = 1.0,
    learned: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of the learned players; by default GAME_pool here.")
    ] = None,
    workers: WorkersOption = None,
) -> Answer:
    """Add best answers to the listed bots until none gains: who wins in best play, and with what confidence?

    Best play of the pool is the equilibrium of two rivals, or the line-up in which no seat has a better bot. In each
    round every seat looks for a better answer to it: a tuned bot, bots that look ahead, and a player that learns. An
    answer joins the pool if it gains significantly in games that were not used to choose it. At the end, held-out
    games show the value of best play, and how much the best answer found still gains.

    Examples:
      simlab optimize pool kuhn_poker --minutes 0 --iterations 0 --rounds 1 -n 500
    """
    from simlab.questions.best_answers import lab_of
    from simlab.questions.pool.analysis import Effort, PoolSearch

    chosen = variation.of(game, one_bot=False)
    folder = learned or Path(f"{chosen.game.slug}_pool")
    lab = lab_of(chosen, games, workers)
    learn = _learner(chosen, minutes, folder, lab.workers, output.progress) if minutes else None
    effort = Effort(games, rounds, iterations, searched, tune)
    return PoolSearch(lab, effort, learn, output.progress.say).answer()


def _learner(
    chosen: Any, minutes: float, folder: Path, workers: int, progress: Progress
) -> Callable[[str, Mapping[str, Sequence[str]], int], str]:
    """Trains a player of a seat against the bots of the others, from the strongest bot of the pool on."""
    from simlab.engine.learning.learner import Learner, Settings
    from simlab.engine.learning.player import read_player
    from simlab.questions.learned_players.analysis import train
    from simlab.runs.files import atomic_write

    game = chosen.game
    match = chosen.match(dict.fromkeys(game.seats, "random"))

    def learn(seat: str, bots: Mapping[str, Sequence[str]], number: int) -> str:
        file = folder / f"{seat}_{number}.npz"
        file.parent.mkdir(parents=True, exist_ok=True)
        strongest = bots[seat][0]
        start = read_player(Path(strongest), game) if strongest.endswith(".npz") else None
        others = {other: list(some) for other, some in bots.items() if other != seat}
        plain = {
            other: next((bot for bot in some if not bot.endswith(".npz")), "random") for other, some in bots.items()
        }
        learner = Learner(
            match, chosen.seed + number, Settings(), workers, start, plain, others, None, [seat], progress.status
        )
        train(learner, minutes, None, lambda data: atomic_write(file, data), progress.say)
        return str(file)

    return learn


COMMANDS = {"optimize pool": pool}
