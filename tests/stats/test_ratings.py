"""Bradley-Terry for two roles against statsmodels' GLM and planted strengths."""

import numpy as np
import pytest
import statsmodels.api as sm

from simlab.errors import UserMistake
from simlab.stats.ratings import bradley_terry, luce

A, B, FIRST = np.array([0.6, 0.0, -0.6]), np.array([0.3, 0.2, -0.1, -0.4]), 0.25


def rates(interaction=0.0):
    odds = FIRST + A[:, None] - B[None, :]
    return 1 / (1 + np.exp(-(odds + interaction)))


def played(games=2_000, seed=0, **more):
    return np.random.default_rng(seed).binomial(games, rates(**more)), np.full((3, 4), games)


def test_strengths_equal_those_of_statsmodels():
    wins, games = played()
    mine = bradley_terry(wins, games, prior=0.0, draws=0)
    rows, columns = np.indices(wins.shape)
    design = np.column_stack(
        [np.ones(12)]
        + [(rows.ravel() == i) * 1.0 - (rows.ravel() == 2) for i in range(2)]
        + [(columns.ravel() == 3) * 1.0 - (columns.ravel() == j) for j in range(3)]
    )
    lost = games - wins
    theirs = sm.GLM(np.column_stack([wins.ravel(), lost.ravel()]), design, family=sm.families.Binomial()).fit()
    assert mine.advantage == pytest.approx(theirs.params[0], abs=1e-7)
    assert mine.strength_a[:2] == pytest.approx(theirs.params[1:3], abs=1e-7)
    assert mine.strength_b[:3] == pytest.approx(theirs.params[3:], abs=1e-7)
    assert mine.fitted.ravel() == pytest.approx(theirs.fittedvalues, abs=1e-7)
    assert np.isinf(mine.interval_a).all()


def test_ratings_find_what_was_planted():
    wins, games = played(200_000)
    found = bradley_terry(wins, games)
    assert found.strength_a == pytest.approx(A, abs=0.02)
    assert found.strength_b == pytest.approx(B, abs=0.02)
    assert found.rate_a == pytest.approx(1 / (1 + np.exp(-(FIRST + A))), abs=0.005)
    assert found.order_a == [0, 1, 2]
    assert found.order_b == [0, 1, 2, 3]
    assert found.interaction < 0.01


def test_intervals_cover_as_often_as_they_say():
    hits = np.zeros(8)
    for seed in range(120):
        wins, games = played(300, seed)
        found = bradley_terry(wins, games, draws=150, seed=seed)
        ends = np.vstack([found.interval_a, found.interval_b, [found.advantage_interval]])
        truth = np.concatenate([A, B, [FIRST]])
        hits += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert hits.mean() / 120 == pytest.approx(0.95, abs=0.03)


def test_intervals_equal_those_of_the_model_where_it_holds():
    wins, games = played(5_000)
    found = bradley_terry(wins, games, draws=2_000)
    spread = (found.interval_a[:, 1] - found.interval_a[:, 0]) / (2 * 1.96)
    # Standard error of a strength out of 3 against 4 others, by the information at the fitted rates.
    weight = games * found.fitted * (1 - found.fitted)
    rough = np.sqrt((1 - 1 / 3) / weight.sum(axis=1).mean())
    assert spread == pytest.approx(np.full(3, rough), rel=0.15)


def test_shared_luck_widens_the_advantage():
    wins, games = played(1_000)
    p = wins / games
    alone = np.sqrt(p * (1 - p) / games).ravel()
    together = np.outer(alone, alone) * (0.5 + 0.5 * np.eye(12))
    apart = bradley_terry(wins, games)
    shared = bradley_terry(wins, games, covariance=together)
    wide, narrow = np.diff(shared.advantage_interval), np.diff(apart.advantage_interval)
    assert wide > 2 * narrow
    with pytest.raises(ValueError, match="covariance"):
        bradley_terry(wins, games, covariance=np.eye(3))


def test_rock_paper_scissors_is_shown_not_averaged_away():
    wins = np.array([[50, 90, 10], [10, 50, 90], [90, 10, 50]]) * 10
    found = bradley_terry(wins, np.full((3, 3), 1000))
    assert found.interaction > 0.99
    assert found.residual[0, 1] == pytest.approx(0.4, abs=0.01)
    assert found.strength_a == pytest.approx([0, 0, 0], abs=1e-6)


