"""Waits for other processes, each with a time limit."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path


def plain_environment() -> dict[str, str]:
    """This process's environment without the variables that change how Python writes into pipes, and pytest's own."""
    left_out = ("PYTEST", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def first_match(process: subprocess.Popen[str], pattern: str, seconds: float = 180) -> str:
    """The first text in the output of a process that matches a pattern.

    Raises:
        AssertionError: its output ended without one, at the latest after `seconds`, when it is killed.
    """
    assert process.stdout is not None
    limit = threading.Timer(seconds, process.kill)
    limit.start()
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if found := re.search(pattern, line):
                return found[0]
    finally:
        limit.cancel()
    raise AssertionError(f"no {pattern} in the output:\n{''.join(lines)}")


def children(parent: int) -> Iterator[int]:
    """Processes that a process has started (Linux only)."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                yield int(stat.parent.name)
        except OSError:  # it has ended
            continue


def is_gone(process: int) -> bool:
    """Whether a process has ended (Linux only)."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
