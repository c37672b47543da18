"""The contract of an experiment, judged by the games of a run."""

from __future__ import annotations

from typing import Any

from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import LEVEL, Estimate
from simlab.runs.view import view_of
from simlab.stats.verdict import Clause, Word, judge, overall


class ContractLine(Part):
    """A statistic of the contract in a cell.

    Attributes:
        more_games: number of further games that would decide it; None if it is decided, or if no number would.
    """

    statistic: str
    cell: str
    games: int
    estimate: Number
    wanted: str
    verdict: Word
    more_games: int | None
    sentence: str


class ContractClause(Part):
    """A statistic of the contract in all cells."""

    statistic: str
    verdict: Word
    sentence: str
    lines: tuple[ContractLine, ...]


class RunContract(Answer, form="contract"):
    verdict: Word
    clauses: tuple[ContractClause, ...]


def of_run(results: Any) -> RunContract | None:
    """The contract of a run; None if its experiment has none.

    Raises:
        InputError: the contract names a statistic that the game does not have, as in a damaged folder.
    """
    view = view_of(results)
    if not view.contract:
        return None
    cells = [(view.cell_label(cell), cell.tally) for cell in view.cells]
    clauses = judge(view.contract, cells, view.figures, LEVEL)
    made = tuple(ContractClause.from_attributes(one, statistic=one.figure.name, lines=lines_of(one)) for one in clauses)
    return RunContract(verdict=overall(clauses), clauses=made)


def lines_of(clause: Clause) -> tuple[ContractLine, ...]:
    """A clause cell by cell."""
    return tuple(
        ContractLine.from_attributes(
            line, statistic=line.figure.name, cell=line.where,
            estimate=Estimate(line.estimate, line.low, line.high, line.figure.is_rate),
        )
        for line in clause.lines
    )  # fmt: skip
