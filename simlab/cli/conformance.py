"""Output of the commands of the conformance kit: one line per check, or all of them as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import typer

from simlab.cli.common import emit_json, show
from simlab.testing import NOTE, ConformanceError, TwinDiffers


def tell_checks(about: Mapping[str, Any], checks: Mapping[str | None, Callable[[], list[str]]], json: bool) -> None:
    """Runs checks and reports the results.

    Args:
        about: `game`, its slug; `checked`: game, twin, bot or metric; `name` of that.
        checks: seat, or None for all -> what checks it and gives a line for each point that is fine.
    Raises:
        ConformanceError, TwinDiffers: the first breach. typer.Exit: the same if it is reported as JSON.
    """
    done: list[dict[str, Any]] = []
    breach: ConformanceError | TwinDiffers | None = None
    try:
        for seat, check in checks.items():
            for line in check():
                done.append({"seat": seat, "check": line})
                if not json:
                    fine = "" if line.startswith(NOTE) else "fine: " if seat is None else f"fine, as {seat}: "
                    show(f"{fine}{line}")
    except (ConformanceError, TwinDiffers) as fault:
        if not json:
            raise
        breach = fault
    if json:
        text = None if breach is None else str(breach)
        emit_json({**about, "fine": breach is None, "breach": text, "checks": done}, "conformance")
    if breach is not None:
        raise typer.Exit(breach.exit_code)
