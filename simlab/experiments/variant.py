"""A variant's file where a game is asked for: what it sets, as the options of a command would.

    simlab replay my_variant.toml --game 3        simlab analyze luck my_variant.toml --set walls_start=7

So one file serves every command: it is played by `run`, judged by `check`, and looked into by the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.errors import InputError
from simlab.experiments.load import load_experiment
from simlab.experiments.options import read_assignments, read_bot_options
from simlab.refs import GameRef


@dataclass(frozen=True)
class Variant:
    """A game, and what a file and the options of a command set for it, as options say it.

    Attributes:
        name: of the experiment, or the game as it was named. file: whether a file was read.
        set_, cards, bot: as `--set`, `--cards` and `--bot` take them. seed, games: None if nobody says.
        vary: what is in [vary], of a grid. contract: figure -> its clause.
    """

    game: str
    name: str
    file: bool
    set_: list[str]
    cards: list[str]
    bot: list[str]
    seed: int | None = None
    games: int | None = None
    vary: Mapping[str, Any] | None = None
    contract: Mapping[str, Mapping[str, float]] | None = None


def read_variant(
    game: str,
    set_: Sequence[str] | None = None,
    cards: Sequence[str] | None = None,
    bot: Sequence[str] | None = None,
    seed: int | None = None,
    players: int | None = None,
    *,
    one_bot: bool = True,
) -> Variant:
    """What is to be played: a game as it was named, or what an experiment's file says of one.

    Args:
        game: of a game, or a file that ends in .toml. The rest: options, which go before what the file says.
        one_bot: of a seat with several bots take the first.
    Raises:
        InputError: anything wrong in the file or the options, or the file plays tables of several sizes and
            `players` names none.
    """
    if not game.endswith(".toml"):
        return Variant(game, game, False, list(set_ or ()), list(cards or ()), list(bot or ()), seed)
    experiment = load_experiment(game, players=players)
    if experiment.sizes:
        raise InputError(f"{game}: plays tables of {', '.join(map(str, experiment.sizes))}. Say which: --players N.")
    knobs = {name: _text(value) for name, value in experiment.knobs.items()}
    knobs |= read_assignments(set_ or (), "--set", "KNOB=VALUE, as --set walls=6")
    tables = {name: str(path) for name, path in experiment.card_files.items()}
    tables |= read_assignments(cards or (), "--cards", "TABLE=FILE, as --cards counters=my.csv")
    bots = {seat: list(texts[:1] if one_bot else texts) for seat, texts in experiment.bot_refs.items()}
    bots |= read_bot_options(bot or ())
    return Variant(
        str(GameRef.parse(experiment.game_ref).measured(experiment.metric_refs)),
        experiment.name,
        True,
        [f"{name}={value}" for name, value in knobs.items()],
        [f"{name}={path}" for name, path in tables.items()],
        [f"{seat}={','.join(texts)}" for seat, texts in bots.items()],
        experiment.seed if seed is None else seed,
        experiment.games,
        experiment.space if experiment.method == "grid" else None,
        {name: goal.model_dump(exclude_none=True) for name, goal in experiment.contract.items()},
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
