"""How bots of Westphalia fight: Doctrines, bought cards, the card of a clash, reinforcements (ledger 3.13 and 3.14)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import state as s
from simlab.games.westphalia.doctrines import executable, opponent_of
from simlab.games.westphalia.hands import hand_size
from simlab.games.westphalia.tables import AMBUSH, ANY, SWAP

TEMPERATURE = 0.7

# --- Before the first clash -------------------------------------------------------------------


@kernel
def doctrine(state: State, cards: Cards, me: int) -> int:
    """The Doctrine that swaps the cards it can best spare; Guerilla with a large hand; an equal swap last."""
    best = s.NO_DOCTRINE
    most = 0.0
    for kind in range(s.DOCTRINES):
        if state.doctrine[me, kind] == 0 or not executable(state, cards, me, np.int64(kind)):
            continue
        value = 0.1
        if cards.doctrine_kind[kind] == SWAP and cards.gives[kind, ANY] == 0:
            spare = np.int64(100)
            for each in range(s.KINDS):
                if cards.gives[kind, each] > 0:
                    spare = min(spare, np.int64(state.hand[me, each] - cards.gives[kind, each]))
            value = 1.0 + spare
        elif cards.doctrine_kind[kind] == AMBUSH:
            value = 1.5 if hand_size(state, me) >= 6 else 0.05
        if value > most:
            best, most = np.int64(kind), value
    return best


@kernel
def executes(state: State, cards: Cards, me: int) -> int:
    """Whether to use a Doctrine. Only a change of two cards with little effect, and an ambush by a small army, are not
    used.
    """
    played = np.int64(state.played[me])
    if cards.doctrine_kind[played] == AMBUSH:
        return np.int64(hand_size(state, me) >= 6)
    if cards.gives[played, ANY] > 0:
        return np.int64(state.hand[me, most_held(state, me)] >= 2 + state.hand[me, least_held(state, me)])
    return np.int64(1)


@kernel
def most_held(state: State, player: int) -> int:
    best = s.MUSKETEER
    for kind in range(1, s.KINDS):
        if state.hand[player, kind] > state.hand[player, best]:
            best = np.int64(kind)
    return best


@kernel
def least_held(state: State, player: int) -> int:
    best = s.MUSKETEER
    for kind in range(1, s.KINDS):
        if state.hand[player, kind] < state.hand[player, best]:
            best = np.int64(kind)
    return best


@kernel
def swapped_card(state: State, me: int) -> int:
    """WP-DOC-04: gives the kind it has most of, takes the kind it has least of."""
    return most_held(state, me) if state.give_left > 0 else least_held(state, me)


@kernel
def ambush_card(state: State, me: int) -> int:
    """WP-DOC-05: pays with the kind that it has most of; removes Cavalry, then Musketeers, then Pikemen."""
    if state.give_left > 0:
        return most_held(state, me)
    for kind in (s.CAVALRY, s.MUSKETEER, s.PIKEMAN):
        if (state.options[0] >> kind) & 1:
            return kind
    return np.int64(state.legal[0])


@kernel
def purchase(state: State, me: int, gold_kept: int) -> int:
    """WP-DOC-06: buys the kind it has fewest of, until only `gold_kept` Gold is left."""
    if state.gold[me] <= gold_kept:
        return s.NO_CARD
    return least_held(state, me)


@kernel
def close_fight(state: State, me: int) -> bool:
    """Whether the enemy has nearly as many cards, or more, so a bought card matters."""
    enemy = opponent_of(state, me)
    if enemy < 0:
        return False
    mine = hand_size(state, me) + np.int64(state.reserve[me])
    theirs = hand_size(state, enemy) + np.int64(state.reserve[enemy])
    return mine < 1.3 * theirs


# --- A clash ------------------------------------------------------------------------------


@kernel
def enemy_share(state: State, enemy: int, kind: int) -> float:
    """An estimate of a kind's share of a hand: from shown cards and, for the rest, from the kinds not in its discard
    pile."""
    held = hand_size(state, enemy)
    shown = np.int64(0)
    gone = np.int64(0)
    for each in range(s.KINDS):
        shown += state.shown[enemy, each]
        gone += state.discard[enemy, each]
    left = 12.0 - min(np.int64(state.discard[enemy, kind]), np.int64(12))
    unknown = max(held - shown, np.int64(0)) * left / max(36 - gone, np.int64(1))
    return (float(state.shown[enemy, kind]) + unknown) / max(held, np.int64(1))


@kernel
def card_of_clash(state: State, knobs: Knobs, me: int) -> int:
    """The better a kind does against the enemy's possible cards, the more often it is played, but never always."""
    enemy = opponent_of(state, me)
    if state.n_legal == 1 or enemy < 0:
        return np.int64(state.legal[0])
    muskets = enemy_share(state, enemy, s.MUSKETEER)
    pikes = enemy_share(state, enemy, s.PIKEMAN)
    horse = 0.0 if state.barred[enemy] else enemy_share(state, enemy, s.CAVALRY)
    loss = 1.5 if state.turn >= knobs.rifling_from_round else 1.0
    total = 0.0
    weights = (
        np.exp((1.0 * loss * pikes - 1.5 * horse - 0.3 * (state.hand[me, s.MUSKETEER] == 1)) / TEMPERATURE),
        np.exp((1.2 * horse - 1.0 * loss * muskets - 0.3 * (state.hand[me, s.PIKEMAN] == 1)) / TEMPERATURE),
        np.exp((2.0 * muskets - 1.2 * pikes - 0.3 * (state.hand[me, s.CAVALRY] == 1)) / TEMPERATURE),
    )
    for kind in range(s.KINDS):
        if (state.options[0] >> kind) & 1:
            total += weights[kind]
    point = total * bot_below(state, np.int64(1 << 20)) / (1 << 20)
    choice = s.NOBODY
    for kind in range(s.KINDS):
        if (state.options[0] >> kind) & 1:
            choice = np.int64(kind)
            point -= weights[kind]
            if point < 0.0:
                break
    return choice


@kernel
def infantry(state: State, me: int) -> int:
    """WP-BAT-10: gives up the kind it has more of."""
    if not (state.options[0] >> s.PIKEMAN) & 1:
        return s.MUSKETEER
    if not (state.options[0] >> s.MUSKETEER) & 1:
        return s.PIKEMAN
    return s.MUSKETEER if state.hand[me, s.MUSKETEER] >= state.hand[me, s.PIKEMAN] else s.PIKEMAN


@kernel
def reinforcement(state: State, me: int) -> int:
    """WP-BAT-15: calls with few cards left, or half as many as the enemy; takes Cavalry, Musketeers and Pikemen in
    turn."""
    enemy = opponent_of(state, me)
    if state.called[me] == 0:
        few = hand_size(state, me) <= 3
        if not few and (enemy < 0 or 2 * hand_size(state, me) > hand_size(state, enemy)):
            return s.NO_CARD
    best = s.NO_CARD
    for kind in (s.CAVALRY, s.MUSKETEER, s.PIKEMAN):
        if (state.options[0] >> kind) & 1 and (best == s.NO_CARD or state.hand[me, kind] < state.hand[me, best]):
            best = kind
    return best
