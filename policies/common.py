"""Bots that play any game."""

from __future__ import annotations

from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Traits, policy


@policy(name="random")
def random_legal(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Picks uniformly among the legal actions of every decision."""
    return state.legal[bot_below(state, state.n_legal)]
