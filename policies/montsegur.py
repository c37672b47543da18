"""Bots for Montségur (rule ledger, section 7). A bot sees the board, its own hand and its own stack.

All but `random` share the same measures: what an event is worth to a side (`event_worth`), what an action is worth
(`points_worth`), the best attack. `value` plays the highest of them; the others go through a list of their own
first and play like `value` where no line of it fits. A plan holds card, use, action, edge and force together; since a
bot has no memory, it is made anew at each decision of the play, with the card in play back in the hand.

Values closer than 1e-9 are equal; then the option of the lower number is taken.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from simlab.engine.jit import kernel, small_kernel
from simlab.game import Array, Cards, Knobs, State, Trait, Traits, policy
from simlab.games.montsegur.actions import (
    scouts_bought,
    sneak_through,
    unsettled,
)
from simlab.games.montsegur.board import (
    attack_edges,
    bonus_met,
    centre,
    controlled,
    defence_bonus,
    edges_between,
    flanking,
    joined,
    least_crusaders,
    lowest,
    room,
)
from simlab.games.montsegur.deck import card_cp, card_program, card_symbols
from simlab.games.montsegur.effects import (
    CTRL,
    END,
    IF,
    JUMP,
    OP_A,
    OP_ADV,
    OP_ADV_STEAL,
    OP_ASPIRE,
    OP_ATTACK,
    OP_B,
    OP_BF_KILL,
    OP_BF_RECOVER,
    OP_BOOST,
    OP_BROKEN_LINE,
    OP_C,
    OP_CAPTURE,
    OP_CAT_MORALE,
    OP_CAVES,
    OP_CODE,
    OP_CONVERT,
    OP_CRU_MORALE,
    OP_DISCARD,
    OP_DRAW,
    OP_ESCAPE,
    OP_ESCAPE_MOD,
    OP_EW_PLUS,
    OP_FAITH,
    OP_FOOD,
    OP_GRAIL,
    OP_KIND,
    OP_LEAD,
    OP_MUSTER,
    OP_NO_ATTACK,
    OP_PATH_LESS,
    OP_READY,
    OP_REDEPLOY,
    OP_REINF,
    OP_REINF_MOD,
    OP_REPENT,
    OP_RESCUE,
    OP_RING,
    OP_ROUT,
    OP_SCOUT,
    OP_SCOUT_LOSS,
    OP_STRIKE,
    OP_TREBUCHET,
    OP_WHO,
    ROLE_BOTH,
    ROLE_CRU,
)
from simlab.games.montsegur.events import holds, number, role_side
from simlab.games.montsegur.state import (
    ALL_LOCATIONS,
    ATTACK,
    BOOST,
    CAT,
    CC,
    CONSOLE,
    CRE,
    CROSS,
    CRU,
    D_ACTION,
    D_DESERT,
    D_EDGE,
    D_FORCE,
    D_INIT,
    D_PLAY,
    D_PREEMPT,
    D_REDEP_PICK,
    D_REDEP_SET,
    D_REDRAW,
    D_RING,
    D_STRATEGY,
    D_STRIKE,
    D_TRIGGER,
    DECLINE_ATTACK,
    DOVE,
    ESCAPE,
    EW,
    HAND_MAX,
    LAST_REPENTANCE,
    LOCATIONS,
    MAX_FORCE,
    MC,
    NE,
    NO_CARD,
    NP,
    NUMBERS,
    ONE,
    PLAY_COMMANDER,
    PLAY_CP,
    RDT,
    REDEPLOY,
    REINFORCE,
    REPENTANCE,
    SCOUT,
    SE,
    SP,
    STOP_PICKING,
    WP,
    WW,
    ZERO,
    numbers,
)

VALUE, PEACE, EXODUS, FAITHFUL, CREST, RING, STORM, INQUISITION = numbers(0, 8)  # styles
EVENT = np.int64(7)  # in the place of an action: the card is played as an event
COMMANDER, NONE = np.int64(100), np.int64(-1)  # in the place of a hand slot
NEVER = -1e9
_CLOSE = 1e-9

UNKNOWN = -1.0

#: What a bot works out once a decision. It is a record in an array of its own: a record passes between kernels as a
#: bare address, an array would be counted at every call. The array has to outlive it: hence `kept` at the end.
MEMO = np.dtype(
    [
        ("on_path", np.int64),  # Crusaders on the Cathars' best way
        ("on_path_bare", np.int64),  # likewise, before path_less
        ("need", np.int64),  # perfects lacking: Faith will drop when above 0
        ("markers", np.int64),  # own, those just spent on preempting put back
        ("spread", np.float64),  # soldiers that a Redeploy could use; UNKNOWN until asked for
        ("near", np.int64),  # mask: controlled and joined to the own command centre, itself left out
        ("attacks_known", np.int64),
        ("score", np.float64, (MAX_FORCE + 1,)),  # by points: the best attack, its edge and force
        ("edge", np.int64, (MAX_FORCE + 1,)),
        ("force", np.int64, (MAX_FORCE + 1,)),
        ("worth", np.float64, (MAX_FORCE + 1,)),  # by points: the best action, -1 until asked for
        ("action", np.int64, (MAX_FORCE + 1,)),
        ("hand", np.int64, (HAND_MAX + 1,)),  # with the card in play back in it
        ("held", np.int64),
        ("commander", np.int64),  # whether it is there to be played
    ],
    align=True,
)
Memo: TypeAlias = Any


# --- Chances and counts ---------------------------------------------------------------


@kernel
def chance(state: State, side: int, base: int, limit: int) -> float:
    """Chance that the next token, of those in the bag, makes a check of a side succeed."""
    bag = np.int64(state.bag)
    good = (bag >> (DOVE if side == CAT else CROSS)) & 1
    left = ((bag >> DOVE) & 1) + ((bag >> CROSS) & 1)
    for token in range(NUMBERS):  # no branch: which tokens are left is hard to foretell
        there = (bag >> token) & 1
        left += there
        good += there & np.int64(base + state.token_value[side, token] > limit)
    return good / left


@small_kernel
def lead_chance(state: State, knobs: Knobs, side: int, points: int) -> float:
    return chance(state, side, points + np.int64(state.lead[side]), np.int64(knobs.leadership_threshold))


@small_kernel
def escape_chance(state: State, memo: Memo, points: int) -> float:
    if memo["on_path"] == 0:
        return 1.0
    return chance(state, CAT, points + np.int64(state.escape_mod), np.int64(memo["on_path"]))


@small_kernel
def gets_through(state: State, knobs: Knobs, memo: Memo, points: int, less: int) -> int:
    """Cathar soldiers that so many reinforcement points bring in now."""
    arriving = max(0, points + np.int64(state.reinf_mod[CAT]))
    return sneak_through(knobs, arriving, max(0, np.int64(memo["on_path"]) - less))


@kernel
def begin_memo(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> None:
    """What every measure needs; the rest is worked out when asked for."""
    bare = least_crusaders(state, cards)
    memo["on_path"] = max(np.int64(0), bare - np.int64(state.path_less))
    memo["on_path_bare"] = bare
    memo["need"] = np.int64(state.faith) - np.int64(state.montsegur) - min(np.int64(state.aspiring), 1)
    memo["spread"] = UNKNOWN
    memo["attacks_known"] = 0
    for points in range(MAX_FORCE + 1):
        memo["action"][points] = -1


@small_kernel
def kept(answer: int, scratch: Array) -> int:
    """The answer; names the memo's array once more, so that it is not given back before."""
    return answer if scratch.size > 0 else 0


# --- Attacks ----------------------------------------------------------------------------


def _prizes() -> Array:
    """What it is worth to hold a location: by side and location."""
    prizes = np.full((2, LOCATIONS), 0.5)
    prizes[CAT] = -1.0
    for place, cathar, crusader in ((MC, 100.0, 100.0), (CC, 100.0, 100.0), (CRE, 2.0, 3.0), (WW, 2.0, 2.5),
                                    (EW, 2.0, 2.5), (RDT, 1.0, 1.0)):  # fmt: skip
        prizes[:, place] = cathar, crusader
    return prizes


_PRIZE = _prizes()


@kernel
def conquerors(state: State, knobs: Knobs, cards: Cards, side: int, edge: int, force: int, less: int, bare: int) -> int:
    """Attackers that would be left to take the location."""
    defenders = np.int64(state.soldiers[1 - side, cards.edge_to[edge]]) - flanking(state, knobs, cards, side, edge)
    return max(0, force - bonus_met(state, knobs, cards, side, edge, less, bare) - defenders)


