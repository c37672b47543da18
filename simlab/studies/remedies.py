"""Which single change of a knob brings best play nearest to where it should be.

Best play is worked out anew for every listed change, with all bots of the experiment: a change that mends one line of
play may open another. The nearest change is then played on fresh seeds, so that it is
not the luckiest of many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simlab.engine.outcome import credit
from simlab.runs.truncation import play_ended
from simlab.stats.figure import win_name
from simlab.stats.tournament import floored, solve, sup_t

if TYPE_CHECKING:
    from simlab.experiments.cells import Cell
    from simlab.experiments.experiment import Experiment
    from simlab.game import KnobValue

Floats = npt.NDArray[np.float64]
Mix = tuple[dict[int, float], dict[int, float]]  # place of a bot -> share, of the first seat and of the second

FRESH = 4  #: times as many games of each match-up on fresh seeds
_SENT = 0.005  # a bot with less of the mix than this is not sent
_TINY = 1e-9  # of a win rate: below it a better reply is rounding


def remedies(experiment: Experiment) -> dict[str, Any]:
    """Plays each change of `experiment.remedies` with all bots, and the nearest to the target again on fresh seeds.

    Returns:
        JSON-able: `seat`, the first; `target`, its share of the wins that is wanted: the contract's, else an equal
        one; `games` of each match-up and change; `changes`, each with `knob`, `before`, `value`, `win_rate` in best
        play (`estimate`, `low`, `high`) and `bots` (seat -> bot -> share of best play); `nearest`, the change that
        comes nearest to the target, its figures those of fresh seeds, with their number of `games` and `seed`.
    Raises:
        GameTruncated: too many games of a change go on for too long. BotFault: a bot failed.
    """
    from simlab.experiments.cells import cells

    game = experiment.load_game()
    seats = list(game.seats)
    bots = [list(experiment.bots[seat]) for seat in seats]
    wanted = experiment.contract.get(win_name(seats[0]))
    target = wanted.target if wanted is not None and wanted.target is not None else 1 / len(seats)
    table, base, games = cells(experiment), experiment.knob_base(), experiment.remedy_games
    changes: list[dict[str, Any]] = []
    mixes: list[Mix] = [({0: 1.0}, {0: 1.0})]
    for change in experiment.remedies:
        played = _Table(_changed(table, change), experiment.seed, games, bots)
        mix = _best_mix(played, mixes[-1])
        changes.append({**_of(change, base), "win_rate": _value(played, mix), "bots": _named(seats, bots, mix)})
        mixes.append(mix)
    place = min(range(len(changes)), key=lambda i: abs(changes[i]["win_rate"]["estimate"] - target))
    seed = (experiment.seed + 1) % (1 << 63)
    fresh = _Table(_changed(table, experiment.remedies[place]), seed, FRESH * games, bots)
    confirmed = _value(fresh, mixes[place + 1])
    nearest = {**changes[place], "win_rate": confirmed, "games": FRESH * games, "seed": seed}
    return {"seat": seats[0], "target": target, "games": games, "changes": changes, "nearest": nearest}


def _of(change: Mapping[str, KnobValue], base: Mapping[str, KnobValue]) -> dict[str, Any]:
    ((knob, value),) = change.items()
    return {"knob": knob, "before": base[knob], "value": value}


def _changed(table: Sequence[Cell], change: Mapping[str, KnobValue]) -> list[Cell]:
    return [replace(cell, varied=dict(change)) for cell in table]


def _named(seats: Sequence[str], bots: Sequence[Sequence[str]], mix: Mix) -> dict[str, dict[str, float]]:
    """The bots of best play by seat, the most frequent first."""
    return {
        seat: {texts[bot]: share for bot, share in sorted(shares.items(), key=lambda pair: -pair[1])}
        for seat, texts, shares in zip(seats, bots, mix, strict=False)
    }


class _Table:
    """The match-ups of all bots at one setting, played where they are asked for.

    Attributes:
        shape: bots of the first seat, and of the second (1 in a game of one seat).
    """

    def __init__(self, cells: Sequence[Cell], seed: int, games: int, bots: Sequence[Sequence[str]]) -> None:
        self.shape = (len(bots[0]), len(bots[1]) if len(bots) > 1 else 1)
        self._cells, self._seed, self._games, self._seats = cells, seed, games, len(bots)
        self._won: dict[tuple[int, int], Floats] = {}

    def won(self, row: int, column: int) -> Floats:
        """What the first seat has of each game; nan where it went on for too long."""
        if (row, column) not in self._won:
            rows = play_ended(self._cells[row * self.shape[1] + column].match(), self._seed, self._games)
            parts = np.full(self._games, np.nan)
            parts[np.asarray(rows["game"], np.int64)] = credit(rows, 0, self._seats)
            self._won[row, column] = parts
        return self._won[row, column]

    def replies(self, mix: Mix) -> tuple[Floats, Floats]:
        """Each bot of the first seat against the second's mix, and of the second against the first's.

        Returns:
            what the first seat has of each game: (games, rows), (games, columns).
        """
        to_second = [sum(share * self.won(row, j) for j, share in mix[1].items()) for row in range(self.shape[0])]
        to_first = [sum(share * self.won(i, column) for i, share in mix[0].items()) for column in range(self.shape[1])]
        return np.stack(to_second, axis=1), np.stack(to_first, axis=1)


def _best_mix(table: _Table, start: Mix) -> Mix:
    """Best play of both seats, from the bots of `start` on: whoever finds a better reply adds it, until nobody does.

    Source: double oracle, McMahan, Gordon and Blum (2003), ICML, 536-543.
    """
    rows, columns = list(start[0]), list(start[1])
    while True:
        payoff = np.array([[np.nanmean(table.won(i, j)) for j in columns] for i in rows])
        mix_a, mix_b, value = solve(payoff)
        mix = (_sent(rows, mix_a), _sent(columns, mix_b))
        first, second = (np.nanmean(replies, axis=0) for replies in table.replies(mix))
        up, down = int(first.argmax()), int(second.argmin())
        before = len(rows) + len(columns)
        rows += [up] if first[up] > value + _TINY and up not in rows else []
        columns += [down] if second[down] < value - _TINY and down not in columns else []
        if len(rows) + len(columns) == before:
            return mix


def _sent(bots: Sequence[int], shares: Floats) -> dict[int, float]:
    """Bot -> share of a mix, those that are hardly ever sent left out."""
    kept = {bot: float(share) for bot, share in zip(bots, shares, strict=True) if share >= _SENT}
    return {bot: share / sum(kept.values()) for bot, share in kept.items()}


def _value(table: _Table, mix: Mix) -> dict[str, float]:
    """Win rate of the first seat in best play.

    Whatever the second seat plays, the first can have what its mix brings against the worst reply; and never more than
    its best reply to the second's mix. So the value lies between the least of the one and the greatest of the other,
    whose intervals hold for all of them together (sup-t).
    """
    both = np.hstack(table.replies(mix))
    both = both[~np.isnan(both).any(axis=1)]
    mean, games = both.mean(axis=0), np.full(both.shape[1], len(both))
    shared = floored(np.atleast_2d(np.cov(both, rowvar=False)) / len(both), games)
    half = sup_t(shared) * np.sqrt(np.diag(shared))
    rows = table.shape[0]
    played = [share * other * np.nanmean(table.won(i, j)) for i, share in mix[0].items() for j, other in mix[1].items()]
    return {
        "estimate": float(sum(played)),
        "low": float(max((mean - half)[rows:].min(), 0.0)),
        "high": float(min((mean + half)[:rows].max(), 1.0)),
    }
