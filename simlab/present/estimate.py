"""A number with its interval, and names and numbers as people write them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from simlab.stats.intervals import clopper_pearson, wilson
from simlab.stats.verdict import decimals, digits_for

Mood = Literal["even", "favoured", "unsure", "mixed"]  #: of a verdict

LEVEL = 0.95  #: of the report's intervals
EVEN = 0.04  #: a gap between two win rates up to here, 48 to 52 %, counts as even


def plain(value: object, limit: int = 200) -> str:
    """A text in one line, without control characters, cut in the middle when longer than `limit`."""
    text = str(value)[: 4 * limit + 1000]
    kept = [" " if unicodedata.category(c)[0] in "CZ" else c for c in text.encode("utf-8", "replace").decode()]
    return short(" ".join("".join(kept).split()), limit)


def short(text: str, limit: int) -> str:
    """The text, or its beginning and end with an ellipsis between."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def words(name: object) -> str:
    """A name as people write it: `besieger_deck` as "besieger deck"."""
    return plain(name).replace("_", " ")


def value_text(value: object) -> str:
    """A knob's value as the command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(value, 40)


def number(value: float, width: float = 0.0, unit: str = "") -> str:
    """A number with the decimals that an interval of this width allows."""
    if not math.isfinite(value):
        return "–"
    exact = float(f"{value:.13g}")
    text = decimals(value, digits_for(width)) if width > 0 else f"{exact:,.4g}" if abs(exact) < 1e4 else f"{exact:,.0f}"
    return f"{text} {unit}".rstrip()


def rounded(value: float | None) -> float | None:
    """An estimate without an interval, with two significant digits; None if it is unknown."""
    return None if value is None else float(f"{value:.2g}")


def is_number(value: object) -> bool:
    """Whether a knob's value can be shown on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def finite(value: float) -> float | None:
    """The number; None if it is unknown or infinite."""
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""

    value: float  #: a rate in [0, 1], or a number in the statistic's own unit, as are the ends
    low: float  #: an open end is infinite
    high: float
    rate: bool = True  #: whether it is a rate, shown in per cent
    width: float = 0.0  #: of a number without an interval: the width of interval by which its decimals are chosen
    #: whether all games have this number: text then shows no ends, because they come from its range; not kept in JSON
    constant: bool = field(default=False, compare=False)

    @property
    def _whole(self) -> bool:
        """Whether the value and its ends are whole numbers, as for a quantile of counts."""
        ends = (self.value, self.low, self.high)
        return (
            not self.rate
            and self.low < self.high
            and all(float(end).is_integer() for end in ends if math.isfinite(end))
        )

    def _number(self, value: float) -> str:
        scale = 100.0 if self.rate else 1.0
        width = (self.high - self.low) * scale
        if self.constant:
            return number(value * scale).replace("-", "−")
        if math.isnan(width):  # no interval
            return number(value * scale, self.width * scale).replace("-", "−")
        if math.isinf(width):
            width = abs(value * scale) / 4  # one end is open: two or three digits are enough
        if not math.isfinite(value):
            return "–"
        digits = 0 if self._whole else digits_for(width)
        most = max(abs(self.low), abs(self.high)) * scale
        if most >= 0.001 or most < 10.0**-digits:  # more than three digits help only with rare numbers
            digits = min(digits, 3)
        if self.low * self.high > 0:  # the number is not 0, so it is not shown as 0
            digits = next((more for more in range(digits, 4) if round(self.value * scale, more)), digits)
        text = decimals(value * scale, digits)
        return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")

    @property
    def text(self) -> str:
        """The number alone: `58.3 %`."""
        return self._number(self.value) + (" %" if self.rate and math.isfinite(self.value) else "")

    def within(self, low: float | None, high: float | None) -> Estimate:
        """A copy whose ends are limited to a range; None if an end is unknown."""
        floor, roof = -math.inf if low is None else low, math.inf if high is None else high
        return replace(self, low=max(self.low, floor), high=min(self.high, roof))

    @property
    def half(self) -> float:
        """Distance to the further end of its interval."""
        return max(self.high - self.value, self.value - self.low)

    @property
    def ends(self) -> str:
        """The interval: `57.9 to 58.7`. For a number that is the same in every game, "in each game": the ends would
        show its declared range more than the games.
        """
        if self.constant or (not self.rate and self.low == self.value == self.high):
            return "in each game"
        if math.isnan(self.low):
            return ""
        if math.isinf(self.low) and math.isinf(self.high):
            return "too few games"
        return f"{self._number(self.low)} to {self._number(self.high)}"

    @property
    def one_sided(self) -> str:
        """The text for an interval with only one end: `below −310`; empty if it has both ends or none."""
        unit = " %" if self.rate else ""
        if self.constant:
            return ""
        if self.low == -math.inf and math.isfinite(self.high):
            return f"{self._number(self.high)} or less" if self._whole else f"below {self._number(self.high)}{unit}"
        if self.high == math.inf and math.isfinite(self.low):
            return f"{self._number(self.low)} or more" if self._whole else f"above {self._number(self.low)}{unit}"
        return ""

    @property
    def full(self) -> str:
        """Value and interval: `58.3 % (57.9 to 58.7)`; `below −310` if there is neither an estimate nor a lower end."""
        if not math.isfinite(self.value):
            return (self.one_sided if math.isinf(self.value) else "") or "–"
        interval = self.one_sided or self.ends
        return f"{self.text} ({interval})" if interval else self.text

    @property
    def signed(self) -> str:
        """A difference with its sign: `+41.7 (+36.0 to +47.4)`."""
        value, low, high = (
            f"+{self._number(end)}" if math.isfinite(end) and end > 0 else self._number(end)
            for end in (self.value, self.low, self.high)
        )
        return f"{value} ({low} to {high})"

    @property
    def complement(self) -> Estimate:
        """The rate of the other games: 1 minus this rate."""
        return Estimate(1 - self.value, 1 - self.high, 1 - self.low)

    @property
    def inner(self) -> str:
        """Value and interval for use inside brackets: `58.3 %, 57.9 to 58.7`."""
        if not math.isfinite(self.value):
            return self.full
        return f"{self.text}, {self.one_sided or self.ends}"


