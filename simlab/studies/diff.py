"""What a tweak did: two experiments on the same seeds, compared game by game.

Game i of a cell meets the same luck in both, so that what differs is the tweak's doing. Whose win flipped, how far
each figure moved, how much sharper the shared luck made that, where flipped games part for the first time, and
which of them to look at.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab import shell
from simlab.engine.outcome import GameRows, figures_of, winners_text
from simlab.errors import UserMistake
from simlab.experiments.asked import belongs
from simlab.runs.over_long import ended_in_all, play_ended
from simlab.stats.figure import GameFigure, Mean, SideWin, Win
from simlab.stats.figure import Share as ShareFigure
from simlab.studies.columns import games_differ, row_names, wins_differ
from simlab.words import counted

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.experiments.cells import Cell
    from simlab.experiments.experiment import Experiment
    from simlab.game import Game
    from simlab.stats.paired import PairedDifference

Array = np.ndarray[Any, Any]
Tell = Callable[[int, int, str], None]

MOST_GAMES = 20_000_000  #: of one side, all cells together
LOOKED_AT = 36  #: flipped games that are stepped through


# --- The answer --------------------------------------------------------------


@dataclass(frozen=True)
class FigureDiff:
    """One figure before and after.

    Attributes:
        figure: of the game, as `figures_of(game).by_game` has it.
        paired: before (mean_a), after (mean_b), difference, interval; `factor` is the variance reduction.
        factor_low, factor_high: interval of that factor.
    """

    figure: GameFigure
    paired: PairedDifference
    factor_low: float
    factor_high: float

    @property
    def name(self) -> str:
        """`<seat>_win`, `turns`, a metric, ..."""
        return self.figure.short_name

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of the games, in 0..1."""
        return self.figure.is_rate

    @property
    def label(self) -> str:
        """The name, marked where the pairs are only the games that have the number on both sides."""
        return f"{self.name} (both)" if self.figure.where_both else self.name

    @property
    def in_brief(self) -> str:
        """`besieger_win -6.2 points (-7.0 to -5.4)`."""
        p, scale, unit = self.paired, 100.0 if self.is_rate else 1.0, " points" if self.is_rate else ""
        digits = 1 if self.is_rate else 2
        low, high = f"{scale * p.low:+.{digits}f}", f"{scale * p.high:+.{digits}f}"
        return f"{self.label} {scale * p.difference:+.{digits}f}{unit} ({low} to {high})"

    def to_dict(self) -> dict[str, Any]:
        p = self.paired
        return {
            "figure": self.name, "base": p.mean_a, "tweak": p.mean_b, "difference": p.difference,
            "low": _finite(p.low), "high": _finite(p.high), "games_that_differ": p.changed, "pairs": p.pairs,
            "variance_reduction": _finite(p.factor), "variance_reduction_low": _finite(self.factor_low),
            "variance_reduction_high": _finite(self.factor_high),
        }  # fmt: skip


@dataclass(frozen=True)
class Share:
    """A share of the games with its interval (exact, as simlab.stats.bounded)."""

    count: int
    games: int
    low: float
    high: float

    @property
    def text(self) -> str:
        """As `812 of 10,000 games (8.1 %, 7.6 to 8.7 %)`."""
        share = 100 * self.count / self.games
        digits = 1 if share >= 1 else 2
        ends = f"{100 * self.low:.{digits}f} to {100 * self.high:.{digits}f} %"
        return f"{self.count:,} of {counted(self.games, 'game')} ({share:.{digits}f} %, {ends})"

    def to_dict(self) -> dict[str, Any]:
        return {"count": self.count, "games": self.games, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class CellDiff:
    """A cell of the base and the cell of the tweak that belongs to it.

    Attributes:
        base, tweak: their labels; both empty for all cells together.
        differ: games that differ in any column. flipped: games with another winner.
        flips: (winner before, winner after) -> games, the most frequent first.
        figures: what moved and by how much.
        cut_off: games that went on for too long, before and after; they are left out on both sides.
    """

    base: str
    tweak: str
    games: int
    differ: Share
    flipped: Share
    flips: dict[tuple[str, str], int]
    figures: tuple[FigureDiff, ...]
    cut_off: tuple[int, int] = (0, 0)

    def figure(self, name: str) -> FigureDiff:
        return next(figure for figure in self.figures if figure.name == name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "base": self.base, "tweak": self.tweak, "games": self.games, "differ": self.differ.to_dict(),
            "flipped": self.flipped.to_dict(),
            "flips": [{"from": a, "to": b, "games": n} for (a, b), n in self.flips.items()],
            "figures": [figure.to_dict() for figure in self.figures], "cut_off": list(self.cut_off),
        }  # fmt: skip


@dataclass(frozen=True)
class Parting:
    """Where two games with the same luck part.

    Attributes:
        cell: label of the base's cell. game: index.
        turn: of the first decision that was taken otherwise; -1 where there was none.
        seat, decision: who was asked for what in the base.
        what: `choice` the same choices, another one taken; `options` other choices were open; `question` another
            decision was due, so rules or luck came out otherwise; `end` one game was over.
        base, tweak: what was chosen, or what was asked.
        position_turn: turn at which the positions first differ; -1 where they differ from the start on.
        position: what of them differs.
    """

    cell: str
    game: int
    turn: int
    seat: str
    decision: str
    what: str
    base: str
    tweak: str
    position_turn: int
    position: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "position": list(self.position)}


