"""Games of a run that could not be played."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Answer, Part


class Failure(Part):
    """Failed games of a cell, from `first` to `last`. replay: the command that plays them again."""

    label: str
    first: int
    last: int
    why: str
    replay: str


class FailedGames(Answer, form="failed-games"):
    failures: list[Failure]


def of_run(results: Any) -> FailedGames:
    """The failures that faults.json lists."""
    return FailedGames.from_json({"failures": results.failed}, "faults.json")
