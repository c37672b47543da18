"""Telling games: the few of a run that are worth reading, each with the command that replays it.

Closest, longest and most typical come out of the rows. How a game hung in the balance is measured by its course: the
biggest upset is won from the lowest win chance, the largest swing is the largest change from one turn to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import side_endings, sides_of
from simlab.runs.over_long import play_ended
from simlab.stats.course import Course, biggest_upset, largest_swing
from simlab.stats.figure import score_name
from simlab.stats.intervals import wilson
from simlab.studies.course import courses_of
from simlab.words import counted

if TYPE_CHECKING:
    import polars as pl

    from simlab.engine.match import Match
    from simlab.runs.results import CellResult, Results
    from simlab.runs.store import Names


def telling_games(results: Results, match_of: Any, courses: Sequence[Course]) -> list[dict[str, Any]]:
    """The telling games of a run.

    Args:
        results: with a row a game.
        match_of: CellResult -> Match.
        courses: of some games of the most even cell.
    Returns:
        JSON-able, a dict a game: `what`, `cell` (label), `game`, `why` (a sentence), `replay` (command).
    """
    import polars as pl

    telling: list[dict[str, Any]] = []

    def add(what: str, cell: CellResult, game: int, why: str) -> None:
        replay = match_of(cell).replay_command(results.seed, game)
        telling.append({"what": what, "cell": cell.label, "game": game, "why": why, "replay": replay})

    cell = most_even(results)
    names = results.names
    by_key = {c.key: c for c in results.cells}
    points = [score_name(seat) for seat in names.seats] if names.has_scores and len(names.seats) > 1 else []
    which = pl.col("cell").cast(pl.Enum(list(by_key)))
    rows = results.scan().select(which, "game", "turns", "decisions", "ending", *points).collect()
    found = _closest(rows.select(points).to_numpy(), rows["ending"].to_numpy(), names) if points else None
    if found:
        at, why = found
        add("closest", by_key[rows["cell"][at]], int(rows["game"][at]), why)
    at = _longest(rows["turns"].to_numpy(), rows["decisions"].to_numpy())
    length = int(rows["turns"][at])
    add("longest", by_key[rows["cell"][at]], int(rows["game"][at]),
        f"{length} {names.turn_name}s and {int(rows['decisions'][at])} decisions; the median is "
        f"{float(np.median(rows['turns'].to_numpy())):g} {names.turn_name}s")  # fmt: skip
    columns = _numbers(names)
    mine = results.scan().filter(pl.col("cell") == cell.key)
    who = "winners" if "winners" in mine.collect_schema().names() else "winner"
    own = mine.select("game", pl.col(who).alias("winner"), "ending", *columns).collect()
    typical, distance = _most_typical(own, columns)
    add("most typical", cell, typical,
        f"the most frequent winner and ending, and on average {distance:.2f} standard deviations from the median of "
        "each metric")  # fmt: skip
    if not courses:
        return telling
    upset = biggest_upset(courses)
    _, turn, low = upset.upset
    half = upset.futures // 2
    if turn:
        low_end, high_end = wilson(low * half, half)
        add("biggest upset", cell, upset.game,
            f"won from a win probability of {100 * low:.0f} % ({100 * low_end:.0f}-{100 * high_end:.0f}) at the start "
            f"of {names.turn_name} {turn}, picked as the lowest of {len(courses)} games looked into and read from "
            "other futures")  # fmt: skip
    swung = largest_swing(courses)
    _, turn, step = swung.swing
    noise = 100 * 1.96 * math.sqrt(0.5 / half)
    add("largest swing", cell, swung.game,
        f"{names.turn_name} {turn} moved a win probability by {100 * step:.0f} points (give or take {noise:.0f}), "
        f"picked as the most of {len(courses)} games looked into and read from other futures")  # fmt: skip
    return telling


@dataclass(frozen=True)
class Telling:
    """A game worth watching. `what` it is, as `longest`; `why`: a part of a sentence."""

    what: str
    game: int
    why: str


def telling_of_match(match: Match, seed: int, games: int, sample: int = 8) -> list[Telling]:
    """The telling games among the first of a match, played here; for whoever has no folder of results.

    Args:
        games: how many are played. sample: games whose course is looked into, the first ones.
    Raises:
        GameTooLong: too many games go on for too long. BotFault: a bot failed.
    """
    game = match.game
    rows = play_ended(match, seed, games)
    telling = []
    found = _closest(rows["score"], rows["ending"], game) if game.has_scores and len(game.seats) > 1 else None
    if found:
        at, why = found
        telling.append(Telling("closest", int(rows["game"][at]), why))
    median = float(np.median(rows["turns"]))
    for what, at in (
        ("longest", _longest(rows["turns"], rows["decisions"])),
        ("shortest", int(rows["turns"].argmin())),
    ):
        why = f"{int(rows['turns'][at])} {game.turn_name}s; the median is {median:g}"
        telling.append(Telling(what, int(rows["game"][at]), why))
    for ending in np.unique(rows["ending"]):
        first = rows[rows["ending"] == ending]
        name = game.endings[int(ending)].replace("_", " ")
        telling.append(Telling(f"ends by {name}", int(first["game"][0]), f"as {first.size / rows.size:.0%} do"))
    courses, _ = courses_of(match, seed, [int(number) for number in rows["game"][:sample]])
    if courses:
        upset = biggest_upset(courses)
        _, turn, low = upset.upset
        if turn:
            why = f"won from {100 * low:.0f} % in {game.turn_name} {turn}; of {len(courses)} looked into"
            telling.append(Telling("biggest upset", upset.game, why))
        swung = largest_swing(courses)
        _, turn, step = swung.swing
        why = f"{game.turn_name} {turn} moved a chance to win by {100 * step:.0f} points"
        telling.append(Telling("largest swing", swung.game, why))
    return telling


def _closest(scores: Any, endings: Any, names: Any) -> tuple[int, str] | None:
    """The place of the game in which scores decided by the least, and why it is that one; None without such a game.

    Where seats win or lose together, their scores decide only in the games that they win. Where several sides play
    against each other, the sums of their seats are compared.

    Args:
        scores: shape (games, seats). endings: shape (games,), by number. names: a game, or the names kept of it.
    """
    several = [places for _, places, _ in sides_of(names)] if names.sides else []
    decided = np.ones(len(scores), np.bool_)
    who = "best two scores"
    if len(several) == 1:
        decided = np.isin(endings, side_endings(names)[0])
        scores = scores[:, list(several[0])]
    elif several:
        scores = np.stack([scores[:, list(places)].astype(np.int64).sum(axis=1) for places in several], axis=1)
        who = "best two sides"
    if not decided.any() or scores.shape[1] < 2:
        return None
    ordered = np.sort(scores.astype(np.int64), axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    least = margin[decided].min()
    same = decided & (margin == least)
    of = f"{counted(int(decided.sum()), 'game')}{'' if decided.all() else ' that scores decide'}"
    return int(same.argmax()), f"{counted(int(least), 'point')} between the {who}, as in {int(same.sum()):,} of {of}"


def _longest(turns: Any, decisions: Any) -> int:
    """The place of the longest game; of several, that with most decisions."""
    return int(np.lexsort((-decisions.astype(np.int64), -turns.astype(np.int64)))[0])


def most_even(results: Results) -> CellResult:
    """The cell whose most frequent outcome is the least frequent: where games are in the balance."""
    return min(results.cells, key=lambda cell: max(cell.wins.values()) / max(cell.games, 1))


def _numbers(names: Names) -> list[str]:
    """Columns that have a median: no category, and no number with a code for never."""
    return [name for name, measure in names.measures.items() if measure.kind == "number"]


def _most_typical(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[int, float]:
    """Game nearest to the medians among those with the most frequent winner and ending, and its mean distance.

    One column at a time: millions of games with all their columns as floats fill the memory.

    Args:
        rows: `game`, `winner` (one or the set of them), `ending` and the columns.
    """
    import polars as pl

    common = rows.group_by("winner", "ending").len().sort("len", "winner", "ending", descending=True).row(0)
    alike = rows.select((pl.col("winner") == common[0]) & (pl.col("ending") == common[1])).to_series().to_numpy()
    distance, kept = np.zeros(int(alike.sum())), 0
    for name in columns:
        values = rows[name].to_numpy()
        spread = float(values.std())
        if spread > 0:
            distance += np.abs(values[alike] - np.median(values)) / spread
            kept += 1
    games = rows["game"].to_numpy()[alike]
    at = int(distance.argmin())
    return int(games[at]), float(distance[at]) / max(kept, 1)