@small_kernel
def attack_score(state: State, side: int, place: int, force: int, bonus: int, off: int, style: int) -> float:
    """Score of an attack with a force that meets a defence bonus after flanking has drawn `off` defenders."""
    lost = min(force, bonus)
    fallen = min(force - lost, np.int64(state.soldiers[1 - side, place]) - off)
    left = force - lost - fallen
    lost += fallen
    fallen += off
    score = 0.3 * fallen - 1.0 * lost if side == CAT else 1.0 * fallen - 0.35 * lost
    if left > 0:
        score += _PRIZE[side, place]
    if side == CAT and state.soldiers[CAT, MC] == force and not (left > 0 and place == CC):
        score -= 2.0
    if style == PEACE:
        score -= 3.0
    elif style == RING and spared_by_ring(state, place, left):
        return NEVER
    return score


@small_kernel
def spared_by_ring(state: State, place: int, left: int) -> bool:
    """RING attacks no Cathar location but the Crest, and that only to stand there with 3 or more."""
    if state.soldiers[CAT, place] == 0 and place != MC:
        return False
    return place != CRE or min(left, room(state, place)) < 3


@kernel
def best_attack(
    state: State,
    knobs: Knobs,
    cards: Cards,
    side: int,
    points: int,
    less: int,
    bare: int,
    at: int,
    style: int,
) -> tuple[float, int, int]:
    """Score, edge and force of the best attack; NEVER without one. Equal: fewer soldiers, then the lower edge."""
    best, best_edge, best_force = NEVER, NONE, 0
    most = min(points, np.int64(state.soldiers[side, centre(side)]), MAX_FORCE)
    if most > 0 and not state.no_attack:
        edges = attack_edges(state, cards, side, at)
        while edges:
            edge = lowest(edges)
            edges &= edges - 1
            place = cards.edge_to[edge]
            off = flanking(state, knobs, cards, side, edge)
            bonus = bonus_met(state, knobs, cards, side, edge, less, bare)
            top = top_force(state, knobs, cards, side, edge, most, bonus)
            for force in range(1, min(top, enough(state, side, place, bonus, off, style)) + 1):
                score = attack_score(state, side, place, force, bonus, off, style)
                if score > best + _CLOSE or (score > best - _CLOSE and force < best_force):
                    best, best_edge, best_force = score, edge, force
    return best, best_edge, best_force


@small_kernel
def top_force(state: State, knobs: Knobs, cards: Cards, side: int, edge: int, most: int, bonus: int) -> int:
    """The largest force allowed (MS-ATK-08 under `limit_force`)."""
    if knobs.surplus_conquerors == 1:
        place = cards.edge_to[edge]
        defenders = np.int64(state.soldiers[1 - side, place]) - flanking(state, knobs, cards, side, edge)
        return max(1, min(most, room(state, place) + bonus + defenders))
    return most


@small_kernel
def enough(state: State, side: int, place: int, bonus: int, off: int, style: int) -> int:
    """The force that takes a location and no more: a larger one scores no higher. RING wants three to stand there."""
    taking = bonus + np.int64(state.soldiers[1 - side, place]) - off + 1
    return taking + 2 if style == RING else taking


@kernel
def work_out_attacks(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> None:
    """The best attack for every number of points, into the memo."""
    if memo["attacks_known"]:
        return
    memo["attacks_known"] = 1
    own = controlled(state, side)
    own_centre = np.int64(1) << centre(side)
    memo["near"] = own & joined(state, cards, side, centre(side)) & ~own_centre
    limit = MAX_FORCE if state.decision == D_PLAY else min(np.int64(state.cp), MAX_FORCE)  # what is in play is known
    for force in range(1, limit + 1):
        memo["score"][force] = NEVER
        memo["edge"][force] = NONE
        memo["force"][force] = force
    most = min(np.int64(state.soldiers[side, centre(side)]), limit)
    if most == 0 or state.no_attack:
        return
    edges = edges_between(state, cards, side, memo["near"] | own_centre, ALL_LOCATIONS & ~own)
    unopposed = np.int64(0)
    while edges:
        edge = lowest(edges)
        edges &= edges - 1
        place = cards.edge_to[edge]
        off = flanking(state, knobs, cards, side, edge)
        bonus = bonus_met(state, knobs, cards, side, edge, ZERO, ZERO)
        if bonus == 0:  # by whatever edge: the first will do
            if (unopposed >> place) & 1:
                continue
            unopposed |= np.int64(1) << place
        top = top_force(state, knobs, cards, side, edge, most, bonus)
        for force in range(1, min(top, enough(state, side, place, bonus, off, style)) + 1):
            score = attack_score(state, side, place, force, bonus, off, style)
            if score > memo["score"][force] + _CLOSE:
                memo["score"][force] = score
                memo["edge"][force] = edge
    for force in range(2, limit + 1):  # from here on by points: the best force among those it pays for
        if memo["score"][force] <= memo["score"][force - 1] + _CLOSE:
            memo["score"][force] = memo["score"][force - 1]
            memo["edge"][force] = memo["edge"][force - 1]
            memo["force"][force] = memo["force"][force - 1]


# --- What an event is worth -----------------------------------------------------------------


@kernel
def event_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, player: int, style: int) -> float:
    """V(card, W): worth in points of the event if a side resolves it now. `style` shapes that side's own attacks."""
    at = card_program(knobs, cards, card)
    total = 0.0
    weight = 1.0
    until = -1
    while True:
        if at == until:
            weight = 1.0
        code = np.int64(cards.op[at, OP_CODE])
        if code == END:
            return total
        if code == JUMP or (code == IF and not holds(state, cards, at)):
            at = np.int64(cards.op[at, OP_B])
            continue
        if code == OP_REPENT:
            weight = chance(state, CRU, np.int64(knobs.repent_base), np.int64(state.faith))
            until = np.int64(cards.op[at, OP_B])
        elif code != IF:
            n = number(state, knobs, cards, card, at)
            total += weight * op_worth(state, knobs, cards, memo, at, code, n, player, style)
        at += 1


@kernel
def op_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, at: int, code: int, n: int, player: int, style: int
) -> float:
    """Worth of one op to the side that resolves it."""
    cathar = 1.0 if player == CAT else -1.0
    if code <= OP_TREBUCHET:
        return cathar * track_worth(state, knobs, code, n)
    role = np.int64(cards.op[at, OP_WHO])
    side = role_side(player, role)
    helps = 1.0 if side == player else -1.0
    if code < OP_BOOST:
        return cathar * faith_worth(state, memo, code, n, style)
    if code == OP_BOOST:
        if state.morale[side] >= knobs.track_max:
            return 0.0
        return helps * 3.0 * lead_chance(state, knobs, side, n)
    if code == OP_BF_RECOVER and role == ROLE_BOTH:
        own = min(n, np.int64(state.battlefield[player]))
        return 0.5 * (own - min(n, np.int64(state.battlefield[1 - player])))
    if code <= OP_REDEPLOY:
        own_style = style if side == player else VALUE
        return helps * soldier_worth(state, knobs, cards, memo, at, code, n, side, own_style)
    if code <= OP_DISCARD:
        return helps * headquarters_worth(state, code, n, side)
    return lasting_worth(state, code, n, side, helps, cathar)


@kernel
def track_worth(state: State, knobs: Knobs, code: int, n: int) -> float:
    """To the Cathars; steps that really happen."""
    if code == OP_CAT_MORALE:
        return 3.5 * steps(knobs, np.int64(state.morale[CAT]), n)
    if code == OP_CRU_MORALE:
        return -3.5 * steps(knobs, np.int64(state.morale[CRU]), n)
    if code == OP_FOOD:
        return 3.3 * steps(knobs, np.int64(state.food), n)
    if code == OP_FAITH:
        return 3.5 * steps(knobs, np.int64(state.faith), n)
    return -3.0 * n if n > 0 else 3.0 * min(-n, np.int64(state.trebuchets))


@small_kernel
def steps(knobs: Knobs, now: int, by: int) -> int:
    return min(max(now + by, 0), max(np.int64(knobs.track_max), now)) - now


@kernel
def faith_worth(state: State, memo: Memo, code: int, n: int, style: int) -> float:
    """To the Cathars."""
    if code == OP_ASPIRE:
        total = 0.0
        for cube in range(n):
            total += 2.5 if state.aspiring + cube < 2 else 0.5
        return total
    if code == OP_CAPTURE:
        return -5.0 * min(n, np.int64(state.montsegur))
    if code == OP_RESCUE:
        return 4.0 * min(n, np.int64(state.captured))
    if code == OP_CONVERT:
        return -5.0 * min(n, np.int64(state.captured))
    if would_escape(state, memo, n, style):
        return 5.0 * (escape_chance(state, memo, n) - 0.35)
    return 0.0


