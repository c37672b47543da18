"""Which choices matter: sampled positions, every option of each played on in the same futures.

Half of the futures choose the best option, the other half say what it is worth, and then the other way round: so luck
does not make an option look good. What cannot be seen from few futures is not counted, so gains are rather too small.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simlab.engine.entry_points import records, view
from simlab.engine.match import Match
from simlab.engine.search.traits import L
from simlab.engine.weighing import EVEN, ODD
from simlab.errors import InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Difference, Estimate
from simlab.spec.bans import names_of
from simlab.stats.cluster_robust import Ratio, as_share, clustered_ratio

POSITIONS, FUTURES = 1_000, 64
FEW = 20  #: positions of a kind of decision, below which nothing is said of it
LITTLE = 0.005  #: of a win: what is less matters little. Of a score: so many of its standard deviations times ten
TURNS = 12  #: turns of the chart at most; longer games have several turns in one
_CHUNK = 8  # positions or games of one compiled call, so that Ctrl-C is heard
_FIRST = 12  # games in which choices are counted
_ROOM = 20_000  # positions that these may hold


class ChoiceKind(Part):
    """A kind of decision of a seat.

    Attributes:
        positions: that were examined. per_game: how often the seat has this choice in a game. options: on average.
        over_random: what the option that half of the futures choose is worth more than a random one; over_second: more
            than the one that they rank second. thrown_away: more than the one that the seat's bot takes.
        same: share of the positions in which no future came out differently whatever the option.
        always: the option that is best on average; gain_over_always: what choosing by futures gains over taking it
            each time, in positions that did not choose it.
        All gains are shares of a win, or scores, with intervals that hold for all kinds of decisions together.
    """

    seat: str
    decision: str
    positions: int
    per_game: float
    options: float
    over_random: Number
    over_second: Number
    thrown_away: Number
    same: Rate
    always: str
    gain_over_always: Number | None


class TurnStake(Part):
    """What is at stake in a turn: `over_random` of all choices of these turns, with a 95 % interval."""

    first: int
    last: int
    positions: int
    over_random: Number


class ChoicesAnswer(Answer):
    """Which choices matter.

    Attributes:
        bots: seat -> bot, who also play the futures. futures: of each option. by_score: whether a gain is a score.
        little: a gain that matters little. rare: kinds of decisions that came up too rarely, with their seats.
    """

    form: ClassVar[str] = "choices"
    source: ClassVar[str] = "simlab analyze choices GAME"

    game: str
    seed: int
    bots: dict[str, str]
    positions: int
    futures: int
    by_score: bool
    little: float
    kinds: tuple[ChoiceKind, ...]
    turns: tuple[TurnStake, ...]
    rare: tuple[str, ...]

    def most(self) -> list[ChoiceKind]:
        """The kinds of decisions, those with most at stake in a game first."""
        return sorted(self.kinds, key=lambda one: -one.per_game * max(one.over_random.value, 0.0))


@dataclass(frozen=True)
class Weighed:
    """Positions with what each option is worth.

    Attributes:
        positions: State[n]. games: index of each one's game. values: (n, actions, 2), mean over the even and over the
            odd futures; nan beyond the legal actions. differs: share of the futures in which options differ.
        usual: (n,), place of the bot's own choice; -1 where it is not among the legal ones.
        choices: of a game, on average.
    """

    positions: Array
    games: Array
    values: Array
    differs: Array
    usual: Array
    choices: float


def weigh(match: Match, seed: int, positions: int, futures: int, workers: int, tell: Callable[[str], None]) -> Weighed:
    """Samples positions from games of the match's bots and plays each option on.

    Raises:
        InputError: a bot looks ahead, or there is no choice in the game.
    """
    for bot in match.bots:
        if bot.considers is not None:
            raise InputError(f"bot '{bot.text}' looks ahead: too slow to play thousands of futures. Name a listed bot.")
    match.compile()
    futures += futures % 2
    traits = np.zeros(len(L._declared))
    traits[L.score] = by_score = len(match.game.seats) == 1 and match.game.has_scores
    traits = np.concatenate([traits, *(bot.read for bot in match.bots)])
    self_play, _ = match.compiled.learning()
    knobs, cards, blank = view(match.knobs), view(match.cards), view(match.blank_state(seed))

    def sample(first: int, count: int, share: float, room: int) -> Array:
        kept = records(room, match.game.state)
        values = np.zeros((count, len(match.game.seats)))
        found = self_play(
            records(1, match.game.state), blank, knobs, cards, traits, first, count, by_score, share, kept, values
        )
        return np.asarray(kept)[:found]

    tell("Gathering positions.")
    probe = sample(1 << 42, _FIRST, 1.0, _ROOM)
    if not len(probe):
        raise InputError(f"{match.game.slug}: there is never more than one legal option, so no choice to examine.")
    seen = np.unique(probe["stream_game"][:, 0]).size if len(probe) == _ROOM else _FIRST
    choices = len(probe) / seen
    games = max(-(-positions // 4), 40)
    share = min(1.0, positions / (games * choices))
    with ThreadPoolExecutor(workers) as pool:
        room = int(4 * share * choices * _CHUNK) + 64
        parts = pool.map(lambda s: sample(s, min(_CHUNK, games - s), share, room), range(0, games, _CHUNK))
        found = np.concatenate(list(parts))
        tell(f"Playing {len(found):,} positions on, {futures} futures for each option.")
        n, most = len(found), match.game.max_actions
        values, differs, usual = np.zeros((n, most, 2)), np.zeros(n, np.int64), np.zeros(n, np.int64)
        loop = match.compiled.weighing()

        def work(start: int) -> None:
            part = slice(start, start + _CHUNK)
            loop(view(found[part]), knobs, cards, traits, futures, by_score, values[part], differs[part], usual[part])

        starts = range(0, n, _CHUNK)
        for done, _ in enumerate(pool.map(work, starts), 1):
            if 10 * done // len(starts) > 10 * (done - 1) // len(starts):
                tell(f"{min(done * _CHUNK, n):,} of {n:,} positions.")
    legal = np.arange(most) < found["n_legal"][:, None]
    values[~legal] = np.nan
    match_usual = (found["legal"] == usual[:, None]) & legal
    place = np.where(match_usual.any(axis=1), match_usual.argmax(axis=1), -1)
    index = found["stream_game"][:, 0].astype(np.int64) | found["stream_game"][:, 1].astype(np.int64) << 32
    return Weighed(found, index, 2 * values / futures, differs / futures, place, choices)


def answer(
    match: Match,
    seed: int,
    positions: int = POSITIONS,
    futures: int = FUTURES,
    workers: int = 1,
    tell: Callable[[str], None] = lambda text: None,
) -> ChoicesAnswer:
    """Which choices of a match matter."""
    game = match.game
    by_score = len(game.seats) == 1 and game.has_scores
    made = weigh(match, seed, positions, futures, workers, tell)
    seats, kinds = made.positions["seat"].astype(int), made.positions["decision"].astype(int)
    groups = {(int(s), int(k)): (seats == s) & (kinds == k) for s, k in np.unique(np.stack([seats, kinds], 1), axis=0)}
    told = {key: mask for key, mask in groups.items() if np.unique(made.games[mask]).size >= FEW}
    level = 1 - 0.05 / max(4 * len(told), 1)
    parts = tuple(_kind(match, made, key, mask, level, by_score) for key, mask in told.items())
    spread = float(match.play(seed, 1 << 42, 400).rows["score"][:, 0].std()) if by_score else 1.0
    return ChoicesAnswer(
        game=game.slug, seed=seed, bots={bot.seat: bot.text for bot in match.bots}, positions=len(made.positions),
        futures=futures + futures % 2, by_score=by_score, little=LITTLE * (10 * spread if by_score else 1.0),
        kinds=parts, turns=tuple(_turns(made, by_score)),
        rare=tuple(f"{game.decisions[k].name} ({game.seats[s]})" for s, k in groups if (s, k) not in told),
    )  # fmt: skip


def gains(values: Array, over: Callable[[Array, Array], Array]) -> Array:
    """What the option that one half of the futures choose is worth more than another, by the other half; (n,).

    Args:
        values: (n, actions, 2). over: (values that choose, values that judge) -> value of the other option, (n,).
    """
    parts = []
    for chooses, judges in ((EVEN, ODD), (ODD, EVEN)):
        best = np.nanargmax(values[:, :, chooses], axis=1)
        worth = np.take_along_axis(values[:, :, judges], best[:, None], 1)[:, 0]
        parts.append(worth - over(values[:, :, chooses], values[:, :, judges]))
    return np.asarray((parts[0] + parts[1]) / 2)


def _at(values: Array, place: Array) -> Array:
    return np.asarray(np.take_along_axis(values, place[:, None], 1)[:, 0])


def _second(chooses: Array, judges: Array) -> Array:
    order = np.argsort(np.where(np.isnan(chooses), -np.inf, chooses), axis=1, kind="stable")
    return _at(judges, order[:, -2])


def _kind(match: Match, made: Weighed, key: tuple[int, int], mask: Array, level: float, by_score: bool) -> ChoiceKind:
    game, (seat, kind) = match.game, key
    values, usual, where = made.values[mask], made.usual[mask], made.games[mask]

    def number(gain: Array, of: Array) -> Number:
        return _number(clustered_ratio(gain, np.ones(len(gain)), of, np.zeros(len(gain), int), level), by_score)

    own = np.maximum(usual, 0)
    thrown = np.where(usual >= 0, gains(values, lambda _, judges: _at(judges, own)), 0.0)
    nothing = (made.differs[mask] == 0).astype(float)
    same = as_share(clustered_ratio(nothing, np.ones(len(nothing)), where, np.zeros(len(nothing), int), level), level)
    always, gain = _always(made, mask, where)
    named = {action: name for name, action in names_of(game, kind).items()}
    return ChoiceKind(
        seat=game.seats[seat], decision=game.decisions[kind].name, positions=int(mask.sum()),
        per_game=made.choices * float(mask.mean()), options=float((~np.isnan(values[:, :, 0])).sum(axis=1).mean()),
        over_random=number(gains(values, lambda _, judges: np.nanmean(judges, axis=1)), where),
        over_second=number(gains(values, _second), where), thrown_away=number(thrown, where),
        same=Estimate(same.value, max(same.low, 0.0), min(same.high, 1.0)),
        always=named.get(always, f"action {always}") if always >= 0 else "",
        gain_over_always=None if gain is None else number(gain[0], gain[1]),
    )  # fmt: skip


def _always(made: Weighed, mask: Array, where: Array) -> tuple[int, tuple[Array, Array] | None]:
    """The action that is best on average where it is legal, by half of the games, and gains over it in the others."""
    values, legal = made.values[mask], made.positions["legal"][mask]
    mean = values.mean(axis=2)
    edge = mean - np.nanmean(mean, axis=1)[:, None]
    choosing = where % 2 == 0
    best, best_edge = -1, -np.inf
    known = ~np.isnan(mean)
    for action in np.unique(legal[known]):
        here = (legal == action) & known
        if here[choosing].any(axis=1).sum() < FEW // 2 or here[~choosing].any(axis=1).sum() < FEW // 2:
            continue
        total = float(edge[choosing][here[choosing]].sum())
        if total > best_edge:
            best, best_edge = int(action), total
    if best < 0:
        return best, None
    here = (legal == best) & known
    judging = ~choosing & here.any(axis=1)
    place = here[judging].argmax(axis=1)
    return best, (gains(values[judging], lambda _, judges: _at(judges, place)), where[judging])


def _turns(made: Weighed, by_score: bool) -> list[TurnStake]:
    turn = made.positions["turn"].astype(int)
    gain = gains(made.values, lambda _, judges: np.nanmean(judges, axis=1))
    wide = -(-int(turn.max() - turn.min() + 1) // TURNS)
    found = []
    for first in range(int(turn.min()), int(turn.max()) + 1, wide):
        mask = (turn >= first) & (turn < first + wide)
        if np.unique(made.games[mask]).size < FEW:
            continue
        ones = np.ones(int(mask.sum()))
        ratio = clustered_ratio(gain[mask], ones, made.games[mask], np.zeros(len(ones), int))
        last = min(first + wide - 1, int(turn.max()))
        found.append(TurnStake(first=first, last=last, positions=len(ones), over_random=_number(ratio, by_score)))
    return found


def _number(ratio: Ratio, by_score: bool) -> Estimate:
    return Difference(ratio.value, ratio.low, ratio.high, not by_score)
