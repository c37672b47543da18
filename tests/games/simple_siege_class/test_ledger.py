"""The rules in the docstrings, the knobs and the tests name each other, and every rule fires in play."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from simlab import compiler
from simlab.engine.tally import Tally
from tests.games.simple_siege_class import game as bots
from tests.games.simple_siege_class.table import GAME, RULES, match_of

HERE = Path(__file__).parent
GROUPS = {
    "SET": 9, "DCK": 7, "TRN": 6, "WAL": 3, "EQP": 10, "CON": 7,
    "BGR": 11, "BGD": 8, "PLN": 5, "RES": 6, "FAT": 10, "END": 4,
}  # fmt: skip
SWITCHES = {
    "ace_value", "fate_sets", "forced_discard_shortfall", "static_defence_when_declining",
    "equipment_cost_model", "plan_short_deck", "resupply_reading", "joker_exhaust", "plan_mode",
}  # fmt: skip


def ids(text: str) -> set[str]:
    return {name.replace("_", "-") for name in re.findall(r"SS_[A-Z]{3}_\d\d", text)}


def names_of_tests() -> list[str]:
    """Names of the folder's tests; those of the separate Python rules do not test the game."""
    files = [p for p in HERE.glob("test_*.py") if p.name not in ("test_reference.py", "test_twin.py")]
    return [name for file in files for name in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)]


def test_the_game_has_its_86_rules() -> None:
    assert sorted(RULES) == sorted(f"SS-{group}-{n:02}" for group, size in GROUPS.items() for n in range(1, size + 1))
    assert len(RULES) == 86


def test_every_rule_has_a_whole_text_a_place_and_a_status() -> None:
    """A rule that is named in the middle of another one's text, before a colon, would cut that text short."""
    for rule in GAME.rules:
        assert rule.text.endswith("."), rule
        assert re.fullmatch(r"silent|l\.[\d, l.-]*\d", rule.where), rule
        assert rule.status == ("ruling" if "ruled" in rule.text.lower() else "exact"), rule


def test_every_rule_has_a_test_that_names_it() -> None:
    named = ids(" ".join(names_of_tests()))
    assert sorted(set(RULES) - named) == [], "rules without a test"
    assert sorted(named - set(RULES)) == [], "tests of rules that the game does not have"


def test_docstrings_and_comments_name_rules_of_the_game() -> None:
    for file in (GAME.path, Path(bots.__file__)):
        text = file.read_text("utf-8")
        assert set(re.findall(r"SS-[A-Z]{3}-\d\d", text)) <= set(RULES), file.name


def test_knobs_and_rules_name_each_other() -> None:
    assert [knob.name for knob in GAME.knobs.values() if not knob.rules] == [], "knobs that no rule names"
    assert {name for rule in GAME.rules for name in rule.knobs} == set(GAME.knobs)
    assert len(GAME.knobs) == 42


def test_switches_are_the_open_points_of_the_rulebook() -> None:
    assert {knob.name for knob in GAME.knobs.values() if knob.switch} == SWITCHES


def test_every_knob_and_switch_has_a_test_of_another_value() -> None:
    """Every knob is set by name in a test of this folder, or named through a list of the nine counters."""
    texts = " ".join(
        p.read_text("utf-8")
        for p in HERE.glob("test_*.py")
        if p.name not in ("test_reference.py", "test_twin.py", "test_ledger.py")
    )
    by_list = {name for name in GAME.knobs if name.startswith(("mod_", "cost_"))}
    assert 'f"mod_{knob}"' in texts
    assert 'f"cost_{name}"' in texts
    assert sorted(name for name in set(GAME.knobs) - by_list if name not in texts) == []


# --- In play ------------------------------------------------------------------

MIX: list[tuple[str, str, dict[str, object]]] = [
    ("random", "random", {}),
    ("random", "random", {"walls_start": 1, "fate_sets": "2", "ace_value": "11", "plan_mode": "menu"}),
    ("random", "random", {"max_rank": 6, "resupply_suits": "H+D", "equipment_cost_model": "double"}),
    ("waiter", "waiter", {"fate_reset_count": 2}),
    ("gunner", "raider", {"forced_discard_shortfall": "discard_what_is_left", "joker_exhaust": "stop"}),
    ("planner", "steward", {}),
    ("quartermaster", "cook", {"plan_short_deck": "lose", "static_defence_when_declining": False}),
    ("stormer", "warden", {"assault_max_cards": 5}),
]
GAMES = 2000


@pytest.fixture(scope="module")
def tallies() -> list[Tally]:
    if not compiler.compiling():
        pytest.skip("thousands of games: compiled only")
    return [match_of(knobs, a, b).play(86, 0, GAMES).tally for a, b, knobs in MIX]


