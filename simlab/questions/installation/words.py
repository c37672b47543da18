"""The installation as a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Badge, Block, Column, Table, attributes
from simlab.questions.installation.analysis import Doctor, InstallationCheck


def blocks(answer: Doctor) -> Iterator[Block]:
    fine, problem = Badge("", "met"), Badge("PROBLEM", "broken")
    column = Column[InstallationCheck]("", lambda check: fine if check.fine else problem)
    yield Table(answer.checks, (*attributes("what", "found"), column))
