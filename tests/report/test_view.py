"""What the report reads of results, and the intervals of what it takes together."""

import math

import numpy as np
import polars as pl
import pytest

from simlab.engine.payoff import Payoff
from simlab.errors import InputError
from simlab.present.estimate import Estimate, number, plain, short, value_text
from simlab.questions.endings.analysis import QUANTILES, of_run
from simlab.runs.cell_pools import Pool
from simlab.runs.view import View
from simlab.stats.intervals import wilson
from tests.report import fake


def test_texts_of_strangers_become_one_printable_line():
    text = plain(fake.HOSTILE)
    assert len(text) <= 200
    assert text.isprintable()
    assert text.encode("utf-8")
    assert short("abcdefghij", 6) == "abc…ij"
    assert plain("a\u202eb\tc") == "a b c"


def test_numbers_read_as_people_write_them():
    assert value_text(True) == "true"
    assert value_text(2.50) == "2.5"
    assert number(math.nan) == "–"
    assert number(1234.5678, 3) == "1,234.6"
    assert Estimate(0.583, 0.579, 0.587).full == "58.3 % (57.9 to 58.7)"
    assert Estimate(-3.0, -8.0, 2.0, False).full == "−3 (−8 to 2)"
    assert Estimate(math.nan, 0.0, 1.0).full == "–"


def test_groups_stand_for_many_cells(match_ups, walls, one):
    assert [pool.label for pool in View(one).groups()] == ["rusher v rusher"]
    view = View(match_ups)
    assert len(view.cells) == 72
    assert len(view.groups()) == 17
    assert view.groups()[0].games == 8 * 150
    assert [pool.label for pool in View(walls).groups(5)] == [f"walls = {n}" for n in (3, 4, 5, 6, 7)]
    assert View(walls).varied == {"walls": [3, 4, 5, 6, 7]}


def test_one_cell_has_wilsons_interval(one):
    view = View(one)
    rate = view.all.win_rate(0)
    wins = int(view.cells[0].wins[0])
    assert (rate.low, rate.high) == pytest.approx(tuple(wilson(wins, 3000)))


def test_pooled_shares_take_the_worst_case_where_no_rows_are_kept():
    """Twenty cells that play the same luck are worth one."""
    bots = {"besieger": [f"b{i}" for i in range(20)], "besieged": ["w"]}
    hits = 0
    for seed in range(60):
        made = fake.results(bots=bots, games=200, shared=True, chance=lambda *_: 0.4, seed=seed)
        rate = View(made).all.win_rate(0)
        hits += rate.low <= 0.4 <= rate.high
        assert rate.high - rate.low == pytest.approx(float(np.diff(wilson(rate.value * 200, 200))[0]))
    assert hits >= 54


def test_shared_luck_is_measured_where_rows_are_kept():
    bots = {"besieger": [f"b{i}" for i in range(20)], "besieged": ["w"]}
    together = fake.results(bots=bots, games=400, shared=True, chance=lambda *_: 0.4, rows=True)
    apart = fake.results(bots=bots, games=400, chance=lambda *_: 0.4, rows=True)
    width = {}
    for name, made in [("together", together), ("apart", apart)]:
        view = View(made)
        rate = view.all.win_rate(0)
        width[name] = rate.high - rate.low
        assert view.covariance(Payoff.win(0)).shape == (20, 20)
    assert width["together"] / width["apart"] == pytest.approx(math.sqrt(20), rel=0.2)


def test_measured_intervals_cover():
    """Ten cells, half of whose luck is shared."""
    hits = 0
    for seed in range(150):
        generator = np.random.default_rng(seed)
        made = fake.results(bots={"besieger": list("abcdefghij"), "besieged": ["w"]}, games=120, rows=True, seed=seed)
        common = generator.random(120)
        for cell in made.cells:
            own = generator.random(120)
            winners = np.where(np.where(generator.random(120) < 0.5, common, own) < 0.4, 2, 3)
            cell.tally, _ = fake.tally(generator, 120, ("besieger", "besieged"), (0.4, 0.6), winners=winners)
            place = made.rows["cell"] == cell.key
            seats = np.array(["besieger", "besieged"])[winners - 2]
            column = made.rows["winner"].to_numpy().copy()
            column[place.to_numpy()] = seats
            made.rows = made.rows.with_columns(winner=column)
        rate = View(made).all.win_rate(0)
        hits += rate.low <= 0.4 <= rate.high
    assert 0.89 <= hits / 150 <= 0.99


