"""A learned player's choice, and the compiled loops of its training.

A player is a small net: inputs read out of the state's record, one hidden layer, and one output for each action of each
decision. It takes the legal action with the highest output. A player with a teacher first asks it, and adds
`trust` to the output of the teacher's action. A second net with the same inputs and width values positions. All their
data are in the traits, so a new net needs no compilation. `simlab.engine.learning` fills in the names of the game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.streams import bot_below, open_streams

initial_state = legal_actions = apply_action = track_values = unbound
choose = judge = search = teacher = advised = unbound
STATE = ROW = np.dtype(np.int64)
SEATS = N_TRACKS = MAX_ACTIONS = 1

# The traits of a learned player: a head, then its inputs, the numbers of the outputs, the weights of its choice and
# those of its values; behind them, from SIZE on, the traits of its teacher. CENTRE_OF and SPREAD_OF scale values to
# wins or scores.
NOISE, READINGS, INPUTS, HIDDEN, OUTPUTS, PAIRS, SIZE, CENTRE_OF, SPREAD_OF = range(9)
HEAD = 9
#: Columns of a reading: where it is in the record, in bytes (or number of the track); bytes of a number, with SIGNED
#: added, or TRACK; how many numbers, one behind the other; its first input. Each number is one of `names` kinds from
#: `low` on, with an input each that counts them; with BITS added a set, of whose `names` members from `low` on each has
#: an input; or, with no names, the number itself less `centre`, times `scale`. With names `centre` is how many numbers
#: from `low` on are one kind; 0: each is its own.
#: The first WHOLE columns are kept as whole numbers of 64 bits: converting floats to these takes time.
PLACE, KIND, SPAN, FIRST, NAMES, LOW, CENTRE, SCALE = range(8)
WHOLE = 5
COLUMNS = 8
SIGNED, TRACK, BITS = 16, 64, 128
FAR = 4.0  #: inputs are cut to -FAR..FAR
UNKNOWN = -1e30  #: output of an action that never occurred in training
_CHANCE = 1 << 20
PRIME_ONE, PRIME_TWO = 67_108_859, 67_108_837  #: below 2 ** 26: two remainders are exact in one float


def number(memory: Any, place: int, kind: int) -> int:
    """Reads a whole number from the memory of a record."""
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


def count_bytes(memory: Any, place: int, span: int, signed: bool, low: int, names: int, counts: Any) -> None:
    """Adds to `counts`, float64 (names,), how often each number low..low+names-1 occurs in a row of single bytes. Large
    records consist mostly of such rows, and reading them number by number took most of a decision's time.
    """
    row = memory[place : place + span]
    for k in range(span):
        name = np.int64(np.int8(row[k]) if signed else row[k]) - low
        if 0 <= name < names:
            counts[name] += 1.0


def perceive(state: Any, knobs: Any, cards: Any, traits: Any, found: Any) -> None:
    """Fills `found`, float64 (INPUTS,) of zeros, with a player's inputs in a position; none of them is hidden."""
    copy = np.empty(1, STATE)
    copy[0] = state
    memory = copy.view(np.uint8)
    tracks = np.zeros(N_TRACKS, np.int32)
    whole = traits.view(np.int64)
    tracked = False
    for i in range(int(traits[READINGS])):
        at = HEAD + COLUMNS * i
        place, kind, names, first = whole[at + PLACE], whole[at + KIND], whole[at + NAMES], whole[at + FIRST]
        if names > 0:
            low, step, span = int(traits[at + LOW]), kind & 15, whole[at + SPAN]
            counts = found[first : first + names]
            if kind & BITS:
                members = number(memory, place, kind - BITS) >> low
                for k in range(names):
                    counts[k] += float((members >> k) & 1)
                continue
            wide = int(traits[at + CENTRE])
            if wide > 1:
                name = (number(memory, place, kind) - low) // wide
                counts[min(max(name, 0), names - 1)] += 1.0
                continue
            if step == 1:
                count_bytes(memory, place, span, kind != 1, low, names, counts)
                continue
            for k in range(span):
                name = number(memory, place + k * step, kind) - low
                if 0 <= name < names:
                    counts[name] += 1.0
            continue
        if kind == TRACK:
            if not tracked:
                track_values(copy[0], knobs, cards, tracks)
                tracked = True
            value = (tracks[place] - traits[at + CENTRE]) * traits[at + SCALE]
        else:
            value = (number(memory, place, kind) - traits[at + CENTRE]) * traits[at + SCALE]
        found[first] = min(max(value, -FAR), FAR)


