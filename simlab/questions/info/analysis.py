"""Lists games, ready experiments, and the parts of a game: rules, knobs, bots, statistics, card tables, columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from types import FunctionType
from typing import Any

from simlab import registry
from simlab.bot_registry import example_bot, find_bots, load_bot, seats_for
from simlab.engine import streams
from simlab.engine.composite_bots import mixing_bots
from simlab.engine.match import Match
from simlab.engine.outcome import figures_of
from simlab.engine.search import searching_bots
from simlab.errors import InputError
from simlab.game import Game, KnobValue, Policy, Trait, read_toml
from simlab.present.answer import Answer, Part
from simlab.questions.info.bot_behaviour import DistanceLine, Fingerprint, distance, fingerprint
from simlab.spec import bans
from simlab.spec.draft import ready_experiments
from simlab.spec.refs import split_outside
from simlab.words import line_up


class GameLine(Part):
    """A game. source: `simlab`, or the package that provides it. players: smallest and largest number, 0 if fixed."""

    game: str
    title: str
    summary: str
    source: str
    seats: tuple[str, ...]
    players: tuple[int, int]
    rules: int
    knobs: int
    endings: tuple[str, ...]
    small: bool


class Games(Answer, form="games", source="simlab games"):
    """The games that can be played, the small known ones last."""

    games: tuple[GameLine, ...]


class RuleLine(Part):
    """A rule of the ledger. fired, games: with --counts, how often it fired, and in how many games."""

    id: str
    text: str
    where: str
    status: str
    knobs: tuple[str, ...]
    fired: int | None = None
    games: int | None = None


class Rules(Answer, form="rules", source="simlab info GAME rules"):
    """The rule ledger. games_played: number of games of --counts, 0 without it. line_up: the bots that played them."""

    game: str
    games_played: int = 0
    line_up: str = ""
    rules: tuple[RuleLine, ...]


class KnobLine(Part):
    """A knob. switch: a ruling that could go the other way. luck: weighted dice and cards, bad shuffles."""

    knob: str
    kind: str
    default: KnobValue
    allowed: str
    unit: str
    rules: tuple[str, ...]
    switch: bool
    luck: bool
    help: str


class Knobs(Answer, form="knobs", source="simlab info GAME knobs"):
    game: str
    knobs: tuple[KnobLine, ...]


class BotLine(Part):
    """A bot.

    Attributes:
        kind: `rules`, `search` (plays ahead in imagined games) or `composite` (made of other bots).
        uses_chance: whether it draws random numbers. remembers: whether its choice depends on more than the position;
            this is false for all bots of the lab.
    """

    bot: str
    seats: tuple[str, ...]
    help: str
    kind: str
    uses_chance: bool
    remembers: bool = False
    looks_ahead: bool
    traits: dict[str, Trait]


class Bots(Answer, form="bots", source="simlab info GAME bots"):
    game: str
    bots: tuple[BotLine, ...]


class StatisticLine(Part):
    """A statistic that a contract can name. share: whether it is a share of games, 0 to 1 in a contract."""

    figure: str
    words: str
    unit: str
    share: bool
    help: str
    intervals: str


class Statistics(Answer, form="figures", source="simlab info GAME statistics"):
    """The statistics of a game. quantiles: which other quantiles exist."""

    game: str
    players: int
    figures: tuple[StatisticLine, ...]
    quantiles: str


class TableLine(Part):
    """A card table. rows_allowed: fewest and most rows. reconstructed: rows that the rulebook does not list."""

    table: str
    rows: int
    columns: tuple[str, ...]
    rows_allowed: tuple[int, int]
    reconstructed: int


class CardTables(Answer, form="tables", source="simlab info GAME tables"):
    """The card tables of a game. copied: files written by --copy."""

    game: str
    tables: tuple[TableLine, ...]
    copied: tuple[str, ...] = ()


class ColumnLine(Part):
    """A column of a file that a run writes."""

    column: str
    type: str
    help: str


class Columns(Answer, form="columns", source="simlab info GAME columns"):
    """The columns of the games of a run, or of moves. game: None for columns that are the same in all games."""

    game: str | None
    columns: tuple[ColumnLine, ...]


class DecisionLine(Part):
    """A kind of decision. options: their names, as `--ban` takes them, including the cards of a market row."""

    decision: str
    name: str
    options: tuple[str, ...]


class Decisions(Answer, form="decisions", source="simlab info GAME decisions"):
    """The kinds of decisions of a game, with what `--ban` can take away from them."""

    game: str
    decisions: tuple[DecisionLine, ...]


class ExperimentLine(Part):
    """A ready experiment."""

    experiment: str
    game: str
    question: str


class Experiments(Answer, form="experiments", source="simlab info experiments"):
    experiments: tuple[ExperimentLine, ...]


class ScenarioLine(Part):
    """A ready scenario."""

    scenario: str
    game: str
    title: str
    steps: int


class Scenarios(Answer, form="scenarios", source="simlab info scenarios"):
    scenarios: tuple[ScenarioLine, ...]


class MetricLine(Part):
    """A metric of an installed package. source: the package."""

    metric: str
    help: str
    unit: str
    by_seat: bool
    source: str


class Metrics(Answer, form="metrics", source="simlab info metrics"):
    metrics: tuple[MetricLine, ...]


class FormLine(Part):
    """A form of JSON answers or table files. of: the command that prints or writes it."""

    schema_name: str
    version: int
    kind: str
    of: str


class Forms(Answer, form="schemas", version=2, source="simlab info schemas"):
    """All forms of answers and files with their versions."""

    schemas: tuple[FormLine, ...]


def games() -> Games:
    """All games; one that cannot be loaded is reported on standard error and left out."""
    lines = []
    for slug, entry in registry.find_games().items():
        try:
            game = entry.load()
        except InputError as mistake:
            if entry.source == "simlab":
                raise
            registry.warn_of(mistake)
            continue
        counts = {"rules": len(game.rules), "knobs": len(game.knobs)}
        lines.append(GameLine.from_attributes(game, game=slug, source=entry.source, **counts))
    return Games(games=tuple(sorted(lines, key=lambda line: line.small)))


def rules(game: Game, match: Match | None = None, games: int = 0, seed: int = 1) -> Rules:
    """The ledger; with a match, also how often each rule fires in some of its games."""
    lines = [RuleLine.from_attributes(rule) for rule in game.rules]
    if match is None:
        return Rules(game=game.slug, rules=tuple(lines))
    tally = match.play(seed, 0, games).tally
    lines = [
        line.model_copy(update={"fired": int(fired), "games": int(seen)})
        for line, fired, seen in zip(lines, tally.fired, tally.fired_games, strict=True)
    ]
    bots = line_up({bot.seat: bot.text for bot in match.bots})
    return Rules(game=game.slug, games_played=games, line_up=bots, rules=tuple(lines))


def knobs(game: Game) -> Knobs:
    every = (*game.knobs.values(), *game.knobs.luck.values())
    lines = (KnobLine.from_attributes(knob, knob=knob.name) for knob in every)
    return Knobs(game=game.slug, knobs=tuple(lines))


def bots(game: Game) -> Bots:
    """The bots, those of all games last."""
    known = find_bots(game)
    searches = {name: policy for name, policy in searching_bots().items() if name not in known}
    composites = mixing_bots(example_bot(game))
    kinds = (("rules", dict(sorted(known.items()))), ("search", searches), ("composite", composites))
    lines = (_bot(game, kind, policy) for kind, policies in kinds for policy in policies.values())
    return Bots(game=game.slug, bots=tuple(lines))


def _bot(game: Game, kind: str, policy: Policy) -> BotLine:
    chance = kind == "search" or policy.name in ("mix", "noisy") or draws(policy.function)
    return BotLine(
        bot=policy.name, seats=policy.seats or game.seats, help=" ".join(policy.help.split()), kind=kind,
        uses_chance=chance, looks_ahead=kind == "search", traits=dict(policy.traits),
    )  # fmt: skip


def draws(function: Any) -> bool:
    """Whether a bot's code can draw random numbers, that is, whether it can reach `streams.bot_below`."""
    drawing = {_plain(streams.bot_below), _plain(streams.below), _plain(streams.word)}
    seen: set[FunctionType] = set()
    pending = [_plain(function)]
    while pending:
        code = pending.pop()
        if code in drawing:
            return True
        if isinstance(code, FunctionType) and code not in seen:
            seen.add(code)
            pending += [_plain(value) for value in _globals(code)]
    return False


