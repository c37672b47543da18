"""Result of a search for a fix: Pareto front, recommended change, side effects, games before and after."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simlab.stats.figure import Reading
from simlab.stats.verdict import digits_for
from simlab.studies.mend.arena import LineUp, Wish
from simlab.studies.mend.dials import Amount, Setting, Space
from simlab.studies.mend.finals import Finalist

_EXIT_CODES = {"met": 0, "broken": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Moved:
    """A statistic of games at best play, in the printed game and in the fixed one.

    Attributes:
        words: description of the statistic. scale, unit: for display.
        difference, low, high: the change and its interval; the intervals hold for all statistics together.
    """

    name: str
    words: str
    scale: float
    unit: str
    before: float
    after: float
    difference: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        return self.low > 0 or self.high < 0

    @property
    def sentence(self) -> str:
        digits = digits_for((self.high - self.low) * self.scale)

        def number(value: float) -> str:
            return f"{value * self.scale:,.{digits}f}"

        ends = f"{self.difference * self.scale:+,.{digits}f}, {number(self.low)} to {number(self.high)}"
        return f"{self.words}: {number(self.before)} -> {number(self.after)} {self.unit}".rstrip() + f" ({ends})"


@dataclass(frozen=True)
class Point:
    """A finalist in words and numbers.

    Attributes:
        changes: in words. amount: number of changed parameters, and steps.
        lines: one dict per line of the contract. best_play: each side's mix, in words.
        holds_unless_adapted: whether it keeps the contract with the bots of the printed game, but best answers to it
            break it.
        line_up: the most frequent line-up, seat -> bot.
    """

    setting: Setting
    changes: str
    amount: Amount
    lines: tuple[dict[str, Any], ...]
    word: str
    miss: float
    best_play: tuple[str, ...]
    holds_unless_adapted: bool
    line_up: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        return {
            "changes": [{"name": name, "value": value} for name, value in self.setting], "text": self.changes,
            "knobs_changed": self.amount[0], "steps": self.amount[1], "verdict": self.word, "distance": self.miss,
            "lines": list(self.lines), "best_play": list(self.best_play),
            "holds_only_while_nobody_adapts": self.holds_unless_adapted, "bots": dict(self.line_up),
        }  # fmt: skip


@dataclass(frozen=True)
class GameBeside:
    """One game before and after the change, with the same random draws.

    Attributes:
        why: why it was chosen. before, after: commands that replay it; beside: one that shows both, or "".
        bots: seat -> bot, as it loads from any folder.
    """

    why: str
    game: int
    before: str
    after: str
    beside: str
    bots: Mapping[str, str]


@dataclass(frozen=True)
class Rules:
    """The rules of a game as a search set them: knobs, and tables swapped for a file."""

    game_ref: str
    knobs: Mapping[str, Any]
    files: Mapping[str, Path]


@dataclass(frozen=True)
class Mend:
    """The answer of `simlab optimize rules`.

    Attributes:
        base: the printed game. front: the Pareto front, smallest change first.
        finalists: all finalists. recommended: the smallest change that significantly meets every line, or None.
        nearest: the finalist closest to the contract.
        moved: statistics that changed significantly with the recommended (or else the nearest) change.
        dead, luck: sentences on actions that are never taken, and on luck.
        games: total games played; grid: settings and games of the whole grid; tried: settings that were played.
        exhausted: whether every setting of the grid was played.
        mended: file with the rules of the recommended (or else the nearest) change.
        rules: before and after the change.
    """

    experiment: str
    game: str
    folder: Path
    seed: int
    fresh: int
    base: Point
    finalists: tuple[Point, ...]
    recommended: Point | None
    nearest: Point
    moved: tuple[Moved, ...]
    dead: tuple[str, ...]
    luck: str
    beside: tuple[GameBeside, ...]
    games: int
    match_up_games: int
    grid: tuple[int, int]
    tried: int
    raced: Mapping[int, int]
    exhausted: bool
    most_changes: int
    dials: tuple[str, ...]
    bots: tuple[tuple[str, ...], ...]
    mended: Path | None
    rules: tuple[Rules, Rules]
    level: float = 0.95

    @property
    def shown(self) -> Point:
        """The change that the report is about: recommended, or nearest."""
        return self.recommended or self.nearest

    @property
    def front(self) -> tuple[Point, ...]:
        """The finalists that no other beats in both aims, smallest change first."""
        points: list[Point] = []
        for point in sorted(self.finalists, key=lambda p: (p.amount, p.miss)):
            if not points or point.miss < points[-1].miss - 1e-12:
                points.append(point)
        return tuple(points)

    @property
    def word(self) -> str:
        """`met` if a change keeps the contract, `broken` if significantly none does, else `inconclusive`."""
        if self.recommended or self.base.word == "met":
            return "met"
        return "broken" if all(point.word == "broken" for point in self.finalists) else "inconclusive"

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self.word]

    @property
    def adapting(self) -> bool:
        """Whether any side has a choice of bots."""
        return any(len(bots) > 1 for bots in self.bots)

    @property
    def recommendation(self) -> str:
        """One sentence that a designer can print."""
        point = self.shown
        lines = "; ".join(line["short"] for line in point.lines)
        length = next((m for m in self.moved if m.name == "turns" and m.sure), None)
        longer = ""
        if length is not None:
            gap = abs(length.difference)
            word = "longer" if length.difference > 0 else "shorter"
            longer = f"; games {gap:.{0 if gap >= 9.5 else 1}f} {length.unit} {word}"
        return f"{point.changes}: {lines}{' at best play' if self.adapting else ''}{longer}."

    @property
    def sentences(self) -> list[str]:
        """The answer in words."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.base.word == "met":
            yield f"{self.experiment}: the game keeps its contract as it is; nothing needs to change."
        elif self.recommended is not None:
            yield f"Change {self.recommendation}"
        else:
            yield from self._no_cure()
        for point in self.finalists:
            if point.holds_unless_adapted:
                yield (
                    f"{point.changes}: looks fixed against the bots that were best before "
                    f"({'; '.join(line['unadapted_text'] for line in point.lines)}), but only while nobody adapts: at "
                    f"best play {'; '.join(line['short'] for line in point.lines)}."
                )
        reached = max(self.raced, default=self.most_changes)
        if self.word != "met" and reached < min(self.most_changes, len(self.dials)):
            yield f"The budget was too small to try settings with {reached + 1} changes (--budget)."
        if not self.adapting:
            yield "Every side has only one bot, so nobody could adapt. Name more bots to judge the fix at best play."

    def _no_cure(self) -> Iterator[str]:
        changes = f"{self.most_changes} change{'s' if self.most_changes > 1 else ''}"
        if self.word == "inconclusive":
            unsure = [point for point in self.finalists if point.word == "inconclusive"]
            best = min(unsure, key=lambda p: (p.miss, p.amount))
            yield f"Inconclusive: {best.changes} comes nearest ({'; '.join(line['short'] for line in best.lines)})."
            yield f"More games would decide it: --games {4 * self.match_up_games}. The games played so far count."
            return
        if self.exhausted:
            number = len(self.finalists)
            yield (
                f"No setting within {changes} was found to keep the contract: all {self.tried:,} raced, and the "
                f"{number} best were judged on held-out seeds. This is a search, not a proof: the others were not "
                "judged."
            )
        else:
            yield (
                f"No setting that was tried keeps the contract: {self.tried:,} of the {self.grid[0]:,} within "
                f"{changes}. This is a search, not a proof."
            )
        yield f"Nearest: {self.nearest.changes} ({'; '.join(line['short'] for line in self.nearest.lines)})."
        blocked = [line for line in self.nearest.lines if line["verdict"] != "met"]
        yield f"Not met: {'; '.join(line['sentence'] for line in blocked)}."

    @property
    def cost(self) -> str:
        """The size of the search, in a sentence."""
        share = self.games / max(self.grid[1], 1)
        text = f"{100 * share:.1f} %" if share >= 0.001 else "less than 0.1 %"
        return (
            f"{self.games:,} games, {text} of the {self.grid[1]:,} of the whole grid ({self.grid[0]:,} settings); "
            f"{self.tried:,} settings were tried{self._levels}."
        )

    @property
    def _levels(self) -> str:
        parts = [f"{number:,} with {level} change{'s' * (level > 1)}" for level, number in self.raced.items()]
        return f" ({', '.join(parts)})" if parts else ""

    @property
    def rests_on(self) -> str:
        """The coverage of the intervals, in words."""
        return (
            f"The finalists were played on held-out seeds (seed {self.fresh}), {self.match_up_games:,} games per "
            f"match-up. Their intervals hold together at {100 * self.level:g} %, whichever finalist you choose."
        )

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "experiment": self.experiment, "game": self.game, "verdict": self.word, "exit_status": self.exit_code,
            "sentences": self.sentences, "seed": self.seed, "fresh_seed": self.fresh, "level": self.level,
            "recommended": self.recommended.to_dict() if self.recommended else None,
            "recommendation": self.recommendation, "nearest": self.nearest.to_dict(), "base": self.base.to_dict(),
            "front": [point.to_dict() for point in self.front],
            "finalists": [point.to_dict() for point in self.finalists],
            "moved": [
                {"figure": m.name, "before": m.before, "after": m.after, "difference": m.difference, "low": m.low,
                 "high": m.high} for m in self.moved
            ],
            "dead_actions": list(self.dead), "luck": self.luck,
            "games_beside": [
                {"why": g.why, "game": g.game, "before": g.before, "after": g.after, "beside": g.beside}
                for g in self.beside
            ],
            "games": self.games, "grid_settings": self.grid[0], "grid_games": self.grid[1], "tried": self.tried,
            "raced": {str(level): number for level, number in self.raced.items()}, "exhausted": self.exhausted,
            "may_change": list(self.dials), "bots": [list(bots) for bots in self.bots],
            "mended": str(self.mended) if self.mended else None, "folder": str(self.folder),
        }  # fmt: skip


