"""Mends a game: finds the smallest change of its rules that keeps the designer's contract.

    answer = mend_experiment(load_experiment("mine.toml"), knobs=("walls_start", "repair_gain"))
    answer.recommendation, answer.front, answer.to_dict()

`dials` contains the allowed changes, `arena` judges a setting at best play, `search` races settings, `finals` confirms
the best on held-out seeds, `play` plays and stores the games, `answer` is the result.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.outcome import GameRows, figures_of, side_endings, sides_of
from simlab.errors import InputError, SimlabError
from simlab.registry import load_game
from simlab.runs.events import Event, Note
from simlab.stats.figure import Mean, Share
from simlab.stats.verdict import band
from simlab.studies.mend.answer import GameBeside, Mend, Moved, Point, Rules, point_of
from simlab.studies.mend.arena import MOST_LINE_UPS, Arena, Job, LineUp, Played, Wish
from simlab.studies.mend.dials import Setting, Space, space_of
from simlab.studies.mend.finals import Finalist, Finals, Table, weighted_mean, weighted_mean_bounds
from simlab.studies.mend.play import Stage, workers_of
from simlab.studies.mend.search import Search

if TYPE_CHECKING:
    from simlab.game import Game
    from simlab.spec.experiment import Experiment

Array = np.ndarray[Any, Any]

GAMES = 4_000  #: of a match-up of the finals
SLOW_GAMES = 400  #: of a match-up of the finals with a slow bot
BUDGET = 2_000_000  #: games of the race
FINALISTS = 6
LUCK_GAMES = 1_000  #: of a luck ledger, each of which is played seven times
_SHOWN = 500  # games of the line-up met most, before and after, for dead actions and games to look at
_OFTEN = 100  # offers of an action, out of which it should be taken once
_MOST_MOVED = 14


@dataclass(frozen=True)
class MendPlan:
    """What a search would take.

    Attributes:
        dials, settings: that may change, and of the whole grid. line_ups: match-ups of the bots.
        race, finals: games, at most. grid: games of the whole grid.
        per_second: of one worker, measured on a sample of the first bots. seconds: in all.
    """

    dials: int
    settings: int
    line_ups: int
    race: int
    finals: int
    slow: int
    grid: int
    per_second: float
    workers: int
    seconds: float
    folder: str

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return {"plan": dict(self.__dict__)}

    @property
    def text(self) -> str:
        """For people."""
        span = f"{self.seconds:.0f} s" if self.seconds < 90 else f"{self.seconds / 60:.0f} min"
        slow = f" and {self.slow:,} with slow bots, which are not in this time" if self.slow else ""
        share = 100 * (self.race + self.finals) / max(self.grid, 1)
        of_grid = f"; {share:.2g} % of the whole grid" if share < 99.5 else ""
        lines = {
            "May change": f"{self.dials:,} knobs and cells: {self.settings:,} settings",
            "Bots": f"{self.line_ups:,} match-ups",
            "Games": f"race up to {self.race:,}, finals up to {self.finals:,}{slow}{of_grid}",
            "Time": f"about {span}: {self.per_second:,.0f} games per second with each of {self.workers} workers; "
            "compilation takes additional time",
            "Folder": f"{self.folder}; an interrupted search resumes there",
        }
        return "\n".join(f"{name:<10}  {text}" for name, text in lines.items())


class _Bench:
    """The bots that a side may send, each once: name -> reference. One bot takes all seats of the side."""

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        self.game, self.seats = game, [game.seats[place] for place in seats]
        self.bots: dict[str, str] = {}
        self._seen: set[Any] = set()

    def add(self, text: str, ref: str) -> bool:
        """Adds a bot, unless it is there under another name; False if it cannot take all seats."""
        from simlab.registry import load_bot

        try:
            loaded = [load_bot(self.game, seat, ref) for seat in self.seats]
        except InputError:
            return False
        same = tuple((bot.policy.module, bot.policy.name, bot.traits.tobytes()) for bot in loaded)
        if same not in self._seen:
            self._seen.add(same)
            self.bots[text] = ref
        return True


class _Problem:
    """An experiment as a search needs it."""

    def __init__(
        self, experiment: Experiment, knobs: Sequence[str], cards: Sequence[str], also: Mapping[str, Sequence[str]],
        all_bots: bool,
    ) -> None:  # fmt: skip
        if experiment.varied or experiment.sizes:
            raise InputError(
                f"{experiment.name}: [vary] has no place here: the search itself varies the knobs. Name those that may "
                "change with --knobs."
            )
        if not experiment.contract:
            raise InputError(
                f"{experiment.name}: has no [contract] to mend the game for. Add one, as "
                f"{figures_of(load_game(experiment.table_ref())).wins[0].name} = {{ target = 0.5, margin = 0.05 }}."
            )
        self.experiment = experiment
        self.game = game = load_game(experiment.table_ref())
        self.tables = game.read_tables(experiment.card_files)
        base = game.resolve_knobs(experiment.knobs, self.tables)
        self.space: Space = space_of(game, base, self.tables, knobs, cards, fixed=set(experiment.knobs))
        figures = figures_of(game)
        self.wishes = tuple(
            Wish(figures.find(name, "[contract]"), *band(name, goal.model_dump(exclude_none=True)))
            for name, goal in experiment.contract.items()
        )
        self.sides = [name for name, _, _ in sides_of(game)]
        endings = side_endings(game)
        every = tuple(range(len(game.endings)))
        self.table = Table(
            game, tuple(places for _, places, _ in sides_of(game)),
            tuple(None if tuple(some) == every else tuple(some) for some in endings),
        )  # fmt: skip
        self.names, self.refs, self.slow = self._bots(also, all_bots)
        fast = [len(names) - slow for names, slow in zip(self.names, self.slow, strict=True)]
        if len(fast) > 2 and math.prod(fast) > MOST_LINE_UPS:
            each = " x ".join(map(str, fast))
            raise InputError(
                f"{experiment.name}: {each} bots are {math.prod(fast):,} line-ups, over {MOST_LINE_UPS}: name fewer "
                f"with --bot {game.seats[0]}=..."
            )
        self.fast = fast
        numbers = [w.figure.column for w in self.wishes if w.figure.topic in ("length", "score", "number")]
        self.numbers = tuple(dict.fromkeys(numbers))

    def _bots(
        self, also: Mapping[str, Sequence[str]], all_bots: bool
    ) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]], tuple[int, ...]]:
        """Names and references of each side's bots, the slow ones last, and how many of these there are."""
        from simlab.registry import bots_for, load_bot

        game, experiment = self.game, self.experiment
        for seat in also:
            if seat not in (*game.seats, "*"):
                raise InputError(f"--also {seat}=...: {game.slug} has no seat '{seat}'.")
        names, refs, slow = [], [], []
        for seats in self.table.sides:
            mine = _Bench(game, seats)
            for seat in (game.seats[place] for place in seats):
                for text, ref in zip(experiment.bots[seat], experiment.bot_refs[seat], strict=True):
                    mine.add(text, ref)
            if all_bots and len(self.table.sides) <= 2:
                for text in sorted(bots_for(game, game.seats[seats[0]])):
                    mine.add(text, text)
            if not mine.bots:
                raise InputError(f"no bot can take all seats of the {self._side_name(seats)}: name one with --bot.")
            before = len(mine.bots)
            for seat in ("*", *(game.seats[place] for place in seats)):
                for text in also.get(seat, ()):
                    if not mine.add(text, text) and seat != "*":
                        load_bot(game, seat, text)  # raises the reason
            names.append(tuple(mine.bots))
            refs.append(tuple(mine.bots.values()))
            slow.append(len(mine.bots) - before)
        return names, refs, tuple(slow)

    def _side_name(self, seats: Sequence[int]) -> str:
        return self.sides[self.table.sides.index(tuple(seats))]

    def gains(self, played: Played) -> Array:
        """What each side gains a game: of two sides they add up to 1."""
        rates = played.side_wins / max(played.games, 1)
        if len(self.sides) != 2:
            return np.asarray(rates, np.float64)
        first = (1 + rates[0] - rates[1]) / 2
        return np.array([first, 1 - first])

    def seats_of(self, line_up: LineUp, labels: bool = True) -> dict[str, str]:
        """Seat -> bot of a line-up."""
        seats = {}
        for side, bot in enumerate(line_up):
            for place in self.table.sides[side]:
                seats[self.game.seats[place]] = (self.names if labels else self.refs)[side][bot]
        return {seat: seats[seat] for seat in self.game.seats}


