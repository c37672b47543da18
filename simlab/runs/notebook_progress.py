"""The progress of a run in a notebook: a bar with speed and time left, updated in place.

In a notebook, Rich draws its bars with ipywidgets, which few users have installed. An updated display needs only
IPython, and its last line remains in the saved notebook.
"""

from __future__ import annotations

import html
import sys
import time
from typing import Any

from simlab.runs.events import Compiling, Event, Note, Notify, Pace, Progress, no_progress

EVERY = 0.2  #: seconds between two updates


def in_notebook() -> bool:
    """Whether this process is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    running: Any = shell.get_ipython() if shell is not None else None
    return running is not None and running.__class__.__name__ == "ZMQInteractiveShell"


def shown(progress: Notify | None) -> Notify | None:
    """The function that receives a run's progress: the caller's, else that of a bar in a notebook, else None."""
    return progress or (Live() if in_notebook() else None)


def counted(progress: Any) -> Any:
    """The same for callbacks with the arguments (games done, games in all, purpose)."""
    return progress or (Live().counting if in_notebook() else no_progress)


class Picture:
    """The content of a notebook cell: text, with a bar in HTML."""

    def __init__(self, text: str, share: float | None, notes: list[str]) -> None:
        self.text, self.share, self.notes = text, share, notes

    def __repr__(self) -> str:
        return "\n".join([*self.notes, self.text] if self.text else self.notes)

    def _repr_html_(self) -> str:
        bar = "" if self.share is None else f'<progress max="1" value="{self.share:.4f}"></progress> '
        lines = [f"<div>{html.escape(note)}</div>" for note in self.notes]
        return "".join([*lines, f"<div>{bar}{html.escape(self.text)}</div>"])


class Live:
    """Shows the events of a run below the cell that plays it."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = 0.0
        self._notes: list[str] = []
        self._pace = Pace()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Compiling):
            self._show(event.text, None)
        elif isinstance(event, Note):
            self._notes.append(event.text)
            self._show("", None, now=True)
        elif isinstance(event, Progress):
            self._show(event.text, event.done / max(event.total, 1), now=event.done >= event.total)

    def counting(self, done: int, total: int, what: str) -> None:
        """Shows a plain count of games."""
        self(self._pace.progress(done, total, what))

    def _show(self, text: str, share: float | None, now: bool = False) -> None:
        from IPython.display import display

        if not now and self._handle is not None and time.monotonic() - self._last < EVERY:
            return
        self._last = time.monotonic()
        picture = Picture(text, share, self._notes)
        if self._handle is None:
            self._handle = display(picture, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(picture)
