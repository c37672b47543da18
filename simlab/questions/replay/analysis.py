"""A game as data for `simlab replay --json`: its frames, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from simlab.engine.outcome import won
from simlab.engine.setup import Setup
from simlab.present.answer import Answer, Part
from simlab.questions.choices.regret import Regret, Why
from simlab.questions.replay.film import Film, Frame, Move
from simlab.questions.replay.narrative import Row, ending, side_by_side


class Ending(Part):
    """How a game ended, by names.

    Attributes:
        score: score of each seat; None if the game has no scores. categories: name -> seat -> value.
        metrics: name -> value; None for an event that did not happen. sentences: the whole ending in words.
    """

    winners: tuple[str, ...]
    ending: str
    turns: int
    decisions: int
    score: dict[str, int] | None
    categories: dict[str, dict[str, str]]
    metrics: dict[str, int | str | None]
    sentences: tuple[str, ...]


class DecisionRecord(Part):
    """A decision that was made. A value that is hidden from the viewing seat is None.

    Attributes:
        decision_number: counts from 1. code: code of the action. options: number of legal actions.
        instead: the bot's choice, if a person chose. comment: comment of a scenario.
    """

    decision_number: int
    turn: int
    seat: str
    decision: str
    action: str | None
    code: int | None
    options: int | None
    instead: str | None
    comment: str
    worth: Regret | None = None


class FieldChange(Part):
    """A difference from the previous position."""

    what: str
    change: str


class FiredRule(Part):
    """A rule that fired. id: its ID in the ledger."""

    id: str
    times: int


class Position(Part):
    """A frame of a game, and what led to it.

    Attributes:
        phase: name of the phase, or "". move: the decision; None for the set-up and for a phase without one.
        asides: checks, rolls and their results, in the game's words.
    """

    number: int
    turn: int
    phase: str
    move: DecisionRecord | None
    asides: tuple[str, ...]
    changes: tuple[FieldChange, ...]
    rules: tuple[FiredRule, ...]


class Difference(Part):
    """A column of a stored row whose value now differs."""

    stored: Any
    now: Any


class ScenarioNote(Part):
    """The contents of a scenario's file, and how many of its expectations held."""

    title: str
    source: str
    comment: str
    expectations_held: int


class _Game(Answer):
    """Identifies the game. turn_name: the game's word for a turn. knobs: all knobs."""

    game: str
    seed: int
    index: int
    turn_name: str
    bots: dict[str, str]
    knobs: dict[str, bool | int | float | str]


class Replay(_Game, form="replay", source="simlab replay GAME"):
    """A game.

    Attributes:
        seen_by: the viewing seat; None sees all. set_up: the first position.
        end: the ending; None if a scenario stops before it.
        differs: column -> stored value and current value, if a stored game now plays differently.
    """

    seen_by: str | None
    set_up: dict[str, str | list[str]]
    frames: tuple[Position, ...]
    end: Ending | None
    differs: dict[str, Difference] = Field(default_factory=dict)
    scenario: ScenarioNote | None = None


class ReplayBeside(_Game, form="replay-beside", source="simlab replay GAME --beside"):
    """Two games with the same random draws. changed: knob, seat or table -> value, bot or file of the other game."""

    changed: dict[str, str]
    rows: tuple[Row, ...]
    base_end: Ending
    beside_end: Ending


def replay(film: Film, seat: int | None = None, why: Why | None = None) -> Replay:
    """Plays a game to its end; arguments and errors as simlab.questions.replay.narrative.game_lines."""
    return Replay(
        **_which(film), seen_by=None if seat is None else film.match.game.seats[seat],
        set_up={n: v if isinstance(v, str) else list(v) for n, v in film[0].position(seat).items()},
        frames=tuple(_position(frame, seat, why) for frame in film),
        end=end_of(film.match, film.end.row()) if film.end.over else None,
    )  # fmt: skip


def replay_beside(one: Film, other: Film, changed: Mapping[str, str]) -> ReplayBeside:
    """Plays two games with the same random draws. changed: as in ReplayBeside."""
    base_end, beside_end = (end_of(film.match, film.end.row()) for film in (one, other))
    return ReplayBeside(
        **_which(one), changed=dict(changed), rows=side_by_side(one, other), base_end=base_end, beside_end=beside_end
    )


def end_of(match: Setup, row: Mapping[str, Any]) -> Ending:
    """How a game ended. row: as Stepper.row gives it."""
    game = match.game
    return Ending(
        winners=tuple(seat for place, seat in enumerate(game.seats) if won(row, place)),
        ending=game.endings[row["ending"]], turns=row["turns"], decisions=row["decisions"],
        score=dict(zip(game.seats, row["score"], strict=False)) if game.has_scores else None,
        categories={
            category.name: {
                seat: category.values[code] for seat, code in zip(game.seats, row["category"][place], strict=False)
            }
            for place, category in enumerate(game.seat_categories)
        },
        metrics={
            metric.name: metric.value_text(value) if metric.codes else None if value == metric.never else value
            for metric in game.metrics
            for value in (row[metric.name],)
        },
        sentences=tuple(line.strip() for line in ending(match, row)),
    )  # fmt: skip


def _which(film: Film) -> dict[str, Any]:
    match = film.match
    return {
        "game": match.game.slug, "seed": film.seed, "index": film.index, "turn_name": match.game.turn_name,
        "bots": {bot.seat: bot.text for bot in match.bots}, "knobs": dict(match.knobs_resolved),
    }  # fmt: skip


def _position(frame: Frame, seat: int | None, why: Why | None) -> Position:
    hidden = frame.hidden_from(seat)
    return Position(
        number=frame.number, turn=frame.turn, phase=frame.part,
        move=_taken(frame.move, frame.before, hidden, why) if frame.move and frame.before else None,
        asides=() if hidden else (*frame.asides, *frame.rolls),
        changes=tuple(FieldChange(what=what, change=change) for what, change in frame.changes(seat)),
        rules=() if hidden else tuple(FiredRule(id=rule.id, times=times) for rule, times in frame.fired),
    )  # fmt: skip


def _taken(move: Move, before: Frame, hidden: bool, why: Why | None) -> DecisionRecord:
    return DecisionRecord(
        decision_number=before.at.decisions + 1, turn=move.turn, seat=move.seat, decision=move.decision.name,
        action=None if hidden else move.label, code=None if hidden else move.action,
        options=None if hidden else len(before.at.copy().legal()), instead=None if hidden else move.instead or None,
        comment=move.comment, worth=why(before.at, move.action) if why and not hidden else None,
    )  # fmt: skip
