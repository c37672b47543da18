"""Dice: bag, Available, Exhausted, Held, Lost box, Traitor Pool; the Dice Draw; casualties."""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import trailing_zeros
from simlab.engine.streams import below, count_rule, draw_kind
from simlab.game import Knobs, State
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress.tracks import gain_unrest


@small_kernel
def bit(place: int) -> int:
    """A mask with one bit set."""
    return np.int64(1) << np.int64(place)


@small_kernel
def lowest_place(mask: int) -> int:
    """Position of the lowest set bit of a mask that is not 0."""
    return trailing_zeros(mask)


@small_kernel
def colour_of(die: int) -> int:
    """Colour of an Available die's class; unsigned division avoids a sign check."""
    return np.int64(np.uint64(die) // np.uint64(6))


@small_kernel
def pip_of(die: int) -> int:
    """Pip of an Available die's class, 1..6."""
    return np.int64(np.uint64(die) % np.uint64(6)) + 1


@small_kernel
def ask(state: State, kind: int, about: int, options: int) -> None:
    """Asks for a decision: its kind, its subject, and the mask of its options."""
    state.asking = True
    state.decision = kind
    state.about = about
    state.options = options


SIX = np.int64(6)

# --- Dice on the table --------------------------------------------------------


@small_kernel
def put_available(state: State, die: int) -> None:
    """A die of this class becomes Available."""
    state.avail[die] += 1
    state.avail_mask |= bit(die)
    state.avail_of[colour_of(die)] += 1


@small_kernel
def take_available(state: State, die: int) -> None:
    """Removes an Available die; dice that are not Held go first."""
    state.avail[die] -= 1
    if state.avail[die] == 0:
        state.avail_mask &= ~bit(die)
    state.avail_of[colour_of(die)] -= 1
    if state.held[die] > state.avail[die]:
        state.held[die] -= 1
        state.held_count -= 1


@small_kernel
def exhaust(state: State, die: int) -> None:
    """An Available die becomes Exhausted."""
    take_available(state, die)
    state.exhausted[colour_of(die)] += 1


@small_kernel
def coloured_available(state: State) -> int:
    """Number of Available dice, not counting Black ones."""
    return state.avail_of[0] + state.avail_of[1] + state.avail_of[2] + state.avail_of[3] + state.avail_of[4]


@small_kernel
def exhausted_mask(state: State, colours: int) -> int:
    """Classes of the Exhausted dice of the first colours."""
    mask = np.int64(0)
    for colour in range(colours):
        mask |= np.int64(state.exhausted[colour] > 0) << (s.EXHAUSTED + colour)
    return mask


@kernel
def work(state: State, knobs: Knobs, die: int) -> None:
    """MF-ACT-02, MF-DIE-09: a die is used and becomes Exhausted; a Black one raises Unrest before the
    effect."""
    count_rule(state, rule.MF_ACT_02)
    exhaust(state, die)
    colour = colour_of(die)
    state.dice_used[colour] += 1
    if colour != s.BLACK:
        return
    state.black_worked += 1
    state.black_work += 1
    if state.black_work > state.ability[s.BLACK_GRACE_AB]:
        count_rule(state, rule.MF_DIE_09)
        gain_unrest(state, knobs, s.ONE)


# --- Dice that leave ----------------------------------------------------------


@kernel
def remove_die(state: State, die: int) -> int:
    """MF-CAS-02, MF-CAS-04: a die in play (class 0..41) goes to the Lost box; a Black one leaves for good. Returns its
    colour."""
    if die >= s.EXHAUSTED:
        colour = die - s.EXHAUSTED
        state.exhausted[colour] -= 1
    else:
        colour = colour_of(die)
        take_available(state, die)
    if colour == s.BLACK:
        state.black_dead += 1
    else:
        count_rule(state, rule.MF_CAS_04)
        state.lost[colour] += 1
    return colour


@kernel
def demand_casualty(state: State, knobs: Knobs) -> None:
    """MF-CAS-01, MF-CAS-03: the player gives up a die in play; if there is none, Unrest +1."""
    options = state.avail_mask | exhausted_mask(state, SIX)
    if options != 0:
        ask(state, s.CASUALTY, s.ABOUT_CASUALTY, options)
        return
    count_rule(state, rule.MF_CAS_03)
    state.casualties -= 1
    gain_unrest(state, knobs, s.ONE)


@kernel
def take_casualty(state: State, die: int) -> None:
    """MF-CAS-01."""
    count_rule(state, rule.MF_CAS_01)
    state.casualties -= 1
    state.casualties_taken += 1
    if remove_die(state, die) == s.BLACK:
        count_rule(state, rule.MF_CAS_02)


@kernel
def demand_recovery(state: State) -> None:
    """The player picks a colour in the Lost box; if it is empty, nothing happens (ledger 2.4)."""
    options = np.int64(0)
    for colour in range(5):
        options |= np.int64(state.lost[colour] > 0) << colour
    if options != 0:
        ask(state, s.PICK, s.ABOUT_RECOVER, options)
    else:
        state.recoveries = 0


@kernel
def recover_die(state: State, colour: int) -> None:
    """A die of the Lost box goes back to the bag."""
    state.recoveries -= 1
    state.recovered += 1
    state.lost[colour] -= 1
    put_in_bag(state, colour)


@small_kernel
def put_in_bag(state: State, colour: int) -> None:
    """MF-DIE-01: a coloured die goes to the bag."""
    state.bag[colour] += 1
    state.bag_count += 1


# --- Dice Draw ----------------------------------------------------------------


@small_kernel
def draw_dice(state: State, knobs: Knobs) -> None:
    """MF-DRW-01, MF-DRW-02, MF-DRW-03, MF-TRK-05: draws coloured dice by Cohesion and Black ones by Pressure; Held ones
    stay."""
    count_rule(state, rule.MF_DRW_01)
    count_rule(state, rule.MF_TRK_05)
    join_held(state, knobs)
    wanted = knobs.base_draw + state.cohesion + state.ability[s.DRAW_AB]
    for _ in range(min(wanted, np.int64(state.bag_count))):
        pick = draw_kind(state, s.DICE_BAG_STREAM, state.bag[:4], np.int64(state.bag_count))
        colour = np.int64(0)
        upto = np.int64(0)
        for i in range(4):  # no branch: the processor could not predict it
            upto += state.bag[i]
            colour += np.int64(pick >= upto)
        state.bag[colour] -= 1
        state.bag_count -= 1
        put_available(state, 6 * colour + below(state, s.PIPS_STREAM, SIX))
    state.black_drawn = min(state.pressure, state.black_pool)
    if state.black_drawn > 0:
        count_rule(state, rule.MF_DRW_02)
    for _ in range(state.black_drawn):
        state.black_pool -= 1
        put_available(state, 6 * s.BLACK + below(state, s.BLACK_PIPS_STREAM, SIX))


@small_kernel
def join_held(state: State, knobs: Knobs) -> None:
    """MF-DRW-03: Held dice join with the pip they show, or rolled again under `held_reroll`."""
    if state.held_count == 0:
        return
    count_rule(state, rule.MF_DRW_03)
    left = np.int64(state.avail_mask)
    while left != 0:
        die = lowest_place(left)
        left &= left - 1
        number = np.int64(state.held[die])
        state.held[die] = 0
        if knobs.held_reroll:
            for _ in range(number):
                take_available(state, die)
                put_available(state, 6 * colour_of(die) + below(state, s.PIPS_STREAM, SIX))
    state.held_count = 0


@small_kernel
def return_black(state: State) -> None:
    """MF-CLN-01: Black dice on the table, used or not, go back to the Traitor Pool."""
    count_rule(state, rule.MF_CLN_01)
    state.black_pool += state.exhausted[s.BLACK] + state.avail_of[s.BLACK]
    state.exhausted[s.BLACK] = 0
    for die in range(6 * s.BLACK, s.CLASSES):
        state.avail[die] = 0
    state.avail_mask &= (1 << (6 * s.BLACK)) - 1
    state.avail_of[s.BLACK] = 0
