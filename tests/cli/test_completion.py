"""Completion in the shell: its script, and what it offers."""

from __future__ import annotations

import pytest

from .conftest import Shell


def test_the_script_for_a_shell_is_printed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = shell("simlab --show-completion bash")
    assert (done.status, done.err) == (0, "")
    assert "_SIMLAB_COMPLETE=complete_bash" in done.out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("simlab chec", ["check"]),
        ("simlab info mighty", ["mighty_fortress"]),
        ("simlab run --wor", ["--workers"]),
    ],
)
def test_a_tab_offers_what_fits(words: str, offered: list[str], shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SIMLAB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    done = shell("simlab")
    assert (done.status, done.err) == (0, "")
    assert sorted(done.out.split()) == offered


def test_a_shell_that_is_not_supported_gives_status_1(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SIMLAB_COMPLETE", "complete_nosuch")
    done = shell("simlab")
    assert done.status == 1 and "nosuch" in done.err and "sys.exit" not in done.err
