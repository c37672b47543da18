"""A play loop that counts components in use and the time that people would take. The usual play loop counts neither."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.restricted_play import overruled
from simlab.engine.streams import open_streams

initial_state = legal_actions = apply_action = component_values = unbound
SEATS, COMPONENTS, MAX_DECISIONS = 1, 0, 0
SECRET = np.zeros(1, np.bool_)  #: by kind of decision: whether seats make it at the same time
CONTINUES = np.zeros((1, 1), np.bool_)  #: by kind of decision and the kind before it: whether both are one choice
PLAYED, CAPPED, FAULTY = range(3)  #: outcome of a game
OWN, LONGEST, LAST = range(3)  #: columns of a seat's time
PER_DECISION, PER_OPTION, PER_TURN = range(3)  #: columns of the seconds


def play_tables(
    work: Any, blank: Any, knobs_of: Any, cards_of: Any, policies: Any, traits: Any, first: int, seconds: Any,
    values: Any, peaks: Any, times: Any, total: Any, asked: Any, ended: Any,
) -> None:  # fmt: skip
    """Plays games first, first + 1, ..., one per row of `seconds`.

    A decision with a choice takes its seat PER_DECISION + options x PER_OPTION seconds; further parts of a choice
    (CONTINUES, by the same seat in the same turn) take only options x PER_OPTION. Seats make consecutive decisions of
    one secret kind at the same time. A turn takes PER_TURN seconds more. Seats that do not decide wait.

    Args:
        work, blank, knobs_of, cards_of, policies, traits: as in simlab.engine.loop.play_games.
        seconds: float64 (games, 3).
        values: int32 (COMPONENTS,), room for one count.
        peaks: int32 (games, COMPONENTS), filled: the largest number in use of each component, before any decision or at
            the end.
        times: float64 (games, SEATS, 3), filled: seconds of each seat's decisions, its longest wait before a decision,
            and the time after its last decision.
        total: float64 (games, 2), filled: seconds of the game, and of its turns' PER_TURN.
        asked: int64 (games, SEATS, 2), filled: number of decisions with a choice (a choice in several parts counts
            once), and the number of their options.
        ended: int8 (games,), filled: PLAYED, CAPPED or FAULTY (an illegal action, or none to take).
    """
    knobs = knobs_of[0]
    cards = cards_of[0]
    state = work[0]
    group = np.zeros(SEATS)
    wait = np.zeros(SEATS)
    for i in range(ended.size):
        work[0] = blank[0]
        open_streams(state, first + i)
        initial_state(state, knobs, cards)
        group[:] = 0.0
        wait[:] = 0.0
        kind = np.int64(-1)
        turn = np.int64(-1)
        before = np.int64(-1)  # kind of the last decision, its seat, and whether its choice has taken time
        chooser = np.int64(-1)
        begun = False
        decisions = 0
        while not state.over:
            if state.turn != turn:
                turn = np.int64(state.turn)
                before = np.int64(-1)
                total[i, 0] += seconds[i, PER_TURN]
                total[i, 1] += seconds[i, PER_TURN]
            count(state, knobs, cards, values, peaks[i])
            state.n_legal = 0
            legal_actions(state, knobs, cards)
            if state.n_legal == 0:
                ended[i] = FAULTY
                break
            seat = np.int64(state.seat)
            decision = np.int64(state.decision)
            if before < 0 or seat != chooser or not CONTINUES[decision, before]:
                begun = False
            before = decision
            chooser = seat
            if state.n_legal > 1:
                if not SECRET[decision] or decision != kind:
                    total[i, 0] += settle(group, wait, times[i])
                    kind = decision
                group[seat] += state.n_legal * seconds[i, PER_OPTION]
                if not begun:
                    group[seat] += seconds[i, PER_DECISION]
                    asked[i, seat, 0] += 1
                    begun = True
                asked[i, seat, 1] += state.n_legal
            action = policies[seat](state, knobs, cards, traits[seat].values[:])
            if knobs.ban_any != 0:
                action = np.int64(overruled(state, knobs, action))
            legal = False
            for a in range(state.n_legal):
                legal |= state.legal[a] == action
            if not legal:
                ended[i] = FAULTY
                break
            apply_action(state, knobs, cards, action)
            decisions += 1
            if decisions >= MAX_DECISIONS and not state.over:
                ended[i] = CAPPED
                break
        count(state, knobs, cards, values, peaks[i])
        total[i, 0] += settle(group, wait, times[i])
        for place in range(SEATS):
            times[i, place, LAST] = wait[place]


def count(state: Any, knobs: Any, cards: Any, values: Any, peaks: Any) -> None:
    """Updates the peaks with the components in use now."""
    if COMPONENTS > 0:
        component_values(state, knobs, cards, values)
        for c in range(COMPONENTS):
            peaks[c] = max(peaks[c], values[c])


def settle(group: Any, wait: Any, times: Any) -> float:
    """Ends decisions made at the same time; returns how long they took together."""
    span = 0.0
    for seat in range(SEATS):
        span = max(span, group[seat])
    for seat in range(SEATS):
        own = group[seat]
        if own > 0.0:
            times[seat, LONGEST] = max(times[seat, LONGEST], wait[seat])
            times[seat, OWN] += own
            wait[seat] = 0.0
        wait[seat] += span - own
        group[seat] = 0.0
    return span


def ask_bot(
    policy: Any, positions: Any, work: Any, knobs_of: Any, cards_of: Any, traits: Any, rounds: int, asking: int
) -> Any:
    """Calls a bot repeatedly in the same positions, to time it.

    Args:
        policy: the bot, as a first-class function. positions: State[n], with their legal actions listed.
        work: State[1], for the bot, which may draw from its stream. traits: traits_type[1].
        rounds: number of calls per position. asking: 0 only copies the positions, to time that part alone.
    Returns:
        the sum of its answers, which keeps the compiler from removing the calls.
    """
    answers = np.int64(0)
    for _ in range(rounds):
        for i in range(positions.size):
            work[0] = positions[i]
            if asking:
                answers += policy(work[0], knobs_of[0], cards_of[0], traits[0].values[:])
            else:
                answers += work[0].n_legal
    return answers
