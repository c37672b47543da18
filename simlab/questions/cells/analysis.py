"""The cells of a run one by one."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Number
from simlab.present.estimate import plain, value_text
from simlab.questions.win_rates.analysis import WinLine, line
from simlab.runs.cell_pools import Cell
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import MOST_ROWS, View, view_of

MOST_DETAILS = 120  #: cells that have metrics


class CellLine(WinLine):
    """A cell. knobs: all of them, not only varied ones. metrics: metrics of the first 120 cells."""

    key: str
    bots: dict[str, str]
    knobs: dict[str, str]
    metrics: dict[str, Number]


class Cells(GamesAnswer, form="cells", version=2):
    """The cells of a run, the first 500 of them. left: number of the others, which are in summary.json."""

    lines: tuple[CellLine, ...]
    left: int


def of_run(results: Any) -> Cells:
    view = view_of(results)
    lines = tuple(_line(view, cell, place < MOST_DETAILS) for place, cell in enumerate(view.cells[:MOST_ROWS]))
    return Cells.of(view, lines=lines, left=max(len(view.cells) - MOST_ROWS, 0))


def _line(view: View, cell: Cell, metrics: bool) -> CellLine:
    pool = view.pool(view.cell_label(cell), [cell])
    figures = [
        (figure.name, figure.estimate)
        for metric in (view.metrics if metrics else ())
        if metric.name in pool.metric_names
        for figure in pool.figures_of(metric)
    ]
    return CellLine.from_attributes(
        line(view, pool), key=cell.key, metrics=dict(figures),
        bots={view.seats[i]: cell.bots[raw] for i, raw in enumerate(view.raw_seats)},
        knobs={plain(k, 60): value_text(v) for k, v in list(cell.knobs.items())[:200]},
    )  # fmt: skip
