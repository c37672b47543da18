"""A bot that plays selfishly."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.flight import leads_sigis, sigis_order
from policies.lowenheim.orders import garrison_order
from policies.lowenheim.steward import is_legal, legal_or_first, richest, steward, steward_share, up_to
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim import state as s

T = trait_names(
    reach=Trait(5, 0, 30, "path distance from home at which intruders are met"),
    lightning=Trait(4, 1, 12, "intruders in a hex worth a Lightning Bolt"),
    fireball=Trait(3, 1, 12, "intruders in a hex worth a Fireball"),
)


@policy("lowenheim", traits=T)
def intriguer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps its own house and its own cards, presses for secrets, and has a way out ready."""
    kind = np.int64(state.decision)
    seat = np.int64(state.seat)
    if kind == s.D_ORDER:
        if leads_sigis(state):
            return sigis_order(state, cards, False)
        return garrison_order(state, knobs, cards, np.int64(traits[T.reach]))
    if kind == s.D_HAND_IN:
        return up_to(state, own_share(state, seat))
    if kind == s.D_PARTNER or kind == s.D_GIVE or kind == s.D_WANT:
        return offers(state, seat, kind)
    if kind == s.D_PRESS:
        return presses(state, seat)
    if kind == s.D_REVEAL or kind == s.D_BRUNHILDE:
        return np.int64(1)
    if kind == s.D_MASKS and (seat == s.EL or seat == s.CA):
        return np.int64(0)
    if kind == s.D_VOTE:
        return np.int64(seat == s.PG or seat == s.EL or seat == s.BR)
    return steward(state, knobs, cards, np.int64(traits[T.lightning]), np.int64(traits[T.fireball]))


@kernel
def own_share(state: State, seat: int) -> int:
    """Hands in cards only for the stone bridge, the hospital and, as the Wizards, their own demon."""
    demand = np.int64(state.at)
    if demand == s.DUE_J or demand == s.DUE_HOSPITAL or (demand == s.DUE_DEMON and seat == s.WZ):
        return steward_share(state, seat, demand)
    return np.int64(0)


@kernel
def offers(state: State, seat: int, kind: int) -> int:
    """Offers a Blank for Food or for an Attack card, whichever is missing."""
    wanted = s.FOOD if seat != s.WZ and state.hand[seat, s.FOOD] == 0 else s.ATTACK
    if kind == s.D_WANT:
        return legal_or_first(state, wanted + 1)
    if kind == s.D_GIVE:
        return legal_or_first(state, s.BLANK + 1)
    if state.hand[seat, s.BLANK] == 0 or state.hand[seat, wanted] > 0:
        return np.int64(0)
    return richest(state, seat)


@kernel
def presses(state: State, seat: int) -> int:
    """The Elves press about the Hair, the artefacts and the wolf; the Wizards about the tunnel and the wolf."""
    if seat == s.EL:
        for option in (3, 2, 1):
            if is_legal(state, option):
                return np.int64(option)
        return np.int64(0)
    for option in (2, 1):
        if is_legal(state, option):
            return np.int64(option)
    return np.int64(0)
