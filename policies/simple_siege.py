"""Bots for Simple Siege (rule ledger, section 7). A bot sees what its seat sees: both piles, both deck sizes, the
walls, the counters, and the cards of its own deck that it knows from a Plan.

Chances are computed exactly (`chance`), so a threshold that is met exactly counts as met.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State, Trait, Traits, policy, trait_names
from simlab.games.simple_siege import state as s

_MOST, _SUMS = 5, 56  # most cards that a side may throw; possible sums of that many cards up to 11 each


def _count_sums() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Number of ways to throw a sum: [ace is 11][top value][number of cards][sum]; each value is equally likely."""
    ways = np.zeros((2, 11, _MOST + 1, _SUMS), np.int64)
    for ace in range(2):
        for top in range(6, 11):
            values = [11 if ace else 1, *range(2, top + 1)]
            ways[ace, top, 0, 0] = 1
            for number in range(1, _MOST + 1):
                for value in values:
                    ways[ace, top, number, value:] += ways[ace, top, number - 1, : _SUMS - value]
    return ways


_WAYS = _count_sums().ravel()
_AT_MOST = _count_sums().cumsum(axis=3).ravel()
_THROWS = np.arange(11.0)[:, None] ** np.arange(2 * _MOST + 1)  # ways to throw a number of cards
_SLACK = 1e-12  # far below 1 / 10^10, the smallest difference of two chances; above a threshold's rounding error


# --- What a seat can work out -------------------------------------------------


@small_kernel
def chance(knobs: Knobs, attackers: int, defenders: int, ahead: int) -> float:
    """P(n, m, d): the chance that the sum of n cards plus d exceeds the sum of m cards; all values are equally
    likely.
    """
    ace, top = np.int64(knobs.ace_value), np.int64(knobs.max_rank)
    table = (ace * 11 + top) * (_MOST + 1)
    ways, at_most = (table + attackers) * _SUMS, (table + defenders) * _SUMS
    good = np.int64(0)
    for total in range(max(attackers, 1 - ahead), attackers * (11 if ace else top) + 1):
        good += _WAYS[np.uint64(ways + total)] * _AT_MOST[np.uint64(at_most + min(total + ahead - 1, _SUMS - 1))]
    return good / _THROWS[top, attackers + defenders]


@small_kernel
def reaches(probability: float, threshold: float) -> bool:
    """Whether a chance is at least a threshold; equality counts."""
    return probability >= threshold - _SLACK


@small_kernel
def group_strength(state: State, cards: Cards, group: int) -> int:
    """Sum of the built modifiers of a group."""
    total = np.int64(0)
    for counter in range(s.COUNTERS):
        if state.built[counter] and cards.group[counter] == group:
            total += state.modifier[counter]
    return total


@small_kernel
def static_for(knobs: Knobs, static: int, defenders: int) -> int:
    """Static strength that counts with this number of defending cards (SS-CON-05)."""
    if defenders == 0 and not knobs.static_defence_when_declining:
        return 0
    return static


@small_kernel
def storm_chance(state: State, knobs: Knobs, cards: Cards, attackers: int, defenders: int) -> float:
    """Chance that an Assault succeeds with the assault counters in play against the current walls."""
    ahead = group_strength(state, cards, s.ASSAULT_GROUP) - static_for(knobs, np.int64(state.walls), defenders)
    return chance(knobs, attackers, defenders, ahead)


@kernel
def black_in_pile(state: State, side: int) -> int:
    number = 0
    for i in range(state.pile_len[side]):
        suit = state.pile[side, i] // 10
        if suit != s.HEARTS and suit != s.DIAMONDS:
            number += 1
    return number


@kernel
def heart_share(state: State, knobs: Knobs, side: int) -> float:
    """Share of Hearts in a seat's own deck, worked out from its pile."""
    hearts = np.int64(knobs.max_rank)
    for i in range(state.pile_len[side]):
        if state.pile[side, i] // 10 == s.HEARTS:
            hearts -= 1
    return hearts / max(np.int64(state.deck_len[side]), 1)


