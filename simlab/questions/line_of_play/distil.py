"""A bot's play as a short list of rules: a decision tree of its choices, written as a file of rules.

Positions of the bot's games are split by the information that its seat sees, starting with the splits that remove the
most mistakes. Each leaf ranks the actions by how often the bot takes them if they are legal, or leaves the choice to
another bot. Then the rules play, and the bot gives its choice in the positions that they reach, so the rules learn to
recover from their own mistakes.

Sources: Breiman et al. (1984), Classification and regression trees, for growing and pruning; Ross, Gordon and
Bagnell (2011), A reduction of imitation learning to no-regret online learning, for learning from the rules' own games.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from simlab.author.rule_bots import fields_of
from simlab.engine.entry_points import view
from simlab.engine.learning.fields import Leaf, leaves
from simlab.engine.learning.inputs import look
from simlab.engine.learning.kernels import KIND, NAMES, PLACE, SPAN, TRACK
from simlab.engine.match import Match
from simlab.game import Array, Game
from simlab.questions.positions import games_of
from simlab.spec.bans import name_of

FEWEST = 20  #: positions of a leaf
_CUTS = 24  # values of a number that are tried as a split
_CLASSES = 32  # actions that splits distinguish: the most frequent
_GROWN = 4  # times as many rules as asked for, before trees are pruned
_RANKED = 12  # actions named by a rule


@dataclass(frozen=True)
class Feature:
    """A number that the seat sees. text: its name in a condition of a rule."""

    text: str
    leaf: Leaf
    index: int


def features_of(match: Match, seat: int, seed: int) -> list[Feature]:
    """The numbers that a seat always sees and that rules may name; bit sets in wide fields are not numbers."""
    known = set(fields_of(match.game))
    own = [leaf for leaf in leaves(match.game.state) if leaf.name in known and leaf.type.itemsize < 8]
    found: dict[str, Feature] = {}
    for reading in look([match], seed).readings[seat]:
        place, kind, span = int(reading[PLACE]), int(reading[KIND]), int(reading[SPAN])
        leaf = next((one for one in own if one.place <= place < one.place + one.bytes), None)
        if leaf is None or kind == TRACK or (reading[NAMES] and span > 1 and leaf.size > 64):
            continue
        first = (place - leaf.place) // leaf.type.itemsize
        for index in range(first, first + span):
            at = ", ".join(str(i) for i in np.unravel_index(index, leaf.shape)) if leaf.shape else ""
            text = f"{leaf.name}[{at}]" if at else leaf.name
            found[text] = Feature(text, leaf, index)
    return list(found.values())


@dataclass(frozen=True)
class Choices:
    """A bot's choices in positions.

    Attributes:
        numbers: the features, int64 (positions, features). kind: kind of decision, (positions,). legal: which actions
            are legal, bool (positions, max_actions).
        chosen: the bot's action, (positions,). other: the action of the bot to which rules may leave a choice, or -1
            without such a bot, (positions,).
        turn, game: turn and game of each position, (positions,).
    """

    numbers: Array
    kind: Array
    legal: Array
    chosen: Array
    other: Array
    turn: Array
    game: Array

    @classmethod
    def of(cls, game: Game, features: Sequence[Feature], positions: Array, chosen: Array, other: Array) -> Choices:
        memory = positions.view(np.ndarray).view(np.uint8).reshape(len(positions), -1)
        numbers = np.zeros((len(positions), len(features)), np.int64)
        for column, one in enumerate(features):
            numbers[:, column] = one.leaf.of(memory)[:, one.index]
        legal = np.zeros((len(positions), game.max_actions), bool)
        rows, places = np.nonzero(np.arange(positions["legal"].shape[1]) < positions["n_legal"][:, None])
        legal[rows, positions["legal"][rows, places]] = True
        kind, turn = (positions[name].astype(np.int64) for name in ("decision", "turn"))
        return cls(numbers, kind, legal, chosen, other, turn, games_of(positions))

    def joined(self, other: Choices) -> Choices:
        return Choices(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in vars(self)))


@dataclass
class Node:
    """A part of the positions of a kind of decision.

    Attributes:
        ranking: actions, the most preferred first; empty if the other bot decides. wrong: number of positions in which
            this is not the bot's choice.
        split: feature and the largest number of the low side, with the two sides; None for a leaf.
    """

    rows: Array
    ranking: list[int]
    wrong: int
    split: tuple[int, int] | None = None
    sides: tuple[Node, ...] = ()


@dataclass(frozen=True)
class ListedRule:
    """A rule. actions: the most preferred first. right: number of its positions in which it makes the bot's choice."""

    kind: int
    conditions: tuple[str, ...]
    actions: tuple[int, ...]
    positions: int
    right: int


