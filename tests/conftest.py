"""What all tests stand on."""

from __future__ import annotations

import gc
import os
import signal

import hypothesis
import pytest

# As the command has them (simlab.__main__). With several threads of linear algebra, training takes three times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(50_000, 10, 10)
hypothesis.settings.register_profile("lab", deadline=None)  # a busy machine is no fault
hypothesis.settings.load_profile("lab")

#: Files of 15 seconds or more in either suite, the longest first; where two follow each other, they compile different
#: games.
LONGEST = (
    "tests/docs/test_pages.py", "tests/engine/test_conformance.py", "tests/cli/test_help.py",
    "tests/games/small/test_small_games.py", "tests/approved/test_approved.py", "tests/author/test_class.py",
    "tests/engine/test_learning.py", "tests/runs/test_runner.py", "tests/studies/test_worth.py",
    "tests/cli/test_new.py", "tests/notebooks/test_notebooks.py", "tests/search/test_line_of_play.py",
    "tests/docs/test_findings.py", "tests/author/test_plain.py", "tests/search/test_pool.py",
    "tests/compiler/test_never_stale.py", "tests/cli/test_check.py", "tests/author/test_pieces.py",
    "tests/app/test_page.py", "tests/games/mighty_fortress/test_fuzz.py", "tests/test_fuzz.py",
    "tests/author/test_known_games.py", "tests/games/simple_siege/test_bots.py",
    "tests/games/simple_siege/test_fuzz.py", "tests/games/lowenheim/test_bots.py",
    "tests/games/montsegur/test_bots.py", "tests/games/westphalia/test_bots.py", "tests/report/test_drill_down.py",
    "tests/games/lowenheim/test_fuzz.py", "tests/games/westphalia/test_fuzz.py", "tests/games/montsegur/test_fuzz.py",
    "tests/learn/test_environment.py", "tests/compiler/test_without_linker.py", "tests/test_constraints.py",
    "tests/cli/test_endless.py",
)  # fmt: skip


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """Ctrl-C and a hang-up reach the processes that tests start, though a shell ignores the one for what it starts in
    the background, and `nohup` the other. These processes do not inherit a handler, and the tests outlive a hang-up.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.hookimpl(tryfirst=True)  # before `-m "not long"` is looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begins with the longest files, and gives each test a time limit for a cold start on a busy machine.

    A long file that a worker begins last keeps the others waiting for it.
    """
    mark_samples(items, whole=not any("::" in argument for argument in config.args))
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(LONGEST)))
    if config.pluginmanager.hasplugin("timeout"):
        for item in items:
            item.add_marker(pytest.mark.timeout(1800 if item.get_closest_marker("long") else 600))


def mark_samples(items: list[pytest.Item], whole: bool) -> None:
    """Marks as long all cases but those that `@pytest.mark.sample(...)` names, by id or by number from 0.

    Args:
        whole: whether all cases of each test were collected; then a name that no case has is an error.
    """
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sample"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, found in cases.items():
        kept = found[0].get_closest_marker("sample").args  # type: ignore[union-attr]
        known = {place for number, item in enumerate(found) for place in (number, item.callspec.id)}
        if whole and not known.issuperset(kept):
            raise pytest.UsageError(f"{name}: sample names {set(kept) - known}, and no case is called so.")
        for number, item in enumerate(found):
            if number not in kept and item.callspec.id not in kept:
                item.add_marker(pytest.mark.long)
