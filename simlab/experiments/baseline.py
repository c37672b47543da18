"""Regression checks: the same games again, compared one by one with those of a baseline.

A baseline is a small folder that can be committed: the experiment, and of each of its cells the knobs, bots,
number of games, and how every game came out. Since a game depends on its seed and index alone, playing the
same games again
shows what a change of the rules moved: nothing ("identical: 0 of N games differ"), or how far win rates and
length went, on pairs of games with the same luck.

    <folder>/experiment.toml     the experiment
    <folder>/baseline.json       its cells, outcomes packed

A folder of results serves as a baseline too, and nothing in either is run.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from simlab.errors import UserMistake, nearest
from simlab.experiments.store import atomic_write, parse_json, read_inside, to_json

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.experiments.config import Experiment, Goal
    from simlab.experiments.design import Cell
    from simlab.experiments.results import Results
    from simlab.game import Game
    from simlab.stats.paired import PairedDifference

Array = np.ndarray[Any, Any]
Word = Literal["identical", "same", "better", "worse", "changed", "cannot tell yet"]
Tell = Callable[[int, int, str], None]

WORST: tuple[Word, ...] = ("worse", "changed", "cannot tell yet", "better", "same", "identical")
FORMAT = 1
MOST_GAMES = 5_000_000  #: of a baseline in all
_STORED = (("winner", "<i1"), ("ending", "<i1"), ("turns", "<i2"), ("decisions", "<i4"))
_BYTES = sum(np.dtype(kind).itemsize for _, kind in _STORED)


# --- What a baseline holds ----------------------------------------------------


@dataclass(frozen=True)
class Outcomes:
    """How the games of a cell came out, game 0 first.

    Attributes:
        columns: `winner` (seat or -1 nobody, -2 shared), `ending`, `turns`, `decisions`: arrays of shape
        (games,).
        digests: column -> digest, of the columns that are not stored themselves: metrics, scores, sharers of a win.
    """

    columns: dict[str, Array]
    digests: dict[str, str]

    @property
    def games(self) -> int:
        return int(self.columns["winner"].size)

    @classmethod
    def of_rows(cls, rows: Array) -> Outcomes:
        """Of rows as Match.play gives them."""
        columns = {name: rows[name].astype(kind) for name, kind in _STORED}
        names = [name for name in rows.dtype.names or () if name not in {"game", *columns}]
        return cls(columns, {name: _digest(rows[name]) for name in names})

    def pack(self) -> str:
        """The columns as text, compressed."""
        raw = b"".join(self.columns[name].astype(kind).tobytes() for name, kind in _STORED)
        return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")

    @classmethod
    def unpack(cls, text: str, games: int, digests: Mapping[str, str], where: str) -> Outcomes:
        """Raises UserMistake: damaged, or not of so many games."""
        size = games * _BYTES
        unpacker = zlib.decompressobj()
        try:
            raw = unpacker.decompress(base64.b64decode(text, validate=True), size + 1)
        except (zlib.error, binascii.Error, ValueError) as fault:
            raise UserMistake(f"{where}: its outcomes are damaged ({fault}). Write the baseline anew.") from None
        if len(raw) != size or not unpacker.eof:
            raise UserMistake(f"{where}: its outcomes are not those of {games:,} games. Write the baseline anew.")
        columns, at = {}, 0
        for name, kind in _STORED:
            columns[name] = np.frombuffer(raw, kind, games, at)
            at += games * np.dtype(kind).itemsize
        return cls(columns, dict(digests))


def _digest(column: Array) -> str:
    """Digest of a column of whole numbers, whatever its width."""
    return hashlib.sha256(np.ascontiguousarray(column).astype("<i8").tobytes()).hexdigest()[:12]


@dataclass(frozen=True)
class BaselineCell:
    """A cell of a baseline: what was played, and how it came out."""

    label: str
    knobs: dict[str, Any]
    bots: dict[str, str]
    outcomes: Outcomes


@dataclass(frozen=True)
class Baseline:
    """Cells to compare with.

    Attributes:
        path: where it was read.
        seats, endings: names that the codes of the outcomes stand for.
        rules: digest of the rules that played it.
    """

    path: Path
    name: str
    game: str
    seed: int
    seats: tuple[str, ...]
    endings: tuple[str, ...]
    rules: str
    cells: tuple[BaselineCell, ...]

    @property
    def games(self) -> int:
        return sum(cell.outcomes.games for cell in self.cells)


# --- Writing ------------------------------------------------------------------


def write_baseline(experiment: Experiment, folder: Path, tell: Tell | None = None) -> Baseline:
    """Plays an experiment and writes it as a baseline; what stood there before is replaced.

    Args:
        tell: told (games done, games in all, label of the cell).
    Raises:
        UserMistake: over MOST_GAMES games, or the folder cannot be written. BotFault: a bot failed.
    """
    game = experiment.load_game()
    played = list(_play(experiment, None, tell))
    rules = ""
    cells = []
    for cell, match, outcomes in played:
        rules = match.rules_digest
        cells.append(BaselineCell(cell.label, dict(cell.knobs), dict(cell.bot_labels), outcomes))
    done = Baseline(
        folder, experiment.name, game.slug, experiment.seed, game.seats, game.endings, rules, tuple(cells)
    )  # fmt: skip
    atomic_write(folder / "experiment.toml", experiment.to_toml().encode())
    atomic_write(folder / "baseline.json", to_json(_packed(done), pretty=True))
    return done


def _packed(baseline: Baseline) -> dict[str, Any]:
    """The content of baseline.json: what all cells share is said once."""
    first = baseline.cells[0].knobs
    shared = {n: v for n, v in first.items() if all(cell.knobs.get(n) == v for cell in baseline.cells)}
    columns = list(baseline.cells[0].outcomes.digests)
    return {
        "format": FORMAT, "name": baseline.name, "game": baseline.game, "seed": baseline.seed,
        "seats": list(baseline.seats), "endings": list(baseline.endings), "rules": baseline.rules,
        "knobs": shared,
        "columns": columns,
        "cells": [
            {
                "label": cell.label, "bots": cell.bots, "games": cell.outcomes.games,
                "knobs": {n: v for n, v in cell.knobs.items() if n not in shared},
                "digests": " ".join(cell.outcomes.digests[name] for name in columns),
                "outcomes": cell.outcomes.pack(),
            }
            for cell in baseline.cells
        ],
    }  # fmt: skip


def _play(
    experiment: Experiment, games: Mapping[str, int] | None, tell: Tell | None
) -> Iterator[tuple[Cell, Match, Outcomes]]:
    """Plays the cells one after the other: yields (cell, match, outcomes).

    Args:
        games: label -> games to play; None for as many as the experiment says. Cells that are not named are
        left out.
    """
    from simlab.experiments.design import cells

    chosen = [
        (c, experiment.games if games is None else games[c.label])
        for c in cells(experiment)
        if games is None or c.label in games
    ]
    total = sum(number for _, number in chosen)
    if total > MOST_GAMES:
        raise UserMistake(
            f"{experiment.name}: {total:,} games are too many for a baseline: at most {MOST_GAMES:,}. A "
            f"few thousand a "
            "cell are usual (--games)."
        )
    done = 0
    for cell, number in chosen:
        if tell:
            tell(done, total, cell.label)
        match = cell.match()
        yield cell, match, Outcomes.of_rows(match.play(experiment.seed, 0, number).rows)
        done += number
    if tell:
        tell(done, total, "")


# --- Reading ------------------------------------------------------------------


def read_baseline(path: Path) -> Baseline:
    """A baseline: its folder, its baseline.json, or a folder of results with a row a game.

    Raises:
        UserMistake: there is none, it is damaged, or was written by another version of the lab.
    """
    if path.is_dir() and not (path / "baseline.json").exists() and (path / "manifest.json").exists():
        return _of_results(path)
    folder, name = (path, "baseline.json") if path.is_dir() else (path.parent, path.name)
    if not (folder / name).is_file():
        raise UserMistake(
            f"{path}: there is no baseline. Write one with: simlab check EXPERIMENT --write-baseline {folder}"
        )
    data = parse_json(read_inside(folder, name), str(folder / name))
    where = str(folder / name)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserMistake(f"{where}: is no baseline of this version of simlab (format {FORMAT}). Write it anew.")
    try:
        seats = tuple(str(seat) for seat in data["seats"])
        endings = tuple(str(ending) for ending in data["endings"])
        cells = tuple(_read_cell(entry, data, where) for entry in data["cells"])
        if sum(cell.outcomes.games for cell in cells) > MOST_GAMES or not cells:
            raise ValueError("no cells, or too many games")
        return Baseline(
            path,
            str(data["name"]),
            str(data["game"]),
            int(data["seed"]),
            seats,
            endings,
            str(data["rules"]),
            cells,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UserMistake(f"{where}: is damaged or not simlab's ({fault}). Write it anew.") from None


def _read_cell(entry: Mapping[str, Any], data: Mapping[str, Any], where: str) -> BaselineCell:
    seats, endings = len(data["seats"]), len(data["endings"])
    games = int(entry["games"])
    label = str(entry["label"])
    if not 1 <= games <= MOST_GAMES:
        raise ValueError(f"{label[:80]} has {games} games")
    digests = dict(zip(map(str, data["columns"]), str(entry["digests"]).split(), strict=True))
    outcomes = Outcomes.unpack(str(entry["outcomes"]), games, digests, f"{where}, {label[:80]}")
    winner, ending = outcomes.columns["winner"], outcomes.columns["ending"]
    if winner.min() < -2 or winner.max() >= seats or ending.min() < 0 or ending.max() >= endings:
        raise ValueError(f"{label[:80]} names a seat or an ending that the game has not")
    bots = {str(seat): str(bot) for seat, bot in entry["bots"].items()}
    return BaselineCell(label, {**data["knobs"], **entry["knobs"]}, bots, outcomes)


def _of_results(path: Path) -> Baseline:
    """A finished run as a baseline."""
    from simlab.experiments.results import load

    results = load(path)
    if results.partial:
        raise UserMistake(f"{path}: cannot be compared with. {results.gap}")
    if sum(cell.games for cell in results.cells) > MOST_GAMES:
        raise UserMistake(f"{path}: has more games than a comparison takes, {MOST_GAMES:,}. Write a smaller baseline.")
    names = results.names
    cells = [BaselineCell(c.label, dict(c.knobs), dict(c.bots), _rows_of(results, c.key)) for c in results.cells]
    rules = str(results.manifest["identity"]["rules"])
    return Baseline(path, results.name, names.slug, results.seed, names.seats, names.endings, rules, tuple(cells))


def _rows_of(results: Results, key: str) -> Outcomes:
    import polars as pl

    names = results.names
    frame = results.scan().filter(pl.col("cell") == key).sort("game").collect()
    if not np.array_equal(frame["game"].to_numpy(), np.arange(frame.height)):
        raise UserMistake(f"{results.folder}: games are missing in cell {key}, so it cannot be compared game by game.")
    codes = [*range(len(names.seats)), -1, -2]
    columns = {
        "winner": np.array(codes, np.int64)[frame["winner"].to_physical().to_numpy()],
        "ending": frame["ending"].to_physical().to_numpy(),
        "turns": frame["turns"].to_numpy(),
        "decisions": frame["decisions"].to_numpy(),
    }
    columns = {name: columns[name].astype(kind) for name, kind in _STORED}
    digests = {m.name: _digest(frame[m.name].to_numpy()) for m in names.metrics}
    return Outcomes(columns, digests)


# --- Comparing ----------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One figure of a cell, before and after, on the same games.

    Attributes:
        figure: `<seat>_win`, `draw_rate`, `ending_<ending>` or `turns`.
        paired: mean_a before, mean_b after, their difference, and as its interval the confidence sequence.
        tolerance: what counts as no change: of a rate in 0..1, of the length in turns.
        verdict: `same` within the tolerance; `better` or `worse`: moved by more, towards what the contract wants
            of this figure or away from it; `changed`: moved, and the contract says nothing of it.
        more_games: where it cannot be told yet: games to add, or None where no number would do.
    """

    figure: str
    paired: PairedDifference
    tolerance: float
    verdict: Word
    more_games: int | None = None

    def to_dict(self) -> dict[str, Any]:
        p = self.paired
        return {
            "figure": self.figure, "before": p.mean_a, "after": p.mean_b, "difference": p.difference,
            "low": finite(p.low), "high": finite(p.high), "tolerance": self.tolerance,
            "variance_factor": finite(p.factor), "verdict": self.verdict, "more_games": self.more_games,
        }  # fmt: skip


