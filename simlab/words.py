"""Words of counted and listed things, and the first word of a sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun: `1 game`, `1,200 games`.

    Args:
        things: the plural; by default `thing` with an s.
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: `ann, bob and cy`; "" for none."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def first_of(names: Sequence[str], most: int) -> str:
    """The first names, and the number of the others: `ann, bob and 2 more`."""
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


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"
