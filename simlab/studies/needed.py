"""How many games an answer takes: for a wanted precision, to see a change, to decide a contract, to tell a step.

    needed = games_needed(Asked(match, ["besieger_win"], precision=0.01))
    needed.lines, needed.to_dict()

A short pilot says where the figures lie, how much they scatter, and, of two variants on the same luck, how much of it
they share. The rest is arithmetic with the very intervals and tests that the results will have.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import GameRows, figures_of
from simlab.errors import UserMistake
from simlab.present.text import duration
from simlab.runs.manifest import processors
from simlab.runs.over_long import MOST_CUT_OFF, batches_parting, ended_in_all, too_many_cut_off
from simlab.stats.bounded import mean_bounds
from simlab.stats.figure import Figure, GameFigure, Mean, Quantile, Share
from simlab.stats.paired import share_difference
from simlab.stats.precision import (
    Scaled,
    fewest,
    games_for_step,
    games_for_width,
    games_to_detect,
    half_width,
    pairs_to_detect,
)
from simlab.stats.verdict import UNDECIDED, judge, span_to_decide
from simlab.studies.diff import family_size

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.tally import Tally
    from simlab.errors import GameTooLong

PILOT = 2_000  #: games of a pilot
FEWEST = 100  #: games below which a pilot says nothing
_TRIAL, _SECONDS = 100, 20.0  # games that time a pilot, and what it may take; then it is shorter
_LESS_LUCKY = 0.85  # of a few hundred games that change, what two standard errors leave
_FEW = 10  # games that differ, below which what the pilot says of the shared luck is guesswork


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked.

    Attributes:
        figures: names; none: how often each seat, or side, wins.
        precision: half width of the interval, in the figure's own unit (shares in 0..1).
        detect: a change, in that unit; seen with chance `power`, judged at `level` with `family` others.
        family: intervals that are judged together; None: with a change as many as `simlab diff` judges together, else
            one.
        step: Elo points by which a bot is stronger.
        contract: figure -> clause.
        change: the match with the change, on whose luck the pair is played; None for runs of separate luck alone.
    """

    match: Match
    figures: Sequence[str] = ()
    precision: float | None = None
    detect: float | None = None
    step: float | None = None
    contract: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    change: Match | None = None
    power: float = 0.8
    level: float = 0.95
    family: int | None = None
    seed: int = 1
    pilot: int = PILOT
    workers: int | None = None


@dataclass(frozen=True)
class Need:
    """One answer.

    Attributes:
        what: of which figure, or what is told. wanted: in words.
        games: of each variant; None where no number would do. variants: how many are played.
        between: between which numbers the answer lies, as far as the pilot's luck goes, the most None where there is no
            most; None where the pilot's luck hardly matters.
        seconds: of play on this machine. note: what it rests on, or why not.
    """

    what: str
    wanted: str
    games: int | None
    variants: int
    seconds: float | None
    note: str = ""
    between: tuple[int, int | None] | None = None

    @property
    def all_games(self) -> int | None:
        return None if self.games is None else self.games * self.variants

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what, "wanted": self.wanted, "games_each": self.games, "variants": self.variants,
            "games": self.all_games, "seconds": self.seconds, "note": self.note,
            "games_each_low": self.games if self.between is None else self.between[0],
            "games_each_high": self.games if self.between is None else self.between[1],
        }  # fmt: skip

    @property
    def row(self) -> list[str]:
        """For a table: what, wanted, games, time, note."""
        if self.games is None:
            return [self.what, self.wanted, "no number", "-", self.note]
        each = f"{self.variants} x " if self.variants > 1 else ""
        games = f"{each}{self.games:,}"
        if self.between is not None:
            least, most = self.between
            games += f" ({least:,} or more)" if most is None else f" ({least:,} to {most:,})"
        return [self.what, self.wanted, games, duration(self.seconds or 0.0), self.note]


