"""Restricted play in the loops: what is banned is not offered, and a bot that wants it nevertheless is overruled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simlab import compiler
from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Game


@kernel
def keep_allowed(state: Any, knobs: Any) -> None:
    """Takes banned options out of the legal ones, as long as another is left."""
    seat, banned = np.int64(state.seat), knobs.ban_actions[np.int64(state.decision)][:]
    most = np.int64(state.n_legal)
    if most > state.legal.size:
        return  # a fault of the game, which the loop reports
    kept = np.int64(0)
    for a in range(most):
        if np.uint64(state.legal[a]) >= banned.size:
            return
        kept += 1 - ((np.int64(banned[state.legal[a]]) >> seat) & 1)
    if kept in (0, most):
        return
    left = 0
    for a in range(most):
        if (np.int64(banned[state.legal[a]]) >> seat) & 1 == 0:
            state.legal[left] = state.legal[a]
            left += 1
    state.n_legal = left


@kernel
def overruled(state: Any, knobs: Any, action: int) -> int:
    """The action of a bot under a ban: its own, or one that chance takes in its stead.

    Chance decides, by the bot's own stream, where the kind of decision is banned, and where the bot's answer is not
    offered: a bot of fixed rules does not know of the ban.
    """
    if (np.int64(knobs.ban_kinds[np.int64(state.decision)]) >> np.int64(state.seat)) & 1 == 0:
        for a in range(state.n_legal):
            if state.legal[a] == action:
                return action
    place = bot_below(state, state.n_legal) if state.n_legal > 1 else 0
    return int(state.legal[place])


legal_actions = choose = None


def _offered(state: Any, knobs: Any, cards: Any) -> None:
    legal_actions(state, knobs, cards)  # type: ignore[misc]
    if knobs.ban_any != 0:
        keep_allowed(state, knobs)


def _chosen(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    action = int(choose(state, knobs, cards, traits))  # type: ignore[misc]
    if knobs.ban_any != 0:
        action = overruled(state, knobs, action)
    return action


_MADE: dict[Any, Any] = {}


def offering(game: Game) -> Callable[..., Any]:
    """The game's legal_actions without what is banned."""
    function = game.legal_actions
    if function not in _MADE:
        _MADE[function] = compiler.small_kernel(compiler.specialise(_offered, legal_actions=function))
    made: Callable[..., Any] = _MADE[function]
    return made


def obeying(chosen_by: Callable[..., Any]) -> Callable[..., Any]:
    """A bot's function, overruled where it wants what is banned."""
    made: Callable[..., Any] = compiler.small_kernel(compiler.specialise(_chosen, choose=chosen_by))
    return made


def allowed(knobs: Any, kind: int, seat: int, legal: list[int]) -> list[int]:
    """keep_allowed for a list: legal actions without banned ones, all of them if none would be left."""
    if not knobs["ban_any"]:
        return legal
    kept = [action for action in legal if not int(knobs["ban_actions"][kind, action]) >> seat & 1]
    return kept or legal
