"""The number of players as something that an experiment varies: cells with different numbers of seats in one run.

A smaller table has the first seats of the largest. So a run keeps its rows in the columns of the largest table, with
nothing in those of a seat that is not there, while its counts and all its figures are of the seats that play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.game import Game, Knob

PLAYERS = "players"
_WHOLE_DESIGNS = ("one_at_a_time", "saltelli", "morris")  # methods whose answer needs all of their points


def players_knob(game: Game, where: str = "") -> Knob:
    """The number of players as what [vary] reads: a whole number in the game's range.

    Raises:
        InputError: the game has a fixed number of seats, or a knob of that name.
    """
    from simlab.game import Knob

    at = f"{where}: " if where else ""
    least, most = game.players
    if not most:
        raise InputError(f"{at}{game.slug} has {len(game.seats)} seats, no more and no fewer: players cannot vary.")
    if PLAYERS in game.knobs:
        raise InputError(f"{at}{game.slug} has a knob called players: rename it to vary the size of a table.")
    return Knob(PLAYERS, "int", len(game.seats), least, most, (), "", (), "number of players")


def sizes_of(game: Game, sizes: Sequence[int], method: str, where: str) -> tuple[int, ...]:
    """The sizes of the tables of a run, ascending, which go together.

    Args:
        sizes: number of players of each point. method: of [vary].
    Raises:
        InputError: they cannot be in one run; says why.
    """
    from simlab.engine.setup import game_text
    from simlab.refs import GameRef
    from simlab.registry import load_game

    if method in _WHOLE_DESIGNS:
        raise InputError(f'{where}: players cannot vary with method = "{method}": ask for each size by itself.')
    ascending = tuple(sorted(set(sizes)))
    ref = GameRef.parse(game_text(game))
    tables = [load_game(ref.with_players(size)) for size in ascending]
    largest = tables[-1]
    for table in tables[:-1]:
        why = _why_apart(table, largest)
        if why:
            raise InputError(
                f"{where}: {game.slug} cannot be played by {len(table.seats)} and by {len(largest.seats)} in one run: "
                f"{why}. Play them one by one, with --players."
            )
    return ascending


def _why_apart(table: Game, largest: Game) -> str:
    """Why the rows of two sizes of a game cannot be in one file; empty if they can."""
    if table.seats != largest.seats[: len(table.seats)]:
        return "the seats of the smaller table are not the first ones of the larger"
    if table.endings != largest.endings:
        return "they end in different ways"
    if table.has_scores != largest.has_scores:
        return "only one of them keeps scores"
    few, many = table.seat_categories, largest.seat_categories
    if [c.name for c in few] != [c.name for c in many] or any(
        small.values != large.values[: len(small.values)] for small, large in zip(few, many, strict=True)
    ):
        return "what a seat can be (seat_categories) at the smaller table is not the first of the larger's"
    if [(m.name, m.never, dict(m.codes)) for m in table.metrics] != [
        (m.name, m.never, dict(m.codes)) for m in largest.metrics
    ]:
        return "they report other metrics"
    if table.knobs != largest.knobs:
        return "they have other knobs"
    return ""
