"""Shared answers of all bots of Westphalia to decisions in which they do not differ."""

from __future__ import annotations

import numpy as np

from policies.westphalia.battle import (
    ambush_card,
    card_of_clash,
    close_fight,
    doctrine,
    executes,
    infantry,
    purchase,
    reinforcement,
    swapped_card,
)
from policies.westphalia.faith import best_target
from policies.westphalia.influence import diplomatic_action, imperial_point, next_point
from policies.westphalia.measures import T, electors_of_ally, is_open, power_of_faith, strongest
from policies.westphalia.war import (
    best_vassal,
    claim_of_ally,
    conquest,
    crusade_target,
    declaration,
    gives_way,
    next_target,
    peace_option,
    victim,
)
from simlab.compiler import kernel
from simlab.engine.streams import bot_below
from simlab.game import Cards, Knobs, State, Traits
from simlab.games.westphalia import state as s
from simlab.games.westphalia.board import size_of
from simlab.games.westphalia.ending import NO_EMPEROR, NO_SAVED, failed_tests, saved_of
from simlab.games.westphalia.sets import bits, lowest

ONE = np.int64(1)


@kernel
def answer(state: State, knobs: Knobs, cards: Cards, traits: Traits) -> int:
    """The common answer to the current decision; always legal."""
    me = np.int64(state.seat)
    kind = np.int64(state.decision)
    if kind == s.D_DIE:
        return best_target(state, knobs, traits, me, 0.0)
    if kind == s.D_DIPLOMACY:
        return diplomatic_action(state, traits, me, np.int64(40))
    if kind == s.D_PRINCIPALITY:
        return next_point(state, traits, me, np.int64(state.di_stored[me])) if state.giving < 0 else first(state)
    if kind == s.D_CLASH:
        return card_of_clash(state, knobs, me)
    if kind == s.D_FIRST_DI:
        each = np.int64(knobs.start_di)
        return next_point(state, traits, me, each - np.int64(state.at[state.depth - 1]) % each)
    if kind == s.D_IMPERIAL_DI:
        return imperial_point(state, knobs, traits, me)
    if s.D_DECLARE <= kind <= s.D_CRUSADE:
        return answer_declaration(state, knobs, cards, traits, me, kind)
    if s.D_DOCTRINE <= kind <= s.D_REINFORCE:
        return answer_battle(state, knobs, cards, traits, me, kind)
    if s.D_PEACE <= kind <= s.D_CLAIM:
        return answer_treaty(state, knobs, cards, traits, me, kind)
    return answer_rest(state, knobs, cards, me, kind)


@kernel
def first(state: State) -> int:
    return np.int64(state.legal[0])


@kernel
def answer_declaration(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, kind: int) -> int:
    if kind == s.D_DECLARE:
        return declaration(state, knobs, cards, traits, me, False, False)
    if kind == s.D_TARGET:
        return next_target(state, knobs, cards, traits, me)
    if kind == s.D_DEFEND:
        return s.ABANDON if gives_way(state, knobs, me) else s.DEFEND
    if kind == s.D_VICTIM:
        return victim(state, knobs, cards, me)
    return crusade_target(state)


@kernel
def answer_battle(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, kind: int) -> int:
    if kind == s.D_DOCTRINE:
        return doctrine(state, cards, me)
    if kind == s.D_EXECUTE:
        return executes(state, cards, me)
    if kind == s.D_SWAP:
        return swapped_card(state, me)
    if kind == s.D_AMBUSH:
        return ambush_card(state, me)
    if kind == s.D_BUY:
        kept = np.int64(traits[T.cards]) if close_fight(state, me) else np.int64(40)
        return purchase(state, me, kept)
    if kind == s.D_INFANTRY:
        return infantry(state, me)
    if kind == s.D_NAME:
        return first(state)  # Musketeers, then Pikemen, then Cavalry
    return reinforcement(state, me)


@kernel
def answer_treaty(state: State, knobs: Knobs, cards: Cards, traits: Traits, me: int, kind: int) -> int:
    if kind == s.D_PEACE:
        return peace_option(state, knobs, cards, traits, me)
    if kind == s.D_CONQUER:
        return conquest(state, knobs, me)
    if kind == s.D_CLAIM:
        return claim_of_ally(state, knobs, me)
    if kind == s.D_VASSAL:
        return best_vassal(state, knobs, traits, me)[0]
    return first(state)


@kernel
def answer_rest(state: State, knobs: Knobs, cards: Cards, me: int, kind: int) -> int:
    if kind == s.D_VOTE:
        return vote_for(state, knobs, cards, me, me)
    if kind == s.D_CONVERT:
        return s.STAY
    if kind == s.D_TOKEN:
        return s.FRENCH
    if kind == s.D_PATRONAGE:
        return np.int64(0)
    if kind == s.D_GESTURE:
        return s.GUN
    if kind == s.D_LEAGUE:
        return s.DECLINE
    if kind == s.D_RANK:
        return own_elector(state, me)
    if kind == s.D_ASSENT:
        return ONE
    if kind == s.D_LEAVE:
        return s.STAY_IN_EMPIRE
    if kind == s.D_EDGE:
        return edge_of_faith(state, cards, me, s.NOBODY)
    if kind == s.D_WINNER:
        return named_winner(state, me)
    if kind <= s.D_FIRST_DI:  # set-up of the map: any legal hex
        return np.int64(state.legal[bot_below(state, state.n_legal)])
    return first(state)


# --- Answers shared by several bots ---------------------------------------------------------


