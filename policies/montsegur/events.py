"""Worth of an event (V of the ledger): points for the side that resolves it now, summed over its ops."""

from __future__ import annotations

import numpy as np

from policies.montsegur import prices
from policies.montsegur.attacks import best_attack
from policies.montsegur.measures import CLOSE, EXODUS, VALUE, Memo, chance, escape_chance, gets_through, lead_chance
from simlab.compiler import kernel, small_kernel
from simlab.game import Cards, Knobs, State
from simlab.games.montsegur import effects as fx
from simlab.games.montsegur.deck import card_program, card_symbols
from simlab.games.montsegur.events import holds, number, role_side
from simlab.games.montsegur.state import CAT, CRU, LOCATIONS

ESCAPE_ODDS, EXODUS_ESCAPE_ODDS = 0.4, 0.35  # the lowest chance at which an event's escape is tried
ESCAPE_LEAVES = 1  # perfects that a voluntary escape leaves in the castle: without any it surrenders


@kernel
def event_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, player: int, style: int) -> float:
    """V(card, W): worth of the event, in points, if a side resolves it now. `style` determines that side's own
    attacks.
    """
    at = card_program(knobs, cards, card)
    total = 0.0
    weight = 1.0
    until = -1
    while True:
        if at == until:
            weight = 1.0
        code = np.int64(cards.op[at, fx.OP_CODE])
        if code == fx.END:
            return total
        if code == fx.JUMP or (code == fx.IF and not holds(state, cards, at)):
            at = np.int64(cards.op[at, fx.OP_B])
            continue
        if code == fx.OP_REPENT:
            weight = chance(state, CRU, np.int64(knobs.repent_base), np.int64(state.faith))
            until = np.int64(cards.op[at, fx.OP_B])
        elif code != fx.IF:
            n = number(state, knobs, cards, card, at)
            total += weight * op_worth(state, knobs, cards, memo, at, code, n, player, style)
        at += 1


@kernel
def op_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, at: int, code: int, n: int, player: int, style: int
) -> float:
    """Worth of one op to the side that resolves it."""
    cathar = 1.0 if player == CAT else -1.0
    if code <= fx.OP_TREBUCHET:
        return cathar * track_worth(state, knobs, code, n)
    role = np.int64(cards.op[at, fx.OP_WHO])
    side = role_side(player, role)
    helps = 1.0 if side == player else -1.0
    if code < fx.OP_BOOST:
        return cathar * faith_worth(state, memo, code, n, style)
    if code == fx.OP_BOOST:
        if state.morale[side] >= knobs.track_max:
            return 0.0
        return helps * prices.BOOST_BY_EVENT * lead_chance(state, knobs, side, n)
    if code == fx.OP_BF_RECOVER and role == fx.ROLE_BOTH:
        own = min(n, np.int64(state.battlefield[player]))
        return prices.ON_THE_BATTLEFIELD * (own - min(n, np.int64(state.battlefield[1 - player])))
    if code <= fx.OP_REDEPLOY:
        own_style = style if side == player else VALUE
        return helps * soldier_worth(state, knobs, cards, memo, at, code, n, side, own_style)
    if code <= fx.OP_DISCARD:
        return helps * headquarters_worth(state, code, n, side)
    return lasting_worth(state, code, n, side, helps, cathar)


@kernel
def track_worth(state: State, knobs: Knobs, code: int, n: int) -> float:
    """Worth to the Cathars of a change of a track, counting only steps that really happen."""
    if code == fx.OP_CAT_MORALE:
        return prices.MORALE_STEP * steps(knobs, np.int64(state.morale[CAT]), n)
    if code == fx.OP_CRU_MORALE:
        return -prices.MORALE_STEP * steps(knobs, np.int64(state.morale[CRU]), n)
    if code == fx.OP_FOOD:
        return prices.FOOD_STEP * steps(knobs, np.int64(state.food), n)
    if code == fx.OP_FAITH:
        return prices.FAITH_STEP * steps(knobs, np.int64(state.faith), n)
    if n > 0:
        return -prices.TREBUCHET_STEP * n
    return prices.TREBUCHET_STEP * min(-n, np.int64(state.trebuchets))


@small_kernel
def steps(knobs: Knobs, now: int, by: int) -> int:
    return min(max(now + by, 0), max(np.int64(knobs.track_max), now)) - now


@kernel
def faith_worth(state: State, memo: Memo, code: int, n: int, style: int) -> float:
    """Worth to the Cathars."""
    if code == fx.OP_ASPIRE:
        total = 0.0
        for cube in range(n):
            enough = state.aspiring + cube >= prices.ENOUGH_ASPIRING
            total += prices.SPARE_ASPIRING if enough else prices.ASPIRING
        return total
    if code == fx.OP_CAPTURE:
        return -prices.CAPTURED * min(n, np.int64(state.montsegur))
    if code == fx.OP_RESCUE:
        return prices.RESCUED * min(n, np.int64(state.captured))
    if code == fx.OP_CONVERT:
        return -prices.CAPTURED * min(n, np.int64(state.captured))
    if would_escape(state, memo, n, style):
        return prices.ESCAPED * (escape_chance(state, memo, n) - prices.ESCAPE_RISK)
    return 0.0


@small_kernel
def would_escape(state: State, memo: Memo, points: int, style: int) -> bool:
    """The answer of all bots to D_ESCAPE_OPT."""
    if state.montsegur < ESCAPE_LEAVES + 1:
        return False
    odds = escape_chance(state, memo, points)
    return odds >= EXODUS_ESCAPE_ODDS - CLOSE if style == EXODUS else odds > ESCAPE_ODDS + CLOSE


