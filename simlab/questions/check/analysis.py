"""Checks of a game: against the contract of an experiment, and against the games of a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from simlab.engine.match import Match
from simlab.engine.outcome import figures_of
from simlab.engine.tally import Tally
from simlab.errors import InputError, nearest
from simlab.game import Array, Game
from simlab.present.answer import Answer, Part
from simlab.present.estimate import Estimate
from simlab.questions.check.baseline import Baseline, BaselineCell, Columns, play_cells, refuse_player_counts
from simlab.questions.comparison import Change, Pair, games_differ
from simlab.questions.contract.analysis import ContractLine, lines_of
from simlab.registry import load_game
from simlab.runs import runner
from simlab.runs.cells import cells
from simlab.runs.events import ProgressCount, no_progress
from simlab.spec.experiment import Experiment, Goal
from simlab.stats.figure import GameFigure
from simlab.stats.intervals import level_of_each
from simlab.stats.paired import Verdict, verdict
from simlab.stats.sequential import games_to_decide, mean_half_width
from simlab.stats.verdict import EXIT_STATUS, UNDECIDED, Clause, Word, band, judge, overall

Direction = Literal["better", "worse"]
LEVEL = 0.95  #: of all intervals of an answer jointly


# --- The contract -------------------------------------------------------------


class ContractVerdict(Answer, form="check", version=2, source="simlab check EXPERIMENT"):
    """The contract of an experiment, judged by its results.

    Attributes:
        budget: most games per cell.
        truncated: a sentence about truncated games; empty without any.
        level: level of all intervals jointly, at any number of games.
    """

    experiment: str
    folder: str
    verdict: Word
    exit_status: int
    games: int
    budget: int
    level: float
    lines: tuple[ContractLine, ...]
    truncated: str


def keep_contract(experiment: Experiment, out: Path | str | None = None, **how: Any) -> ContractVerdict:
    """Plays until each line of the contract is decided in each cell, or the games are used up.

    Args:
        out: folder of the results, by default results/<name>-check. how: options of `simlab.runs.runner.run`.
    Raises:
        InputError: bad input, or an experiment without a contract. GamesFailed, RunFailed: as `run`.
    """
    if not experiment.contract:
        raise InputError(
            f"{experiment.name}: no [contract] to judge. Add one, or compare with a baseline: --against FOLDER."
        )
    tables = [load_game(experiment.table_ref(size)) for size in experiment.sizes] or [load_game(experiment.table_ref())]
    level = level_of_each(LEVEL, len(tables))

    def judged(cells: Mapping[str, Tally]) -> Iterator[Clause]:
        """The contract at each player count, for the statistics that exist at that count. cells: by label."""
        for table in tables:
            figures, players = figures_of(table), len(table.seats)
            goals = experiment.contract.items()
            contract = {name: goal.model_dump(exclude_none=True) for name, goal in goals if figures.has(name)}
            own = [(label, tally) for label, tally in cells.items() if len(tables) == 1 or len(tally.wins) == players]
            if contract and own:
                yield from judge(contract, own, figures, level)

    def still_open(cells: Mapping[str, Tally]) -> set[str]:
        return {line.where for clause in judged(cells) for line in clause.lines if line.verdict == UNDECIDED}

    results = runner.run(experiment, out, judge=still_open, ending="-check", **how)
    clauses = list(judged({cell.label: cell.tally for cell in results.cells}))
    word = overall(clauses)
    return ContractVerdict(
        experiment=experiment.name, folder=str(results.folder), verdict=word, exit_status=EXIT_STATUS[word],
        games=sum(cell.games for cell in results.cells), budget=experiment.most_games, level=LEVEL,
        truncated=results.cut_off, lines=tuple(line for clause in clauses for line in lines_of(clause)),
    )  # fmt: skip


# --- A baseline ---------------------------------------------------------------


class CheckedChange(Change):
    """A statistic before and after, on the same games. Its interval holds at any number of games.

    Attributes:
        verdict: `changed` by more than the tolerance, `no detectable change` beyond it, or `inconclusive`.
        direction: whether it moves towards the contract's band or away; None if the contract does not name it or
            the games do not show it.
        tolerance: change that does not matter, in 0..1 for a rate, else in the unit of the mean. more_games: number of
            games that would decide an inconclusive change; None if no number would.
        matters: whether it is a win rate, the length, a score, or named by the contract.
    """

    direction: Direction | None
    tolerance: float
    more_games: int | None
    matters: bool


class CellCheck(Part):
    """A cell compared.

    Attributes:
        differ: number of games that differ in any column. first: index of the first such game; -1 if there is none.
        columns: columns in which any game differs.
        not_compared: columns that only the baseline or only the new games have.
        knobs: knobs that differ, name -> (before, now); for a new knob, before is None. changes: changes of the
            statistics that vary; empty if no game differs.
        replay: command that replays the first game that differs.
    """

    label: str
    games: int
    differ: int
    first: int
    columns: tuple[str, ...]
    not_compared: tuple[str, ...]
    verdict: Verdict
    direction: Direction | None
    knobs: dict[str, tuple[Any, Any]]
    changes: tuple[CheckedChange, ...]
    replay: str


class Check(Answer, form="check-against", version=3, source="simlab check EXPERIMENT --against BASELINE"):
    """An experiment compared with a baseline. Its verdict is the worst of its cells.

    Attributes:
        same_rules: whether code and tables are those of the baseline.
        new_cells: labels of cells that the baseline does not have.
        level: level of all intervals of all cells jointly, at any number of games.
    """

    baseline: str
    experiment: str
    game: str
    seed: int
    games: int
    differ: int
    same_rules: bool
    verdict: Verdict
    direction: Direction | None
    exit_status: int
    tolerance: float
    level: float
    cells: tuple[CellCheck, ...]
    new_cells: tuple[str, ...]


class WrittenBaseline(Answer, form="baseline", source="simlab check EXPERIMENT --write-baseline FOLDER"):
    """A baseline that was written. bytes: size of its cells and rows. compare: the command that compares with it."""

    baseline: str
    cells: int
    games: int
    bytes: int
    compare: str


Outcome = tuple[Verdict, Direction | None]
#: From the worst to the best.
ORDER: tuple[Outcome, ...] = (
    ("changed", "worse"), ("changed", None), ("inconclusive", None), ("changed", "better"),
    ("no detectable change", None), ("identical", None),
)  # fmt: skip


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    return min(outcomes, key=ORDER.index)


def check_against(
    experiment: Experiment,
    baseline: Baseline,
    *,
    tolerance: float = 0.01,
    notify: ProgressCount = no_progress,
) -> Check:
    """Plays a baseline's games again with the present experiment and rules, and compares.

    Cells are paired by bots and varied knobs. Seed and number of games are the baseline's. All intervals hold jointly,
    at any number of games: half of the error goes to the statistics that matter most (win rates, length, scores, those
    of the contract), half to the rest (Bonferroni in each half).

    Args:
        tolerance: how far a rate may move, the mean length relative to itself, and another mean relative to its range
            in the baseline.
    Raises:
        InputError: another game, or the experiment lacks cells of the baseline.
    """
    if not 0 < tolerance < 1:
        raise InputError(f"--tolerance {tolerance:g}: write a share above 0 and below 1, as 0.01 for 1 %.")
    refuse_player_counts(experiment)
    game = load_game(experiment.table_ref())
    if game.slug != baseline.game:
        raise InputError(f"{baseline.path}: is a baseline of {baseline.game}, but {experiment.name} plays {game.slug}.")
    before = {cell.label: cell for cell in baseline.cells}
    now = [cell.label for cell in cells(experiment)]
    lost = [label for label in before if label not in now]
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise InputError(
            f"{baseline.path}: has a cell '{lost[0]}'{more} that {experiment.name} does not play. "
            f"{nearest(lost[0], now)} Check the experiment that it was written from, or write it again."
        )
    experiment = experiment.replace(seed=baseline.seed)
    games = {label: cell.games for label, cell in before.items()}
    played = [
        _CellComparison(game, baseline, before[cell.label], match, columns, experiment.contract)
        for cell, match, columns in play_cells(experiment, games, notify)
    ]
    sizes = [sum(map(len, groups)) for groups in zip(*(one.groups for one in played), strict=True)]
    each = [1 - (1 - LEVEL) / 2 / max(size, 1) for size in sizes]
    checks = tuple(one.check(tolerance, each) for one in played)
    word, direction = _worst((cell.verdict, cell.direction) for cell in checks)
    return Check(
        baseline=str(baseline.path), experiment=experiment.name, game=game.slug, seed=baseline.seed,
        games=sum(cell.games for cell in checks), differ=sum(cell.differ for cell in checks),
        same_rules=played[0].match.rules_digest == baseline.rules, verdict=word, direction=direction,
        exit_status=3 if word == "inconclusive" else int(word == "changed" and direction != "better"),
        tolerance=tolerance, level=LEVEL, cells=checks, new_cells=tuple(label for label in now if label not in before),
    )  # fmt: skip


class _CellComparison(Pair):
    """A cell before and after.

    Attributes:
        goals: statistic -> its line of the contract.
        groups: statistics: those that matter, then the rest. If every game has exactly one winner of two seats, one
            win rate suffices.
    """

    def __init__(
        self, game: Game, baseline: Baseline, old: BaselineCell, match: Match, new: Columns, goals: Mapping[str, Goal]
    ) -> None:
        self.old, self.match, self.seed = old, match, baseline.seed
        before = _in_names_of(game, baseline, old.columns)
        super().__init__(game, before, new)
        self.not_compared = tuple(sorted(set(before) ^ set(new)))
        figures = figures_of(game)
        self.goals = {figures.find(name, "[contract]").name: goal for name, goal in goals.items()}
        single = len(game.seats) == 2 and min(before["winner"].min(), new["winner"].min()) >= 0
        first, second = (figures.wins[i].name for i in (0, -1))
        spare = {first if second in goals and first not in goals else second} if single else set()
        known = [f for f in figures.by_game if all(f.column in side for side in self.rows) and f.name not in spare]
        main = [f for f in known if self._matters(f)]
        self.groups = (main, [f for f in known if f not in main])

    def _matters(self, figure: GameFigure) -> bool:
        return figure.name in self.goals or figure.topic in ("win", "side", "category", "length", "score")

    def check(self, tolerance: float, levels: Sequence[float]) -> CellCheck:
        differ = int(self.differ.sum())
        first = int(self.differ.argmax()) if differ else -1
        changes: list[CheckedChange] = []
        for group, level in zip(self.groups, levels, strict=True) if differ else ():
            shown = {f.short_name: f for f in group if self._matters(f) or not self.is_constant(f)}
            # The stated range of a number that nobody asked about may be far wider than the values in any game.
            made = self.changes(list(shown.values()), level, sequential=True, stated=self._matters)
            changes += [self._judged(change, shown[change.statistic], tolerance, level) for change in made]
        word, direction = self._outcome(differ, changes)
        knobs = self.match.knobs_resolved
        return CellCheck(
            label=self.old.label, games=self.games, differ=differ, first=first,
            columns=tuple(n for n in self.names if games_differ(self.before, self.after, (n,)).any()),
            not_compared=self.not_compared, verdict=word, direction=direction,
            knobs={n: (self.old.knobs.get(n), v) for n, v in knobs.items() if self.old.knobs.get(n) != v},
            changes=tuple(changes), replay=self.match.replay_command(self.seed, first) if differ else "",
        )  # fmt: skip

    def _outcome(self, differ: int, changes: Sequence[CheckedChange]) -> Outcome:
        """The worst verdict of all statistics; `better` if those that matter changed for the better."""
        if not differ:
            return "identical", None
        none: Outcome = ("no detectable change", None)
        outcomes = [(change.verdict, change.direction) for change in changes]
        first = _worst([none, *(one for one, change in zip(outcomes, changes, strict=True) if change.matters)])
        if first == ("changed", "better"):
            return first
        return _worst([none, *outcomes])

    def _judged(self, change: Change, figure: GameFigure, tolerance: float, level: float) -> CheckedChange:
        """A change judged by the tolerance and the contract."""
        a, b = self.read(figure)
        counts = figure.counted(a, b)
        margin = tolerance
        if not figure.is_rate:
            margin *= change.before if figure.topic == "length" else max(int(np.ptp(a[counts])), 1)
        gap, goal = change.difference, self.goals.get(figure.name)
        word = verdict(gap.low, gap.high, change.games_that_differ, margin)
        direction: Direction | None = None
        if word == "changed" and goal is not None:
            direction = _direction(change, (a[counts].astype(np.float64) + b[counts]) / 2, goal, level)
        more = None
        if word == "inconclusive":
            sd = float((b[counts].astype(np.float64) - a[counts]).std(ddof=1))
            more = _more_games(gap, change.pairs, sd, margin, level)
        return CheckedChange(
            **{**dict(change), "verdict": word}, direction=direction, tolerance=margin, more_games=more,
            matters=self._matters(figure),
        )  # fmt: skip


def _in_names_of(game: Game, baseline: Baseline, columns: Columns) -> Columns:
    """The columns with the current game's codes, because seats and endings may have been added since."""
    columns = dict(columns)
    for name, then, now in (("winner", baseline.seats, game.seats), ("ending", baseline.endings, game.endings)):
        codes = np.array([now.index(word) if word in now else len(now) for word in then] + [-2, -1])
        columns[name] = codes[columns[name]]  # -1 and -2 pick the last two
    if baseline.seats != game.seats:
        places = [game.seats.index(seat) if seat in game.seats else len(game.seats) for seat in baseline.seats]
        won = [(columns["winners"].astype(np.int64) >> i & 1) << place for i, place in enumerate(places)]
        columns["winners"] = np.bitwise_or.reduce(won)
        if "score" in columns and set(game.seats) <= set(baseline.seats):
            columns["score"] = columns["score"][:, [baseline.seats.index(seat) for seat in game.seats]]
        else:
            columns.pop("score", None)
    if baseline.seats != game.seats or columns.get("category", np.empty(0)).shape[1:2] != (len(game.seat_categories),):
        columns.pop("category", None)  # another player count: nothing to compare
    return columns


def _direction(change: Change, pairs: Array, goal: Goal, level: float) -> Direction | None:
    """Whether a change leads towards the middle of the band, or towards its only edge; None if these games do not show
    it. The change leads there if the mean of before and after lies on the side from which the change comes.
    """
    low, high = band("", goal.model_dump(exclude_none=True))
    rises = change.difference.value > 0
    if math.isinf(low) or math.isinf(high):
        return "worse" if rises == math.isinf(low) else "better"
    off = float(pairs.mean()) - (low + high) / 2
    if abs(off) <= mean_half_width(pairs.std(ddof=1), pairs.size, level):
        return None
    return "worse" if rises == (off > 0) else "better"


def _more_games(gap: Estimate, pairs: int, sd: float, margin: float, level: float) -> int | None:
    distance = abs(abs(gap.value) - margin)
    if distance == 0:
        return None
    # If hardly any pair differs, the width does not reflect the spread, and shrinks as one over the number of games.
    need = max(games_to_decide(distance, sd, level), pairs * gap.half / distance)
    return math.ceil(max(need - pairs, pairs / 10)) if need < 1e12 else None
