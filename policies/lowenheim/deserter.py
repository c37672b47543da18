"""A bot whose Knight Eternal runs away."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.common_defence import defend
from policies.lowenheim.flight import leads_sigis, sigis_order
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim.state import D_BRUNHILDE, D_ORDER

T = trait_names(
    reach=Trait(8, 0, 30, "path distance at which a threatened place is helped"),
)


@policy("lowenheim", seats=["PG"], traits=T)
def deserter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Sigisbiduwald fetches Lady Brunhilde and leaves by the tunnel in any case; otherwise plays like the marshal."""
    if state.decision == D_ORDER and leads_sigis(state):
        return sigis_order(state, cards, True)
    if state.decision == D_BRUNHILDE:
        return np.int64(1)
    return defend(state, knobs, cards, np.int64(traits[T.reach]), np.int64(4), np.int64(3))
