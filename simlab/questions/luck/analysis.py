"""How much of the variance of a result each kind of luck explains; with several bots, skill and seat as well.

Each game is played again with one kind of luck redrawn and the others held fixed, and the other way round. This needs
no model of the game, only random streams that are keyed by purpose. Set-up is what is drawn before the first decision,
chance in play what is drawn later. A card counts when it is drawn: the order in which a set-up leaves a deck is drawn
again in play (Match.play, `apart`). For skill, a field of bots plays in all seats on the same seeds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from simlab.engine.match import Match
from simlab.engine.outcome import all_won
from simlab.engine.payoff import parties_of
from simlab.engine.setup import IN_PLAY
from simlab.errors import GameTruncated, InputError
from simlab.game import Array, Game
from simlab.present.answer import Answer, Part, Rate
from simlab.present.estimate import Estimate
from simlab.questions.finished_run import FinishedRun
from simlab.runs.truncation import ended_in_all, play_ended
from simlab.stats.intervals import Reading
from simlab.stats.luck import luck_shares, parts

T = TypeVar("T")
MOST_GAMES = 1_000_000  #: each is played seven times, and its rows are kept
CLOSEST = 4  #: match-ups of a run that are analysed: those in which the win rates are closest
MOST_LINE_UPS = 36  #: line-ups played; a larger field is sampled
SETUP, CHANCE, BOTS = "set-up", IN_PLAY, "bots' choices"
WHO = "who wins"


class LuckShare(Part):
    """The share of a result's variance that one kind of luck explains.

    Attributes:
        result: `who wins` or `score`.
        kind: `set-up`, `chance in play` or `bots' choices`.
        alone: share explained by this kind on its own. total: share including interactions with the other kinds.
    """

    result: str
    kind: str
    alone: Rate
    total: Rate


class LuckShares(Part):
    """Variance shares by kind of luck.

    Attributes:
        games: games that ended under every kind of luck. truncated: games left out because they did not.
        cell, again: in a report, the cell that was analysed and the command that repeats the analysis.
    """

    games: int
    truncated: int = 0
    shares: tuple[LuckShare, ...]
    cell: str = ""
    again: str = ""

    def of(self, result: str = WHO) -> dict[str, LuckShare]:
        """Kind of luck -> its share of one result."""
        return {share.kind: share for share in self.shares if share.result == result}


class SkillShares(Part):
    """Luck, skill and seat as parts of the variance of who wins, over a field of bots.

    Attributes:
        line_ups: number of line-ups played. field: number in the field, which is larger if they were sampled.
        games: games of each line-up. truncated: games left out because they did not end with every line-up.
        luck_by_kind: kind of luck -> its part of `luck`, and `together` for the part explained only jointly; empty if
            unknown.
        cell, again: as in LuckShares; the cell is the one with the most even win rates.
    """

    line_ups: int
    field: int
    games: int
    truncated: int = 0
    luck: Rate
    skill: Rate
    seat: Rate
    luck_by_kind: dict[str, float]
    cell: str = ""
    again: str = ""

    @property
    def solo(self) -> bool:
        """Whether there is only one side, so the seat explains nothing."""
        return self.seat.high == 0


class LuckAnswer(Answer, form="luck", version=2, source="simlab analyze luck GAME"):
    """Answer of `simlab analyze luck`.

    Attributes:
        skill: shares of luck, skill and seat; None with one bot per seat.
    """

    game: str
    bots: dict[str, str]
    luck: LuckShares
    skill: SkillShares | None = None


class RunLuck(Answer, form="luck-studied", version=2):
    """The luck section of a report: variance shares of a run's closest match-ups, and skill in its field."""

    luck: tuple[LuckShares, ...] = ()
    skill: tuple[SkillShares, ...] = ()


