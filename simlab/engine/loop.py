"""The play loop: one loop plays every game.

    while not over: legal_actions -> policy of the seat to act -> apply_action

`specialise` (simlab.compiler) gives these functions the game's own kernels instead of the names below; they are
compiled once per game. Bots come as first-class functions, so a new bot compiles the bot alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import kernel, unbound
from simlab.engine.restricted_play import overruled
from simlab.engine.streams import begin_play, branch, branch_streams, new_future, open_streams
from simlab.game import LOADED

initial_state = legal_actions = apply_action = determinize = outcome = track_values = play_part = reshuffle = unbound
at_turn = at_decision = at_end = unbound
MEASURED = False  #: whether custom metrics are computed
COUNTING = True  #: False for the bare loop of the benchmark
MAX_DECISIONS = KINDS = MAX_TURNS = 0
STREAM_AT = STREAM_WORDS = 0  #: where the bots' streams begin in the record, and their length, in words of 32 bits
CHECKED_FIRST, CHECKED_EVERY = 256, 256  #: games in which the record is compared around each answer of a bot
#: What play_games plays. WATCHED: games, all of which call the guard. DEALT: each game from a position of its own.
GAMES, FUTURES, WATCHED, DEALT = 0, 1, 2, 3

FINE, ILLEGAL, CAPPED, STUCK, CHANGED, OUTSIDE, WRITTEN = range(7)  #: return values of play_games
KEEP, NOBODY = -1, -2  #: seats of `guard`: keep the record; compare all of it
ASKED, CARRIED_OUT = 1, 2  #: in progress[2]: whether a bot or the game is running
SEAT_BITS, TURN_BITS = 2, 10  #: in progress[2]: by how many bits seat and number of the decision are shifted
SET_UP, LEGAL, APPLY, REDRAW, ROW, TRACKS, PART, BRANCH = range(8)  #: tasks of step_game


def guard(words: Any, kept: Any, stream_at: int, stream_words: int, seat: int) -> int:
    """Saves the record before a bot is asked, or compares it with the saved one.

    The loop calls it as a first-class function, because inlining it made every game a tenth slower, even unchecked
    games.

    Args:
        words: uint32, the memory of the record; kept: same shape.
        stream_at, stream_words: where the bots' streams begin in it.
        seat: KEEP, NOBODY, or the seat whose bot was asked (this bot may have drawn from its own stream).
    Returns:
        0, or a number with bits set where the record has changed.
    """
    if seat == KEEP:
        for w in range(words.size):
            kept[w] = words[w]
        return 0
    if seat >= 0:
        kept[stream_at + seat] = words[stream_at + seat]
        for w in range(stream_words + 16 * seat, stream_words + 16 * seat + 16):
            kept[w] = words[w]
    changed = np.uint32(0)
    for w in range(words.size):
        changed |= kept[w] ^ words[w]
    return np.int64(changed)


def keep_positions(words: Any, kept: Any, stream_at: int, stream_words: int, seat: int) -> int:
    """`guard` of a loop that keeps its positions, that is, the record before each decision, with its legal actions.

    Args:
        kept: uint32 (1 + n records,), filled from its second record on; kept[0] counts the decisions.
    Returns:
        1 if there are more than n positions, to stop the loop.
    """
    n = np.int64(kept[0])
    size = words.size
    if seat == KEEP:
        kept[0] = n + 1
        if (n + 2) * size <= kept.size:
            for w in range(size):
                kept[(n + 1) * size + w] = words[w]
    return 1 if (n + 1) * size > kept.size else 0


def play_games(
    work: Any, words: Any, kept: Any, guard: Any, blank: Any, knobs_of: Any, cards_of: Any, policies: Any, traits: Any,
    first: int, count: int, what: int, rows: Any, progress: Any, counts_of: Any, scratch_of: Any,
) -> int:  # fmt: skip
    """Plays games first .. first+count-1.

    Args:
        work, blank: State[1]; the game being played, and a blank state that carries the seed. For FUTURES, `blank` is a
            position of a game, and `first` .. are the numbers of its futures. For DEALT, it is State[count], the
            positions from which games or futures are played on as they are.
        what: GAMES, FUTURES, WATCHED or DEALT.
        words: uint32, the memory of `work`; kept: same shape, the record as it was before a bot was asked; guard: the
            function of that name, as a first-class function.
        knobs_of, cards_of: records as arrays of shape (1,).
        policies: tuple of bots by seat; traits: traits_type[seats].
        rows: Row[count], filled.
        progress: int64 (4,): game being played, action of a fault, place in the game, games done. The place is 0 during
            set-up, then decisions << TURN_BITS | seat << SEAT_BITS | ASKED or CARRIED_OUT.
        counts_of, scratch_of: records of simlab.engine.counts as arrays of shape (1,): the sums, and the working memory
            of the statistics (zeros before the first game of a batch).
    Returns:
        FINE, or why the game in progress[0] cannot continue; `work` then holds its state.
    """
    knobs = knobs_of[0]
    cards = cards_of[0]
    state = work[0]
    counts = counts_of[0]
    scratch = scratch_of[0]
    for i in range(count):
        game = first + i
        progress[0] = game
        progress[2] = 0
        work[0] = blank[i if what == DEALT else 0]
        if what == FUTURES:
            branch_streams(state, game)
        elif what != DEALT:
            open_streams(state, game)
            initial_state(state, knobs, cards)
        # A forced draw is removed from the record's list, also when a bot draws it.
        checked = (
            COUNTING
            and (state.forced_n == 0 or state.forced_n >= LOADED)
            and (game < CHECKED_FIRST or game % CHECKED_EVERY == 0 or what == WATCHED)
        )
        decisions = 0
        turn = -1
        scratch.game = game + 1
        while not state.over:
            if COUNTING and state.turn != turn:
                turn = np.int64(state.turn)
                if turn > MAX_TURNS:
                    return CAPPED
                track_values(state, knobs, cards, scratch.track_now[:])
                if MEASURED and checked:
                    guard(words, kept, STREAM_AT, STREAM_WORDS, KEEP)
                at_turn(counts, scratch, state, knobs, cards)
                if MEASURED and checked and guard(words, kept, STREAM_AT, STREAM_WORDS, NOBODY) != 0:
                    return WRITTEN
            state.n_legal = 0
            legal_actions(state, knobs, cards)
            if state.n_legal == 0:
                return STUCK
            seat = np.int64(state.seat)
            # As an unsigned number, a negative one is large.
            if COUNTING and (np.uint64(seat) >= len(policies) or np.uint64(state.decision) >= KINDS):
                return OUTSIDE
            if COUNTING and np.uint64(state.n_legal) > state.legal.size:
                return OUTSIDE
            if checked:
                guard(words, kept, STREAM_AT, STREAM_WORDS, KEEP)
            progress[2] = (decisions << TURN_BITS) | (seat << SEAT_BITS) | ASKED
            # A slice of a record's own array has no owner whose references are counted; a row of an array has one.
            action = policies[seat](state, knobs, cards, traits[seat].values[:])
            if knobs.ban_any != 0:
                wanted = action
                action = np.int64(overruled(state, knobs, wanted))
                if COUNTING:
                    counts.overruled[seat] += np.uint64(action != wanted)
            progress[2] = (decisions << TURN_BITS) | (seat << SEAT_BITS) | CARRIED_OUT
            if checked and guard(words, kept, STREAM_AT, STREAM_WORDS, seat) != 0:
                return CHANGED
            short = np.int16(action)  # as wide as the list's numbers, so more of them are compared at a time
            is_legal = False
            outside = False
            for a in range(state.n_legal):
                is_legal |= state.legal[a] == short  # no branch: it would be mispredicted
                if COUNTING:
                    outside |= np.uint16(state.legal[a]) >= np.uint16(state.legal.size)
            if outside:
                return OUTSIDE
            if not is_legal or action != short:
                progress[1] = action
                return ILLEGAL
            if COUNTING:
                if MEASURED and checked:
                    guard(words, kept, STREAM_AT, STREAM_WORDS, KEEP)
                at_decision(counts, scratch, state, knobs, cards, action)
                if MEASURED and checked and guard(words, kept, STREAM_AT, STREAM_WORDS, NOBODY) != 0:
                    return WRITTEN
            apply_action(state, knobs, cards, action)
            decisions += 1
            if decisions >= MAX_DECISIONS and not state.over:
                return CAPPED
        if COUNTING and state.turn > MAX_TURNS:
            return CAPPED
        row = rows[i]
        row.game = game
        row.decisions = decisions
        outcome(state, knobs, cards, row)
        if COUNTING:
            if MEASURED and checked:
                guard(words, kept, STREAM_AT, STREAM_WORDS, KEEP)
            at_end(counts, scratch, state, knobs, cards, row)
            if MEASURED and checked and guard(words, kept, STREAM_AT, STREAM_WORDS, NOBODY) != 0:
                return WRITTEN
        progress[3] += 1
    return FINE


@kernel
def no_reshuffle(state: Any, knobs: Any, cards: Any, unseen: bool) -> None:
    """Game.reshuffle of a game that stores nothing that no seat has seen."""


def deal(dealt: Any, blank: Any, knobs_of: Any, cards_of: Any, what: int, first: int) -> None:
    """Positions from which DEALT plays, in which everything that no seat has seen is drawn again.

    Args:
        dealt: State[count], filled. blank, knobs_of, cards_of: as in play_games.
        what: FUTURES: futures first .. of the position `blank`. GAMES: games first .. after their set-up, whose luck is
            separate from that of play (streams.begin_play).
    """
    knobs = knobs_of[0]
    cards = cards_of[0]
    for i in range(dealt.size):
        dealt[i] = blank[0]
        state = dealt[i]
        if what == FUTURES:
            branch_streams(state, first + i)
            reshuffle(state, knobs, cards, True)
        else:
            open_streams(state, first + i)
            initial_state(state, knobs, cards)
            begin_play(state)
            reshuffle(state, knobs, cards, False)


def step_game(
    work: Any, blank: Any, knobs_of: Any, cards_of: Any, rows: Any, values: Any, what: int, argument: int
) -> None:
    """One step of one game, for replay, tests and play by hand.

    Args:
        work, blank, knobs_of, cards_of, rows, values: as in play_games.
        what: SET_UP (argument: game index), LEGAL, APPLY (action), REDRAW (seat), ROW, TRACKS, PART (action or -1) or
            BRANCH (number).
    """
    knobs = knobs_of[0]
    cards = cards_of[0]
    state = work[0]
    if what == SET_UP:
        work[0] = blank[0]
        open_streams(state, argument)
        initial_state(state, knobs, cards)
    elif what == LEGAL:
        state.n_legal = 0
        legal_actions(state, knobs, cards)
    elif what == APPLY:
        apply_action(state, knobs, cards, argument)
    elif what == REDRAW:
        determinize(state, knobs, cards, argument)
        new_future(state)
    elif what == ROW:
        outcome(state, knobs, cards, rows[0])
    elif what == TRACKS:
        track_values(state, knobs, cards, values)
    elif what == PART:
        state.n_legal = 0
        play_part(state, knobs, cards, argument)
    elif what == BRANCH:
        branch(state, np.int64(state.seat), argument)
