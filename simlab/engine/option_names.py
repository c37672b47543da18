"""Names of options in games that do not list them, sampled from a few games."""

from __future__ import annotations

from collections import defaultdict

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import Game

SAMPLED_GAMES = 4


def sampled_labels(game: Game) -> dict[tuple[int, int], frozenset[str]]:
    """Labels of options seen in a few games, always the same games: (kind of decision, action) -> its labels.

    Covers only kinds of decision whose actions have no fixed names (Decision.actions). It is a sample: options that did
    not come up are missing, and a label that did not change may still change in other games.
    """
    found: dict[tuple[int, int], set[str]] = defaultdict(set)
    match = Match(game.plain or game, bots=dict.fromkeys(game.seats, game.default_bot))
    for index in range(SAMPLED_GAMES):
        for stepper in Stepper(match, 1, index).positions():
            actions, kind = stepper.legal(), int(stepper.state.decision)
            if not game.decisions[kind].actions:
                for action, label in zip(actions, stepper.labels(actions), strict=True):
                    found[kind, action].add(label)
    return {place: frozenset(labels) for place, labels in sorted(found.items())}
