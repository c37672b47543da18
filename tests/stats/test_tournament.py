"""Best play, alpha-rank, circles and the dependence on the bots, against published and planted cases."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.tournament import (
    alpha_rank,
    below_the_best,
    better_replies,
    circles,
    dependence,
    dominated,
    duels,
    equilibrium,
    floored,
    reply_circles,
    resampled,
    solve,
    solve_all,
    sup_t,
    survivors,
)

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], float)
BIASED = np.array([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]])  # Omidshafiei et al., Figure 3


def noise(table, games=1_000):
    """Covariance of estimates of a table whose games share no luck."""
    flat = np.asarray(table, float).ravel()
    return floored(np.diag(flat * (1 - flat) / games), np.full(flat.size, games))


# --- best play


@pytest.mark.parametrize(
    ("payoff", "mix_a", "mix_b", "value"),
    [
        (RPS, [1 / 3] * 3, [1 / 3] * 3, 0.0),
        (BIASED, [1 / 16, 10 / 16, 5 / 16], [1 / 16, 10 / 16, 5 / 16], 0.0),
        ([[3, -1], [-2, 4]], [0.6, 0.4], [0.5, 0.5], 1.0),  # by hand: 2 x 2 without a saddle
        ([[0.6, 0.7, 0.8], [0.5, 0.9, 0.2]], [1, 0], [1, 0, 0], 0.6),  # a saddle
    ],
)
def test_equilibria_known_by_hand(payoff, mix_a, mix_b, value):
    found_a, found_b, found = solve(payoff)
    assert found_a == pytest.approx(mix_a, abs=1e-9)
    assert found_b == pytest.approx(mix_b, abs=1e-9)
    assert found == pytest.approx(value, abs=1e-9)


def test_the_columns_mix_is_best_against_the_rows():
    table = np.random.default_rng(3).random((7, 5))
    mix_a, mix_b, value = solve(table)
    assert (mix_a @ table).min() == pytest.approx(value)
    assert (table @ mix_b).max() == pytest.approx(value)


@pytest.mark.parametrize("truth", [0.5 + 0.3 * RPS, np.full((6, 1), 0.5)], ids=["mixed", "equally good bots"])
def test_the_interval_of_the_value_covers(truth):
    generator, value, hits = np.random.default_rng(1), solve(truth)[2], 0
    for seed in range(150):
        seen = generator.binomial(400, truth) / 400
        found = equilibrium(seen, noise(seen, 400), draws=2, seed=seed)
        hits += found.value.low <= value <= found.value.high
    assert hits / 150 >= 0.93


def test_a_bot_that_is_never_best_is_not_sent():
    table = np.array([[0.5, 0.8], [0.2, 0.5], [0.1, 0.1]])
    found = equilibrium(table, noise(table), draws=50)
    rows = found.mixes[0]
    assert rows.share == pytest.approx([1, 0, 0])
    assert rows.sent[0] == 1
    assert rows.sent[2] == 0
    assert rows.ends[0] == pytest.approx([1, 1])


def test_the_band_for_independent_estimates_is_that_of_sidak():
    assert sup_t(np.eye(10), draws=40_000) == pytest.approx(norm.ppf((1 + 0.95**0.1) / 2), abs=0.03)
    assert sup_t(np.ones((10, 10)), draws=40_000) == pytest.approx(1.96, abs=0.03)


def test_resampled_tables_share_their_luck():
    shared = 0.01 * (0.2 * np.eye(2) + 0.8)
    drawn = resampled([0.5, 0.5], shared, 4_000)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(0.8, abs=0.03)


# --- alpha-rank


def test_alpha_rank_of_the_papers_battle_of_the_sexes_and_of_dominance():
    battle = [np.array([[3.0, 0], [0, 2]]), np.array([[2.0, 0], [0, 3]])]
    assert alpha_rank(battle) == pytest.approx(np.array([[0.5, 0], [0, 0.5]]), abs=2e-4)
    prisoners = [np.array([[-1.0, -3], [0, -2]]), np.array([[-1.0, 0], [-3, -2]])]
    assert alpha_rank(prisoners)[1, 1] == pytest.approx(
        (1 - 1e-4) ** 2, abs=1e-12
    )  # two ways out, a step of 1 in 10,000 each


def test_alpha_rank_equals_long_play_of_its_own_chain():
    """The chain written out for three seats, as the paper's equations have it, and squared until it settles."""
    generator = np.random.default_rng(5)
    tables = [generator.random((2, 3, 2)) for _ in range(3)]
    profiles = list(np.ndindex(2, 3, 2))
    chain = np.zeros((12, 12))
    for i, s in enumerate(profiles):
        for j, t in enumerate(profiles):
            moved = [k for k in range(3) if s[k] != t[k]]
            if len(moved) == 1:
                gain = tables[moved[0]][t] - tables[moved[0]][s]
                chain[i, j] = (1 - 1e-4 if gain > 0 else 1e-4) / 4
        chain[i, i] = 1 - chain[i].sum()
    settled = np.linalg.matrix_power(chain, 2**16)[0]
    assert alpha_rank(tables).ravel() == pytest.approx(settled, abs=1e-8)


