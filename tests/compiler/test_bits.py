"""Bits counted, and memory read, by instructions of the processor."""

from __future__ import annotations

import numpy as np
import pytest

from simlab.compiler import bits as instructions
from simlab.compiler import kernel
from simlab.compiler.bits import bit_count, int32_at, trailing_zeros


@kernel
def both(word: int) -> tuple[int, int]:
    return bit_count(word), trailing_zeros(word)


@pytest.mark.parametrize("word", [0, 1, 6, 1 << 47, -(1 << 63), -1, 0x5A5A_0000_0000])
def test_compiled_and_plain_bits_are_the_same(word):
    text = format(word & (1 << 64) - 1, "064b")
    expected = text.count("1"), 64 - len(text.rstrip("0")) if "1" in text else 64
    assert both(np.int64(word)) == expected
    assert (instructions._bit_count(word), instructions._trailing_zeros(word)) == expected


@kernel
def third(address: np.uint64) -> int:
    return int32_at(address, 2)


def test_memory_is_read_at_an_address():
    array = np.array([1, -(1 << 31), -7, (1 << 31) - 1], np.int32)
    assert third(np.uint64(array.ctypes.data)) == -7
    for place, value in enumerate(array.tolist()):
        assert int32_at(np.uint64(array.ctypes.data), place) == value
        assert instructions._load(array.ctypes.data, place) == value
