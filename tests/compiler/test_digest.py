"""What the name of compiled code depends on: each thing that the code follows from, and nothing else."""

from __future__ import annotations

import threading
import types
from pathlib import Path

import numpy as np
import pytest
from numba import int64
from numba.core.compiler_lock import global_compiler_lock

from simlab import compiler
from simlab.compiler import kernels, linker
from simlab.compiler.dependencies import remember
from simlab.compiler.digest import Digests, NoDigest

pytestmark = pytest.mark.skipif(not compiler.compiling(), reason="nothing is compiled")

RULES = '''
import enum
import numpy as np
from simlab.compiler import kernel, small_kernel
import costs
BASE = 10
UNREAD = 1
TABLE = np.array([1, 2, 3])
PAIR = (1, (2.5, "word"))
class Kind(enum.IntEnum):
    FIRST = 1

@small_kernel
def deepest(x):
    """The helper of a helper."""
    return x + BASE

@kernel
def helper(x):
    # Adds.
    return deepest(x) + 1

@kernel
def again(n):
    return 1 if n < 2 else n * again(n - 1)

@kernel
def rule(x, step=1):
    """What it does."""
    return helper(x) + TABLE[0] + PAIR[0] + costs.PRICE + Kind.FIRST + step + again(3)
'''


def digest(text: str = RULES, price: int = 5, unread: int = 0) -> bytes:
    costs = types.ModuleType("costs")
    vars(costs).update(PRICE=price, OTHER=unread)
    rules = types.ModuleType("rules")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "costs", costs)
        exec(compile(text, "rules.py", "exec"), vars(rules))
    return Digests().of(rules.rule)


MATTERS = [
    ("BASE = 10", "BASE = 11"),
    ("BASE = 10", "BASE = 10.0"),
    ("[1, 2, 3]", "[1, 2, 4]"),
    ("[1, 2, 3]", "[1, 2, 3], dtype=np.int32"),
    ('(2.5, "word")', '(2.5, "ward")'),
    ("FIRST = 1", "FIRST = 2"),
    ("return x + BASE", "return x - BASE"),
    ("return deepest(x) + 1", "return deepest(x) + 2"),
    ("@small_kernel", "@kernel"),
    ("step=1", "step=2"),
    ("again(n - 1)", "again(n - 2)"),
]


@pytest.mark.parametrize(("old", "new"), MATTERS)
def test_what_code_follows_from_changes_its_name(old: str, new: str) -> None:
    assert old in RULES
    assert digest(RULES.replace(old, new)) != digest()


MATTERS_NOT = [
    ('"""The helper of a helper."""', '"""Adds the base."""'),
    ("# Adds.", "# Adds one.\n    # And no more."),
    ("import enum\n", "import enum\n\n\n"),
    ("UNREAD = 1", "UNREAD = 2"),
]


@pytest.mark.parametrize(("old", "new"), MATTERS_NOT)
def test_words_and_places_cost_nothing(old: str, new: str) -> None:
    assert old in RULES
    assert digest(RULES.replace(old, new)) == digest()


def test_of_a_module_only_what_is_read_counts() -> None:
    assert digest(price=6) != digest()
    assert digest(unread=6) == digest()


