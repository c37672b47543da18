"""Finds games and metrics by name, by entry point, or by a user's path."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.engine import user_modules
from simlab.errors import InputError, nearest, warn_once
from simlab.game import Game
from simlab.spec.refs import GameRef, MetricRef

if TYPE_CHECKING:
    from simlab.engine.custom_metrics import OwnMetric

#: Groups of entry points with which an installed package registers games, bots and metrics.
GAMES, BOTS, METRICS = "simlab.games", "simlab.bots", "simlab.metrics"


@dataclass(frozen=True)
class GameEntry:
    """A game that can be loaded; `source` is `simlab` or the package that provides it."""

    source: str
    load: Callable[..., Game]


def find_games() -> dict[str, GameEntry]:
    """All games by slug: those in the lab's folders and those that installed packages register. Imports no game."""
    folder = Path(__file__).parent / "games"
    entries = {
        path.name: GameEntry("simlab", partial(_lab_game, path))
        for path in sorted(folder.iterdir())
        if (path / "ledger.toml").exists() or (path / "game.py").exists()
    }
    for point in announced(GAMES):
        source = point.dist.name if point.dist else "?"
        entries.setdefault(point.name, GameEntry(source, partial(_point_game, point)))
    return entries


@functools.cache
def announced(group: str) -> tuple[importlib.metadata.EntryPoint, ...]:
    """Entry points of installed packages, cached: reading every package takes a while, and they do not change."""
    return tuple(importlib.metadata.entry_points(group=group))


def load_point(point: importlib.metadata.EntryPoint, what: str) -> Any:
    """The object of an entry point. what: its kind, such as `game`. Raises InputError: it cannot be imported."""
    try:
        return point.load()
    except (Exception, SystemExit) as fault:
        raise InputError(
            f"{what} '{point.name}' of package {point.dist.name if point.dist else '?'} cannot be loaded: "
            f"{type(fault).__name__}: {fault}"
        ) from fault


def announced_modules(group: str, what: str) -> list[str]:
    """Modules of installed packages that can be loaded; other modules are reported on standard error and left out."""
    modules = []
    for point in announced(group):
        try:
            load_point(point, what)
            modules.append(point.module)
        except InputError as mistake:
            warn_of(mistake)
    return modules


def warn_of(mistake: InputError) -> None:
    """Prints that a part of an installed package is left out."""
    warn_once(f"{mistake}. It is left out; update or remove that package.")


def _lab_game(folder: Path, players: int | None = None) -> Game:
    module = f"simlab.games.{folder.name}"
    if module not in sys.modules:
        _remember_files(folder)
    if (folder / "game.py").exists():
        return _class_game(importlib.import_module(f"{module}.game"), module, players)
    return _game_of(importlib.import_module(module), module, players)


def _point_game(point: importlib.metadata.EntryPoint, players: int | None = None) -> Game:
    return _game_of(load_point(point, "game"), point.value, players)


def _remember_files(folder: Path, alone: bool = False) -> None:
    """Records the digests of the files to be imported; for a single file, its siblings in the folder (`alone`)."""
    from simlab.compiler.dependencies import files_of, remember

    remember([path for path in sorted(folder.glob("*.py")) if path.is_file()] if alone else files_of(folder))


def _game_of(module: Any, where: str, players: int | None) -> Game:
    """The game of a module, or of an entry point that is the game itself."""
    game = module if isinstance(module, Game) else getattr(module, "GAME", None)
    if isinstance(game, Game):
        if players not in (None, len(game.seats)):
            raise InputError(f"{game.slug} has {len(game.seats)} seats, no more and no fewer: leave players out.")
        return game
    make = getattr(module, "game", None)
    if not callable(make):
        raise InputError(f"{where}: defines no GAME, an instance of simlab.Game, and no function game(players).")
    usual = _made(make, None)
    if not isinstance(usual, Game) or not usual.players[0] <= len(usual.seats) <= usual.players[1]:
        raise InputError(f"{where}: game() does not return a simlab.Game whose `players` holds its number of seats.")
    least, most = usual.players
    if players in (None, len(usual.seats)):
        return usual
    if not least <= players <= most:
        raise InputError(f"{usual.slug} is played by {least} to {most}, not by {players}.")
    sized: Game = _made(make, players)
    if len(sized.seats) != players:
        raise InputError(f"{where}: game({players}) has {len(sized.seats)} seats.")
    return sized


@functools.cache
def _made(make: Callable[..., Any], players: int | None) -> Any:
    return make() if players is None else make(players)


