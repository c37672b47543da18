"""Are stored games still what the lab plays? A sample of them is played again and compared, column by column.

The rows of a run rest on its seed, rules and bots alone. So a stored game can be had again at any time, and if it
comes out otherwise, the rules, a bot, the compiler or the disk changed what the figures say.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab import shell
from simlab.errors import GameTooLong, UserMistake
from simlab.experiments.table import PLAYERS
from simlab.refs import BotRef, GameRef, MetricRef
from simlab.runs.odd import OddShard, odd_shards
from simlab.runs.over_long import play_parting
from simlab.runs.repeats import alarm, repeats_in
from simlab.runs.store import Shard, collected, label_columns, rows_to_frame
from simlab.runs.worker import stretches
from simlab.stats.repeats import Repeat

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.runs.results import CellResult, Results

MOST_LISTED = 20  #: games that differ, named one by one
MOST_AT_A_TIME = 200_000  #: games played again at a time
MOST_CUT_OFF = 20  #: stored games without an end any more, before the rest is not played
_BLOCK = 20  # games in a row that a sample takes

Tell = Callable[[int, int, str], None]


class CodeByPath(UserMistake):
    """Results that were played with code outside the lab, which the user has not allowed to run."""

    def __init__(self, folder: Path, paths: Sequence[str]) -> None:
        options = " ".join(f"--allow {shell.quote(path)}" for path in paths[:8])
        super().__init__(
            f"{folder}: was played with code that it names by a path, and such code is not run unasked. If you know "
            f"what these files do, allow them: {options}"
        )


@dataclass(frozen=True)
class Different:
    """A stored game that does not come out as stored.

    Attributes:
        columns: column -> (stored, played now). Of a whole shard of which only counts were kept: name of the count.
        replay: command that shows the game.
    """

    cell: str
    game: int
    columns: dict[str, tuple[Any, Any]]
    replay: str

    @property
    def sentence(self) -> str:
        moved = ", ".join(f"{name} was {old}, is {new}" for name, (old, new) in list(self.columns.items())[:6])
        more = f" and {len(self.columns) - 6} more columns" if len(self.columns) > 6 else ""
        return f"game {self.game} of {self.cell}: {moved}{more}"


@dataclass(frozen=True)
class Verified:
    """What came of playing stored games again.

    Attributes:
        stored, played: games in the folder, and of them played again.
        differ: of those played, how many are not as stored; examples: the first of them.
        same_rules: whether code, tables and bots are, byte for byte, those that played.
        repeats: cell -> sign that its games repeat more than chance allows.
        odd: shards that are unlike the rest of their cell beyond chance.
        gap: what of the run is missing, in words; lost: whether it was there once.
    """

    folder: Path
    stored: int
    played: int
    differ: int
    examples: tuple[Different, ...]
    same_rules: bool
    repeats: dict[str, Repeat]
    gap: str = ""
    lost: bool = False
    odd: tuple[OddShard, ...] = ()

    @property
    def exit_code(self) -> int:
        return 5 if self.differ or self.repeats or self.lost or self.odd else 0

    @property
    def sentences(self) -> list[str]:
        """The answer in words."""
        sample = f"{self.played:,} of {self.stored:,} stored games were played again"
        sentences = [f"verified: {sample}; all came out as stored."]
        if self.differ:
            sentences = [f"MISMATCH: {sample}; {self.differ:,} of them did not come out as stored."]
            sentences += [f"  {one.sentence}\n    {one.replay}" for one in self.examples]
        if not self.same_rules:
            meant = "that is why, unless it was meant to" if self.differ else "these games do not show it"
            sentences.append(f"Code, a bot or a table is not byte for byte what played them: {meant}.")
        sentences += [alarm(cell, repeat) for cell, repeat in self.repeats.items()]
        sentences += [one.sentence for one in self.odd[:MOST_LISTED]]
        if len(self.odd) > MOST_LISTED:
            sentences.append(f"{len(self.odd) - MOST_LISTED:,} more shards are odd.")
        return [*([self.gap] if self.gap else []), *sentences]

    def to_dict(self) -> dict[str, Any]:
        """As one JSON-able object."""
        return {
            "folder": str(self.folder), "stored": self.stored, "played": self.played, "differ": self.differ,
            "same_rules": self.same_rules, "exit_status": self.exit_code, "sentences": self.sentences,
            "partial": bool(self.gap), "lost": self.lost,
            "examples": [
                {"cell": e.cell, "game": e.game, "columns": {k: list(v) for k, v in e.columns.items()},
                 "replay": e.replay}
                for e in self.examples
            ],
            "repeats": {cell: dict(repeat.__dict__) for cell, repeat in self.repeats.items()},
            "odd_shards": [one.to_dict() for one in self.odd],
        }  # fmt: skip


def match_of(results: Results, cell: CellResult, allowed: Collection[Path] = ()) -> tuple[Match, bool]:
    """The match that plays a stored cell, and whether it is byte for byte the one that did.

    The results may be a stranger's: what they name by a path is run only where the user named that path too.

    Args:
        allowed: files of bots and folders of games that may be run.
    Raises:
        CodeByPath: it names other code by a path. UserMistake: the game, a bot, a knob or a table is not there any
            more.
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
        except UntrustedFile as fault:  # a reading of the texts that the list above does not have
            raise CodeByPath(results.folder, [str(fault.path)]) from None


