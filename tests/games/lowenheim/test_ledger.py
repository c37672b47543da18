"""The ledger, the code and the tests name the same rules, and every rule fires in play."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.match import Match
from simlab.registry import load_game

HERE = Path(__file__).parent
GAME = load_game("lowenheim")
RULES = tuple(rule.id for rule in GAME.rules)
GROUPS = {
    "SET": 9, "TRN": 7, "CRD": 7, "TRD": 3, "EVT": 8, "CMD": 15, "ENM": 13, "MOV": 11, "CMB": 17, "TMP": 5, "FOD": 3,
    "FIR": 7, "BAR": 5, "WIZ": 23, "WLF": 5, "AIR": 2, "HOS": 3, "QUE": 3, "ESC": 4, "LED": 2, "BLK": 3, "END": 5,
    "SCO": 9,
}  # fmt: skip
SWITCHES = {
    "command_parity", "alavandrel_move", "outnumber_by", "support_same_faction", "stun_defender_next_turn",
    "area_hits_friends", "fire_spread_mode", "temple_burnt_blocks", "food_command_hits_characters", "starve_pick",
    "air_spirit_flies", "knight_eternal_legend", "blackmail", "permission_mode", "gate_mode", "deploy_mode",
}  # fmt: skip
#: Needs a knob (a long game; the legend), a hand of seven that nobody spends, or an escape from a city that holds.
SELDOM = {"LW-TRN-06", "LW-CRD-07", "LW-ESC-03", "LW-ESC-04"}


def names_of_tests() -> str:
    files = [*HERE.glob("test_*.py"), *HERE.glob("plain_*.py")]
    return " ".join(
        name for file in files for name in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)
    )


def test_the_ledger_holds_its_169_rules() -> None:
    assert sorted(RULES) == sorted(f"LW-{group}-{n:02}" for group, size in GROUPS.items() for n in range(1, size + 1))
    assert len(RULES) == 169


def test_every_rule_has_a_test_that_names_it() -> None:
    named = {name.replace("_", "-") for name in re.findall(r"LW_[A-Z]{3}_\d\d", names_of_tests())}
    assert sorted(set(RULES) - named) == [], "rules without a test"
    assert sorted(named - set(RULES)) == [], "tests of rules that the ledger does not have"


def test_the_code_counts_the_ledgers_rules_and_no_others() -> None:
    code = " ".join(file.read_text("utf-8") for file in GAME.folder.glob("*.py"))
    counted = {name.replace("_", "-") for name in re.findall(r"\brule\.(LW_[A-Z]{3}_\d\d)\b", code)}
    assert sorted(set(RULES) - counted) == [], "rules that nothing counts"
    assert sorted(counted - set(RULES)) == [], "rules that the ledger does not have"


def test_docstrings_and_comments_name_rules_of_the_ledger() -> None:
    for file in sorted(GAME.folder.glob("*.py")):
        assert set(re.findall(r"LW-[A-Z]{3}-\d\d", file.read_text("utf-8"))) <= set(RULES), file.name


def test_knobs_and_rules_name_each_other() -> None:
    for knob in GAME.knobs.values():
        assert knob.rules or knob.blanks, f"{knob.name} names no rule"
        for rule in knob.rules:
            assert rule in RULES, f"{knob.name} names {rule}"
            assert knob.name in GAME.rules[RULES.index(rule)].knobs, f"{rule} does not name {knob.name}"


def test_switches_are_the_ledgers() -> None:
    assert {knob.name for knob in GAME.knobs.values() if knob.switch} == SWITCHES


def test_cards_add_up() -> None:
    tables = GAME.read_tables()
    assert sum(int(row["number"]) for row in tables["actions"]) == 102
    assert (len(tables["events"]), len(tables["commands"]), len(tables["map"])) == (17, 9, 208)


def test_every_rule_fires_in_play() -> None:
    if not compiler.compiling():
        pytest.skip("hundreds of games: compiled only")
    total = np.zeros(len(RULES), np.uint64)
    for bot in ("random", "arcane", "intriguer"):
        total += Match(GAME, bots=dict.fromkeys(GAME.seats, bot)).play(169, 0, 400).tally.fired
    assert {rule for rule, count in zip(RULES, total, strict=True) if count == 0} <= SELDOM
