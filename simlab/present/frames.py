"""Tables of an answer as data frames, pandas and polars alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simlab.present.blocks import Column, Table
from simlab.present.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def records(table: Table[Any]) -> dict[str, list[Any]]:
    """Column -> values; an estimate becomes three columns, `name`, `name low` and `name high`."""
    return {name: values for column in table.columns for name, values in _columns(column, table)}


def _columns(column: Column[Any], table: Table[Any]) -> Iterator[tuple[str, list[Any]]]:
    values = [column.read(row) for row in table.rows]
    if not any(isinstance(value, Estimate) for value in values):
        yield column.title, values
        return
    for end, suffix in (("value", ""), ("low", " low"), ("high", " high")):
        yield column.title + suffix, [getattr(v, end) if isinstance(v, Estimate) else None for v in values]


def to_pandas(table: Table[Any]) -> pd.DataFrame:
    """The table as a pandas frame."""
    import pandas as pd

    return pd.DataFrame(records(table))


def to_polars(table: Table[Any]) -> pl.DataFrame:
    """The table as a polars frame."""
    import polars as pl

    return pl.DataFrame(records(table), strict=False)
