"""What a decision costs: measured apart from the games, kept in the manifest, and dearer for a bot that looks ahead."""

from __future__ import annotations

from pathlib import Path

from simlab.engine.match import Match
from simlab.questions.decision_cost.analysis import cost_of, measure, of_run
from simlab.questions.decision_cost.words import blocks
from simlab.registry import load_game
from simlab.runs import runner
from simlab.runs.open_experiment import new_experiment
from simlab.runs.results import load


def test_a_bot_that_looks_ahead_costs_more_and_decisions_are_those_of_its_games() -> None:
    game = load_game(str(Path(__file__).parent.parent / "search" / "tic_tac_toe"))
    cheap = cost_of(Match(game, bots={"cross": "random", "nought": "random"}), 0, 1)
    dear = cost_of(Match(game, bots={"cross": "ismcts:iterations=800", "nought": "random"}), 0, 1)
    assert dear.microseconds > 5 * cheap.microseconds >= 0
    rows = Match(game, bots={"cross": "random", "nought": "random"}).play(1, 0, cheap.games).rows
    # Cross takes every other square; the ninth is no choice.
    assert cheap.decisions == sum((min(int(n), 8) + 1) // 2 for n in rows["decisions"]) / cheap.games
    assert cheap.low <= cheap.microseconds <= cheap.high


def test_the_manifest_keeps_it_and_nothing_else_changes(tmp_path: Path) -> None:
    bots = {"besieger": ["rusher"], "besieged": ["mason"]}
    experiment = new_experiment("simple_siege", bots=bots, games=40, seed=3)
    results = runner.run(experiment, tmp_path / "run", workers=1, backend="threads")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert measure(results, experiment)
    changed = [path.name for path, data in before.items() if path.read_bytes() != data]
    assert changed == ["manifest.json"]
    again = load(tmp_path / "run")
    assert not measure(again, experiment), "it is there"
    costs = of_run(again)
    assert [(one.seat, one.bot) for one in costs.bots] == [("besieger", "rusher"), ("besieged", "mason")]
    assert costs.bots[0].decisions > 5
    (table,) = blocks(costs)
    assert [row[1] for row in table.values] == ["rusher", "mason"]
