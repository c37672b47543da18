"""Random streams: Philox4x32-10, one stream for each purpose of each game.

A stream is a function of only (seed, game index, purpose): game 1,234,567 is the same on any number of threads,
processes or machines, and a bot that draws more numbers does not change the deal. Key and counter of the generator
hold these numbers themselves, so two streams share no block by construction:

    key     = seed                                                        (2 x 32 bit)
    counter = block, purpose + 256 x epoch, game index xor (0, name)      (32, 32, 2 x 32 bit)

The purpose is the stream's number in its game. A stream with a name has the purpose NAMED instead, and depends neither
on the other streams nor on the number of seats: `name` is a hash of its name (record.stream_word). It is 0 for bots'
streams and in games that number their streams. The names of a game have different hashes, and game indices are below
2^32.

`epoch`, one per stream, is 0 in play. A redraw of hidden information sets it to a random number for the streams of
chance, which gives them new numbers and leaves the bots' streams unchanged. A branch of a position and a bot that looks
ahead set it for all streams; a study of luck sets it for one kind of luck while the others stay fixed. The streams live
in the header of the state record (simlab.game.state_type), so a copied state is a copied future.

Source: Salmon, Moraes, Dror, Shaw (2011), Parallel random numbers: as easy as 1, 2, 3; the published known-answer
vectors are tests. Bounded draws: Lemire (2019), Fast random integer generation in an interval, with rejection.
"""

from __future__ import annotations

import numpy as np

from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import int32_at
from simlab.game import LOADED, State

VERSION = "philox4x32-10/2"  #: changed whenever a stream would give different numbers

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)
_LANES = np.uint32(15)  # a stream keeps four blocks of four words
#: Error of a given result that its component cannot draw; the number of the stream and the result follow.
NOT_THERE = "a card or piece that is to be drawn is not there"
NOT_GIVEN = np.int64(-(1 << 15))  #: no result is given (`given`)
NAMED = np.uint64(255)  #: purpose of the streams with a name; no game has as many streams
CARDS = -1  #: sides of an entry of weighted cards (simlab.engine.loaded_draws)


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64, words: np.ndarray
) -> None:
    """One block of Philox4x32-10: uint32 (4,), filled, from the four words of the counter and the two of the key."""
    for _ in range(10):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0 = (p1 >> _WORD) ^ c1 ^ k0
        c1 = p1 & _LOW
        c2 = (p0 >> _WORD) ^ c3 ^ k1
        c3 = p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    words[0] = np.uint32(c0)
    words[1] = np.uint32(c1)
    words[2] = np.uint32(c2)
    words[3] = np.uint32(c3)


@kernel
def open_streams(state: State, game: int) -> None:
    """Sets the streams to the start of a game. The state's other header fields are blank."""
    index = np.uint64(game)
    state.stream_game[0] = np.uint32(index & _LOW)
    state.stream_game[1] = np.uint32(index >> _WORD)


@small_kernel
def word(state: State, stream: int) -> np.uint64:
    """The next 32 random bits of a stream, as a uint64."""
    at = state.stream_at[stream]
    lane = at & _LANES
    if lane == np.uint32(0):
        name = np.uint64(state.stream_name[stream])
        purpose = np.uint64(stream) if name == np.uint64(0) else NAMED
        purpose += np.uint64(state.stream_epoch[stream]) << np.uint64(8)
        first = np.uint64(at >> np.uint32(2))
        _refill(state.stream_words[stream], first, purpose, name, state.stream_game, state.stream_key)
    state.stream_at[stream] = at + np.uint32(1)
    return np.uint64(state.stream_words[stream, lane])


# Longer functions take arrays, not the state: its type differs by game, and arrays are compiled once for all.
@kernel
def _refill(
    words: np.ndarray, first: np.uint64, purpose: np.uint64, name: np.uint64, game: np.ndarray, key: np.ndarray
) -> None:  # fmt: skip
    """Computes the next four blocks of a stream together, in the processor's vector unit: they are independent."""
    game0, game1 = np.uint64(game[0]), np.uint64(game[1]) ^ name
    key0, key1 = np.uint64(key[0]), np.uint64(key[1])
    for block in range(4):
        c0, c1, c2, c3 = (first + np.uint64(block)) & _LOW, purpose, game0, game1
        k0, k1 = key0, key1
        for _ in range(10):
            p0 = _M0 * c0
            p1 = _M1 * c2
            c0 = (p1 >> _WORD) ^ c1 ^ k0
            c1 = p1 & _LOW
            c2 = (p0 >> _WORD) ^ c3 ^ k1
            c3 = p0 & _LOW
            k0 = (k0 + _W0) & _LOW
            k1 = (k1 + _W1) & _LOW
        words[4 * block] = np.uint32(c0)
        words[4 * block + 1] = np.uint32(c1)
        words[4 * block + 2] = np.uint32(c2)
        words[4 * block + 3] = np.uint32(c3)


