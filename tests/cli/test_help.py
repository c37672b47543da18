"""Help: purpose, options and examples of every command; the examples run as printed."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from simlab.bot_registry import load_bot, seats_for
from simlab.cli import main as command_line
from simlab.registry import find_games, load_game

from .conftest import Shell, all_commands

HEAVY = {
    "numba",
    "llvmlite",
    "polars",
    "pandas",
    "scipy",
    "matplotlib",
    "seaborn",
    "statsmodels",
    "joblib",
    "pydantic",
}


COMMANDS = {name: command for group in command_line._COMMANDS.values() for name, command in group.items()}


def examples(name: str) -> list[str]:
    _, _, block = inspect.cleandoc(COMMANDS[name].__doc__ or "").partition("Examples:\n")
    return [line.strip() for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_the_purpose_the_options_and_examples(name: str, shell: Shell) -> None:
    done = shell(f"simlab {name} --help")
    assert done.status == 0
    text = " ".join(done.out.split())
    purpose = " ".join((COMMANDS[name].__doc__ or "").partition("\n\n")[0].split())
    assert purpose in text
    assert purpose[-1] in ".?"
    assert "Examples:" in text
    assert examples(name)
    assert "bool" not in done.out  # behind a switch it reads as if a word had to follow


def run_as_printed(lines: list[str], shell: Shell) -> None:
    for line in lines:
        stdin = ""
        if line.startswith("echo "):
            stdin = line.partition(" | ")[0].removeprefix("echo ") + "\n"
        done = shell(line.rpartition(" | ")[2], stdin)
        assert done.status == 0, f"{line}\n{done.out}\n{done.err}"
        assert done.out.strip()


#: Commands whose examples search, train or compile another large game: with all examples, in the long tests.
SLOW = {
    "analyze bot", "analyze choices", "analyze difficulty", "analyze prices", "analyze regions", "analyze worth",
    *(name for name in COMMANDS if name.startswith("optimize ")),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW])
def test_the_first_example_of_a_command_runs_as_printed(name: str, shell: Shell) -> None:
    """With the lines before it, which write what it reads."""
    lines = examples(name)
    first = next(place for place, line in enumerate(lines) if f"simlab {name}" in line)
    run_as_printed(lines[: first + 1], shell)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in COMMANDS if name in SLOW or len(examples(name)) > 1])
def test_examples_run_as_printed(name: str, shell: Shell) -> None:
    run_as_printed(examples(name), shell)


@pytest.mark.parametrize("slug", find_games())
def test_bots_that_a_list_gives_as_examples_are_bots_of_the_game(slug: str, shell: Shell) -> None:
    game = load_game(slug)
    named = [
        found for bot in shell(f"simlab info {slug} bots --json").json["bots"]
        for found in re.findall(r"\b(?:mix|noisy|opening)\([^)]*\)", bot["help"])
    ]  # fmt: skip
    assert len(named) == 3
    for text in named:
        assert any(load_bot(game, seat, text) for seat in seats_for(game, text)), text


def test_there_are_at_most_18_commands_with_few_options_of_their_own() -> None:
    assert len(get_command(command_line.app).commands) <= 18
    for name, command in COMMANDS.items():
        assert len(inspect.signature(command).parameters) <= 15, name


@pytest.mark.parametrize("old", [*command_line._MOVED, "new policy"])
def test_a_command_that_was_renamed_names_its_successor(old: str, shell: Shell) -> None:
    done = shell(f"simlab {old} simple_siege")
    assert done.status == 2
    new = done.err.partition("is now: simlab ")[2].split()
    assert new and (new[0].strip(",") in all_commands() or " ".join(new[:2]) in all_commands()), done.err


def test_the_tour_and_a_group_without_a_command_are_no_errors(shell: Shell) -> None:
    assert (tour := shell("simlab")).status == 0
    assert "First steps" in tour.out
    assert (group := shell("simlab analyze")).status == 0
    assert "luck" in group.out


def test_help_loads_nothing_heavy() -> None:
    probe = (
        "import sys; from simlab.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "Play a board game" in done.stdout
    assert not HEAVY & set(ast.literal_eval(done.stderr))


def test_commands_import_nothing_heavy_at_the_top() -> None:
    for path in Path(command_line.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not HEAVY & {name.partition(".")[0] for name in names}, path.name


def test_module_and_version() -> None:
    done = subprocess.run([sys.executable, "-m", "simlab", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("simlab 0.")


def test_completion_is_offered_for_the_shell(shell: Shell) -> None:
    assert "--install-completion" in shell("simlab --help").out


def test_completion_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simlab.cli.options import complete_experiment, complete_game

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()
    assert complete_game("simple") == ["simple_siege"]
    assert complete_experiment("mine") == ["mine.toml"]
    assert "simple_siege_balance" in complete_experiment("simple_siege_b")
