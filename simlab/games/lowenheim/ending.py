"""Step 9f: the end of the game and the scores (LW-END, LW-SCO), winners under other decisions, items and tracks."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Array, Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import clear_mark, intruders_in, intruders_near, overrun
from simlab.games.lowenheim.events import wet_sides
from simlab.games.lowenheim.orders import places_overrun
from simlab.games.lowenheim.upkeep import lose_artefacts

MOST_POINTS = 10  # objective points of a faction (LW-SCO-01)


# --- 9f -------------------------------------------------------------------------


@kernel
def end_turn(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-END-01: parts (1) to (5); the vote, part (6), follows if the game continues."""
    count_rule(state, rule.LW_END_01)
    losses(state, cards)
    objectives(state, cards)
    timers(state, cards)
    overwhelmed(state, knobs, cards)
    if np.int64(state.ending) == s.NO_END and state.turn >= knobs.turn_limit:
        count_rule(state, rule.LW_END_03)
        state.ending = s.HOLD_END
    if np.int64(state.ending) != s.NO_END:
        count_scores(state)
        state.over = True


@kernel
def held_by_intruders(state: State, h: int) -> bool:
    return state.their_heads[h] > 0 and state.our_heads[h] == 0


@kernel
def losses(state: State, cards: Cards) -> None:
    """LW-END-01 (1), LW-END-05, LW-ENM-11, LW-QUE-02, LW-QUE-03."""
    if not state.plundered and held_by_intruders(state, np.int64(cards.main[s.D])):
        count_rule(state, rule.LW_END_05)
        state.plundered = 1
        lose_artefacts(state)
    if np.int64(state.statue) == s.STATUE_WHOLE and held_by_intruders(state, np.int64(cards.gate_court)):
        count_rule(state, rule.LW_ENM_11)
        state.statue = s.STATUE_BROKEN
    if not state.queen_captured and held_by_intruders(state, np.int64(state.queen)):
        count_rule(state, rule.LW_QUE_02)
        state.queen_captured = 1
    if not state.brunhilde_captured and state.brunhilde >= 0 and held_by_intruders(state, np.int64(state.brunhilde)):
        count_rule(state, rule.LW_QUE_03)
        state.brunhilde_captured = 1


@kernel
def objectives(state: State, cards: Cards) -> None:
    """LW-END-01 (2): updates each faction's objective counts at the end of a turn."""
    ours = np.int64(0)
    theirs = np.int64(0)
    for h in range(cards.n_hexes):
        if cards.poor[h]:
            ours += np.int64(state.ours[h])
            theirs += np.int64(state.theirs[h])
    state.poor_turns += np.int64(ours >= theirs and ours > 0)
    state.jousting_turns += np.int64(not intruders_near(state, cards, s.B))
    at_castle = np.int64(cards.place_of[state.queen]) == s.C
    state.queen_turns += np.int64(not state.queen_captured and at_castle and not intruders_in(state, cards, s.C))
    state.tower_turns += np.int64(state.their_heads[cards.main[s.D]] == 0)
    state.embassy_turns += np.int64(not intruders_near(state, cards, s.E))
    state.secret_turns += np.int64(not state.wolf_public)
    state.cathay_turns += np.int64(not intruders_near(state, cards, s.F))
    state.count[s.N_J_DOWN] += 1 - (np.int64(state.config) & 1)
    state.count[s.N_K_DOWN] += 1 - ((np.int64(state.config) >> 1) & 1)


@kernel
def timers(state: State, cards: Cards) -> None:
    """LW-END-01 (3): water walls, conference, werewolf; barricade pieces return (LW-BAR-04)."""
    turn = np.int64(state.turn)
    gone = False
    for at in range(s.WATER_WALLS):
        if 0 < state.wall_last[at] <= turn:
            state.wall_last[at] = 0
            gone = True
    if gone:
        wet_sides(state, cards)
    if state.conference_until == turn:
        for f in range(s.FIGURES):
            clear_mark(state, np.int64(f), s.CONFERRING)
    if state.wolf_until == turn:
        count_rule(state, rule.LW_WLF_02)
        state.wolf_until = 0
        state.kind[s.JEAN_JACQUES] = cards.kind[s.JEAN_JACQUES]
        clear_mark(state, s.JEAN_JACQUES, s.RAGING)
    for h in range(s.HEXES_MAX):
        state.fresh[h] = 0
    state.pieces += state.returning
    state.returning = 0


