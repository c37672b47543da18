"""Installed elsewhere the lab has all that it brings; packages bring games and bots; no system is taken for granted."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def installed(what: Path, folder: Path) -> Path:
    """Puts a wheel or a package's source into a folder of its own, without what it requires."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
         "--disable-pip-version-check", "--target", str(folder), str(what)],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


def python(*words: str, path: list[Path], cwd: Path) -> str:
    """What Python prints in a folder of its own, with these folders of packages before all others."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def simlab(words: str, *, path: list[Path], cwd: Path) -> str:
    return python("-m", "simlab", *words.split(), path=path, cwd=cwd)


@pytest.mark.long
def test_the_wheel_lists_explains_and_plays_all_that_it_brings(tmp_path: Path) -> None:
    """Installed elsewhere, with nothing of the checkout on its path."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    site = installed(next(tmp_path.glob("*.whl")), tmp_path / "site")
    found = json.loads(python("-c", LOOK, path=[site], cwd=tmp_path))
    assert found["file"].startswith(str(site))
    games = [
        folder.name
        for folder in (ROOT / "simlab" / "games").iterdir()
        if (folder / "ledger.toml").exists() or (folder / "game.py").exists()
    ]
    assert sorted(found["games"]) == sorted(games)
    assert {path.stem for path in (ROOT / "experiments").glob("*.toml")} <= set(found["experiments"])
    assert len(found["bots"]) > 10 and all(found["bots"])
    assert found["played"] == 2


LOOK = """
import json, simlab
from simlab.engine.match import Match
from simlab.spec.draft import ready_experiments
from simlab.registry import find_games, load_game
from simlab.bot_registry import find_bots
siege = load_game("simple_siege")
rows = Match(siege, bots=dict.fromkeys(siege.seats, "random")).play(1, 0, 2).rows
print(json.dumps({
    "file": simlab.__file__, "games": list(find_games()), "experiments": list(ready_experiments()),
    "bots": [policy.help for policy in find_bots(siege).values()], "played": len(rows),
}))
"""


PACKAGE = {
    "pyproject.toml": """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "cellar-of-games"
version = "1"
[project.entry-points."simlab.games"]
cellar = "cellar_of_games.nought"
[project.entry-points."simlab.bots"]
cellar = "cellar_of_games.bots"
[project.entry-points."simlab.metrics"]
passes = "cellar_of_games.measures:passes_taken"
[tool.hatch.build.targets.wheel]
packages = ["cellar_of_games"]
""",
    "cellar_of_games/__init__.py": "",
    "cellar_of_games/measures.py": """
import simlab


@simlab.metric("times that somebody passed", by_seat=True)
class passes_taken:
    count = 0

    def on_decision(self, state, knobs, cards, action, seat):
        self.count += state.seat == seat and action == 0

    def at_end(self, state, knobs, cards, row, seat):
        return self.count
""",
    "cellar_of_games/bots.py": '''
"""A bot for any game, and one for Simple Siege."""
from simlab.game import policy


@policy()
def first_offer(state, knobs, cards, traits):
    """Takes the first legal action."""
    return state.legal[0]


@policy("simple_siege", seats=["besieged"], name="mason")
def usurper(state, knobs, cards, traits):
    """Has the name of one of the game's own bots, which goes first."""
    return state.legal[0]
''',
}


@pytest.mark.long
def test_a_package_installed_with_pip_brings_games_bots_and_metrics(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name, text in PACKAGE.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "search" / "tic_tac_toe", source / "cellar_of_games" / "nought")
    path = [installed(source, tmp_path / "site"), ROOT]
    games = {
        game["game"]: game["source"] for game in json.loads(simlab("games --json", path=path, cwd=tmp_path))["games"]
    }
    assert games["cellar"] == "cellar-of-games" and games["simple_siege"] == "simlab"
    played = simlab("replay cellar --bot *=first_offer --game 1 --brief", path=path, cwd=tmp_path)
    assert "column" in played.lower()
    listed = json.loads(simlab("info simple_siege bots --json", path=path, cwd=tmp_path))["bots"]
    bots = {bot["bot"]: bot["help"] for bot in listed}
    assert bots["first_offer"] == "Takes the first legal action."
    assert "which goes first" not in bots["mason"]
    metrics = json.loads(simlab("info metrics --json", path=path, cwd=tmp_path))["metrics"]
    assert [(one["metric"], one["source"], one["by_seat"]) for one in metrics] == [("passes", "cellar-of-games", True)]
    swept = json.loads(simlab("sweep cellar --metric passes -n 9 --quiet --json", path=path, cwd=tmp_path))
    assert {"passes_cross", "passes_nought"} <= set(swept["cells"][0]["metrics"])


#: Modules and names that Python has on some systems only.
UNIX_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"}
UNIX_NAMES = {
    "os": {
        "pwrite", "pread", "fork", "getuid", "geteuid", "killpg", "uname", "sysconf", "statvfs", "mkfifo", "wait4",
        "sched_getaffinity", "fchmod", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY",
    },
    "signal": {"SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "alarm", "setitimer", "pthread_sigmask"},
}  # fmt: skip
UNIX = re.compile(rf"\b({'|'.join(sorted(UNIX_MODULES.union(*UNIX_NAMES.values())))})\b")


def test_nothing_that_only_some_systems_have_is_used_unasked() -> None:
    """A name that some systems lack may stand only in a module that asks first whether it is there."""
    wrong = []
    for path in [*(ROOT / "simlab").rglob("*.py"), *(ROOT / "policies").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if not UNIX.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            wrong += [f"{path.name}: {name}" for name in modules if name in UNIX_MODULES]
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                asked = f'hasattr({node.value.id}, "{node.attr}")' in text
                if node.attr in UNIX_NAMES.get(node.value.id, ()) and not asked:
                    wrong.append(f"{path.name}: {node.value.id}.{node.attr}")
    assert wrong == []
