"""Win rates of the cells of a run, or of groups of cells, with the length and the endings of their games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from simlab.engine.payoff import Payoff
from simlab.game import SeatCategory
from simlab.present.answer import Number, Part, Rate
from simlab.present.blocks import GamesLink
from simlab.present.estimate import LEVEL, Estimate, is_number, plain, words
from simlab.questions.endings.analysis import ending_shares
from simlab.questions.method.analysis import equal_share
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import MANY, View, view_of

QUANTILES = (0.05, 0.5, 0.9, 0.95)
MOST_ROLES = 6  #: values of a category of seats, such as roles, that have a column each


class WinLine(Part):
    """The games of a cell or of several cells.

    Attributes:
        wins: column -> share of the games: wins of sides, wins of seats, games that several or no seats win; and of the
            seats with a role, the share that win.
        shares: seat -> its share of the wins, 1/k of a game that k seats win; empty unless seats share wins.
        length: mean length. quantiles: quantiles of the length, `p5`, `p50`, `p90` and `p95`.
        endings: the endings of the run, the most frequent first; the intervals hold for all of them together.
        links: `games` or column of `wins` -> the command that lists its games.
    """

    cell: str
    games: int
    wins: dict[str, Rate]
    shares: dict[str, Rate] = Field(default_factory=dict)
    length: Number
    quantiles: dict[str, Number]
    endings: dict[str, Rate]
    links: dict[str, GamesLink] = Field(default_factory=dict)


class Winner(Part):
    """A seat or side in a chart of wins.

    Attributes:
        column: its key in `WinLine.wins`.
        seat: index of the seat whose colour it has; None for a side whose seats also win without it.
    """

    name: str
    column: str
    seat: int | None


class WinRates(GamesAnswer, form="win-rates"):
    """How often each seat and side wins.

    Attributes:
        setup: game, run, and bots if each seat has one. lines: cells, or groups of cells if there are many (`grouped`).
            total: all cells; None for one line. winners: seats and sides that the chart shows. rate: the rate that the
                chart shows, in words.
        fair: a fair share of the wins, and `equal_share` the same in words; None and "" if seats do not play against
            each other.
        curve: whether one knob varies, so that the section on knobs shows the win rates as a curve.
        wins, decided: wins of all seats, and games that somebody won; several seats can win the same game.
    """

    setup: str
    lines: tuple[WinLine, ...]
    total: WinLine | None
    grouped: bool
    winners: tuple[Winner, ...]
    rate: str
    fair: float | None
    equal_share: str
    curve: bool
    wins: int
    decided: int


def of_run(results: Any, most: int = MANY) -> WinRates:
    """Win rates of a run. most: number of lines above which cells are taken together in groups."""
    view = view_of(results)
    pools = view.groups(most)
    several = len(pools) > 1
    shown = winners(view)[: 1 if several and view.mirrored else None]
    fair = fair_share(view)
    return WinRates.of(
        view,
        setup=f"{view.title}: {view.name}{view.fixed_bots}",
        lines=tuple(line(view, pool) for pool in pools),
        total=line(view, view.pool("all together", view.cells)) if several else None,
        grouped=several and len(pools) != len(view.cells),
        winners=tuple(shown),
        rate=f"win rate of {view.the_side(shown[0].name)}" if len(shown) == 1 else "win rate",
        fair=fair,
        equal_share="" if fair is None else equal_share(view),
        curve=len(view.varied) == 1 and all(map(is_number, next(iter(view.varied.values())))),
        wins=int(view.all.wins.sum()),
        decided=view.games - int(view.all.nobody),
    )


def line(view: View, pool: Pool) -> WinLine:
    """Win rates of some cells of a run; seats that win whenever their side does have no column of their own."""
    own = {one.column for one in winners(view)}
    columns: list[tuple[str, Estimate, GamesLink | None]] = [
        *((head, pool.side_rate(side), drill_down.side_won(view, pool, side)) for side, head in view.joint_sides),
        *(
            (f"{name} wins", pool.win_rate(seat), drill_down.seat_won(view, pool, seat))
            for seat, name in enumerate(view.labels)
            if f"{name} wins" in own
        ),
    ]
    columns += [(f"{role.name} wins", rate, None) for role in roles_of(view) if (rate := role.rate(pool))]
    if view.all.shared and len(view.seats) > 1 and not view.has_sides:
        columns.append(("shared", pool.undecided("shared"), drill_down.without_winner(view, pool, "shared")))
    if view.all.nobody and not view.has_sides:
        head = "lost" if len(view.seats) == 1 else "nobody wins"
        columns.append((head, pool.undecided("nobody"), drill_down.without_winner(view, pool, "nobody")))
    links = {"games": drill_down.all_games(view, pool), **{head: games for head, _, games in columns}}
    seen = sorted((i for i, n in enumerate(view.all.endings) if n), key=lambda i: -int(view.all.endings[i]))
    endings = ending_shares(pool)
    shares = {name: pool.value(Payoff.share(view.names, seat)) for seat, name in enumerate(view.labels)}
    return WinLine(
        cell=pool.label, games=pool.games, wins={head: rate for head, rate, _ in columns},
        shares=shares if view.shares_wins else {}, length=pool.mean_length(),
        quantiles={f"p{round(100 * q)}": pool.quantile(pool.length, q, column="turns") for q in QUANTILES},
        endings={words(view.endings[i]): endings[i] for i in seen},
        links={head: games for head, games in links.items() if games},
    )  # fmt: skip


@dataclass(frozen=True)
class Role:
    """A value of a category of seats, such as a role or a start place."""

    category: str
    value: str

    @property
    def name(self) -> str:
        """`role wrecker`."""
        return plain(f"{self.category} {self.value}", 60).replace("_", " ")

    @property
    def category_words(self) -> str:
        """`role`."""
        return plain(self.category, 60).replace("_", " ")

    @property
    def short_name(self) -> str:
        """`wrecker`."""
        return plain(self.value, 60).replace("_", " ")

    def rate(self, pool: Pool, level: float = LEVEL) -> Estimate | None:
        """The share of the seats with this value that win; None if no seat had it."""
        return pool.category_rate(self.category, self.value, level)


def roles_of(view: View, most: int = MOST_ROLES) -> list[Role]:
    """The values of the first category of seats that at most `most` values have; [] if there is none."""
    return next((roles for roles in map(roles_in, view.names.seat_categories) if len(roles) <= most), [])


def roles_in(category: SeatCategory) -> list[Role]:
    return [Role(category.name, value) for value in category.values if value != "none"]


def fair_share(view: View) -> float | None:
    """The fair share of a seat; None if seats do not play against each other."""
    return view.fair_share if len(view.seats) > 1 and not view.joint_sides else None


def winners(view: View) -> list[Winner]:
    """Seats that win and lose together are shown once, as their side. A seat that also wins without its side is shown
    next to it.
    """
    shown: list[Winner] = []
    heads = dict(view.joint_sides)
    for side, (name, seats, _) in enumerate(view.sides):
        won = round(view.all.side_rate(side).value * view.all.games) if side in heads else -1
        apart = [seat for seat in seats if int(view.all.wins[seat]) != won]
        if side in heads:
            shown.append(Winner(name=name, column=heads[side], seat=None if apart else seats[0]))
        shown += [Winner(name=view.labels[seat], column=f"{view.labels[seat]} wins", seat=seat) for seat in apart]
    return shown
