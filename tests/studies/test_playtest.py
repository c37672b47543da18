"""Playtests of people: read with care, and held beside the games of bots without more certainty than there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.bot_registry import find_bots
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.playtest.analysis import (
    LineUp,
    _mean,
    _statistics,
    compare,
    line_ups,
    read_playtests,
    template,
)
from simlab.questions.playtest.words import sentences
from simlab.registry import load_game
from tests.box import LARGE, SMALL
from tests.cli.forms import hold_to_form

PIG = load_game("pig")
WHO = line_ups(PIG, {"first": ["optimal", "random"], "second": ["hold_at"]})


def play_line_ups(who: list[dict[str, str]], games: int, seed: int) -> list[LineUp]:
    return [LineUp(bots, Match(PIG, bots=bots).play(seed, 0, games).rows) for bots in who]


@pytest.fixture(scope="module")
def played() -> list[LineUp]:
    return play_line_ups(WHO, 3_000, 1)


def file_of(path: Path, rows: np.ndarray) -> Path:
    """Games of bots, written down as if people had played them."""
    lines = [f"{PIG.seats[int(row['winner'])]},goal,{row['turns']},{row['score'][0]}" for row in rows]
    path.write_text("\n".join(["winner,ending,turns,score_first", *lines]), encoding="utf-8")
    return path


def test_games_like_those_of_bots_are_told_to_be_and_the_bots_are_found(played: list[LineUp], tmp_path: Path) -> None:
    rows = play_line_ups(WHO[:1], 40, 99)[0].rows
    answer = compare(read_playtests(file_of(tmp_path / "a.csv", rows), PIG), PIG, played)
    best, other = answer.line_ups
    assert best.bots == {"first": "optimal", "second": "hold_at"} and best.weight > 0.999
    assert other.significantly_worse and not best.significantly_worse
    assert best.share_of_mix.value > 0.8 and best.share_of_mix.low > 0.6
    assert all(figure.adjusted > 0.05 for figure in best.statistics)
    assert any(figure.adjusted < 0.001 for figure in other.statistics), "the games of random play are others"
    said = " ".join(sentences(answer))
    assert "do not differ significantly from those of optimal v hold_at in any statistic" in said
    assert "are few" not in said
    assert compare(read_playtests(tmp_path / "a.csv", PIG), PIG, played) == answer
    hold_to_form(answer.to_json())


def test_a_p_value_is_small_as_rarely_as_it_says(played: list[LineUp], tmp_path: Path) -> None:
    """Of 60 playtests of eight games of the bots' own kind few differ at 5 % for all figures together."""
    rows = play_line_ups(WHO[:1], 480, 7)[0].rows
    wrong = 0
    for first in range(0, 480, 8):
        data = read_playtests(file_of(tmp_path / "b.csv", rows[first : first + 8]), PIG)
        figures = _statistics(data, PIG, played[0].rows, np.random.default_rng(first))
        wrong += any(figure.adjusted < 0.05 for figure in figures)
    assert wrong <= 9  # binomial(60, 0.05): 10 or more come once in 900


def test_a_few_games_prove_nothing(played: list[LineUp], tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("winner;turns;player_first\nfirst;20;Ann\n;;\nsecond;;Ann\n")
    data = read_playtests(tmp_path / "c.csv", PIG)
    assert data.games == 2 and data.lines == [2, 4]
    same = [LineUp({"first": name, "second": name}, played[0].rows) for name in ("one", "other")]
    answer = compare(data, PIG, same)
    assert not any(fit.significantly_worse for fit in answer.line_ups) and answer.line_ups[0].weight == 0.5
    assert answer.line_ups[0].share_of_mix.low < 0.1 and answer.line_ups[0].share_of_mix.high > 0.9
    said = " ".join(sentences(answer))
    assert "only 2 games" in said and "may do as well" in said and "not independent" in said
    assert (answer.people[0].name, answer.people[0].games, answer.people[0].wins) == ("Ann", 2, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("winner", "0 games"),
        ("minutes\n3", "nothing to compare"),
        ("winer\nfirst", "line 1: unknown column 'winer'. Did you mean 'winner'?"),
        ("winner,winner\nfirst,first", "is there twice"),
        ("winner,turns\nfirst,9\nthird,9", "line 3, winner: 'third' is not a seat. Known: first, nobody, second."),
        ("winner,turns\nfirst,9.5", "line 2, turns: '9.5' is not allowed. Write a whole number in 0..400"),
        ("ending\nfled", "line 2, ending: 'fled' is not an ending. Known: exhaustion, goal."),
        ("turns\n9,9", "line 2: 2 cells, but line 1 names 1 columns"),
        ("turns,minutes\n9,long", "line 2, minutes: 'long' is not allowed"),
        ('turns\n"9', "is not CSV"),
    ],
)
def test_a_bad_file_is_named_by_line_and_column(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError) as mistake:
        read_playtests(tmp_path / "bad.csv", PIG)
    assert why in str(mistake.value)


