"""Options of bots that look ahead, and the form of their evaluations."""

from __future__ import annotations

from simlab.game import Trait, trait_names

ACTION, VISITS, VALUE = range(3)  #: columns of the table of considered actions

_ITERATIONS = Trait(100, 1, 1_000_000, "games played out for each decision")
_CAUTION = Trait(
    2.0, 0.0, 10.0, "standard errors by which an action must beat the playout bot's own before it is taken"
)
_DEPTH = Trait(
    0, 0, 100_000, "decisions after which a playout is truncated and judged, by who leads or a learned bot; 0: none"
)
_SCORE = Trait(0, 0, 1, "1: seeks score, 0: seeks to win")

L = trait_names(iterations=_ITERATIONS, caution=_CAUTION, depth=_DEPTH, score=_SCORE)
T = trait_names(
    iterations=_ITERATIONS,
    caution=_CAUTION,
    depth=_DEPTH,
    score=_SCORE,
    exploration=Trait(0.7, 0, 10, "how much it prefers actions that it has tried rarely (UCB)"),
    widening=Trait(0.0, 0.0, 100.0, "actions tried at a node: at most this times the root of its visits; 0: all"),
    known=Trait(0, 0, 1, "1: the other seats play their playout bots in the tree too; 0: they search as well"),
)
