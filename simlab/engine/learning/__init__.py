"""Players that learn a game from nothing: a small net, trained by playing positions on.

simlab optimize player simple_siege --minutes 10 --out siege.npz
simlab compare siege.npz,rusher ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from simlab.engine import composite_bots, search
from simlab.engine.learning import kernels
from simlab.game import Game, Policy, Trait

TRAITS = {"noise": Trait(0.0, 0.0, 1.0, "share of its decisions that it takes at random")}
_BOUND: dict[tuple[Any, ...], tuple[Policy, Any]] = {}  # by ids of game and teacher: as long as the process lives


def learned(game: Game, teacher: Policy | None = None) -> Policy:
    """The bot of a game that plays by a net; its weights are its traits.

    Args:
        teacher: the bot that it asks first.
    """
    game = game.plain or game
    key = id(game), id(teacher.function) if teacher else None
    if key not in _BOUND:
        names = search.environment(game)
        if teacher:
            names["teacher"] = search.called(teacher.function)
        names["advised"] = search.kernel(kernels.own_teacher if teacher else kernels.no_teacher, names)
        parts: Sequence[Callable[..., Any]] = [
            kernels.number, kernels.think, kernels.output_of, kernels.ranks, kernels.net,
        ]  # fmt: skip
        for function in parts:
            names[function.__name__] = search.kernel(function, names)
        text = "Learned by playing against itself: a net with one hidden layer."
        made = Policy("learned", names["net"], game.slug, (), dict(TRAITS), text, __name__, ranks=names["ranks"])
        worth = learned(game).worth if teacher else search.kernel(kernels.worth, names)  # one for all seats
        _BOUND[key] = replace(made, worth=worth), (game, teacher)
    return _BOUND[key][0]


def exact(game: Game) -> Policy:
    """The bot of a game that plays by a table of chances, which is its traits."""
    game = game.plain or game
    key = id(game), "table"
    if key not in _BOUND:
        function = search.kernel(kernels.by_table, search.environment(game))
        text = "Exact play of a small game: chances for all that a seat can see."
        _BOUND[key] = Policy("exact", function, game.slug, (), dict(TRAITS), text, __name__), game
    return _BOUND[key][0]


def one_of(game: Game, bots: Sequence[Policy], sizes: Sequence[int]) -> Policy:
    """A bot that plays as one of these, the one whose number is its first trait.

    Args:
        sizes: how many traits each of them reads; they are behind as many numbers as there are bots.
    """
    function = composite_bots.one_of(bots, sizes)
    return Policy("one_of", function, game.slug, (), {}, "One of these bots.", __name__)


def training_loops(
    game: Game, bots: Sequence[Policy], sizes: tuple[int, ...]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`self_play` and `try_actions` of a game.

    Args:
        bots: of each seat. sizes: how many traits each of them reads.
    """
    names = search.with_playouts(game, tuple(bots), sizes)
    # The actions to try are random: a player would never try, and never evaluate, actions that it ranks low.
    names["search"] = search.bound("lookahead", game, tuple(bots), sizes, ordered=False)[1]
    return tuple(search.specialised(one, names) for one in (kernels.self_play, kernels.try_actions))  # type: ignore[return-value]
