"""Kuhn poker: three cards, one bet, and a bluff in the solution. Worth -1/18 of an ante to the first seat.

Source: Kuhn (1950), A simplified two-person poker, Contributions to the Theory of Games I, 97-103.
"""

from __future__ import annotations

from pathlib import Path

from simlab.game import Decision, Game, Metric

from . import rules
from .state import CARDS, ENDINGS, MOST_STAKE, SEATS, SLUG, STATE, STREAMS, TITLE, pack_cards

GAME = Game(
    slug=SLUG,
    title=TITLE,
    summary="Two players, three cards, one bet: the smallest poker, with every equilibrium known.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    decisions=(Decision("K-D-1", "pass or bet", ("pass", "bet")),),
    metrics=(
        Metric("pot", "what both have put in", "chips", low=2, high=2 * MOST_STAKE),
        Metric("bluffed", "the lower card took the pot", codes={0: "no", 1: "yes"}),
    ),
    tracks=(),
    state=STATE,
    cards=CARDS,
    tables=(),
    pack_cards=pack_cards,
    initial_state=rules.initial_state,
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    determinize=rules.determinize,
    outcome=rules.outcome,
    track_values=rules.track_values,
    action_label=rules.action_label,
    describe=rules.describe,
    max_decisions=3,
    max_turns=3,
    has_scores=True,
    score_range=(-MOST_STAKE, MOST_STAKE),
)