def test_pooled_means_and_quantiles_are_those_of_all_games(walls):
    view = View(walls)
    lengths = np.repeat(np.arange(fake.TURNS + 1), view.all.turns)
    mean = view.all.mean_length()
    assert mean.value == pytest.approx(lengths.mean())
    assert mean.low < mean.value < mean.high
    half = view.all.quantile(view.all.length, 0.5)
    assert half.value == np.quantile(lengths, 0.5, method="inverted_cdf")
    assert half.low <= half.value <= half.high
    values, counts = view.all.metric("walls_end")
    assert counts.sum() == view.games
    assert view.all.mean("walls_end").value == pytest.approx((values * counts).sum() / counts.sum())


@pytest.mark.parametrize("shared", [False, True], ids=["separate luck", "shared luck"])
def test_pooled_endings_and_lengths_are_as_wide_as_the_luck_they_share(shared):
    """Twenty cells: the worst case is right where all luck is shared, and 4.5 times too wide where none is."""
    bots = {"besieger": [f"b{i}" for i in range(20)], "besieged": ["w"]}
    generator, seats, games = np.random.default_rng(3), ("besieger", "besieged"), 400
    made = fake.results(bots=bots, games=games, rows=True)
    one = fake.tally(generator, games, seats, (0.4, 0.6))[0]
    columns: dict[str, list[np.ndarray]] = {"turns": [], "ending": []}
    for cell in made.cells:
        cell.tally = one if shared else fake.tally(generator, games, seats, (0.4, 0.6))[0]
        columns["turns"].append(cell.tally.lengths)
        columns["ending"].append(np.array(fake.ENDINGS)[cell.tally.how])
    made.rows = made.rows.with_columns(**{name: np.concatenate(column) for name, column in columns.items()})
    pool = View(made).all
    worth = games if shared else 20 * games
    spread = [math.sqrt(p * (1 - p) / worth) for p in (0.4, 0.54)] + [math.sqrt(10 / worth)]
    found = [pool.ending(1), pool.ending(3), pool.mean_length()]
    assert [(f.high - f.low) / 2 / 1.96 for f in found] == pytest.approx(spread, rel=0.2)
    assert pool.quantile(pool.length, 0.5, column="turns").low >= (9 if shared else 10)


def test_pooled_ends_of_the_length_cover():
    """Two cells that play the same 60 games: the ends of the shortest and longest 5 % need the most extreme games."""
    pool, generator, hits = (
        View(fake.results(bots={"besieger": ["a", "b"], "besieged": ["w"]}, games=60)).all,
        np.random.default_rng(1),
        0,
    )
    for _ in range(200):
        values, counts = np.unique(generator.geometric(1 / 20, 60), return_counts=True)
        ends = pool.quantile((values, 2 * counts), 0.95)
        hits += ends.low <= math.ceil(math.log(0.05) / math.log(0.95)) <= ends.high
    assert hits >= 186


def test_the_same_games_under_two_names_count_once():
    bots = {"besieger": ["rusher", "rusher:speed=3"], "besieged": ["w1", "w2"]}
    made = fake.results(bots=bots, games=300, rows=True)
    whole = View(made)
    for twin, cell in zip(made.cells[2:], made.cells[:2], strict=True):
        twin.key, twin.tally = cell.key, cell.tally
    made.rows = made.rows.filter(pl.col("cell").is_in([cell.key for cell in made.cells]))
    view = View(made)
    assert (len(whole.cells), len(view.cells), view.games) == (4, 2, 600)
    assert view.bots["besieger"] == ["rusher"]
    assert view.all.win_rate(0).high - view.all.win_rate(0).low < 0.1  # the luck that cells share is measured still
    assert view.covariance(Payoff.win(0)) is not None
    assert {(cell.bots["besieger"], kept.bots["besieger"]) for cell, kept in view.twins} == {
        ("rusher:speed=3", "rusher")
    }


