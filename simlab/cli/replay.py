"""simlab replay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    AllowOption,
    BotOption,
    CardsOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    WhereOption,
    complete_game,
    complete_scenario,
    emit_json,
    index_number,
    knob_values,
    seat_number,
    show,
    single_bots,
    table,
    table_files,
)
from simlab.errors import UserMistake
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.engine.stepper import Stepper
    from simlab.report.film import Film


def _futures(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) % 2 or int(text) in (0, 2):
        raise typer.BadParameter("give an even number in 4..99998, as 100")
    return int(text)


def replay(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="Slug or folder of the game, or an experiment file; not needed with --from.",
            autocompletion=complete_game,
            show_default=False,
        ),
    ] = None,
    index: Annotated[
        int, typer.Option("--game", "-g", metavar="N", parser=index_number, help="Index of the game, from 0.")
    ] = 0,
    seed: SeedOption = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="Replay a game of these results, and compare its row."),
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option("--cell", metavar="KEY", help="With --from: key, first digits of it, or label of the cell."),
    ] = None,
    where: WhereOption = None,
    allow: AllowOption = None,
    brief: Annotated[bool, typer.Option("--brief", help="One line a decision: who did what.")] = False,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="FILE",
            help="Replay a scenario file, or a ready one by its name (`simlab show scenarios`).",
            autocompletion=complete_scenario,
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--beside",
            metavar="NAME=VALUE",
            help="Beside it, the same luck with another knob, seat's bot or table's file; again for more.",
        ),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option("--as", metavar="SEAT", help="Tell what this seat sees and learns, no more; by default all."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write it as a page to step through, forward and back, instead of printing it; it needs no network.",
        ),
    ] = None,
    futures: Annotated[
        int | None,
        typer.Option(
            "--futures",
            metavar="N",
            parser=_futures,
            help="With --html: play each turn's start on N times, for everybody's chance to win there.",
        ),
    ] = None,
    choose: Annotated[
        list[str] | None,
        typer.Option(
            "--choose",
            metavar="N=ACTION",
            help="Another line: at decision N this action, by its number, in place of the bot's; again for more.",
        ),
    ] = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play one game again and print it, decision by decision: what was done, what changed, which rules fired.

    A game is a function of its seed and index, so any game of any run can be seen again. Seats without --bot
    play the game's default bot. With --from, game, seed, bots and knobs are those of the results; exit status 1 if
    the row differs from the stored one. With --scenario, a file says what is drawn and done, and what has to come of
    it; exit status 1 if it comes out otherwise. With --beside the game stands on the left, and
    the one that another knob, bot or table makes of the same luck on the right. With --html it becomes a page
    with the board, the options and why a bot that looks ahead moved, to step through by keys and buttons.

    Examples:
      simlab replay simple_siege --seed 1 --game 3 --bot besieger=rusher
      simlab replay simple_siege --game 3 --set walls_start=6 --brief
      simlab replay --scenario montsegur_sample_turn --brief
      simlab replay simple_siege --game 3 --beside walls_start=6
      simlab replay simple_siege --game 3 --html game3.html
      simlab replay simple_siege --game 3 --as besieged --brief
      simlab replay simple_siege --game 3 --choose 1=4 --brief
      simlab replay simple_siege --game 3 --json
    """
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.experiments.options import read_assignments
    from simlab.experiments.variant import read_variant
    from simlab.registry import load_game
    from simlab.report.film import Film, bots_moves
    from simlab.report.replay import changed_match, tell_game
    from simlab.report.replay_data import beside_data, game_data
    from simlab.studies.stored import StoredGame, stored_game

    if json and (brief or html is not None):
        raise UserMistake("--json says all that there is of a game: leave --brief and --html out.")
    if futures and html is None:
        raise UserMistake("--futures goes with --html FILE.")
    if beside and (html is not None or seat is not None or choose):
        raise UserMistake("--beside prints two games side by side: leave --html, --as and --choose out.")
    choices = _choices(choose or [])
    if choices and (scenario is not None or from_ is not None):
        raise UserMistake("--choose makes another game of it: leave --from and --scenario out.")
    if scenario is not None:
        if futures:
            raise UserMistake("--futures asks bots to play on, and a scenario has none: leave it out.")
        if game or players or bot or set_ or cards or from_ or cell or index or seed is not None:
            raise UserMistake("--scenario brings game, seed, knobs, cards and all that is done: leave the rest out.")
        _replay_scenario(scenario, brief, quiet, seat, html, json)
        return
    stored: StoredGame | None = None
    if from_ is not None:
        if game or players or bot or set_ or cards or seed is not None:
            raise UserMistake("--from brings game, seed, bots, knobs and cards: give --game and --cell only.")
        if where is not None:
            cell, index, count = _first_of(from_, where, cell, index)
            if not json:
                show(f"The first of {count:,} such games.")
        stored = stored_game(from_, index, cell, allow or [])
        match, seed = stored.match, stored.seed
    elif allow:
        raise UserMistake("--allow goes with --from FOLDER.")
    elif game is None:
        raise UserMistake("which game? Give its slug, --from a folder of results, or --scenario with a file.")
    elif cell is not None or where is not None:
        raise UserMistake("--cell and --where go with --from FOLDER.")
    else:
        variant = read_variant(game, set_, cards, bot, seed, players)
        game, set_, cards, bot, seed = variant.game, variant.set_, variant.cards, variant.bot, variant.seed
        loaded = load_game(game, players)
        match = Match(loaded, knobs=knob_values(set_), tables=table_files(cards), bots=single_bots(loaded, bot))
    with Progress(quiet) as progress:
        progress.say("compiling, when it is the first time")
        stepper = Stepper(match, 1 if seed is None else seed, index)
        changed = read_assignments(beside or (), "--beside", "NAME=VALUE, as --beside walls=6")
        other = Stepper(changed_match(match, changed), stepper.seed, index) if beside else None
    if other is not None:
        if json:
            emit_json(beside_data(stepper, other, changed), "replay-beside")
        else:
            _show_side_by_side(stepper, other, beside or [])
        return
    eyes = None if seat is None else seat_number(stepper.game, seat)
    if json:
        answer = game_data(stepper, bots_moves(stepper, choices), eyes)
        different = stored.differences(stepper.row()) if stored is not None else {}
        answer["differs"] = {name: {"stored": then, "now": now} for name, (then, now) in different.items()}
        emit_json({**answer, "scenario": None}, "replay")
        if different:
            raise typer.Exit(1)
        return
    if html is not None:
        with Progress(quiet) as progress:
            progress.say("playing the game")
            film = Film(match, stepper.seed, index, choices)
            _write(film, html, eyes, futures or 0)
        stepper = film.frames[-1].at
    else:
        for line in tell_game(stepper, brief, moves=bots_moves(stepper, choices), seat=eyes):
            show(line)
    if stored is not None and stored.row is not None:
        different = stored.differences(stepper.row())
        if different:
            pairs = (f"{name} is {now}, stored {then}" for name, (then, now) in different.items())
            show("NOT as stored: " + ", ".join(pairs))
            raise typer.Exit(1)
        show("The stored row says the same.")


