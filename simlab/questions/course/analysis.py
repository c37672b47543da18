"""Win chances turn by turn over a sample of games.

At the start of each turn the same bots play on from the position many times, with new random draws.
The share that a side wins is its win chance. What no seat has seen, such as the order of a deck, is drawn again in each
future, and the rest of the position is kept: the chances are those of an observer at the table who sees what the seats
see between them. They are the same for all sides, and calibrated: 70 % of the positions with a chance of 70 % are won.
With `seen_by`, everything hidden from one seat is dealt again; the chances are then those of a player who considers all
possible deals equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from pydantic import model_validator

from simlab.engine.match import Match
from simlab.engine.outcome import sides_of
from simlab.engine.payoff import Party, parties_of
from simlab.engine.rollouts import CUT_OFF, Rollouts
from simlab.errors import GameTruncated, InputError
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Estimate, estimate_of
from simlab.questions.finished_run import FinishedRun
from simlab.runs.truncation import MOST_CUT_OFF, play_ended, too_many_cut_off
from simlab.stats import course as stats
from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.course import Bin, ByTurn, Course, biggest_upset, largest_swing

GAMES, FUTURES = 100, 100  #: by default, of a sample and per position
RUN_FUTURES, FEWEST, MOST, AGAIN = 64, 12, 100, 400  #: in a run: futures; fewest and most games; games of its command
MOST_GAMES, MOST_FUTURES = 10_000, 10_000
DEALS = 24  #: number of deals for the futures of a position in a seat's view
LOST, SHIFT = 0.05, 0.10  #: a kingmaker's own chance is below LOST, and it moves another chance by more than SHIFT
OPTIONS = 6  #: of a kingmaker's decision that are played
THE_GAME = "the game"  #: the other side of a game that only one side can win


class Statistic(Part):
    """A statistic over the games of the sample.

    Attributes:
        value: value in its unit, with a 95 % interval. games: number of games in which it is defined.
        unit: "%" for a share from 0 to 1, "points" for a difference in percentage points, "" for a number.
    """

    name: str
    value: Number
    unit: str
    games: int

    @classmethod
    def of(cls, one: stats.Statistic) -> Self:
        scale = 100.0 if one.unit == "points" else 1.0
        value = estimate_of((one.value, one.low, one.high), scale, rate=False)
        return cls(name=one.name, value=value, unit=one.unit, games=one.games)

    @property
    def estimate(self) -> Estimate:
        """The value as it is shown."""
        return replace(self.value, rate=self.unit == "%")


class Line(Part):
    """The win chances of one game.

    Attributes:
        kind: `biggest upset` or `largest swing`.
        turns: its turns, then one for the result. chances: win chance of each side at each turn.
        replay: the command that replays it.
    """

    kind: str
    game: int
    turns: list[int]
    chances: list[list[float]]
    replay: str


class CourseAnswer(Answer, form="course", version=3, source="simlab analyze course GAME"):
    """Answer of `simlab analyze course`, and of a run about its closest match-up.

    Attributes:
        cell, again: for a run, the label of the cell and the command that repeats the analysis with more games.
        seen_by: the seat whose knowledge the chances are based on; None: what all seats see between them.
        games: number of games followed to their end, of those `requested`. futures: number of futures per position.
            futures_played: number of all futures. futures_truncated: number of futures left out because they did not
            end. third: the turn after a third of a game.
    """

    game: str
    bots: dict[str, str]
    seed: int
    cell: str = ""
    again: str = ""
    seen_by: str | None = None
    sides: list[str]
    turn_name: str
    games: int
    requested: int
    futures: int
    futures_played: int
    futures_truncated: int
    third: int
    statistics: list[Statistic]
    calibration: list[Bin]
    by_turn: ByTurn
    lines: list[Line]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        sides, turns = len(self.sides), len(self.by_turn.turns)
        tables = [(self.by_turn.mean, turns), ([self.by_turn.open] * sides, turns)]
        tables += [(line.chances, len(line.turns)) for line in self.lines]
        fits = sides >= 2 and turns and all(len(t) == sides and all(len(r) == n for r in t) for t, n in tables)
        fans = self.by_turn.quantiles
        if not fits or len(fans) != sides or any(len(f) != 5 or any(len(r) != turns for r in f) for f in fans):
            raise ValueError("a course has chances of each side at each turn")
        return self


def after_run(run: FinishedRun) -> CourseAnswer | None:
    """The course of some games of the closest match-up."""
    courses, watcher = follow(run)
    if len(courses) < 2:
        return None
    again = f"{watcher.match.command('analyze course')} --seed {run.seed} --games {AGAIN}"
    answer = _answer(courses, watcher, len(_sample(run)))
    return answer.model_copy(update={"cell": run.closest[0].label, "again": again})


@lru_cache(maxsize=1)
def follow(run: FinishedRun) -> tuple[list[Course], Watcher]:
    """The courses of some games of a run's closest match-up."""
    return courses_of(run.match(run.closest[0]), run.seed, _sample(run), RUN_FUTURES, kingmakers=True)


