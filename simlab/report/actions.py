"""What the bots do with their choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.present.chart import Draw, chart
from simlab.present.estimate import Estimate, words
from simlab.results.names import DecisionName
from simlab.results.view import View, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DECISIONS = 4  #: charts of a seat's decisions, the most frequent first


@dataclass(frozen=True)
class ActionUse:
    """An action that stands out: where, what, and how often it was offered and taken."""

    seat: str
    decision: str
    action: str
    offered: int
    chosen: int


def dead_actions(view: View) -> list[ActionUse]:
    """Named actions that were offered and never taken by any bot."""
    return [use for use in _uses(view) if use.offered > 0 and use.chosen == 0]


def sure_actions(view: View) -> list[ActionUse]:
    """Named actions that were offered 100 times or more and taken in 95 % or more."""
    return [use for use in _uses(view) if use.offered >= 100 and use.chosen >= 0.95 * use.offered]


def by_decision(uses: Sequence[ActionUse]) -> list[str]:
    """One text for each decision: "besieger, Besieger's action: Besiege (allowed 1,200 times), Plan
    (800)"."""
    groups: dict[tuple[str, str], list[str]] = {}
    for use in uses:
        line = groups.setdefault((use.seat, use.decision), [])
        line.append(f"{use.action} ({'' if line else 'allowed '}{use.offered:,}{'' if line else ' times'})")
    return [f"{seat}, {words(decision)}: {', '.join(line)}" for (seat, decision), line in groups.items()]


def _uses(view: View) -> list[ActionUse]:
    offered, chosen = view.all.sum("offered"), view.all.sum("chosen")
    uses: list[ActionUse] = []
    for seat, kind in zip(*np.nonzero(offered.any(axis=2)), strict=True):
        decision = view.decisions[kind] if kind < len(view.decisions) else None
        if decision is None or np.count_nonzero(offered[seat, kind]) < 2:
            continue  # a choice with one answer says nothing
        named = [int(a) for a in np.flatnonzero(offered[seat, kind]) if a < len(decision.actions)]
        counts = [(int(offered[seat, kind, a]), int(chosen[seat, kind, a])) for a in named]
        uses += [
            ActionUse(view.seats[seat], decision.name, decision.actions[a], *both)
            for a, both in zip(named, counts, strict=True)
        ]
    return uses


class ActionTable:
    """Use of the actions of one decision by the bots of a seat.

    Attributes:
        bots: texts. actions: indices that were offered, the most taken first cut to 30, in the game's order.
        offered, chosen, used_games, used_wins: counts, shape (actions, bots).
        shares: chosen / offered, nan where never offered.
        dropped: actions that were cut.
    """

    MOST = 30

    def __init__(self, view: View, seat: int, decision: int) -> None:
        self.view, self.seat, self.decision = view, seat, decision
        self.pools = view.by_bot(seat)
        if len(self.pools) > 20:
            self.pools = [view.all]
        self.pools = [p for p in self.pools if p.sum("offered")[seat, decision].any()] or self.pools[:1]
        self.bots = [pool.label for pool in self.pools]
        parts = {
            name: np.stack([pool.sum(name)[seat, decision] for pool in self.pools], axis=-1)
            for name in ("offered", "chosen", "used_games", "used_wins")
        }
        ever = np.flatnonzero(parts["offered"].any(axis=1))
        busiest = ever[np.argsort(-parts["chosen"][ever].sum(axis=1), kind="stable")][: self.MOST]
        self.dropped = int(ever.size - busiest.size)
        self.actions = sorted(int(a) for a in busiest)
        self.offered, self.chosen, self.used_games, self.used_wins = (p[self.actions] for p in parts.values())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.shares = np.where(self.offered > 0, self.chosen / np.maximum(self.offered, 1), np.nan)

    @property
    def name(self) -> DecisionName:
        return self.view.decisions[self.decision]

    def label(self, action: int) -> str:
        return self.name.action(action)

    def share(self, row: int, column: int) -> Estimate:
        """Chosen share with an interval that takes a game's choices for one: they hang together."""
        pool = self.pools[column]
        offered, chosen = float(self.offered[row, column]), float(self.chosen[row, column])
        if offered <= 0:
            return Estimate(math.nan, 0.0, 1.0)
        games = min(offered, float(pool.games))
        return pool.share(chosen / offered * games, games)

    def win_rate(self, row: int, column: int) -> Estimate:
        """Win rate over the games in which the bot took the action at least once."""
        return self.pools[column].share(float(self.used_wins[row, column]), float(self.used_games[row, column]))


