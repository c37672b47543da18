"""simlab analyze playtest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab import shell
from simlab.cli.options import GamesOption, Output, VariantArgument, Variation
from simlab.cli.terminal import Progress, show, show_answer

PANEL = "Judge"


def playtest(
    game: VariantArgument,
    variation: Variation,
    output: Output,
    file: Annotated[Path | None, typer.Argument(metavar="FILE.csv", help="Games of people, one per row.")] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Only print a file to fill in, or write it to FILE.csv.")
    ] = False,
    games: GamesOption = None,
) -> None:
    """Compare games that people played with games of bots.

    Reports whether the people's games are like the bots' (who wins, how they end, how long they take, scores), which
    bots explain them best, and where even these bots differ. Without --bot, all bots meet in games of one or two seats;
    in larger games each bot plays all seats. The default is 2,000 games of each line-up. A small number of people's
    games shows only large differences; the answer reports that.

    Examples:
      simlab analyze playtest pig people.csv --template
      simlab analyze playtest pig people.csv --bot first=hold_at,optimal --bot second=hold_at -n 500
    """
    from simlab.errors import InputError
    from simlab.questions.playtest.analysis import LineUp, compare, line_ups, read_playtests
    from simlab.questions.playtest.analysis import template as blank

    chosen = variation.of(game, one_bot=False)
    loaded = chosen.game
    if template:
        if file is None:
            typer.echo(blank(loaded), nl=False)
        elif file.exists():
            raise InputError(f"{file}: is there already. Name another file for the template.")
        else:
            file.write_text(blank(loaded), encoding="utf-8")
            again = shell.join(["simlab", "analyze", "playtest", str(game), str(file)])
            show(f"{file}: fill it in, one game per row, and run: {again}")
        return
    if file is None:
        raise InputError("name the file of the people's games; --template prints one to fill in.")
    data = read_playtests(file, loaded)
    who = line_ups(loaded, chosen.named)
    with Progress(output.quiet):  # the bots' games, on the same seeds for every line-up
        played = [LineUp(bots, chosen.match(bots).play(chosen.seed, 0, games or 2_000).rows) for bots in who]
        answer = compare(data, loaded, played, chosen.seed)
    show_answer(answer, output.json)


COMMANDS = {"analyze playtest": playtest}