def after_run(run: FinishedRun) -> RunLuck:
    """Luck in the closest match-ups, from a tenth of the run's games; and skill if several line-ups share the knobs."""
    closest = run.closest[:CLOSEST]
    games = min(max(run.games // (70 * len(closest)), 300), 4_000)  # each is played seven times
    luck, skill = [], []
    for cell in closest:
        with suppress(GameTruncated):  # redrawn luck can truncate too many games: then the cell has no shares
            match = run.match(cell)
            again = f"{match.command('analyze luck')} --seed {run.seed} --games {games}"
            luck.append(luck_of(match, run.seed, games).model_copy(update={"cell": cell.label, "again": again}))
    even = closest[0]
    alike = [cell for cell in run.results.cells if (cell.knobs, cell.tables) == (even.knobs, even.tables)]
    if len(alike) > 1:
        chosen = sample(alike, MOST_LINE_UPS)
        games = min(max(run.games // (10 * len(chosen)), 50), 2_000)
        with suppress(GameTruncated):
            shares = skill_of([run.match(cell) for cell in chosen], run.seed, games, luck, len(alike))
            bots = {seat: list(dict.fromkeys(cell.bots[seat] for cell in alike)) for seat in even.bots}
            again = run.match(even).command(
                "analyze luck", "--seed", str(run.seed), "--games", str(4 * games), bots=bots
            )
            skill.append(shares.model_copy(update={"cell": even.label, "again": again}))
    return RunLuck(luck=tuple(luck), skill=tuple(skill))


def kinds_of_luck(game: Game) -> dict[str, tuple[str, ...]]:
    """Kind of luck -> streams, as `epochs` of Match.play with `apart`; a kind without streams is left out."""
    kinds = {
        SETUP: game.streams,
        CHANCE: (IN_PLAY,),
        BOTS: tuple(f"bot_{seat}" for seat in game.seats),
    }
    return {kind: streams for kind, streams in kinds.items() if streams}


def check_games(games: int) -> None:
    """Raises InputError for more than MOST_GAMES games."""
    if games > MOST_GAMES:
        raise InputError(
            f"--games {games:,}: at most {MOST_GAMES:,} here, since each is played seven times; 100,000 are plenty."
        )


def luck_of(match: Match, seed: int, games: int) -> LuckShares:
    """Plays games again with each kind of luck redrawn.

    Args:
        games: number of games, 2 or more; each is played seven times.
    Raises:
        InputError: more than MOST_GAMES, or fewer than 2 games that end. GameTruncated: too many games are truncated.
    """
    check_games(games)
    kinds = kinds_of_luck(match.game)
    others = {kind: [name for other in kinds if other != kind for name in kinds[other]] for kind in kinds}
    epochs = [
        {},
        *(dict.fromkeys(kinds[kind], 1) for kind in kinds),
        *(dict.fromkeys(others[kind], 1) for kind in kinds),
    ]
    base, *again = ended_in_all(*(play_ended(match, seed, games, redrawn, apart=True) for redrawn in epochs))
    if base.size < 2:
        raise InputError(f"{base.size} of {games:,} games ended under every kind of luck; 2 or more are needed.")
    redrawn = dict(zip(kinds, again[: len(kinds)], strict=True))
    kept = dict(zip(kinds, again[len(kinds) :], strict=True))
    shares = [
        LuckShare(result=result, kind=kind, alone=_rate(share.alone), total=_rate(share.total))
        for result, read in _results(match.game).items()
        for kind, share in luck_shares(
            read(base), {kind: read(rows) for kind, rows in redrawn.items()},
            {kind: read(rows) for kind, rows in kept.items()},
        ).items()
    ]  # fmt: skip
    return LuckShares(games=int(base.size), truncated=games - int(base.size), shares=tuple(shares))


def _results(game: Game) -> Mapping[str, Callable[[Array], Array]]:
    reads: dict[str, Callable[[Array], Array]] = {WHO: lambda rows: all_won(rows, len(game.seats)).astype(np.int64)}
    if game.has_scores:
        reads["score"] = lambda rows: np.asarray(rows["score"], np.float64)
    return reads


def _rate(share: Reading) -> Estimate:
    """A variance share limited to 0 to 1, since sampling noise can put its estimate outside this range."""
    value, low, high = (min(max(end, 0.0), 1.0) for end in (share.value, share.low, share.high))
    return Estimate(value, low, high)


def line_ups(bots: Mapping[str, Sequence[str]], most: int = MOST_LINE_UPS) -> list[dict[str, str]]:
    """All line-ups of a field of bots, seat -> bots; of a large field a fixed sample without repetition."""
    every = math.prod(len(names) for names in bots.values())
    if every <= most:
        places: Any = itertools.product(*(range(len(names)) for names in bots.values()))
    else:
        draw = np.random.default_rng(every)
        sizes = [len(names) for names in bots.values()]
        chosen: dict[tuple[int, ...], None] = {}
        while len(chosen) < most:
            chosen[tuple(int(draw.integers(size)) for size in sizes)] = None
        places = chosen
    return [{seat: names[at] for (seat, names), at in zip(bots.items(), place, strict=True)} for place in places]


def sample(items: Sequence[T], most: int) -> list[T]:
    """A fixed random sample of the items. (Every n-th line-up would always have the same bot in the last seat.)"""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in np.sort(np.random.default_rng(len(items)).choice(len(items), most, False))]


def skill_of(
    matches: Sequence[Match], seed: int, games: int, luck: Sequence[LuckShares] = (), field: int | None = None
) -> SkillShares:
    """Luck, skill and seat on one scale.

    Args:
        matches: the line-ups, two or more. games: number of games of each line-up, 4 or more.
        luck: variance shares of some line-ups, by which luck is divided into kinds.
        field: number of line-ups in the field, if `matches` is a sample; None if they are all.
    Raises:
        InputError: too few of the games end in every line-up. GameTruncated, BotFault: as play.
    """
    sides = parties_of(matches[0].game)
    rows = ended_in_all(*(play_ended(match, seed, games) for match in matches))
    if rows[0].size < 4:
        raise InputError(f"{rows[0].size} of {games:,} games ended with every line-up; 4 or more are needed.")
    made = parts(np.stack([[side.won(one) for side in sides] for one in rows]).swapaxes(1, 2), of=field)
    return SkillShares(
        line_ups=len(matches), field=field or len(matches), games=int(rows[0].size),
        truncated=games - int(rows[0].size), luck=_rate(made.luck), skill=_rate(made.skill), seat=_rate(made.seat),
        luck_by_kind=_by_kind(made.luck.value, [shares.of(WHO) for shares in luck]),
    )  # fmt: skip


def _by_kind(luck: float, shares: Sequence[Mapping[str, LuckShare]]) -> dict[str, float]:
    """Divides luck by kind, by the mean share that each explains alone; the rest is explained only jointly."""
    shares = [kinds for kinds in shares if any(share.total.value > 0 for share in kinds.values())]
    if not shares:
        return {}
    alone = {kind: float(np.mean([kinds[kind].alone.value for kinds in shares])) for kind in shares[0]}
    scale = max(sum(alone.values()), 1.0)
    kinds = {kind: luck * share / scale for kind, share in alone.items()}
    return {**kinds, "together": max(luck - sum(kinds.values()), 0.0)}


def field_skill(
    match_of: Callable[[dict[str, str]], Match], bots: Mapping[str, Sequence[str]], seed: int, games: int
) -> SkillShares:
    """`skill_of` a field of bots, seat -> bots, with luck divided by kind from up to four of its line-ups."""
    matches = [match_of(line_up) for line_up in line_ups(bots)]
    luck = [luck_of(match, seed, max(games // 4, 100)) for match in sample(matches, 4)]
    return skill_of(matches, seed, games, luck, math.prod(len(names) for names in bots.values()))