def think(state: Any, knobs: Any, cards: Any, traits: Any, weights: int, hidden: Any) -> None:
    """Fills `hidden`, float64 (HIDDEN,), with the hidden layer in a position; the bias follows the inputs' weights."""
    count, width = int(traits[INPUTS]), int(traits[HIDDEN])
    values = np.zeros(count)
    perceive(state, knobs, cards, traits, values)
    heard = np.empty(count, np.int64)
    n = 0
    for i in range(count):
        if values[i] != 0.0:
            heard[n] = i
            n += 1
    bias = weights + count * width
    # A slice: to the compiler an index that is a sum may be negative, and then it vectorises nothing.
    start = traits[bias : bias + width]
    for h in range(width):
        hidden[h] = start[h]
    whole = n - n % 4
    for i in range(0, whole, 4):  # four at a time: each addition to the hidden layer waits for the last
        one, two, three, four = heard[i], heard[i + 1], heard[i + 2], heard[i + 3]
        v1, v2, v3, v4 = values[one], values[two], values[three], values[four]
        w1 = traits[weights + one * width : weights + one * width + width]
        w2 = traits[weights + two * width : weights + two * width + width]
        w3 = traits[weights + three * width : weights + three * width + width]
        w4 = traits[weights + four * width : weights + four * width + width]
        for h in range(width):
            hidden[h] += (v1 * w1[h] + v2 * w2[h]) + (v3 * w3[h] + v4 * w4[h])
    for i in range(whole, n):
        value, row = values[heard[i]], weights + heard[i] * width
        column = traits[row : row + width]
        for h in range(width):
            hidden[h] += value * column[h]
    for h in range(width):
        hidden[h] = max(hidden[h], 0.0)


def product(traits: Any, hidden: Any, at: int) -> float:
    """The scalar product of the hidden layer and the weights that begin at a place."""
    width = int(traits[HIDDEN])
    column = traits[at : at + width]
    one, two, three, four = 0.0, 0.0, 0.0, 0.0  # four sums: each addition of one sum waits for the last
    for h in range(0, width - 3, 4):
        one += hidden[h] * column[h]
        two += hidden[h + 1] * column[h + 1]
        three += hidden[h + 2] * column[h + 2]
        four += hidden[h + 3] * column[h + 3]
    return float(one + two + three + four)


def worth(state: Any, knobs: Any, cards: Any, traits: Any) -> float:
    """The player's estimate of the worth of a position to its seat: a share of the win, or a score."""
    width = int(traits[HIDDEN])
    hidden = np.empty(width)
    layer = (int(traits[INPUTS]) + 1) * width
    choice = HEAD + COLUMNS * int(traits[READINGS]) + int(traits[PAIRS])
    weights = choice + layer + int(traits[OUTPUTS]) * (width + 1)
    think(state, knobs, cards, traits, weights, hidden)
    last = weights + layer
    return traits[CENTRE_OF] + traits[SPREAD_OF] * (product(traits, hidden, last) + traits[last + width])


