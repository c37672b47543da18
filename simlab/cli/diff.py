"""simlab diff."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import (
    OUTPUT,
    TIMEOUT,
    BotOption,
    CardsOption,
    ExperimentArgument,
    GamesOption,
    JsonOption,
    LimitOption,
    MetricOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    bot_lists,
    complete_experiment,
    emit_json,
    show,
    table,
)
from simlab.errors import UserMistake
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.studies.diff import CellDiff, Diff, FigureDiff

_MOST_ROWS = 30


def diff(
    base: ExperimentArgument,
    tweak: Annotated[
        str | None,
        typer.Argument(
            metavar="[TWEAK]",
            help="Another experiment; without it the options say what the tweak changes.",
            autocompletion=complete_experiment,
            show_default=False,
        ),
    ] = None,
    players: PlayersOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    bot: BotOption = None,
    metric: MetricOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write it as one HTML page too.", rich_help_panel=OUTPUT),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="One line: what moved, with intervals.", rich_help_panel=OUTPUT)
    ] = False,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """What does a tweak change? Play a base and a tweak with the same luck, and compare game by game.

    Says how many games another side wins and in which direction, how far each win rate, ending, length and metric
    moves, how much sharper the shared luck makes that, where flipped games part for the first time, and how to
    replay three of them. The tweak is a second experiment, or what --set, --cards and --bot change in the first.
    Intervals hold all together, for this number of games. Nothing is stored but what --report writes.

    Examples:
      simlab diff simple_siege_best_play -n 1000 --set walls_start=6 --report walls.html
      simlab diff simple_siege_best_play -n 500 --bot besieged=mason --json
      simlab diff simple_siege_best_play -n 500 --set walls_start=7 --brief
    """
    from simlab.experiments.load import open_experiment
    from simlab.studies.diff import diff_experiments

    own = metric or ()
    before = open_experiment(base, games=games, seed=seed, players=players, metrics=own)
    if tweak is not None:
        if set_ or cards or bot:
            raise UserMistake("with two experiments --set, --cards and --bot have no side to change: leave them out.")
        after = open_experiment(tweak, games=games, seed=seed, players=players, metrics=own)
    elif set_ or cards or bot:
        after = open_experiment(
            base, overrides=set_ or (), bots=bot_lists(bot), games=games, seed=seed, cards=cards or (), players=players,
            metrics=own,
        )  # fmt: skip
    else:
        raise UserMistake("what is the tweak? Name a second experiment, or give --set, --cards or --bot.")
    with Progress(quiet) as progress:
        answer = diff_experiments(before, after, tell=progress.counting)
    if report is not None:
        from simlab.report.diff import write_diff

        write_diff(answer, report)
    if json:
        emit_json(answer.to_dict(), "diff")
        return
    if brief:
        show(answer.brief)
    else:
        _tell(answer)
    if report is not None:
        show(f"\nReport: {report}")


def _tell(answer: Diff) -> None:
    show(*answer.sentences)
    if answer.left_out:
        left_out = counted(len(answer.left_out), "cell")
        show(f"Not compared, for want of a partner: {left_out}, the first '{answer.left_out[0]}'.")
    if answer.together.differ.count:
        show(_figures(answer.together))
        if len(answer.cells) > 1:
            show(_cells(answer))
        show(answer.rests_on, answer.asked_before)
    for game in answer.telling:
        show(f"\n{game.why} (game {game.game}, {game.cell}):")
        show(f"  {game.beside}" if game.beside else f"  {game.base}\n  {game.tweak}")


def _figures(cell: CellDiff) -> Any:
    columns = ["figure", "before", "after", "difference", "interval", "seeds that differ", "shared luck saves"]
    rows = [[figure.label, *_row(figure)] for figure in cell.figures]
    return table(columns, rows, right=columns[1:])


def _row(figure: FigureDiff) -> list[str]:
    p, scale, unit = figure.paired, 100.0 if figure.is_rate else 1.0, " %" if figure.is_rate else ""
    factor = f"x{p.factor:.1f} ({figure.factor_low:.1f} to {figure.factor_high:.1f})"
    if figure.factor_high == float("inf"):
        factor = "-"
    return [
        f"{scale * p.mean_a:.2f}{unit}", f"{scale * p.mean_b:.2f}{unit}", f"{scale * p.difference:+.2f}",
        f"{scale * p.low:+.2f} to {scale * p.high:+.2f}", f"{p.changed:,}", factor,
    ]  # fmt: skip


def _cells(result: Diff) -> Any:
    """The first seat's win rate, cell by cell, what moved most first."""
    name = result.cells[0].figures[0].name
    cells = sorted(result.cells, key=lambda cell: -abs(cell.figure(name).paired.difference))
    columns = ["cell", f"{name} before", "after", "difference", "interval", "games flipped"]
    rows = [
        [cell.base, *_row(cell.figure(name))[:4], f"{cell.flipped.count:,} of {cell.games:,}"]
        for cell in cells[:_MOST_ROWS]
    ]
    made = table(columns, rows, right=columns[1:])
    if len(cells) > _MOST_ROWS:
        made.caption = f"... and {len(cells) - _MOST_ROWS} more: --json prints them all."
    return made
