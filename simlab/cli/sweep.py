"""simlab sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import PlayOptions, Setup, VariantArgument, VaryOption, how_option, play_option, positive, share
from simlab.cli.run import play
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.runs.open_experiment import Variant


def sweep(
    context: typer.Context,
    game: VariantArgument,
    setup: Setup,
    playing: PlayOptions,
    vary: VaryOption = None,
    one_at_a_time: Annotated[
        bool,
        play_option(
            "--one-at-a-time",
            help="Change one knob at a time, a step up and down: all knobs, or those that --knobs names. Reports which "
            "change has the largest effect, and the smallest change that reaches the target.",
        ),
    ] = False,
    knobs: Annotated[
        str | None,
        play_option("--knobs", metavar="KNOB,KNOB", help="Knobs of --one-at-a-time."),
    ] = None,
    steps: Annotated[
        int | None,
        play_option(
            "--steps", metavar="N", parser=positive, help="Steps to each side with --one-at-a-time. Default: 1."
        ),
    ] = None,
    sobol: Annotated[
        int | None,
        play_option(
            "--sobol",
            metavar="N",
            parser=positive,
            help="Which knobs of --vary matter most when all change together: Sobol indices from N base points, a "
            "power of two, 64 or more; at most N x (knobs + 2) settings.",
        ),
    ] = None,
    design: Annotated[
        str | None,
        play_option(
            "--design",
            metavar="METHOD:N",
            help="Draw settings from the ranges of --vary instead of all combinations: lhs:200 (Latin hypercube), "
            "sobol:256 (Sobol sequence), morris:20 (20 trajectories: the effect of each knob), saltelli:64 (the same "
            "as --sobol 64).",
        ),
    ] = None,
    target: Annotated[
        float | None,
        how_option(
            "--target",
            metavar="SHARE",
            parser=share,
            help="Target win rate of the first seat, such as 0.45; by default a fair share.",
        ),
    ] = None,
) -> None:
    """Play a game at many settings: one cell for each setting and line-up of bots.

    All cells use common random numbers, so their differences are precise. Seats without --bot play the game's default
    bot. The default is 10,000 games per cell. If you add values to a sweep, it reuses the games played before. With one
    knob the report shows where the curve meets the target; with two knobs, a map shows the line of fair settings.

    Examples:
      simlab sweep simple_siege --vary walls_start=3..7 -n 200
      simlab sweep simple_siege --one-at-a-time --knobs walls_start,repair_cost -n 200
      simlab sweep simple_siege --vary walls_start=3..7 --vary repair_cost=1..3 --sobol 64 -n 200
      simlab sweep simple_siege --vary walls_start=3..7 --vary repair_cost=1..3 --design morris:4 -n 200
      simlab sweep simple_siege --vary walls_start=3..7 --vary repair_cost=1..3 --design lhs:8 -n 200
      simlab sweep simple_siege --bot besieger=rusher,random -n 200 --json
      simlab sweep simple_siege --vary walls_start=3..7 -n 200 --plan
    """
    from simlab.runs.open_experiment import new_experiment

    variant = setup.of(game, one_bot=False)
    varied, left_out = _varied(variant, vary or (), one_at_a_time, knobs, steps, sobol, design)
    parts = [text.partition("=")[0] for text in vary or ()]
    parts += ["one_at_a_time"] if one_at_a_time else []
    parts += ["sobol"] if sobol else []
    parts += [design.partition(":")[0]] if design else []
    experiment = new_experiment(
        variant.ref, variant.set_, vary=varied or dict(variant.vary or {}), bots=variant.named,
        games=variant.games if setup.games is None else setup.games, seed=variant.seed, cards=variant.cards,
        fill_seats=True,
        name=sweep_name(variant.name, parts, setup.seed), contract=_contract(variant, target) or variant.contract,
        metrics=setup.metric or (),
    )  # fmt: skip
    note = f"left out because knobs would contradict each other: {', '.join(left_out)}" if left_out else ""
    play(experiment, playing, context, note)


def _varied(
    variant: Variant,
    vary: Sequence[str],
    one_at_a_time: bool,
    knobs: str | None,
    steps: int | None,
    sobol: int | None,
    design: str | None,
) -> tuple[Sequence[str] | dict[str, object], list[str]]:
    """The varied knobs, and small changes that had to be left out."""
    from simlab.spec.draft import read_assignments, read_design

    if design and (one_at_a_time or sobol):
        raise InputError("--design, --sobol and --one-at-a-time are three ways to choose the settings: use one.")
    if (knobs or steps) and not one_at_a_time:
        raise InputError("--knobs and --steps go with --one-at-a-time.")
    if one_at_a_time and (vary or sobol):
        raise InputError("--one-at-a-time chooses the values itself: leave --vary and --sobol out.")
    if sobol or design:
        if not vary:
            option = "--sobol" if sobol else "--design"
            raise InputError(
                f"{option} needs the knobs and their ranges: --vary walls_start=3..7 --vary repair_cost=1..3."
            )
        return {**read_design(design or f"saltelli:{sobol}"), **read_assignments(vary, "--vary")}, []
    if not one_at_a_time:
        return vary, []
    values, left_out, _ = variant.small_changes(knobs, steps or 1)
    if not values:
        raise InputError("none of these knobs can go a step up or down. Name others with --knobs.")
    return {"method": "one_at_a_time", **values}, left_out


def _contract(variant: Variant, target: float | None) -> dict[str, dict[str, float]] | None:
    """The target as a clause on the first seat's win rate, with a margin of two points."""
    if target is None:
        return None
    from simlab.engine.outcome import figures_of

    return {figures_of(variant.game).wins[0].name: {"target": target, "margin": 0.02}}


def sweep_name(game: str, parts: list[str], seed: int | None) -> str:
    """A name for results without a file: game, varied knobs, and the seed unless it is 1."""
    import os
    from pathlib import Path

    from simlab.spec.folder_names import slug

    words = [
        Path(game).resolve().name.removesuffix(".py") if "/" in game or os.sep in game else game,
        *parts,
        *([f"seed{seed}"] if seed not in (None, 1) else []),
    ]
    return slug("_".join(words))
