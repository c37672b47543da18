"""What the printer and the table need: the most components in use at once, and how long people sit and wait."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.engine import deadline, table
from simlab.engine.compiled import records, traits_type, view
from simlab.engine.match import Match
from simlab.errors import BotFault, GameTooLong, UserMistake
from simlab.game import Array
from simlab.runs.over_long import MOST_CUT_OFF, too_many_cut_off
from simlab.stats.bounded import mean_interval
from simlab.stats.intervals import quantile_from_histogram, quantile_interval, wilson

GAMES = 2_000  #: by default
MOST_GAMES = 10_000_000
SHARES = (0.5, 0.95, 0.99, 0.999)  #: of the games that a number of pieces suffices for
SECONDS = {"decision": (5.0, 15.0), "option": (0.0, 0.2), "turn": (10.0, 30.0)}  #: assumed where nobody says
_SLICE = 4_000  # games of one call


@dataclass(frozen=True)
class Pace:
    """Seconds that people take, each as a range: every game has a pace of its own out of it, all values alike likely.

    Attributes:
        decision: for a decision with a choice. option: more for each of its options. turn: for moving and dealing.
    """

    decision: tuple[float, float] = SECONDS["decision"]
    option: tuple[float, float] = SECONDS["option"]
    turn: tuple[float, float] = SECONDS["turn"]

    @property
    def words(self) -> str:
        """The assumption in words."""

        def span(ends: tuple[float, float]) -> str:
            return f"{ends[0]:g}" if ends[0] == ends[1] else f"{ends[0]:g} to {ends[1]:g}"

        return (
            f"{span(self.decision)} seconds a decision with a choice, {span(self.option)} more for each option, "
            f"{span(self.turn)} a turn for moving and dealing"
        )

    def draw(self, seed: int, games: int) -> Array:
        """The seconds of each game, float (games, 3)."""
        low, high = np.array([self.decision, self.option, self.turn]).T
        return np.asarray(low + (high - low) * np.random.default_rng((seed, 1_918)).random((games, 3)))


def seconds(text: str | None, name: str) -> tuple[float, float]:
    """An option such as `8` or `5..15`; None: what is assumed.

    Raises:
        UserMistake: not one or two numbers of 0 to 100,000, the lower first.
    """
    if text is None:
        return SECONDS[name]
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(?:\.\.(\d{1,6}(?:\.\d{1,6})?))?", text.strip())
    ends = (float(match[1]), float(match[2] or match[1])) if match else (1.0, 0.0)
    if not ends[0] <= ends[1] <= 100_000:
        raise UserMistake(f"--seconds-per-{name} {text}: write seconds, as 8, or a range of them, as 5..15.")
    return ends


@dataclass(frozen=True)
class Watched:
    """Games as they lay on the table; the arrays of simlab.engine.table.play_tables, of the games that ended."""

    peaks: Array
    times: Array
    total: Array
    asked: Array
    cut_off: int


def watch(match: Match, seed: int, games: int, pace: Pace, each: Callable[[int], None] | None = None) -> Watched:
    """Plays games 0 .. games-1 and watches the table.

    Args:
        each: told how many games are done.
    Raises:
        GameTooLong: too many games go on for too long. BotFault: a bot failed.
    """
    match.compile()
    play, policies = match.compiled.tables(), match.compiled.play(True)[1]
    game = match.game
    kinds = len(game.components.kinds) if game.components else 0
    seats = len(game.seats)
    work, blank = records(1, game.state), view(match.blank_state(seed))
    traits = view(match.traits.view(traits_type(game)).reshape(-1))
    drawn = pace.draw(seed, games)
    peaks, asked = np.zeros((games, kinds), np.int32), np.zeros((games, seats, 2), np.int64)
    times, total, ended = np.zeros((games, seats, 3)), np.zeros((games, 2)), np.zeros(games, np.int8)
    for first in range(0, games, _SLICE):
        part = slice(first, min(first + _SLICE, games))
        fault: Exception | None = None
        try:
            with _watched(match, seed, part, work, total, asked):
                play(
                    work, blank, view(match.knobs), view(match.cards), policies, traits, first, drawn[part],
                    np.zeros(kinds, np.int32), peaks[part], times[part], total[part], asked[part], ended[part],
                )  # fmt: skip
        except Exception as raised:  # noqa: BLE001 - the same games again, by the loop that explains it
            fault = raised
        if fault or (ended[part] == table.FAULTY).any():
            match.play(seed, first, part.stop - first)
            raise BotFault(f"{game.slug}: a game of {first}..{part.stop - 1} failed.", game=game.slug, seed=seed)
        if each:
            each(part.stop)
    whole = ended == table.PLAYED
    cut_off = int((~whole).sum())
    if cut_off > MOST_CUT_OFF * games:
        raise GameTooLong(f"{game.slug}: {too_many_cut_off(cut_off, games)}.", game=game.slug, seed=seed)
    return Watched(peaks[whole], times[whole], total[whole], asked[whole], cut_off)


def _watched(match: Match, seed: int, part: slice, work: Array, total: Array, asked: Array) -> deadline.Call:
    """A call of the loop, for the watch on calls that hang."""

    def about() -> tuple[str, str]:
        bot = match.bots[int(work["seat"][0]) % len(match.bots)]
        return f"bot '{bot.text}' ({bot.seat}), or a rule,", f"a game of {part.start}..{part.stop - 1} of seed {seed}"

    return deadline.Call(about, lambda: (float(total[part].sum()), int(asked[part].sum()), int(work["turn"][0])))


def table_study(
    match: Match, seed: int, games: int = GAMES, pace: Pace | None = None, each: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Components in use and table time.

    Args:
        games: 2 or more.
    Returns:
        JSON-able: `games`, `cut_off`, `pace` (words), `components` (name, help, printed, mean, most, `enough`: for each
        of SHARES the number that suffices so often with its interval, `short`: share of the games in which the printed
        number does not suffice), `minutes` (mean and quantiles of the length of a game), `upkeep` (share of it), and
        `seats` (own minutes, waiting share, longest wait, wait after the last decision, decisions, options).
    Raises:
        UserMistake: too few or too many games. GameTooLong, BotFault: as watch.
    """
    pace = pace or Pace()
    if not 2 <= games <= MOST_GAMES:
        raise UserMistake(f"--games {games:,}: the table is watched for 2 to {MOST_GAMES:,} games.")
    seen = watch(match, seed, games, pace, each)
    game = match.game
    kinds = game.components.kinds if game.components else ()
    minutes = seen.total[:, 0] / 60
    length = np.maximum(seen.total[:, :1], 1e-9)
    # Of what a seat's people sit through, what is neither their own decision nor everybody's upkeep.
    waiting = np.maximum(length - seen.times[:, :, table.OWN] - seen.total[:, 1:], 0) / length
    return {
        "games": int(minutes.size),
        "cut_off": seen.cut_off,
        "pace": pace.words,
        "components": [
            {"name": kind.name, "help": kind.help, "printed": kind.printed, **_peaks(seen.peaks[:, c], kind.printed)}
            for c, kind in enumerate(kinds)
        ],
        "minutes": {**_mean(minutes), "quantiles": [_quantile(minutes, q) for q in (0.05, 0.5, 0.95)]},
        "upkeep": _mean(seen.total[:, 1] / length[:, 0]),
        "seats": [
            {
                "seat": name, "own_minutes": _mean(seen.times[:, s, table.OWN] / 60), "waiting": _mean(waiting[:, s]),
                "longest_wait": _mean(seen.times[:, s, table.LONGEST] / 60),
                "longest_wait_p95": _quantile(seen.times[:, s, table.LONGEST] / 60, 0.95),
                "after_last": _mean(seen.times[:, s, table.LAST] / 60), "decisions": _mean(seen.asked[:, s, 0]),
                "options": _mean(seen.asked[:, s, 1]),
            }
            for s, name in enumerate(game.seats)
        ],
    }  # fmt: skip


