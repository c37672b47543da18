"""simlab analyze bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import AnswerOutput, Rules, VariantArgument, WorkersOption, count, play_option
from simlab.cli.terminal import Answer
from simlab.questions.tuning.command import AgainstOption

PANEL = "Judge"


def explain(
    game: VariantArgument,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot; after commas, bots to compare it with.")],
    rules: Rules,
    output: AnswerOutput,
    seat: Annotated[str | None, play_option(metavar="SEAT", help="Its seat. Default: the first it can take.")] = None,
    against: AgainstOption = None,
    most: Annotated[int, typer.Option("--rules", metavar="N", min=1, help="Rules at most.")] = 12,
    otherwise: Annotated[
        str, typer.Option(metavar="BOT", help="Bot that decides if no rule does; 'random': rules for everything.")
    ] = "",
    positions: Annotated[
        int, typer.Option(metavar="N", min=200, help="Choices that the rules are learned from.")
    ] = 20_000,
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", metavar="N", parser=count, help="Games in which the bot and the rules are judged."
        ),
    ] = 2_000,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="File of the rules, a bot; ends in .toml.")] = None,
    workers: WorkersOption = None,
) -> Answer:
    """What does a bot do? Its play as a few rules, compared with other bots, and games to read.

    Made for learned players, which have no text to read; works for every bot that does not look ahead. The rules are
    learned from its choices and then play in its place: the difference is the strength that they miss. With
    --save they become a file of rules that you can read, change and play. Without other bots named, the listed bots of
    the seat are compared: how often they would choose alike, what the bot does more and less often than the best of
    them, and how many styles of play are close to the best. If options, such as places and cards, have no fixed names,
    the rules are exceptions to the bot with the most similar choices.

    Examples:
      simlab analyze bot pig hold_at --rules 3 --positions 2000 -n 500
      simlab analyze bot pig hold_at,optimal --rules 6 --positions 2000 -n 500 --save hold.toml
    """
    from simlab.bot_registry import bots_for, seats_for
    from simlab.engine.bot_file import is_rule_bot
    from simlab.errors import InputError
    from simlab.questions.contest import Contest, fields_of
    from simlab.questions.line_of_play.analysis import answer

    chosen = rules.of(game)
    loaded = chosen.game
    if save and save.suffix != ".toml":
        raise InputError(f"--save {save}: the file of a bot of rules ends in .toml.")
    if save and save.exists() and not is_rule_bot(save):
        raise InputError(f"--save {save}: exists already, and is not a file of a bot of rules. Choose another name.")
    bots = [text.strip() for text in bot.split(",") if text.strip()]
    if not bots:
        raise InputError("name a bot, as learned.")
    place = seat or seats_for(loaded, bots[0])[0]
    if len(bots) == 1:
        bots += [name for name in bots_for(loaded, place) if name != bots[0]]
    fields = fields_of(loaded, place, against or ())
    if len(fields) > 1:
        raise InputError("--against: one bot for each other seat.")
    contest = Contest(
        loaded, place, fields, chosen.seed, workers, chosen.knobs, chosen.tables, None, output.progress.compiling
    )
    return answer(contest, bots, save, games, positions, most, otherwise, output.progress.say)


COMMANDS = {"analyze bot": explain}
