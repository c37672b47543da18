"""Common defence against what usually brings the city down: the Main Gate and hunger."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.common_defence import defend
from policies.lowenheim.lookout import gate
from policies.lowenheim.orders import group_first, group_size
from policies.lowenheim.steward import hold, legal_or_first, trades
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.cards import other
from simlab.games.lowenheim.orders import rank

T = trait_names(
    reach=Trait(8, 0, 30, "path distance at which a threatened place is helped"),
    relief=Trait(10, 0, 30, "path distance at which the gate is relieved"),
    attacks=Trait(1, 0, 6, "Attack cards that it keeps in hand"),
    lightning=Trait(4, 1, 12, "intruders in a hex worth a Lightning Bolt"),
    fireball=Trait(3, 1, 12, "intruders in a hex worth a Fireball"),
)


_LEAVE = np.array([5, 3, 1, 4, 0, 2], np.int64)  # B, W, P, H, A, F


@policy("lowenheim", traits=T)
def gatekeeper(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """The City Guard holds the Main Gate, all relieve it; Food is kept and shared, other cards make room for it."""
    kind, seat = np.int64(state.decision), np.int64(state.seat)
    if kind == s.D_ORDER:
        order = gate_order(state, cards, np.int64(traits[T.relief]))
        if order >= 0:
            return order
    elif kind == s.D_COUNT:
        if seat == s.CG and rank(state, cards, group_first(state)) == s.FOOT:
            return group_size(state)
    elif kind == s.D_DISCARD:
        return drawn_through(state, seat, np.int64(traits[T.attacks]))
    elif kind == s.D_CUT:
        worst = drawn_through(state, seat, np.int64(traits[T.attacks]))
        return worst if worst > 0 else np.int64(state.legal[0])
    elif kind == s.D_PARTNER or kind == s.D_GIVE or kind == s.D_WANT:
        return shares(state, knobs, seat, kind)
    elif kind == s.D_ANSWER:
        return gives(state, seat)
    return defend(
        state, knobs, cards, np.int64(traits[T.reach]), np.int64(traits[T.lightning]), np.int64(traits[T.fireball])
    )


@kernel
def gate_order(state: State, cards: Cards, relief: int) -> int:
    """Sends to the gate: the Captain and the City Guard's foot at all times, others nearby when it is weakly held."""
    seat, f = np.int64(state.seat), group_first(state)
    cls, h, goal = rank(state, cards, f), np.int64(state.hex[f]), gate(cards)
    if cls == s.SPECIAL or seat == s.WZ:
        return np.int64(-1)
    if seat == s.CG and (cls == s.FOOT or cls == s.CHARACTER):
        return hold(cards) if h == goal else goal
    lost = state.their_heads[goal] > 0 and state.ours[goal] <= 2
    if lost and h != goal and np.int64(cards.path[state.config, h, goal]) <= relief:
        return goal
    return np.int64(-1)


@kernel
def worth_keeping(state: State, seat: int, kind: int, attacks: int) -> int:
    """Cards of a type that stay in hand: all Food, Attack cards, cards demanded, one Healing for the wounded."""
    if kind == s.FOOD:
        return np.int64(6)
    if kind == s.ATTACK:
        return attacks
    if kind == s.PEASANTS and seat == s.BR:
        return np.int64(1)
    if kind == s.BLANK:
        return np.int64(seat == s.CG) * 6
    due = np.int64(0)
    for demand in range(s.DEMANDS):
        if s.DEMAND_TYPE[demand] == kind:
            due += np.int64(state.due[demand])
    if kind == s.HEALING:
        return max(min(due, np.int64(2)), np.int64(1))
    return min(due, np.int64(6))


@kernel
def drawn_through(state: State, seat: int, attacks: int) -> int:
    """LW-D05: discards the least useful card, to draw Food; returns an action, 0 for nothing."""
    for at in range(s.TYPES):
        kind = np.int64(_LEAVE[at])
        if np.int64(state.hand[seat, kind]) > worth_keeping(state, seat, kind, attacks):
            return legal_or_first(state, kind + 1)
    return np.int64(0)


@kernel
def shares(state: State, knobs: Knobs, seat: int, kind: int) -> int:
    """LW-D23 to LW-D25: Food beyond its own need is given away, to the seat with the fewest cards."""
    spare = np.int64(state.hand[seat, s.FOOD]) - np.int64(seat != s.WZ) * 2
    if spare <= 0:
        return trades(state, seat, kind)
    if kind == s.D_GIVE:
        return legal_or_first(state, s.FOOD + 1)
    if kind == s.D_WANT:
        return np.int64(state.legal[0])
    best, fewest = np.int64(0), np.int64(99)
    for option in range(1, s.FACTIONS):
        partner = other(seat, np.int64(option) - 1)
        if partner != s.WZ and np.int64(state.held[partner]) < fewest:
            fewest = np.int64(state.held[partner])
            best = np.int64(option)
    return best if fewest < knobs.hand_size else trades(state, seat, kind)


@kernel
def gives(state: State, seat: int) -> int:
    """LW-D26: accepts gifts; gives all but the last card of a type, and Food that is not needed this turn."""
    want = np.int64(state.want)
    if want == 0 or want - 1 == s.BLANK:
        return np.int64(1)
    kept = np.int64(seat != s.WZ) if want - 1 == s.FOOD else np.int64(0)
    return np.int64(np.int64(state.hand[seat, want - 1]) > kept)
