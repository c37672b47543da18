"""Experiment files: a designer's question as TOML, validated when it is read.

    experiment = load_experiment("experiments/simple_siege_walls.toml", overrides=["sally_penalty=2"])
    for cell in cells(experiment): ...

A file's tables: [experiment] (name, game, games per cell, seed, question), [bots] (a seat's bot, or a list: all
match-ups), [knobs], [vary], [cards], [contract], [stop]; and `extends = "base.toml"` on top. Every error is an
InputError that names file, table and key, and the allowed values.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from simlab import shell
from simlab.bot_registry import bots_for, load_bot
from simlab.engine.outcome import figures_of
from simlab.engine.setup import game_text
from simlab.errors import InputError, first_few, nearest
from simlab.game import Game, Knob, KnobValue, Tables
from simlab.registry import at_table, find_games, is_game, load_game
from simlab.runs.tournament import round_robin
from simlab.spec.design import (
    DRAWN,
    PLAYERS,
    SAMPLED,
    SEQUENCES,
    Axis,
    Point,
    neighbourhood,
    players_knob,
    points,
    read_axis,
    sequence_of,
    show_point,
    show_value,
    shown,
)
from simlab.spec.draft import (
    Changes,
    Draft,
    Origin,
    anchor,
    change,
    is_experiment,
    metric_ref,
    probe,
    read_assignments,
    read_bot_options,
    read_file,
    ready_experiments,
    validate,
)
from simlab.spec.experiment import Experiment, ExperimentFile, Goal
from simlab.spec.folder_names import mark_of, slug
from simlab.spec.knobs import WholeKnob
from simlab.spec.refs import BotRef, GameRef
from simlab.stats.figure import win_name
from simlab.stats.screening import FEWEST as FEWEST_WALKS
from simlab.stats.sensitivity import FEWEST

if TYPE_CHECKING:
    from simlab.engine.match import Match

_WHOLE_DESIGNS = ("one_at_a_time", "saltelli", "morris")  # methods whose answer needs all of their points


def load_experiment(
    path: str | Path, overrides: Sequence[str] | Mapping[str, object] = (), **changes: Unpack[Changes]
) -> Experiment:
    """Reads an experiment file, with the changes of a shell or a notebook.

    Args:
        path: the file, or the name of a ready experiment (`ready_experiments`).
        overrides: knobs, as `["walls_start=6"]` or `{"walls_start": 6}`. changes: see simlab.spec.draft.Changes.
    Raises:
        InputError: an error in the file; the message names file, table and key, and the allowed values.
    """
    source = find_file(path)
    draft = read_file(source, [])
    draft.source = source
    before = {table: dict(held) for table, held in draft.tables.items() if isinstance(held, dict)}
    change(draft, overrides, changes)
    return _Reader(draft).experiment().replace(mark=_mark(before, draft))


def find_file(path: str | Path) -> Path:
    """The file, or the ready experiment of that name."""
    asked, ready = Path(path), ready_experiments()
    if str(path) in ready:  # a ready experiment wins over a file that happens to have its name, without a suffix
        return ready[str(path)]
    probe(asked, str(path))
    game = GameRef.parse(str(path)).name
    if game in find_games() or (is_game(Path(game)) and Path(game).exists()):
        raise InputError(
            f"{path}: is a game, not an experiment file. Play it with `simlab sweep {shell.quote(str(path))}`, or "
            f"write a file mine.toml with [experiment], name = 'mine', game = '{game}' and a [contract] "
            "(docs/verdicts.md)."
        )
    if asked.is_file():
        return asked
    if asked.exists():
        raise InputError(f"{path}: is not a file. Give an experiment file (TOML).")
    renamed = str(path).replace("_mend", "_fixes")
    if renamed != str(path) and renamed in ready:
        raise InputError(f"the ready experiment {path} is now {renamed}.")
    near = asked.parent if asked.parent.is_dir() else Path()
    known = [str(p) for p in sorted(near.glob("*.toml"))] + [*ready, *find_games()]
    raise InputError(f"{path}: there is no such file. {nearest(str(path), known)}")


def open_experiment(which: str | Path, **changes: Any) -> Experiment:
    """An experiment file, a ready experiment by its name, or a game: its printed rules and its default bots.

    Changes and errors: as of `load_experiment`.
    """
    if names_game(which):
        return new_experiment(str(which), **changes, fill_seats=True)
    return load_experiment(which, **changes)


def names_game(which: str | Path) -> bool:
    """Whether a text names a game, and not an experiment."""
    ref = GameRef.parse(str(which))
    return (ref.is_path and is_game(Path(ref.name))) or (
        ref.name in find_games() and ref.name not in ready_experiments()
    )


def new_experiment(
    game: str, overrides: Sequence[str] | Mapping[str, object] = (), *, fill_seats: bool = False,
    **changes: Unpack[Changes],
) -> Experiment:  # fmt: skip
    """An experiment without a file. Errors: as of `load_experiment`.

    Args:
        game: slug of a game, or the path of its folder. overrides, changes: as for `load_experiment`.
        fill_seats: whether seats that `bots` leaves out get the game's default bot; if not, they are an error.
    """
    draft = Draft()
    draft.put("experiment", "game", game, Origin("", Path.cwd()))
    draft.fill_seats = fill_seats
    change(draft, overrides, changes)
    return _Reader(draft).experiment()


def _mark(before: Mapping[str, Mapping[str, object]], draft: Draft) -> str:
    """The mark of the changes to a file. A larger number of games or a wider range is still the same experiment."""
    changes = {}
    for table in ("bots", "knobs", "vary", "cards", "experiment"):
        for key, value in (draft.tables.get(table) or {}).items():
            if table == "experiment" and key not in ("seed", "players", "metrics"):
                continue
            if _texts(before.get(table, {}).get(key)) != _texts(value):
                words = [Path(str(value)).name] if table == "cards" else _texts(value)
                words = [text.rpartition(":")[2] for text in words] if key == "metrics" else words
                changes[key] = "" if table == "vary" else ",".join(words)
    return mark_of(changes)


def _texts(value: object) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


class _Reader:
    """Reads an experiment from its draft: game, card tables, knobs, points and bots, each of which the next ones need.

    Attributes:
        space: the entries of [vary]. tables: all card tables; None if none is replaced.
        sizes: player counts, ascending, if they vary; `game` is then at the largest.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft, self.file = draft, validate(draft)
        self.space: dict[str, Any] = (self.file.vary and self.file.vary.__pydantic_extra__) or {}
        self.tables: Tables | None = None
        self.sizes: tuple[int, ...] = ()

    def experiment(self) -> Experiment:
        draft, file = self.draft, self.file
        table, vary = file.experiment, file.vary
        written, metrics = self._read_game()
        self.file = file = self._spread_bots()
        cards = self._read_cards()
        self.knobs = knobs = self._read_knobs()
        axes = self._read_axes()
        rows, sequence = self._read_rows(axes)
        sizes = self.sizes = tuple(sorted({int(row[PLAYERS]) for row in rows})) if self.sizes else ()  # drawn, perhaps
        rows = self._check_points(rows)
        bots, refs = self._read_bots()
        self._check_contract()
        self._check_stop()
        remedies = self._read_remedies()
        first = {n: v for n, v in rows[0].items() if not (sizes and n == PLAYERS)}
        name = table.name or slug(draft.source.stem if draft.source else self.game.slug) or "experiment"
        self._check_ladder(bots)
        about = table.model_dump() | {"name": name, "game": str(written), "metrics": [text for text, _ in metrics]}
        return Experiment.model_construct(
            **about,
            game_ref=str(self.ref),
            bots=bots,
            bot_refs=refs,
            knobs=knobs,
            method=vary.method if vary else "grid",
            rows=rows,
            space=dict(self.space or {axis.knob.name: list(axis.values) for axis in axes}),
            points=vary.points if vary else None,
            sequence=sequence,
            tournament=file.tournament and file.tournament.model_copy(update={"bots": ["*"]}),  # they are in `bots`
            cards=dict(file.cards),
            card_files=cards,
            contract=dict(file.contract),
            stop=file.stop,
            remedies=remedies,
            remedy_games=file.remedies.games if file.remedies else 0,
            sizes=sizes,
            metric_refs=tuple(own for _, own in metrics),
            base=self.game.resolve_knobs({**knobs, **first}, self.tables),
            source=draft.source,
        )

    # --- game and card tables

    def _read_game(self) -> tuple[GameRef, list[tuple[str, str]]]:
        """Loads the game at its largest player count, its reference, and custom metrics (as written and resolved)."""
        draft, table = self.draft, self.file.experiment
        named = GameRef.parse(table.game)
        written = replace(named, metrics=()).with_players(table.players or None)
        ref, origin = written, draft.origin("experiment", "game")
        if ref.is_path:
            ref = replace(ref, name=str(anchor(ref.name, origin, "game")))
        else:
            probe(Path(str(ref)), str(ref))  # a slug may also be the name of a folder here
        self.ref = ref
        with draft.naming("experiment", "players" if table.players else "game"):
            self.game = load_game(ref)
        own = [(str(one), "game") for one in named.metrics] + [(text, "metrics") for text in table.metrics]
        metrics = [(text, metric_ref(text, draft.origin("experiment", key))) for text, key in own]
        if own:
            with draft.naming("experiment", own[-1][1]):
                self.game = load_game(ref.measured(own for _, own in metrics))
        if PLAYERS in self.space and self.game.players[1]:
            where = draft.at("vary", PLAYERS)
            if ref.players:
                raise InputError(
                    f"players is set ({draft.at('experiment', 'players') or written}) and varied ({where}): it cannot "
                    "be both. Take it out of one of them."
                )
            method = self.file.vary.method if self.file.vary else "grid"
            axis = read_axis(players_knob(self.game, where), self.space[PLAYERS], where, method)
            self.sizes = sizes_of(self.game, [int(value) for value in axis.values], method, where)
            self.game = load_game(ref.with_players(self.sizes[-1]).measured(own for _, own in metrics))
        return written, metrics

    def _read_cards(self) -> dict[str, Path]:
        """The files of replaced tables; reads all tables if there are any."""
        draft, game = self.draft, self.game
        files: dict[str, Path] = {}
        for name, text in self.file.cards.items():
            with draft.naming("cards", name):
                schema = game.table(name)
                path = files[name] = anchor(text, draft.origin("cards", name), "table")
                if path.exists() and not path.is_file():
                    raise InputError(f"{path}: is not a file. A table is a CSV file.")
                schema.read(path)
        if files:
            self.tables = game.read_tables(files)
            with draft.naming("cards", next(iter(files))):
                game.pack(self.tables, files)
                _ = self.defaults  # a default from a replaced table has a range too
        return files

    # --- knobs and points

    @property
    def defaults(self) -> Point:
        return {name: knob.default for name, knob in self.game.knobs_with(self.tables).items()}

    def _knob(self, name: str, where: str) -> Knob:
        knobs = self.game.knobs_with(self.tables)
        if name == PLAYERS and name not in knobs:
            raise InputError(
                f"{where}: players is not a knob but the player count: --players 5, or players = 5 in [experiment]."
            )
        if name not in knobs:
            raise InputError(f"{where}: {self.game.slug} has no knob '{name}'. {nearest(name, knobs)}")
        return knobs[name]

    @property
    def _example(self) -> str:
        knobs = self.game.knobs.values()
        whole = (knob for knob in knobs if isinstance(knob, WholeKnob) and knob.low < knob.high)
        return next((f'{knob.name} = "{knob.example}"' for knob in whole), 'knob = "*"')

    def _read_knobs(self) -> Point:
        knobs: Point = {}
        for name, value in self.file.knobs.items():
            where = self.draft.at("knobs", name)
            knob = self._knob(name, where)
            if isinstance(value, list | dict):
                raise InputError(
                    f"{where}: {name} = {shown(value)} is not allowed: {name} takes {knob.allowed}. "
                    "Several values belong in [vary]."
                )
            knobs[name] = knob.parse(value, where)
        return knobs

    def _read_axes(self) -> list[Axis]:
        vary, draft, game = self.file.vary, self.draft, self.game
        if vary is None:
            return []
        if not self.space and vary.method == "one_at_a_time":
            knobs = game.knobs_with(self.tables)
            base = {**self.defaults, **self.knobs}
            steps, _ = neighbourhood(game, base, set(knobs) - set(self.knobs), knobs=knobs)
            return [Axis(knobs[name], tuple(values)) for name, values in steps.items()]
        if not self.space:
            raise InputError(
                f"{draft.at('vary', 'method')}: names no knobs. Write one with its range, such as "
                f"{self._example}, or leave [vary] out."
            )
        for name in self.space:
            if name in self.file.knobs:
                set_at, varied_at = draft.at("knobs", name), draft.at("vary", name)
                raise InputError(
                    f"{name} is set ({set_at}) and varied ({varied_at}): it cannot be both. Take it out of "
                    f"one of them; to vary over one value: --vary {name}={show_value(self.file.knobs[name])}."
                )
        at = draft.at("vary", "points" if vary.points is not None else "method")
        if vary.method in SAMPLED and vary.points is None:
            raise InputError(f'{at}: method = "{vary.method}" needs points, the number of points to draw: points = 64.')
        if vary.method not in SAMPLED and vary.points is not None:
            raise InputError(
                f'{at}: points is for methods that draw ({", ".join(SAMPLED)}); this is "{vary.method}". Take points '
                "out."
            )
        if why := _why_not(vary.method, vary.points or 0):
            raise InputError(f"{at}: points = {vary.points} is not allowed: {why}")
        axes = []
        for name, given in self.space.items():
            where = draft.at("vary", name)
            sized = name == PLAYERS and name not in game.knobs
            axis = read_axis(players_knob(game, where) if sized else self._knob(name, where), given, where, vary.method)
            if vary.method == "morris" and not axis.jumps:
                raise InputError(
                    f"{where}: {name} takes one value, so it cannot move. Name more, or put it in [knobs]."
                )
            axes.append(axis)
        return axes

    def _read_rows(self, axes: list[Axis]) -> tuple[tuple[Point, ...], tuple[int, ...]]:
        """The points (an empty one if nothing varies); for a method in SEQUENCES, also the place of each point."""
        vary, seed = self.file.vary, self.file.experiment.seed
        if vary is None:
            return ({},), ()
        method, number = vary.method, vary.points or 0
        rows = points(axes, method, number, seed, self.draft.at("vary"), self.defaults)
        if method not in SEQUENCES:
            return rows, ()
        place = {tuple(row.values()): i for i, row in enumerate(rows)}
        return rows, tuple(place[row] for row in sequence_of(axes, method, number, seed))

    def _check_points(self, rows: tuple[Point, ...]) -> tuple[Point, ...]:
        """Refuses points whose knobs contradict each other; if points are drawn, such points are left out instead."""
        draft, tables = self.draft, self.tables
        drawn = self.file.vary is not None and self.file.vary.method in DRAWN
        ref = GameRef.parse(game_text(self.game))
        at_size = {size: load_game(ref.with_players(size)) for size in self.sizes}
        base = {**self.defaults, **self.knobs}
        bad: list[tuple[Point, list[str]]] = []
        good = []
        for row in rows:
            own = {name: value for name, value in row.items() if not (at_size and name == PLAYERS)}
            game = at_size[int(row[PLAYERS])] if at_size else self.game
            faults = game.faults_of({**base, **own}, tables)
            if faults:
                bad.append((row, faults))
            else:
                good.append(row)
        if not bad or (drawn and good):
            return tuple(good)
        row, faults = bad[0]
        why = first_few(faults)
        if not row:
            at = " and ".join(dict.fromkeys(draft.at("knobs", name) for name in self.knobs)) or draft.main.label
            raise InputError(f"{at}: {why}" if at else why)
        where = " and ".join(dict.fromkeys(draft.at("vary", name) for name in row))
        raise InputError(
            f"{where}: {len(bad):,} of {len(rows):,} points contradict themselves, the first at "
            f"{', '.join(show_point(row))}: {why} Narrow a range, set another knob so that all fit, or name "
            'only the points that fit, with method = "list".'
        )

    # --- bots

    def _spread_bots(self) -> ExperimentFile:
        """The file, with the bots of "*" assigned to each seat without bots of its own."""
        named = dict(self.file.bots)
        texts = named.pop("*", None)
        for seat in self.game.seats if texts else ():
            if seat not in named:
                named[seat] = texts or []
                self.draft.origins["bots", seat] = self.draft.origin("bots", "*")
        return self.file.model_copy(update={"bots": named})

    def _read_bots(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
        """The bots of every seat: as written, and in a form that loads from any folder."""
        draft, game, tournament = self.draft, self.game, self.file.tournament
        named = dict(self.file.bots)
        for seat in named:
            if seat not in game.seats:
                raise InputError(
                    f"{draft.at('bots', seat)}: {game.slug} has no seat '{seat}'. {nearest(seat, game.seats)}"
                )
        if tournament is not None and set(named) != set(game.seats):
            origin = draft.origin("tournament", "bots")
            with draft.naming("tournament", "bots"):
                named |= round_robin(game, tournament.bots, named, lambda text: _bot_ref(text, origin))
        missing = [seat for seat in game.seats if seat not in named]
        if missing and not draft.fill_seats:
            at = f"{draft.at('bots')}: " if draft.at("bots") else ""
            raise InputError(
                f'{at}no bot for {" and ".join(missing)}. Name one, as {missing[0]} = "{game.default_bot}" under '
                f"[bots] or --bot {missing[0]}={game.default_bot}."
            )
        bots, refs = {}, {}
        for seat in game.seats:
            table, key = ("bots", seat) if seat in self.file.bots or tournament is None else ("tournament", "bots")
            with draft.naming(table, key):
                pairs = _bots_of(game, seat, named.get(seat, [game.default_bot]), draft.origin(table, key))
            bots[seat], refs[seat] = tuple(pairs), tuple(pairs.values())
        return bots, refs

    # --- goals

    def _check_ladder(self, bots: Mapping[str, Sequence[str]]) -> None:
        tournament = self.file.tournament
        if tournament is None or not tournament.ladder:
            return
        if tournament.match_ups is not None:
            raise InputError("[tournament] ladder and match_ups: a ladder names its match-ups itself. Leave one out.")
        if len(set(map(len, bots.values()))) > 1:
            counts = ", ".join(f"{seat} {len(texts)}" for seat, texts in bots.items())
            raise InputError(
                f"[tournament] ladder: each seat has as many bots as the others, weakest first. Here: {counts}."
            )

    def _check_contract(self) -> None:
        figures = figures_of(self.game)
        for name, goal in self.file.contract.items():
            at = self.draft.at("contract", name)
            figure = figures.find(name, at)
            bounds = goal.model_dump(exclude_none=True)
            if set(bounds) != {"target", "margin"} and not (bounds and set(bounds) <= {"min", "max"}):
                given = ", ".join(bounds) or "nothing"
                raise InputError(
                    f"{at}: {name} has {given}. A statistic takes {{target = .., margin = ..}} or "
                    "{min = .., max = ..}, of the latter one or both."
                )
            if goal.margin is not None and goal.margin <= 0:
                raise InputError(f"{at}: {name}: margin = {goal.margin:g} is not allowed: a margin is above 0.")
            if goal.min is not None and goal.max is not None and goal.min > goal.max:
                raise InputError(
                    f"{at}: {name}: min = {goal.min:g} is above max = {goal.max:g}: nothing can meet that."
                )
            for key, value in bounds.items():
                if figure.is_rate and key != "margin" and not 0 <= value <= 1:
                    raise InputError(
                        f"{at}: {name}: {key} = {value:g} is not allowed: a share is in 0..1; 50 % is 0.5."
                    )

    def _read_remedies(self) -> tuple[Point, ...]:
        """The single changes of [remedies], except those that change nothing."""
        file, game = self.file, self.game
        if file.remedies is None:
            return ()
        space = file.remedies.__pydantic_extra__ or {}
        at = self.draft.at("remedies", "games")
        if len(game.seats) > 2:
            raise InputError(
                f"{at}: [remedies] is judged in best play, which is worked out for one seat or two; {game.slug} has "
                f"{len(game.seats)}. Take it out, and vary the knobs in [vary]."
            )
        survival = win_name(game.seats[0])
        if len(game.seats) == 1 and file.contract.get(survival, Goal()).target is None:
            raise InputError(
                f"{at}: [remedies] in a game of one seat needs to know how often it should be won: "
                f"{survival} = {{target = 0.5, margin = 0.05}} under [contract]."
            )
        if file.tournament is not None and (file.tournament.ladder or file.tournament.match_ups is not None):
            raise InputError(f"{at}: [remedies] needs all match-ups: take ladder or match_ups out of [tournament].")
        if file.vary is not None:
            raise InputError(
                f"{at}: [remedies] starts from one setting, and [vary] has several. Leave one of them out."
            )
        if not space:
            raise InputError(f"{at}: names no knob. Write one with the values to try, as {self._example}.")
        base = {**self.defaults, **self.knobs}
        changes: list[Point] = []
        for name, given in space.items():
            where = self.draft.at("remedies", name)
            for value in read_axis(self._knob(name, where), given, where).values:
                if value != base.get(name):
                    if faults := game.faults_of({**base, name: value}, self.tables):
                        raise InputError(f"{where}: {name} = {value}: {first_few(faults)}")
                    changes.append({name: value})
        return tuple(changes)

    def _check_stop(self) -> None:
        stop, games = self.file.stop, self.file.experiment.games
        if stop is not None and stop.max_games < games:
            at, games_at = self.draft.at("stop", "max_games"), self.draft.at("experiment", "games")
            raise InputError(
                f"{at}: max_games = {stop.max_games:,} is below games = {games:,} ({games_at}). A cell plays "
                "`games` and continues to `max_games` until it is precise: raise one or lower the other."
            )


def _why_not(method: str, points: int) -> str:
    """The reason why a method does not draw this number of points; empty if it does, or draws none."""
    if method == "morris" and points < FEWEST_WALKS:
        return f"so few trajectories give no standard error. Write 10 or 20; {FEWEST_WALKS} is the least."
    if method == "saltelli" and points < FEWEST:
        return f"too few base points for Sobol's indices. Write {FEWEST} or {2 * FEWEST}."
    if method in ("sobol", "saltelli") and points & (points - 1):
        below = 1 << (points.bit_length() - 1)
        return f"a Sobol sequence is balanced at powers of two. Write {below} or {2 * below}."
    return ""


def _bot_ref(text: str, origin: Origin) -> str:
    ref = BotRef.parse(text)
    return str(ref.with_files(lambda file: str(anchor(file, origin, "bot")))) if ref.files else text


def _bots_of(game: Game, seat: str, texts: list[str], origin: Origin) -> dict[str, str]:
    """Bot as written -> its text that loads from any folder, with `*` expanded and each bot only once."""
    refs: dict[str, str] = {}
    seen: dict[Any, str] = {}
    for text in itertools.chain.from_iterable(bots_for(game, seat) if text == "*" else [text] for text in texts):
        ref = _bot_ref(text, origin)
        bot = load_bot(game, seat, ref)
        first = seen.setdefault((bot.policy.module, bot.policy.name, bot.traits.tobytes()), text)
        if first != text:
            raise InputError(f"'{first}' and '{text}' are the same bot. Name each bot once.")
        if text in refs:
            raise InputError(f"'{text}' is given twice. Name each bot once.")
        refs[text] = ref
    return refs


# --- Several numbers of players in one run ---


def sizes_of(game: Game, sizes: Sequence[int], method: str, where: str) -> tuple[int, ...]:
    """The player counts of a run, ascending; InputError if its settings contradict each other."""
    if method in _WHOLE_DESIGNS:
        raise InputError(f'{where}: players cannot vary with method = "{method}": run each player count separately.')
    ascending = tuple(sorted(set(sizes)))
    ref = GameRef.parse(game_text(game))
    *smaller, largest = [load_game(ref.with_players(size)) for size in ascending]
    for table in smaller:
        pairs = [*itertools.zip_longest(table.seat_categories, largest.seat_categories)]
        kinds = all(a and b and (a.name, a.values) == (b.name, b.values[: len(a.values)]) for a, b in pairs)
        seats = table.seats == largest.seats[: len(table.seats)]
        reports = [[(m.name, m.never, dict(m.codes)) for m in one.metrics] for one in (table, largest)]
        apart = [
            (seats, "the seats of the smaller table are not the first ones of the larger"),
            (table.endings == largest.endings, "they end in different ways"),
            (table.has_scores == largest.has_scores, "only one of them keeps scores"),
            (kinds, "what a seat can be (seat_categories) at the smaller table is not the first of the larger's"),
            (reports[0] == reports[1], "they report other metrics"),
            (table.knobs == largest.knobs, "they have other knobs"),
        ]
        if why := next((why for alike, why in apart if not alike), ""):
            raise InputError(
                f"{where}: {game.slug} cannot be played by {len(table.seats)} and by {len(largest.seats)} in one run: "
                f"{why}. Play them one by one, with --players."
            )
    return ascending


# --- A game, or a file in its place, with the options of a command ---


@dataclass(frozen=True)
class Variant:
    """A game with its settings: those of an experiment file, and the options, which override them."""

    ref: str  #: of the game, as `load_game` takes it
    name: str  #: of the experiment, or of the game as the user wrote it
    file: bool  #: whether a file was read
    seed: int
    knobs: Mapping[str, KnobValue]  #: that are set
    tables: Mapping[str, Path]  #: card tables that are replaced, with their files
    named: Mapping[str, list[str]]  #: the bots that are named: seat or "*" -> bots
    metrics: Sequence[str] = ()  #: of the options
    games: int | None = None  #: this and the next two: of a file
    vary: Mapping[str, Any] | None = None  #: the entries of [vary], of a grid
    contract: Mapping[str, Mapping[str, float]] | None = None  #: statistic -> its clause

    @cached_property
    def game(self) -> Game:
        return load_game(GameRef.parse(self.ref).measured(self.metrics))

    @property
    def set_(self) -> list[str]:
        """Each knob as `name=value`, for error messages."""
        return [f"{name}={show_value(value)}" for name, value in self.knobs.items()]

    @property
    def cards(self) -> list[str]:
        """The card tables as options."""
        return [f"{name}={path}" for name, path in self.tables.items()]

    @property
    def field(self) -> dict[str, list[str]]:
        """The bots of each seat: from an experiment file the first, else one or several."""
        return field_of(self.game, self.named)

    @property
    def bots(self) -> dict[str, str]:
        """One bot per seat; InputError: several bots for a seat on the command line."""
        return single_bots(self.game, self.named)

    def small_changes(
        self, names: str | None, steps: int, varied: Collection[str] = ()
    ) -> tuple[dict[str, list[KnobValue]], list[str], Point]:
        """The small changes of knobs: values of each knob, and changes left out, as `neighbourhood`; and all knobs now.

        Args:
            names: knobs, as --knobs takes them; None for all knobs that are neither set nor varied otherwise.
            varied: knobs that vary in another way.
        Raises:
            InputError: an unknown knob, or one that is also set or varied.
        """
        tables = self.game.read_tables(self.tables)
        known, taken = self.game.knobs_with(tables), {*self.knobs, *varied}
        base = self.game.resolve_knobs(self.knobs, tables)
        named = [name.strip() for name in (names or "").split(",") if name.strip()]
        for name in named:
            if name not in known:
                raise InputError(f"--knobs: {self.game.slug} has no knob '{name}'. {nearest(name, known)}")
            if name in taken:
                raise InputError(f"--knobs: {name} is set or varied too: it cannot be both. Take it out of one.")
        return *neighbourhood(self.game, base, set(named or known) - taken, steps, known), base

    def match(self, bots: Mapping[str, str] | None = None) -> Match:
        """A match of one bot per seat, in which bots that are not the lab's own are checked on first use.

        Raises:
            StateMutationError: a bot peeks, is not repeatable, or changes the state.
        """
        from simlab.engine.conduct import check_bots
        from simlab.engine.match import Match

        match = Match(self.game, knobs=self.knobs, tables=self.tables, bots=self.bots if bots is None else bots)
        check_bots(match, self.seed)
        return match


def read_variant(
    game: str,
    set_: Sequence[str] | None = None,
    cards: Sequence[str] | None = None,
    bot: Sequence[str] | None = None,
    seed: int | None = None,
    players: int | None = None,
    metrics: Sequence[str] | None = None,
    *,
    one_bot: bool = True,
) -> Variant:
    """The game to play: its name, or the settings of an experiment's file (.toml), which the options override.

    Args:
        one_bot: whether to take the first of several bots that a file names for a seat.
    Raises:
        InputError: an error in the file or the options, or `players` is not among the player counts.
    """
    knobs: dict[str, KnobValue] = {**read_assignments(set_, "--set")}
    tables = {name: Path(file) for name, file in read_assignments(cards, "--cards").items()}
    bots = read_bot_options(bot)
    if not is_experiment(game):
        return Variant(
            at_table(game, players), game, False, 1 if seed is None else seed, knobs, tables, bots, metrics or ()
        )
    experiment = load_experiment(game, players=players)
    if experiment.sizes:
        raise InputError(
            f"{game}: is played with {', '.join(map(str, experiment.sizes))} players. Choose one: --players N."
        )
    of_file = {seat: list(texts[:1] if one_bot else texts) for seat, texts in experiment.bot_refs.items()}
    return Variant(
        ref=at_table(str(GameRef.parse(experiment.game_ref).measured(experiment.metric_refs)), players),
        name=experiment.name,
        file=True,
        seed=experiment.seed if seed is None else seed,
        knobs={**experiment.knobs, **knobs},
        tables={**experiment.card_files, **tables},
        named={**of_file, **bots},
        metrics=metrics or (),
        games=experiment.games,
        vary=experiment.space if experiment.method == "grid" else None,
        contract={name: goal.model_dump(exclude_none=True) for name, goal in experiment.contract.items()},
    )


def field_of(game: Game, bots: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The bots of each seat, one or several; seats not named get those of "*", else the game's default bot.

    Raises:
        InputError: unknown seat.
    """
    chosen = dict(bots)
    all_seats = chosen.pop("*", [game.default_bot])
    for seat in chosen:
        game.seat_number(seat, f"--bot {seat}=...: ")
    return {seat: chosen.get(seat, all_seats) for seat in game.seats}


def single_bots(game: Game, bots: Mapping[str, list[str]] | Sequence[str] | None) -> dict[str, str]:
    """One bot for each seat, as `field_of`, also from the values of --bot; InputError: also several bots for one."""
    named = bots if isinstance(bots, Mapping) else read_bot_options(bots)
    for seat, texts in named.items():
        if len(texts) > 1:
            raise InputError(f"--bot {seat}={','.join(texts)}: this command takes one bot per seat.")
    return {seat: texts[0] for seat, texts in field_of(game, named).items()}
