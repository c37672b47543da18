"""How much of who wins is skill: a field of bots in all seats, each line-up on the same games."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from simlab.engine.match import Match
from simlab.engine.outcome import sides_of
from simlab.errors import UserMistake
from simlab.runs.over_long import ended_in_all, play_ended
from simlab.stats.luck import Share
from simlab.stats.skill import parts
from simlab.studies.course import Sides
from simlab.studies.luck import luck_ledger

T = TypeVar("T")
MOST_LINE_UPS = 36  #: that are played; of more a fixed sample is
WHO = "who wins"


def line_ups(bots: Mapping[str, Sequence[str]], most: int = MOST_LINE_UPS) -> list[dict[str, str]]:
    """The line-ups of some bots a seat; of too many a sample without repetition, the same each time."""
    every = math.prod(len(some) for some in bots.values())
    if every <= most:
        places: Any = itertools.product(*(range(len(some)) for some in bots.values()))
    else:
        draw = np.random.default_rng(every)
        sizes = [len(some) for some in bots.values()]
        chosen: dict[tuple[int, ...], None] = {}
        while len(chosen) < most:
            chosen[tuple(int(draw.integers(size)) for size in sizes)] = None
        places = chosen
    return [{seat: some[at] for (seat, some), at in zip(bots.items(), place, strict=True)} for place in places]


def skill_study(
    matches: Sequence[Match], seed: int, games: int, ledgers: Sequence[Mapping[str, Any]] = (), of: int | None = None
) -> dict[str, Any]:
    """Luck, skill and seat on one scale.

    Args:
        matches: the line-ups, two or more. games: of each, 4 or more; the same for all.
        ledgers: luck ledgers (simlab.studies.luck) of some line-ups, by which luck is parted.
        of: how many line-ups the field has, where those given are a sample of them; None: all.
    Returns:
        JSON-able: `line_ups`, `line_ups_of` (of so many), `games`, `cut_off`; `shares` of the variance of who wins,
        `luck`, `skill` and `seat`,
        each with `estimate`, `low`, `high`; `luck_of`: kind of luck -> its share, and `together`, what kinds do
        only with each other; empty without ledgers.
    Raises:
        UserMistake: too few games that end in all line-ups. GameTooLong, BotFault: as play.
    """
    sides = Sides.of(matches[0].game)
    real = len(sides_of(matches[0].game))
    rows = ended_in_all(*(play_ended(match, seed, games) for match in matches))
    if rows[0].size < 4:
        raise UserMistake(f"{rows[0].size} of {games:,} games ended with every line-up: skill takes 4 or more.")
    made = parts(np.stack([sides.won(some)[:, :real] for some in rows]), of=of)
    return {
        "line_ups": len(matches),
        "line_ups_of": of or len(matches),
        "games": int(rows[0].size),
        "cut_off": games - int(rows[0].size),
        "shares": {"luck": _ends(made.luck), "skill": _ends(made.skill), "seat": _ends(made.seat)},
        "luck_of": _kinds(made.luck.value, [one["ledger"][WHO] for one in ledgers]),
    }


def some_of(items: Sequence[T], most: int) -> list[T]:
    """So many of some, drawn at random and the same each time: every n-th line-up has the same bot in the last seat."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in np.sort(np.random.default_rng(len(items)).choice(len(items), most, False))]


def _kinds(luck: float, ledgers: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Luck parted by kind, as the kinds explain it alone in the mean ledger; the rest is what they do together."""
    ledgers = [one for one in ledgers if any(kind["total"]["estimate"] > 0 for kind in one.values())]
    if not ledgers:
        return {}
    alone = {kind: float(np.mean([one[kind]["alone"]["estimate"] for one in ledgers])) for kind in ledgers[0]}
    scale = max(sum(alone.values()), 1.0)
    kinds = {kind: luck * share / scale for kind, share in alone.items()}
    return {**kinds, "together": max(luck - sum(kinds.values()), 0.0)}


def _ends(share: Share) -> dict[str, float]:
    return {"estimate": share.value, "low": share.low, "high": share.high}


def field_study(
    match_of: Callable[[dict[str, str]], Match], bots: Mapping[str, Sequence[str]], seed: int, games: int
) -> dict[str, Any]:
    """`skill_study` of a field of bots, and the luck ledgers of its line-ups, at most four of them.

    Args:
        match_of: line-up -> match. bots: seat -> bots.
    Returns:
        as skill_study, with `bots`.
    """
    matches = [match_of(one) for one in line_ups(bots)]
    each = max(games // 4, 100)
    ledgers = [luck_ledger(match, seed, each) for match in some_of(matches, 4)]
    study = skill_study(matches, seed, games, ledgers, math.prod(len(some) for some in bots.values()))
    return {"bots": {seat: list(some) for seat, some in bots.items()}, **study}
