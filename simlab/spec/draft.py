"""Merges files and options into one draft: the tables as written, and the origin of each key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from pydantic import ValidationError

from simlab.errors import InputError, nearest
from simlab.spec.design import MAX_CELLS, SAMPLED, shown
from simlab.spec.experiment import MODELS, TABLES, ExperimentFile, ExperimentTable, Goal, Table
from simlab.spec.files import read_toml
from simlab.spec.refs import MetricRef, split_outside

_MOST_BASES = 20  # files that extend each other


@dataclass(frozen=True)
class Origin:
    """The origin of a key: a file or option, and the folder to which its paths are relative."""

    label: str
    folder: Path

    def at(self, table: str) -> str:
        """The place to name in an error."""
        return f"{self.label} [{table}]" if self.label.endswith((".toml", ".json")) else self.label


class Draft:
    """Tables as written, and the origin of each key."""

    def __init__(self) -> None:
        self.tables: dict[str, Any] = {}
        self.origins: dict[tuple[str, str], Origin] = {}
        self.main = Origin("", Path.cwd())  # the place to name in errors about missing keys
        self.fill_seats = False
        self.source: Path | None = None

    def put(self, table: str, key: str, value: object, origin: Origin) -> None:
        held = self.tables.get(table)
        if not isinstance(held, dict):
            held = self.tables[table] = {}
        held[key] = value
        self.origins[table, key] = origin

    def origin(self, table: str, key: str = "") -> Origin:
        return self.origins.get((table, key)) or self.origins.get((table, "")) or self.main

    def at(self, table: str, key: str = "") -> str:
        return self.origin(table, key).at(table)

    @contextmanager
    def naming(self, table: str, key: str) -> Iterator[None]:
        """Adds the place, as `walls.toml [bots] besieger`, to an error raised inside this context."""
        at = self.at(table, key)
        named = at in ("", key, "--metric")
        try:
            yield
        except InputError as fault:
            raise InputError(f"{(at or key) if named else f'{at} {key}'}: {fault}") from fault


def is_experiment(text: str) -> bool:
    """Whether it names an experiment: a file, or one of the ready experiments."""
    return text.endswith(".toml") or text in ready_experiments()


def ready_experiments(kind: str = "") -> dict[str, Path]:
    """The experiments that come with the lab, by name; with kind `scenarios`, the scenarios."""
    package = Path(__file__).resolve().parent.parent
    folders = [folder for folder in (package / "ready", package.parent / "experiments") if folder.is_dir()][:1]
    return {path.stem: path for folder in folders for path in sorted((folder / kind).glob("*.toml"))}


def read_file(path: Path, chain: list[Path]) -> Draft:
    """A file merged with the files that it extends."""
    real = path.resolve()
    if real in chain:
        loop = " -> ".join(p.name for p in [*chain[chain.index(real) :], real])
        raise InputError(f"{path}: `extends` forms a cycle: {loop}. Remove one `extends`.")
    if len(chain) >= _MOST_BASES:
        raise InputError(f"{path}: more than {_MOST_BASES} files extend each other. Join some of them.")
    raw = read_toml(path)
    origin = Origin(str(path), path.parent)
    base = raw.pop("extends", None)
    draft = Draft()
    if base is not None:
        if not isinstance(base, str) or not base.strip() or "\0" in base:
            raise InputError(f"{path}: extends = {shown(base)} is not allowed: it takes the path of a TOML file.")
        below = path.parent / base
        probe(below, base)
        if not below.is_file():
            known = [p.name for p in sorted(path.parent.glob("*.toml")) if p.name != path.name]
            raise InputError(f"{path}: extends = '{base}': there is no such file. {nearest(base, known)}")
        draft = read_file(below, [*chain, real])
    draft.main = origin
    for table, entries in raw.items():
        if not isinstance(entries, dict):
            draft.tables[table] = entries
            draft.origins[table, ""] = origin
            continue
        if not isinstance(draft.tables.get(table), dict):
            draft.tables[table] = {}
        if table == "bots" and "*" in entries:
            draft.tables[table] = {}  # for all seats, also those that the extended file names
        draft.origins.setdefault((table, ""), origin)
        for key, value in entries.items():
            draft.put(table, key, value, origin)
    return draft


class Changes(TypedDict, total=False):
    """Values from a shell or a notebook that override or replace a file. Other keys of [experiment] are also allowed.

    `vary` has ranges, as `["walls_start=3..7"]` or `{"walls_start": [3, 5]}`, which replace those of [vary]. Its
    `method` and `points` can be given in the same way. Files of tables, bots and metrics are relative to the working
    folder.
    """

    vary: Sequence[str] | Mapping[str, object]
    cards: Sequence[str] | Mapping[str, str | Path]  #: tables, as `["counters=my.csv"]`
    bots: Mapping[str, str | Sequence[str]] | None  #: seat -> bot or bots, instead of the file's for that seat
    games: int | str | None  #: this and the next four: instead of the file's
    seed: int | str | None
    name: str | None
    players: int | None
    question: str
    metrics: Sequence[str]  #: in addition to the file's, as `["./mine.py:longest_lull"]`
    contract: Mapping[str, Mapping[str, float]] | None  #: this and the next two: as the tables of a file
    stop: Mapping[str, float] | None
    tournament: Mapping[str, object] | None


def change(draft: Draft, knobs: Sequence[str] | Mapping[str, object], changes: Changes) -> None:
    """Applies `Changes` to a draft, and knobs, which override those of [knobs]."""
    said: dict[str, Any] = {**changes}
    here = Path.cwd()
    for table, given, flag in (
        ("knobs", knobs, "--set"),
        ("vary", said.get("vary") or (), "--vary"),
        ("cards", said.get("cards") or (), "--cards"),
    ):
        if isinstance(given, str):
            raise InputError(f"{table} = '{given}': give a list of texts, or a dict.")
        written: Mapping[str, object] = given if isinstance(given, Mapping) else read_assignments(given, flag)
        for key, value in written.items():
            option = "--ban" if key == "ban" and flag == "--set" else flag  # which is written as the knob `ban`
            draft.put(table, str(key), plain(value), Origin(table if written is given else option, here))
    bots = said.get("bots") or {}
    if "*" in bots:
        draft.tables.pop("bots", None)  # for all seats, also those that the file names
    for table, entries in (("bots", bots), *((name, said.get(name)) for name in ("contract", "stop", "tournament"))):
        if entries is not None and table == "tournament":
            draft.tables[table] = {}
        for key, value in (entries or {}).items():
            draft.put(table, str(key), plain(value), Origin(table, here))
    for key in ExperimentTable.model_fields:
        if said.get(key) is not None and key != "metrics":
            draft.put("experiment", key, plain(said[key]), Origin(key, here))
    metrics = said.get("metrics") or ()
    if metrics:
        _add_metrics(draft, [metrics] if isinstance(metrics, str) else list(metrics), Origin("--metric", here))


def _add_metrics(draft: Draft, texts: list[str], origin: Origin) -> None:
    """Adds metrics to those that a file names; paths in the file are relative to the file."""
    table = draft.tables.get("experiment")
    there = table.get("metrics", []) if isinstance(table, dict) else []
    there = [there] if isinstance(there, str) else there
    if not isinstance(there, list) or not all(isinstance(text, str) for text in there):
        return  # validation rejects it
    home = draft.origin("experiment", "metrics")
    kept = [metric_ref(text, home) for text in there]
    draft.put("experiment", "metrics", [*kept, *(text for text in texts if text not in kept)], origin)


def metric_ref(text: str, origin: Origin) -> str:
    """The text of a user's metric, with the path of its file made absolute."""
    ref = MetricRef.parse(text)
    return str(replace(ref, file=str(anchor(ref.file, origin, "metric"))) if ref.file else ref)


