"""Fitting nets to the values of actions and of positions: Adam on weighted squares, in NumPy.

Sources: Kingma, Ba (2015), Adam: a method for stochastic optimization; Srivastava et al. (2014), Dropout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg

from simlab.engine.learning.player import WEIGHTS, WORTH, Net

Array = np.ndarray[Any, Any]
RATE, DECAY, PATIENCE = 1e-3, 1e-4, 6
_SHRINK = 30.0  # how many positions the assumption weighs that an action is worth no more than others
_BLANKED = 0.3  # share of the inputs that a step of training beside a teacher does not see


@dataclass
class Examples:
    """Positions with the values of their actions.

    Attributes:
        inputs: float32, or float16 with a teacher, (n, inputs). outputs: int32 (n, actions): outputs of the actions
            that were tried, then -1.
            gains: float32 (n, actions): value of an action minus the average of the actions tried. weights: float32 (n,
            actions): proportional to how often an action was tried, adding up to 1. advised: float32 (n, actions): 1
            for the action that the teacher would take.
    """

    inputs: Array
    outputs: Array
    gains: Array
    weights: Array
    advised: Array

    @classmethod
    def of(
        cls, inputs: Array, outputs: Array, values: Array, visits: Array, legal: Array, advised: Array | None = None
    ) -> Examples:
        """Examples from mean values and numbers of futures, both (n, actions).

        Actions to try are picked at random. An action that was not tried is therefore assumed to be worth the average
        of those that were, with the weight of a single future.

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

    @staticmethod
    def joined(parts: list[Examples]) -> Examples:
        """All of them, padded to the same number of actions."""
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


def fit(net: Net, examples: Examples, epochs: int, seed: int, kinds: Array | None = None) -> Net:
    """Trains a copy of this net on the examples; the new net chooses without noise.

    Args:
        epochs: at most.
        kinds: for a player with a teacher, int (outputs,), the decision of each output. Such a net learns from the
            start, and first what does not depend on the position: how much better the teacher's action usually is in
            each kind of decision, and each action. Against the noise of the values these averages are most of what can
            be learned, and a net alone finds them late, after it has learned much noise.
    """
    spread = float(np.sqrt((examples.weights * examples.gains**2).sum() / max(len(examples.gains), 1)))
    scale = 1 / max(spread, 1e-9)
    draw = np.random.default_rng((seed, 2))

    def errors(weights: list[Array], inputs: Array, some: Array) -> tuple[Array, Array, Array]:
        """The inputs' hidden layer, the numbers of outputs, and the errors of the gains of actions."""
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
        if kinds is not None:
            inputs = inputs * (draw.random(inputs.shape, np.float32) >= _BLANKED) / np.float32(1 - _BLANKED)
        hidden, outputs, error = errors(weights, inputs, some)
        error *= 2 * examples.weights[some] / len(some)
        count = len(weights[3])
        cells = (np.arange(len(some))[:, None] * count + outputs).ravel()
        back = np.bincount(cells, error.ravel(), len(some) * count).reshape(len(some), count).astype(np.float32)
        trusted = np.bincount(outputs.ravel(), (error * examples.advised[some]).ravel(), count)
        into = (back @ weights[2]) * (hidden > 0)
        return inputs.T @ into, into.sum(axis=0), back.T @ hidden, back.sum(axis=0), trusted

    start = [getattr(net, name) for name in WEIGHTS]
    if kinds is not None:
        level, trust = usual(examples, kinds)
        start[2:] = np.zeros_like(net.last), level * scale, trust * scale
    # Inputs that never came up get weights of 0, so they have no effect if they do later.
    start[0] = start[0] * np.any(examples.inputs != 0, axis=0, keepdims=True).T
    order = np.random.default_rng(seed).permutation(len(examples.inputs))
    best, _ = _descended(start, order, slopes, loss, 64 if kinds is None else 256, epochs, seed)
    fitted: dict[str, Any] = dict(zip(WEIGHTS, best, strict=True))
    return replace(net, **fitted, noise=0.0)


