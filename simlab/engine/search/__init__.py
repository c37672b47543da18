"""Bots that look ahead, for any game: bound to its kernels and to their playout bots.

    --bot cathar=ismcts:iterations=400:playout=value
    --bot besieger=lookahead:iterations=200:playout=besieger=stormer+besieged=warden

A search gets the position only after `determinize` for its own seat, so it learns nothing that the seat cannot know.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab import compiler
from simlab.engine import restricted_play
from simlab.engine.payoff import Payoff
from simlab.engine.search import ismcts, playout, sequential_halving
from simlab.engine.search.traits import L, T
from simlab.game import Game, Policy

KINDS = {"lookahead": (sequential_halving, L), "ismcts": (ismcts, T)}
_HELP = {
    "lookahead": "Tries each action in the same futures, drops the worse half, and continues: flat Monte Carlo.",
    "ismcts": "Grows a tree of what each seat has seen: information-set Monte Carlo tree search.",
}


def searching_bots() -> dict[str, Policy]:
    """The bots that look ahead, by name: not yet bound to a game."""
    return {
        name: Policy(name, compiler.unbound, "", (), dict(traits._declared), _HELP[name], __name__)
        for name, (_, traits) in KINDS.items()
    }


@dataclass(frozen=True)
class Values:
    """A kernel that judges positions while players are trained, and where its traits begin among each seat's."""

    worth: Callable[..., float]
    own: tuple[int, ...]


def bound(
    kind: str, game: Game, playouts: tuple[Policy, ...], sizes: tuple[int, ...], values: Values | None = None
) -> tuple[Callable[..., int], Callable[..., int]]:
    """A search for one game.

    Args:
        kind: one of KINDS. playouts: the bot of each seat in the playouts.
        sizes: how many traits each of these bots reads; the traits follow in this order after the search's own.
        values: given only while players are trained. If the search cannot try all actions, half of those that it tries
            are then random, because a player would otherwise never evaluate actions that it ranks low.
    Returns:
        The bot's function; and search(state, knobs, cards, traits, table), which shows the actions it considered.
    """
    key = ("search", kind, *((bot.function, bot.ranks, bot.worth) for bot in playouts), sizes, values)
    if key not in game.derived:
        game.derived[key] = _bind(kind, game, playouts, sizes, values)
    return game.derived[key]


def environment(game: Game) -> dict[str, Any]:
    """The names that a search's code uses, with their meaning in a game: functions, records and bounds."""
    record = (lambda kind: kind) if compiler.compiling() else (lambda kind: np.dtype((np.record, kind)))
    places = {track.name: i for i, track in enumerate(game.tracks)}
    functions = ("initial_state", "legal_actions", "apply_action", "determinize", "outcome", "track_values")
    return {name: getattr(game, name) for name in functions} | {
        "legal_actions": restricted_play.offering(game),
        "STATE": record(game.state),
        "NODE": record(ismcts.NODE),
        "ROW": record(game.row_type),
        "SEATS": len(game.seats),
        "MAX_ACTIONS": game.max_actions,
        "N_TRACKS": max(len(game.tracks), 1),
        "DRAWN": Payoff.of_seat(game, 0).drawn,
        "LEAD": np.array([places[name] for name in game.lead], np.int64),
        "LONGEST": game.max_decisions,
        "SECRET": np.array([decision.secret for decision in game.decisions], np.bool_),
    }


def with_playouts(
    game: Game, playouts: tuple[Policy, ...], sizes: tuple[int, ...], kind: str = "lookahead",
    values: Values | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The environment of a game with the functions that play positions on; arguments as of `bound`."""
    names = environment(game)
    stops = len(KINDS[kind][1]._declared) + np.cumsum(sizes)
    starts = stops - np.array(sizes)
    names |= {"STARTS": starts, "STOPS": stops, "OWN": starts + np.array(values.own if values else 0)}
    names["choose"] = restricted_play.obeying(_chain(playouts, names))
    worth = values.worth if values else valued_by(playouts)
    names |= {"VALUED": worth is not None, "worth": worth or kernel(playout.no_worth, names)}
    names["ALONE"] = kind == "lookahead"
    helpers: Sequence[Callable[..., Any]] = [
        playout.share, playout.judge, playout.imagine, playout.play_on, playout.appraise, playout.prefer,
    ]  # fmt: skip
    for function in helpers:
        names[function.__name__] = kernel(function, names)
    return names


def weighing_loop(game: Game, players: tuple[Policy, ...], sizes: tuple[int, ...]) -> Callable[..., Any]:
    """`playout.weigh` of a game. players: the bot of each seat that plays on; sizes: how many traits each reads."""
    return compiler.specialise(playout.weigh, **with_playouts(game, players, sizes))


def valued_by(playouts: Sequence[Policy]) -> Callable[..., Any] | None:
    """The kernel that values a position, if all playout bots are learned players."""
    found = {policy.worth for policy in playouts}
    return found.pop() if len(found) == 1 else None


def _bind(
    kind: str, game: Game, playouts: tuple[Policy, ...], sizes: tuple[int, ...], values: Values | None
) -> tuple[Callable[..., int], Callable[..., int]]:
    names = with_playouts(game, playouts, sizes, kind, values)
    module = KINDS[kind][0]
    ranks = {policy.ranks for policy in playouts}  # usually one function: learned players differ only in their traits
    able = playout.rank if values is None and len(ranks) == 1 and None not in ranks else playout.no_rank
    names["EXPLORING"] = values is not None
    names["rank"] = kernel(able, names | {"ranks": next(iter(ranks))})
    helpers: Sequence[Callable[..., Any]] = (sequential_halving.rounds_of, sequential_halving.arms_for)
    if module is ismcts:
        helpers = (ismcts.follow, ismcts.select, ismcts.new_action, ismcts.descend, ismcts.decide)
    for function in helpers:
        names[function.__name__] = kernel(function, names)
    names["search"] = kernel(module.search, names)
    return kernel(_answer, names), names["search"]


def kernel(function: Callable[..., Any], names: dict[str, Any]) -> Callable[..., Any]:
    """The function as a kernel, with these names bound."""
    return compiler.kernel(compiler.specialise(function, **names))


def _chain(playouts: tuple[Policy, ...], names: dict[str, Any]) -> Callable[..., Any]:
    """One function that asks the playout bot of the seat to act."""
    distinct = list(dict.fromkeys(policy.function for policy in playouts))
    takes = [sum(1 << seat for seat, p in enumerate(playouts) if p.function is function) for function in distinct]
    chain = kernel(playout.choose_last, names | {"bot": called(distinct[-1])})
    for function, seats in zip(distinct[-2::-1], takes[-2::-1], strict=True):
        chain = kernel(playout.choose_link, names | {"bot": called(function), "TAKES": seats, "others": chain})
    return chain


@functools.lru_cache(maxsize=1024)
def called(function: Callable[..., int]) -> Callable[..., int]:
    """The form of a bot's function that compiled code calls."""
    return function if hasattr(function, "py_func") else compiler.kernel(function)


search = compiler.unbound


def _answer(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    return search(state, knobs, cards, traits, np.zeros((state.n_legal, 3)))
