"""Information-set Monte Carlo tree search: each seat has a tree of its observations, and all trees grow together.

An iteration deals the acting seat's hidden information, then descends: each seat chooses in its own tree, by upper
confidence bounds over the actions that this deal allows. Every tree follows what its seat learns about the action: the
action itself, or, for a secret choice of another seat, only that a choice was made. The descent ends at the first
action that is new to the seat to choose, and the playout bots play on.

Results of chance (dice, a card turned up) do not split the nodes: a node is a sequence of actions, and its values are
means over all random draws that led there. Decisions with one legal action are in no tree.

Source: Cowling, Powley, Whitehouse (2012), Information set Monte Carlo tree search (their MO-ISMCTS, with availability
counts in the bound); progressive widening: Chaslot and others (2008). Our additions: a node first tries the playout
bot's action, and a final choice other than the playout bot's must beat it by a number of standard errors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.search.sequential_halving import LUCK
from simlab.engine.search.traits import ACTION, VALUE, VISITS, T
from simlab.engine.streams import bot_below

imagine = play_on = appraise = choose = apply_action = legal_actions = unbound
STATE = ROW = np.dtype(np.int64)
SEATS, N_TRACKS, LONGEST, MAX_ACTIONS = 1, 1, 0, 1
SECRET = np.zeros(1, np.bool_)  #: by kind of decision: whether other seats learn only that it was taken

NODE = np.dtype(
    [
        ("parent", np.int32),
        ("child", np.int32),  # first child; -1: none
        ("last", np.int32),  # last child
        ("next", np.int32),  # its parent's next child
        ("label", np.int32),  # kind of decision * MAX_ACTIONS + action; for a secret one -1 - kind
        ("visits", np.int32),
        ("offered", np.int32),  # how often it could have been taken when its parent was visited
        ("value", np.float64),  # sum, of the tree's own seat
        ("square", np.float64),
    ],
    align=True,
)


def follow(nodes: Any, size: Any, node: int, label: int) -> int:
    """The child with that label, created if it is new; -1 if there is no room. size: int64 (1,), nodes in use."""
    child = nodes[node].child
    while child >= 0:
        if nodes[child].label == label:
            return np.int64(child)
        child = nodes[child].next
    new = size[0]
    if new == nodes.size:
        return -1
    size[0] += 1
    nodes[new].parent = node
    nodes[new].child = -1
    nodes[new].last = -1
    nodes[new].next = -1
    nodes[new].label = label
    if nodes[node].child < 0:
        nodes[node].child = new
    else:
        nodes[nodes[node].last].next = new
    nodes[node].last = new
    return np.int64(new)


def select(
    state: Any,
    nodes: Any,
    node: int,
    marks: Any,
    logs: Any,
    low: float,
    high: float,
    exploration: float,
    widening: float,
) -> int:
    """The choice of the seat to act, in its own tree.

    Args:
        marks: int64 (MAX_ACTIONS + 1,), scratch: for each action, the visit at which it was last legal; then the number
            of visits.
        logs: float64, the logarithm of each number of visits.
        low, high: lowest and highest value so far; values are scaled to 0..1 between them.
    Returns:
        the child node of an action that has been tried; -1: try a new one, which `marks` then flags by the negative of
        the visit.
    """
    marks[MAX_ACTIONS] += 1
    visit = marks[MAX_ACTIONS]
    base = np.int64(state.decision) * MAX_ACTIONS
    for a in range(state.n_legal):
        marks[state.legal[a]] = -visit
    tried = 0
    scale = 1.0 / (high - low) if high > low else 0.0
    best, most = np.int64(-1), -np.inf
    child = np.int64(nodes[node].child)
    while child >= 0:
        one = nodes[child]
        action = one.label - base
        if 0 <= action < MAX_ACTIONS and marks[action] == -visit:
            marks[action] = visit
            one.offered += 1
            tried += 1
            if one.visits > 0:
                part = 1.0 / one.visits
                bound = (one.value * part - low) * scale + exploration * math.sqrt(logs[one.offered] * part)
                if bound > most:
                    best, most = child, bound
        child = np.int64(one.next)
    room = widening == 0.0 or tried < max(1.0, widening * math.sqrt(nodes[node].visits))
    return -1 if tried < state.n_legal and room else best


def new_action(state: Any, knobs: Any, cards: Any, traits: Any, nodes: Any, node: int, marks: Any) -> int:
    """An action that the node has not tried: first the playout bot's action, then any other."""
    visit = marks[MAX_ACTIONS]
    if nodes[node].child < 0:
        return np.int64(choose(state, knobs, cards, traits))
    untried = 0
    for a in range(state.n_legal):
        untried += marks[state.legal[a]] == -visit
    pick = bot_below(state, untried)
    for a in range(state.n_legal):
        if marks[state.legal[a]] == -visit:
            if pick == 0:
                return np.int64(state.legal[a])
            pick -= 1
    return np.int64(state.legal[0])


