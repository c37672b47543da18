"""Answers from the results of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from simlab.present.answer import Answer
from simlab.present.blocks import Block, Command, GamesLink, Paragraph
from simlab.runs import drill_down
from simlab.runs.view import View


class GamesAnswer(Answer):
    """The common part of all answers about the games of a run.

    Attributes:
        games: games of all cells together. cells: number of cells. turn_name: the game's word for a turn.
        all_games: the command that lists all games; None if the rows were not kept.
        moves: the command that writes the moves of the first games; empty if the rows were not kept.
    """

    game: str
    folder: str
    games: int
    cells: int
    turn_name: str
    all_games: GamesLink | None = None
    moves: str = ""

    @classmethod
    def of(cls, view: View, **fields: Any) -> Self:
        """The answer, with the fields above filled from the view."""
        return cls(
            game=view.slug, folder=str(view.results.folder), games=view.games, cells=len(view.cells),
            turn_name=view.turn_name, all_games=drill_down.all_games(view, view.all), moves=drill_down.moves(view),
            **fields,
        )  # fmt: skip

    @property
    def together(self) -> str:
        """A note that cells are pooled; empty for one cell."""
        return " These numbers cover all cells together." if self.cells > 1 else ""

    def counted(self) -> Iterator[Block]:
        """A note on how to list the games behind numbers that were counted during play."""
        if self.all_games:
            yield Paragraph("These counts were made during play and are not columns of the games' rows.", "note")
            yield Command(f"All {self.games:,} games", self.all_games.command)
            yield Command("Move by move", self.moves)
