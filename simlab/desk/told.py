"""What the desk says of the games: figures of the printed rules and of the tweak, and how far each moved.

No statistics are made here. Every interval is a confidence sequence of `simlab.stats`: it holds at every moment of a
play that one watches and may stop when one likes, which an interval for a number of games fixed beforehand would not.
Changes are those of games with the same luck, game by game.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.desk.played import Play, Side
from simlab.engine.outcome import GameRows, fair_share, figures_of
from simlab.errors import UserMistake
from simlab.present.estimate import Estimate, number, words
from simlab.runs.over_long import ended_in_all
from simlab.stats.figure import GameFigure, Mean, Share, score_name
from simlab.stats.sequential import difference_sequence, share_sequence
from simlab.stats.verdict import Clause, judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simlab.game import Game

Array = np.ndarray[Any, Any]
LEVEL = 0.95  #: of each interval by itself, at every moment
MOST_BARS = 40  #: of a distribution; more values are put together


@dataclass(frozen=True)
class Line:
    """One figure of both sets of rules.

    Attributes:
        figure: of the game. printed, tweak: it under either; tweak is None where only the printed rules are played.
        change: tweak less printed, of games with the same luck; shares in points.
        fair: share of each seat if all won equally often, for wins of seats that play against each other; else None.
    """

    figure: GameFigure
    printed: Estimate
    tweak: Estimate | None
    change: Estimate | None
    fair: float | None = None

    @property
    def name(self) -> str:
        """`besieger`, `games that nobody wins`, `by storm`, `length in turns`."""
        figure = self.figure
        if figure.topic in ("win", "side", "ending"):
            return words(figure.about)
        if figure.topic == "length":
            return figure.words.removeprefix("mean ")
        return words(figure.words.removeprefix("mean of "))

    @property
    def unit(self) -> str:
        return "%" if self.figure.is_rate else self.figure.unit

    @property
    def moved(self) -> bool:
        """Whether the change is told from none."""
        return self.change is not None and (self.change.low > 0 or self.change.high < 0)


@dataclass(frozen=True)
class Spread:
    """A number's distribution: games of each value, or of each range of values.

    Attributes:
        name: of the number, as people say it. edges: the values, or the first of each range; width: of a range.
        printed, tweak: share of the games, shape (values,).
    """

    name: str
    edges: Array
    width: int
    printed: Array
    tweak: Array | None


@dataclass(frozen=True)
class Told:
    """The figures of a play.

    Attributes:
        request: that they are of. games, tweak_games: that ended, under either set of rules.
        wins, endings, numbers: lines; the length of a game stands first among the numbers.
        spreads: distributions of length and scores.
        flipped: games whose winner the tweak changed, of `pairs` played under both.
        clauses: the contract, judged for the tweak, or where there is none for the printed rules.
        headline: what the tweak does, or how the game stands, in a sentence or two.
    """

    request: int
    games: int
    tweak_games: int
    wins: tuple[Line, ...]
    endings: tuple[Line, ...]
    numbers: tuple[Line, ...]
    spreads: tuple[Spread, ...]
    flipped: int
    pairs: int
    clauses: tuple[Clause, ...]
    contract_fault: str
    headline: str


def tell(play: Play, contract: Mapping[str, Mapping[str, float]], *, all_numbers: bool = True) -> Told | None:
    """The figures of what was played so far; None where no game has ended.

    Args:
        contract: figure -> what the designer wants of it.
        all_numbers: whether the game's own metrics are read too, which takes longer than all the rest.
    """
    if play.printed is None or not play.printed.tally.games:
        return None
    game = play.printed.match.game
    figures, several = figures_of(game), len(game.seats) > 1
    lost = figures.nobody if figures.sides else figures.undecided
    wins = [*figures.sides, *(figures.wins if several or not figures.sides else []), *([lost] if several else [])]
    numbers = _numbers(game) if all_numbers else [one for one in _numbers(game) if one.topic != "number"]
    reader = _Reader(play.printed, play.tweak, [*wins, *figures.endings, *numbers])
    fair = fair_share(play.printed.tally) if several and not game.sides else None
    side = play.tweak if play.tweak is not None and play.tweak.tally.games else play.printed
    clauses, contract_fault = _judged(contract, side, game)
    flipped, pairs = reader.flipped()
    told = Told(
        request=play.request,
        games=play.printed.tally.games,
        tweak_games=play.tweak.tally.games if play.tweak else 0,
        wins=tuple(reader.line(one, fair) for one in wins if one.topic != "winners" or reader.ever(one)),
        endings=tuple(reader.line(one) for one in figures.endings if reader.ever(one)),
        numbers=tuple(reader.line(one) for one in numbers if reader.known(one)),
        spreads=tuple(_spreads(game, play.printed, play.tweak)),
        flipped=flipped,
        pairs=pairs,
        clauses=tuple(clauses),
        contract_fault=contract_fault,
        headline="",
    )
    return replace(told, headline=headline(told, game))


def _judged(contract: Mapping[str, Mapping[str, float]], side: Side, game: Game) -> tuple[Sequence[Clause], str]:
    if not contract or not side.tally.games:
        return (), ""
    try:
        return judge(contract, [("", side.tally)], figures_of(game)), ""
    except UserMistake as fault:
        return (), str(fault)


def _numbers(game: Game) -> list[Mean]:
    """Means of the length, the scores and the metrics."""
    means = [figure for figure in figures_of(game).by_game if isinstance(figure, Mean)]
    order = {"length": 0, "score": 1}
    return sorted(means, key=lambda figure: order.get(figure.topic, 2))


class _Reader:
    """Reads figures of both sides, and pairs of games with the same luck.

    All shares are read in one go: an interval of forty figures takes hardly longer than that of one.
    """

    def __init__(self, printed: Side, tweak: Side | None, figures: Sequence[GameFigure]) -> None:
        self.sides = [printed, *([tweak] if tweak is not None and tweak.tally.games else [])]
        self.rows = self._pairs()
        shares = [figure for figure in figures if isinstance(figure, Share)]
        self._readings: dict[tuple[str, int], Estimate] = {}
        for place, side in enumerate(self.sides):
            counts = np.array([figure.count(side.tally) for figure in shares])
            ends_of_all = share_sequence(counts[:, 0], counts[:, 1], LEVEL)
            for figure, (count, games), (low, high) in zip(shares, counts, ends_of_all, strict=True):
                value = count / games if games else math.nan
                self._readings[figure.name, place] = Estimate(float(value), float(low), float(high))
        self._changes: dict[str, Estimate] = {}
        if self.rows is not None:
            pairs = [(figure.read(self.rows[0]), figure.read(self.rows[1])) for figure in shares]
            more = np.array([int((after & ~before).sum()) for before, after in pairs])
            less = np.array([int((before & ~after).sum()) for before, after in pairs])
            games = pairs[0][0].size
            for figure, up, down, two in zip(
                shares, more, less, difference_sequence(more, less, games, LEVEL), strict=True
            ):
                low, high = (100 * float(end) for end in two)
                self._changes[figure.name] = Estimate(100 * float(up - down) / games, low, high, False)

    def _pairs(self) -> tuple[GameRows, GameRows] | None:
        if len(self.sides) < 2:
            return None
        both = min(side.games for side in self.sides)
        tables = [side.table() for side in self.sides]
        pair = ended_in_all(*(rows[: np.searchsorted(rows["game"], both)] for rows in tables))
        game = self.sides[0].match.game
        return (GameRows(pair[0], game), GameRows(pair[1], game)) if pair[0].size else None

    def ever(self, figure: Share) -> bool:
        """Whether it happened in any game."""
        return any(figure.count(side.tally)[0] for side in self.sides)

    def known(self, figure: Mean) -> bool:
        """Whether there is a game that has the number, on each side."""
        return all(figure.histogram(side.tally)[0].size for side in self.sides)

    def line(self, figure: GameFigure, fair: float | None = None) -> Line:
        readings = [self._reading(figure, place) for place in range(len(self.sides))]
        fair = fair if figure.topic == "win" else None
        return Line(figure, readings[0], readings[1] if len(readings) > 1 else None, self._change(figure), fair)

    def _reading(self, figure: GameFigure, place: int) -> Estimate:
        if (figure.name, place) in self._readings:
            return self._readings[figure.name, place]
        tally = self.sides[place].tally
        try:
            return Estimate(*figure.sequence(tally, LEVEL), False)
        except ValueError:  # a number outside the range that the game states: no interval holds for it
            return Estimate(figure.interval(tally, LEVEL).value, -math.inf, math.inf, False)

    def _change(self, figure: GameFigure) -> Estimate | None:
        if self.rows is None or figure.name in self._changes:
            return self._changes.get(figure.name)
        before, after = (figure.read(rows) for rows in self.rows)
        counts = figure.counted(before, after)
        before, after = before[counts], after[counts]
        if not before.size:
            return None
        value = float(after.mean() - before.mean())
        low, high = figure.paired_sequence(before, after, LEVEL)
        return Estimate(value, min(low, value), max(high, value), False)

    def flipped(self) -> tuple[int, int]:
        """Games with another winner, and games under both sets of rules."""
        if self.rows is None:
            return 0, 0
        before, after = (rows.rows["winners"] for rows in self.rows)
        return int((before != after).sum()), int(before.size)


def _spreads(game: Game, printed: Side, tweak: Side | None) -> Iterator[Spread]:
    names = ["turns", *(name for name in map(score_name, game.seats) if name in printed.tally.metrics)]
    for name in names:
        sides = [side.tally.histogram(name) for side in (printed, tweak) if side is not None and side.tally.games]
        values = [some[counts > 0] for some, counts in sides]
        if not all(some.size for some in values):
            continue
        low, high = min(int(some[0]) for some in values), max(int(some[-1]) for some in values)
        if low == high:  # the same in all games: the table says so
            continue
        width = max(1, math.ceil((high - low + 1) / MOST_BARS))
        bars = (high - low) // width + 1
        shares = []
        for some, counts in sides:
            places = (some[counts > 0] - low) // width
            filled = np.bincount(places, weights=counts[counts > 0], minlength=bars)
            shares.append(filled / filled.sum())
        label = f"length in {game.turn_name}s" if name == "turns" else words(name)
        yield Spread(label, low + width * np.arange(bars), width, shares[0], shares[1] if len(shares) > 1 else None)


# --- In words ---------------------------------------------------------------------------


def change_text(line: Line) -> str:
    """How far a figure moved, as `−6.2 points (−7.0 to −5.4)`; why nothing is said where nothing is."""
    change = line.change
    if change is None:
        return ""
    unit = "points" if line.figure.is_rate else line.unit
    return f"{signed(change)} {unit} ({ends(change)})".replace("  ", " ")


def signed(change: Estimate) -> str:
    """`+6.2`, `−6.2` or `0.0`."""
    text = change.text
    return f"+{text}" if change.value > 0 and not text.startswith("0.000") else text


def ends(change: Estimate) -> str:
    """The ends of a change's interval, open ones in words."""
    if math.isinf(change.low) and math.isinf(change.high):
        return "too few games to say"
    low, high = (number(end, change.high - change.low).replace("-", "−") for end in (change.low, change.high))
    return f"{low} to {high}"