@kernel
def own_elector(state: State, me: int) -> int:
    """The rank goes to the bot's largest ally. It stays if the bot has no ally, or if the Elector is now the bot's
    ally.
    """
    best = s.NO_TARGET
    if state.ally[state.at[state.depth - 1]] == me:
        return best
    most = np.int64(0)
    for n in range(state.n_legal):
        pr = np.int64(state.legal[n])
        if pr != s.NO_TARGET and state.ally[pr] == me and size_of(state, pr) > most:
            best, most = pr, size_of(state, pr)
    return best


@kernel
def edge_of_faith(state: State, cards: Cards, me: int, electors: int) -> int:
    """The edge with the most hexes of the bot's faith; with electors >= 0, the edge with the most Electors next to
    it.
    """
    best = np.int64(0)
    most = np.int64(-1)
    size = np.int64(state.map_size)
    for edge in range(s.EDGES):
        if electors >= 0:
            count = np.int64(0)
            prs = np.int64(state.electors)
            while prs:
                power_ = s.FIRST_PRINCIPALITY + lowest(prs)
                prs &= prs - 1
                count += (state.land[power_, 0] & cards.edge[size, edge, 0]) != 0 or (
                    state.land[power_, 1] & cards.edge[size, edge, 1]
                ) != 0
        else:
            low = np.int64(cards.edge[size, edge, 0])
            high = np.int64(cards.edge[size, edge, 1])
            count = bits(low & np.int64(state.protestant[0])) + bits(high & np.int64(state.protestant[1]))
            if state.faith[me] == s.CATHOLIC:
                count = bits(low) + bits(high) - count
        if count > most:
            best, most = np.int64(edge), count
    return best


@kernel
def named_winner(state: State, me: int) -> int:
    """Itself, else the first tied player of its faith in Initiative Order, else the first tied player."""
    if is_open(state, me):
        return me
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if is_open(state, player) and state.faith[player] == state.faith[me]:
            return player
    return first(state)


@kernel
def joins(state: State, league: int) -> int:
    """The given League if it may be joined, else none."""
    return league if is_open(state, league) else s.DECLINE


@kernel
def stronger_league(state: State, knobs: Knobs, me: int, share: float) -> int:
    """The League of the faith whose players hold at least this share of all Imperial Power; else none."""
    catholic = power_of_faith(state, knobs, s.CATHOLIC)
    protestant = power_of_faith(state, knobs, s.PROTESTANT)
    total = max(catholic + protestant, np.int64(1))
    if catholic >= share * total:
        return joins(state, s.CATHOLIC_LEAGUE)
    if protestant >= share * total:
        return joins(state, s.EVANGELICAL_LEAGUE)
    return s.DECLINE


@kernel
def answers_in_kind(state: State, me: int) -> int:
    """Shows the thumb to a new partner, then repeats the partner's last gesture towards this player."""
    partner = partner_of(state, me)
    return s.GUN if state.gesture[partner, me] == s.GUN else s.THUMB


@kernel
def partner_of(state: State, me: int) -> int:
    """The other player of the current game (WP-DIP-01)."""
    place = np.int64(state.at[state.depth - 1])
    one = np.int64(state.initiative[place])
    other = np.int64(state.initiative[(place + 1) % state.players])
    return other if one == me else one


@kernel
def vote_for_self(state: State, me: int, electors: int) -> bool:
    """Whether this many Electors are the bot's allies."""
    return electors_of_ally(state, me) >= electors


@kernel
def vote_for(state: State, knobs: Knobs, cards: Cards, me: int, choice: int) -> int:
    """The bot's own choice, unless the election decides a religious victory (WP-END-02): then the saved vote for it or
    against it."""
    if state.turn < np.int64(knobs.n_rounds) - 1:
        return choice
    for faith in (s.CATHOLIC, s.PROTESTANT):
        if failed_tests(state, knobs, cards, faith) & ~(NO_EMPEROR | NO_SAVED) or saved_of(state, faith) == 0:
            continue
        side = faith if (saved_of(state, faith) >> me) & 1 else 1 - faith
        ahead = most_voted(state, side)
        return ahead if ahead >= 0 else choice
    return choice


@kernel
def most_voted(state: State, faith: int) -> int:
    """The player of a faith with the most votes so far or, before any, the most Electors; NOBODY if there is none."""
    best, most = s.NOBODY, np.int64(-1)
    for place in range(state.players):
        player = np.int64(state.initiative[place])
        if state.faith[player] != faith:
            continue
        worth = electors_of_ally(state, player)
        for pr in range(s.ROSTER):
            worth += 10 * np.int64(state.elector_vote[pr] == player)
        if worth > most:
            best, most = player, worth
    return best


@kernel
def block_of(state: State, faith: int) -> int:
    """Electors of a faith without an ally: they vote as a block (WP-ELE-03)."""
    count = np.int64(0)
    prs = np.int64(state.electors)
    while prs:
        pr = lowest(prs)
        prs &= prs - 1
        count += state.ally[pr] == s.NOBODY and state.pr_faith[pr] == faith
    return count


@kernel
def vote_for_faith(state: State, knobs: Knobs, me: int, saved_only: int) -> int:
    """The strongest player of the bot's faith, preferring the saved."""
    best = strongest(state, knobs, np.int64(state.faith[me]), saved_only)
    return best if best >= 0 else me


@kernel
def faith_is_stronger(state: State, knobs: Knobs, faith: int, ratio: float) -> bool:
    return power_of_faith(state, knobs, faith) >= ratio * power_of_faith(state, knobs, 1 - faith)