@dataclass(frozen=True)
class Telling:
    """A flipped game worth seeing.

    Attributes:
        why: what it shows.
        base, tweak: commands that replay either side; beside: one that shows both, or "".
    """

    why: str
    cell: str
    game: int
    base: str
    tweak: str
    beside: str


@dataclass(frozen=True, repr=False)
class Diff:
    """A base and a tweak on the same seeds.

    Attributes:
        settings: what the tweak changes: name -> (before, after), as texts.
        cells: pairs of cells. together: all of them; the only one where there is one.
        left_out: labels of cells without a partner.
        partings: of some flipped games. telling: at most three games to look at.
        level: chance that all intervals of the comparison hold together, for this number of games.
        each: chance of any one of them (Bonferroni).
        article: before a seat in a sentence (Game.article).
        asked: figures that the experiments asked for before: those of their contracts; the rest is noticed after.
    """

    base: str
    tweak: str
    game: str
    turn_name: str
    seed: int
    settings: dict[str, tuple[str, str]]
    cells: tuple[CellDiff, ...]
    together: CellDiff
    left_out: tuple[str, ...]
    partings: tuple[Parting, ...]
    telling: tuple[Telling, ...]
    level: float
    each: float
    article: str = "the"
    asked: tuple[str, ...] = ()

    @property
    def asked_before(self) -> str:
        """Which of the figures were asked for before, and what that means for the others, in words."""
        names = [figure.name for figure in self.together.figures]
        mine = [name for name in names if belongs(name, self.asked)]
        others = f"{len(names) - len(mine)} figures were noticed after"
        widened = "; all intervals are widened for the number of all figures of the game (Bonferroni)."
        return (f"Asked before (contract): {', '.join(mine)}. " if mine else "Nothing was asked before. ") + (
            f"The other {others}{widened}" if mine else f"The {others}{widened}"
        )

    @property
    def rests_on(self) -> str:
        """What the intervals promise and assume, in words."""
        both = any(figure.figure.where_both for figure in self.together.figures)
        return (
            f"All intervals hold together ({100 * self.level:g} %), those of the shares and of what shared luck saves "
            "too, for this number of games. Those of means assume that no game changes by more than the games that "
            "changed, or where few did, than games of either side lie apart."
            + (" (both): over the games that have the number on both sides." if both else "")
        )

    @property
    def brief(self) -> str:
        """One line: the first side's win rate, then what else moved for certain, what moved most first."""
        cell = self.together
        what = ", ".join(f"{name} {before} -> {after}" for name, (before, after) in self.settings.items()) or self.tweak
        if not cell.differ.count:
            return f"{what}: all {cell.games:,} games are as before"
        first, *rest = cell.figures
        moved = [one for one in rest if one.paired.low > 0 or one.paired.high < 0]
        moved.sort(key=lambda one: -abs(one.paired.difference) / (one.paired.high - one.paired.low))
        parts = [first.in_brief, *(one.in_brief for one in moved[:3])]
        return f"{what}: {'; '.join(parts)}; {cell.flipped.count:,} of {cell.games:,} games have another winner"

    @property
    def sentences(self) -> list[str]:
        """The answer, for somebody who is no statistician."""
        return list(_sentences(self))

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(text)}</p>" for text in self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "base": self.base, "tweak": self.tweak, "game": self.game, "seed": self.seed, "level": self.level,
            "settings": {name: list(pair) for name, pair in self.settings.items()},
            "asked_before": [f.name for f in self.together.figures if belongs(f.name, self.asked)],
            "sentences": self.sentences, "together": self.together.to_dict(),
            "cells": [cell.to_dict() for cell in self.cells], "left_out": list(self.left_out),
            "partings": [parting.to_dict() for parting in self.partings],
            "telling": [dict(telling.__dict__) for telling in self.telling],
        }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# --- Comparing --------------------------------------------------------------------


