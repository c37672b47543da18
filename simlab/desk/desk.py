"""One desk: what is asked and what was played of it, shared by all pages that show it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlab.desk.asked import Asked


class Desk:
    """What lives on the server, whatever pages come and go.

    Attributes:
        asked: what is asked. kept: what the viewer of games remembers.
        last_open: when a page was last open (time.monotonic).
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.kept: dict[str, Any] = {}
        self.last_open = time.monotonic()

    def routes(self, app: Any, under: str) -> None:
        """Adds what is served beside the page."""

    def close(self) -> None:
        """Ends all that goes on in the background."""


def folder_for_tables() -> Path:
    """A folder of this desk's own, for tables that are edited in the page."""
    return Path(tempfile.mkdtemp(prefix="simlab-desk-"))
