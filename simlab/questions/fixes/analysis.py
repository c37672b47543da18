"""The smallest change of a game's rules that keeps the designer's contract.

    answer = find_fixes(Problem(load_experiment("mine.toml"), ("walls_start", "repair_gain")))
    answer.recommended_change, [point for point in answer.finalists if point.on_front]

`parameters` lists what may change, `evaluator` judges a setting in best play, `search` races settings, `validation`
judges the best on held-out seeds, and `games` plays games and keeps them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from simlab.bot_registry import is_trained
from simlab.engine.outcome import figures_of
from simlab.engine.signals import Signals
from simlab.engine.tally import Tally
from simlab.errors import SimlabError
from simlab.game import Game, KnobValue
from simlab.present.answer import Answer, Number, Part
from simlab.present.estimate import Difference, beside
from simlab.questions.diff.analysis import diff_experiments
from simlab.questions.fixes.evaluator import Evaluator, LineUp, with_bot
from simlab.questions.fixes.games import Games
from simlab.questions.fixes.parameters import Setting
from simlab.questions.fixes.problem import Problem
from simlab.questions.fixes.search import Search, layers_of
from simlab.questions.fixes.validation import LEVEL, Finalist, Mix, ObjectiveReading, Validation
from simlab.questions.luck.analysis import luck_of
from simlab.questions.replay.film import Film
from simlab.questions.replay.narrative import Row, ending, side_by_side
from simlab.runs.events import Event, Note
from simlab.runs.runner import Interrupted
from simlab.runs.truncation import play_pilot
from simlab.stats.figure import Mean, Share
from simlab.stats.intervals import level_of_each
from simlab.stats.p_values import rates_p_value
from simlab.stats.verdict import BROKEN, EXIT_STATUS, MET, UNDECIDED, Word

FINALISTS = 6
LUCK_GAMES = 1_000  #: of an analysis of luck, each of which is played seven times
_SHOWN = 500  # games of the most frequent line-up, before and after, to look for unused actions and games to show
_OFTEN = 100  # offers of an action, out of which it should be taken once
_MOST_CHANGED = 14


class FixPlan(Answer, form="fixes-plan", version=4, source="simlab optimize rules EXPERIMENT --plan"):
    """The cost of a search.

    Attributes:
        parameters, settings: number of parameters that may change, and of settings in the whole grid. line_ups: number
            of match-ups of the bots.
        race, finals: most games in the race and in the finals. slow: number of games with slow bots (--also). grid:
            number of games of the whole grid.
        timed: number of line-ups that were timed; each bot is in one of them. per_second: games per second of one
            worker, on average over those without slow bots. seconds: total time if all line-ups race alike;
            seconds_most: if only the slowest of them races.
    """

    parameters: int
    settings: int
    line_ups: int
    race: int
    finals: int
    slow: int
    grid: int
    timed: int
    per_second: float
    workers: int
    seconds: float
    seconds_most: float
    folder: str


class ParameterChange(Part):
    """A knob, or a cell of a table, and its new value."""

    name: str
    value: KnobValue


class Candidate(Part):
    """A finalist.

    Attributes:
        text: the changes in words. steps: steps from the printed values. distance: distance from the contract.
        on_front: whether no smaller finalist is nearer to the contract. best_play: each side's mix, in words.
        works_only_while_nobody_adapts: whether it would keep the contract with the bots of the printed game, but breaks
            it with the best answers to the change. bots: the most frequent bots, by seat.
    """

    changes: tuple[ParameterChange, ...]
    text: str
    steps: int
    verdict: Word
    distance: float
    on_front: bool
    lines: tuple[ObjectiveReading, ...]
    best_play: tuple[str, ...]
    works_only_while_nobody_adapts: bool
    bots: dict[str, str]

    @property
    def amount(self) -> tuple[int, int]:
        return len(self.changes), self.steps


class ChangedStatistic(Part):
    """A statistic of games in best play that changes significantly; these intervals hold together."""

    statistic: str
    words: str
    unit: str
    before: Number
    after: Number
    difference: Number


class LuckShare(Part):
    """Share of the variance in who wins that a kind of luck explains, alone or with others."""

    kind: str
    before: float
    after: float


class GameBeforeAfter(Part):
    """One game before and after, with the same random draws.

    Attributes:
        why: what the game shows. before, after: commands that replay it; beside: a command that prints both, or "".
        rows: its decisions. ends: how it ends, before and after.
    """

    why: str
    game: int
    before: str
    after: str
    beside: str
    rows: tuple[Row, ...]
    ends: tuple[str, str]


class Fixes(Answer, form="fixes", version=3, source="simlab optimize rules EXPERIMENT"):
    """Changes of the rules, and how near they come to the contract.

    Attributes:
        verdict: `met` if a change (or the printed game) keeps the contract, `broken` if none significantly does.
        finalists: ordered by size of the change; the first is the printed game. recommended: position of the smallest
            change that significantly meets every line; None if there is none. nearest: position of the finalist nearest
            to the contract.
        changed: statistics that change significantly with the recommended (else the nearest) change.
        no_longer_taken, taken_again: actions taken only without, and only with, the change. luck: the kinds of luck
            whose share changes significantly.
        games: number of all games. grid_settings, grid_games: number of settings and games of the whole grid. tried:
            number of settings that were played. raced: number of changes -> such settings. exhausted: whether every
            setting of the grid was played. parameters: parameters that may change. bots: bots of each side.
        trained: bots that were trained or tuned before the search, so that they do not adapt to a change.
        rules_file: the rules of the recommended (else the nearest) change. report: the page, if one was written.
    """

    experiment: str
    game: str
    verdict: Word
    exit_status: int
    seed: int
    fresh_seed: int
    level: float
    finalists: tuple[Candidate, ...]
    recommended: int | None
    nearest: int
    changed: tuple[ChangedStatistic, ...]
    no_longer_taken: tuple[str, ...] = ()
    taken_again: tuple[str, ...] = ()
    luck: tuple[LuckShare, ...] = ()
    games_beside: tuple[GameBeforeAfter, ...] = ()
    games: int
    games_per_match_up: int
    grid_settings: int
    grid_games: int
    tried: int
    raced: dict[int, int]
    exhausted: bool
    most_changes: int
    parameters: tuple[str, ...]
    bots: tuple[tuple[str, ...], ...]
    rules_file: str | None
    folder: str
    trained: tuple[str, ...] = ()
    report: str | None = None

    @property
    def recommended_change(self) -> Candidate | None:
        """The smallest change that significantly meets every line."""
        return None if self.recommended is None else self.finalists[self.recommended]

    @property
    def shown(self) -> Candidate:
        """The change that the report describes: the recommended one, or else the one nearest to the contract."""
        return self.recommended_change or self.finalists[self.nearest]

    @property
    def adapting(self) -> bool:
        """Whether any side has a choice of bots."""
        return any(len(bots) > 1 for bots in self.bots)


def find_fixes(problem: Problem, progress: Callable[[Event], None] | None = None, command: str = "") -> Fixes:
    """Searches for the smallest change that keeps the contract of an experiment.

    Args:
        command: the command that resumes a stopped search.
    Raises:
        InputError: bad input. BotFault: a bot or a game failed. Interrupted: Ctrl-C, SIGTERM or SIGHUP.
    """
    notify = progress or (lambda event: None)
    source = Games(problem, notify)
    signals = Signals()
    try:
        with signals, source.folder.locked():
            return _find(problem, source, lambda text: notify(Note(text)))
    except KeyboardInterrupt:
        again = f"\nResume with: {command}" if command else ""
        raise Interrupted(f"stopped; the games are kept in {source.folder.path}.{again}", signals.number) from None


def plan_fixes(problem: Problem) -> FixPlan:
    """The cost of `find_fixes`; plays a sample and writes nothing."""
    source, line_ups = Games(problem, lambda event: None), problem.line_ups
    fast, slow = _seconds_per_game(problem, source)
    with_slow = (math.prod(map(len, problem.bots)) - line_ups) * problem.also_games * (FINALISTS + 1)
    finals = (FINALISTS + 1) * line_ups * problem.games
    settings, each = problem.space.number(problem.most_changes), max(float(np.mean(fast)), 1e-9)
    rest = finals * each + with_slow * float(np.mean(slow or [0.0]))
    return FixPlan(
        parameters=len(problem.space.parameters), settings=settings, line_ups=line_ups, race=problem.budget,
        finals=finals, slow=with_slow, grid=settings * line_ups * problem.games, timed=len(fast) + len(slow),
        per_second=1 / each, workers=source.workers, seconds=(problem.budget * each + rest) / source.workers,
        seconds_most=(problem.budget * max(*fast, 1e-9) + rest) / source.workers, folder=str(source.folder.path),
    )  # fmt: skip


def _seconds_per_game(problem: Problem, source: Games) -> tuple[list[float], list[float]]:
    """Seconds per game of line-ups in which each bot of each side plays: of those without slow bots, and of those with
    some. Every bot is timed, because one that looks ahead takes a thousand times as long as the others.
    """

    def seconds(line_up: LineUp) -> float:
        match = source.match((), line_up)
        least = 2 if any(bot.looks_ahead for bot in match.bots) else 50
        return play_pilot(match, problem.experiment.seed, least, 20_000, 0.3)[2]

    fast = [tuple(row % count for count in problem.fast) for row in range(max(problem.fast))]
    first = (0,) * len(problem.bots)
    slow = [
        with_bot(first, side, count + more)
        for side, count in enumerate(problem.fast)
        for more in range(problem.slow[side])
    ]
    return list(map(seconds, fast)), list(map(seconds, slow))


def _find(problem: Problem, source: Games, note: Callable[[str], None]) -> Fixes:
    line_ups, games, space, most = problem.line_ups, problem.games, problem.space, problem.most_changes
    source.total = problem.budget + (FINALISTS + 1) * line_ups * games
    evaluator = Evaluator(source.play, problem.fast, problem.objectives, problem.game)
    search = Search(evaluator, space, most, problem.budget, note)
    search.run()
    settings = search.finalists(FINALISTS)
    note(f"{len(settings)} finalists play against all bots on held-out seeds, {games:,} games per match-up.")
    source.total = source.done + len(settings) * line_ups * games
    validation = Validation(
        source.rows, problem.game, [len(bots) for bots in problem.bots], problem.objectives, games, problem.slow,
        problem.also_games,
    )  # fmt: skip
    finalists = validation.run(settings)
    layers = layers_of([round(one.miss, 12) for one in finalists], [space.amount(one.setting) for one in finalists])
    points = tuple(_candidate(problem, one, layer == 0) for one, layer in zip(finalists, layers, strict=True))
    keeps, met = points[0].verdict == "met", [i for i, point in enumerate(points) if point.verdict == "met"]
    recommended = met[0] if met and not keeps else None  # the first is the smallest
    nearest = min(range(len(points)), key=lambda i: points[i].distance)
    shown = nearest if recommended is None else recommended
    before, after = finalists[0], finalists[shown]
    broken = all(point.verdict == "broken" for point in points)
    verdict = MET if met else BROKEN if broken else UNDECIDED
    number = space.number(most)
    return Fixes(
        experiment=problem.experiment.name, game=problem.game.slug, verdict=verdict, exit_status=EXIT_STATUS[verdict],
        seed=problem.experiment.seed, fresh_seed=source.fresh, level=LEVEL, finalists=points, recommended=recommended,
        nearest=nearest, changed=_changed(problem.game, before, after) if shown else (),
        **(_explored(problem, source, after) if shown else {}),
        games=evaluator.games + validation.played, games_per_match_up=games, grid_settings=number,
        grid_games=number * line_ups * games, tried=len(search.trials), raced=dict(search.raced),
        exhausted=number <= len(search.trials) * 2 and all(s in search.trials for s in space.every(most)),
        most_changes=most, parameters=tuple(space.parameters), bots=tuple(map(tuple, problem.bots)),
        trained=tuple(dict.fromkeys(text for bots in problem.bots for text, ref in bots.items() if is_trained(ref))),
        rules_file=str(_write_rules(problem, source, points[shown], after.setting)) if shown else None,
        folder=str(source.folder.path),
    )  # fmt: skip


# --- Finalists --------------------------------------------------------------------


def _candidate(problem: Problem, finalist: Finalist, on_front: bool) -> Candidate:
    space, setting = problem.space, finalist.setting
    line_up = max(finalist.weights, key=lambda u: finalist.weights[u])
    unadapted = [line.unadapted for line in finalist.lines]
    kept = all(
        wanted.inside(end) >= 0
        for wanted, one in zip(problem.objectives, unadapted, strict=True) for end in (one.low, one.high)
    )  # fmt: skip
    return Candidate(
        changes=tuple(ParameterChange(name=name, value=value) for name, value in setting), text=space.text(setting),
        steps=space.amount(setting)[1], verdict=finalist.word, distance=finalist.miss, on_front=on_front,
        lines=finalist.lines,
        best_play=tuple(
            _mix(side, finalist.weights, list(problem.bots[side]), name) for side, name in enumerate(problem.sides)
        ),
        works_only_while_nobody_adapts=bool(setting) and kept and finalist.word == "broken",
        bots=problem.seats_of(line_up),
    )  # fmt: skip


def _mix(side: int, weights: Mapping[LineUp, float], bots: Sequence[str], name: str) -> str:
    chances = dict.fromkeys((line_up[side] for line_up in weights), 0.0)
    for line_up, weight in weights.items():
        chances[line_up[side]] += weight
    sent = sorted(((w, b) for b, w in chances.items() if w >= 0.01), reverse=True)
    return f"{name}: " + ", ".join(bots[b] if w > 0.995 else f"{bots[b]} {100 * w:.0f} %" for w, b in sent)


# --- What else changes ------------------------------------------------------------


def _changed(names: Any, before: Finalist, after: Finalist) -> tuple[ChangedStatistic, ...]:
    """Statistics in best play, including the length, that change significantly (judged together), clearest first."""
    figures = [figure for figure in figures_of(names).by_game if isinstance(figure, Share | Mean)]
    level = level_of_each(LEVEL, len(figures))
    parts = [[(weight, one.table[u]) for u, weight in one.weights.items()] for one in (before, after)]
    was, now = (Mix(names, part) for part in parts)
    gap = Mix(names, [*((-weight, rows) for weight, rows in parts[0]), *parts[1]])
    found: list[ChangedStatistic] = []
    for figure in figures:
        if figure.where_both:
            continue
        read = [figure.read(rows).astype(np.float64) for rows in gap.reads]
        difference, rate = gap.mean(read)[0], figure.is_rate
        limits = (0, 1) if isinstance(figure, Share) else (figure.measure.low, figure.measure.high)
        low, high = gap.bounds(read, limits, level)
        if (low > 0 or high < 0) and abs(difference) * figure.scale >= 0.005:
            change = Difference(difference, low, high, rate)
            found.append(ChangedStatistic(
                statistic=figure.short_name, words=figure.words, unit="" if rate else figure.unit or "",
                before=beside(was.reading(figure, level).value, change),
                after=beside(now.reading(figure, level).value, change), difference=change,
            ))  # fmt: skip
    found.sort(key=lambda m: (m.statistic != "turns", -abs(m.difference.value) / max(2 * m.difference.half, 1e-12)))
    return tuple(found[:_MOST_CHANGED])


def _explored(problem: Problem, source: Games, after: Finalist) -> dict[str, Any]:
    """Unused actions, luck shares and three notable games of the fixed game's most frequent line-up."""
    fast = {u: w for u, w in after.weights.items() if all(b < n for b, n in zip(u, problem.fast, strict=True))}
    if not fast:
        return {}
    line_up = max(fast, key=lambda u: fast[u])
    answer: dict[str, Any] = {}
    pair = [source.match(setting, line_up) for setting in ((), after.setting)]
    before, now = (_uses(problem.game, match.play(source.fresh, 0, _SHOWN).tally) for match in pair)
    answer["no_longer_taken"], answer["taken_again"] = _only_in_one(before, now), _only_in_one(now, before)
    with suppress(SimlabError):  # too many games are truncated under other luck: nothing is reported
        was, is_ = (luck_of(match, source.fresh, LUCK_GAMES).of() for match in pair)
        answer["luck"] = tuple(
            LuckShare(kind=kind, before=was[kind].total.value, after=is_[kind].total.value)
            for kind in was
            if was[kind].total.low > is_[kind].total.high or was[kind].total.high < is_[kind].total.low
        )
    bots = problem.seats_of(line_up, labels=False)
    base, tweak = (source.rules(setting, bots, seed=source.fresh, games=_SHOWN) for setting in ((), after.setting))
    answer["games_beside"] = tuple(
        _before_after(pair, source.fresh, one) for one in diff_experiments(base, tweak, look=12).notable_games
    )
    return answer


