"""The compiled code is never stale (R1): edit a helper, a constant, or a card table, and a fresh process plays it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.bot_registry import find_bots
from simlab.compiler import compiling
from simlab.compiler.dependencies import MOST_BYTES, files_of
from simlab.engine.sources import source_files
from simlab.errors import InputError
from simlab.registry import load_game

GAME = {
    "__init__.py": '''
"""Coin: seat 0 scores a number of points made of a helper, a constant and a table."""
from pathlib import Path
import numpy as np
from simlab.game import Column, Decision, Game, Metric, TableSchema, Track
from . import rules
from .state import CARDS, STATE

def pack(tables):
    cards = np.zeros(1, CARDS)
    cards["worth"] = int(tables["coins"][0]["worth"])
    return cards

GAME = Game(
    slug="coin", title="Coin", summary="A coin.", folder=Path(__file__).parent, seats=("one",), endings=("end",),
    streams=("dice",), decisions=(Decision("C-D-01", "go"),), metrics=(Metric("points", "points"),),
    tracks=(Track("points", 0, 9),), state=STATE, cards=CARDS,
    tables=(TableSchema("coins", (Column("id"), Column("worth", "int", 0, 1000)), "id", (1, 1)),), pack_cards=pack,
    initial_state=rules.initial_state, legal_actions=rules.legal_actions, apply_action=rules.apply_action,
    determinize=rules.determinize, outcome=rules.outcome, track_values=rules.track_values,
    action_label=lambda state, knobs, cards, action: "go", describe=lambda state, knobs, cards, seat: {"x": "1"},
    max_decisions=10, max_turns=3,
)
''',
    "state.py": """
from pathlib import Path
import numpy as np
from simlab.game import rule_index, state_type
CARDS = np.dtype([("worth", np.int64)])
STATE = state_type([("points", np.int64)], seats=1, streams=("dice",), max_actions=2,
                   rules=len(rule_index(Path(__file__).with_name("ledger.toml"))))
""",
    "rules.py": """
from simlab.compiler import kernel
from simlab.engine.streams import offer
from .helper import bonus
from .numbers import BASE

@kernel
def initial_state(state, knobs, cards):
    state.turn = 1

@kernel
def legal_actions(state, knobs, cards):
    offer(state, 1)

@kernel
def apply_action(state, knobs, cards, action):
    state.points = BASE + bonus(state) + cards.worth
    state.over = True

@kernel
def determinize(state, knobs, cards, seat):
    pass

@kernel
def outcome(state, knobs, cards, row):
    row.winner = 0
    row.winners = 1
    row.turns = 1
    row.points = state.points

@kernel
def track_values(state, knobs, cards, values):
    values[0] = state.points
""",
    "helper.py": "from simlab.compiler import kernel\n\n@kernel\ndef bonus(state):\n    return 1\n",
    "numbers.py": "BASE = 10\n",
    "coins.csv": "id,worth,source\ncoin,100,rulebook\n",
    "ledger.toml": '[[rule]]\nid = "C-1"\ntext = "Go."\nwhere = "l.1"\nstatus = "exact"\n',
    "knobs.toml": "",
}

BOT = '''
from simlab.game import policy
from lucky import NUMBER

@policy("coin")
def mine(state, knobs, cards, traits):
    """Goes, or makes an illegal move."""
    return NUMBER
'''

PLAY = """
import sys
from simlab.engine.match import Match
from simlab.registry import load_game
print(int(Match(load_game(sys.argv[1]), bots={"one": sys.argv[2]}).play(1, 0, 1).rows["points"][0]))
"""


def play(folder: Path, bot: str = "random") -> tuple[str, str]:
    environment = dict(os.environ, SIMLAB_CACHE=str(folder / "cache"), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run(
        [sys.executable, "-c", PLAY, str(folder / "coin"), bot],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return run.stdout.strip(), run.stderr


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    (tmp_path / "coin").mkdir()
    for name, text in GAME.items():
        (tmp_path / "coin" / name).write_text(text.lstrip("\n"))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    """Edits a file and puts its old time stamp back: a cache that looks at the clock would miss it."""
    before = path.stat()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_edited_helper_constant_and_table_play_at_once(coin: Path) -> None:
    assert play(coin) == ("111", "")
    assert play(coin) == ("111", "")
    edit(coin / "coin" / "helper.py", "return 1", "return 2")
    assert play(coin) == ("112", "")
    edit(coin / "coin" / "numbers.py", "BASE = 10", "BASE = 50")
    assert play(coin) == ("152", "")
    edit(coin / "coin" / "coins.csv", "coin,100", "coin,300")
    assert play(coin) == ("352", "")


def test_an_edited_helper_of_a_bot_plays_at_once(coin: Path) -> None:
    (coin / "my_bot.py").write_text(BOT)
    (coin / "lucky.py").write_text("NUMBER = 1\n")
    assert play(coin, f"{coin}/my_bot.py:mine")[0] == "111"
    edit(coin / "lucky.py", "NUMBER = 1", "NUMBER = 0")
    assert "returned action 0, which is not legal" in play(coin, f"{coin}/my_bot.py:mine")[1]


KEYS = """
import sys
from simlab.engine.match import Match
from simlab.registry import load_game
match = Match(load_game(sys.argv[1]), bots={"one": sys.argv[2]})
print(match.rules_digest, match.key)
"""


def keys(folder: Path, bot: str = "random") -> list[str]:
    """The names under which compiled rules and played games are kept, as a fresh process finds them."""
    command = [sys.executable, "-c", KEYS, str(folder / "coin"), bot]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.split()


BOARDS = {
    "maps/board.txt": "(Path(__file__).with_name('maps') / 'board.txt').read_text()",
    "../board.json": "open(f'{Path(__file__).parents[1]}/board.json').read()",
}


@pytest.mark.parametrize("board", BOARDS)
def test_an_edited_file_of_any_kind_that_a_game_reads_is_seen(coin: Path, board: str) -> None:
    path = coin / "coin" / board
    path.parent.mkdir(exist_ok=True)
    path.write_text("20")
    (coin / "coin" / "numbers.py").write_text(f"from pathlib import Path\n\nBASE = int({BOARDS[board]})\n")
    before = keys(coin)
    edit(path, "20", "40")
    assert not set(keys(coin)) & set(before)


READS_WEIGHTS = """
from pathlib import Path
import numpy as np

