"""Statistics of the printed rules and the tweak while games are played, and how each statistic changes; as HTML.

Every interval is a confidence sequence: it holds at any number of games, however often you look and whenever you stop.
Changes are paired, on the same seeds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from simlab.app.simulator import Play, Side
from simlab.engine.outcome import figures_of
from simlab.errors import InputError
from simlab.present.estimate import Estimate, words
from simlab.present.html import templates
from simlab.questions.comparison import Pair
from simlab.runs.truncation import ended_in_all
from simlab.stats.figure import GameFigure, Mean, Share, score_name
from simlab.stats.verdict import Clause, judge
from simlab.words import capital

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template

    from simlab.game import Game

Array = np.ndarray[Any, Any]
PRINTED, TWEAK = "printed rules", "your tweak"  #: names of the two sets of rules
_STATES = {"met": "met", "broken": "broken", "inconclusive": "cannot"}
LEVEL = 0.95  #: of each interval on its own, at every moment
MOST_BARS = 40  #: of a distribution; more values are binned


@dataclass(frozen=True)
class Line:
    """A statistic under both sets of rules.

    Attributes:
        printed, tweak: its value under each set of rules; tweak is None if only the printed rules are played.
        change: tweak minus printed, on the same seeds.
        fair: the fair share, for wins of seats that play against each other; else None.
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
        if figure.topic in ("win", "side", "category", "ending"):
            return words(figure.about)
        if figure.topic == "length":
            return figure.words.removeprefix("mean ")
        return words(figure.words.removeprefix("mean of "))

    @property
    def unit(self) -> str:
        return "%" if self.figure.is_rate else self.figure.unit

    @property
    def moved(self) -> bool:
        return self.change is not None and (self.change.low > 0 or self.change.high < 0)


@dataclass(frozen=True)
class Spread:
    """A number's distribution over the games, by value or by range of values.

    Attributes:
        name: the number in words. edges: the values, or the first value of each range. printed, tweak: share of the
            games, shape (values,).
    """

    name: str
    edges: Array
    printed: Array
    tweak: Array | None


@dataclass(frozen=True)
class LiveSummary:
    """The statistics of a play.

    Attributes:
        request: number of the request that they answer. form: its input.
        games, tweak_games: number of games that ended under the printed rules and under the tweak.
        wins, endings, numbers: lines; the length of a game comes first among the numbers.
        spreads: distributions of length and scores.
        flipped: number of games whose winner the tweak changed, of `pairs` games played under both.
        clauses: the contract, judged for the tweak, or for the printed rules if there is no tweak.
        headline: the effect of the tweak, or who is favoured, in a sentence or two.
    """

    request: int
    form: Any
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


def summarize(
    play: Play, contract: Mapping[str, Mapping[str, float]], *, all_numbers: bool = True
) -> LiveSummary | None:
    """The statistics of the games so far; None if no game has ended.

    Args:
        contract: statistic -> the designer's goal.
        all_numbers: whether to read the game's own metrics too, which takes longer than everything else.
    """
    if play.printed is None or not play.printed.tally.games:
        return None
    game = play.printed.match.game
    figures, several = figures_of(game), len(game.seats) > 1
    lost = figures.nobody if figures.sides else figures.undecided
    wins: list[GameFigure] = [*figures.sides, *(figures.wins if several or not figures.sides else [])]
    wins += [*figures.categories, *([lost] if several else [])]
    numbers = _numbers(game) if all_numbers else [one for one in _numbers(game) if one.topic != "number"]
    sides = [play.printed, *([play.tweak] if play.tweak is not None and play.tweak.tally.games else [])]
    fair = play.printed.tally.fair_share if several and not game.sides else None
    clauses, contract_fault = _judged(contract, sides[-1], game)
    pair = _pair(sides)
    lines = _read(sides, pair, [*wins, *figures.endings, *numbers], fair)
    summary = LiveSummary(
        request=play.request,
        form=play.form,
        games=play.printed.tally.games,
        tweak_games=play.tweak.tally.games if play.tweak else 0,
        wins=tuple(line for line in lines if line.figure in wins),
        endings=tuple(line for line in lines if line.figure.topic == "ending"),
        numbers=tuple(line for line in lines if line.figure in numbers),
        spreads=tuple(_spreads(game, sides)),
        flipped=int(pair.flipped.sum()) if pair else 0,
        pairs=pair.games if pair else 0,
        clauses=tuple(clauses),
        contract_fault=contract_fault,
        headline="",
    )
    return replace(summary, headline=headline(summary, game))