# --- Finalists as points ----------------------------------------------------------


def point_of(
    finalist: Finalist, space: Space, wishes: Sequence[Wish], bots: Sequence[Sequence[str]],
    line_up: Mapping[str, str], sides: Sequence[str],
) -> Point:  # fmt: skip
    """A finalist in words and numbers.

    Args:
        bots: names of each side's bots. line_up: seat -> bot of the most frequent line-up. sides: names of the sides.
    """
    lines = tuple(
        line_of(wish, reading, word, unadapted)
        for wish, reading, word, unadapted in zip(
            wishes, finalist.readings, finalist.words, finalist.unadapted, strict=True
        )
    )
    unadapted_keeps = all(w.inside(value) >= 0 for w, value in zip(wishes, finalist.unadapted, strict=True))
    return Point(
        finalist.setting, space.text(finalist.setting), space.amount(finalist.setting), lines, finalist.word,
        finalist.miss, tuple(_mix(side, finalist.weights, bots[side], name) for side, name in enumerate(sides)),
        bool(finalist.setting) and unadapted_keeps and finalist.word == "broken", dict(line_up),
    )  # fmt: skip


def _mix(side: int, weights: Mapping[LineUp, float], bots: Sequence[str], name: str) -> str:
    chances: dict[int, float] = {}
    for line_up, weight in weights.items():
        chances[line_up[side]] = chances.get(line_up[side], 0.0) + weight
    sent = sorted(((w, b) for b, w in chances.items() if w >= 0.01), reverse=True)
    return f"{name}: " + ", ".join(bots[b] if w > 0.995 else f"{bots[b]} {100 * w:.0f} %" for w, b in sent)


