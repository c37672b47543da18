"""A part of a sweep for `make test`; the whole sweep is for `make test-long`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], kept: Collection[Any]) -> list[Any]:
    """Values for `pytest.mark.parametrize` with one argument: all that are not kept are long tests."""
    listed = list(values)
    assert kept and all(value in listed for value in kept), f"{kept} are to be among {listed}"
    return [pytest.param(value, marks=[] if value in kept else pytest.mark.long) for value in listed]
