"""A run of several table sizes: each size is a question of its own, and this says how they compare.

The seats of one table have an equal share that those of another do not have, so nothing is pooled over sizes: a line
for each, with its own seats, fair share and verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from simlab.present.chart import chart as charted
from simlab.present.estimate import Estimate, ends_of, plain
from simlab.present.html import templates
from simlab.report import balance, tables
from simlab.results.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from simlab.runs.results import Results


@dataclass(frozen=True)
class TableLine:
    """One number of players.

    Attributes:
        rates: win rate of each seat that plays. fair: what each would win if all won equally often.
        headline: who is favoured, in a sentence.
    """

    players: int
    view: View
    rates: tuple[Estimate, ...]
    fair: float
    length: Estimate
    headline: str

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        seats = zip(self.view.seats, self.rates, strict=True)
        return {
            "players": self.players,
            "games": self.view.games,
            "win_rate": {seat: ends_of(rate) for seat, rate in seats},
            "fair_share": self.fair,
            "mean_length": ends_of(self.length),
            "verdict": self.headline,
        }


def lines(results: Results) -> list[TableLine]:
    """A line for each number of players, the fewest first.

    Raises:
        UserMistake: no game was played at one of them.
    """
    made = []
    for table in results.tables:
        view = View(table)
        rates = tuple(view.all.win_rate(seat) for seat in range(len(view.seats)))
        said = balance.verdict(view)
        made.append(TableLine(len(view.seats), view, rates, view.fair_share, view.all.mean_length(), said.headline))
    return made


def sentences(of: Sequence[TableLine]) -> list[str]:
    """The verdict of each table."""
    return [f"{line.players} players: {line.headline}" for line in of]


def summary(results: Results) -> dict[str, Any]:
    """What `--json` says of it."""
    return {"tables": [line.to_dict() for line in lines(results)]}


def terminal(results: Results) -> list[RenderableType]:
    """The table of all sizes, and the verdict of each."""
    from rich.text import Text

    of = lines(results)
    most = of[-1].view
    made = tables.table(f"{most.title}: {most.name}")
    made.add_column("players")
    tables.numbers(made, "games", *(f"{seat} wins" for seat in most.labels), "fair share", f"mean {most.turn_name}s")
    for line in of:
        rates = [tables.full(rate) for rate in line.rates] + [""] * (len(most.seats) - len(line.rates))
        row = [str(line.players), f"{line.view.games:,}", *rates, f"{100 * line.fair:.1f} %", tables.full(line.length)]
        tables.add(made, row, "")
    note = "In brackets 95 % intervals. Fair share: what each seat of that table would win if all won equally often."
    return [made, Text(note, style="dim italic"), *(Text(text, style="bold") for text in sentences(of))]


def chart(results: Results, ax: Axes | None = None) -> Axes:
    """Win rate of each seat by the number of players, with the fair share of each table."""
    return by_players([(line.players, line.view.seats, line.rates, line.fair) for line in lines(results)], ax=ax)


def write_pages(results: Results, folder: Path, write_one: Callable[[Results, Path, str], Path]) -> Path:
    """Writes report.html, the comparison, and beside it the whole report of each table.

    Args:
        write_one: simlab.report.html.write_report.
    Raises:
        UserMistake, RunFailed: as that.
    """
    from simlab.runs.store import atomic_write

    for table in results.tables:
        write_one(table, folder, _mark(table))
    path = folder / "report.html"
    atomic_write(path, page(results).encode("utf-8", "replace"))
    return path


def page(results: Results) -> str:
    """The comparison as one HTML page; everything in it is escaped, and it needs no network."""
    environment = templates()
    from simlab.present import drawing

    of = lines(results)
    caption = (
        "Win rate of each seat by the number of players, with 95 % intervals. The short lines are the fair share of "
        "each table: what each of its seats would win if all won equally often."
    )
    svg = drawing.inline_svg(drawing.svg_text(chart(results)), "players-", caption)
    return environment.get_template("players.html.j2").render(
        style=Markup(environment.get_template("report.css").render()),
        view=of[-1].view,
        games=sum(line.view.games for line in of),
        sentences=sentences(of),
        gap=plain(results.gap, 1_000),
        cut_off=plain(results.cut_off, 1_000),
        lines=of,
        figure={"svg": Markup(svg), "caption": caption, "wide": False},
        pages=[f"report-{_mark(table)}.html" for table in results.tables],
    )


def _mark(table: Results) -> str:
    return f"{len(table.names.seats)}-players"


@charted
def by_players(tables: Sequence[tuple[int, Sequence[str], Sequence[Estimate], float]], ax: Axes | None = None) -> Axes:
    """Win rate of each seat by the number of players, and the fair share of each table.

    Args:
        tables: (players, names of the seats, their win rates, the fair share) of each size.
    """

    from simlab.present import drawing

    ax = drawing.axes(ax, 3.6)
    most = max(len(seats) for _, seats, _, _ in tables)
    for seat in range(most):
        held = [(players, rates[seat]) for players, seats, rates, _ in tables if seat < len(seats)]
        name = next(seats[seat] for _, seats, _, _ in tables if seat < len(seats))
        x = [players + 0.6 * ((seat + 0.5) / most - 0.5) for players, _ in held]
        ends = np.maximum([[r.value - r.low for _, r in held], [r.high - r.value for _, r in held]], 0)
        ax.errorbar(x, [r.value for _, r in held], yerr=ends, fmt="o", markersize=4, capsize=2,
                    color=drawing.seat_color(seat), label=drawing.label(name))  # fmt: skip
    for players, _, _, fair in tables:
        ax.hlines(fair, players - 0.38, players + 0.38, color=drawing.MUTED, linewidth=1, linestyle="--")
    ax.set_xticks([players for players, _, _, _ in tables])
    ax.set_xlabel("players")
    ax.set_ylabel("win rate")
    ax.set_ylim(bottom=0)
    drawing.percent(ax, "y")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
