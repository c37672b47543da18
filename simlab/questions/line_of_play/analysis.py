"""A bot's line of play: its choices compared with those of other bots, as a few rules, and in games to read. All bots
are asked in the same positions, from the bot's own games, so differences are due to the bots and not to the games. The
rules are learned from these choices and then replace the bot in games that were not used to choose rules; the loss
shows how much strength they miss.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from simlab.errors import InputError
from simlab.game import Array
from simlab.present.answer import Answer, Number, Part, Rate
from simlab.present.estimate import share_of
from simlab.questions.contest import UNSEEN, Contest, Entrant, field_text
from simlab.questions.exploitability.analysis import Reading, readings
from simlab.questions.line_of_play.distil import Choices, Feature, ListedRule, as_toml, asked, distilled, features_of
from simlab.questions.positions import Sampler
from simlab.spec.bans import name_of
from simlab.spec.refs import BotRef

POSITIONS, RULES = 20_000, 12
JUDGED = 1 << 43  #: first of the games that are not used for learning rules
_LESSONS = 3  # times that rules are made: from the bot's games, then from those of the rules too
_CHOSEN = 2_000  # games by which one of them is chosen
_ASKED = 4_000  # positions of each bot in which styles are compared
_SHOWN = 12  # differences
_LEAST = 0.01  # of a kind's positions: smaller differences are not shown
CLOSE = 0.03  #: to the best: of a win; of a score, of the best score
ALIKE = 0.9  #: share of choices that bots of the same style have in common
PHASES = ("early", "middle", "late")


class TaughtRule(Part):
    """A rule. conditions: all of them must hold. choose: options, of which the first legal one is taken. positions:
    number of positions from which it was learned. right: share of them in which it makes the bot's choice.
    """

    decision: str
    conditions: tuple[str, ...]
    choose: tuple[str, ...]
    positions: int
    right: float


class OtherBot(Part):
    """Another bot in the seat.

    Attributes:
        gain: gain of the explained bot over this one, in the same games.
        same: share of the explained bot's choices that this bot would also make, with each game counted as one choice.
            style: a number that bots share if they are close to the best and mostly make the same choices; 0 for bots
            that are not close.
    """

    bot: str
    value: Number
    gain: Number
    same: Rate
    style: int


class ChoiceDifference(Part):
    """An option that the bot takes more or less often than the other, in the same positions.

    Attributes:
        taken, other: phase -> share of the positions with this option legal in which it is taken; a phase is absent if
            the option was never legal. positions: number of positions in which the option was legal.
    """

    decision: str
    action: str
    positions: int
    taken: dict[str, Rate]
    other: dict[str, Rate]


class LineOfPlay(Answer, form="line_of_play", source="simlab analyze bot GAME BOT"):
    """What a bot does.

    Attributes:
        against: bots of the other seats. value: value of the bot; rules_value: value of the rules in its place; gain:
            the difference, in the same games. level: level of these intervals, which hold together.
        same: share of its choices that the rules make too, in games not used for learning. positions: number
            of positions from which the rules were learned. numbers: numbers that the rules could use. file: file of the
            rules, or "".
        otherwise: bot that decides if no rule does, or "". style: number of its style, as for the other bots. compared:
            the bot in `differences`, which is the best of the others. phases: name -> last turn.
    """

    game: str
    seat: str
    bot: str
    against: str
    seed: int
    games: int
    by_score: bool
    level: float
    value: Number
    rules_value: Number
    gain: Number
    same: Rate
    positions: int
    numbers: int
    otherwise: str
    style: int
    file: str
    rules: tuple[TaughtRule, ...]
    others: tuple[OtherBot, ...]
    compared: str
    phases: dict[str, int]
    differences: tuple[ChoiceDifference, ...]
    readings: tuple[Reading, ...]


def answer(
    contest: Contest, bots: Sequence[str], out: Path | None, games: int, positions: int = POSITIONS, most: int = RULES,
    otherwise: str = "", notify: Callable[[str], None] = lambda text: None,
) -> LineOfPlay:  # fmt: skip
    """What a bot does.

    Args:
        contest: a contest of the bot's seat, with one field. bots: the bot, then the bots to compare it with.
            otherwise: the bot that decides if no rule does. "random": no bot. "": no bot if all options have names,
                else the most similar bot.
    Raises:
        InputError: a bot looks ahead, or there is only one bot.
    """
    if len(bots) < 2:
        raise InputError(f"{contest.game.slug}: no other bot for {contest.seat} to compare {bots[0]} with. Name one.")
    look = _Look(contest, positions, most, otherwise, notify)
    bot, *others = (contest.entrant(text) for text in bots)
    notify(f"Asking {bots[0]} in positions of its games.")
    learned = look.learn(bot, others)
    with tempfile.TemporaryDirectory() as folder:
        rules, path = look.rules(bot, learned, Path(folder), out.stem if out else "rules")
        notify("Playing the games of the comparison.")
        level = 1 - 0.05 / (3 + 2 * len(others))
        listed = contest.entrant(str(path))
        played = contest.play([bot, listed, *others], 0, games, "held-out games")
        if out:
            shutil.copyfile(path, out)
    values, by_rules, *theirs = (one.values[:, 0] for one in played)
    judged = look.gathered(bot, JUDGED, min(positions, 5_000))
    own = look.choices(judged, look.ask(bot, judged))
    best = int(np.argmax([np.nanmean(one) for one in theirs]))
    phases, styles = _phases(own.turn), look.styles([bot, *others], [values, *theirs])
    game, payoff = contest.game, contest.payoff
    return LineOfPlay(
        game=game.slug, seat=contest.seat, bot=bots[0], against=field_text(contest.fields[0]), seed=contest.seed,
        games=games, by_score=payoff.by_score, level=level, value=payoff.mean(values, level),
        rules_value=payoff.mean(by_rules, level), gain=payoff.gain(values, by_rules, level),
        same=_share(look.ask(listed, judged) == own.chosen, own.game), positions=len(learned.kind),
        numbers=len(look.features), otherwise=look.other_text, style=styles[0], file=str(out or ""),
        rules=tuple(
            TaughtRule(
                decision=game.decisions[rule.kind].name, conditions=rule.conditions,
                choose=tuple(name_of(game, rule.kind, action) for action in rule.actions), positions=rule.positions,
                right=rule.right / rule.positions,
            )
            for rule in rules
        ),
        others=tuple(
            OtherBot(
                bot=other.text, value=payoff.mean(its, level), gain=payoff.gain(its, values, level),
                same=_share(look.ask(other, judged) == own.chosen, own.game), style=style,
            )
            for other, its, style in zip(others, theirs, styles[1:], strict=True)
        ),
        compared=others[best].text, phases=phases,
        differences=look.differences(own, look.ask(others[best], judged), phases),
        readings=readings(contest, bot, played[0], played[2 + best]),
    )  # fmt: skip


class _Look:
    def __init__(
        self, contest: Contest, positions: int, most: int, otherwise: str, notify: Callable[[str], None]
    ) -> None:
        self.contest, self.wanted, self.most, self.notify = contest, positions, most, notify
        self.features: list[Feature] = []
        self.otherwise, self.other = otherwise, None if otherwise in ("", "random") else contest.entrant(otherwise)

    def gathered(self, bot: Entrant, first: int, wanted: int) -> Array:
        """Approximately the requested number of positions of the seat, from game `first` on."""
        sampler, place = Sampler(bot.matches[0], self.contest.seed), self.contest.place
        choices = sampler.choices()
        probe = sampler.positions(first, 16, 1.0, choices, self.contest.workers)
        own = max((probe["seat"] == place).sum() / 16, 0.1)
        games = int(np.clip(wanted / own, 50, 4_000))
        found = sampler.positions(first, games, min(1.0, wanted / (own * games)), choices, self.contest.workers)
        found = np.asarray(found[found["seat"] == place])
        if not len(found):
            raise InputError(f"{self.contest.game.slug}: {self.contest.seat} never has more than one legal option.")
        return found

    def ask(self, bot: Entrant, positions: Array) -> Array:
        match = bot.matches[0]
        return asked(match.compiled.players[self.contest.place], match, self.contest.place, positions)

    def choices(self, positions: Array, chosen: Array) -> Choices:
        other = self.ask(self.other, positions) if self.other else np.full(len(positions), -1)
        return Choices.of(self.contest.game, self.features, positions, chosen, other)

    def learn(self, bot: Entrant, others: Sequence[Entrant]) -> Choices:
        """The bot's choices in positions of its games. Also sets the bot that decides if no rule does."""
        self.features = features_of(bot.matches[0], self.contest.place, self.contest.seed)
        positions = self.gathered(bot, UNSEEN, self.wanted)
        chosen = self.ask(bot, positions)
        decisions = (self.contest.game.decisions[kind] for kind in np.unique(positions["decision"]))
        if not self.otherwise and not all(one.actions for one in decisions):
            alike = [(self.ask(other, positions) == chosen).mean() for other in others]
            self.other = others[int(np.argmax(alike))]
        return self.choices(positions, chosen)

    @property
    def other_text(self) -> str:
        """The bot that decides if no rule does, or ""; by its whole path, because the rules are in another folder."""
        return str(BotRef.parse(self.other.text).with_files(lambda f: str(Path(f).resolve()))) if self.other else ""

    def rules(self, bot: Entrant, choices: Choices, folder: Path, name: str) -> tuple[list[ListedRule], Path]:
        """The rules that play best, and their file."""
        made: list[tuple[float, list[ListedRule], Path]] = []
        about = f"The play of {bot.text} as {self.contest.seat}, in rules"
        for lesson in range(_LESSONS):
            self.notify(f"Learning rules, {lesson + 1} of {_LESSONS}.")
            rules = distilled(self.features, choices, self.most, bool(self.other))
            path = folder / f"rules_{lesson}.toml"
            path.write_text(as_toml(self.contest.game, rules, self.other_text, name, about))
            entrant = self.contest.entrant(str(path))
            course = self.contest.play([entrant], UNSEEN // 2, _CHOSEN, "games that choose the rules")[0]
            made.append((float(np.nanmean(course.values)), rules, path))
            if lesson < _LESSONS - 1:
                reached = self.gathered(entrant, UNSEEN + (lesson + 1 << 20), self.wanted // 2)
                choices = choices.joined(self.choices(reached, self.ask(bot, reached)))
        return max(made, key=lambda one: one[0])[1:]

    def differences(self, own: Choices, other: Array, phases: Mapping[str, int]) -> tuple[ChoiceDifference, ...]:
        """The options whose frequency differs most between the two bots."""
        game, found = self.contest.game, []
        for kind in np.unique(own.kind).tolist():
            here = own.kind == kind
            for action in np.flatnonzero(own.legal[here].any(axis=0)).tolist():
                legal = here & own.legal[:, action]
                apart = abs(int((own.chosen[legal] == action).sum()) - int((other[legal] == action).sum()))
                if apart >= _LEAST * here.sum():
                    found.append((-apart, kind, action))
        result = []
        for _, kind, action in sorted(found)[:_SHOWN]:
            legal = (own.kind == kind) & own.legal[:, action]
            shares: list[dict[str, Any]] = [{}, {}]
            after = -1
            for phase, last in phases.items():
                part = legal & (own.turn > after) & (own.turn <= last)
                after = last
                if part.any():
                    for place, chosen in enumerate((own.chosen, other)):
                        shares[place][phase] = _share(chosen[part] == action, own.game[part])
            result.append(ChoiceDifference(
                decision=game.decisions[kind].name, action=name_of(game, kind, action), positions=int(legal.sum()),
                taken=shares[0], other=shares[1],
            ))  # fmt: skip
        return tuple(result)

    def styles(self, bots: Sequence[Entrant], values: Sequence[Array]) -> list[int]:
        """The style of each bot that is close to the best; 0 for the rest."""
        means = [float(np.nanmean(one)) for one in values]
        unit = abs(max(means)) if self.contest.payoff.by_score else 1.0
        close = [i for i, mean in enumerate(means) if mean >= max(means) - CLOSE * unit]
        positions = {i: self.gathered(bots[i], JUDGED, _ASKED) for i in close}
        of = {i: i for i in close}
        for one, two in combinations(close, 2):
            both = np.concatenate([positions[one], positions[two]])
            if (self.ask(bots[one], both) == self.ask(bots[two], both)).mean() >= ALIKE:
                of = {i: of[one] if style == of[two] else style for i, style in of.items()}
        numbers = {style: number for number, style in enumerate(dict.fromkeys(of[i] for i in close), 1)}
        return [numbers[of[i]] if i in of else 0 for i in range(len(bots))]


def _phases(turns: Array) -> dict[str, int]:
    """Thirds of the positions, by turn."""
    ends = [int(np.quantile(turns, share, method="lower")) for share in (1 / 3, 2 / 3)]
    found: dict[str, int] = {}
    for name, last in zip(PHASES, [*ends, int(turns.max())], strict=True):
        if last > max(found.values(), default=-1):
            found[name] = last
    return found


def _share(hits: Array, games: Array) -> Rate:
    """A share of positions; for its interval the choices of one game count as one."""
    worth = min(len(hits), np.unique(games).size)
    return share_of(float(hits.mean()) * worth, float(worth))
