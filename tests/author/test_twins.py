"""Classes are as short as plain Python: their lines beside those of twins without the lab, which have the same chances.

A line counts if it has code on it: not for comments, docstrings and texts of rules, nor for bots.
"""

from __future__ import annotations

import ast
import tokenize
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import simlab
from simlab.engine.match import Match
from simlab.registry import load_game

GAMES = Path(simlab.__file__).parent / "games"
_BLANK = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(file: Path) -> int:
    """Lines of a game, with its imports and constants, but without its bots and their helpers."""
    tree = ast.parse(file.read_text())
    bots = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.args.args and n.args.args[0].arg == "game"]
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
    without = {
        line
        for node in [*bots, *(d for n in bots for d in n.decorator_list), *texts]
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    with file.open("rb") as source:
        tokens = [token for token in tokenize.tokenize(source.readline) if token.type not in _BLANK]
    return len({line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - without)


@pytest.mark.parametrize("slug", ["pig", "kuhn_poker", "connect_four", "harbour"])
def test_a_class_is_at_most_1_3_times_as_long_as_its_twin(slug: str) -> None:
    game, twin = lines_of_code(GAMES / slug / "game.py"), lines_of_code(Path(__file__).with_name(f"{slug}_twin.py"))
    assert 30 < twin < game <= 1.3 * twin, (game, twin)


PAIRS: dict[str, tuple[dict[str, int], dict[str, Any]]] = {
    "pig": (
        {"goal": 40, "die_sides": 8, "bust_number": 3, "head_start": 7},
        {"winner": lambda game: game.winner if game.winner >= 0 else -1, "turns": lambda game: game.turn,
         "busts": lambda game: game.busts, "margin": lambda game: game.margin},
    ),
    "kuhn_poker": (
        {"ante": 2, "bet": 3, "ranks": 9},
        {"winner": lambda game: game.winner, "turns": lambda game: game.turn, "pot": lambda game: sum(game.paid),
         "bluffed": lambda game: game.bluffed, "score": lambda game: game.scores()[0]},
    ),
    "connect_four": (
        {"columns": 8, "rows": 4, "line": 3, "middle_barred": True},
        {"winners": lambda game: game.winners(), "turns": lambda game: game.turn,
         "in_the_middle": lambda game: game.in_the_middle,
         "line_kind": lambda game: ["none", "upright", "falling", "level", "rising"].index(game.kind)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("slug", PAIRS)
def test_random_play_has_the_chances_of_the_twin(slug: str, changed: bool) -> None:
    """Equal games fail one of these in about 400 seeds; the seeds are fixed."""
    knobs, columns = PAIRS[slug]
    knobs = knobs if changed else {}
    game = load_game(slug)
    rows = Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random")).play(1, 0, 4_000).rows
    play = import_module(f"tests.author.{slug}_twin").play
    twins = [play(seed, **knobs) for seed in range(3_000)]
    for name, of_twin in columns.items():
        own = rows[name] if rows[name].ndim == 1 else rows[name][:, 0]
        other = np.array([of_twin(twin) for twin in twins])
        values = np.unique(np.concatenate([own, other]))
        table = np.array([[(column == value).sum() for value in values] for column in (own, other)])
        kept = table.sum(axis=0) >= 30
        full = np.column_stack([table[:, kept], table[:, ~kept].sum(axis=1) + 1])
        assert chi2_contingency(full).pvalue > 1e-4, name
