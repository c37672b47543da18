"""simlab luck."""

from __future__ import annotations

from typing import Any

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
    field_of,
    knob_values,
    show,
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
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say how much of a result is luck of which kind (set-up, chance in play, bots' choices), and how much skill.

    Games are played again with one kind of luck drawn anew and the others held, and the other way round. "Alone" is
    the share of the variance that a kind explains by itself, "with the others" adds what it does together with them.
    2,000 games unless --games says otherwise, each played seven times. Seats without --bot play the game's default bot.
    With several bots of a seat, luck, skill and seat stand on one scale: who wins in a field of these bots, up to 36
    line-ups of a quarter of the games each.

    Examples:
      simlab luck simple_siege --bot besieger=rusher --bot besieged=mason -n 300
      simlab luck simple_siege --bot besieger=rusher,random --bot besieged=mason,random -n 400
    """
    from simlab.engine.match import Match
    from simlab.errors import UserMistake
    from simlab.experiments.variant import read_variant
    from simlab.registry import at_table, load_game
    from simlab.studies.luck import MOST_GAMES, luck_ledger
    from simlab.studies.skill import field_study

    if games and games > MOST_GAMES:  # before anything is compiled
        raise UserMistake(f"--games {games:,}: a luck ledger takes at most {MOST_GAMES:,}; 100,000 are plenty.")
    variant = read_variant(game, set_, cards, bot, seed, players)
    loaded = load_game(at_table(variant.game, players))
    field = field_of(loaded, variant.bot)

    def match_of(bots: dict[str, str]) -> Match:
        made = Match(loaded, knobs=knob_values(variant.set_), tables=table_files(variant.cards), bots=bots)
        made.compile(progress.compiling)
        return made

    seed, wanted = 1 if variant.seed is None else variant.seed, max(games or 2_000, 2)
    with Progress(quiet) as progress:
        match = match_of({seat: bots[0] for seat, bots in field.items()})
        answer = luck_ledger(match, seed, wanted)
        if any(len(bots) > 1 for bots in field.values()):
            answer["skill"] = field_study(match_of, field, seed, max(wanted // 4, 50))
    if json:
        emit_json({"game": loaded.slug, "bots": {b.seat: b.text for b in match.bots}, **answer}, "luck")
        return
    rows = [
        (result, kind, _text(shares["alone"]), _text(shares["total"]))
        for result, kinds in answer["ledger"].items()
        for kind, shares in kinds.items()
    ]
    title = f"{' v '.join(b.text for b in match.bots)}: shares of the variance, {answer['games']:,} games"
    show(table(["result", "luck of", "alone", "with the others"], rows, ["alone", "with the others"], title))
    if "skill" in answer:
        skill = answer["skill"]
        field_size = skill["line_ups_of"]
        drawn = f", drawn at random of {field_size:,}," if field_size > skill["line_ups"] else ""
        title = f"Who wins in a field of bots: {skill['line_ups']} line-ups{drawn} of {skill['games']:,} games"
        show(table(["of who wins hangs on", "", ""], skill_rows(skill), [""], title))
    show(f"How win chances move from turn to turn: {match.command('course')}")
    if answer["cut_off"]:
        show(f"{answer['cut_off']:,} games went on for too long under some kind of luck and are left out.")


def skill_rows(skill: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Luck, skill and seat as a table shows them."""
    kinds = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in skill["luck_of"].items())
    notes = {"luck": kinds, "skill": "who plays: the bots of this field", "seat": "which side one plays"}
    return [(name, _text(share), notes[name]) for name, share in skill["shares"].items()]


def _text(share: dict[str, Any]) -> str:
    value, low, high = (100 * min(max(share[name], 0.0), 1.0) for name in ("estimate", "low", "high"))
    return f"{value:.0f} % ({low:.0f}-{high:.0f})"  # what noise puts outside 0 to 100 % stands at the edge
