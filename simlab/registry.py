"""Finding games and bots: by name, by entry point, or by a user's path."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import math
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab import shell
from simlab.author.rule_bots import read_rule_bot
from simlab.engine.bot_file import is_bot_file, is_rule_bot, read_bot_file
from simlab.errors import InputError, nearest, warn_once
from simlab.game import MAX_TRAITS, Game, Policy
from simlab.spec.refs import BotRef, GameRef, MetricRef, Part

if TYPE_CHECKING:
    from simlab.engine.custom_metrics import OwnMetric
    from simlab.engine.learning.player import Player, Tables

#: Groups of entry points with which an installed package registers games, bots and metrics.
GAMES, BOTS, METRICS = "simlab.games", "simlab.bots", "simlab.metrics"
LEARNED = "learned"  #: name of a game's learned player that comes with simlab, and of the folder of all such players


@dataclass(frozen=True)
class GameEntry:
    """A game that can be loaded.

    Attributes:
        source: `simlab`, or the package that provides it.
    """

    slug: str
    source: str
    load: Callable[..., Game]


@dataclass(frozen=True)
class Bot:
    """A policy with its traits set, ready for a seat.

    Attributes:
        text: as the user wrote it, `rusher:threshold=0.5`.
        traits: float64, (MAX_TRAITS,), in the policy's order, then zeros; for a learned player its weights; for a
            composite bot its own traits, then those that each of its parts reads.
        path: file of a user's own bot, or None.
        parts: the bots it is made of; for one that looks ahead, the bot of each seat in its playouts.
        considers: search(state, knobs, cards, traits, table) of such a bot (simlab.engine.search).
    """

    text: str
    seat: str
    policy: Policy
    traits: np.ndarray[Any, np.dtype[np.float64]]
    path: Path | None = None
    parts: tuple[Bot, ...] = ()
    considers: Callable[..., int] | None = None

    @property
    def read(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The traits that the bot reads, without the padding zeros."""
        return self.traits if self.parts or self.traits.size > MAX_TRAITS else self.traits[: len(self.policy.traits)]

    @property
    def looks_ahead(self) -> bool:
        """Whether the bot, or a part of it, simulates games in order to choose."""
        return self.considers is not None or any(bot.looks_ahead for bot in self.parts)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of rules from which the bot is built."""
        own = (self.path,) if self.path is not None and self.policy.which is not None else ()
        return (*own, *(path for bot in self.parts for path in bot.files))

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the modules that the bot's code comes from."""
        return tuple(dict.fromkeys([self.policy.module, *(name for bot in self.parts for name in bot.modules)]))


def find_games() -> dict[str, GameEntry]:
    """All games by slug: those in the lab's folders and those that installed packages register. Imports no game."""
    folder = Path(__file__).parent / "games"
    entries = {
        path.name: GameEntry(path.name, "simlab", _loader(path))
        for path in sorted(folder.iterdir())
        if (path / "ledger.toml").exists() or (path / "game.py").exists()
    }
    for point in announced(GAMES):
        source = point.dist.name if point.dist else "?"
        entries.setdefault(point.name, GameEntry(point.name, source, _point_loader(point)))
    return entries


@functools.cache
def announced(group: str) -> tuple[importlib.metadata.EntryPoint, ...]:
    """Entry points of installed packages, cached: reading every package takes a while, and they do not change."""
    return tuple(importlib.metadata.entry_points(group=group))


def load_point(point: importlib.metadata.EntryPoint, what: str) -> Any:
    """The object of an entry point.

    Args:
        what: kind of object for the message, such as `game`.
    Raises:
        InputError: it cannot be imported.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as fault:
        raise InputError(
            f"{what} '{point.name}' of package {point.dist.name if point.dist else '?'} cannot be loaded: "
            f"{type(fault).__name__}: {fault}"
        ) from fault


def announced_modules(group: str, what: str) -> list[str]:
    """Modules of installed packages that can be loaded; the others are reported on standard error and left out."""
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


def _loader(folder: Path) -> Callable[..., Game]:
    """Loads a game of the lab's own from its folder."""
    module = f"simlab.games.{folder.name}"

    def load(players: int | None = None) -> Game:
        if module not in sys.modules:
            _remember_files(folder)
        if (folder / "game.py").exists():
            return _class_game(importlib.import_module(f"{module}.game"), module, players)
        return _game_of(importlib.import_module(module), module, players)

    return load


