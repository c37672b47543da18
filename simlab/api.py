"""Functions of `import simlab`: run, sweep, discover, compare, ladder, tune, exploit, plan, check, diff, fix, load."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack

from simlab.errors import InputError
from simlab.runs.notebook_progress import counted, shown

if TYPE_CHECKING:
    from simlab.questions.check.analysis import Check, ContractVerdict
    from simlab.questions.diff.analysis import Diff
    from simlab.questions.exploitability.analysis import BestAnswer
    from simlab.questions.fixes.analysis import Fixes
    from simlab.questions.regions.analysis import Regions
    from simlab.questions.run_plan.analysis import Plan
    from simlab.questions.tuning.analysis import TunedBot
    from simlab.runs.results import Results
    from simlab.runs.runner import Event
    from simlab.spec.draft import Changes
    from simlab.spec.experiment import Experiment

Bots = Mapping[str, str | Sequence[str]] | str
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _with_files_as_they_are(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Before each call, drops the code of files that were edited since this process loaded them. The first argument
    may be the class of a game instead of its file.
    """

    @functools.wraps(function)
    def called(*arguments: _P.args, **named: _P.kwargs) -> _R:
        from simlab.bot_registry import forget_changes

        forget_changes()
        if arguments and isinstance(arguments[0], type):
            from simlab.author.base import file_of

            return function(str(file_of(arguments[0], of_its_own=True)), *arguments[1:], **named)  # type: ignore[arg-type]
        return function(*arguments, **named)

    return called


@_with_files_as_they_are
def run(
    game: str | Path,
    bots: Bots | None = None,
    games: int | str | None = None,
    seed: int | None = None,
    *,
    knobs: Mapping[str, object] | None = None,
    vary: Mapping[str, object] | None = None,
    cards: Mapping[str, str | Path] | None = None,
    contract: Mapping[str, Mapping[str, float]] | None = None,
    name: str | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    backend: str = "loky",
    scheduler: str | None = None,
    progress: Callable[[Event], None] | None = None,
    force: bool = False,
    players: int | None = None,
    metrics: Sequence[str] = (),
) -> Results:
    """Plays a game many times, or an experiment file, and opens the results.

    Args:
        game: slug of a game, path of a game's folder, or an experiment file (`.toml`); with a file, the other
            arguments override the file.
        bots: seat -> bot or list of bots; or one bot for every seat. Other seats get the game's default bot or, with a
            file, the bots of the file.
        games: games per cell; 10,000 by default.
        seed: the same seed gives the same random draws in every cell; 1 by default.
        knobs: values that differ from the printed game. vary: knob -> list of values, range or `"3..7"`.
        cards: component table -> CSV file that replaces it.
        contract: statistic -> {"target", "margin"} or {"min", "max"}.
        name: name of the experiment.
        out: folder of the results, by default results/<name>. Finished games there are reused.
        workers, backend, scheduler, progress, force: as in simlab.runs.runner.run; in a notebook a bar shows the
            progress if there is no progress callback.
        players: number of players, for a game with several player counts; to play several counts in one run:
            vary={"players": "3..5"}.
        metrics: your own metrics, as ["./mine.py:longest_lull"], or names of installed metrics; with a file, in
            addition to its metrics.
    Raises:
        InputError: bad input, or the folder belongs to another experiment.
        RunFailed: a bot, a worker or the disk failed; finished work is kept.
    """
    from simlab.runs import runner

    experiment = _experiment(
        game,
        bots,
        knobs,
        games=games,
        seed=seed,
        vary=vary or {},
        cards=cards or {},
        contract=contract,
        name=name,
        players=players,
        metrics=metrics,
    )
    return runner.run(experiment, out, workers, backend, scheduler, shown(progress), force)


@_with_files_as_they_are
def sweep(
    game: str | Path,
    vary: Mapping[str, object],
    bots: Bots | None = None,
    games: int | str | None = None,
    seed: int | None = None,
    **more: Any,
) -> Results:
    """Plays a game at many settings: `sweep("simple_siege", {"walls_start": range(3, 8)})`. The rest is as in `run`."""
    if not vary:
        raise InputError("a sweep varies at least one knob: vary={'walls_start': range(3, 8)}.")
    return run(game, bots, games, seed, vary=vary, **more)


@_with_files_as_they_are
def compare(
    game: str | Path,
    bots: Sequence[str] | str = "*",
    games: int | str | None = None,
    seed: int | None = None,
    players: int | None = None,
    **more: Any,
) -> Results:
    """Plays every bot against every other, in each seat that it can take: a round robin. The rest is as in `run`.

    Args:
        bots: names of bots, with their traits; "*" for all.
        players: number of players, as in `run`.
    """
    from simlab.registry import at_table, load_game
    from simlab.runs.tournament import round_robin

    table = at_table(str(game), players)
    return run(table, round_robin(load_game(table), bots), games, seed, **more)


