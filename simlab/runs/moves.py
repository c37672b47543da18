"""The moves of games as a table: who chose which action when, out of how many options, and which rules fired.

A game is a function of its seed and index, so a run does not store its moves: the games are played again and the moves
written to a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper

if TYPE_CHECKING:
    import polars as pl

FRAME = 20_000  #: approximate number of moves that are held in memory at a time
#: Column -> description. Move 0 is the set-up: it has no seat, and lists the rules that fired in it.
COLUMNS = {
    "seed": "of the run",
    "game": "index of the game",
    "move": "decisions of all seats so far, from 1; 0: set-up",
    "turn": "turn of the game in which it was taken",
    "seat": "who decided",
    "decision": "the decision",
    "action": "the choice, in words",
    "code": "the same as a number; -1 for the set-up",
    "options": "legal actions there were",
    "rules": "IDs of the rules that fired from here to the next decision, separated by spaces; `*3`: three times",
}


def kinds() -> dict[str, Any]:
    """Column -> its Polars type."""
    import polars as pl

    integers = {"seed": pl.Int64, "game": pl.Int64, "move": pl.Int32, "turn": pl.Int32, "code": pl.Int32}
    return {name: integers.get(name, pl.String) for name in COLUMNS} | {"options": pl.Int32}


def events(match: Match, seed: int, games: Sequence[int]) -> Iterator[pl.DataFrame]:
    """The moves of these games, in order, as tables with the columns of COLUMNS; errors as for Stepper."""
    import polars as pl

    rows: list[tuple[Any, ...]] = []
    for index in games:
        rows += _moves(Stepper(match, seed, index))
        if len(rows) >= FRAME or index == games[-1]:
            yield pl.DataFrame(rows, schema=kinds(), orient="row")
            rows = []


def _moves(stepper: Stepper) -> Iterator[tuple[Any, ...]]:
    fired = stepper.state.fired.astype(int)
    turn = int(stepper.state.turn)
    yield stepper.seed, stepper.index, 0, turn, "", "set-up", "", -1, 0, _rules(stepper, fired)
    while not stepper.over:
        options, turn, seat, decision = len(stepper.legal()), int(stepper.state.turn), stepper.seat, stepper.decision
        action = stepper.policy_action()
        label = stepper.label(action)
        before = stepper.state.fired.astype(int)
        stepper.apply(action)
        rules = _rules(stepper, stepper.state.fired.astype(int) - before)
        yield (
            stepper.seed, stepper.index, stepper.decisions, turn, seat, decision.name, label, action, options, rules,
        )  # fmt: skip


def _rules(stepper: Stepper, fired: Any) -> str:
    pairs = zip(stepper.game.rules, fired.tolist(), strict=True)
    return " ".join(f"{rule.id}*{n}" if n > 1 else rule.id for rule, n in pairs if n > 0)