def _sample(run: FinishedRun) -> range:
    """The number of games to follow: their futures must not exceed the run's number of games. A future takes half a
    game on average; with three sides or more, kingmakers' decisions take the same again.
    """
    cell = run.closest[0]
    turns = cell.tally.outcomes.sum(axis=(0, 1)).astype(np.int64)
    length = float((turns @ np.arange(turns.size)) / max(turns.sum(), 1))
    fit = int(run.games / (max(length, 1.0) * RUN_FUTURES * (2 if len(run.results.names.seats) > 2 else 1)))
    return range(min(max(fit, FEWEST), MOST, cell.games))


@dataclass(frozen=True)
class Sides:
    """The sides of a game, and the game itself if there is only one."""

    names: tuple[str, ...]
    parties: tuple[Party, ...]
    alone: bool  #: one side plays against the game

    @classmethod
    def of(cls, game: Game) -> Sides:
        names = tuple(name for name, _, _ in sides_of(game))
        alone = len(names) == 1
        return cls((*names, THE_GAME) if alone else names, parties_of(game), alone)

    def won(self, rows: Array) -> Array:
        """Who wins each game, from its row: float (games, sides)."""
        columns = [party.won(rows) for party in self.parties]
        if self.alone:
            columns.append(~columns[0])
        return np.stack(columns, axis=1).astype(np.float64)

    def side_of(self, seat: int) -> int:
        return next((side for side, party in enumerate(self.parties) if seat in party.seats), -1)


