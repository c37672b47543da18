"""simlab new game, simlab new bot, simlab new metric."""

from __future__ import annotations

import keyword
import re
import sys
import textwrap
from importlib.metadata import packages_distributions
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, cast

import typer

from simlab import shell
from simlab.cli.options import PlayersOption, complete_game
from simlab.cli.terminal import show
from simlab.errors import InputError, nearest
from simlab.spec.folder_names import is_portable, plain_letters

if TYPE_CHECKING:
    from simlab.author.build import ClassGame
    from simlab.game import Game

_TEMPLATES = Path(__file__).parent.parent / "templates"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as dragon_hoard.")]
IntoOption = Annotated[Path, typer.Option("--into", metavar="FOLDER", help="The folder to write it into.")]
ForOption = Annotated[
    str, typer.Option("--game", metavar="GAME", help="The game it is for.", autocompletion=complete_game)
]
LikeOption = Annotated[str | None, typer.Option("--like", metavar="GAME", help="Start with a copy of this small game.")]
KernelsOption = Annotated[bool, typer.Option("--kernels", help="Write a folder of compiled functions instead.")]


def new_game(
    name: NameArgument, into: IntoOption = Path(), like: LikeOption = None, kernels: KernelsOption = False
) -> None:
    """Write a small working game, a race with one die, to change rule by rule.

    The game is one class in one file, with its knobs, rules and bots. You need not install or register it: use its path
    as its name. --like copies a small game of simlab (`simlab games` lists them).

    Examples:
      simlab new game dragon_hoard
      simlab dev check-game ./dragon_hoard.py
      simlab sweep ./dragon_hoard.py --bot first=hold_at --bot second=hold_at,racer --vary goal=20,30 -n 200
    """
    slug = _slug(name)
    made, then = into / f"{slug}.py", "Try"
    if like is not None or kernels:
        _refuse_existing(into / slug)
    if like is not None:
        _copy_class(_small_game(like), made)
        return
    if kernels:
        made = into / slug
        then = f"Read {made}/README.md, then try"
        for source in sorted((_TEMPLATES / "game").glob("*.txt")):
            _write(made / source.name.removesuffix(".txt"), f"game/{source.name}", slug=slug)
    else:
        _write(made, "class/game.py.txt", slug=slug, name=_class_name(made))
    text = shell.quote(_as_path(made))
    _show(
        f"{made}: a working game. {then}:",
        f"dev check-game {text}",
        f"sweep {text} --bot first=hold_at --bot second=racer --vary goal=20,30,40 -n 20_000",
        f"play {text} --as first",
    )


def _class_name(path: Path) -> str:
    _refuse_existing(path)
    return path.stem.title().replace("_", "")


def _small_game(like: str) -> ClassGame:
    from simlab.registry import find_games

    boxed = {name: entry.load() for name, entry in find_games().items() if entry.source == "simlab"}
    small = [name for name, game in boxed.items() if game.small]
    if like not in small:
        why = f"{like} is too large to start from" if like in boxed else f"there is no game '{like}'"
        raise InputError(f"--like {like}: {why}. {nearest(like, small)}")
    return cast("ClassGame", boxed[like])


def _copy_class(game: ClassGame, path: Path) -> None:
    """Copies a game that is one class, with its tables, and renames it."""
    text = re.sub(rf"\b{game.owner.__name__}\b(?=[(:)])", _class_name(path), game.path.read_text(encoding="utf-8"))
    tables = {path.with_name(f"{table.name}.csv"): game.folder / f"{table.name}.csv" for table in game.tables}
    for copied, original in tables.items():
        if copied.exists() and copied.read_bytes() != original.read_bytes():
            raise InputError(f"{copied}: exists already, and {game.title} has a table of this name. Use --into FOLDER.")
    _write_file(path, text.encode("utf-8"))
    for copied, original in tables.items():
        _write_file(copied, original.read_bytes())
    _show(f"{path}: a copy of {game.title} that plays. Try:", f"dev check-game {shell.quote(_as_path(path))}")


def new_bot(
    name: NameArgument, game: ForOption = "simple_siege", players: PlayersOption = None, into: IntoOption = Path()
) -> None:
    """Write a small working bot, to change into your own.

    Examples:
      simlab new bot patient_miner --game simple_siege
      simlab dev check-bot simple_siege ./patient_miner.py:patient_miner
    """
    slug = _slug(name)
    path = into / f"{slug}.py"
    loaded, text, file = _begin(path, game, players)
    bot = f"{file}:{slug}"
    rest = "".join(f" --bot {other}=random" for other in loaded.seats[1:])
    bots = f"--bot {shell.quote(f'{loaded.seats[0]}={bot}')}{rest}"
    _write(
        path, "policy/bot.py.txt", slug=slug, game=loaded.slug, game_title=loaded.title, game_text=text, bots=bots
    )  # fmt: skip
    _show(
        f"{path}: a working bot. Try:",
        f"dev check-bot {text} {shell.quote(bot)}",
        f"sweep {text} {bots} -n 10_000",
    )


