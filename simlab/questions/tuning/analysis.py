"""Tuning a bot: the values of its named traits that do best against given bots.

CMA-ES with margin proposes settings, so that whole numbers stay whole. The settings of a generation race: all play
the same games, the worse half drops out, and the rest play more games. The best settings of all generations and the
untuned bot race once more in separate games. Only the winner is reported, from held-out games: against the untuned bot,
and with each single trait reset, which shows the worth of that trait.

Source: Hansen (2016), The CMA evolution strategy, arXiv:1604.00772; Hamano, Saito, Nomura, Shirakawa (2022), CMA-ES
with margin, GECCO (the `cmaes` package); racing by halves: Karnin, Koren, Somekh (2013).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simlab.bot_registry import Bot, bare_bot
from simlab.errors import InputError, nearest
from simlab.game import Array, Trait
from simlab.present.answer import Answer, Number, Part
from simlab.questions.contest import UNSEEN, Contest, Entrant, field_text, per_game, with_traits
from simlab.stats.intervals import level_of_each

FEWEST = 10  #: games against each field that a setting plays before it can drop out
FINALISTS = 12  #: most settings in the last race, including the untuned one
_FINAL_SHARE = 0.2  # of the games of the search, for the last race
_SPREAD = 0.25  # of the first generation, as a share of each trait's range
_BACKGROUND = ("iterations", "depth", "score")  # of a search: more of it is another bot, not a better setting


class TraitGain(Part):
    """Worth of one trait of the winner.

    Attributes:
        before, after: its value in the untuned bot and in the winner.
        lost_without: loss if only this trait is reset.
    """

    trait: str
    before: float
    after: float
    lost_without: Number


class FieldGain(Part):
    """The untuned bot and the winner against one field."""

    against: str
    before: Number
    after: Number
    gain: Number


class TunedBot(Answer, form="tune", version=2, source="simlab optimize bot GAME"):
    """A bot with the traits that do best.

    Attributes:
        bot: its text without traits. tuned: text of the winner, with the traits that differ from the bot's defaults.
        traits: all traits of the winner; untuned: all traits of the untuned bot. settings_tried: number of settings in
            all generations. games_searched: number of games used for choosing; games_confirmed: held-out games of each
            bot against each field.
        before, after, gain: averages over all fields; gain is the winner's advantage over the untuned bot, in held-out
            games.
        by_trait: worth of each changed trait, highest first. by_field: results against each field. The intervals of
            both tables hold together.
        by_score: whether values are scores, not shares of the wins.
        file: file of the saved bot; None if no better setting was found, or no file was requested.
    """

    game: str
    seat: str
    bot: str
    tuned: str
    seed: int
    traits: dict[str, float]
    untuned: dict[str, float]
    generations: int
    settings_tried: int
    games_searched: int
    games_confirmed: int
    before: Number
    after: Number
    gain: Number
    by_trait: tuple[TraitGain, ...]
    by_field: tuple[FieldGain, ...]
    by_score: bool
    file: str | None = None

    @property
    def changed(self) -> dict[str, float]:
        return {name: value for name, value in self.traits.items() if value != self.untuned[name]}

    @property
    def is_better(self) -> bool:
        """Whether the winner is significantly better than the untuned bot."""
        return self.gain.low > 0


def number(value: float) -> str:
    """A trait's value as text, without a decimal point if it is whole."""
    return f"{value:.0f}" if value == round(value) else repr(round(value, 9))