def as_toml(game: Game, rules: Sequence[ListedRule], other: str, name: str, about: str) -> str:
    """Rules as a file. other: bot that decides if no rule does, or ""."""
    written = partial(json.dumps, ensure_ascii=False)  # as TOML writes texts and lists
    lines = ["[bot]", f'game = "{game.slug}"', f'name = "{name}"', f"help = {written(about)}"]
    lines += [f"otherwise = {written(other)}"] if other else []
    for rule in rules:
        decision = game.decisions[rule.kind]
        lines += ["", "[[rule]]", f'decision = "{decision.name.replace(" ", "_")}"']
        if rule.conditions:
            lines.append(f"if = {written(' and '.join(rule.conditions))}")
        names = dict(enumerate(decision.actions))
        chosen = written([names.get(action, action) for action in rule.actions])
        unnamed = [name_of(game, rule.kind, action) for action in rule.actions if action not in names]
        comment = f"  # {', '.join(unnamed)}" if unnamed else ""
        lines.append(f"choose = {chosen}{comment}")
    return "\n".join(lines) + "\n"


def distilled(features: Sequence[Feature], choices: Choices, most: int, exceptions: bool) -> list[ListedRule]:
    """Learns at most this number of rules, but at least one for each kind of decision. If they are exceptions, another
    bot decides when no rule does. Trees are first grown larger and then pruned where that adds the fewest mistakes,
    because a split without a gain of its own may be needed by the next split.
    """
    roots = {int(kind): _node(choices, np.flatnonzero(choices.kind == kind)) for kind in np.unique(choices.kind)}
    ends = [(root, _best_split(choices, root)) for root in roots.values()]
    while len(ends) < _GROWN * most:
        gains = [split[0] if split else 0.0 for _, split in ends]
        place = max(range(len(ends)), key=lambda i: gains[i])
        node, split = ends[place]
        if split is None:
            break
        node.split, node.sides = split[1], split[2]
        ends[place : place + 1] = [(side, _best_split(choices, side)) for side in node.sides]
    while True:
        splits = [node for root in roots.values() for node in _splits(root)]
        if not splits:
            break
        costs = [_cost(node) for node in splits]
        least = min(range(len(splits)), key=lambda i: costs[i])
        listed = sum(bool(end.ranking) for root in roots.values() for end in _ends(root))
        if costs[least] > 0 and listed <= most:
            break
        splits[least].split, splits[least].sides = None, ()
    return [rule for kind, root in roots.items() for rule in _rules(root, kind, (), features, exceptions)]


def _splits(node: Node) -> list[Node]:
    return [node, *(one for side in node.sides for one in _splits(side))] if node.sides else []


def _cost(node: Node) -> float:
    """Mistakes that would be added, per rule saved, if a part were not split."""
    ends = _ends(node)
    return (node.wrong - sum(end.wrong for end in ends)) / (len(ends) - 1)


def _ends(node: Node) -> list[Node]:
    return [end for side in node.sides for end in _ends(side)] if node.sides else [node]


def _node(choices: Choices, rows: Array) -> Node:
    legal, chosen = choices.legal[rows], choices.chosen[rows]
    most = legal.shape[1]
    taken, allowed = np.bincount(chosen, minlength=most)[:most], legal.sum(axis=0)
    order = sorted(np.flatnonzero(allowed).tolist(), key=lambda a: (-taken[a] / allowed[a], -taken[a], a))
    place = np.full(most, most)
    place[order] = np.arange(len(order))
    first = np.where(legal, place, most).argmin(axis=1)
    wrong, others = int((first != chosen).sum()), int((choices.other[rows] != chosen).sum())
    return Node(rows, order, wrong) if wrong < others else Node(rows, [], others)


