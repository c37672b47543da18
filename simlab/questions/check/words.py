"""Checks in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from simlab.present.blocks import Block, Column, Command, Paragraph, Table, attributes
from simlab.present.estimate import beside
from simlab.questions.check.analysis import ORDER, CellCheck, Check, CheckedChange, ContractVerdict, WrittenBaseline
from simlab.stats.verdict import UNDECIDED
from simlab.words import counted, first_of, two_digits

_MOST_KNOBS = 20  # that are listed
_MOST_NAMES = 6


def blocks(answer: ContractVerdict | Check | WrittenBaseline) -> Iterator[Block]:
    """The answers of `simlab check`."""
    if isinstance(answer, ContractVerdict):
        yield from map(Paragraph, _contract(answer))
    elif isinstance(answer, Check):
        yield from _check(answer)
    else:
        size = f"{counted(answer.games, 'game')} in {counted(answer.cells, 'cell')}, {answer.bytes / 1000:,.0f} kB"
        yield Paragraph(f"{answer.baseline}: a baseline of {size}.")
        yield Command("Compare with", answer.compare)


# --- The contract -------------------------------------------------------------


def _contract(answer: ContractVerdict) -> Iterator[str]:
    several = len({line.cell for line in answer.lines}) > 1
    each = " per cell" if several else ""
    yield f"The contract of {answer.experiment}: {answer.verdict}."
    for line in answer.lines:
        yield f"  {line.cell}: {line.sentence}" if several else f"  {line.sentence}"
    if answer.truncated:
        yield f"TRUNCATED GAMES: {answer.truncated}"
    most = max(line.games for line in answer.lines)
    if answer.verdict == UNDECIDED:
        needed = max((line.more_games or 0 for line in answer.lines), default=0)
        enough = max(2 * answer.budget, two_digits(answer.budget + needed, up=True))
        yield f"All {counted(answer.budget, 'game')}{each} were played. To add games to these: -n {enough}."
    elif most < answer.budget:
        yield f"Decided after {most:,} of at most {counted(answer.budget, 'game')}{each}."
    yield f"The intervals hold jointly ({100 * answer.level:g} %), at any number of games and however often you look."


# --- A baseline ---------------------------------------------------------------


def _check(answer: Check) -> Iterator[Block]:
    yield Paragraph(sentence(answer), "lead")
    if not answer.same_rules:
        effect = "no game is affected" if answer.verdict == "identical" else "that may be the cause"
        yield Paragraph(f"Code or tables have changed since the baseline was written (their digests differ); {effect}.")
    knobs = {(name, *pair) for cell in answer.cells for name, pair in cell.knobs.items()}
    if knobs and len(knobs) <= _MOST_KNOBS:
        pairs = ", ".join(f"{name} {then} → {now}" for name, then, now in sorted(knobs, key=str))
        yield Paragraph(f"Knobs that differ: {pairs}")
    if answer.new_cells:
        new = counted(len(answer.new_cells), "cell")
        yield Paragraph(f"Not compared, because the baseline lacks them: {new}, the first '{answer.new_cells[0]}'.")
    unknown = sorted({name for cell in answer.cells for name in cell.not_compared})
    if unknown:
        yield Paragraph(f"Not compared, because the baseline or the game lacks them: {', '.join(unknown)}.")
    rows = [_Row(cell, change) for cell in answer.cells for change in cell.changes]
    if rows:
        yield _changes(rows)
        yield Paragraph(
            "Intervals are paired, on the same games, and hold for all statistics jointly "
            f"({100 * answer.level:g} %), at any number of games and however often you look. Intervals of means "
            "assume that no game changes by more than the largest change observed here or, if few games changed, "
            "by more than the largest difference between games of the two sides.",
            "note",
        )
        first = next(cell for cell in answer.cells if cell.replay)
        yield Command(f"The first game that differs ({first.label})", first.replay)


class _Row(NamedTuple):
    cell: CellCheck
    change: CheckedChange


def _changes(rows: Sequence[_Row]) -> Table[_Row]:
    """Statistics, the worst verdicts first."""
    return Table(
        sorted(rows, key=lambda row: ORDER.index((row.change.verdict, row.change.direction))),
        (
            *attributes("cell=cell.label", "games that differ=cell.differ", "statistic=change.statistic"),
            Column[_Row]("before", lambda row: beside(row.change.before, row.change.difference)),
            Column[_Row]("after", lambda row: beside(row.change.after, row.change.difference)),
            *attributes("difference=change.difference"),
            Column[_Row]("verdict", lambda row: ": ".join(filter(None, (row.change.verdict, row.change.direction)))),
        ),
    )


def sentence(answer: Check) -> str:
    """The verdict."""
    games, bound = counted(answer.games, "game"), f"{100 * answer.tolerance:g} %"
    summary = f"{answer.differ:,} of {games} differ"
    columns = sorted({name for cell in answer.cells for name in cell.columns})
    if answer.verdict == "identical":
        return f"identical: 0 of {games} differ."
    if not {"winner", "winners", "ending", "turns"} & set(columns):
        summary += f", none in winner, ending or length, only in {first_of(columns, _MOST_NAMES)}"
    if answer.verdict == "changed":
        return {
            "worse": f"changed for the worse: {summary}; a statistic moved by over {bound}, away from the contract.",
            "better": f"changed for the better: {summary}; the win rates, lengths, scores and statistics of the "
            f"contract that moved by more than {bound} moved towards the contract.",
            None: f"changed: {summary}; a statistic moved by more than {bound}.",
        }[answer.direction]
    if answer.verdict == "no detectable change":
        return f"no detectable change: {summary}; no statistic moved by more than {bound}."
    still = [c for cell in answer.cells for c in cell.changes if c.verdict == "inconclusive"]
    names = list(dict.fromkeys(change.statistic for change in still))
    which = names[0] if len(names) == 1 else f"{len(names)} statistics, among them {names[0]},"
    more = max((change.more_games or 0 for change in still), default=0)
    enough = f" About {more:,} more games per cell in the baseline would decide it if the estimates are right."
    text = f"inconclusive: {summary}; too few games to decide whether {which} moved by more than {bound}."
    return text + enough if more else text
