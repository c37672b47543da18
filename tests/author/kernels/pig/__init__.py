"""Pig: throw a die as often as you dare; a one loses the turn. Best play is known for every position.

Source: Neller and Presser (2004), Optimal play of the dice game Pig, The UMAP Journal 25(1), 25-47.
"""

from __future__ import annotations

from pathlib import Path

from simlab.game import Decision, Die, Game, Metric, Track

from . import rules
from .state import CARDS, ENDINGS, LAST_TURN, SEATS, SLUG, STATE, STREAMS, TITLE, pack_cards

GAME = Game(
    slug=SLUG,
    title=TITLE,
    summary="Two players throw a die as often as they dare; best play is known exactly.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    dice=(Die("pips", "die", "die_sides", "the die that is rolled (P-2.1)"),),
    decisions=(Decision("P-D-1", "roll or hold", ("roll", "hold")),),
    metrics=(
        Metric("busts", "turns lost to the bust number", low=0, high=LAST_TURN),
        Metric("margin", "points between the two", "points", low=0, high=120),
    ),
    tracks=(
        Track("first_score", 0, 120, "points of the first seat"),
        Track("second_score", 0, 120, "points of the second seat"),
    ),
    lead=("first_score", "second_score"),
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
    max_decisions=60_000,
    max_turns=LAST_TURN,
    has_scores=True,
    score_range=(0, 120),
)
