"""Sides in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Section, Table, attributes
from simlab.questions.sides.analysis import Loss, Member, SideReport, Sides
from simlab.words import capital

CHAPTER, RANK = "Who wins", 60


def blocks(answer: Sides) -> Iterator[Block]:
    for side in answer.sides:
        yield from _side(side, answer)


def section(answer: Sides) -> Section | None:
    titles = [capital(f"{side.who} {side.wins}, or not") for side in answer.sides]
    if len(titles) == 1:
        return Section("sides", titles[0], tuple(blocks(answer)))
    each = enumerate(zip(titles, answer.sides, strict=True), 1)
    sides = [Section(f"side-{number}", title, tuple(_side(side, answer))) for number, (title, side) in each]
    return Section("sides", "Sides", sides) if sides else None


def _side(side: SideReport, answer: Sides) -> Iterator[Block]:
    for loss in side.losses:
        yield Paragraph(_about(loss, side, answer.turn_name))
    won = f"{side.who} {side.wins}"
    if not side.members:
        yield Paragraph(f"Too few games in which {won} to compare its seats.")
        return
    fair = 100 * sum(member.wins.value for member in side.members) / len(side.members)
    yield Paragraph(
        f"When {won} ({side.games:,} games), an average seat wins {fair:.1f} % of these games, alone or with others. "
        + " ".join(_gaps(side))
    )
    columns = [
        *attributes("seat"),
        Column[Member]("wins", lambda member: member.wins, lambda member: member.games),
    ]
    if side.members[0].score is not None:
        columns.append(Column[Member]("mean score", lambda member: member.score))
    if any(member.parts for member in side.members):
        columns.append(Column[Member]("parts of the score", _parts))
    together = " These numbers cover all cells together." if answer.pooled else ""
    yield Table(
        side.members, columns, title=f"When {won}",
        note=f"All games that the side wins, whichever of its seats win with it. 95 % intervals.{together}",
    )  # fmt: skip


def _parts(member: Member) -> str:
    return "; ".join(f"{name} {mean.full}" for name, mean in member.parts.items())


def _gaps(side: SideReport) -> Iterator[str]:
    """Whether the seats differ, by wins and by score."""
    wins = [(member.seat, member.gap) for member in side.members]
    scores = [(member.seat, member.score_gap) for member in side.members if member.score_gap]
    for what, gaps, unit in (("wins", wins, " points"), ("score", scores, "")):
        off = sorted((g for g in gaps if g[1].low > 0 or g[1].high < 0), key=lambda g: -g[1].value)
        if off:
            listed = ", ".join(f"{seat} {gap.signed}{unit}" for seat, gap in off)
            yield f"Seats that differ significantly from that average by {what}: {listed}."
        elif gaps:
            yield f"No seat differs significantly from the average by {what}."


def _about(loss: Loss, side: SideReport, turn_name: str) -> str:
    when = ""
    if loss.turns:
        low, middle, high = loss.turns
        when = f", in {turn_name}s {low} to {high} (90 % of them; median {middle})"
        if low == high:
            when = f", in {turn_name} {low} (at least 90 % of them)"
    marks = "; ".join(f"{name} in {share.full}" for name, share in loss.marks.items())
    return f"Lost by {loss.ending}: {loss.share.full} of the {side.lost:,} lost games{when}." + (
        f" {capital(marks)}." if marks else ""
    )
