"""The folder of a run: complete files under their final names, or none.

    experiment.toml  resolved.json  manifest.json  cells.json  faults.json  summary.json  studies.json  run.log  lock
    cells/<key>/<first>-<last>.parquet   one row per game; left out above the row limit
    cells/<key>/<first>-<last>.json      exact counts, digest of the rows: written last, as the commit mark
    spare/<key>/...                      finished shards that the current experiment does not need
    running/, tmp/                       during a run

Files are written and read by simlab.runs.files, so a reader, or a run that starts again after a crash, finds each file
complete or not at all. A shard counts only if its counts exist and its rows match their digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from simlab.engine.outcome import winner_codes
from simlab.errors import InputError
from simlab.game import Array, Game, the_seat
from simlab.runs import files, table_file
from simlab.runs.files import (
    JSON_LIMIT,
    atomic_write,
    explained,
    open_inside,
    parse_json,
    read_inside,
    refuse_links,
    sync_folder,
    to_json,
)
from simlab.runs.names import Names, read_form
from simlab.spec.experiment import MOST_SHARD

if TYPE_CHECKING:
    import polars as pl

FORMAT = 3  #: version of the folder's form, in manifest.json
MANIFEST_LIMIT = 8_000_000  #: bytes of manifest.json
ROWS_LIMIT = 2_000_000_000  #: most bytes of a Parquet file that is read
MOST_SHARDS = 1_000_000  #: most shards of a run: each is two files and a line of cells.json

_FOLDERS = ("cells", "spare", "running", "tmp", "figures")
_OWN = {"lock", "manifest.json", "experiment.toml", "resolved.json", "cells.json", "run.log", *_FOLDERS}
_KEY = re.compile(r"[0-9a-f]{8,64}")
_SHARD = re.compile(r"(\d{12,19})-(\d{12,19})\.json")
_COLUMN_BYTES, _VALUE_BYTES = 100_000, 24  # most bytes of an unpacked Parquet column: fixed, and for each value


# --- Shards -------------------------------------------------------------------


class Shard(NamedTuple):
    """Games first .. last of a cell, both included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def name(self) -> str:
        return f"{self.first:012d}-{self.last:012d}"


def cut(games: int, size: int) -> list[Shard]:
    """Games 0 .. games-1 in shards of `size`; the last one may be smaller. InputError: more than MOST_SHARDS."""
    check_number(games, size)
    return [Shard(first, min(first + size, games) - 1) for first in range(0, games, size)]


def check_number(games: int, size: int) -> None:
    """Raises InputError if this number of games, in shards of `size`, needs more than MOST_SHARDS shards."""
    if games > MOST_SHARDS * size:
        raise InputError(
            f"{games:,} games in pieces of {size:,} are {-(-games // size):,} files, over {MOST_SHARDS:,}: raise "
            "shard_games in [experiment], or play fewer games."
        )


_Games = list[Annotated[int, Field(ge=0, lt=1 << 63)]]


class Sidecar(BaseModel):
    """Metadata of a finished shard, the games first..last of a cell.

    Attributes:
        games: number of games played. faults, cut_off: indices of games that could not be played, or were truncated.
        rows: SHA-256 of the Parquet file, or "" when only counts are kept. tally: a Tally as a dict.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    cell: str
    first: NonNegativeInt
    last: NonNegativeInt
    games: NonNegativeInt
    faults: _Games
    rows: str
    tally: dict[str, Any]
    cut_off: _Games = []

    @property
    def shard(self) -> Shard:
        return Shard(self.first, self.last)

    @property
    def left_out(self) -> list[int]:
        """Indices of the shard's games that are in neither rows nor counts."""
        return sorted((*self.faults, *self.cut_off))

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.shard.size != self.games + len(set(self.left_out)) or self.tally.get("games") != self.games:
            raise ValueError("its numbers of games contradict each other")
        return self

    def to_bytes(self) -> bytes:
        """JSON that carries the digest of its own content."""
        body = self.model_dump(exclude=set() if self.cut_off else {"cut_off"})
        return to_json(body | {"digest": _digest(body)})

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Sidecar:
        """Raises InputError if the form is wrong, or the digest does not match the content."""
        body = parse_json(data, where)
        known = body.pop("digest", None) if isinstance(body, dict) else None
        done = read_form(cls, body, where)
        if known != _digest(body):
            raise InputError(f"{where}: is damaged or not simlab's (its digest is not that of its content).")
        return done


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(to_json(body)).hexdigest()