@small_kernel
def would_escape(state: State, memo: Memo, points: int, style: int) -> bool:
    """D_ESCAPE_OPT of all bots."""
    if state.montsegur < 2:
        return False
    odds = escape_chance(state, memo, points)
    return odds >= 0.35 - _CLOSE if style == EXODUS else odds > 0.4 + _CLOSE


@kernel
def soldier_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, at: int, code: int, n: int, side: int, style: int
) -> float:
    """To the side that the op names."""
    if code == OP_REINF:
        if side == CAT:
            return 1.5 * gets_through(state, knobs, memo, n, np.int64(cards.op[at, OP_A]))
        return 1.0 * max(0, n + np.int64(state.reinf_mod[CRU]))
    if code == OP_MUSTER:
        return (1.5 if side == CAT else 0.8) * n
    if code == OP_RING:
        space = 0
        for place in range(LOCATIONS):
            if (cards.perimeter >> place) & 1 and state.soldiers[CRU, place] > 0:
                space += max(0, np.int64(state.capacity[place]) - np.int64(state.soldiers[CRU, place]))
        # the op names nobody, so `side` is the player: turned round for a Cathar player
        return (0.9 if side == CRU else -0.9) * min(n, space)
    if code == OP_BF_KILL:
        return -0.5 * min(n, np.int64(state.battlefield[side]))
    if code == OP_BF_RECOVER:
        return 0.5 * min(n, np.int64(state.battlefield[side]))
    if code == OP_STRIKE or code == OP_ROUT:
        worth = (2.5 if side == CAT else 1.0) * most_hit(state, cards, at, n, side)
        return -worth if code == OP_STRIKE else -0.6 * worth
    if code == OP_ATTACK:
        score, _edge, _force = best_attack(
            state, knobs, cards, side, n, np.int64(cards.op[at, OP_A]), np.int64(cards.op[at, OP_B]),
            np.int64(cards.op[at, OP_C]), style,
        )  # fmt: skip
        return score if score >= 0.5 - _CLOSE else 0.0
    return 1.0


@kernel
def most_hit(state: State, cards: Cards, at: int, n: int, victim: int) -> int:
    """Soldiers that fall at the location of the op's zone where most do."""
    most = 0
    for place in range(LOCATIONS):
        if (np.int64(cards.op[at, OP_A]) >> place) & 1:
            most = max(most, min(n, np.int64(state.soldiers[victim, place])))
    return most


@kernel
def headquarters_worth(state: State, code: int, n: int, side: int) -> float:
    """To the side that the op names."""
    if code == OP_SCOUT:
        return 1.2 * n
    if code == OP_SCOUT_LOSS:
        return -1.2 * min(n, np.int64(state.scouts[side]))
    if code == OP_ADV:
        return 1.2 * n
    if code == OP_ADV_STEAL:
        return 3.0 if state.markers[1 - side] > 0 else 0.0
    if code == OP_READY:
        return 0.0 if state.commander[side] else 4.5
    if code == OP_DRAW:
        return 1.0 * n
    return -1.5 if state.hand_len[side] > 0 else 0.0


@kernel
def lasting_worth(state: State, code: int, n: int, side: int, helps: float, cathar: float) -> float:
    """To the player: `helps` is 1 where the op names the player, `cathar` is 1 for a Cathar player; else -1."""
    if code == OP_LEAD:
        return helps * (0.4 if n > 0 else -0.4)
    if code == OP_PATH_LESS:
        return 0.8 * cathar
    if code == OP_REINF_MOD:
        return helps * (0.5 if n > 0 else -0.5)
    if code == OP_ESCAPE_MOD:
        return cathar * (0.4 if n > 0 else -0.8)
    if code == OP_NO_ATTACK:
        return 0.5 * cathar
    if code == OP_CAVES:
        return 0.0 if state.caves[side] else 2.0 * helps
    if code == OP_GRAIL:
        return 4.0 * cathar
    if code == OP_BROKEN_LINE:
        return -2.5 * cathar
    if code == OP_EW_PLUS:
        return 1.0 * cathar
    return 0.0


@kernel
def danger(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int) -> float:
    """V(card, enemy), 0 where it is no use to him."""
    return max(0.0, event_worth(state, knobs, cards, memo, card, 1 - side, VALUE))


@kernel
def keep_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int) -> float:
    """keep(card): the risk of a trigger, and the symbols for the stack."""
    worth = 1.0 * card_symbols(knobs, cards, card, side)
    if state.markers[1 - side] >= knobs.trigger_cost:
        worth += 0.5 * danger(state, knobs, cards, memo, card, side)
    return worth


# --- What points are worth --------------------------------------------------------------------


@kernel
def points_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int, style: int) -> float:
    """A(cp): the best action for so many points; which one is left in the memo."""
    if memo["action"][points] >= 0:
        return memo["worth"][points]
    work_out_attacks(state, knobs, cards, memo, side, style)
    best = memo["score"][points]
    action = ATTACK
    if best <= NEVER:
        action = REINFORCE
    for other in range(REINFORCE, CONSOLE + 1):
        worth = action_worth(state, knobs, cards, memo, side, points, other, style)
        if worth > best + _CLOSE:
            best = worth
            action = other
    memo["worth"][points] = best
    memo["action"][points] = action
    return best


@kernel
def action_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int, action: int, style: int
) -> float:
    """Worth of an action other than Attack; NEVER where it cannot be taken."""
    if action == REINFORCE:
        if side == CAT:
            return (0.5 if state.soldiers[CAT, MC] > 4 else 1.2) * gets_through(state, knobs, memo, points, ZERO)
        gained = max(0, points + np.int64(state.reinf_mod[CRU]))
        return (0.3 if state.soldiers[CRU, CC] > 9 else 0.5) * gained
    if action == REDEPLOY:
        if points < 2:
            return NEVER
        if memo["spread"] == UNKNOWN:
            memo["spread"] = spread_room(state, side, memo["near"])
        return redeploy_worth(state, memo, side, points)
    if action == SCOUT:
        return 0.4 if state.scouts[side] >= 3 else 1.3 * scouts_bought(knobs, points)
    if action == BOOST:
        return boost_worth(state, knobs, side, points)
    if side == CRU:
        return NEVER
    if action == ESCAPE:
        if state.montsegur == 0 or style == FAITHFUL:
            return NEVER
        return escape_worth(state, memo, points)
    cubes = points // np.int64(knobs.aspire_cost)
    if cubes == 0:
        return NEVER
    worth = 0.6
    if state.aspiring == 0:
        worth = 4.0 if memo["need"] > 0 else 1.4
    return worth + 0.6 * (cubes - 1)


@kernel
def spread_room(state: State, side: int, near: int) -> float:
    """What a Redeploy could fill (`d`); NEVER without a plan."""
    if state.soldiers[side, centre(side)] == 0:
        return NEVER
    total = 0
    planned = False
    for place in range(LOCATIONS):
        if (near >> place) & 1:
            planned = planned or gap(state, side, place) > 0
            held = np.int64(state.soldiers[side, place])
            if side == CRU:
                if 1 <= held <= 4 and (place == WP or place == SP or place == SE or place == NE):
                    total += min(2, 5 - held)
            elif held == 1 and (place == WW or place == EW or place == CRE):
                total += 1
    return 1.0 * total if planned else NEVER


@small_kernel
def redeploy_worth(state: State, memo: Memo, side: int, points: int) -> float:
    if memo["spread"] == NEVER:
        return NEVER
    if side == CAT:
        return 0.5 * min(memo["spread"], np.float64(state.soldiers[CAT, MC] - 1))
    if state.soldiers[CRU, CRE] >= 2:
        return 0.3
    return 0.5 * min(memo["spread"], np.float64(min(2 * (points - 1), np.int64(state.soldiers[CRU, CC]))))


@small_kernel
def boost_worth(state: State, knobs: Knobs, side: int, points: int) -> float:
    morale = np.int64(state.morale[side])
    if morale >= knobs.track_max:
        return 0.0
    worth = (4.0 if side == CAT else 2.2) * lead_chance(state, knobs, side, points)
    if morale <= 2:
        worth *= 1.3
    if side == CRU and morale - state.morale[CAT] >= 2:
        worth *= 0.4
    return worth


