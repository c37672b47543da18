"""Builds the lab's contract from a game's class: the record, the ledger, the card tables, the words, and the bots."""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simlab.author import plain
from simlab.author.asking import frames_of
from simlab.author.base import Blueprint
from simlab.author.base import Game as GameClass
from simlab.author.blocks import PLACE
from simlab.author.contract import drawn_pieces
from simlab.author.dice import Dice
from simlab.author.fields import ALL, SEATS, Choice, Field, Option
from simlab.author.inventory import USED, Uses, card_labels, components_of
from simlab.author.kernels import bot_kernel, cards_type, kernels_of, program_of
from simlab.author.maps import Map
from simlab.author.measures import metrics_of, source_of_outcome, tracks_of
from simlab.author.narration import heading, narrate
from simlab.author.positions import items_of, read_draws, set_fields, why_not
from simlab.author.shelf import MOST_NUMBER, Deck, Row, Table
from simlab.author.sources import more_parameters, source_of, tree_of
from simlab.author.translate import CannotCompile, Program, column_codes
from simlab.errors import InputError
from simlab.spec.bots import Policy, Trait
from simlab.spec.card_tables import MOST_COPIES, Column, Tables, TableSchema
from simlab.spec.contract import Decision, Die, Game, GivenDraw, Side
from simlab.spec.knobs import KnobTable
from simlab.spec.ledger import Rule
from simlab.spec.maps import Hex, HexContent, HexMap, HexMark
from simlab.spec.metrics import SeatCategory
from simlab.spec.record import Array, Cards, Description, Knobs, State, state_type, write_text

MOST_REGIONS = 12  #: with a line each in a description
MOST_NAMES = 256  #: options of a decision that are named in reports


@dataclass(frozen=True, kw_only=True)
class ClassGame(Game):
    """A game that was built from a class and fulfils the lab's contract.

    Attributes:
        owner: the class. file: the file that defines it.
    """

    owner: type[GameClass]
    file: Path

    @property
    def path(self) -> Path:
        return self.file

    @property
    def sources(self) -> tuple[Path, ...]:
        return (self.file, *(self.folder / f"{table.name}.csv" for table in self.tables))

    def read_draws(self, draws: Mapping[str, Sequence[int | str]], tables: Tables) -> list[GivenDraw]:
        def labels(part: Any) -> Sequence[str]:
            items = items_of(part)
            return card_labels(items, tables) if isinstance(items, Deck) else items.labels

        return read_draws(self.owner.blueprint(), len(self.seats), draws, labels)

    def why_not_drawn(self, state: State, knobs: Knobs, cards: Cards, stream: int, value: int) -> str:
        game = plain.plain_of(self.owner, len(self.seats), state, knobs, cards)
        return why_not(game, self.streams[stream - len(self.seats) - 1], value)

    def set_fields(self, state: State, knobs: Knobs, cards: Cards, fields: Mapping[str, Any]) -> None:
        game = plain.plain_of(self.owner, len(self.seats), state, knobs, cards)
        set_fields(game, fields)
        state["seat"], state["turn"] = game.seat, game.turn
        for name, part, attribute, _ in self.owner.blueprint().places(game):
            state[name] = np.reshape(getattr(part, attribute), state[name].shape)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules named in the docstrings."""
        return tuple(program_of(self.owner).rules.values())

    @property
    def is_class(self) -> bool:
        return True

    def decisions_in(self, tables: Tables) -> tuple[Decision, ...]:
        chosen = self.owner.blueprint().choices.values()
        return tuple(
            replace(known, options=_option_names(one, tables)) if known.options else known
            for known, one in zip(self.decisions, chosen, strict=True)
        )

    def narration(self, before: State, after: State, action: int, knobs: Knobs, cards: Cards) -> list[str]:
        if action < 0:
            return []
        return narrate(program_of(self.owner), len(self.seats), before, action, knobs, cards)

    def move_text(self, seat: str, decision: Decision, label: str) -> str:
        named = label.startswith(decision.name)
        return super().move_text(seat, decision, label) if named else f"{seat}, {decision.name}: {label}"

    def _all_knobs(self, tables: Tables) -> KnobTable:
        plan = self.owner.blueprint()
        knobs = {
            name: replace(
                known.in_tables(tables, str(plan.file)),
                rules=tuple(rule.id for rule in self.rules if name in rule.knobs),
            )
            for name, known in plan.knobs.items()
        }
        return KnobTable(knobs, self._luck_knobs(tables))


def slug_of(owner: type[GameClass]) -> str:
    """The class's name in lower case, words joined by `_`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner.__name__).lower()