# --- Rows ---------------------------------------------------------------------


@dataclass(frozen=True)
class RowColumn:
    """A column of the rows of games: the Polars name of its type, and for an Enum all its values."""

    name: str
    kind: str
    help: str
    values: Sequence[str] = ()


def row_columns(names: Names | Game) -> list[RowColumn]:
    """The columns of the rows that a run of this game keeps, in their order."""
    columns = [
        RowColumn("game", "Int64", "index of the game in its cell; with the seed it gives the game again"),
        RowColumn("cell", "String", "key of the cell: a row of the experiment's table, see cells.json"),
        *(RowColumn(f"bot_{seat}", "String", f"bot of {the_seat(names, seat)}") for seat in names.seats),
        RowColumn("winner", "Enum", f"{', '.join(names.seats)}, nobody or shared", names.winners),
        RowColumn("ending", "Enum", f"how it ended: {', '.join(names.endings)}", names.endings),
        RowColumn("turns", "Int16", f"length in {names.turn_name}s"),
        RowColumn("decisions", "Int32", "decisions taken by all seats"),
    ]
    if len(names.seats) > 2:
        columns.append(
            RowColumn("winners", "UInt16", "seats that won, a bit each: 1 the first seat, 2 the second, ...")
        )
    if names.has_scores:
        from simlab.stats.figure import score_name

        columns += [RowColumn(score_name(seat), "Int32", f"score of {the_seat(names, seat)}") for seat in names.seats]
    for category in names.seat_categories:
        help_text = f"{category.help}: {', '.join(category.values)}"
        columns += [
            RowColumn(f"{category.name}_{seat}", "Enum", f"{seat}'s {help_text}", category.values)
            for seat in names.seats
        ]
    return columns + [RowColumn(m.name, "Float64" if m.decimals else "Int32", m.help) for m in names.metrics]


def label_columns(seats: Iterable[str]) -> set[str]:
    """Columns that identify the game of a row, rather than its result."""
    return {"game", "cell", *(f"bot_{seat}" for seat in seats)}


def row_schema(names: Names | Game) -> dict[str, pl.DataType]:
    """Name and Polars type of each column, in their order."""
    import polars as pl

    return {c.name: pl.Enum(c.values) if c.kind == "Enum" else getattr(pl, c.kind)() for c in row_columns(names)}


def _check_parquet(file: BinaryIO, where: Path, games: int, names: Names) -> None:
    """Compares the footer of a Parquet file with the game's declaration before any data is unpacked.

    Raises:
        InputError: other columns, not one row per game, or larger when unpacked than such rows can be.
    """
    import polars as pl
    import pyarrow.parquet as pq

    schema = row_schema(names)
    with _readable(where):
        foot = pq.read_metadata(file)
        groups = [foot.row_group(i) for i in range(foot.num_row_groups)] if foot.num_row_groups <= 10_000 else []
        rows = sum(group.num_rows for group in groups)
        chunks = [(group.num_rows, group.column(i)) for group in groups for i in range(group.num_columns)]
        size = sum(column.total_uncompressed_size for _, column in chunks)
        same = all(column.num_values == number for number, column in chunks)
    table_file.check_metadata(foot.metadata, "rows", where)
    if rows != games or rows != foot.num_rows or not same:
        raise InputError(f"{where}: has {max(rows, foot.num_rows):,} rows, not one for each of {games:,} games.")
    if size > len(schema) * (_COLUMN_BYTES + _VALUE_BYTES * games):
        raise InputError(f"{where}: has {size:,} bytes unpacked, more than rows of {games:,} games can have.")
    file.seek(0)
    with _readable(where):
        columns = dict(pl.read_parquet_schema(file))
    if columns != schema:
        raise InputError(
            f"{where}: its columns are not those of {names.slug}: {_other_columns(columns, schema)}. "
            "Another simlab may have written it: read it with that one, or play it again into another folder."
        )