def _remember_files(folder: Path, alone: bool = False) -> None:
    """Records the digests of the files to be imported; for a single file, its siblings in the folder (`alone`)."""
    from simlab.compiler.dependencies import files_of, remember

    remember([path for path in sorted(folder.glob("*.py")) if path.is_file()] if alone else files_of(folder))


def _point_loader(point: importlib.metadata.EntryPoint) -> Callable[..., Game]:
    def load(players: int | None = None) -> Game:
        thing = load_point(point, "game")
        return _fixed(thing, players) if isinstance(thing, Game) else _game_of(thing, point.value, players)

    return load


_MADE: dict[tuple[str, int], Game] = {}  # (module, players)


def _game_of(module: Any, where: str, players: int | None) -> Game:
    game, make = getattr(module, "GAME", None), getattr(module, "game", None)
    if isinstance(game, Game):
        return _fixed(game, players)
    if not callable(make):
        raise InputError(f"{where}: defines no GAME, an instance of simlab.Game, and no function game(players).")
    usual = _made(make, where, module.__name__, None)
    if players is None:
        return usual
    least, most = usual.players
    if not least <= players <= most:
        raise InputError(f"{usual.slug} is played by {least} to {most}, not by {players}.")
    return _made(make, where, module.__name__, players)


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
        raise InputError(f"{where}: one class of it has to extend simlab.author.Game; found {found}.")
    (owner,) = owners
    least, most = owner.blueprint().players
    if players is not None and not least <= players <= most:
        count = f"{least} to {most}" if least != most else str(least)
        raise InputError(f"{where}: is played by {count}, not by {players}.")
    return build(owner, owner.blueprint().default_players if players is None else players)  # type: ignore[arg-type]


def _fixed(game: Game, players: int | None) -> Game:
    if players not in (None, len(game.seats)):
        raise InputError(f"{game.slug} has {len(game.seats)} seats, no more and no fewer: leave players out.")
    return game


def _made(make: Callable[..., Game], where: str, module: str, players: int | None) -> Game:
    key = (module, players or 0)
    if key not in _MADE:
        game = make() if players is None else make(players)
        if not isinstance(game, Game) or not game.players[0] <= len(game.seats) <= game.players[1]:
            raise InputError(f"{where}: game() gives no simlab.Game whose `players` holds its number of seats.")
        if players not in (None, len(game.seats)):
            raise InputError(f"{where}: game({players}) has {len(game.seats)} seats.")
        _MADE[key] = _MADE.setdefault((module, len(game.seats)), game)
    return _MADE[key]


def at_table(name: str, players: int | None) -> str:
    """The game's text with the player count of an option added."""
    return str(GameRef.parse(name, players))


def load_game(game: str | GameRef, players: int | None = None) -> Game:
    """Loads a game by slug or by the path of its folder (`./my_game`); `harvest:players=5` is that for five players.

    A path has a "/": a folder whose name happens to be a slug never replaces that game. The author's own metrics
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
    """The author's own metrics from their text: `./mine.py:longest_lull`, a whole file `./mine.py`, or the name of an
    installed metric.

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
    known = metrics_in(_import_file(path, "metric"))
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
    """A metric of an installed package."""
    from simlab.engine.custom_metrics import OwnMetric

    points = find_metrics()
    if name not in points:
        hint = nearest(name, points) if points else "No installed package brings any."
        raise InputError(f"there is no metric '{name}'. {hint} Name your own by its file: ./mine.py:{name}")
    point = points[name]
    one = load_point(point, "metric")
    if not isinstance(one, OwnMetric):
        raise InputError(f"metric '{name}': {point.value} is not a metric. Name a function with @simlab.metric(...).")
    return replace(one, metric=replace(one.metric, name=name), text=name)


def is_game(path: Path) -> bool:
    """Whether a path is the file of a game's class or the folder of a game; the file may be missing."""
    return path.suffix == ".py" or any((path / name).is_file() for name in ("game.py", "__init__.py"))


def _load_folder(folder: Path, players: int | None = None) -> Game:
    """A game from its folder, or from the file of its class."""
    if (folder / "game.py").is_file() and not (folder / "__init__.py").exists():
        folder /= "game.py"
    if folder.suffix == ".py":
        if not folder.is_file():
            raise InputError(f"{folder}: there is no such file. `simlab new game NAME` writes a start.")
        return _class_game(_import_file(folder.resolve(), "game"), str(folder), players)
    start = folder / "__init__.py"
    if not start.is_file():
        raise InputError(
            f"{folder}: holds no game (no game.py and no __init__.py). `simlab new game NAME` writes a start."
        )
    module = _import_file(start.resolve(), "game", package=True)
    return _game_of(module, str(folder), players)


