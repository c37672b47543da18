"""Stored games, ready to be played again."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.errors import InputError
from simlab.runs.query import cell_of
from simlab.runs.store import frame_to_rows
from simlab.spec.design import PLAYERS
from simlab.spec.refs import BotRef, GameRef, MetricRef

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.results import CellResult, Results


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

    The results may be untrusted: code that they name by path runs only if the user allows that path.

    Args:
        allowed: files of bots and folders of games that may run.
    Raises:
        CodeByPath: the results name other code by path. InputError: the game, a bot, a knob or a table no longer
            exists.
    """
    from simlab.registry import UntrustedFile, only_trusted

    files = _named_files(results)
    named = GameRef.parse(str(files.get("game", "")))
    folder, players = named.name, named.players
    paths = [folder] if folder else []
    bots = {}
    for seat, text in cell.bots.items():
        refs = files["bots"].get(seat, {})
        if files_of := BotRef.parse(text).files:
            bots[seat] = str(refs.get(text, text))
            paths += BotRef.parse(bots[seat]).files or files_of
        else:
            bots[seat] = text
    own = [files["metrics"].get(text, text) for text in _own_metrics(results)]
    paths += [file for text in own if (file := MetricRef.parse(text).file)]
    known = {path.resolve() for path in allowed}
    refused = sorted({path for path in paths if Path(path).resolve() not in known})
    if refused:
        raise CodeByPath(results.folder, refused)
    tables = {name: Path(path) for name, path in files["cards"].items() if name in cell.tables}
    if len(results.sizes) > 1:
        players = len(cell.bots)
    with only_trusted(known):
        try:
            return _loaded_match(results, cell, folder, players, bots, own, tables)
        except UntrustedFile as fault:  # a path that the list above lacks
            raise CodeByPath(results.folder, [str(fault.path)]) from None


def _loaded_match(
    results: Results, cell: CellResult, folder: str, players: int | None, bots: dict[str, str], own: list[str],
    tables: dict[str, Path],
) -> tuple[Match, bool]:  # fmt: skip
    """The match of a stored cell, and whether its rules are unchanged."""
    from simlab.engine.match import Match
    from simlab.engine.setup import game_text
    from simlab.registry import load_game
    from simlab.runs.cells import cell_key

    game = load_game(GameRef(os.path.join(folder, ""), players)) if folder else cell.game
    if own:
        game = load_game(GameRef.parse(game_text(game)).measured(own))
    defaults = game.knobs_with(game.read_tables(tables))
    knobs = {n: v for n, v in cell.knobs.items() if n not in defaults or defaults[n].default != v}
    if len(results.sizes) > 1:
        knobs.pop(PLAYERS, None)
    match = Match(game, knobs=knobs, tables=tables, bots=bots)
    return match, cell_key(match.key, results.seed) == cell.key


def _own_metrics(results: Results) -> list[str]:
    """The designer's own metrics of a run, by the names that the user gave."""
    table = results.experiment.get("experiment")
    named = table.get("metrics", []) if isinstance(table, dict) else []
    return [str(text) for text in named] if isinstance(named, list) else []


def _named_files(results: Results) -> dict[str, Any]:
    """`files` of resolved.json: `game`, if the run names it, `bots` (seat -> text -> path), `cards`, `metrics`."""
    files = results.experiment.get("files") or {}
    try:
        bots = {seat: {str(a): str(b) for a, b in refs.items()} for seat, refs in (files.get("bots") or {}).items()}
        cards = {str(name): str(path) for name, path in (files.get("cards") or {}).items()}
        own = {str(text): str(ref) for text, ref in (files.get("metrics") or {}).items()}
        game = {"game": str(files["game"])} if "game" in files else {}
        return {**game, "bots": bots, "cards": cards, "metrics": own}
    except (AttributeError, TypeError):
        raise InputError(f"{results.folder / 'resolved.json'}: files is damaged or not simlab's.") from None


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
    """A game of a folder of results, which may be untrusted (see `match_of`).

    Args:
        cell: key, its first digits, or label; needed if there are several.
    Raises:
        InputError: no such cell or game, or rules, bots or tables have changed since.
    """
    from simlab.runs.results import load

    results = load(Path(folder))
    chosen = cell_of(results, cell)
    match, as_it_was = match_of(results, chosen, allowed)
    if not as_it_was:
        raise InputError(
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
        raise InputError(f"{results.folder}: cell {key} holds no game {index}. {results.gap}".strip())
    return {name: column[0].tolist() for name, column in frame_to_rows(rows, match.game).items()}
