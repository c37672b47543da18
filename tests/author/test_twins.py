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

SLUGS = ["pig", "kuhn_poker", "connect_four", "harbour", "relics", "tricks", "caravan", "fens"]
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


@pytest.mark.parametrize("slug", SLUGS)
def test_a_class_is_at_most_1_3_times_as_long_as_its_twin(slug: str) -> None:
    game, twin = lines_of_code(GAMES / slug / "game.py"), lines_of_code(Path(__file__).with_name(f"{slug}_twin.py"))
    assert 30 < game <= 1.3 * twin, (game, twin)


# The seats, if the game is not for two, and the knobs.
RUNS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("pig", (), {}),
    ("pig", (), {"goal": 40, "die_sides": 8, "bust_number": 3, "head_start": 7}),
    ("kuhn_poker", (), {}),
    ("kuhn_poker", (), {"ante": 2, "bet": 3, "ranks": 9}),
    ("connect_four", (), {}),
    ("connect_four", (), {"columns": 8, "rows": 4, "line": 3, "middle_barred": True}),
    ("relics", (3,), {}),
    ("relics", (5,), {
        "start_silver": 9, "lots": 23, "lots_between": 3, "strength_each": 3, "pay": 4, "breaches_to_fall": 2,
        "medal_points": 5, "grain_points": 2, "wine_points": 4, "set_points": 11, "silver_per_point": 3,
    }),
    ("tricks", (5,), {"hand_size": 2, "deals": 1}),
    ("tricks", (4,), {}),
    ("tricks", (3,), {
        "hand_size": 2, "deals": 3, "shrinking": False, "trumps": False, "hook": False, "exact_bonus": 6,
        "trick_points": 3, "miss_penalty": 2,
    }),
    ("caravan", (2,), {}),
    ("caravan", (4,), {
        "goal": 17, "hand_size": 6, "quarter_points": 7, "quarter_cards": 1, "purse_step": 3, "change": False,
    }),
    ("fens", (3,), {}),
    ("fens", (4,), {
        "supply_size": 9, "room": 5, "first_herds": 3, "later_herds": 3, "countings": 2, "rounds_between": 4,
        "ties": "none", "first_turn": "left", "second_scores": False, "tide_drifts": False,
    }),
]  # fmt: skip
COLUMNS: dict[str, dict[str, Any]] = {
    "pig": {
        "winner": lambda game: game.winner if game.winner >= 0 else -1, "turns": lambda game: game.turn,
        "busts": lambda game: game.busts, "margin": lambda game: game.margin,
    },
    "kuhn_poker": {
        "winner": lambda game: game.winner, "turns": lambda game: game.turn, "pot": lambda game: sum(game.paid),
        "bluffed": lambda game: game.bluffed, "score": lambda game: game.scores()[0],
    },
    "connect_four": {
        "winners": lambda game: game.winners(), "turns": lambda game: game.turn,
        "in_the_middle": lambda game: game.in_the_middle,
        "line_kind": lambda game: ["none", "upright", "falling", "level", "rising"].index(game.kind),
    },
    "relics": {
        "winners": lambda game: game.winners(), "turns": lambda game: game.turn, "ending": lambda game: game.ending,
        "burnt": lambda game: game.burnt, "breaches": lambda game: game.breaches, "spent": lambda game: game.spent,
        "given": lambda game: game.given, "score": lambda game: game.score(0),
    },
    "tricks": {
        "winners": lambda game: game.winners(), "turns": lambda game: game.turn, "ending": lambda game: game.ending,
        "bids_met": lambda game: game.bids_met, "tricks_bid": lambda game: game.tricks_bid,
        "sharing": lambda game: game.sharing, "score": lambda game: game.points[0],
    },
    "caravan": {
        "winners": lambda game: game.winners(), "turns": lambda game: game.turn, "ending": lambda game: game.ending,
        "bought": lambda game: game.bought, "settled": lambda game: game.settled,
        "score": lambda game: game.table[0].points,
    },
    "fens": {
        "winners": lambda game: game.winners(), "turns": lambda game: game.turn, "ending": lambda game: game.ending,
        "tied": lambda game: game.tied, "bare": lambda game: game.bare, "drowned": lambda game: game.drowned,
        "score": lambda game: game.points[0],
    },
}  # fmt: skip


@pytest.mark.sample(0, 1, 2, 3, 4, 5, 6, 8, 11, 13)  # one number of players of each game
@pytest.mark.parametrize(("slug", "players", "knobs"), RUNS)
def test_random_play_has_the_chances_of_the_twin(slug: str, players: tuple[int, ...], knobs: dict[str, Any]) -> None:
    """Equal games fail one of these in about 100 seeds; the seeds are fixed."""
    game = load_game(slug, *players)
    rows = Match(game, knobs=knobs, bots=dict.fromkeys(game.seats, "random")).play(1, 0, 4_000).rows
    play = import_module(f"tests.author.{slug}_twin").play
    twins = [play(*players, seed, **knobs) for seed in range(3_000)]
    for name, of_twin in COLUMNS[slug].items():
        own = rows[name] if rows[name].ndim == 1 else rows[name][:, 0]
        if name == "ending":
            own = np.array(game.endings)[own]
        other = np.array([of_twin(twin) for twin in twins])
        values = np.unique(np.concatenate([own, other]))
        table = np.array([[(column == value).sum() for value in values] for column in (own, other)])
        kept = table.sum(axis=0) >= 30
        full = np.column_stack([table[:, kept], table[:, ~kept].sum(axis=1) + 1])
        assert chi2_contingency(full).pvalue > 1e-4, name
