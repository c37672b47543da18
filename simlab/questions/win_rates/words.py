"""Win rates as tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from simlab.present.blocks import Block, Chart, Column, GamesLink, Paragraph, Table, attributes, entries
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate
from simlab.questions.win_rates.analysis import WinLine, Winner, WinRates
from simlab.words import counted

TITLE, ANCHOR = "Win rates", "wins"
CHAPTER, RANK = "Who wins", 0

_UNDECIDED = {"shared": "shared", "nobody wins": "nobody", "lost": "nobody"}  # column of a table -> name in a chart


def blocks(answer: WinRates) -> Iterator[Block]:
    yield from tables(answer)
    if not answer.curve:
        each = "seat" if len(answer.lines) == 1 else "group of cells" if answer.grouped else "cell"
        share = f"; the dashed line is {answer.equal_share}" if answer.equal_share else ""
        yield Chart("win_rates", lambda: win_rates(answer), f"Win rates by {each}, with 95 % intervals{share}.")


def tables(answer: WinRates, title: str = "", endings: bool = False) -> Iterator[Block]:
    """Win rates, and shares of the wins if seats share wins. endings: whether endings have columns too."""
    several = answer.total is not None
    rows = (*answer.lines, *((answer.total,) if answer.total else ()))
    first = "group of cells" if answer.grouped else "cell"
    note = (
        f"With 95 % intervals. Length in {answer.turn_name}s: mean, median, and the ends of the shortest and the "
        f"longest 5 % of the games.{' Intervals of the endings hold for all endings together.' if endings else ''}"
    )
    columns = (*columns_of(rows[0], first, answer.turn_name), *(_endings(rows[0]) if endings else ()))
    yield Table(rows, columns, title, note, most=MOST_LINES + 1, total=several)
    if shared := shared_wins(answer):
        yield Paragraph(shared, "note")
    if seats := rows[0].shares:
        note = (
            "A win that several seats share counts in equal parts: 1/2 for each of two winners, 1/3 for each of three. "
            "The shares of all seats add up to 100 %, minus the games that nobody wins."
        )
        if len(seats) == 2:
            note = "A game that both win, or nobody, counts 1/2 for each: the shares add up to 100 %."
        shares = (*attributes("cell"), *entries("shares", {seat: seat for seat in seats}))
        yield Table(rows, shares, "Share of the wins", note, total=several)


MOST_LINES = 40  #: cells that the table in the terminal lists one by one


def columns_of(line: WinLine, first: str, turn: str) -> Iterator[Column[WinLine]]:
    """Games, win rates and length."""

    def games(head: str) -> Callable[[WinLine], GamesLink | None]:
        return lambda row: row.links.get(head)

    yield Column(first, lambda row: row.cell)
    yield Column("games", lambda row: row.games, games("games"))
    for column in entries("wins", {head: head for head in line.wins}):
        yield Column(column.title, column.read, games(column.title))
    yield from attributes(f"mean {turn}s=length")
    yield from entries("quantiles", {"p5": "shortest 5 %", "p50": "median", "p95": "longest 5 %"})


def _endings(line: WinLine) -> tuple[Column[WinLine], ...]:
    return entries("endings", {ending: f"by {ending}" for ending in line.endings})


def shared_wins(answer: WinRates) -> str:
    """A note that win rates add up to more than 100 % because wins are shared; "" if they do not."""
    if answer.wins <= answer.decided or len(answer.winners) < 2:  # the only winner is a side of all seats
        return ""
    return f"Several seats can win the same game: {answer.wins:,} wins in {counted(answer.decided, 'game')}."


def color_of(one: Winner) -> str:
    """The colour of a seat, or that of text for a side whose seats also win without it."""
    return drawing.INK if one.seat is None else drawing.seat_color(one.seat, one.name)


@chart
def win_rates(answer: WinRates, ax: Axes | None = None) -> Axes:
    """Win rate of each seat with its interval, by cell or by group of cells."""
    colors = list(map(color_of, answer.winners))
    if len(answer.lines) == 1:
        wins = answer.lines[0].wins
        bars = [(one.name, wins[one.column], color) for one, color in zip(answer.winners, colors, strict=True)]
        gray = {"shared": drawing.SHARED, "nobody": drawing.NOBODY}
        bars += [(name, wins[column], gray[name]) for column, name in _UNDECIDED.items() if column in wins]
        return intervals(bars, answer.fair, ax)
    ax = drawing.axes(ax, 1.0 + max(0.27, 0.07 * len(answer.winners)) * len(answer.lines))
    rows = np.arange(len(answer.lines))
    apart = min(0.16, 0.8 / len(answer.winners))  # of the height of a row
    for place, (one, color) in enumerate(zip(answer.winners, colors, strict=True)):
        offset = (place - (len(answer.winners) - 1) / 2) * apart
        rates = [line.wins[one.column] for line in answer.lines]
        drawing.whiskers(ax, rows + offset, rates, color, one.name, across=True, size=5, cap=2.5)
    _frame(answer.fair, ax, [line.cell for line in answer.lines])
    ax.set_xlabel(drawing.label(answer.rate, 60))
    if len(answer.winners) > 1:
        drawing.legend_below(ax)
    return ax


@chart
def intervals(bars: Sequence[tuple[str, Estimate, str]], fair: float | None = None, ax: Axes | None = None) -> Axes:
    """One bar with its interval per row: its name, its estimate and its colour. Dashed: the fair share."""
    ax = drawing.axes(ax, 0.75 + 0.32 * len(bars))
    for row, (_, rate, color) in enumerate(bars):
        ax.barh(row, rate.value, height=0.5, color=color, alpha=0.3, linewidth=0)
        drawing.whiskers(ax, [row], [rate], color, across=True, size=5, cap=3)
    _frame(fair, ax, [name for name, *_ in bars])
    ax.set_xlabel("share of the games won")
    return ax


def _frame(fair: float | None, ax: Axes, names: Sequence[str]) -> None:
    if fair is not None:
        ax.axvline(fair, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    drawing.name_rows(ax, names, 42)
    ax.set_xlim(0, 1)
    drawing.percent(ax, "x")
