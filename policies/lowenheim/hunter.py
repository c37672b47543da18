"""A bot that concentrates its forces and kills."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.orders import hunter_order
from policies.lowenheim.steward import steward
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim.state import D_ORDER

T = trait_names(
    reach=Trait(6, 0, 30, "path distance at which intruders are hunted"),
    lightning=Trait(4, 1, 12, "intruders in a hex worth a Lightning Bolt"),
    fireball=Trait(3, 1, 12, "intruders in a hex worth a Fireball"),
)


@policy("lowenheim", traits=T)
def hunter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps its groups near its commander and hunts the nearest intruders."""
    if state.decision == D_ORDER:
        return hunter_order(state, knobs, cards, np.int64(traits[T.reach]))
    return steward(state, knobs, cards, np.int64(traits[T.lightning]), np.int64(traits[T.fireball]))
