"""simlab luck."""

from __future__ import annotations

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
    field_of,
    knob_values,
    show,
    show_answer,
    table_files,
)

PANEL = "Judge"


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
    """How much of the result is luck, and luck of which kind (set-up, chance in play, bots' choices)?

    Plays 2,000 games (--games changes that) again with one kind of luck redrawn and the others held, and the other way
    round. "Alone" is the share of the variance that a kind explains on its own; "with the others" adds what it
    explains jointly with other kinds. Seats without --bot play the game's default bot. With several bots per seat,
    luck, skill and seat appear on one scale, from up to 36 line-ups with a quarter of the games each.

    Examples:
      simlab luck simple_siege --bot besieger=rusher --bot besieged=mason -n 300
      simlab luck simple_siege --bot besieger=rusher,random --bot besieged=mason,random -n 400
    """
    from simlab.engine.match import Match
    from simlab.errors import UserMistake
    from simlab.experiments.variant import read_variant
    from simlab.questions.luck.analysis import MOST_GAMES, LuckAnswer, field_skill, luck_of
    from simlab.questions.luck.words import blocks
    from simlab.registry import at_table, load_game

    if games and games > MOST_GAMES:  # before anything is compiled
        raise UserMistake(f"--games {games:,}: at most {MOST_GAMES:,} here; 100,000 are plenty.")
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
        shares = luck_of(match, seed, wanted)
        several = any(len(bots) > 1 for bots in field.values())
        skill = field_skill(match_of, field, seed, max(wanted // 4, 50)) if several else None
    bots = {b.seat: b.text for b in match.bots}
    show_answer(LuckAnswer(game=loaded.slug, bots=bots, luck=shares, skill=skill), blocks, json)
    if not json:
        show(f"How win chances move from turn to turn: {match.command('course')}")