@dataclass(frozen=True)
class CellCheck:
    """A cell compared.

    Attributes:
        differ: games that came out otherwise (winner, ending, length or number of decisions).
        first: index of the first of them, or -1.
        moved: metrics and other columns that differ though every outcome is the same.
        knobs: knobs that differ from the baseline's: name -> (before, now); a knob that is new has None
        before.
        changes: the figures; empty where no game differs.
        replay: command that replays the first game that differs.
    """

    label: str
    games: int
    differ: int
    first: int
    moved: tuple[str, ...]
    knobs: dict[str, tuple[Any, Any]]
    changes: tuple[Change, ...]
    replay: str

    @property
    def verdict(self) -> Word:
        words: set[Word] = {change.verdict for change in self.changes}
        words.add("same" if self.differ or self.moved else "identical")
        return next(word for word in WORST if word in words)


@dataclass(frozen=True)
class Check:
    """An experiment compared with a baseline.

    Attributes:
        new: labels of cells that the baseline has not.
        level: chance that all intervals of all cells cover at once.
    """

    baseline: Path
    experiment: str
    game: str
    seed: int
    same_rules: bool
    cells: tuple[CellCheck, ...]
    new: tuple[str, ...]
    level: float
    tolerance: float

    @property
    def games(self) -> int:
        return sum(cell.games for cell in self.cells)

    @property
    def differ(self) -> int:
        return sum(cell.differ for cell in self.cells)

    @property
    def verdict(self) -> Word:
        """The worst of the cells': worse, changed, cannot tell yet, better, same, identical."""
        words = {cell.verdict for cell in self.cells}
        return next(word for word in WORST if word in words)

    @property
    def exit_code(self) -> int:
        return {"worse": 1, "changed": 1, "cannot tell yet": 3}.get(self.verdict, 0)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "identical":
            return f"identical: 0 of {self.games:,} games differ."
        moved = sorted({name for cell in self.cells for name in cell.moved})
        told = f"{self.differ:,} of {self.games:,} games differ"
        if not self.differ:
            told = f"every game comes out the same, but other figures of it moved: {', '.join(moved)}"
        bound = f"{100 * self.tolerance:g} %"
        said = {
            "worse": f"worse: {told}; a figure moved by more than {bound}, away from what the contract wants.",
            "changed": f"changed: {told}; a figure moved by more than {bound}.",
            "better": f"better: {told}; what moved by more than {bound} moved towards what the contract wants.",
            "same": f"the same within the margin: {told}; no figure moved by more than {bound}.",
        }
        if self.verdict in said:
            return said[self.verdict]
        more = [c.more_games for cell in self.cells for c in cell.changes if c.more_games is not None]
        games = f" About {max(more):,} more games a cell in the baseline would tell." if more else ""
        return f"cannot tell yet: {told}; so many games cannot say whether a figure moved by more than {bound}.{games}"

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "verdict": self.verdict, "sentence": self.sentence, "exit_status": self.exit_code,
            "game": self.game, "experiment": self.experiment, "baseline": str(self.baseline),
            "seed": self.seed, "games": self.games, "differ": self.differ, "same_rules": self.same_rules,
            "tolerance": self.tolerance, "level": self.level,
            "cells": [
                {
                    "label": c.label, "games": c.games, "differ": c.differ, "first_that_differs": c.first,
                    "moved": list(c.moved), "verdict": c.verdict, "replay": c.replay,
                    "knobs": {name: list(pair) for name, pair in c.knobs.items()},
                    "changes": [change.to_dict() for change in c.changes],
                }
                for c in self.cells
            ],
            "new_cells": list(self.new),
        }  # fmt: skip


