"""A replay decision by decision: the action, the changes, the rules that fired.

for line in game_lines(Film(match, seed=1, index=3)):
    print(line)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from simlab.engine.match import Match
from simlab.engine.outcome import side_masks, sides_of, won
from simlab.engine.setup import Setup
from simlab.errors import InputError, nearest
from simlab.game import Game
from simlab.present.answer import Part
from simlab.questions.choices.regret import Why, sentences
from simlab.questions.replay.film import Film, Frame
from simlab.questions.replay.position import position
from simlab.spec.design import show_value
from simlab.words import counted

DRAWN = "map"  #: the games' name for a map that is drawn in text
BOARD = (DRAWN, "troops")  #: printed at the start of a turn where the map is drawn
PENDING = "pending"  #: their name for the pending question
WHY_NOTE = (
    "Worth of each option to the seat that decides, by playing on. Brackets hold for all options of a decision (95 %), "
    "so of 20 decisions one may be called worse than it is."
)
_CHOICES = 3  # of a bot that looks ahead


def game_lines(
    film: Film,
    brief: bool = False,
    heading: Sequence[str] | None = None,
    seat: int | None = None,
    why: Why | None = None,
) -> Iterator[str]:
    """A game to its end, line by line; errors as Film.

    Args:
        brief: one line per decision, without the changes and the rules that fired.
        heading: first lines; by default the title, seed, index and bots.
        seat: whose view is shown; None sees all. why: adds what each option of a decision was worth.
    """
    match = film.match
    game = match.game
    if heading is None:
        heading = [f"{game.title}, seed {film.seed}, game {film.index}"]
        heading += [f"  {bot.seat}: {bot.text}" for bot in match.bots]
    yield from heading
    yield f"  knobs: {knobs_words(match)}"
    if is_drawn(game) and game.hex_map and game.hex_map.legend:
        yield f"  map: {game.hex_map.legend}"
    if why is not None:
        yield f"  {WHY_NOTE}"
    narrator = _Narrator(game.turn_name, seat, why)
    for frame in film:  # a bot may fail here: the moves before it are already printed
        yield from narrator.in_brief(frame) if brief else narrator.in_full(frame)
    if film.end.over:
        row = film.end.row()
        yield ""
        yield from ending(match, row)
        yield "    " + ", ".join(f"{metric.name} {metric.value_text(row[metric.name])}" for metric in game.metrics)


class _Narrator:
    """Frames as lines, with a heading for each turn."""

    def __init__(self, turn_name: str, seat: int | None, why: Why | None = None) -> None:
        self.turn_name, self.seat, self.turn, self.why, self.rules = turn_name, seat, -1, why, ""

    def in_brief(self, frame: Frame) -> Iterator[str]:
        move = frame.move
        if move:
            if move.comment:
                yield f"  # {move.comment}"
            yield f"{self.turn_name} {move.turn:>3}  {frame.label_for(self.seat)}"
            yield from (f"{'':{len(self.turn_name) + 8}}{line}" for line in self._worth(frame)[1:])
        for text in () if frame.hidden_from(self.seat) else frame.asides:
            yield f"{'':{len(self.turn_name) + 8}}{text}"

    def in_full(self, frame: Frame) -> Iterator[str]:
        move = frame.move
        if frame.before is None:
            yield ""
            yield "set-up"
            yield from (f"    {line}" for line in position(frame.position(self.seat), whole=False))
        elif move:
            if move.comment:
                yield f"  # {move.comment}"
            if self.seat in (None, move.place):  # what a bot that looks ahead considered first
                tried = [row for row in frame.before.considered() if row.visits]
                for row in tried[:_CHOICES] if len(tried) > 1 else ():
                    label = frame.before.at.label(row.action)
                    yield f"    considered {label}: value {row.value:.2f} in {row.visits} playouts"
            about = frame.before.position(self.seat).get(PENDING)
            yield f"  {frame.label_for(self.seat)}{f'   ({about})' if about else ''}"
            if self.seat in (None, move.place) and (reason := frame.before.at.reason()):
                yield f"    rule: {reason}"  # that decided, if the bot is a list of rules
            yield from (f"    {line}" for line in self._worth(frame))
        else:
            yield from self._heading(frame)
            yield f"  {frame.label}"
        for text in () if frame.hidden_from(self.seat) else (*frame.asides, *frame.rolls):
            yield f"    {text}"
        yield from _difference(frame, self.seat)
        if frame.before and DRAWN not in frame.before.position(self.seat):
            yield from self._board(frame)
        if frame.open:
            yield from self._heading(frame)

    def _worth(self, frame: Frame) -> list[str]:
        """The worth of the options of a decision, and the loss by the option taken."""
        move, before = frame.move, frame.before
        if self.why is None or move is None or before is None or self.seat not in (None, move.place):
            return []
        found = self.why(before.at, move.action)
        return sentences(found) if found else []

    def _heading(self, frame: Frame) -> Iterator[str]:
        if frame.turn != self.turn:
            self.turn = frame.turn
            yield ""
            yield f"{self.turn_name} {self.turn}"
            yield from self._board(frame)
        if frame.heading not in ("", self.rules):
            self.rules = frame.heading
            yield f"  {self.rules}:"

    def _board(self, frame: Frame) -> Iterator[str]:
        seen = frame.position(self.seat)
        if is_drawn(frame.game) and DRAWN in seen:
            yield from (f"    {line}" for line in position({name: seen[name] for name in BOARD if name in seen}))


def is_drawn(game: Game) -> bool:
    """Whether the map of a position is a drawing of hexes, whose changes cannot be read as text."""
    return game.hex_map is not None and game.hex_map.contents is not None


def _difference(frame: Frame, seat: int | None) -> Iterator[str]:
    headings = {PENDING, *((frame.game.turn_name, "phase") if frame.game.play_part else ())}
    if is_drawn(frame.game):  # printed at the start of a turn
        headings |= {*BOARD}
    for name, change in frame.changes(seat):
        if name not in headings:
            yield f"    {name}: {'none any more' if change == '-' else change}"
    names = [f"{rule.id} x{n}" if n > 1 else rule.id for rule, n in frame.fired]
    if names and not frame.hidden_from(seat):
        yield f"    rules: {', '.join(names)}"


def knobs_words(match: Setup) -> str:
    """The knobs that differ from the printed values."""
    changed = {k: v for k, v in match.knobs_resolved.items() if v != match.game.knobs[k].default}
    return ", ".join(f"{k} = {show_value(v)}" for k, v in changed.items()) or "all as printed"


def changed_match(match: Match, changes: Mapping[str, str]) -> Match:
    """The match with some knobs, bots or tables changed.

    Args:
        changes: name of a knob, seat or table -> value, bot or file.
    Raises:
        InputError: there is no such name, or its value is not allowed.
    """
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
            raise InputError(f"{name}={value}: {game.slug} has no knob, seat or table '{name}'. {nearest(name, known)}")
    return Match(game, knobs=knobs, tables=tables, bots=bots)


class Row(Part):
    """A decision of each of two games; empty if a game made fewer in that turn. differs: whether the turns differ."""

    turn: int
    differs: bool
    base: str
    beside: str


def side_by_side(one: Film, other: Film) -> tuple[Row, ...]:
    base, beside = (_by_turn(film) for film in (one, other))
    rows = []
    for turn in sorted({*base, *beside}):
        left, right = base.get(turn, []), beside.get(turn, [])
        pairs = itertools.zip_longest(left, right, fillvalue="")
        rows += [Row(turn=turn, differs=left != right, base=a, beside=b) for a, b in pairs]
    return tuple(rows)


def _by_turn(film: Film) -> dict[int, list[str]]:
    """Turn -> its actions, one line per decision."""
    lines: dict[int, list[str]] = {}
    for frame in film:
        if frame.move:
            lines.setdefault(frame.move.turn, []).append(frame.label)
    return lines


def winner_name(match: Setup, row: Mapping[str, Any]) -> str:
    game = match.game
    for (name, places, wins), mask in zip(sides_of(game), side_masks(game), strict=True):
        if row["winners"] == mask and len(places) > 1:
            return f"{name} {wins}"
    shared = [seat for place, seat in enumerate(game.seats) if won(row, place)]
    return f"{' and '.join(shared)} share the win" if len(shared) > 1 else f"{shared[0] if shared else 'nobody'} wins"


def ending(match: Setup, row: Mapping[str, Any]) -> Iterator[str]:
    """Who won, how and when, with the points if the game has them."""
    game = match.game
    length = f"{counted(row['turns'], game.turn_name)}, {counted(row['decisions'], 'decision')}"
    yield f"The end: {winner_name(match, row)} ({game.endings[row['ending']]}), {length}."
    if game.has_scores:
        yield "    " + ", ".join(f"{seat} {points}" for seat, points in zip(game.seats, row["score"], strict=True))
    for place, category in enumerate(game.seat_categories):
        held = zip(game.seats, row["category"][place], strict=True)
        name = category.name.replace("_", " ")
        yield f"    {name}: " + ", ".join(f"{seat} {category.values[v].replace('_', ' ')}" for seat, v in held)
