"""simlab optimize player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import Output, PlayerFileOption, VariantArgument, Variation, WorkersOption, number_option
from simlab.cli.terminal import Progress, show, show_answer


def player(
    game: VariantArgument,
    variation: Variation,
    output: Output,
    minutes: Annotated[float, typer.Option(metavar="M", min=0.0, help="Minutes to train.")] = 10.0,
    rounds: Annotated[int | None, number_option(min=1, help="Rounds to train, however long they take.")] = None,
    positions: Annotated[
        int | None,
        number_option(
            min=1, help="Positions of the first round; by default 2,000, or three times as many in long games."
        ),
    ] = None,
    games: Annotated[
        int, number_option("--games", "-n", min=2, help="Games of the comparison with each listed bot.")
    ] = 2_000,
    teacher: Annotated[
        list[str] | None, typer.Option(metavar="SEAT=BOT", help="Bot from which the player starts and learns.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=BOT,BOT", help="Additional opponents in training; '*': the listed bots."),
    ] = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT", help="Train this seat only. Repeatable. The other seats stay as they are."),
    ] = None,
    score: Annotated[bool, typer.Option("--score", help="Seek score instead of wins.")] = False,
    workers: WorkersOption = None,
    out: PlayerFileOption = None,
    force: Annotated[bool, typer.Option("--force", help="Start again if the file exists.")] = False,
) -> None:
    """Train a player for each seat instead of writing a bot, and compare it with the listed bots.

    It starts from random play and improves round by round: it plays against itself and its earlier versions, tries the
    options of many positions in the same futures, and learns which were best. The file is saved after each round, and
    --bot accepts it; if it exists, training resumes from it. With --against '*' it also plays against the listed bots,
    to find an answer to each. In long games a listed bot is a better start than random play: with --teacher the player
    departs from that bot only if another choice was worth more. --bot sets the bots of the other seats in the
    comparison at the end; by default these are learned as well.

    Examples:
      simlab optimize player simple_siege --rounds 1 --out siege.npz
      simlab optimize player kuhn_poker --against '*' --minutes 0.05
    """
    from simlab.bot_registry import bots_for
    from simlab.compiler.parallel import processors
    from simlab.engine.learning.learner import Learner, Settings
    from simlab.engine.learning.player import read_player
    from simlab.engine.learning.validation import refuse_file
    from simlab.errors import InputError
    from simlab.questions.learned_players.analysis import answer, train
    from simlab.runs.files import atomic_write
    from simlab.runs.open_experiment import field_of, single_bots
    from simlab.spec.draft import read_opponents

    chosen = variation.of(game)
    loaded = chosen.game
    file = out or Path(f"{loaded.slug}_player.npz")
    taught = single_bots(loaded, teacher) if teacher else None
    for bot in (taught or {}).values():
        refuse_file(bot)
    met = field_of(loaded, read_opponents(against)) if against else {}
    met = {seat: list(bots_for(loaded, seat)) if bots == ["*"] else bots for seat, bots in met.items()}
    for name in seat or ():
        if name not in loaded.seats:
            raise InputError(f"--seat {name}: {loaded.slug} has the seats {', '.join(loaded.seats)}.")
    if score and not loaded.has_scores:
        raise InputError(f"{loaded.slug} has no scores: leave --score out.")
    start = read_player(file, loaded) if file.exists() and not force else None
    match = chosen.match(dict.fromkeys(loaded.seats, "random"))
    with Progress(output.quiet) as progress:
        match.compile(progress.compiling)
        learner = Learner(
            match, chosen.seed, Settings(positions), workers or processors(), start, taught, met, score or None,
            seat or (), progress.status,
        )  # fmt: skip
        train(learner, minutes, rounds, lambda data: atomic_write(file, data), progress.say)
        progress.say("Comparing it with the listed bots.")
        field = chosen.bots if variation.bot else {}
        found = answer(learner, file, field, games)
    show_answer(found, output.json)
    if not output.json:
        show(f"Saved as {file}. Play it: --bot {loaded.seats[0]}={file}")


COMMANDS = {"optimize player": player}
