"""simlab bench."""

from __future__ import annotations

from typing import Annotated

import typer

from simlab.cli.common import (
    JsonOption,
    Progress,
    QuietOption,
    SetOption,
    complete_game,
    console,
    count,
    emit_json,
    knob_values,
    positive,
)


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
            help="How often each rate is taken; the median counts.",
        ),
    ] = 5,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Measure only twin, loop, threads, streams, start_up or run; again for more.",
        ),
    ] = None,
    set_: SetOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure how fast simlab is on this machine, against an equal program in C where a C compiler is found.

    Close other work first. Figures are games a second of one core unless they say otherwise.

    Examples:
      simlab bench -n 2000 --repetitions 1 --part loop --part streams
    """
    from simlab import benchmark

    with Progress(quiet) as progress:
        figures = benchmark.run_bench(
            game,
            games,
            repetitions=repetitions,
            parts=part or benchmark.PARTS,
            knobs=knob_values(set_),
            say=progress.say,
        )
    if json:
        emit_json(figures)
    else:
        benchmark.print_bench(figures, console())
