"""The worth of an option or card is how much a seat loses without it, in the same games and with the best of its bots.
An option is banned (simlab.engine.restricted_play); a row of a card table loses its effect (TableSchema.blank). The win
rate when used is reported next to the worth. It mixes the effect of a use with the situations of use, because leaders
use more options.

Which bot is best is known only from some games. All bots that these games do not show to be worse play the games that
measure the worth, and its interval holds whichever of them is the best. With V1 and V0 the values with the thing and
without it, and b the best bot without it,

    max V1 - max V0  >=  V1(b) - V0(b)  >=  the least of V1(x) - V0(x) over all such bots x,

and at most the largest over the bots that may be the best with it. Each difference is that of one bot in the same
games, so it is precise; a bot that is shown to be worse on one side is replaced there by the best.

Source: Jaffe and others, Evaluating competitive game balance with restricted play, AIIDE 2012.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simlab.engine.match import Batch
from simlab.errors import BotFault, InputError
from simlab.game import Array, Game
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import Difference, Estimate, share_of
from simlab.questions.best_answers import Field, Lab, together
from simlab.questions.worth import subsets as random_subsets
from simlab.spec import bans
from simlab.spec.card_tables import Tables
from simlab.stats.intervals import clopper_pearson, difference_of_rates, student_quantile
from simlab.stats.paired import Verdict, paired_difference, verdict

GAMES = 2_000  #: for each thing and seat
RARE = 0.01  #: an option that is taken in a smaller share of the games is not examined unless it is named

Kind = Literal["option", "decision", "card"]


class ThingWorth(Part):
    """Worth of an option or card to a seat.

    Attributes:
        bot: the seat's bot that did best without it. used: share of the games in which the seat took it; None
            for a card, an option with several copies, and a whole kind of decision. worth: value with it minus value
            without it, each of the bot that does best, in points of the win rate or of the score. Its interval holds
            for all options of all seats together, or for all cards, and whichever bot is the best.
        score: worth in points of the score, in a game of several seats with scores. length: turns without it minus
            turns with it. Both are changes for the same bot, unless it is worse than another; the intervals have the
            same level. when_used: win rate in the games in which the seat took
            it minus win rate in the others; same level. stayed: share of the seat's decisions in which no other option
            was legal. chance: share of its decisions that were made at random because its bot did not know about the
            ban.
    """

    seat: str
    thing: str
    kind: Kind
    bot: str
    used: Rate | None
    worth: Number
    score: Number | None
    length: Number
    verdict: Verdict
    when_used: Number | None
    stayed: float
    chance: float

    @property
    def misleads(self) -> bool:
        """Whether the win rate when used suggests more than the worth in the games in which it is used."""
        if self.when_used is None or self.used is None:
            return False
        return self.when_used.low > 0 and self.when_used.low * self.used.low > max(self.worth.high, 0.0)


class PairWorth(Part):
    """Joint effect of two options or cards for a seat.

    Attributes:
        synergy: score with both plus score with neither, minus the scores with each alone, that is, how much more they
            do together than apart. In a game without scores, the same for the share of the wins. Above 0 they are
            partners; below 0 they are rivals, because each makes up for the loss of the other. Its interval holds for
            all pairs of the seat together.
    """

    seat: str
    one: str
    other: str
    synergy: Number
    verdict: Verdict


class WorthAnswer(Answer, form="worth", source="simlab analyze worth GAME"):
    """The worth of options and cards.

    Attributes:
        games: number of games for each option or card, or for all those of a seat if random subsets were removed.
            missing: mean share of the other options and cards that are missing too; 0 if one is removed at a time.
        bots: seat -> bots that were tried, the best first; field: the bots of the other seats.
        base: value of each seat's best bot. by_score: whether values are scores; has_scores: whether the game has
            scores. unused: seat -> options that it hardly ever took although they were legal. problems: measurements
            that failed, and why.
    """

    game: str
    seed: int
    games: int
    missing: float
    by_score: bool
    has_scores: bool
    bots: dict[str, tuple[str, ...]]
    field: dict[str, tuple[str, ...]]
    base: dict[str, Number]
    things: tuple[ThingWorth, ...]
    pairs: tuple[PairWorth, ...]
    unused: dict[str, tuple[str, ...]]
    problems: tuple[str, ...]

    def of_seat(self, seat: str) -> list[ThingWorth]:
        """The options and cards of a seat, the most valuable first."""
        return sorted((one for one in self.things if one.seat == seat), key=lambda one: -one.worth.value)


@dataclass(frozen=True)
class Judged:
    """Games of a bot that may be a seat's best: value, score and turns of each, (games,)."""

    batch: Batch
    value: Array
    score: Array
    turns: Array


