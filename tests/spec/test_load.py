"""Experiment files: what they give, and what is said of each kind of bad input."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from simlab.engine.outcome import figures_of
from simlab.errors import InputError
from simlab.registry import load_game
from simlab.runs import open_experiment as load_module
from simlab.runs.cells import cells
from simlab.runs.experiment_schema import json_schema
from simlab.runs.open_experiment import load_experiment, new_experiment
from simlab.spec.draft import read_assignments, read_bot_options, read_opponents, ready_experiments
from simlab.spec.experiment import Experiment, ExperimentFile
from simlab.stats.verdict import band
from tests.spec.orchard import OWN_BOT, TREES, write_orchard

BASE = """
[experiment]
name = "fruit"
game = "./orchard"

[bots]
picker = "climber"
crow = "thief"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the game Orchard; the shell stands elsewhere, so that only the file's place can count."""
    (tmp_path / "shell").mkdir()
    monkeypatch.chdir(tmp_path / "shell")
    write_orchard(tmp_path)
    return tmp_path


@pytest.fixture
def load(folder):
    def load_text(text: str, *, base: str = BASE, **changes) -> Experiment:
        (folder / "fruit.toml").write_text(base + text, encoding="utf-8")
        return load_experiment(folder / "fruit.toml", **changes)

    return load_text


@pytest.fixture
def refused(load):
    """The message that a text is refused with."""

    def message(text: str, **changes) -> str:
        with pytest.raises(InputError) as fault:
            load(text, **changes)
        assert fault.value.exit_code == 2
        return str(fault.value)

    return message


# --- what a file gives --------------------------------------------------------


def test_a_small_file_and_its_defaults(load, folder):
    some = load("")
    assert (some.name, some.game, some.games, some.seed, some.question) == (
        "fruit",
        "./orchard",
        10_000,
        1,
        "",
    )
    assert (some.row_limit, some.shard_games) == (100_000_000, 50_000)
    assert some.bots == {"picker": ("climber",), "crow": ("thief",)}
    assert some.rows == ({},)
    assert some.varied == ()
    assert some.stop is None
    assert some.source == folder / "fruit.toml"
    assert load_game(some.table_ref()).slug == "orchard"


def test_all_tables(load, folder):
    (folder / "my_trees.csv").write_text(TREES.replace("apple,3", "apple,4"))
    some = load(
        """
[knobs]
wind = true
ripeness = 0.25
[vary]
baskets = "3..5"
weather = ["storm"]
[cards]
trees = "my_trees.csv"
[contract]
picker_win = { target = 0.5, margin = 0.05 }
turns_p95 = { max = 20 }
[stop]
precision = 0.01
max_games = "1e6"
"""
    )
    assert some.knobs == {"wind": True, "ripeness": 0.25}
    assert some.rows == tuple({"baskets": n, "weather": "storm"} for n in (3, 4, 5))
    assert some.cards == {"trees": "my_trees.csv"}
    assert some.card_files == {"trees": folder / "my_trees.csv"}
    assert some.base["apples"] == 4
    bands = {name: band(name, goal.model_dump(exclude_none=True)) for name, goal in some.contract.items()}
    assert bands["picker_win"] == pytest.approx((0.45, 0.55)) and bands["turns_p95"] == (float("-inf"), 20)
    assert some.stop is not None
    assert (some.stop.precision, some.stop.max_games, some.most_games) == (0.01, 1_000_000, 1_000_000)
    assert [c.games for c in cells(some)] == [1_000_000] * 3


@pytest.mark.parametrize("said", ["2_000", "2000.0", '"2_000"', '"2e3"', "2e3", '"2000.0"'])
def test_ways_to_write_a_number_of_games(load, said):
    assert load("", base=BASE.replace('name = "fruit"', f"games = {said}")).games == 2000


def test_a_name_is_taken_from_the_file(load):
    assert load("", base=BASE.replace('name = "fruit"', "")).name == "fruit"


def test_lists_of_bots_and_all_bots(load):
    base = BASE.replace('"climber"', '["gatherer", "climber:reach=5", "climber"]').replace('"thief"', '"*"')
    some = load("", base=base)
    assert some.bots == {"picker": ("gatherer", "climber:reach=5", "climber"), "crow": ("random", "thief")}
    assert len(cells(some)) == 6


def test_all_bots_and_one_more(load, folder):
    (folder / "own.py").write_text(OWN_BOT)
    some = load("", base=BASE.replace('"climber"', '["*", "own.py:patient"]'))
    assert some.bots["picker"] == ("random", "climber", "gatherer", "own.py:patient")


def test_paths_of_a_file_are_relative_to_it_and_those_of_the_shell_to_the_working_folder(load, folder):
    (folder / "own.py").write_text(OWN_BOT)
    (folder / "shell" / "own.py").write_text(OWN_BOT)
    (folder / "trees.csv").write_text(TREES)
    (folder / "shell" / "trees.csv").write_text(TREES)
    base = BASE.replace('"climber"', '"./own.py:patient"')
    some = load('[cards]\ntrees = "trees.csv"', base=base, bots={"crow": "./own.py:patient:patience=3"})
    assert some.bots == {"picker": ("./own.py:patient",), "crow": ("./own.py:patient:patience=3",)}
    assert some.bot_refs["picker"] == (f"{folder}/own.py:patient",)
    assert some.bot_refs["crow"] == (f"{folder}/shell/own.py:patient:patience=3",)
    assert some.card_files["trees"] == folder / "trees.csv"
    assert load("", cards=["trees=trees.csv"]).card_files["trees"] == folder / "shell" / "trees.csv"


