"""How long an edit takes until its answer is there: `simlab dev bench --part edit`.

All is measured in a copy, with a cache of its own that starts empty, each line in a fresh process: the game as shipped,
then with a new bot, with one of the lab's bots, with a bot that looks ahead, and with one rule edited. An edited rule
gets a line that does nothing, so all answers must be the same; that is checked.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simlab.errors import RunFailed
from simlab.game import Game
from simlab.registry import game_package
from simlab.spec.refs import GameRef

Say = Callable[[str], None]

GAMES, SEARCHED_GAMES = 1_000, 10  #: played for each answer, and by the bot that looks ahead

_ASK = """
import hashlib, json, sys
from simlab.engine.match import Match
from simlab.registry import load_game
game, knobs, bots, games = json.loads(sys.argv[1])
match = Match(load_game(game), knobs=knobs, bots=bots)
compiled = []
match.compile(lambda name, done, total: compiled.append(name))
print(len(compiled), hashlib.sha256(match.play(1, 0, games).rows.tobytes()).hexdigest())
"""

_IMPORT = """
import simlab.engine.match, simlab.registry, sys
simlab.registry.load_game(sys.argv[1])
"""  # so that Python's own compiled files lie there before anything is measured

_SIMPLE = '''
from simlab.engine.streams import bot_below
from simlab.game import policy

@policy("{slug}")
def newcomer(state, knobs, cards, traits):
    """Plays at random, first drawing a number for luck."""
    bot_below(state, 2)
    return state.legal[bot_below(state, state.n_legal)]
'''

_SEARCHING = '''
import numpy as np
from simlab.compiler import kernel
from simlab.engine.streams import bot_below, branch
from simlab.game import policy
from simlab.registry import load_game

GAME = load_game("{game}")
STATE, ROW = (np.dtype((np.record, kind)) for kind in (GAME.state, GAME.row_type))
apply_action, legal_actions = GAME.apply_action, GAME.legal_actions
determinize, outcome = GAME.determinize, GAME.outcome

@kernel
def wins(state, knobs, cards, action, luck):
    """Whether the seat to act wins a future that begins with the action and goes on at random."""
    scratch, row = np.zeros(1, STATE), np.zeros(1, ROW)
    scratch[0] = state
    future = scratch[0]
    branch(future, state.seat, luck)
    determinize(future, knobs, cards, state.seat)
    apply_action(future, knobs, cards, action)
    while not future.over:
        future.n_legal = 0
        legal_actions(future, knobs, cards)
        apply_action(future, knobs, cards, future.legal[bot_below(future, future.n_legal)])
    outcome(future, knobs, cards, row[0])
    return np.int64(row[0].winners >> state.seat) & 1

@policy("{slug}")
def ponderer(state, knobs, cards, traits):
    """Takes the first action that wins a future played at random."""
    luck = bot_below(state, 1_000_000)
    for i in range(state.n_legal):
        if wins(state, knobs, cards, state.legal[i], luck):
            return state.legal[i]
    return state.legal[0]
'''


@dataclass(frozen=True)
class Rule:
    """A rule function that an edit can be tried on. callers: how many functions call it, by way of others too."""

    name: str
    file: Path
    line: int
    callers: int


def rules_to_edit(game: Game) -> list[Rule]:
    """The compiled functions of a game's folder of more than one line, the least called first."""
    from simlab.compiler.digest import Digests, NoDigest

    digests = Digests()
    waiting = [game.initial_state, game.legal_actions, game.apply_action, game.outcome, game.track_values]
    functions: dict[int, Any] = {}
    callers: dict[int, set[int]] = {}
    while waiting:
        function = waiting.pop()
        if id(function) in functions:
            continue
        try:
            digests.of(function)
        except NoDigest:
            continue
        functions[id(function)] = function
        for called in digests.calls(function):
            callers.setdefault(id(called), set()).add(id(function))
            waiting.append(called)
    rules = []
    for number, function in functions.items():
        code = getattr(function, "py_func", function).__code__
        file = Path(code.co_filename)
        if file.is_relative_to(game.folder) and _first_statement(file, code.co_firstlineno):
            rules.append(Rule(code.co_name, file, code.co_firstlineno, len(_reached(number, callers) - {number})))
    return sorted(rules, key=lambda rule: (rule.callers, rule.name))


