"""Components in use during a game, and the time that people would take for its decisions; and a bot's time."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound

component_values = unbound
SEATS, COMPONENTS = 1, 0
SECRET = np.zeros(1, np.bool_)  #: by kind of decision: whether seats make it at the same time
CONTINUES = np.zeros((1, 1), np.bool_)  #: by kind of decision and the kind before it: whether both are one choice
OWN, LONGEST, LAST = range(3)  #: columns of a seat's time
PER_DECISION, PER_OPTION, PER_TURN = range(3)  #: columns of the seconds


def count_game(
    positions: Any, knobs_of: Any, cards_of: Any, seconds: Any, values: Any, peaks: Any, times: Any, total: Any,
    asked: Any,
) -> None:  # fmt: skip
    """Counts one game.

    A decision with a choice takes its seat PER_DECISION + options x PER_OPTION seconds; further parts of a choice
    (CONTINUES, by the same seat in the same turn) take only options x PER_OPTION. Seats make consecutive decisions of
    one secret kind at the same time. A turn takes PER_TURN seconds more. Seats that do not decide wait.

    Args:
        positions: State[n + 1], before each decision, with the legal actions in them, and at the end. knobs_of,
            cards_of: records as arrays of shape (1,).
        seconds: float64 (3,). values: int32 (COMPONENTS,), room for one count.
        peaks: int32 (COMPONENTS,), filled: the largest number in use of each component in any position.
        times: float64 (SEATS, 3), filled: seconds of each seat's decisions, its longest wait before a decision, and the
            time after its last decision.
        total: float64 (2,), filled: seconds of the game, and of its turns' PER_TURN.
        asked: int64 (SEATS, 2), filled: number of decisions with a choice (a choice in several parts counts once), and
            of their options.
    """
    group, wait = np.zeros(SEATS), np.zeros(SEATS)
    kind, turn = np.int64(-1), np.int64(-1)
    before, chooser = np.int64(-1), np.int64(-1)  # kind of the last decision, its seat
    begun = False  # whether its choice has taken time
    for i in range(positions.size):
        state = positions[i]
        if COMPONENTS > 0:
            component_values(state, knobs_of[0], cards_of[0], values)
            for c in range(COMPONENTS):
                peaks[c] = max(peaks[c], values[c])
        if i == positions.size - 1:
            break
        if state.turn != turn:
            turn = np.int64(state.turn)
            before = np.int64(-1)
            total[0] += seconds[PER_TURN]
            total[1] += seconds[PER_TURN]
        seat = np.int64(state.seat)
        decision = np.int64(state.decision)
        if before < 0 or seat != chooser or not CONTINUES[decision, before]:
            begun = False
        before = decision
        chooser = seat
        if state.n_legal > 1:
            if not SECRET[decision] or decision != kind:
                total[0] += settle(group, wait, times)
                kind = decision
            group[seat] += state.n_legal * seconds[PER_OPTION]
            if not begun:
                group[seat] += seconds[PER_DECISION]
                asked[seat, 0] += 1
                begun = True
            asked[seat, 1] += state.n_legal
    total[0] += settle(group, wait, times)
    for place in range(SEATS):
        times[place, LAST] = wait[place]


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
        policy: the bot, as a first-class function. positions: State[n], with their legal actions.
        work: State[1], for the bot, which may draw from its stream. traits: traits_type[1].
        rounds: number of calls per position. asking: 0 only copies the positions; that time is then subtracted.
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
