"""How often each rule of the ledger fires, and the rulings and reconstructed data on which the numbers depend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simlab.present.answer import Number, Part, Rate
from simlab.present.estimate import LEVEL, plain, value_text
from simlab.runs.games_answer import GamesAnswer
from simlab.runs.names import dict_of
from simlab.runs.view import View, view_of

MOST_ROWS = 100  #: reconstructed rows of a table that are listed


class RuleUse(Part):
    """A rule of the ledger.

    Attributes:
        status: `exact`, or how it departs from the text of the rulebook. knobs: values of the knobs that change it.
            fired: number of times it fired. games: number of games in which it fired.
        lowest, highest: lowest and highest share of games with it over the groups of cells; None without groups.
    """

    id: str
    text: str
    status: str
    knobs: str
    fired: int
    games: int
    share: Rate
    times_a_game: Number
    lowest: float | None = None
    highest: float | None = None


class ReconstructedTable(Part):
    """A component table with rows that the rulebook does not give. of: number of rows of the table, if known."""

    table: str
    count: str
    of: str = ""
    rows: tuple[str, ...] = ()


class RunRules(GamesAnswer, form="rules-counted", version=2):
    """The rules that fire, and the rulings and data that the numbers depend on.

    Attributes:
        upper: the largest share of games in which a rule that never fired may fire, for all rules together (95 %).
            groups: number of groups of cells.
        swapped: component tables that were replaced by a file.
    """

    rules: tuple[RuleUse, ...]
    upper: float
    groups: int
    reconstructed: tuple[ReconstructedTable, ...]
    swapped: tuple[str, ...]

    @property
    def silent(self) -> list[RuleUse]:
        """Rules that fired in no game."""
        return [rule for rule in self.rules if not rule.games]


def of_run(results: Any) -> RunRules:
    view = view_of(results)
    groups, rules = view.groups(), tuple(_rules(view))
    games = view.games / view.all.size  # cells share random draws: k of them count as one
    upper = 1 - ((1 - LEVEL) / max(len(rules), 1)) ** (1 / games)  # exact, as that of Clopper and Pearson
    return RunRules.of(
        view, rules=rules, upper=upper, groups=len(groups) if len(groups) > 1 else 0,
        reconstructed=tuple(_reconstructed(view.manifest)), swapped=tuple(sorted(_swapped(view))),
    )  # fmt: skip


def _rules(view: View) -> Iterator[RuleUse]:
    pool = view.all
    fired, games = pool.sum("fired"), pool.sum("fired_games")
    groups = view.groups()
    shares = [group.sum("fired_games") / max(group.games, 1) for group in groups] if len(groups) > 1 else []
    for i, rule in enumerate(view.rules[: fired.size]):
        spread = [float(share[i]) for share in shares]
        yield RuleUse(
            id=rule.id, text=rule.text, status=rule.status, knobs=_knobs(view, i), fired=int(fired[i]),
            games=int(games[i]), share=pool.share(float(games[i])), times_a_game=pool.fires(i),
            lowest=min(spread, default=None), highest=max(spread, default=None),
        )  # fmt: skip


def _knobs(view: View, rule: int) -> str:
    """The values of the knobs that change a rule: `ace_value = 1`."""
    values = {
        knob: list(dict.fromkeys(value_text(cell.knobs[knob]) for cell in view.cells if knob in cell.knobs))
        for knob in view.rules[rule].knobs[:6]
    }
    return "; ".join(f"{plain(knob, 40)} = {', '.join(found[:8])}" for knob, found in values.items() if found)


def _swapped(view: View) -> set[str]:
    return {
        f"{plain(name, 60)}: {plain(file, 120)}"
        for cell in view.cells
        for name, file in dict(getattr(cell.source, "tables", {}) or {}).items()
    }


def _reconstructed(manifest: Mapping[str, Any]) -> Iterator[ReconstructedTable]:
    for name, about in ((name, dict_of(about)) for name, about in dict_of(manifest.get("tables")).items()):
        if made := about.get("reconstructed"):
            rows = made if isinstance(made, list) else []
            texts = tuple(plain(_row_text(row), 200) for row in rows[:MOST_ROWS])
            count, of = plain(len(rows) or made, 20), plain(about.get("rows", "?"), 20)
            yield ReconstructedTable(table=plain(name, 80), count=count, of=of, rows=texts)


def _row_text(row: object) -> str:
    return ", ".join(f"{k} {v}" for k, v in row.items()) if isinstance(row, Mapping) else str(row)
