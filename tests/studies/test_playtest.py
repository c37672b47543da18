"""Playtests of people: read with care, and held beside the games of bots without more certainty than there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simlab.bot_registry import find_bots
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.game import Game
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
    rows = play_line_ups(WHO[:1], 100, 99)[0].rows
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


CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture(scope="module")
def bank() -> Game:
    return load_game(str(CASES / "playtest_thousands" / "bank.py"))


@pytest.fixture(scope="module")
def coins() -> dict[int, Game]:
    return {players: load_game(str(CASES / "playtest_player_counts" / "coin.py"), players) for players in (2, 3, 4)}


@pytest.mark.parametrize(
    ("file", "ann", "bob"),
    [
        ("plain", 10_066 + 2 / 3, 10_816 + 2 / 3),
        ("english", 10_066 + 2 / 3, 10_816 + 2 / 3),
        ("german", 10_066 + 2 / 3, 10_816 + 2 / 3),
        ("space", 10_066 + 2 / 3, 10_816 + 2 / 3),
        ("swiss", 10_066 + 2 / 3, 10_816 + 2 / 3),
        ("plain_round", 9_833 + 1 / 3, 10_666 + 2 / 3),
        ("english_round", 9_833 + 1 / 3, 10_666 + 2 / 3),
    ],
)
def test_scores_in_thousands_are_read_as_they_are_meant(bank: Game, file: str, ann: float, bob: float) -> None:
    data = read_playtests(CASES / "playtest_thousands" / f"{file}.csv", bank)
    assert [data.columns[f"score_{seat}"].mean() for seat in bank.seats] == pytest.approx([ann, bob])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            (CASES / "playtest_thousands/german_round.csv").read_text(),
            "line 2, score_ann: '10.000' can be read as 10 and",
        ),
        ("score_ann,turns\n10.800,20", "line 2, score_ann: '10.800' can be read as 10.8 and as 10800"),
        ('score_ann,turns\n"1,23",20', "line 2, score_ann: '1,23' is not allowed. Write a whole number"),
        ('score_ann,turns\n"12,5",20', "line 2, score_ann: '12,5' is not allowed"),
    ],
)
def test_a_number_that_can_be_two_numbers_is_refused(bank: Game, tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "people.csv").write_text(text)
    with pytest.raises(InputError) as mistake:
        read_playtests(tmp_path / "people.csv", bank)
    assert why in str(mistake.value)


@pytest.mark.parametrize(
    ("text", "score", "minutes"),
    [
        ("score_ann,minutes\n−100,45 min", -100, 45),
        ('score_ann,minutes\n"1,234",1h05', 1_234, 65),
        ("score_ann;minutes\n3,0;12,5", 3, 12.5),
        ("score_ann;minutes\n1.234.000;90", 1_234_000, 90),
        ("score_ann|minutes\n１２|2 h", 12, 120),
        ("sep=;\nscore_ann;minutes\n7;8", 7, 8),
        ("Score ann,Minutes,,\n7,8,,", 7, 8),
    ],
)
def test_numbers_as_people_write_them(bank: Game, tmp_path: Path, text: str, score: float, minutes: float) -> None:
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    data = read_playtests(tmp_path / "people.csv", bank)
    assert (data.columns["score_ann"][0], data.columns["minutes"][0]) == (score, minutes)


@pytest.mark.parametrize(("players", "winners"), [(2, [1, 2]), (3, [2, 4]), (4, [1, 8])])
def test_games_are_compared_with_bots_at_the_same_number_of_players(
    coins: dict[int, Game], players: int, winners: list[int]
) -> None:
    """Of six games two have four players, two three and two two."""
    data = read_playtests(CASES / "playtest_player_counts" / "mixed_counts.csv", coins[players])
    assert data.columns["winner"].tolist() == winners and not np.isnan(data.columns["score_ann"]).any()
    assert data.left_out == {count: 2 for count in (2, 3, 4) if count != players}
    assert not np.isnan(data.columns[f"score_{coins[players].seats[-1]}"]).any(), "a seat that was not there"


def test_the_answer_shows_which_games_are_not_compared(coins: dict[int, Game]) -> None:
    """120 games in which the seats win equally often: at each number of players no seat differs from the bots'."""
    for players, game in coins.items():
        data = read_playtests(CASES / "playtest_player_counts" / "mixed_120.csv", game)
        assert (data.games, sum(data.left_out.values())) == (40, 80)
        draws = np.random.default_rng(1).integers(1, 21, (4_000, players))
        rows = np.zeros(4_000, game.row_type)
        rows["score"], rows["winners"] = (
            draws,
            ((draws == draws.max(axis=1)[:, None]) << np.arange(players)).sum(axis=1),
        )
        answer = compare(data, game, [LineUp(dict.fromkeys(game.seats, "thrower"), rows)])
        rates = [one for one in answer.line_ups[0].statistics if one.people.rate]
        assert all(one.adjusted > 0.05 for one in rates)
        said = " ".join(sentences(answer))
        assert f"These are the games with {players} players" in said and "40 with" in said
        hold_to_form(answer.to_json())


