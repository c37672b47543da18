"""Which choices matter: positions are sampled, and every option of each is played on in the same futures.

The futures are split into parts. In turn, each part measures the value of the option that is best in all the others, so
luck does not make an option look good. If several options are equally good there, the one that is better in other games
is taken, and if they tie there too, all of them in equal shares: the order in which a game lists its options changes
nothing. Differences that are too small to show in few futures are not counted, so gains are underestimated if anything.
A gain is that of a single choice, after which the bots play on: waiting once costs little, but always waiting may cost
the game. Other games therefore measure all choices of a kind together: they are made at random, or the same option is
always taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from simlab.engine.entry_points import view
from simlab.engine.match import Match
from simlab.engine.payoff import Payoff, seeks_score
from simlab.errors import InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Difference, Estimate
from simlab.questions.positions import CHUNK, Sampler, games_of
from simlab.spec import bans
from simlab.spec.bans import name_of, word
from simlab.stats.cluster_robust import as_share, clustered_ratio
from simlab.stats.intervals import Mean

POSITIONS, FUTURES = 1_000, 64
JUDGED = 1 << 43  #: first of the games in which the bot does not make all decisions
FEW = 20  #: with fewer positions of a kind of decision, it is not measured
LITTLE = 0.005  #: of a win: less matters little. Of a score: this many of its standard deviations times ten
TURNS = 12  #: turns of the chart at most; longer games have several turns in one
PARTS = 8  #: parts of the futures at most; each in turn measures the option that the others select
SPARE = 6  #: times as many positions are gathered, of which rare kinds of decisions are kept first
_MEMORY = 300_000_000  # bytes of positions
_PER_GAME = 4  # positions of a game, on average


class ChoiceKind(Part):
    """A kind of decision of a seat.

    Attributes:
        positions: positions examined. per_game: mean number of these choices per game. options: mean number of options.
        over_random: gain of the option selected by the other futures over a random option. over_second, thrown_away:
            its gain over the option that these futures rank second, and over the option that the seat's bot takes.
        same: share of the positions in which all options led to the same results.
        by_chance: change of the seat's results if all these decisions are random. always: the
            option that is best on average; if_always: change if this option is taken whenever it is legal; None if no
            option is legal often.
        Gains and changes are shares of a win, or scores, with intervals that hold for all kinds of decisions together.
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
    by_chance: Number
    always: str
    if_always: Number | None


class TurnStake(Part):
    """Stakes in a turn: `over_random` of all choices of these turns, with a 95 % interval."""

    first: int
    last: int
    positions: int
    over_random: Number


class ChoicesAnswer(Answer, form="choices", source="simlab analyze choices GAME"):
    """The stakes of choices.

    Attributes:
        bots: seat -> bot; these bots also play the futures. futures: number of futures per option. games: number of
            games per change. by_score: whether a gain is a score.
        little: largest gain that matters little. rare: kinds of decisions that came up too rarely, with their seats;
            enough: number of positions with which they would probably be measured, 0 if there are none.
    """

    game: str
    seed: int
    bots: dict[str, str]
    positions: int
    futures: int
    games: int
    by_score: bool
    little: float
    kinds: tuple[ChoiceKind, ...]
    turns: tuple[TurnStake, ...]
    rare: tuple[str, ...]
    enough: int = 0

    def most(self) -> list[ChoiceKind]:
        """The kinds of decisions, ordered by the stakes per game."""
        return sorted(self.kinds, key=lambda one: one.by_chance.value)


@dataclass(frozen=True)
class OptionValues:
    """Positions with the value of each option."""

    positions: Array  #: State[n]
    games: Array  #: (n,), index of each one's game
    values: Array  #: (n, actions, parts), mean over each part of the futures; nan beyond the legal actions
    differs: Array  #: (n,), share of the futures in which options differ
    usual: Array  #: (n,), position of the bot's own choice; -1 if it is not legal
    weights: Array  #: (n,), number of positions in the games that each one represents
    per_game: Array  #: (seats, kinds of decisions), number of choices per game

    @property
    def choices(self) -> float:
        """Number of choices per game."""
        return float(self.per_game.sum())


class Futures(Sampler):
    """Plays on from each option of positions, in the same futures, with the bots of a match."""

    def values(self, positions: Array, futures: int) -> tuple[Array, Array]:
        """Value of each option of State[n] by future, (n, actions, futures), nan if illegal; the bot's action, (n,)."""
        n, most = len(positions), self.match.game.max_actions
        values, usual = np.zeros((n, most, futures)), np.zeros(n, np.int64)
        loop = self.match.compiled.weighing()
        loop(view(positions), self.knobs, self.cards, self.traits, self.by_score, values, usual)
        values[np.arange(most) >= positions["n_legal"][:, None]] = np.nan
        return values, usual


