"""A finished run whose games an analysis plays again, and the answers that analyses stored in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from simlab.engine.match import Match
from simlab.present.answer import Answer
from simlab.runs.cells import Cell, cells
from simlab.runs.results import CellResult, Results
from simlab.spec.experiment import Experiment

Stored = TypeVar("Stored", bound=Answer)


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A complete run with one number of players.

    The size of an analysis depends on the number of games and not on the clock, so the same run always has the same
    analyses.
    """

    results: Results
    experiment: Experiment
    _matches: dict[str, Match] = field(default_factory=dict)

    def match(self, cell: CellResult) -> Match:
        if cell.label not in self._matches:
            self._matches[cell.label] = self._by_label[cell.label].match()
        return self._matches[cell.label]

    @property
    def seed(self) -> int:
        return self.results.seed

    @cached_property
    def games(self) -> int:
        return sum(cell.games for cell in self.results.cells)

    @cached_property
    def closest(self) -> list[CellResult]:
        """The cells, ordered by how evenly the sides win."""
        return sorted(self.results.cells, key=lambda cell: max(cell.wins.values()) / max(cell.games, 1))

    @cached_property
    def _by_label(self) -> dict[str, Cell]:
        return {cell.label: cell for cell in cells(self.experiment)}


def stored(results: Any, name: str, answer: type[Stored]) -> Stored | None:
    """The answer that a question stored in a run (simlab.questions.after_run), or None; InputError: damaged."""
    data = results.studies.get(name)
    return None if data is None else answer.from_json(data, "studies.json")