_TRUSTED: ContextVar[frozenset[Path] | None] = ContextVar("trusted files", default=None)


@contextlib.contextmanager
def only_trusted(files: Iterable[Path]) -> Iterator[None]:
    """Inside this context, files and folders of bots, metrics or games are loaded by path only if listed.

    It protects against names in untrusted results: the loader itself checks, regardless of how a name is parsed.
    """
    token = _TRUSTED.set(frozenset(path.resolve() for path in files))
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def _check_trusted(path: Path) -> None:
    trusted = _TRUSTED.get()
    if trusted is not None and path.resolve() not in trusted:
        raise UntrustedFile(path.resolve())


class UntrustedFile(InputError):
    """Untrusted results name a file that the user did not allow.

    Attributes:
        path: path of the file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: named by the results, and not run unless you allow it.")
        self.path = path


def _import_file(path: Path, kind: str, package: bool = False) -> ModuleType:
    """Imports a user's file under a name made from its path, the same in every process.

    Raises:
        UntrustedFile: inside `only_trusted`, and it is not among those files.
    """
    _check_trusted(path.parent if package else path)
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:10]
    stem = path.parent.name if package else path.stem
    name = f"simlab_{kind}_{mark}_{stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(path.parent)] if package else None
    )
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: is not a Python file.")
    _remember_files(path.parent, alone=not package)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if not package and str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as fault:
        del sys.modules[name]
        if isinstance(fault, InputError | KeyboardInterrupt):
            raise
        if isinstance(fault, SystemExit):
            raise InputError(f"{path}: calls sys.exit({fault.code!r}) while it is imported. Take that out.") from None
        lines = [f for f in traceback.extract_tb(fault.__traceback__) if Path(f.filename).is_relative_to(path.parent)]
        at = f"{lines[-1].filename}, line {lines[-1].lineno}" if lines else str(path)
        if isinstance(fault, SyntaxError) and fault.filename:  # perhaps of a file that this one imports
            raise InputError(f"{fault.filename}, line {fault.lineno}: SyntaxError: {fault.msg}") from fault
        raise InputError(f"{at}: cannot be imported: {type(fault).__name__}: {fault}") from fault
    return module


def load_twin(path: Path) -> Callable[..., Any]:
    """The second implementation of a game in a file: its class Twin (simlab.twin).

    Raises:
        InputError: the file is missing, cannot be imported, or defines no Twin.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. `simlab new twin GAME` writes a start.")
    twin = getattr(_import_file(path.resolve(), "twin"), "Twin", None)
    if not callable(twin):
        raise InputError(f"{path}: defines no class Twin. `simlab new twin GAME` writes a start.")
    made: Callable[..., Any] = twin
    return made


def bot_modules(game: Game) -> list[str]:
    """Modules that may hold bots of the game, imported: those of installed packages, then the game's own.

    The game's own are one module, or all modules of a package of bots.
    """
    names = [game.bots] if game.bots else [f"policies.{game.slug}"]
    package = sys.modules.get(game_package(game))
    own = [game.folder / "bots.py", game.folder / "bots" / "__init__.py"]
    if not game.bots and package is not None and any(path.exists() for path in own):
        names = [f"{package.__name__}.bots"]
    modules = ["policies.common", *announced_modules(BOTS, "bots")]
    for name in names:
        if name.startswith("policies.") and importlib.util.find_spec(name) is None:
            continue
        modules.append(name)
    try:
        for name in modules:
            importlib.import_module(name)
        for name in tuple(modules):
            for part in pkgutil.iter_modules(getattr(sys.modules[name], "__path__", ())):
                importlib.import_module(f"{name}.{part.name}")
                modules.append(f"{name}.{part.name}")
    except InputError:
        raise
    except (Exception, SystemExit) as fault:
        at = f"{fault.filename}, line {fault.lineno}: " if isinstance(fault, SyntaxError) else ""
        raise InputError(
            f"{at}bots of {game.slug}: module {name} cannot be imported: {type(fault).__name__}: {fault}"
        ) from fault
    return modules


def game_package(game: Game) -> str:
    """Name of the package that a game's functions come from; for a class, its module."""
    module = str(game.action_label.__module__)
    if game.is_class:
        return module
    while module in sys.modules and not hasattr(sys.modules[module], "__path__") and "." in module:
        module = module.rpartition(".")[0]
    return module


