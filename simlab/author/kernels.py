"""The compiled functions of a game's class: those that its author wrote, and those of the lab's contract."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from simlab.author import plain
from simlab.author.base import NOBODY, Blueprint, per_class
from simlab.author.base import Game as GameClass
from simlab.author.chance import shuffle_deck
from simlab.author.fields import ALL, NONE, Field
from simlab.author.inventory import ITEM, Uses, counts_kernel
from simlab.author.maps import Pieces
from simlab.author.shelf import Deck, Hand
from simlab.author.translate import Program
from simlab.compiler import kernel, small_kernel
from simlab.compiler.bits import address_of
from simlab.engine import streams
from simlab.errors import InputError

_int = np.int64
LABEL = 32  #: bytes of a card's name
_BASE = """
@kernel
def _ask(state, decision, seat):
    state.decision = decision
    state.seat = seat

@kernel
def _ask_same(state, decision):
    state.decision = decision

@kernel
def _end(state, ending):
    state.over = True
    state.ending = ending
{at_end}

@kernel
def _end_with(state, ending, winner):
    state.won = NOBODY
    if winner == ALL:
        state.won = (_int(1) << _int(state.stream_seats)) - 1
    elif winner >= 0:
        state.won = _int(1) << winner
    _end(state, ending)

@kernel
def _can(state, option):
    for place in range(state.n_legal):
        if state.legal[place] == option:
            return True
    return False

@kernel
def _fill(array, value):
    for place in range(array.size):
        array[place] = value

@kernel
def _count(array, value):
    total = 0
    for place in range(array.size):
        if array[place] == value:
            total += 1
    return total

@kernel
def _len(array):
    return _int(array.size)

@kernel
def _sum(array):
    total = _int(0)
    for place in range(array.size):
        total += array[place]
    return total

@kernel
def _max(array):
    best = _int(array[0])
    for place in range(1, array.size):
        best = max(best, _int(array[place]))
    return best

@kernel
def _min(array):
    best = _int(array[0])
    for place in range(1, array.size):
        best = min(best, _int(array[place]))
    return best
"""


@per_class
def program_of(owner: type[GameClass]) -> Program:
    """The translated functions of a class."""
    return Program(owner.blueprint())


@per_class
def kernels_of(owner: type[GameClass]) -> dict[str, Any]:
    """The namespace in which the game's functions live, compiled on first use."""
    plan, program = owner.blueprint(), program_of(owner)
    module = owner.__module__
    known = vars(inspect.getmodule(owner))
    names: dict[str, Any] = {
        name: value
        for name, value in known.items()
        if isinstance(value, int | float | tuple | np.ndarray) and not name.startswith("__")
    }
    names |= {
        "__name__": module, "np": np, "kernel": kernel, "address_of": address_of, "_int": _int, "NONE": NONE,
        "ALL": ALL, "NOBODY": NOBODY, "below": streams.below, "_shuffle": shuffle_deck, "offer": streams.offer,
        "count_rule": streams.count_rule, "redraw_below": streams.redraw_below, "redraw_order": streams.redraw_order,
        "bot_below": streams.bot_below,
    }  # fmt: skip
    names |= {f"_rule_{number}": _int(number) for number in range(len(program.rules))}
    names |= {f"_stream_{name}": _int(number + 1) for number, name in enumerate(plan.streams)}
    names |= program.constants
    at_end = "\n".join(f"    count_rule(state, _rule_{program.rule_number(rule)})" for rule in program.at_end)
    plain.run_source(_BASE.format(at_end=at_end), names)
    _define(program, names)
    for name in program.plain:
        plain.add_method(program, names, name)
    plain.run_source(_entry_points(plan, program), names)
    return names


def _define(program: Program, names: dict[str, Any]) -> None:
    """Makes kernels of the translated functions that are not yet known, with the line numbers of the author's file."""
    for name, (tree, file) in program.functions.items():
        if name not in names:
            exec(compile(ast.Module([tree], []), file, "exec"), names)
            names[name] = small_kernel(names[name]) if name in program.inlined else kernel(names[name])


def bot_kernel(owner: type[GameClass], tree: ast.FunctionDef, file: str) -> Callable[..., Any]:
    """A bot, a function of the game and its traits, as a kernel.

    Raises:
        CannotCompile: it runs in plain Python only. InputError: it cannot be used.
    """
    program, names = program_of(owner), kernels_of(owner)
    called = program.bot(tree, file)
    names |= {key: value for key, value in program.constants.items() if key not in names}
    _define(program, names)
    made: Callable[..., Any] = names[called]
    return made


