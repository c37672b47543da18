"""Kernels of the lab's own games take an index as it is; those from elsewhere count a negative one from the end."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from simlab.compiler import kernel, specialise
from simlab.compiler.kernels import compiling, linker
from simlab.compiler.linker import DIRECT

SEATS = np.zeros(1, [("before", np.int64), ("seats", np.int64, (3,))])


def before(records: Any, place: int) -> int:
    return int(records[0].seats[place])


def last(records: Any, place: int) -> int:
    return int(records[0].seats[-1])


def of(module: str, function: FunctionType) -> Any:
    made = specialise(function)
    made.__module__ = module
    return kernel(made)


def records() -> Any:
    made = SEATS.copy()
    made["before"], made["seats"] = 7, (1, 2, 3)
    return made if compiling() else made.view(np.recarray)


def test_a_negative_index_counts_from_the_end_in_a_game_from_elsewhere() -> None:
    assert of("simlab_game_abc", before)(records(), -1) == 3
    assert of("policy_file", before)(records(), -1) == 3


def test_a_game_of_the_lab_pays_for_no_such_test() -> None:
    expected = 7 if compiling() and linker() else 3  # the number in front of the list: the index is not looked at
    for module in ("simlab.games.abc", "policies.abc"):
        assert module.startswith(DIRECT)
        assert of(module, before)(records(), -1) == expected


def test_a_constant_counts_from_the_end_everywhere() -> None:
    assert of("simlab.games.abc", last)(records(), 0) == 3