def _policies_in(module: ModuleType) -> Iterator[Policy]:
    for thing in vars(module).values():
        if isinstance(thing, Policy) and thing.module == module.__name__:
            yield thing


def find_bots(game: Game) -> dict[str, Policy]:
    """All bots that can play the game, by name, except bots that look ahead (simlab.engine.search.searching_bots)."""
    policies: dict[str, Policy] = {}
    for name in bot_modules(game):
        for policy in _policies_in(sys.modules[name]):
            if policy.game in ("", game.slug):
                policies[policy.name] = policy
    return policies


def bots_for(game: Game, seat: str) -> dict[str, Policy]:
    """The bots that can take a seat, by name."""
    return {name: p for name, p in find_bots(game).items() if not p.seats or seat in p.seats}


def example_bot(game: Game, seat: str = "") -> str:
    """A bot for an example: one of the game's own bots that can take the seat, or that can take the most seats;
    `random` if the game has none.
    """
    known = bots_for(game, seat) if seat else find_bots(game)
    own = [bot for name, bot in sorted(known.items()) if name != "random"]
    return max(own, key=lambda bot: len(bot.seats or game.seats)).name if own else "random"


def seats_for(game: Game, text: str) -> list[str]:
    """The seats that a bot can take; its text is read by load_bot.

    Raises:
        InputError: it can take no seat; the message explains why for the first seat.
    """
    able, why = [], None
    for seat in game.seats:
        try:
            load_bot(game, seat, text)
            able.append(seat)
        except InputError as mistake:
            why = why or mistake
    if not able and why:
        raise why
    return able


def load_bot(game: Game, seat: str, text: str) -> Bot:
    """A bot from its text: `rusher`, `rusher:threshold=0.5`, `./my_bot.py:patient_miner:patience=3`, `tuned.toml`.

    Raises:
        InputError: unknown seat, bot or trait; value out of range; file missing or without such a bot.
    """
    game.seat_number(seat)
    return _load_ref(game, seat, BotRef.parse(text), text)


def _load_ref(game: Game, seat: str, ref: BotRef, text: str) -> Bot:
    """Loads a bot from its parsed reference. `text` is the reference as written."""
    if ref.composite:
        return _mixed(game, seat, text, ref)
    head, settings = ref.head, list(ref.settings)
    if is_bot_file(ref.file):
        _check_trusted(Path(head))
        if is_rule_bot(Path(head)):
            return _of_rules(game, seat, text, Path(head), settings)
        base = BotRef.parse(read_bot_file(Path(head), game.slug))
        tuned = replace(base, settings=(*base.settings, *settings), parts=(*base.parts, *ref.parts))
        try:
            return _load_ref(game, seat, replace(tuned, playout=base.playout or ref.playout), text)
        except InputError as mistake:
            raise InputError(f"{head}: {mistake}") from None
    if head == LEARNED and LEARNED not in find_bots(game):
        head = str(shipped_player(game))
    if head.endswith(".npz"):
        from simlab.engine.learning.player import read_file

        bot = learned_bot(read_file(Path(head), game), seat, text)
        bot.traits[0] = _traits(bot.policy, settings, text)[0]
        return replace(bot, path=Path(head).resolve())
    path = None
    if ref.file:
        path = Path(head)
        if not path.is_file():
            raise InputError(f"bot '{text}': there is no file {head}.")
        path = path.resolve()
        known = {p.name: p for p in _policies_in(_import_file(path, "bot"))}
        wanted = settings.pop(0) if settings and "=" not in settings[0] else ""
        if not wanted and len(known) == 1:
            wanted = next(iter(known))
        if wanted not in known:
            hint = nearest(wanted, known) if known else "A bot is a function under @simlab.policy(...)."
            raise InputError(f"bot '{text}': {head} defines no bot '{wanted}'. {hint}")
        policy = known[wanted]
        if policy.game not in ("", game.slug):
            raise InputError(f"bot '{text}' plays {policy.game}, not {game.slug}.")
    elif head in _searches() and head not in find_bots(game):
        return _searching(game, seat, text, ref)
    else:
        bots = find_bots(game)
        if head not in bots:
            able = [*bots_for(game, seat), *_searches()]
            raise InputError(f"{game.slug} has no bot '{head}' for {seat}. {nearest(head, able)}")
        policy = bots[head]
    if policy.seats and seat not in policy.seats:
        raise InputError(
            f"bot '{head}' plays {' or '.join(policy.seats)}, not {seat}. "
            f"For {seat}: {', '.join(bots_for(game, seat))}."
        )
    return Bot(text, seat, policy, _traits(policy, settings, text), path)