@pytest.mark.parametrize(
    ("file", "players", "why"),
    [
        ("trailing", 4, "line 2: a game of 2 players, and no game has 4. Compare it with --players 2"),
        ("clock", 2, "line 2, minutes: '1:05' may be hours or minutes. Write minutes, such as 65"),
        ("ties", 2, "line 5, winner: 'tie' does not show who won. Write the seats that share the win, ann + bob"),
        ("long_form", 2, "line 1: column 'game': write one row per game, not per player"),
        ("winner_is_person", 2, "line 2, winner: 'Kim' is not a seat"),
    ],
)
def test_a_log_that_is_not_understood_is_refused_with_a_way_out(
    coins: dict[int, Game], file: str, players: int, why: str
) -> None:
    with pytest.raises(InputError) as mistake:
        read_playtests(CASES / "playtest_player_counts" / f"{file}.csv", coins[players])
    assert why in str(mistake.value)


def test_logs_as_people_keep_them(coins: dict[int, Game], tmp_path: Path) -> None:
    """Columns of one's own are left out and named; a person keeps one name; the winner may be a person or several."""
    game, folder = coins[2], CASES / "playtest_player_counts"
    dated = read_playtests(folder / "with_dates.csv", game)
    assert dated.ignored == ("Date", "Location", "Version") and dated.columns["minutes"].tolist() == [12, 10, 11]
    assert read_playtests(folder / "trailing.csv", game).columns["minutes"].tolist() == [12, 10, 11]
    assert read_playtests(folder / "clock2.csv", game).columns["minutes"].tolist() == [65, 45]
    names = read_playtests(folder / "names.csv", game).players
    assert {name: [seat for _, seat in seats] for name, seats in names.items()} == {"Kim": [0] * 3, "Lee": [1] * 3}
    (tmp_path / "won.csv").write_text("winner,player_ann,player_bob\nkim,Kim,Lee\nann & bob,Kim,Lee\nann/bob,Lee,Kim\n")
    assert read_playtests(tmp_path / "won.csv", game).columns["winner"].tolist() == [1, 3, 3]
    (tmp_path / "count.csv").write_text("winner,players\nann,3\nbob,2\nann,\n")
    counted = read_playtests(tmp_path / "count.csv", game)
    assert (counted.lines, counted.left_out) == ([3, 4], {3: 1})
    assert read_playtests(CASES / "csv_sep_line" / "people_sep.csv", PIG).columns["turns"].tolist() == [20, 22]


@pytest.mark.parametrize("column", ["winer", "turn", "score_zoe", "minute"])
def test_a_mistyped_column_is_not_taken_for_a_free_one(coins: dict[int, Game], tmp_path: Path, column: str) -> None:
    (tmp_path / "typo.csv").write_text(f"winner,{column}\nann,1\n")
    with pytest.raises(InputError, match=f"line 1: unknown column '{column}'"):
        read_playtests(tmp_path / "typo.csv", coins[2])
