"""A Mighty Fortress Is Our God (v180) by Ray Weiss: a solo game of the siege of Münster, 1534-35.

The player wins by surviving the last turn or by bringing relief: `winner` is the player's seat unless the city falls.
The result consists of the ending (a historical band of the score) and the score; a Breach scores nothing.

The rulebook prints no cards. outsiders.csv, cities.csv, elders.csv, fate.csv and decrees.csv are reconstructed, and
every row is marked as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, KnobValue, Metric, Track
from simlab.games.mighty_fortress import labels, rules
from simlab.games.mighty_fortress.components import CARDS, TABLES, outsider_numbers, pack_cards
from simlab.games.mighty_fortress.pieces import COMPONENTS
from simlab.games.mighty_fortress.state import (
    COLOURS,
    ENDINGS,
    MAX_CITIES,
    MAX_DECISIONS,
    MAX_ELDERS,
    MAX_OUTSIDERS,
    MAX_TURNS,
    PHASES,
    SEATS,
    STATE,
    STREAMS,
)


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """Knobs that contradict each other: the results of an Assault (MF-ASL-01), Food at the start (MF-GEN-01)."""
    faults = []
    breach, repel, strong = (int(knobs[name]) for name in ("breach_max", "repel_max", "strong_repel_max"))
    if not breach < repel < strong:
        faults.append(f"breach_max = {breach}, repel_max = {repel}, strong_repel_max = {strong} must rise (MF-ASL-01).")
    if int(knobs["food_start"]) > int(knobs["food_max"]):
        faults.append(f"food_start = {knobs['food_start']} exceeds food_max = {knobs['food_max']} (MF-GEN-01).")
    return faults


GAME = Game(
    slug="mighty_fortress",
    title="A Mighty Fortress Is Our God",
    summary="Solo siege of Münster: dice of six kinds, four siege tracks, survival, points or relief.",
    folder=Path(__file__).parent,
    seats=SEATS,
    endings=ENDINGS,
    streams=STREAMS,
    dice=(
        Die("pips", "pips", 6, "the coloured dice of the Dice Draw"),
        Die("black_pips", "black_pips", 6, "the Black dice"),
        Die("d6", ("pips", "black_pips"), 6, "every six-sided die"),
        Die("decree", "decree", 12, "the Decree's number"),
        Die("raid", "raid", 12, "the number of a Raid"),
        Die("assault", "assault", 12, "the number of an Assault"),
        Die("d12", ("decree", "raid", "assault"), 12, "every twelve-sided die"),
        Die("outsiders", "outsider_deck", 0, "the Outsiders", cards=outsider_numbers),
        Die("fate", "fate_deck", 0, "the Fate deck", cards="fate"),
        Die("bag", "dice_bag", 0, "the bag of dice", cards=COLOURS[:4]),
    ),
    decisions=(
        Decision("MF-D-01", "action", labels.ACTION_NAMES),
        Decision("MF-D-02", "die for an action", labels.DICE_NAMES[:36], continues=("MF-D-01", "MF-D-02")),
        Decision("MF-D-03", "die to commit", labels.DICE_NAMES[:36], continues=("MF-D-01", "MF-D-03")),
        Decision("MF-D-04", "casualty", labels.DICE_NAMES, continues=("MF-D-04",)),
        Decision("MF-D-05", "die to leave unfed", (*labels.DICE_NAMES, "feed the rest"), continues=("MF-D-05",)),
        Decision(
            "MF-D-06",
            "choice of a card",
            ("first half, pay, first tag, Unrest", "second half, do not pay, second tag, Pressure"),
        ),
        Decision(
            "MF-D-07",
            "city to support, colour to recover",
            tuple(f"city {n} or {c}" for n, c in enumerate((*COLOURS[:5], "-", "-", "-"), start=1)),
        ),
        Decision("MF-D-08", "Elder to replace", tuple(f"space {n}" for n in (2, 3, 4, 5))),
        Decision("MF-D-09", "die to hold", (*labels.DICE_NAMES[:36], "hold no more"), continues=("MF-D-09",)),
    ),
    metrics=(
        Metric("vp_earned", "VP earned during the game", "VP"),
        Metric("vp_converted", "VP of converted Outsiders", "VP", low=-20 * MAX_OUTSIDERS, high=20 * MAX_OUTSIDERS),
        Metric(
            "vp_elders", "VP of seated Elders and King Jan", "VP", low=1 - 20 * MAX_ELDERS, high=1 + 20 * MAX_ELDERS
        ),
        Metric("vp_luxuries", "VP of Luxuries", "VP", low=0, high=49),
        Metric("vp_defense", "VP of Defense", "VP", low=0, high=4),
        Metric("vp_mastery", "VP of Piety and Influence at 10", "VP", low=0, high=6),
        Metric(
            "breach_phase",
            "phase of the Breach",
            codes={0: "none", **{n: name.lower().replace(" ", "_") for n, name in enumerate(PHASES, start=1)}},
        ),
        Metric("assaults_bombardment", "Assault Checks by Bombardment 5", low=0),
        Metric("assaults_unrest", "Assault Checks by Unrest 10", low=0),
        Metric("assaults_traitor", "Assault Checks by a Traitor Failure", low=0),
        Metric("assaults_card", "Assault Checks by cards", low=0),
        Metric("traitor_failures", "Traitor Failures", low=0),
        Metric("unfed_dice", "dice that went unfed, over all turns", "dice", low=0),
        Metric("first_hunger", "first turn with unfed dice", "turn", never=0, low=1, high=MAX_TURNS),
        Metric("casualties", "casualties paid in dice", "dice", low=0),
        Metric("recovered", "dice recovered from the Lost box", "dice", low=0),
        Metric("conversions", "Outsiders converted", low=0),
        Metric("negotiations", "Negotiates", low=0),
        Metric("raids", "Raids", low=0),
        Metric("dispatch_moves", "cities moved to the Support Track", low=0),
        Metric("dispatch_advances", "Support gained by Dispatch", low=0),
        Metric("cities_on_track", "cities on the Support Track at the end", low=0, high=MAX_CITIES),
        Metric("support_total", "Support of all cities at the end", low=0, high=5 * MAX_CITIES),
        Metric("executed_dice", "dice executed", "dice", low=0),
        Metric("executed_black", "Black dice executed", "dice", low=0),
        Metric("executed_cards", "Elders and Outsiders executed", low=0),
        Metric("elders_seated", "times an Elder was seated", low=0),
        Metric("activations", "activations of Elders", low=0),
        Metric("actions", "actions taken", low=0),
        Metric("black_worked", "Black dice put to work", "dice", low=0),
        Metric("black_dead", "Black dice dead at the end", "dice", low=0, high=15),
        *(Metric(f"used_{colour.lower()}", f"{colour} dice used in actions", "dice", low=0) for colour in COLOURS),
        Metric(
            "few_targets", "turns that began with fewer than three cards within reach", "turns", low=0, high=MAX_TURNS
        ),
        Metric(
            "strength_sum", "Siege Strength at the start of each turn's actions, added up", low=0, high=5 * MAX_TURNS
        ),
        Metric("food_end", "Food at the end", "Food", low=0, high=99),
        Metric("defense_end", "Defense at the end", low=0, high=5),
        Metric("unrest_end", "Unrest at the end", low=0, high=10),
        Metric("strength_end", "Siege Strength at the end", low=0, high=5),
    ),
    tracks=(
        Track("siege_strength", 0, 5, "ratings of the Outsiders in the Queue"),
        Track("defense", 0, 5),
        Track("entrenchment", 0, 5),
        Track("bombardment", 0, 5),
        Track("consumption", 0, 5),
        Track("cohesion", 0, 5),
        Track("unrest", 0, 10),
        Track("pressure", 0, 5, "Traitor Pressure"),
        Track("food", 0, 99),
        Track("materials", 0, 99),
        Track("luxuries", 0, 99),
        Track("piety", 0, 10),
        Track("influence", 0, 10),
        Track("vp", 0, 40, "VP earned so far"),
        Track("bag", 0, 90, "coloured dice in the bag"),
    ),
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
    play_part=rules.play_part,
    part_name=labels.part_name,
    check_knobs=check_knobs,
    max_decisions=MAX_DECISIONS,
    max_turns=MAX_TURNS,
    has_scores=True,
)
