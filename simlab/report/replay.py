"""A game told decision by decision: what was done, what changed, which rules fired.

for line in tell_game(Stepper(match, seed=1, game=3)):
    print(line)
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import side_masks, sides_of, won
from simlab.errors import RunFailed, UserMistake, nearest

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.engine.setting import Setting
    from simlab.engine.stepper import Stepper
    from simlab.game import Description

_MOST_NAMES = 12  # entries of a list printed in full
_LINE = re.compile(r": |   ")  # in an entry that is read as a line: it tells of a thing, or has columns
_CHOICES = 3  # of a bot that looks ahead
_LONG = 100  # characters of a list that still stands in one line
_PARTED = re.compile(r", | \| |; ")


def decide(stepper: Stepper) -> int:
    """What the bot to act chooses.

    Raises:
        RunFailed: it raises, or chooses what is not legal.
    """
    kind, legal = stepper.decision, stepper.legal()
    bot = stepper.match.bots[int(stepper.state.seat)]
    where = f"game {stepper.index} of seed {stepper.seed}, {bot.seat}, {kind.id} {kind.name}"
    try:
        action = stepper.policy_action()
    except Exception as fault:  # a bot may raise anything
        raise RunFailed(f"bot '{bot.text}' raised {type(fault).__name__}: {fault} ({where}).") from fault
    if action not in legal:
        known = ", ".join(map(str, legal))
        raise RunFailed(f"bot '{bot.text}' returned action {action}, which is not legal. Legal: {known} ({where}).")
    return action


def tell_game(
    stepper: Stepper,
    brief: bool = False,
    heading: Sequence[str] | None = None,
    moves: Iterator[tuple[int, str]] | None = None,
) -> Iterator[str]:
    """Plays a game to its end and tells it, line by line.

    Args:
        stepper: the game, at its beginning.
        brief: one line a decision, without what changed and which rules fired.
        heading: first lines; by default the title, seed, index and bots.
        moves: action and comment of each decision, asked for one after the other; by default the bots decide. Where
            they end before the game does, so does the text.
    Raises:
        RunFailed: a bot raises, or chooses what is not legal.
    """
    game, match = stepper.game, stepper.match
    if heading is None:
        heading = [f"{game.title}, seed {stepper.seed}, game {stepper.index}"]
        heading += [f"  {bot.seat}: {bot.text}" for bot in match.bots]
    if moves is None:
        moves = _by_bots(stepper)
    yield from heading
    changed = {k: v for k, v in match.knobs_resolved.items() if v != game.knobs[k].default}
    yield "  knobs: " + (", ".join(f"{k} = {_value(v)}" for k, v in changed.items()) or "all as printed")
    if not brief:
        yield ""
        yield "set-up"
        yield from (f"    {line}" for line in position(stepper.describe(), whole=False))
        yield from _rules(match, stepper.state.fired.copy(), 0)
    turn = -1
    while not stepper.over:
        if int(stepper.state.turn) != turn:
            turn = int(stepper.state.turn)
            if not brief:
                yield ""
                yield f"{game.turn_name} {turn}"
        move = next(moves, None)  # a bot may fail here: what led to it stands above
        if move is None:
            return
        action, comment = move
        seat, label = stepper.seat, stepper.label(action)
        if comment:
            yield f"  # {comment}"
        if brief:
            yield f"{game.turn_name} {turn:>3}  {seat}: {label}"
            yield from _asides(stepper, action)
        else:
            yield from _considered(stepper)
            yield f"  {seat}: {label}"
            turn = yield from _parts(match, stepper, action)
    yield from tell_end(match, stepper.row())


def tell_end(match: Setting, row: Mapping[str, Any]) -> Iterator[str]:
    """The last lines of a game: who won, how and when, and its metrics.

    Args:
        row: as Stepper.row gives it.
    """
    yield ""
    yield from ending(match, row)
    yield "    " + ", ".join(f"{metric.name} {metric.value_text(row[metric.name])}" for metric in match.game.metrics)


def _by_bots(stepper: Stepper) -> Iterator[tuple[int, str]]:
    while not stepper.over:
        yield decide(stepper), ""


def _considered(stepper: Stepper) -> Iterator[str]:
    """The first choices of a bot that looks ahead."""
    tried = [row for row in stepper.considered() if row.visits]
    for row in tried[:_CHOICES] if len(tried) > 1 else ():
        yield f"    considered {stepper.label(row.action)}: value {row.value:.2f} in {row.visits} playouts"


def _asides(stepper: Stepper, action: int) -> Iterator[str]:
    """Carries an action out; what a brief replay tells of it besides: checks, choices with one option."""
    game, match = stepper.game, stepper.match
    knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
    before = stepper.copy()
    for _ in stepper.apply_in_parts(action):
        for text in game.asides(before.state, stepper.state, knobs, cards):
            yield f"{'':{len(game.turn_name) + 8}}{text}"
        before = stepper.copy()


def _parts(match: Setting, stepper: Stepper, action: int) -> Generator[str, None, int]:
    """What an action changed, under a heading for each phase that it led to; returns the last turn with a heading."""
    game, state = match.game, stepper.state
    heading = match.part_name(state)
    turn = int(state.turn)
    since = last = stepper.describe(), state.fired.copy()
    for name in stepper.apply_in_parts(action):
        if name != heading:
            yield from _difference(match, since, last)
            since, heading = last, name
            if int(state.turn) != turn:
                turn = int(state.turn)
                yield ""
                yield f"{game.turn_name} {turn}"
            yield f"  {name}"
        last = stepper.describe(), state.fired.copy()
    yield from _difference(match, since, last)
    return turn


def _difference(match: Setting, before: tuple[Description, Any], after: tuple[Description, Any]) -> Iterator[str]:
    headings = (match.game.turn_name, "phase") if match.game.play_part else ()
    for name, change in changes(before[0], after[0]):
        if name not in headings:
            yield f"    {name}: {change}"
    yield from _rules(match, after[1], before[1])


def changed_match(match: Match, changes: Mapping[str, str]) -> Match:
    """The match with some knobs, bots or tables changed.

    Args:
        changes: name of a knob, seat or table -> value, bot or file.
    Raises:
        UserMistake: no such name, or a value that it does not take.
    """
    from simlab.engine.match import Match

    game = match.game
    knobs: dict[str, object] = dict(match.knobs_set)
    tables, bots = dict(match.table_files), {bot.seat: bot.text for bot in match.bots}
    for name, value in changes.items():
        if name in game.seats:
            bots[name] = value
        elif name in match.table_rows:
            tables[name] = Path(value)
        elif name in game.knobs:
            knobs[name] = value
        else:
            known = [*game.knobs, *game.seats, *match.table_rows]
            raise UserMistake(
                f"{name}={value}: {game.slug} has no knob, seat or table '{name}'. {nearest(name, known)}"
            )
    return Match(game, knobs=knobs, tables=tables, bots=bots)


def side_by_side(one: Stepper, other: Stepper) -> list[tuple[int, bool, str, str]]:
    """Plays two games with the same luck: rows of (turn, whether that turn differs, what the one did, what the other).

    A row has a decision of each; the text is empty where a side made fewer in that turn.
    """
    sides = [_by_turn(stepper) for stepper in (one, other)]
    rows = []
    for turn in sorted(set(sides[0]) | set(sides[1])):
        left, right = (side.get(turn, []) for side in sides)
        pairs = itertools.zip_longest(left, right, fillvalue="")
        rows += [(turn, left != right, *pair) for pair in pairs]
    return rows


def _by_turn(stepper: Stepper) -> dict[int, list[str]]:
    """Turn -> what was done in it, a line a decision."""
    lines: dict[int, list[str]] = {}
    while not stepper.over:
        turn, seat, action = int(stepper.state.turn), stepper.seat, decide(stepper)
        lines.setdefault(turn, []).append(f"{seat}: {stepper.label(action)}")
        stepper.apply(action)
    return lines


def _rules(match: Setting, fired: Any, before: Any) -> Iterator[str]:
    new = fired.astype(int) - before
    names = [f"{rule.id} x{n}" if n > 1 else rule.id for rule, n in zip(match.game.rules, new, strict=True) if n > 0]
    if names:
        yield f"    rules: {', '.join(names)}"


def changes(before: Description, after: Description) -> Iterator[tuple[str, str]]:
    """What differs between two descriptions: (name, `5 -> 4`, `+Mine -9C`, or a long text as it is now)."""
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, str) and isinstance(new, tuple):  # what was hidden lies open
            yield name, _whole(new)
        elif isinstance(old, tuple) or isinstance(new, tuple):
            yield name, _list_change(_items(old), _items(new))
        else:
            yield name, _text_change(old, new)


def _text_change(old: str | None, new: str | None) -> str:
    """Of texts with the same parts, as `Faith 4, Food 8`, the parts that differ."""
    if old is None or new is None:
        return new or "-"
    parts, others = _PARTED.split(old), _PARTED.split(new)
    pairs = [(a, b) for a, b in zip(parts, others, strict=False) if a != b]
    if len(parts) != len(others) or (len(pairs) == len(parts) and not all(_akin(a, b) for a, b in pairs)):
        return f"{old} -> {new}"
    return ", ".join(_part_change(a, b) for a, b in pairs)


def _akin(old: str, new: str) -> bool:
    """Whether two texts share a word, its ending aside: `1 marker`, `2 markers`."""
    return not {word[:4] for word in old.split() if word.isalpha()}.isdisjoint(word[:4] for word in new.split())


def _part_change(old: str, new: str) -> str:
    """`Food 8 -> 7` where the last word alone differs, else both in full."""
    words, others = old.rpartition(" "), new.rpartition(" ")
    same = words[0] == others[0] and not any(c.isdigit() for c in words[0])
    return f"{old} -> {others[2] if same else new}"


def _items(value: str | tuple[str, ...] | None) -> list[str]:
    return list(value) if isinstance(value, tuple) else [value] if value else []


def _list_change(old: list[str], new: list[str]) -> str:
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


def _whole(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    if len(value) > _MOST_NAMES:
        return f"{len(value)}: {', '.join(value[:_MOST_NAMES])}, ..."
    return ", ".join(value) or "none"


def position(seen: Description, whole: bool = True) -> Iterator[str]:
    """A position in lines: a long list of things that are told of, or set out in columns, has a line for each.

    Args:
        whole: False cuts lists that are longer than a dozen.
    """
    for name, value in seen.items():
        if isinstance(value, tuple) and len(", ".join(value)) > _LONG and any(_LINE.search(thing) for thing in value):
            yield f"{name}:"
            yield from (f"    {thing}" for thing in value)
        else:
            yield f"{name}: {(', '.join(value) or 'none') if whole and isinstance(value, tuple) else _whole(value)}"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def winner_name(match: Setting, row: Mapping[str, Any]) -> str:
    """Who won, in words."""
    game = match.game
    for (name, places, wins), mask in zip(sides_of(game), side_masks(game), strict=True):
        if row["winners"] == mask and len(places) > 1:
            return f"{name} {wins}"
    shared = [seat for place, seat in enumerate(game.seats) if won(row, place)]
    return f"{' and '.join(shared)} share the win" if len(shared) > 1 else f"{shared[0] if shared else 'nobody'} wins"


def ending(match: Setting, row: Mapping[str, Any]) -> Iterator[str]:
    """Who won, how and when; points, where the game has them."""
    game = match.game
    length = f"{row['turns']} {game.turn_name}{'' if row['turns'] == 1 else 's'}, {row['decisions']} decisions"
    yield f"The end: {winner_name(match, row)} ({game.endings[row['ending']]}), {length}."
    if game.has_scores:
        yield "    " + ", ".join(f"{seat} {points}" for seat, points in zip(game.seats, row["score"], strict=True))
    for place, category in enumerate(game.seat_categories):
        held = zip(game.seats, row["category"][place], strict=True)
        name = category.name.replace("_", " ")
        yield f"    {name}: " + ", ".join(f"{seat} {category.values[v].replace('_', ' ')}" for seat, v in held)