def mend_experiment(
    experiment: Experiment,
    *,
    knobs: Sequence[str] = (),
    cards: Sequence[str] = (),
    most_changes: int = 3,
    games: int = GAMES,
    budget: int = BUDGET,
    also: Mapping[str, Sequence[str]] | None = None,
    also_games: int = SLOW_GAMES,
    all_bots: bool = True,
    out: Path | str | None = None,
    workers: int | None = None,
    progress: Callable[[Event], None] | None = None,
    command: str = "",
) -> Mend:
    """Searches for the smallest change that keeps the contract of an experiment.

    Args:
        knobs: names of those that may change; none: all that the experiment does not set. cards: `TABLE.COLUMN`, whose
            cells may change.
        most_changes: knobs and cells that are changed at most.
        games: of a match-up of the finals. budget: games of the race, about.
        also: seat (or "*") -> slow bots, which only the finalists meet, for `also_games` a match-up.
        all_bots: whether all of the game's bots may answer a change, besides those of the experiment; for tables of one
            or two sides.
        out: folder of the games, by default results/<name>-mend; games in it are used again.
        workers: threads that play; the answer does not depend on it.
        command: that continues with a search that is stopped.
    Raises:
        InputError: bad input, no contract. BotFault: a bot or a game failed. Interrupted: Ctrl-C, SIGTERM or SIGHUP.
    """
    from simlab.engine.signals import Signals
    from simlab.runs.runner import Interrupted

    if not 1 <= most_changes <= 6:
        raise InputError(f"--most-changes {most_changes}: a search changes 1 to 6 knobs.")
    problem = _Problem(experiment, knobs, cards, also or {}, all_bots)
    folder = _folder(experiment, out)
    tell = progress or (lambda event: None)
    stage = _stage(problem, folder, workers, tell)
    signals = Signals()
    try:
        with signals, stage.folder.locked():
            return _mend(problem, stage, most_changes, games, budget, also_games, tell)
    except KeyboardInterrupt:
        again = f"\nContinue with: {command}" if command else ""
        raise Interrupted(f"stopped; what was played is kept in {folder}.{again}", signals.number) from None


