"""Who won: out of rows and out of counts, the same."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from simlab.engine import outcome
from simlab.engine.counts import outcomes as statistic
from simlab.engine.tally import Tally
from simlab.game import Side

WINNERS = np.array([0b001, 0b010, 0b011, 0b111, 0b000, 0b100, 0b100])
WINNER = np.array([0, 1, -2, -2, -1, 2, 2])


@pytest.fixture(scope="module")
def counted() -> Tally:
    counts = SimpleNamespace(
        outcomes=np.zeros((5, 1, 3), np.uint64),
        won_with=np.zeros((3, 4), np.uint64),
        side_won=np.zeros(3, np.uint64),
    )
    for winner, winners in zip(WINNER, WINNERS, strict=True):
        row = SimpleNamespace(winner=winner, winners=winners, ending=0, turns=2)
        statistic.at_end(counts, None, None, None, None, row)
    return Tally(WINNERS.size, {name: vars(counts)[name] for name in ("outcomes", "won_with", "side_won")})


def test_wins_of_rows_and_of_counts_agree(counted: Tally) -> None:
    rows = {"winners": WINNERS}
    assert counted.wins.tolist() == outcome.all_won(rows, 3).sum(axis=0).tolist() == [3, 3, 3]
    assert counted.side_won.tolist() == [3, 3, 3]  # each seat its own side
    assert (counted.nobody, counted.shared) == (1, 2)
    assert counted.fair_share == pytest.approx(9 / 21)


def test_rows_of_two_seats_keep_no_bits() -> None:
    assert outcome.winners_from(np.array([0, 1, -1, -2]), 2).tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize("seats", [("a", "b"), ("a", "b", "c")])
def test_stored_rows_say_the_same(seats: tuple[str, ...]) -> None:
    few = 1 << len(seats) > WINNERS
    words = [*seats, "shared", "nobody"]
    frame = pl.DataFrame({"winner": [words[i] for i in WINNER[few]], "winners": WINNERS[few]}).with_columns(
        pl.col("winner").cast(pl.Enum(words)), pl.col("winners").cast(pl.UInt16)
    )
    frame = frame if len(seats) > 2 else frame.drop("winners")
    for seat in range(len(seats)):
        found = frame.select(outcome.won_column(seats, seat)).to_series().to_list()
        if len(seats) == 2:
            assert found == [bool(w >> seat & 1) for w in WINNERS[few]]
        else:
            assert found == outcome.won({"winners": WINNERS}, seat).tolist()


def test_who_won_has_a_name() -> None:
    sides = (Side("one", ("a",)), Side("others", ("b", "c"), "win"))
    names = SimpleNamespace(seats=("a", "b", "c"), sides=sides)
    texts = [outcome.winners_text(names, winners) for winners in (0, 0b001, 0b100, 0b110, 0b011, 0b111)]
    assert texts == ["nobody", "a", "c", "others", "a and b", "a and b and c"]
    assert outcome.winners_text(SimpleNamespace(seats=("a", "b"), sides=()), 0b11) == "shared"


def test_a_side_wins_when_one_of_its_seats_does() -> None:
    names = SimpleNamespace(seats=("a", "b", "c"), sides=(Side("one", ("a",)), Side("others", ("b", "c"), "win")))
    assert outcome.sides_of(names) == [("one", (0,), "wins"), ("others", (1, 2), "win")]
    assert outcome.side_masks(names) == [0b001, 0b110]
    assert outcome.side_masks(SimpleNamespace(seats=("a", "b"), sides=())) == [1, 2]