def usual(examples: Examples, kinds: Array) -> tuple[Array, Array]:
    """What actions are worth whatever the position: ridge regression of their gains.

    Args:
        kinds: int (outputs,), the decision of each output.
    Returns:
        (outputs,), the level of each action; and what is added if it is the one that the teacher would take.
    """
    count, decisions = len(kinds), int(kinds.max(initial=0)) + 1
    row, place = np.nonzero(examples.weights > 0)
    output, advised = examples.outputs[row, place], examples.advised[row, place] > 0
    weight, gain = (part[row, place].astype(np.float64) for part in (examples.weights, examples.gains))
    number = np.arange(len(row))
    columns = (output, count + output[advised], 2 * count + kinds[output[advised]])
    rows = np.concatenate([number, number[advised], number[advised]])
    shape = len(row), 2 * count + decisions
    found = sparse.csr_matrix((np.ones(len(rows)), (rows, np.concatenate(columns))), shape)
    weighted = sparse.diags_array(weight) @ found
    sums = sparse.csr_matrix((np.ones(len(row)), (row, number)), (len(examples.gains), len(row))) @ weighted
    ridge = np.concatenate([np.full(2 * count, _SHRINK), np.full(decisions, 1e-3)])  # not of a decision's own trust
    centred = found.T @ weighted - sums.T @ sums + sparse.diags_array(ridge)
    solved, _ = cg(centred, weighted.T @ gain, rtol=1e-6, maxiter=500)
    return solved[:count], solved[count : 2 * count] + solved[2 * count :][kinds]


def hopes(net: Net, examples: Examples) -> tuple[Array, Array]:
    """How much more the net expects of its own choice than of its teacher's, (n,), 0 where they agree; and the output
    of its own choice, (n,).
    """
    hidden = np.maximum(examples.inputs @ net.first + net.bias, 0)
    outputs = np.maximum(examples.outputs, 0)
    values = np.take_along_axis(hidden @ net.last.T + net.level, outputs, axis=1)
    values += net.trust[outputs] * examples.advised
    values = np.where(examples.weights > 0, values, -np.inf)
    rows, own = np.arange(len(values)), values.argmax(axis=1)
    return values[rows, own] - values[rows, examples.advised.argmax(axis=1)], outputs[rows, own]


def fit_worth(
    net: Net, inputs: Array, values: Array, games: Array, epochs: int, seed: int
) -> tuple[Net, float]:  # fmt: skip
    """Trains a copy of this net to value positions; returns it, and the share of the variance that it explains in other
    games.

    Args:
        inputs: float32 (n, inputs). values: float64 (n,). games: int (n,), number of each position's game.
        epochs: at most.
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
    best, missed = _descended(start, order, slopes, loss, 256, epochs, seed)
    explained = 1 - missed / max(float(wanted[order[-(len(order) // 10) :]].var()), 1e-9)
    fitted: dict[str, Any] = dict(zip(WORTH, best, strict=True))
    return replace(net, **fitted, scale=(centre, width)), explained


def _descended(
    start: list[Array],
    order: Array,
    slopes: Callable[[list[Array], Array], tuple[Array, ...]],
    loss: Callable[[list[Array], Array], float],
    batch: int,
    epochs: int,
    seed: int,
) -> tuple[list[Array], float]:
    """Weights after Adam, and the mean loss of the examples held out.

    A tenth of the examples, the last in `order`, is held out: training ends after PATIENCE epochs without a better
    fit to them, and the weights with the best fit are taken.

    Args:
        slopes: function for the derivatives of the mean loss of some examples by the weights. loss: function for the
            summed loss. batch: examples per step.
    """
    draw = np.random.default_rng((seed, 1))
    weights = [part.astype(np.float32) for part in start]
    means, squares = ([np.zeros_like(part) for part in weights] for _ in range(2))
    held, rest = order[len(order) - len(order) // 10 :], order[: len(order) - len(order) // 10].copy()
    best, lowest, since, step = weights, np.inf, 0, 0
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
    return [part.astype(np.float64) for part in best], lowest / max(len(held), 1)
