"""Two experiments on the same seeds: pairs of cells, flips, statistics, divergences, and notable games."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import simlab
from simlab.engine.match import Match
from simlab.engine.outcome import GameRows, figures_of
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.present.blocks import Paragraph
from simlab.present.estimate import beside
from simlab.present.html import page
from simlab.questions.comparison import family_size
from simlab.questions.diff.analysis import Diff, diff_experiments, divergence, pair_cells, usual_divergence
from simlab.questions.diff.words import blocks, changes_chart, fairness
from simlab.registry import load_game
from simlab.runs.open_experiment import new_experiment
from simlab.spec.experiment import Experiment
from simlab.stats.intervals import clopper_pearson
from simlab.stats.paired import factor_interval, share_difference

BOTS = {"besieger": "rusher", "besieged": "mason"}
GAMES = 1_500


def siege(knobs: dict[str, object] | None = None, bots: dict[str, object] | None = None, **more: object) -> Experiment:
    return new_experiment("simple_siege", knobs or {}, bots=bots or BOTS, games=GAMES, seed=5, **more)


@pytest.fixture(scope="module")
def found() -> Diff:
    return diff_experiments(siege(), siege({"walls_start": 4}), look=12)


@pytest.fixture(scope="module")
def sides() -> tuple[Match, Match]:
    game = load_game("simple_siege")
    return Match(game, bots=BOTS), Match(game, knobs={"walls_start": 4}, bots=BOTS)


def test_every_figure_is_what_the_rows_say(found: Diff, sides: tuple[Match, Match]) -> None:
    before, after = (match.play(5, 0, GAMES).rows for match in sides)
    both = found.together
    assert both.flipped.count == (before["winner"] != after["winner"]).sum()
    flips = {(flip.before, flip.after): flip.games for flip in both.flips}
    assert flips["besieged", "besieger"] == ((before["winner"] == 1) & (after["winner"] == 0)).sum()
    assert sum(flips.values()) == both.flipped.count <= both.differ.count
    wins = both.change("besieger_win")
    assert wins.difference.value == pytest.approx((after["winner"] == 0).mean() - (before["winner"] == 0).mean())
    turns = both.change("turns")
    gaps = after["turns"].astype(int) - before["turns"]
    assert turns.difference.value == pytest.approx(gaps.mean())
    apart = before["turns"].var(ddof=1) + after["turns"].var(ddof=1)
    assert turns.variance_reduction.value == pytest.approx(apart / gaps.var(ddof=1))
    assert both.change("ending_assault").rate and not turns.rate
    for change in both.changes:
        assert change.difference.low <= change.difference.value <= change.difference.high
        assert change.moved == (change.difference.low > 0 or change.difference.high < 0)
    assert found.settings == {"walls_start": ("5", "4")}


def test_intervals_are_wider_the_more_figures_stand_together(found: Diff) -> None:
    alone = diff_experiments(siege(), siege({"walls_start": 4}), level=0.95**20, look=0).together
    both = found.together
    wide, narrow = (cell.change("turns").difference for cell in (both, alone))
    assert wide.high - wide.low > narrow.high - narrow.low


def test_each_interval_takes_its_part_of_the_error(found: Diff, sides: tuple[Match, Match]) -> None:
    """Changes, factors, the shares of games that differ and flip, and that of the usual divergence: one family."""
    game = sides[0].game
    each = 1 - 0.05 / (2 + 2 * len(figures_of(game).by_game) + 1)
    assert family_size([game] * 4) == 5 * (2 + 2 * len(figures_of(game).by_game)) + 1
    both = found.together
    for share in (both.differ, both.flipped):
        assert (share.share.low, share.share.high) == pytest.approx(clopper_pearson(share.count, GAMES, each), abs=2e-4)
    before, after = (match.play(5, 0, GAMES).rows["turns"] for match in sides)
    factor = both.change("turns").variance_reduction
    assert (factor.low, factor.high) == pytest.approx(factor_interval(before, after, each))
    wins, flips = both.change("besieger_win").difference, {(flip.before, flip.after): flip.games for flip in both.flips}
    one, other = flips["besieged", "besieger"], flips.get(("besieger", "besieged"), 0)
    assert (wins.low, wins.high) == pytest.approx(share_difference(one, other, GAMES, each))


def test_a_tweak_that_changes_no_game_of_so_many_may_change_others() -> None:
    """Figures that stayed as they were in all games have a width."""
    game = load_game("simple_siege")
    rows = np.zeros(300, game.row_type)
    rows["turns"] = 3 + np.arange(300) % 9
    rows["winner"] = np.arange(300) % 2
    other = rows.copy()
    other["assaults"][7] += 1
    figures = {figure.short_name: figure for figure in figures_of(game).by_game}
    for name in ("besieger_win", "turns"):
        a, b = (figures[name].read(GameRows(side, game)) for side in (rows, other))
        low, high = figures[name].change(a, b, 0.95)
        assert low < 0 < high
        assert high > 0.01


def test_no_change_is_identical() -> None:
    same = diff_experiments(siege(), siege())
    assert same.together.differ.count == 0
    assert {change.verdict for change in same.together.changes} == {"identical"}
    assert str(same).endswith(f"Identical: 0 of {GAMES:,} games differ.")
    assert same.divergences == () and same.notable_games == ()


def test_a_divergence_is_the_first_decision_that_differs(found: Diff, sides: tuple[Match, Match]) -> None:
    flipped = found.diverging
    assert len(found.divergences) == 12 and flipped
    for p in flipped[:3]:
        steppers = [Stepper(match, 5, p.game) for match in sides]
        while (actions := [s.policy_action() for s in steppers])[0] == actions[1]:
            for stepper, action in zip(steppers, actions, strict=True):
                stepper.apply(action)
            if steppers[0].decision.name != steppers[1].decision.name:
                break
        assert int(steppers[0].state.turn) == p.turn
        assert (steppers[0].seat, steppers[0].decision.name) == (p.seat, p.decision)
        assert "walls" in " ".join(p.position).lower() and p.position_turn == -1
    usual = usual_divergence(flipped)
    kinds = [one.sort for one in flipped]
    assert found.usual.count == kinds.count(usual.sort) == max(map(kinds.count, kinds))


def test_a_game_need_not_diverge(sides: tuple[Match, Match]) -> None:
    same = divergence(sides[0], sides[0], 5, 0)
    assert (same.turn, same.kind, same.position) == (-1, "none", ())


def test_notable_games_are_flipped_and_differ_from_each_other(found: Diff, sides: tuple[Match, Match]) -> None:
    before, after = (match.play(5, 0, GAMES).rows for match in sides)
    games = [notable.game for notable in found.notable_games]
    assert len(set(games)) == len(games) == 3
    assert all(before["winner"][game] != after["winner"][game] for game in games)
    assert all(t.beside == f"{t.base.removesuffix(' --brief')} --beside walls_start=4" for t in found.notable_games)


def test_sentences_and_json_need_no_statistician(found: Diff) -> None:
    text = [block.text for block in blocks(found) if isinstance(block, Paragraph)]
    assert text[0] == f"Change: walls_start 5 → 4. {GAMES:,} games on each side, with the same random seeds."
    assert any(line.startswith("Besieger's win rate") for line in text)
    turns = found.together.change("turns")
    assert turns.verdict == "changed"
    way = "rises" if turns.difference.value > 0 else "falls"
    before = beside(turns.before, turns.difference).text
    assert float(before) == pytest.approx(turns.before, rel=0.01)
    assert any(line.startswith(f"The length of a game {way} from {before} to ") for line in text)
    assert any("common random numbers" in line for line in text)
    assert any("were replayed step by step" in line for line in text)
    again = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert again["together"]["flipped"]["count"] == found.together.flipped.count


# --- several cells ------------------------------------------------------------------


def test_cells_are_paired_by_bots_and_varied_knobs() -> None:
    many = {"besieger": ["rusher", "engineer"], "besieged": ["mason", "warden"]}
    base = siege(bots=many, vary={"walls_start": [4, 5]})
    pairs, left = pair_cells(base, siege({"cost_mine": 2}, bots=many, vary={"walls_start": [5, 6]}))
    assert len(pairs) == 4 and len(left) == 8
    assert all(a.label == b.label for a, b in pairs)
    other = siege(bots={**many, "besieger": ["gunner"]}, vary={"walls_start": [4, 5]})
    with pytest.raises(InputError, match="Name one bot for each seat whose bots differ"):
        pair_cells(base, other)
    one = siege(bots={**many, "besieger": "rusher"}, vary={"walls_start": [4, 5]})
    pairs, left = pair_cells(one, other)
    assert [(a.bots["besieged"], a.varied) for a, _ in pairs] == [(b.bots["besieged"], b.varied) for _, b in pairs]
    assert len(pairs) == 4 and left == ()
    with pytest.raises(InputError, match="none of their cells agree"):
        pair_cells(siege(vary={"walls_start": [4]}), siege(vary={"walls_start": [7]}))


def test_all_cells_together_take_the_seed_as_the_unit() -> None:
    many = {"besieger": "rusher", "besieged": ["mason", "warden"]}
    found = diff_experiments(siege(bots=many), siege({"walls_start": 4}, bots=many), look=4)
    mean = np.mean([cell.change("besieger_win").difference.value for cell in found.cells])
    both = found.together
    assert both.change("besieger_win").difference.value == pytest.approx(mean)
    assert both.change("besieger_win").pairs == GAMES
    assert both.games == 2 * GAMES
    assert both.flipped.count == sum(cell.flipped.count for cell in found.cells)
    assert both.flipped.share.low < both.flipped.share.value < both.flipped.share.high


# --- from Python --------------------------------------------------------------------


def test_from_python() -> None:
    found = simlab.diff("simple_siege_best_play", bots={"besieged": "mason"}, games=200)
    assert found.settings == {"besieged": ("warden", "mason")}
    assert found.notable_games[0].beside.endswith("--beside besieged=mason")
    with pytest.raises(InputError, match="second experiment"):
        simlab.diff("simple_siege_best_play")
    with pytest.raises(InputError, match="play different games"):
        simlab.diff("simple_siege_best_play", "montsegur_balance")


def test_of_a_game_the_named_bots_play_both_sides_of_a_change_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """`simlab diff GAME --set ... --bot X` compared X under the changed rules with the default bot under the printed
    ones.
    """
    from simlab.cli.options import Output, Setup
    from simlab.questions.diff.command import diff

    class Sides(Exception):
        pass

    def stop(base: Experiment, tweak: Experiment, **more: object) -> None:
        raise Sides(base, tweak)

    monkeypatch.setattr("simlab.questions.diff.analysis.diff_experiments", stop)

    def sides(call: Callable[[], object]) -> list[tuple[str, bool]]:
        with pytest.raises(Sides) as found:
            call()
        return [(side.bots["besieged"][0], "walls_start" in side.knobs) for side in found.value.args]

    rules, bots, of_file = {"walls_start": 4}, {"besieged": "mason"}, "simple_siege_best_play"
    both = [("mason", False), ("mason", True)]
    assert sides(lambda: simlab.diff("simple_siege", knobs=rules, bots=bots, games=20)) == both
    setup = Setup(set_=["walls_start=4"], bot=["besieged=mason"])
    assert sides(lambda: diff("simple_siege", setup, Output())) == both
    assert sides(lambda: simlab.diff("simple_siege", bots=bots, games=20)) == [("random", False), ("mason", False)]
    assert sides(lambda: simlab.diff(of_file, knobs=rules, bots=bots, games=20)) == [("warden", False), ("mason", True)]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (0.8, 0.7, "Closer to even (50 %), but still 20 points (17 to 23) away."),
        (0.3, 0.2, "Further from even (50 %): now 30.0 points (27.4 to 32.4) away."),
        (
            0.6,
            0.45,
            "It crosses even (50 %): 10 points (7 to 13) away before, 5 points (2 to 8) on the other side after.",
        ),
        (0.6, 0.51, "Closer to even (50 %), and no longer significantly different from it."),
        (0.51, 0.47, "These games do not show whether that is closer to even (50 %) or further from it."),
    ],
)
def test_fairness_of_a_tweak(before: float, after: float, sentence: str) -> None:
    assert fairness(before, after, 1_000) == sentence


def test_a_rate_below_even_is_rarely_said_to_cross_it() -> None:
    """From 49.5 to 45.5 %: by the two estimates alone it crossed even in four runs of ten."""
    generator, runs = np.random.default_rng(1), 1_000
    rates = generator.binomial(1_000, (0.495, 0.455), (runs, 2)) / 1_000
    said = [fairness(before, after, 1_000) for before, after in rates.tolist() if after < before]
    assert sum("crosses" in text or "Closer" in text for text in said) <= 0.05 * runs


def test_a_game_is_compared_with_a_tweak_of_it_and_the_answer_prints_itself() -> None:
    found = simlab.diff("kuhn_poker", knobs={"ante": 2}, games=60)
    assert found.settings == {"ante": ("1", "2")}
    assert str(found).startswith("Change: ante 1 → 2.")
    assert "<p>" in found._repr_html_() and "<script" not in found._repr_html_()


def test_the_page_is_whole_and_escaped(found: Diff) -> None:
    text = page("<script>alert(1)</script>", "", blocks(found))
    assert "<script" not in text and "walls_start 5 → 4" in text
    wins = found.together.change("besieger_win")
    assert beside(wins.before, wins.difference).text in text
    for notable in found.notable_games:
        assert f"game {notable.game}" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "").replace("http://purl.org", "")


def test_the_chart_has_a_line_for_each_change(found: Diff) -> None:
    rates = [change for change in found.together.changes if change.rate]
    assert len(changes_chart(rates).get_yticklabels()) == len(rates)
