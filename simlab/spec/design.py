"""Design of experiments: the values of each knob, and the points to play.

A point is one value for each knob that varies.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import Any, TypeVar

import numpy as np

from simlab.errors import InputError, check_keys
from simlab.spec.contract import Game
from simlab.spec.knobs import FAIR, DecimalKnob, Knob, KnobValue, WeightsKnob, WholeKnob

MAX_CELLS = 100_000  #: most cells of one experiment; a larger number is probably a typo
METHODS = ("grid", "list", "lhs", "sobol", "one_at_a_time", "saltelli", "morris")
SAMPLED = ("lhs", "sobol", "saltelli", "morris")  #: methods that draw points from a space; add a new method at the end
SEQUENCES = ("saltelli", "morris")  #: those of them whose points have an order and may repeat
DRAWN = ("lhs", "sobol")  #: those of them with independent points: contradictory points are left out
BOX_LEVELS, MOST_LEVELS = 4, 8  #: levels of a float in a trajectory, and the most levels of any other knob

Point = dict[str, KnobValue]
PLAYERS = "players"  #: number of players, which an experiment may vary like a knob
T = TypeVar("T")

_NUMBER = r"[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d{1,2})?"
_SPAN = re.compile(rf"({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?::\s*({_NUMBER}))?")
_SHAPES = 'a list [3, 5, 7], a range "3..7" or "3..9:2", {grid = [..]} or {low = .., high = .., step = ..}'


# --- Values of one knob -------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """One knob that varies: the values to play or, for a float that is drawn, the ends of its range."""

    knob: Knob
    values: tuple[KnobValue, ...] = ()
    low: float = 0.0
    high: float = 0.0

    def at(self, share: float) -> KnobValue:
        """The value at a point in [0, 1) of the axis: values have equal bins; a float is rounded to six digits."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        drawn = float(f"{self.low + share * (self.high - self.low):.6g}")
        return min(max(drawn, self.low), self.high)

    @property
    def levels(self) -> tuple[KnobValue, ...]:
        """Levels that a trajectory uses on this axis, both ends included: all values, or an even selection of them."""
        if not self.values:
            return tuple(self.at(i / (BOX_LEVELS - 1)) for i in range(BOX_LEVELS))
        if len(self.values) <= MOST_LEVELS or not self.knob.is_ordered:
            return self.values
        return tuple(self.values[i] for i in np.linspace(0, len(self.values) - 1, MOST_LEVELS).round().astype(int))

    @property
    def jumps(self) -> list[tuple[KnobValue, KnobValue]]:
        """The pairs of levels between which a trajectory moves: half of the levels apart, or, for a choice, any two."""
        levels = self.levels
        if not self.knob.is_ordered:
            return list(itertools.combinations(levels, 2))
        half = len(levels) // 2
        return list(zip(levels, levels[half:], strict=False)) if half else []


def read_axis(knob: Knob, given: object, where: str, method: str = "grid") -> Axis:
    """The values of a knob, from its entry in [vary].

    Args:
        given: a list of values; a range as text (see `read_range`); `{grid = [..]}`; or `{low, high}` with or
            without `step`.
        where: the place that errors name, such as `walls.toml [vary]`.
        method: with `lhs` and `sobol` the range of a float needs no step, because values are drawn from it; with `list`
            a value may occur twice.
    Raises:
        InputError: the entry has another form or is empty, or a value is duplicate or not allowed by the knob.
    """
    at = f"{where}: {knob.name}"
    boxed = method in SAMPLED and isinstance(knob, DecimalKnob)
    span = _SPAN.fullmatch(given.strip()) if boxed and isinstance(given, str) else None
    if span and not span[3]:
        given = {"low": span[1], "high": span[2]}
    if isinstance(given, Mapping):
        check_keys(given, ("grid", "low", "high", "step"), at)
        if "grid" in given:
            if len(given) > 1:
                raise InputError(f"{at}: use grid alone, without low, high and step.")
            if not isinstance(given["grid"], list):
                raise InputError(f"{at}: grid = {shown(given['grid'])} is not allowed: grid takes a list of values.")
            given = given["grid"]
        elif missing := [key for key in ("low", "high") if key not in given]:
            raise InputError(f"{at}: '{missing[0]}' is missing. A knob that varies takes {_SHAPES}.")
        elif boxed and "step" not in given:
            first, last = _ends(knob, given["low"], given["high"], where)
            return Axis(knob, (), first, last) if first < last else Axis(knob, (first,))
        else:
            given = _span(knob, given["low"], given["high"], given.get("step"), where)
    if isinstance(given, str):
        values = read_range(knob, given, where)
    elif not isinstance(given, list):
        raise InputError(
            f"{at} = {shown(given)} is not allowed: a knob that varies takes {_SHAPES}. "
            "A single value belongs in [knobs]."
        )
    elif not given:
        raise InputError(f"{at} = [] is empty. {knob.name} takes {knob.allowed}.")
    else:
        values = tuple(knob.parse(value, where) for value in _not_too_many(knob, given, where))
    again = _repeated(values) if method != "list" else None
    if again is not None:
        raise InputError(f"{at} takes {shown(again)} twice. Name each value once.")
    return Axis(knob, values)


