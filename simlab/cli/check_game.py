"""simlab dev check-game."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from simlab.cli.common import (
    TIMEOUT,
    GameArgument,
    JsonOption,
    LimitOption,
    PlayersOption,
    Progress,
    QuietOption,
    SeedOption,
    SetOption,
    knob_values,
    positive,
)


def check_game(
    game: GameArgument,
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", metavar="N", parser=positive, help="Games to step through, decision by decision."
        ),
    ] = 40,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds/--no-bounds",
            help="Also play games with every array index checked, which compiles the game again.",
        ),
    ] = True,
    twin: Annotated[
        Path | None,
        typer.Option(
            "--twin",
            metavar="FILE.py",
            help="Compare the game, decision by decision, with this second implementation instead; half of the games "
            "with other knobs.",
        ),
    ] = None,
    seed: SeedOption = None,
    players: PlayersOption = None,
    set_: SetOption = None,
    timeout: LimitOption = TIMEOUT,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Test a game: does it keep the lab's contract?

    Random play, one decision at a time, in bulk and with array indices checked: legal actions, labels, bounds,
    hidden information, determinism, ledger and knobs. Exit status 1 at the first breach, which is named with its
    seed and game.

    Examples:
      simlab dev check-game simple_siege -n 10 --no-bounds
    """
    from simlab import testing
    from simlab.cli.conformance import tell_checks
    from simlab.registry import load_game, load_twin

    loaded = load_game(game, players)
    knobs = knob_values(set_)
    loaded.resolve_knobs(knobs, where="--set")
    with Progress(quiet) as progress:
        progress.say(f"checking {loaded.slug}; the first time takes longest")
        first = 1 if seed is None else seed
        if twin is not None:
            parsed = {name: loaded.knobs[name].parse(value) for name, value in knobs.items()}
            second = load_twin(twin)
            against = partial(testing.check_twin, loaded, second, games=games, seed=first, knobs=parsed)
            tell_checks({"game": loaded.slug, "checked": "twin", "name": str(twin)}, {None: against}, json)
            return
        checks = partial(
            testing.check_game, loaded, games=games, seed=first, knobs=knobs, bounds=bounds, stage=progress.stage,
            compiling=progress.compiling,
        )  # fmt: skip
        tell_checks({"game": loaded.slug, "checked": "game", "name": loaded.slug}, {None: checks}, json)