class Watcher:
    """Plays the futures of a match's positions.

    Args:
        futures: number of futures per position, even, 4 or more.
        seen_by: seat whose knowledge the chances are based on; None: what all seats see between them.
        kingmakers: whether kingmakers' decisions are played too, if the game has three sides or more.
    """

    def __init__(
        self, match: Match, seed: int, futures: int, seen_by: int | None = None, kingmakers: bool = False
    ) -> None:
        self.match, self.seed, self.futures, self.seen_by = match, seed, futures, seen_by
        self.sides = Sides.of(match.game)
        self.kingmakers = Kingmakers() if kingmakers and len(self.sides.names) > 2 else None
        self._plays = Rollouts(match, seed, max(futures, 2))
        self.played = self.truncated = 0

    def chances(self, position: Array) -> tuple[Array, Array]:
        """Shares of the futures that each side wins, in two independent halves. Raises GameTruncated if too many are
        truncated.
        """
        if self.seen_by is None:
            won, ended = self.results(position, self.futures)
        else:
            halves = np.array_split(np.arange(self.futures), 2)  # that share no deal
            parts = [part for half in halves for part in np.array_split(half, min(DEALS // 2, half.size))]
            dealt = [
                self.results(self._plays.as_seen_by(position, self.seen_by, deal), part.size, int(part[0]))
                for deal, part in enumerate(parts)
            ]
            won, ended = (np.concatenate(both) for both in zip(*dealt, strict=True))
        half = self.futures // 2
        of_ended = [won[:half][ended[:half]], won[half:][ended[half:]]]
        gone = int((~ended).sum())
        if gone > MOST_CUT_OFF * self.futures or min(map(len, of_ended)) == 0:
            raise GameTruncated(f"{self.match.game.slug}: {too_many_cut_off(gone, self.futures)}.")
        self.truncated += gone
        return of_ended[0].mean(axis=0), of_ended[1].mean(axis=0)

    def results(self, position: Array, count: int, first: int = 0) -> tuple[Array, Array]:
        """Who wins each future, float (count, sides), and whether it ended, bool (count,)."""
        self.played += count
        if position["over"][0]:
            return np.repeat(self.result(position), count, axis=0), np.ones(count, np.bool_)
        rows = self._plays.of(position, count, first)
        return self.sides.won(rows), rows["ending"] != CUT_OFF

    def result(self, position: Array) -> Array:
        """Who has won a game that is over, float (1, sides)."""
        return self.sides.won(self._plays.row(position))

    def course(self, index: int) -> Course:
        """The course of one game. Raises GameTruncated if too many futures of one of its positions are truncated."""
        turns: list[int] = []
        halves: list[tuple[Array, Array]] = []
        game = self._plays.game(index)
        for place in range(len(game) - 1):
            position = game[place : place + 1]
            turn = int(position["turn"][0])
            if not turns or turn != turns[-1]:
                turns.append(turn)
                halves.append(self.chances(position))
            if self.kingmakers:
                self.kingmakers.look(self, index, turn, position, (halves[-1][0] + halves[-1][1]) / 2)
        first, second = (np.array(side) for side in zip(*halves, strict=True))
        return Course(index, tuple(turns), first, second, self.futures, self.result(game[-1:])[0])


class Kingmakers:
    """Decisions of seats that have all but lost, and how they change the others' chances; three sides or more.

    Decisions are sampled: for each such seat and turn, the first decision with a choice is taken with probability 1 /
    number of seats, so on average there is at most one per turn.
    """

    def __init__(self) -> None:
        self.seen: set[tuple[int, int, int]] = set()
        self.found: list[tuple[int, float, bool]] = []  # game, shift, and whether it is significantly above SHIFT

    def look(self, watcher: Watcher, index: int, turn: int, position: Array, chances: Array) -> None:
        """Adds a decision, if it is the first choice of a losing seat in this turn and the draw selects it."""
        seat, legal = int(position["seat"][0]), int(position["n_legal"][0])
        side = watcher.sides.side_of(seat)
        if legal < 2 or side < 0 or chances[side] >= LOST or (index, turn, seat) in self.seen:
            return
        self.seen.add((index, turn, seat))
        draw = np.random.default_rng((index, turn, seat))
        if draw.random() * len(watcher.match.game.seats) >= 1:
            return
        actions = position["legal"][0][:legal].copy()
        if legal > OPTIONS:
            actions = draw.choice(actions, OPTIONS, replace=False)
        results = [watcher.results(watcher._plays.after(position, int(a)), watcher.futures) for a in actions]
        won, ended = (np.stack(both) for both in zip(*results, strict=True))  # actions, futures, sides
        whole = ended.all(axis=0)
        won = won[:, whole]
        half = won.shape[1] // 2
        if half < 2 or won[:, :, side].mean(axis=1).max() >= LOST:
            return  # it can still win
        others = [other for other in range(won.shape[2]) if other != side]
        # One half of the futures selects the two actions that differ most, the other half measures the difference.
        means = won[:, :half].mean(axis=1)[:, others]
        place = int((means.max(axis=0) - means.min(axis=0)).argmax())
        best, worst = int(means[:, place].argmax()), int(means[:, place].argmin())
        gap = won[best, half:, others[place]] - won[worst, half:, others[place]]
        values, counts = np.unique(gap.astype(np.float64), return_counts=True)
        self.found.append((index, float(gap.mean()), bool(mean_bounds(values, counts, -1.0, 1.0)[0] > SHIFT)))

    def statistics(self) -> list[stats.Statistic]:
        if not self.found:
            return []
        games, shifts, certain = zip(*self.found, strict=True)
        return [
            stats.ratio_statistic("kingmaker_decisions", certain, np.ones(len(games)), games),
            stats.ratio_statistic("kingmaker_shift", shifts, np.ones(len(games)), games, "points"),
        ]


def check_bounds(games: int, futures: int) -> None:
    """Raises: InputError."""
    if not 2 <= games <= MOST_GAMES:
        raise InputError(f"--games {games:,}: use 2 to {MOST_GAMES:,} games; 100 are usually enough.")
    if not 4 <= futures <= MOST_FUTURES or futures % 2:
        raise InputError(f"--futures {futures:,} is not allowed. Give an even number in 4..{MOST_FUTURES:,}.")


def courses_of(
    match: Match, seed: int, games: Sequence[int], futures: int = FUTURES, seen_by: str | None = None,
    kingmakers: bool = False, each: Callable[[int], None] | None = None,
) -> tuple[list[Course], Watcher]:  # fmt: skip
    """The courses of some games; games with too many truncated futures are left out."""
    seat = None if seen_by is None else match.game.seat_number(seen_by)
    watcher = Watcher(match, seed, futures, seat, kingmakers)
    courses = []
    for done, index in enumerate(games):
        try:
            courses.append(watcher.course(int(index)))
        except GameTruncated:
            continue
        finally:
            if each:
                each(done + 1)
    if seen_by is not None and courses:  # futures of one deal are correlated
        value = stats.worth(courses)
        courses = [replace(one, worth=value) for one in courses]
    return courses, watcher


def play(
    match: Match, seed: int, games: int = GAMES, futures: int = FUTURES, seen_by: str | None = None,
    notify: Callable[[str], None] | None = None, each: Callable[[int], None] | None = None,
) -> CourseAnswer:  # fmt: skip
    """The course of games 0 .. games-1.

    Args:
        games: number of games, 2 or more. futures: number per position, 4 or more. seen_by: as for Watcher.
        notify: receives the budget before it is spent. each: receives the number of games done.
    Raises:
        InputError: a number is out of bounds, the seat is unknown, or too few games end.
    """
    check_bounds(games, futures)
    rows = play_ended(match, seed, games)
    turns = int(rows["turns"].sum())
    if notify:
        kingmaking = ", plus those of kingmakers' decisions" if len(Sides.of(match.game).names) > 2 else ""
        notify(
            f"{rows.size:,} games of {turns / max(rows.size, 1):.3g} {match.game.turn_name}s on average, {futures:,} "
            f"futures at each: about {turns * futures:,} games to play{kingmaking}"
        )
    courses, watcher = courses_of(match, seed, rows["game"].tolist(), futures, seen_by, True, each)
    if len(courses) < 2:
        raise InputError(f"only {len(courses)} of {games:,} games can be followed to their end; 2 or more are needed.")
    return _answer(courses, watcher, games)


def _answer(courses: Sequence[Course], watcher: Watcher, requested: int) -> CourseAnswer:
    match, kingmakers = watcher.match, watcher.kingmakers
    lines: list[Line] = []
    for kind, one in (("biggest upset", biggest_upset(courses)), ("largest swing", largest_swing(courses))):
        if not any(line.game == one.game for line in lines):
            chances, turns = np.vstack([one.chances, one.won]).T.tolist(), [*one.turns, one.turns[-1] + 1]
            replay = match.replay_command(watcher.seed, one.game)
            lines.append(Line(kind=kind, game=one.game, turns=turns, chances=chances, replay=replay))
    made = stats.statistics(courses) + (kingmakers.statistics() if kingmakers else [])
    return CourseAnswer(
        game=match.game.slug, bots={bot.seat: bot.text for bot in match.bots}, seed=watcher.seed,
        seen_by=None if watcher.seen_by is None else match.game.seats[watcher.seen_by],
        sides=list(watcher.sides.names), turn_name=match.game.turn_name, games=len(courses), requested=requested,
        futures=courses[0].futures, futures_played=watcher.played, futures_truncated=watcher.truncated,
        third=stats.third(courses), calibration=stats.calibration(courses), by_turn=stats.by_turn(courses), lines=lines,
        statistics=[Statistic.of(one) for one in made],
    )  # fmt: skip
