"""Contents of studies.json: analyses of a run that play more games (simlab.questions.after_run)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator


class Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class Interval(Form):
    estimate: float
    low: float
    high: float


class Telling(Form):
    what: str
    cell: str
    game: NonNegativeInt
    why: str
    replay: str


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


class CourseFigure(Form):
    name: str
    words: str
    estimate: float | None
    low: float | None
    high: float | None
    games: NonNegativeInt
    unit: str


class CourseBin(Form):
    low: float
    high: float
    said: float
    won: float
    gap: float
    gap_low: float | None
    gap_high: float | None
    gap_p_value: float | None = None
    games: NonNegativeInt
    positions: NonNegativeInt


class ByTurn(Form):
    turns: list[int] = Field(min_length=1)
    mean: list[list[float]]  # side, turn
    quantiles: list[list[list[float]]]  # side, quantile, turn
    open: list[float]


class CourseLine(Form):
    what: str
    game: NonNegativeInt
    turns: list[int]
    chances: list[list[float]]  # side, turn
    replay: str


class Course(Form):
    cell: str
    sides: list[str] = Field(min_length=2)
    turn_name: str
    games: NonNegativeInt
    futures: NonNegativeInt
    figures: list[CourseFigure]
    calibration: list[CourseBin]
    by_turn: ByTurn
    lines: list[CourseLine]
    again: str

    @model_validator(mode="after")
    def _fits(self) -> Course:
        sides, turns = len(self.sides), len(self.by_turn.turns)
        tables = [(self.by_turn.mean, turns)] + [(line.chances, len(line.turns)) for line in self.lines]
        fits = all(len(table) == sides and all(len(row) == length for row in table) for table, length in tables)
        fans = self.by_turn.quantiles
        fits &= len(fans) == sides and all(len(fan) == 5 and all(len(row) == turns for row in fan) for fan in fans)
        if not fits:
            raise ValueError("a course has chances of each side at each turn")
        return self


class OpenInterval(Form):
    estimate: float
    low: float | None
    high: float | None


class InUse(Form):
    name: str
    help: str
    printed: int | None
    mean: float
    most: int
    enough: list[OpenInterval] = Field(min_length=4, max_length=4)
    short: Interval | None


class SeatTime(Form):
    seat: str
    own_minutes: Interval
    waiting: Interval
    longest_wait: Interval
    longest_wait_p95: OpenInterval
    after_last: Interval
    decisions: Interval
    options: Interval


class Table(Form):
    cell: str
    games: NonNegativeInt
    pace: str
    components: list[InUse]
    seats: list[SeatTime]
    sentences: list[str]
    again: str


class Studies(Form):
    luck: list[dict[str, Any]] = []  # simlab.questions.luck.analysis.StoredLuck
    skill: list[dict[str, Any]] = []  # StoredSkill
    course: list[Course] = []
    table: list[Table] = []
    telling: list[Telling] = []
    remedies: list[Remedies] = []
    bots: list[Bots] = []
