"""The ledger, the code and the tests name the same rules, and every rule fires in play."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.tally import Tally
from tests.games.mighty_fortress.table import GAME, RULES, match_of

HERE = Path(__file__).parent
GROUPS = {
    "GEN": 6, "SET": 7, "TRK": 9, "DIE": 11, "TRN": 1, "FAT": 3, "UPK": 7, "DRW": 3, "REQ": 1, "DEC": 2,
    "ACT": 4, "RAT": 2, "PAT": 1, "CTB": 3, "DCN": 1,
    "EXC": 5, "EXD": 3, "ELD": 3, "SEA": 3, "CNV": 3, "NEG": 1,
    "RAI": 2, "QUE": 1, "DSP": 6, "SIE": 5, "TRA": 3, "CLN": 5, "ASL": 8, "CAS": 4, "END": 3, "SCO": 8,
}  # fmt: skip
SWITCHES = {
    "bombardment_gate_scope", "one_assault_scope", "unrest_ten_mode", "hunger_levy_first",
    "voluntary_starvation",
    "black_dice_eat", "held_reroll", "dispatch_at_zero_cohesion", "support_start", "purple_dispatch_stack",
    "council_free_spaces", "elder_activation_limit", "executed_elder_vp_twice", "mastery_latched",
    "city_negotiable",
}  # fmt: skip


def ids(text: str) -> set[str]:
    return {name.replace("_", "-") for name in re.findall(r"MF_[A-Z]{3}_\d\d", text)}


def names_of_tests() -> list[str]:
    """Names of the folder's tests; those of the separate Python rules do not test the kernel."""
    files = [p for p in HERE.glob("test_*.py") if p.name not in ("test_reference.py", "test_twin.py")]
    return [n for file in files for n in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)]


def test_the_ledger_holds_its_124_rules_in_order() -> None:
    assert list(RULES) == [f"MF-{group}-{n:02}" for group, size in GROUPS.items() for n in range(1, size + 1)]
    assert len(RULES) == 124


def test_every_rule_has_a_test_that_names_it() -> None:
    named = ids(" ".join(names_of_tests()))
    assert sorted(set(RULES) - named) == [], "rules without a test"
    assert sorted(named - set(RULES)) == [], "tests of rules that the ledger does not have"


def test_the_code_counts_the_ledgers_rules_and_no_others() -> None:
    code = " ".join(file.read_text("utf-8") for file in GAME.folder.glob("*.py"))
    counted = {name.replace("_", "-") for name in re.findall(r"\brule\.(MF_[A-Z]{3}_\d\d)\b", code)}
    assert sorted(set(RULES) - counted) == [], "rules that nothing counts"
    assert sorted(counted - set(RULES)) == [], "rules that the ledger does not have"


def test_docstrings_and_comments_name_rules_of_the_ledger() -> None:
    for file in sorted(GAME.folder.glob("*.py")):
        named = set(re.findall(r"MF-[A-Z]{3}-\d\d", file.read_text("utf-8")))
        assert named <= set(RULES), file.name


def test_knobs_and_rules_name_each_other() -> None:
    for knob in GAME.knobs.values():
        assert knob.rules or knob.blanks, f"{knob.name} names no rule"
        for rule in knob.rules:
            assert rule in RULES, f"{knob.name} names {rule}"
            assert knob.name in GAME.rules[RULES.index(rule)].knobs, f"{rule} does not name {knob.name}"
    for entry in GAME.rules:
        for name in entry.knobs:
            assert entry.id in GAME.knobs[name].rules, f"{name} does not name {entry.id}"


def test_switches_are_the_ledgers() -> None:
    assert {knob.name for knob in GAME.knobs.values() if knob.switch} == SWITCHES


def test_every_knob_and_switch_has_a_test_of_another_value() -> None:
    texts = " ".join(p.read_text("utf-8") for p in HERE.glob("test_*.py") if p.name != "test_ledger.py")
    assert sorted(knob.name for knob in GAME.knobs.values() if not knob.blanks and knob.name not in texts) == []


# --- In play ------------------------------------------------------------------

MIX: list[tuple[str, dict[str, object]]] = [
    ("random", {}),
    ("warden", {}),
    ("builder", {}),
    ("zealot", {}),
    ("apostle", {"resistance_shift": -2, "support_start": "1"}),
    ("purger", {}),
    ("warden", {"cities_in_deck": 0, "turn_limit": 20}),
    ("random", {"base_draw": 3, "cohesion_start": 0, "turn_limit": 20, "breach_max": 1, "food_start": 10}),
]
GAMES = 2000


@pytest.fixture(scope="module")
def tallies() -> list[Tally]:
    if not compiler.compiling():
        pytest.skip("thousands of games: compiled only")
    return [match_of(knobs, bot).play(124, 0, GAMES).tally for bot, knobs in MIX]


def test_every_rule_fires_in_play(tallies: list[Tally]) -> None:
    total = sum((tally.fired for tally in tallies), np.zeros(len(RULES), np.uint64))
    assert [rule for rule, count in zip(RULES, total, strict=True) if count == 0] == []


def test_the_counters_agree_with_each_other_and_with_what_was_chosen(tallies: list[Tally]) -> None:
    for tally in tallies:
        n = {rule.removeprefix("MF-"): int(c) for rule, c in zip(RULES, tally.fired, strict=True)}
        chosen = tally.chosen[0, 0].astype(int)
        assert n["ACT-01"] == int(chosen[1:].sum())
        assert [n["RAT-01"], n["PAT-01"], n["CTB-01"], n["CTB-02"], n["DCN-01"]] == [int(c) for c in chosen[1:6]]
        assert n["ACT-03"] == int(chosen[1:6].sum())
        assert n["EXC-01"] == int(chosen[8:11].sum() + chosen[58:107].sum())
        assert n["ELD-01"] == int(chosen[11:14].sum() + chosen[107])
        assert n["SEA-01"] == int(chosen[14:26].sum())
        assert n["CNV-01"] == n["CNV-03"] == int(chosen[26:32].sum())
        assert n["DSP-01"] == int(chosen[44:50].sum())
        assert n["DSP-02"] == n["DSP-03"] == int(chosen[50:58].sum())
        assert n["NEG-01"] == int(chosen[32:38].sum())
        assert n["RAI-01"] == int(chosen[38:44].sum())
        assert n["TRN-01"] == n["FAT-01"] == n["GEN-06"]
        assert n["TRA-01"] + n["TRA-02"] + n["TRA-03"] <= n["SIE-01"]
        assert n["END-01"] + n["END-02"] + n["END-03"] == GAMES == n["GEN-04"]
        assert n["SCO-07"] == n["END-02"]
        assert n["SCO-08"] == n["END-03"]
        assert n["ASL-08"] == n["ASL-01"] - n["END-01"]
        turns = int((tally.outcomes.sum(axis=(0, 1)).astype(int) * np.arange(tally.outcomes.shape[2])).sum())
        assert n["TRN-01"] == turns