# --- extends ------------------------------------------------------------------


def test_a_file_is_laid_over_the_one_it_extends(folder):
    (folder / "below").mkdir()
    (folder / "below" / "base.toml").write_text(
        BASE.replace("./orchard", "../orchard").replace('name = "fruit"', 'name = "base"\nseed = 7')
        + '[vary]\nbaskets = "3..5"\nladder = {low = 5, high = 6}\n[knobs]\nwind = true\n'
        "[contract]\npicker_win = {min = 0.4, max = 0.6}\n"
    )
    (folder / "top.toml").write_text(
        'extends = "below/base.toml"\n[experiment]\nname = "top"\n[vary]\nladder = {grid = [5]}\n'
        "[contract]\npicker_win = {target = 0.5, margin = 0.1}\n"
    )
    some = load_experiment(folder / "top.toml")
    assert (some.name, some.seed, some.knobs) == ("top", 7, {"wind": True})
    assert some.rows == tuple({"baskets": n, "ladder": 5} for n in (3, 4, 5))
    assert some.contract["picker_win"].target == 0.5
    assert some.contract["picker_win"].min is None  # a key is replaced whole, not mixed
    assert Path(some.game_ref) == folder / "orchard"  # relative to the file that named it


def test_an_error_names_the_file_that_said_it(folder):
    (folder / "base.toml").write_text(BASE + "[knobs]\nbaskets = 77\n")
    (folder / "top.toml").write_text('extends = "base.toml"\n[vary]\nladder = "3..4"\n')
    with pytest.raises(InputError, match=r"base\.toml \[knobs\]: baskets = 77 .* baskets takes 3\.\.9 baskets"):
        load_experiment(folder / "top.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('extends = "bass.toml"', "extends = 'bass.toml': there is no such file. Did you mean 'base.toml'?"),
        ('extends = ""', "it takes the path of a TOML file"),
        ("extends = 3", "it takes the path of a TOML file"),
        ('extends = ["base.toml"]', "it takes the path of a TOML file"),
        ('extends = "."', "there is no such file"),
        ('extends = "top.toml"', "`extends` forms a cycle: top.toml -> top.toml"),
        ('extends = "round.toml"', "`extends` forms a cycle: top.toml -> round.toml -> top.toml"),
        ('extends = "torn.toml"', "torn.toml: is not TOML"),
        ('extends = "a\\u0000b.toml"', "it takes the path of a TOML file"),
    ],
)
def test_extends_that_leads_nowhere(folder, text, told):
    (folder / "base.toml").write_text(BASE)
    (folder / "round.toml").write_text('extends = "top.toml"')
    (folder / "torn.toml").write_text("[experiment")
    (folder / "top.toml").write_text(text + "\n")
    with pytest.raises(InputError) as fault:
        load_experiment(folder / "top.toml")
    assert told in str(fault.value)


def test_a_long_chain_of_files_is_refused(folder):
    (folder / "0.toml").write_text(BASE)
    for i in range(1, 25):
        (folder / f"{i}.toml").write_text(f'extends = "{i - 1}.toml"\n')
    assert load_experiment(folder / "15.toml").name == "fruit"
    with pytest.raises(InputError, match="more than 20 files"):
        load_experiment(folder / "24.toml")


# --- overrides ----------------------------------------------------------------


def test_the_shell_overrides_the_file(load):
    some = load(
        "[knobs]\nwind = true\nladder = 8\n[vary]\nbaskets = [3, 4]\n",
        overrides=["ladder=6", "weather=storm"],
        vary=["baskets=5..6", "ripeness=0..1:0.5"],
        bots={"picker": ["gatherer", "random"]},
        games="1e3",
        seed=9,
        name="other",
    )
    assert some.knobs == {"wind": True, "ladder": 6, "weather": "storm"}
    assert len(some.rows) == 6
    assert some.rows[0] == {"baskets": 5, "ripeness": 0.0}
    assert some.bots == {"picker": ("gatherer", "random"), "crow": ("thief",)}
    assert (some.games, some.seed, some.name) == (1000, 9, "other")


def test_a_notebook_overrides_with_values(load):
    some = load(
        "",
        overrides={"wind": True, "ladder": np.int64(8)},
        vary={"baskets": range(3, 6), "ripeness": np.array([0.25, 0.5]), "weather": ("calm", "storm")},
        games=np.int64(50),
    )
    assert some.knobs == {"wind": True, "ladder": 8}
    assert len(some.rows) == 12
    assert json.dumps(some.resolved())


def test_the_method_can_be_given_in_the_shell(load):
    some = load("", vary=["baskets=*", "method=sobol", "points=8"])
    assert (some.method, some.points) == ("sobol", 8)


