"""Phase 5, the Religious War: Leagues, their battle, the Electorate and the peace (ledger 3.17)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.battle import muster, note_doctrine_win, still_empty_leave
from simlab.games.westphalia.board import convert_principality, imperial_power, is_elector, outweighs
from simlab.games.westphalia.declare import league_of_faith, reshuffle_doctrines
from simlab.games.westphalia.flow import ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.hands import empty_hand, fill_deck
from simlab.games.westphalia.influence import become_ally, evaluate, evaluate_all, lose_all_on, lose_on
from simlab.games.westphalia.sets import lowest

# --- The Leagues form --------------------------------------------------------------------


@kernel
def targets_of_war(state: State) -> int:
    found = np.int64(0)
    for pr in range(s.ROSTER):
        if state.marker[pr] == s.UPRIGHT:
            found |= np.int64(1) << pr
    return found


@kernel
def form_leagues(state: State, knobs: Knobs) -> None:
    """WP-REL-01 to WP-REL-08."""
    if place_in(state) == 0:
        wars = np.int64(0)
        for player in range(state.players):
            wars += state.has_declared[player] == s.RELIGIOUS
        if wars == 0:
            reshuffle_doctrines(state)
            go(state, s.S_FOREIGN)
            return
        count_rule(state, rule.WP_REL_01)
        state.phase = s.RELIGIOUS_WAR
        tally(state, s.N_LEAGUE_WARS, np.int64(1))
        declarers_pay(state, knobs)
        move_on(state)
    while place_in(state) <= state.players:
        player = np.int64(state.initiative[place_in(state) - 1])
        move_on(state)
        if state.has_declared[player] != s.RELIGIOUS:
            count_rule(state, rule.WP_REL_03)
            ask_few(state, player, s.D_LEAGUE, leagues_for(state, player))
            return
    count_order(state)
    find_allies(state, knobs)
    go(state, s.S_LEAGUE_WAR)


@kernel
def declarers_pay(state: State, knobs: Knobs) -> None:
    """WP-REL-02: 1 DI on every principality of the other faith."""
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.has_declared[player] == s.RELIGIOUS:
            count_rule(state, rule.WP_REL_02)
            pay_on_heretics(state, knobs, player)


@kernel
def pay_on_heretics(state: State, knobs: Knobs, player: int) -> None:
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.pr_faith[pr] != state.faith[player] and state.di[pr, player] > 0:
            lose_on(state, pr, player, np.int64(1))
    evaluate_all(state, knobs)


@kernel
def leagues_for(state: State, player: int) -> int:
    """WP-REL-03: a saved player may join only the League of his faith."""
    if state.role[player] == s.WORKS:
        return np.int64(1) << s.DECLINE | np.int64(1) << s.JOIN_CATHOLIC
    if state.role[player] == s.ALONE:
        return np.int64(1) << s.DECLINE | np.int64(1) << s.JOIN_EVANGELICAL
    return np.int64(1) << s.DECLINE | np.int64(1) << s.JOIN_CATHOLIC | np.int64(1) << s.JOIN_EVANGELICAL


@kernel
def join_or_decline(state: State, knobs: Knobs, choice: int) -> None:
    """WP-REL-04 to WP-REL-06."""
    player = np.int64(state.seat)
    if choice == s.DECLINE:
        count_rule(state, rule.WP_REL_05)
        tally(state, s.N_DECLINED, np.int64(1))
        leave_targets(state, knobs, player)
        return
    state.league[player] = choice
    count_rule(state, rule.WP_REL_06)
    if state.role[player] >= s.ALONE:
        count_rule(state, rule.WP_REL_04)
        pay_on_heretics(state, knobs, player)


@kernel
def leave_targets(state: State, knobs: Knobs, player: int) -> None:
    """All influence on all Target Principalities is lost."""
    prs = targets_of_war(state)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        lose_all_on(state, pr, player)
        evaluate(state, knobs, pr)


@kernel
def find_allies(state: State, knobs: Knobs) -> None:
    """WP-REL-07, WP-REL-08: each Target gets an ally in its League, in the order of declaration."""
    for place in range(state.players):
        declarer = np.int64(state.initiative[place])
        for pr in range(s.ROSTER):
            if state.marker[pr] == s.UPRIGHT and state.declarer[pr] == declarer:
                count_rule(state, rule.WP_REL_07)
                ally = first_with_most(state, np.int64(pr), league_of_faith(np.int64(state.pr_faith[pr])))
                if ally >= 0:
                    count_rule(state, rule.WP_REL_08)
                    become_ally(state, knobs, np.int64(pr), ally)


@kernel
def first_with_most(state: State, pr: int, league: int) -> int:
    """The member of a League with the most influence on a principality; ties in Initiative Order."""
    best = s.NOBODY
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.league[player] == league and (best < 0 or state.di[pr, player] > state.di[pr, best]):
            best = player
    return best


# --- The battle ---------------------------------------------------------------------------


@kernel
def league_war(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-REL-09, WP-REL-10: a League without opponents wins at once; otherwise the Leagues fight."""
    if place_in(state) == 1:
        aftermath(state, knobs)
        return
    members_catholic = np.int64(0)
    members_evangelical = np.int64(0)
    for player in range(state.players):
        members_catholic += state.league[player] == s.CATHOLIC_LEAGUE
        members_evangelical += state.league[player] == s.EVANGELICAL_LEAGUE
    tally(state, s.N_LEAGUERS, members_catholic + members_evangelical)
    move_on(state)
    state.fought = 0
    if members_catholic == 0 or members_evangelical == 0:
        count_rule(state, rule.WP_REL_09)
        state.beaten_leagues = s.CATHOLIC_LEAGUE if members_catholic == 0 else s.EVANGELICAL_LEAGUE
        return
    count_rule(state, rule.WP_REL_10)
    state.beaten_leagues = 0
    state.fought = 1
    tally(state, s.N_LEAGUE_BATTLES, np.int64(1))
    line_up(state, knobs, cards)
    call(state, s.S_MUSTER)


