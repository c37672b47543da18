"""The rules that fire, and the rulings that the numbers depend on."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.rules.analysis import ReconstructedTable, RuleUse, RunRules

TITLE = "Which rules fire"
CHAPTER, RANK = "Cards and rules", 20
MOST_TILES = 15  #: in a row of the chart


def blocks(answer: RunRules) -> Iterator[Block]:
    yield from _fired(answer)
    yield Section("rulings", "Rulings and data that the numbers depend on", tuple(_rulings(answer)))


def _fired(answer: RunRules) -> Iterator[Block]:
    if not answer.rules:
        yield Paragraph("This run kept no rule ledger.")
        return
    silent = answer.silent
    caption = (
        "Each tile is a rule of the ledger, each row a chapter; from pale (it fires in hardly any game) to dark (in "
        f"every game). {len(silent)} of {len(answer.rules)} rules never fired (red frame)."
    )
    yield Chart("rules", lambda: rules(answer), caption, [answer.all_games], wide=True)
    if silent:
        note = (
            f"None of these fired in {answer.games:,} games. With 95 % confidence, each of them fires in fewer than "
            f"{100 * answer.upper:.2g} % of games like these."
        )
        yield Table(silent, attributes("rule=id", "in short=text"), "Rules that never fired", note)
    else:
        yield Paragraph("Every rule of the ledger fired at least once.")
    yield Section("rules-table", "How often each rule fires", (_table(answer),), folded=True)
    yield from answer.counted()


def _table(answer: RunRules) -> Table[RuleUse]:
    columns = attributes("rule=id", "in short=text", "times per game=times_a_game", "games", "share of the games=share")
    if answer.groups:
        columns += (Column[RuleUse](f"lowest to highest of {answer.groups} groups of cells", _range),)
    return Table(answer.rules, columns, most=1_000)


def _range(rule: RuleUse) -> str:
    if rule.lowest is None or rule.highest is None:
        return ""
    return f"{100 * rule.lowest:.0f} to {100 * rule.highest:.0f} %"


def _rulings(answer: RunRules) -> Iterator[Block]:
    if answer.swapped:
        yield Paragraph(f"Component tables replaced by a file: {'; '.join(answer.swapped)}.")
    if answer.reconstructed:
        yield Paragraph("Component data that the rulebook does not give, and that were reconstructed:")
        yield from (Paragraph(_rows(one)) for one in answer.reconstructed)
    else:
        yield Paragraph("No component table has rows that are marked as reconstructed.")
    rulings = [rule for rule in answer.rules if rule.status not in ("exact", "")]
    if not rulings:
        yield Paragraph("No rule of the ledger is marked as a ruling.")
        return
    yield Paragraph(
        f"{len(rulings)} rules are not exact text of the rulebook: they are rulings on open points, or abstractions. "
        "Another reading may give other numbers."
    )
    knobs = "knobs that change it, with their values=knobs"
    columns = attributes("rule=id", "in short=text", "status", knobs, "share of the games=share")
    yield Section("rulings-table", "The rulings", (Table(rulings, columns),), folded=True)


def _rows(one: ReconstructedTable) -> str:
    of = f" of {one.of}" if one.of else ""
    rows = f" ({'; '.join(one.rows)})" if one.rows else ""
    return f"{one.table}: {one.count}{of} rows{rows}"


@chart
def rules(answer: RunRules, ax: Axes | None = None) -> Axes:
    """The rule ledger as tiles, one row per chapter: the darker, the more games a rule fired in. Red frame: never."""
    from matplotlib.patches import Rectangle

    if not answer.rules:
        return drawing.note(drawing.axes(ax, 1.6), "no rules were counted")
    lines: list[tuple[str, list[RuleUse]]] = []
    for rule in answer.rules:
        chapter = rule.id.rpartition("-")[0] or "rules"
        if not lines or lines[-1][0] != chapter or len(lines[-1][1]) >= MOST_TILES:
            lines.append((chapter, []))
        lines[-1][1].append(rule)
    most = max(len(line) for _, line in lines)
    ax = drawing.axes(ax, 0.55 + 0.29 * len(lines), max(1.3 + 0.33 * most, drawing.WIDTH * 0.8))
    for row, (_, line) in enumerate(lines):
        for column, rule in enumerate(line):
            color = drawing.HUE(rule.share.value) if rule.games else "#ffffff"
            frame = "none" if rule.games else "#c1121f"
            tile = Rectangle((column + 0.04, row + 0.06), 0.92, 0.88, facecolor=color, edgecolor=frame, linewidth=1.2)
            ax.add_patch(tile)
            number = drawing.label(rule.id.rpartition("-")[2], 4)
            drawing.word(ax, column + 0.5, row + 0.5, number, 7.5, drawing.ink_on(color))
    ax.set_xlim(0, most)
    ax.set_ylim(len(lines), 0)
    drawing.bare(ax)
    chapters = [chapter for chapter, _ in lines]
    shown = ["" if row and name == chapters[row - 1] else drawing.label(name, 18) for row, name in enumerate(chapters)]
    drawing.name_tiles(ax, shown, [])
    return ax
