"""The steward's routine: decisions that all Lowenheim bots share (rule ledger, section 7.1)."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.lookout import (
    NOWHERE,
    able_in_contact,
    in_contact,
    nearest_by_air,
    nearest_intruders,
    ordinary_on_map,
)
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import commander_hex
from simlab.games.lowenheim.cards import blanks_for, other
from simlab.games.lowenheim.combat import fights_here, is_free
from simlab.games.lowenheim.demands import most_handed_in
from simlab.games.lowenheim.march import is_flyer
from simlab.games.lowenheim.upkeep import starving_key

EVERYBODY = np.int64(31)  # a permission mask
ORDINARY_TO_SPARE = 6  # with more ordinary figures than this, one goes to the mobile reserve
WATER_AT_HOME = 3
HUNT = 99  # any distance
# Surplus cards leave the hand in this order; the first five are also what an offer gives (LW-D05, LW-D24).
_LEAVE = np.array([5, 3, 1, 4, 0, 2], np.int64)  # B, W, P, H, A, F
_KEEP = np.array([2, 1, 2, 1, 1, 0], np.int64)  # A, P, F, W, H, B


@kernel
def is_legal(state: State, action: int) -> bool:
    for at in range(state.n_legal):
        if state.legal[at] == action:
            return True
    return False


@kernel
def last_legal(state: State) -> int:
    return np.int64(state.legal[state.n_legal - 1])


@kernel
def legal_or_first(state: State, action: int) -> int:
    """The action if it is legal, else the first legal one: a bot may be asked in positions that its own play never
    reaches."""
    return np.int64(action) if is_legal(state, action) else np.int64(state.legal[0])


@kernel
def up_to(state: State, n: int) -> int:
    """The largest offered number that is at most n; offered numbers are ascending."""
    best = np.int64(state.legal[0])
    for at in range(state.n_legal):
        if state.legal[at] <= n:
            best = np.int64(state.legal[at])
    return best


@kernel
def keeps(seat: int, kind: int) -> int:
    """Cards of a type that a faction wants to hold."""
    if kind == s.PEASANTS and seat == s.BR:
        return np.int64(2)
    if kind == s.FOOD and seat == s.WZ:
        return np.int64(0)
    if kind == s.BLANK and seat == s.CG:
        return np.int64(1)
    return np.int64(_KEEP[kind])


# --- The routine ----------------------------------------------------------------


@kernel
def steward(state: State, knobs: Knobs, cards: Cards, lightning: int, fireball: int) -> int:
    """Default decisions of every bot, except orders of groups.

    Args:
        lightning, fireball: number of figures in a hex from which the spell is worth casting.
    """
    kind = np.int64(state.decision)
    seat = np.int64(state.seat)
    if kind == s.D_FIGHT:
        return fights(state, knobs, cards, seat)
    if kind == s.D_COUNT:
        return last_legal(state)
    if kind == s.D_DISCARD or kind == s.D_CUT:
        return surplus(state, seat, kind == s.D_CUT)
    if kind == s.D_HAND_IN:
        return up_to(state, steward_share(state, seat, np.int64(state.at)))
    if kind == s.D_PARTNER or kind == s.D_GIVE or kind == s.D_WANT:
        return trades(state, seat, kind)
    if kind == s.D_ANSWER:
        return answers_offer(state, seat)
    if kind == s.D_BUILD:
        return barricades(state, cards, seat)
    if kind == s.D_MAGIC or kind == s.D_BATTLE_MAGIC:
        return shoots(state, cards, lightning, fireball)
    if kind == s.D_TARGET:
        return most_crowded(state)
    if kind == s.D_CANNON:
        return cannon_target(state)
    if kind == s.D_START:
        return most_pressed(state, cards)
    return rest(state, knobs, cards, seat, kind)


@kernel
def rest(state: State, knobs: Knobs, cards: Cards, seat: int, kind: int) -> int:
    if kind == s.D_PLAN:
        return np.int64(seat == s.CG)
    if kind == s.D_MASKS:
        if seat == s.EL:
            return EVERYBODY - 16  # not CA, the fifth of the others
        return EVERYBODY - 4 if seat == s.CA else EVERYBODY  # not EL, the third
    if kind == s.D_VOTE:
        return np.int64(seat == s.PG)
    if kind == s.D_CONFER:
        return delegate(state)
    if kind == s.D_PAY_PRESSURE:
        return legal_or_first(state, s.BLANK + 1)
    if kind == s.D_DISCHARGE:
        return np.int64(state.legal[min(np.int64(1), np.int64(state.n_legal) - 1)])
    if kind == s.D_FEED:
        return last_legal(state)  # pays a Blank at the well before Food, and Food before losing a figure
    if kind == s.D_STARVE:
        return least_missed(state, cards, seat)
    if kind == s.D_REGAIN:
        return np.int64(state.legal[1]) if state.n_legal > 1 and state.hand[seat, s.FOOD] > 1 else np.int64(0)
    if kind == s.D_WOLF:
        return wolf_card(state)
    if kind == s.D_QUENCH:
        return waters(state, cards, seat)
    if kind == s.D_RESERVE:
        return up_to(state, np.int64(ordinary_on_map(state, cards, seat) > ORDINARY_TO_SPARE))
    if kind == s.D_CREW:
        return last_legal(state) if seat == s.CG else np.int64(0)
    return np.int64(state.legal[0])


# --- Cards ----------------------------------------------------------------------


@kernel
def surplus(state: State, seat: int, must: bool) -> int:
    """LW-D05, LW-D30: a type above the number to keep; else nothing or, if a card must go, the type with the highest
    code.
    """
    highest = np.int64(0)
    for at in range(s.TYPES):
        kind = np.int64(_LEAVE[at])
        if np.int64(state.hand[seat, kind]) > keeps(seat, kind):
            return kind + 1
        if state.hand[seat, at] > 0:
            highest = np.int64(at) + 1
    if must:
        return legal_or_first(state, highest)
    return np.int64(0)


@kernel
def missing(state: State, seat: int) -> int:
    """The type that a faction lacks: Food first, then the types demanded; NOWHERE for none."""
    if seat != s.WZ and state.hand[seat, s.FOOD] == 0:
        return s.FOOD
    for demand in range(s.DUE_DEMON):
        if state.due[demand] > 0 and state.hand[seat, s.DEMAND_TYPE[demand]] == 0:
            return np.int64(s.DEMAND_TYPE[demand])
    return NOWHERE


@kernel
def given(state: State, seat: int, wanted: int) -> int:
    """A type of card, held at least twice, to give in an offer; NOWHERE for none."""
    for at in range(s.TYPES - 1):
        kind = np.int64(_LEAVE[at])
        if kind != wanted and state.hand[seat, kind] >= 2:
            return kind
    return NOWHERE


@kernel
def trades(state: State, seat: int, kind: int) -> int:
    """LW-D23 to LW-D25."""
    wanted = missing(state, seat)
    if kind == s.D_WANT:
        return legal_or_first(state, wanted + 1)
    gift = given(state, seat, wanted)
    if kind == s.D_GIVE:
        return legal_or_first(state, gift + 1)
    if wanted < 0 or gift < 0:
        return np.int64(0)
    return richest(state, seat)


@kernel
def richest(state: State, seat: int) -> int:
    """The option for the partner with the most cards, ties lowest seat."""
    best = np.int64(1)
    for option in range(2, s.FACTIONS):
        if state.held[other(seat, np.int64(option) - 1)] > state.held[other(seat, best - 1)]:
            best = np.int64(option)
    return best


@kernel
def answers_offer(state: State, seat: int) -> int:
    """LW-D26: accepts gifts; gives only cards above the number kept."""
    want = np.int64(state.want)
    if want == 0 or want - 1 == s.BLANK:
        return np.int64(1)
    return np.int64(np.int64(state.hand[seat, want - 1]) > keeps(seat, want - 1))


@kernel
def steward_share(state: State, seat: int, demand: int) -> int:
    """LW-D38: all but the last card of a type, and the last two Food; Blanks are not counted."""
    kind = np.int64(s.DEMAND_TYPE[demand])
    kept = np.int64(2) if kind == s.FOOD else np.int64(1)
    return max(np.int64(0), min(np.int64(state.due[demand]), np.int64(state.hand[seat, kind]) - kept))


@kernel
def whole_share(state: State, cards: Cards, seat: int, demand: int) -> int:
    """The marshal's share: all cards except the last Food and the Bretonnians' last Peasants."""
    kind = np.int64(s.DEMAND_TYPE[demand])
    held = np.int64(state.hand[seat, kind])
    if kind == s.FOOD:
        held = max(np.int64(0), held - 1)
    if kind == s.PEASANTS and seat == s.BR:
        held = max(np.int64(0), held - 1)
    if kind == s.FOOD or kind == s.WATER:
        held += blanks_for(state, cards, seat)
    return min(held, most_handed_in(state, cards, seat, demand))


# --- Fights and magic -----------------------------------------------------------


@kernel
def fights(state: State, knobs: Knobs, cards: Cards, seat: int) -> int:
    """LW-D22: fights wherever that costs nothing; pays a card for two able figures or one with several attacks."""
    h = np.int64(state.target)
    if is_free(state, cards, seat, h):
        return np.int64(1)
    heads = np.int64(0)
    f = np.int64(state.head[h])
    while f >= 0:
        if fights_here(state, f, seat):
            heads += 1
            if cards.shots[state.kind[f]] >= 2:
                return np.int64(1)
        f = np.int64(state.next[f])
    return np.int64(heads >= 2)


@kernel
def best_shot(state: State, cards: Cards, spell: int) -> int:
    """The most figures in any hex that the wizard can shoot at with a spell."""
    here = np.int64(state.hex[s.SEVERUS + np.int64(state.wizard)])
    reach = np.int64(cards.range[spell])
    most = np.int64(0)
    for h in range(cards.n_hexes):
        heads = np.int64(state.their_heads[h])
        if heads > most and cards.sees[here, h] == 1 and np.int64(cards.flight[here, h]) <= reach:
            most = heads
    return most


@kernel
def shoots(state: State, cards: Cards, lightning: int, fireball: int) -> int:
    """LW-D09, LW-D20: Lightning, or else Fireball, where enough intruders are together."""
    if is_legal(state, s.LIGHTNING + 1) and best_shot(state, cards, s.LIGHTNING) >= lightning:
        return s.LIGHTNING + 1
    if is_legal(state, s.FIREBALL + 1) and best_shot(state, cards, s.FIREBALL) >= fireball:
        return s.FIREBALL + 1
    return np.int64(0)


@kernel
def most_crowded(state: State) -> int:
    """The offered hex with the most intruders, ties lowest id."""
    best = np.int64(state.legal[0])
    for at in range(1, state.n_legal):
        if state.their_heads[state.legal[at]] > state.their_heads[best]:
            best = np.int64(state.legal[at])
    return best


@kernel
def cannon_target(state: State) -> int:
    """LW-D21: always shoots, at the hex with the most intruders."""
    best = np.int64(0)
    for at in range(state.n_legal):
        option = np.int64(state.legal[at])
        if option > 0 and (best == 0 or state.their_heads[option - 1] > state.their_heads[best - 1]):
            best = option
    return best


# --- Orders ---------------------------------------------------------------------


@kernel
def most_pressed(state: State, cards: Cards) -> int:
    """LW-D08: the seat with the most able figures in contact."""
    best = np.int64(0)
    most = np.int64(-1)
    for seat in range(s.FACTIONS):
        n = able_in_contact(state, cards, np.int64(seat))
        if n > most:
            most = n
            best = np.int64(seat)
    return best


@kernel
def hold(cards: Cards) -> int:
    return np.int64(cards.n_hexes)


@kernel
def towards(cards: Cards, target: int) -> int:
    """An order to a hex; hold for NOWHERE."""
    return hold(cards) if target < 0 else np.int64(target)


@kernel
def special_order(state: State, knobs: Knobs, cards: Cards, f: int, h: int) -> int:
    """Summoned, controlled and other special figures: to the nearest intruders; cannons hold where they have a
    target."""
    if is_flyer(knobs, f):
        return towards(cards, nearest_by_air(state, cards, h, np.int64(HUNT)))
    if s.FIRST_CANNON <= f < s.DEFENDERS and nearest_by_air(state, cards, h, np.int64(knobs.cannon_range)) >= 0:
        return hold(cards)
    return towards(cards, nearest_intruders(state, cards, h, np.int64(HUNT)))


# --- The rest -------------------------------------------------------------------


@kernel
def delegate(state: State) -> int:
    """LW-D06: a foot figure, else mounted, else the last character that is not the commander."""
    for option in (4, 3, 2, 1):
        if is_legal(state, option):
            return np.int64(option)
    return np.int64(state.legal[0])


@kernel
def least_missed(state: State, cards: Cards, seat: int) -> int:
    """LW-D33: the largest group that is not in contact, else the largest group; ties: the first in the list."""
    best = np.int64(0)
    value = np.int64(-1)
    for option in range(state.queue_len):
        first = np.int64(state.queue[option])
        key = starving_key(state, cards, first)
        heads = np.int64(0)
        for f in range(cards.first[seat], cards.last[seat] + 1):
            heads += np.int64(state.hex[f] >= 0 and starving_key(state, cards, np.int64(f)) == key)
        worth = heads + (np.int64(0) if in_contact(state, cards, np.int64(state.hex[first])) else np.int64(100))
        if worth > value:
            best = np.int64(option)
            value = worth
    return best


@kernel
def wolf_card(state: State) -> int:
    """LW-D35: Peasants if more than one, else Food, else the last Peasants."""
    peasants = np.int64(state.hand[s.BR, s.PEASANTS])
    if peasants > 1:
        return np.int64(2)
    if state.hand[s.BR, s.FOOD] > 0:
        return np.int64(1)
    return np.int64(2) if peasants > 0 else np.int64(0)


@kernel
def waters(state: State, cards: Cards, seat: int) -> int:
    """LW-D36: up to three cards at home and at the Temple; elsewhere one, if the faction has several."""
    h = np.int64(cards.fire_on[state.at])
    if h >= 0 and (np.int64(cards.place_of[h]) == seat or h == np.int64(cards.main[s.H])):
        return up_to(state, np.int64(WATER_AT_HOME))
    return up_to(state, np.int64(state.hand[seat, s.WATER] > 1))


@kernel
def barricades(state: State, cards: Cards, seat: int) -> int:
    """LW-D37: with Peasants to spare, builds towards intruders within 3 of the commander."""
    h = commander_hex(state, cards, seat)
    if h < 0 or state.hand[seat, s.PEASANTS] < 2:
        return np.int64(0)
    goal = nearest_intruders(state, cards, h, np.int64(3))
    if goal < 0:
        return np.int64(0)
    here = np.int64(cards.path[state.config, h, goal])
    for way in range(s.DIRECTIONS):
        there = np.int64(cards.beside[h, way])
        if there >= 0 and is_legal(state, way + 1) and np.int64(cards.path[state.config, there, goal]) < here:
            return np.int64(way) + 1
    return np.int64(0)
