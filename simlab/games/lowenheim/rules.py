"""Siege of Lowenheim, the sequence of play: set-up, the steps of a turn, and where each decision leads.

Play goes from stage to stage (`advance`) until a stage asks for a decision. `at`, `step` and `step2` say how far a
stage is, so that a game can be stopped and copied at every decision. What a stage does stands in the module of its
rules.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.engine.streams import count_rule, offer
from simlab.game import Cards, Knobs, State
from simlab.games.lowenheim import rule
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
from simlab.games.lowenheim.state import (
    BATTLE_MAGIC,
    BOX_USE,
    BR,
    BREAKING,
    BRUNHILDE,
    BUILDING,
    CA,
    CANNON_SHOTS,
    CANNONS,
    CG,
    COMBAT_END,
    COMMAND,
    CONFERENCE,
    CONTROLLED_MOST,
    CREWS,
    D_ANSWER,
    D_BATTLE_MAGIC,
    D_BOX,
    D_BRUNHILDE,
    D_BUILD,
    D_CANNON,
    D_CONFER,
    D_COUNT,
    D_CREW,
    D_CUT,
    D_DIRECTION,
    D_DISCARD,
    D_DISCHARGE,
    D_FEED,
    D_FIGHT,
    D_GIVE,
    D_HAND_IN,
    D_MAGIC,
    D_MASKS,
    D_ORDER,
    D_PARTNER,
    D_PAY_PRESSURE,
    D_PLAN,
    D_POWER,
    D_PRESS,
    D_QUEEN,
    D_QUENCH,
    D_REGAIN,
    D_RESERVE,
    D_REVEAL,
    D_RITE,
    D_ROB,
    D_START,
    D_STARVE,
    D_TARGET,
    D_VICTIM,
    D_VOTE,
    D_WANT,
    D_WEAR,
    D_WOLF,
    DEMANDS,
    DEMANDS_DUE,
    DISCARDING,
    DISCHARGES,
    DUE_DEMON,
    DUE_RESERVE,
    EL,
    ENEMY_COMBAT,
    ENEMY_MOVE,
    EVENT,
    FACTIONS,
    FEEDING,
    FIGHT_SLOT_END,
    FIGHTS,
    FIGURES,
    FIRES,
    FIRST_VOTE,
    HAND_LIMIT,
    HEXES_MAX,
    IN_PLAY,
    INTRUDERS,
    MAGIC,
    MASKS,
    N_LEADER_CHANGES,
    NEXT_TURN,
    NO_DECISION,
    OF_THE_TURN,
    OFF,
    OFFERS,
    ORDERS,
    PG,
    PLANS,
    PRESSURE,
    QUEEN,
    REGAINING,
    RESERVE_CALL,
    RITE,
    RITE_DONE,
    ROSTER,
    SLOT,
    SLOT_END,
    STARTING,
    TURN_END,
    TURN_START,
    UNUSED,
    UPKEEP,
    VOTES,
    WEARING,
    WOLF_CARD,
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
    state.decision = NO_DECISION
    state.stage = PLANS
    advance(state, knobs, cards)


@kernel
def set_up_board(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-02: everybody is somewhere; those that are not in the game are left out, the highest ids first."""
    for h in range(HEXES_MAX):
        state.head[h] = -1
    for f in range(FIGURES):
        state.hex[f] = OFF
        state.kind[f] = cards.kind[f]
        state.ctrl[f] = cards.owner[f]
        state.status[f] = UNUSED
        state.attacker[f] = -1
    for slot in range(CONTROLLED_MOST):
        state.controlled[slot] = -1
    count_rule(state, rule.LW_SET_02)
    for seat in range(FACTIONS):
        state.status[cards.commander[seat]] = IN_PLAY
    state.status[37] = IN_PLAY
    state.status[38] = IN_PLAY
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
        state.status[f] = IN_PLAY


@kernel
def set_up_tokens(state: State, cards: Cards) -> None:
    """LW-SET-08."""
    keep = np.int64(cards.main[2])
    state.queen = keep
    state.brunhilde = keep
    state.config = 3  # both bridges up, no site breached
    state.leader = CG
    for at in range(CANNONS):
        state.paid_hex[at] = OFF
    for gun in range(CANNONS):
        for man in range(2):
            state.crew[gun, man] = -1
    state.event_drawn = -1
    state.command_drawn = -1
    for at in range(INTRUDERS):
        state.aim[at] = 0


