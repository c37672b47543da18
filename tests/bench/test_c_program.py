"""The C programs of bench/ play the same games as the compiled loop, bit for bit; without one the bench says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.errors import InputError, RunFailed
from simlab.questions.speed import c_program
from simlab.questions.speed.analysis import PARTS, Plan, everything, measure_speed
from simlab.questions.speed.earlier_build import standing
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

GAME = load_game("simple_siege")
TWINS = sorted(path.stem for path in (Path(__file__).parents[2] / "bench").glob("*.c"))
SOURCE = Path(__file__).parents[2] / "bench" / f"{GAME.slug}.c"
HERE = SOURCE.is_file() and c_program.find_compiler() is not None
needs_twin = pytest.mark.skipif(not HERE, reason="no C program or no compiler")


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> c_program.CProgram:
    return c_program.CProgram(GAME, tmp_path_factory.mktemp("twin"))


@pytest.fixture(scope="module")
def fortress_twin(tmp_path_factory: pytest.TempPathFactory) -> c_program.CProgram:
    return c_program.CProgram(load_game("mighty_fortress"), tmp_path_factory.mktemp("fortress"))


def match(besieger: str, besieged: str, knobs: Mapping[str, object] | None = None) -> Match:
    return Match(GAME, knobs=knobs, bots={"besieger": besieger, "besieged": besieged})


@needs_twin
@pytest.mark.parametrize(
    ("besieger", "besieged"), [("random", "random"), ("rusher", "mason"), ("stormer", "raider"), ("rusher", "random")]
)
def test_every_row_and_rule_count_of_20_000_games_is_the_same(
    twin: c_program.CProgram, besieger: str, besieged: str
) -> None:
    assert c_program.differences(match(besieger, besieged), twin, seed=7, first=0, count=20_000) == []


@needs_twin
@pytest.mark.parametrize(
    "knobs",
    [
        {"plan_mode": "menu", "ace_value": "11", "fate_sets": "2", "equipment_cost_model": "table"},
        {"resupply_suits": "H+D", "resupply_reading": "window", "static_defence_when_declining": False},
        {"max_rank": 6, "assault_max_cards": 5, "fate_jokers": False, "plan_short_deck": "lose"},
        {"forced_discard_shortfall": "discard_what_is_left", "joker_exhaust": "stop", "walls_start": 1},
    ],
)
@pytest.mark.parametrize("pair", [("random", "random"), ("rusher:threshold=0.3", "mason:walls=8")])
def test_the_same_under_other_knobs_and_traits(
    twin: c_program.CProgram, knobs: Mapping[str, object], pair: tuple[str, str]
) -> None:
    assert c_program.differences(match(*pair, knobs), twin, seed=2**40 + 3, first=2**33, count=2_000) == []


FORTRESS_KNOBS: list[dict[str, object]] = [
    {},
    {
        "council_free_spaces": "4", "dispatch_at_zero_cohesion": "allow", "elder_activation_limit": "0",
        "held_reroll": True, "black_dice_eat": True, "voluntary_starvation": True, "purple_dispatch_stack": True,
        "unrest_ten_mode": "each_gain",
    },
    {
        "unrest_ten_mode": "each_siege", "hunger_levy_first": False, "bombardment_gate_scope": "everywhere",
        "one_assault_scope": "siege_only", "mastery_latched": True, "executed_elder_vp_twice": True,
        "city_negotiable": False, "support_start": "1", "food_reward_shift": -2, "resistance_shift": -1,
        "turn_limit": 20, "base_draw": 8, "patrol_strong_pip": 7,
    },
]  # fmt: skip


@needs_twin
@pytest.mark.parametrize("knobs", FORTRESS_KNOBS, ids=["printed", "one way", "other way"])
@pytest.mark.parametrize("bot", ["random", "builder", "builder:calm=3:convert=0.2"])
def test_a_mighty_fortress_is_the_same_under_all_its_switches(
    fortress_twin: c_program.CProgram, knobs: Mapping[str, object], bot: str
) -> None:
    played = Match(fortress_twin.game, knobs=knobs, bots={"player": bot})
    assert c_program.differences(played, fortress_twin, seed=2**40 + 3, first=2**33, count=2_000) == []


@needs_twin
def test_the_checksum_of_both_sides_agrees_and_sees_a_change(twin: c_program.CProgram) -> None:
    random = match("random", "random")
    rows = random.play(1, 500, 1_000).rows
    assert c_program.checksum(GAME, rows) == twin.play(random, 1, 500, 1_000)[0]
    for name in ("winner", "turns", "recovered"):
        changed = rows.copy()
        changed[name][17] += 1
        assert c_program.checksum(GAME, changed) != c_program.checksum(GAME, rows)


@needs_twin
def test_a_difference_is_named(twin: c_program.CProgram) -> None:
    played, other = match("random", "random"), match("random", "random", {"walls_start": 6})

    class Swapped(c_program.CProgram):
        def __init__(self) -> None:
            self.__dict__.update(twin.__dict__)

        def play(self, match: Match, seed: int, first: int, count: int, keep: Path | None = None) -> tuple[int, float]:
            return super().play(other, seed, first, count, keep)

    differing = c_program.differences(played, Swapped(), seed=1, first=0, count=200)
    assert {"walls_end", "fired"} <= set(differing)
    assert "game" not in differing


@needs_twin
def test_a_bot_that_the_c_program_lacks_is_named(twin: c_program.CProgram) -> None:
    with pytest.raises(RunFailed, match="no bot 'planner'"):
        twin.play(match("planner", "raider"), 1, 0, 10)


@pytest.mark.long
@needs_twin
@pytest.mark.parametrize("slug", TWINS)
def test_the_pairs_of_each_c_program_are_bots_of_the_game_and_play_alike(slug: str, tmp_path: Path) -> None:
    game = load_game(slug)
    built = c_program.CProgram(game, tmp_path)
    pairs = built.pairs()
    assert dict.fromkeys(game.seats, "random") in pairs
    assert len(pairs) > len(game.seats)
    for bots in pairs:
        assert c_program.differences(Match(game, bots=bots), built, seed=3, first=0, count=200) == []


def test_without_a_compiler_the_bench_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_program, "find_compiler", lambda: None)
    answer = measure_speed([Plan(GAME.slug, 50, ("twin",))], repetitions=1)
    if SOURCE.is_file():
        assert "no C compiler" in answer.left_out[f"{GAME.slug}, twin"]
    hold_to_form(answer.to_json())
    assert "twin: not measured" in str(answer)


def test_in_a_wheel_the_bench_says_that_the_c_program_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(c_program, "_SOURCES", tmp_path)
    with pytest.raises(InputError, match="not part of a wheel"):
        c_program.CProgram(GAME, tmp_path)


def test_the_bare_loop_plays_the_same_games_and_counts_nothing() -> None:
    random = match("random", "random")
    bare, counting = (random.play(3, 0, 500, counting=counts) for counts in (False, True))
    assert np.array_equal(bare.rows, counting.rows)
    assert not bare.tally.fired.any()
    assert not bare.tally.chosen.any()
    assert counting.tally.fired.any()


def test_unknown_parts_and_empty_runs_are_refused() -> None:
    with pytest.raises(InputError, match="'twin'"):
        measure_speed([Plan(GAME.slug, 10, ("twinn",))])
    with pytest.raises(InputError, match="at least 1"):
        measure_speed([Plan(GAME.slug, 0, ())])


def test_the_table_of_all_waits_names_games_parts_and_line_ups_that_exist() -> None:
    for plan in everything():
        game = load_game(plan.game)
        assert set(plan.parts) <= set(PARTS) and plan.games > 0
        for bots in plan.bots:
            Match(game, bots=bots)
    for work in standing():
        Match(load_game(work.game), bots=work.bots)
    assert {plan.game for plan in everything()} == {work.game for work in standing()}
