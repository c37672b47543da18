"""The parameters that a fix may change: knobs, and cells of component tables.

A parameter is one number, switch or choice with its allowed values. A setting is a set of changes, as pairs of a
parameter's name and its new value; the printed game is the setting `()`. The size of a change is first the number of
its parameters, and then their steps from the printed values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from simlab.errors import InputError, nearest
from simlab.game import Game, Knob, KnobValue, Tables, TableSchema
from simlab.spec.design import show_value

Setting = tuple[tuple[str, "KnobValue"], ...]
Cell = tuple[str, str, str]  #: table, row, column
Amount = tuple[int, int]  #: parameters that are changed, and steps from the printed values

MOST_VALUES = 14  #: of a parameter, tried at first; if it has more, those near the printed one and some up to the ends
MOST_PARAMETERS = 2_000
FLOAT_STEPS = 10  #: into which the range of a fraction is cut


@dataclass(frozen=True)
class Parameter:
    """A number, a switch or a choice that may change.

    Attributes:
        name: the knob's name, or `table.column[row]`.
        values: allowed values, numbers in ascending order, including the printed value. cell: its (table, row, column);
            None for a knob.
        ordered: whether steps between values count; a switch or a choice is one step away from any other value.
    """

    name: str
    values: tuple[KnobValue, ...]
    printed: KnobValue
    cell: Cell | None = None
    ordered: bool = True

    def steps(self, value: KnobValue) -> int:
        """Distance of a value from the printed value, in steps."""
        if not self.ordered:
            return int(value != self.printed)
        return abs(self.values.index(value) - self.values.index(self.printed))

    @property
    def others(self) -> list[KnobValue]:
        """The values other than the printed one."""
        return [value for value in self.values if value != self.printed]

    @cached_property
    def tried(self) -> tuple[KnobValue, ...]:
        """The other values that are tried first; nearest values come first."""
        if not self.ordered or len(self.others) <= MOST_VALUES:
            return tuple(sorted(self.others, key=self.steps))
        at, last = self.values.index(self.printed), len(self.values) - 1
        places = {0, last}
        away = 1
        while away <= last:
            places |= {place for place in (at - away, at + away) if 0 <= place <= last}
            away = max(away + 1, round(1.7 * away))
        return tuple(sorted((self.values[place] for place in places - {at}), key=self.steps))

    def beside(self, value: KnobValue) -> list[KnobValue]:
        """The neighbours of a value, without the printed value."""
        if not self.ordered:
            return []
        place = self.values.index(value)
        return [other for other in self.values[max(place - 1, 0) : place + 2] if other not in (value, self.printed)]


@dataclass(frozen=True)
class Space:
    """Everything that may change.

    Attributes:
        parameters: name -> parameter, in order.
        fits: whether a setting can be played; False if its knobs contradict each other.
    """

    parameters: Mapping[str, Parameter]
    fits: Callable[[Setting], bool] = field(default=lambda setting: True)

    def amount(self, setting: Setting) -> Amount:
        return len(setting), sum(self.parameters[name].steps(value) for name, value in setting)

    def parts(self, setting: Setting) -> tuple[dict[str, KnobValue], dict[Cell, KnobValue]]:
        """The knobs that a setting changes, and the cells of tables."""
        cells = {cell: value for name, value in setting if (cell := self.parameters[name].cell)}
        return {name: value for name, value in setting if not self.parameters[name].cell}, cells

    def setting(self, changes: Iterable[tuple[str, KnobValue]]) -> Setting:
        """Changes in the order of the parameters."""
        changed = dict(changes)
        return tuple((name, changed[name]) for name in self.parameters if name in changed)

    def singles(self) -> list[Setting]:
        """Every change of a single parameter that is tried first."""
        every = (((parameter.name, value),) for parameter in self.parameters.values() for value in parameter.tried)
        return [setting for setting in every if self.fits(setting)]

    def beside(self, setting: Setting) -> list[Setting]:
        """The settings that differ from a given one by one step of one of its parameters."""
        near: list[Setting] = []
        for place, (name, value) in enumerate(setting):
            others = self.parameters[name].beside(value)
            near += [(*setting[:place], (name, other), *setting[place + 1 :]) for other in others]
        return [other for other in near if self.fits(other)]

    def number(self, most_changes: int) -> int:
        """Number of settings with at most this many parameters changed: the whole grid, contradictions included."""
        ways = [1] + [0] * most_changes
        for parameter in self.parameters.values():
            for count in range(most_changes, 0, -1):
                ways[count] += ways[count - 1] * (len(parameter.values) - 1)
        return sum(ways)

    def every(self, most_changes: int) -> Iterable[Setting]:
        """All settings with at most this many parameters changed."""
        for count in range(most_changes + 1):
            for names in itertools.combinations(self.parameters, count):
                for chosen in itertools.product(*(self.parameters[name].others for name in names)):
                    setting = tuple(zip(names, chosen, strict=True))
                    if self.fits(setting):
                        yield setting

    def text(self, setting: Setting) -> str:
        """A setting in words: `walls_start 5 -> 7, repair_gain 1 -> 2`."""
        parts = [f"{n} {show_value(self.parameters[n].printed)} -> {show_value(value)}" for n, value in setting]
        return ", ".join(parts) or "as printed"


def space_of(
    game: Game,
    base: Mapping[str, KnobValue],
    tables: Tables,
    knobs: Sequence[str] = (),
    cards: Sequence[str] = (),
    fixed: Collection[str] = (),
) -> Space:
    """What may change in a game.

    Args:
        base: values of all knobs as the experiment sets them; these count as printed.
        tables: component tables in play.
        knobs: names of knobs that may change; none: all except the `fixed` ones and those that blank a row of a table.
        cards: `table.column`: each cell of these columns may change, within what the column allows.
    Raises:
        InputError: unknown names, a column that cannot change, or nothing that may change.
    """
    known = game.knobs_with(tables)
    for name in knobs:
        if name not in known:
            raise InputError(f"--knobs: {game.slug} has no knob '{name}'. {nearest(name, known)}")
    named = knobs or ([] if cards else [n for n, knob in known.items() if n not in fixed and not knob.blanks])
    parameters = {}
    for name in (n for n in known if n in named):
        values = _values_of(known[name], base[name])
        if len(values) > 1:
            parameters[name] = Parameter(name, values, base[name], None, known[name].is_number)
    for text in cards:
        for parameter in _cells(game, tables, text):
            parameters[parameter.name] = parameter
    if not parameters:
        raise InputError("nothing may change: name knobs with more than one value, or columns of tables.")
    if len(parameters) > MOST_PARAMETERS:
        raise InputError(f"{len(parameters):,} numbers may change, over {MOST_PARAMETERS:,}: name fewer columns.")

    def fits(setting: Setting) -> bool:
        changed, cells = space.parts(setting)
        if not cells:
            return not game.check_knobs({**base, **changed})
        try:
            swapped = with_cells(tables, cells, game)
            defaults = {n: knob.default for n, knob in game.knobs_with(swapped).items()}
            kept = {n: base[n] for n in base if base[n] != known[n].default}
            game.pack_cards(game.blanked(swapped, {**defaults, **kept, **changed}))
        except InputError:
            return False
        return not game.check_knobs({**defaults, **kept, **changed})

    space = Space(parameters, fits)
    return space


def with_cells(tables: Tables, cells: Mapping[Cell, KnobValue], game: Game) -> dict[str, list[dict[str, str | int]]]:
    changed = {name: [dict(row) for row in rows] for name, rows in tables.items()}
    for (table, key, column), value in cells.items():
        for row in changed[table]:
            if str(row[game.table(table).key]) == key:
                row[column] = value if isinstance(value, str) else int(value)
    return changed


def _values_of(knob: Knob, printed: KnobValue) -> tuple[KnobValue, ...]:
    values = knob.every()
    if values is not None:
        return tuple(values)
    step = (knob.high - knob.low) / FLOAT_STEPS
    grid = {float(f"{knob.low + i * step:.6g}") for i in range(FLOAT_STEPS + 1)}
    return tuple(sorted(grid | {float(printed)}))


def _cells(game: Game, tables: Tables, text: str) -> list[Parameter]:
    table, dot, name = text.strip().partition(".")
    if not dot or not table or not name:
        numbers = (f"{one.name}.{c.name}" for one in game.tables for c in one.columns if c.kind == "int")
        example = next(numbers, "fate.steps")
        raise InputError(f"--cards-may-change {text}: write TABLE.COLUMN, as {example}.")
    schema: TableSchema = game.table(table)
    columns = {column.name: column for column in schema.columns if column.name != schema.key}
    if name not in columns:
        raise InputError(f"--cards-may-change {text}: {table} has no column '{name}'. {nearest(name, columns)}")
    column = columns[name]
    values: tuple[KnobValue, ...]
    if column.kind == "int":
        values = tuple(range(column.low, column.high + 1))
    elif column.options:
        values = column.options
    else:
        able = [c.name for c in columns.values() if c.kind == "int" or c.options]
        raise InputError(f"--cards-may-change {text}: {name} is free text. {nearest(name, able)}")
    return [
        Parameter(f"{table}.{name}[{row[schema.key]}]", values, row[name], (table, str(row[schema.key]), name),
             column.kind == "int")
        for row in schema.distinct(tables[table])
        if len(values) > 1
    ]  # fmt: skip
