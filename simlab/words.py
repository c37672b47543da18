"""Nouns that agree with their number: one game, two games."""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun: `1 game`, `1,200 games`.

    Args:
        things: the plural; by default `thing` with an s.
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