def test_an_experiment_without_a_file(folder):
    some = new_experiment(
        "../orchard",
        vary=["baskets=3..4"],
        bots={"picker": "climber"},
        fill_seats=True,
        question="Why?",
        contract={"picker_win": {"min": 0.4}},
        stop={"precision": 0.01, "max_games": 20_000},
    )
    assert (some.name, some.question) == ("orchard", "Why?")
    assert some.bots == {"picker": ("climber",), "crow": ("random",)}
    assert Path(some.game_ref) == folder / "orchard"
    assert some.contract["picker_win"].min == 0.4
    assert some.stop is not None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"overrides": ["baskets"]}, "--set baskets: write KNOB=VALUE"),
        ({"overrides": ["=3"]}, "--set =3: write KNOB=VALUE"),
        ({"overrides": ["baskets=3", "baskets=4"]}, "baskets was given already, as baskets=3"),
        (
            {"overrides": ["baskets=many"]},
            "--set: baskets = many is not allowed: baskets takes 3..9 baskets (OR-01)",
        ),
        ({"overrides": ["basket=3"]}, "--set: orchard has no knob 'basket'. Did you mean 'baskets'?"),
        ({"overrides": {"baskets": [3]}}, "Several values belong in [vary]"),
        ({"overrides": "baskets=3"}, "give a list of texts, or a dict"),
        ({"vary": ["baskets"]}, "--vary baskets: write KNOB=RANGE"),
        ({"vary": ["baskets=9..3"]}, "--vary: baskets = 9..3 runs downwards"),
        ({"vary": ["basket=3..4"]}, "--vary: orchard has no knob 'basket'"),
        ({"vary": ["baskets="]}, "--vary: baskets = '' has an empty place"),
        ({"vary": {"baskets": []}}, "vary: baskets = [] is empty"),
        ({"vary": {"baskets": range(10**7)}}, "has 10,000,000 values"),
        ({"vary": ["method=grid"]}, "--vary: names no knob"),
        ({"vary": ["wind=*", "method=gird"]}, "method = 'gird' is not allowed. Did you mean 'grid'?"),
        (
            {"overrides": ["baskets=3"], "vary": ["baskets=3..4"]},
            "baskets is set (--set) and varied (--vary)",
        ),
        ({"cards": ["trees"]}, "--cards trees: write TABLE=FILE"),
        ({"cards": ["tree=x.csv"]}, "orchard has no table 'tree'. Did you mean 'trees'?"),
        ({"cards": ["trees=x.csv"]}, "x.csv: cannot be read"),
        ({"bots": {"piker": "random"}}, "orchard has no seat 'piker'. Did you mean 'picker'?"),
        ({"bots": {"picker": []}}, "picker = [] is empty: name a bot"),
        ({"bots": {"picker": 3}}, "it takes a bot as text"),
        (
            {"bots": {"picker": "climbr"}},
            "bots picker: orchard has no bot 'climbr' for picker. Did you mean 'climber'?",
        ),
        ({"bots": {"picker": "./none.py:x"}}, "there is no file"),
        ({"bots": {"picker": "~nobody_of_this_name/b.py:x"}}, "there is no such home folder"),
        ({"games": 0}, "games = 0 is not allowed: it takes a whole number in 1..1e+12, as 2_000 or 1e6."),
        ({"games": "lots"}, "games = 'lots' is not allowed"),
        ({"seed": -1}, "seed = -1 is not allowed: it takes a whole number in 0..2^63-1."),
        ({"name": "../up"}, "name = '../up' is not allowed: a name is the name of a folder"),
    ],
)
def test_a_bad_override(refused, changes, told):
    message = refused("", **changes)
    assert told in message
    assert not message.startswith(":")


def test_set_against_a_varied_knob_of_the_file(refused, folder):
    message = refused('[vary]\nbaskets = "3..4"', overrides=["baskets=5"])
    assert f"baskets is set (--set) and varied ({folder}/fruit.toml [vary]): it cannot be both." in message
    assert "--vary baskets=5" in message


def test_a_single_value_takes_the_place_of_a_range(load):
    assert load('[vary]\nbaskets = "3..4"', vary=["baskets=5"]).rows == ({"baskets": 5},)


def test_assignments_and_bot_options():
    assert read_assignments(["a=1", " b = x=y "], "--set") == {"a": "1", "b": "x=y"}
    assert read_bot_options(["p=rusher:threshold=0.5,random", "q=waiter", "p=gunner"]) == {
        "p": ["rusher:threshold=0.5", "random", "gunner"],
        "q": ["waiter"],
    }
    for wrong in ("p", "=x", "p=", "p=a,,b"):
        with pytest.raises(InputError, match="write SEAT=BOT"):
            read_bot_options([wrong])
    assert read_opponents(["p=rusher,waiter", "mix(x:0.5,y:0.5),random", "bots/mine.toml:skill=1"]) == {
        "p": ["rusher", "waiter"],
        "*": ["mix(x:0.5,y:0.5)", "random", "bots/mine.toml:skill=1"],
    }
    with pytest.raises(InputError, match="--against q=: write SEAT=BOT"):
        read_opponents(["q="])


