"""Players that learn a game from scratch: small nets, trained by playing on from positions.

simlab optimize player simple_siege --minutes 10 --out siege.npz
simlab compare siege.npz,rusher ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from simlab import compiler
from simlab.engine import composite_bots, search
from simlab.engine.learning import kernels
from simlab.game import Game, Policy, Trait

TRAITS = {"noise": Trait(0.0, 0.0, 1.0, "share of its decisions that it takes at random")}
Loops = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]


def _nets(game: Game) -> dict[str, Any]:
    """The environment of a game with the functions that compute nets."""
    if "nets" not in game.derived:
        names = search.environment(game)
        for function in (
            kernels.number, kernels.count_bytes, kernels.perceive, kernels.think, kernels.product, kernels.worth,
        ):  # fmt: skip
            names[function.__name__] = search.kernel(function, names)
        game.derived["nets"] = names
    nets: dict[str, Any] = game.derived["nets"]
    return nets


def learned(game: Game, teacher: Policy | None = None) -> Policy:
    """The bot of a game that plays by a net, whose weights are its traits, after asking its teacher, if any."""
    game = game.plain or game
    key = "learned", teacher.function if teacher else None
    if key not in game.derived:
        names = dict(_nets(game))
        if teacher:
            names["teacher"] = search.called(teacher.function)
        names["advised"] = search.kernel(kernels.own_teacher if teacher else kernels.no_teacher, names)
        for function in (kernels.ranks, kernels.net):
            names[function.__name__] = search.kernel(function, names)
        text = "Learned by playing against itself: a net with one hidden layer."
        if teacher:
            text = f"Follows {teacher.name}, except where another action gained in games: a net with one hidden layer."
        made = Policy("learned", names["net"], game.slug, (), dict(TRAITS), text, __name__, ranks=names["ranks"])
        game.derived[key] = replace(made, worth=names["worth"])  # one kernel that values positions, for all seats
    policy: Policy = game.derived[key]
    return policy


def exact(game: Game) -> Policy:
    """The bot of a game that plays by a table of probabilities, which forms its traits."""
    game = game.plain or game
    if "exact" not in game.derived:
        function = search.kernel(kernels.by_table, search.environment(game))
        text = "Exact play of a small game: chances for all that a seat can see."
        game.derived["exact"] = Policy("exact", function, game.slug, (), dict(TRAITS), text, __name__)
    policy: Policy = game.derived["exact"]
    return policy


def one_of(game: Game, bots: Sequence[Policy], sizes: Sequence[int]) -> Policy:
    """A bot that plays as one of `bots`: the first trait is the number of that bot, and the bots' traits follow."""
    function = composite_bots.bound("one_of", bots, sizes)
    return Policy("one_of", function, game.slug, (), {}, "One of these bots.", __name__)


def training_loops(game: Game, bots: Sequence[Policy], sizes: tuple[int, ...], own: tuple[int, ...]) -> Loops:
    """The loops of kernels.py that play: `self_play` and `try_actions`, and `perceive_all`.

    Args:
        bots: bots of each seat. sizes: how many traits each of them reads.
        own: where the traits of the learned player begin among these; empty if there are no learned players, in which
            case futures are not cut.
    """
    game = game.plain or game
    values = search.Values(_nets(game)["worth"], own) if own else None
    names = _nets(game) | search.with_playouts(game, tuple(bots), sizes, values=values)
    names["search"] = search.bound("lookahead", game, tuple(bots), sizes, values)[1]
    loops = (kernels.self_play, kernels.try_actions, kernels.perceive_all)
    return tuple(compiler.specialise(one, **names) for one in loops)  # type: ignore[return-value]
