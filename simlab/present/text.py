"""The one place that turns a value into characters."""

from __future__ import annotations

from simlab.present.blocks import Value
from simlab.present.estimate import Estimate, number, plain


def text(value: Value) -> str:
    """A value as every page, table and sentence of the lab shows it.

    Estimates: `83.8 % (82.1 to 85.3)`; counts: `12,000`; other numbers to four digits; missing values: a dash.
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Estimate):
        return value.full
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if isinstance(value, float):
        return number(value).replace("-", "−")
    return plain(value, 2_000)
