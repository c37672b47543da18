"""Tables of an answer as data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from simlab.present.blocks import Block, Column, Table
from simlab.present.estimate import Estimate


def tables(blocks: Iterable[Block]) -> Iterator[Table[Any]]:
    """The tables among these blocks and inside them, in their order."""
    for block in blocks:
        if isinstance(block, Table):
            yield block
        yield from tables(getattr(block, "blocks", ()))


def records(table: Table[Any]) -> dict[str, list[Any]]:
    """Column -> values; estimates with an interval become three columns, `name`, `name low` and `name high`."""
    return {name: values for column in table.columns for name, values in _columns(column, table)}


def _columns(column: Column[Any], table: Table[Any]) -> Iterator[tuple[str, list[Any]]]:
    held = [column.read(row) for row in table.rows]
    yield column.title, [value.value if isinstance(value, Estimate) else value for value in held]
    if any(isinstance(value, Estimate) and not math.isnan(value.low) for value in held):
        for end in ("low", "high"):
            yield f"{column.title} {end}", [getattr(value, end, None) for value in held]