@_with_files_as_they_are
def ladder(
    game: str | Path,
    playout: str = "",
    search: str = "lookahead",
    budgets: Sequence[int] = (0, 10, 30, 100, 300, 1000),
    games: int | str = 200,
    seed: int | None = None,
    *,
    knobs: Mapping[str, object] | None = None,
    players: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
) -> Results:
    """Plays the skill ladder: bots with growing search budgets. Read it with simlab.questions.ladder.analysis.climb.

    Args:
        playout: bots of the playouts, joined by +; they are also the lowest rung. The default is the game's default
            bot.
        search: `lookahead` or `ismcts`, with traits.
        budgets: iterations per decision, ascending; 0 is the playout bot. The rest is as in `run`.
    """
    from simlab.registry import at_table, load_game
    from simlab.runs import runner
    from simlab.runs.open_experiment import new_experiment
    from simlab.runs.tournament import rungs

    table = at_table(str(game), players)
    loaded = load_game(table)
    bots = rungs(loaded, playout or loaded.default_bot, search, budgets)
    experiment = new_experiment(table, knobs or {}, bots=bots, games=games, seed=seed, tournament={"ladder": True})
    return runner.run(experiment, out, workers, progress=shown(progress))


@_with_files_as_they_are
def tune(
    game: str | Path,
    seat: str,
    bot: str,
    against: Sequence[str] | str = (),
    games: int = 20_000,
    confirm: int = 2_000,
    seed: int = 1,
    *,
    traits: Sequence[str] = (),
    knobs: Mapping[str, object] | None = None,
    players: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
) -> TunedBot:
    """Finds the traits with which a bot does best: `tune("montsegur", "crusader", "value", "cathar=value,crest")`.

    Args:
        against: bots of the other seats, as `cathar=value,crest`; without a seat, the bots of all other seats.
        games: approximate number of games that the search may play. confirm: held-out games against each opponent.
        traits: the traits to tune; all by default. out: file for the tuned bot, which you can use wherever a bot name
            is accepted; None writes no file.
        workers: threads; the answer does not depend on their number.
    Raises:
        InputError: bad input, or too few games.
    """
    from simlab.questions.contest import Contest, fields_of
    from simlab.questions.tuning import analysis, words
    from simlab.registry import load_game

    loaded = load_game(str(game), players)
    fields = fields_of(loaded, seat, [against] if isinstance(against, str) else against)
    answer = analysis.tune(Contest(loaded, seat, fields, seed, workers, knobs), bot, games, confirm, traits)
    return answer if out is None else words.write(answer, Path(out))


@_with_files_as_they_are
def exploit(
    game: str | Path,
    seat: str | None = None,
    against: Sequence[str] | str = (),
    iterations: int = 100,
    games: int = 200,
    seed: int = 1,
    *,
    searches: Sequence[str] = ("lookahead",),
    screen: int = 60,
    tune: int = 10_000,
    level: float = 0.95,
    knobs: Mapping[str, object] | None = None,
    players: int | None = None,
    workers: int | None = None,
) -> tuple[BestAnswer, ...]:
    """Finds the best answers to known bots: `exploit("simple_siege", "besieger", "warden")`.

    Args:
        seat: the seat that answers; None for every seat. against: bots of the other seats, as in `tune`; None takes
            each listed bot in turn.
        iterations: playouts per decision of a search. games: held-out games in which an answer is judged.
        searches: `lookahead`, `ismcts`. screen: number of games in which each search is tried. tune: number of games
            for tuning the best listed bot; 0: no tuning.
        level: confidence level of all intervals together.
    """
    from simlab.questions.exploitability.analysis import Effort, answers
    from simlab.registry import load_game

    effort = Effort(iterations, tuple(searches), games, screen, tune)
    known = [against] if isinstance(against, str) else against
    loaded = load_game(str(game), players)
    return answers(loaded, seat, known, effort, seed, workers=workers, knobs=knobs, level=level).answers


