"""Results made up for the tests: the shapes that a run gives, played by coins instead of bots."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

from simlab.engine.tally import Tally
from simlab.errors import InputError
from simlab.runs.names import Names

HOSTILE = '<script>alert("x")</script>\'"&$x^2$ {{ 7*7 }} [red]\x1b[31m\x00\n' + "long " * 60
ENDINGS = ("none", "assault", "surrender", "abandon")
TURNS, RULES, ACTIONS, LOW, HIGH = 40, 24, 6, 0, 12


@dataclass
class FakeResults:
    """What of simlab.runs.results.Results the report reads."""

    folder: Path
    experiment: dict[str, Any]
    manifest: dict[str, Any]
    cells: list[Any]
    partial: bool = False
    failed: list[dict[str, Any]] = field(default_factory=list)
    command: str = "simlab run experiments/fake.toml"
    rows: pl.DataFrame | None = None
    sizes: tuple[int, ...] = (2,)
    has_rows: bool = False
    gap: str = ""
    cut_off: str = ""
    studies: dict[str, Any] = field(default_factory=dict)

    @property
    def whole(self) -> FakeResults:
        return self

    @cached_property
    def names(self) -> Names:
        return Names.read(json.loads(json.dumps(self.manifest["names"])), self.folder / "manifest.json")

    def scan(self) -> pl.LazyFrame:
        if self.rows is None:
            raise InputError("has no rows of games")
        return self.rows.lazy()


def tally(generator, games, seats, chances, draw=0.0, length=10.0, alive=RULES, winners=None):
    """Counts of games between seats whose chances to win are given."""
    n = len(seats)
    if winners is None:
        p = np.array([draw / 2, draw / 2, *((1 - draw) * np.array(chances))])
        winners = generator.choice(n + 2, size=games, p=p / p.sum())
        if n == 1:  # a single seat shares with nobody
            winners = np.maximum(winners, 1)
    turns = np.clip(generator.poisson(length, games), 1, TURNS)
    endings = np.where(winners < 2, 0, np.where(winners == 2, 1, 2 + (generator.random(games) < 0.9)))
    outcomes = np.zeros((n + 2, len(ENDINGS), TURNS + 1), np.uint64)
    np.add.at(outcomes, (winners, endings, turns), np.uint64(1))
    won_with = np.zeros((n, n + 1), np.uint64)  # who shares a win shares it with all
    won_with[:, 1] = np.bincount(winners, minlength=n + 2)[2:]
    won_with[:, n] += np.uint64((winners == 0).sum())
    share = np.linspace(1, 0.02, RULES) * (np.arange(RULES) < alive)
    fired_games = generator.binomial(games, share).astype(np.uint64)
    offered = np.zeros((n, 3, ACTIONS), np.uint64)
    chosen, used_games, used_wins = (np.zeros_like(offered) for _ in range(3))
    for seat in range(n):
        kind = min(seat, 1)
        offered[seat, kind, :5] = games * 8
        taken = generator.dirichlet(np.ones(4)) * 0.9
        chosen[seat, kind, :4] = (games * 8 * taken).astype(np.uint64)
        used_games[seat, kind, :4] = np.minimum(chosen[seat, kind, :4], np.uint64(games))
        used_wins[seat, kind, :4] = used_games[seat, kind, :4] // np.uint64(2)
    # Card 0 is had by everybody and wins; card 1 is had and never used; card 2 never comes up.
    item_games = np.zeros((2 * n, 4), np.uint64)
    item_wins = np.zeros_like(item_games)
    for seat in range(n):
        wins = int((winners == seat + 2).sum())
        item_games[seat, :2] = games // 2
        item_wins[seat, :2] = wins // 2
        item_games[n + seat, 0] = item_wins[n + seat, 0] = wins // 4
    tracks = np.zeros((TURNS + 1, 2, HIGH - LOW + 1), np.uint64)
    for turn in range(1, TURNS + 1):
        going = int((turns >= turn).sum())
        for track in range(2):
            values = np.clip(generator.binomial(HIGH, 0.3 + 0.01 * turn, going), LOW, HIGH)
            tracks[turn, track] = np.bincount(values, minlength=HIGH - LOW + 1)
    metrics = {
        "walls_end": np.unique(generator.binomial(10, 0.5, games), return_counts=True),
        "always": (np.array([3]), np.array([games])),
        "cards": np.unique(generator.geometric(0.02, games), return_counts=True),
        "decisions": np.unique(turns * 3, return_counts=True),
    }
    counts = dict(  # noqa: C408
        fired=fired_games * np.uint64(3),
        fired_games=fired_games,
        fired_squares=fired_games * np.uint64(9),
        offered=offered,
        chosen=chosen,
        used_games=used_games,
        used_wins=used_wins,
        tracks=tracks,
        outcomes=outcomes,
        won_with=won_with,
        item_games=item_games,
        item_wins=item_wins,
        item_score=np.zeros_like(item_games).astype(np.int64),
        item_squares=np.zeros_like(item_games).astype(np.int64),
    )
    made = Tally(games, counts, metrics)
    made.lengths, made.how = turns, endings
    return made, winners


def names(seats, hostile=False):
    bad = HOSTILE if hostile else ""
    return {
        "slug": "fake_siege",
        "title": "Fake Siege" + bad,
        "seats": list(seats),
        "endings": list(ENDINGS),
        "decisions": [
            {
                "id": "F-D-01",
                "name": "first's action" + bad,
                "actions": ["Storm" + bad, "Wait", "Dig", "Plan", "Sleep"],
            },
            {"id": "F-D-02", "name": "other's action", "actions": []},
            {"id": "F-D-03", "name": "never asked", "actions": ["a", "b"]},
        ],
        "metrics": [
            {"name": "walls_end", "help": "walls at the end" + bad, "unit": "points"},
            {"name": "always", "help": "the same in every game", "unit": ""},
            {"name": "cards", "help": "cards used", "unit": "cards"},
            {"name": "missing", "help": "never stored", "unit": ""},
        ],
        "tracks": [
            {"name": "walls", "low": LOW, "high": HIGH, "help": "City Walls" + bad},
            {"name": "deck", "low": LOW, "high": HIGH, "help": ""},
        ],
        "rules": [
            {
                "id": f"F-{'AB'[i // 12]}-{i % 12 + 1:02}",
                "text": f"Rule number {i}. `walls` may rise." + bad,
                "where": "p. 1",
                "status": "ruling" if i % 5 == 0 else "exact",
                "knobs": ["walls"] if i % 10 == 0 else [],
            }
            for i in range(RULES)
        ],
        "max_turns": TURNS,
        "max_actions": ACTIONS,
        "has_scores": False,
        "turn_name": "turn",
        "uses": ["held", "event"],
        "n_items": 4,
        "items": [["spring", "Ambush" + bad], ["spring", "Bridge"], ["winter", "Castle"]],
    }


def results(
    folder=Path("results/fake"),
    *,
    seats=("besieger", "besieged"),
    bots=None,
    knobs=None,
    games=400,
    draw=0.0,
    hostile=False,
    contract=None,
    alive=RULES - 2,
    rows=False,
    shared=False,
    chance=None,
    seed=0,
    scores=False,
):
    """A run of every match-up at every setting.

    Args:
        bots: seat -> bots. knobs: name -> values. rows: whether rows of games can be read.
        shared: one luck for all cells, as common random numbers give; else each its own.
        chance: (place of the first bot, place of the second, values of the knobs) -> win rate of the first,
            or of each seat
            seat.
    """
    generator = np.random.default_rng(seed)
    rows = rows or scores
    bots = bots or {seat: ["rusher"] for seat in seats}
    knobs = knobs or {}
    luck = generator.random(games)
    cells, frames = [], []
    for match_up in itertools.product(*(enumerate(bots[seat]) for seat in seats)):
        for point in itertools.product(*knobs.values()):
            places = [place for place, _ in match_up]
            first = (
                chance(places[0], places[1], point)
                if chance
                else min(max(0.5 + 0.05 * places[0] - 0.05 * places[-1], 0.03), 0.97)
            )
            if isinstance(first, tuple):
                chances = list(first)
            elif len(seats) > 1:
                chances = [first, *([(1 - first) / (len(seats) - 1)] * (len(seats) - 1))]
            else:
                chances = [1.0]
            winners = np.where(luck < first, 2, 3) if shared else None
            counts, who = tally(generator, games, seats, chances, draw, alive=alive, winners=winners)
            points = 10 * counts.how + np.arange(games) % 7
            if scores:
                counts.metrics |= {f"score_{seat}": np.unique(points, return_counts=True) for seat in seats}
            key = f"{len(cells):016x}"
            varied = dict(zip(knobs, point, strict=True))
            labels = {seat: bot for seat, (_, bot) in zip(seats, match_up, strict=True)}
            cells.append(
                SimpleNamespace(
                    key=key,
                    label=" v ".join(labels.values()),
                    knobs={"walls": 5, **varied},
                    varied=varied,
                    bots=labels,
                    games=games,
                    tally=counts,
                    faults=(),
                    shards=(),
                    tables={},
                )
            )
            if rows:
                winner = [(["shared", "nobody", *seats])[w] for w in who]
                frames.append(
                    pl.DataFrame(
                        {
                            "game": np.arange(games),
                            "cell": [key] * games,
                            "winner": winner,
                            "turns": counts.lengths,
                            "ending": [ENDINGS[e] for e in counts.how],
                            **{f"score_{seat}": points for seat in seats if scores},
                        }
                    )
                )
    manifest = {
        "format": 1,
        "status": "complete",
        "identity": {"name": "fake", "rules": "abc123"},
        "names": {**names(seats, hostile), "has_scores": scores},
        "versions": {"simlab": "0.1", "numpy": "2"},
        "created": "2026-01-01T00:00:00",
        "streams": {"version": "philox/1", "how": "All cells share the seed."},
        "tables": {"counters": {"rows": 9, "reconstructed": ["C1 Ram", "C2 Mine", "C3 Tower"], "digest": "d"}},
        "machine": {"platform": HOSTILE if hostile else "Linux", "processors": 2},
        "fingerprint": "f00d",
        "runs": [],
    }
    experiment = {
        "experiment": {
            "name": HOSTILE if hostile else "fake",
            "game": "fake_siege",
            "seed": 7,
            "question": "Is it fair?" + (HOSTILE if hostile else ""),
        },
        "contract": contract or {},
        "stop": None,
    }
    made = FakeResults(folder, experiment, manifest, cells, rows=pl.concat(frames) if frames else None)
    if hostile:
        made.command = "simlab run " + HOSTILE
        made.partial = True
        made.failed = [{"label": HOSTILE, "first": 3, "last": 3, "why": HOSTILE, "replay": HOSTILE}]
    return made
