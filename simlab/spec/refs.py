"""References to games, metrics and bots. They are parsed once, so that file checks and loaders read the same objects.

simple_siege   ./my_game   harvest:players=5   simple_siege:metric=./mine.py:longest_lull
longest_lull   ./mine.py   ./mine.py:longest_lull
rusher   rusher:threshold=0.5   ./mine.py:patient:patience=3   tuned.toml:trigger=3
mix(a:0.8,b:0.2)   noisy(a:0.05)   opening(a:4,b)   lookahead:iterations=60:playout=stormer+besieged=warden
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from simlab.errors import InputError

_COMPOSITE = re.compile(r"(mix|noisy|opening)\s*\((.*)\)", re.S)
_PLAYOUT = "playout="
_MEASURED = ":metric="


@dataclass(frozen=True)
class MetricRef:
    """A reference to a metric in a file, to all metrics of a file or, without a file, to an installed metric."""

    file: str
    name: str

    @classmethod
    def parse(cls, text: str) -> MetricRef:
        """Parses any text; if the metric does not exist, the loader reports it."""
        text = text.strip()
        file, _, name = text.rpartition(":")
        if text.endswith(".py"):
            return cls(text, "")
        return cls(file, name) if file.endswith(".py") else cls("", text)

    def __str__(self) -> str:
        return ":".join(part for part in (self.file, self.name) if part)


@dataclass(frozen=True)
class GameRef:
    """A reference to a game: slug or folder's path (with a "/"), players (None: default), and the user's metrics."""

    name: str
    players: int | None = None
    metrics: tuple[MetricRef, ...] = ()

    @classmethod
    def parse(cls, text: str, players: int | None = None) -> GameRef:
        """Parses a game's text, with an option's player count. InputError: the text names another count."""
        named, *metrics = text.split(_MEASURED)
        sized = re.fullmatch(r"(.+):players=([0-9]{1,3})", named, re.S)
        own = int(sized[2]) if sized else None
        if None not in (own, players) and own != players:
            raise InputError(f"{text} has {own} players, but players = {players}: name one player count.")
        name = sized[1] if sized else named
        return cls(name, players if own is None else own, tuple(map(MetricRef.parse, metrics)))

    def __str__(self) -> str:
        players = "" if self.players is None else f":players={self.players}"
        return "".join([self.name, players, *(f"{_MEASURED}{metric}" for metric in self.metrics)])

    @property
    def is_path(self) -> bool:
        """Whether the name is the path of a folder."""
        return "/" in self.name or os.sep in self.name or self.name in (".", "..")

    def with_players(self, players: int | None) -> GameRef:
        """A copy with another player count; unchanged for None."""
        return self if players is None else replace(self, players=players)

    def measured(self, metrics: Iterable[str]) -> GameRef:
        """A copy with additional metrics."""
        return replace(self, metrics=(*self.metrics, *map(MetricRef.parse, metrics)))


@dataclass(frozen=True)
class BotRef:
    """A bot's text, parsed."""

    head: str  #: a bot's name, a file, or `mix`, `noisy`, `opening`
    settings: tuple[str, ...] = ()  #: `trait=value`, or the name of a bot in a .py file; without playouts
    parts: tuple[Part, ...] = ()  #: bots inside, with the number written after each; or playouts, with seats
    composite: bool = False  #: whether it is written with parentheses, like mix(..)
    playout: bool = False  #: whether playouts are written

    @classmethod
    def parse(cls, text: str) -> BotRef:
        """Parses a bot's text. InputError: parentheses do not match, or a name is missing, or playouts occur twice."""
        made = _COMPOSITE.fullmatch(text.strip())
        if made:
            parts = tuple(Part(cls.parse(bare(bot)), number=number) for bot, number in _numbered(made[2]))
            return cls(made[1], (), parts, composite=True)
        head, *settings = split_outside(text, ":")
        if not head:
            raise InputError(f"bot '{text}': write a name, as in 'random' or 'rusher:threshold=0.5'.")
        playouts = [setting.removeprefix(_PLAYOUT) for setting in settings if setting.startswith(_PLAYOUT)]
        if len(playouts) > 1:
            raise InputError(f"bot '{text}': playout is written twice. Join bots by '+', as in playout=value+crest.")
        own = tuple(setting for setting in settings if not setting.startswith(_PLAYOUT))
        parts = tuple(cls._playout(part) for written in playouts for part in split_outside(bare(written), "+"))
        return cls(head, own, parts, playout=bool(playouts))

    @classmethod
    def _playout(cls, text: str) -> Part:
        seat, equals, rest = text.partition("=")
        if equals and re.fullmatch(r"\w+", seat):
            return Part(cls.parse(bare(rest)), seat=seat)
        return Part(cls.parse(bare(text)))

    def __str__(self) -> str:
        if self.composite:
            return f"{self.head}({','.join(map(str, self.parts))})"
        playout = [f"{_PLAYOUT}({'+'.join(map(str, self.parts))})"] if self.playout else []
        return ":".join([self.head, *self.settings, *playout])

    @property
    def file(self) -> str:
        """The file that the text begins with (code, traits or a learned player); empty for a bot known by name."""
        return self.head if not self.composite and self.head.endswith((".py", ".toml", ".npz")) else ""

    @cached_property
    def files(self) -> tuple[str, ...]:
        """All files that the reference names, including those of its parts."""
        own = (self.file,) if self.file else ()
        return (*own, *(file for part in self.parts for file in part.bot.files))

    def with_files(self, place: Callable[[str], str]) -> BotRef:
        """A copy with each file name replaced by place(name)."""
        parts = tuple(replace(part, bot=part.bot.with_files(place)) for part in self.parts)
        return replace(self, head=place(self.head) if self.file else self.head, parts=parts)


