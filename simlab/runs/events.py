"""The caller's view of a run in progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Compiling:
    """Part `i` of `n` is being compiled."""

    name: str
    i: int
    n: int


@dataclass(frozen=True)
class Progress:
    """How far the run is, in games, those of earlier starts included."""

    done: int
    total: int
    games_per_second: float
    seconds_left: float | None  #: None if no estimate is possible yet
    interval: str  #: how precise the results are by now, in words; empty at the start


@dataclass(frozen=True)
class Note:
    """A message for the user, one sentence."""

    text: str


Event = Compiling | Progress | Note
Notify = Callable[[Event], None]
ProgressCount = Callable[[int, int, str], None]  #: receives (done, in all, a label), of games or shards


def no_progress(done: int, total: int, label: str) -> None:
    """A ProgressCount that shows nothing."""


def clock(seconds: float) -> str:
    """A duration in readable form: `0:42`, `1:05:09`."""
    whole = max(0, round(seconds))
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