def plan_mend(
    experiment: Experiment,
    *,
    knobs: Sequence[str] = (),
    cards: Sequence[str] = (),
    most_changes: int = 3,
    games: int = GAMES,
    budget: int = BUDGET,
    also: Mapping[str, Sequence[str]] | None = None,
    also_games: int = SLOW_GAMES,
    all_bots: bool = True,
    out: Path | str | None = None,
    workers: int | None = None,
) -> MendPlan:
    """What `mend_experiment` with the same arguments would take; plays a sample and writes nothing."""
    problem = _Problem(experiment, knobs, cards, also or {}, all_bots)
    folder = _folder(experiment, out)
    stage = _stage(problem, folder, workers, lambda event: None)
    match = stage.match((), (0,) * len(problem.sides))
    match.compile()
    began, count = time.perf_counter(), 50
    while True:
        start = time.perf_counter()
        match.play(experiment.seed, 0, count, counting=True)
        took = time.perf_counter() - start
        if took > 0.3 or time.perf_counter() - began > 2 or count >= 20_000:
            break
        count *= 3
    line_ups = math.prod(problem.fast)
    slow = (math.prod(map(len, problem.names)) - line_ups) * also_games * (FINALISTS + 1) if any(problem.slow) else 0
    finals = (FINALISTS + 1) * line_ups * games
    settings = problem.space.number(most_changes)
    rate = count / max(took, 1e-6)
    team = workers_of(workers)
    return MendPlan(
        len(problem.space.dials), settings, line_ups, budget, finals, slow, settings * line_ups * games, rate, team,
        (budget + finals) / rate / team, str(folder),
    )  # fmt: skip


def _folder(experiment: Experiment, out: Path | str | None) -> Path:
    return Path(out) if out is not None else Path("results") / f"{experiment.name}{experiment.mark}-mend"


def _stage(problem: _Problem, folder: Path, workers: int | None, tell: Callable[[Event], None]) -> Stage:
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} is not allowed: use 1 or more.")
    experiment = problem.experiment
    fresh = int(np.random.SeedSequence([experiment.seed, 14]).generate_state(1)[0])  # seeds that no choice has seen
    return Stage(
        problem.game, problem.space, problem.table, problem.refs, experiment.knobs, experiment.card_files,
        problem.tables, problem.numbers, experiment.seed, fresh, folder, workers_of(workers), tell,
    )  # fmt: skip


