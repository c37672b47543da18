"""Selects games of results by a condition: a small language for `--where`, notebooks and the report's links.

    winner = 'besieger' and turns > 12        ending IN ('storm', 'fate')        (winners & 4) > 0

Polars reads it as an SQL expression over the columns of the rows and the knobs in which cells differ. Every word is
first checked against a list, because unrestricted SQL could read files and the network.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.errors import InputError, nearest

if TYPE_CHECKING:
    import polars as pl

Results = Any  #: simlab.runs.results.Results, which offers this as a method
CellResult = Any
FRAME = 100_000  #: rows that are held in memory at a time


def cell_of(results: Results, wanted: str | None) -> CellResult:
    """The cell with a key, its first digits or a label; for None the only cell. InputError: no cell or several."""
    meant = [c for c in results.cells if wanted is None or c.key.startswith(wanted) or c.label == wanted]
    if len(meant) == 1:
        return meant[0]
    listed = "\n".join(f"  {cell.key}  {cell.label}" for cell in (meant or results.cells)[:20])
    if wanted is None:
        raise InputError(f"{results.folder}: holds {len(meant)} cells. Say which with --cell KEY:\n{listed}")
    which = "several cells are" if meant else "no cell is"
    gap = f"\n{results.gap}" if results.gap else ""
    raise InputError(f"--cell {wanted}: {which} meant in {results.folder}. Known:\n{listed}{gap}")


def games_of(results: Results, cell: str | None = None, where: str | None = None) -> pl.LazyFrame:
    """One row per game: the columns of the results, the knobs in which cells differ, and `replay`.

    Args:
        cell: key, first digits of it, or label of one cell; None: all cells. where: a condition that the games meet.
    Raises:
        InputError: only counts were kept, no such cell, or as `chosen`.
    """
    import polars as pl

    command = f"simlab replay --from {shell.quote(str(results.folder))} --cell "
    games = with_knobs(results).with_columns(
        pl.format("{}{} --game {}", pl.lit(command), pl.col("cell").str.slice(0, 8), pl.col("game")).alias("replay")
    )
    if cell is not None:
        games = games.filter(pl.col("cell") == cell_of(results, cell).key)
    return chosen(games, where)


def columns_of(results: Results) -> dict[str, str]:
    """Column -> description, for the table that `exported` returns; errors as there."""
    from simlab.runs.store import row_columns

    known = {column.name: column.help for column in row_columns(results.names)}
    known["replay"] = "command that shows the game, move by move"
    there = games_of(results).collect_schema().names()
    return {name: known.get(name, f"knob {name.removeprefix('knob_')}: its value in the cell") for name in there}


def exported(results: Results, where: str | None = None, cell: str | None = None) -> Iterator[pl.DataFrame]:
    """`games_of` in chunks, at least one: the columns of `simlab info GAME columns`, the differing knobs, `replay`."""
    whole = games_of(results, cell, where)
    at = 0
    while True:
        frame = whole.slice(at, FRAME).collect()
        if at == 0 or frame.height:
            yield frame
        at += FRAME
        if frame.height < FRAME:
            return


def with_knobs(results: Results) -> pl.LazyFrame:
    """The rows, and the knobs in which cells differ; a knob with the name of a column becomes `knob_<name>`."""
    import polars as pl

    games: pl.LazyFrame = results.scan()
    own = games.collect_schema().names()
    cells = {one.key: one for one in results.cells}
    knobs = [
        name for name in next(iter(cells.values())).knobs
        if len({str(one.knobs.get(name)) for one in cells.values()}) > 1
    ] if cells else []  # fmt: skip
    columns: dict[str, list[Any]] = {"cell": list(cells)}
    for name in knobs:
        columns[name if name not in own else f"knob_{name}"] = [one.knobs.get(name) for one in cells.values()]
    about = pl.LazyFrame(columns, strict=False)
    return games.join(about, on="cell", how="left", maintain_order="left") if knobs else games


def chosen(games: pl.LazyFrame, where: str | None) -> pl.LazyFrame:
    """The games for which a condition holds; all games if it is None.

    Raises:
        InputError, which lists the columns: it cannot be parsed, names an unknown column, or is not a condition.
    """
    import polars as pl

    if where is None or not where.strip():
        return games
    columns = games.collect_schema()
    _refuse_all_but_expressions(where, columns)
    try:
        condition = pl.sql_expr(where)
        kind = games.select(condition).collect_schema()
        if len(kind) != 1 or next(iter(kind.values())) != pl.Boolean:
            raise InputError(
                f"--where {where}: is not a condition. Write one such as \"turns > 12 and winner = 'ann'\"."
            )
        # Shows what the schema does not, as a comparison of unlike types.
        pl.DataFrame(schema=columns).filter(condition)
        _check_words(where, columns)
        return games.filter(condition)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as fault:
        why = str(fault).splitlines()[0].partition(";")[0]
        raise InputError(f"--where {where}: {why}. Columns: {', '.join(columns)}.") from fault


_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|"(?P<quoted>[^"]*)"|(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<sign><=|>=|<>|!=|[-+*/%&|=<>(),]))"""
)
_WORDS = frozenset(
    {
        "and", "or", "not", "in", "is", "null", "between", "like", "ilike", "true", "false",
        "abs", "round", "floor", "ceil",
    }
)  # fmt: skip


def _refuse_all_but_expressions(where: str, columns: Collection[str]) -> None:
    """Allows only columns, numbers, texts, comparisons and arithmetic; InputError names any other word or sign."""
    rest = where.strip()
    known = f"Columns: {', '.join(columns)}. Words: {', '.join(sorted(_WORDS))}."
    while rest:
        token = _TOKEN.match(rest)
        if token is None:
            raise InputError(f"--where {where}: cannot read {rest[:20]!r}. {known}")
        name = token["quoted"] if token["quoted"] is not None else token["word"]
        if name is not None and name not in columns and (token["quoted"] is not None or name.lower() not in _WORDS):
            raise InputError(f"--where {where}: unknown column '{name}'. {nearest(name, columns)} {known}")
        rest = rest[token.end() :].strip()


def _check_words(where: str, columns: Any) -> None:
    """Refuses a value that a column with few values never has, because the condition would silently match no game."""
    import polars as pl

    for column, word in re.findall(r"(\w+)\s*(?:=|<>|!=)\s*'([^']*)'", where):
        kind = columns.get(column)
        if isinstance(kind, pl.Enum) and word not in kind.categories.to_list():
            raise InputError(f"--where {where}: {column} is never '{word}'. {nearest(word, kind.categories.to_list())}")


def first_games(results: Results, where: str, cell: str | None, most: int) -> tuple[list[tuple[str, int]], int]:
    """(the first games for which a condition holds, as (key of the cell, index); the number of such games)."""
    import polars as pl

    table = games_of(results, cell, where).select("cell", "game")
    count = int(table.select(pl.len()).collect().item())
    return list(table.head(most).collect().iter_rows()), count


def command(results: Any, condition: str, cells: Collection[str] | None) -> str:
    """The command that shows the games behind a statistic. cells: keys (None: all); condition: "" for none."""
    words = ["simlab", "report", str(results.folder), "--format", "csv"]
    parts = [f"({condition})" if condition and cells and len(cells) > 1 else condition] if condition else []
    if cells is not None and len(cells) == 1:
        words += ["--cell", next(iter(cells))]
    elif cells is not None:
        parts.append("cell IN (" + ", ".join(f"'{key}'" for key in cells) + ")")
    if parts:
        words += ["--where", " and ".join(parts)]
    return shell.join(words)
