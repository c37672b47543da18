"""The names that a manifest gives to rules, decisions, tracks and metrics, cut and stripped: they may be anybody's."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simlab.game import MetricKind, Number
from simlab.present.estimate import plain


@dataclass(frozen=True)
class RuleName:
    id: str
    text: str
    status: str
    where: str
    knobs: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionName:
    id: str
    name: str
    actions: tuple[str, ...]

    def action(self, index: int) -> str:
        return self.actions[index] if index < len(self.actions) else f"action {index}"


@dataclass(frozen=True)
class TrackName:
    name: str
    low: int
    high: int
    help: str


@dataclass(frozen=True)
class MetricName:
    """A number that games report, as simlab.game.Metric states it."""

    name: str
    help: str
    unit: str
    never: Number | None = None
    codes: Mapping[int, str] = field(default_factory=dict)
    low: Number | None = None
    high: Number | None = None
    part_of: str = ""
    decimals: int = 0

    @property
    def kind(self) -> MetricKind:
        """`number`, `if_happened` or `category`."""
        if self.codes:
            return "category"
        return "number" if self.never is None else "if_happened"

    @classmethod
    def read(cls, stated: Mapping[str, Any]) -> MetricName:
        """Out of a folder's manifest, which may be anybody's: what is no number is not stated."""
        never, low, high = (number_or_none(stated.get(key)) for key in ("never", "low", "high"))
        decimals = whole_or_none(stated.get("decimals"))
        codes = {
            int(code): plain(name, 60)
            for code, name in dict_of(stated.get("codes")).items()
            if re.fullmatch(r"-?\d{1,9}", str(code))
        }
        about, unit = plain(stated.get("help", ""), 300), plain(stated.get("unit", ""), 40)
        part_of = str(stated.get("part_of", ""))
        return cls(str(stated.get("name", "")), about, unit, never, codes, low, high, part_of, decimals or 0)

    def value_text(self, value: float) -> str:
        """A value as a table shows it."""
        return f"{float(value):,.{self.decimals}f}"


@dataclass(frozen=True)
class MarkName:
    """What is followed on each hex, as simlab.game.HexMark states it."""

    name: str
    help: str
    happens: bool = False


@dataclass(frozen=True)
class HexName:
    """A hex of the map, as simlab.game.Hex states it."""

    q: int
    r: int
    name: str
    number: int = -1
    label: str = ""
    area: str = ""
    ground: str = "open"

    @classmethod
    def read(cls, stated: Mapping[str, Any]) -> HexName:
        """Out of a folder's manifest; simlab.runs.results has checked that places and numbers are in range."""
        name, label, area, ground = (plain(stated.get(key, ""), n) for key, n in _TEXTS)
        return cls(whole(stated.get("q")), whole(stated.get("r")), name, whole(stated.get("number"), -1), label, area,
                   ground)  # fmt: skip


_TEXTS = (("name", 40), ("label", 3), ("area", 60), ("ground", 10))


def number_or_none(value: object) -> Number | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) else None


def whole_or_none(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def list_of(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def dict_of(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def whole(value: object, default: int = 0) -> int:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else default
