"""The course of a game: win chances turn by turn over a sample of games, and what they say.

At the start of each turn the position is played on many times by the same bots, with other luck from there on. The
share that a side wins is its win chance there. The record stays as it is, hidden cards and the order of shuffled decks
included: so the chances are those of somebody who sees the whole table but no luck to come, the same for all sides, and
they hold (of the positions with a chance of 70 %, 70 % are won). `seen_by` deals anew what one seat cannot see: chances
as that seat may know them, if it believes that all deals it has not seen are equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simlab.engine.futures import CUT_OFF, Futures
from simlab.engine.match import Match
from simlab.engine.outcome import side_endings, side_masks, sides_of
from simlab.errors import GameTooLong, UserMistake, nearest
from simlab.game import Array, Game
from simlab.runs.over_long import MOST_CUT_OFF, play_ended, too_many_cut_off
from simlab.stats.bounded import mean_bounds
from simlab.stats.course import (
    Course,
    Figure,
    biggest_upset,
    by_turn,
    calibration,
    figures,
    largest_swing,
    ratio_figure,
    worth,
)

GAMES, FUTURES = 100, 100  #: by default, of a sample and of each position
MOST_GAMES, MOST_FUTURES = 10_000, 10_000
DEALS = 24  #: in which the futures of a position are played, where a seat's view is asked for
LOST, SHIFT = 0.05, 0.10  #: a kingmaker's own chance is below one and moves another's by more than the other
OPTIONS = 6  #: of a kingmaker's decision that are looked into
THE_GAME = "the game"  #: the other side of a game that has only one
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Sides:
    """Who can win, out of rows: each side's seats as bits, and the endings in which it wins."""

    names: tuple[str, ...]
    masks: tuple[int, ...]
    endings: tuple[tuple[int, ...], ...]
    alone: bool  #: one side, against the game

    @classmethod
    def of(cls, game: Game) -> Sides:
        names = tuple(name for name, _, _ in sides_of(game))
        alone = len(names) == 1
        return cls((*names, THE_GAME) if alone else names, tuple(side_masks(game)), tuple(side_endings(game)), alone)

    def won(self, rows: Array) -> Array:
        """Who wins each game: float (games, sides)."""
        winners = rows["winners"].astype(np.int64)
        columns = [
            ((winners & mask) != 0) & np.isin(rows["ending"], endings)
            for mask, endings in zip(self.masks, self.endings, strict=True)
        ]
        if self.alone:
            columns.append(~columns[0])
        return np.stack(columns, axis=1).astype(np.float64)

    def side_of(self, seat: int) -> int:
        return next((side for side, mask in enumerate(self.masks) if mask >> seat & 1), -1)


class Watcher:
    """Looks into the futures of a match's games.

    Args:
        futures: of each position; 4 or more, even.
        seen_by: seat whose knowledge the chances rest on; None: all that lies on the table.
    """

    def __init__(self, match: Match, seed: int, futures: int, seen_by: int | None = None) -> None:
        self.match, self.futures, self.seen_by = match, futures, seen_by
        self.sides = Sides.of(match.game)
        self._plays = Futures(match, seed, max(futures, 2))
        self.played = self.cut_off = 0

    def chances(self, position: Array) -> tuple[Array, Array]:
        """Shares of the futures that each side wins, in two independent halves.

        Raises:
            GameTooLong: too many of them go on for too long.
        """
        if self.seen_by is None:
            won, ended = self.results(position, self.futures)
        else:
            halves = np.array_split(np.arange(self.futures), 2)  # no deal in both
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
            raise GameTooLong(f"{self.match.game.slug}: {too_many_cut_off(gone, self.futures)}.")
        self.cut_off += gone
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

    def course(self, index: int, kings: Kings | None = None) -> Course:
        """The course of one game.

        Raises:
            GameTooLong: too many futures of one of its positions go on for too long.
        """
        turns: list[int] = []
        halves: list[tuple[Array, Array]] = []
        position = None
        for position in self._plays.positions(index):
            turn = int(position["turn"][0])
            if not turns or turn != turns[-1]:
                turns.append(turn)
                halves.append(self.chances(position))
            if kings:
                kings.look(self, index, turn, position, (halves[-1][0] + halves[-1][1]) / 2)
        assert position is not None  # a game has a decision
        first, second = (np.array(side) for side in zip(*halves, strict=True))
        return Course(index, tuple(turns), first, second, self.futures, self.result(position)[0])


