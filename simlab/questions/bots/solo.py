"""The bots of a game of one seat, compared on the same seeds."""

from __future__ import annotations

import itertools

from simlab.present.answer import Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, estimate_of
from simlab.runs import drill_down
from simlab.runs.view import View
from simlab.stats.figure import score_name
from simlab.stats.intervals import level_of_each
from simlab.stats.multiple_testing import holm


class SoloBot(Part):
    """A bot of a game of one seat, the best first.

    Attributes:
        win_rate, score: the intervals hold for all bots together.
        points_behind: win rate of the best bot minus that of this one, on the same seeds; the intervals hold for all
            pairs of bots together. sure: whether this difference is significant, all pairs of bots judged together
            (Holm).
    """

    bot: str
    games: int
    win_rate: Rate
    score: Number | None
    points_behind: Number | None
    sure: bool
    games_link: GamesLink | None = None


def solo(view: View) -> list[SoloBot]:
    """The bots of a game of one seat, the best first; empty for other games or a single bot."""
    if len(view.seats) != 1 or len(view.bots[view.raw_seats[0]]) < 2:
        return []
    pools = sorted(view.by_bot(0), key=lambda pool: -pool.win_rate(0).value)
    pairs = list(itertools.combinations(range(len(pools)), 2))
    all_pairs = level_of_each(LEVEL, len(pairs))
    gaps = {(a, b): view.change(view.payoff(0), pools[b].cells, pools[a].cells, all_pairs) for a, b in pairs}
    adjusted = dict(zip(pairs, holm([gap.p_value for gap in gaps.values()]), strict=True))
    score = score_name(view.raw_seats[0])
    strict = level_of_each(LEVEL, len(pools))
    lines = []
    for place, pool in enumerate(pools):
        mean = pool.mean(score, strict) if score in pool.metric_names else None
        behind = estimate_of(gaps[0, place].ends, 100, False) if place else None
        sure = bool(place and adjusted[0, place] <= 1 - LEVEL)
        lines.append(
            SoloBot(
                bot=pool.label, games=pool.games, win_rate=pool.win_rate(0, strict), score=mean, points_behind=behind,
                sure=sure, games_link=drill_down.with_bot(view, pool.label),
            )
        )  # fmt: skip
    return lines