def _loaded_match(
    results: Results, cell: CellResult, folder: str, players: int | None, bots: dict[str, str], own: list[str],
    tables: dict[str, Path],
) -> tuple[Match, bool]:  # fmt: skip
    """The match of a stored cell, and whether its rules are those that were played."""
    from simlab.engine.match import Match
    from simlab.engine.setup import game_text
    from simlab.experiments.cells import cell_key
    from simlab.registry import load_game

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
    """The designer's own metrics that a run measured, as they were named."""
    table = results.experiment.get("experiment")
    named = table.get("metrics", []) if isinstance(table, dict) else []
    return [str(text) for text in named] if isinstance(named, list) else []


def _named_files(results: Results) -> dict[str, Any]:
    """`files` of resolved.json: `game`, where it is there, `bots` (seat -> text -> path), `cards`, `metrics`."""
    files = results.experiment.get("files") or {}
    try:
        bots = {seat: {str(a): str(b) for a, b in refs.items()} for seat, refs in (files.get("bots") or {}).items()}
        cards = {str(name): str(path) for name, path in (files.get("cards") or {}).items()}
        own = {str(text): str(ref) for text, ref in (files.get("metrics") or {}).items()}
        game = {"game": str(files["game"])} if "game" in files else {}
        return {**game, "bots": bots, "cards": cards, "metrics": own}
    except (AttributeError, TypeError):
        raise UserMistake(f"{results.folder / 'resolved.json'}: files is damaged or not simlab's.") from None


def verify(results: Results, share: float = 0.01, tell: Tell | None = None, allowed: Collection[Path] = ()) -> Verified:
    """Plays a share of the stored games again.

    The sample is the same each time: blocks of games in a row, spread over all shards. Where only counts were kept,
    whole shards are played.

    Args:
        share: of each shard, in (0, 1]; at least one block of each.
        tell: told (games played, games to play, label of the cell).
        allowed: as match_of.
    Raises:
        UserMistake: the share is none, or the results cannot be played here.
    """
    if not 0 < share <= 1:
        raise UserMistake(f"--sample {share:g}: write a share above 0 and up to 1, as 1% or 0.01.")
    stored = sum(cell.games for cell in results.cells)
    work = [(cell, shard) for cell in results.cells for shard in cell.shards]
    if not results.has_rows:
        work = _some_shards(results.cells, share)
    played = differ = 0
    same = True
    examples: list[Different] = []
    match: Match | None = None
    for at, (cell, shard) in enumerate(work):
        if at == 0 or work[at - 1][0] is not cell:
            match, as_it_was = match_of(results, cell, allowed)
            same &= as_it_was
        assert match is not None
        if tell:
            tell(at, len(work), cell.label)
        look = _rows_again if results.has_rows else _counts_again
        count, wrong = look(results, cell, shard, match, share)
        played += count
        differ += len(wrong) if results.has_rows else (count if wrong else 0)
        examples += wrong[: MOST_LISTED - len(examples)]
    if tell:
        tell(len(work), len(work), "")
    repeats = repeats_in(results)
    seen = (stored, played, differ, tuple(examples), same, repeats)
    odd = tuple(odd_shards(results))
    return Verified(results.folder, *seen, gap=results.gap, lost=results.lost, odd=odd)


def _some_shards(cells: Sequence[CellResult], share: float) -> list[tuple[CellResult, Shard]]:
    chosen = []
    for cell in cells:
        number = max(math.ceil(share * len(cell.shards)), 1)
        picked = np.unique(np.linspace(0, len(cell.shards) - 1, number).astype(int))
        chosen += [(cell, cell.shards[i]) for i in picked]
    return chosen