@chart
def actions(source: Any, ax: Axes | None = None, seat: int | None = None, decision: int | None = None) -> Axes:
    """How often each action was taken when it was offered, a column for each bot.

    Args:
        seat, decision: which seat's decision of which kind; by default the first with the most offers.
    """

    from matplotlib.colors import Normalize

    from simlab.present import drawing

    view = view_of(source)
    offered = view.all.sum("offered")
    if not offered.any():
        return drawing.note(drawing.axes(ax, 1.6), "no action was counted")
    if seat is None or decision is None:
        totals = offered.sum(axis=2)
        if seat is not None:
            totals[np.arange(totals.shape[0]) != seat] = 0
        seat, decision = (int(i) for i in np.unravel_index(int(np.argmax(totals)), totals.shape))
    table = ActionTable(view, seat, decision)
    wide = max(1.9 + 0.42 * len(table.bots), drawing.WIDTH * 0.7)
    longest = max((len(drawing.label(bot, 20)) for bot in table.bots), default=1)
    tilted = len(table.bots) > 1
    ax = drawing.axes(ax, 0.7 + 0.27 * len(table.actions) + (0.07 * longest if tilted else 0.2), wide)
    labels = [[_share_label(value) for value in row] for row in table.shares]
    drawing.heat(ax, table.shares, labels, drawing.HUE, Normalize(0, 1), 8 if len(table.bots) < 16 else 6.5)
    drawing.name_tiles(
        ax,
        [drawing.label(table.label(a), 34) for a in table.actions],
        [drawing.label(bot, 20) for bot in table.bots],
        above=True,
        tilted=tilted,
    )
    return ax


def _share_label(value: float) -> str:
    if math.isnan(value):
        return ""
    return "0" if value == 0 else "<1" if value < 0.005 else f"{100 * value:.0f}"


def section(view: View, draw: Draw) -> dict[str, Any]:
    offered = view.all.sum("offered")
    drawn: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    for seat in range(min(offered.shape[0], len(view.seats))):
        busy = offered[seat].sum(axis=1)
        order = [int(kind) for kind in np.argsort(-busy, kind="stable") if busy[kind] and kind < len(view.decisions)]
        shown = 0
        for kind in order:
            table = ActionTable(view, seat, kind)
            if len(table.actions) < 2:
                continue
            if len(tables) < 40:
                tables.append(_table(view, table))
            if shown < MOST_DECISIONS and view.decisions[kind].actions:
                shown += 1
                rest = f" The {table.dropped} least used are left out." if table.dropped else ""
                text = (
                    f"{view.seats[seat]}, {words(table.name.name)}: how many per cent of the times that "
                    f"an action "
                    f"(row) was allowed, the bot (column) took it; an empty tile was never allowed.{rest}"
                )
                ax = actions(view, seat=seat, decision=kind)
                drawn.append(draw(f"actions_{seat}_{kind}", ax, text, wide=True))
    return {
        "figures": drawn,
        "tables": tables,
        "dead": by_decision(dead_actions(view)[:80]),
        "sure": by_decision(sure_actions(view)[:80]),
    }


def _table(view: View, table: ActionTable) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for row, action in enumerate(table.actions):
        for column, bot in enumerate(table.bots):
            if table.offered[row, column] == 0:
                continue
            if len(rows) >= 400:
                break
            rows.append(
                {
                    "action": table.label(action),
                    "bot": bot,
                    "offered": f"{int(table.offered[row, column]):,}",
                    "share": table.share(row, column),
                    "used": f"{int(table.used_games[row, column]):,}",
                    "wins": table.win_rate(row, column),
                }
            )
    return {
        "seat": view.seats[table.seat],
        "name": f"{table.name.id} {table.name.name}".strip(),
        "rows": rows,
    }
