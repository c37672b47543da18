"""The bots' use of their choices, in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Literal

import numpy as np

from simlab.errors import InputError
from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import words
from simlab.questions.actions.analysis import FORCED, Actions, ActionUse, DecisionUses
from simlab.words import counted, first_of

TITLE = "What the bots do"
CHAPTER, RANK = "How games go", 70
MOST_CHARTS = 4  #: of a seat: its most frequent decisions
MOST_TABLES, MOST_ROWS = 40, 400
MOST_NAMED = 80  #: dead actions of a decision that are listed


def blocks(answer: Actions) -> Iterator[Block]:
    if not answer.decisions:
        yield Paragraph("No choice was counted.")
        return
    if dead := by_decision(answer, "dead"):
        yield Paragraph("Dead actions (allowed in these games, but never taken by any bot):")
        yield from map(Paragraph, dead)
    else:
        yield Paragraph(
            "No named action is dead in these games: at least one bot took every action that was ever allowed."
        )
    if forced := by_decision(answer, "forced"):
        yield Paragraph(f"Taken almost whenever allowed in these games ({100 * FORCED:g} % or more):")
        yield from map(Paragraph, forced)
    # The decisions with several actions, each seat's most frequent first.
    several = [one for one in answer.decisions if len({use.code for use in one.uses}) > 1]
    seats = list(dict.fromkeys(one.seat for one in several))
    busy = sorted(several, key=lambda one: (seats.index(one.seat), -one.offered))
    for place, seat in enumerate(seats):
        named = [one.decision for one in busy if one.seat == seat and one.named]
        for number, decision in enumerate(named[:MOST_CHARTS]):
            text = (
                f"{seat}, {words(decision)}: how often the bot (column) took an action (row), in per cent of the "
                "times it was allowed. Where a tile is empty, the action was never allowed."
            )
            draw = partial(actions, answer, seat, decision)
            yield Chart(f"actions_{place}_{number}", draw, text, [answer.all_games], wide=True)
    tables = [_table(one) for one in busy[:MOST_TABLES]]
    yield Section("actions-table", "How often each action is allowed and taken", tables, folded=True)
    if left_out := sum(one.left_out for one in answer.decisions):
        yield Paragraph(f"The {left_out} least used actions are left out.", "note")
    yield from answer.counted()


def by_decision(answer: Actions, which: Literal["dead", "forced"]) -> list[str]:
    """One text per decision: "besieger, action: Besiege (allowed 1,200 times), Plan (800)"."""
    texts = []
    for one in answer.decisions:
        if named := getattr(one, which):
            (first, times), *others = named.items()
            parts = [f"{first} (allowed {counted(times, 'time')})", *(f"{name} ({n:,})" for name, n in others)]
            texts.append(f"{one.seat}, {words(one.decision)}: {first_of(parts, MOST_NAMED)}")
    return texts


def _table(one: DecisionUses) -> Table[ActionUse]:
    columns = (
        *attributes("action", "bot", "allowed=offered", "taken", "taken when allowed=share", "games with it=games"),
        Column[ActionUse]("win rate of those", lambda use: use.win_rate if use.games else None),
    )
    title = f"{one.seat}: {one.decision_id} {words(one.decision)}"
    return Table([use for use in one.uses if use.offered][:MOST_ROWS], columns, title)


@chart
def actions(answer: Actions, seat: str | None = None, decision: str | None = None, ax: Axes | None = None) -> Axes:
    """How often each action (row) of a decision was taken when it was allowed, by bot (column).

    Args:
        seat, decision: by default the most frequent.
    """
    from matplotlib.colors import Normalize

    if not answer.decisions:
        return drawing.note(drawing.axes(ax, 1.6), "no action was counted")
    found = [one for one in answer.decisions if seat in (None, one.seat) and decision in (None, one.decision)]
    if not found:
        raise InputError(f"{answer.game}: no choices of seat {seat} in decision {decision} were counted.")
    uses = max(found, key=attrgetter("offered")).uses
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
