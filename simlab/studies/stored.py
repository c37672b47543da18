"""A game of some results, ready to be played again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.outcome import winner_codes
from simlab.errors import UserMistake
from simlab.runs.where import cell_of
from simlab.stats.figure import score_name

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.results import Results


@dataclass(frozen=True)
class StoredGame:
    """One game of some results.

    Attributes:
        match, seed, index: what plays it again.
        row: what is stored of it, with codes in place of names; None where only counts were kept.
    """

    match: Match
    seed: int
    index: int
    row: dict[str, Any] | None

    def differences(self, now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
        """Column -> (stored, now) of a row of the game as it was played now, where they differ."""
        stored = self.row or {}
        return {name: (value, now[name]) for name, value in stored.items() if name in now and now[name] != value}


def stored_game(folder: str | Path, index: int, cell: str | None = None, allowed: Collection[Path] = ()) -> StoredGame:
    """A game of a folder of results.

    The results may be a stranger's: of the code that the folder names by a path none is run but what `allowed` names.

    Args:
        cell: key, first digits of it, or label; not needed where there is only one.
    Raises:
        UserMistake: no such cell or game, or rules, bots or tables have changed since.
    """
    from simlab.runs.results import load
    from simlab.studies.verify import match_of

    results = load(Path(folder))
    chosen = cell_of(results, cell)
    match, as_it_was = match_of(results, chosen, allowed)
    if not as_it_was:
        raise UserMistake(
            f"{folder}: the rules, a bot or a table changed since these games were played, so they cannot be "
            "replayed. Go back to that version, or run the experiment again with --force."
        )
    return StoredGame(match, results.seed, index, _stored_row(results, chosen.key, index, match))


def _stored_row(results: Results, key: str, index: int, match: Match) -> dict[str, Any] | None:
    import polars as pl

    if not results.has_rows:
        return None
    rows = results.scan().filter((pl.col("cell") == key) & (pl.col("game") == index)).collect()
    if rows.height != 1:
        raise UserMistake(f"{results.folder}: cell {key} holds no game {index}. {results.gap}".strip())
    row = rows.row(0, named=True)
    game = match.game
    stored: dict[str, Any] = {name: row[name] for name in ("turns", "decisions", *(m.name for m in game.metrics))}
    stored["ending"] = game.endings.index(row["ending"])
    stored["winner"] = winner_codes(game)[row["winner"]]
    if row.get("winners") is not None:  # kept where three or more may share a win
        stored["winners"] = row["winners"]
    if game.has_scores:
        stored["score"] = [row[score_name(seat)] for seat in game.seats]
    if game.seat_categories:
        stored["category"] = [
            [category.values.index(row[f"{category.name}_{seat}"]) for seat in game.seats]
            for category in game.seat_categories
        ]
    return stored
