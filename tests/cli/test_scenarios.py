"""simlab replay --scenario: a file says what is drawn and done, and what has to come of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.runs.scenario import load_scenario, ready_scenarios

from .conftest import Shell

GOOD = """
[scenario]
game = "simple_siege"
title = "a mine, then a repair"
seed = 7

[knobs]
walls_start = 4

[start]
[start.expect]
walls = 4

[[step]]
seat = "besieger"
do = "Construct Mine"
comment = "It costs three cards."
[step.expect]
"counters in play" = ["Mine"]
besieger_deck = 37

[[step]]
do = 1
draws = { fate = [0] }
[step.expect]
walls = 5
"besieged's pile" = { has = ["2S"] }
"""


def replayed(shell: Shell, tmp_path: Path, text: str = GOOD, options: str = "") -> tuple[int, str, str]:
    (tmp_path / "mine.toml").write_text(text)
    done = shell(f"simlab replay --scenario mine.toml -q {options}")
    return done.status, done.out, done.err


def test_a_scenario_prints_like_any_replay_and_says_that_all_holds(shell: Shell, tmp_path: Path) -> None:
    status, out, _ = replayed(shell, tmp_path)
    assert status == 0
    assert out.startswith("Simple Siege: a mine, then a repair\n  knobs: walls_start = 4\n")
    assert "  # It costs three cards.\n  besieger: Construct Mine (+3, costs 3)\n    counters in play: +Mine\n" in out
    assert "Fate turned up: +Red court card" in out, "the loaded draw"
    assert "after 2 decisions.\nAll 5 expectations of mine.toml hold.\n" in out
    brief = replayed(shell, tmp_path, options="--brief")[1]
    assert "turn   1  besieged: Repair and Strengthen\n" in brief
    assert "besieger's deck" not in brief


def test_what_comes_out_otherwise_is_told_with_its_step_and_status_1(shell: Shell, tmp_path: Path) -> None:
    wrong = GOOD.replace('["Mine"]', '["Ladders"]').replace("besieger_deck = 37", "besieger_deck = 36")
    status, _, err = replayed(shell, tmp_path, wrong)
    assert status == 1
    assert "mine.toml, step 1 (Construct Mine) comes out otherwise than expected:\n  counters in play is" in err
    assert "besieger_deck is\n    37\n  not\n    36" in err
    status, _, err = replayed(shell, tmp_path, GOOD.replace("walls = 4", "walls = 5"))
    assert status == 1
    assert "mine.toml [start]" in err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed = 7", "seeds = 7", "[scenario]: unknown key 'seeds'. Did you mean 'seed'?"),
        ("seed = 7", "seed = -7", "[scenario], seed = -7: write a whole number"),
        ("[start]", "[begin]", "unknown table 'begin'"),
        ('game = "simple_siege"', "", "[scenario]: 'game' is missing"),
        ("walls_start = 4", "wall_start = 4", "mine.toml: simple_siege has no knob 'wall_start'"),
        ("walls = 4", "wals = 4", "mine.toml [start], expect: there is no number 'wals'. Did you mean 'walls'?"),
        ('seat = "besieger"', 'seat = "besieged"', "step 1 (Construct Mine): seat = besieged, but besieger is asked"),
        ('"Construct Mine"', '"Construct"', "step 1 (Construct): do = 'Construct' is none of the legal actions"),
        ("do = 1", "do = 77", "mine.toml, step 2: do = 77 is none"),
        ("do = 1", "", "mine.toml, step 2: 'do' is missing"),
        ("fate = [0]", "fade = [0]", "step 2, draws: simple_siege has no stream 'fade'. Did you mean 'fate'"),
        ("fate = [0]", "fate = [200]", "mine.toml, step 2, draws: a forced draw is outside its range"),
        ("fate = [0]", "fate = 0", "mine.toml, step 2, draws: write stream = [results], as fate = [2, 0]"),
        ("fate = [0]", "fate = [0, 1]", "mine.toml: loaded, but never drawn: fate 1."),
        ('{ has = ["2S"] }', '{ hat = ["2S"] }', "expect, besieged's pile: write a value, or { has = [texts] }"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_entry(old: str, new: str, told: str, shell: Shell, tmp_path: Path) -> None:
    assert old in GOOD
    status, _, err = replayed(shell, tmp_path, GOOD.replace(old, new, 1))
    assert status == 2
    assert told in err


def test_a_scenario_brings_its_own_game(shell: Shell, tmp_path: Path) -> None:
    assert "leave the other options out" in replayed(shell, tmp_path, options="--game 3")[2]
    done = shell("simlab replay --scenario nowhere.toml")
    assert done.status == 2
    assert "montsegur_sample_turn" in done.err


@pytest.mark.parametrize("name", ready_scenarios())
def test_a_ready_scenario_holds(name: str, shell: Shell) -> None:
    done = shell(f"simlab replay --scenario {name} --brief -q")
    assert done.status == 0, done.err
    scenario = load_scenario(name)
    assert scenario.expectations > 0
    assert f"All {scenario.expectations} expectations" in done.out
    listed = shell("simlab info scenarios --json").json["scenarios"]
    assert {"scenario": name, "game": scenario.game, "title": scenario.title, "steps": len(scenario.steps)} in listed
