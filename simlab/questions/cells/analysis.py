"""The cells of a run one by one."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import plain, value_text, words
from simlab.questions.endings.analysis import ending_shares
from simlab.runs import drill_down
from simlab.runs.cell_pools import Cell
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import MOST_ROWS, View, view_of

QUANTILES = (0.05, 0.5, 0.9, 0.95)
MOST_DETAILS = 120  #: cells that have metrics


class CellLine(Part):
    """A cell.

    Attributes:
        wins: wins of sides and seats, and games that several or no seats win. knobs: all of them, not only varied ones.
        quantiles: quantiles of the length, `p5` to `p95`. metrics: metrics of the first 120 cells.
    """

    key: str
    cell: str
    games: int
    bots: dict[str, str]
    knobs: dict[str, str]
    wins: dict[str, Rate]
    endings: dict[str, Rate]
    length: Number
    quantiles: dict[str, Number]
    metrics: dict[str, Number]
    list_games: GamesLink | None = None


class Cells(GamesAnswer, form="cells"):
    """The cells of a run, the first 500 of them. left: number of the others, which are in summary.json."""

    lines: tuple[CellLine, ...]
    left: int


def of_run(results: Any) -> Cells:
    view = view_of(results)
    lines = tuple(_line(view, cell, place < MOST_DETAILS) for place, cell in enumerate(view.cells[:MOST_ROWS]))
    return Cells.of(view, lines=lines, left=max(len(view.cells) - MOST_ROWS, 0))


def undecided_kinds(view: View) -> dict[str, str]:
    """Title -> word of the winner column, of games that several or no seats win, if the run has any."""
    several = len(view.seats) > 1
    kinds = {"shared": "shared"} if view.all.shared and several else {}
    kinds |= {"nobody wins" if several else "lost": "nobody"} if view.all.nobody else {}
    return {} if view.has_sides else kinds


def _line(view: View, cell: Cell, metrics: bool) -> CellLine:
    pool = view.pool(view.cell_label(cell), [cell])
    shares = enumerate(ending_shares(pool))
    figures = (figure for metric in (view.metrics if metrics else ()) for figure in pool.figures_of(metric))
    wins = {head: pool.side_rate(side) for side, head in view.joint_sides}
    wins |= {f"{seat} wins": pool.win_rate(place) for place, seat in enumerate(view.labels)}
    wins |= {head: pool.undecided(word) for head, word in undecided_kinds(view).items()}
    return CellLine(
        key=cell.key, cell=view.cell_label(cell), games=cell.games,
        bots={view.seats[i]: cell.bots[raw] for i, raw in enumerate(view.raw_seats)},
        knobs={plain(k, 60): value_text(v) for k, v in list(cell.knobs.items())[:200]},
        wins=wins, endings={words(view.endings[place]): share for place, share in shares if cell.endings[place]},
        length=pool.mean_length(), metrics={figure.name: figure.estimate for figure in figures},
        quantiles={f"p{round(100 * q)}": pool.quantile(pool.length, q) for q in QUANTILES},
        list_games=drill_down.all_games(view, pool),
    )  # fmt: skip
