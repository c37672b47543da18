"""Players that learn a game from nothing: a small net, trained by playing positions on.

simlab optimize player simple_siege --minutes 10 --out siege.npz
simlab compare siege.npz,rusher ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simlab.engine import composite_bots, search
from simlab.engine.learning import kernels
from simlab.game import Game, Policy, Trait
from simlab.registry import Bot

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


def bot_of(game: Game, seat: str, text: str, traits: Any, teacher: Bot | None) -> Bot:
    """A seat's learned player as a bot.

    Args:
        traits: of the net (simlab.engine.learning.player.Net).
    """
    policy = learned(game, teacher.policy if teacher else None)
    if teacher is None:
        return Bot(text, seat, policy, traits)
    name = f"learned({teacher.policy.module}.{teacher.policy.name}/{teacher.read.size})"
    return Bot(text, seat, replace(policy, name=name), np.concatenate([traits, teacher.read]), None, (teacher,))


def one_of(seat: str, bots: Sequence[Bot]) -> Bot:
    """A bot that plays as one of these, the one whose number is its first trait."""
    if len(bots) == 1:
        return bots[0]
    sizes = [bot.read.size for bot in bots]
    names = "+".join(f"{bot.policy.module}.{bot.policy.name}/{size}" for bot, size in zip(bots, sizes, strict=True))
    function = composite_bots.one_of([bot.policy for bot in bots], sizes)
    policy = Policy(f"one_of({names})", function, bots[0].policy.game, (), {}, "One of these bots.", __name__)
    traits = np.concatenate([np.zeros(len(bots)), *(bot.read for bot in bots)])
    return Bot("one of several", seat, policy, traits, None, tuple(bots))


def training_loops(game: Game, bots: Sequence[Bot]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`self_play` and `try_actions` of a game.

    Args:
        bots: of each seat.
    """
    # Which actions are tried is left to chance: what a player ranks low it would not try, and never find out.
    players = tuple(replace(bot.policy, ranks=None) for bot in bots)
    sizes = tuple(bot.read.size for bot in bots)
    names = search.with_playouts(game, players, sizes)
    names["search"] = search.bound("lookahead", game, players, sizes)[1]
    return tuple(search.specialised(one, names) for one in (kernels.self_play, kernels.try_actions))  # type: ignore[return-value]
