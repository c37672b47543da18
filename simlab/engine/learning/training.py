"""Fitting a net to the values of actions: Adam on the weighted squares of advantages, in NumPy.

Source: Kingma, Ba (2015), Adam: a method for stochastic optimization.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simlab.engine.learning.player import WEIGHTS, Net

Array = np.ndarray[Any, Any]
BATCH, RATE, DECAY, PATIENCE = 64, 1e-3, 1e-4, 6
_WORTH = 0.3  # weight of the values of positions, next to the gains of actions; both are scaled to a spread of 1


@dataclass
class Examples:
    """Positions with the values of their actions.

    Attributes:
        inputs: float32 (n, inputs). outputs: int32 (n, actions): of the actions tried; -1 behind them.
        gains: float32 (n, actions): how much more than the average of those tried an action is worth.
        weights: float32 (n, actions): adding up to 1; by how often an action was tried.
        advised: float32 (n, actions): 1 for the action that the teacher would take. worth: float32 (n,).
    """

    inputs: Array
    outputs: Array
    gains: Array
    weights: Array
    advised: Array
    worth: Array

    @classmethod
    def of(
        cls, inputs: Array, outputs: Array, values: Array, visits: Array, legal: Array, advised: Array | None = None
    ) -> Examples:
        """Examples out of mean values and numbers of futures, both (n, actions).

        Actions to try are picked at random. So one that was not tried is taken to be worth what those tried are worth
        on average, with the weight of a single future.

        Args:
            legal: bool (n, actions). advised: the same, of the teacher's action.
        """
        most = visits == np.maximum(visits.max(axis=1, keepdims=True), 1)  # the actions tried to the end
        worth = np.where(most, values, 0.0).sum(axis=1) / np.maximum(most.sum(axis=1), 1)
        known, tried = visits > 0, legal & (outputs >= 0)
        average = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        values = np.where(known, values, average[:, None])
        weights = np.where(tried, np.maximum(visits, 1.0), 0.0)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
        gains = np.where(tried, values - (weights * values).sum(axis=1, keepdims=True), 0.0)
        order = np.argsort(~tried, axis=1, kind="stable")[:, : max(int(tried.sum(axis=1).max(initial=1)), 1)]
        advised = np.zeros(legal.shape) if advised is None else np.where(tried, advised, 0.0)
        kept = [np.take_along_axis(part, order, axis=1) for part in (gains, weights, advised)]
        outputs = np.take_along_axis(np.where(tried, outputs, -1), order, axis=1)
        narrow = [part.astype(np.float32) for part in (*kept, worth)]
        return cls(inputs.astype(np.float32), outputs, *narrow)

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
            np.concatenate([part.worth for part in parts]),
        )


def fit(net: Net, examples: Examples, epochs: int, seed: int) -> Net:
    """A net that begins with the weights of this one and is trained on the examples; it chooses without noise.

    A tenth of the examples is held out: training ends when they have not been met better for PATIENCE epochs, and the
    weights that met them best are taken.

    Args:
        epochs: at most.
    """
    draw = np.random.default_rng(seed)
    weights = [part.astype(np.float32) for part in net.weights]
    means, squares = ([np.zeros_like(part) for part in weights] for _ in range(2))
    spread = float(np.sqrt((examples.weights * examples.gains**2).sum() / max(len(examples.gains), 1)))
    scale = 1 / max(spread, 1e-9)
    centre, width = net.scale
    if width == 0.0:
        centre, width = float(examples.worth.mean()), max(float(examples.worth.std()), 1e-3)
    worth = (examples.worth - centre) / width
    order = draw.permutation(len(examples.inputs))
    held, rest = order[: len(order) // 10], order[len(order) // 10 :]
    best, lowest, since, step = weights, np.inf, 0, 0
    for _ in range(epochs):
        draw.shuffle(rest)
        for first in range(0, len(rest), BATCH):
            step += 1
            slopes = _slopes(weights, examples, worth, rest[first : first + BATCH], scale)
            for i, slope in enumerate(slopes):
                means[i] += 0.1 * (slope - means[i])
                squares[i] += 0.001 * (slope * slope - squares[i])
                root = np.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8
                weights[i] -= RATE * (means[i] / (1 - 0.9**step) / root + DECAY * weights[i])
        loss = _loss(weights, examples, worth, held, scale)
        since += 1
        if loss < lowest:
            best, lowest, since = [part.copy() for part in weights], loss, 0
        if since == PATIENCE:
            break
    wide = {name: part.astype(np.float64) for name, part in zip(WEIGHTS, best, strict=True)}
    return replace(net, **wide, noise=0.0, scale=(centre, width))


def _errors(
    weights: list[Array], examples: Examples, worth: Array, some: Array, scale: float
) -> tuple[Array, Array, Array, Array]:
    """The hidden layer, the outputs, and how far off are the gains of actions, (n, actions), and the worths, (n,)."""
    first, bias, last, level, trust = weights
    hidden = np.maximum(examples.inputs[some] @ first + bias, 0)
    answers = hidden @ last.T + level
    outputs = np.maximum(examples.outputs[some], 0)
    chosen = np.take_along_axis(answers, outputs, axis=1) + trust[outputs] * examples.advised[some]
    chosen -= (examples.weights[some] * chosen).sum(axis=1, keepdims=True)
    return hidden, answers, chosen - scale * examples.gains[some], answers[:, -1] - worth[some]


def _loss(weights: list[Array], examples: Examples, worth: Array, some: Array, scale: float) -> float:
    _, _, gains, worths = _errors(weights, examples, worth, some, scale)
    return float((examples.weights[some] * gains**2).sum() + _WORTH * (worths**2).sum())


def _slopes(weights: list[Array], examples: Examples, worth: Array, some: Array, scale: float) -> tuple[Array, ...]:
    """The derivatives of the mean loss of some examples by the weights."""
    x, outputs = examples.inputs[some], np.maximum(examples.outputs[some], 0)
    hidden, answers, error, worths = _errors(weights, examples, worth, some, scale)
    error *= 2 * examples.weights[some] / len(some)
    back, trusted = np.zeros_like(answers), np.zeros_like(weights[4])
    np.add.at(back, (np.broadcast_to(np.arange(len(some))[:, None], outputs.shape), outputs), error)
    np.add.at(trusted, outputs, error * examples.advised[some])
    back[:, -1] += 2 * _WORTH * worths / len(some)
    into = (back @ weights[2]) * (hidden > 0)
    return x.T @ into, into.sum(axis=0), back.T @ hidden, back.sum(axis=0), trusted
