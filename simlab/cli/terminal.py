"""What the commands print on a terminal, and their progress on standard error."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from simlab.runs import events
from simlab.runs.events import clock

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress as Bar
    from rich.status import Status

    from simlab.present.answer import Answer


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


def printable(text: str) -> str:
    """The text without control characters: names in an untrusted folder must not control the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def suit_console() -> None:
    """Prints each line at once, even into a pipe, where another program may be waiting for it.

    A console with a limited character set gets the nearest ASCII characters, or "?" if there are none.
    """
    import codecs

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


def emit_json(data: Mapping[str, Any]) -> None:
    """Prints one JSON object. Characters that the console cannot show are printed as escapes, so none is lost."""
    plain = not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=plain, allow_nan=False, default=str) + "\n")


def show_answer(answer: Answer, as_json: bool, out: Path | None = None, page: Path | None = None) -> None:
    """Prints an answer: as JSON, or its blocks.

    Args:
        out: file that the JSON is also written to, or a folder for it. page: the page that was written, if any.
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
        InputError, RunFailed: it cannot be written, as simlab.runs.files.atomic_write.
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
    """Shows the events of a run: a bar in a terminal, else a plain line every few seconds. Use it as a
    context.

    Accepts the events of simlab.runs.runner, and the calls (what, done, total) of Match.compile.
    """

    every = 5.0  # seconds between plain lines

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._bar: Bar | None = None
        self._line: Status | None = None
        self._latest = -self.every
        self._since = time.monotonic()
        self._task: Any = None
        self._last = 0.0
        self._ended = False
        self._pace = events.Pace()
        self._counted = 0
        self._console: Console | None = None

    def __enter__(self) -> Self:
        if not self.quiet:
            self._console = console(stderr=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._end_line()
        if self._bar:
            self._bar.stop()
            self._bar = None

    def _end_line(self) -> None:
        if self._line:
            self._line.stop()
            self._line = None

    def __call__(self, event: events.Event) -> None:
        """Shows an event of a run."""
        if isinstance(event, events.Progress):
            self.games(event)
        elif isinstance(event, events.Compiling):
            self.compiling(event.name, event.i, event.n)
        else:
            self.say(event.text)

    def compiling(self, what: str, done: int, total: int) -> None:
        """Reports compilation."""
        self.status(events.Compiling(what, done, total).text)

    def status(self, text: str) -> None:
        """Shows what is going on: in a terminal on one line that disappears, otherwise every few seconds."""
        if not self._console:
            return
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            from rich.text import Text

            if not self._line:
                self._line = self._console.status("", spinner_style="dim")
                self._line.start()
            self._line.update(Text(text, style="dim"))
        elif time.monotonic() - self._latest >= self.every:
            self._latest = time.monotonic()
            self.say(text)

    def counting(self, done: int, total: int, what: str) -> None:
        """Shows the progress of a plain count of games."""
        self.games(self._pace.progress(done, total, what))

    def add(self, games: int, total: int, what: str) -> None:
        """Adds games to the progress, for counts that arrive in parts."""
        self._counted += games
        self.counting(self._counted, max(total, self._counted), what)

    def stage(self, text: str) -> None:
        """A line on the next step, with the seconds since the start."""
        self.say(f"{time.monotonic() - self._since:3.0f} s: {text}")

    def say(self, text: str) -> None:
        """A line on standard error."""
        self._end_line()
        if self._console:
            self._console.print(text, markup=False, soft_wrap=True, style="dim")

    def games(self, event: events.Progress) -> None:
        """Shows how far the run is."""
        if not self._console:
            return
        self._end_line()
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._show_bar(event)
            return
        now, over = time.monotonic(), event.done >= event.total
        if now - self._last >= self.every or (over and not self._ended):
            self._last, self._ended = now, over
            self.say(event.text)

    def _show_bar(self, event: events.Progress) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        if not self._bar:
            words = (
                "{task.fields[done]} games, {task.fields[rate]} per second, {task.fields[left]} left\n"
                "{task.fields[interval]}"
            )
            self._bar = RichProgress(
                BarColumn(bar_width=24),
                TextColumn(words, markup=False),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=event.total, done="", rate="", left="", interval="")
            self._bar.start()
        rate, left = event.games_per_second, event.seconds_left
        self._bar.update(
            self._task, completed=event.done, total=event.total, done=f"{event.done:,} of {event.total:,}",
            interval=event.interval, rate=f"{rate:,.0f}" if rate else "?", left="?" if left is None else clock(left),
        )  # fmt: skip