def diff_experiments(
    base: Experiment, tweak: Experiment, *, level: float = 0.95, look: int = LOOKED_AT, tell: Tell | None = None
) -> Diff:
    """Plays both on the seed and with the games of the base, and compares.

    Args:
        level: of all intervals together; each takes its part (Bonferroni).
        look: how many flipped games are stepped through to see where they part.
        tell: told (games done, games in all, label of the cell).
    Raises:
        UserMistake: two games, no cells that belong together, or too many games. BotFault: a bot failed. GameTooLong:
            too many games go on for too long; some are left out on both sides.
    """
    game = base.load_game()
    if tweak.load_game().slug != game.slug:
        raise UserMistake(f"{base.name} and {tweak.name} play two games: {base.load_game().slug}, {tweak.game}.")
    sizes = [experiment.sizes or (len(experiment.load_game().seats),) for experiment in (base, tweak)]
    if sizes[0] != sizes[1]:
        tables = " and ".join(", ".join(map(str, some)) for some in sizes)
        raise UserMistake(
            f"{base.name} and {tweak.name} are of tables of {tables} players: a game of one has no partner in the "
            "other. To see what the number of players does: simlab sweep GAME --vary players=3..5."
        )
    pairs, left_out = pair_cells(base, tweak)
    total = len(pairs) * base.games
    if total > MOST_GAMES:
        raise UserMistake(f"{total:,} games are too many for one comparison: at most {MOST_GAMES:,}. Play fewer: -n")
    played = []
    for done, (before, after) in enumerate(pairs):
        if tell:
            tell(done * base.games, total, before.label)
        played.append(_Pair(base, before, after))
    if tell:
        tell(total, total, "")
    each = 1 - (1 - level) / family_size([pair.game for pair in played])
    cells = tuple(pair.compare(each) for pair in played)
    partings = _partings(played, look)
    return Diff(
        base.name, tweak.name, game.slug, game.turn_name, base.seed, _settings(played[0]), cells,
        cells[0] if len(cells) == 1 else _together(played, each), left_out, tuple(partings),
        tuple(_telling(played, partings)), level, each, game.article,
        tuple(dict.fromkeys([*base.contract, *tweak.contract])),
    )  # fmt: skip


def family_size(games: Sequence[Game]) -> int:
    """Intervals that a comparison may show, and that hold all together.

    Of each cell, and of all cells together, the shares of games that differ and that flipped, and of each figure its
    change and what shared luck saved; and the share of the partings of the usual kind. All figures of the game count,
    whichever of them moved: what is shown must not choose how wide it is.

    Args:
        games: of each cell: its figures are those of its table.
    """
    figures = [len(figures_of(game).by_game) for game in games]
    if len(games) > 1:
        figures.append(len(common_figures(games)))
    return sum(2 + 2 * count for count in figures) + 1


def common_figures(games: Sequence[Game]) -> list[str]:
    """Names of the figures that all tables have: those of a seat that is not at each of them are left out."""
    sizes = {len(game.seats): [figure.name for figure in figures_of(game).by_game] for game in games}
    return [name for name in sizes[min(sizes)] if all(name in names for names in sizes.values())]


