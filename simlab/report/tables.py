"""Tables for the terminal: rich renderables, without colours or ruling lines of their own where there is no
terminal.

All names are printed as they are: nothing in them is taken for markup, and control characters are gone.
"""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from simlab.report import describe
from simlab.report.estimate import LEVEL, Estimate, plain, value_text, words
from simlab.report.view import view_of
from simlab.stats.intervals import quantile_from_histogram

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

MOST_LINES = 40  #: cells that the headline table lists one by one


def headline(results: Any) -> RenderableType:
    """What `run` and `sweep` print: the verdict, the table of cells or of groups of cells, the contract.

    Args:
        results: simlab.runs.results.Results.
    Raises:
        UserMistake: no game was played.
    """
    from rich.console import Group
    from rich.text import Text

    view = view_of(results)
    parts: list[RenderableType] = [cells(view), *changes(view)]
    if view.is_matrix and min(len(bots) for bots in view.bots.values()) > 1:
        parts.append(matrix(view))
    found = contract(view)
    if found is not None:
        parts.append(found)
    said = describe.verdict(view)
    parts.append(Text(_typed(said.headline), style="bold"))
    if len(view.cells) > 1:
        parts.append(Text(_typed(said.sentences[0])))
    parts.append(Text(_typed(describe.reach_sentence(view)), style="dim"))
    return Group(*parts)


def cells(results: Any) -> RenderableType:
    """A line a cell: games, win rates, length, endings. Groups of cells where there are more than 40.

    Of two seats without draws only the first's win rate stands there: the other has the rest. Where the terminal is
    too narrow the endings stand in a table of their own.
    """
    from rich.console import Group
    from rich.text import Text

    view = view_of(results)
    pools = view.groups(MOST_LINES)
    lines = [(pool.label, pool, "") for pool in pools]
    if len(pools) > 1:
        lines.insert(0, ("all together", view.all, "bold"))
    drawn = view.all.without_single > 0
    seats = [0] if len(view.seats) == 2 and not drawn and len(pools) > 1 else list(range(len(view.seats)))
    sides = view.joint_sides
    drawn = drawn and not view.has_sides
    endings = [i for i in range(len(view.endings)) if view.all.endings[i]]
    endings = sorted(endings, key=lambda i: -int(view.all.endings[i]))[:3]

    def made(title: str, main: bool, ends: bool, dense: bool = False) -> Table:
        table = _table(title, dense)
        label = "group of cells" if len(pools) not in (1, len(view.cells)) else "cell"
        table.add_column(label, overflow="fold", min_width=12 if dense else 16)
        if main:
            _numbers(table, "games", *(head for _, head in sides))
            _numbers(table, *(f"{view.seats[seat]} wins" for seat in seats))
            lost = "lost" if len(view.seats) == 1 else "no single winner"
            _numbers(table, *([lost] if drawn else []), f"mean {view.turn_name}s", "5-95 %")
        if ends:
            _numbers(table, *(f"by {words(view.endings[i])}" for i in endings))
        for name, pool, style in lines:
            row = [name]
            if main:
                row += [f"{pool.games:,}", *(_full(pool.side_rate(side)) for side, _ in sides)]
                row += [_full(pool.win_rate(seat)) for seat in seats]
                row += [_full(pool.undecided())] if drawn else []
                low, high = quantile_from_histogram(*pool.length, [0.05, 0.95])
                row += [_full(pool.mean_length()), f"{low:g}-{high:g}"]
            if ends:
                shares = describe.ending_shares(pool)
                row += [_full(shares[i]) for i in endings]
            _add(table, row, style)
        return table

    rest = f"{view.the(view.seats[1])} wins the rest; " if len(seats) < len(view.seats) else ""
    note = f"{rest}in brackets 95 % intervals, those of the endings for all of them together"
    title, below = f"{view.title}: {view.name}", "How games end"
    main = _Fitting(made(title, True, False), made(title, True, False, dense=True))
    ends = _Fitting(made(below, False, True), made(below, False, True, dense=True))
    return Group(_Fitting(made(title, True, True), main, ends), Text(note, style="dim italic"))


def matrix(results: Any) -> RenderableType:
    """Win rate of the first seat: a line for each of its bots, a column for each opponent."""
    return _Fitting(_matrix(results), _matrix(results, dense=True))


def _matrix(results: Any, dense: bool = False) -> Table:
    """Dense: without the intervals of what stands in the margin."""
    from rich.text import Text

    view = view_of(results)
    one, two = view.seats
    rows = sorted(view.by_bot(0), key=lambda pool: -pool.win_rate(0).value)
    columns = sorted(view.by_bot(1), key=lambda pool: -pool.win_rate(1).value)
    made = _table(f"{one} wins, in % of the games", dense)

    def margin(rate: Estimate) -> str:
        return f"{100 * rate.value:.0f}" if dense else _full(rate)

    made.add_column(Text(f"{one} / {two}"), overflow="fold", min_width=10)
    shown = columns[:16]
    _numbers(made, *(column.label for column in shown), "all")
    widest = 0.0
    for row in rows[:60]:
        line = [row.label]
        for column in shown:
            met = [cell for cell in row.cells if cell in column.cells]
            rate = view.pool("", met).win_rate(0) if met else None
            line.append(f"{100 * rate.value:.0f}" if rate else "")
            widest = max(widest, (rate.high - rate.low) / 2 if rate else 0.0)
        _add(made, [*line, margin(row.win_rate(0))])
    _add(
        made,
        ["all", *(f"{100 * column.win_rate(0).value:.0f}" for column in shown), margin(view.all.win_rate(0))],
    )
    left = len(columns) - len(shown)
    made.caption = f"each good to +-{100 * widest:.1f} points or better" + (f"; {left} more columns" if left else "")
    return made


