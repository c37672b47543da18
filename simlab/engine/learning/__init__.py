"""Players that learn a game from nothing: a small net, trained by playing positions on.

simlab optimize player simple_siege --minutes 10 --out siege.npz
simlab compare siege.npz,rusher ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from simlab.engine import search
from simlab.engine.learning import kernels
from simlab.game import Game, Policy, Trait

TRAITS = {"noise": Trait(0.0, 0.0, 1.0, "share of its decisions that it takes at random")}
_BOUND: dict[int, tuple[Policy, Game]] = {}  # by id of the game: as long as the process lives


def learned(game: Game) -> Policy:
    """The bot of a game that plays by a net; its weights are its traits."""
    game = game.plain or game
    if id(game) not in _BOUND:
        names = search.environment(game)
        for function in (kernels.number, kernels.think, kernels.ranks, kernels.net):
            names[function.__name__] = search.kernel(function, names)
        text = "Learned by playing against itself: a net with one hidden layer."
        policy = Policy("learned", names["net"], game.slug, (), dict(TRAITS), text, __name__, ranks=names["ranks"])
        _BOUND[id(game)] = policy, game
    return _BOUND[id(game)][0]


def training_loops(
    game: Game, players: tuple[Policy, ...], sizes: tuple[int, ...]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`self_play` and `try_actions` of a game.

    Args:
        players: of each seat. sizes: how many traits each of them reads.
    """
    names = search.with_playouts(game, players, sizes)
    # Which actions are tried is left to chance: what a player ranks low it would not try, and never find out.
    free = tuple(replace(player, ranks=None) for player in players)
    names["search"] = search.bound("lookahead", game, free, sizes)[1]
    return tuple(search.specialised(one, names) for one in (kernels.self_play, kernels.try_actions))  # type: ignore[return-value]