@kernel
def escape_worth(state: State, memo: Memo, points: int) -> float:
    odds = escape_chance(state, memo, points)
    worth = 5.0 * odds - 1.2 * (1.0 - odds)
    if state.escaped == 0:
        worth += 2.8 * odds
    if memo["need"] == 0:
        worth -= 1.5
    if state.montsegur == 1 and state.aspiring == 0:
        worth -= 6.0
    return worth


# --- The Redeploy plan --------------------------------------------------------------------------


@small_kernel
def target(state: State, side: int, place: int) -> int:
    """How many soldiers a side wants in a location."""
    if side == CRU:
        if place == WP or place == SP or place == SE or place == NE:
            return 1 if place != WP and state.soldiers[CRU, CRE] >= 3 else 5
        if place == NP:
            return 4 if state.caves[CAT] else 1
        return 3 if place == CRE else 0
    if place == WW or place == EW or place == CRE:
        return 2
    return 1 if place == RDT else 0


@small_kernel
def gap(state: State, side: int, place: int) -> int:
    return max(0, target(state, side, place) - np.int64(state.soldiers[side, place]))


@kernel
def reinforceable(state: State, cards: Cards, side: int) -> int:
    """Mask of the controlled locations that are joined to the own command centre, itself left out."""
    own = controlled(state, side) & joined(state, cards, side, centre(side))
    return own & ~(np.int64(1) << centre(side))


@kernel
def has_plan(state: State, cards: Cards, side: int) -> bool:
    if state.soldiers[side, centre(side)] == 0:
        return False
    left = reinforceable(state, cards, side)
    while left:
        if gap(state, side, lowest(left)) > 0:
            return True
        left &= left - 1
    return False


@kernel
def planned_picks(state: State, cards: Cards, side: int, points: int, style: int) -> int:
    """Mask: the command centre and the locations with the largest gaps; STORM puts the Crest first."""
    left = reinforceable(state, cards, side)
    picks = np.int64(1) << centre(side)
    for _ in range(points - 1):
        best, widest = NONE, 0
        for place in range(LOCATIONS):
            if (left >> place) & 1:
                width = gap(state, side, place)
                if style == STORM and place == CRE and width > 0:
                    width += 100
                if width > widest:
                    best, widest = place, width
        if best == NONE:
            break
        picks |= np.int64(1) << best
        left &= ~(np.int64(1) << best)
    return picks


@kernel
def answer_pick(state: State, cards: Cards, side: int, style: int) -> int:
    if not has_plan(state, cards, side):
        return STOP_PICKING if state.in_event and state.picks == 0 else np.int64(state.legal[0])
    left = planned_picks(state, cards, side, np.int64(state.redeploy_cp), style) & ~np.int64(state.picks)
    if left:
        pick = lowest(left)
        for i in range(state.n_legal):
            if state.legal[i] == pick:
                return pick
    return np.int64(state.legal[state.n_legal - 1])


@kernel
def answer_strength(state: State, side: int) -> int:
    place = np.int64(state.placing)
    later = 0
    others = unsettled(state) & ~(np.int64(1) << place) & ~(np.int64(1) << centre(side))
    while others:
        later += np.int64(state.soldiers[side, lowest(others)])
        others &= others - 1
    wanted = min(target(state, side, place), np.int64(state.to_place) - later)
    return min(max(wanted, np.int64(state.legal[0])), np.int64(state.legal[state.n_legal - 1]))


# --- Plans ----------------------------------------------------------------------------------------


@small_kernel
def make_plan(slot: int, action: int, edge: int, force: int) -> int:
    return slot | action << 8 | edge << 12 | force << 20


@small_kernel
def plan_slot(plan: int) -> int:
    return plan & 255


@small_kernel
def plan_action(plan: int) -> int:
    return (plan >> 8) & 15


@small_kernel
def plan_edge(plan: int) -> int:
    return (plan >> 12) & 255


@small_kernel
def plan_force(plan: int) -> int:
    return plan >> 20


@kernel
def points_plan(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, slot: int, points: int, style: int
) -> int:
    """The plan to spend a card's points as `value` does."""
    points_worth(state, knobs, cards, memo, side, points, style)
    action = np.int64(memo["action"][points])
    if action == ATTACK:
        return make_plan(slot, ATTACK, np.int64(memo["edge"][points]), np.int64(memo["force"][points]))
    return make_plan(slot, action, ZERO, ZERO)


@kernel
def value_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> int:
    """VALUE: the highest of events (V less symbols), points (A less keep) and the commander."""
    held, commander = np.int64(memo["held"]), memo["commander"]
    best = NEVER
    plan = NONE
    for slot in range(held):
        worth = event_worth(state, knobs, cards, memo, memo["hand"][slot], side, style)
        worth -= card_symbols(knobs, cards, memo["hand"][slot], side)
        if worth > best + _CLOSE:
            best = worth
            plan = make_plan(slot, EVENT, ZERO, ZERO)
    chosen = NONE
    for slot in range(held):
        points = card_cp(knobs, cards, memo["hand"][slot])
        worth = points_worth(state, knobs, cards, memo, side, points, style)
        if worth > best + _CLOSE:  # keep is never below 0
            worth -= keep_worth(state, knobs, cards, memo, memo["hand"][slot], side)
            if worth > best + _CLOSE:
                best = worth
                chosen = slot
    if commander:
        points = np.int64(knobs.commander_cp)
        worth = points_worth(state, knobs, cards, memo, side, points, style) - (3.0 - 0.5 * state.turn)
        if worth > best + _CLOSE:
            chosen = COMMANDER
    if chosen == COMMANDER:
        return points_plan(state, knobs, cards, memo, side, COMMANDER, np.int64(knobs.commander_cp), style)
    if chosen != NONE:
        return points_plan(state, knobs, cards, memo, side, chosen, card_cp(knobs, cards, memo["hand"][chosen]), style)
    return plan


@kernel
def begin_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> None:
    """The memo, with hand, commander and markers as they were before the card in play was announced."""
    begin_memo(state, knobs, cards, memo)
    held = np.int64(state.hand_len[side])
    for slot in range(held):
        memo["hand"][slot] = state.hand[side, slot]
    memo["commander"] = state.commander[side]
    memo["markers"] = state.markers[side]
    if state.decision != D_PLAY:
        if state.preempted:
            memo["markers"] += knobs.preempt_cost
        if state.card == NO_CARD:
            memo["commander"] = 1
        else:
            at = held
            while at > 0 and memo["hand"][at - 1] > state.card:
                memo["hand"][at] = memo["hand"][at - 1]
                at -= 1
            memo["hand"][at] = state.card
            held += 1
    memo["held"] = held


# --- Choosing a card for a line of a list -------------------------------------------------------------


@small_kernel
def slot_points(knobs: Knobs, cards: Cards, memo: Memo, slot: int) -> int:
    """Points of a hand slot or the commander; 0 for no card."""
    if slot == COMMANDER:
        return np.int64(knobs.commander_cp)
    if slot == NONE:
        return 0
    return card_cp(knobs, cards, memo["hand"][slot])


@kernel
def dearest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> int:
    """`top`: the highest points, then the least keep, then the lowest slot."""
    return least_kept(state, knobs, cards, memo, side, ONE, MAX_FORCE, True)


@kernel
def cheapest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int) -> int:
    """`cheapest`: the fewest points that are at least `points`, with the same ties."""
    return least_kept(state, knobs, cards, memo, side, points, MAX_FORCE, False)


@kernel
def least_kept(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    low: int,
    high: int,
    down: bool,
) -> int:
    """The card with the highest (`down`) or lowest points in a range; among equals the least keep."""
    for step in range(high - low + 1):
        points = high - step if down else low + step
        best = NONE
        least = 0.0
        for slot in range(memo["held"]):
            if card_cp(knobs, cards, memo["hand"][slot]) == points:
                keep = keep_worth(state, knobs, cards, memo, memo["hand"][slot], side)
                if best == NONE or keep < least - _CLOSE:
                    best, least = slot, keep
        if best != NONE:
            return best
    return NONE


@kernel
def commander_or_dearest(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int) -> int:
    """`top5`."""
    if memo["commander"]:
        return COMMANDER
    return dearest(state, knobs, cards, memo, side)


@kernel
def spend(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, points: int) -> int:
    """`spend(k)`: least keep and waste; failing that the commander for 3 or more, failing that the dearest card."""
    best = NONE
    least = 0.0
    for slot in range(memo["held"]):
        over = card_cp(knobs, cards, memo["hand"][slot]) - points
        if over >= 0:
            cost = keep_worth(state, knobs, cards, memo, memo["hand"][slot], side) + 0.3 * over
            if best == NONE or cost < least - _CLOSE:
                best, least = slot, cost
    if best != NONE:
        return best
    if memo["commander"] and (points >= 3 or memo["held"] == 0):
        return COMMANDER
    return dearest(state, knobs, cards, memo, side)


