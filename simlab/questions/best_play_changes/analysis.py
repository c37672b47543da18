"""Single changes of a knob, judged in best play.

Best play is computed again for every listed change, with all bots of the experiment: a change that stops one line of
play may open another. The change closest to the target is then played on held-out seeds, because the closest of many
changes in the first games is partly chosen by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.game import KnobValue
from simlab.present.answer import Answer, Rate
from simlab.present.estimate import Estimate
from simlab.questions.finished_run import FinishedRun
from simlab.questions.single_changes.analysis import KnobChange
from simlab.registry import load_game
from simlab.runs.cells import Cell, cells
from simlab.runs.truncation import play_ended
from simlab.spec.experiment import Experiment
from simlab.stats.figure import win_name
from simlab.stats.intervals import Floats
from simlab.stats.tournament import floored, solve, sup_t

Mix = tuple[dict[int, float], dict[int, float]]  # place of a bot -> share, of the first seat and of the second

HELD_OUT = 4  #: factor for the number of games of each match-up on held-out seeds
_SENT = 0.005  # a bot with less of the mix than this is not sent
_TINY = 1e-9  # of a win rate: a better reply by less than this is rounding


class Change(KnobChange):
    """A change of one knob.

    Attributes:
        win_rate: win rate of the first seat in best play. bots: seat -> bot -> share of best play, the most frequent
            first.
    """

    win_rate: Rate
    bots: dict[str, dict[str, float]]


class Closest(Change):
    """The change closest to the target, with its results on held-out seeds. games: games of each match-up."""

    games: int
    seed: int


class BestPlayChanges(Answer, form="best-play-changes"):
    """Answer of `simlab report FOLDER --section best_play_changes`.

    Attributes:
        seat: the first seat. target: its share of the wins in the contract; if the contract has none, a fair share.
        games: number of games of each match-up and change. changes: the changes, the closest to the target first.
    """

    seat: str
    target: float
    games: int
    changes: tuple[Change, ...]
    closest: Closest


def after_run(run: FinishedRun) -> BestPlayChanges | None:
    """Plays the changes that the experiment lists."""
    return play(run.experiment) if run.experiment.remedies else None


def play(experiment: Experiment) -> BestPlayChanges:
    """Plays each change of `experiment.remedies` with all bots, and the closest again on held-out seeds.

    Raises:
        GameTruncated: too many games of a change are truncated. BotFault: a bot failed.
    """
    game = load_game(experiment.table_ref())
    seats, payoff = list(game.seats), Payoff.of_seat(game, 0, by_score=False)
    bots = [list(experiment.bots[seat]) for seat in seats]
    shape = len(bots[0]), len(bots[1]) if len(bots) > 1 else 1
    wanted = experiment.contract.get(win_name(seats[0]))
    target = wanted.target if wanted is not None and wanted.target is not None else 1 / len(seats)
    table, base, games = cells(experiment), experiment.base, experiment.remedy_games

    def played_with(change: Mapping[str, KnobValue], seed: int, games: int) -> _Table:
        return _Table([replace(cell, varied=dict(change)) for cell in table], seed, games, shape, payoff)

    changes: list[tuple[Change, Mapping[str, KnobValue], Mix]] = []
    mix: Mix = ({0: 1.0}, {0: 1.0})
    for change in experiment.remedies:
        played = played_with(change, experiment.seed, games)
        mix = _best_mix(played, mix)
        ((knob, value),) = change.items()
        named = {
            seat: {texts[bot]: share for bot, share in sorted(shares.items(), key=lambda pair: -pair[1])}
            for seat, texts, shares in zip(seats, bots, mix, strict=False)
        }
        found = Change(knob=knob, before=base[knob], value=value, win_rate=_value(played, mix), bots=named)
        changes.append((found, change, mix))
    changes.sort(key=lambda one: abs(one[0].win_rate.value - target))
    closest, nearest, mix = changes[0]
    seed = (experiment.seed + 1) % (1 << 63)
    held_out = _value(played_with(nearest, seed, HELD_OUT * games), mix)
    return BestPlayChanges(
        seat=seats[0], target=target, games=games, changes=tuple(found for found, _, _ in changes),
        closest=Closest(**{**dict(closest), "win_rate": held_out}, games=HELD_OUT * games, seed=seed),
    )  # fmt: skip


@dataclass
class _Table:
    """The match-ups of all bots at one setting, played when first used. shape: bots of each seat; 1 without a seat."""

    cells: Sequence[Cell]
    seed: int
    games: int
    shape: tuple[int, int]
    payoff: Payoff
    _won: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def won(self, row: int, column: int) -> Floats:
        """The value of each game to the first seat; nan for truncated games."""
        if (row, column) not in self._won:
            rows = play_ended(self.cells[row * self.shape[1] + column].match(), self.seed, self.games)
            parts = np.full(self.games, np.nan)
            parts[np.asarray(rows["game"], np.int64)] = self.payoff.values(rows)
            self._won[row, column] = parts
        return self._won[row, column]

    def replies(self, mix: Mix) -> tuple[Floats, Floats]:
        """The value of each game to the first seat: of each of its bots against the second seat's mix, (games, rows),
        and of its mix against each bot of the second seat, (games, columns).
        """
        to_second = [sum(share * self.won(row, j) for j, share in mix[1].items()) for row in range(self.shape[0])]
        to_first = [sum(share * self.won(i, column) for i, share in mix[0].items()) for column in range(self.shape[1])]
        return np.stack(to_second, axis=1), np.stack(to_first, axis=1)


def _best_mix(table: _Table, start: Mix) -> Mix:
    """Best play of both seats. Starts with the bots of `start` and adds better replies until there are none.

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
    """Bot -> share of a mix, without bots with a negligible share."""
    kept = {bot: float(share) for bot, share in zip(bots, shares, strict=True) if share >= _SENT}
    return {bot: share / sum(kept.values()) for bot, share in kept.items()}


def _value(table: _Table, mix: Mix) -> Estimate:
    """Win rate of the first seat in best play.

    The first seat can guarantee the wins of its mix against the worst reply, and never wins more than its best reply to
    the second's mix. The value therefore lies between the smallest result of the first seat's mix and the largest
    result against the second seat's mix. The intervals hold for all results together (sup-t).
    """
    both = np.hstack(table.replies(mix))
    both = both[~np.isnan(both).any(axis=1)]
    mean, games = both.mean(axis=0), np.full(both.shape[1], len(both))
    shared = floored(np.atleast_2d(np.cov(both, rowvar=False)) / len(both), games)
    half = sup_t(shared) * np.sqrt(np.diag(shared))
    rows = table.shape[0]
    played = [share * other * np.nanmean(table.won(i, j)) for i, share in mix[0].items() for j, other in mix[1].items()]
    low, high = (mean - half)[rows:].min(), (mean + half)[:rows].max()
    return Estimate(float(sum(played)), float(max(low, 0.0)), float(min(high, 1.0)))
