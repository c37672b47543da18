"""Positions that a test, a designer or a scenario sets up: fields, and the next results of decks, bags and dice.

    game = Quarry(3, points=[4, 0, 2], draws={"bag": ["ruby", "cave_in"], "dice": [6]})
    game.take("dig", "dig")

The game begins as always. Given results come first wherever it draws; fields are set when the first question is asked,
so they win over the set-up, and that question is then about the new position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from simlab.author.fields import SEATS, Field, in_python
from simlab.errors import InputError, nearest
from simlab.spec.contract import GivenDraw

_UNSET = ("won", "ending")  #: fields that say how a game has ended


# --- Draws ------------------------------------------------------------------------


def read_draws(
    plan: Any,
    players: int,
    draws: Mapping[str, Sequence[int | str]],
    labels_of: Callable[[Any], Sequence[str]],
) -> list[GivenDraw]:
    """The next results of random streams, in the form in which a record holds them.

    Args:
        draws: name of a stream -> results: faces of dice, from 1; cards or pieces by name or number; the numbers that
            `below` returns for all others.
        labels_of: names of a component's cards or pieces.
    Raises:
        InputError: an unknown name, or a result that never occurs.
    """
    names, found = plan.streams(players), []
    for name, results in draws.items():
        if name not in names:
            raise InputError(f"draws: {plan.owner.__name__} draws nothing from '{name}'. {nearest(name, names)}")
        if isinstance(results, str) or not isinstance(results, Sequence):
            raise InputError(f"draws: {name} = {results!r}: write a list of results: {{'{name}': [2, 1]}}.")
        part = plan.components.get(name.partition("[")[0])
        stream = players + 1 + names.index(name)
        for result in results:
            if part is not None and part.draws_items:
                value = _item(f"draws: {name}", result, labels_of(part))
                found.append(GivenDraw(f"{name} {result}", -1 - stream, value))
            else:
                least = int(part.draws_from if part is not None else name == "dice")
                if type(result) is not int or not least <= result < 1 << 15:
                    raise InputError(f"draws: {name} = {result!r}: write whole numbers of at least {least}.")
                found.append(GivenDraw(f"{name} {result}", stream, result - least))
    return found


def items_of(part: Any) -> Any:
    """The component whose cards or pieces a draw gives: the deck of a part that has one, or the part itself."""
    return vars(part).get("deck", part)


def _item(name: str, result: int | str, labels: Sequence[str]) -> int:
    """A card or piece as a record holds it: its number, or -1 - n for any card that has the same name as card n."""
    if isinstance(result, str):
        if result not in labels:
            raise InputError(f"{name} has no '{result}'. {nearest(result, labels)}")
        return -1 - labels.index(result)
    if type(result) is not int or not 0 <= result < len(labels):
        raise InputError(f"{name} = {result!r}: write a name, or a number in 0..{len(labels) - 1}.")
    return result


def place_of_card(cards: Sequence[int], labels: Sequence[str], given: int, name: str) -> int:
    """The place of the given card (`_item`) in a draw pile, the one nearest to the top.

    Raises:
        InputError: it is not there; the message lists the cards that are.
    """
    wanted = labels[-1 - given] if given < 0 else labels[given]
    for place in range(len(cards) - 1, -1, -1):
        if cards[place] == given or (given < 0 and labels[cards[place]] == wanted):
            return place
    raise InputError(f"'{wanted}' is not in {name}. Left: {_listed([labels[card] for card in cards])}.")


def pile_of(part: Any, seat: int | None) -> tuple[list[int], Sequence[str], str]:
    """The draw pile of a deck or of a seat: its cards, the last on top, the names of all cards, and its own name."""
    if seat is None:
        return list(part.order)[: part.left], part.labels, f"the {part.called}"
    first = seat * part.order.columns
    cards = list(part.order)[first : first + part.left[seat]]
    return cards, part.deck.labels, f"{part.game.seat_names[seat]}'s draw pile"


def why_not(game: Any, name: str, given: int) -> str:
    """Why a given result of a stream, `_item`, cannot be drawn; "" if it can."""
    called, _, seat = name.rstrip("]").partition("[")
    part = getattr(game, called)
    try:
        if hasattr(part, "kinds"):
            check_piece(part.counts, part.labels, given, f"the {called}")
        else:
            cards, labels, pile = pile_of(part, int(seat) if seat else None)
            place_of_card(cards, labels, given, pile)
    except InputError as fault:
        return str(fault)
    return ""


def take_cards(pile: list[int], labels: Sequence[str], cards: Any, name: str) -> list[int]:
    """Takes cards, given by name or number, out of a draw pile.

    Raises:
        InputError: a card is not there.
    """
    if isinstance(cards, str) or not isinstance(cards, Sequence):
        raise InputError(f"{name} = {cards!r}: write a list of cards.")
    return [pile.pop(place_of_card(pile, labels, _item(name, card, labels), name)) for card in cards]


def check_piece(counts: Sequence[int], labels: Sequence[str], given: int, name: str) -> int:
    """The kind of the given piece (`_item`).

    Raises:
        InputError: no piece of the kind is in the bag; the message lists those that are.
    """
    kind = given if given >= 0 else -1 - given
    if counts[kind] <= 0:
        left = [label for label, count in zip(labels, counts, strict=True) for _ in range(count)]
        raise InputError(f"'{labels[kind]}' is not in {name}. Left: {_listed(left)}.")
    return kind


def _listed(labels: Sequence[str]) -> str:
    """Names with their numbers: `2 ruby, 1 coal`."""
    return ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels)) or "nothing"


# --- Fields -----------------------------------------------------------------------


def set_fields(game: Any, given: Mapping[str, Any]) -> None:
    """Sets fields of a plain game.

    Args:
        given: `seat`, `turn`, a field, or a component for the field that its index reads -> a value, all values, or
            values by place: `points=[4, 0]`, `points={1: 4}`, `points={"bob": 4}`. Values are numbers or names. A deck
            gets the cards that are left in it, from the top: `deck=["rope", "lamp"]`; a hand gets cards out of its deck
            in exchange for those that it holds: `hand={"ann": ["rope"]}`.
    Raises:
        InputError: an unknown field or place, or a value that the field cannot hold.
    """
    plan = game.blueprint()
    fields: dict[str, tuple[Any, str, Field]] = {
        name: (game, name, field) for name, field in plan.fields.items() if name not in _UNSET
    }
    for name in plan.components:
        part = getattr(game, name)
        if part.item:
            fields[name] = (part, part.item, part.fields()[part.item])
    cards = {name: getattr(game, name) for name, part in plan.components.items() if part.sets_cards}
    for name, value in given.items():
        if name in cards:
            cards[name].set_cards(value)
        elif name == "seat":
            game.seat = place_named(name, value, game.seat_names)
        elif name == "turn":
            game.turn = _number(game, name, Field((), 1, low=1, high=type(game).max_turns), value)
        elif name in fields:
            holder, attribute, field = fields[name]
            setattr(holder, attribute, _values(holder, name, field, getattr(holder, attribute), value))
            if holder is not game:
                holder.settle()
        elif name in plan.knobs:
            raise InputError(
                f"{name} is a knob of {type(game).__name__}. Give it as one: knobs={{'{name}': {value!r}}}."
            )
        else:
            known = [*fields, *cards, "seat", "turn", "seed", "knobs", "draws"]
            raise InputError(f"{type(game).__name__} has no field '{name}'. {nearest(name, known)}")


def _values(holder: Any, name: str, field: Field, held: Any, given: Any) -> Any:
    """The new value of a field of a game or a component, in the form of a plain game."""
    game = getattr(holder, "game", holder)
    shape = game.blueprint().shape(field, len(game.seat_names))
    if not shape:
        return _number(game, name, field, given)
    values = np.reshape(np.array(list(held)), shape)
    if isinstance(given, Mapping):
        labels = [_labels(holder, size, length) for size, length in zip(field.shape, shape, strict=True)]
        for place, value in given.items():
            places = place if isinstance(place, tuple) else (place,)
            if len(places) != len(shape):
                raise InputError(
                    f"{name}: {place!r} is not a place: write {len(shape)} numbers, as ({'0, ' * len(shape)})."
                )
            at = tuple(place_named(name, one, names) for one, names in zip(places, labels, strict=True))
            values[at] = _number(game, name, field, value)
        return in_python(values, field.limits(name))
    texts = np.array(given, dtype=object)
    if texts.shape != shape:
        wanted = " x ".join(map(str, shape))
        raise InputError(f"{name} = {given!r}: it has {wanted} values. Write all, or some by place: {{0: 3}}.")
    for at in np.ndindex(*shape):
        values[at] = _number(game, name, field, texts[at])
    return in_python(values, field.limits(name))


def _labels(holder: Any, size: Any, length: int) -> list[str]:
    """Names of the places of a field in one direction; their numbers if they have none."""
    if size == SEATS:
        return list(getattr(holder, "game", holder).seat_names)
    names = getattr(holder if isinstance(size, int) else size, "labels", ())
    return list(names)[:length] if len(names) >= length else [str(place) for place in range(length)]


def place_named(name: str, place: Any, labels: Sequence[str]) -> int:
    """The number of a place, such as a seat, that is given by number or name. name: of the field, for the error."""
    if isinstance(place, str) and place in labels:
        return labels.index(place)
    if type(place) is not int or not 0 <= place < len(labels):
        known = f"{nearest(place, labels)} " if isinstance(place, str) else ""
        raise InputError(f"{name}: there is no place {place!r}. {known}Places are 0 to {len(labels) - 1}.")
    found: int = place
    return found


def _number(game: Any, name: str, field: Field, value: Any) -> Any:
    """A value as the field holds it."""
    if field.is_flag:
        if type(value) is not bool:
            raise InputError(f"{name} = {value!r}: it is True or False.")
        return value
    if isinstance(value, str) and field.names is not None:
        held = field.names if isinstance(field.names, tuple) else getattr(game, field.names.called).labels
        if value not in held:
            raise InputError(f"{name} has no '{value}'. {nearest(value, held)}")
        return list(held).index(value)
    if type(value) is not int:
        raise InputError(f"{name} = {value!r}: it is a whole number.")
    low, high = field.score if isinstance(field.score, tuple) else (field.low, field.high)
    low, high = -(1 << 31) if low is None else low, (1 << 31) - 1 if high is None else high
    if not low <= value <= high and value != field.start:
        raise InputError(f"{name} = {value}: it is in {low}..{high}.")
    return value