def check_against(
    experiment: Experiment,
    baseline: Baseline,
    *,
    tolerance: float = 0.01,
    level: float = 0.95,
    tell: Tell | None = None,
) -> Check:
    """Plays a baseline's games again, as the experiment and the rules now say, and compares.

    Cells belong together by their bots and varied knobs. Seed and number of games are the baseline's.

    Args:
        tolerance: how far a figure may move: a win rate by so much, the mean length by that share of itself.
        level: of all intervals together, at any number of games; each takes its part (Bonferroni).
    Raises:
        UserMistake: of another game, another seed, or the experiment lacks cells of the baseline.
    """
    from dataclasses import replace

    if not 0 < tolerance < 1:
        raise UserMistake(f"--tolerance {tolerance:g}: write a share above 0 and below 1, as 0.01 for 1 %.")
    game = experiment.load_game()
    if game.slug != baseline.game:
        raise UserMistake(
            f"{baseline.path}: is a baseline of {baseline.game}, but {experiment.name} plays {game.slug}."
        )
    before = {cell.label: cell for cell in baseline.cells}
    from simlab.experiments.design import cells

    now = [cell.label for cell in cells(experiment)]
    lost = [label for label in before if label not in now]
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise UserMistake(
            f"{baseline.path}: has a cell '{lost[0]}'{more} that {experiment.name} does not play. "
            f"{nearest(lost[0], now)} Check the experiment that it was written from, or write it anew."
        )
    experiment = replace(experiment, seed=baseline.seed)
    games = {label: cell.outcomes.games for label, cell in before.items()}
    played = [
        _Pair(game, baseline, before[cell.label], match, outcomes, experiment.contract)
        for cell, match, outcomes in _play(experiment, games, tell)
    ]
    figures = sum(len(pair.figures) for pair in played)
    each = 1 - (1 - level) / figures
    checks = tuple(pair.check(tolerance, each) for pair in played)
    new = tuple(label for label in now if label not in before)
    same = played[0].match.rules_digest == baseline.rules
    return Check(baseline.path, experiment.name, game.slug, baseline.seed, same, checks, new, level, tolerance)


