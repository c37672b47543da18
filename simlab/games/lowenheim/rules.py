"""Siege of Lowenheim, the sequence of play: set-up, the steps of a turn, and the step after each decision.

Play goes from stage to stage (`advance`) until a stage asks for a decision. `at`, `step` and `step2` store the progress
of a stage, so a game can be stopped and copied at every decision. Each stage is implemented in the module of its rules.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as s
from simlab.games.lowenheim.board import ask, put, replace_leader
from simlab.games.lowenheim.cards import (
    answer_offer,
    cutting,
    discard,
    discarding,
    offer_held,
    offer_pressure,
    offer_to,
    offer_wants,
    offering,
    pay_pressure,
    press,
    pressing,
    put_offer,
    reveal,
    set_up_cards,
    spend,
)
from simlab.games.lowenheim.combat import (
    begin_combat,
    enemy_combat,
    fight,
    fighting,
    offer_fight,
    offer_shots,
    raging_attacks,
    shoot,
    shooting,
    wake,
)
from simlab.games.lowenheim.demands import (
    calling_reserve,
    count_paid,
    demanding,
    give_reserve,
    hand_in,
    manning,
    offer_cards,
    offer_crew,
    offer_men,
    offer_reserve,
)
from simlab.games.lowenheim.ending import end_turn
from simlab.games.lowenheim.events import (
    confer,
    conferring,
    draw_command,
    draw_event,
    offer_delegates,
    set_up_decks,
)
from simlab.games.lowenheim.intruders import enemy_movement
from simlab.games.lowenheim.orders import (
    ask_brunhilde,
    ask_queen,
    ask_rite,
    begin_slot,
    declare_rite,
    escort,
    finish_rite,
    form_groups,
    give_order,
    next_group,
    offer_counts,
    offer_orders,
    send,
    take_brunhilde,
)
from simlab.games.lowenheim.upkeep import (
    ask_wolf,
    build,
    building,
    burning,
    discharge,
    discharging,
    feed,
    feeding,
    intruders_break,
    offer_builds,
    offer_food,
    offer_patients,
    offer_returns,
    offer_water,
    offer_wolf,
    quench,
    regain,
    regaining,
    starve,
    wolf_card,
)
from simlab.games.lowenheim.wizards import (
    aim_magic,
    break_controls,
    casting,
    choose_magic,
    control,
    face,
    offer_battle_magic,
    offer_directions,
    offer_kinds,
    offer_magic,
    offer_mask,
    offer_powers,
    offer_targets,
    offer_victims,
    rob,
    strengthen,
    use_box,
    using_box,
    wear,
    wearing,
)

OTHERS = 5
BITS = 32  # of a permission mask

# --- Set-up -----------------------------------------------------------------------------


@kernel
def initial_state(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET: figures, decks, hands, then the first decision."""
    count_rule(state, rule.LW_SET_01)
    count_rule(state, rule.LW_SET_08)
    count_rule(state, rule.LW_SET_09)
    count_rule(state, rule.LW_ENM_13)
    count_rule(state, rule.LW_TRN_01)
    set_up_board(state, knobs, cards)
    set_up_tokens(state, cards)
    set_up_cards(state, knobs)
    set_up_decks(state, cards)
    state.turn = 1
    state.decision = s.NO_DECISION
    state.stage = s.PLANS
    advance(state, knobs, cards)


