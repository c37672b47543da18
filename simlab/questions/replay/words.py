"""A replayed game in a few sentences, and two games next to each other. For the full text, see replay.narrative."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes
from simlab.questions.replay.analysis import Replay, ReplayBeside
from simlab.questions.replay.narrative import Row


def blocks(answer: Replay | ReplayBeside) -> Iterator[Block]:
    """How a game ended; for two games, their decisions turn by turn, and how both ended."""
    which = f"{answer.game}, seed {answer.seed}, game {answer.index}"
    if isinstance(answer, Replay):
        end = " ".join(answer.end.sentences) if answer.end else "It stops before the end."
        yield Paragraph(f"{which}: {end}")
        return
    yield Paragraph(f"{which}, compared with {', '.join(f'{name}={value}' for name, value in answer.changed.items())}")
    yield beside(answer.rows, answer.turn_name, ("as it was", "beside"))
    yield Paragraph(f"as it was: {answer.base_end.sentences[0]}")
    yield Paragraph(f"beside: {answer.beside_end.sentences[0]}")


def beside(rows: tuple[Row, ...], turn_name: str, names: tuple[str, str], most: int = 100_000) -> Table[Row]:
    left = len(rows) - most
    return Table(
        rows[:most],
        (
            *attributes(f"{turn_name}=turn"),
            Column("", lambda row: "*" if row.differs else ""),
            *attributes(f"{names[0]}=base", f"{names[1]}=beside"),
        ),
        note=f"{left:,} more decisions." if left > 0 else "",
        most=most,
    )