def test_survivors_say_how_sure_they_are():
    clear = np.array([[0.8, 0.7], [0.3, 0.2]])  # the first row, the second column
    found = survivors([clear, 1 - clear], [noise(clear)] * 2)
    assert found[0][0, 0] > 0.999
    assert found[1][1, 0] > 0.999
    assert found[0][0, 1] > 0.999
    close = np.array([[0.5], [0.501]])
    vague = survivors([close, 1 - close], [noise(close)] * 2)
    assert vague[0][0, 2] - vague[0][0, 1] > 0.9


def test_survivors_contain_the_true_alpha_rank():
    """Between bots that hardly differ the middle 95 % of resampled tables contained it in 9 of 10 tables."""
    generator, inside = np.random.default_rng(3), []
    for _ in range(30):
        true = generator.uniform(0.4, 0.6, (3, 3))
        seen = generator.binomial(100, true) / 100
        found = survivors([seen, 1 - seen], [np.diag((seen * (1 - seen) / 100).ravel())] * 2)
        mass = alpha_rank([true, 1 - true])
        for seat in (0, 1):
            share = mass.sum(axis=1 - seat)
            inside += list((found[seat][:, 1] <= share + 1e-3) & (share <= found[seat][:, 2] + 1e-3))
    assert np.mean(inside) >= 0.95


# --- circles


def test_shortest_circles_of_a_graph():
    assert circles([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]) == ([[(0, 1), (1, 2), (2, 0)]], 3)
    assert circles([(0, 1), (1, 2)]) == ([], 0)
    assert circles([]) == ([], 0)
    found, nodes = circles([(5, 6), (6, 5), (1, 2), (2, 3), (3, 1)])
    assert found == [[(5, 6), (6, 5)], [(1, 2), (2, 3), (3, 1)]]
    assert nodes == 5


def test_rock_paper_scissors_is_found_and_a_ladder_is_none():
    cyclic = 0.5 + 0.2 * RPS
    won, rings = duels(cyclic, noise(cyclic))
    assert set(won) == {(0, 2), (1, 0), (2, 1)}
    assert rings == [[(0, 2), (2, 1), (1, 0)]]
    assert all(share.low > 0.6 > 0.5 for share in won.values())
    ladder = 0.5 + 0.15 * np.subtract.outer([2, 1, 0], [2, 1, 0])
    assert duels(ladder, noise(ladder))[1] == []
    assert duels(cyclic, noise(cyclic, 8))[1] == []  # too few games: nothing is claimed


def test_noise_makes_no_circles():
    """Of tables where all bots are equal, at most one in twenty may show even one better reply."""
    generator, false = np.random.default_rng(2), 0
    for _ in range(200):
        seen = generator.binomial(500, np.full((4, 4), 0.5)) / 500
        false += bool(better_replies([seen, 1 - seen], [noise(seen, 500)] * 2))
    assert false / 200 <= 0.08