# --- The contract -----------------------------------------------------------------


@functools.cache
def build(owner: type[GameClass], players: int) -> ClassGame:
    """The game of a class for a number of players.

    Raises:
        InputError: something in the class cannot be used or compiled; the message names file and line.
    """
    plan, program, names = owner.blueprint(), program_of(owner), kernels_of(owner)
    seats, slug, purposes = plan.seat_names(players), slug_of(owner), plan.streams(players)
    if not program.endings:
        raise InputError(f"{plan.file}: {owner.__name__} never ends. End it in a rule: self.end('goal', winner).")
    fields: list[tuple[Any, ...]] = []
    for name, field in plan.every_field.items():
        shape = plan.shape(field, players)
        fields.append((name, field.storage(), *((shape,) if shape else ())))
    fields += [(name, np.int32) for name in frames_of(plan) if not name.endswith(PLACE)]
    fields += [(name, np.int16) for name in frames_of(plan) if name.endswith(PLACE)]
    uses = Uses(plan, plan.players[1])
    if uses.marks:
        fields.append((USED, np.uint16, (uses.marks,)))
    if program.plain:
        fields.append((plain.EXTRAS, np.uint8, (plain.EXTRA_BYTES,)))
        plain.warn_of(program)
    try:
        state = state_type(
            fields, seats=players, streams=purposes, rules=len(program.rules),
            max_actions=max(chosen.size for chosen in plan.choices.values()),
        )  # fmt: skip
    except ValueError as fault:
        raise InputError(f"{plan.file}: {fault}. Give the field another name.") from None
    doc = inspect.cleandoc(owner.__doc__ or owner.__name__)
    decks = [part for part in plan.components.values() if isinstance(part, Deck)]
    metrics, tracks = metrics_of(plan.measures, seats), tracks_of(plan.measures, seats)
    for columns in (metrics, tracks):
        plan.check_columns([one.name for one in columns])
    outcome = names["outcome"]
    if any(one.kind == "metric" and one.each for one in plan.measures):
        plain.run_source(source_of_outcome(plan.measures, seats), names)
        outcome = names[f"outcome_{players}"]
    low, high = owner.score_range or (None, None)
    policies = f"policies.{slug}" if owner.__module__ == f"simlab.games.{slug}.game" else ""
    policies = policies if policies and importlib.util.find_spec(policies) else ""
    made = plain.GAMES[owner, players] = ClassGame(
        slug=slug,
        title=owner.title or slug.replace("_", " ").capitalize(),
        summary=doc.splitlines()[0],
        folder=plan.file.parent,
        players=plan.players if plan.players[0] != plan.players[1] else (0, 0),
        seats=seats,
        sides=_sides(owner, plan, seats),
        endings=tuple(program.endings),
        streams=purposes,
        dice=_dice(plan, program, decks),
        option_names=functools.partial(_option_labels, tuple(plan.choices.values())),
        decisions=tuple(_decision(plan, number, chosen) for number, chosen in enumerate(plan.choices.values(), 1)),
        metrics=metrics,
        seat_categories=tuple(
            SeatCategory(name, field.metric, field.names) for name, field in plan.fields.items() if field.is_category
        ),
        tracks=tracks,
        lead=tuple(track.name for track in tracks_of(plan.measures, seats, lead=True)),
        score_range=(low, high),
        state=state,
        cards=cards_type(plan.tables),
        tables=tuple(_schema(table) for table in plan.tables if table.file),
        pack_cards=functools.partial(_pack, plan.tables),
        prepare=functools.partial(plain.prepare, owner, players),
        initial_state=names["initial_state"],
        legal_actions=names["legal_actions"],
        apply_action=names["apply_action"],
        determinize=names["determinize"],
        reshuffle=names.get("reshuffle"),
        outcome=outcome,
        track_values=names["track_values"],
        action_label=_from_plain(owner, players, lambda game, action: label(game, int(action or 0))),
        describe=_from_plain(owner, players, describe),
        under_way=functools.partial(heading, plan),
        max_decisions=owner.max_decisions,
        max_turns=owner.max_turns,
        turn_name=owner.turn_name,
        has_scores="score" in program.game.methods,
        check_knobs=plan.knob_conflicts,
        hex_map=_hex_map(owner, players),
        items=uses.of_game(names["item_uses"]),
        components=components_of(plan, names["component_values"]),
        article="the" if owner.seat_names else "",
        bots=policies or owner.__module__,
        small=owner.__module__.startswith("simlab.games.") and not policies,
        owner=owner,
        file=plan.file,
    )  # fmt: skip
    return made