@dataclass(frozen=True)
class Thing:
    """An option or card that can be taken away.

    Attributes:
        knobs: knobs that take it away. options: (kind, action) of an option; several for the copies of a card.
    """

    name: str
    kind: Kind
    knobs: Mapping[str, str]
    options: tuple[tuple[int, int], ...] = ()


def things_of(
    game: Game, seat: str, named: Sequence[str], taken: Array, tables: Tables | None = None
) -> tuple[list[Thing], list[str]]:
    """Options and cards that can be taken away from a seat, and options that it hardly ever takes.

    Args:
        named: bans to examine instead, as `--ban` takes them. taken: by kind and action, share of the games in which
            the seat took it; nan if it never could. tables: the tables in play.
    Raises:
        InputError: a ban names something that the game does not have.
    """
    if named:
        return _distinct(game, [thing for text in named for thing in _named(game, seat, text, tables)]), []
    things, unused = [], []
    for kind, decision in enumerate(game.decisions):
        for name, actions in bans.names_of(game, kind, tables).items():
            shares = taken[kind, list(actions)]
            label = name if len(bans.word(name)) > 3 else f"{name} ({decision.name})"
            if np.nansum(shares) >= RARE:
                things.append(option_of(game, seat, label, kind, actions))
            elif not np.isnan(shares).all():
                unused.append(label)
    things += cards_of(game, seat, tables)
    return _distinct(game, things), unused


def option_of(game: Game, seat: str, label: str, kind: int, actions: Sequence[int]) -> Thing:
    """An option, with all its copies, that can be taken away from a seat."""
    place = f"{seat}:{bans.word(game.decisions[kind].id)}"
    text = bans.JOIN.join(f"{place}/{action}" for action in actions)
    return Thing(label, "option", {bans.NAME: text}, tuple((kind, action) for action in actions))


def cards_of(game: Game, seat: str, tables: Tables | None = None) -> list[Thing]:
    """The cards that can be taken away from a seat.

    A card of a market row is banned only for the seat. For other cards, rows that can be blanked lose their effect, and
    cards of decks are drawn last, in both cases for all seats.
    """
    things, done = [], set()
    for kind, decision in enumerate(game.decisions):
        names = bans.cards_named(game, kind, tables) if decision.deck not in done else {}
        done |= {decision.deck, *(die.cards for die in game.dice if die.name == decision.deck)} if names else set()
        place = f"{seat}:{bans.word(decision.id)}"
        things += [Thing(name, "card", {bans.NAME: f"{place}/{bans.word(name)}"}) for name in names]
    for schema in game.tables:
        if schema.blank and schema.name not in done:
            done.add(schema.name)
            rows = [str(row[schema.key]) for row in (tables or game.own_tables)[schema.name]]
            things += [Thing(row, "card", {f"blank_{schema.name}": row}) for row in rows]
    for die in game.dice:
        if die.cards is not None and die.name not in done and die.cards not in done:
            cards = bans.by_name(die.numbers(game, tables or game.own_tables))
            last = {name: "+".join(f"{copy}:0" for copy in copies) for name, copies in cards.items()}
            things += [Thing(name, "card", {die.card_knob: text}) for name, text in last.items() if len(cards) > 1]
    return things


def _named(game: Game, seat: str, text: str, tables: Tables | None) -> list[Thing]:
    of, colon, what = text.rpartition(":")
    if colon and of != seat:
        if of not in game.seats:
            list(bans.read_ban(game, text))  # raises
        return []
    cards = [thing for thing in cards_of(game, seat, tables) if bans.word(thing.name) == bans.word(what)]
    if cards:
        return cards
    found = list(bans.read_ban(game, f"{seat}:{what}", tables=tables))
    kind: Kind = "decision" if any(one.action is None for one in found) else "option"
    options = tuple((one.kind, one.action) for one in found if one.action is not None)
    return [Thing(what, kind, {bans.NAME: f"{seat}:{what}"}, options)]