def test_a_run_without_games_has_nothing_to_report():
    made = fake.results(games=10)
    made.cells = []
    with pytest.raises(InputError, match="no game was played"):
        View(made)
    with pytest.raises(ValueError, match="no cells"):
        Pool("", [])


def test_games_of_an_ending_apart(solo, match_ups, one):
    found = of_run(solo).endings
    rows = solo.rows
    assert [ending.ending for ending in found] == ["none", "assault"]
    for ending in found:
        some = rows.filter(pl.col("ending") == ending.ending)
        score = some["score_player"].to_numpy()
        mean = ending.means["score player"]
        assert ending.games == some.height
        assert mean.value == pytest.approx(score.mean())
        assert mean.low < mean.value < mean.high
        alone = 1.96 * score.std() / some.height**0.5
        assert 0.7 * alone < mean.high - mean.value < 1.8 * alone  # as far as cells share luck, and no wider
        assert ending.scores == {"player": tuple(np.quantile(score, q, method="nearest") for q in QUANTILES)}
    assert of_run(match_ups).endings[0].scores == {}
    assert all(not ending.means for ending in of_run(one).endings)


def test_ends_do_not_leave_what_can_be():
    rare = Estimate(0.003, -0.003, 0.01, False)
    assert rare.full == "0.003 (−0.003 to 0.010)"
    assert rare.within(0, None).full == "0.003 (0.000 to 0.010)"
    assert Estimate(1.99, 1.97, 2.01, False).within(0, 2).ends == "1.970 to 2.000"


@pytest.mark.parametrize("value", [0.9795, 0.685, 0.0245, 0.5005])
def test_a_number_between_two_printed_ones_prints_the_same_on_every_machine(value: float) -> None:
    """The last bits of a sum depend on the processor."""
    near = [value - 3e-16, math.nextafter(value, 0), value, math.nextafter(value, 1), value + 3e-16]
    assert Estimate(0.2747, 0.1739, 9.55, False).full == "0.3 (0.2 to 9.6)", "not 0 (0 to 10): it is not 0"
    assert len({Estimate(one, value - 0.0123, value + 0.0123).full for one in near}) == 1
    assert len({Estimate(value, value - 0.0025 - end, value + 0.0025 + end).full for end in (-3e-16, 0, 3e-16)}) == 1
    assert len({number(100 * one, 0.5) for one in near}) == 1
    assert len({number(100 * one) for one in near}) == 1


def test_a_number_that_never_differs_claims_no_certainty():
    """ "0.00 (0.00 to 0.00)" would say that it cannot happen; the games only say that it did not."""
    assert Estimate(0, 0, 0, False).full == "0.00 (in each game)"
    assert Estimate(1, 1, 4.7, False, constant=True).full == "1 (in each game)"  # its range is not what games show
    assert Estimate(0, 0, math.inf, False).full == "0 (0 or more)"
    assert Estimate(0.009, 0.002, math.inf, False).full == "0.009 (above 0.002)"
    assert Estimate(0, math.nan, math.nan, False).full == "0"
    assert Estimate(10, -math.inf, math.inf, False).full == "10 (too few games)"
    assert Estimate(1, 1, 1).ends == "100.00 to 100.00"


def test_a_length_that_never_differs_and_a_ranking_that_explains_nothing_are_said_plainly():
    from types import SimpleNamespace

    from simlab.questions.bots.words import ranking_sentence
    from simlab.questions.length.words import sentence

    one = SimpleNamespace(mean=Estimate(1, 1, 4.7, False, constant=True), turn_name="turn", quantiles={})
    assert sentence(one) == "Every game lasts 1 turn."
    surprise = SimpleNamespace(points=20.0, significant=True, bot="rock", against="paper")
    nothing = ranking_sentence(SimpleNamespace(unexplained=1.0, surprise=surprise))
    assert nothing.startswith("In these games one strength per bot explains none of the differences")