def _reached(start: int, steps: Mapping[int, set[int]]) -> set[int]:
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        new = steps.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def _first_statement(file: Path, line: int) -> tuple[int, int] | None:
    """(line, column) of the first statement of the function that begins at a line; None if it is all one line."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.FunctionDef):
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if begins == line:
                worded = ast.get_docstring(node, clean=False) is not None
                statement = node.body[1 if worded and len(node.body) > 1 else 0]
                return (statement.lineno, statement.col_offset) if statement.lineno > node.lineno else None
    return None


def edit(file: Path, line: int) -> None:
    """Puts a line that does nothing into the function that begins at a line."""
    place = _first_statement(file, line)
    if place is None:
        raise RunFailed(f"{file}:{line}: no function to edit")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    lines.insert(place[0] - 1, " " * place[1] + "edited = 1\n")
    file.write_text("".join(lines), encoding="utf-8")


class _Copy:
    """The lab, or a game's own folder, copied, with an empty cache.

    Attributes:
        game: what a user writes for the copied game.
    """

    def __init__(self, game: Game, text: str, folder: Path) -> None:
        leave = shutil.ignore_patterns("__pycache__", "results", ".*")
        self.folder, paths = folder, [os.path.abspath(part or ".") for part in sys.path]
        self._from = game.folder
        if game_package(game).startswith("simlab_game_"):
            self._to = folder / game.folder.name
            shutil.copytree(game.folder, self._to, ignore=leave)
            self.game = str(GameRef(str(self._to), GameRef.parse(text).players))
        else:
            lab = Path(__file__).parent
            shutil.copytree(lab, folder / "simlab", ignore=leave)
            bots = lab.parent / "policies"
            if bots.is_dir():
                shutil.copytree(bots, folder / "policies", ignore=leave)
            self.game, self._to = text, folder / "simlab" / game.folder.relative_to(lab)
            paths.insert(0, str(folder))
        self._environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(paths), "SIMLAB_CACHE": str(folder / "cache"),
        }  # fmt: skip

    def place(self, file: Path) -> Path:
        return self._to / file.relative_to(self._from)

    def run(self, *words: str) -> tuple[dict[str, float], str]:
        """Runs Python; what it took, and what it printed."""
        before, began = os.times(), time.perf_counter()
        command = [sys.executable, *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=self._environment, cwd=self.folder
        )
        wall, after = time.perf_counter() - began, os.times()
        if done.returncode != 0:
            raise RunFailed(f"the lab does not start in a new process:\n{done.stderr[-2000:]}")
        user, system = after.children_user - before.children_user, after.children_system - before.children_system
        return {"seconds": wall, "processor_seconds": user + system}, done.stdout

    def ask(self, knobs: Mapping[str, object], bots: Mapping[str, str], games: int) -> tuple[dict[str, Any], str]:
        """Plays games in a fresh process; what it took, and a digest of the rows."""
        figures, text = self.run("-c", _ASK, json.dumps([self.game, dict(knobs), dict(bots), games]))
        compiled, digest = text.split()
        return {**figures, "compiled": int(compiled), "games": games}, digest


def measure(
    game: Game, text: str, knobs: Mapping[str, object], pairs: Sequence[Mapping[str, str]], folder: Path, say: Say
) -> list[dict[str, Any]]:
    """What each edit costs until its answer is there.

    Args:
        text: what a user writes for the game.
        pairs: seat -> bot; the last pair is the one of the lab's own bots that is measured.
        folder: an empty one.
    Returns:
        a line each: `edit`, `seconds` and `processor_seconds` of the whole process, functions `compiled`, `games`.
    Raises:
        RunFailed: an edit that does nothing changes the games.
    """
    copy = _Copy(game, text, folder)
    random = dict.fromkeys(game.seats, "random")
    copy.run(
        "-c", "import simlab.engine.match, simlab.registry, sys; simlab.registry.load_game(sys.argv[1])", copy.game
    )
    for name, code in (("newcomer", _SIMPLE), ("ponderer", _SEARCHING)):
        (folder / f"{name}.py").write_text(code.format(slug=game.slug, game=copy.game), encoding="utf-8")
    first = game.seats[0]
    lines = []

    def line(what: str, bots: Mapping[str, str], games: int = GAMES) -> str:
        say(f"from an edit to its answer: {what}")
        figures, digest = copy.ask(knobs, bots, games)
        lines.append({"edit": what, **figures})
        return digest

    answer = line("nothing compiled yet", random)
    line("a new simple bot", {**random, first: f"{folder / 'newcomer.py'}:newcomer"})
    line("a new bot that looks ahead", {**random, first: f"{folder / 'ponderer.py'}:ponderer"}, SEARCHED_GAMES)
    if pairs and dict(pairs[-1]) != random:
        line(f"bots not yet used: {', '.join(dict.fromkeys(pairs[-1].values()))}", pairs[-1])
    for rule in _of_interest(rules_to_edit(game)):
        file = copy.place(rule.file)
        before = file.read_bytes()
        edit(file, rule.line)
        answered = line(f"rule {rule.name}, called by {rule.callers} others", random)
        file.write_bytes(before)
        if answered != answer:
            raise RunFailed(f"a line in {rule.name} that does nothing changes the games of {game.slug}.")
    line("nothing edited", random)
    return lines


def _of_interest(rules: Sequence[Rule]) -> Iterator[Rule]:
    """One that as many rules are called more often as less often, and the one that is called most."""
    if rules:
        yield rules[len(rules) // 2]
    if len(rules) > 1:
        yield rules[-1]