def _judged(contract: Mapping[str, Mapping[str, float]], side: Side, game: Game) -> tuple[Sequence[Clause], str]:
    if not contract:
        return (), ""
    try:
        return judge(contract, [("", side.tally)], figures_of(game)), ""
    except InputError as fault:
        return (), str(fault)


def _numbers(game: Game) -> list[Mean]:
    means = [one for one in figures_of(game).by_game if isinstance(one, Mean) and one.topic != "category"]
    order = {"length": 0, "score": 1}
    return sorted(means, key=lambda figure: order.get(figure.topic, 2))


def _pair(sides: Sequence[Side]) -> Pair | None:
    """The games that ended under both sets of rules (simlab.questions.comparison)."""
    if len(sides) < 2:
        return None
    both = min(side.games for side in sides)
    tables = [side.table() for side in sides]
    before, after = ended_in_all(*(rows[: np.searchsorted(rows["game"], both)] for rows in tables))
    return Pair(sides[0].match.game, before, after) if before.size else None


def _estimate(figure: GameFigure, side: Side) -> Estimate:
    try:
        return Estimate(*figure.sequence(side.tally, LEVEL), figure.is_rate)
    except ValueError:  # a number outside the range that the game states has no interval
        return Estimate(figure.interval(side.tally, LEVEL).value, -math.inf, math.inf, False)


def _read(sides: Sequence[Side], pair: Pair | None, figures: Sequence[GameFigure], fair: float | None) -> list[Line]:
    """The figures that happened or are known, on each side, and the change between games with the same seeds."""
    changes = pair.changes(figures, LEVEL, sequential=True) if pair else []
    change = {one.statistic: one.difference for one in changes}
    lines = []
    for figure in figures:
        if isinstance(figure, Mean) and not all(figure.histogram(side.tally)[0].size for side in sides):
            continue
        rare = figure.topic in ("winners", "ending")
        if isinstance(figure, Share) and rare and not any(figure.count(side.tally)[0] for side in sides):
            continue
        printed, *tweak = (_estimate(figure, side) for side in sides)
        own_fair = fair if figure.topic == "win" else None
        lines.append(Line(figure, printed, tweak[0] if tweak else None, change.get(figure.short_name), own_fair))
    return lines


def _spreads(game: Game, sides: Sequence[Side]) -> Iterator[Spread]:
    names = ["turns", *(name for name in map(score_name, game.seats) if name in sides[0].tally.metrics)]
    for name in names:
        counted = [side.tally.histogram(name) for side in sides]
        if not all(counts.any() for _, counts in counted):
            continue
        there = np.concatenate([values[counts > 0] for values, counts in counted])
        low, high = int(there.min()), int(there.max())
        if low == high:  # the same in all games: the table shows it
            continue
        width = max(1, math.ceil((high - low + 1) / MOST_BARS))
        edges = np.arange(low, high + width + 1, width)
        shares = [np.histogram(values, edges, weights=counts)[0] / counts.sum() for values, counts in counted]
        label = f"length in {game.turn_name}s" if name == "turns" else words(name)
        yield Spread(label, edges[:-1], shares[0], shares[1] if len(shares) > 1 else None)


# --- In words ---------------------------------------------------------------------------