@_with_files_as_they_are
def diff(
    base: str | Path | Experiment,
    tweak: str | Path | Experiment | None = None,
    *,
    knobs: Mapping[str, object] | None = None,
    cards: Mapping[str, str | Path] | None = None,
    bots: Mapping[str, str | Sequence[str]] | None = None,
    games: int | str | None = None,
    seed: int | None = None,
    level: float = 0.95,
    players: int | None = None,
    metrics: Sequence[str] = (),
) -> Diff:
    """Compares a base and a tweak on the same random seeds: `diff("simple_siege", knobs={"walls_start": 6})`.

    Args:
        base: an experiment file, the name of a ready one, a game (printed rules, default bots), or an experiment.
        tweak: the changed version, named in the same way; None if `knobs`, `cards` and `bots` describe the change. Of
            a game, `bots` given with `knobs` or `cards` play both sides, and only the rules change.
        games, seed, players: replace those of the base and of the tweak. metrics: measured in both, as in `run`.
        level: confidence level of all intervals jointly, for this number of games.
    Raises:
        InputError: bad input, or no cell of the base matches a cell of the tweak. RunFailed: a bot failed.
    """
    from simlab.questions.diff.analysis import diff_experiments
    from simlab.runs.open_experiment import names_game, open_experiment
    from simlab.spec.experiment import Experiment

    if (tweak is None) != bool(knobs or cards or bots):
        raise InputError("name a second experiment, or give the change by knobs, cards or bots.")

    def opened(which: str | Path | Experiment, **changes: Any) -> Experiment:
        if not isinstance(which, Experiment):
            return open_experiment(which, games=games, seed=seed, players=players, metrics=metrics, **changes)
        if changes or metrics or games is not None or seed is not None or players is not None:
            raise InputError("an experiment that is open already cannot be changed here: give its file.")
        return which

    # A game has no bots of its own: those that are named with a change of its rules play both sides.
    rules = not isinstance(base, Experiment) and names_game(base) and (knobs or cards)
    before = opened(base, bots=bots) if rules and bots else opened(base)
    after = opened(tweak) if tweak is not None else opened(base, overrides=knobs or {}, cards=cards or {}, bots=bots)
    return diff_experiments(before, after, level=level, notify=counted(None))


@_with_files_as_they_are
def plan(game: str | Path, bots: Bots | None = None, games: int | str | None = None, **more: Any) -> Plan:
    """Plans `run` with the same arguments: games, time, disk space, and the smallest change that it detects.

    Plays a sample of a few cells and writes nothing.

    Raises:
        InputError: bad input. BotFault: a bot failed in the sample.
    """
    from simlab.questions.run_plan.analysis import plan as plan_of

    out, workers = more.pop("out", None), more.pop("workers", None)
    named = ("seed", "vary", "cards", "contract", "name", "players", "metrics")
    knobs, given = more.pop("knobs", None), {name: more.pop(name) for name in named if name in more}
    if more:
        raise InputError(f"plan takes no '{next(iter(more))}': it plays a sample in this process and writes nothing.")
    return plan_of(_experiment(game, bots, knobs, games=games, **given), out, workers)


@_with_files_as_they_are
def discover(
    game: str | Path,
    where: Sequence[str] | str,
    vary: Mapping[str, object],
    bots: Bots | None = None,
    games: int | str | None = 1_000,
    settings: int = 256,
    *,
    density: float = 0.8,
    most_knobs: int = 3,
    seed: int | None = None,
    knobs: Mapping[str, object] | None = None,
    cards: Mapping[str, str | Path] | None = None,
    players: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
) -> Regions:
    """Finds short rules for where a condition holds: `discover("pig", "first_win > 0.6", {"goal": "20..90"})`.

    Args:
        where: conditions that must all hold. vary: knobs and their ranges. games: number of games per setting.
        settings: number of settings to search, and of held-out settings on which the rules are judged.
        density: least share of a rule's settings in which the condition must hold. most_knobs: most knobs in one rule.
        seed, knobs, cards, players, out, workers, progress: as in `run`.
    Raises:
        InputError: bad input. GamesFailed, RunFailed: as in `run`.
    """
    from simlab.questions.regions.analysis import discover as search

    space = {"method": "lhs", "points": settings, **vary}
    experiment = _experiment(game, bots, knobs, games=games, seed=seed, vary=space, cards=cards or {}, players=players)
    conditions = [where] if isinstance(where, str) else where
    return search(experiment, conditions, density, most_knobs, out, workers=workers, progress=shown(progress))


@_with_files_as_they_are
def check(
    experiment: str | Path | Experiment,
    against: str | Path | None = None,
    *,
    tolerance: float = 0.01,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
) -> ContractVerdict | Check:
    """Checks whether the game keeps the designer's contract; with a baseline, whether a rule change altered any game.

    Args:
        experiment: a file, the name of a ready one, or an experiment.
        against: a baseline (folder or .json) or a folder of results, whose games are played again.
        tolerance: with `against`, the largest change that counts as no change: absolute for a rate, relative to the
            mean for the length, relative to the range for other means.
        out, workers, progress: without `against`, as in `run`.
    Returns:
        an answer with `verdict` and `exit_status`, which prints itself.
    Raises:
        InputError: bad input, or no contract. RunFailed: a bot, a worker or the disk failed.
    """
    opened = _opened(experiment)
    if against is not None:
        from simlab.questions.check.analysis import check_against
        from simlab.questions.check.baseline import read_baseline

        return check_against(opened, read_baseline(Path(against)), tolerance=tolerance)
    from simlab.questions.check.analysis import keep_contract

    return keep_contract(opened, out, workers=workers, progress=shown(progress))


