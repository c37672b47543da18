"""Counts of games made up for the tests, as simlab.stats.figure.Counts has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Counted:
    """Games by who won, how and how long; a win that is shared is shared by all, unless `wins` says otherwise."""

    lone: Any  # games that each seat won alone
    nobody: int = 0
    shared: int = 0
    endings: Any = ()
    lengths: dict[int, int] = field(default_factory=dict)
    metrics: dict[str, dict[int, int]] = field(default_factory=dict)
    wins: Any = None
    side_wins: Any = ()

    def __post_init__(self) -> None:
        self.games = int(sum(self.lone)) + self.nobody + self.shared
        if self.wins is None:
            self.wins = np.asarray(self.lone, np.int64) + self.shared

    def histogram(self, name: str) -> Any:
        games = self.lengths if name == "turns" else self.metrics.get(name, {})
        return np.array(sorted(games), np.int64), np.array([games[value] for value in sorted(games)], np.int64)