def line_of(wish: Wish, reading: Reading, word: str, unadapted: float) -> dict[str, Any]:
    """A line of the contract, for people and for programs."""
    figure = wish.figure
    digits = digits_for((reading.high - reading.low) * figure.scale)
    if figure.scale == 1.0 and all(float(end).is_integer() for end in (reading.value, reading.low, reading.high)):
        digits = 0

    def number(value: float, places: int = digits) -> str:
        return f"{value * figure.scale:,.{places}f}" if math.isfinite(value) else "?"

    wanted = _wanted(wish)
    short = f"{figure.words} {number(reading.value)} {figure.unit}".rstrip()
    short += f" ({number(reading.low)} to {number(reading.high)})"
    return {
        "figure": figure.name, "value": _finite(reading.value), "low": _finite(reading.low),
        "high": _finite(reading.high), "verdict": word, "wanted": wanted, "unadapted": _finite(unadapted),
        "short": short, "sentence": f"{short}; wanted {wanted}",
        "unadapted_text": f"{figure.words} {number(unadapted)} {figure.unit}".rstrip(),
    }  # fmt: skip


def _wanted(wish: Wish) -> str:
    scale, unit = wish.figure.scale, wish.figure.unit

    def edge(value: float) -> str:
        return f"{round(value * scale, 9):,.10g}"

    if math.isinf(wish.low):
        return f"at most {edge(wish.high)} {unit}".rstrip()
    if math.isinf(wish.high):
        return f"at least {edge(wish.low)} {unit}".rstrip()
    return f"{edge(wish.low)} to {edge(wish.high)} {unit}".rstrip()


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