def test_a_bot_that_always_wins_stays_finite_and_pairs_may_be_missing():
    wins, games = np.array([[10, 10], [4, 0]]), np.array([[10, 10], [10, 0]])
    found = bradley_terry(wins, games)
    assert np.isfinite(found.strength_a).all()
    assert found.order_a == [0, 1]
    assert np.isnan(found.residual[1, 1])


def test_the_same_input_gives_the_same_intervals():
    wins, games = played()
    assert np.array_equal(bradley_terry(wins, games).interval_a, bradley_terry(wins, games).interval_a)


def test_groups_that_never_met_cannot_be_ranked():
    with pytest.raises(UserMistake, match="never met"):
        bradley_terry([[1, 0], [0, 1]], [[2, 0], [0, 2]])
    with pytest.raises(ValueError, match="wins"):
        bradley_terry([[3]], [[2]])
    with pytest.raises(ValueError, match="shape"):
        bradley_terry([[1, 2]], [[2]])


def test_a_single_pair_has_only_an_advantage():
    found = bradley_terry([[60]], [[100]], prior=0.0)
    assert found.advantage == pytest.approx(np.log(60 / 40))
    assert found.strength_a.tolist() == [0]


# --- any number of seats


def test_two_seats_of_luce_are_bradley_terry():
    wins, games = played()
    who = np.array([[i, j] for i in range(3) for j in range(4)])
    mine = luce(np.column_stack([wins.ravel(), (games - wins).ravel()]), who, (3, 4), prior=0.0, draws=0)
    theirs = bradley_terry(wins, games, prior=0.0, draws=0)
    assert mine.strength[0] == pytest.approx(theirs.strength_a, abs=1e-7)
    assert mine.strength[1] == pytest.approx(theirs.strength_b, abs=1e-7)
    assert mine.advantage[0] - mine.advantage[1] == pytest.approx(theirs.advantage, abs=1e-7)


def _three_seats(games, seed):
    generator = np.random.default_rng(seed)
    who = np.array(list(np.ndindex(2, 3, 2)))
    truth = [np.array([0.4, -0.4]), np.array([0.5, 0.1, -0.6]), np.array([0.2, -0.2])]
    odds = np.array([0.3, 0.0, -0.3]) + np.column_stack([truth[s][who[:, s]] for s in range(3)])
    chance = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    return generator.multinomial(games, chance).astype(float), who, truth


def test_three_seats_equal_statsmodels_conditional_logit():
    from statsmodels.discrete.conditional_models import ConditionalLogit

    wins, who, _ = _three_seats(40, 1)
    mine = luce(wins, who, (2, 3, 2), prior=0.0, draws=0)
    lines, group, won = [], [], []
    for place, (counts, profile) in enumerate(zip(wins.astype(int), who, strict=True)):
        for winner, times in enumerate(counts):
            for time in range(times):
                for seat in range(3):
                    seats = [(seat == s) * 1.0 - (seat == 2) for s in range(2)]
                    bots = []
                    for s, count in enumerate((2, 3, 2)):
                        bots += [
                            (seat == s) * ((profile[s] == b) * 1.0 - (profile[s] == count - 1))
                            for b in range(count - 1)
                        ]
                    lines.append(seats + bots)
                    group.append((place, winner, time))
                    won.append(float(seat == winner))
    names = {key: i for i, key in enumerate(dict.fromkeys(group))}
    model = ConditionalLogit(np.array(won), np.array(lines), groups=np.array([names[key] for key in group]))
    params = [*mine.advantage[:2], mine.strength[0][0], *mine.strength[1][:2], mine.strength[2][0]]
    assert model.score(np.array(params)) == pytest.approx(
        np.zeros(6), abs=1e-6
    )  # their likelihood is flat at our place
    assert params == pytest.approx(model.fit(disp=0).params.tolist(), abs=1e-3)  # where their search stops nearby


def test_strengths_of_three_seats_are_covered():
    hits = np.zeros(7)
    for seed in range(60):
        wins, who, truth = _three_seats(300, seed)
        found = luce(wins, who, (2, 3, 2), draws=80, seed=seed)
        ends, planted = np.vstack(found.interval), np.concatenate(truth)
        hits += (ends[:, 0] <= planted) & (planted <= ends[:, 1])
    assert hits.mean() / 60 == pytest.approx(0.95, abs=0.04)
