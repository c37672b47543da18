"""The player counts of a run compared. Seats have different fair shares at each player count, so nothing is pooled."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Number, Part, Rate
from simlab.questions.bots.analysis import BotsAnswer
from simlab.questions.bots.analysis import of_run as bots_of
from simlab.questions.fair_settings.analysis import FairSettings
from simlab.questions.fair_settings.analysis import of_run as fair_settings_of
from simlab.questions.headline.analysis import of_run as headline_of
from simlab.questions.knob_effects.analysis import KnobEffects
from simlab.questions.knob_effects.analysis import of_run as knob_effects_of
from simlab.questions.ladder.analysis import Ladder, climb, is_ladder
from simlab.questions.sensitivity.analysis import Sensitivity
from simlab.questions.sensitivity.analysis import of_run as sensitivity_of
from simlab.questions.single_changes.analysis import SingleChanges
from simlab.questions.single_changes.analysis import of_run as single_changes_of
from simlab.runs.results import Results
from simlab.runs.view import View, view_of


class PlayerCount(Part):
    """One player count of a run that has several.

    Attributes:
        win_rate: of each seat, or of the only side if its seats win only together. fair_share: win rate of each seat
            if all won equally often. verdict: who is favoured, in a sentence.
        The other attributes are those of RunAnswer.
    """

    players: int
    games: int
    win_rate: dict[str, Rate]
    fair_share: float
    mean_length: Number
    verdict: str
    single_changes: SingleChanges | None = None
    fair_settings: FairSettings | None = None
    sensitivity: Sensitivity | None = None
    knob_effects: KnobEffects | None = None
    bots: BotsAnswer | None = None
    ladder: Ladder | None = None


def parts_of(view: View) -> dict[str, Any]:
    """Answers about a run's cells of one player count, as attributes of RunAnswer and PlayerCount."""
    if is_ladder(view):
        return {"ladder": climb(view)}
    return {
        "single_changes": single_changes_of(view), "bots": bots_of(view) if "tournament" in view.config else None,
        "fair_settings": fair_settings_of(view), "sensitivity": sensitivity_of(view),
        "knob_effects": knob_effects_of(view),
    }  # fmt: skip


def lines(results: Results, parts: bool = False) -> list[PlayerCount]:
    """One row per player count, the fewest players first. parts: whether to include `parts_of`.

    Raises:
        InputError: no game was played at one of them.
    """
    return [
        PlayerCount(
            players=len(view.seats), games=view.games, fair_share=view.fair_share, mean_length=view.all.mean_length(),
            win_rate=_win_rates(view),
            verdict=headline_of(view).verdict.headline, **(parts_of(view) if parts else {}),
        )
        for view in map(view_of, results.tables)
    ]  # fmt: skip


def _win_rates(view: View) -> dict[str, Rate]:
    if view.has_sides and len(view.sides) == 1 and view.first_winner == view.sides[0][0]:
        return {view.first_winner: view.all.side_rate(0)}
    return {name: view.all.win_rate(seat) for seat, name in enumerate(view.seats)}
