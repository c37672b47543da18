"""Regression checks: the same games again, compared one by one with those of a baseline.

A baseline is a small folder that can be committed: the experiment, and of each of its cells the knobs, bots,
number of games, and the row of every game: winners, ending, length, decisions, scores and metrics. Since a game
depends on its seed and index alone, playing the same games again shows what a change of the rules moved: nothing
("identical: 0 of N games differ"), or how far each figure went, on pairs of games with the same luck.

    <folder>/experiment.toml     the experiment
    <folder>/baseline.json       its cells, rows packed

A folder of results serves as a baseline too, and nothing in either is run.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from simlab import shell
from simlab.engine.outcome import GameRows, figures_of, winner_codes, winners_from
from simlab.errors import GameTooLong, UserMistake, nearest, other_form
from simlab.runs.store import atomic_write, parse_json, read_inside, to_json
from simlab.stats.figure import score_name
from simlab.studies.columns import games_differ, row_names
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.experiments.cells import Cell
    from simlab.experiments.experiment import Experiment
    from simlab.experiments.schema import Goal
    from simlab.game import Game
    from simlab.runs.results import Results
    from simlab.stats.figure import GameFigure
    from simlab.stats.paired import PairedDifference

Array = np.ndarray[Any, Any]
Word = Literal["identical", "same", "better", "worse", "changed", "cannot tell yet"]
Tell = Callable[[int, int, str], None]

WORST: tuple[Word, ...] = ("worse", "changed", "cannot tell yet", "better", "same", "identical")
FORMAT = 2
MOST_GAMES = 5_000_000  #: of a baseline in all
_KINDS = ("<i1", "<i2", "<i4", "<i8")  # a column takes the narrowest that holds it
_POINTED = "<f8"  #: of metrics with decimals
_MOST_COLUMNS = 1_000
#: Of format 1: what it kept of each game; of every other column it kept a digest.
_OLD = (("winner", "<i1"), ("ending", "<i1"), ("turns", "<i2"), ("decisions", "<i4"))


# --- What a baseline holds ----------------------------------------------------


@dataclass(frozen=True)
class Outcomes:
    """The rows of a cell's games, game 0 first.

    Attributes:
        columns: name -> numbers, shape (games,): `winner` (seat or -1 nobody, -2 shared), `winners` (a bit a
            seat), `ending`, `turns`, `decisions`, the metrics; `score`, shape (games, seats), where the game has
            scores; `category`, shape (games, categories, seats), where its seats have roles or places.
        digests: column -> digest, of the columns that an older simlab kept in no other way.
    """

    columns: dict[str, Array]
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def games(self) -> int:
        return int(self.columns["winner"].size)

    @classmethod
    def of_rows(cls, rows: Array, game: Game) -> Outcomes:
        """Of rows as Match.play gives them."""
        return cls({name: np.asarray(rows[name]) for name in row_names(game)})

    def pack(self) -> dict[str, str]:
        """The columns as JSON-able texts: `widths`, bytes of each number in a column (`f` for numbers with a point),
        and `rows`, compressed."""
        kinds = [
            _POINTED if column.dtype.kind == "f" else next(k for k in _KINDS if _holds(k, column))
            for column in self.columns.values()
        ]
        raw = b"".join(
            np.ascontiguousarray(column.T).astype(kind).tobytes()
            for column, kind in zip(self.columns.values(), kinds, strict=True)
        )
        widths = " ".join("f" if kind == _POINTED else kind[-1] for kind in kinds)
        return {"widths": widths, "rows": base64.b64encode(zlib.compress(raw, 9)).decode("ascii")}

    @classmethod
    def unpack(
        cls, entry: Mapping[str, Any], names: Sequence[str], shape: tuple[int, int], games: int, where: str
    ) -> Outcomes:
        """Of a table of `shape` = (seats, categories of seats).

        Raises:
            UserMistake: damaged, or not of so many games.
        """
        kinds = [_POINTED if width == "f" else f"<i{width}" for width in str(entry["widths"]).split()]
        if len(kinds) != len(names) or not set(kinds) <= {*_KINDS, _POINTED} or len(kinds) > _MOST_COLUMNS:
            raise ValueError("widths do not go with columns")
        return cls(_unpacked(str(entry["rows"]), dict(zip(names, kinds, strict=True)), shape, games, where))

    @classmethod
    def unpack_old(cls, entry: Mapping[str, Any], names: Sequence[str], games: int, where: str) -> Outcomes:
        """Of format 1."""
        digests = dict(zip(names, str(entry["digests"]).split(), strict=True))
        return cls(_unpacked(str(entry["outcomes"]), dict(_OLD), (0, 0), games, where), digests)


def _unpacked(text: str, kinds: Mapping[str, str], shape: tuple[int, int], games: int, where: str) -> dict[str, Array]:
    """Raises UserMistake: damaged, or not of so many games."""
    several = {"score": shape[:1], "category": shape}
    shapes = {name: (*several.get(name, ()), games) for name in kinds}
    sizes = {name: math.prod(shapes[name]) * np.dtype(kind).itemsize for name, kind in kinds.items()}
    size = sum(sizes.values())
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(base64.b64decode(text, validate=True), size + 1)
    except (zlib.error, binascii.Error, ValueError) as fault:
        raise UserMistake(f"{where}: its rows are damaged ({fault}). Write the baseline anew.") from None
    if len(raw) != size or not unpacker.eof:
        raise UserMistake(f"{where}: its rows are not those of {games:,} games. Write the baseline anew.")
    columns, at = {}, 0
    for name, kind in kinds.items():
        columns[name] = np.frombuffer(raw, kind, math.prod(shapes[name]), at).reshape(shapes[name]).T
        at += sizes[name]
    return columns


def _digest(column: Array) -> str:
    """Digest of a column of whole numbers, whatever its width, as format 1 has it."""
    return hashlib.sha256(np.ascontiguousarray(column).astype("<i8").tobytes()).hexdigest()[:12]


def _holds(kind: str, column: Array) -> bool:
    limits = np.iinfo(kind)
    return bool(limits.min <= column.min() and column.max() <= limits.max)


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


def _refuse_several_tables(experiment: Experiment) -> None:
    if experiment.sizes:
        raise UserMistake(
            f"{experiment.name}: players vary, and a baseline is of one number of players: write one for each, with "
            "--players in place of [vary] players."
        )


def write_baseline(experiment: Experiment, folder: Path, tell: Tell | None = None) -> Baseline:
    """Plays an experiment and writes it as a baseline; what stood there before is replaced.

    Args:
        tell: told (games done, games in all, label of the cell).
    Raises:
        UserMistake: over MOST_GAMES games, or the folder cannot be written. BotFault: a bot failed. GameTooLong:
            a game has no end.
    """
    _refuse_several_tables(experiment)
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
    columns = baseline.cells[0].outcomes.columns
    categories = {"categories": columns["category"].shape[1]} if "category" in columns else {}
    return {
        "format": FORMAT, "name": baseline.name, "game": baseline.game, "seed": baseline.seed,
        "seats": list(baseline.seats), "endings": list(baseline.endings), "rules": baseline.rules,
        "knobs": shared,
        "columns": list(columns),
        **categories,
        "cells": [
            {
                "label": cell.label, "bots": cell.bots, "games": cell.outcomes.games,
                "knobs": {n: v for n, v in cell.knobs.items() if n not in shared},
                **cell.outcomes.pack(),
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
    from simlab.experiments.cells import cells

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
        try:
            rows = match.play(experiment.seed, 0, number).rows
        except GameTooLong as fault:
            raise GameTooLong(
                f"{cell.label}: a baseline compares games that all end, and game {fault.index} has no end: {fault}",
                game=fault.game, index=fault.index, seed=fault.seed, seat=fault.seat, bot=fault.bot,
            ) from fault  # fmt: skip
        yield cell, match, Outcomes.of_rows(rows, match.game)
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
            f"{path}: there is no baseline. Write one with: simlab check EXPERIMENT "
            f"--write-baseline {shell.quote(str(folder))}"
        )
    data = parse_json(read_inside(folder, name), str(folder / name))
    where = str(folder / name)
    form = data.get("format") if isinstance(data, dict) else None
    if form not in (1, FORMAT):
        anew = f"Write it anew: simlab check EXPERIMENT --write-baseline {folder}"
        raise UserMistake(other_form(where, "a baseline", form, [1, FORMAT], anew))
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
    names, old = [str(name) for name in data["columns"]], data["format"] == 1
    kept = {"winner", "winners", "ending", "turns", "decisions"} - ({name for name, _ in _OLD} if old else set())
    if not kept <= set(names) or len(set(names)) < len(names):
        raise ValueError("its columns are not those of a row")
    at = f"{where}, {label[:80]}"
    shape = seats, int(data.get("categories", 0))
    outcomes = Outcomes.unpack_old(entry, names, games, at) if old else Outcomes.unpack(entry, names, shape, games, at)
    winner, ending = outcomes.columns["winner"], outcomes.columns["ending"]
    if winner.min() < -2 or winner.max() >= seats or ending.min() < 0 or ending.max() >= endings:
        raise ValueError(f"{label[:80]} names a seat or an ending that the game has not")
    bots = {str(seat): str(bot) for seat, bot in entry["bots"].items()}
    return BaselineCell(label, {**data["knobs"], **entry["knobs"]}, bots, outcomes)


def _of_results(path: Path) -> Baseline:
    """A finished run as a baseline."""
    from simlab.runs.results import load

    results = load(path)
    if len(results.sizes) > 1:
        raise UserMistake(f"{path}: is of several numbers of players, and a baseline is of one.")
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
    codes = winner_codes(names)
    winner = np.array([codes[word] for word in names.winners], np.int64)[frame["winner"].to_physical().to_numpy()]
    columns = {
        "winner": winner,
        "winners": (
            frame["winners"].to_numpy() if "winners" in frame.columns else winners_from(winner, len(names.seats))
        ),
        "ending": frame["ending"].to_physical().to_numpy(),
        "turns": frame["turns"].to_numpy(),
        "decisions": frame["decisions"].to_numpy(),
    }
    if names.has_scores:
        columns["score"] = np.column_stack([frame[score_name(seat)].to_numpy() for seat in names.seats])
    if names.seat_categories:
        columns["category"] = np.stack(
            [
                [frame[f"{category.name}_{seat}"].to_physical().to_numpy() for seat in names.seats]
                for category in names.seat_categories
            ]
        ).transpose(2, 0, 1)
    return Outcomes(columns | {m.name: frame[m.name].to_numpy() for m in names.metrics})


# --- Comparing ----------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One figure of a cell, before and after, on the same games.

    Attributes:
        figure: the short name of a simlab.stats.figure.GameFigure: `<seat>_win`, `turns`, a metric, ...
        is_rate: whether it is a share of the games, in 0..1.
        paired: mean_a before, mean_b after, their difference, and as its interval the confidence sequence.
        tolerance: what counts as no change: of a rate in 0..1, of a mean in its own unit.
        verdict: `same` within the tolerance; `better` or `worse`: moved by more, towards what the contract wants
            of this figure or away from it; `changed`: moved, and the contract says nothing of it.
        more_games: where it cannot be told yet: games to add, or None where no number would do.
        weighs: whether it is a win rate, the length, a score or a figure that the contract names.
    """

    figure: str
    is_rate: bool
    paired: PairedDifference
    tolerance: float
    verdict: Word
    more_games: int | None = None
    weighs: bool = True

    def to_dict(self) -> dict[str, Any]:
        p = self.paired
        return {
            "figure": self.figure, "is_rate": self.is_rate, "before": p.mean_a, "after": p.mean_b,
            "difference": p.difference,
            "low": finite(p.low), "high": finite(p.high), "tolerance": self.tolerance,
            "variance_factor": finite(p.factor), "verdict": self.verdict, "more_games": self.more_games,
            "weighs": self.weighs,
        }  # fmt: skip