@kernel
def deploy(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-03: all plans are revealed together."""
    count_rule(state, rule.LW_SET_03)
    for f in range(ROSTER):
        if state.status[f] == IN_PLAY:
            plan = np.int64(state.plans[cards.owner[f]])
            state.wounds[f] = cards.wounds[cards.kind[f]]
            put(state, cards, np.int64(f), np.int64(cards.plan[plan, f]))
    state.pieces = knobs.barricade_pool


# --- The sequence of play -----------------------------------------------------------------


@kernel
def advance(state: State, knobs: Knobs, cards: Cards) -> None:
    """Goes from stage to stage up to the next decision or the end; a decision with one option is not asked."""
    while not state.over:
        if state.decision == NO_DECISION:
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
    """Whether a kind of decision always has two options or more, so that nobody need look."""
    if kind == D_ORDER or kind == D_FIGHT or kind == D_DISCARD or kind == D_HAND_IN or kind == D_COUNT:
        return True
    return kind == D_PARTNER or kind == D_ANSWER or kind == D_START or kind == D_QUEEN or kind == D_BRUNHILDE


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
    if stage <= ENEMY_COMBAT:
        first_steps(state, knobs, cards, stage)
    elif stage <= COMBAT_END:
        middle_steps(state, knobs, cards, stage)
    else:
        last_steps(state, knobs, cards, stage)


@kernel
def first_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Set-up, and steps 0 to 5."""
    if stage == PLANS:
        ask_plans(state, knobs, cards)
    elif stage == MASKS:
        if state.at < FACTIONS:
            ask(state, np.int64(state.at), D_MASKS)
            state.at += 1
        else:
            count_rule(state, rule.LW_SET_06)
            go(state, FIRST_VOTE)
    elif stage == FIRST_VOTE:
        if voting(state):
            count_rule(state, rule.LW_SET_07)
            go(state, TURN_START)
    elif stage == TURN_START:
        begin_turn(state, cards)
        go(state, WEARING)
    elif stage == WEARING:
        go(state, DISCARDING)
        wearing(state, cards)
    elif stage == DISCARDING:
        if discarding(state, knobs):
            go(state, EVENT)
    elif stage == EVENT:
        draw_event(state, knobs, cards)
        go(state, COMMAND)
    elif stage == COMMAND:
        go(state, CONFERENCE if draw_command(state, knobs, cards) else BOX_USE)
    elif stage == CONFERENCE:
        if conferring(state):
            go(state, BOX_USE)
    elif stage == BOX_USE:
        go(state, ENEMY_MOVE)
        using_box(state)
    elif stage == ENEMY_MOVE:
        enemy_movement(state, knobs, cards)
        go(state, ENEMY_COMBAT)
    else:
        enemy_combat(state, knobs, cards)
        go(state, STARTING)


@kernel
def ask_plans(state: State, knobs: Knobs, cards: Cards) -> None:
    """LW-SET-03."""
    if knobs.deploy_mode > 0:
        for seat in range(FACTIONS):
            state.plans[seat] = knobs.deploy_mode - 1
    elif state.at < FACTIONS:
        ask(state, np.int64(state.at), D_PLAN)
        state.at += 1
        return
    deploy(state, knobs, cards)
    go(state, MASKS)


@kernel
def voting(state: State) -> bool:
    """LW-LED-01: all vote in secret; returns whether the votes have been counted."""
    if state.at < FACTIONS:
        ask(state, np.int64(state.at), D_VOTE)
        state.at += 1
        return False
    count_rule(state, rule.LW_LED_01)
    palace = np.int64(0)
    for seat in range(FACTIONS):
        palace += np.int64(state.votes[seat])
    leader = np.int64(state.leader)
    if 2 * palace > FACTIONS:
        leader = np.int64(PG)
    elif 2 * palace < FACTIONS:
        leader = np.int64(CG)
    if leader != np.int64(state.leader):
        state.count[N_LEADER_CHANGES] += 1
        state.leader = leader
    replace_leader(state)
    return True


@kernel
def begin_turn(state: State, cards: Cards) -> None:
    """LW-TRN-02: what lasts a turn is cleared; Mind Control may break."""
    count_rule(state, rule.LW_TRN_02)
    for f in range(FIGURES):
        state.marks[f] = np.int64(state.marks[f]) & ~OF_THE_TURN
        state.more_move[f] = 0
        state.more_fight[f] = 0
    for f in range(ROSTER):
        state.starved_now[f] = 0
    for at in range(CANNONS):
        state.paid_hex[at] = OFF
    state.mask_worn = 0
    state.box_used = 0
    state.cast = 0
    state.in_combat = 0
    state.stage_magic = 0
    break_controls(state, cards)


@small_kernel
def seat_in_order(state: State) -> int:
    """LW-TRN-05: the faction whose turn it is in steps 6 and 7."""
    return (np.int64(state.first_seat) + np.int64(state.at)) % FACTIONS


@kernel
def middle_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 6 and 7; in a faction's slot `at` counts factions and stays from stage to stage."""
    seat = seat_in_order(state)
    if stage == ORDERS:
        if next_group(state, cards, seat):
            state.stage = BRUNHILDE
    elif stage == FIGHTS:
        if fighting(state, knobs, cards, seat):
            state.stage = FIGHT_SLOT_END
    elif stage == SLOT:
        begin_slot(state, knobs, cards, seat)
        state.stage = QUEEN
    elif stage == QUEEN:
        state.stage = RITE
        if seat == EL:
            ask_queen(state)
    elif stage == RITE:
        state.stage = ORDERS
        if seat == CA:
            state.stage = RITE_DONE
            ask_rite(state, cards)
        else:
            form_groups(state, cards, seat)
    elif stage == BRUNHILDE:
        state.stage = SLOT_END
        if seat == PG:
            ask_brunhilde(state)
    elif stage == SLOT_END:
        next_slot(state, SLOT, BATTLE_MAGIC)
    elif stage == CANNON_SHOTS:
        cannon_shots(state, knobs, cards, seat)
    elif stage == FIGHT_SLOT_END:
        next_slot(state, CANNON_SHOTS, COMBAT_END)
    else:
        rare_steps(state, knobs, cards, stage, seat)


@kernel
def rare_steps(state: State, knobs: Knobs, cards: Cards, stage: int, seat: int) -> None:
    """Once a turn, or for one faction."""
    if stage == STARTING:
        count_rule(state, rule.LW_LED_02)
        state.leader_turns[0 if np.int64(state.leader) == CG else 1] += 1
        go(state, MAGIC)
        ask(state, np.int64(state.leader), D_START)
    elif stage == MAGIC:
        if casting(state, cards, D_MAGIC):
            count_rule(state, rule.LW_TRN_05)
            go(state, SLOT)
    elif stage == RITE_DONE:
        form_groups(state, cards, seat)
        state.stage = ORDERS
    elif stage == BATTLE_MAGIC:
        if state.stage_magic == 0:
            state.stage_magic = 1
            state.in_combat = 1
            begin_combat(state)
        if casting(state, cards, D_BATTLE_MAGIC):
            go(state, CANNON_SHOTS)
    else:
        finish_rite(state, knobs, cards)
        wake(state, True)
        state.in_combat = 0
        count_rule(state, rule.LW_CMB_17)
        go(state, OFFERS)


@kernel
def next_slot(state: State, stage: int, after: int) -> None:
    """The next faction's slot of a step, or the next step."""
    state.at += 1
    state.step = 0
    state.step2 = 0
    if state.at < FACTIONS:
        state.stage = stage
    else:
        go(state, after)


@kernel
def cannon_shots(state: State, knobs: Knobs, cards: Cards, seat: int) -> None:
    """Before a faction's fights: the City Guard's cannons, the raging werewolf of the Bretonnians."""
    if seat == CG and not shooting(state, knobs, cards):
        return
    if seat == BR:
        raging_attacks(state, knobs, cards)
    state.stage = FIGHTS


@kernel
def last_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 8 and 9."""
    if stage == OFFERS:
        if offering(state, knobs):
            go(state, PRESSURE)
    elif stage == PRESSURE:
        if pressing(state, knobs):
            go(state, HAND_LIMIT)
    elif stage == HAND_LIMIT:
        if cutting(state, knobs):
            go(state, DISCHARGES)
    elif stage == DISCHARGES:
        count_rule(state, rule.LW_TMP_05)
        if discharging(state, knobs, cards):
            go(state, FEEDING)
    elif stage == FEEDING:
        if feeding(state, knobs, cards):
            state.stage = REGAINING
    elif stage == REGAINING:
        if regaining(state, knobs, cards):
            state.stage = WOLF_CARD
            state.step = 0
            state.fed = 0
            state.back = 0
    elif stage == WOLF_CARD:
        seat = np.int64(state.at)
        state.at += 1
        if state.at < FACTIONS:
            state.stage = FEEDING
        else:
            go(state, FIRES)
        if seat == BR:
            ask_wolf(state)
    elif stage == FIRES:
        if burning(state, knobs, cards):
            go(state, BREAKING)
    elif stage == BREAKING:
        intruders_break(state, cards)
        go(state, BUILDING)
    elif stage == BUILDING:
        if building(state, knobs, cards):
            go(state, DEMANDS_DUE)
    else:
        end_steps(state, knobs, cards, stage)


@kernel
def end_steps(state: State, knobs: Knobs, cards: Cards, stage: int) -> None:
    """Steps 9e and 9f."""
    if stage == DEMANDS_DUE:
        last = DUE_RESERVE if state.reserve_called else DUE_DEMON
        if demanding(state, knobs, cards, last):
            if state.reserve_called:
                state.step2 = 0
                state.stage = RESERVE_CALL
            else:
                count_paid(state)
                go(state, CREWS)
    elif stage == RESERVE_CALL:
        if calling_reserve(state, knobs, cards):
            state.stage = DEMANDS_DUE
    elif stage == CREWS:
        if manning(state, knobs, cards):
            go(state, UPKEEP)
            state.at = DUE_DEMON
    elif stage == UPKEEP:
        if demanding(state, knobs, cards, np.int64(DEMANDS)):
            go(state, TURN_END)
    elif stage == TURN_END:
        end_turn(state, knobs, cards)
        go(state, VOTES if state.turn % knobs.leader_vote_every == 0 else NEXT_TURN)
    elif stage == VOTES:
        if voting(state):
            go(state, NEXT_TURN)
    else:
        state.turn += 1
        go(state, TURN_START)


# --- Decisions ------------------------------------------------------------------------------


@kernel
def apply_action(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """One decision, and all that follows up to the next one or the end."""
    carry_out(state, knobs, cards, np.int64(action))
    advance(state, knobs, cards)


@kernel
def play_part(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    """apply_action step by step, for replay: `n_legal` says whether more follows before the next decision."""
    if action >= 0:
        carry_out(state, knobs, cards, np.int64(action))
    elif state.decision == NO_DECISION:
        run_stage(state, knobs, cards)
    else:  # of one option
        legal_actions(state, knobs, cards)
        carry_out(state, knobs, cards, np.int64(state.legal[0]))
    state.n_legal = 0
    waits = False
    if state.decision != NO_DECISION:
        waits = has_choice(np.int64(state.decision))
        if not waits:
            legal_actions(state, knobs, cards)
            waits = state.n_legal != 1
    state.n_legal = 0 if state.over or waits else 1


@kernel
def carry_out(state: State, knobs: Knobs, cards: Cards, action: int) -> None:
    kind = np.int64(state.decision)
    state.decision = NO_DECISION
    if kind == D_ORDER:
        give_order(state, knobs, cards, action)
    elif kind == D_COUNT:
        send(state, knobs, cards, action)
    elif kind == D_FIGHT:
        fight(state, knobs, cards, action)
    elif kind == D_DISCARD:
        discard(state, knobs, action)
    elif kind == D_HAND_IN:
        hand_in(state, action)
    elif kind == D_PARTNER:
        offer_to(state, action)
    elif kind == D_GIVE:
        state.give = action - 1
        ask(state, np.int64(state.seat), D_WANT)
    elif kind == D_WANT:
        put_offer(state, knobs, action)
    elif kind == D_ANSWER:
        answer_offer(state, action)
    elif kind < D_QUEEN:
        carry_out_early(state, knobs, cards, kind, action)
    else:
        carry_out_late(state, knobs, cards, kind, action)


@kernel
def carry_out_early(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == D_PLAN:
        state.plans[state.seat] = action
    elif kind == D_MASKS:
        set_masks(state, action)
    elif kind == D_VOTE:
        state.votes[state.seat] = action
    elif kind == D_WEAR:
        wear(state, action)
    elif kind == D_CONFER:
        confer(state, knobs, cards, action)
    elif kind == D_BOX:
        use_box(state, action)
    elif kind == D_START:
        state.first_seat = action
    elif kind == D_MAGIC:
        choose_magic(state, cards, action)
    elif kind == D_TARGET:
        aim_magic(state, knobs, cards, action)
    elif kind == D_VICTIM:
        control(state, cards, action)
    elif kind == D_POWER:
        strengthen(state, action)
    elif kind == D_DIRECTION:
        face(state, knobs, cards, action)
    elif kind == D_ROB:
        rob(state, knobs, action)


@kernel
def carry_out_late(state: State, knobs: Knobs, cards: Cards, kind: int, action: int) -> None:
    if kind == D_QUEEN:
        escort(state, action)
    elif kind == D_RITE:
        declare_rite(state, action)
    elif kind == D_BRUNHILDE:
        take_brunhilde(state, action)
    elif kind == D_BATTLE_MAGIC:
        choose_magic(state, cards, action)
    elif kind == D_CANNON:
        shoot(state, knobs, cards, action)
    elif kind == D_PRESS:
        press(state, action)
    elif kind == D_PAY_PRESSURE:
        pay_pressure(state, knobs, action)
    elif kind == D_REVEAL:
        reveal(state, action)
    elif kind == D_CUT:
        spend(state, np.int64(state.seat), action - 1)
    elif kind == D_DISCHARGE:
        discharge(state, knobs, cards, action)
    elif kind == D_FEED:
        feed(state, knobs, cards, action)
    elif kind == D_STARVE:
        starve(state, cards, np.int64(state.queue[action]))
    elif kind == D_REGAIN:
        regain(state, knobs, cards, action)
    elif kind == D_WOLF:
        wolf_card(state, knobs, action)
    elif kind == D_QUENCH:
        quench(state, action)
    elif kind == D_BUILD:
        build(state, knobs, cards, action)
    elif kind == D_RESERVE:
        give_reserve(state, knobs, cards, action)
    elif kind == D_CREW:
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
    if kind == D_ORDER:
        offer_orders(state, cards)
    elif kind == D_COUNT:
        offer_counts(state)
    elif kind == D_FIGHT:
        offer_fight(state, knobs, cards)
    elif kind == D_DISCARD:
        offer(state, 0)
        offer_held(state, np.int64(state.seat))
    elif kind == D_HAND_IN:
        offer_cards(state, cards)
    elif kind == D_PARTNER:
        offer_range(state, OTHERS + 1)
    elif kind == D_GIVE or kind == D_CUT:
        offer_held(state, np.int64(state.seat))
    elif kind == D_WANT:
        offer_wants(state, knobs)
    elif kind < D_QUEEN:
        legal_early(state, knobs, cards, kind)
    else:
        legal_late(state, knobs, cards, kind)


@kernel
def legal_early(state: State, knobs: Knobs, cards: Cards, kind: int) -> None:
    if kind == D_MASKS:
        offer_range(state, BITS)
    elif kind == D_WEAR:
        offer_mask(state, cards)
    elif kind == D_CONFER:
        offer_delegates(state, cards, np.int64(state.seat))
    elif kind == D_START:
        offer_range(state, FACTIONS)
    elif kind == D_MAGIC:
        offer_magic(state, knobs, cards)
    elif kind == D_TARGET:
        offer_targets(state, knobs, cards)
    elif kind == D_VICTIM:
        offer_kinds(state, cards)
    elif kind == D_POWER:
        offer_powers(state)
    elif kind == D_DIRECTION:
        offer_directions(state, cards)
    elif kind == D_ROB:
        offer_victims(state)
    else:
        offer_range(state, 2)


@kernel
def legal_late(state: State, knobs: Knobs, cards: Cards, kind: int) -> None:
    if kind == D_BATTLE_MAGIC:
        offer_battle_magic(state, knobs, cards)
    elif kind == D_CANNON:
        offer_shots(state, knobs, cards)
    elif kind == D_PRESS:
        offer_pressure(state, knobs)
    elif kind == D_PAY_PRESSURE:
        offer(state, 0)
        offer_held(state, np.int64(state.seat))
    elif kind == D_DISCHARGE:
        offer_patients(state, knobs, cards)
    elif kind == D_FEED:
        offer_food(state, cards)
    elif kind == D_STARVE:
        offer_range(state, np.int64(state.queue_len))
    elif kind == D_REGAIN:
        offer_returns(state, knobs, cards)
    elif kind == D_WOLF:
        offer_wolf(state)
    elif kind == D_QUENCH:
        offer_water(state, cards)
    elif kind == D_BUILD:
        offer_builds(state, knobs, cards)
    elif kind == D_RESERVE:
        offer_reserve(state, knobs, cards)
    elif kind == D_CREW:
        offer_crew(state, cards)
    else:
        offer_range(state, 2)


@kernel
def offer_range(state: State, n: int) -> None:
    for action in range(n):
        offer(state, action)
