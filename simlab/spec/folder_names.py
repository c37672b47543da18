"""Names of folders: of an experiment, and of the changes to its file."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

_WINDOWS_OWN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_MARK = 60  # characters of a mark that are kept as they are


def slug(text: str) -> str:
    """The text as a folder name; empty if none of its characters can be used."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", plain_letters(text)).strip("._-")[:80].rstrip("._-")


def is_portable(name: str) -> bool:
    """Whether a folder can have this name on every system: Windows reserves some for devices, as CON and NUL.TXT."""
    return _WINDOWS_OWN.fullmatch(name) is None


def plain_letters(text: str) -> str:
    """The text with accented letters replaced by ASCII letters: `Größe` becomes `Grosse`."""
    apart = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("æ", "ae").replace("ø", "o"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def mark_of(changes: Mapping[str, str]) -> str:
    """The end of a folder's name, from changes (name -> value or ""): `-walls_start=6`; empty without changes."""
    text = "+".join(f"{name}={value}" if value else name for name, value in changes.items())
    safe = re.sub(r"[^A-Za-z0-9_.=,+-]+", "_", text)[:_MARK]
    if safe != text:
        safe += "-" + digest_of([text])
    return f"-{safe}" if text else ""


def digest_of(words: list[str]) -> str:
    """Six hex digits, computed from words, that identify them."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:6]