def test_matching_pennies_goes_round_in_four_steps():
    pennies = np.array([[0.8, 0.2], [0.2, 0.8]])
    steps = better_replies([pennies, 1 - pennies], [noise(pennies)] * 2)
    assert len(steps) == 4
    found, on = reply_circles(steps)
    assert len(found) == 1
    assert len(found[0]) == 4
    assert on == 4
    assert all(step.gain.low > 0.5 for step in found[0])
    for one, two in zip(found[0], [*found[0][1:], found[0][0]], strict=True):
        assert one.after == two.before
        assert one.seat != two.seat
    settled = np.array([[0.5, 0.8], [0.2, 0.5]])
    assert reply_circles(better_replies([settled, 1 - settled], [noise(settled)] * 2)) == ([], 0)


# --- dependence on the bots


def told(table, games=2_000, **more):
    table = np.asarray(table, float)
    return dependence([table, 1 - table], np.full(table.shape, games), [noise(table, games)] * 2, **more)


def test_a_finding_that_all_match_ups_share_holds():
    found = told([[0.6, 0.7, 0.6], [0.65, 0.6, 0.6]])
    assert found.stamp == "holds"
    assert (found.favoured, found.leader, found.total) == ((6, 0), 0, 6)


def test_a_finding_that_bots_turn_is_fragile():
    found = told([[0.9, 0.9, 0.9], [0.8, 0.7, 0.2]])
    assert found.stamp == "fragile"
    assert found.reasons == ("against",)
    assert found.favoured == (5, 1)
    alone = told([[0.95, 0.95], [0.42, 0.49]])
    assert "left out" in alone.reasons
    assert alone.left_out[:2] == (0, 0)
    best = told(np.full((3, 4), 0.6), best_play=[(0.4, 0.45), (0.55, 0.6)])
    assert best.reasons == ("best play",)


def test_leaving_out_a_bot_is_no_reason_before_it_is_certain():
    """The true shares without the first bot are even: games of luck alone must seldom turn the finding."""
    truth = np.array([[0.95, 0.95], [0.5, 0.5], [0.5, 0.5]])
    generator, wrong = np.random.default_rng(6), 0
    for _ in range(200):
        seen = generator.binomial(400, truth) / 400
        wrong += "left out" in told(seen, 400).reasons
    assert wrong / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5
    sure = told([[0.95, 0.95], [0.42, 0.49]], 2_000)
    assert "left out" in sure.reasons
    assert "left out" not in told([[0.95, 0.95], [0.42, 0.49]], 100).reasons  # the same shares, too few games


def test_even_open_and_few():
    assert told(np.full((2, 3), 0.5), games=100_000).stamp == "even"
    assert told(np.full((2, 3), 0.5), games=100).stamp == "open"
    assert told([[0.9, 0.8]]).stamp == "few"


def test_three_seats_have_a_fair_share_of_a_third():
    tables = [np.full((5, 1, 1), share) for share in (0.5, 0.3, 0.2)]
    found = dependence(tables, np.full((5, 1, 1), 1_000), [noise(table) for table in tables])
    assert (found.stamp, found.leader, found.favoured) == ("holds", 0, (5, 0, 0))


@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (9, 8), (20, 20)])
def test_many_tables_are_solved_as_linear_programmes_are(shape: tuple[int, int]) -> None:
    """Ties, equal bots and flat tables too: the value is the programme's, and no reply gains on the mixes."""
    rows, columns = shape
    tables = np.random.default_rng(7).random((12, rows, columns))
    tables[:3] = tables[:3].round(1)
    tables[3] = 0.5
    tables[4, -1] = tables[4, 0]
    mix_a, mix_b, values = solve_all(tables)
    for table, a, b, value in zip(tables, mix_a, mix_b, values, strict=True):
        programme = linprog(
            np.append(np.zeros(rows), -1.0),
            A_ub=np.column_stack([-table.T, np.ones(columns)]),
            b_ub=np.zeros(columns),
            A_eq=np.append(np.ones(rows), 0.0)[None, :],
            b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        assert value == pytest.approx(programme.x[-1], abs=1e-9)
        assert (a @ table).min() == pytest.approx(value, abs=1e-9)
        assert (table @ b).max() == pytest.approx(value, abs=1e-9)
        assert a.sum() == pytest.approx(1) and b.sum() == pytest.approx(1)


def test_a_table_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="not finite"):
        solve([[0.5, float("nan")]])


