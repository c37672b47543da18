"""simlab dev doctor."""

from __future__ import annotations

import typer

from simlab.cli.options import JsonOption
from simlab.cli.terminal import console, show_answer

PANEL = "Build"


def doctor(json: JsonOption = False) -> None:
    """Examine the installation: versions, cores, compile cache, compiler, terminal.

    The output names neither the machine nor its user, so you can put it into a bug report. Exit status 4 if something
    that simlab needs does not work.

    Examples:
      simlab dev doctor
    """
    from simlab.questions.installation.analysis import examine

    error = console(stderr=True)
    terminal = f"{error.width} columns, {error.color_system or 'no'} colours"
    answer = examine(terminal if error.is_terminal else "none: progress is printed in plain lines")
    show_answer(answer, json)
    if not answer.fine:
        raise typer.Exit(4)


COMMANDS = {"dev doctor": doctor}