def read_range(knob: Knob, text: str, where: str) -> tuple[KnobValue, ...]:
    """The values of a range, written as in a shell.

    `3..7`: every whole number. `3..9:2`: every second one. `0.2..0.6:0.1`: a float needs a step. `2,4,8` or
    `lose,stop`: only these. `*`: everything that the knob allows (not for floats). Parts joined by commas may be
    ranges.

    Raises:
        InputError: the text has another form, the knob does not allow a value, or there are too many values.
    """
    text = text.strip()
    if text in knob.choices:
        return (text,)
    if isinstance(knob, WeightsKnob):
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 1 and all(":" in part and "+" not in part for part in parts):  # one die, not one for each face
            raise InputError(
                f"{where}: {knob.name} = '{text}': commas separate values to try. Join the weights of one die by +, as "
                f"{'+'.join(parts)}; for one die or deck after the other begin with {FAIR}, as "
                f"{FAIR},{','.join(parts)}."
            )
    if text == "*":
        values = knob.every()
        if values is None:
            raise InputError(f"{where}: {knob.name} = '*' is endless. Write a range such as {knob.example}.")
        return tuple(_not_too_many(knob, values, where))
    found: list[KnobValue] = []
    for part in text.split(","):
        item = part.strip()
        if not item:
            raise InputError(
                f"{where}: {knob.name} = '{text}' has an empty place. Write a range such as {knob.example}."
            )
        span = _SPAN.fullmatch(item)
        if span and knob.is_number:
            found.extend(_span(knob, span[1], span[2], span[3], where))
        elif ".." in item and knob.is_number:
            raise InputError(f"{where}: {knob.name} = '{item}' is not a range. Write one such as {knob.example}.")
        else:
            found.append(knob.parse(item, where))
        _not_too_many(knob, found, where)
    return tuple(found)


def _not_too_many(knob: Knob, values: Sequence[T], where: str) -> Sequence[T]:
    if len(values) > MAX_CELLS:
        raise InputError(
            f"{where}: {knob.name} has {len(values):,} values or more; an experiment has {MAX_CELLS:,} cells at most."
        )
    return values


def _repeated(items: Iterable[T]) -> T | None:
    return next((item for item, times in Counter(items).items() if times > 1), None)


def _ends(knob: Knob, low: object, high: object, where: str) -> tuple[float, float]:
    if not knob.is_number:
        raise InputError(f"{where}: {knob.name} has no low and high: it takes {knob.allowed}. Write a list, or '*'.")
    first, last = float(knob.parse(low, where)), float(knob.parse(high, where))
    if first > last:
        raise InputError(f"{where}: {knob.name} = {first:g}..{last:g} runs downwards. Write {last:g}..{first:g}.")
    return first, last


def _span(knob: Knob, low: object, high: object, step: object, where: str) -> list[KnobValue]:
    first, last = _ends(knob, low, high, where)
    if step is None:
        if isinstance(knob, DecimalKnob) and first != last:
            raise InputError(
                f"{where}: {knob.name} = {first:g}..{last:g} needs a step. "
                f"Write {first:g}..{last:g}:{(last - first) / 4:g}."
            )
        step = 1
    stride = _stride(step)
    whole = isinstance(knob, WholeKnob)
    if stride is None or (whole and stride != int(stride)):
        kind = "a whole number" if whole else "a number"
        raise InputError(f"{where}: {knob.name}: step = {shown(step)} is not allowed: a step is {kind} above 0.")
    # Decimals, so that 0.2..0.6:0.1 gives 0.3 and reaches 0.6
    start = Decimal(str(first))
    count = int((Decimal(str(last)) - start) / stride) + 1
    if count > MAX_CELLS:
        raise InputError(
            f"{where}: {knob.name} = {first:g}..{last:g} in steps of {stride} has {count:,} values; "
            f"an experiment has {MAX_CELLS:,} cells at most. Take a longer step."
        )
    return [knob.parse(str(start + i * stride), where) for i in range(count)]


