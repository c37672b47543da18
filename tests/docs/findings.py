"""Records what the commands behind the findings print: `python -m tests.docs.findings`.

A comment before a paragraph of a findings page names the command that its numbers come from:

    <!-- simlab run westphalia_balance -n 400 -->
    68 % (62 to 74) of the games end by the Peace of Westphalia ...

`recorded_findings.json` holds the numbers with intervals that the command printed, and the results of the first few
games of its experiment: if these change, the rules or the bots did, and the numbers have to be recorded again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from simlab import api

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "recorded_findings.json"
NUMBER = re.compile(r"[−-]?\d[\d,.]*(?: %| points)? \([−+-]?\d[\d,.]* to [−+-]?\d[\d,.]*\)")
NAMED = re.compile(r"^<!-- (simlab .*?) -->\n(.*?)(?:\n\n|\Z)", re.M | re.S)
GAMES = 8  #: of each cell, that show whether the games are still the same


def paragraphs() -> Iterator[tuple[Path, str, str]]:
    """Page, command and text of each paragraph that names its command."""
    for page in sorted([*(ROOT / "docs").glob("findings*.md"), *(ROOT / "docs" / "findings").glob("*.md")]):
        for command, text in NAMED.findall(page.read_text(encoding="utf-8")):
            yield page, command, text


def numbers(text: str) -> list[str]:
    """The numbers with an interval in a text, each once."""
    return sorted({found.replace("\n", " ") for found in NUMBER.findall(text)})


def games_of(command: str) -> str:
    """A digest of the first games of a command's experiment."""
    experiment = ROOT / "experiments" / f"{shlex.split(command)[2]}.toml"
    with tempfile.TemporaryDirectory() as folder:
        found = api.run(experiment, games=GAMES, out=Path(folder) / "run", workers=1)
        cells = [[cell.wins, cell.endings, [part.tolist() for part in cell.turns]] for cell in found.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()[:16]


def record(command: str) -> dict[str, object]:
    """Runs a command and notes what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "simlab", *shlex.split(command)[1:], "--out", str(Path(folder) / "run")]
        printed = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    return {"games": games_of(command), "numbers": numbers(printed)}


def main() -> None:
    """Records the commands named, or all that the pages name."""
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for command in sys.argv[1:] or dict.fromkeys(command for _, command, _ in paragraphs()):
        known[command] = record(command)
        RECORDED.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