def plain(value: object) -> object:
    """A notebook's value as TOML would give it: ranges, tuples and arrays as lists, numbers as Python's numbers."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, range) and len(value) > MAX_CELLS:
        raise InputError(f"{value}: has {len(value):,} values; an experiment has {MAX_CELLS:,} cells at most.")
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def validate(draft: Draft) -> ExperimentFile:
    """Validates the tables and converts them to their types."""
    if "experiment" not in draft.tables:
        misplaced = next((key for key in draft.tables if key not in ExperimentFile.model_fields), None)
        if misplaced:
            raise _unknown_table(draft, misplaced)
        at = f"{draft.main.label}: " if draft.main.label else ""
        raise InputError(f'{at}the table [experiment] is missing. It names the game: game = "simple_siege".')
    for table, entries in draft.tables.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            huge = _huge_number(value)
            if huge is not None:
                named = f"{draft.at(table, key)}: {key or table}"
                raise InputError(f"{named} = {shown(huge)} is not allowed: no key takes a number of over 64 bits.")
    try:
        return ExperimentFile.model_validate(draft.tables)
    except ValidationError as fault:
        mistakes = [_explain(draft, error) for error in fault.errors(include_url=False)]
        raise InputError("\n".join(str(one) for one in mistakes[:10])) from None


def _huge_number(value: object) -> int | None:
    """Finds a whole number larger than any key allows, before it is converted to a float or printed."""
    if isinstance(value, int):
        return value if value.bit_length() > 64 else None
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((huge for huge in map(_huge_number, inside) if huge is not None), None)


def _unknown_table(draft: Draft, key: str) -> InputError:
    at = draft.origin(key).label
    hint = nearest(key, TABLES)
    for table in ("experiment", "vary", "stop"):
        if key in MODELS[table].model_fields:
            hint = f"It belongs under [{table}]."
    return InputError(f"{at}: unknown table or key '{key}'. {hint}")


def _explain(draft: Draft, error: Mapping[str, Any]) -> InputError:
    """One of pydantic's errors as a message with file, table, key and the allowed values."""
    place = [str(part) for part in error["loc"]]
    table, key = place[0], place[1] if len(place) > 1 else ""
    at, kind = draft.at(table, key), error["type"]
    if kind == "extra_forbidden" and len(place) == 1:
        return _unknown_table(draft, table)
    if kind == "extra_forbidden":
        model: type[Table] = Goal if table == "contract" else MODELS[table]
        named = f"{key}: " if table == "contract" else ""
        return InputError(f"{at}: {named}unknown key '{place[-1]}'. {nearest(place[-1], model.model_fields)}")
    if kind == "missing":
        allowed = MODELS[table].model_fields[place[-1]].description
        return InputError(f"{at or table}: '{place[-1]}' is missing: {allowed}.")
    if kind == "value_error":
        about = f"{at}: " if at and at != key else ""
        return InputError(f"{about}{' '.join(place[1:])} = {error['ctx']['error']}".rstrip(".") + ".")
    if len(place) == 1:
        return InputError(
            f"{draft.origin(table).label}: {table} = {shown(error['input'])} is not allowed: it is a table, [{table}]."
        )
    if table == "contract" and len(place) == 2:
        return InputError(
            f"{at}: {key} = {shown(error['input'])} is not allowed: "
            "a statistic takes {target = .., margin = ..} or {min = .., max = ..}."
        )
    return InputError(f"{at}: {' '.join(place[1:])} = {shown(error['input'])} is not allowed: {error['msg']}.")


