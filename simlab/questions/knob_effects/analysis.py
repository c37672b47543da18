"""Win rates and length by the value of a knob, pooled over all other knobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.game import KnobValue
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, estimate_of, plain, value_text
from simlab.questions.fair_settings.analysis import curve_of
from simlab.questions.win_rates.analysis import fair_share
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.goal import goal
from simlab.runs.view import View, view_of
from simlab.stats.intervals import level_of_each

MOST_KNOBS = 6  #: with charts


class LineUp(Part):
    """Win rates of one line-up by the value of the knob; None for a value that was not played."""

    wins: tuple[float | None, ...]
    turns: tuple[float | None, ...]


class KnobEffect(Part):
    """One knob that varies.

    Attributes:
        printed: index of the printed value; None if it was not played.
        wins: seat -> win rate by value, for the first seat, and for the others if their rates do not follow from it.
        turns: mean length by value; the intervals hold for all values, because the report names the extremes.
        change: change of the first seat's win rate from the first value to the last, in points; its interval holds for
            all knobs that vary.
        line_ups: the line-ups, if there are several and no other knob varies.
        games: links to all games, and to those with the first and the last value.
    """

    knob: str
    values: tuple[KnobValue, ...]
    printed: int | None
    wins: dict[str, tuple[Rate, ...]]
    turns: tuple[Number, ...]
    change: Number
    line_ups: tuple[LineUp, ...]
    games: tuple[GamesLink, ...]


class KnobEffects(Answer, form="knob-effects"):
    """Answer of `simlab report FOLDER --section knob_effects`.

    Attributes:
        seat: the first seat, as a sentence names it. turn: the game's word for a turn. fair: a fair share of the wins;
            None if there is none. curves: whether this answer charts the win rates; if not, a fair-settings chart shows
            them.
    """

    seat: str
    turn: str
    fair: float | None
    curves: bool = True
    knobs: tuple[KnobEffect, ...]


def of_run(results: Any) -> KnobEffects | None:
    """Effects in a run in which knobs vary; None if its settings are a design with an analysis of its own."""
    view = view_of(results)
    if not view.varied or view.designed:
        return None
    curves = curve_of(view, goal(view, even_odds=True)) is None
    return effects_of(view, list(view.varied)[:MOST_KNOBS]).model_copy(update={"curves": curves})


def effects_of(view: View, knobs: list[str]) -> KnobEffects:
    """The effect of each knob, pooled over all other knobs."""
    seats, effects = [0] if view.mirrored else range(len(view.seats)), []
    each = level_of_each(LEVEL, len(view.varied))
    for knob in knobs:
        pools, values, printed = view.by_value(knob), view.varied[knob], view.printed(knob)
        strict = level_of_each(LEVEL, len(pools))
        links = [drill_down.all_games(view, view.all)]
        for value, pool in ((values[0], pools[0]), (values[-1], pools[-1])):
            link = drill_down.of_values(view, knob, (value,), pool.cells)
            links.append(link and replace(link, what=f"{plain(knob)} {value_text(value)}"))
        effects.append(KnobEffect(
            knob=knob, values=tuple(values), printed=None if printed is None else values.index(printed),
            wins={view.seats[seat]: tuple(pool.win_rate(seat) for pool in pools) for seat in seats},
            turns=tuple(pool.mean_length(strict) for pool in pools),
            change=estimate_of(view.change(Payoff.win(0), pools[0].cells, pools[-1].cells, each).ends, 100, False),
            line_ups=tuple(_line_ups(view, knob)) if len(view.varied) == 1 else (), games=tuple(filter(None, links)),
        ))  # fmt: skip
    return KnobEffects(
        seat=view.the_side(view.first_winner), turn=view.turn_name, fair=fair_share(view), knobs=tuple(effects)
    )


def _line_ups(view: View, knob: str) -> list[LineUp]:
    by_bots = list(view.cells_by(lambda cell: tuple(cell.bots.values())).values())
    if len(by_bots) < 2:
        return []
    played = [{repr(cell.varied.get(knob)): Pool("", [cell]) for cell in cells} for cells in by_bots[:100]]
    rows = [[pools.get(repr(value)) for value in view.varied[knob]] for pools in played]
    return [
        LineUp(
            wins=tuple(None if pool is None else pool.win_rate(0).value for pool in row),
            turns=tuple(None if pool is None else pool.mean_length().value for pool in row),
        )
        for row in rows
    ]


def near_even(rates: list[Estimate]) -> list[int]:
    """Positions of the rates that may be closest to 50 %, according to their intervals."""
    near = np.array([0.0 if r.low <= 0.5 <= r.high else min(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates])
    far = min(max(abs(r.low - 0.5), abs(r.high - 0.5)) for r in rates)
    return [int(place) for place in np.flatnonzero(near <= far)]
