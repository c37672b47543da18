"""Stored games, ready to be played again."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from simlab import shell
from simlab.errors import InputError
from simlab.runs.names import list_of, read_form
from simlab.runs.query import cell_of
from simlab.runs.store import frame_to_rows
from simlab.spec.design import PLAYERS
from simlab.spec.refs import BotRef, GameRef, MetricRef

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.results import CellResult, Results


class _Files(BaseModel):
    """`files` of resolved.json: text as written -> path, of a seat's bots, of card tables and of metrics."""

    game: str = ""
    bots: dict[str, dict[str, str]] = {}
    cards: dict[str, str] = {}
    metrics: dict[str, str] = {}


class CodeByPath(InputError):
    """Results name code outside the lab that the user has not allowed to run."""

    def __init__(self, folder: Path, paths: Sequence[str]) -> None:
        options = " ".join(f"--allow {shell.quote(path)}" for path in paths[:8])
        super().__init__(
            f"{folder}: names code by path, and such code is not run by default. If you know what these files do, "
            f"allow them: {options}"
        )


def match_of(results: Results, cell: CellResult, allowed: Collection[Path] = ()) -> tuple[Match, bool]:
    """The match that plays a stored cell, and whether code, bots and tables are byte for byte the same as in the run.

    The results may be untrusted, so code that they name by path runs only from `allowed` files and folders.

    Raises:
        CodeByPath: the results name other code by path. InputError: the game, a bot, a knob or a table is gone.
    """
    from simlab.engine.match import Match
    from simlab.engine.setup import game_text
    from simlab.registry import UntrustedFile, load_game, only_trusted
    from simlab.runs.cells import cell_key

    files = read_form(_Files, results.experiment.get("files") or {}, results.folder / "resolved.json")
    named = GameRef.parse(files.game)
    folder, players = named.name, named.players
    paths = [folder] if folder else []
    bots = {}
    for seat, text in cell.bots.items():
        bots[seat] = text
        if files_of := BotRef.parse(text).files:
            bots[seat] = files.bots.get(seat, {}).get(text, text)
            paths += BotRef.parse(bots[seat]).files or files_of
    about = results.experiment.get("experiment")
    metrics = about.get("metrics") if isinstance(about, dict) else None
    own = [files.metrics.get(str(text), str(text)) for text in list_of(metrics)]
    paths += [file for text in own if (file := MetricRef.parse(text).file)]
    known = {path.resolve() for path in allowed}
    refused = sorted({path for path in paths if Path(path).resolve() not in known})
    if refused:
        raise CodeByPath(results.folder, refused)
    tables = {name: Path(path) for name, path in files.cards.items() if name in cell.tables}
    several = len(results.sizes) > 1
    try:
        with only_trusted(known):
            players = len(cell.bots) if several else players
            game = load_game(GameRef(os.path.join(folder, ""), players)) if folder else cell.game
            if own:
                game = load_game(GameRef.parse(game_text(game)).measured(own))
            defaults = game.knobs_with(game.read_tables(tables))
            knobs = {n: v for n, v in cell.knobs.items() if n not in defaults or defaults[n].default != v}
            if several:
                knobs.pop(PLAYERS, None)
            match = Match(game, knobs=knobs, tables=tables, bots=bots)
            return match, cell_key(match.key, results.seed) == cell.key
    except UntrustedFile as fault:  # a path that the list above lacks
        raise CodeByPath(results.folder, [str(fault.path)]) from None


@dataclass(frozen=True)
class StoredGame:
    """A stored game, to be played again."""

    match: Match
    seed: int
    index: int
    row: dict[str, Any] | None  #: its stored row, with codes instead of names; None if only counts are stored

    def differences(self, now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
        """The columns in which the stored row differs from that of the game played now: column -> (stored, now)."""
        stored = self.row or {}
        return {name: (value, now[name]) for name, value in stored.items() if name in now and now[name] != value}


def stored_game(folder: str | Path, index: int, cell: str | None = None, allowed: Collection[Path] = ()) -> StoredGame:
    """A game of a cell (found by `cell_of`) in a folder of results, which may be untrusted (see `match_of`).

    Raises:
        InputError: no such cell or game, or rules, bots or tables have changed since.
    """
    import polars as pl

    from simlab.runs.results import load

    results = load(Path(folder))
    chosen = cell_of(results, cell)
    match, as_it_was = match_of(results, chosen, allowed)
    if not as_it_was:
        raise InputError(
            f"{folder}: the rules, a bot or a table changed since these games were played, so they cannot be "
            "replayed. Go back to that version, or run the experiment again with --force."
        )
    if not results.has_rows:
        return StoredGame(match, results.seed, index, None)
    rows = results.scan().filter((pl.col("cell") == chosen.key) & (pl.col("game") == index)).collect()
    if rows.height != 1:
        raise InputError(f"{results.folder}: cell {chosen.key} holds no game {index}. {results.gap}".strip())
    row = {name: column[0].tolist() for name, column in frame_to_rows(rows, match.game).items()}
    return StoredGame(match, results.seed, index, row)
