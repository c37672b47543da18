"""Connect Four: drop discs into columns, four in a line win. The first player wins from the middle column.

Source: Allis (1988), A knowledge-based approach of Connect-Four; solved by J. D. Allen in the same year.
"""

from simlab.author import ALL, NONE, Game, bot, choice, grid, knob, number, numbers, trait

MOST_ROWS, MOST_COLUMNS = 6, 8


class ConnectFour(Game):
    """Two players drop discs into columns; four in a line win. Solved: the first player can force it."""

    title = "Connect Four"
    players = 2
    seat_names = ("first", "second")
    max_decisions = max_turns = MOST_ROWS * MOST_COLUMNS
    columns = knob(7, 4, MOST_COLUMNS, "columns of the board", unit="columns")
    rows = knob(6, 4, MOST_ROWS, "discs that a column holds", unit="rows")
    line = knob(4, 3, 6, "discs in a line that win", unit="discs")
    middle_barred = knob(False, "whether the first disc may not go into the middle")

    board = grid(MOST_ROWS + 1, MOST_COLUMNS + 1, start=NONE)  # with an empty rim, where row and column -1 are, too
    height = numbers(MOST_COLUMNS)
    drop = choice(*(f"column {column + 1}" for column in range(MOST_COLUMNS)))
    line_kind = number(metric="direction of the winning line", names=("none", "upright", "falling", "level", "rising"))
    in_the_middle = number(metric="discs in the middle column, or the two of an even board", low=0, high=12)

    def check_knobs(self):
        longest = max(self.columns, self.rows)
        fault = f"line = {self.line} does not fit a board whose longer side is {longest} (C-3.1)."
        return fault if self.line > longest else ""

    def words(self, seat):
        disc = {NONE: ".", 0: "x", 1: "o"}
        rows = reversed(range(self.rows))
        return {"board": tuple("".join(disc[self.board[row, n]] for n in range(self.columns)) for row in rows)}

    def play(self):
        """C-1.1: the board is empty: seven columns of six cells. The first seat begins."""
        while True:
            self.take_turn()
            """C-2.2: then the other seat is next."""
            self.turn += 1
            self.seat = self.next_seat()

    def may_drop(self, column):
        if self.middle_barred and self.turn == 1 and self.is_middle(column):
            return False
        return column < self.columns and self.height[column] < self.rows

    def is_middle(self, column):
        """Whether a column is the middle column, or one of the two middle columns of an even board."""
        return abs(2 * column - (self.columns - 1)) <= 1

    def take_turn(self):
        """C-2.1: drop a disc into a column that is not full; it falls onto the discs below."""
        column = self.ask(self.drop)
        if self.middle_barred and self.turn == 1:
            """C-2.3: a handicap: the first disc may not go into the middle column, nor into the two middle ones."""
        row = self.height[column]
        self.board[row, column] = self.seat
        self.height[column] += 1
        if self.is_middle(column):
            self.in_the_middle += 1
        self.line_kind = self.line_through(self.seat, row, column)
        if self.line_kind > 0:
            """C-3.1: four of your discs in a line, upright, level or on a diagonal, win."""
            self.end("line", self.seat)
        if self.turn == self.rows * self.columns:
            """C-3.2: a full board without a line is a draw, which both share."""
            self.end("full", ALL)

    def line_through(self, seat, row, column):
        """The direction of a line that a disc would complete in this cell; 0 for none."""
        more = self.line - 1
        if self.discs(seat, row, column, -1, 0) >= more:
            return 1
        if self.discs(seat, row, column, 1, -1) + self.discs(seat, row, column, -1, 1) >= more:
            return 2
        if self.discs(seat, row, column, 0, -1) + self.discs(seat, row, column, 0, 1) >= more:
            return 3
        if self.discs(seat, row, column, -1, -1) + self.discs(seat, row, column, 1, 1) >= more:
            return 4
        return 0

    def discs(self, seat, row, column, up, right):
        """How many discs of a seat lie in a row from a cell on."""
        found, row, column = 0, row + up, column + right
        while self.board[row, column] == seat:
            found, row, column = found + 1, row + up, column + right
        return found


def winning_column(game, seat):
    """The first legal column in which a disc of a seat would make a line; NONE if there is none."""
    for column in game.options:
        if game.line_through(seat, game.height[column], column) > 0:
            return column
    return NONE


def feeds_a_line(game, column):
    """Whether a disc in a column lets the other seat complete a line on top of it."""
    above = game.height[column] + 1
    return above < game.rows and game.line_through(1 - game.seat, above, column) > 0


def nearest_the_middle(game, careful):
    """The legal column nearest the middle, either one if two are equally near. careful: avoids columns that feed a
    line, if it can.
    """
    best, least, ties = 0, 1000, 0
    for column in game.options:
        away = abs(2 * column - (game.columns - 1))
        if careful > 0.5 and feeds_a_line(game, column):
            away += 100
        if away < least:
            best, least, ties = column, away, 1
        elif away == least:
            ties += 1
            if game.below(ties) == 0:
                best = column
    return best


@bot(ConnectFour)
def greedy(game):
    """Completes a line if it can, else drops as near the middle as it can."""
    column = winning_column(game, game.seat)
    return column if column != NONE else nearest_the_middle(game, 0)


@bot(ConnectFour)
def blocker(game, careful=trait(1, 0, 1, "1: it drops no disc on which the other could complete a line")):
    """Completes a line, else blocks a line of the other seat, else drops near the middle."""
    column = winning_column(game, game.seat)
    if column == NONE:
        column = winning_column(game, 1 - game.seat)
    return column if column != NONE else nearest_the_middle(game, careful)