# --- bad files ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # tables
        ("[bot]\npicker = 'x'", "fruit.toml: unknown table or key 'bot'. Did you mean 'bots'?"),
        ("[varied]\nbaskets = [3]", "unknown table or key 'varied'. Did you mean 'vary'?"),
        ("[experiment.more]\nx = 1", "fruit.toml [experiment]: unknown key 'more'"),
        ("[knobs]\nbasket = 3", "fruit.toml [knobs]: orchard has no knob 'basket'. Did you mean 'baskets'?"),
        ("[knobs]\nbaskets = 2", "[knobs]: baskets = 2 is not allowed: baskets takes 3..9 baskets (OR-01)."),
        ("[knobs]\nbaskets = 'x'", "baskets takes 3..9"),
        ("[knobs]\nbaskets = 3.5", "baskets takes 3..9"),
        ("[knobs]\nbaskets = true", "baskets = True is not allowed"),
        ("[knobs]\nbaskets = 1979-05-27", "baskets takes 3..9"),
        (
            "[knobs]\nbaskets = [3, 4]",
            "[knobs]: baskets = [3, 4] is not allowed: baskets takes 3..9 baskets. Several",
        ),
        ("[knobs]\nbaskets = {low = 3}", "Several values belong in [vary]"),
        ("[knobs]\nripeness = nan", "ripeness takes 0..1"),
        ("[knobs]\nripeness = -inf", "ripeness takes 0..1"),
        ("[knobs]\nwind = 1", "wind takes true or false"),
        ("[knobs]\nweather = 'rain'", "weather takes one of calm, storm"),
        (f"[knobs]\nbaskets = {'9' * 400}", "is not allowed: no key takes a number of over 64 bits"),
        (f"[knobs]\nbaskets = 0x{'f' * 5000}", "a number of 20000 bits is not allowed"),
        (f"[knobs]\nbaskets = {'9' * 5000}", "fruit.toml: is not TOML"),
        ("[knobs]\nbaskets = 3\nladder = 3\nbaskets = 4", "fruit.toml: is not TOML"),
        # vary
        ("[vary]", 'fruit.toml [vary]: names no knobs. Write one with its range, such as baskets = "3..9"'),
        ("[vary]\nmethod = 'lhs'\npoints = 3", "names no knob"),
        ("[vary]\nbaskets = []", "fruit.toml [vary]: baskets = [] is empty"),
        ("[vary]\nbaskets = 4", "A single value belongs in [knobs]"),
        ("[vary]\nbasket = [4]", "[vary]: orchard has no knob 'basket'. Did you mean 'baskets'?"),
        ("[vary]\nbaskets = [3, 10]", "[vary]: baskets = 10 is not allowed: baskets takes 3..9"),
        ("[vary]\nbaskets = '3..10'", "baskets takes 3..9"),
        ("[vary]\nbaskets = {low = 3, hihg = 4}", "unknown key 'hihg'. Did you mean 'high'?"),
        (f"[vary]\nbaskets = [{'9' * 400}]", "no key takes a number of over 64 bits"),
        (
            "[vary]\nbaskets = [3]\nmethod = 'random'",
            "[vary]: method = 'random' is not allowed. Known: grid, lhs",
        ),
        (
            "[vary]\nbaskets = [3]\nmethod = 3",
            "[vary]: method = 3 is not allowed. Known: grid, list, lhs, sobol, one_at_a_time, saltelli, morris.",
        ),
        ("[vary]\nbaskets = [3]\nmethod = 'lhs'", 'method = "lhs" needs points'),
        (
            "[vary]\nbaskets = [3]\nmethod = 'lhs'\npoints = 0",
            "points = 0 is not allowed: it takes a whole number in 1..",
        ),
        ("[vary]\nbaskets = [3]\nmethod = 'lhs'\npoints = 1e9", "points = 1000000000.0 is not allowed"),
        (
            "[vary]\nbaskets = [3]\npoints = 3",
            'points is for methods that draw (lhs, sobol, saltelli, morris); this is "grid"',
        ),
        ("[vary]\nbaskets = [3, 4]\nmethod = 'morris'\npoints = 3", "Write 10 or 20; 4 is the least"),
        ("[vary]\nbaskets = [3]\nmethod = 'morris'\npoints = 9", "baskets takes one value, so it cannot move"),
        (
            "[vary]\nbaskets = [3]\nmethod = 'sobol'\npoints = 100",
            "points = 100 is not allowed: a Sobol sequence is balanced at powers of two. Write 64 or 128.",
        ),
        (
            "[vary]\nmethod = 'list'\nbaskets = [3, 4]\nwind = [true]",
            "lists of equal length, but baskets has 2, wind has 1",
        ),
        ("[knobs]\nbaskets = 3\n[vary]\nbaskets = [3]", "it cannot be both"),
        # knobs that contradict each other
        ("[knobs]\nbaskets = 9\nladder = 8", "fruit.toml [knobs]: baskets = 9 is above ladder = 8 (OR-01)."),
        (
            "[vary]\nbaskets = '5..9'\nladder = '7..9'",
            "3 of 15 points contradict themselves, the first at baskets=8, ladder=7: baskets = 8 is above",
        ),
        # bots
        ("piker = 'random'", "fruit.toml [bots]: orchard has no seat 'piker'. Did you mean 'picker'?"),
        # cards
        (
            "[cards]\ntree = 'x.csv'",
            "fruit.toml [cards] tree: orchard has no table 'tree'. Did you mean 'trees'?",
        ),
        ("[cards]\ntrees = 'none.csv'", "none.csv: cannot be read"),
        ("[cards]\ntrees = '.'", "is not a file. A table is a CSV file."),
        ("[cards]\ntrees = 3", "[cards]: trees = 3 is not allowed: it takes the path of a CSV file."),
        ("[cards]\ntrees = ''", "it takes the path of a CSV file"),
        ("[cards]\ntrees = 'bad.csv'", "bad.csv, line 2, fruit: 'many' is not allowed"),
        ("[cards]\ntrees = 'out.csv'", "fruit.toml [cards] trees: "),
        # contract
        (
            "[contract]\npikcer_win = {min = 0.4}",
            "fruit.toml [contract]: orchard has no statistic 'pikcer_win'. Did you mean 'picker_win'?",
        ),
        (
            "[contract]\npicker_win = 0.5",
            "[contract]: picker_win = 0.5 is not allowed: a statistic takes {target",
        ),
        ("[contract]\npicker_win = {}", "picker_win has nothing. A statistic takes {target"),
        ("[contract]\npicker_win = {target = 0.5}", "picker_win has target. A statistic takes"),
        (
            "[contract]\npicker_win = {target = 0.5, margin = 0.1, min = 0.2}",
            "picker_win has target, margin, min.",
        ),
        ("[contract]\npicker_win = {target = 0.5, margin = 0}", "a margin is above 0"),
        ("[contract]\npicker_win = {taget = 0.5}", "picker_win: unknown key 'taget'. Did you mean 'target'?"),
        ("[contract]\npicker_win = {min = 0.6, max = 0.4}", "nothing can meet that"),
        ("[contract]\npicker_win = {min = 40}", "a share is in 0..1; 50 % is 0.5."),
        (
            "[contract]\npicker_win = {min = 'x'}",
            "[contract]: picker_win min = 'x' is not allowed: it takes a number.",
        ),
        ("[contract]\npicker_win = {min = nan}", "it takes a number"),
        ("[contract]\npicker_win = {min = true}", "it takes a number"),
        # stop
        (
            "[stop]\nprecision = 0.7\nmax_games = 1e6",
            "[stop]: precision = 0.7 is not allowed: precision is half the width",
        ),
        ("[stop]\nprecision = 'x'\nmax_games = 1e6", "[stop]: precision = 'x' is not allowed"),
        ("[stop]\nprecision = 0.01", "[stop]: 'max_games' is missing: most games per cell"),
        ("[stop]\nmax_games = 20000", "[stop]: 'precision' is missing: half width"),
        ("[stop]\nprecision = 0.01\nmax_games = 5", "[stop]: max_games = 5 is below games = 10,000"),
        (
            "[stop]\nprecison = 0.01\nmax_games = 1e6",
            "[stop]: unknown key 'precison'. Did you mean 'precision'?",
        ),
    ],
)
def test_what_is_wrong_in_a_file(refused, folder, text, told):
    (folder / "bad.csv").write_text(TREES.replace("apple,3", "apple,many"))
    (folder / "out.csv").write_text(TREES.replace("apple,3", "apple,8"))  # the knob takes 1..6
    message = refused(text)
    assert told in message
    assert message.startswith(str(folder / "fruit.toml")) or "fruit.toml" in message


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "games = 0",
            "[experiment]: games = 0 is not allowed: it takes a whole number in 1..1e+12, as 2_000 or 1e6.",
        ),
        ("games = -5", "games = -5"),
        ("games = 1.5", "games = 1.5"),
        ("games = true", "games = true"),
        ("games = '1e99999999999'", "games = '1e99999999999'"),
        ("games = nan", "games = nan"),
        ("games = 'nan'", "games = 'nan'"),
        ("games = []", "games = []"),
        ("games = 20.000", "games = 20.0 is not allowed: write 20 without a point, or 20_000"),
        ("name = 'nul'", "name = 'nul' is not allowed: Windows keeps this name for itself. Write 'my_nul'."),
        ("name = 'Größe'", "Write 'Grosse'."),
        ("games = 1e13", "games = 10000000000000.0"),
        ("seed = 9223372036854775808", "seed = 9223372036854775808 is not allowed"),
        ("seed = 'x'", "seed = 'x' is not allowed"),
        ("seed = 1.5", "seed = 1.5 is not allowed"),
        ("question = 3", "question = 3 is not allowed: it takes a text"),
        (f"question = '{'x' * 5000}'", "it takes a text of at most 4,000 characters"),
        ("row_limit = -1", "row_limit = -1 is not allowed"),
        ("shard_games = 0", "shard_games = 0 is not allowed"),
        ("shard_games = 1e9", "it takes a whole number in 1..10,000,000"),
        ("gmaes = 5", "[experiment]: unknown key 'gmaes'. Did you mean 'games'?"),
        ("games = 5\n[knobs]\nseed = 3", "orchard has no knob 'seed'"),
    ],
)
def test_what_is_wrong_under_experiment(refused, line, told):
    message = refused("", base=BASE.replace('name = "fruit"', line) if "[knobs]" not in line else BASE + line[10:])
    assert told in message
    assert "fruit.toml" in message


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "end.", "-flag", "a b", "x" * 81, "ü"])
def test_a_name_that_is_no_folder(refused, name):
    message = refused("", base=BASE.replace('"fruit"', json.dumps(name)))
    assert "[experiment]: name = " in message
    assert "a name is the name of a folder" in message


