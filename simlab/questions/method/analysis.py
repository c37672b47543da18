"""How a run was played and how its numbers are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab import shell
from simlab.engine.payoff import Payoff
from simlab.present.estimate import plain
from simlab.runs.alarms import odd_shards
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.names import dict_of
from simlab.runs.view import View, view_of
from simlab.spec.experiment import asked_words
from simlab.stats.intervals import smallest_change

_MOST_SHARDS, _MOST_ODD = 500, 10  # shards that are compared with the others of their cells, and that are listed


class Method(GamesAnswer, form="method"):
    """How a run was played and how its numbers are computed.

    Attributes:
        games_per_cell: fewest, median and most games in a cell. streams: how random numbers are drawn.
        seats: number of seats. change: the smallest change of a win rate near 50 % that two runs with independent seeds
            detect, in points.
        measured: whether the covariance of the cells was measured; if not, pooled intervals assume the worst case.
        equal_share: the share beyond which a side counts as favoured. cells_word: this run's word for cells.
        contract: whether the run has a contract. precision: half width that the stop rule requires; None without one.
        prespecified: statistics that were named in advance; empty for none.
        command: the command that the user typed. again: the command that gives the same numbers in the folder of the
            report.
        outliers: shards whose outcome counts differ from those of the others of their cell.
        versions: versions of packages, rules and machine.
    """

    games_per_cell: tuple[int, int, int]
    seed: str
    streams: str
    seats: int
    change: float
    measured: bool
    equal_share: str
    cells_word: str
    contract: bool
    precision: float | None
    prespecified: str
    command: str
    again: str
    outliers: tuple[str, ...]
    versions: dict[str, str]


def of_run(results: Any) -> Method:
    view = view_of(results)
    games = [cell.games for cell in view.cells]
    odd = odd_shards(view.results, _MOST_SHARDS)[:_MOST_ODD]
    precision = dict_of(view.config.get("stop")).get("precision")
    return Method.of(
        view, games_per_cell=(min(games), int(np.median(games)), max(games)), seed=view.seed, seats=len(view.seats),
        streams=plain(dict_of(view.manifest.get("streams")).get("how", ""), 1000), change=detectable_change(view),
        measured=len(view.cells) > 1 and view.covariance(Payoff.win(0)) is not None, equal_share=equal_share(view),
        cells_word=cells_word(view), contract=bool(view.contract), prespecified=prespecified(view),
        precision=precision if isinstance(precision, int | float) and precision > 0 else None,
        command=plain(view.results.command, 2000),
        again=shell.join(["simlab", "run", "experiment.toml", "--out", "again"]),
        outliers=tuple(plain(one.sentence, 600) for one in odd), versions=_versions(view),
    )  # fmt: skip


def prespecified(view: View) -> str:
    """The statistics that were named before the games were played."""
    precise = f"the win rate of {view.the(view.seats[0])}" if view.config.get("stop") and view.seats else ""
    return plain(asked_words(view.contract, precise), 600)


def equal_share(view: View) -> str:
    """Win rate of a seat or side if all won equally often: the reference of `favoured`."""
    if len(view.seats) == 2 and not view.has_sides and len(view.cells) > 1 and view.all.without_single:
        return "a fair share of the wins"  # the cells have different ones
    rates = [view.all.side_rate(side).value for side in range(len(view.sides))]
    return f"a fair share ({100 * sum(rates) / len(rates):.3g} %)"


def cells_word(view: View) -> str:
    several = any(len(bots) > 1 for bots in view.bots.values())
    return "match-ups" if several and not view.varied else "cells" if several else "settings"


def detectable_change(view: View) -> float:
    """The smallest change of a win rate near 50 %, in points, that two independent runs detect (80 % power)."""
    return float(100 * smallest_change(0.5, int(np.median([cell.games for cell in view.cells]))))


def _versions(view: View) -> dict[str, str]:
    manifest = view.manifest
    more = {
        **dict_of(manifest.get("versions")),
        "digest of the rules": dict_of(manifest.get("identity")).get("rules", ""),
        "fingerprint of the play": manifest.get("fingerprint", ""),
        "random streams, version": dict_of(manifest.get("streams")).get("version", ""),
        "seed": view.seed,
        "started": manifest.get("created", ""),
        **dict(list(dict_of(manifest.get("machine")).items())[:8]),
    }
    return {plain(name, 60): plain(value, 200) for name, value in more.items() if value not in ("", None)}
