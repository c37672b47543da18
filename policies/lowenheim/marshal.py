"""Common defence, as the briefings of the City Guard and the Elves demand."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.common_defence import defend
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names

T = trait_names(
    reach=Trait(8, 0, 30, "path distance at which a threatened place is helped"),
    lightning=Trait(4, 1, 12, "intruders in a hex worth a Lightning Bolt"),
    fireball=Trait(3, 1, 12, "intruders in a hex worth a Fireball"),
)


@policy("lowenheim", traits=T)
def marshal(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Common defence: groups go where the threat is highest, cards go wherever the city needs them."""
    return defend(
        state, knobs, cards, np.int64(traits[T.reach]), np.int64(traits[T.lightning]), np.int64(traits[T.fireball])
    )
