"""A command that is interrupted says so."""

from __future__ import annotations

import pytest

from .conftest import Shell


def test_an_interrupted_command_says_so(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simlab.registry.find_games", interrupted)
    done = shell("simlab games")
    assert (done.status, done.err) == (130, "simlab: interrupted.\n")
