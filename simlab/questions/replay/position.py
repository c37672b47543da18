"""A position in words (Game.describe), and the differences between two, for replay, the viewer and play by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simlab.game import Description

_MOST_NAMES = 12  # entries of a list printed in full
_LINE = re.compile(r": |   ")  # in an entry that is read as a line: it describes a thing, or has columns
_COUNTED = re.compile(r"(.+) x([0-9]+)")
_LONG = 100  # characters of a list that still fits one line
_PARTED = re.compile(r", | \| |; ")


def changes(before: Description, after: Description) -> Iterator[tuple[str, str]]:
    """Differences between two descriptions: (name, `5 -> 4`, `+Mine -9C`, or a long text as it is now).

    Maps drawn in text are left out, because the changed rows would not be readable; games report moves in asides.
    """
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old == new or (not old and not new):
            continue
        if _drawn(old) and _drawn(new):
            continue
        if isinstance(old, str) and isinstance(new, tuple):  # hidden cards were revealed
            yield name, _whole(new)
        elif isinstance(old, tuple) or isinstance(new, tuple):
            yield name, _list_change(_items(old), _items(new))
        else:
            yield name, _text_change(old, new)


def _drawn(value: object) -> bool:
    """Whether a list is a map or a board drawn in text, with columns."""
    return isinstance(value, tuple) and len(value) > 2 and all("   " in row for row in value)


def _text_change(old: str | None, new: str | None) -> str:
    """The parts that differ between texts with the same parts, such as `Faith 4, Food 8`."""
    if old is None or new is None:
        return new or "-"
    if _subject(old) != _subject(new):  # two cards with their effects: parts in common mean nothing
        return f"{old} -> {new}"
    parts, others = _PARTED.split(old), _PARTED.split(new)
    pairs = [(a, b) for a, b in zip(parts, others, strict=False) if a != b]
    shared = {_stem(part) for part in parts} & {_stem(part) for part in others}
    if len(parts) != len(others) and 2 * len(shared) >= min(len(parts), len(others)):
        return _parts_change(parts, others)
    if len(parts) != len(others) or (len(pairs) == len(parts) and not all(_akin(a, b) for a, b in pairs)):
        return f"{old} -> {new}"
    return ", ".join(_part_change(a, b) for a, b in pairs)


def _subject(text: str) -> str:
    """The name before the text that describes it, `Famine` of `Famine: food -3; unrest +1`; none of another text."""
    return text.partition(": ")[0] if "; " in text and ": " in text else ""


def _stem(part: str) -> str:
    """A part without its last word, such as `Food` for `Food 8`; a single word is unchanged."""
    return part.rpartition(" ")[0] or part


def _parts_change(old: list[str], new: list[str]) -> str:
    """The changes of texts with many parts in common: parts that were added, removed, or changed in their last word."""
    gone = [part for part in old if part not in new]
    come = [part for part in new if part not in old]
    words = []
    for part in list(gone):
        other = next((other for other in come if other.rpartition(" ")[0] == part.rpartition(" ")[0] != ""), None)
        if other is not None:
            words.append(_part_change(part, other))
            gone.remove(part)
            come.remove(other)
    return ", ".join([*words, *(f"+{part}" for part in come), *(f"-{part}" for part in gone)])


def _akin(old: str, new: str) -> bool:
    """Whether two texts share a word, apart from its ending: `1 marker`, `2 markers`."""
    return not {word[:4] for word in old.split() if word.isalpha()}.isdisjoint(word[:4] for word in new.split())


def _part_change(old: str, new: str) -> str:
    """`Food 8 -> 7` if only the last word differs, else both parts in full."""
    words, others = old.rpartition(" "), new.rpartition(" ")
    same = words[0] == others[0] and not any(c.isdigit() for c in words[0])
    return f"{old} -> {others[2] if same else new}"


def _items(value: str | tuple[str, ...] | None) -> list[str]:
    return list(value) if isinstance(value, tuple) else [value] if value else []


def _list_change(old: list[str], new: list[str]) -> str:
    counts, others = _counts(old), _counts(new)
    if counts is not None and others is not None:
        differences = {name: others.get(name, 0) - counts.get(name, 0) for name in {**counts, **others}}
        return ", ".join(f"{n:+d} {name}" for name, n in differences.items() if n) or "in another order"
    left = list(new)
    gone = []
    for thing in old:
        if thing in left:
            left.remove(thing)
        else:
            gone.append(thing)
    if not left and not gone:
        return "in another order: " + _whole(tuple(new))
    if not new and len(gone) > 1:
        return "none any more"
    words = []
    for thing in list(gone):  # `Crest: 1 Cathar` that became `Crest: 1 Crusader` is one change
        name = thing.partition(": ")[0] + ": "
        if [t for t in gone if t.startswith(name)] == [thing] and sum(t.startswith(name) for t in left) == 1:
            other = next(t for t in left if t.startswith(name))
            words.append(name + _text_change(thing.removeprefix(name), other.removeprefix(name)))
            left.remove(other)
            gone.remove(thing)
    words += [f"+{thing}" for thing in left] + [f"-{thing.partition(': ')[0]}" for thing in gone]
    if len(words) > _MOST_NAMES // 2 and new:
        return "-> " + _whole(tuple(new))
    if len(words) > 2 * _MOST_NAMES:
        return f"{len(left)} came, {len(gone)} went"
    return ("; " if any(" " in word for word in words) else " ").join(words)


def _counts(things: list[str]) -> dict[str, int] | None:
    """Name -> count, of a list with a count in every entry, such as `Attack x3`; None for another list."""
    found = [_COUNTED.fullmatch(thing) for thing in things]
    return {match[1]: int(match[2]) for match in found if match} if all(found) else None


def _whole(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    if len(value) > _MOST_NAMES:
        return f"{len(value)}: {', '.join(value[:_MOST_NAMES])}, ..."
    return ", ".join(value) or "none"


def position(seen: Description, whole: bool = True) -> Iterator[str]:
    """A position in lines; each entry of a long list has its own line.

    Args:
        whole: False shortens lists of more than a dozen entries.
    """
    for name, value in seen.items():
        if isinstance(value, tuple) and len(", ".join(value)) > _LONG and any(_LINE.search(thing) for thing in value):
            yield f"{name}:"
            yield from (f"    {thing}" for thing in value)
        else:
            yield f"{name}: {(', '.join(value) or 'none') if whole and isinstance(value, tuple) else _whole(value)}"