def pair_cells(base: Experiment, tweak: Experiment) -> tuple[list[tuple[Cell, Cell]], tuple[str, ...]]:
    """Cells that belong together: by their bots and varied knobs, as far as both experiments have them.

    Returns:
        (pairs, labels of the cells left over).
    Raises:
        UserMistake: there are none, or it is not clear which belong together.
    """
    from simlab.experiments.cells import cells

    before, after = cells(base), cells(tweak)
    seats = [seat for seat in base.bots if set(base.bots[seat]) == set(tweak.bots[seat])]
    knobs = [name for name in base.varied if name in tweak.varied]

    def key(cell: Cell) -> tuple[Any, ...]:
        return (*(cell.bot_labels.get(seat) for seat in seats), *(cell.varied[name] for name in knobs))

    partners = {key(cell): cell for cell in after}
    if len(partners) < len(after) or len({key(cell) for cell in before}) < len(before):
        raise UserMistake(
            f"{base.name} and {tweak.name}: it is not clear which of their cells belong together. Name one bot for "
            "each seat whose bots differ, and vary the same knobs in both."
        )
    pairs = [(cell, partners[key(cell)]) for cell in before if key(cell) in partners]
    if not pairs:
        raise UserMistake(
            f"{base.name} and {tweak.name}: none of their cells agree in bots and varied knobs, as "
            f"'{before[0].label}' and '{after[0].label}'."
        )
    met = {id(cell) for pair in pairs for cell in pair}
    return pairs, tuple(cell.label for cell in (*before, *after) if id(cell) not in met)


class _Pair:
    """A cell on both sides, played.

    Attributes:
        before, after: rows of the games that ended on both sides; index: which games these are.
        cut_off: games that went on for too long, before and after.
        figures: of its table, by name.
        columns: name -> (before, after), of the figures that are not the same throughout.
        flipped: which games have another winner; differ: which differ in anything.
    """

    def __init__(self, base: Experiment, before: Cell, after: Cell) -> None:
        self.cells = (before, after)
        self.matches: tuple[Match, Match] = (before.match(), after.match())
        self.game, self.seed = self.matches[0].game, base.seed
        self.figures: dict[str, GameFigure] = {figure.name: figure for figure in figures_of(self.game).by_game}
        for match in self.matches:
            match.compile()
        with ThreadPoolExecutor(2) as pool:  # compiled play lets other threads run
            before_rows, after_rows = pool.map(lambda match: play_ended(match, base.seed, base.games), self.matches)
        self.cut_off = (base.games - before_rows.size, base.games - after_rows.size)
        before_rows, after_rows = ended_in_all(before_rows, after_rows)
        if not before_rows.size:
            raise UserMistake(f"{self.label}: no game ended on both sides. Play more games: -n")
        self._compare(before_rows, after_rows)

    def _compare(self, before: Array, after: Array) -> None:
        self.before, self.after, game = before, after, self.game
        self.index = np.asarray(before["game"], np.int64)
        self.flipped = wins_differ(self.before, self.after)
        self.differ = games_differ(self.before, self.after, row_names(game))
        self.columns: dict[str, tuple[Array, Array]] = {}
        rows = GameRows(self.before, game), GameRows(self.after, game)
        for name, figure in self.figures.items():
            a, b = (figure.read(side) for side in rows)
            constant = a[0] == b[0] and bool((a == a[0]).all() and (b == b[0]).all())
            if not constant or figure.topic in ("win", "side", "length"):
                self.columns[name] = (a, b)

    def only(self, games: Array) -> _Pair:
        """The pair with some of its games alone, by index."""
        kept = np.isin(self.index, games)
        if kept.all():
            return self
        part = copy(self)
        part._compare(self.before[kept], self.after[kept])
        return part

    def place(self, game: int) -> int:
        """Where a game stands among the rows."""
        return int(np.searchsorted(self.index, game))

    @property
    def games(self) -> int:
        return int(self.flipped.size)

    @property
    def label(self) -> str:
        return self.cells[0].label

    def winners(self) -> Counter[tuple[str, str]]:
        """(who won before, after) of the flipped games, counted."""
        pairs = zip(self.before["winners"][self.flipped], self.after["winners"][self.flipped], strict=True)
        flips = Counter((int(a), int(b)) for a, b in pairs)
        words = {won: winners_text(self.game, won) for flip in flips for won in flip}
        return Counter({(words[a], words[b]): games for (a, b), games in flips.items()})

    def compare(self, level: float) -> CellDiff:
        figures = []
        for name, (a, b) in self.columns.items():
            figure = self.figures[name]
            paired = figure.paired(a, b, level)
            if paired is not None:
                counts = figure.counted(a, b)
                figures.append(_figure(figure, paired, a[counts], b[counts], level))
        return CellDiff(
            self.label, self.cells[1].label, self.games, _share([self.differ], level), _share([self.flipped], level),
            dict(self.winners().most_common()), tuple(figures), self.cut_off,
        )  # fmt: skip


