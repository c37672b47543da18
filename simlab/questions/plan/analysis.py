"""How many games reach a precision, detect a change or a stronger bot, or decide a contract.

A short pilot estimates where the statistics lie, how much they vary and, for two rule sets on the same seeds, how
closely they move together. The rest is arithmetic with the intervals and tests that the results will have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from simlab.engine.match import Match
from simlab.engine.outcome import GameRows, figures_of
from simlab.engine.tally import Tally
from simlab.errors import GameTruncated, InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Estimate
from simlab.questions.comparison import family_size
from simlab.runs.truncation import MOST_CUT_OFF, ended_in_all, play_pilot, too_many_cut_off
from simlab.runs.worker_pool import processors
from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.figure import Figure, GameFigure, Mean, Quantile, Share
from simlab.stats.intervals import Floats, level_of_each, normal_quantile
from simlab.stats.paired import share_difference
from simlab.stats.precision import (
    ScaledCounts,
    fewest,
    games_for_step,
    games_for_width,
    games_to_detect,
    half_width,
    pairs_to_detect,
    spread_error,
)
from simlab.stats.verdict import UNDECIDED, judge, span_to_decide
from simlab.words import two_digits

PILOT = 2_000  #: games of a pilot
FEWEST = 100  #: games below which a pilot is useless
_SECONDS = 20.0  # longest duration of a pilot; then it is shorter
_UNLUCKY = 0.85  # what two standard errors leave of a few hundred games that change
_NO_GAME = "no game of the pilot has this statistic"
_FEW = 10  # games that differ, below which the pilot's correlation is guesswork


@dataclass(frozen=True, kw_only=True)
class Request:
    """The purpose of the games. InputError: no goal, or a value that no plan can have."""

    match: Match
    statistics: Sequence[str] = ()  #: names; empty for the win rate of each seat, or side
    precision: float | None = None  #: half width of the interval, in the unit of the statistic (shares in 0..1)
    detect: float | None = None  #: a change, in that unit, to be detected with this `power` at this `level`
    step: float | None = None  #: Elo points by which a bot is stronger
    contract: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  #: statistic -> clause
    change: Match | None = None  #: the match with the changed rules, on the same seeds; None: independent runs only
    power: float = 0.8
    level: float = 0.95
    family: int | None = None  #: intervals judged together; None: with a change those of `simlab diff`, else one
    seed: int = 1
    pilot: int = PILOT
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.precision is None and self.detect is None and self.step is None and not self.contract:
            raise InputError(
                "no goal: give --precision 1 (an interval of 1 point to each side), --detect 2 (a change of 2 points), "
                "--elo 20 (a step of a ladder), or a file with a [contract]."
            )
        for name, value in (("--precision", self.precision), ("--detect", self.detect), ("--elo", self.step)):
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{name}: write a number above 0.")
        if self.step is not None and len(self.match.game.seats) < 2:
            raise InputError(f"--elo: {self.match.game.slug} has one seat, so bots do not play against each other.")
        if not 0 < self.power < 1 or not 0 < self.level < 1:
            raise InputError("--power and --level are chances between 0 and 1, as 0.8 and 0.95.")
        if self.pilot < FEWEST:
            raise InputError(f"--pilot {self.pilot}: too few games. Write {FEWEST} or more.")


class Need(Part):
    """Number of games for one goal.

    Attributes:
        what: the statistic, or the bot to detect. goal: the goal in words.
        games_each: games of each variant; None if no number is enough. variants: number of variants. games: sum over
            all variants.
        games_each_low, games_each_high: range due to the pilot's own error; the high end is None if it has no upper
            end.
        seconds: seconds of play on this machine. note: conditions, or why there is no number.
    """

    what: str
    goal: str
    games_each: int | None
    games_each_low: int | None
    games_each_high: int | None
    variants: int
    games: int | None
    seconds: float | None
    note: str


class PilotValue(Part):
    """A statistic in the pilot."""

    statistic: str
    value: Number


class SampleSize(Answer, form="plan", version=2, source="simlab plan GAME"):
    """Answer of `simlab plan`.

    Attributes:
        now: the statistics in the pilot. pilot: number of games of the pilot. games_per_second: games per second of one
            worker. family: number of intervals judged together.
    """

    game: str
    needs: tuple[Need, ...]
    now: tuple[PilotValue, ...]
    pilot: int
    games_per_second: float
    workers: int
    power: float
    level: float
    family: int


def sample_size(request: Request) -> SampleSize:
    """Plays a pilot and computes how many games each goal takes.

    Raises:
        InputError: an unknown statistic, a goal that no game can meet, or too many truncated games.
    """
    pilot, known = _Pilot(request), figures_of(request.match.game)
    names = request.statistics or [figure.name for figure in (*known.wins, *known.sides)]
    if request.contract and not request.statistics and request.precision is None and request.detect is None:
        names = []
    wanted = [known.find(name, "--figure") for name in names]
    shown = [*wanted, *(known.find(name, "") for name in request.contract if name not in names)]
    now = ((figure, figure.interval(pilot.tally)) for figure in shown)
    return SampleSize(
        game=request.match.game.slug, needs=tuple(pilot.needs(wanted)),
        now=tuple(PilotValue(statistic=f.name, value=Estimate(*reading, f.is_rate)) for f, reading in now),
        pilot=pilot.tally.games, games_per_second=1 / pilot.seconds, workers=pilot.workers, power=request.power,
        level=request.level, family=pilot.family,
    )  # fmt: skip


class _Pilot:
    """A pilot and the calculations from it.

    Attributes:
        pair: rows of the same games before and after the change; None without one. seconds: seconds per game of one
            worker. family: number of intervals judged together. each: level of each interval.
    """

    def __init__(self, request: Request) -> None:
        self.request, self.workers = request, request.workers or processors()
        self.family = request.family or (family_size([request.match.game]) if request.change is not None else 1)
        self.each = level_of_each(request.level, self.family)
        rows, self.tally, self.seconds = self._play(request.match)
        self.pair = None
        if request.change is not None:
            other, _, more = self._play(request.change)
            self.pair, self.seconds = ended_in_all(rows, other), (self.seconds + more) / 2

    def _play(self, match: Match) -> tuple[Array, Tally, float]:
        games = self.request.pilot

        def most(cut_off: int, fault: GameTruncated) -> None:
            if cut_off > MOST_CUT_OFF * games:
                raise InputError(f"the pilot cannot be used: {too_many_cut_off(cut_off, games)}.") from fault

        return play_pilot(match, self.request.seed, FEWEST, games, _SECONDS, most)

    def needs(self, figures: Sequence[Figure]) -> Iterator[Need]:
        request = self.request
        for figure in figures:
            for amount, detect in ((request.precision, False), (request.detect, True)):
                if amount is None:
                    continue
                games, note = self._detected(figure, amount) if detect else self._precise(figure, amount)
                goal = f"{'detect' if detect else '±'} {_amount(figure, amount)}"
                alone = self._need(figure.name, goal, games, note, 1 + detect)
                yield alone
                if self.pair is not None and isinstance(figure, GameFigure):
                    yield self._paired(figure, self.pair, amount, alone if detect else None)
        if request.step is not None:
            seats = len(request.match.game.seats)
            games = games_for_step(request.step, request.level, request.power, seats)
            note = "in each seat in turn, as `simlab compare --ladder` plays it"
            yield self._need(f"a bot {request.step:g} Elo points stronger", "detect it", games, note, seats)
        if request.contract:
            yield from self._contract()

    def _need(
        self, what: str, goal: str, games: int | None, note: str = "", variants: int = 1,
        ends: tuple[float, float] | None = None,
    ) -> Need:  # fmt: skip
        played = None if games is None else games * variants
        low, high = (games, games) if ends is None else (None if math.isinf(end) else two_digits(end) for end in ends)
        seconds = None if played is None else played * self.seconds / self.workers
        return Need(
            what=what, goal=goal, games_each=games, games_each_low=low, games_each_high=high, variants=variants,
            games=played, seconds=seconds, note=note,
        )  # fmt: skip

    def _precise(self, figure: Figure, precision: float) -> tuple[int | None, str]:
        games = games_for_width(figure, self.tally, precision, self.request.level)
        if isinstance(figure, Quantile) and precision < 0.5 and games is not None:
            return games, "whole numbers: from here on, the interval is a single number"
        return games, "" if games else _NO_GAME

    def _detected(self, figure: Figure, change: float) -> tuple[int | None, str]:
        """Two runs with independent seeds."""
        request, note = self.request, "independent seeds"
        given: dict[str, Any] = {"level": request.level, "power": request.power, "family": self.family}
        if isinstance(figure, Share):
            least = 0.5 / self.tally.games
            rate = min(max(figure.interval(self.tally).value, least), 1 - least)
            return games_to_detect(change, rate=rate, **given), note
        if isinstance(figure, Mean):
            values, counts = figure.histogram(self.tally)
            if counts.sum() < 2:
                return None, _NO_GAME
            mean = np.average(values, weights=counts)
            variance = float(np.average((values - mean) ** 2, weights=counts)) * 2
            games = games_to_detect(change, variance=variance, **given)
            return None if games is None else math.ceil(games / (counts.sum() / self.tally.games)), note
        # a quantile, or the gap between seats: two intervals, whose widths add up like errors
        one = normal_quantile(self.each)
        more = math.sqrt(2) * (one + NormalDist().inv_cdf(request.power)) / one
        games = fewest(lambda n: half_width(figure, ScaledCounts(self.tally, n), request.level) * more <= change)
        return games, f"{note}; from the width of the interval"

    def _paired(self, figure: GameFigure, pair: Sequence[Array], amount: float, alone: Need | None) -> Need:
        """The pilot's pairs, with the intervals that `simlab diff` uses.

        Args:
            alone: the need with independent seeds; None if the goal is an interval of ± amount and not detection.
        """
        before, after = (figure.read(GameRows(rows, self.request.match.game)) for rows in pair)
        counted = figure.counted(before, after)
        a, b = before[counted].astype(np.float64), after[counted].astype(np.float64)
        goal = f"detect {_amount(figure, amount)}" if alone else f"change ± {_amount(figure, amount)}"
        what = f"{figure.name}, same seeds"
        differ = int((a != b).sum())
        if a.size < 2 or differ == 0:
            return self._need(what, goal, None, _none_differs(a.size, figure), 2)
        share = a.size / len(before)
        planned, ends = plan_pairs(figure, a, b, amount, self.each, self.request.power if alone else None)
        games = None if planned is None else max(math.ceil(planned / share), 2)
        known = a.std() > 0 and b.std() > 0
        note = f"correlation {np.corrcoef(a, b)[0, 1]:.2f}" if known else "correlation unknown"
        if alone and games and alone.games_each:
            saved = alone.games_each / games
            if saved >= 1.05:
                note += f": {saved:.1f} times fewer games"
            elif saved <= 1 / 1.05:
                note += f": {1 / saved:.1f} times the games of independent seeds"
            else:
                note += ": about as many games as with independent seeds"
        if differ < _FEW:
            note += f"; only {differ} games of the pilot differ: use a longer one (--pilot)"
        return self._need(what, goal, games, note, 2, None if ends is None else (ends[0] / share, ends[1] / share))

    def _contract(self) -> Iterator[Need]:
        """The number of games to decide each clause with the confidence sequences of `check`."""
        contract, level = self.request.contract, self.request.level
        figures = figures_of(self.request.match.game)
        for clause in judge(contract, [("", self.tally)], figures, level):
            line = clause.lines[0]
            band = {line.figure.name: contract[line.figure.name]}

            def decided(games: int, band: Mapping[str, Mapping[str, float]] = band) -> bool:
                each = level_of_each(level, len(contract))
                (clause,) = judge(band, [("", ScaledCounts(self.tally, games))], figures, each)
                return clause.lines[0].verdict != UNDECIDED

            if line.verdict == UNDECIDED:
                games = None if line.more_games is None else self.tally.games + line.more_games
                note = line.hindrance or ("at the very edge" if games is None else "decided in 80 of 100 such checks")
            else:
                games, note = fewest(decided), f"in the pilot: {line.verdict}"
            ends = None
            if games is not None and not isinstance(line.figure, Quantile):
                reading = line.figure.interval(self.tally, level)
                ends = span_to_decide(games, line.band, reading.value, reading.low, reading.high)
                if math.isinf(ends[1]):
                    note += "; no number decides if the truth is at the edge, which the pilot's interval contains"
            yield self._need(f"contract: {line.figure.name}", line.wanted, games, note, ends=ends)


def plan_pairs(
    figure: GameFigure, a: Floats, b: Floats, amount: float, level: float, power: float | None
) -> tuple[int | None, tuple[float, float] | None]:
    """Pairs of games on the same seeds, and their range due to the pilot's error in the spread of a change (two
    standard errors).

    Args:
        a, b: the pilot's pairs that count. amount: the change to detect, or the half width of its interval.
        level: level of that interval. power: probability of detecting it; None if the interval should be this narrow.
    """
    if power is None:
        return fewest(lambda pairs: max(_reach(figure, a, b, None, level)(pairs)) <= amount), None
    gaps = b - a
    # A share's interval reaches from the change above 0. A mean's may be skewed, so its sign counts.
    end = 0 if isinstance(figure, Share) or gaps.mean() >= 0 else 1
    ends, sd, error = _reach(figure, a, b, amount, level), float(gaps.std(ddof=1)), spread_error(gaps)
    games = pairs_to_detect(amount, lambda pairs: ends(pairs)[end], sd, power, error)
    if games is None:
        return None, None
    return games, (games * max(1 - 2 * error, 0.0) ** 2, games * (1 + 2 * error) ** 2)


def _reach(
    figure: GameFigure, a: Floats, b: Floats, change: float | None, level: float
) -> Callable[[int], tuple[float, float]]:
    """How far the interval of the change (by default the pilot's) reaches down and up, as a function of the pairs."""
    gaps = b - a
    if isinstance(figure, Share):
        mean = float(gaps.mean()) if change is None else change
        differ = max(float((gaps != 0).mean()), abs(mean))
        more, less = (differ + mean) / 2, (differ - mean) / 2

        def ends(pairs: int) -> Floats:
            return share_difference(more * pairs, less * pairs, pairs, level)
    else:
        assert isinstance(figure, Mean)
        values, counts = np.unique(gaps, return_counts=True)
        mean, number = float(gaps.mean()), figure

        def ends(pairs: int) -> Floats:
            most = number.most_change(a, b, level, games=_UNLUCKY * pairs)
            return mean_bounds(values, counts * (pairs / gaps.size), -most, most, level)

    def reach(pairs: int) -> tuple[float, float]:
        low, high = ends(pairs)
        return mean - float(low), float(high) - mean

    return reach


def _amount(figure: Figure, value: float) -> str:
    """`1 point` of a share, `0.5 turns` of a length."""
    scaled = round(value * figure.scale, 9)
    if figure.is_rate:
        return f"{scaled:g} point{'' if scaled == 1 else 's'}"
    return f"{scaled:g} {figure.unit}".rstrip()


def _none_differs(games: int, figure: Figure) -> str:
    """The share of differing games that a pilot without such a game excludes (95 %), by the rule of three."""
    if games < 1:
        return _NO_GAME
    share = f"{min(300 / games, 100):.2g}"
    if figure.is_rate:
        return f"no game of the pilot differs: a change of {share} point{'s' * (share != '1')} or more is unlikely"
    return f"no game of the pilot differs: more than {share} % of games that do are unlikely"
