"""Exact play in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Paragraph, Table, places
from simlab.present.estimate import plain
from simlab.questions.exact_play.analysis import ExactPlay

METHOD = (
    "{0.places:,} information sets and {0.positions:,} positions, from the set-ups of {0.set_ups:,} games; "
    "{0.iterations:,} iterations of CFR+. Values and gains of best answers are computed, not estimated, with each "
    "set-up weighted by how often it came up in these games."
)


def blocks(answer: ExactPlay) -> Iterator[Block]:
    unit = "points" if answer.by_score else "of a win"
    first = answer.seats[0]
    value = f"{first.value:+.4f}".replace("-", "−")
    yield Paragraph(
        f"{plain(answer.game)}: played exactly, a game is worth {value} {unit} to {plain(first.seat)}. "
        f"The best answers gain {max(0.0, answer.seats[0].answer_gains):.4f} and "
        f"{max(0.0, answer.seats[1].answer_gains):.4f}.",
        "lead",
    )
    yield Table(
        [(seat.seat, bot, gain) for seat in answer.seats for bot, gain in seat.given_away.items()],
        places("seat", "bot", "gives away"),
        title=f"What listed bots give away to exact play, in {answer.games:,} games each",
        note=METHOD.format(answer),
    )
