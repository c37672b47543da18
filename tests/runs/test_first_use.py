"""A run checks a bot that is not the lab's own when it first plays it: does it peek, or change the game?"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import simlab
from simlab.cli.main import main
from simlab.engine import conduct
from simlab.engine.match import Match
from simlab.registry import load_game
from simlab.runs.runner import GamesFailed

BOTS = '''
import simlab

@simlab.policy("kuhn_poker")
def peeks(state, knobs, cards, traits):
    """Bets on a card that beats the other's, which it cannot see."""
    return state.legal[1] if state.card[state.seat] > state.card[1 - state.seat] else state.legal[0]

@simlab.policy("kuhn_poker")
def honest(state, knobs, cards, traits):
    """Bets on its best card."""
    return state.legal[1] if state.card[state.seat] > 1 else state.legal[0]
'''


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with bots of one's own, which no run has used."""
    file = tmp_path / "mine.py"
    file.write_text(f"{BOTS}\n# {tmp_path}: no other run's file\n")
    return file


def line_up(first: str) -> dict[str, str]:
    return {"first": first, "second": "random"}


@pytest.mark.parametrize("workers", [None, 2])
def test_a_bot_that_peeks_costs_its_cell_all_figures(bots: Path, tmp_path: Path, workers: int | None) -> None:
    with pytest.raises(GamesFailed) as failed:
        simlab.run(
            "kuhn_poker", bots={"first": [f"{bots}:peeks", f"{bots}:honest"], "second": ["random"]}, games=60,
            out=tmp_path / "out", workers=workers,
        )  # fmt: skip
    (why,) = {fault["why"] for fault in failed.value.faults}
    assert f"bot '{bots}:peeks' (first), game " in why
    assert "the bot peeks" in why
    assert "simlab dev check-bot kuhn_poker" in why and "--seat first" in why
    results = simlab.load(tmp_path / "out")
    assert [cell.tally.games for cell in results.cells if "honest" in cell.label] == [60]


def test_a_sound_bot_is_checked_once(bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    fault_of_decision = conduct.fault_of_decision
    monkeypatch.setattr(conduct, "fault_of_decision", lambda *a: asked.append(1) or fault_of_decision(*a))
    for out in ("one", "two"):
        simlab.run("kuhn_poker", bots=line_up(f"{bots}:honest"), games=400, out=tmp_path / out, backend="threads")
        assert 200 <= len(asked) <= conduct.DECISIONS
    assert conduct.unchecked(Match(load_game("kuhn_poker"), bots=line_up("random"))) == {}, "the lab's own bots"


def test_the_check_is_cheap(bots: Path) -> None:
    match = Match(load_game("kuhn_poker"), bots=line_up(f"{bots}:honest"))
    match.compile()
    conduct.prepare(match)
    began = time.perf_counter()
    conduct.check_first_use(match, 1, range(400), "a run")
    assert time.perf_counter() - began < conduct.SECONDS


def test_a_check_that_ended_its_process_is_not_begun_again_by_the_same_run(bots: Path) -> None:
    match = Match(load_game("kuhn_poker"), bots=line_up(f"{bots}:peeks"))
    match.compile()
    (record,) = conduct.unchecked(match).values()
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("this run")
    conduct.check_first_use(match, 1, range(5), "this run")
    with pytest.raises(simlab.SimlabError, match="peeks"):
        conduct.check_first_use(match, 1, range(5), "the next run")


@pytest.mark.parametrize("command", ["analyze luck", "analyze course", "analyze time", "replay"])
def test_a_bot_that_peeks_is_refused_by_commands_that_analyze(
    command: str, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command.split(), "kuhn_poker", "--bot", f"first={bots}:peeks", "--bot", "second=random", "--quiet"])
    assert left.value.code == 4
    assert "the bot peeks" in capsys.readouterr().err


def test_a_bot_that_peeks_is_refused_as_an_opponent(
    bots: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search = ["--seat", "second", "-n", "10", "--screen", "4", "--iterations", "3", "--tune", "0", "--quiet"]
    known = ["optimize", "answer", "kuhn_poker", *search, "--out", str(tmp_path / "answer.json")]
    with pytest.raises(SystemExit) as left:
        main([*known, "--against", f"first={bots}:peeks"])
    assert left.value.code == 4 and "the bot peeks" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main([*known, "--against", f"first={bots}:honest"])
    assert not left.value.code
    assert json.loads((tmp_path / "answer.json").read_text())["schema"]["name"] == "exploit"


def test_a_comparison_refuses_a_bot_that_peeks(bots: Path) -> None:
    with pytest.raises(simlab.SimlabError, match="peeks"):
        simlab.diff("kuhn_poker", bots=line_up(f"{bots}:peeks"), games=60)
