"""Whole games as a person reads them, kept as text: labels of actions and descriptions of positions.

After a change that is meant, and then read the diff:

    SIMLAB_NEW_GOLDEN=1 python -m pytest tests/games/mighty_fortress/test_replay.py
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.game import Description
from tests.games.mighty_fortress.table import GAME, match_of

GOLDEN = Path(__file__).parent / "golden"
GAMES = {"zealot": ("zealot", 1, 3), "apostle": ("apostle", 1, 8), "random": ("random", 2, 3)}


def changes(before: Description, after: Description) -> Iterator[str]:
    """What is different: lists by what came and went, texts by their new wording."""
    for name in {**before, **after}:
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        if isinstance(new, tuple) or isinstance(old, tuple):
            gone, came = Counter(old) - Counter(new), Counter(new) - Counter(old)
            words = [f"+{thing}" for thing in came.elements()] + [f"-{thing}" for thing in gone.elements()]
            yield f"{name}: {', '.join(words)}"
        else:
            yield f"{name}: {new or '-'}"


def replay(bot: str, seed: int, game: int) -> str:
    stepper = Stepper(match_of({}, bot), seed, game)
    seen = stepper.describe()
    lines = [f"{GAME.title}: {bot}, seed {seed}, game {game}", ""]
    lines += [
        f"    {name}: {', '.join(what) or '-' if isinstance(what, tuple) else what}" for name, what in seen.items()
    ]
    while not stepper.over:
        action = stepper.policy_action()
        options = f"({len(stepper.legal())} options)"
        lines.append(f"turn {int(stepper.state.turn)}, {stepper.label(action)}  {options}")
        stepper.apply(action)
        now = stepper.describe()
        lines += [f"    {line}" for line in changes(seen, now)]
        seen = now
    row = stepper.row()
    lines.append(
        f"{GAME.endings[row['ending']]}: {row['score'][0]} VP, turn {row['turns']}, {row['decisions']} decisions"
    )
    return "\n".join(lines) + "\n"


def test_a_game_told_phase_by_phase_is_the_same_game() -> None:
    match = match_of({}, "purger")
    whole, parts = Stepper(match, 4, 1), Stepper(match, 4, 1)
    phases = []
    while not whole.over:
        action = whole.policy_action()
        assert parts.policy_action() == action
        whole.apply(action)
        phases += list(parts.apply_in_parts(action))
        whole.state.n_legal = parts.state.n_legal
        assert bytes(whole.state) == bytes(parts.state)
    assert parts.decisions == whole.decisions
    assert set(phases) >= {"Siege Phase", "Traitor Check", "Cleanup", "Fate Phase", "Food Upkeep", "Dice Draw"}
    with pytest.raises(InputError, match="over"):
        next(parts.apply_in_parts(0))


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_reads_as_it_did(name: str) -> None:
    text, path = replay(*GAMES[name]), GOLDEN / f"{name}.txt"
    if os.environ.get("SIMLAB_NEW_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "the game reads otherwise: if that was meant, see the top of this file"