@kernel
def known_card(state: State, side: int, place: int) -> int:
    """A card that the seat knows on top of the deck, by its place; 0 is the top card."""
    return np.int64(state.deck[side, state.deck_len[side] - 1 - place])


@kernel
def worth(knobs: Knobs, card: int) -> int:
    """SS-SET-03."""
    value = card % 10 + 1
    if value == 1 and knobs.ace_value == 1:
        return 11
    return value


# --- Shared answers -----------------------------------------------------------

STORM_STACK = 3  # number of that ready-made order of a Plan
SAFE_FROM_STORM = 0.02  # a chance of an Assault that a defender accepts
WALLS_AT_STAKE = COUNTER_AT_STAKE = np.int64(
    3
)  # in cards: the worth of a point of the walls, or of a counter, to its owner
ENOUGH_BLACK = 5  # black cards in the pile worth a Resupply or Rationing: about what a Heart brings back
LAST_THROW = 4  # cards left at which a Besieger who is behind storms at any odds: nothing better is left
STACK_FIRST, STACK_LAST = 1, 3  # positions of a storm stack's highest cards (section 4: ready-made orders)


@small_kernel
def is_legal(state: State, action: int) -> bool:
    for i in range(state.n_legal):
        if state.legal[i] == action:
            return True
    return False


@small_kernel
def answer(state: State, knobs: Knobs, cards: Cards) -> int:
    """The decisions that all bots share: defending, the size of an Assault, the counter to destroy, a Plan's order."""
    if state.decision == s.ASSAULT_SIZE:
        return np.int64(state.legal[state.n_legal - 1])
    if state.decision == s.DESTROY:
        return dearest_counter(state)
    if state.decision == s.PLAN_PICK:
        return storm_stack_pick(state, knobs)
    if state.decision == s.PLAN_MENU:
        return STORM_STACK
    if state.seat == s.BESIEGED and state.contest == s.STORM:
        return defend_assault(state, knobs, cards)
    return defend_contest(state, knobs, cards)


@small_kernel
def defend_assault(state: State, knobs: Knobs, cards: Cards) -> int:
    """The fewest cards that leave the Assault almost no chance; if none do, as many as possible."""
    attackers = np.int64(state.aside_len[s.BESIEGER])
    most = np.int64(state.n_legal - 1)
    for number in range(most + 1):
        if storm_chance(state, knobs, cards, attackers, number) <= SAFE_FROM_STORM + _SLACK:
            return number
    return most


@small_kernel
def defend_contest(state: State, knobs: Knobs, cards: Cards) -> int:
    """Draws a card if the saving that it brings on average is worth more than the card."""
    if state.n_legal < 2:
        return 0
    if state.seat == s.BESIEGED:
        attack = group_strength(state, cards, s.BOMBARD_GROUP)
        static = np.int64(state.walls)
        at_stake = np.int64(knobs.bombard_penalty) if state.contest == s.BOMBARD_ENEMY else WALLS_AT_STAKE
    else:
        attack = np.int64(0)
        static = group_strength(state, cards, s.CAMP_GROUP)
        at_stake = np.int64(knobs.sally_penalty) if state.contest == s.SALLY_ENEMY else COUNTER_AT_STAKE
    declined = chance(knobs, 1, 0, attack - static_for(knobs, static, 0))
    drawn = chance(knobs, 1, 1, attack - static)
    return 1 if at_stake * (declined - drawn) > 1.0 + _SLACK else 0


@kernel
def dearest_counter(state: State) -> int:
    best = np.int64(state.legal[0])
    for i in range(state.n_legal):
        counter = np.int64(state.legal[i])
        if state.price[counter] > state.price[best]:
            best = counter
    return best


@kernel
def storm_stack_pick(state: State, knobs: Knobs) -> int:
    """Lowest card first, to pay the Assault's entry; then the three highest, high to low; then the rest, ascending."""
    side = np.int64(state.seat)
    placed = np.int64(state.plan_placed)
    top = np.int64(state.deck_len[side]) - 1 - placed
    best = 0
    best_rank = 0
    for pick in range(state.plan_cards - placed):
        value = worth(knobs, np.int64(state.deck[side, top - pick]))
        rank = value if STACK_FIRST <= placed <= STACK_LAST else -value
        if pick == 0 or rank > best_rank:
            best = pick
            best_rank = rank
    return best