def change_text(line: Line) -> str:
    """The change, such as `−6.2 points (−7.0 to −5.4)` or `+1.2 turns (+0.8 to +1.5)`; empty if there is none."""
    change = line.change
    if change is None:
        return ""
    unit = "" if line.figure.is_rate else f" {line.unit}".rstrip()
    return f"{change.text}{unit} ({change.one_sided or change.ends})"


def _first(wins: Sequence[Line]) -> Line | None:
    """The seat in the headline: with two seats the first one, otherwise the seat with the largest established
    change.
    """
    moved = [line for line in wins if line.change is not None and line.moved and line.figure.topic != "winners"]
    if len(wins) > 3 and moved:
        return max(moved, key=lambda line: abs(line.change.value) if line.change else 0.0)
    return wins[0] if wins else None


def headline(summary: LiveSummary, game: Game) -> str:
    """The effect of the tweak, or who wins under the printed rules, in a sentence or two."""
    return " ".join(_headline(summary, game))


def _headline(summary: LiveSummary, game: Game) -> Iterator[str]:
    first = _first(summary.wins)
    length = summary.numbers[0] if summary.numbers else None
    if first is None:
        return
    turns = f"{game.turn_name}s"
    name = first.name if first.figure.topic in ("side", "category") else f"{game.article} {first.name}".strip()
    who = capital(name)
    if first.change is None:
        seats = [line for line in summary.wins if line.fair is not None]
        if len(seats) > 2:
            ranked = sorted(seats, key=lambda line: -line.printed.value)
            most, least = ranked[0], ranked[-1]
            yield (
                f"Of {len(seats)} seats {most.name} has won most so far, {most.printed.text} of the games "
                f"({most.printed.ends}), and {least.name} least, {least.printed.text} ({least.printed.ends})."
            )
        else:
            yield f"{who} wins {first.printed.text} of the games ({first.printed.ends})."
        if length is not None:
            yield f"A game lasts {length.printed.text} {turns} on average."
        return
    if first.moved:
        moves = "rises" if first.change.value > 0 else "falls"
        size = _size(first.change).replace(" points", " percentage points")
        yield f"The win rate of {name} {moves} by {size} ({first.change.ends})."
    else:
        yield f"{who}: no detectable change of the win rate yet, {change_text(first)}."
    if length is not None and length.change is not None:
        longer = "longer" if length.change.value > 0 else "shorter"
        if length.moved:
            yield f"Games are {_size(length.change)} {turns} {longer} ({length.change.ends})."
        else:
            yield f"No detectable change of their length yet, {change_text(length)}."
    if summary.pairs:
        yield f"{summary.flipped:,} of {summary.pairs:,} games have another winner."


def _size(change: Estimate) -> str:
    """A change without its sign: `6.2 points`."""
    return change.text.lstrip("+−")


# --- As HTML and SVG, in which everything that comes from a game is text ----------------


@functools.cache
def _template() -> Template:
    return templates("simlab.app").get_template("figures.html.j2")


def figures(summary: LiveSummary) -> str:
    heads = [PRINTED, *([TWEAK, "change"] if summary.tweak_games else [])]
    return _template().render(summary=summary, heads=heads, change_text=change_text, on_axis=_on_axis)


def _on_axis(share: Estimate) -> list[str]:
    """The low end, the value and the high end of a share on an axis from 0 to 200."""
    return [f"{200 * min(max(end, 0.0), 1.0):.1f}" for end in (share.low, share.value, share.high)]


def contract(clauses: Iterable[tuple[str, str]]) -> Markup:
    """The contract, (verdict, sentence) by clause, in the words of `simlab check`."""
    form = Markup('<li><span class="badge {}">{}</span> {}</li>')
    items = (form.format(_STATES.get(word, "cannot"), word, sentence) for word, sentence in clauses)
    return Markup('<ul class="contract">{}</ul>').format(Markup("").join(items))


def fault(text: str) -> Markup:
    return Markup('<p class="fault" role="alert">{}</p>').format(text)
