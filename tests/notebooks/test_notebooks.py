"""The notebooks run from top to bottom, in a folder of their own, and are committed without output."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(BOOKS) >= 2


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent))
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs), "no figure was drawn"
    assert not any(output.get("name") == "stderr" and "Warning" in output.get("text", "") for output in outputs)


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_without_output(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
