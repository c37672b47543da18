"""Phase 4, second part: battles between two players, and the clashes that Religious Wars share (ledger 3.13)."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule
from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import imperial_power, least_times, next_to_power, outweighs
from simlab.games.westphalia.flow import ask_few, call, count_order, done, go, move_on, place_in, tally
from simlab.games.westphalia.hands import (
    deny,
    draw_cards,
    empty_hand,
    fill_deck,
    gain_openly,
    hand_size,
    kinds_held,
    lose_openly,
    pile_size,
)
from simlab.games.westphalia.tables import CHARGE, RIFLE, STOP

BATTLE_PHASES = np.int64(3)

# --- Battle Phases -------------------------------------------------------------------


@kernel
def next_battle_phase(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-WAR-11, WP-BAT-02, WP-PCE-10: a phase counts the positions at its start."""
    if state.battle_phase == BATTLE_PHASES:
        go(state, s.S_POSTWAR)
        return
    state.battle_phase += 1
    state.battles_begun = 0
    begun = False
    for war in range(state.wars):
        begun |= state.war_phase[war] == state.battle_phase
    if not begun:
        return
    for player in range(state.players):
        state.force[player] = imperial_power(state, knobs, player)
        low, high = next_to_power(state, cards, player)
        state.adjacent[player, 0] = low
        state.adjacent[player, 1] = high
    state.war = -1
    go(state, s.S_BATTLE)


@kernel
def next_battle(state: State, knobs: Knobs, cards: Cards) -> None:
    """The battles of this phase in the order of declaration; then their treaties."""
    war = np.int64(state.war) + 1
    while war < state.wars and state.war_phase[war] != state.battle_phase:
        war += 1
    if war == state.wars:
        state.war = -1
        go(state, s.S_TREATIES)
        return
    state.war = war
    begin_battle(state, knobs, cards, war)


@kernel
def begin_battle(state: State, knobs: Knobs, cards: Cards, war: int) -> None:
    """B0 and B1: WP-BAT-01 to WP-BAT-05."""
    attacker = np.int64(state.war_attacker[war])
    defender = np.int64(state.war_defender[war])
    if state.eliminated[attacker] or state.eliminated[defender]:
        count_rule(state, rule.WP_BAT_01)
        count_rule(state, rule.WP_FP_15)
        state.war_result[war] = s.OFF
        tally(state, s.N_CANCELLED, np.int64(1))
        return
    count_rule(state, rule.WP_BAT_02)
    ours = np.int64(state.force[attacker])
    theirs = np.int64(state.force[defender])
    if outweighs(ours, theirs, knobs):
        state.war_result[war] = s.ATTACKER_WON
    elif outweighs(theirs, ours, knobs):
        state.war_result[war] = s.DEFENDER_WON
    if state.war_result[war] != s.AT_WAR:
        tally(state, s.N_AUTOMATIC, np.int64(1))
        if state.war_result[war] == s.ATTACKER_WON:
            tally(state, s.N_ATTACKER_WINS, np.int64(1))
        return
    tally(state, s.N_BATTLES, np.int64(1))
    count_rule(state, rule.WP_BAT_03)
    count_rule(state, rule.WP_BAT_04)
    count_rule(state, rule.WP_BAT_05)
    state.melee = 0
    state.fighters = 0
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if player == attacker or player == defender:
            state.fighter[state.fighters] = player
            state.fighters += 1
    for slot in range(s.DUELS):
        state.slot[slot, 0] = -1
        state.slot[slot, 1] = -1
    for side in range(2):
        player = np.int64(state.fighter[side])
        state.slot[0, side] = player
        empty_hand(state, player)
        state.deck_of[player] = player if knobs.deck_mode == 1 else np.int64(state.fighter[0])
    for side in range(2):
        fill_deck(state, knobs, cards, np.int64(state.fighter[side]))
    for side in range(2):
        muster(state, knobs, np.int64(state.fighter[side]))
    state.battles_begun += 1
    call(state, s.S_MUSTER)


@kernel
def muster(state: State, knobs: Knobs, player: int) -> None:
    """WP-BAT-03: one card per point of Imperial Power up to a limit; the rest is in reserve."""
    force = np.int64(state.force[player])
    draw_cards(state, player, min(force, np.int64(knobs.max_cards)))
    state.reserve[player] = min(force - hand_size(state, player), np.int64(120))


# --- A clash ----------------------------------------------------------------------------


