"""simlab optimize exact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from simlab.cli.options import Output, PlayerFileOption, VariantArgument, Variation, number_option
from simlab.cli.terminal import Progress, show, show_answer


def exact(
    game: VariantArgument,
    variation: Variation,
    output: Output,
    iterations: Annotated[int, number_option("--iterations", min=1, help="Number of iterations.")] = 1_000,
    games: Annotated[int, number_option("--games", "-n", min=2, help="Games with each listed bot.")] = 20_000,
    out: PlayerFileOption = None,
) -> None:
    """Solve a small game for two: its value, and how each seat should play, bluffs included.

    For games in which one seat wins what the other loses, with at most 50,000 positions. The file is a bot
    that draws its actions with the probabilities of the solution. The solution maximizes scores, or wins if the game
    has no scores.

    Examples:
      simlab optimize exact kuhn_poker
    """
    from simlab.engine.learning.solving import Solver
    from simlab.questions.exact_play.analysis import answer
    from simlab.runs.files import atomic_write

    chosen = variation.of(game)
    loaded = chosen.game
    file = out or Path(f"{loaded.slug}_exact.npz")
    match = chosen.match(dict.fromkeys(loaded.seats, "random"))
    with Progress(output.quiet) as progress:
        match.compile(progress.compiling)
        progress.say("Expanding the game tree.")
        solver = Solver(match, chosen.seed)
        progress.say("Solving it.")
        solver.solve(iterations)
        about = {"seed": chosen.seed, "knobs": match.knobs_resolved, "iterations": iterations}
        atomic_write(file, solver.tables(about).to_bytes())
        found = answer(solver, file, iterations, chosen.seed, games, chosen.tables)
    show_answer(found, output.json)
    if not output.json:
        show(f"Saved as {file}. Play it: --bot {loaded.seats[0]}={file}")


COMMANDS = {"optimize exact": exact}
