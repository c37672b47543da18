"""The notebooks run from top to bottom, in a folder of their own, and are committed without output."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import simlab
from simlab.errors import UserMistake

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


PAIRS = {"besieger": ["rusher", "stormer"], "besieged": ["mason", "cook"]}
DYKE = FOLDER.parent / "tests" / "games_of_many" / "dyke"


def played(what: str, folder: Path) -> None:
    if what == "sweep":
        simlab.sweep("simple_siege", vary={"walls_start": [4, 6]}, games=60, out=folder)
    elif what == "matrix":
        simlab.run(
            "simple_siege",
            bots={"besieger": ["rusher", "stormer"], "besieged": ["mason", "cook"]},
            games=30,
            out=folder,
        )
    else:  # many seats, two sizes of the table, sides
        simlab.sweep(str(DYKE), vary={"players": [3, 4]}, games=40, out=folder)


@pytest.mark.parametrize("what", ["sweep", "matrix", "many"])
def test_a_notebook_written_for_a_run_runs(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simlab.cli.notebook import notebook

    folder = tmp_path / "run"
    played(what, folder)
    notebook(folder)
    book = nbformat.read(folder / "explore.ipynb", as_version=4)
    nbformat.validate(book)
    text = "\n".join(cell.source for cell in book.cells)
    assert ("plot_matrix" in text, "knob_curve" in text) == (what == "matrix", what == "sweep")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent))
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 5
    with pytest.raises(UserMistake, match="perhaps with work of yours"):
        notebook(folder)
