"""simlab analyze regions."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import (
    GamesOption,
    OutOption,
    Output,
    PageOption,
    VariantArgument,
    Variation,
    VaryOption,
    WorkersOption,
    how_option,
    play_option,
    positive,
    resume_command,
    share,
)
from simlab.cli.sweep import sweep_name
from simlab.cli.terminal import Answer, write_page
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.game import KnobValue
    from simlab.runs.open_experiment import Variant

PANEL = "Judge"


def discover(
    context: typer.Context,
    game: VariantArgument,
    played: Variation,
    output: Output,
    where: Annotated[
        list[str] | None,
        play_option(
            metavar="CONDITION",
            help="Condition: a statistic (`simlab info GAME statistics`), a sign and a number, such as 'besieger_win > "
            "60%'. Repeatable: all conditions must hold.",
        ),
    ] = None,
    vary: VaryOption = None,
    knobs: Annotated[
        str | None,
        play_option(
            metavar="KNOB,KNOB",
            help="Knobs to vary by --steps to each side; all knobs if neither this nor --vary is given.",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        play_option(
            metavar="N", parser=positive, help="Steps to each side, for knobs that --vary does not name. Default: 2."
        ),
    ] = None,
    settings: Annotated[
        int,
        how_option(
            metavar="N",
            parser=positive,
            help="Settings to search; the same number of held-out settings judge the rules.",
        ),
    ] = 256,
    density: Annotated[
        float,
        how_option(metavar="SHARE", parser=share, help="Share of a rule's settings in which the condition must hold."),
    ] = 0.8,
    most_knobs: Annotated[int, how_option(metavar="N", parser=positive, help="Most knobs in a rule.")] = 3,
    games: GamesOption = None,
    workers: WorkersOption = None,
    out: OutOption = None,
    report: PageOption = None,
) -> Answer:
    """Find short rules for where a condition holds: "the besieger wins over 60 % where walls ≤ 4 and Mine ≥ 2".

    Settings spread over the knobs' ranges (a Latin hypercube) are played, 1,000 games each by default, to find the
    shortest rules that hold in most settings (--density). Held-out settings on held-out seeds then judge each rule: in
    how many settings of its region the condition holds, what share of all settings with the condition the region
    covers, and the value of the statistic in the region. A rule that was found by chance is dropped. Seats without
    --bot play the game's default bot.

    Examples:
      simlab analyze regions simple_siege --where "besieger_win > 30%" --vary walls_start=1..9 --settings 64 --vary mod_mine=0..4 --vary repair_cost=1..3 -n 100
    """  # noqa: E501
    from simlab.questions.regions.analysis import discover as search
    from simlab.runs.open_experiment import new_experiment
    from simlab.spec.draft import read_assignments

    variant = played.of(game)
    varied: dict[str, object] = dict(read_assignments(vary, "--vary"))
    if knobs or not varied:
        varied |= knobs_around(variant, knobs, steps or 2, varied)
    experiment = new_experiment(
        variant.ref, variant.set_, vary={"method": "lhs", "points": settings, **varied}, bots=variant.named,
        games=games or 1_000, seed=variant.seed, cards=variant.cards, fill_seats=True,
        name=sweep_name(variant.name, ["discover", *list(varied)[:3]], variant.seed),
    )  # fmt: skip
    how = {"workers": workers, "progress": output.progress, "command": resume_command(context)}
    answer = search(experiment, where or (), density, most_knobs, out, **how)
    path = write_page(answer, report or Path(answer.folder) / "discover.html")
    return answer.model_copy(update={"report": str(path)})


def knobs_around(
    variant: Variant, names: str | None, steps: int, varied: Collection[str] = ()
) -> dict[str, list[KnobValue]]:
    """Values of knobs near the current ones, searched if no ranges are named; see `Variant.small_changes`."""
    near, _, base = variant.small_changes(names, steps, varied)
    if not near and not varied:
        raise InputError("none of these knobs can go a step up or down. Name ranges with --vary.")
    every = {name: [*values, base[name]] for name, values in near.items()}
    return {name: sorted(values) if variant.game.knobs[name].is_number else values for name, values in every.items()}


COMMANDS = {"analyze regions": discover}