@small_kernel
def below(state: State, stream: int, n: int) -> int:
    """An unbiased whole number in 0..n-1 from one stream; the other streams do not move.

    A test or a scenario can force the outcome: simlab.engine.stepper.Stepper.force.
    """
    if state.forced_n > 0:
        return _forced_or_drawn(state, stream, n)
    bound = np.uint64(n)
    product = word(state, stream) * bound
    if (product & _LOW) <= bound:  # also 0 and, as a huge number, a negative one, which are refused there
        product = _redrawn(state, stream, bound, product)
    return np.int64(product >> _WORD)


@kernel
def _redrawn(state: State, stream: int, bound: np.uint64, product: np.uint64) -> np.uint64:
    """Draws again while the product lies in the range that would make some outcomes more likely than others.

    Raises:
        ValueError: the draw has no outcome, or over 2^32.
    """
    if bound == np.uint64(0) or bound > np.uint64(0x100000000):
        raise ValueError("a random draw needs 1 to 2^32 outcomes, and was asked for", np.int64(bound))
    least = (np.uint64(0x100000000) - bound) % bound
    while (product & _LOW) < least:
        product = word(state, stream) * bound
    return product


@kernel
def _forced_or_drawn(state: State, stream: int, n: int) -> int:
    bound = np.uint64(n)
    if state.forced_n >= LOADED:
        product = _redrawn(state, stream, bound, word(state, stream) * bound)
        return _loaded(_weights(state), np.int64(stream), np.int64(n), product)
    for i in range(state.forced_n):
        if state.forced_stream[i] == stream:
            state.forced_n -= 1
            left = np.int64(state.forced_n)
            return _forced(state.forced_stream, state.forced_value, np.int64(i), left, np.int64(n))
    return np.int64(_redrawn(state, stream, bound, word(state, stream) * bound) >> _WORD)


@small_kernel
def _weights(state: State) -> np.uint64:
    """The address of the match's weights, stored where the first four forced draws would be (load_dice)."""
    address = np.uint64(0)
    for part in range(4):
        address = address << np.uint64(16) | np.uint64(np.uint16(state.forced_value[part]))
    return address


