"""What a game states of its metrics: kinds, codes and ranges, and that its rows keep to them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simlab.game import Metric
from simlab.registry import find_games, load_game
from simlab.testing import ConformanceError, check_rows
from tests.runs.fake import GAME


def test_the_kind_of_a_metric_follows_from_what_is_stated() -> None:
    assert Metric("assaults", "").kind == "number"
    assert Metric("first_hunger", "", never=0, low=1).kind == "if_happened"
    assert Metric("fell_in", "", codes={0: "none", 4: "siege_phase"}).kind == "category"


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ({"codes": {0: "no"}, "never": 0}, "codes alone"),
        ({"codes": {0: "no"}, "high": 3}, "codes alone"),
        ({"codes": {0: "no", 1: "no"}}, "two codes are called 'no'"),
        ({"codes": {0: "No way"}}, "'No way' names a code"),
        ({"low": 4, "high": 3}, "low = 4 is above high = 3"),
        ({"never": 0, "low": 0, "high": 12}, r"never = 0 lies in the range 0\.\.12"),
    ],
)
def test_a_metric_that_contradicts_itself_is_refused(stated: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Metric("m", "", **stated)


@pytest.mark.parametrize(
    ("metric", "value", "complaint"),
    [
        (Metric("spins", "", low=0, high=6), 7, r"toss, game 3: metric spins is 7, but the game states 0\.\.6"),
        (Metric("spins", "", never=-1, low=0), -2, r"metric spins is -2, but the game states 0\.\."),
        (Metric("spins", "", codes={0: "none", 1: "some"}), 2, r"spins is 2, but the game states 0 \(none\), 1 \(some"),
    ],
)
def test_a_value_outside_what_is_stated_is_a_fault(metric: Metric, value: int, complaint: str) -> None:
    game = replace(GAME, metrics=(metric,))
    rows = np.zeros(5, game.row_type)
    rows["game"] = np.arange(5)
    rows["spins"] = metric.never or 0
    check_rows(game, rows)
    rows["spins"][3] = value
    with pytest.raises(ConformanceError, match=complaint):
        check_rows(game, rows)


def test_a_score_outside_its_range_and_a_length_beyond_max_turns_are_faults() -> None:
    game = replace(GAME, has_scores=True, score_range=(0, None))
    rows = np.zeros(2, game.row_type)
    rows["score"][1, 1] = -4
    with pytest.raises(ConformanceError, match=r"score_tails is -4, but the game states 0\.\. .*|score_range"):
        check_rows(game, rows)
    rows["score"], rows["turns"] = 0, 21
    with pytest.raises(ConformanceError, match=r"metric turns is 21, but the game states 0\.\.20"):
        check_rows(game, rows)


def test_no_shipped_game_keeps_codes_as_numbers() -> None:
    kinds = {
        f"{slug}.{metric.name}": metric.kind
        for slug in find_games()
        for metric in load_game(slug).metrics
        if metric.kind != "number"
    }
    held = {name for name in kinds if re.match(r"lowenheim\.(held_(win|score)_)?(cg|pg|el|wz|br|ca)(_|$)", name)}
    assert len(held) == 12 + 19 and {kinds.pop(name) for name in held} == {"if_happened"}, (
        "what only a city that holds has"
    )
    assert kinds == {
        "lowenheim.fall_turn": "if_happened",
        "lowenheim.first_overrun": "if_happened",
        "lowenheim.escape_turn": "if_happened",
        "lowenheim.conference_turn": "if_happened",
        "lowenheim.reserve_turn": "if_happened",
        "lowenheim.escape": "category",
        "lowenheim.kingmaker_vote": "if_happened",
        "lowenheim.kingmaker_reveal": "if_happened",
        "connect_four.line_kind": "category",
        "kuhn_poker.bluffed": "category",
        "simple_siege.ended_by_fate": "category",
        "mighty_fortress.breach_phase": "category",
        "mighty_fortress.first_hunger": "if_happened",
        "montsegur.strategy_decides": "category",
        "montsegur.crest_after_4": "category",
        "montsegur.commander_turn_cathar": "if_happened",
        "montsegur.commander_turn_crusader": "if_happened",
        "montsegur.commander_action_cathar": "category",
        "montsegur.commander_action_crusader": "category",
        "westphalia.tied": "if_happened",
        "westphalia.reformation": "category",
        **{f"westphalia.{who}_won": "category" for who in ("emperor", "first_emperor", "first_player")},
        "westphalia.last_emperors_faith": "category",
        **{f"westphalia.gate_{faith}_{turn}": "category" for faith in ("catholic", "protestant") for turn in (4, 5)},
        **{f"westphalia.{what}_{turn}": "if_happened" for what in ("protestant", "power") for turn in range(1, 6)},
    }
    breach = load_game("mighty_fortress").measures["breach_phase"]
    assert breach.codes[4] == "decree_phase"
    assert breach.codes[7] == "traitor_check"
