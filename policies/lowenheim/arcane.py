"""Use every power at once."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.lookout import in_contact, nearest_by_air, nearest_intruders
from policies.lowenheim.orders import hunter_order, tower_in_danger
from policies.lowenheim.steward import is_legal, legal_or_first, most_crowded, shoots, steward
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim.state import (
    ALTAR_9,
    AMON,
    BOX_9,
    D_BATTLE_MAGIC,
    D_BOX,
    D_DIRECTION,
    D_MAGIC,
    D_ORDER,
    D_RITE,
    D_TARGET,
    D_WEAR,
    D_WOLF,
    FAR,
    HEAL,
    IN_9,
    JEAN_JACQUES,
    MINERVA,
    PEASANTS,
    SEVERUS,
    WIZARDS,
    WZ,
    D,
)

SIGHT = np.int64(4)  # of a Lightning Bolt
BEES_6, ENT_6 = 8, 9  # options of LW-D09
BEES_7, ENT_7 = 7, 8  # options of LW-D20
WOLF_REACH = 6
UPKEEP_AT_HAND = 2  # Peasants in hand at which the Altar is used

T = trait_names(
    reach=Trait(6, 0, 30, "path distance at which intruders are hunted"),
    shots=Trait(2, 1, 12, "intruders in a hex worth a Lightning Bolt or a Fireball"),
)


@policy("lowenheim", traits=T)
def arcane(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Uses every power at once: spells, artefacts, the werewolf, the Silver Hair; else a hunter."""
    kind = np.int64(state.decision)
    shots = np.int64(traits[T.shots])
    if kind == D_ORDER:
        return hunter_order(state, knobs, cards, np.int64(traits[T.reach]))
    if kind == D_MAGIC or kind == D_BATTLE_MAGIC:
        return works_magic(state, cards, kind, shots)
    if kind == D_TARGET:
        return target(state, cards)
    if kind == D_DIRECTION:
        return direction(state, cards)
    if kind == D_WEAR:
        return wears(state, cards)
    if kind == D_BOX:
        return np.int64(box_is_needed(state, cards))
    if kind == D_RITE:
        return np.int64(1)
    if kind == D_WOLF and nearest_intruders(state, cards, np.int64(state.hex[JEAN_JACQUES]), np.int64(WOLF_REACH)) >= 0:
        return np.int64(0)
    return steward(state, knobs, cards, shots, shots)


@kernel
def works_magic(state: State, cards: Cards, kind: int, shots: int) -> int:
    """Amon takes the Box, Severus summons the demon; then Lightning, Fireball, Teleporter, Bees, an Ent, Healing."""
    wizard = SEVERUS + np.int64(state.wizard)
    if kind == D_MAGIC:
        if wizard == AMON and is_legal(state, BOX_9):
            return BOX_9
        if wizard == SEVERUS and is_legal(state, ALTAR_9) and state.hand[WZ, PEASANTS] >= UPKEEP_AT_HAND:
            return ALTAR_9
    shot = shoots(state, cards, shots, shots)
    if shot > 0:
        return shot
    if kind == D_MAGIC:
        if is_legal(state, IN_9) and tower_in_danger(state, cards):
            return IN_9
        if is_legal(state, BEES_6):
            return np.int64(BEES_6)
        if is_legal(state, ENT_6):
            return np.int64(ENT_6)
    else:
        if is_legal(state, BEES_7):
            return np.int64(BEES_7)
        if is_legal(state, ENT_7):
            return np.int64(ENT_7)
    return legal_or_first(state, HEAL + 1)


@kernel
def target(state: State, cards: Cards) -> int:
    """The most crowded hex; for the Teleporter the group farthest from any intruder."""
    if np.int64(state.spell) != IN_9:
        return most_crowded(state)
    best = np.int64(state.legal[0])
    farthest = np.int64(-1)
    for at in range(state.n_legal):
        h = np.int64(state.legal[at])
        nearest = nearest_intruders(state, cards, h, FAR)
        distance = FAR if nearest < 0 else np.int64(cards.path[state.config, h, nearest])
        if distance > farthest:
            farthest = distance
            best = h
    return best


@kernel
def direction(state: State, cards: Cards) -> int:
    """Summoned creatures appear on the side where the nearest intruders are."""
    h = np.int64(state.hex[SEVERUS + np.int64(state.wizard)])
    goal = nearest_by_air(state, cards, h, FAR)
    best = np.int64(state.legal[0])
    nearest = FAR
    for at in range(state.n_legal):
        there = np.int64(cards.beside[h, state.legal[at]])
        if goal >= 0 and there >= 0 and np.int64(cards.flight[there, goal]) < nearest:
            nearest = np.int64(cards.flight[there, goal])
            best = np.int64(state.legal[at])
    return best


@kernel
def wears(state: State, cards: Cards) -> int:
    """Minerva, unless there is something to shoot at from the tower."""
    tower = np.int64(cards.main[D])
    for h in range(cards.n_hexes):
        if state.their_heads[h] > 0 and cards.sees[tower, h] == 1 and np.int64(cards.flight[tower, h]) <= SIGHT:
            return np.int64(0)
    return legal_or_first(state, MINERVA - SEVERUS + 1)


@kernel
def box_is_needed(state: State, cards: Cards) -> bool:
    """Whether defenders within 1 of the bearer are in contact."""
    at = np.int64(state.box_at)
    if at < 1 or at > WIZARDS:
        return False
    bearer = np.int64(state.hex[SEVERUS + at - 1])
    for h in range(cards.n_hexes):
        if np.int64(cards.flight[bearer, h]) <= 1 and state.our_heads[h] > 0 and in_contact(state, cards, np.int64(h)):
            return True
    return False
