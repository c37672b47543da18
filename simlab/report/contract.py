"""The experiment's contract: what was wanted, judged by what was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simlab.present.estimate import LEVEL
from simlab.report import tables
from simlab.results.view import MOST_ROWS, View, view_of
from simlab.stats.verdict import BROKEN, MET, UNDECIDED, Clause, judge, overall

if TYPE_CHECKING:
    from rich.table import Table


def contract(view: View) -> list[Clause]:
    """The experiment's contract against all its cells; nothing where it has none.

    Raises:
        InputError: the contract names what the game does not have, as in a damaged folder.
    """
    if not view.contract:
        return []
    cells = [(view.cell_label(cell), cell.tally) for cell in view.cells]
    return judge(view.contract, cells, view.figures, LEVEL)


def contract_sentence(clauses: Sequence[Clause]) -> str:
    """The contract as a whole."""
    word = overall(clauses)
    if word == MET:
        return "The contract is met."
    if word == BROKEN:
        broken = sum(clause.verdict == BROKEN for clause in clauses)
        return f"The contract is broken in {broken} of {len(clauses)} lines."
    return "Whether the contract is met cannot be told yet."


def verdict_word(clause: Clause) -> str:
    """A word that a stylesheet can colour."""
    return {MET: "met", BROKEN: "broken", UNDECIDED: "undecided"}[clause.verdict]


def table(results: Any) -> Table | None:
    """The contract's lines with their verdicts; None where the experiment has none."""
    from rich.text import Text

    view = view_of(results)
    clauses = contract(view)
    if not clauses:
        return None
    made = tables.table(contract_sentence(clauses))
    made.add_column("verdict", no_wrap=True)
    made.add_column("contract", overflow="fold")
    colors = {"met": "green", "broken": "red", "undecided": "yellow"}
    for clause in clauses:
        made.add_row(Text(clause.verdict, style=colors[verdict_word(clause)]), Text(tables.typed(clause.sentence)))
    return made


def section(clauses: Sequence[Clause]) -> list[dict[str, Any]]:
    rows = []
    for clause in clauses:
        lines = [
            {
                "where": line.where,
                "word": line.verdict,
                "kind": line.verdict.split()[0],
                "value": line.number(line.estimate),
                "ends": line.ends,
                "more": f"{line.more_games:,}" if line.more_games is not None else "",
            }
            for line in clause.lines[:MOST_ROWS]
        ]
        rows.append(
            {
                "sentence": clause.sentence,
                "word": clause.verdict,
                "kind": clause.verdict.split()[0],
                "name": clause.name,
                "lines": lines if len(clause.lines) > 1 else [],
                "left_out": max(len(clause.lines) - MOST_ROWS, 0),
            }
        )
    return rows