def test_every_rule_fires_in_play(tallies: list[Tally]) -> None:
    total = sum((tally.fired for tally in tallies), np.zeros(len(RULES), np.uint64))
    assert [rule for rule, count in zip(RULES, total, strict=True) if count == 0] == []


def test_every_rule_but_the_switches_fires_under_the_default_rules(tallies: list[Tally]) -> None:
    total = tallies[0].fired + tallies[5].fired
    for pair in (("waiter", "waiter"), ("random", "waiter")):
        total = total + match_of({}, *pair).play(86, 0, GAMES).tally.fired
    assert [rule for rule, count in zip(RULES, total, strict=True) if count == 0] == []


@pytest.mark.parametrize("place", range(len(MIX)))
def test_the_counters_agree_with_each_other_and_with_what_was_chosen(tallies: list[Tally], place: int) -> None:
    tally, knobs = tallies[place], MIX[place][2]
    n: Counter[str] = Counter({rule.removeprefix("SS-"): int(c) for rule, c in zip(RULES, tally.fired, strict=True)})
    chosen = {kind.name: tally.chosen[:, number].astype(int) for number, kind in enumerate(GAME.decisions)}
    built, acts = np.split(chosen["besieger action"][0], [9])
    answers, (met, defended) = chosen["besieged action"][1], chosen["defence"].sum(axis=1)
    bombards, sallies, throws = acts[2] + acts[3], answers[3] + answers[4], chosen["assault size"].sum()

    assert [n[f"BGR-{r:02}"] for r in (1, 3, 4, 5, 6, 11)] == list(acts)
    assert [n[f"BGD-{r:02}"] for r in (1, 2, 3, 4, 6, 7)] == list(answers[:6])
    assert {n[rule] for rule in ("BGR-02", "EQP-01", "EQP-02", "EQP-06", "EQP-09")} == {built.sum()}
    assert n["TRN-02"] == built.sum() + acts.sum() + answers.sum()
    assert n["EQP-03"] == built[[0, 5, 8]].sum()

    assert n["BGR-07"] == n["BGR-08"] == throws == n["BGR-09"] + n["BGR-10"]
    assert n["CON-01"] == bombards + sallies + throws
    assert n["CON-02"] == n["CON-03"] == n["CON-04"] == defended + met == n["CON-01"]
    assert (defended, met, n["BGD-08"]) == (bombards + throws, sallies, sallies)
    assert n["CON-07"] == n["DCK-07"] <= n["CON-02"]
    if knobs.get("static_defence_when_declining", True):
        # SS-WAL-03 counts the turns that begin at walls of 0: only there can a contest lack the walls.
        assert defended - n["WAL-03"] <= n["WAL-01"] <= defended
        camps, bare = chosen["defence"][:, 0]
        assert bare - n["WAL-03"] <= n["CON-05"] <= bare + camps
    assert n["EQP-04"] == n["EQP-08"] >= n["EQP-05"]
    assert n["BGD-05"] == n["EQP-07"] == chosen["destroy"].sum()

    assert n["PLN-01"] == acts[1] + answers[2]
    assert n["PLN-03"] == n["PLN-04"] <= n["PLN-02"] <= n["PLN-01"]
    assert n["RES-01"] == acts[5] + answers[5]
    assert n["RES-02"] == n["RES-03"] == n["RES-06"] <= n["RES-01"]
    assert n["RES-04"] <= n["RES-02"] >= n["RES-05"]

    assert n["FAT-01"] == n["FAT-02"] + n["FAT-03"] + n["FAT-04"] + n["FAT-05"]
    assert n["FAT-07"] == n["FAT-04"] + n["FAT-05"]
    assert n["FAT-08"] == n["FAT-09"]

    endings = dict(zip(GAME.endings, tally.outcomes.sum(axis=(0, 2)).astype(int), strict=True))
    assert endings == {"assault": n["END-01"], "surrender": n["END-02"], "abandon": n["END-03"]}
    assert n["BGR-09"] == n["END-01"]
    assert n["DCK-02"] == n["END-02"] + n["END-03"]
    assert n["END-04"] <= n["END-02"] + n["END-03"]
    turns = int((tally.outcomes.sum(axis=(0, 1)).astype(int) * np.arange(tally.outcomes.shape[2])).sum())
    assert n["TRN-01"] == turns == n["TRN-06"] + GAMES
    assert n["TRN-05"] == n["SET-01"] == n["SET-07"] == GAMES == n["SET-02"] // 2
