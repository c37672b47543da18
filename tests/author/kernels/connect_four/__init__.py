"""Connect Four: drop discs into columns, four in a line win. The first player wins from the middle column.

Source: Allis (1988), A knowledge-based approach of Connect-Four; solved by J. D. Allen in the same year.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Game, KnobValue, Metric, Track

from . import rules
from .state import CARDS, ENDINGS, KINDS, MOST_CELLS, MOST_COLUMNS, SEATS, SLUG, STATE, STREAMS, TITLE, pack_cards


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """C-3.1: a line must fit the board somehow."""
    line, longest = int(knobs["line"]), max(int(knobs["columns"]), int(knobs["rows"]))
    return [] if line <= longest else [f"line = {line} does not fit a board whose longer side is {longest} (C-3.1)."]


GAME = Game(
    slug=SLUG,
    title=TITLE,
    summary="Two players drop discs into columns; four in a line win. Solved: the first player can force it.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    decisions=(Decision("C-D-1", "column"),),
    metrics=(
        Metric("line_kind", "how the line lies that won", codes=dict(enumerate(KINDS))),
        Metric("in_the_middle", "discs in the middle column, or the two of an even board", "discs", low=0, high=12),
    ),
    tracks=(Track("open_columns", 0, MOST_COLUMNS, "columns with room"),),
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
    check_knobs=check_knobs,
    max_decisions=MOST_CELLS,
    max_turns=MOST_CELLS,
)
