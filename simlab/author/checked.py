"""Arithmetic of compiled rules where it would differ from Python's: numbers without bounds, fractions, shifts, powers.

Whole numbers have 64 bits in compiled code. These functions raise an error where Python's number would be larger, so
that a rule never continues with a wrong one. Results stay below 2^62. Sums of one number below 2^62 and one below 2^32
are therefore not checked: 2^30 of them in one action would be needed to go beyond 64 bits. Each function gets the line
of the author's file for its message.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from simlab.compiler import kernel, small_kernel

_int: Any = np.int64
MOST: Final = 1 << 62  #: numbers in rules are smaller
_HALF: Final = 1 << 31
_NEAR: Final = 4.6e18  #: below 2^62


@kernel
def too_large(line: int) -> None:
    """Raises the error of a number that compiled rules cannot hold."""
    raise ValueError("a number goes beyond 2^62, the largest in a compiled rule: limit it with min(). Line", line)


@kernel
def does_not_fit(number: int, low: int, high: int, line: int) -> None:
    """Raises the error of a number that a field cannot hold."""
    raise ValueError("the number does not fit into its field:", number, "is not in", low, "to", high, "Line", line)


@kernel
def not_a_flag(line: int) -> None:
    """Raises the error of a number that a flag cannot hold."""
    raise ValueError("the number does not fit into its field: a flag holds True or False. Line", line)


@kernel
def is_fraction(line: int) -> None:
    """Raises the error of a fraction where a whole number is needed."""
    raise ValueError("a fraction is used as a whole number: divide with //, or round with int() or round(). Line", line)


@small_kernel
def add(a: Any, b: Any, line: int) -> Any:
    """a + b."""
    if isinstance(a, float) or isinstance(b, float):
        return a + b
    total = _int(a) + _int(b)
    if not -MOST < total < MOST:
        too_large(line)
    return total


@small_kernel
def subtract(a: Any, b: Any, line: int) -> Any:
    """a - b."""
    if isinstance(a, float) or isinstance(b, float):
        return a - b
    total = _int(a) - _int(b)
    if not -MOST < total < MOST:
        too_large(line)
    return total


@small_kernel
def multiply(a: Any, b: Any, line: int) -> Any:
    """a * b."""
    if isinstance(a, float) or isinstance(b, float):
        return a * b
    one, two = _int(a), _int(b)
    if not (-_HALF <= one <= _HALF and -_HALF <= two <= _HALF) and abs(one * 1.0 * two) > _NEAR:
        too_large(line)
    return one * two


@kernel
def power(a: Any, b: Any, line: int) -> Any:
    """a ** b; a negative exponent of a whole number gives a fraction, which rules written for whole numbers do not
    expect: it is an error.
    """
    if isinstance(a, float) or isinstance(b, float):
        return math.pow(a, b)
    base, left = _int(a), _int(b)
    if left < 0:
        is_fraction(line)
    result = _int(1)
    while left > 0 and base not in (0, 1, -1):
        result = multiply(result, base, line)
        left -= 1
    if base == 0 and left > 0:
        return _int(0)
    return -result if base == -1 and left % 2 == 1 else result


@small_kernel
def shift_left(a: Any, n: Any, line: int) -> Any:
    """a << n."""
    number, bits = _int(a), _int(n)
    if bits < 0:
        raise ValueError("negative shift count. Line", line)
    if number != 0 and (bits > 61 or not -(MOST >> bits) < number < MOST >> bits):
        too_large(line)
    return number << min(bits, 62)


@small_kernel
def shift_right(a: Any, n: Any, line: int) -> Any:
    """a >> n."""
    bits = _int(n)
    if bits < 0:
        raise ValueError("negative shift count. Line", line)
    return _int(a) >> min(bits, 63)


@small_kernel
def stored(value: Any, low: int, high: int, line: int) -> Any:
    """A number as a field holds it: whole, and from low to high."""
    number = _int(value)
    if isinstance(value, float) and number != value:
        is_fraction(line)
    if not low <= number <= high:
        does_not_fit(number, low, high, line)
    return number


@small_kernel
def stored_or(value: Any, low: int, high: int, other: int, line: int) -> Any:
    """A number as a field holds it that may also hold one number outside its range."""
    number = _int(value)
    if isinstance(value, float) and number != value:
        is_fraction(line)
    if not low <= number <= high and number != other:
        does_not_fit(number, low, high, line)
    return number


@small_kernel
def stored_in(array: Any, value: Any, line: int) -> Any:
    """A number as an array, such as a field that was passed to a function, holds it."""
    half = _int(1) << (8 * _int(array.itemsize) - 1)
    return stored(value, -half, half - 1, line)


@small_kernel
def flagged(value: Any, line: int) -> Any:
    """A value as a flag holds it: True or False, or 1 or 0."""
    if not (value == 0 or value == 1):
        not_a_flag(line)
    return value == 1


@small_kernel
def whole(value: Any, line: int) -> Any:
    """A number that may be a fraction by its type, as the whole number that it must be."""
    number = _int(value)
    if isinstance(value, float) and number != value:
        is_fraction(line)
    return number


@small_kernel
def truncated(value: Any, line: int) -> Any:
    """int(value)."""
    if isinstance(value, float) and not -_NEAR < value < _NEAR:
        too_large(line)
    return _int(value)


@small_kernel
def rounded(value: Any, line: int) -> Any:
    """round(value)."""
    if isinstance(value, float):
        if not -_NEAR < value < _NEAR:
            too_large(line)
        return _int(round(value))
    return _int(value)


@small_kernel
def quotient(a: Any, b: Any, line: int) -> Any:
    """a / b. Whole numbers beyond 2^53 would be rounded before the division; Python rounds once."""
    if not isinstance(a, float) and not -(1 << 53) <= _int(a) <= 1 << 53:
        too_large(line)
    if not isinstance(b, float) and not -(1 << 53) <= _int(b) <= 1 << 53:
        too_large(line)
    return a / b


@small_kernel
def text_at(places: Any, text: int, line: int) -> Any:
    """The place of a card table's text in a tuple of texts. A replaced table may have a text that is not in it."""
    if text < 0:
        raise ValueError("a text of the card table is not in the list that is searched for it. Line", line)
    return _int(places[text])


@kernel
def has(array: Any, value: Any) -> bool:
    """Whether an array, shape (n,), contains a value."""
    for place in range(array.size):
        if array[place] == value:
            return True
    return False


@kernel
def any_of(array: Any) -> bool:
    """Whether a number of an array, shape (n,), is not 0."""
    for place in range(array.size):
        if array[place] != 0:
            return True
    return False


@kernel
def all_of(array: Any) -> bool:
    """Whether no number of an array, shape (n,), is 0."""
    for place in range(array.size):
        if array[place] == 0:
            return False
    return True


NAMES: Final[dict[str, Any]] = {
    f"_checked_{function.__name__}": function
    for function in (
        add,
        subtract,
        multiply,
        power,
        shift_left,
        shift_right,
        stored,
        stored_or,
        stored_in,
        flagged,
        whole,
        truncated,
        rounded,
        quotient,
        text_at,
        has,
        any_of,
        all_of,
    )
}
