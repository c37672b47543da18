"""Bots as lists of rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.bot_registry import load_bot
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game
from simlab.testing import check_policy

THRIFTY = """
[bot]
game = "harbour"
help = "Builds when it can pay"

[bot.traits.reserve]
default = 3
range = [0, 10]
help = "coins that it keeps"

[[rule]]
if = "turn < 3"
never = "quay"

[[rule]]
if = "coins[me] >= reserve and can(builder)"
choose = "builder"
help = "rich enough"

[[rule]]
decision = "buy"
least = "deck.cost[row[option]]"

[[rule]]
choose = ["quay", "field"]
"""


def file(folder: Path, text: str = THRIFTY) -> str:
    path = folder / "thrifty.toml"
    path.write_text(text)
    return str(path)


def stepper(text: str, index: int = 0) -> Stepper:
    game = load_game("harbour")
    return Stepper(Match(game, bots={"ann": text, "bob": "builder"}), 1, index)


def test_the_first_rule_that_applies_decides_and_is_named(tmp_path: Path) -> None:
    """Held against the rules in plain Python, in every decision of 20 games."""
    text = file(tmp_path)
    seen: set[str] = set()
    for index in range(20):
        game = stepper(text, index)
        while not game.over:
            legal, state = game.legal(), game.state
            action, reason = game.policy_action(), game.reason()
            if game.seat == "ann":
                send, buy = int(state.decision) == 0, int(state.decision) == 1
                open_ = [n for n in legal if not (send and n == 0 and state.turn < 3)]
                cards = game.match.cards.view(np.recarray)[0]
                if send and 3 in open_ and int(state.coins[0]) >= 3:
                    wanted, why = 3, "rich enough"
                elif buy:
                    wanted = min(legal, key=lambda n: (int(cards.deck_cost[state.row_slots[n]]), n))
                    why = "least deck.cost[row[option]]"
                elif 0 in open_ or 1 in open_:
                    wanted, why = (0 if 0 in open_ else 1), "choose quay, field"
                else:
                    wanted, why = action, "at random"
                    assert action in open_
                assert (action, reason) == (wanted, why)
                seen.add(reason)
            else:
                assert reason == ""
            game.apply(action)
    assert len(seen) == 4


def test_traits_are_set_as_of_any_bot(tmp_path: Path) -> None:
    text = file(tmp_path)
    bot = load_bot(load_game("harbour"), "ann", f"{text}:reserve=9")
    assert bot.policy.traits["reserve"].default == 3
    assert bot.read.tolist() == [9]
    few, many = (stepper(f"{text}:reserve={n}") for n in (0, 10))
    counts = []
    for game in (few, many):
        while not game.over:
            game.apply(game.policy_action())
        counts.append(int(game.state.fired[5]))
    assert counts[0] != counts[1]


def test_such_a_bot_passes_the_checks_of_a_bot(tmp_path: Path) -> None:
    check_policy(load_game("harbour"), "ann", file(tmp_path), games=10)


def test_a_rule_that_peeks_is_found(tmp_path: Path) -> None:
    from simlab.testing import ConformanceError

    text = '[[rule]]\ndecision = "act"\nif = "card[1 - me] == 2"\nchoose = "pass"\n[[rule]]\nchoose = "bet"\n'
    game = load_game("kuhn_poker")
    with pytest.raises(ConformanceError, match=r"peek|hidden|see"):
        check_policy(game, "first", file(tmp_path, text), games=30)


def test_rules_for_a_game_of_kernels(tmp_path: Path) -> None:
    text = '[[rule]]\nif = "turn < 3"\nnever = ["Assault", "Plan"]\n[[rule]]\nif = "can(Assault)"\nchoose = "Assault"\n'
    game = load_game("simple_siege")
    path = file(tmp_path, text)
    for index in range(5):
        played = Stepper(Match(game, bots={"besieger": path, "besieged": "warden"}), 1, index)
        while not played.over:
            action = played.policy_action()
            if played.decision.id == "SS-D-01":
                name = played.decision.actions[action]
                assert (name == "Assault") if played.state.turn >= 3 and 4 in played.legal() else name != "Plan"
            played.apply(action)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('choose = "builder"', 'choose = "bilder"', "rule 2: there is no option 'bilder'. Did you mean 'builder'?"),
        ("coins[me]", "coin[me]", "rule 2, if: 'coin' is not known. Did you mean 'coins'?"),
        ('decision = "buy"', 'decision = "by"', "rule 3: unknown decision 'by'. Did you mean 'buy'?"),
        ('never = "quay"', 'never = "quay"\nchoose = "quay"', "rule 1: has one of choose, best, least and never"),
        ('never = "quay"', 'newer = "quay"', "rule 1: unknown key 'newer'. Did you mean 'never'?"),
        ('if = "turn < 3"', 'if = "turn <"', "rule 1, if: 'turn <' cannot be read"),
        ('if = "turn < 3"', 'if = "option == 3"', "rule 1, if: `option` is for `best` and `least`"),
        ("range = [0, 10]", "range = [5, 10]", "[bot.traits.reserve]: write default = 3"),
        ('game = "harbour"', 'game = "pig"', "is a bot for pig, not for harbour"),
        ('game = "harbour"', 'game = "./harbour.py"', 'not by its path: write game = "harbour", or leave the line out'),
        ('if = "turn < 3"', 'if = "(1 << 10000) > 1"', "rule 1, if: '1 << 10000' has no value of 64 bits"),
        ('if = "turn < 3"', 'if = "turn < 1 << 40 << 40"', "rule 1, if: '1 << 40 << 40' is beyond 64 bits"),
        ('if = "turn < 3"', 'if = "turn < 10 ** 20"', "rule 1, if: '10 ** 20' is beyond 64 bits"),
        ('if = "turn < 3"', 'if = "turn < 99999999999999999999"', "'99999999999999999999' is beyond 64 bits"),
        ('if = "turn < 3"', 'if = "turn < 9 ** 9 ** 9"', "'9 ** 9 ** 9' has no value of 64 bits"),
        ('if = "turn < 3"', 'if = "turn < 3 // 0"', "'3 // 0' is divided by 0"),
        ('if = "turn < 3"', "if = \"turn < 3 * 'a'\"", "computes with a text, which can only be compared"),
        ('if = "turn < 3"', 'if = "(lambda: turn)() < 3"', "'lambda: turn' is not a part of a formula"),
        ('if = "turn < 3"', 'if = "[turn for turn in coins][0] < 3"', "is not a part of a formula"),
        ('if = "turn < 3"', f'if = "{"(" * 5000}turn{")" * 5000} < 3"', "rule 1, if:"),
        ('least = "deck', 'least = "(2 << 5000) + deck', "rule 3, least: '2 << 5000' has no value of 64 bits"),
        ('never = "quay"', 'decision = "buy"\nnever = [99999999999999999999]', "beyond 64 bits"),
    ],
)
def test_mistakes_in_rules_are_named(tmp_path: Path, old: str, new: str, why: str) -> None:
    assert old in THRIFTY
    with pytest.raises(InputError) as caught:
        load_bot(load_game("harbour"), "ann", file(tmp_path, THRIFTY.replace(old, new)))
    assert why in str(caught.value)
    assert "thrifty.toml" in str(caught.value)


def test_a_file_of_traits_may_name_a_bot_of_rules(tmp_path: Path) -> None:
    file(tmp_path)
    (tmp_path / "tuned.toml").write_text('game = "harbour"\nbot = "./thrifty.toml"\n[traits]\nreserve = 7\n')
    bot = load_bot(load_game("harbour"), "ann", str(tmp_path / "tuned.toml"))
    assert bot.read.tolist() == [7]
    assert bot.policy.reasons[2] == "rich enough"


def test_the_bot_that_decides_otherwise_may_be_in_a_file_of_python(tmp_path: Path) -> None:
    mine = tmp_path / "my_bot.py"
    mine.write_text(
        "from simlab.game import policy\n@policy('harbour')\n"
        "def mine(state, knobs, cards, traits):\n    '''Takes the last option.'''\n"
        "    return state.legal[state.n_legal - 1]\n"
    )
    text = file(tmp_path, '[bot]\notherwise = "./my_bot.py:mine"\n[[rule]]\nif = "turn < 3"\nnever = "quay"\n')
    bot = load_bot(load_game("harbour"), "ann", text)
    assert [part.policy.name for part in bot.parts] == ["mine"]
    assert mine in [part.path for part in bot.parts]


LEFT = '[bot]\notherwise = "{}"\n[[rule]]\nif = "turn < 3"\nnever = "{}"\n[[rule]]\nif = "turn > 6"\nchoose = "{}"\n'


@pytest.mark.parametrize(
    ("slug", "seat", "others", "other", "never", "choose"),
    [
        ("harbour", "ann", {"bob": "saver"}, "saver", "quay", "field"),
        ("simple_siege", "besieger", {"besieged": "warden"}, "rusher", "Construct Mine", "Resupply"),
    ],
)
def test_another_bot_decides_where_no_rule_does(
    tmp_path: Path, slug: str, seat: str, others: dict[str, str], other: str, never: str, choose: str
) -> None:
    """In each decision: the rule's option, or the other bot's, or, if that is ruled out, one of the rest."""
    game = load_game(slug)
    path = file(tmp_path, LEFT.format(other, never, choose))
    seen = {"rule": 0, "other": 0, "ruled out": 0}
    for index in range(30):
        played = Stepper(Match(game, bots={**others, seat: path}), 1, index)
        twin = Match(game, bots={**others, seat: other})
        while not played.over:
            action = played.policy_action()
            if int(played.state.seat) == game.seats.index(seat) and len(played.legal()) > 1:
                names = [played.label(one) for one in played.legal()]
                wanted, refused = (next((n for n in names if one in n), None) for one in (choose, never))
                asked = Stepper(twin, 1, index)
                asked.record[0] = played.record[0]
                usual, name = asked.policy_action(), played.label(action)
                if played.state.turn > 6 and wanted:
                    assert name == wanted and f"choose {choose}" in played.reason()
                    seen["rule"] += 1
                elif played.state.turn < 3 and refused and played.label(usual) == refused:
                    assert name != refused
                    seen["ruled out"] += 1
                else:
                    assert action == usual and played.reason() == f"as {other}"
                    seen["other"] += 1
            played.apply(action)
    assert all(seen.values()), seen


def test_a_bot_of_rules_before_another_is_checked_like_any_bot(tmp_path: Path) -> None:
    check_policy(load_game("harbour"), "ann", file(tmp_path, LEFT.format("saver", "quay", "field")), games=10)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("bilder", "otherwise: harbour has no bot 'bilder' for ann. Did you mean 'builder'?"),
        ("./thrifty.toml", "thrifty.toml: its `otherwise` leads back to "),
    ],
)
def test_the_other_bot_must_be_one(tmp_path: Path, other: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        load_bot(load_game("harbour"), "ann", file(tmp_path, LEFT.format(other, "quay", "field")))
    assert why in str(caught.value)


def test_options_without_a_name_go_by_number(tmp_path: Path) -> None:
    game = load_game("harbour")
    path = file(tmp_path, '[[rule]]\ndecision = "buy"\nchoose = [3, 1, 0]\n[[rule]]\nchoose = "builder"\n')
    bought = 0
    for index in range(20):
        played = stepper(path, index)
        while not played.over:
            action = played.policy_action()
            legal = played.legal()
            if played.decision.name == "buy" and played.state.seat == 0 and {0, 1, 3} & set(legal):
                assert action == next(one for one in (3, 1, 0) if one in legal)
                bought += 1
            played.apply(action)
    assert bought > 10
    (tmp_path / "other.toml").write_text("[[rule]]\nchoose = [3]\n")
    with pytest.raises(InputError, match=r"rule 1: name options.*by their number, in a rule with `decision`"):
        load_bot(game, "ann", str(tmp_path / "other.toml"))
