"""What the commands print on a terminal, and their progress on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO, TypeAlias

from simlab.runs import events
from simlab.words import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress as Bar

    from simlab.present import answer as answers

    Answer: TypeAlias = answers.Answer
else:
    Answer = Any  # commands name it as what they return; its import takes long


def console(stderr: bool = False) -> Console:
    """A rich console. Without a terminal it is 160 columns wide, or $COLUMNS, so tables in a file are not split."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    columns = os.environ.get("COLUMNS", "")
    width = None if stream.isatty() else int(columns) if columns.isdecimal() and int(columns) >= 40 else 160
    return Console(stderr=stderr, width=width, highlight=False)


def show(*outputs: RenderableType) -> None:
    """Prints tables and plain text on standard output.

    A terminal gets sentences wrapped between words. A line with a command stays whole, so that it can be copied.
    """
    from textwrap import fill

    for output in outputs:
        if not isinstance(output, str):
            console().print(output)
        elif sys.stdout.isatty() and "simlab " not in output and "\n" not in output:
            sys.stdout.write(fill(printable(output), console().width, break_on_hyphens=False) + "\n")
        else:
            sys.stdout.write(printable(output) + "\n")


def suit_console() -> None:
    """Prints each line at once, even into a pipe, where another program may be waiting for it.

    A console with a limited character set gets the nearest ASCII characters, or "?" if there are none. A stream that
    the shell closed (`>&-`) is replaced by one that nobody reads; else a file of results could take its number.
    """
    import codecs

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
    codecs.register_error("simlab", _nearest_letters)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="simlab")


def _nearest_letters(fault: UnicodeError) -> tuple[str, int]:
    from simlab.errors import typed

    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    letters = (typed(letter) for letter in fault.object[fault.start : fault.end])
    return "".join(letter if letter.isascii() else "?" for letter in letters), fault.end


#: Controls that JSON leaves as they are: of terminals, and of the direction of writing.
_CONTROLS = re.compile("[\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]")


_ANSWERS: list[TextIO] = []  # standard output, while prints go elsewhere


@contextlib.contextmanager
def only_answers() -> Iterator[None]:
    """For --json: `emit_json` writes to standard output; what the code of a game prints goes to standard error."""
    _ANSWERS.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _ANSWERS.pop()


def emit_json(data: Mapping[str, Any]) -> None:
    """Prints one JSON object. Characters that the console cannot show or obeys are escapes, so none is lost."""
    stream = _ANSWERS[-1] if _ANSWERS else sys.stdout
    plain = not (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=plain, allow_nan=False, default=str)
    stream.write(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def show_answer(answer: Answer, as_json: bool, out: Path | None = None, page: Path | str | None = None) -> None:
    """Prints an answer: as JSON, or its blocks.

    Args:
        out: a file, or a folder for the file, to which the JSON is also written. page: the page that was written, if
            any.
    """
    from simlab.present.terminal import renderables

    path = write_json(answer.to_json(), out) if out else None
    if as_json:
        emit_json(answer.to_json())
        return
    show(*renderables(answer.to_blocks()))
    if path:
        show(f"Written to {path}.")
    if page:
        show("", f"Report: {page}")


def write_page(answer: Answer, path: Path) -> Path:
    """Writes an answer as an HTML page.

    Raises:
        InputError, RunFailed: it cannot be written; see simlab.runs.files.atomic_write.
    """
    from simlab.runs.files import atomic_write

    atomic_write(path, answer.to_html().encode("utf-8", "replace"))
    return path


def write_json(answer: Mapping[str, Any], out: Path) -> Path:
    """Writes an answer to a file, or to a file named after its form in a folder."""
    from simlab.runs.files import atomic_write

    path = out / f"{answer['schema']['name']}.json" if out.is_dir() else out
    text = json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    atomic_write(path, f"{text}\n".encode())
    return path


# --- Progress on standard error -------------------------------------------------


class Progress:
    """Shows the events of a run: a bar in a terminal, else a plain line every few seconds. Use it as a context.

    Accepts the events of simlab.runs.runner, and the calls (what, done, total) of Match.compile.
    """

    every = 5.0  # seconds between plain lines

    def __init__(self, quiet: bool) -> None:
        self._console = None if quiet else console(stderr=True)
        self._bar: Bar | None = None
        self._said: dict[str, float] = {}  # kind of plain line -> when it was last written
        self._since = time.monotonic()
        self._pace = events.Pace()
        self._counted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None

    def __call__(self, event: events.Event) -> None:
        """Shows an event of a run."""
        if isinstance(event, events.Progress):
            self._show("over" if event.done >= event.total else "games", event.text, event.done, event.total)
        elif isinstance(event, events.Compiling):
            self.status(event.text)
        else:
            self.say(event.text)

    def compiling(self, what: str, done: int, total: int) -> None:
        """Reports compilation."""
        self(events.Compiling(what, done, total))

    def status(self, text: str) -> None:
        """Shows the current activity: in a terminal on one line that disappears, otherwise every few seconds."""
        self._show("status", text)

    def counting(self, done: int, total: int, what: str) -> None:
        """Shows the progress of a plain count of games."""
        self(self._pace.progress(done, total, what))

    def add(self, games: int, total: int, what: str) -> None:
        """Adds games to the progress, for counts that arrive in parts."""
        self._counted += games
        self.counting(self._counted, max(total, self._counted), what)

    def stage(self, text: str) -> None:
        """A line on the next step, with the seconds since the start."""
        self.say(f"{time.monotonic() - self._since:3.0f} s: {text}")

    def say(self, text: str) -> None:
        """A line on standard error."""
        self.__exit__()  # the next event shows the bar again
        if self._console:
            self._console.print(text, markup=False, soft_wrap=True, style="dim")

    def _show(self, kind: str, text: str, done: int = 0, total: int | None = None) -> None:
        if not self._console:
            return
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            if not self._bar:
                from rich.progress import BarColumn, TextColumn
                from rich.progress import Progress as RichProgress

                words = TextColumn("{task.description}", markup=False)
                self._bar = RichProgress(BarColumn(bar_width=24), words, console=self._console, transient=True)
                self._bar.add_task("")
                self._bar.start()
            self._bar.update(
                self._bar.task_ids[0], description=text.replace("; ", "\n", 1), completed=done, total=total
            )
        elif (now := time.monotonic()) - self._said.get(kind, -self.every) >= self.every:
            self._said[kind] = now
            self.say(text)
