"""Truncation: games that are too long are left out, up to a maximum share.

Such a game has no winner, and does not invalidate other games. But the games that end are not a random sample, so if
too many games are truncated, the statistics of the others cannot be trusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.errors import BotFault, GameTruncated
from simlab.game import Array

if TYPE_CHECKING:
    from simlab.engine.match import Batch, Match
    from simlab.engine.tally import Tally

MOST_CUT_OFF = 0.05  #: largest share of a cell's games that may be truncated: a win rate could be off by this much


def too_many_cut_off(cut_off: int, games: int) -> str:
    """The reason why a cell with this number of truncated games has no statistics; "" if it has."""
    return (
        f"{cut_off:,} of {games:,} games went on for too long and were truncated, over {MOST_CUT_OFF:.0%}: a win rate "
        "could be off by as much, because the games that end are not a random sample"
    )


def play_ended(
    match: Match, seed: int, games: int, epochs: Mapping[str, int] | None = None, apart: bool = False
) -> Array:
    """Plays games 0 .. games-1: the rows of those that end, in order; the column `game` holds the index.

    Args:
        epochs, apart: as for Match.play.
    Raises:
        GameTruncated: more than a share of MOST_CUT_OFF of the games was truncated. BotFault: a bot failed.
    """

    def most(cut_off: int, fault: GameTruncated) -> None:
        if cut_off > MOST_CUT_OFF * games:
            raise _too_many(fault, cut_off, games) from fault

    return play_parting(match, seed, 0, games, most, epochs=epochs, apart=apart)[0]


def play_parting(
    match: Match, seed: int, first: int, count: int, each: Callable[[int, GameTruncated], None],
    epochs: Mapping[str, int] | None = None, apart: bool = False,
) -> tuple[Array, list[int]]:  # fmt: skip
    """Plays games first .. first+count-1: rows of those that end, and indices of the truncated ones, both in order.

    Args:
        each: called with the number of truncated games so far and the last such game; may raise.
    Raises:
        BotFault: a bot failed.
    """
    batches, cut_off = batches_parting(partial(match.play, seed, epochs=epochs, apart=apart), first, count, each)
    return np.concatenate([np.zeros(0, match.game.row_type), *(np.asarray(b.rows) for b in batches)]), cut_off


def batches_parting(
    play: Callable[[int, int], Batch], first: int, count: int, each: Callable[[int, Any], None],
    kind: type[BotFault] = GameTruncated,
) -> tuple[list[Batch], list[int]]:  # fmt: skip
    """Like `play_parting`, but plays with `play(first, count)`, returns batches, and treats any `kind` of fault so."""
    batches: list[Batch] = []
    left_out: list[int] = []
    end = first + count
    while first < end:
        try:
            batches.append(play(first, end - first))
            break
        except kind as fault:
            left_out.append(fault.index)
            each(len(left_out), fault)
            if fault.index > first:  # the games of the batch before the fault are lost with it
                batches.append(play(first, fault.index - first))
            first = fault.index + 1
    return batches, left_out


def play_pilot(
    match: Match, seed: int, least: int, most: int, seconds: float,
    each: Callable[[int, GameTruncated], None] = lambda cut_off, fault: None,
) -> tuple[Array, Tally, float]:  # fmt: skip
    """Plays `least` to `most` games for about this long, for a plan: rows and counts of the games that ended, and
    seconds per game.
    """
    match.play(seed, 0, 1)  # compiles, or loads compiled code
    batches, first, end = [], 0, min(least, most)
    while first < end:
        began = time.perf_counter()
        batches += batches_parting(partial(match.play, seed), first, end - first, each)[0]
        took = (time.perf_counter() - began) / (end - first)
        first, end = end, end if first else min(most, max(least, int(seconds / max(took, 1e-9))))
    return np.concatenate([b.rows for b in batches]), sum((b.tally for b in batches[1:]), batches[0].tally), took


def _too_many(fault: GameTruncated, cut_off: int, games: int) -> GameTruncated:
    replay = str(fault).partition("\nReplay it: ")[2]
    return fault.reworded(f"{fault.game}: at least {too_many_cut_off(cut_off, games)}.\nReplay one: {replay}")


def ended_in_all(*sides: Array) -> list[Array]:
    """For each side the rows (from play_ended) of the games that ended on every side, in the same order."""
    shared = sides[0]["game"]
    for rows in sides[1:]:
        shared = np.intersect1d(shared, rows["game"], assume_unique=True)
    return [rows if rows.size == shared.size else rows[np.isin(rows["game"], shared)] for rows in sides]
