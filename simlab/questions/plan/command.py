"""simlab plan."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import typer

from simlab.cli.options import (
    Output,
    VariantArgument,
    Variation,
    WorkersOption,
    count,
    how_option,
    play_option,
    positive,
    share,
)
from simlab.cli.terminal import Answer
from simlab.errors import InputError


def amount(text: str) -> float:
    """A number above 0, with or without %."""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?%?|\.\d{1,9}%?", str(text).strip()):
        raise typer.BadParameter(
            f"{text}: write a number above 0, in points for a share, else in the unit of the statistic."
        )
    return float(str(text).strip().removesuffix("%"))


def plan(
    game: VariantArgument,
    played: Variation,
    output: Output,
    precision: Annotated[
        float | None,
        play_option(
            "--precision", metavar="X", parser=amount, help="Half width of the interval: points of a share (1: one in "
            "a hundred), else in the unit of the statistic."),
    ] = None,
    detect: Annotated[
        float | None,
        play_option("--detect", metavar="X", parser=amount, help="Change to detect, in the same units."),
    ] = None,
    change: Annotated[
        list[str] | None,
        play_option(
            "--change", metavar="KNOB=VALUE", help="Rule change to compare with on the same seeds, which usually "
            "takes fewer games. Repeatable."),
    ] = None,
    elo: Annotated[
        float | None,
        play_option("--elo", metavar="POINTS", parser=amount, help="Lead of a bot to detect, as on a ladder."),
    ] = None,
    figure: Annotated[
        list[str] | None,
        play_option(
            "--figure", metavar="NAME", help="Statistic (`simlab info GAME statistics`), as turns_mean or turns_p90. "
            "Repeatable; by default how often each seat or side wins."),
    ] = None,
    power: Annotated[
        float,
        how_option("--power", metavar="SHARE", parser=share, help="How often the change is to be detected."),
    ] = 0.8,
    level: Annotated[
        float, how_option("--level", metavar="SHARE", parser=share, help="Level of intervals.")
    ] = 0.95,
    family: Annotated[
        int | None,
        how_option("--family", metavar="N", parser=positive, help="Intervals judged together: by default 1, with "
                     "--change as many as `simlab diff` judges."),
    ] = None,
    pilot: Annotated[
        int, how_option("--pilot", metavar="N", parser=count, help="Games of the pilot.")
    ] = 2_000,
    workers: WorkersOption = None,
) -> Answer:  # fmt: skip
    """How many games does an answer take, and how long?

    Plans for a precision, or for detecting a change with probability --power: with independent seeds, and with --change
    also on the same seeds. For a file with a [contract]: how many games `check` takes for each line. Plays a short
    pilot here and writes nothing. The cost of a whole run: `simlab run FILE --plan`.

    Examples:
      simlab plan simple_siege --precision 1
      simlab plan simple_siege --detect 2 --change walls_start=6 --figure besieger_win --pilot 400
      simlab plan simple_siege --elo 20 --pilot 100
    """
    from simlab.engine.outcome import figures_of
    from simlab.questions.plan.analysis import Request, sample_size
    from simlab.spec.draft import read_assignments

    chosen = played.of(game)
    changed = replace(chosen, knobs={**chosen.knobs, **read_assignments(change, "--change")}) if change else None
    names = list(figure or ())
    rates = {figures_of(chosen.game).find(name, "--figure").is_rate for name in names} or {True}
    if len(rates) > 1 and (precision is not None or detect is not None):
        raise InputError("--figure: shares and other statistics have different units. Plan each kind separately.")
    scale = 100 if rates == {True} else 1
    request = Request(
        match=chosen.match(),
        statistics=names,
        precision=None if precision is None else precision / scale,
        detect=None if detect is None else detect / scale,
        step=elo,
        contract=dict(chosen.contract or {}),
        change=changed.match() if changed else None,
        power=power,
        level=level,
        family=family,
        seed=chosen.seed,
        pilot=pilot,
        workers=workers,
    )
    request.match.compile(output.progress.compiling)
    output.progress.say(f"playing a pilot of {pilot:,} games")
    return sample_size(request)
