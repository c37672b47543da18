"""Times how long it takes from an edit to the answer.

Everything is measured in a copy with its own empty cache, and each line in a new process: the game as shipped, with a
new bot, with one of the lab's bots, and with an edited rule. The edit inserts a line that does nothing, so all answers
must be the same, which is checked.
"""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from simlab.errors import RunFailed
from simlab.game import Game
from simlab.questions.speed.timing import Bench, Line, against_first, played_anew, python_path
from simlab.registry import game_package
from simlab.spec.refs import GameRef

GAMES = 1_000  #: played for each answer

_NEWCOMER = '''
from simlab.engine.streams import bot_below
from simlab.game import policy

@policy("{slug}")
def newcomer(state, knobs, cards, traits):
    """Plays at random, after one random draw."""
    bot_below(state, 2)
    return state.legal[bot_below(state, state.n_legal)]
'''


class Rule(NamedTuple):
    """A rule function that can be edited for the measurement.

    Attributes:
        line: line of its last statement. calls: places in the game's code that name it.
    """

    name: str
    file: Path
    line: int
    calls: int

    def edit(self, file: Path) -> None:
        """Inserts a line that does nothing, in this copy of the file."""
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        last = lines[self.line - 1]
        lines.insert(self.line - 1, f"{last[: len(last) - len(last.lstrip())]}edited = 1\n")
        file.write_text("".join(lines), encoding="utf-8")


def rules_to_edit(game: Game) -> list[Rule]:
    """Functions of a game's folder with a state argument that its code refers to elsewhere, the least used first."""
    trees = {file: ast.parse(file.read_bytes()) for file in sorted(game.folder.glob("*.py"))}
    named = Counter(node.id for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Name))
    rules = [
        Rule(node.name, file, node.body[-1].lineno, named[node.name])
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and named[node.name] and node.body[-1].lineno > node.lineno
        and [one.arg for one in node.args.args[:1]] == ["state"]
    ]  # fmt: skip
    return sorted(rules, key=lambda rule: (rule.calls, rule.name))


def _copied(game: Game, text: str, folder: Path) -> tuple[str, Path, list[str]]:
    """Copies the lab, or a game's own folder: (the game as a user names the copy, its folder, folders of modules)."""
    leave = shutil.ignore_patterns("__pycache__", "results", ".*")
    if game_package(game).startswith("simlab_game_"):
        own = folder / game.folder.name
        shutil.copytree(game.folder, own, ignore=leave)
        return str(GameRef(str(own), GameRef.parse(text).players)), own, []
    lab = Path(__file__).parents[2]
    for part in (lab, lab.parent / "policies"):
        if part.is_dir():
            shutil.copytree(part, folder / part.name, ignore=leave)
    return text, folder / "simlab" / game.folder.relative_to(lab), [str(folder)]


def measure(bench: Bench) -> Iterator[Line]:
    """Time from each edit to its answer.

    Raises:
        RunFailed: an edit that does nothing changes the games.
    """
    return against_first(_answers(bench), "nothing compiled yet")


def _answers(bench: Bench) -> Iterator[tuple[str, float]]:
    game, folder = bench.game, bench.folder / "copy"
    folder.mkdir()
    text, own, modules = _copied(game, bench.text, folder)
    settings = {"PYTHONPATH": python_path(modules), "SIMLAB_CACHE": str(folder / "cache")}
    random = dict.fromkeys(game.seats, "random")
    (folder / "newcomer.py").write_text(_NEWCOMER.format(slug=game.slug), encoding="utf-8")
    newcomer = {**random, game.seats[0]: f"{folder / 'newcomer.py'}:newcomer"}
    edits: list[tuple[str, Mapping[str, str], Rule | None]] = [
        ("nothing compiled yet", random, None), ("a new simple bot", newcomer, None),
    ]  # fmt: skip
    if bench.pairs[-1] != random:
        names = ", ".join(dict.fromkeys(bench.pairs[-1].values()))
        edits.append((f"bots not yet used: {names}", bench.pairs[-1], None))
    rules = rules_to_edit(game)
    chosen = [*rules[:1], *rules[-1:]][: len(rules)]  # the least and the most called
    edits += [(f"rule {rule.name}, called in {rule.calls} places", random, rule) for rule in chosen]
    answer = ""
    for what, bots, rule in [*edits, ("nothing edited", random, None)]:
        bench.say(f"from an edit to its answer: {what}")
        if rule:
            file = own / rule.file.relative_to(game.folder)
            before = file.read_bytes()
            rule.edit(file)
        wall, compiled, digest = played_anew(text, bench.knobs, bots, GAMES, True, folder, **settings)
        if rule:
            file.write_bytes(before)
        answer = answer or digest
        if bots is random and digest != answer:
            raise RunFailed(f"a line that does nothing changes the games of {game.slug}: {what}.")
        yield f"{what}; functions compiled: {compiled}", wall