def anchor(text: str, origin: Origin, kind: str) -> Path:
    """A user's path as an absolute path."""
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise InputError(f"{text}: there is no such home folder. Write the path in full.") from None
    full = Path(os.path.abspath(origin.folder / path))
    probe(full, text)
    if kind in ("bot", "metric") and ":" in str(full):
        raise InputError(f"{full}: a {kind}'s file cannot lie under a folder with ':' in its name. Move or rename it.")
    return full


def probe(full: Path, text: str) -> None:
    """Rejects a path that the system cannot read: too long, a loop of links, or in a closed folder."""
    try:
        os.stat(full)
    except (FileNotFoundError, NotADirectoryError):
        pass  # reading the file reports it, with a hint
    except (OSError, ValueError) as fault:  # ValueError: a zero byte in the name
        raise InputError(f"{shown(text)}: cannot be read ({getattr(fault, 'strerror', fault)}).") from None


# --- Options of a shell ---

_USUAL_POINTS = {"lhs": 200, "sobol": 256, "saltelli": 64, "morris": 20}  # usual points of a design, for a message


_ASSIGNMENTS = {  # option -> its form, for a message
    "--set": "KNOB=VALUE, as --set walls=6",
    "--change": "KNOB=VALUE, as --change walls=6",
    "--vary": "KNOB=RANGE, as --vary walls=3..7",
    "--cards": "TABLE=FILE, as --cards counters=my.csv",
    "--knob": "KNOB=RANGE, as --knob walls=3..9",
    "--cost": "OPTION=KNOB, as --cost besieger:assault=assault_entry_cost",
    "--beside": "NAME=VALUE, as --beside walls=6",
}


def read_assignments(items: Sequence[str] | None, flag: str) -> dict[str, str]:
    """`NAME=VALUE` texts of the option `flag` as a dict. InputError: '=' or name is missing, or a name is repeated."""
    assigned: dict[str, str] = {}
    for item in items or ():
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InputError(f"{flag} {item}: write {_ASSIGNMENTS[flag]}.")
        if name in assigned:
            raise InputError(f"{flag} {item}: {name} was given already, as {name}={assigned[name]}. Give it once.")
        assigned[name] = value.strip()
    return assigned


def read_design(text: str) -> dict[str, object]:
    """`--design morris:20` as in [vary]: method and points. InputError: an unknown method, or no number."""
    method, colon, points = text.strip().partition(":")
    if method not in SAMPLED:
        raise InputError(f"--design {text}: unknown design '{method}'. {nearest(method, SAMPLED)}")
    if not colon or not points.strip():
        raise InputError(f"--design {text}: the number is missing. Write {method}:{_USUAL_POINTS[method]}.")
    return {"method": method, "points": points.strip()}


def read_bot_options(items: Sequence[str] | None, option: str = "--bot") -> dict[str, list[str]]:
    """`--bot` options as seat -> bots: `besieger=rusher:threshold=0.5`.

    Several bots of a seat are separated by commas outside of brackets, or the seat is named again.

    Raises:
        InputError: '=' or a bot is missing, or brackets do not match.
    """
    bots: dict[str, list[str]] = {}
    for item in items or ():
        seat, equals, texts = item.partition("=")
        named = [text.strip() for text in split_outside(texts, ",")]
        if not equals or not seat.strip() or not all(named):
            alone = ", or random,waiter for all other seats" if option == "--against" else ""
            raise InputError(
                f"{option} {item.removeprefix('*=')}: write SEAT=BOT, as {option} besieger=random or "
                f"besieger=random,waiter{alone}."
            )
        bots.setdefault(seat.strip(), []).extend(named)
    return bots


def read_opponents(items: Sequence[str]) -> dict[str, list[str]]:
    """`--against` options as seat -> bots; bots without a seat are for all seats, '*'."""
    return read_bot_options([item if re.match("[^(:,/=]*=", item) else f"*={item}" for item in items], "--against")
