"""Simple Siege, a two-player card game by Matthew Hartley: storm the walls or outlast the other side's deck."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, KnobValue, Metric, Track
from simlab.games.simple_siege import labels, rules
from simlab.games.simple_siege.pieces import COMPONENTS
from simlab.games.simple_siege.state import (
    CARDS,
    DECK,
    ENDINGS,
    MAX_DECISIONS,
    MAX_TURNS,
    SEATS,
    STATE,
    STREAMS,
    TABLES,
    pack_cards,
)

PACK = tuple(labels.card_name(card) for card in range(DECK))  # the number cards of one pack


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """SS-WAL-02: the walls start between floor and cap."""
    floor, start, cap = (int(knobs[name]) for name in ("walls_floor", "walls_start", "walls_max"))
    if floor <= start <= cap:
        return []
    return [f"walls_start = {start} must lie between walls_floor = {floor} and walls_max = {cap} (SS-WAL-02)."]


GAME = Game(
    slug="simple_siege",
    title="Simple Siege",
    summary="Two-player card game: the Besieger storms the walls or outlasts the Besieged's deck.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    dice=(
        Die("besieger", "besieger_deck", 0, "the Besieger's deck", cards=PACK),
        Die("besieged", "besieged_deck", 0, "the Besieged's deck", cards=PACK),
        Die("fate", "fate", 0, "the Fate deck", cards="fate"),
    ),
    decisions=(
        Decision(
            "SS-D-01",
            "Besieger's action",
            (*labels.BESIEGER_ACTIONS, *(f"Construct {name}" for name in labels.COUNTER_NAMES)),
        ),
        Decision("SS-D-02", "cards to storm with", tuple(f"throw {n}" for n in range(1, 6)), continues=("SS-D-01",)),
        Decision("SS-D-03", "Besieged's defence", tuple(f"draw {n}" for n in range(6))),
        Decision(
            "SS-D-04",
            "order of a Plan",
            tuple(f"card {n} from the top" for n in range(1, 12)),
            secret=True,
            continues=("SS-D-04",),
        ),
        Decision("SS-D-05", "Besieged's action", labels.BESIEGED_ACTIONS),
        Decision("SS-D-06", "Besieger's defence", ("draw 0", "draw 1")),
        Decision("SS-D-07", "counter to destroy", labels.COUNTER_NAMES, continues=("SS-D-05",)),
        Decision("SS-D-04 menu", "order of a Plan, ready-made", labels.PLAN_ORDERS, secret=True),
    ),
    metrics=(
        Metric("walls_end", "walls at the end", "points", low=0, high=12),
        # At most one action per side and turn, so none of these exceeds the turns.
        Metric("assaults", "Assaults begun", low=0, high=MAX_TURNS),
        Metric("bombards_won", "Bombards that succeeded, walls and enemy", low=0, high=MAX_TURNS),
        Metric("sallies_won", "Sallies that succeeded, equipment and enemy", low=0, high=MAX_TURNS),
        Metric("constructed", "counters built", low=0, high=MAX_TURNS),
        Metric("destroyed", "counters destroyed", low=0, high=MAX_TURNS),
        Metric("repairs", "Repairs of the walls", low=0, high=MAX_TURNS),
        # MAX_TURNS counts the deck and every card that can come back to it (ledger 6).
        Metric("recovered", "cards put back by Resupply and Rationing", "cards", low=0, high=2 * MAX_TURNS),
        Metric("besieger_cards", "cards left in the Besieger's deck", "cards", low=0, high=DECK),
        Metric("besieged_cards", "cards left in the Besieged's deck", "cards", low=0, high=DECK),
        Metric(
            "ended_by_fate",
            "what of Fate demanded a card that was not there",
            codes={0: "none", 1: "court_card", 2: "joker"},
        ),
    ),
    tracks=(
        Track("walls", 0, 12, "City Walls"),
        Track("besieger_deck", 0, 40, "cards in the Besieger's deck"),
        Track("besieged_deck", 0, 40, "cards in the Besieged's deck"),
        Track("counters", 0, 9, "Siege Equipment counters in play"),
    ),
    lead=("besieger_deck", "besieged_deck"),
    components=COMPONENTS,
    state=STATE,
    cards=CARDS,
    tables=TABLES,
    pack_cards=pack_cards,
    initial_state=rules.initial_state,
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    determinize=rules.determinize,
    outcome=rules.outcome,
    track_values=rules.track_values,
    action_label=labels.action_label,
    describe=labels.describe,
    asides=labels.asides,
    check_knobs=check_knobs,
    max_decisions=MAX_DECISIONS,
    max_turns=MAX_TURNS,
)
