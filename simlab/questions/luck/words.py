"""Luck, skill and seat in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simlab.present.blocks import Block, Chart, Command, Paragraph, Section, Table, attributes, places
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import plain
from simlab.questions.luck.analysis import LuckAnswer, LuckShare, RunLuck, SkillShares
from simlab.words import line_up, listed

TITLE = "Luck and skill"
CHAPTER, RANK = "Luck and skill", 20
MOST_CELLS = 8  #: of a run, in a report

ALONE_NOTE = (
    "Each game was played again with one kind of luck redrawn and the rest held, and the other way round. “Alone” is "
    "the share of the variance that a kind explains on its own; “with the others” adds what it explains jointly with "
    "other kinds, so these shares add up to more than 100 %. A bot that draws no random numbers has no luck in its "
    "choices."
)
SKILL_NOTE = (
    "The variance of whether a side wins, with a random bot of the field in each seat, is split exactly into the "
    "variance between sides (seat), between line-ups (skill), and the rest (luck); each share is rounded on its own. "
    "Skill therefore measures how much the bots of this field differ: a field of equals shows none."
)


def blocks(answer: LuckAnswer | RunLuck) -> Iterator[Block]:
    if isinstance(answer, RunLuck):
        yield from _run_blocks(answer)
        return
    bots = line_up(answer.bots)
    yield Paragraph(headline(list(answer.luck.of().values())), "lead")
    yield Table(
        answer.luck.shares,
        attributes("result", "kind of luck=kind", "alone", "with the others=total"),
        title=f"{bots}: shares of the variance, {answer.luck.games:,} games",
    )
    if answer.skill:
        yield from _skill(answer.skill)
    if answer.luck.truncated:
        yield Paragraph(f"{answer.luck.truncated:,} truncated games are left out.", "warning")


def _run_blocks(answer: RunLuck) -> Iterator[Block]:
    for skill in answer.skill[:1]:
        yield from _skill(skill, skill.again)
    cells = answer.luck[:MOST_CELLS]
    if not cells:
        return
    first = cells[0]
    shares = [share for share in first.shares if share.result == first.shares[0].result]
    yield Chart(
        "luck", lambda: luck(shares),
        f"{plain(first.cell)}, {plain(shares[0].result)}: the share of the variance that each kind of luck explains "
        f"alone (filled) and with the others (open), with 95 % intervals from {first.games:,} games played again. "
        f"{headline(shares)}",
        games=(), made_by=first.again,
    )  # fmt: skip
    yield Paragraph(ALONE_NOTE, "note")
    lines = Table(
        [
            (plain(cell.cell), plain(share.result), plain(share.kind), share.alone, share.total, cell.games)
            for cell in cells
            for share in cell.shares
        ],
        places("cell", "result", "kind of luck", "alone", "with the others", "games"),
    )
    again = [Command(plain(cell.cell), cell.again) for cell in cells if cell.again]
    yield Section("luck-table", "Luck: all shares", (*again, lines), folded=True)


def _skill(skill: SkillShares, again: str = "") -> Iterator[Block]:
    sampled = f" sampled from {skill.field:,}" if skill.field > skill.line_ups else ""
    source = f"{skill.line_ups} line-ups{sampled}, the same {skill.games:,} games each"
    parts = [f"luck explains {skill.luck.full} of the variance in who wins", f"the bots' skill {skill.skill.full}"]
    parts += [] if skill.solo else [f"the seat {skill.seat.full}"]
    sentence = f"In this field of bots, {listed(parts)} ({source})."
    yield Chart("skill", lambda: split(skill), sentence, games=(), made_by=again)
    kinds = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in skill.luck_by_kind.items())
    rows = [
        ("luck", skill.luck, kinds),
        ("skill", skill.skill, "differences between the bots of this field"),
        *([] if skill.solo else [("seat", skill.seat, "differences between the sides")]),
    ]
    yield Table(
        rows,
        places("part", "of the variance in who wins", "consists of"),
        title=f"Luck, skill and seat: {source}",
        note=SKILL_NOTE,
    )


def headline(shares: Sequence[LuckShare]) -> str:
    """The kind of luck with the largest share, and whether its interval lies above all other intervals."""
    leading, *others = sorted(shares, key=lambda share: -share.total.value)
    if leading.total.value <= 0:
        return "The result does not vary."
    where = f"comes from {leading.kind}: {leading.total.full}, alone or jointly with other kinds"
    if any(other.total.high >= leading.total.low for other in others):
        return f"The largest estimated share of the variance {where}; another kind's interval overlaps with this one."
    return f"The largest share of the variance {where}."


@chart
def luck(shares: Sequence[LuckShare], ax: Axes | None = None) -> Axes:
    """Shares of the variance by kind of luck, alone and in total."""
    ax = drawing.axes(ax, 0.8 + 0.5 * len(shares))
    for place, share in enumerate(shares):
        drawing.interval(ax, place - 0.12, share.alone, drawing.FACE)
        drawing.interval(ax, place + 0.12, share.total, drawing.FACE, filled=False)
    drawing.name_rows(ax, [share.kind for share in shares], 30)
    ax.set_xlim(-0.02, 1.02)
    drawing.percent(ax, "x")
    ax.set_xlabel("of the variance of the result")
    return ax


@chart
def split(skill: SkillShares, ax: Axes | None = None) -> Axes:
    """Luck by kind, skill and seat on one bar."""
    ax = drawing.axes(ax, 1.7)
    kinds = {f"luck: {kind}": share for kind, share in skill.luck_by_kind.items()} or {"luck": skill.luck.value}
    blues = ("#2b5c8a", "#4c78a8", "#7ba0c4", "#b3cbe0")
    colors = [*(blues[place % len(blues)] for place in range(len(kinds))), drawing.SEATS[0], drawing.SEATS[4]]
    left = 0.0
    parts = {**kinds, "skill": skill.skill.value} | ({} if skill.solo else {"seat": skill.seat.value})
    for (name, share), color in zip(parts.items(), colors, strict=False):
        ax.barh([0], [share], left=left, color=color, height=0.6, label=drawing.label(f"{name} {100 * share:.0f} %"))
        left += share
    ax.set_xlim(0, max(left, 1.0))
    ax.set_yticks([])
    drawing.percent(ax, "x")
    ax.grid(visible=False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=2, fontsize=8.5)
    return ax
