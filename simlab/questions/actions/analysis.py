"""How often each action was allowed and taken, and the results of the games in which it was taken."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from simlab.present.answer import Part, Rate
from simlab.present.estimate import Estimate
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.view import View, view_of

MOST_ACTIONS = 30  #: of a decision: the most frequent
FORCED = 0.95  #: share of the times it was allowed from which an action counts as taken almost always
MOST_BOTS = 20  #: most bots of a seat; if there are more, they are combined


class ActionUse(Part):
    """An action of a bot in one kind of decision.

    Attributes:
        code: number of the action. offered, taken: how often it was allowed, and how often the bot took it. share:
            taken / offered; for its interval, all choices of a game count as one observation. games: number of games in
            which the bot took it. win_rate: share of these games that the seat won.
    """

    action: str
    code: int
    bot: str
    offered: int
    taken: int
    share: Rate
    games: int
    win_rate: Rate


class DecisionUses(Part):
    """The choices of a seat in one kind of decision.

    Attributes:
        decision_id: rule ID of the decision. named: whether the game names its actions.
        uses: the 30 most frequent actions, bot by bot. left_out: number of the other actions.
        dead: named actions that were allowed, but never taken by any bot -> how often they were allowed. forced: the
            same for those that were allowed 100 times or more, and taken in 95 % of them or more.
    """

    seat: str
    decision: str
    decision_id: str
    named: bool
    uses: tuple[ActionUse, ...]
    left_out: int
    dead: dict[str, int]
    forced: dict[str, int]

    @property
    def offered(self) -> int:
        return sum(use.offered for use in self.uses)


class Actions(GamesAnswer, form="actions-counted", version=3):
    """The bots' use of their choices."""

    decisions: tuple[DecisionUses, ...]


def of_run(results: Any) -> Actions:
    view = view_of(results)
    met = np.argwhere(view.all.sum("offered").any(axis=2)).tolist()
    return Actions.of(
        view, decisions=tuple(decision_uses(view, seat, kind) for seat, kind in met if kind < len(view.decisions))
    )


def decision_uses(view: View, seat: int, kind: int) -> DecisionUses:
    about, pools = view.decisions[kind], view.by_bot(seat)
    if len(pools) > MOST_BOTS:
        pools = [view.all]
    pools = [pool for pool in pools if pool.sum("offered")[seat, kind].any()] or pools[:1]
    offered, taken = (view.all.sum(name)[seat, kind] for name in ("offered", "chosen"))
    ever = np.flatnonzero(offered)
    shown = sorted(ever[np.argsort(-taken[ever], kind="stable")][:MOST_ACTIONS].tolist())
    uses = []
    for action, pool in product(shown, pools):
        allowed, chosen, games, wins = (
            int(pool.sum(name)[seat, kind, action]) for name in ("offered", "chosen", "used_games", "used_wins")
        )
        worth = min(float(allowed), float(pool.games))
        share = pool.share(chosen / allowed * worth, worth) if allowed else Estimate(float("nan"), 0.0, 1.0)
        uses.append(ActionUse(
            action=about.action(action), code=action, bot=pool.label, offered=allowed, taken=chosen, share=share,
            games=games, win_rate=pool.share(float(wins), float(games)),
        ))  # fmt: skip
    named = [place for place in ever.tolist() if place < len(about.actions)] if ever.size > 1 else []
    often = [place for place in named if offered[place] >= 100 and taken[place] >= FORCED * offered[place]]
    return DecisionUses(
        seat=view.seats[seat], decision=about.name, decision_id=about.id, named=bool(about.actions), uses=tuple(uses),
        left_out=ever.size - len(shown),
        dead={about.actions[place]: int(offered[place]) for place in named if not taken[place]},
        forced={about.actions[place]: int(offered[place]) for place in often},
    )  # fmt: skip
