"""Action cards: deck, pile and hands as numbers of each type (LW-CRD-03), drawing, spending and trading them."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, draw_kind, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import ask, use_item, well_works

# --- Deck, pile, hands ----------------------------------------------------------


@kernel
def set_up_cards(state: State, knobs: Knobs) -> None:
    """LW-SET-04: shuffle, deal a hand to each faction."""
    count_rule(state, rule.LW_SET_04)
    count_rule(state, rule.LW_CRD_04)
    state.deck[0] = knobs.n_attack
    state.deck[1] = knobs.n_peasants
    state.deck[2] = knobs.n_food
    state.deck[3] = knobs.n_water
    state.deck[4] = knobs.n_healing
    state.deck[5] = knobs.n_blank
    total = np.int64(0)
    for kind in range(s.TYPES):
        total += np.int64(state.deck[kind])
    state.deck_len = total
    for seat in range(s.FACTIONS):
        for _ in range(knobs.hand_size):
            draw_card(state, np.int64(seat), s.DEAL_STREAM)


@kernel
def draw_card(state: State, seat: int, stream: int) -> None:
    """LW-CRD-02, LW-CRD-03: draws a type in proportion to its cards left in the deck; the pile refills an empty
    deck."""
    if state.deck_len == 0:
        count_rule(state, rule.LW_CRD_02)
        for kind in range(s.TYPES):
            state.deck[kind] = state.pile[kind]
            state.deck_len += state.pile[kind]
            state.pile[kind] = 0
    if state.deck_len == 0:
        return
    count_rule(state, rule.LW_CRD_03)
    left = draw_kind(state, stream, state.deck, np.int64(state.deck_len))
    kind = np.int64(0)
    while left >= np.int64(state.deck[kind]):
        left -= np.int64(state.deck[kind])
        kind += 1
    state.deck[kind] -= 1
    state.deck_len -= 1
    gain(state, seat, kind)


@small_kernel
def gain(state: State, seat: int, kind: int) -> None:
    state.hand[seat, kind] += 1
    state.held[seat] += 1


@kernel
def drop(state: State, seat: int, kind: int) -> None:
    """A card leaves a hand openly. If a faction knew of a card of this type in the hand, it may have been this card."""
    state.hand[seat, kind] -= 1
    state.held[seat] -= 1
    for viewer in range(s.FACTIONS):
        if state.known[viewer, seat, kind] > 0:
            state.known[viewer, seat, kind] -= 1


@kernel
def spend(state: State, seat: int, kind: int) -> None:
    """LW-CRD-02: a spent card goes to the discard pile at once."""
    count_rule(state, rule.LW_CRD_02)
    drop(state, seat, kind)
    state.pile[kind] += 1


@kernel
def spend_some(state: State, seat: int, kind: int, n: int) -> None:
    for _ in range(n):
        spend(state, seat, kind)


@kernel
def hand_over(state: State, giver: int, taker: int, kind: int) -> None:
    """A card passes from one hand to another; both factions see it."""
    drop(state, giver, kind)
    gain(state, taker, kind)
    state.known[giver, taker, kind] += 1


@small_kernel
def limit(state: State, knobs: Knobs, seat: int) -> int:
    """LW-CRD-01, LW-CRD-07: the hand limit; one more for the Wizards in a turn of the Mask."""
    if seat == s.WZ and state.mask_worn:
        return np.int64(knobs.hand_size) + 1
    return np.int64(knobs.hand_size)


@kernel
def blanks_for(state: State, cards: Cards, seat: int) -> int:
    """LW-CRD-06: Blanks that the City Guard may use as Food or Water now."""
    if seat == s.CG and well_works(state, cards):
        return np.int64(state.hand[seat, s.BLANK])
    return np.int64(0)


@kernel
def pay_with_blanks(state: State, seat: int, kind: int, n: int) -> None:
    """Hands in n cards of a type: real cards first, then Blanks through the well."""
    real = min(n, np.int64(state.hand[seat, kind]))
    spend_some(state, seat, kind, real)
    if n > real:
        count_rule(state, rule.LW_CRD_06)
        use_item(state, s.ITEM_POWER + s.P_WELL, seat)
        spend_some(state, seat, s.BLANK, n - real)


# --- Step 1: discard and refill -------------------------------------------------


@kernel
def discarding(state: State, knobs: Knobs) -> bool:
    """LW-CRD-01: asks the next faction, or refills its hand; returns whether all are done."""
    while state.at < s.FACTIONS:
        seat = np.int64(state.at)
        if state.step < knobs.discards_per_turn and state.held[seat] > 0:
            ask(state, seat, s.D_DISCARD)
            return False
        refill(state, knobs, seat)
        state.at += 1
        state.step = 0
    return True


@kernel
def refill(state: State, knobs: Knobs, seat: int) -> None:
    count_rule(state, rule.LW_CRD_01)
    for _ in range(limit(state, knobs, seat) - np.int64(state.held[seat])):
        draw_card(state, seat, s.DRAW_STREAM)


@kernel
def discard(state: State, knobs: Knobs, action: int) -> None:
    if action == 0:
        state.step = knobs.discards_per_turn
        return
    if action - 1 == s.BLANK:
        count_rule(state, rule.LW_CRD_05)
    spend(state, np.int64(state.seat), action - 1)
    state.step += 1


# --- Step 8: offers -------------------------------------------------------------


@kernel
def offering(state: State, knobs: Knobs) -> bool:
    """LW-TRD-01: asks for the next offer; returns whether all factions have made theirs."""
    while state.at < s.FACTIONS:
        seat = np.int64(state.at)
        if state.step < knobs.trade_offers and state.held[seat] > 0:
            ask(state, seat, s.D_PARTNER)
            return False
        state.at += 1
        state.step = 0
    return True


@small_kernel
def other(seat: int, option: int) -> int:
    """The other seat with this number, counted in seat order."""
    return np.int64(option) if option < seat else np.int64(option) + 1


@kernel
def offer_to(state: State, action: int) -> None:
    if action == 0:
        state.step = 99
        return
    state.partner = other(np.int64(state.seat), action - 1)
    ask(state, np.int64(state.seat), s.D_GIVE)


@kernel
def offer_wants(state: State, knobs: Knobs) -> None:
    """LW-TRD-01, LW-TRD-02: the options for the wanted card: any other type, or nothing (a gift), unless the gift would
    exceed the hand limit.
    """
    if state.held[state.partner] < knobs.hand_size:
        offer(state, 0)
    for kind in range(s.TYPES):
        if kind != np.int64(state.give):
            offer(state, kind + 1)


@kernel
def put_offer(state: State, knobs: Knobs, want: int) -> None:
    """LW-TRD-01: a faction that lacks what is wanted declines automatically."""
    count_rule(state, rule.LW_TRD_01)
    count_rule(state, rule.LW_TRD_03)
    seat = np.int64(state.seat)
    partner = np.int64(state.partner)
    state.want = want
    state.step += 1
    if want == 0:
        count_rule(state, rule.LW_TRD_02)
    elif state.hand[partner, want - 1] == 0:
        return
    give = np.int64(state.give)
    if state.known[partner, seat, give] == 0:
        state.known[partner, seat, give] = 1
    ask(state, partner, s.D_ANSWER)


@kernel
def answer_offer(state: State, yes: int) -> None:
    if not yes:
        return
    partner = np.int64(state.seat)
    seat = np.int64(state.at)
    hand_over(state, seat, partner, np.int64(state.give))
    if state.want > 0:
        hand_over(state, partner, seat, np.int64(state.want) - 1)
    state.count[s.N_TRADES + seat] += 1


# --- Step 8: pressure -----------------------------------------------------------


@small_kernel
def secret_of(presser: int, option: int) -> int:
    """LW-D27: the secret that an option is about."""
    if presser == s.EL:
        return s.S_WOLF if option == 1 else (s.S_ARTEFACTS if option == 2 else s.S_HAIR)
    return s.S_WOLF if option == 1 else (s.S_TUNNEL if option == 2 else s.S_HAIR)


@small_kernel
def owner_of(secret: int) -> int:
    """LW-BLK-01."""
    if secret == s.S_WOLF:
        return s.BR
    if secret == s.S_TUNNEL:
        return s.PG
    return s.WZ if secret == s.S_ARTEFACTS else s.CA


@kernel
def is_secret(state: State, secret: int) -> bool:
    """Whether the secret has anything left to make public."""
    if secret == s.S_WOLF:
        return state.wolf_public == 0
    if secret == s.S_TUNNEL:
        return state.tunnel_public == 0
    if secret == s.S_HAIR:
        return state.hair_public == 0 and np.int64(state.hair) == s.HAIR_HIDDEN
    return lowest_secret_artefact(state) < s.ARTEFACTS


@kernel
def lowest_secret_artefact(state: State) -> int:
    at = np.int64(0)
    while at < s.ARTEFACTS and (state.artefact_public[at] or state.artefact_lost[at]):
        at += 1
    return at


@kernel
def may_press(state: State, knobs: Knobs, presser: int, secret: int) -> bool:
    """LW-BLK-02."""
    if not is_secret(state, secret) or state.held[owner_of(secret)] == 0:
        return False
    last = np.int64(state.pressed_on[0 if presser == s.EL else 1, secret])
    return last == 0 or np.int64(state.turn) - last > knobs.blackmail_cooldown


@kernel
def pressing(state: State, knobs: Knobs) -> bool:
    """LW-BLK-02: asks the Elves, then the Wizards; returns whether both are done."""
    while state.at < 2:
        presser = s.EL if state.at == 0 else s.WZ
        state.at += 1
        if knobs.blackmail:
            ask(state, presser, s.D_PRESS)
            return False
    return True


@kernel
def offer_pressure(state: State, knobs: Knobs) -> None:
    presser = np.int64(state.seat)
    offer(state, 0)
    for option in range(1, 4):
        if may_press(state, knobs, presser, secret_of(presser, option)):
            offer(state, option)


@kernel
def press(state: State, action: int) -> None:
    if action == 0:
        return
    count_rule(state, rule.LW_BLK_01)
    count_rule(state, rule.LW_BLK_02)
    presser = np.int64(state.seat)
    secret = secret_of(presser, action)
    state.pressed = secret
    state.partner = presser
    state.owner = owner_of(secret)
    state.pressed_on[0 if presser == s.EL else 1, secret] = state.turn
    state.count[s.N_PRESSES] += 1
    ask(state, np.int64(state.owner), s.D_PAY_PRESSURE)


@kernel
def pay_pressure(state: State, knobs: Knobs, action: int) -> None:
    presser = np.int64(state.partner)
    if action == 0:
        ask(state, presser, s.D_REVEAL)
        return
    owner = np.int64(state.seat)
    if state.held[presser] >= knobs.hand_size:
        spend(state, owner, action - 1)
    else:
        hand_over(state, owner, presser, action - 1)


@kernel
def reveal(state: State, yes: int) -> None:
    """LW-BLK-03."""
    if not yes:
        return
    count_rule(state, rule.LW_BLK_03)
    state.count[s.N_REVEALS] += 1
    secret = np.int64(state.pressed)
    if secret != s.S_ARTEFACTS:
        state.revealed[secret] = state.turn
    if secret == s.S_WOLF:
        state.wolf_public = 1
    elif secret == s.S_TUNNEL:
        state.tunnel_public = 1
    elif secret == s.S_HAIR:
        state.hair_public = 1
    else:
        artefact = lowest_secret_artefact(state)
        state.artefact_public[artefact] = 1
        state.revealed[s.S_ARTEFACTS] = np.int64(state.revealed[s.S_ARTEFACTS]) | (1 << artefact)


# --- Step 8: hand limit ---------------------------------------------------------


@kernel
def cutting(state: State, knobs: Knobs) -> bool:
    """LW-CRD-07: a hand above its limit is cut, one card at a time; returns whether all hands are within it."""
    while state.at < s.FACTIONS:
        seat = np.int64(state.at)
        if state.held[seat] > limit(state, knobs, seat):
            count_rule(state, rule.LW_CRD_07)
            ask(state, seat, s.D_CUT)
            return False
        state.at += 1
    return True


@kernel
def offer_held(state: State, seat: int) -> None:
    """Offers the types held, as codes 1..6."""
    for kind in range(s.TYPES):
        if state.hand[seat, kind] > 0:
            offer(state, kind + 1)
