"""The only module that converts values to text."""

from __future__ import annotations

from simlab.present.blocks import Value
from simlab.present.estimate import Estimate, number, plain


def text(value: Value) -> str:
    """A value as all pages, tables and sentences of the lab show it.

    Estimates: `83.8 % (82.1 to 85.3)`; counts: `12,000`; other numbers to four digits; names with commas; missing
    values: a dash.
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
    return plain(", ".join(value) if isinstance(value, tuple) else value, 2_000)


def duration(seconds: float) -> str:
    """A duration in readable form: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
