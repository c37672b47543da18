"""simlab analyze time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

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
    emit_json,
    knob_values,
    show,
    single_bots,
    table_files,
)
from simlab.cli.common import table as table_of

if TYPE_CHECKING:
    from collections.abc import Mapping

PACE = "Pace of the people"


def _pace(name: str, help_: str) -> Any:
    return typer.Option(f"--seconds-per-{name}", metavar="S", help=help_, rich_help_panel=PACE)


DecisionOption = Annotated[str | None, _pace("decision", "A decision with a choice: 8, or a range; else 5..15.")]
EachOption = Annotated[str | None, _pace("option", "More for each option of a decision; else 0..0.2.")]
TurnOption = Annotated[str | None, _pace("turn", "A turn's moving and dealing; else 10..30.")]


def table(
    game: VariantArgument,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    seconds_per_decision: DecisionOption = None,
    seconds_per_option: EachOption = None,
    seconds_per_turn: TurnOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say what the printer and the table need: most components in use at once, minutes a game, who waits how long.

    2,000 games unless --games says otherwise. Each game draws its own pace out of the ranges of seconds. Seats without
    --bot play the game's default bot.

    Examples:
      simlab analyze time simple_siege --bot besieger=rusher --bot besieged=mason -n 500
      simlab analyze time simple_siege --seconds-per-decision 3..6 --seconds-per-turn 20 -n 200
    """
    from simlab.engine.match import Match
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.studies.table import GAMES, Pace, seconds, sentences, table_study

    pace = Pace(
        seconds(seconds_per_decision, "decision"),
        seconds(seconds_per_option, "option"),
        seconds(seconds_per_turn, "turn"),
    )
    variant = read_variant(game, set_, cards, bot, seed, players)
    loaded = load_game(at_table(variant.game, players))
    match = Match(
        loaded, knobs=knob_values(variant.set_), tables=table_files(variant.cards),
        bots=single_bots(loaded, variant.bot),
    )  # fmt: skip
    seed, wanted = 1 if variant.seed is None else variant.seed, max(games or GAMES, 2)
    with Progress(quiet) as progress:
        match.compile(progress.compiling)
        answer = table_study(match, seed, wanted, pace, lambda done: progress.counting(done, wanted, "games watched"))
    said = sentences(answer)
    if json:
        bots = {b.seat: b.text for b in match.bots}
        emit_json({"game": loaded.slug, "bots": bots, "seed": seed, **answer, "sentences": said}, "table")
        return
    title = f"{' v '.join(b.text for b in match.bots)}: {answer['games']:,} games"
    if answer["components"]:
        rows = [
            (
                one["help"], "-" if one["printed"] is None else one["printed"], f"{one['mean']:.1f}",
                *(f"{enough['estimate']:g}" for enough in one["enough"][1:]), one["most"], _short(one["short"]),
            )
            for one in answer["components"]
        ]  # fmt: skip
        heads = ["most in use at once", "printed", "mean", "95 %", "99 %", "99.9 %", "most", "too few in"]
        show(table_of(heads, rows, heads[1:], f"{title}; a number that suffices in so many of them"))
    else:
        show(f"{loaded.title} counts no components (Game.components, docs/table.md).")
    rows = [
        (
            one["seat"], f"{one['decisions']['estimate']:.1f}", f"{one['options']['estimate']:.0f}",
            f"{one['own_minutes']['estimate']:.1f}", f"{100 * one['waiting']['estimate']:.0f} %",
            f"{one['longest_wait']['estimate']:.1f}", f"{one['longest_wait_p95']['estimate']:.1f}",
            f"{one['after_last']['estimate']:.1f}",
        )
        for one in answer["seats"]
    ]  # fmt: skip
    heads = ["seat", "decisions", "options", "own minutes", "waits", "longest wait", "1 game in 20", "after its last"]
    show(table_of(heads, rows, heads[1:], "Table time, means of a game in minutes"))
    show(*said)
    if answer["cut_off"]:
        show(f"{answer['cut_off']:,} games went on for too long and are left out.")


def _short(share: Mapping[str, float] | None) -> str:
    if share is None:
        return "-"
    return f"{100 * share['estimate']:.3g} % ({100 * share['low']:.2g}-{100 * share['high']:.2g})"
