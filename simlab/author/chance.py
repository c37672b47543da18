"""The random streams of simlab.engine.streams in plain Python: the same numbers, draw for draw."""

from __future__ import annotations

_M0, _M1, _W0, _W1, _LOW = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85, 0xFFFFFFFF


class Stream:
    """One stream of one game.

    Args:
        purpose: number of the stream (simlab.game.stream_numbers).
    """

    def __init__(self, seed: int, game: int, purpose: int) -> None:
        self._key = seed & _LOW, seed >> 32
        self._game = game & _LOW, game >> 32
        self._purpose, self._block = purpose, 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32 random bits."""
        if not self._words:
            self._words = self._refill()
        return self._words.pop()

    def below(self, n: int) -> int:
        """An unbiased whole number in 0..n-1."""
        product = self.word() * n
        if product & _LOW < n:
            least = (0x100000000 - n) % n
            while product & _LOW < least:
                product = self.word() * n
        return product >> 32

    def shuffle(self, cards: list[int], n: int) -> None:
        """Shuffles the first n cards as simlab.engine.streams.shuffle does."""
        for at in range(n - 1, 0, -1):
            other = self.below(at + 1)
            cards[at], cards[other] = cards[other], cards[at]

    def _refill(self) -> list[int]:
        c0, c1, c2, c3 = self._block & _LOW, self._purpose, *self._game
        k0, k1 = self._key
        for _ in range(10):
            p0, p1 = _M0 * c0, _M1 * c2
            c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _LOW, (p0 >> 32) ^ c3 ^ k1, p0 & _LOW
            k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
        self._block += 1
        return [c3, c2, c1, c0]