def _stride(step: object) -> Decimal | None:
    """The step as a number above 0; None if it is invalid or so small that counting the steps would take long."""
    if isinstance(step, bool) or not isinstance(step, int | float | str):
        return None
    try:
        stride = Decimal(str(step).replace("_", ""))
    except DecimalException:
        return None
    return stride if stride.is_finite() and Decimal("1e-12") <= stride <= Decimal("1e12") else None


def players_knob(game: Game, where: str = "") -> Knob:
    """The number of players as in [vary]. InputError: the number of seats is fixed, or a knob has that name."""
    at = f"{where}: " if where else ""
    least, most = game.players
    if not most:
        raise InputError(f"{at}{game.slug} has {len(game.seats)} seats, no more and no fewer: players cannot vary.")
    if PLAYERS in game.knobs:
        raise InputError(f"{at}{game.slug} has a knob called players: rename it to vary the size of a table.")
    return WholeKnob(PLAYERS, len(game.seats), least, most, help="number of players")


# --- The points ---------------------------------------------------------------


def points(
    axes: Sequence[Axis], method: str, number: int, seed: int, where: str, base: Mapping[str, KnobValue] | None = None
) -> tuple[Point, ...]:
    """The points that an experiment plays.

    Args:
        axes: the knobs that vary.
        method: `grid`: all combinations, the last knob changing fastest; `list`: the first value of each knob, then the
            second, and so on; `lhs`: a Latin hypercube; `sobol`: a scrambled Sobol sequence; `one_at_a_time`: the base,
            then each knob's values with all other knobs as in the base; `saltelli`: the design of Sobol's indices;
            `morris`: trajectories for elementary effects.
        number: points for lhs and sobol, base points for saltelli, trajectories for morris. Identical points are played
            once.
        seed: seed of the experiment, for the methods that draw points.
        where: the place that errors name. base: values of the knobs around which one_at_a_time varies.
    Raises:
        InputError: lists of unequal length, a duplicate point in them, or more than MAX_CELLS points.
    Source: McKay, Beckman, Conover (1979), Technometrics 21(2), 239-245; Owen (1998), J. Complexity 14(4),
        466-489; both as `scipy.stats.qmc` has them. Saltelli: see `saltelli`; Morris: see `trajectories`.
    """
    names = [axis.knob.name for axis in axes]
    if method == "one_at_a_time":
        start = {name: (base or {})[name] for name in names}
        changed = ({**start, axis.knob.name: value} for axis in axes for value in axis.values)
        return (start, *(row for row in changed if row != start))
    lengths = [len(axis.values) for axis in axes]
    rows: Iterable[tuple[KnobValue, ...]]
    if method in SEQUENCES:
        rows = dict.fromkeys(sequence_of(axes, method, number, seed))
    elif method in SAMPLED:
        rows = dict.fromkeys(_at(axes, shares) for shares in _unit_points(len(axes), method, number, seed))
    elif method == "list":
        if len(set(lengths)) > 1:
            counts = ", ".join(f"{name} has {length}" for name, length in zip(names, lengths, strict=True))
            raise InputError(f'{where}: method = "list" takes lists of equal length, but {counts}.')
        rows = list(zip(*(axis.values for axis in axes), strict=True))
        again = _repeated(rows)
        if again is not None:
            point = ", ".join(show_point(dict(zip(names, again, strict=True))))
            raise InputError(f"{where}: the lists make the point {point} twice. Name each point once.")
    else:
        if math.prod(lengths) > MAX_CELLS:
            product = " x ".join(str(length) for length in lengths)
            raise InputError(
                f"{where}: {product} = {math.prod(lengths):,} points; an experiment has {MAX_CELLS:,} cells "
                'at most. Vary less, or draw some: method = "sobol", points = 1024'
            )
        rows = itertools.product(*(axis.values for axis in axes))
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


