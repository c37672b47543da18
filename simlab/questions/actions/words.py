"""The bots' use of their choices, in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from simlab.errors import InputError
from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import words
from simlab.questions.actions.analysis import FORCED, Actions, ActionUse, NamedAction
from simlab.words import counted

TITLE = "What the bots do"
CHAPTER, RANK = "How games go", 70
MOST_CHARTS = 4  #: of a seat: its most frequent decisions
MOST_TABLES, MOST_ROWS = 40, 400
MOST_NAMED = 80  #: dead actions listed


def blocks(answer: Actions) -> Iterator[Block]:
    if not answer.actions:
        yield Paragraph("No choice was counted.")
        return
    if answer.dead:
        yield Paragraph("Dead actions (allowed in these games, but never taken by any bot):")
        yield from map(Paragraph, by_decision(answer.dead[:MOST_NAMED]))
    else:
        yield Paragraph(
            "No named action is dead in these games: at least one bot took every action that was ever allowed."
        )
    if answer.forced:
        yield Paragraph(f"Taken almost whenever allowed in these games ({100 * FORCED:g} % or more):")
        yield from map(Paragraph, by_decision(answer.forced[:MOST_NAMED]))
    busy = _busiest(answer)
    for place, seat in enumerate(dict.fromkeys(uses[0].seat for uses in busy)):
        named = [uses[0].decision for uses in busy if uses[0].seat == seat and uses[0].named]
        for number, decision in enumerate(named[:MOST_CHARTS]):
            text = (
                f"{seat}, {words(decision)}: how often the bot (column) took an action (row), in per cent of the "
                "times it was allowed. Where a tile is empty, the action was never allowed."
            )
            draw = partial(actions, answer, seat, decision)
            yield Chart(f"actions_{place}_{number}", draw, text, [answer.all_games], wide=True)
    tables = [_table(uses) for uses in busy[:MOST_TABLES]]
    yield Section("actions-table", "How often each action is allowed and taken", tables, folded=True)
    if answer.left_out:
        yield Paragraph(f"The {answer.left_out} least used actions are left out.", "note")
    yield from answer.counted()


def by_decision(actions: Sequence[NamedAction]) -> list[str]:
    """One text per decision: "besieger, action: Besiege (allowed 1,200 times), Plan (800)"."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in actions:
        line = groups.setdefault((one.seat, one.decision), [])
        line.append(
            f"{one.action} ({one.offered:,})" if line else f"{one.action} (allowed {counted(one.offered, 'time')})"
        )
    return [f"{seat}, {words(decision)}: {', '.join(line)}" for (seat, decision), line in groups.items()]


def _decisions(answer: Actions) -> dict[tuple[str, str], list[ActionUse]]:
    """(seat, decision) -> uses of its actions."""
    groups: dict[tuple[str, str], list[ActionUse]] = {}
    for use in answer.actions:
        groups.setdefault((use.seat, use.decision), []).append(use)
    return groups


def _allowed(uses: Sequence[ActionUse]) -> int:
    return sum(use.offered for use in uses)


def _busiest(answer: Actions) -> list[list[ActionUse]]:
    """The decisions with several actions; each seat's most frequent first."""
    seats = list(dict.fromkeys(use.seat for use in answer.actions))
    several = [uses for uses in _decisions(answer).values() if len({use.code for use in uses}) > 1]
    return sorted(several, key=lambda uses: (seats.index(uses[0].seat), -_allowed(uses)))


def _table(uses: Sequence[ActionUse]) -> Table[ActionUse]:
    first = uses[0]
    columns = (
        *attributes("action", "bot", "allowed=offered", "taken", "taken when allowed=share", "games with it=games"),
        Column[ActionUse]("win rate of those", lambda use: use.win_rate if use.games else None),
    )
    title = f"{first.seat}: {first.decision_id} {words(first.decision)}"
    return Table([use for use in uses if use.offered][:MOST_ROWS], columns, title)


@chart
def actions(answer: Actions, seat: str | None = None, decision: str | None = None, ax: Axes | None = None) -> Axes:
    """How often each action (row) of a decision was taken when it was allowed, by bot (column).

    Args:
        seat, decision: by default the most frequent.
    """
    from matplotlib.colors import Normalize

    if not answer.actions:
        return drawing.note(drawing.axes(ax, 1.6), "no action was counted")
    decisions = _decisions(answer).items()
    found = [uses for key, uses in decisions if seat in (None, key[0]) and decision in (None, key[1])]
    if not found:
        raise InputError(f"{answer.game}: no choices of seat {seat} in decision {decision} were counted.")
    uses = max(found, key=_allowed)
    bots, names = list(dict.fromkeys(use.bot for use in uses)), {use.code: use.action for use in uses}
    table = np.array([use.share.value for use in uses]).reshape(len(names), len(bots))
    labels = [["0" if share == 0 else text for share, text in zip(row, texts, strict=True)]
              for row, texts in zip(table, drawing.percentages(table), strict=True)]  # fmt: skip
    longest = max(len(drawing.label(bot, 20)) for bot in bots)
    tilted = len(bots) > 1
    wide = max(1.9 + 0.42 * len(bots), drawing.WIDTH * 0.7)
    ax = drawing.axes(ax, 0.7 + 0.27 * len(names) + (0.07 * longest if tilted else 0.2), wide)
    drawing.heat(ax, table, labels, drawing.HUE, Normalize(0, 1), 8 if len(bots) < 16 else 6.5)
    rows, columns = [drawing.label(name, 34) for name in names.values()], [drawing.label(bot, 20) for bot in bots]
    drawing.name_tiles(ax, rows, columns, above=True, tilted=tilted)
    return ax