@kernel
def line_up(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-REL-11, WP-REL-12, WP-REL-22: deals cards and reserves, then forms the lines."""
    count_rule(state, rule.WP_REL_11)
    count_rule(state, rule.WP_REL_12)
    count_rule(state, rule.WP_REL_22)
    state.melee = 1
    state.fighters = 0
    for pr in range(s.ROSTER):
        state.elector_fought[pr] = s.NO_LEAGUE
        if is_elector(state, pr) and state.ally[pr] >= 0:
            state.elector_fought[pr] = state.league[state.ally[pr]]
    for player in range(state.players):
        empty_hand(state, player)
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.league[player] != s.NO_LEAGUE:
            state.deck_of[player] = player if knobs.deck_mode == 1 else np.int64(state.fighters) % s.DUELS
            fill_deck(state, knobs, cards, np.int64(state.deck_of[player]))
            state.fighter[state.fighters] = player
            state.fighters += 1
    for side in range(2):
        state.queue_len[side] = 0
    for slot in range(s.DUELS):
        state.slot[slot, 0] = -1
        state.slot[slot, 1] = -1
    for n in range(state.fighters):
        player = np.int64(state.fighter[n])
        state.force[player] = imperial_power(state, knobs, player)
        muster(state, knobs, player)
        wait_in_line(state, player)
    pair_up(state)
    if knobs.rw_automatic_double_ip == 1:
        decide_by_force(state, knobs)


@kernel
def wait_in_line(state: State, player: int) -> None:
    side = np.int64(state.league[player]) - s.CATHOLIC_LEAGUE
    state.queue[side, state.queue_len[side]] = player
    state.queue_len[side] += 1


@kernel
def first_in_line(state: State, side: int) -> int:
    """Removes and returns the first waiting player of a League."""
    player = np.int64(state.queue[side, 0])
    state.queue_len[side] -= 1
    for n in range(state.queue_len[side]):
        state.queue[side, n] = state.queue[side, n + 1]
    return player


@kernel
def pair_up(state: State) -> None:
    """While both Leagues have waiting players, their first ones fight in the lowest empty slot."""
    for slot in range(s.DUELS):
        if state.slot[slot, 0] < 0 and state.queue_len[0] > 0 and state.queue_len[1] > 0:
            state.slot[slot, 0] = first_in_line(state, np.int64(0))
            state.slot[slot, 1] = first_in_line(state, np.int64(1))


@kernel
def decide_by_force(state: State, knobs: Knobs) -> None:
    """WP-REL-10, alternative reading: with twice the Imperial Power, a player wins a first duel without cards."""
    for slot in range(s.DUELS):
        if state.slot[slot, 0] >= 0:
            one = np.int64(state.slot[slot, 0])
            other = np.int64(state.slot[slot, 1])
            if outweighs(np.int64(state.force[one]), np.int64(state.force[other]), knobs):
                state.routed[other] = 1
            elif outweighs(np.int64(state.force[other]), np.int64(state.force[one]), knobs):
                state.routed[one] = 1
    close_ranks(state)


@kernel
def close_ranks(state: State) -> None:
    """WP-REL-18: routed players leave; the others continue as they are, and nobody recovers cards."""
    for slot in range(s.DUELS):
        for side in range(2):
            if state.slot[slot, side] >= 0 and state.routed[state.slot[slot, side]]:
                state.slot[slot, side] = -1
    for slot in range(s.DUELS):
        for side in range(2):
            if state.slot[slot, side] >= 0 and state.slot[slot, 1 - side] < 0:
                count_rule(state, rule.WP_REL_18)
                if state.queue_len[1 - side] > 0:
                    state.slot[slot, 1 - side] = first_in_line(state, np.int64(1 - side))
                else:
                    wait_in_line(state, np.int64(state.slot[slot, side]))
                    state.slot[slot, side] = -1
    pair_up(state)


@kernel
def regroup(state: State, knobs: Knobs) -> None:
    """WP-REL-13, WP-REL-18, WP-REL-19: the next clashes, or the end of the battle."""
    count_rule(state, rule.WP_REL_13)
    close_ranks(state)
    while still_empty_leave(state):  # a player may have waited without cards, if provinces give no Imperial Power
        close_ranks(state)
    catholic = np.int64(state.queue_len[0])
    evangelical = np.int64(state.queue_len[1])
    for slot in range(s.DUELS):
        catholic += state.slot[slot, 0] >= 0
        evangelical += state.slot[slot, 1] >= 0
    if catholic > 0 and evangelical > 0:
        go(state, s.S_CHOOSE)
        return
    count_rule(state, rule.WP_REL_19)
    if catholic > 0:
        state.beaten_leagues = s.EVANGELICAL_LEAGUE
    elif evangelical > 0:
        state.beaten_leagues = s.CATHOLIC_LEAGUE
    for n in range(state.fighters):
        player = np.int64(state.fighter[n])
        if state.beaten_leagues and state.league[player] != state.beaten_leagues:
            note_doctrine_win(state, player)
        empty_hand(state, player)
    for slot in range(s.DUELS):
        state.slot[slot, 0] = -1
        state.slot[slot, 1] = -1
    state.queue_len[0] = 0
    state.queue_len[1] = 0
    state.melee = 0
    done(state)


# --- After the battle ------------------------------------------------------------------------


@kernel
def aftermath(state: State, knobs: Knobs) -> None:
    """WP-REL-20, WP-REL-21: the fate of the Target Principalities."""
    if state.beaten_leagues == 0:
        go(state, s.S_LEAGUE_END)
        return
    for player in range(state.players):
        if state.league[player] == state.beaten_leagues:
            count_rule(state, rule.WP_REL_20)
            leave_targets(state, knobs, player)
    for place in range(state.players):
        declarer = np.int64(state.initiative[place])
        for pr in range(s.ROSTER):
            of_declarer = state.marker[pr] == s.UPRIGHT and state.declarer[pr] == declarer
            if of_declarer and league_of_faith(np.int64(state.pr_faith[pr])) == state.beaten_leagues:
                count_rule(state, rule.WP_REL_21)
                tally(state, s.N_DECLARERS_WON, np.int64(1))
                convert_principality(state, np.int64(pr), 1 - np.int64(state.pr_faith[pr]))
                become_ally(state, knobs, np.int64(pr), declarer)
    if state.fought:
        go(state, s.S_ELECTORATE)
    else:
        go(state, s.S_LEAGUE_END)


@kernel
def ask_electorate(state: State) -> None:
    """WP-REL-22 to WP-REL-25: the Emperor, or the first of the victors over him, may replace beaten Electors."""
    emperor = np.int64(state.emperor)
    if state.league[emperor] != s.NO_LEAGUE:
        while place_in(state) < s.ROSTER:
            pr = place_in(state)
            if is_elector(state, pr) and state.elector_fought[pr] == state.beaten_leagues:
                chooser = emperor
                if state.league[emperor] == state.beaten_leagues:
                    chooser = first_victor(state)
                    count_rule(state, rule.WP_REL_24)
                else:
                    count_rule(state, rule.WP_REL_23)
                options = np.int64(state.on_map) & ~np.int64(state.electors) | np.int64(1) << s.NO_TARGET
                ask_few(state, chooser, s.D_RANK, options)
                return
            move_on(state)
    go(state, s.S_LEAGUE_PEACE)


@kernel
def first_victor(state: State) -> int:
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.league[player] != s.NO_LEAGUE and state.league[player] != state.beaten_leagues:
            return player
    return s.NOBODY


@kernel
def choose_rank(state: State, pr: int) -> None:
    """Under WP-REL-23 the choice takes effect at once; under WP-REL-24 it is a proposal to the other victors."""
    old = place_in(state)
    if pr == s.NO_TARGET:
        move_on(state)
    elif state.league[state.emperor] != state.beaten_leagues:
        move_on(state)
        hand_over_rank(state, old, pr)
    else:
        state.proposed = pr
        call(state, s.S_ASSENT)


@kernel
def hand_over_rank(state: State, old: int, new: int) -> None:
    """WP-REL-25: there are always seven Electors."""
    count_rule(state, rule.WP_REL_25)
    state.electors = state.electors & ~(np.int64(1) << old) | np.int64(1) << new
    tally(state, s.N_STRIPPED, np.int64(1))


@kernel
def ask_assent(state: State) -> None:
    """WP-REL-24: the other victors vote in secret; more than half of all victors must agree."""
    proposer = first_victor(state)
    while place_in(state) < state.players:
        player = place_in(state)
        victor = state.league[player] != s.NO_LEAGUE and state.league[player] != state.beaten_leagues
        if victor and player != proposer:
            ask_few(state, player, s.D_ASSENT, np.int64(3))
            return
        move_on(state)
    members = np.int64(0)
    yes = np.int64(1)
    for player in range(state.players):
        members += state.league[player] != s.NO_LEAGUE and state.league[player] != state.beaten_leagues
        yes += state.pending[player] == 1
        state.pending[player] = -1
    done(state)
    if 2 * yes > members:
        hand_over_rank(state, place_in(state), np.int64(state.proposed))
    move_on(state)


@kernel
def next_peace(state: State) -> None:
    """WP-REL-26: a treaty for each of the victors, in Initiative Order."""
    while place_in(state) < state.players:
        player = np.int64(state.initiative[place_in(state)])
        move_on(state)
        if state.league[player] == s.NO_LEAGUE or state.league[player] == state.beaten_leagues:
            continue
        count_rule(state, rule.WP_REL_26)
        enemies = np.int64(0)
        losers = np.int64(0)
        for other in range(state.players):
            if state.league[other] == state.beaten_leagues:
                losers |= np.int64(1) << other
        prs = np.int64(state.on_map)
        while prs:
            pr = lowest(prs)
            prs &= prs - 1
            if state.ally[pr] >= 0 and (losers >> np.int64(state.ally[pr])) & 1 and state.marker[pr] != s.UPRIGHT:
                enemies |= np.int64(1) << pr
        state.treaty = s.WITH_LEAGUE
        state.victor = player
        state.enemy_players = losers
        state.enemy_prs = enemies
        call(state, s.S_TREATY)
        return
    go(state, s.S_LEAGUE_END)


@kernel
def end_religious_war(state: State) -> None:
    """WP-REL-27, WP-REL-28."""
    count_rule(state, rule.WP_REL_27)
    count_rule(state, rule.WP_REL_28)
    for player in range(state.players):
        state.league[player] = s.NO_LEAGUE
    for pr in range(s.ROSTER):
        if state.marker[pr] == s.UPRIGHT:
            state.marker[pr] = s.NO_FLAME
            state.declarer[pr] = -1
    reshuffle_doctrines(state)
    go(state, s.S_FOREIGN)
