"""Restricted play: options that a seat may not take, from a text such as `besieger:assault+D_PREEMPT`.

Games need no code for bans. A banned option is not offered as long as another is legal, and a banned kind of decision
is made at random (simlab.engine.restricted_play). After Jaffe and others, Evaluating competitive game balance with
restricted play, AIIDE 2012.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from simlab.errors import InputError, nearest
from simlab.spec.knobs import Knob, KnobValue

NAME = "ban"  #: of the knob
NOTHING = "none"
JOIN = "+"
#: Additional fields of the record of knobs: whether anything is banned, and for which seats, as bits,
#: by kind of decision, by kind and action, and by kind and card of a market row.
FIELDS = ("ban_any", "ban_kinds", "ban_actions", "ban_cards")
Labels = Mapping[tuple[int, int], frozenset[str]]  #: (kind of decision, action) -> labels of the option


class Ban(NamedTuple):
    """A banned option (`action`), card (at every place of a market row) or, with neither, kind of decision."""

    seats: tuple[int, ...]
    kind: int
    action: int | None
    card: int | None = None


def word(text: str) -> str:
    """A name in the form that bans use: lower-case letters and digits, joined by '-'."""
    return re.sub(r"[^0-9a-zà-ÿ_]+", "-", text.lower()).strip("-")


def record_fields(game: Any) -> list[tuple[Any, ...]]:
    """The fields of the record of knobs that hold bans."""
    kinds = max(len(game.decisions), 1)
    cards = 256 if any(kind.slots for kind in game.decisions) else 1
    return [
        (FIELDS[0], np.int64),
        (FIELDS[1], np.uint16, (kinds,)),
        (FIELDS[2], np.uint16, (kinds, game.max_actions)),
        (FIELDS[3], np.uint16, (kinds, cards)),
    ]


@dataclass(frozen=True)
class BanKnob(Knob):
    """The knob `ban` of a game. tables: the tables in play, whose cards can be banned."""

    game: Any = None
    tables: Any = None
    kind, is_ordered = "bans", False

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        named = [kind.actions[0] for kind in self.game.decisions if kind.actions][:1]
        example = f"{self.game.seats[0]}:{word(named[0] if named else self.game.decisions[0].id)}"
        return f"'{NOTHING}', or options joined by '{JOIN}', each for all seats or for one, as {example}"

    @property
    def example(self) -> str:
        return ",".join(map(str, self.every()[:3]))

    def _read(self, value: object) -> KnobValue:
        return self.parse(value)

    def parse(self, value: object, where: str = "") -> KnobValue:
        """The bans, each once, in alphabetical order; InputError: a seat or an option that the game does not have."""
        parts = {part.strip() for part in str(value).split(JOIN)}
        for part in parts:
            if part != NOTHING:
                list(read_ban(self.game, part, where, self.tables))
        kept = sorted(_shortest(part) for part in parts - {NOTHING})
        return JOIN.join(kept) or NOTHING

    def every(self) -> tuple[KnobValue, ...]:
        """No ban, then each option that has a name, one at a time and for all seats: KIND/OPTION."""
        game, found = self.game, [NOTHING]
        for names in (names_of, cards_named):
            for kind, decision in enumerate(game.decisions):
                found += [f"{word(decision.id)}/{word(name)}" for name in names(game, kind, self.tables)]
        return tuple(found)


def _shortest(part: str) -> str:
    seat, _, what = part.rpartition(":")
    option = "/".join(word(piece) for piece in what.split("/"))
    return f"{seat.strip()}:{option}" if seat else option


def ban_knob(game: Any, tables: Any = None) -> BanKnob:
    return BanKnob(
        NAME, NOTHING, luck=True, game=game, tables=tables,
        help="options that are not offered as long as another is legal; in a banned kind of decision, chance decides",
    )  # fmt: skip


def read_ban(game: Any, part: str, where: str = "", tables: Any = None) -> Iterator[Ban]:
    """The meaning of one part of a ban: `SEAT:` or nothing, then an option, a card, a kind of decision, or KIND/OPTION.

    Raises:
        InputError: there is no such seat or option.
    """
    at = f"{where}: " if where else ""
    seat, colon, wanted = part.rpartition(":")
    if colon and not seat.strip():
        raise InputError(
            f"{at}{NAME} = {part}: no seat before ':'. Name one, such as {game.seats[0]}:{wanted.strip() or 'OPTION'}, "
            "or leave ':' out for all seats."
        )
    if seat and seat.strip() not in game.seats:
        raise InputError(
            f"{at}{NAME} = {part}: {game.slug} has no seat '{seat.strip()}'. {nearest(seat.strip(), game.seats)}"
        )
    seats = (game.seats.index(seat.strip()),) if seat else tuple(range(len(game.seats)))
    of_kind, _, option = wanted.rpartition("/")
    kinds = [number for number, kind in enumerate(game.decisions) if word(of_kind) in (word(kind.id), word(kind.name))]
    if of_kind and not kinds:
        near = nearest(of_kind, [kind.id for kind in game.decisions])
        raise InputError(f"{at}{NAME} = {part}: {game.slug} has no decision '{of_kind}'. {near}")
    if not of_kind:
        for number, kind in enumerate(game.decisions):
            if word(option) in (word(kind.id), word(kind.name)):
                yield Ban(seats, number, None)
                return
    if of_kind and option.strip().isdecimal():
        if int(option) >= game.max_actions:
            raise InputError(f"{at}{NAME} = {part}: actions are numbered 0..{game.max_actions - 1}.")
        yield Ban(seats, kinds[0], int(option))
        return
    within = kinds or range(len(game.decisions))
    cards = [
        (kind, card)
        for kind in within
        for name, copies in cards_named(game, kind, tables).items()
        for card in (copies if word(name) == word(option) else ())
    ]
    found = [] if cards else _matching(game, word(option), within, tables)
    if not found and not cards:
        names = {
            word(name) for kind in within for name in (*names_of(game, kind, tables), *cards_named(game, kind, tables))
        }
        names |= set() if of_kind else {word(kind.id) for kind in game.decisions}
        unlisted = [game.decisions[kind].id for kind in within if listed_names(game, kind, tables) is None]
        raise InputError(
            f"{at}{NAME} = {part}: {_unknown(game, option, unlisted)}. {nearest(word(option), names)} "
            f"`simlab info {game.reference} decisions` lists the kinds of decisions."
        )
    yield from (Ban(seats, number, None, card) for number, card in cards)
    yield from (Ban(seats, number, action) for number, action in found)


def _unknown(game: Any, option: str, unlisted: Sequence[str]) -> str:
    """Why a name is not an option. unlisted: kinds of decisions whose options are known only from sampled games."""
    if not unlisted:
        return f"{game.slug} has no option '{option}'"
    sampled = import_module("simlab.engine.option_names").SAMPLED_GAMES
    shown = ", ".join(unlisted[:4]) + (f" and {len(unlisted) - 4} more" if len(unlisted) > 4 else "")
    return (
        f"no option '{option}' came up in {sampled} games of {game.default_bot}. {game.slug} does not list the options "
        f"of {shown}, so one of another name may exist: write its number, such as {unlisted[0]}/0"
    )


def option_labels(game: Any) -> Labels:
    """Names of the options seen in a few games, for a game that does not list them."""
    if "labels" not in game.derived:
        looked_up = import_module("simlab.engine.option_names")  # it plays games, and so depends on this module
        game.derived["labels"] = looked_up.sampled_labels(game)
    labels: Labels = game.derived["labels"]
    return labels


def listed_names(game: Any, kind: int, tables: Any = None) -> Sequence[str] | None:
    """The names of all options of a kind of decision, by number; None if the game does not list them.

    "" is the name of a place of a market row, whose card has the name (`cards_named`), and of a number without an
    option.
    """
    static: Sequence[str] = game.decisions[kind].actions
    if static:
        return static
    listed: Sequence[str] | None = game.option_names(kind, tables or game.own_tables)
    return listed


def names_of(game: Any, kind: int, tables: Any = None) -> dict[str, tuple[int, ...]]:
    """The options of a kind of decision by name, each with its numbers: several for the copies of a card.

    If the game does not list them: only options that had the same name in each of a few games, and no others.
    """
    listed = listed_names(game, kind, tables)
    if listed is None:
        labels = sorted(option_labels(game).items())
        named = [(action, next(iter(seen))) for (of, action), seen in labels if of == kind and len(seen) == 1]
    else:
        named = [(action, name) for action, name in enumerate(listed) if name]
    found: dict[str, tuple[int, ...]] = {}
    for action, name in named:
        found[name] = (*found.get(name, ()), action)
    return found


def name_of(game: Any, kind: int, action: int) -> str:
    """An option in words: of a market row, its place. If its name varies between games, the name that reports use, or
    the words that stay the same and its number.
    """
    about = game.decisions[kind]
    if about.slots and action < len(about.options):
        return str(about.options[action])
    names = {number: name for name, numbers in names_of(game, kind).items() for number in numbers}
    if action in names:
        return names[action]
    seen = [label.split() for label in option_labels(game).get((kind, action), ())]
    start = _shared(zip(*seen, strict=False))
    end = _shared(zip(*(label[len(start) :][::-1] for label in seen), strict=False))[::-1]
    words = [*start, *("…" for _ in seen[1:2]), *end]  # several options may have the same name
    return f"{' '.join(words)} (action {action})" if start or end else str(about.action(action))


def _shared(columns: Iterable[tuple[str, ...]]) -> list[str]:
    """The words at the beginning that all labels share."""
    return [words[0] for words in takewhile(lambda words: len(set(words)) == 1, columns)]


def cards_named(game: Any, kind: int, tables: Any = None) -> dict[str, tuple[int, ...]]:
    """The cards of the market row from which a kind of decision chooses: word -> numbers, one for each copy."""
    deck = game.decisions[kind].deck
    found: dict[str, tuple[int, ...]] = {}
    for die in game.dice if deck else ():
        if die.name == deck:
            numbers = die.numbers(game, tables or game.own_tables)
            for name, copies in by_name(numbers).items():
                found[name] = (*found.get(name, ()), *(numbers[copy] for copy in copies))
    return found


def by_name(cards: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The cards of a deck, each name once, with the names of its copies: `oil` -> (`oil_1`, `oil_2`)."""
    known = dict.fromkeys(cards)
    found: dict[str, tuple[str, ...]] = {}
    for name in known:
        base, _, copy = name.rpartition("_")
        same = base if copy.isdecimal() and f"{base}_1" in known and f"{base}_2" in known else name
        found[same] = (*found.get(same, ()), name)
    return found


