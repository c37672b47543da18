"""Command lines to copy, with words quoted as the shell of this system reads them.

Windows has two shells. Both cmd and PowerShell read text in double quotes as one word. No quoting works in both for `$`
and a backtick (PowerShell), `%` (cmd) and a double quote inside the text.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable

WINDOWS = os.name == "nt"
_PLAIN = re.compile(r"[\w./\\:=+-]+")  # PowerShell splits a word at a comma, and & | < > ^ are special in cmd
_QUOTED = re.compile(r'"(?:[^"\\$`%]|\\+(?![\\"]))*(?:\\\\)*"')  # does not end in a single backslash


def quote(word: str) -> str:
    """One word of a command line."""
    if not WINDOWS:
        return shlex.quote(word)
    if _PLAIN.fullmatch(word):
        return word
    # Backslashes before a quote are doubled, as the C runtime reads them.
    inner = re.sub(r"(\\+)$", r"\1\1", re.sub(r'(\\*)"', r'\1\1\\"', word))
    return f'"{inner}"'


def join(words: Iterable[str]) -> str:
    """A command line from its words."""
    return " ".join(quote(word) for word in words)


def is_one_call(line: str, program: str) -> bool:
    """Whether a line from an untrusted file is a single call of the program."""
    if not line.isprintable():
        return False
    if WINDOWS:
        word = rf"(?:{_PLAIN.pattern}|{_QUOTED.pattern})"
        return re.fullmatch(rf"{re.escape(program)}(?: {word})*", line) is not None
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    return words[:1] == [program] and shlex.join(words) == line