@kernel
def soldier_worth(
    state: State, knobs: Knobs, cards: Cards, memo: Memo, at: int, code: int, n: int, side: int, style: int
) -> float:
    """To the side that the op names."""
    if code == fx.OP_REINF:
        if side == CAT:
            return prices.CATHAR_THROUGH * gets_through(state, knobs, memo, n, np.int64(cards.op[at, fx.OP_A]))
        return prices.CRUSADER_ARRIVED * max(0, n + np.int64(state.reinf_mod[CRU]))
    if code == fx.OP_MUSTER:
        return (prices.CATHAR_MUSTERED if side == CAT else prices.CRUSADER_MUSTERED) * n
    if code == fx.OP_RING:
        space = 0
        for place in range(LOCATIONS):
            if (cards.perimeter >> place) & 1 and state.soldiers[CRU, place] > 0:
                space += max(0, np.int64(state.capacity[place]) - np.int64(state.soldiers[CRU, place]))
        # the op names nobody, so `side` is the player: the sign is inverted for a Cathar player
        return (prices.IN_THE_RING if side == CRU else -prices.IN_THE_RING) * min(n, space)
    if code == fx.OP_BF_KILL:
        return -prices.ON_THE_BATTLEFIELD * min(n, np.int64(state.battlefield[side]))
    if code == fx.OP_BF_RECOVER:
        return prices.ON_THE_BATTLEFIELD * min(n, np.int64(state.battlefield[side]))
    if code == fx.OP_STRIKE or code == fx.OP_ROUT:
        worth = (prices.CATHAR_HIT if side == CAT else prices.CRUSADER_HIT) * most_hit(state, cards, at, n, side)
        return -worth if code == fx.OP_STRIKE else -prices.ROUTED * worth
    if code == fx.OP_ATTACK:
        score, _edge, _force = best_attack(
            state, knobs, cards, side, n, np.int64(cards.op[at, fx.OP_A]), np.int64(cards.op[at, fx.OP_B]),
            np.int64(cards.op[at, fx.OP_C]), style,
        )  # fmt: skip
        return score if score >= prices.WORTH_ATTACKING - CLOSE else 0.0
    return prices.REDEPLOYED


@kernel
def most_hit(state: State, cards: Cards, at: int, n: int, victim: int) -> int:
    """The most soldiers that fall at any one location of the op's zone."""
    most = 0
    for place in range(LOCATIONS):
        if (np.int64(cards.op[at, fx.OP_A]) >> place) & 1:
            most = max(most, min(n, np.int64(state.soldiers[victim, place])))
    return most


@kernel
def headquarters_worth(state: State, code: int, n: int, side: int) -> float:
    """To the side that the op names."""
    if code == fx.OP_SCOUT:
        return prices.SCOUT_GAINED * n
    if code == fx.OP_SCOUT_LOSS:
        return -prices.SCOUT_GAINED * min(n, np.int64(state.scouts[side]))
    if code == fx.OP_ADV:
        return prices.MARKER_GAINED * n
    if code == fx.OP_ADV_STEAL:
        return prices.MARKER_STOLEN if state.markers[1 - side] > 0 else 0.0
    if code == fx.OP_READY:
        return 0.0 if state.commander[side] else prices.COMMANDER_READY
    if code == fx.OP_DRAW:
        return prices.CARD_DRAWN * n
    return -prices.CARD_DISCARDED if state.hand_len[side] > 0 else 0.0


@kernel
def lasting_worth(state: State, code: int, n: int, side: int, helps: float, cathar: float) -> float:
    """Worth to the player: `helps` is 1 if the op names the player, `cathar` is 1 for a Cathar player; else -1."""
    if code == fx.OP_LEAD:
        return helps * (prices.LEADERSHIP_HELP if n > 0 else -prices.LEADERSHIP_HELP)
    if code == fx.OP_PATH_LESS:
        return prices.PATH_LESS * cathar
    if code == fx.OP_REINF_MOD:
        return helps * (prices.REINFORCEMENTS_LESS if n > 0 else -prices.REINFORCEMENTS_LESS)
    if code == fx.OP_ESCAPE_MOD:
        return cathar * (prices.ESCAPE_HELP if n > 0 else -prices.ESCAPE_HARM)
    if code == fx.OP_NO_ATTACK:
        return prices.NO_ATTACKS * cathar
    if code == fx.OP_CAVES:
        return 0.0 if state.caves[side] else prices.CAVES_OPEN * helps
    if code == fx.OP_GRAIL:
        return prices.GRAIL * cathar
    if code == fx.OP_BROKEN_LINE:
        return -prices.BROKEN_LINE * cathar
    if code == fx.OP_EW_PLUS:
        return prices.WALLS_MENDED * cathar
    return 0.0


@kernel
def danger(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int) -> float:
    """V(card, enemy); 0 if it is useless to the enemy."""
    return max(0.0, event_worth(state, knobs, cards, memo, card, 1 - side, VALUE))


@kernel
def keep_worth(state: State, knobs: Knobs, cards: Cards, memo: Memo, card: int, side: int) -> float:
    """keep(card): the risk of a trigger, and the symbols for the stack."""
    worth = prices.SYMBOL * card_symbols(knobs, cards, card, side)
    if state.markers[1 - side] >= knobs.trigger_cost:
        worth += prices.TRIGGER_RISK * danger(state, knobs, cards, memo, card, side)
    return worth