@dataclass(frozen=True)
class Gathered:
    """Positions before they are played on; `positions`, `weights` and `per_game` as in OptionValues."""

    futures: Futures
    positions: Array
    weights: Array
    per_game: Array

    @property
    def games(self) -> Array:
        """Index of each position's game, (n,)."""
        return games_of(self.positions)

    def kinds(self) -> dict[tuple[int, int], Array]:
        """(seat, kind of decision) -> which positions are of it, bool (n,)."""
        seats, kinds = self.positions["seat"].astype(int), self.positions["decision"].astype(int)
        pairs = np.unique(np.stack([seats, kinds], 1), axis=0).tolist()
        return {(seat, kind): (seats == seat) & (kinds == kind) for seat, kind in pairs}

    def frequent(self) -> dict[tuple[int, int], Array]:
        """`kinds` with positions from enough games to be measured."""
        return {key: mask for key, mask in self.kinds().items() if np.unique(self.games[mask]).size >= FEW}

    def enough(self) -> int:
        """Number of positions with which the kinds of decisions that came up too rarely would probably be measured."""
        kinds, frequent = self.kinds(), self.frequent()
        shares = [min(float(self.per_game[key]), 1.0) for key in kinds if key not in frequent]  # of the games, at most
        if not shares:
            return 0
        # Of every four positions one is of another game, and each kind gets an equal number of the positions.
        wanted = 1.5 * FEW * max(_PER_GAME / min(shares), len(kinds))
        return int(-(-wanted // 10)) * 10


def gather(match: Match, seed: int, positions: int, workers: int) -> Gathered:
    """Samples positions from games of the match's bots.

    Raises:
        InputError: a bot looks ahead, or the game has no choices.
    """
    played_on = Futures(match, seed)
    choices = played_on.choices()
    games = max(-(-positions // _PER_GAME), 2 * FEW)
    room_for = max(_MEMORY // match.game.state.itemsize, positions)
    share = min(1.0, min(SPARE * positions, room_for) / (games * choices))
    found, counts = played_on.counted(seed, games, share, choices, workers)
    return Gathered(played_on, *evened(found, positions, seed), counts / games)


def weigh(
    gathered: Gathered, futures: int, workers: int, notify: Callable[[str], None] = lambda text: None
) -> OptionValues:
    """Plays on from each option of some positions. futures: of each option, a multiple of 4."""
    played_on, found = gathered.futures, gathered.positions
    match, parts = played_on.match, next(parts for parts in range(PARTS, 0, -1) if futures % parts == 0)
    notify(f"Playing {len(found):,} positions on, {futures} futures for each option.")
    with ThreadPoolExecutor(workers) as pool:
        n, most = len(found), match.game.max_actions
        values, differs, usual = np.zeros((n, most, parts)), np.zeros(n), np.zeros(n, np.int64)

        def work(start: int) -> None:
            part = slice(start, start + CHUNK)
            each, usual[part] = played_on.values(found[part], futures)
            values[part] = np.stack([each[..., one::parts].mean(axis=2) for one in range(parts)], axis=2)
            differs[part] = (np.fmax.reduce(each, axis=1) != np.fmin.reduce(each, axis=1)).mean(axis=1)

        starts = range(0, n, CHUNK)
        for done, _ in enumerate(pool.map(work, starts), 1):
            if 10 * done // len(starts) > 10 * (done - 1) // len(starts):
                notify(f"{min(done * CHUNK, n):,} of {n:,} positions.")
    legal = np.arange(most) < found["n_legal"][:, None]
    match_usual = (found["legal"] == usual[:, None]) & legal
    place = np.where(match_usual.any(axis=1), match_usual.argmax(axis=1), -1)
    return OptionValues(found, gathered.games, values, differs, place, gathered.weights, gathered.per_game)


def evened(found: Array, most: int, seed: int) -> tuple[Array, Array]:
    """At most this number of positions, rare kinds of decisions first, and how many positions each represents."""
    keys = found["seat"].astype(int) * 1_000 + found["decision"].astype(int)
    kinds, of, counts = np.unique(keys, return_inverse=True, return_counts=True)
    kept = np.zeros(len(kinds), int)
    left = most
    for place, kind in enumerate(np.argsort(counts, kind="stable")):
        kept[kind] = min(counts[kind], left // (len(kinds) - place))
        left -= kept[kind]
    draw = np.random.default_rng(seed)
    chosen = np.sort(np.concatenate([draw.permutation(np.flatnonzero(of == k))[: kept[k]] for k in range(len(kinds))]))
    return found[chosen], (counts / np.maximum(kept, 1))[of[chosen]]


def answer(
    match: Match,
    seed: int,
    positions: int = POSITIONS,
    futures: int = FUTURES,
    workers: int = 1,
    notify: Callable[[str], None] = lambda text: None,
) -> ChoicesAnswer:
    """The stakes of the choices of a match.

    Raises:
        InputError: a bot looks ahead, the game has no choices, or no kind of decision comes up in enough games.
    """
    game = match.game
    by_score = seeks_score(game)
    notify("Gathering positions.")
    gathered = gather(match, seed, positions, workers)
    groups, frequent = gathered.kinds(), gathered.frequent()
    if not frequent:
        raise InputError(
            f"--positions {positions}: too few; no kind of decision has positions from {FEW} games. "
            f"Use --positions {gathered.enough()} or more."
        )
    futures = -(-futures // 4) * 4
    made = weigh(gathered, futures, workers, notify)
    level = 1 - 0.05 / (6 * len(frequent))
    elsewhere = edges_elsewhere(made, groups.values())
    stakes = _Stakes(match, made, elsewhere, seed, 2 * positions, level)
    notify("Playing games in which one kind of decision is made at random, or always in the same way.")
    with ThreadPoolExecutor(workers) as pool:
        parts = tuple(pool.map(lambda key: stakes.of(key[0], key[1], frequent[key]), frequent))
    spread = float(stakes.base["score"][:, 0].std()) if by_score else 1.0
    return ChoicesAnswer(
        game=game.slug, seed=seed, bots={bot.seat: bot.text for bot in match.bots}, positions=len(made.positions),
        futures=futures, games=2 * positions, by_score=by_score,
        little=LITTLE * (10 * spread if by_score else 1.0),
        kinds=parts, turns=tuple(_turns(made, elsewhere, by_score)),
        rare=tuple(f"{game.decisions[k].name} ({game.seats[s]})" for s, k in groups if (s, k) not in frequent),
        enough=gathered.enough(),
    )  # fmt: skip


def gains(values: Array, over: Callable[[Array, Array, Array], Array], elsewhere: Array | None = None) -> Array:
    """Gain over another option of the one that is best in the other parts of the futures, averaged over parts; (n,).

    Args:
        values: (n, actions, parts). over: function of the selected option, as shares (n, actions) that add up to 1, of
            the values by which it is selected, and of those that measure it, (n, actions) each; returns the value of
            the other option, (n,). elsewhere: (n, actions), the gain of the same option in other games, which decides
            between options that are equally good here.
    """
    known = ~np.isnan(values[:, :, 0])
    prefer = np.zeros(known.shape) if elsewhere is None else elsewhere
    total, parts = values.sum(axis=2), values.shape[2]
    found = np.zeros(len(values))
    for part in range(parts):
        judges = values[:, :, part]
        by = (total - judges) / max(parts - 1, 1)
        best = best_of(by, prefer, known)
        found += _worth(best, judges) - over(best, by, judges)
    return np.asarray(found / parts)


def best_of(values: Array, elsewhere: Array, known: Array) -> Array:
    """The best option as shares that add up to 1: of options that tie in `values`, then `elsewhere`, equal shares.

    Args: all of shape (n, actions); known: which options there are.
    """
    chosen = known
    for by in (values, elsewhere):
        top = np.where(chosen, by, -np.inf).max(axis=1, keepdims=True)
        chosen = chosen & (by >= top - 1e-9 * np.maximum(np.abs(top), 1))
    return np.asarray(chosen / chosen.sum(axis=1, keepdims=True))


def _worth(shares: Array, judges: Array) -> Array:
    return np.asarray(np.where(shares > 0, shares * judges, 0.0).sum(axis=1))


def over_random(best: Array, by: Array, judges: Array) -> Array:
    """Value of a random option, for `gains`."""
    return np.asarray(np.nanmean(judges, axis=1))


def over_second(elsewhere: Array) -> Callable[[Array, Array, Array], Array]:
    """Value of the second-best option, for `gains`: another one if several are the best."""

    def value(best: Array, by: Array, judges: Array) -> Array:
        tied = (best > 0).sum(axis=1, keepdims=True) > 1
        rest = best_of(by, elsewhere, ~np.isnan(judges) & ((best == 0) | tied))
        return _worth(np.where(tied, best, rest), judges)

    return value


def edges_elsewhere(made: OptionValues, groups: Iterable[Array]) -> Array:
    """Mean gain over a random option of each option in other games, (n, actions); 0 if it was in none.

    Args: groups: which positions are of the same seat and kind of decision, bool (n,) each.
    """
    mean = made.values.mean(axis=2)
    edge = mean - np.nanmean(mean, axis=1, keepdims=True)
    found = np.zeros(edge.shape)
    for mask in groups:
        here, legal = edge[mask], made.positions["legal"][mask].astype(int)
        known, games = ~np.isnan(here), np.unique(made.games[mask], return_inverse=True)[1]
        actions = np.where(known, legal, 0)
        sums = np.zeros((2, games.max() + 1, int(actions.max()) + 1))
        for sum_, each in zip(sums, (np.where(known, here, 0.0), known), strict=True):
            np.add.at(sum_, (games[:, None], actions), each)
        total, number = (sum_.sum(axis=0)[actions] - np.take_along_axis(sum_[games], actions, axis=1) for sum_ in sums)
        found[mask] = np.where(known & (number > 0), total / np.maximum(number, 1), 0.0)
    return found


def _always(made: OptionValues, mask: Array) -> int:
    """The action that is best on average if it is legal; -1 if no action is legal often."""
    values, legal = made.values[mask], made.positions["legal"][mask]
    mean = values.mean(axis=2)
    edge, known = mean - np.nanmean(mean, axis=1)[:, None], ~np.isnan(mean)
    totals = {
        int(action): float(edge[here].sum())
        for action in np.unique(legal[known])
        if (here := (legal == action) & known).any(axis=1).sum() >= FEW
    }
    return max(totals, key=lambda action: totals[action], default=-1)


class _Stakes:
    """The stakes of the kinds of decisions, and a seat's results if its bot is replaced for one of them."""

    def __init__(self, match: Match, made: OptionValues, elsewhere: Array, seed: int, games: int, level: float) -> None:
        self.match, self.made, self.seed, self.games, self.level = match, made, seed, games, level
        self.base = match.play(seed, JUDGED, games).rows
        self.elsewhere = elsewhere

    def of(self, seat: int, kind: int, mask: Array) -> ChoiceKind:
        """The stakes of a kind. mask: its positions."""
        game, made, by_score = self.match.game, self.made, seeks_score(self.match.game)
        values, usual, where = made.values[mask], made.usual[mask], made.games[mask]
        decision, always = game.decisions[kind], _always(made, mask)

        def ratio(each: Array) -> Mean:
            return clustered_ratio(each, np.ones(len(each)), where, np.zeros(len(each), int), self.level)

        word_of, elsewhere = word(decision.id), self.elsewhere[mask]
        own = (np.arange(values.shape[1]) == usual[:, None]).astype(float)
        thrown = np.where(usual >= 0, gains(values, lambda best, by, judges: _worth(own, judges), elsewhere), 0.0)
        same = as_share(ratio((made.differs[mask] == 0).astype(float)), self.level)
        others = [f"{word_of}/{other}" for other in range(game.max_actions) if other != always]
        return ChoiceKind(
            seat=game.seats[seat], decision=decision.name, positions=int(mask.sum()),
            per_game=float(made.per_game[seat, kind]),
            options=float((~np.isnan(values[:, :, 0])).sum(axis=1).mean()),
            over_random=_number(ratio(gains(values, over_random, elsewhere)), by_score),
            over_second=_number(ratio(gains(values, over_second(elsewhere), elsewhere)), by_score),
            thrown_away=_number(ratio(thrown), by_score),
            same=Estimate(same.value, same.low, same.high).within(0, 1),
            always=name_of(game, kind, always) if always >= 0 else "",
            by_chance=self._without(seat, [word_of]), if_always=None if always < 0 else self._without(seat, others),
        )  # fmt: skip

    def _without(self, seat: int, options: list[str]) -> Estimate:
        """Change of a seat's results if some options are banned; if a whole kind of decision is, chance decides."""
        name = self.match.game.seats[seat]
        before = str(self.match.knobs_set.get(bans.NAME, bans.NOTHING))
        text = bans.JOIN.join([*([] if before == bans.NOTHING else [before]), *(f"{name}:{one}" for one in options)])
        rows = self.match.with_knobs({**self.match.knobs_set, bans.NAME: text}).play(self.seed, JUDGED, self.games).rows
        payoff = Payoff.of_seat(self.match.game, seat)
        return payoff.gain(payoff.values(self.base), payoff.values(rows), self.level)


def _turns(made: OptionValues, elsewhere: Array, by_score: bool) -> Iterator[TurnStake]:
    turn = made.positions["turn"].astype(int)
    gain = gains(made.values, over_random, elsewhere)
    wide = -(-int(turn.max() - turn.min() + 1) // TURNS)
    for first in range(int(turn.min()), int(turn.max()) + 1, wide):
        mask = (turn >= first) & (turn < first + wide)
        if np.unique(made.games[mask]).size < FEW:
            continue
        weights = made.weights[mask]
        ratio = clustered_ratio(weights * gain[mask], weights, made.games[mask], np.zeros(len(weights), int))
        last = min(first + wide - 1, int(turn.max()))
        yield TurnStake(first=first, last=last, positions=len(weights), over_random=_number(ratio, by_score))


def _number(ratio: Mean, by_score: bool) -> Estimate:
    return Difference(ratio.value, ratio.low, ratio.high, not by_score)
