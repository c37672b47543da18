"""`simlab`: the command. There is one file per command; errors end here as one message and an exit
status.

Exit statuses: 0 fine, 1 contract broken or regression, 2 bad input, 3 inconclusive, 4 run failed, 5 stored
games are missing or no longer replay identically, 130 interrupted (143 by SIGTERM).
"""

from __future__ import annotations

import contextlib
import errno
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from simlab import __version__
from simlab.cli import ending
from simlab.cli.app import app as browser_app
from simlab.cli.compare import compare
from simlab.cli.groups import spread
from simlab.cli.new import new_bot, new_game, new_metric, new_twin
from simlab.cli.play import play
from simlab.cli.report import report
from simlab.cli.run import run
from simlab.cli.sweep import sweep
from simlab.cli.terminal import only_answers, suit_console
from simlab.errors import SimlabError
from simlab.questions import questions
from simlab.words import printable

SIGPIPE = 141
_INTERRUPTED = 130  # what Typer silently makes of every KeyboardInterrupt
_LONGEST_WORD, _LONGEST_QUOTE, _LONGEST = 1_000, 300, 4_000  # characters of a message; a path may have some hundreds
_REFUSED = {  # system errors about files that the user named
    errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP,
    errno.EEXIST, errno.EINVAL,
}  # fmt: skip

_ABOUT = """Play a board game a million times and see how balanced it is.

First steps:

1. simlab games, then simlab info simple_siege: the games, and the parts of a game.

2. simlab run simple_siege_best_play -n 2000: who wins, with a report.

3. simlab sweep simple_siege --vary walls_start=3..7 -n 2000: the effect of a knob.

4. simlab app simple_siege: change knobs with sliders, and see the effect while games are played.

5. simlab new game my_game: your own game.

Exit status: 0 fine, 1 contract broken or regression, 2 bad input, 3 inconclusive, 4 run failed, 5 stored games are
missing or no longer replay identically, 130 interrupted (143 by SIGTERM).
"""

#: Heading -> commands; those of simlab.questions come on top. "analyze luck" is `luck` of the group `analyze`.
_COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    "Games": {},
    "Play": {"run": run, "sweep": sweep, "compare": compare, "play": play, "app": browser_app},
    "Results": {"report": report},
    "Judge": {},
    "Build": {
        "new game": new_game,
        "new bot": new_bot,
        "new metric": new_metric,
        "new twin": new_twin,
    },
}
#: Groups of commands with their help.
_GROUPS = {
    "analyze": "Analyze a game: luck, course, components and playing time, regions of settings, human playtests.",
    "optimize": "Search for the smallest fix of the rules, for a bot's best traits or best answer; train a player.",
    "new": "Write a small working example to start from: a game, a bot, a metric, or a second implementation of "
    "a game.",
    "dev": "Check games, bots and metrics of your own; measure speed; examine the installation.",
}
#: Commands of earlier versions and their replacements.
_MOVED = {
    "ladder": "compare GAME --ladder", "rules": "info GAME rules", "knobs": "info GAME knobs",
    "bots": "info GAME bots", "show": "info, and for results: report FOLDER --section NAME",
    "events": "replay GAME --table", "export": "report FOLDER --format csv",
    "notebook": "report FOLDER --format notebook", "history": "runs", "desk": "app", "luck": "analyze luck",
    "course": "analyze course", "table": "analyze time", "discover": "analyze regions",
    "playtest": "analyze playtest", "mend": "optimize rules", "tune": "optimize bot", "exploit": "optimize answer",
    "check-game": "dev check-game", "check-policy": "dev check-bot", "check-metric": "dev check-metric",
    "bench": "dev bench", "doctor": "dev doctor",
}  # fmt: skip


class _PlainSwitches:
    """Shows switches without a type name, because `--json <bool>` looks as if a value had to follow."""

    def get_params(self, ctx: Any) -> list[Any]:
        options: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for option in options:
            if isinstance(option, TyperOption) and option.is_flag and option.metavar is None:
                option.metavar = ""
        return options


class _Command(_PlainSwitches, TyperCommand):
    pass


class _Group(_PlainSwitches, TyperGroup):
    pass


app = typer.Typer(name="simlab", cls=_Group, no_args_is_help=True, rich_markup_mode="rich", help=_ABOUT)


def _help(command: Callable[..., None]) -> str:
    """Help text from a docstring: paragraphs without line breaks, examples line by line, and brackets that are not
    markup.
    """
    parts = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    parts = [part if part.startswith("Examples:") else " ".join(part.split()) for part in parts]
    return "\n\n".join(parts).replace("[", "\\[")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"simlab {__version__}")
        raise typer.Exit


