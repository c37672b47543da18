"""simlab analyze regions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.common import (
    HOW,
    OUTPUT,
    PLAY,
    GamesOption,
    OutOption,
    Output,
    Progress,
    VariantArgument,
    Variation,
    VaryOption,
    WorkersOption,
    bot_lists,
    emit_json,
    positive,
    resume_command,
    share,
    show,
    table,
)
from simlab.cli.sweep import sweep_name

if TYPE_CHECKING:
    from simlab.studies.discover import Discovery


def discover(
    context: typer.Context,
    game: VariantArgument,
    played: Variation,
    output: Output,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="What shall hold: a figure (`simlab info GAME statistics`), a sign and a number, as 'besieger_win > "
            "60%'; again for more, which shall hold together.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    vary: VaryOption = None,
    knobs: Annotated[
        str | None,
        typer.Option(
            "--knobs", metavar="KNOB,KNOB", help="Knobs that vary, --steps to each side; all, if neither "
            "this nor --vary is given.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps", metavar="N", parser=positive, help="Steps to each side of knobs that --vary does not name; 2 "
            "if not given.", rich_help_panel=PLAY,
        ),
    ] = None,
    settings: Annotated[
        int,
        typer.Option(
            "--settings", metavar="N", parser=positive, help="Settings in which rules are looked for, and as many "
            "fresh ones that judge them.", rich_help_panel=HOW,
        ),
    ] = 256,
    density: Annotated[
        float,
        typer.Option(
            "--density", metavar="SHARE", parser=share, help="Share of the settings within a rule in which it shall "
            "hold.", rich_help_panel=HOW,
        ),
    ] = 0.8,
    most_knobs: Annotated[
        int,
        typer.Option("--most-knobs", metavar="N", parser=positive, help="Knobs in a rule.", rich_help_panel=HOW),
    ] = 3,
    games: GamesOption = None,
    workers: WorkersOption = None,
    out: OutOption = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Where to write the report; discover.html in the folder if not given.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:  # fmt: skip
    """Say in short rules where something holds: "the besieger wins over 60 % where walls ≤ 4 and Mine ≥ 2".

    Settings spread over the knobs' ranges (a Latin hypercube) are played, 1,000 games each unless --games says
    otherwise, and the shortest rules are looked for that hold in most settings (--density). Fresh settings on fresh
    seeds then judge each rule: in how many settings within it it holds, how many of all in which it holds it covers,
    and the figure there. A rule that luck had made is gone by then. Seats without --bot play the game's default bot.

    Examples:
      simlab analyze regions simple_siege --where "besieger_win > 30%" --vary walls_start=1..9 --settings 64 --vary mod_mine=0..4 --vary repair_cost=1..3 -n 100
    """  # noqa: E501
    from simlab.experiments.load import new_experiment
    from simlab.experiments.options import read_assignments
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table
    from simlab.report.discover import write_page
    from simlab.studies.discover import discover as search
    from simlab.studies.discover import knobs_around

    variant = read_variant(game, played.set_, played.cards, played.bot, played.seed, played.players)
    at = at_table(variant.game, played.players)
    varied: dict[str, object] = dict(read_assignments(vary or (), "--vary", "KNOB=RANGE"))
    named = [name.strip() for name in (knobs or "").split(",") if name.strip()]
    if named or not varied:
        varied |= knobs_around(at, variant.set_, variant.cards, named, varied, steps or 2)
    experiment = new_experiment(
        at, variant.set_, {"method": "lhs", "points": settings, **varied}, bot_lists(variant.bot), games or 1_000,
        variant.seed, cards=variant.cards, fill_seats=True,
        name=sweep_name(variant.name, ["discover", *list(varied)[:3]], variant.seed),
    )  # fmt: skip
    with Progress(output.quiet) as progress:
        answer = search(
            experiment, where or (), density, most_knobs, 0, out, workers, progress, command=resume_command(context)
        )
        page = write_page(answer, report or answer.folder / "discover.html")
    if output.json:
        emit_json({**answer.to_dict(), "report": str(page)}, "discover")
    else:
        _tell(answer, page)


def _tell(answer: Discovery, page: Path) -> None:
    from simlab.report.tables import typed

    show(typed(answer.sentences[0]))
    if answer.rules:
        figures = [figure.name for figure in answer.rules[0].figures]
        columns = ["rule", "holds in", "covers", *figures]
        rows = [
            [typed(rule.text), rule.density.text, rule.coverage.text, *(figure.text for figure in rule.figures)]
            for rule in answer.rules
        ]
        show(table(columns, rows, right=columns[1:]))
        show(typed(answer.sentences[-1]))
    else:
        show(typed(answer.sentences[1]))
    show(f"Report: {page}")
