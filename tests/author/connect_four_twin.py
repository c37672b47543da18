"""Connect Four once more, from its rules and without the lab."""

from __future__ import annotations

import random

DIRECTIONS = {"upright": (1, 0), "falling": (1, -1), "level": (0, 1), "rising": (1, 1)}


class ConnectFour:
    """A game; `legal` says where the player to act may drop a disc, and `take` drops it."""

    def __init__(self, columns: int = 7, rows: int = 6, line: int = 4, middle_barred: bool = False) -> None:
        if line > max(columns, rows):
            raise ValueError(f"a line of {line} does not fit a board whose longer side is {max(columns, rows)}")
        self.columns, self.rows, self.line, self.middle_barred = columns, rows, line, middle_barred
        self.discs: dict[tuple[int, int], int] = {}
        self.seat, self.turn, self.ending, self.kind = 0, 1, "", "none"
        self.in_the_middle = 0

    def is_middle(self, column: int) -> bool:
        return column in {(self.columns - 1) // 2, self.columns // 2}

    def height(self, column: int) -> int:
        return sum(at == column for _, at in self.discs)

    def legal(self) -> list[int]:
        columns = [column for column in range(self.columns) if self.height(column) < self.rows]
        if self.middle_barred and self.turn == 1:
            return [column for column in columns if not self.is_middle(column)]
        return columns

    def take(self, column: int) -> None:
        row = self.height(column)
        self.discs[row, column] = self.seat
        self.in_the_middle += self.is_middle(column)
        self.kind = self.line_through(row, column)
        if self.kind != "none":
            self.ending = "line"
        elif self.turn == self.rows * self.columns:
            self.ending = "full"
        else:
            self.turn += 1
            self.seat = 1 - self.seat

    def line_through(self, row: int, column: int) -> str:
        for kind, (up, right) in DIRECTIONS.items():
            discs = 1
            for sign in (1, -1):
                step = 1
                while self.discs.get((row + sign * step * up, column + sign * step * right)) == self.seat:
                    step += 1
                discs += step - 1
            if discs >= self.line:
                return kind
        return "none"

    def winners(self) -> int:
        return 1 << self.seat if self.ending == "line" else 3


def play(seed: int, **knobs: int) -> ConnectFour:
    """A game of random choices."""
    luck = random.Random(seed)
    game = ConnectFour(**knobs)
    while not game.ending:
        game.take(luck.choice(game.legal()))
    return game
