"""A game, step by step: the tab "Watch a game" of the desk."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlab.engine.match import Match


def show_game(matches: Mapping[str, Match], seed: int, kept: MutableMapping[str, Any]) -> None:
    """Builds the viewer inside the parent container; called anew when other rules, bots or luck are asked for.

    Args:
        matches: name of a set of rules ("printed rules", "your tweak") -> its match; one or two. What they need is
            compiled when it is first asked for, which takes a while: not in the page's own thread.
        seed: of the games.
        kept: what the desk remembers for all its tabs and over a reload: which rules, game and step are shown.
    """
    from nicegui import ui

    ui.label("The viewer of single games comes here.")
