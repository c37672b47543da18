"""The installation as a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Badge, Block, Column, Table, attributes
from simlab.questions.installation.analysis import Doctor, InstallationCheck


def blocks(answer: Doctor) -> Iterator[Block]:
    def problem(check: InstallationCheck) -> Badge:
        return Badge("" if check.fine else "PROBLEM", "met" if check.fine else "broken")

    yield Table(answer.checks, (*attributes("what", "found"), Column("", problem)))