def tune(
    contest: Contest, text: str, games: int = 20_000, confirm: int = 2_000, names: Sequence[str] = (),
    level: float = 0.95,
) -> TunedBot:  # fmt: skip
    """Searches for the traits with which a bot does best, starting from the bot as it is.

    Args:
        confirm: held-out games against each field, 2 or more. names: traits to tune; by default all.
        level: level of the interval of the gain, and joint level of the intervals of both tables.
    Raises:
        InputError: the bot has no such trait, or no traits; too few games to search with.
    """
    if confirm < 2:
        raise InputError(f"confirm = {confirm}: an interval takes 2 games or more.")
    search = Search(contest, text, names)
    winner = search.best(games)
    contest.entrant(search.text_of(winner))  # checks a foreign bot with the traits found
    traits = search.traits_of(winner)
    untuned = search.traits_of(search.untuned)
    changed = np.flatnonzero(winner != search.untuned).tolist()
    places = np.arange(len(winner))
    alone = [np.where(places == i, search.untuned, winner) for i in changed]  # each with one trait reset
    before, after, *without = search.values([search.untuned, winner, *alone], 0, confirm, "held-out games")
    strict = level_of_each(level, len(changed) + 3 * len(contest.fields))
    payoff = contest.payoff

    def compared(before: Array, after: Array, level: float) -> dict[str, Any]:
        return {
            "before": payoff.mean(before, level), "after": payoff.mean(after, level),
            "gain": payoff.gain(before, after, level),
        }  # fmt: skip

    by_trait = [
        TraitGain(
            trait=search.names[i], before=float(search.untuned[i]), after=float(winner[i]),
            lost_without=payoff.gain(per_game(values), per_game(after), strict),
        )
        for i, values in zip(changed, without, strict=True)
    ]  # fmt: skip
    by_field = [
        FieldGain(against=field_text(field), **compared(before[:, f], after[:, f], strict))
        for f, field in enumerate(contest.fields)
    ]
    return TunedBot(
        game=contest.game.slug, seat=contest.seat, bot=search.bare, tuned=search.text_of(winner), seed=contest.seed,
        traits=traits, untuned=untuned, generations=search.generations, settings_tried=search.tried,
        games_searched=search.played, games_confirmed=confirm, **compared(per_game(before), per_game(after), level),
        by_trait=tuple(sorted(by_trait, key=lambda gain: -gain.lost_without.value)), by_field=tuple(by_field),
        by_score=payoff.by_score,
    )  # fmt: skip


