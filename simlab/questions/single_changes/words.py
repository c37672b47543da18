"""Single changes in a sentence, a chart and a table."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import rounded
from simlab.questions.single_changes.analysis import Change, SingleChanges

TITLE = "Single changes"
CHAPTER, RANK = "Settings", 5
MOST = 30  #: changes that charts and terminals list


def page_blocks(answer: SingleChanges) -> Iterator[Block]:
    if not answer.changes:
        return
    what = "the mean score" if answer.changes[0].score else answer.target.statistic
    caption = (
        f"Change of {what} by single changes, the largest on top; the 95 % intervals hold for all changes together. "
        "Filled dots are significant, all changes judged jointly (Holm)."
    )
    yield Paragraph(sentence(answer), "lead")
    yield Chart("steps", lambda: steps(answer), caption)
    if len(answer.changes) > MOST:
        yield Section("all-single-changes", "All single changes, the largest first", (_table(answer),), folded=True)
    else:
        yield _table(answer)


def blocks(answer: SingleChanges) -> Iterator[Block]:
    """What a run prints at its end."""
    if answer.changes:
        yield _table(answer, f"{answer.setup}: one change at a time")
    yield Paragraph(sentence(answer))


def sentence(answer: SingleChanges) -> str:
    """The change with the largest effect, and the smallest that reaches the target."""
    if not answer.changes or answer.joint_base is None:
        return "Too few games, or not all settings played yet: no result for the knobs."
    changes, target = answer.changes, answer.target
    significant = [change for change in changes if change.significant]
    text = f"At the base setting {target.statistic} is {answer.joint_base.full}. Of {len(changes):,} single changes "
    moved = "the score" if changes[0].score else "it"
    if significant:
        top = significant[0]
        text += f"{len(significant):,} significantly change {moved}; the largest estimated effect, by {top.text}, is "
        text += f"{top.effect.full}."
    else:
        text += f"none changes {moved} significantly."
    if target.value is None or target.high is None:
        return text
    wanted = f"{target.text} (±{100 * (target.high - target.value):.2g})"
    if answer.on_target:
        return f"{text} The base setting is on target, {wanted}."
    best = answer.cheapest
    if best is None:
        near = min(changes, key=lambda change: abs(change.joint.value - (target.value or 0)))
        closest = f"The closest estimate is {near.joint.full}, by {near.text}."
        return f"{text} No single change here reaches {wanted}. {closest}"
    sure = "The smallest change that reaches" if best.reach == "reaches" else "The smallest change that may reach"
    far = f", {best.steps} steps" if best.steps > 1 else ""
    more = "Confirm it with a new seed." if best.reach == "reaches" else "Play more games to decide whether it does."
    return f"{text} {sure} {wanted} is {best.text}{far}, which gives {best.joint.full}. {more}"


def _table(answer: SingleChanges, title: str = "") -> Table[Change]:
    compared = "game by game on the same seeds" if answer.paired else "as independent samples, not paired by seed"
    rate = f"win rate of {answer.seat}=of_rate"
    judged = ("score=effect", "verdict on the score=verdict", rate) if answer.changes[0].score else (rate, "verdict")
    columns = (
        Column[Change]("change", lambda change: change.text, lambda change: change.games),
        *attributes(*judged, "win rate then=joint"),
        Column[Change]("target", lambda change: change.reach if answer.target.value is not None else None),
        Column[Change]("variance reduction", lambda change: rounded(change.variance_reduction)),
    )
    note = (
        f"{answer.games:,} games per setting, compared {compared}. The intervals hold for all lines together; the "
        "verdicts are adjusted for all lines (Holm, 5 %). Variance reductions are estimates without an interval."
    )
    return Table(answer.changes, columns, title, note, MOST)


@chart
def steps(answer: SingleChanges, ax: Axes | None = None) -> Axes:
    """Effect of each single change, the largest on top; filled dots are significant."""
    changes = answer.changes[:MOST]
    names, sizes = [change.text for change in changes], [change.effect for change in changes]
    ax = drawing.effects(ax, names, sizes, [change.significant for change in changes])
    scored = bool(changes and changes[0].score)
    ax.set_xlabel("change of the mean score" if scored else "change of the win rate, in points")
    return ax
