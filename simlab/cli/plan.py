"""simlab plan."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from simlab.cli.common import (
    HOW,
    PLAY,
    TIMEOUT,
    BotOption,
    CardsOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    VariantArgument,
    WorkersOption,
    count,
    emit_json,
    knob_values,
    positive,
    share,
    show,
    single_bots,
    table,
    table_files,
)
from simlab.errors import UserMistake


def amount(text: str) -> float:
    """A number above 0, with or without %."""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?%?|\.\d{1,9}%?", str(text).strip()):
        raise UserMistake(f"'{text}': write a number above 0: points of a share, else the figure's own unit.")
    return float(str(text).strip().removesuffix("%"))


def plan(
    game: VariantArgument,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision", metavar="X", parser=amount, help="Interval wanted, to each side: points of a share (1 is "
            "one in a hundred), else the figure's own unit.", rich_help_panel=PLAY,
        ),
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option("--detect", metavar="X", parser=amount, help="Change to be seen, in the same units.",
                     rich_help_panel=PLAY),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--change", metavar="KNOB=VALUE", help="The tweak whose effect is asked for: its pilot is played on the "
            "same luck, and says how many games that saves; again for another knob.", rich_help_panel=PLAY,
        ),
    ] = None,
    elo: Annotated[
        float | None,
        typer.Option("--elo", metavar="POINTS", parser=amount, help="Step of a ladder to be told from none.",
                     rich_help_panel=PLAY),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure", metavar="NAME", help="Statistic (`simlab info GAME statistics`), as turns_mean or turns_p90. "
            "Repeatable. Without it: how often each seat or side wins.", rich_help_panel=PLAY,
        ),
    ] = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    seed: SeedOption = None,
    power: Annotated[
        float,
        typer.Option("--power", metavar="SHARE", parser=share, help="How often the change shall be seen.",
                     rich_help_panel=HOW),
    ] = 0.8,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", parser=share, help="Level of intervals.", rich_help_panel=HOW)
    ] = 0.95,
    family: Annotated[
        int | None,
        typer.Option("--family", metavar="N", parser=positive, help="Intervals that are judged together. By default 1, "
                     "with --change as many as `simlab diff` judges together.", rich_help_panel=HOW),
    ] = None,
    pilot: Annotated[
        int, typer.Option("--pilot", metavar="N", parser=count, help="Games of the pilot.", rich_help_panel=HOW)
    ] = 2_000,
    workers: WorkersOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """How many games does an answer take, and how long?

    For a wanted precision, or to see a change as often as --power says; with separate luck, and with --change on the
    same luck. A file with a [contract] is asked how long `check` will take for each line. A short pilot is played
    here and nothing is written. What a whole run takes: `simlab run FILE --plan`.

    Examples:
      simlab plan simple_siege --precision 1
      simlab plan simple_siege --detect 2 --change walls_start=6 --figure besieger_win --pilot 400
      simlab plan simple_siege --elo 20 --pilot 100
    """
    from simlab.engine.match import Match
    from simlab.engine.outcome import figures_of
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.studies.needed import Asked, games_needed

    variant = read_variant(game, set_, cards, bot, seed, players)
    loaded = load_game(at_table(variant.game, players))
    bots, tables = single_bots(loaded, variant.bot), table_files(variant.cards)
    knobs = knob_values(variant.set_)
    names = list(figure or ())
    rates = {figures_of(loaded).find(name, "--figure").is_rate for name in names} or {True}
    if len(rates) > 1 and (precision is not None or detect is not None):
        raise UserMistake("--figure: shares and other figures have other units: ask for each kind by itself.")
    scale = 100 if rates == {True} else 1
    asked = Asked(
        match=Match(loaded, knobs=knobs, tables=tables, bots=bots),
        figures=names,
        precision=None if precision is None else precision / scale,
        detect=None if detect is None else detect / scale,
        step=elo,
        contract=dict(variant.contract or {}),
        change=Match(loaded, knobs={**knobs, **knob_values(change)}, tables=tables, bots=bots) if change else None,
        power=power,
        level=level,
        family=family,
        seed=1 if variant.seed is None else variant.seed,
        pilot=pilot,
        workers=workers,
    )
    with Progress(quiet) as progress:
        asked.match.compile(progress.compiling)
        progress.say(f"playing a pilot of {pilot:,} games")
        answer = games_needed(asked)
    if json:
        emit_json(answer.to_dict(), "plan")
        return
    columns = ["what", "wanted", "games", "time", "note"]
    show(table(columns, [need.row for need in answer.needs], right=columns[2:4]), *answer.lines)
