"""Counts bits of whole numbers with a single processor instruction."""

from __future__ import annotations

from typing import Any

from simlab.compiler.kernels import compiling

_WORD = 0xFFFFFFFFFFFFFFFF


def _bit_count(word: int) -> int:
    return (int(word) & _WORD).bit_count()


def _trailing_zeros(word: int) -> int:
    low = int(word) & _WORD
    return (low & -low).bit_length() - 1 if low else 64


def _instructions() -> tuple[Any, Any]:
    """Both functions as instructions, because LLVM does not recognize the usual bit tricks at the level used for
    kernels.
    """
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

    return bit_count, trailing_zeros


_counted, _found = _instructions() if compiling() else (_bit_count, _trailing_zeros)
bit_count: Any = _counted  #: number of bits of an int64 that are set, 0..64
trailing_zeros: Any = _found  #: position of the lowest set bit of an int64; 64 if no bit is set