@contextlib.contextmanager
def _readable(where: Path) -> Iterator[None]:
    """Turns the errors of readers of a damaged Parquet file into an InputError."""
    import polars as pl
    import pyarrow as pa

    of_polars = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
    try:
        yield
    except (*of_polars, pa.ArrowException, OSError, ValueError, MemoryError) as fault:
        raise InputError(f"{where}: is not a readable Parquet file ({str(fault)[:200]}).") from None


def _other_columns(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """How the columns of a file differ from those that it should have."""
    some = {
        "without": [name for name in wanted if name not in there],
        "with": [name for name in there if name not in wanted],
        "of another type": [name for name in wanted if name in there and there[name] != wanted[name]],
    }
    parts = [f"{how} {', '.join(name[:40] for name in names[:5])}" for how, names in some.items() if names]
    return "; ".join(parts) or "in another order"


def rows_to_frame(rows: Array, names: Names | Game, cell: str, bots: Mapping[str, str]) -> pl.DataFrame:
    """The rows of a shard, of Game.row_type, as a table with the columns of `row_schema`.

    At a smaller player count, the seats are the first ones of `names`, and the columns of the other seats are empty.
    """
    import polars as pl

    from simlab.stats.figure import score_name

    own = rows["score"].shape[1]  # seats that played
    winner = rows["winner"].astype(np.int64)
    # -1 nobody and -2 shared follow the seats in the categories
    codes = np.where(winner >= 0, winner, len(names.seats) - 1 - winner)
    columns: dict[str, Any] = {name: rows[name] for name in rows.dtype.names} | {"winner": codes, "cell": cell}
    for place, seat in enumerate(names.seats):
        columns[f"bot_{seat}"] = bots.get(seat)
        columns[score_name(seat)] = rows["score"][:, place] if place < own else None
        for kind, category in enumerate(names.seat_categories):
            columns[f"{category.name}_{seat}"] = rows["category"][:, kind, place] if place < own else None

    def series(name: str, kind: pl.DataType) -> pl.Series:
        values = columns[name]
        if values is None or isinstance(values, str):
            return pl.Series(name, [values], dtype=kind).new_from_index(0, len(rows))
        if isinstance(kind, pl.Enum):
            return pl.Series(name, kind.categories, dtype=kind).gather(values.astype(np.int64))
        return pl.Series(name, np.ascontiguousarray(values), dtype=kind)

    return pl.DataFrame([series(name, kind) for name, kind in row_schema(names).items()])


def frame_to_rows(frame: pl.DataFrame, names: Names | Game) -> dict[str, Array]:
    """The inverse of `rows_to_frame`: the fields of Game.row_type without `game`, and `winners` if the table has it.

    Args:
        names: the game, which may have fewer seats than the table.
    """
    import polars as pl

    from simlab.stats.figure import score_name

    columns = {name: frame[name].to_numpy() for name in ("turns", "decisions", *(m.name for m in names.metrics))}
    if "winners" in frame.columns:
        columns["winners"] = frame["winners"].to_numpy()
    columns["ending"] = frame["ending"].to_physical().to_numpy()
    columns["winner"] = frame["winner"].cast(pl.String).replace_strict(winner_codes(names)).to_numpy()
    if names.has_scores:
        columns["score"] = frame.select(map(score_name, names.seats)).to_numpy()
    if kinds := [category.name for category in names.seat_categories]:
        seats = [[frame[f"{kind}_{seat}"].to_physical().to_numpy() for seat in names.seats] for kind in kinds]
        columns["category"] = np.moveaxis(np.array(seats), 2, 0)
    return columns


def rows_to_parquet(rows: Array, names: Names | Game, cell: str, bots: Mapping[str, str]) -> bytes:
    """The rows of a shard as a Parquet file: the same bytes for the same rows. Arguments: as `rows_to_frame`."""
    file = io.BytesIO()
    rows_to_frame(rows, names, cell, bots).write_parquet(
        file,
        compression="zstd",
        compression_level=1,
        statistics=False,  # nothing reads them: a file has the rows of one cell
        row_group_size=max(len(rows), 1),
        metadata=table_file.metadata("rows"),
    )
    return file.getvalue()


def collected(rows: pl.LazyFrame, where: Path) -> pl.DataFrame:
    """The rows of a Parquet file, read into memory; InputError if it is damaged."""
    with _readable(where):
        return rows.collect()


# --- The folder ---------------------------------------------------------------


class Folder:
    """A folder of results; `path` need not exist before the first write."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._checked: dict[tuple[str, Shard], tuple[int, int, int]] = {}

    # reading

    def read(self, name: str, limit: int = JSON_LIMIT) -> bytes:
        """Reads a file of the folder safely: see read_inside."""
        return read_inside(self.path, name, limit)

    def read_json(self, name: str, limit: int = JSON_LIMIT) -> Any:
        return parse_json(self.read(name, limit), str(self.path / name))

    def has(self, name: str) -> bool:
        return (self.path / name).exists()

    def sidecar(self, cell: str, shard: Shard, limit: int = JSON_LIMIT) -> Sidecar:
        """The counts of a finished shard. InputError: damaged, or another shard's. Missing: it is not finished."""
        name = f"cells/{cell}/{shard.name}.json"
        done = Sidecar.from_bytes(self.read(name, limit), str(self.path / name))
        if (done.cell, done.shard) != (cell, shard):
            raise InputError(f"{self.path / name}: belongs to another shard. Move it away and run again.")
        return done

    def check_rows(self, done: Sidecar, names: Names | None = None) -> None:
        """Checks the rows of a finished shard without reading them into memory: their digest, and with `names` also
        their columns, number and unpacked size.

        Raises:
            InputError: the file is damaged, or larger than its number of games allows. Missing: it does not exist.
        """
        name = f"cells/{done.cell}/{done.shard.name}.parquet"
        if done.games > MOST_SHARD:
            raise InputError(f"{self.path / name}: contains {done.games:,} games; a shard has {MOST_SHARD:,} at most.")
        with open_inside(self.path, name, ROWS_LIMIT) as file:
            total = hashlib.sha256()
            while piece := file.read(1 << 20):
                total.update(piece)
            if total.hexdigest() != done.rows:
                raise InputError(
                    f"{self.path / name}: is damaged. Run the experiment again: only damaged shards are played."
                )
            if names is not None:
                file.seek(0)
                _check_parquet(file, self.path / name, done.games, names)

    def scan_shard(self, cell: str, shard: Shard, names: Names) -> pl.LazyFrame:
        """The rows of a finished shard, not yet read; digest, columns, number and size are checked.

        Raises:
            InputError: the file is damaged, or does not have the columns of row_schema and one row per game.
        """
        import polars as pl

        where = self.shard_path(cell, shard)
        # The file's own stamp: a file that was checked once and has not changed is not read again.
        try:
            about = os.lstat(where)
            mark = (about.st_ino, about.st_size, about.st_mtime_ns)
        except OSError:
            mark = (0, 0, 0)
        if self._checked.get((cell, shard)) != mark:
            self.check_rows(self.sidecar(cell, shard), names)
            self._checked[cell, shard] = mark
        return pl.scan_parquet(where, glob=False, hive_partitioning=False)

    def finished(self, cell: str, shard: Shard, rows: bool) -> Sidecar | None:
        """The counts of a shard if it is finished, undamaged, and has rows or none as `rows` requires; else None."""
        try:
            done = self.sidecar(cell, shard)
            if rows and done.rows:
                self.check_rows(done)
        except InputError:
            return None
        return done if bool(done.rows) == rows else None

    def missing_shards(self, shards: Mapping[str, Sequence[Shard]], rows: bool) -> list[tuple[str, Shard]]:
        """The shards of some cells (key -> shards) that have to be played, in order."""
        return [(cell, s) for cell, some in shards.items() for s in some if self.finished(cell, s, rows) is None]

    # writing

    def write(self, name: str, data: bytes) -> None:
        """Writes a file of the folder completely, and nothing outside the folder; see atomic_write."""
        refuse_links(self.path, name)
        refuse_links(self.path, "tmp/x")
        atomic_write(self.path / name, data, self.path / "tmp")

    def write_json(self, name: str, data: object) -> None:
        self.write(name, to_json(data, pretty=True))

    def shard_path(self, cell: str, shard: Shard) -> Path:
        """Path of the rows of a shard. Its counts are in the file with the extension .json."""
        return self.path / "cells" / cell / f"{shard.name}.parquet"

    def commit_shard(
        self,
        cell: str,
        shard: Shard,
        rows: bytes | None,
        games: int,
        faults: Iterable[int],
        tally: dict[str, Any],
        cut_off: Iterable[int] = (),
    ) -> Sidecar:
        """Writes a finished shard: its rows (a Parquet file) if they are kept, then its counts as the commit mark."""
        digest = hashlib.sha256(rows).hexdigest() if rows is not None else ""
        done = Sidecar(
            cell=cell, first=shard.first, last=shard.last, games=games, faults=sorted(faults), rows=digest, tally=tally,
            cut_off=sorted(cut_off),
        )  # fmt: skip
        if rows is not None:
            self.write(f"cells/{cell}/{shard.name}.parquet", rows)
        self.write(f"cells/{cell}/{shard.name}.json", done.to_bytes())
        return done

    def set_aside(self, shards: Mapping[str, Sequence[Shard]]) -> int:
        """Moves finished shards that are not among `shards` (key -> shards) to spare/; returns how many."""
        moved = 0
        top = self.path / "cells"
        for here in sorted(top.iterdir()) if top.is_dir() else ():
            if here.is_symlink() or not here.is_dir() or not _KEY.fullmatch(here.name):
                continue
            wanted = {shard.name for shard in shards.get(here.name, ())}
            names = sorted({path.stem for path in here.iterdir() if path.suffix in (".json", ".parquet")} - wanted)
            for name in names:
                self._move(here.name, name, "cells", "spare")
            moved += len(names)
            if names and not any(here.iterdir()):
                here.rmdir()
        return moved

    def take_back(self, cell: str, shard: Shard, rows: bool) -> Sidecar | None:
        """Moves a shard back from spare/ if it exists there and is undamaged."""
        if not (self.path / "spare" / cell / f"{shard.name}.json").exists():
            return None
        refuse_links(self.path, f"spare/{cell}/x")
        self._move(cell, shard.name, "spare", "cells")
        return self.finished(cell, shard, rows)

    def _move(self, cell: str, name: str, source: str, target: str) -> None:
        """Moves a shard. Its counts leave first and arrive last, so a killed process leaves it unfinished."""
        refuse_links(self.path, f"{target}/{cell}/x")
        before, after = self.path / source / cell, self.path / target / cell
        try:
            files.make_folder(after)
            for ending in (".json", ".parquet") if source == "cells" else (".parquet", ".json"):
                if (before / f"{name}{ending}").exists():
                    files.replace_file(before / f"{name}{ending}", after / f"{name}{ending}")
            sync_folder(after)
            sync_folder(before)
        except OSError as fault:
            raise explained(after / name, fault) from fault

    def stored_shards(self, cell: str, rows: bool = False) -> list[Shard]:
        """The shards of a cell that have counts and, with `rows`, a file of rows; in order, unchecked."""
        here = self.path / "cells" / cell
        if here.is_symlink() or not here.is_dir():
            return []
        names = set(os.listdir(here))
        matches = [_SHARD.fullmatch(name) for name in names]
        shards = [Shard(int(m[1]), int(m[2])) for m in matches if m]
        return sorted(shard for shard in shards if not rows or f"{shard.name}.parquet" in names)

    def sweep(self) -> None:
        """Removes the unfinished files of a killed run. Only the holder of the lock may call this."""
        for name in ("tmp", "running"):
            top = self.path / name
            if not top.is_dir():
                continue
            with contextlib.suppress(OSError):  # a worker of a killed run may still be clearing up
                for path in top.iterdir():
                    path.unlink(missing_ok=True)
                top.rmdir()

    def log(self, line: str) -> None:
        """Adds a line to run.log; a log that cannot be written, or is not in this folder, does not stop the run."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | files.NO_LINK
        with contextlib.suppress(OSError):
            handle = os.open(self.path / "run.log", flags, 0o644)
            try:
                if files.is_own_file(handle):
                    os.write(handle, f"{line}\n".encode())
            finally:
                os.close(handle)

    # the lock

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the folder for one run; creates it if necessary.

        Raises:
            InputError: another run holds the lock (named by its process number), or the path is not a folder or cannot
                be written.
        """
        import portalocker

        while True:
            handle = self._open_lock()
            try:
                portalocker.lock(handle, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
            except portalocker.AlreadyLocked:
                holder = ""
                with contextlib.suppress(OSError):  # Windows lets no other process read a locked file
                    holder = os.read(handle, 40).decode("ascii", "replace").strip()
                os.close(handle)
                who = f" (process {holder})" if holder.isdigit() else ""
                raise InputError(
                    f"{self.path}: another run{who} is writing here. Wait for it, or choose another folder with --out."
                ) from None
            except (portalocker.LockException, OSError) as fault:
                os.close(handle)
                cause = fault if isinstance(fault, OSError) else OSError(*fault.args[:1])
                raise explained(self.path / "lock", cause) from fault
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(handle), os.stat(self.path / "lock")):
                    break
            os.close(handle)  # the folder was moved aside between opening and locking: try the new one
        try:
            with contextlib.suppress(OSError):  # the number is optional; later writes notice a full disk
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, f"{os.getpid()}\n".encode())
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
            os.close(handle)

    def _open_lock(self) -> int:
        try:
            files.make_folder(self.path)
            for name in _FOLDERS:
                if (self.path / name).is_symlink():
                    raise InputError(f"{self.path / name}: is a link. Choose another folder with --out.")
            flags = os.O_RDWR | os.O_CREAT | files.NO_LINK
            handle = os.open(self.path / "lock", flags, 0o644)
        except OSError as fault:
            raise explained(self.path, fault) from fault
        if not files.is_own_file(handle):
            os.close(handle)
            raise InputError(f"{self.path / 'lock'}: is a link, or not a regular file. Remove it, or use --out.")
        return handle

    def is_foreign(self) -> bool:
        """Whether the folder contains something other than a run."""
        if not self.path.is_dir() or self.has("manifest.json"):
            return False
        return any(path.name not in _OWN for path in self.path.iterdir())

    def move_aside(self) -> Path:
        """Renames the folder to the first free <name>.1, <name>.2, ...; returns the new path."""
        path = self.path.resolve()
        targets = (path.with_name(f"{path.name}.{number}") for number in itertools.count(1))
        target = next(target for target in targets if not target.exists())
        try:
            os.rename(path, target)
            sync_folder(path.parent)
        except OSError as fault:
            raise explained(target, fault) from fault
        return target
