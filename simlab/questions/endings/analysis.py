"""Endings of the games of a run: how often, when, who wins, and means of the metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from simlab.engine.payoff import Payoff
from simlab.game import Metric
from simlab.present.answer import Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, words
from simlab.questions.metrics.analysis import empty_metrics
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.rows import Games
from simlab.runs.view import MOST_CELLS, View, view_of
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each

MOST_ROWS = 40  #: groups of cells
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  #: of the scores of an ending


class EndingGames(Part):
    """The games that ended in one way.

    Attributes:
        share: share of all games; the intervals hold for all endings together. by_turn: games by their last turn, from
            turn 0.
        wins: seat -> share of these games that it won, alone or with others; empty without rows.
        scores: seat -> the 5, 25, 50, 75 and 95 % quantiles of its score; empty without rows or scores.
        means: metric -> mean or share; empty without rows.
    """

    ending: str
    games: int
    share: Rate
    by_turn: tuple[int, ...]
    wins: dict[str, Rate] = Field(default_factory=dict)
    scores: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    means: dict[str, Number] = Field(default_factory=dict)
    list_games: GamesLink | None = None


class Group(Part):
    """Shares of the endings in some cells, in the order of `Endings.endings`."""

    label: str
    shares: tuple[Rate, ...]
    list_games: tuple[GamesLink | None, ...]


class Endings(GamesAnswer, form="endings-counted"):
    """How games end.

    Attributes:
        endings: the endings that occurred. never: the endings that did not.
        groups: cells, or groups of cells if there are many (`grouped`); empty for one cell.
        most_often: the most frequent combination of ending and last turn, and its share. It was selected by these
            games, so the interval holds for all endings and turns together.
    """

    endings: tuple[EndingGames, ...]
    never: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    grouped: bool = False
    most_often: tuple[str, int, Rate]
    most_often_games: GamesLink | None = None


def ending_shares(pool: Pool) -> list[Estimate]:
    """Share of each ending; the intervals hold for all endings together (Goodman)."""
    level = level_of_each(LEVEL, len(pool.endings))
    return [pool.ending(place, level) for place in range(len(pool.endings))]


def of_run(results: Any, brief: bool = False) -> Endings:
    """The endings of a run. brief: only their shares, which needs no rows."""
    view = view_of(results)
    shown = [place for place in range(len(view.endings)) if view.all.endings[place]]
    counts = view.all.sum("outcomes").sum(axis=0)
    place, turn = (int(at) for at in np.unravel_index(int(counts.argmax()), counts.shape))
    most = f"{drill_down.ending_is(view, place)} and turns = {turn}"
    most_games, strict = int(counts[place, turn]), level_of_each(LEVEL, int(np.count_nonzero(counts)))
    pools = view.groups()
    return Endings.of(
        view,
        endings=_endings(view, shown, brief),
        never=tuple(words(name) for name, games in zip(view.endings, view.all.endings, strict=True) if not games),
        groups=tuple(_group(view, pool, shown) for pool in pools[: MOST_ROWS - 1]) if len(pools) > 1 else (),
        grouped=view.grouped,
        most_often=(words(view.endings[place]), turn, view.all.share(float(most_games), level=strict)),
        most_often_games=drill_down.games_where(view, view.all, most_games, most, f"those of {view.turn_name} {turn}"),
    )


def _group(view: View, pool: Pool, shown: list[int]) -> Group:
    shares = ending_shares(pool)
    links = tuple(drill_down.ended(view, pool, place) for place in shown)
    return Group(label=pool.label, shares=tuple(shares[place] for place in shown), list_games=links)


def _endings(view: View, shown: list[int], brief: bool) -> tuple[EndingGames, ...]:
    shares, counts = ending_shares(view.all), view.all.sum("outcomes").sum(axis=0)
    games = None if brief or len(view.cells) > MOST_CELLS else view.rows
    of_rows = _of_rows(view, games, shown) if games else {}
    return tuple(
        EndingGames(
            ending=words(view.endings[place]), games=int(view.all.endings[place]), share=shares[place],
            by_turn=tuple(counts[place].tolist()), list_games=drill_down.ended(view, view.all, place),
            **of_rows.get(place, {}),
        )
        for place in shown
    )  # fmt: skip


def _of_rows(view: View, games: Games, shown: list[int]) -> dict[int, dict[str, Any]]:
    """Wins, scores and means of the games of each ending; each column is read once."""
    every, empty = games.rows("ending"), empty_metrics(view)
    assert every is not None
    games_of = {place: here for place in shown if (here := every.values == place).any()}
    found: dict[int, dict[str, Any]] = {place: {"wins": {}, "scores": {}, "means": {}} for place in games_of}
    seats = {score_name(raw): seat for raw, seat in zip(view.raw_seats, view.seats, strict=True) if view.has_scores}
    for name in ("turns", "decisions", *seats, *(metric.name for metric in view.metrics if metric.name not in empty)):
        values, about = games.values(name), view.measures.get(name)
        for place, here in games_of.items() if values is not None else ():
            for label, numbers, among, rate in _parts(about, name, values, here):
                ends = (None, None) if rate or about is None else (about.low, about.high)
                found[place]["means"][words(label)] = every.among(numbers, among, rate).within(*ends)
            if name in seats:
                quantiles = np.quantile(values[here], QUANTILES, method="nearest")
                found[place]["scores"][seats[name]] = tuple(map(float, quantiles))
    for seat, label in enumerate(view.labels):
        won = games.values(Payoff.win(seat))
        for place, here in games_of.items():
            found[place]["wins"][label] = every.among(won, here, rate=True)
    return found


def _parts(metric: Metric | None, name: str, values: Any, here: Any) -> list[tuple[str, Any, Any, bool]]:
    """The parts of a column that are averaged over rows: (label, numbers, rows that count, whether it is a share)."""
    if metric is None or metric.kind == "number":
        return [(name, values, here, False)]
    if metric.kind == "category":
        return [(f"{name}: {metric.codes[code]}", values == code, here, True) for code in metric.codes]
    happened = values != metric.never
    return [
        (f"{name}: share of games", happened, here, True),
        (f"{name}, where it happened", values, here & happened, False),
    ]
