"""simlab replay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from simlab.cli.options import (
    Output,
    Setup,
    StoredGameOptions,
    complete_game,
    complete_scenario,
    index_number,
    page_file,
)
from simlab.cli.terminal import Progress, show, show_answer
from simlab.errors import InputError
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.runs.stored_games import StoredGame


PANEL = "Play"


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
    *,
    setup: Setup,
    of: StoredGameOptions,
    brief: Annotated[bool, typer.Option("--brief", help="One line per decision: who did what.")] = False,
    as_table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="The moves of games as a table instead: game, move, turn, seat, decision, action, options, rules that "
            "fired. 10 games by default, from --game on; -n changes that.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="File for --table, .csv or .parquet; by default CSV is printed."
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Replay a scenario file, or a ready one by its name (`simlab info scenarios`).",
            autocompletion=complete_scenario,
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Also print, side by side, the game with another knob, bot or table, on the same random draws.",
        ),
    ] = None,
    seat: Annotated[
        str | None, typer.Option("--as", metavar="SEAT", help="Print only what this seat sees; by default everything.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=page_file,
            help="Write a page to step through the game, forward and back. It needs no network.",
        ),
    ] = None,
    futures: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_futures,
            help="With --html: play on N times from the start of each turn, for everybody's win chances.",
        ),
    ] = None,
    why: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_futures,
            help="Play on N times from every option of each decision, to show its worth and what the bot's "
            "choice gives away.",
        ),
    ] = None,
    choose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=ACTION", help="At decision N, take action number ACTION instead of the bot's choice. Repeatable."
        ),
    ] = None,
    output: Output,
) -> None:
    """Replay a game, decision by decision: actions, changes, and the rules that fired.

    A game is a function of its seed and index, so you can replay any game of any run. Seats without --bot play the
    game's default bot. --from takes game, seed, bots and knobs from results; the exit status is 1 if the row differs
    from the stored row. --scenario takes random draws, decisions and expected results from a file; the exit status is 1
    if a result differs. --beside prints a second game on the right, with another knob, bot or table and the same random
    draws. --html writes a page with the board, the options, and the reasons of bots that look ahead. --why prints for
    any bot what its options were worth; a bot that is a list of rules also prints its rule.

    Examples:
      simlab replay simple_siege --seed 1 --game 3 --bot besieger=rusher
      simlab replay simple_siege --game 3 --set walls_start=6 --brief
      simlab replay --scenario montsegur_sample_turn --brief
      simlab replay simple_siege --game 3 --beside walls_start=6
      simlab replay simple_siege --game 3 --html game3.html
      simlab replay simple_siege --game 3 --as besieged --brief
      simlab replay simple_siege --game 3 --choose 1=4 --brief
      simlab replay simple_siege --game 3 --why 20 --brief
      simlab replay simple_siege --game 3 --json
      simlab replay simple_siege --table --bot besieger=rusher -n 2
      simlab replay simple_siege --table -n 3 --out moves.parquet
    """
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.questions.choices.regret import Why
    from simlab.questions.replay.analysis import Difference, ScenarioNote, replay_beside
    from simlab.questions.replay.analysis import replay as replayed
    from simlab.questions.replay.film import Choice, Film
    from simlab.questions.replay.narrative import changed_match, game_lines
    from simlab.questions.replay.page import write_film
    from simlab.runs.scenario import load_scenario
    from simlab.spec.draft import read_assignments

    from_, cell, where, json, quiet = of.from_, of.cell, of.where, output.json, output.quiet
    if as_table:
        if json or brief or html or scenario or beside or choose or seat or futures or why:
            raise InputError("--table only writes moves: leave out the other forms of output.")
        _moves(game, index, setup, of, out, quiet)
        return
    if out is not None or setup.games is not None:
        raise InputError("--out and --games go with --table.")
    if json and (brief or html is not None):
        raise InputError("--json prints everything about a game: leave --brief and --html out.")
    if futures and html is None:
        raise InputError("--futures goes with --html FILE.")
    if beside and (html is not None or seat is not None or choose or why):
        raise InputError("--beside prints two games side by side: leave --html, --as, --choose and --why out.")
    choices = _choices(choose or [])
    if choices and (scenario is not None or from_ is not None):
        raise InputError("--choose changes the game: leave --from and --scenario out.")
    if scenario is not None:
        if futures or why:
            raise InputError("--futures and --why ask bots to play on, and a scenario has none: leave them out.")
        if game or setup.given or from_ or cell or index or beside:
            raise InputError("--scenario sets game, seed, knobs, cards and all decisions: leave the other options out.")
    elif game is None and from_ is None:
        raise InputError("which game? Give its slug, --from a folder of results, or --scenario with a file.")
    source = _games_of(game, index, 1, setup, of) if scenario is None else load_scenario(scenario)
    stored, scene = (source.stored, None) if isinstance(source, _Games) else (None, source)
    if where is not None and isinstance(source, _Games) and not json:
        show(f"The first of {source.matching:,} such games.")
    with Progress(quiet) as progress:
        progress.say("compiling if needed")
        stepper = source.stepper()
        match = stepper.match
        assert isinstance(match, Match)
        changed = read_assignments(beside, "--beside")
        other = Stepper(changed_match(match, changed), stepper.seed, stepper.index) if changed else None
    if other is not None:
        show_answer(replay_beside(Film(stepper), Film(other), changed), json)
        return
    moves, heading, note = None, None, None
    if scene:
        moves = (Choice(move.action, move.comment) for move in scene.moves(stepper))
        heading = [f"{stepper.game.title}: {scene.title}"]
        heading += [f"  {line}" for line in (scene.source, scene.start.comment) if line]
        note = ScenarioNote.from_attributes(scene, comment=scene.start.comment, expectations_held=scene.expectations)
    film = Film(stepper, choices=choices, moves=moves)
    eyes = None if seat is None else stepper.game.seat_number(seat, f"--as {seat}: ")
    reasons = None if why is None else Why(match, stepper.seed, why)
    if json:
        answer = replayed(film, eyes, reasons)
        different = stored.differences(stepper.row()) if stored else {}
        differs = {name: Difference(stored=then, now=now) for name, (then, now) in different.items()}
        show_answer(answer.model_copy(update={"differs": differs, "scenario": note}), json)
        if different:
            raise typer.Exit(1)
        return
    if html is None:
        for line in game_lines(film, brief, heading, eyes, reasons):
            show(line)
    else:
        with Progress(quiet) as progress:
            progress.say("playing the game")
            write_film(film, html, eyes, futures or 0, reasons)
        show(f"{html}: {counted(len(film.frames), 'frame')} of {film.match.game.title}. Open it in a browser.")
    if scene and not stepper.over:
        show("", f"The scenario ends here, after {counted(stepper.decisions, 'decision')}.")
    if scene and scene.expectations:
        show(f"All {scene.expectations} expectations of {scene.path.name} hold.")
    if stored and stored.row is not None:
        different = stored.differences(stepper.row())
        if different:
            pairs = (f"{name} is {now}, stored {then}" for name, (then, now) in different.items())
            show("NOT as stored: " + ", ".join(pairs))
            raise typer.Exit(1)
        show("The stored row is the same.")


def _moves(game: str | None, first: int, setup: Setup, of: StoredGameOptions, out: Path | None, quiet: bool) -> None:
    from simlab.runs.moves import COLUMNS, events
    from simlab.runs.table_file import check_name, write_table

    if out is not None:
        check_name(out)
    found = _games_of(game, first, setup.games or 10, setup, of)
    with Progress(quiet) as progress:
        progress.say("compiling if needed")
        rows = write_table(events(found.match, found.seed, found.indices), out, "moves", COLUMNS)
    if out is not None:
        show(f"{counted(rows, 'move')} of {counted(len(found.indices), 'game')} written to {out}.")


class _Games(NamedTuple):
    """Games to replay. stored: the first game, if from results. matching: number of games for which --where holds."""

    match: Match
    seed: int
    indices: Sequence[int]
    stored: StoredGame | None = None
    matching: int = 0

    def stepper(self) -> Stepper:
        """The first game."""
        from simlab.engine.stepper import Stepper

        return Stepper(self.match, self.seed, self.indices[0])


def _games_of(game: str | None, first: int, games: int, setup: Setup, of: StoredGameOptions) -> _Games:
    """The games that the options name: from `first` on, or those of stored results for which --where holds."""
    from simlab.runs.stored_games import stored_game

    if of.from_ is not None:
        if game or setup.given:
            also = "" if games == 1 else ", -n"
            raise InputError(f"--from brings game, seed, bots, knobs and cards: give --game{also} and --cell only.")
        cell, matching = of.cell, 0
        indices: Sequence[int] = range(first, first + games)
        if of.where is not None:
            cell, indices, matching = _those(of.from_, of.where, of.cell, first, games)
        stored = stored_game(of.from_, indices[0], cell, of.allow or [])
        return _Games(stored.match, stored.seed, indices, stored, matching)
    if of.allow or of.cell is not None or of.where is not None:
        raise InputError("--allow, --cell and --where go with --from FOLDER.")
    if game is None:
        raise InputError("which game? Give its slug, or --from a folder of results.")
    chosen = setup.of(game)
    return _Games(chosen.match(), chosen.seed, range(first, first + games))


def _those(folder: Path, where: str, cell: str | None, first: int, games: int) -> tuple[str, Sequence[int], int]:
    """The cell and the indices of the first games for which a condition holds, and how many there are."""
    from simlab.runs.query import first_games
    from simlab.runs.results import load

    if first:
        raise InputError("--game names a game and --where looks for one: give one of them.")
    chosen, count = first_games(load(folder), where, cell, games)
    if not chosen:
        raise InputError(f"--where {where}: holds for no game of {folder}.")
    cells = dict.fromkeys(key for key, _ in chosen)
    if len(cells) > 1:
        raise InputError(
            f"--where {where}: holds in several cells. Name one: {' or '.join(f'--cell {k}' for k in cells)}."
        )
    return next(iter(cells)), [index for _, index in chosen], count


def _choices(texts: list[str]) -> dict[int, int]:
    """Decision -> action, as --choose names them."""
    choices: dict[int, int] = {}
    for text in texts:
        number, _, action = text.partition("=")
        if not re.fullmatch(r"[1-9][0-9]{0,8}", number.strip()) or not re.fullmatch(r"[0-9]{1,8}", action.strip()):
            raise InputError(f"--choose {text}: give a decision and an action as numbers, as in --choose 12=3.")
        if choices.setdefault(int(number), int(action)) != int(action):
            raise InputError(f"--choose {text}: decision {int(number)} was given another action already.")
    return choices