def test_a_name_that_nearly_is_a_folder_is_mended(refused):
    assert "Write 'what_if_walls_rise'." in refused("", base=BASE.replace('"fruit"', '"what if walls rise?"'))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"climber"',
            '"climbr"',
            "[bots] picker: orchard has no bot 'climbr' for picker. Did you mean 'climber'?",
        ),
        ('"climber"', '"thief"', "[bots] picker: bot 'thief' plays crow, not picker."),
        ('"climber"', '"climber:raech=3"', "climber has no trait 'raech'. Did you mean 'reach'?"),
        ('"climber"', '"climber:reach=10"', "reach = 10 is outside 0..9"),
        ('"climber"', '"climber:reach"', "'reach' is not a setting"),
        ('"climber"', '["climber", "climber"]', "[bots] picker: 'climber' is given twice"),
        ('"climber"', '["climber", "climber:reach=2"]', "'climber' and 'climber:reach=2' are the same bot"),
        ('"climber"', '["*", "random"]', "'random' is given twice"),
        ('"climber"', "[]", "[bots]: picker = [] is empty: name a bot"),
        ('"climber"', '""', "picker = '' is not allowed: it takes a bot as text"),
        ('"climber"', '[""]', "it takes a bot as text"),
        ('"climber"', "3", "picker = 3 is not allowed: it takes a bot as text"),
        ('"climber"', "[3]", "it takes a bot as text"),
        ('"climber"', "{name = 'climber'}", "it takes a bot as text"),
        ('"climber"', str(["climber"] * 1001), "1,001 bots are too many"),
        ('"climber"', '"./none.py:patient"', "there is no file"),
        ('"climber"', '"./own.py:patent"', "defines no bot 'patent'. Did you mean 'patient'?"),
        ('"climber"', '"./torn.py:x"', "torn.py, line 1: SyntaxError"),
        ('"climber"', '"ab:b.py:x"', "orchard has no bot 'ab' for picker"),
        ('picker = "climber"', "", 'fruit.toml [bots]: no bot for picker. Name one, as picker = "random"'),
        ('crow = "thief"', "crew = 'thief'", "orchard has no seat 'crew'. Did you mean 'crow'?"),
        ('"./orchard"', '"orchrad"', "fruit.toml [experiment] game: there is no game 'orchrad'"),
        ('"./orchard"', '"./none"', "holds no game"),
        ('"./orchard"', '""', "game = '' is not allowed: it takes the slug of a game"),
        ('"./orchard"', "3", "game = 3 is not allowed"),
        (
            'game = "./orchard"',
            "",
            "[experiment]: 'game' is missing: slug of the game, or the path of its folder.",
        ),
        ("[bots]", "[bot]", "unknown table or key 'bot'. Did you mean 'bots'?"),
        ("[experiment]", "[experimnet]", "unknown table or key 'experimnet'. Did you mean 'experiment'?"),
        (
            "[experiment]",
            "games = 3\n[experiment]",
            "unknown table or key 'games'. It belongs under [experiment].",
        ),
        ("[experiment]", "bots = 3\n[experiment]", "fruit.toml: is not TOML"),
        ("[experiment]", "knobs = 3\n[experiment]", "knobs = 3 is not allowed: it is a table, [knobs]"),
        ("[experiment]", "stop = []\n[experiment]", "stop = [] is not allowed: it is a table, [stop]"),
        ("[experiment]", "vary = 'x'\n[experiment]", "vary = 'x' is not allowed: it is a table, [vary]"),
        (
            "[experiment]",
            "cards = false\n[experiment]",
            "cards = false is not allowed: it is a table, [cards]",
        ),
    ],
)
def test_what_is_wrong_in_names(refused, folder, old, new, told):
    (folder / "own.py").write_text(OWN_BOT)
    (folder / "torn.py").write_text("def x(:")
    message = refused("", base=BASE.replace(old, new))
    assert told in message
    assert "fruit.toml" in message