def _sides(owner: type[GameClass], plan: Blueprint, seats: tuple[str, ...]) -> tuple[Side, ...]:
    """The teams of the class. All players are one if its `wins` does not look at the seat."""
    wins = tree_of(owner.wins) if hasattr(owner, "wins") else None
    looks = wins and [
        node for node in ast.walk(wins) if isinstance(node, ast.Name) and node.id == wins.args.args[-1].arg
    ]
    try:
        teams = dict(owner.teams) or ({} if wins is None or looks else {"players win": ALL})
        sides = [
            Side(name, seats if team == ALL else tuple(seats[n] for n in team if 0 <= n < len(seats)), verb)
            for name, verb, team in ((*text.rsplit(maxsplit=1), team) for text, team in teams.items())
        ]
    except (TypeError, ValueError):
        raise InputError(
            f"{plan.file}: teams = {owner.teams!r}: write names with verbs, and seats: {{'warlord wins': [0], ...}}."
        ) from None
    if sides and sorted(seat for side in sides for seat in side.seats) != sorted(seats):
        raise InputError(f"{plan.file}: teams = {owner.teams}: with {len(seats)} players, put each seat into one team.")
    return tuple(side for side in sides if side.seats)


def _decision(plan: Blueprint, number: int, chosen: Choice) -> Decision:
    numbers = {name: n for n, name in enumerate(plan.choices, 1)}
    texts = tuple(part for part in chosen.parts if isinstance(part, str))
    actions = texts if len(texts) == len(chosen.parts) else ()
    return Decision(
        f"D-{number}", chosen.name.replace("_", " "), actions, chosen.secret,
        tuple(f"D-{numbers[name]}" for name in chosen.continues), *_slots(chosen),
        () if actions or chosen.size > MOST_NAMES else _option_names(chosen),
    )  # fmt: skip


def _option_names(chosen: Choice, tables: Tables | None = None) -> tuple[str, ...]:
    """Names of the options of a decision whose options are not all texts. A place of a row is named by its number,
    because its card changes. tables: card tables in play; None: the game's own.
    """
    part, words, names = chosen.component, chosen.name.replace("_", " "), []
    cards = (
        card_labels(part, tables) if isinstance(part, Table) and part.file and tables else getattr(part, "labels", ())
    )
    for option in range(chosen.size):
        name = chosen.named(option).name
        if not name and option < chosen.counted:
            if isinstance(part, Row):
                name = f"place {option + 1} of the {part.called.replace('_', ' ')}"
            elif not isinstance(part, Deck | Dice):  # the number that a die shows changes
                name = part.label_of(option)
            elif option < len(cards):
                name = cards[option]
        names.append(f"{words} {name or option}" if not name or name.isdecimal() else name)
    return tuple(names)


