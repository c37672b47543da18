"""The bots of the ledger's section 7: who there is, and the table of what a sound result looks like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simlab import compiler
from simlab.bot_registry import bots_for
from simlab.engine.match import Match
from simlab.registry import load_game
from simlab.testing import check_policy

GAME = load_game("lowenheim")
PG = GAME.seats.index("PG")
BOTS = {"random", "garrison", "hunter", "marshal", "intriguer", "arcane", "gatekeeper"}
#: all six play the same -> range of the share of games in which the city holds, and of the mean length (ledger 7.3)
TABLE = {
    "random": ((0.0, 0.1), (10, 11)), "intriguer": ((0.2, 0.45), (13, 14)), "hunter": ((0.3, 0.5), (13, 14)),
    "garrison": ((0.3, 0.5), (13, 14)), "arcane": ((0.5, 0.7), (13.5, 14.5)), "marshal": ((0.55, 0.75), (14, 14.5)),
    "gatekeeper": ((0.9, 0.94), (14.5, 15)),
}  # fmt: skip
pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="hundreds of games: compiled only")


def play(games: int = 500, everybody: str = "marshal", **others: str) -> Any:
    """Rows of games in which all seats play one bot, but for the others."""
    return Match(GAME, bots=dict.fromkeys(GAME.seats, everybody) | others).play(7, 0, games).rows


def test_all_bots_are_there() -> None:
    assert {seat: set(bots_for(GAME, seat)) for seat in GAME.seats} == {
        seat: BOTS | ({"deserter"} if seat == "PG" else set()) for seat in GAME.seats
    }


@pytest.mark.sample("marshal")
@pytest.mark.parametrize("bot", TABLE)
def test_what_sound_results_look_like(bot: str) -> None:
    rows = play(everybody=bot)
    (low, high), (short, long) = TABLE[bot]
    slack = 3 * (0.25 / rows.size) ** 0.5
    assert low - slack <= (rows["ending"] == 0).mean() <= high + slack
    assert short - 0.4 <= rows["turns"].mean() <= long + 0.4
    assert (rows["winners"][rows["ending"] == 0] > 0).all()


@pytest.mark.long
def test_a_deserter_wins_more_and_scores_less() -> None:
    stays, runs = play(), play(PG="deserter")
    share = [((rows["winners"] >> PG) & 1).mean() for rows in (stays, runs)]
    assert share[1] > share[0] and runs["score"][:, PG].mean() < stays["score"][:, PG].mean() / 2
    assert (runs["escape"] == 2).mean() > 0.3


def test_the_city_is_a_side_that_an_escape_does_not_save() -> None:
    """The Palace Guard may win alone where the city falls; the city has not won then."""
    played = Match(GAME, bots=dict.fromkeys(GAME.seats, "random") | {"PG": "deserter"}).play(3, 0, 400)
    rows = played.rows
    fell = rows["ending"] != 0
    assert (rows["winners"][fell] == 1 << PG).any() and set(rows["winners"][fell]) <= {0, 1 << PG}
    assert int(played.tally.side_wins[0]) == int((~fell).sum())


@pytest.mark.long
def test_one_intriguer_guard_takes_from_the_city_and_gives_to_itself() -> None:
    stays, schemes = play(700), play(700, PG="intriguer")
    assert (schemes["ending"] == 0).mean() < (stays["ending"] == 0).mean()
    share = [((rows["winners"] >> PG) & 1).mean() for rows in (stays, schemes)]
    assert share[1] > 1.5 * share[0]


@pytest.mark.long
def test_arcane_wizards_help_the_city_and_lose_their_secrets() -> None:
    plain, arcane = play(), play(WZ="arcane")
    held = [rows["wz_artefacts"][rows["ending"] == 0].mean() for rows in (plain, arcane)]
    assert held[1] < held[0] - 1 and arcane["spells"].mean() > plain["spells"].mean()
    assert int(np.bitwise_or.reduce(plain["winners"])) == 63


@pytest.mark.long
@pytest.mark.parametrize("seat", GAME.seats)
@pytest.mark.parametrize("bot", sorted(BOTS))
def test_no_bot_peeks_in_any_seat(seat: str, bot: str) -> None:
    assert any("does not peek" in line for line in check_policy(GAME, seat, bot, games=2))


def test_the_map_counts_what_the_rows_count() -> None:
    """Game.hex_map: figures down and intruders out, added up over hexes and turns, are those of the rows."""
    played = Match(GAME, bots=dict.fromkeys(GAME.seats, "hunter")).play(11, 0, 150)
    overrun, down, out = played.tally.counts["hex_sums"].sum(axis=(0, 2)).tolist()
    rows = played.rows
    assert down == sum(int(rows[f"down_{p}"].sum()) for p in (*"abcdefhm", "elsewhere"))
    assert out == sum(int(rows[f"kills_{seat.lower()}"].sum()) for seat in GAME.seats)
    games = played.tally.counts["hex_games"]
    assert games[1] == rows.size and games[1:].sum() == rows["turns"].sum() and overrun > 0
    hexes = GAME.hex_map.hexes(GAME.own_tables)  # type: ignore[union-attr]
    assert [h.number for h in hexes if h.number >= 0] == list(range(107)) and len(hexes) == 208