def _best_split(choices: Choices, node: Node) -> tuple[float, tuple[int, int], tuple[Node, Node]] | None:
    """The split with the purest sides, as (impurity that it removes, split, sides)."""
    n = len(node.rows)
    if node.wrong == 0 or n < 2 * FEWEST:
        return None
    chosen, alike = choices.chosen[node.rows], choices.chosen[node.rows] == choices.other[node.rows]
    frequent = np.bincount(chosen[~alike], minlength=1)
    names = np.argsort(-frequent, kind="stable")[: _CLASSES - 2]
    of = np.full(max(len(frequent), int(chosen.max()) + 1), _CLASSES - 2)
    of[names] = np.arange(len(names))
    label = np.where(alike, _CLASSES - 1, of[chosen])
    before = n - (np.bincount(label) ** 2).sum() / n
    best: tuple[float, int, int] = (1e-9, -1, 0)
    numbers = choices.numbers[node.rows]
    for column in range(numbers.shape[1]):
        values = numbers[:, column]
        cuts = np.unique(values)[:-1]
        if not len(cuts):
            continue
        if len(cuts) > _CUTS:
            cuts = np.unique(np.quantile(values, np.linspace(0.02, 0.98, _CUTS), method="lower"))
        place = np.searchsorted(cuts, values, side="left")
        table = np.bincount(place * _CLASSES + label, minlength=(len(cuts) + 1) * _CLASSES)
        low = table.reshape(-1, _CLASSES).cumsum(axis=0)
        high = low[-1] - low
        counts = low.sum(axis=1), high.sum(axis=1)
        fits = (counts[0] >= FEWEST) & (counts[1] >= FEWEST)
        fits[len(cuts) :] = False
        if not fits.any():
            continue
        impure = sum(c - (side**2).sum(axis=1) / np.maximum(c, 1) for side, c in zip((low, high), counts, strict=True))
        gain = np.where(fits, before - impure, -1.0)
        at = int(gain.argmax())
        if gain[at] > best[0]:
            best = float(gain[at]), column, int(cuts[at])
    if best[1] < 0:
        return None
    under = numbers[:, best[1]] <= best[2]
    sides = _node(choices, node.rows[under]), _node(choices, node.rows[~under])
    return best[0], (best[1], best[2]), sides


def _rules(
    node: Node, kind: int, before: tuple[str, ...], features: Sequence[Feature], exceptions: bool
) -> Iterator[ListedRule]:
    """The rules of a part; exceptions leave out the positions in which the other bot decides."""
    if node.split is None:
        n = len(node.rows)
        if node.ranking or not exceptions:
            yield ListedRule(kind, before, tuple(node.ranking[:_RANKED]), n, n - node.wrong)
        return
    column, cut = node.split
    low, high = node.sides
    sides = [(low, _and(before, features[column], "<=", cut)), (high, _and(before, features[column], ">", cut))]
    if not exceptions:  # every position has a rule: the second side need not repeat what the first has handled
        sides = [sides[0], (high, before)] if high.split or not low.split else [sides[1], (low, before)]
    for side, conditions in sides:
        yield from _rules(side, kind, conditions, features, exceptions)


def _and(before: tuple[str, ...], feature: Feature, sign: str, cut: int) -> tuple[str, ...]:
    """Adds a condition, which replaces a wider condition on the same number."""
    start = f"{feature.text} {sign} "
    return (*(one for one in before if not one.startswith(start)), f"{start}{cut}")


def asked(bot: Any, match: Match, seat: int, positions: Array) -> Array:
    """The action that a seat's bot of a match takes in each position: int64 (positions,)."""
    copies = view(positions.copy())
    knobs, cards, traits = view(match.knobs), view(match.cards), match.traits[seat]
    return np.array([bot(state, knobs[0], cards[0], traits) for state in copies], np.int64)
