"""The luck ledger: how much of who wins is the deal, chance in play, and the bots' own choices.

Each game is played again with one kind of luck drawn anew and the others held, and the other way round. That takes no
model of the game, only streams that keep to themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simlab.engine.match import Match
from simlab.engine.outcome import all_won
from simlab.errors import UserMistake
from simlab.game import Array, Game
from simlab.runs.over_long import ended_in_all, play_ended
from simlab.stats.luck import luck_shares

MOST_GAMES = 1_000_000  #: of a ledger: each is played seven times, and its rows are kept
SETUP, CHANCE, BOTS = "set-up", "chance in play", "bots' choices"


def kinds_of_luck(game: Game) -> dict[str, tuple[str, ...]]:
    """Kind of luck -> streams; a kind without streams is left out."""
    kinds = {
        SETUP: game.setup_streams,
        CHANCE: tuple(name for name in game.streams if name not in game.setup_streams),
        BOTS: tuple(f"bot_{seat}" for seat in game.seats),
    }
    return {kind: streams for kind, streams in kinds.items() if streams}


def luck_ledger(match: Match, seed: int, games: int) -> dict[str, Any]:
    """Plays games again under other luck of each kind.

    Args:
        games: 2 or more; each is played seven times.
    Returns:
        JSON-able: `games`; `cut_off`, games left out because they went on for too long under some kind of luck; and
        for each result (`who wins`; `score` where the game keeps scores) and kind of luck its share of the variance
        `alone` and in `total`, each with `estimate`, `low` and `high`.
    Raises:
        UserMistake: more than MOST_GAMES. GameTooLong: too many games go on for too long.
    """
    if games > MOST_GAMES:
        raise UserMistake(f"--games {games:,}: a luck ledger takes at most {MOST_GAMES:,}; 100,000 are plenty.")
    kinds = kinds_of_luck(match.game)
    others = {kind: [name for other in kinds if other != kind for name in kinds[other]] for kind in kinds}
    epochs = [
        {},
        *(dict.fromkeys(kinds[kind], 1) for kind in kinds),
        *(dict.fromkeys(others[kind], 1) for kind in kinds),
    ]
    base, *again = ended_in_all(*(play_ended(match, seed, games, epochs=some) for some in epochs))
    if base.size < 2:
        raise UserMistake(
            f"{base.size} of {games:,} games ended under every kind of luck: a luck ledger takes 2 or more."
        )
    redrawn = dict(zip(kinds, again[: len(kinds)], strict=True))
    kept = dict(zip(kinds, again[len(kinds) :], strict=True))
    ledger = {}
    for what, read in _results(match.game).items():
        shares = luck_shares(
            read(base), {kind: read(rows) for kind, rows in redrawn.items()},
            {kind: read(rows) for kind, rows in kept.items()},
        )  # fmt: skip
        ledger[what] = {
            kind: {
                name: {"estimate": share.value, "low": share.low, "high": share.high}
                for name, share in (("alone", part.alone), ("total", part.total))
            }
            for kind, part in shares.items()
        }
    return {"games": int(base.size), "cut_off": games - int(base.size), "ledger": ledger}


def _results(game: Game) -> Mapping[str, Any]:
    def winners(rows: Array) -> Array:
        return all_won(rows, len(game.seats)).astype(np.int64)

    def scores(rows: Array) -> Array:
        return np.asarray(rows["score"], np.float64)

    return {"who wins": winners, "score": scores} if game.has_scores else {"who wins": winners}
