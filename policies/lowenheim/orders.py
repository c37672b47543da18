"""Group orders of the Lowenheim bots (rule ledger, section 7.2)."""

from __future__ import annotations

import numpy as np

from policies.lowenheim.lookout import (
    gate,
    has_gate_guard,
    home,
    in_contact,
    most_threatened,
    nearest_intruders,
    threat,
)
from policies.lowenheim.steward import hold, special_order
from simlab.compiler import kernel
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim.board import commander_hex
from simlab.games.lowenheim.orders import rank
from simlab.games.lowenheim.state import BR, CA, CG, CHARACTER, FOOT, MOUNTED, SPECIAL, WZ, H

CROSSROADS = np.int64(136)  # hex id of the City Guard's horse in reserve
WITH_COMMANDER = 3  # path distance
MARSHAL_WATCH = 4
LEFT_AT_HOME, LEFT_AT_THE_GATE = 2, 4  # ordinary figures of a class that the marshal leaves behind


@kernel
def group_first(state: State) -> int:
    return np.int64(state.queue[state.group_at])


@kernel
def group_size(state: State) -> int:
    return np.int64(state.group_end) - np.int64(state.group_at)


@kernel
def is_posted(state: State, seat: int) -> bool:
    """Whether the group holds a foot soldier whose post is the Main Gate."""
    return has_gate_guard(state, seat, np.int64(state.group_at), np.int64(state.group_end))


@kernel
def settled(state: State, knobs: Knobs, cards: Cards) -> int:
    """An order that is the same for all bots (hold when in contact, hunt with special figures), or -1."""
    f = group_first(state)
    h = np.int64(state.hex[f])
    if in_contact(state, cards, h):
        return hold(cards)
    if rank(state, cards, f) == SPECIAL:
        return special_order(state, knobs, cards, f, h)
    return np.int64(-1)


@kernel
def horse_of_the_guard(cards: Cards) -> int:
    """The hex where the City Guard's horse waits; home on a map without that hex."""
    h = np.int64(cards.number_of[CROSSROADS])
    return h if h >= 0 else home(cards, CG)


@kernel
def garrison_order(state: State, knobs: Knobs, cards: Cards, reach: int) -> int:
    """Groups go home or to intruders near home, the gate guard goes to the gate, and the City Guard's horse to
    intruders near itself.
    """
    order = settled(state, knobs, cards)
    if order >= 0:
        return order
    seat = np.int64(state.seat)
    f = group_first(state)
    h = np.int64(state.hex[f])
    cls = rank(state, cards, f)
    if cls == FOOT and is_posted(state, seat):
        return gate(cards)
    if seat == CG and cls == MOUNTED:
        target = nearest_intruders(state, cards, h, np.int64(4))
        return target if target >= 0 else horse_of_the_guard(cards)
    target = nearest_intruders(state, cards, home(cards, seat), reach)
    return target if target >= 0 else home(cards, seat)


@kernel
def hunter_order(state: State, knobs: Knobs, cards: Cards, reach: int) -> int:
    """To the nearest intruders: nearest to the commander for groups near him, nearest to the group itself for
    others.
    """
    order = settled(state, knobs, cards)
    if order >= 0:
        return order
    seat = np.int64(state.seat)
    f = group_first(state)
    h = np.int64(state.hex[f])
    if seat == WZ:
        return home(cards, seat)
    if rank(state, cards, f) == FOOT and is_posted(state, seat):
        return gate(cards)
    start = h
    commander = commander_hex(state, cards, seat)
    if commander >= 0 and np.int64(cards.path[state.config, h, commander]) <= WITH_COMMANDER:
        start = commander
    target = nearest_intruders(state, cards, start, reach)
    return target if target >= 0 else home(cards, seat)


@kernel
def left_behind(state: State, cards: Cards, seat: int) -> int:
    """Ordinary figures of the current group that the marshal leaves in place."""
    f = group_first(state)
    cls = rank(state, cards, f)
    if seat == WZ or cls == CHARACTER or cls == SPECIAL:
        return np.int64(0)
    h = np.int64(state.hex[f])
    if seat == CG:
        return np.int64(LEFT_AT_THE_GATE if h == gate(cards) else 0)
    return np.int64(LEFT_AT_HOME if h == home(cards, seat) else 0)


@kernel
def marshal_order(state: State, knobs: Knobs, cards: Cards, reach: int) -> int:
    """To the most threatened place in reach, else the nearest intruders, else a place in reserve."""
    order = settled(state, knobs, cards)
    if order >= 0:
        return order
    seat = np.int64(state.seat)
    if group_size(state) - left_behind(state, cards, seat) <= 0:
        return hold(cards)
    f = group_first(state)
    h = np.int64(state.hex[f])
    if seat == WZ:
        return home(cards, seat)
    target = most_threatened(state, cards, h, reach)
    if target < 0:
        target = nearest_intruders(state, cards, h, np.int64(MARSHAL_WATCH))
    if target >= 0:
        return target
    if seat == CA or seat == BR:
        return np.int64(cards.main[H])
    if seat == CG and rank(state, cards, f) == MOUNTED:
        return horse_of_the_guard(cards)
    return home(cards, seat)


@kernel
def marshal_count(state: State, cards: Cards) -> int:
    """LW-D18: sends all figures except those left behind."""
    return max(np.int64(1), group_size(state) - left_behind(state, cards, np.int64(state.seat)))


@kernel
def tower_in_danger(state: State, cards: Cards) -> bool:
    return threat(state, cards, np.int64(WZ)) > 0
