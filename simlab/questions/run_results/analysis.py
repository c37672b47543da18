"""The results of a run: every cell's rates and spreads, and the answers that are based on them."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Answer, Part, Rate
from simlab.questions.bots.analysis import BotsAnswer
from simlab.questions.fair_settings.analysis import FairSettings
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.headline.verdict import Verdict
from simlab.questions.knob_effects.analysis import KnobEffects
from simlab.questions.ladder.analysis import Ladder
from simlab.questions.player_counts.analysis import PlayerCount, lines, parts_of
from simlab.questions.sensitivity.analysis import Sensitivity
from simlab.questions.single_changes.analysis import SingleChanges
from simlab.runs.results import Results
from simlab.runs.view import view_of

Ends = tuple[float | None, float | None]


class Spread(Part):
    """Mean and quantiles of a number. intervals: name of the mean or quantile -> the ends of its 95 % interval."""

    mean: float | None
    p5: float | None
    p50: float | None
    p95: float | None
    intervals: dict[str, Ends]


class Event(Spread):
    """A number that not every game has. share: share of the games that have it; the spread covers only these games."""

    share: Rate


class Category(Part):
    """A metric with named values. shares: value -> share of the games."""

    shares: dict[str, Rate]


class CategoryRate(Part):
    """Win rate of the seats with a certain role, start place or other category.

    Attributes:
        seats: number of seats with the category's value. wins: number of these seats that won. fair: win rate of an
            average seat.
    """

    seats: float
    wins: float
    estimate: float
    low: float
    high: float
    fair: float


class CellSummary(Part):
    """The games at one setting with one line-up.

    Attributes:
        cut_off: number of truncated games, which are not counted in `games`.
        win_rate: seat -> share of the games that it won, alone or with others. win_share: shared wins
            in equal parts (simlab.engine.payoff).
    """

    knobs: dict[str, bool | int | float | str]
    bots: dict[str, str]
    games: int
    cut_off: int
    win_rate: dict[str, Rate]
    win_share: dict[str, Rate]
    endings: dict[str, Rate]
    turns: Spread
    metrics: dict[str, Event | Spread | Category]
    seat_categories: dict[str, dict[str, CategoryRate]] | None = None


class RunAnswer(Answer, form="run", version=4, source="simlab run, sweep and compare"):
    """Answer of `simlab run`, `sweep` and `compare`.

    Attributes:
        verdict: who is favoured; None for several player counts, each of which has a verdict in `tables`. missing:
            games that are missing from the run.
        single_changes: single changes of one knob each. fair_settings, sensitivity, knob_effects: effects of knobs.
            bots: the bots compared. ladder: the skill ladder. Each is None if the run has no such answer.
        tables: one entry per player count, if there are several.
    """

    game: str
    cells: tuple[CellSummary, ...]
    games_per_second: float
    folder: str
    partial: bool
    missing: tuple[dict[str, Any], ...] = ()
    verdict: Verdict | None = None
    single_changes: SingleChanges | None = None
    fair_settings: FairSettings | None = None
    sensitivity: Sensitivity | None = None
    knob_effects: KnobEffects | None = None
    bots: BotsAnswer | None = None
    ladder: Ladder | None = None
    tables: tuple[PlayerCount, ...] = ()


def of(results: Results) -> RunAnswer:
    if len(results.sizes) > 1:
        found: dict[str, Any] = {"tables": lines(results, parts=True)}
    else:
        view = view_of(results)
        found = {"verdict": headline_of(view).verdict, **parts_of(view)}
    return RunAnswer.model_validate({**results.summary(), **found})