def descend(
    state: Any, knobs: Any, cards: Any, traits: Any, nodes: Any, size: Any, at: Any, marks: Any, logs: Any, low: Any,
    high: Any, seat: int, usual: int, most: int,
) -> int:  # fmt: skip
    """Descends the trees until the seat to choose takes an action that is new to it, or the tree is full.

    Args:
        at: int64 (SEATS,): the node of each tree, filled. usual: the playout bot's action at the root.
        most: decisions after which to stop.
    Returns:
        Number of decisions.
    """
    exploration, widening, known = traits[T.exploration], traits[T.widening], traits[T.known] != 0.0
    decisions = 0
    while not state.over and decisions < most:
        state.n_legal = 0
        legal_actions(state, knobs, cards)
        if state.n_legal == 0:
            return decisions
        mover = np.int64(state.seat)
        action = np.int64(state.legal[0])
        new = False
        if state.n_legal > 1:
            node = at[mover]
            taken = np.int64(-1)
            if known and mover != seat:
                action = np.int64(choose(state, knobs, cards, traits))
            else:
                taken = select(state, nodes, node, marks, logs, low[mover], high[mover], exploration, widening)
                if taken >= 0:
                    action = np.int64(nodes[taken].label - np.int64(state.decision) * MAX_ACTIONS)
                else:
                    new = True
                    root = node == seat and nodes[node].child < 0
                    action = usual if root else new_action(state, knobs, cards, traits, nodes, node, marks)
            decision = np.int64(state.decision)
            for tree in range(SEATS):
                if known and tree != seat:
                    continue
                if tree == mover and taken >= 0:
                    at[tree] = taken
                    continue
                label = decision * MAX_ACTIONS + action
                if tree != mover and SECRET[decision]:
                    label = -1 - decision
                below = follow(nodes, size, at[tree], label)
                if below < 0:
                    new = True
                else:
                    if new and tree == mover:
                        nodes[below].offered = 1
                    at[tree] = below
        apply_action(state, knobs, cards, action)
        decisions += 1
        if new:
            return decisions
    return decisions


def search(state: Any, knobs: Any, cards: Any, traits: Any, table: Any) -> int:
    """The action to take; arguments as for simlab.engine.search.sequential_halving.search."""
    actions = np.int64(state.n_legal)
    seat = np.int64(state.seat)
    for a in range(actions):
        table[a, ACTION] = state.legal[a]
    if actions == 1:
        return np.int64(state.legal[0])
    usual = np.int64(choose(state, knobs, cards, traits))
    budget = np.int64(traits[T.iterations])
    by_score = traits[T.score] != 0.0
    depth = np.int64(traits[T.depth])
    most = depth if depth > 0 else LONGEST
    luck = bot_below(state, LUCK)

    # Every iteration adds a node to the tree of the seat that tries something new, and a few to the others.
    nodes = np.zeros(SEATS * (4 * budget + 64), NODE)
    for tree in range(SEATS):
        nodes[tree].parent = nodes[tree].child = nodes[tree].last = nodes[tree].next = -1
    size = np.full(1, SEATS, np.int64)
    at = np.empty(SEATS, np.int64)
    marks = np.zeros(MAX_ACTIONS + 1, np.int64)
    logs = np.zeros(budget + 2)
    for visits in range(1, logs.size):
        logs[visits] = math.log(visits)
    low = np.zeros(SEATS)
    high = np.ones(SEATS)
    if by_score:
        low[:], high[:] = np.inf, -np.inf
    future = np.zeros(1, STATE)
    rows = np.zeros(2, ROW)
    tracks = np.zeros(N_TRACKS, np.int32)
    values = np.zeros(SEATS)
    for number in range(budget):
        imagine(future, state, knobs, cards, seat, luck + number)
        for tree in range(SEATS):
            at[tree] = tree
        taken = descend(
            future[0], knobs, cards, traits, nodes, size, at, marks, logs, low, high, seat, usual, most
        )  # fmt: skip
        play_on(future[0], knobs, cards, traits, most - taken)
        appraise(future[0], knobs, cards, traits, seat, rows, tracks, by_score, values)
        for tree in range(SEATS):
            value = values[tree]
            low[tree], high[tree] = min(low[tree], value), max(high[tree], value)
            node = at[tree]
            while node >= 0:
                nodes[node].visits += 1
                nodes[node].value += value
                nodes[node].square += value * value
                node = nodes[node].parent
    return decide(nodes, seat, usual, table, traits[T.caution])


def decide(nodes: Any, seat: int, usual: int, table: Any, caution: float) -> int:
    """The most visited action, if it is significantly better than the playout bot's; fills the table."""
    best, usually = np.int64(-1), np.int64(-1)
    child = nodes[seat].child
    while child >= 0:
        action = nodes[child].label % MAX_ACTIONS
        for a in range(table.shape[0]):
            if table[a, ACTION] == action and nodes[child].visits > 0:
                table[a, VISITS] = nodes[child].visits
                table[a, VALUE] = nodes[child].value / nodes[child].visits
                if best < 0 or table[a, VISITS] > table[best, VISITS]:
                    best = a
                if action == usual:
                    usually = a
        child = nodes[child].next
    if best < 0:
        return usual
    if usually >= 0 and best != usually:
        root = nodes[seat]
        mean = root.value / root.visits
        spread = max(root.square / root.visits - mean * mean, 0.0)
        error = math.sqrt(spread * (1.0 / table[best, VISITS] + 1.0 / table[usually, VISITS]))
        if table[best, VALUE] - table[usually, VALUE] < caution * error:
            return usual
    return np.int64(table[best, ACTION])