@pytest.mark.parametrize("slug", [*LARGE, *SMALL])
def test_the_template_of_every_game_can_be_read(slug: str, tmp_path: Path) -> None:
    game = load_game(slug)
    (tmp_path / "blank.csv").write_text(template(game), encoding="utf-8")
    data = read_playtests(tmp_path / "blank.csv", game)
    assert data.games == 1 and data.columns["winner"][0] > 0 and data.columns["turns"][0] == min(12, game.max_turns)


def test_who_plays_against_whom() -> None:
    assert len(line_ups(PIG, {})) == 16
    tricks = load_game("tricks")
    assert [set(one.values()) for one in line_ups(tricks, {})] == [{bot} for bot in find_bots(tricks)]
    assert line_ups(tricks, {"*": ["counter"], "ann": ["random"]})[0]["ann"] == "random"
    with pytest.raises(InputError, match="no seat 'third'"):
        line_ups(PIG, {"third": ["random"]})


def test_means_of_many_games_allow_for_the_luck_of_the_bots_games() -> None:
    """As many games of people as of bots, of one kind: 20 % of the means differed at 5 %, the bots' taken for known."""
    draw = np.random.default_rng(3)
    alarms = [
        _mean("turns", draw.poisson(12, 400), draw.poisson(12, 400), np.random.default_rng(seed)).p < 0.05
        for seed in range(60)
    ]
    assert sum(alarms) <= 8  # of 60 at 5 %: more once in 300 times


def test_of_many_line_ups_one_fits_by_luck_and_the_others_are_not_worse_for_it(
    played: list[LineUp], tmp_path: Path
) -> None:
    """Six wins of one seat are 34 times as likely where it wins 90 % as where it wins 50 %: of 41 tried, no proof."""
    (tmp_path / "d.csv").write_text("winner\n" + "first\n" * 6)
    data = read_playtests(tmp_path / "d.csv", PIG)

    def winning(share: float, name: str) -> LineUp:
        rows = played[0].rows[:1_000].copy()
        first = np.arange(1_000) < 1_000 * share
        rows["winner"], rows["winners"] = np.where(first, 0, 1), np.where(first, 1, 2)
        return LineUp({"first": name, "second": name}, rows)

    good, others = winning(0.9, "good"), [winning(0.5, f"even{place}") for place in range(40)]
    assert compare(data, PIG, [good, others[0]]).line_ups[1].significantly_worse
    assert not any(fit.significantly_worse for fit in compare(data, PIG, [good, *others]).line_ups)


def test_line_ups_that_play_alike_are_not_worse_for_the_luck_of_the_bots_games(tmp_path: Path) -> None:
    """400 games of people, and twelve line-ups with 500 games each of the same bots."""
    wrong = 0
    for seed in range(8):
        same = play_line_ups(WHO[:1], 6_000, 50 + seed)[0].rows
        played = [LineUp({"first": f"b{i}", "second": "x"}, same[500 * i : 500 * (i + 1)]) for i in range(12)]
        data = read_playtests(file_of(tmp_path / "d.csv", play_line_ups(WHO[:1], 400, 900 + seed)[0].rows), PIG)
        wrong += any(fit.significantly_worse for fit in compare(data, PIG, played).line_ups)
    assert wrong <= 2