def _figure(figure: GameFigure, paired: PairedDifference, a: Array, b: Array, level: float) -> FigureDiff:
    from simlab.stats.paired import factor_interval

    return FigureDiff(figure, paired, *factor_interval(a, b, level))


def _together(played: Sequence[_Pair], level: float) -> CellDiff:
    """All cells. The games of one index share their luck over all cells, so the index is the unit of evidence.

    An index counts where its game ended in every cell.
    """
    shared = reduce(np.intersect1d, [pair.index for pair in played])
    if not shared.size:
        raise UserMistake("no game ended in every cell. Play more games: -n")
    cut_off = (sum(pair.cut_off[0] for pair in played), sum(pair.cut_off[1] for pair in played))
    played = [pair.only(shared) for pair in played]
    figures = []
    for name in common_figures([pair.game for pair in played]):
        if any(name in pair.columns for pair in played):
            pooled = _pooled(name, played, level)
            if pooled is not None:
                figures.append(pooled)
    flips: Counter[tuple[str, str]] = Counter()
    for pair in played:
        flips += pair.winners()
    return CellDiff(
        "", "", sum(pair.games for pair in played), _share([pair.differ for pair in played], level),
        _share([pair.flipped for pair in played], level), dict(flips.most_common()), tuple(figures), cut_off,
    )  # fmt: skip


def _pooled(name: str, played: Sequence[_Pair], level: float) -> FigureDiff | None:
    """A figure over all cells: the mean over the cells in which its pair counts, index by index."""
    from simlab.stats.paired import paired_difference

    figures = [pair.figures[name] for pair in played]  # each table's own: a seat may sit elsewhere
    sides = [
        (figure.read(GameRows(pair.before, pair.game)), figure.read(GameRows(pair.after, pair.game)))
        for figure, pair in zip(figures, played, strict=True)
    ]
    counts = np.array([figure.counted(a, b) for figure, (a, b) in zip(figures, sides, strict=True)])
    cells = counts.sum(axis=0)
    kept = cells > 0
    if kept.sum() < 2:
        return None
    a, b = (
        np.where(counts, [pair[side] for pair in sides], 0).sum(axis=0)[kept] / cells[kept].astype(np.float64)
        for side in (0, 1)
    )
    each = [
        figure.most_change(x[c], y[c], level)
        for figure, (x, y), c in zip(figures, sides, counts, strict=True)
        if isinstance(figure, Mean) and c.any()
    ]
    # All cells of an index may turn at once: a share changes by 1 at most.
    most = max(float(np.mean(each)), float(np.abs(b - a).max())) if each else 1.0
    return _figure(figures[0], paired_difference(a, b, level, most), a, b, level)


def _share(cells: Sequence[Array], level: float) -> Share:
    """Share of the games of all cells; those of one index count as one piece of evidence."""
    from simlab.stats.bounded import mean_bounds

    values, counts = np.unique(np.mean(cells, axis=0), return_counts=True)
    low, high = mean_bounds(values, counts, 0, 1, level)
    return Share(sum(int(cell.sum()) for cell in cells), len(cells) * cells[0].size, float(low), float(high))


def _settings(pair: _Pair) -> dict[str, tuple[str, str]]:
    """What the tweak changes, seen in one pair of cells: name -> (before, after)."""
    from simlab.experiments.design import show_value

    a, b = pair.matches
    changed = {
        name: (show_value(a.knob_value(name)), show_value(b.knob_value(name)))
        for name in dict.fromkeys([*b.knobs_resolved, *a.knobs_resolved])
        if a.knob_value(name) != b.knob_value(name)
    }
    for one, other in zip(a.bots, b.bots, strict=True):
        if one.text != other.text:
            changed[one.seat] = (one.text, other.text)
    for table in a.table_rows:
        if a.table_rows[table] != b.table_rows[table]:
            changed[table] = tuple(str(match.table_files.get(table, "as printed")) for match in (a, b))  # type: ignore[assignment]
    return changed