@dataclass(frozen=True)
class Needed:
    """All answers, and the pilot that they rest on.

    Attributes:
        now: figure -> (value, low, high) as the pilot has it, with its words.
        per_second: games a second of one worker.
    """

    game: str
    needs: tuple[Need, ...]
    now: tuple[tuple[str, float, float, float, str], ...]
    pilot: int
    per_second: float
    workers: int
    power: float
    level: float
    family: int

    @property
    def lines(self) -> list[str]:
        """What the table rests on, in words."""
        team = f"{self.workers} worker{'s' if self.workers > 1 else ''}"
        judged = f", {self.family} intervals judged together" if self.family > 1 else ""
        return [
            f"Rests on a pilot of {self.pilot:,} games ({self.per_second:,.0f} a second of each of {team}): "
            + "; ".join(text for *_, text in self.now)
            + ".",
            (
                f"Intervals of {100 * self.level:g} %; a change is seen in {100 * self.power:g} of 100 such runs"
                f"{judged}. Where the truth lies elsewhere than the pilot, so does the number: look again when a tenth "
                "is played."
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        now = [
            {"figure": n, "estimate": _finite(v), "low": _finite(a), "high": _finite(b)} for n, v, a, b, _ in self.now
        ]
        return {
            "game": self.game, "needs": [need.to_dict() for need in self.needs], "now": now, "pilot": self.pilot,
            "games_per_second": self.per_second, "workers": self.workers, "power": self.power, "level": self.level,
            "family": self.family,
        }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def games_needed(asked: Asked) -> Needed:
    """Plays a pilot and says how many games each answer takes.

    Raises:
        UserMistake: nothing asked, an unknown figure, or a wish that no game can meet. GameTooLong: too many games
            of the pilot do not end. BotFault: a bot failed.
    """
    _check(asked)
    game = asked.match.game
    if asked.family is None:
        asked = replace(asked, family=family_size([game]) if asked.change is not None else 1)
    figures = figures_of(game)
    names = asked.figures or [figure.name for figure in (*figures.wins, *figures.sides)]
    if asked.contract and not asked.figures and asked.precision is None and asked.detect is None:
        names = []
    wanted = [figures.find(name, "--figure") for name in names]
    rows, tally, seconds = _pilot(asked.match, asked)
    pair = None
    if asked.change is not None:
        other, _, more = _pilot(asked.change, asked)
        pair, seconds = ended_in_all(rows, other), (seconds + more) / 2
    workers = asked.workers or processors()

    def time_of(games: int | None, variants: int) -> float | None:
        return None if games is None else games * variants * seconds / workers

    needs = [
        Need(what, text, games, variants, time_of(games, variants), note, some[0] if some else None)
        for what, text, games, variants, note, *some in _answers(asked, wanted, tally, pair)
    ]
    shown = [*wanted, *(figures.find(name, "") for name in asked.contract if name not in names)]
    return Needed(
        game.slug, tuple(needs), tuple(_now(figure, tally) for figure in shown), tally.games, 1 / seconds, workers,
        asked.power, asked.level, asked.family or 1,
    )  # fmt: skip


def _check(asked: Asked) -> None:
    if asked.precision is None and asked.detect is None and asked.step is None and not asked.contract:
        raise UserMistake(
            "what shall the games tell? --precision 1 (an interval of 1 point to each side), --detect 2 (a change of 2 "
            "points), --elo 20 (a step of a ladder), or a file with a [contract]."
        )
    for name, value in (("--precision", asked.precision), ("--detect", asked.detect), ("--elo", asked.step)):
        if value is not None and not 0 < value < math.inf:
            raise UserMistake(f"{name}: write a number above 0.")
    if asked.step is not None and len(asked.match.game.seats) < 2:
        raise UserMistake(
            f"--elo: {asked.match.game.slug} has one seat, so no bot is stronger than another at its table."
        )
    if not 0 < asked.power < 1 or not 0 < asked.level < 1:
        raise UserMistake("--power and --level are chances between 0 and 1, as 0.8 and 0.95.")
    if asked.pilot < FEWEST:
        raise UserMistake(f"--pilot {asked.pilot}: so few games say nothing. Write {FEWEST} or more.")


def _pilot(match: Match, asked: Asked) -> tuple[np.ndarray[Any, Any], Tally, float]:
    """(rows, counts, seconds a game) of a pilot, shorter where it would take too long."""

    def most(cut_off: int, fault: GameTooLong) -> None:
        if cut_off > MOST_CUT_OFF * asked.pilot:
            raise UserMistake(f"the pilot tells nothing: {too_many_cut_off(cut_off, asked.pilot)}.") from fault

    match.play(asked.seed, 0, 1)  # compiles, or loads what is compiled
    began = time.perf_counter()
    batches, _ = batches_parting(match, asked.seed, 0, min(_TRIAL, asked.pilot), most)
    each = (time.perf_counter() - began) / min(_TRIAL, asked.pilot)
    games = min(asked.pilot, max(FEWEST, int(_SECONDS / max(each, 1e-9))))
    if games > _TRIAL:
        began = time.perf_counter()
        batches += batches_parting(match, asked.seed, _TRIAL, games - _TRIAL, most)[0]
        each = (time.perf_counter() - began) / (games - _TRIAL)
    tally = batches[0].tally
    for batch in batches[1:]:
        tally = tally + batch.tally
    return np.concatenate([batch.rows for batch in batches]), tally, each


Answer = tuple[str, str, int | None, int, str] | tuple[str, str, int | None, int, str, tuple[int, int | None]]


def _answers(
    asked: Asked, figures: Sequence[Figure], tally: Tally, pair: Sequence[np.ndarray[Any, Any]] | None
) -> Iterator[Answer]:
    """(what, wanted, games of each variant, variants, note) of each answer, and between which numbers it lies."""
    for figure in figures:
        if asked.precision is not None:
            yield _precision(asked, figure, tally, asked.precision)
            if pair is not None and isinstance(figure, GameFigure):
                yield _paired(asked, figure, pair, asked.precision, detect=False)
        if asked.detect is not None:
            alone = _detect(asked, figure, tally, asked.detect)
            yield alone
            if pair is not None and isinstance(figure, GameFigure):
                yield _paired(asked, figure, pair, asked.detect, detect=True, alone=alone[2])
    if asked.step is not None:
        seats = len(asked.match.game.seats)
        games = games_for_step(asked.step, asked.level, asked.power, seats)
        what, note = (
            f"a bot {asked.step:g} Elo points stronger",
            "in each seat in turn, as `simlab compare --ladder` plays it",
        )
        yield what, "told from an equal one", games, seats, note
    if asked.contract:
        yield from _contract(asked, tally)


def _amount(figure: Figure, value: float) -> str:
    """`1 point` of a share, `0.5 turns` of a length."""
    scaled = round(value * figure.scale, 9)
    if figure.is_rate:
        return f"{scaled:g} point{'' if scaled == 1 else 's'}"
    return f"{scaled:g} {figure.unit}".rstrip()


def _precision(asked: Asked, figure: Figure, tally: Tally, precision: float) -> tuple[str, str, int | None, int, str]:
    games = games_for_width(figure, tally, precision, asked.level)
    note = "" if games else "the pilot has no game with it"
    if isinstance(figure, Quantile) and precision < 0.5 and games is not None:
        note = "of whole numbers: from there on the interval is a single one"
    return figure.name, f"+-{_amount(figure, precision)}", games, 1, note


def _detect(asked: Asked, figure: Figure, tally: Tally, change: float) -> tuple[str, str, int | None, int, str]:
    """Two runs of separate luck."""
    wanted = f"a change of {_amount(figure, change)}"
    given: dict[str, Any] = {"level": asked.level, "power": asked.power, "family": asked.family or 1}
    if isinstance(figure, Share):
        rate = min(max(figure.interval(tally).value, 0.5 / tally.games), 1 - 0.5 / tally.games)
        return figure.name, wanted, games_to_detect(change, rate=rate, **given), 2, "runs of separate luck"
    if isinstance(figure, Mean):
        values, counts = figure.histogram(tally)
        if counts.sum() < 2:
            return figure.name, wanted, None, 2, "the pilot has no game with it"
        mean = np.average(values, weights=counts)
        variance = float(np.average((values - mean) ** 2, weights=counts)) * 2
        games = games_to_detect(change, variance=variance, **given)
        share = counts.sum() / tally.games  # of the games, those that have the number
        return figure.name, wanted, None if games is None else math.ceil(games / share), 2, "runs of separate luck"
    # A quantile, or the gap of seats: by the width of its interval, two of which add up like errors.
    from statistics import NormalDist

    from simlab.stats.intervals import normal_quantile

    one = normal_quantile(1 - (1 - asked.level) / (asked.family or 1))
    more = math.sqrt(2) * (one + NormalDist().inv_cdf(asked.power)) / one
    games = fewest(lambda n: half_width(figure, Scaled(tally, n), asked.level) * more <= change)
    return figure.name, wanted, games, 2, "runs of separate luck; by the width of the interval"


def _paired(
    asked: Asked,
    figure: GameFigure,
    pair: Sequence[np.ndarray[Any, Any]],
    amount: float,
    *,
    detect: bool,
    alone: int | None = None,
) -> tuple[str, str, int | None, int, str]:
    """The pilot's pairs: how much of their luck the variants share, by the intervals that `simlab diff` judges by.

    Args:
        detect: whether the change is to be seen; if not, it is to be known to +- `amount`.
        alone: games that the same change takes with separate luck.
    """
    names = asked.match.game
    before, after = (figure.read(GameRows(rows, names)) for rows in pair)
    counted = figure.counted(before, after)
    a, b = before[counted].astype(np.float64), after[counted].astype(np.float64)
    wanted = f"{'a change' if detect else 'the change to +-'}{' of ' if detect else ''}{_amount(figure, amount)}"
    what = f"{figure.name}, on the same luck"
    differ = int((a != b).sum())
    if a.size < 2 or differ == 0:
        return what, wanted, None, 2, _none_differs(a.size, figure)
    each = 1 - (1 - asked.level) / (asked.family or 1)
    reach = _reach(figure, a, b, amount if detect else None, each)
    games = pairs_to_detect(amount, reach, float((b - a).std(ddof=1)) if detect else 0.0, asked.power)
    games = None if games is None else max(math.ceil(games / (a.size / len(before))), 2)
    note = f"correlation {_correlation(a, b)}"
    if detect and games and alone:
        saved = alone / games
        note += (
            f": {saved:.1f} times fewer games"
            if saved >= 1.05
            else f": {1 / saved:.1f} times the games of separate luck"
            if saved <= 1 / 1.05
            else ": about as many games as with separate luck"
        )
    if differ < _FEW:
        note += f"; only {differ} games of the pilot differ: take a longer one (--pilot)"
    return what, wanted, games, 2, note


def _reach(
    figure: GameFigure, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], change: float | None, level: float
) -> Callable[[int], float]:
    """Pairs -> how far the interval of the change reaches: towards 0 where it shall be seen, else to the wider side.

    Args:
        a, b: the pilot's pairs that count. change: to be seen, in the figure's unit; None: as great as in the pilot.
    """
    gaps = b - a
    if isinstance(figure, Share):
        mean = float(gaps.mean()) if change is None else change
        differ = max(float((gaps != 0).mean()), abs(mean))
        more, less = (differ + mean) / 2, (differ - mean) / 2

        def ends(pairs: int) -> tuple[float, float]:
            low, high = share_difference(more * pairs, less * pairs, pairs, level)
            return mean - float(low), float(high) - mean
    else:
        assert isinstance(figure, Mean)
        values, counts = np.unique(gaps, return_counts=True)
        mean, number = float(gaps.mean()), figure

        def ends(pairs: int) -> tuple[float, float]:
            most = number.most_change(a, b, level, games=_LESS_LUCKY * pairs)
            low, high = mean_bounds(values, counts * (pairs / gaps.size), -most, most, level)
            return mean - float(low), float(high) - mean

    if change is None:
        return lambda pairs: max(ends(pairs))
    return lambda pairs: ends(pairs)[0 if isinstance(figure, Share) or mean >= 0 else 1]


def _none_differs(games: int, figure: Figure) -> str:
    """What so many games of which none differs leave possible, 95 %: the rule of three."""
    if games < 1:
        return "the pilot has no game with it"
    share = f"{min(300 / games, 100):.2g}"
    if figure.is_rate:
        return f"no game of the pilot differs: a change of {share} point{'s' * (share != '1')} or more is unlikely"
    return f"no game of the pilot differs: that more than {share} % of the games do is unlikely"


def _correlation(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> str:
    if a.std() == 0 or b.std() == 0:
        return "unknown"
    return f"{float(np.corrcoef(a, b)[0, 1]):.2f}"


def _contract(asked: Asked, tally: Tally) -> Iterator[Answer]:
    """Each line, decided by the confidence sequences that `check` has."""
    figures = figures_of(asked.match.game)
    for clause in judge(asked.contract, [("", tally)], figures, asked.level):
        line = clause.lines[0]
        name, band = line.figure.name, {line.figure.name: asked.contract[line.figure.name]}

        def decided(games: int, band: Mapping[str, Mapping[str, float]] = band) -> bool:
            level = 1 - (1 - asked.level) / len(asked.contract)
            (clause,) = judge(band, [("", Scaled(tally, games))], figures, level)
            return clause.lines[0].verdict != UNDECIDED

        if line.verdict == UNDECIDED:
            games = None if line.more_games is None else tally.games + line.more_games
            note = line.hindrance or (
                "stands at the very edge" if games is None else "decided in 80 of 100 such checks"
            )
        else:
            games, note = fewest(decided), f"as the pilot stands: {line.verdict}"
        if games is None or isinstance(line.figure, Quantile):
            yield f"contract: {name}", line.wanted, games, 1, note
            continue
        reading = line.figure.interval(tally, asked.level)
        least, most = span_to_decide(games, line.band, reading.value, reading.low, reading.high)
        some = _rounded(least), None if math.isinf(most) else _rounded(most)
        note += "; in brackets: if the truth lies elsewhere in the pilot's interval"
        if some[1] is None:
            note += ", which contains an edge of the band, where no number decides"
        yield f"contract: {name}", line.wanted, games, 1, note, some


def _rounded(games: float) -> int:
    """To two figures: more a pilot does not tell."""
    size: int = 10 ** max(math.floor(math.log10(max(games, 1))) - 1, 0)
    return max(round(games / size) * size, 1)


def _now(figure: Figure, tally: Tally) -> tuple[str, float, float, float, str]:
    reading = figure.interval(tally)
    scale, unit = figure.scale, " %" if figure.is_rate else ""
    text = f"{figure.name} {scale * reading.value:.3g}{unit} ({scale * reading.low:.3g}-{scale * reading.high:.3g})"
    return figure.name, reading.value, reading.low, reading.high, text
