"""An experiment prepared for a search for fixes: what may change, which bots may answer, and the goals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from pathlib import Path
from typing import Any

from simlab.bot_registry import bots_for, load_bot
from simlab.engine.outcome import figures_of, sides_of
from simlab.errors import InputError
from simlab.questions.fixes.evaluator import MOST_LINE_UPS, LineUp, Objective
from simlab.questions.fixes.parameters import Space, space_of
from simlab.registry import load_game
from simlab.spec.experiment import Experiment
from simlab.stats.verdict import band


@dataclass(eq=False)
class Problem:
    """An experiment prepared for a search. The arguments are the options of `simlab optimize rules`.

    Args:
        also: seat (or "*") -> slow bots, which only the finalists meet, for `also_games` per match-up.
        all_bots: whether all of the game's bots may respond to a change, and not only those of the experiment; only for
            games with one or two sides.
        out: folder of the games, by default results/<name>-fixes; its contents are reused.
    Attributes:
        sides: name of each side -> its seats. bots: bots of each side, name -> reference, the slow ones last. slow,
            fast: number of slow bots and of other bots of each side.
    """

    experiment: Experiment
    knobs: Sequence[str] = ()
    cards: Sequence[str] = ()
    most_changes: int = 3
    games: int = 4_000
    budget: int = 2_000_000
    also: InitVar[Mapping[str, Sequence[str]] | None] = None
    also_games: int = 400
    all_bots: InitVar[bool] = True
    out: Path | str | None = None
    workers: int | None = None

    def __post_init__(self, also: Mapping[str, Sequence[str]] | None, all_bots: bool) -> None:
        experiment = self.experiment
        if not 1 <= self.most_changes <= 6:
            raise InputError(f"--most-changes {self.most_changes}: a search changes 1 to 6 knobs.")
        if min(self.games, self.also_games) < 2:
            raise InputError("--games and --also-games: two games per match-up or more show how far results vary.")
        if self.workers is not None and self.workers < 1:
            raise InputError(f"workers = {self.workers} is not allowed: use 1 or more.")
        if experiment.varied or experiment.sizes:
            raise InputError(
                f"{experiment.name}: [vary] has no place here: the search itself varies the knobs. Name those that may "
                "change with --knobs."
            )
        self.game = game = load_game(experiment.table_ref())
        figures = figures_of(game)
        if not experiment.contract:
            raise InputError(
                f"{experiment.name}: has no [contract] to keep. Add one, as {figures.wins[0].name} = "
                "{ target = 0.5, margin = 0.05 }."
            )
        self.tables = game.read_tables(experiment.card_files)
        base = game.resolve_knobs(experiment.knobs, self.tables)
        self.space: Space = space_of(game, base, self.tables, self.knobs, self.cards, fixed=set(experiment.knobs))
        self.objectives = tuple(
            Objective(figures.find(name, "[contract]"), *band(name, goal.model_dump(exclude_none=True)))
            for name, goal in experiment.contract.items()
        )
        self.sides = {name: [game.seats[place] for place in seats] for name, seats, _ in sides_of(game)}
        self.bots: list[dict[str, str]] = []
        self.slow: list[int] = []
        self._find_bots(also or {}, all_bots)
        self.fast = [len(bots) - slow for bots, slow in zip(self.bots, self.slow, strict=True)]
        self.line_ups = math.prod(self.fast)
        if len(self.fast) > 2 and self.line_ups > MOST_LINE_UPS:
            each = " x ".join(map(str, self.fast))
            raise InputError(
                f"{experiment.name}: {each} bots are {self.line_ups:,} line-ups, over {MOST_LINE_UPS}: name fewer "
                f"with --bot {game.seats[0]}=..."
            )
        of_number = ("category", "length", "score", "number")
        numbers = [one.figure.column for one in self.objectives if one.figure.topic in of_number]
        self.numbers = tuple(dict.fromkeys(numbers))

    def _find_bots(self, also: Mapping[str, Sequence[str]], all_bots: bool) -> None:
        game, experiment = self.game, self.experiment
        for seat in also:
            if seat not in (*game.seats, "*"):
                raise InputError(f"--also {seat}=...: {game.slug} has no seat '{seat}'.")
        for side, seats in self.sides.items():
            found: dict[Any, tuple[str, str]] = {}
            for seat in seats:
                for text, ref in zip(experiment.bots[seat], experiment.bot_refs[seat], strict=True):
                    self._add(found, seats, text, ref)
            for text in sorted(bots_for(game, seats[0])) if all_bots and len(self.sides) <= 2 else ():
                self._add(found, seats, text, text)
            if not found:
                raise InputError(f"no bot can take all seats of the {side}: name one with --bot.")
            fast = len(found)
            for seat in ("*", *seats):
                for text in also.get(seat, ()):
                    if not self._add(found, seats, text, text) and seat != "*":
                        load_bot(game, seat, text)  # says why not
            self.bots.append(dict(found.values()))
            self.slow.append(len(found) - fast)

    def _add(self, bots: dict[Any, tuple[str, str]], seats: Sequence[str], text: str, ref: str) -> bool:
        """Adds a bot, unless it is there under another name; returns False if it cannot take all seats of a side."""
        try:
            loaded = [load_bot(self.game, seat, ref) for seat in seats]
        except InputError:
            return False
        bots.setdefault(
            tuple((one.policy.module, one.policy.name, one.traits.tobytes()) for one in loaded), (text, ref)
        )
        return True

    def seats_of(self, line_up: LineUp, labels: bool = True) -> dict[str, str]:
        """Seat -> bot of a line-up, by name or by reference."""
        seats: dict[str, str] = {}
        for mine, bots, place in zip(self.sides.values(), self.bots, line_up, strict=True):
            seats |= dict.fromkeys(mine, list(bots if labels else bots.values())[place])
        return {seat: seats[seat] for seat in self.game.seats}