@small_kernel
def cost_of_two_scouts(knobs: Knobs) -> int:
    return np.int64(knobs.scout_first_cost) + np.int64(knobs.scout_next_cost)


@kernel
def action_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, slot: int, action: int) -> int:
    """A plan for an action that takes no further choice; NONE where the points or the position do not allow it."""
    points = slot_points(knobs, cards, memo, slot)
    if points == 0:
        return NONE
    if action == REDEPLOY and (points < 2 or not has_plan(state, cards, side)):
        return NONE
    if action == ESCAPE and state.montsegur == 0:
        return NONE
    if action == CONSOLE and points < knobs.aspire_cost:
        return NONE
    return make_plan(slot, action, ZERO, ZERO)


@kernel
def take_plan(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    place: int,
    least: int,
    most: int,
) -> int:
    """`take(L, m)`: the cheapest card, else the commander, that leaves `least` soldiers there; `most` are sent."""
    if state.no_attack:
        return NONE
    most = min(most, np.int64(state.soldiers[side, centre(side)]), MAX_FORCE)
    edges = attack_edges(state, cards, side, np.int64(1) << place)
    best, fewest = NONE, most + 1
    while edges:
        edge = lowest(edges)
        edges &= edges - 1
        bonus = bonus_met(state, knobs, cards, side, edge, ZERO, ZERO)
        for force in range(1, top_force(state, knobs, cards, side, edge, most, bonus) + 1):
            left = conquerors(state, knobs, cards, side, edge, force, ZERO, ZERO)
            if min(left, room(state, place)) >= least and force < fewest:
                best, fewest = edge, force
    if best == NONE:
        return NONE
    slot = cheapest(state, knobs, cards, memo, side, fewest)
    if slot == NONE and memo["commander"] and knobs.commander_cp >= fewest:
        slot = COMMANDER
    if slot == NONE:
        return NONE
    return make_plan(slot, ATTACK, best, fewest)


# What a line of a list looks for in an event.
(
    HAS_ESCAPE, WAYS_OUT, HAS_ASPIRE, FAITH_FOOD_MORALE, CATHAR_SOLDIERS, HITS_TWO, FOOD_MORALE, HUNGER_DESPAIR,
    CRUSADER_SOLDIERS, CRUSADER_MORALE, WATCHES, TAKES_MC, TAKES_RDT, TREBUCHET_OR_EW, CRUSADER_CAVES, CATHAR_CAVES,
    INQUIRIES, BREAKS_LINE,
) = numbers(0, 18)  # fmt: skip


@kernel
def event_plan(
    state: State,
    knobs: Knobs,
    cards: Cards,
    memo: Memo,
    side: int,
    what: int,
    above: float,
    style: int,
) -> int:
    """`event{..}`: of the hand cards that a line looks for, the one worth most to oneself, if above a bound."""
    best = above
    plan = NONE
    for slot in range(memo["held"]):
        if fits(state, knobs, cards, memo, memo["hand"][slot], side, what):
            worth = event_worth(state, knobs, cards, memo, memo["hand"][slot], side, style)
            if worth > best + _CLOSE:
                best = worth
                plan = make_plan(slot, EVENT, ZERO, ZERO)
    return plan


@kernel
def fits(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int, what: int) -> bool:
    """Whether a card's event holds an op that a line looks for."""
    at = card_program(knobs, cards, card)
    while True:
        code = np.int64(cards.op[at, OP_CODE])
        if code == END:
            return False
        if code == IF and what >= TAKES_MC and what <= TREBUCHET_OR_EW and not holds(state, cards, at):
            at = np.int64(cards.op[at, OP_B])
            continue
        n = number(state, knobs, cards, card, at)
        if op_fits(state, knobs, cards, at, code, n, side, what):
            return True
        at += 1


@kernel
def op_fits(state: State, knobs: Knobs, cards: Cards, at: int, code: int, n: int, side: int, what: int) -> bool:
    names = role_side(side, np.int64(cards.op[at, OP_WHO]))
    if what == HAS_ESCAPE:
        return code == OP_ESCAPE
    if what == WAYS_OUT:
        return opens_way(state, knobs, cards, at, code, names)
    if what == HAS_ASPIRE:
        return code == OP_ASPIRE
    if what == FAITH_FOOD_MORALE:
        return n > 0 and (code == OP_FAITH or code == OP_FOOD or code == OP_CAT_MORALE)
    if what == CATHAR_SOLDIERS:
        return names == CAT and (code == OP_MUSTER or code == OP_REINF)
    if what == HITS_TWO:
        return (code == OP_STRIKE or code == OP_ROUT) and names == CRU and most_hit(state, cards, at, n, CRU) >= 2
    if what == FOOD_MORALE:
        return n > 0 and (code == OP_FOOD or code == OP_CAT_MORALE)
    if what == HUNGER_DESPAIR:
        return n < 0 and (code == OP_FOOD or code == OP_CAT_MORALE)
    if what == CRUSADER_SOLDIERS:
        return names == CRU and code == OP_MUSTER
    if what == CRUSADER_MORALE:
        return (n > 0 and code == OP_CRU_MORALE) or (code == OP_BOOST and names == CRU)
    if what == WATCHES:
        return code == OP_ESCAPE_MOD or code == OP_REINF_MOD or code == OP_RING
    if what == TAKES_MC or what == TAKES_RDT:
        if names != CRU or code != OP_ATTACK:
            return False
        if what == TAKES_RDT:  # an attack on the Roc alone: any other is worth more elsewhere
            return cards.op[at, OP_C] == 1 << RDT and event_takes(state, knobs, cards, at, n, RDT)
        return event_takes(state, knobs, cards, at, n, MC)
    if what == TREBUCHET_OR_EW:
        if code == OP_TREBUCHET:
            return n > 0
        return (
            names == CRU
            and code == OP_ATTACK
            and cards.op[at, OP_C] == 1 << EW
            and event_takes(state, knobs, cards, at, n, EW)
        )
    if what == CRUSADER_CAVES:
        return names == CRU and code == OP_CAVES
    if what == CATHAR_CAVES:
        return names == CAT and code == OP_CAVES
    if what == INQUIRIES:
        return code == OP_REPENT or code == OP_CAPTURE or code == OP_CONVERT
    return code == OP_BROKEN_LINE


@kernel
def event_takes(state: State, knobs: Knobs, cards: Cards, at: int, n: int, place: int) -> bool:
    """Whether an attack that an event gives the Crusaders can take a location."""
    force = min(n, np.int64(state.soldiers[CRU, CC]), MAX_FORCE)
    if force == 0 or state.no_attack:
        return False
    less, bare = np.int64(cards.op[at, OP_A]), np.int64(cards.op[at, OP_B])
    edges = attack_edges(state, cards, CRU, np.int64(cards.op[at, OP_C]) & (np.int64(1) << place))
    while edges:
        if conquerors(state, knobs, cards, CRU, lowest(edges), force, less, bare) > 0:
            return True
        edges &= edges - 1
    return False


@kernel
def opens_way(state: State, knobs: Knobs, cards: Cards, at: int, code: int, names: int) -> bool:
    """EXODUS 5: fewer Crusaders on the path, the Caves, or a strike at the cheapest path."""
    if code == OP_PATH_LESS:
        return state.phase + 1 < knobs.activity_phases
    if code == OP_CAVES:
        return names == CAT and not state.caves[CAT]
    if code == OP_STRIKE and names == CRU:
        zone = np.int64(cards.op[at, OP_A])
        least = least_crusaders(state, cards)
        for route in range(cards.n_routes):
            if not cards.route_caves[route] or state.caves[CAT]:
                total = 0
                hit = False
                for step in range(cards.route_len[route]):
                    place = cards.route[route, step]
                    total += np.int64(state.soldiers[CRU, place])
                    hit = hit or (state.soldiers[CRU, place] > 0 and (zone >> place) & 1 == 1)
                if total == least and hit:
                    return True
    return False


# --- The lists ------------------------------------------------------------------------------------------


@kernel
def least_points_escape(state: State, memo: Memo, odds: float) -> int:
    """Fewest points with at least such a chance of escape; 99 for none."""
    for points in range(1, MAX_FORCE + 1):
        if escape_chance(state, memo, points) >= odds - _CLOSE:
            return points
    return 99


