"""Weighted dice and bad shuffles: as often as the weights say, on the same luck, and nothing without them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simlab.engine.loaded_draws import load_dice, pack_weights
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.game import LOADED, Die
from simlab.registry import find_games, load_game
from simlab.runs.cells import cells
from simlab.runs.open_experiment import new_experiment
from simlab.spec.design import read_range
from tests.engine.test_streams import DECK, DICE, _draws, toy

GAME: Any = SimpleNamespace(
    slug="toy", seats=("a", "b"), streams=("deck", "dice"),
    dice=(
        Die("six", "dice", 6, "a die"), Die("both", ("deck", "dice"), 12, "two dice"),
        Die("pack", "deck", 0, "a deck"), Die("huge", "deck", 99, "a huge die"),
    ),
)  # fmt: skip


def loaded(seed: int, **luck: str | float) -> np.ndarray:
    state = toy(seed, 1)
    load_dice(state, pack_weights(GAME, luck, {}))
    return state


def test_the_streams_are_those_of_the_toy() -> None:
    from simlab.game import stream_numbers

    assert stream_numbers(2, GAME.streams) == {"deck": DECK, "dice": DICE}


@pytest.mark.parametrize("weights", ["6x2", "1x0.5+6x3", "2x0+3x0", "6x0"])
def test_each_face_comes_as_often_as_it_weighs(weights: str) -> None:
    chances = GAME.dice[0].chances({"die_six": weights})
    counts = np.bincount(_draws(loaded(3, die_six=weights), DICE, 6, 40_000), minlength=6)
    assert not counts[chances == 0].any()
    assert stats.chisquare(counts[chances > 0], 40_000 * chances[chances > 0]).pvalue > 1e-5
    pips = np.arange(1, 7)
    mean, spread = pips @ chances, np.sqrt(pips**2 @ chances - (pips @ chances) ** 2)
    assert abs(pips @ counts / 40_000 - mean) < 4.5 * spread / 200


def test_a_small_change_of_weights_turns_few_rolls() -> None:
    fair = _draws(toy(5, 1), DICE, 6, 20_000)
    slightly = _draws(loaded(5, die_six="6x1.01"), DICE, 6, 20_000)
    turned = (fair != slightly).mean()
    assert 0 < turned < 0.01  # the borders move by up to 0.0014 each: 0.0042 in all
    assert (slightly[fair != slightly] - fair[fair != slightly] == 1).all()


def test_a_die_of_several_purposes_is_weighted_in_each_and_nothing_else_is() -> None:
    for stream in (DECK, DICE):
        assert set(_draws(loaded(7, die_both="12x1000000"), stream, 12, 300)) == {11}
        other = loaded(7, die_both="12x1000000", die_six="1x0")
        assert _draws(other, stream, 7, 300).tolist() == _draws(toy(7, 1), stream, 7, 300).tolist()
    assert 0 not in _draws(loaded(7, die_both="1x3", die_six="1x0"), DICE, 6, 300)


def test_a_die_has_any_number_of_faces() -> None:
    """Face f weighs f. Each count is within the binomial interval of its chance; false alarm 1 in a million."""
    weights = "+".join(f"{face}x{face}" for face in range(1, 100))
    counts = np.bincount(_draws(loaded(13, die_six="6x2", die_huge=weights), DECK, 99, 200_000), minlength=99)
    low, high = stats.binom.interval(1 - 1e-6 / 99, 200_000, np.arange(1, 100) / 4_950)
    assert ((low <= counts) & (counts <= high)).all()


def test_a_match_plays_any_position_with_its_own_weights() -> None:
    """Also one of another match, or of another process, whose address of weights is not one here."""
    pig = load_game("pig")
    bots = dict.fromkeys(pig.seats, "random")
    fair, weighted, again = (Match(pig, knobs=k, bots=bots) for k in ({}, {"die_pips": "6x5"}, {"die_pips": "6:5"}))
    assert again.weights is weighted.weights, "equal states have equal addresses, and the list outlives its match"
    here, there = Stepper(fair, 1, 0).array, Stepper(weighted, 1, 0).array
    rows, other = fair.play(4, 0, 200, start=here[0]).rows, weighted.play(4, 0, 200, start=there[0]).rows
    assert (rows != other).any()
    there["forced_value"] = 8
    assert (fair.play(4, 0, 200, start=there[0]).rows == rows).all()
    for start in (here, there):
        assert (weighted.play(4, 0, 200, start=start[0]).rows == other).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_bad_shuffle_leaves_as_many_cards_where_they_lay(share: float) -> None:
    fair, bad = _draws(toy(9, 1), DECK, 40, 20_000), _draws(loaded(9, deck_pack=share), DECK, 40, 20_000)
    stayed = (bad == 39).mean()
    expected = share + (1 - share) / 40
    assert abs(stayed - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / 20_000)
    assert (bad[bad != fair] == 39).all(), "all other draws are as they were"


def test_what_cannot_be_is_named() -> None:
    pig = load_game("pig")
    for value, why in (
        ("7x2", "faces 1..6, and no 7"), ("1x0+2x0+3x0+4x0+5x0+6x0", "all faces weigh 0"), ("six", "6x2"),
        ("6x2+6x3", "6x2"), ("6x-1", "6x2"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            Match(pig, knobs={"die_pips": value}, bots=dict.fromkeys(pig.seats, "random"))
    match = Match(pig, knobs={"die_pips": "6x2"}, bots=dict.fromkeys(pig.seats, "random"))
    with pytest.raises(InputError, match="no draw can be forced"):
        Stepper(match).force("dice", 1)


def test_fair_dice_are_no_setting_at_all() -> None:
    """Keys, knobs and states are as if there were no luck knobs; a weighted die has a key of its own."""
    pig = load_game("pig")
    bots = dict.fromkeys(pig.seats, "random")
    plain, fair, weighted = (Match(pig, knobs=k, bots=bots) for k in ({}, {"die_pips": "6:1"}, {"die_pips": "6:2"}))
    assert plain.key == fair.key != weighted.key
    assert plain.knobs_resolved == fair.knobs_resolved and weighted.knobs_resolved["die_pips"] == "6x2"
    assert plain.blank_state(1) == fair.blank_state(1) and weighted.blank_state(1)["forced_n"] == LOADED
    assert "die_pips" not in list(pig.knobs) and "die_pips" in pig.knobs
    longer = Match(pig, knobs={"die_pips": "9x0", "die_sides": 10}, bots=bots)
    assert longer.weights[:3].tolist() == [3, 10, 10] and longer.weights.size == 3 + 10 + 1


@pytest.mark.parametrize("slug", sorted(find_games()))
def test_the_dice_of_a_game_draw_from_its_streams(slug: str) -> None:
    game = load_game(slug)
    assert len(game.knobs.luck) - 1 == len(game.dice) + sum(die.cards is not None for die in game.dice)
    for die in game.dice:
        assert set(die.streams) <= set(game.streams)
        assert not isinstance(die.sides, str) or die.sides in game.knobs
        if die.sides:
            sides = die.faces(game.resolve_knobs())
            weights = pack_weights(game, {**game.resolve_knobs(), die.knob.name: f"{sides}x2"}, game.own_tables)
            assert weights.size == (3 + sides) * len(die.streams) + 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("*", "is endless. Write a range such as fair,6:2,6:3"),
        ("fair,,6x2", "an empty place. Write a range such as fair,6:2,6:3"),
        (
            "1:0.1,2:0.2,6:0.7",
            r"commas separate values to try. Join the weights of one die by \+, as 1:0.1\+2:0.2\+6:0.7",
        ),
    ],
)
def test_a_list_of_weights_is_not_taken_for_values_to_try(text: str, why: str) -> None:
    die = load_game("pig").knobs.luck["die_pips"]
    with pytest.raises(InputError, match=why):
        read_range(die, text, "--vary")
    assert read_range(die, "fair,6:2,6:3", "--vary") == ("fair", "6x2", "6x3")


def test_an_experiment_sets_and_varies_dice_as_any_knob() -> None:
    values = ["fair", "6:3", "1x0.5+6x2"]
    experiment = new_experiment("pig", bots={"*": "hold_at"}, vary={"die_pips": values}, overrides={"goal": 30})
    assert [cell.knobs["die_pips"] for cell in cells(experiment)] == ["fair", "6x3", "1x0.5+6x2"]
    pig = load_game(experiment.table_ref())
    match = Match(pig, knobs={"die_pips": "6:3"}, bots=dict.fromkeys(pig.seats, "random"))
    assert "--set die_pips=6:3" in match.replay_command(1, 0)
    with pytest.raises(InputError, match=r"faces 1\.\.6, and no 8"):
        new_experiment("pig", bots={"*": "hold_at"}, overrides={"die_pips": "8x2"})
