"""The end of the game (ledger 3.20): the tests of religious victory, the Peace of Westphalia, and the game's row."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Array, Cards, Knobs, Row, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import imperial_power, is_foreign, orthodox_towns, power_in_empire
from simlab.games.westphalia.flow import ask_few, count_order, go
from simlab.games.westphalia.heresy import lepanto
from simlab.games.westphalia.sets import bits, holds, lowest
from simlab.games.westphalia.setup import STANDARD
from simlab.games.westphalia.upheaval import mean_power

NO_PLACE = s.ZERO  # category of a seat without a start place; place s0 follows it
WOULD_WIN = np.int64(100)  # value in the who-is-ahead tracks: more than any final Imperial Power

NO_PROVINCES, NO_ELECTORS, NO_EMPEROR, NO_SAVED = (np.int64(1 << n) for n in range(4))  # tests that failed


@kernel
def end_round(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-ELE-08: Lepanto, the tests of the last two rounds, the next round."""
    count_rule(state, rule.WP_ELE_08)
    count_rule(state, rule.WP_RND_01)
    state.ip_at[state.turn] = mean_power(state, knobs)
    lepanto(state, knobs, cards)
    if state.turn >= knobs.n_rounds - 1:
        count_rule(state, rule.WP_END_01)
        count_rule(state, rule.WP_END_03)
        for faith in range(s.CATHOLIC, s.PROTESTANT + 1):
            if religious_victory(state, knobs, cards, np.int64(faith)):
                return
    if state.turn == knobs.n_rounds:
        peace_of_westphalia(state, knobs)
    else:
        go(state, s.S_ROUND)


# --- Catholic and Protestant victory --------------------------------------------------------


@kernel
def provinces_of(state: State, knobs: Knobs, faith: int) -> int:
    """WP-END-02: provinces of a faith on the map, whoever owns them; homes count under a switch."""
    found = bits(np.int64(state.protestant[0])) + bits(np.int64(state.protestant[1]))
    if faith == s.CATHOLIC:
        found = np.int64(state.hexes) - found
    if knobs.home_counts_for_majority == 1:
        for player in range(state.players):
            found += is_foreign(state, player) and state.faith[player] == faith
    return found


@kernel
def electors_of(state: State, faith: int) -> int:
    found = np.int64(0)
    prs = np.int64(state.electors)
    while prs:
        found += state.pr_faith[lowest(prs)] == faith
        prs &= prs - 1
    return found


@kernel
def provinces_needed(state: State, knobs: Knobs, cards: Cards) -> int:
    if knobs.need_provinces > 0:
        return (np.int64(knobs.need_provinces) * np.int64(state.hexes) + 99) // 100
    return np.int64(cards.provinces[np.int64(state.players) - 5])


@kernel
def electors_needed(state: State, knobs: Knobs, cards: Cards) -> int:
    if knobs.need_electors > 0:
        return np.int64(knobs.need_electors)
    return np.int64(cards.electors[np.int64(state.players) - 5])


@kernel
def saved_of(state: State, faith: int) -> int:
    """The saved seats of a faith, as bits."""
    role = s.WORKS if faith == s.CATHOLIC else s.ALONE
    found = np.int64(0)
    for player in range(state.players):
        if state.role[player] == role:
            found |= np.int64(1) << player
    return found


@kernel
def failed_tests(state: State, knobs: Knobs, cards: Cards, faith: int) -> int:
    """WP-END-02, WP-END-05: the tests that keep a faith from winning in this position, as bits; 0 if it wins."""
    failed = np.int64(0)
    if provinces_of(state, knobs, faith) < provinces_needed(state, knobs, cards):
        failed |= NO_PROVINCES
    if electors_of(state, faith) < electors_needed(state, knobs, cards):
        failed |= NO_ELECTORS
    if state.faith[state.emperor] != faith:
        failed |= NO_EMPEROR
    if failed == 0 and saved_of(state, faith) == 0:
        failed |= NO_SAVED
    return failed


@kernel
def religious_victory(state: State, knobs: Knobs, cards: Cards, faith: int) -> bool:
    """WP-END-02, WP-END-04, WP-END-05."""
    count_rule(state, rule.WP_END_02)
    failed = failed_tests(state, knobs, cards, faith)
    if failed == NO_SAVED:
        count_rule(state, rule.WP_END_05)
    last = np.int64(state.turn == knobs.n_rounds)
    state.gates[last, faith] = failed
    if failed:
        return False
    count_rule(state, rule.WP_END_04)
    count_rule(state, rule.WP_END_09)
    state.winners = saved_of(state, faith)
    state.ending = faith
    finish(state, knobs)
    return True


@kernel
def finish(state: State, knobs: Knobs) -> None:
    for player in range(state.players):
        state.final_ip[player] = final_power(state, knobs, player)
    state.over = True


# --- The Peace of Westphalia ----------------------------------------------------------------


