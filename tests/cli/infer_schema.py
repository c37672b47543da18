"""A JSON Schema out of real answers, and out of what people wrote of their keys in schema_words.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simlab.runs.schema_versions import ANSWERS

WORDS = Path(__file__).with_name("schema_words.toml")
MARKS = "null", "maps", "records", "optional"
_KINDS: dict[type, str] = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}


class Words:
    """What people say of the keys: `[words]` what each means, and four lists of what kind they are.

    A key is named by the end of its path from the form on, as `low`, `figures.low` or `course.figures.low`; the longest
    that fits is taken. `*` stands for the keys of a map, whose names follow from the game or the question, `[]` for
    the elements of a list.
    """

    def __init__(self, text: str) -> None:
        data = tomllib.loads(text)
        self.words: dict[str, str] = data["words"]
        self.marks = {mark: frozenset(data[mark]) for mark in MARKS}
        self.met: set[str] = set()

    def of(self, path: Sequence[str]) -> str:
        """What the key at the end of a path means; "" where nobody said."""
        for end in _ends(path):
            if end in self.words:
                self.met.add(end)
                return self.words[end]
        return ""

    def marked(self, mark: str, path: Sequence[str]) -> bool:
        """Whether the key at the end of a path may be null, is a map or is optional, by what people say."""
        met = {end for end in _ends(path) if end in self.marks[mark]}
        self.met |= met
        return bool(met)


def _ends(path: Sequence[str]) -> list[str]:
    return [".".join(path[i:]) for i in range(len(path))]


def inferred(answers: Sequence[Mapping[str, Any]], form: str, words: Words) -> dict[str, Any]:
    """The schema of a form.

    A key that all answers have is required, one that some have is optional. Null may stand where it stood in an answer,
    or where the words say so. An object of which no two answers share a key is a map, as knobs by name.
    """
    version, command = ANSWERS[form]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"simlab {form}, version {version}",
        "description": f"What `{command} --json` prints. More keys may come within a version.",
    }
    made = _kind(list(answers), [form], words)
    made["properties"]["schema"] = {
        "type": "object",
        "description": "Form and version of this answer.",
        "required": ["name", "version"],
        "properties": {
            "name": {"const": form, "description": "Name of the form."},
            "version": {"const": version, "description": "Goes up where something goes or means something else."},
        },
    }
    return {**head, **made}


def _kind(values: list[Any], path: Sequence[str], words: Words, of_list: bool = False) -> dict[str, Any]:
    seen = {"null" if value is None else _KINDS.get(type(value), "object") for value in values}
    known = bool(seen - {"null"})  # of what was null in all answers the type is not known
    names = sorted(seen | {"null"} if words.marked("null", [*path, "[]"] if of_list else path) else seen)
    kind: dict[str, Any] = {"type": names[0] if len(names) == 1 else names} if known else {}
    meaning = words.of(path) if len(path) > 1 and path[-1] != "*" and not of_list else ""
    kind |= {"description": meaning} if meaning else {}
    objects = [value for value in values if isinstance(value, Mapping)]
    items = [item for value in values if isinstance(value, list) for item in value]
    if any(objects):
        kind |= _fields(objects, path, words)
    if items:
        kind["items"] = _kind(items, path, words, of_list=True)
    return kind


def _fields(objects: list[Mapping[str, Any]], path: Sequence[str], words: Words) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for one in objects for key in one))
    shared = [key for key in keys if all(key in one for one in objects)]
    by_name = len(path) > 1 and not words.marked("records", path) and (words.marked("maps", path) or not shared)
    if by_name:
        inside = [value for one in objects for value in one.values()]
        return {"additionalProperties": _kind(inside, [*path, "*"], words)}
    return {
        "required": [key for key in shared if not words.marked("optional", [*path, key])],
        "properties": {key: _kind([one[key] for one in objects if key in one], [*path, key], words) for key in keys},
    }


def without_words(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[str]:
    """The keys of a schema of which it does not say what they mean."""
    inside = dict(schema.get("properties", {}))
    bare = [".".join((*path, key)) for key, inner in inside.items() if "description" not in inner]
    if "additionalProperties" in schema:
        inside["*"] = schema["additionalProperties"]
    for key, inner in inside.items():
        bare += without_words(inner, (*path, key))
    return bare + (without_words(schema["items"], path) if "items" in schema else [])
