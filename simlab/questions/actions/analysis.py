"""How often each action was allowed and taken, and the results of the games in which it was taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.present.answer import Part, Rate
from simlab.present.estimate import Estimate
from simlab.runs.cell_pools import Pool
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of

MOST_ACTIONS = 30  #: of a decision: the most frequent
FORCED = 0.95  #: share of the times it was allowed from which an action counts as taken almost always
MOST_BOTS = 20  #: most bots of a seat; if there are more, they are combined


class ActionUse(Part):
    """An action of a bot.

    Attributes:
        decision_id: rule of the decision. code: number of the action. named: whether the game names the actions of
            this decision.
        offered, taken: number of times. share: taken / offered; for its interval, all choices of a game count as one
            observation. games: number of games in which the bot took it. win_rate: share of these games that the seat
            won.
    """

    seat: str
    decision: str
    decision_id: str
    action: str
    code: int
    named: bool
    bot: str
    offered: int
    taken: int
    share: Rate
    games: int
    win_rate: Rate


class NamedAction(Part):
    """A named action over all bots of a seat."""

    seat: str
    decision: str
    action: str
    offered: int
    taken: int


class Actions(GamesAnswer, form="actions-counted", version=2):
    """The bots' use of their choices.

    Attributes:
        left_out: number of unlisted actions; a decision with more than 30 lists only the most frequent.
        dead: allowed, but never taken by any bot.
        forced: allowed 100 times or more, and taken in 95 % of them or more.
    """

    actions: tuple[ActionUse, ...]
    left_out: int
    dead: tuple[NamedAction, ...]
    forced: tuple[NamedAction, ...]


def of_run(results: Any) -> Actions:
    view = view_of(results)
    offered = view.all.sum("offered")
    met = zip(*(at.tolist() for at in np.nonzero(offered.any(axis=2))), strict=True)
    places = [(seat, kind) for seat, kind in met if kind < len(view.decisions)]
    uses = [decision_uses(view, *place) for place in places]
    named = [one for place in places for one in _named(view, *place)]
    return Actions.of(
        view, actions=tuple(use for shown, _ in uses for use in shown), left_out=sum(left for _, left in uses),
        dead=tuple(one for one in named if one.taken == 0),
        forced=tuple(one for one in named if one.offered >= 100 and one.taken >= FORCED * one.offered),
    )  # fmt: skip


def decision_uses(view: View, seat: int, kind: int) -> tuple[list[ActionUse], int]:
    """How each bot of a seat uses the actions of a decision, and how many actions are left out."""
    pools = view.by_bot(seat)
    if len(pools) > MOST_BOTS:
        pools = [view.all]
    pools = [pool for pool in pools if pool.sum("offered")[seat, kind].any()] or pools[:1]
    offered, taken = (sum(pool.sum(name)[seat, kind] for pool in pools) for name in ("offered", "chosen"))
    ever = np.flatnonzero(offered)
    shown = sorted(ever[np.argsort(-taken[ever], kind="stable")][:MOST_ACTIONS].tolist())
    return [_use(view, pool, seat, kind, action) for action in shown for pool in pools], len(ever) - len(shown)


def _use(view: View, pool: Pool, seat: int, kind: int, action: int) -> ActionUse:
    offered, taken, games, wins = (
        int(pool.sum(name)[seat, kind, action]) for name in ("offered", "chosen", "used_games", "used_wins")
    )
    worth = min(float(offered), float(pool.games))
    share = pool.share(taken / offered * worth, worth) if offered else Estimate(float("nan"), 0.0, 1.0)
    about = view.decisions[kind]
    return ActionUse(
        seat=view.seats[seat], decision=about.name, decision_id=about.id, action=about.action(action), code=action,
        named=bool(about.actions), bot=pool.label, offered=offered, taken=taken, share=share, games=games,
        win_rate=pool.share(float(wins), float(games)),
    )  # fmt: skip


def _named(view: View, seat: int, kind: int) -> Iterator[NamedAction]:
    """The named actions of a decision in which more than one was offered."""
    offered, taken = (view.all.sum(name)[seat, kind] for name in ("offered", "chosen"))
    about = view.decisions[kind]
    if np.count_nonzero(offered) < 2:
        return
    for action in np.flatnonzero(offered[: len(about.actions)]).tolist():
        yield NamedAction(
            seat=view.seats[seat], decision=about.name, action=about.actions[action], offered=int(offered[action]),
            taken=int(taken[action]),
        )  # fmt: skip
