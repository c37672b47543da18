"""simlab dev bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import (
    BotOption,
    JsonOption,
    PlayersOption,
    Progress,
    QuietOption,
    SetOption,
    complete_game,
    count,
    emit_json,
    knob_values,
    positive,
    share,
    show,
    single_bots,
    table,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

_TITLES = {
    "machine": "This machine",
    "twin": "Against C: games per second on one core, bit-for-bit the same games",
    "loop": "The compiled loop: games per second on one core",
    "threads": "Threads: games per second",
    "streams": "Random streams",
    "start_up": "Start-up, in seconds",
    "edit": "From an edit to its answer, in seconds, in a copy with a cache of its own",
    "run": "A whole run, stored and counted",
    "search": "Bots that look ahead: time of an iteration against a playout, games per second on one core",
}


def bench(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]", help="Game to measure with.", autocompletion=complete_game, show_default=False
        ),
    ] = "simple_siege",
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", parser=count, help="Games of each repetition.")
    ] = 200_000,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions",
            metavar="N",
            parser=positive,
            help="Repetitions of each measurement; the median counts.",
        ),
    ] = 5,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Measure only twin, loop, threads, streams, start_up, edit, run or search. Repeatable.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REF",
            help="Play this build and the one at a commit, tag or branch in turns, and fail if this one is slower. "
            "'last': the last tag, or the commit of .ci/speed-reference.",
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            "--limit", metavar="SHARE", parser=share, help="How much more time a game may take.", show_default="10%"
        ),
    ] = 0.1,
    players: PlayersOption = None,
    bot: BotOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure the speed of simlab on this machine, and against an equivalent C program if there is a C compiler.

    Close other programs first. Numbers are games per second on one core unless stated. --bot measures these bots, with
    random bots in the other seats, instead of the usual pairs.

    --against needs the source tree in the current folder. Exit status: 1 if a game takes more than --limit longer and
    the whole interval is above that; 0 otherwise, also if there is nothing to compare 'last' with, which is reported.

    Examples:
      simlab dev bench -n 2000 --repetitions 1 --part loop --part streams
      simlab dev bench --part start_up
      simlab dev bench -n 500 --repetitions 1 --part loop --bot besieger=planner
    """
    from simlab import benchmark
    from simlab.registry import at_table, load_game

    game = at_table(game, players)
    if against is not None:
        bots = single_bots(load_game(game), bot)
        raise typer.Exit(_against(against, game, bots, knob_values(set_), limit, json, quiet))
    with Progress(quiet) as progress:
        figures = benchmark.run_bench(
            game,
            games,
            repetitions=repetitions,
            parts=part or benchmark.PARTS,
            knobs=knob_values(set_),
            bots=single_bots(load_game(game), bot) if bot else None,
            say=progress.say,
        )
    if json:
        emit_json(figures, "bench")
    else:
        show(*_tables(figures))


def _against(
    ref: str, game: str, bots: Mapping[str, str], knobs: Mapping[str, object], limit: float, json: bool, quiet: bool
) -> int:
    from pathlib import Path

    from simlab.benchmark_against import LAST, NothingToCompare, against

    with Progress(quiet) as progress:
        try:
            answer = against(Path.cwd(), ref, game, bots, knobs, limit=limit, say=progress.say)
        except NothingToCompare as fault:
            if ref != LAST:
                raise
            text = f"{game}: nothing to compare with: {fault}."
            if json:
                gone = dict.fromkeys(("commit", "time_ratio", "games_per_second", "games_per_second_then"))
                about = {"game": game, "bots": dict(bots), "against": ref, **gone, "rounds": 0, "limit": limit}
                emit_json({**about, "slower": False, "sentence": text}, "bench-against")
            else:
                show(text)
            return 0
    if json:
        emit_json(answer.to_dict(), "bench-against")
    else:
        show(answer.sentence)
    return 1 if answer.slower else 0


def _tables(figures: Mapping[str, Any]) -> Iterator[RenderableType]:
    """What was measured, part by part; a part that could not be measured says why."""
    for part, title in _TITLES.items():
        measured = figures.get(part)
        if isinstance(measured, dict) and "left_out" in measured:
            yield f"{title}: not measured, {measured['left_out']}."
            continue
        rows = _rows(measured)
        if rows:
            rows = [{name.replace("_", " "): value for name, value in row.items()} for row in rows]
            columns = list(dict.fromkeys(name for row in rows for name in row))
            right = [name for name in columns if not any(isinstance(row.get(name), str) for row in rows)]
            cells = [[_figure(row.get(name, "")) for name in columns] for row in rows]
            yield table(
                [name.replace("_", " ") for name in columns], cells, [n.replace("_", " ") for n in right], title
            )


def _rows(measured: Any) -> list[dict[str, Any]]:
    """A part's figures as lines: of a list, of a dict of dicts, or of a dict alone."""
    if isinstance(measured, dict) and isinstance(measured.get("pairs"), list):
        measured = measured["pairs"]
    if isinstance(measured, list):
        return [{k: v for k, v in row.items() if not isinstance(v, list)} for row in measured]
    if isinstance(measured, dict) and measured and all(isinstance(v, dict) for v in measured.values()):
        return [{"": name, **row} for name, row in measured.items()]
    return [{"": name.replace("_", " "), "measured": value} for name, value in (measured or {}).items()]


def _figure(value: object) -> str:
    if isinstance(value, Mapping):
        return " v ".join(str(bot) for bot in value.values())
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