def _of_rules(game: Game, seat: str, text: str, path: Path, settings: list[str]) -> Bot:
    """The bot of a file of rules, combined with the bot that decides if no rule does."""
    found = read_rule_bot(path, game)
    policy, own = found.policy, _traits(found.policy, settings, text)
    if found.refuses is None:
        return Bot(text, seat, policy, own, path.resolve())
    from simlab.engine.composite_bots import with_rules

    files, below = [path.resolve()], found
    while is_rule_bot(Path(next_ := BotRef.parse(below.otherwise).head)) and below.otherwise:
        if (file := Path(next_).resolve()) in files:
            raise InputError(f"{path}: otherwise leads back to {file}.")
        files.append(file)
        below = read_rule_bot(file, game)
    try:
        other = load_bot(game, seat, found.otherwise)
    except InputError as mistake:
        raise InputError(f"{path}, otherwise: {mistake}") from None
    both = with_rules(policy, found.refuses, other.policy)
    return replace(made_of(game, seat, text, both, own[: len(policy.traits)], (other,)), path=path.resolve())


def shipped_player(game: Game) -> Path:
    """The learned player of a game that comes with the lab.

    Raises:
        InputError: there is none.
    """
    file = Path(__file__).parents[1] / "policies" / LEARNED / f"{game.slug}.npz"
    if not file.is_file():
        raise InputError(f"simlab has no learned player of {game.slug}. Train one: simlab optimize player {game.slug}")
    return file


def learned_bot(player: Player | Tables, seat: str, text: str) -> Bot:
    """A seat's learned player as a bot, with the teacher that it asks first.

    Raises:
        InputError: its teacher cannot be loaded.
    """
    teachers = tuple(load_bot(player.game, seat, bot) for bot in [player.teachers.get(seat, "")] if bot)
    policy = player.policy(teachers[0].policy if teachers else None)
    if not teachers:
        return Bot(text, seat, policy, player.traits(seat))
    return made_of(player.game, seat, text, policy, player.traits(seat), teachers)


def _searches() -> dict[str, Policy]:
    from simlab.engine.search import searching_bots

    return searching_bots()


def _searching(game: Game, seat: str, text: str, ref: BotRef) -> Bot:
    """A bot that looks ahead, bound to the game and to the bots of its playouts."""
    from simlab.engine.payoff import seeks_score
    from simlab.engine.search import bound, valued_by

    game = game.plain or game  # metrics do not affect a bot: the same code
    kind, own = ref.head, list(ref.settings)
    parts = _playouts(game, text, ref.parts if ref.playout else (Part(BotRef("random")),))
    names = {setting.partition("=")[0] for setting in own}
    if "score" not in names and seeks_score(game):
        own.append("score=1")
    if "caution" not in names and parts[game.seats.index(seat)].policy.name == "random":
        own.append("caution=0")  # an action picked at random does not deserve a preference
    policy = _searches()[kind]
    packed = _traits(policy, own, text)[: len(policy.traits)]
    depth = packed[list(policy.traits).index("depth")]
    if depth and not game.lead and valued_by([bot.policy for bot in parts]) is None:
        raise InputError(
            f"bot '{text}': {game.slug} does not define who leads, so only playouts of learned players can be "
            "truncated: omit depth."
        )
    if packed[list(policy.traits).index("score")] and not game.has_scores:
        raise InputError(f"bot '{text}': {game.slug} has no scores: leave score out.")
    policies, sizes = tuple(bot.policy for bot in parts), tuple(bot.read.size for bot in parts)
    answer, considers = bound(kind, game, policies, sizes)
    return made_of(game, seat, text, replace(policy, name=kind, function=answer), packed, parts, considers)


def made_of(
    game: Game,
    seat: str,
    text: str,
    policy: Policy,
    own: np.ndarray[Any, np.dtype[np.float64]],
    parts: tuple[Bot, ...],
    considers: Callable[..., int] | None = None,
) -> Bot:
    """A composite bot, with its own traits and those of its parts."""
    # A different split of the traits is different code, which reads them at other places.
    names = "+".join(f"{bot.policy.module}.{bot.policy.name}/{bot.read.size}" for bot in parts)
    traits = np.concatenate([own, *(bot.read for bot in parts)])
    path = next((bot.path for bot in parts if bot.path), None)
    return Bot(text, seat, replace(policy, name=f"{policy.name}({names})"), traits, path, parts, considers)