def test_what_a_closure_has_caught_counts() -> None:
    def rule_with(step: int) -> object:
        def rule(x: int) -> int:
            return x + step

        return compiler.kernel(rule)

    one, same, other = (Digests().of(rule_with(step)) for step in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("caught", [False, True])
def test_a_kernel_of_another_module_counts(caught: bool) -> None:
    """Read by way of a global, or of a module that a closure has caught."""

    def digest_with(price: int) -> bytes:
        costs = types.ModuleType("costs")
        vars(costs).update(fee=compiler.kernel(compiler.specialise(base_plus, BASE=price)))

        def rule(x: int) -> int:
            return costs.fee(x)  # type: ignore[no-any-return]

        return Digests().of(rule if caught else compiler.specialise(calls_costs, costs=costs))

    assert digest_with(1) == digest_with(1) != digest_with(9)


def calls_costs(x: int) -> int:
    return costs.fee(x)  # type: ignore[name-defined, no-any-return]  # noqa: F821


def test_a_docstring_that_the_code_returns_counts() -> None:
    def worded(word: str) -> bytes:
        scope: dict[str, object] = {}
        exec(f"def f():\n    '{word}'\n    return '{word}'\n", scope)
        return Digests().of(scope["f"])

    assert worded("ace") != worded("king")


@pytest.mark.parametrize("unknown", [object(), {1: 2}, lambda x: x, np.array([None])])
def test_what_has_no_digest_is_not_guessed_at(unknown: object) -> None:
    def read() -> object:
        return unknown

    with pytest.raises(NoDigest):
        Digests().of(read)


def test_a_file_that_extends_the_compiler_counts_for_all_kernels_of_its_game(tmp_path: Path) -> None:
    """What it teaches the compiler is read by no kernel, so no digest of one shows it."""
    texts = (
        "from numba.extending import overload\n\n# 1\n",
        "from numba.extending import overload\n\n# 2\n",
        "x = 1\n",
    )
    one, other, plain = (tmp_path / f"{number}" / "rules.py" for number in range(3))
    for file, text in zip((one, other, plain), texts, strict=True):
        file.parent.mkdir()
        file.write_text(text)
    remember((one, other, plain))
    assert kernels._extensions((one,)) != kernels._extensions((other,))
    assert kernels._extensions((one, plain)) == kernels._extensions((one,)) and not kernels._extensions((plain,))


BASE = 1


def base_of(state: np.void) -> int:
    return state.points + BASE  # type: ignore[attr-defined, no-any-return]


def test_a_record_that_grew_by_a_field_is_compiled_anew(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import from_dtype

    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    narrow = np.dtype([("points", np.int32)])
    wide = np.dtype([("wounds", np.int64), ("points", np.int32)])
    for kind, compiled in ((narrow, False), (wide, False), (narrow, True)):
        assert compiler.is_compiled(base_of, int64(from_dtype(kind))) == compiled
        entry = compiler.compile_entry(base_of, int64(from_dtype(kind)))
        state = np.zeros(1, kind)
        state["points"] = 41
        assert entry(state[0]) == 42


def test_a_global_changed_under_a_compiled_function_is_not_kept(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function goes on as it was compiled: under the new value's name it must not be kept."""
    monkeypatch.setenv("SIMLAB_CACHE", str(tmp_path))
    helper = compiler.kernel(compiler.specialise(base_plus, BASE=1))
    calls = compiler.specialise(call, helper=helper)
    with linker.session("some"):
        first = linker.Entry(calls)
        first.compile(int64(int64))
        assert first(1) == 2 and first.is_stored(int64(int64))
    helper.py_func.__globals__["BASE"] = 50  # type: ignore[attr-defined]
    with linker.session("some"):
        second = linker.Entry(calls)
        second.compile(int64(int64))
        assert second(1) == 2 and not second.is_stored(int64(int64))


def test_a_session_within_another_digests_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at a start: the look at what is missing, then the loading, which reports its progress."""
    digested = []
    parts = Digests._parts
    monkeypatch.setattr(Digests, "_parts", lambda self, function: digested.append(function) or parts(self, function))
    below = compiler.kernel(compiler.specialise(base_plus, BASE=1))
    calls = compiler.kernel(compiler.specialise(call, helper=below))
    with compiler.session():
        outer = calls._key_of(int64(int64))
        with compiler.session(step=lambda *part: None):
            assert calls._key_of(int64(int64)) == outer
        with linker.session("another scope"):
            assert calls._key_of(int64(int64)) != outer, "what was digested is shared, the name of the code is not"
    assert digested == [calls, below]


def base_plus(x: int) -> int:
    return x + BASE


def helper(x: int) -> int:
    return x


def call(x: int) -> int:
    return helper(x)


def test_no_address_is_looked_up_while_another_thread_adds_code() -> None:
    """A lookup links all added code; if some of what it calls is still missing, LLVM ends the process."""
    assert linker._address("no_such_function") == 0  # the engine has been made
    found: list[int] = []
    lookup = threading.Thread(target=lambda: found.append(linker._address("no_such_function")), daemon=True)
    with global_compiler_lock:  # held while code is added
        lookup.start()
        lookup.join(0.2)
        assert lookup.is_alive() and not found
    lookup.join(10)
    assert found == [0]