@small_kernel
def whole_assault(knobs: Knobs) -> int:
    """Cards that a full Assault uses up: its entry and everything that may be thrown."""
    return np.int64(knobs.assault_entry_cost) + np.int64(knobs.assault_max_cards)


@small_kernel
def storm_now(state: State, knobs: Knobs, cards: Cards, threshold: float) -> bool:
    """The storm check: the odds are good enough, or it is the last throw."""
    if not is_legal(state, s.STORM):
        return False
    own, other = np.int64(state.deck_len[s.BESIEGER]), np.int64(state.deck_len[s.BESIEGED])
    most = np.int64(knobs.assault_max_cards)
    attackers = min(most, own - np.int64(knobs.assault_entry_cost))
    if reaches(storm_chance(state, knobs, cards, attackers, min(most, other)), threshold):
        return True
    return own <= LAST_THROW and own < other


@kernel
def build(state: State, first: int, second: int, third: int, fourth: int, fifth: int, sixth: int) -> int:
    """The first counter of the list that may be bought, as an action; -1 if none. Unused places are -1."""
    for counter in (first, second, third, fourth, fifth, sixth):
        if counter >= 0 and is_legal(state, s.CONSTRUCT + counter):
            return s.CONSTRUCT + counter
    return -1


@small_kernel
def walls_then_enemy(state: State) -> int:
    return s.BOMBARD_WALLS if is_legal(state, s.BOMBARD_WALLS) else s.BOMBARD_ENEMY


# --- Besieger -----------------------------------------------------------------

_STORM = Trait(0.60, 0.0, 1.0, "storms when the chance of an Assault is at least this")


def _keep(default: int) -> Trait:
    return Trait(default, 0, 40, "builds only while its deck holds more cards than this")