@kernel
def ask_cards(state: State, knobs: Knobs, cards: Cards) -> None:
    """WP-BAT-06, WP-REL-13: all fighters choose a card in secret, in seat order; then the duels are resolved."""
    for player in range(state.players):
        if in_duel(state, player) and state.pending[player] < 0:
            held = kinds_held(state, player)
            if state.barred[player] and held != np.int64(1) << s.CAVALRY:
                held &= ~(np.int64(1) << s.CAVALRY)
            ask_few(state, player, s.D_CLASH, held)
            return
    state.duel_at = -1
    state.losses_left = 0
    state.name_left = 0
    go(state, s.S_RESOLVE)


@kernel
def in_duel(state: State, player: int) -> bool:
    for slot in range(s.DUELS):
        if state.slot[slot, 0] == player or state.slot[slot, 1] == player:
            return state.slot[slot, 0] >= 0 and state.slot[slot, 1] >= 0
    return False


@kernel
def choose_card(state: State, kind: int) -> None:
    state.pending[state.seat] = kind


@kernel
def begin_clash(state: State, knobs: Knobs, cards: Cards, one: int, other: int) -> None:
    """WP-BAT-06 to WP-BAT-10: the cards are shown and compared."""
    count_rule(state, rule.WP_BAT_06)
    tally(state, s.N_CLASHES, np.int64(1))
    mine = np.int64(state.pending[one])
    theirs = np.int64(state.pending[other])
    show_card(state, one, mine)
    show_card(state, other, theirs)
    if mine == theirs:
        count_rule(state, rule.WP_BAT_07)
        state.discard[one, mine] += 1
        state.discard[other, theirs] += 1
    elif cards.beats[mine] == theirs:
        settle_clash(state, knobs, cards, one, other, mine, theirs)
    else:
        settle_clash(state, knobs, cards, other, one, theirs, mine)


@kernel
def show_card(state: State, player: int, kind: int) -> None:
    """The card leaves the hand while the clash is resolved; the ban on Cavalry ends."""
    state.pending[player] = -1
    state.clash[player] = kind
    state.barred[player] = 0
    lose_openly(state, player, kind)
    tally(state, (s.N_LATE_M if state.turn > 3 else s.N_PLAYED_M) + kind, np.int64(1))


@kernel
def settle_clash(state: State, knobs: Knobs, cards: Cards, winner: int, loser: int, card: int, beaten: int) -> None:
    """The beaten card is discarded and the winning card returns to the hand; then its kind's extra effect follows."""
    state.discard[loser, beaten] += 1
    gain_openly(state, winner, card)
    effect = np.int64(cards.effect[card])
    if effect == STOP:
        count_rule(state, rule.WP_BAT_08)
        state.barred[loser] = 1
        if state.hand[loser, s.CAVALRY] > 0 and kinds_held(state, loser) == np.int64(1) << s.CAVALRY:
            if state.melee:
                count_rule(state, rule.WP_REL_14)
            state.routed[loser] = 1
    elif effect == RIFLE:
        count_rule(state, rule.WP_BAT_09)
        if state.turn >= knobs.rifling_from_round and hand_size(state, loser) > 0:
            state.name_left = 7
            state.seat = winner
    elif effect == CHARGE:
        count_rule(state, rule.WP_BAT_10)
        infantry = np.int64(state.hand[loser, s.MUSKETEER]) + np.int64(state.hand[loser, s.PIKEMAN])
        if infantry < knobs.charge_extra:
            if state.melee:
                count_rule(state, rule.WP_REL_14)
            state.routed[loser] = 1
        else:
            state.losses_left = knobs.charge_extra
            state.seat = loser


@kernel
def charge_over(state: State, knobs: Knobs, winner: int, loser: int) -> None:
    """WP-BAT-11, WP-REL-15: after a charge and its losses, a loser whose hand is small enough routs."""
    against = hand_size(state, winner)
    if state.melee:
        against = last_against(state, loser)
        if against == 0:
            return
    if against >= least_times(knobs.charge_rout_ratio, hand_size(state, loser)):
        if state.melee:
            count_rule(state, rule.WP_REL_15)
        else:
            count_rule(state, rule.WP_BAT_11)
        state.routed[loser] = 1