def _option_labels(choices: Sequence[Choice], kind: int, tables: Tables) -> list[str] | None:
    """Labels of the options of a decision, by number, as `label` gives them; None if they are dice."""
    chosen = choices[kind]
    part, words = chosen.component, chosen.name.replace("_", " ")
    if isinstance(part, Dice):
        return None
    known = {number: name for name, number in chosen.names.items()}
    names = [known.get(number) or f"{words} {number}" for number in range(chosen.size)]
    if isinstance(part, Deck):
        cards = card_labels(part, tables)
        names[: chosen.counted] = [f"{words} {card}" for card in cards] + [""] * (chosen.counted - len(cards))
    elif isinstance(part, Row):
        names[: chosen.counted] = [""] * chosen.counted
    elif part is not None:
        names[: chosen.counted] = [f"{words} {part.label_of(number)}" for number in range(chosen.counted)]
    return names


def _slots(chosen: Choice) -> tuple[str, str]:
    """The field and the deck of the market row from which a decision chooses; "" for other decisions."""
    first = chosen.parts[0]
    if not isinstance(first, Row) or first.deck.size > 256:
        return "", ""
    return f"{first.called}_slots", first.deck.called


def _dice(plan: Blueprint, program: Program, decks: list[Deck]) -> tuple[Die, ...]:
    """The dice and decks to weight. Dice are named by their sides, such as `d6`, or `pips` if the sides are a knob."""
    sides = list(dict.fromkeys(program.dice))
    by_knob = [one for one in sides if isinstance(one, str)]
    names = {one: f"d{one}" if isinstance(one, int) else "pips" if len(by_knob) == 1 else one for one in sides}
    dice = [Die(names[one], "dice", one, "dice of the game") for one in sides]
    for part in (part for part in plan.components.values() if isinstance(part, Dice)):
        dice += [Die(part.called, part.called, part.sides, f"the {part.called}")]
    for deck in decks:
        if deck.draws and deck.size <= 256:
            numbers = functools.partial(_card_numbers, deck)
            dice.append(Die(deck.called, deck.called, 0, f"the {deck.called}", cards=numbers))
    return tuple(dice)


def _card_numbers(deck: Deck, tables: Tables) -> dict[str, int]:
    """The cards' numbers by name; if several cards share a name, `red_1`, `red_2`."""
    labels = card_labels(deck, tables)
    return {
        f"{name}_{labels[: number + 1].count(name)}" if labels.count(name) > 1 else name: number
        for number, name in enumerate(labels)
    }


def _schema(deck: Table) -> TableSchema:
    """The schema that a designer's own table must match: the same columns, and texts that the rules know."""
    columns = []
    for place, name in enumerate(deck.columns):
        if name == "copies":
            columns.append(Column(name, "int", 0, MOST_COPIES, default=1))
        elif isinstance(deck.rows[0][name], int):
            columns.append(Column(name, "int", -MOST_NUMBER, MOST_NUMBER))
        elif place == 0 and not deck.may_vary:
            columns.append(Column(name, options=tuple(deck.labels)))
        elif name in deck.effect_columns:
            columns.append(Column(name))
        elif place == 0 or name in deck.unread:  # no rule depends on the wording
            columns.append(Column(name, default=None if place == 0 else ""))
        else:
            columns.append(Column(name, options=tuple(column_codes(deck, name))))
    rows = (1, deck.capacity) if deck.may_vary else (deck.size, deck.size)
    return TableSchema(deck.table, tuple(columns), deck.columns[0], rows, sourced=False, repeats=deck.may_vary)


def _pack(decks: list[Table], tables: Tables) -> Array:
    record = np.zeros(1, cards_type(decks))
    for deck in decks:
        cards = deck.each_row(tables[deck.table]) if deck.file else []
        size = len(cards) if deck.file else deck.size
        if not 1 <= size <= deck.capacity:
            raise InputError(
                f"table {deck.table}: has {size} cards. There may be 1 to {deck.capacity}, {deck.ROOM} more "
                "than in the game's own table."
            )
        record[f"{deck.called}_size"] = size
        labels = card_labels(deck, tables)
        record[f"{deck.called}_item"][0, :size] = [labels.index(label) for label in labels]
        for place, card in enumerate(cards):
            write_text(record[f"{deck.called}_label"][0, place], str(card[deck.columns[0]]))
        for column in deck.columns:
            codes = column_codes(deck, column)
            if codes:  # a wording that the own table lacks gets a number of its own, which no rule knows
                codes += dict.fromkeys(str(card[column]) for card in cards if str(card[column]) not in codes)
                values = [codes.index(str(card[column])) for card in cards]
            else:
                values = [int(card[column]) for card in cards]
            record[f"{deck.called}_{column}"][0, :size] = values
        for column, effects in deck.effect_columns.items():
            for place, card in enumerate(cards):
                steps = effects.steps_of(str(card[column]), str(card[deck.columns[0]]))
                record[f"{deck.called}_{column}_steps"][0, place] = len(steps)
                for number, step in enumerate(steps):
                    record[f"{deck.called}_{column}_effects"][0, place, number, : len(step)] = step
    return record


