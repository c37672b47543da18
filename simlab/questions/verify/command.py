"""simlab verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.options import AllowOption, Output, PlayersOption, complete_game
from simlab.cli.terminal import Answer
from simlab.errors import InputError

PANEL = "Judge"


def share(text: str) -> float:
    """A share of the games: `1%`, `0.01`, `all`."""
    words = str(text).strip().lower()
    try:
        share = 1.0 if words == "all" else float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise InputError(f"--sample {text}: write a share above 0 and up to 100%, as 1%, 0.01 or all.")
    return share


def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RESULTS|GAME",
            help="A folder of results, or a game (slug or folder) to compare with its fingerprint.",
            autocompletion=complete_game,
        ),
    ],
    sample: Annotated[
        float, typer.Option(metavar="SHARE", parser=share, help="Games to play again: 1%, 0.1 or all.")
    ] = 0.01,
    write: Annotated[bool, typer.Option("--write", help="For a game: write its fingerprint.")] = False,
    players: PlayersOption = None,
    allow: AllowOption = None,
    *,
    output: Output,
) -> Answer:
    """Check that stored games still replay identically, or that a game still matches its fingerprint.

    For a folder of results, a sample of its games is played again and compared column by column, and its games are
    searched for implausible repeats. For a game, the games of its fingerprint.json are played: after refactoring they
    are the same; a change of behaviour shows as a share of games that differ, with the knobs concerned. The folder may
    be untrusted: code that it names by path runs only if --allow names it.

    Exit status: 0 identical; 5 a difference, with the games, columns and replay commands, lost games, or an alarm.

    Examples:
      simlab verify simple_siege
      simlab verify simple_siege --json
    """
    from simlab.questions.verify import fingerprint
    from simlab.questions.verify.analysis import verify as verify_results
    from simlab.registry import at_table, find_games, load_game
    from simlab.runs.results import load

    path, progress = Path(what), output.progress

    def notify(done: int, total: int, label: str) -> None:
        if label and done == 0:
            progress.say(f"playing stored games again, {total:,} shards")

    if what not in find_games() and (path / "manifest.json").exists():
        if players is not None:
            raise InputError("--players is for games: results have their own player count.")
        if write:
            raise InputError("--write is for games: results are written by a run.")
        return verify_results(load(path), sample, notify, allow or [])
    if allow:
        raise InputError("--allow is for folders of results.")
    game = load_game(at_table(what, players))
    progress.say("compiling on first use")
    return fingerprint.write(game) if write else fingerprint.compare(game)
