"""Changes by the values of a knob, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simlab.present.blocks import Block, Column, Paragraph, Section, Table, attributes
from simlab.present.estimate import plain, rounded, value_text
from simlab.questions.knob_changes.analysis import KnobChanges, RunKnobChanges, ValueChange

TITLE, ANCHOR = "Each value of a knob, on the same seeds", "knob-changes"
CHAPTER, RANK = "Settings", 30
NOTE = (
    "Game by game on the same seeds, with 95 % intervals. The verdict is for the win rates; all lines of "
    "a table are judged jointly (Holm, 5 %). Variance reduction, an estimate without an interval: how many times as "
    "many games independent seeds would need for the same interval."
)


def blocks(answer: RunKnobChanges) -> Iterator[Block]:
    for place, knob in enumerate(answer.knobs):
        yield _together(answer, knob)
        if knob.single:
            each = _table(answer, knob, knob.single)
            yield Section(f"match-ups-{place}", f"{plain(knob.knob)}: by match-up", (each,), folded=True)
    yield Paragraph(NOTE, "note")


def in_brief(answer: RunKnobChanges) -> Iterator[Block]:
    """The first three knobs, over all match-ups."""
    yield from (_together(answer, knob) for knob in answer.knobs[:3])
    yield Paragraph(NOTE, "note")


def _together(answer: RunKnobChanges, knob: KnobChanges) -> Table[ValueChange]:
    reference = f"{plain(knob.knob)} = {value_text(knob.reference)}{', as printed' if knob.printed else ''}"
    return _table(answer, knob, knob.together, f"Against {reference}, on the same seeds")


def _table(
    answer: RunKnobChanges, knob: KnobChanges, lines: Sequence[ValueChange], title: str = ""
) -> Table[ValueChange]:  # fmt: skip
    match_up = attributes("match-up=match_up") if lines[0].match_up else ()
    return Table(
        lines,
        (
            Column[ValueChange](plain(knob.knob), lambda line: value_text(line.value), lambda line: line.games),
            *match_up,
            *attributes(f"win rate of {answer.seat}=win_rate", "verdict", "games flipped=flipped"),
            *attributes(f"length in {answer.turn_name}s=length"),
            Column[ValueChange]("variance reduction", lambda line: rounded(line.variance_reduction)),
        ),
        title=title,
    )
