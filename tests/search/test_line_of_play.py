"""Bots that are rules are found again, rules that miss much of the play lose, and no rule peeks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.present.blocks import Paragraph
from simlab.questions.contest import Contest
from simlab.questions.line_of_play.analysis import LineOfPlay, answer
from simlab.questions.line_of_play.distil import features_of
from simlab.questions.line_of_play.words import blocks, sentences
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

PLANTED = '[bot]\notherwise = "saver"\n[[rule]]\nif = "turn > 4"\nchoose = "field"\n'


def explained(slug: str, seat: str, bots: list[str], field: dict[str, str], **how: object) -> LineOfPlay:
    settings: dict[str, object] = {"games": 300, "positions": 2_000, "most": 6} | how
    contest = Contest(load_game(slug), seat, [field], 3, 2)
    return answer(contest, bots, settings.pop("out", None), **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def pig(tmp_path_factory: pytest.TempPathFactory) -> LineOfPlay:
    path = tmp_path_factory.mktemp("rules") / "hold.toml"
    return explained("pig", "first", ["hold_at:points=17", "random", "racer"], {"second": "hold_at"}, out=path)


@pytest.mark.long
def test_a_bot_that_is_a_rule_is_found_again(pig: LineOfPlay) -> None:
    """It holds from 17 on: two rules, the same games."""
    assert [rule.conditions for rule in pig.rules] == [("at_stake <= 16",), ()]
    assert [rule.choose[0] for rule in pig.rules] == ["roll", "hold"]
    assert pig.gain.value == 0 and pig.same.value == 1 and pig.otherwise == ""
    first = next(sentences(pig))
    assert "In the same games 2 rules win" in first and "not significant, and agree with" in first


@pytest.mark.long
def test_the_rules_are_a_bot_that_plays_as_judged(pig: LineOfPlay) -> None:
    contest = Contest(load_game("pig"), "first", [{"second": "hold_at"}], 3, 2)
    course = contest.play([contest.entrant(pig.file)], 0, 300)[0]
    assert 'name = "hold"' in Path(pig.file).read_text()
    assert course.values.mean() == pytest.approx(pig.rules_value.value, abs=1e-12)


@pytest.mark.long
def test_other_bots_are_compared_in_the_same_positions(pig: LineOfPlay) -> None:
    """Random play makes half of the same choices, and is not close to the best."""
    by_bot = {other.bot: other for other in pig.others}
    assert by_bot["random"].same.low < 0.5 < by_bot["random"].same.high and by_bot["random"].style == 0
    assert by_bot["racer"].same.value > 0.8 and pig.style == 1
    assert pig.compared == "racer"


@pytest.mark.long
def test_exceptions_to_another_bot_are_found(tmp_path: Path) -> None:
    """A bot that is `saver` but for one rule: the rule, nothing else."""
    planted = tmp_path / "planted.toml"
    planted.write_text(PLANTED)
    found = explained("harbour", "ann", [str(planted), "saver", "builder"], {"bob": "builder"})
    assert found.otherwise == "saver" and found.same.value > 0.98
    (rule,) = [one for one in found.rules if one.positions > 200]
    assert "turn > 4" in rule.conditions and rule.choose[0] == "send field"
    assert found.gain.low < 0 < found.gain.high
    shown = {one.action: one for one in found.differences}
    assert shown["send field"].taken["late"].value > shown["send field"].other["late"].value
    assert any("saver with" in block.text for block in blocks(found) if isinstance(block, Paragraph))


@pytest.mark.long
def test_the_other_bot_may_be_a_file_next_to_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("planted.toml").write_text(PLANTED)
    found = explained("harbour", "ann", ["saver", "builder"], {"bob": "builder"}, otherwise="./planted.toml", most=2)
    assert found.otherwise == str(tmp_path / "planted.toml")


@pytest.mark.long
def test_too_few_rules_lose_significantly() -> None:
    """One rule per decision is too few for a bot that looks at the row of buildings."""
    found = explained("harbour", "ann", ["builder", "saver"], {"bob": "builder"}, otherwise="random", most=1)
    assert found.gain.high < 0 and "significantly worse" in next(sentences(found))


def test_no_rule_reads_what_the_seat_cannot_see() -> None:
    from simlab.engine.match import Match

    match = Match(load_game("kuhn_poker"), bots={"first": "random", "second": "random"})
    names = {feature.text for feature in features_of(match, 0, 1)}
    assert "card[0]" in names and "card[1]" not in names


@pytest.mark.long
def test_its_form(pig: LineOfPlay) -> None:
    hold_to_form(pig.to_json())


def test_a_bot_that_looks_ahead_is_refused() -> None:
    with pytest.raises(InputError, match="looks ahead"):
        explained("pig", "first", ["lookahead:iterations=4", "random"], {"second": "hold_at"})


def test_splits_need_not_gain_alone() -> None:
    """Only two numbers together determine the choice: a tree that stops at the first useless split finds nothing."""
    from simlab.questions.line_of_play.distil import Choices, Feature, distilled

    game = load_game("pig")
    draw = np.random.default_rng(1)
    numbers = draw.integers(0, 2, (4_000, 2))
    chosen = numbers[:, 0] ^ numbers[:, 1]
    n = len(chosen)
    legal = np.ones((n, game.max_actions), bool)
    none, turns = np.full(n, -1), np.zeros(n, np.int64)
    choices = Choices(numbers, turns, legal, chosen, none, turns, np.arange(n))
    features = [Feature(name, None, 0) for name in ("a", "b")]  # type: ignore[arg-type]
    rules = distilled(features, choices, 4, exceptions=False)
    assert [rule.right for rule in rules] == [rule.positions for rule in rules] and len(rules) == 4
