"""A bot as a file: an existing bot and the values of its traits, as `simlab optimize bot` writes it.

    game = "montsegur"          # may be left out
    bot = "value"               # a bot of the game, or ./my_bot.py:mine next to this file

    [traits]
    trigger = 2.5

Every `--bot` option accepts such a file: `--bot crusader=tuned.toml`, also followed by traits: `tuned.toml:trigger=3`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.errors import InputError, nearest
from simlab.game import read_toml
from simlab.spec.refs import BotRef

_KEYS = ("game", "bot", "traits")


def is_bot_file(text: str) -> bool:
    """Whether the first part of a bot's text names such a file."""
    return text.strip().endswith(".toml")


def is_rule_bot(path: Path) -> bool:
    """Whether a bot's file holds rules (simlab.author.rule_bots), not values of traits."""
    return is_bot_file(path.name) and path.is_file() and "rule" in read_toml(path)


def write_game(plays: object, game: str) -> str:
    """What to write in place of a file's `game = ...` so that its bot plays the game with this slug."""
    by_path = isinstance(plays, str) and ("/" in plays or plays.endswith(".py"))
    how = "A file names a game by its name, not by its path: write" if by_path else f"If it is one of {game}, write"
    return f'{how} game = "{game}", or leave the line out.'


def read_bot_file(path: Path, game: str) -> str:
    """The bot text of a file, such as `value:trigger=2.5`, for the game with this slug.

    Raises:
        InputError: no such file, not TOML, an unknown or missing key, or a bot of another game.
    """
    if not path.is_file():
        raise InputError(f"there is no bot file {path}.")
    held = read_toml(path)
    for key in held:
        if key not in _KEYS:
            raise InputError(f"{path}: {key} is not known here. {nearest(key, _KEYS)} A bot's file names a bot.")
    bot, traits, plays = held.get("bot"), held.get("traits", {}), held.get("game", game)
    ref = BotRef.parse(bot) if isinstance(bot, str) and bot.strip() else None
    traits_only = [f for f in (ref.files if ref else ()) if is_bot_file(f) and not is_rule_bot(path.parent / f)]
    if ref is None or traits_only:
        raise InputError(f'{path}: bot names a bot of the game, as bot = "random"; it is the file\'s one needed line.')
    if plays != game:
        raise InputError(f"{path}: is for a bot of {plays}, not of {game}. {write_game(plays, game)}")
    if not isinstance(traits, dict) or any(
        isinstance(value, bool) or not isinstance(value, int | float) for value in traits.values()
    ):
        raise InputError(f"{path}: [traits] holds numbers, as threshold = 0.5.")
    placed = ref.with_files(lambda file: str((path.parent / file).resolve()))
    return ":".join([str(placed), *(f"{name}={value!r}" for name, value in traits.items())])


def write_bot_file(path: Path, game: str, bot: str, traits: Mapping[str, float], comment: str) -> None:
    """Writes a bot's file: its text without the traits, below a comment. InputError: another kind of file is there."""
    import tomli_w

    if path.exists():
        try:
            read_bot_file(path, game)
        except InputError as mistake:
            raise InputError(f"{path} exists already, and is not a file of a bot of {game} ({mistake})") from None
    lines = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    held = {"game": game, "bot": bot, "traits": dict(traits)}
    path.write_text(f"{lines}{tomli_w.dumps(held)}", encoding="utf-8")