class Search:
    """The search for the best setting of a bot's traits.

    Attributes:
        names: traits that are tuned. untuned: their untuned values, float (traits,). bare: the bot's text without
            traits. tried, generations, played: number of settings, generations and games so far.
    """

    def __init__(self, contest: Contest, text: str, names: Sequence[str] = ()) -> None:
        self.contest = contest
        self.entrant: Entrant = contest.entrant(text)
        bot: Bot = self.entrant.matches[0].bots[contest.place]
        self.declared: Mapping[str, Trait] = bot.policy.traits
        self.places = {name: i for i, name in enumerate(self.declared)}
        wanted = [name for name in self.declared if not (bot.parts and name in _BACKGROUND)]
        for name in names:
            if name not in self.declared:
                raise InputError(f"{text} has no trait '{name}'. {nearest(name, self.declared)}")
        self.names = [name for name in names or wanted if self.declared[name].low < self.declared[name].high]
        if not self.names:
            raise InputError(
                f"{text} has no traits to tune. `simlab info {contest.game.reference} bots` lists those that have."
            )
        self.bare = bare_bot(contest.game, text)
        self._all = bot.traits.copy()
        kinds = [self.declared[name] for name in self.names]
        self.low = np.array([kind.low for kind in kinds], np.float64)
        self.span = np.array([kind.high - kind.low for kind in kinds], np.float64)
        self.whole = np.array([kind.whole for kind in kinds], np.bool_)
        self.untuned = bot.traits[[self.places[name] for name in self.names]].astype(np.float64)
        self.tried = self.generations = self.played = 0
        self._next = UNSEEN

    def traits_of(self, setting: Array) -> dict[str, float]:
        """All traits of the bot at a setting, including those that are not tuned."""
        own = {name: float(self._all[place]) for name, place in self.places.items()}
        return own | {name: float(value) for name, value in zip(self.names, setting, strict=True)}

    def text_of(self, setting: Array) -> str:
        """The bot at a setting, as text, with the traits that differ from its defaults."""
        traits = self.traits_of(setting).items()
        own = [f"{name}={number(value)}" for name, value in traits if value != self.declared[name].default]
        return ":".join([self.bare, *own])

    def values(self, settings: Sequence[Array], first: int, games: int, what: str) -> list[Array]:
        """Values of the games with each setting: float (games, fields)."""
        entrants = []
        for setting in settings:
            traits = self._all.copy()
            traits[[self.places[name] for name in self.names]] = setting
            entrants.append(with_traits(self.entrant, self.contest.place, traits))
        return [course.values for course in self.contest.play(entrants, first, games, what)]

    def best(self, games: int) -> Array:
        """The best setting found with about this number of games; the untuned setting if none is better."""
        from cmaes import CMAwM

        count, fields = len(self.names), len(self.contest.fields)
        size = 4 + math.floor(3 * math.log(count))
        rounds = _rounds(size, size // 2)
        generations = min(40, 10 + 2 * count)
        a_round = games * (1 - _FINAL_SHARE) / (generations * rounds * size * fields)
        if a_round < FEWEST:
            generations = max(3, int(generations * a_round / FEWEST))
            a_round = max(games * (1 - _FINAL_SHARE) / (generations * rounds * size * fields), 1)
        if a_round < FEWEST / 2:
            least = math.ceil(3 * rounds * size * fields * FEWEST / (1 - _FINAL_SHARE) / 100) * 100
            raise InputError(
                f"games = {games:,} are too few to tune {count} traits against {fields} "
                f"field{'s' if fields > 1 else ''}: take {least:,} or more."
            )
        optimizer: Any = CMAwM(
            mean=(self.untuned - self.low) / self.span, sigma=_SPREAD, bounds=np.tile([0.0, 1.0], (count, 1)),
            steps=np.where(self.whole, 1 / self.span, 0.0), population_size=size,
            seed=int(np.random.default_rng([self.contest.seed, 30]).integers(1 << 31)),
        )  # fmt: skip
        ahead: list[Array] = []
        for _ in range(generations):
            asked = [optimizer.ask() for _ in range(size)]
            settings = [self._setting(x) for x, _ in asked]
            order = self._race(settings, int(a_round), size // 2, f"generation {self.generations + 1}")
            optimizer.tell([(asked[i][1], float(rank)) for rank, i in enumerate(order)])
            ahead.append(settings[order[0]])
            self.generations += 1
            if optimizer.should_stop():
                break
        middle = self._setting(optimizer.mean)
        finalists = _distinct([self.untuned, middle, *reversed(ahead)])[:FINALISTS]
        if len(finalists) == 1:
            return self.untuned
        final = max(1, int(games * _FINAL_SHARE / (_rounds(len(finalists), 2) * len(finalists) * fields)))
        return finalists[self._race(finalists, max(final, FEWEST), 2, "last race")[0]]

    def _setting(self, x: Array) -> Array:
        """Converts a point of the unit cube to values of the traits, rounded to readable numbers."""
        values = self.low + np.clip(x, 0.0, 1.0) * self.span
        fine = 10.0 ** np.floor(np.log10(self.span / 500))
        rounded = np.where(self.whole, np.round(values), np.round(values / fine) * fine)
        return np.array([float(f"{value:.9g}") for value in np.clip(rounded, self.low, self.low + self.span)])

    def _race(self, settings: Sequence[Array], games: int, last: int, what: str) -> list[int]:
        """The places of the settings, the best first.

        All play the same games; after each round the worse half drops out, and the rest plays twice as many, until
        no more than `last` are left.
        """
        distinct = _distinct(settings)
        if len(distinct) < len(settings):  # whole numbers repeat: a setting runs once
            place = {setting.tobytes(): i for i, setting in enumerate(distinct)}
            rank = {i: r for r, i in enumerate(self._race(distinct, games, min(last, len(distinct)), what))}
            return sorted(range(len(settings)), key=lambda i: rank[place[settings[i].tobytes()]])
        self.tried += len(settings)
        alive = list(range(len(settings)))
        total, count = np.zeros(len(settings)), 0
        dropped: list[int] = []
        while True:
            played = self.values([settings[i] for i in alive], self._next, games, what)
            self.played += games * len(self.contest.fields) * len(alive)
            self._next += games
            count += 1
            for i, values in zip(alive, played, strict=True):
                total[i] += float(np.nanmean(values)) * games
            alive.sort(key=lambda i: -total[i])
            if len(alive) <= last:
                return alive + dropped
            keep = max(last, (len(alive) + 1) // 2)
            alive, dropped = alive[:keep], alive[keep:] + dropped
            games *= 2


def _rounds(entrants: int, last: int) -> int:
    """Number of rounds of a race; each round costs about as many games as the first."""
    rounds = 1
    while entrants > last:
        entrants = max(last, (entrants + 1) // 2)
        rounds += 1
    return rounds


def _distinct(settings: Sequence[Array]) -> list[Array]:
    return list({setting.tobytes(): setting for setting in settings}.values())
