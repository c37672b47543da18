"""The folder of a run: whole files, digests, the lock, and strangers' folders."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from simlab.errors import InputError, RunFailed
from simlab.runs import files, store
from simlab.runs.files import Missing, atomic_write
from simlab.runs.names import Names
from simlab.runs.store import Folder, Shard, Sidecar, cut, rows_to_parquet
from tests.runs.fake import GAME, FakeCell

CELL = "0123456789abcdef"


def played(first=0, last=99):
    return FakeCell().match().play(7, first, last - first + 1)


def committed(folder: Folder, shard: Shard) -> None:
    batch = played(*shard)
    rows = rows_to_parquet(batch.rows, GAME, CELL, {"heads": "still", "tails": "still"})
    folder.commit_shard(CELL, shard, rows, shard.size, (), batch.tally.to_dict())


# --- Shards and rows ----------------------------------------------------------


def test_shards_cover_all_games_once_and_depend_on_their_number_alone():
    assert cut(250, 100) == [Shard(0, 99), Shard(100, 199), Shard(200, 249)]
    assert cut(300, 100)[:2] == cut(250, 100)[:2]
    assert sum(shard.size for shard in cut(1_000_001, 7)) == 1_000_001
    assert cut(0, 100) == []


def test_a_shard_is_read_as_it_was_written(tmp_path):
    folder, shard = Folder(tmp_path), Shard(100, 199)
    committed(folder, shard)
    frame = folder.scan_shard(CELL, shard, Names.of(GAME)).collect()
    rows = played(100, 199).rows
    assert frame["game"].to_list() == list(range(100, 200))
    assert frame["cell"].unique().to_list() == [CELL]
    words = {0: "heads", 1: "tails", -1: "nobody", -2: "shared"}
    assert frame["winner"].to_list() == [words[w] for w in rows["winner"]]
    assert frame["ending"].to_list() == [GAME.endings[e] for e in rows["ending"]]
    assert frame["turns"].to_list() == rows["turns"].tolist()
    assert frame["spins"].to_list() == rows["spins"].tolist()
    assert list(frame.columns) == [c.name for c in store.row_columns(GAME)]
    assert frame.schema == store.row_schema(GAME)


def test_shared_and_nobody_have_categories_of_their_own():
    rows = np.zeros(3, GAME.row_type)
    rows["winner"] = (-1, -2, 1)
    data = rows_to_parquet(rows, GAME, CELL, {"heads": "a", "tails": "b"})
    frame = pl.read_parquet(io.BytesIO(data))
    assert frame["winner"].to_list() == ["nobody", "shared", "tails"]
    assert frame["bot_heads"].to_list() == ["a"] * 3


def test_the_same_rows_give_the_same_bytes():
    bots = {"heads": "still", "tails": "still"}
    assert len({rows_to_parquet(played().rows, GAME, CELL, bots) for _ in range(3)}) == 1
    assert rows_to_parquet(played().rows[:0], GAME, CELL, bots)


# --- Damage is noticed --------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "json"])
@pytest.mark.parametrize("how", ["flip", "cut", "empty", "gone"])
def test_a_damaged_shard_is_not_finished(tmp_path, ending, how):
    folder, shard = Folder(tmp_path), Shard(0, 99)
    committed(folder, shard)
    assert folder.finished(CELL, shard, rows=True)
    path = tmp_path / "cells" / CELL / f"{shard.name}.{ending}"
    data = bytearray(path.read_bytes())
    if how == "flip":
        # A digit that leaves the JSON valid: the digest notices.
        at = data.index(b'"count":[') + 9 if ending == "json" else len(data) // 2
        data[at] = ord("7") if data[at] != ord("7") else ord("8")
        path.write_bytes(data)
    elif how == "gone":
        path.unlink()
    else:
        path.write_bytes(data[: len(data) // 2 if how == "cut" else 0])
    assert folder.finished(CELL, shard, rows=True) is None
    assert folder.missing_shards({CELL: [shard]}, rows=True) == [(CELL, shard)]
    with pytest.raises(InputError, match=f"{shard.name}.{ending}"):
        folder.scan_shard(CELL, shard, Names.of(GAME)).collect()


def test_counts_without_rows_are_another_kind_of_shard(tmp_path):
    folder, shard = Folder(tmp_path), Shard(0, 99)
    folder.commit_shard(CELL, shard, None, 100, (), played().tally.to_dict())
    assert folder.finished(CELL, shard, rows=False)
    assert folder.finished(CELL, shard, rows=True) is None


def test_a_sidecar_of_another_shard_is_refused(tmp_path):
    folder = Folder(tmp_path)
    committed(folder, Shard(0, 99))
    cell = tmp_path / "cells" / CELL
    for ending in ("json", "parquet"):
        os.rename(cell / f"{Shard(0, 99).name}.{ending}", cell / f"{Shard(100, 199).name}.{ending}")
    assert folder.finished(CELL, Shard(100, 199), rows=True) is None


# --- Writing ------------------------------------------------------------------


def test_a_write_replaces_the_whole_file_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "a" / "b.json"
    atomic_write(path, b"one")
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["b.json"]


@pytest.mark.parametrize("call", ["_open", "_write", "_fsync", "replace_file", "make_folder"])
def test_a_failed_write_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch, call):
    path = tmp_path / "b.json"
    atomic_write(path, b"one")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(files, call, full)
        with pytest.raises(RunFailed, match="disk is full"):
            atomic_write(path, b"two")
    assert path.read_bytes() == b"one"
    assert [p.name for p in tmp_path.iterdir()] == ["b.json"]


def test_the_name_of_a_new_folder_is_flushed_before_anything_is_written_inside(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(files, "sync_folder", lambda path: done.append(path.relative_to(tmp_path)))
    monkeypatch.setattr(files, "_write", lambda handle, data: (done.append("write"), len(data))[1])
    Folder(tmp_path / "results" / "run").write(f"cells/{CELL}/x.json", b"{}")
    before = {str(path) for path in done[: done.index("write")]}
    assert before >= {".", "results", "results/run", "results/run/cells"}


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (errno.ENOSPC, RunFailed, "disk is full"),
        (errno.EIO, RunFailed, "cannot be written"),
        (errno.EACCES, InputError, "no permission"),
        (errno.EROFS, InputError, "no permission"),
        (errno.ENOTDIR, InputError, "is in the way"),
        (errno.ENAMETOOLONG, InputError, "too long"),
    ],
)
def test_an_error_of_the_disk_names_the_file_and_how_to_mend_it(number, kind, said):
    fault = files.explained(Path("results/x/cells.json"), OSError(number, os.strerror(number)))
    assert isinstance(fault, kind)
    assert "results/x/cells.json" in str(fault)
    assert said in str(fault)


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path, monkeypatch):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for name in (f"r.html.{dead.pid}-0-0123abcd.tmp", f"r.html.{os.getpid()}-0-0123abcd.tmp", "mine.tmp", "r.html"):
        (tmp_path / name).write_text("")
    files.remove_leftovers(tmp_path)
    files.remove_leftovers(tmp_path / "nowhere")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.tmp", "r.html", f"r.html.{os.getpid()}-0-0123abcd.tmp"]
    monkeypatch.setattr(files, "replace_file", lambda source, target: None)
    atomic_write(tmp_path / "b.json", b"{}")
    (left,) = tmp_path.glob("b.json.*")  # so the pattern is that of the names in use
    monkeypatch.setattr(files, "is_alive", lambda process: False)
    files.remove_leftovers(tmp_path)
    assert not left.exists()


WRITER = """
import sys
from pathlib import Path
from simlab.runs.files import atomic_write
path, n = Path(sys.argv[1]), 0
print("up", flush=True)
while True:
    n += 1
    atomic_write(path, b"%d " % n * 50_000)