def _distinct(game: Game, things: list[Thing]) -> list[Thing]:
    """The options and cards; if names are equal, they also show the deck or kind of decision."""
    names = Counter(thing.name for thing in things)

    def full(thing: Thing) -> Thing:
        where = game.decisions[thing.options[0][0]].name if thing.options else ", ".join(thing.knobs)
        return dataclasses.replace(thing, name=f"{thing.name} ({where})")

    return [full(thing) if names[thing.name] > 1 else thing for thing in things]


def answer(
    lab: Lab,
    named: Sequence[str] = (),
    pairs: int = 0,
    notify: Callable[[str], None] = lambda text: None,
    subsets: bool = False,
) -> WorthAnswer:
    """The worth of the things of each seat; arguments as the options of `simlab analyze worth`.

    Raises:
        InputError: nothing can be examined.
    """
    game = lab.game
    notify("Choosing the bots.")
    field = lab.field()
    whole = (0, max(lab.games // random_subsets.GROUPS, 2)) if subsets else None
    seats = [_Seat(lab, field, name, named, whole) for name in game.seats]
    tasks = [(seat, thing) for seat in seats for thing in seat.things]
    if not tasks:
        raise InputError(f"{game.slug}: no option has a name, and no card can be blanked. Name one: --ban KIND/NUMBER.")
    of_kind = Counter(thing.kind == "card" for _, thing in tasks)
    levels = {card: 1 - 0.05 / number for card, number in of_kind.items()}

    def measured(task: tuple[_Seat, Thing]) -> ThingWorth | str:
        seat, thing = task
        try:
            return seat.worth(thing, levels[thing.kind == "card"])
        except BotFault as fault:
            return f"{seat.name}, {thing.name}: {fault}"

    found: list[ThingWorth] = []
    made: list[PairWorth] = []
    problems: list[str] = []
    if subsets:
        for seat in seats:
            notify(f"Removing random subsets of the options and cards of {seat.name}.")
            parts = seat.in_subsets(levels, pairs)
            found, made, problems = found + parts[0], made + parts[1], problems + parts[2]
    else:
        with ThreadPoolExecutor(lab.workers) as pool:
            for done, result in enumerate(pool.map(measured, tasks), 1):
                problems += [result] if isinstance(result, str) else []
                found += [] if isinstance(result, str) else [result]
                if 10 * done // len(tasks) > 10 * (done - 1) // len(tasks):
                    notify(f"{done} of {len(tasks)} options and cards removed.")
        for seat in seats if pairs else ():
            worth = {one.thing: one.worth.value for one in found if one.seat == seat.name}
            most = sorted((thing for thing in seat.things if thing.name in worth), key=lambda thing: -worth[thing.name])
            made += seat.pairs(most[:pairs])
            notify(f"{seat.name}: {len(made)} pairs removed.")
    return WorthAnswer(
        game=game.slug, seed=lab.seed, games=lab.games, missing=1 / random_subsets.GROUPS if subsets else 0.0,
        by_score=lab.by_score, has_scores=game.has_scores,
        bots={seat.name: (seat.bot, *(b for b in lab.bots[seat.name] if b != seat.bot)) for seat in seats},
        field={seat: tuple(dict.fromkeys(line_up[seat] for line_up in field)) for seat in game.seats},
        base={seat.name: lab.payoff(seat.name).mean(lab.value(seat.base, seat.name)) for seat in seats},
        things=tuple(found), pairs=tuple(made), unused={seat.name: tuple(seat.unused) for seat in seats},
        problems=tuple(problems),
    )  # fmt: skip


def best_of(bots: Mapping[str, Judged]) -> str:
    """The bot with the highest mean value in its games, the first of several."""
    return max(bots, key=lambda bot: float(bots[bot].value.mean()))


class _Seat:
    """A seat whose options and cards are taken away.

    Attributes:
        field: bots of the other seats. bot: the seat's best bot. base: games of that bot; by
            default all, else those from `part`. equals: games of all bots that may be the best, that one first.
        things, unused: the result of things_of.
    """

    def __init__(self, lab: Lab, field: Field, name: str, named: Sequence[str], part: tuple[int, int] | None) -> None:
        self.lab, self.field, self.name, self.number = lab, field, name, lab.game.seats.index(name)
        equals = lab.contenders(field, name, {})
        self.bot = equals[0]
        self.base = lab.play(field, name, self.bot, {}, True, part)
        self.equals = {self.bot: self._judged(self.base)}
        if part is None:
            self.equals |= {bot: self._judged(lab.play(field, name, bot, {}, True)) for bot in equals[1:]}
        used = self.base.tally.counts["used_games"] / len(self.base.rows)
        taken = np.where(self.base.tally.counts["offered"] > 0, used, np.nan)[self.number]
        self.things, self.unused = things_of(lab.game, name, named, taken, lab.rows)
        self.scored = lab.game.has_scores and not lab.by_score  #: whether scores are reported next to the value

    def worth(self, thing: Thing, level: float) -> ThingWorth:
        lab, payoff = self.lab, self.lab.payoff(self.name)
        having, lacking = self.equals, self.without(lab, thing.knobs)
        best_without = [(bot if bot in having else self.bot, bot) for bot in lacking]  # whichever of them it is
        best_with = [(bot, bot if bot in lacking else next(iter(lacking))) for bot in having]
        pairs = dict.fromkeys((*best_without, *best_with))
        gains = {(a, b): payoff.paired(lacking[b].value, having[a].value, level) for a, b in pairs}
        top, bot = best_of(having), best_of(lacking)
        worth = Difference(
            float(having[top].value.mean() - lacking[bot].value.mean()), min(gains[pair].low for pair in best_without),
            max(gains[pair].high for pair in best_with), not lab.by_score,
        )  # fmt: skip
        changed = int(np.count_nonzero(having[top].value != lacking[bot].value))
        points = [paired_difference(lacking[b].score, having[a].score, level) for a, b in pairs]
        turns = [paired_difference(having[a].turns, lacking[b].turns, level) for a, b in pairs]
        shown = list(pairs).index((bot if bot in having else self.bot, bot))
        numbers = [worth]
        for changes in (points, turns):
            low, high = min(change.low for change in changes), max(change.high for change in changes)
            numbers.append(Difference(changes[shown].difference, low, high, False))
        counts = lacking[bot].batch.tally.counts
        chosen, overruled = (counts[name][self.number] for name in ("chosen", "overruled"))
        return self._thing(thing, level, bot, numbers, changed, chosen, overruled)

    def without(self, lab: Lab, knobs: Mapping[str, str]) -> dict[str, Judged]:
        """Games with these knobs, of all bots that may then be the best; the one that selected games prefer first."""
        bots = lab.contenders(self.field, self.name, knobs)
        return {bot: self._judged(lab.play(self.field, self.name, bot, knobs, True)) for bot in bots}

    def _judged(self, batch: Batch) -> Judged:
        lab, seat = self.lab, self.name
        return Judged(batch, lab.value(batch, seat), lab.score(batch, seat), batch.rows["turns"].astype(float))

    def _thing(
        self, thing: Thing, level: float, bot: str, numbers: Sequence[Estimate], changed: int, chosen: Array,
        overruled: float,
    ) -> ThingWorth:  # fmt: skip
        """Args: numbers: changes of value, score and length. chosen, overruled: counts of the games without it."""
        worth, score, length = numbers
        used, when_used = self._when_used(thing, level)
        decisions = max(float(chosen.sum()), 1.0)
        return ThingWorth(
            seat=self.name, thing=thing.name, kind=thing.kind, bot=bot, used=used, worth=worth,
            score=score if self.scored else None, length=length, verdict=verdict(worth.low, worth.high, changed),
            when_used=when_used, stayed=sum(float(chosen[option]) for option in thing.options) / decisions,
            chance=float(overruled) / decisions,
        )  # fmt: skip

    def _when_used(self, thing: Thing, level: float) -> tuple[Estimate | None, Estimate | None]:
        """Share of the games in which the seat took an option, and its win rate in these minus that in the others.

        None for the copies of a card, because games are counted copy by copy.
        """
        if len(thing.options) != 1:
            return None, None
        counts, rows = self.base.tally.counts, self.base.rows
        games, won = (float(counts[name][(self.number, *thing.options[0])]) for name in ("used_games", "used_wins"))
        used, rest = share_of(games, len(rows), level), len(rows) - games
        if self.lab.by_score or not games or not rest:
            return used, None
        wins = float(((rows["winners"] >> self.number) & 1).sum())
        gap, low, high = difference_of_rates(wins - won, rest, won, games, level, clopper_pearson)
        return used, Difference(float(gap), float(low), float(high), True)

    def pairs(self, things: Sequence[Thing]) -> list[PairWorth]:
        """Plays each pair of options, in games without one, without the other, and without both."""
        # Not the games that ranked the options: in those games the top options were lucky, and would look like rivals.
        lab = dataclasses.replace(self.lab, first=self.lab.first + self.lab.games)
        both = list(itertools.combinations(things, 2))
        if not both:
            return []
        level = 1 - 0.05 / len(both)

        with ThreadPoolExecutor(lab.workers) as pool:
            scores = pool.map(lambda thing: self.without(lab, thing.knobs), things)
            alone = dict(zip((thing.name for thing in things), scores, strict=True))
            joint = pool.map(lambda pair: self.without(lab, together(pair[0].knobs, pair[1].knobs)), both)
            all_there, found = self.without(lab, {}), []
            for (one, other), neither in zip(both, joint, strict=True):
                settings = (alone[one.name], alone[other.name], all_there, neither)
                changes = {}
                for bot in dict.fromkeys(bot for setting in settings for bot in setting):
                    a, b, c, d = (setting.get(bot, next(iter(setting.values()))).score for setting in settings)
                    changes[bot] = paired_difference(a + b, c + d, level)
                top = changes[best_of(all_there)]
                ends = min(change.low for change in changes.values()), max(change.high for change in changes.values())
                synergy = Difference(top.difference, *ends, not lab.game.has_scores)
                found.append(self._pair(one, other, synergy, top.changed))
        return found

    def _pair(self, one: Thing, other: Thing, synergy: Estimate, changed: int) -> PairWorth:
        how = verdict(synergy.low, synergy.high, changed)
        return PairWorth(seat=self.name, one=one.name, other=other.name, synergy=synergy, verdict=how)

    def in_subsets(
        self, levels: Mapping[bool, float], pairs: int
    ) -> tuple[list[ThingWorth], list[PairWorth], list[str]]:
        """The worth of options and cards, their pairs, and failed measurements, from games without random subsets."""
        lab, seat = self.lab, self.name
        late = [thing.name for thing in self.things if any(name.startswith("cards_") for name in thing.knobs)]
        problems = [f"{seat}, {name}: this card is put last, which works only for one card at a time." for name in late]
        things = [thing for thing in self.things if thing.name not in late]
        if not things:
            return [], [], problems
        played = random_subsets.play_blocks(lab, self.field, seat, self.bot, [thing.knobs for thing in things])
        blocks, n = len(played.missing), len(things)
        if blocks < random_subsets.PER_REGRESSOR * n:
            least = random_subsets.GROUPS * random_subsets.PER_REGRESSOR * n
            raise InputError(
                f"{seat} has {n} options and cards: play --games {least} or more, or name fewer with --only."
            )
        worth, error = random_subsets.effects(played.missing, played.values)

        def number(place: int, column: int, level: float, sign: int = 1, is_share: bool = False) -> Estimate:
            half = student_quantile(level, blocks - 1) * float(error[place, column])
            value = sign * float(worth[place, column])
            return Difference(value, value - half, value + half, is_share)

        found = []
        for place, thing in enumerate(things):
            level = levels[thing.kind == "card"]
            numbers = [number(place, 0, level, is_share=not lab.by_score), number(place, 1, level)]
            numbers.append(number(place, 2, level, -1))
            gone = played.missing[:, :, place]
            chosen, overruled = played.chosen[gone].sum(axis=0), played.overruled[gone].sum()
            found.append(self._thing(thing, level, self.bot, numbers, 1, chosen, overruled))
        most = np.argsort(-worth[:, 0], kind="stable")[:pairs].tolist()
        enough = blocks >= random_subsets.PER_REGRESSOR * (n + pairs**2 // 2)
        both = list(itertools.combinations(most, 2)) if enough else []
        if pairs > 1 and not both:
            problems.append(f"{seat}, pairs: too few games. Play more with --games, or fewer with --pairs.")
        if both:
            worth, error = random_subsets.effects(played.missing, played.values, both)
        column, level = int(lab.game.has_scores), 1 - 0.05 / max(len(both), 1)
        made = [
            self._pair(things[i], things[j], number(place, column, level, is_share=not lab.game.has_scores), 1)
            for place, (i, j) in enumerate(both, n)
        ]
        return found, made, problems
