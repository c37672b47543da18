"""Plain and compiled play of a class, side by side: the same options, fields and results after each decision."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from simlab.author.base import Game, Grid
from simlab.author.chance import Stream
from simlab.author.plain import drawing_from
from simlab.engine.restricted_play import allowed
from simlab.engine.setup import Setup
from simlab.engine.stepper import Stepper
from simlab.engine.streams import open_streams
from simlab.errors import InputError
from simlab.game import LOADED


def compare(match: Setup, seed: int, games: int) -> int:
    """Plays games with the match's knobs and tables, with random choices, in plain Python and compiled.

    Returns:
        number of decisions compared.
    Raises:
        InputError: they differ; names the game, the decision and the field.
    """
    return sum(_Pair(match, seed, index).play() for index in range(games))


class _Pair:
    """One game, compiled and plain."""

    def __init__(self, match: Setup, seed: int, index: int) -> None:
        self.match, self.game = match, _class_of(match)
        self.seed, self.index = seed, index
        self.last = "setup"
        self.stepper = Stepper(match, seed, index)
        owner = self._owner()
        self.plain: Game = self._guard(
            lambda: owner(len(self.game.seats), seed=seed, game=index, knobs=_knobs(match), tables=match.table_rows)
        )

    def _owner(self) -> Any:
        """The class; if dice or decks are loaded, one whose plain games draw as the record does."""
        blank = self.match.blank_state(self.seed).view(np.recarray)[0]
        if blank.forced_n < LOADED:
            return self.game.owner
        open_streams(blank, self.index)
        return drawing_from(self.game.owner, blank)

    def play(self) -> int:
        """Plays to the end; returns the number of decisions."""
        stepper, plain = self.stepper, self.plain
        chance = Stream(self.seed, self.index, 0)
        decisions = 0
        while not stepper.over and not plain.over:
            self._check_fields()
            legal = stepper.legal()
            options = self._guard(lambda: [int(option) for option in plain.legal()])
            own = allowed(self.game, stepper.state, self.match.knobs[0], options)
            self._check("legal options", legal, own)
            action = legal[chance.below(len(legal))]
            self.last = f"{stepper.decision.name}: {stepper.label(action)}"
            self._guard(partial(plain.take, action))
            stepper.apply(action)
            decisions += 1
        self._check_fields()
        self._check("over", stepper.over, plain.over)
        stepper.row()
        row = stepper.rows[0]
        self._check("winners", int(row["winners"]), sum(1 << seat for seat in self._guard(plain.winners)))
        self._check("ending", self.game.endings[int(row["ending"])], plain.ending)
        self._check("turns", int(row["turns"]), plain.turn)
        if self.game.has_scores:
            scores = self._guard(lambda: [int(plain.score_of(seat)) for seat in plain.seats])
            self._check("scores", row["score"].tolist(), scores)
        return decisions

    def _check_fields(self) -> None:
        plain, plan = self.plain, self.plain.blueprint()
        pairs: list[tuple[str, Any]] = [("seat", plain.seat), ("turn", plain.turn)]
        pairs += [(name, getattr(plain, name)) for name in plan.fields if name != "ending"]
        for name, part in plan.components.items():
            pairs += [(f"{name}_{field}", getattr(getattr(plain, name), field)) for field in part.fields()]
        for name, value in pairs:
            own = np.asarray(value.values if isinstance(value, Grid) else value).reshape(-1)
            compiled = np.asarray(self.stepper.state[name]).reshape(-1)
            if not np.array_equal(own, compiled):
                place = int(np.flatnonzero(own != compiled)[0])
                self._check(f"{name}[{place}]" if own.size > 1 else name, compiled[place], own[place])

    def _check(self, what: str, compiled: Any, plain: Any) -> None:
        if compiled != plain:
            raise InputError(
                f"{self.game.slug}: compiled and plain play differ in {self._where}: {what}: compiled {compiled}, "
                f"plain {plain}. No result of this game can be trusted. Numbers above 2,147,483,647, fractions in a "
                f"field, or a may_ method that changes the game can be the cause. Otherwise it is a "
                f"defect of simlab: please report it with the game.\nReplay it: {self._replay}"
            )

    def _guard(self, call: Callable[[], Any]) -> Any:
        """Calls the author's code; an error is reported with its line."""
        try:
            return call()
        except InputError:
            raise
        except Exception as fault:
            frames = [f for f in extract_tb(fault.__traceback__) if Path(f.filename) == self.game.file]
            at = f"{self.game.file}, line {frames[-1].lineno}: " if frames else ""
            raise InputError(
                f"{at}{type(fault).__name__}: {fault} ({self._where}).\nReplay it: {self._replay}"
            ) from fault

    @property
    def _where(self) -> str:
        return f"game {self.index} of seed {self.seed} after '{self.last}'"

    @property
    def _replay(self) -> str:
        return self.match.replay_command(self.seed, self.index)


def _class_of(match: Setup) -> Any:
    return match.game


def _knobs(match: Setup) -> dict[str, Any]:
    return {name: match.knobs_resolved[name] for name in _class_of(match).owner.blueprint().knobs}