def new_metric(
    name: NameArgument, game: ForOption = "simple_siege", players: PlayersOption = None, into: IntoOption = Path()
) -> None:
    """Write a small working metric, a whole number per finished game, to change into your own.

    Examples:
      simlab new metric longest_lull --game simple_siege
      simlab sweep simple_siege --metric ./longest_lull.py -n 200
    """
    slug = _slug(name)
    path = into / f"{slug}.py"
    loaded, text, file = _begin(path, game, players)
    metric = shell.quote(f"{file}:{slug}")
    _write(path, "metric/metric.py.txt", slug=slug, game_text=text, game_title=loaded.title)
    _show(
        f"{path}: a working metric. Try:",
        f"dev check-metric {text} {metric}",
        f"sweep {text} --metric {metric} -n 10_000",
    )


def new_twin(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.", autocompletion=complete_game)],
    players: PlayersOption = None,
    into: IntoOption = Path(),
) -> None:
    """Write the start of a second, plain implementation of a game, to fill in from its rulebook.

    It gets the same random draws and decisions as the game, and its state is compared after each decision. A rule that
    one of the two has wrong is reported with seed, game, turn and field.

    Examples:
      simlab new twin pig
      simlab dev check-game pig --twin ./pig_twin.py -n 5
    """
    from simlab.registry import at_table, load_game

    game = at_table(game, players)
    loaded = load_game(game)
    path = into / f"{loaded.slug}_twin.py"
    _refuse_existing(path, "")
    apart = ("stream_", "forced_", "frame_", "legal", "n_legal")
    own = [name for name in loaded.state.names or () if not name.startswith(apart)]
    text, file = shell.quote(game), shell.quote(_as_path(path))
    _write(
        path, "twin/twin.py.txt", game_title=loaded.title, game_text=text, file=file, seats=", ".join(loaded.seats),
        knobs=_listed(list(loaded.knobs)), streams=_listed(list(loaded.streams)), fields=_listed(own),
        knob=next(iter(loaded.knobs), "name"), stream=loaded.streams[0],
    )  # fmt: skip
    _show(f"{path}: an empty twin. Fill it in, and try:", f"dev check-game {text} --twin {file}")


def _begin(path: Path, game: str, players: int | None) -> tuple[Game, str, str]:
    """The game of a new file, its name in a command line, and the path of the file as a user has to write it."""
    from simlab.registry import at_table, load_game

    _refuse_existing(path)
    game = at_table(game, players)
    return load_game(game), shell.quote(game), _as_path(path)


def _refuse_existing(path: Path, other: str = "another name, or ") -> None:
    if path.exists():
        raise InputError(f"{path}: exists already. Choose {other}another folder with --into.")


def _show(made: str, *commands: str) -> None:
    show(made, *(f"  simlab {command}" for command in commands))


def _listed(names: list[str]) -> str:
    """Names in lines of a docstring."""
    return textwrap.fill(", ".join(names) or "none", 110).replace("\n", "\n    ")


def _slug(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "_", plain_letters(name).strip().lower()).strip("_")
    if not is_portable(slug):
        raise InputError(f"'{name}' cannot be a name: Windows keeps it for itself. Write 'my_{slug}'.")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,60}", slug) or keyword.iskeyword(slug):
        raise InputError(f"'{name}' cannot be a name: use letters and digits, a letter first, as in dragon_hoard.")
    if slug in sys.stdlib_module_names or slug in packages_distributions():
        raise InputError(f"'{name}' cannot be a name: {slug}.py would hide a module of Python. Write 'my_{slug}'.")
    return slug


def _as_path(path: Path) -> str:
    """The path as a user has to write it: with a slash, because without one it would be read as a slug."""
    return str(path) if path.is_absolute() or path.parts[:1] == ("..",) else f"./{path.as_posix()}"


def _write(path: Path, template: str, *, slug: str = "", **fields: str) -> None:
    """Writes a file from a template. slug: name of the new game, bot or metric; its title follows from it."""
    known = {"slug": slug, "title": slug.replace("_", " ").capitalize(), "file": path.name}
    text = Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(known | fields)
    _write_file(path, text.encode("utf-8"))


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}).") from None
