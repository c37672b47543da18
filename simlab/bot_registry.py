"""Finds and loads bots: listed bots, bots from files, lists of rules, learned players, searches and composite bots."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import math
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.author.rule_bots import forget_rule_bots, read_rule_bot
from simlab.engine import user_modules
from simlab.engine.bot_file import is_bot_file, is_rule_bot, read_bot_file
from simlab.engine.sources import source_files
from simlab.errors import InputError, nearest
from simlab.game import MAX_TRAITS, Game, Policy
from simlab.registry import BOTS, announced_modules, check_trusted, game_package, import_file
from simlab.spec.refs import BotRef, Part

if TYPE_CHECKING:
    from simlab.engine.learning.player import Player, Tables

Floats = np.ndarray[Any, np.dtype[np.float64]]
LEARNED = "learned"  #: name of a game's learned player that comes with simlab, and of the folder of all such players


@dataclass(frozen=True)
class Bot:
    """A policy with its traits set, ready for a seat.

    Attributes:
        text: the bot as the user wrote it, `rusher:threshold=0.5`.
        traits: values of the traits in the policy's order, then zeros; float64, shape (MAX_TRAITS,). For a learned
            player they are its weights; for a composite bot, its own traits and then the traits that each part reads.
        path: file of a user's own bot, or None.
        parts: the bots of which it is made; for a bot that looks ahead, the bot of each seat in its playouts.
        considers: for a bot that looks ahead, search(state, knobs, cards, traits, table) (simlab.engine.search).
    """

    text: str
    seat: str
    policy: Policy
    traits: Floats
    path: Path | None = None
    parts: tuple[Bot, ...] = ()
    considers: Callable[..., int] | None = None

    @property
    def read(self) -> Floats:
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
        """Names of the modules from which the bot's code comes."""
        return tuple(dict.fromkeys([self.policy.module, *(name for bot in self.parts for name in bot.modules)]))


def forget_changes() -> None:
    """Drops the code of users' files that have changed since this process loaded them, and what was made of it."""
    if user_modules.forget_changes():
        source_files.cache_clear()
        forget_rule_bots()


def bot_modules(game: Game) -> list[str]:
    """Imports and returns the modules that may hold bots of the game: those of installed packages, then the game's own.

    The game's own bots are in one module, or in all modules of a package.
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


def tunable(game: Game, seat: str) -> list[str]:
    """The listed bots of a seat that have traits to tune."""
    bots = bots_for(game, seat)
    return [name for name in bots if any(trait.low < trait.high for trait in bots[name].traits.values())]


def has_traits(bot: Bot) -> bool:
    """Whether a bot has traits to tune, under whatever name and values it was named: `fixed:k=0`, `tuned.toml`."""
    alone = not bot.parts and bot.considers is None and bot.traits.size <= MAX_TRAITS
    return alone and any(trait.low < trait.high for trait in bot.policy.traits.values())


def is_trained(text: str) -> bool:
    """Whether a bot, or a part of it, was trained or tuned at some setting: a learned player, or a file of traits."""
    ref = BotRef.parse(text)
    file = ref.head.endswith(".npz") or ref.head == LEARNED
    tuned = is_bot_file(ref.file) and not is_rule_bot(Path(ref.head))
    return file or tuned or any(is_trained(str(part.bot)) for part in ref.parts)


def example_bot(game: Game, seat: str = "") -> str:
    """A bot for an example: one of the game's own bots that can take the seat, or that can take the most seats;
    `random` if the game has none.
    """
    known = bots_for(game, seat) if seat else find_bots(game)
    own = [bot for name, bot in sorted(known.items()) if name != "random"]
    return max(own, key=lambda bot: len(bot.seats or game.seats)).name if own else "random"


def seats_for(game: Game, text: str) -> list[str]:
    """The seats that a bot can take. If there are none, raises the InputError of `load_bot` for the first seat."""
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
        check_trusted(Path(head))
        if is_rule_bot(Path(head)):
            return _of_rules(game, seat, text, Path(head), settings)
        base = BotRef.parse(read_bot_file(Path(head), game.slug))
        given = {setting.partition("=")[0] for setting in settings}
        of_file = (setting for setting in base.settings if setting.partition("=")[0] not in given)
        tuned = replace(base, settings=(*of_file, *settings), parts=(*base.parts, *ref.parts))
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
        known = {p.name: p for p in _policies_in(import_file(path, "bot"))}
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
            raise InputError(f"{path}: its `otherwise` leads back to {file}.")
        files.append(file)
        below = read_rule_bot(file, game)
    try:
        other = load_bot(game, seat, found.otherwise)
    except InputError as mistake:
        raise InputError(f"{path}, otherwise: {mistake}") from None
    both = with_rules(policy, found.refuses, other.policy)
    return replace(made_of(seat, text, both, own[: len(policy.traits)], (other,)), path=path.resolve())


def shipped_player(game: Game) -> Path:
    """The learned player of a game that comes with the lab; InputError if there is none."""
    file = Path(__file__).parents[1] / "policies" / LEARNED / f"{game.slug}.npz"
    if not file.is_file():
        raise InputError(
            f"simlab has no learned player of {game.slug}. Train one: simlab optimize player {game.reference}"
        )
    return file


def learned_bot(player: Player | Tables, seat: str, text: str) -> Bot:
    """A seat's learned player as a bot, with the teacher from which it departs. Raises InputError: no such teacher."""
    teachers = tuple(load_bot(player.game, seat, bot) for bot in [player.teachers.get(seat, "")] if bot)
    policy = player.policy(teachers[0].policy if teachers else None)
    if not teachers:
        return Bot(text, seat, policy, player.traits(seat))
    return made_of(seat, text, policy, player.traits(seat), teachers)


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
    return made_of(seat, text, replace(policy, name=kind, function=answer), packed, parts, considers)


def made_of(
    seat: str,
    text: str,
    policy: Policy,
    own: Floats,
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
    """A composite bot, whose parts play by chance or one after the other."""
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
    return made_of(seat, text, policy, np.array(ends, np.float64), parts)


def _playouts(game: Game, text: str, parts: Sequence[Part]) -> tuple[Bot, ...]:
    """The bot of each seat in the playouts: the assigned bot, or the first one in the list that can take the seat."""
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
    """A bot's text without its traits. For a file of traits, it is the text of the bot that the file names."""
    ref = BotRef.parse(text)
    if is_bot_file(ref.file) and not is_rule_bot(Path(ref.head)):
        return bare_bot(game, read_bot_file(Path(ref.head), game.slug))
    settings = tuple(setting for setting in ref.settings if "=" not in setting)
    return str(replace(ref, head=str(Path(ref.head).resolve()) if ref.file else ref.head, settings=settings))


def _traits(policy: Policy, settings: list[str], text: str) -> Floats:
    values = {name: trait.default for name, trait in policy.traits.items()}
    given = [setting.partition("=")[0] for setting in settings]
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"bot '{text}': '{setting}' is not a setting. Write trait=value, separated by ':'.")
        if name not in values:
            raise InputError(f"bot '{text}': {policy.name} has no trait '{name}'. {nearest(name, values)}")
        if given.count(name) > 1:
            raise InputError(f"bot '{text}': {name} is given twice. Give it once.")
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