def _choices(texts: list[str]) -> dict[int, int]:
    """Decision -> action of --choose.

    Raises:
        UserMistake: a text that is not two whole numbers, the first from 1.
    """
    choices = {}
    for text in texts:
        number, _, action = text.partition("=")
        if not re.fullmatch(r"[1-9][0-9]{0,8}", number.strip()) or not re.fullmatch(r"[0-9]{1,8}", action.strip()):
            raise UserMistake(f"--choose {text}: give a decision and an action as numbers, as in --choose 12=3.")
        choices[int(number)] = int(action)
    return choices


def _write(film: Film, path: Path, seat: int | None, futures: int = 0) -> None:
    from simlab.report.film_page import write_film

    write_film(film, path, seat, futures=futures)
    show(f"{path}: {counted(len(film.frames), 'frame')} of {film.match.game.title}. Open it in a browser.")


def _first_of(folder: Path, where: str, cell: str | None, index: int) -> tuple[str, int, int]:
    """Cell and index of the first game for which a condition holds, and how many there are.

    Raises:
        UserMistake: --game was given too, or there is no such game.
    """
    from simlab.runs.results import load
    from simlab.runs.where import first_games

    if index:
        raise UserMistake("--game names one game and --where looks for one: give one of them.")
    games, count = first_games(load(folder), where, cell, 1)
    if not games:
        raise UserMistake(f"--where {where}: holds for no game of {folder}.")
    return *games[0], count


def _replay_scenario(
    name: str, brief: bool, quiet: bool, seat: str | None, html: Path | None, json: bool = False
) -> None:
    from simlab.report.film import Choice, Film
    from simlab.report.replay import tell_game
    from simlab.report.replay_data import game_data
    from simlab.studies.scenario import load_scenario

    scenario = load_scenario(name)
    with Progress(quiet) as progress:
        progress.say("compiling, when it is the first time")
        stepper = scenario.stepper()
    heading = [f"{stepper.game.title}: {scenario.title}"]
    heading += [f"  {line}" for line in (scenario.source, scenario.start.comment) if line]
    moves = (Choice(move.action, move.comment) for move in scenario.moves(stepper))
    eyes = None if seat is None else seat_number(stepper.game, seat)
    if json:
        about = {"title": scenario.title, "source": scenario.source, "comment": scenario.start.comment}
        answer = {**game_data(stepper, moves, eyes), "differs": {}}
        emit_json({**answer, "scenario": {**about, "expectations_held": scenario.expectations}}, "replay")
        return
    if html is not None:
        _write(Film.of_moves(stepper, moves), html, eyes)
    else:
        for line in tell_game(stepper, brief, heading, moves, eyes):
            show(line)
    if not stepper.over:
        show("", f"The scenario ends here, after {counted(stepper.decisions, 'decision')}.")
    if scenario.expectations:
        show(f"All {scenario.expectations} expectations of {scenario.path.name} hold.")


def _show_side_by_side(one: Stepper, other: Stepper, texts: list[str]) -> None:
    """Two games with the same luck in two columns, turn by turn; a star marks the turns that differ."""
    from simlab.report.replay import side_by_side, tell_end

    game = one.game
    show(f"{game.title}, seed {one.seed}, game {one.index}, beside {', '.join(texts)}")
    rows: list[list[str]] = []
    last = -1
    for turn, differs, left, right in side_by_side(one, other):
        rows.append([str(turn) if turn != last else "", "*" if differs and turn != last else "", left, right])
        last = turn
    show(table([game.turn_name, "", "as it was", "beside"], rows))
    for name, stepper in (("as it was", one), ("beside", other)):
        lines = list(tell_end(stepper.match, stepper.row()))
        show(f"{name}: {lines[1]}")
