"""Results in the form that the report uses: names, cells and exact counts, for any game.

simlab.runs.results has checked the data already. Texts may be untrusted: this module shortens them and removes
characters that are not printable, once for the whole report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import figures_of, side_endings, sides_of
from simlab.engine.payoff import Payoff
from simlab.errors import InputError, RunFailed
from simlab.game import Metric
from simlab.present.estimate import LEVEL, is_number, plain, value_text
from simlab.runs.cell_pools import Cell, Pool
from simlab.runs.names import dict_of, list_of
from simlab.runs.rows import MOST, Column, Games, Rows
from simlab.stats.figure import Figures
from simlab.stats.intervals import Floats, difference_of_rates
from simlab.stats.p_values import rates_p_value
from simlab.stats.paired import PairedDifference, paired_difference
from simlab.stats.tournament import floored
from simlab.words import line_up

if TYPE_CHECKING:
    from simlab.runs.results import Results

MANY = 12  #: more cells than this number are shown in groups
MOST_CELLS = 400  #: size limit of tables of games by cells
_FEWEST = 100  # games needed to measure the correlation
MOST_ROWS = 500  #: most lines of a table on the page


class View:
    """Results as the report reads them; any hostile content has been turned into plain text."""

    def __init__(self, results: Results, only: Iterable[Any] | None = None) -> None:
        self.results = results
        if only is None and len(results.sizes) > 1:
            known = ", ".join(map(str, results.sizes))
            raise InputError(
                f"this run has games of {known} players, and their seats have different fair shares: look at one, as "
                f"results.table({results.sizes[0]})."
            )
        self.manifest = dict_of(results.manifest)
        self.config = dict_of(results.experiment)
        self.names = names = results.names.shown()
        about = dict_of(self.config.get("experiment")) or self.config
        self.name = plain(about.get("name", "results"), 120)
        self.question = plain(about.get("question", "") or "", 1000)
        self.hypothesis = plain(about.get("hypothesis", "") or "", 1000)
        self.notes = plain(about.get("notes", "") or "", 4000)
        self.seed = plain(about.get("seed", self.manifest.get("seed", "?")), 30)
        self.slug, self.title, self.turn_name, self.article = names.slug, names.title, names.turn_name, names.article
        self.raw_seats, self.raw_endings = list(names.seats), list(names.endings)
        self.seats = [plain(seat, 60) for seat in self.raw_seats]
        self.endings = [plain(ending, 60) for ending in self.raw_endings]
        self.rules, self.decisions, self.tracks = names.rules, names.decisions, names.tracks
        self.metrics, self.measures, self.has_scores = names.metrics, names.measures, names.has_scores
        self.uses, self.items, self.hexes, self.hex_marks = names.uses, names.items, names.hexes, names.hex_marks
        self.studies = results.studies
        self.cells: list[Cell] = []  #: in the order of the experiment; each game is in only one of them
        self.twins: list[tuple[Cell, Cell]] = []  #: (left out, another cell with the same games)
        first: dict[str, Cell] = {}
        for source in results.cells if only is None else only:
            cell = Cell(source, self.raw_seats)
            if cell.source.key in first:  # the same games under another name add no evidence
                self.twins.append((cell, first[cell.source.key]))
            else:
                self.cells.append(cell)
                first[cell.source.key] = cell
        if not any(cell.games for cell in self.cells):
            if results.failed:
                first = results.failed[0]
                raise RunFailed(
                    f"{self.name}: none of its games could be played. The first: {first['why']}\n"
                    f"Replay it: {first['replay']}"
                )
            raise InputError(f"{self.name}: no game was played, so there is nothing to report. Run it first.")
        #: seat -> bots that took it, in the order of the experiment
        self.bots = {seat: list(dict.fromkeys(cell.bots[seat] for cell in self.cells)) for seat in self.raw_seats}
        self.varied = self._varied()  #: knob -> its values in this run, numbers ascending; only if several
        if self.base:
            for cell in self.cells:
                cell.usual = self.base
        self.answers: dict[str, Any] = {}  # of questions (simlab.questions.charts), by name
        self._measured: dict[Column, Floats | None] = {}
        self._by_bot: dict[int, list[Pool]] = {}

    @property
    def own_metrics(self) -> list[Metric]:
        """The designer's own metrics (docs/add-a-metric.md), one column each."""
        named = [
            str(c) for one in map(dict_of, list_of(self.manifest.get("metrics"))) for c in list_of(one.get("columns"))
        ]
        return [metric for metric in self.metrics if metric.name in named]

    @property
    def has_sides(self) -> bool:
        """Whether some seats win and lose together."""
        return bool(self.names.sides)

    @cached_property
    def fair_share(self) -> float:
        """Win rate of each seat if all won equally often: the mean number of winners over the number of seats."""
        return float(self.all.wins.sum()) / (len(self.seats) * self.games)

    @cached_property
    def labels(self) -> list[str]:
        """The names of the seats in tables: as `red (reformer)` if every seat has one bot and the bots differ."""
        bots = [self.bots[seat] for seat in self.raw_seats]
        if len(bots) < 3 or any(len(names) > 1 for names in bots) or len({names[0] for names in bots}) < 2:
            return self.seats
        return [f"{seat} ({plain(names[0], 40)})" for seat, names in zip(self.seats, bots, strict=True)]

    @property
    def shares_wins(self) -> bool:
        """Whether some games were won by several seats that are not a side: such wins are also counted in parts."""
        return not self.has_sides and len(self.seats) > 1 and self.all.shared > 0

    @property
    def mirrored(self) -> bool:
        """Whether one seat's win rate determines the other's: two seats, and no game without a single winner."""
        return len(self.seats) == 2 and self.all.without_single == 0

    @property
    def joint_sides(self) -> list[tuple[int, str]]:
        """(place, "village holds") of each side of several seats: a side of one seat is the seat itself."""
        return [(i, f"{name} {wins}") for i, (name, places, wins) in enumerate(self.sides) if len(places) > 1]

    @cached_property
    def sides(self) -> list[tuple[str, tuple[int, ...], str]]:
        """(name, places of its seats, its verb when it wins) of each side; by default each seat is its own."""
        if not self.has_sides:
            return [(seat, (place,), "wins") for place, seat in enumerate(self.seats)]
        return [(plain(name, 60), places, plain(wins, 40)) for name, places, wins in sides_of(self.names)]

    @property
    def side_endings(self) -> list[tuple[int, ...]]:
        """The positions of the endings in which each of `sides` can win; empty if there are no limits."""
        return side_endings(self.names)

    def payoff(self, seat: int) -> Payoff:
        """The value of a game to a seat, in wins, not in score, which is a statistic of its own."""
        return Payoff.of_seat(self.names, seat, by_score=False)

    def side_payoff(self, side: int) -> Payoff:
        """The value of a game to a side; its `alone` is 1 if the side wins."""
        return Payoff.of_side(self.names, side)

    def side_of(self, seat: int) -> int:
        """The place of a seat's side."""
        return next(side for side, (_, places, _) in enumerate(self.sides) if seat in places)

    @property
    def first_winner(self) -> str:
        """The first seat, or its side if all of that side's seats won the same games."""
        side = self.side_of(0)
        won = round(self.all.side_rate(side).value * self.games)
        return self.sides[side][0] if won == int(self.all.wins[0]) else self.seats[0]

    @cached_property
    def figures(self) -> Figures:
        """All statistics of the game."""
        return figures_of(self.names)

    def the(self, seat: str) -> str:
        """A seat within a sentence: "the besieger", but "ann" (Game.article)."""
        return f"{self.article} {seat}".lstrip()

    def the_side(self, name: str) -> str:
        """A side or seat within a sentence: with an article in games with sides, "the village", else as `the` does."""
        return f"the {name}" if self.has_sides else self.the(name)

    @property
    def games(self) -> int:
        return sum(cell.games for cell in self.cells)

    @cached_property
    def vary(self) -> dict[str, Any]:
        """How the knobs vary, as in resolved.json; empty if nothing varies."""
        return dict_of(self.config.get("vary"))

    @property
    def method(self) -> str:
        """How the points of the experiment were made: `grid`, `one_at_a_time`, ..."""
        return str(self.vary.get("method", "grid"))

    @property
    def designed(self) -> bool:
        """Whether the settings are a design with a separate analysis; pooling them by one knob would mislead."""
        return self.method in ("one_at_a_time", "saltelli", "morris")

    @cached_property
    def base(self) -> dict[str, Any]:
        """The base values of an experiment with one change at a time; empty for other experiments."""
        knobs, rows = list_of(self.vary.get("knobs")), list_of(self.vary.get("rows"))
        if self.method != "one_at_a_time" or not rows or len(list_of(rows[0])) != len(knobs):
            return {}
        return {str(knob): value for knob, value in zip(knobs, rows[0], strict=True)}

    @cached_property
    def contract(self) -> dict[str, dict[str, Any]]:
        return {str(name): dict_of(wanted) for name, wanted in dict_of(self.config.get("contract")).items()}

    def _varied(self) -> dict[str, list[Any]]:
        by_knob: dict[str, list[Any]] = {}
        for cell in self.cells:
            for name, value in cell.varied.items():
                values = by_knob.setdefault(name, [])
                if value not in values or type(value) not in map(type, values):
                    values.append(value)
        several = {name: values for name, values in by_knob.items() if len(values) > 1}
        return {n: sorted(v) if all(is_number(x) for x in v) else v for n, v in several.items()}

    @property
    def is_grid(self) -> bool:
        """Whether every value of each knob was played with every value of the others."""
        points = {tuple(repr(cell.varied.get(name)) for name in self.varied) for cell in self.cells}
        return len(points) == math.prod(len(values) for values in self.varied.values())

    @property
    def is_matrix(self) -> bool:
        """Whether there are two seats with several bots in one of them."""
        return len(self.seats) == 2 and max(len(bots) for bots in self.bots.values()) > 1

    @property
    def fixed_bots(self) -> str:
        """The bots, as in ", stormer v warden", for the title of a table whose lines are settings; else empty."""
        if not self.varied or any(len(bots) > 1 for bots in self.bots.values()):
            return ""
        return ", " + line_up({seat: bots[0] for seat, bots in self.bots.items()})

    # --- pools

    @cached_property
    def all(self) -> Pool:
        """All cells together."""
        return self.pool("all cells", self.cells)

    def pool(self, label: str, cells: Sequence[Cell]) -> Pool:
        return Pool(label, cells, self)

    @cached_property
    def _place(self) -> dict[int, int]:
        return {id(cell): i for i, cell in enumerate(self.cells)}

    def cell_label(self, cell: Cell) -> str:
        """Label that distinguishes the cell: the bots if there are several, and the knobs that vary."""
        parts = []
        if any(len(bots) > 1 for bots in self.bots.values()) or not self.varied:
            parts.append(line_up(cell.bots))
        if self.varied:
            parts.append(cell.point)
        return ", ".join(parts) or cell.label

    def cells_by(self, key: Callable[[Cell], Any]) -> dict[Any, list[Cell]]:
        """Key -> its cells, in the order of their first cells."""
        groups: dict[Any, list[Cell]] = {}
        for cell in self.cells:
            groups.setdefault(key(cell), []).append(cell)
        return groups

    def by_bot(self, seat: int) -> list[Pool]:
        """A pool for each bot of a seat, over all opponents and knobs."""
        if seat not in self._by_bot:
            name = self.raw_seats[seat]
            self._by_bot[seat] = [
                self.pool(bot, [c for c in self.cells if c.bots[name] == bot]) for bot in self.bots[name]
            ]
        return self._by_bot[seat]

    def by_value(self, knob: str) -> list[Pool]:
        """A pool for each value of a knob, over all match-ups and other knobs."""
        return [
            self.pool(f"{plain(knob, 40)} = {value_text(v)}", [c for c in self.cells if c.varied.get(knob) == v])
            for v in self.varied[knob]
        ]

    def groups(self, most: int = MANY) -> list[Pool]:
        """The cells, or, if there are more than `most`, groups of cells by the knob that varies or by bot."""
        if len(self.cells) <= most:
            return [self.pool(self.cell_label(cell), [cell]) for cell in self.cells]
        if len(self.varied) == 1:
            knob = next(iter(self.varied))
            if len(self.varied[knob]) <= 3 * most:
                return self.by_value(knob)
        several = [i for i, seat in enumerate(self.raw_seats) if len(self.bots[seat]) > 1]
        if several and sum(len(self.bots[self.raw_seats[i]]) for i in several) <= 3 * most:
            return [self.pool(f"{self.seats[i]}: {pool.label}", pool.cells) for i in several for pool in self.by_bot(i)]
        return [self.all]

    @property
    def grouped(self) -> bool:
        """Whether `groups` had to pool cells."""
        return len(self.cells) > MANY

    # --- correlation of cells

    def covariance(self, column: Column) -> Floats | None:
        """Covariance of the cells' means of a column, such as a win rate, (cells, cells); None if there are no rows."""
        if column not in self._measured:
            table = self.by_game(column) if len(self.cells) > 1 else None
            self._measured[column] = None if table is None else self.shared(table)
        return self._measured[column]

    def shared(self, table: Floats) -> Floats:
        """Covariance of the cells' means of a number, from a table (games, cells) as `by_game` gives it."""
        games = np.array([cell.games for cell in self.cells], np.float64)
        shared = np.atleast_2d(np.cov(table, rowvar=False))
        # Only games that both cells played are correlated: the first min(n, m).
        both = np.minimum(games[:, None], games[None, :])
        return np.asarray(shared * both / (games[:, None] * games[None, :]), np.float64)

    def weights(self, group_of: Sequence[int], groups: int) -> Floats:
        """Share of each cell in the games of its group, (groups, cells); -1: it is in no group."""
        table = np.zeros((groups + 1, len(self.cells)))
        table[group_of, np.arange(len(self.cells))] = [cell.games for cell in self.cells]
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1), np.float64)[:groups]

    def covariance_of_groups(self, weights: Floats, rates: Floats, table: Floats | None) -> Floats:
        """Covariance of the means of groups of cells, shape (groups, groups).

        Args:
            weights: as `weights` gives them. rates: means of the cells. table: their numbers by game, as `by_game`;
                None: as if the cells of a group were fully correlated, and the groups independent.
        """
        games = np.array([cell.games for cell in self.cells], np.float64)
        if table is None:
            shares = np.minimum(rates, 1.0)
            covariance = np.diag((weights @ np.sqrt(shares * (1 - shares) / np.maximum(games, 1))) ** 2)
        else:
            covariance = weights @ self.shared(table) @ weights.T
        return floored(covariance, (weights > 0) @ games)

    def paired(
        self, column: Column, before: Sequence[Cell], after: Sequence[Cell], level: float = LEVEL,
        most: float | None = None,
    ) -> PairedDifference | None:  # fmt: skip
        """Mean of a column over some cells minus its mean over others, game by game; None if rows are unknown."""
        table = self.by_game(column)
        if table is None:
            return None
        one, two = (table[:, [self._place[id(cell)] for cell in cells]].mean(axis=1) for cells in (before, after))
        return paired_difference(one, two, level, most)

    def change(
        self, payoff: Payoff, before: Sequence[Cell], after: Sequence[Cell], level: float = LEVEL
    ) -> PairedDifference:
        """Mean value of the games of some cells minus that of others, game by game if rows are known."""
        paired = self.paired(payoff, before, after, level)
        if paired is not None:
            return paired
        one, two = (  # cells share their random draws, so k cells count as one cell with that number of games
            (
                sum(payoff.total(cell.tally) for cell in cells) / len(cells),
                sum(cell.games for cell in cells) / len(cells),
            )
            for cells in (before, after)
        )
        gap, low, high = difference_of_rates(*one, *two, level)
        return PairedDifference(0, gap, low, high, rates_p_value(*one, *two), math.nan, 1)

    def won(self, seat: int) -> Floats | None:
        """Whether a seat won (alone or with others) each game that all cells played; same shape as `by_game`."""
        return self.by_game(Payoff.win(seat))

    def by_game(self, column: Column) -> Floats | None:
        """A column of the games that all cells played, (games, cells); None if rows were not kept, or are too many."""
        if self._paired is None or len(self.cells) > MOST_CELLS:
            return None
        values = self._paired.values(column)
        if values is None:
            return None
        table = self._paired.by_game(values, int(min(cell.games for cell in self.cells)))
        return table if len(table) >= _FEWEST else None

    def rows_of(self, column: Column, cells: Sequence[Cell] | None = None) -> Rows | None:
        """A column of the rows of some cells, or of all; None if the rows were not kept, or are too many."""
        places = None if cells is None else [self._place[id(cell)] for cell in cells]
        return None if self._paired is None else self._paired.rows(column, places)

    @cached_property
    def rows(self) -> Games | None:
        """The rows of the games; None if they were not kept, or are too many."""
        if self.games > MOST:
            return None
        return Games.of(self.results, [cell.source.key for cell in self.cells], self.raw_seats, self.raw_endings)

    @cached_property
    def _paired(self) -> Games | None:
        """The rows, if each cell has enough rows to measure its correlation with the others."""
        return None if min(cell.games for cell in self.cells) < _FEWEST else self.rows

    def printed(self, knob: str) -> Any:
        """The printed value of a knob; None if this run does not have it."""
        return self.names.printed.get(knob) if self.names.printed.get(knob) in self.varied[knob] else None


def view_of(source: Any) -> View:
    """The view of results, or of one of their cells, made once for all questions of a report; a view stays as is."""
    if isinstance(source, View):
        return source
    if hasattr(source, "results") and hasattr(source, "tally"):  # a cell
        return View(source.results, only=[source])
    view: View = vars(source).get("_view") or View(source)
    vars(source)["_view"] = view
    return view
