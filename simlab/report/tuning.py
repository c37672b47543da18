"""What tuning a bot came to, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simlab.present.estimate import Estimate
from simlab.report import tables

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simlab.questions.contest import Figure
    from simlab.studies.tuning import Tuning


def shown(figure: Figure, rate: bool = True) -> str:
    """A figure with its interval, as `58.3 % (57.9-58.7)`."""
    return Estimate(figure.value, figure.low, figure.high, rate).full


def gained(figure: Figure, by_score: bool) -> str:
    """A difference with its interval, in points: `+4.1 (+2.0 to +6.2)`."""
    scale = 1.0 if by_score else 100.0
    ends = [f"{scale * end:+.1f}" for end in (figure.value, figure.low, figure.high)]
    return f"{ends[0]} ({ends[1]} to {ends[2]})"


def terminal(tuning: Tuning) -> list[RenderableType]:
    """Tables and sentences for a terminal."""
    from simlab.studies.tuning import number

    rate = not tuning.by_score
    what = "score" if tuning.by_score else "wins"
    made = tables.table(f"{tuning.bot} as {tuning.seat}: {tuning.confirmed:,} fresh games against each")
    made.add_column("against", overflow="fold")
    tables.numbers(made, f"{what}, untuned", f"{what}, tuned", "gained, in points")
    for gain in tuning.by_field:
        row = [gain.field, shown(gain.before, rate), shown(gain.after, rate), gained(gain.gain, tuning.by_score)]
        tables.add(made, row)
    answer: list[RenderableType] = [made]
    if tuning.by_trait:
        made = tables.table("Trait by trait: what is lost when it alone is put back")
        made.add_column("trait", overflow="fold")
        tables.numbers(made, "untuned", "tuned", "lost, in points")
        for trait in tuning.by_trait:
            row = [trait.name, number(trait.before), number(trait.after), gained(trait.lost, tuning.by_score)]
            tables.add(made, row)
        answer.append(made)
    cost = f"{tuning.tried:,} settings in {tuning.generations} generations, {tuning.searched:,} games."
    return [*answer, *(tables.typed(sentence) for sentence in tuning.sentences), cost]
