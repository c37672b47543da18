"""A bot whose factions all keep their own house."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.orders import garrison_order
from policies.lowenheim.steward import steward
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim.state import D_ORDER

T = trait_names(
    reach=Trait(5, 0, 30, "path distance from home at which intruders are met"),
    lightning=Trait(4, 1, 12, "intruders in a hex worth a Lightning Bolt"),
    fireball=Trait(3, 1, 12, "intruders in a hex worth a Fireball"),
)


@policy("lowenheim", traits=T)
def garrison(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps its own house: goes out only to intruders near home."""
    if state.decision == D_ORDER:
        return garrison_order(state, knobs, cards, np.int64(traits[T.reach]))
    return steward(state, knobs, cards, np.int64(traits[T.lightning]), np.int64(traits[T.fireball]))
