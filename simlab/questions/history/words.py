"""The runs of a folder in a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.questions.history.analysis import History, PastRun

_WINS = "Wins: estimated win rate of the first seat, or the lowest and the highest over the cells; no intervals."
_EFFECT = (
    " Effect: change of the first seat's win rate since the previous run of the same game with the same cells, on the "
    "same seeds if both runs used them. Each 95 % interval holds on its own."
)


def blocks(answer: History) -> Iterator[Block]:
    if answer.runs:
        yield Table(
            answer.runs,
            (
                Column[PastRun]("when (UTC)", lambda run: run.started[:16].replace("T", " ")),
                Column[PastRun]("run", lambda run: run.folder + (f" ({run.status})" * (run.status != "complete"))),
                Column[PastRun]("changed; varied", _changes),
                *attributes("games"),
                Column[PastRun]("wins", _wins),
                *attributes("effect, points=effect", "contract"),
                Column[PastRun](
                    "expected; noted", lambda run: "; ".join(filter(None, (run.hypothesis or run.question, run.notes)))
                ),
            ),
            note=_WINS + (_EFFECT if any(run.effect for run in answer.runs) else ""),
            most=1_000,
        )
    else:
        yield Paragraph(f"{answer.folder}: contains no runs.")
    for reason in answer.unread:
        yield Paragraph(f"Not read: {reason}", "warning")


def _changes(run: PastRun) -> str:
    changed = [f"{name} {before} → {after}" for name, (before, after) in run.changed.items()]
    return "; ".join([*changed, *(f"{name}: {values}" for name, values in run.varied.items())])


def _wins(run: PastRun) -> str:
    if run.low is None or run.high is None:
        return ""
    return f"{run.seat} {100 * run.low:.1f} %" + (f" to {100 * run.high:.1f} %" if run.high > run.low else "")