@policy("simple_siege")
def waiter(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Discards a card each turn and waits; defends like all other bots."""
    if state.decision == s.BESIEGER_ACTS or state.decision == s.BESIEGED_ACTS:
        return s.BESIEGE
    return answer(state, knobs, cards)


STARVER = trait_names(threshold=_STORM)


@policy("simple_siege", seats=["besieger"], traits=STARVER)
def starver(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Bombards the enemy until one deck runs out; storms only at good odds."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if storm_now(state, knobs, cards, traits[STARVER.threshold]):
        return s.STORM
    return s.BOMBARD_ENEMY


GUNNER = trait_names(threshold=_STORM, keep=_keep(12))


@policy("simple_siege", seats=["besieger"], traits=GUNNER)
def gunner(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds the bombard engines first, then bombards the enemy; storms only at good odds."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if storm_now(state, knobs, cards, traits[GUNNER.threshold]):
        return s.STORM
    if state.deck_len[s.BESIEGER] > traits[GUNNER.keep]:
        action = build(state, s.TREBUCHET, s.CATAPULT, s.AMMUNITION, -1, -1, -1)
        if action >= 0:
            return action
    return s.BOMBARD_ENEMY


ENGINEER = trait_names(threshold=_STORM, keep=_keep(8))


@policy("simple_siege", seats=["besieger"], traits=ENGINEER)
def engineer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds engines of both kinds, batters the walls down, storms at good odds."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if storm_now(state, knobs, cards, traits[ENGINEER.threshold]):
        return s.STORM
    if state.deck_len[s.BESIEGER] > traits[ENGINEER.keep]:
        action = build(state, s.TREBUCHET, s.CATAPULT, s.MINE, s.TOWER, s.LADDERS, s.AMMUNITION)
        if action >= 0:
            return action
    return walls_then_enemy(state)


RUSHER = trait_names(threshold=Trait(0.45, 0.0, 1.0, _STORM.help), keep=_keep(8))


@policy(
    "simple_siege",
    seats=["besieger"],
    traits=RUSHER,
)
def rusher(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds the assault counters and storms as soon as the odds are fair; batters the walls meanwhile."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if storm_now(state, knobs, cards, traits[RUSHER.threshold]):
        return s.STORM
    if state.deck_len[s.BESIEGER] > traits[RUSHER.keep]:
        action = build(state, s.MINE, s.TOWER, s.LADDERS, -1, -1, -1)
        if action >= 0:
            return action
    return walls_then_enemy(state)


@kernel
def known_storm_chance(state: State, knobs: Knobs, cards: Cards) -> float:
    """Chance of an Assault with the known cards after the entry, against as many unknown ones as the defender can
    draw."""
    thrown = np.int64(0)
    entry = np.int64(knobs.assault_entry_cost)
    for place in range(entry, entry + np.int64(knobs.assault_max_cards)):
        thrown += worth(knobs, known_card(state, s.BESIEGER, place))
    defenders = min(np.int64(knobs.assault_max_cards), np.int64(state.deck_len[s.BESIEGED]))
    ahead = thrown + group_strength(state, cards, s.ASSAULT_GROUP) - static_for(knobs, np.int64(state.walls), defenders)
    return chance(knobs, 0, defenders, ahead)


PLANNER = trait_names(
    threshold=Trait(0.45, 0.0, 1.0, _STORM.help),
    keep=_keep(8),
    known=Trait(0.5, 0.0, 1.0, "storms with known cards when the chance is at least this"),
    plan=Trait(10, 1, 40, "plans while its deck holds at least this many cards"),
)


@policy(
    "simple_siege",
    seats=["besieger"],
    traits=PLANNER,
)
def planner(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds the assault counters, plans its deck into a storm, and storms when the known cards are good enough."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if state.deck_len[s.BESIEGER] > traits[PLANNER.keep]:
        action = build(state, s.MINE, s.TOWER, s.LADDERS, -1, -1, -1)
        if action >= 0:
            return action
    if state.known_top[s.BESIEGER] >= whole_assault(knobs):
        if is_legal(state, s.STORM) and reaches(known_storm_chance(state, knobs, cards), traits[PLANNER.known]):
            return s.STORM
        return walls_then_enemy(state)
    if state.deck_len[s.BESIEGER] >= traits[PLANNER.plan]:
        return s.BGR_PLAN
    if storm_now(state, knobs, cards, traits[PLANNER.threshold]):
        return s.STORM
    return s.BOMBARD_ENEMY


STORMER = trait_names(keep=_keep(20))


@policy("simple_siege", seats=["besieger"], traits=STORMER)
def stormer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds Mine and Siege Tower, then assaults again and again at any odds."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if state.deck_len[s.BESIEGER] > traits[STORMER.keep]:
        action = build(state, s.MINE, s.TOWER, -1, -1, -1, -1)
        if action >= 0:
            return action
    return s.STORM if is_legal(state, s.STORM) else s.BESIEGE


QUARTERMASTER = trait_names(
    threshold=_STORM,
    keep=_keep(12),
    hearts=Trait(0.4, 0.0, 1.0, "resupplies when at least this share of its deck are Hearts"),
)


@policy(
    "simple_siege",
    seats=["besieger"],
    traits=QUARTERMASTER,
)
def quartermaster(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Guards the camp, builds engines, recovers black cards when it has many Hearts; bombards the enemy."""
    if state.decision != s.BESIEGER_ACTS:
        return answer(state, knobs, cards)
    if storm_now(state, knobs, cards, traits[QUARTERMASTER.threshold]):
        return s.STORM
    if state.deck_len[s.BESIEGER] > traits[QUARTERMASTER.keep]:
        action = build(state, s.CAMP_1, s.CAMP_2, s.TREBUCHET, s.CATAPULT, -1, -1)
        if action >= 0:
            return action
    if black_in_pile(state, s.BESIEGER) >= ENOUGH_BLACK and reaches(
        heart_share(state, knobs, s.BESIEGER), traits[QUARTERMASTER.hearts]
    ):
        return s.RESUPPLY
    return s.BOMBARD_ENEMY


# --- Besieged -----------------------------------------------------------------


@kernel
def sabotage(state: State, strength: int, enough: float) -> bool:
    """Whether a Sally against the equipment is possible and the counters are worth one."""
    return strength >= enough and is_legal(state, s.SALLY_EQUIPMENT)


_SABOTAGE = Trait(3, 0, 20, "sallies against the equipment when the built modifiers that count for it reach this")


@policy("simple_siege", seats=["besieged"])
def raider(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Sallies against the enemy every turn."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    return s.SALLY_ENEMY


SABOTEUR = trait_names(strength=_SABOTAGE)


@policy("simple_siege", seats=["besieged"], traits=SABOTEUR)
def saboteur(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Destroys engines once they are strong, otherwise sallies against the enemy."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    strength = group_strength(state, cards, s.ASSAULT_GROUP) + group_strength(state, cards, s.BOMBARD_GROUP)
    return s.SALLY_EQUIPMENT if sabotage(state, strength, traits[SABOTEUR.strength]) else s.SALLY_ENEMY


MASON = trait_names(walls=Trait(5, 0, 12, "repairs while the walls are below this plus the assault counters built"))


@policy(
    "simple_siege",
    seats=["besieged"],
    traits=MASON,
)
def mason(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Builds the walls up as the assault counters grow, otherwise sallies against the enemy."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    height = traits[MASON.walls] + group_strength(state, cards, s.ASSAULT_GROUP)
    return s.REPAIR if state.walls < height and is_legal(state, s.REPAIR) else s.SALLY_ENEMY


COOK = trait_names(hearts=Trait(0.2, 0.0, 1.0, "rations when at least this share of its deck are Hearts"))


@policy(
    "simple_siege",
    seats=["besieged"],
    traits=COOK,
)
def cook(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Rations when it has many Hearts and black cards in the pile, otherwise sallies against the enemy."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    if black_in_pile(state, s.BESIEGED) >= ENOUGH_BLACK and reaches(
        heart_share(state, knobs, s.BESIEGED), traits[COOK.hearts]
    ):
        return s.RATIONING
    return s.SALLY_ENEMY


STEWARD = trait_names(
    strength=_SABOTAGE,
    danger=Trait(0.3, 0.0, 1.0, "repairs when an Assault of three would succeed more often than this"),
    hearts=Trait(0.4, 0.0, 1.0, "rations when at least this share of its deck are Hearts"),
)


@policy(
    "simple_siege",
    seats=["besieged"],
    traits=STEWARD,
)
def steward(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Sabotages, repairs and rations, each when it is due; otherwise sallies against the enemy."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    if sabotage(state, group_strength(state, cards, s.ASSAULT_GROUP), traits[STEWARD.strength]):
        return s.SALLY_EQUIPMENT
    most = np.int64(knobs.assault_max_cards)
    danger = storm_chance(state, knobs, cards, most, most)
    if danger > traits[STEWARD.danger] + _SLACK and is_legal(state, s.REPAIR):
        return s.REPAIR
    if black_in_pile(state, s.BESIEGED) >= ENOUGH_BLACK and reaches(
        heart_share(state, knobs, s.BESIEGED), traits[STEWARD.hearts]
    ):
        return s.RATIONING
    return s.SALLY_ENEMY


WARDEN = trait_names(walls=Trait(7, 0, 12, "repairs while the walls are below this"), strength=_SABOTAGE)


@policy(
    "simple_siege",
    seats=["besieged"],
    traits=WARDEN,
)
def warden(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps the walls high, then sabotages assault counters, then sallies against the enemy."""
    if state.decision != s.BESIEGED_ACTS:
        return answer(state, knobs, cards)
    if state.walls < traits[WARDEN.walls] and is_legal(state, s.REPAIR):
        return s.REPAIR
    if sabotage(state, group_strength(state, cards, s.ASSAULT_GROUP), traits[WARDEN.strength]):
        return s.SALLY_EQUIPMENT
    return s.SALLY_ENEMY