def saltelli(axes: Sequence[Axis], number: int, seed: int) -> list[tuple[KnobValue, ...]]:
    """The design for Sobol's indices, in SALib's order; equal points are repeated.

    Whole numbers, switches and choices are drawn from their own values, all equally likely.

    Args:
        number: number of base points, a power of two, at least FEWEST of `simlab.stats.sensitivity`; the design has
            number * (knobs + 2) points. They are several independently scrambled sequences, whose differences show the
            error of the indices.
    Source: Saltelli et al. (2010), Computer Physics Communications 181, 259-270, as SALib samples it.
    """
    from SALib.sample import sobol

    from simlab.stats.sensitivity import REPLICATES

    problem = {"num_vars": len(axes), "names": [axis.knob.name for axis in axes], "bounds": [[0, 1]] * len(axes)}
    seeds = np.random.SeedSequence([seed, SAMPLED.index("saltelli")]).generate_state(REPLICATES)
    each = [sobol.sample(problem, number // REPLICATES, calc_second_order=False, seed=int(one)) for one in seeds]
    return [_at(axes, shares) for shares in np.concatenate(each).tolist()]


def _at(axes: Sequence[Axis], shares: Sequence[float]) -> tuple[KnobValue, ...]:
    return tuple(axis.at(share) for axis, share in zip(axes, shares, strict=True))


def trajectories(axes: Sequence[Axis], number: int, seed: int) -> list[tuple[KnobValue, ...]]:
    """Morris's design: walks through the space in which each knob moves once, each walk in its own order.

    A number moves half of its levels up or down, a switch to its other side, a choice to another option. The
    pairs of levels occur equally often, so FEWEST walks of `simlab.stats.screening` or more reach both ends of
    each number's range.

    Args:
        axes: each with two levels or more.
        number: walks; each has one point more than there are knobs.
    Returns:
        the points of all walks, one walk after the other.
    Source: Morris (1991), Technometrics 33(2), 161-174, with levels that each knob takes.
    """
    rng = np.random.default_rng([seed, SAMPLED.index("morris")])
    jumps = []
    for axis in axes:
        pairs = axis.jumps
        places = rng.permutation(np.resize(rng.permutation(len(pairs)), number))
        jumps.append([pairs[place] if up else pairs[place][::-1] for place, up in
                      zip(places, rng.random(number) < 0.5, strict=True)])  # fmt: skip
    walks: list[tuple[KnobValue, ...]] = []
    for walk in range(number):
        here = [jump[walk][0] for jump in jumps]
        walks.append(tuple(here))
        for knob in rng.permutation(len(axes)):
            here[knob] = jumps[knob][walk][1]
            walks.append(tuple(here))
    return walks


def sequence_of(axes: Sequence[Axis], method: str, number: int, seed: int) -> list[tuple[KnobValue, ...]]:
    """The points of a method in SEQUENCES, in their order and with repetitions."""
    return (saltelli if method == "saltelli" else trajectories)(axes, number, seed)


def neighbourhood(
    game: Game,
    base: Mapping[str, KnobValue],
    names: Collection[str],
    steps: int = 1,
    knobs: Mapping[str, Knob] | None = None,
) -> tuple[dict[str, list[KnobValue]], list[str]]:
    """The small changes of some knobs, one knob at a time.

    Args:
        base: values of all knobs.
        knobs: the knobs under replaced tables; None for the game's own.
    Returns:
        (knob -> its values near the base value, in the game's order; the changes that are left out, such as
        `walls_max=4`, because knobs would contradict each other).
    """
    steps_of: dict[str, list[KnobValue]] = {}
    left_out: list[str] = []
    for name, knob in (knobs or game.knobs).items():
        if name not in names:
            continue
        for value in knob.near(base[name], steps):
            if game.check_knobs({**base, name: value}):
                left_out += show_point({name: value})
            else:
                steps_of.setdefault(name, []).append(value)
    return steps_of, left_out


def _unit_points(dimensions: int, method: str, number: int, seed: int) -> Any:
    from scipy.stats import qmc

    # Seeded with the seed and the method: independent of all other draws of the lab.
    rng = np.random.default_rng([seed, SAMPLED.index(method)])
    sampler = qmc.Sobol(dimensions, rng=rng) if method == "sobol" else qmc.LatinHypercube(dimensions, rng=rng)
    return sampler.random(number).tolist()


def show_point(point: Mapping[str, KnobValue]) -> list[str]:
    """The settings of a point, written as in a shell: `walls_start=6`."""
    return [f"{name}={show_value(value)}" for name, value in point.items()]


def show_value(value: KnobValue) -> str:
    """A knob's value, written as in a shell."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(value: object) -> str:
    """A value from the user for a message, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a number of {value.bit_length()} bits"  # it may have more digits than Python writes
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
