"""A designer's own metrics: counted as they are written, never stale, and told clearly where they go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simlab
from simlab import compiler
from simlab.engine.custom_metrics import Beside, with_metrics
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError, MetricFault
from simlab.registry import load_game
from simlab.testing import check_metric

HERE = Path(__file__).parent
HARVEST = str(HERE.parent / "games_of_many" / "harvest")
MEASURES, FAULTY = HERE / "measures.py", HERE / "faulty_measures.py"


def match_of(measures: str, game: str = HARVEST) -> Match:
    loaded = load_game(f"{game}:metric={measures}")
    return Match(loaded, bots=dict.fromkeys(loaded.seats, "random"))


def test_hooks_memory_and_values_by_seat() -> None:
    match = match_of(str(MEASURES))
    rows = match.play(1, 0, 400).rows
    assert (rows["spread"] == rows["score"].max(axis=1) - rows["score"].min(axis=1)).all()
    # Five turns; at their starts the first seat holds 0, 1, 2, 3 and 4 cards, in each game anew.
    assert (rows["turns_seen"] == 510).all()
    shared = (rows["winner"] == -2)[:, None] & ((rows["winners"][:, None] >> np.arange(4)) & 1 == 1)
    assert shared.any()
    assert (np.stack([rows[f"shares_{seat}"] for seat in match.game.seats], axis=1) == shared).all()
    stepper = Stepper(match, 1, 3)
    options = dict.fromkeys(match.game.seats, 0)
    while not stepper.over:
        options[stepper.seat] += len(stepper.legal())
        stepper.apply(stepper.policy_action())
    assert options == {seat: rows[f"options_{seat}"][3] for seat in match.game.seats}
    assert {name: stepper.row()[name] for name in rows.dtype.names} == {
        n: rows[3][n].tolist() for n in rows.dtype.names
    }


def test_the_same_in_plain_python_and_at_another_table() -> None:
    assert len(check_metric(load_game(f"{HARVEST}:metric={MEASURES}"), games=5)) == 10
    code = (
        f"from tests.engine.test_custom_metrics import *\n"
        f"print(match_of({str(MEASURES)!r}).play(1, 0, 3).rows.tolist())\n"
        f"print(len(match_of({str(MEASURES)!r}, HARVEST + ':players=3').play(1, 0, 3).rows.dtype.names))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=HERE.parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows, columns = done.stdout.splitlines()
    assert rows == str(match_of(str(MEASURES)).play(1, 0, 3).rows.tolist())
    assert int(columns) == 7 + 1 + 2 + 6


def test_a_game_without_metrics_plays_by_the_same_kernels_and_keys() -> None:
    plain = load_game(HARVEST)
    bare = Match(plain, bots=dict.fromkeys(plain.seats, "random"))
    measured = match_of(str(MEASURES))
    assert measured.game.plain is plain and measured.game.apply_action is plain.apply_action
    bare.compile()
    measured.compile()
    assert bare.compiled.play(True)[0] is not measured.compiled.play(True)[0]
    assert bare.compiled.players == measured.compiled.players and bare.game.row_type.names == plain.row_type.names
    assert bare.rules_digest == measured.rules_digest and bare.key != measured.key
    assert measured.key != match_of(f"{MEASURES}:spread").key
    assert load_game(f"{HARVEST}:players=3:metric={MEASURES}") is load_game(f"{HARVEST}:players=3:metric={MEASURES}")
    assert measured.replay_command(1, 0).startswith(f"simlab replay {HARVEST}:players=4 --seed 1")


@pytest.mark.skipif(not compiler.compiling(), reason="is about the compiler")
def test_a_kernel_is_typed_by_the_row_it_is_given() -> None:
    """A row with own metrics begins as the row without: Numba would take it for a subtype, and warn of that."""
    from numba import from_dtype, types

    from simlab.compiler.linker import Entry

    @compiler.kernel
    def outcome(row):  # type: ignore[no-untyped-def]
        row.game = 7

    def play(rows):  # type: ignore[no-untyped-def]
        outcome(rows[0])

    plain = [("game", np.int64)]
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        for kind in (np.dtype(plain, align=True), np.dtype([*plain, ("mine", np.int32)], align=True)):
            entry, rows = Entry(play), np.zeros(1, kind)
            entry.compile(types.void(types.Array(from_dtype(kind), 1, "C")))
            entry(rows)
            assert rows["game"] == 7
    assert [str(warning.message) for warning in given] == []
    assert len(outcome.overloads) == 2


def test_an_edited_metric_is_counted_anew(tmp_path: Path) -> None:
    """In a process of its own, with compiled code kept on disk: a helper of the file too."""
    file = tmp_path / "mine.py"
    text = (
        "import simlab\n@simlab.kernel\ndef helper(state):\n    return {}\n"
        "@simlab.metric('m')\ndef mine(state, knobs, cards, row):\n    return helper(state)\n"
    )
    code = (
        "import sys; from tests.engine.test_custom_metrics import *\n"
        "m = match_of(sys.argv[1]); print(m.play(1, 0, 2).rows['mine'].tolist(), m.key)"
    )
    said = []
    for value in (3, 4):
        file.write_text(text.format(value))
        done = subprocess.run(
            [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False, cwd=HERE.parents[1]
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0].startswith("[3, 3] ") and said[1].startswith("[4, 4] ")
    assert said[0].split()[2] != said[1].split()[2]


@pytest.mark.parametrize(
    ("index", "why"),
    [
        (1, "returned NaN"),
        (3, r", line 15\): raised ZeroDivisionError"),
        (2, r"returned 0\.5\."),
        (4, "returned 3,000,000,000"),
    ],
)
def test_a_stepped_game_tells_a_fault_of_a_metric_as_such(index: int, why: str) -> None:
    """As a replay does, which runs metrics in plain Python."""
    beside = Beside(load_game(f"{HARVEST}:metric={FAULTY}:wrong"))
    assert beside.values(None, None, None, SimpleNamespace(game=0)) == {"wrong": 7}
    with pytest.raises(MetricFault, match=f"metric 'wrong'.*{why}"):
        beside.values(None, None, None, SimpleNamespace(game=index))


def test_names_of_metrics_are_not_those_of_their_figures_and_values_fit_into_rows() -> None:
    def one(state, knobs, cards, row):  # type: ignore[no-untyped-def]
        return 1

    game = load_game(HARVEST)
    lull, clash = simlab.metric("a lull", name="lull")(one), simlab.metric("a clash", name="lull_p90")(one)
    with pytest.raises(InputError, match="metric 'lull_p90': a statistic of another metric of yours has that name"):
        with_metrics(game, [lull, clash])
    for given in ({"never": 10**12}, {"codes": {0: "no", 5_000_000_000: "yes"}}):
        with pytest.raises(ValueError, match="does not fit into a row"):
            simlab.metric("too large", name="large", **given)(one)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("index", "why"),
    [
        (1, "raised FloatingPointError: invalid value"),
        (2, r"returned 0\.5\. A metric is a whole number"),
        (3, "raised FloatingPointError: divide by zero"),
        (4, r"returned 3,000,000,000, and its values are 0\.\."),
        (5, r"returned -1, and its values are 0\.\."),
    ],
)
def test_what_a_metric_may_not_return(index: int, why: str) -> None:
    match = match_of(f"{FAULTY}:wrong")
    assert match.play(1, 6, 2).rows["wrong"].tolist() == [7, 7]
    where = rf"metric 'wrong' \({FAULTY}(, line \d+)?\): {why}"
    with pytest.raises(
        MetricFault, match=rf"(?s){where}.*at the end of game {index} of seed 1.*\nThe game: simlab replay"
    ):
        match.play(1, index, 1)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("misspelt", "faulty_measures.py, line 25: `row` has no field 'scoer'. Did you mean 'score'"),
        ("forgetful", "faulty_measures.py, line 33: `self` has no field 'turns'. Known: count."),
        ("silent", "silent': returns nothing in some games. A metric returns one number"),
        ("sharing", "harvest has a measure called 'sharing'. Give yours another name"),
        ("ann_win", "harvest has a figure called 'ann_win'"),
        ("nowhere", "declares no metric 'nowhere'. Known: "),
    ],
)
def test_a_mistake_in_a_metric_is_named(name: str, why: str) -> None:
    with pytest.raises(InputError) as told:
        match_of(f"{FAULTY}:{name}").compile()
    assert why in str(told.value)


def test_a_file_that_is_not_there_or_has_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        load_game(f"{HARVEST}:metric={tmp_path / 'none.py'}")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(InputError, match=r"declares no metric.*simlab new metric"):
        load_game(f"{HARVEST}:metric={tmp_path / 'empty.py'}")
    with pytest.raises(InputError, match=r"no metric 'lull'.*\./mine.py:lull"):
        load_game(f"{HARVEST}:metric=lull")


def test_a_declaration_that_cannot_be() -> None:
    def ends(self, state, knobs, cards, row):
        return 1

    def wrong_end(state, row):
        return 1

    def declared(**parts: object) -> object:
        return simlab.metric("words")(type("mine", (), parts))

    for parts, why in (
        ({}, "at_end.* is missing"),
        ({"at_end": ends, "on_move": ends}, "on_move is not a hook"),
        ({"at_end": wrong_end}, r"write at_end\(self, state, knobs, cards, row\)"),
        ({"at_end": ends, "size": 1}, "size cannot be the name of a field"),
        ({"at_end": ends, "name": "x"}, "name = 'x' cannot be remembered"),
        ({"at_end": ends, "__annotations__": {"count": int}}, "count has no value to start a game from"),
    ):
        with pytest.raises(ValueError, match=why):
            declared(**parts)
    with pytest.raises(ValueError, match="describe what it measures"):
        simlab.metric("")(wrong_end)
    with pytest.raises(ValueError, match=r"write wrong_end\(state, knobs, cards, row, seat\)"):
        simlab.metric("words", by_seat=True)(wrong_end)
