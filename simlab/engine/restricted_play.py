"""Restricted play in the loops: banned options are not offered, and a bot that chooses one is overruled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from simlab import compiler
from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Game


@kernel
def no_card(state: Any, action: int) -> int:
    """The card of an option of the current decision; -1 for none, as in a game without market rows."""
    return -1


STATE: Any = None
SLOT_AT = SLOT_SIZE = SLOTS = np.zeros(0, np.int64)  # by kind of decision: where its row lies in the record, in bytes


def _card_in_row(state: Any, action: int) -> int:
    kind = np.int64(state.decision)
    if action < 0 or action >= SLOTS[kind]:
        return -1
    copied = np.empty(1, STATE)
    copied[0] = state
    octets = copied.view(np.uint8)
    first = SLOT_AT[kind] + action * SLOT_SIZE[kind]
    value = np.int64(np.int8(octets[first + SLOT_SIZE[kind] - 1]))  # little-endian: the last byte has the sign
    for more in range(SLOT_SIZE[kind] - 2, -1, -1):
        value = value * 256 + octets[first + more]
    return int(value)


card_of: Any = no_card


def _keep_allowed(state: Any, knobs: Any) -> None:
    kind, most = np.int64(state.decision), np.int64(state.n_legal)
    if most > state.legal.size:
        return  # a fault of the game, which the loop reports
    cards = np.empty(most, np.int64)
    for a in range(most):
        cards[a] = card_of(state, np.int64(state.legal[a]))
    banned, banned_cards = knobs.ban_actions[kind], knobs.ban_cards[kind]
    state.n_legal = without_banned(state.legal[:], cards, banned, banned_cards, state.seat)


@kernel
def without_banned(
    legal: np.ndarray, cards: np.ndarray, banned: np.ndarray, banned_cards: np.ndarray, seat: int
) -> int:
    """Moves the allowed actions to the front of a list; keeps all actions if none would be left or one is out of
    bounds. It takes arrays instead of the state, whose type differs by game, so it is compiled only once for all games.

    Args:
        legal: the list, of which the first cards.size are actions. cards: int64, the card of each action; -1 for none.
        banned, banned_cards: seats as bits, by action and by card.
    Returns:
        the number of actions left.
    """
    most, left, shift = cards.size, 0, np.int64(seat)
    kept = np.empty(most, legal.dtype)
    for a in range(most):
        action, card = np.int64(legal[a]), cards[a]
        if np.uint64(action) >= banned.size:
            return most
        seats = np.int64(banned[action])
        if 0 <= card < banned_cards.size:
            seats |= np.int64(banned_cards[card])
        if (seats >> shift) & 1 == 0:
            kept[left] = action
            left += 1
    if left == 0:
        return most
    for a in range(left):
        legal[a] = kept[a]
    return left


def keeping(game: Game) -> Callable[..., Any]:
    """A function of (state, knobs) that removes banned options from the legal ones while another one is left."""
    rows = tuple(kind.slots for kind in game.decisions)
    return _keeping(game.state, rows) if any(rows) else _keeping(None, ())


@functools.cache
def _keeping(state: np.dtype[np.void] | None, rows: tuple[str, ...]) -> Callable[..., Any]:
    found: Any = no_card
    if state is not None and state.fields:
        fields = [state.fields[name] if name else (np.dtype((np.int8, (0,))), 0) for name in rows]
        row = compiler.specialise(
            _card_in_row,
            STATE=state if compiler.compiling() else np.dtype((np.record, state)),
            SLOT_AT=np.array([field[1] for field in fields], np.int64),
            SLOT_SIZE=np.array([field[0].base.itemsize for field in fields], np.int64),
            SLOTS=np.array([field[0].shape[0] for field in fields], np.int64),
        )
        found = compiler.small_kernel(row)
    return compiler.small_kernel(compiler.specialise(_keep_allowed, card_of=found))


@kernel
def overruled(state: Any, knobs: Any, action: int) -> int:
    """The action of a bot under a ban: its own, or a random one.

    A random option is drawn from the bot's own stream if the kind of decision is banned, or if the bot's answer is not
    offered (a bot with fixed rules does not know about the ban).
    """
    if (np.int64(knobs.ban_kinds[np.int64(state.decision)]) >> np.int64(state.seat)) & 1 == 0:
        for a in range(state.n_legal):
            if state.legal[a] == action:
                return action
    place = bot_below(state, state.n_legal) if state.n_legal > 1 else 0
    return int(state.legal[place])


legal_actions = choose = keep_allowed = None


def _offered(state: Any, knobs: Any, cards: Any) -> None:
    legal_actions(state, knobs, cards)  # type: ignore[misc]
    if knobs.ban_any != 0:
        keep_allowed(state, knobs)  # type: ignore[misc]


def _chosen(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    action = int(choose(state, knobs, cards, traits))  # type: ignore[misc]
    if knobs.ban_any != 0:
        action = overruled(state, knobs, action)
    return action


def offering(game: Game) -> Callable[..., Any]:
    """The game's legal_actions without banned actions."""
    return _offering(game.legal_actions, keeping(game))


@functools.cache
def _offering(function: Callable[..., Any], keep: Callable[..., Any]) -> Callable[..., Any]:
    return compiler.small_kernel(compiler.specialise(_offered, legal_actions=function, keep_allowed=keep))


def obeying(chosen_by: Callable[..., Any]) -> Callable[..., Any]:
    """A bot's function with the ban applied: its choice is overruled if it is a banned option."""
    return compiler.small_kernel(compiler.specialise(_chosen, choose=chosen_by))


def allowed(game: Game, state: Any, knobs: Any, legal: list[int]) -> list[int]:
    """`keeping` in plain Python, for a list: the legal actions that are not banned, or all if none would be left."""
    kind, seat = int(state["decision"]), int(state["seat"])
    cards = np.asarray(state[game.decisions[kind].slots]).tolist() if game.decisions[kind].slots else []
    kept = []
    for action in legal:
        seats = int(knobs["ban_actions"][kind, action])
        if action < len(cards) and cards[action] >= 0:
            seats |= int(knobs["ban_cards"][kind, cards[action]])
        if not seats >> seat & 1:
            kept.append(action)
    return kept if knobs["ban_any"] and kept else legal
