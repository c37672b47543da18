"""Phase 4, first part: Declare War (ledger 3.12)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, draw_kind
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import allied_value, imperial_power, least_times, next_to_power, size_of
from simlab.games.westphalia.flow import ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.influence import evaluate, lose_all_on
from simlab.games.westphalia.roles import is_saved
from simlab.games.westphalia.sets import lowest


@kernel
def begin_wars(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-01: Doctrine cards are dealt; nobody has declared war yet."""
    count_rule(state, rule.WP_GEN_05)
    deal_doctrines(state, knobs, cards)
    state.wars = 0
    for player in range(state.players):
        state.declared_on[player] = 0
        state.has_declared[player] = s.NO_WAR
        state.white_peace[player] = 0
        state.eliminated[player] = 0
        state.league[player] = s.NO_LEAGUE
    for pr in range(s.ROSTER):
        state.ally_whole_war[pr] = np.int64(state.ally[pr] >= 0)
        state.ally_claimed[pr] = 0


@kernel
def deal_doctrines(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-01: deals from the shuffled cards, one player after the other."""
    count_rule(state, rule.WP_WAR_01)
    left = np.int64(0)
    for kind in range(s.DOCTRINES):
        left += cards.doctrine_copies[kind]
        state.doctrine_played[kind] = 0
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        for kind in range(s.DOCTRINES):
            state.doctrine[player, kind] = 0
    undealt = np.empty(s.DOCTRINES, np.int64)
    for kind in range(s.DOCTRINES):
        undealt[kind] = cards.doctrine_copies[kind]
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        for _ in range(knobs.doctrines_dealt):
            card = draw_kind(state, np.int64(state.stream_seats) + s.DOCTRINE_STREAM, undealt, left)
            left -= 1
            for kind in range(s.DOCTRINES):
                if card < undealt[kind]:
                    undealt[kind] -= 1
                    state.doctrine[player, kind] += 1
                    state.doctrine_use[kind, 0] |= np.int64(1) << player
                    break
                card -= undealt[kind]


@kernel
def reshuffle_doctrines(state: State) -> None:
    """WP-DOC-10, WP-PWD-05: unplayed cards go back to the deck."""
    count_rule(state, rule.WP_DOC_10)
    for player in range(state.players):
        for kind in range(s.DOCTRINES):
            state.doctrine[player, kind] = 0
    for kind in range(s.DOCTRINES):
        state.doctrine_played[kind] = 0


# --- The declarations -----------------------------------------------------------------


@kernel
def ask_declaration(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-02: at most one declaration per player, in Initiative Order."""
    if place_in(state) == state.players:
        count_rule(state, rule.WP_WAR_15)
        for pr in range(s.ROSTER):
            if state.marker[pr] == s.LYING:
                state.marker[pr] = s.NO_FLAME
        state.battle_phase = 0
        go(state, s.S_BATTLE_PHASE)
        return
    player = np.int64(state.initiative[place_in(state)])
    options = np.int64(1) << s.NO_WAR
    state.named = 0
    state.named_size = 0
    state.named_any = 0
    if targets(state, knobs, player):
        options |= np.int64(1) << s.ON_UNALIGNED
    if victims(state, player):
        options |= np.int64(1) << s.ON_PLAYER
    if crusades(state, player):
        options |= np.int64(1) << s.RELIGIOUS
    ask_few(state, player, s.D_DECLARE, options)


@kernel
def choose_declaration(state: State, knobs: Knobs, choice: int) -> None:
    player = np.int64(state.seat)
    count_order(state)
    count_rule(state, rule.WP_WAR_02)
    move_on(state)
    state.has_declared[player] = choice
    if choice == s.ON_UNALIGNED:
        tally(state, s.N_WARS_UNALIGNED, np.int64(1))
        call(state, s.S_NAMING)
    elif choice == s.ON_PLAYER:
        ask_few(state, player, s.D_VICTIM, victims(state, player))
    elif choice == s.RELIGIOUS:
        ask_few(state, player, s.D_CRUSADE, crusades(state, player))


# --- (i) on unaligned principalities --------------------------------------------------


@kernel
def targets(state: State, knobs: Knobs, player: int) -> int:
    """WP-WAR-03, WP-WAR-07: principalities that may be named now."""
    found = np.int64(0)
    power = imperial_power(state, knobs, player)
    means = power + np.int64(state.gold[player])
    named = np.int64(state.named_size)
    prs = np.int64(state.on_map) & ~np.int64(state.named)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        ally = np.int64(state.ally[pr])
        if ally >= 0 and (ally != player or knobs.attack_own_ally == 1):
            continue
        left = means - (allied_value(state, knobs, pr) if ally == player else np.int64(0))
        if left >= least_times(knobs.unaligned_ratio, named + size_of(state, pr)):
            found |= np.int64(1) << pr
    return found


@kernel
def ask_target(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-04, WP-WAR-07: targets are named one at a time, until the declarer commits or gives up."""
    player = np.int64(state.seat)
    options = targets(state, knobs, player)
    if state.named_any:
        options |= np.int64(1) << s.NO_TARGET
    ask_few(state, player, s.D_TARGET, options)


@kernel
def name_target(state: State, knobs: Knobs, cards: Cards, pr: int) -> None:
    """WP-WAR-03, WP-WAR-04: all of the declarer's influence on the target is removed, whatever the result."""
    if pr == s.NO_TARGET:
        commit(state, knobs, cards)
        return
    player = np.int64(state.seat)
    state.named_any = 1
    count_rule(state, rule.WP_WAR_04)
    if state.ally[pr] == player:
        count_rule(state, rule.WP_WAR_03)
    lose_all_on(state, pr, player)
    evaluate(state, knobs, pr)
    state.target = pr
    state.named |= np.int64(1) << pr
    state.named_size += size_of(state, pr)
    if state.ally[pr] >= 0:
        call(state, s.S_DEFENCE)
        state.at[state.depth - 1] = player  # the player who continues when this is settled


@kernel
def ask_defence(state: State, knobs: Knobs) -> None:
    """WP-WAR-05: a player whom the removal makes the target's ally abandons the principality or defends it."""
    pr = np.int64(state.target)
    ally = np.int64(state.ally[pr])
    if ally < 0:
        state.seat = place_in(state)
        done(state)
        return
    count_rule(state, rule.WP_WAR_05)
    ask_few(state, ally, s.D_DEFEND, np.int64(3))


@kernel
def answer_defence(state: State, knobs: Knobs, choice: int) -> None:
    """WP-WAR-05, WP-WAR-06."""
    pr = np.int64(state.target)
    defender = np.int64(state.seat)
    declarer = place_in(state)
    if choice == s.ABANDON:
        lose_all_on(state, pr, defender)
        evaluate(state, knobs, pr)
        return
    count_rule(state, rule.WP_WAR_06)
    state.named &= ~(np.int64(1) << pr)
    state.named_size -= size_of(state, pr)
    done(state)  # the defence
    state.seat = declarer
    if not state.declared_on[defender]:
        state.named = 0
        state.has_declared[declarer] = s.ON_PLAYER
        go_to_war(state, declarer, defender)
        done(state)  # the naming


@kernel
def commit(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-07 to WP-WAR-09, WP-IP-05: the missing Imperial Power is paid for, and the treaty follows at once."""
    player = np.int64(state.seat)
    done(state)
    if state.named == 0:
        return
    count_rule(state, rule.WP_WAR_07)
    count_rule(state, rule.WP_WAR_08)
    count_rule(state, rule.WP_WAR_09)
    needed = least_times(knobs.unaligned_ratio, np.int64(state.named_size))
    missing = needed - imperial_power(state, knobs, player)
    if missing > 0:
        count_rule(state, rule.WP_IP_05)
        state.gold[player] -= missing
        tally(state, s.N_TEMPORARY_IP, missing)
    count_rule(state, rule.WP_IP_02)
    prs = np.int64(state.named)
    while prs:
        if state.marker[lowest(prs)] == s.UPRIGHT:
            count_rule(state, rule.WP_WAR_16)
        prs &= prs - 1
    low, high = next_to_power(state, cards, player)
    state.adjacent[player, 0] = low
    state.adjacent[player, 1] = high
    state.treaty = s.WITH_UNALIGNED
    state.victor = player
    state.enemy_prs = state.named
    state.enemy_players = 0
    call(state, s.S_TREATY)


# --- (ii) on a player, (iii) a religious war ------------------------------------------


@kernel
def victims(state: State, player: int) -> int:
    """WP-WAR-10: other players on whom nobody has declared war in this round."""
    found = np.int64(0)
    for other in range(state.players):
        if other != player and not state.declared_on[other]:
            found |= np.int64(1) << other
    return found


@kernel
def attack_player(state: State, victim: int) -> None:
    go_to_war(state, np.int64(state.seat), victim)


@kernel
def go_to_war(state: State, attacker: int, defender: int) -> None:
    """WP-WAR-10, WP-WAR-11: puts the war into the first Battle Phase in which neither player has one yet."""
    count_rule(state, rule.WP_WAR_10)
    count_rule(state, rule.WP_WAR_11)
    state.declared_on[defender] = 1
    phase = np.int64(1)
    while stands_in(state, attacker, phase) or stands_in(state, defender, phase):
        phase += 1
    war = np.int64(state.wars)
    state.war_attacker[war] = attacker
    state.war_defender[war] = defender
    state.war_phase[war] = phase
    state.war_result[war] = s.AT_WAR
    state.wars += 1
    tally(state, s.N_WARS_PLAYERS, np.int64(1))
    tally(state, s.N_WAR_LATE if state.turn > 3 else s.N_WAR_EARLY, np.int64(1))


@kernel
def stands_in(state: State, player: int, phase: int) -> bool:
    for war in range(state.wars):
        if state.war_phase[war] == phase and (state.war_attacker[war] == player or state.war_defender[war] == player):
            return True
    return False


@kernel
def crusades(state: State, player: int) -> int:
    """WP-WAR-12: the lying flames on principalities of the other faith, for a saved player."""
    found = np.int64(0)
    if not is_saved(state, player):
        return found
    prs = np.int64(state.on_map)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        if state.marker[pr] == s.LYING and state.pr_faith[pr] != state.faith[player]:
            found |= np.int64(1) << pr
    return found


@small_kernel
def league_of_faith(faith: int) -> int:
    return s.CATHOLIC_LEAGUE if faith == s.CATHOLIC else s.EVANGELICAL_LEAGUE


@kernel
def declare_religious_war(state: State, pr: int) -> None:
    """WP-WAR-12 to WP-WAR-14."""
    player = np.int64(state.seat)
    count_rule(state, rule.WP_WAR_12)
    count_rule(state, rule.WP_WAR_13)
    count_rule(state, rule.WP_GEN_03)
    state.marker[pr] = s.UPRIGHT
    state.declarer[pr] = player
    state.league[player] = league_of_faith(np.int64(state.faith[player]))
    for other in range(state.players):
        if state.league[other] != s.NO_LEAGUE and state.league[other] != state.league[player]:
            count_rule(state, rule.WP_WAR_14)
            break
    tally(state, s.N_WARS_RELIGIOUS, np.int64(1))
