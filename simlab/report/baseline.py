"""What a comparison with a baseline says: sentences, and a table of the figures that moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simlab.studies.baseline import WORST
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.studies.baseline import Change, Check

COLUMNS = ["cell", "games that differ", "figure", "before", "after", "difference", "interval", "verdict"]
_MOST_KNOBS = 20  # that are listed


def summary(check: Check) -> Iterator[str]:
    """The verdict, and what else differs between then and now."""
    yield check.sentence
    if not check.same_rules:
        moved = "no game shows it" if check.verdict == "identical" else "that may be why"
        yield f"Code or tables changed since the baseline was written (their digests differ); {moved}."
    knobs = {(name, *pair) for cell in check.cells for name, pair in cell.knobs.items()}
    if knobs and len(knobs) <= _MOST_KNOBS:
        pairs = (f"{name} {then} -> {now}" for name, then, now in sorted(knobs, key=str))
        yield f"Knobs that differ: {', '.join(pairs)}"
    if check.new:
        new = counted(len(check.new), "cell")
        yield f"Not compared, since the baseline has not got them: {new}, the first '{check.new[0]}'."
    unknown = sorted({name for cell in check.cells for name in cell.unknown})
    if unknown:
        yield f"Not compared, since the baseline or the game has not got them: {', '.join(unknown)}."


def changed_figures(check: Check) -> list[list[str]]:
    """Rows of COLUMNS, the worst verdicts first."""
    lines = [(cell, change) for cell in check.cells for change in cell.changes]
    lines.sort(key=lambda line: WORST.index(line[1].verdict))
    return [[cell.label, f"{cell.differ:,} of {cell.games:,}", *_numbers(change)] for cell, change in lines]


def basis(check: Check) -> Iterator[str]:
    """What the intervals of the table rest on, and a game to look at."""
    yield (
        f"Intervals are paired, on the same games, and hold for all figures at once ({100 * check.level:g} %), however "
        "often one looks. Those of means assume that no game changes by more than the games that changed, or where few "
        "did, than games of either side lie apart."
    )
    first = next((cell for cell in check.cells if cell.replay), None)
    if first is not None:
        yield f"The first game that differs ({first.label}): {first.replay}"


def _numbers(change: Change) -> list[str]:
    paired, rate = change.paired, change.is_rate
    scale, unit = (100.0, " %") if rate else (1.0, "")
    ends = f"{scale * paired.low:+.2f} to {scale * paired.high:+.2f}"
    return [
        change.figure, f"{scale * paired.mean_a:.2f}{unit}", f"{scale * paired.mean_b:.2f}{unit}",
        f"{scale * paired.difference:+.2f}", ends, change.verdict,
    ]  # fmt: skip