def _entry_points(plan: Blueprint, program: Program) -> str:
    """Source of the functions of the contract."""
    lines: list[str] = []

    def function(head: str, body: list[str]) -> None:
        lines.append("@kernel")
        lines.append(f"def {head}:")
        lines.extend(f"    {line}" for line in body or ["pass"])
        lines.append("")

    three = "state, knobs, cards"
    start: list[str] = []
    for name, field in plan.every_field.items():
        if field.start:
            start += _set_all(name, field)
    start += ["state.turn = 1"]
    start += [
        f"{name}__prepare({three})"
        for name, part in plan.components.items()
        if "prepare" in program.parts[name].methods
    ]
    function(f"initial_state({three})", [*start, f"game__setup({three})"])

    legal: list[str] = []
    for number, (name, chosen) in enumerate(plan.choices.items()):
        legal.append(f"if state.decision == {number}:")
        may = f"game__may_{name}" if f"may_{name}" in program.game.methods else ""
        if chosen.cards:
            legal += _offers(f"range(_int(cards.{chosen.component.called}_size))", may, three)
        first = chosen.counted if chosen.cards else 0
        if chosen.size > first:
            legal += _offers(f"range({first}, {chosen.size})", may, three)
        legal.append("    return")
    function(f"legal_actions({three})", legal)

    uses = Uses(plan, plan.players[1])
    apply: list[str] = []
    for number, (name, chosen) in enumerate(plan.choices.items()):
        apply.append(f"if state.decision == {number}:")
        refusals = program.refusals[name]
        if refusals:
            apply.append(f"    if state.n_legal < {chosen.size}:")
            apply += [f"        count_rule(state, _rule_{program.rule_number(rule)})" for rule in refusals]
        apply += [f"    {line}" for line in uses.mark(name)]
        apply.append(f"    game__{name}({three}, _int(action))")
        apply.append("    return")
    function(f"apply_action({three}, action)", apply)
    function(f"outcome({three}, row)", _outcome(plan, program))
    tracks = "score" in program.game.methods and plan.owner.score_range is not None
    body = ["for seat in range(_int(state.stream_seats)):", f"    values[seat] = game__score({three}, _int(seat))"]
    function(f"track_values({three}, values)", body if tracks else [])
    if "could_hold" in program.game.methods:
        function(f"_misplaced({three}, holder, card)", _MISPLACED.strip().splitlines())
    function(f"determinize({three}, seat)", _redraw(plan, program))
    function(f"item_uses({three}, used)", uses.kernel())
    function(f"component_values({three}, values)", counts_kernel(plan))
    drawn = drawn_pieces(plan)
    if drawn:
        function(f"hex_values({three}, values)", _HEX_VALUES.format(pieces=drawn.called).splitlines())
    return "\n".join(lines)


def _set_all(name: str, field: Field) -> list[str]:
    if not field.shape:
        return [f"state.{name} = {field.start}"]
    if len(field.shape) == 1:
        return [f"for i in range(state.{name}.size):", f"    state.{name}[i] = {field.start}"]
    return [
        f"for i in range(state.{name}.shape[0]):",
        f"    for j in range(state.{name}.shape[1]):",
        f"        state.{name}[i, j] = {field.start}",
    ]


def _offers(over: str, may: str, three: str) -> list[str]:
    if not may:
        return [f"    for option in {over}:", "        offer(state, option)"]
    return [
        f"    for option in {over}:",
        f"        if {may}({three}, _int(option)):",
        "            offer(state, option)",
    ]


_HEX_VALUES = """\
for region in range(values.shape[1]):
    for seat in range(_int(state.stream_seats)):
        if {pieces}__rank(state, knobs, cards, _int(seat), _int(region)) == 1:
            if {pieces}__tied(state, knobs, cards, _int(seat), _int(region)) == 1:
                values[seat, region] = 1"""
_BY_WINS = """
if winners == 0:
    for seat in range(seats):
        if game__wins(state, knobs, cards, _int(seat)):
            winners |= _int(1) << seat
"""
_BY_SCORE = """
if winners == 0:
    best, second = _int(0), _int(0)
    for seat in range(seats):
        score, tie = _int(game__score(state, knobs, cards, _int(seat))), _int({tie})
        if seat == 0 or score > best or (score == best and tie > second):
            best, second, winners = score, tie, _int(0)
        if score == best and tie == second:
            winners |= _int(1) << seat
"""
_TIE_BREAK = "game__tie_break(state, knobs, cards, _int(seat))"
_ROW = """
winners = max(winners, 0)
row.winners = winners
row.winner = -1
n = 0
for seat in range(seats):
    if winners >> seat & 1:
        row.winner = seat
        n += 1
if n > 1:
    row.winner = -2
row.ending = state.ending
row.turns = state.turn
"""
_SCORES = """
for seat in range(seats):
    row.score[seat] = game__score(state, knobs, cards, _int(seat))
"""


def _outcome(plan: Blueprint, program: Program) -> list[str]:
    methods = program.game.methods
    text = "winners = _int(state.won)\nseats = _int(state.stream_seats)"
    by_score = _BY_SCORE.format(tie=_TIE_BREAK if "tie_break" in methods else 0)
    text += _BY_WINS if "wins" in methods else by_score if "score" in methods else ""
    text += _ROW + (_SCORES if "score" in methods else "")
    lines = [f"row.{name} = state.{name}" for name, field in plan.fields.items() if field.metric]
    return [*(line for line in text.splitlines() if line), *lines]


