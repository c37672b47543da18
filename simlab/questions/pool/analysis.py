"""A pool of bots to which best answers are added until none gains: an approximation of best play. For two rivals, best
play is the equilibrium of the table of match-ups, a mix of bots for each. With more seats, each seat in turn takes the
bot that does best with the others, until nobody changes. Then each seat looks for a better answer: its best bot tuned,
bots that look ahead, and a player that learns. The answer that does best in some games must also gain in other games
before it joins the pool. The value of best play, and how much the best answer still gains, come from held-out games.

Source: Lanctot et al. (2017), A unified game-theoretic approach to multiagent reinforcement learning (policy-space
response oracles).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simlab.bot_registry import has_traits, load_bot
from simlab.errors import InputError
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part
from simlab.questions.best_answers import Lab
from simlab.questions.contest import UNSEEN, Contest, Entrant
from simlab.questions.exploitability.analysis import look_ahead
from simlab.questions.tuning.analysis import Search
from simlab.stats.tournament import solve

CHOOSING, JUDGING = UNSEEN, 2 * UNSEEN  #: first game for choosing answers, and first for deciding whether they join
SENT = 0.02  #: a bot with a smaller share is left out of the mix
KINDS = ("listed", "tuned", "looks ahead", "learned")
_SLOTS = 8  # line-ups of a search, among which the mix is shared out
Learn = Callable[[str, Mapping[str, Sequence[str]], int], str]


class Member(Part):
    """A bot of the pool.

    Attributes:
        kind: one of KINDS. joined: the round in which it joined, 0 for the first bots. share: its share in best play.
    """

    seat: str
    bot: str
    kind: str
    joined: int
    share: float


class Try(Part):
    """The best answer of a round, in games that were not used to choose it.

    Attributes:
        gain: gain over best play of the pool; the intervals of a round hold together. new: whether it was not yet in
            the pool. joins: whether it is new and its gain is significant.
    """

    round: int
    seat: str
    bot: str
    kind: str
    gain: Number
    new: bool
    joins: bool


class Pool(Answer, form="pool", version=2, source="simlab optimize pool GAME"):
    """A pool, best play in it, and the best answer to that.

    Attributes:
        values: seat -> value of best play; the intervals hold together.
        gaps: each seat's best answer of the last round, in held-out games; the intervals hold together.
        closed: whether the last round added no bot. games: number of games of a line-up. searched: half of the number
            of games with a bot that looks ahead. by_score: whether values are scores.
        line_ups: line-ups of best play. circle: whether best answers cycle through these line-ups.
        outside: seat -> kinds of answers outside the pool that were tried; empty if none was.
    """

    game: str
    seats: tuple[str, ...]
    members: tuple[Member, ...]
    tries: tuple[Try, ...]
    values: dict[str, Number]
    gaps: tuple[Try, ...]
    closed: bool
    rounds: int
    games: int
    searched: int
    line_ups: int
    circle: bool
    outside: dict[str, tuple[str, ...]]
    by_score: bool
    seed: int


@dataclass(frozen=True)
class Effort:
    """The effort of the search for answers."""

    games: int = 2_000  #: of each line-up
    rounds: int = 4  #: most rounds of answers
    iterations: int = 60  #: playouts per decision of a search; 0 for no search
    searched: int = 200  #: games of each bot that looks ahead; they are slow
    tune: int = 10_000  #: games for tuning; 0: none


@dataclass(frozen=True)
class BestPlay:
    """Line-ups, a bot of each seat, with the share of each; circle: whether best answers cycle through them."""

    line_ups: tuple[tuple[dict[str, str], float], ...]
    circle: bool = False

    def without(self, seat: str) -> list[tuple[dict[str, str], float]]:
        """The bots of the other seats against which a seat plays, and how often."""
        found: dict[tuple[tuple[str, str], ...], float] = {}
        for line_up, share in self.line_ups:
            others = tuple(without(line_up, seat).items())
            found[others] = found.get(others, 0.0) + share
        return [(dict(others), share) for others, share in found.items()]

    def shares(self, seat: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for line_up, share in self.line_ups:
            found[line_up[seat]] = found.get(line_up[seat], 0.0) + share
        return found


class PoolSearch:
    """Searches for answers and adds them to a pool.

    Args:
        learn: function that trains a player of a seat: (seat, fast bots of each seat with the strongest of its own,
            round) -> file; None if no player learns.
    """

    def __init__(self, lab: Lab, effort: Effort, learn: Learn | None, notify: Callable[[str], None]) -> None:
        self.lab, self.effort, self.learn, self.notify = lab, effort, learn, notify
        self.game: Game = lab.game
        #: seat -> bot -> its kind, and the round in which it joined
        self.pool = {seat: dict.fromkeys(bots, ("listed", 0)) for seat, bots in lab.bots.items()}
        for seat in self.pool:
            if not self._fast(seat):
                raise InputError(
                    f"{seat}: every bot looks ahead. Name one that does not, for playouts: --bot {seat}=BOT."
                )
        #: seat -> kinds of answers outside the pool that were tried
        self.searched: dict[str, set[str]] = {seat: set() for seat in self.pool}
        self._entrants: dict[tuple[str, str, str], tuple[Contest, Entrant]] = {}

    def answer(self) -> Pool:
        """Adds best answers until none gains, or the rounds are over.

        Raises:
            BotFault: a bot fails. InputError: a bot's games are truncated.
        """
        tries: list[Try] = []
        last: list[Try] = []
        rounds, closed, seats = 0, False, self.game.seats
        best = self._best_play()
        while rounds < self.effort.rounds and not closed:
            rounds += 1
            last = [self._try(seat, best, rounds) for seat in seats]
            tries += last
            for one in last:
                if one.joins:
                    self.pool[one.seat][one.bot] = one.kind, rounds
            closed = not any(one.joins for one in last)
            if not closed:
                best = self._best_play()
        self.notify("Judging best play.")
        gaps = [self._judged(rounds, one.seat, one.bot, one.kind, best, 0) for one in last] if closed else []
        members = [
            Member(seat=seat, bot=bot, kind=kind, joined=joined, share=share)
            for seat in seats
            for bot, (kind, joined) in self.pool[seat].items()
            if (share := best.shares(seat).get(bot, 0.0)) > 0 or joined
        ]
        level = 1 - 0.05 / len(seats)
        values = {seat: self._against(seat, None, best, 0, self.effort.games) for seat in seats}
        return Pool(
            game=self.game.slug, seats=tuple(seats), members=tuple(members), tries=tuple(tries),
            values={seat: self.lab.payoff(seat).mean(of, level) for seat, of in values.items()}, gaps=tuple(gaps),
            closed=closed, rounds=rounds, games=self.effort.games, searched=self.effort.searched,
            line_ups=len(best.line_ups), circle=best.circle, by_score=self.lab.by_score, seed=self.lab.seed,
            outside={seat: tuple(kind for kind in KINDS if kind in some) for seat, some in self.searched.items()},
        )  # fmt: skip

    # --- best play of the pool

    def _best_play(self) -> BestPlay:
        self.notify("Best play of the pool.")
        seats, bots = self.game.seats, {seat: list(bots) for seat, bots in self.pool.items()}
        if len(seats) != 2 or any(len(side.seats) > 1 for side in self.game.sides):
            field = replace(self.lab, bots=bots, games=4 * self.effort.games, first=CHOOSING).field()
            return BestPlay(tuple((dict(line_up), 1 / len(field)) for line_up in field), len(field) > 1)
        first, second = seats
        payoff = np.array([
            [
                float(np.nanmean(self._values(first, mine, {second: other}, CHOOSING, self.effort.games)))
                for other in bots[second]
            ]
            for mine in bots[first]
        ])  # fmt: skip
        mixes = [np.where(mix < SENT, 0.0, mix) for mix in solve(payoff)[:2]]
        one, two = (mix / mix.sum() for mix in mixes)
        return BestPlay(tuple(
            ({first: mine, second: other}, float(one[i] * two[k]))
            for (i, mine), (k, other) in itertools.product(enumerate(bots[first]), enumerate(bots[second]))
            if one[i] * two[k] > 0
        ))  # fmt: skip

    def _contest(self, seat: str, fields: Sequence[Mapping[str, str]], seed: int) -> Contest:
        return Contest(self.game, seat, fields, seed, self.lab.workers, self.lab.knobs, self.lab.tables)

    def _values(self, seat: str, bot: str, others: Mapping[str, str], first: int, games: int) -> Array:
        key = seat, bot, repr(sorted(others.items()))
        if key not in self._entrants:
            contest = self._contest(seat, [others], self.lab.seed)
            self._entrants[key] = contest, contest.entrant(bot)
        contest, entrant = self._entrants[key]
        return contest.play([entrant], first, games)[0].values[:, 0]

    def _against(self, seat: str, bot: str | None, best: BestPlay, first: int, games: int) -> Array:
        """Value of each game of best play to a seat if it plays `bot`; None means its bots in best play."""
        met = best.without(seat) if bot else best.line_ups
        parts = [
            share * self._values(seat, bot or line_up[seat], without(line_up, seat), first, games)
            for line_up, share in met
        ]
        return np.asarray(np.sum(parts, axis=0), np.float64)

    # --- answers

    def _try(self, seat: str, best: BestPlay, number: int) -> Try:
        """The best of several answers of a seat to best play of the others, judged in separate games."""
        self.notify(f"Round {number}: an answer for {seat}.")
        found = self._answers(seat, best, number)
        gains = []
        for bot, kind in found.items():
            many = self.effort.searched if kind == "looks ahead" else self.effort.games
            usual = self._against(seat, None, best, CHOOSING, many)
            gains.append(float(np.nanmean(self._against(seat, bot, best, CHOOSING, many) - usual)))
        bot, kind = list(found.items())[int(np.argmax(gains))]
        return self._judged(number, seat, bot, kind, best, JUDGING * number)

    def _judged(self, number: int, seat: str, bot: str, kind: str, best: BestPlay, first: int) -> Try:
        """An answer in games from `first` on."""
        games = 2 * self.effort.searched if kind == "looks ahead" else self.effort.games
        usual = self._against(seat, None, best, first, games)
        level = 1 - 0.05 / len(self.game.seats)
        gain = self.lab.payoff(seat).gain(usual, self._against(seat, bot, best, first, games), level)
        new = bot not in self.pool[seat]
        return Try(round=number, seat=seat, bot=bot, kind=kind, gain=gain, new=new, joins=new and gain.low > 0)

    def _answers(self, seat: str, best: BestPlay, number: int) -> dict[str, str]:
        """Bots to try, with their kinds; the best of the pool is the first."""
        met, fast = best.without(seat), self._fast(seat)
        usual = {
            bot: float(np.nanmean(self._against(
                seat, bot, best, CHOOSING, self.effort.games if bot in fast else self.effort.searched)))
            for bot in self.pool[seat]
        }  # fmt: skip
        strongest = max(usual, key=usual.__getitem__)
        found = {strongest: self.pool[seat][strongest][0]}
        able = [bot for bot in usual if has_traits(load_bot(self.game, seat, bot))]
        quick = {other: self._quick(other, best) for other in self.game.seats}
        quick[seat] = [max(fast, key=usual.__getitem__)]
        if self.effort.tune and able:
            slots = [round(share * _SLOTS) for _, share in met]
            least = max(math.gcd(*slots), 1)
            fields = [others for (others, _), slot in zip(met, slots, strict=True) for _ in range(slot // least)]
            contest = self._contest(seat, fields or [met[0][0]], self.lab.seed + number)
            search = Search(contest, max(able, key=usual.__getitem__))
            found.setdefault(search.text_of(search.best(self.effort.tune)), "tuned")
            self.searched[seat].add("tuned")
        if self.effort.iterations:
            inside = {other: bots[0] for other, bots in quick.items()}
            for text in look_ahead(self.game, seat, inside, self.effort.iterations):
                found.setdefault(text, "looks ahead")
            self.searched[seat].add("looks ahead")
        if self.learn is not None:
            found.setdefault(self.learn(seat, quick, number), "learned")
            self.searched[seat].add("learned")
        return found

    def _fast(self, seat: str) -> list[str]:
        """The bots of a seat that do not look ahead."""
        return [bot for bot in self.pool[seat] if not load_bot(self.game, seat, bot).considers]

    def _quick(self, seat: str, best: BestPlay) -> list[str]:
        """The bots of a seat that are in best play and do not look ahead, the most frequent first."""
        shares, fast = best.shares(seat), self._fast(seat)
        return [bot for bot in sorted(shares, key=lambda bot: -shares[bot]) if bot in fast] or fast[:1]


def without(line_up: Mapping[str, str], seat: str) -> dict[str, str]:
    """The bots of the other seats."""
    return {other: bot for other, bot in line_up.items() if other != seat}