# --- Where they part --------------------------------------------------------------


def _partings(played: Sequence[_Pair], look: int) -> list[Parting]:
    """Where some flipped games part; where none flipped, some that differ."""
    flipped = [pair for pair in played if pair.flipped.any()]
    chosen = flipped or [pair for pair in played if pair.differ.any()]
    parted = []
    for place, pair in enumerate(chosen):
        games = pair.index[pair.flipped if flipped else pair.differ]
        share = len(range(place, look, len(chosen)))
        picked = games[np.unique(np.linspace(0, games.size - 1, min(share, games.size)).astype(int))]
        parted += [parting(*pair.matches, pair.seed, int(game), pair.label) for game in picked]
    return parted


def parting(a: Match, b: Match, seed: int, game: int, label: str = "") -> Parting:
    """Steps through a game on both sides up to the first decision that is taken otherwise."""
    from simlab.engine.stepper import Stepper

    one, other = Stepper(a, seed, game), Stepper(b, seed, game)
    position_turn, position = -1, _positions_differ(one, other)
    began = True
    while True:
        turn = int(one.state.turn)
        if not position and not began:
            position = _positions_differ(one, other)
            position_turn = turn
        began = False
        seat, decision = ("", "") if one.over else (one.seat, one.decision.name)
        chosen = ""
        if one.over or other.over:
            what = "end"
            chosen, instead = (
                ("the game is over" if side.over else f"{side.seat}: {side.decision.name}") for side in (one, other)
            )
            if one.over and other.over:
                turn, what = -1, "the same choices throughout"
        elif (one.seat, one.decision.name) != (other.seat, other.decision.name):
            what, chosen, instead = "question", f"{seat}: {decision}", f"{other.seat}: {other.decision.name}"
        else:
            choices = (one.legal(), other.legal())
            first, second = one.policy_action(), other.policy_action()
            labels = one.label(first), other.label(second)
            if labels[0] == labels[1]:  # the same thing may have another number, as a place in a hand
                one.apply(first)
                other.apply(second)
                continue
            what, (chosen, instead) = "choice" if choices[0] == choices[1] else "options", labels
        return Parting(label, game, turn, seat, decision, what, chosen, instead, position_turn, position)


def _positions_differ(one: Stepper, other: Stepper) -> tuple[str, ...]:
    """Names of what differs between two positions."""
    if one.state.tobytes() == other.state.tobytes():
        return ()
    a, b = one.describe(), other.describe()
    return tuple(name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name))


# --- Games worth seeing -----------------------------------------------------------


def _telling(played: Sequence[_Pair], partings: Sequence[Parting]) -> list[Telling]:
    """The most typical of the games that part, the one that parts last, the one that changes in length the most."""
    tellings: dict[tuple[str, int], Telling] = {}
    pairs = {pair.label: pair for pair in played}

    def add(why: str, label: str, game: int) -> None:
        if (label, game) not in tellings:
            tellings[label, game] = Telling(why, label, game, *_commands(pairs[label], game))

    parted = [p for p in partings if p.turn >= 0]
    if parted:
        usual = usual_parting(parted)
        alike = [p for p in parted if (p.seat, p.decision, p.what) == (usual.seat, usual.decision, usual.what)]
        middle = float(np.median([p.turn for p in alike]))
        typical = min(alike, key=lambda p: ((p.base, p.tweak) != (usual.base, usual.tweak), abs(p.turn - middle)))
        add("typical: it parts where most do", typical.cell, typical.game)

        def how_late(p: Parting) -> float:
            pair = pairs[p.cell]
            return p.turn / max(int(pair.before["turns"][pair.place(p.game)]), 1)

        for late in sorted(parted, key=how_late, reverse=True):
            if (late.cell, late.game) not in tellings:
                add("a small cause: the two sides go the same way the longest", late.cell, late.game)
                break
    swings = []
    for pair in played:
        at = np.flatnonzero(pair.flipped if pair.flipped.any() else pair.differ)
        if at.size:
            gap = np.abs(pair.after["turns"][at].astype(np.int64) - pair.before["turns"][at])
            swings += [(int(gap[i]), pair.label, int(pair.index[at[i]])) for i in np.argsort(-gap, kind="stable")[:3]]
    for gap_in_turns, label, game in sorted(swings, key=lambda swing: -swing[0]):
        if gap_in_turns and (label, game) not in tellings:
            add(f"a great effect: {gap_in_turns} {played[0].game.turn_name}s apart in length", label, game)
            break
    return list(tellings.values())