def no_teacher(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The action of a player without a teacher's advice."""
    return -1


def own_teacher(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The action that the player's teacher would take."""
    return teacher(state, knobs, cards, traits[int(traits[SIZE]) :])


def ranks(state: Any, knobs: Any, cards: Any, traits: Any, outputs: Any) -> bool:
    """Fills `outputs`, float64 (legal actions,), with the net's outputs; False if the player is all noise."""
    advice = np.int64(advised(state, knobs, cards, traits))
    width, count = int(traits[HIDDEN]), int(traits[OUTPUTS])
    hidden = np.empty(width)
    pairs = HEAD + COLUMNS * int(traits[READINGS])
    weights = pairs + int(traits[PAIRS])
    think(state, knobs, cards, traits, weights, hidden)
    last = weights + (int(traits[INPUTS]) + 1) * width
    trust = int(traits[SIZE]) - count
    for a in range(state.n_legal):
        action = np.int64(state.legal[a])
        output = int(traits[pairs + np.int64(state.decision) * MAX_ACTIONS + action])
        outputs[a] = UNKNOWN
        if output >= 0:
            outputs[a] = traits[last + count * width + output] + product(traits, hidden, last + output * width)
        if action == advice:
            outputs[a] = traits[trust + output] + outputs[a] if output >= 0 else -UNKNOWN
    return traits[NOISE] < 1.0


def net(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """The legal action with the highest output; of equal ones the teacher's, then the first."""
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
    """Draws an action with the probabilities for the seat's view; for a view not in the table, a random action.

    Args:
        traits: noise; the number of bytes that the seat sees; rows and columns of the table; the places of these bytes
            in the record; and the sorted rows, each after the key of its view (simlab.engine.learning.solving.key_of).
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
    work: Any, blank: Any, knobs_of: Any, cards_of: Any, traits: Any, first: int, count: int, most: int, by_score: bool,
    share: float, noise: float, spell: int, kept: Any, sources: Any, values: Any,
) -> int:  # fmt: skip
    """Plays games with the players in `traits`, and keeps a random share of the positions with a choice.

    Args:
        work, blank: State[1]. knobs_of, cards_of: records as arrays of shape (1,).
        traits: as for a search with these players in its playouts. most: decisions of a game, after which it is
            judged as it stands. share: share of the positions to keep, 0 to 1.
        noise: share of random choices in the opening of a game, whose length is drawn from 0 to `spell` choices.
        kept: State[n], filled from the start until it is full. sources: int64 (n,), filled: the game of each position
            kept, from 0; for a position in the opening, -1 minus that.
        values: float64 (count, SEATS), filled: each seat's share of the win, or its score.
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
        drawn = np.uint64(first + i) * np.uint64(0x9E3779B97F4A7C15)
        noisy = np.int64((drawn >> np.uint64(33)) % np.uint64(spell + 1))
        for _ in range(most):
            if state.over:
                break
            state.n_legal = 0
            legal_actions(state, knobs, cards)
            action = np.int64(state.legal[0])
            if state.n_legal > 1:
                drawn = (drawn ^ (drawn >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(1)
                if n < kept.size and (drawn >> np.uint64(40)) < share * 16777216.0:
                    kept[n] = work[0]
                    sources[n] = i if noisy <= 0 else -1 - i
                    n += 1
                drawn = (drawn ^ (drawn >> np.uint64(29))) * np.uint64(0x94D049BB133111EB) + np.uint64(1)
                if noisy > 0 and (drawn >> np.uint64(40)) < noise * 16777216.0:
                    action = np.int64(state.legal[(drawn >> np.uint64(8)) % np.uint64(state.n_legal)])
                else:
                    action = np.int64(choose(state, knobs, cards, traits))
                noisy -= 1
            apply_action(state, knobs, cards, action)
        judge(state, knobs, cards, rows, tracks, by_score, values[i])
    return n


def try_actions(positions: Any, knobs_of: Any, cards_of: Any, traits: Any, tables: Any) -> None:
    """The value of each legal action of each position, from futures that the players in `traits` play.

    Args:
        positions: State[n], with their legal actions. traits: traits of the search, then of the players.
        tables: float64 (n, MAX_ACTIONS, 3), filled as by simlab.engine.search.sequential_halving.search.
    """
    for i in range(positions.size):
        search(positions[i], knobs_of[0], cards_of[0], traits, tables[i])


def perceive_all(positions: Any, knobs_of: Any, cards_of: Any, traits: Any, found: Any) -> None:
    """Fills `found`, float32 (n, INPUTS) of zeros, with a player's inputs in each position, State[n]."""
    values = np.empty(found.shape[1])
    for i in range(positions.size):
        values[:] = 0.0
        perceive(positions[i], knobs_of[0], cards_of[0], traits, values)
        found[i] = values
