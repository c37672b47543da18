"""An experiment in which every name and value is known to be right."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simlab.spec.design import (
    SAMPLED,
    Point,
)
from simlab.spec.experiment_file import Goal, Stop
from simlab.spec.refs import GameRef

FORMAT = 1  # of Experiment.resolved


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment in which every name and value is known to be right.

    Attributes:
        game: as the user wrote it. game_ref: its slug, or the absolute path of its folder.
        games: games per cell; with a [stop] a cell may continue up to `most_games`.
        bots: seat -> bots as the user wrote them, every seat, in the game's order.
        bot_refs: the same bots as `simlab.registry.load_bot` reads them from any folder.
        knobs: those set for all cells.
        method, rows: how the points were made, and the points: one empty point where nothing varies.
        space: the entry of each knob in [vary].
        points: how many points were asked of a method that draws.
        sequence: with saltelli and morris, the place in `rows` of each point of the design, in its order.
        tournament: whether it compares bots. match_ups: how many match-ups are drawn out of all; None for all.
        ladder: whether the bots of a seat are steps, of which only neighbours meet.
        cards: table -> file as the user wrote it. card_files: the same as absolute paths.
        contract: figure -> goal; `simlab info GAME statistics` lists the figures.
        source: the file it was read from.
        remedies: single changes of a knob that are tried in best play after the run; remedy_games: games of each
            match-up and change.
        sizes: numbers of players, ascending, of a run that varies them; else empty. The seats, the knobs and the
            bots are then those of the largest table.
        mark: changes to that file by a shell or a notebook, as the end of the default folder's name.
        metrics: own measures as the user wrote them; metric_refs: as they load from any folder.
        base: all knobs: the default, a swapped table's value, or the one set; of varied knobs the first value.
        hypothesis, notes: the designer's expectation, and remarks; they have no effect.
    """

    name: str
    game: str
    game_ref: str
    games: int
    seed: int
    question: str
    row_limit: int
    shard_games: int
    bots: dict[str, tuple[str, ...]]
    bot_refs: dict[str, tuple[str, ...]]
    knobs: Point
    method: str
    rows: tuple[Point, ...]
    space: dict[str, Any] = field(compare=False)
    points: int | None
    cards: dict[str, str]
    card_files: dict[str, Path]
    contract: dict[str, Goal]
    stop: Stop | None
    source: Path | None = field(default=None, compare=False)
    sequence: tuple[int, ...] = ()
    tournament: bool = False
    match_ups: int | None = None
    ladder: bool = False
    mark: str = field(default="", compare=False)
    hypothesis: str = field(default="", compare=False)
    notes: str = field(default="", compare=False)
    sizes: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()
    metric_refs: tuple[str, ...] = ()
    remedies: tuple[Point, ...] = field(default=(), compare=False)
    remedy_games: int = field(default=0, compare=False)
    base: Point = field(default_factory=dict, compare=False)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the knobs that vary."""
        return tuple(self.rows[0])

    @property
    def _drawn(self) -> dict[str, int | bool]:
        drawn: dict[str, int | bool] = {} if self.match_ups is None else {"match_ups": self.match_ups}
        return drawn | ({"ladder": True} if self.ladder else {})

    @property
    def _remedies(self) -> dict[str, Any]:
        """[remedies] as a file has it."""
        values: dict[str, list[Any]] = {}
        for point in self.remedies:
            for name, value in point.items():
                values.setdefault(name, []).append(value)
        return {"games": self.remedy_games, **values}

    @property
    def most_games(self) -> int:
        """Games that a cell plays at most."""
        return self.stop.max_games if self.stop else self.games

    def table_ref(self, players: int | None = None) -> str:
        """The game as `load_game` takes it, with the own metrics, for `players`; None for the largest number played."""
        players = players or (self.sizes[-1] if self.sizes else None)
        return str(GameRef.parse(self.game_ref).with_players(players).measured(self.metric_refs))

    def resolved(self) -> dict[str, Any]:
        """The experiment with everything that follows from the file spelled out; JSON-able, in a fixed order.

        `simlab.runs.open_experiment.from_resolved` makes the same experiment of it, with the same points, whatever the
        versions of the libraries that drew them. `files` holds the absolute paths of everything named by a
        path; `defaults` the knobs that are neither set nor varied.
        """
        vary: dict[str, Any] | None = None
        if self.varied:
            vary = {"method": self.method, "knobs": list(self.varied)}
            if self.method == "grid":
                vary["values"] = {n: list(dict.fromkeys(row[n] for row in self.rows)) for n in self.varied}
            else:
                vary |= {"rows": [list(row.values()) for row in self.rows]}
            if self.method in SAMPLED:
                vary |= {"points": self.points, "space": self.space}
            if self.method == "one_at_a_time":
                vary |= {"space": self.space}
            if self.sequence:
                vary |= {"sequence": list(self.sequence)}
        files: dict[str, Any] = {}
        # An absolute path means itself.
        if self.game_ref != self.game or "/" in self.game_ref or os.sep in self.game_ref:
            files["game"] = self.game_ref
        pairs = {seat: dict(zip(self.bots[seat], self.bot_refs[seat], strict=True)) for seat in self.bots}
        named = {seat: {t: ref for t, ref in refs.items() if ref != t} for seat, refs in pairs.items()}
        if any(named.values()):
            files["bots"] = {seat: refs for seat, refs in named.items() if refs}
        if self.card_files:
            files["cards"] = {name: str(path) for name, path in self.card_files.items()}
        own = {text: ref for text, ref in zip(self.metrics, self.metric_refs, strict=True) if ref != text}
        if own:
            files["metrics"] = own
        return {
            "format": FORMAT,
            "experiment": {
                "name": self.name, "game": self.game, "games": self.games, "seed": self.seed,
                "question": self.question, "row_limit": self.row_limit, "shard_games": self.shard_games,
                **self._remarks, **({"metrics": list(self.metrics)} if self.metrics else {}),
            },
            "bots": {seat: list(texts) for seat, texts in self.bots.items()},
            "knobs": dict(self.knobs),
            "defaults": {n: v for n, v in self.base.items() if n not in self.knobs and n not in self.varied},
            "vary": vary,
            "cards": dict(self.cards),
            "contract": {name: goal.model_dump(exclude_none=True) for name, goal in self.contract.items()},
            "stop": self.stop.model_dump(exclude_none=True) if self.stop else None,
            "files": files,
        } | ({"tournament": self._drawn} if self.tournament else {}) | (
            {"remedies": self._remedies} if self.remedies else {}
        )  # fmt: skip

    @property
    def _remarks(self) -> dict[str, str]:
        """The designer's texts other than the question, if any."""
        return {key: text for key, text in (("hypothesis", self.hypothesis), ("notes", self.notes)) if text}

    def to_toml(self) -> str:
        """A file without `extends` that gives the same experiment from any folder: its paths are absolute."""
        import tomli_w

        out: dict[str, Any] = {"experiment": {"name": self.name, "game": self.game_ref, "games": self.games}}
        out["experiment"] |= {"seed": self.seed, "question": self.question, **self._remarks}
        out["experiment"] |= {"row_limit": self.row_limit, "shard_games": self.shard_games}
        if self.metric_refs:
            out["experiment"]["metrics"] = list(self.metric_refs)
        out["bots"] = {s: refs[0] if len(refs) == 1 else list(refs) for s, refs in self.bot_refs.items()}
        if self.tournament:
            out["tournament"] = self._drawn
        if self.knobs:
            out["knobs"] = dict(self.knobs)
        if self.varied:
            asked = {} if self.points is None else {"points": self.points}
            space = {name: _one_line(given) for name, given in self.space.items()}
            out["vary"] = {"method": self.method, **asked, **space}
        if self.card_files:
            out["cards"] = {name: str(path) for name, path in self.card_files.items()}
        if self.contract:
            out["contract"] = {name: goal.model_dump(exclude_none=True) for name, goal in self.contract.items()}
        if self.stop:
            out["stop"] = self.stop.model_dump(exclude_none=True)
        if self.remedies:
            out["remedies"] = self._remedies
        return tomli_w.dumps(out)


def _one_line(given: object) -> object:
    """The entries of [vary] that are not tables: TOML writes tables last, but the order of the knobs counts."""
    if not isinstance(given, Mapping):
        return given
    if "grid" in given:
        return given["grid"]
    step = f":{given['step']}" if "step" in given else ""
    return f"{given['low']}..{given['high']}{step}"


def belongs(figure: str, asked: Iterable[str]) -> bool:
    """Whether a figure was asked for: by its name, or by one about it, as `turns_p90` is about `turns`."""
    return any(name == figure or name.startswith(f"{figure}_") for name in asked)


def asked_words(contract: Iterable[str], precise: str = "") -> str:
    """The pre-specified statistics, in words; empty if there are none.

    Args:
        contract: names of its figures. precise: the win rate that a stop rule makes precise, or "".
    """
    parts = [f"{name} (contract)" for name in contract]
    return ", ".join([*parts, *([f"{precise} (stop rule)"] if precise else [])])