def _class_game(module: ModuleType, where: str, players: int | None) -> Game:
    """A game from the only class of a module that extends simlab.author.Game."""
    from simlab.author import Game as GameClass
    from simlab.author.build import build

    owners = [
        value for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, GameClass) and value.__module__ == module.__name__
    ]  # fmt: skip
    owners = [one for one in owners if not any(one in other.__mro__[1:] for other in owners)]
    if len(owners) != 1:
        found = ", ".join(owner.__name__ for owner in owners) or "none"
        raise InputError(f"{where}: exactly one class has to extend simlab.author.Game; found {found}.")
    (owner,) = owners
    least, most = owner.blueprint().players
    if players is not None and not least <= players <= most:
        count = f"{least} to {most}" if least != most else str(least)
        raise InputError(f"{where}: is played by {count}, not by {players}.")
    return build(owner, owner.blueprint().default_players if players is None else players)  # type: ignore[arg-type]


def at_table(name: str, players: int | None) -> str:
    """The game's text with the player count of an option added."""
    return str(GameRef.parse(name, players))


def load_game(game: str | GameRef, players: int | None = None) -> Game:
    """Loads a game by slug or by the path of its folder (`./my_game`). `harvest:players=5` loads it for five players.

    A path contains "/", so a folder whose name happens to be a slug never replaces that game. The author's own metrics
    follow the name, as in `simple_siege:metric=./mine.py:longest_lull`. The same reference gives the same object.

    Args:
        players: player count, if the reference has none.
    Raises:
        InputError: the game is unknown, the folder holds no game, the player count is not possible, or a metric
            does not exist.
    """
    ref = GameRef.parse(str(game), players)
    if ref.metrics:
        return _measured(load_game(replace(ref, metrics=())), tuple(map(str, ref.metrics)))
    if ref.name.endswith(".toml"):
        play = f"Play it with `simlab run {shell.quote(ref.name)}`."
        raise InputError(f"{ref.name}: is an experiment file, not a game. {play}")
    if ref.is_path:
        return _load_folder(Path(ref.name), ref.players)
    games = find_games()
    if ref.name not in games:
        own = f"A folder of your own is given as a path: ./{ref.name}"
        raise InputError(f"there is no game '{ref.name}'. {nearest(ref.name, games)} {own}")
    return games[ref.name].load(ref.players)


_MEASURED_GAMES: dict[tuple[int, tuple[str, ...]], Game] = {}  # by id of the plain game, which the values keep alive


def _measured(game: Game, texts: tuple[str, ...]) -> Game:
    from simlab.engine.custom_metrics import with_metrics

    key = (id(game), texts)
    if key not in _MEASURED_GAMES:
        _MEASURED_GAMES[key] = with_metrics(game, [one for text in texts for one in load_metrics(text)])
    return _MEASURED_GAMES[key]


def load_metrics(text: str) -> list[OwnMetric]:
    """The author's own metrics: `./mine.py:longest_lull`, a whole file `./mine.py`, or the name of an installed metric.

    Raises:
        InputError: no such file or name, or the file cannot be imported or holds no such metric.
    """
    from simlab.engine.custom_metrics import metrics_in

    ref = MetricRef.parse(text)
    head, wanted = ref.file, ref.name
    if not head:
        return [_announced_metric(wanted)]
    path = Path(head)
    if not path.is_file():
        raise InputError(f"metric '{text}': there is no file {head}.")
    path = path.resolve()
    known = metrics_in(import_file(path, "metric"))
    if not known:
        raise InputError(
            f"metric '{text}': {head} declares no metric. A metric is a function or class under "
            '@simlab.metric("description"); `simlab new metric NAME` writes a template.'
        )
    if wanted and wanted not in known:
        raise InputError(f"metric '{text}': {head} declares no metric '{wanted}'. {nearest(wanted, known)}")
    return [replace(known[name], text=f"{path}:{name}", path=path) for name in ([wanted] if wanted else known)]


def find_metrics() -> dict[str, importlib.metadata.EntryPoint]:
    """The metrics that installed packages register, by name."""
    return {point.name: point for point in reversed(announced(METRICS))}


def _announced_metric(name: str) -> OwnMetric:
    from simlab.engine.custom_metrics import OwnMetric

    points = find_metrics()
    if name not in points:
        hint = nearest(name, points) if points else "No installed package provides any."
        own = name if name.isidentifier() else "longest_lull"
        raise InputError(f"there is no metric '{name}'. {hint} Name your own by its file: ./mine.py:{own}")
    point = points[name]
    one = load_point(point, "metric")
    if not isinstance(one, OwnMetric):
        raise InputError(f"metric '{name}': {point.value} is not a metric. Name a function with @simlab.metric(...).")
    return replace(one, metric=replace(one.metric, name=name), text=name)


