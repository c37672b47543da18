"""How games end, in sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.endings.analysis import EndingGames, Endings, Group

TITLE = "How games end"
CHAPTER, RANK = "How games go", 12


def sentence(answer: Endings) -> str:
    """The endings by frequency."""
    by_share = sorted(answer.endings, key=lambda one: -one.share.value)
    parts = [f"{one.ending} ({one.share.inner})" for one in by_share]
    if len(parts) == 1:
        return f"All games seen end by {parts[0]}."
    return f"Games end by {', '.join(parts[:-1])} or {parts[-1]}."


def blocks(answer: Endings) -> Iterator[Block]:
    every = [answer.all_games]
    below = f" The bars below the first show {'groups of cells' if answer.grouped else 'single cells'}."
    yield Chart("endings", lambda: endings(answer), sentence(answer) + (below if answer.groups else ""), games=every)
    if answer.never:
        yield Paragraph(f"Never seen: {', '.join(f'“{name}”' for name in answer.never)}.", "note")
    several = len(answer.endings) > 1
    if several and sum(any(games) for games in zip(*(one.by_turn for one in answer.endings), strict=True)) > 1:
        name, turn, share = answer.most_often
        caption = (
            f"Percentage of all games by ending and last {answer.turn_name}. The most frequent in these games is "
            f"“{name}” in {answer.turn_name} {turn}: {share.full} of the games."
        )
        links = [answer.all_games, answer.most_often_games]
        yield Chart("ending_turns", lambda: ending_turns(answer), caption, links, wide=True)
    first = answer.endings[0]
    if several:
        for seat, name in enumerate(first.scores):
            caption = f"Score of {name} by ending (games): median, middle half and middle 90 % of the games."
            yield Chart(f"scores_{seat}", partial(scores, answer, seat), caption, games=every)
        if len(first.wins) > 1:
            note = "Share of the games with this ending that the seat wins, alone or with others."
            yield _by_ending(answer, "seat", list(first.wins), "wins", "Who wins by which ending", note)
    yield Section("endings-table", "The shares with their intervals", (_shares(answer),), folded=True)
    varies = [
        name for name in first.means if len({one.means[name].value for one in answer.endings if name in one.means}) > 1
    ]
    if several and varies:
        table = _by_ending(answer, "metric", varies, "means", note=answer.together.strip())
        yield Section("endings-means", "Means of the metrics by ending", (table,), folded=True)


def _by_ending(answer: Endings, what: str, names: list[str], field: str, title: str = "", note: str = "") -> Table[str]:
    """One row per name, one column per ending."""

    def column(one: EndingGames) -> Column[str]:
        return Column(f"{one.ending} ({one.games:,})", lambda name: getattr(one, field).get(name))

    return Table(names, (Column(what, lambda name: name), *map(column, answer.endings)), title, note)


def _shares(answer: Endings) -> Table[Group]:
    shares, links = zip(*((one.share, one.list_games) for one in answer.endings), strict=True)
    whole = Group(label="all cells" if answer.groups else "all games", shares=shares, list_games=links)

    def column(place: int) -> Column[Group]:
        return Column(
            answer.endings[place].ending, lambda group: group.shares[place], lambda group: group.list_games[place]
        )

    columns = (Column[Group]("cells", lambda group: group.label), *map(column, range(len(answer.endings))))
    return Table((whole, *answer.groups), columns)


@chart
def endings(answer: Endings, ax: Axes | None = None) -> Axes:
    """Share of the games by ending: all games, then cells or groups of cells."""
    rows = [[one.share.value for one in answer.endings], *([s.value for s in g.shares] for g in answer.groups)]
    names = ["all cells" if answer.groups else "all games", *(group.label for group in answer.groups)]
    table, most = np.array(rows), len(drawing.ENDINGS)
    shown = sorted(np.argsort(-table[0])[: most if table.shape[1] <= most else most - 1].tolist())
    parts = [(answer.endings[i].ending, table[:, i], drawing.ENDINGS[i % most]) for i in shown]
    if len(shown) < table.shape[1]:
        parts.append(("others", 1 - table[:, shown].sum(axis=1), drawing.NOBODY))
    ax = drawing.axes(ax, 0.95 + 0.3 * len(names) + 0.2 * math.ceil(len(parts) / 3))
    left, places = np.zeros(len(names)), np.arange(len(names))
    for name, part, color in parts:
        bars = ax.barh(
            places, part, left=left, height=0.74, color=color, label=drawing.label(name, 24), edgecolor="#ffffff",
            linewidth=0.4,
        )  # fmt: skip
        texts = [f"{100 * share:.0f}" if share >= 0.07 else "" for share in part]
        ax.bar_label(bars, texts, label_type="center", fontsize=8.5, color=drawing.ink_on(color))
        left = left + part
    ax.set_yticks(places, [drawing.label(name, 34) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.grid(visible=False, axis="y")
    drawing.percent(ax, "x")
    ax.set_xlabel("share of the games")
    drawing.legend_below(ax)
    return ax


@chart
def ending_turns(answer: Endings, ax: Axes | None = None) -> Axes:
    """Percentage of all games by ending (rows) and last turn (columns)."""
    from matplotlib.colors import PowerNorm

    counts = np.array([one.by_turn for one in answer.endings], np.float64)
    played = np.flatnonzero(counts.any(axis=0))
    columns = np.arange(played[0], played[-1] + 1)
    wide = -(-columns.size // 24)  # turns that share a column
    starts = np.arange(0, columns.size, wide)
    table = np.add.reduceat(counts[:, columns], starts, axis=1) / answer.games
    spans = [(int(columns[s]), int(columns[s : s + wide][-1])) for s in starts]
    ax = drawing.axes(ax, 1.1 + 0.3 * len(counts), 1.6 * drawing.WIDTH)
    norm = PowerNorm(0.5, 0, float(table.max()))
    drawing.heat(ax, np.where(table > 0, table, np.nan), drawing.percentages(table), drawing.HUE, norm, 7.5)
    drawing.name_tiles(
        ax, [drawing.label(one.ending, 28) for one in answer.endings],
        [str(first) if first == last else f"{first}–{last}" for first, last in spans],
        across=drawing.label(f"last {answer.turn_name}", 40), size=8,
    )  # fmt: skip
    return ax


@chart
def scores(answer: Endings, seat: int = 0, ax: Axes | None = None) -> Axes:
    """Score of a seat by ending: median, middle half and middle 90 % of the games."""
    lines = [(one, list(one.scores.items())[seat]) for one in answer.endings if one.scores]
    ax = drawing.axes(ax, 0.9 + 0.3 * max(len(lines), 1))
    if not lines:
        return drawing.note(ax, "the games' rows were not kept, are too many, or have no scores")
    ends = ("whislo", "q1", "med", "q3", "whishi")
    color = drawing.seat_color(seat, lines[0][1][0])
    ax.bxp(
        [dict(zip(ends, quantiles, strict=True)) for _, (_, quantiles) in lines], orientation="horizontal",
        positions=range(len(lines)), widths=0.5, showfliers=False, showcaps=False, patch_artist=True,
        boxprops={"facecolor": (color, 0.35), "linewidth": 0}, whiskerprops={"color": color},
        medianprops={"color": color, "linewidth": 2.5},
    )  # fmt: skip
    drawing.name_rows(ax, [f"{one.ending} ({one.games:,})" for one, _ in lines])
    ax.set_xlabel(drawing.label(f"score of {lines[0][1][0]}", 60))
    return ax
