"""simlab luck."""

from __future__ import annotations

from typing import Any

from simlab.cli.common import (
    BotOption,
    CardsOption,
    GamesOption,
    JsonOption,
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
    table,
    table_files,
)


def luck(
    game: VariantArgument,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    cards: CardsOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say how much of a result is luck of which kind: the set-up, chance in play, the bots' own choices.

    Games are played again with one kind of luck drawn anew and the others held, and the other way round. "Alone" is
    the share of the variance that a kind explains by itself, "with the others" adds what it does together with them.
    2,000 games unless --games says otherwise, each played seven times. Seats without --bot play at random.

    Examples:
      simlab luck simple_siege --bot besieger=rusher --bot besieged=mason -n 300
    """
    from simlab.engine.match import Match
    from simlab.errors import UserMistake
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.studies.luck import MOST_GAMES, luck_ledger

    if games and games > MOST_GAMES:  # before anything is compiled
        raise UserMistake(f"--games {games:,}: a luck ledger takes at most {MOST_GAMES:,}; 100,000 are plenty.")
    variant = read_variant(game, set_, cards, bot, seed, players)
    game, set_, cards, bot, seed = variant.game, variant.set_, variant.cards, variant.bot, variant.seed
    loaded = load_game(at_table(game, players))
    match = Match(loaded, knobs=knob_values(set_), tables=table_files(cards), bots=single_bots(loaded, bot))
    with Progress(quiet) as progress:
        match.compile(progress.compiling)
        answer = luck_ledger(match, 1 if seed is None else seed, max(games or 2_000, 2))
    if json:
        emit_json({"game": loaded.slug, "bots": {b.seat: b.text for b in match.bots}, **answer})
        return
    rows = [
        (result, kind, _text(shares["alone"]), _text(shares["total"]))
        for result, kinds in answer["ledger"].items()
        for kind, shares in kinds.items()
    ]
    title = f"{' v '.join(b.text for b in match.bots)}: shares of the variance, {answer['games']:,} games"
    show(table(["result", "luck of", "alone", "with the others"], rows, ["alone", "with the others"], title))
    show(f"How win chances move from turn to turn: {match.command('course')}")
    if answer["cut_off"]:
        show(f"{answer['cut_off']:,} games went on for too long under some kind of luck and are left out.")


def _text(share: dict[str, Any]) -> str:
    return f"{100 * share['estimate']:.0f} % ({100 * share['low']:.0f}-{100 * share['high']:.0f})"
