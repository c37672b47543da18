"""Errors, each with the exit status that a shell sees."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Self


class SimlabError(Exception):
    """An error with a readable message, which the command line prints without a traceback."""

    exit_code = 4


class InputError(SimlabError):
    """The input is wrong. The message reports what is wrong, where, and how to fix it."""

    exit_code = 2


class MetricFault(InputError):
    """A designer's own metric raised an error, or returned a value that a row cannot hold; its code has to be fixed."""


class RunFailed(SimlabError):
    """A run could not be completed; finished work is kept."""

    exit_code = 4


@dataclass(eq=False, repr=False)
class BotFault(RunFailed):
    """A bot or a game failed in one game: it raised, or an action was missing or not legal.

    Attributes:
        game: slug of the game.
        index: index of the game in the experiment.
        seed: the experiment's seed.
        seat: name of the seat that was to act.
        bot: the bot as the user wrote it.
        action: the action returned, or None if the bot raised.
    """

    message: str
    _: KW_ONLY
    game: str = ""
    index: int = -1
    seed: int = 0
    seat: str = ""
    bot: str = ""
    action: int | None = None

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def reworded(self, message: str) -> Self:
        """The same fault with another message."""
        return replace(self, message=message)


class GameTruncated(BotFault):
    """A game reached its limit of decisions or turns. It has no winner, and does not invalidate other games."""


class RangeFault(BotFault):
    """A finished game has a value outside its declared range: no statistic of such games is valid."""


class StateMutationError(BotFault):
    """A bot changed read-only data: no statistic of its games is valid."""


def other_form(where: object, what: str, form: object, known: int, update: str) -> str:
    """Error for a file of a form that this version of simlab does not read.

    Args:
        what: the contents of the file, such as "results". form: the form in the file. known: the form that can be read.
        update: how to update an older file, as a sentence.
    """
    text = f"{where}: has form {str(form)[:20]} of {what}, and this simlab reads form {known}."
    if isinstance(form, bool) or not isinstance(form, int):
        return f"{text} This is not a form of simlab's: the file is damaged or not simlab's. {update}"
    if form > known:
        return f"{text} A newer simlab wrote it: read it with that version."
    return f"{text} An older simlab wrote it. {update}"


def warn_once(text: str) -> None:
    """Prints a warning on standard error once; processes started from this one do not print it again."""
    mark = f"SIMLAB_WARNED_{hashlib.sha256(text.encode()).hexdigest()[:12].upper()}"
    if mark not in os.environ:
        os.environ[mark] = "1"
        print(f"simlab: warning: {text}", file=sys.stderr, flush=True)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name, as a sentence: the nearest known name, or else the list of all names."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"Did you mean '{close[0]}'?"
    if not names:
        return "There are none."
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"Known: {shown}."


def check_keys(keys: Iterable[str], known: Collection[str], where: str) -> None:
    """Refuses a key that is not known.

    Raises:
        InputError: the message names the place, the key and the nearest known key.
    """
    for key in keys:
        if key not in known:
            raise InputError(f"{where}: unknown key '{key}'. {nearest(key, known)}")


def unknown_word(text: str, known: Iterable[str]) -> str:
    """A sentence about the first unknown word of a text, with the nearest known word; "" if all words are known."""
    words = sorted(known)
    for word in re.findall(r"[^\W\d]\w*", text):
        if word not in words:
            return f"Unknown word '{word[:40]}'. {nearest(word, words)}"
    return ""


def first_few(sentences: Sequence[str], most: int = 3) -> str:
    """The first few sentences of a long list, and how many more there are."""
    more = f" And {len(sentences) - most} more." if len(sentences) > most else ""
    return " ".join(sentences[:most]) + more


def typed(text: str) -> str:
    """The text with typographic signs replaced by ASCII, which any terminal can show."""
    text = text.replace("–", "-").replace("−", "-").replace("±", "+-").replace("…", "...").replace("→", "->")
    return text.replace("≤", "<=").replace("≥", ">=")