NUMBER = int(np.loadtxt(Path(__file__).with_name("weights.csv")))
"""


def test_an_edited_file_that_a_bot_reads_plays_at_once(coin: Path) -> None:
    (coin / "weights.csv").write_text("1\n")
    (coin / "my_bot.py").write_text(BOT.replace("from lucky import NUMBER\n", READS_WEIGHTS))
    assert play(coin, f"{coin}/my_bot.py:mine")[0] == "111"
    edit(coin / "weights.csv", "1", "0")
    assert "returned action 0, which is not legal" in play(coin, f"{coin}/my_bot.py:mine")[1]


def test_an_edited_file_that_a_bots_helper_reads_is_seen(coin: Path) -> None:
    (coin / "weights.csv").write_text("1\n")
    (coin / "my_bot.py").write_text(BOT)
    (coin / "lucky.py").write_text(READS_WEIGHTS)
    (coin / "diary.txt").write_text("no bot reads this")
    before = keys(coin, f"{coin}/my_bot.py:mine")
    edit(coin / "diary.txt", "no bot", "nobody")
    assert keys(coin, f"{coin}/my_bot.py:mine") == before
    edit(coin / "weights.csv", "1", "0")
    after = keys(coin, f"{coin}/my_bot.py:mine")
    assert after[0] == before[0] and after[1] != before[1]


def test_what_a_run_leaves_in_the_games_folder_is_no_part_of_its_rules(tmp_path: Path) -> None:
    kept = ["rules.py", "notes.md", "maps/board.txt"]
    left_out = [
        ".hidden", ".git/config", "__pycache__/rules.pyc", "results/walls/manifest.json", "walls/manifest.json",
        "walls/cells/a.json", "fingerprint.json", "cache/rules.nbi",
    ]  # fmt: skip
    for name in kept + left_out:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "round").symlink_to(tmp_path)
    assert files_of(tmp_path) == tuple(sorted(tmp_path / name for name in kept))


def test_a_folder_too_large_to_be_read_as_a_whole_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "film.mp4").open("wb") as film:
        film.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match=r"may hold at most 5,000 files and 100 MB.*Move out"):
        files_of(tmp_path)


def test_editing_one_games_bots_leaves_the_kernels_of_the_others() -> None:
    load_game("simple_siege")
    for slug in ("simple_siege", "montsegur"):
        assert find_bots(load_game(slug))
    files = {path.name for path in source_files(("policies.simple_siege",))}
    assert "simple_siege.py" in files and "measures.py" not in files


def test_editing_one_bot_of_a_package_leaves_the_kernels_of_the_others() -> None:
    assert {"storm", "ring", "value"} <= set(find_bots(load_game("montsegur")))
    files = {path.name for path in source_files(("policies.montsegur.storm",))}
    assert {"storm.py", "measures.py", "crusaders.py"} <= files
    assert not files & {"ring.py", "value.py", "crest.py"}


EDIT_WHILE_RUNNING = """
import sys
from pathlib import Path
from simlab.engine.match import Match
from simlab.registry import load_game
game = load_game(sys.argv[1])
numbers = Path(sys.argv[1]) / "numbers.py"
numbers.write_text(numbers.read_text().replace("10", "50"))
print(int(Match(game, bots={"one": "random"}).play(1, 0, 1).rows["points"][0]))
"""


def test_code_loaded_before_an_edit_is_not_kept_as_the_edited_one(coin: Path) -> None:
    """A process that loaded the old rules and compiles must not leave them in the cache under the new file's name."""
    environment = dict(os.environ, SIMLAB_CACHE=str(coin / "cache"), PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-c", EDIT_WHILE_RUNNING, str(coin / "coin")]
    old = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (old.stdout.strip(), old.stderr) == ("111", "")
    assert play(coin) == ("151", "")


IMPORTED_BEFORE = """
import sys
sys.path.insert(0, sys.argv[2])
import lucky, simlab.compiler
from pathlib import Path
from simlab.engine.match import Match
from simlab.registry import load_game
game = load_game(sys.argv[1])
import coin_bots
Path(lucky.__file__).write_text("NUMBER = 0\\n")
Match(game, bots={"one": "random"})
from simlab.compiler.dependencies import digest_files
digest_files([Path(lucky.__file__)])
"""


def test_a_file_changed_behind_the_labs_back_is_refused(coin: Path) -> None:
    (coin / "lucky.py").write_text("NUMBER = 1\n")
    (coin / "coin_bots.py").write_text(BOT)
    command = [sys.executable, "-c", IMPORTED_BEFORE, str(coin / "coin"), str(coin)]
    run = subprocess.run(
        command, capture_output=True, text=True, env=dict(os.environ, SIMLAB_CACHE=str(coin / "cache")), check=False
    )
    assert "lucky.py was changed after this process had started. Start again" in run.stderr


COMPILED = """
import sys
from simlab.compiler import linker
from simlab.engine.match import Match
from simlab.registry import load_game
linker.LARGE = int(sys.argv[1])
for folder, bot in zip(sys.argv[2::2], sys.argv[3::2]):
    match = Match(load_game(folder), bots={"one": bot})
    names = []
    match.compile(lambda what, done, total: names.append(what))
    kernels = sorted({name for name in names if name.isidentifier() and name != "play_games"})
    print(int(match.play(1, 0, 1).rows["points"][0]), *kernels)
"""


def compiled(cache: Path, large: int, *folders_and_bots: object) -> list[str]:
    """Points, and the names of the functions that had to be compiled, game by game."""
    command = [sys.executable, "-c", COMPILED, str(large), *map(str, folders_and_bots)]
    environment = dict(os.environ, SIMLAB_CACHE=str(cache), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


CALLS_A_RULE = '''
from simlab.game import Trait, policy
from .helper import bonus

@policy("coin", traits={"care": Trait(1, 0, 9, "how careful")})
def mine(state, knobs, cards, traits):
    """Asks a rule of the game."""
    return bonus(state)
'''


@pytest.mark.skipif(not compiling(), reason="nothing is compiled")
def test_an_edit_compiles_what_it_touches(coin: Path) -> None:
    """With all kernels called by name: the other tests put them in place of their calls."""
    cache, game = coin / "cache", coin / "coin"
    rules = {"apply_action", "bonus", "initial_state", "legal_actions", "outcome", "track_values"}
    header = "def outcome(state, knobs, cards, row):\n"
    edit(game / "rules.py", header, f'{header}    "Ends."\n')
    first = compiled(cache, 1, game, "random")[0].split()
    assert first[0] == "111" and rules <= set(first)
    edit(game / "rules.py", '"Ends."', '"The end."  # of all')
    (game / "bots.py").write_text(CALLS_A_RULE)
    assert compiled(cache, 1, game, "mine") == ["111 mine"]
    edit(game / "bots.py", "Trait(1,", "Trait(2,")  # a trait reaches the compiled bot as an argument
    assert compiled(cache, 1, game, "mine") == ["111"]
    edit(game / "helper.py", "return 1", "return 2")
    touched = compiled(cache, 1, game, "random")[0].split()
    assert touched[0] == "112" and {"apply_action", "bonus"} <= set(touched)
    assert not set(touched) & (rules - {"apply_action", "bonus"})


@pytest.mark.skipif(not compiling(), reason="nothing is compiled")
def test_two_games_with_kernels_of_one_name_play_their_own_rules_in_one_process(coin: Path) -> None:
    shutil.copytree(coin / "coin", coin / "other" / "coin")
    edit(coin / "other" / "coin" / "numbers.py", "BASE = 10", "BASE = 50")
    one, other = (coin / "coin", "random"), (coin / "other" / "coin", "random")
    assert [line.split()[0] for line in compiled(coin / "cache", 1, *one, *other)] == ["111", "151"]
    assert compiled(coin / "cache", 1, *other, *one) == ["151", "111"]
