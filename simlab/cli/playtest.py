"""simlab analyze playtest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab import shell
from simlab.cli.common import (
    TIMEOUT,
    BotOption,
    CardsOption,
    GamesOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    VariantArgument,
    bot_lists,
    emit_json,
    knob_values,
    show,
    table,
    table_files,
)


def playtest(
    game: VariantArgument,
    file: Annotated[Path | None, typer.Argument(metavar="FILE.csv", help="Games of people, one a row.")] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Print a file to fill in, or write it to FILE.csv, and do no more.")
    ] = False,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Hold games that people played beside the games of bots.

    Says whether the people's games are like the bots' (who wins, how it ends, how long it takes, scores), which bots
    explain them best, and what even those have wrong. Without --bot all bots meet at a table of one or two, and each
    plays all seats of a larger one; 2,000 games of each line-up unless --games says otherwise. Few games of people
    show large differences alone, and the answer says so.

    Examples:
      simlab analyze playtest pig people.csv --template
      simlab analyze playtest pig people.csv --bot first=hold_at,optimal --bot second=hold_at -n 500
    """
    from simlab.errors import InputError
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.report.playtest import figure_rows, fit_rows, sentences
    from simlab.studies.playtest import compare, line_ups, play_line_ups, read_playtests
    from simlab.studies.playtest import template as blank

    variant = read_variant(game, set_, cards, bot, seed, players, one_bot=False)
    loaded = load_game(at_table(variant.game, players))
    if template:
        if file is None:
            typer.echo(blank(loaded), nl=False)
        elif file.exists():
            raise InputError(f"{file}: is there already. Name another file for the template.")
        else:
            file.write_text(blank(loaded), encoding="utf-8")
            again = shell.join(["simlab", "analyze", "playtest", str(game), str(file)])
            show(f"{file}: fill it in, a game a row, and try: {again}")
        return
    if file is None:
        raise InputError("name the file of the people's games; --template prints one to fill in.")
    data = read_playtests(file, loaded)
    who = line_ups(loaded, bot_lists(variant.bot))
    seed = 1 if variant.seed is None else variant.seed
    knobs, tables = knob_values(variant.set_), table_files(variant.cards)
    with Progress(quiet):
        answer = compare(data, loaded, play_line_ups(loaded, who, games or 2_000, seed, knobs, tables), seed)
    if json:
        emit_json(answer.to_dict(), "playtest")
        return
    show(*sentences(answer), "")
    columns = ["figure", "games", "people", "bots", "p", "p of all"]
    title = f"People beside {answer.fits[0].name}, {answer.bot_games:,} games of bots"
    show(table(columns, figure_rows(answer.fits[0]), columns[1:], title))
    if len(answer.fits) > 1 and answer.explains:
        columns = ["bots", "behind", "weight", "worse for certain", "share of a mix"]
        title = f"What explains the games, by {', '.join(answer.explains)} (log-likelihood)"
        show(table(columns, fit_rows(answer)[:12], columns[1:], title))
    people = answer.people[:20]
    if people:
        rows = [(n, g, w, f"{100 * w / g:.0f} % ({100 * lo:.0f}-{100 * hi:.0f})") for n, g, w, lo, hi in people]
        show(table(["person", "games", "won", "in brackets 95 %"], rows, ["games", "won"], "Who played"))
