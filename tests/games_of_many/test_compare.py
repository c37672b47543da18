"""Bots compared where seats form sides: the side wins or loses, never a part of it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simlab.engine.payoff import Party, Payoff
from simlab.present.terminal import renderables
from simlab.questions.bots import words
from simlab.questions.bots.analysis import of_run
from simlab.questions.bots.bot_field import in_field
from simlab.questions.win_rates.analysis import of_run as of_win_rates
from simlab.questions.win_rates.words import shared_wins
from simlab.runs.results import load
from simlab.runs.view import View
from tests.printed import to_text

HERE = Path(__file__).parent

# Plain Python, in a process of its own: nothing is compiled.
SCRIPT = """
import sys
from dataclasses import replace
import simlab
games, folder = sys.argv[1:]
two, how = ["random", "sentry"], {"workers": 1, "backend": "threads"}
simlab.run(f"{games}/keep", {"warlord": "hunter", "ann": two, "bob": two}, 100, players=3, out=f"{folder}/keep", **how)
simlab.run(
    f"{games}/dyke", {"*": ["random", "steady"]}, 100, players=2, knobs={"storm": 1}, out=f"{folder}/dyke", **how
)
"""


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, View]:
    folder = tmp_path_factory.mktemp("sides")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(HERE), str(folder)],
        capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name: View(load(folder / name)) for name in ("keep", "dyke")}


def test_one_against_many_is_judged_by_sides(views: dict[str, View]) -> None:
    view = views["keep"]
    answer = of_run(view)
    assert answer.strengths is None
    for match in answer.match_ups:
        warlord, ann, bob = (rate.value for rate in match.win_rate.values())
        assert ann == bob == pytest.approx(1 - warlord)  # a defender's win is whole
    assert answer.balance is not None and set(answer.balance.favoured) == {"warlord", "defenders"}
    assert answer.balance.leader in ("warlord", "defenders")
    sentence = words.balance_sentence(answer)
    assert "ann is" not in sentence and "a fair share (50 %)" in sentence
    (first, *_) = in_field(view)
    assert first.bot == "sentry" and first.share.value > 0.5  # not half of the defenders' wins
    assert "How often the bot's side wins" in to_text(*renderables(words.blocks(answer)), width=200)


def test_all_together_win_more_or_less_often_and_nobody_is_favoured(views: dict[str, View]) -> None:
    view = views["dyke"]
    answer = of_run(view)
    assert answer.best_play is None and all(
        step.who for steps in answer.circles for step in steps
    )  # they are no rivals
    assert answer.balance is not None and answer.balance.stamp is None and answer.balance.leader is None
    assert "the village holds" in words.balance_sentence(answer).lower()
    assert {match.favoured for match in answer.match_ups} == {""}
    text = to_text(*renderables(words.blocks(answer)), width=200)
    assert "favoured" not in text and "Balance" not in text and "the village holds" in text.lower()
    match_ups = to_text(*renderables(words._match_ups(answer)), width=200)
    assert "village holds" in match_ups and "ann wins" not in match_ups, "all win together: one column says it"
    rates = of_win_rates(view)
    assert view.first_winner == "village" and views["keep"].first_winner == "warlord"
    assert list(rates.lines[0].wins) == ["village holds"] and shared_wins(rates) == ""


def test_a_side_that_wins_in_some_endings_is_judged_by_its_own_wins(views: dict[str, View]) -> None:
    plain = of_run(views["keep"]).balance
    results = load(Path(views["keep"].results.folder))
    warlord, defenders = results.names.sides
    sides = (replace(warlord, endings=("stormed",)), replace(defenders, endings=("broken", "relieved")))
    results.names = replace(results.names, sides=sides)
    limited = of_run(View(results)).balance
    assert plain is not None and limited is not None
    assert limited.mean.value == pytest.approx(plain.mean.value)  # here it wins in just these
    assert limited.mean.high - limited.mean.low >= plain.mean.high - plain.mean.low


def test_bots_of_a_team_are_ordered_by_what_their_side_wins(views: dict[str, View]) -> None:
    view = views["dyke"]
    lines = in_field(view)
    rates = [line.share.value for line in lines]
    assert len(lines) == 2 and rates == sorted(rates, reverse=True)
    for bots in (of_run(view).ranking or {}).values():
        rates = [line.side_win_rate.value for line in bots if line.side_win_rate]
        assert rates == sorted(rates, reverse=True)


def test_a_bot_that_wins_at_its_sides_expense_is_not_first(views: dict[str, View]) -> None:
    """The village holds in its ending alone; in the others it falls, whoever of it wins."""
    results = load(Path(views["keep"].results.folder))
    warlord, defenders = results.names.sides
    sides = (replace(warlord, endings=("stormed",)), replace(defenders, endings=("relieved",)))
    results.names = replace(results.names, sides=sides)
    view = View(results)
    rows = view.by_game(view.side_payoff(1).alone)
    every = view.by_game(Payoff.win(*view.sides[1][1]))
    assert rows is not None and every is not None and rows.sum() < every.sum()
    column = [view.results.names.endings.index("relieved")]
    assert view.side_payoff(1).parties[1] == Party((1, 2), tuple(column), 1)
