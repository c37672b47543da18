"""`shell`: a command line run in this process, in an empty folder; its JSON keeps to the committed schema."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from simlab.cli.main import app, main
from tests.cli.forms import hold_to_form


@dataclass
class Done:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON object that it has to be."""
        return json.loads(self.out)


Shell = Callable[..., Done]


def all_commands() -> dict[str, Any]:
    """Commands by their words, those of groups as `analyze luck`."""
    found: dict[str, Any] = {}
    for name, command in get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {own}": one for own, one in inner.items()} if inner else {name: command}
    return found


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(line: str, stdin: str = "") -> Done:
        words = shlex.split(line)
        assert words.pop(0) == "simlab"
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(words)
        printed = capsys.readouterr()
        if "--json" in words and printed.out.startswith("{"):
            hold_to_form(json.loads(printed.out))
        return Done(int(left.value.code or 0), printed.out, printed.err)

    return run