@dataclass(frozen=True)
class CellCheck:
    """A cell compared.

    Attributes:
        differ: games that differ in any column of their row.
        first: index of the first of them, or -1.
        moved: the columns in which any game differs.
        unknown: columns that either side has not got, so that they are not compared.
        unseen: columns that differ, by their digests in a baseline of an older simlab: in how many games and by how
            much it cannot say.
        knobs: knobs that differ from the baseline's: name -> (before, now); a knob that is new has None
        before.
        changes: the figures but those with one value in all games of both sides, of which so many games say nothing;
            empty where no game differs.
        replay: command that replays the first game that differs.
    """

    label: str
    games: int
    differ: int
    first: int
    moved: tuple[str, ...]
    unknown: tuple[str, ...]
    unseen: tuple[str, ...]
    knobs: dict[str, tuple[Any, Any]]
    changes: tuple[Change, ...]
    replay: str

    @property
    def verdict(self) -> Word:
        """The worst of the figures that weigh; of the others too, unless those that weigh came out better."""
        if not self.differ:
            return "cannot tell yet" if self.unseen else "identical"
        first = _worst(change.verdict for change in self.changes if change.weighs)
        rest = [change.verdict for change in self.changes]
        return first if first == "better" else _worst([*rest, "cannot tell yet"] if self.unseen else rest)


