"""simlab compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import (
    BackendOption,
    BotOption,
    CardsOption,
    ForceOption,
    GameArgument,
    GamesOption,
    JsonOption,
    OutOption,
    Progress,
    QuietOption,
    ReportOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    WorkersOption,
    bot_lists,
    emit_json,
    resume_command,
    show,
    table,
)
from simlab.cli.run import where, write_report
from simlab.cli.sweep import sweep_name

if TYPE_CHECKING:
    from simlab.experiments.results import Results
    from simlab.report.describe import Ranking
    from simlab.report.view import Estimate, View


def compare(
    context: typer.Context,
    game: GameArgument,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            "--bots",
            metavar="BOT,BOT",
            help="Bots that meet, in each seat that they can take; all by default.",
        ),
    ] = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    backend: BackendOption = "loky",
    scheduler: SchedulerOption = None,
    force: ForceOption = False,
    out: OutOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play bots against each other, every one in each seat that it can take: matrix and ranking, with
    intervals.

    The ranking gives each bot of a seat one strength (Bradley-Terry, in Elo points). How much of the matrix
    no ranking explains, as in rock, paper, scissors, is said below it. --bot names the bots of one seat, in
    place of --bots.

    Examples:
      simlab compare simple_siege --bots rusher,random,mason,waiter -n 200
      simlab compare simple_siege --bot besieger=rusher,random -n 200 --json
    """
    from simlab.api import round_robin
    from simlab.experiments import runner
    from simlab.experiments.config import new_experiment
    from simlab.registry import load_game

    named = [text.strip() for texts in bots or ["*"] for text in texts.split(",") if text.strip()]
    seats = {**round_robin(load_game(game), named), **bot_lists(bot)}
    experiment = new_experiment(
        game, set_ or (), (), seats, games, seed, sweep_name(game, ["compare"], seed), cards or ()
    )
    with Progress(quiet) as progress:
        results = runner.run(
            experiment, out, workers, backend, scheduler, progress, force, command=resume_command(context)
        )
        write_report(results, report, progress, experiment)
    _tell(results, json)


def _tell(results: Results, json: bool) -> None:
    from simlab.report.describe import ranking
    from simlab.report.view import View

    view = View(results)
    ranked = ranking(view)
    if json:
        summary = results.summary()
        summary["ranking"] = {seat: _listed(view, i, ranked) for i, seat in enumerate(view.raw_seats)}
        if ranked:
            summary["unexplained"] = ranked.ratings.interaction
        emit_json(summary)
        return
    from simlab.report import tables

    if view.is_matrix:
        show(tables.matrix(view))
    if ranked:
        show(*tables.ranking(view), ranked.sentence)
    else:
        for i, seat in enumerate(view.seats):
            rows = [(entry["bot"], _text(entry["win_rate"])) for entry in _listed(view, i, ranked)]
            show(table([seat, "wins, over all opponents"], rows, right=["wins, over all opponents"]))
    show(where(results))


def _listed(view: View, seat: int, ranked: Ranking | None) -> list[dict[str, Any]]:
    """The bots of a seat, strongest first, with their figures."""
    rates = {pool.label: pool.win_rate(seat) for pool in view.by_bot(seat)}
    if ranked is None:
        order = sorted(rates, key=lambda bot: -rates[bot].value)
        return [{"bot": bot, "win_rate": _ends(rates[bot])} for bot in order]
    places = [(ranked.bots[seat][i], ranked.elo(seat, i)) for i in ranked.order(seat)]
    return [{"bot": bot, "win_rate": _ends(rates[bot]), "elo": _ends(elo)} for bot, elo in places]


def _ends(estimate: Estimate) -> dict[str, float]:
    return {"estimate": estimate.value, "low": estimate.low, "high": estimate.high}


def _text(ends: dict[str, float]) -> str:
    value, low, high = (100 * ends[name] for name in ("estimate", "low", "high"))
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"
