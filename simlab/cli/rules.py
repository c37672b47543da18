"""simlab rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from simlab.cli.common import (
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
    count,
    emit_json,
    knob_values,
    show,
    single_bots,
    table,
    table_files,
)
from simlab.words import counted


def rules(
    game: VariantArgument,
    counts: Annotated[
        int | None,
        typer.Option("--counts", metavar="N", parser=count, help="Play N games and say how often each rule fired."),
    ] = None,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    seed: SeedOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print the rule ledger of a game: ID, one line, where it stands, status, knobs.

    Status: exact as printed in the rulebook; ruling where it leaves something open; abstracted where the lab
    simplifies. With --counts: how often a rule fired a game, and in what share of the games. Seats without
    --bot play the game's default bot.

    Examples:
      simlab rules simple_siege
      simlab rules simple_siege --counts 200 --bot besieger=rusher --set walls_start=6
    """
    from simlab.experiments.variant import read_variant
    from simlab.registry import load_game

    variant = read_variant(game, set_, cards, bot, seed, players)
    game, set_, cards, bot, seed = variant.game, variant.set_, variant.cards, variant.bot, variant.seed
    loaded = load_game(game, players)
    lines: list[dict[str, Any]] = [
        {"id": r.id, "text": r.text, "where": r.where, "status": r.status, "knobs": list(r.knobs)} for r in loaded.rules
    ]
    played = ""
    if counts is not None:
        from simlab.engine.match import Match

        bots = single_bots(loaded, bot)
        knobs = knob_values(set_)
        match = Match(loaded, knobs=knobs, tables=table_files(cards), bots=bots)
        with Progress(quiet) as progress:
            match.compile(progress.compiling)
            tally = match.play(1 if seed is None else seed, 0, counts).tally
        for rule, fired, games in zip(lines, tally.fired, tally.fired_games, strict=True):
            rule["fired"], rule["games"] = int(fired), int(games)
        never = sum(rule["fired"] == 0 for rule in lines)
        played = f"{counted(counts, 'game')}, {' v '.join(bots.values())}; {never} of {len(lines)} rules never fired."
    if json:
        emit_json({"game": loaded.slug, "games_played": counts or 0, "rules": lines}, "rules")
        return
    columns = ["rule", "text", "where", "status", "knobs"]
    rows = [[r["id"], r["text"], r["where"], r["status"], ", ".join(r["knobs"])] for r in lines]
    if counts is not None:
        columns[1:1] = ["a game", "games"]
        for row, rule in zip(rows, lines, strict=True):
            row[1:1] = [f"{rule['fired'] / counts:.2f}", f"{100 * rule['games'] / counts:.1f} %"]
    show(table(columns, rows, right=["a game", "games"]))
    if played:
        show(played)
