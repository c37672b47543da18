"""Measures how well bots of one seat do against given bots of the other seats, in the same games and in parallel. The
bots may be different bots, or one bot with different traits. Games with the same index have the same draws for all
bots. Results do not depend on the number of workers.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from simlab.bot_registry import load_bot
from simlab.compiler.parallel import processors
from simlab.engine.conduct import check_bots
from simlab.engine.entry_points import Progress
from simlab.engine.match import Batch, Match
from simlab.engine.payoff import Payoff
from simlab.errors import InputError, nearest
from simlab.game import Array, Game
from simlab.runs.truncation import MOST_CUT_OFF, batches_parting, too_many_cut_off
from simlab.spec.draft import read_opponents
from simlab.words import line_up

Notify = Callable[[int, str], None]

UNSEEN = 1 << 40  #: first of the games for selection; reported results come from games 0, 1, 2, ...
MOST_FIELDS = 64  #: ways to fill the other seats


def fields_of(game: Game, seat: str, against: Sequence[str]) -> list[dict[str, str]]:
    """The ways to fill the other seats: seat -> bot, for every combination.

    Args:
        against: `cathar=value,crest`: bots of that seat; `value,crest`: bots of all other seats for which none is
            named. Seats without bots play at random.
    Raises:
        InputError: a seat does not exist or is `seat` itself, or there are too many combinations.
    """
    named = read_opponents(against)
    for where in named:
        if where != "*":
            game.seat_number(where, f"--against {where}=...: ")
        if where == seat:
            raise InputError(f"--against {where}=...: this is the seat for which a bot is searched. Name another seat.")
    others = [other for other in game.seats if other != seat]
    choices = [named.get(other) or named.get("*") or [game.default_bot] for other in others]
    count = math.prod(len(bots) for bots in choices)
    if count > MOST_FIELDS:
        raise InputError(f"--against: {count:,} combinations of bots, and {MOST_FIELDS} at most. Name fewer.")
    for other, bots in zip(others, choices, strict=True):
        for text in bots:
            load_bot(game, other, text)
    return [dict(zip(others, bots, strict=True)) for bots in itertools.product(*choices)]


def field_text(field: Mapping[str, str]) -> str:
    """The bots of the other seats: `warden`; `value, crest` or `value as dan, crest elsewhere` if they differ; without
    other seats, the game.
    """
    if len(set(field.values())) < 2:
        return next(iter(field.values()), "the game")
    return ", ".join(field.values()) if len(field) < 3 else line_up(field)


@dataclass(frozen=True)
class Entrant:
    """A bot, with a match for each way to fill the other seats."""

    text: str
    matches: tuple[Match, ...]


@dataclass(frozen=True)
class Course:
    """Games that were played."""

    values: Array  #: float (games, fields): value of each game to the seat; nan for truncated games
    played: tuple[Batch, ...]  #: the games that ended, by field


class Contest:
    """A seat, and the bots that its bots play against.

    Args:
        fields: ways to fill the other seats, as `fields_of` gives them.
        seed: seed of the games. workers: threads; by default one per processor.
        knobs, tables: as for a Match.
        notify: called with the number of games played and their purpose. compiling: as Match.compile takes it.
    """

    def __init__(
        self, game: Game, seat: str, fields: Sequence[Mapping[str, str]], seed: int = 1, workers: int | None = None,
        knobs: Mapping[str, object] | None = None, tables: Mapping[str, Path] | None = None,
        notify: Notify | None = None, compiling: Progress | None = None,
    ) -> None:  # fmt: skip
        if seat not in game.seats:
            raise InputError(f"{game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}")
        self.game, self.seat, self.place = game, seat, game.seats.index(seat)
        self.fields, self.seed, self.workers = list(fields), seed, workers or processors()
        self.knobs, self.tables = knobs, tables
        self.notify: Notify = notify or (lambda games, what: None)
        self._compiling = compiling
        self.payoff = Payoff.of_seat(game, self.place)

    def entrant(self, text: str) -> Entrant:
        """A bot of the seat, compiled."""
        matches = tuple(
            Match(self.game, knobs=self.knobs, tables=self.tables, bots={**field, self.seat: text})
            for field in self.fields
        )
        for match in matches:
            match.compile(self._compiling)
            check_bots(match, self.seed)
        return Entrant(text, matches)

    def play(self, entrants: Sequence[Entrant], first: int, games: int, what: str = "") -> list[Course]:
        """Plays the same games with each entrant, against each field.

        Raises:
            GameTruncated: more than MOST_CUT_OFF of an entrant's games are truncated. BotFault: a bot fails.
        """
        jobs = len(entrants) * len(self.fields)
        pieces = min(games, max(1, -(-4 * self.workers // jobs)))
        cuts = [first + games * piece // pieces for piece in range(pieces + 1)]

        def play(piece: tuple[Match, tuple[int, int]]) -> list[Batch]:
            match, (start, end) = piece
            batches, _ = batches_parting(partial(match.play, self.seed), start, end - start, lambda count, fault: None)
            self.notify(end - start, what)
            return batches

        work = [(match, span) for one in entrants for match in one.matches for span in itertools.pairwise(cuts)]
        with ThreadPoolExecutor(self.workers) as pool:
            played = iter(list(pool.map(play, work)))
        courses = []
        for entrant in entrants:
            each = [
                Batch.joined(self.game, list(itertools.chain(*itertools.islice(played, pieces)))) for _ in self.fields
            ]
            values = np.full((games, len(each)), np.nan)
            for field, batch in enumerate(each):
                values[batch.rows["game"] - first, field] = self.payoff.values(batch.rows)
            cut_off = int(np.isnan(values).sum())
            if cut_off > MOST_CUT_OFF * values.size:
                raise InputError(f"{self.seat}={entrant.text}: {too_many_cut_off(cut_off, values.size)}.")
            courses.append(Course(values, tuple(each)))
        return courses


def with_traits(entrant: Entrant, seat: int, values: Array) -> Entrant:
    """The same bot with other traits, float, in the bot's order; nothing is compiled again."""
    matches = []
    for match in entrant.matches:
        twin = copy.copy(match)
        twin.traits = match.traits.copy()
        twin.traits[seat, : values.size] = values
        matches.append(twin)
    return Entrant(entrant.text, tuple(matches))


def per_game(values: Array) -> Array:
    """Mean of each game over the fields, one number because they share random draws; nan if truncated in any."""
    return np.asarray(values.mean(axis=1), np.float64)
