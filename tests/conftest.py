"""What all tests stand on."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive() -> None:
    """Ctrl-C reaches the processes that tests start, though a shell ignores it for what it starts in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Gives each test and its fixtures a time limit, for a cold start on a busy machine."""
    if config.pluginmanager.hasplugin("timeout"):
        for item in items:
            item.add_marker(pytest.mark.timeout(1800 if item.get_closest_marker("long") else 600))
