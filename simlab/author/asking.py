"""The methods of a class that ask, cut into blocks, and the fields of the record in which they keep their places."""

from __future__ import annotations

import functools

from simlab.author.base import Blueprint
from simlab.author.blocks import ANSWER, MORE, AskingMethods
from simlab.author.fields import Field
from simlab.author.sources import methods_of, source_of


@functools.cache
def asking_of(plan: Blueprint) -> AskingMethods:
    """The methods that ask, cut into blocks."""
    found = {name: source_of(function) for name, function in methods_of(plan.owner).items()}
    shaped = [name for name, field in plan.fields.items() if field.shape]
    visits = {
        (name, method): (part.parts[deck].called, test)
        for name, part in plan.components.items()
        for method, (deck, test) in part.visits.items()
    }
    return AskingMethods(
        {name: tree for name, (tree, _) in found.items()},
        {name: file for name, (_, file) in found.items()},
        [*plan.components, *plan.choices, *shaped],
        visits,
        [name for name, chosen in plan.choices.items() if chosen.forced],
        [name for name, part in plan.components.items() if getattr(part, "seen_by", "all") != "all"],
    )


@functools.cache
def frames_of(plan: Blueprint) -> dict[str, Field]:
    """Fields of the record in which methods that ask keep their places and their locals; nobody sees them."""
    asking = asking_of(plan)
    names = [name for frame in asking.frames.values() for name in frame.fields]
    return {name: Field() for name in [ANSWER, *MORE[: asking.more], *names]}