_COLLECT = """
left = _int(state.{deck}_left)
hidden = np.empty({capacity}, np.int16)
n = left
for i in range(left):
    hidden[i] = state.{deck}_order[i]
"""
_COLLECT_HAND = """
for owner in range(_int(state.stream_seats)):
    if {hides}:
        for card in range(_int(cards.{deck}_size)):
            if state.{hand}_held[owner, card]:
                hidden[n] = card
                n += 1
                state.{hand}_held[owner, card] = False
"""
_GIVE_BACK = """
for i in range(left):
    state.{deck}_order[i] = hidden[i]
"""
_GIVE_HAND = """
for owner in range(_int(state.stream_seats)):
    if {hides}:
        for _ in range(_int(state.{hand}_counts[owner])):
            state.{hand}_held[owner, hidden[n]] = True
            n += 1
"""
_HOLDER = """
holder = np.full({capacity}, -1, np.int16)
at = left
"""
_HOLDER_HAND = """
for owner in range(_int(state.stream_seats)):
    if {hides}:
        for _ in range(_int(state.{hand}_counts[owner])):
            holder[at] = owner
            at += 1
"""
#: Random swaps, none of which increases the number of misplaced cards, until each lies where it could be.
_SORT_OUT = """
for _ in range(100_000):
    wrong = -1
    for i in range(left, n):
        if _misplaced(state, knobs, cards, _int(holder[i]), _int(hidden[i])):
            wrong = i
            break
    if wrong < 0:
        break
    other = redraw_below(state, n)
    now = 1 + _misplaced(state, knobs, cards, _int(holder[other]), _int(hidden[other]))
    then = _misplaced(state, knobs, cards, _int(holder[other]), _int(hidden[wrong]))
    then += _misplaced(state, knobs, cards, _int(holder[wrong]), _int(hidden[other]))
    if then <= now:
        hidden[wrong], hidden[other] = hidden[other], hidden[wrong]
"""
_MISPLACED = """
return 1 if holder >= 0 and not game__could_hold(state, knobs, cards, holder, card) else 0
"""


def _redraw(plan: Blueprint, program: Program) -> list[str]:
    """Deck by deck, the cards that the seat does not see are put in a new order; hidden numbers are drawn again."""
    text = ""
    for name, deck in plan.components.items():
        if not isinstance(deck, Deck):
            continue
        hands = [
            {"deck": name, "hand": hand.called, "hides": "owner != seat" if hand.seen_by == "owner" else "True"}
            for hand in plan.components.values()
            if isinstance(hand, Hand) and hand.deck is deck and hand.seen_by != "all"
        ]
        text += _COLLECT.format(deck=name, capacity=deck.capacity)
        text += "".join(_COLLECT_HAND.format(**hand) for hand in hands)
        text += "redraw_order(state, hidden[:n])\n"
        if hands and "could_hold" in program.game.methods:
            text += _HOLDER.format(capacity=deck.capacity)
            text += "".join(_HOLDER_HAND.format(**hand) for hand in hands) + _SORT_OUT
        text += _GIVE_BACK.format(deck=name) + "n = left\n" + "".join(_GIVE_HAND.format(**hand) for hand in hands)
    lines = [line for line in text.splitlines() if line]
    for name, field in plan.fields.items():
        lines += _redraw_field(name, field)
    for name, holder in program.parts.items():
        if "redraw" in holder.methods:
            lines.append(f"{name}__redraw(state, knobs, cards, _int(seat))")
    if "redraw" in program.game.methods:
        lines.append("game__redraw(state, knobs, cards, _int(seat))")
    return lines


def _redraw_field(name: str, field: Field) -> list[str]:
    """A hidden number that has been set is drawn again from its range."""
    if field.seen_by == "all" or field.low is None or field.high is None:
        return []
    draw = f"{field.low} + redraw_below(state, {field.high - field.low + 1})"
    if not field.shape:
        return [f"if state.{name} != {field.start}:", f"    state.{name} = {draw}"]
    hidden = f"owner != seat and state.{name}[owner]" if field.seen_by == "owner" else f"state.{name}[owner]"
    if len(field.shape) > 1:
        raise InputError(f"{name}: a hidden field per seat holds one number each. Write redraw(self, seat) for more.")
    return [
        f"for owner in range(state.{name}.size):",
        f"    if {hidden} != {field.start}:",
        f"        state.{name}[owner] = {draw}",
    ]


def cards_type(decks: list[Deck]) -> np.dtype[np.void]:
    """Type of the record of the card tables."""
    fields: list[tuple[Any, ...]] = [("none", np.int64)]
    for deck in decks:
        fields.append((f"{deck.called}_size", np.int64))
        fields.append((f"{deck.called}_{ITEM}", np.int64, (deck.capacity,)))
        if deck.file:
            fields.append((f"{deck.called}_label", np.uint8, (deck.capacity, LABEL)))
        fields += [(f"{deck.called}_{column}", np.int64, (deck.capacity,)) for column in deck.columns]
    return np.dtype(fields, align=True)


def drawn_pieces(plan: Blueprint) -> Pieces | None:
    """The first pieces that lie on a map of hexes."""
    return next((part for part in plan.components.values() if isinstance(part, Pieces) and part.map.hexes), None)
