"""Failed games as a list of commands."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Command, Paragraph
from simlab.present.estimate import plain
from simlab.questions.failed_games.analysis import FailedGames

TITLE, ANCHOR = "Failed games", "faults"
MOST = 200  #: listed


def blocks(answer: FailedGames) -> Iterator[Block]:
    if not answer.failures:
        return
    yield Paragraph("These games could not be played. No number includes them.", "warning")
    for one in answer.failures[:MOST]:
        games = f"game {one.first}" if one.first == one.last else f"games {one.first} to {one.last}"
        yield Command(f"{plain(one.label)}, {games}: {plain(one.why, 600)}", plain(one.replay, 600))