# --- dominated bots


def claims(generator, truth, games):
    """What is called dominated in a table of bots and opponents that share half of their luck."""
    shared = generator.random((games, *truth.shape)) < 0.5
    luck = np.where(shared, generator.random((games, truth.shape[1]))[:, None, :], generator.random(shared.shape))
    won = (luck < truth).astype(float)

    def least(bot, rival, other, chance):
        values, counts = np.unique(won[:, rival, other] - won[:, bot, other], return_counts=True)
        return float(mean_bounds(values, counts, -1, 1, 1 - 2 * chance)[0])

    return dominated(won.mean(axis=0), least)


def test_a_bot_that_is_better_against_one_opponent_is_rarely_called_dominated():
    """Every rival is 10 points better against five opponents, and a point and a half worse against the sixth."""
    generator, runs = np.random.default_rng(1), 100
    truth = np.full((5, 6), 0.5)
    truth[1:] += 0.1
    truth[np.arange(1, 5), np.arange(1, 5)] = 0.485
    assert sum(bool(claims(generator, truth, 1_000)) for _ in range(runs)) <= 5 + 2 * np.sqrt(100 * 0.05 * 0.95)


def test_a_dominated_bot_is_found_with_the_bot_that_dominates_it():
    truth = np.array([[0.3] * 5, [0.6] * 5, [0.5] * 5])
    truth[:2, 0] = 0.99  # against the first opponent the first two are equal
    found = claims(np.random.default_rng(2), truth, 4_000)
    assert [(one.bot, one.rival, one.everywhere) for one in found] == [(0, 1, False), (2, 1, True)]


def test_of_equal_estimates_few_are_called_below_the_best():
    generator, runs = np.random.default_rng(3), 400
    variance = np.full((12, 12), 2.0)
    false = sum(bool(below_the_best(generator.normal(size=12), variance).any()) for _ in range(runs))
    assert false <= 0.05 * runs + 2 * np.sqrt(runs * 0.05 * 0.95)
    assert below_the_best([9.0, 0.0, 8.0], np.full((3, 3), 2.0)).tolist() == [False, True, False]
    assert not below_the_best([0.1 + 0.2, 0.3], np.zeros((2, 2))).any()  # the same but for rounding


def test_best_play_names_one_bot_as_sent_only_where_it_is():
    """The column that is best by a little: another is rarely called the one that is sent."""
    generator, runs, false = np.random.default_rng(4), 150, 0
    truth = np.array([[0.5, 0.505, 0.505, 0.505]])
    for run in range(runs):
        rates = generator.binomial(1_000, truth) / 1_000
        found = equilibrium(rates, noise(rates), seed=run)
        false += bool((found.mixes[1].ends[1:, 0] >= 0.9).any())
    assert false <= 0.05 * runs + 2 * np.sqrt(runs * 0.05 * 0.95)


def test_a_balance_that_is_even_on_average_is_rarely_said_to_lean():
    """Each bot suits some opponents, and who is favoured more often is chance: it leaned in 55 to 90 % of runs."""
    generator, runs, leaning = np.random.default_rng(7), 100, 0
    for _ in range(runs):
        truth = generator.normal(0, 0.06, (6, 6))
        share = generator.binomial(400, 0.5 + truth - truth.mean()) / 400
        covariance = np.diag((share * (1 - share) / 400).ravel())
        found = dependence([share, 1 - share], np.full((6, 6), 400), [covariance, covariance])
        leaning += found.stamp == "leans"
    assert leaning <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)
    leans = dependence([share + 0.03, 0.97 - share], np.full((6, 6), 400), [covariance, covariance])
    assert leans.stamp == "leans"
