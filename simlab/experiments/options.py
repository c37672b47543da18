"""What a shell says of an experiment: NAME=VALUE and SEAT=BOT."""

from __future__ import annotations

from collections.abc import Sequence

from simlab.errors import InputError, nearest
from simlab.experiments.design import SAMPLED

_USUAL_POINTS = {"lhs": 200, "sobol": 256, "saltelli": 64, "morris": 20}  # of a design, for a message


def read_assignments(items: Sequence[str], flag: str, example: str) -> dict[str, str]:
    """`NAME=VALUE` texts of a shell as a dict.

    Args:
        flag: the option they came by, as `--set`. example: one that is right, for the message.
    Raises:
        InputError: no '=', no name, or a name that comes twice.
    """
    assigned: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InputError(f"{flag} {item}: write {example}.")
        if name in assigned:
            raise InputError(f"{flag} {item}: {name} was given already, as {name}={assigned[name]}. Give it once.")
        assigned[name] = value.strip()
    return assigned


def read_design(text: str) -> dict[str, object]:
    """`--design morris:20` as what [vary] says of it: method and points.

    Raises:
        InputError: an unknown method, or no number.
    """
    method, colon, points = text.strip().partition(":")
    if method not in SAMPLED:
        raise InputError(f"--design {text}: there is no design '{method}'. {nearest(method, SAMPLED)}")
    if not colon or not points.strip():
        raise InputError(f"--design {text}: says no number. Write {method}:{_USUAL_POINTS[method]}.")
    return {"method": method, "points": points.strip()}


def read_bot_options(items: Sequence[str]) -> dict[str, list[str]]:
    """`--bot` options as seat -> bots: `besieger=rusher:threshold=0.5`.

    Several bots of a seat are separated by commas outside of brackets, or come by naming the seat again.

    Raises:
        InputError: no '=', no bot, or brackets that do not match.
    """
    from simlab.refs import split_outside

    bots: dict[str, list[str]] = {}
    for item in items:
        seat, equals, texts = item.partition("=")
        named = [text.strip() for text in split_outside(texts, ",")]
        if not equals or not seat.strip() or not all(named):
            raise InputError(f"--bot {item}: write SEAT=BOT, as --bot besieger=random or besieger=random,waiter.")
        bots.setdefault(seat.strip(), []).extend(named)
    return bots
