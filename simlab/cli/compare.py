"""simlab compare."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import PlayOptions, Setup, VariantArgument, play_option, positive
from simlab.cli.run import play
from simlab.cli.sweep import sweep_name
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.game import Game

ladder_option = partial(typer.Option, rich_help_panel="Ladder")
BUDGETS = "0,10,30,100,300,1000"


def compare(
    context: typer.Context,
    game: VariantArgument,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            "--bots",
            metavar="BOT,BOT",
            help="Bots to play each other, each in every seat that it can take; all by default.",
        ),
    ] = None,
    match_ups: Annotated[
        int | None,
        play_option(
            "--match-ups",
            metavar="N",
            parser=positive,
            help="Draw this number of match-ups, each bot about equally often; by default all are played.",
        ),
    ] = None,
    ladder: Annotated[
        bool,
        ladder_option(
            "--ladder",
            help="Compare search budgets instead: bots that look further and further ahead, against each other and "
            "against the step below. 200 games per match-up by default.",
        ),
    ] = False,
    playout: Annotated[
        str,
        ladder_option(
            "--playout",
            metavar="BOTS",
            help="Bots of the playouts, joined by +; also the lowest step. By default the game's default bot.",
        ),
    ] = "",
    search: Annotated[
        str,
        ladder_option("--search", metavar="BOT", help="lookahead or ismcts, with traits if needed."),
    ] = "lookahead",
    budgets: Annotated[
        str,
        ladder_option("--budgets", metavar="N,N", help="Iterations per decision; 0 is the playout bot itself."),
    ] = BUDGETS,
    *,
    setup: Setup,
    playing: PlayOptions,
) -> None:
    """Play bots against each other, each in every seat that it can take.

    Reports who wins each match-up, with intervals that hold for all match-ups together; the strength of each bot
    (Bradley-Terry, in Elo points); significant cycles, as in rock, paper, scissors; the mix of bots in best play; which
    bots survive imitation (alpha-rank); and whether the balance of the game depends on the bots. In games of one seat,
    bots are compared by wins and score. --bot names the bots of one seat, instead of --bots.

    With --ladder it reports how the balance changes when all seats have the same search budget, the budget at which
    the favourite changes, and what each step gains over the one below, in Elo points. --plan reports the cost first.

    Examples:
      simlab compare simple_siege --bots rusher,random,mason,waiter -n 200
      simlab compare simple_siege --bot besieger=rusher,random -n 200 --json
      simlab compare simple_siege --match-ups 6 -n 200 --plan
      simlab compare simple_siege --ladder --playout stormer+warden --budgets 0,10,30 -n 100
      simlab compare simple_siege --ladder --playout stormer+warden --plan
    """
    from simlab.runs.open_experiment import new_experiment, read_variant
    from simlab.spec.draft import read_bot_options

    if not ladder and (playout or search != "lookahead" or budgets != BUDGETS):
        raise InputError("--playout, --search and --budgets go with --ladder.")
    if ladder and (bots or match_ups or setup.bot):
        raise InputError("--ladder chooses the bots itself, by --playout: leave --bots, --bot and --match-ups out.")
    variant = read_variant(game, setup.set_, setup.cards, None, setup.seed, setup.players, one_bot=False)
    loaded, games, rules = variant.game, setup.games, {"match_ups": match_ups} if match_ups else {}
    if ladder:
        seats, games, rules = _rungs(loaded, playout, search, budgets), games or 200, {"ladder": True}
    else:
        own = read_bot_options(setup.bot)
        seats = _field(loaded, bots, own or (dict(variant.named) if variant.file and not bots else {}))
    experiment = new_experiment(
        variant.ref, variant.set_, bots=seats, games=variant.games if games is None else games, seed=variant.seed,
        name=sweep_name(variant.name, ["ladder" if ladder else "compare"], setup.seed), cards=variant.cards,
        tournament=rules,
        metrics=setup.metric or (),
    )  # fmt: skip
    play(experiment, playing, context)


def _field(game: Game, bots: list[str] | None, own: dict[str, list[str]]) -> dict[str, list[str]]:
    """The bots of each seat: those named for the seat, else those of --bots that can take it."""
    from simlab.runs.tournament import round_robin
    from simlab.spec.refs import split_outside

    named = [text.strip() for texts in bots or ["*"] for text in split_outside(texts, ",") if text.strip()]
    for_all = own.pop("*", None)
    if for_all:
        own = {seat: own.get(seat, for_all) for seat in game.seats} | own
    return {**round_robin(game, named, own), **own}


def _rungs(game: Game, playout: str, search: str, budgets: str) -> dict[str, list[str]]:
    from simlab.runs.tournament import rungs

    try:
        steps = [int(text) for text in budgets.split(",")]
    except ValueError:
        raise InputError(f"--budgets {budgets}: write whole numbers joined by commas, as 0,10,30,100.") from None
    return rungs(game, playout or game.default_bot, search, steps)
