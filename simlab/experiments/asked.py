"""What an experiment asked before it was played: all other figures are merely noticed.

Who reads forty separate figures at 95 % meets a false alarm in nine runs of ten. A figure that was named beforehand is
one question; the others are as many as there are, and count together.
"""

from __future__ import annotations

from collections.abc import Iterable


def belongs(figure: str, asked: Iterable[str]) -> bool:
    """Whether a figure was asked for: by its name, or by one about it, as `turns_p90` is about `turns`."""
    return any(name == figure or name.startswith(f"{figure}_") for name in asked)


def asked_words(contract: Iterable[str], precise: str = "") -> str:
    """What was asked, in words; empty if nothing was.

    Args:
        contract: names of its figures. precise: the win rate that a stop rule makes precise, or "".
    """
    parts = [f"{name} (contract)" for name in contract]
    return ", ".join([*parts, *([f"{precise} (stop rule)"] if precise else [])])
