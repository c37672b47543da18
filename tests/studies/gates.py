"""Gates: a toy in which each kind of decision has a known stake, for the tests of `simlab analyze choices`."""

from simlab.author import Game, bot, choice, per_seat


class Gates(Game):
    """Pass three gates, then a die."""

    players = (2, 2)
    score_range = (0, 99)
    points = per_seat()
    idle = choice("left", "right")
    plain = choice("gold", "stone")
    read = choice("even", "odd")

    def play(self):
        """G-1: ann begins."""
        while True:
            self.take_turn()
            if self.turn == 8:
                self.end("counted")
            self.turn += 1
            self.seat = 1 - self.seat

    def take_turn(self):
        """G-2: both ways are the same."""
        self.ask(self.idle)
        """G-3: gold is worth three points, a stone nothing."""
        if self.ask(self.plain) == "gold":
            self.points[self.seat] += 3
        """G-4: in an even turn even is worth two points, in an odd turn odd is."""
        if (self.ask(self.read) == "even") == (self.turn % 2 == 0):
            self.points[self.seat] += 2
        self.points[self.seat] += self.below(10)

    def score(self, seat):
        return self.points[seat]


@bot(Gates)
def careless(game):
    """Takes the gold and never looks at the turn."""
    if game.decision == game.idle:
        return "left"
    if game.decision == game.plain:
        return "gold"
    return "odd"
