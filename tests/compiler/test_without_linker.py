"""Without Numba's private parts, plain Numba plays the same games, and its cache is not stale either."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import _DispatcherBase
from numba.core.registry import CPUDispatcher

from simlab import compiler
from simlab.compiler import kernels
from simlab.engine.match import Match
from simlab.registry import load_game
from tests.compiler.test_never_stale import GAME, edit

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="nothing is compiled")

PLAY = """
import hashlib, sys
from simlab.compiler import kernels
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game
assert kernels.linker() is None
game = load_game(sys.argv[1])
match, compiled = Match(game, bots=dict.fromkeys(game.seats, "random")), []
match.compile(lambda what, done, total: compiled.append(what))
rows = match.play(7, 0, 300).rows
stepper = Stepper(match, 7, 0)
while not stepper.over:
    stepper.apply(stepper.policy_action())
stepper.row()
assert stepper.rows[0].tobytes() == rows[0].tobytes()
print(hashlib.sha256(rows.tobytes()).hexdigest(), len(compiled))
"""


def play(cache: Path, game: str) -> tuple[str, int]:
    """(digest of the rows, entry points compiled) of a game, in a process without the linker."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY, game], capture_output=True, text=True, check=False,
        env={**os.environ, "SIMLAB_LINKER": "0", "SIMLAB_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    digest, compiled = done.stdout.split()
    return digest, int(compiled)


@pytest.mark.long
def test_plain_numba_plays_the_same_games_and_caches_them(tmp_path: Path) -> None:
    path = str(Path(__file__).parents[1] / "author" / "kernels" / "kuhn_poker")
    game = load_game(path)
    rows = Match(game, bots=dict.fromkeys(game.seats, "random")).play(7, 0, 300).rows
    digest, compiled = play(tmp_path, path)
    assert digest == hashlib.sha256(rows.tobytes()).hexdigest() and compiled
    assert play(tmp_path, path) == (digest, 0)


@pytest.mark.long
def test_an_edit_of_a_helper_compiles_the_play_loop_again_and_not_the_bot(tmp_path: Path) -> None:
    game = tmp_path / "coin"
    game.mkdir()
    for name, text in GAME.items():
        (game / name).write_text(text.lstrip("\n"))
    before, compiled = play(tmp_path / "cache", str(game))
    edit(game / "helper.py", "return 1", "return 2")
    after, again = play(tmp_path / "cache", str(game))
    assert before != after and (compiled, again) == (2, 1)


@pytest.mark.parametrize("change", ["missing", "other arguments"])
def test_another_numba_is_noticed_before_the_linker_is_used(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernels.linker()
    if change == "missing":
        monkeypatch.delattr(_DispatcherBase, "_compile_for_args")
    else:
        monkeypatch.setattr(CPUDispatcher, "get_compile_result", lambda self, sig, more: None)
    kernels.linker.cache_clear()
    with pytest.warns(UserWarning, match="does not fit simlab's linker"):
        assert kernels.linker() is None
    monkeypatch.undo()
    kernels.linker.cache_clear()
    assert kernels.linker()
