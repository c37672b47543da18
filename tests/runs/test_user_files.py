"""The files of a designer's folder: versions side by side, names of Python's modules, edits while a notebook runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import simlab
from simlab.bot_registry import forget_changes
from simlab.compiler.parallel import search_path
from simlab.engine.sources import source_files
from simlab.errors import InputError
from simlab.game import Game
from simlab.registry import load_game
from simlab.runs.open_experiment import load_experiment

THROW = '''
"""A die has to reach a number from a file beside this one."""
from simlab.author import NONE, Game, choice
from numbers_of import NEED

class Throw(Game):
    """One die."""
    players = 1
    throw = choice("throw")
    def play(self):
        """T-1: a die has to reach NEED."""
        self.ask(self.throw)
        if self.roll(6) >= NEED + 0:
            self.end("hit", 0)
        self.end("miss", NONE)
'''
COIN = '''
from simlab.author import Game, choice

class Coin(Game):
    """One toss."""
    players = 2
    toss = choice("toss")
    def play(self):
        """C-1: a fair coin."""
        self.ask(self.toss)
        self.end("tossed", self.below(2))
'''


def throw_in(folder: Path, need: int, text: str = THROW, helper: str = "numbers_of") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{helper}.py").write_text(f"NEED = {need}\n")
    file = folder / "race.py"
    file.write_text(text.replace("numbers_of", helper))
    return file


def hits(game: Game, games: int = 600) -> int:
    """How often the throw is a hit, in plain Python."""
    owner = game.owner  # type: ignore[attr-defined]
    return sum(len(owner(seed=3, game=number).play_with().winners()) for number in range(games))


def test_two_versions_of_a_game_each_have_their_own_helper(tmp_path):
    first, second = (load_game(str(throw_in(tmp_path / name, need))) for name, need in (("v1", 2), ("v2", 5)))
    # 5/6 and 2/6 of 600 games; five standard deviations are 46 and 58 games
    assert abs(hits(first) - 500) < 46
    assert abs(hits(second) - 200) < 58
    # Stored results and compiled code are identified by the version's own helper.
    for game, own, other in ((first, "v1", "v2"), (second, "v2", "v1")):
        files = source_files((game.owner.__module__,))
        assert tmp_path / own / "numbers_of.py" in files
        assert tmp_path / other / "numbers_of.py" not in files


@pytest.mark.parametrize("helper", ["numbers", "random", "copy", "types", "statistics"])
def test_a_helper_may_have_the_name_of_a_module_of_python(tmp_path, helper):
    before = sys.modules.get(helper)
    assert abs(hits(load_game(str(throw_in(tmp_path, 5, helper=helper)))) - 200) < 58
    assert sys.modules.get(helper) is before  # everybody else still has Python's own
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize("name", ["cards", "copy", "numbers", "random", "token", "types", "class", "2-player", "Münze"])
def test_a_game_may_have_any_file_name(tmp_path, name):
    file = tmp_path / f"{name}.py"
    file.write_text(COIN)
    owner = load_game(str(file)).owner
    assert {owner(seed=1, game=game).play_with().winners() for game in range(20)} == {(0,), (1,)}


def test_a_file_that_hides_a_module_of_python_is_named(tmp_path):
    (tmp_path / "statistics.py").write_text("AVERAGES = ()\n")
    file = tmp_path / "coin.py"
    file.write_text("from statistics import mean\n" + COIN)
    with pytest.raises(InputError, match=r"coin\.py, line 1.*statistics\.py was imported, not Python's own.*rename"):
        load_game(str(file))


def test_a_file_that_imports_its_own_name_means_the_module_of_python(tmp_path):
    file = tmp_path / "random.py"
    file.write_text("import random\nFIRST = random.Random(1).randrange(6)\n" + COIN)
    owner = load_game(str(file)).owner
    assert sys.modules[owner.__module__].FIRST == 1


def test_a_package_beside_the_game_finds_its_neighbours_too(tmp_path):
    package = tmp_path / "tables"
    package.mkdir()
    (package / "__init__.py").write_text("from tables.dice import NEED\n")
    (package / "dice.py").write_text("from shared import NEED\n")
    (tmp_path / "shared.py").write_text("NEED = 5\n")
    file = tmp_path / "race.py"
    file.write_text(THROW.replace("numbers_of", "tables"))
    game = load_game(str(file))
    assert abs(hits(game) - 200) < 58
    assert {package / "dice.py", tmp_path / "shared.py"} <= {*source_files((game.owner.__module__,))}


MODULES = ("random", "types", "copy", "numbers", "logging", "json", "string", "threading", "numexpr", "bottleneck")
WORKERS = """
import os, sys
from joblib.externals.loky import get_reusable_executor
from simlab.engine.signals import children_ignore_ctrl_c
from simlab.runs.worker_pool import _away_from_current_folder
os.chdir(sys.argv[1])
sys.path.insert(0, "")  # as in a notebook
with _away_from_current_folder(), children_ignore_ctrl_c():
    workers = get_reusable_executor(1)
    print(workers.submit(eval, "(__import__('numpy'), __import__('sys').path)").result()[1])
    workers.shutdown()