@kernel
def exodus_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """EXODUS 1 to 6."""
    if state.montsegur >= 2:
        plan = surest_escape_event(state, knobs, cards, memo)
        if plan != NONE:
            return plan
        if state.escaped == 0:
            slot = commander_or_dearest(state, knobs, cards, memo, CAT)
            if slot != NONE and escape_chance(state, memo, slot_points(knobs, cards, memo, slot)) >= 0.3 - _CLOSE:
                return make_plan(slot, ESCAPE, ZERO, ZERO)
        if memo["need"] <= 0:
            slot = cheapest(state, knobs, cards, memo, CAT, least_points_escape(state, memo, 0.5))
            if slot != NONE:
                return make_plan(slot, ESCAPE, ZERO, ZERO)
    if memo["need"] > 0 and state.aspiring == 0:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    if memo["on_path_bare"] > 0:
        plan = event_plan(state, knobs, cards, memo, CAT, WAYS_OUT, 0.0, EXODUS)
        if plan != NONE:
            return plan
    if state.scouts[CAT] == 0:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.scout_first_cost))
        return action_plan(state, knobs, cards, memo, CAT, slot, SCOUT)
    return NONE


@kernel
def surest_escape_event(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """EXODUS 1: the event that offers an escape with the best chance, if that is 0.35 or more."""
    best = 0.35 - 2 * _CLOSE
    plan = NONE
    for slot in range(memo["held"]):
        at = card_program(knobs, cards, memo["hand"][slot])
        while cards.op[at, OP_CODE] != END:
            if cards.op[at, OP_CODE] == OP_ESCAPE:
                odds = escape_chance(state, memo, number(state, knobs, cards, memo["hand"][slot], at))
                if odds > best + _CLOSE:
                    best = odds
                    plan = make_plan(slot, EVENT, ZERO, ZERO)
            at += 1
    return plan


@kernel
def faithful_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """FAITHFUL 1 to 7."""
    if memo["need"] > 0 and state.aspiring == 0:
        plan = event_plan(state, knobs, cards, memo, CAT, HAS_ASPIRE, 0.0, FAITHFUL)
        if plan != NONE:
            return plan
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CAT, FAITH_FOOD_MORALE, 0.0, FAITHFUL)
    if plan != NONE:
        return plan
    if state.morale[CAT] <= 3:
        slot = commander_or_dearest(state, knobs, cards, memo, CAT)
        return action_plan(state, knobs, cards, memo, CAT, slot, BOOST)
    if state.aspiring == 0 and state.phase >= knobs.activity_phases - 2:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    if state.scouts[CAT] == 0:
        slot = spend(state, knobs, cards, memo, CAT, cost_of_two_scouts(knobs))
        return action_plan(state, knobs, cards, memo, CAT, slot, SCOUT)
    if memo["need"] < 0 and state.montsegur >= 2:
        slot = cheapest(state, knobs, cards, memo, CAT, least_points_escape(state, memo, 0.6))
        if slot != NONE:
            return make_plan(slot, ESCAPE, ZERO, ZERO)
    if state.morale[CAT] <= 6:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(3))
        return action_plan(state, knobs, cards, memo, CAT, slot, BOOST)
    return NONE


@kernel
def retake(state: State, knobs: Knobs, cards: Cards, memo: Memo, place: int) -> int:
    """CREST 1, 2: take a location back with 3 soldiers at most and 3 left in the castle."""
    if state.soldiers[CRU, place] == 0:
        return NONE
    most = min(3, np.int64(state.soldiers[CAT, MC]) - 3)
    return take_plan(state, knobs, cards, memo, CAT, place, ONE, most)


@kernel
def crest_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """CREST 1 to 7."""
    best, fewest = NONE, 99
    for place in (CRE, EW, WW):
        plan = retake(state, knobs, cards, memo, place)
        if plan != NONE and slot_points(knobs, cards, memo, plan_slot(plan)) < fewest:
            best, fewest = plan, slot_points(knobs, cards, memo, plan_slot(plan))
    if best != NONE:
        return best
    plan = retake(state, knobs, cards, memo, RDT)
    if plan != NONE:
        return plan
    if thinly_held(state, cards) and state.soldiers[CAT, MC] >= 5:
        plan = action_plan(state, knobs, cards, memo, CAT, spend(state, knobs, cards, memo, CAT, np.int64(3)), REDEPLOY)
        if plan != NONE:
            return plan
    if state.soldiers[CAT, MC] <= 1:
        plan = event_plan(state, knobs, cards, memo, CAT, CATHAR_SOLDIERS, 0.0, CREST)
        if plan == NONE:
            plan = reinforce_through(state, knobs, cards, memo)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CAT, HITS_TWO, 0.0, CREST)
    if plan != NONE:
        return plan
    if memo["need"] > 0 and state.aspiring == 0:
        slot = spend(state, knobs, cards, memo, CAT, np.int64(knobs.aspire_cost))
        plan = action_plan(state, knobs, cards, memo, CAT, slot, CONSOLE)
        if plan != NONE:
            return plan
    return event_plan(state, knobs, cards, memo, CAT, FOOD_MORALE, 0.0, CREST)


@kernel
def thinly_held(state: State, cards: Cards) -> bool:
    """Whether one soldier alone holds the Crest or a wall that is joined to the castle."""
    near = joined(state, cards, CAT, MC)
    for place in (CRE, EW, WW):
        if state.soldiers[CAT, place] == 1 and (near >> place) & 1:
            return True
    return False


@kernel
def reinforce_through(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """CREST 4: reinforcements of which two get through."""
    for points in range(1, MAX_FORCE + 1):
        if gets_through(state, knobs, memo, points, ZERO) >= 2:
            slot = cheapest(state, knobs, cards, memo, CAT, points)
            return NONE if slot == NONE else make_plan(slot, REINFORCE, ZERO, ZERO)
    return NONE


@kernel
def ring_gaps(state: State, cards: Cards, below: int) -> tuple[int, int]:
    """How many of the four ways out are held, joined to the camp and short of target and `below`; by how much."""
    near = joined(state, cards, CRU, CC)
    places = 0
    total = 0
    for place in (WP, SP, SE, NE):
        held = np.int64(state.soldiers[CRU, place])
        if 0 < held < below and (near >> place) & 1 and gap(state, CRU, place) > 0:
            places += 1
            total += gap(state, CRU, place)
    return places, total


@kernel
def raise_soldiers(state: State, knobs: Knobs, cards: Cards, memo: Memo, style: int) -> int:
    plan = event_plan(state, knobs, cards, memo, CRU, CRUSADER_SOLDIERS, 0.0, style)
    if plan != NONE:
        return plan
    slot = spend(state, knobs, cards, memo, CRU, np.int64(3))
    return action_plan(state, knobs, cards, memo, CRU, slot, REINFORCE)


@kernel
def raise_morale(state: State, knobs: Knobs, cards: Cards, memo: Memo, style: int) -> int:
    plan = event_plan(state, knobs, cards, memo, CRU, CRUSADER_MORALE, 0.0, style)
    if plan != NONE:
        return plan
    slot = spend(state, knobs, cards, memo, CRU, np.int64(4))
    return action_plan(state, knobs, cards, memo, CRU, slot, BOOST)


@kernel
def ring_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """RING 1 to 7."""
    places, total = ring_gaps(state, cards, np.int64(99))
    camp = np.int64(state.soldiers[CRU, CC])
    if places > 0 and camp >= min(total, 3):
        slot = spend(state, knobs, cards, memo, CRU, min(4, 1 + places))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, RING)
    if plan != NONE:
        return plan
    if places > 0 and camp < 4:
        plan = raise_soldiers(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= 2:
        plan = raise_morale(state, knobs, cards, memo, RING)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, WATCHES, 0.0, RING)
    if plan != NONE:
        return plan
    if state.scouts[CRU] == 0:
        slot = spend(state, knobs, cards, memo, CRU, cost_of_two_scouts(knobs))
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    if state.caves[CAT] and 0 < state.soldiers[CRU, NP] < 4:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(2))
        return action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
    return NONE


@kernel
def storm_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """STORM 1 to 8."""
    plan = event_plan(state, knobs, cards, memo, CRU, TAKES_MC, 0.0, STORM)
    if plan == NONE:
        plan = take_plan(state, knobs, cards, memo, CRU, MC, ONE, MAX_FORCE)
    if plan != NONE:
        return plan
    if state.morale[CRU] <= 2:
        plan = raise_morale(state, knobs, cards, memo, STORM)
        if plan != NONE:
            return plan
    plan = storm_crest(state, knobs, cards, memo)
    if plan != NONE:
        return plan
    camp = np.int64(state.soldiers[CRU, CC])
    if camp < 4:
        plan = raise_soldiers(state, knobs, cards, memo, STORM)
        if plan != NONE:
            return plan
    if state.soldiers[CRU, NP] >= 3 and camp >= 6 and not state.caves[CRU]:
        return open_caves(state, knobs, cards, memo)
    return NONE


