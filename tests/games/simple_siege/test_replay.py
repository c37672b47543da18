"""Whole games as a person reads them, kept as text: labels of actions and descriptions of positions.

After a change that is meant, and then read the diff:

    SIMLAB_NEW_GOLDEN=1 python -m pytest tests/games/simple_siege/test_replay.py
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from simlab.engine.stepper import Stepper
from simlab.game import Description
from tests.games.simple_siege.table import GAME, match_of, scene

GOLDEN = Path(__file__).parent / "golden"
GAMES = {"stormer_warden": ("stormer", "warden", 1, 3), "random_random": ("random", "random", 2, 3)}


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


def replay(besieger: str, besieged: str, seed: int, game: int) -> str:
    stepper = Stepper(match_of({}, besieger, besieged), seed, game)
    seen = stepper.describe()
    lines = [f"{GAME.title}: {besieger} against {besieged}, seed {seed}, game {game}", ""]
    lines += [
        f"    {name}: {', '.join(what) or '-' if isinstance(what, tuple) else what}" for name, what in seen.items()
    ]
    while not stepper.over:
        action = stepper.policy_action()
        options = f"({len(stepper.legal())} options)"
        lines.append(f"turn {int(stepper.state.turn)}, {stepper.seat}: {stepper.label(action)}  {options}")
        stepper.apply(action)
        now = stepper.describe()
        lines += [f"    {line}" for line in changes(seen, now)]
        seen = now
    row = stepper.row()
    winner, ending = GAME.seats[row["winner"]], GAME.endings[row["ending"]]
    lines.append(f"{winner} wins: {ending}, turn {row['turns']}, {row['decisions']} decisions")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_reads_as_it_did(name: str) -> None:
    text, path = replay(*GAMES[name]), GOLDEN / f"{name}.txt"
    if os.environ.get("SIMLAB_NEW_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "the game reads otherwise: if that was meant, see the top of this file"


def test_actions_are_called_by_the_rulebooks_words() -> None:
    table = scene(built=["Ladders"])
    assert [table.stepper.label(action) for action in table.stepper.legal()] == [
        "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply",
        "Construct Mine (+3, costs 3)", "Construct Siege Tower (+2, costs 2)",
        "Construct Trebuchet (+2, costs 2)", "Construct Catapult (+2, costs 2)",
        "Construct Ample Ammunition (+1, costs 1)", "Construct Camp Defences I (+1, costs 1)",
    ]  # fmt: skip
    table.act("Besiege")
    assert table.options() == [
        "Besieged", "Repair and Strengthen", "Plan", "Sally (Siege Equipment)", "Sally (Enemy)", "Rationing",
    ]  # fmt: skip


def test_a_counters_label_tells_its_modifier_and_price_in_force() -> None:
    table = scene(mod_mine=4, equipment_cost_model="double")
    assert "Construct Mine (+4, costs 8)" in [table.stepper.label(action) for action in table.stepper.legal()]


def test_a_seat_sees_its_own_cards_and_not_the_other_sides() -> None:
    table = scene("3C 9S 8H 7D", "4C 6D", known={"besieger": 2, "besieged": 1}).act("Bombard (Enemy)")
    mine, theirs, all_seen = (table.stepper.describe(viewer) for viewer in (0, 1, None))
    assert (mine["besieger knows on top"], theirs["besieger knows on top"]) == ("9S", "1 card")
    assert (mine["besieged knows on top"], theirs["besieged knows on top"]) == ("1 card", "4C")
    assert theirs["besieger's contest cards"] == "1 face down"
    assert all_seen["besieger's contest cards"] == "3C"
    assert all_seen["besieged knows on top"] == "4C"


def test_a_contest_is_told_with_its_scores() -> None:
    table = scene("3C 9S 8H 7D 2D", "4C 6D 5S", walls=5)
    seen = [table.stepper.describe()["contest"]]
    actions = ("Bombard (Walls)", "draw 1 card to defend", "Sally (Enemy)", "draw no card")
    seen += [table.act(action).stepper.describe()["contest"] for action in actions]
    assert seen == [
        "none yet",
        "Bombard (Walls), face down", "Bombard (Walls), 3 against 9: no effect",
        "Sally (Enemy), face down", "Sally (Enemy), 6 against 0: success",
    ]  # fmt: skip
