"""The measurements as one table; the comparison with an earlier build as one sentence."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.questions.speed.analysis import Speed
from simlab.questions.speed.earlier_build import Change, SpeedChange
from simlab.questions.speed.timing import Line


def blocks(answer: Speed | SpeedChange) -> Iterator[Block]:
    if isinstance(answer, SpeedChange):
        yield from _changes(answer)
        return
    yield Paragraph(answer.machine)
    if answer.lines:
        yield Table(
            answer.lines,
            (*attributes("game", "part", "measured=what", "bots"), Column[Line]("value", _value),
             *attributes("compared with=compared_with", "ratio")),
            f"medians of {answer.repetitions} repetitions, each on one core; games of a repetition: "
            + ", ".join(f"{game} {games:,}" for game, games in answer.games.items()),
            most=200,
        )  # fmt: skip
    for part, why in answer.left_out.items():
        yield Paragraph(f"{part}: not measured, {why}.")


def _changes(answer: SpeedChange) -> Iterator[Block]:
    if answer.changes:
        yield Table(
            answer.changes,
            (*attributes("game", "measured=what", "bots"),
             Column[Change]("games/s here", lambda change: round(change.games_per_second)),
             Column[Change]("and there", lambda change: round(change.games_per_second_then)),
             Column[Change]("time", _more), *attributes("verdict")),
            f"time of a game against {answer.against} ({(answer.commit or '')[:10]}), in turns, on one core",
            most=200,
        )  # fmt: skip
    for work, why in answer.left_out.items():
        yield Paragraph(f"{work}: nothing to compare with: {why}.")


def _more(change: Change) -> str:
    low, value, high = (
        100 * (one - 1) for one in (change.time_ratio.low, change.time_ratio.value, change.time_ratio.high)
    )
    return f"{value:+.1f} % ({low:+.1f} to {high:+.1f})"


def _value(line: Line) -> str:
    if line.value is None:
        return ""
    digits = 0 if line.value >= 1000 else 1 if line.value >= 10 else 2
    return f"{line.value:,.{digits}f} {line.unit}".rstrip()