def _commands(pair: _Pair, game: int) -> tuple[str, str, str]:
    """Commands that replay a game: before, after, both beside each other."""
    a, b = (match.replay_command(pair.seed, game) for match in pair.matches)
    words = []
    for name, (_, after) in _settings(pair).items():
        if after == "as printed":
            return f"{a} --brief", f"{b} --brief", ""
        words += ["--beside", f"{name}={after}"]
    return f"{a} --brief", f"{b} --brief", f"{a} {shell.join(words)}" if words else ""


def usual_parting(partings: Sequence[Parting]) -> Parting:
    """One of the most common kind: same seat, decision and reason, and of those the most common choices."""
    kind, _ = Counter((p.seat, p.decision, p.what) for p in partings).most_common(1)[0]
    alike = [p for p in partings if (p.seat, p.decision, p.what) == kind]
    words, _ = Counter((p.base, p.tweak) for p in alike).most_common(1)[0]
    return replace(next(p for p in alike if (p.base, p.tweak) == words))


# --- In words -----------------------------------------------------------------------


def _sentences(diff: Diff) -> Iterator[str]:
    changed = ", ".join(f"{name} {before} -> {after}" for name, (before, after) in diff.settings.items())
    cells = f" in each of {len(diff.cells)} cells" if len(diff.cells) > 1 else ""
    games = diff.cells[0].games
    changed = changed or "nothing that can be seen"
    yield f"The tweak: {changed}. {counted(games, 'game')}{cells} on each side, with the same luck."
    both = diff.together
    if any(both.cut_off):
        yield (
            f"Games that went on for too long: {both.cut_off[0]:,} before, {both.cut_off[1]:,} after. "
            "They are left out on both sides."
        )
    if both.differ.count == 0:
        yield f"Nothing moved: 0 of {counted(both.games, 'game')} differ."
        return
    yield f"It changes something in {both.differ.text}, and who wins in {both.flipped.text}."
    if both.flips:
        ways = [f"{n:,} from {_win_words(a)} to {_win_words(b)}" for (a, b), n in list(both.flips.items())[:4]]
        yield f"Wins that changed hands: {', '.join(ways)}."
    wins = _wins_of_sides(both)
    mirrored = len(wins) == 2 and not any(figure.figure.topic == "winners" for figure in both.figures)
    for figure in wins[:1] if mirrored else wins:  # the one's loss is the other's win
        yield _moved(figure, diff.turn_name)
    if mirrored:
        yield from _fairer(wins[0].paired)
    yield _moved(both.figure("turns"), diff.turn_name)
    yield _sharper(both)
    parted = [p for p in diff.partings if p.turn >= 0]
    if parted:
        yield _where(parted, diff)


def _wins_of_sides(cell: CellDiff) -> list[FigureDiff]:
    """The wins of the sides, and of the seats that are on none with others."""
    events = [(figure, figure.figure.event) for figure in cell.figures if isinstance(figure.figure, ShareFigure)]
    joined = {seat for _, event in events if isinstance(event, SideWin) for seat in event.seats}
    return [
        figure
        for figure, event in events
        if isinstance(event, SideWin) or (isinstance(event, Win) and event.seat not in joined)
    ]


def _win_words(winner: str) -> str:
    return winner if winner == "nobody" else "a shared win" if winner == "shared" else winner.replace("_", " ")


