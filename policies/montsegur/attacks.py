"""Worth of an attack, and the best attack for a number of points."""

from __future__ import annotations

import numpy as np

from policies.montsegur import prices
from policies.montsegur.measures import CLOSE, NEVER, NONE, PEACE, RING, Memo
from simlab.compiler import kernel, small_kernel
from simlab.game import Array, Cards, Knobs, State
from simlab.games.montsegur import board as b
from simlab.games.montsegur import state as s

RING_ON_THE_CREST = 3  # soldiers that RING wants there: fewer would be driven off again


def _prizes() -> Array:
    """Worth of holding a location: by side and location."""
    prizes = np.empty((2, s.LOCATIONS))
    prizes[s.CAT], prizes[s.CRU] = prices.PERIMETER_TAKEN
    prizes[:, [s.MC, s.CC]] = prices.CENTRE_TAKEN
    prizes[:, s.CRE], prizes[:, s.RDT] = prices.CREST_TAKEN, prices.ROC_TAKEN
    prizes[:, s.WW] = prizes[:, s.EW] = prices.WALL_TAKEN
    return prizes


_PRIZE = _prizes()


@kernel
def conquerors(state: State, knobs: Knobs, cards: Cards, side: int, edge: int, force: int, less: int, bare: int) -> int:
    """Attackers that would be left to take the location."""
    defenders = np.int64(state.soldiers[1 - side, cards.edge_to[edge]]) - b.flanking(state, knobs, cards, side, edge)
    return max(0, force - b.bonus_met(state, knobs, cards, side, edge, less, bare) - defenders)


@small_kernel
def attack_score(state: State, side: int, place: int, force: int, bonus: int, off: int, style: int) -> float:
    """Score of an attack with a force that meets a defence bonus after flanking has drawn `off` defenders."""
    lost = min(force, bonus)
    fallen = min(force - lost, np.int64(state.soldiers[1 - side, place]) - off)
    left = force - lost - fallen
    lost += fallen
    fallen += off
    if side == s.CAT:
        score = prices.CRUSADER_FALLEN_TO_CATHARS * fallen - prices.CATHAR_LOST * lost
    else:
        score = prices.CATHAR_FALLEN_TO_CRUSADERS * fallen - prices.CRUSADER_LOST * lost
    if left > 0:
        score += _PRIZE[side, place]
    if side == s.CAT and state.soldiers[s.CAT, s.MC] == force and not (left > 0 and place == s.CC):
        score -= prices.CASTLE_EMPTIED
    if style == PEACE:
        score -= prices.SHY_OF_ATTACKS
    elif style == RING and spared_by_ring(state, place, left):
        return NEVER
    return score


@small_kernel
def spared_by_ring(state: State, place: int, left: int) -> bool:
    """RING attacks no Cathar location except the Crest, and only to hold it with 3 or more soldiers."""
    if state.soldiers[s.CAT, place] == 0 and place != s.MC:
        return False
    return place != s.CRE or min(left, b.room(state, place)) < RING_ON_THE_CREST


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
    """Score, edge and force of the best attack, NEVER if there is none; ties: fewer soldiers, then the lower edge."""
    best, best_edge, best_force = NEVER, NONE, 0
    most = min(points, np.int64(state.soldiers[side, b.centre(side)]), s.MAX_FORCE)
    if most > 0 and not state.no_attack:
        edges = b.attack_edges(state, cards, side, at)
        while edges:
            edge = b.lowest(edges)
            edges &= edges - 1
            place = cards.edge_to[edge]
            off = b.flanking(state, knobs, cards, side, edge)
            bonus = b.bonus_met(state, knobs, cards, side, edge, less, bare)
            top = top_force(state, knobs, cards, side, edge, most, bonus)
            for force in range(1, min(top, enough(state, side, place, bonus, off, style)) + 1):
                score = attack_score(state, side, place, force, bonus, off, style)
                if score > best + CLOSE or (score > best - CLOSE and force < best_force):
                    best, best_edge, best_force = score, edge, force
    return best, best_edge, best_force


@small_kernel
def top_force(state: State, knobs: Knobs, cards: Cards, side: int, edge: int, most: int, bonus: int) -> int:
    """The largest force allowed (MS-ATK-08 under `limit_force`)."""
    if knobs.surplus_conquerors == 1:
        place = cards.edge_to[edge]
        defenders = np.int64(state.soldiers[1 - side, place]) - b.flanking(state, knobs, cards, side, edge)
        return max(1, min(most, b.room(state, place) + bonus + defenders))
    return most


@small_kernel
def enough(state: State, side: int, place: int, bonus: int, off: int, style: int) -> int:
    """The smallest force that takes a location; a larger force scores no higher. RING wants three soldiers there."""
    taking = bonus + np.int64(state.soldiers[1 - side, place]) - off + 1
    return taking + RING_ON_THE_CREST - 1 if style == RING else taking


@kernel
def work_out_attacks(state: State, knobs: Knobs, cards: Cards, memo: Memo, side: int, style: int) -> None:
    """The best attack for every number of points, into the memo."""
    if memo["attacks_known"]:
        return
    memo["attacks_known"] = 1
    own = b.controlled(state, side)
    own_centre = np.int64(1) << b.centre(side)
    memo["near"] = own & b.joined(state, cards, side, b.centre(side)) & ~own_centre
    limit = (
        s.MAX_FORCE if state.decision == s.D_PLAY else min(np.int64(state.cp), s.MAX_FORCE)
    )  # the points in play are known
    for force in range(1, limit + 1):
        memo["score"][force] = NEVER
        memo["edge"][force] = NONE
        memo["force"][force] = force
    most = min(np.int64(state.soldiers[side, b.centre(side)]), limit)
    if most == 0 or state.no_attack:
        return
    edges = b.edges_between(state, cards, side, memo["near"] | own_centre, s.ALL_LOCATIONS & ~own)
    unopposed = np.int64(0)
    while edges:
        edge = b.lowest(edges)
        edges &= edges - 1
        place = cards.edge_to[edge]
        off = b.flanking(state, knobs, cards, side, edge)
        bonus = b.bonus_met(state, knobs, cards, side, edge, s.ZERO, s.ZERO)
        if bonus == 0:  # any edge is equally good: take the first
            if (unopposed >> place) & 1:
                continue
            unopposed |= np.int64(1) << place
        top = top_force(state, knobs, cards, side, edge, most, bonus)
        for force in range(1, min(top, enough(state, side, place, bonus, off, style)) + 1):
            score = attack_score(state, side, place, force, bonus, off, style)
            if score > memo["score"][force] + CLOSE:
                memo["score"][force] = score
                memo["edge"][force] = edge
    for force in range(2, limit + 1):  # then by points: the best affordable force
        if memo["score"][force] <= memo["score"][force - 1] + CLOSE:
            memo["score"][force] = memo["score"][force - 1]
            memo["edge"][force] = memo["edge"][force - 1]
            memo["force"][force] = memo["force"][force - 1]
