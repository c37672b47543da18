"""What a seat is in one game and not in the next: its place in the order of play, its role."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simlab.engine.counts import categories
from simlab.errors import BotFault
from simlab.game import SeatCategory
from simlab.present.estimate import LEVEL
from simlab.questions.statistics.analysis import statistic
from simlab.questions.statistics.words import sentences
from simlab.registry import load_game
from simlab.runs.cell_pools import Pool
from simlab.runs.results import load

HERE = Path(__file__).parent
ROLES = SeatCategory("role", "role dealt at the start", ("king", "farmer", "ghost"))
SEATS = ("ann", "bob", "cat", "dan")

# Plain Python, in a process of its own: nothing is compiled.
SCRIPT = """
import json, sys
from pathlib import Path
import simlab
from simlab.runs.open_experiment import new_experiment
from simlab.questions.check.analysis import check_against
from simlab.questions.check.baseline import read_baseline, write_baseline
from simlab.questions.verify.analysis import verify

game, folder = sys.argv[1:]
three = new_experiment(f"{game}:players=3", {}, bots={"*": "random"}, games=20, seed=1)
write_baseline(three, Path(folder + "_base"))
run = simlab.run(f"{game}:players=3", {"*": "random"}, 20, out=folder + "_three", workers=1, backend="threads")
results = simlab.run(game, {"*": "random"}, 40, vary={"players": [3, 4]}, out=folder, workers=1, backend="threads")
print(json.dumps({
    "verify": [str(verify(results, share=1, allowed=[Path(game)]))],
    "replay": list(simlab.replay(game, players=3, brief=True)),
    "checks": [
        check_against(new_experiment(f"{game}:players=3", knobs, bots={"*": "random"}, games=20, seed=1),
                      read_baseline(Path(base))).to_json()
        for base in (folder + "_base", folder + "_three") for knobs in ({}, {"drawn": False})
    ],
}))
"""


def played(games: int, bonus: float) -> Any:
    """A king and three farmers at four seats, dealt anew in each game; the king wins `bonus` more often than a farmer,
    who may win with others."""
    dice = np.random.default_rng(5)
    counts = SimpleNamespace(
        **{count.name: np.zeros((1, len(ROLES.values)), np.uint64) for count in categories.counts()}
    )
    won = []
    for _ in range(games):
        king = dice.integers(4)
        held = np.where(np.arange(4) == king, 0, 1)
        luck = dice.random(2)
        farmers = luck[0] < 0.4  # they stand and fall together, in the same games
        bits = sum(1 << seat for seat in range(4) if held[seat] and farmers) | int(luck[1] < 0.4 + bonus) << king
        row = SimpleNamespace(winners=bits, category=held[None])
        categories.at_end(counts, None, None, None, None, row)
        won.append([float(luck[1] < 0.4 + bonus), 3.0 * farmers])
    return vars(counts), np.array(won)


def pool() -> Any:
    return SimpleNamespace(size=1, games=4_000, share=lambda *about: Pool.share(pool(), *about))


def names() -> Any:
    return SimpleNamespace(seats=SEATS, seat_categories=(ROLES,))


def test_an_advantage_of_a_role_is_named_and_an_equal_one_is_not() -> None:
    counts, _ = played(4_000, 0.1)
    section = statistic("categories", categories.table(counts, names()), pool())
    assert section.title == "Wins by role" and section.lines[0].name == "role: king wins"
    first = next(sentences(section))
    assert first.startswith("role: king wins in 49.9 %")
    assert "of its games, more than the fair share of 41.9 %." in first
    assert "also depend on its bot" in section.help and section.help.endswith("role: role dealt at the start.")
    even = statistic("categories", categories.table(played(4_000, 0.0)[0], names()), pool())
    assert list(sentences(even)) == ["No detectable departure from the fair share."]


def test_values_that_never_came_up_are_left_out() -> None:
    counts, _ = played(40, 0.0)
    roles = dataclasses.replace(ROLES, name="start_place")
    one = categories.table(counts, names())
    assert [line for line, _ in one.lines] == ["role: king wins", "role: farmer wins"]
    doubled = {name: np.concatenate([array] * 3) for name, array in counts.items()}
    three = categories.table(doubled, SimpleNamespace(seats=SEATS, seat_categories=(ROLES, roles, ROLES)))
    assert three.title == "Wins by role, start place and role"


def test_the_interval_counts_games_and_not_seats() -> None:
    counts, won = played(4_000, 0.0)
    of = {value: share for _, value, share in categories.shares(counts, names())}
    king, farmer, ghost = of["king"], of["farmer"], of["ghost"]
    assert king.worth == pytest.approx(4_000) and farmer.total == 12_000 and ghost.total == 0
    assert farmer.worth == pytest.approx(4_000)  # three who win or lose together tell as much as one
    assert farmer.count == won[:, 1].sum() and king.count == won[:, 0].sum()
    half = statistic("categories", categories.table(counts, names()), pool()).lines[1].estimate
    assert (half.high - half.low) / 2 == pytest.approx(1.96 * np.std(won[:, 1] / 3) / np.sqrt(4_000), rel=0.01)
    assert LEVEL == 0.95


def test_rows_results_and_replay_know_the_categories(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, f"{HERE}/last_lamp", str(tmp_path / "run")],
        capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["verify"] == ["identical: 80 of 80 stored games were played again, and none differs."]
    assert any(line.startswith("    order: ann ") for line in told["replay"])
    same, other, same_run, other_run = told["checks"]
    assert same["verdict"] == same_run["verdict"] == "identical"
    assert all("category" in check["cells"][0]["columns"] for check in (other, other_run))
    results = load(tmp_path / "run")
    rates = results.category_win_rates()
    assert rates["value"].to_list() == ["first", "second", "third", "first", "second", "third", "fourth"]
    small = results.table(3).games
    order = small.select("order_ann", "order_bob", "order_cat").cast(str)
    assert {tuple(sorted(row)) for row in order.rows()} == {("first", "second", "third")}
    assert "order_dan" not in small.columns and results.games["order_dan"].null_count() == 40
    first = rates.filter((rates["players"] == 3) & (rates["value"] == "first")).row(0, named=True)
    by_hand = sum(
        row["winner"] == seat and row[f"order_{seat}"] == "first" for row in small.to_dicts() for seat in SEATS[:3]
    )
    assert (first["seats"], first["wins"]) == (40, by_hand) and first["low"] < first["estimate"] < first["high"]
    stored = results.table(4).cells[0].summary()["seat_categories"]["order"]
    assert sum(rate["estimate"] for rate in stored.values()) == pytest.approx(1)


def test_a_value_that_is_none_is_refused() -> None:
    from simlab.engine.match import Match

    game = load_game(f"{HERE}/last_lamp:players=3")
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    rows = np.zeros(2, game.row_type)
    rows["winner"], rows["winners"] = 0, 1
    rows["category"][:] = [[0, 1, 2]]
    match._check_winners(1, rows)
    rows["category"][1, 0, 2] = 3
    with pytest.raises(BotFault, match=r"category\[0, 2\] = 3, and the values of 'order' are numbered 0..2"):
        match._check_winners(1, rows)


@pytest.mark.parametrize("values", [(), ("king", "king"), ("The King",)])
def test_values_are_words_told_apart(values: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="seat category role"):
        SeatCategory("role", "role", values)