def _matching(game: Any, wanted: str, kinds: Sequence[int], tables: Any = None) -> list[tuple[int, int]]:
    """(kind, action) of the options of this name; if there are none, of options whose name contains these words."""
    if not wanted:
        return []
    listed = {kind: listed_names(game, kind, tables) for kind in kinds}
    known: dict[tuple[int, int], set[str]] = {
        (kind, action): {word(name)} for kind in kinds for action, name in enumerate(listed[kind] or ()) if name
    }
    same = [place for place, names in known.items() if names == {wanted}]
    if same:
        return same
    unnamed = {kind for kind in kinds if listed[kind] is None}
    if unnamed:
        known |= {
            place: {word(name) for name in names} for place, names in option_labels(game).items() if place[0] in unnamed
        }
    same = [place for place, names in known.items() if names == {wanted}]
    return same or [place for place, names in known.items() if all(f"-{wanted}-" in f"-{name}-" for name in names)]


def pack_bans(game: Any, text: str, packed: np.ndarray[Any, Any], tables: Any = None) -> None:
    """Writes the bans into a record of knobs, shape (1,)."""
    for part in str(text).split(JOIN):
        if part == NOTHING:
            continue
        for ban in read_ban(game, part, tables=tables):
            bits = sum(1 << seat for seat in ban.seats)
            packed[FIELDS[0]] = 1
            if ban.card is not None:
                packed[FIELDS[3]][0, ban.kind, ban.card] |= bits
            elif ban.action is None:
                packed[FIELDS[1]][0, ban.kind] |= bits
            else:
                packed[FIELDS[2]][0, ban.kind, ban.action] |= bits
