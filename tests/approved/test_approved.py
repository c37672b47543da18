"""Approved outputs: what a handful of commands print, as JSON, in the terminal and as HTML, kept in files.

A change of wording, numbers or layout shows up as a diff of these files. To approve the present output:

    SIMLAB_APPROVE=1 pytest tests/approved

Values that depend on the machine (times, rates, versions, paths) are replaced by `#`, drawings by `[chart]`, and the
middle of a long table or list by its digest.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Shell, shell

__all__ = ["shell"]

APPROVED = Path(__file__).parent / "outputs"
#: A JSON value under one of these keys depends on the machine or the version.
_MACHINE_KEYS = {
    "games_per_second", "seconds", "created", "simlab", "versions", "machine", "elapsed", "digest", "commit",
    "processor",
}  # fmt: skip
_MACHINE_TEXT = [
    (re.compile(r"\d[\d,.]* per second"), "# per second"),
    (re.compile(r"\d[\d,.]* (?:s|ms|µs|min|minutes|seconds)\b(?= (?:a|per|for|of processor)\b)"), "# s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?"), "#date"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "#digest"),
    (re.compile(r"(?<=--cell )[0-9a-f]{8}\b"), "#"),  # follows from the code of the game and of its bots
]
_LONG, _HEAD, _TAIL = 24, 4, 1  # rows kept of a long table or list; the others are held by their digest


@dataclass(frozen=True)
class Run:
    """A command whose output is approved.

    Attributes:
        command: printed once as it is and once with --json.
        before: commands that prepare the folder.
        html: the page the commands leave, if any.
    """

    command: str
    before: tuple[str, ...] = ()
    html: str = ""


def _run(arguments: str, kind: str = "run") -> Run:
    """A run with its report, which the commands that print do not write again."""
    command = f"simlab {kind} {arguments} --out r --quiet"
    return Run(f"{command} --no-report", (f"{command} --report",), "r/report.html")


_SIEGE = "simple_siege --bot besieger=stormer,rusher --bot besieged=warden,mason"
_PEOPLE = """\
winner,player_besieger,player_besieged
besieger,Ann,Bob
besieger,Bob,Ann
besieged,Ann,Bob
besieger,Bob,Ann
"""

RUNS: dict[str, Run] = {
    "grid": _run("simple_siege --bot besieger=stormer --bot besieged=warden --vary walls_start=5..7 -n 400", "sweep"),
    "two_seats": _run("montsegur_balance --bot cathar=value,crest --bot crusader=value,ring -n 300"),
    "solo": _run("mighty_fortress_balance -n 200"),
    "cooperative": _run("lowenheim_balance -n 100"),
    "five_seats": _run(
        "westphalia:players=5 --bot red=reformer --bot blue=counter_reformer --bot green=politique --bot yellow=kaiser"
        " --bot black=condottiere -n 150",
        "sweep",
    ),
    "tournament": _run(f"{_SIEGE} -n 400", "compare"),
    "ladder": _run("simple_siege --ladder --playout stormer+warden --budgets 0,6 -n 60", "compare"),
    "morris": _run(
        "simple_siege --design morris:4 --vary walls_start=4..8 --vary repair_gain=1..2 --bot besieged=warden -n 200",
        "sweep",
    ),
    "sobol": _run(
        "simple_siege --design sobol:16 --vary walls_start=4..8 --vary repair_gain=1..2 --bot besieger=stormer"
        " --bot besieged=warden -n 200",
        "sweep",
    ),
    "fix": Run("simlab optimize rules simple_siege_best_play --out m -n 200 --quiet", (), "m/fixes.html"),
    "diff": Run(
        "simlab diff simple_siege_best_play -n 400 --set walls_start=7 --quiet",
        ("simlab diff simple_siege_best_play -n 400 --set walls_start=7 --report d.html --quiet",),
        "d.html",
    ),
    "check": Run("simlab check simple_siege_best_play -n 400 --quiet"),
    "course": Run("simlab analyze course simple_siege --bot besieger=rusher --bot besieged=mason -n 100 --quiet"),
    "luck": Run(
        "simlab analyze luck simple_siege --bot besieger=rusher,stormer --bot besieged=mason,warden -n 200 --quiet"
    ),
    "playtest": Run("simlab analyze playtest simple_siege people.csv -n 200 --quiet"),
    "plan": Run("simlab plan simple_siege --bot besieger=stormer --bot besieged=warden --precision 2 --quiet"),
}


def _number(value: Any) -> Any:
    """Floats to 6 digits: the last ones depend on the processor's vector units, in limits from sampled covariances the
    tenth and sometimes the ninth.
    """
    return float(f"{float(f'{value:.13g}'):.6g}") if isinstance(value, float) else value


def _plain_json(value: Any, key: str = "") -> Any:
    if key in _MACHINE_KEYS:
        return "#"
    if isinstance(value, dict):
        items = _shortened([[name, _plain_json(part, name)] for name, part in value.items()])
        return dict(item if isinstance(item, list) else [item, "..."] for item in items)
    if isinstance(value, list):
        return _shortened([_plain_json(part) for part in value])
    return _plain_text(value) if isinstance(value, str) else _number(value)


def _shortened(items: list[Any]) -> list[Any]:
    """The first items and the last; those between as their number and digest, so that a change of one still shows."""
    between = items[_HEAD:-_TAIL]
    if len(items) < _LONG:
        return items
    digest = hashlib.sha256(repr(between).encode()).hexdigest()[:8]
    return [*items[:_HEAD], f"... {len(between)} more, {digest}", *items[-_TAIL:]]


def _plain_text(text: str) -> str:
    for pattern, sign in _MACHINE_TEXT:
        text = pattern.sub(sign, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


class _Page(HTMLParser):
    """The words of a page, block by block; rows of tables joined by bars, drawings as `[chart]`."""

    _SKIPPED = frozenset({"style", "script", "svg"})
    _BLOCKS = frozenset({"p", "h1", "h2", "h3", "h4", "li", "tr", "figcaption", "summary", "dt", "dd", "pre", "nav"})

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._words: list[str] = []
        self._table: list[str] | None = None
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in self._SKIPPED:
            if tag == "svg" and not self._inside:
                self._words.append("[chart]")
            self._inside.append(tag)
        elif tag == "table":
            self._end()
            self._table = []
        elif tag in self._BLOCKS and self._table is None:
            self._end()
            self._words = [f"{'#' * int(tag[1])} "] if tag[0] == "h" and tag[1:].isdigit() else []

    def handle_endtag(self, tag: str) -> None:
        if self._inside:
            if tag == self._inside[-1]:
                self._inside.pop()
        elif tag == "table" and self._table is not None:
            self.lines += _shortened(self._table)
            self._table = None
        elif tag in ("td", "th"):
            self._words.append(" | ")
        elif tag in self._BLOCKS and (tag == "tr" or self._table is None):
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self._words.append(data)

    def _end(self) -> None:
        line = _plain_text(" ".join("".join(self._words).split()).rstrip(" |"))
        if line:
            (self.lines if self._table is None else self._table).append(line)
        self._words = []


def _plain_page(page: str) -> str:
    parser = _Page()
    parser.feed(page)
    parser.close()
    return "\n".join(_without_machine(parser.lines))


#: Rows of a page's table on versions and the machine.
_MACHINE_ROWS = ("numba", "numpy", "polars", "python", "simlab", "started", "platform", "processors")


def _without_machine(lines: list[str]) -> Iterator[str]:
    """The lines; what depends on versions and the machine, times and samples of decisions as `#`."""
    timed = False
    for line in lines:
        cells = line.split(" | ")
        timed = "microseconds per decision" in cells or (timed and len(cells) == 4)
        if len(cells) == 2 and cells[0] in _MACHINE_ROWS:
            yield f"{cells[0]} | #"
        elif timed and "microseconds per decision" not in cells:
            yield " | ".join([*cells[:2], "#", "#"])
        else:
            yield line


def _hold(name: str, text: str) -> None:
    path = APPROVED / name
    text = text.rstrip() + "\n"
    if os.environ.get("SIMLAB_APPROVE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    assert path.exists(), f"{name} was never approved: SIMLAB_APPROVE=1 pytest tests/approved"
    changed = list(difflib.unified_diff(path.read_text(encoding="utf-8").splitlines(), text.splitlines(), lineterm=""))
    assert not changed, f"{name} changed:\n" + "\n".join(changed[:60])


@pytest.mark.sample(
    "grid", "two_seats", "solo", "five_seats", "tournament", "diff", "check", "course", "luck", "playtest", "plan"
)
@pytest.mark.parametrize("name", RUNS)
def test_output_is_as_approved(name: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RUNS[name]
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "people.csv").write_text(_PEOPLE)
    for command in run.before:
        done = shell(command)
        assert done.status in (0, 1, 3), done.err
    printed = shell(run.command)
    assert printed.status in (0, 1, 3), printed.err
    _hold(f"{name}.txt", _plain_text(printed.out.replace(str(tmp_path), "#")))
    answer = shell(f"{run.command} --json")
    _hold(f"{name}.json", json.dumps(_plain_json(answer.json), indent=1, ensure_ascii=False))
    if run.html:
        page = (tmp_path / run.html).read_text(encoding="utf-8")
        _hold(f"{name}.page.txt", _plain_page(page.replace(str(tmp_path), "#")))