class _Pair:
    """A cell before and after.

    Attributes:
        before, after: columns as in Outcomes, both in the codes of the game as it is now.
        goals: figure -> what the contract wants of it.
        figures: what is compared: win rates by seat, what else the contract names and every baseline holds, and
            `turns`. Where each game has one winner of two, one rate says all.
    """

    def __init__(
        self, game: Game, baseline: Baseline, old: BaselineCell, match: Match, new: Outcomes, goals: Mapping[str, Goal]
    ) -> None:
        self.game, self.old, self.match, self.new, self.seed = game, old, match, new, baseline.seed
        self.before, self.after = _in_names_of(game, baseline, old.outcomes), new.columns
        self.goals = {**goals, **({"turns": goals["turns_mean"]} if "turns_mean" in goals else {})}
        single = len(game.seats) == 2 and min(self.before["winner"].min(), self.after["winner"].min()) >= 0
        seats = [f"{seat}_win" for seat in game.seats]
        chosen = (
            [seats[1]] if single and seats[1] in goals and seats[0] not in goals else seats[: 1 if single else None]
        )
        rates = {"draw_rate", *(f"ending_{ending}" for ending in game.endings)}
        self.figures = [*chosen, *(name for name in goals if name in rates), "turns"]

    def check(self, tolerance: float, level: float) -> CellCheck:
        other = np.zeros(self.new.games, np.bool_)
        for name, _ in _STORED:
            other |= self.before[name] != self.after[name]
        differ = int(other.sum())
        first = int(other.argmax()) if differ else -1
        then, now = self.old.outcomes.digests, self.new.digests
        moved = [] if differ else sorted(name for name in set(then) & set(now) if then[name] != now[name])
        knobs = {
            name: (self.old.knobs.get(name), value)
            for name, value in self.match.knobs_resolved.items()
            if self.old.knobs.get(name) != value
        }
        changes = tuple(self._change(figure, tolerance, level) for figure in self.figures) if differ else ()
        replay = self.match.replay_command(self.seed, first) if differ else ""
        return CellCheck(self.old.label, self.new.games, differ, first, tuple(moved), knobs, changes, replay)

    def _change(self, figure: str, tolerance: float, level: float) -> Change:
        from dataclasses import replace

        from simlab.stats.paired import paired_difference, paired_rates
        from simlab.stats.sequential import difference_sequence, paired_mean_sequence

        if figure == "turns":
            paired = paired_difference(self.before["turns"], self.after["turns"], level)
            _, low, high = paired_mean_sequence(self.after["turns"].astype(np.int64) - self.before["turns"], level)
            room = tolerance * paired.mean_a
        else:
            a, b = self._had(figure, self.before), self._had(figure, self.after)
            counts = (int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()))
            paired = paired_rates(*counts, level)
            low, high = map(float, difference_sequence(counts[2], counts[1], sum(counts), level))
            room = tolerance
        paired = replace(paired, low=low, high=high)
        word = _word(paired, room, self.goals.get(figure))
        more = _more_games(paired, room, level) if word == "cannot tell yet" else None
        return Change(figure, paired, room, word, more)

    def _had(self, figure: str, columns: Mapping[str, Array]) -> Array:
        """Which games a rate counts."""
        if figure == "draw_rate":
            return np.asarray(columns["winner"] < 0)
        if figure.startswith("ending_"):
            return np.asarray(columns["ending"] == self.game.endings.index(figure.removeprefix("ending_")))
        return np.asarray(columns["winner"] == self.game.seats.index(figure.removesuffix("_win")))