@kernel
def last_against(state: State, player: int) -> int:
    """Number of cards of the other League if a player is the last member of his own League; else 0."""
    mine = np.int64(state.league[player])
    against = np.int64(0)
    for n in range(state.fighters):
        other = np.int64(state.fighter[n])
        if other == player or state.routed[other]:
            continue
        if state.league[other] == mine:
            return np.int64(0)
        against += hand_size(state, other)
    return against


@kernel
def resolve(state: State, knobs: Knobs, cards: Cards) -> None:
    """Resolves the duels one by one; pauses if a player has to give up a card or name a kind."""
    if state.losses_left > 0:
        ask_infantry(state, knobs)
        return
    if state.name_left > 0:
        ask_name(state)
        return
    slot = np.int64(state.duel_at) + 1
    if slot > 0:
        end_of_duel(state, knobs, cards, slot - 1)
    while slot < s.DUELS and (state.slot[slot, 0] < 0 or state.slot[slot, 1] < 0):
        slot += 1
    if slot == s.DUELS:
        end_of_tick(state)
        return
    state.duel_at = slot
    begin_clash(state, knobs, cards, np.int64(state.slot[slot, 0]), np.int64(state.slot[slot, 1]))


@small_kernel
def end_of_tick(state: State) -> None:
    go(state, s.S_REINFORCE)


@kernel
def end_of_duel(state: State, knobs: Knobs, cards: Cards, slot: int) -> None:
    """The consequences of a clash and its losses: a rout after a charge or, in a Religious War, because of an empty
    hand.
    """
    one = np.int64(state.slot[slot, 0])
    other = np.int64(state.slot[slot, 1])
    if one < 0 or other < 0:
        return
    mine = np.int64(state.clash[one])
    theirs = np.int64(state.clash[other])
    if mine != theirs:
        winner, loser, card = (one, other, mine) if cards.beats[mine] == theirs else (other, one, theirs)
        if cards.effect[card] == CHARGE and not state.routed[loser]:
            charge_over(state, knobs, winner, loser)
    if state.melee:
        empty_leaves(state, knobs, one)
        empty_leaves(state, knobs, other)


@kernel
def empty_leaves(state: State, knobs: Knobs, player: int) -> None:
    """WP-REL-16: a player without cards leaves the melee; a switch lets him call for reinforcements first."""
    if hand_size(state, player) > 0:
        return
    if knobs.rw_empty_may_call == 1 and may_call(state, player):
        return
    count_rule(state, rule.WP_REL_16)
    state.routed[player] = 1


@kernel
def ask_infantry(state: State, knobs: Knobs) -> None:
    """WP-BAT-10: asks which infantry to give up to a charge."""
    player = np.int64(state.seat)
    ask_few(state, player, s.D_INFANTRY, kinds_held(state, player) & 3)


@kernel
def give_up_infantry(state: State, kind: int) -> None:
    """WP-BAT-16: the card goes to its owner's discard pile."""
    count_rule(state, rule.WP_BAT_16)
    player = np.int64(state.seat)
    lose_openly(state, player, kind)
    state.discard[player, kind] += 1
    state.losses_left -= 1


@small_kernel
def ask_name(state: State) -> None:
    ask_few(state, np.int64(state.seat), s.D_NAME, np.int64(state.name_left))


@kernel
def name_kind(state: State, kind: int) -> None:
    """WP-BAT-09: the loser gives up a card of the kind named, or declares that he has none."""
    slot = np.int64(state.duel_at)
    loser = np.int64(state.slot[slot, 0])
    if loser == state.seat:
        loser = np.int64(state.slot[slot, 1])
    if state.hand[loser, kind] > 0:
        count_rule(state, rule.WP_BAT_16)
        lose_openly(state, loser, kind)
        state.discard[loser, kind] += 1
        state.name_left = 0
    else:
        deny(state, loser, kind)
        state.name_left = np.int64(state.name_left) & ~(np.int64(1) << kind)


# --- Reinforcements ---------------------------------------------------------------------


@small_kernel
def may_call(state: State, player: int) -> bool:
    return not state.called[player] and state.reserve[player] > 0 and pile_size(state, player) > 0