class Kings:
    """Decisions of seats that have lost, and what they do to the others: games of three sides or more.

    A sample of them: of each such seat and turn the first decision with a choice, with a probability of one over the
    seats, so that on average at most one decision a turn is looked into.
    """

    def __init__(self) -> None:
        self.seen: set[tuple[int, int, int]] = set()
        self.game: list[int] = []
        self.shifts: list[float] = []
        self.certain: list[bool] = []

    def look(self, watcher: Watcher, index: int, turn: int, position: Array, chances: Array) -> None:
        """Looks into the first real decision of a turn of a seat that has as good as lost."""
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
        count = watcher.futures
        won, ended = (
            np.stack(both)
            for both in zip(
                *(watcher.results(watcher._plays.after(position, int(a)), count) for a in actions), strict=True
            )
        )  # actions, futures, sides
        whole = ended.all(axis=0)
        won = won[:, whole]
        half = won.shape[1] // 2
        if half < 2 or won[:, :, side].mean(axis=1).max() >= LOST:
            return  # it can still help itself
        others = [other for other in range(won.shape[2]) if other != side]
        # The pair of actions that part most is picked by one half of the futures and measured by the other.
        means = won[:, :half].mean(axis=1)[:, others]
        place = int((means.max(axis=0) - means.min(axis=0)).argmax())
        best, worst = int(means[:, place].argmax()), int(means[:, place].argmin())
        gap = won[best, half:, others[place]] - won[worst, half:, others[place]]
        self.game.append(index)
        self.shifts.append(float(gap.mean()))
        values, counts = np.unique(gap.astype(np.float64), return_counts=True)
        self.certain.append(bool(mean_bounds(values, counts, -1.0, 1.0)[0] > SHIFT))

    def figures(self) -> list[Figure]:
        if not self.game:
            return []
        ones, games = np.ones(len(self.game)), np.array(self.game)
        lost = f"a side with a win chance below {100 * LOST:.0f} %"
        return [
            ratio_figure(
                "kingmaker_decisions",
                f"of the decisions of {lost}, share that surely shift another's by over {100 * SHIFT:.0f} points",
                self.certain, ones, games,
            ),
            ratio_figure("kingmaker_shift", f"how far a decision of {lost} shifts another's", self.shifts, ones,
                         games, "points"),
        ]  # fmt: skip


def seat_number(game: Game, seat: str | None) -> int | None:
    """The number of a seat by its name; None for None."""
    if seat is None:
        return None
    if seat not in game.seats:
        raise UserMistake(f"--seen-by {seat}: {game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}")
    return game.seats.index(seat)


def courses_of(
    match: Match, seed: int, games: Sequence[int], futures: int = FUTURES, seen_by: str | None = None,
    kings: Kings | None = None, each: Callable[[int], None] | None = None,
) -> tuple[list[Course], Watcher]:  # fmt: skip
    """The courses of some games; those whose futures go on for too long are left out."""
    watcher = Watcher(match, seed, futures, seat_number(match.game, seen_by))
    kings = kings if len(watcher.sides.names) > 2 else None
    courses = []
    for done, index in enumerate(games):
        try:
            courses.append(watcher.course(int(index), kings))
        except GameTooLong:
            continue
        finally:
            if each:
                each(done + 1)
    if seen_by is not None and courses:  # futures of one deal are alike
        value = worth(courses)
        courses = [replace(one, worth=value) for one in courses]
    return courses, watcher


def course_study(
    match: Match, seed: int, games: int = GAMES, futures: int = FUTURES, seen_by: str | None = None,
    tell: Tell | None = None, each: Callable[[int], None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The course of games 0 .. games-1.

    Args:
        games: 2 or more. futures: 4 or more, of each position. seen_by: a seat; None: all that lies on the table.
        tell: told the budget before it is spent. each: told how many games are done.
    Returns:
        JSON-able: as `summary`, and `played`, the futures played.
    Raises:
        UserMistake: out of bounds, unknown seat, or too few games that end. GameTooLong, BotFault: as play.
    """
    check_bounds(games, futures)
    rows = play_ended(match, seed, games)
    turns = int(rows["turns"].sum())
    if tell:
        tell(
            f"{rows.size:,} games of {turns / max(rows.size, 1):.3g} {match.game.turn_name}s on average, each played "
            f"on {futures:,} times: about {turns * futures:,} games to play"
            + (", and those of kingmakers' decisions" if len(Sides.of(match.game).names) > 2 else "")
        )
    kings = Kings()
    courses, watcher = courses_of(match, seed, rows["game"].tolist(), futures, seen_by, kings, each)
    if len(courses) < 2:
        raise UserMistake(f"{len(courses)} of {games:,} games can be followed to their end: it takes 2 or more.")
    return {
        **summary(match.game, courses, kings), "seen_by": seen_by, "asked": games, "played": watcher.played,
        "cut_off": watcher.cut_off,
    }  # fmt: skip


def check_bounds(games: int, futures: int) -> None:
    """Raises: UserMistake."""
    if not 2 <= games <= MOST_GAMES:
        raise UserMistake(f"--games {games:,}: the course takes 2 to {MOST_GAMES:,} games; 100 say most of it.")
    if not 4 <= futures <= MOST_FUTURES or futures % 2:
        raise UserMistake(f"--futures {futures:,} is not allowed. Give an even number in 4..{MOST_FUTURES:,}.")


def summary(game: Game, courses: Sequence[Course], kings: Kings | None = None) -> dict[str, Any]:
    """What the report and the command show of some courses.

    Returns:
        JSON-able: `sides`, `turn_name`, `games`, `futures`; `figures` (Figure.to_dict); `calibration`, a dict a bin;
        `by_turn`; `lines`, the games with the biggest upset and the largest swing, `what`, `game`, `turns`, `chances`
        (a list a side; the last is the result).
    """
    sides = Sides.of(game).names
    made = figures(courses, sides, game.turn_name) + (kings.figures() if kings else [])
    lines: list[dict[str, Any]] = []
    upset, swung = biggest_upset(courses), largest_swing(courses)
    for what, one in (("biggest upset", upset), ("largest swing", swung)):
        if not any(line["game"] == one.game for line in lines):
            chances = np.vstack([one.chances, one.won]).T
            turns = [*one.turns, one.turns[-1] + 1]
            lines.append({"what": what, "game": one.game, "turns": turns, "chances": chances.tolist()})
    return {
        "sides": list(sides),
        "turn_name": game.turn_name,
        "games": len(courses),
        "futures": courses[0].futures,
        "figures": [figure.to_dict() for figure in made],
        "calibration": calibration(courses),
        "by_turn": by_turn(courses),
        "lines": lines,
    }
