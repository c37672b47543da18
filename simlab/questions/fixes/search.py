"""The search for the smallest change: a race over growing batches, level by level of changes.

First every change of one parameter is tried, then of two, then of three. The summed effects of single changes show
which pairs are worth playing, and those of pairs and single changes which triples. This prediction costs no games and
only selects settings for the race. In a race (successive halving: Jamieson and Talwalkar 2016) all settings play the
same seeds; the better half continues with twice the games. Survivors meet every other bot, and settings one step away
from them join the race.

Why not a library's surrogate model (Optuna, SMAC)? Settings are few and discrete, all use the same seeds, and the
answer is a Pareto front of two aims in which the smaller change wins ties. Halving does not depend on a model, gives
the same answer for any number of workers, and is easy to check.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit

from simlab.game import KnobValue
from simlab.questions.fixes.evaluator import Evaluator, Trial, measure
from simlab.questions.fixes.parameters import Setting, Space
from simlab.stats.intervals import Floats

KEPT = 12  #: number of settings that survive a race
FIRST = 1_000  #: games per match-up of a race's first batch, if the budget allows
FEWEST = 40  #: of that batch, however small the budget
BASE_GAMES = 4  #: times the first batch, of the printed game with all bots
_LUCK = 1.0  # two standard errors of a share, times the root of the games
_GUESSED = 2_000  # settings of a level that are guessed at and kept for the next level
_SETTLED = 64  # times the first batch, of survivors at the edge of the contract
_PROBED = 3  # survivors with which parameters without effect on their own are combined


@dataclass
class Search:
    """A search and its result.

    Args:
        most_changes: most parameters changed at once. budget: most games in all.
        note: called with a sentence for each step.
    Attributes:
        base: the printed game. trials: setting -> its trial, for all that were played.
        raced: number of settings that raced, by level. survivors: settings that survived the race, by level. first:
            games per match-up in the first batch.
    """

    evaluator: Evaluator
    space: Space
    most_changes: int = 3
    budget: int = 2_000_000
    note: Callable[[str], None] = lambda text: None
    base: Trial = field(init=False)
    trials: dict[Setting, Trial] = field(default_factory=dict)
    raced: dict[int, int] = field(default_factory=dict)
    survivors: dict[int, list[Trial]] = field(default_factory=dict)
    first: int = FIRST

    def run(self) -> None:
        singles = self.space.singles()
        evaluator = self.evaluator
        self.base = evaluator.trial(())
        line_ups = math.prod(evaluator.bots)
        guess = math.prod(min(count, 3) for count in evaluator.bots)
        rungs = self._work(max(len(singles), 1))
        self.first = int(min(max(0.15 * self.budget / (rungs * guess), FEWEST), FIRST))
        most = max(int(0.2 * self.budget / line_ups), FEWEST)
        evaluator.play([self.base], min(BASE_GAMES * self.first, most))
        evaluator.narrow(self.base)
        self.trials[()] = self.base
        if self._done(self.base):
            self.note("The game seems to keep its contract as it is: it goes to the finals alone.")
            return
        self.race_base = evaluator.trial(())
        self._effects: dict[tuple[str, KnobValue], Floats] = {}
        self._guesses: dict[Setting, Floats] = {(): np.zeros(len(evaluator.objectives))}
        self._shares = [one.figure.is_rate and one.figure.topic != "gap" for one in evaluator.objectives]
        names = " and ".join(str(len(some)) for some in evaluator.core)
        self.note(
            f"{len(singles):,} single changes race, {names} bots per side, first {self.first} games per match-up."
        )
        survivors = self._level(1, singles)
        self._learn(singles)
        for level in range(2, self.most_changes + 1):
            if any(self._done(trial) for trial in survivors) or not survivors:
                break
            room = self._room(level)
            while room < 2 * KEPT and self.first > FEWEST:  # a shorter first batch is better than no race
                self.first = max(self.first // 2, FEWEST)
                room = self._room(level)
            candidates = self._candidates(level, room)
            candidates += [s for s in self._probes(survivors, level) if s not in candidates]
            if not candidates or room < 2:
                break
            self.note(f"{len(candidates):,} settings of {level} changes race.")
            survivors = self._level(level, candidates)

    def finalists(self, number: int) -> list[Setting]:
        """The printed game and this number of others: the smallest changes that seem to keep the contract, those that
        keep it most clearly, and the nearest of the rest.
        """
        some = [trial for level in self.survivors.values() for trial in level]
        amount = {trial.setting: self.space.amount(trial.setting) for trial in some}
        hopeful = [trial for trial in some if trial.inside > -_LUCK / math.sqrt(max(trial.games, 1))]
        small = sorted(hopeful, key=lambda t: (amount[t.setting], -t.inside))[: number // 2]
        few = min((len(trial.setting) for trial in hopeful), default=0)
        sure = sorted(hopeful, key=lambda t: (len(t.setting) > few, -t.inside))[: max(number // 4, 1)]
        best = sorted(some, key=lambda t: (t.miss, -t.inside, amount[t.setting]))[:1]
        layers = layers_of([t.miss for t in some], [amount[t.setting] for t in some])
        front = [t for t, layer in zip(some, layers, strict=True) if layer == 0 and t.miss < self.base.miss]
        nearer = [trial for trial in self._sorted(some) if trial.miss < self.base.miss]
        rest = [*sorted(front, key=lambda t: t.miss), *nearer]
        chosen = dict.fromkeys(trial.setting for trial in (*small, *sure, *best, *rest))
        return [(), *sorted(list(chosen)[:number], key=lambda s: (amount[s], s))]

    # --- a level

    def _level(self, level: int, candidates: Sequence[Setting]) -> list[Trial]:
        self.raced[level] = len(candidates)
        trials = [self.evaluator.trial(setting) for setting in candidates]
        survivors = self._race(trials)
        if self._left() > 0:
            self.evaluator.answer(survivors)
            near = {s for trial in survivors for s in self.space.beside(trial.setting)} - set(candidates)
            near = {setting for setting in near if len(setting) == level}
            each = math.prod(map(len, self.evaluator.core)) * 2 * self.first
            beside = sorted(near, key=str)[: max(int(0.3 * self._left() / each), 0)]
            if beside:
                self.raced[level] += len(beside)
                fresh = [self.evaluator.trial(setting) for setting in beside]
                best = self._race(fresh)
                self.evaluator.play(best, max(trial.games for trial in survivors))
                self.evaluator.answer(best)
                survivors = self._sorted([*survivors, *best])[:KEPT]
        self._settle(survivors)
        self.evaluator.widen(survivors)
        self.survivors[level] = survivors
        return survivors

    def _settle(self, survivors: Sequence[Trial]) -> None:
        """Plays more games of settings at the edge of the contract, until one is clearly inside."""
        games = max((trial.games for trial in survivors), default=0)
        while survivors and games < _SETTLED * self.first and not any(map(self._done, survivors)):
            hopeful = [trial for trial in survivors if trial.inside > -1.5 * _LUCK / math.sqrt(trial.games)]
            cost = sum(games * len(list(trial.line_ups())) for trial in hopeful)
            if not hopeful or cost > 0.3 * self._left():
                return
            games *= 2
            self.evaluator.play(hopeful, games)

    def _race(self, trials: list[Trial]) -> list[Trial]:
        """Successive halving. Each trial also keeps its values after each batch."""
        games = self.first
        while True:
            self.evaluator.play([self.race_base, *trials], games)
            for trial in (self.race_base, *trials):
                trial.by_games.setdefault(games, trial.values)  # the printed game was played further by an earlier race
            self.trials |= {trial.setting: trial for trial in trials}
            if len(trials) <= KEPT:
                return trials
            trials = self._half(trials, games)
            cost = len(trials) * games * math.prod(map(len, self.evaluator.core))
            if cost > self._left():
                return trials[:KEPT]
            games *= 2

    def _half(self, trials: Sequence[Trial], games: int) -> list[Trial]:
        """The better half: alternately the best setting so far, and the smallest change that bad luck may have
        excluded. All settings share random draws, so an unlucky batch moves all of them together, and the right setting
        may look as bad as a wrong one looks good.
        """
        keep = max(KEPT, len(trials) // 2)
        luck = _LUCK / math.sqrt(games)
        small = sorted(trials, key=lambda t: (max(t.miss - luck, 0.0), self.space.amount(t.setting), -t.inside))
        pairs = itertools.zip_longest(self._sorted(trials), small)
        ranked = {id(trial): trial for pair in pairs for trial in pair if trial is not None}
        return list(ranked.values())[:keep]

    def _sorted(self, trials: Iterable[Trial]) -> list[Trial]:
        """The best first: layer by layer of the Pareto front of distance and size of the change."""
        some = list(trials)
        if not some:
            return []
        amounts = [self.space.amount(trial.setting) for trial in some]
        layers = layers_of([trial.miss for trial in some], amounts)
        order = sorted(range(len(some)), key=lambda i: (layers[i], some[i].miss, -some[i].inside, amounts[i]))
        return [some[i] for i in order]

    def _done(self, trial: Trial) -> bool:
        """Whether a setting lies inside the contract by three standard errors of a share."""
        return trial.inside > 1.5 * _LUCK / math.sqrt(max(trial.games, 1))

    # --- guesses

    def _learn(self, singles: Sequence[Setting]) -> None:
        self._effects = {setting[0]: self._effect(self.trials[setting]) for setting in singles}
        self._origin = self._on_scale(self.race_base.by_games[self.first], self.first)
        idle = {name for name, _ in self._effects} - {n for (n, _), e in self._effects.items() if np.any(e != 0)}
        self._idle = [name for name in self.space.parameters if name in idle]

    def _effect(self, trial: Trial) -> Floats:
        """The effect of a setting, on the same seeds and at the same number of games as the printed game."""
        games = max(trial.by_games)
        before = self.race_base.by_games.get(games, self.race_base.values)
        return self._on_scale(trial.by_games[games], games) - self._on_scale(before, games)

    def _on_scale(self, values: Sequence[float], games: int) -> Floats:
        """Values of the contract's lines on a scale on which effects add up: log-odds of shares."""
        known, edge = np.where(np.isfinite(values), values, 0.0), 0.5 / games
        return np.where(self._shares, logit(np.clip(known, edge, 1 - edge)), known)

    def _candidates(self, level: int, room: int) -> list[Setting]:
        """The settings with this number of changes that look best according to the effects of their parts."""
        live = {key: effect for key, effect in self._effects.items() if key[0] not in self._idle}
        guessed: dict[Setting, Floats] = {}
        for setting, sum_of in self._parts(level - 1).items():
            changed = {name for name, _ in setting}
            for (name, value), effect in live.items():
                if name not in changed:
                    joined = self.space.setting([*setting, (name, value)])
                    if joined not in guessed:
                        guessed[joined] = sum_of + effect
        settings = list(guessed)
        if not settings:
            return []
        scaled = self._origin + np.array(list(guessed.values()))
        values = np.where(self._shares, expit(scaled), scaled).tolist()
        measured = [measure(self.evaluator.objectives, guess) for guess in values]
        amounts = [self.space.amount(setting) for setting in settings]
        miss = np.array([max(one[1], 0.0) for one in measured])
        order: list[int] = []
        # For each number of steps the best few, the best of all first, until there is no more room.
        by_steps: dict[int, list[int]] = {}
        for i in sorted(range(len(settings)), key=lambda i: (miss[i], -measured[i][0], amounts[i])):
            by_steps.setdefault(amounts[i][1], []).append(i)
        for rank in itertools.count():
            batch = [some[rank] for some in by_steps.values() if rank < len(some)]
            if not batch or len(order) >= 4 * room:
                break
            order += sorted(batch, key=lambda i: (miss[i], amounts[i]))
        best = sorted(order, key=lambda i: (miss[i] > 0.05, amounts[i][1] if miss[i] <= 0.05 else miss[i]))
        self._guesses = {settings[i]: guessed[settings[i]] for i in (*order[:_GUESSED], *best[:room])}
        # Half are the smallest changes that look right, and half are those that lie deepest inside the contract.
        deep = sorted(best, key=lambda i: (-measured[i][0], amounts[i]))
        spread = [settings[i] for i in dict.fromkeys(itertools.chain(*zip(best, deep, strict=True)))][: 2 * room]
        return [setting for setting in spread if self.space.fits(setting)][:room]

    def _parts(self, level: int) -> dict[Setting, Floats]:
        """Settings of a level with their effects, measured if they were played, else predicted."""
        parts = {s: guess for s, guess in self._guesses.items() if len(s) == level}
        parts |= {s: self._effect(trial) for s, trial in self.trials.items() if len(s) == level and trial.by_games}
        return {s: effect for s, effect in parts.items() if not any(name in self._idle for name, _ in s)}

    def _probes(self, survivors: Sequence[Trial], level: int) -> list[Setting]:
        """Parameters without effect on their own, combined with survivors under which they have one."""
        if not self._idle:
            return []
        probes: dict[Setting, tuple[Trial, str]] = {}
        for trial in self._sorted(survivors)[:_PROBED]:
            for name in self._idle:
                parameter = self.space.parameters[name]
                farthest = parameter.tried[-1]
                setting = self.space.setting([*trial.setting, (name, farthest)])
                if len(setting) == level and self.space.fits(setting):
                    probes[setting] = (trial, name)
        each = self.first * math.prod(map(len, self.evaluator.core))
        some = dict(list(probes.items())[: max(int(0.1 * self._left() / each), 0)])
        tried = {setting: self.evaluator.trial(setting) for setting in some}
        stems = {id(trial): self.evaluator.trial(trial.setting) for trial, _ in some.values()}
        self.evaluator.play([*stems.values(), *tried.values()], self.first)
        live = []
        for setting, (trial, name) in some.items():
            if tried[setting].values != stems[id(trial)].values:
                parameter = self.space.parameters[name]
                every = (self.space.setting([*trial.setting, (name, value)]) for value in parameter.tried)
                live += [s for s in every if self.space.fits(s)]
        return live

    # --- the budget

    def _left(self) -> int:
        return self.budget - self.evaluator.games

    @staticmethod
    def _work(settings: int) -> float:
        """Cost of a race of this number of settings, in units of the first batch of one setting."""
        rungs = max(math.ceil(math.log2(max(settings / KEPT, 1))), 0)
        return settings * (1 + rungs / 2) + 2 * KEPT

    def _room(self, level: int) -> int:
        """Number of settings that may race if all remaining levels get equal parts of the remaining budget."""
        part = 0.8 * self._left() / (self.most_changes - level + 1)
        each = self.first * math.prod(map(len, self.evaluator.core))
        room = 400
        while room > 1 and self._work(room) * each > part:
            room = int(room * 0.8)
        return room


def layers_of(misses: Sequence[float], amounts: Sequence[tuple[int, int]]) -> list[int]:
    """The Pareto layer of each point for two aims that should both be small; 0 is the front itself."""
    order = sorted(range(len(misses)), key=lambda i: (amounts[i], misses[i]))
    last: list[float] = []  # the least miss of each layer so far
    layers = [0] * len(misses)
    for i in order:
        layer = next((k for k, least in enumerate(last) if misses[i] < least), len(last))
        layers[i] = layer
        if layer == len(last):
            last.append(misses[i])
        else:
            last[layer] = misses[i]
    return layers
