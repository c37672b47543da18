"""One bot in a field of others, in games of more than two seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simlab.report import tables
from simlab.report.estimate import Estimate, share_of
from simlab.report.match_ups import table_of_seat, won_by_cell
from simlab.report.view import View
from simlab.stats.intervals import Floats

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_IN_FIELD = 16  #: bots of which each is set beside each other, where there are more than two seats


@dataclass(frozen=True)
class InField:
    """A bot of a game of more than two seats, over all match-ups in which it sat.

    Attributes:
        everywhere: its share of the wins, all its seats alike; by_seat: in each seat, None where it never sat there.
        beside: the same where that other bot sat in another seat; None where the two never met.
    """

    bot: str
    everywhere: Estimate
    by_seat: tuple[Estimate | None, ...]
    beside: dict[str, Estimate | None]


def in_field(view: View) -> list[InField]:
    """Each bot's share of the wins in a field of others, the best first; empty for games of one or two seats.

    A game that k seats win counts 1/k for each of them. Games are clustered by their index: a bot may sit in several
    seats of one game, and all match-ups share their luck.
    """
    seats = len(view.seats)
    names = list(dict.fromkeys(bot for seat in view.raw_seats for bot in view.bots[seat]))
    if seats < 3 or not 1 < len(names) <= MOST_IN_FIELD:
        return []
    sits = np.array([[names.index(cell.bots[seat]) for seat in view.raw_seats] for cell in view.cells])
    won = won_by_cell(view)
    tables = [table_of_seat(view, seat) for seat in range(seats)]
    games = np.array([cell.games for cell in view.cells], np.float64)
    others = []
    for bot, name in enumerate(names):
        mine = sits == bot  # (cells, seats)
        picks = [mine, *(mine & (np.arange(seats) == seat) for seat in range(seats))]
        for other in range(len(names)):
            theirs = sits == other
            picks.append(mine & (theirs.sum(axis=1, keepdims=True) > theirs))
        shares = _shares(tables, won, games, np.array(picks))
        beside = dict(zip(names, shares[1 + seats :], strict=True))
        if shares[0] is not None:
            others.append(InField(name, shares[0], tuple(shares[1 : 1 + seats]), beside))
    return sorted(others, key=lambda line: -line.everywhere.value)


def _shares(
    tables: Sequence[Floats | None], won: Floats, games: Floats, picks: npt.NDArray[np.bool_]
) -> list[Estimate | None]:
    """Mean part of the win over some cells and seats; None where nothing is picked.

    Args:
        tables: for each seat what it won of each game, shape (games, cells), or None where that is not known.
        won: games won, shape (cells, seats). games: of each cell. picks: shape (figures, cells, seats).
    """
    worth = (picks * games[None, :, None]).sum(axis=(1, 2))
    value = (picks * won[None]).sum(axis=(1, 2)) / np.maximum(worth, 1)
    known = [table for table in tables if table is not None]
    if len(known) == len(tables):
        # Of the games that all cells played, a sum for each game index: these are independent.
        sums = sum(
            table @ (picks[:, :, seat] * games / np.maximum(worth, 1)[:, None]).T for seat, table in enumerate(known)
        )
        variance = np.var(sums, axis=0, ddof=1) / len(known[0])
    else:
        variance = value * (1 - value) / max(float(games.min()), 1)  # as if all cells shared their luck
    shares: list[Estimate | None] = []
    for rate, error, count in zip(value, variance, worth, strict=True):
        least = float(games.min())
        if count == 0:
            shares.append(None)
        elif error > 0 and 0 < rate < 1:
            enough = rate * (1 - rate) / error
            shares.append(share_of(rate * enough, enough))
        else:
            shares.append(share_of(rate * least, least))
    return shares


def field_sentence(view: View) -> str:
    """What the tables of bots in a field count."""
    if view.joint_sides:
        return (
            "How often the side of the bot's seat wins, over all its seats and match-ups. Beside whom: the same where "
            "the column's bot sits in another seat."
        )
    fair = sum(float(view.all.credit(seat).value) for seat in range(len(view.seats))) / len(view.seats)
    return (
        "Share of the wins, over all seats and match-ups; a game that several win is split among them, and an average "
        f"seat has {100 * fair:.3g} %. Beside whom: the share of the line's bot where the column's sits in another "
        "seat."
    )


def field_tables(view: View) -> list[RenderableType | str]:
    lines = in_field(view)
    if not lines:
        return []
    parts: list[RenderableType | str] = []
    versions = []
    for dense in (False, True):
        what = "how often the bot's side wins" if view.joint_sides else "share of the wins by bot"
        made = tables.table(f"{view.title}: {what}", dense)
        made.add_column("bot", overflow="fold")
        tables.numbers(made, "all seats", *(f"as {seat}" for seat in view.seats))
        for line in lines:
            each = [("" if rate is None else rate.text if dense else rate.full) for rate in line.by_seat]
            tables.add(made, [line.bot, line.everywhere.full, *each])
        versions.append(made)
    parts.append(tables.Fitting(*versions))
    made = tables.table("Beside whom")
    made.add_column("bot", overflow="fold")
    tables.numbers(made, *(line.bot for line in lines))
    widest = 0.0
    for line in lines:
        rates = [line.beside[other.bot] for other in lines]
        widest = max([widest, *((rate.high - rate.low) / 2 for rate in rates if rate is not None)])
        tables.add(made, [line.bot, *("" if rate is None else f"{100 * rate.value:.0f}" for rate in rates)])
    made.caption = f"in %, each good to +-{100 * widest:.1f} points or better"
    return [*parts, made, tables.typed(field_sentence(view))]
