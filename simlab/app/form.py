"""The input of the app: a game, differences from its printed rules, the bots, and the number of games.

The code of the command line checks everything here. An error stays next to its field: the input is kept, `faults`
describes the error, and nothing is played until it is fixed.
"""

from __future__ import annotations

import copy
import csv
import functools
import hashlib
import io
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab import shell
from simlab.bot_registry import bots_for, load_bot
from simlab.engine.setup import player_count
from simlab.errors import InputError, SimlabError
from simlab.game import Game, Knob, KnobValue, TableSchema, read_toml
from simlab.present.estimate import value_text
from simlab.registry import load_game
from simlab.spec.csv_file import read_csv
from simlab.spec.draft import is_experiment, ready_experiments
from simlab.spec.folder_names import slug
from simlab.spec.refs import GameRef
from simlab.words import whole_number

if TYPE_CHECKING:
    from simlab.engine.match import Match
    from simlab.spec.experiment import Experiment

MOST_GAMES = 200_000  #: of each set of rules that a page keeps in memory; more are played by `simlab run`
GAMES = 20_000
MOST_BYTES = 1_000_000  #: of a table's file, as `simlab run` reads it
MOST_ROWS = 1_000  #: of a table that the page shows, if the game sets no limit
_CONTRACT = re.compile(r"^\s*\[", re.M)
_WHAT = "What do these changes do: "


