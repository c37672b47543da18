"""The row of a finished game of Lowenheim (ledger section 8): the city's fate, points by component, losses, uses."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.game import Cards, Knobs, Metric, Row, State
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.ending import (
    component,
    final_score,
    lone,
    objective_points,
    winners_by_other_vote,
    winners_of,
    winners_without_reveals,
)

FELL = -99  # value of a metric that applies only if the city holds
_MANY = {"low": 0}
_FACTIONS = {
    "cg": "City Guard", "pg": "Palace Guard", "el": "Elves", "wz": "Wizards", "br": "Bretonnians", "ca": "Cathay",
}  # fmt: skip


def _each(name: str, what: str, unit: str) -> tuple[Metric, ...]:
    """One metric for each faction."""
    return tuple(Metric(f"{name}_{seat}", f"{who}: {what}", unit, **_MANY) for seat, who in _FACTIONS.items())


def _held(name: str, what: str, low: int, high: int) -> tuple[Metric, ...]:
    """A metric for a part of a faction's score, only for games in which the city holds."""
    seat = name[:2].upper()
    return (Metric(name, f"{what}, where the city holds", "points", never=FELL, low=low, high=high, part_of=seat),)


METRICS = (
    *(
        Metric(f"held_win_{seat}", f"{who}: whether it wins, where the city holds", never=FELL, low=0, high=1)
        for seat, who in _FACTIONS.items()
    ),
    *(
        Metric(f"held_score_{seat}", f"{who}: score, where the city holds", "points", never=FELL, low=-30, high=40)
        for seat, who in _FACTIONS.items()
    ),
    *(
        Metric(f"objective_{seat}", f"{who}: objective points, in a fallen city too", "points", low=-10, high=10)
        for seat, who in _FACTIONS.items()
    ),
    Metric("fall_turn", "turn in which the city fell", "turn", never=0, low=1, high=s.MAX_TURNS),
    Metric("places_lost", "places overrun at the end", "places", low=0, high=s.PLACES),
    *(Metric(f"lost_{p.lower()}", f"whether place {p} is overrun at the end", low=0, high=1) for p in s.PLACE_NAMES),
    Metric("first_overrun", "first turn that ended with a place overrun", "turn", never=0, low=1, high=s.MAX_TURNS),
    Metric("escape_turn", "turn of Sigisbiduwald's escape", "turn", never=0, low=1, high=s.MAX_TURNS),
    Metric("conference_turn", "turn of the officers' conference", "turn", never=0, low=1, high=s.MAX_TURNS),
    Metric("reserve_turn", "turn in which the mobile reserve became active", "turn", never=0, low=1, high=s.MAX_TURNS),
    Metric("overrun_4", "places overrun after turn 4", "places", low=0, high=s.PLACES),
    Metric("overrun_8", "places overrun after turn 8", "places", low=0, high=s.PLACES),
    Metric("ratio_8", "intruder size after turn 8, of 100 defender size", "%", low=0),
    Metric("escape", "whether Sigisbiduwald escaped", codes={0: "none", 1: "alone", 2: "with_brunhilde"}),
    Metric("defenders_end", "defender size at the end", "size", low=0),
    Metric("intruders_end", "intruder size at the end", "size", low=0),
    Metric("temple_end", "roster figures in the Temple at the end", "figures", low=0, high=s.ROSTER),
    *_held("cg_leader", "City Guard: points for turns as leader", 0, 4),
    *_held("cg_poor", "City Guard: points for the poor area", 0, 6),
    *_held("pg_grounds", "Palace Guard: points for the Jousting Grounds", 0, 6),
    *_held("pg_statue", "Palace Guard: points for the statue", -2, 2),
    *_held("pg_ritter", "Palace Guard: points for Sigisbiduwald", 0, 2),
    *_held("el_queen", "Elves: points for the Queen in her Castle", 0, 5),
    *_held("el_capture", "Elves: points lost with the Queen", -5, 0),
    *_held("el_guard", "Elves: points for saving City Guards", 0, 3),
    *_held("el_cathay", "Elves: points for Cathay's losses", 0, 2),
    *_held("wz_tower", "Wizards: points for a tower without intruders", 0, 3),
    *_held("wz_building", "Wizards: points for the tower's walls", 0, 2),
    *_held("wz_artefacts", "Wizards: points for secret artefacts", 0, 4),
    *_held("br_embassy", "Bretonnians: points for the embassy without intruders", 0, 6),
    *_held("br_building", "Bretonnians: points for the embassy's walls", 0, 3),
    *_held("br_wolf", "Bretonnians: points for the secret of the wolf", 0, 5),
    *_held("ca_embassy", "Cathay: points for the embassy without intruders", 0, 5),
    *_held("ca_building", "Cathay: points for the embassy's walls", 0, 1),
    *_held("ca_elves", "Cathay: points for the Elves' losses", 0, 3),
    *_held("ca_hair", "Cathay: points for the Silver Hair", 0, 2),
    *_each("temple", "roster figures sent to the Temple", "figures"),
    *_each("starved", "roster figures starved", "figures"),
    *_each("commanded", "roster figures lost to command cards", "figures"),
    *_each("mined", "roster figures wounded by mines", "figures"),
    *_each("died", "characters dead at discharge", "figures"),
    *_each("kills", "intruders taken out", "figures"),
    *_each("unfed", "Food cards not paid", "cards"),
    *_each("regained", "starved figures brought back", "figures"),
    *_each("handed_in", "cards handed in for demands", "cards"),
    Metric("attacks", "close attacks of the defenders", "attacks", low=0),
    Metric("attack_wounds", "wounds by close attacks of the defenders", "wounds", low=0),
    Metric("refused", "figures that found all enemies in reach attacked by as many as may", "figures", low=0),
    Metric("free_fights", "fights free of charge", "fights", low=0),
    Metric("paid_fights", "fights for an Attack card", "fights", low=0),
    Metric("fights_forgone", "fights that a faction could not pay or did not want", "fights", low=0),
    Metric("discharged", "figures discharged from the Temple", "figures", low=0),
    Metric("water_used", "Water cards, and Blanks by the well, against fires", "cards", low=0),
    Metric("barricades", "barricades built", "", low=0),
    Metric("trades", "offers accepted, gifts among them", "trades", low=0),
    Metric("stunned", "defenders stunned", "figures", low=0),
    Metric("lost_otherwise", "roster figures without room on a broken bridge", "figures", low=0),
    Metric("arrived", "intruders that arrived", "figures", low=0),
    Metric("not_placed", "intruders that found no room", "figures", low=0),
    Metric("intruder_attacks", "attacks of the intruders", "attacks", low=0),
    Metric("intruder_wounds", "wounds by the intruders", "wounds", low=0),
    Metric("crossed", "barricades, and gates by intruders, crossed", "times", low=0),
    Metric("broken_barricades", "barricades that intruders broke", "", low=0),
    Metric("demands_met", "turns in which a demand was met", "times", low=0),
    Metric("demands_missed", "turns in which a demand was not met", "times", low=0),
    Metric("bridge_j_down", "turns that ended with the stone bridge down", "turns", low=0),
    Metric("bridge_k_down", "turns that ended with the footbridge down", "turns", low=0),
    Metric("burnt", "hexes burnt down", "hexes", low=0),
    Metric("rages", "rages of the werewolf", "times", low=0),
    Metric("wolf_changes", "changes into the werewolf", "times", low=0),
    Metric("elf_outbursts", "attacks of Elves on Cathay", "times", low=0),
    Metric("cathay_outbursts", "attacks of Cathay on Elves", "times", low=0),
    Metric("hostile_losses", "figures of the other that these sent to the Temple", "figures", low=0),
    Metric("spell_kills", "intruders out by Fireball and Lightning", "figures", low=0),
    Metric("box_saves", "wounds that the Box saved", "wounds", low=0),
    Metric("teleports", "uses of the Teleporter", "times", low=0),
    Metric("demon_turns", "turns of the demon", "turns", low=0),
    Metric("reveals", "secrets made public after a refusal", "times", low=0),
    Metric("presses", "pressures for a secret", "times", low=0),
    Metric("cannon_kills", "intruders out by cannons", "figures", low=0),
    Metric("leader_changes", "changes of the leader", "times", low=0),
    Metric(
        "kingmaker_vote",
        "whether the last vote for the leader made the winners, where the city holds",
        never=FELL,
        low=0,
        high=1,
    ),
    Metric(
        "kingmaker_reveal",
        "whether secrets made public after a refusal did, where the city holds",
        never=FELL,
        low=0,
        high=1,
    ),
    Metric("spells", "spells cast", "spells", low=0),
    Metric("artefact_uses", "uses of artefacts", "times", low=0),
    *(Metric(f"down_{p.lower()}", f"roster figures that went down in {p}", "figures", low=0) for p in s.PLACE_NAMES),
    Metric("down_elsewhere", "roster figures that went down elsewhere", "figures", low=0),
)


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game."""
    winners = winners_of(state, knobs, cards)
    row.winners = winners
    row.winner = lone(winners)
    row.ending = np.int64(state.ending) - 1
    row.turns = state.turn
    for seat in range(s.FACTIONS):
        row.score[seat] = final_score(state, knobs, cards, np.int64(seat))
    row.fall_turn = 0 if np.int64(state.ending) == s.HOLD_END else state.turn
    row.places_lost = state.overrun
    row.lost_a = (np.int64(state.places_lost) >> 0) & 1
    row.lost_b = (np.int64(state.places_lost) >> 1) & 1
    row.lost_c = (np.int64(state.places_lost) >> 2) & 1
    row.lost_d = (np.int64(state.places_lost) >> 3) & 1
    row.lost_e = (np.int64(state.places_lost) >> 4) & 1
    row.lost_f = (np.int64(state.places_lost) >> 5) & 1
    row.lost_h = (np.int64(state.places_lost) >> 6) & 1
    row.lost_m = (np.int64(state.places_lost) >> 7) & 1
    row.first_overrun = state.count[s.N_FIRST_OVERRUN]
    row.escape_turn = state.count[s.N_ESCAPE_TURN]
    row.conference_turn = state.count[s.N_CONFERENCE]
    row.reserve_turn = state.count[s.N_RESERVE_TURN]
    row.overrun_4 = state.count[s.N_PLACES_4]
    row.overrun_8 = state.count[s.N_PLACES_8]
    row.ratio_8 = state.count[s.N_RATIO_8]
    escaped = np.int64(state.status[s.SIGIS]) == s.ESCAPED
    row.escape = 0 if not escaped else (2 if state.escaped_with else 1)
    row.defenders_end = state.our_size
    row.intruders_end = state.their_size
    temple = np.int64(0)
    for f in range(s.ROSTER):
        temple += np.int64(np.int64(state.status[f]) == s.TEMPLE)
    row.temple_end = temple
    row_held(state, knobs, cards, row, winners)
    row_points(state, cards, row)
    row_factions(state, row)
    row_counts(state, row)


@kernel
def row_points(state: State, cards: Cards, row: Row) -> None:
    """LW-SCO-02 to LW-SCO-07, term by term."""
    fell = np.int64(state.ending) != s.HOLD_END
    turns = np.int64(state.turn)
    row.cg_leader = FELL if fell else component(state, cards, s.CG, np.int64(0), turns)
    row.cg_poor = FELL if fell else component(state, cards, s.CG, np.int64(1), turns)
    row.pg_grounds = FELL if fell else component(state, cards, s.PG, np.int64(0), turns)
    row.pg_statue = FELL if fell else component(state, cards, s.PG, np.int64(1), turns)
    row.pg_ritter = FELL if fell else component(state, cards, s.PG, np.int64(2), turns)
    row.el_queen = FELL if fell else component(state, cards, s.EL, np.int64(0), turns)
    row.el_capture = FELL if fell else component(state, cards, s.EL, np.int64(1), turns)
    row.el_guard = FELL if fell else component(state, cards, s.EL, np.int64(2), turns)
    row.el_cathay = FELL if fell else component(state, cards, s.EL, np.int64(3), turns)
    row.wz_tower = FELL if fell else component(state, cards, s.WZ, np.int64(0), turns)
    row.wz_building = FELL if fell else component(state, cards, s.WZ, np.int64(1), turns)
    row.wz_artefacts = FELL if fell else component(state, cards, s.WZ, np.int64(2), turns)
    row.br_embassy = FELL if fell else component(state, cards, s.BR, np.int64(0), turns)
    row.br_building = FELL if fell else component(state, cards, s.BR, np.int64(1), turns)
    row.br_wolf = FELL if fell else component(state, cards, s.BR, np.int64(2), turns)
    row.ca_embassy = FELL if fell else component(state, cards, s.CA, np.int64(0), turns)
    row.ca_building = FELL if fell else component(state, cards, s.CA, np.int64(1), turns)
    row.ca_elves = FELL if fell else component(state, cards, s.CA, np.int64(2), turns)
    row.ca_hair = FELL if fell else component(state, cards, s.CA, np.int64(3), turns)


@kernel
def row_held(state: State, knobs: Knobs, cards: Cards, row: Row, winners: int) -> None:
    """Win and score of each faction if the city holds; its objective points in any case (LW-SCO-08)."""
    fell = np.int64(state.ending) != s.HOLD_END
    turns = np.int64(state.turn)
    row.kingmaker_vote = FELL if fell else np.int64(winners_by_other_vote(state, knobs, cards) != winners)
    row.kingmaker_reveal = FELL if fell else np.int64(winners_without_reveals(state, knobs, cards) != winners)
    row.held_win_cg = FELL if fell else (winners >> s.CG) & 1
    row.held_score_cg = FELL if fell else final_score(state, knobs, cards, s.CG)
    row.objective_cg = objective_points(state, cards, s.CG, turns)
    row.held_win_pg = FELL if fell else (winners >> s.PG) & 1
    row.held_score_pg = FELL if fell else final_score(state, knobs, cards, s.PG)
    row.objective_pg = objective_points(state, cards, s.PG, turns)
    row.held_win_el = FELL if fell else (winners >> s.EL) & 1
    row.held_score_el = FELL if fell else final_score(state, knobs, cards, s.EL)
    row.objective_el = objective_points(state, cards, s.EL, turns)
    row.held_win_wz = FELL if fell else (winners >> s.WZ) & 1
    row.held_score_wz = FELL if fell else final_score(state, knobs, cards, s.WZ)
    row.objective_wz = objective_points(state, cards, s.WZ, turns)
    row.held_win_br = FELL if fell else (winners >> s.BR) & 1
    row.held_score_br = FELL if fell else final_score(state, knobs, cards, s.BR)
    row.objective_br = objective_points(state, cards, s.BR, turns)
    row.held_win_ca = FELL if fell else (winners >> s.CA) & 1
    row.held_score_ca = FELL if fell else final_score(state, knobs, cards, s.CA)
    row.objective_ca = objective_points(state, cards, s.CA, turns)


@kernel
def row_factions(state: State, row: Row) -> None:
    row.temple_cg = state.count[s.N_TEMPLE + s.CG]
    row.temple_pg = state.count[s.N_TEMPLE + s.PG]
    row.temple_el = state.count[s.N_TEMPLE + s.EL]
    row.temple_wz = state.count[s.N_TEMPLE + s.WZ]
    row.temple_br = state.count[s.N_TEMPLE + s.BR]
    row.temple_ca = state.count[s.N_TEMPLE + s.CA]
    row.starved_cg = state.count[s.N_STARVED + s.CG]
    row.starved_pg = state.count[s.N_STARVED + s.PG]
    row.starved_el = state.count[s.N_STARVED + s.EL]
    row.starved_wz = state.count[s.N_STARVED + s.WZ]
    row.starved_br = state.count[s.N_STARVED + s.BR]
    row.starved_ca = state.count[s.N_STARVED + s.CA]
    row.commanded_cg = state.count[s.N_COMMANDED + s.CG]
    row.commanded_pg = state.count[s.N_COMMANDED + s.PG]
    row.commanded_el = state.count[s.N_COMMANDED + s.EL]
    row.commanded_wz = state.count[s.N_COMMANDED + s.WZ]
    row.commanded_br = state.count[s.N_COMMANDED + s.BR]
    row.commanded_ca = state.count[s.N_COMMANDED + s.CA]
    row.mined_cg = state.count[s.N_MINED + s.CG]
    row.mined_pg = state.count[s.N_MINED + s.PG]
    row.mined_el = state.count[s.N_MINED + s.EL]
    row.mined_wz = state.count[s.N_MINED + s.WZ]
    row.mined_br = state.count[s.N_MINED + s.BR]
    row.mined_ca = state.count[s.N_MINED + s.CA]
    row.died_cg = state.count[s.N_DIED + s.CG]
    row.died_pg = state.count[s.N_DIED + s.PG]
    row.died_el = state.count[s.N_DIED + s.EL]
    row.died_wz = state.count[s.N_DIED + s.WZ]
    row.died_br = state.count[s.N_DIED + s.BR]
    row.died_ca = state.count[s.N_DIED + s.CA]
    row.kills_cg = state.count[s.N_KILLS + s.CG]
    row.kills_pg = state.count[s.N_KILLS + s.PG]
    row.kills_el = state.count[s.N_KILLS + s.EL]
    row.kills_wz = state.count[s.N_KILLS + s.WZ]
    row.kills_br = state.count[s.N_KILLS + s.BR]
    row.kills_ca = state.count[s.N_KILLS + s.CA]
    row.unfed_cg = state.count[s.N_UNFED + s.CG]
    row.unfed_pg = state.count[s.N_UNFED + s.PG]
    row.unfed_el = state.count[s.N_UNFED + s.EL]
    row.unfed_wz = state.count[s.N_UNFED + s.WZ]
    row.unfed_br = state.count[s.N_UNFED + s.BR]
    row.unfed_ca = state.count[s.N_UNFED + s.CA]
    row.regained_cg = state.count[s.N_REGAINED + s.CG]
    row.regained_pg = state.count[s.N_REGAINED + s.PG]
    row.regained_el = state.count[s.N_REGAINED + s.EL]
    row.regained_wz = state.count[s.N_REGAINED + s.WZ]
    row.regained_br = state.count[s.N_REGAINED + s.BR]
    row.regained_ca = state.count[s.N_REGAINED + s.CA]
    row.handed_in_cg = state.count[s.N_HANDED + s.CG]
    row.handed_in_pg = state.count[s.N_HANDED + s.PG]
    row.handed_in_el = state.count[s.N_HANDED + s.EL]
    row.handed_in_wz = state.count[s.N_HANDED + s.WZ]
    row.handed_in_br = state.count[s.N_HANDED + s.BR]
    row.handed_in_ca = state.count[s.N_HANDED + s.CA]


@kernel
def of_all(state: State, counter: int) -> int:
    """A counter summed over the six factions."""
    total = np.int64(0)
    for seat in range(s.FACTIONS):
        total += np.int64(state.count[counter + seat])
    return total


@kernel
def row_counts(state: State, row: Row) -> None:
    row.attacks = of_all(state, s.N_ATTACKS)
    row.attack_wounds = of_all(state, s.N_WOUNDS)
    row.refused = of_all(state, s.N_REFUSED)
    row.free_fights = of_all(state, s.N_FREE)
    row.paid_fights = of_all(state, s.N_PAID)
    row.fights_forgone = of_all(state, s.N_FORGONE)
    row.discharged = of_all(state, s.N_DISCHARGED)
    row.water_used = of_all(state, s.N_QUENCHED)
    row.barricades = of_all(state, s.N_BUILT)
    row.trades = of_all(state, s.N_TRADES)
    row.stunned = of_all(state, s.N_STUNNED)
    row.lost_otherwise = of_all(state, s.N_OTHERWISE)
    row.arrived = state.count[s.N_ARRIVED]
    row.not_placed = state.count[s.N_NOT_PLACED]
    row.intruder_attacks = state.count[s.N_INTRUDER_ATTACKS]
    row.intruder_wounds = state.count[s.N_INTRUDER_WOUNDS]
    row.crossed = state.count[s.N_CROSSED]
    row.broken_barricades = state.count[s.N_BROKEN]
    row.demands_met = state.count[s.N_MET]
    row.demands_missed = state.count[s.N_MISSED]
    row.bridge_j_down = state.count[s.N_J_DOWN]
    row.bridge_k_down = state.count[s.N_K_DOWN]
    row.burnt = state.count[s.N_BURNT]
    row.rages = state.count[s.N_RAGES]
    row.wolf_changes = state.count[s.N_WOLF]
    row.elf_outbursts = state.count[s.N_ELF_OUTBURSTS]
    row.cathay_outbursts = state.count[s.N_CATHAY_OUTBURSTS]
    row.hostile_losses = state.count[s.N_HOSTILE]
    row.spell_kills = state.count[s.N_SPELL_KILLS]
    row.box_saves = state.count[s.N_SAVES]
    row.teleports = state.count[s.N_TELEPORTS]
    row.demon_turns = state.count[s.N_DEMON_TURNS]
    row.reveals = state.count[s.N_REVEALS]
    row.presses = state.count[s.N_PRESSES]
    row.cannon_kills = state.count[s.N_CANNON_KILLS]
    row.leader_changes = state.count[s.N_LEADER_CHANGES]
    row.spells = state.count[s.N_SPELLS]
    row.artefact_uses = state.count[s.N_ARTEFACTS]
    row.down_a = state.losses_in[0]
    row.down_b = state.losses_in[1]
    row.down_c = state.losses_in[2]
    row.down_d = state.losses_in[3]
    row.down_e = state.losses_in[4]
    row.down_f = state.losses_in[5]
    row.down_h = state.losses_in[6]
    row.down_m = state.losses_in[7]
    row.down_elsewhere = state.losses_in[s.PLACES]
