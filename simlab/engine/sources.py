"""The source files that decide how games are played: compiled code and results are identified by their digest."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from simlab.compiler.dependencies import files_of, follow_imports

_ENGINE = Path(__file__).parent
_COUNTS, _LAB, _SPEC = _ENGINE / "counts", _ENGINE.parent, _ENGINE.parent / "spec"


@lru_cache(maxsize=1024)
def source_files(modules: tuple[str, ...], folders: tuple[Path, ...] = ()) -> tuple[Path, ...]:
    """Every file that the modules' compiled code can depend on, sorted.

    Args:
        modules: imported modules; see `follow_imports`.
        folders: folders of games, of which all files count (see `files_of`), and single files.
    """
    names = ("streams", "restricted_play", "loop", "entry_points", "setup", "match")
    found = follow_imports(modules, (_ENGINE, _COUNTS, _LAB, _SPEC))
    found |= {*(_ENGINE / f"{name}.py" for name in names), *_COUNTS.glob("*.py"), *_SPEC.glob("*.py")}
    return tuple(sorted(found.union(*(files_of(path) if path.is_dir() else (path,) for path in folders))))
