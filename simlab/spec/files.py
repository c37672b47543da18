"""Reads users' files: regular files of limited size, and TOML with error messages that name the line."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from simlab.errors import InputError, nearest

T = TypeVar("T")
_DEEPEST = 60  # most nested tables and lists of a TOML file


def read_plain_file(path: Path, limit: int, what: str) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. Devices and pipes are refused, because they may never end.

    Raises:
        InputError: missing, unreadable, too large or not a regular file; the message says `what` it should be.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise InputError(f"{path}: is not a regular file; {what} must be one.")
        with open(handle, "rb") as file:
            data = file.read(limit + 1)
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}).") from None
    except ValueError:  # a zero byte in the name
        raise InputError(f"{str(path)[:80]!r}: cannot be read (no name of a file).") from None
    if len(data) > limit:
        raise InputError(f"{path}: over {limit // 1_000_000} MB, which is not {what}.")
    return data


def _depth(data: object) -> int:
    deep, level = 0, [data]
    while level and deep <= _DEEPEST:
        deep += 1
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [thing for some in inner for thing in some]
    return deep


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dict; InputError, with file and line, if it is unreadable, not UTF-8, or not TOML."""
    try:
        text = _decoded(path)
        data = tomllib.loads(text)
        if _depth(data) > _DEEPEST:  # a dotted key nests too, which tomllib does not limit
            raise RecursionError
        return data
    except ValueError as fault:  # TOMLDecodeError, or Python's own for a number with thousands of digits
        raise InputError(f"{path}: is not TOML: {fault}.{_slip(text, str(fault))}") from None
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply.") from None


def _decoded(path: Path) -> str:
    data = read_plain_file(path, 5_000_000, "a configuration")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: is UTF-16 text. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")  # some editors write a byte order mark first
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text. Save it as UTF-8.") from None


def _slip(text: str, fault: str) -> str:
    """The line that is not valid TOML, and how to fix common mistakes; empty if the error names no line."""
    place = re.search(r"at line (\d+)", fault)
    lines = text.splitlines()
    if not place or int(place[1]) > len(lines):
        return ""
    line = lines[int(place[1]) - 1].strip()
    value = line.partition("=")[2].strip()
    hint = ""
    if re.search("[“”„‟«»‘’‚]", line):
        hint = ' Write straight quotes: name = "my_question".'
    elif "\\" in line:
        hint = " Write / in paths, or use single quotes, in which \\ has no special meaning."
    elif re.search(r"(?<![\d\[])\b\d+,\d+\b", re.sub(r"([\"']).*?\1|\[.*?\]", "", value)):
        hint = " A number has no comma: write 0.5, and 20_000 for twenty thousand."
    elif re.match(r"(True|False|TRUE|FALSE|yes|no|on|off)\b", value):
        hint = " Write true or false, in small letters."
    elif re.match(r"\[\s*[A-Za-z./]", value):
        hint = ' Write text in quotes: ["random", "waiter"].'
    elif re.match(r"[A-Za-z./]", value):
        hint = f' Write text in quotes: {line.partition("=")[0].strip()} = "{value}".'
    return f"\nThe line: {line[:100]}{hint and chr(10)}{hint.strip()}"


adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def read_entry(form: type[T], entry: Mapping[str, Any], at: str, hints: Mapping[str, str]) -> T:
    """Converts a table of a TOML file to its form, a dataclass or a model.

    Args:
        at: the place in the file. hints: key -> what to write if its value is not allowed.
    Raises:
        InputError: a key is unknown or missing, or its value has another type.
    """
    try:
        read: T = adapter(form).validate_python(entry)
        return read
    except ValidationError as fault:
        errors = fault.errors(include_url=False)
        error = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
        key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        raise InputError(f"{at}: unknown key '{key}'. {nearest(key, form.__annotations__)}")
    if error["type"] == "missing":
        raise InputError(f"{at}: '{key}' is missing.")
    hint = hints.get(key, f': it is a text. Write {key} = "..".')
    raise InputError(f"{at}: {key} = {entry[key]} is not allowed{hint}")