def is_game(path: Path) -> bool:
    """Whether a path is the file of a game's class or the folder of a game; the file may be missing."""
    return path.suffix == ".py" or any((path / name).is_file() for name in ("game.py", "__init__.py"))


def _load_folder(folder: Path, players: int | None = None) -> Game:
    if (folder / "game.py").is_file() and not (folder / "__init__.py").exists():
        folder /= "game.py"
    if folder.suffix == ".py":
        if not folder.is_file():
            raise InputError(f"{folder}: there is no such file. `simlab new game NAME` writes a start.")
        return _class_game(import_file(folder.resolve(), "game"), str(folder), players)
    start = folder / "__init__.py"
    if not start.is_file():
        raise InputError(
            f"{folder}: holds no game (no game.py and no __init__.py). `simlab new game NAME` writes a start."
        )
    module = import_file(start.resolve(), "game", package=True)
    return _game_of(module, str(folder), players)


_TRUSTED: ContextVar[frozenset[Path] | None] = ContextVar("trusted files", default=None)


@contextlib.contextmanager
def only_trusted(files: Iterable[Path]) -> Iterator[None]:
    """Inside this context, bots, metrics and games are loaded by path only if their files and folders are listed.

    It protects against names in untrusted results. The loader itself checks, regardless of how a name is parsed.
    """
    token = _TRUSTED.set(frozenset(path.resolve() for path in files))
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def check_trusted(path: Path) -> None:
    trusted = _TRUSTED.get()
    if trusted is not None and path.resolve() not in trusted:
        raise UntrustedFile(path.resolve())


class UntrustedFile(InputError):
    """Untrusted results name a file, `path`, that the user did not allow."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: named by the results, and not run unless you allow it.")
        self.path = path


def import_file(path: Path, kind: str, package: bool = False) -> ModuleType:
    """Imports a user's file as a module (simlab.engine.user_modules). UntrustedFile: not allowed."""
    check_trusted(path.parent if package else path)
    if path.suffix != ".py":
        raise InputError(f"{path}: is not a Python file.")
    if user_modules.name_of(path, kind) not in sys.modules:
        _remember_files(path.parent, alone=not package)
    try:
        return user_modules.load(path, kind)
    except InputError:
        raise
    except SystemExit as fault:
        raise InputError(f"{path}: calls sys.exit({fault.code!r}) while it is imported. Take that out.") from None
    except Exception as fault:
        lines = [f for f in traceback.extract_tb(fault.__traceback__) if Path(f.filename).is_relative_to(path.parent)]
        at = f"{lines[-1].filename}, line {lines[-1].lineno}" if lines else str(path)
        if isinstance(fault, SyntaxError) and fault.filename:  # perhaps of a file that this one imports
            raise InputError(f"{fault.filename}, line {fault.lineno}: SyntaxError: {fault.msg}") from fault
        text = f"{at}: cannot be imported: {type(fault).__name__}: {user_modules.as_written(str(fault))}"
        raise InputError(f"{text}{_named_as_python(fault)}") from fault


def _named_as_python(fault: Exception) -> str:
    """The sentence about a file with the name of a module of Python, after an error that it may have caused."""
    if isinstance(fault, ImportError | AttributeError):
        for name, path in user_modules.names_of_python().items():
            if re.search(rf"\b{name}\b", user_modules.as_written(str(fault))):
                return f". {path} was imported, not Python's own module {name}: if you mean that one, rename this file."
    return ""


def load_twin(path: Path) -> Callable[..., Any]:
    """The second implementation of a game (simlab.twin): the file's class Twin. Raises InputError if there is none."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. `simlab new twin GAME` writes a start.")
    twin = getattr(import_file(path.resolve(), "twin"), "Twin", None)
    if not callable(twin):
        raise InputError(f"{path}: defines no class Twin. `simlab new twin GAME` writes a start.")
    made: Callable[..., Any] = twin
    return made


def game_package(game: Game) -> str:
    """Name of the package that a game's functions come from; for a class, its module."""
    module = str(game.action_label.__module__)
    if game.is_class:
        return module
    while module in sys.modules and not hasattr(sys.modules[module], "__path__") and "." in module:
        module = module.rpartition(".")[0]
    return module
