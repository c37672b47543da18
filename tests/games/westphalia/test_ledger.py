"""The ledger, the code and the tests name the same rules, and every rule fires in play."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from tests.games.westphalia.table import GAME, RULES, match_of

HERE = Path(__file__).parent
GROUPS = {
    "GEN": 14, "MAP": 5, "PRI": 5, "IP": 5, "ALY": 9, "ROL": 10, "SET": 13, "RND": 4, "UPH": 6, "CNV": 12, "INC": 2,
    "TRE": 8, "FTH": 16, "DIP": 3, "PLC": 7, "WAR": 16, "BAT": 18, "DOC": 10, "PCE": 23, "PWD": 5, "REL": 28,
    "FP": 16, "ELE": 8, "END": 9, "BND": 6,
}  # fmt: skip
SWITCHES = {
    "setup_mode", "five_player_map", "alliance_requirement", "home_ip_schedule", "home_counts_for_majority",
    "gw_rank_counts_saints", "late_upheaval", "lepanto_saints", "own_die_spent", "attack_own_ally", "deck_mode",
    "reinforce_before_rout", "rw_empty_may_call", "white_peace_spares_postwar", "rw_automatic_double_ip",
    "election_open", "gold_leftover", "capital_counts_as_town", "emperor_tiebreak",
}  # fmt: skip
#: Comes up too rarely for a test, or never (ledger 7.4).
SELDOM = {"WP-PLC-07", "WP-END-05", "WP-FP-02", "WP-FP-08", "WP-SET-09"}
FIELD = ("reformer", "counter_reformer", "politique", "kaiser", "condottiere", "exile")


def named(text: str) -> set[str]:
    """Rules that a text names; `WP-CNV-01 to WP-CNV-06` names six."""
    text = text.replace("_", "-")
    ids = set(re.findall(r"WP-[A-Z]{2,3}-\d\d", text))
    for group, first, last in re.findall(r"WP-([A-Z]{2,3})-(\d\d) to WP-\1-(\d\d)", text):
        ids |= {f"WP-{group}-{n:02}" for n in range(int(first), int(last) + 1)}
    return ids


def texts_of_tests() -> Iterator[str]:
    """Name and docstring of every test."""
    for file in HERE.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{node.name} {ast.get_docstring(node) or ''}"


def test_the_ledger_holds_its_258_rules_in_order() -> None:
    assert sorted(RULES) == sorted(f"WP-{group}-{n:02}" for group, size in GROUPS.items() for n in range(1, size + 1))
    assert len(RULES) == 258


def test_every_rule_has_a_test_that_names_it() -> None:
    tested = set().union(*map(named, texts_of_tests()))
    assert sorted(set(RULES) - tested) == [], "rules without a test"
    assert sorted(tested - set(RULES)) == [], "tests of rules that the ledger does not have"


def test_the_code_counts_the_ledgers_rules_and_no_others() -> None:
    code = " ".join(file.read_text("utf-8") for file in GAME.folder.glob("*.py"))
    counted = {name.replace("_", "-") for name in re.findall(r"\brule\.(WP_[A-Z]{2,3}_\d\d)\b", code)}
    assert sorted(set(RULES) - counted) == [], "rules that nothing counts"
    assert sorted(counted - set(RULES)) == [], "rules that the ledger does not have"


def test_docstrings_and_comments_name_rules_of_the_ledger() -> None:
    for file in sorted(GAME.folder.glob("*.py")):
        assert set(re.findall(r"WP-[A-Z]{2,3}-\d\d", file.read_text("utf-8"))) <= set(RULES), file.name


def test_knobs_and_rules_name_each_other() -> None:
    for knob in GAME.knobs.values():
        if knob.blanks:
            continue
        assert knob.rules, f"{knob.name} names no rule"
        for rule in knob.rules:
            assert rule in RULES, f"{knob.name} names {rule}"
            assert knob.name in GAME.rules[RULES.index(rule)].knobs, f"{rule} does not name {knob.name}"


def test_switches_are_the_ledgers() -> None:
    assert {knob.name for knob in GAME.knobs.values() if knob.switch} >= SWITCHES


def test_the_state_fits_in_eight_kilobytes() -> None:
    assert GAME.state.itemsize < 8192


def test_every_rule_fires_in_play() -> None:
    if not compiler.compiling():
        pytest.skip("thousands of games: compiled only")
    total = np.zeros(len(RULES), np.uint64)
    for players, knobs, bots, games in (
        (6, {}, ("random",), 1_500),
        (6, {}, FIELD, 600),
        (6, {}, ("drifter",), 1_500),
        (5, {"five_player_map": "72", "fp_last_round": 0}, ("drifter",), 600),
        (8, {"setup_mode": "random_legal", "di_limit": 20}, ("drifter",), 600),
        (5, {"roster_size": 28, "di_limit": 20}, ("random",), 600),
    ):
        total += match_of(players, knobs, *bots).play(148, 0, games).tally.fired
    assert {rule for rule, count in zip(RULES, total, strict=True) if count == 0} <= SELDOM
