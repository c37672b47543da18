"""Fitting nets to the values of actions and of positions: Adam on weighted squares, and ridge regression of averages.

Sources: Kingma, Ba (2015), Adam: a method for stochastic optimization; Srivastava et al. (2014), Dropout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import solve

from simlab.engine.learning.player import WEIGHTS, WORTH, Net

Array = np.ndarray[Any, Any]
RATE, DECAY, PATIENCE = 1e-3, 1e-4, 6
_SHRINK = 30.0  # ridge penalty of an average, in weights of examples, which add up to one in each position
_DROPOUT = 0.3  # share of the inputs that are left out at random, for players with a teacher
_BLOCK = 4_096  # positions that are valued at once


@dataclass
class Examples:
    """Positions with the values of their actions."""

    inputs: Array  #: (n, inputs), float32, or float16 with a teacher
    outputs: Array  #: int32 (n, actions): outputs of the actions that were tried, then -1
    gains: Array  #: float32 (n, actions): value of an action minus the average of those tried
    weights: Array  #: float32 (n, actions): how often an action was tried, adding up to 1
    advised: Array  #: float32 (n, actions): 1 for the action that the teacher would take

    @classmethod
    def of(
        cls, inputs: Array, outputs: Array, values: Array, visits: Array, legal: Array, advised: Array | None = None
    ) -> Examples:
        """Examples from mean values and numbers of futures, both (n, actions).

        Actions to try are picked at random. An action that was not tried therefore gets the average value of those
        that were, with the weight of a single future.

        Args:
            legal: bool (n, actions). advised: bool (n, actions), true for the teacher's action.
        """
        known, tried = visits > 0, legal & (outputs >= 0)
        average = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        values = np.where(known, values, average[:, None])
        weights = np.where(tried, np.maximum(visits, 1.0), 0.0)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
        gains = np.where(tried, values - (weights * values).sum(axis=1, keepdims=True), 0.0)
        order = np.argsort(~tried, axis=1, kind="stable")[:, : max(int(tried.sum(axis=1).max(initial=1)), 1)]
        taught = advised is not None
        advised = np.zeros(legal.shape) if advised is None else np.where(tried, advised, 0.0)
        kept = [np.take_along_axis(part, order, axis=1) for part in (gains, weights, advised)]
        outputs = np.take_along_axis(np.where(tried, outputs, -1), order, axis=1)
        narrow = [part.astype(np.float32) for part in kept]
        # The many positions of a player with a teacher are kept with half the usual precision.
        return cls(inputs.astype(np.float16 if taught else np.float32), outputs, *narrow)

    @property
    def met(self) -> Array:
        """Inputs that are not always zero, bool (inputs,)."""
        met = np.zeros(self.inputs.shape[1], np.bool_)
        for start in range(0, len(self.inputs), _BLOCK):
            met |= (self.inputs[start : start + _BLOCK] != 0).any(axis=0)
        return met

    @staticmethod
    def joined(parts: list[Examples]) -> Examples:
        """All examples as one, padded to the same number of actions."""
        most = max(part.outputs.shape[1] for part in parts)

        def wide(array: Array, fill: float) -> Array:
            return np.pad(array, ((0, 0), (0, most - array.shape[1])), constant_values=fill)

        return Examples(
            np.concatenate([part.inputs for part in parts]),
            np.concatenate([wide(part.outputs, -1) for part in parts]),
            np.concatenate([wide(part.gains, 0) for part in parts]),
            np.concatenate([wide(part.weights, 0) for part in parts]),
            np.concatenate([wide(part.advised, 0) for part in parts]),
        )


def fit(net: Net, examples: Examples, epochs: int, seed: int, decision_of: Array | None = None) -> Net:
    """Trains a copy of this net on the examples; the new net chooses without noise.

    Args:
        epochs: largest number of training epochs.
        decision_of: for a player with a teacher, int (outputs,), the decision of each output. The last layer of such a
            net starts from averages over positions: how much better each action is, and in each decision the teacher's
            action. Because the values are noisy, these averages are most of what can be learned, and a net alone finds
            them late, after it has learned much noise.
    """
    spread = float(np.sqrt((examples.weights * examples.gains**2).sum() / max(len(examples.gains), 1)))
    scale = 1 / max(spread, 1e-9)
    draw = np.random.default_rng((seed, 2))

    def errors(weights: list[Array], inputs: Array, some: Array) -> tuple[Array, Array, Array]:
        """For `some` examples: the hidden layer, the numbers of the outputs, and the errors of the predicted gains."""
        first, bias, last, level, trust = weights
        hidden = np.maximum(inputs @ first + bias, 0)
        answers = hidden @ last.T + level
        outputs = np.maximum(examples.outputs[some], 0)
        chosen = np.take_along_axis(answers, outputs, axis=1) + trust[outputs] * examples.advised[some]
        chosen -= (examples.weights[some] * chosen).sum(axis=1, keepdims=True)
        return hidden, outputs, chosen - scale * examples.gains[some]

    def loss(weights: list[Array], some: Array) -> float:
        return float((examples.weights[some] * errors(weights, examples.inputs[some], some)[2] ** 2).sum())

    def slopes(weights: list[Array], some: Array) -> tuple[Array, ...]:
        inputs = examples.inputs[some].astype(np.float32, copy=False)
        if decision_of is not None:
            inputs = inputs * (draw.random(inputs.shape, np.float32) >= _DROPOUT) / np.float32(1 - _DROPOUT)
        hidden, outputs, error = errors(weights, inputs, some)
        error *= 2 * examples.weights[some] / len(some)
        count = len(weights[3])
        cells = (np.arange(len(some))[:, None] * count + outputs).ravel()
        back = np.bincount(cells, error.ravel(), len(some) * count).reshape(len(some), count).astype(np.float32)
        trusted = np.bincount(outputs.ravel(), (error * examples.advised[some]).ravel(), count)
        into = (back @ weights[2]) * (hidden > 0)
        return inputs.T @ into, into.sum(axis=0), back.T @ hidden, back.sum(axis=0), trusted

    start = [getattr(net, name) for name in WEIGHTS]
    order = np.random.default_rng(seed).permutation(len(examples.inputs))
    if decision_of is not None:
        level, trust = average_values(examples, decision_of, order[: len(order) - len(order) // 10])
        start[2:] = np.zeros_like(net.last), level * scale, trust * scale
    # Inputs that never came up get weights of 0, so they have no effect if they do later.
    start[0] = start[0] * examples.met[:, None]
    taught = decision_of is not None
    best = _descended(start, order, slopes, loss, 256 if taught else 64, epochs, seed, taught)
    fitted: dict[str, Any] = dict(zip(WEIGHTS, best, strict=True))
    return replace(net, **fitted, noise=0.0)


def average_values(examples: Examples, decision_of: Array, some: Array) -> tuple[Array, Array]:
    """The average value of actions over positions: ridge regression of their gains in `some` examples, int (m,).

    Args:
        decision_of: int (outputs,), the decision of each output.
    Returns:
        (outputs,), the level of each action; and (outputs,), what is added for the action that the teacher would take.
    """
    weights, gains = (part[some].astype(np.float64) for part in (examples.weights, examples.gains))
    count, decisions = len(decision_of), int(decision_of.max(initial=0)) + 1
    row, place = np.nonzero(weights > 0)
    output, advised = examples.outputs[some][row, place], examples.advised[some][row, place] > 0
    weight, number = weights[row, place], np.arange(len(row))
    columns = (output, count + output[advised], 2 * count + decision_of[output[advised]])
    rows = np.concatenate([number, number[advised], number[advised]])
    shape = len(row), 2 * count + decisions
    design = sparse.csr_matrix((np.ones(len(rows)), (rows, np.concatenate(columns))), shape)
    weighted = sparse.diags_array(weight) @ design
    sums = sparse.csr_matrix((np.ones(len(row)), (row, number)), (len(gains), len(row))) @ weighted
    ridge = np.concatenate([np.full(2 * count, _SHRINK), np.full(decisions, 1e-3)])  # hardly any on a decision's own
    centred = (design.T @ weighted - sums.T @ sums).toarray() + np.diag(ridge)
    found = solve(centred, weighted.T @ gains[row, place], assume_a="pos")
    return found[:count], found[count : 2 * count] + found[2 * count :][decision_of]


def advantages(net: Net, examples: Examples) -> Array:
    """How much better the net values each action than the teacher's: float32 (n, actions), in the unit of its
    outputs; 0 for the teacher's action, for actions that were not tried, and where the teacher's was not tried.
    """
    first, bias, last, level, trust = (getattr(net, name).astype(np.float32) for name in WEIGHTS)
    found = np.zeros(examples.outputs.shape, np.float32)
    for start in range(0, len(found), _BLOCK):
        block = slice(start, start + _BLOCK)
        hidden = np.maximum(examples.inputs[block].astype(np.float32) @ first + bias, 0)
        outputs, advised = np.maximum(examples.outputs[block], 0), examples.advised[block]
        values = np.take_along_axis(hidden @ last.T + level, outputs, axis=1) + trust[outputs] * advised
        teachers = np.take_along_axis(values, advised.argmax(axis=1)[:, None], axis=1)
        known = (examples.weights[block] > 0) & (advised == 0) & advised.any(axis=1, keepdims=True)
        found[block] = np.where(known, values - teachers, 0)
    return found


def fit_worth(net: Net, inputs: Array, values: Array, games: Array, epochs: int, seed: int) -> Net:
    """Trains a copy of this net to value positions.

    Args:
        inputs: float32 (n, inputs). values: float64 (n,). games: int (n,), number of each position's game.
        epochs: largest number of training epochs.
    """
    ranks = np.random.default_rng(seed).permutation(int(games.max(initial=0)) + 1)
    order = np.argsort(ranks[games], kind="stable")  # the positions of a game are all held out, or none of them
    centre, width = net.scale
    if width == 0.0:
        centre, width = float(values.mean()), max(float(values.std()), 1e-3)
    wanted = ((values - centre) / width).astype(np.float32)

    def errors(weights: list[Array], some: Array) -> tuple[Array, Array]:
        hidden = np.maximum(inputs[some] @ weights[0] + weights[1], 0)
        return hidden, hidden @ weights[2] + weights[3] - wanted[some]

    def loss(weights: list[Array], some: Array) -> float:
        return float((errors(weights, some)[1] ** 2).sum())

    def slopes(weights: list[Array], some: Array) -> tuple[Array, ...]:
        hidden, error = errors(weights, some)
        error *= 2 / len(some)
        into = error[:, None] * weights[2] * (hidden > 0)
        return inputs[some].T @ into, into.sum(axis=0), error @ hidden, error.sum(keepdims=True)

    start = [getattr(net, name) for name in WORTH]
    if not start[2].any():
        start[2] = np.random.default_rng(seed).normal(0, 1e-2, len(start[2]))
    best = _descended(start, order, slopes, loss, 256, epochs, seed)
    fitted: dict[str, Any] = dict(zip(WORTH, best, strict=True))
    return replace(net, **fitted, scale=(centre, width))


def _descended(
    start: list[Array],
    order: Array,
    slopes: Callable[[list[Array], Array], tuple[Array, ...]],
    loss: Callable[[list[Array], Array], float],
    batch: int,
    epochs: int,
    seed: int,
    from_start: bool = False,
) -> list[Array]:
    """Weights after Adam.

    A tenth of the examples, the last in `order`, is held out: training ends after PATIENCE epochs without a better
    fit to them, and the weights with the best fit are taken.

    Args:
        slopes: returns the derivatives of the mean loss of some examples by the weights. loss: returns the summed loss.
            batch: examples per step. from_start: whether the start weights are kept if nothing fits better.
    """
    draw = np.random.default_rng((seed, 1))
    weights = [part.astype(np.float32) for part in start]
    means, squares = ([np.zeros_like(part) for part in weights] for _ in range(2))
    held, rest = order[len(order) - len(order) // 10 :], order[: len(order) - len(order) // 10].copy()
    best, lowest, since, step = weights, np.inf, 0, 0
    if from_start:
        best, lowest = [part.copy() for part in weights], loss(weights, held)
    for _ in range(epochs):
        draw.shuffle(rest)
        for first in range(0, len(rest), batch):
            step += 1
            for i, slope in enumerate(slopes(weights, rest[first : first + batch])):
                means[i] += 0.1 * (slope - means[i])
                squares[i] += 0.001 * (slope * slope - squares[i])
                root = np.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8
                weights[i] -= RATE * (means[i] / (1 - 0.9**step) / root + DECAY * weights[i])
        missed = loss(weights, held)
        since += 1
        if missed < lowest:
            best, lowest, since = [part.copy() for part in weights], missed, 0
        if since == PATIENCE:
            break
    return [part.astype(np.float64) for part in best]
