"""Contracts as tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Badge, Block, Column, Section, Table, attributes
from simlab.present.estimate import plain
from simlab.questions.contract.analysis import ContractClause, ContractLine, RunContract
from simlab.runs.view import MOST_ROWS
from simlab.stats.verdict import BROKEN, MET, Word

TITLE = "Contract, cell by cell"
CHAPTER, RANK = "Who wins", 1


def summary(answer: RunContract) -> Table[ContractClause]:
    columns = (
        Column[ContractClause]("verdict", lambda clause: badge(clause.verdict)),
        *attributes("contract (pre-specified)=sentence"),
    )
    return Table(answer.clauses, columns, sentence(answer))


def sentence(answer: RunContract) -> str:
    if answer.verdict == MET:
        return "The contract is met."
    if answer.verdict == BROKEN:
        broken = sum(clause.verdict == BROKEN for clause in answer.clauses)
        return f"The contract is broken in {broken} of {len(answer.clauses)} lines."
    return "Inconclusive: more games are needed to judge the contract."


def page_blocks(answer: RunContract) -> Iterator[Block]:
    """The cells of each line, if there are several."""
    several = [clause for clause in answer.clauses if len(clause.lines) > 1]
    for place, clause in enumerate(several):
        yield Section(f"contract-{place}", plain(clause.statistic, 60), (_cells(clause),), folded=True)


def blocks(answer: RunContract) -> Iterator[Block]:
    yield summary(answer)
    if cells := tuple(page_blocks(answer)):
        yield Section("contract", TITLE, cells)


def _cells(clause: ContractClause) -> Table[ContractLine]:
    columns = (
        *attributes("cell", f"{clause.statistic}=estimate"),
        Column[ContractLine]("verdict", lambda line: badge(line.verdict)),
        *attributes("games to decide=more_games"),
    )
    left = len(clause.lines) - MOST_ROWS
    return Table(clause.lines[:MOST_ROWS], columns, note=f"{left:,} more cells are left out." if left > 0 else "")


def badge(verdict: Word) -> Badge:
    return Badge(verdict, {MET: "met", BROKEN: "broken"}.get(verdict, "cannot"))
