"""Gates: a toy in which each kind of decision has a known stake, for the tests of `simlab analyze choices`."""

from simlab.author import Game, bot, choice, per_seat


class Gates(Game):
    """Pass three gates, then a die."""

    players = (2, 2)
    score_range = (0, 99)
    points = per_seat()

    def setup(self):
        """G-1: ann begins."""
        self.ask(self.idle, 0)

    @choice("left", "right")
    def idle(self, option):
        """G-2: both ways are the same."""
        self.ask(self.plain, self.seat)

    @choice("gold", "stone")
    def plain(self, option):
        """G-3: gold is worth three points, a stone nothing."""
        if option == "gold":
            self.points[self.seat] += 3
        self.ask(self.read, self.seat)

    @choice("even", "odd")
    def read(self, option):
        """G-4: in an even turn even is worth two points, in an odd turn odd is."""
        if (option == "even") == (self.turn % 2 == 0):
            self.points[self.seat] += 2
        self.points[self.seat] += self.below(10)
        if self.turn == 8:
            self.end("counted")
        else:
            self.turn += 1
            self.ask(self.idle, 1 - self.seat)

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