def _moved(figure: FigureDiff, turn_name: str) -> str:
    p = figure.paired
    if figure.figure.topic == "length":
        name, scale, unit, per = "The length of a game", 1.0, f" {turn_name}s", f" {turn_name}s"
    else:
        who = figure.figure.about.replace("_", " ")  # no article: a seat may bear a person's name
        who = f"the {who}" if figure.figure.topic == "side" else who
        name = f"{who[:1].upper()}{who[1:]}'{'' if who.endswith('s') else 's'} win rate"
        scale, unit, per = 100.0, " %", " points"
    before, after = f"{scale * p.mean_a:.1f}", f"{scale * p.mean_b:.1f}{unit}"
    digits = 1 if scale * (p.high - p.low) >= 1 else 2
    ends = f"{scale * p.low:+.{digits}f} to {scale * p.high:+.{digits}f}"
    if not (p.low > 0 or p.high < 0):
        most = scale * max(abs(p.low), abs(p.high))
        return (
            f"{name} did not move as far as can be told: {before} before, {after} after; the change is anything from "
            f"{ends}{per}, so at most {most:.{digits}f} either way."
        )
    way = "rises" if p.difference > 0 else "falls"
    return f"{name} {way} from {before} to {after}: {scale * p.difference:+.{digits}f}{per} ({ends})."


def _fairer(wins: PairedDifference) -> Iterator[str]:
    """Whether the tweak brings a game of two seats nearer to even; nothing where the win rate did not move."""
    if not (wins.low > 0 or wins.high < 0):
        return
    before, after = wins.mean_a - 0.5, wins.mean_b - 0.5
    if before * after < 0:
        yield (
            f"It goes past even (50 %): {100 * abs(before):.1f} points from it before, {100 * abs(after):.1f} on the "
            "other side after."
        )
    else:
        way = "fairer: nearer to" if abs(after) < abs(before) else "less fair: further from"
        yield f"That is {way} even (50 %), and {100 * abs(after):.1f} points from it still."


def _sharper(both: CellDiff) -> str:
    figure = max((f for f in both.figures if f.figure.topic == "win"), key=lambda f: f.paired.changed)
    factor = figure.paired.factor
    if not math.isfinite(factor) or not math.isfinite(figure.factor_high):
        return "The win rates differ in so few games that how much the shared luck saved cannot be told."
    ends = f"{figure.factor_low:.1f} to {figure.factor_high:.1f}"
    if factor >= 1:
        return (
            f"The shared luck makes the comparison of win rates {factor:.1f} times ({ends}) as good: with separate "
            "luck it would have taken that many times the games."
        )
    return f"The shared luck did not help here: {factor:.2f} ({ends}) times as good as separate luck."


_WHAT = {
    "choice": "{who} chooses otherwise among the same options",
    "options": "{who} has other options and chooses otherwise",
    "question": "{who} is asked, and on the other side another decision is due",
    "end": "one of the two games is over and the other goes on",
}


def _where(parted: Sequence[Parting], diff: Diff) -> str:
    from simlab.game import the_seat
    from simlab.stats.intervals import clopper_pearson

    usual = usual_parting(parted)
    count = sum((p.seat, p.decision, p.what) == (usual.seat, usual.decision, usual.what) for p in parted)
    low, high = clopper_pearson(count, len(parted), diff.each)
    first, middle, third = np.quantile([p.turn for p in parted], [0.25, 0.5, 0.75], method="inverted_cdf")
    how = _WHAT[usual.what].format(who=f"{the_seat(diff, usual.seat)} ({usual.decision})")
    start = sum(p.position_turn < 0 for p in parted)
    seen = Counter(name for p in parted for name in p.position).most_common(2)
    names = " and ".join(name for name, _ in seen)
    before = ""
    if seen:
        before = f" The positions differ first in {names}" + (
            ", from the set-up on." if 2 * start > len(parted) else "."
        )
    flipped = "flipped games" if diff.together.flipped.count else "games that differ"
    share = f"{count} of them ({100 * low:.0f} to {100 * high:.0f} % of all such games)"
    return (
        f"{len(parted)} {flipped} were stepped through. Half of them part by {diff.turn_name} {int(middle)} (the "
        f"middle half in {int(first)} to {int(third)}). Most often, in {share}, {how}: "
        f"'{usual.base}' before, '{usual.tweak}' after.{before}"
    )
