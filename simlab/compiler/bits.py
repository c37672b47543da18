"""Processor instructions that Python does not offer: counting bits, and access to memory addresses."""

from __future__ import annotations

import ctypes
from typing import Any

from simlab.compiler.kernels import compiling, small_kernel

_WORD = 0xFFFFFFFFFFFFFFFF


def _bit_count(word: int) -> int:
    return (int(word) & _WORD).bit_count()


def _trailing_zeros(word: int) -> int:
    low = int(word) & _WORD
    return (low & -low).bit_length() - 1 if low else 64


def _load(address: int, place: int) -> int:
    return ctypes.c_int32.from_address(int(address) + 4 * int(place)).value


def _place(record: Any) -> int:
    return int(record.__array_interface__["data"][0])


def _instructions() -> tuple[Any, Any, Any, Any]:
    """Emits instructions, because LLVM recognises no bit tricks at the kernels' optimization level."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def bit_count(typing: Any, word: Any) -> Any:
        return types.int64(types.int64), lambda context, builder, signature, words: builder.ctpop(words[0])

    @intrinsic
    def trailing_zeros(typing: Any, word: Any) -> Any:
        zero = ir.Constant(ir.IntType(1), 0)
        return types.int64(types.int64), lambda context, builder, signature, words: builder.cttz(words[0], zero)

    @intrinsic
    def load(typing: Any, address: Any, place: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, words: Any) -> Any:
            array = builder.inttoptr(words[0], ir.IntType(32).as_pointer())
            return builder.sext(builder.load(builder.gep(array, [words[1]])), ir.IntType(64))

        return types.int64(types.uint64, types.int64), code

    @intrinsic
    def address_of(typing: Any, record: Any) -> Any:
        return types.int64(record), lambda context, builder, signature, words: builder.ptrtoint(
            words[0], ir.IntType(64)
        )

    return bit_count, trailing_zeros, load, address_of


_counted, _found, _loaded, _placed = _instructions() if compiling() else (_bit_count, _trailing_zeros, _load, _place)
bit_count: Any = _counted  #: number of bits of an int64 that are set, 0..64
trailing_zeros: Any = _found  #: place of the lowest bit of an int64 that is set; 64 if none is
address_of: Any = _placed  #: address of a record


@small_kernel  # so that plain Python can call it too
def int32_at(address: int, place: int) -> int:
    """The int32 at an index of an array that starts at this address. Nothing checks that the array still exists."""
    return _loaded(address, place)
