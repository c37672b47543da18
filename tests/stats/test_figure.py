"""The figures of a game: their names, what they read of games one by one and of counts, and their intervals."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest

import simlab
from simlab.engine.outcome import GameRows
from simlab.errors import InputError
from simlab.game import Metric, Side
from simlab.stats.bounded_mean import mean_interval
from simlab.stats.figure import Figures, GameFigure, Mean, Quantile, Share
from simlab.stats.intervals import mean_from_histogram, quantile_interval, wilson
from simlab.stats.paired import paired_difference, share_difference
from simlab.stats.sequential import mean_sequence, quantile_sequence, share_sequence
from tests.stats.counted import Counted

SEATS, ENDINGS = ("warlord", "ann", "bob"), ("stormed", "last_stand")
MEASURES = {
    "turns": Metric("turns", "length in rounds", "rounds", low=0, high=9),
    "score_ann": Metric("score_ann", "score of ann", low=0, high=50),
    "hunger": Metric("hunger", "first round with hunger", "round", never=0, low=1, high=9),
    "fell": Metric("fell", "how the gate fell", codes={0: "not", 2: "by_fire"}),
    "gate_p2": Metric("gate_p2", "strength of the second gate"),
}
SIDES = [("warlord", (0,), "wins"), ("keepers", (1, 2), "hold")]
FIGURES = Figures(SEATS, ENDINGS, MEASURES, SIDES, article="", game="keep")

# Six games: the warlord; both keepers; ann alone; nobody; all three; bob alone.
WINNERS = np.array([0b001, 0b110, 0b010, 0, 0b111, 0b100], np.uint16)
COLUMNS = {
    "winner": np.array([0, -2, 1, -1, -2, 2], np.int8),
    "winners": WINNERS,
    "ending": np.array([0, 1, 1, 0, 1, 1], np.int8),
    "turns": np.array([3, 5, 5, 9, 4, 4], np.int16),
    "score": np.array([[9, 0, 0], [1, 4, 4], [0, 7, 2], [0, 0, 0], [5, 5, 5], [2, 3, 6]]),
    "hunger": np.array([0, 3, 0, 2, 0, 0]),
    "fell": np.array([2, 0, 0, 2, 0, 0]),
    "gate_p2": np.array([5, 5, 7, 7, 7, 1]),
}


class Names:
    seats, metrics = SEATS, (MEASURES["hunger"], MEASURES["fell"], MEASURES["gate_p2"])


ROWS = GameRows(COLUMNS, Names)


def histogram(column) -> dict[int, int]:
    return {int(v): int(n) for v, n in zip(*np.unique(column, return_counts=True), strict=True)}


COUNTS = Counted(
    [1, 1, 1], nobody=1, shared=2, endings=[2, 4], lengths=histogram(COLUMNS["turns"]),
    metrics={"score_ann": histogram(COLUMNS["score"][:, 1])}
    | {name: histogram(COLUMNS[name]) for name in ("hunger", "fell", "gate_p2")},
    wins=np.array([2, 3, 3]), side_wins=[2, 4],
)  # fmt: skip


def test_the_names_of_a_games_figures():
    assert list(FIGURES)[:7] == [
        "warlord_win", "ann_win", "bob_win", "keepers_win", "draw_rate", "shared_rate", "nobody_rate",
    ]  # fmt: skip
    rest = {"seat_gap", "turns_mean", "turns_p5", "ending_last_stand", "score_ann_p50", "fell_is_by_fire"}
    assert rest | {"hunger_share", "hunger_mean", "hunger_p95", "gate_p2_mean", "gate_p2_p90"} < set(FIGURES)
    assert not {"fell_mean", "turns_share", "hunger_is_0"} & set(FIGURES)
    assert [figure.name for figure in Figures(("player",), ("end",), {}).values()] == [
        "player_win", "draw_rate", "seat_gap", "ending_end",
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(FIGURES))
def test_each_figure_says_what_it_is(name):
    figure = FIGURES[name]
    assert figure.name == name
    assert figure.words and figure.help
    assert FIGURES.find(name, "") is figure
    assert figure.is_rate == (figure.unit in ("%", "points") and not isinstance(figure, Mean | Quantile))


def test_words_and_units():
    words = {name: (FIGURES[name].words, FIGURES[name].unit) for name in FIGURES}
    assert words["ann_win"] == ("wins of ann", "%")
    assert words["keepers_win"] == ("games in which the keepers hold", "%")
    assert words["turns_mean"] == ("mean length in rounds", "rounds")
    assert words["turns_p50"] == ("median length in rounds", "rounds")
    assert words["hunger_p90"] == ("hunger that 90 % of games do not exceed", "round")
    assert words["fell_is_by_fire"] == ("games with fell by fire", "%")
    assert FIGURES["hunger_mean"].help == "mean of hunger over the games with one: first round with hunger"
    assert Figures(("besieger",), (), {})["besieger_win"].words == "wins of the besieger"


def test_any_quantile_may_be_asked_for():
    figure = FIGURES.find("gate_p2_p33", "[contract]")
    assert isinstance(figure, Quantile)
    assert (figure.column, figure.q) == ("gate_p2", 0.33)
    for name in ("gate_p2_p33", "turns_p1", "hunger_p99"):
        assert re.fullmatch(FIGURES.quantile_pattern, name)
    for name in ("fell_p50", "turns_p0", "turns_p100", "turns_p07"):
        assert not re.fullmatch(FIGURES.quantile_pattern, name)
        with pytest.raises(InputError):
            FIGURES.find(name, "[contract]")


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(
        InputError, match=r"^x.toml \[contract\]: keep has no statistic 'an_win'\. Did you mean 'ann_win'"
    ):
        FIGURES.find("an_win", "x.toml [contract]")
    with pytest.raises(InputError, match=r"^here: fell is a category.*Ask for a share: fell_is_not, fell_is_by_fire\."):
        FIGURES.find("fell_mean", "here")


def test_a_name_that_two_figures_would_have_is_the_first_ones():
    """A metric `gate` of a gate that may not fall, and one `gate_share`."""
    metrics = {"gate": Metric("gate", "", never=0), "gate_share_mean": Metric("gate_share_mean", "")}
    figures = Figures(("a",), (), metrics | {"gate_share": Metric("gate_share", "")})
    assert isinstance(figures["gate_share"], Share)
    assert figures["gate_share_mean"].column == "gate_share"


BY_GAME = {
    "warlord_win": [1, 0, 0, 0, 1, 0],
    "ann_win": [0, 1, 1, 0, 1, 0],
    "keepers_win": [0, 1, 1, 0, 1, 1],
    "draw_rate": [0, 1, 0, 1, 1, 0],
    "shared_rate": [0, 1, 0, 0, 1, 0],
    "nobody_rate": [0, 0, 0, 1, 0, 0],
    "ending_last_stand": [0, 1, 1, 0, 1, 1],
    "hunger_share": [0, 1, 0, 1, 0, 0],
    "fell_is_by_fire": [1, 0, 0, 1, 0, 0],
}


@pytest.mark.parametrize("name", BY_GAME)
def test_a_share_is_the_same_out_of_rows_and_out_of_counts(name):
    figure = FIGURES[name]
    assert isinstance(figure, Share)
    happened = figure.read(ROWS)
    assert happened.dtype == np.bool_
    assert happened.astype(int).tolist() == BY_GAME[name]
    counts = COUNTS if name != "keepers_win" else Counted([0, 0, 0], nobody=6, side_wins=[2, 4])
    assert figure.count(counts) == (sum(BY_GAME[name]), 6)
    level = 0.9
    assert figure.interval(counts, level) == (sum(BY_GAME[name]) / 6, *wilson(sum(BY_GAME[name]), 6, level))
    assert figure.sequence(counts, level)[1:] == tuple(share_sequence(sum(BY_GAME[name]), 6, level))


@pytest.mark.parametrize(
    ("name", "values"), [("turns_mean", [3, 5, 5, 9, 4, 4]), ("score_ann_mean", [0, 4, 7, 0, 5, 3])]
)
def test_a_mean_is_the_same_out_of_rows_and_out_of_counts(name, values):
    figure = FIGURES[name]
    assert isinstance(figure, Mean)
    assert figure.read(ROWS).tolist() == values
    table = COUNTS.histogram(figure.column)
    whole = mean_from_histogram(*table, 0.9)
    assert whole.value == pytest.approx(np.mean(values))
    assert figure.interval(COUNTS, 0.9) == mean_interval(*table, level=0.9)
    assert figure.sequence(COUNTS, 0.9) == mean_sequence(*table, 0.9, 0, figure.measure.high)


def test_a_number_if_it_happened_counts_only_where_it_did():
    mean, ninety = FIGURES["hunger_mean"], FIGURES["hunger_p90"]
    assert isinstance(mean, Mean)
    assert mean.where_both
    assert mean.interval(COUNTS).value == 2.5
    assert ninety.interval(COUNTS).value == 3
    assert ninety.interval(COUNTS)[1:] == quantile_interval([2, 3], [1, 1], 0.9)
    assert ninety.sequence(COUNTS) == quantile_sequence([2, 3], [1, 1], 0.9)
    before, after = np.array([0, 3, 2, 4]), np.array([5, 4, 0, 8])
    assert mean.counted(before, after).tolist() == [False, True, False, True]


def test_the_gap_of_the_win_rates():
    gap = FIGURES["seat_gap"]
    counts = Counted([600, 300, 100])
    value, low, high = gap.sequence(counts)
    assert value == 0.5
    assert 0.4 < low < 0.5 < high < 0.6
    value, low, high = gap.sequence(Counted([0, 0, 0], shared=500))  # all win together
    assert (value, low) == (0, 0)
    assert high < 0.03
    assert Figures(("a",), (), {})["seat_gap"].sequence(Counted([5])) == (0, 0, 0)


def test_a_change_on_the_same_seeds():
    win, turns = FIGURES["ann_win"], FIGURES["turns_mean"]
    assert isinstance(win, Share)
    assert isinstance(turns, Mean)
    before, after = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 1, 1], bool)
    assert win.change(before, after, 0.9) == tuple(share_difference(2, 1, 5, 0.9))
    low, high = win.change(before, after, 0.9, sequential=True)
    assert low < 0.2 < high
    a, b = np.array([3, 5, 5, 9, 4]), np.array([3, 5, 6, 9, 4])
    assert turns.change(a, b, 0.9) == paired_difference(a, b, 0.9, turns.most_change(a, b, 0.9)).ends[1:]
    assert turns.most_change(a, b, 0.9) == 9  # as the game states: few games changed
    assert turns.most_change(a, b, 0.9, stated=False) == 6
    low, high = turns.change(a, b, 0.9, sequential=True)
    assert low < 0.2 < high


def test_the_figures_of_a_game_one_by_one():
    """Each fact once: no quantiles, no gap, and the parts of the games without a single winner only together."""
    assert [figure.short_name for figure in FIGURES.by_game] == [
        "warlord_win", "ann_win", "bob_win", "keepers_win", "nobody_rate", "ending_stormed", "ending_last_stand",
        "turns", "score_ann",
        "hunger_share", "hunger", "fell_is_not", "fell_is_by_fire", "gate_p2",
    ]  # fmt: skip
    assert all(isinstance(figure, GameFigure) and figure.read(ROWS).shape == (6,) for figure in FIGURES.by_game)
    assert {figure.topic for figure in FIGURES.by_game} == {
        "win",
        "side",
        "winners",
        "ending",
        "length",
        "score",
        "number",
    }


def test_no_games_are_no_figure():
    nothing = Counted([0, 0, 0], endings=[0, 0])
    assert math.isnan(FIGURES["ann_win"].interval(nothing).value)
    assert FIGURES["ann_win"].sequence(nothing)[1:] == (0, 1)
    assert math.isnan(FIGURES["turns_mean"].interval(nothing).value)
    assert math.isnan(FIGURES["turns_p50"].interval(nothing).value)


def test_rows_say_which_columns_are_there():
    rows = np.zeros(2, [("winner", np.int8), ("score", np.int32, (3,))])
    assert "winner" in GameRows(rows, Names)
    assert "winners" not in GameRows(rows, Names)
    assert "score_bob" in GameRows(rows, Names)
    stored = GameRows({"score_bob": np.array([4, 5])}, Names)
    assert stored.column("score_bob").tolist() == [4, 5]
    assert "score_ann" not in stored


def test_a_side_is_made_of_several_seats():
    """A side of one seat is the seat itself."""
    game = type("Game", (), {"seats": SEATS, "sides": (Side("warlord", ("warlord",)), Side("keepers", ("ann", "bob")))})
    from simlab.engine.outcome import sides_of

    figures = Figures(SEATS, (), {}, sides_of(game))
    assert [side.name for side in figures.sides] == ["keepers_win"]
    assert list(figures).count("warlord_win") == 1


# What stands before or after a name, or between two, in the names of figures; all spelled in one file.
AFFIX = re.compile(r"(score|ending|won|credit)_|_(win|mean|share|rate|is|p\d*)_?|_p\(.*")
TAKES_APART = {"endswith", "startswith", "removesuffix", "removeprefix", "partition", "rpartition", "split", "rsplit"}


def taken_apart(source: str) -> list[int]:
    """Lines that put a figure's name together or take it apart."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        texts = []
        if isinstance(node, ast.JoinedStr) and len(node.values) > 1:
            texts = [node.values[0], node.values[-1]] if len(node.values) == 2 else node.values
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            pattern = node.func.attr in {"compile", "match", "fullmatch", "search", "sub"}
            texts = node.args if node.func.attr in TAKES_APART or pattern else []
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            texts = [node.left, node.right]
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Subscript):
            texts = node.comparators  # name[-4:] == "_win"
        found = [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
        lines += [node.lineno for text in found if AFFIX.fullmatch(text)]
    return lines


def test_a_figures_name_is_spelled_in_one_file():
    package = Path(simlab.__file__).parent
    here = package / "stats" / "figure.py"
    assert len(taken_apart(here.read_text(encoding="utf-8"))) > 5
    files = [path for path in package.rglob("*.py") if path != here]
    wrong = {str(path.relative_to(package)): taken_apart(path.read_text(encoding="utf-8")) for path in files}
    assert {name: lines for name, lines in wrong.items() if lines} == {}


@pytest.mark.parametrize(
    "code",
    [
        'f"{seat}_win"', 'name.endswith("_win")', 'name.removesuffix("_mean")', 'f"score_{seat}"', 'seat + "_win"',
        'f"{name}_p{q}"', 'f"as {name}_p90"', 'f"{name}_is_{code}"', 're.compile("_p([0-9]+)")', 'name[-5:] == "_mean"',
    ],
)  # fmt: skip
def test_a_name_made_elsewhere_is_seen(code):
    assert taken_apart(code)
    assert not taken_apart('f"{name}_table"')


def test_a_side_that_names_its_endings_wins_in_no_others() -> None:
    """The keepers win games 1, 2, 4 and 5 of the six, all of them last stands; of stormed cities none."""
    for endings, won in (((0, 1), [0, 1, 1, 0, 1, 1]), ((1,), [0, 1, 1, 0, 1, 1]), ((0,), [0] * 6)):
        figures = Figures(SEATS, ENDINGS, MEASURES, SIDES, article="", game="keep", side_endings=[(0, 1), endings])
        assert figures["keepers_win"].read(ROWS).astype(int).tolist() == won
