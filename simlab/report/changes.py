"""What the value of a knob changes, game by game on the same seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.estimate import LEVEL, Estimate, plain, share_of, value_text, words
from simlab.questions.knob_effects.analysis import MOST_KNOBS
from simlab.report import tables
from simlab.results import drill_down
from simlab.results.pool import Cell
from simlab.results.view import View, view_of
from simlab.stats.many import holm
from simlab.stats.paired import PairedDifference, paired_difference, paired_rates

if TYPE_CHECKING:
    from rich.table import Table


MOST = 400  #: comparisons of single match-ups


@dataclass(frozen=True)
class Change:
    """A value of a knob against the reference value, all else equal.

    Attributes:
        value: of the knob.
        where: the match-up (and other knobs), or "" for all of them together.
        wins: difference of the first seat's win rate, on the same seeds.
        turns: difference of the length in turns, likewise.
        p_value: of the win rates' difference, adjusted for all comparisons of the list (Holm).
        cells: places of those compared, before and after.
    """

    value: Any
    where: str
    wins: PairedDifference
    turns: PairedDifference
    p_value: float
    cells: tuple[int, ...] = ()


@dataclass(frozen=True)
class Changes:
    """All comparisons of one knob.

    Attributes:
        reference: the printed value where this run has it, else the first.
        printed: whether the reference is the printed value.
        together: a Change for each other value, over all that differs in the knob alone; each game counts as
            one pair.
        single: a Change for each value and match-up; empty where there is only one match-up.
    """

    knob: str
    reference: Any
    printed: bool
    together: list[Change]
    single: list[Change]


def changes(view: View, knob: str) -> Changes | None:
    """Paired differences between a knob's values.

    Returns:
        None where the rows of the games were not kept, or no two cells differ in this knob alone.
    """
    won, turns = view.won(0), view.lengths()
    if won is None or turns is None:
        return None
    printed = view.printed(knob)
    reference = view.varied[knob][0] if printed is None else printed
    others = [value for value in view.varied[knob] if value != reference]
    pairs = {_key(value): _pairs(view.cells, knob, reference, value) for value in others}
    others = [value for value in others if pairs[_key(value)]]
    if not others:
        return None
    together = []
    for value in others:
        before, after = np.array(pairs[_key(value)]).T
        together.append(
            Change(
                value, "",
                paired_difference(won[:, before].mean(axis=1), won[:, after].mean(axis=1)),
                paired_difference(turns[:, before].mean(axis=1), turns[:, after].mean(axis=1)),
                0.0, (*map(int, before), *map(int, after)),
            )
        )  # fmt: skip
    single = []
    if max(len(found) for found in pairs.values()) > 1 and sum(map(len, pairs.values())) <= MOST:
        for value in others:
            for a, b in pairs[_key(value)]:
                where = _without(view, view.cells[b], knob)
                lengths = paired_difference(turns[:, a], turns[:, b])
                single.append(Change(value, where, _rates(won[:, a], won[:, b]), lengths, 0.0, (a, b)))
    return Changes(knob, reference, printed is not None, _adjusted(together), _adjusted(single))


def _key(value: Any) -> str:
    return repr(value)


def _pairs(cells: Sequence[Cell], knob: str, reference: Any, value: Any) -> list[tuple[int, int]]:
    """Places of the cells with either value that agree in all else."""

    def rest(cell: Cell) -> tuple[Any, ...]:
        other = sorted((name, repr(v)) for name, v in cell.varied.items() if name != knob)
        return (*cell.bots.values(), *other)

    before = {rest(cell): i for i, cell in enumerate(cells) if cell.varied.get(knob) == reference}
    after = [(rest(cell), i) for i, cell in enumerate(cells) if cell.varied.get(knob) == value]
    return [(before[key], i) for key, i in after if key in before]


def _rates(a: Any, b: Any) -> PairedDifference:
    both, only_a = int(np.sum((a > 0) & (b > 0))), int(np.sum((a > 0) & (b == 0)))
    only_b = int(np.sum((a == 0) & (b > 0)))
    return paired_rates(both, only_a, only_b, len(a) - both - only_a - only_b)


def _without(view: View, cell: Cell, knob: str) -> str:
    """What tells the cell from others but for the knob."""
    other = [f"{name} = {value}" for name, value in cell.varied.items() if name != knob and name in view.varied]
    return ", ".join([" v ".join(cell.bots.values()), *other])


def _adjusted(several: list[Change]) -> list[Change]:
    p_values = holm([change.wins.p_value for change in several])
    return [replace(change, p_value=float(p)) for change, p in zip(several, p_values, strict=True)]


def terminal(results: Any) -> list[Table]:
    """A table for each knob that varies, at most three: its values against the printed one on the same seeds.

    Empty where no knob varies or the rows of the games were not kept.
    """
    from rich.text import Text

    view = view_of(results)
    shown = []
    for knob in list(view.varied)[:3]:
        rows = changes(view, knob) if len(view.varied[knob]) <= 40 else None
        if rows is None:
            continue
        printed = ", as printed" if rows.printed else ""
        made = tables.table(f"Against {knob} = {value_text(rows.reference)}{printed}, on the same seeds")
        made.add_column(plain(knob, 40), overflow="fold")
        tables.numbers(
            made,
            f"{view.seats[0]} wins, points more",
            "for certain",
            f"{view.turn_name}s more",
            "worth x games",
        )
        made.caption = Text(
            "for certain: at 95 %, for all these lines together; worth x games: a game on the same seed tells as "
            "much as x games of separate luck"
        )
        for change in rows.together:
            wins, turns = change.wins, change.turns
            points = Estimate(100 * wins.difference, 100 * wins.low, 100 * wins.high, False)
            row = [value_text(change.value), tables.full(points), "yes" if change.p_value <= 1 - LEVEL else "no"]
            row += [tables.full(Estimate(turns.difference, turns.low, turns.high, False))]
            tables.add(made, [*row, f"{wins.factor:.1f}" if math.isfinite(wins.factor) else "-"])
        shown.append(made)
    return shown


def section(view: View) -> list[dict[str, Any]]:
    """Each knob's values against the printed one, on the same seeds."""
    blocks = []
    for knob in list(view.varied)[:MOST_KNOBS]:
        made = changes(view, knob) if len(view.varied[knob]) <= 40 else None
        if made is None:
            continue
        as_printed = ", as printed" if made.printed else ""
        blocks.append(
            {
                "knob": words(knob),
                "reference": f"{words(knob)} = {value_text(made.reference)}{as_printed}",
                "together": [_change_row(view, made, change) for change in made.together],
                "single": [_change_row(view, made, change) for change in made.single],
            }
        )
    return blocks


def _change_row(view: View, of: Changes, change: Change) -> dict[str, Any]:
    wins, turns = change.wins, change.turns
    points = Estimate(100 * wins.difference, 100 * wins.low, 100 * wins.high, False)
    lengths = Estimate(turns.difference, turns.low, turns.high, False)
    sure = "yes" if change.p_value <= 1 - LEVEL else "no"
    return {
        "value": value_text(change.value),
        "where": change.where,
        "behind": drill_down.of_values(
            view, of.knob, (of.reference, change.value), [view.cells[place] for place in change.cells]
        ),
        "points": points,
        "turns": lengths,
        "sure": sure,
        "changed": share_of(wins.changed, wins.pairs),
        "factor": f"{wins.factor:.1f}" if math.isfinite(wins.factor) else "–",
    }
