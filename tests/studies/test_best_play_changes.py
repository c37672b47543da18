"""Single changes in best play: found, judged from all bots, and confirmed on fresh seeds."""

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.questions.best_play_changes import analysis
from simlab.runs.open_experiment import load_experiment, new_experiment

#: Win rate of the besieger, by walls_start: rows are its bots. With 8 another line takes over from the storm.
TABLES = {
    6: [[0.8, 0.7], [0.3, 0.4]],
    8: [[0.3, 0.35], [0.9, 0.85]],
    10: [[0.4, 0.6], [0.6, 0.4]],
}


def experiment(tmp_path, remedies, **more):
    lines = "\n".join(f"{name} = {values}" for name, values in remedies.items())
    extra = "\n".join(f"[{table}]\n{text}" for table, text in more.items())
    path = tmp_path / "ask.toml"
    path.write_text(
        '[experiment]\ngame = "simple_siege"\n[bots]\nbesieger = ["stormer", "gunner"]\n'
        f'besieged = ["warden", "mason"]\n{extra}\n[remedies]\n{lines}\n'
    )
    return load_experiment(path)


@pytest.fixture
def coins(monkeypatch):
    """Match-ups decided by coins of known bias."""

    def won(self, row, column):
        rate = TABLES[self.cells[0].varied["walls_start"]][row][column]
        return (np.random.default_rng([self.seed, row, column]).random(self.games) < rate).astype(np.float64)

    monkeypatch.setattr(analysis._Table, "won", won)


def test_the_change_is_judged_by_what_all_bots_make_of_it(tmp_path, coins):
    found = analysis.play(experiment(tmp_path, {"games": 4000, "walls_start": [6, 8, 10]}))
    values = {change.value: change for change in found.changes}
    assert values[6].win_rate.value == pytest.approx(0.7, abs=0.03)
    assert values[8].win_rate.value == pytest.approx(0.85, abs=0.03)  # not 0.3, what the storm wins then
    assert values[10].win_rate.value == pytest.approx(0.5, abs=0.03)  # a mix of both
    assert all(one.win_rate.low < one.win_rate.value < one.win_rate.high for one in found.changes)
    assert set(values[10].bots["besieger"]) == {"stormer", "gunner"}
    assert found.changes[0] == values[10]
    near = found.closest
    assert (near.knob, near.before, near.value) == ("walls_start", 5, 10)
    assert (near.games, near.seed) == (16_000, 2)
    assert near.win_rate.low < 0.5 < near.win_rate.high
    assert near.win_rate != values[10].win_rate
    assert analysis.BestPlayChanges.from_json(found.to_json(), "test") == found


def test_the_target_of_the_contract_is_aimed_at(tmp_path, coins):
    contract = {"contract": "besieger_win = { target = 0.7, margin = 0.05 }"}
    found = analysis.play(experiment(tmp_path, {"games": 1000, "walls_start": [6, 8, 10]}, **contract))
    assert (found.target, found.closest.value) == (0.7, 6)


def test_an_experiment_keeps_its_remedies(tmp_path):
    asked = experiment(tmp_path, {"games": 300, "walls_start": [5, 6, 8], "repair_cost": [1]})
    assert asked.remedies == ({"walls_start": 6}, {"walls_start": 8}, {"repair_cost": 1})  # 5 is as printed
    again = load_experiment(_written(tmp_path, asked))
    assert (again.remedies, again.remedy_games) == (asked.remedies, 300)
    plain = new_experiment("simple_siege", bots={"*": ["random"]})
    assert "remedies" not in plain.resolved()


def _written(folder, asked):
    path = folder / "again.toml"
    path.write_text(asked.to_toml())
    return path


@pytest.mark.parametrize(
    ("remedies", "more", "says"),
    [
        ({"games": 300}, {}, "names no knob"),
        ({"wals_start": [6]}, {}, "no knob 'wals_start'"),
        ({"walls_start": [99]}, {}, "walls_start = 99 is not allowed"),
        ({"walls_start": [6]}, {"vary": "repair_cost = [1, 2]"}, "starts from one setting"),
        ({"games": 3, "walls_start": [6]}, {}, "100 or more"),
    ],
)
def test_a_mistake_is_named(tmp_path, remedies, more, says):
    with pytest.raises(InputError, match=says):
        experiment(tmp_path, remedies, **more)
