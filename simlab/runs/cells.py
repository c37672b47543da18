"""The cells of an experiment: a cell is a point with one match-up of bots.

An experiment plays all its points with all its match-ups, in an order that depends only on the experiment.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simlab.errors import InputError
from simlab.game import KnobValue

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.spec.experiment import Experiment

from simlab.spec.design import MAX_CELLS, PLAYERS, Point, show_point
from simlab.words import line_up


@dataclass(frozen=True)
class Cell:
    """One row of an experiment's table: a match-up at a point. It has only texts and numbers, so it can be pickled."""

    index: int  #: its place in the experiment
    label: str  #: its name for people: the bots, then the knobs that vary; unique among the cells
    game: str  #: slug of the game, or the absolute path of its folder
    settings: Point  #: knobs set for all cells
    base: Point  #: all knobs under these settings
    varied: Point  #: the knobs that vary, at this point
    bots: dict[str, str]  #: seat -> bot, as `simlab.bot_registry.load_bot` reads it from any folder
    bot_labels: dict[str, str]  #: seat -> bot as the user wrote it
    tables: dict[str, Path]  #: component tables that are replaced by a file, with absolute paths
    games: int  #: the largest number if the experiment has a [stop]
    widest: str = ""  #: if player counts vary, the game at the largest one, whose columns the rows use

    @property
    def knobs(self) -> Point:
        """All knobs of the cell, including defaults."""
        return {**self.base, **self.varied}

    def match(self) -> Match:
        """The match that plays the cell; InputError: the game, a bot or a table is gone, or no longer fits."""
        from simlab.engine.match import Match
        from simlab.registry import load_game

        # Only what differs from the defaults: the match repeats it in the commands that it prints.
        changed = {n: v for n, v in {**self.settings, **self.varied}.items() if not (self.widest and n == PLAYERS)}
        return Match(load_game(self.game), knobs=changed, tables=self.tables, bots=self.bots)

    def key(self, seed: int) -> str:
        """16 hex digits from rules, knobs, cards, bots and seed: they identify the cell's games, not their number."""
        return cell_key(self.match().key, seed)


def cell_key(match_key: str, seed: int) -> str:
    """`Cell.key`, computed from a match that is already loaded."""
    return hashlib.sha256(f"{match_key} {seed}".encode()).hexdigest()[:16]


def cells(experiment: Experiment) -> list[Cell]:
    """All match-ups at all points, one player count after the other; InputError: more than MAX_CELLS cells."""
    widest = experiment.table_ref() if experiment.sizes else ""
    listed: list[Cell] = []
    for size in experiment.sizes or (None,):
        seats = list(experiment.bots)[:size]
        rows = [row for row in experiment.rows if size is None or row[PLAYERS] == size]
        pairs = [list(zip(experiment.bots[seat], experiment.bot_refs[seat], strict=True)) for seat in seats]
        for places in _match_ups(experiment, seats, len(rows)):
            match_up = [bots[place] for bots, place in zip(pairs, places, strict=True)]
            labels = {seat: text for seat, (text, _) in zip(seats, match_up, strict=True)}
            refs = {seat: ref for seat, (_, ref) in zip(seats, match_up, strict=True)}
            for row in rows:
                settings = changed(row, rows[0]) if experiment.method == "one_at_a_time" else show_point(row)
                label = ", ".join([line_up(labels), *settings])
                listed.append(
                    Cell(
                        len(listed), label, experiment.table_ref(size), experiment.knobs, experiment.base, row, refs,
                        labels, experiment.card_files, experiment.most_games, widest,
                    )
                )  # fmt: skip
    return listed


def _match_ups(experiment: Experiment, seats: Sequence[str], points: int) -> Iterable[tuple[int, ...]]:
    """The places of the bots in each match-up; InputError if match-ups times points exceed MAX_CELLS cells."""
    from simlab.runs.tournament import drawn_match_ups, ladder

    bots = [len(experiment.bots[seat]) for seat in seats]
    every = math.prod(bots)
    steps = ladder(bots) if experiment.ladder else []
    count = len(steps) or min(every, experiment.match_ups or every)
    if count * points > MAX_CELLS:
        raise InputError(
            f"{experiment.name}: {' x '.join(map(str, bots))} bots at {points:,} points make {count * points:,} cells; "
            f"an experiment has {MAX_CELLS:,} at most. Name fewer bots, or vary less."
        )
    if not steps and count < every:
        return drawn_match_ups(bots, count, experiment.seed)
    return steps or itertools.product(*map(range, bots))


def changed(point: Mapping[str, KnobValue], base: Mapping[str, KnobValue]) -> list[str]:
    """Difference of a point from the base, written as by `show_point`."""
    return show_point({n: v for n, v in point.items() if v != base.get(n)}) or ["unchanged"]
