"""Links from numbers to the games behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.engine.outcome import sides_of
from simlab.game import Metric
from simlab.present.blocks import GamesLink
from simlab.runs.cell_pools import Cell, Histogram, Pool
from simlab.runs.query import command

if TYPE_CHECKING:
    from simlab.runs.view import View

_MOST_CELLS = 60  #: most cells that a condition names one by one


def all_games(view: View, pool: Pool) -> GamesLink | None:
    """All games of a pool."""
    return games_where(view, pool, pool.games)


def moves(view: View) -> str:
    """The command that writes the moves of the run's first games, for data that are not in the rows; "" for none."""
    results = view.results
    if not results.has_rows:
        return ""
    every = {cell.key for cell in results.whole.cells}
    cell = [] if len(every) == 1 else ["--cell", _short(view.cells[0].source.key, every)]
    return shell.join(["simlab", "replay", "--table", "--from", str(results.folder), *cell, "-n", "5"])


def games_where(view: View, pool: Pool, games: int, condition: str = "", what: str = "") -> GamesLink | None:
    """The games of a pool for which a condition (of `--where`; "" for all) holds; None if no rows were kept."""
    results = view.results
    if not results.has_rows:
        return None
    keys = [cell.source.key for cell in pool.cells]
    every = {cell.key for cell in results.whole.cells}
    if set(keys) == every:
        return GamesLink(int(games), command(results, condition, None), what)
    bot = _bot_of(view, pool) if {cell.source.key for cell in view.cells} == every else ""
    if bot and len(keys) > 1:
        both = f"{bot} and {condition}" if condition else bot
        return GamesLink(int(games), command(results, both, None), what)
    if len(keys) > _MOST_CELLS:
        return None
    named = [_short(key, every) for key in keys] if len(keys) == 1 else keys
    return GamesLink(int(games), command(results, condition, named), what)


def _bot_of(view: View, pool: Pool) -> str:
    """The condition that a bot takes a seat, if the pool consists of all cells in which that bot does; else ""."""
    columns = view.rows.names if view.rows is not None else ()
    for seat in view.raw_seats:
        bots = {cell.source.bots[seat] for cell in pool.cells}
        if len(bots) == 1 and f"bot_{seat}" in columns:
            bot = next(iter(bots))
            if len(pool.cells) == sum(cell.source.bots[seat] == bot for cell in view.cells):
                return f"bot_{seat} = {_quoted(bot)}"
    return ""


def _short(key: str, every: set[str]) -> str:
    """The shortest beginning of a key that is unique."""
    return key[:8] if sum(other.startswith(key[:8]) for other in every) == 1 else key


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def won_by(view: View, places: Sequence[int], endings: Sequence[int] = ()) -> str:
    """The condition that one of these seats is among the winners, with one of these endings; empty: any."""
    seats = view.raw_seats
    if len(seats) > 2:
        condition = f"(winners & {sum(1 << place for place in places)}) > 0"
    else:
        names = [seats[place] for place in places] + (["shared"] if len(seats) == 2 else [])
        condition = f"winner IN ({', '.join(map(_quoted, names))})"
    if endings and len(endings) < len(view.raw_endings):
        condition += f" and ending IN ({', '.join(_quoted(view.raw_endings[place]) for place in endings)})"
    return condition


def seat_won(view: View, pool: Pool, seat: int) -> GamesLink | None:
    """The games that a seat won, alone or with others."""
    return games_where(view, pool, int(pool.wins[seat]), won_by(view, [seat]))


def side_won(view: View, pool: Pool, side: int) -> GamesLink | None:
    """The games that a side won."""
    if "side_won" not in pool.counted:
        return None
    places, endings = sides_of(view.names)[side][1], view.side_endings[side]
    return games_where(view, pool, int(pool.sum("side_won")[side]), won_by(view, places, endings))


def without_winner(view: View, pool: Pool, word: str) -> GamesLink | None:
    """The games that several seats won (`shared`), or that nobody won (`nobody`)."""
    return games_where(view, pool, pool.shared if word == "shared" else pool.nobody, f"winner = {_quoted(word)}")


def ended(view: View, pool: Pool, place: int) -> GamesLink | None:
    """The games that ended in one way."""
    return games_where(view, pool, int(pool.endings[place]), ending_is(view, place))


def ending_is(view: View, place: int) -> str:
    """The condition that a game ended in one way."""
    return f"ending = {_quoted(view.raw_endings[place])}"


def of_metric(view: View, pool: Pool, metric: Metric, number: int) -> GamesLink | None:
    """The games behind one of the statistics of `Pool.figures_of`, by its position."""
    values, counts = pool.metric(metric.name)
    if metric.kind == "number":
        return games_where(view, pool, int(counts.sum()))
    if metric.kind == "category":
        code = [code for code in metric.codes if code in values][number]
        return games_where(view, pool, int(counts[values == code].sum()), f"{metric.name} = {code}")
    return games_where(view, pool, int(counts[values != metric.never].sum()), f"{metric.name} <> {metric.never}")


def highest(view: View, pool: Pool, name: str, histogram: Histogram, what: str = "") -> GamesLink | None:
    """The games with the highest value of a number."""
    values, counts = histogram
    return games_where(view, pool, int(counts[-1]), f"{name} = {values[-1].item()}", what)


def going(view: View, turn: int, games: int) -> GamesLink | None:
    """The games that reach a turn; None if `games` does not match the number of such games by length."""
    turns, counts = view.all.length
    if int(counts[turns >= turn].sum()) != games:
        return None
    return games_where(view, view.all, games, f"turns >= {turn}", f"those that reach {view.turn_name} {turn}")


def of_bots(view: View, bots: Sequence[str], games: int) -> GamesLink | None:
    """The games of a line-up; None if their number differs from that of the statistic."""
    cells = [cell for cell in view.cells if tuple(cell.bots.values()) == tuple(bots)]
    pool = view.pool("", cells) if cells else None
    return all_games(view, pool) if pool is not None and pool.games == games else None


def with_bot(view: View, bot: str) -> GamesLink | None:
    """The games in which a bot takes a seat."""
    cells = [cell for cell in view.cells if bot in cell.bots.values()]
    return all_games(view, view.pool("", cells)) if cells else None


def of_values(view: View, knob: str, values: Sequence[Any], cells: Sequence[Cell]) -> GamesLink | None:
    """The games of some cells, selected by the values of a knob if these are all cells with these values."""
    pool = view.pool("", cells)
    alike = [cell for cell in view.cells if cell.varied.get(knob) in values]
    whole = {cell.source.key for cell in view.cells} == {c.key for c in view.results.whole.cells}
    plain_values = all(isinstance(value, int | str) and not isinstance(value, bool) for value in values)
    if not (whole and plain_values and len(alike) == len(pool.cells) and knob not in view.measures):
        return all_games(view, pool)
    listed = ", ".join(_quoted(value) if isinstance(value, str) else str(value) for value in values)
    return games_where(view, view.all, pool.games, f"{knob} IN ({listed})")
