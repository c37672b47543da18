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


def test_types_have_the_names_that_numba_gives_them() -> None:
    code = (
        "import numba, numpy as np\n"
        "for fields in ([('points', np.int32), ('hand', np.int8, (5,))], [('points', np.int64)]):\n"
        "    kind = numba.from_dtype(np.dtype(fields))\n"
        "    print(repr(kind), repr(kind), kind, numba.types.Array(kind, 1, 'C'))\n"
    )
    own = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = subprocess.run(
        [sys.executable, "-c", f"import simlab.compiler.kernels\n{code}"], capture_output=True, text=True, check=True
    )
    assert ours.stdout == own.stdout and ours.stdout.count("Record") >= 6