@kernel
def open_caves(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """STORM 8: the Caves for the Crusaders alone; else for both, though that is worth nothing by itself."""
    for both in range(2):
        best = -2 * _CLOSE
        plan = NONE
        for slot in range(memo["held"]):
            card = memo["hand"][slot]
            opens = fits(state, knobs, cards, memo, card, CRU, CRUSADER_CAVES)
            if opens and (both == 1 or not fits(state, knobs, cards, memo, card, CRU, CATHAR_CAVES)):
                worth = event_worth(state, knobs, cards, memo, card, CRU, STORM)
                if worth > best + _CLOSE:
                    best = worth
                    plan = make_plan(slot, EVENT, ZERO, ZERO)
        if plan != NONE:
            return plan
    return NONE


@kernel
def storm_crest(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """STORM 3 to 6."""
    held = np.int64(state.soldiers[CRU, CRE])
    if held == 0:
        plan = NONE
        if state.soldiers[CRU, NE] > 0:
            plan = event_plan(state, knobs, cards, memo, CRU, TAKES_RDT, 0.0, STORM)
        if plan != NONE:
            return plan
        return take_plan(state, knobs, cards, memo, CRU, CRE, np.int64(3), MAX_FORCE)
    plan = event_plan(state, knobs, cards, memo, CRU, TREBUCHET_OR_EW, 0.0, STORM)
    if plan != NONE:
        return plan
    if held < 3 and (joined(state, cards, CRU, CC) >> CRE) & 1:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(2))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    plan = take_plan(state, knobs, cards, memo, CRU, EW, ONE, MAX_FORCE)
    if plan != NONE:
        return plan
    return storm_castle(state, knobs, cards, memo)


@kernel
def storm_castle(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """STORM 6: out of the Eastern Walls with all that the points allow, if it wears the castle down."""
    if state.soldiers[CRU, EW] == 0 or state.no_attack:
        return NONE
    slot = commander_or_dearest(state, knobs, cards, memo, CRU)
    force = min(slot_points(knobs, cards, memo, slot), np.int64(state.soldiers[CRU, CC]), MAX_FORCE)
    edges = attack_edges(state, cards, CRU, np.int64(1) << MC)
    while edges:
        edge = lowest(edges)
        edges &= edges - 1
        if cards.edge_from[edge] == EW:
            bonus = defence_bonus(state, knobs, cards, edge)
            if force > bonus and state.soldiers[CAT, MC] <= 2 * (force - bonus):
                return make_plan(slot, ATTACK, edge, force)
    return NONE


@kernel
def inquisition_plan(state: State, knobs: Knobs, cards: Cards, memo: Memo) -> int:
    """INQUISITION 1 to 6."""
    plan = event_plan(state, knobs, cards, memo, CRU, INQUIRIES, 1.0 - 2 * _CLOSE, INQUISITION)
    if plan != NONE:
        return plan
    if state.captured + state.montsegur > state.faith:
        plan = event_plan(state, knobs, cards, memo, CRU, BREAKS_LINE, 0.0, INQUISITION)
        if plan != NONE:
            return plan
    plan = event_plan(state, knobs, cards, memo, CRU, HUNGER_DESPAIR, 0.0, INQUISITION)
    if plan != NONE:
        return plan
    if memo["markers"] < 2 and state.scouts[CRU] < 2 and memo["held"] > 0:
        slot = dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, SCOUT)
    places, _total = ring_gaps(state, cards, np.int64(4))
    if places > 0 and state.soldiers[CRU, CC] >= 1:
        slot = spend(state, knobs, cards, memo, CRU, np.int64(3))
        plan = action_plan(state, knobs, cards, memo, CRU, slot, REDEPLOY)
        if plan != NONE:
            return plan
    if state.morale[CRU] <= 3:
        slot = commander_or_dearest(state, knobs, cards, memo, CRU)
        return action_plan(state, knobs, cards, memo, CRU, slot, BOOST)
    return NONE


# --- Answers -------------------------------------------------------------------------------------------------


@small_kernel
def wants_plan(state: State) -> bool:
    """Whether the decision is one of those that a plan settles."""
    kind = state.decision
    if kind == D_PLAY or kind == D_ACTION:
        return True
    return (kind == D_EDGE or kind == D_FORCE) and state.in_event == 0


@kernel
def follow(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, plan: int, style: int) -> int:
    """The next step of a list's plan, or of what `value` would play where the list had none.

    Another bot may have brought the game here: then the card in play, the action begun or the edge need not be those
    of the plan, and what `value` would do with the points in play takes its place.
    """
    if state.decision == D_PLAY:
        if plan == NONE:
            plan = value_plan(state, knobs, cards, memo, side, style)
        slot = plan_slot(plan)
        if slot == COMMANDER:
            return PLAY_COMMANDER
        return slot if plan_action(plan) == EVENT else PLAY_CP + slot
    if plan == NONE or not spends_card_in_play(state, memo, plan):
        plan = points_plan(state, knobs, cards, memo, side, ZERO, np.int64(state.cp), style)
    if state.decision == D_ACTION:
        return plan_action(plan)
    if state.decision == D_EDGE:
        if plan_action(plan) == ATTACK:
            return plan_edge(plan)
        return unplanned_edge(state, knobs, cards, memo, side, style)
    if plan_action(plan) == ATTACK and plan_edge(plan) == state.attack_edge:
        return plan_force(plan) - 1
    return best_force(state, knobs, cards, side, style)


@kernel
def spends_card_in_play(state: State, memo: Memo, plan: int) -> bool:
    """Whether a plan spends the points of the card, or commander, that was played for them."""
    slot = plan_slot(plan)
    if plan_action(plan) == EVENT:
        return False
    if slot == COMMANDER:
        return state.card == NO_CARD
    return memo["hand"][slot] == state.card


@kernel
def unplanned_edge(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> int:
    """The edge of an attack that the bot would not have begun: its best one; where it spares all, `value`'s."""
    work_out_attacks(state, knobs, cards, memo, side, style)
    points = np.int64(state.cp)
    edge = np.int64(memo["edge"][points])
    if edge == NONE:
        _score, edge, _force = best_attack(state, knobs, cards, side, points, ZERO, ZERO, ALL_LOCATIONS, VALUE)
    return edge


@kernel
def follow_value(state: State, knobs: Knobs, cards: Cards, style: int) -> int:
    """As follow, without a list: once a card is in play, its points alone settle the rest."""
    side = np.int64(state.seat)
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    if state.decision == D_PLAY:
        begin_plan(state, knobs, cards, memo, side)
    else:
        begin_memo(state, knobs, cards, memo)
    return kept(follow(state, knobs, cards, memo, side, NONE, style), scratch)


@kernel
def best_force(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """The best force over the edge that was chosen."""
    edge = np.int64(state.attack_edge)
    best, best_number = NEVER, 1
    bonus = bonus_met(state, knobs, cards, side, edge, np.int64(state.attack_less), np.int64(state.attack_bare))
    off = flanking(state, knobs, cards, side, edge)
    for force in range(1, np.int64(state.n_legal) + 1):
        score = attack_score(state, side, cards.edge_to[edge], force, bonus, off, style)
        if score > best + _CLOSE:
            best, best_number = score, force
    return best_number - 1


@kernel
def answer_event_attack(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """The best attack that an event gives; declined below 0.5."""
    score, edge, _force = best_attack(
        state, knobs, cards, side, np.int64(state.attack_cp), np.int64(state.attack_less),
        np.int64(state.attack_bare), np.int64(state.attack_at), style,
    )  # fmt: skip
    return edge if score >= 0.5 - _CLOSE else DECLINE_ATTACK


@kernel
def answer_redraw(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    """Always, but for the marker that is the very lead in the strategy count."""
    repentance = state.check == REPENTANCE or state.check == LAST_REPENTANCE
    if style == INQUISITION and repentance and state.faith <= 5:
        return 1
    if style == FAITHFUL and state.markers[side] < knobs.redraw_cost + knobs.trigger_cost:  # one trigger is kept
        return 0
    if state.check == LAST_REPENTANCE:
        lead = np.int64(state.markers[side]) - state.markers[1 - side] - state.stack_len[1 - side]
        for at in range(state.stack_len[side]):
            lead += card_symbols(knobs, cards, np.int64(state.stack[side, at]), side)
        if 1 <= lead <= knobs.redraw_cost:
            return 0
    return 1


@kernel
def answer_strategy(state: State, knobs: Knobs, cards: Cards, side: int, style: int) -> int:
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    best, best_slot = NEVER, 0
    for slot in range(state.hand_len[side]):
        card = np.int64(state.hand[side, slot])
        worth = 3.0 * card_symbols(knobs, cards, card, side) - 0.1 * card_cp(knobs, cards, card)
        worth += 0.3 * danger(state, knobs, cards, memo, card, side)
        if style == CREST and waits_for_crest(knobs, cards, card):
            worth += 2.0
        if worth > best + _CLOSE:
            best, best_slot = worth, slot
    return kept(best_slot, scratch)


@kernel
def waits_for_crest(knobs: Knobs, cards: Cards, card: int) -> bool:
    """Whether a card's event needs the Crusaders on the Crest."""
    at = card_program(knobs, cards, card)
    return (
        cards.op[at, OP_CODE] == IF
        and cards.op[at, OP_KIND] == CTRL
        and cards.op[at, OP_WHO] == ROLE_CRU
        and cards.op[at, OP_A] == CRE
    )


@kernel
def cheapest_exit(state: State, cards: Cards) -> int:
    """The perimeter location of the Cathars' best path; equal ones in the order WP, SP, SE, NE, NP."""
    least = least_crusaders(state, cards)
    best, best_rank = NONE, 99
    for route in range(cards.n_routes):
        if not cards.route_caves[route] or state.caves[CAT]:
            total = 0
            for step in range(cards.route_len[route]):
                total += np.int64(state.soldiers[CRU, cards.route[route, step]])
            place = cards.route[route, cards.route_len[route] - 1]
            rank = place if place != NP else 90
            if total == least and rank < best_rank:
                best, best_rank = place, rank
    return best


@kernel
def victim_rank(place: int, victim: int, exit_place: int) -> int:
    """Order in which soldiers are taken: lower first."""
    if place == CRE:
        return 0
    if place == EW:
        return 1
    if place == WW:
        return 2
    if place == RDT:
        return 3
    if place == CC:
        return 30 if victim == CAT else 31
    if place == MC:
        return 31 if victim == CAT else 30
    if victim == CRU and place == exit_place:
        return 4
    return 10 + place


@kernel
def answer_victim(state: State, cards: Cards, victim: int, hits: int) -> int:
    """First a location that is emptied by it (command centres do not count), then any."""
    exit_place = cheapest_exit(state, cards) if victim == CRU else NONE
    best, best_rank = np.int64(state.legal[0]), 999
    for i in range(state.n_legal):
        place = np.int64(state.legal[i])
        rank = victim_rank(place, victim, exit_place)
        if state.soldiers[victim, place] > hits or place == MC or place == CC:
            rank += 100
        if rank < best_rank:
            best, best_rank = place, rank
    return best


@kernel
def answer_ring(state: State) -> int:
    """The emptiest of the four ways out, NP only if nothing else."""
    best, fewest = np.int64(state.legal[0]), 999
    for i in range(state.n_legal):
        place = np.int64(state.legal[i])
        held = np.int64(state.soldiers[CRU, place]) + (100 if place == NP else 0)
        if held < fewest:
            best, fewest = place, held
    return best


@kernel
def answer_start(state: State, side: int) -> int:
    """Start oneself; late in a game that goes well rather hold the last play."""
    ahead = np.int64(state.morale[side]) - np.int64(state.morale[1 - side])
    return 1 if state.turn >= 4 and ahead >= 2 else 0


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, style: int, trigger: float, preempt: float) -> int:
    """The decisions that no plan settles: the same policies for all styles, but for what they are named for."""
    kind = np.int64(state.decision)
    side = np.int64(state.seat)
    if kind == D_EDGE:
        return answer_event_attack(state, knobs, cards, side, style)
    if kind == D_FORCE:
        return best_force(state, knobs, cards, side, style)
    if kind == D_REDEP_PICK:
        return answer_pick(state, cards, side, style)
    if kind == D_REDEP_SET:
        return answer_strength(state, side)
    if kind == D_TRIGGER:
        return answer_event(state, knobs, cards, side, style, trigger)
    if kind == D_PREEMPT:
        return answer_event(state, knobs, cards, 1 - side, VALUE, preempt)
    if kind == D_STRATEGY:
        return answer_strategy(state, knobs, cards, side, style)
    if kind == D_REDRAW:
        return answer_redraw(state, knobs, cards, side, style)
    if kind == D_INIT:
        return answer_start(state, side)
    if kind == D_STRIKE:
        hits = number(state, knobs, cards, np.int64(state.card), np.int64(state.op_now))
        return answer_victim(state, cards, 1 - side, hits)
    if kind == D_DESERT:
        return answer_victim(state, cards, 1 - side, ONE)
    if kind == D_RING:
        return answer_ring(state)
    return answer_escape_offer(state, knobs, cards, style)


@kernel
def answer_event(state: State, knobs: Knobs, cards: Cards, side: int, style: int, least: float) -> int:
    """Whether the event of the card in play is worth so much to a side: to trigger it, or to preempt the enemy."""
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    worth = event_worth(state, knobs, cards, memo, np.int64(state.card), side, style)
    return kept(1 if worth >= least - _CLOSE else 0, scratch)


@kernel
def answer_escape_offer(state: State, knobs: Knobs, cards: Cards, style: int) -> int:
    scratch = np.empty(1, MEMO)
    memo = scratch[0]
    begin_memo(state, knobs, cards, memo)
    points = number(state, knobs, cards, np.int64(state.card), np.int64(state.op_now))
    return kept(1 if would_escape(state, memo, points, style) else 0, scratch)


def _thresholds(trigger: float = 2.0, preempt: float = 4.0) -> dict[str, Trait]:
    return {
        "trigger": Trait(trigger, 0.0, 10.0, "triggers an event worth at least this to itself, in command points"),
        "preempt": Trait(preempt, 0.0, 20.0, "preempts an event worth at least this to the enemy, in command points"),
    }


@policy("montsegur", traits=_thresholds())
def value(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Plays whatever is worth most at the moment: event, points or commander. The reference."""
    if wants_plan(state):
        return follow_value(state, knobs, cards, VALUE)
    return answer(state, knobs, cards, VALUE, traits[0], traits[1])


@policy("montsegur", traits=_thresholds())
def peace(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Like value, but shy of attacks: shows what attacks are worth."""
    if wants_plan(state):
        return follow_value(state, knobs, cards, PEACE)
    return answer(state, knobs, cards, PEACE, traits[0], traits[1])


@policy("montsegur", seats=["cathar"], traits=_thresholds())
def exodus(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Gets perfects out as early and as often as the odds allow."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CAT)
        plan = exodus_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CAT, plan, EXODUS), scratch)
    return answer(state, knobs, cards, EXODUS, traits[0], traits[1])


@policy("montsegur", seats=["cathar"], traits=_thresholds())
def faithful(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Keeps Faith, Food and Morale up, escapes only with perfects to spare."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CAT)
        plan = faithful_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CAT, plan, FAITHFUL), scratch)
    return answer(state, knobs, cards, FAITHFUL, traits[0], traits[1])


@policy("montsegur", seats=["cathar"], traits=_thresholds())
def crest(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Fights for the Crest and the walls, and strikes back."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CAT)
        plan = crest_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CAT, plan, CREST), scratch)
    return answer(state, knobs, cards, CREST, traits[0], traits[1])


@policy("montsegur", seats=["crusader"], traits=_thresholds())
def ring(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Seals the castle off and waits for hunger and despair."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = ring_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CRU, plan, RING), scratch)
    return answer(state, knobs, cards, RING, traits[0], traits[1])


@policy("montsegur", seats=["crusader"], traits=_thresholds())
def storm(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Takes the Crest, brings trebuchets up and storms the castle."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = storm_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CRU, plan, STORM), scratch)
    return answer(state, knobs, cards, STORM, traits[0], traits[1])


@policy("montsegur", seats=["crusader"], traits=_thresholds(1.0, 3.5))
def inquisition(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """Goes for Faith and the perfects by events, gathers markers to trigger them."""
    if wants_plan(state):
        scratch = np.empty(1, MEMO)
        memo = scratch[0]
        begin_plan(state, knobs, cards, memo, CRU)
        plan = inquisition_plan(state, knobs, cards, memo)
        return kept(follow(state, knobs, cards, memo, CRU, plan, INQUISITION), scratch)
    return answer(state, knobs, cards, INQUISITION, traits[0], traits[1])