"""


def kill_writers(path: Path, kills: int) -> None:
    for i in range(kills):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.01 + 0.013 * (i % 7))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        if path.exists():
            words = path.read_bytes().split()
            assert len(words) == 50_000
            assert len(set(words)) == 1


def test_no_torn_file_is_seen_when_its_writer_is_killed(tmp_path):
    kill_writers(tmp_path / "file", 4)


@pytest.mark.long
def test_no_torn_file_is_seen_in_60_kills(tmp_path):
    kill_writers(tmp_path / "file", 60)


# --- Moving shards aside and back ---------------------------------------------


def test_shards_that_are_not_asked_for_move_aside_and_come_back(tmp_path):
    folder = Folder(tmp_path)
    for shard in cut(300, 100):
        committed(folder, shard)
    assert folder.set_aside({CELL: [Shard(0, 99)]}) == 2
    assert folder.stored_shards(CELL) == [Shard(0, 99)]
    assert folder.take_back(CELL, Shard(100, 199), rows=True)
    assert folder.stored_shards(CELL) == [Shard(0, 99), Shard(100, 199)]
    assert folder.take_back(CELL, Shard(300, 399), rows=True) is None
    assert folder.set_aside({}) == 2
    assert not (tmp_path / "cells" / CELL).exists()


def test_a_folder_is_moved_aside_whole(tmp_path):
    folder = Folder(tmp_path / "run")
    folder.write("manifest.json", b"{}")
    (tmp_path / "run.1").mkdir()
    assert folder.move_aside() == tmp_path / "run.2"
    assert (tmp_path / "run.2" / "manifest.json").exists()
    assert not (tmp_path / "run").exists()


# --- The lock -----------------------------------------------------------------

HOLDER = """
import sys, time
from simlab.runs.store import Folder
with Folder(sys.argv[1]).locked():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_refused_and_told_who_holds_the_folder(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match=f"process {holder.pid}"), Folder(tmp_path).locked():
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with Folder(tmp_path).locked():  # the holder's death lets go
        pass


