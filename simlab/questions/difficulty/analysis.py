"""Levels of difficulty: settings of one or two knobs at which the players win as often as wanted.

All settings are played with the same seeds; in a solo game, each setting is played by the bot that does best at it. The
setting nearest to a level is played again in other games, because the nearest of many is partly chosen by luck.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np

from simlab.engine.payoff import Party, parties_of
from simlab.errors import InputError
from simlab.game import Array, KnobValue
from simlab.present.answer import Answer, Part, Rate
from simlab.present.estimate import finite, is_number, share_of
from simlab.questions.best_answers import Lab
from simlab.stats.sweep import crossings

GAMES = 2_000  #: for each setting
CONFIRMED = 4  #: factor for the number of games of a chosen setting
TOLERANCE = 0.05
MOST_SETTINGS = 200

Fit = Literal["fits", "may fit", "too far"]


class Setting(Part):
    """A setting that was played. rate: how often the players win, with a 95 % interval of its own. bot: the bot of a
    solo game.
    """

    values: dict[str, KnobValue]
    rate: Rate
    bot: str


class Level(Part):
    """A level of difficulty.

    Attributes:
        wanted: share of the games that the players should win. setting: index of the nearest setting of the answer.
        rate: rate of that setting, in other games; the intervals of all levels hold together (95 %).
        fit: whether the rate is within the tolerance of the wanted rate: wholly, in part, or not at all.
        at, low, high: for one numeric knob, the value at which the curve meets the wanted share, and its interval
            (joint for all levels). `at` is None if they do not meet between the values played; an end beyond these
            values is None.
    """

    wanted: float
    setting: int
    rate: Rate
    fit: Fit
    at: float | None = None
    low: float | None = None
    high: float | None = None


class DifficultyAnswer(Answer, form="difficulty", source="simlab analyze difficulty GAME --knob KNOB"):
    """Levels of difficulty. games: for each setting. tolerance: how far from a level its setting may be."""

    game: str
    seed: int
    games: int
    tolerance: float
    knobs: tuple[str, ...]
    bots: dict[str, tuple[str, ...]]
    settings: tuple[Setting, ...]
    levels: tuple[Level, ...]


def answer(
    lab: Lab,
    varied: Mapping[str, Sequence[KnobValue]],
    wanted: Sequence[float],
    tolerance: float = TOLERANCE,
    notify: Callable[[str], None] = lambda text: None,
) -> DifficultyAnswer:
    """The settings for some levels of difficulty.

    Args:
        lab: the lab; in a game of several seats, the first bot of each seat plays. varied: knob -> values in their
            order. wanted: shares of the games that the players win. tolerance: how far from such a share a setting may
            be.
    Raises:
        InputError: too many settings, or every game is won at each of them.
    """
    places = list(itertools.product(*(range(len(values)) for values in varied.values())))
    knobs = [{name: str(varied[name][i]) for name, i in zip(varied, place, strict=True)} for place in places]
    if not 1 <= len(varied) <= 2 or not 2 <= len(places) <= MOST_SETTINGS:
        raise InputError(
            f"{len(places)} settings of {len(varied)} knobs: vary one or two, 2 to {MOST_SETTINGS} settings."
        )
    solo, seat = len(lab.game.seats) == 1, lab.game.seats[0]
    field = [{name: bots[0] for name, bots in lab.bots.items()}]
    sides = parties_of(lab.game)
    players = sides[0] if len(sides) == 1 else Party(tuple(range(len(lab.game.seats))))

    def play(setting: Mapping[str, str]) -> tuple[Array, str]:
        bot = lab.best(field, seat, setting) if solo else field[0][seat]
        return players.won(lab.play(field, seat, bot, setting, True).rows), bot

    notify(f"Playing {len(places)} settings.")
    with ThreadPoolExecutor(lab.workers) as pool:
        made = list(pool.map(play, knobs))
    wins = np.array([won for won, _ in made], np.float64)
    rates = wins.mean(axis=1)
    if rates.min() == 1.0:
        raise InputError(f"{lab.game.slug}: somebody wins every game. Levels are for games that all may lose.")
    chosen = _chosen(places, rates, wanted, tolerance)
    notify("Playing the settings of the levels again.")
    level = 1 - 0.05 / len(wanted)
    others = dataclasses.replace(lab, games=CONFIRMED * lab.games, seed=lab.seed + 1)

    with ThreadPoolExecutor(lab.workers) as pool:
        played = pool.map(lambda i: others.play(field, seat, made[i][1], knobs[i], True).rows, chosen)
        won = [players.won(rows) for rows in played]
    levels = []
    for share, setting, games in zip(wanted, chosen, won, strict=True):
        rate = share_of(float(games.sum()), games.size, level, exact=True)
        near = [abs(end - share) <= tolerance for end in (rate.low, rate.high)]
        inside = rate.low <= share + tolerance and rate.high >= share - tolerance
        fit: Fit = "fits" if all(near) else "may fit" if inside else "too far"
        levels.append(Level(wanted=share, setting=setting, rate=rate, fit=fit, **_place(varied, wins, share, level)))
    return DifficultyAnswer(
        game=lab.game.slug, seed=lab.seed, games=lab.games, tolerance=tolerance, knobs=tuple(varied),
        bots={name: tuple(bots) for name, bots in lab.bots.items()} if solo else {n: (b,) for n, b in field[0].items()},
        settings=tuple(
            Setting(
                values={name: varied[name][i] for name, i in zip(varied, place, strict=True)},
                rate=share_of(float(of.sum()), of.size), bot=bot if solo else "",
            )
            for place, of, (_, bot) in zip(places, wins, made, strict=True)
        ),
        levels=tuple(levels),
    )  # fmt: skip


def _chosen(places: Sequence[tuple[int, ...]], rates: Array, wanted: Sequence[float], tolerance: float) -> list[int]:
    """The setting of each level. Of about equally near ones, it is the one fewest steps from the last level's."""
    chosen: list[int] = []
    for share in wanted:
        off = np.abs(rates - share)
        near = np.flatnonzero(off <= max(float(off.min()), tolerance / 2)).tolist()
        last = places[chosen[-1]] if chosen else None
        steps = [sum(abs(a - b) for a, b in zip(places[i], last, strict=True)) if last else 0 for i in near]
        chosen.append(min(zip(steps, off[near], near, strict=True))[2])
    return chosen


def _place(
    varied: Mapping[str, Sequence[KnobValue]], wins: Array, share: float, level: float
) -> dict[str, float | None]:
    """The value at which the curve of one numeric knob meets a share."""
    values = next(iter(varied.values()))
    if len(varied) != 1 or not all(is_number(value) for value in values):
        return {}
    met = crossings([float(v) for v in values], wins.mean(axis=1), np.cov(wins) / wins.shape[1], share, level)
    if len(met) != 1:
        return {}
    return {"at": met[0].at, "low": finite(met[0].low), "high": finite(met[0].high)}