@dataclass(frozen=True)
class Part:
    """A bot inside another bot, with the number written after it or the seat to which it is assigned."""

    bot: BotRef
    number: float | None = None
    seat: str = ""

    def __str__(self) -> str:
        inner = f"({self.bot})" if self.bot.playout else str(self.bot)
        number = "" if self.number is None else f":{self.number:.12g}"
        return f"{self.seat}={inner}" if self.seat else f"{inner}{number}"


def _numbered(text: str) -> Iterator[tuple[str, float | None]]:
    """Splits a list at its commas into bots and the number after each, `rusher:threshold=0.5:0.8`, or None."""
    for part in split_outside(text, ","):
        *front, last = split_outside(part, ":")
        try:
            number = float(last)
        except ValueError:
            number = math.nan
        yield (":".join(front), number) if front and math.isfinite(number) else (part, None)


def bare(text: str) -> str:
    """The text without the parentheses around it."""
    text = text.strip()
    deep = 0
    for place, letter in enumerate(text):
        deep += (letter == "(") - (letter == ")")
        if deep == 0:  # the parenthesis that opens the text closes here
            return text[1:-1].strip() if letter == ")" and place == len(text) - 1 else text
    return text


def split_outside(text: str, mark: str) -> list[str]:
    r"""Splits a text at marks outside parentheses, but not at the colon of a drive, as in C:\bots.

    Raises:
        InputError: the parentheses do not match.
    """
    parts, deep, text = [""], 0, text.strip()
    for place, letter in enumerate(text):
        deep += (letter == "(") - (letter == ")")
        if letter == mark and deep == 0 and not (mark == ":" and _is_drive(text, place)):
            parts.append("")
        else:
            parts[-1] += letter
        if deep < 0:
            break
    if deep:
        raise InputError(f"bot '{text}': the parentheses do not match.")
    return [part.strip() for part in parts]


def _is_drive(text: str, colon: int) -> bool:
    return re.search(r"(?:^|\W)[A-Za-z]$", text[:colon]) is not None and text[colon + 1 :].startswith(("\\", "/"))