class FormState:
    """The state of an app, without its statistics.

    Args:
        game: slug or folder of a game, `harvest:players=5`, an experiment file (.toml), or the name of a
            ready one.
        players: number of players.
        files: folder for the tables that are edited here, as a match reads them.
        metrics: the user's own metrics, as `./mine.py:longest_lull`, in addition to those that a file names.
    Attributes:
        name: name of the game without its player count. loaded: the game at that count, with the user's metrics.
            metrics: the user's metrics, as references that load from any folder.
        knobs: differences from the printed rules.
        bots: seat -> bot, as it was typed. tables: name -> CSV file that replaces the printed one. Each text gets its
            own file, so no file changes while a match uses it.
        seed, games: whole numbers. contract: text of an experiment file's [contract], without the heading.
        title, question, hypothesis, notes: texts of the experiment to save.
        faults: field -> error in its input: `knob walls_start`, `bot besieger`, `table fate`,
            `seed`, `games`, `players`, `contract`, and `rules` for knobs that contradict each other.
        typed: field -> the typed text, for knobs and numbers with an error.
        remark: parts of a file that are not adopted, in a sentence; otherwise "".
    Raises:
        InputError: the game or the file does not exist, or has an error.
    """

    def __init__(self, game: str, files: Path, players: int | None = None, metrics: Sequence[str] = ()) -> None:
        self._files = files
        self.knobs: dict[str, KnobValue] = {}
        self.bots: dict[str, str] = {}
        self.tables: dict[str, Path] = {}
        self.faults: dict[str, str] = {}
        self.typed: dict[str, str] = {}
        self._knobs_of: tuple[tuple[object, ...], dict[str, Knob]] | None = None
        self.seed, self.games = 1, GAMES
        self.contract = self.title = self.question = self.hypothesis = self.notes = self.remark = ""
        if is_experiment(game):
            self._open(game, players, metrics)
        else:
            ref = GameRef.parse(game, players)
            self.name = ref.name
            self.metrics: tuple[str, ...] = (*map(str, ref.metrics), *metrics)
            if "/" in self.name or self.name in (".", ".."):
                self.name = str(Path(self.name).resolve())
            self._load(ref.players)
            self.title = f"{slug(self.loaded.slug)}_app"
            self.bots = self._usual_bots()

    def _load(self, players: int | None) -> None:
        self.loaded = load_game(GameRef(self.name, players).measured(self.metrics))
        self.metrics = tuple(one.text for one in self.loaded.own)

    def _open(self, file: str, players: int | None, metrics: Sequence[str]) -> None:
        """Adopts an experiment file, except for parts that the app does not support."""
        from simlab.runs.open_experiment import load_experiment

        experiment = load_experiment(file, players=players, metrics=metrics)
        if experiment.sizes:
            sizes = ", ".join(map(str, experiment.sizes))
            raise InputError(f"{file}: plays with {sizes} players. Choose one: --players N.")
        ref = GameRef.parse(experiment.game_ref)
        self.name = ref.name
        self.metrics = experiment.metric_refs
        self._load(ref.players)
        self.knobs = dict(experiment.knobs)
        self.bots = {seat: texts[0] for seat, texts in experiment.bot_refs.items()}
        for name, path in experiment.card_files.items():
            self.put_table(name, path.read_bytes())
        self.seed, self.games = experiment.seed, min(experiment.games, MOST_GAMES)
        goals = {name: goal.model_dump(exclude_none=True) for name, goal in experiment.contract.items()}
        self.contract = _clauses(goals)
        self.hypothesis, self.notes = experiment.hypothesis, experiment.notes
        if not experiment.question.startswith(_WHAT):  # one of these would no longer describe the difference
            self.question = experiment.question
        self.title = f"{experiment.name}_app"  # so that saving does not overwrite the file
        left_out = [f"asks for {experiment.games:,} games"] if experiment.games > MOST_GAMES else []
        left_out += [f"has [{part}]" for part in ("stop", "remedies", "tournament") if getattr(experiment, part)]
        left_out += [f"varies {', '.join(experiment.varied)}"] if experiment.varied else []
        if any(len(texts) > 1 for texts in experiment.bots.values()):
            left_out.append("has several bots per seat, of which only the first plays here")
        if left_out:
            self.remark = (
                f"{Path(file).name} {', '.join(left_out)}. The app leaves that out: it plays one setting at a time, "
                f"{MOST_GAMES:,} games at most."
            )

    def _usual_bots(self) -> dict[str, str]:
        """A bot for each seat: the bots of the first ready experiment that names one for every seat, or else the first
        listed bots.
        """
        for _, data in self._ready():
            named = {seat: one for seat, one in data.get("bots", {}).items() if isinstance(one, str) or len(one) == 1}
            single = {seat: one if isinstance(one, str) else one[0] for seat, one in named.items()}
            bots = {seat: single.get(seat, single.get("*", "")) for seat in self.loaded.seats}
            if all(bots.values()):
                return bots
        return {
            seat: next((bot for bot in bots_for(self.loaded, seat) if bot != "random"), "random")
            for seat in self.loaded.seats
        }

    def _ready(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The ready experiments of the game: name and contents of the file."""
        for name, path in ready_experiments().items():
            data = read_toml(path)
            if data.get("experiment", {}).get("game") == self.name:
                yield name, data

    def ready_contracts(self) -> dict[str, str]:
        """Contracts of the ready experiments of the game, by the experiment's name."""
        return {name: _clauses(data["contract"]) for name, data in self._ready() if data.get("contract")}

    # --- What there is to choose -----------------------------------------------------

    @property
    def table_rows(self) -> dict[str, list[dict[str, str | int]]]:
        """The current tables: edited tables if they are valid, else the printed ones."""
        return self.loaded.read_tables(self.table_files)

    @property
    def table_files(self) -> dict[str, Path]:
        """The tables that differ from the printed ones, as files."""
        return {name: path for name, path in self.tables.items() if f"table {name}" not in self.faults}

    def all_knobs(self) -> dict[str, Knob]:
        """The knobs by name, with defaults from edited tables."""
        files = self.table_files
        if not files:
            return self.loaded.knobs
        key = id(self.loaded), *files.values()
        if self._knobs_of is None or self._knobs_of[0] != key:  # a page asks for each of a hundred knobs
            self._knobs_of = key, self.loaded.knobs_with(self.table_rows)
        return self._knobs_of[1]

    def value(self, name: str) -> KnobValue:
        return self.knobs.get(name, self.all_knobs()[name].default)

    def is_printed(self, name: str) -> bool:
        return self.value(name) == self.loaded.knobs[name].default

    @property
    def changed(self) -> bool:
        """Whether the current rules differ from the printed rules."""
        return bool(self.knobs or self.table_files)

    @property
    def sizes(self) -> range:
        """Numbers of players that can be chosen; empty if the game has only one."""
        least, most = self.loaded.players
        return range(least, most + 1) if most else range(0)

    def frozen(self) -> FormState:
        """A copy that later changes do not affect."""
        made = copy.copy(self)
        made.knobs, made.bots, made.tables = dict(self.knobs), dict(self.bots), dict(self.tables)
        made.faults, made.typed = dict(self.faults), dict(self.typed)
        return made

    def changes(self) -> list[str]:
        """Differences from the printed rules, in words: `walls_start 5 → 6`."""
        printed = self.loaded.knobs
        words = [
            f"{name} {value_text(printed[name].default)} → {value_text(value)}" for name, value in self.knobs.items()
        ]
        return words + [f"{name}: your table" for name in self.table_files]

    # --- Fields of text: `seed`, `games`, `contract`, `bot besieger`, `knob walls_start` ---

    def text_of(self, field: str) -> str:
        """The text in a field: what was typed if it is wrong, else the value."""
        kind, _, name = field.partition(" ")
        if kind == "knob":
            value = self.value(name)
            text = repr(value) if isinstance(value, float) and not value.is_integer() else value_text(value)
        else:
            text = self.bots[name] if kind == "bot" else str(getattr(self, field))
        return self.typed.get(field, text)

    def means(self, field: str, typed: str) -> bool:
        """Whether a text in a field means the current value, in any notation: 1e1 for 10."""
        kind, _, name = field.partition(" ")
        if field not in self.typed and kind in ("knob", "seed", "games"):
            try:
                value = self.all_knobs()[name].parse(typed) if name else whole_number(typed)
            except SimlabError:
                return False
            return value == (self.value(name) if name else getattr(self, field))
        return typed.strip() == self.text_of(field).strip()

    def put(self, field: str, typed: str) -> None:
        """Sets the value that a field shows."""
        kind, _, name = field.partition(" ")
        if kind == "contract":
            self.put_contract(typed)
        else:
            {"knob": self.put_knob, "bot": self.put_bot}.get(kind, self.put_number)(name or field, typed)

    # --- Choosing --------------------------------------------------------------------

    @contextmanager
    def _field(self, field: str, typed: object = None) -> Iterator[None]:
        """Stores the error and the input of a field, or removes an earlier error."""
        try:
            yield
        except SimlabError as fault:
            self.faults[field] = re.sub(
                rf"{re.escape(str(self._files))}.(\w+)-[0-9a-f]{{12}}\.csv", r"\1.csv", str(fault)
            )
            if typed is not None:
                self.typed[field] = str(typed)
        else:
            self.faults.pop(field, None)
            self.typed.pop(field, None)

    def put_knob(self, name: str, value: object) -> None:
        """Sets a knob. A knob with its default value counts as not set."""
        with self._field(f"knob {name}", value):
            knob = self.all_knobs()[name]
            parsed = knob.parse(value)
            if parsed == knob.default:
                self.knobs.pop(name, None)
            else:
                self.knobs[name] = parsed
        self._check_rules()

    def printed_knobs(self) -> None:
        """Sets every knob back to its printed value."""
        self.knobs.clear()
        for texts in (self.faults, self.typed):
            for field in [field for field in texts if field.startswith("knob ")]:
                del texts[field]
        self._check_rules()

    def put_bot(self, seat: str, text: str) -> None:
        self.bots[seat] = text.strip()
        with self._field(f"bot {seat}"):
            load_bot(self.loaded, seat, self.bots[seat])

    def put_number(self, field: str, value: object) -> None:
        """Sets `seed` or `games`, as 20000, 20k or 2e4 on a command line."""
        from simlab.spec.experiment import MOST_SEED

        low, high = (1, MOST_GAMES) if field == "games" else (0, MOST_SEED)
        with self._field(field, value):
            number = whole_number(str(value))
            if number is None or not low <= number <= high:
                more = " More are played by `simlab run`: save it as an experiment." if field == "games" else ""
                raise InputError(f"'{value}' is not allowed: {field} takes a whole number in {low:,}..{high:,}.{more}")
            setattr(self, field, number)

    def put_players(self, players: int) -> None:
        """Changes the number of players; a new seat gets its usual bot."""
        with self._field("players"):
            self._load(players)
            self.bots = self._usual_bots() | self.bots
            self.knobs = {name: value for name, value in self.knobs.items() if name in self.loaded.knobs}
            self.tables = {name: text for name, text in self.tables.items() if name in self.loaded.own_tables}
            self.faults = {field: why for field, why in self.faults.items() if not field.startswith("bot ")}
            for seat in self.loaded.seats:
                self.put_bot(seat, self.bots[seat])
            self._read_tables()
            self.put_contract(self.contract)
        self._check_rules()

    def put_table(self, name: str, text: str | bytes | None) -> None:
        """Replaces a table by a CSV text or file. None, or a text equal to the printed table, restores the printed
        table.

        A text that the page cannot show as a table is rejected: the previous table and the error are shown.
        """
        schema = self.loaded.table(name)
        with self._field(f"table {name}"):
            if text is None:
                self.tables.pop(name, None)
            else:
                data = text.encode() if isinstance(text, str) else text
                path = self._files / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}.csv"
                self._files.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                _lines(schema, path)
                self.tables[name] = path
                if schema.read(path) == self.loaded.own_tables[name]:
                    del self.tables[name]
                else:  # a table that no cards can be made of is refused
                    files = {**self.table_files, name: path}
                    self.loaded.pack(self.loaded.read_tables(files), files)
        self._check_rules()

    def _read_tables(self) -> None:
        for name, path in list(self.tables.items()):
            self.put_table(name, path.read_bytes())

    def rows(self, name: str) -> list[dict[str, str | int]]:
        """The current rows of a table, as texts if they are wrong."""
        if name not in self.tables:
            return self.loaded.own_tables[name]
        try:
            return self.loaded.table(name).read(self.tables[name])
        except InputError:
            return _lines(self.loaded.table(name), self.tables[name])

    @contextmanager
    def edited(self, name: str) -> Iterator[list[dict[str, str | int]]]:
        """The current rows of a table, to change them."""
        rows = [dict(row) for row in self.rows(name)]
        yield rows
        self.put_table(name, csv_of(self.loaded, name, rows))

    def put_cell(self, name: str, row: int, column: str, value: str) -> None:
        with self.edited(name) as rows:
            rows[row][column] = value

    def copy_row(self, name: str, row: int) -> None:
        """Puts a copy of a row below it; its key is then a duplicate until it is changed."""
        with self.edited(name) as rows:
            rows.insert(row + 1, rows[row])

    def delete_row(self, name: str, row: int) -> None:
        with self.edited(name) as rows:
            del rows[row]

    def put_contract(self, text: str) -> None:
        """Sets the contract, lines as in an experiment file: `turns_p50 = { min = 5, max = 9 }`."""
        self.contract = text.strip()
        with self._field("contract"):
            if self.goals():
                self._experiment_of("contract", dict.fromkeys(self.loaded.seats, "random"), contract=self.goals())

    def goals(self) -> dict[str, dict[str, float]]:
        """The contract by statistic.

        Raises:
            InputError: the text is not TOML, or has headings.
        """
        text = self.contract.removeprefix("[contract]").strip()
        if _CONTRACT.search(text):
            raise InputError("the contract takes lines like: turns_p50 = { min = 5, max = 9 }. Leave headings out.")
        try:
            goals: dict[str, dict[str, float]] = tomllib.loads(text)
        except ValueError as fault:
            raise InputError(f"the contract is not TOML: {fault}.") from None
        return goals

    def _check_rules(self) -> None:
        with self._field("rules"):
            if not any(field.startswith("table ") for field in self.faults):
                self.loaded.resolve_knobs(self.knobs, self.table_rows)

    def check_all(self) -> None:
        """Checks every field again, as when the app opens."""
        for seat in self.loaded.seats:
            self.put_bot(seat, self.bots.get(seat, self.loaded.default_bot))
        self._read_tables()
        self.put_contract(self.contract)

    # --- What follows --------------------------------------------------------------------

    def first_fault(self) -> str:
        """Errors to fix before anything can be played; empty if there are none."""
        return next((why for field, why in self.faults.items() if field != "contract"), "")

    def recipe(self, *, printed: bool = False) -> Callable[[], Match]:
        """The arguments of the match with the current rules, or with the printed rules and the same bots.

        The match raises InputError if the input still has an error.
        """
        from simlab.engine.match import Match

        knobs, tables = ({}, {}) if printed else (dict(self.knobs), self.table_files)
        return functools.partial(Match, self.loaded, knobs=knobs, tables=tables, bots=self._bots())

    def _bots(self) -> dict[str, str]:
        return {seat: self.bots[seat] for seat in self.loaded.seats}

    @staticmethod
    def _short(name: str) -> str:
        """A folder under the working folder as a relative path."""
        path = Path(name)
        if path.is_absolute() and path.is_relative_to(Path.cwd()):
            return f"./{path.relative_to(Path.cwd())}"
        return name

    def _experiment_of(self, name: str, bots: Mapping[str, str], **more: Any) -> Experiment:
        from simlab.runs.open_experiment import new_experiment

        game = str(GameRef(self.name, player_count(self.loaded)))
        return new_experiment(
            game, bots=bots, games=self.games, seed=self.seed, name=name, metrics=self.metrics, **more
        )

    def experiment(self) -> Experiment:
        """The input as an experiment.

        Raises:
            InputError: the input still has an error.
        """
        if fault := self.first_fault():
            raise InputError(fault)
        changes = f"{_WHAT}{', '.join(self.changes())}?".replace("→", "->") if self.changed else ""
        return self._experiment_of(
            self.title, self._bots(), overrides=self.knobs, cards=self.table_files, contract=self.goals(),
            question=self.question or changes, hypothesis=self.hypothesis.strip(), notes=self.notes.strip(),
        )  # fmt: skip

    def _toml(self, experiment: Experiment, tables: dict[str, Path], here: bool) -> str:
        """An experiment file with the differences from the printed rules.

        Args:
            tables: name -> path of its CSV file, as the file names it.
            here: whether the file is in the working folder and can name files as the user did.
        """
        short: dict[str, Any] = {}
        if here:
            metrics = tuple(map(self._short, experiment.metric_refs))
            short = {"game_ref": self._short(experiment.game_ref), "bot_refs": experiment.bots, "metric_refs": metrics}
        text = experiment.replace(card_files=tables, contract={}, **short).to_toml()
        return text + (f"\n[contract]\n{_clauses(self.goals())}\n" if self.goals() else "")

    def save(self, folder: Path, *, replace: bool = False) -> Path:
        """Writes the experiment, with the tables edited here, into a folder.

        Args:
            replace: whether files of these names may be overwritten.
        Returns:
            path of the file, which `simlab run` takes.
        Raises:
            InputError: the input still has an error, the name is invalid, or the file exists already.
        """
        from simlab.runs.files import atomic_write
        from simlab.runs.open_experiment import load_experiment

        experiment = self.experiment()  # a wrong name is reported here, before anything is written
        path = folder / f"{self.title}.toml"
        tables = {name: folder / f"{self.title}_{name}.csv" for name in self.table_files}
        there = [file.name for file in (path, *tables.values()) if file.exists()]
        if there and not replace:
            raise InputError(f"{there[0]} exists already. Choose another name, or tick 'replace'.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, file in tables.items():
                atomic_write(file, self.tables[name].read_bytes())
            named = {name: Path(file.name) for name, file in tables.items()}
            atomic_write(path, self._toml(experiment, named, folder.resolve() == Path.cwd()).encode())
        except OSError as fault:
            raise InputError(f"{path}: cannot be written ({fault.strerror}).") from None
        load_experiment(path)
        return path

    def command(self, saved: str = "") -> str:
        """The command line that gives the same numbers.

        Args:
            saved: a file with this input, if there is one; edited tables require it.
        """
        if saved:
            return shell.join(["simlab", "run", saved])
        options = [word for text in self.metrics for word in ("--metric", text)]
        options += ["--games", str(self.games), "--seed", str(self.seed)]
        return self.recipe()().command("sweep", *options).replace(f"{Path.cwd()}/", "./")


def _clauses(goals: Mapping[str, Mapping[str, float]]) -> str:
    """A contract as the lines of an experiment file."""
    lines = []
    for name, goal in goals.items():
        whole = {key: int(value) if value == int(value) else value for key, value in goal.items()}
        lines.append(f"{name} = {{ {', '.join(f'{key} = {value!r}' for key, value in whole.items())} }}")
    return "\n".join(lines)


def _lines(schema: TableSchema, path: Path) -> list[dict[str, str | int]]:
    """The rows of a CSV file as texts, whether valid or not, with the table's columns.

    Raises:
        InputError: it is not CSV, or has more rows than the page can show.
    """
    most = max(MOST_ROWS, schema.rows[1])
    sheet = read_csv(path, "a component table", MOST_BYTES, gaps=True, rows=most + 1)
    written = schema.as_written(sheet)
    rows: list[dict[str, str | int]] = [
        {name: cells.get(written.get(name, ""), "") for name in schema.column_names} for _, cells in sheet.rows
    ]
    if len(rows) > most:
        raise InputError(f"{path}: has more than {most:,} rows. The game takes {schema.rows[1]:,} at most.")
    return rows


def csv_of(game: Game, name: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of a game's table as CSV, with the table's columns."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(game.table(name).column_names), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
