"""Connect Four as one class."""

from simlab.author import NONE, Game, bot, choice, grid, knob, numbers

ROWS, COLUMNS = 6, 7


class ConnectFour(Game):
    """Connect Four: drop discs, and be the first with four in a row."""

    players = 2
    seat_names = ("first", "second")
    max_turns = 43
    line = knob(4, 3, 6, "discs in a row that win")

    board = grid(ROWS, COLUMNS, start=NONE)
    height = numbers(COLUMNS)

    def setup(self):
        """C-1: the board is empty, and the first seat begins."""
        self.ask(self.drop, 0)

    def may_drop(self, column):
        """C-2: a disc goes into a column that is not full."""
        return self.height[column] < ROWS

    @choice(COLUMNS)
    def drop(self, column):
        """C-3: the disc falls as far as it can; a line of four wins, a full board is a draw."""
        row = self.height[column]
        self.board[row, column] = self.seat
        self.height[column] += 1
        if self.makes_line(row, column):
            self.end("line", self.seat)
        elif self.turn == ROWS * COLUMNS:
            self.end("full")
        else:
            self.turn += 1
            self.ask(self.drop, self.next_seat())

    def makes_line(self, row, column):
        return (
            self.along(row, column, 0, 1) >= self.line
            or self.along(row, column, 1, 0) >= self.line
            or self.along(row, column, 1, 1) >= self.line
            or self.along(row, column, 1, -1) >= self.line
        )

    def along(self, row, column, down, right):
        return 1 + self.count(row, column, down, right) + self.count(row, column, -down, -right)

    def count(self, row, column, down, right):
        found = 0
        r, c = row + down, column + right
        while 0 <= r < ROWS and 0 <= c < COLUMNS and self.board[r, c] == self.seat:
            found += 1
            r += down
            c += right
        return found


@bot(ConnectFour)
def winner(game):
    """Wins if it can, else plays in the middle."""
    best, worth = 0, -1
    for column in game.options:
        value = 10 - abs(column - 3)
        if game.makes_line(game.height[column], column):
            value = 100
        if value > worth:
            best, worth = column, value
    return best
