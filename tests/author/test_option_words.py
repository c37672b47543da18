"""Options in words: with their decision, and under the number that a person types."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from simlab.cli.play import answers_to, ranges
from simlab.questions.line_of_play.distil import ListedRule, as_toml
from simlab.registry import load_game
from simlab.runs.names import Names
from simlab.spec.bans import name_of
from simlab.spec.contract import Decision

ROOT = Path(__file__).parents[2]


def kind(game: str, decision: str) -> tuple[int, Decision]:
    return next((n, one) for n, one in enumerate(load_game(game).decisions) if one.name == decision)


def test_a_place_of_a_market_has_a_name_though_its_card_changes() -> None:
    """A rule about it read "buy ... (action 3)", and a report "action 3"."""
    game, (number, market) = load_game("caravan"), kind("caravan", "buy")
    assert market.action(3) == name_of(game, number, 3) == "place 4 of the row"
    assert market.action(len(market.options) - 1) == "done"


@pytest.mark.parametrize(("game", "decision", "option", "name"), [
    ("tricks", "make bid", 2, "make bid 2"),
    ("harbour", "send", 0, load_game("harbour").owner.places.labels[0]),
    ("fens", "wave", len(load_game("fens").owner.islands.labels), "stay"),
])  # fmt: skip
def test_options_have_names_in_reports(game: str, decision: str, option: int, name: str) -> None:
    assert kind(game, decision)[1].action(option) == name


def test_no_option_of_a_class_is_called_action_3() -> None:
    for game in ("caravan", "connect_four", "fens", "harbour", "kuhn_poker", "pig", "relics", "tricks"):
        for decision in load_game(game).decisions:
            names = decision.actions or decision.options
            assert names, (game, decision.name)
            assert not any(re.fullmatch(r"action \d+", name) for name in names)


def test_a_report_names_the_cards_of_the_table_in_play() -> None:
    game = load_game("caravan")
    table = next(iter(game.own_tables))
    rows = [dict(row) for row in game.own_tables[table]]
    key = next(iter(rows[0]))
    rows[0][key] = "amber"
    names = Names.of(game, {**game.own_tables, table: rows})
    cards = next(one for one in names.decisions if one.options and "none" in one.options and "amber" in one.options)
    assert cards.options[0] == "amber"


def test_a_saved_rule_says_what_its_numbers_mean() -> None:
    game, (number, _) = load_game("caravan"), kind("caravan", "buy")
    text = as_toml(game, [ListedRule(number, (), (3, 0), 20, 20)], "", "saved", "A rule.")
    assert tomllib.loads(text)["rule"][0]["choose"] == [3, 0]
    assert "choose = [3, 0]  # place 4 of the row, place 1 of the row" in text


def test_a_move_names_its_decision() -> None:
    """ "cat: 2" does not say whether two cards or two coins were meant."""
    game = load_game("pig")
    assert game.move_text("cat", game.decisions[0], "hold") == "cat, throw: hold"
    bid = kind("tricks", "make bid")[1]
    assert load_game("tricks").move_text("cat", bid, "make bid 2") == "cat: make bid 2"
    siege = load_game("simple_siege")
    assert siege.move_text("besieger", siege.decisions[0], "Besiege") == "besieger: Besiege"


def test_a_number_that_is_typed_chooses_the_option_with_this_number() -> None:
    assert answers_to(["0", "1", "2", "5"], "bid") == [0, 1, 2, 5]
    assert answers_to(["pass", "bid 2", "bid 3"], "bid") == [4, 2, 3]
    assert answers_to(["roll", "hold"], "throw") == [1, 2]
    assert answers_to(["3", "3"], "take") == [1, 2], "two options of one number are counted"
    assert (ranges([1, 2, 3]), ranges([4, 2, 7]), ranges([0])) == ("1..3", "2, 4, 7", "0..0")


def test_the_page_on_the_app_uses_the_names_of_its_tabs() -> None:
    page = (ROOT / "docs" / "app.md").read_text(encoding="utf-8")
    tabs = re.findall(r'ui\.tab\("([^"]+)"\)', (ROOT / "simlab" / "app" / "page.py").read_text(encoding="utf-8"))
    assert len(tabs) == 5
    assert [tab for tab in tabs if f"**{tab}" not in page] == []
