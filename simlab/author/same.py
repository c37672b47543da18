"""Plain and compiled play of a class, side by side: the plain game is a twin of the compiled one (simlab.twin)."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from simlab.author.base import Game
from simlab.author.build import ClassGame, describe
from simlab.author.chance import Stream, open_record
from simlab.author.fields import Grid
from simlab.author.shelf import Component, Deck
from simlab.engine.abreast import Abreast
from simlab.engine.restricted_play import allowed
from simlab.engine.setup import Setup
from simlab.errors import InputError
from simlab.game import Description


def compare(match: Setup, seed: int, games: int, components: bool = False) -> int:
    """Plays games at random with the match's knobs and tables, in plain Python and compiled, and compares them.

    Args:
        components: whether the components are checked after each decision: no card is in two places, and no number is
            below 0.
    Returns:
        number of decisions compared.
    Raises:
        InputError: plain and compiled play differ, or a component is in an impossible state; the message names the
            game, the decision and the field.
    """
    said: Counter[str] = Counter()
    for index in range(games):
        plain = partial(_Plain, match, seed, index, components)
        _Pair(match, seed, index, plain, said).play()
    return said["decisions"]


class _ComponentFault(Exception):
    """A component is in a state that no game can reach."""


class _Plain:
    """A game in plain Python, as a twin."""

    def __init__(self, match: Setup, seed: int, index: int, components: bool) -> None:
        assert isinstance(match.game, ClassGame)
        self.match, self.class_game, self.components = match, match.game, components
        owner = self.class_game.owner
        record, blank = open_record(seed, index), match.blank_state(seed)[0]
        for name in ("forced_n", "forced_value"):  # dice or decks may be loaded
            record[name] = blank[name]
        knobs = {name: match.knobs_resolved[name] for name in owner.blueprint().knobs}
        seats, tables = len(match.game.seats), match.table_rows
        self.game: Game = owner(seats, knobs=knobs, tables=tables, record=record)

    def over(self) -> bool:
        return self.game.over

    def seat(self) -> str:
        return str(self.game.seat_names[self.game.seat])

    def legal(self) -> list[int]:
        options = [int(option) for option in self.game.legal()]
        kind = list(self.game.blueprint().choices).index(self.game.decision.name)
        state = self.fields() | {"decision": kind, "seat": self.game.seat}
        return allowed(self.class_game, state, self.match.knobs[0], options)

    def apply(self, action: int) -> None:
        decision = list(self.game.blueprint().choices).index(self.game.decision.name)
        self.game.take(action)
        why = self._component_fault() if self.components else ""
        if why:
            raise _ComponentFault(f"{where_written(self.class_game, decision)}: {why}")

    def _component_fault(self) -> str:
        parts: list[Component] = [getattr(self.game, name) for name in self.game.blueprint().components]
        places: dict[tuple[str, int], str] = {}
        for part in parts:
            deck: Any = part if isinstance(part, Deck) else getattr(part, "deck", None)
            for place, cards in part.cards_by_place().items():
                for card in cards:
                    other = places.setdefault((deck.called, card), place)
                    if other != place or cards.count(card) > 1:
                        return f"the card {deck.labels[card]} is in {other} and again in {place}"
        return next((part.fault() for part in parts if part.fault()), "")

    def fields(self) -> dict[str, Any]:
        game, plan = self.game, self.game.blueprint()
        values = plan.values_of(game)
        del values["ending"]  # a text in a plain game, a number in the record
        grids = {name: np.reshape(list(v), (-1, v.columns)) for name, v in values.items() if isinstance(v, Grid)}
        return {"turn": game.turn} | values | grids

    def row(self) -> dict[str, Any]:
        game, endings = self.game, self.class_game.endings
        scores = {"score": [int(game.score_of(seat)) for seat in game.seats]} if self.class_game.has_scores else {}
        winners = sum(1 << seat for seat in game.winners())
        return {"winners": winners, "ending": endings.index(game.ending), "turns": game.turn} | scores


class _Pair(Abreast):
    """One game, compiled and plain; choices at random."""

    def __init__(self, match: Setup, seed: int, index: int, twin: Callable[[], Any], said: Counter[str]) -> None:
        self._chance = Stream(open_record(seed, index), 0)
        super().__init__(match, seed, index, twin, said)

    def choice(self) -> int:
        legal = self.stepper.legal()
        return legal[self._chance.below(len(legal))]

    def differs(self, what: str, mine: Any, other: Any) -> Exception:
        if isinstance(mine, list) and np.size(mine) == np.size(other):
            one, two = np.ravel(mine), np.ravel(other)
            place = int(np.flatnonzero(one != two)[0])
            what, mine, other = f"{what}[{place}]", one[place], two[place]
        return InputError(
            f"{self.match.game.slug}: compiled and plain play differ in {self._where}: {what}: compiled {mine}, plain "
            f"{other}. No result of this game can be trusted. Random numbers that are not from self.roll() and "
            f"self.below(), numbers above 2,147,483,647, fractions in a field, variables that are not fields, or a "
            f"may_ method that changes the game can be the cause. If it is none of these, it is a defect of simlab: "
            f"please report it with the game.\nReplay it: {self.match.replay_command(self.seed, self.index)}"
        )

    def asked(self, question: Callable[[], Any]) -> Any:
        """Calls the author's code; an exception is reported with its line."""
        try:
            return question()
        except InputError:
            raise
        except Exception as fault:
            file = self.match.game.path
            frames = [f for f in extract_tb(fault.__traceback__) if Path(f.filename) == file]
            at = f"{file}, line {frames[-1].lineno}: " if frames else ""
            why = " ".join(map(str, fault.args))  # a compiled rule raises its numbers as further arguments
            text = why if isinstance(fault, _ComponentFault) else f"{at}{type(fault).__name__}: {why}"
            replay = self.match.replay_command(self.seed, self.index)
            raise InputError(f"{text} ({self._where}).\n{self._position}Replay it: {replay}") from fault

    @property
    def _position(self) -> str:
        """The position in words; empty if it cannot be described in the middle of a rule."""
        with contextlib.suppress(Exception):
            return f"Position: {in_words(describe(self.twin.game, None))}\n"
        return ""

    @property
    def _where(self) -> str:
        return f"game {self.index} of seed {self.seed} after '{self.last}'"


def where_written(game: Any, decision: int) -> str:
    """File and line of the methods of a decision."""
    choice = list(game.owner.blueprint().choices.values())[decision]
    methods = [getattr(game.owner, f"may_{choice.name}", None), choice.method or game.owner.play]
    lines = [f"line {method.__code__.co_firstlineno} ({method.__name__})" for method in methods if method]
    return f"{game.file}, {' and '.join(lines)}"


def in_words(position: Description) -> str:
    """A position in one line."""
    texts = {name: text if isinstance(text, str) else ", ".join(text) for name, text in position.items()}
    return "; ".join(f"{name}: {text}" for name, text in texts.items())
