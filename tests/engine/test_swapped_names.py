"""A table that a designer swaps brings its own names: labels and descriptions show those, in every game."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import read_text, write_text
from simlab.registry import find_games, load_game

GAMES = {slug: load_game(slug) for slug in find_games()}
NAMED = [
    (slug, table.name)
    for slug, game in GAMES.items()
    for table in game.tables
    if "name" in game.own_tables[table.name][0]
]


def words(stepper: Stepper) -> str:
    """All that a person reads of a position."""
    labels = [stepper.label(action) for action in stepper.legal()] if not stepper.over else []
    return " ".join([*map(str, stepper.describe().values()), *labels])


@pytest.mark.sample("simple_siege-counters", "montsegur-locations", "harbour-buildings")
@pytest.mark.parametrize(("slug", "table"), NAMED)
def test_a_replay_shows_the_names_of_the_swapped_table(slug: str, table: str, tmp_path: Path) -> None:
    game = GAMES[slug]
    rows = [{**row, "name": f"Zyx {i}"} for i, row in enumerate(game.own_tables[table])]
    file = tmp_path / f"{table}.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    match = Match(game, tables={table: file}, bots=dict.fromkeys(game.seats, "random"))
    for index in range(20):
        stepper = Stepper(match, 1, index)
        while not stepper.over:
            if "Zyx" in words(stepper):
                return
            stepper.apply(stepper.policy_action())
    pytest.fail(f"20 games and no new name of the table {table}")


def test_a_text_that_is_too_long_is_cut_between_letters() -> None:
    match = Match(GAMES["simple_siege"], bots=dict.fromkeys(GAMES["simple_siege"].seats, "random"))
    cell = match.cards["counter_name"][0, 0].copy()
    cell[:] = 0
    write_text(cell, "é" * 30)
    assert read_text(cell) == "é" * 20
