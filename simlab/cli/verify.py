"""simlab verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    AllowOption,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    complete_game,
    emit_json,
    show,
)
from simlab.errors import UserMistake
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.game import Game


def share(text: str) -> float:
    """A share of the games: `1%`, `0.01`, `all`.

    Raises:
        UserMistake: none of these.
    """
    words = str(text).strip().lower()
    try:
        share = 1.0 if words == "all" else float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UserMistake(f"--sample {text}: write a share above 0 and up to 100%, as 1%, 0.01 or all.")
    return share


def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RESULTS|GAME",
            help="A folder of results, or a game (slug or folder) to hold against its fingerprint.",
            autocompletion=complete_game,
        ),
    ],
    sample: Annotated[
        float,
        typer.Option("--sample", metavar="SHARE", parser=share, help="Games to play again: 1%, 0.1 or all."),
    ] = 0.01,
    write: Annotated[bool, typer.Option("--write", help="With a game: write its fingerprint anew.")] = False,
    players: PlayersOption = None,
    allow: AllowOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Are stored games still what is played? Does a game still play as its fingerprint says?

    With a folder of results, a sample of its games is played again and compared column by column; and its games are
    searched for repeats that chance does not allow. With a game, the fixed games of its fingerprint.json are played:
    a refactoring keeps all of them, a change of behaviour is told as the share that comes out otherwise, and under
    which knobs. The folder may be a stranger's: of the code that it names by a path none is run but what --allow names.

    Exit status: 0 all as stored; 5 a difference, with the games, columns and replay commands, games that are gone, or
    an alarm.

    Examples:
      simlab verify simple_siege
      simlab verify simple_siege --json
    """
    from simlab.registry import at_table, find_games, load_game

    path = Path(what)
    with Progress(quiet) as progress:
        if what not in find_games() and (path / "manifest.json").exists():
            if players is not None:
                raise UserMistake("--players goes with a game: results say themselves how many played.")
            if write:
                raise UserMistake("--write goes with a game: results are written by a run.")
            status = _results(path, sample, allow or [], json, progress)
        elif allow:
            raise UserMistake("--allow goes with a folder of results.")
        else:
            status = _game(load_game(at_table(what, players)), write, json, progress)
    raise typer.Exit(status)


def _results(path: Path, sample: float, allow: list[Path], json: bool, progress: Progress) -> int:
    from simlab.runs.results import load
    from simlab.studies.verify import verify as verify_results

    def tell(done: int, total: int, label: str) -> None:
        if label and done == 0:
            progress.say(f"playing stored games again, {total:,} shards")

    verified = verify_results(load(path), sample, tell, allow)
    if json:
        emit_json(verified.to_dict(), "verify")
    else:
        show(*verified.sentences)
    return verified.exit_code


def _game(game: Game, write: bool, json: bool, progress: Progress) -> int:
    from simlab.studies import fingerprint

    progress.say("compiling, when it is the first time")
    if write:
        taken = fingerprint.write(game)
        path, variants = fingerprint.path_of(game), len(taken.outcomes)
        if json:
            emit_json({"fingerprint": str(path), "games": taken.games, "variants": variants}, "fingerprint-written")
        else:
            show(f"{path}: a fingerprint of {counted(taken.games, 'game')} in {counted(variants, 'variant')}.")
        return 0
    comparison = fingerprint.compare(game)
    if json:
        emit_json(comparison.to_dict(), "fingerprint")
    else:
        show(*comparison.sentences)
    return 0 if comparison.same else 5