def _plain(function: Any) -> Any:
    return getattr(function, "py_func", getattr(function, "function", function))


def _globals(function: FunctionType) -> Iterator[Any]:
    names = function.__code__.co_names
    for name in names:
        value = function.__globals__.get(name)
        if callable(value):
            yield value
        elif value is not None and hasattr(value, "__file__"):  # a module: its functions are named after it
            yield from (member for other in names if callable(member := getattr(value, other, None)))


def statistics(game: Game) -> Statistics:
    figures = figures_of(game)
    lines = tuple(StatisticLine.from_attributes(f, figure=f.name, share=f.is_rate) for f in figures.values())
    return Statistics(game=game.slug, players=len(game.seats), figures=lines, quantiles=figures.pattern_words)


def tables(game: Game, copied: Iterable[Path] = ()) -> CardTables:
    lines = (
        TableLine(
            table=t.name, rows=len(game.own_tables[t.name]), columns=tuple(c.name for c in t.columns),
            rows_allowed=t.rows, reconstructed=sum(r.get("source") == "reconstructed" for r in game.own_tables[t.name]),
        )
        for t in game.tables
    )  # fmt: skip
    return CardTables(game=game.slug, tables=tuple(lines), copied=tuple(map(str, copied)))


def copy_tables(game: Game, folder: Path) -> list[Path]:
    """Copies the CSV files of a game.

    Raises:
        InputError: a file exists, which may have been edited, or the folder cannot be written.
    """
    files = [folder / f"{t.name}.csv" for t in game.tables]
    there = [file for file in files if file.exists()]
    if there:
        raise InputError(f"{there[0]} exists, and may have been edited. Name another folder, or move it away.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            file.write_bytes((game.folder / file.name).read_bytes())
    except OSError as fault:
        raise InputError(f"--copy {folder}: cannot be written ({fault.strerror}). Name another folder.") from None
    return files


def columns(game: Game) -> Columns:
    from simlab.runs.store import row_columns

    lines = (ColumnLine(column=c.name, type=c.kind, help=c.help) for c in row_columns(game))
    return Columns(game=game.slug, columns=tuple(lines))


def decisions(game: Game) -> Decisions:
    lines = (
        DecisionLine(
            decision=kind.id, name=kind.name,
            options=tuple(map(bans.word, (*bans.names_of(game, number), *bans.cards_named(game, number)))),
        )
        for number, kind in enumerate(game.decisions)
    )  # fmt: skip
    return Decisions(game=game.slug, decisions=tuple(lines))


def move_columns() -> Columns:
    """The columns of the moves of games, the same for all games."""
    from simlab.runs.moves import COLUMNS, kinds

    lines = (ColumnLine(column=name, type=str(kind), help=COLUMNS[name]) for name, kind in kinds().items())
    return Columns(game=None, columns=tuple(lines))


def experiments() -> Experiments:
    lines = []
    for name, path in ready_experiments().items():
        data = read_toml(path)
        head = data.get("experiment", {})
        if "extends" in data:
            head = {**read_toml(path.parent / data["extends"]).get("experiment", {}), **head}
        lines.append(ExperimentLine(experiment=name, game=head.get("game", ""), question=head.get("question", "")))
    return Experiments(experiments=tuple(lines))


def scenarios() -> Scenarios:
    from simlab.runs.scenario import load_scenario, ready_scenarios

    loaded = {name: load_scenario(name) for name in ready_scenarios()}
    lines = (ScenarioLine.from_attributes(one, scenario=name, steps=len(one.steps)) for name, one in loaded.items())
    return Scenarios(scenarios=tuple(lines))


def metrics() -> Metrics:
    """The metrics of installed packages; one that cannot be loaded is reported on standard error and left out."""
    lines = []
    for name, point in sorted(registry.find_metrics().items()):
        try:
            own = registry.load_metrics(name)[0]
        except InputError as mistake:
            registry.warn_of(mistake)
            continue
        source = point.dist.name if point.dist else "?"
        lines.append(MetricLine.from_attributes(own.metric, metric=name, by_seat=own.by_seat, source=source))
    return Metrics(metrics=tuple(lines))


def forms() -> Forms:
    from simlab.questions import answer_types
    from simlab.runs.table_file import TABLES

    known = {name: (answer.version, answer.source) for name, answer in answer_types().items()}
    lines = [FormLine(schema_name=name, version=v, kind="JSON", of=f"{of} --json") for name, (v, of) in known.items()]
    lines += [FormLine(schema_name=name, version=v, kind="table", of=of) for name, (v, of) in TABLES.items()]
    return Forms(schemas=tuple(lines))


class Overview(Answer, form="game", source="simlab info GAME"):
    """A game at a glance. rules, knobs, bots, tables: number of each."""

    game: str
    title: str
    summary: str
    seats: tuple[str, ...]
    players: tuple[int, int]
    endings: tuple[str, ...]
    default_bot: str
    rules: int
    knobs: int
    bots: int
    statistics: int
    tables: int
    columns: int
    decisions: int


class Distances(Answer, form="distances", version=2, source="simlab info GAME bots --distance"):
    """Pairs of bots, and how often they choose differently."""

    game: str
    distances: tuple[DistanceLine, ...]


class Fingerprints(Answer, form="fingerprints", source="simlab info GAME bots --fingerprint"):
    """Choices of bots in fixed positions (simlab.questions.info.bot_behaviour.Fingerprint)."""

    game: str
    fingerprints: tuple[Fingerprint, ...]


def overview(name: str, game: Game) -> Overview:
    """A game at a glance. name: as the user named it."""
    return Overview.from_attributes(
        game, game=name, rules=len(game.rules), knobs=len(game.knobs), bots=len(bots(game).bots),
        statistics=len(statistics(game).figures), tables=len(game.tables), columns=len(columns(game).columns),
        decisions=len(game.decisions),
    )  # fmt: skip


def distances(match: Match, texts: str, seat: str | None, games: int, seed: int) -> Distances:
    """Compares the choices of bots, two by two; arguments as simlab.questions.info.bot_behaviour.distance."""
    able = _able(match.game, texts, seat, 2).items()
    pairs = [(name, *pair) for name, named in able for pair in combinations(named, 2)]
    lines = tuple(distance(match, name, one, other, games, seed) for name, one, other in pairs)
    return Distances(game=match.game.slug, distances=lines)


def fingerprints(match: Match, texts: str, seat: str | None, games: int, seed: int) -> Fingerprints:
    """The choices of bots in fixed positions; arguments as simlab.questions.info.bot_behaviour.fingerprint."""
    able = _able(match.game, texts, seat, 1)
    taken = [fingerprint(match, name, text, games, seed) for name, named in able.items() for text in named]
    return Fingerprints(game=match.game.slug, fingerprints=tuple(taken))


def _able(game: Game, texts: str, seat: str | None, least: int) -> dict[str, list[str]]:
    """Seat -> the bots that can take it, for the seats that at least this many bots can take."""
    named = list(dict.fromkeys(text for text in split_outside(texts, ",") if text))
    able: dict[str, list[str]] = {name: [] for name in ([seat] if seat else game.seats)}
    for text in named:
        if seat:
            load_bot(game, seat, text)
        for name in [seat] if seat else seats_for(game, text):
            able[name].append(text)
    able = {name: of_seat for name, of_seat in able.items() if len(of_seat) >= least}
    if not able:
        raise InputError(f"{', '.join(named) or 'no bot'}: name {least} bots or more that can take the same seat.")
    return able
