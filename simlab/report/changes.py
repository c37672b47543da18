"""What the value of a knob changes, game by game on the same seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.report.pool import Cell
from simlab.report.view import View
from simlab.stats.many import holm
from simlab.stats.paired import PairedDifference, paired_difference, paired_rates

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
    """

    value: Any
    where: str
    wins: PairedDifference
    turns: PairedDifference
    p_value: float


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
                0.0,
            )
        )  # fmt: skip
    single = []
    if max(len(found) for found in pairs.values()) > 1 and sum(map(len, pairs.values())) <= MOST:
        for value in others:
            for a, b in pairs[_key(value)]:
                where = _without(view, view.cells[b], knob)
                lengths = paired_difference(turns[:, a], turns[:, b])
                single.append(Change(value, where, _rates(won[:, a], won[:, b]), lengths, 0.0))
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


def _adjusted(found: list[Change]) -> list[Change]:
    p_values = holm([change.wins.p_value for change in found])
    return [
        Change(change.value, change.where, change.wins, change.turns, float(p))
        for change, p in zip(found, p_values, strict=True)
    ]