def test_two_runs_in_one_process_do_not_share_a_folder(tmp_path):
    first, second = Folder(tmp_path).locked(), Folder(tmp_path).locked()
    with first, pytest.raises(InputError, match=f"process {os.getpid()}"), second:
        pass


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--out"), Folder(tmp_path / "file").locked():
        pass


@pytest.mark.parametrize("name", ["cells", "tmp", "running", "lock"])
def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="link"), Folder(tmp_path / "run").locked():
        pass


# --- Strangers' folders -------------------------------------------------------


def test_a_path_that_leaves_the_folder_is_refused(tmp_path):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "run").mkdir()
    folder = Folder(tmp_path / "run")
    for name in ("../secret", "cells/../../secret", str(tmp_path / "secret"), ""):
        with pytest.raises(InputError):
            folder.read(name)


def test_links_are_not_followed(tmp_path):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "x.json").write_text("{}")
    run = tmp_path / "run"
    run.mkdir()
    (run / "manifest.json").symlink_to(tmp_path / "secret")
    (run / "cells").symlink_to(tmp_path / "secrets")
    for name in ("manifest.json", "cells/x.json"):
        with pytest.raises(InputError, match="not followed"):
            Folder(run).read(name)
    with pytest.raises(InputError, match="link"):
        Folder(run).write("cells/y.json", b"{}")
    assert not (tmp_path / "secrets" / "y.json").exists()


def test_what_is_no_plain_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "manifest.json")
    (tmp_path / "cells.json").mkdir()
    for name in ("manifest.json", "cells.json"):
        with pytest.raises(InputError):
            Folder(tmp_path).read(name)
    with pytest.raises(Missing):
        Folder(tmp_path).read("faults.json")


def linked(folder: Path, name: str) -> Path:
    """A link in the folder that leads out of it; returns where it leads."""
    target = folder.parent / "elsewhere"
    target.mkdir(exist_ok=True)
    (target / "keep").write_text("mine")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to(target)
    return target


@pytest.mark.parametrize("name", ["spare", f"spare/{CELL}", "cells", f"cells/{CELL}", "tmp"])
def test_nothing_is_written_moved_or_removed_through_a_link(tmp_path, name):
    folder = Folder(tmp_path / "run")
    if not name.startswith("cells"):
        committed(folder, Shard(0, 99))
    if (folder.path / name).exists():
        (folder.path / name).rmdir()
    target = linked(folder.path, name)
    for do in (
        lambda: folder.set_aside({}),
        lambda: folder.take_back(CELL, Shard(0, 99), rows=True),
        lambda: committed(folder, Shard(100, 199)),
        lambda: folder.write_json("summary.json", {}),
    ):
        with contextlib.suppress(InputError):
            do()
    assert [path.name for path in target.iterdir()] == ["keep"]
    assert (target / "keep").read_text() == "mine"


@pytest.mark.parametrize("how", ["hard link", "link", "pipe"])
@pytest.mark.parametrize("name", ["lock", "run.log"])
def test_lock_and_log_are_files_of_the_folder_alone(tmp_path, name, how):
    folder = Folder(tmp_path / "run")
    folder.path.mkdir()
    mine = tmp_path / "mine"
    mine.write_text("mine")
    if how == "pipe":
        os.mkfifo(folder.path / name)
    elif how == "link":
        (folder.path / name).symlink_to(mine)
    else:
        os.link(mine, folder.path / name)
    if name == "lock":
        with pytest.raises(InputError, match="link"), folder.locked():
            pass
    folder.log("a line")
    assert mine.read_text() == "mine"


