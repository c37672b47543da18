"""1244: The Fall of Montségur, a two-player card-driven siege by Frederik J. Jensen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, Items, KnobValue, Metric, Track
from simlab.games.montsegur import ending, hidden, labels, rules
from simlab.games.montsegur.pieces import COMPONENTS
from simlab.games.montsegur.state import (
    CARDS_MAX,
    CODES,
    ENDINGS,
    MAX_DECISIONS,
    MAX_TURNS,
    SEATS,
    STATE,
    STREAMS,
    USES,
)
from simlab.games.montsegur.tables import (
    CARDS,
    TABLES,
    card_names,
    card_numbers,
    pack_cards,
    summer_numbers,
    token_numbers,
)

_TRACKS = ("faith_start", "food_start", "cat_morale_start", "cru_morale_start")
_PERIMETER = ("perimeter_soldiers",)
_INNER = ("ww_soldiers", "ew_soldiers", "cre_soldiers", "rdt_soldiers")


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """MS-GEN-04, MS-MAP-02, MS-FAT-01: settings that contradict each other."""
    top = int(knobs["track_max"])
    faults = [
        f"{name} = {knobs[name]} is above track_max = {top} (MS-GEN-04)." for name in _TRACKS if int(knobs[name]) > top
    ]
    for names, cap in ((_PERIMETER, "cap_perimeter"), (_INNER, "cap_inner")):
        room = int(knobs[cap])
        faults += [
            f"{name} = {knobs[name]} is above {cap} = {room} (MS-MAP-02)." for name in names if int(knobs[name]) > room
        ]
    return faults


_TRACK = {"low": 0, "high": 12}  # MS-GEN-04: a printed track, at the knob's greatest length
_FIRST_ACTION = {-1: "never", **{n: name.lower().replace(" ", "_") for n, name in enumerate(labels.ACTIONS)}}
_COUNT = {"low": 0, "high": 255}  # a byte of the state's `count`


def _two(
    name: str, what: str, unit: str = "", ends: Mapping[str, int] = _COUNT, codes: Mapping[int, str] | None = None
) -> tuple[Metric, ...]:
    """One metric for each side."""
    sides = (("cathar", "Cathars"), ("crusader", "Crusaders"))
    return tuple(Metric(f"{name}_{side}", f"{who}: {what}", unit, codes=codes or {}, **ends) for side, who in sides)


GAME = Game(
    slug="montsegur",
    title="1244: The Fall of Montségur",
    summary="Two-player siege: every card is an event, points for an action, or kept for the end.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    dice=(
        Die("summer", "summer_deck", 0, "the summer deck", cards=summer_numbers),
        Die("winter", "winter_deck", 0, "the winter deck", cards=card_numbers),
        Die("fate", ("fate_cathar", "fate_crusader"), 0, "both Fate decks", cards=token_numbers),
    ),
    items=Items(CARDS_MAX, card_names, USES, ending.card_uses),
    decisions=(
        Decision("D_INIT", "who starts", ("start", "let the enemy start")),
        Decision("D_PLAY", "card to play", labels.PLAYS),
        Decision("D_PREEMPT", "preempt the event", ("no", "preempt")),
        Decision("D_ACTION", "action", labels.ACTIONS),
        Decision("D_EDGE", "base and target of an attack", continues=("D_ACTION",)),
        Decision("D_FORCE", "force of an attack", tuple(f"{n} soldiers" for n in range(1, 7)), continues=("D_EDGE",)),
        Decision("D_REDEP_PICK", "location of a Redeploy", (*CODES, "stop"), continues=("D_REDEP_PICK", "D_REDEP_SET")),
        Decision(
            "D_REDEP_SET",
            "strength after a Redeploy",
            tuple(f"{n} soldiers" for n in range(9)),
            continues=("D_REDEP_PICK", "D_REDEP_SET"),
        ),
        Decision("D_REDRAW", "draw another token", ("no", "redraw")),
        Decision("D_TRIGGER", "trigger the event", ("no", "trigger")),
        Decision("D_ESCAPE_OPT", "escape that an event offers", ("decline", "try")),
        Decision("D_STRIKE", "location that an event strikes", CODES),
        Decision("D_RING", "location of a soldier of the ring", CODES, continues=("D_RING",)),
        Decision("D_STRATEGY", "card for the strategy stack", labels.SLOTS, secret=True),
        Decision("D_DESERT", "location that a soldier deserts from", CODES, continues=("D_DESERT",)),
    ),
    metrics=(
        Metric(
            "end_turn",
            "turn of the surrender; turns_max + 1: the siege was outlasted",
            "turns",
            low=1,
            high=MAX_TURNS + 1,
        ),
        Metric("vp_escaped", "Cathars: points for escaped perfects", "VP", low=0),
        Metric("vp_burned", "Cathars: points for burned perfects", "VP", low=0),
        Metric("vp_grail", "Cathars: points for the Grail", "VP", low=0, high=6),
        Metric("vp_repenting", "Crusaders: points for repenting perfects", "VP", low=0),
        Metric("vp_none_escaped", "Crusaders: points because nobody escaped", "VP", low=0, high=8),
        Metric("vp_castle", "Crusaders: points for the castle", "VP", low=0, high=6),
        Metric("vp_duration", "Crusaders: points for the length of the siege", "VP", low=0, high=6 + 3 * MAX_TURNS),
        Metric(
            "vp_strategy",
            "strategy majority: positive for the Cathars, negative for the Crusaders",
            "VP",
            low=-6,
            high=6,
        ),
        Metric(
            "strategy_decides",
            "whether the other side would have won without the strategy points",
            codes={0: "no", 1: "yes"},
        ),
        *_two("symbols", "own symbols on the strategy stack", ends={"low": 0}),
        *_two("markers", "markers in the strategy count", ends={"low": 0}),
        Metric("perfects_escaped", "Escaped Perfects", "perfects", low=0),
        Metric("perfects_burned", "Burned Perfects", "perfects", low=0),
        Metric("perfects_repenting", "Repenting Perfects", "perfects", low=0),
        Metric("faith_end", "Faith at the end", "points", **_TRACK),
        Metric("food_end", "Food at the end", "points", **_TRACK),
        Metric("cathar_morale_end", "Cathar Morale at the end", "points", **_TRACK),
        Metric("crusader_morale_end", "Crusader Morale at the end", "points", **_TRACK),
        Metric("castle_soldiers_end", "Cathar soldiers in the castle at the end", "soldiers", low=0),
        Metric("trebuchets_end", "trebuchets at the end", low=0, high=9),
        Metric(
            "standing_2",
            "points that the perfects are worth to the Cathars after turn 2, nothing if it ended before",
            "points",
            low=-100,
            high=100,
        ),
        Metric("standing_4", "likewise after turn 4", "points", low=-100, high=100),
        Metric("standing_6", "likewise after turn 6", "points", low=-100, high=100),
        Metric("morale_lost_upkeep", "Cathar Morale lost turn by turn", "points", **_COUNT),
        Metric("morale_lost_hunger", "Cathar Morale lost to hunger", "points", **_COUNT),
        Metric("morale_lost_events", "Cathar Morale lost to events", "points", **_COUNT),
        Metric("crusader_morale_lost_events", "Crusader Morale lost to events", "points", **_COUNT),
        *_two("boosts_tried", "Leadership Checks"),
        *_two("boosts_made", "Leadership Checks that succeeded"),
        Metric("escapes_tried", "escapes tried", **_COUNT),
        Metric("escapes_made", "perfects that escaped by action or event", **_COUNT),
        Metric("repentance_tried", "Repentance Checks of events", **_COUNT),
        Metric("repentance_made", "Repentance Checks of events that succeeded", **_COUNT),
        *_two("attacks", "attacks"),
        *_two("taken", "locations taken"),
        *_two("buried", "soldiers that died in the Battlefield", "soldiers"),
        *_two("deserted", "soldiers that deserted", "soldiers"),
        *_two("reinforced", "soldiers by reinforcement points", "soldiers"),
        *_two("redeploys", "Redeploys carried out"),
        *_two("scouts_sent", "scouts sent by Intelligence", "scouts"),
        Metric("consoled", "Aspiring Perfects by Consolamentum", "perfects", **_COUNT),
        Metric("crest_changes", "times that the Crest was lost or won", **_COUNT),
        Metric(
            "crest_turns_crusader", "turns that ended with the Crusaders on the Crest", "turns", low=0, high=MAX_TURNS
        ),
        Metric(
            "crest_after_4",
            "who held the Crest after turn 4; nobody, too, where the siege was over before",
            codes={-1: "nobody", 0: "cathars", 1: "crusaders"},
        ),
        *_two("markers_gained", "advantage markers gained", "markers"),
        *_two("markers_decayed", "advantage markers lost in upkeep", "markers"),
        *_two("triggers", "events triggered"),
        *_two("preempts", "events preempted"),
        *_two("redraws", "tokens redrawn"),
        Metric("starts_cathar", "turns that the Cathars started", "turns", low=0, high=MAX_TURNS),
        *_two("doubles", "turns started after the last play of the turn before", ends={"low": 0, "high": MAX_TURNS}),
        *_two("commander_turn", "turn of the commander's first use", "turn", {"never": 0, "low": 1, "high": MAX_TURNS}),
        *_two("commander_action", "the commander's first action", ends={}, codes=_FIRST_ACTION),
        *_two("commander_uses", "uses of the commander"),
        *_two("events", "events resolved, triggered ones too"),
        Metric("plays", "plays of both sides", **_COUNT),
    ),
    tracks=(
        Track("food", 0, 12, "Food"),
        Track("faith", 0, 12, "Faith"),
        Track("cathar_morale", 0, 12, "Cathar Morale"),
        Track("crusader_morale", 0, 12, "Crusader Morale"),
        Track("montsegur", 0, 24, "Montségur Perfects"),
        Track("escaped", 0, 24, "Escaped Perfects"),
        Track("captured", 0, 24, "Captured Perfects"),
        Track("castle", 0, 90, "soldiers in the castle"),
        Track("camp", 0, 90, "soldiers in the Crusader Camp"),
        Track("ring", 0, 90, "Crusaders in the perimeter"),
        Track("crest_owner", -1, 1, "who holds the Crest: -1 nobody, 0 Cathars, 1 Crusaders"),
        Track("crest", -30, 30, "soldiers on the Crest: Cathars above 0, Crusaders below"),
        Track("cathar_points", 0, 120, "Cathars: victory points as the board stands"),
        Track("crusader_points", 0, 120, "Crusaders: victory points as the board stands"),
    ),
    lead=("cathar_points", "crusader_points"),
    components=COMPONENTS,
    state=STATE,
    cards=CARDS,
    tables=TABLES,
    pack_cards=pack_cards,
    initial_state=rules.initial_state,
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    determinize=hidden.determinize,
    outcome=ending.outcome,
    track_values=rules.track_values,
    action_label=labels.action_label,
    describe=labels.describe,
    asides=labels.asides,
    check_knobs=check_knobs,
    max_decisions=MAX_DECISIONS,
    max_turns=MAX_TURNS,
    has_scores=True,
    score_range=(0, None),
)
