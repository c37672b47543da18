"""Contents of studies.json: analyses of a run that play more games (simlab.questions.after_run)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class Interval(Form):
    estimate: float
    low: float
    high: float


class Remedy(Form):
    knob: str
    before: int | float | bool | str
    value: int | float | bool | str
    win_rate: Interval
    bots: dict[str, dict[str, float]]
    games: NonNegativeInt = 0
    seed: NonNegativeInt = 0


class Remedies(Form):
    cell: str
    seat: str
    target: float
    games: NonNegativeInt
    changes: list[Remedy]
    nearest: Remedy


class Bots(Form):
    cell: str
    plays: dict[str, str]
    untried: dict[str, list[str]]


class StoredAnswers(Form):
    """Answers by the name of their question; each question checks its own (simlab.questions.finished_run.stored)."""

    model_config = ConfigDict(extra="allow")
    remedies: list[Remedies] = []
    bots: list[Bots] = []


class Studies(Form):
    players: dict[str, StoredAnswers] = {}  # by number of players
