"""Player counts compared: one row per player count, with its own seats, fair share and verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simlab.present.blocks import Block, Chart, Column, Link, Paragraph, Section, Table, attributes, entries
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.player_counts.analysis import PlayerCount, lines
from simlab.runs.results import Results
from simlab.runs.view import View


def blocks(results: Results) -> Iterator[Block]:
    of = lines(results)
    yield from (Paragraph(text, "lead") for text in sentences(of))
    yield from _comparison(results, of)


def _comparison(results: Results, of: Sequence[PlayerCount]) -> Iterator[Block]:
    most = View(results.tables[-1])
    fair = [] if together(of) else [Column[PlayerCount]("fair share", lambda line: f"{100 * line.fair_share:.1f} %")]
    heads = dict(zip(of[-1].win_rate, [head for _, head in most.joint_sides] if together(of) else (), strict=False))
    columns = (
        *attributes("players", "games"),
        *entries("win_rate", {name: heads.get(name, f"{name} wins") for name in of[-1].win_rate}),
        *fair,
        *attributes(f"mean {most.turn_name}s=mean_length"),
    )
    note = (
        " Fair share: the win rate of each seat if all won equally often. Nothing is averaged over player counts, "
        "because their seats have different fair shares."
    )
    yield Table(of, columns, f"{most.title}: {most.name}", f"With 95 % intervals.{note if fair else ''}")
    lines_of = " The short lines are the fair shares." if fair else ""
    yield Chart(
        "players", lambda: by_players(of),
        f"Win rate of each {'seat' if fair else 'side'} by the number of players, with 95 % intervals.{lines_of}",
    )  # fmt: skip


def together(of: Sequence[PlayerCount]) -> bool:
    """Whether all players win or lose together."""
    return len(of[-1].win_rate) == 1 < of[-1].players


def sentences(of: Sequence[PlayerCount]) -> list[str]:
    return [f"{line.players} players: {line.verdict}" for line in of]


def page_blocks(results: Results, of: Sequence[PlayerCount]) -> Iterator[Block]:
    """The page: the verdict of each player count with a link to its own report, and the comparison."""
    verdicts: list[Block] = []
    for text, table in zip(sentences(of), results.tables, strict=True):
        verdicts += [Paragraph(text, "lead"), Link("The whole report", f"report-{mark(table)}.html")]
    yield Section("verdict", "", verdicts, mood="mixed")
    yield Section("players", "By player count", tuple(_comparison(results, of)))


def mark(table: Results) -> str:
    """The end of the file names of a player count."""
    return f"{len(table.names.seats)}-players"


def win_rates(results: Results, ax: Axes | None = None) -> Axes:
    return by_players(lines(results), ax)


@chart
def by_players(of: Sequence[PlayerCount], ax: Axes | None = None) -> Axes:
    """Win rate of each seat by the number of players, and the fair shares."""
    ax = drawing.axes(ax, 3.6)
    seats = list(dict.fromkeys(seat for line in of for seat in line.win_rate))
    for place, seat in enumerate(seats):
        held = [(line.players, line.win_rate[seat]) for line in of if seat in line.win_rate]
        x = [players + 0.6 * ((place + 0.5) / len(seats) - 0.5) for players, _ in held]
        drawing.whiskers(ax, x, [rate for _, rate in held], drawing.seat_color(place, seat), seat)
    for line in () if together(of) else of:
        ends_of_line = (line.players - 0.38, line.players + 0.38)
        ax.hlines(line.fair_share, *ends_of_line, color=drawing.MUTED, linewidth=1, linestyle="--")
    ax.set_xticks([line.players for line in of])
    ax.set_xlabel("players")
    ax.set_ylabel("win rate")
    ax.set_ylim(bottom=0)
    drawing.percent(ax, "y")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