@_with_files_as_they_are
def fix(
    experiment: str | Path | Experiment,
    knobs: Sequence[str] = (),
    *,
    cards: Sequence[str] = (),
    most_changes: int = 3,
    games: int = 4_000,
    budget: int = 2_000_000,
    bots: Mapping[str, str | Sequence[str]] | None = None,
    also: Mapping[str, Sequence[str]] | None = None,
    also_games: int = 400,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
) -> Fixes:
    """Finds the smallest change that keeps the contract of an experiment: `fix("mine.toml").recommended_change`.

    Args:
        experiment: a file, the name of a ready one, or an experiment.
        knobs: knobs that may change; None: all knobs that the experiment does not set. cards: `TABLE.COLUMN` that may
            change.
        most_changes: most knobs and table cells changed at once. games: games per match-up in the final. budget:
            approximate number of games that the search before the final may play.
        bots: seat -> bots, instead of the experiment's; only these bots may then respond to a change.
        also: seat -> slow bots, which play only against the finalists, `also_games` games per match-up.
        out, workers, progress: as in `run`; workers are threads.
    Returns:
        an answer that prints itself, with `finalists`, `recommended_change` and `exit_status`; `to_html()` is its page.
    Raises:
        InputError: bad input, or no contract. RunFailed: a bot failed.
    """
    from simlab.questions.fixes.analysis import find_fixes
    from simlab.questions.fixes.problem import Problem

    opened = _opened(experiment, bots)
    problem = Problem(opened, knobs, cards, most_changes, games, budget, also, also_games, not bots, out, workers)
    return find_fixes(problem, shown(progress))


@_with_files_as_they_are
def replay(
    game: str | Path,
    bots: Mapping[str, str] | str = "",
    seed: int = 1,
    index: int = 0,
    *,
    knobs: Mapping[str, object] | None = None,
    cards: Mapping[str, str | Path] | None = None,
    brief: bool = False,
    players: int | None = None,
) -> Iterator[str]:
    """Replays one game line by line: `print(*replay("simple_siege", index=3), sep="\
    ")`.

    Args:
        game: slug of a game, or path of a game's folder.
        bots: seat -> bot; or one bot for every seat. Other seats get the game's default bot.
        seed, index: identify the game; the same seed and index give the same game as in a run.
        brief: one line per decision.
        players: number of players, as in `run`.
    Raises:
        InputError: bad input. RunFailed: a bot failed.
    """
    from simlab.engine.match import Match
    from simlab.questions.replay.film import Film
    from simlab.questions.replay.narrative import game_lines
    from simlab.registry import load_game

    loaded = load_game(str(game), players)
    seats = dict.fromkeys(loaded.seats, (isinstance(bots, str) and bots) or loaded.default_bot)
    if not isinstance(bots, str):
        seats |= bots
    tables = {name: Path(path) for name, path in (cards or {}).items()}
    return game_lines(Film(Match(loaded, knobs=knobs, tables=tables, bots=seats), seed, index), brief)


@_with_files_as_they_are
def load(folder: str | Path) -> Results:
    """Opens a folder of results, which may be untrusted: it is read as data, and nothing in it is run.

    If games are missing, it warns and lists them (`Results.gap`).

    Raises:
        InputError: not a folder of results, or damaged.
    """
    import warnings

    from simlab.runs import results

    opened = results.load(Path(folder))
    if opened.partial:
        warnings.warn(f"{folder}: {opened.gap}", stacklevel=2)
    return opened


def _opened(experiment: str | Path | Experiment, bots: Mapping[str, str | Sequence[str]] | None = None) -> Experiment:
    from simlab.runs.open_experiment import load_experiment
    from simlab.spec.experiment import Experiment

    if not isinstance(experiment, Experiment):
        return load_experiment(experiment, bots=bots)
    if bots:
        raise InputError("an experiment that is open already has its bots: give its file, or leave bots out.")
    return experiment


def _experiment(
    game: str | Path, line_up: Bots | None, knobs: Mapping[str, object] | None, **changes: Unpack[Changes]
) -> Experiment:
    from simlab.runs.open_experiment import load_experiment, new_experiment
    from simlab.spec.draft import is_experiment

    if is_experiment(str(game)):
        if changes.get("contract"):
            raise InputError("an experiment file brings its own [contract]: leave `contract` out.")
        if isinstance(line_up, str):
            raise InputError("with an experiment file, name the seats: bots={seat: bot}.")
        changes["bots"] = line_up
        return load_experiment(game, knobs or {}, **changes)
    changes["bots"] = {"*": line_up} if isinstance(line_up, str) else line_up
    return new_experiment(str(game), knobs or {}, fill_seats=True, **changes)