@dataclass(frozen=True)
class Difference(Estimate):
    """A change with its interval: `+6.2 points (+5.4 to +7.0)`. A change of a rate is in points."""

    def _number(self, value: float) -> str:
        text = super()._number(value)
        return f"+{text}" if value > 0 and text.strip("0.,") else text

    @property
    def text(self) -> str:
        """The change alone: `+6.2 points`."""
        return self._number(self.value) + (" points" if self.rate else "")

    @property
    def ends(self) -> str:
        """Its interval: `+5.4 to +7.0`."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "too few games"
        return f"{self._number(self.low)} to {self._number(self.high)}"


def bare(value: float, rate: bool = False, width: float = 0.0) -> Estimate:
    """A number without an interval: `58.31 %`. width: of an interval by which its decimals are chosen."""
    return Estimate(value, math.nan, math.nan, rate, width)


def beside(value: float, change: Estimate) -> Estimate:
    """A number before or after a change, with one decimal more than the interval of the change."""
    return bare(value, change.rate, (change.high - change.low) / 10)


@dataclass(frozen=True)
class Quantile(Estimate):
    """A quantile, or another value that occurs in the data: `12`, or with its interval `12 (11 to 12)`."""

    rate: bool = False

    def _number(self, value: float) -> str:
        return f"{value:,.6g}".replace("-", "−") if math.isfinite(value) else "?"

    @property
    def text(self) -> str:
        return self._number(self.value) if math.isfinite(self.value) else "–"

    @property
    def ends(self) -> str:
        """Its interval; empty if both ends are the value."""
        known = math.isfinite(self.value) and self.low != self.high
        return f"{self._number(self.low)} to {self._number(self.high)}" if known else ""

    @property
    def one_sided(self) -> str:
        """Always empty, because an open end is shown as `?`."""
        return ""


def estimate_of(ends: Iterable[float], scale: float = 1.0, rate: bool = True) -> Estimate:
    """An estimate from (value, low, high), each times `scale`."""
    value, low, high = (scale * float(end) for end in ends)
    return Estimate(value, low, high, rate)


def share_of(count: float, total: float, level: float = LEVEL, exact: bool = False) -> Estimate:
    """A share of games with Wilson's interval, or the exact one; `total` need not be whole."""
    if total <= 0:
        return Estimate(math.nan, 0.0, 1.0)
    low, high = (clopper_pearson if exact else wilson)(min(count, total), total, level)
    return Estimate(count / total, float(low), float(high))


def ends_of(estimate: Estimate) -> dict[str, float | None]:
    """JSON-able; missing values and open ends are null."""
    numbers = {"estimate": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: finite(number) for name, number in numbers.items()}