print(os.environ.get("PYTHONSAFEPATH"))
"""


def test_processes_do_not_look_for_modules_in_the_current_folder(tmp_path, monkeypatch):
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, "-c", WORKERS, str(tmp_path)], capture_output=True, text=True, env=environment, check=True
    )
    path, after = done.stdout.splitlines()
    assert not (tmp_path / "ran").exists()
    assert str(tmp_path) not in path
    assert after == "None"  # this process keeps its own environment
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert not {"", str(tmp_path)} & {*search_path()}
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # who names the folder gets it, after Python's own
    assert search_path()[-1] == str(tmp_path)


def test_edits_count_while_a_notebook_runs(tmp_path):
    text = THROW.replace("NEED + 0", "NEED + self.deck.plus[0]").replace("NONE, Game", "NONE, Deck, Game")
    text = text.replace("players = 1", 'players = 1\n    deck = Deck("cards.csv")')
    file = throw_in(tmp_path, 4, text)
    table = tmp_path / "cards.csv"
    table.write_text("name,plus\na,0\nb,0\n")

    def now() -> int:
        forget_changes()
        return hits(load_game(str(file)))

    assert abs(now() - 300) < 62
    same = load_game(str(file))
    forget_changes()
    assert load_game(str(file)) is same
    # Each edit leaves the size of the file as it was, within the same second.
    (tmp_path / "numbers_of.py").write_text("NEED = 2\n")
    assert abs(now() - 500) < 46
    table.write_text("name,plus\na,3\nb,3\n")
    assert abs(now() - 200) < 58
    file.write_text(file.read_text().replace("self.roll(6)", "self.roll(4)"))
    assert now() == 0


def test_a_class_in_a_cell_is_to_be_saved_as_a_file():
    cell = {"__name__": "a_cell"}
    exec(compile(COIN, "<cell>", "exec"), cell)
    for use in (lambda: cell["Coin"](seed=1), lambda: simlab.run(cell["Coin"]), lambda: simlab.replay(cell["Coin"])):
        with pytest.raises(InputError, match=r"Save it as coin\.py \(in a notebook, begin its cell with %%writefile"):
            use()
    with pytest.raises(InputError, match="Save it as a file"):
        exec(compile("from simlab.author import bot\n@bot(Coin)\ndef tosser(game):\n  'T.'\n", "<c>", "exec"), cell)


def test_a_game_given_for_an_experiment_says_what_to_write(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(COIN)
    for name in (str(file), "pig"):
        with pytest.raises(
            InputError, match=r"is a game, not an experiment file.*write a file mine\.toml with \[exper"
        ):
            load_experiment(name)
