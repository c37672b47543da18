"""simlab analyze luck."""

from __future__ import annotations

from simlab.cli.options import AnswerOutput, Setup, VariantArgument
from simlab.cli.terminal import Progress, show, show_answer


def luck(
    game: VariantArgument,
    setup: Setup,
    output: AnswerOutput,
) -> None:
    """How much of the result is luck, and luck of which kind (set-up, chance in play, bots' choices)?

    Plays 2,000 games (--games changes that) again with one kind of luck redrawn and the others held, and the other way
    round. "Alone" is the share of the variance that a kind explains on its own; "with the others" adds what it
    explains jointly with other kinds. Seats without --bot play the game's default bot. With several bots per seat,
    luck, skill and seat appear on one scale, from up to 36 line-ups with a quarter of the games each.

    Examples:
      simlab analyze luck simple_siege --bot besieger=rusher --bot besieged=mason -n 300
      simlab analyze luck simple_siege --bot besieger=rusher,random --bot besieged=mason,random -n 400
    """
    from simlab.engine.match import Match
    from simlab.questions.luck.analysis import LuckAnswer, check_games, field_skill, luck_of

    wanted = max(setup.games or 2_000, 2)
    check_games(wanted)  # before anything is compiled
    chosen = setup.of(game)
    field = chosen.field

    def match_of(bots: dict[str, str]) -> Match:
        made = chosen.match(bots)
        made.compile(progress.compiling)
        return made

    with Progress(output.quiet) as progress:
        match = match_of({seat: bots[0] for seat, bots in field.items()})
        shares = luck_of(match, chosen.seed, wanted)
        several = any(len(bots) > 1 for bots in field.values())
        skill = field_skill(match_of, field, chosen.seed, max(wanted // 4, 50)) if several else None
    bots = {b.seat: b.text for b in match.bots}
    show_answer(LuckAnswer(game=chosen.game.slug, bots=bots, luck=shares, skill=skill), output.json, output.out)
    if not output.json:
        show(f"How win chances move from turn to turn: {match.command('analyze course')}")


COMMANDS = {"analyze luck": luck}