def test_several_mistakes_are_told_at_once(refused):
    message = refused("[stop]\nprecision = 3\nmax_games = 'x'\n", base=BASE.replace('name = "fruit"', "games = 0"))
    assert [line.split(" [")[1].split("]")[0] for line in message.splitlines()] == [
        "experiment",
        "stop",
        "stop",
    ]


def test_a_bot_under_a_folder_with_a_colon(folder, refused):
    (folder / "a:b").mkdir()
    (folder / "a:b" / "fruit.toml").write_text(BASE.replace("./", "../").replace('"climber"', '"own.py:patient"'))
    with pytest.raises(InputError, match="cannot lie under a folder with ':' in its name"):
        load_experiment(folder / "a:b" / "fruit.toml")


# --- files that are none ------------------------------------------------------


def test_a_file_that_is_not_there_names_the_nearest(folder):
    (folder / "fruit.toml").write_text(BASE)
    with pytest.raises(InputError, match=r"friut\.toml: there is no such file\. Did you mean '.*/fruit\.toml'"):
        load_experiment(folder / "friut.toml")


def test_a_folder_or_a_device_is_no_file(folder):
    for path in (folder, Path(os.devnull)):
        with pytest.raises(InputError, match="is not a file"):
            load_experiment(path)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe[experiment]", b"[experiment", b"\x00", b"a = " + b"[" * 5000, b"[experiment]\nname = 'x"],
    ids=["utf-16", "torn", "zero", "nested", "truncated"],
)
def test_bytes_that_are_no_toml(folder, content):
    (folder / "x.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.toml: "):
        load_experiment(folder / "x.toml")


def test_a_file_without_experiment(folder):
    (folder / "x.toml").write_text("")
    with pytest.raises(InputError, match=r"x\.toml: the table \[experiment\] is missing"):
        load_experiment(folder / "x.toml")


def test_a_huge_file_is_not_read(folder):
    (folder / "x.toml").write_text("#" * 5_000_001)
    with pytest.raises(InputError, match="over 5 MB"):
        load_experiment(folder / "x.toml")


LONG = "x" * 3000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("./orchard", LONG),
        ("./orchard", f"./{LONG}"),
        ("./orchard", "./loop/x"),
        ("climber", f"./{LONG}.py:x"),
        ("climber", "./loop/own.py:x"),
        ("[bots]", f"[cards]\ntrees = '{LONG}'\n[bots]"),
        ("[bots]", "[cards]\ntrees = 'loop'\n[bots]"),
        ("\n[experiment]", f"extends = '{LONG}'\n[experiment]"),
        ("\n[experiment]", "extends = 'loop'\n[experiment]"),
    ],
)
def test_paths_that_the_system_does_not_follow(refused, folder, old, new):
    (folder / "loop").symlink_to("loop")
    assert "cannot be read (" in refused("", base=BASE.replace(old, new))


