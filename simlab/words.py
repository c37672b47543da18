"""Words: counted things, one game and two games, and the first word of a sentence."""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun: `1 game`, `1,200 games`.

    Args:
        things: the plural; by default `thing` with an s.
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"
