"""Each cell by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simlab.present.blocks import Table
from simlab.present.estimate import plain, value_text, words
from simlab.report.balance import undecided, win_table
from simlab.report.endings import ending_shares
from simlab.report.length import quantile_text
from simlab.results import drill_down
from simlab.results.pool import Cell
from simlab.results.view import MOST_ROWS, View

MOST_DETAILS = 120  #: cells that can be unfolded


def section(view: View) -> dict[str, Any]:
    details = [_detail(view, cell) for cell in view.cells[:MOST_DETAILS]]
    return {
        "details": details,
        "details_left": max(len(view.cells) - MOST_DETAILS, 0),
    }


def tables(view: View) -> list[Table[Any]]:
    """All cells in one table, if the table of win rates has groups of them."""
    if not view.grouped or len(view.cells) < 2:
        return []
    pools = [view.pool(view.cell_label(cell), [cell]) for cell in view.cells[:MOST_ROWS]]
    left = len(view.cells) - MOST_ROWS
    table = win_table(view, pools)
    return [replace(table, note=f"{left:,} more cells are in summary.json.") if left > 0 else table]


def _detail(view: View, cell: Cell) -> dict[str, Any]:
    pool = view.pool(view.cell_label(cell), [cell])
    shares = ending_shares(pool)
    metrics = [
        (figure.name, figure.estimate)
        for metric in view.metrics
        if metric.name in pool.metric_names
        for figure in pool.figures_of(metric)
    ]
    return {
        "label": view.cell_label(cell),
        "key": cell.key,
        "games": f"{cell.games:,}",
        "behind": drill_down.all_games(view, pool),
        "bots": [(view.seats[i], cell.bots[raw]) for i, raw in enumerate(view.raw_seats)],
        "rates": [(view.seats[i], pool.win_rate(i)) for i in range(len(view.seats))],
        "drawn": undecided(view, pool),
        "endings": [(words(view.endings[i]), shares[i]) for i in range(len(shares)) if cell.endings[i]],
        "mean": pool.mean_length(),
        "quantiles": [quantile_text(pool.quantile(pool.length, q)) for q in (0.05, 0.5, 0.9, 0.95)],
        "metrics": metrics,
        "knobs": ", ".join(f"{plain(k, 60)} = {value_text(v)}" for k, v in list(cell.knobs.items())[:200]),
    }