def _worst(words: Iterable[Word]) -> Word:
    present = {*words, "same"}
    return next(word for word in WORST if word in present)


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
            return f"identical: 0 of {counted(self.games, 'game')} differ."
        summary = f"{self.differ:,} of {counted(self.games, 'game')} differ"
        outcome = {"winner", "winners", "ending", "turns"}
        moved = sorted({name for cell in self.cells for name in cell.moved})
        unseen = sorted({name for cell in self.cells for name in cell.unseen})
        if unseen:
            rest = f" and {len(unseen) - 6} more" if len(unseen) > 6 else ""
            summary += f" in what a baseline of an older simlab kept, others in {', '.join(unseen[:6])}{rest}"
        elif not outcome & set(moved):
            rest = f" and {len(moved) - 6} more" if len(moved) > 6 else ""
            summary += f", none in who wins, how or when, only in {', '.join(moved[:6])}{rest}"
        bound = f"{100 * self.tolerance:g} %"
        sentences = {
            "worse": f"worse: {summary}; a figure moved by more than {bound}, away from what the contract wants.",
            "changed": f"changed: {summary}; a figure moved by more than {bound}.",
            "better": f"better: {summary}; what moved by more than {bound} moved towards what the contract wants.",
            "same": f"the same within the margin: {summary}; no figure moved by more than {bound}.",
        }
        if self.verdict in sentences:
            return sentences[self.verdict]
        still = [c for cell in self.cells for c in cell.changes if c.verdict == "cannot tell yet"]
        more = [c.more_games for c in still if c.more_games is not None]
        figures = list(dict.fromkeys(c.figure for c in still))
        if unseen:
            return (
                f"cannot tell yet: {summary}, of which it says only that they differ. To compare them, write the "
                "baseline anew with the rules as they were then (--write-baseline)."
            )
        which = figures[0] if len(figures) == 1 else f"{len(figures)} figures, {figures[0]} among them,"
        games = f" About {max(more):,} more games a cell in the baseline would tell." if more else ""
        return (
            f"cannot tell yet: {summary}; so many games cannot say whether {which} moved by more than {bound}.{games}"
        )

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
                    "moved": list(c.moved), "not_compared": list(c.unknown),
                    "differ_uncounted": list(c.unseen), "verdict": c.verdict, "replay": c.replay,
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
        tolerance: how far a figure may move: a rate by so much, the mean length by that share of itself, another
            mean by that share of what its largest and least value in the baseline lie apart.
        level: of all intervals together, at any number of games. Half of what it leaves is for the figures that
            matter most (win rates, length, scores, what the contract names), half for the rest; in either half each
            takes its part (Bonferroni).
    Raises:
        UserMistake: of another game, another seed, or the experiment lacks cells of the baseline.
    """
    from dataclasses import replace

    if not 0 < tolerance < 1:
        raise UserMistake(f"--tolerance {tolerance:g}: write a share above 0 and below 1, as 0.01 for 1 %.")
    _refuse_several_tables(experiment)
    game = experiment.load_game()
    if game.slug != baseline.game:
        raise UserMistake(
            f"{baseline.path}: is a baseline of {baseline.game}, but {experiment.name} plays {game.slug}."
        )
    before = {cell.label: cell for cell in baseline.cells}
    from simlab.experiments.cells import cells

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
    sizes = [sum(len(group) for group in groups) for groups in zip(*(pair.figures for pair in played), strict=True)]
    each = [1 - (1 - level) / 2 / max(size, 1) for size in sizes]
    checks = tuple(pair.check(tolerance, each) for pair in played)
    new = tuple(label for label in now if label not in before)
    same = played[0].match.rules_digest == baseline.rules
    return Check(baseline.path, experiment.name, game.slug, baseline.seed, same, checks, new, level, tolerance)


class _Pair:
    """A cell before and after.

    Attributes:
        before, after: columns as in Outcomes, both in the codes of the game as it is now.
        names: the columns that both have; unknown: those that one of them has not; unseen: those of which only
            digests are there, and differ.
        goals: figure -> what the contract wants of it.
        figures: what is compared: first the win rates, the length, the scores and what the contract names, then the
            rest. Where each game has one winner of two, one win rate says both.
    """

    def __init__(
        self, game: Game, baseline: Baseline, old: BaselineCell, match: Match, new: Outcomes, goals: Mapping[str, Goal]
    ) -> None:
        self.game, self.old, self.match, self.new, self.seed = game, old, match, new, baseline.seed
        self.before, self.after = _in_names_of(game, baseline, old.outcomes), new.columns
        self.rows = GameRows(self.before, game), GameRows(self.after, game)
        self.names = tuple(name for name in self.after if name in self.before)
        digests = old.outcomes.digests
        self.unknown = tuple(sorted((set(self.before) ^ set(self.after)) - set(digests)))
        self.unseen = tuple(
            name for name in digests if name in self.after and digests[name] != _digest(self.after[name])
        )
        figures = figures_of(game)
        self.goals = {figures.find(name, "[contract]").name: goal for name, goal in goals.items()}
        single = len(game.seats) == 2 and min(self.before["winner"].min(), self.after["winner"].min()) >= 0
        first, second = (figures.wins[i].name for i in (0, -1))
        spare = {first if second in goals and first not in goals else second} if single else set()
        known = [f for f in figures.by_game if all(f.column in side for side in self.rows) and f.name not in spare]
        main = [f for f in known if self._matters(f)]
        self.figures = (main, [f for f in known if f not in main])

    def _matters(self, figure: GameFigure) -> bool:
        return figure.name in self.goals or figure.topic in ("win", "side", "length", "score")

    def check(self, tolerance: float, levels: Sequence[float]) -> CellCheck:
        other = games_differ(self.before, self.after, self.names)
        differ = int(other.sum())
        first = int(other.argmax()) if differ else -1
        moved = tuple(name for name in self.names if games_differ(self.before, self.after, (name,)).any())
        knobs = {
            name: (self.old.knobs.get(name), value)
            for name, value in self.match.knobs_resolved.items()
            if self.old.knobs.get(name) != value
        }
        changes: list[Change] = []
        for group, level in zip(self.figures, levels, strict=True) if differ else ():
            changes += [change for figure in group if (change := self._change(figure, tolerance, level))]
        replay = self.match.replay_command(self.seed, first) if differ else ""
        return CellCheck(
            self.old.label, self.new.games, differ, first, moved, self.unknown, self.unseen, knobs, tuple(changes),
            replay,
        )  # fmt: skip

    def _change(self, figure: GameFigure, tolerance: float, level: float) -> Change | None:
        from dataclasses import replace

        a, b = (figure.read(side) for side in self.rows)
        matters = self._matters(figure)
        if a[0] == b[0] and bool((a == a[0]).all() and (b == b[0]).all()) and not matters:
            return None
        paired = figure.paired(a, b, level)
        if paired is None:
            return None
        counts = figure.counted(a, b)
        a, b = a[counts], b[counts]
        # The stated range of a number that nobody asked about may be far wider than any game comes near.
        low, high = figure.paired_sequence(a, b, level, stated=matters)
        if figure.is_rate:
            room = tolerance
        else:
            room = tolerance * (paired.mean_a if figure.topic == "length" else max(int(np.ptp(a)), 1))
        paired = replace(paired, low=low, high=high)
        goal = self.goals.get(figure.name)
        word = _word(paired, room, goal)
        games = _more_games(paired, room, level) if word == "cannot tell yet" else None
        return Change(figure.short_name, figure.is_rate, paired, room, word, games, matters)


def _in_names_of(game: Game, baseline: Baseline, outcomes: Outcomes) -> dict[str, Array]:
    """The outcomes in the codes of the game as it is now: seats and endings may have been added since."""
    columns = dict(outcomes.columns)
    for name, then, now in (
        ("winner", baseline.seats, game.seats),
        ("ending", baseline.endings, game.endings),
    ):
        codes = np.array([now.index(word) if word in now else len(now) for word in then] + [-2, -1])
        columns[name] = codes[columns[name]]  # -1 and -2 pick the last two
    if baseline.seats != game.seats:
        places = [game.seats.index(seat) if seat in game.seats else len(game.seats) for seat in baseline.seats]
        if "winners" in columns:
            won = [(columns["winners"].astype(np.int64) >> i & 1) << place for i, place in enumerate(places)]
            columns["winners"] = np.bitwise_or.reduce(won)
        if "score" in columns and set(game.seats) <= set(baseline.seats):
            columns["score"] = columns["score"][:, [baseline.seats.index(seat) for seat in game.seats]]
        else:
            columns.pop("score", None)
    if baseline.seats != game.seats or columns.get("category", np.empty(0)).shape[1:2] != (len(game.seat_categories),):
        columns.pop("category", None)  # a table of another size: nothing to compare
    return columns


def _word(paired: PairedDifference, room: float, goal: Goal | None) -> Word:
    if -room <= paired.low and paired.high <= room:
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
    distance = abs(abs(paired.difference) - room)
    if distance == 0:
        return None
    # Where hardly a pair differs the width is not that of luck between games, and shrinks as one over their number.
    width = max(paired.high - paired.difference, paired.difference - paired.low)
    need = max(games_to_decide(distance, sd, level), paired.pairs * width / distance)
    return math.ceil(max(need - paired.pairs, paired.pairs / 10)) if need < 1e12 else None


def finite(value: float) -> float | None:
    """The number, or None in place of an infinite one: JSON has none."""
    return value if math.isfinite(value) else None