@kernel
def overwhelmed(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-END-02, LW-ESC-04: tests whether the city falls, in the order gate, places, outnumbered."""
    count_rule(state, rule.LW_END_02)
    if held_by_intruders(state, np.int64(cards.main[s.M])):
        state.gate_turns += 1
    else:
        state.gate_turns = 0
    state.overrun = places_overrun(state, cards)
    lost = np.int64(0)
    for place in range(s.PLACES):
        lost |= np.int64(overrun(state, cards, np.int64(place))) << place
    state.places_lost = lost
    note_overrun(state, np.int64(state.overrun))
    legend = knobs.knight_eternal_legend == 1 and state.hex[s.SIGIS] >= 0
    if state.gate_turns >= knobs.gate_hold_turns:
        state.ending = s.GATE_END
        return
    places = state.overrun >= knobs.overrun_places
    outnumbered = state.their_number > 0 and state.their_size >= knobs.overwhelm_ratio * state.our_size
    if legend and (places or outnumbered):
        count_rule(state, rule.LW_ESC_04)
    elif places:
        state.ending = s.PLACES_END
    elif outnumbered:
        state.ending = s.OUTNUMBERED_END


@kernel
def note_overrun(state: State, places: int) -> None:
    turn = np.int64(state.turn)
    if turn == 4:
        state.count[s.N_PLACES_4] = places
    elif turn == 8:
        state.count[s.N_PLACES_8] = places
        state.count[s.N_RATIO_8] = np.int64(state.their_size) * 100 // max(np.int64(1), np.int64(state.our_size))
    if places > 0 and state.count[s.N_FIRST_OVERRUN] == 0:
        state.count[s.N_FIRST_OVERRUN] = turn


# --- Scores ---------------------------------------------------------------------


@kernel
def sixth(times: int, turns: int, points: int) -> int:
    """LW-SCO-01: x of T turns score floor(k * x / T)."""
    return np.int64(times) * points // max(np.int64(1), np.int64(turns))


@kernel
def burnt(state: State, cards: Cards, place: int) -> bool:
    k = np.int64(cards.fire_of[cards.main[place]])
    return k >= 0 and np.int64(state.fire[k]) == s.BURNT


@kernel
def off_map(state: State, cards: Cards, seat: int) -> int:
    """LW-SCO-04, LW-SCO-07: a faction's roster figures off the map; a gun's crew counts as on the map (LW-CMD-15)."""
    n = np.int64(0)
    for f in range(cards.first[seat], cards.last[seat] + 1):
        n += np.int64(state.hex[f] < 0 and np.int64(state.status[f]) != s.CREW)
    return n


@kernel
def component(state: State, cards: Cards, seat: int, which: int, turns: int) -> int:
    """LW-SCO-02 to LW-SCO-07: one of up to four terms of a faction's objective points."""
    if seat == s.CG:
        return cg_points(state, which, turns)
    if seat == s.PG:
        return pg_points(state, which, turns)
    if seat == s.EL:
        return el_points(state, cards, which, turns)
    if seat == s.WZ:
        return wz_points(state, cards, which, turns)
    if seat == s.BR:
        return br_points(state, cards, which, turns)
    return ca_points(state, cards, which, turns)


@kernel
def cg_points(state: State, which: int, turns: int) -> int:
    if which == 0:
        return sixth(np.int64(state.leader_turns[0]), turns, np.int64(4))
    return sixth(np.int64(state.poor_turns), turns, np.int64(6)) if which == 1 else np.int64(0)


@kernel
def pg_points(state: State, which: int, turns: int) -> int:
    if which == 0:
        return sixth(np.int64(state.jousting_turns), turns, np.int64(6))
    if which == 1:
        statue = np.int64(state.statue)
        if statue == s.STATUE_WHOLE:
            return np.int64(2)
        return np.int64(1) if statue == s.STATUE_SHATTERED else np.int64(-2)
    if which == 2:
        status = np.int64(state.status[s.SIGIS])
        return np.int64(0) if 3 <= status <= 5 else np.int64(2)
    return np.int64(0)


@kernel
def el_points(state: State, cards: Cards, which: int, turns: int) -> int:
    if which == 0:
        return sixth(np.int64(state.queen_turns), turns, np.int64(5))
    if which == 1:
        return np.int64(-5) if state.queen_captured else np.int64(0)
    if which == 2:
        return min(np.int64(3), np.int64(state.defended))
    return min(np.int64(2), off_map(state, cards, s.CA) // 4)


@kernel
def wz_points(state: State, cards: Cards, which: int, turns: int) -> int:
    if which == 0:
        return np.int64(0) if state.plundered else sixth(np.int64(state.tower_turns), turns, np.int64(3))
    if which == 1:
        return np.int64(0) if state.plundered or burnt(state, cards, s.D) else np.int64(2)
    if which == 2:
        kept = np.int64(0)
        for artefact in range(s.ARTEFACTS):
            kept += np.int64(not state.artefact_public[artefact] and not state.artefact_lost[artefact])
        return kept
    return np.int64(0)


@kernel
def br_points(state: State, cards: Cards, which: int, turns: int) -> int:
    if which == 0:
        return sixth(np.int64(state.embassy_turns), turns, np.int64(6))
    if which == 1:
        return np.int64(0) if burnt(state, cards, s.E) else np.int64(3)
    return sixth(np.int64(state.secret_turns), turns, np.int64(5)) if which == 2 else np.int64(0)


@kernel
def ca_points(state: State, cards: Cards, which: int, turns: int) -> int:
    if which == 0:
        return sixth(np.int64(state.cathay_turns), turns, np.int64(5))
    if which == 1:
        return np.int64(0) if burnt(state, cards, s.F) else np.int64(1)
    if which == 2:
        return min(np.int64(3), off_map(state, cards, s.EL) // 3)
    hair = np.int64(state.hair)
    if hair == s.HAIR_LOST:
        return np.int64(0)
    if hair == s.HAIR_HIDDEN:
        return np.int64(1) if state.hair_public else np.int64(2)
    return np.int64(1) if state.hair_needed else np.int64(0)


@kernel
def objective_points(state: State, cards: Cards, seat: int, turns: int) -> int:
    """LW-SCO-01: at most 10."""
    total = np.int64(0)
    for which in range(4):
        total += component(state, cards, seat, np.int64(which), turns)
    return min(np.int64(MOST_POINTS), total)


@kernel
def held_score(state: State, knobs: Knobs, cards: Cards, seat: int, turns: int) -> int:
    """The score of a faction in a city that holds (LW-SCO-01 to LW-SCO-07)."""
    if seat == s.PG and np.int64(state.status[s.SIGIS]) == s.ESCAPED:
        return np.int64(knobs.lynch_points)
    return np.int64(knobs.hold_points) + objective_points(state, cards, seat, turns)


@kernel
def final_score(state: State, knobs: Knobs, cards: Cards, seat: int) -> int:
    """LW-SCO-08: in a fallen city all score 0, except for a Palace Guard that escaped."""
    if np.int64(state.ending) == s.HOLD_END:
        return held_score(state, knobs, cards, seat, np.int64(state.turn))
    if seat == s.PG and np.int64(state.status[s.SIGIS]) == s.ESCAPED:
        return np.int64(knobs.escape_with) if state.escaped_with else np.int64(knobs.escape_alone)
    return np.int64(0)


@kernel
def count_scores(state: State) -> None:
    """Counts the scoring rules that take effect at the end."""
    count_rule(state, rule.LW_SCO_09)
    count_rule(state, rule.LW_END_04)
    escaped = np.int64(state.status[s.SIGIS]) == s.ESCAPED
    if np.int64(state.ending) != s.HOLD_END:
        count_rule(state, rule.LW_SCO_08)
        return
    count_rule(state, rule.LW_SCO_01)
    count_rule(state, rule.LW_SCO_02)
    count_rule(state, rule.LW_SCO_03)
    count_rule(state, rule.LW_SCO_04)
    count_rule(state, rule.LW_SCO_05)
    count_rule(state, rule.LW_SCO_06)
    count_rule(state, rule.LW_SCO_07)
    if escaped:
        count_rule(state, rule.LW_ESC_03)


@kernel
def winners_of(state: State, knobs: Knobs, cards: Cards) -> int:
    """LW-SCO-09, as bits: the best scores if the city held; the Palace Guard if it escaped with Brunhilde; else
    nobody."""
    if np.int64(state.ending) != s.HOLD_END:
        if np.int64(state.status[s.SIGIS]) == s.ESCAPED and state.escaped_with:
            return np.int64(1) << s.PG
        return np.int64(0)
    best = final_score(state, knobs, cards, s.CG)
    for seat in range(1, s.FACTIONS):
        best = max(best, final_score(state, knobs, cards, np.int64(seat)))
    winners = np.int64(0)
    for seat in range(s.FACTIONS):
        if final_score(state, knobs, cards, np.int64(seat)) == best:
            winners |= np.int64(1) << seat
    return winners


# --- Kingmakers (ledger section 8): would the winners differ, all else equal? ---


@kernel
def winners_by_other_vote(state: State, knobs: Knobs, cards: Cards) -> int:
    """The winners if the last vote for the leader had gone the other way (LW-LED-01, LW-SCO-02)."""
    turns = np.int64(state.turn)
    every = np.int64(knobs.leader_vote_every)
    since = turns - (turns - 1) // every * every
    led = np.int64(state.leader_turns[0])
    change = -since if np.int64(state.leader) == s.CG else since
    state.leader_turns[0] = max(s.ZERO, min(turns, led + change))
    winners = winners_of(state, knobs, cards)
    state.leader_turns[0] = led
    return winners


@kernel
def winners_without_reveals(state: State, knobs: Knobs, cards: Cards) -> int:
    """The winners if no secret had been made public after a refusal (LW-BLK-03). A wolf that changed form would have
    been seen anyway.
    """
    secret, hair = np.int64(state.secret_turns), np.int64(state.hair_public)
    bits = np.int64(state.revealed[s.S_ARTEFACTS])
    if state.revealed[s.S_WOLF] > 0 and state.count[s.N_WOLF] == 0:
        state.secret_turns = secret + np.int64(state.turn) - np.int64(state.revealed[s.S_WOLF]) + 1
    if state.revealed[s.S_HAIR] > 0:
        state.hair_public = 0
    for artefact in range(s.ARTEFACTS):
        if (bits >> artefact) & 1:
            state.artefact_public[artefact] = 0
    winners = winners_of(state, knobs, cards)
    state.secret_turns, state.hair_public = secret, hair
    for artefact in range(s.ARTEFACTS):
        if (bits >> artefact) & 1:
            state.artefact_public[artefact] = 1
    return winners


@kernel
def lone(winners: int) -> int:
    """The only winner, -2 if several win, -1 if nobody does."""
    if winners == 0:
        return np.int64(-1)
    if winners & (winners - 1):
        return np.int64(-2)
    seat = np.int64(0)
    while (winners >> seat) & 1 == 0:
        seat += 1
    return seat


# --- Items and tracks -----------------------------------------------------------


@kernel
def item_uses(state: State, knobs: Knobs, cards: Cards, used: Array) -> None:
    for item in range(s.ITEMS):
        used[item] = np.int64(state.item_use[item])


@kernel
def hex_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    """The values of Game.hex_map: whether intruders outsize defenders, roster figures that went down, intruders taken
    out.
    """
    for h in range(cards.n_hexes):
        values[0, h] = np.int64(state.theirs[h]) > np.int64(state.ours[h])
        values[1, h] = state.fallen_on[h]
        values[2, h] = state.slain_on[h]


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    """The values of Game.tracks."""
    values[0] = state.our_size
    values[1] = state.their_size
    at = 2
    for place in range(s.PLACES):
        difference = np.int64(0)
        for i in range(cards.place_len[place]):
            h = np.int64(cards.place[place, i])
            difference += np.int64(state.ours[h]) - np.int64(state.theirs[h])
        values[at] = difference
        at += 1
    temple = np.int64(0)
    starved = np.int64(0)
    for f in range(cards.last[s.CA] + 1):
        temple += np.int64(np.int64(state.status[f]) == 1)
        starved += np.int64(np.int64(state.status[f]) == 2)
    values[10] = temple
    values[11] = starved
    values[12] = state.fires
    turns = max(np.int64(1), np.int64(state.turn) - 1)
    for seat in range(s.FACTIONS):
        values[13 + seat] = held_score(state, knobs, cards, np.int64(seat), turns)