def changes(results: Any) -> list[Table]:
    """A table for each knob that varies, at most three: its values against the printed one on the same seeds.

    Empty where no knob varies or the rows of the games were not kept.
    """
    from rich.text import Text

    from simlab.report.changes import changes as compare

    view = view_of(results)
    tables = []
    for knob in list(view.varied)[:3]:
        found = compare(view, knob) if len(view.varied[knob]) <= 40 else None
        if found is None:
            continue
        printed = ", as printed" if found.printed else ""
        made = _table(f"Against {knob} = {value_text(found.reference)}{printed}, on the same seeds")
        made.add_column(plain(knob, 40), overflow="fold")
        _numbers(
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
        for change in found.together:
            wins, turns = change.wins, change.turns
            points = Estimate(100 * wins.difference, 100 * wins.low, 100 * wins.high, False)
            row = [value_text(change.value), _full(points), "yes" if change.p_value <= 1 - LEVEL else "no"]
            row += [_full(Estimate(turns.difference, turns.low, turns.high, False))]
            _add(made, [*row, f"{wins.factor:.1f}" if math.isfinite(wins.factor) else "-"])
        tables.append(made)
    return tables


def ranking(results: Any) -> list[Table]:
    """The bots of each seat by strength (Bradley-Terry, in Elo points) with intervals; empty where there is
    no ranking.

    The sentence that says how far a ranking explains the matrix is
    `simlab.report.describe.ranking(view).sentence`.
    """
    view = view_of(results)
    found = describe.ranking(view)
    if found is None:
        return []
    tables = []
    for seat, name in enumerate(view.seats):
        made = _table(f"{name}, strongest first")
        _numbers(made, "#")
        made.add_column("bot", overflow="fold", min_width=10)
        _numbers(made, "wins against all", "strength")
        pools = view.by_bot(seat)
        for place, i in enumerate(found.order(seat), start=1):
            _add(
                made,
                [str(place), found.bots[seat][i], _full(pools[i].win_rate(seat)), _full(found.elo(seat, i))],
            )
        tables.append(made)
    return tables


def contract(results: Any) -> Table | None:
    """The contract's lines with their verdicts; None where the experiment has none."""
    from rich.text import Text

    view = view_of(results)
    clauses = describe.contract(view)
    if not clauses:
        return None
    made = _table(describe.contract_sentence(clauses))
    made.add_column("verdict", no_wrap=True)
    made.add_column("contract", overflow="fold")
    colors = {"met": "green", "broken": "red", "undecided": "yellow"}
    for clause in clauses:
        made.add_row(Text(clause.verdict, style=colors[describe.verdict_word(clause)]), Text(_typed(clause.sentence)))
    return made


def to_text(*things: RenderableType, width: int = 120) -> str:
    """Renderables as plain text, for a file or a pipe: no colours, no control codes, ASCII ruling lines."""
    out = io.StringIO()
    show(*things, file=out, width=width)
    return out.getvalue()


def show(*things: RenderableType, file: TextIO | None = None, width: int | None = None) -> None:
    """Prints renderables: with colours on a terminal, plain elsewhere."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    terminal = stream.isatty()
    console = Console(
        file=stream,
        width=width if width is not None else None if terminal else 120,
        highlight=False,
        markup=False,
        no_color=None if terminal else True,
        safe_box=not terminal,
    )
    console.print(*things, sep="\n")


class _Fitting:
    """A table where it fits without breaking a line of it, else others in its place."""

    def __init__(self, whole: Table, *parts: RenderableType) -> None:
        self.whole, self.parts = whole, parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.measure import Measurement

        wide = Measurement.get(console, options.update(width=10_000), self.whole).maximum
        yield from (self.whole,) if wide <= options.max_width else self.parts


def _table(title: str, dense: bool = False) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    return Table(
        box=SIMPLE_HEAD,
        title=Text(_typed(title)),
        title_justify="left",
        pad_edge=False,
        padding=(0, 0 if dense else 1),
        caption_justify="left",
    )


def _numbers(made: Table, *names: str) -> None:
    from rich.text import Text

    for name in names:
        made.add_column(Text(_typed(name)), justify="right", overflow="fold")


def _add(made: Table, row: Sequence[str], style: str = "") -> None:
    from rich.text import Text

    for column, cell in zip(made.columns, row, strict=True):
        if column.justify == "right":  # a line may break between a figure and its interval, not within either
            column.min_width = max(column.min_width or 1, *(len(word) for word in _typed(cell).split()), 1)
    made.add_row(*(Text(_typed(cell)) for cell in row), style=style or None)


def _full(estimate: Estimate) -> str:
    return _typed(estimate.full)


def _typed(text: str) -> str:
    """With the signs of a typewriter, which any terminal can show."""
    return text.replace("–", "-").replace("−", "-").replace("±", "+-").replace("…", "...")
