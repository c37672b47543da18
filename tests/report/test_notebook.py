"""A notebook of untrusted results: their names are data in it, never code."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from simlab.report.notebook import cells, write
from simlab.runs.view import View
from tests.report import fake

EVIL = 'x");__import__("os").system("touch ran")#'


@pytest.fixture
def hostile():
    made = fake.results(hostile=True, knobs={EVIL: [1, 2]}, scores=True)
    made.manifest["names"]["metrics"] = [
        {"name": EVIL, "help": EVIL, "kind": "number"}, {"name": "cards\\", "help": "", "kind": "number"},
    ]  # fmt: skip
    for cell in made.cells:
        cell.names = SimpleNamespace(seat_categories=())
        cell.tally.metrics[EVIL] = cell.tally.metrics["cards"]
    made.sizes, made.tables = (2,), [made]
    return made


def test_names_of_a_stranger_are_never_code(hostile, tmp_path: Path) -> None:
    assert EVIL in View(hostile).varied, "the hostile names reach the notebook"
    calls: set[str] = set()
    for kind, text in cells(hostile):
        if kind == "code":
            tree = ast.parse(text)
            calls |= {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
            assert "system" not in {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        else:
            shown = re.sub(r"``.*?``", "", text, flags=re.DOTALL)  # in code, HTML is text
            assert "<script" not in shown.replace(r"\<script", "")
    write(hostile, tmp_path / "book.ipynb")
    assert json.loads((tmp_path / "book.ipynb").read_text(encoding="utf-8"))["nbformat"] == 4
    assert all(call.startswith(("run.", "simlab.load", "knob_curve")) for call in calls), calls
