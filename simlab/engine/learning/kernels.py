"""A learned player's choice, and the compiled loops of its training.

A player is a small net: inputs read out of the state's record, one hidden layer, one output for each action of each
decision, and one for the value of the position. It takes the legal action with the highest output. A player that
began with a teacher asks it first: the teacher's action gets `trust` on top. Everything that a net consists of comes in
its traits, so another net compiles nothing. The names that mean the game are put in by `simlab.engine.learning`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.engine.search.playout import unbound
from simlab.engine.streams import bot_below, open_streams

initial_state = legal_actions = apply_action = track_values = unbound
choose = judge = search = teacher = advised = unbound
STATE = ROW = np.dtype(np.int64)
SEATS = N_TRACKS = MAX_ACTIONS = LONGEST = 1

# The traits of a learned player: a head, then its inputs, the numbers of the outputs, and the weights; behind them,
# from SIZE on, the traits of its teacher. CENTRE_OF and SPREAD_OF scale the last output to wins or scores.
NOISE, READINGS, INPUTS, HIDDEN, OUTPUTS, PAIRS, SIZE, CENTRE_OF, SPREAD_OF = range(9)
HEAD = 10
#: Columns of a reading: where it is in the record, in bytes (or number of the track); bytes of a number, with SIGNED
#: added, or TRACK; how many numbers, one behind the other; its first input. Each number is one of `names` kinds from
#: `low` on, with an input each that counts them; or, with no names, the number itself less `centre`, times `scale`.
#: The first WHOLE columns are kept as whole numbers of 64 bits: turning numbers with a point into these takes time.
PLACE, KIND, SPAN, FIRST, NAMES, LOW, CENTRE, SCALE = range(8)
WHOLE = 5
COLUMNS = 8
SIGNED, TRACK = 16, 64
FAR = 4.0  #: inputs are cut to -FAR..FAR
UNKNOWN = -1e30  #: output of an action that never came up in training
_CHANCE = 1 << 20
PRIME_ONE, PRIME_TWO = 67_108_859, 67_108_837  #: below 2 ** 26: two remainders are exact as one number with a point


def number(memory: Any, place: int, kind: int) -> int:
    """A whole number out of the memory of a record."""
    value = np.int64(memory[place])
    if kind == SIGNED + 1:
        return np.int64(np.int8(value))
    if kind == 1:
        return value
    value |= np.int64(memory[place + 1]) << 8
    if kind == SIGNED + 2:
        return np.int64(np.int16(value))
    width = kind & 15
    for i in range(2, width):
        value |= np.int64(memory[place + i]) << (8 * i)
    if kind & SIGNED and width < 8 and value >> (8 * width - 1):
        value -= np.int64(1) << (8 * width)
    return value


def think(state: Any, knobs: Any, cards: Any, traits: Any, hidden: Any) -> None:
    """The hidden layer's answer to a position: float64 (HIDDEN,), filled.

    Hidden information is not among the inputs (simlab.engine.learning.inputs).
    """
    copy = np.empty(1, STATE)
    copy[0] = state
    memory = copy.view(np.uint8)
    tracks = np.zeros(N_TRACKS, np.int32)
    readings, width = int(traits[READINGS]), int(traits[HIDDEN])
    weights = HEAD + COLUMNS * readings + int(traits[PAIRS])
    bias = weights + int(traits[INPUTS]) * width
    # A slice: an index that is a sum may be negative for all that the compiler knows, and then it vectorises nothing.
    start = traits[bias : bias + width]
    for h in range(width):
        hidden[h] = start[h]
    tracked = False
    whole = traits.view(np.int64)
    for i in range(readings):
        at = HEAD + COLUMNS * i
        place, kind, names = whole[at + PLACE], whole[at + KIND], whole[at + NAMES]
        row = weights + whole[at + FIRST] * width
        if names > 0:
            low, step = int(traits[at + LOW]), kind & 15
            for k in range(whole[at + SPAN]):
                name = number(memory, place + k * step, kind) - low
                if 0 <= name < names:
                    column = traits[row + name * width : row + (name + 1) * width]
                    for h in range(width):
                        hidden[h] += column[h]
            continue
        if kind == TRACK:
            if not tracked:
                track_values(copy[0], knobs, cards, tracks)
                tracked = True
            value = (tracks[place] - traits[at + CENTRE]) * traits[at + SCALE]
        else:
            value = (number(memory, place, kind) - traits[at + CENTRE]) * traits[at + SCALE]
        value = min(max(value, -FAR), FAR)
        column = traits[row : row + width]
        for h in range(width):
            hidden[h] += value * column[h]
    for h in range(width):
        hidden[h] = max(hidden[h], 0.0)


def output_of(traits: Any, hidden: Any, output: int) -> float:
    """One output of the net."""
    width, outputs = int(traits[HIDDEN]), int(traits[OUTPUTS])
    pairs = HEAD + COLUMNS * int(traits[READINGS])
    last = pairs + int(traits[PAIRS]) + int(traits[INPUTS]) * width + width  # where the outputs' weights begin
    column = traits[last + output * width : last + (output + 1) * width]
    one, two, three, four = 0.0, 0.0, 0.0, 0.0  # four sums: each addition of one sum waits for the last
    for h in range(0, width - 3, 4):
        one += hidden[h] * column[h]
        two += hidden[h + 1] * column[h + 1]
        three += hidden[h + 2] * column[h + 2]
        four += hidden[h + 3] * column[h + 3]
    return float(traits[last + outputs * width + output] + one + two + three + four)


def worth(state: Any, knobs: Any, cards: Any, traits: Any) -> float:
    """The net's estimate of the worth of a position to its seat: a share of the win, or a score."""
    hidden = np.empty(int(traits[HIDDEN]))
    think(state, knobs, cards, traits, hidden)
    return traits[CENTRE_OF] + traits[SPREAD_OF] * output_of(traits, hidden, int(traits[OUTPUTS]) - 1)