def _mend(
    problem: _Problem, stage: Stage, most_changes: int, games: int, budget: int, also_games: int,
    tell: Callable[[Event], None],
) -> Mend:  # fmt: skip
    def note(text: str) -> None:
        tell(Note(text))

    def rules(setting: Setting) -> Rules:
        return Rules(problem.experiment.game_ref, *stage.changes(setting))

    line_ups = math.prod(problem.fast)
    stage.total = budget + (FINALISTS + 1) * line_ups * games
    arena = Arena(stage, problem.fast, problem.wishes, problem.gains)
    search = Search(arena, problem.space, most_changes, budget, note)
    search.run()
    settings = search.finalists(FINALISTS)
    note(f"{len(settings)} finalists play against all bots on held-out seeds, {games:,} games per match-up.")
    stage.total = stage.done + len(settings) * line_ups * games
    finals = Finals(
        stage, problem.table, [len(names) for names in problem.names], problem.wishes, games, problem.slow, also_games
    )
    finalists = finals.run(settings)
    points = [_point(problem, finalist) for finalist in finalists]
    base = points[0]
    met = [point for point in points if point.word == "met" and point.setting]
    recommended = min(met, key=lambda p: p.amount) if met and base.word != "met" else None
    nearest = min(points, key=lambda p: (p.miss, p.amount))
    shown = recommended or nearest
    by_setting = {finalist.setting: finalist for finalist in finalists}
    before, after = by_setting[()], by_setting[shown.setting]
    moved = moved_figures(problem.game, finals, before, after) if shown.setting else ()
    dead, luck, beside = _looked_into(problem, stage, after, bool(shown.setting))
    mended = _write_mended(problem, stage, shown) if shown.setting else None
    number = problem.space.number(most_changes)
    exhausted = number <= len(search.trials) * 2 and all(s in search.trials for s in problem.space.every(most_changes))
    return Mend(
        experiment=problem.experiment.name, game=problem.game.slug, folder=stage.folder.path,
        seed=problem.experiment.seed, fresh=stage.fresh, base=base, finalists=tuple(points), recommended=recommended,
        nearest=nearest, moved=moved, dead=dead, luck=luck, beside=beside, games=arena.games + finals.played,
        match_up_games=games, grid=(number, number * line_ups * games), tried=len(search.trials),
        raced=dict(search.raced), exhausted=exhausted, most_changes=most_changes, dials=tuple(problem.space.dials),
        bots=tuple(problem.names), mended=mended, rules=(rules(()), rules(shown.setting)),
    )  # fmt: skip


def _point(problem: _Problem, finalist: Finalist) -> Point:
    line_up = max(finalist.weights, key=lambda u: finalist.weights[u])
    return point_of(finalist, problem.space, problem.wishes, problem.names, problem.seats_of(line_up), problem.sides)


# --- What else moved --------------------------------------------------------------


def moved_figures(names: Any, finals: Finals, before: Finalist, after: Finalist) -> tuple[Moved, ...]:
    """Figures of games at best play that changed for certain, all judged together, the surest first; the length too."""
    figures = [figure for figure in figures_of(names).by_game if isinstance(figure, Share | Mean)]
    level = 1 - 0.05 / max(len(figures), 1)
    moved = []
    parts = [[(w, f.rows[u]) for u, w in f.weights.items() if w >= 1e-6] for f in (before, after)]
    for figure in figures:
        if figure.where_both:
            continue
        wish = Wish(figure, -math.inf, math.inf)
        values = [finals.mixed_reading(wish, part, level).value for part in parts]
        weights, read, index = [], [], []
        for sign, part in zip((-1, 1), parts, strict=True):
            for weight, rows in part:
                weights.append(sign * weight)
                read.append(figure.read(GameRows(rows, names)).astype(np.float64))
                index.append(np.asarray(rows["game"]))
        difference, _ = weighted_mean(weights, read, index)
        limits = (0, 1) if isinstance(figure, Share) else (figure.measure.low, figure.measure.high)
        low, high = weighted_mean_bounds(weights, read, index, limits, level)
        unit = figure.unit or ""
        moved.append(
            Moved(figure.short_name, figure.words, figure.scale, unit, values[0], values[1], difference,
                  low, high)
        )  # fmt: skip
    sure = [m for m in moved if m.sure and abs(m.difference) * m.scale >= 0.005]
    sure.sort(key=lambda m: (m.name != "turns", -abs(m.difference) / max(m.high - m.low, 1e-12)))
    return tuple(sure[:_MOST_MOVED])


