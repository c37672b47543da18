"""Games worth watching, each with the command that replays it.

The closest, the longest and the most typical game are found in the rows. Upsets and swings are found from win chances
turn by turn (simlab.questions.course), which exist only for some games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import side_endings, sides_of
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Estimate, share_of
from simlab.questions.course.analysis import courses_of, follow
from simlab.questions.finished_run import FinishedRun
from simlab.runs.truncation import play_ended
from simlab.spec.contract import GameSpec
from simlab.stats.course import Course, biggest_upset, largest_swing
from simlab.stats.figure import score_name

if TYPE_CHECKING:
    import polars as pl

    from simlab.engine.match import Match


MOST_ROWS = 5_000_000  #: games that are searched


class NotableGame(Part):
    """A game worth watching. Fields that do not apply to its kind keep their defaults.

    Attributes:
        kind: `closest`, `longest`, `shortest`, `ending`, `most typical`, `biggest upset` or `largest swing`.
        cell, replay: for a run, the label of the cell, and the command that replays the game. among: number of games
            searched; for a closest game, number of the `games` that scores decided.
        turns, decisions: number of turns and of decisions in this game. median: number of turns of the median game.
        turn: turn of the upset, or turn after which the swing shows. margin: points between the best two scores. sides:
            whether these are scores of sides. ties: number of games with this margin. ending: name of the ending.
            share: share of the games with this ending.
        distance: distance from the median game in standard deviations, mean over the metrics.
        chance: win chance of the winner. swing: change of a win chance, in points.
    """

    kind: str
    game: int
    cell: str = ""
    replay: str = ""
    among: int = 0
    games: int = 0
    turns: int = 0
    decisions: int = 0
    median: float = 0.0
    turn: int = 0
    margin: int = 0
    sides: bool = False
    ties: int = 0
    ending: str = ""
    share: float = 0.0
    distance: float = 0.0
    chance: Rate | None = None
    swing: Number | None = None


class NotableGames(Answer, form="notable-games"):
    turn_name: str
    games: list[NotableGame]


def after_run(run: FinishedRun) -> NotableGames | None:
    """The closest, longest and most typical game of a run, its biggest upset and largest swing."""
    import polars as pl

    results, names = run.results, run.results.names
    if not results.has_rows or run.games > MOST_ROWS:
        return None
    cells = {cell.key: cell for cell in results.cells}
    points = [score_name(seat) for seat in names.seats] if names.has_scores else []
    which = pl.col("cell").cast(pl.Enum(list(cells)))
    rows = results.scan().select(which, "game", "turns", "decisions", "ending", *points).collect()
    scores = rows.select(points).to_numpy() if points else None
    found = [(cells[rows["cell"][at]], game) for at, game in _of_rows(rows.to_dict(), scores, names)]
    closest = run.closest[0]
    columns = with_median(names)
    mine = results.scan().filter(pl.col("cell") == closest.key)
    who = "winners" if "winners" in mine.collect_schema().names() else "winner"
    own = mine.select("game", pl.col(who).alias("winner"), "ending", *columns).collect()
    typical, distance = _most_typical(own, columns)
    found.append((closest, NotableGame(kind="most typical", game=typical, distance=distance, among=own.height)))
    found += [(closest, game) for game in _turning_points(follow(run)[0])]
    games = [
        game.model_copy(update={"cell": cell.label, "replay": run.match(cell).replay_command(run.seed, game.game)})
        for cell, game in found
    ]
    return NotableGames(turn_name=names.turn_name, games=games)


def of_match(match: Match, seed: int, games: int, sample: int = 8) -> NotableGames:
    """Plays the first games of a match and finds the notable ones.

    Args:
        games: number of games to play. sample: number of first games whose win chances are estimated.
    Raises:
        GameTruncated: too many games are truncated. BotFault: a bot failed.
    """
    game = match.game
    rows = play_ended(match, seed, games)
    found = [one for _, one in _of_rows(rows, rows["score"] if game.has_scores else None, game, shortest=True)]
    for ending in np.unique(rows["ending"]):
        first = rows[rows["ending"] == ending]
        name, share = game.endings[int(ending)], first.size / rows.size
        found.append(NotableGame(kind="ending", game=int(first["game"][0]), ending=name, share=share, among=rows.size))
    courses, _ = courses_of(match, seed, [int(number) for number in rows["game"][:sample]])
    return NotableGames(turn_name=game.turn_name, games=[*found, *_turning_points(courses)])


def _of_rows(columns: Any, scores: Any, names: Any, shortest: bool = False) -> Iterator[tuple[int, NotableGame]]:
    """The closest game and the longest, of several the one with the most decisions; each after its place in the rows.

    Args:
        columns: name -> values. scores: shape (games, seats); None if there are none. names: a game, or the names
            stored of it. shortest: whether the shortest game is notable, too.
    """
    turns, decisions = (np.asarray(columns[name], np.int64) for name in ("turns", "decisions"))
    found: dict[str, tuple[int, dict[str, Any]]] = {"longest": (int(np.lexsort((-decisions, -turns))[0]), {})}
    if shortest:
        found["shortest"] = int(turns.argmin()), {}
    if scores is not None and (close := _closest(scores, np.asarray(columns["ending"]), names)):
        found = {"closest": close, **found}
    for kind, (at, facts) in found.items():
        about = {"game": columns["game"][at], "turns": turns[at], "decisions": decisions[at], "among": turns.size}
        yield at, NotableGame(kind=kind, median=float(np.median(turns)), **{**about, **facts})


def _turning_points(courses: Sequence[Course]) -> list[NotableGame]:
    """The biggest upset and the largest swing: selected by one half of the futures, measured by the other."""
    if not courses:
        return []
    found = []
    upset, swung = biggest_upset(courses), largest_swing(courses)
    half = upset.futures // 2
    _, turn, chance = upset.upset
    if turn:
        rate = share_of(chance * half, half)
        found.append(NotableGame(kind="biggest upset", game=upset.game, turn=turn, chance=rate, among=len(courses)))
    _, turn, step = swung.swing
    noise = 1.96 * (0.5 / half) ** 0.5
    points = Estimate(100 * step, 100 * (step - noise), 100 * (step + noise), rate=False).within(-100, 100)
    found.append(NotableGame(kind="largest swing", game=swung.game, turn=turn, swing=points, among=len(courses)))
    return found


def _closest(scores: Any, endings: Any, names: Any) -> tuple[int, dict[str, Any]] | None:
    """The position of the game that scores decided by the smallest margin, and its facts; None if there is no such
    game.

    If all seats win or lose together, scores decide only the games that they win. If several sides play against each
    other, the sums of the sides' scores are compared.

    Args:
        scores: shape (games, seats). endings: shape (games,), by number. names: a game, or its stored names.
    """
    several = [places for _, places, _ in sides_of(names)] if names.sides else []
    decided = np.ones(len(scores), np.bool_)
    if len(several) == 1:
        decided = np.isin(endings, side_endings(names)[0])
        scores = scores[:, list(several[0])]
    elif several:
        scores = np.stack([scores[:, list(places)].astype(np.int64).sum(axis=1) for places in several], axis=1)
    if not decided.any() or scores.shape[1] < 2:
        return None
    ordered = np.sort(scores.astype(np.int64), axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    least = margin[decided].min()
    ties = decided & (margin == least)
    facts = {"margin": int(least), "sides": len(several) > 1, "ties": int(ties.sum())}
    return int(ties.argmax()), {**facts, "among": int(decided.sum()), "games": len(scores)}


def with_median(names: GameSpec) -> list[str]:
    """The columns that have a median: neither categories nor numbers that use a code for `never`."""
    return [name for name, measure in names.measures.items() if measure.kind == "number"]


def _most_typical(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[int, float]:
    """The game closest to the medians among those with the most frequent winner and ending, and its mean distance.

    It reads one column at a time, because millions of games with all columns as floats would fill the memory.

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
