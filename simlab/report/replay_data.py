"""A replay as data, for `simlab replay --json`: frame by frame, and the ending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simlab.engine.outcome import won
from simlab.report.film import Choice, Frame, Move, frames
from simlab.report.replay import ending, side_by_side

if TYPE_CHECKING:
    from simlab.engine.setup import Setup
    from simlab.engine.stepper import Stepper
    from simlab.questions.choices.regret import Regret, Why


def game_data(
    stepper: Stepper, moves: Iterator[Choice] | None = None, seat: int | None = None, why: Why | None = None
) -> dict[str, Any]:
    """Plays a game to its end and returns all of it.

    Args:
        stepper: the game, at its beginning.
        moves: what is done, asked for one after the other; by default the bots decide. Where they end before the game
            does, so does the answer, and `end` is None.
        seat: whose eyes see it; None sees all. why: adds what each option of a decision was worth.
    Returns:
        JSON-able: which game it is, `set_up` (the first position), `frames` and `end`.
    Raises:
        RunFailed: a bot raises, or its choice is not legal.
    """
    told = list(frames(stepper, moves))
    return {
        **_which(stepper),
        "seen_by": None if seat is None else stepper.game.seats[seat],
        "set_up": {name: _plain(value) for name, value in told[0].position(seat).items()},
        "frames": [_frame(frame, seat, why) for frame in told],
        "end": end_data(stepper.match, stepper.row()) if stepper.over else None,
    }


def beside_data(one: Stepper, other: Stepper, changed: Mapping[str, str]) -> dict[str, Any]:
    """Plays two games with the same random draws and returns both, turn by turn.

    Args:
        changed: differences of the other game: knob, seat or table -> value, bot or file.
    """
    rows = side_by_side(one, other)
    return {
        **_which(one),
        "changed": dict(changed),
        "rows": [{"turn": turn, "differs": differs, "base": a, "beside": b} for turn, differs, a, b in rows],
        "base_end": end_data(one.match, one.row()),
        "beside_end": end_data(other.match, other.row()),
    }


def end_data(match: Setup, row: Mapping[str, Any]) -> dict[str, Any]:
    """How a game ended, by names.

    Args:
        row: as Stepper.row gives it.
    """
    game = match.game
    return {
        "winners": [seat for place, seat in enumerate(game.seats) if won(row, place)],
        "ending": game.endings[row["ending"]],
        "turns": row["turns"],
        "decisions": row["decisions"],
        "score": dict(zip(game.seats, row["score"], strict=False)) if game.has_scores else None,
        "categories": {
            category.name: {
                seat: category.values[code] for seat, code in zip(game.seats, row["category"][place], strict=False)
            }
            for place, category in enumerate(game.seat_categories)
        },
        "metrics": {
            metric.name: metric.value_text(value) if metric.codes else None if value == metric.never else value
            for metric in game.metrics
            for value in (row[metric.name],)
        },
        "sentences": [line.strip() for line in ending(match, row)],
    }


def _which(stepper: Stepper) -> dict[str, Any]:
    return {
        "game": stepper.game.slug,
        "seed": stepper.seed,
        "index": stepper.index,
        "turn_name": stepper.game.turn_name,
        "bots": {bot.seat: bot.text for bot in stepper.match.bots},
        "knobs": dict(stepper.match.knobs_resolved),
    }


def _frame(frame: Frame, seat: int | None, why: Why | None) -> dict[str, Any]:
    hidden = frame.hidden_from(seat)
    return {
        "number": frame.number,
        "turn": frame.turn,
        "phase": frame.part,
        "move": _move(frame.move, frame.before, hidden, why) if frame.move and frame.before else None,
        "asides": [] if hidden else [*frame.asides, *frame.rolls],
        "changes": [{"what": what, "change": change} for what, change in frame.changes(seat)],
        "rules": [] if hidden else [{"id": rule.id, "times": times} for rule, times in frame.fired],
    }


def _move(move: Move, before: Frame, hidden: bool, why: Why | None) -> dict[str, Any]:
    worth = why(before.at, move.action) if why and not hidden else None
    return {
        "decision_number": before.at.decisions + 1,
        "turn": move.turn,
        "seat": move.seat,
        "decision": move.decision.name,
        "action": None if hidden else move.label,
        "code": None if hidden else move.action,
        "options": None if hidden else len(before.at.copy().legal()),
        "instead": None if hidden else move.instead or None,
        "comment": move.comment,
        "worth": worth and _worth(worth, before.at),
    }


def _worth(regret: Regret, at: Stepper) -> dict[str, Any]:
    return {
        "futures": regret.futures,
        "options": [
            {
                "action": at.label(one.action), "code": one.action, "value": one.value,
                "gain": one.gain and [one.gain.value, one.gain.low, one.gain.high],
            }
            for one in regret.options
        ],
        "gives_up": [regret.gives_up.value, regret.gives_up.low, regret.gives_up.high],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
