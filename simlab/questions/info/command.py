"""simlab games, simlab info."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import JsonOption, Output, Setup, complete_game, count
from simlab.cli.terminal import Progress, emit_json, show_answer
from simlab.errors import InputError, nearest

if TYPE_CHECKING:
    from simlab.present.answer import Answer

PANEL = "Games"
OF_GAME = ("rules", "knobs", "bots", "statistics", "tables", "columns", "decisions")
OF_LAB = ("games", "experiments", "scenarios", "metrics", "moves", "schemas", "schema", "experiment-schema")


def games(json: JsonOption = False) -> None:
    """List the games.

    Games come with simlab or from an installed package (entry points `simlab.games`). A game of your own needs no
    installation: use the path of its folder wherever GAME is accepted. Small games with known answers are for learning,
    for checks, and as a start for your own (`simlab new game mine --like pig`).

    Examples:
      simlab games
      simlab games --json
    """
    from simlab.questions.info import analysis

    show_answer(analysis.games(), json)


def info(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="GAME|TOPIC",
            help=f"A game, an experiment file, or {', '.join(OF_LAB[1:])}.",
            autocompletion=lambda incomplete: [*complete_game(incomplete), *OF_LAB],
        ),
    ],
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]",
            help=f"For a game: {', '.join(OF_GAME)}; without a topic, an overview. For `schema`: a form of answers.",
            autocompletion=lambda: list(OF_GAME),
            show_default=False,
        ),
    ] = None,
    *,
    counts: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="For rules: play N games, count how often each fires.")
    ] = None,
    copy: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="For tables: copy the CSV files there, to edit for --cards.")
    ] = None,
    distance: Annotated[
        str | None, typer.Option(metavar="BOTS", help="For bots: how often each pair of these chooses differently.")
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option(metavar="BOTS", help="For bots: their choices in the same fixed positions: a,b.")
    ] = None,
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="With --distance or --fingerprint: ask in this seat only.")
    ] = None,
    setup: Setup,
    output: Output,
) -> None:
    """Show the parts of a game, and the ready experiments, scenarios and schemas.

    rules: the rule ledger. Status: exact as printed in the rulebook; ruling where the rulebook leaves something open;
    abstracted where the lab simplifies. knobs: the numbers and rulings that --set and --vary change. bots: their seats
    and traits, as in --bot besieger=rusher:threshold=0.5. statistics: what a contract can name. tables: card tables as
    CSV. columns: the columns of a run's Parquet files. decisions: kinds of decisions with their options, as --ban takes
    them.

    Without a game: experiments and scenarios that come with the lab; metrics of installed packages; moves, the columns
    of `simlab replay --table`; schemas and schema NAME, the forms of JSON answers; experiment-schema [GAME], a JSON
    Schema with which editors complete and check experiment files.

    Examples:
      simlab info simple_siege
      simlab info simple_siege rules
      simlab info simple_siege rules --counts 200 --bot besieger=rusher --set walls_start=6
      simlab info simple_siege bots --distance 'rusher,stormer,noisy(rusher:0.1)' --bot besieged=mason -n 5
      simlab info simple_siege bots --fingerprint rusher,stormer -n 5
      simlab info simple_siege tables --copy my_cards
      simlab info experiments
      simlab info schema run
    """
    from simlab.questions.info import analysis
    from simlab.registry import find_games
    from simlab.spec.draft import is_experiment
    from simlab.spec.refs import GameRef

    if subject in OF_LAB:
        _of_lab(subject, topic, output.json)
        return
    ref = GameRef.parse(subject, setup.players)
    if not ref.is_path and not is_experiment(ref.name) and ref.name not in find_games():
        raise InputError(f"unknown game or topic '{subject}'. {nearest(subject, [*find_games(), *OF_LAB])}")
    chosen = setup.of(subject)
    game = chosen.game
    for option, value, wanted in (
        ("--counts", counts, "rules"), ("--copy", copy, "tables"), ("--distance", distance, "bots"),
        ("--fingerprint", fingerprint, "bots"),
    ):  # fmt: skip
        if value is not None and topic != wanted:
            raise InputError(f"{option} goes with {wanted}: simlab info {subject} {wanted} {option} ..")
    if seat is not None:
        game.seat_number(seat, f"--seat {seat}: ")
    if distance and fingerprint:
        raise InputError("--distance and --fingerprint cannot be combined: use one at a time.")
    answer: Answer
    games = setup.games or 20
    if topic is None:
        answer = analysis.overview(subject, game)
    elif counts is not None:
        match = chosen.match()
        with Progress(output.quiet) as progress:
            match.compile(progress.compiling)
            answer = analysis.rules(game, match, counts, chosen.seed)
    elif distance:
        answer = analysis.distances(chosen.match(), distance, seat, games, chosen.seed)
    elif fingerprint:
        random = chosen.match(dict.fromkeys(game.seats, "random"))
        answer = analysis.fingerprints(random, fingerprint, seat, games, chosen.seed)
    elif copy is not None:
        answer = analysis.tables(game, analysis.copy_tables(game, copy))
    else:
        if topic not in OF_GAME:
            raise InputError(f"a game has no '{topic}' to show. {nearest(topic, OF_GAME)}")
        answer = getattr(analysis, topic)(game)
    show_answer(answer, output.json)


def _of_lab(subject: str, topic: str | None, json: bool) -> None:
    from simlab.questions import answer_types
    from simlab.questions.info import analysis
    from simlab.registry import load_game
    from simlab.runs.table_file import TABLES

    if subject == "schema":
        if topic in TABLES:
            where = "simlab info moves" if topic == "moves" else "simlab info simple_siege columns"
            raise InputError(f"the form '{topic}' is a table. Its columns: {where}")
        if topic not in answer_types():
            now = str(topic).replace("mend", "fixes")  # its earlier name
            close = f"It is now '{now}'." if now != topic and now in answer_types() else nearest(now, answer_types())
            unknown = f"unknown form '{topic}'" if topic else "simlab info schema takes the name of a form, as run"
            raise InputError(f"{unknown}. {close} All: simlab info schemas")
        emit_json(answer_types()[topic].json_schema())
    elif subject == "experiment-schema":
        from simlab.runs.experiment_schema import json_schema

        emit_json(json_schema(load_game(topic) if topic else None))
    elif topic is not None:
        raise InputError(f"info {subject} takes no topic: leave '{topic}' out.")
    else:
        made = {"schemas": analysis.forms, "moves": analysis.move_columns}.get(subject) or getattr(analysis, subject)
        show_answer(made(), json)


COMMANDS = {"games": games, "info": info}
