"""Groups of options: a command takes a dataclass, and each field of the dataclass is an option.

    def worth(game: VariantArgument, setup: Setup, output: AnswerOutput) -> Answer: ...

Options that several commands share are therefore defined once, and the signature of a command lists only its own
options. If a command returns an answer, it is printed as `output` says, and its exit status, if it has one, is that of
the command.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer

from simlab.cli.terminal import show_answer


def spread(command: Callable[..., Any]) -> Callable[..., None]:
    """The command with every group in its signature replaced by the options of the group."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    if not groups:
        return command
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        group = groups.get(name)
        known = get_type_hints(group, include_extras=True) if group else hints
        given = inspect.signature(group).parameters.values() if group else [parameter]
        kind = inspect.Parameter.KEYWORD_ONLY
        options += [option.replace(annotation=known[option.name], kind=kind) for option in given]

    @functools.wraps(command)
    def call(**values: Any) -> None:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        output: Any = made.get("output")
        try:
            answer = command(**values, **made)
        finally:
            if output and "progress" in vars(output):
                output.progress.__exit__()
        if answer is not None:
            show_answer(answer, output.json, getattr(output, "out", None), getattr(answer, "report", None))
            raise typer.Exit(getattr(answer, "exit_status", 0))

    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in options}
    return call