@app.callback()
def _simlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def _add_all() -> None:
    groups: dict[str, typer.Typer] = {}
    for question in questions():
        if module := question.module("command"):
            own = getattr(module, "COMMANDS", None) or {question.name: getattr(module, question.name)}
            _COMMANDS[getattr(module, "PANEL", "Judge")] |= own
    for panel, commands in _COMMANDS.items():
        for name, command in commands.items():
            group, _, last = name.rpartition(" ")
            if group and group not in groups:
                groups[group] = typer.Typer(
                    cls=_Group, no_args_is_help=True, rich_markup_mode="rich", help=_GROUPS[group]
                )
                app.add_typer(groups[group], name=group, short_help=_GROUPS[group], rich_help_panel=panel)
            text = _help(command)
            groups.get(group, app).command(
                last, cls=_Command, help=text, rich_help_panel=None if group else panel,
                short_help=text.partition("\n\n")[0],  # whole in lists, where Typer's pages would cut it short
            )(spread(command))  # fmt: skip


_add_all()


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line and exits with its status."""
    if arguments is None:
        ending.watch()
    suit_console()
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(ending.guarded(lambda: _status(words)))


def _status(words: list[str]) -> int:
    moved = "new bot" if words[:2] == ["new", "policy"] else _MOVED.get(words[0]) if words else None
    if moved:
        return _fail(f"simlab {words[0]} is now: simlab {moved}", 2)
    try:
        with only_answers() if "--json" in words else contextlib.nullcontext():
            done: Any = get_command(app).main(args=words, prog_name="simlab", standalone_mode=False, obj=tuple(words))
        sys.stdout.flush()
        if done == _INTERRUPTED:
            return _fail("interrupted.", ending.status())
        return done if isinstance(done, int) else 0
    except SimlabError as fault:
        return _fail(str(fault), fault.exit_code)
    except typer.TyperException as fault:  # a word of the command line that does not fit
        message = fault.format_message()  # empty if a list of commands was printed because none was given
        return _fail(f"{message}{_where_to_look(words)}", fault.exit_code or 2) if message else 0
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted.", ending.status())
    except BrokenPipeError:  # the reader of a pipe has left, as in `simlab rules simple_siege | head`
        return _reader_left()
    except OSError as fault:
        if os.environ.get("SIMLAB_TRACEBACK"):
            traceback.print_exc()
        # For a name that is too long, a closed folder, a full or read-only disk
        return _fail(*_disk(fault))
    except SystemExit as fault:  # no command of simlab's does so, but Typer does and foreign code may
        if isinstance(fault.__context__, BrokenPipeError):
            return _reader_left()
        if _raised_in(fault) == "typer":  # at the end of shell completion
            sys.stdout.flush()
            return fault.code if isinstance(fault.code, int) else 0
        return _fail(f"code of a game or a bot called sys.exit({fault.code!r}). Remove that call.", 4)
    except MemoryError:
        return _fail("there is not enough memory for this. Ask for fewer games, or fewer at a time.", 4)
    except Exception as fault:  # noqa: BLE001 - the last resort: a defect, reported as such
        if os.environ.get("SIMLAB_TRACEBACK"):
            traceback.print_exc()
        return _fail(
            f"this is a defect of simlab: {type(fault).__name__}: {fault}\n"
            "Run the command again with SIMLAB_TRACEBACK=1 and report its output, with the output of "
            "`simlab dev doctor`.",
            4,
        )


def _raised_in(fault: BaseException) -> str:
    *_, (frame, _) = traceback.walk_tb(fault.__traceback__)
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _reader_left() -> int:
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return SIGPIPE


def _disk(fault: OSError) -> tuple[str, int]:
    """The message if the system refuses a file, and the exit status."""
    name = f"{fault.filename}: " if fault.filename is not None else ""
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{name}the disk is full. Free some space, then run the same command again.", 4
    if fault.errno is None:  # raised by a library, with its own words or none
        what = f"{type(fault).__name__}: {str(fault).strip() or 'without a message'}"
        again = "Run the same command again; if it fails again, SIMLAB_TRACEBACK=1 prints where."
        return f"{name}a connection, a file or a device failed ({what}). {again}", 4
    return f"{name}{fault.strerror or type(fault).__name__}.", 2 if fault.errno in _REFUSED else 4


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.stderr.write(f"simlab: {printable(_cut(message))}\n")
    return status


def _cut(message: str) -> str:
    """The message, without the middle of very long words, and truncated if it is too long to read."""
    shorter = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:80]}...{word[0][-20:]}", message)
    shorter = re.sub(rf"(?<!\w)'[^'\n]{{{_LONGEST_QUOTE},}}'(?!\w)", lambda text: f"{text[0][:80]}...'", shorter)
    return shorter if len(shorter) <= _LONGEST else f"{shorter[: _LONGEST - 1_000]}\n...\n{shorter[-900:]}"


def _where_to_look(words: Sequence[str]) -> str:
    names = {name for group in _COMMANDS.values() for name in group} | set(_GROUPS)
    command = next((name for name in (" ".join(words[:2]), *words[:1]) if name in names), "")
    return f"\nSee: simlab {command + ' ' if command else ''}--help"
