"""The value of a game to a seat: by each rule, and the same from rows, from stored rows and from counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from simlab.engine.counts import outcomes as statistic
from simlab.engine.payoff import Payoff, seeks_score
from simlab.engine.search import playout
from simlab.engine.tally import Tally
from simlab.game import Side

ENDINGS = ("early", "late")


def game(seats: str, sides: tuple[Side, ...] = (), has_scores: bool = False) -> Any:
    return SimpleNamespace(seats=tuple(seats), sides=sides, endings=ENDINGS, has_scores=has_scores)


def rows_of(winners: list[int], seats: int, endings: list[int] | None = None) -> dict[str, np.ndarray]:
    bits = np.array(winners)
    alone = np.where(bits == 0, -1, np.where(np.bitwise_count(bits) > 1, -2, np.log2(np.maximum(bits, 1))))
    ended = np.zeros(bits.size, np.int64) if endings is None else np.array(endings)
    return {"winners": bits, "winner": alone.astype(np.int64), "ending": ended,
            "score": np.arange(bits.size * seats).reshape(bits.size, seats)}  # fmt: skip


def tally_of(names: Any, rows: dict[str, np.ndarray], payoffs: list[Payoff]) -> Tally:
    seats = len(names.seats)
    counts = {"outcomes": np.zeros((seats + 2, len(ENDINGS), 3), np.uint64), "won_with": np.zeros((seats, seats + 1)),
              "side_won": np.array([payoff.alone.values(rows).sum() for payoff in payoffs])}  # fmt: skip
    for winner, winners, ending in zip(rows["winner"], rows["winners"], rows["ending"], strict=True):
        row = SimpleNamespace(winner=winner, winners=winners, ending=ending, turns=2)
        holder = SimpleNamespace(**{**counts, "side_won": np.zeros(seats, np.uint64)})
        statistic.at_end(holder, None, None, None, None, row)
    return Tally(rows["winner"].size, counts)


def stored(names: Any, rows: dict[str, np.ndarray]) -> pl.DataFrame:
    words = [*names.seats, "shared", "nobody"]
    return pl.DataFrame({
        "winner": [words[i] for i in rows["winner"]], "winners": rows["winners"],
        "ending": [ENDINGS[i] for i in rows["ending"]],
    })  # fmt: skip


def test_two_rivals_share_a_draw() -> None:
    rows = rows_of([0b01, 0b10, 0b11, 0b00], 2)
    values = [Payoff.of_seat(game("ab"), seat).values(rows).tolist() for seat in (0, 1)]
    assert values == [[1, 0, 0.5, 0.5], [0, 1, 0.5, 0.5]]
    assert Payoff.win(0).values(rows).tolist() == [1, 0, 1, 0]  # a win rate


def test_a_seat_that_plays_alone_for_score_seeks_it() -> None:
    rows, alone = rows_of([0b1, 0b0], 1), game("a", has_scores=True)
    assert seeks_score(alone) and not seeks_score(game("ab", has_scores=True))
    assert Payoff.of_seat(alone, 0).values(rows).tolist() == [0, 1]
    assert Payoff.of_seat(alone, 0, by_score=False).values(rows).tolist() == [1, 0]
    assert not Payoff.of_seat(alone, 0).rate
    with pytest.raises(ValueError, match="not the scores"):
        Payoff.of_seat(alone, 0).total(tally_of(alone, rows, []))


def test_many_seats_share_a_win_and_lose_together() -> None:
    rows = rows_of([0b001, 0b011, 0b111, 0b000], 3)
    values = [Payoff.of_seat(game("abc"), seat).values(rows).tolist() for seat in range(3)]
    assert values[0] == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert np.sum(values, axis=0) == pytest.approx([1, 1, 1, 0])
    fair = [Payoff.of_seat(game("abc"), seat).fair.values(rows) for seat in range(3)]
    assert np.sum(fair, axis=0) == pytest.approx([1, 1, 1, 1])


def test_a_seat_has_the_whole_win_of_its_side() -> None:
    names = game("abc", (Side("one", ("a",)), Side("others", ("b", "c"), "win", endings=("late",))))
    rows = rows_of([0b001, 0b110, 0b010, 0b110, 0b000], 3, [0, 1, 1, 0, 0])
    assert [Payoff.of_seat(names, seat).values(rows).tolist() for seat in range(3)] == [
        [1, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 0, 1, 0]
    ]  # fmt: skip
    # The others win in one ending alone; in the fourth game neither side wins, as in the last.
    assert Payoff.of_side(names, 1).values(rows).tolist() == [0, 1, 1, 0.5, 0.5]
    assert Payoff.of_side(names, 1).alone.values(rows).tolist() == [0, 1, 1, 0, 0]


def test_a_lost_game_of_two_who_win_together_is_no_draw() -> None:
    names = game("ab", (Side("both", ("a", "b"), "win"),))
    rows = rows_of([0b11, 0b00], 2)
    assert Payoff.of_seat(names, 0).values(rows).tolist() == [1, 0]
    assert Payoff.of_side(names, 0).values(rows).tolist() == [1, 0]


@pytest.mark.parametrize(("names", "winners", "endings"), [
    (game("ab"), [0b01, 0b10, 0b10, 0b11, 0b00], [0] * 5),
    (game("abc"), [0b001, 0b010, 0b011, 0b111, 0b000, 0b100], [0] * 6),
    (game("abc", (Side("one", ("a",)), Side("others", ("b", "c"), endings=("late",)))),
     [0b001, 0b110, 0b010, 0b110, 0b000], [0, 1, 1, 0, 0]),
])  # fmt: skip
def test_rows_stored_rows_and_counts_agree(names: Any, winners: list[int], endings: list[int]) -> None:
    rows = rows_of(winners, len(names.seats), endings)
    sides = [Payoff.of_side(names, side) for side in range(len(names.sides) or len(names.seats))]
    tally, frame = tally_of(names, rows, sides), stored(names, rows)
    payoffs = [*sides, *(Payoff.of_seat(names, seat) for seat in range(len(names.seats)))]
    for payoff in (*payoffs, *(one.fair for one in sides), *(one.alone for one in payoffs), Payoff.win(1)):
        values = payoff.values(rows)
        column = payoff.column(names.seats, ENDINGS)
        assert frame.select(column.alias("value"))["value"].to_list() == pytest.approx(values.tolist())
        assert payoff.total(tally) == pytest.approx(values.sum())


@pytest.mark.parametrize("seats", ["a", "ab", "abc", "abcd"])
def test_playouts_share_a_win_by_the_same_rule(seats: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = game(seats)
    monkeypatch.setattr(playout, "SEATS", len(seats))
    monkeypatch.setattr(playout, "DRAWN", Payoff.of_seat(names, 0).drawn)
    for winners in range(1 << len(seats)):
        values, rows = np.zeros(len(seats)), rows_of([winners], len(seats))
        playout.share(winners, values)
        each = [Payoff.share(names, seat).values(rows)[0] for seat in range(len(seats))]
        assert values.tolist() == pytest.approx(each)


def test_an_estimate_leaves_out_games_without_a_value() -> None:
    payoff = Payoff.of_seat(game("ab"), 0)
    values = np.array([1.0, 0.0, np.nan, 1.0])
    found = payoff.mean(values)
    assert found.rate and found.value == pytest.approx(2 / 3) and 0 < found.low < found.value < found.high < 1
    gain = payoff.gain(np.array([0.0, np.nan, 0.0]), np.array([1.0, 1.0, 0.0]))
    assert gain.value == 0.5 and gain.low >= -1 and gain.high <= 1