# --- Words ------------------------------------------------------------------------


def _from_plain(
    owner: type[GameClass], players: int, show: Callable[[GameClass, int | None], Any]
) -> Callable[[Any, Any, Any, int | None], Any]:
    """`action_label`, `describe` or `HexMap.contents`: `show` gets the record as a plain game of the class."""

    def shown(state: Any, knobs: Any, cards: Any, argument: int | None) -> Any:
        return show(plain.plain_of(owner, players, state, knobs, cards), argument)

    shown.__module__ = owner.__module__
    return shown


def label(game: GameClass, option: int) -> str:
    """Label of an option of the pending decision."""
    chosen, name = game.decision, game.decision.named(option).name
    own = getattr(game, f"label_{chosen.name}", None)
    if own is not None:
        return str(own(chosen.named(option), *game._more[: more_parameters(own.__func__)]))
    if option < chosen.counted:
        part = getattr(game, chosen.component.called)
        name = f"{chosen.name.replace('_', ' ')} {part.label_of(option)}{_copy_number(game, part, option)}"
    return name or f"{chosen.name.replace('_', ' ')} {option}"


def _copy_number(game: GameClass, part: Any, option: int) -> str:
    """Number of an option among several legal options of the same name: " (2)"; "" if its name is unique."""
    chosen = game.decision
    test = getattr(game, f"may_{chosen.name}", None)
    same = [
        n for n in range(part.size if chosen.cards else chosen.counted) if part.label_of(n) == part.label_of(option)
    ]
    legal = [n for n in same if len(same) > 1 and (test is None or test(Option.named(n, ""), *game._more))]
    return f" ({legal.index(option) + 1})" if len(legal) > 1 and option in legal else ""


def _hex_map(owner: type[GameClass], players: int) -> HexMap | None:
    """The map of hexes that the report and the replay draw: who has the most pieces on each."""
    plan = owner.blueprint()
    drawn = drawn_pieces(plan)
    if drawn is None:
        return None
    places = enumerate(zip(drawn.map.labels, drawn.map.hexes, strict=True))
    hexes = tuple(Hex(q, r, name, number, name[:3]) for number, (name, (q, r)) in places)
    pieces = drawn.called.replace("_", " ")
    return HexMap(
        drawn.map.size,
        lambda tables: hexes,
        tuple(HexMark(f"{seat}_leads", f"hexes where {seat} has most {pieces}") for seat in plan.seat_names(players)),
        kernels_of(owner)["hex_values"],
        _from_plain(owner, players, lambda game, seat: hex_contents(game)),
        f"The number on a hex is the number of {pieces} there; its colour is that of the seat with most of them.",
    )


def hex_contents(game: GameClass) -> dict[int, HexContent]:
    """The pieces on each hex that is not empty."""
    drawn = drawn_pieces(game.blueprint())
    assert drawn is not None
    pieces = getattr(game, drawn.called)
    return {
        region: HexContent(str(pieces.total(region)), pieces.leader(region), pieces.listed(region))
        for region in range(drawn.map.size)
        if pieces.total(region)
    }


def _shown(game: GameClass, field: Field, value: Any) -> str:
    """The numbers of a field, or the names of the cards or regions with these numbers."""
    if isinstance(value, list):
        return " ".join(_shown(game, field, one) for one in value)
    if field.names is None:
        return str(value)
    labels = field.names if isinstance(field.names, tuple) else getattr(game, field.names.called).labels
    return str(labels[value]) if 0 <= value < len(labels) else "none"


