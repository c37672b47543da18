"""What all tests stand on."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """Ctrl-C reaches the processes that tests start, though a shell ignores it for what it starts in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives a long test more time than the others have (`timeout` in pyproject.toml)."""
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(1800))