def _looked_into(
    problem: _Problem, stage: Stage, after: Finalist, changed: bool
) -> tuple[tuple[str, ...], str, tuple[GameBeside, ...]]:
    """Dead actions, luck, and three games, of the line-up that the fixed game meets most."""
    from simlab.questions.diff.analysis import diff_experiments
    from simlab.questions.luck.analysis import luck_of

    fast = {u: w for u, w in after.weights.items() if all(b < n for b, n in zip(u, problem.fast, strict=True))}
    if not changed or not fast:
        return (), "", ()
    line_up = max(fast, key=lambda u: fast[u])
    pair = [stage.match(setting, line_up) for setting in ((), after.setting)]
    before, now = (_uses(problem.game, match.play(stage.fresh, 0, _SHOWN).tally) for match in pair)
    dead = [f"never taken any more: {text}" for text in sorted(_dead(now) & _live(before))]
    dead += [f"taken again: {text}" for text in sorted(_dead(before) & _live(now))]
    luck = ""
    try:
        was, is_ = (luck_of(match, stage.fresh, LUCK_GAMES).of() for match in pair)
        kinds = [f"{kind} {100 * was[kind].total.value:.0f} -> {100 * is_[kind].total.value:.0f} %" for kind in was]
        luck = f"variance shares of who wins, by kind of luck, with the other kinds: {', '.join(kinds)}"
    except SimlabError:
        pass  # too many games without an end under other random draws: no sentence
    bots = problem.seats_of(line_up, labels=False)
    chosen: dict[str, tuple[str, ...]] = {seat: (bot,) for seat, bot in bots.items()}
    knobs, files = stage.changes(after.setting)
    base = problem.experiment.replace(
        seed=stage.fresh, games=_SHOWN, tournament=None,
        bots=chosen, bot_refs=chosen,
    )  # fmt: skip
    tweak = base.replace(knobs=knobs, card_files=files, cards={name: str(path) for name, path in files.items()})
    telling = diff_experiments(base, tweak, look=12).notable_games
    beside = tuple(GameBeside(t.why, t.game, t.base, t.tweak, t.beside, bots) for t in telling)
    return tuple(dead), luck, beside


def _uses(game: Game, tally: Any) -> dict[str, tuple[int, int]]:
    """Named action -> (how often it was offered, how often taken)."""
    offered, chosen = np.asarray(tally.counts["offered"]), np.asarray(tally.counts["chosen"])
    uses = {}
    for seat, kind in itertools.product(range(len(game.seats)), range(len(game.decisions))):
        decision = game.decisions[kind]
        for action, name in enumerate(decision.actions[: offered.shape[2]]):
            place = (seat, kind, action)
            uses[f"{game.seats[seat]}, {decision.name}: {name}"] = int(offered[place]), int(chosen[place])
    return uses


def _dead(uses: Mapping[str, tuple[int, int]]) -> set[str]:
    """Actions that were offered often enough and never taken."""
    return {name for name, (offered, taken) in uses.items() if offered >= _OFTEN and not taken}


def _live(uses: Mapping[str, tuple[int, int]]) -> set[str]:
    """Actions that are taken, and not by chance alone."""
    return {name for name, (offered, taken) in uses.items() if taken >= 0.01 * offered and taken >= 0.1 * _OFTEN}


def _write_mended(problem: _Problem, stage: Stage, point: Point) -> Path:
    """The fixed rules as an experiment, ready for `run`, `check` and `diff`; its bots are those that meet most."""
    knobs, files = stage.changes(point.setting)
    refs = {name: dict(zip(names, some, strict=True)) for name, names, some in zip(
        problem.sides, problem.names, problem.refs, strict=True)}  # fmt: skip
    by_text = {text: ref for some in refs.values() for text, ref in some.items()}
    bots: dict[str, tuple[str, ...]] = {seat: (by_text[text],) for seat, text in point.line_up.items()}
    mended = problem.experiment.replace(
        name=f"{problem.experiment.name[:73]}-mended", knobs=knobs, card_files=files,
        cards={name: str(path) for name, path in files.items()}, bots=bots, bot_refs=bots, tournament=None,
        question=f"{point.changes}: does the changed game keep the contract of {problem.experiment.name}?",
    )  # fmt: skip
    text = f"# Changed by simlab optimize rules: {point.changes}.\n" + mended.to_toml()
    stage.folder.write("mended.toml", text.encode())
    return stage.folder.path / "mended.toml"


__all__ = [
    "Arena", "Finals", "Job", "Mend", "MendPlan", "Played", "Search", "Setting", "Space", "mend_experiment",
    "plan_mend",
]  # fmt: skip