def test_a_path_of_a_file_that_the_system_does_not_follow():
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)"):
        load_experiment(f"{LONG}.toml")


def test_a_file_without_permission(folder, monkeypatch):
    """The system refuses; it would not refuse the superuser, so its refusal is played."""
    (folder / "x.toml").write_text(BASE)
    opened = os.open

    def refuse(path, *args, **kwargs):
        if Path(path).name == "x.toml":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"x\.toml: cannot be read \(Permission denied\)"):
        load_experiment(folder / "x.toml")


# --- resolved and back --------------------------------------------------------

ROUND_TRIPS = {
    "plain": "",
    "grid": "[knobs]\nwind = true\n[vary]\nbaskets = '3..5'\nweather = '*'\n",
    "list": "[vary]\nmethod = 'list'\nbaskets = [3, 3, 4]\nwind = [true, false, true]\n",
    "lhs": "[vary]\nmethod = 'lhs'\npoints = 9\nripeness = {low = 0.1, high = 0.9}\nbaskets = '*'\n",
    "sobol": "[vary]\nmethod = 'sobol'\npoints = 8\nripeness = '0..1'\nwind = '*'\n",
    "morris": "[vary]\nmethod = 'morris'\npoints = 4\nripeness = '0..1'\nbaskets = '3..5'\nweather = '*'\n",
    "tables": "[vary]\nripeness = {low = 0.1, high = 0.9, step = 0.2}\nwind = {grid = [true]}\nbaskets = '3..4'\n",
    "rest": "[cards]\ntrees = 'my_trees.csv'\n[contract]\npicker_win = {min = 0.4}\n"
    "[stop]\nprecision = 0.01\nmax_games = 20_000\n",
}


@pytest.mark.parametrize("text", ROUND_TRIPS.values(), ids=ROUND_TRIPS.keys())
def test_its_own_file_gives_the_same_games_from_another_folder(load, folder, text):
    (folder / "my_trees.csv").write_text(TREES)
    (folder / "own.py").write_text(OWN_BOT)
    some = load(text, base=BASE.replace('"climber"', '["climber", "./own.py:patient"]'))
    other = folder / "far" / "away.toml"
    other.parent.mkdir()
    other.write_text(some.to_toml())
    again = load_experiment(other)
    assert [c.key(3) for c in cells(again)] == [c.key(3) for c in cells(some)]
    assert (again.name, again.rows, again.contract, again.stop) == (
        some.name,
        some.rows,
        some.contract,
        some.stop,
    )
    assert again.to_toml() == some.to_toml()


def test_resolved_says_all_knobs_once(load):
    told = load("[knobs]\nwind = true\n[vary]\nbaskets = [3, 4]\n").resolved()
    assert told["knobs"] == {"wind": True}
    assert told["vary"] == {"method": "grid", "knobs": ["baskets"], "values": {"baskets": [3, 4]}}
    assert told["defaults"] == {"ladder": 9, "ripeness": 0.5, "weather": "calm", "apples": 3}


# --- figures, schema, ready experiments ---------------------------------------


def test_figures_of_a_contract(load):
    figures = figures_of(load_game(load("").table_ref()))
    assert {"picker_win", "crow_win", "draw_rate", "seat_gap", "turns_mean", "turns_p5", "turns_p95"} < set(figures)
    assert {"ending_harvest", "ending_bare", "fruits_mean", "decisions_mean"} < set(figures)
    assert not any(name.startswith("score_") for name in figures)
    assert all(figure.is_rate == ("share" in figure.help or "rate" in figure.help) for figure in figures.values())


def test_the_schema_knows_the_keys_and_the_game(load):
    schema = json_schema()
    assert set(schema["properties"]) == {"extends", *ExperimentFile.model_fields} - {None}
    assert json.loads(json.dumps(schema)) == schema
    game = load_game(load("").table_ref())
    known = json_schema(game)
    assert list(known["properties"]["bots"]["properties"]) == ["*", "picker", "crow"]
    assert known["properties"]["bots"]["properties"]["picker"]["examples"] == [
        "*",
        "random",
        "climber",
        "gatherer",
    ]
    assert known["properties"]["knobs"]["properties"]["baskets"]["maximum"] == 9
    assert known["properties"]["knobs"]["properties"]["weather"]["enum"] == ["calm", "storm"]
    assert "baskets" in known["$defs"]["Vary"]["properties"]
    assert known["$defs"]["Vary"]["additionalProperties"] is False
    assert set(known["properties"]["contract"]["properties"]) == set(figures_of(game))


def test_the_schema_fits_the_ready_experiments():
    checked = {}  # each schema once: to check one takes far longer than to use it
    for name, path in ready_experiments().items():
        for schema in (json_schema(), json_schema(load_game(load_experiment(name).table_ref()))):
            text = json.dumps(schema, sort_keys=True)
            if text not in checked:
                jsonschema.Draft202012Validator.check_schema(schema)
                checked[text] = jsonschema.Draft202012Validator(schema)
            checked[text].validate(tomllib.loads(path.read_text(encoding="utf-8")))
            with pytest.raises(jsonschema.ValidationError):
                checked[text].validate({"experiment": {"game": "x", "gmaes": 3}})


READY = sorted(ready_experiments())