@kernel
def ask_reinforcements(state: State, knobs: Knobs) -> None:
    """WP-BAT-12 to WP-BAT-15, WP-REL-17: routs come first; then those still fighting may call for reinforcements, in
    Initiative Order."""
    if place_in(state) == 0:
        if not state.melee and (knobs.reinforce_before_rout == 0 or any_routed(state)) and battle_decided(state):
            return
        move_on(state)
    while place_in(state) <= state.fighters:
        player = np.int64(state.fighter[place_in(state) - 1])
        calling = state.called[player] == 2 and state.reserve[player] > 0 and pile_size(state, player) > 0
        if in_duel(state, player) and not state.routed[player] and (may_call(state, player) or calling):
            options = np.int64(1) << s.NO_CARD
            for kind in range(s.KINDS):
                if state.discard[player, kind] > 0:
                    options |= np.int64(1) << kind
            ask_few(state, player, s.D_REINFORCE, options)
            return
        if state.called[player] == 2:
            state.called[player] = 1
        move_on(state)
    count_order(state)
    if state.melee:
        still_empty_leave(state)
        go(state, s.S_REGROUP)
    elif not battle_decided(state):
        go(state, s.S_CHOOSE)


@kernel
def any_routed(state: State) -> bool:
    for n in range(state.fighters):
        if state.routed[state.fighter[n]]:
            return True
    return False


@kernel
def still_empty_leave(state: State) -> bool:
    """WP-REL-16: players without cards who could have called but did not also leave. Returns whether there are any."""
    anybody = False
    for n in range(state.fighters):
        player = np.int64(state.fighter[n])
        if in_duel(state, player) and not state.routed[player] and hand_size(state, player) == 0:
            count_rule(state, rule.WP_REL_16)
            state.routed[player] = 1
            anybody = True
    return anybody


@kernel
def reinforce(state: State, kind: int) -> None:
    """WP-BAT-15: the first card uses up the call; cards taken are shown."""
    player = np.int64(state.seat)
    if kind == s.NO_CARD:
        if state.called[player] == 2:
            state.called[player] = 1
        move_on(state)
        return
    if state.called[player] == 0:
        if state.melee:
            count_rule(state, rule.WP_REL_17)
        count_rule(state, rule.WP_BAT_15)
        tally(state, s.N_CALLS, np.int64(1))
    state.called[player] = 2  # still taking cards
    state.discard[player, kind] -= 1
    state.reserve[player] -= 1
    gain_openly(state, player, kind)


# --- The end of a battle of two ---------------------------------------------------------


@kernel
def battle_decided(state: State) -> bool:
    """WP-BAT-12 to WP-BAT-14, WP-BAT-17: a rout, or two empty hands; ends the battle."""
    one = np.int64(state.slot[0, 0])
    other = np.int64(state.slot[0, 1])
    one_out = state.routed[one] != 0 or hand_size(state, one) == 0
    other_out = state.routed[other] != 0 or hand_size(state, other) == 0
    if not one_out and not other_out:
        return False
    count_rule(state, rule.WP_BAT_17)
    if one_out and other_out:
        count_rule(state, rule.WP_BAT_13)
        end_battle(state, s.NOBODY)
    else:
        count_rule(state, rule.WP_BAT_12)
        count_rule(state, rule.WP_BAT_14)
        end_battle(state, other if one_out else one)
    return True


@kernel
def end_battle(state: State, winner: int) -> None:
    """WP-BAT-18: the winner gets the treaty; without one there is White Peace."""
    count_rule(state, rule.WP_BAT_18)
    war = np.int64(state.war)
    attacker = np.int64(state.war_attacker[war])
    defender = np.int64(state.war_defender[war])
    if winner == s.NOBODY:
        state.war_result[war] = s.WHITE_PEACE
        state.white_peace[attacker] = 1
        state.white_peace[defender] = 1
        tally(state, s.N_WHITE_PEACE, np.int64(1))
    else:
        if winner == attacker:
            state.war_result[war] = s.ATTACKER_WON
            tally(state, s.N_ATTACKER_WINS, np.int64(1))
        else:
            state.war_result[war] = s.DEFENDER_WON
        note_doctrine_win(state, winner)
    empty_hand(state, attacker)
    empty_hand(state, defender)
    state.slot[0, 0] = -1
    state.slot[0, 1] = -1
    done(state)


@kernel
def note_doctrine_win(state: State, winner: int) -> None:
    """For the report: records the Doctrine with which a battle was won."""
    if state.played[winner] >= 0 and state.executed[winner]:
        state.doctrine_use[state.played[winner], 2] |= np.int64(1) << winner


@kernel
def first_zero_check(state: State) -> None:
    """B3: a hand may be empty before the first clash."""
    if state.melee:
        still_empty_leave(state)
        go(state, s.S_REGROUP)
    elif not battle_decided(state):
        go(state, s.S_CHOOSE)
