"""Compares each value of a knob with the printed value (or the first), game by game on the same seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import Difference, Estimate, finite, share_of
from simlab.runs import drill_down
from simlab.runs.cell_pools import Cell
from simlab.runs.view import View, view_of
from simlab.stats.p_values import holm
from simlab.stats.paired import Verdict, paired_difference, paired_wins, verdict_of_test
from simlab.words import line_up

MOST_KNOBS, MOST_VALUES, MOST_MATCH_UPS = 6, 40, 400


class ValueChange(Part):
    """A value of a knob compared with the reference value; all other knobs are equal.

    Attributes:
        match_up: the match-up and the other knobs; "" for all match-ups together. win_rate: change of the first seat's
            win rate, 0..1. length: change of the length in turns.
        p_value: p-value of the change of the win rate, adjusted for all lines of its list (Holm). verdict: verdict at 5
            %.
        flipped: share of the pairs of games of which the seat wins exactly one.
        variance_reduction: variance reduction of the win rate; None if no pair differs.
    """

    value: Any
    match_up: str
    win_rate: Number
    length: Number
    p_value: float
    verdict: Verdict
    flipped: Rate
    variance_reduction: float | None
    games: GamesLink | None


class KnobChanges(Part):
    """All values of a knob.

    Attributes:
        reference: the printed value if the run has it, else the first value. printed: whether it is printed.
        together: each other value, over all cells that differ only in this knob; a game index counts as one pair.
            single: each value in each match-up; empty if there is only one match-up.
    """

    knob: str
    reference: Any
    printed: bool
    together: tuple[ValueChange, ...]
    single: tuple[ValueChange, ...]


class RunKnobChanges(Answer, form="knob-changes"):
    seat: str
    turn_name: str
    knobs: tuple[KnobChanges, ...]


def of_run(results: Any) -> RunKnobChanges | None:
    """The changes in a run that kept the rows of its games; None for designs with a separate analysis."""
    view = view_of(results)
    if view.designed:
        return None
    knobs = [knob for knob, values in list(view.varied.items())[:MOST_KNOBS] if len(values) <= MOST_VALUES]
    made = tuple(found for knob in knobs if (found := knob_changes(view, knob)))
    return RunKnobChanges(seat=view.first_winner, turn_name=view.turn_name, knobs=made) if made else None


def knob_changes(view: View, knob: str) -> KnobChanges | None:
    """Paired changes between the values of a knob; None without rows, or if no two cells differ only in this knob."""
    won, turns = view.won(0), view.by_game("turns")
    if won is None or turns is None:
        return None
    printed = view.printed(knob)
    reference = view.varied[knob][0] if printed is None else printed
    others = [value for value in view.varied[knob] if value != reference]
    pairs = [(value, found) for value in others if (found := _pairs(view.cells, knob, reference, value))]
    if not pairs:
        return None
    together, single = [], []
    several = max(len(found) for _, found in pairs) > 1 and sum(len(found) for _, found in pairs) <= MOST_MATCH_UPS
    for value, found in pairs:
        before, after = np.array(found).T
        wins, lengths = (paired_difference(t[:, before].mean(axis=1), t[:, after].mean(axis=1)) for t in (won, turns))
        flips = ((won[:, before] > 0) != (won[:, after] > 0)).mean(axis=1)
        together.append((value, wins, lengths, (*before, *after), "", flips))
        for a, b in found if several else ():
            other = [f"{n} = {v}" for n, v in view.cells[b].varied.items() if n != knob and n in view.varied]
            match_up = ", ".join([line_up(view.cells[b].bots), *other])
            wins, flips = paired_wins(won[:, a] > 0, won[:, b] > 0), (won[:, a] > 0) != (won[:, b] > 0)
            single.append((value, wins, paired_difference(turns[:, a], turns[:, b]), (a, b), match_up, flips))
    judged = [
        tuple(
            ValueChange(
                value=value, match_up=match_up, win_rate=Difference(*wins.ends),
                length=Difference(*lengths.ends, False), p_value=float(p),
                verdict=verdict_of_test(float(p), wins.changed), flipped=_flipped(flips),
                variance_reduction=finite(wins.factor),
                games=drill_down.of_values(view, knob, (reference, value), [view.cells[place] for place in cells]),
            )
            for p, (value, wins, lengths, cells, match_up, flips)
            in zip(holm([line[1].p_value for line in lines]), lines, strict=True)
        )
        for lines in (together, single)
    ]  # fmt: skip
    return KnobChanges(
        knob=knob, reference=reference, printed=printed is not None, together=judged[0], single=judged[1]
    )


def _flipped(each: Array) -> Estimate:
    """Share of the flipped pairs of games. each: their share by game index, shape (games,).

    The pairs of an index are correlated: Wilson's interval is for as many independent pairs as have the variance of
    their mean.
    """
    share, variance = float(each.mean()), float(each.var()) / len(each)
    worth = share * (1 - share) / variance if variance > 0 else len(each)
    return share_of(share * worth, worth)


def _pairs(cells: Sequence[Cell], knob: str, reference: Any, value: Any) -> list[tuple[int, int]]:
    """Pairs of cells, by index, that have the two values and agree in everything else."""

    def rest(cell: Cell) -> tuple[Any, ...]:
        other = sorted((name, repr(v)) for name, v in cell.varied.items() if name != knob)
        return (*cell.bots.values(), *other)

    before = {rest(cell): i for i, cell in enumerate(cells) if cell.varied.get(knob) == reference}
    after = [(rest(cell), i) for i, cell in enumerate(cells) if cell.varied.get(knob) == value]
    return [(before[key], i) for key, i in after if key in before]