def test_there_are_ready_experiments():
    assert len(READY) >= 8
    assert "simple_siege_balance" in READY


@pytest.mark.parametrize("name", READY)
def test_a_ready_experiment_loads_and_says_what_it_asks(name):
    path = ready_experiments()[name]
    some = load_experiment(path)
    assert some.name == path.stem
    assert some.question.endswith("?")
    text = path.read_text(encoding="utf-8")
    head = text[: text.index("\n\n")]
    assert all(line.startswith("# ") for line in head.splitlines())
    assert "# Look at: " in head
    assert f"{len(cells(some)) * some.games:,}" in head.split("# Games: ")[1]
    assert json.dumps(some.resolved()) == json.dumps(load_experiment(path).resolved())


def test_the_balance_experiment_is_every_pair_of_bots():
    from simlab.bot_registry import bots_for

    some = load_experiment("simple_siege_balance")
    game = load_game(some.table_ref())
    assert {seat: set(texts) for seat, texts in some.bots.items()} == {s: set(bots_for(game, s)) for s in game.seats}
    assert len(cells(some)) * some.games >= 200_000


def test_a_ready_experiment_is_found_by_its_name(folder):
    assert load_experiment("simple_siege_walls").source == ready_experiments()["simple_siege_walls"]
    (folder / "shell" / "simple_siege_walls").mkdir()
    assert load_experiment("simple_siege_walls").source == ready_experiments()["simple_siege_walls"]  # a name, no path
    with pytest.raises(InputError, match="is not a file"):
        load_experiment("./simple_siege_walls")
    with pytest.raises(InputError, match="Did you mean 'simple_siege_walls'"):
        load_experiment("simple_siege_wals")


def test_importing_the_spec_loads_no_compiler():
    import subprocess
    import sys

    heavy = {"numba", "polars", "pandas", "scipy"}
    code = f"import sys, simlab.spec.draft, simlab.spec.experiment; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(load_module.__file__).parents[2],
    )
    assert done.stdout.strip() == "set()", done.stderr


# --- Knobs under a swapped table, bots for all seats, a game taken for a file -------------------


@pytest.fixture
def other_outsiders(tmp_path: Path) -> Path:
    """A Mighty Fortress's Outsiders, with Tall Albert's row under another key."""
    text = (load_game("mighty_fortress").folder / "outsiders.csv").read_text()
    path = tmp_path / "outsiders.csv"
    path.write_text(text.replace("O02,Tall Albert", "O77,Short Albert"))
    return path


def test_a_swapped_table_says_which_rows_can_be_blanked(other_outsiders: Path) -> None:
    cards = {"outsiders": other_outsiders}

    def asked(**more) -> Experiment:
        return new_experiment("mighty_fortress", cards=cards, fill_seats=True, **more)

    made = asked(overrides={"blank_outsiders": "O77"})
    assert made.knobs == {"blank_outsiders": "O77"}
    varied = asked(vary={"blank_outsiders": ["none", "O77"]})
    assert [row["blank_outsiders"] for row in varied.rows] == ["none", "O77"]
    for wrong in ({"overrides": {"blank_outsiders": "O02"}}, {"vary": {"blank_outsiders": ["none", "O02"]}}):
        with pytest.raises(InputError, match="blank_outsiders = O02 is not allowed"):
            asked(**wrong)


def test_one_at_a_time_goes_with_a_swapped_table(other_outsiders: Path) -> None:
    made = new_experiment(
        "mighty_fortress", vary={"method": "one_at_a_time"}, cards={"outsiders": other_outsiders}, fill_seats=True
    )
    blanked = {row["blank_outsiders"] for row in made.rows}
    assert {"none", "O01", "O77"} <= blanked and "O02" not in blanked


def test_one_at_a_time_departs_from_a_knob_set_as_text(load) -> None:
    """A shell gives texts: `--set ladder=9`; check_knobs compares numbers."""
    made = load('[vary]\nmethod = "one_at_a_time"\n', overrides=["ladder=9"])
    assert made.rows[0]["baskets"] == 5 and len(made.rows) > 1


def test_a_bot_for_all_seats(load) -> None:
    base = BASE.replace('picker = "climber"\ncrow = "thief"\n', '"*" = "random"\n')
    assert load("", base=base).bots == {"picker": ("random",), "crow": ("random",)}
    assert load("", base=base, bots={"crow": "thief"}).bots == {"picker": ("random",), "crow": ("thief",)}
    assert load("", bots={"*": "random"}).bots == {"picker": ("random",), "crow": ("random",)}
    assert load("", bots={"*": "random", "crow": "thief"}).bots == {"picker": ("random",), "crow": ("thief",)}
    jsonschema.validate(tomllib.loads(base), json_schema(load_game(load("").table_ref())))


def test_a_bot_for_all_seats_has_to_be_one_that_all_can_take(load) -> None:
    with pytest.raises(InputError, match=r"climber.* plays picker, not crow"):
        load("", bots={"*": "climber"})


def test_a_game_is_not_taken_for_an_experiment_nor_the_other_way_round(folder: Path) -> None:
    with pytest.raises(InputError, match=r"simple_siege: is a game, .*`simlab sweep simple_siege`"):
        load_experiment("simple_siege")
    with pytest.raises(InputError, match=r"orchard: is a game"):
        load_experiment(folder / "orchard")
    for name in ("tweak.toml", "./tweak.toml"):
        with pytest.raises(InputError, match=r"is an experiment file, not a game\. .*`simlab run .*tweak\.toml`"):
            new_experiment(name)
