"""Texts for counts and lists, capital letters, and numbers as people write them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun: `1 game`, `1,200 games`.

    Args:
        things: the plural; by default `thing` with an s.
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def listed(names: Sequence[str], most: int = 0, word: str = "and") -> str:
    """Names in a sentence: `ann, bob and cy`; "" for none. most: number of names after which it says `and others`."""
    if most and len(names) > most:
        names = [*names[:most], "others"]
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def first_of(names: Sequence[str], most: int) -> str:
    """The first names and how many more there are: `ann, bob and 2 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def line_up(bots: Mapping[str, str]) -> str:
    """The bots of a match-up: `rusher v warden`. In games of three or more seats a bot in most of them is named once:
    `gatekeeper in all seats`, `learned as CG and BR, gatekeeper elsewhere`.

    Args:
        bots: seat -> bot.
    """
    often, seats = Counter(bots.values()).most_common(1)[0]
    if len(bots) < 3 or 2 * seats <= len(bots):
        return " v ".join(bots.values())
    rare = [bot for bot in dict.fromkeys(bots.values()) if bot != often]
    others = [f"{bot} as {listed([seat for seat, its in bots.items() if its == bot])}" for bot in rare]
    return ", ".join([*others, f"{often} {'elsewhere' if rare else 'in all seats'}"])


def two_digits(number: float, up: bool = False) -> int:
    """An estimated number, at least 1, rounded to two significant digits: more would claim too much."""
    step: int = 10 ** max(math.floor(math.log10(max(number, 1))) - 1, 0)
    return max((math.ceil if up else round)(number / step) * step, 1)


def whole_number(text: str) -> int | None:
    """A whole number of at least 0: `200000`, `200_000`, `200,000`, `200k`, `1e6`, `2.5M`; None for any other text."""
    digits = text.strip().lower().replace("_", "")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", digits):
        digits = digits.replace(",", "")
    match = re.fullmatch(r"(\d{1,24}(?:\.\d{1,24})?)(?:e(\d{1,2}))?([km]?)", digits, re.ASCII)
    if match is None or ("." in match[1] and not (match[2] or match[3])):
        return None  # 2.000 is two thousand in half the world
    number = Decimal(match[1]) * 10 ** (int(match[2] or 0) + {"": 0, "k": 3, "m": 6}[match[3]])
    return int(number) if number == int(number) else None


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def printable(text: str) -> str:
    """The text without control characters: names in an untrusted folder must not control the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
