"""The ledger, the code and the tests name the same rules, and every rule fires in play."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from tests.games.montsegur.table import GAME, RULES, match_of

HERE = Path(__file__).parent
GROUPS = {
    "GEN": 8, "MAP": 3, "LOC": 5, "PTH": 3, "DEF": 2, "TRB": 4, "FLK": 2, "FAT": 10, "SET": 6, "INI": 8, "ACT": 8,
    "EVT": 8, "TRG": 4, "PRE": 3, "CMD": 3, "ATK": 10, "REI": 7, "RED": 5, "INT": 2, "BOO": 2, "ESC": 5, "CON": 1,
    "STR": 5, "FTH": 3, "ATT": 6, "END": 7, "FAP": 6, "VP": 9, "INF": 3,
}  # fmt: skip
SWITCHES = {
    "redraw_limit", "trebuchet_needs_crest", "flank_then_bonus", "truce_scope", "local_sympathizers_mode",
    "disputatio_capture", "symbols_mode", "fate_set", "surplus_conquerors", "odd_summer_card", "desertion_scope",
    "broken_line_mode", "deck_empty_early", "final_redraws", "late_second_surrender", "crusader_camp_variant",
}  # fmt: skip
#: Needs a knob or a swapped table, or comes up too rarely for a test.
SELDOM = {"MS-SET-06", "MS-INI-07", "MS-INI-08", "MS-ACT-07"}


def ids(text: str) -> set[str]:
    return {name.replace("_", "-") for name in re.findall(r"MS_[A-Z]{2,3}_\d\d", text)}


def names_of_tests() -> list[str]:
    return [
        name
        for file in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)
    ]


def test_the_ledger_holds_its_148_rules_in_order() -> None:
    assert sorted(RULES) == sorted(f"MS-{group}-{n:02}" for group, size in GROUPS.items() for n in range(1, size + 1))
    assert len(RULES) == 148


def test_every_rule_has_a_test_that_names_it() -> None:
    named = ids(" ".join(names_of_tests()))
    assert sorted(set(RULES) - named) == [], "rules without a test"
    assert sorted(named - set(RULES)) == [], "tests of rules that the ledger does not have"


def test_the_code_counts_the_ledgers_rules_and_no_others() -> None:
    code = " ".join(file.read_text("utf-8") for file in GAME.folder.glob("*.py"))
    counted = {name.replace("_", "-") for name in re.findall(r"\brule\.(MS_[A-Z]{2,3}_\d\d)\b", code)}
    assert sorted(set(RULES) - counted) == [], "rules that nothing counts"
    assert sorted(counted - set(RULES)) == [], "rules that the ledger does not have"


def test_docstrings_and_comments_name_rules_of_the_ledger() -> None:
    for file in sorted(GAME.folder.glob("*.py")):
        assert set(re.findall(r"MS-[A-Z]{2,3}-\d\d", file.read_text("utf-8"))) <= set(RULES), file.name


def test_knobs_and_rules_name_each_other() -> None:
    for knob in GAME.knobs.values():
        assert knob.rules, f"{knob.name} names no rule"
        for rule in knob.rules:
            assert rule in RULES, f"{knob.name} names {rule}"
            assert knob.name in GAME.rules[RULES.index(rule)].knobs, f"{rule} does not name {knob.name}"


def test_switches_are_the_ledgers() -> None:
    assert {knob.name for knob in GAME.knobs.values() if knob.switch} == SWITCHES


def test_the_state_fits_in_two_kilobytes() -> None:
    assert GAME.state.itemsize < 2048


def test_every_rule_fires_in_play() -> None:
    if not compiler.compiling():
        pytest.skip("thousands of games: compiled only")
    total = np.zeros(len(RULES), np.uint64)
    for cathar, crusader, knobs in (
        ("random", "random", {}),
        ("value", "storm", {}),
        (
            "crest",
            "storm",
            {"crusader_camp_variant": "on", "flank_soldiers": 2, "trebuchet_power": 2, "bonus_ew_cre": 1},
        ),
        ("random", "random", {"hand_size": 8, "deck_empty_early": "reshuffle", "mc_soldiers": 1}),
    ):
        total += match_of(knobs, cathar, crusader).play(148, 0, 3000).tally.fired
    assert {rule for rule, count in zip(RULES, total, strict=True) if count == 0} <= SELDOM
