"""The plan of a run in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Paragraph
from simlab.present.text import duration
from simlab.questions.run_plan.analysis import Plan
from simlab.words import counted


def blocks(answer: Plan) -> Iterator[Block]:
    left = answer.games - answer.done
    if not left:
        yield Paragraph(
            f"All {answer.games:,} games of {counted(answer.cells, 'cell')} are in {answer.folder} already: nothing is "
            "left to play. Without --plan the run prints its results.",
            "lead",
        )
        return
    up_to = "up to " if answer.at_most else ""
    done = f", of which {answer.done:,} are in {answer.folder} already" if answer.done else ""
    yield Paragraph(f"Games: {up_to}{answer.games:,} in {counted(answer.cells, 'cell')}{done}.", "lead")
    yield Paragraph(
        f"Time: about {duration(answer.seconds)} for {up_to}{left:,} games with {counted(answer.workers, 'worker')}, "
        f"{answer.per_second:,.0f} games per second each. Compiling is done."
    )
    kept = "one row per game" if answer.rows else "counts only, no rows"
    yield Paragraph(f"Disk space: about {_size(answer.disk)} in {answer.folder} ({kept}).")
    paired = ""
    if answer.paired is not None:
        paired = f"; with common random numbers about {_points(answer.paired)}, as estimated from the sample"
    family = f" Adjusted for {answer.family:,} changes that are judged together." if answer.family > 1 else ""
    yield Paragraph(
        f"Detectable change of the win rate between two cells: about {_points(answer.change)} (80 % power, independent "
        f"seeds){paired}.{family}"
    )
    yield Paragraph("Only a sample was played and nothing was written. Without --plan the run begins.", "note")


def _points(change: float) -> str:
    return f"{100 * change:.{1 if change >= 0.001 else 2}f} points"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1_000:
            return f"{size:,.{1 if unit == 'MB' else 0}f} {unit}"
        size /= 1_000
    return f"{size:,.1f} GB"
