"""Checks legal actions against their bounds, in compiled and in stepwise play. A number out of bounds is worse than a
wrong result: the code that counts and shows actions would access memory beyond its lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simlab.game import Game, State


def fault_of_turn(game: Game, state: State) -> str:
    """Explains why no bot can be asked, because the game has no such seat or kind of decision; empty if all is well."""
    seat, kind = int(state["seat"]), int(state["decision"])
    if not 0 <= seat < len(game.seats):
        return f"seat {seat} is to act, but seats are numbered 0..{len(game.seats) - 1}"
    if not 0 <= kind < len(game.decisions):
        return f"a decision of kind {kind} is pending, but kinds are numbered 0..{len(game.decisions) - 1}"
    return ""


def fault_of_offer(game: Game, legal: Sequence[int], n_legal: int) -> str:
    """Explains why these, state.legal[:n_legal], cannot be the legal actions; empty if they can."""
    most = game.max_actions
    if not 0 <= n_legal <= most:
        return (
            f"legal_actions offers {n_legal} actions, but there is room for max_actions = {most}. "
            "Raise it in state_type, or split the decision."
        )
    if n_legal == 0:
        return "legal_actions offers nothing, but the game is not over."
    for action in legal:
        if not 0 <= action < most:
            return (
                f"action {action} is offered, but actions are numbered 0..{most - 1}, since max_actions = {most}. "
                "Raise it in state_type, or number the actions from 0."
            )
    return ""


def legal_of(state: Any) -> list[int]:
    """The legal actions that a record lists."""
    return [int(action) for action in state["legal"][: max(int(state["n_legal"]), 0)]]