@kernel
def final_power(state: State, knobs: Knobs, player: int) -> int:
    """WP-END-07: Imperial Power without a Foreign Power's home, plus a bonus for each orthodox town-province."""
    towns = orthodox_towns(state, player)
    if knobs.capital_counts_as_town == 1 and state.home[player] >= 0:
        towns += 1
    return power_in_empire(state, knobs, player) + np.int64(knobs.final_town_bonus) * towns


@kernel
def peace_of_westphalia(state: State, knobs: Knobs) -> None:
    """WP-END-06 to WP-END-08."""
    count_rule(state, rule.WP_END_06)
    count_rule(state, rule.WP_END_07)
    most = np.int64(-1)
    tied = np.int64(0)
    for player in range(state.players):
        power = final_power(state, knobs, player)
        if power > most:
            most, tied = power, np.int64(0)
        if power == most:
            tied |= np.int64(1) << player
    state.ending = s.PEACE_OF_WESTPHALIA
    if tied & (tied - 1) == 0:
        win_alone(state, knobs, lowest(tied))
        return
    count_rule(state, rule.WP_END_08)
    state.tie = bits(tied)
    if knobs.emperor_tiebreak == 1:
        count_order(state)
        for place in range(state.players):
            player = np.int64(state.initiative[place])
            if (tied >> player) & 1:
                win_alone(state, knobs, player)
                return
    go(state, s.S_TIE)
    ask_few(state, np.int64(state.emperor), s.D_WINNER, tied)


@kernel
def win_alone(state: State, knobs: Knobs, player: int) -> None:
    state.winners = np.int64(1) << player
    finish(state, knobs)


# --- The row of the game ------------------------------------------------------------------


@small_kernel
def has(seats: int, seat: int) -> int:
    return (seats >> seat) & 1


@kernel
def outcome(state: State, knobs: Knobs, cards: Cards, row: Row) -> None:
    """The row of a finished game."""
    winners = np.int64(state.winners)
    row.winners = winners
    row.winner = -2
    for player in range(state.players):
        row.score[player] = state.final_ip[player]
        if winners == np.int64(1) << player:
            row.winner = player
    row.ending = state.ending
    row.turns = state.turn
    row.winners_number = bits(winners)
    row.tied = state.tie
    row.emperor_won = has(winners, np.int64(state.emperor))
    row.first_emperor_won = has(winners, np.int64(state.emperor_of[0]))
    row.first_player_won = has(winners, np.int64(state.first_player))
    row.last_emperors_faith = state.faith[state.emperor]
    row.gate_catholic_4 = state.gates[0, s.CATHOLIC]
    row.gate_catholic_5 = state.gates[1, s.CATHOLIC]
    row.gate_protestant_4 = state.gates[0, s.PROTESTANT]
    row.gate_protestant_5 = state.gates[1, s.PROTESTANT]
    row.protestant_end = bits(np.int64(state.protestant[0])) + bits(np.int64(state.protestant[1]))
    row.electors_protestant = electors_of(state, s.PROTESTANT)
    row.protestant_1 = state.protestant_at[1]
    row.protestant_2 = state.protestant_at[2]
    row.protestant_3 = state.protestant_at[3]
    row.protestant_4 = state.protestant_at[4]
    row.protestant_5 = state.protestant_at[5]
    row.power_1 = state.ip_at[1]
    row.power_2 = state.ip_at[2]
    row.power_3 = state.ip_at[3]
    row.power_4 = state.ip_at[4]
    row.power_5 = state.ip_at[5]
    catholics = np.int64(0)
    foreign = np.int64(0)
    foreign_won = np.int64(0)
    for player in range(state.players):
        catholics += state.faith[player] == s.CATHOLIC
        foreign += is_foreign(state, player)
        foreign_won += is_foreign(state, player) and has(winners, player) == 1
    row.catholics_end = catholics
    row.foreign_end = foreign
    row.foreign_winners = foreign_won
    seat_categories(state, knobs, row)
    council = np.int64(state.count[s.N_COUNCIL])
    row.reformation = 0 if council == 0 else (council if council > 0 else 10)
    outcome_counts(state, row)


@kernel
def seat_categories(state: State, knobs: Knobs, row: Row) -> None:
    """Start place, place in the Setup Order, role at the end, first Emperor, Foreign Power; in the order in which the
    game lists them.
    """
    for player in range(state.players):
        row.category[0, player] = np.int64(state.start_place[player]) + 1 if knobs.setup_mode == STANDARD else NO_PLACE
        row.category[1, player] = place_of(state, np.int64(player))
        row.category[2, player] = state.role[player]
        row.category[3, player] = np.int64(state.emperor_of[0] == player)
        row.category[4, player] = np.int64(is_foreign(state, np.int64(player)))


