"""Checks of the conformance kit, and the first breach."""

from __future__ import annotations

from typing import Literal

from simlab.present.answer import Answer, Part


class PassedCheck(Part):
    """A check that passed. seat: None for all."""

    seat: str | None
    check: str


class Conformance(Answer, form="conformance", source="simlab dev check-game, check-bot and check-metric"):
    """Checks of a game, a second implementation of it, a bot or a metric.

    Attributes:
        name: name of what was checked. breach: the first breach, in words; None if all checks passed.
    """

    game: str
    checked: Literal["game", "twin", "bot", "metric"]
    name: str
    fine: bool
    breach: str | None
    checks: tuple[PassedCheck, ...]
