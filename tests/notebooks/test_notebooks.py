"""The notebooks run from top to bottom, in a folder of their own, and are committed without output."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import simlab
from simlab.cli.main import main

FOLDER = Path(__file__).parents[2] / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(BOOKS) >= 2


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("what", ["sweep", "matrix", "many"])
def test_a_notebook_written_for_a_run_runs(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from simlab.report.notebook import write

    folder = tmp_path / "run"
    played(what, folder)
    write(simlab.load(folder), folder / "explore.ipynb")
    book = nbformat.read(folder / "explore.ipynb", as_version=4)
    nbformat.validate(book)
    text = "\n".join(cell.source for cell in book.cells)
    assert ("plot_matrix" in text, "knob_curve" in text) == (what == "matrix", what == "sweep")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent))
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 5
    with pytest.raises(SystemExit) as refused:
        main(["report", str(folder), "--format", "notebook"])
    assert refused.value.code == 2
    assert "may hold your own work" in capsys.readouterr().err


@pytest.mark.long
def test_a_notebook_shows_how_far_a_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below each cell that plays, as a bar that takes its own place, and once it is over as the last line."""
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent))
    cells = [
        "import simlab\nfrom simlab.runs import notebook_progress\nnotebook_progress.EVERY = 0",
        "simlab.run('simple_siege', games=300, out='one');",
        "simlab.compare('simple_siege', ['random', 'rusher', 'mason'], games=40, out='two');",
        "simlab.sweep('simple_siege', {'walls_start': [3, 7]}, games=40, out='three');",
        "simlab.diff('simple_siege_best_play', knobs={'walls_start': 7}, games=40);",
        "simlab.run('simple_siege', games=20, out='four', progress=lambda event: None);",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    sent: list[str] = []

    class Client(NotebookClient):
        def process_message(self, message, cell, index):  # type: ignore[no-untyped-def]
            if message["msg_type"] in ("display_data", "update_display_data"):
                sent.append(message["content"]["data"]["text/plain"])
            return super().process_message(message, cell, index)

    Client(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [[output["data"] for output in cell.outputs if "data" in output] for cell in book.cells]
    assert not shown[0] and not shown[5]
    for cell in shown[1:5]:
        assert len(cell) == 1 and "<progress " in cell[0]["text/html"]
    assert shown[1][0]["text/plain"].startswith("300 of 300 games, ")
    assert "80 of 80 games" in shown[3][0]["text/plain"]
    assert any(" left" in text for text in sent) and len(sent) > 4


def test_time_left_and_notes_in_the_picture() -> None:
    from simlab.runs.notebook_progress import Picture, in_notebook

    assert not in_notebook()
    picture = Picture("5 of <10>", 0.5, ["a note"])
    assert repr(picture) == "a note\n5 of <10>"
    assert "5 of &lt;10&gt;" in picture._repr_html_() and 'value="0.5000"' in picture._repr_html_()
