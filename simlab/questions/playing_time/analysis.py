"""Components in use at once, and how long people play and wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine import component_counts, deadline
from simlab.engine.entry_points import records, view
from simlab.engine.match import Match
from simlab.errors import BotFault, GameTruncated, InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Estimate, share_of
from simlab.questions.finished_run import FinishedRun
from simlab.runs.truncation import MOST_CUT_OFF, too_many_cut_off
from simlab.stats.bounded_mean import mean_interval
from simlab.stats.intervals import quantile_from_histogram, quantile_interval

GAMES = 2_000  #: by default
MOST_GAMES = 10_000_000
SHARES = (0.5, 0.95, 0.99, 0.999)  #: of the games for which a number of pieces suffices
SECONDS = {"decision": (5.0, 15.0), "option": (0.0, 0.2), "turn": (10.0, 30.0)}  #: by default
_SLICE = 4_000  # games per call


@dataclass(frozen=True)
class Pace:
    """Ranges of seconds that people take: per decision with a choice, in addition for each of its options, and per turn
    for moving and dealing. Each game draws its own pace uniformly from these ranges.
    """

    decision: tuple[float, float] = SECONDS["decision"]
    option: tuple[float, float] = SECONDS["option"]
    turn: tuple[float, float] = SECONDS["turn"]

    def draw(self, seed: int, games: int) -> Array:
        """The seconds of each game: float (games, 3)."""
        low, high = np.array([self.decision, self.option, self.turn]).T
        return np.asarray(low + (high - low) * np.random.default_rng((seed, 1_918)).random((games, 3)))


def seconds(text: str | None, name: str) -> tuple[float, float]:
    """The value of an option such as `8` or `5..15`; None: the default.

    Raises:
        InputError: the text is not one or two numbers from 0 to 100,000, the lower first.
    """
    if text is None:
        return SECONDS[name]
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(?:\.\.(\d{1,6}(?:\.\d{1,6})?))?", text.strip())
    ends = (float(match[1]), float(match[2] or match[1])) if match else (1.0, 0.0)
    if not ends[0] <= ends[1] <= 100_000:
        raise InputError(f"--seconds-per-{name} {text}: write seconds, as 8, or a range, as 5..15.")
    return ends


class Quantile(Part):
    """The value that `share` of the games do not exceed."""

    share: float
    value: Number


class Component(Part):
    """A kind of component, with the largest number in use at once in each game.

    Attributes:
        printed: number in the box; None if unknown. most: largest number in any game. enough: for each of SHARES, the
            number that suffices in that share of the games.
        short: share of the games in which the printed number does not suffice; None if it is unknown.
    """

    name: str
    help: str
    printed: int | None
    mean: float
    most: int
    enough: list[Quantile]
    short: Rate | None


class SeatTime(Part):
    """The time of one seat per game, in minutes.

    Attributes:
        decisions: number of decisions with a choice. options: number of options of all these decisions. own: time of
            its own decisions.
        waiting: share of the game that it waits for others. after_last: time from its last decision to the end.
            longest_wait: longest time without a decision of its own. longest_wait_p95: length not exceeded in 95 % of
                the games.
    """

    seat: str
    decisions: Number
    options: Number
    own: Number
    waiting: Rate
    longest_wait: Number
    longest_wait_p95: Number
    after_last: Number


class PlayingTime(Answer, form="playing-time", source="simlab analyze time GAME"):
    """Answer of `simlab analyze time`, and of a run about its closest match-up.

    Attributes:
        cell, again: for a run, the label of the cell and the command that repeats the analysis.
        truncated: games left out because they did not end.
        pace: assumed times in seconds. minutes: minutes per game. upkeep: share of them spent on moving and dealing.
    """

    game: str
    bots: dict[str, str]
    seed: int
    cell: str = ""
    again: str = ""
    games: int
    truncated: int
    pace: Pace
    components: list[Component]
    minutes: Number
    minutes_quantiles: list[Quantile]
    upkeep: Rate
    seats: list[SeatTime]


def after_run(run: FinishedRun) -> PlayingTime:
    """The closest match-up of a run, with a tenth of its games."""
    cell = run.closest[0]
    match = run.match(cell)
    answer = play(match, run.seed, min(max(run.games // 10, 200), 20_000))
    return answer.model_copy(update={"cell": cell.label, "again": f"{match.command('analyze time')} --seed {run.seed}"})


@dataclass(frozen=True)
class ComponentTables:
    """Arrays of simlab.engine.component_counts.play_tables, for the games that ended."""

    peaks: Array
    times: Array
    total: Array
    asked: Array
    truncated: int


def watch(
    match: Match, seed: int, games: int, pace: Pace, each: Callable[[int], None] | None = None
) -> ComponentTables:
    """Plays games 0 .. games-1, counting components and times.

    Args:
        each: receives the number of games done.
    Raises:
        GameTruncated: too many games are truncated. BotFault: a bot failed.
    """
    match.compile()
    play, policies = match.compiled.tables(), match.compiled.play(True)[1]
    game = match.game
    kinds = len(game.components.kinds) if game.components else 0
    seats = len(game.seats)
    work, blank = records(1, game.state), view(match.blank_state(seed))
    traits = view(match.traits.view(match.compiled.traits_type).reshape(-1))
    drawn = pace.draw(seed, games)
    peaks, asked = np.zeros((games, kinds), np.int32), np.zeros((games, seats, 2), np.int64)
    times, total, ended = np.zeros((games, seats, 3)), np.zeros((games, 2)), np.zeros(games, np.int8)
    for first in range(0, games, _SLICE):
        part = slice(first, min(first + _SLICE, games))
        try:
            with _watched(match, seed, part, work, total, asked):
                play(
                    work, blank, view(match.knobs), view(match.cards), policies, traits, first, drawn[part],
                    np.zeros(kinds, np.int32), peaks[part], times[part], total[part], asked[part], ended[part],
                )  # fmt: skip
        except Exception:  # noqa: BLE001 - play explains it
            ended[part] = component_counts.FAULTY
        if (ended[part] == component_counts.FAULTY).any():
            match.play(seed, first, part.stop - first)
            raise BotFault(f"{game.slug}: a game of {first}..{part.stop - 1} failed.", game=game.slug, seed=seed)
        if each:
            each(part.stop)
    whole = ended == component_counts.PLAYED
    truncated = int((~whole).sum())
    if truncated > MOST_CUT_OFF * games:
        raise GameTruncated(f"{game.slug}: {too_many_cut_off(truncated, games)}.", game=game.slug, seed=seed)
    return ComponentTables(peaks[whole], times[whole], total[whole], asked[whole], truncated)


def _watched(match: Match, seed: int, part: slice, work: Array, total: Array, asked: Array) -> deadline.Call:
    """A call of the loop, with a time limit."""

    def about() -> tuple[str, str]:
        bot = match.bots[int(work["seat"][0]) % len(match.bots)]
        return f"bot '{bot.text}' ({bot.seat}), or a rule,", f"a game of {part.start}..{part.stop - 1} of seed {seed}"

    return deadline.Call(about, lambda: (float(total[part].sum()), int(asked[part].sum()), int(work["turn"][0])))


def play(
    match: Match, seed: int, games: int = GAMES, pace: Pace | None = None, each: Callable[[int], None] | None = None
) -> PlayingTime:
    """Components in use and playing time of games 0 .. games-1.

    Raises:
        InputError: fewer than 2 or more than MOST_GAMES games. GameTruncated, BotFault: as for `watch`.
    """
    pace = pace or Pace()
    if not 2 <= games <= MOST_GAMES:
        raise InputError(f"--games {games:,}: use 2 to {MOST_GAMES:,} games.")
    seen = watch(match, seed, games, pace, each)
    game = match.game
    minutes, length = seen.total[:, 0] / 60, np.maximum(seen.total[:, 0], 1e-9)

    def seat(place: int, name: str) -> SeatTime:
        places = (component_counts.OWN, component_counts.LONGEST, component_counts.LAST)
        own, longest, last = (seen.times[:, place, column] for column in places)
        waiting = np.maximum(length - own - seen.total[:, 1], 0) / length
        return SeatTime(
            seat=name, decisions=_mean(seen.asked[:, place, 0]), options=_mean(seen.asked[:, place, 1]),
            own=_mean(own / 60), waiting=_mean(waiting, rate=True), longest_wait=_mean(longest / 60),
            longest_wait_p95=_quantile(longest / 60, 0.95).value, after_last=_mean(last / 60),
        )  # fmt: skip

    def component(kind: Any, peaks: Array) -> Component:
        short = None if kind.printed is None else share_of(int((peaks > kind.printed).sum()), peaks.size)
        return Component(
            name=kind.name, help=kind.help, printed=kind.printed, mean=float(peaks.mean()), most=int(peaks.max()),
            enough=[_quantile(peaks, share) for share in SHARES], short=short,
        )  # fmt: skip

    kinds = game.components.kinds if game.components else ()
    return PlayingTime(
        game=game.slug, bots={bot.seat: bot.text for bot in match.bots}, seed=seed, games=int(minutes.size),
        truncated=seen.truncated, pace=pace, minutes=_mean(minutes), upkeep=_mean(seen.total[:, 1] / length, rate=True),
        components=[component(kind, seen.peaks[:, place]) for place, kind in enumerate(kinds)],
        minutes_quantiles=[_quantile(minutes, share) for share in (0.05, 0.5, 0.95)],
        seats=[seat(place, name) for place, name in enumerate(game.seats)],
    )  # fmt: skip


def _mean(values: Array, rate: bool = False) -> Estimate:
    return Estimate(*mean_interval(*np.unique(values, return_counts=True)), rate).within(0, None)


def _quantile(values: Array, share: float) -> Quantile:
    histogram = np.unique(values, return_counts=True)
    middle = float(quantile_from_histogram(*histogram, share))
    low, high = quantile_interval(*histogram, share)
    return Quantile(share=share, value=Estimate(middle, float(low), float(high), rate=False))
