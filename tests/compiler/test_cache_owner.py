"""Compiled code is unpickled, so nothing is read from the cache that another user wrote or may write to."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from simlab.compiler import cache
from simlab.errors import InputError

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
KEY = "ab" * 16


class Planted:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.mark,))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "cache"
    monkeypatch.setenv("SIMLAB_CACHE", str(root))
    cache._CHECKED.discard(root)
    return root


def test_folders_and_files_of_the_cache_are_their_owners_alone(root: Path) -> None:
    old = os.umask(0)
    try:
        assert cache.store(KEY, [1])
    finally:
        os.umask(old)
    assert cache.load(KEY) == [1]
    modes = {path.stat().st_mode & 0o777 for path in (root, *root.rglob("*"))}
    assert modes == {0o700, 0o600}


def test_a_file_that_others_may_write_to_is_not_loaded(root: Path, tmp_path: Path) -> None:
    assert cache.store(KEY, Planted(tmp_path / "ran"))
    (file,) = root.rglob("*.code")
    file.chmod(0o666)
    assert cache.load(KEY) is None and not (tmp_path / "ran").exists()
    file.chmod(0o600)
    cache.load(KEY)
    assert (tmp_path / "ran").exists(), "what is the user's own is loaded"


def test_a_file_of_another_user_is_not_loaded(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.store(KEY, Planted(tmp_path / "ran"))
    if os.geteuid() == 0:
        (file,) = root.rglob("*.code")
        os.chown(file, 12345, 12345)
    else:  # only root can give a file away
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        cache._CHECKED.add(root)
    assert cache.load(KEY) is None and not (tmp_path / "ran").exists()


def test_a_cache_folder_of_another_user_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root.mkdir()
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    with pytest.raises(InputError, match=r"belongs to another user.*Set SIMLAB_CACHE to a folder of your own"):
        cache.load(KEY)


def test_a_cache_folder_that_others_may_write_to_is_closed(root: Path) -> None:
    root.mkdir()
    root.chmod(0o777)
    assert cache.store(KEY, pickle.dumps(1))
    assert root.stat().st_mode & 0o777 == 0o700