@kernel
def outcome_counts(state: State, row: Row) -> None:
    count = state.count
    row.turned_early = count[0]
    row.turned_late = count[1]
    row.conversions = count[2]
    row.returns = count[3]
    row.cards_handed_on = count[4]
    row.dice = count[6]
    row.successes = count[7]
    row.dice_on_principalities = count[8]
    row.dice_on_players = count[9]
    row.dice_on_own = count[10]
    row.dice_lost = count[11]
    row.turned_principalities = count[12]
    row.turned_provinces = count[13]
    row.flames = count[14]
    row.patronage = count[15]
    row.gold_lost = count[16]
    row.thumbs = count[17]
    row.guns = count[18]
    row.gesture_di = count[19]
    row.bought_di = count[20]
    row.released = count[21]
    row.given = count[22]
    row.alliances = count[23]
    row.wars_unaligned = count[24]
    row.wars_players = count[25]
    row.wars_religious = count[26]
    row.temporary_ip = count[27]
    row.wars_automatic = count[s.N_AUTOMATIC]
    row.battles = count[29]
    row.attacker_wins = count[30]
    row.white_peace = count[31]
    row.wars_off = count[32]
    row.clashes = count[33]
    row.cards_bought = count[34]
    row.doctrines_played = count[35]
    row.doctrines_executed = count[36]
    row.reinforcements = count[37]
    row.conquered = count[38]
    row.towns_taken = count[39]
    row.vassals = count[40]
    row.liberated = count[41]
    row.claims = count[42]
    row.league_wars = count[43]
    row.league_battles = count[44]
    row.targets_turned = count[45]
    row.league_members = count[46]
    row.declined = count[47]
    row.electors_replaced = count[48]
    row.eliminated = count[49]
    row.left = count[50]
    row.postwar_di = count[51]
    row.war_di = count[52]
    row.new_emperors = count[53]
    row.musketeers_early = count[56]
    row.pikemen_early = count[57]
    row.cavalry_early = count[58]
    row.musketeers_late = count[59]
    row.pikemen_late = count[60]
    row.cavalry_late = count[61]


# --- Items and tracks -----------------------------------------------------------------------

# Items tracked individually: Doctrines, Emperors by round, allies.
EMPERORS_AT = s.DOCTRINES
ALLIES_AT = EMPERORS_AT + 6
ITEMS = ALLIES_AT + s.ROSTER


@kernel
def item_uses(state: State, knobs: Knobs, cards: Cards, used: Array) -> None:
    """Sets bit use * seats + seat. The uses are: had it, executed it, won a battle with it."""
    players = np.int64(state.players)
    for doctrine in range(s.DOCTRINES):
        for use in range(3):
            used[doctrine] |= np.int64(state.doctrine_use[doctrine, use]) << (use * players)
    for entry in range(6):
        if state.emperor_of[entry] >= 0:
            used[EMPERORS_AT + entry] |= np.int64(1) << np.int64(state.emperor_of[entry])
    for pr in range(s.ROSTER):
        if state.ally[pr] >= 0:
            used[ALLIES_AT + pr] |= np.int64(1) << np.int64(state.ally[pr])


@kernel
def place_of(state: State, player: int) -> int:
    for place in range(state.players):
        if state.setup_order[place] == player:
            return np.int64(place)
    return np.int64(0)


@kernel
def hex_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    """Whether a hex belongs to a player, and whether it is Protestant."""
    for h in range(s.HEXES):
        owner = np.int64(state.hex_owner[h])
        values[0, h] = 0 <= owner < s.PLAYERS
        values[1, h] = holds(state.protestant, np.int64(h))


@kernel
def track_values(state: State, knobs: Knobs, cards: Cards, values: Array) -> None:
    """Values: Imperial Power of each seat, the faiths on the map, and each seat's standing if the game ended now."""
    for player in range(state.players):
        values[player] = imperial_power(state, knobs, player)
    players = np.int64(state.players)
    values[players] = bits(np.int64(state.protestant[0])) + bits(np.int64(state.protestant[1]))
    values[players + 1] = electors_of(state, s.PROTESTANT)
    catholics = np.int64(0)
    for player in range(players):
        catholics += state.faith[player] == s.CATHOLIC
    values[players + 2] = catholics
    values[players + 3] = state.faith[state.emperor]
    values[players + 4] = state.reformation
    ahead = winners_by_faith(state, knobs, cards)
    for player in range(players):
        power = min(final_power(state, knobs, player), WOULD_WIN - 1)
        values[players + 5 + player] = power + WOULD_WIN * has(ahead, player)


@kernel
def winners_by_faith(state: State, knobs: Knobs, cards: Cards) -> int:
    """Seats that would win if a religious victory were tested now, as bits; 0 if neither faith would win."""
    for faith in range(s.CATHOLIC, s.PROTESTANT + 1):
        if failed_tests(state, knobs, cards, np.int64(faith)) == 0:
            return saved_of(state, np.int64(faith))
    return np.int64(0)