def _blocks(key: str, shard: Shard, share: float) -> Iterator[tuple[int, int]]:
    """(first, count) of the games of a shard to play, in order."""
    if share == 1:
        yield shard.first, shard.size
        return
    blocks = -(-shard.size // _BLOCK)
    # Drawn from the shard's name, so that the sample is spread and yet the same each time.
    generator = np.random.default_rng(int(hashlib.sha256(f"{key} {shard.name}".encode()).hexdigest()[:16], 16))
    wanted = min(max(math.ceil(share * shard.size / _BLOCK), 1), blocks)
    for block in sorted(generator.choice(blocks, size=wanted, replace=False)):
        first = shard.first + int(block) * _BLOCK
        yield first, min(_BLOCK, shard.last + 1 - first)


def _rows_again(
    results: Results, cell: CellResult, shard: Shard, match: Match, share: float
) -> tuple[int, list[Different]]:
    """(games played, those that differ) of a shard with rows."""
    played, different = 0, list[Different]()
    left_out = results._store.sidecar(cell.key, shard).left_out
    stored = (
        piece
        for first, count in _blocks(cell.key, shard, share)
        for piece in stretches(Shard(first, first + count - 1), left_out, count)
    )
    for blocks in _some_at_a_time(stored):
        parted = [play_parting(match, results.seed, first, count, _give_up) for first, count in blocks]
        games = np.concatenate([rows for rows, _ in parted])
        if games.size:
            number, wrong = _compared(results, cell, shard, match, games)
            played += number
            different += wrong
        for game in (game for _, cut_off in parted for game in cut_off):
            why = {"end": ("reached", f"none within {match.game.max_decisions:,} decisions")}
            different.append(Different(cell.label, game, why, match.replay_command(results.seed, game)))
            played += 1
    return played, different


def _give_up(cut_off: int, fault: GameTooLong) -> None:
    """Raises where so many stored games have no end any more that the rest need not be played."""
    if cut_off >= MOST_CUT_OFF:
        raise GameTooLong(
            f"{cut_off} stored games have no end any more, the last so: {fault}",
            game=fault.game, index=fault.index, seed=fault.seed, seat=fault.seat, bot=fault.bot,
        ) from fault  # fmt: skip


def _some_at_a_time(blocks: Iterator[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Blocks of (first, count) taken together, so that memory holds what is played of them."""
    some: list[tuple[int, int]] = []
    for first, count in blocks:
        for at in range(first, first + count, MOST_AT_A_TIME):
            some.append((at, min(MOST_AT_A_TIME, first + count - at)))
            if sum(size for _, size in some) >= MOST_AT_A_TIME:
                yield some
                some = []
    if some:
        yield some


def _compared(
    results: Results, cell: CellResult, shard: Shard, match: Match, games: np.ndarray[Any, Any]
) -> tuple[int, list[Different]]:
    """(games that are stored, those that differ) of some games played now."""
    import polars as pl

    now = rows_to_frame(games, results._stored if len(results.sizes) > 1 else match.game, cell.key, cell.bots)
    kept = results._store.scan_shard(cell.key, shard, results._stored).filter(
        pl.col("game").is_between(int(games["game"][0]), int(games["game"][-1]))
    )
    stored = collected(kept, results._store.shard_path(cell.key, shard))
    both = stored.join(now, on="game", how="inner", suffix=" now", maintain_order="left")
    names = [name for name in stored.columns if name in now.columns and name not in label_columns(cell.bots)]
    lost = [name for name in stored.columns if name not in now.columns]
    wrong = pl.any_horizontal(*(pl.col(n).cast(pl.String) != pl.col(f"{n} now").cast(pl.String) for n in names))
    different = []
    for row in both.filter(wrong | pl.lit(bool(lost))).iter_rows(named=True):
        columns = {n: (row[n], row[f"{n} now"]) for n in names if str(row[n]) != str(row[f"{n} now"])}
        columns |= {name: (row[name], "no longer a column") for name in lost}
        game = int(row["game"])
        different.append(Different(cell.label, game, columns, match.replay_command(results.seed, game)))
    return both.height, different


def _counts_again(
    results: Results, cell: CellResult, shard: Shard, match: Match, share: float
) -> tuple[int, list[Different]]:
    """(games played, what differs) of a shard of which only counts were kept."""
    from simlab.engine.tally import Tally

    done = results._store.sidecar(cell.key, shard)
    total = Tally.empty(match.game)
    for first, count in stretches(shard, done.left_out, shard.size):
        try:
            total = total + match.play(results.seed, first, count).tally
        except GameTooLong as fault:
            why = {"end": ("reached", f"none within {match.game.max_decisions:,} decisions")}
            replay = match.replay_command(results.seed, fault.index)
            return done.games, [Different(cell.label, fault.index, why, replay)]
    now, then = (
        {**counts.get("counts", {}), **{name: counts.get(name) for name in ("games", "metrics")}}
        for counts in (total.to_dict(), done.tally)
    )
    moved = {n: ("the stored counts", "others") for n in now if now[n] != then.get(n)}
    if not moved:
        return done.games, []
    replay = match.replay_command(results.seed, shard.first)
    return done.games, [Different(f"{cell.label}, games {shard.first} to {shard.last}", shard.first, moved, replay)]
