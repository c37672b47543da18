"""A bot that uses every power at once."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.lookout import in_contact, nearest_by_air, nearest_intruders
from policies.lowenheim.orders import hunter_order, tower_in_danger
from policies.lowenheim.steward import is_legal, legal_or_first, most_crowded, shoots, steward
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.lowenheim import state as s

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
    """Uses every power at once: spells, artefacts, the werewolf, the Silver Hair; otherwise plays like the hunter."""
    kind = np.int64(state.decision)
    shots = np.int64(traits[T.shots])
    if kind == s.D_ORDER:
        return hunter_order(state, knobs, cards, np.int64(traits[T.reach]))
    if kind == s.D_MAGIC or kind == s.D_BATTLE_MAGIC:
        return works_magic(state, cards, kind, shots)
    if kind == s.D_TARGET:
        return target(state, cards)
    if kind == s.D_DIRECTION:
        return direction(state, cards)
    if kind == s.D_WEAR:
        return wears(state, cards)
    if kind == s.D_BOX:
        return np.int64(box_is_needed(state, cards))
    if kind == s.D_RITE:
        return np.int64(1)
    if (
        kind == s.D_WOLF
        and nearest_intruders(state, cards, np.int64(state.hex[s.JEAN_JACQUES]), np.int64(WOLF_REACH)) >= 0
    ):
        return np.int64(0)
    return steward(state, knobs, cards, shots, shots)


@kernel
def works_magic(state: State, cards: Cards, kind: int, shots: int) -> int:
    """Amon takes the Box, Severus summons the demon; then Lightning, Fireball, Teleporter, Bees, an Ent, Healing."""
    wizard = s.SEVERUS + np.int64(state.wizard)
    if kind == s.D_MAGIC:
        if wizard == s.AMON and is_legal(state, s.BOX_9):
            return s.BOX_9
        if wizard == s.SEVERUS and is_legal(state, s.ALTAR_9) and state.hand[s.WZ, s.PEASANTS] >= UPKEEP_AT_HAND:
            return s.ALTAR_9
    shot = shoots(state, cards, shots, shots)
    if shot > 0:
        return shot
    if kind == s.D_MAGIC:
        if is_legal(state, s.IN_9) and tower_in_danger(state, cards):
            return s.IN_9
        if is_legal(state, BEES_6):
            return np.int64(BEES_6)
        if is_legal(state, ENT_6):
            return np.int64(ENT_6)
    else:
        if is_legal(state, BEES_7):
            return np.int64(BEES_7)
        if is_legal(state, ENT_7):
            return np.int64(ENT_7)
    return legal_or_first(state, s.HEAL + 1)


@kernel
def target(state: State, cards: Cards) -> int:
    """The most crowded hex or, for the Teleporter, the group farthest from any intruder."""
    if np.int64(state.spell) != s.IN_9:
        return most_crowded(state)
    best = np.int64(state.legal[0])
    farthest = np.int64(-1)
    for at in range(state.n_legal):
        h = np.int64(state.legal[at])
        nearest = nearest_intruders(state, cards, h, s.FAR)
        distance = s.FAR if nearest < 0 else np.int64(cards.path[state.config, h, nearest])
        if distance > farthest:
            farthest = distance
            best = h
    return best


@kernel
def direction(state: State, cards: Cards) -> int:
    """Summoned creatures appear on the side where the nearest intruders are."""
    h = np.int64(state.hex[s.SEVERUS + np.int64(state.wizard)])
    goal = nearest_by_air(state, cards, h, s.FAR)
    best = np.int64(state.legal[0])
    nearest = s.FAR
    for at in range(state.n_legal):
        there = np.int64(cards.beside[h, state.legal[at]])
        if goal >= 0 and there >= 0 and np.int64(cards.flight[there, goal]) < nearest:
            nearest = np.int64(cards.flight[there, goal])
            best = np.int64(state.legal[at])
    return best


@kernel
def wears(state: State, cards: Cards) -> int:
    """Minerva, unless there is something to shoot at from the tower."""
    tower = np.int64(cards.main[s.D])
    for h in range(cards.n_hexes):
        if state.their_heads[h] > 0 and cards.sees[tower, h] == 1 and np.int64(cards.flight[tower, h]) <= SIGHT:
            return np.int64(0)
    return legal_or_first(state, s.MINERVA - s.SEVERUS + 1)


@kernel
def box_is_needed(state: State, cards: Cards) -> bool:
    """Whether defenders within distance 1 of the bearer are in contact."""
    at = np.int64(state.box_at)
    if at < 1 or at > s.WIZARDS:
        return False
    bearer = np.int64(state.hex[s.SEVERUS + at - 1])
    for h in range(cards.n_hexes):
        if np.int64(cards.flight[bearer, h]) <= 1 and state.our_heads[h] > 0 and in_contact(state, cards, np.int64(h)):
            return True
    return False
