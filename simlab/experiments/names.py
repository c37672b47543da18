"""Names of folders: of an experiment, and of what was changed in its file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

_MARK = 60  # characters of a mark that are kept as they are


def slug(text: str) -> str:
    """The text as a name for a folder; empty where nothing of it can stay."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("._-")[:80].rstrip("._-")


def mark_of(changes: Mapping[str, str]) -> str:
    """The end of a folder's name that says what was changed: `-walls_start=6`; empty where nothing was.

    Args:
        changes: what -> its value, in the order in which they shall stand; a value may be empty.
    """
    text = "+".join(f"{name}={value}" if value else name for name, value in changes.items())
    safe = re.sub(r"[^A-Za-z0-9_.=,+-]+", "_", text)[:_MARK]
    if safe != text:
        safe += "-" + digest_of([text])
    return f"-{safe}" if text else ""


def digest_of(words: list[str]) -> str:
    """Six hex digits that stand for some words."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:6]