def _before_after(pair: Sequence[Any], seed: int, game: Any) -> GameBeforeAfter:
    """One game before and after, decision by decision. game: a notable game of simlab.questions.diff."""
    films = [Film(match, seed, game.game) for match in pair]
    first, second = (" ".join(text.strip() for text in ending(one.match, one.end.row())) for one in films)
    return GameBeforeAfter(
        why=game.why, game=game.game, before=game.base, after=game.tweak, beside=game.beside,
        rows=side_by_side(*films), ends=(first, second),
    )  # fmt: skip


def _uses(game: Game, tally: Tally) -> dict[str, tuple[int, int]]:
    """Named action -> how often it was taken and offered."""
    return {
        f"{who}, {decision.name}: {name}": (
            int(tally.chosen[seat, kind, action]),
            int(tally.offered[seat, kind, action]),
        )
        for (seat, who), (kind, decision) in itertools.product(enumerate(game.seats), enumerate(game.decisions))
        for action, name in enumerate(decision.actions[: tally.offered.shape[2]])
    }


def _only_in_one(one: Mapping[str, tuple[int, int]], other: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """The actions that are taken often in one of two settings, not only by random choices, and never in the other,
    although they are offered there too often for chance to explain it (Fisher's exact test, all actions together).
    """
    found = []
    for name in sorted(one):
        (taken, offered), (never, chances) = one[name], other[name]
        often = taken >= max(0.01 * offered, 0.1 * _OFTEN) and chances >= _OFTEN
        if often and not never and rates_p_value(taken, offered, 0, chances) <= (1 - LEVEL) / len(one):
            found.append(name)
    return tuple(found)


def _write_rules(problem: Problem, source: Games, point: Candidate, setting: Setting) -> Path:
    """Writes the changed rules as an experiment for `run`, `check` and `diff`, with the most frequent bots."""
    by_text = {text: ref for bots in problem.bots for text, ref in bots.items()}
    bots, name = {seat: by_text[text] for seat, text in point.bots.items()}, problem.experiment.name
    question = f"{point.text}: does the changed game keep the contract of {name}?"
    changed = source.rules(setting, bots, name=f"{name[:73]}-fixed", question=question)
    text = f"# Changed by simlab optimize rules: {point.text}.\n" + changed.to_toml()
    source.folder.write("fixed.toml", text.encode())
    return source.folder.path / "fixed.toml"
