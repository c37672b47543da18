"""Sample sizes in a table and two sentences."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.present.text import duration, text
from simlab.questions.plan.analysis import Need, SampleSize


def blocks(answer: SampleSize) -> Iterator[Block]:
    yield Table(
        answer.needs,
        (
            *attributes("statistic=what", "goal"),
            Column[Need]("games", _games),
            Column[Need]("time", lambda need: None if need.seconds is None else duration(need.seconds)),
            Column[Need]("note", lambda need: need.note),
        ),
        note="In brackets: the range due to the pilot's own error." if any(map(_ends, answer.needs)) else "",
    )
    team = f"{answer.workers} worker{'s' if answer.workers > 1 else ''}"
    now = "; ".join(f"{one.statistic} {one.value.full}" for one in answer.now)
    yield Paragraph(
        f"From a pilot of {answer.pilot:,} games ({answer.games_per_second:,.0f} per second with each of {team})"
        f"{f': {now}' if now else ''}."
    )
    judged = f", {answer.family} intervals judged together" if answer.family > 1 else ""
    yield Paragraph(
        f"Intervals of {100 * answer.level:g} %, power {100 * answer.power:g} %{judged}. These are estimates from the "
        "pilot. After a tenth of the planned games, run the plan again.",
        "note",
    )


def _games(need: Need) -> str:
    if need.games_each is None:
        return "no number"
    return f"{f'{need.variants} × ' if need.variants > 1 else ''}{need.games_each:,}{_ends(need)}"


def _ends(need: Need) -> str:
    """` (8,000 to 12,000)`; empty if the pilot's error does not matter."""
    low, high = need.games_each_low, need.games_each_high
    if low is None or low == high:
        return ""
    return f" ({text(low)} or more)" if high is None else f" ({text(low)} to {text(high)})"