def test_more_shards_than_a_folder_takes_are_refused_at_once():
    with pytest.raises(InputError, match="shard_games"):
        cut(10**12, 1)
    assert len(cut(10**12, 10**6)) == 10**6


def test_sizes_are_bounded(tmp_path):
    with open(tmp_path / "manifest.json", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(InputError, match="bytes"):
        Folder(tmp_path).read("manifest.json")


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}', b'{"a": ' + b"9" * 5_000 + b"}", b"\x00"],
    ids=["empty", "cut", "bytes", "deep", "nan", "long", "null"],
)
def test_what_is_no_json_is_a_clear_mistake(tmp_path, text):
    (tmp_path / "cells.json").write_bytes(text)
    with pytest.raises(InputError, match=r"cells\.json"):
        Folder(tmp_path).read_json("cells.json")


@pytest.mark.parametrize(
    "change",
    [
        {"games": -1}, {"games": True}, {"first": "0"}, {"faults": 3}, {"faults": [1]}, {"tally": []},
        {"tally": {}}, {"tally": {"games": 3}}, {"last": 10**30}, {"games": 99},
    ],
    ids=str,
)  # fmt: skip
def test_a_sidecar_of_another_form_is_a_clear_mistake(change):
    body = {
        "cell": CELL,
        "first": 0,
        "last": 99,
        "games": 100,
        "faults": [],
        "rows": "",
        "tally": {"games": 100},
    }
    body |= change
    data = json.dumps(body | {"digest": store._digest(body)}).encode()
    with pytest.raises(InputError, match=r"where: .*is damaged"):
        Sidecar.from_bytes(data, "where")


def forged(folder: Folder, shard: Shard, frame: pl.DataFrame, **how) -> None:
    """A shard whose rows are another table; its counts and digest fit."""
    file = io.BytesIO()
    frame.write_parquet(file, **how)
    tally = played(0, 9).tally.to_dict() | {"games": shard.size}
    folder.commit_shard(CELL, shard, file.getvalue(), shard.size, (), tally)


def test_rows_that_would_fill_the_memory_are_refused_before_they_are_read(tmp_path, monkeypatch):
    """Few bytes on the disk, many unpacked: what the game and the number of games say is the bound."""
    folder = Folder(tmp_path)
    schema = store.row_schema(GAME)
    few = pl.DataFrame(
        {name: [None] * 100 if name != "bot_heads" else ["x" * 100_000] * 100 for name in schema}, schema=schema
    )
    forged(folder, Shard(0, 99), few, use_pyarrow=True, pyarrow_options={"use_dictionary": False})
    assert folder.shard_path(CELL, Shard(0, 99)).stat().st_size < 1_000_000
    monkeypatch.setattr(pl, "scan_parquet", lambda *a, **k: pytest.fail("is read"))
    with pytest.raises(InputError, match="bytes unpacked"):
        folder.scan_shard(CELL, Shard(0, 99), Names.of(GAME)).collect()
    many = pl.DataFrame({name: [None] for name in schema}, schema=schema).select(pl.all().repeat_by(2).explode())
    forged(folder, Shard(0, 0), many)
    with pytest.raises(InputError, match="2 rows"):
        folder.scan_shard(CELL, Shard(0, 0), Names.of(GAME)).collect()
    tally = played(0, 9).tally.to_dict() | {"games": 10**8}
    folder.commit_shard(CELL, Shard(0, 10**8 - 1), b"PAR1", 10**8, (), tally)
    with pytest.raises(InputError, match="at most"):
        folder.scan_shard(CELL, Shard(0, 10**8 - 1), Names.of(GAME)).collect()


def test_rows_with_other_columns_or_of_another_number_are_refused(tmp_path):
    folder, shard = Folder(tmp_path), Shard(0, 99)
    batch = played(0, 49)
    bots = {"heads": "still", "tails": "still"}
    short = rows_to_parquet(batch.rows, GAME, CELL, bots)
    folder.commit_shard(CELL, shard, short, 100, (), played().tally.to_dict())
    with pytest.raises(InputError, match="50 rows"):
        folder.scan_shard(CELL, shard, Names.of(GAME)).collect()
    file = io.BytesIO()
    pl.DataFrame({"game": list(range(100))}).write_parquet(file)
    for data in (file.getvalue(), b"PAR1 but nothing else PAR1"):
        folder.commit_shard(CELL, shard, data, 100, (), played().tally.to_dict())
        with pytest.raises(InputError, match="parquet"):
            folder.scan_shard(CELL, shard, Names.of(GAME)).collect()
