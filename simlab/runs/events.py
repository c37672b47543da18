"""The caller's view of a run in progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Compiling:
    """Part `i` of `n` is being compiled."""

    name: str
    i: int
    n: int

    @property
    def text(self) -> str:
        return f"compiling {self.name} ({self.i + 1} of {self.n}); stored for the next time"


@dataclass(frozen=True)
class Progress:
    """How far the run is, in games, including those of earlier starts."""

    done: int
    total: int
    games_per_second: float
    seconds_left: float | None  #: None if no estimate is possible yet
    interval: str  #: how precise the results are by now, in words; empty at the start

    @property
    def text(self) -> str:
        ahead = f", {clock(self.seconds_left)} left" if self.seconds_left is not None and self.done < self.total else ""
        pace = f", {self.games_per_second:,.0f} per second{ahead}" if self.done and self.games_per_second else ""
        return f"{self.done:,} of {self.total:,} games{pace}" + (f"; {self.interval}" if self.interval else "")


class Pace:
    """Turns a plain count of games into Progress: speed and time left follow from the counts since the first."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None

    def progress(self, done: int, total: int, what: str) -> Progress:
        now = time.monotonic()
        began, before = self._began = self._began or (now, done)  # the time before the first count may have compilation
        rate = (done - before) / (now - began) if done > before and now > began else 0.0
        return Progress(done, total, rate, (total - done) / rate if rate else None, what)


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