@kernel
def _loaded(weights: np.uint64, stream: int, n: int, product: np.uint64) -> int:
    """A weighted outcome, from the number that a fair draw would take.

    A weighted die inverts its distribution on the same number, so a small change of weights changes few rolls. In a bad
    shuffle, the remainder of the fair draw decides whether the card stays, so all other draws are unchanged.
    """
    at = _entry(weights, stream, n)
    if at > 0 and int32_at(weights, at - 2) == 0:
        if np.int64((product & _LOW) >> np.uint64(9)) < int32_at(weights, at):
            return n - 1
    elif at > 0:
        share = np.int64(product // np.uint64(n) >> np.uint64(9))  # of 2^23
        for face in range(n):
            if share < int32_at(weights, at + face):
                return face
    return np.int64(product >> _WORD)


@kernel
def _entry(weights: np.uint64, stream: int, sides: int) -> int:
    """Where the values of a die or deck begin in the list of weights (simlab.engine.loaded_draws); 0 if it has none.

    Args:
        weights: address of the list. sides: outcomes of the draw, or CARDS.
    """
    at = np.int64(3)
    while int32_at(weights, at - 3) >= 0:
        known = int32_at(weights, at - 2)
        if int32_at(weights, at - 3) == stream and (known == sides or (known == 0 and sides != CARDS)):
            return at
        at += 3 + int32_at(weights, at - 1)
    return np.int64(0)


@small_kernel
def one_of(state: State, stream: int, n: int) -> int:
    """A uniform random number in 0..n-1, for a random pick that is not a roll of a die on the same stream. It returns
    the same number as `below` with fair dice, and is not affected by the weights of a die with n faces.
    """
    if state.forced_n >= LOADED:
        bound = np.uint64(n)
        return np.int64(_redrawn(state, stream, bound, word(state, stream) * bound) >> _WORD)
    return below(state, stream, n)


# --- Decks ----------------------------------------------------------------------
#
# Each function gives the number that `below` gives, as long as no card weighs more or less than another. With weights
# the next card is one of those left with its weight over the sum of theirs. That is the order by keys u^(1/weight) of
# Efraimidis and Spirakis (2006), Weighted random sampling with a reservoir, produced card by card.


@small_kernel
def draw_card(state: State, stream: int, deck: np.ndarray) -> int:
    """The place in a deck of the next card, 0..n-1: equally likely, or by weight (the knob `cards_<deck>`).

    Args:
        deck: whole numbers, shape (n,), n > 0: the cards left, as a slice of a field of the state.
    """
    if state.forced_n >= LOADED:
        return _weighted_or_drawn(state, stream, deck)
    return below(state, stream, np.int64(deck.size))


@small_kernel
def draw_card_between(state: State, stream: int, deck: np.ndarray, low: int, high: int) -> int:
    """draw_card from deck[low:high], for games that draw many cards: it slices only if cards have weights."""
    if state.forced_n >= LOADED:
        return _weighted_between(state, stream, deck, low, high)
    return below(state, stream, high - low)


@small_kernel
def draw_kind(state: State, stream: int, copies: np.ndarray, n: int) -> int:
    """draw_card from a deck that is stored as a number of cards of each kind.

    Args:
        copies: whole numbers, shape (kinds,): how many cards of each kind are left. n: their sum, over 0.
    Returns:
        A card in 0..n-1; the cards of kind 0 come first, then those of kind 1, and so on.
    """
    if state.forced_n >= LOADED:
        return _weighted_kind(state, stream, copies, n)
    return below(state, stream, n)


@small_kernel
def draw_from_set(state: State, stream: int, cards: int, n: int) -> int:
    """draw_card from a deck that is stored as a set: bit c for card c.

    Args:
        n: how many cards the set has, over 0.
    Returns:
        A card in 0..n-1, counted from the lowest bit.
    """
    if state.forced_n >= LOADED:
        return _weighted_of_set(state, stream, cards, n)
    return below(state, stream, n)


@kernel
def _mix(
    deck: np.ndarray, words: np.ndarray, at: np.uint32, purpose: np.uint64, name: np.uint64, game: np.ndarray,
    key: np.ndarray,
) -> np.uint32:  # fmt: skip
    """Shuffles a deck with the numbers that `below` would draw; returns how many the stream has given."""
    for place in range(deck.size - 1, 0, -1):
        bound = np.uint64(place + 1)
        while True:
            lane = at & _LANES
            if lane == np.uint32(0):
                _refill(words, np.uint64(at >> np.uint32(2)), purpose, name, game, key)
            product = np.uint64(words[lane]) * bound
            at = np.uint32(at + np.uint32(1))
            low = product & _LOW
            if low > bound or low >= (np.uint64(0x100000000) - bound) % bound:
                break
        other = np.int64(product >> _WORD)
        card = deck[place]
        deck[place] = deck[other]
        deck[other] = card
    return at


@kernel
def shuffle(state: State, stream: int, deck: np.ndarray) -> None:
    """Shuffles a deck; its top card is then deck[0]. If cards have weights, the deck is then ordered by weight with
    further numbers of the stream.
    """
    if state.forced_n == 0:  # the most frequent case without a call for each card
        name = np.uint64(state.stream_name[stream])
        purpose = np.uint64(stream) if name == np.uint64(0) else NAMED
        purpose += np.uint64(state.stream_epoch[stream]) << np.uint64(8)
        at = state.stream_at[stream]
        words = state.stream_words[stream]
        state.stream_at[stream] = _mix(deck, words, at, purpose, name, state.stream_game, state.stream_key)
        return
    for at in range(deck.size - 1, 0, -1):
        other = below(state, stream, at + 1)
        card = deck[at]
        deck[at] = deck[other]
        deck[other] = card
    at = _cards(state, stream)
    if at == 0:
        return
    for place in range(deck.size - 1):  # the card that lies there is a fair pick out of those from there on
        other = place + _weighted(_weights(state), at, deck[place:], np.int64(0), word(state, stream))
        card = deck[place]
        deck[place] = deck[other]
        deck[other] = card


@kernel
def _weighted_or_drawn(state: State, stream: int, deck: np.ndarray) -> int:
    at = _cards(state, stream)
    if at == 0:
        return below(state, stream, np.int64(deck.size))
    bound = np.uint64(deck.size)
    product = _redrawn(state, stream, bound, word(state, stream) * bound)
    return _weighted(_weights(state), at, deck, np.int64(product >> _WORD), product & _LOW)


@kernel
def _weighted_between(state: State, stream: int, deck: np.ndarray, low: int, high: int) -> int:
    return _weighted_or_drawn(state, stream, deck[low:high])


@kernel
def _weighted_kind(state: State, stream: int, copies: np.ndarray, n: int) -> int:
    deck = np.empty(n, np.int64)
    card = 0
    for kind in range(copies.size):
        for _ in range(copies[kind]):
            deck[card] = kind
            card += 1
    return _weighted_or_drawn(state, stream, deck)


@kernel
def _weighted_of_set(state: State, stream: int, cards: int, n: int) -> int:
    deck = np.empty(n, np.int64)
    at = 0
    for card in range(64):
        if at < n and (np.uint64(cards) >> np.uint64(card)) & np.uint64(1):
            deck[at] = card
            at += 1
    return _weighted_or_drawn(state, stream, deck)


@small_kernel
def weighted(state: State, stream: int) -> bool:
    """Whether the cards of a stream have weights."""
    return _cards(state, stream) > 0


@kernel
def _cards(state: State, stream: int) -> int:
    """Where the card weights of a stream begin in the list; 0 for fair shuffles."""
    return _entry(_weights(state), np.int64(stream), np.int64(CARDS)) if state.forced_n >= LOADED else np.int64(0)


@kernel
def _weight(weights: np.uint64, at: int, card: int) -> int:
    """Weight of a card, in hundredths; cards that are not listed have weight 1 (100 hundredths)."""
    return int32_at(weights, at + card) if 0 <= card < int32_at(weights, at - 1) else np.int64(100)


@kernel
def _weighted(weights: np.uint64, at: int, deck: np.ndarray, fair: int, chance: np.uint64) -> int:
    """A card's place by weight, from the place that a fair draw takes: it stays there as often as it can.

    A card below the average weight of the cards left stays with the probability weight / average. Else a card above the
    average replaces it, in proportion to the excess weights. A small change of weights therefore changes few draws.

    Args:
        fair: a uniformly random place. chance: 32 random bits that are independent of it.
    """
    total = np.int64(0)
    for place in range(deck.size):
        total += _weight(weights, at, np.int64(deck[place]))
    own = _weight(weights, at, np.int64(deck[fair])) * deck.size
    if own >= total:  # also if all cards left have weight 0
        return fair
    stays = np.float64(own) / np.float64(total)
    share = (np.float64(chance) + 0.5) / 4294967296.0
    if share < stays:
        return fair
    over = np.int64(0)
    for place in range(deck.size):
        over += max(_weight(weights, at, np.int64(deck[place])) * deck.size - total, np.int64(0))
    goal = (share - stays) / (1.0 - stays) * np.float64(over)
    last = fair
    for place in range(deck.size):
        more = max(_weight(weights, at, np.int64(deck[place])) * deck.size - total, np.int64(0))
        if more > 0:
            last = np.int64(place)
            if goal < np.float64(more):
                return last
            goal -= np.float64(more)
    return last


# --- Forced draws ---------------------------------------------------------------


@small_kernel
def given(state: State, stream: int) -> int:
    """The next result that a test or a scenario gives to a component that understands it, such as a card of a deck;
    NOT_GIVEN if there is none. It is in the list of forced draws, under the number -1 - stream.
    """
    if state.forced_n > 0:
        return _next_given(state, stream)
    return NOT_GIVEN


@kernel
def _next_given(state: State, stream: int) -> int:
    if state.forced_n < LOADED:
        for i in range(state.forced_n):
            if state.forced_stream[i] == -1 - stream:
                state.forced_n -= 1
                left = np.int64(state.forced_n)
                return _forced(state.forced_stream, state.forced_value, np.int64(i), left, np.int64(1 << 15))
    return NOT_GIVEN


@kernel
def _forced(streams: np.ndarray, values: np.ndarray, i: int, left: int, n: int) -> int:
    """Removes the forced draw at a place of the list and returns it; `left` draws remain."""
    value = np.int64(values[i])
    for k in range(i, left):
        streams[k] = streams[k + 1]
        values[k] = values[k + 1]
    if value >= n:
        raise ValueError("a forced draw is outside its range")
    return value


@small_kernel
def bot_below(state: State, n: int) -> int:
    """A whole number in 0..n-1 from the stream of the bot whose turn it is."""
    return below(state, np.int64(state.seat), n)


@kernel
def redraw_below(state: State, n: int) -> int:
    """A whole number in 0..n-1 from the stream that redraws hidden information (Game.determinize)."""
    return below(state, np.int64(state.stream_seats), n)


@kernel
def new_future(state: State) -> None:
    """Gives the streams of chance new numbers from this point on; the bots' own streams continue unchanged."""
    redraw = np.int64(state.stream_seats)
    for stream in range(redraw + 1, state.stream_at.size):
        state.stream_at[stream] = (state.stream_at[stream] + _LANES) & ~_LANES
        for lane in range(16):  # words generated but not yet drawn belong to the old future, and a bot could read them
            state.stream_words[stream, lane] = np.uint32(word(state, redraw))
    epoch = word(state, redraw) & np.uint64(0xFFFFFF)
    at = state.stream_at[redraw]
    for stream in range(redraw, state.stream_at.size):
        state.stream_epoch[stream] = np.uint32(epoch | np.uint64(1))
    state.stream_at[redraw] = (at + _LANES) & ~_LANES


@kernel
def branch(state: State, seat: int, number: int) -> None:
    """Turns a copied position into one of its possible futures, for a bot that looks ahead: copy, branch, determinize.

    The numbers of all streams, including those of redraws and bots, then depend on the game, on `number`, on the seat
    and on how much its bot has drawn in this game, but not on anything hidden from the seat. A bot that draws one
    number of its own before it looks ahead has other random draws at each decision; otherwise they are the same.

    Args:
        state: a copy of the position. seat: seat of the bot that looks ahead. number: equal numbers give equal futures.
    """
    words = state.stream_words[seat]
    philox(
        np.uint64(number) & _LOW, np.uint64(state.stream_epoch[seat]), np.uint64(state.stream_at[seat]),
        np.uint64(seat), np.uint64(state.stream_game[0]), np.uint64(state.stream_game[1]), words,
    )  # fmt: skip
    epoch = words[0] % np.uint32(0xFFFFFF) + np.uint32(1)  # 0 is play itself
    for stream in range(state.stream_at.size):
        state.stream_at[stream] = np.uint32(0)
        state.stream_epoch[stream] = epoch


@kernel
def redraw_order(state: State, cards: np.ndarray) -> None:
    """Puts hidden cards in a new order, for Game.determinize.

    They are sorted before they are shuffled, so the result depends only on the set of cards and on the redraw stream,
    and reveals nothing about their earlier order.

    Args:
        cards: whole numbers, any shape (n,): a slice of a field of the state.
    """
    sort_cards(cards)
    for i in range(cards.size - 1, 0, -1):
        j = redraw_below(state, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@kernel
def sort_cards(cards: np.ndarray) -> None:
    """Sorts some cards, shape (n,), in place: what is drawn from them then depends on the set alone."""
    for i in range(1, cards.size):
        card = cards[i]
        j = i
        while j > 0 and cards[j - 1] > card:
            cards[j] = cards[j - 1]
            j -= 1
        cards[j] = card


@kernel
def reshuffle_cards(state: State, stream: int, cards: np.ndarray) -> None:
    """Shuffles cards whose order nobody has seen again, for Game.reshuffle, with the numbers of their own stream."""
    sort_cards(cards)
    shuffle(state, stream, cards)


@kernel
def begin_play(state: State) -> None:
    """Separates the luck of the set-up from chance in play: from here on, the streams of chance have the epoch 2 + the
    epoch of the redraw stream, whatever their epochs in the set-up were.
    """
    redraw = np.int64(state.stream_seats)
    for stream in range(redraw + 1, state.stream_at.size):
        state.stream_at[stream] = (state.stream_at[stream] + _LANES) & ~_LANES
        state.stream_epoch[stream] = np.uint32(2) + state.stream_epoch[redraw]


@kernel
def branch_streams(state: State, number: int) -> None:
    """Gives every stream, the bots' too, new numbers from here on: branch `number` (0..2^24-2) of a position."""
    for stream in range(state.stream_at.size):
        state.stream_at[stream] = (state.stream_at[stream] + _LANES) & ~_LANES
        state.stream_epoch[stream] = np.uint32(number + 1)


@small_kernel
def offer(state: State, action: int) -> None:
    """Adds a legal action to the pending decision."""
    state.legal[np.uint32(state.n_legal)] = action  # an unsigned index needs no check for counting from the end
    state.n_legal += 1


@small_kernel
def count_rule(state: State, rule: int) -> None:
    """Counts that a rule of the ledger fired."""
    state.fired[rule] += np.uint16(1)
