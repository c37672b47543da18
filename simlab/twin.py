"""The kit for a second implementation of a game: a plain-Python twin of the compiled rules.

The twin is written from the rulebook alone. It gets the same draws and decisions as the game. After each decision the
lab compares the seat to act, the legal actions and the fields that the twin returns, and at the end the row. Missing
methods are not compared, so you can write the twin rule by rule:

    class Twin:
        def __init__(self, knobs, chance): ...    # knobs by name; chance.below("die", 6) is 0..5
        def seat(self): return "first"            # the seat to act; None: not compared
        def legal(self): return [0, 1]            # legal actions, in order; None: not compared
        def apply(self, action): ...              # one decision, and everything that follows
        def over(self): return False              # None: not compared
        def fields(self): return {"turn": 1}      # name of a field of the record -> its value
        def row(self): return {"winner": 0}       # at the end: column of the row -> its value
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from simlab.engine.abreast import Abreast, Chance
from simlab.engine.match import Match
from simlab.game import Game, Knob, KnobValue
from simlab.spec.knobs import WholeKnob


def check_twin(
    game: Game,
    twin: Callable[[dict[str, KnobValue], Chance], Any],
    *,
    games: int = 20,
    seed: int = 1,
    knobs: Mapping[str, KnobValue] | None = None,
    vary: bool = True,
    bots: Mapping[str, str] | None = None,
) -> list[str]:
    """Plays games with their twin in parallel, and stops at the first difference.

    Args:
        twin: the class, or a function, that takes the knobs by name and the random draws; see the module's docstring.
        games: number of games. vary: whether every second game gets random values for the knobs that `knobs` does not
            set.
        bots: seat -> bot; seats play at random by default.
    Returns:
        One sentence per comparison, and the methods that the twin lacks.
    Raises:
        TwinDiffers: the first difference, with knobs, seed, game, turn, decision and the command that shows the game.
    """
    said: Counter[str] = Counter()
    played = {seat: (bots or {}).get(seat, "random") for seat in game.seats}
    for index in range(games):
        other = random_knobs(game, np.random.default_rng((seed, index)), knobs) if vary and index % 2 else knobs
        match = Match(game, knobs=other, bots=played)
        made = partial(twin, dict(match.knobs_resolved), Chance(match, seed, index))
        Abreast(match, seed, index, made, said).play()
    fields, columns = (
        sorted(name.removeprefix(kind) for name in said if name.startswith(kind)) for kind in ("field ", "column ")
    )
    whole = [name for name in _WHOLE if said[name]]
    done = [
        f"{games} games and {said['decisions']:,} decisions compared"
        + (", every second game with other knobs" if vary else ""),
        f"alike: {', '.join([*whole, *fields, *columns]) or 'nothing'}",
    ]
    own = [name for name in game.state.names or () if not name.startswith(_HEADER)]
    left = [*(name for name in _WHOLE if name not in whole), *(name for name in own if name not in fields)]
    if left:
        done.append(f"not in the twin yet: {', '.join(left)}")
    return done


_WHOLE = ("seat", "legal", "over")
_HEADER = ("stream_", "forced_", "frame_", "legal", "n_legal", "fired", "over", "seat", "decision")


def random_knobs(
    game: Game, draw: np.random.Generator, knobs: Mapping[str, KnobValue] | None = None
) -> dict[str, KnobValue]:
    """The given knobs, with about half of the other knobs at random values from their ranges and without
    contradictions.
    """
    for _ in range(1_000):
        drawn = dict(knobs or {})
        for name, knob in game.knobs.items():
            if name not in drawn and not knob.blanks and draw.random() < 0.5:
                drawn[name] = random_value(knob, draw)
        if not game.faults_of({**game.resolve_knobs(), **drawn}):
            return drawn
    return dict(knobs or {})


def random_value(knob: Knob, draw: np.random.Generator) -> KnobValue:
    """A value that the knob allows, often an end of its range, because the ends reveal more faults than the middle."""
    edge = draw.random() < 0.3
    if knob.choices:
        return knob.choices[draw.integers(len(knob.choices))]
    if isinstance(knob, WholeKnob):
        low, high = int(knob.low), int(knob.high)
        return int(draw.choice([low, high]) if edge else draw.integers(low, high + 1))
    return float(draw.choice([knob.low, knob.high]) if edge else draw.uniform(knob.low, knob.high))
