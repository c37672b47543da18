"""Measures of all bots of Montségur: styles of play, the memo of a decision, chances and counts."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.game import Array, Cards, Knobs, State
from simlab.games.montsegur.actions import sneak_through
from simlab.games.montsegur.board import least_crusaders
from simlab.games.montsegur.state import CAT, CROSS, DOVE, HAND_MAX, MAX_FORCE, NUMBERS, numbers

VALUE, PEACE, EXODUS, FAITHFUL, CREST, RING, STORM, INQUISITION = numbers(0, 8)  # styles

EVENT = np.int64(7)  # instead of an action: the card is played as an event

COMMANDER, NONE = np.int64(100), np.int64(-1)  # instead of a hand slot

NEVER = -1e9

CLOSE = 1e-9

UNKNOWN = -1.0

#: Values computed once per decision, as a record in its own array: a record passes between kernels as a
#: bare address, while an array is reference-counted at every call. The array must outlive it: hence `kept`.
MEMO = np.dtype(
    [
        ("on_path", np.int64),  # Crusaders on the Cathars' best route
        ("on_path_bare", np.int64),  # likewise, before path_less
        ("need", np.int64),  # perfects lacking: Faith will drop when above 0
        ("markers", np.int64),  # own markers, including those just spent on preempting
        ("spread", np.float64),  # soldiers that a Redeploy could use; UNKNOWN until asked for
        ("near", np.int64),  # mask: controlled and joined to the own command centre, without the centre
        ("attacks_known", np.int64),
        ("score", np.float64, (MAX_FORCE + 1,)),  # by points: the best attack, its edge and force
        ("edge", np.int64, (MAX_FORCE + 1,)),
        ("force", np.int64, (MAX_FORCE + 1,)),
        ("worth", np.float64, (MAX_FORCE + 1,)),  # by points: the best action, -1 until asked for
        ("action", np.int64, (MAX_FORCE + 1,)),
        ("hand", np.int64, (HAND_MAX + 1,)),  # including the card in play
        ("held", np.int64),
        ("commander", np.int64),  # whether it is there to be played
    ],
    align=True,
)

Memo: TypeAlias = Any


@kernel
def chance(state: State, side: int, base: int, limit: int) -> float:
    """Chance that the next token, of those in the bag, makes a check of a side succeed."""
    bag = np.int64(state.bag)
    good = (bag >> (DOVE if side == CAT else CROSS)) & 1
    left = ((bag >> DOVE) & 1) + ((bag >> CROSS) & 1)
    for token in range(NUMBERS):  # no branch: the tokens left are hard to predict
        there = (bag >> token) & 1
        left += there
        good += there & np.int64(base + state.token_value[side, token] > limit)
    return good / left


@small_kernel
def lead_chance(state: State, knobs: Knobs, side: int, points: int) -> float:
    return chance(state, side, points + np.int64(state.lead[side]), np.int64(knobs.leadership_threshold))


@small_kernel
def escape_chance(state: State, memo: Memo, points: int) -> float:
    if memo["on_path"] == 0:
        return 1.0
    return chance(state, CAT, points + np.int64(state.escape_mod), np.int64(memo["on_path"]))


@small_kernel
def gets_through(state: State, knobs: Knobs, memo: Memo, points: int, less: int) -> int:
    """Cathar soldiers that this number of reinforcement points brings in now."""
    arriving = max(0, points + np.int64(state.reinf_mod[CAT]))
    return sneak_through(knobs, arriving, max(0, np.int64(memo["on_path"]) - less))


@kernel
def begin_memo(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> None:
    """Computes the values that every measure needs; other values are computed on demand."""
    bare = least_crusaders(state, cards)
    memo["on_path"] = max(np.int64(0), bare - np.int64(state.path_less))
    memo["on_path_bare"] = bare
    memo["need"] = np.int64(state.faith) - np.int64(state.montsegur) - min(np.int64(state.aspiring), 1)
    memo["spread"] = UNKNOWN
    memo["attacks_known"] = 0
    for points in range(MAX_FORCE + 1):
        memo["action"][points] = -1


@small_kernel
def kept(answer: int, scratch: Array) -> int:
    """Returns the answer. It refers to the memo's array once more, so the array is not freed earlier."""
    return answer if scratch.size > 0 else 0