def no_teacher(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The action of a player without a teacher's advice."""
    return -1


def own_teacher(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The action that the player's teacher would take."""
    return teacher(state, knobs, cards, traits[int(traits[SIZE]) :])


def ranks(state: Any, knobs: Any, cards: Any, traits: Any, outputs: Any) -> bool:
    """The net's output for each legal action: float64 (legal actions,), filled. True: it has an opinion."""
    advice = np.int64(advised(state, knobs, cards, traits))
    hidden = np.empty(int(traits[HIDDEN]))
    think(state, knobs, cards, traits, hidden)
    pairs = HEAD + COLUMNS * int(traits[READINGS])
    trust = int(traits[SIZE]) - int(traits[OUTPUTS])
    for a in range(state.n_legal):
        action = np.int64(state.legal[a])
        output = int(traits[pairs + np.int64(state.decision) * MAX_ACTIONS + action])
        outputs[a] = UNKNOWN
        if output >= 0:
            outputs[a] = output_of(traits, hidden, output)
        if action == advice:
            outputs[a] = traits[trust + output] + outputs[a] if output >= 0 else -UNKNOWN
    return traits[NOISE] < 1.0


def net(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The legal action with the highest output; of several the teacher's, then the first."""
    actions = np.int64(state.n_legal)
    if actions == 1:
        return np.int64(state.legal[0])
    noise = traits[NOISE]
    if noise > 0.0 and bot_below(state, _CHANCE) < noise * _CHANCE:
        return np.int64(state.legal[bot_below(state, actions)])
    outputs = np.empty(actions)
    ranks(state, knobs, cards, traits, outputs)
    best = 0
    for a in range(1, actions):
        if outputs[a] > outputs[best]:
            best = a
    return np.int64(state.legal[best])


def by_table(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Draws an action by the chances for its seat's view; a random one in a view that never occurred.

    Args:
        traits: noise; how many bytes it sees; rows and columns of the table; the places of the bytes in the record; and
            the rows, by their first number, the key of the observation (simlab.engine.learning.solving.key_of).
    """
    actions = np.int64(state.n_legal)
    if actions == 1:
        return np.int64(state.legal[0])
    noise = traits[NOISE]
    if noise > 0.0 and bot_below(state, _CHANCE) < noise * _CHANCE:
        return np.int64(state.legal[bot_below(state, actions)])
    copy = np.empty(1, STATE)
    copy[0] = state
    memory = copy.view(np.uint8)
    seen, rows, columns = int(traits[1]), int(traits[2]), int(traits[3])
    one, two = np.int64(0), np.int64(0)
    for i in range(seen):
        byte = np.int64(memory[int(traits[4 + i])])
        one = (one * 257 + byte + 1) % PRIME_ONE
        two = (two * 263 + byte + 1) % PRIME_TWO
    key = float(one * PRIME_TWO + two)
    low, high = 0, rows
    while low < high:
        middle = (low + high) // 2
        if traits[4 + seen + middle * columns] < key:
            low = middle + 1
        else:
            high = middle
    row = 4 + seen + low * columns
    if low == rows or traits[row] != key:
        return np.int64(state.legal[bot_below(state, actions)])
    drawn = bot_below(state, _CHANCE) / _CHANCE
    a = 0
    while a < actions - 1 and drawn >= traits[row + 1 + a]:
        a += 1
    return np.int64(state.legal[a])


def self_play(
    work: Any, blank: Any, knobs_of: Any, cards_of: Any, traits: Any, first: int, count: int, by_score: bool,
    share: float, kept: Any, values: Any,
) -> int:  # fmt: skip
    """Plays games by the players in `traits`, and keeps a random share of the positions with a choice.

    Args:
        work, blank: State[1]. knobs_of, cards_of: records as arrays of shape (1,).
        traits: as a search's that has these players in its playouts. share: of the positions, of 0 to 1.
        kept: State[n], filled from the start until it is full.
        values: float64 (count, SEATS), filled: each seat's credit of the win, or its score.
    Returns:
        how many positions were kept.
    """
    knobs, cards, state = knobs_of[0], cards_of[0], work[0]
    rows, tracks = np.zeros(2, ROW), np.zeros(N_TRACKS, np.int32)
    n = 0
    for i in range(count):
        work[0] = blank[0]
        open_streams(state, first + i)
        initial_state(state, knobs, cards)
        mixed = np.uint64(first + i) * np.uint64(0x9E3779B97F4A7C15)
        for _ in range(LONGEST):
            if state.over:
                break
            state.n_legal = 0
            legal_actions(state, knobs, cards)
            if state.n_legal > 1:
                mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(1)
                if n < kept.size and (mixed >> np.uint64(40)) < share * 16777216.0:
                    kept[n] = work[0]
                    n += 1
                action = np.int64(choose(state, knobs, cards, traits))
            else:
                action = np.int64(state.legal[0])
            apply_action(state, knobs, cards, action)
        judge(state, knobs, cards, rows, tracks, by_score, values[i])
    return n


def try_actions(positions: Any, knobs_of: Any, cards_of: Any, traits: Any, tables: Any) -> None:
    """Worth of each legal action of each position, by futures played on with the players in `traits`.

    Args:
        positions: State[n], with their legal actions. traits: of the search, then of the players.
        tables: float64 (n, MAX_ACTIONS, 3), filled as by simlab.engine.search.sequential_halving.search.
    """
    for i in range(positions.size):
        search(positions[i], knobs_of[0], cards_of[0], traits, tables[i])