def describe(game: GameClass, seat: int | None) -> Description:
    """The position in words, as a seat sees it; with None, everything is shown."""
    plan = game.blueprint()
    seen: Description = {}
    for name, field in plan.fields.items():
        if name in ("won", "ending") or not field.shown or (field.metric and not field.help and field.shape == ()):
            continue
        words, value = name.replace("_", " "), getattr(game, name)
        public, land = seat is None or field.seen_by == "all", next(iter(field.shape), None)
        if len(field.shape) == 2:
            value = np.reshape(list(value), (-1, value.columns)).tolist()
        if field.shape[:1] == (SEATS,):
            for owner, who in enumerate(game.seat_names):
                shown = public or (field.seen_by == "owner" and owner == seat)
                seen[f"{who}'s {words}"] = _shown(game, field, value[owner]) if shown else "hidden"
        elif not public:
            seen[words] = "hidden"
        elif isinstance(land, Map) and len(value) <= MOST_REGIONS:
            labels = getattr(game, land.called).labels
            seen |= {f"{label}'s {words}": str(number) for label, number in zip(labels, value, strict=True)}
        elif len(field.shape) == 2:
            seen[words] = tuple(" ".join(f"{cell:2d}" for cell in row) for row in value)
        else:
            seen[words] = _shown(game, field, value)
    for part in plan.components:
        seen |= getattr(game, part).words(seat)
    return seen | game.words(seat)


# --- Bots -------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassBot(Policy):
    """A bot of a game's class.

    Attributes:
        plain: the same bot as a function of a game in plain Python, with the defaults of its traits.
        function_in_python: the author's function of a game and the traits.
        is_compiled: whether it could be compiled; otherwise it runs in plain Python.
    """

    plain: Callable[[GameClass], Any] | None = None
    function_in_python: Any = None
    is_compiled: bool = True


def bot(
    owner: type[GameClass], *, seats: tuple[str, ...] = (), name: str = ""
) -> Callable[[Callable[..., Any]], Policy]:
    """Declares a bot of a game: a function of the game that returns a legal option, by number or by name.

        @bot(Pig)
        def hold_at(game, stop=trait(20, 1, 100, "points at which it stops")):
            '''Stops at a number of points.'''
            return "hold" if game.at_stake >= stop else "roll"

    Args:
        seats: names of the seats that the bot can take; by default all.
    Raises:
        InputError: the bot cannot be compiled, or has no docstring.
    """

    def declare(function: Callable[..., Any]) -> Policy:
        assert isinstance(function, types.FunctionType)
        if not (isinstance(owner, type) and issubclass(owner, GameClass)):
            raise InputError(f"bot {function.__name__}: @bot takes the class of a game, which extends Game.")
        called = name or function.__name__
        where = f"{function.__code__.co_filename}, line {function.__code__.co_firstlineno}: bot {called}"
        parameters = list(inspect.signature(function).parameters.values())
        traits: dict[str, Trait] = {}
        for parameter in parameters[1:]:
            if not isinstance(parameter.default, Trait):
                raise InputError(f"{where}: write {parameter.name}=trait(20, 1, 100, 'its meaning').")
            traits[parameter.name] = parameter.default
        if not (function.__doc__ or "").strip():
            raise InputError(f"{where} needs a docstring, one line on how it plays.")
        is_compiled = True
        try:
            compiled = bot_kernel(owner, *source_of(function), traits, function.__globals__)
        except CannotCompile:
            is_compiled = False
            compiled = plain.add_bot(program_of(owner), kernels_of(owner), function, traits)
        about = inspect.cleandoc(function.__doc__ or "")
        in_python = functools.partial(function, **{trait: declared.default for trait, declared in traits.items()})
        return ClassBot(
            called, compiled, slug_of(owner), tuple(seats), traits, about, function.__module__, plain=in_python,
            function_in_python=function, is_compiled=is_compiled,
        )  # fmt: skip

    return declare