@kernel
def set_up_board(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-02: places all figures. If a game has fewer figures of a kind, the highest ids are left out."""
    for h in range(s.HEXES_MAX):
        state.head[h] = -1
    for f in range(s.FIGURES):
        state.hex[f] = s.OFF
        state.kind[f] = cards.kind[f]
        state.ctrl[f] = cards.owner[f]
        state.status[f] = s.UNUSED
        state.attacker[f] = -1
    for slot in range(s.CONTROLLED_MOST):
        state.controlled[slot] = -1
    count_rule(state, rule.LW_SET_02)
    for seat in range(s.FACTIONS):
        state.status[cards.commander[seat]] = s.IN_PLAY
    state.status[37] = s.IN_PLAY
    state.status[38] = s.IN_PLAY
    enlist(state, np.int64(1), np.int64(knobs.n_cg_foot))
    enlist(state, np.int64(10), np.int64(knobs.n_cg_mounted))
    enlist(state, np.int64(17), np.int64(knobs.n_pg_foot))
    enlist(state, np.int64(22), np.int64(knobs.n_pg_mounted))
    enlist(state, np.int64(28), np.int64(knobs.n_el_foot))
    enlist(state, np.int64(40), np.int64(knobs.n_br_foot))
    enlist(state, np.int64(46), np.int64(knobs.n_ca_foot))


@kernel
def enlist(state: State, first: int, n: int) -> None:
    for f in range(first, first + n):
        state.status[f] = s.IN_PLAY


@kernel
def set_up_tokens(state: State, cards: Cards) -> None:
    """LW-SET-08."""
    keep = np.int64(cards.main[2])
    state.queen = keep
    state.brunhilde = keep
    state.config = 3  # both bridges up, no site breached
    state.leader = s.CG
    for at in range(s.CANNONS):
        state.paid_hex[at] = s.OFF
    for gun in range(s.CANNONS):
        for man in range(2):
            state.crew[gun, man] = -1
    state.event_drawn = -1
    state.command_drawn = -1
    for at in range(s.INTRUDERS):
        state.aim[at] = 0


@kernel
def deploy(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-03: all plans are revealed together."""
    count_rule(state, rule.LW_SET_03)
    for f in range(s.ROSTER):
        if state.status[f] == s.IN_PLAY:
            plan = np.int64(state.plans[cards.owner[f]])
            state.wounds[f] = cards.wounds[cards.kind[f]]
            put(state, cards, np.int64(f), np.int64(cards.plan[plan, f]))
    state.pieces = knobs.barricade_pool


# --- The sequence of play -----------------------------------------------------------------


@kernel
def advance(state: State, knobs: Knobs, cards: Cards) -> None:
    """Goes from stage to stage up to the next decision or the end; a decision with one option is made automatically."""
    while not state.over:
        if state.decision == s.NO_DECISION:
            run_stage(state, knobs, cards)
            continue
        if has_choice(np.int64(state.decision)):
            return
        state.n_legal = 0
        legal_actions(state, knobs, cards)
        if state.n_legal != 1:
            state.n_legal = 0
            return
        carry_out(state, knobs, cards, np.int64(state.legal[0]))
    state.n_legal = 0


@small_kernel
def has_choice(kind: int) -> bool:
    """Whether a kind of decision always has at least two options, so they need not be counted."""
    if kind == s.D_ORDER or kind == s.D_FIGHT or kind == s.D_DISCARD or kind == s.D_HAND_IN or kind == s.D_COUNT:
        return True
    return kind == s.D_PARTNER or kind == s.D_ANSWER or kind == s.D_START or kind == s.D_QUEEN or kind == s.D_BRUNHILDE


@small_kernel
def go(state: State, stage: int) -> None:
    state.stage = stage
    state.at = 0
    state.step = 0
    state.step2 = 0


@kernel
def run_stage(state: State, knobs: Knobs, cards: Cards) -> None:
    stage = np.int64(state.stage)
    state.part = stage
    if stage <= s.ENEMY_COMBAT:
        first_steps(state, knobs, cards, stage)
    elif stage <= s.COMBAT_END:
        middle_steps(state, knobs, cards, stage)
    else:
        last_steps(state, knobs, cards, stage)


@kernel
def first_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Set-up, and steps 0 to 5."""
    if stage == s.PLANS:
        ask_plans(state, knobs, cards)
    elif stage == s.MASKS:
        if state.at < s.FACTIONS:
            ask(state, np.int64(state.at), s.D_MASKS)
            state.at += 1
        else:
            count_rule(state, rule.LW_SET_06)
            go(state, s.FIRST_VOTE)
    elif stage == s.FIRST_VOTE:
        if voting(state):
            count_rule(state, rule.LW_SET_07)
            go(state, s.TURN_START)
    elif stage == s.TURN_START:
        begin_turn(state, cards)
        go(state, s.WEARING)
    elif stage == s.WEARING:
        go(state, s.DISCARDING)
        wearing(state, cards)
    elif stage == s.DISCARDING:
        if discarding(state, knobs):
            go(state, s.EVENT)
    elif stage == s.EVENT:
        draw_event(state, knobs, cards)
        go(state, s.COMMAND)
    elif stage == s.COMMAND:
        go(state, s.CONFERENCE if draw_command(state, knobs, cards) else s.BOX_USE)
    elif stage == s.CONFERENCE:
        if conferring(state):
            go(state, s.BOX_USE)
    elif stage == s.BOX_USE:
        go(state, s.ENEMY_MOVE)
        using_box(state)
    elif stage == s.ENEMY_MOVE:
        enemy_movement(state, knobs, cards)
        go(state, s.ENEMY_COMBAT)
    else:
        enemy_combat(state, knobs, cards)
        go(state, s.STARTING)


@kernel
def ask_plans(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-03."""
    if knobs.deploy_mode > 0:
        for seat in range(s.FACTIONS):
            state.plans[seat] = knobs.deploy_mode - 1
    elif state.at < s.FACTIONS:
        ask(state, np.int64(state.at), s.D_PLAN)
        state.at += 1
        return
    deploy(state, knobs, cards)
    go(state, s.MASKS)


@kernel
def voting(state: State) -> bool:
    """LW-LED-01: all vote in secret; returns whether the votes have been counted."""
    if state.at < s.FACTIONS:
        ask(state, np.int64(state.at), s.D_VOTE)
        state.at += 1
        return False
    count_rule(state, rule.LW_LED_01)
    palace = np.int64(0)
    for seat in range(s.FACTIONS):
        palace += np.int64(state.votes[seat])
    leader = np.int64(state.leader)
    if 2 * palace > s.FACTIONS:
        leader = np.int64(s.PG)
    elif 2 * palace < s.FACTIONS:
        leader = np.int64(s.CG)
    if leader != np.int64(state.leader):
        state.count[s.N_LEADER_CHANGES] += 1
        state.leader = leader
    replace_leader(state)
    return True


@kernel
def begin_turn(state: State, cards: Cards) -> None:
    """LW-TRN-02: effects that last one turn are cleared; Mind Control may break."""
    count_rule(state, rule.LW_TRN_02)
    for f in range(s.FIGURES):
        state.marks[f] = np.int64(state.marks[f]) & ~s.OF_THE_TURN
        state.more_move[f] = 0
        state.more_fight[f] = 0
    for f in range(s.ROSTER):
        state.starved_now[f] = 0
    for at in range(s.CANNONS):
        state.paid_hex[at] = s.OFF
    state.mask_worn = 0
    state.box_used = 0
    state.cast = 0
    state.in_combat = 0
    state.stage_magic = 0
    break_controls(state, cards)


@small_kernel
def seat_in_order(state: State) -> int:
    """LW-TRN-05: the faction whose turn it is in steps 6 and 7."""
    return (np.int64(state.first_seat) + np.int64(state.at)) % s.FACTIONS


@kernel
def middle_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 6 and 7; in a faction's slot `at` counts factions and stays from stage to stage."""
    seat = seat_in_order(state)
    if stage == s.ORDERS:
        if next_group(state, cards, seat):
            state.stage = s.BRUNHILDE
    elif stage == s.FIGHTS:
        if fighting(state, knobs, cards, seat):
            state.stage = s.FIGHT_SLOT_END
    elif stage == s.SLOT:
        begin_slot(state, knobs, cards, seat)
        state.stage = s.QUEEN
    elif stage == s.QUEEN:
        state.stage = s.RITE
        if seat == s.EL:
            ask_queen(state)
    elif stage == s.RITE:
        state.stage = s.ORDERS
        if seat == s.CA:
            state.stage = s.RITE_DONE
            ask_rite(state, cards)
        else:
            form_groups(state, cards, seat)
    elif stage == s.BRUNHILDE:
        state.stage = s.SLOT_END
        if seat == s.PG:
            ask_brunhilde(state)
    elif stage == s.SLOT_END:
        next_slot(state, s.SLOT, s.BATTLE_MAGIC)
    elif stage == s.CANNON_SHOTS:
        cannon_shots(state, knobs, cards, seat)
    elif stage == s.FIGHT_SLOT_END:
        next_slot(state, s.CANNON_SHOTS, s.COMBAT_END)
    else:
        rare_steps(state, knobs, cards, stage, seat)


@kernel
def rare_steps(state: State, knobs: Knobs, cards: Cards, stage: int, seat: int) -> None:
    """Steps that occur once per turn, or for one faction only."""
    if stage == s.STARTING:
        count_rule(state, rule.LW_LED_02)
        state.leader_turns[0 if np.int64(state.leader) == s.CG else 1] += 1
        go(state, s.MAGIC)
        ask(state, np.int64(state.leader), s.D_START)
    elif stage == s.MAGIC:
        if casting(state, cards, s.D_MAGIC):
            count_rule(state, rule.LW_TRN_05)
            go(state, s.SLOT)
    elif stage == s.RITE_DONE:
        form_groups(state, cards, seat)
        state.stage = s.ORDERS
    elif stage == s.BATTLE_MAGIC:
        if state.stage_magic == 0:
            state.stage_magic = 1
            state.in_combat = 1
            begin_combat(state)
        if casting(state, cards, s.D_BATTLE_MAGIC):
            go(state, s.CANNON_SHOTS)
    else:
        finish_rite(state, knobs, cards)
        wake(state, True)
        state.in_combat = 0
        count_rule(state, rule.LW_CMB_17)
        go(state, s.OFFERS)


@kernel
def next_slot(state: State, stage: int, after: int) -> None:
    """The next faction's slot of a step, or the next step."""
    state.at += 1
    state.step = 0
    state.step2 = 0
    if state.at < s.FACTIONS:
        state.stage = stage
    else:
        go(state, after)


@kernel
def cannon_shots(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Before a faction's fights: the City Guard's cannons, the raging werewolf of the Bretonnians."""
    if seat == s.CG and not shooting(state, knobs, cards):
        return
    if seat == s.BR:
        raging_attacks(state, knobs, cards)
    state.stage = s.FIGHTS


@kernel
def last_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 8 and 9."""
    if stage == s.OFFERS:
        if offering(state, knobs):
            go(state, s.PRESSURE)
    elif stage == s.PRESSURE:
        if pressing(state, knobs):
            go(state, s.HAND_LIMIT)
    elif stage == s.HAND_LIMIT:
        if cutting(state, knobs):
            go(state, s.DISCHARGES)
    elif stage == s.DISCHARGES:
        count_rule(state, rule.LW_TMP_05)
        if discharging(state, knobs, cards):
            go(state, s.FEEDING)
    elif stage == s.FEEDING:
        if feeding(state, knobs, cards):
            state.stage = s.REGAINING
    elif stage == s.REGAINING:
        if regaining(state, knobs, cards):
            state.stage = s.WOLF_CARD
            state.step = 0
            state.fed = 0
            state.back = 0
    elif stage == s.WOLF_CARD:
        seat = np.int64(state.at)
        state.at += 1
        if state.at < s.FACTIONS:
            state.stage = s.FEEDING
        else:
            go(state, s.FIRES)
        if seat == s.BR:
            ask_wolf(state)
    elif stage == s.FIRES:
        if burning(state, knobs, cards):
            go(state, s.BREAKING)
    elif stage == s.BREAKING:
        intruders_break(state, cards)
        go(state, s.BUILDING)
    elif stage == s.BUILDING:
        if building(state, knobs, cards):
            go(state, s.DEMANDS_DUE)
    else:
        end_steps(state, knobs, cards, stage)


@kernel
def end_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 9e and 9f."""
    if stage == s.DEMANDS_DUE:
        last = s.DUE_RESERVE if state.reserve_called else s.DUE_DEMON
        if demanding(state, knobs, cards, last):
            if state.reserve_called:
                state.step2 = 0
                state.stage = s.RESERVE_CALL
            else:
                count_paid(state)
                go(state, s.CREWS)
    elif stage == s.RESERVE_CALL:
        if calling_reserve(state, knobs, cards):
            state.stage = s.DEMANDS_DUE
    elif stage == s.CREWS:
        if manning(state, knobs, cards):
            go(state, s.UPKEEP)
            state.at = s.DUE_DEMON
    elif stage == s.UPKEEP:
        if demanding(state, knobs, cards, np.int64(s.DEMANDS)):
            go(state, s.TURN_END)
    elif stage == s.TURN_END:
        end_turn(state, knobs, cards)
        go(state, s.VOTES if state.turn % knobs.leader_vote_every == 0 else s.NEXT_TURN)
    elif stage == s.VOTES:
        if voting(state):
            go(state, s.NEXT_TURN)
    else:
        state.turn += 1
        go(state, s.TURN_START)


# --- Decisions ------------------------------------------------------------------------------


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and everything that follows up to the next one or the end."""
    carry_out(state, knobs, cards, np.int64(action))
    advance(state, knobs, cards)


@kernel
def play_part(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """apply_action step by step, for replay: `n_legal` is 1 if more follows before the next decision."""
    if action >= 0:
        carry_out(state, knobs, cards, np.int64(action))
    elif state.decision == s.NO_DECISION:
        run_stage(state, knobs, cards)
    else:  # a decision with one option
        legal_actions(state, knobs, cards)
        carry_out(state, knobs, cards, np.int64(state.legal[0]))
    state.n_legal = 0
    waits = False
    if state.decision != s.NO_DECISION:
        waits = has_choice(np.int64(state.decision))
        if not waits:
            legal_actions(state, knobs, cards)
            waits = state.n_legal != 1
    state.n_legal = 0 if state.over or waits else 1


@kernel
def carry_out(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    kind = np.int64(state.decision)
    state.decision = s.NO_DECISION
    if kind == s.D_ORDER:
        give_order(state, knobs, cards, action)
    elif kind == s.D_COUNT:
        send(state, knobs, cards, action)
    elif kind == s.D_FIGHT:
        fight(state, knobs, cards, action)
    elif kind == s.D_DISCARD:
        discard(state, knobs, action)
    elif kind == s.D_HAND_IN:
        hand_in(state, action)
    elif kind == s.D_PARTNER:
        offer_to(state, action)
    elif kind == s.D_GIVE:
        state.give = action - 1
        ask(state, np.int64(state.seat), s.D_WANT)
    elif kind == s.D_WANT:
        put_offer(state, knobs, action)
    elif kind == s.D_ANSWER:
        answer_offer(state, action)
    elif kind < s.D_QUEEN:
        carry_out_early(state, knobs, cards, kind, action)
    else:
        carry_out_late(state, knobs, cards, kind, action)


@kernel
def carry_out_early(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_PLAN:
        state.plans[state.seat] = action
    elif kind == s.D_MASKS:
        set_masks(state, action)
    elif kind == s.D_VOTE:
        state.votes[state.seat] = action
    elif kind == s.D_WEAR:
        wear(state, action)
    elif kind == s.D_CONFER:
        confer(state, knobs, cards, action)
    elif kind == s.D_BOX:
        use_box(state, action)
    elif kind == s.D_START:
        state.first_seat = action
    elif kind == s.D_MAGIC:
        choose_magic(state, cards, action)
    elif kind == s.D_TARGET:
        aim_magic(state, knobs, cards, action)
    elif kind == s.D_VICTIM:
        control(state, cards, action)
    elif kind == s.D_POWER:
        strengthen(state, action)
    elif kind == s.D_DIRECTION:
        face(state, knobs, cards, action)
    elif kind == s.D_ROB:
        rob(state, knobs, action)


@kernel
def carry_out_late(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == s.D_QUEEN:
        escort(state, action)
    elif kind == s.D_RITE:
        declare_rite(state, action)
    elif kind == s.D_BRUNHILDE:
        take_brunhilde(state, action)
    elif kind == s.D_BATTLE_MAGIC:
        choose_magic(state, cards, action)
    elif kind == s.D_CANNON:
        shoot(state, knobs, cards, action)
    elif kind == s.D_PRESS:
        press(state, action)
    elif kind == s.D_PAY_PRESSURE:
        pay_pressure(state, knobs, action)
    elif kind == s.D_REVEAL:
        reveal(state, action)
    elif kind == s.D_CUT:
        spend(state, np.int64(state.seat), action - 1)
    elif kind == s.D_DISCHARGE:
        discharge(state, knobs, cards, action)
    elif kind == s.D_FEED:
        feed(state, knobs, cards, action)
    elif kind == s.D_STARVE:
        starve(state, cards, np.int64(state.queue[action]))
    elif kind == s.D_REGAIN:
        regain(state, knobs, cards, action)
    elif kind == s.D_WOLF:
        wolf_card(state, knobs, action)
    elif kind == s.D_QUENCH:
        quench(state, action)
    elif kind == s.D_BUILD:
        build(state, knobs, cards, action)
    elif kind == s.D_RESERVE:
        give_reserve(state, knobs, cards, action)
    elif kind == s.D_CREW:
        offer_men(state, action)


@kernel
def set_masks(state: State, action: int) -> None:
    """LW-SET-06: bit i of the option is the i-th other faction in seat order."""
    seat = np.int64(state.seat)
    mask = np.int64(0)
    for at in range(OTHERS):
        if (action >> at) & 1:
            mask |= np.int64(1) << (at if at < seat else at + 1)
    state.masks[seat] = mask


@kernel
def legal_actions(state: State, knobs: Knobs, cards: Cards) -> None:
    """The options of ledger section 4."""
    kind = np.int64(state.decision)
    if kind == s.D_ORDER:
        offer_orders(state, cards)
    elif kind == s.D_COUNT:
        offer_counts(state)
    elif kind == s.D_FIGHT:
        offer_fight(state, knobs, cards)
    elif kind == s.D_DISCARD:
        offer(state, 0)
        offer_held(state, np.int64(state.seat))
    elif kind == s.D_HAND_IN:
        offer_cards(state, cards)
    elif kind == s.D_PARTNER:
        offer_range(state, OTHERS + 1)
    elif kind == s.D_GIVE or kind == s.D_CUT:
        offer_held(state, np.int64(state.seat))
    elif kind == s.D_WANT:
        offer_wants(state, knobs)
    elif kind < s.D_QUEEN:
        legal_early(state, knobs, cards, kind)
    else:
        legal_late(state, knobs, cards, kind)


@kernel
def legal_early(state: State, knobs: Knobs, cards: Cards, kind: int) -> None:
    if kind == s.D_MASKS:
        offer_range(state, BITS)
    elif kind == s.D_WEAR:
        offer_mask(state, cards)
    elif kind == s.D_CONFER:
        offer_delegates(state, cards, np.int64(state.seat))
    elif kind == s.D_START:
        offer_range(state, s.FACTIONS)
    elif kind == s.D_MAGIC:
        offer_magic(state, knobs, cards)
    elif kind == s.D_TARGET:
        offer_targets(state, knobs, cards)
    elif kind == s.D_VICTIM:
        offer_kinds(state, cards)
    elif kind == s.D_POWER:
        offer_powers(state)
    elif kind == s.D_DIRECTION:
        offer_directions(state, cards)
    elif kind == s.D_ROB:
        offer_victims(state)
    else:
        offer_range(state, 2)


@kernel
def legal_late(state: State, knobs: Knobs, cards: Cards, kind: int) -> None:
    if kind == s.D_BATTLE_MAGIC:
        offer_battle_magic(state, knobs, cards)
    elif kind == s.D_CANNON:
        offer_shots(state, knobs, cards)
    elif kind == s.D_PRESS:
        offer_pressure(state, knobs)
    elif kind == s.D_PAY_PRESSURE:
        offer(state, 0)
        offer_held(state, np.int64(state.seat))
    elif kind == s.D_DISCHARGE:
        offer_patients(state, knobs, cards)
    elif kind == s.D_FEED:
        offer_food(state, cards)
    elif kind == s.D_STARVE:
        offer_range(state, np.int64(state.queue_len))
    elif kind == s.D_REGAIN:
        offer_returns(state, knobs, cards)
    elif kind == s.D_WOLF:
        offer_wolf(state)
    elif kind == s.D_QUENCH:
        offer_water(state, cards)
    elif kind == s.D_BUILD:
        offer_builds(state, knobs, cards)
    elif kind == s.D_RESERVE:
        offer_reserve(state, knobs, cards)
    elif kind == s.D_CREW:
        offer_crew(state, cards)
    else:
        offer_range(state, 2)


@kernel
def offer_range(state: State, n: int) -> None:
    for action in range(n):
        offer(state, action)