def _mixed(game: Game, seat: str, text: str, ref: BotRef) -> Bot:
    """A composite bot: its parts play by chance, or one after the other."""
    from simlab.engine.composite_bots import bound, mixing_bots

    example = example_bot(game, seat)
    kind, named = ref.head, [(part.bot, part.number) for part in ref.parts]
    numbers = [number for _, number in named]
    if kind == "noisy":
        share = numbers[0]
        if len(named) != 1 or share is None or not 0 <= share <= 1:
            raise InputError(f"bot '{text}': write a bot and its share of random choices, as noisy(random:0.05).")
        named, ends = [named[0], (BotRef("random"), None)], [1 - share, 1.0]
    elif kind == "mix":
        shares = [number for number in numbers if number is not None]
        if len(named) < 2 or len(shares) < len(named) or abs(sum(shares) - 1) > 1e-6 or min(shares) < 0:
            raise InputError(f"bot '{text}': write bots and shares that add up to 1: mix(random:0.8,{example}:0.2).")
        ends = [*np.cumsum(shares)[:-1], 1.0]
    else:
        turns = [number for number in numbers[:-1] if number is not None]
        rising = turns == sorted(set(turns)) and all(turn >= 1 and turn.is_integer() for turn in turns)
        ends = [*turns, math.inf]
        if len(named) < 2 or numbers[-1] is not None or len(turns) < len(named) - 1 or not rising:
            raise InputError(
                f"bot '{text}': write bots, each but the last with the last turn of the game that it plays, as "
                f"opening(random:4,{example})."
            )
    parts = tuple(_load_ref(game, seat, part, str(part)) for part, _ in named)
    function = bound(kind, [bot.policy for bot in parts], [bot.read.size for bot in parts])
    policy = replace(mixing_bots()[kind], function=function)
    return made_of(game, seat, text, policy, np.array(ends, np.float64), parts)


def _playouts(game: Game, text: str, parts: Sequence[Part]) -> tuple[Bot, ...]:
    """The bot of each seat in the playouts: the one assigned to it, or the first in the list that can take the seat."""
    for part in parts:
        if part.seat:
            game.seat_number(part.seat, f"bot '{text}': ")
    named = {part.seat: part.bot for part in parts if part.seat}
    general = [part.bot for part in parts if not part.seat]
    bots: list[Bot] = []
    for seat in game.seats:
        mistakes: list[InputError] = []
        for candidate in [named[seat]] if seat in named else general:
            try:
                bot = _load_ref(game, seat, candidate, str(candidate))
            except InputError as mistake:
                mistakes.append(mistake)
                continue
            if bot.looks_ahead:
                raise InputError(f"bot '{text}': {candidate} looks ahead itself and cannot play in a playout.")
            bots.append(bot)
            break
        else:
            why = f" {mistakes[0]}" if mistakes else ""
            raise InputError(
                f"bot '{text}': its playouts need a bot for {seat}.{why} Name one for each seat, as in "
                f"playout=({'+'.join(f'{s}=random' for s in game.seats[:2])})."
            )
    return tuple(bots)


def bare_bot(game: Game, text: str) -> str:
    """A bot's text without its traits: name, file and playouts; or the bot that a file of traits names."""
    ref = BotRef.parse(text)
    if is_bot_file(ref.file) and not is_rule_bot(Path(ref.head)):
        return bare_bot(game, read_bot_file(Path(ref.head), game.slug))
    settings = tuple(setting for setting in ref.settings if "=" not in setting)
    return str(replace(ref, head=str(Path(ref.head).resolve()) if ref.file else ref.head, settings=settings))


def _traits(policy: Policy, settings: list[str], text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = {name: trait.default for name, trait in policy.traits.items()}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"bot '{text}': '{setting}' is not a setting. Write trait=value, separated by ':'.")
        if name not in values:
            raise InputError(f"bot '{text}': {policy.name} has no trait '{name}'. {nearest(name, values)}")
        trait = policy.traits[name]
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not trait.low <= number <= trait.high:
            raise InputError(f"bot '{text}': {name} = {value} is outside {trait.low:g}..{trait.high:g}.")
        values[name] = number
    packed = np.zeros(MAX_TRAITS)
    packed[: len(values)] = list(values.values())
    return packed