def _first(wins: Sequence[Line]) -> Line | None:
    """Whose wins the headline is about: of two the first one's, of many those that moved most for certain."""
    moved = [line for line in wins if line.change is not None and line.moved and line.figure.topic != "winners"]
    if len(wins) > 3 and moved:
        return max(moved, key=lambda line: abs(line.change.value) if line.change else 0.0)
    return wins[0] if wins else None


def headline(told: Told, game: Game) -> str:
    """What the tweak does, or how the game stands, in a sentence or two."""
    return " ".join(_headline(told, game))


def _headline(told: Told, game: Game) -> Iterator[str]:
    first = _first(told.wins)
    length = told.numbers[0] if told.numbers else None
    if first is None:
        return
    turns = f"{game.turn_name}s"
    who = first.name if first.figure.topic == "side" else f"{game.article} {first.name}".strip()
    who = f"{who[:1].upper()}{who[1:]}"
    if first.change is None:
        seats = [line for line in told.wins if line.fair is not None]
        if len(seats) > 2:
            ranked = sorted(seats, key=lambda line: -line.printed.value)
            most, least = ranked[0], ranked[-1]
            yield (
                f"Of {len(seats)} seats {most.name} wins most, {most.printed.text} of the games ({most.printed.ends}), "
                f"and {least.name} least, {least.printed.text} ({least.printed.ends})."
            )
        else:
            yield f"{who} wins {first.printed.text} of the games ({first.printed.ends})."
        if length is not None:
            yield f"A game lasts {length.printed.text} {turns} on average."
        return
    size = first.change.text.lstrip("−")
    if first.moved:
        more = "more" if first.change.value > 0 else "fewer"
        yield f"{who} wins {size} points {more} ({ends(first.change)})."
    else:
        yield f"Whether {who[:1].lower()}{who[1:]} wins more or less cannot be told yet: {change_text(first)}."
    if length is not None and length.change is not None:
        longer = "longer" if length.change.value > 0 else "shorter"
        if length.moved:
            yield f"Games are {length.change.text.lstrip('−')} {turns} {longer} ({ends(length.change)})."
        else:
            yield f"No change of their length can be told yet: {change_text(length)}."
    if told.pairs:
        yield f"{told.flipped:,} of {told.pairs:,} games have another winner."