def _peaks(peaks: Array, printed: int | None) -> dict[str, Any]:
    short = int((peaks > printed).sum()) if printed is not None else 0
    low, high = wilson(short, peaks.size)
    share = {"estimate": short / peaks.size, "low": float(low), "high": float(high)}
    return {
        "mean": float(peaks.mean()), "most": int(peaks.max()), "enough": [_quantile(peaks, q) for q in SHARES],
        "short": None if printed is None else share,
    }  # fmt: skip


def _mean(values: Array) -> dict[str, float]:
    known = mean_interval(*np.unique(values, return_counts=True))
    return {"estimate": known.mean, "low": known.low, "high": known.high}


def _quantile(values: Array, q: float) -> dict[str, float | None]:
    """A quantile and its interval; an end that so few games do not bound is null."""
    some, counts = np.unique(values, return_counts=True)
    low, high = quantile_interval(some, counts, q)
    ends = [None if np.isinf(end) else float(end) for end in (low, high)]
    return {"share": q, "estimate": float(quantile_from_histogram(some, counts, q)), "low": ends[0], "high": ends[1]}


def sentences(study: Mapping[str, Any]) -> list[str]:
    """What the box lacks, how long a game takes, and who waits most."""
    said = []
    for one in study["components"]:
        if one["short"] and one["short"]["estimate"] > 0:
            share = _percent(one["short"])
            said.append(
                f"{one['help']}: the box holds {one['printed']}, too few in {share} of the games; "
                f"the most was {one['most']}."
            )
    early, middle, late = (one["estimate"] for one in study["minutes"]["quantiles"])
    said.append(
        f"A game takes {middle:.0f} minutes in the middle, nine in ten {early:.0f} to {late:.0f}, if people take "
        f"{study['pace']}."
    )
    if len(study["seats"]) > 1:
        by_wait = sorted(study["seats"], key=lambda seat: -seat["waiting"]["estimate"])
        most, next_most = by_wait[0], by_wait[1]
        who = most["seat"] if most["waiting"]["low"] > next_most["waiting"]["high"] else ""
        said.append(
            f"{who + ' waits most' if who else 'Nobody waits clearly more than the others'}: "
            f"{_percent(most['waiting'])} of the time, and once {most['longest_wait']['estimate']:.1f} minutes on end."
        )
    return said


def _percent(share: Mapping[str, float]) -> str:
    low, high = 100 * share["low"], 100 * share["high"]
    digits = 0 if high - low >= 1 else 1 if high - low >= 0.1 else 2
    return f"{100 * share['estimate']:.{digits}f} % ({low:.{digits}f}-{high:.{digits}f})"
