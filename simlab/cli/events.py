"""simlab events."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    AllowOption,
    BotOption,
    CardsOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    WhereOption,
    complete_game,
    index_number,
    knob_values,
    positive,
    show,
    single_bots,
    table_files,
)
from simlab.errors import UserMistake
from simlab.words import counted


def events(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="Slug or folder of the game, or an experiment file; not needed with --from.",
            autocompletion=complete_game,
            show_default=False,
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", metavar="N", parser=positive, help="How many games.")] = 10,
    first: Annotated[
        int, typer.Option("--game", "-g", metavar="N", parser=index_number, help="Index of the first game, from 0.")
    ] = 0,
    seed: SeedOption = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    from_: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Take the games of these results.")
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option("--cell", metavar="KEY", help="With --from: key, first digits of it, or label of the cell."),
    ] = None,
    where: WhereOption = None,
    allow: AllowOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .csv or .parquet file; without it CSV is printed."),
    ] = None,
    timeout: LimitOption = TIMEOUT,
    quiet: QuietOption = False,
) -> None:
    """Write the moves of games as a table: game, move, turn, seat, decision, action, options, rules that fired.

    A game is a function of its seed and index, so the moves of any run can be had afterwards: with --from, game, seed,
    bots and knobs are those of the results. Move 0 is the set-up.

    Examples:
      simlab events simple_siege --bot besieger=rusher -n 2
      simlab events simple_siege -n 3 --out moves.parquet
    """
    from simlab.engine.match import Match
    from simlab.experiments.variant import read_variant
    from simlab.registry import load_game
    from simlab.runs.table_file import check_name, write_table
    from simlab.studies.events import COLUMNS
    from simlab.studies.events import events as moves
    from simlab.studies.stored import stored_game

    indices: list[int] = []
    if out is not None:
        check_name(out)
    if from_ is not None:
        if game or players or bot or set_ or cards or seed is not None:
            raise UserMistake("--from brings game, seed, bots, knobs and cards: give --game, -n and --cell only.")
        if where is not None:
            cell, indices = _those(from_, where, cell, first, games)
        stored = stored_game(from_, first if where is None else indices[0], cell, allow or [])
        match, seed = stored.match, stored.seed
    elif allow or cell is not None or where is not None:
        raise UserMistake("--allow, --cell and --where go with --from FOLDER.")
    elif game is None:
        raise UserMistake("which game? Give its slug, or --from a folder of results.")
    else:
        variant = read_variant(game, set_, cards, bot, seed, players)
        game, set_, cards, bot, seed = variant.game, variant.set_, variant.cards, variant.bot, variant.seed
        loaded = load_game(game, players)
        match = Match(loaded, knobs=knob_values(set_), tables=table_files(cards), bots=single_bots(loaded, bot))
    with Progress(quiet) as progress:
        progress.say("compiling, when it is the first time")
        wanted = indices or range(first, first + games)
        rows = write_table(moves(match, 1 if seed is None else seed, wanted), out, "moves", COLUMNS)
    games = len(wanted)
    if out is not None:
        show(f"{counted(rows, 'move')} of {counted(games, 'game')} written to {out}.")


def _those(folder: Path, where: str, cell: str | None, first: int, games: int) -> tuple[str, list[int]]:
    """The cell and the indices of the first games for which a condition holds.

    Raises:
        UserMistake: --game was given too, there is no such game, or they stand in several cells.
    """
    from simlab.runs.results import load
    from simlab.runs.where import first_games

    if first:
        raise UserMistake("--game names a game and --where looks for some: give one of them.")
    chosen, _ = first_games(load(folder), where, cell, games)
    if not chosen:
        raise UserMistake(f"--where {where}: holds for no game of {folder}.")
    cells = dict.fromkeys(key for key, _ in chosen)
    if len(cells) > 1:
        raise UserMistake(
            f"--where {where}: holds in several cells. Name one: {' or '.join(f'--cell {k}' for k in cells)}."
        )
    return next(iter(cells)), [index for _, index in chosen]