def _in_names_of(game: Game, baseline: Baseline, outcomes: Outcomes) -> dict[str, Array]:
    """The outcomes in the codes of the game as it is now: seats and endings may have been added since."""
    columns = dict(outcomes.columns)
    for name, then, now in (
        ("winner", baseline.seats, game.seats),
        ("ending", baseline.endings, game.endings),
    ):
        codes = np.array([now.index(word) if word in now else len(now) for word in then] + [-2, -1])
        columns[name] = codes[columns[name]]  # -1 and -2 pick the last two
    return columns


def _word(paired: PairedDifference, room: float, goal: Goal | None) -> Word:
    if paired.changed == 0 or (-room <= paired.low and paired.high <= room):
        return "same"
    if paired.low <= room and paired.high >= -room:
        return "cannot tell yet"
    if goal is None:
        return "changed"
    before, after = (_off(value, goal) for value in (paired.mean_a, paired.mean_b))
    return "better" if after < before else "worse"


def _off(value: float, goal: Goal) -> float:
    """How far a figure is from what is wanted: from the middle of a band, from its one edge beyond it."""
    if math.isinf(goal.low) or math.isinf(goal.high):
        return value - goal.high if math.isinf(goal.low) else goal.low - value
    return abs(value - (goal.low + goal.high) / 2)


def _more_games(paired: PairedDifference, room: float, level: float) -> int | None:
    from simlab.stats.sequential import games_to_decide

    sd = paired.se * math.sqrt(paired.pairs)
    edges = (-room, room) if abs(paired.difference) <= room else (math.copysign(room, paired.difference),)
    need = max(games_to_decide(abs(paired.difference - edge), sd, level) for edge in edges)
    return math.ceil(max(need - paired.pairs, paired.pairs / 10)) if need < 1e12 else None


def finite(value: float) -> float | None:
    """The number, or None in place of an infinite one: JSON has none."""
    return value if math.isfinite(value) else None
