"""Compiled code goes by a name that says what its records look like: two processes may have compiled it."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import numpy as np, numba, simlab.compiler.kernels
def named(*fields):
    return str(numba.from_dtype(np.dtype([(f, np.int16) for f in fields], align=True)).mangling_args)
print([named(*fields) for fields in {order}])
"""


def names(order: list[tuple[str, ...]]) -> list[str]:
    probe = PROBE.replace("{order}", repr(order))
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return list(eval(done.stdout))


def test_a_record_has_the_same_name_in_every_process_and_another_has_another() -> None:
    one, two = ("seat", "turn"), ("seat", "turn", "walls")
    assert names([one, two]) == names([two, one])[::-1]
    assert len(set(names([one, two]))) == 2
